//! The module `binascii`: bytes as text (base 64, hexadecimal, uuencode, quoted-printable) and check sums.

use crate::heap::Ref;
use crate::objects::bytes::{Bytes, buffer, hex};
use crate::objects::exception::Exc;
use crate::objects::module::Module;
use crate::objects::native::Def;
use crate::objects::string::Str;
use crate::objects::types::{BASE, ClassBuilder, Type};
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::ops::class_of;
use crate::vm::{R, Raised, Vm};

/// The name of the exception class among the machine's settings.
const ERROR: &str = "binascii.Error";

/// Makes the module.
pub(crate) fn module(vm: &mut Vm) -> Ref<Module> {
    let module = Module::native(
        vm,
        "binascii",
        "Conversion between binary data and ASCII",
        FUNCTIONS,
    );
    let error = exception_class(vm, "Error", "binascii", Exc::ValueError);
    vm.settings.insert(ERROR, error.to_value());
    module.set(vm, "Error", error.to_value());
    let incomplete = exception_class(vm, "Incomplete", "binascii", Exc::Exception);
    module.set(vm, "Incomplete", incomplete.to_value());
    module
}

/// A native exception class of a module.
pub(crate) fn exception_class(vm: &mut Vm, name: &str, module: &str, base: Exc) -> Ref<Type> {
    let class = ClassBuilder::sibling::<crate::objects::exception::Exception>(name)
        .flags(BASE)
        .base(base.class());
    class.module(vm, module).build(vm)
}

#[cold]
fn error(vm: &mut Vm, message: &str) -> Raised {
    match vm
        .settings
        .get(ERROR)
        .and_then(|c| c.as_ref::<Type>())
        .cloned()
    {
        Some(class) => {
            let args = crate::objects::tuple::Tuple::value(vec![Str::value(message)]);
            vm.raise_args(&class, args)
        }
        None => vm.value_error(message),
    }
}

static FUNCTIONS: &[Def] = &[
    Def::function(
        "a2b_base64",
        "(data, /, *, strict_mode=False)",
        |vm, args| {
            let data = ascii_arg(vm, &args[0])?;
            let strict = match optional(args, 1) {
                Some(v) => vm.truthy(v)?,
                None => false,
            };
            match decode_base64(&data, strict) {
                Ok(out) => Ok(Bytes::value(out)),
                Err(message) => Err(error(vm, &message)),
            }
        },
    ),
    Def::function("a2b_hex", "(hexstr, /)", unhexlify),
    Def::function("a2b_qp", "(data, header=False)", |vm, args| {
        let data = ascii_arg(vm, &args[0])?;
        let header = match optional(args, 1) {
            Some(v) => vm.truthy(v)?,
            None => false,
        };
        Ok(Bytes::value(decode_quoted(&data, header)))
    }),
    Def::function("a2b_uu", "(data, /)", |vm, args| {
        let data = ascii_arg(vm, &args[0])?;
        match decode_uu(&data) {
            Ok(out) => Ok(Bytes::value(out)),
            Err(message) => Err(error(vm, message)),
        }
    }),
    Def::function("b2a_base64", "(data, /, *, newline=True)", |vm, args| {
        let data = buffer::copy(vm, &args[0])?;
        let newline = match optional(args, 1) {
            Some(v) => vm.truthy(v)?,
            None => true,
        };
        vm.text_size(data.len().saturating_mul(4) / 3 + 4)?;
        let mut out = encode_base64(&data);
        if newline {
            out.push(b'\n');
        }
        Ok(Bytes::value(out))
    }),
    Def::function("b2a_hex", "(data, sep=None, bytes_per_sep=1)", hexlify),
    Def::function(
        "b2a_qp",
        "(data, quotetabs=False, istext=True, header=False)",
        |vm, args| {
            let data = buffer::copy(vm, &args[0])?;
            let mut flags = [false, true, false];
            for (i, flag) in flags.iter_mut().enumerate() {
                if let Some(v) = optional(args, i + 1) {
                    *flag = vm.truthy(v)?;
                }
            }
            Ok(Bytes::value(encode_quoted(
                &data, flags[0], flags[1], flags[2],
            )))
        },
    ),
    Def::function("b2a_uu", "(data, /, *, backtick=False)", |vm, args| {
        let data = buffer::copy(vm, &args[0])?;
        let backtick = match optional(args, 1) {
            Some(v) => vm.truthy(v)?,
            None => false,
        };
        if data.len() > 45 {
            return Err(error(vm, "At most 45 bytes at once"));
        }
        Ok(Bytes::value(encode_uu(&data, backtick)))
    }),
    Def::function("crc32", "(data, crc=0, /)", |vm, args| {
        let start = checksum_start(vm, args, 1)?;
        let data = buffer::arg(vm, &args[0])?;
        let sum = crc32(buffer::view(vm, &data).unwrap_or_default(), start as u32);
        Ok(Value::int(sum as i64))
    }),
    Def::function("crc_hqx", "(data, crc, /)", |vm, args| {
        let start = checksum_start(vm, args, 1)?;
        let data = buffer::arg(vm, &args[0])?;
        let sum = crc_hqx(buffer::view(vm, &data).unwrap_or_default(), start as u16);
        Ok(Value::int(sum as i64))
    }),
    Def::function("hexlify", "(data, sep=None, bytes_per_sep=1)", hexlify),
    Def::function("unhexlify", "(hexstr, /)", unhexlify),
];

pub(crate) fn checksum_start(vm: &mut Vm, args: &[Value], index: usize) -> R<u64> {
    match optional(args, index) {
        Some(v) => {
            // Only the low bits count, whatever the sign.
            let i = vm.index_big(v)?;
            let low = i & coldframe_numeric::BigInt::from(u32::MAX);
            Ok(u64::try_from(low).unwrap_or(0))
        }
        None => Ok(0),
    }
}

/// Bytes, or text that is ASCII.
fn ascii_arg(vm: &mut Vm, v: &Value) -> R<Vec<u8>> {
    match v.as_ref::<Str>() {
        Some(s) if s.is_ascii() => Ok(s.as_bytes().to_vec()),
        Some(_) => Err(vm.value_error("string argument should contain only ASCII characters")),
        None if buffer::is_buffer(v) => buffer::copy(vm, v),
        None => {
            let name = class_of(v).name().into_owned();
            Err(vm.type_error(format!(
                "argument should be bytes, buffer or ASCII string, not '{name}'"
            )))
        }
    }
}

fn hexlify(vm: &mut Vm, args: &[Value]) -> R {
    let data = buffer::copy(vm, &args[0])?;
    let text = hex::method(vm, &data, args, 1)?;
    Ok(Bytes::value(
        text.as_ref::<Str>()
            .map(|s| s.as_bytes().to_vec())
            .unwrap_or_default(),
    ))
}

fn unhexlify(vm: &mut Vm, args: &[Value]) -> R {
    let text = ascii_arg(vm, &args[0])?;
    if !text.len().is_multiple_of(2) {
        return Err(error(vm, "Odd-length string"));
    }
    let digit = |b: u8| (b as char).to_digit(16);
    let mut out = Vec::with_capacity(text.len() / 2);
    for pair in text.chunks_exact(2) {
        match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => out.push((high << 4 | low) as u8),
            _ => return Err(error(vm, "Non-hexadecimal digit found")),
        }
    }
    Ok(Bytes::value(out))
}

// ---- base 64 (RFC 4648)

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn sextet(b: u8) -> Option<u32> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    } as u32)
}

fn encode_base64(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len().div_ceil(3) * 4 + 1);
    for chunk in data.chunks(3) {
        let bits = chunk
            .iter()
            .enumerate()
            .fold(0u32, |bits, (i, &b)| bits | (b as u32) << (16 - 8 * i));
        for i in 0..4 {
            out.push(if i <= chunk.len() {
                BASE64[(bits >> (18 - 6 * i) & 63) as usize]
            } else {
                b'='
            });
        }
    }
    out
}

/// Characters that are not of the alphabet are skipped, unless `strict`.
fn decode_base64(text: &[u8], strict: bool) -> Result<Vec<u8>, String> {
    if strict && text.first() == Some(&b'=') {
        return Err("Leading padding not allowed".to_owned());
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut filled, mut pads) = (0u32, 0u32, 0u32);
    let mut padding_started = false;
    for (i, &b) in text.iter().enumerate() {
        if b == b'=' {
            padding_started = true;
            if strict && filled == 0 {
                return Err("Excess padding not allowed".to_owned());
            }
            pads += 1;
            if filled >= 2 && filled + pads >= 4 {
                if strict && i + 1 < text.len() {
                    return Err("Excess data after padding".to_owned());
                }
                return Ok(out);
            }
            continue;
        }
        let Some(value) = sextet(b) else {
            if strict {
                return Err("Only base64 data is allowed".to_owned());
            }
            continue;
        };
        if strict && padding_started {
            return Err("Discontinuous padding not allowed".to_owned());
        }
        pads = 0;
        bits = bits << 6 | value;
        filled += 1;
        match filled {
            1 => {}
            2 => out.push((bits >> 4) as u8),
            3 => out.push((bits >> 2) as u8),
            _ => {
                out.push(bits as u8);
                (bits, filled) = (0, 0);
            }
        }
    }
    match filled {
        0 => Ok(out),
        1 => Err(format!(
            "Invalid base64-encoded string: number of data characters ({}) cannot be 1 more than a multiple of 4",
            out.len() / 3 * 4 + 1
        )),
        _ => Err("Incorrect padding".to_owned()),
    }
}

// ---- uuencode

fn encode_uu(data: &[u8], backtick: bool) -> Vec<u8> {
    let letter = |v: u32| {
        if v == 0 && backtick {
            b'`'
        } else {
            v as u8 + b' '
        }
    };
    let mut out = vec![letter(data.len() as u32)];
    for chunk in data.chunks(3) {
        let bits = chunk
            .iter()
            .enumerate()
            .fold(0u32, |bits, (i, &b)| bits | (b as u32) << (16 - 8 * i));
        (0..4).for_each(|i| out.push(letter(bits >> (18 - 6 * i) & 63)));
    }
    out.push(b'\n');
    out
}

fn decode_uu(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let Some((&first, rest)) = text.split_first() else {
        return Ok(Vec::new());
    };
    let len = (first.wrapping_sub(b' ') & 63) as usize;
    let mut out = Vec::with_capacity(len);
    let mut chars = rest.iter();
    let (mut bits, mut filled) = (0u32, 0);
    while out.len() < len {
        let value = match chars.next() {
            // Blanks at the end may have been stripped.
            None | Some(b'\n' | b'\r') => 0,
            Some(&b) if (b' '..=b'`').contains(&b) => (b - b' ') as u32 & 63,
            Some(_) => return Err("Illegal char"),
        };
        bits = bits << 6 | value;
        filled += 6;
        if filled >= 8 {
            filled -= 8;
            out.push((bits >> filled) as u8);
        }
    }
    if chars.any(|b| !matches!(b, b' ' | b'`' | b'\n' | b'\r')) {
        return Err("Trailing garbage");
    }
    Ok(out)
}

// ---- quoted-printable (RFC 1521)

fn decode_quoted(data: &[u8], header: bool) -> Vec<u8> {
    let digit = |b: Option<&u8>| b.and_then(|&b| (b as char).to_digit(16));
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while let Some(&b) = data.get(at) {
        at += 1;
        match b {
            b'=' => match data.get(at) {
                None => {}
                Some(b'\n' | b'\r') => {
                    // A soft line break: nothing, up to the line's end.
                    while data.get(at).is_some_and(|&b| b != b'\n') {
                        at += 1;
                    }
                    at += 1;
                }
                Some(b'=') => {
                    out.push(b'=');
                    at += 1;
                }
                Some(_) => match (digit(data.get(at)), digit(data.get(at + 1))) {
                    (Some(high), Some(low)) => {
                        out.push((high << 4 | low) as u8);
                        at += 2;
                    }
                    _ => out.push(b'='),
                },
            },
            b'_' if header => out.push(b' '),
            _ => out.push(b),
        }
    }
    out
}

fn encode_quoted(data: &[u8], quote_tabs: bool, is_text: bool, header: bool) -> Vec<u8> {
    const LINE: usize = 76;
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let crlf = memchr::memchr(b'\n', data).is_some_and(|i| i > 0 && data[i - 1] == b'\r');
    let newline: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let mut out = Vec::with_capacity(data.len() + 16);
    let mut column = 0;
    let mut at = 0;
    while let Some(&b) = data.get(at) {
        let next = data.get(at + 1);
        let lonely_dot = b == b'.' && column == 0 && matches!(next, None | Some(b'\n' | b'\r' | 0));
        let quoted = b > 126
            || b == b'='
            || (header && b == b'_')
            || lonely_dot
            || (!is_text && matches!(b, b'\r' | b'\n'))
            || (matches!(b, b'\t' | b' ') && next.is_none())
            || (b < 33 && !matches!(b, b'\r' | b'\n' | b'\t' | b' '))
            || (b < 33 && !matches!(b, b'\r' | b'\n') && quote_tabs);
        if quoted {
            if column + 3 >= LINE {
                out.push(b'=');
                out.extend_from_slice(newline);
                column = 0;
            }
            out.extend([b'=', HEX[b as usize >> 4], HEX[b as usize & 15]]);
            at += 1;
            column += 3;
            continue;
        }
        if is_text && (b == b'\n' || (b == b'\r' && next == Some(&b'\n'))) {
            // White space before a line's end must be quoted.
            if let Some(&last @ (b' ' | b'\t')) = out.last() {
                out.pop();
                out.extend([b'=', HEX[last as usize >> 4], HEX[last as usize & 15]]);
            }
            out.extend_from_slice(newline);
            at += if b == b'\r' { 2 } else { 1 };
            column = 0;
            continue;
        }
        if next.is_some_and(|&n| n != b'\n') && column + 1 >= LINE {
            out.push(b'=');
            out.extend_from_slice(newline);
            column = 0;
        }
        column += 1;
        out.push(if header && b == b' ' { b'_' } else { b });
        at += 1;
    }
    out
}

// ---- check sums

/// CRC-32 as gzip and PNG have it, continuing from `start`.
pub(crate) fn crc32(data: &[u8], start: u32) -> u32 {
    !crc32_on(!start, data)
}

/// What becomes of a CRC-32 that is being made, by eight bytes in a turn (Kounavis and Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
/// Generation", 2008): row `n` of the tables is for a byte that `n` others follow.
pub(crate) fn crc32_on(start: u32, data: &[u8]) -> u32 {
    static TABLES: [[u32; 256]; 8] = {
        let mut tables = [[0; 256]; 8];
        let mut i = 0;
        while i < 256 {
            let mut c = i as u32;
            let mut bit = 0;
            while bit < 8 {
                c = if c & 1 != 0 {
                    0xEDB8_8320 ^ (c >> 1)
                } else {
                    c >> 1
                };
                bit += 1;
            }
            tables[0][i] = c;
            i += 1;
        }
        let mut at = 256;
        while at < 8 * 256 {
            let before = tables[at / 256 - 1][at % 256];
            tables[at / 256][at % 256] = tables[0][(before & 0xFF) as usize] ^ (before >> 8);
            at += 1;
        }
        tables
    };
    let (words, rest) = data.as_chunks::<8>();
    let mut crc = start;
    for word in words {
        let word = u64::from_le_bytes(*word) ^ u64::from(crc);
        let part = |i: usize| TABLES[7 - i][(word >> (8 * i) & 0xFF) as usize];
        crc = part(0) ^ part(1) ^ part(2) ^ part(3) ^ part(4) ^ part(5) ^ part(6) ^ part(7);
    }
    rest.iter().fold(crc, |crc, &b| {
        TABLES[0][(crc as u8 ^ b) as usize] ^ (crc >> 8)
    })
}

/// CRC-CCITT, as binhex4 has it.
fn crc_hqx(data: &[u8], start: u16) -> u16 {
    data.iter().fold(start, |crc, &b| {
        (0..8).fold(crc ^ (b as u16) << 8, |c, _| {
            if c & 0x8000 != 0 {
                c << 1 ^ 0x1021
            } else {
                c << 1
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_sums_of_the_usual_text() {
        assert_eq!(crc32(b"123456789", 0), 0xCBF4_3926);
        assert_eq!(crc_hqx(b"123456789", 0), 0x31C3);
    }

    #[test]
    fn base64_goes_both_ways() {
        for text in [&b""[..], b"f", b"fo", b"foo", b"foob", b"\xff\x00\xfe"] {
            assert_eq!(decode_base64(&encode_base64(text), true), Ok(text.to_vec()));
        }
        assert_eq!(encode_base64(b"fooba"), b"Zm9vYmE=");
        assert_eq!(
            decode_base64(b"Zm9v\nYmE", false),
            Err("Incorrect padding".to_owned())
        );
    }

    #[test]
    fn uuencode_goes_both_ways() {
        assert_eq!(encode_uu(b"Cat", false), b"#0V%T\n");
        assert_eq!(decode_uu(b"#0V%T\n"), Ok(b"Cat".to_vec()));
    }
}
