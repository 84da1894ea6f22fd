//! Key rings for signing and encryption, and the sources they are read from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::Error;
use crate::clock::Clock;
use crate::random::Random;

/// Time for which keys are cached before they are read again, in milliseconds.
pub const FRESH_MS: u64 = 300_000;

/// Delay before a new key is used for the first time, in seconds. It is three times [`FRESH_MS`], so that
/// every process has read the key before any process uses it.
pub const LEAD_S: u64 = 900;

/// Number of characters of a key. There are 62 different ones, so a key has about 381 bits.
const LENGTH: usize = 64;

/// Keys by the Unix second from which each is in use. That second is also the key's identifier (`kid`, RFC
/// 7515, section 4.1.4). Older keys stay valid for tokens and texts made with them, so a new key invalidates
/// nothing.
///
/// In JSON: `{"0": "the first key", "1790000000": "the key in use from that second on"}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<u64, String>")]
pub struct KeyRing(BTreeMap<u64, String>);

/// Key rings by name, as in a key file: `{"signing": {...}, "encryption": {...}}`.
pub type KeyRings = BTreeMap<String, KeyRing>;

impl TryFrom<BTreeMap<u64, String>> for KeyRing {
    type Error = &'static str;

    fn try_from(keys: BTreeMap<u64, String>) -> Result<Self, Self::Error> {
        let sound = !keys.is_empty() && keys.values().all(|key| key.len() >= 32);
        sound.then_some(Self(keys)).ok_or(INVALID_RING)
    }
}

/// The reason for refusing invalid keys. The parser's message is not passed on, because it may quote a key.
const INVALID_RING: &str = "must be a JSON object from the second of each key's first use to the key, of 32 characters or more";

impl KeyRing {
    /// Returns a ring of one new key.
    #[must_use]
    pub fn new(random: &Random) -> Self {
        Self(BTreeMap::from([(0, random.alphanumeric(LENGTH))]))
    }

    /// Parses a ring.
    ///
    /// # Errors
    /// When the text is not a ring, or a key has fewer than 32 characters. The reason contains no key.
    pub fn parse(json: &str) -> Result<Self, &'static str> {
        serde_json::from_str(json).map_err(|_| INVALID_RING)
    }

    /// Parses several rings by name.
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

    /// Returns the identifier and the key in use at a Unix second. Before the first key's
    /// second, that is the first key.
    #[must_use]
    pub fn current(&self, now_s: u64) -> Option<(u64, &str)> {
        let begun = self.0.range(..=now_s).next_back();
        let (kid, key) = begun.or_else(|| self.0.first_key_value())?;
        Some((*kid, key))
    }

    /// Returns the key with this identifier.
    #[must_use]
    pub fn get(&self, kid: u64) -> Option<&str> {
        self.0.get(&kid).map(String::as_str)
    }

    /// Adds a key that is used from [`LEAD_S`] after `now_s` on. With `keep_s`, removes the keys that were
    /// replaced more than `keep_s` seconds ago.
    #[must_use]
    pub fn rotated(&self, random: &Random, now_s: u64, keep_s: Option<u64>) -> Self {
        let mut keys = self.0.clone();
        if let Some(keep_s) = keep_s {
            let gone = now_s.saturating_sub(keep_s);
            let in_use_then = keys.range(..=gone).next_back().map_or(0, |(kid, _)| *kid);
            keys.retain(|kid, _| *kid >= in_use_then);
        }
        keys.insert(now_s + LEAD_S, random.alphanumeric(LENGTH));
        Self(keys)
    }

    /// Returns the identifiers of the keys, the newest last.
    #[must_use]
    pub fn ids(&self) -> Vec<u64> {
        self.0.keys().copied().collect()
    }
}

/// Keeps the keys out of every log.
impl std::fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "KeyRing({:?})", self.ids())
    }
}

/// A secret in an external store such as AWS Secrets Manager.
pub trait ReadSecret: std::fmt::Debug + Send + Sync {
    /// Reads the secret's text. It is empty if the secret has no value yet.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the secret cannot be read.
    fn read(&self) -> BoxFuture<'_, Result<String, Error>>;
}

/// The place that a ring is read from.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// The process itself.
    Fixed(Arc<KeyRing>),
    /// A file of [`KeyRings`], and the name of the ring in it.
    File(PathBuf, &'static str),
    /// A secret that holds one ring, as [`KeyRing::to_json`] writes it.
    Secret(Arc<dyn ReadSecret>),
}

impl KeySource {
    async fn read(&self) -> Result<Arc<KeyRing>, Error> {
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

/// A cached key ring, read on first use and again after [`FRESH_MS`].
#[derive(Debug)]
pub struct Keys {
    source: KeySource,
    clock: Clock,
    cached: Mutex<Option<(Arc<KeyRing>, u64)>>,
}

impl Keys {
    /// Returns the keys of a source, without reading them.
    #[must_use]
    pub fn new(source: KeySource, clock: Clock) -> Self {
        Self {
            source,
            clock,
            cached: Mutex::default(),
        }
    }

    /// Returns the keys. Keys that were read before stay in use while their source is unavailable.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the source is unavailable and no keys are cached, [`Error::Internal`] if it
    /// holds no valid keys.
    pub async fn ring(&self) -> Result<Arc<KeyRing>, Error> {
        let mut cached = self.cached.lock().await;
        let now = self.clock.now_ms();
        if let Some((ring, read_at)) = &*cached
            && now.saturating_sub(*read_at) < FRESH_MS
        {
            return Ok(Arc::clone(ring));
        }
        let ring = match (self.source.read().await, &*cached) {
            (Ok(ring), _) => ring,
            (Err(error), Some((ring, _))) => {
                tracing::warn!(?error, "cannot read the keys again; using the cached ones");
                Arc::clone(ring)
            }
            (Err(error), None) => return Err(error),
        };
        *cached = Some((Arc::clone(&ring), now));
        Ok(ring)
    }
}
