//! The validator: whether code keeps the rules of the instruction set.
//!
//! Besides the form of each instruction it follows the temporaries through the control flow: none may be read where it may hold nothing,
//! a call's register for `self` must be either filled on all ways or on none, and nothing may be held above a call's window.

use crate::code::{Compiled, Const};
use crate::dis::target;
use crate::op::{DA, DB, DC, Instr, Intrinsic, KA, KB, KC, Op};
use crate::shape::{Role, ends, has_ext, jumps_by_ext, jumps_by_imm, roles};

/// Checks code and the code nested in it; gives what is wrong.
pub fn validate(proto: &Compiled) -> Vec<String> {
    let mut problems = Vec::new();
    check(proto, &mut problems);
    problems
}

fn check(proto: &Compiled, problems: &mut Vec<String>) {
    let before = problems.len();
    form(proto, problems);
    if problems.len() == before {
        flow(proto, problems);
    }
    for constant in &proto.consts {
        if let Const::Code(code) = constant {
            if code.captures.len() != code.freevars.len() {
                problems.push(format!("{}: captures and freevars differ", code.qualname));
            }
            check(code, problems);
        }
    }
}

/// Whether the flags byte means the operand flags.
fn has_flags(op: Op) -> bool {
    !matches!(op, Op::MakeFunction | Op::MatchClass | Op::Intrinsic)
}

fn form(proto: &Compiled, problems: &mut Vec<String>) {
    let count = proto.instrs.len();
    let locals = proto.varnames.len() as u32;
    let nregs = u32::from(proto.nregs);
    let mut report = |at: usize, text: &str| {
        let op = proto.instrs.get(at).map_or("end", |instr| instr.op.name());
        problems.push(format!("{} at {at} ({op}): {text}", proto.qualname));
    };
    if proto.spans.len() != count {
        report(0, "spans and instructions differ in number");
    }
    if locals > nregs {
        report(0, "fewer registers than locals");
    }
    let mut starts = vec![false; count + 1];
    let mut at = 0;
    while at < count {
        starts[at] = true;
        let instr = proto.instrs[at];
        if instr.op == Op::Ext {
            report(at, "stray Ext");
        }
        let wide = has_ext(instr);
        if wide
            && proto
                .instrs
                .get(at + 1)
                .is_none_or(|next| next.op != Op::Ext)
        {
            report(at, "no Ext follows");
        }
        for ((role, value), take) in roles(instr)
            .into_iter()
            .zip([instr.a, instr.b, instr.c])
            .zip([DA, DB, DC])
        {
            let value = u32::from(value);
            let flags = if has_flags(instr.op) { instr.x } else { 0 };
            let register = |last: u32| last < nregs;
            let fine = match role {
                Role::Unused | Role::Number => true,
                Role::Write | Role::Read | Role::Update => register(value),
                Role::ReadOrConst(flag) if flags & flag != 0 => {
                    (value as usize) < proto.consts.len()
                }
                Role::ReadOrConst(_) => register(value),
                Role::Block(0) | Role::WriteBlock(0) => true,
                Role::Block(n) | Role::WriteBlock(n) => register(value + u32::from(n) - 1),
                Role::Name => matches!(proto.consts.get(value as usize), Some(Const::Str(_))),
                Role::Code => matches!(proto.consts.get(value as usize), Some(Const::Code(_))),
                Role::Cache => (value as usize) < proto.caches.len(),
                Role::Free => (value as usize) < proto.freevars.len(),
            };
            if !fine {
                report(at, &format!("operand {value} out of range ({role:?})"));
            }
            let constant = matches!(role, Role::ReadOrConst(flag) if flags & flag != 0);
            if flags & take != 0 && (constant || value < locals) {
                report(at, &format!("takes {value}, which is no temporary"));
            }
        }
        if instr.op == Op::LoadConst && instr.imm32() as usize >= proto.consts.len() {
            report(at, "no such constant");
        }
        at += if wide { 2 } else { 1 };
    }
    match proto.instrs.last() {
        Some(last) if last.op == Op::Ext || !ends(last.op) => {
            report(count - 1, "the code has no end");
        }
        None => report(0, "empty code"),
        _ => {}
    }
    for (at, instr) in proto.instrs.iter().enumerate() {
        if (jumps_by_imm(instr.op) || jumps_by_ext(instr.op))
            && !target(proto, at)
                .is_some_and(|target| (target as usize) < count && starts[target as usize])
        {
            report(at, "jumps nowhere");
        }
    }
    for handler in &proto.handlers {
        let at = handler.start as usize;
        if handler.start >= handler.end || handler.end as usize > count {
            report(at, "handler with a bad range");
        } else if (handler.target as usize) >= count || !starts[handler.target as usize] {
            report(at, "handler with a bad target");
        }
        if handler.register >= handler.depth
            || u32::from(handler.register) < locals
            || u32::from(handler.depth) > nregs
        {
            report(at, "handler with a bad depth");
        }
    }
}

/// What is known of the temporaries at a point.
#[derive(Clone, PartialEq)]
struct State {
    /// Filled on all ways.
    must: Vec<u64>,
    /// Filled on some way.
    may: Vec<u64>,
}

impl State {
    fn bit(register: usize) -> (usize, u64) {
        (register / 64, 1 << (register % 64))
    }

    fn fill(&mut self, register: usize) {
        let (word, bit) = State::bit(register);
        self.must[word] |= bit;
        self.may[word] |= bit;
    }

    fn drop(&mut self, register: usize) {
        let (word, bit) = State::bit(register);
        self.must[word] &= !bit;
        self.may[word] &= !bit;
    }

    fn must(&self, register: usize) -> bool {
        let (word, bit) = State::bit(register);
        self.must[word] & bit != 0
    }

    fn may(&self, register: usize) -> bool {
        let (word, bit) = State::bit(register);
        self.may[word] & bit != 0
    }

    /// Merges another way in; gives whether anything changed.
    fn merge(&mut self, other: &State) -> bool {
        let before = self.clone();
        for (word, other) in self.must.iter_mut().zip(&other.must) {
            *word &= other;
        }
        for (word, other) in self.may.iter_mut().zip(&other.may) {
            *word |= other;
        }
        *self != before
    }
}

/// What an instruction does to registers.
#[derive(Default)]
struct Effect {
    reads: Vec<u16>,
    takes: Vec<u16>,
    writes: Vec<u16>,
    /// The `self` register of a call.
    receiver: Option<u16>,
    /// Registers that may hold nothing.
    optional: Vec<u16>,
}

fn effect(proto: &Compiled, at: usize, instr: Instr) -> Effect {
    let mut effect = Effect::default();
    let flags = if has_flags(instr.op) { instr.x } else { 0 };
    for ((role, value), take) in roles(instr)
        .into_iter()
        .zip([instr.a, instr.b, instr.c])
        .zip([DA, DB, DC])
    {
        match role {
            Role::Read | Role::Update => {
                effect.reads.push(value);
                if flags & take != 0 {
                    effect.takes.push(value);
                }
                if role == Role::Update {
                    effect.writes.push(value);
                }
            }
            Role::ReadOrConst(flag) if flags & flag == 0 => {
                effect.reads.push(value);
                if flags & take != 0 {
                    effect.takes.push(value);
                }
            }
            Role::Write => effect.writes.push(value),
            Role::WriteBlock(count) => effect.writes.extend((0..count).map(|n| value + n)),
            Role::Block(count) => {
                effect.reads.extend((0..count).map(|n| value + n));
                effect.takes.extend((0..count).map(|n| value + n));
            }
            _ => {}
        }
    }
    match instr.op {
        Op::Take | Op::ListToTuple | Op::WithExit => effect.takes.push(instr.b),
        Op::WithExcept => effect.takes.push(instr.b),
        Op::Clear => {
            effect.takes.append(&mut effect.writes);
        }
        Op::CheckBound => effect.optional.push(instr.a),
        Op::DelLocal => {
            effect.optional.push(instr.a);
            effect.takes.push(instr.a);
        }
        Op::MakeCell => effect.optional.push(instr.a),
        Op::YieldFrom => {
            effect.takes.push(instr.b);
            effect.writes.retain(|register| *register != instr.b);
        }
        Op::ForIter => effect.writes.retain(|register| *register != instr.b),
        Op::EndAsyncFor => {
            effect.takes.push(instr.a);
            effect.writes.clear();
        }
        Op::Call | Op::CallKw => {
            effect.receiver = Some(instr.b + 1);
            effect.optional.push(instr.b + 1);
        }
        Op::CallEx => {
            effect.optional.extend([instr.b + 1, instr.b + 3]);
        }
        Op::ImportStar | Op::SetLastValue | Op::Reraise | Op::PopExc => {
            effect.takes.push(instr.a);
        }
        Op::Raise => effect.takes.extend(effect.reads.clone()),
        Op::MatchExc | Op::MatchExcStar | Op::PrepReraiseStar | Op::MatchClass => {
            effect.takes.push(instr.c);
        }
        Op::FormatValue if instr.c & 4 != 0 => {
            if let Some(ext) = proto.instrs.get(at + 1) {
                effect.reads.push(ext.imm32() as u16);
                effect.takes.push(ext.imm32() as u16);
            }
        }
        Op::Intrinsic => effect.takes.push(instr.b),
        Op::MakeFunction => {
            // Only those registers that the flags name.
            effect.reads.clear();
            effect.takes.clear();
            for bit in 0..3 {
                if instr.x & 1 << bit != 0 {
                    effect.reads.push(instr.c + bit);
                    effect.takes.push(instr.c + bit);
                }
            }
        }
        _ => {}
    }
    let _ = (KA, KB, KC, Intrinsic::TypeVar);
    effect
}

fn flow(proto: &Compiled, problems: &mut Vec<String>) {
    let count = proto.instrs.len();
    let locals = proto.varnames.len();
    let words = usize::from(proto.nregs).div_ceil(64) + 1;
    let mut states: Vec<Option<State>> = vec![None; count];
    states[0] = Some(State {
        must: vec![0; words],
        may: vec![0; words],
    });
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        let Some(state) = states[at].clone() else {
            continue;
        };
        let instr = proto.instrs[at];
        let effect = effect(proto, at, instr);
        let mut after = state.clone();
        for register in &effect.takes {
            after.drop(usize::from(*register));
        }
        // An exception leaves the state before, perhaps without what was taken.
        let mut raised = state.clone();
        raised.must.clone_from(&after.must);
        if let Some(handler) = proto
            .handlers
            .iter()
            .find(|handler| (handler.start..handler.end).contains(&(at as u32)))
        {
            for register in usize::from(handler.depth)..usize::from(proto.nregs) {
                raised.drop(register);
            }
            raised.fill(usize::from(handler.register));
            arrive(&mut states, &mut work, handler.target as usize, &raised);
        }
        if instr.op == Op::Return
            && let Some(held) = (usize::from(instr.b)..usize::from(proto.nregs))
                .find(|&r| state.may(r) && (instr.x & KA != 0 || r != usize::from(instr.a)))
        {
            problems.push(format!(
                "{} at {at} (return): {held} may be held, above {}",
                proto.qualname, instr.b
            ));
        }
        if instr.op == Op::ForIter {
            let mut done = after.clone();
            done.drop(usize::from(instr.b));
            if let Some(target) = target(proto, at) {
                arrive(&mut states, &mut work, target as usize, &done);
            }
        }
        for register in &effect.writes {
            after.fill(usize::from(*register));
        }
        if instr.op != Op::ForIter
            && let Some(target) = target(proto, at)
        {
            arrive(&mut states, &mut work, target as usize, &after);
        }
        if !ends(instr.op) {
            let next = at + if has_ext(instr) { 2 } else { 1 };
            if next < count {
                arrive(&mut states, &mut work, next, &after);
            }
        }
    }
    for (at, state) in states.iter().enumerate() {
        let Some(state) = state else { continue };
        let instr = proto.instrs[at];
        let effect = effect(proto, at, instr);
        let mut report = |text: String| {
            problems.push(format!(
                "{} at {at} ({}): {text}",
                proto.qualname,
                instr.op.name()
            ));
        };
        for &register in &effect.reads {
            let index = usize::from(register);
            if index >= locals && !state.must(index) && !effect.optional.contains(&register) {
                report(format!("reads t{}, which may hold nothing", index - locals));
            }
        }
        if let Some(receiver) = effect.receiver {
            let index = usize::from(receiver);
            if state.may(index) && !state.must(index) {
                report(format!("t{} may or may not be self", index - locals));
            }
        }
        // The callee's registers begin in the window: what is above it must be free.
        let window_end = match instr.op {
            Op::Call | Op::CallKw => Some(usize::from(instr.b) + 2 + usize::from(instr.c)),
            Op::CallEx => Some(usize::from(instr.b) + 4),
            _ => None,
        };
        if let Some(end) = window_end
            && let Some(index) = (end..usize::from(proto.nregs)).find(|index| state.may(*index))
        {
            report(format!(
                "t{} above the window holds something",
                index - locals
            ));
        }
        if instr.op == Op::CallEx {
            let index = usize::from(instr.b) + 1;
            if state.may(index) {
                report(format!("t{} must hold nothing", index - locals));
            }
        }
    }
}

fn arrive(states: &mut [Option<State>], work: &mut Vec<usize>, at: usize, state: &State) {
    match &mut states[at] {
        Some(known) => {
            if known.merge(state) {
                work.push(at);
            }
        }
        empty => {
            *empty = Some(state.clone());
            work.push(at);
        }
    }
}
