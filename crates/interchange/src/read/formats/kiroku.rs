//! This service's own JSON.

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::models::StatedId;

use super::objects::add_short;
use super::prelude::*;
use crate::draft::MAX_IDS;
use crate::field::FieldName;

pub const FORMAT: Format = Format::Json(
    ListFormat::KirokuJson,
    |json| {
        json.field("format")
            .is_some_and(|format| format.get() == "\"kiroku\"")
    },
    read,
);

/// The numbers of statuses in account exports of AniList. This service's API also uses them.
pub const STATUS_NUMBERS: &StatusNumbers = &[
    ("0", WatchStatus::Current),
    ("1", WatchStatus::Planning),
    ("2", WatchStatus::Completed),
    ("3", WatchStatus::Dropped),
    ("4", WatchStatus::Paused),
    ("5", WatchStatus::Repeating),
];

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    if json.field("version").map(RawValue::get) != Some("1") {
        return Err(ListFileError::new(
            "The JSON is an export of this service, but not of version 1.",
        ));
    }
    if !json.has_array("stories") {
        return Err(ListFileError::new(
            "The JSON is an export of this service, but has no stories.",
        ));
    }
    collector.scale = HighestScore::OfFormat(100.0);
    collector.status_numbers = STATUS_NUMBERS;
    for story in json.array("stories")? {
        add_short(collector, story, add_entry)?;
    }
    Ok(())
}

const OWN_FIELDS: [&str; 3] = ["ids", "season", "is_details_only"];

/// The fields that only this service writes, for entries of other services that wait for their anime.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OwnFields {
    ids: Vec<StatedId>,
    season: Option<u16>,
    is_details_only: bool,
}

/// Adds an entry by the names of its fields, which this service and AniList share.
pub fn add_entry(collector: &mut EntryCollector, fields: &Object) -> ReadResult {
    let media = object_at(fields, "media");
    let is_manga = fields.get("series_type").is_some_and(|kind| *kind == 1)
        || media
            .and_then(|media| media.get("type"))
            .is_some_and(|kind| *kind == "MANGA");
    if is_manga {
        return collector.leave_out(kinds::MANGA);
    }
    let mut draft = EntryDraft::default();
    // Stories of this service's API have some values in an object of their own, such as `private`.
    let details = object_at(fields, "details");
    let of_entry = fields
        .iter()
        .filter(|(name, _)| details.is_none() || *name != "details");
    for (name, value) in of_entry.chain(details.into_iter().flatten()) {
        if OWN_FIELDS.contains(&name.as_str()) {
            continue;
        }
        match (FieldName::of(name), text_of(value)) {
            (FieldName::Known(field), Some(text)) => draft.texts.set(field, text),
            // A known field is also not imported if its value is an array or an object.
            (FieldName::Known(_) | FieldName::Unknown, _) if has_content(value) => {
                collector.add_unknown_field(name);
            }
            _ => {}
        }
    }
    for (name, value) in media.into_iter().flatten() {
        let field = match name.as_str() {
            "id" => EntryField::AniListId,
            "idMal" => EntryField::MalId,
            "title" => EntryField::Title,
            "episodes" => EntryField::Episodes,
            "format" => EntryField::Format,
            "seasonYear" => EntryField::Year,
            _ => continue,
        };
        if let Some(text) = text_of(value) {
            draft.texts.set(field, text);
        }
    }
    if OWN_FIELDS.iter().any(|name| fields.contains_key(*name)) {
        let own = OwnFields::deserialize(fields).unwrap_or_default();
        draft.ids = own.ids;
        draft.ids.retain(|id| id.id > 0);
        draft.ids.truncate(MAX_IDS);
        draft.season = own.season;
        draft.is_details_only = own.is_details_only;
    }
    collector.add(&draft)
}

/// Returns the text of a value: a plain value, a date or a title. `None` for other objects and arrays.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => plain_text(value),
        Value::Array(_) => None,
        Value::Object(fields) if fields.contains_key("year") => {
            let part = |name: &str| {
                fields
                    .get(name)
                    .and_then(plain_text)
                    .filter(|part| !part.is_empty())
            };
            let [year, month, day] = ["year", "month", "day"].map(part);
            let parts = [year, month, day].map(|part| part.unwrap_or_else(|| "0".to_owned()));
            Some(parts.join("-"))
        }
        Value::Object(titles) => {
            let languages = ["userPreferred", "romaji", "english", "native"];
            let titles = languages
                .iter()
                .filter_map(|language| titles.get(*language));
            titles
                .filter_map(Value::as_str)
                .find(|title| !title.is_empty())
                .map(ToOwned::to_owned)
        }
    }
}

/// Returns true if a value is more than a default: AniList writes custom lists as `{"Favorites": false}`, and
/// advanced scores as `[0, 0]`.
pub fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(values) => values.iter().any(has_content),
        Value::Object(fields) => fields.values().any(has_content),
    }
}
