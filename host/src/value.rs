//! Python values outside the sandbox, and how they cross: CBOR, as the table in `wit/sandbox.wit` says.
//!
//! | Python | here | JSON ([`Value::to_json`]) |
//! |---|---|---|
//! | `None`, `bool` | [`Value::None`], [`Value::Bool`] | `null`, `true`, `false` |
//! | `int` | [`Value::Int`], [`Value::BigInt`] | number; beyond 64 bits `int` |
//! | `float` | [`Value::Float`] | number; NaN and the infinities `float` |
//! | `complex` | [`Value::Complex`] | `complex` |
//! | `str` | [`Value::Str`], [`Value::SurrogateStr`] | string; with lone surrogates `str` |
//! | `bytes`, `bytearray` | [`Value::Bytes`], [`Value::ByteArray`] | `bytes`, `bytearray` |
//! | `list`, `tuple` | [`Value::List`], [`Value::Tuple`] | array, `tuple` |
//! | `dict` | [`Value::Dict`] | object; else `dict_with_complex_keys` |
//! | `set`, `frozenset` | [`Value::Set`], [`Value::FrozenSet`] | `set`, `frozenset` |
//! | `range`, `slice` | [`Value::Range`], [`Value::Slice`] | `range`, `slice` |
//! | `datetime.date`, `time`, `datetime`, `timedelta` | [`Value::Date`], [`Value::Time`], [`Value::DateTime`], [`Value::TimeDelta`] | `date`, `time`, `datetime`, `timedelta` |
//! | `datetime.timezone`, `zoneinfo.ZoneInfo` | [`Value::TimeZone`] | `timezone` |
//! | `decimal.Decimal`, `fractions.Fraction` | [`Value::Decimal`], [`Value::Fraction`] | `Decimal`, `Fraction` |
//! | `pathlib` paths, `uuid.UUID` | [`Value::Path`], [`Value::Uuid`] | `Path`, `UUID` |
//! | enum members | [`Value::Enum`] | `enum` |
//! | instances of dataclasses | [`Value::Dataclass`] | `dataclass` |
//! | named tuples | [`Value::NamedTuple`] | `namedtuple` |
//! | exceptions | [`Value::Exception`] | `exception` |
//! | objects of the host | [`Value::Handle`] | `host_object` |
//!
//! Instances of other classes derived from a built-in type leave the sandbox as that type (an `OrderedDict` as a dict, a
//! `time.struct_time` as a tuple); instances of all other classes are refused, and the error names the class and the way to the value.
//! Nothing of the program's code runs for that. Shared objects are written as often as they occur: identity is lost, and a value whose
//! written form is too large (32 MiB, or [`MAX_PARTS`] parts) is refused. So is one that contains itself.
//!
//! What enters becomes an object of the type named above. For enum members, dataclasses, named tuples and exceptions the class is looked
//! up by module and name, also in `__main__`; if it is there and has the same members or fields, the object is one of its own (made
//! without `__init__`); if not, a class of that name is made for it.

mod convert;
mod decode;
mod deserialize;
mod encode;
pub mod json;
mod number;
mod objects;
mod serialize;
mod time;

pub use convert::WrongKind;
pub use decode::DecodeError;
pub use encode::EncodeError;
pub use json::JsonError;
pub use number::{BigInt, Decimal, Fraction, Range};
pub use objects::{
    ClassName, Dataclass, EnumMember, Exception, Handle, NamedTuple, Path, PathKind, Slice, Uuid,
};
pub use serialize::SerdeError;
pub use time::{Date, DateTime, Time, TimeDelta, TimeZone};

/// How deep containers in a value may nest.
pub const MAX_DEPTH: usize = 200;

/// How many parts a value that leaves the sandbox may have: items, keys and containers together.
pub const MAX_PARTS: usize = 1 << 22;

/// The tags of the encoding.
mod tag {
    pub(super) const POSITIVE_BIG: u64 = 2;
    pub(super) const NEGATIVE_BIG: u64 = 3;
    pub(super) const SET: u64 = 258;
    pub(super) const SURROGATES: u64 = 39100;
    pub(super) const TUPLE: u64 = 39101;
    pub(super) const FROZEN_SET: u64 = 39102;
    pub(super) const COMPLEX: u64 = 39103;
    pub(super) const BYTE_ARRAY: u64 = 39104;
    pub(super) const RANGE: u64 = 39105;
    pub(super) const SLICE: u64 = 39106;
    pub(super) const HANDLE: u64 = 39110;
    pub(super) const DATE: u64 = 39120;
    pub(super) const TIME: u64 = 39121;
    pub(super) const DATE_TIME: u64 = 39122;
    pub(super) const TIME_DELTA: u64 = 39123;
    pub(super) const FIXED_ZONE: u64 = 39124;
    pub(super) const NAMED_ZONE: u64 = 39125;
    pub(super) const DECIMAL: u64 = 39126;
    pub(super) const FRACTION: u64 = 39127;
    pub(super) const PATH: u64 = 39128;
    pub(super) const UUID: u64 = 39129;
    pub(super) const ENUM: u64 = 39130;
    pub(super) const DATACLASS: u64 = 39131;
    pub(super) const NAMED_TUPLE: u64 = 39132;
    pub(super) const EXCEPTION: u64 = 39133;
}

/// A Python value that crosses between the host and a session.
///
/// Comparison is structural: `Int(1)` and `Float(1.0)` differ, and so do dicts with another order.
///
/// ```
/// use coldframe::{Value, value::Date};
///
/// let day = Date::new(2026, 11, 30)?;
/// let value: Value = vec![Value::from("due"), day.into()].into();
/// assert_eq!(Value::decode(&value.encode().unwrap()), Ok(value));
/// # Ok::<(), coldframe::value::InvalidValue>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `None`
    None,
    /// `True` or `False`
    Bool(bool),
    /// An `int` that fits 64 bits.
    Int(i64),
    /// Any other `int`.
    BigInt(BigInt),
    /// A `float`.
    Float(f64),
    /// A `complex`: real and imaginary part.
    Complex(f64, f64),
    /// A `str`.
    Str(String),
    /// A `str` with lone surrogates, as WTF-8.
    SurrogateStr(Vec<u8>),
    /// A `bytes`.
    Bytes(Vec<u8>),
    /// A `bytearray`.
    ByteArray(Vec<u8>),
    /// A `list`.
    List(Vec<Value>),
    /// A `tuple`.
    Tuple(Vec<Value>),
    /// A `dict`, in insertion order.
    Dict(Vec<(Value, Value)>),
    /// A `set`; the order means nothing.
    Set(Vec<Value>),
    /// A `frozenset`; the order means nothing.
    FrozenSet(Vec<Value>),
    /// A `range`.
    Range(Box<Range>),
    /// A `slice`.
    Slice(Box<Slice>),
    /// A `datetime.date`.
    Date(Date),
    /// A `datetime.time`.
    Time(Time),
    /// A `datetime.datetime`.
    DateTime(DateTime),
    /// A `datetime.timedelta`.
    TimeDelta(TimeDelta),
    /// A `datetime.timezone` or a `zoneinfo.ZoneInfo`.
    TimeZone(Box<TimeZone>),
    /// A `decimal.Decimal`.
    Decimal(Decimal),
    /// A `fractions.Fraction`.
    Fraction(Box<Fraction>),
    /// A path of `pathlib`.
    Path(Box<Path>),
    /// A `uuid.UUID`.
    Uuid(Uuid),
    /// A member of an enum.
    Enum(Box<EnumMember>),
    /// An instance of a dataclass.
    Dataclass(Box<Dataclass>),
    /// A named tuple.
    NamedTuple(Box<NamedTuple>),
    /// An exception, as data.
    Exception(Box<Exception>),
    /// An object that stays outside: the program holds a stand-in for it.
    Handle(Box<Handle>),
}

impl Value {
    /// Encodes the value for the sandbox.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        encode::encode(self)
    }

    /// Decodes what came out of the sandbox (or from anywhere else: nothing is taken for granted).
    pub fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
        decode::decode(bytes)
    }

    /// A dict of these entries.
    ///
    /// ```
    /// use coldframe::Value;
    ///
    /// let value = Value::dict([("a", 1), ("b", 2)]);
    /// assert_eq!(value.get("b"), Some(&Value::Int(2)));
    /// ```
    pub fn dict<K: Into<Value>, V: Into<Value>>(
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Value {
        Value::Dict(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }

    /// The entry of a dict, or the field of a dataclass or a named tuple, of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Dict(entries) => entries
                .iter()
                .find(|(key, _)| matches!(key, Value::Str(key) if key == name))
                .map(|(_, value)| value),
            Value::Dataclass(object) => object.get(name),
            Value::NamedTuple(object) => object.get(name),
            _ => None,
        }
    }

    /// The values that stand in it: items, keys and values of a dict, fields, arguments; not what stands in those.
    pub fn parts(&self) -> Box<dyn Iterator<Item = &Value> + '_> {
        match self {
            Value::List(items)
            | Value::Tuple(items)
            | Value::Set(items)
            | Value::FrozenSet(items) => Box::new(items.iter()),
            Value::Dict(entries) => Box::new(entries.iter().flat_map(|(k, v)| [k, v])),
            Value::Slice(slice) => Box::new([&slice.start, &slice.stop, &slice.step].into_iter()),
            Value::Enum(member) => Box::new(std::iter::once(&member.value)),
            Value::Dataclass(object) => Box::new(object.fields.iter().map(|(_, v)| v)),
            Value::NamedTuple(object) => Box::new(object.fields.iter().map(|(_, v)| v)),
            Value::Exception(exception) => Box::new(exception.args.iter()),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// What Python calls the type: `list`, `datetime.date`, the class of a dataclass, ...
    pub fn type_name(&self) -> &str {
        match self {
            Value::None => "NoneType",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::BigInt(_) => "int",
            Value::Float(_) => "float",
            Value::Complex(..) => "complex",
            Value::Str(_) | Value::SurrogateStr(_) => "str",
            Value::Bytes(_) => "bytes",
            Value::ByteArray(_) => "bytearray",
            Value::List(_) => "list",
            Value::Tuple(_) => "tuple",
            Value::Dict(_) => "dict",
            Value::Set(_) => "set",
            Value::FrozenSet(_) => "frozenset",
            Value::Range(_) => "range",
            Value::Slice(_) => "slice",
            Value::Date(_) => "datetime.date",
            Value::Time(_) => "datetime.time",
            Value::DateTime(_) => "datetime.datetime",
            Value::TimeDelta(_) => "datetime.timedelta",
            Value::TimeZone(zone) => match **zone {
                TimeZone::Fixed { .. } => "datetime.timezone",
                TimeZone::Named { .. } => "zoneinfo.ZoneInfo",
            },
            Value::Decimal(_) => "decimal.Decimal",
            Value::Fraction(_) => "fractions.Fraction",
            Value::Path(path) => path.kind.class_name(),
            Value::Uuid(_) => "uuid.UUID",
            Value::Enum(member) => &member.class.name,
            Value::Dataclass(object) => &object.class.name,
            Value::NamedTuple(object) => &object.class.name,
            Value::Exception(exception) => &exception.class.name,
            Value::Handle(handle) => &handle.type_name,
        }
    }
}

/// What a value of one of the checked kinds cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct InvalidValue {
    reason: &'static str,
}

impl InvalidValue {
    fn new(reason: &'static str) -> InvalidValue {
        InvalidValue { reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::None, |v, _| Value::List(vec![v]))
    }

    #[test]
    fn every_kind_survives_the_round_trip() {
        let values = [
            Value::None,
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(0),
            Value::Int(23),
            Value::Int(24),
            Value::Int(255),
            Value::Int(256),
            Value::Int(65_536),
            Value::Int(i64::MAX),
            Value::Int(-1),
            Value::Int(i64::MIN),
            (i128::from(i64::MAX) + 1).into(),
            (i128::from(u64::MAX)).into(),
            (i128::from(i64::MIN) - 1).into(),
            (-(i128::from(u64::MAX) + 1)).into(),
            (-(i128::from(u64::MAX) + 2)).into(),
            i128::MAX.into(),
            i128::MIN.into(),
            Value::BigInt(BigInt::new(true, &[1; 1000])),
            Value::BigInt(BigInt::new(true, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
            Value::Float(0.1),
            Value::Float(f64::INFINITY),
            Value::Float(-0.0),
            Value::Complex(1.5, f64::NEG_INFINITY),
            "".into(),
            "naïve 🐍".into(),
            Value::SurrogateStr(b"a\xed\xa0\x80b".to_vec()),
            Value::Bytes(vec![0, 255]),
            Value::List(vec![Value::Int(1), "x".into(), Value::List(vec![])]),
            Value::Tuple(vec![Value::None]),
            Value::Set(vec![Value::Int(1), Value::Int(2)]),
            Value::FrozenSet(vec![Value::Tuple(vec![Value::Int(1)])]),
            Value::Dict(vec![
                ("b".into(), Value::Int(1)),
                (Value::Tuple(vec![Value::Int(1)]), Value::None),
            ]),
            Value::ByteArray(vec![0, 255]),
            Range::new(0, i128::MAX, -1).unwrap().into(),
            Slice {
                start: Value::None,
                stop: Value::Int(-1),
                step: Value::List(vec![]),
            }
            .into(),
            Date::new(1, 1, 1).unwrap().into(),
            Date::new(9999, 12, 31).unwrap().into(),
            Time::new(0, 0, 0, 0).unwrap().into(),
            "23:59:59.999999+23:59:59.999999"
                .parse::<Time>()
                .unwrap()
                .into(),
            "2026-11-30T12:00:00-00:30"
                .parse::<DateTime>()
                .unwrap()
                .into(),
            DateTime::new(
                Date::new(2026, 10, 25).unwrap(),
                Time::new(2, 30, 0, 1)
                    .unwrap()
                    .with_fold(true)
                    .with_zone(Some(TimeZone::named("Europe/Vienna"))),
            )
            .into(),
            TimeDelta::new(-999_999_999, 0, 0).unwrap().into(),
            TimeDelta::new(999_999_999, 86_399, 999_999).unwrap().into(),
            TimeZone::UTC.into(),
            TimeZone::Fixed {
                offset: TimeDelta::new(0, -3600, -1).unwrap(),
                name: Some("X".into()),
            }
            .into(),
            TimeZone::Named {
                key: "Europe/Vienna".into(),
                offset: Some(TimeDelta::new(0, 7200, 0).unwrap()),
            }
            .into(),
            Decimal::new("-1.10E+5").unwrap().into(),
            Decimal::new("sNaN12").unwrap().into(),
            Fraction::new(-1, u128::MAX).unwrap().into(),
            Path {
                kind: PathKind::PureWindows,
                text: "C:\\a".into(),
            }
            .into(),
            Uuid([7; 16]).into(),
            EnumMember {
                class: ClassName::main("Outer.Color"),
                name: Some("RED".into()),
                value: Value::Tuple(vec![1.into()]),
            }
            .into(),
            EnumMember {
                class: ClassName::main("Flags"),
                name: None,
                value: 0.into(),
            }
            .into(),
            Dataclass {
                class: ClassName::main("Point"),
                fields: vec![("x".into(), 1.into()), ("y".into(), Value::None)],
            }
            .into(),
            NamedTuple {
                class: ClassName::new("m", "Pair"),
                fields: vec![("a".into(), "b".into())],
            }
            .into(),
            Exception {
                class: ClassName::new("builtins", "ValueError"),
                args: vec!["no".into()],
            }
            .into(),
            Value::from(Handle {
                id: u64::MAX,
                type_name: "Image".into(),
                repr: "<Image 2x2>".into(),
            }),
            nested(MAX_DEPTH),
        ];
        for value in values {
            let bytes = value.encode().unwrap();
            assert_eq!(Value::decode(&bytes).as_ref(), Ok(&value), "{bytes:02x?}");
        }
    }

    #[test]
    fn nan_survives() {
        let bytes = Value::Float(f64::NAN).encode().unwrap();
        assert!(matches!(Value::decode(&bytes), Ok(Value::Float(x)) if x.is_nan()));
    }

    #[test]
    fn the_bytes_are_those_of_the_table() {
        let hex = |v: Value| {
            v.encode()
                .unwrap()
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>()
        };
        assert_eq!(hex(Value::None), "f6");
        assert_eq!(hex(Value::Bool(true)), "f5");
        assert_eq!(hex(Value::Int(-500)), "3901f3");
        assert_eq!(hex(Value::Int(i64::MIN)), "3b7fffffffffffffff");
        assert_eq!(hex((1i128 << 64).into()), "c249010000000000000000");
        assert_eq!(hex((-(1i128 << 64) - 1).into()), "c349010000000000000000");
        assert_eq!(hex(Value::Float(1.1)), "fb3ff199999999999a");
        assert_eq!(hex("a".into()), "6161");
        assert_eq!(hex(Value::Tuple(vec![])), "d998bd80");
        assert_eq!(hex(Value::Set(vec![])), "d9010280");
        assert_eq!(
            hex(Value::Dict(vec![("a".into(), Value::Int(1))])),
            "a1616101"
        );
        assert_eq!(
            hex(Value::Complex(0.0, 0.0)),
            "d998bf82fb0000000000000000fb0000000000000000"
        );
    }

    #[test]
    fn integers_between_63_and_64_bits_take_no_tag() {
        // "Fits 64 bits" covers the unsigned range of major type 0 too; either form must be readable.
        assert_eq!(
            Value::decode(&[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            Ok(i128::from(u64::MAX).into())
        );
        assert_eq!(
            Value::decode(&[0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            Ok((-i128::from(u64::MAX) - 1).into())
        );
        assert_eq!(Value::decode(&[0xc2, 0x41, 5]), Ok(Value::Int(5)));
        assert_eq!(Value::decode(&[0xc3, 0x41, 5]), Ok(Value::Int(-6)));
    }

    #[test]
    fn hostile_bytes_are_refused() {
        let deep_list = vec![0x81; 100_000];
        let deep_tags: Vec<u8> = [0xd9, 0x98, 0xbd].repeat(100_000);
        let huge_array = [0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        let cases: &[(&[u8], DecodeError)] = &[
            (&[], DecodeError::Truncated { at: 0 }),
            (&deep_list, DecodeError::TooDeep { at: 200 }),
            (&deep_tags, DecodeError::WrongContent { at: 3, tag: 39101 }),
            (&huge_array, DecodeError::Truncated { at: 9 }),
            (
                &[0x5b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
                DecodeError::Truncated { at: 9 },
            ),
            (
                &[0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0],
                DecodeError::Truncated { at: 9 },
            ),
            (&[0x61, 0xff], DecodeError::NotUtf8 { at: 1 }),
            (
                &[0x9f, 0xff],
                DecodeError::Unsupported { at: 0, byte: 0x9f },
            ),
            (
                &[0xf9, 0, 0],
                DecodeError::Unsupported { at: 0, byte: 0xf9 },
            ),
            (&[0xf7], DecodeError::Unsupported { at: 0, byte: 0xf7 }),
            (&[0xc0, 0x60], DecodeError::UnknownTag { at: 0, tag: 0 }),
            (&[0xc2, 0x60], DecodeError::WrongContent { at: 1, tag: 2 }),
            (
                &[0xd9, 0x98, 0xbf, 0x82, 0x01, 0x01],
                DecodeError::WrongContent { at: 3, tag: 39103 },
            ),
            (
                &[0xd9, 0x98, 0xbc, 0x41, 0xff],
                DecodeError::NotWtf8 { at: 3 },
            ),
            (&[0x01, 0x01], DecodeError::Trailing { at: 1 }),
        ];
        for (bytes, error) in cases {
            assert_eq!(
                Value::decode(bytes).as_ref(),
                Err(error),
                "{:02x?}",
                &bytes[..bytes.len().min(12)]
            );
        }
    }

    #[test]
    fn no_prefix_or_mutation_panics() {
        let value = Value::Dict(vec![
            (
                "k".into(),
                Value::Tuple(vec![Value::Complex(1.0, 2.0), i128::MAX.into()]),
            ),
            (
                Value::Bytes(vec![1, 2, 3]),
                Value::Set(vec![Value::SurrogateStr(b"\xed\xa0\x80".to_vec())]),
            ),
        ]);
        let bytes = value.encode().unwrap();
        for end in 0..bytes.len() {
            assert!(Value::decode(&bytes[..end]).is_err());
        }
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = byte;
                let _ = Value::decode(&changed);
            }
        }
    }

    #[test]
    fn too_deep_a_value_is_refused() {
        assert_eq!(nested(MAX_DEPTH + 1).encode(), Err(EncodeError::TooDeep));
    }

    #[test]
    fn text_that_is_not_wtf8_is_refused() {
        assert_eq!(
            Value::SurrogateStr(vec![0xff]).encode(),
            Err(EncodeError::NotWtf8)
        );
        // A surrogate pair must be written as one character.
        assert_eq!(
            Value::SurrogateStr(b"\xed\xa0\x80\xed\xb0\x80".to_vec()).encode(),
            Err(EncodeError::NotWtf8)
        );
    }

    #[test]
    fn big_integers_know_their_bounds() {
        assert_eq!(BigInt::from(i128::MIN).to_i128(), Some(i128::MIN));
        assert_eq!(BigInt::from(i128::MAX).to_i128(), Some(i128::MAX));
        assert_eq!(BigInt::new(true, &[0, 0]).to_i128(), Some(0));
        assert_eq!(BigInt::new(false, &[1; 17]).to_i128(), None);
        assert_eq!(BigInt::new(false, &[255; 16]).to_i128(), None);
        assert_eq!(BigInt::new(false, &[255; 16]).to_u128(), Some(u128::MAX));
    }

    #[test]
    fn big_integers_have_texts() {
        for text in [
            "0",
            "-1",
            "999999999",
            "1000000000",
            "1000000001000000000",
            "-123456789012345678901234567890",
        ] {
            let n: BigInt = text.parse().unwrap();
            assert_eq!(n.to_string(), text);
            assert_eq!(n.to_i128(), text.parse().ok());
        }
        for size in [1, 17, 1700, 1784, 1785, 3000] {
            for sign in [false, true] {
                let n = BigInt::new(sign, &vec![0xfe; size]);
                assert_eq!(n.to_string().parse(), Ok(n), "{size} bytes");
            }
        }
        for wrong in ["", "-", "1_0", "+1", "0x", "0xg", " 1", &"9".repeat(4301)] {
            assert!(wrong.parse::<BigInt>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn kinds_are_checked_when_they_are_made() {
        assert!(Date::new(2025, 2, 29).is_err());
        assert!(Date::new(1900, 2, 29).is_err());
        assert!(Date::new(2000, 2, 29).is_ok());
        assert!(Date::new(0, 1, 1).is_err());
        assert!(Time::new(24, 0, 0, 0).is_err());
        assert!(TimeDelta::new(1_000_000_000, 0, 0).is_err());
        assert!(TimeDelta::new(999_999_999, 86_400, 0).is_err());
        assert!(TimeZone::fixed(TimeDelta::new(1, 0, 0).unwrap()).is_err());
        assert!(Range::new(1, 2, 0).is_err());
        assert!(Fraction::new(1, -2).is_err());
        for good in ["1", "-0", ".5", "1.", "1E+5", "Infinity", "-sNaN1", "NaN"] {
            assert!(Decimal::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "1e", "e5", "1.2.3", "inf", "NaN-", "--1", "1_0"] {
            assert!(Decimal::new(bad).is_err(), "{bad}");
        }
        for bad in [
            "2026-1-01",
            "2026-01-01T",
            "2026-01-01T1:00",
            "2026-01-01T01:00:00.",
            "2026-01-01T01:00+1",
            "2026-01-01T01:00:00x",
            "2026-01-01T01:00\u{e4}",
            "\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}",
            "2026-01-01T01:00+24:00",
            "2026-01-01 25:00",
        ] {
            assert!(bad.parse::<DateTime>().is_err(), "{bad}");
        }
        let parsed: DateTime = "2026-01-01 01:00:00.5Z".parse().unwrap();
        assert_eq!(parsed.to_string(), "2026-01-01T01:00:00.500000+00:00");
        let wrong_zone = TimeZone::Fixed {
            offset: TimeDelta::new(1, 0, 0).unwrap(),
            name: None,
        };
        assert!(matches!(
            Value::from(wrong_zone).encode(),
            Err(EncodeError::Invalid(_))
        ));
    }

    #[test]
    fn too_many_parts_are_refused() {
        let mut bytes = vec![0x9a];
        bytes.extend((MAX_PARTS as u32).to_be_bytes());
        bytes.resize(5 + MAX_PARTS, 0xf6);
        assert_eq!(
            Value::decode(&bytes),
            Err(DecodeError::TooMany { at: 4 + MAX_PARTS })
        );
    }

    #[test]
    fn a_value_is_four_words() {
        assert!(size_of::<Value>() <= 32);
    }
}
