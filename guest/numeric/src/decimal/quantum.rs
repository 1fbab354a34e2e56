//! Operations that choose the exponent of their result.

use super::coefficient::{Coefficient, lowest_terms};
use super::number::{Context, Number, Rounding, Status};

impl Context {
    /// `a` with the exponent of `b`.
    pub fn quantize(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        if a.is_special() || b.is_special() {
            if a.is_infinite() && b.is_infinite() {
                return a.clone();
            }
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        self.with_exponent(a, b.exponent, status)
    }

    /// A finite number with another exponent.
    pub fn with_exponent(&self, a: &Number, exponent: i64, status: &mut Status) -> Number {
        if exponent > self.emax || exponent < self.etiny() {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        if a.coefficient.is_zero() {
            return self.finish(Number::zero(a.negative, exponent), status);
        }
        let digits = a.coefficient.digits() as i64;
        if digits + (a.exponent - exponent) > self.precision {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        let mut conditions = Status::default();
        let result = if a.exponent >= exponent {
            let up = (a.exponent - exponent) as u64;
            if !self.fits(digits as u64 + up, status) {
                return Number::nan();
            }
            Number {
                coefficient: a.coefficient.shifted_up(up),
                exponent,
                ..a.clone()
            }
        } else {
            a.at_exponent(exponent, self.rounding, &mut conditions)
        };
        // Rounding may have made one digit more.
        if result.coefficient.digits() as i64 > self.precision || result.adjusted() > self.emax {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        status.raise(conditions.0);
        self.finish(result, status)
    }

    /// The number as an integer. `exact` tells the conditions.
    pub fn to_integral(&self, a: &Number, exact: bool, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a], status) {
            return nan;
        }
        if a.is_special() || a.exponent >= 0 {
            return a.clone();
        }
        let mut conditions = Status::default();
        let result = a.at_exponent(0, self.rounding, &mut conditions);
        if exact {
            status.raise(conditions.0);
        }
        result
    }

    /// The number without trailing zeros.
    pub fn normalize(&self, a: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a], status) {
            return nan;
        }
        let number = self.finish(a.clone(), status);
        if number.is_special() {
            return number;
        }
        if number.coefficient.is_zero() {
            return Number::zero(number.negative, 0);
        }
        let top = if self.clamp { self.etop() } else { self.emax };
        let most = (top - number.exponent).max(0) as u64;
        let (coefficient, removed) = number.coefficient.without_zeros(most);
        Number {
            coefficient,
            exponent: number.exponent + removed as i64,
            ..number
        }
    }

    /// An operand that is an integer with the exponent zero, between these limits.
    fn count(&self, b: &Number, most: i64, status: &mut Status) -> Option<i64> {
        if b.is_finite()
            && b.exponent == 0
            && let Some(n) = b.coefficient.short()
            && n <= most as u128
        {
            let n = n as i64;
            return Some(if b.negative { -n } else { n });
        }
        status.raise(Status::INVALID_OPERATION);
        None
    }

    /// `a` times ten to the power of `b`.
    pub fn scaleb(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let Some(n) = self.count(b, 2 * (self.emax + self.precision), status) else {
            return Number::nan();
        };
        if a.is_infinite() {
            return a.clone();
        }
        let moved = Number {
            exponent: a.exponent + n,
            ..a.clone()
        };
        self.finish(moved, status)
    }

    /// The last digits of a coefficient, as many as the precision.
    fn capped(&self, coefficient: &Coefficient) -> Coefficient {
        if coefficient.digits_at_most() as i64 <= self.precision {
            return coefficient.clone();
        }
        coefficient.shifted_down(self.precision as u64).1
    }

    /// The digits moved to the left by `b`; zeros come in.
    pub fn shift(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let Some(n) = self.count(b, self.precision, status) else {
            return Number::nan();
        };
        if a.is_infinite() {
            return a.clone();
        }
        let digits = self.capped(&a.coefficient);
        let coefficient = if n < 0 {
            digits.shifted_down(n.unsigned_abs()).0
        } else {
            if !self.fits(digits.digits() + n as u64, status) {
                return Number::nan();
            }
            self.capped(&digits.shifted_up(n as u64))
        };
        Number {
            coefficient,
            ..a.clone()
        }
    }

    /// The digits moved to the left by `b`, as many as the precision; those that go out come in again.
    pub fn rotate(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let Some(n) = self.count(b, self.precision, status) else {
            return Number::nan();
        };
        if a.is_infinite() {
            return a.clone();
        }
        let left = if n < 0 { self.precision + n } else { n } as u64;
        let right = self.precision as u64 - left;
        let digits = self.capped(&a.coefficient);
        if !self.fits(digits.digits() + left, status) {
            return Number::nan();
        }
        let (out, rest) = digits.shifted_down(right);
        Number {
            coefficient: rest.shifted_up(left).plus(&out),
            ..a.clone()
        }
    }

    /// `and`, `or`, `xor` of numbers that are rows of zeros and ones.
    pub fn logical(
        &self,
        a: &Number,
        b: &Number,
        f: fn(u8, u8) -> u8,
        status: &mut Status,
    ) -> Number {
        let (Some(x), Some(y)) = (a.bits_of_digits(), b.bits_of_digits()) else {
            return self.invalid(Status::INVALID_OPERATION, status);
        };
        let most = x.len().max(y.len()).min(self.precision as usize);
        let digit = |row: &[u8], place: usize| {
            row.len()
                .checked_sub(place + 1)
                .map_or(0, |at| row[at] - b'0')
        };
        let digits: Vec<u8> = (0..most)
            .rev()
            .map(|place| f(digit(&x, place), digit(&y, place)) + b'0')
            .collect();
        Number::finite(false, Coefficient::from_digits(&digits), 0)
    }

    /// The row of zeros and ones as long as the precision where they are exchanged.
    pub fn logical_invert(&self, a: &Number, status: &mut Status) -> Number {
        let Some(row) = a.bits_of_digits() else {
            return self.invalid(Status::INVALID_OPERATION, status);
        };
        if !self.fits(self.precision as u64, status) {
            return Number::nan();
        }
        let mut digits = vec![b'1'; self.precision as usize];
        for (place, digit) in digits.iter_mut().rev().zip(row.iter().rev()) {
            *place = b'0' + (b'1' - digit);
        }
        Number::finite(false, Coefficient::from_digits(&digits), 0)
    }
}

impl Number {
    /// The digits, if they are zeros and ones only, and nothing else is in the number.
    fn bits_of_digits(&self) -> Option<Vec<u8>> {
        if !self.is_finite() || self.negative || self.exponent != 0 {
            return None;
        }
        let digits = self.coefficient.text().into_bytes();
        digits.iter().all(|&d| d <= b'1').then_some(digits)
    }

    /// Whether both have the same exponent, or are both infinite, or both NaN.
    pub fn same_quantum(&self, other: &Number) -> bool {
        if self.is_special() || other.is_special() {
            return self.is_nan() && other.is_nan() || self.is_infinite() && other.is_infinite();
        }
        self.exponent == other.exponent
    }

    /// The finite number with another exponent, whatever the context: zeros are added, or digits rounded away.
    pub fn rescaled(&self, exponent: i64, rounding: Rounding) -> Number {
        if self.coefficient.is_zero() {
            return Number::zero(self.negative, exponent);
        }
        if self.exponent >= exponent {
            return Number {
                coefficient: self
                    .coefficient
                    .shifted_up((self.exponent - exponent) as u64),
                exponent,
                ..self.clone()
            };
        }
        self.at_exponent(exponent, rounding, &mut Status::default())
    }

    /// The finite number as an integer: sign and magnitude, rounded. `None` when it would have too many digits.
    pub fn to_integer(&self, rounding: Rounding) -> Option<(bool, Coefficient)> {
        if self.exponent > 0
            && !self.coefficient.is_zero()
            && self.exponent as u64 + self.coefficient.digits_at_most() > super::MAX_DIGITS
        {
            return None;
        }
        let whole = self.rescaled(0, rounding);
        Some((whole.negative, whole.coefficient))
    }

    /// Numerator and denominator in lowest terms, of the magnitude of a finite number. `None` when they would be too long.
    pub fn ratio(&self) -> Option<(Coefficient, Coefficient)> {
        if self.coefficient.is_zero() {
            return Some((Coefficient::ZERO, Coefficient::ONE));
        }
        let places = self.exponent.unsigned_abs();
        if self.exponent >= 0 {
            let (_, size) = self.to_integer(Rounding::Down)?;
            return Some((size, Coefficient::ONE));
        }
        let (coefficient, removed) = self.coefficient.without_zeros(places);
        let places = places - removed;
        if places > super::MAX_DIGITS {
            return None;
        }
        let power = Coefficient::ONE.shifted_up(places);
        let (numerator, denominator) =
            lowest_terms(coefficient.big().into_owned(), power.big().into_owned());
        Some((numerator.into(), denominator.into()))
    }
}
