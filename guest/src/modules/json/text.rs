//! Strings of JSON: written with escapes, and read.

use super::decode_error;
use crate::heap::Ref;
use crate::objects::string::{self, Str};
use crate::vm::{R, Vm};

/// Appends a string with quotes. `ascii`: with escapes for all that is not ASCII.
pub(super) fn push_string(out: &mut Vec<u8>, text: &[u8], ascii: bool) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let b = text[at];
        let plain = if ascii {
            (b' '..=b'~').contains(&b)
        } else {
            b >= b' '
        };
        if plain && b != b'"' && b != b'\\' {
            at += 1;
            continue;
        }
        out.extend_from_slice(&text[start..at]);
        let (c, size) = string::decode_char(&text[at..]);
        push_escape(out, c);
        at += size;
        start = at;
    }
    out.extend_from_slice(&text[start..]);
    out.push(b'"');
}

fn push_escape(out: &mut Vec<u8>, c: u32) {
    let short = match c {
        0x22 => b'"',
        0x5C => b'\\',
        0x08 => b'b',
        0x0C => b'f',
        0x0A => b'n',
        0x0D => b'r',
        0x09 => b't',
        _ => 0,
    };
    if short != 0 {
        out.extend_from_slice(&[b'\\', short]);
    } else if c >= 0x10000 {
        let c = c - 0x10000;
        push_unit(out, 0xD800 | c >> 10);
        push_unit(out, 0xDC00 | c & 0x3FF);
    } else {
        push_unit(out, c);
    }
}

fn push_unit(out: &mut Vec<u8>, unit: u32) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        out.push(HEX[(unit >> shift & 15) as usize]);
    }
}

/// Reads the string whose text begins at byte `at`, behind the quote: its text, and where it ends, behind the closing quote.
pub(super) fn scan(vm: &mut Vm, s: &Ref<Str>, start: usize, strict: bool) -> R<(Vec<u8>, usize)> {
    let bytes = s.as_bytes();
    let (mut out, mut at) = (Vec::new(), start);
    loop {
        let run = plain_run(&bytes[at..], strict);
        out.extend_from_slice(&bytes[at..at + run]);
        at += run;
        match bytes.get(at) {
            Some(b'"') => return Ok((out, at + 1)),
            Some(b'\\') => at = unescape(vm, s, &mut out, at, start)?,
            Some(_) => return Err(decode_error(vm, "Invalid control character at", s, at)),
            None => {
                return Err(decode_error(
                    vm,
                    "Unterminated string starting at",
                    s,
                    start.saturating_sub(1),
                ));
            }
        }
    }
}

/// How many bytes stand for themselves.
#[inline]
pub(super) fn plain_run(bytes: &[u8], strict: bool) -> usize {
    let lowest = if strict { b' ' } else { 0 };
    let ends = |b: u8| b == b'"' || b == b'\\' || b < lowest;
    // Eight bytes at a time: every turn of a loop is metered. A bit marks each byte that ends the run; those above the first may be wrong.
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let marks =
            below(word, lowest) | below(word ^ repeat(b'"'), 1) | below(word ^ repeat(b'\\'), 1);
        if marks != 0 {
            return i * 8 + marks.trailing_zeros() as usize / 8;
        }
    }
    let start = bytes.len() - rest.len();
    start + rest.iter().position(|&b| ends(b)).unwrap_or(rest.len())
}

/// A word of eight times the same byte.
const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The highest bit of every byte below `limit`, which is at most 128. Right up to the lowest such byte: a borrow may mark one above it that is not below.
/// ("Determine if a word has a byte less than n" of Sean Anderson's Bit Twiddling Hacks.)
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(repeat(limit)) & !word & repeat(0x80)
}

/// Appends what the escape at byte `at` means, and tells where it ends.
fn unescape(vm: &mut Vm, s: &Ref<Str>, out: &mut Vec<u8>, at: usize, start: usize) -> R<usize> {
    let bytes = s.as_bytes();
    let Some(&code) = bytes.get(at + 1) else {
        return Err(decode_error(
            vm,
            "Unterminated string starting at",
            s,
            start.saturating_sub(1),
        ));
    };
    let plain = match code {
        b'"' | b'\\' | b'/' => code,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => {
            let Some(unit) = unit(bytes, at + 2) else {
                return Err(decode_error(vm, "Invalid \\uXXXX escape", s, at + 1));
            };
            let mut end = at + 6;
            let mut c = unit;
            if (0xD800..0xDC00).contains(&unit)
                && bytes[end..].starts_with(b"\\u")
                && let Some(low) =
                    self::unit(bytes, end + 2).filter(|low| (0xDC00..0xE000).contains(low))
            {
                c = 0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00));
                end += 6;
            }
            string::push_char(out, c);
            return Ok(end);
        }
        _ => return Err(decode_error(vm, "Invalid \\escape", s, at)),
    };
    out.push(plain);
    Ok(at + 2)
}

/// The number that four hexadecimal digits are. A closing quote must follow somewhere, so they are never the last bytes.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    bytes.get(at + 4)?;
    digits
        .iter()
        .try_fold(0, |n, &b| Some(n << 4 | char::from(b).to_digit(16)?))
}
