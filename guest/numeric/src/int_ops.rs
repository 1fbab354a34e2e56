//! Integer arithmetic with Python's signs: floor division, powers and modular inverses, shifts, roots, common divisors, bits and bytes.
//!
//! `+ - *`, comparison and `& | ^ !` (two's complement) are [`BigInt`]'s own operators and already Python's. Results that could be enormous
//! (`pow`, `shl`) are not limited here: ask [`crate::size`] first.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::Int;
use crate::error::{NumericError, NumericResult};
use crate::lehmer;

/// `left // right` for small integers; `None` if the result does not fit. `right` must not be 0.
pub fn floor_div_i64(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    // `right` is neither 0, nor -1 with the smallest integer: the remainder cannot overflow.
    Some(if left % right != 0 && (left < 0) != (right < 0) {
        quotient - 1
    } else {
        quotient
    })
}

/// `left % right` for small integers: the sign of `right`. `right` must not be 0 (the answer would be 0).
pub fn modulo_i64(left: i64, right: i64) -> i64 {
    let remainder = left.checked_rem(right).unwrap_or(0);
    if remainder != 0 && (remainder < 0) != (right < 0) {
        remainder + right
    } else {
        remainder
    }
}

/// The bits of a number from a place on, as far as there are less than 128 of them.
fn bits_from(n: &BigUint, place: u64) -> u128 {
    let (skip, shift) = ((place / 64) as usize, place % 64);
    let digits = n.iter_u64_digits();
    let count = digits.len().saturating_sub(skip);
    let mut parts = [0u64; 3];
    for (i, digit) in digits.rev().take(count).enumerate() {
        if let Some(part) = parts.get_mut(count - 1 - i) {
            *part = digit;
        }
    }
    let low = u128::from(parts[0]) | u128::from(parts[1]) << 64;
    if shift == 0 {
        low
    } else {
        low >> shift | u128::from(parts[2]) << (128 - shift)
    }
}

/// The quotient of two large numbers of nearly the same size, when their highest bits settle it: it lies between the quotients that the bits
/// below give at the least and at the most.
fn settled_quotient(left: &BigUint, right: &BigUint) -> Option<u64> {
    const KEPT: u64 = 64;
    let (above, below) = (left.bits(), right.bits());
    if below < 4 * KEPT || above < below || above - below > 60 {
        return None;
    }
    let place = below - KEPT;
    let (a, b) = (bits_from(left, place), bits_from(right, place));
    let (least, most) = (a / (b + 1), (a + 1) / b);
    (least == most).then_some(least as u64)
}

/// `left // right`.
pub fn floor_div(left: &BigInt, right: &BigInt) -> NumericResult<BigInt> {
    if right.is_zero() {
        return Err(NumericError::zero_division("division by zero"));
    }
    if left.sign() == right.sign()
        && let Some(quotient) = settled_quotient(left.magnitude(), right.magnitude())
    {
        return Ok(quotient.into());
    }
    Ok(left.div_floor(right))
}

/// `left % right`: the sign of `right`.
pub fn modulo(left: &BigInt, right: &BigInt) -> NumericResult<BigInt> {
    if right.is_zero() {
        return Err(NumericError::zero_division("division by zero"));
    }
    if left.sign() == right.sign()
        && let Some(quotient) = settled_quotient(left.magnitude(), right.magnitude())
    {
        return Ok(left - right * quotient);
    }
    Ok(left.mod_floor(right))
}

/// `divmod(left, right)`.
pub fn divmod(left: &BigInt, right: &BigInt) -> NumericResult<(BigInt, BigInt)> {
    if right.is_zero() {
        return Err(NumericError::zero_division("division by zero"));
    }
    if left.sign() == right.sign()
        && let Some(quotient) = settled_quotient(left.magnitude(), right.magnitude())
    {
        return Ok((quotient.into(), left - right * quotient));
    }
    Ok(left.div_mod_floor(right))
}

/// `base ** exponent` for a non-negative exponent.
pub fn pow(base: &BigInt, exponent: u64) -> BigInt {
    if base.magnitude().is_one() {
        return if base.is_positive() || exponent.is_even() {
            BigInt::one()
        } else {
            -BigInt::one()
        };
    }
    // Powers of two, and the power of two in any base, are shifts.
    let zeros = base.trailing_zeros().unwrap_or(0);
    if zeros > 0 && exponent > 1 {
        let odd = pow(&(base >> zeros), exponent);
        return odd << zeros.saturating_mul(exponent);
    }
    num_traits::Pow::pow(base, exponent)
}

/// `base ** exponent` for a small base.
pub fn pow_i64(base: i64, exponent: u64) -> Int {
    if let Ok(small) = u32::try_from(exponent)
        && let Some(value) = base.checked_pow(small)
    {
        return Int::Small(value);
    }
    Int::from(pow(&base.into(), exponent))
}

/// `pow(base, exponent, modulus)`: the sign of `modulus`; a negative exponent asks for the inverse.
pub fn mod_pow(base: &BigInt, exponent: &BigInt, modulus: &BigInt) -> NumericResult<BigInt> {
    if modulus.is_zero() {
        return Err(NumericError::value("pow() 3rd argument cannot be 0"));
    }
    let size = BigInt::from(modulus.magnitude().clone());
    if size.is_one() {
        return Ok(BigInt::zero());
    }
    let base = base.mod_floor(&size);
    let base = if exponent.is_negative() {
        lehmer::inverse(base.magnitude(), size.magnitude())
            .ok_or_else(|| NumericError::value("base is not invertible for the given modulus"))?
            .into()
    } else {
        base
    };
    let power = if exponent.magnitude().is_one() {
        base
    } else {
        base.modpow(&exponent.abs(), &size)
    };
    Ok(if modulus.is_negative() && !power.is_zero() {
        power - size
    } else {
        power
    })
}

/// `pow(base, exponent, modulus)` for small integers.
pub fn mod_pow_i64(base: i64, exponent: i64, modulus: i64) -> NumericResult<i64> {
    if exponent < 0 || modulus == 0 || modulus == i64::MIN {
        let wide = mod_pow(&base.into(), &exponent.into(), &modulus.into())?;
        // Smaller than the modulus, thus it fits.
        return Ok(wide.to_i64().unwrap_or(0));
    }
    let size = u128::from(modulus.unsigned_abs());
    let mut square = i128::from(base).rem_euclid(size as i128) as u128;
    let mut power = 1 % size;
    let mut left = exponent as u64;
    while left > 0 {
        if left & 1 == 1 {
            power = power * square % size;
        }
        square = square * square % size;
        left >>= 1;
    }
    let power = power as i64;
    Ok(if modulus < 0 && power != 0 {
        power + modulus
    } else {
        power
    })
}

/// `value << count`.
pub fn shl(value: &BigInt, count: u64) -> BigInt {
    if value.is_zero() {
        BigInt::zero()
    } else {
        value << count
    }
}

/// `value << count` for a small integer.
pub fn shl_i64(value: i64, count: u64) -> Int {
    if value == 0 {
        return Int::Small(0);
    }
    if count < 63 {
        let shifted = value << count;
        if shifted >> count == value {
            return Int::Small(shifted);
        }
    }
    Int::from(shl(&value.into(), count))
}

/// `value >> count`, rounding down.
pub fn shr(value: &BigInt, count: u64) -> BigInt {
    if count >= value.bits() {
        return if value.is_negative() {
            -BigInt::one()
        } else {
            BigInt::zero()
        };
    }
    value >> count
}

/// `value >> count` for a small integer.
pub fn shr_i64(value: i64, count: u64) -> i64 {
    value >> count.min(63)
}

/// A shift count as a machine word; a count too large for one is `None` (then `>>` leaves 0 or -1, and `<<` is a `MemoryError`, except for 0).
pub fn shift_count(count: &BigInt) -> NumericResult<Option<u64>> {
    if count.is_negative() {
        return Err(NumericError::value("negative shift count"));
    }
    Ok(count.to_u64())
}

/// `value.bit_length()`.
pub fn bit_length(value: &BigInt) -> u64 {
    value.bits()
}

/// `value.bit_count()`: the ones of the magnitude.
pub fn bit_count(value: &BigInt) -> u64 {
    value
        .iter_u64_digits()
        .map(|word| u64::from(word.count_ones()))
        .sum()
}

/// `math.isqrt(value)`.
pub fn isqrt(value: &BigInt) -> NumericResult<BigInt> {
    if value.is_negative() {
        return Err(NumericError::value("isqrt() argument must be nonnegative"));
    }
    Ok(value.sqrt())
}

/// `math.gcd` of two; never negative.
pub fn gcd(left: &BigInt, right: &BigInt) -> BigInt {
    lehmer::gcd(left.magnitude(), right.magnitude()).into()
}

/// `math.gcd` of two small integers. (`gcd(-2**63, 0)` does not fit `i64`.)
pub fn gcd_i64(left: i64, right: i64) -> u64 {
    left.unsigned_abs().gcd(&right.unsigned_abs())
}

/// `math.lcm` of two; never negative.
pub fn lcm(left: &BigInt, right: &BigInt) -> BigInt {
    if left.is_zero() || right.is_zero() {
        BigInt::zero()
    } else {
        let (a, b) = (left.magnitude(), right.magnitude());
        let (large, small) = if a < b { (b, a) } else { (a, b) };
        (large * (small / lehmer::gcd(large, small))).into()
    }
}

/// The order of bytes in a number's text of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// The least significant byte first.
    Little,
    /// The most significant byte first.
    Big,
}

/// `value.to_bytes(length, order, signed=...)`. The caller limits `length`.
pub fn to_bytes(
    value: &BigInt,
    length: usize,
    order: ByteOrder,
    signed: bool,
) -> NumericResult<Vec<u8>> {
    let negative = value.is_negative();
    if negative && !signed {
        return Err(NumericError::overflow(
            "can't convert negative int to unsigned",
        ));
    }
    // Two's complement has the bits of `!value` for negative numbers, and one for the sign.
    let bits = if negative {
        (value + 1i32).bits()
    } else {
        value.bits()
    };
    // (CPython writes both 0 and -1 into no bytes at all.)
    let needed = if bits == 0 && length == 0 {
        0
    } else {
        bits + u64::from(signed)
    };
    if needed > (length as u64).saturating_mul(8) {
        return Err(NumericError::overflow("int too big to convert"));
    }
    let mut bytes = if length == 0 {
        Vec::new()
    } else {
        value.to_signed_bytes_le()
    };
    bytes.resize(length, if negative { 0xff } else { 0 });
    if order == ByteOrder::Big {
        bytes.reverse();
    }
    Ok(bytes)
}

/// `int.from_bytes(bytes, order, signed=...)`.
pub fn from_bytes(bytes: &[u8], order: ByteOrder, signed: bool) -> BigInt {
    match (order, signed) {
        (ByteOrder::Little, false) => BigInt::from_bytes_le(Sign::Plus, bytes),
        (ByteOrder::Big, false) => BigInt::from_bytes_be(Sign::Plus, bytes),
        (ByteOrder::Little, true) => BigInt::from_signed_bytes_le(bytes),
        (ByteOrder::Big, true) => BigInt::from_signed_bytes_be(bytes),
    }
}

#[cfg(test)]
mod settled {
    use super::*;

    #[test]
    fn quotients_of_like_sizes_are_those_of_long_division() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed
        };
        let mut settled = 0;
        for round in 0..400u64 {
            let words: Vec<u32> = (0..20 + round % 7).map(|_| (next() >> 32) as u32).collect();
            let right = BigUint::new(words) | BigUint::from(1u32) << (500 + round % 64);
            let factor = next() >> (4 + round % 60);
            let spare = &right >> (round % 90);
            for left in [
                &right * factor + &spare,
                &right * factor,
                (&right * (factor + 1)) - 1u32,
            ] {
                let (quotient, remainder) = left.div_rem(&right);
                if let Some(found) = settled_quotient(&left, &right) {
                    settled += 1;
                    assert_eq!(BigUint::from(found), quotient);
                }
                let (l, r) = (BigInt::from(left.clone()), BigInt::from(right.clone()));
                assert_eq!(
                    divmod(&l, &r),
                    Ok((quotient.clone().into(), remainder.clone().into()))
                );
                assert_eq!(modulo(&-&l, &-&r), Ok(-BigInt::from(remainder)));
                assert_eq!(floor_div(&l, &-&r), Ok(l.div_floor(&-&r)));
            }
        }
        assert!(settled > 50);
    }
}
