//! The JSON exports of Anime-Planet. They have titles and no identifiers.

use serde_json::{Map, Value};
use shared::models::WatchStatus;

use super::Format;
use super::objects::add_each;
use crate::collector::{EntryCollector, MANGA_LIST, ScoreScale};
use crate::draft::Draft;
use crate::entry::{ListFormat, ReadError};
use crate::field::EntryField;
use crate::read::content::Content;
use crate::read::json::{field_of, number, text};
use crate::values::status_of;

pub const FORMAT: Format = Format {
    kind: ListFormat::Other("Anime-Planet JSON"),
    recognize: recognize,
    read: read,
};

/// Entries that the user has decided against.
const WONT_WATCH: &str = "Anime that the user does not want to watch";

/// Returns true for an export.
fn recognize(content: &Content) -> bool {
    content.is_json(|json| {
        let export = json.field("export");
        let has_type = export.is_some_and(|export| field_of(export, "type").is_some());
        has_type && json.has(&["user", "entries"])
    })
}

/// Reads an export.
fn read(content: &Content, collector: &mut EntryCollector) -> Result<(), ReadError> {
    let Some(json) = content.json() else {
        return Ok(());
    };
    let kind = json
        .field("export")
        .and_then(|export| field_of(export, "type"));
    if kind.is_some_and(|kind| kind.get() == "\"manga\"") {
        return Err(ReadError::new(MANGA_LIST));
    }
    collector.scale = ScoreScale::OfFormat(5.0);
    add_each(collector, &json.array("entries")?, add_entry)
}

fn add_entry(collector: &mut EntryCollector, entry: &Map<String, Value>) -> Result<(), ReadError> {
    let word = text(entry, "status").unwrap_or_default();
    if word == "won't watch" {
        return collector.leave_out(WONT_WATCH);
    }
    let status = status_of(&word, &[]);
    let episode = number::<u32>(entry, "eps");
    let mut draft = Draft {
        status,
        ..Draft::default()
    };
    draft.set(EntryField::Title, text(entry, "name"));
    draft.set(EntryField::Status, Some(word));
    draft.set(
        EntryField::CurrentEpisode,
        episode.map(|episode| episode.to_string()),
    );
    draft.set(EntryField::Score, text(entry, "rating"));
    let (started, completed) = (text(entry, "started"), text(entry, "completed"));
    // If several episodes began and ended in the same second, the entry was marked as a whole, on any later day.
    let is_marked =
        started.is_some() && started == completed && episode.is_none_or(|episode| episode > 1);
    if !is_marked {
        // An entry that is marked later can begin after its end.
        let is_late = started > completed && completed.is_some();
        draft.set(EntryField::StartedOn, started.filter(|_| !is_late));
        // The day on which an entry was dropped is in the same field.
        let is_completed = status == Some(WatchStatus::Completed);
        draft.set(EntryField::FinishedOn, completed.filter(|_| is_completed));
    }
    let times = number::<u32>(entry, "times").and_then(|times| times.checked_sub(1));
    draft.set(EntryField::Repeats, times.map(|times| times.to_string()));
    collector.add(&draft)
}
