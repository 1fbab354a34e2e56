//! The values of string and bytes literals, decoded from their source text.
//!
//! The parser decodes literals too, but into Rust strings, which cannot hold the lone surrogates
//! that `'\ud800'` stands for; it puts U+FFFD in their place. [`string_value`] and
//! [`interpolated_value`] give the exact value, as UTF-8 in which a surrogate is encoded like any
//! other code point (three bytes; neighbouring surrogates are not joined, as in Python).

use std::borrow::Cow;
use std::fmt;

use rustpython_ast::{InterpolatedStringLiteralElement, StringLiteral};
use rustpython_text_size::Ranged;

/// The value of a literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// A string, as UTF-8 that may contain surrogates.
    Str(Vec<u8>),
    /// A bytes object.
    Bytes(Vec<u8>),
}

/// Why a literal has no value; shown as CPython shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiteralError {
    /// An escape that the `unicodeescape` codec refuses, between two positions.
    Unicode {
        /// Position of the backslash.
        start: usize,
        /// Position after the last character looked at.
        end: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// `\x` without two hexadecimal digits in a bytes literal.
    BytesEscape {
        /// Position of the backslash.
        position: usize,
    },
    /// A character other than ASCII in a bytes literal.
    NotAscii,
    /// The text is no literal.
    Malformed,
}

impl fmt::Display for LiteralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiteralError::Unicode { start, end, reason } => {
                f.write_str("(unicode error) 'unicodeescape' codec can't decode ")?;
                if end.saturating_sub(*start) <= 1 {
                    write!(f, "byte 0x5c in position {start}: {reason}")
                } else {
                    write!(f, "bytes in position {start}-{}: {reason}", end - 1)
                }
            }
            LiteralError::BytesEscape { position } => {
                write!(f, "(value error) invalid \\x escape at position {position}")
            }
            LiteralError::NotAscii => {
                f.write_str("bytes can only contain ASCII literal characters")
            }
            LiteralError::Malformed => f.write_str("invalid syntax"),
        }
    }
}

impl std::error::Error for LiteralError {}

/// Decodes one literal from its source text, prefix and quotes included. Not for f-strings.
pub fn decode_literal(text: &str) -> Result<Literal, LiteralError> {
    let quote = text.find(['"', '\'']).ok_or(LiteralError::Malformed)?;
    let (prefix, quoted) = text.split_at(quote);
    let width = if quoted.len() >= 6 && (quoted.starts_with("\"\"\"") || quoted.starts_with("'''"))
    {
        3
    } else {
        1
    };
    let body = quoted
        .get(width..quoted.len().saturating_sub(width))
        .ok_or(LiteralError::Malformed)?;
    let raw = prefix.contains(['r', 'R']);
    if prefix.contains(['b', 'B']) {
        return decode_bytes(body, raw).map(Literal::Bytes);
    }
    if raw {
        return Ok(Literal::Str(unify_newlines(body).into_owned().into_bytes()));
    }
    decode_escapes(&unify_newlines(body)).map(Literal::Str)
}

/// Decodes literal text of an f-string or t-string (without quotes): escapes unless `raw`, and
/// doubled braces.
pub fn decode_text(text: &str, raw: bool) -> Result<Vec<u8>, LiteralError> {
    let text = unify_newlines(text);
    let text = single_braces(&text, raw);
    if raw {
        return Ok(text.into_owned().into_bytes());
    }
    // A backslash before the brace of a field stands for itself.
    let escaped = text.len() - text.trim_end_matches('\\').len();
    if escaped % 2 == 1 {
        let mut value = decode_escapes(&text[..text.len() - 1])?;
        value.push(b'\\');
        return Ok(value);
    }
    decode_escapes(&text)
}

/// The exact value of a string literal of the tree; `source` is what was parsed.
pub fn string_value<'a>(source: &str, literal: &'a StringLiteral) -> Cow<'a, [u8]> {
    if literal.value.contains('\u{fffd}')
        && let Some(text) = source.get(literal.range.to_std_range())
        && let Ok(Literal::Str(value)) = decode_literal(text)
    {
        return Cow::Owned(value);
    }
    Cow::Borrowed(literal.value.as_bytes())
}

/// The exact value of literal text inside an f-string or t-string of the tree.
pub fn interpolated_value<'a>(
    source: &str,
    element: &'a InterpolatedStringLiteralElement,
    raw: bool,
) -> Cow<'a, [u8]> {
    if element.value.contains('\u{fffd}')
        && let Some(text) = source.get(element.range().to_std_range())
        && let Ok(value) = decode_text(text, raw)
    {
        return Cow::Owned(value);
    }
    Cow::Borrowed(element.value.as_bytes())
}

/// Line ends inside a literal are `\n`, whatever the file has.
fn unify_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// `{{` and `}}` stand for one brace, except within `\N{...}`.
fn single_braces(text: &str, raw: bool) -> Cow<'_, str> {
    if !text.contains("{{") && !text.contains("}}") {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}', '\\']) {
        let (before, from) = rest.split_at(at);
        result.push_str(before);
        if from.starts_with("{{") || from.starts_with("}}") {
            result.push_str(&from[..1]);
            rest = &from[2..];
        } else if !raw && from.starts_with("\\N{") {
            let end = from.find('}').map_or(from.len(), |end| end + 1);
            result.push_str(&from[..end]);
            rest = &from[end..];
        } else if !raw && from.starts_with("\\\\") {
            result.push_str("\\\\");
            rest = &from[2..];
        } else {
            result.push_str(&from[..1]);
            rest = &from[1..];
        }
    }
    result.push_str(rest);
    Cow::Owned(result)
}

fn decode_bytes(body: &str, raw: bool) -> Result<Vec<u8>, LiteralError> {
    if !body.is_ascii() {
        return Err(LiteralError::NotAscii);
    }
    let body = unify_newlines(body);
    let bytes = body.as_bytes();
    if raw || !bytes.contains(&b'\\') {
        return Ok(bytes.to_vec());
    }
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            result.push(byte);
            continue;
        }
        let Some(&escape) = bytes.get(at) else {
            result.push(b'\\');
            break;
        };
        at += 1;
        if let Some(simple) = simple_escape(escape) {
            result.push(simple);
            continue;
        }
        match escape {
            b'\n' => {}
            b'0'..=b'7' => {
                let (value, length) = octal(&bytes[at - 1..]);
                at += length - 1;
                result.push(u8::try_from(value & 0xff).unwrap_or_default());
            }
            b'x' => {
                let digits = bytes.get(at..at + 2).and_then(hexadecimal);
                let Some(value) = digits else {
                    return Err(LiteralError::BytesEscape { position: at - 2 });
                };
                at += 2;
                result.push(u8::try_from(value).unwrap_or_default());
            }
            _ => result.extend([b'\\', escape]),
        }
    }
    Ok(result)
}

/// The one-letter escapes that strings and bytes share.
fn simple_escape(escape: u8) -> Option<u8> {
    Some(match escape {
        b'\\' | b'\'' | b'"' => escape,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        _ => return None,
    })
}

/// The value of up to three octal digits, and how many there are.
fn octal(bytes: &[u8]) -> (u32, usize) {
    let digits = bytes
        .iter()
        .take(3)
        .take_while(|byte| matches!(byte, b'0'..=b'7'))
        .count();
    let value = bytes[..digits]
        .iter()
        .fold(0, |value, byte| value * 8 + u32::from(byte - b'0'));
    (value, digits.max(1))
}

fn hexadecimal(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0u32, |value, byte| {
        let digit = char::from(*byte).to_digit(16)?;
        Some(value.wrapping_mul(16).wrapping_add(digit))
    })
}

/// Appends a code point, surrogates included.
fn push_code(result: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(letter) => {
            let mut buffer = [0; 4];
            result.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
        }
        None => {
            let low = |shift: u32| u8::try_from((code >> shift) & 0x3f).unwrap_or_default();
            result.extend([0xe0 | low(12), 0x80 | low(6), 0x80 | low(0)]);
        }
    }
}

fn decode_escapes(body: &str) -> Result<Vec<u8>, LiteralError> {
    let bytes = body.as_bytes();
    if !bytes.contains(&b'\\') {
        return Ok(bytes.to_vec());
    }
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        if byte != b'\\' {
            result.push(byte);
            continue;
        }
        let failed = |end: usize, reason: &'static str| LiteralError::Unicode {
            start: codec_position(body, start),
            end: codec_position(body, end),
            reason,
        };
        let Some(&escape) = bytes.get(at) else {
            return Err(failed(at, "\\ at end of string"));
        };
        at += 1;
        if let Some(simple) = simple_escape(escape) {
            result.push(simple);
            continue;
        }
        let (width, reason) = match escape {
            b'\n' => continue,
            b'0'..=b'7' => {
                let (value, length) = octal(&bytes[at - 1..]);
                at += length - 1;
                push_code(&mut result, value);
                continue;
            }
            b'N' => {
                let (code, end) =
                    named_character(body, at).map_err(|(end, why)| failed(end, why))?;
                push_code(&mut result, code);
                at = end;
                continue;
            }
            b'x' => (2, "truncated \\xXX escape"),
            b'u' => (4, "truncated \\uXXXX escape"),
            b'U' => (8, "truncated \\UXXXXXXXX escape"),
            _ => {
                result.extend([b'\\', escape]);
                continue;
            }
        };
        let digits = bytes[at..]
            .iter()
            .take(width)
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        let end = at + digits;
        if digits < width {
            return Err(failed(end, reason));
        }
        match hexadecimal(&bytes[at..end]) {
            Some(code) if code <= 0x10_ffff => push_code(&mut result, code),
            _ => return Err(failed(end, "illegal Unicode character")),
        }
        at = end;
    }
    Ok(result)
}

/// The character after `\N`, and the offset after its closing brace; or the offset where reading
/// stopped and why.
fn named_character(body: &str, at: usize) -> Result<(u32, usize), (usize, &'static str)> {
    const MALFORMED: &str = "malformed \\N character escape";
    let rest = &body[at..];
    let Some(inner) = rest.strip_prefix('{') else {
        return Err((at, MALFORMED));
    };
    let Some(length) = inner.find('}') else {
        return Err((body.len(), MALFORMED));
    };
    if length == 0 {
        return Err((at + 1, MALFORMED));
    }
    let end = at + 1 + length + 1;
    match unicode_names2::character(&inner[..length]) {
        Some(letter) => Ok((u32::from(letter), end)),
        None => Err((end, "unknown Unicode character name")),
    }
}

/// Positions in codec errors count a character other than ASCII as the ten of its escape: CPython
/// rewrites it so before it decodes.
fn codec_position(body: &str, offset: usize) -> usize {
    body.get(..offset)
        .unwrap_or(body)
        .chars()
        .map(|letter| if letter.is_ascii() { 1 } else { 10 })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<u8> {
        match decode_literal(text) {
            Ok(Literal::Str(value) | Literal::Bytes(value)) => value,
            Err(error) => panic!("{text}: {error}"),
        }
    }

    #[test]
    fn escapes() {
        assert_eq!(decoded(r"'a\n\x41\u00e9\101\d'"), "a\nAéA\\d".as_bytes());
        assert_eq!(decoded(r"r'\n'"), br"\n");
        assert_eq!(decoded(r"b'\x00\377\d'"), b"\x00\xff\\d");
        assert_eq!(decoded("'''a\\\nb'''"), b"ab");
        assert_eq!(decoded("''"), b"");
        assert_eq!(
            decoded(r"'\N{LATIN SMALL LETTER E WITH ACUTE}'"),
            "é".as_bytes()
        );
        assert_eq!(decoded(r"'\400'"), "\u{100}".as_bytes());
    }

    #[test]
    fn surrogates_are_kept() {
        assert_eq!(decoded(r"'\ud800'"), [0xed, 0xa0, 0x80]);
        assert_eq!(
            decoded(r"'\ud83d\ude00'"),
            [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]
        );
    }

    #[test]
    fn braces() {
        assert_eq!(decode_text(r"a{{b}}\x41", false), Ok(b"a{b}A".to_vec()));
        assert_eq!(decode_text(r"{{\n", true), Ok(br"{\n".to_vec()));
        assert_eq!(decode_text(r"\", false), Ok(br"\".to_vec()));
        assert_eq!(decode_text(r"\\", false), Ok(br"\".to_vec()));
        assert_eq!(decode_text(r"\{{", false), Ok(br"\{".to_vec()));
    }
}
