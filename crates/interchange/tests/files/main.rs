//! Reads and writes list files through the public functions. The fixtures are made up.

#![expect(clippy::unwrap_used, reason = "a test fails at an unexpected result")]

mod anilist;
mod archives;
mod bad_files;
mod csv;
mod examples;
mod json;
mod mal_xml;
mod round_trip;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use interchange::{ListEntry, ListFile, ReadOptions, read, write_entries};
use shared::models::{Notes, PartialDate, TrackerIds, UserScore, WatchStatus};

/// Reads a file that must be valid.
fn list(file: impl AsRef<[u8]>) -> ListFile {
    read(file.as_ref(), &ReadOptions::default()).unwrap()
}

/// Returns the message for a file that must be invalid.
fn error(file: impl AsRef<[u8]>) -> String {
    read(file.as_ref(), &ReadOptions::default())
        .unwrap_err()
        .to_string()
}

/// Returns the positions and reasons of the skipped entries of a file.
fn skipped(file: impl AsRef<[u8]>) -> Vec<(usize, String)> {
    let skipped = list(file).skipped.into_iter();
    skipped
        .map(|entry| (entry.position, entry.reason))
        .collect()
}

/// Returns the entries of a file as this service writes them and the skipped entries, each after its position, and the
/// remarks.
fn report(file: &ListFile) -> Vec<String> {
    let mut bytes = Vec::new();
    write_entries("hoshi", 0, &file.entries, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let entries = text.lines().skip(1).zip(&file.entries);
    let entries = entries.map(|(line, entry)| (entry.position, line.trim_end_matches(',')));
    let entries = entries.map(|(at, line)| format!("{at} {line}"));
    let skipped = file.skipped.iter();
    let skipped = skipped.map(|entry| format!("{} skipped: {}", entry.position, entry.reason));
    let remarks = file.remarks.iter().cloned();
    entries.chain(skipped).chain(remarks).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns an entry with an identifier at AniList or MyAnimeList, and nothing else that is optional.
fn entry(position: usize, trackers: (u32, u32), status: WatchStatus) -> ListEntry {
    let known = |id| Some(id).filter(|id| *id > 0);
    ListEntry {
        trackers: TrackerIds {
            a: known(trackers.0),
            b: known(trackers.1),
        },
        ..ListEntry::new(position, status)
    }
}

fn score(tenths: u16) -> Option<UserScore> {
    UserScore::from_tenths(tenths)
}

fn day(text: &str) -> Option<PartialDate> {
    PartialDate::parse(text).ok()
}

fn notes(text: &str) -> Option<Notes> {
    Notes::new(text).ok()
}
