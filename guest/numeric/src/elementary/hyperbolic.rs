//! Hyperbolic functions and their inverses, and the Euclidean norm of two.
//!
//! For these glibc has fdlibm's formulas (K. C. Ng, 1993), whose results are up to one unit in the last place off the exact ones; the same formulas
//! over the same `expm1`, `log1p`, `exp` and `log` give the same digits.

use super::dd::{power_of_two, two_prod, two_sum};
use super::{exp, expm1, log, log1p};

const LN2: f64 = std::f64::consts::LN_2;

/// `exp(x) / 2` where `exp(x)` may overflow but half of it not.
fn half_exp(magnitude: f64) -> f64 {
    if magnitude < 709.782_712_893_384 {
        return 0.5 * exp(magnitude);
    }
    let root = exp(0.5 * magnitude);
    (0.5 * root) * root
}

/// `sinh(x)`.
pub fn sinh(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    let magnitude = x.abs();
    let sign = 0.5f64.copysign(x);
    if magnitude < 22.0 {
        if magnitude < 3.725_290_298_461_914e-9 {
            return x;
        }
        let t = expm1(magnitude);
        return if magnitude < 1.0 {
            sign * (2.0 * t - t * t / (t + 1.0))
        } else {
            sign * (t + t / (t + 1.0))
        };
    }
    half_exp(magnitude).copysign(x)
}

/// `cosh(x)`.
pub fn cosh(x: f64) -> f64 {
    if !x.is_finite() {
        return x.abs();
    }
    let magnitude = x.abs();
    if magnitude < 0.5 * LN2 {
        let t = expm1(magnitude);
        let w = 1.0 + t;
        return if magnitude < 2.775_557_561_562_891_4e-17 {
            w
        } else {
            1.0 + (t * t) / (w + w)
        };
    }
    if magnitude < 22.0 {
        let t = exp(magnitude);
        return 0.5 * t + 0.5 / t;
    }
    half_exp(magnitude)
}

/// `tanh(x)`.
pub fn tanh(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let magnitude = x.abs();
    let size = if magnitude >= 22.0 {
        1.0
    } else if magnitude < 2.775_557_561_562_891_4e-17 {
        return x;
    } else if magnitude >= 1.0 {
        let t = expm1(2.0 * magnitude);
        1.0 - 2.0 / (t + 2.0)
    } else {
        let t = expm1(-2.0 * magnitude);
        -t / (t + 2.0)
    };
    size.copysign(x)
}

/// `asinh(x)`.
pub fn asinh(x: f64) -> f64 {
    let magnitude = x.abs();
    if !x.is_finite() || magnitude < 3.725_290_298_461_914e-9 {
        return x;
    }
    let size = if magnitude > 268_435_456.0 {
        log(magnitude) + LN2
    } else if magnitude > 2.0 {
        log(2.0 * magnitude + 1.0 / ((x * x + 1.0).sqrt() + magnitude))
    } else {
        let t = x * x;
        log1p(magnitude + t / (1.0 + (1.0 + t).sqrt()))
    };
    size.copysign(x)
}

/// `acosh(x)`.
pub fn acosh(x: f64) -> f64 {
    if x.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if x > 268_435_456.0 {
        return if x.is_infinite() { x } else { log(x) + LN2 };
    }
    if x == 1.0 {
        return 0.0;
    }
    if x > 2.0 {
        return log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()));
    }
    let t = x - 1.0;
    log1p(t + (2.0 * t + t * t).sqrt())
}

/// `atanh(x)`.
pub fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() || magnitude > 1.0 {
        return f64::NAN;
    }
    if magnitude == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if magnitude < 3.725_290_298_461_914e-9 {
        return x;
    }
    let twice = magnitude + magnitude;
    let size = if magnitude < 0.5 {
        0.5 * log1p(twice + twice * magnitude / (1.0 - magnitude))
    } else {
        0.5 * log1p(twice / (1.0 - magnitude))
    };
    size.copysign(x)
}

/// `sqrt(x*x + y*y)`, correctly rounded, without overflow on the way.
pub fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (large, small) = if x < y { (y, x) } else { (x, y) };
    if small == 0.0 || large > small * 1e18 {
        return large + small;
    }
    // Powers of two, so that nothing is lost but in subnormal results.
    let (down, up) = if large > 1e150 {
        (power_of_two(-600), power_of_two(600))
    } else if small < 1e-130 {
        (power_of_two(600), power_of_two(-600))
    } else {
        (1.0, 1.0)
    };
    let (large, small) = (large * down, small * down);
    let (a, b) = (two_prod(large, large), two_prod(small, small));
    (two_sum(a.hi, b.hi) + two_sum(a.lo, b.lo)).sqrt().round() * up
}
