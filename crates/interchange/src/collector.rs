//! Collection of the entries of a file, in all formats.

use std::collections::{BTreeMap, BTreeSet};

use shared::models::UserScore;

use super::dates::{DayOrder, FileDate};
use super::draft::EntryDraft;
use super::entry::{
    ListFile, ListFileError, ListFormat, ReadOptions, ReadResult, SkippedEntry, WatchedRow,
};
use super::field::{FieldTexts, start_of};
use super::values::{
    FileScore, StatusNumbers, UNIDENTIFIED, UnscaledEntry, parse_entry, parse_title, title_of,
    visible_text,
};

/// The maximum number of entries of a file. Entries that are left out, such as manga, do not count.
pub const MAX_ENTRIES: usize = 20_000;

/// The maximum number of entries, watched episodes and left-out items together.
pub const MAX_ROWS: usize = 10 * MAX_ENTRIES;

/// The maximum length of the titles of all watched episodes together, in bytes. Each row has a copy of its title.
const MAX_WATCHED_TITLES: usize = 32 * 1024 * 1024;

/// The maximum number of unknown fields that the remarks name.
const MAX_UNKNOWN_FIELDS: usize = 20;

/// The maximum number of sentences that a format adds to the remarks.
const MAX_SENTENCES: usize = 20;

/// The number of bytes that are kept of the name of an unknown field.
const MAX_NAME_BYTES: usize = 160;

/// Kinds of entries that are left out, for the remarks: "Manga that were left out: 3."
pub mod kinds {
    pub const MANGA: &str = "Manga";
    pub const NO_ANIME: &str = "Series and movies that are not anime";
    pub const OTHER_MEDIA: &str = "Games, books and other media";
    /// Special episodes, which do not count as progress.
    pub const SPECIALS: &str = "Special episodes";
    pub const NOT_WATCHED: &str = "Episodes and movies that were not watched";
}

/// The highest score of a file's scale, with the source of this value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum HighestScore {
    /// In this format, scores go up to this number.
    OfFormat(f64),
    /// The file states that its scores go up to this score.
    Stated(f64),
    /// Neither the file nor its format states it. The user can state it; otherwise it is guessed from the highest score
    /// in the file.
    #[default]
    Guessed,
}

/// The entries of a file that is being read.
pub struct EntryCollector<'c> {
    /// The scale of the scores. The reader of a format sets it, unless it has to be guessed.
    pub scale: HighestScore,
    /// The numbers and words of statuses that only this format uses.
    pub status_numbers: &'static StatusNumbers,
    options: ReadOptions,
    is_cancelled: &'c dyn Fn() -> bool,
    /// The number of entries, rows and left-out items so far.
    position: usize,
    unscaled: Vec<UnscaledEntry>,
    watched: Vec<WatchedRow>,
    /// The length of the titles of watched episodes, in bytes.
    watched_titles: usize,
    skipped: Vec<SkippedEntry>,
    /// The beginnings of the names of unknown fields, as they are in the file.
    unknown_fields: BTreeSet<String>,
    /// The numbers of left-out items, by kind.
    left_out: BTreeMap<&'static str, usize>,
    sentences: Vec<String>,
}

impl<'c> EntryCollector<'c> {
    pub fn new(options: ReadOptions, is_cancelled: &'c dyn Fn() -> bool) -> Self {
        Self {
            scale: HighestScore::default(),
            status_numbers: &[],
            options,
            is_cancelled,
            position: 0,
            unscaled: Vec::new(),
            watched: Vec::new(),
            watched_titles: 0,
            skipped: Vec::new(),
            unknown_fields: BTreeSet::new(),
            left_out: BTreeMap::new(),
            sentences: Vec::new(),
        }
    }

    /// Returns an error if the reading was cancelled. Must be called for each row, entry or element, because reading
    /// a whole file of 64 MB takes a while.
    pub fn check_cancelled(&self) -> ReadResult {
        if (self.is_cancelled)() {
            Err(ListFileError::new("The import was cancelled."))
        } else {
            Ok(())
        }
    }

    pub fn add(&mut self, draft: &EntryDraft) -> ReadResult {
        self.count_position()?;
        match parse_entry(self.position, draft, self.status_numbers) {
            Ok(entry) => self.unscaled.push(entry),
            Err(reason) => self.push_skipped(parse_title(&draft.texts), reason),
        }
        self.check_entries()
    }

    /// Adds the next entry, which has only texts.
    pub fn add_texts(&mut self, texts: FieldTexts) -> ReadResult {
        self.add(&EntryDraft {
            texts,
            ..EntryDraft::default()
        })
    }

    /// Adds the next watched episode or movie. Sets its position.
    pub fn add_watched(&mut self, mut row: WatchedRow) -> ReadResult {
        self.count_position()?;
        if row.title.is_none() && row.ids.is_empty() {
            self.push_skipped(None, UNIDENTIFIED.to_owned());
            return self.check_entries();
        }
        self.watched_titles += row.title.as_ref().map_or(0, String::len);
        if self.watched_titles > MAX_WATCHED_TITLES {
            return Err(ListFileError::new(
                "The titles of the watched episodes are too long together. Split the file into several ones.",
            ));
        }
        row.position = self.position;
        self.watched.push(row);
        Ok(())
    }

    /// Skips the next entry, because its fields cannot be read.
    pub fn skip(&mut self, title: Option<&str>, reason: impl Into<String>) -> ReadResult {
        self.count_position()?;
        self.push_skipped(title.and_then(title_of), reason.into());
        self.check_entries()
    }

    /// Leaves out the next item. The remarks name its kind, which is one of [`kinds`] or specific to the format.
    pub fn leave_out(&mut self, kind: &'static str) -> ReadResult {
        *self.left_out.entry(kind).or_default() += 1;
        self.count_position()
    }

    /// Adds a sentence about the file as a whole, once.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if self.sentences.len() < MAX_SENTENCES && !self.sentences.contains(&sentence) {
            self.sentences.push(sentence);
        }
    }

    /// Records the name of a field with a value that is not imported.
    pub fn add_unknown_field(&mut self, name: &str) {
        // A file can have a million names of any length, so this function only compares them. Their invisible
        // characters are removed at the end, in the few names that are kept.
        let name = start_of(name, MAX_NAME_BYTES);
        if self.unknown_fields.len() < MAX_UNKNOWN_FIELDS && !self.unknown_fields.contains(name) {
            self.unknown_fields.insert(name.to_owned());
        }
    }

    fn count_position(&mut self) -> ReadResult {
        self.position += 1;
        match self.position {
            ..=MAX_ROWS => Ok(()),
            _ => Err(ListFileError::new(
                "The file has more than 200,000 entries and episodes. Split it into several files.",
            )),
        }
    }

    fn check_entries(&self) -> ReadResult {
        match self.unscaled.len() + self.skipped.len() {
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
    pub fn finish(mut self, format: ListFormat) -> ReadResult<ListFile> {
        let manga = self.left_out.get(kinds::MANGA).copied().unwrap_or(0);
        if manga > 0 && manga == self.position {
            return Err(ListFileError::new(MANGA_LIST));
        }
        let unstated = self.unscaled.iter().filter_map(|entry| entry.score);
        let unstated = unstated.filter(|score| score.maximum.is_none());
        // No scale goes beyond 100. Higher scores are left out of their entries, so they do not count for the scale.
        let scores = unstated.map(|score| score.points);
        let highest = scores.filter(|score| *score <= 100.0).fold(0.0, f64::max);
        if let (HighestScore::Guessed, Some(option)) = (self.scale, self.options.score_scale) {
            self.scale = HighestScore::Stated(option.maximum());
        }
        let maximum = match self.scale {
            HighestScore::OfFormat(maximum) | HighestScore::Stated(maximum) => maximum,
            HighestScore::Guessed => likely_maximum(highest),
        };
        let dates = self.unscaled.iter();
        let dates = dates.flat_map(|entry| [entry.started_on, entry.finished_on]);
        let order = DayOrders::of(dates.flatten());
        for entry in &mut self.unscaled {
            apply_scale(entry, maximum);
            let day = |date: FileDate| date.resolve(order.order());
            entry.entry.details.started_on = entry.started_on.map(day);
            entry.entry.details.finished_on = entry.finished_on.map(day);
        }
        let remarks = self.remarks(maximum, highest, order);
        let entries = self.unscaled.into_iter().map(|entry| entry.entry);
        Ok(ListFile {
            format,
            entries: entries.collect(),
            watched: self.watched,
            skipped: self.skipped,
            remarks,
        })
    }

    fn remarks(&self, maximum: f64, highest: f64, order: DayOrders) -> Vec<String> {
        let mut remarks = Vec::new();
        match self.scale {
            HighestScore::Guessed if highest > 0.0 => remarks.push(format!(
                "The file does not state the scale of its scores. They were read as 1 to {maximum}, because the \
                 highest is {highest}."
            )),
            HighestScore::Stated(_) if highest > 0.0 => {
                remarks.push(format!("The scores were read as 1 to {maximum}."));
            }
            _ => {}
        }
        remarks.extend(self.sentences.iter().cloned());
        if order.unknown > 0 {
            remarks.push(format!(
                "Dates of which the file does not tell whether the day or the month is first, so that only the year \
                 was taken: {}.",
                order.unknown
            ));
        }
        remarks.extend(self.unreadable_remark());
        if !self.unknown_fields.is_empty() {
            let names = self.unknown_fields.iter();
            let names: BTreeSet<String> = names.map(|name| visible_text(name, 40)).collect();
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
        let unread = self.unscaled.iter().map(|entry| entry.unread_times).sum();
        add_count("Times that could not be read and were ignored", unread);
        for (kind, count) in &self.left_out {
            add_count(&format!("{kind} that were left out"), *count);
        }
        remarks
    }

    /// Returns the sentence about details that could not be read, which names each field, the first of its values, and
    /// the number of the others. Pages translate the text before the names, so there are no words between the names.
    fn unreadable_remark(&self) -> Option<String> {
        let mut fields: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
        for (name, text) in self.unscaled.iter().flat_map(|entry| &entry.unreadable) {
            fields.entry(name).or_insert((0, text)).0 += 1;
        }
        if fields.is_empty() {
            return None;
        }
        let fields = fields.into_iter().map(|(name, (count, text))| match count {
            1 => format!("{name} {text:?}"),
            _ => format!("{name} {text:?} (+{})", count - 1),
        });
        let fields = fields.collect::<Vec<_>>().join("; ");
        Some(format!(
            "Values that could not be read and were left out of their entries: {fields}."
        ))
    }
}

/// The orders of day and month that the dates of a file show.
#[derive(Clone, Copy, Default)]
struct DayOrders {
    day_first: bool,
    month_first: bool,
    /// The number of dates with only a year.
    unknown: usize,
}

impl DayOrders {
    fn of(dates: impl Iterator<Item = FileDate>) -> Self {
        let mut orders = Self::default();
        for date in dates {
            orders.day_first |= date.order() == Some(DayOrder::DayMonth);
            orders.month_first |= date.order() == Some(DayOrder::MonthDay);
            orders.unknown += usize::from(date.needs_order());
        }
        if orders.order().is_some() {
            orders.unknown = 0;
        }
        orders
    }

    /// Returns the order, if some dates prove it and none contradicts them.
    fn order(self) -> Option<DayOrder> {
        match (self.day_first, self.month_first) {
            (true, false) => Some(DayOrder::DayMonth),
            (false, true) => Some(DayOrder::MonthDay),
            _ => None,
        }
    }
}

pub const MANGA_LIST: &str = "The file is a list of manga. Only lists of anime can be imported.";

pub fn too_many_entries() -> ListFileError {
    ListFileError::new("The file has more than 20,000 entries. Split it into several files.")
}

/// Returns the highest score of the scale that a file probably uses.
fn likely_maximum(highest: f64) -> f64 {
    let scale = [3.0, 5.0, 10.0].into_iter().find(|scale| highest <= *scale);
    scale.unwrap_or(100.0)
}

/// Sets the score from 0 to 100. A score above 0 never becomes 0. A score above the scale is left out.
fn apply_scale(entry: &mut UnscaledEntry, of_file: f64) {
    let Some(FileScore { points, maximum }) = entry.score else {
        return;
    };
    let maximum = maximum.unwrap_or(of_file);
    entry.entry.details.score = if points <= 0.0 {
        Some(None)
    } else if points <= maximum {
        let tenths = (points / maximum * 1000.0).round().max(1.0);
        Some(UserScore::parse(tenths / 10.0).unwrap_or_default())
    } else {
        let text = visible_text(&points.to_string(), 40);
        entry.unreadable.push(("score", text));
        None
    };
}
