//! Sums, products, quotients and remainders.

use super::coefficient::{
    Coefficient, POWERS, short_digits, short_divide, wide_divide, wide_product,
};
use super::number::{Context, Kind, Number, Rounding, Status};
use std::cmp::Ordering;

impl Context {
    /// `a + b`
    #[inline]
    pub fn add(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        self.sum(a, b, b.negative, status)
    }

    /// `a - b`
    #[inline]
    pub fn subtract(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        self.sum(a, b, !b.negative, status)
    }

    /// The sum, where the second sign is given apart.
    fn sum(&self, a: &Number, b: &Number, b_negative: bool, status: &mut Status) -> Number {
        if a.is_special() || b.is_special() {
            return self.special_sum(a, b, b_negative, status);
        }
        // The frequent case: both fit into 128 bits when they have the same exponent.
        if let (Some(x), Some(y)) = (a.coefficient.short(), b.coefficient.short()) {
            let (mut x, mut y) = (x, y);
            let exponent = a.exponent.min(b.exponent);
            let fits = if a.exponent == b.exponent {
                true
            } else {
                let (up, long) = if a.exponent > b.exponent {
                    (a.exponent - b.exponent, &mut x)
                } else {
                    (b.exponent - a.exponent, &mut y)
                };
                up < 38 && *long != 0 && {
                    match long.checked_mul(POWERS[up as usize]) {
                        Some(product) => {
                            *long = product;
                            true
                        }
                        None => false,
                    }
                }
            };
            let limit = 1 << 127;
            if fits && x < limit && y < limit && (x != 0 && y != 0 || a.exponent == b.exponent) {
                let (negative, sum) = if a.negative == b_negative {
                    (a.negative, x + y)
                } else {
                    match x.cmp(&y) {
                        Ordering::Greater => (a.negative, x - y),
                        Ordering::Less => (b_negative, y - x),
                        Ordering::Equal => (self.rounding == Rounding::Floor, 0),
                    }
                };
                return self.finish(Number::finite(negative, sum.into(), exponent), status);
            }
        }
        self.long_sum(a, b, b_negative, status)
    }

    fn long_sum(&self, a: &Number, b: &Number, b_negative: bool, status: &mut Status) -> Number {
        let lowest = a.exponent.min(b.exponent);
        let opposite = a.negative != b_negative;
        match (a.coefficient.is_zero(), b.coefficient.is_zero()) {
            (true, true) => {
                let negative =
                    a.negative && b_negative || opposite && self.rounding == Rounding::Floor;
                return self.finish(Number::zero(negative, lowest), status);
            }
            (true, false) => return self.padded(&b.with_sign(b_negative), lowest, status),
            (false, true) => return self.padded(a, lowest, status),
            _ => {}
        }
        // What lies far below the last digit of the result only decides how it is rounded: any number there does as well.
        let digits = (a.coefficient.digits() as i64, b.coefficient.digits() as i64);
        let a_is_high = a.exponent >= b.exponent;
        let (high, low) = if a_is_high { (a, b) } else { (b, a) };
        let (high_digits, low_digits) = if a_is_high {
            digits
        } else {
            (digits.1, digits.0)
        };
        let floor = high.exponent + (high_digits - self.precision - 2).min(-1);
        let stand_in;
        let mut low_exponent = low.exponent;
        let low_coefficient = if low_digits + low.exponent - 1 < floor {
            stand_in = Coefficient::ONE;
            low_exponent = floor;
            &stand_in
        } else {
            // The same goes for a part of it, unless the first digits may cancel out.
            let top = high.exponent + high_digits - 1;
            let last = (top - self.precision - 3).min(high.exponent - 1);
            if low.exponent < last && low.exponent + low_digits < top {
                let cut = (last - low.exponent) as u64;
                let (q, rest) = low.coefficient.shifted_down(cut);
                stand_in = if !rest.is_zero() && q.last_digit().is_multiple_of(5) {
                    q.plus(&Coefficient::ONE)
                } else {
                    q
                };
                low_exponent = last;
                &stand_in
            } else {
                &low.coefficient
            }
        };
        let up = (high.exponent - low_exponent) as u64;
        if !self.fits(high_digits as u64 + up, status) {
            return Number::nan();
        }
        let high_coefficient = high.coefficient.shifted_up(up);
        let (x, y) = if a_is_high {
            (&high_coefficient, low_coefficient)
        } else {
            (low_coefficient, &high_coefficient)
        };
        let (negative, sum) = if !opposite {
            (a.negative, x.plus(y))
        } else {
            match x.cmp(y) {
                Ordering::Greater => (a.negative, x.minus(y)),
                Ordering::Less => (b_negative, y.minus(x)),
                Ordering::Equal => (self.rounding == Rounding::Floor, Coefficient::ZERO),
            }
        };
        self.finish(Number::finite(negative, sum, low_exponent), status)
    }

    /// The sum of a number and a zero: the number with the exponent of the zero, as far as the precision allows.
    fn padded(&self, number: &Number, exponent: i64, status: &mut Status) -> Number {
        match self.stretched(number, exponent, status) {
            Some(number) => self.finish(number, status),
            None => Number::nan(),
        }
    }

    /// The number with a smaller exponent, or with zeros up to one digit beyond the precision, which go when the result is finished.
    fn stretched(&self, number: &Number, exponent: i64, status: &mut Status) -> Option<Number> {
        let digits = number.coefficient.digits();
        let least = number.exponent + (digits as i64 - self.precision - 1).min(0);
        let up = (number.exponent - exponent.max(least)).max(0) as u64;
        if !self.fits(digits + up, status) {
            return None;
        }
        Some(Number {
            coefficient: number.coefficient.shifted_up(up),
            exponent: number.exponent - up as i64,
            ..number.clone()
        })
    }

    #[cold]
    fn special_sum(&self, a: &Number, b: &Number, b_negative: bool, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        if a.is_infinite() && b.is_infinite() && a.negative != b_negative {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        Number::infinity(if a.is_infinite() {
            a.negative
        } else {
            b_negative
        })
    }

    /// `a * b`
    #[inline]
    pub fn multiply(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if a.is_special() || b.is_special() {
            return self.special_product(a, b, status);
        }
        let negative = a.negative != b.negative;
        let exponent = a.exponent + b.exponent;
        if let (Coefficient::Short([x, 0]), Coefficient::Short([y, 0])) =
            (&a.coefficient, &b.coefficient)
        {
            let product = u128::from(*x) * u128::from(*y);
            return self.finish(Number::finite(negative, product.into(), exponent), status);
        }
        if let (Some(x), Some(y)) = (a.coefficient.short(), b.coefficient.short()) {
            let (high, low) = wide_product(x, y);
            if high == 0 {
                return self.finish(Number::finite(negative, low.into(), exponent), status);
            }
            if let Some((coefficient, drop)) = self.shortened(high, low, x, y) {
                let number = Number::finite(negative, coefficient.into(), exponent + drop);
                return self.finish(number, status);
            }
        }
        if !self.fits(
            a.coefficient.digits_at_most() + b.coefficient.digits_at_most(),
            status,
        ) {
            return Number::nan();
        }
        let product = a.coefficient.times(&b.coefficient);
        self.finish(Number::finite(negative, product, exponent), status)
    }

    /// A product of two short numbers without the digits that do not matter: the last digit that is left says whether others were.
    fn shortened(&self, high: u128, low: u128, x: u128, y: u128) -> Option<(u128, i64)> {
        // The product has at least so many digits.
        let digits = short_digits(x) + short_digits(y) - 1;
        let drop = digits as i64 - self.precision - 2;
        if !(1..39).contains(&drop) {
            return None;
        }
        let unit = POWERS[drop as usize];
        if high >= unit {
            return None;
        }
        let (q, r) = wide_divide(high, low, unit);
        if r == 0 {
            return Some((q, drop));
        }
        sticky(q).map(|q| (q, drop))
    }

    #[cold]
    fn special_product(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        if a.is_zero() || b.is_zero() {
            return self.invalid(Status::INVALID_OPERATION, status);
        }
        Number::infinity(a.negative != b.negative)
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&self, a: &Number, b: &Number, c: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b, c], status) {
            // A product without a value counts before a quiet third operand.
            if !status.has(Status::INVALID_OPERATION)
                && !a.is_nan()
                && !b.is_nan()
                && (a.is_infinite() && b.is_zero() || a.is_zero() && b.is_infinite())
            {
                return self.invalid(Status::INVALID_OPERATION, status);
            }
            return nan;
        }
        if a.is_special() || b.is_special() {
            let product = self.special_product(a, b, status);
            if product.is_nan() {
                return product;
            }
            return self.add(&product, c, status);
        }
        if !self.fits(
            a.coefficient.digits_at_most() + b.coefficient.digits_at_most(),
            status,
        ) {
            return Number::nan();
        }
        let product = Number::finite(
            a.negative != b.negative,
            a.coefficient.times(&b.coefficient),
            a.exponent + b.exponent,
        );
        self.add(&product, c, status)
    }

    /// `a / b`
    pub fn divide(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        let negative = a.negative != b.negative;
        if a.is_special() || b.is_special() {
            return self.special_quotient(a, b, status);
        }
        if b.coefficient.is_zero() {
            if a.coefficient.is_zero() {
                return self.invalid(Status::DIVISION_UNDEFINED, status);
            }
            status.raise(Status::DIVISION_BY_ZERO);
            return Number::infinity(negative);
        }
        let ideal = a.exponent - b.exponent;
        if a.coefficient.is_zero() {
            return self.finish(Number::zero(negative, ideal), status);
        }
        let (x, y) = (a.coefficient.digits() as i64, b.coefficient.digits() as i64);
        let up = y - x + self.precision + 1;
        let exponent = ideal - up;
        if (0..39).contains(&up)
            && let (Some(n), Some(d)) = (a.coefficient.short(), b.coefficient.short())
        {
            let (high, low) = wide_product(n, POWERS[up as usize]);
            if high < d {
                let (q, r) = wide_divide(high, low, d);
                if r == 0 {
                    return self.exact_quotient(negative, q.into(), exponent, ideal, status);
                }
                if let Some(q) = sticky(q) {
                    return self.finish(Number::finite(negative, q.into(), exponent), status);
                }
            }
        }
        if !self.fits(x as u64 + y as u64 + up.unsigned_abs(), status) {
            return Number::nan();
        }
        let (q, r) = if up >= 0 {
            let n = a.coefficient.shifted_up(up as u64);
            n.divided(&b.coefficient)
        } else {
            let d = b.coefficient.shifted_up(up.unsigned_abs());
            a.coefficient.divided(&d)
        };
        if r.is_zero() {
            return self.exact_quotient(negative, q, exponent, ideal, status);
        }
        // There are digits after the last one; it must not look as if the result was exact, or half.
        let q = if q.last_digit().is_multiple_of(5) {
            q.plus(&Coefficient::ONE)
        } else {
            q
        };
        self.finish(Number::finite(negative, q, exponent), status)
    }

    /// A quotient without remainder, with an exponent as near to the ideal one as can be.
    fn exact_quotient(
        &self,
        negative: bool,
        q: Coefficient,
        exponent: i64,
        ideal: i64,
        status: &mut Status,
    ) -> Number {
        let most = (ideal - exponent).max(0) as u64;
        let (q, removed) = q.without_zeros(most);
        self.finish(
            Number::finite(negative, q, exponent + removed as i64),
            status,
        )
    }

    #[cold]
    fn special_quotient(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let negative = a.negative != b.negative;
        if a.is_infinite() {
            if b.is_infinite() {
                return self.invalid(Status::INVALID_OPERATION, status);
            }
            return Number::infinity(negative);
        }
        status.raise(Status::CLAMPED);
        Number::zero(negative, self.etiny())
    }

    /// Integral quotient, rounded towards zero, and remainder with the sign of `a`, of finite numbers; `b` is not zero.
    fn integral(&self, a: &Number, b: &Number, status: &mut Status) -> Option<(Number, Number)> {
        let negative = a.negative != b.negative;
        let lowest = a.exponent.min(b.exponent);
        let apart = a.adjusted() - b.adjusted();
        if a.coefficient.is_zero() || apart <= -2 {
            // `a` itself, with the exponent of the remainder.
            let zero = Number::zero(negative, 0);
            if a.coefficient.is_zero() {
                return Some((zero, Number::zero(a.negative, lowest)));
            }
            return Some((zero, self.stretched(a, lowest, status)?));
        }
        if apart > self.precision {
            status.raise(Status::DIVISION_IMPOSSIBLE);
            return None;
        }
        let (up_a, up_b) = ((a.exponent - lowest) as u64, (b.exponent - lowest) as u64);
        if !self.fits(
            a.coefficient.digits() + b.coefficient.digits() + up_a + up_b,
            status,
        ) {
            return None;
        }
        let (q, r) = a
            .coefficient
            .shifted_up(up_a)
            .divided(&b.coefficient.shifted_up(up_b));
        if q.digits() as i64 > self.precision {
            status.raise(Status::DIVISION_IMPOSSIBLE);
            return None;
        }
        Some((
            Number::finite(negative, q, 0),
            Number::finite(a.negative, r, lowest),
        ))
    }

    /// `a // b`
    pub fn divide_int(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return nan;
        }
        let negative = a.negative != b.negative;
        match (a.kind, b.kind) {
            (Kind::Infinite, Kind::Infinite) => {
                return self.invalid(Status::INVALID_OPERATION, status);
            }
            (Kind::Infinite, _) => return Number::infinity(negative),
            (_, Kind::Infinite) => return Number::zero(negative, 0),
            _ => {}
        }
        if b.is_zero() {
            if a.is_zero() {
                return self.invalid(Status::DIVISION_UNDEFINED, status);
            }
            status.raise(Status::DIVISION_BY_ZERO);
            return Number::infinity(negative);
        }
        match self.integral(a, b, status) {
            Some((q, _)) => self.finish(q, status),
            None => Number::nan(),
        }
    }

    /// What both remainders are when an operand is special, or the divisor is zero.
    fn special_remainder(&self, a: &Number, b: &Number, status: &mut Status) -> Option<Number> {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return Some(nan);
        }
        if a.is_infinite() {
            return Some(self.invalid(Status::INVALID_OPERATION, status));
        }
        if b.is_infinite() {
            return Some(self.finish(a.clone(), status));
        }
        if !b.is_zero() {
            return None;
        }
        let why = if a.is_zero() {
            Status::DIVISION_UNDEFINED
        } else {
            Status::INVALID_OPERATION
        };
        Some(self.invalid(why, status))
    }

    /// `a % b`, with the sign of `a`.
    pub fn remainder(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(special) = self.special_remainder(a, b, status) {
            return special;
        }
        match self.integral(a, b, status) {
            Some((_, r)) => self.finish(r, status),
            None => Number::nan(),
        }
    }

    /// `divmod(a, b)`
    pub fn divmod(&self, a: &Number, b: &Number, status: &mut Status) -> (Number, Number) {
        if let Some(nan) = self.nan_of(&[a, b], status) {
            return (nan.clone(), nan);
        }
        let negative = a.negative != b.negative;
        if a.is_infinite() {
            status.raise(Status::INVALID_OPERATION);
            let quotient = if b.is_infinite() {
                Number::nan()
            } else {
                Number::infinity(negative)
            };
            return (quotient, Number::nan());
        }
        if b.is_infinite() {
            return (Number::zero(negative, 0), self.finish(a.clone(), status));
        }
        if b.is_zero() {
            if a.is_zero() {
                status.raise(Status::DIVISION_UNDEFINED);
                return (Number::nan(), Number::nan());
            }
            status.raise(Status::DIVISION_BY_ZERO | Status::INVALID_OPERATION);
            return (Number::infinity(negative), Number::nan());
        }
        match self.integral(a, b, status) {
            Some((q, r)) => (self.finish(q, status), self.finish(r, status)),
            None => (Number::nan(), Number::nan()),
        }
    }

    /// What is left of `a` after the nearest multiple of `b` was taken away.
    pub fn remainder_near(&self, a: &Number, b: &Number, status: &mut Status) -> Number {
        if let Some(special) = self.special_remainder(a, b, status) {
            return special;
        }
        let Some((q, r)) = self.integral(a, b, status) else {
            return Number::nan();
        };
        if r.coefficient.is_zero() || r.exponent > b.exponent {
            return self.finish(r, status);
        }
        // Whether the next multiple is nearer: twice the remainder with the divisor.
        let up = (b.exponent - r.exponent) as u64;
        if !self.fits(b.coefficient.digits() + up, status) {
            return Number::nan();
        }
        let divisor = b.coefficient.shifted_up(up);
        let twice = r.coefficient.plus(&r.coefficient).cmp(&divisor);
        if twice.is_gt() || twice.is_eq() && q.coefficient.is_odd() {
            let next = q.coefficient.plus(&Coefficient::ONE);
            if next.digits() as i64 > self.precision {
                return self.invalid(Status::DIVISION_IMPOSSIBLE, status);
            }
            let rest = Number {
                coefficient: divisor.minus(&r.coefficient),
                negative: !r.negative,
                ..r
            };
            return self.finish(rest, status);
        }
        self.finish(r, status)
    }

    /// `+a`: rounded.
    pub fn plus(&self, a: &Number, status: &mut Status) -> Number {
        self.signed(a, a.negative, status)
    }

    /// `-a`
    pub fn minus(&self, a: &Number, status: &mut Status) -> Number {
        self.signed(a, !a.negative, status)
    }

    /// `abs(a)`
    pub fn abs(&self, a: &Number, status: &mut Status) -> Number {
        self.signed(a, false, status)
    }

    fn signed(&self, a: &Number, negative: bool, status: &mut Status) -> Number {
        if let Some(nan) = self.nan_of(&[a], status) {
            return nan;
        }
        let negative = if a.is_zero() {
            // As if it was added to or taken from zero.
            negative && self.rounding == Rounding::Floor
        } else {
            negative
        };
        self.finish(a.with_sign(negative), status)
    }
}

/// The quotient whose last digit tells that something nonzero follows; `None` when it would not be short any more.
#[inline]
fn sticky(q: u128) -> Option<u128> {
    let (_, last) = short_divide(q, 5);
    if last == 0 { q.checked_add(1) } else { Some(q) }
}
