//! Helpers for the tests of the formats.

use std::io::{Cursor, Write};

use shared::models::{IdKind, Notes, PartialDate, StatedId, WatchStatus, WireEnum, name_in};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::entry::{ListEntry, ListFile, ReadOptions, WatchedRow};
use crate::read::read;

/// Reads a file that must be valid.
pub fn list(file: impl AsRef<[u8]>) -> ListFile {
    read(file.as_ref(), &ReadOptions::default()).unwrap()
}

/// Returns the message for a file that must be invalid.
pub fn error(file: impl AsRef<[u8]>) -> String {
    let read = read(file.as_ref(), &ReadOptions::default());
    read.unwrap_err().to_string()
}

/// Returns a ZIP archive with these files.
pub fn zip_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Checks of a file, each with the lines that it must have.
impl ListFile {
    #[track_caller]
    pub(super) fn assert_entries(&self, lines: &[&str]) {
        assert_eq!(summary(self), lines);
    }

    #[track_caller]
    pub(super) fn assert_watched(&self, lines: &[&str]) {
        assert_eq!(watched(self), lines);
    }

    #[track_caller]
    pub(super) fn assert_remarks(&self, lines: &[&str]) {
        assert_eq!(self.remarks, lines);
    }
}

/// Returns one line for each entry: `mal 8 "Kumo" (2020) season 2 PAUSED 5/12 90 2020-07-04 2021-12-25 x1 private
/// "notes"`. Unknown values are missing, and values that are known to be empty are `-`.
pub fn summary(file: &ListFile) -> Vec<String> {
    file.entries.iter().map(entry).collect()
}

fn entry(entry: &ListEntry) -> String {
    let mut words = Vec::new();
    words.extend(entry.trackers.a.map(|id| format!("anilist {id}")));
    words.extend(entry.trackers.b.map(|id| format!("mal {id}")));
    words.extend(entry.ids.iter().copied().map(id));
    words.extend(entry.title.as_ref().map(|title| format!("{title:?}")));
    words.extend(entry.year.map(|year| format!("({year})")));
    words.extend(entry.season.map(|season| format!("season {season}")));
    let status = if entry.is_details_only {
        "no status"
    } else {
        name_in(WatchStatus::ALL, &entry.status)
    };
    words.push(status.to_owned());
    words.extend(entry.current_episode.map(|episode| match entry.episodes {
        Some(count) => format!("{episode}/{count}"),
        None => episode.to_string(),
    }));
    let details = &entry.details;
    let score = |score: Option<shared::models::UserScore>| {
        score.map_or("-".to_owned(), |score| {
            (f64::from(score.tenths()) / 10.0).to_string()
        })
    };
    let date = |date: Option<PartialDate>| date.map(|date| date.to_string());
    words.extend(details.score.map(score));
    words.extend(details.started_on.and_then(date));
    words.extend(details.finished_on.and_then(date));
    let repeats = details.repeats.filter(|repeats| *repeats > 0);
    words.extend(repeats.map(|repeats| format!("x{repeats}")));
    let private = details.private.filter(|private| *private);
    words.extend(private.map(|_| "private".to_owned()));
    let notes = details.notes.as_ref().map(Notes::as_str);
    let notes = notes.filter(|notes| !notes.is_empty());
    words.extend(notes.map(|notes| format!("{notes:?}")));
    words.join(" ")
}

/// Returns one line for each watched episode or movie: `tvdb series 9 "Kumo" (2020) S3E14 1700000000000`.
pub fn watched(file: &ListFile) -> Vec<String> {
    file.watched.iter().map(row).collect()
}

fn row(row: &WatchedRow) -> String {
    let mut words: Vec<String> = row.ids.iter().copied().map(id).collect();
    words.extend(row.title.as_ref().map(|title| format!("{title:?}")));
    words.extend(row.year.map(|year| format!("({year})")));
    words.push(match (row.is_movie, row.season, row.episode) {
        (true, ..) => "movie".to_owned(),
        (false, season, episode) => {
            let part = |letter, number: Option<u32>| {
                number.map_or(String::new(), |number| format!("{letter}{number}"))
            };
            part("S", season.map(u32::from)) + &part("E", episode)
        }
    });
    words.extend(row.at_ms.and_then(shared::times::format_ms));
    words.join(" ")
}

fn id(id: StatedId) -> String {
    let kind = match id.kind {
        IdKind::Anime => "anime",
        IdKind::Series => "series",
        IdKind::Movie => "movie",
        IdKind::Episode => "episode",
    };
    format!("{} {kind} {}", id.source.name(), id.id)
}
