//! The anime that a user watches or plans and that air, or begin soon.

use std::collections::HashMap;
use std::sync::Arc;

use catalogue::Catalogue;
use catalogue::index::IndexedRow;
use dynamo::MAX_BATCH_READ;
use shared::Result;
use shared::models::{Anime, AnimeId, StoryState};
use stories::lists::{JoinedEntry, JoinedList};
use time::Date;

use super::schedule::{SOON, Schedule};

/// The maximum number of anime in a calendar. It is the number of documents that one call of DynamoDB can read.
/// About 100 anime air at any time.
const MAX_CALENDAR_ANIME: usize = MAX_BATCH_READ;

/// An anime that a user watches or plans and that airs, or begins soon.
#[derive(Debug)]
pub(crate) struct AiringAnime {
    /// The anime.
    pub anime: Arc<Anime>,
    /// The days on which it airs.
    pub schedule: Schedule,
    /// The state of the user's story.
    pub story: StoryState,
}

/// Returns the anime of a list that the user watches or plans, and that air or begin soon. Reads at most 100 anime. If
/// there are more, airing anime that the user watches come first, then airing anime that the user plans, and last anime
/// that have not begun. With `only_public`, private stories are left out.
pub(crate) async fn find_airing(
    catalogue: &Catalogue<Anime>,
    list: &JoinedList,
    only_public: bool,
    today: Date,
) -> Result<Vec<AiringAnime>> {
    // The index has only the year of the start, so `Schedule::of` checks the date.
    let latest_year = today.saturating_add(SOON).year();
    let candidates = list.may_air(latest_year);
    let candidates = candidates.filter(|entry| !(only_public && entry.story.state.details.private));
    let candidates: Vec<JoinedEntry<'_>> = candidates.take(MAX_CALENDAR_ANIME).collect();
    let rows: Vec<IndexedRow> = candidates.iter().map(|entry| entry.anime).collect();
    let stories: HashMap<AnimeId, &StoryState> = candidates
        .iter()
        .map(|entry| (entry.story.anime_id, &entry.story.state))
        .collect();
    let found = catalogue.resources(&rows).await?.into_iter();
    let airing = found.filter_map(|anime| {
        Some(AiringAnime {
            schedule: Schedule::of(&anime, today)?,
            story: StoryState::clone(stories.get(&anime.id)?),
            anime,
        })
    });
    Ok(airing.collect())
}
