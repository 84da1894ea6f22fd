//! The files of the catalogue in a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use catalog_refresh::SourceName;

use super::FILES;

/// Returns the names by which the file of a source is recognized, also with `.gz` or `.zst` at the end.
fn names(source: SourceName) -> &'static [&'static str] {
    match source {
        SourceName::OfflineDatabase => &[
            "anime-offline-database.jsonl",
            "anime-offline-database.json",
            "anime-offline-database-minified.json",
        ],
        SourceName::Mapping => &["anime-list-full.json"],
        SourceName::AnidbTitles => &["anime-titles.xml", "anime-titles.dat", "animetitles.xml"],
        SourceName::Seasons => &["anime-list-master.xml"],
        SourceName::MyAnimeList | SourceName::AniList | SourceName::AnimeThemes => &[],
    }
}

/// Returns all recognized names, for a message.
pub fn all_names() -> String {
    let names: Vec<&str> = FILES.into_iter().flat_map(names).copied().collect();
    names.join(", ")
}

/// Returns the files of the catalogue in a folder. If a source has several files, the file that was changed last
/// counts.
pub fn find(folder: &Path) -> io::Result<Vec<(SourceName, PathBuf)>> {
    let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        // For a link, the metadata is that of the linked file, which may not exist.
        let Ok(metadata) = std::fs::metadata(&path) else {
            continue;
        };
        if metadata.is_file() {
            files.push((metadata.modified()?, path));
        }
    }
    files.sort();
    let newest = |source: SourceName| {
        let found = files.iter().rfind(|(_, path)| is_of(path, source))?;
        Some((source, found.1.clone()))
    };
    Ok(FILES.into_iter().filter_map(newest).collect())
}

fn is_of(path: &Path, source: SourceName) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let plain = name.strip_suffix(".gz").or(name.strip_suffix(".zst"));
    names(source).contains(&plain.unwrap_or(&name))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use catalog_refresh::SourceName;

    use super::find;

    #[test]
    fn files_are_recognized_by_their_names_and_the_newest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, age_s: u64| {
            let file = File::create(folder.path().join(name)).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 - age_s);
            file.set_modified(time).unwrap();
        };
        for (name, age_s) in [
            ("Anime-Offline-Database.jsonl.zst", 50),
            ("anime-offline-database-minified.json", 90),
            ("anime-offline-database.jsonl.zst.part", 1),
            ("anime-offline-database.jsonl.zst.version", 1),
            ("anime-titles.dat.gz", 10),
            ("anime-titles.xml.gz", 20),
            ("my-anime-list-full.json", 1),
            ("readme.txt", 1),
        ] {
            write(name, age_s);
        }
        fs::create_dir(folder.path().join("anime-list-full.json")).unwrap();
        let found = find(folder.path()).unwrap();
        let names = found.iter().map(|(source, path)| {
            let name = path.file_name().unwrap().to_str().unwrap();
            (*source, name)
        });
        let expected = [
            (
                SourceName::OfflineDatabase,
                "Anime-Offline-Database.jsonl.zst",
            ),
            (SourceName::AnidbTitles, "anime-titles.dat.gz"),
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert!(find(&folder.path().join("missing")).is_err());
    }
}
