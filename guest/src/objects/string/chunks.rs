//! What is done with many bytes of text: in chunks, because each turn of a loop is metered, and because the loops over the bytes of a chunk, which has a fixed
//! length and no way out, become vector instructions.

use std::cmp::Ordering;

/// The highest bit of each byte of a word.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Bytes that are looked at in one turn.
const CHUNK: usize = 64;

#[inline(always)]
fn word(bytes: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*bytes)
}

/// The word at a place of which at least eight bytes are left.
#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk::<8>().map_or(0, word)
}

/// Whether bytes are the same. (A call of `memcmp` compares one byte at a time in WebAssembly.)
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    let n = a.len();
    if n != b.len() {
        return false;
    }
    if n < 8 {
        return a.iter().zip(b).all(|(x, y)| x == y);
    }
    let (wide, _) = a.as_chunks::<32>();
    let (other, _) = b.as_chunks::<32>();
    for (x, y) in wide.iter().zip(other) {
        if !same_chunk(x, y) {
            return false;
        }
    }
    let mut at = wide.len() * 32;
    while at + 8 <= n {
        if word_at(a, at) != word_at(b, at) {
            return false;
        }
        at += 8;
    }
    // The last word once more, with those bytes that are left.
    word_at(a, n - 8) == word_at(b, n - 8)
}

#[inline(always)]
fn same_chunk(x: &[u8; 32], y: &[u8; 32]) -> bool {
    let at = |i: usize| word_at(x, 8 * i) ^ word_at(y, 8 * i);
    at(0) | at(1) | at(2) | at(3) == 0
}

/// The order of bytes.
#[inline]
pub fn order(a: &[u8], b: &[u8]) -> Ordering {
    let (x, _) = a.as_chunks::<8>();
    let (y, _) = b.as_chunks::<8>();
    for (x, y) in x.iter().zip(y) {
        if x != y {
            return u64::from_be_bytes(*x).cmp(&u64::from_be_bytes(*y));
        }
    }
    let at = x.len().min(y.len()) * 8;
    for (x, y) in a[at..].iter().zip(&b[at..]) {
        if x != y {
            return x.cmp(y);
        }
    }
    a.len().cmp(&b.len())
}

/// Length of the run of ASCII characters at the start.
#[inline]
pub fn ascii_run(bytes: &[u8]) -> usize {
    let (wide, _) = bytes.as_chunks::<32>();
    let mut at = 0;
    for chunk in wide {
        let at_word = |i: usize| word_at(chunk, 8 * i);
        if (at_word(0) | at_word(1) | at_word(2) | at_word(3)) & HIGH != 0 {
            break;
        }
        at += 32;
    }
    while at + 8 <= bytes.len() {
        let found = word_at(bytes, at) & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + bytes[at..]
        .iter()
        .position(|b| *b >= 0x80)
        .unwrap_or(bytes.len() - at)
}

/// Length of the run of other characters at the start.
#[inline]
pub fn wide_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at + 8 <= bytes.len() {
        let found = !word_at(bytes, at) & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + bytes[at..]
        .iter()
        .position(|b| *b < 0x80)
        .unwrap_or(bytes.len() - at)
}

/// Whether all bytes are ASCII.
#[inline]
pub fn is_ascii(bytes: &[u8]) -> bool {
    ascii_run(bytes) == bytes.len()
}

/// Whether all bytes pass the test, which all are asked about.
#[inline(always)]
pub fn all(bytes: &[u8], test: impl Fn(u8) -> bool) -> bool {
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    for chunk in chunks {
        if !chunk.iter().fold(true, |all, &b| all & test(b)) {
            return false;
        }
    }
    rest.iter().all(|&b| test(b))
}

/// How many bytes pass the test.
#[inline(always)]
pub fn count(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    let mut n = 0;
    for chunk in chunks {
        n += chunk.iter().fold(0u8, |n, &b| n + u8::from(test(b))) as usize;
    }
    n + rest.iter().filter(|&&b| test(b)).count()
}

/// Number of characters of WTF-8 text.
#[inline]
pub fn count_chars(bytes: &[u8]) -> usize {
    // A character begins at every byte that is not a continuation byte.
    count(bytes, |b| (b as i8) >= -0x40)
}

/// How often a character of several bytes occurs in WTF-8 text.
pub fn count_char(bytes: &[u8], c: &[u8]) -> usize {
    let Some(places) = (bytes.len() + 1).checked_sub(c.len()) else {
        return 0;
    };
    // The first two bytes and the last two: of two bytes, or three, some twice.
    let row = |at: usize| (&bytes[at..at + places], c[at]);
    let (first, second) = (row(0), row(1));
    let (third, fourth) = (row(c.len() - 2), row(c.len() - 1));
    let (mut n, mut at) = (0, 0);
    while at < places {
        let end = places.min(at + 128);
        let parts = first.0[at..end]
            .iter()
            .zip(&second.0[at..end])
            .zip(third.0[at..end].iter().zip(&fourth.0[at..end]));
        let found = parts.fold(0u8, |n, ((a, b), (c, d))| {
            let is_it = (*a == first.1) & (*b == second.1) & (*c == third.1) & (*d == fourth.1);
            n + u8::from(is_it)
        });
        n += found as usize;
        at = end;
    }
    n
}

/// Whether WTF-8 text has lone surrogates: their encodings begin with 0xED and a byte above 0x9F.
pub fn has_surrogates(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(0xED, rest) {
        // Texts in Korean have many of these.
        let (part, more) = rest[at..].split_at((rest.len() - at).min(CHUNK + 1));
        let found = part
            .iter()
            .zip(&part[1..])
            .fold(false, |any, (&a, &b)| any | ((a == 0xED) & (b > 0x9F)));
        if found {
            return true;
        }
        // The last one is the first of the next part.
        rest = if more.is_empty() {
            &[]
        } else {
            &rest[at + CHUNK..]
        };
    }
    false
}

/// The marks of the continuation bytes of a word.
#[inline(always)]
fn continuations(word: u64) -> u64 {
    word & !(word << 1) & HIGH
}

/// Byte offset of the character `n` of WTF-8 text that has more characters.
pub fn offset_of(bytes: &[u8], n: usize) -> usize {
    let (mut at, mut left) = (0, n);
    while at + 8 <= bytes.len() {
        let starts = 8 - continuations(word_at(bytes, at)).count_ones() as usize;
        if starts > left {
            break;
        }
        left -= starts;
        at += 8;
    }
    // The start of the character that comes after `left` more.
    while at < bytes.len() {
        if (bytes[at] as i8) >= -0x40 {
            if left == 0 {
                return at;
            }
            left -= 1;
        }
        at += 1;
    }
    at
}

/// The byte offsets of every `stride`th character of WTF-8 text.
pub fn offsets(bytes: &[u8], stride: usize) -> Vec<u32> {
    let mut found = Vec::with_capacity(bytes.len() / stride / 2 + 2);
    let mut at = 0;
    while at < bytes.len() {
        found.push(at as u32);
        at += offset_of(&bytes[at..], stride);
    }
    found
}

/// Appends a text so often, in ever larger pieces.
pub fn push_times(out: &mut Vec<u8>, text: &[u8], times: usize) {
    let start = out.len();
    let size = text.len() * times;
    out.reserve(size);
    if times == 0 {
        return;
    }
    out.extend_from_slice(text);
    while out.len() - start < size {
        let made = out.len() - start;
        out.extend_from_within(start..start + made.min(size - made));
    }
}

/// Latin-1 of WTF-8 text, as far as its characters are below U+0100: how many bytes were read. `out` has as many bytes as the text has characters.
pub fn to_latin1(text: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (mut at, mut to) = (0, 0);
    while at < text.len() {
        if at + 8 <= text.len() && to + 8 <= out.len() {
            let word = word_at(text, at);
            if word & HIGH == 0 {
                out[to..to + 8].copy_from_slice(&word.to_le_bytes());
                (at, to) = (at + 8, to + 8);
                continue;
            }
            // Four characters of two bytes, of which the first is 0xC2 or 0xC3.
            if word & 0xC0FE_C0FE_C0FE_C0FE == 0x80C2_80C2_80C2_80C2 {
                let wide =
                    (word >> 8 & 0x00FF_00FF_00FF_00FF) + ((word & 0x0001_0001_0001_0001) << 6);
                let pairs = (wide | wide >> 8) & 0x0000_FFFF_0000_FFFF;
                let four = (pairs | pairs >> 16) as u32;
                out[to..to + 4].copy_from_slice(&four.to_le_bytes());
                (at, to) = (at + 8, to + 4);
                continue;
            }
        }
        let b = text[at];
        let (byte, n) = match b {
            0..0x80 => (b, 1),
            0xC2 | 0xC3 if at + 1 < text.len() => (text[at + 1] + ((b & 1) << 6), 2),
            _ => break,
        };
        let Some(place) = out.get_mut(to) else { break };
        *place = byte;
        (at, to) = (at + n, to + 1);
    }
    (at, to)
}

/// WTF-8 of Latin-1 text.
pub fn from_latin1(data: &[u8]) -> Vec<u8> {
    let size = data.len() + count(data, |b| b >= 0x80);
    let mut out = vec![0; size];
    let (mut at, mut to) = (0, 0);
    while at < data.len() {
        if at + 8 <= data.len() && to + 8 <= out.len() {
            let word = word_at(data, at);
            if word & HIGH == 0 {
                out[to..to + 8].copy_from_slice(&word.to_le_bytes());
                (at, to) = (at + 8, to + 8);
                continue;
            }
            let four = word as u32;
            if four & 0x8080_8080 == 0x8080_8080 {
                // A byte of 16 bits each, then its two parts: 0xC2 and the byte itself, or 0xC3 and the byte without 0x40.
                let pairs = (u64::from(four) | u64::from(four) << 16) & 0x0000_FFFF_0000_FFFF;
                let wide = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF;
                let above = wide >> 6 & 0x0001_0001_0001_0001;
                let made = 0x00C2_00C2_00C2_00C2 + above + ((wide & !(above << 6)) << 8);
                out[to..to + 8].copy_from_slice(&made.to_le_bytes());
                (at, to) = (at + 4, to + 8);
                continue;
            }
        }
        let b = data[at];
        if b < 0x80 {
            out[to] = b;
            to += 1;
        } else {
            out[to] = 0xC0 | b >> 6;
            out[to + 1] = 0x80 | (b & 0x3F);
            to += 2;
        }
        at += 1;
    }
    out
}

/// WTF-8 text backwards, character by character.
pub fn reversed(text: &[u8]) -> Vec<u8> {
    let mut out = vec![0; text.len()];
    let (mut at, mut to) = (0, text.len());
    while at < text.len() {
        if at + 8 <= text.len() {
            let word = word_at(text, at);
            let turned = if word & HIGH == 0 {
                Some(word.swap_bytes())
            } else if word & 0xC0E0_C0E0_C0E0_C0E0 == 0x80C0_80C0_80C0_80C0 {
                // Four characters of two bytes.
                let turned = word.swap_bytes();
                Some((turned >> 8 & 0x00FF_00FF_00FF_00FF) | (turned & 0x00FF_00FF_00FF_00FF) << 8)
            } else {
                None
            };
            if let Some(turned) = turned {
                at += 8;
                to -= 8;
                out[to..to + 8].copy_from_slice(&turned.to_le_bytes());
                continue;
            }
        }
        let n = char_len(text[at]).min(to);
        to -= n;
        out[to..to + n].copy_from_slice(&text[at..at + n]);
        at += n;
    }
    out
}

/// Length of the character that begins with a byte.
#[inline(always)]
pub fn char_len(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{chars_of, push_char};
    use super::*;

    /// Texts of all kinds of characters in runs of all kinds of lengths, with the number of their characters.
    fn texts() -> Vec<(Vec<u8>, usize)> {
        let mut seed = 5u64;
        let mut next = move |n: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let mut texts = vec![(Vec::new(), 0)];
        for _ in 0..3000 {
            let (mut text, mut n) = (Vec::new(), 0);
            for _ in 0..next(6) {
                let kind = next(7);
                for _ in 0..next(40) {
                    let c = match kind {
                        0 | 1 => 0x20 + next(0x5F),
                        2 => 0x80 + next(0x80),
                        3 => 0x80 + next(0x700),
                        4 => 0x4E00 + next(0x5000),
                        5 => 0xD000 + next(0x1000),
                        _ => 0x1_F000 + next(0x1000),
                    };
                    push_char(&mut text, c as u32);
                    n += 1;
                }
            }
            texts.push((text, n));
        }
        texts
    }

    #[test]
    fn characters_are_counted_and_found() {
        for (text, n) in texts() {
            assert_eq!(count_chars(&text), n);
            let places: Vec<usize> = (0..text.len())
                .filter(|&i| (text[i] as i8) >= -0x40)
                .collect();
            for (i, &place) in places.iter().enumerate() {
                assert_eq!(offset_of(&text, i), place);
            }
            let every: Vec<u32> = places.iter().step_by(7).map(|&i| i as u32).collect();
            assert_eq!(offsets(&text, 7), every);
            assert_eq!(
                has_surrogates(&text),
                chars_of(&text).any(|c| (0xD800..0xE000).contains(&c))
            );
            assert_eq!(
                ascii_run(&text),
                text.iter().take_while(|b| **b < 0x80).count()
            );
            assert_eq!(all(&text, |b| b < 0xE0), text.iter().all(|&b| b < 0xE0));
            for c in chars_of(&text).take(3).filter(|&c| c >= 0x80) {
                let mut needle = Vec::new();
                push_char(&mut needle, c);
                let times = chars_of(&text).filter(|&x| x == c).count();
                assert_eq!(count_char(&text, &needle), times);
            }
        }
    }

    #[test]
    fn texts_are_turned_and_converted() {
        for (text, n) in texts() {
            let mut backwards = Vec::new();
            let chars: Vec<u32> = chars_of(&text).collect();
            chars
                .iter()
                .rev()
                .for_each(|&c| push_char(&mut backwards, c));
            assert_eq!(reversed(&text), backwards);
            let mut out = vec![0; n];
            let (read, made) = to_latin1(&text, &mut out);
            let narrow: Vec<u8> = chars
                .iter()
                .take_while(|&&c| c < 0x100)
                .map(|&c| c as u8)
                .collect();
            assert_eq!(out[..made], narrow);
            assert_eq!(read, from_latin1(&narrow).len());
            assert_eq!(text[..read], from_latin1(&narrow));
            let mut often = b"x".to_vec();
            push_times(&mut often, &text, 5);
            assert_eq!(often[1..], text.repeat(5));
        }
    }

    #[test]
    fn bytes_are_compared() {
        let all = texts();
        for pair in all.windows(2) {
            let (a, b) = (&pair[0].0, &pair[1].0);
            assert_eq!(order(a, b), a.cmp(b));
            assert_eq!(same(a, b), a == b);
            for i in 0..a.len() {
                let mut c = a.clone();
                assert!(same(a, &c) && order(a, &c).is_eq());
                c[i] ^= 1;
                assert!(!same(a, &c));
                assert_eq!(order(a, &c), a.cmp(&c));
                assert_eq!(order(a, &a[..i]), Ordering::Greater);
            }
        }
    }
}
