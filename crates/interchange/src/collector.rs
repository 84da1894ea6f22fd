//! Collection of the entries of a file, in all formats.

use std::collections::BTreeSet;

use shared::models::UserScore;

use super::entry::{ListEntry, ListFile, ListFormat, ReadError, SkippedEntry};
use super::field::{FieldTexts, start_of};
use super::values::{StatusNumbers, UnscaledEntry, parse_entry, parse_title, visible_text};

/// The maximum number of entries of a file.
pub const MAX_ENTRIES: usize = 20_000;

/// The maximum number of unknown fields that the remarks name.
const MAX_UNKNOWN_FIELDS: usize = 20;

/// The number of bytes that are kept of the name of an unknown field.
const MAX_NAME_BYTES: usize = 160;

/// The highest score of a file's scale, with the source of this value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScoreScale {
    /// The format allows scores up to this one.
    OfFormat(f64),
    /// The file states that its scores go up to this one.
    Stated(f64),
    /// The scale is guessed from the highest score that occurs in the file.
    Guessed,
}

/// The entries of a file that is being read.
pub struct EntryCollector<'c> {
    status_numbers: &'static StatusNumbers,
    is_cancelled: &'c dyn Fn() -> bool,
    position: usize,
    unscaled: Vec<UnscaledEntry>,
    skipped: Vec<SkippedEntry>,
    /// The beginnings of the names of unknown fields, as they are in the file.
    unknown_fields: BTreeSet<String>,
    manga_count: usize,
}

impl<'c> EntryCollector<'c> {
    /// Returns a collector without entries. `status_numbers` are the numbers of statuses that the format uses.
    pub fn new(status_numbers: &'static StatusNumbers, is_cancelled: &'c dyn Fn() -> bool) -> Self {
        Self {
            status_numbers,
            is_cancelled,
            position: 0,
            unscaled: Vec::new(),
            skipped: Vec::new(),
            unknown_fields: BTreeSet::new(),
            manga_count: 0,
        }
    }

    /// Returns an error if the reading was cancelled. Must be called for each row, entry or element, because reading
    /// a whole file of 64 MB takes a while.
    pub fn check_cancelled(&self) -> Result<(), ReadError> {
        if (self.is_cancelled)() {
            Err(ReadError::new("The import was cancelled."))
        } else {
            Ok(())
        }
    }

    /// Adds the next entry.
    pub fn add(&mut self, texts: &FieldTexts) -> Result<(), ReadError> {
        self.count_entry()?;
        match parse_entry(self.position, texts, self.status_numbers) {
            Ok(entry) => self.unscaled.push(entry),
            Err(reason) => self.push_skipped(parse_title(texts), reason),
        }
        Ok(())
    }

    /// Skips the next entry, because its fields cannot be read.
    pub fn skip(&mut self, reason: impl Into<String>) -> Result<(), ReadError> {
        self.count_entry()?;
        self.push_skipped(None, reason.into());
        Ok(())
    }

    /// Leaves out the next entry, because it is a manga.
    pub fn leave_out_manga(&mut self) -> Result<(), ReadError> {
        self.manga_count += 1;
        self.count_entry()
    }

    /// Records the name of a field with a value that is not imported.
    pub fn add_unknown_field(&mut self, name: &str) {
        // A file can have a million names of any length, so they are only compared here. Their invisible
        // characters are removed at the end, in the few names that are kept.
        let name = start_of(name, MAX_NAME_BYTES);
        if self.unknown_fields.len() < MAX_UNKNOWN_FIELDS && !self.unknown_fields.contains(name) {
            self.unknown_fields.insert(name.to_owned());
        }
    }

    fn count_entry(&mut self) -> Result<(), ReadError> {
        self.position += 1;
        match self.position {
            ..=MAX_ENTRIES => Ok(()),
            _ => Err(too_many_entries()),
        }
    }

    fn push_skipped(&mut self, title: Option<String>, reason: String) {
        self.skipped.push(SkippedEntry {
            position: self.position,
            title,
            reason,
        });
    }

    /// Returns the content of the file.
    pub fn finish(mut self, format: ListFormat, scale: ScoreScale) -> Result<ListFile, ReadError> {
        if self.manga_count > 0 && self.manga_count == self.position {
            return Err(ReadError::new(MANGA_LIST));
        }
        let scores = self.unscaled.iter().filter_map(|entry| entry.score);
        // No scale goes beyond 100. An entry with a higher score is skipped, and its score does not count here.
        let highest = scores.filter(|score| *score <= 100.0).fold(0.0, f64::max);
        let maximum = match scale {
            ScoreScale::OfFormat(maximum) | ScoreScale::Stated(maximum) => maximum,
            ScoreScale::Guessed => likely_maximum(highest),
        };
        let remarks = self.remarks(scale, maximum, highest);
        let mut entries = Vec::with_capacity(self.unscaled.len());
        for entry in self.unscaled {
            match apply_scale(entry, maximum) {
                Ok(entry) => entries.push(entry),
                Err(skipped) => self.skipped.push(skipped),
            }
        }
        self.skipped.sort_by_key(|skipped| skipped.position);
        Ok(ListFile {
            format,
            entries,
            skipped: self.skipped,
            remarks,
        })
    }

    fn remarks(&self, scale: ScoreScale, maximum: f64, highest: f64) -> Vec<String> {
        let mut remarks = Vec::new();
        match scale {
            ScoreScale::Guessed if highest > 0.0 => remarks.push(format!(
                "The file does not state the scale of its scores. They were read as 1 to {maximum}, because the \
                 highest is {highest}."
            )),
            ScoreScale::Stated(_) if highest > 0.0 => {
                remarks.push(format!("The scores were read as 1 to {maximum}."));
            }
            _ => {}
        }
        if !self.unknown_fields.is_empty() {
            let names: BTreeSet<String> = self
                .unknown_fields
                .iter()
                .map(|name| visible_text(name, 40))
                .collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            remarks.push(format!(
                "These fields of the file are not imported: {names}."
            ));
        }
        let mut add_count = |counted: &str, count: usize| {
            if count > 0 {
                remarks.push(format!("{counted}: {count}."));
            }
        };
        let cut = self.unscaled.iter().filter(|entry| entry.has_cut_notes);
        add_count("Notes that were cut after 2,000 characters", cut.count());
        let unread = self.unscaled.iter().map(|entry| entry.unread_times);
        add_count(
            "Times that could not be read and were ignored",
            unread.sum(),
        );
        add_count("Manga that were left out", self.manga_count);
        remarks
    }
}

/// The error for a list of manga.
pub const MANGA_LIST: &str = "The file is a list of manga. Only lists of anime can be imported.";

/// Returns the error for a file with too many entries.
pub fn too_many_entries() -> ReadError {
    ReadError::new("The file has more than 20,000 entries. Split it into several files.")
}

/// Returns the highest score of the scale that a file probably uses.
fn likely_maximum(highest: f64) -> f64 {
    let scales = [3.0, 5.0, 10.0];
    scales
        .into_iter()
        .find(|maximum| highest <= *maximum)
        .unwrap_or(100.0)
}

/// Returns the entry with its score from 0 to 100. A score above 0 never becomes 0.
fn apply_scale(unscaled: UnscaledEntry, maximum: f64) -> Result<ListEntry, SkippedEntry> {
    let mut entry = unscaled.entry;
    entry.details.score = match unscaled.score {
        None => None,
        Some(score) if score <= 0.0 => Some(None),
        Some(score) if score <= maximum => {
            let tenths = (score / maximum * 1000.0).round().max(1.0);
            Some(UserScore::parse(tenths / 10.0).unwrap_or_default())
        }
        Some(_) => {
            return Err(SkippedEntry {
                position: entry.position,
                title: entry.title,
                reason: format!("score must be a number from 0 to {maximum}"),
            });
        }
    };
    Ok(entry)
}
