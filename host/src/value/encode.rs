//! Values to CBOR.

use super::decode::is_wtf8;
use super::{BigInt, MAX_DEPTH, Value, tag};

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
}

pub(super) fn encode(value: &Value) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    put(&mut out, value, 0)?;
    Ok(out)
}

fn put(out: &mut Vec<u8>, value: &Value, depth: usize) -> Result<(), EncodeError> {
    match value {
        Value::None => out.push(0xf6),
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
        Value::Str(s) => {
            head(out, 3, s.len() as u64);
            out.extend_from_slice(s.as_bytes());
        }
        Value::SurrogateStr(s) if !is_wtf8(s) => return Err(EncodeError::NotWtf8),
        Value::SurrogateStr(s) => {
            head(out, 6, tag::SURROGATES);
            bytes(out, s);
        }
        Value::Bytes(b) => bytes(out, b),
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
        Value::Handle(handle) => {
            head(out, 6, tag::HANDLE);
            head(out, 4, 3);
            head(out, 0, handle.id);
            for text in [&handle.type_name, &handle.repr] {
                head(out, 3, text.len() as u64);
                out.extend_from_slice(text.as_bytes());
            }
        }
        Value::Dict(items) => {
            let depth = deeper(depth)?;
            head(out, 5, items.len() as u64);
            for (key, item) in items {
                put(out, key, depth)?;
                put(out, item, depth)?;
            }
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
