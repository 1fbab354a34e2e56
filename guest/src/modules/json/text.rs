//! Strings of JSON: written with escapes, and read.

use super::decode_error;
use crate::heap::Ref;
use crate::objects::string::{self, Str};
use crate::vm::{R, Vm};

/// Appends a string with quotes. `ascii`: with escapes for all that is not ASCII.
pub(super) fn push_string(out: &mut Vec<u8>, text: &[u8], ascii: bool) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    loop {
        let run = unescaped_run(rest, ascii);
        out.extend_from_slice(&rest[..run]);
        rest = &rest[run..];
        if rest.is_empty() {
            break;
        }
        let (c, size) = string::decode_char(rest);
        push_escape(out, c);
        rest = &rest[size..];
    }
    out.push(b'"');
}

/// How many bytes are written as they are.
#[inline]
fn unescaped_run(bytes: &[u8], ascii: bool) -> usize {
    let ends = |b: u8| b == b'"' || b == b'\\' || b < b' ' || ascii && b > b'~';
    run_until(bytes, ends, |word| {
        let escaped =
            below(word, b' ') | below(word ^ repeat(b'"'), 1) | below(word ^ repeat(b'\\'), 1);
        if ascii {
            escaped | word & repeat(0x80) | below(word ^ repeat(0x7f), 1)
        } else {
            escaped
        }
    })
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
    run_until(bytes, ends, |word| {
        below(word, lowest) | below(word ^ repeat(b'"'), 1) | below(word ^ repeat(b'\\'), 1)
    })
}

/// How many bytes come before the first one that ends the run. `marks` says the same of eight at once by the highest bit of each; those above the first may be
/// wrong. (Every turn of a loop is metered, so eight at once are an eighth of the price.)
#[inline(always)]
fn run_until(bytes: &[u8], ends: impl Fn(u8) -> bool, marks: impl Fn(u64) -> u64) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*word));
        if found != 0 {
            return i * 8 + found.trailing_zeros() as usize / 8;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_eight_bytes_at_a_time_are_those_of_one_by_one() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let length = (state >> 59) as usize;
            let bytes: Vec<u8> = (0..length)
                .map(|i| match (state >> i) & 15 {
                    0 => b'"',
                    1 => b'\\',
                    2 | 3 => (state >> (i + 7)) as u8,
                    4 => 0x7f,
                    _ => b'a',
                })
                .collect();
            let run = |ends: fn(u8) -> bool| bytes.iter().take_while(|&&b| !ends(b)).count();
            let strict = run(|b| b < 32 || b == b'"' || b == b'\\');
            let ascii = run(|b| !(32..127).contains(&b) || b == b'"' || b == b'\\');
            assert_eq!(plain_run(&bytes, true), strict);
            assert_eq!(plain_run(&bytes, false), run(|b| b == b'"' || b == b'\\'));
            assert_eq!(unescaped_run(&bytes, false), strict);
            assert_eq!(unescaped_run(&bytes, true), ascii);
        }
    }
}
