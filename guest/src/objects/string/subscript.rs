//! `str` as a sequence, and its operators.

use super::{Str, chunks};
use crate::heap::Ref;
use crate::objects::native::receiver;
use crate::objects::range::Slice;
use crate::objects::slots::{BinOp, CmpOp};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// `a op b` where one is a `str`.
pub fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add => super::concat::add(vm, a, b),
        BinOp::Mul => super::concat::repeat(vm, a, b),
        BinOp::Mod if a.is::<Str>() => super::percent::format_text(vm, a, b),
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// `a < b` and the others.
pub fn compare(_: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Str>(), b.as_ref::<Str>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    Ok(Value::bool(match op {
        CmpOp::Eq => x.same_text(y),
        CmpOp::Ne => !x.same_text(y),
        // The order of WTF-8 bytes is the order of code points.
        _ => op.holds(chunks::order(x.as_bytes(), y.as_bytes())),
    }))
}

/// `iter(s)`
pub fn iter(_: &mut Vm, v: &Value) -> R {
    Ok(crate::builtins::iterators::str_iterator(receiver::<Str>(v)))
}

/// The index that `key` gives into a sequence of `len` items; `outside` is what is said when it has none there.
pub fn index_of(vm: &mut Vm, key: &Value, len: usize, outside: &str) -> R<usize> {
    if let Some(i) = key.as_small_int() {
        let at = if i < 0 { i + len as i64 } else { i };
        if at < 0 || at >= len as i64 {
            return Err(vm.index_error(outside));
        }
        return Ok(at as usize);
    }
    let i = vm.index(key)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(i) if Value::fits_small(i) => index_of(vm, &Value::small_int(i), len, outside),
        Some(_) => Err(vm.index_error(outside)),
        None => Err(vm.index_error(format!(
            "cannot fit '{}' into an index-sized integer",
            class_of(key).name()
        ))),
    }
}

/// Whether `key` can be an index.
pub fn is_index(key: &Value) -> bool {
    key.as_int().is_some() || class_of(key).slots().index.is_some()
}

/// `s[key]`
pub fn get_item(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let s = receiver::<Str>(v);
    if let Some(slice) = key.as_ref::<Slice>() {
        let (start, stop, step, count) = crate::builtins::ranges::slice_bounds(vm, slice, s.len())?;
        if count == s.len() && step == 1 {
            return Ok(super::transform::unchanged(v));
        }
        if step == 1 {
            return Ok(Str::value_known(
                s.slice_bytes(start as usize, stop.max(start) as usize),
                count,
            ));
        }
        return Ok(stepped(s, start, step, count));
    }
    if !is_index(key) {
        return Err(vm.type_error(format!(
            "string indices must be integers, not '{}'",
            class_of(key).name()
        )));
    }
    let at = index_of(vm, key, s.len(), "string index out of range")?;
    Ok(Str::from_char(s.char_at(at)))
}

/// A slice with a step.
fn stepped(s: &Ref<Str>, start: i64, step: i64, count: usize) -> Value {
    let places = (0..count as i64).map(|i| (start + i * step) as usize);
    if s.is_ascii() {
        let bytes = s.as_bytes();
        let text: Vec<u8> = places.map(|at| bytes[at]).collect();
        return Str::value_known(&text, count);
    }
    if count == 0 {
        return Str::value("");
    }
    let bytes = s.as_bytes();
    if step == -1 && count == s.len() {
        return Str::value_known(&chunks::reversed(bytes), count);
    }
    let mut text = Vec::with_capacity(count);
    let mut at = s.byte_offset(start as usize);
    let apart = step.unsigned_abs() as usize;
    for left in (0..count).rev() {
        let n = chunks::char_len(bytes[at]);
        text.extend_from_slice(&bytes[at..at + n]);
        if left == 0 {
            break;
        }
        at = if step > 0 {
            match apart {
                ..16 => (0..apart).fold(at, |at, _| at + chunks::char_len(bytes[at])),
                _ => at + chunks::offset_of(&bytes[at..], apart),
            }
        } else {
            match apart {
                ..64 => (0..apart).fold(at, |at, _| char_before(bytes, at)),
                _ => s.byte_offset((start + (count - left) as i64 * step) as usize),
            }
        };
    }
    Str::value_known(&text, count)
}

/// Where the character begins that ends at a place.
fn char_before(bytes: &[u8], mut at: usize) -> usize {
    at -= 1;
    // Continuation bytes are 0x80 to 0xBF.
    while bytes[at] as i8 <= -0x41 {
        at -= 1;
    }
    at
}
