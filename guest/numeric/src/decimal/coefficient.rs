//! Coefficients: natural numbers that are short (128 bits) most of the time, with the operations in base ten that decimals need.
//!
//! Nothing here is kept in base ten: the number of digits follows from the number of bits, and moving the point is a product or a quotient
//! with a power of ten.

use crate::int_text;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

/// Powers of ten that fit into 128 bits.
pub(super) static POWERS: [u128; 39] = {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < 39 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// A coefficient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coefficient {
    /// Below `2**128`: the low half and the high half.
    Short([u64; 2]),
    /// What is larger.
    Long(BigUint),
}

impl Default for Coefficient {
    fn default() -> Self {
        Coefficient::ZERO
    }
}

impl From<u128> for Coefficient {
    #[inline]
    fn from(value: u128) -> Self {
        Coefficient::Short([value as u64, (value >> 64) as u64])
    }
}

impl From<BigUint> for Coefficient {
    fn from(value: BigUint) -> Self {
        match value.to_u128() {
            Some(short) => short.into(),
            None => Coefficient::Long(value),
        }
    }
}

/// How many decimal digits a short number has; zero has one.
#[inline]
pub(super) fn short_digits(value: u128) -> u64 {
    if value == 0 {
        return 1;
    }
    let bits = 128 - u64::from(value.leading_zeros());
    // log10(2) = 0.30103; right for all numbers of bits up to 128, or one too few.
    let guess = (bits * 1233) >> 12;
    guess + u64::from(value >= POWERS[guess as usize])
}

thread_local! {
    /// Powers of ten that were used last: computations go on with one precision.
    static RECENT: RefCell<Vec<(u64, Rc<BigUint>)>> = const { RefCell::new(Vec::new()) };
}

/// Larger powers are not kept.
const KEPT: u64 = 20_000;

/// `10**n` as a big number.
pub(super) fn power_of_ten(n: u64) -> Rc<BigUint> {
    let make = || Rc::new(BigUint::from(5u32).pow(n as u32) << n);
    if n > KEPT {
        return make();
    }
    RECENT.with_borrow_mut(|recent| {
        if let Some(at) = recent.iter().position(|(m, _)| *m == n) {
            return recent[at].1.clone();
        }
        let power = make();
        if recent.len() >= 8 {
            recent.remove(0);
        }
        recent.push((n, power.clone()));
        power
    })
}

impl Coefficient {
    /// Zero.
    pub const ZERO: Coefficient = Coefficient::Short([0, 0]);
    /// One.
    pub const ONE: Coefficient = Coefficient::Short([1, 0]);

    /// The number, when it is short.
    #[inline]
    pub fn short(&self) -> Option<u128> {
        match self {
            Coefficient::Short([low, high]) => Some(u128::from(*high) << 64 | u128::from(*low)),
            Coefficient::Long(_) => None,
        }
    }

    /// The number as a big one.
    pub fn big(&self) -> Cow<'_, BigUint> {
        match self {
            Coefficient::Long(big) => Cow::Borrowed(big),
            short => Cow::Owned(short.short().unwrap_or_default().into()),
        }
    }

    /// Whether it is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self, Coefficient::Short([0, 0]))
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        matches!(self, Coefficient::Short([1, 0]))
    }

    /// Whether it is odd.
    pub fn is_odd(&self) -> bool {
        match self {
            Coefficient::Short([low, _]) => low & 1 == 1,
            Coefficient::Long(big) => big.bit(0),
        }
    }

    /// Number of bits.
    pub fn bits(&self) -> u64 {
        match self {
            Coefficient::Long(big) => big.bits(),
            short => 128 - u64::from(short.short().unwrap_or_default().leading_zeros()),
        }
    }

    /// Number of decimal digits; zero has one.
    #[inline]
    pub fn digits(&self) -> u64 {
        match self {
            Coefficient::Long(big) => long_digits(big),
            short => short_digits(short.short().unwrap_or_default()),
        }
    }

    /// A number that is no less than the number of digits, in no time.
    #[inline]
    pub fn digits_at_most(&self) -> u64 {
        match self {
            Coefficient::Long(big) => int_text::decimal_digits_at_least(big.bits()) + 1,
            short => short_digits(short.short().unwrap_or_default()),
        }
    }

    /// The last digit.
    pub fn last_digit(&self) -> u32 {
        match self {
            Coefficient::Short([low, 0]) => (low % 10) as u32,
            Coefficient::Long(big) => (big % 10u32).to_u32().unwrap_or_default(),
            short => (short.short().unwrap_or_default() % 10) as u32,
        }
    }

    /// The sum.
    pub fn plus(&self, other: &Coefficient) -> Coefficient {
        if let (Some(a), Some(b)) = (self.short(), other.short())
            && let Some(sum) = a.checked_add(b)
        {
            return sum.into();
        }
        (&*self.big() + &*other.big()).into()
    }

    /// The difference; the other must not be larger.
    pub fn minus(&self, other: &Coefficient) -> Coefficient {
        if let (Some(a), Some(b)) = (self.short(), other.short()) {
            return a.saturating_sub(b).into();
        }
        (&*self.big() - &*other.big()).into()
    }

    /// The product.
    pub fn times(&self, other: &Coefficient) -> Coefficient {
        match (self, other) {
            (Coefficient::Short([a, 0]), Coefficient::Short([b, 0])) => {
                return (u128::from(*a) * u128::from(*b)).into();
            }
            (Coefficient::Long(a), Coefficient::Long(b)) => return Coefficient::Long(a * b),
            _ => {}
        }
        if let (Some(a), Some(b)) = (self.short(), other.short())
            && let Some(product) = a.checked_mul(b)
        {
            return product.into();
        }
        (&*self.big() * &*other.big()).into()
    }

    /// The product with `10**n`.
    pub fn shifted_up(&self, n: u64) -> Coefficient {
        if n == 0 || self.is_zero() {
            return self.clone();
        }
        if let Some(a) = self.short()
            && n < 39
            && let Some(product) = a.checked_mul(POWERS[n as usize])
        {
            return product.into();
        }
        (&*self.big() * &*power_of_ten(n)).into()
    }

    /// Quotient and remainder; the other is not zero.
    pub fn divided(&self, other: &Coefficient) -> (Coefficient, Coefficient) {
        if let (Some(a), Some(b)) = (self.short(), other.short()) {
            let (q, r) = short_divide(a, b);
            return (q.into(), r.into());
        }
        if self.bits() < other.bits() {
            return (Coefficient::ZERO, self.clone());
        }
        let (q, r) = int_text::divide(&self.big(), &other.big());
        (q.into(), r.into())
    }

    /// Quotient and remainder by `10**n`.
    pub fn shifted_down(&self, n: u64) -> (Coefficient, Coefficient) {
        if n == 0 {
            return (self.clone(), Coefficient::ZERO);
        }
        if n < 39 {
            return self.divided(&POWERS[n as usize].into());
        }
        if n >= self.digits_at_most() {
            return (Coefficient::ZERO, self.clone());
        }
        // Odd numbers are divided by powers of five; the twos are a shift.
        let (q, r) = int_text::divide(&self.big(), &power_of_ten(n));
        (q.into(), r.into())
    }

    /// The number without trailing zeros, of which at most so many are removed, and how many were.
    pub fn without_zeros(&self, most: u64) -> (Coefficient, u64) {
        if self.is_zero() || most == 0 || self.is_odd() {
            return (self.clone(), 0);
        }
        let mut value = self.clone();
        let mut removed = 0;
        if let Coefficient::Long(big) = self {
            // There are no more zeros than twos. The largest powers first.
            let twos = big.trailing_zeros().unwrap_or_default().min(most);
            let mut step = 1u64 << (63 - twos.max(1).leading_zeros());
            while step >= 16 && removed < twos {
                if removed + step <= most {
                    let (q, r) = value.shifted_down(step);
                    if r.is_zero() {
                        value = q;
                        removed += step;
                        continue;
                    }
                }
                step /= 2;
            }
        }
        while removed < most {
            if let Coefficient::Short([low, 0]) = &value {
                let mut low = *low;
                while removed < most && low % 10 == 0 {
                    low /= 10;
                    removed += 1;
                }
                return (u128::from(low).into(), removed);
            }
            if value.is_odd() {
                break;
            }
            let (q, r) = value.shifted_down(1);
            if !r.is_zero() {
                break;
            }
            value = q;
            removed += 1;
        }
        (value, removed)
    }

    /// The digits as text.
    pub fn text(&self) -> String {
        match self {
            Coefficient::Short([low, 0]) => itoa::Buffer::new().format(*low).to_owned(),
            Coefficient::Long(big) => {
                int_text::to_decimal(&big.clone().into(), 0).unwrap_or_default()
            }
            short => itoa::Buffer::new()
                .format(short.short().unwrap_or_default())
                .to_owned(),
        }
    }

    /// The number with these digits, the most significant first; they must be ASCII digits.
    pub fn from_digits(digits: &[u8]) -> Coefficient {
        let first = digits.iter().position(|&d| d != b'0');
        let digits = &digits[first.unwrap_or(digits.len())..];
        if digits.len() <= 19 {
            let value = digits
                .iter()
                .fold(0u64, |value, d| value * 10 + u64::from(d - b'0'));
            return u128::from(value).into();
        }
        if digits.len() <= 38 {
            let value = digits
                .iter()
                .fold(0u128, |value, d| value * 10 + u128::from(d - b'0'));
            return value.into();
        }
        let text = std::str::from_utf8(digits).unwrap_or_default();
        match int_text::parse_decimal_literal(text) {
            Some(big) => big.magnitude().clone().into(),
            None => Coefficient::ZERO,
        }
    }
}

impl Ord for Coefficient {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Coefficient::Long(a), Coefficient::Long(b)) => a.cmp(b),
            (Coefficient::Long(_), _) => Ordering::Greater,
            (_, Coefficient::Long(_)) => Ordering::Less,
            _ => self.short().cmp(&other.short()),
        }
    }
}

impl PartialOrd for Coefficient {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Division that takes the short way when it can.
#[inline]
pub(super) fn short_divide(a: u128, b: u128) -> (u128, u128) {
    if a >> 64 == 0 && b >> 64 == 0 {
        let (a, b) = (a as u64, b as u64);
        return ((a / b).into(), (a % b).into());
    }
    let q = a / b;
    (q, a - q * b)
}

fn long_digits(value: &BigUint) -> u64 {
    let bits = value.bits();
    let shift = bits.saturating_sub(64);
    let top = (value >> shift).to_u64().unwrap_or(u64::MAX) as f64;
    let log = top.log10() + shift as f64 * std::f64::consts::LOG10_2;
    let floor = log.floor();
    // Right by far more than this for all numbers that fit into memory.
    if log - floor > 1e-5 && log - floor < 1.0 - 1e-5 {
        return floor as u64 + 1;
    }
    let nearest = log.round() as u64;
    nearest + u64::from(*value >= *power_of_ten(nearest))
}

/// The product of two short numbers: high and low half.
#[inline]
pub(super) fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0) = (a >> 64, a & LOW);
    let (b1, b0) = (b >> 64, b & LOW);
    let low = a0 * b0;
    let (middle, carry) = (a0 * b1).overflowing_add(a1 * b0);
    let (low, more) = low.overflowing_add(middle << 64);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64) + u128::from(more);
    (high, low)
}

/// Quotient and remainder of `high:low` by a divisor that is larger than `high` (Knuth, The Art of Computer Programming, 4.3.1, algorithm D, with digits
/// of 64 bits).
pub(super) fn wide_divide(high: u128, low: u128, divisor: u128) -> (u128, u128) {
    debug_assert!(high < divisor);
    if high == 0 {
        return short_divide(low, divisor);
    }
    if divisor >> 64 == 0 {
        // `high` is below the divisor, so it is one digit too.
        let d = divisor;
        let first = high << 64 | low >> 64;
        let (q1, r) = (first / d, first % d);
        let second = r << 64 | (low & u128::from(u64::MAX));
        return ((q1 << 64) | (second / d), second % d);
    }
    let shift = divisor.leading_zeros();
    let d = divisor << shift;
    let (high, low) = if shift == 0 {
        (high, low)
    } else {
        (high << shift | low >> (128 - shift), low << shift)
    };
    let (q1, r) = wide_step(high, (low >> 64) as u64, d);
    let (q0, r) = wide_step(r, low as u64, d);
    (u128::from(q1) << 64 | u128::from(q0), r >> shift)
}

/// One digit of the quotient: `(rest:next) / d`, where `d` has its top bit set and is larger than `rest`.
fn wide_step(rest: u128, next: u64, d: u128) -> (u64, u128) {
    let (d1, d0) = (d >> 64, d & u128::from(u64::MAX));
    let mut q = rest / d1;
    let mut r = rest - q * d1;
    while q >> 64 != 0 || q * d0 > (r << 64 | u128::from(next)) {
        q -= 1;
        r += d1;
        if r >> 64 != 0 {
            break;
        }
    }
    // The difference is below `d`, so what overflows does not matter.
    let value = rest << 64 | u128::from(next);
    (q as u64, value.wrapping_sub(q.wrapping_mul(d)))
}

/// The greatest number whose square is not larger, and whether the square is equal.
pub(super) fn square_root(value: &Coefficient) -> (Coefficient, bool) {
    let big = value.big();
    let root = big.sqrt();
    let exact = &root * &root == *big;
    (root.into(), exact)
}

/// `base**exponent` modulo `modulus`.
pub(super) fn power_modulo(
    base: &Coefficient,
    exponent: &Coefficient,
    modulus: &Coefficient,
) -> Coefficient {
    if modulus.is_one() {
        return Coefficient::ZERO;
    }
    base.big().modpow(&exponent.big(), &modulus.big()).into()
}

/// The number in lowest terms: numerator and denominator over their greatest common divisor.
pub(super) fn lowest_terms(numerator: BigUint, denominator: BigUint) -> (BigUint, BigUint) {
    if numerator.is_zero() {
        return (numerator, BigUint::one());
    }
    let common = crate::lehmer::gcd(&numerator, &denominator);
    (numerator / &common, denominator / common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted() {
        for (n, &power) in POWERS.iter().enumerate() {
            assert_eq!(short_digits(power), n as u64 + 1);
            if n > 0 {
                assert_eq!(short_digits(power - 1), n as u64);
            }
        }
        assert_eq!(short_digits(u128::MAX), 39);
        for n in [39, 40, 100, 1000, 12345] {
            let power = power_of_ten(n);
            assert_eq!(long_digits(&power), n + 1);
            assert_eq!(long_digits(&(&*power - 1u32)), n);
            assert_eq!(long_digits(&(&*power + 1u32)), n + 1);
        }
    }

    #[test]
    fn wide_numbers() {
        let mut seed = 7u128;
        let mut next = |bits: u32| {
            seed = seed
                .wrapping_mul(0x2360ED051FC65DA44385DF649FCCF645)
                .wrapping_add(0x5851F42D4C957F2D14057B7EF767814F);
            let mixed = seed ^ (seed >> 61);
            if bits == 0 { 0 } else { mixed >> (128 - bits) }
        };
        for i in 0..20_000u32 {
            let (a, b) = (next(1 + i % 128), next(1 + i / 3 % 128));
            let (high, low) = wide_product(a, b);
            let product = BigUint::from(a) * BigUint::from(b);
            assert_eq!((BigUint::from(high) << 128) + low, product);
            let d = next(1 + i / 7 % 128) | 1;
            let (h, l) = (a % d, b);
            let (q, r) = wide_divide(h, l, d);
            let whole = (BigUint::from(h) << 128) + l;
            assert_eq!(BigUint::from(q), &whole / d, "{h} {l} {d}");
            assert_eq!(BigUint::from(r), whole % d);
        }
        let top = u128::MAX;
        let (q, r) = wide_divide(top - 1, top, top);
        let whole = (BigUint::from(top - 1) << 128) + top;
        assert_eq!(
            (BigUint::from(q), BigUint::from(r)),
            (&whole / top, whole % top)
        );
    }

    #[test]
    fn zeros_are_removed() {
        let big = Coefficient::from(BigUint::from(7u32)).shifted_up(300);
        assert_eq!(big.without_zeros(u64::MAX), (7u128.into(), 300));
        let (rest, removed) = big.without_zeros(123);
        assert_eq!((rest.digits(), removed), (178, 123));
        assert_eq!(
            Coefficient::from(1200u128).without_zeros(9),
            (12u128.into(), 2)
        );
    }
}
