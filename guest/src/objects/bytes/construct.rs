//! Making `bytes` and `bytearray`: from numbers, text, buffers and iterables.

use super::{ByteArray, Bytes, buffer};
use crate::heap::{Payload, Ref};
use crate::names;
use crate::objects::codec_registry;
use crate::objects::native::{Params, receiver};
use crate::objects::string::Str;
use crate::objects::string::search::text_arg;
use crate::objects::types::Type;
use crate::value::Value;
use crate::vm::args::{Args, optional};
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

static PARAMS: &Params = crate::params!("(source=b'', encoding='utf-8', errors='strict')");

/// `bytes(...)`
pub fn new_bytes(vm: &mut Vm, class: &Ref<Type>, args: Args) -> R {
    if let ([v], []) = (args.positional(), args.names())
        && v.is_exact::<Bytes>()
        && class.same(Bytes::class())
    {
        return Ok(v.clone());
    }
    let bound = args.bind(vm, "bytes", PARAMS, 0)?;
    if let [v] = bound.as_slice()
        && let Some(made) = vm.call_special_opt(v, &names::intern("__bytes__"), &[])?
    {
        let Some(b) = made.as_ref::<Bytes>() else {
            return Err(vm.type_error(format!(
                "__bytes__ returned non-bytes (type {})",
                class_of(&made).name()
            )));
        };
        return Ok(if class.same(Bytes::class()) {
            made
        } else {
            Bytes::instance(class, b.data.to_vec())
        });
    }
    let data = from_arguments(vm, &bound, "bytes")?;
    Ok(Bytes::instance(class, data))
}

/// `bytearray.__new__`: always empty; `__init__` fills it.
pub fn new_array(_: &mut Vm, class: &Ref<Type>, _: Args) -> R {
    Ok(ByteArray::instance(class, Vec::new()))
}

/// `bytearray.__init__`
pub fn init_array(vm: &mut Vm, v: &Value, args: Args) -> R<()> {
    let bound = args.bind(vm, "bytearray", PARAMS, 0)?;
    let data = from_arguments(vm, &bound, "bytearray")?;
    let array = receiver::<ByteArray>(v);
    if array.exports.get() > 0 {
        return Err(vm.buffer_error("Existing exports of data: object cannot be re-sized"));
    }
    drop(array.data.replace(vm, data));
    Ok(())
}

fn from_arguments(vm: &mut Vm, bound: &[Value], name: &str) -> R<Vec<u8>> {
    let encoding = optional(bound, 1);
    let errors = optional(bound, 2);
    for (v, what) in [(encoding, "encoding"), (errors, "errors")] {
        if let Some(v) = v {
            text_arg(vm, v, &format!("{name}() argument '{what}'"))?;
        }
    }
    let Some(source) = optional(bound, 0) else {
        return match (encoding, errors) {
            (None, None) => Ok(Vec::new()),
            (Some(_), _) => Err(vm.type_error("encoding without a string argument")),
            (None, Some(_)) => Err(vm.type_error("errors without a string argument")),
        };
    };
    if let Some(s) = source.as_ref::<Str>() {
        if encoding.is_none() && errors.is_none() {
            return Err(vm.type_error("string argument without an encoding"));
        }
        let encoding = match encoding {
            Some(v) => text_arg(vm, v, &format!("{name}() argument 'encoding'"))?
                .to_text()
                .into_owned(),
            None => return Err(vm.type_error("string argument without an encoding")),
        };
        let errors = match errors {
            Some(v) => Some(text_arg(vm, v, &format!("{name}() argument 'errors'"))?.clone()),
            None => None,
        };
        let encoded = codec_registry::encode_text(vm, s, &encoding, errors.as_ref())?;
        return buffer::copy(vm, &encoded);
    }
    if encoding.is_some() {
        return Err(vm.type_error("encoding without a string argument"));
    }
    if errors.is_some() {
        return Err(vm.type_error("errors without a string argument"));
    }
    from_object(vm, source, name)
}

/// The bytes that an object other than text stands for.
pub fn from_object(vm: &mut Vm, v: &Value, name: &str) -> R<Vec<u8>> {
    if buffer::is_buffer(v) {
        return buffer::copy(vm, v);
    }
    if let Some(lent) = buffer::lent(vm, v)? {
        return buffer::copy(vm, &lent);
    }
    if v.as_int().is_some() || class_of(v).slots().index.is_some() {
        let i = match vm.index(v) {
            Ok(i) => i,
            Err(raised) => {
                // What cannot be converted may be something to iterate over.
                vm.swallow(raised, crate::objects::exception::Exc::TypeError)?;
                return from_iterable_object(vm, v, name);
            }
        };
        let Some(n) = i.as_int().and_then(|i| i.to_i64()) else {
            let text = format!(
                "cannot fit '{}' into an index-sized integer",
                class_of(v).name()
            );
            return Err(vm.overflow_error(text));
        };
        let Ok(n) = usize::try_from(n) else {
            return Err(if n < 0 {
                vm.value_error("negative count")
            } else {
                vm.memory_error()
            });
        };
        vm.text_size(n)?;
        return Ok(vec![0; n]);
    }
    from_iterable_object(vm, v, name)
}

fn from_iterable_object(vm: &mut Vm, v: &Value, name: &str) -> R<Vec<u8>> {
    let slots = class_of(v).slots();
    if slots.iter.is_none() && slots.getitem.is_none() {
        return Err(vm.type_error(format!(
            "cannot convert '{}' object to {name}",
            class_of(v).name()
        )));
    }
    from_iterable(vm, v, name)
}

/// The bytes of an iterable of integers.
pub fn from_iterable(vm: &mut Vm, v: &Value, name: &str) -> R<Vec<u8>> {
    let noun = if name == "bytes" { "bytes" } else { "byte" };
    let mut out = Vec::new();
    if class_of(v).slots().iter.is_some() {
        // CPython asks before it begins, and what the answer raises is passed on.
        vm.length_hint(v)?;
    }
    vm.for_each(v, |vm, item| {
        let b = byte(vm, &item, noun)?;
        if out.len() == out.capacity() {
            vm.text_size(out.len().saturating_mul(3))?;
        }
        out.push(b);
        Ok(())
    })?;
    Ok(out)
}

/// A number from 0 to 255; `noun` begins the message if it is not.
pub fn byte(vm: &mut Vm, v: &Value, noun: &str) -> R<u8> {
    let i = match v.as_small_int() {
        Some(i) => Some(i),
        None => vm.index(v)?.as_int().and_then(|i| i.to_i64()),
    };
    match i.and_then(|i| u8::try_from(i).ok()) {
        Some(b) => Ok(b),
        None => Err(vm.value_error(format!("{noun} must be in range(0, 256)"))),
    }
}
