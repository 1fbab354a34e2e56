//! Text to bytes: the encodings that need no Python code, and their names.

use super::charmaps::{self, Charmap};
use super::errors::{EncodeProblem, Handler, Replacement, on_encode_problem, raise_encode};
use super::{Str, chars_of, chunks, decode_char, push_char};
use crate::heap::Ref;
use crate::vm::{R, Vm};

/// The order of the bytes of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
    /// Said by a byte order mark; little-endian without.
    Marked,
}

/// The encodings known without Python code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    /// UTF-8
    Utf8,
    /// UTF-8 with a signature at the start.
    Utf8Sig,
    /// ASCII
    Ascii,
    /// ISO 8859-1
    Latin1,
    /// One of [`charmaps::TABLES`].
    Charmap(u8),
    /// UTF-16
    Utf16(Order),
    /// UTF-32
    Utf32(Order),
    /// Escapes as in Python string literals.
    UnicodeEscape,
    /// Only `\u` and `\U` escapes.
    RawUnicodeEscape,
}

impl Charmap {
    /// What a byte means.
    pub fn decode(&self, b: u8) -> Option<u32> {
        let c = match (b, self.low) {
            (0x80.., _) => self.high[b as usize - 0x80] as u32,
            (_, Some(low)) => low[b as usize] as u32,
            _ => b as u32,
        };
        (c != 0xFFFE).then_some(c)
    }

    /// The byte that means a character: the last one, if several do.
    pub fn encode(&self, c: u32) -> Option<u8> {
        let c = u16::try_from(c).ok().filter(|&c| c != 0xFFFE)?;
        if let Some(at) = self.high.iter().rposition(|&x| x == c) {
            return Some(0x80 + at as u8);
        }
        match self.low {
            Some(low) => low.iter().rposition(|&x| x == c).map(|at| at as u8),
            None => (c < 0x80).then_some(c as u8),
        }
    }

    /// Whether ASCII text is encoded as itself.
    fn keeps_ascii(&self) -> bool {
        self.low.is_none() && self.high.iter().all(|&c| c >= 0x80)
    }
}

/// The name of an encoding as the registry knows it: lower case, words separated by `_`.
pub fn normalized(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut separated = false;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '.' {
            if separated && !out.is_empty() {
                out.push('_');
            }
            separated = false;
            out.push(c.to_ascii_lowercase());
        } else {
            separated = true;
        }
    }
    out
}

impl Codec {
    /// The encoding of a name, if it is known here.
    pub fn of_name(name: &str) -> Option<Codec> {
        match name {
            "utf-8" | "utf8" => return Some(Codec::Utf8),
            "ascii" => return Some(Codec::Ascii),
            "latin-1" => return Some(Codec::Latin1),
            _ => {}
        }
        Some(match normalized(name).as_str() {
            "utf_8" | "utf8" | "u8" | "utf" | "cp65001" | "utf8_ucs2" | "utf8_ucs4" => Codec::Utf8,
            "utf_8_sig" | "utf8_sig" => Codec::Utf8Sig,
            "ascii" | "us_ascii" | "us" | "646" | "ansi_x3.4_1968" | "ansi_x3.4_1986"
            | "ansi_x3_4_1968" | "cp367" | "csascii" | "ibm367" | "iso646_us"
            | "iso_646.irv_1991" | "iso_ir_6" => Codec::Ascii,
            "latin_1" | "latin1" | "iso_8859_1" | "iso8859_1" | "iso8859" | "8859" | "l1"
            | "latin" | "cp819" | "ibm819" | "csisolatin1" | "iso_8859_1_1987" | "iso_ir_100" => {
                Codec::Latin1
            }
            "utf_16" | "utf16" | "u16" => Codec::Utf16(Order::Marked),
            "utf_16_le" | "utf_16le" | "unicodelittleunmarked" => Codec::Utf16(Order::Little),
            "utf_16_be" | "utf_16be" | "unicodebigunmarked" => Codec::Utf16(Order::Big),
            "utf_32" | "utf32" | "u32" => Codec::Utf32(Order::Marked),
            "utf_32_le" | "utf_32le" => Codec::Utf32(Order::Little),
            "utf_32_be" | "utf_32be" => Codec::Utf32(Order::Big),
            "unicode_escape" => Codec::UnicodeEscape,
            "raw_unicode_escape" => Codec::RawUnicodeEscape,
            other => {
                return charmaps::NAMES
                    .binary_search_by_key(&other, |n| n.0)
                    .ok()
                    .map(|i| Codec::Charmap(charmaps::NAMES[i].1));
            }
        })
    }

    /// Its table, if every byte is a character and that is not all that is to be said of it.
    pub fn charmap(self) -> Option<&'static Charmap> {
        match self {
            Codec::Charmap(i) => charmaps::TABLES.get(i as usize),
            _ => None,
        }
    }

    /// The name that errors show.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Utf8 | Codec::Utf8Sig => "utf-8",
            Codec::Ascii => "ascii",
            Codec::Latin1 => "latin-1",
            Codec::Charmap(_) => "charmap",
            Codec::Utf16(Order::Marked) => "utf-16",
            Codec::Utf16(Order::Little) => "utf-16-le",
            Codec::Utf16(Order::Big) => "utf-16-be",
            Codec::Utf32(Order::Marked) => "utf-32",
            Codec::Utf32(Order::Little) => "utf-32-le",
            Codec::Utf32(Order::Big) => "utf-32-be",
            Codec::UnicodeEscape => "unicodeescape",
            Codec::RawUnicodeEscape => "rawunicodeescape",
        }
    }

    /// The name that `codecs.lookup` gives.
    pub fn public_name(self) -> &'static str {
        match self {
            Codec::Utf8Sig => "utf-8-sig",
            Codec::Latin1 => "iso8859-1",
            Codec::Charmap(i) => charmaps::TABLES[i as usize].name,
            Codec::UnicodeEscape => "unicode-escape",
            Codec::RawUnicodeEscape => "raw-unicode-escape",
            other => other.name(),
        }
    }

    /// Why a character cannot be encoded.
    fn reason(self) -> &'static str {
        match self {
            Codec::Ascii => "ordinal not in range(128)",
            Codec::Latin1 => "ordinal not in range(256)",
            Codec::Charmap(_) => "character maps to <undefined>",
            _ => "surrogates not allowed",
        }
    }

    /// Appends an encoded character; false when it cannot be encoded.
    #[inline]
    fn push(self, out: &mut Vec<u8>, c: u32) -> bool {
        let surrogate = (0xD800..0xE000).contains(&c);
        match self {
            Codec::Utf8 | Codec::Utf8Sig if !surrogate => push_char(out, c),
            Codec::Ascii if c < 0x80 => out.push(c as u8),
            Codec::Latin1 if c < 0x100 => out.push(c as u8),
            Codec::Charmap(_) => match self.charmap().and_then(|map| map.encode(c)) {
                Some(b) => out.push(b),
                None => return false,
            },
            Codec::Utf16(order) if !surrogate => {
                let mut units = [0; 2];
                let Some(c) = char::from_u32(c) else {
                    return false;
                };
                for u in c.encode_utf16(&mut units) {
                    out.extend(if order == Order::Big {
                        u.to_be_bytes()
                    } else {
                        u.to_le_bytes()
                    });
                }
            }
            Codec::Utf32(order) if !surrogate => out.extend(if order == Order::Big {
                c.to_be_bytes()
            } else {
                c.to_le_bytes()
            }),
            Codec::UnicodeEscape => super::escapes::push_escaped(out, c),
            Codec::RawUnicodeEscape => super::escapes::push_raw_escaped(out, c),
            _ => return false,
        }
        true
    }

    /// Bytes come in groups of this size.
    fn unit(self) -> usize {
        match self {
            Codec::Utf16(_) => 2,
            Codec::Utf32(_) => 4,
            _ => 1,
        }
    }

    /// How many bytes a character takes, at most.
    fn widest(self) -> usize {
        match self {
            Codec::Ascii | Codec::Latin1 | Codec::Charmap(_) => 1,
            Codec::Utf16(_) | Codec::Utf32(_) | Codec::Utf8 | Codec::Utf8Sig => 4,
            Codec::UnicodeEscape | Codec::RawUnicodeEscape => 10,
        }
    }
}

/// `text.encode(codec, handler)`
pub fn encode(vm: &mut Vm, text: &Ref<Str>, codec: Codec, handler: &Handler) -> R<Vec<u8>> {
    let bytes = text.as_bytes();
    let superset = match codec {
        Codec::Charmap(_) => codec.charmap().is_some_and(Charmap::keeps_ascii),
        _ => matches!(
            codec,
            Codec::Utf8 | Codec::Utf8Sig | Codec::Ascii | Codec::Latin1
        ),
    };
    let utf8 = matches!(codec, Codec::Utf8 | Codec::Utf8Sig);
    let mut out = Vec::new();
    if codec == Codec::Utf8Sig {
        out.extend(b"\xEF\xBB\xBF");
    }
    if (superset && text.is_ascii()) || (utf8 && text.as_str().is_some()) {
        vm.text_size(bytes.len())?;
        out.extend_from_slice(bytes);
        return Ok(out);
    }
    match codec {
        Codec::Utf16(Order::Marked) => out.extend(b"\xFF\xFE"),
        Codec::Utf32(Order::Marked) => out.extend(b"\xFF\xFE\0\0"),
        _ => {}
    }
    // Escapes are the exception, so their room is only asked for, not taken.
    vm.text_size(text.len().saturating_mul(codec.widest()))?;
    let one_by_one = matches!(codec, Codec::Utf16(_) | Codec::Utf32(_));
    let (mut at, mut index) = (0, 0);
    match codec {
        Codec::Ascii | Codec::Latin1 => {
            if let Some(made) = narrowed(bytes, codec == Codec::Latin1, handler) {
                return Ok(made);
            }
            // Up to the first problem.
            if codec == Codec::Ascii {
                at = chunks::ascii_run(bytes);
                out.extend_from_slice(&bytes[..at]);
                index = at;
            } else {
                out.resize(text.len(), 0);
                (at, index) = chunks::to_latin1(bytes, &mut out);
                out.truncate(index);
            }
        }
        Codec::Utf16(order) if !chunks::has_surrogates(bytes) => {
            push_utf16(&mut out, text, order);
            return Ok(out);
        }
        Codec::Utf32(order) if !chunks::has_surrogates(bytes) => {
            push_utf32(&mut out, text, order);
            return Ok(out);
        }
        Codec::Charmap(_) if superset => {
            if let Some(map) = codec.charmap() {
                (at, index) = push_mapped(&mut out, text, map);
            }
        }
        _ => out.reserve(bytes.len()),
    }
    while at < bytes.len() {
        let (c, n) = decode_char(&bytes[at..]);
        if codec.push(&mut out, c) {
            at += n;
            index += 1;
            continue;
        }
        let mut end = index + 1;
        if !one_by_one {
            let mut scratch = Vec::new();
            end += chars_of(&bytes[at + n..])
                .take_while(|&c| !codec.push(&mut scratch, c))
                .count();
        }
        let problem = EncodeProblem {
            encoding: codec.name(),
            text,
            start: index,
            end,
            reason: codec.reason(),
        };
        let (replacement, next) = on_encode_problem(vm, handler, &problem)?;
        match replacement {
            Replacement::Bytes(b) => {
                // Half a unit would garble all that follows.
                if !b.len().is_multiple_of(codec.unit()) {
                    return Err(raise_encode(vm, &problem));
                }
                out.extend_from_slice(&b);
            }
            Replacement::Text(t) => {
                // The encodings of all of Unicode take replacements of ASCII only, as in CPython.
                let wide = matches!(codec, Codec::Utf8 | Codec::Utf16(_) | Codec::Utf32(_));
                if (wide && !t.is_ascii()) || !chars_of(&t).all(|c| codec.push(&mut out, c)) {
                    return Err(raise_encode(vm, &problem));
                }
            }
        }
        if next == end {
            at += bytes_of_chars(&bytes[at..], end - index);
        } else {
            at = text.byte_offset(next);
        }
        index = next;
    }
    Ok(out)
}

/// ASCII (or Latin-1) text, if the handler leaves other characters out or puts a `?` in their places; `None` if not.
fn narrowed(bytes: &[u8], latin1: bool, handler: &Handler) -> Option<Vec<u8>> {
    let mark = match handler {
        Handler::Ignore => None,
        Handler::Replace => Some(b'?'),
        _ => return None,
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let run = chunks::ascii_run(&bytes[at..]);
        out.extend_from_slice(&bytes[at..at + run]);
        at += run;
        if latin1 {
            while at < bytes.len() && bytes[at] >= 0x80 {
                let (c, n) = decode_char(&bytes[at..]);
                out.extend(u8::try_from(c).ok().or(mark));
                at += n;
            }
        } else {
            let wide = chunks::wide_run(&bytes[at..]);
            if let Some(mark) = mark {
                let n = chunks::count_chars(&bytes[at..at + wide]);
                out.resize(out.len() + n, mark);
            }
            at += wide;
        }
    }
    Some(out)
}

/// Appends UTF-16 of a text without surrogates.
fn push_utf16(out: &mut Vec<u8>, text: &Str, order: Order) {
    let bytes = text.as_bytes();
    let pairs = chunks::count(bytes, |b| b >= 0xF0);
    let mut to = out.len();
    out.resize(to + 2 * (text.len() + pairs), 0);
    let big = order == Order::Big;
    let mut put = |to: usize, unit: u16| {
        let unit = if big { unit.swap_bytes() } else { unit };
        if let Some(place) = out.get_mut(to..to + 2) {
            place.copy_from_slice(&unit.to_le_bytes());
        }
    };
    let mut at = 0;
    while at < bytes.len() {
        if let Some(eight) = bytes[at..].first_chunk::<8>()
            && chunks::is_ascii(eight)
        {
            for (i, &b) in eight.iter().enumerate() {
                put(to + 2 * i, u16::from(b));
            }
            (at, to) = (at + 8, to + 16);
            continue;
        }
        let (c, n) = decode_char(&bytes[at..]);
        at += n;
        if c < 0x1_0000 {
            put(to, c as u16);
            to += 2;
        } else {
            let rest = c - 0x1_0000;
            put(to, 0xD800 | (rest >> 10) as u16);
            put(to + 2, 0xDC00 | (rest & 0x3FF) as u16);
            to += 4;
        }
    }
}

/// Appends UTF-32 of a text without surrogates.
fn push_utf32(out: &mut Vec<u8>, text: &Str, order: Order) {
    let mut to = out.len();
    out.resize(to + 4 * text.len(), 0);
    let big = order == Order::Big;
    let mut put = |to: usize, c: u32| {
        let unit = if big { c.swap_bytes() } else { c };
        if let Some(place) = out.get_mut(to..to + 4) {
            place.copy_from_slice(&unit.to_le_bytes());
        }
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(eight) = bytes[at..].first_chunk::<8>()
            && chunks::is_ascii(eight)
        {
            for (i, &b) in eight.iter().enumerate() {
                put(to + 4 * i, u32::from(b));
            }
            (at, to) = (at + 8, to + 32);
            continue;
        }
        let (c, n) = decode_char(&bytes[at..]);
        put(to, c);
        (at, to) = (at + n, to + 4);
    }
}

/// Appends what a table that keeps ASCII makes of a text, up to the first character that it does not have: how many bytes and characters were read.
fn push_mapped(out: &mut Vec<u8>, text: &Str, map: &Charmap) -> (usize, usize) {
    let bytes = text.as_bytes();
    out.reserve(text.len());
    // The last character seen of each group, and its byte.
    let mut known = [(0u32, 0u8); 64];
    let (mut at, start) = (0, out.len());
    while at < bytes.len() {
        let run = chunks::ascii_run(&bytes[at..]);
        out.extend_from_slice(&bytes[at..at + run]);
        at += run;
        while at < bytes.len() && bytes[at] >= 0x80 {
            let (c, n) = decode_char(&bytes[at..]);
            let entry = &mut known[(c & 63) as usize];
            if entry.0 != c {
                let Some(b) = map.encode(c) else {
                    return (at, out.len() - start);
                };
                *entry = (c, b);
            }
            out.push(entry.1);
            at += n;
        }
    }
    (at, out.len() - start)
}

/// Length of the first `n` characters.
fn bytes_of_chars(bytes: &[u8], n: usize) -> usize {
    let mut at = 0;
    for _ in 0..n {
        if at < bytes.len() {
            at += decode_char(&bytes[at..]).1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalized() {
        assert_eq!(normalized("UTF-8"), "utf_8");
        assert_eq!(normalized("  Latin  1"), "latin_1");
        assert_eq!(Codec::of_name("ISO-8859-1"), Some(Codec::Latin1));
        assert_eq!(
            Codec::of_name("UTF-16LE"),
            Some(Codec::Utf16(Order::Little))
        );
        assert_eq!(Codec::of_name("klingon"), None);
    }

    #[test]
    fn every_table_goes_both_ways() {
        for map in &charmaps::TABLES {
            for b in 0..=255u8 {
                if let Some(c) = map.decode(b) {
                    assert_eq!(
                        map.encode(c).and_then(|b| map.decode(b)),
                        Some(c),
                        "{} {b}",
                        map.name
                    );
                }
            }
        }
        assert!(charmaps::NAMES.windows(2).all(|w| w[0].0 < w[1].0));
        let decode = |name, b| {
            Codec::of_name(name)
                .and_then(Codec::charmap)
                .and_then(|map| map.decode(b))
        };
        assert_eq!(
            (
                decode("windows-1252", 0x80),
                decode("cp1252", 0x81),
                decode("CP437", 0xE1)
            ),
            (Some(0x20AC), None, Some(0xDF))
        );
    }
}
