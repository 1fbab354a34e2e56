//! Values to CBOR.

use super::decode::is_wtf8;
use super::{
    BigInt, ClassName, DateTime, InvalidValue, MAX_DEPTH, Time, TimeDelta, TimeZone, Value, tag,
    time,
};

/// Why a value cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Containers nest deeper than [`MAX_DEPTH`].
    #[error("containers nest deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// A [`Value::SurrogateStr`] is not WTF-8.
    #[error("a string with surrogates is not valid WTF-8")]
    NotWtf8,
    /// A part cannot be what it says.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
}

pub(super) fn encode(value: &Value) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    put(&mut out, value, 0)?;
    Ok(out)
}

fn put(out: &mut Vec<u8>, value: &Value, depth: usize) -> Result<(), EncodeError> {
    match value {
        Value::None => null(out),
        Value::Bool(false) => out.push(0xf4),
        Value::Bool(true) => out.push(0xf5),
        Value::Int(n) => integer(out, *n),
        Value::BigInt(n) => big(out, n),
        Value::Float(x) => float(out, *x),
        Value::Complex(re, im) => {
            head(out, 6, tag::COMPLEX);
            head(out, 4, 2);
            float(out, *re);
            float(out, *im);
        }
        Value::Str(s) => text(out, s),
        Value::SurrogateStr(s) if !is_wtf8(s) => return Err(EncodeError::NotWtf8),
        Value::SurrogateStr(s) => {
            head(out, 6, tag::SURROGATES);
            bytes(out, s);
        }
        Value::Bytes(b) => bytes(out, b),
        Value::ByteArray(b) => {
            head(out, 6, tag::BYTE_ARRAY);
            bytes(out, b);
        }
        Value::List(items) => array(out, items, depth)?,
        Value::Tuple(items) => {
            head(out, 6, tag::TUPLE);
            array(out, items, depth)?;
        }
        Value::Set(items) => {
            head(out, 6, tag::SET);
            array(out, items, depth)?;
        }
        Value::FrozenSet(items) => {
            head(out, 6, tag::FROZEN_SET);
            array(out, items, depth)?;
        }
        Value::Dict(items) => {
            let depth = deeper(depth)?;
            head(out, 5, items.len() as u64);
            for (key, item) in items {
                put(out, key, depth)?;
                put(out, item, depth)?;
            }
        }
        Value::Range(range) => {
            head(out, 6, tag::RANGE);
            head(out, 4, 3);
            for n in [range.start(), range.stop(), range.step()] {
                big(out, n);
            }
        }
        Value::Slice(slice) => {
            let depth = deeper(depth)?;
            head(out, 6, tag::SLICE);
            head(out, 4, 3);
            for part in [&slice.start, &slice.stop, &slice.step] {
                put(out, part, depth)?;
            }
        }
        Value::Date(date) => {
            head(out, 6, tag::DATE);
            head(out, 4, 3);
            for n in [
                u64::from(date.year()),
                date.month().into(),
                date.day().into(),
            ] {
                head(out, 0, n);
            }
        }
        Value::Time(time) => {
            head(out, 6, tag::TIME);
            head(out, 4, 6);
            time_of_day(out, time)?;
        }
        Value::DateTime(DateTime { date, time }) => {
            head(out, 6, tag::DATE_TIME);
            head(out, 4, 9);
            for n in [
                u64::from(date.year()),
                date.month().into(),
                date.day().into(),
            ] {
                head(out, 0, n);
            }
            time_of_day(out, time)?;
        }
        Value::TimeDelta(delta) => {
            head(out, 6, tag::TIME_DELTA);
            head(out, 4, 3);
            for n in [
                i64::from(delta.days()),
                delta.seconds().into(),
                delta.microseconds().into(),
            ] {
                integer(out, n);
            }
        }
        Value::TimeZone(zone) => time_zone(out, zone)?,
        Value::Decimal(decimal) => {
            head(out, 6, tag::DECIMAL);
            text(out, decimal.as_str());
        }
        Value::Fraction(fraction) => {
            head(out, 6, tag::FRACTION);
            head(out, 4, 2);
            big(out, fraction.numerator());
            big(out, fraction.denominator());
        }
        Value::Path(path) => {
            head(out, 6, tag::PATH);
            head(out, 4, 2);
            text(out, path.kind.class_name());
            text(out, &path.text);
        }
        Value::Uuid(uuid) => {
            head(out, 6, tag::UUID);
            bytes(out, &uuid.0);
        }
        Value::Enum(member) => {
            let depth = deeper(depth)?;
            head(out, 6, tag::ENUM);
            head(out, 4, 4);
            class(out, &member.class);
            optional_text(out, member.name.as_deref());
            put(out, &member.value, depth)?;
        }
        Value::Dataclass(object) => {
            head(out, 6, tag::DATACLASS);
            fields(out, &object.class, &object.fields, depth)?;
        }
        Value::NamedTuple(object) => {
            head(out, 6, tag::NAMED_TUPLE);
            fields(out, &object.class, &object.fields, depth)?;
        }
        Value::Exception(exception) => {
            head(out, 6, tag::EXCEPTION);
            head(out, 4, 3);
            class(out, &exception.class);
            array(out, &exception.args, depth)?;
        }
        Value::Handle(handle) => {
            head(out, 6, tag::HANDLE);
            head(out, 4, 3);
            head(out, 0, handle.id);
            text(out, &handle.type_name);
            text(out, &handle.repr);
        }
    }
    Ok(())
}

fn deeper(depth: usize) -> Result<usize, EncodeError> {
    if depth == MAX_DEPTH {
        Err(EncodeError::TooDeep)
    } else {
        Ok(depth + 1)
    }
}

fn array(out: &mut Vec<u8>, items: &[Value], depth: usize) -> Result<(), EncodeError> {
    let depth = deeper(depth)?;
    head(out, 4, items.len() as u64);
    items.iter().try_for_each(|item| put(out, item, depth))
}

/// An object of a class: module, name, map of the fields.
fn fields(
    out: &mut Vec<u8>,
    name: &ClassName,
    fields: &[(String, Value)],
    depth: usize,
) -> Result<(), EncodeError> {
    let depth = deeper(depth)?;
    head(out, 4, 3);
    class(out, name);
    head(out, 5, fields.len() as u64);
    for (name, value) in fields {
        text(out, name);
        put(out, value, depth)?;
    }
    Ok(())
}

fn class(out: &mut Vec<u8>, class: &ClassName) {
    text(out, &class.module);
    text(out, &class.name);
}

fn time_of_day(out: &mut Vec<u8>, time: &Time) -> Result<(), EncodeError> {
    for n in [
        u64::from(time.hour()),
        time.minute().into(),
        time.second().into(),
        time.microsecond().into(),
        time.fold().into(),
    ] {
        head(out, 0, n);
    }
    match time.zone() {
        Some(zone) => time_zone(out, zone)?,
        None => null(out),
    }
    Ok(())
}

fn time_zone(out: &mut Vec<u8>, zone: &TimeZone) -> Result<(), EncodeError> {
    let microseconds = |delta: TimeDelta| delta.total_microseconds() as i64;
    match zone {
        TimeZone::Fixed { offset, name } => {
            time::check_offset(*offset)?;
            head(out, 6, tag::FIXED_ZONE);
            head(out, 4, 2);
            integer(out, microseconds(*offset));
            optional_text(out, name.as_deref());
        }
        TimeZone::Named { key, offset } => {
            head(out, 6, tag::NAMED_ZONE);
            head(out, 4, 2);
            text(out, key);
            match offset {
                Some(offset) => {
                    time::check_offset(*offset)?;
                    integer(out, microseconds(*offset));
                }
                None => null(out),
            }
        }
    }
    Ok(())
}

/// A data item's head: major type and argument in the shortest form (RFC 8949, section 3).
fn head(out: &mut Vec<u8>, major: u8, argument: u64) {
    let major = major << 5;
    if argument < 24 {
        out.push(major | argument as u8);
    } else if let Ok(n) = u8::try_from(argument) {
        out.extend([major | 24, n]);
    } else if let Ok(n) = u16::try_from(argument) {
        out.push(major | 25);
        out.extend(n.to_be_bytes());
    } else if let Ok(n) = u32::try_from(argument) {
        out.push(major | 26);
        out.extend(n.to_be_bytes());
    } else {
        out.push(major | 27);
        out.extend(argument.to_be_bytes());
    }
}

fn null(out: &mut Vec<u8>) {
    out.push(0xf6);
}

fn integer(out: &mut Vec<u8>, n: i64) {
    if n >= 0 {
        head(out, 0, n as u64)
    } else {
        head(out, 1, !n as u64)
    }
}

fn big(out: &mut Vec<u8>, n: &BigInt) {
    if let Some(small) = n.to_i128().and_then(|n| i64::try_from(n).ok()) {
        return integer(out, small);
    }
    head(
        out,
        6,
        if n.is_negative() {
            tag::NEGATIVE_BIG
        } else {
            tag::POSITIVE_BIG
        },
    );
    if !n.is_negative() {
        return bytes(out, n.magnitude());
    }
    // Tag 3 holds -1 - n, that is the magnitude less one.
    let mut less_one = n.magnitude().to_vec();
    for byte in less_one.iter_mut().rev() {
        let (smaller, borrow) = byte.overflowing_sub(1);
        *byte = smaller;
        if !borrow {
            break;
        }
    }
    let first = less_one
        .iter()
        .position(|&b| b != 0)
        .unwrap_or(less_one.len());
    bytes(out, &less_one[first..]);
}

fn float(out: &mut Vec<u8>, x: f64) {
    out.push(0xfb);
    out.extend(x.to_bits().to_be_bytes());
}

fn bytes(out: &mut Vec<u8>, b: &[u8]) {
    head(out, 2, b.len() as u64);
    out.extend_from_slice(b);
}

fn text(out: &mut Vec<u8>, s: &str) {
    head(out, 3, s.len() as u64);
    out.extend_from_slice(s.as_bytes());
}

fn optional_text(out: &mut Vec<u8>, s: Option<&str>) {
    match s {
        Some(s) => text(out, s),
        None => null(out),
    }
}
