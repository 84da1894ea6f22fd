//! The terms of the projects whose files `kiroku catalogue` downloads. The operator accepts them once. A file in the
//! folder of the downloads records this, with the text of the terms, so that changed terms have to be accepted again.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::private_file;

/// The terms.
pub const TERMS: &str = "\
The catalogue is made of files of these projects. You use them under their terms:

- anime-offline-database (anime): Open Database License 1.0 and Database Contents License 1.0.
  Name the projects manami-project/anime-offline-database and cedya77/anime-offline-database where you show the data.
  If you pass on a changed database, do so under the same license. https://opendatacommons.org/licenses/odbl/1-0/
- AniDB (titles): Creative Commons BY-NC-SA 4.0. Name AniDB, do not use the titles commercially, and pass them on under
  the same license only. https://creativecommons.org/licenses/by-nc-sa/4.0/
  AniDB allows one download a day. Kiroku keeps to it.
- Fribb/anime-lists (identifiers) and Anime-Lists/anime-lists (seasons): these projects state no license.

Covers are not part of the files. Browsers load them from the servers of the sources.
";

/// The answers that accept the terms.
const YES: [&str; 2] = ["y", "yes"];

/// Returns true if the terms have been accepted in this folder.
pub fn are_accepted(folder: &Path) -> bool {
    std::fs::read_to_string(file_in(folder)).is_ok_and(|text| text == TERMS)
}

/// Records in this folder that the terms are accepted.
pub fn remember(folder: &Path) -> anyhow::Result<()> {
    let file = file_in(folder);
    let write = || {
        private_file::create_folder(folder)?;
        // Even if the command runs as root, the folder must belong to the user of the service.
        if let Some(data) = folder.parent() {
            private_file::give_to_owner_of(folder, data);
        }
        std::fs::write(&file, TERMS)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

/// Shows the terms, unless they have been accepted in this folder, and records that they are accepted. Without
/// `accepts`, asks on a terminal.
///
/// # Errors
/// When the terms are not accepted, or their acceptance cannot be recorded.
pub fn require(folder: &Path, accepts: bool) -> anyhow::Result<()> {
    if are_accepted(folder) {
        return Ok(());
    }
    let mut screen = io::stderr();
    writeln!(screen, "{TERMS}")?;
    let is_accepted = accepts
        || {
            anyhow::ensure!(
                io::stdin().is_terminal() && screen.is_terminal(),
                "the terms above are not accepted: run the command with --accept-terms if you accept them"
            );
            write!(screen, "Do you accept these terms? [y/N] ")?;
            screen.flush()?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            YES.contains(&answer.trim().to_ascii_lowercase().as_str())
        };
    anyhow::ensure!(is_accepted, "the terms are not accepted");
    remember(folder)
}

fn file_in(folder: &Path) -> PathBuf {
    folder.join("accepted-terms.txt")
}

#[cfg(test)]
mod tests {
    use super::{are_accepted, file_in, remember, require};

    #[test]
    fn accepted_terms_are_remembered_until_they_change() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("catalogue");
        assert!(!are_accepted(&folder));
        require(&folder, true).unwrap();
        assert!(are_accepted(&folder));
        require(&folder, false).unwrap();
        std::fs::write(file_in(&folder), "Other terms").unwrap();
        assert!(!are_accepted(&folder));
        remember(&folder).unwrap();
        assert!(are_accepted(&folder));
    }
}
