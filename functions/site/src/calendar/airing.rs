//! The anime that a user watches or plans and that air, or begin soon.

use catalogue::Catalogue;
use catalogue::index::{AnimeIndex, ListIndex, Listed};
use shared::Error;
use shared::models::{Anime, AnimeStatus, WatchStatus};
use store::{CountedStory, MAX_BATCH_READ};
use time::Date;

use super::schedule::{SOON, Schedule};

/// The maximum number of anime in a calendar. It is the number of documents that one call of DynamoDB can read.
/// About 100 anime air at any time.
const MAX_CALENDAR_ANIME: usize = MAX_BATCH_READ;

/// An anime that a user watches or plans and that airs, or begins soon.
#[derive(Debug)]
pub(crate) struct AiringAnime {
    /// The anime.
    pub anime: Anime,
    /// The days on which it airs.
    pub schedule: Schedule,
    /// The user's story.
    pub story: CountedStory,
}

/// Returns the anime of these stories that the user watches or plans, and that air or begin soon. Reads at most
/// 100 anime. If there are more, anime that air and that the user watches come first, then anime that air and
/// that the user plans, and last anime that have not begun.
pub(crate) async fn find_airing(
    catalogue: &Catalogue<Anime>,
    stories: Vec<CountedStory>,
    today: Date,
) -> Result<Vec<AiringAnime>, Error> {
    let candidates = stories.into_iter().filter(|story| is_wanted(*story));
    let mut candidates: Vec<CountedStory> = candidates.collect();
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let index = catalogue.index().await?;
    let rank = |story: &CountedStory| rank(&index, *story, today);
    candidates.retain(|story| rank(story).is_some());
    candidates.sort_by_key(|story| (rank(story), story.anime_id));
    candidates.truncate(MAX_CALENDAR_ANIME);
    let listed = |story: &CountedStory| index.find(story.anime_id.get());
    let rows: Vec<Listed> = candidates.iter().filter_map(listed).collect();
    let documents = catalogue.documents(&rows).await?;
    let mut airing = Vec::with_capacity(candidates.len());
    for document in documents {
        let anime: Anime = document.parse()?;
        let story = candidates.iter().find(|story| story.anime_id == anime.id);
        let found = story.zip(Schedule::of(&anime, today));
        airing.extend(found.map(|(story, schedule)| AiringAnime {
            anime,
            schedule,
            story: *story,
        }));
    }
    Ok(airing)
}

/// Returns true if the user watches, rewatches or plans the anime.
fn is_wanted(story: CountedStory) -> bool {
    matches!(
        story.status,
        WatchStatus::Current | WatchStatus::Repeating | WatchStatus::Planning
    )
}

/// Returns the rank of an anime; [`find_airing`] takes the anime with the lowest ranks. Returns `None` if the index
/// shows that the anime neither airs nor begins soon. The index has only the year of the start, so [`Schedule::of`]
/// checks the date later.
fn rank(index: &AnimeIndex, story: CountedStory, today: Date) -> Option<u8> {
    let latest_year = today.saturating_add(SOON).year();
    match index.status_and_year(story.anime_id)? {
        (AnimeStatus::Releasing, _) if story.status == WatchStatus::Planning => Some(1),
        (AnimeStatus::Releasing, _) => Some(0),
        (AnimeStatus::NotYetReleased, Some(year)) => (i32::from(year) <= latest_year).then_some(2),
        (AnimeStatus::NotYetReleased, None) => Some(3),
        (AnimeStatus::Finished | AnimeStatus::Cancelled, _) => None,
    }
}
