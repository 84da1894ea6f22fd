//! Key rings for signing and encryption, and the sources from which they are read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::random::Random;
use crate::{Error, Result};

/// Time for which keys are cached before they are read again, in milliseconds: 5 minutes.
pub const KEYS_FRESH_MS: u64 = 300_000;

/// Delay between adding a key and its first use, in seconds: 15 minutes. It is three times [`KEYS_FRESH_MS`], so that
/// each process reads the key before another process signs or encrypts with it, even if one attempt to read it fails.
pub const KEY_LEAD_S: u64 = 900;

/// Number of characters of a generated key: about 381 bits of entropy.
const KEY_CHARACTERS: usize = 64;

/// A key ring: keys, each with the Unix second from which it is in use. That second is also the key's identifier
/// (`kid`, RFC 7515, section 4.1.4). The newest key in use signs and encrypts. Older keys still verify and
/// decrypt, so a new key invalidates nothing.
///
/// In JSON: `{"0": "the first key", "1790000000": "the key in use from that second on"}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<u64, String>")]
pub struct KeyRing(BTreeMap<u64, String>);

/// Key rings by name, the content of a key file: `{"signing": {...}, "encryption": {...}}`.
pub type KeyRings = BTreeMap<String, KeyRing>;

impl TryFrom<BTreeMap<u64, String>> for KeyRing {
    type Error = &'static str;

    fn try_from(keys: BTreeMap<u64, String>) -> Result<Self, Self::Error> {
        let is_valid = !keys.is_empty() && keys.values().all(|key| key.len() >= 32);
        is_valid.then_some(Self(keys)).ok_or(INVALID_RING)
    }
}

/// The reason for refusing an invalid key ring. The parser's message is not passed on, because it may quote a key.
const INVALID_RING: &str =
    "must be a JSON object with Unix seconds as names and keys of 32 or more characters as values";

impl KeyRing {
    /// Returns a ring with one new key, which is in use from the start.
    pub fn new(random: &Random) -> Self {
        Self(BTreeMap::from([(0, random.alphanumeric(KEY_CHARACTERS))]))
    }

    /// Parses a ring.
    ///
    /// # Errors
    /// The text is not a ring, the ring is empty, or a key has fewer than 32 characters. The reason contains no key.
    pub fn parse(json: &str) -> Result<Self, &'static str> {
        serde_json::from_str(json).map_err(|_| INVALID_RING)
    }

    /// Parses the content of a key file: several rings by name.
    ///
    /// # Errors
    /// As [`KeyRing::parse`].
    pub fn parse_several(json: &str) -> Result<KeyRings, &'static str> {
        serde_json::from_str(json).map_err(|_| INVALID_RING)
    }

    /// Returns the ring as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Returns the newest key that is in use at `now_s` (Unix seconds), as a pair of its identifier and the key. If
    /// no key is in use yet, returns the first key. Fails only for an empty ring, which [`KeyRing::parse`] refuses.
    /// `purpose` is a verb for the error.
    pub fn key_in_use(&self, now_s: u64, purpose: &str) -> Result<(u64, &str)> {
        let begun = self.0.range(..=now_s).next_back();
        let key = begun.or_else(|| self.0.first_key_value());
        let (kid, key) = key.ok_or_else(|| Error::internal(format!("no key to {purpose} with")))?;
        Ok((*kid, key))
    }

    /// Returns the key with this identifier.
    pub fn get(&self, kid: u64) -> Option<&str> {
        self.0.get(&kid).map(String::as_str)
    }

    /// Returns the ring with a new key, which is in use from `now_s` + [`KEY_LEAD_S`] on. If `keep_s` is given,
    /// leaves out the keys that a newer key replaced more than `keep_s` seconds ago.
    #[must_use]
    pub fn with_new_key(&self, random: &Random, now_s: u64, keep_s: Option<u64>) -> Self {
        let mut keys = self.0.clone();
        if let Some(keep_s) = keep_s {
            let keep_from = now_s.saturating_sub(keep_s);
            let in_use_then = keys
                .range(..=keep_from)
                .next_back()
                .map_or(0, |(kid, _)| *kid);
            keys.retain(|kid, _| *kid >= in_use_then);
        }
        keys.insert(now_s + KEY_LEAD_S, random.alphanumeric(KEY_CHARACTERS));
        Self(keys)
    }

    /// Returns the identifiers of the keys, oldest first.
    pub fn ids(&self) -> Vec<u64> {
        self.0.keys().copied().collect()
    }
}

/// Shows the identifiers only, so that no log contains a key.
impl std::fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "KeyRing({:?})", self.ids())
    }
}

/// A secret in an external store such as AWS Secrets Manager.
pub trait ReadSecret: std::fmt::Debug + Send + Sync {
    /// Reads the secret's text. It is empty if the secret holds no text.
    fn read(&self) -> BoxFuture<'_, Result<String>>;
}

/// The source from which a key ring is read.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// A ring in the memory of this process, for tests and for `kiroku serve --in-memory`.
    Fixed(Arc<KeyRing>),
    /// A file of [`KeyRings`], and the name of the ring in it.
    File(PathBuf, &'static str),
    /// A secret that holds one ring, in the form of [`KeyRing::to_json`].
    Secret(Arc<dyn ReadSecret>),
}

impl KeySource {
    async fn read(&self) -> Result<Arc<KeyRing>> {
        let ring = match self {
            Self::Fixed(ring) => return Ok(Arc::clone(ring)),
            Self::File(path, name) => {
                let file = std::fs::read_to_string(path).map_err(|error| {
                    Error::internal(format!("cannot read the key file: {error}"))
                })?;
                let mut rings = KeyRing::parse_several(&file).map_err(Error::internal)?;
                rings
                    .remove(*name)
                    .ok_or("the key file has no ring with this name")
            }
            Self::Secret(secret) => KeyRing::parse(&secret.read().await?),
        };
        ring.map(Arc::new)
            .map_err(|error| Error::internal(format!("invalid keys: {error}")))
    }
}

/// A key ring that is read on first use, cached, and read again after [`KEYS_FRESH_MS`].
#[derive(Debug)]
pub struct Keys {
    source: KeySource,
    clock: Clock,
    /// The ring, and the time of the last attempt to read it, in milliseconds since the Unix epoch.
    cached: Mutex<Option<(Arc<KeyRing>, u64)>>,
}

impl Keys {
    /// Returns the keys of a source. They are not read yet.
    pub fn new(source: KeySource, clock: Clock) -> Self {
        Self {
            source,
            clock,
            cached: Mutex::default(),
        }
    }

    /// Returns the ring. If it cannot be read again, the cached ring stays in use, and the next attempt to read
    /// it follows after another [`KEYS_FRESH_MS`].
    ///
    /// # Errors
    /// Only if no ring is cached: [`Error::Unavailable`] if the secret cannot be read, [`Error::Internal`] if the
    /// key file cannot be read or if the source has no valid ring.
    pub async fn ring(&self) -> Result<Arc<KeyRing>> {
        let mut cached = self.cached.lock().await;
        let now = self.clock.now_ms();
        if let Some((ring, tried_at)) = &*cached
            && now.saturating_sub(*tried_at) < KEYS_FRESH_MS
        {
            return Ok(Arc::clone(ring));
        }
        let ring = match (self.source.read().await, &*cached) {
            (Ok(ring), _) => ring,
            (Err(error), Some((ring, _))) => {
                tracing::warn!(%error, "cannot read the keys again; using the cached ones");
                Arc::clone(ring)
            }
            (Err(error), None) => return Err(error),
        };
        *cached = Some((Arc::clone(&ring), now));
        Ok(ring)
    }
}
