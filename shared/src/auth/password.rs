//! Password policy and password hashes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization;

use crate::random::Random;
use crate::{Error, Result};

/// The minimum length of a password, in characters after normalization (NIST SP 800-63B, section 5.1.1.2).
const MIN_CHARACTERS: usize = 8;

/// The maximum length of a password, in bytes after normalization. It limits the work of a hash.
const MAX_BYTES: usize = 4096;

/// The memory of a hash, in KiB. This value, [`PASSES`] and [`LANES`] are parameters of Argon2id that the OWASP
/// Password Storage Cheat Sheet recommends.
const MEMORY_KIB: u32 = 19_456;

/// The number of passes over the memory of a hash.
const PASSES: u32 = 2;

/// The number of lanes of a hash, which could be computed in parallel.
const LANES: u32 = 1;

/// The block list: the most common passwords of at least 8 characters, in lower case, one per line.
const COMMON_PASSWORDS: &str = include_str!("../../data/common_passwords.txt");

/// Checks a new password (docs/api.md, "Accounts"). There are no rules about kinds of characters, but
/// passwords that an attacker tries first are refused.
pub fn check_policy(password: &str, username: &str, email: &str) -> Result<(), &'static str> {
    let sent = password;
    let password = normalize(sent);
    // Normalization can lengthen a password (`½` becomes three characters) or shorten it.
    let is_short = |text: &str| text.chars().count() < MIN_CHARACTERS;
    if is_short(sent) || is_short(&password) {
        return Err("must have at least 8 characters");
    }
    if password.len() > MAX_BYTES {
        return Err("must have at most 4096 bytes");
    }
    let lower = password.to_lowercase();
    let mailbox = email.split('@').next().unwrap_or_default();
    let account_names = [username, email, mailbox].map(str::to_lowercase);
    // Scanning 100 KB is cheap compared with the hash that follows, and building a set would slow down cold starts.
    if COMMON_PASSWORDS.lines().any(|common| common == lower) {
        return Err("is too common; choose another password");
    }
    if account_names.contains(&lower) {
        return Err("must not be the username or the e-mail address of the account");
    }
    Ok(())
}

/// Normalizes a password, because keyboards encode the same character differently (NIST SP 800-63B, section 5.1.1.2).
fn normalize(password: &str) -> String {
    password.nfkc().collect()
}

/// Hashes and verifies passwords, on threads other than those that serve requests.
#[derive(Clone, Debug)]
pub struct Passwords {
    random: Random,
    /// One permit for each hash that may run at a time. A hash uses 19 MiB of memory and a whole core.
    permits: Arc<Semaphore>,
    hash_count: Arc<AtomicU64>,
    memory_kib: u32,
}

impl Passwords {
    /// Returns a hasher that runs at most one hash per core at a time.
    pub fn new(random: Random) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            random,
            permits: Arc::new(Semaphore::new(cores)),
            hash_count: Arc::default(),
            memory_kib: MEMORY_KIB,
        }
    }

    /// Returns a hasher that uses little memory and time, for tests that do not depend on the strength of a hash.
    pub fn weak(random: Random) -> Self {
        Self {
            memory_kib: Params::MIN_M_COST,
            ..Self::new(random)
        }
    }

    /// Returns the salted hash of a password as a PHC string.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let salt = self.random.bytes::<16>();
        let password = normalize(password);
        self.compute(move |argon2| {
            let hash = argon2.hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash: PasswordHash| hash.to_string())
                .map_err(Error::internal)
        })
        .await?
    }

    /// Returns true if a password matches the stored hash. If `stored_hash` is `None` (unknown account), still computes
    /// a hash before it returns false, so that both cases take the same time (docs/oauth.md, "Rule 32").
    pub async fn verify(&self, password: &str, stored_hash: Option<String>) -> Result<bool> {
        // No account has a password above MAX_BYTES. An empty password is hashed in its place, so that the response
        // takes the usual time.
        let mut password = normalize(password);
        let is_too_long = password.len() > MAX_BYTES;
        if is_too_long {
            password.clear();
        }
        let is_match = self
            .compute(move |argon2| {
                if let Some(stored_hash) = stored_hash {
                    let stored_hash = PasswordHash::new(&stored_hash).map_err(Error::internal)?;
                    return Ok(argon2
                        .verify_password(password.as_bytes(), &stored_hash)
                        .is_ok());
                }
                let hash: Result<PasswordHash, _> =
                    argon2.hash_password_with_salt(password.as_bytes(), &[0; 16]);
                hash.map(|_| false).map_err(Error::internal)
            })
            .await??;
        Ok(is_match && !is_too_long)
    }

    /// Returns the number of hashes computed so far. Tests compare this number, because times vary.
    pub fn hash_count(&self) -> u64 {
        self.hash_count.load(Ordering::Relaxed)
    }

    async fn compute<T: Send + 'static>(
        &self,
        run_hash: impl FnOnce(Argon2<'_>) -> T + Send + 'static,
    ) -> Result<T> {
        let params = Params::new(self.memory_kib, PASSES, LANES, None).map_err(Error::internal)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(Error::internal)?;
        self.hash_count.fetch_add(1, Ordering::Relaxed);
        // The permit moves into the thread, because the computation continues even if its request is canceled.
        let computing = tokio::task::spawn_blocking(move || {
            let result = run_hash(argon2);
            drop(permit);
            result
        });
        computing.await.map_err(Error::internal)
    }
}
