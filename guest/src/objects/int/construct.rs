//! `int(...)`: from texts, from bytes, from other numbers.

use super::Int;
use super::arith::exact;
use crate::heap::{Payload, Ref};
use crate::objects::bytes::{ByteArray, Bytes};
use crate::objects::string::Str;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::Args;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::int_text;

/// `int(x=0, /, base=10)` for `int` and its subclasses.
pub fn new(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    let value = match args.values() {
        [] => Value::small_int(0),
        [x] if args.names().is_empty() => from_object(vm, x)?,
        _ => with_keywords(vm, args)?,
    };
    if class.same(Int::class()) {
        return Ok(value);
    }
    Ok(match value.as_int() {
        Some(i) => Int::instance(class, i.to_big()),
        None => value,
    })
}

fn with_keywords(vm: &mut Vm, args: Args) -> R {
    let count = args.values().len();
    if count > 2 {
        return Err(vm.type_error(if args.names().is_empty() {
            format!("int expected at most 2 arguments, got {count}")
        } else {
            format!("int() takes at most 2 arguments ({count} given)")
        }));
    }
    let mut base = args.positional().get(1);
    for (name, value) in args.keywords() {
        if name.as_bytes() != b"base" {
            let name = name.to_text().into_owned();
            return Err(vm.type_error(format!("int() got an unexpected keyword argument '{name}'")));
        }
        if base.is_some() {
            return Err(vm.type_error("argument for int() given by name ('base') and position (2)"));
        }
        base = Some(value);
    }
    let (Some(x), Some(base)) = (args.positional().first(), base) else {
        return Err(vm.type_error("int() missing string argument"));
    };
    let base = match u32::try_from(vm.index_clamped(base)?) {
        Ok(base) if base == 0 || (2..=36).contains(&base) => base,
        _ => return Err(vm.value_error("int() base must be >= 2 and <= 36, or 0")),
    };
    match from_text(vm, x, base)? {
        Some(i) => Ok(i),
        None => Err(vm.type_error("int() can't convert non-string with explicit base")),
    }
}

/// The number that a `str`, `bytes` or `bytearray` spells; `None` for other objects.
fn from_text(vm: &mut Vm, x: &Value, base: u32) -> R<Option<Value>> {
    let limit = vm.max_str_digits;
    let result = if let Some(s) = x.as_ref::<Str>() {
        int_text::parse(&s.to_text(), base, limit)
    } else if let Some(b) = x.as_ref::<Bytes>() {
        int_text::parse_ascii(&b.data, base, limit)
    } else if let Some(b) = x.as_ref::<ByteArray>() {
        int_text::parse_ascii(b.data.get(vm), base, limit)
    } else {
        return Ok(None);
    };
    match result {
        Ok(i) => Ok(Some(i.into())),
        Err(e) => {
            let repr = vm.repr(x)?;
            Err(vm.numeric_error(e.into_error(base, &repr.to_text())))
        }
    }
}

/// `int(x)`
pub fn from_object(vm: &mut Vm, x: &Value) -> R {
    if x.is_small_int() {
        return Ok(x.clone());
    }
    let slots = class_of(x).slots();
    if let Some(f) = slots.int {
        let i = f(vm, x)?;
        return Ok(exact(&i));
    }
    if slots.index.is_some() {
        return vm.index(x);
    }
    if let Some(i) = from_text(vm, x, 10)? {
        return Ok(i);
    }
    if let Some(data) = vm.bytes_like(x)? {
        let limit = vm.max_str_digits;
        return match int_text::parse_ascii(&data, 10, limit) {
            Ok(i) => Ok(i.into()),
            Err(e) => {
                let shown = crate::objects::bytes::Bytes::value(data);
                let repr = vm.repr(&shown)?;
                Err(vm.numeric_error(e.into_error(10, &repr.to_text())))
            }
        };
    }
    let name = vm.class_name(x);
    Err(vm.type_error(format!(
        "int() argument must be a string, a bytes-like object or a real number, not '{name}'"
    )))
}
