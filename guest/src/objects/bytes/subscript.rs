//! `bytes` and `bytearray` as sequences, and their operators.

use super::search::{like, make, me};
use super::{ByteArray, Bytes, BytesIter, buffer, find};
use crate::heap;
use crate::objects::native::receiver;
use crate::objects::range::Slice;
use crate::objects::slots::{BinOp, CmpOp};
use crate::objects::string::concat::repeat_count;
use crate::objects::string::percent;
use crate::objects::string::subscript::{index_of, is_index};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use std::cell::{Cell, RefCell};

/// `data[key]`
pub fn get_item(vm: &mut Vm, v: &Value, key: &Value) -> R {
    let array = v.is::<ByteArray>();
    if let Some(slice) = key.as_ref::<Slice>() {
        let (start, stop, step) = crate::builtins::ranges::slice_unpack(vm, slice)?;
        let data = me(vm, v);
        let (start, _, count) =
            crate::builtins::ranges::slice_adjust(data.len(), start, stop, step);
        if step == 1 && count == data.len() && v.is_exact::<Bytes>() {
            return Ok(v.clone());
        }
        let start = start.max(0) as usize;
        let piece = if step == 1 {
            data[start..start + count].to_vec()
        } else {
            (0..count as i64)
                .map(|i| data[(start as i64 + i * step) as usize])
                .collect()
        };
        return Ok(make(array, piece));
    }
    let noun = if array { "bytearray" } else { "byte" };
    if !is_index(key) {
        return Err(vm.type_error(format!(
            "{noun} indices must be integers or slices, not {}",
            class_of(key).name()
        )));
    }
    let len = me(vm, v).len();
    let outside = if array {
        "bytearray index out of range"
    } else {
        "index out of range"
    };
    let at = index_of(vm, key, len, outside)?;
    match me(vm, v).get(at) {
        Some(&b) => Ok(Value::small_int(b as i64)),
        None => Err(vm.index_error(outside)),
    }
}

/// `item in data`
pub fn contains(vm: &mut Vm, v: &Value, item: &Value) -> R<bool> {
    if is_index(item) {
        let i = match vm.index(item) {
            Ok(i) => i,
            Err(raised) => {
                // What cannot be converted is taken for bytes after all.
                vm.swallow(raised, crate::objects::exception::Exc::TypeError)?;
                let name = crate::vm::ops::class_of(item).name().into_owned();
                return Err(vm.type_error(format!("a bytes-like object is required, not '{name}'")));
            }
        };
        return match i
            .as_int()
            .and_then(|i| i.to_i64())
            .and_then(|i| u8::try_from(i).ok())
        {
            Some(b) => Ok(memchr::memchr(b, me(vm, v)).is_some()),
            None => Err(vm.value_error("byte must be in range(0, 256)")),
        };
    }
    let item = buffer::arg(vm, item)?;
    Ok(find::find(me(vm, v), me(vm, &item)).is_some())
}

/// `iter(data)`
pub fn iter(_: &mut Vm, v: &Value) -> R {
    let it = BytesIter {
        source: RefCell::new(v.clone()),
        index: Cell::new(0),
    };
    Ok(Value::from_ref(if v.is::<ByteArray>() {
        heap::alloc_instance(it, &super::methods::array_iterator_class(), 0)
    } else {
        heap::alloc(it)
    }))
}

/// `next` of such an iterator.
pub fn iter_next(vm: &mut Vm, v: &Value) -> R {
    let it = receiver::<BytesIter>(v);
    let source = it.source.borrow().clone();
    let at = it.index.get();
    match buffer::view(vm, &source).and_then(|data| data.get(at)) {
        Some(&b) => {
            it.index.set(at + 1);
            Ok(Value::small_int(b as i64))
        }
        None => {
            it.source.replace(Value::UNDEF);
            Ok(Value::UNDEF)
        }
    }
}

/// `a < b` and the others: a `bytes` with a `bytes`, a `bytearray` with anything bytes-like.
pub fn compare(vm: &mut Vm, a: &Value, b: &Value, op: CmpOp) -> R {
    let both_bytes = a.is::<Bytes>() && b.is::<Bytes>();
    let with_array =
        a.is::<ByteArray>() && buffer::is_buffer(b) || b.is::<ByteArray>() && buffer::is_buffer(a);
    if !both_bytes && !with_array {
        return Ok(Value::NOT_IMPLEMENTED);
    }
    let (a, b) = (buffer::arg(vm, a)?, buffer::arg(vm, b)?);
    let (x, y) = (me(vm, &a), me(vm, &b));
    Ok(Value::bool(match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        _ => op.holds(x.cmp(y)),
    }))
}

/// `a op b` where one is a `bytes` or `bytearray`.
pub fn binary(vm: &mut Vm, op: BinOp, a: &Value, b: &Value) -> R {
    match op {
        BinOp::Add if buffer::is_plain(a) && buffer::is_buffer(b) => {
            let b = buffer::arg(vm, b)?;
            let size = me(vm, a).len().saturating_add(me(vm, &b).len());
            vm.text_size(size)?;
            let (x, y) = (me(vm, a), me(vm, &b));
            if x.is_empty() && b.is_exact::<Bytes>() && a.is_exact::<Bytes>() {
                return Ok(b.clone());
            }
            if y.is_empty() && a.is_exact::<Bytes>() {
                return Ok(a.clone());
            }
            let mut out = Vec::with_capacity(size);
            out.extend_from_slice(x);
            out.extend_from_slice(y);
            Ok(like(a, out))
        }
        BinOp::Mul => {
            let (data, number) = if buffer::is_plain(a) { (a, b) } else { (b, a) };
            let Some(n) = repeat_count(vm, number)? else {
                return Ok(Value::NOT_IMPLEMENTED);
            };
            let size = me(vm, data).len().saturating_mul(n);
            vm.text_size(size)?;
            if n == 1 && data.is_exact::<Bytes>() {
                return Ok(data.clone());
            }
            Ok(like(
                data,
                me(vm, data).repeat(if size == 0 { 0 } else { n }),
            ))
        }
        BinOp::Mod if buffer::is_plain(a) => {
            let template = me(vm, a).to_vec();
            let out = percent::format_bytes(vm, &template, b)?;
            Ok(like(a, out))
        }
        _ => Ok(Value::NOT_IMPLEMENTED),
    }
}
