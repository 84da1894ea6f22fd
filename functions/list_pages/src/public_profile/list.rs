//! The stories of a public profile: the favorites, the latest, and a page of the list.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use catalogue::index::{AnimeIndex, IndexedRow, ListIndex};
use shared::input::Params;
use shared::models::{Anime, AnimeId, WatchStatus, WireEnum};
use stories::statistics::{PublicStories, RatedStory, RecentStory};

/// The number of anime on a page.
const PER_PAGE: usize = 48;

/// The maximum number of anime among the best rated.
const MAX_RATED: usize = 10;

/// The statuses in the order of the page.
const STATUSES: [WatchStatus; 6] = [
    WatchStatus::Current,
    WatchStatus::Repeating,
    WatchStatus::Completed,
    WatchStatus::Paused,
    WatchStatus::Dropped,
    WatchStatus::Planning,
];

/// An anime of the profile, and the user's story.
pub(super) struct PublicEntry<'a> {
    pub anime: &'a Anime,
    pub story: RatedStory,
}

impl<'a> PublicEntry<'a> {
    /// Returns the entry of a story if its anime is among these.
    pub(super) fn of(story: &RatedStory, anime: &'a [Anime]) -> Option<Self> {
        let mut anime = anime.iter();
        Some(Self {
            anime: anime.find(|anime| anime.id == story.anime_id)?,
            story: *story,
        })
    }
}

/// The beginning of a profile, which only the page without a choice of status or page number has.
pub(super) struct Overview {
    /// The stories of the favorites that the user has chosen, in the order of the choice. If there are none, the
    /// stories with the highest scores, highest first, without planned anime.
    pub favorites: Vec<RatedStory>,
    /// True if the user has chosen the favorites.
    pub are_chosen: bool,
    /// The stories that were changed last, latest first.
    pub recent: Vec<RecentStory>,
}

impl Overview {
    /// Returns the beginning of the profile of a user who has chosen these favorites. Those without a public story are
    /// left out.
    fn new(stories: &PublicStories, chosen: &[AnimeId]) -> Self {
        let all = stories.lists.iter().flatten();
        let mut favorites: Vec<RatedStory> = all
            .filter(|story| chosen.contains(&story.anime_id))
            .copied()
            .collect();
        favorites.sort_by_key(|story| chosen.iter().position(|anime| *anime == story.anime_id));
        let are_chosen = !favorites.is_empty();
        if !are_chosen {
            favorites = Self::best_rated(stories);
        }
        Self {
            favorites,
            are_chosen,
            recent: stories.recent.clone(),
        }
    }

    fn best_rated(stories: &PublicStories) -> Vec<RatedStory> {
        let lists = STATUSES
            .iter()
            .filter(|status| **status != WatchStatus::Planning);
        // Each list begins with the highest scores.
        let best = lists.flat_map(|status| {
            let list = stories.lists[usize::from(u8::from(*status))].iter();
            list.take(MAX_RATED).filter(|story| story.score_tenths > 0)
        });
        let mut rated: Vec<RatedStory> = best.copied().collect();
        rated.sort_by_key(|story| Reverse(story.score_tenths));
        rated.truncate(MAX_RATED);
        rated
    }
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
    /// The part above the list; `None` if the visitor has chosen a status or a page.
    pub overview: Option<Overview>,
}

impl PublicList {
    /// Returns the page that a query asks for: by default, the first page of the first status that has stories. A page
    /// after the last one becomes the last one. `favorites` are those that the user has chosen.
    pub(super) fn new(stories: &PublicStories, favorites: &[AnimeId], query: &str) -> Self {
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
        let chosen = number("status").and_then(WatchStatus::from_wire);
        let status = chosen.unwrap_or(first);
        let pages = list(status).len().div_ceil(PER_PAGE).max(1);
        let page = number("page").and_then(|page| usize::try_from(page).ok());
        let has_overview = chosen.is_none() && page.is_none();
        let page = page.unwrap_or(1).clamp(1, pages);
        let shown = list(status).iter().skip((page - 1) * PER_PAGE);
        Self {
            counts,
            status,
            page,
            pages,
            shown: shown.take(PER_PAGE).copied().collect(),
            overview: has_overview.then(|| Overview::new(stories, favorites)),
        }
    }

    /// Returns the rows of all anime on the page, each once, at most 64.
    pub(super) fn index_rows(&self, index: &AnimeIndex) -> Vec<IndexedRow> {
        let overview = self.overview.iter();
        let overview = overview.flat_map(|overview| {
            let recent = overview.recent.iter().map(|recent| &recent.story);
            overview.favorites.iter().chain(recent)
        });
        let stories = self.shown.iter().chain(overview);
        let anime: BTreeSet<AnimeId> = stories.map(|story| story.anime_id).collect();
        let rows = anime.iter().filter_map(|anime| index.find(anime.get()));
        rows.collect()
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
