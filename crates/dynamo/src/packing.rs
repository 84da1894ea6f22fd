//! Values in a binary attribute: postcard, compressed with zstd.

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::{Error, Result};

/// The zstd level. A high level makes values smaller. It takes more time to compress, but a snapshot of the catalogue,
/// the largest value, is compressed only once, and read at every cold start.
const ZSTD_LEVEL: i32 = 12;

/// The maximum size of an unpacked value, in bytes: 1 GiB. It limits the memory that damaged data can take.
const MAX_UNPACKED_BYTES: usize = 1 << 30;

/// Serializes and compresses a value.
///
/// # Errors
/// [`Error::Internal`] if the value cannot be serialized.
pub fn pack_value<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    let bytes = postcard::to_stdvec(value).map_err(Error::internal)?;
    zstd::bulk::compress(&bytes, ZSTD_LEVEL).map_err(Error::internal)
}

/// Reads what [`pack_value`] has written. Returns `None` if the bytes are damaged or decompress to more than 1 GiB.
pub fn unpack_value<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let size =
        zstd::bulk::Decompressor::upper_bound(bytes).filter(|size| *size <= MAX_UNPACKED_BYTES)?;
    let unpacked = zstd::bulk::decompress(bytes, size).ok()?;
    postcard::from_bytes(&unpacked).ok()
}
