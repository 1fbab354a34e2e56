//! Conversions between values and what Rust's own library has.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, SystemTime};

use super::{
    BigInt, Dataclass, Date, DateTime, Decimal, EnumMember, Exception, Fraction, Handle,
    InvalidValue, NamedTuple, Path, Range, Slice, Time, TimeDelta, TimeZone, Uuid, Value,
};

macro_rules! from {
    ($($type:ty => |$x:ident| $value:expr,)*) => {$(
        impl From<$type> for Value {
            fn from($x: $type) -> Value {
                $value
            }
        }
    )*};
}

from! {
    bool => |b| Value::Bool(b),
    i8 => |n| Value::Int(n.into()),
    i16 => |n| Value::Int(n.into()),
    i32 => |n| Value::Int(n.into()),
    i64 => |n| Value::Int(n),
    u8 => |n| Value::Int(n.into()),
    u16 => |n| Value::Int(n.into()),
    u32 => |n| Value::Int(n.into()),
    u64 => |n| i128::from(n).into(),
    usize => |n| (n as u64).into(),
    i128 => |n| i64::try_from(n).map_or_else(|_| Value::BigInt(n.into()), Value::Int),
    u128 => |n| i64::try_from(n).map_or_else(|_| Value::BigInt(n.into()), Value::Int),
    BigInt => |n| match n.to_i128().map(i64::try_from) {
        Some(Ok(small)) => Value::Int(small),
        _ => Value::BigInt(n),
    },
    f32 => |x| Value::Float(x.into()),
    f64 => |x| Value::Float(x),
    char => |c| Value::Str(c.to_string()),
    &str => |s| Value::Str(s.to_owned()),
    String => |s| Value::Str(s),
    &[u8] => |b| Value::Bytes(b.to_vec()),
    () => |_unit| Value::None,
    Range => |range| Value::Range(Box::new(range)),
    Slice => |slice| Value::Slice(Box::new(slice)),
    Date => |date| Value::Date(date),
    Time => |time| Value::Time(time),
    DateTime => |time| Value::DateTime(time),
    TimeDelta => |delta| Value::TimeDelta(delta),
    TimeZone => |zone| Value::TimeZone(Box::new(zone)),
    Decimal => |decimal| Value::Decimal(decimal),
    Fraction => |fraction| Value::Fraction(Box::new(fraction)),
    Path => |path| Value::Path(Box::new(path)),
    Uuid => |uuid| Value::Uuid(uuid),
    EnumMember => |member| Value::Enum(Box::new(member)),
    Dataclass => |object| Value::Dataclass(Box::new(object)),
    NamedTuple => |object| Value::NamedTuple(Box::new(object)),
    Exception => |exception| Value::Exception(Box::new(exception)),
    Handle => |handle| Value::Handle(Box::new(handle)),
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(item: Option<T>) -> Self {
        item.map_or(Value::None, Into::into)
    }
}

impl<T: Into<Value>> From<BTreeSet<T>> for Value {
    fn from(items: BTreeSet<T>) -> Self {
        Value::Set(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>, S> From<HashSet<T, S>> for Value {
    fn from(items: HashSet<T, S>) -> Self {
        Value::Set(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<Value>, V: Into<Value>> From<BTreeMap<K, V>> for Value {
    fn from(entries: BTreeMap<K, V>) -> Self {
        Value::dict(entries)
    }
}

/// In no particular order.
impl<K: Into<Value>, V: Into<Value>, S> From<HashMap<K, V, S>> for Value {
    fn from(entries: HashMap<K, V, S>) -> Self {
        Value::dict(entries)
    }
}

/// A list.
impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

macro_rules! tuples {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: Into<Value>),+> From<($($name,)+)> for Value {
            fn from(items: ($($name,)+)) -> Value {
                #[allow(non_snake_case)]
                let ($($name,)+) = items;
                Value::Tuple(vec![$($name.into()),+])
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) }

impl TryFrom<SystemTime> for Value {
    type Error = InvalidValue;

    fn try_from(time: SystemTime) -> Result<Value, InvalidValue> {
        DateTime::try_from(time).map(Value::DateTime)
    }
}

impl TryFrom<Duration> for Value {
    type Error = InvalidValue;

    fn try_from(duration: Duration) -> Result<Value, InvalidValue> {
        TimeDelta::try_from(duration).map(Value::TimeDelta)
    }
}

/// The value is of another kind than the one it was to become, or does not fit; here it is back.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("a value of type '{}' is no {wanted}", value.type_name())]
pub struct WrongKind {
    /// The value.
    pub value: Value,
    /// What was wanted.
    pub wanted: &'static str,
}

macro_rules! try_into {
    ($($type:ty, $wanted:literal: $($pattern:pat => $result:expr),+;)*) => {$(
        impl TryFrom<Value> for $type {
            type Error = WrongKind;

            fn try_from(value: Value) -> Result<Self, WrongKind> {
                match value {
                    $($pattern => Ok($result),)+
                    value => Err(WrongKind { value, wanted: $wanted }),
                }
            }
        }
    )*};
}

try_into! {
    bool, "bool": Value::Bool(b) => b;
    String, "str": Value::Str(s) => s;
    Vec<u8>, "bytes": Value::Bytes(b) => b, Value::ByteArray(b) => b;
    Vec<Value>, "list or tuple": Value::List(items) => items, Value::Tuple(items) => items;
    f64, "float": Value::Float(x) => x, Value::Int(n) => n as f64;
    BigInt, "int": Value::Int(n) => n.into(), Value::BigInt(n) => n;
    Date, "datetime.date": Value::Date(date) => date;
    Time, "datetime.time": Value::Time(time) => time;
    DateTime, "datetime.datetime": Value::DateTime(time) => time;
    TimeDelta, "datetime.timedelta": Value::TimeDelta(delta) => delta;
    Decimal, "decimal.Decimal": Value::Decimal(decimal) => decimal;
    Uuid, "uuid.UUID": Value::Uuid(uuid) => uuid;
    Handle, "object of the host": Value::Handle(handle) => *handle;
}

macro_rules! try_into_integer {
    ($($type:ty)*) => {$(
        impl TryFrom<Value> for $type {
            type Error = WrongKind;

            fn try_from(value: Value) -> Result<Self, WrongKind> {
                let n = match &value {
                    Value::Int(n) => Self::try_from(*n).ok(),
                    Value::BigInt(n) => n
                        .to_i128()
                        .and_then(|n| Self::try_from(n).ok())
                        .or_else(|| n.to_u128().and_then(|n| Self::try_from(n).ok())),
                    _ => None,
                };
                n.ok_or(WrongKind { value, wanted: stringify!($type) })
            }
        }
    )*};
}

try_into_integer! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        assert_eq!(u64::try_from(Value::from(u64::MAX)), Ok(u64::MAX));
        assert_eq!(u128::try_from(Value::from(u128::MAX)), Ok(u128::MAX));
        assert_eq!(i128::try_from(Value::from(i128::MIN)), Ok(i128::MIN));
        assert!(u8::try_from(Value::from(256)).is_err());
        assert_eq!(String::try_from(Value::from("a")), Ok("a".to_owned()));
        let wrong = bool::try_from(Value::from("a")).unwrap_err();
        assert_eq!(wrong.to_string(), "a value of type 'str' is no bool");
        assert_eq!(wrong.value, "a".into());
        assert_eq!(
            Value::from((1i64, "a", None::<bool>)),
            Value::Tuple(vec![Value::Int(1), "a".into(), Value::None])
        );
        assert_eq!(
            Value::from(BTreeMap::from([("a", 1i64)])),
            Value::Dict(vec![("a".into(), Value::Int(1))])
        );
    }

    #[test]
    fn points_in_time_are_those_of_the_system() {
        for (seconds, micros, text) in [
            (0, 0, "1970-01-01T00:00:00+00:00"),
            (951_782_400, 1, "2000-02-29T00:00:00.000001+00:00"),
            (-1, 999_999, "1969-12-31T23:59:59.999999+00:00"),
            (-62_135_596_800, 0, "0001-01-01T00:00:00+00:00"),
            (253_402_300_799, 999_999, "9999-12-31T23:59:59.999999+00:00"),
        ] {
            let epoch = SystemTime::UNIX_EPOCH;
            let distance = Duration::from_secs(i64::unsigned_abs(seconds));
            let time = if seconds < 0 {
                epoch - distance
            } else {
                epoch + distance
            } + Duration::from_micros(micros);
            let there = DateTime::try_from(time).expect("a year that datetime has");
            assert_eq!(there.to_string(), text);
            assert_eq!(SystemTime::try_from(&there), Ok(time));
            assert_eq!(text.parse(), Ok(there));
        }
        let west: DateTime = "2026-11-30T12:00:00-05:30".parse().expect("ISO 8601");
        let utc: DateTime = "2026-11-30T17:30:00Z".parse().expect("ISO 8601");
        assert_eq!(SystemTime::try_from(&west), SystemTime::try_from(&utc));
        let naive: DateTime = "2026-11-30".parse().expect("ISO 8601");
        assert!(SystemTime::try_from(&naive).is_err());
        assert!(DateTime::try_from(SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40)).is_err());
        assert!(Duration::try_from(TimeDelta::new(0, 0, -1).expect("a timedelta")).is_err());
    }
}
