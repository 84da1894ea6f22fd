//! Readers and writers of list files: the files in which users move watch histories between services
//! (docs/list-files.md).
//!
//! [`read`] recognizes the format of a file by its content, and [`write`] writes the history of a user. This crate has
//! no code for HTTP, DynamoDB or the catalogue. The importer checks that an anime exists and how many episodes it has.

mod collector;
mod dates;
mod draft;
mod entry;
mod field;
mod formula;
mod numbers;
mod read;
mod values;
mod words;
mod write;

pub use collector::{MAX_ENTRIES, MAX_ROWS};
pub use entry::{
    ListEntry, ListFile, ListFileError, ListFormat, ReadOptions, ScoreScaleOption, SkippedEntry,
    WatchedRow,
};
pub use read::{MAX_UNPACKED, Unpacked, read, read_text, read_unpacked, unpack};
pub use values::visible_text;
pub use write::{ExportFormat, ExportedStory, OmittedStories, write, write_entries};
