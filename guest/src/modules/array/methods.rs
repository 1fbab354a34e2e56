//! The class `array.array`: construction and methods.

use super::{Array, TYPECODES, convert, iter, pickle, subscript};
use crate::builtins::iterators::class_getitem;
use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::bytes::{ByteArray, Bytes, buffer};
use crate::objects::list::List;
use crate::objects::native::{Def, receiver};
use crate::objects::sequence;
use crate::objects::slots::{BinOp, CmpOp, Slots, ops};
use crate::objects::string::Str;
use crate::objects::tuple::Tuple;
use crate::objects::types::{BASE, ClassBuilder, SEQUENCE, Type};
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

const SLOTS: Slots = Slots {
    repr: Some(repr),
    unhashable: true,
    compare: Some(subscript::compare),
    iter: Some(iter::iter),
    len: Some(|vm, v| Ok(receiver::<Array>(v).len(vm))),
    getitem: Some(subscript::get_item),
    setitem: Some(subscript::set_item),
    contains: Some(
        |vm, v, item| Ok(find(vm, receiver::<Array>(v), item, 0, usize::MAX)?.is_some()),
    ),
    binary: Some(subscript::binary),
    binary_ops: ops(&[BinOp::Add, BinOp::Mul]),
    reflected_ops: ops(&[BinOp::Mul]),
    inplace: Some(subscript::inplace),
    inplace_ops: ops(&[BinOp::Add, BinOp::Mul]),
    new: Some(new),
    ..Slots::NONE
};

/// Makes the classes.
pub(super) fn build(vm: &mut Vm) {
    iter::build(vm);
    ClassBuilder::new::<Array>("array")
        .flags(BASE | SEQUENCE)
        .slots(SLOTS)
        .weak()
        .methods(vm, METHODS)
        .methods(vm, pickle::METHODS)
        .getset(
            vm,
            "itemsize",
            |_, v| Ok(Value::int(receiver::<Array>(v).size() as i64)),
            None,
        )
        .getset(
            vm,
            "typecode",
            |_, v| Ok(Str::from_char(receiver::<Array>(v).code as u32)),
            None,
        )
        .module(vm, "array")
        .build(vm);
}

fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if class.same(Array::class()) {
        args.no_keywords(vm, "array.array")?;
    }
    let given = args.positional();
    let n = given.len();
    if n == 0 {
        return Err(vm.type_error("array() takes at least 1 argument (0 given)"));
    }
    if n > 2 {
        return Err(vm.type_error(format!("array() takes at most 2 arguments ({n} given)")));
    }
    let code = match given[0].as_ref::<Str>() {
        Some(s) if s.len() == 1 => s.char_at(0),
        Some(s) => {
            let n = s.len();
            return Err(vm.type_error(format!(
                "array() argument 1 must be a unicode character, not a string of length {n}"
            )));
        }
        None => {
            return Err(vm.type_error(format!(
                "array() argument 1 must be a unicode character, not {}",
                class_of(&given[0]).name()
            )));
        }
    };
    let known = u8::try_from(code)
        .ok()
        .filter(|c| TYPECODES.as_bytes().contains(c));
    let initial = given.get(1);
    if let (Some(v), false) = (initial, matches!(code, 0x75 | 0x77)) {
        let shown = char::from_u32(code).unwrap_or('\u{FFFD}');
        if v.is::<Str>() {
            return Err(vm.type_error(format!(
                "cannot use a str to initialize an array with typecode '{shown}'"
            )));
        }
        if v.as_ref::<Array>().is_some_and(|a| a.is_text()) {
            return Err(vm.type_error(format!(
                "cannot use a unicode array to initialize an array with typecode '{shown}'"
            )));
        }
    }
    let Some(code) = known else {
        return Err(
            vm.value_error("bad typecode (must be b, B, u, w, h, H, i, I, l, L, q, Q, f or d)")
        );
    };
    let made = Array::instance(class, code, Vec::new());
    let array = receiver::<Array>(&made);
    if let Some(v) = initial {
        if let Some(s) = v.as_ref::<Str>() {
            let items = convert::from_text(vm, s)?;
            array.append_raw(vm, &items)?;
        } else if v.is::<Bytes>() || v.is::<ByteArray>() {
            from_bytes(vm, array, v)?;
        } else if let Some(other) = v
            .as_ref::<Array>()
            .filter(|a| a.code == code || a.is_text())
        {
            let size = other.data.get(vm).len();
            vm.text_size(size)?;
            let items = other.data.get(vm).clone();
            array.append_raw(vm, &items)?;
        } else {
            from_iterable(vm, array, v)?;
        }
    }
    Ok(made)
}

fn from_iterable(vm: &mut Vm, array: &Array, v: &Value) -> R<()> {
    vm.for_each(v, |vm, item| {
        vm.poll_native()?;
        array.push(vm, &item)
    })
}

fn from_bytes(vm: &mut Vm, array: &Array, v: &Value) -> R<()> {
    let data = buffer::copy(vm, v)?;
    if !data.len().is_multiple_of(array.size()) {
        return Err(vm.value_error("bytes length not a multiple of item size"));
    }
    array.append_raw(vm, &data)
}

/// What `extend` and `+=` do.
pub(super) fn extend(vm: &mut Vm, v: &Value, more: &Value) -> R<()> {
    let array = receiver::<Array>(v);
    let Some(other) = more.as_ref::<Array>() else {
        return from_iterable(vm, array, more);
    };
    if other.code != array.code {
        return Err(vm.type_error("can only extend with array of same kind"));
    }
    let size = other.data.get(vm).len();
    vm.text_size(size)?;
    let items = other.data.get(vm).clone();
    array.append_raw(vm, &items)
}

/// The items as values.
pub(super) fn to_list(vm: &mut Vm, array: &Array) -> R<Vec<Value>> {
    let n = array.len(vm);
    let mut out = Vec::with_capacity(sequence::check_room(vm, n, 1)?);
    while let Some(item) = array.get(vm, out.len())? {
        out.push(item);
    }
    Ok(out)
}

fn repr(vm: &mut Vm, v: &Value) -> R {
    let array = receiver::<Array>(v);
    let name = class_of(v).bare_name().into_owned();
    let code = array.code as char;
    if array.len(vm) == 0 {
        return Ok(Str::value(&format!("{name}('{code}')")));
    }
    let mut out = format!("{name}('{code}', ").into_bytes();
    if array.is_text() {
        let text = to_unicode(vm, array)?;
        let text = vm.repr(&text)?;
        sequence::push_text(vm, &mut out, text.as_bytes())?;
    } else {
        out.push(b'[');
        sequence::push_reprs(vm, &mut out, |vm, i| array.get(vm, i))?;
        out.push(b']');
    }
    out.push(b')');
    Ok(Str::value_wtf8(&out))
}

fn to_unicode(vm: &mut Vm, array: &Array) -> R {
    let size = array.data.get(vm).len();
    vm.text_size(size)?;
    let data = array.data.get(vm).clone();
    convert::to_text(vm, &data)
}

/// The place of a value between two places.
fn find(vm: &mut Vm, array: &Array, value: &Value, start: usize, stop: usize) -> R<Option<usize>> {
    let mut i = start;
    while i < stop
        && let Some(item) = array.get(vm, i)?
    {
        vm.poll_native()?;
        if vm.compare_bool(CmpOp::Eq, &item, value)? {
            return Ok(Some(i));
        }
        i += 1;
    }
    Ok(None)
}

fn copy(vm: &mut Vm, args: &[Value]) -> R {
    let array = receiver::<Array>(&args[0]);
    let size = array.data.get(vm).len();
    vm.text_size(size)?;
    Ok(Array::value(array.code, array.data.get(vm).clone()))
}

fn to_bytes(vm: &mut Vm, array: &Array) -> R {
    let size = array.data.get(vm).len();
    vm.text_size(size)?;
    Ok(Bytes::value(array.data.get(vm).clone()))
}

static METHODS: &[Def] = &[
    Def::method("append", "(self, v, /)", |vm, args| {
        receiver::<Array>(&args[0]).push(vm, &args[1])?;
        Ok(Value::NONE)
    }),
    Def::method("buffer_info", "(self, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let address = array.data.get(vm).as_ptr() as usize;
        Ok(Tuple::value(vec![
            Value::int(address as i64),
            Value::int(array.len(vm) as i64),
        ]))
    }),
    Def::method("byteswap", "(self, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let size = array.size();
        array
            .data
            .get_mut(vm)
            .chunks_exact_mut(size)
            .for_each(<[u8]>::reverse);
        Ok(Value::NONE)
    }),
    Def::method("clear", "(self, /)", |vm, args| {
        receiver::<Array>(&args[0]).resizable(vm, 0)?.clear();
        Ok(Value::NONE)
    }),
    Def::method("__copy__", "(self, /)", copy),
    Def::method("__deepcopy__", "(self, unused, /)", copy),
    Def::method("count", "(self, v, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let (mut n, mut at) = (0, 0);
        while let Some(found) = find(vm, array, &args[1], at, usize::MAX)? {
            n += 1;
            at = found + 1;
        }
        Ok(Value::int(n))
    }),
    Def::method("extend", "(self, bb, /)", |vm, args| {
        extend(vm, &args[0], &args[1])?;
        Ok(Value::NONE)
    }),
    Def::method("frombytes", "(self, buffer, /)", |vm, args| {
        from_bytes(vm, receiver::<Array>(&args[0]), &args[1])?;
        Ok(Value::NONE)
    }),
    Def::method("fromfile", "(self, f, n, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let n = vm.index_i64(&args[2])?;
        let Ok(n) = usize::try_from(n) else {
            return Err(if n < 0 {
                vm.value_error("negative count")
            } else {
                vm.memory_error()
            });
        };
        let Some(size) = n.checked_mul(array.size()) else {
            return Err(vm.memory_error());
        };
        let data = vm.call_method(&args[1], &names::intern("read"), &[Value::int(size as i64)])?;
        let Some(bytes) = data.as_ref::<Bytes>() else {
            return Err(vm.type_error("read() didn't return bytes"));
        };
        let short = bytes.data.len() != size;
        from_bytes(vm, array, &data)?;
        if short {
            Err(vm.eof_error("read() didn't return enough bytes"))
        } else {
            Ok(Value::NONE)
        }
    }),
    Def::method("fromlist", "(self, list, /)", |vm, args| {
        if !args[1].is::<List>() {
            return Err(vm.type_error("arg must be list"));
        }
        // All or nothing: the items are converted first.
        let array = receiver::<Array>(&args[0]);
        let (mut new, size) = (Vec::new(), array.size());
        vm.for_each(&args[1], |vm, item| {
            vm.poll_native()?;
            let raw = convert::write(vm, array.code, &item)?;
            sequence::push_text(vm, &mut new, &raw[..size])
        })?;
        array.append_raw(vm, &new)?;
        Ok(Value::NONE)
    }),
    Def::method("fromunicode", "(self, ustr, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let Some(s) = args[1].as_ref::<Str>() else {
            return Err(vm.type_error(format!(
                "fromunicode() argument must be str, not {}",
                class_of(&args[1]).name()
            )));
        };
        if !array.is_text() {
            return Err(vm.value_error(
                "fromunicode() may only be called on unicode type arrays ('u' or 'w')",
            ));
        }
        let items = convert::from_text(vm, s)?;
        array.append_raw(vm, &items)?;
        Ok(Value::NONE)
    }),
    Def::method(
        "index",
        "(self, v, start=0, stop=9223372036854775807, /)",
        |vm, args| {
            let array = receiver::<Array>(&args[0]);
            let len = array.len(vm);
            let (start, stop) = sequence::search_bounds(vm, args, |_| len)?;
            match find(vm, array, &args[1], start, stop)? {
                Some(at) => Ok(Value::int(at as i64)),
                None => Err(vm.value_error("array.index(x): x not in array")),
            }
        },
    ),
    Def::method("insert", "(self, i, v, /)", |vm, args| {
        let at = vm.index_i64(&args[1])?;
        let array = receiver::<Array>(&args[0]);
        let raw = convert::write(vm, array.code, &args[2])?;
        let (size, len) = (array.size(), array.len(vm) as i64);
        let at = if at < 0 {
            at.saturating_add(len).max(0)
        } else {
            at.min(len)
        } as usize
            * size;
        drop(
            array
                .resizable(vm, size)?
                .splice(at..at, raw[..size].iter().copied()),
        );
        Ok(Value::NONE)
    }),
    Def::method("pop", "(self, i=-1, /)", |vm, args| {
        let i = match optional(args, 1) {
            Some(i) => vm.index_i64(i)?,
            None => -1,
        };
        let array = receiver::<Array>(&args[0]);
        let (len, size) = (array.len(vm), array.size());
        if len == 0 {
            return Err(vm.index_error("pop from empty array"));
        }
        let Some(at) = sequence::place(i, len) else {
            return Err(vm.index_error("pop index out of range"));
        };
        let item = array.get(vm, at)?.unwrap_or(Value::NONE);
        drop(array.resizable(vm, 0)?.drain(at * size..(at + 1) * size));
        Ok(item)
    }),
    Def::method("remove", "(self, v, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let size = array.size();
        match find(vm, array, &args[1], 0, usize::MAX)? {
            Some(at) => {
                let data = array.resizable(vm, 0)?;
                // The comparison may have run code that shortened the array.
                if (at + 1) * size <= data.len() {
                    drop(data.drain(at * size..(at + 1) * size));
                }
                Ok(Value::NONE)
            }
            None => Err(vm.value_error("array.remove(x): x not in array")),
        }
    }),
    Def::method("reverse", "(self, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        let size = array.size();
        let data = array.data.get_mut(vm);
        // Reversing all bytes reverses the items and the bytes in each.
        data.reverse();
        data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        Ok(Value::NONE)
    }),
    Def::method("tobytes", "(self, /)", |vm, args| {
        to_bytes(vm, receiver::<Array>(&args[0]))
    }),
    Def::method("tofile", "(self, f, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        if array.len(vm) > 0 {
            let data = to_bytes(vm, array)?;
            vm.call_method(&args[1], &names::intern("write"), &[data])?;
        }
        Ok(Value::NONE)
    }),
    Def::method("tolist", "(self, /)", |vm, args| {
        Ok(List::value(to_list(vm, receiver::<Array>(&args[0]))?))
    }),
    Def::method("tounicode", "(self, /)", |vm, args| {
        let array = receiver::<Array>(&args[0]);
        if !array.is_text() {
            return Err(vm.value_error(
                "tounicode() may only be called on unicode type arrays ('u' or 'w')",
            ));
        }
        to_unicode(vm, array)
    }),
    Def::method("__sizeof__", "(self, /)", |vm, args| {
        Ok(Value::int(
            (size_of::<crate::heap::Boxed<Array>>()
                + receiver::<Array>(&args[0]).data.get(vm).capacity()) as i64,
        ))
    }),
    Def::class_method("__class_getitem__", "(cls, object, /)", class_getitem),
];
