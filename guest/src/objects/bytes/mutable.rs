//! `bytearray`: what changes it.

use super::construct::{byte, from_iterable};
use super::{ByteArray, buffer};
use crate::objects::native::{Def, receiver};
use crate::objects::range::Slice;
use crate::objects::slots::BinOp;
use crate::objects::string::Str;
use crate::objects::string::concat::repeat_count;
use crate::objects::string::subscript::is_index;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// The methods of `bytearray` alone.
pub static METHODS: &[Def] = &[
    Def::method("__alloc__", "(self, /)", |vm, args| {
        Ok(Value::int(
            // One more for the null byte that CPython keeps at the end.
            receiver::<ByteArray>(&args[0]).data.get(vm).capacity() as i64 + 1,
        ))
    }),
    Def::method("__reduce__", "(self, /)", |vm, args| {
        let data = super::Bytes::value(receiver::<ByteArray>(&args[0]).data.get(vm).clone());
        let state = vm.call_method(&args[0], &crate::names::Names::get().__getstate__, &[])?;
        Ok(Tuple::value(vec![
            class_of(&args[0]).to_value(),
            Tuple::value(vec![data]),
            state,
        ]))
    }),
    Def::method("append", "(self, item, /)", |vm, args| {
        let b = byte(vm, &args[1], "byte")?;
        resizable(vm, &args[0], 1)?.push(b);
        Ok(Value::NONE)
    }),
    Def::method("clear", "(self, /)", |vm, args| {
        resizable(vm, &args[0], 0)?.clear();
        Ok(Value::NONE)
    }),
    Def::method("copy", "(self, /)", |vm, args| {
        Ok(ByteArray::value(
            receiver::<ByteArray>(&args[0]).data.get(vm).clone(),
        ))
    }),
    Def::method("extend", "(self, iterable_of_ints, /)", |vm, args| {
        let more = extension(vm, &args[1])?;
        resizable(vm, &args[0], more.len())?.extend_from_slice(&more);
        Ok(Value::NONE)
    }),
    Def::method("insert", "(self, index, item, /)", |vm, args| {
        let at = vm.index_i64(&args[1])?;
        let b = byte(vm, &args[2], "byte")?;
        let data = resizable(vm, &args[0], 1)?;
        let len = data.len() as i64;
        let at = if at < 0 {
            (at + len).max(0)
        } else {
            at.min(len)
        };
        data.insert(at as usize, b);
        Ok(Value::NONE)
    }),
    Def::method("pop", "(self, index=-1, /)", |vm, args| {
        let at = match optional(args, 1) {
            Some(v) => vm.index_i64(v)?,
            None => -1,
        };
        let len = receiver::<ByteArray>(&args[0]).data.get(vm).len() as i64;
        if len == 0 {
            return Err(vm.index_error("pop from empty bytearray"));
        }
        let at = if at < 0 { at + len } else { at };
        if at < 0 || at >= len {
            return Err(vm.index_error("pop index out of range"));
        }
        Ok(Value::small_int(
            resizable(vm, &args[0], 0)?.remove(at as usize) as i64,
        ))
    }),
    Def::method("remove", "(self, value, /)", |vm, args| {
        let b = byte(vm, &args[1], "byte")?;
        match memchr::memchr(b, receiver::<ByteArray>(&args[0]).data.get(vm)) {
            Some(at) => {
                resizable(vm, &args[0], 0)?.remove(at);
                Ok(Value::NONE)
            }
            None => Err(vm.value_error("value not found in bytearray")),
        }
    }),
    Def::method("resize", "(self, size, /)", |vm, args| {
        let n = vm.index_i64(&args[1])?;
        let Ok(n) = usize::try_from(n) else {
            return Err(if n < 0 {
                vm.value_error(format!(
                    "bytearray.resize(): new size must be >= 0, got {n}"
                ))
            } else {
                vm.memory_error()
            });
        };
        let more = n.saturating_sub(receiver::<ByteArray>(&args[0]).data.get(vm).len());
        resizable(vm, &args[0], more)?.resize(n, 0);
        Ok(Value::NONE)
    }),
    Def::method("reverse", "(self, /)", |vm, args| {
        receiver::<ByteArray>(&args[0]).data.get_mut(vm).reverse();
        Ok(Value::NONE)
    }),
];

/// The bytes, whose length may change by `more`: not while there are views.
fn resizable<'a>(vm: &'a mut Vm, v: &'a Value, more: usize) -> R<&'a mut Vec<u8>> {
    let array = receiver::<ByteArray>(v);
    if array.exports.get() > 0 {
        return Err(vm.buffer_error("Existing exports of data: object cannot be re-sized"));
    }
    let data = array.data.get(vm);
    if data.capacity() - data.len() < more {
        let size = data
            .len()
            .saturating_add(more)
            .max(data.len().saturating_mul(2));
        vm.text_size(size)?;
    }
    Ok(array.data.get_mut(vm))
}

/// What `extend` and `+=` add.
fn extension(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    if buffer::is_buffer(v) {
        return buffer::copy(vm, v);
    }
    if v.is::<Str>() {
        return Err(vm.type_error("expected iterable of integers; got: 'str'"));
    }
    let slots = class_of(v).slots();
    if slots.iter.is_none() && slots.getitem.is_none() {
        return Err(vm.type_error(format!(
            "can't extend bytearray with {}",
            class_of(v).name()
        )));
    }
    from_iterable(vm, v, "bytearray")
}

/// `array op= other`
pub fn inplace(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add => {
            if !buffer::is_buffer(b) {
                return Err(vm.type_error(format!(
                    "can't concat {} to {}",
                    class_of(b).name(),
                    class_of(a).name()
                )));
            }
            let more = buffer::copy(vm, b)?;
            resizable(vm, a, more.len())?.extend_from_slice(&more);
            Ok(a.clone())
        }
        BinOp::Mul => {
            let Some(n) = repeat_count(vm, b)? else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let len = receiver::<ByteArray>(a).data.get(vm).len();
            let size = vm.text_size(len.saturating_mul(n))?;
            let data = resizable(vm, a, size.saturating_sub(len))?;
            *data = data.repeat(if size == 0 { 0 } else { n });
            Ok(a.clone())
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}

/// `array[key] = value`, `del array[key]`
pub fn set_item(vm: &mut Vm, v: &Value, key: &Value, value: Option<&Value>) -> R<()> {
    if let Some(slice) = key.as_ref::<Slice>() {
        return set_slice(vm, v, slice, value);
    }
    if !is_index(key) {
        return Err(vm.type_error(format!(
            "bytearray indices must be integers or slices, not {}",
            class_of(key).name()
        )));
    }
    // The index comes first: both may run code of the program, which may change the array.
    let i = vm.index(key)?;
    let Some(at) = i.as_int().and_then(|i| i.to_i64()) else {
        return Err(vm.index_error(format!(
            "cannot fit '{}' into an index-sized integer",
            class_of(key).name()
        )));
    };
    let b = match value {
        Some(value) => Some(byte(vm, value, "byte")?),
        None => None,
    };
    let len = receiver::<ByteArray>(v).data.get(vm).len() as i64;
    let at = if at < 0 { at.saturating_add(len) } else { at };
    if at < 0 || at >= len {
        return Err(vm.index_error("bytearray index out of range"));
    }
    match b {
        Some(b) => receiver::<ByteArray>(v).data.get_mut(vm)[at as usize] = b,
        None => {
            resizable(vm, v, 0)?.remove(at as usize);
        }
    }
    Ok(())
}

fn set_slice(vm: &mut Vm, v: &Value, slice: &Slice, value: Option<&Value>) -> R<()> {
    let new = match value {
        None => Vec::new(),
        Some(value) if buffer::is_buffer(value) => buffer::copy(vm, value)?,
        Some(value) if value.is::<Str>() || value.as_int().is_some() => {
            return Err(vm.type_error(
                "can assign only bytes, buffers, or iterables of ints in range(0, 256)",
            ));
        }
        Some(value) => {
            let slots = class_of(value).slots();
            if slots.iter.is_none() && slots.getitem.is_none() {
                return Err(vm.type_error(
                    "can assign only bytes, buffers, or iterables of ints in range(0, 256)",
                ));
            }
            from_iterable(vm, value, "bytearray")?
        }
    };
    let (start, stop, step) = crate::builtins::ranges::slice_unpack(vm, slice)?;
    let len = receiver::<ByteArray>(v).data.get(vm).len();
    let (start, _, count) = crate::builtins::ranges::slice_adjust(len, start, stop, step);
    let start = start.max(0) as usize;
    if step == 1 {
        if new.len() == count {
            receiver::<ByteArray>(v).data.get_mut(vm)[start..start + count].copy_from_slice(&new);
        } else {
            let data = resizable(vm, v, new.len().saturating_sub(count))?;
            data.splice(start..start + count, new);
        }
        return Ok(());
    }
    let places = (0..count as i64).map(|i| (start as i64 + i * step) as usize);
    if value.is_none() {
        let mut gone = vec![false; len];
        places.for_each(|at| gone[at] = true);
        let mut gone = gone.into_iter();
        if count > 0 {
            resizable(vm, v, 0)?.retain(|_| !gone.next().unwrap_or(false));
        }
        return Ok(());
    }
    if new.len() != count {
        if new.is_empty() {
            // As CPython has it, assigning nothing to an extended slice deletes it.
            return set_slice(vm, v, slice, None);
        }
        return Err(vm.value_error(format!(
            "attempt to assign bytes of size {} to extended slice of size {count}",
            new.len()
        )));
    }
    let data = receiver::<ByteArray>(v).data.get_mut(vm);
    places.zip(new).for_each(|(at, b)| data[at] = b);
    Ok(())
}
