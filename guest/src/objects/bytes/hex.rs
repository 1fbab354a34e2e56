//! Bytes as hexadecimal digits: `bytes.hex`, `bytes.fromhex`.

use super::buffer;
use crate::objects::string::Str;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// `data.hex(sep, bytes_per_sep)`; the arguments are at `index` and behind.
pub fn method(vm: &mut Vm, data: &[u8], args: &[Value], index: usize) -> R {
    let group = match optional(args, index + 1) {
        None => 1,
        Some(v) => match i32::try_from(vm.index_clamped(v)?) {
            Ok(n) => n as i64,
            Err(_) => return Err(vm.overflow_error("Python int too large to convert to C int")),
        },
    };
    let sep = match optional(args, index) {
        None => None,
        Some(v) => Some(separator(vm, v)?),
    };
    vm.text_size(data.len().saturating_mul(3))?;
    Ok(Str::value_wtf8(&digits(data, sep, group)))
}

fn separator(vm: &mut Vm, v: &Value) -> R<u8> {
    let bytes = match v.as_ref::<Str>() {
        Some(s) if s.len() == 1 && !s.is_ascii() => {
            return Err(vm.value_error("sep must be ASCII."));
        }
        Some(s) => s.as_bytes().to_vec(),
        None if v.is::<super::Bytes>() => buffer::copy(vm, v)?,
        None => {
            // Its length is asked for first.
            if vm.len(v)? != 1 {
                return Err(vm.value_error("sep must be length 1."));
            }
            return Err(vm.type_error("sep must be str or bytes."));
        }
    };
    match bytes.as_slice() {
        [b] if b.is_ascii() => Ok(*b),
        [_] => Err(vm.value_error("sep must be ASCII.")),
        _ => Err(vm.value_error("sep must be length 1.")),
    }
}

/// The digits of `data`, a separator after every `group` bytes counted from the right (from the left if negative).
pub fn digits(data: &[u8], sep: Option<u8>, group: i64) -> Vec<u8> {
    let size = group.unsigned_abs() as usize;
    let mut out = Vec::with_capacity(
        data.len() * 2
            + if sep.is_some() && size > 0 {
                data.len() / size
            } else {
                0
            },
    );
    // The first group is the one that may be short.
    let lead = if group > 0 && size > 0 {
        data.len() % size
    } else {
        0
    };
    for (i, &b) in data.iter().enumerate() {
        if let Some(sep) = sep
            && size > 0
            && i > 0
            && (i + size - lead).is_multiple_of(size)
        {
            out.push(sep);
        }
        out.extend([DIGITS[b as usize >> 4], DIGITS[b as usize & 15]]);
    }
    out
}

/// `fromhex`: the bytes that the digits stand for.
pub fn parse(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    let text: Vec<u8> = match v.as_ref::<Str>() {
        Some(s) => {
            if !s.is_ascii() {
                let at = s.chars().position(|c| c >= 0x80).unwrap_or(0);
                // Digits before it are looked at first.
                let before = s.slice_bytes(0, at).to_vec();
                decode(vm, &before, true)?;
                return Err(vm.value_error(format!(
                    "non-hexadecimal number found in fromhex() arg at position {at}"
                )));
            }
            s.as_bytes().to_vec()
        }
        None if buffer::is_buffer(v) => buffer::copy(vm, v)?,
        None => {
            return Err(vm.type_error(format!(
                "fromhex() argument must be str or bytes-like, not {}",
                class_of(v).name()
            )));
        }
    };
    decode(vm, &text, false)
}

fn decode(vm: &mut Vm, text: &[u8], more: bool) -> R<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut at = 0;
    while at < text.len() {
        if matches!(text[at], b' ' | 9..=13) {
            at += 1;
            continue;
        }
        let Some(high) = digit(text[at]) else {
            return Err(bad_digit(vm, at));
        };
        match text.get(at + 1).map(|&b| digit(b)) {
            Some(Some(low)) => out.push(high << 4 | low),
            Some(None) => return Err(bad_digit(vm, at + 1)),
            None if more => return Ok(out),
            None => {
                return Err(vm.value_error(
                    "fromhex() arg must contain an even number of hexadecimal digits",
                ));
            }
        }
        at += 2;
    }
    Ok(out)
}

#[cold]
fn bad_digit(vm: &mut Vm, at: usize) -> crate::vm::Raised {
    vm.value_error(format!(
        "non-hexadecimal number found in fromhex() arg at position {at}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_count_from_either_end() {
        let text = |group| {
            String::from_utf8(digits(&[0x12, 0x34, 0x56], Some(b'-'), group)).unwrap_or_default()
        };
        assert_eq!(text(1), "12-34-56");
        assert_eq!(text(2), "12-3456");
        assert_eq!(text(-2), "1234-56");
        assert_eq!(text(9), "123456");
        assert_eq!(text(0), "123456");
    }
}
