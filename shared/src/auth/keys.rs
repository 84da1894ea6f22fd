//! Keys, and where they are kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::Error;
use crate::clock::Clock;
use crate::random::Random;

/// How long keys are used before they are read again, in milliseconds.
pub const FRESH_MS: u64 = 300_000;

/// How long before it is used for the first time a new key has to be in its place, in seconds: three
/// times as long as anybody uses what was read before.
pub const LEAD_S: u64 = 900;

/// The characters of a key: 62 to the 64th power, some 381 bits.
const LENGTH: usize = 64;

/// Keys by the second (since the Unix epoch) from which each is the one in use. That second is also
/// its identifier (`kid`, RFC 7515, section 4.1.4). All of them are good for what was made with them,
/// so that a new key ends nothing.
///
/// As JSON: `{"0": "a secret", "1790000000": "the one from then on"}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<u64, String>")]
pub struct KeyRing(BTreeMap<u64, String>);

/// Rings by name, as a file holds them: `{"signing": {...}, "encryption": {...}}`.
pub type KeyRings = BTreeMap<String, KeyRing>;

impl TryFrom<BTreeMap<u64, String>> for KeyRing {
    type Error = &'static str;

    fn try_from(keys: BTreeMap<u64, String>) -> Result<Self, Self::Error> {
        let sound = !keys.is_empty() && keys.values().all(|key| key.len() >= 32);
        sound.then_some(Self(keys)).ok_or(NO_RING)
    }
}

/// What is wrong with keys that are none. What a parser says may hold one.
const NO_RING: &str = "not a JSON object from the second of each key's first use to the key, of 32 characters or more";

impl KeyRing {
    /// A ring of one new key.
    #[must_use]
    pub fn new(random: &Random) -> Self {
        Self(BTreeMap::from([(0, random.alphanumeric(LENGTH))]))
    }

    /// Reads a ring.
    ///
    /// # Errors
    /// When it is none, or a key is too short to be one. The reason names no key.
    pub fn parse(json: &str) -> Result<Self, &'static str> {
        serde_json::from_str(json).map_err(|_| NO_RING)
    }

    /// Reads several, by their names.
    ///
    /// # Errors
    /// As [`KeyRing::parse`].
    pub fn parse_several(json: &str) -> Result<KeyRings, &'static str> {
        serde_json::from_str(json).map_err(|_| NO_RING)
    }

    /// The ring as JSON.
    ///
    /// # Errors
    /// Never, but the serializer could.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The key in use at a second, with its identifier. A ring that begins later uses its first.
    #[must_use]
    pub fn current(&self, now_s: u64) -> Option<(u64, &str)> {
        let begun = self.0.range(..=now_s).next_back();
        let (kid, key) = begun.or_else(|| self.0.first_key_value())?;
        Some((*kid, key))
    }

    /// The key of this identifier.
    #[must_use]
    pub fn get(&self, kid: u64) -> Option<&str> {
        self.0.get(&kid).map(String::as_str)
    }

    /// Adds a key that is used from [`LEAD_S`] after `now_s` on. With `keep_s`, keys go that were
    /// followed by another longer ago than that, in seconds.
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

    /// The identifiers of the keys, the newest last.
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

/// A secret that is kept elsewhere, such as in AWS Secrets Manager.
pub trait ReadSecret: std::fmt::Debug + Send + Sync {
    /// Reads its text, which is empty when the secret has none.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when it cannot be read.
    fn read(&self) -> BoxFuture<'_, Result<String, Error>>;
}

/// Where a ring is kept.
#[derive(Clone, Debug)]
pub enum KeySource {
    /// In the process alone.
    Fixed(Arc<KeyRing>),
    /// In a file of [`KeyRings`], under a name.
    File(PathBuf, &'static str),
    /// In a secret of its own, as [`KeyRing::to_json`] writes it.
    Secret(Arc<dyn ReadSecret>),
}

impl KeySource {
    async fn read(&self) -> Result<Arc<KeyRing>, Error> {
        let ring = match self {
            Self::Fixed(ring) => return Ok(Arc::clone(ring)),
            Self::File(path, name) => {
                let file = std::fs::read_to_string(path)
                    .map_err(|error| Error::internal(format!("the file of keys: {error}")))?;
                let mut rings = KeyRing::parse_several(&file).map_err(Error::internal)?;
                rings.remove(*name).ok_or("the file has none of this name")
            }
            Self::Secret(secret) => KeyRing::parse(&secret.read().await?),
        };
        ring.map(Arc::new)
            .map_err(|error| Error::internal(format!("keys that cannot be used: {error}")))
    }
}

/// Keys, read when they are first needed and again every five minutes.
#[derive(Debug)]
pub struct Keys {
    source: KeySource,
    clock: Clock,
    cached: Mutex<Option<(Arc<KeyRing>, u64)>>,
}

impl Keys {
    /// The keys of a source.
    #[must_use]
    pub fn new(source: KeySource, clock: Clock) -> Self {
        Self {
            source,
            clock,
            cached: Mutex::default(),
        }
    }

    /// The keys. Those that were read before stay in use while their source cannot be read.
    ///
    /// # Errors
    /// [`Error::Unavailable`] while the source is out of reach, [`Error::Internal`] when it
    /// holds no keys.
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
                tracing::warn!(
                    ?error,
                    "keys are not read again: those from before are used"
                );
                Arc::clone(ring)
            }
            (Err(error), None) => return Err(error),
        };
        *cached = Some((Arc::clone(&ring), now));
        Ok(ring)
    }
}
