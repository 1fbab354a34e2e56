//! The functions of the module `cmath`. Formulas and branch cuts are W. Kahan's ("Branch cuts for complex elementary functions, or: Much ado about
//! nothing's sign bit", 1987); values at infinities, NaN and signed zeros are those of C99, annex G.6, read from tables.
//!
//! `ValueError` ("math domain error") and `OverflowError` ("math range error") are raised where CPython does.

use crate::complex_ops::Complex;
use crate::elementary::{self, dd::power_of_two};
use crate::error::{NumericError, NumericResult};
use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, LN_2, LN_10, PI};

/// Above this, squares and sums of the parts might overflow.
const LARGE: f64 = f64::MAX / 4.0;
/// The logarithm of [`LARGE`].
const LOG_LARGE: f64 = 708.396_418_532_264_1;

fn domain_error() -> NumericError {
    NumericError::value("math domain error")
}

fn range_error() -> NumericError {
    NumericError::overflow("math range error")
}

/// `i * z`
fn times_i(z: Complex) -> Complex {
    Complex::new(-z.im, z.re)
}

/// `-i * z`
fn over_i(z: Complex) -> Complex {
    Complex::new(z.im, -z.re)
}

/// Values where a part is not finite. Rows are real parts, columns imaginary parts: -inf, negative, -0, 0, positive, inf, nan. A value is two
/// letters, of the real and the imaginary part: `0`, `1`, `i`nf, `n`an, `p`i, `h`alf, `q`uarter and th`r`ee quarters of pi; negative: `o`, `l`,
/// capitals. `!!` is a domain error; `..` is not in the table.
type Table = [&'static str; 7];

const ACOS: Table = [
    "ri pi pi pI pI rI ni",
    "hi .. .. .. .. hI nn",
    "hi .. .. .. .. hI hn",
    "hi .. .. .. .. hI hn",
    "hi .. .. .. .. hI nn",
    "qi 0i 0i 0I 0I qI ni",
    "ni nn nn nn nn nI nn",
];
const ACOSH: Table = [
    "iR iP iP ip ip ir in",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iQ io io i0 i0 iq in",
    "in nn nn nn nn in nn",
];
const ASINH: Table = [
    "IQ Io Io I0 I0 Iq In",
    "IH .. .. .. .. Ih nn",
    "IH .. .. .. .. Ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iQ io io i0 i0 iq in",
    "in nn no n0 nn in nn",
];
const ATANH: Table = [
    "oH oH oH oh oh oh on",
    "oH .. .. .. .. oh nn",
    "oH .. .. .. .. oh on",
    "0H .. .. .. .. 0h 0n",
    "0H .. .. .. .. 0h nn",
    "0H 0H 0H 0h 0h 0h 0n",
    "0H nn nn nn nn 0h nn",
];
const COSH: Table = [
    "!! .. i0 io .. !! in",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! n0",
    "!! .. .. .. .. !! n0",
    "!! .. .. .. .. !! nn",
    "!! .. io i0 .. !! in",
    "nn nn n0 n0 nn nn nn",
];
const EXP: Table = [
    "00 .. 0o 00 .. 00 00",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! nn",
    "!! .. io i0 .. !! in",
    "nn nn no n0 nn nn nn",
];
const LOG: Table = [
    "iR iP iP ip ip ir in",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iH .. .. .. .. ih nn",
    "iQ io io i0 i0 iq in",
    "in nn nn nn nn in nn",
];
const SINH: Table = [
    "!! .. Io I0 .. !! in",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! 0n",
    "!! .. .. .. .. !! 0n",
    "!! .. .. .. .. !! nn",
    "!! .. io i0 .. !! in",
    "nn nn no n0 nn nn nn",
];
const SQRT: Table = [
    "iI 0I 0I 0i 0i ii ni",
    "iI .. .. .. .. ii nn",
    "iI .. .. .. .. ii nn",
    "iI .. .. .. .. ii nn",
    "iI .. .. .. .. ii nn",
    "iI io io i0 i0 ii in",
    "iI nn nn nn nn ii nn",
];
const TANH: Table = [
    "l0 .. lo l0 .. l0 l0",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! nn",
    "!! .. .. .. .. !! nn",
    "10 .. 1o 10 .. 10 10",
    "nn nn no n0 nn nn nn",
];
const RECT: Table = [
    "!! .. I0 Io .. !! in",
    "!! .. .. .. .. !! nn",
    "00 .. .. .. .. 00 00",
    "00 .. .. .. .. 00 00",
    "!! .. .. .. .. !! nn",
    "!! .. io i0 .. !! in",
    "nn nn n0 n0 nn nn nn",
];

/// Which row or column of a table.
fn kind(x: f64) -> usize {
    match (x.is_nan(), x.is_sign_negative()) {
        (true, _) => 6,
        (_, true) if x.is_infinite() => 0,
        (_, true) if x == 0.0 => 2,
        (_, true) => 1,
        (_, false) if x == 0.0 => 3,
        (_, false) if x.is_infinite() => 5,
        _ => 4,
    }
}

fn special(table: &Table, z: Complex) -> Option<NumericResult<Complex>> {
    if z.is_finite() {
        return None;
    }
    let at = kind(z.im) * 3;
    let letters = &table[kind(z.re)].as_bytes()[at..at + 2];
    let value = |letter: u8| {
        let size = match letter.to_ascii_lowercase() {
            b'0' | b'o' => 0.0,
            b'1' | b'l' => 1.0,
            b'i' => f64::INFINITY,
            b'p' => PI,
            b'h' => FRAC_PI_2,
            b'q' => FRAC_PI_4,
            b'r' => 3.0 * FRAC_PI_4,
            _ => f64::NAN,
        };
        if letter.is_ascii_uppercase() || matches!(letter, b'o' | b'l') {
            -size
        } else {
            size
        }
    };
    match letters {
        b".." => None,
        b"!!" => Some(Err(domain_error())),
        _ => Some(Ok(Complex::new(value(letters[0]), value(letters[1])))),
    }
}

/// The result, unless a part of it has overflowed.
fn in_range(z: Complex) -> NumericResult<Complex> {
    if z.re.is_infinite() || z.im.is_infinite() {
        Err(range_error())
    } else {
        Ok(z)
    }
}

fn is_large(z: Complex) -> bool {
    z.re.abs() > LARGE || z.im.abs() > LARGE
}

/// `cmath.sqrt`
pub fn sqrt(z: Complex) -> NumericResult<Complex> {
    special(&SQRT, z).unwrap_or_else(|| Ok(sqrt_finite(z)))
}

fn sqrt_finite(z: Complex) -> Complex {
    if z.re == 0.0 && z.im == 0.0 {
        return Complex::new(0.0, z.im);
    }
    let (x, y) = (z.re.abs(), z.im.abs());
    let s = if x < f64::MIN_POSITIVE && y < f64::MIN_POSITIVE {
        // Subnormal parts: scaled up, and by 2 less, since the root is of half the sum.
        let (x, y) = (x * power_of_two(53), y * power_of_two(53));
        (x + elementary::hypot(x, y)).sqrt() * power_of_two(-27)
    } else {
        let x = x / 8.0;
        2.0 * (x + elementary::hypot(x, y / 8.0)).sqrt()
    };
    let d = y / (2.0 * s);
    if z.re >= 0.0 {
        Complex::new(s, d.copysign(z.im))
    } else {
        Complex::new(d, s.copysign(z.im))
    }
}

/// `ln(hypot(x, y))` of large parts, and more.
fn log_large(x: f64, y: f64, more: f64) -> f64 {
    elementary::log(elementary::hypot(x / 2.0, y / 2.0)) + more
}

/// `cmath.acos`
pub fn acos(z: Complex) -> NumericResult<Complex> {
    special(&ACOS, z).unwrap_or_else(|| {
        Ok(if is_large(z) {
            let size = log_large(z.re, z.im, 2.0 * LN_2);
            let im = if z.re < 0.0 {
                -size.copysign(z.im)
            } else {
                size.copysign(-z.im)
            };
            Complex::new(elementary::atan2(z.im.abs(), z.re), im)
        } else {
            let below = sqrt_finite(Complex::new(1.0 - z.re, -z.im));
            let above = sqrt_finite(Complex::new(1.0 + z.re, z.im));
            Complex::new(
                2.0 * elementary::atan2(below.re, above.re),
                elementary::asinh(above.re * below.im - above.im * below.re),
            )
        })
    })
}

/// `cmath.acosh`
pub fn acosh(z: Complex) -> NumericResult<Complex> {
    special(&ACOSH, z).unwrap_or_else(|| {
        Ok(if is_large(z) {
            Complex::new(
                log_large(z.re, z.im, 2.0 * LN_2),
                elementary::atan2(z.im, z.re),
            )
        } else {
            let below = sqrt_finite(Complex::new(z.re - 1.0, z.im));
            let above = sqrt_finite(Complex::new(z.re + 1.0, z.im));
            Complex::new(
                elementary::asinh(below.re * above.re + below.im * above.im),
                2.0 * elementary::atan2(below.im, above.re),
            )
        })
    })
}

/// `cmath.asin`
pub fn asin(z: Complex) -> NumericResult<Complex> {
    asinh(times_i(z)).map(over_i)
}

/// `cmath.asinh`
pub fn asinh(z: Complex) -> NumericResult<Complex> {
    special(&ASINH, z).unwrap_or_else(|| {
        Ok(if is_large(z) {
            let size = log_large(z.re, z.im, 2.0 * LN_2);
            let re = if z.im < 0.0 {
                -size.copysign(-z.re)
            } else {
                size.copysign(z.re)
            };
            Complex::new(re, elementary::atan2(z.im, z.re.abs()))
        } else {
            let first = sqrt_finite(Complex::new(1.0 + z.im, -z.re));
            let second = sqrt_finite(Complex::new(1.0 - z.im, z.re));
            Complex::new(
                elementary::asinh(first.re * second.im - second.re * first.im),
                elementary::atan2(z.im, first.re * second.re - first.im * second.im),
            )
        })
    })
}

/// `cmath.atan`
pub fn atan(z: Complex) -> NumericResult<Complex> {
    atanh(times_i(z)).map(over_i)
}

/// `cmath.atanh`
pub fn atanh(z: Complex) -> NumericResult<Complex> {
    if let Some(result) = special(&ATANH, z) {
        return result;
    }
    if z.re.is_sign_negative() {
        return atanh(Complex::new(-z.re, -z.im)).map(|w| Complex::new(-w.re, -w.im));
    }
    const SQRT_LARGE: f64 = 6.703_903_964_971_298e153;
    const SQRT_SMALLEST: f64 = 1.491_668_146_240_041_3e-154;
    let y = z.im.abs();
    if z.re > SQRT_LARGE || y > SQRT_LARGE {
        let h = elementary::hypot(z.re / 2.0, z.im / 2.0);
        return Ok(Complex::new(z.re / 4.0 / h / h, -FRAC_PI_2.copysign(-z.im)));
    }
    if z.re == 1.0 && y < SQRT_SMALLEST {
        if y == 0.0 {
            return Err(domain_error());
        }
        let re = -elementary::log(y.sqrt() / elementary::hypot(y, 2.0).sqrt());
        return Ok(Complex::new(
            re,
            (elementary::atan2(2.0, -y) / 2.0).copysign(z.im),
        ));
    }
    let less = 1.0 - z.re;
    Ok(Complex::new(
        elementary::log1p(4.0 * z.re / (less * less + y * y)) / 4.0,
        -elementary::atan2(-2.0 * z.im, less * (1.0 + z.re) - y * y) / 2.0,
    ))
}

/// An infinite or vanishing modulus with the direction of an angle.
fn directed(size: f64, angle: f64) -> Complex {
    Complex::new(
        size.copysign(elementary::cos(angle)),
        size.copysign(elementary::sin(angle)),
    )
}

/// `cmath.exp`
pub fn exp(z: Complex) -> NumericResult<Complex> {
    if let Some(result) = special(&EXP, z) {
        return result;
    }
    if z.re.is_infinite() {
        return Ok(directed(if z.re > 0.0 { f64::INFINITY } else { 0.0 }, z.im));
    }
    let (sin, cos) = (elementary::sin(z.im), elementary::cos(z.im));
    in_range(if z.re > LOG_LARGE {
        let size = elementary::exp(z.re - 1.0);
        Complex::new(size * cos * E, size * sin * E)
    } else {
        let size = elementary::exp(z.re);
        Complex::new(size * cos, size * sin)
    })
}

/// `cmath.cosh`
pub fn cosh(z: Complex) -> NumericResult<Complex> {
    if let Some(result) = special(&COSH, z) {
        return result;
    }
    if z.re.is_infinite() {
        let w = directed(f64::INFINITY, z.im);
        return Ok(if z.re > 0.0 {
            w
        } else {
            Complex::new(w.re, -w.im)
        });
    }
    let (sin, cos) = (elementary::sin(z.im), elementary::cos(z.im));
    in_range(if z.re.abs() > LOG_LARGE {
        let less = z.re - 1f64.copysign(z.re);
        Complex::new(
            cos * elementary::cosh(less) * E,
            sin * elementary::sinh(less) * E,
        )
    } else {
        Complex::new(cos * elementary::cosh(z.re), sin * elementary::sinh(z.re))
    })
}

/// `cmath.sinh`
pub fn sinh(z: Complex) -> NumericResult<Complex> {
    if let Some(result) = special(&SINH, z) {
        return result;
    }
    if z.re.is_infinite() {
        let w = directed(f64::INFINITY, z.im);
        return Ok(if z.re > 0.0 {
            w
        } else {
            Complex::new(-w.re, w.im)
        });
    }
    let (sin, cos) = (elementary::sin(z.im), elementary::cos(z.im));
    in_range(if z.re.abs() > LOG_LARGE {
        let less = z.re - 1f64.copysign(z.re);
        Complex::new(
            cos * elementary::sinh(less) * E,
            sin * elementary::cosh(less) * E,
        )
    } else {
        Complex::new(cos * elementary::sinh(z.re), sin * elementary::cosh(z.re))
    })
}

/// `cmath.tanh`
pub fn tanh(z: Complex) -> NumericResult<Complex> {
    if let Some(result) = special(&TANH, z) {
        return result;
    }
    let (sin, cos) = (elementary::sin(z.im), elementary::cos(z.im));
    if z.re.is_infinite() {
        return Ok(Complex::new(
            1f64.copysign(z.re),
            0f64.copysign(2.0 * sin * cos),
        ));
    }
    if z.re.abs() > LOG_LARGE {
        return Ok(Complex::new(
            1f64.copysign(z.re),
            4.0 * sin * cos * elementary::exp(-2.0 * z.re.abs()),
        ));
    }
    let t = elementary::tanh(z.re);
    let u = elementary::tan(z.im);
    let reciprocal = 1.0 / elementary::cosh(z.re);
    let product = t * u;
    let divisor = 1.0 + product * product;
    Ok(Complex::new(
        t * (1.0 + u * u) / divisor,
        ((u / divisor) * reciprocal) * reciprocal,
    ))
}

/// `cmath.cos`
pub fn cos(z: Complex) -> NumericResult<Complex> {
    cosh(times_i(z))
}

/// `cmath.sin`
pub fn sin(z: Complex) -> NumericResult<Complex> {
    sinh(times_i(z)).map(over_i)
}

/// `cmath.tan`
pub fn tan(z: Complex) -> NumericResult<Complex> {
    tanh(times_i(z)).map(over_i)
}

/// The logarithm, also of zero.
fn log_of(z: Complex) -> NumericResult<Complex> {
    if let Some(result) = special(&LOG, z) {
        return result;
    }
    let (x, y) = (z.re.abs(), z.im.abs());
    let re = if x > LARGE || y > LARGE {
        log_large(x, y, LN_2)
    } else if x < f64::MIN_POSITIVE && y < f64::MIN_POSITIVE {
        if x > 0.0 || y > 0.0 {
            let scale = power_of_two(53);
            elementary::log(elementary::hypot(x * scale, y * scale)) - 53.0 * LN_2
        } else {
            f64::NEG_INFINITY
        }
    } else {
        let size = elementary::hypot(x, y);
        if (0.71..=1.73).contains(&size) {
            let (large, small) = if x > y { (x, y) } else { (y, x) };
            elementary::log1p((large - 1.0) * (large + 1.0) + small * small) / 2.0
        } else {
            elementary::log(size)
        }
    };
    Ok(Complex::new(re, elementary::atan2(z.im, z.re)))
}

fn not_zero(z: Complex) -> NumericResult<()> {
    if z.re == 0.0 && z.im == 0.0 {
        Err(domain_error())
    } else {
        Ok(())
    }
}

/// `cmath.log(z)`
pub fn log(z: Complex) -> NumericResult<Complex> {
    not_zero(z)?;
    log_of(z)
}

/// `cmath.log(z, base)`
pub fn log_base(z: Complex, base: Complex) -> NumericResult<Complex> {
    let logarithm = log_of(z)?;
    let divisor = log(base)?;
    crate::complex_ops::div(logarithm, divisor).map_err(|_| domain_error())
}

/// `cmath.log10(z)`
pub fn log10(z: Complex) -> NumericResult<Complex> {
    log(z).map(|w| Complex::new(w.re / LN_10, w.im / LN_10))
}

/// `cmath.phase(z)`
pub fn phase(z: Complex) -> f64 {
    elementary::atan2(z.im, z.re)
}

/// `cmath.polar(z)`
pub fn polar(z: Complex) -> NumericResult<(f64, f64)> {
    let size = elementary::hypot(z.re, z.im);
    if size.is_infinite() && z.is_finite() {
        Err(range_error())
    } else {
        Ok((size, phase(z)))
    }
}

/// `cmath.rect(r, phi)`
pub fn rect(r: f64, phi: f64) -> NumericResult<Complex> {
    if let Some(result) = special(&RECT, Complex::new(r, phi)) {
        return result;
    }
    if r.is_infinite() {
        let w = directed(f64::INFINITY, phi);
        return Ok(if r > 0.0 {
            w
        } else {
            Complex::new(-w.re, -w.im)
        });
    }
    Ok(if phi == 0.0 {
        Complex::new(r, r * phi)
    } else {
        Complex::new(r * elementary::cos(phi), r * elementary::sin(phi))
    })
}

/// `cmath.isclose(a, b, rel_tol=..., abs_tol=...)`
pub fn isclose(a: Complex, b: Complex, relative: f64, absolute: f64) -> NumericResult<bool> {
    if relative < 0.0 || absolute < 0.0 {
        return Err(NumericError::value("tolerances must be non-negative"));
    }
    if a == b {
        return Ok(true);
    }
    if [a.re, a.im, b.re, b.im].iter().any(|x| x.is_infinite()) {
        return Ok(false);
    }
    let size = |z: Complex| elementary::hypot(z.re, z.im);
    let difference = size(Complex::new(a.re - b.re, a.im - b.im));
    Ok(difference <= relative * size(b)
        || difference <= relative * size(a)
        || difference <= absolute)
}

/// A function of one complex number.
pub type Unary = fn(Complex) -> NumericResult<Complex>;

/// All functions of one complex number that give one, by name.
pub const UNARY: &[(&str, Unary)] = &[
    ("acos", acos),
    ("acosh", acosh),
    ("asin", asin),
    ("asinh", asinh),
    ("atan", atan),
    ("atanh", atanh),
    ("cos", cos),
    ("cosh", cosh),
    ("exp", exp),
    ("log10", log10),
    ("sin", sin),
    ("sinh", sinh),
    ("sqrt", sqrt),
    ("tan", tan),
    ("tanh", tanh),
];
