//! Decompression of downloaded files.

use std::io::{self, BufRead, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Returns the contents of a file, decompressed if it is gzip or Zstandard. The first bytes identify the
/// format, because a download has no file name.
pub fn unpack<'f>(file: impl BufRead + Send + 'f) -> io::Result<Box<dyn Read + Send + 'f>> {
    let (start, file) = peek::<4>(file)?;
    let contents: Box<dyn Read + Send + 'f> = if start.starts_with(GZIP) {
        Box::new(MultiGzDecoder::new(file))
    } else if start.starts_with(ZSTD) {
        Box::new(zstd::Decoder::with_buffer(file)?)
    } else {
        Box::new(file)
    };
    Ok(contents)
}

/// Returns the first bytes of a file, at most `N`, and a reader that reads the whole file, including these bytes.
pub fn peek<const N: u64>(mut file: impl BufRead) -> io::Result<(Vec<u8>, impl BufRead)> {
    let mut start = Vec::new();
    file.by_ref().take(N).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(file)))
}

/// Returns a text compressed with gzip.
#[cfg(test)]
pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = flate2::bufread::GzEncoder::new(text, flate2::Compression::fast());
    encoder.read_to_end(&mut bytes).unwrap();
    bytes
}
