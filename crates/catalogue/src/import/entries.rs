//! Streams of entries from files of public databases: JSON Lines, or one JSON object with an array named `data`.
//!
//! A file is first split into the texts of its entries, and each text is parsed separately. So an
//! invalid entry affects no other entry, and at most [`MAX_ENTRY_BYTES`] bytes of an entry are in memory. A JSON
//! parser for the whole file could not continue after an invalid or oversized entry.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};

use super::input::{BYTE_ORDER_MARK, invalid};
use super::unpack::unpack;

/// The maximum length of an entry, in bytes. Real entries have a few thousand.
pub const MAX_ENTRY_BYTES: usize = 1_000_000;

/// The maximum length of the text in a downloaded file, in bytes. The largest real file has about 60 MB.
const MAX_FILE_TEXT_BYTES: u64 = 256 * 1024 * 1024;

/// The unit in which the entries of a file are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryUnit {
    /// Lines of the file, from 1.
    Line,
    /// Elements of a JSON array, from 1.
    Entry,
}

impl EntryUnit {
    /// Returns the unit's name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Entry => "entry",
        }
    }

    /// Returns the unit of a file of the anime-offline-database, by its name: lines of a `.jsonl` file, and elements
    /// of a `.json` file. The name may also end in `.gz` or `.zst`.
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".zst").unwrap_or(&name);
        let name = name.strip_suffix(".gz").unwrap_or(name);
        match name.rsplit_once('.') {
            Some((_, "jsonl")) => Some(Self::Line),
            Some((_, "json")) => Some(Self::Entry),
            _ => None,
        }
    }
}

/// The entries of a text.
pub struct Entries<R> {
    text: R,
    unit: EntryUnit,
    /// The number of entries or lines that were read.
    number: u64,
}

/// The number and the text of an entry. The text is `None` if it is longer than [`MAX_ENTRY_BYTES`].
type NumberedEntry = (u64, Option<Vec<u8>>);

impl<'f> Entries<Box<dyn BufRead + Send + 'f>> {
    /// Opens a downloaded file from its start. Its first bytes tell whether it is compressed with gzip or
    /// Zstandard. Reading fails after 256 MiB of text, so a decompression bomb does not take long.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(mut file: &'f File, unit: EntryUnit) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        let text = LimitedReader {
            text: unpack(BufReader::new(file))?,
            left: MAX_FILE_TEXT_BYTES,
        };
        Self::new(Box::new(BufReader::new(text)), unit)
    }
}

impl<R: BufRead> Entries<R> {
    /// Creates the stream of a text's entries. Skips a byte order mark.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn new(mut text: R, unit: EntryUnit) -> io::Result<Self> {
        if text.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            text.consume(BYTE_ORDER_MARK.len());
        }
        Ok(Self {
            text,
            unit,
            number: 0,
        })
    }

    /// Returns the next entry: its number, from 1, and its text. The text is `None` if it is longer than
    /// [`MAX_ENTRY_BYTES`].
    ///
    /// # Errors
    /// The text cannot be read. With [`EntryUnit::Entry`]: the text is not an object with an array named `data`, or
    /// ends too early.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator would yield after an error"
    )]
    pub fn next(&mut self) -> io::Result<Option<NumberedEntry>> {
        match self.unit {
            EntryUnit::Line => self.next_line(),
            EntryUnit::Entry => self.next_element(),
        }
    }

    /// Returns the next line that is not blank.
    fn next_line(&mut self) -> io::Result<Option<NumberedEntry>> {
        loop {
            let mut line = Vec::new();
            let mut start = self.text.by_ref().take(MAX_ENTRY_BYTES as u64 + 1);
            if start.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if line.len() > MAX_ENTRY_BYTES {
                if !line.ends_with(b"\n") {
                    self.text.skip_until(b'\n')?;
                }
                return Ok(Some((self.number, None)));
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some((self.number, Some(line))));
            }
        }
    }

    /// Returns the next element of the array named `data` in an object.
    fn next_element(&mut self) -> io::Result<Option<NumberedEntry>> {
        if self.number == 0 {
            self.find_array()?;
        }
        if self.peek()? == b']' {
            return Ok(None);
        }
        if self.number > 0 {
            self.expect(b',')?;
        }
        let text = self.read_value()?;
        self.number += 1;
        Ok(Some((self.number, text)))
    }

    /// Skips to the first element of the array.
    fn find_array(&mut self) -> io::Result<()> {
        self.expect(b'{')?;
        while self.peek()? != b'}' {
            let key = self.read_value()?;
            self.expect(b':')?;
            if key.as_deref() == Some(br#""data""#) {
                return self.expect(b'[');
            }
            self.read_value()?;
            if self.peek()? == b',' {
                self.text.consume(1);
            }
        }
        Err(invalid("it has no array named data"))
    }

    fn expect(&mut self, wanted: u8) -> io::Result<()> {
        let found = self.peek()?;
        if found != wanted {
            return Err(invalid(format!(
                "it has {:?} where {:?} is expected, after entry {}",
                char::from(found),
                char::from(wanted),
                self.number
            )));
        }
        self.text.consume(1);
        Ok(())
    }

    /// Skips white space, and returns the next byte without consuming it.
    fn peek(&mut self) -> io::Result<u8> {
        loop {
            let byte = self.peek_byte()?;
            if !byte.is_ascii_whitespace() {
                return Ok(byte);
            }
            self.text.consume(1);
        }
    }

    fn peek_byte(&mut self) -> io::Result<u8> {
        let ahead = self.text.fill_buf()?.first();
        ahead.copied().ok_or_else(|| {
            let message = format!("it ends unexpectedly after entry {}", self.number);
            io::Error::new(ErrorKind::UnexpectedEof, message)
        })
    }

    /// Reads the text of one JSON value. Looks only for the end of the value, so the text may be invalid
    /// JSON. Returns `None` if it is too long.
    fn read_value(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.peek()?;
        let mut text = Vec::new();
        let mut nesting = Nesting::default();
        loop {
            let byte = self.peek_byte()?;
            if nesting.is_outside() && ends_scalar(byte) {
                break;
            }
            self.text.consume(1);
            if text.len() <= MAX_ENTRY_BYTES {
                text.push(byte);
            }
            if nesting.advance(byte) {
                break;
            }
        }
        if text.is_empty() {
            let message = format!("a value is missing after entry {}", self.number);
            return Err(invalid(message));
        }
        Ok((text.len() <= MAX_ENTRY_BYTES).then_some(text))
    }
}

/// A text that can be read up to a number of bytes. Reading more of it fails.
struct LimitedReader<R> {
    text: R,
    left: u64,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or_else(|| {
            let max_mib = MAX_FILE_TEXT_BYTES >> 20;
            invalid(format!("it is longer than {max_mib} MiB when decompressed"))
        })?;
        Ok(count)
    }
}

/// The position of the reader within a JSON value.
#[derive(Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    fn is_outside(&self) -> bool {
        self.depth == 0 && !self.in_string
    }

    /// Advances by a byte. Returns true if the byte ends the outermost string, object or array.
    fn advance(&mut self, byte: u8) -> bool {
        if self.in_string {
            let ends = byte == b'"' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            self.in_string = !ends;
            return ends && self.depth == 0;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// Returns true if a number, `true`, `false` or `null` ends before this byte.
fn ends_scalar(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b':' | b']' | b'}')
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader};

    use super::{Entries, EntryUnit, MAX_ENTRY_BYTES};

    /// Returns the entries of a text, read in small pieces. The text of an entry that is too long is `None`.
    fn entries(unit: EntryUnit, text: &[u8]) -> io::Result<Vec<(u64, Option<String>)>> {
        let mut reader = Entries::new(BufReader::with_capacity(7, text), unit)?;
        let mut entries = Vec::new();
        while let Some((number, text)) = reader.next()? {
            let text = text.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
            entries.push((number, text));
        }
        Ok(entries)
    }

    fn some(number: u64, text: &str) -> (u64, Option<String>) {
        (number, Some(text.to_owned()))
    }

    fn elements(text: &str) -> io::Result<Vec<(u64, Option<String>)>> {
        entries(EntryUnit::Entry, text.as_bytes())
    }

    #[test]
    fn blank_lines_are_skipped_and_lines_keep_their_numbers() {
        let lines = entries(EntryUnit::Line, b"{\"a\":1}\r\n\n  \n[2]").unwrap();
        assert_eq!(lines, [some(1, r#"{"a":1}"#), some(4, "[2]")]);
    }

    #[test]
    fn line_after_a_too_long_one_is_read() {
        let mut text = vec![b'x'; 2 * MAX_ENTRY_BYTES];
        text.extend_from_slice(b"\nshort\n");
        let lines = entries(EntryUnit::Line, &text).unwrap();
        assert_eq!(lines, [(1, None), some(2, "short")]);
    }

    #[test]
    fn elements_of_the_data_array_are_entries() {
        let text = r#" {"license": {"name": "}]\\\"", "data": [0]}, "n": 1.5, "data" : [
            {"title": "[\"{"}, 7 ,"a,b", null,[ [1], {} ] ], "after": 1}"#;
        let expected = [
            some(1, r#"{"title": "[\"{"}"#),
            some(2, "7"),
            some(3, r#""a,b""#),
            some(4, "null"),
            some(5, "[ [1], {} ]"),
        ];
        assert_eq!(elements(text).unwrap(), expected);
        assert_eq!(elements(r#"{"data": []}"#).unwrap(), []);
    }

    #[test]
    fn element_after_a_too_long_one_is_read() {
        let text = format!(r#"{{"data": ["{}", 1]}}"#, "x".repeat(2 * MAX_ENTRY_BYTES));
        assert_eq!(elements(&text).unwrap(), [(1, None), some(2, "1")]);
    }

    #[test]
    fn element_that_is_not_utf_8_is_unchanged() {
        let found = entries(EntryUnit::Entry, b"{\"data\": [\"\xff\", 1]}").unwrap();
        assert_eq!(found, [some(1, "\"\u{fffd}\""), some(2, "1")]);
    }

    #[test]
    fn invalid_objects_are_described_by_their_errors() {
        for (text, message) in [
            (r#"{"other": []}"#, "it has no array named data"),
            ("{}", "it has no array named data"),
            (r#"{"data": [{"a": 1"#, "it ends unexpectedly after entry 0"),
            ("", "it ends unexpectedly after entry 0"),
            (
                r#"{"data": [1 2]}"#,
                "it has '2' where ',' is expected, after entry 1",
            ),
            (r#"{"data": [1,]}"#, "a value is missing after entry 1"),
            ("[1]", "it has '[' where '{' is expected, after entry 0"),
        ] {
            assert_eq!(elements(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
