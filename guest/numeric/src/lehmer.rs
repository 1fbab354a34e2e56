//! Greatest common divisors and inverses of long integers by Lehmer's algorithm: as long as the highest bits of two numbers settle the quotients of
//! Euclid's algorithm, its steps are taken with those bits alone, and then all at once with the numbers (Knuth, "The Art of Computer Programming", vol. 2,
//! section 4.5.2, algorithm L; Cohen, "A Course in Computational Algebraic Number Theory", algorithm 1.3.7).

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// The greatest common divisor.
pub fn gcd(left: &BigUint, right: &BigUint) -> BigUint {
    let (large, small) = if left < right {
        (right, left)
    } else {
        (left, right)
    };
    if small.is_zero() {
        return large.clone();
    }
    if let Some(word) = small.to_u64() {
        return gcd_word(large, word).into();
    }
    // Numbers of unlike size become alike by one division.
    let (mut a, mut b) = if large.bits() - small.bits() > 32 {
        (small.to_u32_digits(), (large % small).to_u32_digits())
    } else {
        (large.to_u32_digits(), small.to_u32_digits())
    };
    while b.len() > 2 {
        match Steps::ahead(&a, &b) {
            Some(steps) => steps.take(&mut a, &mut b),
            None => {
                let divisor = BigUint::new(b);
                b = (BigUint::new(a) % &divisor).to_u32_digits();
                a = divisor.to_u32_digits();
            }
        }
    }
    match word(&b) {
        0 => BigUint::new(a),
        word => gcd_word(&BigUint::new(a), word).into(),
    }
}

/// The greatest common divisor of a number and a word that is not 0.
fn gcd_word(n: &BigUint, word: u64) -> u64 {
    let rest = match (u32::try_from(word), n.to_u64()) {
        (_, Some(n)) => n % word,
        (Ok(short), None) => (n % short).to_u64().unwrap_or(0),
        _ => (n % word).to_u64().unwrap_or(0),
    };
    word.gcd(&rest)
}

/// The inverse of a number modulo another one, if there is one; `number` is less than `modulus`, which is not 1.
pub fn inverse(number: &BigUint, modulus: &BigUint) -> Option<BigUint> {
    // `number` times the factor of each is the number modulo `modulus`; the factors' signs alternate.
    let (mut a, mut b) = (modulus.to_u32_digits(), number.to_u32_digits());
    let (mut factor_a, mut factor_b) = (Vec::new(), vec![1u32]);
    let mut a_is_negative = true;
    while !b.is_empty() {
        let steps = if b.len() > 2 {
            Steps::ahead(&a, &b)
        } else {
            None
        };
        match steps {
            Some(steps) => {
                steps.take(&mut a, &mut b);
                steps.take_factors(&mut factor_a, &mut factor_b);
                a_is_negative ^= steps.swaps;
            }
            None => {
                let divisor = BigUint::new(b);
                let (quotient, rest) = BigUint::new(a).div_rem(&divisor);
                (a, b) = (divisor.to_u32_digits(), rest.to_u32_digits());
                let factor = BigUint::new(factor_b);
                let next = BigUint::new(factor_a) + &factor * quotient;
                (factor_a, factor_b) = (factor.to_u32_digits(), next.to_u32_digits());
                a_is_negative = !a_is_negative;
            }
        }
    }
    let factor = BigUint::new(factor_a);
    BigUint::new(a).is_one().then(|| {
        if a_is_negative {
            modulus - factor
        } else {
            factor
        }
    })
}

/// A number of at most two digits.
fn word(digits: &[u32]) -> u64 {
    digits
        .iter()
        .rev()
        .fold(0, |word, &digit| word << 32 | u64::from(digit))
}

/// Some steps of Euclid's algorithm: `a, b = p*a - q*b, s*b - r*a`, with `a` and `b` exchanged before if that is an odd number of steps.
struct Steps {
    swaps: bool,
    p: i64,
    q: i64,
    r: i64,
    s: i64,
}

impl Steps {
    /// The steps that the highest 60 bits of `a` and what `b` has in the same places settle; `None` when they settle none. `a` is not less than `b`, and
    /// both have at least three digits.
    fn ahead(a: &[u32], b: &[u32]) -> Option<Steps> {
        let n = a.len();
        let shift = a[n - 1].leading_zeros();
        let top = |digits: &[u32]| {
            let digit = |at: usize| u64::from(digits.get(at).copied().unwrap_or(0));
            let high = digit(n - 1) << 32 | digit(n - 2);
            (high << shift | digit(n - 3) << shift >> 32) >> 4
        };
        let (mut x, mut y) = (top(a), top(b));
        // None gets larger than the root of `x`: 30 bits.
        let (mut p, mut q, mut r, mut s) = (1u64, 0u64, 0u64, 1u64);
        let mut swaps = false;
        while y > r {
            let quotient = (x + (p - 1)) / (y - r);
            // (A quotient as large as that is not settled, and would not fit.)
            let next = if quotient >> 31 == 0 {
                q + quotient * s
            } else {
                u64::MAX
            };
            // Modulo 2^64, for a quotient that is one too large.
            let rest = x.wrapping_sub(quotient.wrapping_mul(y));
            if rest >> 63 == 1 || next > rest {
                break;
            }
            (x, y) = (y, rest);
            let other = p + quotient * r;
            (p, q, r, s) = (s, r, next, other);
            swaps = !swaps;
        }
        if r == 0 {
            return None;
        }
        let [p, q, r, s] = [p, q, r, s].map(|factor| factor as i64);
        Some(Steps { swaps, p, q, r, s })
    }

    /// Takes the steps.
    fn take(&self, a: &mut Vec<u32>, b: &mut Vec<u32>) {
        b.resize(a.len(), 0);
        if self.swaps {
            std::mem::swap(a, b);
        }
        let (mut above_a, mut above_b) = (0i64, 0i64);
        for (a, b) in a.iter_mut().zip(b.iter_mut()) {
            let (x, y) = (i64::from(*a), i64::from(*b));
            above_a += self.p * x - self.q * y;
            above_b += self.s * y - self.r * x;
            (*a, *b) = (above_a as u32, above_b as u32);
            above_a >>= 32;
            above_b >>= 32;
        }
        debug_assert!(above_a == 0 && above_b == 0);
        trim(a);
        trim(b);
    }

    /// Takes the steps with what the numbers are multiples by: of other signs, so that differences are sums.
    fn take_factors(&self, a: &mut Vec<u32>, b: &mut Vec<u32>) {
        let room = a.len().max(b.len()) + 1;
        a.resize(room, 0);
        b.resize(room, 0);
        if self.swaps {
            std::mem::swap(a, b);
        }
        let [p, q, r, s] = [self.p, self.q, self.r, self.s].map(|factor| factor as u64);
        let (mut above_a, mut above_b) = (0u64, 0u64);
        for (a, b) in a.iter_mut().zip(b.iter_mut()) {
            let (x, y) = (u64::from(*a), u64::from(*b));
            above_a += p * x + q * y;
            above_b += s * y + r * x;
            (*a, *b) = (above_a as u32, above_b as u32);
            above_a >>= 32;
            above_b >>= 32;
        }
        trim(a);
        trim(b);
    }
}

/// Takes zeros away from the top.
fn trim(digits: &mut Vec<u32>) {
    let zeros = digits.iter().rev().take_while(|&&d| d == 0).count();
    digits.truncate(digits.len() - zeros);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64, digits: usize) -> BigUint {
        let digit = |_| {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Long rows of zeros and ones are what goes wrong.
            match *seed >> 61 {
                0 => 0,
                1 => u32::MAX,
                _ => (*seed >> 29) as u32,
            }
        };
        BigUint::new((0..digits).map(digit).collect())
    }

    #[test]
    fn divisors_are_those_of_the_plain_algorithm() {
        let mut seed = 1;
        for round in 0..4000usize {
            let common = random(&mut seed, round % 5);
            let a = random(&mut seed, round % 17) * &common;
            let b = random(&mut seed, round % 13) * &common;
            let found = gcd(&a, &b);
            assert_eq!(found, a.gcd(&b), "{a} {b}");
            assert_eq!(gcd(&b, &a), found);
        }
        // Fibonacci numbers take the most steps, and quotients of 1.
        let (mut a, mut b) = (BigUint::one(), BigUint::one());
        for _ in 0..1000 {
            (a, b) = (b.clone(), a + b);
            assert!(gcd(&a, &b).is_one());
            assert_eq!(gcd(&(&a * &b), &(&b * 18u32)), &b * gcd(&a, &18u32.into()));
        }
    }

    #[test]
    fn inverses_are_inverse() {
        let mut seed = 7;
        let mut inverted = 0;
        for round in 0..4000usize {
            let modulus = random(&mut seed, 1 + round % 14) + 2u32;
            let number = random(&mut seed, round % 15) % &modulus;
            match inverse(&number, &modulus) {
                Some(inverse) => {
                    inverted += 1;
                    assert!(inverse < modulus);
                    assert!((inverse * &number % &modulus).is_one());
                }
                None => assert!(!number.gcd(&modulus).is_one(), "{number} {modulus}"),
            }
        }
        assert!(inverted > 1000);
    }
}
