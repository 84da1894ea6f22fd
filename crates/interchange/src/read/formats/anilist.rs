//! AniList: the account export (`gdpr_data.json`), the response to the list query, and the list that the userscript
//! Automail saves.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::kiroku::{STATUS_NUMBERS, add_entry, has_content};
use super::objects::add_short;
use super::prelude::*;
use crate::field::FieldName;

pub const FORMAT: Format = Format::Json(
    ListFormat::AniListJson,
    |json| lists_of(json).is_some() || is_array(json),
    read,
);

/// Returns true for an array of entries that name the service of their identifiers, or of stories of this service.
fn is_array(json: &Json) -> bool {
    let ids = ["mediaId", "series_id", "anilist_id", "idMal", "mal_id"];
    ids.into_iter().any(|id| json.elements_have(&[id]))
        || json.elements_have(&["anime_id", "current_episode"])
}

/// Returns the lists of a response or an account export.
fn lists_of<'f>(json: &Json<'f>) -> Option<&'f RawValue> {
    let is_array = |lists: &&RawValue| lists.get().starts_with('[');
    collection_of(json)
        .and_then(|collection| field_of(collection, "lists"))
        .or_else(|| json.field("lists"))
        .filter(is_array)
}

fn collection_of<'f>(json: &Json<'f>) -> Option<&'f RawValue> {
    let name = "MediaListCollection";
    let in_data = || field_of(json.field("data")?, name);
    json.field(name).or_else(in_data)
}

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.status_numbers = STATUS_NUMBERS;
    // Automail states once, at the top, whether the list is of anime or manga.
    if json
        .field("type")
        .is_some_and(|kind| kind.get() == "\"MANGA\"")
    {
        return Err(ListFileError::new(crate::collector::MANGA_LIST));
    }
    if let Some(maximum) = maximum_of(json) {
        collector.scale = HighestScore::Stated(maximum);
    }
    let lists = match lists_of(json) {
        Some(lists) => elements_of(lists)?,
        None => json.array("")?,
    };
    // An entry of a status list can also be in custom lists. It is added only once.
    let mut seen = BTreeSet::new();
    for element in lists {
        match field_of(element, "entries") {
            Some(entries) => {
                for entry in elements_of(entries)? {
                    add_short(collector, entry, |collector, fields| {
                        add(collector, fields, Some(&mut seen))
                    })?;
                }
            }
            None => add_short(collector, element, |collector, fields| {
                add(collector, fields, None)
            })?,
        }
    }
    Ok(())
}

/// Adds an entry. `seen` has the identifiers of earlier entries, if repeated entries are to be left out.
fn add(
    collector: &mut EntryCollector,
    fields: &Object,
    seen: Option<&mut BTreeSet<String>>,
) -> ReadResult {
    if let Some(seen) = seen
        && let Some(id) = id_of(fields)
        && !seen.insert(id)
    {
        // It may be that only the entry in a custom list names the custom lists.
        if fields.get("customLists").is_some_and(has_content) {
            collector.add_unknown_field("customLists");
        }
        return Ok(());
    }
    // Automail's older versions do not state the type. Only manga have volumes.
    let has_volumes = number::<u32>(fields, "progressVolumes").is_some();
    let is_anime = text(fields, "media.type").is_some_and(|kind| kind == "ANIME");
    if has_volumes && !is_anime && !fields.contains_key("private") {
        return collector.leave_out(kinds::MANGA);
    }
    add_entry(collector, fields)
}

fn id_of(fields: &Object) -> Option<String> {
    let is_id = |name: &str| FieldName::of(name) == FieldName::Known(EntryField::AniListId);
    let mut fields_with_id = fields.iter().filter(|(name, _)| is_id(name));
    let id = fields_with_id.find_map(|(_, value)| plain_text(value));
    id.or_else(|| text(fields, "media.id"))
        .filter(|id| id != "0")
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

/// Returns the highest score of the user's format of scores, if the file states it.
fn maximum_of(json: &Json) -> Option<f64> {
    let collection = collection_of(json);
    let users = [
        collection.and_then(|collection| field_of(collection, "user")),
        json.field("data").and_then(|data| field_of(data, "Viewer")),
        json.field("data").and_then(|data| field_of(data, "User")),
        json.field("User"),
        json.field("user"),
    ];
    let at_top = ["score_format", "scoreFormat"].map(|name| json.field(name));
    let mut formats = at_top.into_iter().flatten();
    users
        .into_iter()
        .flatten()
        .find_map(maximum_of_user)
        .or_else(|| formats.find_map(|format| maximum_of_format(format.get().trim_matches('"'))))
}

fn maximum_of_user(user: &RawValue) -> Option<f64> {
    let user: AniListUser = serde_json::from_str(user.get()).ok()?;
    let format = user.score_format.or_else(|| {
        user.media_list_options
            .and_then(|options| options.score_format)
    })?;
    maximum_of_format(&format)
}

fn maximum_of_format(format: &str) -> Option<f64> {
    match format {
        "POINT_100" => Some(100.0),
        "POINT_10" | "POINT_10_DECIMAL" => Some(10.0),
        "POINT_5" => Some(5.0),
        "POINT_3" => Some(3.0),
        _ => None,
    }
}
