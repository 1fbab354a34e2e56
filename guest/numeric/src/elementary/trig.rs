//! Circular functions and their inverses, correctly rounded for all but very few arguments: tables and short series in double-double;
//! large arguments are reduced with as many bits of 2/pi as they need (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983).

use super::dd::{Dd, power_of_two, quick_two_sum, two_prod, two_sum};
use super::tables::{ATAN, PI, PI_2, PI_2_PARTS, SIN_COS, TWO_OVER_PI};

/// `x` less the multiple of pi/2 nearest to it, and which multiple that is, modulo 4.
fn reduce(x: f64) -> (Dd, u8) {
    let magnitude = x.abs();
    if magnitude < std::f64::consts::FRAC_PI_4 {
        return (Dd::from(x), 0);
    }
    if magnitude < 1_000_000.0 {
        let n = (x * std::f64::consts::FRAC_2_PI).round_ties_even();
        let [first, second, third, fourth] = PI_2_PARTS;
        let one = two_sum(x - n * first, -n * second);
        let two = two_sum(one.hi, -n * third);
        let rest = two_sum(two.hi, two.lo + one.lo - n * fourth);
        return (rest, (n as i64 & 3) as u8);
    }
    let (rest, quadrant) = reduce_large(magnitude);
    if x < 0.0 {
        (-rest, quadrant.wrapping_neg() & 3)
    } else {
        (rest, quadrant)
    }
}

/// The same by integer arithmetic, for any positive `x` of at least 1.
fn reduce_large(x: f64) -> (Dd, u8) {
    let (significand, exponent) = crate::float_repr::decompose(x);
    // Bits of 2/pi whose products are multiples of 4 are left out; 320 bits from there on are enough.
    let skip = ((exponent - 2).max(0) / 64) as usize;
    let mut product = [0u64; 6];
    let mut carry = 0u128;
    for i in (0..5).rev() {
        let sum = u128::from(TWO_OVER_PI[skip + i]) * u128::from(significand) + carry;
        product[i + 1] = sum as u64;
        carry = sum >> 64;
    }
    product[0] = carry as u64;
    // `product` counts from the left; so many of its 384 bits are before the binary point.
    let before = 64 + exponent - 64 * skip as i32;
    // Aligned, so that the two lowest bits of the integral part come first.
    let from = (before - 2) as usize;
    let word = |i: usize| {
        let (at, shift) = (from / 64 + i, from % 64);
        let low = if shift == 0 {
            0
        } else {
            product.get(at + 1).copied().unwrap_or(0) >> (64 - shift)
        };
        product.get(at).copied().unwrap_or(0) << shift | low
    };
    let mut words = [word(0), word(1), word(2), word(3)];
    let mut quadrant = (words[0] >> 62) as u8;
    words[0] &= u64::MAX >> 2;
    let negative = words[0] >> 61 == 1;
    if negative {
        quadrant = (quadrant + 1) & 3;
        // 1 - fraction, in units of the last bit: the complement will do.
        words[0] = !words[0] & (u64::MAX >> 2);
        words[1] = !words[1];
        words[2] = !words[2];
        words[3] = !words[3];
    }
    // The leading 128 bits of the fraction.
    let mut position = -62i32;
    let mut at = 0;
    while at < 2 && words[at] == 0 {
        position -= 64;
        at += 1;
    }
    let zeros = words[at].leading_zeros();
    let next = |i: usize| words.get(i).copied().unwrap_or(0);
    let shifted = |i: usize| {
        if zeros == 0 {
            next(i)
        } else {
            next(i) << zeros | next(i + 1) >> (64 - zeros)
        }
    };
    let (high, low) = (shifted(at), shifted(at + 1));
    position -= zeros as i32;
    // high has 64 bits: 53 and 11.
    let scale = power_of_two(position);
    let top = (high >> 11) as f64 * 2048.0 * scale;
    let middle = (high & 2047) as f64 * scale;
    let bottom = (low >> 11) as f64 * 2048.0 * scale * power_of_two(-64);
    let fraction = quick_two_sum(top, middle + bottom);
    let rest = fraction * PI_2;
    (if negative { -rest } else { rest }, quadrant)
}

/// The sine and cosine of a reduced argument.
fn sin_cos_reduced(r: Dd) -> (Dd, Dd) {
    let negative = r.hi < 0.0;
    let r = if negative { -r } else { r };
    let i = (r.hi * 64.0).round_ties_even();
    let d = two_sum(r.hi - i / 64.0, r.lo);
    let x = d.hi;
    let square = two_prod(x, x);
    let s = square.hi;
    let sin_tail =
        x * s * (-1.0 / 6.0 + s * (1.0 / 120.0 - s * (1.0 / 5040.0))) + d.lo * (1.0 - 0.5 * s);
    let sin_d = quick_two_sum(x, sin_tail);
    let cos_tail = s * s * (1.0 / 24.0 + s * (-1.0 / 720.0 + s * (1.0 / 40320.0)))
        - x * d.lo
        - 0.5 * square.lo;
    let cos_d_less_one = quick_two_sum(-0.5 * s, cos_tail);
    let (sin, cos) = if i == 0.0 {
        (
            sin_d,
            two_sum(1.0, cos_d_less_one.hi) + Dd::from(cos_d_less_one.lo),
        )
    } else {
        let (sin_t, cos_t) = SIN_COS[i as usize];
        (
            sin_t + (cos_t * sin_d + sin_t * cos_d_less_one),
            cos_t + (cos_t * cos_d_less_one - sin_t * sin_d),
        )
    };
    (if negative { -sin } else { sin }, cos)
}

/// Sine and cosine of a finite argument.
fn sin_cos_dd(x: f64) -> (Dd, Dd) {
    let (r, quadrant) = reduce(x);
    let (sin, cos) = sin_cos_reduced(r);
    match quadrant {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// `sin(x)`.
pub fn sin(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < 1e-8 {
        return x;
    }
    sin_cos_dd(x).0.round()
}

/// `cos(x)`.
pub fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    sin_cos_dd(x).1.round()
}

/// `tan(x)`.
pub fn tan(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x.abs() < 7e-9 {
        return x;
    }
    let (sin, cos) = sin_cos_dd(x);
    (sin / cos).round()
}

/// The angle of a point with `0 <= y <= x`, both of moderate size.
fn atan_ratio(y: Dd, x: Dd) -> Dd {
    let i = (y.hi / x.hi * 64.0).round_ties_even();
    let t = i / 64.0;
    let z = if i == 0.0 {
        y / x
    } else {
        (y - x.mul_f64(t)) / (x + y.mul_f64(t))
    };
    let s = z.hi * z.hi;
    let tail =
        z.hi * s * (-1.0 / 3.0 + s * (1.0 / 5.0 + s * (-1.0 / 7.0 + s * (1.0 / 9.0)))) - z.lo * s;
    let angle = quick_two_sum(z.hi, z.lo + tail);
    if i == 0.0 {
        angle
    } else {
        ATAN[i as usize] + angle
    }
}

/// The angle of a point with `y >= 0`; not both zero.
fn angle(y: Dd, x: Dd) -> Dd {
    let right = if x.hi < 0.0 { -x } else { x };
    let first = if y.hi <= right.hi {
        atan_ratio(y, right)
    } else {
        PI_2 - atan_ratio(right, y)
    };
    if x.hi < 0.0 { PI - first } else { first }
}

/// `atan(x)`.
pub fn atan(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 7e-9 || x.is_nan() {
        return x;
    }
    if magnitude > 1e19 {
        return std::f64::consts::FRAC_PI_2.copysign(x);
    }
    angle(Dd::from(magnitude), Dd::from(1.0))
        .round()
        .copysign(x)
}

/// `atan2(y, x)` of C99, with its special values.
pub fn atan2(y: f64, x: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI as PI_F64};
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let left = x.is_sign_negative();
    if y == 0.0 {
        return if left { PI_F64 } else { 0.0 }.copysign(y);
    }
    if y.is_infinite() {
        let size = match (x.is_infinite(), left) {
            (false, _) => FRAC_PI_2,
            (true, false) => FRAC_PI_4,
            (true, true) => 3.0 * FRAC_PI_4,
        };
        return size.copysign(y);
    }
    if x.is_infinite() {
        return if left { PI_F64 } else { 0.0 }.copysign(y);
    }
    if x == 0.0 {
        return FRAC_PI_2.copysign(y);
    }
    // Scale both, so that the larger is about 1.
    let (y_exponent, x_exponent) = (exponent_of(y), exponent_of(x));
    if y_exponent - x_exponent > 64 {
        return FRAC_PI_2.copysign(y);
    }
    if x_exponent - y_exponent > 64 {
        return if left {
            PI_F64.copysign(y)
        } else {
            (y / x).abs().copysign(y)
        };
    }
    let down = -y_exponent.max(x_exponent);
    let scale = |v: f64| v * power_of_two(down / 2) * power_of_two(down - down / 2);
    angle(Dd::from(scale(y.abs())), Dd::from(scale(x)))
        .round()
        .copysign(y)
}

/// The exponent of a finite number that is not zero.
fn exponent_of(x: f64) -> i32 {
    let field = (x.to_bits() >> 52 & 0x7ff) as i32;
    if field == 0 {
        -1011 - (x.to_bits() << 12).leading_zeros() as i32 - 12
    } else {
        field - 1023
    }
}

/// `1 - x*x` for `|x| < 1`.
fn one_less_square(x: f64) -> Dd {
    two_sum(1.0, -x) * two_sum(1.0, x)
}

/// `asin(x)`.
pub fn asin(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 1e-8 || x.is_nan() {
        return x;
    }
    if magnitude > 1.0 {
        return f64::NAN;
    }
    if magnitude == 1.0 {
        return std::f64::consts::FRAC_PI_2.copysign(x);
    }
    angle(Dd::from(magnitude), one_less_square(x).sqrt())
        .round()
        .copysign(x)
}

/// `acos(x)`.
pub fn acos(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 1.0 {
        return f64::NAN;
    }
    if x == 1.0 {
        return 0.0;
    }
    if x == -1.0 {
        return std::f64::consts::PI;
    }
    angle(one_less_square(x).sqrt(), Dd::from(x)).round()
}
