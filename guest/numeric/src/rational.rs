//! Between integers and floats: exact ratios, correctly rounded conversion and division, exact comparison, decimal rounding.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::Int;
use crate::error::{NumericError, NumericResult};
use crate::float_repr::{decompose, push_fixed, round_to_double};

/// `float(value)`: nearest, ties to even.
pub fn to_float(value: &BigInt) -> NumericResult<f64> {
    let magnitude = magnitude_to_float(value.magnitude(), false);
    if magnitude.is_infinite() {
        return Err(NumericError::overflow("int too large to convert to float"));
    }
    Ok(if value.sign() == Sign::Minus {
        -magnitude
    } else {
        magnitude
    })
}

/// The double nearest to an integer plus a bit less than one if `sticky`; infinite if too large.
fn magnitude_to_float(magnitude: &BigUint, sticky: bool) -> f64 {
    let bits = magnitude.bits();
    if bits > 1024 {
        return f64::INFINITY;
    }
    let drop = bits.saturating_sub(64);
    let top = (magnitude >> drop).to_u64().unwrap_or(0);
    let lost = sticky || (drop > 0 && magnitude.trailing_zeros().is_some_and(|zeros| zeros < drop));
    if drop == 0 && sticky {
        // Room for the sticky bit below the integer.
        let room = top.leading_zeros();
        return round_to_double(top << room, true, -(room as i32));
    }
    round_to_double(top, lost, drop as i32)
}

/// A positive integer as a fraction in `[0.5, 1)`, rounded to 53 bits, times a power of two.
pub fn frexp_int(value: &BigInt) -> (f64, u64) {
    let bits = value.bits();
    let drop = bits.saturating_sub(64);
    let top = (value.magnitude() >> drop).to_u64().unwrap_or(0);
    let lost = drop > 0
        && value
            .magnitude()
            .trailing_zeros()
            .is_some_and(|zeros| zeros < drop);
    let fraction = round_to_double(top, lost, -((bits - drop) as i32));
    if fraction == 1.0 {
        (0.5, bits + 1)
    } else {
        (fraction, bits)
    }
}

/// `int(x)`: towards zero, exact.
pub fn from_float(x: f64) -> NumericResult<Int> {
    if x.is_nan() {
        return Err(NumericError::value("cannot convert float NaN to integer"));
    }
    if x.is_infinite() {
        return Err(NumericError::overflow(
            "cannot convert float infinity to integer",
        ));
    }
    Ok(trunc_finite(x))
}

/// `int(x)` for finite `x`.
fn trunc_finite(x: f64) -> Int {
    if x.abs() < 9.2e18 {
        return Int::Small(x as i64);
    }
    let (significand, exponent) = decompose(x);
    let magnitude = BigInt::from(significand) << exponent;
    Int::from(if x < 0.0 { -magnitude } else { magnitude })
}

/// `math.floor(x)`.
pub fn floor(x: f64) -> NumericResult<Int> {
    from_float(x.floor())
}

/// `math.ceil(x)`.
pub fn ceil(x: f64) -> NumericResult<Int> {
    from_float(x.ceil())
}

/// `round(x)`: to the nearest integer, ties to even.
pub fn round_to_int(x: f64) -> NumericResult<Int> {
    from_float(x.round_ties_even())
}

/// `round(x, ndigits)`: the double nearest to the decimal that is nearest to `x`, ties to even.
pub fn round_decimals(x: f64, ndigits: i64) -> NumericResult<f64> {
    // Beyond these every double is already round, or rounds to zero.
    const MOST: i64 = 323;
    const LEAST: i64 = -308;
    if !x.is_finite() || ndigits > MOST || x == 0.0 {
        return Ok(x);
    }
    if ndigits < LEAST {
        return Ok(0.0 * x);
    }
    let magnitude = if ndigits >= 0 {
        let mut text = String::with_capacity(32);
        push_fixed(&mut text, x.abs(), ndigits as usize, Default::default())?;
        text.parse().unwrap_or(f64::NAN)
    } else {
        let whole = BigInt::from(trunc_finite(x.abs()));
        let unit = BigInt::from(10).pow(ndigits.unsigned_abs() as u32);
        let (mut quotient, remainder) = whole.div_rem(&unit);
        let up = match (&remainder << 1u32).cmp(&unit) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => x.fract() != 0.0 || quotient.is_odd(),
        };
        if up {
            quotient += 1;
        }
        magnitude_to_float((quotient * unit).magnitude(), false)
    };
    if magnitude.is_infinite() {
        return Err(NumericError::overflow(
            "rounded value too large to represent",
        ));
    }
    Ok(magnitude.copysign(x))
}

/// `round(value, ndigits)` for an integer: to a multiple of `10**-ndigits`, ties to even; unchanged unless `ndigits` is negative.
///
/// The work is bounded by the size of `value`: beyond its digits the answer is zero.
pub fn round_int(value: &BigInt, ndigits: &BigInt) -> BigInt {
    if !ndigits.is_negative() {
        return value.clone();
    }
    let places = ndigits.magnitude().to_u64().unwrap_or(u64::MAX);
    if places > crate::int_text::decimal_digits_at_least(value.bits()) + 2 {
        return BigInt::zero();
    }
    let unit = BigInt::from(10).pow(places as u32);
    let (quotient, remainder) = value.div_mod_floor(&unit);
    let up = match (&remainder << 1u32).cmp(&unit) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => quotient.is_odd(),
    };
    (if up { quotient + 1 } else { quotient }) * unit
}

/// `x.as_integer_ratio()`.
pub fn as_integer_ratio(x: f64) -> NumericResult<(BigInt, BigInt)> {
    if x.is_nan() {
        return Err(NumericError::value("cannot convert NaN to integer ratio"));
    }
    if x.is_infinite() {
        return Err(NumericError::overflow(
            "cannot convert Infinity to integer ratio",
        ));
    }
    let (significand, exponent) = decompose(x);
    if significand == 0 {
        return Ok((BigInt::zero(), BigInt::one()));
    }
    let zeros = significand.trailing_zeros();
    let odd = BigInt::from(significand >> zeros);
    let exponent = exponent + zeros as i32;
    let (numerator, denominator) = if exponent >= 0 {
        (odd << exponent, BigInt::one())
    } else {
        (odd, BigInt::one() << -exponent)
    };
    Ok((if x < 0.0 { -numerator } else { numerator }, denominator))
}

/// `left / right`, correctly rounded.
pub fn true_divide(left: &BigInt, right: &BigInt) -> NumericResult<f64> {
    if right.is_zero() {
        return Err(NumericError::zero_division("division by zero"));
    }
    if left.is_zero() {
        return Ok(if right.is_negative() { -0.0 } else { 0.0 });
    }
    let too_large = || NumericError::overflow("integer division result too large for a float");
    let (a, b) = (left.magnitude(), right.magnitude());
    // A quotient of 64 or 65 bits, and a sticky bit, are enough for any rounding; one in subnormal range needs no more either.
    let shift = a.bits() as i64 - b.bits() as i64 - 64;
    if shift > 1024 {
        return Err(too_large());
    }
    let negative = left.is_negative() != right.is_negative();
    let magnitude = if shift < -1200 {
        0.0
    } else {
        let (quotient, remainder) = if shift >= 0 {
            a.div_rem(&(b << shift as u64))
        } else {
            (a << shift.unsigned_abs()).div_rem(b)
        };
        let extra = quotient.bits().saturating_sub(64);
        let sticky =
            !remainder.is_zero() || quotient.trailing_zeros().is_some_and(|zeros| zeros < extra);
        let top = (quotient >> extra).to_u64().unwrap_or(0);
        round_to_double(top, sticky, shift as i32 + extra as i32)
    };
    if magnitude.is_infinite() {
        return Err(too_large());
    }
    Ok(if negative { -magnitude } else { magnitude })
}

/// `left / right` for small integers, correctly rounded.
pub fn true_divide_i64(left: i64, right: i64) -> NumericResult<f64> {
    const EXACT: u64 = 1 << 53;
    if right == 0 {
        return Err(NumericError::zero_division("division by zero"));
    }
    if left.unsigned_abs() <= EXACT && right.unsigned_abs() <= EXACT {
        // Both exact as doubles: one correctly rounded division. (`0 / -1` is `-0.0` in Python too.)
        return Ok(left as f64 / right as f64);
    }
    true_divide(&left.into(), &right.into())
}

/// Compares a float with an integer exactly; `None` for NaN.
pub fn compare_float_int(x: f64, value: &BigInt) -> Option<Ordering> {
    if x.is_nan() {
        return None;
    }
    if x.is_infinite() || value.bits() > 1024 {
        let by_float = if x.is_infinite() {
            x > 0.0
        } else {
            value.is_negative()
        };
        return Some(if by_float {
            Ordering::Greater
        } else {
            Ordering::Less
        });
    }
    let whole = BigInt::from(trunc_finite(x));
    Some(whole.cmp(value).then_with(|| fraction_order(x)))
}

/// Compares a float with a small integer exactly; `None` for NaN.
pub fn compare_float_i64(x: f64, value: i64) -> Option<Ordering> {
    const EXACT: u64 = 1 << 53;
    if value.unsigned_abs() <= EXACT || x.is_nan() {
        return x.partial_cmp(&(value as f64));
    }
    // From here on |value| > 2**53: an `x` outside i64 decides by its sign.
    if x >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    if x < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    Some((x as i64).cmp(&value).then_with(|| fraction_order(x)))
}

/// The order of `x` and its integral part.
fn fraction_order(x: f64) -> Ordering {
    x.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}
