//! Numbers as they stand in memory: what `struct`, `memoryview` and `array` have in common. Sizes are those of a 64-bit Unix, whatever the engine
//! itself runs on.

use super::Bytes;
use crate::objects::int::IntRef;
use crate::value::Value;
use crate::vm::ops::class_of;
use crate::vm::{R, Vm};
use coldframe_numeric::BigInt;
use num_traits::ToPrimitive;

/// What an item is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// An integer without sign of so many bytes.
    Unsigned(usize),
    /// An integer with sign.
    Signed(usize),
    /// A floating point number of 2, 4 or 8 bytes.
    Float(usize),
    /// One byte as `bytes`.
    Char,
    /// A `bool`.
    Bool,
}

impl Item {
    /// The item of a format character. With `native`, sizes are the platform's.
    pub fn of_code(code: u8, native: bool) -> Option<Item> {
        let long = if native { 8 } else { 4 };
        Some(match code {
            b'B' => Item::Unsigned(1),
            b'b' => Item::Signed(1),
            b'H' => Item::Unsigned(2),
            b'h' => Item::Signed(2),
            b'I' => Item::Unsigned(4),
            b'i' => Item::Signed(4),
            b'L' => Item::Unsigned(long),
            b'l' => Item::Signed(long),
            b'Q' => Item::Unsigned(8),
            b'q' => Item::Signed(8),
            b'N' | b'P' if native => Item::Unsigned(8),
            b'n' if native => Item::Signed(8),
            b'e' => Item::Float(2),
            b'f' => Item::Float(4),
            b'd' => Item::Float(8),
            b'c' => Item::Char,
            b'?' => Item::Bool,
            _ => return None,
        })
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Item::Unsigned(n) | Item::Signed(n) | Item::Float(n) => n,
            Item::Char | Item::Bool => 1,
        }
    }

    /// Reads an item; `data` has its size.
    pub fn read(self, data: &[u8], big: bool) -> Value {
        let mut bytes = [0u8; 8];
        let n = data.len().min(8);
        if big {
            // Right-aligned, so that the number is the big-endian one of eight bytes.
            bytes[8 - n..].copy_from_slice(&data[..n]);
        } else {
            bytes[..n].copy_from_slice(&data[..n]);
        }
        let raw = if big {
            u64::from_be_bytes(bytes)
        } else {
            u64::from_le_bytes(bytes)
        };
        match self {
            Item::Unsigned(_) => {
                i64::try_from(raw).map_or_else(|_| Value::bigint(BigInt::from(raw)), Value::int)
            }
            Item::Signed(size) => {
                let shift = 64 - 8 * size as u32;
                Value::int(((raw << shift) as i64) >> shift)
            }
            Item::Float(2) => Value::float_from_outside(half_to_double(raw as u16)),
            Item::Float(4) => Value::float_from_outside(f32::from_bits(raw as u32) as f64),
            Item::Float(_) => Value::float_from_outside(f64::from_bits(raw)),
            Item::Char => Bytes::value(data.to_vec()),
            Item::Bool => Value::bool(raw != 0),
        }
    }

    /// The bytes of a raw value, in `out`, which has the item's size.
    fn put(self, raw: u64, out: &mut [u8], big: bool) {
        let n = out.len().min(8);
        if big {
            out.copy_from_slice(&raw.to_be_bytes()[8 - n..]);
        } else {
            out.copy_from_slice(&raw.to_le_bytes()[..n]);
        }
    }

    /// Writes a value. The outer error is an exception; the inner one says why the value does not fit.
    pub fn write(self, vm: &mut Vm, v: &Value, out: &mut [u8], big: bool) -> R<Result<(), Misfit>> {
        let raw = match self {
            Item::Unsigned(size) | Item::Signed(size) => {
                if v.as_int().is_none() && class_of(v).slots().index.is_none() {
                    return Ok(Err(Misfit::Type));
                }
                let i = vm.index(v)?;
                let raw = match i.as_int() {
                    Some(IntRef::Small(i)) if self == Item::Unsigned(size) => u64::try_from(i)
                        .ok()
                        .filter(|&u| size == 8 || u >> (8 * size) == 0),
                    Some(IntRef::Small(i)) => {
                        (size == 8 || i >> (8 * size - 1) == i >> 63).then_some(i as u64)
                    }
                    Some(IntRef::Big(b)) if self == Item::Unsigned(size) => {
                        b.to_u64().filter(|&u| size == 8 || u >> (8 * size) == 0)
                    }
                    Some(IntRef::Big(b)) => b
                        .to_i64()
                        .filter(|&i| size == 8 || i >> (8 * size - 1) == i >> 63)
                        .map(|i| i as u64),
                    None => None,
                };
                match raw {
                    Some(raw) => raw,
                    None => return Ok(Err(Misfit::Range)),
                }
            }
            Item::Float(size) => {
                let Some(x) = vm.to_double_opt(v)? else {
                    return Ok(Err(Misfit::Type));
                };
                match size {
                    2 => match double_to_half(x) {
                        Some(half) => half as u64,
                        None => return Ok(Err(Misfit::Range)),
                    },
                    4 => {
                        let single = x as f32;
                        if single.is_infinite() && x.is_finite() {
                            return Ok(Err(Misfit::Range));
                        }
                        if single.is_nan() {
                            Value::public_bits(x) >> 32 & 0x8000_0000 | 0x7fc0_0000
                        } else {
                            single.to_bits() as u64
                        }
                    }
                    _ => Value::public_bits(x),
                }
            }
            Item::Char => match v.as_ref::<Bytes>() {
                Some(b) if b.data.len() == 1 => b.data[0] as u64,
                Some(_) => return Ok(Err(Misfit::Range)),
                None => return Ok(Err(Misfit::Type)),
            },
            Item::Bool => vm.truthy(v)? as u64,
        };
        self.put(raw, out, big);
        Ok(Ok(()))
    }
}

/// Why a value cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// It is of another type.
    Type,
    /// It is too large or too small.
    Range,
}

/// A half-precision number (IEEE 754 binary16) as a double.
pub fn half_to_double(half: u16) -> f64 {
    let sign = if half >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = (half >> 10 & 0x1F) as i32;
    let fraction = (half & 0x3FF) as f64;
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

/// A double rounded to half precision; `None` when it is too large.
pub fn double_to_half(x: f64) -> Option<u16> {
    let sign = ((x.to_bits() >> 63) as u16) << 15;
    if x.is_nan() {
        return Some(sign | 0x7E00);
    }
    if x.is_infinite() {
        return Some(sign | 0x7C00);
    }
    let magnitude = x.abs();
    // The unit in the last place: fixed below the smallest normal number, 2^-14.
    let exponent = if magnitude < 2f64.powi(-14) {
        -14
    } else {
        (magnitude.to_bits() >> 52) as i32 - 1023
    };
    if exponent > 15 {
        return None;
    }
    let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u32;
    // Rounding up may carry into the exponent, which is just what adding does.
    let bits = if magnitude < 2f64.powi(-14) {
        units
    } else {
        (((exponent + 15) as u32) << 10) + (units - 1024)
    };
    (bits < 0x7C00).then_some(sign | bits as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_goes_both_ways() {
        for half in 0..=0x7BFFu16 {
            assert_eq!(double_to_half(half_to_double(half)), Some(half));
        }
        assert_eq!(double_to_half(65504.0), Some(0x7BFF));
        assert_eq!(double_to_half(65520.0), None);
        assert_eq!(double_to_half(1.0 + 2f64.powi(-11)), Some(0x3C00));
        assert_eq!(double_to_half(-0.0), Some(0x8000));
    }
}
