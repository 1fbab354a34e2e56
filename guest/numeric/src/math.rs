//! The functions of the module `math` on floats: the elementary functions with Python's exceptions, the gamma and error functions, and what is
//! exact (`fma`, `remainder`, `nextafter`, `ulp`, `ldexp`, ...). Sums are in [`crate::sums`], integer functions in [`crate::int_ops`] and
//! [`crate::combinatorics`].
//!
//! A function raises `ValueError` where its result is NaN though no argument is, and `OverflowError` where it is infinite though all arguments are
//! finite. The texts are those of Python 3.14.

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use crate::elementary;
use crate::error::{NumericError, NumericResult};
use crate::float_repr::repr;

fn domain_error() -> NumericError {
    NumericError::value("math domain error")
}

fn range_error() -> NumericError {
    NumericError::overflow("math range error")
}

/// The result of a function of one argument, or its error; `expected` says which arguments are allowed.
fn checked(x: f64, result: f64, can_overflow: bool, expected: Option<&str>) -> NumericResult<f64> {
    let domain = || match expected {
        Some(expected) => NumericError::value(format!("expected {expected}, got {}", repr(x))),
        None => domain_error(),
    };
    if result.is_nan() && !x.is_nan() {
        return Err(domain());
    }
    if result.is_infinite() && x.is_finite() {
        return Err(if can_overflow {
            range_error()
        } else {
            domain()
        });
    }
    Ok(result)
}

/// A function of one float.
pub type Unary = fn(f64) -> NumericResult<f64>;

macro_rules! unary {
    ($($name:ident $function:expr, $can_overflow:literal, $expected:expr;)*) => {
        $(
            #[doc = concat!("`math.", stringify!($name), "(x)`")]
            pub fn $name(x: f64) -> NumericResult<f64> {
                checked(x, $function(x), $can_overflow, $expected)
            }
        )*
        /// All functions of one float that give a float, by name.
        pub const UNARY: &[(&str, Unary)] = &[
            $((stringify!($name), $name),)*
            ("degrees", degrees), ("radians", radians), ("gamma", gamma), ("lgamma", lgamma), ("log", log), ("log2", log2), ("log10", log10),
        ];
    };
}

const UNIT: Option<&str> = Some("a number in range from -1 up to 1");
const FINITE: Option<&str> = Some("a finite input");

unary! {
    acos elementary::acos, false, UNIT;
    acosh elementary::acosh, false, Some("argument value not less than 1");
    asin elementary::asin, false, UNIT;
    asinh elementary::asinh, false, None;
    atan elementary::atan, false, None;
    atanh elementary::atanh, false, Some("a number between -1 and 1");
    cbrt elementary::cbrt, false, None;
    cos elementary::cos, false, FINITE;
    cosh elementary::cosh, true, None;
    erf libm::erf, false, None;
    erfc libm::erfc, false, None;
    exp elementary::exp, true, None;
    exp2 elementary::exp2, true, None;
    expm1 elementary::expm1, true, None;
    fabs f64::abs, false, None;
    log1p elementary::log1p, false, Some("argument value > -1");
    sin elementary::sin, false, FINITE;
    sinh elementary::sinh, true, None;
    sqrt f64::sqrt, false, Some("a nonnegative input");
    tan elementary::tan, false, FINITE;
    tanh elementary::tanh, false, None;
}

/// `math.degrees(x)`; the one function that may overflow without an error.
pub fn degrees(x: f64) -> NumericResult<f64> {
    Ok(x * (180.0 / std::f64::consts::PI))
}

/// `math.radians(x)`
pub fn radians(x: f64) -> NumericResult<f64> {
    Ok(x * (std::f64::consts::PI / 180.0))
}

fn positive(x: f64, function: fn(f64) -> f64) -> NumericResult<f64> {
    if x <= 0.0 {
        return Err(NumericError::value(format!(
            "expected a positive input, got {}",
            repr(x)
        )));
    }
    Ok(function(x))
}

/// `math.log(x)`, the natural logarithm. (`math.log(x, base)` is the quotient of two of these.)
pub fn log(x: f64) -> NumericResult<f64> {
    positive(x, elementary::log)
}

/// `math.log2(x)`
pub fn log2(x: f64) -> NumericResult<f64> {
    positive(x, elementary::log2)
}

/// `math.log10(x)`
pub fn log10(x: f64) -> NumericResult<f64> {
    positive(x, elementary::log10)
}

/// The base of a logarithm of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogBase {
    /// `math.log`
    E,
    /// `math.log2`
    Two,
    /// `math.log10`
    Ten,
}

/// `math.log`, `math.log2` or `math.log10` of an integer of any size.
pub fn log_int(value: &BigInt, base: LogBase) -> NumericResult<f64> {
    if value.sign() != Sign::Plus {
        return Err(NumericError::value("expected a positive input"));
    }
    let function = match base {
        LogBase::E => elementary::log,
        LogBase::Two => elementary::log2,
        LogBase::Ten => elementary::log10,
    };
    match crate::rational::to_float(value) {
        Ok(x) => Ok(function(x)),
        Err(_) => {
            let (fraction, exponent) = crate::rational::frexp_int(value);
            Ok(function(fraction) + function(2.0) * exponent as f64)
        }
    }
}

/// `math.pow(x, y)`: C's, with errors for finite arguments.
pub fn pow(x: f64, y: f64) -> NumericResult<f64> {
    let result = elementary::pow(x, y);
    if x.is_finite() && y.is_finite() {
        if result.is_nan() || (result.is_infinite() && x == 0.0) {
            return Err(domain_error());
        }
        if result.is_infinite() {
            return Err(range_error());
        }
    }
    Ok(result)
}

/// `math.fmod(x, y)`: the sign of `x`.
pub fn fmod(x: f64, y: f64) -> NumericResult<f64> {
    let result = x % y;
    if result.is_nan() && !x.is_nan() && !y.is_nan() {
        Err(domain_error())
    } else {
        Ok(result)
    }
}

/// `math.remainder(x, y)`: the difference to the nearest multiple of `y`.
pub fn remainder(x: f64, y: f64) -> NumericResult<f64> {
    if x.is_finite() && y.is_infinite() {
        return Ok(x);
    }
    let result = libm::remainder(x, y);
    if result.is_nan() && !x.is_nan() && !y.is_nan() {
        Err(domain_error())
    } else {
        Ok(result)
    }
}

/// `math.fma(x, y, z)`: rounded once.
pub fn fma(x: f64, y: f64, z: f64) -> NumericResult<f64> {
    let result = libm::fma(x, y, z);
    if result.is_nan() && !x.is_nan() && !y.is_nan() && !z.is_nan() {
        return Err(NumericError::value("invalid operation in fma"));
    }
    if result.is_infinite() && x.is_finite() && y.is_finite() && z.is_finite() {
        return Err(NumericError::overflow("overflow in fma"));
    }
    Ok(result)
}

/// `math.ldexp(x, exponent)`
pub fn ldexp(x: f64, exponent: &BigInt) -> NumericResult<f64> {
    if x == 0.0 || !x.is_finite() {
        return Ok(x);
    }
    let exponent = exponent
        .to_i32()
        .unwrap_or(if exponent.sign() == Sign::Minus {
            -10_000
        } else {
            10_000
        });
    let result = libm::scalbn(x, exponent.clamp(-10_000, 10_000));
    if result.is_infinite() {
        Err(range_error())
    } else {
        Ok(result)
    }
}

/// `math.frexp(x)`
pub fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        (x, 0)
    } else {
        libm::frexp(x)
    }
}

/// `math.modf(x)`: fraction and integral part, both with the sign of `x`.
pub fn modf(x: f64) -> (f64, f64) {
    let whole = x.trunc();
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    (if x.is_nan() { x } else { fraction.copysign(x) }, whole)
}

/// The doubles in order, as integers: 0 is zero, and the next double has the next number.
fn ordinal(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn from_ordinal(n: i64) -> f64 {
    f64::from_bits(if n < 0 {
        (i64::MIN - n) as u64
    } else {
        n as u64
    })
}

/// `math.nextafter(x, y, steps=steps)`
pub fn nextafter(x: f64, y: f64, steps: u64) -> f64 {
    if x.is_nan() || steps == 0 {
        return x;
    }
    if y.is_nan() || x == y {
        return y;
    }
    let (from, to) = (ordinal(x), ordinal(y));
    let distance = from.abs_diff(to);
    if steps >= distance {
        return y;
    }
    let moved = from_ordinal(if to > from {
        from + steps as i64
    } else {
        from - steps as i64
    });
    // Zero reached from below is negative.
    if moved == 0.0 {
        0.0f64.copysign(x)
    } else {
        moved
    }
}

/// `math.ulp(x)`
pub fn ulp(x: f64) -> f64 {
    let size = x.abs();
    if !size.is_finite() {
        return size;
    }
    let next = f64::from_bits(size.to_bits() + 1);
    if next.is_infinite() {
        size - f64::from_bits(size.to_bits() - 1)
    } else {
        next - size
    }
}

/// `math.isclose(a, b, rel_tol=..., abs_tol=...)`
pub fn isclose(a: f64, b: f64, relative: f64, absolute: f64) -> NumericResult<bool> {
    if relative < 0.0 || absolute < 0.0 {
        return Err(NumericError::value("tolerances must be non-negative"));
    }
    if a == b {
        return Ok(true);
    }
    if a.is_infinite() || b.is_infinite() {
        return Ok(false);
    }
    let difference = (b - a).abs();
    Ok(difference <= (relative * b).abs()
        || difference <= (relative * a).abs()
        || difference <= absolute)
}

/// The parameter of the Lanczos approximation.
const G: f64 = 6.024_680_040_776_73;
const G_LESS_HALF: f64 = 5.524_680_040_776_73;

/// The Lanczos sum for 13 terms as a rational function (coefficients of Boost's `lanczos13m53`, which CPython uses too).
#[allow(clippy::excessive_precision)]
fn lanczos_sum(x: f64) -> f64 {
    const TERMS: [(f64, f64); 13] = [
        (23531376880.410759688572007674451636754734846804940, 0.0),
        (
            42919803642.649098768957899047001988850926355848959,
            39916800.0,
        ),
        (
            35711959237.355668049440185451547166705960488635843,
            120543840.0,
        ),
        (
            17921034426.037209699919755754458931112671403265390,
            150917976.0,
        ),
        (
            6039542586.3520280050642916443072979210699388420708,
            105258076.0,
        ),
        (
            1439720407.3117216736632230727949123939715485786372,
            45995730.0,
        ),
        (
            248874557.86205415651146038641322942321632125127801,
            13339535.0,
        ),
        (
            31426415.585400194380614231628318205362874684987640,
            2637558.0,
        ),
        (
            2876370.6289353724412254090516208496135991145378768,
            357423.0,
        ),
        (186056.26539522349504029498971604569928220784236328, 32670.0),
        (8071.6720023658162106380029022722506138218516325024, 1925.0),
        (210.82427775157934587250973392071336271166969580291, 66.0),
        (2.5066282746310002701649081771338373386264310793408, 1.0),
    ];
    // By powers of 1/x for large x, so that nothing overflows.
    let step = |(above, below): (f64, f64), &(a, b): &(f64, f64)| {
        if x < 5.0 {
            (above * x + a, below * x + b)
        } else {
            (above / x + a, below / x + b)
        }
    };
    let (above, below) = if x < 5.0 {
        TERMS.iter().rev().fold((0.0, 0.0), step)
    } else {
        TERMS.iter().fold((0.0, 0.0), step)
    };
    above / below
}

/// `sin(pi * x)`
fn sin_pi(x: f64) -> f64 {
    use std::f64::consts::PI;
    let y = x.abs() % 2.0;
    let size = match (2.0 * y).round() as i32 {
        0 => elementary::sin(PI * y),
        1 => elementary::cos(PI * (y - 0.5)),
        2 => elementary::sin(PI * (1.0 - y)),
        3 => -elementary::cos(PI * (y - 1.5)),
        _ => elementary::sin(PI * (y - 2.0)),
    };
    size * 1f64.copysign(x)
}

fn gamma_pole(x: f64) -> NumericError {
    NumericError::value(format!(
        "expected a noninteger or positive integer, got {}",
        repr(x)
    ))
}

/// `math.gamma(x)`: the Lanczos approximation, with the reflection formula for negative arguments.
pub fn gamma(x: f64) -> NumericResult<f64> {
    if x.is_nan() || x == f64::INFINITY {
        return Ok(x);
    }
    if x == f64::NEG_INFINITY || (x <= 0.0 && x.floor() == x) {
        return Err(gamma_pole(x));
    }
    if x > 0.0 && x <= 23.0 && x.floor() == x {
        // Factorials that are exact.
        return Ok((1..x as u64).fold(1.0, |product, n| product * n as f64));
    }
    let size = x.abs();
    if size < 1e-20 {
        let result = 1.0 / x;
        return if result.is_infinite() {
            Err(range_error())
        } else {
            Ok(result)
        };
    }
    if size > 200.0 {
        return if x < 0.0 {
            Ok(0.0 / sin_pi(x))
        } else {
            Err(range_error())
        };
    }
    let y = size + G_LESS_HALF;
    // What rounding lost in y, as a factor of the result.
    let lost = if size > G_LESS_HALF {
        (y - size) - G_LESS_HALF
    } else {
        (y - G_LESS_HALF) - size
    };
    let correction = lost * G / y;
    let power = |base: f64, result: f64, divide: bool| {
        let apply = |result: f64, factor: f64| {
            if divide {
                result / factor
            } else {
                result * factor
            }
        };
        if size < 140.0 {
            apply(result, elementary::pow(base, size - 0.5))
        } else {
            // The power alone would overflow: half of it, twice.
            let root = elementary::pow(base, size / 2.0 - 0.25);
            apply(apply(result, root), root)
        }
    };
    let result = if x < 0.0 {
        let result =
            -std::f64::consts::PI / sin_pi(size) / size * elementary::exp(y) / lanczos_sum(size);
        power(y, result - correction * result, true)
    } else {
        let result = lanczos_sum(size) / elementary::exp(y);
        power(y, result + correction * result, false)
    };
    if result.is_infinite() {
        Err(range_error())
    } else {
        Ok(result)
    }
}

/// `math.lgamma(x)`: the logarithm of the absolute value of gamma.
pub fn lgamma(x: f64) -> NumericResult<f64> {
    const LN_PI: f64 = 1.144_729_885_849_400_2;
    if x.is_nan() {
        return Ok(x);
    }
    if x.is_infinite() {
        return Ok(f64::INFINITY);
    }
    if x.floor() == x && x <= 2.0 {
        return if x <= 0.0 {
            Err(gamma_pole(x))
        } else {
            Ok(0.0)
        };
    }
    let size = x.abs();
    if size < 1e-20 {
        return Ok(-elementary::log(size));
    }
    let mut result = elementary::log(lanczos_sum(size)) - G;
    result += (size - 0.5) * (elementary::log(size + G - 0.5) - 1.0);
    if x < 0.0 {
        result = LN_PI - elementary::log(sin_pi(size).abs()) - elementary::log(size) - result;
    }
    if result.is_infinite() {
        Err(range_error())
    } else {
        Ok(result)
    }
}
