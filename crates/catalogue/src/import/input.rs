//! The text of a downloaded file: decompressed, and read with bounded memory.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::rc::Rc;

use super::unpack::{peek, unpack};

/// The maximum length of a text, in bytes. Real files have less than 8 MB.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;

/// The maximum length of a piece of text, in bytes. A piece is a line, or the text from one element to the next. Real
/// pieces have a few hundred bytes.
const MAX_PIECE_BYTES: usize = 100_000;

/// The UTF-8 byte order mark, which some editors write at the start of a file.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A text that is read piece by piece. Reading fails if the text or a piece is too long. So a decompression bomb or
/// a file without line ends takes no more memory than a real file.
pub struct Input<'r> {
    text: Box<dyn BufRead + 'r>,
    left: u64,
    piece_limit: PieceLimit,
}

/// The number of bytes that can still be read of the current piece. A reader of a file starts a piece before each
/// element or line ([`start_piece`](Self::start_piece)). The number is shared with the [`Input`], because a
/// parser owns the `Input` while it reads the file.
#[derive(Clone)]
pub struct PieceLimit(Rc<Cell<usize>>);

impl PieceLimit {
    /// Starts a piece.
    pub fn start_piece(&self) {
        self.0.set(MAX_PIECE_BYTES);
    }
}

impl<'r> Input<'r> {
    /// Opens a text, which can be compressed with gzip or Zstandard.
    pub fn open(file: impl BufRead + Send + 'r) -> io::Result<Self> {
        let (start, mut text) = peek::<3>(BufReader::new(unpack(file)?))?;
        if start == BYTE_ORDER_MARK {
            text.consume(start.len());
        }
        Ok(Self {
            text: Box::new(text),
            left: MAX_INPUT_BYTES,
            piece_limit: PieceLimit(Rc::new(Cell::new(MAX_PIECE_BYTES))),
        })
    }

    /// Returns the limit of the current piece.
    pub fn piece_limit(&self) -> PieceLimit {
        self.piece_limit.clone()
    }

    /// Skips white space, and returns the next byte without consuming it; `None` at the end.
    pub fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let next = self.fill_buf()?.first().copied();
            if !next.is_some_and(|byte| byte.is_ascii_whitespace()) {
                return Ok(next);
            }
            self.consume(1);
        }
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let (left, left_of_piece) = (self.left, self.piece_limit.0.get());
        let text = self.text.fill_buf()?;
        let length = text.len().min(left_of_piece);
        let length = usize::try_from(left).map_or(length, |left| length.min(left));
        if length == 0 && !text.is_empty() {
            return Err(invalid(match left {
                0 => "it is longer than 64 MiB when decompressed",
                _ => "an element or a line of it is longer than 100 KB",
            }));
        }
        Ok(&text[..length])
    }

    fn consume(&mut self, count: usize) {
        self.text.consume(count);
        self.left = self.left.saturating_sub(count as u64);
        let left_of_piece = &self.piece_limit.0;
        left_of_piece.set(left_of_piece.get().saturating_sub(count));
    }
}

/// Returns an error about the contents of a file.
pub fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message.into())
}

/// Returns the error for a file that ends too early.
pub fn incomplete() -> io::Error {
    let message = "it is incomplete; download it again";
    io::Error::new(ErrorKind::UnexpectedEof, message)
}

/// Returns the error of a parser or decompressor unchanged, but [`incomplete`] if the file ended too early.
pub fn explain(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => incomplete(),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufRead, Read};

    use super::{Input, MAX_PIECE_BYTES};
    use crate::import::unpack::gzip;

    fn read(file: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        let mut input = Input::open(file)?;
        input.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn compression_is_recognized_by_the_first_bytes() {
        for text in ["", "a", "abc", "\u{feff}abc"] {
            let plain = text.trim_start_matches('\u{feff}');
            assert_eq!(read(text.as_bytes()).unwrap(), plain);
            assert_eq!(read(&gzip(text.as_bytes())).unwrap(), plain);
            let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
            assert_eq!(read(&zstd).unwrap(), plain);
        }
        let two_members = [gzip(b"a"), gzip(b"b")].concat();
        assert_eq!(read(&two_members).unwrap(), "ab");
    }

    #[test]
    fn decompression_bomb_is_an_error() {
        let zeros = io::repeat(0).take(65 << 20);
        let bomb = zstd::encode_all(zeros, 1).unwrap();
        assert!(bomb.len() < 100_000);
        let mut input = Input::open(bomb.as_slice()).unwrap();
        let piece_limit = input.piece_limit();
        let error = loop {
            piece_limit.start_piece();
            match input.fill_buf().map(<[u8]>::len) {
                Ok(0) => panic!("not limited"),
                Ok(count) => input.consume(count),
                Err(error) => break error,
            }
        };
        let message = "it is longer than 64 MiB when decompressed";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn too_long_piece_is_an_error() {
        let text = vec![b'a'; MAX_PIECE_BYTES + 1];
        let message = "an element or a line of it is longer than 100 KB";
        assert_eq!(read(&text).unwrap_err().to_string(), message);
        assert_eq!(read(&text[1..]).unwrap().len(), MAX_PIECE_BYTES);
    }
}
