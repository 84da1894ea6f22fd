//! Files that are compressed with gzip.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;

use crate::entry::{ListFileError, ReadResult};

/// The maximum length of an unpacked file, in bytes. Lists with 20,000 entries and notes have about 20 MB.
pub const MAX_UNPACKED: usize = 64 * 1024 * 1024;

/// The first bytes of such a file.
pub const GZIP: &[u8] = b"\x1f\x8b";

/// Unpacks a file that is compressed with gzip into `unpacked`, which must be empty. At most `limit + 1` bytes are
/// unpacked. After an error, `unpacked` has the bytes that were unpacked before.
pub fn gunzip(file: &[u8], limit: usize, unpacked: &mut Vec<u8>) -> ReadResult {
    // The decoder stops at the limit, so a decompression bomb costs no more than a real file.
    let result = MultiGzDecoder::new(file)
        .take(limit as u64 + 1)
        .read_to_end(unpacked);
    match result {
        Ok(_) if unpacked.len() > limit => Err(ListFileError::new(
            "The file is longer than 64 MB when unpacked.",
        )),
        Ok(_) => Ok(()),
        Err(_) => Err(ListFileError::new(
            "The file is damaged or incomplete: it cannot be unpacked with gzip.",
        )),
    }
}
