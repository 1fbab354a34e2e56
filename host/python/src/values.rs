//! Values of Python's as values that cross, and back.
//!
//! What has a type of its own in the language is converted here. For the library's types (dates, decimals, enums, ...) `coldframe._values` takes an
//! object apart into a tuple that begins with the kind, and puts one together again.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use coldframe::value::{
    ClassName, Dataclass, Date, DateTime, Decimal, EnumMember, Exception, Fraction, NamedTuple,
    Path, PathKind, Range, Slice, Time, TimeDelta, TimeZone, Uuid,
};
use coldframe::{BigInt, Call, MAX_DEPTH, ObjectType, Session, ToolError, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::{PyTraverseError, PyVisit};
use pyo3::sync::PyOnceLock;
use pyo3::types::frozenset::PyFrozenSetBuilder;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyRange,
    PySet, PySlice, PyString, PyTuple,
};

use crate::bounds::Bounds;
use crate::errors;
use crate::gate;

/// An object of Python's that a program holds a stand-in for.
pub(crate) struct Thing {
    /// Empty when the collector of cycles has taken it.
    object: Mutex<Option<Py<PyAny>>>,
    address: usize,
    things: Weak<Things>,
}

/// What a session and its forks hold: the same object is the same thing, and keeps the type that it was handed in by.
#[derive(Default)]
pub(crate) struct Things(Mutex<Known>);

/// Things by the addresses of their objects.
type Known = HashMap<usize, (Weak<Thing>, ObjectType<Thing>)>;

/// Types of things, by their names and attributes.
type Kinds = Mutex<HashMap<(String, Vec<String>), ObjectType<Thing>>>;
static KINDS: LazyLock<Kinds> = LazyLock::new(Kinds::default);

/// Types of things that are remembered; beyond that each object gets one of its own.
const MAX_KINDS: usize = 4096;

impl Drop for Thing {
    fn drop(&mut self) {
        if let Some(things) = self.things.upgrade() {
            let mut things = things.lock();
            if things
                .get(&self.address)
                .is_some_and(|(thing, _)| thing.strong_count() == 0)
            {
                things.remove(&self.address);
            }
        }
        // Python's own code runs when the object goes: not on the stack of a sandbox. Without the GIL this only notes the wish.
        drop(self.take());
    }
}

impl Thing {
    fn object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let object = self.object.lock().unwrap_or_else(PoisonError::into_inner);
        object.as_ref().map(|object| object.bind(py).clone())
    }

    fn take(&self) -> Option<Py<PyAny>> {
        let mut object = self.object.lock().unwrap_or_else(PoisonError::into_inner);
        object.take()
    }
}

/// The things of a session and its forks, for the collector of cycles: a session that is reachable only from objects that it holds goes with them.
#[pyclass(frozen, module = "coldframe._native")]
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) things: Arc<Things>,
}

#[pymethods]
impl Held {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        for thing in self.things.all() {
            if let Ok(object) = thing.object.try_lock() {
                visit.call(&*object)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        for thing in self.things.all() {
            drop(thing.take());
        }
    }
}

impl Things {
    /// Those that a sandbox still holds. The lock is free again: a thing that goes takes it.
    fn all(&self) -> Vec<Arc<Thing>> {
        self.lock()
            .values()
            .filter_map(|(thing, _)| thing.upgrade())
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thing of an object, and its type: that by which it is known already, unless attributes are asked for.
    fn enter(
        self: &Arc<Self>,
        object: &Bound<'_, PyAny>,
        name: &str,
        attributes: Vec<String>,
    ) -> (Arc<Thing>, ObjectType<Thing>) {
        let address = object.as_ptr().addr();
        let asks = !attributes.is_empty();
        let known = self
            .lock()
            .get(&address)
            .and_then(|(thing, kind)| Some((thing.upgrade()?, kind.clone())));
        let thing = match known {
            Some(known) if !asks => return known,
            Some((thing, _)) => thing,
            None => Arc::new(Thing {
                object: Mutex::new(Some(object.clone().unbind())),
                address,
                things: Arc::downgrade(self),
            }),
        };
        let kind = kind_of(name, attributes);
        self.lock()
            .insert(address, (Arc::downgrade(&thing), kind.clone()));
        (thing, kind)
    }
}

fn kind_of(name: &str, attributes: Vec<String>) -> ObjectType<Thing> {
    let mut kinds = KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (name.to_owned(), attributes);
    if let Some(known) = kinds.get(&key) {
        return known.clone();
    }
    let mut kind = ObjectType::<Thing>::new(name).repr(|thing| {
        Python::attach(|py| match thing.object(py).map(|object| object.repr()) {
            Some(Ok(text)) => text.to_string_lossy().into_owned(),
            _ => "<an object without repr>".to_owned(),
        })
    });
    for attribute in &key.1 {
        let name = attribute.clone();
        kind = kind.attribute(attribute.clone(), move |thing| {
            let name = name.clone();
            // A thread with a stack of its own; nothing else can run on this one meanwhile.
            std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        gate::try_attach(|py| {
                            let Some(object) = thing.object(py) else {
                                return Err(ToolError::runtime("the object is gone"));
                            };
                            let read = object
                                .getattr(name.as_str())
                                .and_then(|value| from_py(&value, &Keeper::Nobody));
                            read.map_err(|error| tool_error(py, &error))
                        })
                    })
                    .join()
                    .ok()
                    .flatten()
                    .unwrap_or_else(|| Err(ToolError::runtime("the attribute cannot be read")))
            })
        });
    }
    if kinds.len() < MAX_KINDS {
        kinds.insert(key, kind.clone());
    }
    kind
}

/// Who keeps the objects that do not cross.
pub(crate) enum Keeper<'a> {
    Session(&'a Session, &'a Arc<Things>, bool),
    Call(&'a Call, &'a Arc<Things>, bool),
    /// Then they are refused.
    Nobody,
}

impl Keeper<'_> {
    fn hand_in(
        &self,
        object: &Bound<'_, PyAny>,
        name: &str,
        attributes: Vec<String>,
    ) -> Result<Value, ToolError> {
        match self {
            Keeper::Session(session, things, _) => {
                let (thing, kind) = things.enter(object, name, attributes);
                session.hand_in(&kind, thing)
            }
            Keeper::Call(call, things, _) => {
                let (thing, kind) = things.enter(object, name, attributes);
                call.hand_in(&kind, thing)
            }
            Keeper::Nobody => Err(nobody()),
        }
    }

    fn find(&self, value: &Value) -> Result<Arc<Thing>, ToolError> {
        match self {
            Keeper::Session(session, ..) => session.find_object(value),
            Keeper::Call(call, ..) => call.find_object(value),
            Keeper::Nobody => Err(nobody()),
        }
    }

    /// Whether an object that does not cross is kept without being asked for.
    fn is_generous(&self) -> bool {
        match self {
            Keeper::Session(_, _, generous) | Keeper::Call(_, _, generous) => *generous,
            Keeper::Nobody => false,
        }
    }
}

fn nobody() -> ToolError {
    ToolError::new("TypeError", "no objects of the host can be kept here")
}

/// What a program gets for an exception of a tool's.
pub(crate) fn tool_error(py: Python<'_>, error: &PyErr) -> ToolError {
    let told = helper(py, "describe_exception")
        .and_then(|describe| describe.call1((error.value(py),)))
        .and_then(|told| told.extract::<(String, String)>());
    match told {
        Ok((name, message)) => ToolError::new(name, message),
        Err(_) => ToolError::runtime("the tool raised an exception that cannot be described"),
    }
}

pub(crate) fn helper<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module =
        MODULE.get_or_try_init(py, || py.import("coldframe._values").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

/// A value cannot come in, or go out.
pub(crate) fn crossing(py: Python<'_>, message: impl Into<String>) -> PyErr {
    errors::named(py, "CrossingError", message.into())
}

/// Makes a value of an object.
pub(crate) fn from_py(object: &Bound<'_, PyAny>, keeper: &Keeper<'_>) -> PyResult<Value> {
    convert(object, keeper, 0)
}

fn convert(object: &Bound<'_, PyAny>, keeper: &Keeper<'_>, depth: usize) -> PyResult<Value> {
    let py = object.py();
    if depth > MAX_DEPTH {
        let message = format!("the value nests deeper than {MAX_DEPTH} levels, or contains itself");
        return Err(crossing(py, message));
    }
    if object.is_none() {
        return Ok(Value::None);
    }
    if let Ok(value) = object.cast_exact::<PyBool>() {
        return Ok(Value::Bool(value.is_true()));
    }
    if let Ok(value) = object.cast_exact::<PyInt>() {
        return int_from(value);
    }
    if let Ok(value) = object.cast_exact::<PyFloat>() {
        return Ok(Value::Float(value.value()));
    }
    if let Ok(value) = object.cast_exact::<PyString>() {
        return str_from(value);
    }
    if let Ok(value) = object.cast_exact::<PyList>() {
        return Ok(Value::List(items(value.iter(), keeper, depth)?));
    }
    if let Ok(value) = object.cast_exact::<PyTuple>() {
        return Ok(Value::Tuple(items(value.iter(), keeper, depth)?));
    }
    if let Ok(value) = object.cast_exact::<PyDict>() {
        return dict_from(value, keeper, depth);
    }
    if let Some(value) = other_builtin(object, keeper, depth)? {
        return Ok(value);
    }
    let parts = helper(py, "dump")?.call1((object, keeper.is_generous()))?;
    if let Ok(parts) = parts.cast_exact::<PyTuple>() {
        return assemble(parts, keeper, depth + 1);
    }
    if let Ok(value) = object.cast::<PyInt>() {
        return int_from(value);
    }
    if let Ok(value) = object.cast::<PyFloat>() {
        return Ok(Value::Float(value.value()));
    }
    if let Ok(value) = object.cast::<PyString>() {
        return str_from(value);
    }
    if let Ok(value) = object.cast::<PyList>() {
        return Ok(Value::List(items(value.iter(), keeper, depth)?));
    }
    if let Ok(value) = object.cast::<PyTuple>() {
        return Ok(Value::Tuple(items(value.iter(), keeper, depth)?));
    }
    if let Ok(value) = object.cast::<PyDict>() {
        return dict_from(value, keeper, depth);
    }
    let name = object.get_type().fully_qualified_name()?;
    Err(crossing(
        py,
        format!(
            "an object of type {name} cannot enter the sandbox: wrap it in coldframe.Handle to let programs hold it"
        ),
    ))
}

fn other_builtin(
    object: &Bound<'_, PyAny>,
    keeper: &Keeper<'_>,
    depth: usize,
) -> PyResult<Option<Value>> {
    Ok(Some(if let Ok(value) = object.cast_exact::<PyBytes>() {
        Value::Bytes(value.as_bytes().to_vec())
    } else if let Ok(value) = object.cast_exact::<PyByteArray>() {
        Value::ByteArray(value.to_vec())
    } else if let Ok(value) = object.cast_exact::<PySet>() {
        Value::Set(items(value.iter(), keeper, depth)?)
    } else if let Ok(value) = object.cast_exact::<PyFrozenSet>() {
        Value::FrozenSet(items(value.iter(), keeper, depth)?)
    } else if let Ok(value) = object.cast_exact::<PyComplex>() {
        Value::Complex(value.real(), value.imag())
    } else if let Ok(value) = object.cast_exact::<PyRange>() {
        let end = |name: &str| -> PyResult<BigInt> { big(value.getattr(name)?.cast::<PyInt>()?) };
        let range = Range::new(end("start")?, end("stop")?, end("step")?);
        Value::Range(Box::new(range.map_err(invalid)?))
    } else if let Ok(value) = object.cast_exact::<PySlice>() {
        let end = |name: &str| convert(&value.getattr(name)?, keeper, depth + 1);
        Value::Slice(Box::new(Slice {
            start: end("start")?,
            stop: end("stop")?,
            step: end("step")?,
        }))
    } else {
        return Ok(None);
    }))
}

fn invalid(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn items<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    keeper: &Keeper<'_>,
    depth: usize,
) -> PyResult<Vec<Value>> {
    items
        .map(|item| convert(&item, keeper, depth + 1))
        .collect()
}

fn dict_from(dict: &Bound<'_, PyDict>, keeper: &Keeper<'_>, depth: usize) -> PyResult<Value> {
    // A copy of references: converting a key or a value may run code that changes the dict.
    let entries: Vec<_> = dict.iter().collect();
    let mut out = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let key = convert(&key, keeper, depth + 1)?;
        out.push((key, convert(&value, keeper, depth + 1)?));
    }
    Ok(Value::Dict(out))
}

fn str_from(text: &Bound<'_, PyString>) -> PyResult<Value> {
    if let Ok(text) = text.to_cow() {
        return Ok(Value::Str(text.into_owned()));
    }
    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    Ok(Value::SurrogateStr(
        bytes.cast::<PyBytes>()?.as_bytes().to_vec(),
    ))
}

fn int_from(number: &Bound<'_, PyInt>) -> PyResult<Value> {
    if let Ok(small) = number.extract::<i64>() {
        return Ok(Value::Int(small));
    }
    Ok(Value::BigInt(big(number)?))
}

fn big(number: &Bound<'_, PyInt>) -> PyResult<BigInt> {
    let negative = number.lt(0)?;
    let magnitude = number.call_method0("__abs__")?;
    let bits: usize = magnitude.call_method0("bit_length")?.extract()?;
    let bytes = magnitude.call_method1("to_bytes", (bits.div_ceil(8), "big"))?;
    Ok(BigInt::new(negative, bytes.cast::<PyBytes>()?.as_bytes()))
}

/// Puts together what `coldframe._values.dump` took apart.
fn assemble(parts: &Bound<'_, PyTuple>, keeper: &Keeper<'_>, depth: usize) -> PyResult<Value> {
    let kind: String = parts.get_item(0)?.extract()?;
    let at = |i: usize| parts.get_item(i);
    Ok(match kind.as_str() {
        "plain" => convert(&at(1)?, keeper, depth)?,
        "date" => Value::Date(date(parts, 1)?),
        "time" => Value::Time(time(parts, 1, keeper, depth)?),
        "datetime" => Value::DateTime(DateTime::new(
            date(parts, 1)?,
            time(parts, 4, keeper, depth)?,
        )),
        "timedelta" => Value::TimeDelta(
            TimeDelta::new(at(1)?.extract()?, at(2)?.extract()?, at(3)?.extract()?)
                .map_err(invalid)?,
        ),
        "timezone" => {
            let offset = TimeDelta::from_microseconds(at(1)?.extract()?).map_err(invalid)?;
            // Checks the distance.
            TimeZone::fixed(offset).map_err(invalid)?;
            Value::TimeZone(Box::new(TimeZone::Fixed {
                offset,
                name: at(2)?.extract()?,
            }))
        }
        "zoneinfo" => Value::TimeZone(Box::new(TimeZone::Named {
            key: at(1)?.extract()?,
            offset: None,
        })),
        "decimal" => Value::Decimal(Decimal::new(at(1)?.extract::<String>()?).map_err(invalid)?),
        "fraction" => Value::Fraction(Box::new(
            Fraction::new(big(at(1)?.cast::<PyInt>()?)?, big(at(2)?.cast::<PyInt>()?)?)
                .map_err(invalid)?,
        )),
        "path" => {
            let kind = match at(1)?.extract::<String>()?.as_str() {
                "PurePosixPath" => PathKind::PurePosix,
                "PureWindowsPath" => PathKind::PureWindows,
                _ => PathKind::Posix,
            };
            Value::Path(Box::new(Path {
                kind,
                text: at(2)?.extract()?,
            }))
        }
        "uuid" => Value::Uuid(Uuid(at(1)?.extract()?)),
        "enum" => Value::Enum(Box::new(EnumMember {
            class: class(parts)?,
            name: at(3)?.extract()?,
            value: convert(&at(4)?, keeper, depth)?,
        })),
        "dataclass" => Value::Dataclass(Box::new(Dataclass {
            class: class(parts)?,
            fields: fields(&at(3)?, keeper, depth)?,
        })),
        "namedtuple" => Value::NamedTuple(Box::new(NamedTuple {
            class: class(parts)?,
            fields: fields(&at(3)?, keeper, depth)?,
        })),
        "exception" => Value::Exception(Box::new(Exception {
            class: class(parts)?,
            args: items(at(3)?.cast::<PyTuple>()?.iter(), keeper, depth)?,
        })),
        "handle" => {
            let (name, attributes) = (at(2)?.extract::<String>()?, at(3)?.extract()?);
            keeper
                .hand_in(&at(1)?, &name, attributes)
                .map_err(|e| crossing(parts.py(), e.message))?
        }
        _ => return Err(PyTypeError::new_err(format!("a value of kind {kind:?}"))),
    })
}

fn class(parts: &Bound<'_, PyTuple>) -> PyResult<ClassName> {
    let name = |i: usize| parts.get_item(i)?.extract::<String>();
    Ok(ClassName::new(name(1)?, name(2)?))
}

fn fields(
    fields: &Bound<'_, PyAny>,
    keeper: &Keeper<'_>,
    depth: usize,
) -> PyResult<Vec<(String, Value)>> {
    let fields = fields.cast::<PyDict>()?;
    fields
        .iter()
        .map(|(name, value)| Ok((name.extract()?, convert(&value, keeper, depth)?)))
        .collect()
}

fn date(parts: &Bound<'_, PyTuple>, at: usize) -> PyResult<Date> {
    let (year, month, day) = parts.get_slice(at, at + 3).extract()?;
    Date::new(year, month, day).map_err(invalid)
}

fn time(
    parts: &Bound<'_, PyTuple>,
    at: usize,
    keeper: &Keeper<'_>,
    depth: usize,
) -> PyResult<Time> {
    let (hour, minute, second, micro, fold): (u8, u8, u8, u32, bool) =
        parts.get_slice(at, at + 5).extract()?;
    let zone = match convert(&parts.get_item(at + 5)?, keeper, depth)? {
        Value::None => None,
        Value::TimeZone(zone) => Some(*zone),
        _ => {
            return Err(crossing(
                parts.py(),
                "a time with a tzinfo of a class of its own",
            ));
        }
    };
    let time = Time::new(hour, minute, second, micro).map_err(invalid)?;
    Ok(time.with_zone(zone).with_fold(fold))
}

/// Makes an object of a value. What came out of a sandbox chooses no class of the host's: see `coldframe._values`.
pub(crate) fn to_py<'py>(
    py: Python<'py>,
    value: &Value,
    keeper: &Keeper<'_>,
    bounds: &Bounds<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    bounds.part(py)?;
    let all = |items: &[Value]| -> PyResult<Vec<Bound<'py, PyAny>>> {
        items
            .iter()
            .map(|item| to_py(py, item, keeper, bounds))
            .collect()
    };
    Ok(match value {
        Value::None => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Int(value) => value.into_pyobject(py)?.into_any(),
        Value::BigInt(value) => big_to_py(py, value)?,
        Value::Float(value) => PyFloat::new(py, *value).into_any(),
        Value::Complex(real, imag) => PyComplex::from_doubles(py, *real, *imag).into_any(),
        Value::Str(text) => PyString::new(py, text).into_any(),
        Value::SurrogateStr(bytes) => {
            PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogatepass"))?
        }
        Value::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Value::ByteArray(bytes) => PyByteArray::new(py, bytes).into_any(),
        Value::List(items) => PyList::new(py, all(items)?)?.into_any(),
        Value::Tuple(items) => PyTuple::new(py, all(items)?)?.into_any(),
        Value::Set(items) => {
            let keys = all(items)?;
            bounds.admit(py, &keys, |at| &items[at])?;
            let set = PySet::empty(py)?;
            bounds.enter(py, keys.len(), |at| set.add(&keys[at]))?;
            set.into_any()
        }
        Value::FrozenSet(items) => {
            let keys = all(items)?;
            bounds.admit(py, &keys, |at| &items[at])?;
            let mut set = PyFrozenSetBuilder::new(py)?;
            bounds.enter(py, keys.len(), |at| set.add(&keys[at]))?;
            set.finalize().into_any()
        }
        Value::Dict(entries) => {
            let mut keys = Vec::with_capacity(entries.len());
            let mut values = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                keys.push(to_py(py, key, keeper, bounds)?);
                values.push(to_py(py, value, keeper, bounds)?);
            }
            bounds.admit(py, &keys, |at| &entries[at].0)?;
            let dict = PyDict::new(py);
            bounds.enter(py, keys.len(), |at| dict.set_item(&keys[at], &values[at]))?;
            dict.into_any()
        }
        Value::Handle(handle) => {
            let thing = keeper.find(value).map_err(|e| crossing(py, e.message))?;
            match thing.object(py) {
                Some(object) => object,
                None => return Err(crossing(py, format!("{} is gone", handle.repr))),
            }
        }
        _ => {
            let mut parts = vec![bounds.room(py)?];
            take_apart(py, value, keeper, bounds, &mut parts)?;
            helper(py, "load_within")?.call1(PyTuple::new(py, parts)?)?
        }
    })
}

fn big_to_py<'py>(py: Python<'py>, value: &BigInt) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new(py, value.magnitude());
    let number = py
        .get_type::<PyInt>()
        .call_method1("from_bytes", (bytes, "big"))?;
    if value.is_negative() {
        number.neg()
    } else {
        Ok(number)
    }
}

/// Adds the arguments of `coldframe._values.load`.
fn take_apart<'py>(
    py: Python<'py>,
    value: &Value,
    keeper: &Keeper<'_>,
    bounds: &Bounds<'_>,
    parts: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    macro_rules! put {
        ($($part:expr),+) => {{ $( parts.push($part.into_pyobject(py)?.into_any()); )+ }};
    }
    let zone = |zone: Option<&TimeZone>| match zone {
        None => Ok(py.None().into_bound(py)),
        Some(zone) => to_py(py, &Value::TimeZone(Box::new(zone.clone())), keeper, bounds),
    };
    let dict = |fields: &[(String, Value)]| -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in fields {
            dict.set_item(name, to_py(py, value, keeper, bounds)?)?;
        }
        Ok(dict)
    };
    match value {
        Value::Range(range) => {
            put!("range");
            for end in [range.start(), range.stop(), range.step()] {
                parts.push(big_to_py(py, end)?);
            }
        }
        Value::Slice(slice) => {
            put!("slice");
            for end in [&slice.start, &slice.stop, &slice.step] {
                parts.push(to_py(py, end, keeper, bounds)?);
            }
        }
        Value::Date(date) => put!("date", date.year(), date.month(), date.day()),
        Value::Time(time) => {
            put!("time");
            put!(
                time.hour(),
                time.minute(),
                time.second(),
                time.microsecond(),
                i32::from(time.fold())
            );
            parts.push(zone(time.zone())?);
        }
        Value::DateTime(DateTime { date, time }) => {
            put!("datetime", date.year(), date.month(), date.day());
            put!(
                time.hour(),
                time.minute(),
                time.second(),
                time.microsecond(),
                i32::from(time.fold())
            );
            parts.push(zone(time.zone())?);
        }
        Value::TimeDelta(d) => put!("timedelta", d.days(), d.seconds(), d.microseconds()),
        Value::TimeZone(zone) => match &**zone {
            TimeZone::Fixed { offset, name } => {
                put!("timezone", offset.total_microseconds(), name.as_deref());
            }
            TimeZone::Named { key, .. } => put!("zoneinfo", key),
        },
        Value::Decimal(decimal) => put!("decimal", decimal.as_str()),
        Value::Fraction(fraction) => {
            put!("fraction");
            parts.push(big_to_py(py, fraction.numerator())?);
            parts.push(big_to_py(py, fraction.denominator())?);
        }
        Value::Path(path) => put!("path", path.kind.class_name(), &path.text),
        Value::Uuid(uuid) => {
            put!("uuid");
            parts.push(PyBytes::new(py, &uuid.0).into_any());
        }
        Value::Enum(member) => {
            put!(
                "enum",
                &member.class.module,
                &member.class.name,
                member.name.as_deref()
            );
            parts.push(to_py(py, &member.value, keeper, bounds)?);
        }
        Value::Dataclass(object) => {
            put!("dataclass", &object.class.module, &object.class.name);
            parts.push(dict(&object.fields)?.into_any());
        }
        Value::NamedTuple(object) => {
            put!("namedtuple", &object.class.module, &object.class.name);
            parts.push(dict(&object.fields)?.into_any());
        }
        Value::Exception(exception) => {
            put!("exception", &exception.class.module, &exception.class.name);
            let args: PyResult<Vec<_>> = exception
                .args
                .iter()
                .map(|arg| to_py(py, arg, keeper, bounds))
                .collect();
            parts.push(PyTuple::new(py, args?)?.into_any());
        }
        _ => {
            let message = format!("a value of type {} is not known here", value.type_name());
            return Err(crossing(py, message));
        }
    }
    Ok(())
}
