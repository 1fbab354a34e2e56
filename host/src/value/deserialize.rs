//! Values as whatever serde can make of them.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::serialize::SerdeError;
use super::{BigInt, TimeZone, Value, time};

impl Value {
    /// What the value stands for, as a type that serde can make.
    ///
    /// Dicts, dataclasses and named tuples make structs and maps (named tuples make tuples too), all sequences and sets make sequences;
    /// an enum's member makes a unit variant by its name, or else what its value makes. Dates, times, decimals, fractions, UUIDs and
    /// paths are texts, in the forms that crates for them read (ISO 8601, and so on), a `timedelta` its seconds.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, SerdeError> {
        T::deserialize(self)
    }
}

/// The zone as text: its key, or the distance from UTC.
pub(super) fn zone_text(zone: &TimeZone) -> String {
    match zone {
        TimeZone::Named { key, .. } => key.clone(),
        TimeZone::Fixed { offset, .. } => {
            let mut text = String::new();
            // Writing to a string cannot fail.
            time::write_offset(&mut text, *offset).unwrap_or_default();
            text
        }
    }
}

fn big<'de, V: Visitor<'de>>(n: &BigInt, visitor: V) -> Result<V::Value, SerdeError> {
    match (n.to_i128(), n.to_u128()) {
        (Some(n), _) if i64::try_from(n).is_ok() => visitor.visit_i64(n as i64),
        (_, Some(n)) if u64::try_from(n).is_ok() => visitor.visit_u64(n as u64),
        (Some(n), _) => visitor.visit_i128(n),
        (_, Some(n)) => visitor.visit_u128(n),
        _ => Err(SerdeError::new("an int beyond 128 bits")),
    }
}

fn sequence<'de, V: Visitor<'de>>(
    items: impl Iterator<Item = &'de Value>,
    visitor: V,
) -> Result<V::Value, SerdeError> {
    let mut items = SeqDeserializer::new(items);
    let value = visitor.visit_seq(&mut items)?;
    items.end()?;
    Ok(value)
}

fn fields<'de, V: Visitor<'de>>(
    fields: &'de [(String, Value)],
    visitor: V,
) -> Result<V::Value, SerdeError> {
    let mut entries = MapDeserializer::new(fields.iter().map(|(k, v)| (k.as_str(), v)));
    let value = visitor.visit_map(&mut entries)?;
    entries.end()?;
    Ok(value)
}

impl<'de> de::Deserializer<'de> for &'de Value {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self {
            Value::None => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Int(n) => visitor.visit_i64(*n),
            Value::BigInt(n) => big(n, visitor),
            Value::Float(x) => visitor.visit_f64(*x),
            Value::Str(s) => visitor.visit_borrowed_str(s),
            Value::SurrogateStr(s) => visitor.visit_string(String::from_utf8_lossy(s).into_owned()),
            Value::Bytes(b) | Value::ByteArray(b) => visitor.visit_borrowed_bytes(b),
            Value::List(items)
            | Value::Tuple(items)
            | Value::Set(items)
            | Value::FrozenSet(items) => sequence(items.iter(), visitor),
            Value::Slice(slice) => sequence(
                [&slice.start, &slice.stop, &slice.step].into_iter(),
                visitor,
            ),
            Value::Dict(entries) => {
                let mut entries = MapDeserializer::new(entries.iter().map(|(k, v)| (k, v)));
                let value = visitor.visit_map(&mut entries)?;
                entries.end()?;
                Ok(value)
            }
            Value::Dataclass(object) => fields(&object.fields, visitor),
            Value::NamedTuple(object) => fields(&object.fields, visitor),
            Value::Enum(member) => member.value.deserialize_any(visitor),
            Value::Date(date) => visitor.visit_string(date.to_string()),
            Value::Time(time) => visitor.visit_string(time.to_string()),
            Value::DateTime(time) => visitor.visit_string(time.to_string()),
            Value::TimeDelta(delta) => visitor.visit_f64(delta.total_seconds()),
            Value::TimeZone(zone) => visitor.visit_string(zone_text(zone)),
            Value::Decimal(decimal) => visitor.visit_borrowed_str(decimal.as_str()),
            Value::Fraction(f) => {
                visitor.visit_string(format!("{}/{}", f.numerator(), f.denominator()))
            }
            Value::Path(path) => visitor.visit_borrowed_str(&path.text),
            Value::Uuid(uuid) => visitor.visit_string(uuid.to_string()),
            Value::Complex(re, im) => {
                visitor.visit_seq(SeqDeserializer::new([*re, *im].into_iter()))
            }
            Value::Range(range) => {
                let parts = [range.start(), range.stop(), range.step()];
                let mut parts = SeqDeserializer::new(parts.into_iter().map(Big));
                visitor.visit_seq(&mut parts)
            }
            Value::Exception(_) | Value::Handle(_) => Err(SerdeError::new(format!(
                "a value of type '{}' cannot be deserialized",
                self.type_name()
            ))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self {
            Value::None => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    /// A named tuple is a tuple first where one is wanted.
    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        match self {
            Value::NamedTuple(object) => sequence(object.fields.iter().map(|(_, v)| v), visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        self.deserialize_tuple(0, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.deserialize_tuple(count, visitor)
    }

    /// A name, a dict of a name and what belongs to it, or a member of an enum.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        let variant = |name: &'de str, content: Option<&'de Value>| Variant { name, content };
        visitor.visit_enum(match self {
            Value::Str(name) => variant(name, None),
            Value::Dict(entries) => match &entries[..] {
                [(Value::Str(name), content)] => variant(name, Some(content)),
                _ => return Err(SerdeError::new("a variant is a dict of one entry")),
            },
            Value::Enum(member) => match (&member.name, &member.value) {
                (Some(name), _) => variant(name, None),
                (None, Value::Str(name)) => variant(name, None),
                _ => return Err(SerdeError::new("the member of the enum has no name")),
            },
            _ => {
                return Err(SerdeError::new(format!(
                    "a value of type '{}' is no variant",
                    self.type_name()
                )));
            }
        })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct map struct identifier
    }
}

impl<'de> IntoDeserializer<'de, SerdeError> for &'de Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// An integer of a range.
struct Big<'a>(&'a BigInt);

impl<'de> IntoDeserializer<'de, SerdeError> for Big<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> de::Deserializer<'de> for Big<'_> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        big(self.0, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = SerdeError;
    type Variant = Self;

    fn variant_seed<S: de::DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), SerdeError> {
        let name: de::value::StrDeserializer<'de, SerdeError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> Variant<'de> {
    fn content(&self) -> Result<&'de Value, SerdeError> {
        self.content
            .ok_or_else(|| SerdeError::new(format!("the variant '{}' has no content", self.name)))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'de> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        match self.content {
            None | Some(Value::None) => Ok(()),
            Some(_) => Err(SerdeError::new(format!(
                "the variant '{}' has content",
                self.name
            ))),
        }
    }

    fn newtype_variant_seed<S: de::DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, SerdeError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        de::Deserializer::deserialize_tuple(self.content()?, count, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        de::Deserializer::deserialize_any(self.content()?, visitor)
    }
}

/// Makes values of what serde knows: numbers, strings, bytes, sequences and maps.
impl<'de> de::Deserialize<'de> for Value {
    fn deserialize<D: de::Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
        from.deserialize_any(Maker)
    }
}

struct Maker;

macro_rules! visit {
    ($($method:ident: $type:ty),*) => {$(
        fn $method<E>(self, value: $type) -> Result<Value, E> {
            Ok(value.into())
        }
    )*};
}

impl<'de> Visitor<'de> for Maker {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    visit! {
        visit_bool: bool, visit_i64: i64, visit_i128: i128, visit_u64: u64, visit_u128: u128, visit_f64: f64,
        visit_str: &str, visit_string: String, visit_bytes: &[u8]
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Bytes(bytes))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::None)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::None)
    }

    fn visit_some<D: de::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(Maker)
    }

    fn visit_newtype_struct<D: de::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(Maker)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut found = Vec::new();
        while let Some(item) = items.next_element()? {
            found.push(item);
        }
        Ok(Value::List(found))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut found = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            found.push(entry);
        }
        Ok(Value::Dict(found))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Empty,
        Circle(f64),
        Line(i32, i32),
        Box { width: u8, height: u8 },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Id(u128);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Everything {
        flag: bool,
        small: i8,
        large: Id,
        ratio: f32,
        letter: char,
        text: String,
        nothing: Option<String>,
        something: Option<u16>,
        unit: (),
        pair: (i64, String),
        shapes: Vec<Shape>,
        numbers: BTreeMap<i32, String>,
        any: Value,
    }

    #[test]
    fn what_serde_knows_survives_the_round_trip() {
        let everything = Everything {
            flag: true,
            small: -1,
            large: Id(u128::MAX),
            ratio: 0.5,
            letter: 'x',
            text: "naïve".into(),
            nothing: None,
            something: Some(7),
            unit: (),
            pair: (i64::MIN, "b".into()),
            shapes: vec![
                Shape::Empty,
                Shape::Circle(1.5),
                Shape::Line(1, -2),
                Shape::Box {
                    width: 1,
                    height: 2,
                },
            ],
            numbers: BTreeMap::from([(1, "one".into())]),
            any: Value::List(vec![
                Value::dict([("k", 1)]),
                u64::MAX.into(),
                Value::Bytes(vec![1]),
            ]),
        };
        let value = Value::from_serialize(&everything).unwrap();
        assert_eq!(value.get("pair"), Some(&Value::from((i64::MIN, "b"))));
        assert_eq!(value.get("numbers"), Some(&Value::dict([(1, "one")])));
        assert_eq!(
            value.get("shapes"),
            Some(&Value::List(vec![
                "Empty".into(),
                Value::dict([("Circle", 1.5)]),
                Value::dict([("Line", (1, -2))]),
                Value::dict([("Box", Value::dict([("width", 1), ("height", 2)]))]),
            ]))
        );
        assert_eq!(value.deserialize::<Everything>().unwrap(), everything);
        let decoded = Value::decode(&value.encode().unwrap()).unwrap();
        assert_eq!(decoded.deserialize::<Everything>().unwrap(), everything);
    }

    #[test]
    fn objects_make_structs_and_variants() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Point {
            x: i32,
            y: Option<String>,
        }
        let point = Point {
            x: 1,
            y: Some("2026-11-30".into()),
        };
        let class = ClassName::main("Point");
        let fields: Vec<(String, Value)> = vec![
            ("x".into(), 1.into()),
            ("y".into(), Date::new(2026, 11, 30).unwrap().into()),
        ];
        let tuple = Value::from(NamedTuple {
            class: class.clone(),
            fields: fields.clone(),
        });
        assert_eq!(tuple.deserialize::<(i32, String)>().unwrap().0, 1);
        assert_eq!(tuple.deserialize::<Point>().unwrap(), point);
        let object = Value::from(Dataclass {
            class: class.clone(),
            fields,
        });
        assert_eq!(object.deserialize::<Point>().unwrap(), point);
        let member = Value::from(EnumMember {
            class,
            name: Some("Empty".into()),
            value: 3.into(),
        });
        assert_eq!(member.deserialize::<Shape>().unwrap(), Shape::Empty);
        assert_eq!(member.deserialize::<u8>().unwrap(), 3);
        let range = Value::from(Range::new(0, 10, 2).unwrap());
        assert_eq!(range.deserialize::<Vec<u8>>().unwrap(), [0, 10, 2]);
        for (value, expected) in [
            (Value::from("Round"), "unknown variant"),
            (Value::from("Circle"), "has no content"),
            (Value::dict([("Empty", 1)]), "has content"),
            (Value::from(1), "is no variant"),
            (Value::from(300), "is no variant"),
        ] {
            let error = value.deserialize::<Shape>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let error = Value::from(300)
            .deserialize::<u8>()
            .unwrap_err()
            .to_string();
        assert!(error.contains("300"), "{error}");
        assert!(
            Value::from(vec![1, 2, 3])
                .deserialize::<(u8, u8)>()
                .is_err()
        );
    }

    #[test]
    fn what_nests_without_end_is_refused() {
        #[derive(Serialize)]
        struct Deep(Vec<Deep>);
        let deep = (0..1000).fold(Deep(vec![]), |inner, _| Deep(vec![inner]));
        assert!(Value::from_serialize(&deep).is_err());
    }
}
