//! `str` as a sequence, and its operators.

use super::{Str, chars_of};
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
        _ => op.holds(x.as_bytes().cmp(y.as_bytes())),
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
    let chars: Vec<u32> = chars_of(s.as_bytes()).collect();
    let mut text = Vec::with_capacity(count);
    places.for_each(|at| super::push_char(&mut text, chars[at]));
    Str::value_wtf8(&text)
}
