//! The entries of a page of a user's list. Documents of anime are read only for the entries of the page and the entry
//! of its notice.

use std::collections::HashMap;
use std::sync::Arc;

use catalogue::Catalogue;
use catalogue::index::{AnimeFilter, IndexedRow, SearchQuery};
use page_parts::story::{ListRequest, ListView, SortOrder};
use pages::language::Localizer;
use shared::Result;
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, AnimeId, Weekday};
use stories::lists::{EntryFilter, JoinedEntry, JoinedList, ListedStory, is_awaited};

/// The number of entries on a page.
pub(crate) const PER_PAGE: usize = 50;

/// An entry of the list.
#[derive(Debug)]
pub(crate) struct StoryEntry {
    /// The story.
    pub story: ListedStory,
    /// The anime; `None` if it has left the catalogue.
    pub anime: Option<Arc<Anime>>,
}

impl StoryEntry {
    /// Returns the day of the week on which new episodes air, if it is known, the anime airs, and the user watches
    /// or plans it.
    pub(crate) fn airing_day(&self) -> Option<Weekday> {
        let anime = self.anime.as_ref()?;
        let is_awaited = is_awaited(self.story.state.status, anime.status);
        anime.weekly_airing_day.filter(|_| is_awaited)
    }
}

/// A page of the list.
#[derive(Debug, Default)]
pub(crate) struct EntriesPage {
    /// The number of entries of the user, without any filter.
    pub total: usize,
    /// The number of entries with each status that pass the other filters, in the order of the statuses.
    pub counts: [usize; 6],
    /// The genres of all entries of the user, by name.
    pub genres: Vec<String>,
    /// The entries of the page.
    pub shown: Vec<StoryEntry>,
    /// The entry that the notice of the page is about.
    pub noticed: Option<StoryEntry>,
    /// The entry that is shown as a form, if it is not in its place among the entries of the page.
    pub edited: Option<StoryEntry>,
    /// The number of the page, from 1.
    pub page: usize,
    /// The number of pages, at least 1.
    pub pages: usize,
}

impl EntriesPage {
    /// Returns the requested page of this list. A page after the last one becomes the last one. `noticed` is the anime
    /// that the notice of the page is about. `today` is the current day of the week. `l10n` determines the titles by
    /// which entries are sorted.
    pub(crate) async fn find(
        catalogue: &Catalogue<Anime>,
        list: &JoinedList,
        request: &ListRequest,
        noticed: Option<AnimeId>,
        today: Weekday,
        l10n: &Localizer,
    ) -> Result<Self> {
        let found = search_anime(catalogue, &request.text).await?;
        let filter = EntryFilter {
            status: request.status,
            genre: Some(&*request.genre).filter(|genre| !genre.is_empty()),
            anime: found.as_deref(),
            format: request.format,
            year: request.year,
            season: request.season,
            // A text that is not a score filters nothing.
            score_from: l10n
                .display()
                .scores
                .read(&request.score)
                .unwrap_or_default(),
        };
        let titles = l10n.title_order();
        let order = (request.sort, request.is_reversed);
        let page = list.page(&filter, order, titles, request.page, PER_PAGE);
        // The entries of the page and the two other entries are read together, and then separated.
        let is_in_place = |anime: AnimeId| {
            let mut shown = page.entries.iter();
            request.view != Some(ListView::Covers)
                && shown.any(|entry| entry.story.anime_id == anime)
        };
        let edited = request.edited.filter(|anime| !is_in_place(*anime));
        let edited = edited.and_then(|anime| list.find(anime));
        let noticed = noticed.and_then(|anime| list.find(anime));
        let count = page.entries.len();
        let mut rows = page.entries;
        rows.extend(edited.into_iter().chain(noticed));
        let mut entries = read_entries(catalogue, &rows).await?;
        let mut others = entries.split_off(count).into_iter();
        let edited = edited.and_then(|_| others.next());
        let noticed = noticed.and_then(|_| others.next());
        if request.sort == SortOrder::Airing {
            // The index has no airing days, so only the order within the page depends on them.
            let days = |entry: &StoryEntry| entry.airing_day().map(|day| days_until(day, today));
            entries.sort_by_key(|entry| (days(entry).is_none(), days(entry)));
        }
        Ok(Self {
            total: list.stories().len(),
            counts: page.counts,
            genres: list.genres().into_iter().map(str::to_owned).collect(),
            shown: entries,
            noticed,
            edited,
            page: page.page,
            pages: page.pages,
        })
    }
}

/// Returns the number of days from today until the next such day of the week: 0 for today.
pub(super) fn days_until(day: Weekday, today: Weekday) -> u8 {
    (u8::from(day) + 7 - u8::from(today)) % 7
}

/// Returns the sorted identifiers of the anime that the search finds; `None` if the text is empty.
async fn search_anime(catalogue: &Catalogue<Anime>, text: &str) -> Result<Option<Vec<u64>>> {
    if text.is_empty() {
        return Ok(None);
    }
    let Some(query) = SearchQuery::new(text) else {
        // A text without letters and digits is in no title.
        return Ok(Some(Vec::new()));
    };
    let filter = AnimeFilter {
        search: Some(query),
        ..AnimeFilter::default()
    };
    let all = PageRequest {
        per_page: usize::MAX,
        start: PageStart::First,
    };
    let found = catalogue.list(&filter, all).await?;
    let mut ids: Vec<u64> = found.rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    Ok(Some(ids))
}

/// Returns the entries of the page, in their order. There must be at most [`dynamo::MAX_BATCH_READ`].
async fn read_entries(
    catalogue: &Catalogue<Anime>,
    entries: &[JoinedEntry<'_>],
) -> Result<Vec<StoryEntry>> {
    let rows: Vec<IndexedRow> = entries.iter().map(|entry| entry.anime).collect();
    let anime = catalogue.resources(&rows).await?.into_iter();
    let anime: HashMap<AnimeId, Arc<Anime>> = anime.map(|anime| (anime.id, anime)).collect();
    let entry = |entry: &JoinedEntry<'_>| StoryEntry {
        anime: anime.get(&entry.story.anime_id).cloned(),
        story: entry.story.clone(),
    };
    Ok(entries.iter().map(entry).collect())
}
