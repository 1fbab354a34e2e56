//! Arrays as sequences: items, slices, operators, comparison.

use super::Array;
use crate::builtins::ranges::{slice_adjust, slice_unpack};
use crate::objects::exception::Exc;
use crate::objects::native::receiver;
use crate::objects::range::Slice;
use crate::objects::sequence;
use crate::objects::slots::{BinOp, CmpOp};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The index in `array[key]`.
fn index(vm: &mut Vm, key: &Value) -> R<i64> {
    if !sequence::is_index(key) {
        return Err(vm.type_error("array indices must be integers"));
    }
    sequence::index_number(vm, key, Exc::IndexError)
}

/// `array[key]`
pub(super) fn get_item(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let array = receiver::<Array>(v);
    if let Some(slice) = key.as_ref::<Slice>() {
        let (start, stop, step) = slice_unpack(vm, slice)?;
        let size = array.size();
        let (start, _, count) = slice_adjust(array.len(vm), start, stop, step);
        vm.text_size(count * size)?;
        let data = array.data.get(vm);
        let mut out = Vec::with_capacity(count * size);
        if step == 1 {
            let start = start as usize * size;
            out.extend_from_slice(&data[start..start + count * size]);
        } else {
            for i in 0..count as i64 {
                let at = (start + i * step) as usize * size;
                out.extend_from_slice(&data[at..at + size]);
            }
        }
        return Ok(Array::value(array.code, out));
    }
    if let Some(i) = key.as_small_int()
        && array.code == b'd'
    {
        // The frequent case: numbers in double precision.
        let (items, _) = array.data.get(vm).as_chunks::<8>();
        if let Some(raw) = sequence::place(i, items.len()).map(|at| items[at]) {
            return Ok(Value::float_from_outside(f64::from_le_bytes(raw)));
        }
    }
    let i = index(vm, key)?;
    let item = match sequence::place(i, array.len(vm)) {
        Some(at) => array.get(vm, at)?,
        None => None,
    };
    item.ok_or_else(|| vm.index_error("array index out of range"))
}

/// `array[key] = value`, `del array[key]`
pub(super) fn set_item(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    let array = receiver::<Array>(v);
    if let Some(slice) = key.as_ref::<Slice>() {
        return set_slice(vm, array, slice, value);
    }
    if let Some(i) = key.as_small_int()
        && array.code == b'd'
        && let Some(number) = value.and_then(Value::as_float)
    {
        let (items, _) = array.data.get_mut(vm).as_chunks_mut::<8>();
        if let Some(at) = sequence::place(i, items.len()) {
            items[at] = number.to_le_bytes();
            return Ok(());
        }
    }
    let i = index(vm, key)?;
    if sequence::place(i, array.len(vm)).is_none() {
        return Err(vm.index_error("array assignment index out of range"));
    }
    let size = array.size();
    let raw = match value {
        Some(value) => Some(super::convert::write(vm, array.code, value)?),
        None => None,
    };
    // Converting the value may have run code that changed the array.
    let Some(at) = sequence::place(i, array.len(vm)) else {
        return Err(vm.index_error("array assignment index out of range"));
    };
    let at = at * size;
    match raw {
        Some(raw) => array.data.get_mut(vm)[at..at + size].copy_from_slice(&raw[..size]),
        None => drop(array.resizable(vm, 0)?.drain(at..at + size)),
    }
    Ok(())
}

fn set_slice(vm: &mut Vm, array: &Array, slice: &Slice, value: Option<&Value>) -> R<()> {
    let size = array.size();
    let (start, stop, step) = slice_unpack(vm, slice)?;
    let new = match value {
        None => Vec::new(),
        Some(value) => match value.as_ref::<Array>() {
            Some(other) if other.code == array.code => {
                let bytes = other.data.get(vm).len();
                vm.text_size(bytes)?;
                other.data.get(vm).clone()
            }
            Some(_) => return Err(vm.type_error("bad argument type for built-in operation")),
            None => {
                return Err(vm.type_error(format!(
                    "can only assign array (not \"{}\") to array slice",
                    class_of(value).name()
                )));
            }
        },
    };
    let len = array.len(vm);
    let (start, _, count) = slice_adjust(len, start, stop, step);
    let needed = new.len() / size;
    if step == 1 {
        let from = start as usize * size;
        let range = from..from + count * size;
        if needed == count && value.is_some() {
            array.data.get_mut(vm)[range].copy_from_slice(&new);
        } else {
            let more = new.len().saturating_sub(count * size);
            drop(array.resizable(vm, more)?.splice(range, new));
        }
        return Ok(());
    }
    if needed == 0 {
        // Nothing assigned to an extended slice deletes it.
        let mut gone = vec![false; len];
        (0..count as i64).for_each(|i| gone[(start + i * step) as usize] = true);
        let data = array.resizable(vm, 0)?;
        let mut at = 0;
        data.retain(|_| {
            at += 1;
            !gone[(at - 1) / size]
        });
        return Ok(());
    }
    if needed != count {
        return Err(vm.value_error(format!(
            "attempt to assign array of size {needed} to extended slice of size {count}"
        )));
    }
    let data = array.data.get_mut(vm);
    for (i, item) in new.chunks_exact(size).enumerate() {
        let at = (start + i as i64 * step) as usize * size;
        data[at..at + size].copy_from_slice(item);
    }
    Ok(())
}

/// The number in `array * v`.
fn times(vm: &mut Vm, v: &Value) -> R<usize> {
    match sequence::repeat_count(vm, v)? {
        Some(n) => Ok(n),
        None => Err(vm.type_error(format!(
            "can't multiply sequence by non-int of type '{}'",
            class_of(v).name()
        ))),
    }
}

/// `a op b` where one is an array.
pub(super) fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match (op, a.as_ref::<Array>(), b.as_ref::<Array>()) {
        (BinOp::Add, Some(x), Some(y)) => {
            if x.code != y.code {
                return Err(vm.type_error("bad argument type for built-in operation"));
            }
            let size = x.data.get(vm).len().saturating_add(y.data.get(vm).len());
            vm.text_size(size)?;
            Ok(Array::value(
                x.code,
                [x.data.get(vm).as_slice(), y.data.get(vm)].concat(),
            ))
        }
        (BinOp::Add, Some(_), None) => Err(vm.type_error(format!(
            "can only append array (not \"{}\") to array",
            class_of(b).name()
        ))),
        (BinOp::Mul, Some(x), _) => repeated(vm, x, b),
        (BinOp::Mul, None, Some(y)) => repeated(vm, y, a),
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

fn repeated(vm: &mut Vm, array: &Array, count: &Value) -> R {
    let n = times(vm, count)?;
    let size = vm.text_size(array.data.get(vm).len().saturating_mul(n))?;
    Ok(Array::value(
        array.code,
        array.data.get(vm).repeat(if size == 0 { 0 } else { n }),
    ))
}

/// `array op= other`
pub(super) fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    let array = receiver::<Array>(a);
    match op {
        BinOp::Add => {
            if !b.is::<Array>() {
                return Err(vm.type_error(format!(
                    "can only extend array with array (not \"{}\")",
                    class_of(b).name()
                )));
            }
            super::methods::extend(vm, a, b)?;
        }
        BinOp::Mul => {
            let n = times(vm, b)?;
            let len = array.data.get(vm).len();
            let size = vm.text_size(len.saturating_mul(n))?;
            if size != len {
                let data = array.resizable(vm, size.saturating_sub(len))?;
                *data = data.repeat(if size == 0 { 0 } else { n });
            }
        }
        _ => return Ok(Value::NOT_IMPLEMENTED),
    }
    Ok(a.clone())
}

/// `a < b` and the others.
pub(super) fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let (Some(x), Some(y)) = (a.as_ref::<Array>(), b.as_ref::<Array>()) else {
        return Ok(Value::NOT_IMPLEMENTED);
    };
    let equality = matches!(op, CmpOp::Eq | CmpOp::Ne);
    if equality && x.len(vm) != y.len(vm) {
        return Ok(Value::bool(op == CmpOp::Ne));
    }
    // Integers and characters of one code are equal when their bytes are.
    if equality && x.code == y.code && !matches!(x.code, b'f' | b'd') {
        return Ok(Value::bool(
            (x.data.get(vm) == y.data.get(vm)) == (op == CmpOp::Eq),
        ));
    }
    let mut i = 0;
    while let (Some(p), Some(q)) = (x.get(vm, i)?, y.get(vm, i)?) {
        vm.poll_native()?;
        if !vm.compare_bool(CmpOp::Eq, &p, &q)? {
            return match op {
                CmpOp::Eq => Ok(Value::FALSE),
                CmpOp::Ne => Ok(Value::TRUE),
                _ => vm.compare(op, &p, &q),
            };
        }
        i += 1;
    }
    Ok(Value::bool(op.holds(x.len(vm).cmp(&y.len(vm)))))
}
