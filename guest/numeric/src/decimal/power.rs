//! Powers with integers, and the square root.

use super::coefficient::{Coefficient, power_modulo, short_digits, square_root};
use super::number::{Context, Number, Rounding, Status};
use std::cmp::Ordering;

/// What [`Context::power`] found.
pub enum Power {
    /// The result.
    Done(Number),
    /// It has to be computed as `exp(b * ln(a))`.
    Real,
}

impl Context {
    /// `a ** b`, unless that takes logarithms.
    pub fn power(&self, a: &Number, b: &Number, status: &mut Status) -> Power {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return Power::Done(nan);
        }
        let integral = b.is_integral();
        let negative = integral && a.negative && b.is_odd();
        Power::Done(if a.is_zero() {
            if b.is_zero() {
                self.invalid(Status::INVALID_OPERATION, status)
            } else if b.negative {
                Number::infinity(negative)
            } else {
                Number::zero(negative, 0)
            }
        } else if a.negative && !integral {
            self.invalid(Status::INVALID_OPERATION, status)
        } else if b.is_infinite() {
            match a.order_of_magnitudes(&Number::one()) {
                Ordering::Equal => {
                    status.raise(Status::INEXACT | Status::ROUNDED);
                    self.one_with_places(false, self.precision - 1, status)
                }
                // What is less than one shrinks.
                order if order.is_lt() != b.negative => Number::zero(negative, 0),
                _ => Number::infinity(negative),
            }
        } else if a.is_infinite() {
            if b.is_zero() {
                Number::finite(negative, Coefficient::ONE, 0)
            } else if b.negative {
                Number::zero(negative, 0)
            } else {
                Number::infinity(negative)
            }
        } else if b.is_zero() {
            Number::finite(negative, Coefficient::ONE, 0)
        } else if a.order_of_magnitudes(&Number::one()) == Ordering::Equal {
            self.power_of_one(a, b, integral, negative, status)
        } else if let Some(result) = self.beyond(a, b, negative, status) {
            result
        } else if integral {
            self.integral_power(a, b, negative, status)
        } else {
            return Power::Real;
        })
    }

    fn one_with_places(&self, negative: bool, places: i64, status: &mut Status) -> Number {
        if !self.fits(places as u64 + 1, status) {
            return Number::nan();
        }
        Number::finite(
            negative,
            Coefficient::ONE.shifted_up(places as u64),
            -places,
        )
    }

    /// One or minus one to a power: it has the places that multiplying would give.
    fn power_of_one(
        &self,
        a: &Number,
        b: &Number,
        integral: bool,
        negative: bool,
        status: &mut Status,
    ) -> Number {
        if !integral {
            status.raise(Status::INEXACT | Status::ROUNDED);
            return self.one_with_places(negative, self.precision - 1, status);
        }
        if b.negative {
            return Number::finite(negative, Coefficient::ONE, 0);
        }
        let most = self.precision - 1;
        let times = match b.to_integer(Rounding::Down) {
            Some((_, n)) => n.short().and_then(|n| i128::try_from(n).ok()),
            None => None,
        };
        let places = -i128::from(a.exponent);
        let places = match times.and_then(|times| places.checked_mul(times)) {
            Some(places) if places <= i128::from(most) => places.max(0) as i64,
            None if places <= 0 => 0,
            _ => {
                status.raise(Status::ROUNDED);
                most
            }
        };
        self.one_with_places(negative, places, status)
    }

    /// The result where it is certain to be too large, or too small: with exponents beyond all limits.
    fn beyond(
        &self,
        a: &Number,
        b: &Number,
        negative: bool,
        status: &mut Status,
    ) -> Option<Number> {
        // The size of log10(a): at least so many powers of ten.
        let top = a.adjusted();
        let one = Number::one();
        let size = if top >= 1 {
            (top as f64).log10().floor() as i64
        } else if top < -1 {
            ((-top - 1) as f64).log10().floor() as i64
        } else {
            // log10(a) is near (a - 1) / ln(10).
            let magnitude = a.with_sign(false);
            let difference = Context {
                precision: 5,
                ..self.widest()
            }
            .subtract(&magnitude, &one, &mut Status::default());
            difference.adjusted() - if top == 0 { 2 } else { 1 }
        };
        let grows = (a.order_of_magnitudes(&one) == Ordering::Greater) != b.negative;
        // The result has an exponent of more digits than the limit has.
        let limit = if grows { self.emax } else { self.etiny() };
        let digits = short_digits(limit.unsigned_abs().into()) as i64;
        if size + b.adjusted() <= digits {
            return None;
        }
        let exponent = if grows {
            super::MAX_EMAX * 2
        } else {
            super::MIN_ETINY * 2
        };
        Some(self.finish(Number::finite(negative, Coefficient::ONE, exponent), status))
    }

    /// Squares and products from the first bit of the exponent on, with as many more digits as the exponent has, and two.
    fn integral_power(
        &self,
        a: &Number,
        b: &Number,
        negative: bool,
        status: &mut Status,
    ) -> Number {
        let Some((_, exponent)) = b.to_integer(Rounding::Down) else {
            status.raise(Status::NO_ROOM);
            return Number::nan();
        };
        let extra = b.adjusted() + 3;
        let context = Context {
            precision: self.precision.saturating_add(extra + i64::from(b.negative)),
            rounding: Rounding::HalfEven,
            clamp: false,
            ..*self
        };
        let inverse;
        let base = if b.negative {
            let mut conditions = Status::default();
            inverse = context.divide(&Number::one(), a, &mut conditions);
            status.raise(conditions.0);
            if conditions.has(Status::NO_ROOM) {
                return Number::nan();
            }
            &inverse
        } else {
            a
        };
        let exponent = exponent.big();
        let mut result = base.clone();
        for bit in (0..exponent.bits() - 1).rev() {
            let mut conditions = Status::default();
            result = context.multiply(&result, &result, &mut conditions);
            if exponent.bit(bit) {
                result = context.multiply(&result, base, &mut conditions);
            }
            status.raise(conditions.0);
            if result.is_special() || result.is_zero() && conditions.has(Status::CLAMPED) {
                break;
            }
        }
        result.negative = negative;
        if result.is_infinite() {
            // The rounding of the context decides what overflows to what.
            result = Number::finite(negative, Coefficient::ONE, super::MAX_EMAX * 2);
        }
        self.finish(result, status)
    }

    /// `a ** b % c` of integers, with the sign of `a ** b`.
    pub fn power_modulo(&self, a: &Number, b: &Number, c: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b, c], status) {
            return nan;
        }
        if !(a.is_integral() && b.is_integral() && c.is_integral())
            || b.negative && !b.is_zero()
            || c.is_zero()
            || c.adjusted() >= self.precision
            || a.is_zero() && b.is_zero()
        {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        let negative = a.negative && b.is_odd();
        let most = |n: &Number| n.exponent.max(0) as u64 + n.coefficient.digits_at_most();
        if most(b) > LONG_EXPONENT || !self.fits(most(c), status) {
            status.raise(Status::NO_ROOM);
            return Number::nan();
        }
        let whole = |n: &Number| n.rescaled(0, Rounding::Down).coefficient;
        let modulus = whole(c);
        // The base may have any exponent: its power of ten is taken in the modulus.
        let base = if a.exponent > 0 {
            let ten = Coefficient::from(10u128);
            let places = Coefficient::from(u128::from(a.exponent.unsigned_abs()));
            let shift = power_modulo(&ten, &places, &modulus);
            a.coefficient.times(&shift).divided(&modulus).1
        } else {
            whole(a).divided(&modulus).1
        };
        let result = power_modulo(&base, &whole(b), &modulus);
        Number::finite(negative, result, 0)
    }

    /// The square root, rounded half to even.
    pub fn sqrt(&self, a: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a], status) {
            return nan;
        }
        let ideal = a.exponent.div_euclid(2);
        if a.is_zero() {
            return self.finish(Number::zero(a.negative, ideal), status);
        }
        if a.negative {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        if a.is_infinite() {
            return a.clone();
        }
        // The root of a number with one digit more than twice the precision has one digit more than the precision.
        let digits = a.coefficient.digits() as i64;
        let odd = a.exponent.rem_euclid(2);
        let wanted = 2 * (self.precision + 1) - digits;
        let mut up = wanted;
        if up.rem_euclid(2) != odd {
            up += 1;
        }
        if !self.fits(digits as u64 + up.unsigned_abs(), status) {
            return Number::nan();
        }
        let exponent = (a.exponent - up) / 2;
        let (value, cut) = if up >= 0 {
            (a.coefficient.shifted_up(up as u64), false)
        } else {
            let (value, rest) = a.coefficient.shifted_down(up.unsigned_abs());
            (value, !rest.is_zero())
        };
        let (root, square) = square_root(&value);
        let context = Context {
            rounding: Rounding::HalfEven,
            ..*self
        };
        if square && !cut {
            let most = (ideal - exponent).max(0) as u64;
            let (root, removed) = root.without_zeros(most);
            let number = Number::finite(false, root, exponent + removed as i64);
            return context.finish(number, status);
        }
        let root = if root.last_digit().is_multiple_of(5) {
            root.plus(&Coefficient::ONE)
        } else {
            root
        };
        context.finish(Number::finite(false, root, exponent), status)
    }
}

/// Exponents of more digits than this would keep the machine busy for too long.
const LONG_EXPONENT: u64 = 20_000;
