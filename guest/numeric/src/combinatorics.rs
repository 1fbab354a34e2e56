//! `math.factorial`, `math.comb`, `math.perm`.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::error::{NumericError, NumericResult};

/// `math.factorial(n)`.
pub fn factorial(n: &BigInt) -> NumericResult<BigInt> {
    if n.is_negative() {
        return Err(NumericError::value(
            "factorial() not defined for negative values",
        ));
    }
    let n = n.to_i64().ok_or_else(|| {
        NumericError::overflow("factorial() argument should not exceed 9223372036854775807")
    })?;
    Ok(product(1, n as u64).into())
}

/// `math.perm(n, k)`; without `k` it is `factorial(n)`.
pub fn perm(n: &BigInt, k: &BigInt) -> NumericResult<BigInt> {
    check(n, k)?;
    if k > n {
        return Ok(BigInt::zero());
    }
    let k = k
        .to_u64()
        .ok_or_else(|| NumericError::overflow("k must not exceed 9223372036854775807"))?;
    Ok(falling(n, k))
}

/// `math.comb(n, k)`.
pub fn comb(n: &BigInt, k: &BigInt) -> NumericResult<BigInt> {
    check(n, k)?;
    if k > n {
        return Ok(BigInt::zero());
    }
    let other = n - k;
    let k = if &other < k { &other } else { k };
    let k = k.to_u64().ok_or_else(|| {
        NumericError::overflow("min(n - k, k) must not exceed 9223372036854775807")
    })?;
    if let Some(small) = n.to_u64().and_then(|n| comb_u64(n, k)) {
        return Ok(small.into());
    }
    Ok(falling(n, k) / BigInt::from(product(1, k)))
}

fn check(n: &BigInt, k: &BigInt) -> NumericResult<()> {
    if n.is_negative() {
        return Err(NumericError::value("n must be a non-negative integer"));
    }
    if k.is_negative() {
        return Err(NumericError::value("k must be a non-negative integer"));
    }
    Ok(())
}

/// `comb(n, k)` by one multiplication and one exact division per step, while all steps fit.
fn comb_u64(n: u64, k: u64) -> Option<u64> {
    let mut result = 1u64;
    for i in 0..k {
        result = u64::try_from(u128::from(result) * u128::from(n - i) / u128::from(i + 1)).ok()?;
    }
    Some(result)
}

/// `n * (n-1) * ... * (n-k+1)`.
fn falling(n: &BigInt, k: u64) -> BigInt {
    if k == 0 {
        return BigInt::one();
    }
    match n.to_u64() {
        Some(n) => product(n - k + 1, n).into(),
        None => falling_big(n, k),
    }
}

fn falling_big(n: &BigInt, k: u64) -> BigInt {
    if k == 1 {
        return n.clone();
    }
    let half = k / 2;
    falling_big(n, half) * falling_big(&(n - half), k - half)
}

/// The product of all integers from `first` to `last`; halves are multiplied so that both factors are of similar size.
fn product(first: u64, last: u64) -> BigUint {
    if first > last {
        return BigUint::one();
    }
    if last - first < 16 {
        let mut result = BigUint::one();
        let mut word = 1u64;
        for factor in first..=last {
            match word.checked_mul(factor) {
                Some(more) => word = more,
                None => {
                    result *= word;
                    word = factor;
                }
            }
        }
        return result * word;
    }
    let middle = first + (last - first) / 2;
    product(first, middle) * product(middle + 1, last)
}
