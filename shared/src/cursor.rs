//! Cursors: where a list goes on.
//!
//! A cursor holds the place of the last row that was given, not a count of rows, so that rows
//! added or removed meanwhile neither repeat nor hide another one. It is bound to its list and
//! filters by a digest. Nothing secret is in it, and a cursor that somebody computes gives no more
//! than a page that everybody may read.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Bytes of the digest that are kept: enough to tell a cursor cut short or from another list.
const DIGEST: usize = 8;

/// Writes the cursor of the row at `place` in the list `list` under `filters`.
#[must_use]
pub fn encode(list: &str, filters: &str, place: u64) -> String {
    let mut bytes = place.to_be_bytes().to_vec();
    bytes.extend_from_slice(&digest(list, filters, place));
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a cursor. `None` when it is none of this list under these filters.
#[must_use]
pub fn decode(list: &str, filters: &str, cursor: &str) -> Option<u64> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (place, signature) = bytes.split_first_chunk::<8>()?;
    let place = u64::from_be_bytes(*place);
    (signature == digest(list, filters, place)).then_some(place)
}

fn digest(list: &str, filters: &str, place: u64) -> [u8; DIGEST] {
    let mut hasher = Sha256::new();
    for part in [list.as_bytes(), b"\0", filters.as_bytes(), b"\0"] {
        hasher.update(part);
    }
    hasher.update(place.to_be_bytes());
    let whole = hasher.finalize();
    std::array::from_fn(|position| whole[position])
}
