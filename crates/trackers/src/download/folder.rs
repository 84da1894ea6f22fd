//! The folder that keeps downloaded files. So an interrupted download continues where it ended, and an unchanged file
//! is not downloaded again.
//!
//! | file | content |
//! |---|---|
//! | `NAME` | a complete file |
//! | `NAME.version` | its [`FileInfo`], in JSON |
//! | `NAME.part` | the beginning of a file |
//! | `NAME.part.version` | the version of the partial file |

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::hex;

use super::version::{FileInfo, FileVersion};

/// The files of one address in a folder.
#[derive(Debug)]
pub struct DownloadFiles {
    complete: PathBuf,
    part: PathBuf,
}

/// The beginning of a file.
#[derive(Debug)]
pub struct PartialFile {
    /// The file, positioned at its end.
    pub file: File,
    /// The number of bytes that have arrived.
    pub size: u64,
    /// The version of the whole file.
    pub version: FileVersion,
}

impl DownloadFiles {
    /// Returns the files in this folder for a download with this name.
    pub fn new(folder: &Path, name: &str) -> Self {
        Self {
            complete: folder.join(name),
            part: folder.join(format!("{name}.part")),
        }
    }

    /// Returns the complete file of this address, positioned at its start; `None` if there is none.
    pub fn complete(&self, url_digest: &str) -> Option<(File, FileInfo)> {
        let mut info: FileInfo = read_json(&version_path(&self.complete))?;
        let mut file = File::open(&self.complete).ok()?;
        // A file that was changed by hand does not count.
        let is_same = info.version.is_of(url_digest) && info.digest == digest_of(&mut file).ok()?;
        info.name = file_name(&self.complete);
        is_same.then_some((file, info))
    }

    /// Returns the part of this address's file that has arrived, if the rest of the same version can be requested.
    pub fn part(&self, url_digest: &str) -> Option<PartialFile> {
        let version: FileVersion = read_json(&version_path(&self.part))?;
        if !version.is_of(url_digest) || version.strong_validator().is_none() {
            return None;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&self.part)
            .ok()?;
        let size = file.seek(SeekFrom::End(0)).ok()?;
        (size > 0).then_some(PartialFile {
            file,
            size,
            version,
        })
    }

    /// Begins a download of this version, in place of an earlier one.
    pub fn begin(&self, version: &FileVersion) -> io::Result<PartialFile> {
        self.discard_part();
        if let Some(folder) = self.part.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&self.part)?;
        write_json(&version_path(&self.part), version)?;
        Ok(PartialFile {
            file,
            size: 0,
            version: version.clone(),
        })
    }

    /// Deletes the beginning of a file.
    pub fn discard_part(&self) {
        // If the files cannot be deleted, they do not exist, or the next write fails for the same reason.
        let _ = fs::remove_file(&self.part);
        let _ = fs::remove_file(version_path(&self.part));
    }

    /// Turns the completely received part into the kept file.
    pub fn complete_part(&self, info: &FileInfo) -> io::Result<()> {
        // Without its version, the earlier file does not count, so a process that ends here leaves no inconsistent
        // state.
        let _ = fs::remove_file(version_path(&self.complete));
        fs::rename(&self.part, &self.complete)?;
        let _ = fs::remove_file(version_path(&self.part));
        write_json(&version_path(&self.complete), info)
    }
}

/// Returns the SHA-256 digest of a file in hexadecimal digits. Leaves the file positioned at its start.
pub fn digest_of(file: &mut File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    file.seek(SeekFrom::Start(0))?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hasher.update(&buffer[..count]),
        }
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(hex(&hasher.finalize()))
}

/// Returns the last part of a path.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn version_path(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".version");
    path.into()
}

fn read_json<T: for<'d> Deserialize<'d>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let _ = fs::remove_file(path);
    fs::write(path, serde_json::to_vec(value)?)
}
