//! The instruction loop.
//!
//! One `match` in one function; what changes with every instruction (`pc`, `r`) lives in locals, and nothing more: compiled WebAssembly has no registers for
//! it, and every further local is copied from stack slot to stack slot where ways through the loop meet. The handlers here are the frequent cases; everything
//! else is behind a call to a cold function of another room. An error leaves through one path (`throw!`) that finds the handler.
//!
//! # Safety
//!
//! This module trusts the compiler's output (registers below `nregs`, constants and caches in range, jumps to instructions), which the compiler's own validator
//! checks in its tests. `r` points to the registers of the frame on top of `Vm::frames`; they are initialised values, `UNDEF` where nothing is bound. The pointers are
//! loaded anew after everything that pushes or pops a frame.

use super::cache::Known;
use super::call::Entered;
use super::frame::{Frame, Mode, Running};
use super::ops::class_of;
use super::unwind::Unwound;
use super::{R, Vm};
use crate::builtins::async_steps::{self, AsyncStep};
use crate::builtins::iterators::{Pair, next_pair};
use crate::heap::attrs::Attrs;
use crate::heap::{self, Header, Kind};
use crate::objects::code::{Code, NO_COUNT};
use crate::objects::descriptors::Method;
use crate::objects::dict::{Dict, DictMap};
use crate::objects::exception::Exc;
use crate::objects::function::{Cell, Function};
use crate::objects::generator::{Generator, GeneratorKind, GeneratorStatus};
use crate::objects::iterators::{ListIter, RangeIter};
use crate::objects::list::List;
use crate::objects::native::{Call, MethodDescriptor, Native};
use crate::objects::set::Set;
use crate::objects::slots::{BinOp, CmpOp, UnOp};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::Type;
use crate::value::{Value, discard};
use coldframe_compiler::op::{ANY, DA, DB, DC, INPLACE, Instr, KA, KB, KC, Op, WHEN_TRUE};

/// Steps (back-edges and calls) between polls.
pub const POLL_INTERVAL: i32 = 1024;

/// Takes a register.
///
/// # Safety
/// `p` points to a live register.
#[inline(always)]
pub(super) unsafe fn take(p: *mut Value) -> Value {
    // SAFETY: by contract.
    unsafe { std::ptr::replace(p, Value::UNDEF) }
}

/// Stores an inline attribute that the cache knows. False when the instance is in another state than the cache thinks.
///
/// # Safety
/// The object has an attribute area whose value `index` is at `offset`.
#[inline(always)]
unsafe fn store_inline(h: &Header, offset: u32, index: u16, value: &Value) -> bool {
    // SAFETY: by contract: the head of the area is in front of value 0.
    let attrs = unsafe {
        &*((h as *const Header as *const u8)
            .add(offset as usize - index as usize * size_of::<Value>() - size_of::<Attrs>())
            as *const Attrs)
    };
    if attrs.dict().is_some() || index >= attrs.capacity() {
        return false;
    }
    // SAFETY: inside the area.
    let slot =
        unsafe { &mut *((h as *const Header as *mut u8).add(offset as usize) as *mut Value) };
    if slot.is_undef() {
        if index < attrs.len() {
            return false;
        }
        drop(attrs.replace(index, value.clone()));
    } else {
        let old = std::mem::replace(slot, value.clone());
        discard(old);
    }
    true
}

impl Vm {
    /// Runs the frame on top until it returns to native code.
    pub(crate) fn run(&mut self) -> R {
        self.run_above(self.frames.len())
    }

    /// Runs the frame on top until there are fewer than `floor` of them.
    pub(super) fn run_above(&mut self, floor: usize) -> R {
        let outer = self.running;
        // SAFETY: see the module's documentation.
        let result = unsafe { self.run_loop(floor) };
        self.running = outer;
        result
    }

    #[allow(
        unsafe_op_in_unsafe_fn,
        reason = "the whole loop rests on the one invariant of this module"
    )]
    #[allow(
        unused_assignments,
        reason = "`load_frame!` loads all of them, also where an error follows at once"
    )]
    unsafe fn run_loop(&mut self, floor: usize) -> R {
        let mut pc: *const Instr;
        let mut r: *mut Value;

        macro_rules! load_frame {
            () => {{
                let frame = self.frames.last().unwrap_unchecked();
                pc = frame.pc;
                r = frame.base;
                let code: &Code = &frame.code;
                self.running = Running {
                    consts: code.consts.as_ptr(),
                    caches: (*code.caches.as_ptr()).as_mut_ptr(),
                    globals: frame.function.globals.map.as_ptr(),
                };
            }};
        }
        macro_rules! save {
            () => {
                self.frames.last_mut().unwrap_unchecked().pc = pc
            };
        }
        load_frame!();

        'run: loop {
            let i = *pc;
            pc = pc.add(1);

            macro_rules! reg {
                ($n:expr) => {
                    &*r.add($n as usize)
                };
            }
            macro_rules! set {
                ($n:expr, $v:expr) => {{
                    let v: Value = $v;
                    discard(std::ptr::replace(r.add($n as usize), v));
                }};
            }
            macro_rules! throw {
                ($raised:expr) => {
                    throw!($raised, false)
                };
                ($raised:expr, $again:expr) => {{
                    let raised = $raised;
                    save!();
                    match self.unwind(raised, floor, $again) {
                        Unwound::Handler => {
                            load_frame!();
                            continue 'run;
                        }
                        Unwound::Out(raised) => return Err(raised),
                    }
                }};
            }
            macro_rules! tri {
                ($e:expr) => {
                    match $e {
                        Ok(v) => v,
                        Err(raised) => throw!(raised),
                    }
                };
            }
            macro_rules! rk_b {
                () => {
                    &*(if i.x & KB != 0 {
                        self.running.consts
                    } else {
                        r as *const Value
                    })
                    .add(i.b as usize)
                };
            }
            macro_rules! rk_c {
                () => {
                    &*(if i.x & KC != 0 {
                        self.running.consts
                    } else {
                        r as *const Value
                    })
                    .add(i.c as usize)
                };
            }
            macro_rules! rk_a {
                () => {
                    &*(if i.x & KA != 0 {
                        self.running.consts
                    } else {
                        r as *const Value
                    })
                    .add(i.a as usize)
                };
            }
            // Takes the operands that are flagged, unless they are the destination.
            macro_rules! drop_operands {
                () => {
                    if i.x & (DB | DC) != 0 {
                        if i.x & DB != 0 && i.b != i.a {
                            discard(take(r.add(i.b as usize)));
                        }
                        if i.x & DC != 0 && i.c != i.a {
                            discard(take(r.add(i.c as usize)));
                        }
                    }
                };
            }
            macro_rules! drop_b {
                () => {
                    if i.x & DB != 0 && i.b != i.a {
                        discard(take(r.add(i.b as usize)));
                    }
                };
            }
            // What a call of native code leaves in its window: callee, place of `self`, arguments.
            macro_rules! drop_window {
                ($base:expr, $count:expr) => {{
                    let base = $base;
                    discard(take(base));
                    discard(take(base.add(1)));
                    match $count {
                        0 => {}
                        1 => discard(take(base.add(2))),
                        count => super::call::drop_values(base.add(2), count as usize),
                    }
                }};
            }
            macro_rules! jump {
                ($offset:expr) => {{
                    let offset = $offset as isize;
                    pc = pc.offset(offset);
                    if offset < 0 && heap::spend_budget() {
                        save!();
                        tri!(self.poll_at_jump());
                    }
                }};
            }
            // Finalisers of what the instructions before have let go run here, not at the next poll only.
            macro_rules! finalize_due {
                () => {
                    if heap::is_finalization_due() {
                        save!();
                        tri!(self.finalize_due());
                    }
                };
            }
            // Reads the second word.
            macro_rules! ext {
                () => {{
                    let e = (*pc).imm32();
                    pc = pc.add(1);
                    e
                }};
            }
            macro_rules! arithmetic {
                ($op:expr, $int:expr, $float:expr) => {{
                    let (b, c) = (rk_b!(), rk_c!());
                    let result = if Value::both_small_int(b, c) {
                        match $int(b.small_int_unchecked(), c.small_int_unchecked()) {
                            Some(v) => v,
                            None => {
                                save!();
                                tri!(self.binary_slow($op, b, c, i.x & INPLACE != 0))
                            }
                        }
                    } else if b.is_float() && c.is_float() {
                        match $float(b.float_unchecked(), c.float_unchecked()) {
                            Some(v) => v,
                            None => {
                                save!();
                                tri!(self.binary_slow($op, b, c, i.x & INPLACE != 0))
                            }
                        }
                    } else {
                        save!();
                        tri!(self.binary_mixed($op, b, c, i.x & INPLACE != 0))
                    };
                    drop_operands!();
                    set!(i.a, result);
                }};
            }
            // `RK(b)` and a constant in the instruction.
            macro_rules! add_constant {
                ($op:expr, $sign:tt) => {{
                    let b = reg!(i.b);
                    let c = i.c as i16 as i64;
                    let v = if b.is_small_int() {
                        Value::int(b.small_int_unchecked() $sign c)
                    } else if b.is_float() {
                        Value::float(b.float_unchecked() $sign c as f64)
                    } else {
                        save!();
                        tri!(self.binary_slow($op, b, &Value::small_int(c), i.x & INPLACE != 0))
                    };
                    drop_b!();
                    set!(i.a, v)
                }};
            }
            macro_rules! plain_binary {
                ($op:expr) => {{
                    let (b, c) = (rk_b!(), rk_c!());
                    save!();
                    let result = tri!(self.binary_slow($op, b, c, i.x & INPLACE != 0));
                    drop_operands!();
                    set!(i.a, result);
                }};
            }
            macro_rules! bitwise {
                ($op:expr, $int:expr) => {{
                    let (b, c) = (rk_b!(), rk_c!());
                    let result = if Value::both_small_int(b, c) {
                        Value::small_int($int(b.small_int_unchecked(), c.small_int_unchecked()))
                    } else {
                        save!();
                        tri!(self.binary_slow($op, b, c, i.x & INPLACE != 0))
                    };
                    drop_operands!();
                    set!(i.a, result);
                }};
            }
            macro_rules! compare {
                ($op:expr, $cmp:tt) => {{
                    let (b, c) = (rk_b!(), rk_c!());
                    let result = if Value::both_small_int(b, c) {
                        Value::bool(b.small_int_unchecked() $cmp c.small_int_unchecked())
                    } else if b.is_float() && c.is_float() {
                        Value::bool(b.float_unchecked() $cmp c.float_unchecked())
                    } else {
                        save!();
                        tri!(self.compare_fast($op, b, c))
                    };
                    drop_operands!();
                    set!(i.a, result);
                }};
            }
            macro_rules! compare_jump {
                ($op:expr, $cmp:tt) => {{
                    let a = rk_a!();
                    let b = rk_b!();
                    let truth = if Value::both_small_int(a, b) {
                        a.small_int_unchecked() $cmp b.small_int_unchecked()
                    } else if a.is_float() && b.is_float() {
                        a.float_unchecked() $cmp b.float_unchecked()
                    } else {
                        save!();
                        let v = tri!(self.compare_fast($op, a, b));
                        tri!(self.truthy(&v))
                    };
                    drop_ab!();
                    branch!(truth);
                }};
            }
            macro_rules! drop_ab {
                () => {
                    if i.x & (DA | DB) != 0 {
                        if i.x & DA != 0 {
                            discard(take(r.add(i.a as usize)));
                        }
                        if i.x & DB != 0 {
                            discard(take(r.add(i.b as usize)));
                        }
                    }
                };
            }
            macro_rules! branch {
                ($truth:expr) => {{
                    if $truth == (i.x & WHEN_TRUE != 0) {
                        let offset = (*pc).imm32();
                        pc = pc.add(1);
                        jump!(offset);
                    } else {
                        pc = pc.add(1);
                    }
                }};
            }

            match i.op {
                Op::Nop | Op::Ext => {}
                Op::Move => set!(i.a, (*r.add(i.b as usize)).clone()),
                Op::Take => {
                    let v = take(r.add(i.b as usize));
                    set!(i.a, v)
                }
                Op::LoadConst => set!(i.a, (*self.running.consts.add(i.imm32() as usize)).clone()),
                Op::Clear => {
                    for n in 0..i.b as usize {
                        discard(take(r.add(i.a as usize + n)));
                    }
                    finalize_due!();
                }
                Op::CountLoop => {
                    if let Some(limit) = self.policy.while_iterations
                        && reg!(i.a).as_small_int().is_none_or(|n| n as u64 > limit)
                    {
                        save!();
                        throw!(self.stop_program(super::Stop::Iterations));
                    }
                }
                Op::CheckBound => {
                    if (*r.add(i.a as usize)).is_undef() {
                        throw!(self.unbound_local(i.a));
                    }
                }
                Op::DelLocal => {
                    if (*r.add(i.a as usize)).is_undef() {
                        throw!(self.unbound_local(i.a));
                    }
                    discard(take(r.add(i.a as usize)));
                    finalize_due!();
                }

                // ---- cells
                Op::MakeCell => {
                    let v = take(r.add(i.a as usize));
                    set!(i.a, Value::from_ref(Cell::new(v)))
                }
                Op::LoadCell => {
                    let cell = (*r.add(i.b as usize)).as_ref_unchecked::<Cell>();
                    let v = (*cell.contents.as_ptr()).clone();
                    if v.is_undef() {
                        throw!(self.unbound_local(i.b));
                    }
                    set!(i.a, v)
                }
                Op::StoreCell => {
                    let v = rk_b!().clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    let cell = (*r.add(i.a as usize)).as_ref_unchecked::<Cell>();
                    let old = std::mem::replace(&mut *cell.contents.as_ptr(), v);
                    discard(old);
                }
                Op::DelCell => {
                    let cell = (*r.add(i.a as usize)).as_ref_unchecked::<Cell>();
                    let old = (*cell.contents.as_ptr()).take();
                    if old.is_undef() {
                        throw!(self.unbound_local(i.a));
                    }
                }
                Op::LoadFree => {
                    let frame = self.frames.last().unwrap_unchecked();
                    let cell = frame.function.closure.get_unchecked(i.b as usize);
                    let v = (*cell.contents.as_ptr()).clone();
                    if v.is_undef() {
                        throw!(self.unbound_free(i.b));
                    }
                    set!(i.a, v)
                }
                Op::StoreFree => {
                    let v = rk_b!().clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    let frame = self.frames.last().unwrap_unchecked();
                    let cell = frame.function.closure.get_unchecked(i.a as usize);
                    let old = std::mem::replace(&mut *cell.contents.as_ptr(), v);
                    discard(old);
                }
                Op::DelFree => {
                    let frame = self.frames.last().unwrap_unchecked();
                    let cell = frame.function.closure.get_unchecked(i.a as usize);
                    let old = (*cell.contents.as_ptr()).take();
                    if old.is_undef() {
                        throw!(self.unbound_free(i.a));
                    }
                }

                // ---- globals and names
                Op::LoadGlobal => {
                    finalize_due!();
                    let cache = &mut *self.running.caches.add(i.b as usize);
                    let map = &*self.running.globals;
                    if map.known_version() == cache.quick_version
                        && let Some(e) = map.entry(cache.quick_at as usize)
                    {
                        set!(i.a, e.value.clone());
                        continue 'run;
                    }
                    let mut found = Value::UNDEF;
                    if let Known::Builtin {
                        globals,
                        version,
                        slot,
                    } = cache.known()
                        && map.known_version() == *globals
                    {
                        let frame = self.frames.last().unwrap_unchecked();
                        let map = &*frame.function.builtins.map.as_ptr();
                        if map.known_version() == *version
                            && let Some(e) = map.entry(*slot as usize)
                        {
                            found = e.value.clone();
                        }
                    }
                    if found.is_undef() {
                        found = tri!(self.load_global(cache));
                    }
                    set!(i.a, found)
                }
                Op::StoreGlobal => {
                    let v = rk_b!().clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    let cache = &mut *self.running.caches.add(i.c as usize);
                    match cache.known() {
                        Known::Global { version, slot }
                            if (*self.running.globals).known_version() == *version =>
                        {
                            let old = (*(self.running.globals as *mut DictMap))
                                .replace_value(*slot as usize, v);
                            discard(old);
                        }
                        _ => self.store_global(cache, v),
                    }
                    finalize_due!();
                }
                Op::DelGlobal => {
                    let name = (*self.running.caches.add(i.b as usize)).name.clone();
                    let dict = self
                        .frames
                        .last()
                        .unwrap_unchecked()
                        .function
                        .globals
                        .clone();
                    if dict.remove_str(self, &name).is_none() {
                        let text = format!("name '{}' is not defined", name.to_text());
                        throw!(self.name_error(Exc::NameError, &name, text));
                    }
                    finalize_due!();
                }
                Op::LoadName => {
                    save!();
                    let v = tri!(self.load_name(&*self.running.consts.add(i.b as usize)));
                    set!(i.a, v)
                }
                Op::StoreName => {
                    save!();
                    let v = rk_b!().clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    tri!(self.store_name(&*self.running.consts.add(i.a as usize), v))
                }
                Op::DelName => {
                    save!();
                    tri!(self.delete_name(&*self.running.consts.add(i.a as usize)));
                    finalize_due!();
                }
                Op::LoadNameOrFree => {
                    save!();
                    let v =
                        tri!(self.load_name_or_free(&*self.running.consts.add(i.b as usize), i.c));
                    set!(i.a, v)
                }
                Op::LoadFromOrGlobal => {
                    save!();
                    let v =
                        tri!(self.load_from_or_global(
                            reg!(i.b),
                            &*self.running.consts.add(i.c as usize)
                        ));
                    set!(i.a, v)
                }
                Op::LoadFromOrFree => {
                    let free = ext!();
                    save!();
                    let v = tri!(self.load_from_or_free(
                        reg!(i.b),
                        &*self.running.consts.add(i.c as usize),
                        free as u16
                    ));
                    set!(i.a, v)
                }
                Op::LoadLocals => {
                    let v = tri!(self.frame_namespace());
                    set!(i.a, v)
                }

                // ---- attributes
                Op::LoadAttr => {
                    let obj = reg!(i.b);
                    let cache = &mut *self.running.caches.add(i.c as usize);
                    let mut found = Value::UNDEF;
                    if let Some(h) = obj.header() {
                        if h.class().known_version() == cache.quick_version {
                            let place = (h as *const Header as *const u8)
                                .add(cache.quick_at as usize)
                                as *const Value;
                            if !(*place).is_undef() {
                                let v = (*place).clone();
                                drop_b!();
                                set!(i.a, v);
                                continue 'run;
                            }
                        } else if h.class().known_version() == cache.second_version {
                            let place = (h as *const Header as *const u8)
                                .add(cache.second_at as usize)
                                as *const Value;
                            if !(*place).is_undef() {
                                let v = (*place).clone();
                                drop_b!();
                                set!(i.a, v);
                                continue 'run;
                            }
                        }
                        match cache.known() {
                            Known::ModuleAttr { version, slot } if h.kind() == Kind::Module => {
                                let map = &*obj
                                    .as_ref_unchecked::<crate::objects::module::Module>()
                                    .dict
                                    .map
                                    .as_ptr();
                                if map.known_version() == *version
                                    && let Some(e) = map.entry(*slot as usize)
                                {
                                    found = e.value.clone();
                                }
                            }
                            Known::Method { version, function }
                                if h.class().known_version() == *version
                                    && Attrs::of(h).is_none_or(|a| a.dict().is_none()) =>
                            {
                                found = Method::value(function.clone(), obj.clone());
                            }
                            Known::ClassValue { version, value }
                                if h.class().known_version() == *version
                                    && Attrs::of(h).is_none_or(|a| a.dict().is_none()) =>
                            {
                                found = value.clone();
                            }
                            Known::TypeAttr {
                                version,
                                meta,
                                value,
                            } if h.class().known_version() == *meta
                                && h.kind() == Kind::Type
                                && obj.as_ref_unchecked::<Type>().known_version() == *version =>
                            {
                                found = value.clone();
                            }
                            Known::ClassMethod {
                                version,
                                meta,
                                function,
                            } if h.class().known_version() == *meta
                                && h.kind() == Kind::Type
                                && obj.as_ref_unchecked::<Type>().known_version() == *version =>
                            {
                                found = Method::value(function.clone(), obj.clone());
                            }
                            &Known::Computed { version, getter }
                                if h.class().known_version() == version =>
                            {
                                save!();
                                found = tri!(self.load_computed(obj, getter, cache));
                            }
                            Known::Descriptor {
                                version,
                                descriptor,
                            } if h.class().known_version() == *version => {
                                let descriptor = descriptor.clone();
                                save!();
                                found = tri!(self.load_described(obj, &descriptor, cache));
                            }
                            Known::Property { version, getter }
                                if h.class().known_version() == *version =>
                            {
                                let getter = getter.clone();
                                let function = getter.as_ref_unchecked::<Function>().clone();
                                let code = (*function.code.as_ptr()).clone();
                                let receiver = obj.clone();
                                if i.x & DB != 0 {
                                    discard(take(r.add(i.b as usize)));
                                }
                                save!();
                                let base = self.stack_top();
                                if !self.stack.prepare(base, 64) {
                                    throw!(self.too_deep(""));
                                }
                                base.write(receiver);
                                match tri!(self.enter(
                                    function,
                                    code,
                                    base,
                                    1,
                                    &[],
                                    Mode::Store,
                                    i.a
                                )) {
                                    Entered::Frame => {
                                        load_frame!();
                                        continue 'run;
                                    }
                                    Entered::Value(v) => found = v,
                                }
                            }
                            _ => {}
                        }
                    }
                    if found.is_undef() {
                        save!();
                        found = tri!(self.load_attr_slow(obj, cache));
                    }
                    drop_b!();
                    set!(i.a, found)
                }
                Op::LoadMethod => {
                    let obj = reg!(i.b);
                    let cache = &mut *self.running.caches.add(i.c as usize);
                    let mut hit = None;
                    if let Known::Method { version, function } = cache.known() {
                        match obj.header() {
                            Some(h) => {
                                if h.class().known_version() == *version
                                    && Attrs::of(h).is_none_or(|a| a.dict().is_none())
                                {
                                    hit = Some((function.clone(), obj.clone()));
                                }
                            }
                            None => {
                                if class_of(obj).known_version() == *version {
                                    hit = Some((function.clone(), obj.clone()));
                                }
                            }
                        }
                    } else if let Known::ModuleAttr { version, slot } = cache.known()
                        && let Some(module) = obj.as_ref::<crate::objects::module::Module>()
                    {
                        let map = &*module.dict.map.as_ptr();
                        if map.known_version() == *version
                            && let Some(e) = map.entry(*slot as usize)
                        {
                            hit = Some((e.value.clone(), Value::UNDEF));
                        }
                    } else if let Some(h) = obj.header() {
                        match cache.known() {
                            Known::ClassMethod {
                                version,
                                meta,
                                function,
                            } if h.class().known_version() == *meta
                                && h.kind() == Kind::Type
                                && obj.as_ref_unchecked::<Type>().known_version() == *version =>
                            {
                                hit = Some((function.clone(), obj.clone()));
                            }
                            Known::TypeAttr {
                                version,
                                meta,
                                value,
                            } if h.class().known_version() == *meta
                                && h.kind() == Kind::Type
                                && obj.as_ref_unchecked::<Type>().known_version() == *version =>
                            {
                                hit = Some((value.clone(), Value::UNDEF));
                            }
                            Known::ClassValue { version, value }
                                if h.class().known_version() == *version
                                    && Attrs::of(h).is_none_or(|a| a.dict().is_none()) =>
                            {
                                hit = Some((value.clone(), Value::UNDEF));
                            }
                            _ => {}
                        }
                    }
                    let (f, me) = match hit {
                        Some(pair) => pair,
                        None => {
                            save!();
                            tri!(self.load_method_slow(obj, cache))
                        }
                    };
                    if i.x & DB != 0 && i.b != i.a && i.b != i.a + 1 {
                        discard(take(r.add(i.b as usize)));
                    }
                    set!(i.a, f);
                    set!(i.a + 1, me);
                }
                Op::StoreAttr => {
                    let obj = reg!(i.a);
                    let value = rk_b!();
                    let cache = &mut *self.running.caches.add(i.c as usize);
                    let mut done = false;
                    if let Some(h) = obj.header()
                        && h.class().known_version() == cache.quick_version
                        && let Known::Inline { offset, index, .. } = cache.known()
                    {
                        done = store_inline(h, *offset, *index, value);
                    }
                    if !done {
                        save!();
                        tri!(self.store_attr_slow(obj, value, cache));
                    }
                    drop_ab!();
                }
                Op::DelAttr => {
                    save!();
                    let name = (*self.running.caches.add(i.c as usize)).name.clone();
                    tri!(self.check_access(reg!(i.a), &name));
                    tri!(self.set_attr(reg!(i.a), &name.to_value(), None));
                    if i.x & DA != 0 {
                        discard(take(r.add(i.a as usize)));
                    }
                }
                Op::LoadSuperAttr | Op::LoadSuperMethod => {
                    save!();
                    let b = r.add(i.b as usize);
                    let (callable, class, me) = (take(b), take(b.add(1)), take(b.add(2)));
                    let cache = &mut *self.running.caches.add(i.c as usize);
                    let (f, receiver) = tri!(self.load_super(
                        &callable,
                        &class,
                        &me,
                        cache,
                        i.op == Op::LoadSuperMethod
                    ));
                    drop((callable, class, me));
                    set!(i.a, f);
                    if i.op == Op::LoadSuperMethod {
                        set!(i.a + 1, receiver);
                    }
                }

                // ---- subscripts
                Op::Subscr => {
                    let (obj, key) = (reg!(i.b), rk_c!());
                    let mut found = Value::UNDEF;
                    if let Some(h) = obj.header() {
                        if h.is_exact_kind(Kind::List) {
                            if let Some(n) = key.as_small_int() {
                                let items = &*obj.as_ref_unchecked::<List>().items.as_ptr();
                                let n = if n < 0 { n + items.len() as i64 } else { n };
                                if let Some(v) = items.get(n as usize) {
                                    found = v.clone();
                                }
                            }
                        } else if h.is_exact_kind(Kind::Dict) {
                            save!();
                            let dict = obj.as_ref_unchecked::<Dict>();
                            match tri!(dict.get_item(self, key)) {
                                Some(v) => found = v,
                                None => throw!(self.key_error(key)),
                            }
                        } else if h.is_exact_kind(Kind::Tuple) {
                            if let Some(n) = key.as_small_int() {
                                let items = obj.as_ref_unchecked::<Tuple>().items();
                                let n = if n < 0 { n + items.len() as i64 } else { n };
                                if let Some(v) = items.get(n as usize) {
                                    found = v.clone();
                                }
                            }
                        } else if h.is_exact_kind(Kind::Str)
                            && let Some(n) = key.as_small_int()
                        {
                            let s = obj.as_ref_unchecked::<Str>();
                            let n = if n < 0 { n + s.len() as i64 } else { n };
                            if n >= 0 && (n as usize) < s.len() {
                                found = Str::from_char(s.char_at(n as usize));
                            }
                        }
                    }
                    if found.is_undef() {
                        save!();
                        if self.has_own_getitem(obj) {
                            // A method written in Python runs in this loop.
                            let entered = tri!(self.enter_getitem(obj, key, i.a));
                            if let Some(entered) = entered {
                                drop_operands!();
                                match entered {
                                    Entered::Frame => load_frame!(),
                                    Entered::Value(v) => set!(i.a, v),
                                }
                                continue 'run;
                            }
                        }
                        found = tri!(self.get_item(obj, key));
                    }
                    drop_operands!();
                    set!(i.a, found)
                }
                Op::StoreSubscr => {
                    let (obj, key, value) = (reg!(i.a), rk_b!(), rk_c!());
                    let mut done = false;
                    if let Some(h) = obj.header() {
                        if h.is_exact_kind(Kind::List) {
                            if let Some(n) = key.as_small_int() {
                                let items = &mut *obj.as_ref_unchecked::<List>().items.as_ptr();
                                let n = if n < 0 { n + items.len() as i64 } else { n };
                                if let Some(slot) = items.get_mut(n as usize) {
                                    let old = std::mem::replace(slot, value.clone());
                                    discard(old);
                                    done = true;
                                }
                            }
                        } else if h.is_exact_kind(Kind::Dict) {
                            save!();
                            let dict = obj.as_ref_unchecked::<Dict>();
                            tri!(dict.set_item(self, key, value.clone()));
                            done = true;
                        }
                    }
                    let mut entered = None;
                    if !done {
                        save!();
                        if self.has_own_setitem(obj) {
                            entered = tri!(self.enter_setitem(obj, key, value));
                        }
                        if entered.is_none() {
                            tri!(self.set_item(obj, key, value));
                        }
                    }
                    drop_ab!();
                    if i.x & DC != 0 {
                        discard(take(r.add(i.c as usize)));
                    }
                    if let Some(Entered::Frame) = entered {
                        load_frame!();
                    }
                }
                Op::DelSubscr => {
                    save!();
                    tri!(self.del_item(reg!(i.a), rk_b!()));
                    drop_ab!();
                }
                Op::LoadSlice => {
                    save!();
                    let (lo, hi) = (take(r.add(i.c as usize)), take(r.add(i.c as usize + 1)));
                    let v = tri!(self.load_slice(reg!(i.b), lo, hi));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::StoreSlice => {
                    save!();
                    let (lo, hi) = (take(r.add(i.c as usize)), take(r.add(i.c as usize + 1)));
                    tri!(self.store_slice(reg!(i.a), reg!(i.b), lo, hi));
                    drop_ab!();
                }
                Op::BuildSlice => {
                    let b = r.add(i.b as usize);
                    let v =
                        crate::builtins::ranges::new_slice(take(b), take(b.add(1)), take(b.add(2)));
                    set!(i.a, v)
                }

                // ---- arithmetic
                Op::Add => {
                    let (b, c) = (rk_b!(), rk_c!());
                    if Value::both_small_int(b, c) {
                        let v = Value::int(b.small_int_unchecked() + c.small_int_unchecked());
                        drop_operands!();
                        set!(i.a, v);
                    } else if b.is_float() && c.is_float() {
                        let v = Value::float(b.float_unchecked() + c.float_unchecked());
                        drop_operands!();
                        set!(i.a, v);
                    } else if i.x & KB == 0
                        && (i.a == i.b || i.x & DB != 0)
                        && b.is_exact::<Str>()
                        && let Some(right) = c.as_ref::<Str>()
                        && !(i.x & KC == 0 && i.b == i.c)
                    {
                        // The left operand is about to be overwritten or dropped: append in place where nobody else holds it.
                        if !Str::append(&mut *r.add(i.b as usize), right) {
                            throw!(self.memory_error());
                        }
                        if i.x & DC != 0 && i.c != i.a {
                            discard(take(r.add(i.c as usize)));
                        }
                        if i.a != i.b {
                            let v = take(r.add(i.b as usize));
                            set!(i.a, v);
                        }
                    } else {
                        save!();
                        let v = tri!(self.binary_mixed(BinOp::Add, b, c, i.x & INPLACE != 0));
                        drop_operands!();
                        set!(i.a, v);
                    }
                }
                Op::Sub => arithmetic!(
                    BinOp::Sub,
                    |a: i64, b: i64| Some(Value::int(a - b)),
                    |a: f64, b: f64| Some(Value::float(a - b))
                ),
                Op::Mul => arithmetic!(
                    BinOp::Mul,
                    |a: i64, b: i64| if a as i32 as i64 == a && b as i32 as i64 == b {
                        // No overflow to look for, which WebAssembly has no instruction for.
                        Some(Value::int(a * b))
                    } else {
                        a.checked_mul(b)
                            .filter(|&p| Value::fits_small(p))
                            .map(Value::small_int)
                    },
                    |a: f64, b: f64| Some(Value::float(a * b))
                ),
                Op::Div => arithmetic!(
                    BinOp::Div,
                    // Both are below 2^53, so they and the quotient are exact or correctly rounded.
                    |a: i64, b: i64| if b != 0 {
                        Some(Value::float(a as f64 / b as f64))
                    } else {
                        None
                    },
                    |a: f64, b: f64| if b != 0.0 {
                        Some(Value::float(a / b))
                    } else {
                        None
                    }
                ),
                Op::FloorDiv => arithmetic!(
                    BinOp::FloorDiv,
                    |a: i64, b: i64| if b != 0 {
                        let q = a / b;
                        Some(Value::int(if a % b != 0 && (a < 0) != (b < 0) {
                            q - 1
                        } else {
                            q
                        }))
                    } else {
                        None
                    },
                    |_: f64, _: f64| None
                ),
                Op::Mod => arithmetic!(
                    BinOp::Mod,
                    |a: i64, b: i64| if b > 0 {
                        let m = a % b;
                        Some(Value::small_int(if m < 0 { m + b } else { m }))
                    } else if b < 0 {
                        let m = a % b;
                        Some(Value::small_int(if m > 0 { m + b } else { m }))
                    } else {
                        None
                    },
                    |_: f64, _: f64| None
                ),
                Op::Pow => plain_binary!(BinOp::Pow),
                Op::MatMul => plain_binary!(BinOp::MatMul),
                Op::And => bitwise!(BinOp::And, |a: i64, b: i64| a & b),
                Op::Or => bitwise!(BinOp::Or, |a: i64, b: i64| a | b),
                Op::Xor => bitwise!(BinOp::Xor, |a: i64, b: i64| a ^ b),
                Op::Shl => arithmetic!(
                    BinOp::Shl,
                    |a: i64, b: i64| if (0..13).contains(&b) {
                        Some(Value::int(a << b))
                    } else {
                        None
                    },
                    |_: f64, _: f64| None
                ),
                Op::Shr => arithmetic!(
                    BinOp::Shr,
                    |a: i64, b: i64| if b >= 0 {
                        Some(Value::small_int(a >> b.min(63)))
                    } else {
                        None
                    },
                    |_: f64, _: f64| None
                ),
                Op::AddInt => add_constant!(BinOp::Add, +),
                Op::SubInt => add_constant!(BinOp::Sub, -),

                // ---- unary
                Op::Neg => {
                    let b = reg!(i.b);
                    let v = if b.is_small_int() {
                        Value::int(-b.small_int_unchecked())
                    } else if b.is_float() {
                        Value::float(-b.float_unchecked())
                    } else {
                        save!();
                        tri!(self.unary(UnOp::Neg, b))
                    };
                    drop_b!();
                    set!(i.a, v)
                }
                Op::Pos => {
                    save!();
                    let v = tri!(self.unary(UnOp::Pos, reg!(i.b)));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::Invert => {
                    let b = reg!(i.b);
                    let v = if b.is_small_int() {
                        Value::small_int(!b.small_int_unchecked())
                    } else {
                        save!();
                        tri!(self.unary(UnOp::Invert, b))
                    };
                    drop_b!();
                    set!(i.a, v)
                }
                Op::Not => {
                    save!();
                    let v = tri!(self.truthy(reg!(i.b)));
                    drop_b!();
                    set!(i.a, Value::bool(!v))
                }

                // ---- comparison
                Op::Lt => compare!(CmpOp::Lt, <),
                Op::Le => compare!(CmpOp::Le, <=),
                Op::Eq => compare!(CmpOp::Eq, ==),
                Op::Ne => compare!(CmpOp::Ne, !=),
                Op::Gt => compare!(CmpOp::Gt, >),
                Op::Ge => compare!(CmpOp::Ge, >=),
                Op::Is => {
                    let v = Value::bool(rk_b!().is_same(rk_c!()));
                    drop_operands!();
                    set!(i.a, v)
                }
                Op::IsNot => {
                    let v = Value::bool(!rk_b!().is_same(rk_c!()));
                    drop_operands!();
                    set!(i.a, v)
                }
                Op::In | Op::NotIn => {
                    save!();
                    let found = tri!(self.contains_fast(rk_c!(), rk_b!()));
                    drop_operands!();
                    set!(i.a, Value::bool(found == (i.op == Op::In)))
                }

                // ---- jumps
                Op::Jump => jump!(i.imm32()),
                Op::JumpIfTrue | Op::JumpIfFalse => {
                    let v = reg!(i.a);
                    let truth = match v.as_bool() {
                        Some(b) => b,
                        None => {
                            save!();
                            tri!(self.truthy(v))
                        }
                    };
                    if i.x & DA != 0 {
                        discard(take(r.add(i.a as usize)));
                    }
                    if truth == (i.op == Op::JumpIfTrue) {
                        jump!(i.imm32());
                    }
                }
                Op::JumpIfNone | Op::JumpIfNotNone => {
                    let none = (*r.add(i.a as usize)).is_none();
                    if i.x & DA != 0 {
                        discard(take(r.add(i.a as usize)));
                    }
                    if none == (i.op == Op::JumpIfNone) {
                        jump!(i.imm32());
                    }
                }
                Op::JumpLt => compare_jump!(CmpOp::Lt, <),
                Op::JumpLe => compare_jump!(CmpOp::Le, <=),
                Op::JumpEq => compare_jump!(CmpOp::Eq, ==),
                Op::JumpNe => compare_jump!(CmpOp::Ne, !=),
                Op::JumpGt => compare_jump!(CmpOp::Gt, >),
                Op::JumpGe => compare_jump!(CmpOp::Ge, >=),
                Op::JumpIs => {
                    let truth = rk_a!().is_same(rk_b!());
                    drop_ab!();
                    branch!(truth);
                }
                Op::JumpIn => {
                    save!();
                    let truth = tri!(self.contains_fast(rk_b!(), rk_a!()));
                    drop_ab!();
                    branch!(truth);
                }

                // ---- iteration
                Op::GetIter => {
                    save!();
                    let v = tri!(self.get_iter(reg!(i.b)));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::ForIter => {
                    let it = reg!(i.b);
                    // The iterator is a heap object: `GetIter` made it.
                    let h = it.header_unchecked();
                    // The frequent iterators are told by another byte than the rest, lest the compiler make one jump table of all.
                    if h.is_exact_kind(Kind::RangeIter) {
                        let range = it.as_ref_unchecked::<RangeIter>();
                        let left = range.left.get();
                        if left > 0 {
                            let n = range.next.get();
                            range.left.set(left - 1);
                            range.next.set(n.wrapping_add(range.step));
                            pc = pc.add(1);
                            set!(i.a, Value::int(n));
                            continue 'run;
                        }
                    } else if h.is_exact_kind(Kind::ListIter) {
                        let iter = it.as_ref_unchecked::<ListIter>();
                        let n = iter.index.get();
                        let next = match &*iter.source.as_ptr() {
                            Some(list) => (&*list.items.as_ptr()).get(n).cloned(),
                            None => None,
                        };
                        if let Some(v) = next {
                            iter.index.set(n + 1);
                            pc = pc.add(1);
                            set!(i.a, v);
                            continue 'run;
                        }
                        drop(iter.source.borrow_mut().take());
                    } else {
                        match h.kind() {
                            Kind::Generator
                                if it.as_ref_unchecked::<Generator>().kind
                                    == GeneratorKind::Generator =>
                            {
                                let generator = it.as_ref_unchecked::<Generator>();
                                match (*generator.state.as_ptr()).status {
                                    GeneratorStatus::Finished => {}
                                    GeneratorStatus::Running => {
                                        throw!(self.value_error("generator already executing"))
                                    }
                                    _ => {
                                        save!();
                                        let generator = generator.clone();
                                        tri!(self.push_generator(
                                            &generator,
                                            Value::NONE,
                                            Mode::ForIter,
                                            i.a
                                        ));
                                        load_frame!();
                                        continue 'run;
                                    }
                                }
                            }
                            kind => {
                                save!();
                                // A pair that is unpacked at once need not become a tuple.
                                if matches!(kind, Kind::Enumerate | Kind::Zip | Kind::DictIter) {
                                    let unpack = *pc.add(1);
                                    if unpack.op == Op::Unpack
                                        && unpack.b == i.a
                                        && unpack.c == 2
                                        && unpack.x & DB != 0
                                    {
                                        match tri!(next_pair(self, it)) {
                                            Pair::Two(first, second) => {
                                                pc = pc.add(2);
                                                set!(unpack.a, first);
                                                set!(unpack.a + 1, second);
                                                continue 'run;
                                            }
                                            Pair::End => {
                                                discard(take(r.add(i.b as usize)));
                                                let offset = ext!();
                                                jump!(offset);
                                                continue 'run;
                                            }
                                            Pair::Unknown => {}
                                        }
                                    }
                                }
                                // In a thread that may have to wait in there, no native code is to be beneath it.
                                if self.threads.can_leave() {
                                    let it = it.clone();
                                    if tri!(self.ask(&it, i.a)) {
                                        load_frame!();
                                        continue 'run;
                                    }
                                }
                                match class_of(it).slots().next {
                                    Some(f) => match f(self, it) {
                                        Ok(v) if v.is_undef() => {}
                                        Ok(v) => {
                                            pc = pc.add(1);
                                            set!(i.a, v);
                                            continue 'run;
                                        }
                                        Err(raised) => {
                                            tri!(self.swallow(raised, Exc::StopIteration))
                                        }
                                    },
                                    None => throw!(self.type_error(format!(
                                        "'{}' object is not an iterator",
                                        class_of(it).name()
                                    ))),
                                }
                            }
                        }
                    }
                    discard(take(r.add(i.b as usize)));
                    let offset = ext!();
                    jump!(offset);
                }
                Op::GetAIter => {
                    save!();
                    let v = tri!(self.async_iter(reg!(i.b)));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::GetANext => {
                    save!();
                    let v = tri!(self.async_next(reg!(i.b)));
                    set!(i.a, v)
                }
                Op::EndAsyncFor => {
                    let e = take(r.add(i.a as usize));
                    if !self.is_instance_of(&e, Exc::StopAsyncIteration.class()) {
                        throw!(self.reraise(e), true);
                    }
                }

                // ---- calls
                Op::Call => {
                    let base = r.add(i.b as usize);
                    let callee = &*base;
                    let count = i.c as usize + !(*base.add(1)).is_undef() as usize;
                    let first = base.add(2 + i.c as usize - count);
                    if heap::spend_budget() {
                        save!();
                        tri!(self.poll());
                    }
                    if let Some(h) = callee.header() {
                        if h.is_exact_kind(Kind::Function) {
                            let function = callee.as_ref_unchecked::<Function>();
                            let code = &*function.code.as_ptr();
                            let wanted = code.plain_args.get();
                            if (count as u32 == wanted
                                || wanted != NO_COUNT
                                    && self.has_defaults(function, count, wanted as usize))
                                && self.frames.len() + self.native_depth < self.recursion_limit
                            {
                                let nregs = code.nregs as usize;
                                let frame = self.frames.last_mut().unwrap_unchecked();
                                frame.pc = pc;
                                let target = if frame.generator.is_none() {
                                    first
                                } else {
                                    // The registers of a generator are not on the stack: the arguments move there.
                                    let target = frame.top;
                                    if self.stack.prepare(target, nregs + 64) {
                                        std::ptr::copy_nonoverlapping(first, target, count);
                                        for n in 0..count {
                                            first.add(n).write(Value::UNDEF);
                                        }
                                    }
                                    target
                                };
                                if self.stack.prepare(target, nregs + 64) {
                                    if count as u32 != wanted {
                                        self.fill_defaults(
                                            function,
                                            target,
                                            count,
                                            wanted as usize,
                                        );
                                    }
                                    let code = code.clone();
                                    let function = match take(base).into_ref::<Function>() {
                                        Ok(f) => f,
                                        Err(_) => std::hint::unreachable_unchecked(),
                                    };
                                    r = target;
                                    pc = code.proto.instrs.as_ptr();
                                    self.running = Running {
                                        consts: code.consts.as_ptr(),
                                        caches: (*code.caches.as_ptr()).as_mut_ptr(),
                                        globals: function.globals.map.as_ptr(),
                                    };
                                    self.frames.push(Frame {
                                        function,
                                        code,
                                        base: target,
                                        top: target.add(nregs),
                                        pc,
                                        dst: i.a,
                                        mode: Mode::Store,
                                        generator: None,
                                        aux: Value::UNDEF,
                                        object: None,
                                    });
                                    continue 'run;
                                }
                            }
                        } else {
                            match h.kind() {
                                Kind::MethodDescriptor if count > 0 => {
                                    let d = callee.as_ref_unchecked::<MethodDescriptor>();
                                    let params = d.params;
                                    if let Call::Bound(f) = d.def.call
                                        && count >= params.min
                                        && count <= params.positional
                                        && params.required >> count == 0
                                        && self.is_instance_of(&*first, &d.owner)
                                    {
                                        save!();
                                        let v =
                                            tri!(f(self, std::slice::from_raw_parts(first, count)));
                                        drop_window!(base, i.c);
                                        set!(i.a, v);
                                        continue 'run;
                                    }
                                }
                                Kind::Native => {
                                    let native = callee.as_ref_unchecked::<Native>();
                                    let params = native.params;
                                    let (first, count) = if native.bound.is_undef() {
                                        (first, count)
                                    } else if count == i.c as usize {
                                        // A bound method: its receiver goes into the window's free place in front of the arguments.
                                        base.add(1).write(native.bound.clone());
                                        (base.add(1), count + 1)
                                    } else {
                                        (first, usize::MAX)
                                    };
                                    if let Call::Bound(f) = native.def.call
                                        && count >= params.min
                                        && count <= params.positional
                                        && params.required >> count == 0
                                    {
                                        save!();
                                        let v =
                                            tri!(f(self, std::slice::from_raw_parts(first, count)));
                                        drop_window!(base, i.c);
                                        set!(i.a, v);
                                        continue 'run;
                                    }
                                    if count == i.c as usize + 1 && !native.bound.is_undef() {
                                        discard(take(base.add(1)));
                                    }
                                }
                                _ => {}
                            }
                        }
                    }
                    save!();
                    match tri!(self.call_window(base, i.c as usize, &[], i.a)) {
                        Entered::Frame => load_frame!(),
                        Entered::Value(v) => set!(i.a, v),
                    }
                }
                Op::CallKw => {
                    let names = ext!();
                    save!();
                    if heap::spend_budget() {
                        tri!(self.poll());
                    }
                    let names = &*self.running.consts.add(names as usize);
                    let names = names.as_ref_unchecked::<Tuple>().items();
                    match tri!(self.call_window(r.add(i.b as usize), i.c as usize, names, i.a)) {
                        Entered::Frame => load_frame!(),
                        Entered::Value(v) => set!(i.a, v),
                    }
                }
                Op::CallEx => {
                    save!();
                    if heap::spend_budget() {
                        tri!(self.poll());
                    }
                    match tri!(self.call_expanded(r.add(i.b as usize), i.a)) {
                        Entered::Frame => load_frame!(),
                        Entered::Value(v) => set!(i.a, v),
                    }
                }
                Op::Return => {
                    let mut v = if i.x & KA != 0 {
                        (*self.running.consts.add(i.a as usize)).clone()
                    } else {
                        take(r.add(i.a as usize))
                    };
                    let frame = self.frames.last_mut().unwrap_unchecked();
                    if matches!(frame.mode, Mode::Store | Mode::Row) && frame.object.is_none() {
                        // The frequent case: a function that was called from here. (What a generator runs in has another mode.)
                        let frame = self.frames.pop_unchecked();
                        let (dst, mode) = ((*frame).dst, (*frame).mode);
                        // These two are all that such a frame owns, apart from its registers.
                        let function = (&raw const (*frame).function).read();
                        let code = (&raw const (*frame).code).read();
                        // By fours, because each turn of a loop looks at fuel and epoch.
                        let count = i.b as usize;
                        let mut next = r;
                        for _ in 0..count / 4 {
                            discard(take(next));
                            discard(take(next.add(1)));
                            discard(take(next.add(2)));
                            discard(take(next.add(3)));
                            next = next.add(4);
                        }
                        if count & 2 != 0 {
                            discard(take(next));
                            discard(take(next.add(1)));
                            next = next.add(2);
                        }
                        if count & 1 != 0 {
                            discard(take(next));
                        }
                        drop(code);
                        drop(function);
                        if mode == Mode::Row {
                            match self.next_in_row(Some(v)) {
                                Ok(true) => load_frame!(),
                                Ok(false) => return Ok(Value::NONE),
                                Err(raised) => return Err(raised),
                            }
                            continue 'run;
                        }
                        load_frame!();
                        set!(dst, v);
                        finalize_due!();
                        continue 'run;
                    }
                    frame.pc = pc;
                    let dst = frame.dst;
                    if frame.mode == Mode::Init {
                        if !v.is_none() {
                            let text = format!(
                                "__init__() should return None, not '{}'",
                                class_of(&v).name()
                            );
                            self.pop_frame();
                            load_frame!();
                            throw!(self.type_error(text));
                        }
                        v = frame.aux.clone();
                    }
                    match self.pop_frame().unwrap_unchecked() {
                        Mode::Native | Mode::Feed => return Ok(v),
                        Mode::Row => match self.next_in_row(Some(v)) {
                            Ok(true) => load_frame!(),
                            Ok(false) => return Ok(Value::NONE),
                            Err(raised) => return Err(raised),
                        },
                        Mode::Store | Mode::Init => {
                            load_frame!();
                            set!(dst, v);
                        }
                        Mode::ForIter => {
                            // The generator is exhausted: the loop ends. The saved pc is at the `Ext` word of the `ForIter`.
                            load_frame!();
                            let loop_instr = *pc.sub(1);
                            discard(take(r.add(loop_instr.b as usize)));
                            let offset = (*pc).imm32();
                            pc = pc.add(1);
                            pc = pc.offset(offset as isize);
                        }
                        Mode::Until => {
                            // The saved pc is at the `Ext` word here as well.
                            load_frame!();
                            let loop_instr = *pc.sub(1);
                            if tri!(self.is_answer(reg!(loop_instr.b), &v)) {
                                pc = pc.add(1);
                                set!(dst, v);
                            } else {
                                discard(take(r.add(loop_instr.b as usize)));
                                let offset = (*pc).imm32();
                                pc = pc.add(1);
                                pc = pc.offset(offset as isize);
                            }
                        }
                        Mode::YieldFrom => {
                            load_frame!();
                            let delegation = *pc.sub(1);
                            discard(take(r.add(delegation.b as usize)));
                            set!(delegation.a, v);
                        }
                        Mode::AsyncStep => {
                            load_frame!();
                            throw!(self.end_async_step());
                        }
                        Mode::Discard => load_frame!(),
                    }
                }

                // ---- building
                Op::BuildTuple => {
                    let b = r.add(i.b as usize);
                    let v = if i.c == 0 {
                        Tuple::empty()
                    } else {
                        Value::from_ref(Tuple::from_exact(
                            (0..i.c as usize).map(|n| take(b.add(n))),
                        ))
                    };
                    set!(i.a, v)
                }
                Op::BuildList => {
                    let b = r.add(i.b as usize);
                    let items: Vec<Value> = (0..i.c as usize).map(|n| take(b.add(n))).collect();
                    set!(i.a, List::value(items))
                }
                Op::BuildSet => {
                    save!();
                    let set = Set::new();
                    for n in 0..i.c as usize {
                        let key = take(r.add(i.b as usize + n));
                        tri!(crate::objects::set::add(self, &set.table, &key));
                    }
                    set!(i.a, Value::from_ref(set))
                }
                Op::BuildDict => {
                    save!();
                    let dict = Dict::new();
                    for n in 0..i.c as usize {
                        let p = r.add(i.b as usize + 2 * n);
                        let (key, value) = (take(p), take(p.add(1)));
                        tri!(dict.set_item(self, &key, value));
                    }
                    set!(i.a, Value::from_ref(dict))
                }
                Op::BuildString => {
                    let parts = std::slice::from_raw_parts(r.add(i.b as usize), i.c as usize);
                    let v = tri!(self.join_parts(parts));
                    super::call::drop_values(r.add(i.b as usize), i.c as usize);
                    set!(i.a, v)
                }
                Op::ListAppend => {
                    let list = (*r.add(i.a as usize)).as_ref_unchecked::<List>();
                    let v = rk_b!().clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    tri!(list.push(self, v));
                }
                Op::ListExtend => {
                    save!();
                    let list = (*r.add(i.a as usize)).as_ref_unchecked::<List>().clone();
                    let source = reg!(i.b);
                    let callee = (i.x & KC != 0).then(|| reg!(i.c));
                    tri!(self.list_extend(&list, source, callee));
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                }
                Op::ListToTuple => {
                    let list = take(r.add(i.b as usize));
                    let items =
                        std::mem::take(&mut *list.as_ref_unchecked::<List>().items.as_ptr());
                    drop(list);
                    set!(i.a, Tuple::value(items))
                }
                Op::StarArgs => {
                    save!();
                    let source = reg!(i.b);
                    let v = if source.is_exact::<Tuple>() {
                        source.clone()
                    } else {
                        tri!(self.star_args(source, reg!(i.c)))
                    };
                    drop_b!();
                    set!(i.a, v)
                }
                Op::SetAdd => {
                    save!();
                    let set = (*r.add(i.a as usize)).as_ref_unchecked::<Set>();
                    tri!(crate::objects::set::add(self, &set.table, rk_b!()));
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                }
                Op::SetUpdate => {
                    save!();
                    let set = (*r.add(i.a as usize)).as_ref_unchecked::<Set>().clone();
                    tri!(crate::objects::set::ops::update(
                        self,
                        &set.table,
                        reg!(i.b)
                    ));
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                }
                Op::DictSet => {
                    save!();
                    let dict = (*r.add(i.a as usize)).as_ref_unchecked::<Dict>();
                    tri!(dict.set_item(self, rk_b!(), rk_c!().clone()));
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    if i.x & DC != 0 {
                        discard(take(r.add(i.c as usize)));
                    }
                }
                Op::DictUpdate | Op::DictMerge => {
                    save!();
                    let dict = (*r.add(i.a as usize)).as_ref_unchecked::<Dict>().clone();
                    let callee = (i.op == Op::DictMerge).then(|| reg!(i.c));
                    tri!(self.dict_merge(&dict, reg!(i.b), callee));
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                }
                Op::Unpack => {
                    let source = (*r.add(i.b as usize)).clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    let n = i.c as usize;
                    if let Some(t) = source.as_exact::<Tuple>()
                        && t.items().len() == n
                    {
                        for (j, v) in t.items().iter().enumerate() {
                            set!(i.a as usize + j, v.clone());
                        }
                    } else if let Some(list) = source.as_exact::<List>()
                        && (&*list.items.as_ptr()).len() == n
                    {
                        for j in 0..n {
                            // What dies in a register runs no code, so the list stays as it is.
                            let v = (&*list.items.as_ptr()).get_unchecked(j).clone();
                            set!(i.a as usize + j, v);
                        }
                    } else {
                        save!();
                        let items = tri!(self.unpack(&source, n));
                        for (j, v) in items.into_iter().enumerate() {
                            set!(i.a as usize + j, v);
                        }
                    }
                }
                Op::UnpackEx => {
                    save!();
                    let source = (*r.add(i.b as usize)).clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    let items =
                        tri!(self.unpack_ex(&source, (i.c & 255) as usize, (i.c >> 8) as usize));
                    for (j, v) in items.into_iter().enumerate() {
                        set!(i.a as usize + j, v);
                    }
                }
                Op::FormatValue => {
                    let mut spec = Value::UNDEF;
                    if i.c & 4 != 0 {
                        let at = ext!();
                        spec = take(r.add(at as usize));
                    }
                    save!();
                    let v = tri!(self.format_value(reg!(i.b), (i.c & 3) as u8, &spec));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::BuildInterpolation | Op::BuildTemplate => {
                    save!();
                    let n = if i.op == Op::BuildTemplate { 2 } else { 4 };
                    let parts: Vec<Value> = (0..n).map(|j| take(r.add(i.b as usize + j))).collect();
                    let v = tri!(self.build_template(i.op == Op::BuildTemplate, parts));
                    set!(i.a, v)
                }

                // ---- functions, classes, imports
                Op::MakeFunction => {
                    let code = &*self.running.consts.add(i.b as usize);
                    let c = r.add(i.c as usize);
                    let defaults = if i.x & 1 != 0 { take(c) } else { Value::NONE };
                    let kwdefaults = if i.x & 2 != 0 {
                        take(c.add(1))
                    } else {
                        Value::NONE
                    };
                    let annotate = if i.x & 4 != 0 {
                        take(c.add(2))
                    } else {
                        Value::NONE
                    };
                    let v = self.make_function(
                        code.as_ref_unchecked::<Code>(),
                        r,
                        defaults,
                        kwdefaults,
                        annotate,
                    );
                    set!(i.a, v)
                }
                Op::LoadBuildClass => {
                    let name = &crate::names::Names::get().__build_class__;
                    save!();
                    match tri!(self.frame_builtin(name)) {
                        Some(f) => set!(i.a, f),
                        None => throw!(self.name_error(
                            Exc::NameError,
                            name,
                            "__build_class__ not found".to_owned()
                        )),
                    }
                }
                Op::Import => {
                    save!();
                    let (level, fromlist) =
                        (take(r.add(i.c as usize)), take(r.add(i.c as usize + 1)));
                    let v = tri!(self.import_statement(
                        &*self.running.consts.add(i.b as usize),
                        &level,
                        &fromlist
                    ));
                    set!(i.a, v)
                }
                Op::ImportFrom => {
                    save!();
                    let v =
                        tri!(self.import_from(reg!(i.b), &*self.running.consts.add(i.c as usize)));
                    set!(i.a, v)
                }
                Op::ImportStar => {
                    save!();
                    let module = take(r.add(i.a as usize));
                    tri!(self.import_star(&module));
                }

                // ---- exceptions
                Op::Raise => {
                    save!();
                    if i.c == 0 {
                        if self.handled.is_none() {
                            throw!(self.runtime_error("No active exception to reraise"));
                        }
                        let e = self.handled.clone();
                        throw!(self.reraise(e), true);
                    }
                    let value = take(r.add(i.a as usize));
                    let cause = (i.c == 2).then(|| take(r.add(i.b as usize)));
                    throw!(self.raise_statement(value, cause));
                }
                Op::Reraise => {
                    save!();
                    let e = take(r.add(i.a as usize));
                    throw!(self.reraise(e), true);
                }
                Op::PushExc => {
                    let e = (*r.add(i.b as usize)).clone();
                    let old = self.push_handled(e);
                    set!(i.a, old)
                }
                Op::PopExc => {
                    let e = take(r.add(i.a as usize));
                    self.pop_handled(e);
                }
                Op::MatchExc => {
                    save!();
                    let wanted = take(r.add(i.c as usize));
                    let hit = if i.x & ANY != 0 {
                        !self.is_final_answer(reg!(i.b))
                    } else {
                        tri!(self.exception_matches(reg!(i.b), &wanted))
                    };
                    drop(wanted);
                    set!(i.a, Value::bool(hit))
                }
                Op::MatchExcStar => {
                    save!();
                    let wanted = take(r.add(i.c as usize));
                    let (matched, rest) = tri!(self.match_group(reg!(i.b), &wanted));
                    set!(i.a, matched);
                    set!(i.b, rest);
                }
                Op::PrepReraiseStar => {
                    save!();
                    let list = take(r.add(i.c as usize));
                    let v = tri!(self.prepare_reraise(reg!(i.b), &list));
                    set!(i.a, v)
                }
                Op::LoadAssertionError => set!(i.a, Exc::AssertionError.class().to_value()),
                Op::WithEnter | Op::AsyncWithEnter => {
                    save!();
                    let (exit, entered) =
                        tri!(self.with_enter(reg!(i.b), i.op == Op::AsyncWithEnter, i.a + 1));
                    if i.x & DB != 0 && i.b != i.a && i.b != i.a + 1 {
                        discard(take(r.add(i.b as usize)));
                    }
                    set!(i.a, exit);
                    match entered {
                        Entered::Frame => load_frame!(),
                        Entered::Value(v) => set!(i.a + 1, v),
                    }
                }
                Op::WithExit => {
                    finalize_due!();
                    save!();
                    let exit = take(r.add(i.b as usize));
                    let nothing = [Value::NONE, Value::NONE, Value::NONE];
                    match tri!(self.enter_bound(&exit, &nothing, i.a)) {
                        Entered::Frame => load_frame!(),
                        Entered::Value(v) => set!(i.a, v),
                    }
                }
                Op::WithExcept => {
                    save!();
                    let exit = take(r.add(i.b as usize));
                    let e = (*r.add(i.c as usize)).clone();
                    let class = class_of(&e).to_value();
                    let traceback = tri!(crate::builtins::tracebacks::of_exception(self, &e));
                    if self.is_final_answer(reg!(i.c)) {
                        // A context manager cannot keep it in.
                        drop(tri!(self.call(&exit, &[class, e, traceback])));
                        set!(i.a, Value::FALSE);
                        continue 'run;
                    }
                    match tri!(self.enter_bound(&exit, &[class, e, traceback], i.a)) {
                        Entered::Frame => load_frame!(),
                        Entered::Value(v) => set!(i.a, v),
                    }
                }

                // ---- generators and coroutines
                Op::Yield => {
                    let mut v = rk_b!().clone();
                    if i.x & DB != 0 {
                        discard(take(r.add(i.b as usize)));
                    }
                    let frame = self.frames.last().unwrap_unchecked();
                    let mut at = pc.offset_from(frame.code.proto.instrs.as_ptr()) as u32;
                    if frame
                        .generator
                        .as_ref()
                        .is_some_and(|g| g.kind == GeneratorKind::AsyncGenerator)
                    {
                        if frame.mode == Mode::AsyncStep {
                            // What it yields is what its step gives.
                            self.suspend(at);
                            load_frame!();
                            let delegation = *pc.sub(1);
                            self.finish_async_step();
                            discard(take(r.add(delegation.b as usize)));
                            set!(delegation.a, v);
                            continue 'run;
                        }
                        v = crate::builtins::async_steps::wrap_async_yield(v);
                    }
                    if frame.mode == Mode::Feed {
                        save!();
                        match self.offer(v) {
                            Ok(None) => {
                                set!(i.a, Value::NONE);
                                continue 'run;
                            }
                            Ok(Some(back)) => v = back,
                            Err(raised) => {
                                self.suspend(at);
                                return Err(raised);
                            }
                        }
                    }
                    // A generator that delegates passes the value on to whoever resumed it.
                    loop {
                        let Some((mode, dst)) = self.suspend(at) else {
                            std::hint::unreachable_unchecked()
                        };
                        match mode {
                            Mode::Native | Mode::Feed | Mode::Row => return Ok(v),
                            Mode::ForIter => {
                                load_frame!();
                                pc = pc.add(1);
                                set!(dst, v);
                                break;
                            }
                            Mode::YieldFrom | Mode::AsyncStep => {
                                let frame = self.frames.last().unwrap_unchecked();
                                at = frame.pc.offset_from(frame.code.proto.instrs.as_ptr()) as u32
                                    - 1;
                            }
                            Mode::Store | Mode::Init | Mode::Discard | Mode::Until => {
                                std::hint::unreachable_unchecked()
                            }
                        }
                    }
                }
                Op::GetYieldFromIter => {
                    save!();
                    let v = tri!(self.yield_from_iter(reg!(i.b)));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::GetAwaitable => {
                    save!();
                    let v = tri!(self.get_awaitable(reg!(i.b), i.c));
                    drop_b!();
                    set!(i.a, v)
                }
                Op::YieldFrom => {
                    save!();
                    let frame = self.frames.last_mut().unwrap_unchecked();
                    let sent = match frame.aux.take() {
                        v if v.is_undef() => Value::NONE,
                        v => v,
                    };
                    let delegate = (*r.add(i.b as usize)).clone();
                    if let Some(inner) = delegate.as_ref::<Generator>()
                        && inner.kind != GeneratorKind::AsyncGenerator
                        && matches!(
                            (*inner.state.as_ptr()).status,
                            GeneratorStatus::Created | GeneratorStatus::Suspended
                        )
                        && (sent.is_none()
                            || (*inner.state.as_ptr()).status == GeneratorStatus::Suspended)
                    {
                        tri!(self.push_generator(inner, sent, Mode::YieldFrom, i.a));
                        load_frame!();
                        continue 'run;
                    }
                    if let Some(step) = delegate.as_ref::<AsyncStep>()
                        && let Some((generator, first)) =
                            async_steps::begin_in_place(self, step, &sent)
                    {
                        if let Err(raised) =
                            self.push_generator(&generator, first, Mode::AsyncStep, i.a)
                        {
                            self.finish_async_step();
                            throw!(raised);
                        }
                        load_frame!();
                        continue 'run;
                    }
                    match tri!(self.send_to(&delegate, sent)) {
                        super::generators::Resumed::Returned(v) => {
                            discard(take(r.add(i.b as usize)));
                            set!(i.a, v);
                        }
                        super::generators::Resumed::Yielded(v) => {
                            let frame = self.frames.last().unwrap_unchecked();
                            let mut at =
                                pc.offset_from(frame.code.proto.instrs.as_ptr()) as u32 - 1;
                            loop {
                                let Some((mode, dst)) = self.suspend(at) else {
                                    std::hint::unreachable_unchecked()
                                };
                                match mode {
                                    Mode::Native | Mode::Feed | Mode::Row => return Ok(v),
                                    Mode::ForIter => {
                                        load_frame!();
                                        pc = pc.add(1);
                                        set!(dst, v);
                                        break;
                                    }
                                    Mode::YieldFrom | Mode::AsyncStep => {
                                        let frame = self.frames.last().unwrap_unchecked();
                                        at = frame.pc.offset_from(frame.code.proto.instrs.as_ptr())
                                            as u32
                                            - 1;
                                    }
                                    Mode::Store | Mode::Init | Mode::Discard | Mode::Until => {
                                        std::hint::unreachable_unchecked()
                                    }
                                }
                            }
                        }
                    }
                }

                // ---- match
                Op::MatchSequence => {
                    let v = Value::bool(class_of(reg!(i.b)).flag(crate::objects::types::SEQUENCE));
                    set!(i.a, v)
                }
                Op::MatchMapping => {
                    let v = Value::bool(class_of(reg!(i.b)).flag(crate::objects::types::MAPPING));
                    set!(i.a, v)
                }
                Op::MatchKeys => {
                    save!();
                    let v = tri!(self.match_keys(reg!(i.b), reg!(i.c)));
                    set!(i.a, v)
                }
                Op::MatchClass => {
                    let names = ext!();
                    save!();
                    let class = take(r.add(i.c as usize));
                    let v = tri!(self.match_class(
                        reg!(i.b),
                        &class,
                        i.x as usize,
                        &*self.running.consts.add(names as usize)
                    ));
                    set!(i.a, v)
                }
                Op::GetLen => {
                    save!();
                    let n = tri!(self.len(reg!(i.b)));
                    set!(i.a, Value::int(n as i64))
                }
                Op::MatchRest => {
                    save!();
                    let v = tri!(self.match_rest(reg!(i.b), reg!(i.c)));
                    set!(i.a, v)
                }

                // ---- the rest
                Op::SetLastValue => {
                    let v = take(r.add(i.a as usize));
                    let old = self.last_value.replace(v);
                    drop(old);
                }
                Op::Intrinsic => {
                    save!();
                    let operands: Vec<Value> = vec![take(r.add(i.b as usize))];
                    let v = tri!(self.intrinsic(i.x, operands, r.add(i.c as usize)));
                    set!(i.a, v)
                }
            }
        }
    }
}
