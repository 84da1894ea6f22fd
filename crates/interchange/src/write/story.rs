//! The stories of an export.

use shared::models::{AnimeFormat, AnimeId, StoryState, TrackerIds, WireEnum, name_in};

/// A story to export, with the facts about its anime that list files have.
#[derive(Clone, Copy, Debug)]
pub struct ExportedStory<'s> {
    /// The anime.
    pub anime_id: AnimeId,
    /// The anime's identifiers at AniList and MyAnimeList.
    pub trackers: TrackerIds,
    /// The anime's title; empty if it is unknown.
    pub title: &'s str,
    /// The anime's format; `None` if it is unknown.
    pub format: Option<AnimeFormat>,
    /// The number of the anime's episodes, 0 if it is unknown.
    pub episodes_count: u32,
    /// The state of the story.
    pub state: &'s StoryState,
    /// The creation time, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// The time of the last change, in milliseconds since the Unix epoch.
    pub changed_at_ms: u64,
}

/// The numbers of stories that an export leaves out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OmittedStories {
    /// Private stories. MyAnimeList's XML cannot mark them, and lists there are public.
    pub private: usize,
    /// Stories of anime without an identifier at MyAnimeList, which its XML requires.
    pub without_mal_id: usize,
}

/// Returns the name of a value, such as `CURRENT`.
pub fn name_of<E: WireEnum + PartialEq>(value: E) -> &'static str {
    name_in(E::ALL, &value)
}
