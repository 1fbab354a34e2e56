//! Builtin functions on text: `ascii`, `chr`, `ord`.

use crate::objects::bytes::buffer;
use crate::objects::string::{Str, percent};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

/// `ascii(v)`
pub fn ascii(vm: &mut Vm, v: &Value) -> R {
    percent::ascii(vm, v).map(Value::from_ref)
}

/// `chr(v)`
pub fn chr(vm: &mut Vm, v: &Value) -> R {
    let i = vm.index(v)?;
    match i.as_int().and_then(|i| i.to_i64()) {
        Some(c @ 0..0x11_0000) => Ok(Str::from_char(c as u32)),
        _ => Err(vm.value_error("chr() arg not in range(0x110000)")),
    }
}

/// `ord(v)`
pub fn ord(vm: &mut Vm, v: &Value) -> R {
    let length = if let Some(s) = v.as_ref::<Str>() {
        if s.len() == 1 {
            return Ok(Value::small_int(s.char_at(0) as i64));
        }
        s.len()
    } else if buffer::is_plain(v) {
        let data = buffer::view(vm, v).unwrap_or_default();
        if let [b] = data {
            return Ok(Value::small_int(*b as i64));
        }
        data.len()
    } else {
        return Err(vm.type_error(format!(
            "ord() expected string of length 1, but {} found",
            class_of(v).name()
        )));
    };
    Err(vm.type_error(format!(
        "ord() expected a character, but string of length {length} found"
    )))
}
