//! `repr` of text and bytes: quotes and escapes.

use super::{chars_of, unicode};

/// The quote that needs no escaping: `'`, unless the text has that and no `"`.
fn quote_for(text: &[u8]) -> u8 {
    if memchr::memchr(b'\'', text).is_some() && memchr::memchr(b'"', text).is_none() {
        b'"'
    } else {
        b'\''
    }
}

/// What an escape of one letter stands for.
fn letter(b: u8) -> Option<u8> {
    match b {
        b'\n' => Some(b'n'),
        b'\r' => Some(b'r'),
        b'\t' => Some(b't'),
        _ => None,
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends `c` in hexadecimal with so many digits.
pub fn push_hex(out: &mut Vec<u8>, c: u32, digits: u32) {
    (0..digits)
        .rev()
        .for_each(|i| out.push(HEX[(c >> (4 * i) & 15) as usize]));
}

/// Appends the escape of a code point that is not shown as it is: `\x..`, `\u....` or `\U........`.
pub fn push_escape(out: &mut Vec<u8>, c: u32) {
    let (mark, digits) = match c {
        0..=0xFF => (b'x', 2),
        0x100..=0xFFFF => (b'u', 4),
        _ => (b'U', 8),
    };
    out.extend([b'\\', mark]);
    push_hex(out, c, digits);
}

/// Appends the `repr` of WTF-8 text; with `ascii`, what is not ASCII is escaped, as `ascii()` does.
pub fn push_text(out: &mut Vec<u8>, text: &[u8], ascii: bool) {
    let quote = quote_for(text);
    out.reserve(text.len() + 2);
    out.push(quote);
    // Most text has nothing to escape.
    if text
        .iter()
        .all(|&b| (0x20..0x7F).contains(&b) && b != b'\\' && b != quote)
    {
        out.extend_from_slice(text);
        out.push(quote);
        return;
    }
    for c in chars_of(text) {
        match c {
            0..0x80 => push_byte(out, c as u8, quote),
            _ if !ascii && unicode::is_printable(c) => super::push_char(out, c),
            _ => push_escape(out, c),
        }
    }
    out.push(quote);
}

fn push_byte(out: &mut Vec<u8>, b: u8, quote: u8) {
    match b {
        _ if b == quote || b == b'\\' => out.extend([b'\\', b]),
        0x20..0x7F => out.push(b),
        _ => match letter(b) {
            Some(l) => out.extend([b'\\', l]),
            None => push_escape(out, b as u32),
        },
    }
}

/// Appends the `repr` of bytes (`b'...'`). Inside the `repr` of a `bytearray`, `'` is escaped whatever the quote is.
pub fn push_bytes(out: &mut Vec<u8>, data: &[u8], in_array: bool) {
    let quote = quote_for(data);
    out.reserve(data.len() + 3);
    out.extend([b'b', quote]);
    data.iter()
        .for_each(|&b| push_byte(out, b, if in_array && b == b'\'' { b } else { quote }));
    out.push(quote);
}

/// The `repr` of text.
pub fn text(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_text(&mut out, text, false);
    out
}

/// The `repr` of bytes.
pub fn bytes(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_bytes(&mut out, data, false);
    out
}

/// The `repr` of text as a Rust string, for messages.
pub fn for_message(wtf8: &[u8]) -> String {
    // Lone surrogates are escaped, so this is UTF-8.
    String::from_utf8_lossy(&text(wtf8)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(for_message(b"it's"), "\"it's\"");
        assert_eq!(for_message(b"\"it's\"\n"), "'\"it\\'s\"\\n'");
        assert_eq!(for_message("é\u{200b}\u{7f}".as_bytes()), "'é\\u200b\\x7f'");
        assert_eq!(for_message(b"\xED\xA0\x80"), "'\\ud800'");
        assert_eq!(bytes(b"a\x00\xff'"), br#"b"a\x00\xff'""#);
    }
}
