//! UTF-7 (RFC 2152): text in which other characters than those of ASCII are UTF-16 in base 64, between `+` and `-`.

use crate::objects::bytes::{Bytes, buffer};
use crate::objects::string::errors::{DecodeProblem, Handler, on_decode_problem};
use crate::objects::string::search::text_arg;
use crate::objects::string::{Str, push_char};
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::args::optional;
use crate::vm::{R, Vm};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of a letter of base 64.
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

/// Whether the encoder writes this as it is: sets D and O of the RFC, and white space.
fn is_direct(c: u32) -> bool {
    matches!(c, 9 | 10 | 13 | 0x20..=0x7D) && c != b'+' as u32 && c != b'\\' as u32
}

/// `codecs.utf_7_encode`
pub(crate) fn encode(vm: &mut Vm, args: &[Value]) -> R {
    let text = text_arg(vm, &args[0], "utf_7_encode() argument 1")?;
    vm.text_size(text.as_bytes().len().saturating_mul(8))?;
    let mut out = Vec::with_capacity(text.as_bytes().len());
    let (mut shifted, mut bits, mut count) = (false, 0u32, 0);
    for c in text.chars() {
        if is_direct(c) {
            if shifted {
                end_shift(&mut out, bits, count);
                (shifted, bits, count) = (false, 0, 0);
                // The end must be marked where the next character could be taken for more of it.
                if sextet(c as u8).is_some() || c == b'-' as u32 {
                    out.push(b'-');
                }
            }
            out.push(c as u8);
            continue;
        }
        if !shifted {
            out.push(b'+');
            if c == b'+' as u32 {
                out.push(b'-');
                continue;
            }
            shifted = true;
        }
        let mut units = [0u16; 2];
        let units: &[u16] = match char::from_u32(c) {
            Some(ch) => ch.encode_utf16(&mut units),
            None => {
                units[0] = c as u16;
                &units[..1]
            }
        };
        for &unit in units {
            bits = bits << 16 | u32::from(unit);
            count += 16;
            while count >= 6 {
                count -= 6;
                out.push(ALPHABET[(bits >> count & 63) as usize]);
            }
            bits &= 63;
        }
    }
    if shifted {
        end_shift(&mut out, bits, count);
        out.push(b'-');
    }
    let length = Value::int(text.len() as i64);
    Ok(Tuple::value(vec![Bytes::value(out), length]))
}

/// Writes the bits that are left.
fn end_shift(out: &mut Vec<u8>, bits: u32, count: u32) {
    if count > 0 {
        out.push(ALPHABET[(bits << (6 - count) & 63) as usize]);
    }
}

/// A section of base 64 that is being read.
struct Section {
    /// Where it began in the input, and in the output.
    start: usize,
    written: usize,
    bits: u32,
    count: u32,
    /// The first half of a pair.
    high: Option<u32>,
}

impl Section {
    /// Takes six more bits.
    fn add(&mut self, six: u32, out: &mut Vec<u8>) {
        self.bits = self.bits << 6 | six;
        self.count += 6;
        if self.count < 16 {
            return;
        }
        self.count -= 16;
        let unit = self.bits >> self.count & 0xFFFF;
        self.bits &= (1 << self.count) - 1;
        if let Some(high) = self.high.take() {
            if (0xDC00..0xE000).contains(&unit) {
                return push_char(out, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
            }
            push_char(out, high);
        }
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
        } else {
            push_char(out, unit);
        }
    }

    /// What is wrong with the bits that are left.
    fn left_over(&self) -> Option<&'static str> {
        if self.count >= 6 {
            Some("partial character in base64 sequence")
        } else if self.bits != 0 {
            Some("non-zero padding bits in base64 sequence")
        } else {
            None
        }
    }
}

/// `codecs.utf_7_decode`
pub(crate) fn decode(vm: &mut Vm, args: &[Value]) -> R {
    let data = buffer::copy(vm, &args[0])?;
    let handler = Handler::of_arg(vm, optional(args, 1), "utf_7_decode() argument 2")?;
    let last = match optional(args, 2) {
        Some(v) => vm.truthy(v)?,
        None => false,
    };
    let mut out = Vec::with_capacity(data.len());
    let mut section: Option<Section> = None;
    let mut at = 0;
    loop {
        let Some(&b) = data.get(at) else {
            let Some(open) = section.take() else {
                break;
            };
            if !last {
                // The next piece begins with the section.
                out.truncate(open.written);
                at = open.start;
                break;
            }
            if open.high.is_none() && open.left_over().is_none() {
                break;
            }
            let p = problem(&data, open.start, at, "unterminated shift sequence");
            at = on_decode_problem(vm, &handler, &p, &mut out)?;
            continue;
        };
        let wrong = if let Some(open) = &mut section {
            if let Some(six) = sextet(b) {
                open.add(six, &mut out);
                at += 1;
                continue;
            }
            let start = open.start;
            let wrong = open.left_over();
            let high = open.high.take();
            section = None;
            if let Some(reason) = wrong {
                Some((start, at + 1, reason))
            } else {
                if let Some(high) = high.filter(|_| b < 0x80) {
                    push_char(&mut out, high);
                }
                at += usize::from(b == b'-');
                None
            }
        } else if b == b'+' {
            match data.get(at + 1) {
                Some(b'-') => {
                    out.push(b'+');
                    at += 2;
                    None
                }
                Some(&next) if sextet(next).is_none() => Some((at, at + 2, "ill-formed sequence")),
                _ => {
                    let (start, written) = (at, out.len());
                    section = Some(Section {
                        start,
                        written,
                        bits: 0,
                        count: 0,
                        high: None,
                    });
                    at += 1;
                    None
                }
            }
        } else if b < 0x80 {
            out.push(b);
            at += 1;
            None
        } else {
            Some((at, at + 1, "unexpected special character"))
        };
        if let Some((start, end, reason)) = wrong {
            let p = problem(&data, start, end, reason);
            at = on_decode_problem(vm, &handler, &p, &mut out)?;
        }
    }
    Ok(Tuple::value(vec![
        Str::value_wtf8(&out),
        Value::int(at as i64),
    ]))
}

fn problem<'a>(data: &'a [u8], start: usize, end: usize, reason: &'a str) -> DecodeProblem<'a> {
    DecodeProblem {
        encoding: "utf7",
        data,
        start,
        end,
        reason,
    }
}
