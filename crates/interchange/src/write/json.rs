//! This service's own JSON, from which a history is restored without loss.

use std::io::{self, Write};

use serde::Serialize;
use shared::models::{AnimeId, Notes, PartialDate, StatedId, UserScore};
use shared::times;

use super::story::{ExportedStory, name_of};
use crate::entry::ListEntry;

/// A story. Fields that are `None` are left out, and `Some(&None)` is written as `null`.
#[derive(Serialize)]
struct StoryJson<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    anime_id: Option<AnimeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anilist_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mal_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    episodes: Option<u32>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ids: &'s [StatedId],
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    season: Option<u16>,
    status: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_details_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_episode: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_episode_ticks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<&'s Option<UserScore>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_on: Option<&'s Option<PartialDate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_on: Option<&'s Option<PartialDate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl<'s> From<&ExportedStory<'s>> for StoryJson<'s> {
    fn from(story: &ExportedStory<'s>) -> Self {
        let (state, details) = (story.state, &story.state.details);
        Self {
            anime_id: Some(story.anime_id),
            anilist_id: story.trackers.a,
            mal_id: story.trackers.b,
            title: Some(story.title).filter(|title| !title.is_empty()),
            format: story.format.map(name_of),
            episodes: Some(story.episodes_count),
            ids: &[],
            year: None,
            season: None,
            is_details_only: false,
            status: name_of(state.status),
            current_episode: Some(state.progress()),
            current_episode_ticks: Some(state.current_episode_ticks),
            score: Some(&details.score),
            started_on: Some(&details.started_on),
            finished_on: Some(&details.finished_on),
            repeats: Some(details.repeats),
            notes: Some(details.notes.as_str()),
            private: Some(details.private),
            created_at: times::format_ms(story.created_at_ms),
            updated_at: times::format_ms(story.changed_at_ms),
        }
    }
}

impl<'s> From<&'s ListEntry> for StoryJson<'s> {
    fn from(entry: &'s ListEntry) -> Self {
        let details = &entry.details;
        Self {
            anime_id: entry.anime_id,
            anilist_id: entry.trackers.a,
            mal_id: entry.trackers.b,
            title: entry.title.as_deref(),
            format: entry.format.map(name_of),
            episodes: entry.episodes,
            ids: &entry.ids,
            year: entry.year,
            season: entry.season,
            is_details_only: entry.is_details_only,
            status: name_of(entry.status),
            current_episode: entry.current_episode,
            current_episode_ticks: entry.current_episode_ticks,
            score: details.score.as_ref(),
            started_on: details.started_on.as_ref(),
            finished_on: details.finished_on.as_ref(),
            repeats: details.repeats,
            notes: details.notes.as_ref().map(Notes::as_str),
            private: details.private,
            created_at: entry.created_at_ms.and_then(times::format_ms),
            updated_at: entry.changed_at_ms.and_then(times::format_ms),
        }
    }
}

pub fn write(
    username: &str,
    exported_at_ms: u64,
    stories: &[ExportedStory],
    output: &mut impl Write,
) -> io::Result<()> {
    write_rows(
        username,
        exported_at_ms,
        stories.iter().map(StoryJson::from),
        output,
    )
}

/// Writes entries of a list file as this service's own JSON, in which waiting entries are stored.
/// [`read`](crate::read) returns the same entries, except for their positions.
///
/// # Errors
/// If writing to `output` fails.
pub fn write_entries<'e>(
    username: &str,
    exported_at_ms: u64,
    entries: impl IntoIterator<Item = &'e ListEntry>,
    mut output: impl Write,
) -> io::Result<()> {
    let rows = entries.into_iter().map(StoryJson::from);
    write_rows(username, exported_at_ms, rows, &mut output)
}

fn write_rows<'s>(
    username: &str,
    exported_at_ms: u64,
    rows: impl Iterator<Item = StoryJson<'s>>,
    output: &mut impl Write,
) -> io::Result<()> {
    output.write_all(br#"{"format":"kiroku","version":1,"exported_at":"#)?;
    serde_json::to_writer(&mut *output, &times::format_ms(exported_at_ms))?;
    output.write_all(br#","user":"#)?;
    serde_json::to_writer(&mut *output, username)?;
    output.write_all(br#","stories":["#)?;
    for (index, row) in rows.enumerate() {
        output.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *output, &row)?;
    }
    output.write_all(b"\n]}\n")
}
