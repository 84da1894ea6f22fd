//! The backup file: JSON Lines in a Zstandard stream.
//!
//! - The first line has the format, and says what made the file: `{"kiroku_backup": 1, "version": "0.1.0",
//!   "at": 1790000000000, "without_secrets": false}`, `at` in milliseconds since the Unix epoch.
//! - Each row is a line `{"table": "User", "item": {...}}`, with the table's name without prefix, and the attributes as
//!   in `DynamoDB`'s API.
//! - If the file has secrets, a line `{"keys": {...}}` has the content of a key file.
//! - The last line has the number of rows of each table and the digest of all lines before it:
//!   `{"rows": {"User": 3, ...}, "sha256": "..."}`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use dynamo::Item;
use serde::{Deserialize, Serialize};
use serde_dynamo::AttributeValue;
use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::auth::{KeyRing, KeyRings};
use shared::hex;

use crate::data::schema::TABLES;
use crate::private_file;

/// The format of the files that this version writes. It is increased if earlier versions cannot read the new format.
const FORMAT: u32 = 1;

/// Maximum size of a line, in bytes. A row has at most 400 KB (`DynamoDB` Developer Guide, "Quotas"), which takes up to
/// twice as much in Base64 and with the types of nested values.
const MAX_LINE_BYTES: u64 = 4 << 20;

/// Zstandard's level for backups. Higher levels are slower than the database, and save little.
const COMPRESSION_LEVEL: i32 = 3;

/// The reason for refusing a file whose end is missing.
const CUT_OFF: &str =
    "the backup is cut off, as by an interrupted copy: copy or download the whole file again";

/// The first line.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Header {
    kiroku_backup: u32,
    /// The version of Kiroku that made the file.
    pub version: String,
    /// The time at which the backup began, in milliseconds since the Unix epoch.
    pub at: u64,
    /// True if keys, password hashes and tokens were left out.
    pub without_secrets: bool,
}

#[derive(Serialize)]
struct RowLine<'a> {
    table: &'a str,
    item: Value,
}

/// Any line except the first.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Line {
    Row {
        table: String,
        item: serde_dynamo::Item,
    },
    Keys {
        // serde cannot read the numbers of the keys as a part of an untagged enum.
        keys: Value,
    },
    End {
        rows: BTreeMap<String, u64>,
        sha256: String,
    },
}

/// The content of a line of a backup, except the first and the last line.
pub enum Record {
    /// A row of the table with this name.
    Row(&'static str, Item),
    /// The keys of the service.
    Keys(KeyRings),
}

/// Writes a backup. The file gets its name when it is complete, so an interrupted backup has another name.
pub struct BackupWriter {
    path: PathBuf,
    output: zstd::Encoder<'static, BufWriter<File>>,
    digest: Sha256,
    rows: BTreeMap<&'static str, u64>,
}

impl BackupWriter {
    /// Begins a backup. Only the user of this process can read the file.
    pub fn create(path: &Path, at: u64, without_secrets: bool) -> io::Result<Self> {
        let file = private_file::open(&unfinished(path))?;
        if file.try_lock().is_err() {
            return Err(io::Error::other("another backup is writing it"));
        }
        // The file may have rows of an interrupted backup.
        file.set_len(0)?;
        let file = BufWriter::new(file);
        let mut output = zstd::Encoder::new(file, COMPRESSION_LEVEL)?;
        output.include_checksum(true)?;
        let mut writer = Self {
            path: path.to_owned(),
            output,
            digest: Sha256::new(),
            rows: TABLES.iter().map(|table| (table.name, 0)).collect(),
        };
        writer.line(&Header {
            kiroku_backup: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            at,
            without_secrets,
        })?;
        Ok(writer)
    }

    /// Adds a row.
    pub fn row(&mut self, table: &'static str, item: Item) -> io::Result<()> {
        *self.rows.entry(table).or_default() += 1;
        let item = canonical(item)?;
        self.line(&RowLine { table, item })
    }

    /// Adds the keys of the service.
    pub fn keys(&mut self, keys: &KeyRings) -> io::Result<()> {
        self.line(&serde_json::json!({ "keys": keys }))
    }

    /// Completes the file and gives it its name. Returns the number of rows.
    pub fn finish(mut self) -> io::Result<u64> {
        let sha256 = hex(&self.digest.clone().finalize());
        let rows = self.rows.clone();
        self.line(&serde_json::json!({ "rows": rows, "sha256": sha256 }))?;
        let file = self.output.finish()?.into_inner()?;
        file.sync_all()?;
        fs::rename(unfinished(&self.path), &self.path)?;
        Ok(rows.values().sum())
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.digest.update(&bytes);
        self.output.write_all(&bytes)
    }
}

/// Deletes what an interrupted backup has left, if possible.
pub fn discard_unfinished(path: &Path) {
    let _ = fs::remove_file(unfinished(path));
}

/// Returns the name of the file while it is not complete.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Reads a backup.
pub struct BackupReader {
    /// The first line.
    pub header: Header,
    /// The digest of the whole backup; `None` before its end.
    pub checksum: Option<String>,
    input: BufReader<zstd::Decoder<'static, BufReader<File>>>,
    digest: Sha256,
    rows: BTreeMap<String, u64>,
}

impl BackupReader {
    /// Opens a backup and reads its first line.
    ///
    /// # Errors
    /// When the file cannot be read, is not a backup, or has a format that this version does not know.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let file = BufReader::new(File::open(path)?);
        let mut input = BufReader::new(zstd::Decoder::with_buffer(file)?);
        let mut digest = Sha256::new();
        let line = match read_line(&mut input, &mut digest) {
            Ok(line) => line.context(CUT_OFF)?,
            Err(_) => bail!("it is not a backup of Kiroku"),
        };
        let first: Option<Value> = serde_json::from_slice(&line).ok();
        let first = first.filter(|first| first["kiroku_backup"].is_u64());
        let first = first.context("it is not a backup of Kiroku")?;
        anyhow::ensure!(
            first["kiroku_backup"] == FORMAT,
            "the backup has a format that this version does not know: restore it with Kiroku {} or a later version",
            first["version"].as_str().unwrap_or("of its version"),
        );
        Ok(Self {
            header: serde_json::from_value(first).context("its first line is damaged")?,
            checksum: None,
            input,
            digest,
            rows: BTreeMap::new(),
        })
    }

    /// Returns the next record; `None` at the end of a complete and undamaged file.
    ///
    /// # Errors
    /// When the file cannot be read, is incomplete or damaged, or has a table that this version does not know.
    pub fn next(&mut self) -> anyhow::Result<Option<Record>> {
        let digest = self.digest.clone();
        let line = read_line(&mut self.input, &mut self.digest)?;
        let line = line.context(CUT_OFF)?;
        let line = serde_json::from_slice(&line)
            // The message of the parser is not passed on, because it may quote a key.
            .map_err(|_| {
                anyhow::anyhow!("the backup is damaged: it has a line that is not valid")
            })?;
        match line {
            Line::Row { table, item } => {
                let known = TABLES.iter().find(|known| known.name == table);
                let name = known.with_context(|| {
                    format!("the backup has a table that this version does not know: {table}")
                })?;
                *self.rows.entry(table).or_default() += 1;
                let attributes = item.into_inner().into_iter();
                let attributes = attributes.map(|(name, value)| (name, value.into()));
                Ok(Some(Record::Row(name.name, attributes.collect())))
            }
            Line::Keys { keys } => {
                let keys = KeyRing::parse_several(&keys.to_string());
                let keys = keys.map_err(|reason| anyhow::anyhow!("the keys: {reason}"))?;
                Ok(Some(Record::Keys(keys)))
            }
            Line::End { mut rows, sha256 } => {
                rows.retain(|_, count| *count > 0);
                let is_intact = sha256 == hex(&digest.finalize()) && rows == self.rows;
                anyhow::ensure!(is_intact, "the backup is damaged: its checksum differs");
                match self.input.read(&mut [0]) {
                    Ok(0) => {}
                    Ok(_) => bail!("the backup is damaged: it goes on after its last line"),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => bail!(CUT_OFF),
                    Err(error) => bail!("the backup is damaged: {error}"),
                }
                self.checksum = Some(sha256);
                Ok(None)
            }
        }
    }
}

/// Reads a line, and adds it to the digest. Returns `None` at the end of the file.
fn read_line(input: &mut impl BufRead, digest: &mut Sha256) -> anyhow::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    match input.take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => bail!("the backup is damaged: {error}"),
    }
    digest.update(&line);
    Ok(line.ends_with(b"\n").then_some(line))
}

/// Returns a row as JSON, which is equal for equal rows: attributes and sets are sorted.
pub fn canonical(item: Item) -> serde_json::Result<Value> {
    let mut attributes = BTreeMap::new();
    for (name, value) in item {
        let mut value = AttributeValue::from(value);
        sort_sets(&mut value);
        attributes.insert(name, value);
    }
    let mut row = serde_json::to_value(attributes)?;
    // Does nothing unless a dependency turns on the feature `preserve_order` of `serde_json`.
    row.sort_all_objects();
    Ok(row)
}

/// Sorts the sets in a value.
fn sort_sets(value: &mut AttributeValue) {
    match value {
        AttributeValue::Ss(set) | AttributeValue::Ns(set) => set.sort_unstable(),
        AttributeValue::Bs(set) => set.sort_unstable(),
        AttributeValue::L(list) => list.iter_mut().for_each(sort_sets),
        AttributeValue::M(map) => map.values_mut().for_each(sort_sets),
        _ => {}
    }
}
