//! Time and chance as a sandbox sees them.

use std::time::{Duration, Instant, SystemTime};

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::Policy;

/// The clocks and the entropy of one session.
pub(crate) struct World {
    clock: Clock,
    entropy: Entropy,
}

#[derive(Clone, Copy)]
enum Clock {
    /// The system's. The monotonic clock began with the session.
    Real(Instant),
    /// It stands, and is moved on by what programs slept.
    Still { start: Duration, slept: Duration },
}

enum Entropy {
    System,
    Seeded(Box<ChaCha20Rng>),
}

impl World {
    pub(crate) fn new(policy: &Policy) -> World {
        let clock = match policy.clock {
            None => Clock::Real(Instant::now()),
            Some(at) => Clock::Still {
                start: since_epoch(at),
                slept: Duration::ZERO,
            },
        };
        let entropy = match policy.seed {
            None => Entropy::System,
            Some(seed) => {
                let mut key = [0; 32];
                key[..8].copy_from_slice(&seed.to_le_bytes());
                Entropy::Seeded(Box::new(ChaCha20Rng::from_seed(key)))
            }
        };
        World { clock, entropy }
    }

    /// Another that goes on as this one would.
    pub(crate) fn fork(&self) -> World {
        let entropy = match &self.entropy {
            Entropy::System => Entropy::System,
            Entropy::Seeded(generator) => Entropy::Seeded(Box::new(
                ChaCha20Rng::deserialize_state(&generator.serialize_state()),
            )),
        };
        World {
            clock: self.clock,
            entropy,
        }
    }

    /// Nanoseconds since the Unix epoch.
    pub(crate) fn wall_clock(&self) -> u64 {
        nanoseconds(match self.clock {
            Clock::Real(_) => since_epoch(SystemTime::now()),
            Clock::Still { start, slept } => start.saturating_add(slept),
        })
    }

    /// Nanoseconds since the session began.
    pub(crate) fn monotonic_clock(&self) -> u64 {
        nanoseconds(match self.clock {
            Clock::Real(start) => start.elapsed(),
            Clock::Still { slept, .. } => slept,
        })
    }

    /// Sleeps if the clock stands still; how long the caller has to wait otherwise.
    pub(crate) fn sleep(&mut self, length: Duration) -> Duration {
        match &mut self.clock {
            Clock::Real(_) => length,
            Clock::Still { slept, .. } => {
                *slept = slept.saturating_add(length);
                Duration::ZERO
            }
        }
    }

    /// Fills with random bytes.
    pub(crate) fn entropy(&mut self, bytes: &mut [u8]) -> Result<(), getrandom::Error> {
        match &mut self.entropy {
            Entropy::System => getrandom::fill(bytes),
            Entropy::Seeded(generator) => {
                generator.fill_bytes(bytes);
                Ok(())
            }
        }
    }
}

fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_moves_by_sleeping_alone() {
        let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(43_200);
        let mut world = World::new(&Policy::default().with_clock(noon));
        assert_eq!(
            (world.wall_clock(), world.monotonic_clock()),
            (43_200_000_000_000, 0)
        );
        assert_eq!(world.sleep(Duration::from_secs(2)), Duration::ZERO);
        assert_eq!(
            (world.wall_clock(), world.monotonic_clock()),
            (43_202_000_000_000, 2_000_000_000)
        );
    }

    #[test]
    fn a_seed_gives_the_key_stream_of_its_key() {
        // The first block of ChaCha20 for a key and a nonce of zeros (RFC 8439, appendix A.1, test vector 1).
        let mut bytes = [0; 8];
        let mut world = World::new(&Policy::default().with_seed(0));
        assert!(world.entropy(&mut bytes).is_ok());
        assert_eq!(bytes, [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
        let mut other = World::new(&Policy::default().with_seed(1));
        assert!(other.entropy(&mut bytes).is_ok());
        assert_ne!(bytes[0], 0x76);
        let (mut two, mut more) = (other.fork(), [0; 8]);
        assert!(two.entropy(&mut more).is_ok() && other.entropy(&mut bytes).is_ok());
        assert_eq!(bytes, more);
    }
}
