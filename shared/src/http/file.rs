//! Files with a user's data, which a browser saves (docs/api.md, "Files").

use std::io::{self, BufWriter, IntoInnerError, Write};

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression as Level;
use flate2::write::GzEncoder;

use super::response::CACHE_PRIVATE;
use crate::{Error, Result};

/// The media type of a file that is compressed with gzip.
pub const GZIP: &str = "application/gzip";

/// The maximum size of a compressed file, in bytes. Lambda limits a response to 6 MB, and binary data in it is
/// encoded in Base64, which makes it a third larger.
const MAX_COMPRESSED: usize = 4_500_000;

/// The maximum size of a file that is not compressed, in bytes. In Lambda's response of at most 6 MB the file is a JSON
/// string, in which quotation marks and line ends take two bytes.
const MAX_PLAIN: usize = 3_000_000;

/// The size of the pieces in which a file is compressed, in bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// The compression of a file in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// The file itself is in gzip, and a browser saves it compressed.
    OfFile,
    /// The response is in gzip, as `Content-Encoding` states, and a browser saves the unpacked file.
    OfResponse,
    /// No compression, because the caller does not accept gzip.
    None,
}

impl Compression {
    /// Returns [`Self::OfResponse`] if `Accept-Encoding` names gzip with a weight above 0, and [`Self::None`]
    /// otherwise.
    pub fn for_request(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
        let lines = lines.filter_map(|line| line.to_str().ok());
        let mut codings = lines.flat_map(|line| line.split(','));
        let accepts_gzip = codings.any(|coding| {
            let coding = coding.to_ascii_lowercase();
            let (name, weight) = coding.split_once(';').unwrap_or((&coding, ""));
            let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
            let is_accepted = weight.parse::<f32>().is_ok_and(|weight| weight > 0.0);
            name.trim() == "gzip" && is_accepted
        });
        if accepts_gzip {
            Self::OfResponse
        } else {
            Self::None
        }
    }
}

/// A file in memory, small enough for a response.
#[derive(Debug)]
pub struct File {
    bytes: Vec<u8>,
    compression: Compression,
}

impl File {
    /// Makes a file from everything that `write_content` writes, and returns the file and the result of
    /// `write_content`, which runs on a thread for blocking work.
    ///
    /// # Errors
    /// `too_large` if the compressed file has more than 4.5 MB. [`Error::Invalid`] if a file that is not compressed has
    /// more than 3 MB: the caller must then accept gzip.
    pub async fn write<T: Send + 'static>(
        compression: Compression,
        too_large: Error,
        write_content: impl FnOnce(&mut dyn Write) -> io::Result<T> + Send + 'static,
    ) -> Result<(Self, T)> {
        let write = move || match compression {
            Compression::None => {
                let mut output = LimitedOutput::new(MAX_PLAIN);
                let result = write_content(&mut output)?;
                Ok((output.bytes, result))
            }
            Compression::OfFile | Compression::OfResponse => {
                let encoder = GzEncoder::new(LimitedOutput::new(MAX_COMPRESSED), Level::new(6));
                // Each write to the encoder clears a buffer of 32 KB, and JSON is written in pieces of a few bytes.
                let mut output = BufWriter::with_capacity(BUFFER_BYTES, encoder);
                let result = write_content(&mut output)?;
                let encoder = output.into_inner().map_err(IntoInnerError::into_error)?;
                Ok((encoder.finish()?.bytes, result))
            }
        };
        let written: io::Result<(Vec<u8>, T)> = tokio::task::spawn_blocking(write)
            .await
            .map_err(Error::internal)?;
        match written {
            Ok((bytes, result)) => Ok((Self { bytes, compression }, result)),
            Err(error) if error.kind() != io::ErrorKind::FileTooLarge => {
                Err(Error::internal(error))
            }
            Err(_) if compression == Compression::None => Err(Error::invalid(
                "Accept-Encoding",
                "must allow gzip, because the file has more than 3 MB",
            )),
            Err(_) => Err(too_large),
        }
    }

    /// Returns the response with the file, which no cache may store. `name` must consist of letters, digits, `.`,
    /// `-` and `_`.
    pub fn into_response(self, name: &str, media_type: &'static str) -> Response {
        let (name, media_type) = match self.compression {
            Compression::OfFile => (format!("{name}.gz"), GZIP),
            Compression::OfResponse | Compression::None => (name.to_owned(), media_type),
        };
        let attachment = format!("attachment; filename=\"{name}\"");
        let attachment = HeaderValue::from_str(&attachment);
        let attachment = attachment.unwrap_or(HeaderValue::from_static("attachment"));
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
            (header::CONTENT_DISPOSITION, attachment),
            (header::CACHE_CONTROL, CACHE_PRIVATE),
        ];
        let mut response = (headers, self.bytes).into_response();
        if self.compression == Compression::OfResponse {
            let gzip = HeaderValue::from_static("gzip");
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, gzip);
        }
        response
    }
}

/// Bytes in memory, up to a limit.
struct LimitedOutput {
    bytes: Vec<u8>,
    limit: usize,
}

impl LimitedOutput {
    fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            limit,
        }
    }
}

impl Write for LimitedOutput {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + chunk.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(chunk);
        Ok(chunk.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
