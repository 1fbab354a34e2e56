//! From bytes to UTF-8: which encoding a document is in, and its decoding piece by piece.

use super::chars;

/// How the bytes are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Not known yet: the first bytes are looked at.
    Unknown,
    /// UTF-8
    Utf8,
    /// UTF-16, little end first.
    Utf16Le,
    /// UTF-16, big end first.
    Utf16Be,
    /// One byte for each character, as the table says; `u32::MAX` for none.
    Table(Box<[u32; 256]>),
}

/// The encoding of this name, if it is one that is known here.
pub fn by_name(name: &str) -> Option<Encoding> {
    Some(match name.to_ascii_lowercase().as_str() {
        "utf-8" => Encoding::Utf8,
        "utf-16" => Encoding::Unknown,
        "utf-16le" => Encoding::Utf16Le,
        "utf-16be" => Encoding::Utf16Be,
        "iso-8859-1" => Encoding::Table(Box::new(std::array::from_fn(|i| i as u32))),
        "us-ascii" => Encoding::Table(Box::new(std::array::from_fn(|i| {
            if i < 128 { i as u32 } else { u32::MAX }
        }))),
        _ => return None,
    })
}

/// What the first bytes say: the encoding, and how many bytes are a mark. `None` when more are needed.
pub fn sniff(bytes: &[u8], last: bool) -> Option<(Encoding, usize)> {
    Some(match bytes {
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
        [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
        [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
        [b'<', 0, ..] => (Encoding::Utf16Le, 0),
        [0, b'<', ..] => (Encoding::Utf16Be, 0),
        [] | [0xEF | 0xFE | 0xFF | 0 | b'<'] | [0xEF, 0xBB] if !last => return None,
        _ => (Encoding::Utf8, 0),
    })
}

/// Decodes what is complete, and leaves the rest in `bytes`. `Err` when something cannot be; what came before it has been appended.
pub fn decode(encoding: &Encoding, bytes: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<(), u8> {
    let mut push = |c: u32| match char::from_u32(c) {
        Some(c) => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            Ok(())
        }
        None => Err(chars::INVALID_TOKEN),
    };
    match encoding {
        Encoding::Unknown => Ok(()),
        Encoding::Utf8 => {
            let (good, result) = match std::str::from_utf8(bytes) {
                Ok(_) => (bytes.len(), Ok(())),
                Err(e) if e.error_len().is_none() => (e.valid_up_to(), Ok(())),
                Err(e) => (e.valid_up_to(), Err(chars::INVALID_TOKEN)),
            };
            out.extend(bytes.drain(..good));
            result
        }
        Encoding::Table(table) => {
            for b in bytes.drain(..) {
                push(table[b as usize])?;
            }
            Ok(())
        }
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let unit = |pair: &[u8]| match encoding {
                Encoding::Utf16Le => u16::from_le_bytes([pair[0], pair[1]]) as u32,
                _ => u16::from_be_bytes([pair[0], pair[1]]) as u32,
            };
            let mut at = 0;
            let mut result = Ok(());
            while at + 2 <= bytes.len() && result.is_ok() {
                let first = unit(&bytes[at..]);
                if (0xD800..0xDC00).contains(&first) {
                    if at + 4 > bytes.len() {
                        break;
                    }
                    let second = unit(&bytes[at + 2..]);
                    result = if (0xDC00..0xE000).contains(&second) {
                        push(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
                    } else {
                        Err(chars::INVALID_TOKEN)
                    };
                    at += 4;
                } else {
                    result = push(first);
                    at += 2;
                }
            }
            bytes.drain(..at);
            result
        }
    }
}

/// The pseudo attributes of an XML or text declaration (`<?xml ... ?>`): version, encoding, standalone; or where it is not well formed.
pub fn declaration(text: &str) -> Result<[Option<String>; 3], usize> {
    let mut found = [None, None, None];
    let end = text.len().saturating_sub(2);
    let space: &[char] = &[' ', '\t', '\r', '\n'];
    let (mut least, mut at) = (0, 5);
    loop {
        let rest = text.get(at..end).ok_or(5usize)?;
        let trimmed = rest.trim_start_matches(space);
        if trimmed.is_empty() {
            return Ok(found);
        }
        let start = at + rest.len() - trimmed.len();
        if start == at {
            return Err(at);
        }
        let (index, value, after) = pseudo_attribute(trimmed, space)
            .filter(|(i, ..)| *i >= least)
            .ok_or(start)?;
        least = index + 1;
        found[index] = Some(value.to_owned());
        at = end - after.len();
    }
}

/// One of them: which it is, its value, and what follows.
fn pseudo_attribute<'a>(text: &'a str, space: &[char]) -> Option<(usize, &'a str, &'a str)> {
    let (name, value) = text.split_once('=')?;
    let index = ["version", "encoding", "standalone"]
        .iter()
        .position(|n| *n == name.trim_end_matches(space))?;
    let value = value.trim_start_matches(space);
    let quote = value.chars().next().filter(|q| matches!(q, '"' | '\''))?;
    let (value, after) = value[1..].split_once(quote)?;
    let good = match index {
        1 => {
            value.starts_with(|c: char| c.is_ascii_alphabetic())
                && value
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        }
        2 => matches!(value, "yes" | "no"),
        _ => value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._:-".contains(c)),
    };
    good.then_some((index, value, after))
}
