//! Recognition and unpacking of list files.

mod csv;
mod json;
mod xml;

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::MultiGzDecoder;

use super::entry::{ListFile, ReadError};

/// The maximum length of an unpacked file, in bytes. Lists with 20,000 entries and notes have about 20 MB.
pub const MAX_UNPACKED: usize = 64 * 1024 * 1024;

const GZIP: &[u8] = b"\x1f\x8b";
const ZIP: &[u8] = b"PK\x03\x04";

/// Reads a list file, plain or compressed with gzip. Its content determines its format.
///
/// Not more than [`MAX_UNPACKED`] bytes are unpacked, and not more than [`MAX_ENTRIES`](super::MAX_ENTRIES) entries
/// are read.
///
/// # Errors
/// If the file as a whole is unusable: it exceeds a limit, is not UTF-8, has an unknown or broken format, or is a
/// list of manga. An unusable entry is in [`ListFile::skipped`] instead.
pub fn read(file: &[u8]) -> Result<ListFile, ReadError> {
    read_text(&unpack(file)?, &|| false)
}

/// Reads the text of an unpacked list file like [`read`], but stops with an error once `is_cancelled` returns true.
///
/// # Errors
/// As [`read`], and if the reading was cancelled.
pub fn read_text(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<ListFile, ReadError> {
    match text.trim_start().chars().next() {
        None => Err(ReadError::new("The file is empty.")),
        Some('<') => xml::read(text, is_cancelled),
        Some('{' | '[') => json::read(text, is_cancelled),
        Some(_) => csv::read(text, is_cancelled),
    }
}

/// Returns the text of a file, plain or compressed with gzip, without its byte order mark.
///
/// # Errors
/// If it is longer than [`MAX_UNPACKED`], cannot be unpacked, or is not UTF-8.
pub fn unpack(file: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    let bytes = unpack_bytes(file)?;
    if bytes.len() > MAX_UNPACKED {
        return Err(ReadError::new("The file is longer than 64 MB."));
    }
    match bytes {
        Cow::Borrowed(bytes) => decode_text(bytes).map(Cow::Borrowed),
        Cow::Owned(bytes) => decode_text(&bytes).map(|text| Cow::Owned(text.to_owned())),
    }
}

fn unpack_bytes(file: &[u8]) -> Result<Cow<'_, [u8]>, ReadError> {
    if file.starts_with(ZIP) {
        return Err(ReadError::new(
            "The file is a ZIP archive. Unpack it and send the list that it contains.",
        ));
    }
    if !file.starts_with(GZIP) {
        return Ok(Cow::Borrowed(file));
    }
    let mut unpacked = Vec::new();
    let limit = MAX_UNPACKED as u64 + 1;
    // The decoder stops at the limit, so a decompression bomb costs no more than a real file.
    let result = MultiGzDecoder::new(file)
        .take(limit)
        .read_to_end(&mut unpacked);
    match result {
        Ok(_) if unpacked.len() > MAX_UNPACKED => Err(ReadError::new(
            "The file is longer than 64 MB when unpacked.",
        )),
        Ok(_) => Ok(Cow::Owned(unpacked)),
        Err(_) => Err(ReadError::new(
            "The file is damaged or incomplete: it cannot be unpacked with gzip.",
        )),
    }
}

/// Returns the text of a file without its byte order mark.
fn decode_text(bytes: &[u8]) -> Result<&str, ReadError> {
    // In UTF-16, every other byte of Latin letters is 0. No format of lists allows NUL.
    if bytes.contains(&0) {
        return Err(ReadError::new(
            "The file has NUL bytes, as a text in UTF-16 does. Save it as UTF-8.",
        ));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let position = error.valid_up_to() + 1;
        ReadError::new(format!(
            "The file is not encoded in UTF-8: byte {position} is invalid. Save it as UTF-8."
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}
