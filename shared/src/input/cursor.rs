//! Cursors: the positions at which the next pages of a list begin (docs/api.md, "Pagination").
//!
//! A cursor holds the position of the row after which the next page begins. It does not hold a count of rows, so that
//! rows added or removed between two requests cause no other rows to be repeated or skipped. A digest binds the cursor
//! to its list and filters. The digest is not a signature: a cursor contains no secret, and a forged cursor returns
//! only rows that the caller may read anyway.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Length of the digest, in bytes. 8 bytes are enough to detect a truncated cursor or a cursor of another list.
const DIGEST_BYTES: usize = 8;

/// A position in the order of a list, such as the sort key of a row.
pub trait CursorPosition: Sized {
    /// Returns the position as the bytes of a cursor.
    fn to_bytes(&self) -> Vec<u8>;
    /// Parses the bytes of a cursor. Returns `None` if they are not a valid position of this type.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl CursorPosition for u128 {
    fn to_bytes(&self) -> Vec<u8> {
        self.to_be_bytes().to_vec()
    }

    /// Accepts at most 38 digits, the precision of a number in DynamoDB.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let position = bytes.try_into().ok().map(Self::from_be_bytes)?;
        (position < 10_u128.pow(38)).then_some(position)
    }
}

impl CursorPosition for String {
    fn to_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    /// Accepts 1 to 1,023 bytes. A sort key in DynamoDB has at most 1,024 bytes, and the query for the next
    /// page can append one byte.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let fits_key = (1..1024).contains(&bytes.len());
        Self::from_utf8(bytes.to_vec()).ok().filter(|_| fits_key)
    }
}

/// Returns a cursor for the rows after `position` in this list with these filters.
pub fn encode<P: CursorPosition>(list: &str, filters: &str, position: &P) -> String {
    let mut bytes = position.to_bytes();
    bytes.extend_from_slice(&digest(list, filters, &bytes));
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Parses a cursor and returns its position. Returns `None` if the cursor does not belong to this list with
/// these filters.
pub fn decode<P: CursorPosition>(list: &str, filters: &str, cursor: &str) -> Option<P> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (position, stated) = bytes.split_last_chunk::<DIGEST_BYTES>()?;
    let is_bound = *stated == digest(list, filters, position);
    is_bound.then(|| P::from_bytes(position)).flatten()
}

fn digest(list: &str, filters: &str, position: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut hasher = Sha256::new();
    for part in [list.as_bytes(), b"\0", filters.as_bytes(), b"\0"] {
        hasher.update(part);
    }
    hasher.update(position);
    let whole = hasher.finalize();
    std::array::from_fn(|index| whole[index])
}
