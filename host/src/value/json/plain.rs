//! What JSON has, with what Python's dialect has beyond it: the common ground of both dialects.

use serde_json::{Map, Number, Value as Json};

use super::super::BigInt;
use super::{JsonError, MAX_JSON_DEPTH};

/// JSON in Python's dialect.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Int(i64),
    /// Only in Python's dialect, or of 64 bits without a sign.
    BigInt(BigInt),
    Float(f64),
    Str(String),
    /// WTF-8. Only in Python's dialect.
    SurrogateStr(Vec<u8>),
    List(Vec<Plain>),
    Object(Vec<(Key, Plain)>),
}

/// A key of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Key {
    Str(String),
    /// WTF-8. Only in Python's dialect.
    Surrogates(Vec<u8>),
}

impl From<&str> for Key {
    fn from(key: &str) -> Key {
        Key::Str(key.to_owned())
    }
}

impl Plain {
    pub(super) fn str(text: impl Into<String>) -> Plain {
        Plain::Str(text.into())
    }

    pub(super) fn int(n: &BigInt) -> Plain {
        match n.to_i128().map(i64::try_from) {
            Some(Ok(n)) => Plain::Int(n),
            _ => Plain::BigInt(n.clone()),
        }
    }
}

/// To JSON by the standard; what only Python's dialect has must not be there.
pub(super) fn to_json(plain: &Plain) -> Json {
    match plain {
        Plain::Null => Json::Null,
        Plain::Bool(b) => Json::Bool(*b),
        Plain::Int(n) => (*n).into(),
        Plain::BigInt(n) => n
            .to_u128()
            .and_then(|n| u64::try_from(n).ok())
            .map_or_else(|| Json::String(n.to_string()), Json::from),
        Plain::Float(x) => Number::from_f64(*x).map_or(Json::Null, Json::Number),
        Plain::Str(s) => Json::String(s.clone()),
        Plain::SurrogateStr(s) => Json::String(String::from_utf8_lossy(s).into_owned()),
        Plain::List(items) => Json::Array(items.iter().map(to_json).collect()),
        Plain::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = match key {
                    Key::Str(key) => key.clone(),
                    Key::Surrogates(key) => String::from_utf8_lossy(key).into_owned(),
                };
                (key, to_json(value))
            });
            Json::Object(entries.collect::<Map<_, _>>())
        }
    }
}

pub(super) fn from_json(json: &Json, depth: usize) -> Result<Plain, JsonError> {
    if depth > MAX_JSON_DEPTH {
        return Err(JsonError::TooDeep);
    }
    Ok(match json {
        Json::Null => Plain::Null,
        Json::Bool(b) => Plain::Bool(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => Plain::Int(n),
            (_, Some(n)) => Plain::BigInt(n.into()),
            _ => match n.as_f64() {
                Some(x) => Plain::Float(x),
                None => return Err(JsonError::TooDeep),
            },
        },
        Json::String(s) => Plain::Str(s.clone()),
        Json::Array(items) => Plain::List(
            items
                .iter()
                .map(|item| from_json(item, depth + 1))
                .collect::<Result<_, _>>()?,
        ),
        Json::Object(entries) => Plain::Object(
            entries
                .iter()
                .map(|(key, value)| Ok((Key::Str(key.clone()), from_json(value, depth + 1)?)))
                .collect::<Result<_, JsonError>>()?,
        ),
    })
}
