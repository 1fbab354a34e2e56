//! Complex arithmetic with Python's exceptions: product, quotient, power, absolute value. Sums are sums of the parts.

use crate::elementary;
use crate::error::{NumericError, NumericResult};

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Complex {
    /// From its parts.
    pub const fn new(re: f64, im: f64) -> Self {
        Complex { re, im }
    }

    pub(crate) fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    fn is_infinite(self) -> bool {
        self.re.is_infinite() || self.im.is_infinite()
    }
}

/// An infinite part as 1, a finite one as 0, with its sign.
fn unit(x: f64) -> f64 {
    (if x.is_infinite() { 1.0f64 } else { 0.0 }).copysign(x)
}

/// NaN as 0, with its sign.
fn without_nan(x: f64) -> f64 {
    if x.is_nan() { 0.0f64.copysign(x) } else { x }
}

/// The product. Where one factor is infinite, so is the product, even if the formula gives NaN (C99, annex G.5.1), as since Python 3.14.
pub fn mul(a: Complex, b: Complex) -> Complex {
    let formula =
        |a: Complex, b: Complex| Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    let product = formula(a, b);
    if !(product.re.is_nan() && product.im.is_nan()) {
        return product;
    }
    let (mut x, mut y) = (a, b);
    let mut infinite = false;
    if x.is_infinite() {
        x = Complex::new(unit(x.re), unit(x.im));
        y = Complex::new(without_nan(y.re), without_nan(y.im));
        infinite = true;
    }
    if y.is_infinite() {
        y = Complex::new(unit(y.re), unit(y.im));
        x = Complex::new(without_nan(x.re), without_nan(x.im));
        infinite = true;
    }
    let overflowed = [a.re * b.re, a.im * b.im, a.re * b.im, a.im * b.re]
        .iter()
        .any(|p| p.is_infinite());
    if !infinite && overflowed {
        x = Complex::new(without_nan(x.re), without_nan(x.im));
        y = Complex::new(without_nan(y.re), without_nan(y.im));
        infinite = true;
    }
    if !infinite {
        return product;
    }
    let again = formula(x, y);
    Complex::new(f64::INFINITY * again.re, f64::INFINITY * again.im)
}

/// The quotient, by R. L. Smith's method (1962), which scales by the larger part of the divisor; infinities as in C99, annex G.5.1.
pub fn div(a: Complex, b: Complex) -> NumericResult<Complex> {
    if b.re == 0.0 && b.im == 0.0 {
        return Err(NumericError::zero_division("division by zero"));
    }
    Ok(quotient(a, b))
}

fn quotient(a: Complex, b: Complex) -> Complex {
    let result = if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let divisor = b.re + b.im * ratio;
        Complex::new(
            (a.re + a.im * ratio) / divisor,
            (a.im - a.re * ratio) / divisor,
        )
    } else if b.im.abs() >= b.re.abs() {
        let ratio = b.re / b.im;
        let divisor = b.re * ratio + b.im;
        Complex::new(
            (a.re * ratio + a.im) / divisor,
            (a.im * ratio - a.re) / divisor,
        )
    } else {
        Complex::new(f64::NAN, f64::NAN)
    };
    if !(result.re.is_nan() && result.im.is_nan()) {
        return result;
    }
    if a.is_infinite() && b.is_finite() {
        let (x, y) = (unit(a.re), unit(a.im));
        return Complex::new(
            f64::INFINITY * (x * b.re + y * b.im),
            f64::INFINITY * (y * b.re - x * b.im),
        );
    }
    if b.is_infinite() && a.is_finite() {
        let (x, y) = (unit(b.re), unit(b.im));
        return Complex::new(0.0 * (a.re * x + a.im * y), 0.0 * (a.im * x - a.re * y));
    }
    result
}

/// `real / z`.
pub fn real_div(real: f64, z: Complex) -> NumericResult<Complex> {
    div(Complex::new(real, 0.0), z)
}

/// `base ** exponent`
pub fn pow(base: Complex, exponent: Complex) -> NumericResult<Complex> {
    if exponent.re == 0.0 && exponent.im == 0.0 {
        return Ok(Complex::new(1.0, 0.0));
    }
    if base.re == 0.0 && base.im == 0.0 {
        if exponent.im != 0.0 || exponent.re < 0.0 {
            return Err(NumericError::zero_division(
                "zero to a negative or complex power",
            ));
        }
        return Ok(Complex::new(0.0, 0.0));
    }
    let result =
        if exponent.im == 0.0 && exponent.re.floor() == exponent.re && exponent.re.abs() <= 100.0 {
            let power = small_power(base, exponent.re.abs() as u32);
            if exponent.re > 0.0 {
                power
            } else {
                quotient(Complex::new(1.0, 0.0), power)
            }
        } else {
            let angle = elementary::atan2(base.im, base.re);
            let modulus = elementary::hypot(base.re, base.im);
            let mut size = elementary::pow(modulus, exponent.re);
            let mut phase = angle * exponent.re;
            if exponent.im != 0.0 {
                size /= elementary::exp(angle * exponent.im);
                phase += exponent.im * elementary::log(modulus);
            }
            Complex::new(size * elementary::cos(phase), size * elementary::sin(phase))
        };
    if result.is_infinite() && base.is_finite() && exponent.is_finite() {
        return Err(NumericError::overflow("complex exponentiation"));
    }
    Ok(result)
}

/// A power by squaring.
fn small_power(base: Complex, exponent: u32) -> Complex {
    let mut power = Complex::new(1.0, 0.0);
    let mut square = base;
    let mut left = exponent;
    while left > 0 {
        if left & 1 == 1 {
            power = mul(power, square);
        }
        left >>= 1;
        square = mul(square, square);
    }
    power
}

/// `abs(z)`
pub fn abs(z: Complex) -> NumericResult<f64> {
    let size = elementary::hypot(z.re, z.im);
    if size.is_infinite() && z.is_finite() {
        Err(NumericError::overflow("absolute value too large"))
    } else {
        Ok(size)
    }
}
