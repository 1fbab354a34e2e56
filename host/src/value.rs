//! Python values outside the sandbox, and how they cross: CBOR, as the table in `wit/sandbox.wit` says.

mod decode;
mod encode;

pub use decode::DecodeError;
pub use encode::EncodeError;

/// How deep containers in a value may nest.
pub const MAX_DEPTH: usize = 200;

/// The tags of the encoding.
mod tag {
    pub(super) const POSITIVE_BIG: u64 = 2;
    pub(super) const NEGATIVE_BIG: u64 = 3;
    pub(super) const SET: u64 = 258;
    pub(super) const SURROGATES: u64 = 39100;
    pub(super) const TUPLE: u64 = 39101;
    pub(super) const FROZEN_SET: u64 = 39102;
    pub(super) const COMPLEX: u64 = 39103;
    pub(super) const HANDLE: u64 = 39110;
}

/// A Python value that crosses between the host and a session.
///
/// Comparison is structural: `Int(1)` and `Float(1.0)` differ, and so do dicts with another order.
#[derive(Clone, Debug, PartialEq)]
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
    /// An object that stays outside: the program holds a stand-in for it.
    Handle(Box<Handle>),
}

/// What stands in the sandbox for an object of the host: opaque to the program, equal to others by its number.
///
/// What comes out of a sandbox may carry any number: whoever keeps the objects looks it up, and finds nothing for one that was not
/// handed in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    /// Which object it is.
    pub id: u64,
    /// The name of its type, for messages.
    pub type_name: String,
    /// What `repr()` shows of it.
    pub repr: String,
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
}

/// An integer beyond 64 bits: sign and magnitude, big-endian without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BigInt {
    negative: bool,
    magnitude: Vec<u8>,
}

impl BigInt {
    /// Makes an integer of sign and magnitude (big-endian; leading zeros are dropped).
    pub fn new(negative: bool, magnitude: &[u8]) -> BigInt {
        let first = magnitude
            .iter()
            .position(|&b| b != 0)
            .unwrap_or(magnitude.len());
        let magnitude = magnitude[first..].to_vec();
        BigInt {
            negative: negative && !magnitude.is_empty(),
            magnitude,
        }
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The magnitude, big-endian, without leading zeros.
    pub fn magnitude(&self) -> &[u8] {
        &self.magnitude
    }

    /// The value, when it fits.
    pub fn to_i128(&self) -> Option<i128> {
        if self.magnitude.len() > 16 {
            return None;
        }
        let magnitude = self
            .magnitude
            .iter()
            .fold(0u128, |n, &b| n << 8 | u128::from(b));
        if self.negative {
            0i128.checked_sub_unsigned(magnitude)
        } else {
            i128::try_from(magnitude).ok()
        }
    }
}

impl From<i128> for BigInt {
    fn from(n: i128) -> Self {
        BigInt::new(n < 0, &n.unsigned_abs().to_be_bytes())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Int(n)
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Value::Int(n.into())
    }
}

impl From<i128> for Value {
    fn from(n: i128) -> Self {
        i64::try_from(n).map_or_else(|_| Value::BigInt(n.into()), Value::Int)
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Value::Float(x)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Value::Str(s.to_owned())
    }
}

impl From<String> for Value {
    fn from(s: String) -> Self {
        Value::Str(s)
    }
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
            Value::Handle(Box::new(Handle {
                id: u64::MAX,
                type_name: "Image".into(),
                repr: "<Image 2x2>".into(),
            })),
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
    }
}
