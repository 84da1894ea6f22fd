//! Random numbers. All code of the service takes its random numbers from this module.

use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A source of random numbers, shared by its clones. It is passed to all code that needs randomness, so that
/// a test can seed it.
#[derive(Clone, Debug)]
pub struct Random(Arc<Mutex<StdRng>>);

impl Random {
    /// Returns a source with a seed from the operating system.
    pub fn from_os() -> Result<Self, rand::rngs::SysError> {
        let rng = StdRng::try_from_rng(&mut rand::rngs::SysRng)?;
        Ok(Self(Arc::new(Mutex::new(rng))))
    }

    /// Returns a source that produces the same numbers for the same seed, for tests.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// Picks `amount` different positions in a list of `length` items, and returns them in random order. If `amount` is
    /// greater than `length`, returns all positions.
    pub fn pick_positions(&self, length: usize, amount: usize) -> Vec<usize> {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rand::seq::index::sample(&mut *rng, length, amount.min(length)).into_vec()
    }

    /// Returns an identifier of 64 random bits, as 16 hexadecimal digits.
    pub fn short_id(&self) -> String {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{:016x}", rng.random::<u64>())
    }

    /// Returns `N` random bytes, for example for a salt, a nonce or a token's identifier.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rng.random()
    }

    /// Returns `length` random characters from A to Z, a to z and 0 to 9. Each character has 5.95 bits of entropy.
    pub fn alphanumeric(&self, length: usize) -> String {
        const CHARACTERS: &[u8; 62] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let pick = || CHARACTERS[usize::try_from(self.below(62)).unwrap_or_default()];
        (0..length).map(|_| char::from(pick())).collect()
    }

    /// Returns a random whole number below `end`, or 0 if `end` is 0.
    pub fn below(&self, end: u64) -> u64 {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if end == 0 {
            0
        } else {
            rng.random_range(0..end)
        }
    }
}
