//! Between decimals and the other numbers: integers, floats, ratios, hashes.

use super::number::small;
use crate::objects::int::IntRef;
use crate::objects::tuple::Tuple;
use crate::value::Value;
use crate::vm::{R, Vm};
use coldframe_numeric::BigInt;
use coldframe_numeric::decimal::{Coefficient, Kind, Number, Rounding};
use num_bigint::{BigUint, Sign};

/// An integer as a decimal.
pub(super) fn of_int(i: IntRef<'_>) -> Number {
    match i {
        IntRef::Small(i) => small(i),
        IntRef::Big(big) => {
            Number::finite(big.sign() == Sign::Minus, big.magnitude().clone().into(), 0)
        }
    }
}

/// Magnitude and sign as an `int`.
pub(super) fn int_value(negative: bool, size: &Coefficient) -> Value {
    if let Some(short) = size.short()
        && let Ok(i) = i64::try_from(short)
    {
        return Value::int(if negative { -i } else { i });
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Value::bigint(BigInt::from_biguint(sign, size.big().into_owned()))
}

/// The number as an `int`; errors for what is no number.
pub(super) fn to_int(vm: &mut Vm, n: &Number, rounding: Rounding) -> R {
    match n.kind {
        Kind::Quiet | Kind::Signaling => {
            return Err(vm.value_error("cannot convert NaN to integer"));
        }
        Kind::Infinite => {
            return Err(vm.overflow_error("cannot convert Infinity to integer"));
        }
        Kind::Finite => {}
    }
    match n.to_integer(rounding) {
        Some((negative, size)) => Ok(int_value(negative, &size)),
        None => Err(vm.memory_error()),
    }
}

/// The number as a float, correctly rounded.
pub(super) fn to_float(vm: &mut Vm, n: &Number) -> R<f64> {
    let signed = |f: f64| if n.negative { -f } else { f };
    match n.kind {
        Kind::Signaling => {
            return Err(vm.value_error("cannot convert signaling NaN to float"));
        }
        Kind::Quiet => return Ok(signed(f64::NAN)),
        Kind::Infinite => return Ok(signed(f64::INFINITY)),
        Kind::Finite => {}
    }
    if let Some(short) = n.coefficient.short()
        && short < 1 << 53
        && (-22..=22).contains(&n.exponent)
    {
        // Both are exact, so the quotient or product is rounded once.
        let power = 10f64.powi(n.exponent.unsigned_abs() as i32);
        let size = short as f64;
        return Ok(signed(if n.exponent < 0 {
            size / power
        } else {
            size * power
        }));
    }
    let adjusted = n.adjusted();
    if n.is_zero() || adjusted < -400 {
        return Ok(signed(0.0));
    }
    if adjusted > 400 {
        return Ok(signed(f64::INFINITY));
    }
    let text = format!("{}e{}", n.coefficient.text(), n.exponent);
    Ok(signed(text.parse().unwrap_or(f64::NAN)))
}

/// The float exactly.
pub(super) fn of_float(f: f64) -> Number {
    let negative = f.is_sign_negative();
    if f.is_nan() {
        return Number::nan().with_sign(negative);
    }
    if f.is_infinite() {
        return Number::infinity(negative);
    }
    if f == 0.0 {
        return Number::zero(negative, 0);
    }
    let bits = f.to_bits();
    let stored = (bits >> 52 & 0x7FF) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if stored == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, stored - 1075)
    };
    let zeros = i64::from(mantissa.trailing_zeros());
    let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros);
    let mantissa = BigUint::from(mantissa);
    // A power of two below one is a power of five, moved.
    let (size, places) = if exponent >= 0 {
        (mantissa << exponent, 0)
    } else {
        let places = exponent.unsigned_abs();
        (mantissa * BigUint::from(5u32).pow(places as u32), places)
    };
    Number::finite(negative, size.into(), -(places as i64))
}

/// `(numerator, denominator)` in lowest terms.
pub(super) fn ratio(vm: &mut Vm, n: &Number) -> R {
    match n.kind {
        Kind::Quiet | Kind::Signaling => {
            return Err(vm.value_error("cannot convert NaN to integer ratio"));
        }
        Kind::Infinite => {
            return Err(vm.overflow_error("cannot convert Infinity to integer ratio"));
        }
        Kind::Finite => {}
    }
    match n.ratio() {
        Some((numerator, denominator)) => Ok(Tuple::value(vec![
            int_value(n.negative, &numerator),
            int_value(false, &denominator),
        ])),
        None => Err(vm.memory_error()),
    }
}
