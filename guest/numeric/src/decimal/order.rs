//! Comparison.

use super::coefficient::Coefficient;
use super::number::{Context, Kind, Number, Status};
use std::cmp::Ordering;

impl Number {
    /// The order of numbers that are not NaN.
    pub fn order(&self, other: &Number) -> Ordering {
        let (zero, other_zero) = (self.is_zero(), other.is_zero());
        match (zero, other_zero) {
            (true, true) => return Ordering::Equal,
            (true, false) => {
                return if other.negative {
                    Ordering::Greater
                } else {
                    Ordering::Less
                };
            }
            (false, true) => {
                return if self.negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                };
            }
            _ => {}
        }
        if self.negative != other.negative {
            return other.negative.cmp(&self.negative);
        }
        let magnitudes = self.order_of_magnitudes(other);
        if self.negative {
            magnitudes.reverse()
        } else {
            magnitudes
        }
    }

    /// The order of the magnitudes of numbers that are not NaN.
    pub fn order_of_magnitudes(&self, other: &Number) -> Ordering {
        match (self.is_infinite(), other.is_infinite()) {
            (false, false) => {}
            (a, b) => return a.cmp(&b),
        }
        let (a, b) = (&self.coefficient, &other.coefficient);
        if self.exponent == other.exponent {
            return a.cmp(b);
        }
        match (a.is_zero(), b.is_zero()) {
            (false, false) => {}
            (a, b) => return b.cmp(&a),
        }
        match self.adjusted().cmp(&other.adjusted()) {
            Ordering::Equal => {}
            apart => return apart,
        }
        // With the first digits at the same place the exponents are as far apart as the lengths.
        if self.exponent > other.exponent {
            a.shifted_up((self.exponent - other.exponent) as u64).cmp(b)
        } else {
            a.cmp(&b.shifted_up((other.exponent - self.exponent) as u64))
        }
    }
}

/// The total order of all representations.
pub fn total_order(a: &Number, b: &Number) -> Ordering {
    if a.negative != b.negative {
        return b.negative.cmp(&a.negative);
    }
    let rank = |n: &Number| match n.kind {
        Kind::Finite | Kind::Infinite => 0,
        Kind::Signaling => 1,
        Kind::Quiet => 2,
    };
    let magnitudes = match rank(a).cmp(&rank(b)) {
        Ordering::Equal if a.is_nan() => a.coefficient.cmp(&b.coefficient),
        Ordering::Equal => a
            .order_of_magnitudes(b)
            .then(if a.is_finite() && b.is_finite() {
                a.exponent.cmp(&b.exponent)
            } else {
                Ordering::Equal
            }),
        apart => apart,
    };
    if a.negative {
        magnitudes.reverse()
    } else {
        magnitudes
    }
}

/// -1, 0 or 1.
pub(super) fn sign_of(order: Ordering) -> Number {
    match order {
        Ordering::Less => Number::finite(true, Coefficient::ONE, 0),
        Ordering::Equal => Number::zero(false, 0),
        Ordering::Greater => Number::one(),
    }
}

impl Context {
    /// -1, 0, 1, or a NaN.
    pub fn compare(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        sign_of(a.order(b))
    }

    /// As [`Context::compare`], but any NaN is invalid.
    pub fn compare_signal(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            status.raise(Status::INVALID_OPERATION);
            return nan;
        }
        sign_of(a.order(b))
    }

    /// -1, 0 or 1, of all representations.
    pub fn compare_total(&self, a: &Number, b: &Number) -> Number {
        sign_of(total_order(a, b))
    }

    /// As [`Context::compare_total`], without signs.
    pub fn compare_total_mag(&self, a: &Number, b: &Number) -> Number {
        sign_of(total_order(&a.with_sign(false), &b.with_sign(false)))
    }

    /// The larger number (or the smaller one), or of their magnitudes; a quiet NaN is no number.
    pub fn extreme(
        &self,
        a: &Number,
        b: &Number,
        larger: bool,
        magnitudes: bool,
        status: &mut Status,
    ) -> Number {
        if a.kind == Kind::Quiet && !b.is_nan() {
            return self.finish(b.clone(), status);
        }
        if b.kind == Kind::Quiet && !a.is_nan() {
            return self.finish(a.clone(), status);
        }
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let order = if magnitudes {
            a.order_of_magnitudes(b)
        } else {
            a.order(b)
        };
        let order = order.then_with(|| total_order(a, b));
        let first = if larger { order.is_ge() } else { order.is_lt() };
        self.finish(if first { a.clone() } else { b.clone() }, status)
    }
}
