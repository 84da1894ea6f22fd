//! Files and folders that only the user of this process can read, with any umask.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Creates a file if it is missing, and opens it for writing. Existing content is kept.
pub fn open(path: &Path) -> io::Result<File> {
    let file = options().open(path)?;
    // Opening an existing file does not change its mode.
    close_to_others(path);
    Ok(file)
}

/// Writes a file, which replaces an existing one, and waits until its content is on the disk.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = open(path)?;
    file.set_len(0)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Creates a file for an operator, or empties an existing one, which can be `/dev/stdout` and keeps its mode.
pub fn create(path: &Path) -> io::Result<File> {
    options().truncate(true).open(path)
}

/// Returns the options for writing to a file, which is created if it is missing.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Takes all permissions of a file or folder from other users. If the file system has no modes, or the file belongs to
/// another user, a warning is logged.
#[cfg(unix)]
pub fn close_to_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;

    let close = || -> io::Result<()> {
        let mut permissions = fs::metadata(path)?.permissions();
        let mode = permissions.mode() & 0o7777;
        let private = mode & !0o077;
        if mode == private {
            return Ok(());
        }
        permissions.set_mode(private);
        fs::set_permissions(path, permissions)
    };
    if let Err(error) = close() {
        let path = path.display();
        tracing::warn!(%path, %error, "other users of this machine may be able to read a file");
    }
}

/// Does nothing: on this system, the files of a user are closed to others.
#[cfg(not(unix))]
pub fn close_to_others(_: &Path) {}

/// Gives a file or folder to the owner of another file or folder, if this process may do that.
#[cfg(unix)]
pub fn give_to_owner_of(path: &Path, other: &Path) {
    use std::os::unix::fs::{MetadataExt, chown};

    if let Ok(owner) = fs::metadata(other) {
        // Only root can give files away. For any other user, the file is already their own, or its owner cannot be
        // changed.
        let _ = chown(path, Some(owner.uid()), Some(owner.gid()));
    }
}

/// Does nothing.
#[cfg(not(unix))]
pub fn give_to_owner_of(_: &Path, _: &Path) {}

/// Creates a folder and its parents if they are missing. New folders are closed to other users.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
