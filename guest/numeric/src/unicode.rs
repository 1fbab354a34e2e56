//! Reading numbers written with Unicode's decimal digits and spaces: they become ASCII before any parser looks at them.

use std::borrow::Cow;

/// The zeros of all runs of ten decimal digits (general category Nd) outside ASCII, Unicode 16.
const ZEROS: [u32; 75] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0,
    0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50,
    0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8,
    0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
];

/// The value of a decimal digit outside ASCII.
fn decimal_digit(c: char) -> Option<u8> {
    let code = c as u32;
    let run = ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?;
    let value = code - ZEROS[run];
    (value < 10).then_some(value as u8)
}

/// The value of a decimal digit of any script, ASCII included.
pub(crate) fn decimal_value(point: u32) -> Option<u8> {
    let c = char::from_u32(point)?;
    if c.is_ascii() {
        c.to_digit(10).map(|digit| digit as u8)
    } else {
        decimal_digit(c)
    }
}

/// `str.isspace` for characters outside ASCII.
fn is_space(c: char) -> bool {
    matches!(
        c,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// The text with other scripts' digits and spaces as ASCII; whatever else is not ASCII becomes `?`, which no number contains.
pub(crate) fn to_ascii_number(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let ascii = |c: char| match c {
        _ if c.is_ascii() => c as u8,
        _ if is_space(c) => b' ',
        _ => decimal_digit(c).map_or(b'?', |digit| b'0' + digit),
    };
    Cow::Owned(text.chars().map(ascii).collect())
}

/// The white space a number may be surrounded by: C's `isspace`, without `\x1c`..`\x1f`.
pub(crate) fn is_c_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

/// The text without white space at both ends.
pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_c_space(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_c_space(*last)
    {
        text = rest;
    }
    text
}
