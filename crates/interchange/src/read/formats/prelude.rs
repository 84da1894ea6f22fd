//! The names that the readers of the formats share.

pub use serde_json::Value;
pub use shared::models::{AnimeFormat, IdKind, IdSource, WatchStatus};

pub use super::objects::{add_each, objects};
pub use super::{Format, wrong_shape};
pub use crate::collector::{EntryCollector, HighestScore, kinds};
pub use crate::draft::EntryDraft;
pub use crate::entry::{ListFileError, ListFormat, ReadResult, WatchedRow};
pub use crate::field::EntryField;
pub use crate::numbers::{parse_year, stated_id, whole_number};
pub use crate::read::archive::{Archive, ArchiveMember};
pub use crate::read::json::{
    Json, Object, array, at, elements_of, field_of, is_true, number, object, object_at, plain_text,
    text, time,
};
pub use crate::read::table::{TableRow, TextTable};
pub use crate::read::xml::{Element, Xml};
pub use crate::values::{StatusNumbers, UNIDENTIFIED, status_of, title_of, watched_at};
