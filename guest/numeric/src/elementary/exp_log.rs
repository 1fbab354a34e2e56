//! Exponentials, logarithms and powers, correctly rounded for all but very few arguments: table-driven, in double-double (the method
//! of P. T. P. Tang, "Table-driven implementation of the exponential function", 1989, and of the logarithm, 1990).

use super::dd::{Dd, quick_two_sum, round_scaled, two_prod, two_sum};
use super::tables::{EXP2, INV_LN2, LN2, LN2_128, LN2_PARTS, LOG, THIRD};

/// `exp(r) * 2**(k/128)`: the value to be scaled by the power of two beside it. `|r|` is at most ln(2)/256 and a bit.
fn exp_reduced(r: Dd, k: i64) -> (Dd, i32) {
    let x = r.hi;
    // exp(r) - 1 - r, with an error of 2**-70.
    let tail = x
        * x
        * (0.5
            + x * (1.0 / 6.0
                + x * (1.0 / 24.0 + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0))))));
    let less_one = quick_two_sum(x, r.lo + tail + r.lo * x);
    let power = EXP2[(k & 127) as usize];
    let product = two_prod(power.hi, less_one.hi);
    let sum = two_sum(power.hi, product.hi);
    let low =
        sum.lo + (product.lo + (power.lo + (power.hi * less_one.lo + power.lo * less_one.hi)));
    (quick_two_sum(sum.hi, low), (k >> 7) as i32)
}

/// `exp(x)` of a double-double between -800 and 800.
pub(super) fn exp_dd(x: Dd) -> (Dd, i32) {
    const INV: f64 = 128.0 * std::f64::consts::LOG2_E;
    let k = (x.hi * INV).round_ties_even();
    let [first, second, third] = LN2_128;
    let r = two_sum(x.hi - k * first, -k * second);
    let r = quick_two_sum(r.hi, r.lo + (x.lo - k * third));
    exp_reduced(r, k as i64)
}

/// `e**x`.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 710.0 {
        return f64::INFINITY;
    }
    if x < -746.0 {
        return 0.0;
    }
    if x.abs() < f64::EPSILON / 4.0 {
        return 1.0 + x;
    }
    let (value, exponent) = exp_dd(Dd::from(x));
    round_scaled(value, exponent)
}

/// `2**x`.
pub fn exp2(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x >= 1024.0 {
        return f64::INFINITY;
    }
    if x < -1075.5 {
        return 0.0;
    }
    let k = (x * 128.0).round_ties_even();
    let (value, exponent) = exp_reduced(LN2.mul_f64(x - k / 128.0), k as i64);
    round_scaled(value, exponent)
}

/// `ln(x)` of a positive finite number, with a relative error of about 2**-76.
pub(super) fn log_dd(x: f64) -> Dd {
    let mut bits = x.to_bits();
    let mut exponent = 0i32;
    if bits >> 52 == 0 {
        bits = (x * 18_014_398_509_481_984.0).to_bits();
        exponent = -54;
    }
    exponent += (bits >> 52) as i32 - 1023;
    let significand = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let j = ((bits >> 45) & 127) as usize;
    let (c, log_c) = LOG[j];
    exponent += i32::from(j >= 53);

    let product = two_prod(significand, c);
    let r = two_sum(product.hi - 1.0, product.lo);
    // ln(1+r) = r - r^2/2 + r^3/3 - ...: the first three terms in double-double.
    let x = r.hi;
    let square = two_prod(x, x);
    let cube = square.mul_f64(x) * THIRD;
    let tail = square.hi
        * square.hi
        * (-1.0 / 4.0
            + x * (1.0 / 5.0
                + x * (-1.0 / 6.0
                    + x * (1.0 / 7.0 + x * (-1.0 / 8.0 + x * (1.0 / 9.0 - x * (1.0 / 10.0)))))));
    let low = tail + r.lo * (x * x - x);
    let half_square = Dd {
        hi: 0.5 * square.hi,
        lo: 0.5 * square.lo,
    };
    let series = r - half_square + cube;
    let series = quick_two_sum(series.hi, series.lo + low);
    if exponent == 0 && log_c.hi == 0.0 {
        return series;
    }
    let k = f64::from(exponent);
    let [first, second, third] = LN2_PARTS;
    let scale = two_sum(k * first, k * second);
    scale + Dd::from(k * third) + log_c + series
}

/// What the logarithms of numbers that are not positive and finite are; `None` for all others.
fn log_special(x: f64) -> Option<f64> {
    if x.is_nan() || x < 0.0 {
        Some(f64::NAN)
    } else if x == 0.0 {
        Some(f64::NEG_INFINITY)
    } else if x.is_infinite() {
        Some(x)
    } else {
        None
    }
}

/// `ln(x)`.
pub fn log(x: f64) -> f64 {
    log_special(x).unwrap_or_else(|| if x == 1.0 { 0.0 } else { log_dd(x).round() })
}

/// The logarithm to base 2.
pub fn log2(x: f64) -> f64 {
    log_special(x).unwrap_or_else(|| {
        if x == 1.0 {
            0.0
        } else {
            (log_dd(x) * INV_LN2).round()
        }
    })
}

/// The logarithm to base 10, from `ln` of the significand as fdlibm (and with it glibc) does it: the rounding errors are the expected ones.
pub fn log10(x: f64) -> f64 {
    if let Some(special) = log_special(x) {
        return special;
    }
    const LOG10_2_HIGH: f64 = 0.301_029_995_663_611_77;
    const LOG10_2_LOW: f64 = 3.694_239_077_158_931e-13;
    let (mut bits, mut exponent) = (x.to_bits(), 0i32);
    if bits >> 52 == 0 {
        bits = (x * 18_014_398_509_481_984.0).to_bits();
        exponent = -54;
    }
    exponent += (bits >> 52) as i32 - 1023;
    // Negative exponents count from the significand 1..2 being 0.5..1.
    let negative = i32::from(exponent < 0);
    let significand = f64::from_bits(bits & ((1 << 52) - 1) | ((1023 - negative) as u64) << 52);
    let y = f64::from(exponent + negative);
    let z = y * LOG10_2_LOW + std::f64::consts::LOG10_E * log(significand);
    z + y * LOG10_2_HIGH
}

/// `x**y` of C99, with its special values.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y == 1.0 {
        return x;
    }
    if y == 2.0 {
        return x * x;
    }
    let magnitude = x.abs();
    let whole = y.trunc() == y;
    let odd = whole && y.abs() < 9_007_199_254_740_992.0 && (y as i64) & 1 != 0;
    let negative = x.is_sign_negative() && odd;
    let signed = |value: f64| if negative { -value } else { value };
    if y.is_infinite() {
        return if magnitude == 1.0 {
            1.0
        } else if (magnitude > 1.0) == (y > 0.0) {
            f64::INFINITY
        } else {
            0.0
        };
    }
    if magnitude == 0.0 || magnitude.is_infinite() {
        return signed(if (magnitude == 0.0) == (y > 0.0) {
            0.0
        } else {
            f64::INFINITY
        });
    }
    if x < 0.0 && !whole {
        return f64::NAN;
    }
    if magnitude == 1.0 {
        return signed(1.0);
    }
    if y == 0.5 {
        return x.sqrt();
    }
    if whole
        && y.abs() <= 64.0
        && let Some(value) = small_power(magnitude, y as i32)
    {
        return signed(value);
    }
    if y.abs() > 1e20 {
        // The logarithm is at least 2**-53 in size: far out of range.
        return signed(if (magnitude > 1.0) == (y > 0.0) {
            f64::INFINITY
        } else {
            0.0
        });
    }
    let product = log_dd(magnitude).mul_f64(y);
    if product.hi > 720.0 {
        return signed(f64::INFINITY);
    }
    if product.hi < -760.0 {
        return signed(0.0);
    }
    let (value, exponent) = exp_dd(product);
    signed(round_scaled(value, exponent))
}

/// A small integral power by multiplication, where nothing can overflow: exact products, and with them ties, are rounded right.
fn small_power(magnitude: f64, y: i32) -> Option<f64> {
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).abs() + 1;
    if exponent * y.abs() > 900 {
        return None;
    }
    let mut left = y.unsigned_abs();
    let mut square = Dd::from(magnitude);
    let mut power = Dd::from(1.0);
    loop {
        if left & 1 == 1 {
            power = power * square;
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        square = square * square;
    }
    Some(if y < 0 {
        (Dd::from(1.0) / power).round()
    } else {
        power.round()
    })
}
