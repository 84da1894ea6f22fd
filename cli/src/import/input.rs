//! Streams of entries from files: JSON Lines, or one JSON object with an array named `data`, each
//! optionally compressed with Zstandard.
//!
//! A file is first split into the texts of its entries, and each text is parsed separately. So an
//! invalid entry affects no other entry, and at most [`MAX_ENTRY`] bytes of an entry are in memory. A JSON
//! parser for the whole file could not continue after an invalid or oversized entry.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use tokio::sync::mpsc;

/// Maximum length of an entry, in bytes. Real entries have a few thousand.
const MAX_ENTRY: usize = 1_000_000;

/// Number of entries that are read ahead of the import.
const AHEAD: usize = 64;

/// Buffer size for compressed files, in bytes. It is small, so that the progress in bytes read stays
/// close to the progress of the import.
const COMPRESSED_AHEAD: usize = 16_384;

/// The UTF-8 byte order mark, which some editors write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An entry of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of its line, or its position in the array, from 1.
    pub number: u64,
    /// The entry's JSON; `None` if it is longer than [`MAX_ENTRY`].
    pub text: Option<Vec<u8>>,
    /// Number of bytes of the file that have been read.
    pub bytes_read: u64,
}

/// The file layouts that an importer accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layouts {
    /// JSON Lines.
    Lines,
    /// JSON Lines, or one object with an array named `data`.
    LinesOrObject,
}

/// The unit in which the entries of a file are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lines of the file, from 1.
    Line,
    /// Elements of a JSON array, from 1.
    Entry,
}

impl Unit {
    /// Returns the unit's name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Entry => "entry",
        }
    }
}

/// An open file.
pub struct Input {
    reader: Reader<Box<dyn BufRead + Send>>,
    unit: Unit,
    size: u64,
    bytes_read: Arc<AtomicU64>,
}

impl Input {
    /// Opens a file. Its extension determines its layout.
    ///
    /// # Errors
    /// When the extension is not supported, or the file cannot be read.
    pub fn open(file: &Path, layouts: Layouts) -> anyhow::Result<Self> {
        let (unit, compressed) = format_of(file, layouts)?;
        Self::open_as(file, unit, compressed)
            .with_context(|| format!("cannot read {}", file.display()))
    }

    fn open_as(file: &Path, unit: Unit, compressed: bool) -> io::Result<Self> {
        let file = File::open(file)?;
        let size = file.metadata()?.len();
        let bytes_read = Arc::new(AtomicU64::new(0));
        let counted = CountingFile {
            file,
            bytes_read: Arc::clone(&bytes_read),
        };
        let mut text: Box<dyn BufRead + Send> = if compressed {
            let file = BufReader::with_capacity(COMPRESSED_AHEAD, counted);
            Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?))
        } else {
            Box::new(BufReader::new(counted))
        };
        if text.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            text.consume(BYTE_ORDER_MARK.len());
        }
        Ok(Self {
            reader: Reader::new(text, unit),
            unit,
            size,
            bytes_read,
        })
    }

    /// Returns the unit that counts the file's entries.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the size of the file in bytes, as stored.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads the file on its own thread, up to [`AHEAD`] entries ahead of the receiver. The stream ends
    /// after an error.
    pub fn stream(mut self) -> mpsc::Receiver<io::Result<Entry>> {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            while let Some(entry) = self.next().transpose() {
                let last = entry.is_err();
                if sender.blocking_send(entry).is_err() || last {
                    break;
                }
            }
        });
        receiver
    }

    fn next(&mut self) -> io::Result<Option<Entry>> {
        let next = self.reader.next()?;
        let bytes_read = self.bytes_read.load(Ordering::Relaxed);
        Ok(next.map(|(number, text)| Entry {
            number,
            text,
            bytes_read,
        }))
    }
}

/// Returns the unit of a file's entries, and true if the file is compressed.
fn format_of(file: &Path, layouts: Layouts) -> anyhow::Result<(Unit, bool)> {
    let extension = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
    let compressed = extension(file).is_some_and(|end| end == "zst");
    let inner = if compressed {
        file.with_extension("")
    } else {
        file.to_owned()
    };
    match extension(&inner).as_deref().and_then(|end| end.to_str()) {
        Some("jsonl") => Ok((Unit::Line, compressed)),
        Some("json") if layouts == Layouts::LinesOrObject => Ok((Unit::Entry, compressed)),
        _ if layouts == Layouts::Lines => {
            bail!(
                "{}: the file name must end in .jsonl or .jsonl.zst",
                file.display()
            )
        }
        _ => bail!(
            "{}: the file name must end in .jsonl, .json, .jsonl.zst or .json.zst",
            file.display()
        ),
    }
}

/// A file that counts the bytes read.
struct CountingFile {
    file: File,
    bytes_read: Arc<AtomicU64>,
}

impl Read for CountingFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.bytes_read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// The number and text of an entry; no text when it is too long.
type Numbered = (u64, Option<Vec<u8>>);

enum Reader<R> {
    Lines(Lines<R>),
    Elements(Elements<R>),
}

impl<R: BufRead> Reader<R> {
    fn new(text: R, unit: Unit) -> Self {
        match unit {
            Unit::Line => Self::Lines(Lines { text, number: 0 }),
            Unit::Entry => Self::Elements(Elements { text, number: 0 }),
        }
    }

    fn next(&mut self) -> io::Result<Option<Numbered>> {
        match self {
            Self::Lines(lines) => lines.next(),
            Self::Elements(elements) => elements.next(),
        }
    }
}

/// The lines of a text, without blank lines.
struct Lines<R> {
    text: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> io::Result<Option<Numbered>> {
        loop {
            let mut line = Vec::new();
            let mut start = self.text.by_ref().take(MAX_ENTRY as u64 + 1);
            if start.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if line.len() > MAX_ENTRY {
                self.skip_rest_of(&line)?;
                return Ok(Some((self.number, None)));
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some((self.number, Some(line))));
            }
        }
    }

    fn skip_rest_of(&mut self, line: &[u8]) -> io::Result<()> {
        if !line.ends_with(b"\n") {
            self.text.skip_until(b'\n')?;
        }
        Ok(())
    }
}

/// The elements of the array named `data` in an object.
struct Elements<R> {
    text: R,
    number: u64,
}

impl<R: BufRead> Elements<R> {
    fn next(&mut self) -> io::Result<Option<Numbered>> {
        if self.number == 0 {
            self.find_array()?;
        }
        if self.peek()? == b']' {
            return Ok(None);
        }
        if self.number > 0 {
            self.expect(b',')?;
        }
        let text = self.value()?;
        self.number += 1;
        Ok(Some((self.number, text)))
    }

    /// Skips to the first element of the array.
    fn find_array(&mut self) -> io::Result<()> {
        self.expect(b'{')?;
        while self.peek()? != b'}' {
            let key = self.value()?;
            self.expect(b':')?;
            if key.as_deref() == Some(br#""data""#) {
                return self.expect(b'[');
            }
            self.value()?;
            if self.peek()? == b',' {
                self.text.consume(1);
            }
        }
        Err(invalid("it has no array named data".to_owned()))
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

    /// Returns the next byte that is not white space, without consuming it.
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
    fn value(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.peek()?;
        let mut text = Vec::new();
        let mut nesting = Nesting::default();
        loop {
            let byte = self.peek_byte()?;
            if nesting.is_outside() && ends_scalar(byte) {
                break;
            }
            self.text.consume(1);
            if text.len() <= MAX_ENTRY {
                text.push(byte);
            }
            if nesting.closes(byte) {
                break;
            }
        }
        if text.is_empty() {
            let message = format!("a value is missing after entry {}", self.number);
            return Err(invalid(message));
        }
        Ok((text.len() <= MAX_ENTRY).then_some(text))
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
    fn closes(&mut self, byte: u8) -> bool {
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

fn invalid(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{self, BufReader};
    use std::path::Path;

    use super::{Input, Layouts, MAX_ENTRY, Reader, Unit};

    /// Returns the entries of a text, read in small pieces. The text of an entry that is too long is `None`.
    fn entries(unit: Unit, text: &[u8]) -> io::Result<Vec<(u64, Option<String>)>> {
        let mut reader = Reader::new(BufReader::with_capacity(7, text), unit);
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
        entries(Unit::Entry, text.as_bytes())
    }

    #[test]
    fn blank_lines_are_skipped_and_lines_keep_their_numbers() {
        let lines = entries(Unit::Line, b"{\"a\":1}\r\n\n  \n[2]").unwrap();
        assert_eq!(lines, [some(1, r#"{"a":1}"#), some(4, "[2]")]);
    }

    #[test]
    fn line_after_a_too_long_one_is_read() {
        let mut text = vec![b'x'; 2 * MAX_ENTRY];
        text.extend_from_slice(b"\nshort\n");
        let lines = entries(Unit::Line, &text).unwrap();
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
        let text = format!(r#"{{"data": ["{}", 1]}}"#, "x".repeat(2 * MAX_ENTRY));
        assert_eq!(elements(&text).unwrap(), [(1, None), some(2, "1")]);
    }

    #[test]
    fn element_that_is_not_utf_8_is_unchanged() {
        let found = entries(Unit::Entry, b"{\"data\": [\"\xff\", 1]}").unwrap();
        assert_eq!(found, [some(1, "\"\u{fffd}\""), some(2, "1")]);
    }

    #[test]
    fn invalid_objects_are_described_by_their_errors() {
        let message = |text: &str| elements(text).unwrap_err().to_string();
        assert_eq!(message(r#"{"other": []}"#), "it has no array named data");
        assert_eq!(
            message(r#"{"data": [{"a": 1"#),
            "it ends unexpectedly after entry 0"
        );
        assert_eq!(message(""), "it ends unexpectedly after entry 0");
        assert_eq!(
            message(r#"{"data": [1 2]}"#),
            "it has '2' where ',' is expected, after entry 1"
        );
        assert_eq!(
            message(r#"{"data": [1,]}"#),
            "a value is missing after entry 1"
        );
        assert!(message("[1]").contains("'[' where '{' is expected"));
        assert!(message("{}").contains("no array"));
    }

    fn read_file(file: &Path) -> io::Result<Vec<u64>> {
        let mut input = Input::open(file, Layouts::LinesOrObject).unwrap();
        let mut numbers = Vec::new();
        while let Some(entry) = input.next()? {
            numbers.push(entry.number);
        }
        Ok(numbers)
    }

    #[test]
    fn extension_selects_layout_and_compression() {
        let folder = tempfile::tempdir().unwrap();
        let lines = b"\xef\xbb\xbf{}\n{}\n".as_slice();
        let object = br#"{"data": [{}, {}]}"#.as_slice();
        for (name, text) in [("a.jsonl", lines), ("B.JSON", object)] {
            let plain = folder.path().join(name);
            fs::write(&plain, text).unwrap();
            assert_eq!(read_file(&plain).unwrap(), [1, 2]);
            let compressed = folder.path().join(format!("{name}.zst"));
            fs::write(&compressed, zstd::encode_all(text, 3).unwrap()).unwrap();
            assert_eq!(read_file(&compressed).unwrap(), [1, 2]);
        }
    }

    #[test]
    fn truncated_compressed_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.jsonl.zst");
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_be_bytes).collect();
        let compressed = zstd::encode_all(text.as_slice(), 3).unwrap();
        fs::write(&file, &compressed[..compressed.len() - 10]).unwrap();
        assert!(read_file(&file).is_err());
    }

    #[test]
    fn files_that_cannot_be_opened_are_errors_with_the_file_name() {
        let message = |file: &Path, layouts| match Input::open(file, layouts) {
            Ok(_) => panic!("{} was opened", file.display()),
            Err(error) => format!("{error:#}"),
        };
        let missing = message(Path::new("no/such.jsonl"), Layouts::Lines);
        assert!(missing.starts_with("cannot read no/such.jsonl: No such file"));
        let wrong = message(Path::new("a.csv.zst"), Layouts::LinesOrObject);
        assert_eq!(
            wrong,
            "a.csv.zst: the file name must end in .jsonl, .json, .jsonl.zst or .json.zst"
        );
        let songs = message(Path::new("songs.json"), Layouts::Lines);
        assert_eq!(
            songs,
            "songs.json: the file name must end in .jsonl or .jsonl.zst"
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text.jsonl.zst");
        fs::write(&file, "not compressed").unwrap();
        let text = message(&file, Layouts::Lines);
        assert!(
            text.starts_with("cannot read ") && text.contains("text.jsonl.zst: "),
            "{text}"
        );
    }
}
