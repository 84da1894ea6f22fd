//! Writing of list files.

mod csv;
mod json;
mod xml;

use std::io::{self, Write};

use shared::models::{AnimeFormat, AnimeId, StoryState, TrackerIds, WireEnum};

pub use json::write_entries;

/// A format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// MyAnimeList's XML.
    MalXml,
    /// CSV with a header row.
    Csv,
    /// This service's own JSON, which has everything.
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::MalXml, Self::Csv, Self::Json];

    /// Returns the name in parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MalXml => "mal_xml",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the format with this name in parameters.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the extension of file names.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::MalXml => "xml",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::MalXml => "application/xml",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

/// A story to export, with the facts about its anime that list files have.
#[derive(Clone, Copy, Debug)]
pub struct Story<'s> {
    /// The anime.
    pub anime_id: AnimeId,
    /// The anime's identifiers at AniList and MyAnimeList.
    pub trackers: TrackerIds,
    /// The anime's title.
    pub title: &'s str,
    /// The anime's format.
    pub format: AnimeFormat,
    /// The number of the anime's episodes, 0 if it is unknown.
    pub episodes_count: u32,
    /// The state of the story.
    pub state: &'s StoryState,
    /// The creation time, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// The time of the last change, in milliseconds since the Unix epoch.
    pub changed_at_ms: u64,
}

/// The numbers of stories that an export does not have, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Private stories. MyAnimeList's XML cannot mark them, and lists there are public.
    pub private: usize,
    /// Stories of anime without an identifier at MyAnimeList, which its XML requires.
    pub without_mal_id: usize,
}

/// Writes stories to `output`. `exported_at_ms` is the time in milliseconds since the Unix epoch.
///
/// # Errors
/// If writing to `output` fails.
pub fn write(
    format: ExportFormat,
    username: &str,
    exported_at_ms: u64,
    stories: &[Story],
    mut output: impl Write,
) -> io::Result<LeftOut> {
    match format {
        ExportFormat::MalXml => return xml::write(username, stories, &mut output),
        ExportFormat::Csv => csv::write(stories, &mut output)?,
        ExportFormat::Json => json::write(username, exported_at_ms, stories, &mut output)?,
    }
    Ok(LeftOut::default())
}

/// Returns the name of a value, such as `CURRENT`.
fn name_of<E: WireEnum + PartialEq>(value: E) -> &'static str {
    let mut all = E::ALL.iter();
    all.find(|(known, _)| *known == value)
        .map_or("", |(_, name)| name)
}
