//! Passwords: what may be one, and how it is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization;

use crate::Error;
use crate::random::Random;

/// The fewest characters of a password (NIST SP 800-63B, section 5.1.1.2).
const MIN_CHARACTERS: usize = 8;

/// The most bytes of a password: far more than anybody types, and no burden to hash.
const MAX_BYTES: usize = 4096;

/// Memory of a hash, in KiB, its passes and its lanes (OWASP Password Storage Cheat Sheet).
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The commonest passwords of at least eight characters, in lower case, one a line.
const COMMON: &str = include_str!("../../data/common_passwords.txt");

/// Checks that a password can be chosen. There are no rules of composition, only what an attacker
/// tries first is refused.
///
/// # Errors
/// What is wrong with it, for people.
pub fn check_policy(password: &str, username: &str, email: &str) -> Result<(), &'static str> {
    let password = normal(password);
    if password.chars().count() < MIN_CHARACTERS {
        return Err("must have at least 8 characters");
    }
    if password.len() > MAX_BYTES {
        return Err("must have at most 4096 bytes");
    }
    let lower = password.to_lowercase();
    let mailbox = email.split('@').next().unwrap_or_default();
    let own = [username, email, mailbox].map(str::to_lowercase);
    // A walk of 100 KB is nothing beside the hash that follows; a set would be made at each cold start.
    if COMMON.lines().any(|common| common == lower) {
        return Err("is one of the commonest passwords: choose another");
    }
    if own.contains(&lower) {
        return Err("must not be the name or the address of the account");
    }
    Ok(())
}

/// The same text typed on another keyboard is the same password (NIST SP 800-63B, section 5.1.1.2).
fn normal(password: &str) -> String {
    password.nfkc().collect()
}

/// Hashes passwords, off the threads that requests are answered on.
#[derive(Clone, Debug)]
pub struct Passwords {
    random: Random,
    /// One for each hash that may be computed at a time: each takes 19 MB, and all of a core.
    turns: Arc<Semaphore>,
    computed: Arc<AtomicU64>,
    /// The memory of a hash, in KiB.
    memory_kib: u32,
}

impl Passwords {
    /// Computes as many hashes at a time as there are cores.
    #[must_use]
    pub fn new(random: Random) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            random,
            turns: Arc::new(Semaphore::new(cores)),
            computed: Arc::default(),
            memory_kib: MEMORY_KIB,
        }
    }

    /// Computes weak hashes that need little memory and time, for tests of everything else.
    #[must_use]
    pub fn weak(random: Random) -> Self {
        Self {
            memory_kib: Params::MIN_M_COST,
            ..Self::new(random)
        }
    }

    /// The hash to keep of a password, as a PHC string.
    ///
    /// # Errors
    /// [`Error::Internal`] when no hash can be computed.
    pub async fn hash(&self, password: &str) -> Result<String, Error> {
        let salt = self.random.bytes::<16>();
        let password = normal(password);
        self.compute(move |argon2| {
            let hash = argon2.hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash: PasswordHash| hash.to_string())
                .map_err(Error::internal)
        })
        .await?
    }

    /// Whether a password is the one of which this hash was kept. Without a hash, because there is no
    /// such account, it is not, and that costs the same one hash.
    ///
    /// # Errors
    /// [`Error::Internal`] when no hash can be computed, or what was kept is none.
    pub async fn verify(&self, password: &str, kept: Option<String>) -> Result<bool, Error> {
        // Nobody who has an account has a longer one.
        let mut password = normal(password);
        let too_long = password.len() > MAX_BYTES;
        if too_long {
            password.clear();
        }
        let verified = self
            .compute(move |argon2| {
                if let Some(kept) = kept {
                    let kept = PasswordHash::new(&kept).map_err(Error::internal)?;
                    return Ok(argon2.verify_password(password.as_bytes(), &kept).is_ok());
                }
                let hash: Result<PasswordHash, _> =
                    argon2.hash_password_with_salt(password.as_bytes(), &[0; 16]);
                hash.map(|_| false).map_err(Error::internal)
            })
            .await??;
        Ok(verified && !too_long)
    }

    /// How many hashes were computed so far.
    #[must_use]
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    async fn compute<T: Send + 'static>(
        &self,
        with: impl FnOnce(Argon2<'_>) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let params = Params::new(self.memory_kib, PASSES, LANES, None).map_err(Error::internal)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(Error::internal)?;
        self.computed.fetch_add(1, Ordering::Relaxed);
        let computing = tokio::task::spawn_blocking(move || {
            let result = with(argon2);
            drop(turn);
            result
        });
        computing.await.map_err(Error::internal)
    }
}
