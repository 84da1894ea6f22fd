//! The values of an entry's fields, parsed from their texts in the same way for all file formats.

use std::str::FromStr;

use shared::input::MAX_SAFE_INTEGER;
use shared::models::{
    AnimeId, DetailsChange, MAX_REPEATS, MAX_TRACKER_ID, Notes, PartialDate, TrackerIds,
    WatchStatus,
};
use shared::times;
use shared::visible::is_hidden;

use super::entry::ListEntry;
use super::field::{EntryField, FieldTexts, normalize, start_of};

/// The maximum length of a title, in characters. The longest titles of anime have 200.
const MAX_TITLE_CHARACTERS: usize = 300;

/// A watch status for each number that a format uses.
pub type StatusNumbers = [(&'static str, WatchStatus)];

/// An entry whose score still has the scale of the file. That scale may only be known after the last entry.
#[derive(Debug)]
pub struct UnscaledEntry {
    /// The entry, without a score.
    pub entry: ListEntry,
    /// The score as the file states it, where 0 is no score. `None` if the file has no such field.
    pub score: Option<f64>,
    /// True if the notes were too long and have been cut.
    pub has_cut_notes: bool,
    /// The number of times that could not be read.
    pub unread_times: usize,
}

/// Parses an entry.
///
/// # Errors
/// The reason for skipping the entry, for the user.
pub fn parse_entry(
    position: usize,
    texts: &FieldTexts,
    status_numbers: &StatusNumbers,
) -> Result<UnscaledEntry, String> {
    let anime_id = parse_number(texts, EntryField::AnimeId, "anime_id", AnimeId::MAX)?;
    let anime_id = anime_id.and_then(AnimeId::new);
    // 0 stands for no identifier.
    let tracker_id = |field, name| -> Result<Option<u32>, String> {
        let id = parse_number(texts, field, name, MAX_TRACKER_ID.into())?;
        Ok(id.filter(|id| *id != 0))
    };
    let trackers = TrackerIds {
        a: tracker_id(EntryField::AniListId, "anilist_id")?,
        b: tracker_id(EntryField::MalId, "mal_id")?,
    };
    let title = parse_title(texts);
    if (anime_id, trackers.a, trackers.b, title.as_ref()) == (None, None, None, None) {
        return Err("has neither an identifier nor a title".to_owned());
    }
    let status = parse_status(texts, status_numbers)?;
    let notes = texts.exact(EntryField::Notes).map(parse_notes);
    let created_at = parse_time(texts, EntryField::CreatedAt);
    let changed_at = parse_time(texts, EntryField::UpdatedAt);
    let date = |field, name| {
        texts
            .get(field)
            .map(|text| parse_date(text, name))
            .transpose()
    };
    let details = DetailsChange {
        score: None,
        started_on: date(EntryField::StartedOn, "started_on")?,
        finished_on: date(EntryField::FinishedOn, "finished_on")?,
        repeats: parse_number(texts, EntryField::Repeats, "repeats", MAX_REPEATS.into())?,
        notes: notes.as_ref().map(|(notes, _)| notes.clone()),
        private: parse_private(texts)?,
    };
    let ticks = parse_number(
        texts,
        EntryField::CurrentEpisodeTicks,
        "current_episode_ticks",
        MAX_SAFE_INTEGER,
    )?;
    Ok(UnscaledEntry {
        score: parse_score(texts)?,
        entry: ListEntry {
            position,
            anime_id,
            trackers,
            title,
            status,
            current_episode: parse_current_episode(texts, status)?,
            current_episode_ticks: ticks,
            details,
            created_at_ms: created_at.unwrap_or_default(),
            changed_at_ms: changed_at.unwrap_or_default(),
        },
        has_cut_notes: notes.is_some_and(|(_, is_cut)| is_cut),
        unread_times: usize::from(created_at.is_err()) + usize::from(changed_at.is_err()),
    })
}

/// Returns the title of an entry. Invisible characters are removed, because reports and pages show it.
pub fn parse_title(texts: &FieldTexts) -> Option<String> {
    texts
        .value(EntryField::Title)
        .map(|title| visible_text(title, MAX_TITLE_CHARACTERS))
        .filter(|title| !title.is_empty())
}

/// Returns the visible characters of a text, at most `limit`, with single spaces between words. Only the
/// first `8 * limit` bytes of the text are read.
#[must_use]
pub fn visible_text(text: &str, limit: usize) -> String {
    let is_shown = |character: &char| character.is_whitespace() || !is_hidden(*character);
    let start = start_of(text, 8 * limit);
    let shown: String = start.chars().filter(is_shown).collect();
    let spaced = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let start: String = spaced.chars().take(limit).collect();
    start.trim_end().to_owned()
}

/// Parses a whole number from 0 to `max`.
fn parse_number<T: TryFrom<u64>>(
    texts: &FieldTexts,
    field: EntryField,
    name: &str,
    max: u64,
) -> Result<Option<T>, String> {
    let Some(text) = texts.value(field) else {
        return Ok(None);
    };
    let number = u64::from_str(text).ok().filter(|number| *number <= max);
    number
        .and_then(|number| T::try_from(number).ok())
        .map(Some)
        .ok_or_else(|| format!("{name} must be a whole number from 0 to {max}"))
}

fn parse_status(texts: &FieldTexts, status_numbers: &StatusNumbers) -> Result<WatchStatus, String> {
    if texts
        .value(EntryField::Rewatching)
        .is_some_and(is_rewatching)
    {
        return Ok(WatchStatus::Repeating);
    }
    let text = texts.value(EntryField::Status).ok_or("has no status")?;
    let status = match normalize(text).as_str() {
        "completed" | "complete" | "finished" | "watched" => Some(WatchStatus::Completed),
        "current" | "watching" | "currentlywatching" => Some(WatchStatus::Current),
        "dropped" => Some(WatchStatus::Dropped),
        "paused" | "onhold" | "hold" | "stalled" => Some(WatchStatus::Paused),
        "planning" | "planned" | "plantowatch" | "wanttowatch" => Some(WatchStatus::Planning),
        "repeating" | "rewatching" => Some(WatchStatus::Repeating),
        _ => {
            let known = status_numbers.iter().find(|(number, _)| *number == text);
            known.map(|(_, status)| *status)
        }
    };
    status.ok_or_else(|| format!("status {:?} is unknown", visible_text(text, 40)))
}

fn is_rewatching(text: &str) -> bool {
    matches!(
        normalize(text).as_str(),
        "1" | "true" | "yes" | "rewatching"
    )
}

/// Parses the current episode. MyAnimeList's own exports have the progress of a repeat in the number of watched
/// episodes. Older programs have it in a separate field, `my_rewatching_ep`. That field is ignored if it is 0
/// or above the anime's number of episodes.
fn parse_current_episode(texts: &FieldTexts, status: WatchStatus) -> Result<Option<u32>, String> {
    let read = |field| parse_number::<u32>(texts, field, "current_episode", u32::MAX.into());
    let watched = read(EntryField::CurrentEpisode)?;
    let count = read(EntryField::Episodes)
        .ok()
        .flatten()
        .filter(|count| *count > 0);
    let repeat_episode = match status {
        WatchStatus::Repeating => read(EntryField::RewatchingEpisode).ok().flatten(),
        _ => None,
    };
    let repeat_episode = repeat_episode
        .filter(|episode| *episode > 0 && count.is_none_or(|count| *episode <= count));
    Ok(repeat_episode.or(watched))
}

fn parse_score(texts: &FieldTexts) -> Result<Option<f64>, String> {
    let Some(text) = texts.get(EntryField::Score) else {
        return Ok(None);
    };
    if text.is_empty() {
        return Ok(Some(0.0));
    }
    // Spreadsheets in many languages write a decimal comma.
    let score = text.replace(',', ".").parse::<f64>().ok();
    let score = score.filter(|score| score.is_finite() && *score >= 0.0);
    score
        .map(Some)
        .ok_or_else(|| "score must be a number from 0 on".to_owned())
}

/// Parses a date: `2016-08-26`, `2016-08`, `2016` or `20160826`. A part of 0 is unknown, and so is every part after
/// it.
fn parse_date(text: &str, name: &str) -> Result<Option<PartialDate>, String> {
    if text.is_empty() || text == "0" {
        return Ok(None);
    }
    let invalid = || {
        let text = visible_text(text, 40);
        format!("{name} {text:?} is not a date such as 2016-08-26, 2016-08 or 2016")
    };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = match (is_number, text.len()) {
        (true, 8) => vec![&text[..4], &text[4..6], &text[6..]],
        _ => text.split('-').collect(),
    };
    let parse = |part: &&str| {
        let is_short = (1..=4).contains(&part.len());
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u16>().ok().filter(|_| is_short && is_number)
    };
    let numbers: Option<Vec<u16>> = parts.iter().map(parse).collect();
    let (year, rest) = match numbers.as_deref() {
        Some([year, rest @ ..]) if rest.len() <= 2 => (*year, rest.to_vec()),
        _ => return Err(invalid()),
    };
    // Without a month, the day is ignored. A month above 12 or a day above 31 is invalid all the same.
    let [month, day] = [0, 1].map(|index| rest.get(index).copied().unwrap_or(0));
    if month > 12 || day > 31 {
        return Err(invalid());
    }
    if year == 0 {
        return Ok(None);
    }
    let known = |part: u16| u8::try_from(part).ok().filter(|part| *part > 0);
    let month = known(month);
    let day = known(day).filter(|_| month.is_some());
    PartialDate::new(year, month, day)
        .map(Some)
        .ok_or_else(invalid)
}

/// Returns the notes, and true if they were too long and have been cut. Line ends of other systems become line
/// feeds, and control characters are removed.
fn parse_notes(text: &str) -> (Notes, bool) {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{85}'], "\n")
        .replace(
            |character: char| character.is_control() && !matches!(character, '\n' | '\t'),
            "",
        );
    let end = text.char_indices().nth(Notes::MAX_CHARACTERS);
    let cut = end.map_or(text.as_str(), |(end, _)| &text[..end]);
    (Notes::new(cut).unwrap_or_default(), end.is_some())
}

fn parse_private(texts: &FieldTexts) -> Result<Option<bool>, String> {
    match texts
        .value(EntryField::Private)
        .map(str::to_lowercase)
        .as_deref()
    {
        None => Ok(None),
        Some("true" | "1" | "yes") => Ok(Some(true)),
        Some("false" | "0" | "no") => Ok(Some(false)),
        Some(_) => Err("private must be true or false".to_owned()),
    }
}

/// Parses a time. The caller counts an error, but does not skip the entry for it.
fn parse_time(texts: &FieldTexts, field: EntryField) -> Result<Option<u64>, ()> {
    match texts.value(field) {
        None | Some("0") => Ok(None),
        Some(text) => times::parse_ms(text).map(Some).ok_or(()),
    }
}
