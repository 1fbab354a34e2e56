//! How large a result would be, before it is computed: what a caller asks to refuse `10**10**8` or `1 << 10**12` in time.
//!
//! All answers are upper bounds in bits, saturating at `u64::MAX`.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bits of `base ** exponent` for a non-negative exponent.
pub fn pow_bits(base: &BigInt, exponent: &BigInt) -> u64 {
    if base.is_zero() || exponent.is_zero() || base.magnitude().is_one() {
        return 1;
    }
    let bits = base.bits();
    let power_of_two = base.trailing_zeros() == Some(bits - 1);
    let Some(exponent) = exponent.abs().to_u64() else {
        return u64::MAX;
    };
    if power_of_two {
        (bits - 1).saturating_mul(exponent).saturating_add(1)
    } else {
        bits.saturating_mul(exponent)
    }
}

/// Bits of `value << count`.
pub fn shl_bits(value_bits: u64, count: u64) -> u64 {
    if value_bits == 0 {
        0
    } else {
        value_bits.saturating_add(count)
    }
}

/// Bits of the product of numbers with so many bits.
pub fn mul_bits(left_bits: u64, right_bits: u64) -> u64 {
    if left_bits == 0 || right_bits == 0 {
        0
    } else {
        left_bits.saturating_add(right_bits)
    }
}

/// Bits of `n!`, from Stirling's formula.
pub fn factorial_bits(n: u64) -> u64 {
    if n < 2 {
        return 1;
    }
    let n = n as f64;
    let bits = n * (n / std::f64::consts::E).log2() + (n * std::f64::consts::TAU).log2() / 2.0;
    (bits as u64).saturating_add(2)
}

/// Bits of `perm(n, k)`; also a bound for `comb(n, k)`.
pub fn perm_bits(n_bits: u64, k: u64) -> u64 {
    n_bits.saturating_mul(k).max(1)
}
