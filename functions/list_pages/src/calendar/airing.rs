//! The anime that air, or begin soon: those that a user watches or plans, and the best rated ones of the catalogue.

use std::collections::HashMap;
use std::sync::Arc;

use catalogue::Catalogue;
use catalogue::index::{AnimeFilter, IndexedRow};
use dynamo::MAX_BATCH_READ;
use page_parts::schedule::{SOON, Schedule};
use shared::Result;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, AnimeId, AnimeStatus, StoryState};
use stories::lists::{JoinedEntry, JoinedList};
use time::Date;

/// The maximum number of anime in a calendar. It is the number of documents that one call of DynamoDB can read.
/// About 100 anime air at any time.
const MAX_CALENDAR_ANIME: usize = MAX_BATCH_READ;

/// An anime that airs, or begins soon.
#[derive(Debug)]
pub(crate) struct AiringAnime {
    /// The anime.
    pub anime: Arc<Anime>,
    /// The days on which it airs.
    pub schedule: Schedule,
    /// The state of the user's story; `None` if the anime is not on the list.
    pub story: Option<StoryState>,
}

impl AiringAnime {
    /// Returns an anime with its schedule; `None` if it neither airs nor begins soon.
    pub(crate) fn of(anime: Arc<Anime>, story: Option<&StoryState>, today: Date) -> Option<Self> {
        Some(Self {
            schedule: Schedule::of(&anime, today)?,
            story: story.cloned(),
            anime,
        })
    }
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
        let story = *stories.get(&anime.id)?;
        AiringAnime::of(anime, Some(story), today)
    });
    Ok(airing.collect())
}

/// Returns the filter of the anime that air now, without anime for adults. The best rated ones come first.
pub(crate) fn airing_filter() -> AnimeFilter {
    AnimeFilter {
        status: Some(AnimeStatus::Releasing),
        exclude_nsfw: true,
        ..AnimeFilter::default()
    }
}

/// Returns the 100 best rated anime that air now, highest score first. `list` is that of the signed-in user.
pub(crate) async fn find_best_airing(
    catalogue: &Catalogue<Anime>,
    list: Option<&JoinedList>,
    today: Date,
) -> Result<Vec<AiringAnime>> {
    let first = PageRequest {
        per_page: MAX_CALENDAR_ANIME,
        start: PageStart::First,
    };
    let found = catalogue.list(&airing_filter(), first).await?;
    let found = catalogue.resources(&found.rows).await?.into_iter();
    let airing = found.filter_map(|anime| {
        let story = list.and_then(|list| list.list().find(anime.id));
        AiringAnime::of(anime, story.map(|story| &story.state), today)
    });
    Ok(airing.collect())
}
