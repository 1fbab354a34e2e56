//! Double-double arithmetic: a number as the unevaluated sum of two doubles, about 106 bits (Dekker 1971, Knuth's two-sum).
//!
//! Products are made without a fused multiply-add, which WebAssembly does not have: so native and wasm results are the same.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo`, where `hi` is the double nearest to the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dd {
    /// The leading part.
    pub hi: f64,
    /// What is left.
    pub lo: f64,
}

/// The rounded sum and its error.
pub fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let part = hi - a;
    Dd {
        hi,
        lo: (a - (hi - part)) + (b - part),
    }
}

/// As [`two_sum`], if `a` is not smaller than `b`.
pub fn quick_two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    Dd {
        hi,
        lo: b - (hi - a),
    }
}

/// The two halves of a significand.
fn split(a: f64) -> (f64, f64) {
    const FACTOR: f64 = ((1u64 << 27) + 1) as f64;
    let scaled = a * FACTOR;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// The rounded product and its error; factors below 2**996.
pub fn two_prod(a: f64, b: f64) -> Dd {
    let hi = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    Dd {
        hi,
        lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl,
    }
}

impl Dd {
    /// A double as it is.
    pub const fn from(hi: f64) -> Dd {
        Dd { hi, lo: 0.0 }
    }

    /// The nearest double.
    pub fn round(self) -> f64 {
        self.hi + self.lo
    }

    /// The product with a double.
    pub fn mul_f64(self, other: f64) -> Dd {
        let product = two_prod(self.hi, other);
        quick_two_sum(product.hi, product.lo + self.lo * other)
    }

    /// The square root of a positive number.
    pub fn sqrt(self) -> Dd {
        let first = self.hi.sqrt();
        let square = two_prod(first, first);
        let rest = ((self.hi - square.hi) - square.lo) + self.lo;
        quick_two_sum(first, rest / (2.0 * first))
    }
}

impl Add for Dd {
    type Output = Dd;

    /// The sum; relative accuracy also under cancellation of the leading parts.
    fn add(self, other: Dd) -> Dd {
        let high = two_sum(self.hi, other.hi);
        let low = two_sum(self.lo, other.lo);
        let sum = quick_two_sum(high.hi, high.lo + low.hi);
        quick_two_sum(sum.hi, sum.lo + low.lo)
    }
}

impl Sub for Dd {
    type Output = Dd;

    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl Neg for Dd {
    type Output = Dd;

    fn neg(self) -> Dd {
        Dd {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Mul for Dd {
    type Output = Dd;

    fn mul(self, other: Dd) -> Dd {
        let product = two_prod(self.hi, other.hi);
        quick_two_sum(
            product.hi,
            product.lo + (self.hi * other.lo + self.lo * other.hi),
        )
    }
}

impl Div for Dd {
    type Output = Dd;

    fn div(self, other: Dd) -> Dd {
        let first = self.hi / other.hi;
        let rest = self - other.mul_f64(first);
        quick_two_sum(first, rest.hi / other.hi)
    }
}

/// `2**exponent` for exponents of normal numbers.
pub fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The double nearest to `(hi + lo) * 2**exponent`, also where it is subnormal or overflows. `hi` is about 1.
pub fn round_scaled(value: Dd, exponent: i32) -> f64 {
    let Dd { hi, lo } = quick_two_sum(value.hi, value.lo);
    if exponent > 1100 {
        return hi * f64::INFINITY;
    }
    if exponent >= -1020 {
        // Two steps, since 2**1024 is no double.
        let half = exponent / 2;
        return hi * power_of_two(half) * power_of_two(exponent - half);
    }
    if exponent < -1200 {
        return hi * 0.0;
    }
    // Round once, to a whole multiple of the smallest double: here hi + lo exactly, not hi alone.
    let up = exponent + 1074;
    let scale = |x: f64| {
        x * power_of_two(up.max(-1022))
            * if up < -1022 {
                power_of_two(up + 1022)
            } else {
                1.0
            }
    };
    let (high, low) = (scale(hi), scale(lo));
    let whole = high.round_ties_even();
    let rest = (high - whole) + low;
    let steps = if rest > 0.5 || (rest == 0.5 && whole % 2.0 != 0.0) {
        whole + 1.0
    } else if rest < -0.5 || (rest == -0.5 && whole % 2.0 != 0.0) {
        whole - 1.0
    } else {
        whole
    };
    steps * f64::from_bits(1)
}
