//! Values as JSON: the form that smolagents' `SafeSerializer` gives them, and more of it for what that form leaves out.
//!
//! What JSON has crosses as it is; everything else is an object with the key `__type__`, which says what the other keys mean:
//!
//! | `__type__` | the other keys | from |
//! |---|---|---|
//! | `tuple`, `set`, `frozenset` | `data`: array of the items | smolagents |
//! | `bytes` | `data`: base64 | smolagents |
//! | `complex` | `real`, `imag` | smolagents |
//! | `dict_with_complex_keys` | `data`: array of pairs | smolagents |
//! | `datetime`, `date`, `time` | `data`: as `isoformat()`; `fold`: 1; `zone`: key of a `ZoneInfo`; `tzname`: name of a `timezone` | smolagents; the last three are ours, and only there when needed |
//! | `timedelta` | `total_seconds`; `microseconds`, all of it, if the float is not exact | smolagents; ours |
//! | `Decimal` | `data`: the text | smolagents |
//! | `Path` | `data`: the text; `class`, unless it is `PosixPath` | smolagents; ours |
//! | `dataclass` | `class_name`, `module`, `data`: object of the fields | smolagents |
//! | `int` | `data`: digits, decimal up to about 4,300 and else hexadecimal | ours |
//! | `float` | `data`: `nan`, `inf` or `-inf` | ours |
//! | `str` | `data`: base64 of the WTF-8 of a string with lone surrogates | ours |
//! | `bytearray` | `data`: base64 | ours |
//! | `range`, `slice` | `data`: start, stop, step | ours |
//! | `timezone` | `seconds`, `tzname`; or `zone`, `seconds` | ours |
//! | `Fraction` | `data`: `numerator/denominator` | ours |
//! | `UUID` | `data`: the text | ours |
//! | `enum` | `class_name`, `module`, `name`, `value` | ours |
//! | `namedtuple` | `class_name`, `module`, `data`: array of pairs | ours |
//! | `exception` | `class_name`, `module`, `args` | ours |
//! | `host_object` | `id`, `type_name`, `repr` | ours |
//!
//! A dict goes as `dict_with_complex_keys` if a key is no string, **and if a key is `__type__`**: so a dict of the user's is never taken
//! for one of the above (smolagents itself does take it; what is written here it reads right).
//!
//! On the way in, `ndarray` gives the list in its `data`, as smolagents does where there is no numpy; an object with any other `__type__`
//! (`PIL.Image`) stays a dict, with that key in it. Text that begins with `pickle:` is refused and never decoded.
//!
//! There are two dialects. [`Value::to_json`] and [`Value::from_json`] keep to the standard. [`Value::to_safe_text`] and
//! [`Value::from_safe_text`] are the text that Python's `json` writes and reads, behind smolagents' prefix `safe:`: `NaN` and `Infinity`,
//! integers of any size, and lone surrogates stand there as they are.

mod plain;
mod read;
mod text;
mod write;

use serde_json::Value as Json;

use super::{MAX_DEPTH, Value};

/// The key that says what an object is.
const TYPE: &str = "__type__";

/// Before JSON in smolagents' texts.
const SAFE: &str = "safe:";

/// Before what is no business of ours in smolagents' texts.
const PICKLE: &str = "pickle:";

/// How deep JSON may nest: what is deepest as a value has three levels for each of its own.
const MAX_JSON_DEPTH: usize = 3 * MAX_DEPTH + 8;

/// Why JSON is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON, not even as Python writes it.
    #[error("not JSON at byte {at}: {reason}")]
    Syntax {
        /// Where.
        at: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// The JSON nests too deep.
    #[error("the JSON nests too deep")]
    TooDeep,
    /// An object says what it is, and is not.
    #[error("wrong content for \"__type__\": \"{tag}\": {reason}")]
    Content {
        /// What it says.
        tag: String,
        /// What is wrong.
        reason: String,
    },
    /// The text is a pickle: decoding one runs what is in it.
    #[error("pickle data is rejected: only data that is safe to read is decoded")]
    Pickle,
}

impl Value {
    /// The value as JSON; see [the table](self).
    ///
    /// ```
    /// use coldframe::Value;
    /// use serde_json::json;
    ///
    /// let value = Value::dict([("point", Value::from((1, 2))), ("raw", Value::Bytes(b"hi".to_vec()))]);
    /// let json = value.to_json();
    /// assert_eq!(
    ///     json,
    ///     json!({
    ///         "point": {"__type__": "tuple", "data": [1, 2]},
    ///         "raw": {"__type__": "bytes", "data": "aGk="},
    ///     })
    /// );
    /// assert_eq!(Value::from_json(&json), Ok(value));
    /// ```
    pub fn to_json(&self) -> Json {
        plain::to_json(&write::plain(self, write::Dialect::Standard))
    }

    /// The value that JSON stands for; see [the table](self).
    pub fn from_json(json: &Json) -> Result<Value, JsonError> {
        read::value(&plain::from_json(json, 0)?)
    }

    /// The value as smolagents' `SafeSerializer.dumps` writes it: `safe:` and JSON in Python's dialect.
    ///
    /// ```
    /// use coldframe::Value;
    ///
    /// let value = Value::from(vec![Value::Float(f64::INFINITY), Value::from(1u128 << 70)]);
    /// let text = value.to_safe_text();
    /// assert_eq!(text, "safe:[Infinity, 1180591620717411303424]");
    /// assert_eq!(Value::from_safe_text(&text), Ok(value));
    /// ```
    pub fn to_safe_text(&self) -> String {
        let mut out = SAFE.to_owned();
        text::write(&mut out, &write::plain(self, write::Dialect::Python));
        out
    }

    /// The value in a text of smolagents': `safe:` and JSON. Without the prefix it is taken for JSON; `pickle:` is refused.
    pub fn from_safe_text(text: &str) -> Result<Value, JsonError> {
        if text.starts_with(PICKLE) {
            return Err(JsonError::Pickle);
        }
        let start = if text.starts_with(SAFE) {
            SAFE.len()
        } else {
            0
        };
        read::value(&text::read(text, start)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::*;
    use super::JsonError;

    fn pairs(value: &[(&str, Value)]) -> Value {
        Value::dict(value.iter().cloned())
    }

    #[test]
    fn what_smolagents_has_is_written_as_it_writes_it() {
        let date_time = |text: &str| text.parse::<DateTime>().unwrap();
        let cases = [
            (Value::None, json!(null)),
            (Value::from(1.5), json!(1.5)),
            (
                Value::from((1, "a")),
                json!({"__type__": "tuple", "data": [1, "a"]}),
            ),
            (
                Value::Set(vec![1.into()]),
                json!({"__type__": "set", "data": [1]}),
            ),
            (
                Value::FrozenSet(vec![]),
                json!({"__type__": "frozenset", "data": []}),
            ),
            (
                Value::Bytes(vec![0, 255, 1, 2]),
                json!({"__type__": "bytes", "data": "AP8BAg=="}),
            ),
            (
                Value::Complex(1.0, -2.5),
                json!({"__type__": "complex", "real": 1.0, "imag": -2.5}),
            ),
            (
                Value::dict([(1, "a")]),
                json!({"__type__": "dict_with_complex_keys", "data": [[1, "a"]]}),
            ),
            (
                date_time("2026-11-30T12:00:00.000001").into(),
                json!({"__type__": "datetime", "data": "2026-11-30T12:00:00.000001"}),
            ),
            (
                date_time("2026-11-30T12:00:00-05:30").into(),
                json!({"__type__": "datetime", "data": "2026-11-30T12:00:00-05:30"}),
            ),
            (
                Date::new(2026, 11, 30).unwrap().into(),
                json!({"__type__": "date", "data": "2026-11-30"}),
            ),
            (
                Time::new(1, 2, 3, 0).unwrap().into(),
                json!({"__type__": "time", "data": "01:02:03"}),
            ),
            (
                TimeDelta::new(1, 2, 3).unwrap().into(),
                json!({"__type__": "timedelta", "total_seconds": 86402.000003}),
            ),
            (
                Decimal::new("1.10").unwrap().into(),
                json!({"__type__": "Decimal", "data": "1.10"}),
            ),
            (
                Path {
                    kind: PathKind::Posix,
                    text: "/a".into(),
                }
                .into(),
                json!({"__type__": "Path", "data": "/a"}),
            ),
            (
                Dataclass {
                    class: ClassName::main("P"),
                    fields: vec![("__type__".into(), 1.into()), ("y".into(), (1,).into())],
                }
                .into(),
                json!({
                    "__type__": "dataclass", "class_name": "P", "module": "__main__",
                    "data": {"__type__": 1, "y": {"__type__": "tuple", "data": [1]}},
                }),
            ),
        ];
        for (value, json) in cases {
            assert_eq!(value.to_json(), json);
            assert_eq!(Value::from_json(&json), Ok(value.clone()));
            assert_eq!(Value::from_safe_text(&value.to_safe_text()), Ok(value));
        }
    }

    #[test]
    fn a_dict_of_the_users_is_never_taken_for_something_else() {
        let dicts = [
            pairs(&[
                ("__type__", "tuple".into()),
                ("data", Value::List(vec![1.into()])),
            ]),
            pairs(&[("__type__", Value::None)]),
            pairs(&[
                (
                    "a",
                    pairs(&[
                        ("__type__", "dict_with_complex_keys".into()),
                        ("data", Value::List(vec![])),
                    ]),
                ),
                ("__type__", "x".into()),
            ]),
        ];
        for dict in dicts {
            let json = dict.to_json();
            assert_eq!(json["__type__"], "dict_with_complex_keys");
            assert_eq!(Value::from_json(&json).as_ref(), Ok(&dict));
            assert_eq!(
                Value::from_safe_text(&dict.to_safe_text()).as_ref(),
                Ok(&dict)
            );
        }
    }

    #[test]
    fn what_the_standard_has_not_is_tagged() {
        let nan = Value::Float(f64::NAN);
        assert_eq!(nan.to_json(), json!({"__type__": "float", "data": "nan"}));
        assert_eq!(nan.to_safe_text(), "safe:NaN");
        let big = Value::from(u128::MAX);
        assert_eq!(
            big.to_json(),
            json!({"__type__": "int", "data": "340282366920938463463374607431768211455"})
        );
        assert_eq!(Value::from(u64::MAX).to_json(), json!(u64::MAX));
        let half = Value::SurrogateStr(b"a\xed\xa0\x80".to_vec());
        assert_eq!(
            half.to_json(),
            json!({"__type__": "str", "data": "Ye2ggA=="})
        );
        assert_eq!(half.to_safe_text(), "safe:\"a\\ud800\"");
        let mut order = pairs(&[("b", half), ("a", big)]);
        assert_eq!(Value::from_json(&order.to_json()).as_ref(), Ok(&order));
        assert_eq!(
            Value::from_safe_text(&order.to_safe_text()).as_ref(),
            Ok(&order)
        );
        order = Value::BigInt(BigInt::new(true, &[7; 5000]));
        assert_eq!(Value::from_json(&order.to_json()).as_ref(), Ok(&order));
        assert_eq!(Value::from_safe_text(&order.to_safe_text()), Ok(order));
        let long = TimeDelta::new(999_999_999, 86_399, 999_999).unwrap();
        assert_eq!(
            Value::from(long).to_json()["microseconds"],
            json!({"__type__": "int", "data": "86399999999999999999"})
        );
    }

    #[test]
    fn texts_of_pythons_json_are_read() {
        for (text, value) in [
            ("safe:[NaN, -Infinity, 1e5]", None),
            ("{\"a\": 1, \"a\": 2}", Some(pairs(&[("a", 2.into())]))),
            ("  \"\\ud83d\\udc0d\\/\"  ", Some("🐍/".into())),
            (
                "\"\\udc0d\\ud83d\"",
                Some(Value::SurrogateStr(b"\xed\xb0\x8d\xed\xa0\xbd".to_vec())),
            ),
            ("1180591620717411303424", Some((1u128 << 70).into())),
            ("-0.0", Some(Value::Float(-0.0))),
            (
                "safe:{\"__type__\": \"ndarray\", \"data\": [[1, 2]], \"dtype\": \"int64\"}",
                Some(vec![Value::from(vec![1, 2])].into()),
            ),
            (
                "safe:{\"__type__\": \"PIL.Image\", \"data\": \"aa\"}",
                Some(pairs(&[
                    ("__type__", "PIL.Image".into()),
                    ("data", "aa".into()),
                ])),
            ),
        ] {
            let read = Value::from_safe_text(text);
            match value {
                Some(value) => assert_eq!(read, Ok(value), "{text}"),
                None => assert!(read.is_ok(), "{text}"),
            }
        }
        for text in [
            "",
            "safe:",
            "[1,]",
            "{1: 2}",
            "01",
            "1.",
            "+1",
            "nul",
            "\"\\x\"",
            "\"\\u12\"",
            "\"a",
            "[1] 2",
            "\"\n\"",
            "\"\\ud800",
            "{\"a\" 1}",
            "\u{e4}",
            "\"\\u\u{e4}\u{e4}\"",
            "-",
            "1e",
            "other:1",
        ] {
            assert!(
                matches!(Value::from_safe_text(text), Err(JsonError::Syntax { .. })),
                "{text}"
            );
        }
        assert_eq!(
            Value::from_safe_text("pickle:gASVAA=="),
            Err(JsonError::Pickle)
        );
        assert_eq!(
            Value::from_safe_text(&"[".repeat(100_000)),
            Err(JsonError::TooDeep)
        );
        let long = "9".repeat(4301);
        assert!(matches!(
            Value::from_safe_text(&long),
            Err(JsonError::Syntax { .. })
        ));
    }

    #[test]
    fn wrong_content_is_refused() {
        for json in [
            json!({"__type__": "tuple"}),
            json!({"__type__": "bytes", "data": "a"}),
            json!({"__type__": "bytes", "data": "===="}),
            json!({"__type__": "date", "data": "2026-02-30"}),
            json!({"__type__": "dict_with_complex_keys", "data": [[1]]}),
            json!({"__type__": "range", "data": [1, 2, 0]}),
            json!({"__type__": "int", "data": "1.5"}),
            json!({"__type__": "str", "data": "/w=="}),
            json!({"__type__": "timedelta", "total_seconds": 1e300}),
            json!({"__type__": "timezone", "seconds": 86400}),
            json!({"__type__": "host_object", "id": -1, "type_name": "", "repr": ""}),
            json!({"__type__": "Path", "data": "a", "class": "Path"}),
        ] {
            let read = Value::from_json(&json);
            assert!(
                matches!(read, Err(JsonError::Content { .. })),
                "{json}: {read:?}"
            );
        }
    }
}
