//! The list of a public profile.

use catalogue::index::{AnimeIndex, IndexedRow, ListIndex};
use shared::input::Params;
use shared::models::{Anime, WatchStatus, WireEnum};
use stories::statistics::{PublicStories, RatedStory};

/// The number of anime on a page.
const PER_PAGE: usize = 48;

/// The statuses in the order of the page.
const STATUSES: [WatchStatus; 6] = [
    WatchStatus::Current,
    WatchStatus::Repeating,
    WatchStatus::Completed,
    WatchStatus::Paused,
    WatchStatus::Dropped,
    WatchStatus::Planning,
];

/// An anime of the list, and the user's story.
pub(super) struct PublicEntry<'a> {
    pub anime: &'a Anime,
    pub story: RatedStory,
}

/// A page of the stories with one status.
pub(super) struct PublicList {
    /// The number of stories with each status, in the order of [`STATUSES`].
    pub counts: [(WatchStatus, usize); 6],
    pub status: WatchStatus,
    /// The number of the page, from 1.
    pub page: usize,
    /// The number of pages, at least 1.
    pub pages: usize,
    /// The stories of the page.
    pub shown: Vec<RatedStory>,
}

impl PublicList {
    /// Returns the page that a query asks for: by default, the first page of the first status that has stories. A page
    /// after the last one becomes the last one.
    pub(super) fn new(stories: &PublicStories, query: &str) -> Self {
        let mut params = Params::parse(query);
        let mut number = |name| {
            params
                .token(name)
                .and_then(|number| number.parse::<u64>().ok())
        };
        let list = |status| &stories.lists[usize::from(u8::from(status))];
        let counts = STATUSES.map(|status| (status, list(status).len()));
        let first = counts.iter().find(|(_, count)| *count > 0);
        let first = first.map_or(WatchStatus::Current, |(status, _)| *status);
        let status = number("status")
            .and_then(WatchStatus::from_wire)
            .unwrap_or(first);
        let pages = list(status).len().div_ceil(PER_PAGE).max(1);
        let page = number("page").and_then(|page| usize::try_from(page).ok());
        let page = page.unwrap_or(1).clamp(1, pages);
        let shown = list(status).iter().skip((page - 1) * PER_PAGE);
        Self {
            counts,
            status,
            page,
            pages,
            shown: shown.take(PER_PAGE).copied().collect(),
        }
    }

    pub(super) fn index_rows(&self, index: &AnimeIndex) -> Vec<IndexedRow> {
        let row = |story: &RatedStory| index.find(story.anime_id.get());
        self.shown.iter().filter_map(row).collect()
    }

    /// Returns the stories of the page with their anime.
    pub(super) fn entries<'a>(&self, anime: &'a [Anime]) -> Vec<PublicEntry<'a>> {
        let entry = |anime: &'a Anime| {
            let mut shown = self.shown.iter();
            let story = shown.find(|story| story.anime_id == anime.id)?;
            Some(PublicEntry {
                anime,
                story: *story,
            })
        };
        anime.iter().filter_map(entry).collect()
    }

    /// Returns the path and query of a page of the stories with a status.
    pub(super) fn path(name: &str, status: WatchStatus, page: usize) -> String {
        let status = u8::from(status);
        if page == 1 {
            format!("/user/{name}?status={status}")
        } else {
            format!("/user/{name}?status={status}&page={page}")
        }
    }
}
