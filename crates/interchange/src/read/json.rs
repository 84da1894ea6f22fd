//! This service's own JSON, an account export of AniList, and the response to AniList's list query.
//!
//! Only one entry at a time becomes a tree of values, so that a file needs little more memory than its text.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use shared::models::WatchStatus;

use crate::collector::{EntryCollector, MAX_ENTRIES, ScoreScale, too_many_entries};
use crate::entry::{ListFile, ListFormat, ReadError};
use crate::field::{EntryField, FieldName, FieldTexts, MAX_LIST_TEXT_BYTES};
use crate::values::StatusNumbers;

/// The numbers of statuses in account exports of AniList, which this service's API uses, too.
const STATUS_NUMBERS: &StatusNumbers = &[
    ("0", WatchStatus::Current),
    ("1", WatchStatus::Planning),
    ("2", WatchStatus::Completed),
    ("3", WatchStatus::Dropped),
    ("4", WatchStatus::Paused),
    ("5", WatchStatus::Repeating),
];

const SHAPE_ERROR: &str = "The JSON is neither a list of AniList nor an export of this service.";

/// The top-level fields of a file, for all JSON formats.
#[derive(Deserialize)]
struct ListDocument<'f> {
    #[serde(borrow, default)]
    format: Option<&'f RawValue>,
    #[serde(borrow, default)]
    version: Option<&'f RawValue>,
    #[serde(borrow, default)]
    stories: Option<RawElements<'f>>,
    #[serde(borrow, default)]
    user: Option<&'f RawValue>,
    #[serde(borrow, default)]
    lists: Option<&'f RawValue>,
    #[serde(borrow, default)]
    data: Option<&'f RawValue>,
    #[serde(borrow, default, rename = "MediaListCollection")]
    collection: Option<MediaListCollection<'f>>,
}

/// The field `data` of a GraphQL response.
#[derive(Deserialize)]
struct GraphQlData<'f> {
    #[serde(borrow, default, rename = "MediaListCollection")]
    collection: Option<MediaListCollection<'f>>,
    #[serde(borrow, default, rename = "Viewer")]
    viewer: Option<&'f RawValue>,
}

#[derive(Deserialize)]
struct MediaListCollection<'f> {
    #[serde(borrow, default)]
    lists: Option<RawElements<'f>>,
    #[serde(borrow, default)]
    user: Option<&'f RawValue>,
}

/// A list of AniList's query. In an account export, `lists` has the entries themselves. An entry has no field
/// `entries`, so it cannot be read as this type.
#[derive(Deserialize)]
struct MediaList<'f> {
    #[serde(borrow)]
    entries: RawElements<'f>,
}

/// A user of AniList, or the list options of a user. Both can state the user's format of scores.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AniListUser {
    #[serde(default, alias = "score_format")]
    score_format: Option<String>,
    #[serde(default, alias = "media_list_options")]
    media_list_options: Option<Box<AniListUser>>,
}

/// The first [`MAX_ENTRIES`] elements of an array, not parsed yet. `has_more` is true if the array has more
/// elements.
struct RawElements<'f> {
    first: Vec<&'f RawValue>,
    has_more: bool,
}

impl<'f> RawElements<'f> {
    fn into_elements(self) -> Result<Vec<&'f RawValue>, ReadError> {
        if self.has_more {
            return Err(too_many_entries());
        }
        Ok(self.first)
    }
}

impl<'de: 'f, 'f> Deserialize<'de> for RawElements<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RawElementsVisitor)
    }
}

struct RawElementsVisitor;

impl<'de> Visitor<'de> for RawElementsVisitor {
    type Value = RawElements<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let (mut first, mut has_more) = (Vec::new(), false);
        while first.len() < MAX_ENTRIES {
            match array.next_element()? {
                Some(element) => first.push(element),
                None => return Ok(RawElements { first, has_more }),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(RawElements { first, has_more })
    }
}

/// Reads a file.
pub fn read(text: &str, is_cancelled: &dyn Fn() -> bool) -> Result<ListFile, ReadError> {
    let collector = EntryCollector::new(STATUS_NUMBERS, is_cancelled);
    if text.trim_start().starts_with('[') {
        let entries: RawElements =
            serde_json::from_str(text).map_err(|error| invalid_json(&error))?;
        return read_anilist(collector, entries, None);
    }
    let document: ListDocument =
        serde_json::from_str(text).map_err(|error| invalid_json(&error))?;
    if let Some(format) = document.format
        && format.get() == "\"kiroku\""
    {
        if document.version.map(RawValue::get) != Some("1") {
            return Err(ReadError::new(
                "The JSON is an export of this service, but not of version 1.",
            ));
        }
        let stories = document
            .stories
            .ok_or_else(|| ReadError::new(SHAPE_ERROR))?;
        return read_kiroku(collector, stories);
    }
    // These fields are not parsed earlier, because they may have other shapes in an export of this service.
    let data: Option<GraphQlData> = document.data.map(parse_part).transpose()?;
    let (inner, viewer) = data.map_or((None, None), |data| (data.collection, data.viewer));
    let collection = document.collection.or(inner);
    let (lists, owner) = collection.map_or((None, None), |found| (found.lists, found.user));
    let lists = match (lists, document.lists) {
        (Some(lists), _) => lists,
        (None, Some(lists)) => parse_part(lists)?,
        (None, None) => return Err(ReadError::new(SHAPE_ERROR)),
    };
    let mut users = [owner, viewer, document.user].into_iter().flatten();
    read_anilist(collector, lists, users.find_map(find_maximum_score))
}

fn parse_part<'f, T: Deserialize<'f>>(part: &'f RawValue) -> Result<T, ReadError> {
    serde_json::from_str(part.get()).map_err(|_| ReadError::new(SHAPE_ERROR))
}

fn read_kiroku(mut collector: EntryCollector, stories: RawElements) -> Result<ListFile, ReadError> {
    for story in stories.into_elements()? {
        add_entry(&mut collector, story, None)?;
    }
    collector.finish(ListFormat::KirokuJson, ScoreScale::OfFormat(100.0))
}

/// Reads entries, or lists of entries. `maximum_score` is the maximum of the user's format of scores, if the file
/// states it.
fn read_anilist(
    mut collector: EntryCollector,
    lists: RawElements,
    maximum_score: Option<f64>,
) -> Result<ListFile, ReadError> {
    // An entry of a status list can be in custom lists, too. It is added only once.
    let mut seen = BTreeSet::new();
    for element in lists.into_elements()? {
        match serde_json::from_str::<MediaList>(element.get()) {
            Ok(group) => {
                for entry in group.entries.into_elements()? {
                    add_entry(&mut collector, entry, Some(&mut seen))?;
                }
            }
            Err(_) => add_entry(&mut collector, element, None)?,
        }
    }
    let scale = maximum_score.map_or(ScoreScale::Guessed, ScoreScale::Stated);
    collector.finish(ListFormat::AniListJson, scale)
}

/// Adds an entry. `seen` has the AniList identifiers of earlier entries, if repeated entries are to be left out. An
/// entry is left out if its identifier is in `seen`. Otherwise its identifier is added to `seen`.
fn add_entry(
    collector: &mut EntryCollector,
    entry: &RawValue,
    seen: Option<&mut BTreeSet<String>>,
) -> Result<(), ReadError> {
    collector.check_cancelled()?;
    if entry.get().len() > MAX_LIST_TEXT_BYTES {
        return collector.skip("the entry is longer than 100 KB");
    }
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(entry.get()) else {
        return collector.skip("the entry is not a JSON object");
    };
    let media = fields.get("media").and_then(Value::as_object);
    let is_manga = fields.get("series_type").is_some_and(|kind| *kind == 1)
        || media
            .and_then(|media| media.get("type"))
            .is_some_and(|kind| *kind == "MANGA");
    if is_manga {
        return collector.leave_out_manga();
    }
    let mut texts = FieldTexts::default();
    // Stories of this service's API have some values in an object of their own, such as `private`.
    let details = fields.get("details").and_then(Value::as_object);
    let of_entry = fields
        .iter()
        .filter(|(name, _)| details.is_none() || *name != "details");
    for (name, value) in of_entry.chain(details.into_iter().flatten()) {
        match (FieldName::of(name), text_of(value)) {
            (FieldName::Known(field), Some(text)) => texts.set(field, text),
            // A known field whose value is an array or an object is not imported either.
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
            _ => continue,
        };
        if let Some(text) = text_of(value) {
            texts.set(field, text);
        }
    }
    if let Some(seen) = seen
        && let Some(id) = texts.value(EntryField::AniListId)
        && !seen.insert(id.to_owned())
    {
        return Ok(());
    }
    collector.add(&texts)
}

/// Returns the text of a value: a plain value, a date or a title. `None` for other objects and arrays.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(_) => None,
        Value::Object(fields) if fields.contains_key("year") => {
            let part = |name: &str| {
                fields
                    .get(name)
                    .and_then(text_of)
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
fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(values) => values.iter().any(has_content),
        Value::Object(fields) => fields.values().any(has_content),
    }
}

/// Returns the maximum of a user's format of scores.
fn find_maximum_score(user: &RawValue) -> Option<f64> {
    let user: AniListUser = serde_json::from_str(user.get()).ok()?;
    let format = user.score_format.or_else(|| {
        user.media_list_options
            .and_then(|options| options.score_format)
    })?;
    match format.as_str() {
        "POINT_100" => Some(100.0),
        "POINT_10" | "POINT_10_DECIMAL" => Some(10.0),
        "POINT_5" => Some(5.0),
        "POINT_3" => Some(3.0),
        _ => None,
    }
}

fn invalid_json(error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    if error.is_data() {
        return ReadError::new(SHAPE_ERROR);
    }
    ReadError::new(format!(
        "The JSON is invalid or ends too early at line {line}, column {column}."
    ))
}
