//! `range` and `slice`: their classes, and how every sequence resolves a slice.

use crate::class_slot;
use crate::heap::{self, Payload, Ref};
use crate::names;
use crate::objects::iterators::RangeIter;
use crate::objects::native::{Def, receiver};
use crate::objects::range::{Range, Slice};
use crate::objects::slots::{CmpOp, Slots};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{ClassBuilder, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::BigInt;
use coldframe_numeric::hash::TupleHasher;
use num_bigint::Sign;
use num_traits::{One, Zero};
use std::cell::{Cell, RefCell};

/// Makes the classes.
pub(crate) fn init(vm: &mut Vm) {
    let range = ClassBuilder::new::<Range>("range")
        .flags(SEQUENCE)
        .slots(RANGE)
        .methods(vm, RANGE_METHODS);
    let range = range
        .getset(
            vm,
            "start",
            |_, v| Ok(receiver::<Range>(v).start.clone()),
            Some(read_only),
        )
        .getset(
            vm,
            "stop",
            |_, v| Ok(receiver::<Range>(v).stop.clone()),
            Some(read_only),
        )
        .getset(
            vm,
            "step",
            |_, v| Ok(receiver::<Range>(v).step.clone()),
            Some(read_only),
        );
    range.build(vm);
    let slice = ClassBuilder::new::<Slice>("slice")
        .slots(SLICE)
        .methods(vm, SLICE_METHODS);
    let slice = slice
        .getset(
            vm,
            "start",
            |_, v| Ok(receiver::<Slice>(v).start.clone()),
            Some(read_only),
        )
        .getset(
            vm,
            "stop",
            |_, v| Ok(receiver::<Slice>(v).stop.clone()),
            Some(read_only),
        )
        .getset(
            vm,
            "step",
            |_, v| Ok(receiver::<Slice>(v).step.clone()),
            Some(read_only),
        );
    slice.build(vm);
    ClassBuilder::new::<RangeIter>("range_iterator")
        .slots(RANGE_ITER)
        .methods(vm, RANGE_ITER_METHODS)
        .build(vm);
    ClassBuilder::new::<LongRangeIter>("longrange_iterator")
        .slots(LONG_RANGE_ITER)
        .methods(vm, LONG_RANGE_ITER_METHODS)
        .build(vm);
}

/// The setter of an attribute that CPython keeps in a read-only structure member.
pub fn read_only(vm: &mut Vm, _: &Value, _: Option<&Value>) -> R<()> {
    Err(vm.raise(
        crate::objects::exception::Exc::AttributeError,
        "readonly attribute",
    ))
}

/// The builtin of this name as it is now: what `__reduce__` of the iterators names (`iter`, `reversed`).
pub fn builtin(vm: &mut Vm, name: &str) -> R {
    match vm
        .builtins
        .clone()
        .get_str(vm, &names::intern(name))
        .cloned()
    {
        Some(f) => Ok(f),
        None => Err(vm.raise(
            crate::objects::exception::Exc::AttributeError,
            format!("module 'builtins' has no attribute '{name}'"),
        )),
    }
}

// ---- resolving slices

/// A bound of a slice: `None` gives the default, an index is clamped to 64 bits.
fn slice_index(vm: &mut Vm, v: &Value, default: i64) -> R<i64> {
    if let Some(i) = v.as_small_int() {
        return Ok(i);
    }
    if v.is_none() {
        return Ok(default);
    }
    if v.as_int().is_none() && class_of(v).slots().index.is_none() {
        return Err(
            vm.type_error("slice indices must be integers or None or have an __index__ method")
        );
    }
    vm.index_clamped(v)
}

/// A bound of a slice that is `None`, which gives the default, or a small number.
#[inline(always)]
pub fn plain_bound(v: &Value, default: i64) -> Option<i64> {
    if v.is_none() {
        return Some(default);
    }
    v.as_small_int()
}

/// The numbers of a slice before a length is known. May run Python code (`__index__`).
#[inline]
pub fn slice_unpack(vm: &mut Vm, slice: &Slice) -> R<(i64, i64, i64)> {
    if slice.step.is_none()
        && let Some(start) = plain_bound(&slice.start, 0)
        && let Some(stop) = plain_bound(&slice.stop, i64::MAX)
    {
        return Ok((start, stop, 1));
    }
    unpack_any(vm, slice)
}

#[inline(never)]
fn unpack_any(vm: &mut Vm, slice: &Slice) -> R<(i64, i64, i64)> {
    let step = slice_index(vm, &slice.step, 1)?;
    if step == 0 {
        return Err(vm.value_error("slice step cannot be zero"));
    }
    // So that `-step` never overflows.
    let step = step.max(-i64::MAX);
    let start = slice_index(vm, &slice.start, if step < 0 { i64::MAX } else { 0 })?;
    let stop = slice_index(vm, &slice.stop, if step < 0 { i64::MIN } else { i64::MAX })?;
    Ok((start, stop, step))
}

/// Fits the numbers of a slice to a length: start, stop and the number of items.
#[inline]
pub fn slice_adjust(len: usize, start: i64, stop: i64, step: i64) -> (i64, i64, usize) {
    let len = len as i64;
    let fit = |i: i64| {
        let i = if i < 0 { i.saturating_add(len) } else { i };
        if i < 0 {
            if step < 0 { -1 } else { 0 }
        } else if i >= len {
            if step < 0 { len - 1 } else { len }
        } else {
            i
        }
    };
    let (start, stop) = (fit(start), fit(stop));
    let count = if step < 0 {
        if stop < start {
            (start - stop - 1) / -step + 1
        } else {
            0
        }
    } else if start < stop {
        (stop - start - 1) / step + 1
    } else {
        0
    };
    (start, stop, count as usize)
}

/// Start, stop, step and number of items of a slice of a sequence whose length cannot change meanwhile (`str`, `tuple`, `bytes`).
pub fn slice_bounds(vm: &mut Vm, slice: &Slice, len: usize) -> R<(i64, i64, i64, usize)> {
    let (start, stop, step) = slice_unpack(vm, slice)?;
    let (start, stop, count) = slice_adjust(len, start, stop, step);
    Ok((start, stop, step, count))
}

// ---- slice

/// A new slice.
pub fn new_slice(start: Value, stop: Value, step: Value) -> Value {
    Value::from_ref(heap::alloc(Slice { start, stop, step }))
}

const SLICE: Slots = Slots {
    repr: Some(slice_repr),
    hash: Some(slice_hash),
    compare: Some(slice_compare),
    new: Some(slice_new),
    ..Slots::NONE
};

static SLICE_METHODS: &[Def] = &[
    Def::method("indices", "(self, object, /)", slice_indices),
    Def::method("__reduce__", "(self, /)", |_, args| {
        let s = receiver::<Slice>(&args[0]);
        let parts = Tuple::value(vec![s.start.clone(), s.stop.clone(), s.step.clone()]);
        Ok(Tuple::value(vec![class_of(&args[0]).to_value(), parts]))
    }),
];

fn slice_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    if !args.names().is_empty() {
        return Err(vm.type_error("slice() takes no keyword arguments"));
    }
    Ok(match args.exactly(vm, "slice", 1, 3)? {
        [stop] => new_slice(Value::NONE, stop.clone(), Value::NONE),
        [start, stop] => new_slice(start.clone(), stop.clone(), Value::NONE),
        many => new_slice(many[0].clone(), many[1].clone(), many[2].clone()),
    })
}

fn slice_repr(vm: &mut Vm, v: &Value) -> R {
    let s = receiver::<Slice>(v).clone();
    let text = format!(
        "slice({}, {}, {})",
        vm.repr(&s.start)?.to_text(),
        vm.repr(&s.stop)?.to_text(),
        vm.repr(&s.step)?.to_text()
    );
    Ok(Str::value(&text))
}

fn slice_hash(vm: &mut Vm, v: &Value) -> R<i64> {
    let s = receiver::<Slice>(v).clone();
    let mut hasher = TupleHasher::new();
    for part in [&s.start, &s.stop, &s.step] {
        hasher.add(vm.hash(part)?);
    }
    Ok(hasher.finish())
}

fn slice_compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Slice>().cloned(), b.as_ref::<Slice>().cloned()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    for (p, q) in [(&x.start, &y.start), (&x.stop, &y.stop), (&x.step, &y.step)] {
        if !vm.eq(p, q)? {
            return match op {
                CmpOp::Eq => Ok(Value::FALSE),
                CmpOp::Ne => Ok(Value::TRUE),
                _ => vm.compare(op, p, q),
            };
        }
    }
    Ok(Value::bool(op.holds(std::cmp::Ordering::Equal)))
}

/// A bound of a slice as a big integer, `None` for `None`.
fn big_index(vm: &mut Vm, v: &Value) -> R<Option<BigInt>> {
    if v.is_none() {
        return Ok(None);
    }
    if v.as_int().is_none() && class_of(v).slots().index.is_none() {
        return Err(
            vm.type_error("slice indices must be integers or None or have an __index__ method")
        );
    }
    let i = vm.index(v)?;
    Ok(i.as_int().map(|i| i.to_big()))
}

/// Start, stop and step of a slice for a length of any size, as `slice.indices` gives them.
fn big_slice(vm: &mut Vm, slice: &Slice, len: &BigInt) -> R<(BigInt, BigInt, BigInt)> {
    let step = big_index(vm, &slice.step)?.unwrap_or_else(BigInt::one);
    if step.is_zero() {
        return Err(vm.value_error("slice step cannot be zero"));
    }
    let down = step.sign() == Sign::Minus;
    // What a bound may be at least and at most.
    let lower = if down { -BigInt::one() } else { BigInt::zero() };
    let upper = if down {
        len - BigInt::one()
    } else {
        len.clone()
    };
    let fit = |vm: &mut Vm, v: &Value, default: &BigInt| -> R<BigInt> {
        Ok(match big_index(vm, v)? {
            None => default.clone(),
            Some(i) if i.sign() == Sign::Minus => (i + len).max(lower.clone()),
            Some(i) => i.min(upper.clone()),
        })
    };
    let start = fit(vm, &slice.start, if down { &upper } else { &lower })?;
    let stop = fit(vm, &slice.stop, if down { &lower } else { &upper })?;
    Ok((start, stop, step))
}

fn slice_indices(vm: &mut Vm, args: &[Value]) -> R {
    let slice = receiver::<Slice>(&args[0]).clone();
    let len = vm.index(&args[1])?;
    let Some(len) = len.as_int().map(|i| i.to_big()) else {
        return Ok(Value::NONE);
    };
    if len.sign() == Sign::Minus {
        return Err(vm.value_error("length should not be negative"));
    }
    let (start, stop, step) = big_slice(vm, &slice, &len)?;
    Ok(Tuple::value(vec![
        Value::bigint(start),
        Value::bigint(stop),
        Value::bigint(step),
    ]))
}

// ---- range

impl Range {
    /// A new range; `step` is not zero, and all are exact integers.
    pub fn value(start: Value, stop: Value, step: Value) -> Value {
        let length = match (
            start.as_small_int(),
            stop.as_small_int(),
            step.as_small_int(),
        ) {
            // Small integers have 50 bits: their differences fit 64.
            (Some(a), Some(b), Some(s)) => Value::int(if s > 0 && a < b {
                (b - a - 1) / s + 1
            } else if s < 0 && b < a {
                (a - b - 1) / -s + 1
            } else {
                0
            }),
            _ => Value::bigint(length_of(&big(&start), &big(&stop), &big(&step))),
        };
        Value::from_ref(heap::alloc(Range {
            start,
            stop,
            step,
            length,
        }))
    }

    /// Start, step and length, when all are inline integers.
    #[inline]
    fn small(&self) -> Option<(i64, i64, i64)> {
        Some((
            self.start.as_small_int()?,
            self.step.as_small_int()?,
            self.length.as_small_int()?,
        ))
    }

    /// The items, when all numbers are small.
    pub fn small_items(&self) -> Option<impl ExactSizeIterator<Item = Value>> {
        let (start, step, len) = self.small()?;
        let len = u32::try_from(len).ok()?;
        Some((0..len).map(move |i| Value::int(start + i as i64 * step)))
    }

    /// The item at an index that is known to be in range.
    fn item(&self, index: &BigInt) -> Value {
        Value::bigint(big(&self.start) + index * big(&self.step))
    }

    /// An iterator over these numbers.
    fn iterator(start: &Value, step: &Value, length: &Value) -> Value {
        match (
            start.as_int().and_then(|i| i.to_i64()),
            step.as_int().and_then(|i| i.to_i64()),
            length.as_int().and_then(|i| i.to_i64()),
        ) {
            // The last number must fit too.
            (Some(a), Some(s), Some(n))
                if n.checked_sub(1)
                    .and_then(|n| n.checked_mul(s))
                    .and_then(|d| a.checked_add(d))
                    .is_some() =>
            {
                Value::from_ref(heap::alloc(RangeIter {
                    next: Cell::new(a),
                    step: s,
                    left: Cell::new(n as u64),
                }))
            }
            _ => Value::from_ref(heap::alloc(LongRangeIter {
                next: RefCell::new(big(start)),
                step: big(step),
                left: RefCell::new(big(length)),
            })),
        }
    }
}

fn big(v: &Value) -> BigInt {
    v.as_int().map_or_else(BigInt::zero, |i| i.to_big())
}

fn length_of(start: &BigInt, stop: &BigInt, step: &BigInt) -> BigInt {
    let (low, high, step) = if step.sign() == Sign::Minus {
        (stop, start, -step)
    } else {
        (start, stop, step.clone())
    };
    if low >= high {
        BigInt::zero()
    } else {
        (high - low - BigInt::one()) / step + BigInt::one()
    }
}

const RANGE: Slots = Slots {
    repr: Some(range_repr),
    hash: Some(range_hash),
    compare: Some(range_compare),
    iter: Some(|_, v| {
        let r = receiver::<Range>(v);
        Ok(Range::iterator(&r.start, &r.step, &r.length))
    }),
    len: Some(range_len),
    getitem: Some(range_getitem),
    contains: Some(range_contains),
    bool: Some(|_, v| Ok(receiver::<Range>(v).length.as_small_int() != Some(0))),
    new: Some(range_new),
    ..Slots::NONE
};

static RANGE_METHODS: &[Def] = &[
    Def::method("__reversed__", "(self, /)", |_, args| {
        let r = receiver::<Range>(&args[0]);
        let last = match r.small() {
            Some((start, step, len)) => step
                .checked_mul(len - 1)
                .and_then(|distance| start.checked_add(distance))
                .map(Value::int),
            None => None,
        };
        let last = last.unwrap_or_else(|| r.item(&(big(&r.length) - BigInt::one())));
        Ok(Range::iterator(
            &last,
            &Value::bigint(-big(&r.step)),
            &r.length,
        ))
    }),
    Def::method("__reduce__", "(self, /)", |_, args| {
        let r = receiver::<Range>(&args[0]);
        let parts = Tuple::value(vec![r.start.clone(), r.stop.clone(), r.step.clone()]);
        Ok(Tuple::value(vec![Range::class().to_value(), parts]))
    }),
    Def::method("count", "(self, object, /)", |vm, args| {
        if args[1].as_int().is_some() && is_plain_int(&args[1]) {
            return Ok(Value::small_int(
                place_in(receiver::<Range>(&args[0]), &args[1]).is_some() as i64,
            ));
        }
        let mut count = 0;
        vm.for_each(&args[0], |vm, item| {
            vm.poll_native()?;
            count += vm.eq(&item, &args[1])? as i64;
            Ok(())
        })?;
        Ok(Value::int(count))
    }),
    Def::method("index", "(self, object, /)", |vm, args| {
        if is_plain_int(&args[1]) {
            return match place_in(receiver::<Range>(&args[0]), &args[1]) {
                Some(place) => Ok(place),
                None => {
                    let text = format!("{} is not in range", vm.repr(&args[1])?.to_text());
                    Err(vm.value_error(text))
                }
            };
        }
        let it = vm.get_iter(&args[0])?;
        let mut index = 0;
        while let Some(item) = vm.iter_next(&it)? {
            vm.poll_native()?;
            if vm.eq(&item, &args[1])? {
                return Ok(Value::int(index));
            }
            index += 1;
        }
        Err(vm.value_error("sequence.index(x): x not in sequence"))
    }),
];

/// Whether membership can be calculated: an exact `int` or a `bool`, which compare as numbers.
fn is_plain_int(v: &Value) -> bool {
    v.is_exact_int() || v.is_bool()
}

/// The place of a number in a range.
fn place_in(r: &Range, v: &Value) -> Option<Value> {
    let number = v.as_int()?;
    if let (Some((start, step, len)), Some(n)) = (r.small(), number.to_i64()) {
        let distance = n.checked_sub(start)?;
        if distance % step != 0 {
            return None;
        }
        let place = distance / step;
        return (place >= 0 && place < len).then(|| Value::int(place));
    }
    let distance = number.to_big() - big(&r.start);
    let step = big(&r.step);
    let place = &distance / &step;
    (&place * step == distance && place.sign() != Sign::Minus && place < big(&r.length))
        .then(|| Value::bigint(place))
}

fn range_new(vm: &mut Vm, _: &Ref<Type>, args: Args) -> R {
    if !args.names().is_empty() {
        return Err(vm.type_error("range() takes no keyword arguments"));
    }
    match args.exactly(vm, "range", 1, 3)? {
        [stop] => {
            let stop = vm.index(stop)?;
            Ok(Range::value(Value::small_int(0), stop, Value::small_int(1)))
        }
        [start, stop, rest @ ..] => {
            let (start, stop) = (vm.index(start)?, vm.index(stop)?);
            let step = match rest.first() {
                Some(step) => vm.index(step)?,
                None => Value::small_int(1),
            };
            if step.as_small_int() == Some(0) {
                return Err(vm.value_error("range() arg 3 must not be zero"));
            }
            Ok(Range::value(start, stop, step))
        }
        [] => Ok(Value::NONE),
    }
}

fn range_repr(vm: &mut Vm, v: &Value) -> R {
    let r = receiver::<Range>(v).clone();
    let (start, stop) = (vm.repr(&r.start)?, vm.repr(&r.stop)?);
    let text = if r.step.as_small_int() == Some(1) {
        format!("range({}, {})", start.to_text(), stop.to_text())
    } else {
        format!(
            "range({}, {}, {})",
            start.to_text(),
            stop.to_text(),
            vm.repr(&r.step)?.to_text()
        )
    };
    Ok(Str::value(&text))
}

fn range_hash(vm: &mut Vm, v: &Value) -> R<i64> {
    // Equal ranges have equal numbers: of an empty one only the length counts, of one number only it.
    let r = receiver::<Range>(v).clone();
    let length = r.length.as_small_int();
    let parts = [
        r.length.clone(),
        if length == Some(0) {
            Value::NONE
        } else {
            r.start.clone()
        },
        if matches!(length, Some(0 | 1)) {
            Value::NONE
        } else {
            r.step.clone()
        },
    ];
    let mut hasher = TupleHasher::new();
    for part in &parts {
        hasher.add(vm.hash(part)?);
    }
    Ok(hasher.finish())
}

fn same_int(a: &Value, b: &Value) -> bool {
    a.is_same(b) || (a.is_ref() && b.is_ref() && big(a) == big(b))
}

fn range_compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Range>(), b.as_ref::<Range>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let length = x.length.as_small_int();
    let same = same_int(&x.length, &y.length)
        && (length == Some(0)
            || (same_int(&x.start, &y.start) && (length == Some(1) || same_int(&x.step, &y.step))));
    Ok(match op {
        CmpOp::Eq => Value::bool(same),
        CmpOp::Ne => Value::bool(!same),
        _ => Value::NOT_IMPLEMENTED,
    })
}

fn range_len(vm: &mut Vm, v: &Value) -> R<usize> {
    // `len()` itself asks `Vm::len_i64`: what addresses cannot count only matters here for those who would make so many items.
    long_len(vm, receiver::<Range>(v)).map(|n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// The length, which need not fit an address.
pub(crate) fn long_len(vm: &mut Vm, r: &Range) -> R<i64> {
    match r.length.as_int().and_then(|i| i.to_i64()) {
        Some(n) => Ok(n),
        None => Err(vm.overflow_error("Python int too large to convert to C ssize_t")),
    }
}

fn range_getitem(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let r = receiver::<Range>(v);
    if let (Some(i), Some((start, step, len))) = (key.as_small_int(), r.small()) {
        let i = if i < 0 { i + len } else { i };
        if i < 0 || i >= len {
            return Err(vm.index_error("range object index out of range"));
        }
        // The items of a range of small numbers lie between its ends.
        return Ok(Value::int(start + i * step));
    }
    if let Some(slice) = key.as_ref::<Slice>() {
        let r = r.clone();
        if let Some(part) = small_part(&r, slice) {
            return Ok(part);
        }
        let length = big(&r.length);
        let (start, stop, step) = big_slice(vm, slice, &length)?;
        return Ok(Range::value(
            r.item(&start),
            r.item(&stop),
            Value::bigint(step * big(&r.step)),
        ));
    }
    if key.as_int().is_none() && class_of(key).slots().index.is_none() {
        return Err(vm.type_error(format!(
            "range indices must be integers or slices, not {}",
            class_of(key).name()
        )));
    }
    let r = r.clone();
    let mut i = big(&vm.index(key)?);
    let length = big(&r.length);
    if i.sign() == Sign::Minus {
        i += &length;
    }
    if i.sign() == Sign::Minus || i >= length {
        return Err(vm.index_error("range object index out of range"));
    }
    Ok(r.item(&i))
}

/// A slice of a range, if all numbers are small.
fn small_part(r: &Range, slice: &Slice) -> Option<Value> {
    let (first, distance, len) = r.small()?;
    let step = plain_bound(&slice.step, 1).filter(|step| *step != 0)?;
    let (low, high) = if step < 0 {
        (i64::MAX, i64::MIN)
    } else {
        (0, i64::MAX)
    };
    let start = plain_bound(&slice.start, low)?;
    let stop = plain_bound(&slice.stop, high)?;
    let (start, stop, _) = slice_adjust(len as usize, start, stop, step);
    // One step beyond an end is more than a small number may be, but no more than 64 bits hold.
    let item = |i: i64| Some(Value::int(i.checked_mul(distance)?.checked_add(first)?));
    Some(Range::value(
        item(start)?,
        item(stop)?,
        Value::int(step.checked_mul(distance)?),
    ))
}

fn range_contains(vm: &mut Vm, v: &Value, item: &Value) -> R<bool> {
    if is_plain_int(item) {
        return Ok(place_in(receiver::<Range>(v), item).is_some());
    }
    let it = vm.get_iter(v)?;
    while let Some(x) = vm.iter_next(&it)? {
        vm.poll_native()?;
        if vm.eq(&x, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

// ---- iterators

const RANGE_ITER: Slots = Slots {
    iter: Some(|_, v| Ok(v.clone())),
    next: Some(range_next),
    ..Slots::NONE
};

fn range_next(_: &mut Vm, v: &Value) -> R {
    let it = receiver::<RangeIter>(v);
    let left = it.left.get();
    if left == 0 {
        return Ok(Value::UNDEF);
    }
    let n = it.next.get();
    it.left.set(left - 1);
    it.next.set(n.wrapping_add(it.step));
    Ok(Value::int(n))
}

fn reduce_as_range(vm: &mut Vm, start: BigInt, step: BigInt, left: BigInt) -> R {
    let stop = &start + &step * left;
    let range = Range::value(
        Value::bigint(start),
        Value::bigint(stop),
        Value::bigint(step),
    );
    let iter = builtin(vm, "iter")?;
    Ok(Tuple::value(vec![
        iter,
        Tuple::value(vec![range]),
        Value::NONE,
    ]))
}

static RANGE_ITER_METHODS: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |_, args| {
        Ok(Value::bigint(
            receiver::<RangeIter>(&args[0]).left.get().into(),
        ))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<RangeIter>(&args[0]);
        let (next, step, left) = (it.next.get(), it.step, it.left.get());
        reduce_as_range(vm, next.into(), step.into(), left.into())
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let n = vm.index_i64(&args[1])?;
        let it = receiver::<RangeIter>(&args[0]);
        let n = (n.max(0) as u64).min(it.left.get());
        it.next
            .set(it.next.get().wrapping_add((n as i64).wrapping_mul(it.step)));
        it.left.set(it.left.get() - n);
        Ok(Value::NONE)
    }),
];

/// Payload of `longrange_iterator`, for ranges of numbers beyond 64 bits.
pub struct LongRangeIter {
    next: RefCell<BigInt>,
    step: BigInt,
    left: RefCell<BigInt>,
}

// SAFETY: owns no values.
unsafe impl Payload for LongRangeIter {
    const COLLECTABLE: bool = false;
    class_slot!();
    fn traverse(&self, _: &mut dyn FnMut(&Value)) {}
}

const LONG_RANGE_ITER: Slots = Slots {
    iter: Some(|_, v| Ok(v.clone())),
    next: Some(long_range_next),
    ..Slots::NONE
};

fn long_range_next(_: &mut Vm, v: &Value) -> R {
    let it = receiver::<LongRangeIter>(v);
    if it.left.borrow().is_zero() {
        return Ok(Value::UNDEF);
    }
    *it.left.borrow_mut() -= 1;
    let n = it.next.borrow().clone();
    *it.next.borrow_mut() += &it.step;
    Ok(Value::bigint(n))
}

static LONG_RANGE_ITER_METHODS: &[Def] = &[
    Def::method("__length_hint__", "(self, /)", |_, args| {
        Ok(Value::bigint(
            receiver::<LongRangeIter>(&args[0]).left.borrow().clone(),
        ))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let it = receiver::<LongRangeIter>(&args[0]);
        let (next, step, left) = (
            it.next.borrow().clone(),
            it.step.clone(),
            it.left.borrow().clone(),
        );
        reduce_as_range(vm, next, step, left)
    }),
    Def::method("__setstate__", "(self, object, /)", |vm, args| {
        let n = big(&vm.index(&args[1])?);
        let it = receiver::<LongRangeIter>(&args[0]);
        let n = n.max(BigInt::zero()).min(it.left.borrow().clone());
        *it.next.borrow_mut() += &n * &it.step;
        *it.left.borrow_mut() -= n;
        Ok(Value::NONE)
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::ToPrimitive;

    #[test]
    fn slices_fit_their_length() {
        assert_eq!(slice_adjust(5, 0, i64::MAX, 1), (0, 5, 5));
        assert_eq!(slice_adjust(5, i64::MAX, i64::MIN, -1), (4, -1, 5));
        assert_eq!(slice_adjust(5, -3, -1, 1), (2, 4, 2));
        assert_eq!(slice_adjust(5, 4, 0, -2), (4, 0, 2));
        assert_eq!(slice_adjust(0, 0, i64::MAX, 3), (0, 0, 0));
        assert_eq!(slice_adjust(5, 1, i64::MAX, i64::MAX), (1, 5, 1));
    }

    #[test]
    fn lengths_of_ranges() {
        let n = |a: i64, b: i64, s: i64| length_of(&a.into(), &b.into(), &s.into()).to_i64();
        assert_eq!(n(0, 10, 3), Some(4));
        assert_eq!(n(10, 0, -3), Some(4));
        assert_eq!(n(3, 3, 1), Some(0));
        assert_eq!(n(0, 1, -1), Some(0));
    }
}
