//! Values to tagged JSON.

use super::super::{ClassName, DateTime, PathKind, Time, TimeDelta, TimeZone, Value};
use super::TYPE;
use super::plain::{Key, Plain};

/// Which JSON is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// RFC 8259.
    Standard,
    /// What Python's `json` reads: with NaN, infinities, integers of any size and lone surrogates.
    Python,
}

pub(super) fn plain(value: &Value, dialect: Dialect) -> Plain {
    let list =
        |items: &[Value]| Plain::List(items.iter().map(|item| plain(item, dialect)).collect());
    let sequence = |tag: &str, items: &[Value]| tagged(tag, [("data", list(items))]);
    match value {
        Value::None => Plain::Null,
        Value::Bool(b) => Plain::Bool(*b),
        Value::Int(n) => Plain::Int(*n),
        Value::BigInt(n) => integer(Plain::int(n), dialect),
        Value::Float(x) => float(*x, dialect),
        Value::Complex(re, im) => tagged(
            "complex",
            [("real", float(*re, dialect)), ("imag", float(*im, dialect))],
        ),
        Value::Str(s) => Plain::str(s),
        Value::SurrogateStr(s) if dialect == Dialect::Python => Plain::SurrogateStr(s.clone()),
        Value::SurrogateStr(s) => tagged("str", [("data", Plain::Str(base64(s)))]),
        Value::Bytes(b) => tagged("bytes", [("data", Plain::Str(base64(b)))]),
        Value::ByteArray(b) => tagged("bytearray", [("data", Plain::Str(base64(b)))]),
        Value::List(items) => list(items),
        Value::Tuple(items) => sequence("tuple", items),
        Value::Set(items) => sequence("set", items),
        Value::FrozenSet(items) => sequence("frozenset", items),
        Value::Dict(entries) => dict(entries, dialect),
        Value::Range(range) => {
            let parts = [range.start(), range.stop(), range.step()]
                .map(|n| integer(Plain::int(n), dialect));
            tagged("range", [("data", Plain::List(parts.into()))])
        }
        Value::Slice(slice) => {
            let parts = [&slice.start, &slice.stop, &slice.step].map(|part| plain(part, dialect));
            tagged("slice", [("data", Plain::List(parts.into()))])
        }
        Value::Date(date) => tagged("date", [("data", Plain::Str(date.to_string()))]),
        Value::Time(time) => timed("time", time.to_string(), time),
        Value::DateTime(at @ DateTime { time, .. }) => timed("datetime", at.to_string(), time),
        Value::TimeDelta(delta) => {
            let seconds = delta.total_seconds();
            let mut keys = vec![("total_seconds", Plain::Float(seconds))];
            let total = delta.total_microseconds();
            if (seconds * 1e6).round() as i128 != total {
                keys.push(("microseconds", integer(Plain::int(&total.into()), dialect)));
            }
            tagged("timedelta", keys)
        }
        Value::TimeZone(zone) => time_zone(zone),
        Value::Decimal(decimal) => tagged("Decimal", [("data", Plain::str(decimal.as_str()))]),
        Value::Fraction(fraction) => {
            let text = format!("{}/{}", fraction.numerator(), fraction.denominator());
            tagged("Fraction", [("data", Plain::Str(text))])
        }
        Value::Path(path) => {
            let mut keys = vec![("data", Plain::str(&path.text))];
            if path.kind != PathKind::Posix {
                keys.push(("class", Plain::str(path.kind.class_name())));
            }
            tagged("Path", keys)
        }
        Value::Uuid(uuid) => tagged("UUID", [("data", Plain::Str(uuid.to_string()))]),
        Value::Enum(member) => of_class(
            "enum",
            &member.class,
            [
                ("name", member.name.as_ref().map_or(Plain::Null, Plain::str)),
                ("value", plain(&member.value, dialect)),
            ],
        ),
        Value::Dataclass(object) => {
            let fields = object
                .fields
                .iter()
                .map(|(name, value)| (Key::Str(name.clone()), plain(value, dialect)))
                .collect();
            of_class(
                "dataclass",
                &object.class,
                [("data", Plain::Object(fields))],
            )
        }
        Value::NamedTuple(object) => {
            let fields = object
                .fields
                .iter()
                .map(|(name, value)| Plain::List(vec![Plain::str(name), plain(value, dialect)]))
                .collect();
            of_class("namedtuple", &object.class, [("data", Plain::List(fields))])
        }
        Value::Exception(exception) => of_class(
            "exception",
            &exception.class,
            [("args", list(&exception.args))],
        ),
        Value::Handle(handle) => tagged(
            "host_object",
            [
                ("id", Plain::int(&handle.id.into())),
                ("type_name", Plain::str(&handle.type_name)),
                ("repr", Plain::str(&handle.repr)),
            ],
        ),
    }
}

fn tagged<'a>(tag: &str, keys: impl IntoIterator<Item = (&'a str, Plain)>) -> Plain {
    let tag = (Key::from(TYPE), Plain::str(tag));
    let keys = keys.into_iter().map(|(key, value)| (key.into(), value));
    Plain::Object(std::iter::once(tag).chain(keys).collect())
}

fn of_class<'a>(
    tag: &str,
    class: &ClassName,
    keys: impl IntoIterator<Item = (&'a str, Plain)>,
) -> Plain {
    let class = [
        ("class_name", Plain::str(&class.name)),
        ("module", Plain::str(&class.module)),
    ];
    tagged(tag, class.into_iter().chain(keys))
}

/// A number that the standard has (64 bits, and not all readers that), or a tagged one.
fn integer(n: Plain, dialect: Dialect) -> Plain {
    match n {
        Plain::BigInt(big) if dialect == Dialect::Standard => match big.to_u128() {
            Some(n) if u64::try_from(n).is_ok() => Plain::BigInt(big),
            _ => tagged("int", [("data", Plain::Str(big.to_string()))]),
        },
        // What Python's json would refuse to read, or to write: more digits than int() takes.
        Plain::BigInt(big) if big.to_string().contains("0x") => {
            tagged("int", [("data", Plain::Str(big.to_string()))])
        }
        n => n,
    }
}

fn float(x: f64, dialect: Dialect) -> Plain {
    if x.is_finite() || dialect == Dialect::Python {
        return Plain::Float(x);
    }
    let text = if x.is_nan() {
        "nan"
    } else if x > 0.0 {
        "inf"
    } else {
        "-inf"
    };
    tagged("float", [("data", Plain::str(text))])
}

/// An object if that says all, pairs otherwise; see the table.
fn dict(entries: &[(Value, Value)], dialect: Dialect) -> Plain {
    let key = |key: &Value| match key {
        Value::Str(key) if key != TYPE => Some(Key::Str(key.clone())),
        Value::SurrogateStr(key) if dialect == Dialect::Python => {
            Some(Key::Surrogates(key.clone()))
        }
        _ => None,
    };
    let object: Option<Vec<(Key, Plain)>> = entries
        .iter()
        .map(|(k, value)| Some((key(k)?, plain(value, dialect))))
        .collect();
    if let Some(object) = object {
        return Plain::Object(object);
    }
    let pairs = entries
        .iter()
        .map(|(key, value)| Plain::List(vec![plain(key, dialect), plain(value, dialect)]))
        .collect();
    tagged("dict_with_complex_keys", [("data", Plain::List(pairs))])
}

fn timed(tag: &str, text: String, time: &Time) -> Plain {
    let mut keys = vec![("data", Plain::Str(text))];
    if time.fold() {
        keys.push(("fold", Plain::Int(1)));
    }
    match time.zone() {
        Some(TimeZone::Named { key, .. }) => keys.push(("zone", Plain::str(key))),
        Some(TimeZone::Fixed {
            name: Some(name), ..
        }) => keys.push(("tzname", Plain::str(name))),
        _ => {}
    }
    tagged(tag, keys)
}

fn time_zone(zone: &TimeZone) -> Plain {
    let seconds = |offset: &TimeDelta| Plain::Float(offset.total_seconds());
    let mut keys = Vec::new();
    match zone {
        TimeZone::Fixed { offset, name } => {
            keys.push(("seconds", seconds(offset)));
            keys.extend(name.iter().map(|name| ("tzname", Plain::str(name))));
        }
        TimeZone::Named { key, offset } => {
            keys.push(("zone", Plain::str(key)));
            keys.extend(offset.iter().map(|offset| ("seconds", seconds(offset))));
        }
    }
    tagged("timezone", keys)
}

/// RFC 4648, section 4, with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut padded = [0; 3];
        padded[..group.len()].copy_from_slice(group);
        let n = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for i in 0..4 {
            if i <= group.len() {
                out.push(char::from(ALPHABET[(n >> (18 - 6 * i)) as usize & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}
