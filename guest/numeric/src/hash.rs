//! `hash()` of numbers, tuples, sets and texts, with the values of a 64-bit CPython where those are visible.
//!
//! Numbers hash to their value modulo the prime 2**61 - 1, so that equal numbers of all types have equal hashes (library reference, "Hashing of
//! numeric types"). Tuples combine their items with the xxHash64 rounds. Texts have a fixed seed: their hashes are the same in every run, unlike
//! CPython's, whose are random.

use num_bigint::{BigInt, Sign};

use crate::float_repr::decompose;

/// The exponent of the Mersenne prime.
const BITS: u32 = 61;
/// The prime all numeric hashes are taken modulo.
pub const MODULUS: u64 = (1 << BITS) - 1;
/// `hash(float('inf'))`.
pub const INFINITY: i64 = 314_159;
/// What the imaginary part of a complex number is multiplied with.
pub const IMAGINARY: i64 = 1_000_003;

/// -1 means "error" inside CPython, so nothing hashes to it.
fn never_minus_one(hash: i64) -> i64 {
    if hash == -1 { -2 } else { hash }
}

/// `x % MODULUS` by adding the two halves.
fn reduce(x: u128) -> u64 {
    let once = (x & u128::from(MODULUS)) + (x >> BITS);
    let twice = (once as u64 & MODULUS) + (once >> BITS) as u64;
    if twice >= MODULUS {
        twice - MODULUS
    } else {
        twice
    }
}

/// `hash(value)` of a small integer.
pub fn hash_i64(value: i64) -> i64 {
    // Hardly any integer is that large, and a division takes long.
    let size = match value.unsigned_abs() {
        size if size < MODULUS => size,
        size => size % MODULUS,
    };
    never_minus_one(if value < 0 {
        -(size as i64)
    } else {
        size as i64
    })
}

/// `hash(value)`.
pub fn hash_int(value: &BigInt) -> i64 {
    let mut size = 0u64;
    for word in value.iter_u64_digits().rev() {
        size = reduce(u128::from(size) << 64 | u128::from(word));
    }
    never_minus_one(if value.sign() == Sign::Minus {
        -(size as i64)
    } else {
        size as i64
    })
}

/// `hash(x)`; `None` for NaN, which hashes by identity.
pub fn hash_float(x: f64) -> Option<i64> {
    if x.is_nan() {
        return None;
    }
    if x.is_infinite() {
        return Some(if x > 0.0 { INFINITY } else { -INFINITY });
    }
    if x.trunc() == x && x.abs() < 9e15 {
        return Some(hash_i64(x as i64));
    }
    let (significand, exponent) = decompose(x);
    // Multiplying by a power of two rotates the 61 bits.
    let turn = exponent.rem_euclid(BITS as i32) as u32;
    let size = reduce(u128::from(significand % MODULUS) << turn);
    Some(never_minus_one(if x < 0.0 {
        -(size as i64)
    } else {
        size as i64
    }))
}

/// `hash(complex)` from the hashes of its parts (NaN parts hash by the identity of the whole object).
pub fn hash_complex(real: i64, imaginary: i64) -> i64 {
    never_minus_one(real.wrapping_add(imaginary.wrapping_mul(IMAGINARY)))
}

/// `hash(p)` as CPython hashes identities: the address with its lowest four bits rotated away.
pub fn hash_identity(address: u64) -> i64 {
    never_minus_one(address.rotate_right(4) as i64)
}

/// Combines the hashes of a tuple's items, in order.
#[derive(Debug, Clone)]
pub struct TupleHasher {
    state: u64,
    count: u64,
}

impl TupleHasher {
    const PRIME_1: u64 = 11_400_714_785_074_694_791;
    const PRIME_2: u64 = 14_029_467_366_897_019_727;
    const PRIME_5: u64 = 2_870_177_450_012_600_261;

    /// Of no item yet.
    pub fn new() -> Self {
        TupleHasher {
            state: Self::PRIME_5,
            count: 0,
        }
    }

    /// Takes the hash of the next item.
    pub fn add(&mut self, hash: i64) {
        self.state = self
            .state
            .wrapping_add((hash as u64).wrapping_mul(Self::PRIME_2))
            .rotate_left(31)
            .wrapping_mul(Self::PRIME_1);
        self.count += 1;
    }

    /// `hash(tuple)`.
    pub fn finish(&self) -> i64 {
        let hash = self
            .state
            .wrapping_add(self.count ^ (Self::PRIME_5 ^ 3_527_539)) as i64;
        // -1 is replaced by a number of its own here.
        if hash == -1 { 1_546_275_796 } else { hash }
    }
}

impl Default for TupleHasher {
    fn default() -> Self {
        Self::new()
    }
}

/// Combines the hashes of a frozenset's items, in any order.
#[derive(Debug, Clone, Default)]
pub struct FrozenSetHasher {
    state: u64,
    count: u64,
}

impl FrozenSetHasher {
    /// Of no item yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the hash of an item.
    pub fn add(&mut self, hash: i64) {
        let hash = hash as u64;
        // Spreads the bits, so that the exclusive or of near hashes does not cancel them.
        self.state ^= ((hash ^ 89_869_747) ^ (hash << 16)).wrapping_mul(3_644_798_167);
        self.count += 1;
    }

    /// `hash(frozenset)`.
    pub fn finish(&self) -> i64 {
        let mut hash = self.state ^ (self.count + 1).wrapping_mul(1_927_868_237);
        hash ^= (hash >> 11) ^ (hash >> 25);
        hash = hash.wrapping_mul(69_069).wrapping_add(907_133_923);
        if hash == u64::MAX {
            590_923_713
        } else {
            hash as i64
        }
    }
}

/// Keys of the text hash: digits of pi, so that nobody suspects a reason.
const KEYS: [u64; 4] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
    0x082e_fa98_ec4e_6c89,
];

/// The two halves of the 128-bit product, one upon the other: the mixing step of the wyhash family.
fn fold(left: u64, right: u64) -> u64 {
    let (low, high) = product(left, right);
    low ^ high
}

/// The low and the high half of a product.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn product(left: u64, right: u64) -> (u64, u64) {
    let product = u128::from(left) * u128::from(right);
    (product as u64, (product >> 64) as u64)
}

/// The low and the high half of a product: WebAssembly has no such multiplication, and would call a function for it.
#[cfg(any(target_arch = "wasm32", test))]
#[inline(always)]
fn product_by_halves(left: u64, right: u64) -> (u64, u64) {
    const LOW: u64 = 0xffff_ffff;
    let (a, b) = (left >> 32, left & LOW);
    let (c, d) = (right >> 32, right & LOW);
    let (bd, ad, bc) = (b * d, a * d, b * c);
    // None of these sums exceeds 64 bits.
    let middle = (bd >> 32) + (ad & LOW) + (bc & LOW);
    (
        middle << 32 | bd & LOW,
        a * c + (ad >> 32) + (bc >> 32) + (middle >> 32),
    )
}

#[cfg(target_arch = "wasm32")]
use product_by_halves as product;

/// One to seven bytes as a word.
fn short(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if length >= 4 {
        let half = |at: usize| {
            u64::from(u32::from_le_bytes([
                bytes[at],
                bytes[at + 1],
                bytes[at + 2],
                bytes[at + 3],
            ]))
        };
        half(0) | half(length - 4) << 32
    } else {
        u64::from(bytes[0]) | u64::from(bytes[length / 2]) << 8 | u64::from(bytes[length - 1]) << 16
    }
}

/// `hash(text)` of the bytes of a `str` or `bytes` object: 64 bits of good quality, the same in every run. The empty text hashes to 0, as in CPython.
pub fn hash_bytes(bytes: &[u8]) -> i64 {
    let length = bytes.len();
    if length == 0 {
        return 0;
    }
    let seed = KEYS[0] ^ (length as u64).wrapping_mul(KEYS[3]);
    let (left, right) = if length <= 16 {
        // Two overlapping reads cover all of it.
        if length >= 8 {
            (fixed(bytes, 0), fixed(bytes, length - 8))
        } else {
            (short(bytes), 0)
        }
    } else {
        let mut state = [seed, seed ^ KEYS[2]];
        let mut at = 0;
        while length - at > 32 {
            state[0] = fold(fixed(bytes, at) ^ KEYS[1], fixed(bytes, at + 8) ^ state[0]);
            state[1] = fold(
                fixed(bytes, at + 16) ^ KEYS[2],
                fixed(bytes, at + 24) ^ state[1],
            );
            at += 32;
        }
        if length - at > 16 {
            state[0] = fold(fixed(bytes, at) ^ KEYS[1], fixed(bytes, at + 8) ^ state[0]);
        }
        let state = state[0] ^ state[1].rotate_left(23);
        (fixed(bytes, length - 16) ^ state, fixed(bytes, length - 8))
    };
    never_minus_one(fold(fold(left ^ KEYS[1], right ^ seed), KEYS[2] ^ length as u64) as i64)
}

/// Eight bytes at this place.
fn fixed(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_halves_are_products() {
        let ends = [
            0,
            1,
            2,
            u64::from(u32::MAX),
            1 << 32,
            u64::MAX - 1,
            u64::MAX,
        ];
        let numbers: Vec<u64> = ends.into_iter().chain(KEYS).collect();
        for &a in &numbers {
            for &b in &numbers {
                assert_eq!(product_by_halves(a, b), product(a, b), "{a} * {b}");
            }
        }
    }
}
