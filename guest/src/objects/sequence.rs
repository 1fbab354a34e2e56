//! What the sequences have in common: indices, repetition, comparison in lexicographic order, text.

use crate::objects::exception::Exc;
use crate::objects::slots::CmpOp;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// Whether a value can be an index (`__index__`).
#[inline]
pub fn is_index(v: &Value) -> bool {
    v.is_small_int() || v.as_int().is_some() || class_of(v).slots().index.is_some()
}

/// An index as a 64-bit number; `error` is raised when it does not fit.
pub fn index_number(vm: &mut Vm, v: &Value, error: Exc) -> R<i64> {
    if let Some(i) = v.as_small_int() {
        return Ok(i);
    }
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(i) => Ok(i),
        None => {
            let text = format!(
                "cannot fit '{}' into an index-sized integer",
                class_of(v).name()
            );
            Err(vm.raise(error, text))
        }
    }
}

/// The index in `x[key]`, where `key` is no slice: `TypeError` in the words of the sequence called `name` when it is no index.
#[inline]
pub fn subscript(vm: &mut Vm, key: &Value, name: &str) -> R<i64> {
    if let Some(i) = key.as_small_int() {
        return Ok(i);
    }
    if is_index(key) {
        return index_number(vm, key, Exc::IndexError);
    }
    Err(vm.type_error(format!(
        "{name} indices must be integers or slices, not {}",
        class_of(key).name()
    )))
}

/// The place of an index in a sequence of `len` items.
#[inline(always)]
pub fn place(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 {
        index.wrapping_add(len as i64)
    } else {
        index
    };
    if index >= 0 && index < len as i64 {
        Some(index as usize)
    } else {
        None
    }
}

/// The arguments `start` and `stop` (2 and 3) of `index` methods: not `None`, counted from the end when negative, clamped to what addresses can count.
/// Converting them may run Python code, so the length is asked for afterwards.
pub fn search_bounds(vm: &mut Vm, args: &[Value], len: impl Fn(&Vm) -> usize) -> R<(usize, usize)> {
    let mut bounds = [0, i64::MAX];
    for (bound, v) in bounds.iter_mut().zip(args.iter().skip(2)) {
        if v.is_undef() {
            continue;
        }
        if !is_index(v) {
            return Err(vm.type_error("slice indices must be integers or have an __index__ method"));
        }
        *bound = vm.index_clamped(v)?;
    }
    let len = len(vm) as i64;
    let [start, stop] = bounds.map(|i| {
        let i = if i < 0 {
            i.saturating_add(len).max(0)
        } else {
            i
        };
        usize::try_from(i).unwrap_or(usize::MAX)
    });
    Ok((start, stop))
}

/// The number in `sequence * v`: `None` when `v` is no index, 0 when it is negative.
pub fn repeat_count(vm: &mut Vm, v: &Value) -> R<Option<usize>> {
    if !is_index(v) {
        return Ok(None);
    }
    let n = index_number(vm, v, Exc::OverflowError)?;
    Ok(Some(usize::try_from(n.max(0)).unwrap_or(usize::MAX)))
}

/// Whether `len * count` items can be allocated; `MemoryError` otherwise.
#[inline(always)]
pub fn check_room(vm: &mut Vm, len: usize, count: usize) -> R<usize> {
    // What surely fits, without a call.
    if len < 1 << 10 && count <= 1 {
        return Ok(len * count);
    }
    check_large_room(vm, len, count)
}

#[inline(never)]
fn check_large_room(vm: &mut Vm, len: usize, count: usize) -> R<usize> {
    match len.checked_mul(count) {
        Some(n)
            if n.checked_mul(size_of::<Value>())
                .is_some_and(crate::heap::can_allocate) =>
        {
            Ok(n)
        }
        _ => Err(vm.memory_error()),
    }
}

/// How many items at the start of two sequences are surely the same, and thus equal.
pub fn alike(a: &[Value], b: &[Value]) -> usize {
    let (a, _) = a.as_chunks::<8>();
    let (b, _) = b.as_chunks::<8>();
    let same = a.iter().zip(b).take_while(|(x, y)| {
        let differing = |bits: u64, i: usize| bits | (x[i].bits() ^ y[i].bits());
        (0..8).fold(0, differing) == 0
    });
    let items = same.count() * 8;
    crate::heap::charge(items >> 4);
    items
}

/// Compares two sequences in lexicographic order. `get` gives an item by index, as long as there is one; the sequences may change meanwhile. The first `known`
/// items are equal.
pub fn compare(
    vm: &mut Vm,
    op: CmpOp,
    known: usize,
    lens: impl Fn(&Vm) -> (usize, usize),
    get: impl Fn(&Vm, usize) -> Option<(Value, Value)>,
) -> R {
    let (m, n) = lens(vm);
    if m != n && matches!(op, CmpOp::Eq | CmpOp::Ne) {
        return Ok(Value::bool(op == CmpOp::Ne));
    }
    let mut i = known;
    while let Some((a, b)) = get(vm, i) {
        vm.poll_native()?;
        if !vm.eq(&a, &b)? {
            if get(vm, i).is_none() {
                // Comparing has shortened one of them: only the lengths are left to compare.
                break;
            }
            return match op {
                CmpOp::Eq => Ok(Value::FALSE),
                CmpOp::Ne => Ok(Value::TRUE),
                _ if Value::both_small_int(&a, &b) => Ok(Value::bool(
                    op.holds(a.small_int_unchecked().cmp(&b.small_int_unchecked())),
                )),
                _ => vm.compare(op, &a, &b),
            };
        }
        i += 1;
    }
    let (m, n) = lens(vm);
    Ok(Value::bool(op.holds(m.cmp(&n))))
}

/// Appends the texts of the items, with commas between.
pub fn push_reprs(
    vm: &mut Vm,
    out: &mut Vec<u8>,
    mut get: impl FnMut(&mut Vm, usize) -> R<Option<Value>>,
) -> R<()> {
    let mut i = 0;
    while let Some(item) = get(vm, i)? {
        if i > 0 {
            out.extend_from_slice(b", ");
        }
        let text = vm.repr(&item)?;
        push_text(vm, out, text.as_bytes())?;
        i += 1;
    }
    Ok(())
}

/// Appends text to a buffer that may become large.
pub fn push_text(vm: &mut Vm, out: &mut Vec<u8>, text: &[u8]) -> R<()> {
    if out.capacity() - out.len() < text.len() {
        let more = text.len().max(out.len());
        if !crate::heap::can_allocate(out.len() + more) || out.try_reserve(more).is_err() {
            return Err(vm.memory_error());
        }
    }
    out.extend_from_slice(text);
    Ok(())
}
