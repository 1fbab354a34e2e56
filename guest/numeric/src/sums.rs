//! Sums of floats that are better than adding one after the other: `math.fsum`, `math.sumprod`, `math.hypot`, `math.dist`, and `sum()`.

use crate::elementary::dd::{Dd, power_of_two, two_prod, two_sum};
use crate::error::{NumericError, NumericResult};

/// `math.fsum`: the exact sum, rounded once. Keeps the sum so far as doubles that do not overlap (J. R. Shewchuk, "Adaptive precision floating-point
/// arithmetic and fast robust geometric predicates", 1997).
#[derive(Debug, Clone, Default)]
pub struct ExactSum {
    /// From small to large; their sum is exact.
    parts: Vec<f64>,
    special: f64,
    infinities: f64,
}

impl ExactSum {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a number.
    pub fn add(&mut self, x: f64) -> NumericResult<()> {
        let mut sum = x;
        let mut kept = 0;
        for i in 0..self.parts.len() {
            let pair = two_sum(sum, self.parts[i]);
            if pair.lo != 0.0 {
                self.parts[kept] = pair.lo;
                kept += 1;
            }
            sum = pair.hi;
        }
        self.parts.truncate(kept);
        if sum == 0.0 {
            return Ok(());
        }
        if sum.is_finite() {
            self.parts.push(sum);
            return Ok(());
        }
        if x.is_finite() {
            return Err(NumericError::overflow("intermediate overflow in fsum"));
        }
        if x.is_infinite() {
            self.infinities += x;
        }
        self.special += x;
        self.parts.clear();
        Ok(())
    }

    /// The sum.
    pub fn finish(mut self) -> NumericResult<f64> {
        if self.special != 0.0 {
            if self.infinities.is_nan() {
                return Err(NumericError::value("-inf + inf in fsum"));
            }
            return Ok(self.special);
        }
        let Some(mut high) = self.parts.pop() else {
            return Ok(0.0);
        };
        let mut low = 0.0;
        while let Some(part) = self.parts.pop() {
            let pair = two_sum(high, part);
            (high, low) = (pair.hi, pair.lo);
            if low != 0.0 {
                break;
            }
        }
        // A tie that the parts below decide.
        if let Some(next) = self.parts.last()
            && low != 0.0
            && (low < 0.0) == (*next < 0.0)
        {
            let twice = low * 2.0;
            let moved = high + twice;
            if moved - high == twice {
                return Ok(moved);
            }
        }
        Ok(high)
    }
}

/// `sum()` of floats: compensated (A. Neumaier, 1974), as since Python 3.12.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    /// Starts with a value.
    pub fn new(start: f64) -> Self {
        CompensatedSum {
            sum: start,
            lost: 0.0,
        }
    }

    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() {
            (self.sum - sum) + x
        } else {
            (x - sum) + self.sum
        };
        self.sum = sum;
    }

    /// The sum.
    pub fn finish(self) -> f64 {
        // An infinite sum has lost NaN: leave it alone.
        if self.lost != 0.0 && self.lost.is_finite() {
            self.sum + self.lost
        } else {
            self.sum
        }
    }
}

/// `math.sumprod` of floats in triple-length arithmetic (T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", 2005, DotK for K = 3).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SumProduct {
    high: f64,
    middle: f64,
    low: f64,
}

impl SumProduct {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the product of two numbers; `false`, and nothing is added, if the sum would not be finite: then go on with plain arithmetic.
    pub fn add(&mut self, x: f64, y: f64) -> bool {
        let product = if x.abs() < 1e290 && y.abs() < 1e290 {
            two_prod(x, y)
        } else {
            Dd {
                hi: x * y,
                lo: libm::fma(x, y, -(x * y)),
            }
        };
        let high = two_sum(self.high, product.hi);
        if !high.hi.is_finite() {
            return false;
        }
        let middle = two_sum(self.middle, product.lo);
        let carried = two_sum(high.lo, middle.hi);
        *self = SumProduct {
            high: high.hi,
            middle: carried.hi,
            low: self.low + (carried.lo + middle.lo),
        };
        true
    }

    /// The sum.
    pub fn finish(self) -> f64 {
        let low = two_sum(self.middle, self.low);
        let high = two_sum(self.high, low.hi);
        high.hi + (high.lo + low.lo)
    }
}

/// `math.hypot(*coordinates)`, correctly rounded nearly always.
pub fn hypot(coordinates: &[f64]) -> f64 {
    let mut largest = 0.0f64;
    let mut nan = false;
    for x in coordinates {
        nan |= x.is_nan();
        largest = largest.max(x.abs());
    }
    if largest.is_infinite() {
        return largest;
    }
    if nan {
        return f64::NAN;
    }
    if largest == 0.0 || coordinates.len() == 1 {
        return largest;
    }
    // The largest becomes about 1, so that squares neither overflow nor vanish.
    let exponent = crate::math::frexp(largest).1;
    let down = (-exponent).clamp(-1022, 1022);
    let scale = |x: f64| {
        x * power_of_two(down)
            * if down == -exponent {
                1.0
            } else {
                power_of_two(-exponent - down)
            }
    };
    let mut sum = Dd::from(0.0);
    for &x in coordinates {
        let x = scale(x);
        let square = if x.abs() < 1e-140 {
            Dd::from(x * x)
        } else {
            two_prod(x, x)
        };
        sum = sum + square;
    }
    crate::elementary::dd::round_scaled(sum.sqrt(), exponent)
}

/// `math.dist(p, q)` of points with equally many coordinates.
pub fn dist(p: &[f64], q: &[f64]) -> f64 {
    let differences: Vec<f64> = p.iter().zip(q).map(|(a, b)| (a - b).abs()).collect();
    hypot(&differences)
}
