//! What serde can serialize, as a value.

use serde::ser::{self, Serialize};

use super::{BigInt, MAX_DEPTH, Value};

/// Why something is no value, or a value is not what was wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SerdeError {
    message: String,
}

impl SerdeError {
    pub(super) fn new(message: impl Into<String>) -> SerdeError {
        SerdeError {
            message: message.into(),
        }
    }
}

impl ser::Error for SerdeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        SerdeError::new(message.to_string())
    }
}

impl serde::de::Error for SerdeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        SerdeError::new(message.to_string())
    }
}

impl Value {
    /// The value that something serializes to. Structs and maps become dicts, sequences lists, tuples tuples, unit variants their name,
    /// other variants a dict of one entry, as with serde_json. A [`Value`] in it stays as it is only where serde sees its parts: put
    /// what is to cross as a date, a set or an enum's member into the value afterwards.
    ///
    /// ```
    /// use coldframe::Value;
    ///
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct Order {
    ///     id: u64,
    ///     items: Vec<(String, u32)>,
    ///     note: Option<String>,
    /// }
    ///
    /// let order = Order { id: 7, items: vec![("tea".into(), 2)], note: None };
    /// let value = Value::from_serialize(&order)?;
    /// assert_eq!(value.get("items"), Some(&vec![Value::from(("tea", 2))].into()));
    /// assert_eq!(value.deserialize::<Order>()?, order);
    /// # Ok::<(), coldframe::value::SerdeError>(())
    /// ```
    pub fn from_serialize<T: Serialize + ?Sized>(what: &T) -> Result<Value, SerdeError> {
        what.serialize(Serializer { depth: 0 })
    }
}

/// `depth` counts how deep what is serialized nests: types may contain themselves without end.
#[derive(Clone, Copy)]
struct Serializer {
    depth: usize,
}

impl Serializer {
    fn deeper(self) -> Result<Serializer, SerdeError> {
        if self.depth >= MAX_DEPTH {
            return Err(SerdeError::new(format!(
                "containers nest deeper than {MAX_DEPTH} levels"
            )));
        }
        Ok(Serializer {
            depth: self.depth + 1,
        })
    }
}

/// The parts of a container so far.
struct Parts {
    inner: Serializer,
    /// A variant's name, which becomes the only key of a dict around it.
    variant: Option<&'static str>,
    tuple: bool,
    items: Vec<Value>,
    key: Option<Value>,
    entries: Vec<(Value, Value)>,
}

impl Parts {
    fn new(outer: Serializer, variant: Option<&'static str>) -> Result<Parts, SerdeError> {
        let mut inner = outer.deeper()?;
        if variant.is_some() {
            inner = inner.deeper()?;
        }
        Ok(Parts {
            inner,
            variant,
            tuple: false,
            items: Vec::new(),
            key: None,
            entries: Vec::new(),
        })
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        self.items.push(value.serialize(self.inner)?);
        Ok(())
    }

    fn entry<T: Serialize + ?Sized>(&mut self, key: Value, value: &T) -> Result<(), SerdeError> {
        let value = value.serialize(self.inner)?;
        self.entries.push((key, value));
        Ok(())
    }

    fn sequence(self) -> Value {
        let value = if self.tuple {
            Value::Tuple(self.items)
        } else {
            Value::List(self.items)
        };
        around(self.variant, value)
    }

    fn map(self) -> Value {
        around(self.variant, Value::Dict(self.entries))
    }
}

fn around(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(name) => Value::Dict(vec![(name.into(), value)]),
        None => value,
    }
}

macro_rules! plain {
    ($($method:ident: $type:ty),*) => {$(
        fn $method(self, value: $type) -> Result<Value, SerdeError> {
            Ok(value.into())
        }
    )*};
}

impl ser::Serializer for Serializer {
    type Ok = Value;
    type Error = SerdeError;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8]
    }

    fn serialize_none(self) -> Result<Value, SerdeError> {
        Ok(Value::None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, SerdeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, SerdeError> {
        Ok(Value::None)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, SerdeError> {
        Ok(Value::None)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, SerdeError> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value, SerdeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, SerdeError> {
        Ok(around(Some(variant), value.serialize(self.deeper()?)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, SerdeError> {
        Parts::new(self, None)
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts, SerdeError> {
        let parts = Parts::new(self, None)?;
        Ok(Parts {
            tuple: true,
            ..parts
        })
    }

    fn serialize_tuple_struct(self, _: &'static str, count: usize) -> Result<Parts, SerdeError> {
        self.serialize_tuple(count)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, SerdeError> {
        let parts = Parts::new(self, Some(variant))?;
        Ok(Parts {
            tuple: true,
            ..parts
        })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts, SerdeError> {
        Parts::new(self, None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts, SerdeError> {
        Parts::new(self, None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, SerdeError> {
        Parts::new(self, Some(variant))
    }
}

macro_rules! sequences {
    ($($name:ident $method:ident),*) => {$(
        impl ser::$name for Parts {
            type Ok = Value;
            type Error = SerdeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
                self.item(value)
            }

            fn end(self) -> Result<Value, SerdeError> {
                Ok(self.sequence())
            }
        }
    )*};
}

sequences! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}

macro_rules! structs {
    ($($name:ident),*) => {$(
        impl ser::$name for Parts {
            type Ok = Value;
            type Error = SerdeError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), SerdeError> {
                self.entry(name.into(), value)
            }

            fn end(self) -> Result<Value, SerdeError> {
                Ok(self.map())
            }
        }
    )*};
}

structs! { SerializeStruct, SerializeStructVariant }

impl ser::SerializeMap for Parts {
    type Ok = Value;
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerdeError> {
        self.key = Some(key.serialize(self.inner)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        match self.key.take() {
            Some(key) => self.entry(key, value),
            None => Err(SerdeError::new("a value of a map without its key")),
        }
    }

    fn end(self) -> Result<Value, SerdeError> {
        Ok(self.map())
    }
}

/// As what serde knows of the kind: numbers, texts, sequences and maps. Objects of classes serialize as maps of their fields, enum members
/// as their values, dates and times and their like as texts. [`Value::to_json`] is the form that keeps what they are.
impl Serialize for Value {
    fn serialize<S: ser::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let big = |n: &BigInt, to: S| match (n.to_i128(), n.to_u128()) {
            (Some(n), _) if i64::try_from(n).is_ok() => to.serialize_i64(n as i64),
            (_, Some(n)) if u64::try_from(n).is_ok() => to.serialize_u64(n as u64),
            (Some(n), _) => to.serialize_i128(n),
            (_, Some(n)) => to.serialize_u128(n),
            _ => to.collect_str(n),
        };
        match self {
            Value::None => to.serialize_unit(),
            Value::Bool(b) => to.serialize_bool(*b),
            Value::Int(n) => to.serialize_i64(*n),
            Value::BigInt(n) => big(n, to),
            Value::Float(x) => to.serialize_f64(*x),
            Value::Complex(re, im) => (re, im).serialize(to),
            Value::Str(s) => to.serialize_str(s),
            Value::SurrogateStr(s) => to.serialize_str(&String::from_utf8_lossy(s)),
            Value::Bytes(b) | Value::ByteArray(b) => to.serialize_bytes(b),
            Value::List(items)
            | Value::Tuple(items)
            | Value::Set(items)
            | Value::FrozenSet(items) => to.collect_seq(items),
            Value::Dict(entries) => to.collect_map(entries.iter().map(|(k, v)| (k, v))),
            Value::Range(range) => {
                let part = |n: &BigInt| Value::from(n.clone());
                to.collect_seq([part(range.start()), part(range.stop()), part(range.step())])
            }
            Value::Slice(slice) => to.collect_seq([&slice.start, &slice.stop, &slice.step]),
            Value::Date(date) => to.collect_str(date),
            Value::Time(time) => to.collect_str(time),
            Value::DateTime(time) => to.collect_str(time),
            Value::TimeDelta(delta) => to.serialize_f64(delta.total_seconds()),
            Value::TimeZone(zone) => to.serialize_str(&super::deserialize::zone_text(zone)),
            Value::Decimal(decimal) => to.collect_str(decimal),
            Value::Fraction(f) => {
                to.collect_str(&format_args!("{}/{}", f.numerator(), f.denominator()))
            }
            Value::Path(path) => to.serialize_str(&path.text),
            Value::Uuid(uuid) => to.collect_str(uuid),
            Value::Enum(member) => member.value.serialize(to),
            Value::Dataclass(object) => to.collect_map(object.fields.iter().map(|(k, v)| (k, v))),
            Value::NamedTuple(object) => to.collect_map(object.fields.iter().map(|(k, v)| (k, v))),
            Value::Exception(exception) => to.collect_map([
                ("type", &Value::from(exception.class.name.as_str())),
                ("args", &Value::List(exception.args.clone())),
            ]),
            Value::Handle(handle) => to.serialize_str(&handle.repr),
        }
    }
}
