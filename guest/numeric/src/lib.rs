//! Python's numbers as pure algorithms: texts, arithmetic, formatting, hashes and random numbers, equal to the last digit to CPython's.
//!
//! Nothing here knows the interpreter. A caller hands in `i64`, [`BigInt`], `f64` or text and gets a value or a [`NumericError`], whose kind names
//! the Python exception and whose text is the exception's message. Where a result could be too large to hold, the caller asks for an estimate first
//! ([`size`]) and decides.

pub mod cmath;
pub mod combinatorics;
pub mod complex_ops;
pub mod complex_repr;
pub mod decimal;
pub mod elementary;
pub mod error;
pub mod float_ops;
pub mod float_repr;
pub mod format_spec;
pub mod format_value;
pub mod hash;
pub mod int_ops;
pub mod int_text;
mod lehmer;
pub mod math;
pub mod mersenne;
pub mod percent_format;
pub mod rational;
pub mod size;
pub mod sums;
mod unicode;

pub use error::{NumericError, NumericResult};
pub use num_bigint::{BigInt, BigUint, Sign};

/// An integer as small as it can be: what operations return whose result may or may not fit a machine word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Int {
    /// Fits `i64`.
    Small(i64),
    /// Does not fit `i64`.
    Big(BigInt),
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Int::Small(value)
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Self {
        match i64::try_from(&value) {
            Ok(small) => Int::Small(small),
            Err(_) => Int::Big(value),
        }
    }
}

impl From<Int> for BigInt {
    fn from(value: Int) -> Self {
        match value {
            Int::Small(small) => small.into(),
            Int::Big(big) => big,
        }
    }
}
