//! Neighbours of a number, and what it looks like in a context.

use super::coefficient::Coefficient;
use super::number::{Context, Kind, Number, Rounding, Status};
use std::cmp::Ordering;

impl Context {
    /// The next number in one direction.
    fn neighbour(&self, a: &Number, up: bool, status: &mut Status) -> Number {
        if a.is_infinite() {
            if a.negative != up {
                return a.clone();
            }
            if !self.fits(self.precision as u64, status) {
                return Number::nan();
            }
            return self.largest(a.negative);
        }
        let context = Context {
            rounding: if up {
                Rounding::Ceiling
            } else {
                Rounding::Floor
            },
            ..*self
        };
        let mut ignored = Status::default();
        let rounded = context.finish(a.clone(), &mut ignored);
        let result = if rounded.is_finite() && rounded.order(a) == Ordering::Equal {
            let step = Number::finite(!up, Coefficient::ONE, self.etiny() - 1);
            context.add(a, &step, &mut ignored)
        } else {
            rounded
        };
        status.raise(ignored.0 & Status::NO_ROOM);
        result
    }

    /// The largest number that is smaller.
    pub fn next_minus(&self, a: &Number, status: &mut Status) -> Number {
        match self.nan_of(&[a], status) {
            Some(nan) => nan,
            None => self.neighbour(a, false, status),
        }
    }

    /// The smallest number that is larger.
    pub fn next_plus(&self, a: &Number, status: &mut Status) -> Number {
        match self.nan_of(&[a], status) {
            Some(nan) => nan,
            None => self.neighbour(a, true, status),
        }
    }

    /// The next number in the direction of `b`.
    pub fn next_toward(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let result = match a.order(b) {
            Ordering::Equal => return a.with_sign(b.negative),
            Ordering::Less => self.neighbour(a, true, status),
            Ordering::Greater => self.neighbour(a, false, status),
        };
        if result.is_infinite() {
            status.raise(Status::OVERFLOW | Status::INEXACT | Status::ROUNDED);
        } else if result.is_finite() && result.adjusted() < self.emin {
            status.raise(Status::UNDERFLOW | Status::SUBNORMAL | Status::INEXACT | Status::ROUNDED);
            if result.coefficient.is_zero() {
                status.raise(Status::CLAMPED);
            }
        }
        result
    }

    /// The exponent of the first digit.
    pub fn logb(&self, a: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a], status) {
            return nan;
        }
        if a.is_infinite() {
            return Number::infinity(false);
        }
        if a.is_zero() {
            status.raise(Status::DIVISION_BY_ZERO);
            return Number::infinity(true);
        }
        let adjusted = a.adjusted();
        let size = u128::from(adjusted.unsigned_abs());
        self.finish(Number::finite(adjusted < 0, size.into(), 0), status)
    }

    /// Whether the number is finite, not zero, and at least as large as normal numbers are.
    pub fn is_normal(&self, a: &Number) -> bool {
        a.is_finite() && !a.is_zero() && a.adjusted() >= self.emin
    }

    /// Whether the number is finite, not zero, and smaller than normal numbers are.
    pub fn is_subnormal(&self, a: &Number) -> bool {
        a.is_finite() && !a.is_zero() && a.adjusted() < self.emin
    }

    /// The name of the number's class.
    pub fn class_name(&self, a: &Number) -> &'static str {
        let names = match a.kind {
            Kind::Quiet => return "NaN",
            Kind::Signaling => return "sNaN",
            Kind::Infinite => ["+Infinity", "-Infinity"],
            Kind::Finite if a.is_zero() => ["+Zero", "-Zero"],
            Kind::Finite if self.is_subnormal(a) => ["+Subnormal", "-Subnormal"],
            Kind::Finite => ["+Normal", "-Normal"],
        };
        names[usize::from(a.negative)]
    }
}
