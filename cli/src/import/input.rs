//! Streams of entries from files on this machine: JSON Lines, or one JSON object with an array named `data`, each
//! optionally compressed with Zstandard.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, bail};
use catalogue::import::{Entries, EntryUnit};
use tokio::sync::mpsc;

/// Maximum number of entries that are read ahead of the import.
const ENTRIES_AHEAD: usize = 64;

/// Buffer size for compressed files, in bytes. It is small, so that the progress in bytes read stays
/// close to the progress of the import.
const COMPRESSED_BUFFER_BYTES: usize = 16_384;

/// An entry of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The number of the entry's line, or the entry's position in the array, from 1.
    pub number: u64,
    /// The entry's JSON; `None` if it is longer than [`MAX_ENTRY_BYTES`](catalogue::import::MAX_ENTRY_BYTES).
    pub text: Option<Vec<u8>>,
    /// Number of bytes of the file that have been read so far, before decompression.
    pub bytes_read: u64,
}

/// An open file.
pub struct InputFile {
    /// The unit in which the file's entries are numbered.
    pub unit: EntryUnit,
    /// Size of the file in bytes, before decompression.
    pub size: u64,
    entries: Entries<Box<dyn BufRead + Send>>,
    bytes_read: Arc<AtomicU64>,
}

impl InputFile {
    /// Opens a file. Its extension determines its layout: JSON Lines, or one object with an array named `data`. `units`
    /// are the units of the layouts that are allowed.
    ///
    /// # Errors
    /// When the extension is not supported, or the file cannot be read.
    pub fn open(file: &Path, units: &[EntryUnit]) -> anyhow::Result<Self> {
        let (unit, is_compressed) = detect_format(file, units.contains(&EntryUnit::Entry))?;
        Self::open_as(file, unit, is_compressed)
            .with_context(|| format!("cannot read {}", file.display()))
    }

    fn open_as(file: &Path, unit: EntryUnit, is_compressed: bool) -> io::Result<Self> {
        let file = File::open(file)?;
        let size = file.metadata()?.len();
        let bytes_read = Arc::new(AtomicU64::new(0));
        let counted = CountingFile {
            file,
            bytes_read: Arc::clone(&bytes_read),
        };
        let text: Box<dyn BufRead + Send> = if is_compressed {
            let file = BufReader::with_capacity(COMPRESSED_BUFFER_BYTES, counted);
            Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?))
        } else {
            Box::new(BufReader::new(counted))
        };
        Ok(Self {
            unit,
            size,
            entries: Entries::new(text, unit)?,
            bytes_read,
        })
    }

    /// Reads the file on its own thread, up to [`ENTRIES_AHEAD`] entries ahead of the receiver. The stream ends
    /// after an error.
    pub fn stream(mut self) -> mpsc::Receiver<io::Result<FileEntry>> {
        let (sender, receiver) = mpsc::channel(ENTRIES_AHEAD);
        tokio::task::spawn_blocking(move || {
            while let Some(entry) = self.next().transpose() {
                let is_last = entry.is_err();
                if sender.blocking_send(entry).is_err() || is_last {
                    break;
                }
            }
        });
        receiver
    }

    fn next(&mut self) -> io::Result<Option<FileEntry>> {
        let next = self.entries.next()?;
        let bytes_read = self.bytes_read.load(Ordering::Relaxed);
        Ok(next.map(|(number, text)| FileEntry {
            number,
            text,
            bytes_read,
        }))
    }
}

/// Returns the unit of a file's entries, and true if the file is compressed.
fn detect_format(file: &Path, can_be_object: bool) -> anyhow::Result<(EntryUnit, bool)> {
    let extension = |path: &Path| path.extension().map(OsStr::to_ascii_lowercase);
    let is_compressed = extension(file).is_some_and(|end| end == "zst");
    let inner = if is_compressed {
        file.with_extension("")
    } else {
        file.to_owned()
    };
    match extension(&inner).as_deref().and_then(|end| end.to_str()) {
        Some("jsonl") => Ok((EntryUnit::Line, is_compressed)),
        Some("json") if can_be_object => Ok((EntryUnit::Entry, is_compressed)),
        _ => {
            let file = file.display();
            let extensions = if can_be_object {
                ".jsonl, .json, .jsonl.zst or .json.zst"
            } else {
                ".jsonl or .jsonl.zst"
            };
            bail!("{file}: the file name must end in {extensions}")
        }
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;
    use std::path::Path;

    use catalogue::import::EntryUnit;

    use super::InputFile;

    const BOTH: [EntryUnit; 2] = [EntryUnit::Line, EntryUnit::Entry];

    fn read_file(file: &Path) -> io::Result<Vec<u64>> {
        let mut input = InputFile::open(file, &BOTH).unwrap();
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
        let message = |file: &Path, units: &[EntryUnit]| match InputFile::open(file, units) {
            Ok(_) => panic!("{} was opened", file.display()),
            Err(error) => format!("{error:#}"),
        };
        let missing = message(Path::new("no/such.jsonl"), &[EntryUnit::Line]);
        assert!(missing.starts_with("cannot read no/such.jsonl: No such file"));
        let wrong = message(Path::new("a.csv.zst"), &BOTH);
        assert_eq!(
            wrong,
            "a.csv.zst: the file name must end in .jsonl, .json, .jsonl.zst or .json.zst"
        );
        let songs = message(Path::new("songs.json"), &[EntryUnit::Line]);
        assert_eq!(
            songs,
            "songs.json: the file name must end in .jsonl or .jsonl.zst"
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text.jsonl.zst");
        fs::write(&file, "not compressed").unwrap();
        let text = message(&file, &[EntryUnit::Line]);
        assert!(
            text.starts_with("cannot read ") && text.contains("text.jsonl.zst: "),
            "{text}"
        );
    }
}
