//! `str`: the questions (`isalpha` and the others).

use super::{Str, chars_of, chunks, unicode};
use crate::objects::native::{Def, receiver};
use crate::value::Value;

/// The methods.
pub static METHODS: &[Def] = &[
    Def::method("isalnum", "(self, /)", |_, args| {
        Ok(all(
            &args[0],
            |b| b.is_ascii_alphanumeric(),
            unicode::is_alnum,
        ))
    }),
    Def::method("isalpha", "(self, /)", |_, args| {
        Ok(all(
            &args[0],
            |b| b.is_ascii_alphabetic(),
            unicode::is_alpha,
        ))
    }),
    Def::method("isascii", "(self, /)", |_, args| {
        Ok(Value::bool(receiver::<Str>(&args[0]).is_ascii()))
    }),
    Def::method("isdecimal", "(self, /)", |_, args| {
        Ok(all(&args[0], is_digit, |c| unicode::decimal(c).is_some()))
    }),
    Def::method("isdigit", "(self, /)", |_, args| {
        Ok(all(&args[0], is_digit, |c| unicode::digit(c).is_some()))
    }),
    Def::method("isidentifier", "(self, /)", |_, args| {
        Ok(Value::bool(is_identifier(
            receiver::<Str>(&args[0]).as_bytes(),
        )))
    }),
    Def::method("islower", "(self, /)", |_, args| {
        Ok(Value::bool(is_lower(receiver::<Str>(&args[0]))))
    }),
    Def::method("isnumeric", "(self, /)", |_, args| {
        Ok(all(&args[0], is_digit, |c| unicode::numeric(c).is_some()))
    }),
    Def::method("isprintable", "(self, /)", |_, args| {
        let s = receiver::<Str>(&args[0]);
        let printable = |b: u8| (0x20..0x7F).contains(&b);
        Ok(Value::bool(
            s.is_empty() || every(s, printable, unicode::is_printable),
        ))
    }),
    Def::method("isspace", "(self, /)", |_, args| {
        Ok(all(
            &args[0],
            |b| matches!(b, 9..=13 | 0x1C..=0x20),
            unicode::is_space,
        ))
    }),
    Def::method("istitle", "(self, /)", |_, args| {
        Ok(Value::bool(is_title(receiver::<Str>(&args[0]).as_bytes())))
    }),
    Def::method("isupper", "(self, /)", |_, args| {
        Ok(Value::bool(is_upper(receiver::<Str>(&args[0]))))
    }),
];

fn is_digit(b: u8) -> bool {
    b.is_ascii_digit()
}

/// Whether there are characters, and all of them pass. The first test is for ASCII.
#[inline(always)]
fn all(v: &Value, ascii: impl Fn(u8) -> bool, test: impl Fn(u32) -> bool) -> Value {
    let s = receiver::<Str>(v);
    Value::bool(!s.is_empty() && every(s, ascii, test))
}

#[inline(always)]
fn every(s: &Str, ascii: impl Fn(u8) -> bool, test: impl Fn(u32) -> bool) -> bool {
    if s.is_ascii() {
        chunks::all(s.as_bytes(), ascii)
    } else {
        s.chars().all(test)
    }
}

/// Whether the text is an identifier (keywords included).
pub fn is_identifier(text: &[u8]) -> bool {
    let mut chars = chars_of(text);
    chars.next().is_some_and(unicode::is_identifier_start) && chars.all(unicode::is_identifier_part)
}

fn is_lower(s: &Str) -> bool {
    let text = s.as_bytes();
    if s.is_ascii() {
        return chunks::all(text, |b| !b.is_ascii_uppercase())
            && !chunks::all(text, |b| !b.is_ascii_lowercase());
    }
    let mut cased = false;
    for c in chars_of(text) {
        if unicode::is_upper(c) || unicode::is_title(c) {
            return false;
        }
        cased |= unicode::is_lower(c);
    }
    cased
}

fn is_upper(s: &Str) -> bool {
    let text = s.as_bytes();
    if s.is_ascii() {
        return chunks::all(text, |b| !b.is_ascii_lowercase())
            && !chunks::all(text, |b| !b.is_ascii_uppercase());
    }
    let mut cased = false;
    for c in chars_of(text) {
        if unicode::is_lower(c) || unicode::is_title(c) {
            return false;
        }
        cased |= unicode::is_upper(c);
    }
    cased
}

fn is_title(text: &[u8]) -> bool {
    let (mut cased, mut after_cased) = (false, false);
    for c in chars_of(text) {
        if unicode::is_upper(c) || unicode::is_title(c) {
            if after_cased {
                return false;
            }
            (cased, after_cased) = (true, true);
        } else if unicode::is_lower(c) {
            if !after_cased {
                return false;
            }
            cased = true;
        } else {
            after_cased = false;
        }
    }
    cased
}
