//! The encodings `unicode_escape` and `raw_unicode_escape`, and the escapes of bytes (`codecs.escape_decode`).

use super::errors::{DecodeProblem, Handler, on_decode_problem};
use super::repr::push_escape;
use super::{push_char, unicode};
use crate::vm::{R, Vm};

/// Appends a character as `unicode_escape` writes it.
pub fn push_escaped(out: &mut Vec<u8>, c: u32) {
    match c {
        0x5C => out.extend(b"\\\\"),
        9 => out.extend(b"\\t"),
        10 => out.extend(b"\\n"),
        13 => out.extend(b"\\r"),
        0x20..0x7F => out.push(c as u8),
        _ => push_escape(out, c),
    }
}

/// Appends a character as `raw_unicode_escape` writes it.
pub fn push_raw_escaped(out: &mut Vec<u8>, c: u32) {
    if c < 0x100 {
        out.push(c as u8)
    } else {
        push_escape(out, c)
    }
}

/// Reads up to `n` hexadecimal digits: their value, and how many there were.
fn hex(data: &[u8], n: usize) -> (u32, usize) {
    let digits = data.iter().take(n).map_while(|&b| (b as char).to_digit(16));
    digits.fold((0, 0), |(value, count), d| {
        (value.wrapping_shl(4) | d, count + 1)
    })
}

fn octal(data: &[u8]) -> (u32, usize) {
    let digits = data.iter().take(3).map_while(|&b| (b as char).to_digit(8));
    digits.fold((0, 0), |(value, count), d| (value << 3 | d, count + 1))
}

/// The character of an escape that needs no digits, `None` inside for a line that goes on.
fn simple(b: u8) -> Option<Option<u8>> {
    Some(Some(match b {
        b'\n' => return Some(None),
        b'\\' | b'\'' | b'"' => b,
        b'b' => 8,
        b'f' => 12,
        b't' => 9,
        b'n' => 10,
        b'r' => 13,
        b'v' => 11,
        b'a' => 7,
        _ => return None,
    }))
}

/// Decodes `unicode_escape`, or `raw_unicode_escape` if `raw`. Without `last`, an escape that is not complete is left for the next piece.
/// Answers the text and how much was read.
pub fn decode(
    vm: &mut Vm,
    data: &[u8],
    raw: bool,
    handler: &Handler,
    last: bool,
) -> R<(Vec<u8>, usize)> {
    let encoding = if raw {
        "rawunicodeescape"
    } else {
        "unicodeescape"
    };
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        if data[at] != b'\\' {
            push_char(&mut out, data[at] as u32);
            at += 1;
            continue;
        }
        let start = at;
        let Some(&mark) = data.get(at + 1) else {
            if !last {
                return Ok((out, start));
            }
            if raw {
                out.push(b'\\');
                return Ok((out, data.len()));
            }
            let p = DecodeProblem {
                encoding,
                data,
                start,
                end: data.len(),
                reason: "\\ at end of string",
            };
            at = on_decode_problem(vm, handler, &p, &mut out)?;
            continue;
        };
        at += 2;
        let (digits, reason) = match mark {
            b'x' if !raw => (2, "truncated \\xXX escape"),
            b'u' => (4, "truncated \\uXXXX escape"),
            b'U' => (8, "truncated \\UXXXXXXXX escape"),
            b'N' if !raw => {
                let end = data[at..].iter().position(|&b| b == b'}').map(|i| at + i);
                let (end, reason) = match (data.get(at), end) {
                    (Some(b'{'), Some(end)) if end > at + 1 => {
                        let name = String::from_utf8_lossy(&data[at + 1..end]);
                        if let Some(c) = unicode::lookup(&name) {
                            push_char(&mut out, c);
                            at = end + 1;
                            continue;
                        }
                        (end + 1, "unknown Unicode character name")
                    }
                    (Some(b'{') | None, None) if !last => return Ok((out, start)),
                    (Some(b'{'), Some(end)) => (end + 1, "malformed \\N character escape"),
                    (Some(b'{'), None) => (data.len(), "malformed \\N character escape"),
                    _ => (at, "malformed \\N character escape"),
                };
                let p = DecodeProblem {
                    encoding,
                    data,
                    start,
                    end,
                    reason,
                };
                at = on_decode_problem(vm, handler, &p, &mut out)?;
                continue;
            }
            b'0'..=b'7' if !raw => {
                let (c, n) = octal(&data[at - 1..]);
                push_char(&mut out, c);
                at += n - 1;
                continue;
            }
            _ => {
                match simple(mark) {
                    Some(c) if !raw => out.extend(c),
                    _ if raw => {
                        // A backslash that begins nothing; the next character is looked at by itself, unless it is a backslash too.
                        out.push(b'\\');
                        if mark == b'\\' {
                            out.push(b'\\')
                        } else {
                            at -= 1
                        }
                    }
                    _ => {
                        out.push(b'\\');
                        push_char(&mut out, mark as u32);
                    }
                }
                continue;
            }
        };
        let (c, n) = hex(&data[at..], digits);
        if n == digits && c < 0x11_0000 {
            push_char(&mut out, c);
            at += n;
            continue;
        }
        if !last && n < digits && at + n == data.len() {
            return Ok((out, start));
        }
        let (end, reason) = if n < digits {
            (at + n, reason)
        } else {
            (
                at + n,
                if raw {
                    "\\Uxxxxxxxx out of range"
                } else {
                    "illegal Unicode character"
                },
            )
        };
        let p = DecodeProblem {
            encoding,
            data,
            start,
            end,
            reason,
        };
        at = on_decode_problem(vm, handler, &p, &mut out)?;
    }
    Ok((out, data.len()))
}

/// `codecs.escape_decode`: the escapes of a bytes literal. What is wrong with the data is the error's text.
pub fn decode_bytes(data: &[u8], errors: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        if data[at] != b'\\' {
            out.push(data[at]);
            at += 1;
            continue;
        }
        let start = at;
        let Some(&mark) = data.get(at + 1) else {
            return Err("Trailing \\ in string".to_owned());
        };
        at += 2;
        match mark {
            b'0'..=b'7' => {
                let (c, n) = octal(&data[at - 1..]);
                out.push(c as u8);
                at += n - 1;
            }
            b'x' => match hex(&data[at..], 2) {
                (c, 2) => {
                    out.push(c as u8);
                    at += 2;
                }
                (_, n) => {
                    match errors {
                        "strict" => return Err(format!("invalid \\x escape at position {start}")),
                        "replace" => out.push(b'?'),
                        "ignore" => {}
                        other => {
                            return Err(format!(
                                "decoding error; unknown error handling code: {other}"
                            ));
                        }
                    }
                    at += n;
                }
            },
            _ => match simple(mark) {
                Some(c) => out.extend(c),
                None => out.extend([b'\\', mark]),
            },
        }
    }
    Ok(out)
}

/// `codecs.escape_encode`: the inside of the `repr` of bytes.
pub fn encode_bytes(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    for &b in data {
        match b {
            b'\'' => out.extend(b"\\'"),
            _ if b < 0x80 => push_escaped(&mut out, b as u32),
            _ => push_escape(&mut out, b as u32),
        }
    }
    out
}
