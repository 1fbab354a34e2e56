//! Float arithmetic with Python's signs and exceptions: floor division, modulo, power.

use crate::elementary;
use crate::error::{NumericError, NumericResult};

fn division_by_zero() -> NumericError {
    NumericError::zero_division("division by zero")
}

/// `left / right`
pub fn true_divide(left: f64, right: f64) -> NumericResult<f64> {
    if right == 0.0 {
        Err(division_by_zero())
    } else {
        Ok(left / right)
    }
}

/// `divmod(left, right)`
pub fn divmod(left: f64, right: f64) -> NumericResult<(f64, f64)> {
    if right == 0.0 {
        return Err(division_by_zero());
    }
    let mut remainder = left % right;
    // Close to a whole number, perhaps just beside it.
    let mut quotient = (left - remainder) / right;
    if remainder == 0.0 {
        remainder = 0f64.copysign(right);
    } else if (remainder < 0.0) != (right < 0.0) {
        remainder += right;
        quotient -= 1.0;
    }
    let whole = if quotient == 0.0 {
        0f64.copysign(left / right)
    } else {
        let floor = quotient.floor();
        if quotient - floor > 0.5 {
            floor + 1.0
        } else {
            floor
        }
    };
    Ok((whole, remainder))
}

/// `left // right`
pub fn floor_div(left: f64, right: f64) -> NumericResult<f64> {
    divmod(left, right).map(|(quotient, _)| quotient)
}

/// `left % right`: the sign of `right`.
pub fn modulo(left: f64, right: f64) -> NumericResult<f64> {
    divmod(left, right).map(|(_, remainder)| remainder)
}

/// The text of the `OverflowError` of `**`; its `args` are `(34, 'Numerical result out of range')`.
pub const POWER_OVERFLOW: &str = "(34, 'Numerical result out of range')";

/// `base ** exponent`; `None` if the result is complex (then use [`crate::complex_ops::pow`]).
pub fn pow(base: f64, exponent: f64) -> NumericResult<Option<f64>> {
    if base == 0.0 && exponent < 0.0 && exponent.is_finite() {
        return Err(NumericError::zero_division("zero to a negative power"));
    }
    if base < 0.0 && base.is_finite() && exponent.is_finite() && exponent.floor() != exponent {
        return Ok(None);
    }
    let result = elementary::pow(base, exponent);
    if result.is_infinite() && base.is_finite() && exponent.is_finite() {
        return Err(NumericError::overflow(POWER_OVERFLOW));
    }
    Ok(Some(result))
}
