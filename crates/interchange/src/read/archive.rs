//! Archives (ZIP, tar), which are read by a table of their members. Nothing is unpacked to disk.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::gzip::{GZIP, MAX_UNPACKED, gunzip};
use super::text;
use crate::entry::{ListFileError, ReadResult};
use crate::values::{quoted, visible_text};

/// The maximum number of members. Exports of Trakt have about 40, and one more for each list of the user.
const MAX_MEMBERS: usize = 500;

/// The maximum number of headers of members. They are counted before the table of an archive is read, because only its
/// end states the number of members, and the table of a million members needs a gigabyte of memory.
const MAX_HEADERS: usize = 20 * MAX_MEMBERS;

/// The maximum ratio of a member's length to its packed length. Lists reach about 30.
const MAX_RATIO: u64 = 100;

/// The length, in bytes, up to which a member can have any ratio.
const SMALL: u64 = 1024 * 1024;

const ZIP_STARTS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The start of the header of a member in the table of an archive.
const ZIP_HEADER: &[u8] = b"PK\x01\x02";

/// The word at a fixed place of a tar archive.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

const DAMAGED: &str = "The archive is damaged or incomplete: it cannot be unpacked.";

const ENCRYPTED: &str = "The archive is encrypted with a password. Unpack it with the password, and send the files \
    in a new archive without one.";

const NESTED: &str =
    "The archive has another archive in it. Unpack it, and send the archive inside.";

const TOO_LONG: &str = "The archive is longer than 64 MB when unpacked.";

pub struct Archive<'f> {
    bytes: Cow<'f, [u8]>,
    members: Vec<ArchiveMember>,
    /// The number of bytes that may still be unpacked.
    rest: Cell<usize>,
}

#[derive(Debug)]
pub struct ArchiveMember {
    /// The name with its folders.
    pub path: String,
    place: MemberPlace,
}

#[derive(Clone, Copy, Debug)]
enum MemberPlace {
    /// The index in a ZIP archive.
    Zip(usize),
    /// The position and the length in a tar archive.
    Tar(usize, usize),
}

impl ArchiveMember {
    /// Returns the name without the folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the name of the innermost folder, or an empty text.
    pub fn folder(&self) -> &str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }

    /// Returns the error for this member, which was not read because of `error`.
    pub fn unread(&self, error: &ListFileError) -> ListFileError {
        let name = visible_text(&self.path, 80);
        ListFileError::new(format!(
            "{error} The file {name:?} of the archive was not read."
        ))
    }

    /// Returns the number of a page of `stem`: 3 for `stem-3.json`, and 0 for `stem.json`.
    fn page_of(&self, stem: &str) -> Option<u32> {
        let page = self.name().strip_prefix(stem)?.strip_suffix(".json")?;
        if page.is_empty() {
            return Some(0);
        }
        let digits = page.strip_prefix('-')?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    }
}

impl fmt::Debug for Archive<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_list().entries(&self.members).finish()
    }
}

/// Reads the table of an archive's members. `None` if the bytes are not an archive.
pub fn members_of(bytes: &[u8]) -> ReadResult<Option<Vec<ArchiveMember>>> {
    let members = if is_zip(bytes) {
        open_zip(bytes)?
    } else if is_archive(bytes) {
        open_tar(bytes)?
    } else {
        return Ok(None);
    };
    if members.is_empty() {
        return Err(ListFileError::new("The archive has no files."));
    }
    Ok(Some(members))
}

impl<'f> Archive<'f> {
    /// Returns an archive with these members, which [`members_of`] has found in its bytes.
    pub fn new(bytes: Cow<'f, [u8]>, members: Vec<ArchiveMember>) -> Self {
        Self {
            bytes,
            members,
            rest: Cell::new(MAX_UNPACKED),
        }
    }

    /// Returns the members, in the order of the archive.
    pub fn members(&self) -> &[ArchiveMember] {
        &self.members
    }

    /// Returns true if a member has this name, in any folder.
    pub fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    /// Returns the first member with this name, in any folder.
    pub fn member(&self, name: &str) -> Option<&ArchiveMember> {
        self.members.iter().find(|member| member.name() == name)
    }

    /// Returns the pages `stem.json`, `stem-1.json`, `stem-2.json` and so on, by their numbers.
    pub fn pages(&self, stem: &str) -> Vec<&ArchiveMember> {
        let pages = self.members.iter();
        let pages = pages.filter_map(|member| Some((member.page_of(stem)?, member)));
        let mut pages: Vec<(u32, &ArchiveMember)> = pages.collect();
        pages.sort_by_key(|(page, _)| *page);
        pages.into_iter().map(|(_, member)| member).collect()
    }

    pub fn text(&self, member: &ArchiveMember) -> ReadResult<String> {
        let unpacked = match member.place {
            MemberPlace::Tar(at, length) => {
                let end = at.saturating_add(length);
                let part = self.bytes.get(at..end);
                let part = part.ok_or_else(|| ListFileError::new(DAMAGED))?;
                self.spend(part.len())?;
                part.to_vec()
            }
            MemberPlace::Zip(index) => self.inflate(index)?,
        };
        let unpacked = if unpacked.starts_with(GZIP) {
            let mut plain = Vec::new();
            let read = gunzip(&unpacked, self.rest.get(), &mut plain);
            let spent = self.spend(plain.len());
            read.and(spent)?;
            plain
        } else {
            unpacked
        };
        let text = text::refuse_known_bytes(&unpacked).and_then(|()| {
            if is_archive(&unpacked) {
                return Err(ListFileError::new(NESTED));
            }
            text::decode(&unpacked)
        });
        let text = text.map_err(|error| member.unread(&error))?;
        Ok(text.into_owned())
    }

    /// Subtracts these bytes from the number of bytes that may still be unpacked. The bytes of unusable members also
    /// count, so that an archive full of them needs no more work than any other.
    fn spend(&self, length: usize) -> ReadResult {
        let rest = self.rest.get().checked_sub(length);
        self.rest.set(rest.unwrap_or(0));
        rest.map(|_| ()).ok_or_else(|| ListFileError::new(TOO_LONG))
    }

    /// Returns true if nothing more may be unpacked.
    pub fn is_used_up(&self) -> bool {
        self.rest.get() == 0
    }

    fn inflate(&self, index: usize) -> ReadResult<Vec<u8>> {
        let mut archive =
            ZipArchive::new(Cursor::new(&*self.bytes)).map_err(|error| fault(&error))?;
        let file = archive.by_index(index).map_err(|error| fault(&error))?;
        // The table of the archive can state any length, so the bytes are counted as they are unpacked.
        let limit = self.rest.get() as u64 + 1;
        let packed = file.compressed_size();
        let mut unpacked = Vec::new();
        let read = file.take(limit).read_to_end(&mut unpacked);
        let spent = self.spend(unpacked.len());
        read.map_err(|_| ListFileError::new(DAMAGED))?;
        spent?;
        check_ratio(packed, unpacked.len() as u64)?;
        Ok(unpacked)
    }

    /// Returns the names of some members, for the error about an unknown archive.
    pub fn some_names(&self) -> String {
        let names = self.members.iter().take(5).map(|member| &member.path);
        let more = (self.members.len() > 5).then_some(", \"…\"");
        quoted(names, 60) + more.unwrap_or_default()
    }
}

fn is_zip(bytes: &[u8]) -> bool {
    ZIP_STARTS.iter().any(|start| bytes.starts_with(start))
}

fn is_archive(bytes: &[u8]) -> bool {
    let (at, magic) = TAR_MAGIC;
    is_zip(bytes) || bytes.get(at..at + magic.len()) == Some(magic)
}

/// Returns true for files that programs add to archives.
fn is_extra(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("__MACOSX/")
        || name.starts_with("._")
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}

fn check_name(path: &str) -> ReadResult {
    let mut parts = path.split(['/', '\\']);
    if path.starts_with('/') || path.contains('\0') || parts.any(|part| part == "..") {
        let path = visible_text(path, 80);
        return Err(ListFileError::new(format!(
            "The archive has a file with the name {path:?}, which leaves its folder. It is not read."
        )));
    }
    Ok(())
}

fn check_ratio(packed: u64, length: u64) -> ReadResult {
    if length > SMALL && length / packed.max(1) > MAX_RATIO {
        return Err(ListFileError::new(
            "The archive has a file that becomes more than 100 times longer when it is unpacked. It is not read.",
        ));
    }
    Ok(())
}

fn too_many() -> ListFileError {
    ListFileError::new("The archive has more than 500 files.")
}

fn open_zip(bytes: &[u8]) -> ReadResult<Vec<ArchiveMember>> {
    let headers = bytes.windows(ZIP_HEADER.len());
    if headers.filter(|start| *start == ZIP_HEADER).count() > MAX_HEADERS {
        return Err(too_many());
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| fault(&error))?;
    if archive.len() > MAX_MEMBERS {
        return Err(too_many());
    }
    let (mut members, mut sum) = (Vec::new(), 0_u64);
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(|error| fault(&error))?;
        let path = String::from_utf8_lossy(file.name_raw()).replace('\\', "/");
        check_name(&path)?;
        if path.ends_with('/') || is_extra(&path) {
            continue;
        }
        if file.encrypted() {
            return Err(ListFileError::new(ENCRYPTED));
        }
        check_ratio(file.compressed_size(), file.size())?;
        sum = sum.saturating_add(file.size());
        members.push(ArchiveMember {
            path,
            place: MemberPlace::Zip(index),
        });
    }
    if sum > MAX_UNPACKED as u64 {
        return Err(ListFileError::new(TOO_LONG));
    }
    Ok(members)
}

fn open_tar(bytes: &[u8]) -> ReadResult<Vec<ArchiveMember>> {
    let damaged = |_| ListFileError::new(DAMAGED);
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    let (mut members, mut count) = (Vec::new(), 0);
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        count += 1;
        if count > MAX_MEMBERS {
            return Err(too_many());
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        check_name(&path)?;
        if !entry.header().entry_type().is_file() || is_extra(&path) {
            continue;
        }
        let [at, length] = [entry.raw_file_position(), entry.size()].map(usize::try_from);
        let (Ok(at), Ok(length)) = (at, length) else {
            return Err(ListFileError::new(DAMAGED));
        };
        members.push(ArchiveMember {
            path,
            place: MemberPlace::Tar(at, length),
        });
    }
    Ok(members)
}

fn fault(error: &ZipError) -> ListFileError {
    match error {
        ZipError::UnsupportedArchive(reason) if *reason == ZipError::PASSWORD_REQUIRED => {
            ListFileError::new(ENCRYPTED)
        }
        ZipError::UnsupportedArchive(_) => ListFileError::new(
            "The archive is packed in a way that is not supported. Pack it again as a usual ZIP archive.",
        ),
        _ => ListFileError::new(DAMAGED),
    }
}
