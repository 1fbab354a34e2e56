//! `str`: the questions (`isalpha` and the others).

use super::{Str, chars_of, unicode};
use crate::objects::native::{Def, receiver};
use crate::value::Value;

/// The methods.
pub static METHODS: &[Def] = &[
    Def::method("isalnum", "(self, /)", |_, args| {
        Ok(all(&args[0], unicode::is_alnum))
    }),
    Def::method("isalpha", "(self, /)", |_, args| {
        Ok(all(&args[0], unicode::is_alpha))
    }),
    Def::method("isascii", "(self, /)", |_, args| {
        Ok(Value::bool(receiver::<Str>(&args[0]).is_ascii()))
    }),
    Def::method("isdecimal", "(self, /)", |_, args| {
        Ok(all(&args[0], |c| unicode::decimal(c).is_some()))
    }),
    Def::method("isdigit", "(self, /)", |_, args| {
        Ok(all(&args[0], |c| unicode::digit(c).is_some()))
    }),
    Def::method("isidentifier", "(self, /)", |_, args| {
        Ok(Value::bool(is_identifier(
            receiver::<Str>(&args[0]).as_bytes(),
        )))
    }),
    Def::method("islower", "(self, /)", |_, args| {
        Ok(Value::bool(is_lower(receiver::<Str>(&args[0]).as_bytes())))
    }),
    Def::method("isnumeric", "(self, /)", |_, args| {
        Ok(all(&args[0], |c| unicode::numeric(c).is_some()))
    }),
    Def::method("isprintable", "(self, /)", |_, args| {
        Ok(Value::bool(
            receiver::<Str>(&args[0]).chars().all(unicode::is_printable),
        ))
    }),
    Def::method("isspace", "(self, /)", |_, args| {
        Ok(all(&args[0], unicode::is_space))
    }),
    Def::method("istitle", "(self, /)", |_, args| {
        Ok(Value::bool(is_title(receiver::<Str>(&args[0]).as_bytes())))
    }),
    Def::method("isupper", "(self, /)", |_, args| {
        Ok(Value::bool(is_upper(receiver::<Str>(&args[0]).as_bytes())))
    }),
];

/// Whether there are characters, and all of them pass.
fn all(v: &Value, test: impl Fn(u32) -> bool) -> Value {
    let s = receiver::<Str>(v);
    Value::bool(!s.is_empty() && s.chars().all(test))
}

/// Whether the text is an identifier (keywords included).
pub fn is_identifier(text: &[u8]) -> bool {
    let mut chars = chars_of(text);
    chars.next().is_some_and(unicode::is_identifier_start) && chars.all(unicode::is_identifier_part)
}

fn is_lower(text: &[u8]) -> bool {
    let mut cased = false;
    for c in chars_of(text) {
        if unicode::is_upper(c) || unicode::is_title(c) {
            return false;
        }
        cased |= unicode::is_lower(c);
    }
    cased
}

fn is_upper(text: &[u8]) -> bool {
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
