//! The only source of random numbers in Kiroku.

use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A source of random numbers, shared by its clones. It is passed to all code that needs randomness, so that
/// a test can seed it.
#[derive(Clone, Debug)]
pub struct Random(Arc<Mutex<StdRng>>);

impl Random {
    /// Returns a source that the operating system seeds.
    ///
    /// # Errors
    /// When the operating system provides no randomness.
    pub fn from_os() -> Result<Self, rand::rngs::SysError> {
        let rng = StdRng::try_from_rng(&mut rand::rngs::SysRng)?;
        Ok(Self(Arc::new(Mutex::new(rng))))
    }

    /// Returns a source that produces the same numbers for the same seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// Returns up to `amount` different positions below `length`, in random order.
    #[must_use]
    pub fn positions(&self, length: usize, amount: usize) -> Vec<usize> {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rand::seq::index::sample(&mut *rng, length, amount.min(length)).into_vec()
    }

    /// Returns an identifier of 64 random bits, in hexadecimal.
    #[must_use]
    pub fn short_id(&self) -> String {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{:016x}", rng.random::<u64>())
    }

    /// Returns random bytes for salts, nonces and token identifiers.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rng.random()
    }

    /// Returns `length` random characters out of A to Z, a to z and 0 to 9, almost six bits each.
    #[must_use]
    pub fn alphanumeric(&self, length: usize) -> String {
        const LETTERS: &[u8; 62] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let letter = || LETTERS[usize::try_from(self.below(62)).unwrap_or_default()];
        (0..length).map(|_| char::from(letter())).collect()
    }

    /// Returns a whole number below `end`, or 0 if `end` is 0.
    #[must_use]
    pub fn below(&self, end: u64) -> u64 {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if end == 0 {
            0
        } else {
            rng.random_range(0..end)
        }
    }
}
