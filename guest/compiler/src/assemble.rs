//! Instructions under construction: labels, jump patching, the handler table, constants and caches.
//!
//! The assembler also carries the flow state, because labels are where states meet: which locals are surely
//! bound ([`Bound`]), or nothing at all where the code cannot be reached. Unreachable instructions are dropped.

use coldframe_frontend::hash::HashMap;
use std::rc::Rc;

use crate::code::{CacheKind, CacheSlot, Const, Handler, Span};
use crate::constant::ConstKey;
use crate::flow::Bound;
use crate::op::{Instr, Op};
use crate::shape;

/// Instructions of one unit beyond which compilation gives up (nested `finally` blocks multiply code).
const MAX_INSTRUCTIONS: usize = 2_000_000;

/// A jump target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(u32);

#[derive(Clone, Copy)]
struct LabelState {
    position: Option<u32>,
    /// What is bound on every jump to it so far; `None` when there was none.
    incoming: Option<Bound>,
}

/// A range of code whose exceptions go to a label, with the holes that exits of `try` blocks leave in it.
pub(crate) struct Region {
    open: Option<u32>,
    segments: Vec<(u32, u32)>,
    target: Label,
    register: u16,
    depth: u16,
}

/// The code of a unit.
pub(crate) struct Assembler {
    pub instrs: Vec<Instr>,
    pub spans: Vec<Span>,
    labels: Vec<LabelState>,
    /// Jumps to patch: index of the instruction and its label; the distance goes to the following `Ext` when it has one.
    jumps: Vec<(u32, Label)>,
    handlers: Vec<(u32, u32, Label, u16, u16)>,
    regions: Vec<Region>,
    pub consts: Vec<Const>,
    const_index: HashMap<ConstKey, u32>,
    pub caches: Vec<CacheSlot>,
    globals: HashMap<Rc<str>, u16>,
    attributes: HashMap<Rc<str>, u16>,
    /// Which locals are surely bound; `None` where the code is unreachable.
    pub state: Option<Bound>,
    /// Something does not fit its field.
    pub overflow: bool,
}

impl Assembler {
    pub fn new() -> Assembler {
        Assembler {
            instrs: Vec::new(),
            spans: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            handlers: Vec::new(),
            regions: Vec::new(),
            consts: Vec::new(),
            const_index: HashMap::default(),
            caches: Vec::new(),
            globals: HashMap::default(),
            attributes: HashMap::default(),
            state: Some(Bound::default()),
            overflow: false,
        }
    }

    /// Whether the next instruction can be reached.
    pub fn reachable(&self) -> bool {
        self.state.is_some()
    }

    /// The code behind this point is not reached from here.
    pub fn unreachable(&mut self) {
        self.state = None;
    }

    fn position(&self) -> u32 {
        self.instrs.len() as u32
    }

    fn push(&mut self, instr: Instr, span: Span) {
        if self.instrs.len() >= MAX_INSTRUCTIONS {
            self.overflow = true;
            return;
        }
        self.instrs.push(instr);
        self.spans.push(span);
    }

    /// Emits one instruction, unless it cannot be reached.
    pub fn emit(&mut self, op: Op, x: u8, a: u16, b: u16, c: u16, span: Span) {
        if self.reachable() {
            self.push(Instr::new(op, x, a, b, c), span);
        }
    }

    /// Emits an instruction with a 32-bit immediate.
    pub fn emit_imm(&mut self, op: Op, x: u8, a: u16, imm: i32, span: Span) {
        if self.reachable() {
            self.push(Instr::with_imm(op, x, a, imm), span);
        }
    }

    /// Emits an instruction followed by its `Ext` word.
    pub fn emit_ext(&mut self, instr: Instr, ext: i32, span: Span) {
        if self.reachable() {
            self.push(instr, span);
            self.push(Instr::with_imm(Op::Ext, 0, 0, ext), span);
        }
    }

    // ---- labels and jumps

    pub fn label(&mut self) -> Label {
        self.labels.push(LabelState {
            position: None,
            incoming: None,
        });
        Label(self.labels.len() as u32 - 1)
    }

    /// Merges the present state into the label's.
    pub fn arrive(&mut self, label: Label) {
        let Some(state) = self.state else { return };
        let incoming = &mut self.labels[label.0 as usize].incoming;
        *incoming = Some(match *incoming {
            Some(other) => other.intersect(state),
            None => state,
        });
    }

    /// Whether anything jumps to the label so far.
    pub fn used(&self, label: Label) -> bool {
        self.labels[label.0 as usize].incoming.is_some()
    }

    /// Puts the label here; falling into it is one of the ways to it.
    pub fn place(&mut self, label: Label) {
        self.arrive(label);
        let position = self.position();
        let state = &mut self.labels[label.0 as usize];
        state.position = Some(position);
        self.state = state.incoming;
    }

    /// Puts a label here as the head of a loop: later jumps back to it are covered by `state`.
    pub fn place_loop_head(&mut self, label: Label, state: Bound) {
        if self.reachable() {
            self.state = Some(state);
        }
        self.place(label);
    }

    /// An unconditional jump.
    pub fn jump(&mut self, label: Label, span: Span) {
        if self.reachable() {
            self.arrive(label);
            self.jumps.push((self.position(), label));
            self.push(Instr::with_imm(Op::Jump, 0, 0, 0), span);
            self.unreachable();
        }
    }

    /// A conditional jump on one register (one word).
    pub fn jump_if(&mut self, op: Op, x: u8, a: u16, label: Label, span: Span) {
        if self.reachable() {
            self.arrive(label);
            self.jumps.push((self.position(), label));
            self.push(Instr::with_imm(op, x, a, 0), span);
        }
    }

    /// A jump whose distance is in an `Ext` word (compare-and-jump, `ForIter`).
    pub fn jump_ext(&mut self, op: Op, x: u8, a: u16, b: u16, label: Label, span: Span) {
        if self.reachable() {
            self.arrive(label);
            self.jumps.push((self.position(), label));
            self.push(Instr::new(op, x, a, b, 0), span);
            self.push(Instr::with_imm(Op::Ext, 0, 0, 0), span);
        }
    }

    // ---- handlers

    /// Opens a protected region. Regions nest.
    pub fn open_region(&mut self, target: Label, register: u16, depth: u16) {
        let position = self.position();
        self.regions.push(Region {
            open: Some(position),
            segments: Vec::new(),
            target,
            register,
            depth,
        });
    }

    /// Closes the innermost region; gives whether it covers any instruction.
    pub fn close_region(&mut self) -> bool {
        let position = self.position();
        let Some(mut region) = self.regions.pop() else {
            return false;
        };
        if let Some(start) = region.open.take() {
            region.segments.push((start, position));
        }
        let mut covers = false;
        for (start, end) in region.segments {
            if start < end {
                covers = true;
                let (target, register, depth) = (region.target, region.register, region.depth);
                self.handlers.push((start, end, target, register, depth));
            }
        }
        covers
    }

    /// How many regions are open.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// Interrupts the open regions from `from` on, and notes them: the code of an exit from them follows.
    pub fn suspend_regions(&mut self, from: usize, suspended: &mut Vec<usize>) {
        let position = self.position();
        for (index, region) in self.regions.iter_mut().enumerate().skip(from) {
            if let Some(start) = region.open.take() {
                region.segments.push((start, position));
                suspended.push(index);
            }
        }
    }

    /// Resumes the regions that were interrupted.
    pub fn resume_regions(&mut self, suspended: &[usize]) {
        let position = self.position();
        for &index in suspended {
            if let Some(region) = self.regions.get_mut(index) {
                region.open = Some(position);
            }
        }
    }

    /// Puts the label of a handler here: reached by exceptions, with `state` bound.
    pub fn place_handler(&mut self, label: Label, state: Option<Bound>, covers: bool) {
        let position = self.position();
        let entry = &mut self.labels[label.0 as usize];
        entry.position = Some(position);
        self.state = if covers { state } else { None };
    }

    // ---- constants and caches

    /// The index of a constant, equal ones merged.
    pub fn constant(&mut self, constant: Const) -> u32 {
        let key = ConstKey(constant);
        if let Some(&index) = self.const_index.get(&key) {
            return index;
        }
        let index = self.consts.len() as u32;
        self.consts.push(key.0.clone());
        self.const_index.insert(key, index);
        index
    }

    /// A constant that is its own, whatever it equals (code).
    pub fn new_constant(&mut self, constant: Const) -> u32 {
        self.consts.push(constant);
        self.consts.len() as u32 - 1
    }

    /// The index of a constant for a 16-bit operand.
    pub fn short_constant(&mut self, constant: Const) -> u16 {
        let index = self.constant(constant);
        self.short(index)
    }

    /// A number for a 16-bit operand.
    pub fn short(&mut self, index: u32) -> u16 {
        u16::try_from(index).unwrap_or_else(|_| {
            self.overflow = true;
            0
        })
    }

    /// The constant `name`.
    pub fn name(&mut self, name: &str) -> u16 {
        self.short_constant(Const::Str(name.as_bytes().into()))
    }

    /// The cache of the global `name`: one for the whole unit.
    pub fn global(&mut self, name: &Rc<str>) -> u16 {
        if let Some(&index) = self.globals.get(name) {
            return index;
        }
        let index = self.cache(name, CacheKind::Global);
        self.globals.insert(Rc::clone(name), index);
        index
    }

    /// A cache for an access to the attribute `name`: one for each site, until they run out.
    pub fn attribute(&mut self, name: &Rc<str>) -> u16 {
        if self.caches.len() < 60_000 {
            return self.cache(name, CacheKind::Attr);
        }
        if let Some(&index) = self.attributes.get(name) {
            return index;
        }
        let index = self.cache(name, CacheKind::Attr);
        self.attributes.insert(Rc::clone(name), index);
        index
    }

    fn cache(&mut self, name: &Rc<str>, kind: CacheKind) -> u16 {
        let index = self.caches.len() as u32;
        self.caches.push(CacheSlot {
            name: Rc::clone(name),
            kind,
        });
        self.short(index)
    }

    // ---- the end

    /// Patches the jumps and gives the handler table.
    pub fn finish(&mut self) -> Vec<Handler> {
        debug_assert!(self.regions.is_empty());
        for &(at, label) in &self.jumps {
            let Some(instr) = self.instrs.get(at as usize).copied() else {
                continue;
            };
            let target = self.thread(self.target(label));
            let has_ext = shape::jumps_by_ext(instr.op);
            let length = if has_ext { 2 } else { 1 };
            let distance = target as i32 - (at as i32 + length);
            if has_ext {
                if let Some(ext) = self.instrs.get_mut(at as usize + 1) {
                    *ext = Instr::with_imm(Op::Ext, 0, 0, distance);
                }
            } else {
                self.instrs[at as usize] = Instr::with_imm(instr.op, instr.x, instr.a, distance);
            }
        }
        self.handlers
            .iter()
            .map(|&(start, end, target, register, depth)| Handler {
                start,
                end,
                target: self.target(target),
                register,
                depth,
            })
            .collect()
    }

    fn target(&self, label: Label) -> u32 {
        self.labels[label.0 as usize]
            .position
            .unwrap_or(self.instrs.len() as u32)
    }

    /// Follows unconditional jumps that only lead further.
    fn thread(&self, mut target: u32) -> u32 {
        for _ in 0..8 {
            let is_jump = self
                .instrs
                .get(target as usize)
                .is_some_and(|instr| instr.op == Op::Jump);
            if !is_jump {
                break;
            }
            let Ok(index) = self.jumps.binary_search_by_key(&target, |&(at, _)| at) else {
                break;
            };
            let next = self.target(self.jumps[index].1);
            if next == target {
                break;
            }
            target = next;
        }
        target
    }
}
