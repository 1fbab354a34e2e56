//! Items of arrays: from values to bytes and back.

use crate::objects::bytes::items::Item;
use crate::objects::int::IntRef;
use crate::objects::string::{self, Str};
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use num_traits::{Signed, ToPrimitive};

/// Whether arrays of this code hold characters.
pub(super) fn is_text(code: u8) -> bool {
    matches!(code, b'u' | b'w')
}

/// Bytes of an item.
#[inline]
pub(super) fn size(code: u8) -> usize {
    match code {
        b'b' | b'B' => 1,
        b'h' | b'H' => 2,
        b'i' | b'I' | b'f' | b'u' | b'w' => 4,
        _ => 8,
    }
}

/// The value of an item.
pub(super) fn read(vm: &mut Vm, code: u8, data: &[u8]) -> R {
    match Item::of_code(code, true) {
        Some(item) => Ok(item.read(data, false)),
        None => {
            let mut raw = [0; 4];
            raw.copy_from_slice(data);
            match u32::from_le_bytes(raw) {
                c if c <= 0x10FFFF => Ok(Str::from_char(c)),
                _ => Err(vm.value_error("chr() arg not in range(0x110000)")),
            }
        }
    }
}

/// The bytes of a value; as many count as an item has.
pub(super) fn write(vm: &mut Vm, code: u8, v: &Value) -> R<[u8; 8]> {
    match code {
        b'u' | b'w' => {
            let Some(s) = v.as_ref::<Str>() else {
                return Err(vm.type_error(format!(
                    "array item must be a unicode character, not {}",
                    class_of(v).name()
                )));
            };
            if s.len() != 1 {
                let n = s.len();
                return Err(vm.type_error(format!(
                    "array item must be a string of length 1, not a string of length {n}"
                )));
            }
            Ok((s.char_at(0) as u64).to_le_bytes())
        }
        b'f' | b'd' => {
            let Some(x) = vm.to_double_opt(v)? else {
                return Err(
                    vm.type_error(format!("must be real number, not {}", class_of(v).name()))
                );
            };
            // A number too large for single precision becomes infinite.
            Ok(if code == b'f' {
                ((x as f32).to_bits() as u64).to_le_bytes()
            } else {
                Value::public_bits(x).to_le_bytes()
            })
        }
        _ => integer(vm, code, v),
    }
}

fn integer(vm: &mut Vm, code: u8, v: &Value) -> R<[u8; 8]> {
    let i = vm.index(v)?;
    let (signed, unsigned, negative) = match i.as_int() {
        Some(IntRef::Small(i)) => (Some(i), u64::try_from(i).ok(), i < 0),
        Some(IntRef::Big(b)) => (b.to_i64(), b.to_u64(), b.is_negative()),
        None => (None, None, false),
    };
    let bounded = match code {
        b'b' => Some((i8::MIN as i64, i8::MAX as i64, "signed char")),
        b'B' => Some((0, u8::MAX as i64, "unsigned byte integer")),
        b'h' => Some((i16::MIN as i64, i16::MAX as i64, "signed short integer")),
        b'H' => Some((0, u16::MAX as i64, "unsigned short")),
        b'i' => Some((i32::MIN as i64, i32::MAX as i64, "signed integer")),
        b'l' => Some((i64::MIN, i64::MAX, "")),
        _ => None,
    };
    if let Some((min, max, what)) = bounded {
        return match signed {
            None => Err(vm.overflow_error("Python int too large to convert to C long")),
            Some(i) if i < min => Err(vm.overflow_error(format!("{what} is less than minimum"))),
            Some(i) if i > max => Err(vm.overflow_error(format!("{what} is greater than maximum"))),
            Some(i) => Ok(i.to_le_bytes()),
        };
    }
    match (code, signed, unsigned) {
        (b'q', Some(i), _) => Ok(i.to_le_bytes()),
        (b'q', None, _) => Err(vm.overflow_error("int too big to convert")),
        (b'Q', ..) if negative => Err(vm.overflow_error("can't convert negative int to unsigned")),
        (b'Q', _, None) => Err(vm.overflow_error("int too big to convert")),
        _ if negative => Err(vm.overflow_error("can't convert negative value to unsigned int")),
        (_, _, None) => {
            Err(vm.overflow_error("Python int too large to convert to C unsigned long"))
        }
        (b'I', _, Some(u)) if u > u32::MAX as u64 => {
            Err(vm.overflow_error("unsigned int is greater than maximum"))
        }
        (_, _, Some(u)) => Ok(u.to_le_bytes()),
    }
}

/// The characters of a text as items.
pub(super) fn from_text(vm: &mut Vm, s: &Str) -> R<Vec<u8>> {
    let size = vm.text_size(s.len().saturating_mul(4))?;
    let mut out = Vec::with_capacity(size);
    s.chars()
        .for_each(|c| out.extend_from_slice(&c.to_le_bytes()));
    Ok(out)
}

/// The text of items that are characters.
pub(super) fn to_text(vm: &mut Vm, data: &[u8]) -> R {
    vm.text_size(data.len())?;
    let mut out = Vec::with_capacity(data.len() / 4);
    for item in data.chunks_exact(4) {
        let c = u32::from_le_bytes([item[0], item[1], item[2], item[3]]);
        if c > 0x10FFFF {
            return Err(vm.value_error(format!(
                "character U+{c:x} is not in range [U+0000; U+10ffff]"
            )));
        }
        string::push_char(&mut out, c);
    }
    Ok(Str::value_wtf8(&out))
}
