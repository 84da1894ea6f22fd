//! The list of a public profile.

use std::cmp::Reverse;

use catalogue::index::{AnimeIndex, ListIndex, Listed};
use shared::input::Params;
use shared::models::{Anime, WatchStatus, WireEnum};
use store::StoryFacts;

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
pub(super) struct Entry<'a> {
    pub anime: &'a Anime,
    pub story: StoryFacts,
}

/// A page of the stories with one status.
pub(super) struct List {
    /// The number of stories with each status, in the order of [`STATUSES`].
    pub counts: [(WatchStatus, usize); 6],
    pub status: WatchStatus,
    /// The number of the page, from 1.
    pub page: usize,
    /// The number of pages, at least 1.
    pub pages: usize,
    /// The stories of the page with the rows of their anime in the index: the best rated first, then in the order of the
    /// catalogue.
    shown: Vec<(Listed, StoryFacts)>,
}

impl List {
    /// Returns the page that a query asks for: by default, the first page of the first status that has stories. A page
    /// after the last one becomes the last one.
    pub(super) fn new(index: &AnimeIndex, stories: &[StoryFacts], query: &str) -> Self {
        let mut params = Params::parse(query);
        let mut number = |name| {
            params
                .token(name)
                .and_then(|number| number.parse::<u64>().ok())
        };
        let listed = |story: &StoryFacts| Some((index.find(story.anime_id.get())?, *story));
        let mut shown: Vec<(Listed, StoryFacts)> = stories.iter().filter_map(listed).collect();
        let count = |status| {
            let has_status = |(_, story): &&(Listed, StoryFacts)| story.watched.status == status;
            (status, shown.iter().filter(has_status).count())
        };
        let counts = STATUSES.map(count);
        let first = counts.iter().find(|(_, count)| *count > 0);
        let first = first.map_or(WatchStatus::Current, |(status, _)| *status);
        let status = number("status")
            .and_then(WatchStatus::from_wire)
            .unwrap_or(first);
        shown.retain(|(_, story)| story.watched.status == status);
        shown.sort_unstable_by_key(|(listed, story)| {
            (Reverse(story.watched.score), listed.list_key)
        });
        let pages = shown.len().div_ceil(PER_PAGE).max(1);
        let page = number("page").and_then(|page| usize::try_from(page).ok());
        let page = page.unwrap_or(1).clamp(1, pages);
        Self {
            counts,
            status,
            page,
            pages,
            shown: shown
                .into_iter()
                .skip((page - 1) * PER_PAGE)
                .take(PER_PAGE)
                .collect(),
        }
    }

    pub(super) fn rows(&self) -> Vec<Listed> {
        self.shown.iter().map(|(listed, _)| *listed).collect()
    }

    /// Returns the stories of the page with their anime.
    pub(super) fn entries<'a>(&self, anime: &'a [Anime]) -> Vec<Entry<'a>> {
        let entry = |anime: &'a Anime| {
            let mut shown = self.shown.iter();
            let (_, story) = shown.find(|(_, story)| story.anime_id == anime.id)?;
            let story = *story;
            Some(Entry { anime, story })
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
