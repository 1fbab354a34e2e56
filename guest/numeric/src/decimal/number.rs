//! Numbers, contexts, conditions, and the rounding that ends every operation.

use super::coefficient::{Coefficient, POWERS, short_digits, short_divide};
use std::cmp::Ordering;

/// The largest precision.
pub const MAX_PREC: i64 = 999_999_999_999_999_999;
/// The largest exponent.
pub const MAX_EMAX: i64 = 999_999_999_999_999_999;
/// The smallest exponent of normal numbers.
pub const MIN_EMIN: i64 = -999_999_999_999_999_999;
/// The smallest exponent.
pub const MIN_ETINY: i64 = MIN_EMIN - (MAX_PREC - 1);

/// What a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Coefficient times a power of ten.
    Finite,
    /// An infinity.
    Infinite,
    /// A quiet NaN; the coefficient is its payload.
    Quiet,
    /// A signaling NaN; the coefficient is its payload.
    Signaling,
}

/// A decimal number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The coefficient, or the payload of a NaN; zero for infinities.
    pub coefficient: Coefficient,
    /// The exponent; zero unless finite.
    pub exponent: i64,
    /// What it is.
    pub kind: Kind,
    /// The sign.
    pub negative: bool,
}

/// Ways to round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are those of the specification
pub enum Rounding {
    Up,
    Down,
    Ceiling,
    Floor,
    HalfUp,
    HalfDown,
    HalfEven,
    ZeroFiveUp,
}

impl Rounding {
    /// All ways, in the order of the numbers by which CPython knows them.
    pub const ALL: [Rounding; 8] = [
        Rounding::Up,
        Rounding::Down,
        Rounding::Ceiling,
        Rounding::Floor,
        Rounding::HalfUp,
        Rounding::HalfDown,
        Rounding::HalfEven,
        Rounding::ZeroFiveUp,
    ];

    /// Whether the magnitude grows. `rest` says how what is cut off compares with a half (`None`: it is zero).
    pub(super) fn up(self, negative: bool, last: u32, rest: Option<Ordering>) -> bool {
        let Some(rest) = rest else { return false };
        match self {
            Rounding::Up => true,
            Rounding::Down => false,
            Rounding::Ceiling => !negative,
            Rounding::Floor => negative,
            Rounding::HalfUp => rest.is_ge(),
            Rounding::HalfDown => rest.is_gt(),
            Rounding::HalfEven => rest.is_gt() || rest.is_eq() && last % 2 == 1,
            Rounding::ZeroFiveUp => last.is_multiple_of(5),
        }
    }
}

/// Conditions that came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status(pub u32);

impl Status {
    /// The exponent was changed to fit.
    pub const CLAMPED: u32 = 1;
    /// Text that is no number.
    pub const CONVERSION_SYNTAX: u32 = 1 << 1;
    /// A finite number divided by zero.
    pub const DIVISION_BY_ZERO: u32 = 1 << 2;
    /// An integral quotient with more digits than the precision.
    pub const DIVISION_IMPOSSIBLE: u32 = 1 << 3;
    /// Zero divided by zero.
    pub const DIVISION_UNDEFINED: u32 = 1 << 4;
    /// Digits other than zero were lost.
    pub const INEXACT: u32 = 1 << 5;
    /// The context does not fit the operation.
    pub const INVALID_CONTEXT: u32 = 1 << 6;
    /// An operation without a result.
    pub const INVALID_OPERATION: u32 = 1 << 7;
    /// There is no room for the result: no signal, but `MemoryError`.
    pub const NO_ROOM: u32 = 1 << 8;
    /// Floats were mixed in.
    pub const FLOAT_OPERATION: u32 = 1 << 10;
    /// Too large.
    pub const OVERFLOW: u32 = 1 << 11;
    /// Digits were removed.
    pub const ROUNDED: u32 = 1 << 12;
    /// Smaller than normal numbers.
    pub const SUBNORMAL: u32 = 1 << 13;
    /// Subnormal and inexact.
    pub const UNDERFLOW: u32 = 1 << 14;
    /// The conditions that make up the signal "invalid operation".
    pub const INVALID: u32 = Status::CONVERSION_SYNTAX
        | Status::DIVISION_IMPOSSIBLE
        | Status::DIVISION_UNDEFINED
        | Status::INVALID_CONTEXT
        | Status::INVALID_OPERATION;
    /// All signals.
    pub const ALL: u32 = 0x7FFF & !(Status::NO_ROOM | 1 << 9);

    /// A condition comes up.
    #[inline]
    pub fn raise(&mut self, condition: u32) {
        self.0 |= condition;
    }

    /// Whether one of the conditions came up.
    #[inline]
    pub fn has(self, conditions: u32) -> bool {
        self.0 & conditions != 0
    }
}

/// What operations need to know of a context.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The precision.
    pub precision: i64,
    /// The largest exponent of the first digit.
    pub emax: i64,
    /// The smallest exponent of the first digit of normal numbers.
    pub emin: i64,
    /// How to round.
    pub rounding: Rounding,
    /// Exponents are at most `emax - precision + 1`.
    pub clamp: bool,
    /// Asked before numbers of many digits are made: whether there is room for so many bytes.
    pub room: fn(usize) -> bool,
}

/// Below this many digits nobody asks for room.
const FEW_DIGITS: u64 = 50_000;

impl Context {
    /// The widest context.
    pub const MAX: Context = Context {
        precision: MAX_PREC,
        emax: MAX_EMAX,
        emin: MIN_EMIN,
        rounding: Rounding::HalfEven,
        clamp: false,
        room: |_| true,
    };

    /// The widest context, with this one's way to ask for room.
    pub fn widest(&self) -> Context {
        Context {
            room: self.room,
            ..Context::MAX
        }
    }

    /// The smallest exponent.
    pub fn etiny(&self) -> i64 {
        self.emin - (self.precision - 1)
    }

    /// The largest exponent when clamping.
    pub fn etop(&self) -> i64 {
        self.emax - (self.precision - 1)
    }

    /// Whether there is room for a few numbers of so many digits; if not, that is the condition that comes up.
    pub(super) fn fits(&self, digits: u64, status: &mut Status) -> bool {
        if digits <= FEW_DIGITS || digits <= super::MAX_DIGITS && (self.room)(digits as usize * 2) {
            return true;
        }
        status.raise(Status::NO_ROOM);
        false
    }

    /// A NaN without payload, for operations without a result.
    #[cold]
    pub(super) fn invalid(&self, condition: u32, status: &mut Status) -> Number {
        status.raise(condition);
        Number::nan()
    }

    /// The result of an operation, rounded and checked.
    #[inline]
    pub fn finish(&self, number: Number, status: &mut Status) -> Number {
        if number.kind == Kind::Finite
            && let Some(value) = number.coefficient.short()
            && value != 0
        {
            let digits = short_digits(value) as i64;
            let top = number.exponent + digits - 1;
            if digits <= self.precision && self.emin <= top && top <= self.emax && !self.clamp {
                return number;
            }
            let drop = digits - self.precision;
            if drop > 0 && self.emin <= top && top < self.emax && !self.clamp {
                let unit = POWERS[drop as usize];
                let (q, r) = short_divide(value, unit);
                return self.cut(number, q, r, unit, drop, status);
            }
        }
        self.finish_slowly(number, status)
    }

    /// The number after `drop` digits were removed: quotient, remainder and divisor are given. There is no overflow.
    #[inline]
    pub(super) fn cut(
        &self,
        number: Number,
        q: u128,
        r: u128,
        unit: u128,
        drop: i64,
        status: &mut Status,
    ) -> Number {
        status.raise(Status::ROUNDED);
        let mut q = q;
        let mut exponent = number.exponent + drop;
        if r != 0 {
            status.raise(Status::INEXACT);
            let rest = r.cmp(&(unit - r));
            if self
                .rounding
                .up(number.negative, (q % 10) as u32, Some(rest))
            {
                q += 1;
                if self.precision < 39 && q == POWERS[self.precision as usize] {
                    q = POWERS[self.precision as usize - 1];
                    exponent += 1;
                }
            }
        }
        Number {
            coefficient: q.into(),
            exponent,
            ..number
        }
    }

    fn finish_slowly(&self, number: Number, status: &mut Status) -> Number {
        match number.kind {
            Kind::Infinite => return number,
            Kind::Quiet | Kind::Signaling => return self.finish_nan(number),
            Kind::Finite => {}
        }
        let etiny = self.etiny();
        if number.coefficient.is_zero() {
            let top = if self.clamp { self.etop() } else { self.emax };
            let exponent = number.exponent.clamp(etiny, top);
            if exponent != number.exponent {
                status.raise(Status::CLAMPED);
            }
            return Number { exponent, ..number };
        }
        // Most numbers are far from all limits, and their digits need not be counted.
        let most = number.coefficient.digits_at_most() as i64;
        let top = if self.clamp {
            self.etop()
        } else {
            self.emax - most
        };
        if most <= self.precision
            && number.exponent <= top
            && number.exponent >= self.emin
            && number.exponent + most <= self.emax
        {
            return number;
        }
        let digits = number.coefficient.digits() as i64;
        let adjusted = number.exponent + digits - 1;
        if adjusted > self.emax {
            return self.overflow(number.negative, status);
        }
        let mut target = number.exponent;
        if digits > self.precision {
            target += digits - self.precision;
        }
        let subnormal = adjusted < self.emin;
        if subnormal {
            status.raise(Status::SUBNORMAL);
            target = target.max(etiny);
        }
        if target > number.exponent {
            let mut rounded = Status::default();
            let number = number.at_exponent(target, self.rounding, &mut rounded);
            status.raise(rounded.0);
            if subnormal && rounded.has(Status::INEXACT) {
                status.raise(Status::UNDERFLOW);
            }
            if number.coefficient.is_zero() {
                status.raise(Status::CLAMPED);
                return number;
            }
            // Rounding may have made one digit more.
            let mut number = number;
            if number.coefficient.digits() as i64 > self.precision {
                number.coefficient = number.coefficient.shifted_down(1).0;
                number.exponent += 1;
            }
            if number.adjusted() > self.emax {
                return self.overflow(number.negative, status);
            }
            return self.folded(number, status);
        }
        self.folded(number, status)
    }

    /// A number that was rounded, with the exponent that clamping asks for.
    fn folded(&self, number: Number, status: &mut Status) -> Number {
        if !self.clamp || number.exponent <= self.etop() {
            return number;
        }
        status.raise(Status::CLAMPED);
        let up = (number.exponent - self.etop()) as u64;
        if !self.fits(number.coefficient.digits() + up, status) {
            return Number::nan();
        }
        Number {
            coefficient: number.coefficient.shifted_up(up),
            exponent: self.etop(),
            ..number
        }
    }

    fn finish_nan(&self, number: Number) -> Number {
        let most = self.precision - i64::from(self.clamp);
        if number.coefficient.digits_at_most() as i64 <= most || number.coefficient.is_zero() {
            return number;
        }
        Number {
            coefficient: number.coefficient.shifted_down(most as u64).1,
            ..number
        }
    }

    /// The result that is too large.
    pub(super) fn overflow(&self, negative: bool, status: &mut Status) -> Number {
        status.raise(Status::OVERFLOW | Status::INEXACT | Status::ROUNDED);
        let infinite = match self.rounding {
            Rounding::Up | Rounding::HalfUp | Rounding::HalfDown | Rounding::HalfEven => true,
            Rounding::Down | Rounding::ZeroFiveUp => false,
            Rounding::Ceiling => !negative,
            Rounding::Floor => negative,
        };
        if infinite {
            return Number::infinity(negative);
        }
        if !self.fits(self.precision as u64, status) {
            return Number::nan();
        }
        self.largest(negative)
    }

    /// The largest finite number.
    pub(super) fn largest(&self, negative: bool) -> Number {
        let power = Coefficient::ONE.shifted_up(self.precision as u64);
        Number {
            coefficient: power.minus(&Coefficient::ONE),
            exponent: self.etop(),
            kind: Kind::Finite,
            negative,
        }
    }

    /// The NaN that an operation with a NaN gives: the first signaling one, or the first one.
    #[inline]
    pub(super) fn nan_of(&self, operands: &[&Number], status: &mut Status) -> Option<Number> {
        if operands.iter().all(|n| !n.is_nan()) {
            return None;
        }
        self.nan_among(operands, status)
    }

    #[cold]
    fn nan_among(&self, operands: &[&Number], status: &mut Status) -> Option<Number> {
        let signaling = operands.iter().find(|n| n.kind == Kind::Signaling);
        if signaling.is_some() {
            status.raise(Status::INVALID_OPERATION);
        }
        let nan = signaling.or_else(|| operands.iter().find(|n| n.is_nan()))?;
        let quiet = Number {
            kind: Kind::Quiet,
            ..(*nan).clone()
        };
        Some(self.finish_nan(quiet))
    }
}

impl Number {
    /// A finite number.
    #[inline]
    pub fn finite(negative: bool, coefficient: Coefficient, exponent: i64) -> Number {
        Number {
            coefficient,
            exponent,
            kind: Kind::Finite,
            negative,
        }
    }

    /// A NaN without payload.
    pub fn nan() -> Number {
        Number {
            kind: Kind::Quiet,
            ..Number::finite(false, Coefficient::ZERO, 0)
        }
    }

    /// An infinity.
    pub fn infinity(negative: bool) -> Number {
        Number {
            kind: Kind::Infinite,
            ..Number::finite(negative, Coefficient::ZERO, 0)
        }
    }

    /// A zero.
    pub fn zero(negative: bool, exponent: i64) -> Number {
        Number::finite(negative, Coefficient::ZERO, exponent)
    }

    /// One.
    pub fn one() -> Number {
        Number::finite(false, Coefficient::ONE, 0)
    }

    /// Whether it is a NaN.
    #[inline]
    pub fn is_nan(&self) -> bool {
        matches!(self.kind, Kind::Quiet | Kind::Signaling)
    }

    /// Whether it is infinite or a NaN.
    #[inline]
    pub fn is_special(&self) -> bool {
        self.kind != Kind::Finite
    }

    /// Whether it is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.kind == Kind::Finite
    }

    /// Whether it is infinite.
    #[inline]
    pub fn is_infinite(&self) -> bool {
        self.kind == Kind::Infinite
    }

    /// Whether it is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.kind == Kind::Finite && self.coefficient.is_zero()
    }

    /// The exponent of the first digit; 0 for special numbers.
    pub fn adjusted(&self) -> i64 {
        if self.is_special() {
            return 0;
        }
        self.exponent + self.coefficient.digits() as i64 - 1
    }

    /// With the sign changed.
    pub fn negated(&self) -> Number {
        Number {
            negative: !self.negative,
            ..self.clone()
        }
    }

    /// With this sign.
    pub fn with_sign(&self, negative: bool) -> Number {
        Number {
            negative,
            ..self.clone()
        }
    }

    /// Whether it is an integer.
    pub fn is_integral(&self) -> bool {
        self.is_finite()
            && (self.exponent >= 0 || self.coefficient.is_zero() || {
                let places = self.exponent.unsigned_abs();
                self.coefficient.without_zeros(places).1 == places
            })
    }

    /// Whether it is an odd integer; it must be an integer.
    pub fn is_odd(&self) -> bool {
        match self.exponent {
            0 => self.coefficient.is_odd(),
            1.. => false,
            _ => {
                let places = self.exponent.unsigned_abs();
                places < self.coefficient.digits_at_most()
                    && self.coefficient.shifted_down(places).0.is_odd()
            }
        }
    }

    /// The finite number with a larger exponent: digits are cut off and rounded. Conditions are only "rounded" and "inexact".
    pub(super) fn at_exponent(
        &self,
        exponent: i64,
        rounding: Rounding,
        status: &mut Status,
    ) -> Number {
        let drop = exponent - self.exponent;
        debug_assert!(drop >= 0);
        if drop == 0 {
            return self.clone();
        }
        if self.coefficient.is_zero() {
            return Number {
                exponent,
                ..self.clone()
            };
        }
        status.raise(Status::ROUNDED);
        let drop = drop as u64;
        let (q, rest) = if drop > self.coefficient.digits_at_most() {
            (Coefficient::ZERO, Some(Ordering::Less))
        } else {
            let (q, r) = self.coefficient.shifted_down(drop);
            let rest = if r.is_zero() {
                None
            } else {
                // Compared with half the unit: twice the remainder with the unit.
                Some(r.plus(&r).cmp(&Coefficient::ONE.shifted_up(drop)))
            };
            (q, rest)
        };
        if rest.is_some() {
            status.raise(Status::INEXACT);
        }
        let coefficient = if rest.is_some() && self.rounding_up(rounding, &q, rest) {
            q.plus(&Coefficient::ONE)
        } else {
            q
        };
        Number {
            coefficient,
            exponent,
            ..self.clone()
        }
    }

    fn rounding_up(&self, rounding: Rounding, q: &Coefficient, rest: Option<Ordering>) -> bool {
        let last = match rounding {
            Rounding::HalfEven => u32::from(q.is_odd()),
            Rounding::ZeroFiveUp => q.last_digit(),
            _ => 0,
        };
        rounding.up(self.negative, last, rest)
    }
}
