//! Recognition and unpacking of list files.

mod archive;
mod content;
mod formats;
mod gzip;
mod json;
mod table;
mod text;
mod xml;

use std::borrow::Cow;

use self::archive::{Archive, members_of};
use self::content::Content;
use self::formats::{FORMATS, Format};
pub use self::gzip::MAX_UNPACKED;
use self::gzip::{GZIP, gunzip};
use super::collector::EntryCollector;
use super::entry::{ListFile, ListFileError, ReadOptions, ReadResult};
use super::values::quoted;

/// A list file that has been unpacked: its text, or an archive with several texts.
#[derive(Debug)]
pub struct Unpacked<'f>(Parts<'f>);

#[derive(Debug)]
enum Parts<'f> {
    Text(Cow<'f, str>),
    Archive(Archive<'f>),
}

impl Unpacked<'_> {
    /// Returns the text, unless the file is an archive with several files.
    pub fn text(&self) -> Option<&str> {
        match &self.0 {
            Parts::Text(text) => Some(text),
            Parts::Archive(_) => None,
        }
    }
}

/// Reads a list file: plain, compressed with gzip, or an archive. Its content determines its format.
///
/// Not more than [`MAX_UNPACKED`] bytes are unpacked, and not more than [`MAX_ENTRIES`](super::MAX_ENTRIES) entries
/// are read.
///
/// # Errors
/// If the file as a whole is unusable: it exceeds a limit, is not a text, has an unknown or broken format, or is a list
/// of manga. An unusable entry is in [`ListFile::skipped`] instead.
pub fn read(file: &[u8], options: &ReadOptions) -> ReadResult<ListFile> {
    read_unpacked(&unpack(file)?, options, &|| false)
}

/// Reads an unpacked list file like [`read`], but stops with an error once `is_cancelled` returns true.
///
/// # Errors
/// As [`read`], and if the reading was cancelled.
pub fn read_unpacked(
    file: &Unpacked,
    options: &ReadOptions,
    is_cancelled: &dyn Fn() -> bool,
) -> ReadResult<ListFile> {
    match &file.0 {
        Parts::Text(text) => read_text(text, options, is_cancelled),
        Parts::Archive(archive) => read_content(&Content::Archive(archive), *options, is_cancelled),
    }
}

/// Reads the text of a list file like [`read_unpacked`].
///
/// # Errors
/// As [`read_unpacked`].
pub fn read_text(
    text: &str,
    options: &ReadOptions,
    is_cancelled: &dyn Fn() -> bool,
) -> ReadResult<ListFile> {
    read_content(&Content::of(text)?, *options, is_cancelled)
}

fn read_content(
    content: &Content,
    options: ReadOptions,
    is_cancelled: &dyn Fn() -> bool,
) -> ReadResult<ListFile> {
    let Some(format) = recognize(content) else {
        return match content {
            Content::Archive(archive) => read_text(&only_list(archive)?, &options, is_cancelled),
            _ => Err(content.unknown()),
        };
    };
    let mut collector = EntryCollector::new(options, is_cancelled);
    format.read(content, &mut collector)?;
    collector.finish(format.kind())
}

fn recognize(content: &Content) -> Option<&'static Format> {
    let mut formats = FORMATS.iter().copied();
    formats.find(|format| format.recognizes(content))
}

/// Returns the text of the only file of an archive that is a list. Notion writes each table twice; the file whose name
/// ends with `_all` has all rows.
fn only_list(archive: &Archive) -> ReadResult<String> {
    // A workbook (XLSX, ODS) is an archive of XML.
    if archive.has("[Content_Types].xml") || archive.has("mimetype") {
        return Err(ListFileError::new(text::WORKBOOK));
    }
    let mut lists: Vec<(&str, String)> = Vec::new();
    for member in archive.members() {
        let text = match archive.text(member) {
            Ok(text) => text,
            // No other member can be unpacked.
            Err(error) if archive.is_used_up() => return Err(error),
            Err(_) => continue,
        };
        if Content::of(&text).is_ok_and(|content| recognize(&content).is_some()) {
            lists.push((member.name(), text));
        }
    }
    let whole: Vec<String> = lists
        .iter()
        .filter_map(|(name, _)| name.strip_suffix("_all.csv"))
        .map(|name| format!("{name}.csv"))
        .collect();
    lists.retain(|(name, _)| !whole.iter().any(|whole| whole == name));
    match lists.len() {
        0 => Err(Content::Archive(archive).unknown()),
        1 => Ok(lists.swap_remove(0).1),
        _ => {
            let names = quoted(lists.iter().take(5).map(|(name, _)| name), 60);
            Err(ListFileError::new(format!(
                "The archive has several lists. Send each of them alone: {names}."
            )))
        }
    }
}

/// Returns the text of a file, or the archive. An archive with only one text counts as that text.
///
/// # Errors
/// If it is longer than [`MAX_UNPACKED`], cannot be unpacked, or is not a text.
pub fn unpack(file: &[u8]) -> ReadResult<Unpacked<'_>> {
    text::refuse_known_bytes(file)?;
    if !file.starts_with(GZIP) {
        return unpack_archive(Cow::Borrowed(file));
    }
    let mut unpacked = Vec::new();
    gunzip(file, MAX_UNPACKED, &mut unpacked)?;
    text::refuse_known_bytes(&unpacked)?;
    unpack_archive(Cow::Owned(unpacked))
}

fn unpack_archive(bytes: Cow<'_, [u8]>) -> ReadResult<Unpacked<'_>> {
    if let Some(members) = members_of(&bytes)? {
        let archive = Archive::new(bytes, members);
        return Ok(Unpacked(match archive.members() {
            [member] => Parts::Text(Cow::Owned(archive.text(member)?)),
            _ => Parts::Archive(archive),
        }));
    }
    if bytes.len() > MAX_UNPACKED {
        return Err(ListFileError::new("The file is longer than 64 MB."));
    }
    let text = match bytes {
        Cow::Borrowed(bytes) => text::decode(bytes)?,
        Cow::Owned(bytes) => Cow::Owned(text::decode(&bytes)?.into_owned()),
    };
    Ok(Unpacked(Parts::Text(text)))
}
