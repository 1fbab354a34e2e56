//! The Mersenne Twister MT19937 (M. Matsumoto, T. Nishimura, 1998) with the seeding and outputs of Python's `random`.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use crate::error::{NumericError, NumericResult};

const N: usize = 624;
const M: usize = 397;

/// The generator behind `random.Random`.
#[derive(Clone)]
pub struct MersenneTwister {
    state: [u32; N],
    index: usize,
}

impl std::fmt::Debug for MersenneTwister {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MersenneTwister")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl MersenneTwister {
    /// `seed(value)` of an integer: its absolute value, in 32-bit words, is the key. (`seed` of a text or bytes makes such an integer first.)
    pub fn from_int(value: &BigInt) -> Self {
        Self::from_key(&value.magnitude().to_u32_digits())
    }

    /// Seeds with a key (`init_by_array`); an empty key is that of zero.
    pub fn from_key(key: &[u32]) -> Self {
        let key = if key.is_empty() { &[0] } else { key };
        let mut state = [0u32; N];
        state[0] = 19_650_218;
        for i in 1..N {
            let last = state[i - 1];
            state[i] = (last ^ last >> 30)
                .wrapping_mul(1_812_433_253)
                .wrapping_add(i as u32);
        }
        let mut i = 1;
        let mixed = |state: &[u32; N], i: usize, factor: u32| {
            state[i] ^ (state[i - 1] ^ state[i - 1] >> 30).wrapping_mul(factor)
        };
        let mut advance = |state: &mut [u32; N]| {
            i += 1;
            if i >= N {
                state[0] = state[N - 1];
                i = 1;
            }
            i
        };
        let mut at = 1;
        for step in 0..N.max(key.len()) {
            let j = step % key.len();
            state[at] = mixed(&state, at, 1_664_525)
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            at = advance(&mut state);
        }
        for _ in 1..N {
            state[at] = mixed(&state, at, 1_566_083_941).wrapping_sub(at as u32);
            at = advance(&mut state);
        }
        state[0] = 1 << 31;
        MersenneTwister { state, index: N }
    }

    fn refill(&mut self) {
        for i in 0..N {
            let y = self.state[i] & 1 << 31 | self.state[(i + 1) % N] & (u32::MAX >> 1);
            let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ y >> 1 ^ twist;
        }
        self.index = 0;
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.index >= N {
            self.refill();
        }
        let mut y = self.state[self.index];
        self.index += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    /// `random()`: 53 bits as a float in `[0, 1)`.
    pub fn random(&mut self) -> f64 {
        let high = f64::from(self.next_u32() >> 5);
        let low = f64::from(self.next_u32() >> 6);
        (high * 67_108_864.0 + low) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `getrandbits(k)` for at most 64 bits.
    pub fn bits_u64(&mut self, k: u32) -> u64 {
        match k {
            0 => 0,
            1..=32 => u64::from(self.next_u32() >> (32 - k)),
            _ => {
                let low = u64::from(self.next_u32());
                u64::from(self.next_u32() >> (64 - k.min(64))) << 32 | low
            }
        }
    }

    /// `getrandbits(k)`. The caller limits `k`.
    pub fn bits(&mut self, k: u64) -> BigInt {
        if k == 0 {
            return BigInt::zero();
        }
        let count = k.div_ceil(32) as usize;
        let mut words: Vec<u32> = (0..count).map(|_| self.next_u32()).collect();
        let over = (32 - k % 32) % 32;
        words[count - 1] >>= over;
        BigUint::new(words).into()
    }

    /// A number below `n`, as `Random._randbelow` draws it: as many bits as `n` has, again until they are less than `n`. `n` must not be 0.
    pub fn below_u64(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let k = 64 - n.leading_zeros();
        loop {
            let drawn = self.bits_u64(k);
            if drawn < n {
                return drawn;
            }
        }
    }

    /// `getstate()`: 624 words of state and the index.
    pub fn state(&self) -> ([u32; N], u32) {
        (self.state, self.index as u32)
    }

    /// `setstate()`
    pub fn from_state(words: &[u32], index: u32) -> NumericResult<Self> {
        let state = <[u32; N]>::try_from(words)
            .map_err(|_| NumericError::value("state vector is the wrong size"))?;
        if index as usize > N {
            return Err(NumericError::value("invalid state"));
        }
        Ok(MersenneTwister {
            state,
            index: index as usize,
        })
    }
}
