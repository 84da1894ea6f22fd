//! Cursors: where a list goes on.
//!
//! A cursor holds the place of the last row that was given, not a count of rows, so that rows
//! added or removed meanwhile neither repeat nor hide another one. It is bound to its list and
//! filters by a digest. Nothing secret is in it, and a cursor that somebody computes gives no more
//! than a page that they may read anyway.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Bytes of the digest that are kept: enough to tell a cursor cut short or from another list.
const DIGEST: usize = 8;

/// A place in the order of a list.
pub trait Place: Sized {
    /// The place as a cursor holds it.
    fn to_bytes(&self) -> Vec<u8>;
    /// The place that a cursor holds, if it is one of this kind.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl Place for u64 {
    fn to_bytes(&self) -> Vec<u8> {
        self.to_be_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_be_bytes)
    }
}

impl Place for u128 {
    fn to_bytes(&self) -> Vec<u8> {
        self.to_be_bytes().to_vec()
    }

    /// DynamoDB has numbers of 38 digits.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let place = bytes.try_into().ok().map(Self::from_be_bytes)?;
        (place < 10_u128.pow(38)).then_some(place)
    }
}

impl Place for String {
    fn to_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    /// DynamoDB sorts by texts of 1 to 1024 bytes; a query may add one.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let sortable = (1..1024).contains(&bytes.len());
        Self::from_utf8(bytes.to_vec()).ok().filter(|_| sortable)
    }
}

/// Writes the cursor of the row at `place` in the list `list` under `filters`.
#[must_use]
pub fn encode<P: Place>(list: &str, filters: &str, place: &P) -> String {
    let mut bytes = place.to_bytes();
    bytes.extend_from_slice(&digest(list, filters, &bytes));
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a cursor. `None` when it is none of this list under these filters.
#[must_use]
pub fn decode<P: Place>(list: &str, filters: &str, cursor: &str) -> Option<P> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (place, signature) = bytes.split_last_chunk::<DIGEST>()?;
    let known = *signature == digest(list, filters, place);
    known.then(|| P::from_bytes(place)).flatten()
}

fn digest(list: &str, filters: &str, place: &[u8]) -> [u8; DIGEST] {
    let mut hasher = Sha256::new();
    for part in [list.as_bytes(), b"\0", filters.as_bytes(), b"\0"] {
        hasher.update(part);
    }
    hasher.update(place);
    let whole = hasher.finalize();
    std::array::from_fn(|position| whole[position])
}
