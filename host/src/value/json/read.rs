//! Tagged JSON to values.

use super::super::decode::is_wtf8;
use super::super::{
    BigInt, ClassName, Dataclass, DateTime, Decimal, EnumMember, Exception, Fraction, Handle,
    NamedTuple, Path, PathKind, Range, Slice, Time, TimeDelta, TimeZone, Uuid, Value,
};
use super::plain::{Key, Plain};
use super::{JsonError, TYPE};

pub(super) fn value(plain: &Plain) -> Result<Value, JsonError> {
    Ok(match plain {
        Plain::Null => Value::None,
        Plain::Bool(b) => Value::Bool(*b),
        Plain::Int(n) => Value::Int(*n),
        Plain::BigInt(n) => n.clone().into(),
        Plain::Float(x) => Value::Float(*x),
        Plain::Str(s) => Value::Str(s.clone()),
        Plain::SurrogateStr(s) => Value::SurrogateStr(s.clone()),
        Plain::List(items) => Value::List(values(items)?),
        Plain::Object(entries) => {
            let tag = entries.iter().find_map(|(key, value)| match (key, value) {
                (Key::Str(key), Plain::Str(tag)) if key == TYPE => Some(tag),
                _ => None,
            });
            if let Some(tag) = tag
                && let Some(value) = (Object { tag, entries }).value()?
            {
                return Ok(value);
            }
            let entries = entries.iter().map(|(key, item)| {
                let key = match key {
                    Key::Str(key) => Value::Str(key.clone()),
                    Key::Surrogates(key) => Value::SurrogateStr(key.clone()),
                };
                Ok((key, value(item)?))
            });
            Value::Dict(entries.collect::<Result<_, JsonError>>()?)
        }
    })
}

fn values(items: &[Plain]) -> Result<Vec<Value>, JsonError> {
    items.iter().map(value).collect()
}

/// An object that says what it is.
struct Object<'a> {
    tag: &'a str,
    entries: &'a [(Key, Plain)],
}

impl<'a> Object<'a> {
    /// What it stands for; `None` when nobody here knows.
    fn value(&self) -> Result<Option<Value>, JsonError> {
        Ok(Some(match self.tag {
            "tuple" => Value::Tuple(self.items("data")?),
            "set" => Value::Set(self.items("data")?),
            "frozenset" => Value::FrozenSet(self.items("data")?),
            "bytes" => Value::Bytes(self.bytes()?),
            "bytearray" => Value::ByteArray(self.bytes()?),
            "str" => {
                let bytes = self.bytes()?;
                match String::from_utf8(bytes) {
                    Ok(text) => Value::Str(text),
                    Err(e) if is_wtf8(e.as_bytes()) => Value::SurrogateStr(e.into_bytes()),
                    Err(_) => return self.wrong("the text is not WTF-8"),
                }
            }
            "complex" => Value::Complex(self.float("real")?, self.float("imag")?),
            "float" => match self.str("data")? {
                "nan" => Value::Float(f64::NAN),
                "inf" => Value::Float(f64::INFINITY),
                "-inf" => Value::Float(f64::NEG_INFINITY),
                _ => return self.wrong("'data' is none of nan, inf, -inf"),
            },
            "int" => self.parsed::<BigInt>("data")?.into(),
            "dict_with_complex_keys" => {
                let entries = self.list("data")?.iter().map(|pair| match pair {
                    Plain::List(pair) if pair.len() == 2 => {
                        Ok((value(&pair[0])?, value(&pair[1])?))
                    }
                    _ => self.wrong("'data' is not all pairs"),
                });
                Value::Dict(entries.collect::<Result<_, _>>()?)
            }
            "range" => {
                let [start, stop, step] = self.integers()?;
                self.valid(Range::new(start, stop, step))?.into()
            }
            "slice" => match <[Value; 3]>::try_from(self.items("data")?) {
                Ok([start, stop, step]) => Slice { start, stop, step }.into(),
                Err(_) => return self.wrong("'data' is not three values"),
            },
            "date" => Value::Date(self.parsed("data")?),
            "time" => Value::Time(self.completed(self.parsed("data")?)?),
            "datetime" => {
                let DateTime { date, time } = self.parsed("data")?;
                DateTime::new(date, self.completed(time)?).into()
            }
            "timedelta" => {
                let total = match self.get("microseconds") {
                    Some(_) => self.valid_i128("microseconds")?,
                    None => (self.float("total_seconds")? * 1e6).round_ties_even() as i128,
                };
                self.valid(TimeDelta::from_microseconds(total))?.into()
            }
            "timezone" => {
                let offset = match self.get("seconds") {
                    Some(_) => Some(self.offset()?),
                    None => None,
                };
                match (self.optional_str("zone")?, offset) {
                    (Some(key), offset) => TimeZone::Named { key, offset }.into(),
                    (None, Some(offset)) => TimeZone::Fixed {
                        offset,
                        name: self.optional_str("tzname")?,
                    }
                    .into(),
                    (None, None) => return self.wrong("neither 'seconds' nor 'zone' is there"),
                }
            }
            "Decimal" => self.valid(Decimal::new(self.str("data")?))?.into(),
            "Fraction" => {
                let Some((numerator, denominator)) = self.str("data")?.split_once('/') else {
                    return self.wrong("'data' is no quotient");
                };
                let part = |text: &str| self.valid(text.parse::<BigInt>());
                self.valid(Fraction::new(part(numerator)?, part(denominator)?))?
                    .into()
            }
            "Path" => {
                let kind = match self.get("class") {
                    Some(_) => PathKind::of_class(self.str("class")?),
                    None => Some(PathKind::Posix),
                };
                match kind {
                    Some(kind) => Path {
                        kind,
                        text: self.str("data")?.to_owned(),
                    }
                    .into(),
                    None => return self.wrong("'class' is none of a path"),
                }
            }
            "UUID" => Value::Uuid(self.parsed::<Uuid>("data")?),
            "ndarray" => match self.get("data") {
                Some(data) => value(data)?,
                None => return self.wrong("'data' is missing"),
            },
            "enum" => EnumMember {
                class: self.class()?,
                name: self.optional_str("name")?,
                value: self.member("value")?,
            }
            .into(),
            "dataclass" => {
                let Some(Plain::Object(fields)) = self.get("data") else {
                    return self.wrong("'data' is no object");
                };
                let fields = fields.iter().map(|(name, field)| match name {
                    Key::Str(name) => Ok((name.clone(), value(field)?)),
                    Key::Surrogates(_) => self.wrong("the name of a field has lone surrogates"),
                });
                Dataclass {
                    class: self.class()?,
                    fields: fields.collect::<Result<_, _>>()?,
                }
                .into()
            }
            "namedtuple" => {
                let fields = self.list("data")?.iter().map(|pair| match pair {
                    Plain::List(pair) => match &pair[..] {
                        [Plain::Str(name), field] => Ok((name.clone(), value(field)?)),
                        _ => self.wrong("'data' is not all names and values"),
                    },
                    _ => self.wrong("'data' is not all pairs"),
                });
                NamedTuple {
                    class: self.class()?,
                    fields: fields.collect::<Result<_, _>>()?,
                }
                .into()
            }
            "exception" => Exception {
                class: self.class()?,
                args: self.items("args")?,
            }
            .into(),
            "host_object" => Handle {
                id: match u64::try_from(self.valid_i128("id")?) {
                    Ok(id) => id,
                    Err(_) => return self.wrong("'id' is no number of an object"),
                },
                type_name: self.str("type_name")?.to_owned(),
                repr: self.str("repr")?.to_owned(),
            }
            .into(),
            _ => return Ok(None),
        }))
    }

    fn wrong<T>(&self, reason: impl Into<String>) -> Result<T, JsonError> {
        Err(JsonError::Content {
            tag: self.tag.to_owned(),
            reason: reason.into(),
        })
    }

    fn valid<T, E: std::fmt::Display>(&self, made: Result<T, E>) -> Result<T, JsonError> {
        made.or_else(|e| self.wrong(e.to_string()))
    }

    fn get(&self, name: &str) -> Option<&'a Plain> {
        self.entries
            .iter()
            .find(|(key, _)| matches!(key, Key::Str(key) if key == name))
            .map(|(_, value)| value)
    }

    fn list(&self, name: &str) -> Result<&'a [Plain], JsonError> {
        match self.get(name) {
            Some(Plain::List(items)) => Ok(items),
            _ => self.wrong(format!("'{name}' is no array")),
        }
    }

    fn items(&self, name: &str) -> Result<Vec<Value>, JsonError> {
        values(self.list(name)?)
    }

    fn member(&self, name: &str) -> Result<Value, JsonError> {
        match self.get(name) {
            Some(member) => value(member),
            None => self.wrong(format!("'{name}' is missing")),
        }
    }

    fn str(&self, name: &str) -> Result<&'a str, JsonError> {
        match self.get(name) {
            Some(Plain::Str(text)) => Ok(text),
            _ => self.wrong(format!("'{name}' is no string")),
        }
    }

    fn optional_str(&self, name: &str) -> Result<Option<String>, JsonError> {
        match self.get(name) {
            None | Some(Plain::Null) => Ok(None),
            Some(_) => self.str(name).map(|text| Some(text.to_owned())),
        }
    }

    fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
    ) -> Result<T, JsonError> {
        self.valid(self.str(name)?.parse())
    }

    /// A number, whether or not it is written as an integer.
    fn float(&self, name: &str) -> Result<f64, JsonError> {
        match self.member(name)? {
            Value::Float(x) => Ok(x),
            Value::Int(n) => Ok(n as f64),
            _ => self.wrong(format!("'{name}' is no number")),
        }
    }

    fn integer(&self, value: Value) -> Result<BigInt, JsonError> {
        match value {
            Value::Int(n) => Ok(n.into()),
            Value::BigInt(n) => Ok(n),
            _ => self.wrong("an integer is expected"),
        }
    }

    fn integers(&self) -> Result<[BigInt; 3], JsonError> {
        let Ok([a, b, c]) = <[Value; 3]>::try_from(self.items("data")?) else {
            return self.wrong("'data' is not three integers");
        };
        Ok([self.integer(a)?, self.integer(b)?, self.integer(c)?])
    }

    fn valid_i128(&self, name: &str) -> Result<i128, JsonError> {
        match self.integer(self.member(name)?)?.to_i128() {
            Some(n) => Ok(n),
            None => self.wrong(format!("'{name}' is too large")),
        }
    }

    fn class(&self) -> Result<ClassName, JsonError> {
        Ok(ClassName::new(self.str("module")?, self.str("class_name")?))
    }

    /// The time with what its text does not say.
    fn completed(&self, time: Time) -> Result<Time, JsonError> {
        let fold = match self.get("fold") {
            None | Some(Plain::Int(0)) => false,
            Some(Plain::Int(1)) => true,
            Some(_) => return self.wrong("'fold' is neither 0 nor 1"),
        };
        let time = time.with_fold(fold);
        let offset = time.zone().and_then(TimeZone::offset);
        if let Some(key) = self.optional_str("zone")? {
            return Ok(time.with_zone(Some(TimeZone::Named { key, offset })));
        }
        match (self.optional_str("tzname")?, offset) {
            (Some(name), Some(offset)) => Ok(time.with_zone(Some(TimeZone::Fixed {
                offset,
                name: Some(name),
            }))),
            (Some(_), None) => self.wrong("'tzname' without a distance from UTC"),
            (None, _) => Ok(time),
        }
    }

    fn offset(&self) -> Result<TimeDelta, JsonError> {
        let total = (self.float("seconds")? * 1e6).round_ties_even() as i128;
        let offset = self.valid(TimeDelta::from_microseconds(total))?;
        self.valid(super::super::time::check_offset(offset))?;
        Ok(offset)
    }

    fn bytes(&self) -> Result<Vec<u8>, JsonError> {
        let text = self.str("data")?;
        match base64(text) {
            Some(bytes) => Ok(bytes),
            None => self.wrong("'data' is not base64"),
        }
    }
}

/// RFC 4648, section 4, with padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = match text {
        [digits @ .., b'=', b'='] | [digits @ .., b'='] => digits,
        digits => digits,
    };
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut n = 0u32;
        for &digit in group {
            let six = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            n = n << 6 | u32::from(six);
        }
        n <<= 6 * (4 - group.len());
        let [_, bytes @ ..] = n.to_be_bytes();
        out.extend_from_slice(&bytes[..group.len() - 1]);
    }
    Some(out)
}
