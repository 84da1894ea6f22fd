//! The entries of a user's list: filtered, sorted and cut into pages. Documents of anime are read only for the
//! entries of one page and the entry of its notice.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use catalogue::index::{AnimeFilter, AnimeIndex, IndexedAnime, Listed, SearchQuery};
use catalogue::{CachedDocument, Catalogue};
use pages::language::Localizer;
use shared::Error;
use shared::input::{PageRequest, Start};
use shared::models::{Anime, AnimeId, AnimeStatus, WatchStatus, Weekday};
use store::{ListedStory, StoryList};

use super::request::{ListRequest, SortOrder};

/// The number of entries on a page.
pub(crate) const PER_PAGE: usize = 50;

/// An entry of the list.
#[derive(Debug)]
pub(crate) struct StoryEntry {
    /// The story.
    pub story: ListedStory,
    /// The anime; `None` if it has left the catalogue.
    pub anime: Option<Anime>,
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

/// Returns true if the user watches or plans an anime that airs.
fn is_awaited(status: WatchStatus, anime: AnimeStatus) -> bool {
    let is_followed = matches!(status, WatchStatus::Current | WatchStatus::Planning);
    is_followed && anime == AnimeStatus::Releasing
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
    /// The number of the page, from 1.
    pub page: usize,
    /// The number of pages, at least 1.
    pub pages: usize,
}

/// A story, and the row of its anime if the index has one.
#[derive(Clone)]
struct EntryRow<'i> {
    story: &'i ListedStory,
    anime: Option<IndexedAnime>,
    genres: Vec<&'i str>,
}

impl EntryRow<'_> {
    fn to_listed(&self) -> Listed {
        let unknown = || Listed {
            id: self.story.anime_id.get(),
            revision: None,
            list_key: 0,
        };
        self.anime
            .as_ref()
            .map_or_else(unknown, |anime| anime.listed)
    }

    /// Returns true if the user watches or plans the anime, and it airs.
    fn is_awaited(&self) -> bool {
        let anime = self.anime.as_ref();
        anime.is_some_and(|anime| is_awaited(self.story.state.status, anime.status))
    }

    /// Returns the watched share of the episodes, from 0 to 10,000; `None` if the number of episodes is unknown.
    fn progress(&self) -> Option<u64> {
        let all = u64::from(self.anime.as_ref()?.episodes_count);
        let watched = u64::from(self.story.state.progress()).min(all);
        (watched * 10_000).checked_div(all)
    }
}

impl EntriesPage {
    /// Returns the requested page of this list. A page after the last one becomes the last one. `noticed` is the
    /// anime that the notice of the page is about. `today` is the present day of the week. `l10n` determines the
    /// titles by which entries are sorted.
    pub(crate) async fn find(
        catalogue: &Catalogue<Anime>,
        list: &StoryList,
        request: &ListRequest,
        noticed: Option<AnimeId>,
        today: Weekday,
        l10n: &Localizer,
    ) -> Result<Self, Error> {
        let index = catalogue.index().await?;
        let found = search_anime(catalogue, &request.text).await?;
        let mut rows: Vec<EntryRow<'_>> = list
            .stories()
            .iter()
            .map(|story| find_row(&index, story))
            .collect();
        let total = rows.len();
        let is_noticed = |row: &&EntryRow<'_>| Some(row.story.anime_id) == noticed;
        let noticed = rows.iter().find(is_noticed).cloned();
        let genres: BTreeSet<&str> = rows.iter().flat_map(|row| &row.genres).copied().collect();
        let genres = genres.into_iter().map(str::to_owned).collect();
        rows.retain(|row| {
            let id = row.story.anime_id.get();
            found.as_ref().is_none_or(|found| found.contains(&id))
                && (request.genre.is_empty() || row.genres.contains(&request.genre.as_str()))
        });
        let mut counts = [0; 6];
        for row in &rows {
            counts[usize::from(u8::from(row.story.state.status))] += 1;
        }
        rows.retain(|row| {
            request
                .status
                .is_none_or(|status| status == row.story.state.status)
        });
        sort_rows(&index, &mut rows, request.sort, l10n);
        let pages = rows.len().div_ceil(PER_PAGE).max(1);
        let page = request.page.clamp(1, pages);
        let rows = rows.into_iter().skip((page - 1) * PER_PAGE).take(PER_PAGE);
        let mut rows: Vec<EntryRow<'_>> = rows.collect();
        // One read serves the entries of the page and the noticed entry. `noticed_start` separates them again.
        let noticed_start = rows.len();
        rows.extend(noticed);
        let mut entries = read_entries(catalogue, rows).await?;
        let noticed = entries.split_off(noticed_start).pop();
        if request.sort == SortOrder::Airing {
            // The index has no airing days, so only the order within the page depends on them.
            let days = |entry: &StoryEntry| entry.airing_day().map(|day| days_until(day, today));
            entries.sort_by_key(|entry| (days(entry).is_none(), days(entry)));
        }
        Ok(Self {
            total,
            counts,
            genres,
            shown: entries,
            noticed,
            page,
            pages,
        })
    }
}

/// Returns the number of days from today until the next such day of the week: 0 for today.
fn days_until(day: Weekday, today: Weekday) -> u8 {
    (u8::from(day) + 7 - u8::from(today)) % 7
}

fn latest_first_key(row: &EntryRow<'_>) -> (Reverse<u64>, AnimeId) {
    (Reverse(row.story.changed_at), row.story.anime_id)
}

fn find_row<'i>(index: &'i AnimeIndex, story: &'i ListedStory) -> EntryRow<'i> {
    EntryRow {
        anime: index.indexed_anime(story.anime_id),
        genres: index.genres_of(story.anime_id),
        story,
    }
}

/// Returns the identifiers of the anime that the search finds; `None` if the text is empty.
async fn search_anime(
    catalogue: &Catalogue<Anime>,
    text: &str,
) -> Result<Option<HashSet<u64>>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let Some(query) = SearchQuery::new(text) else {
        // A text without letters and digits is in no title.
        return Ok(Some(HashSet::new()));
    };
    let filter = AnimeFilter {
        search: Some(query),
        ..AnimeFilter::default()
    };
    let all = PageRequest {
        per_page: usize::MAX,
        start: Start::First,
    };
    let found = catalogue.list(&filter, all).await?;
    Ok(Some(found.rows.iter().map(|row| row.id).collect()))
}

fn sort_rows(index: &AnimeIndex, rows: &mut [EntryRow<'_>], sort: SortOrder, l10n: &Localizer) {
    // `None` (unknown) is less than every value, so `Reverse` puts it last.
    match sort {
        SortOrder::Changed => rows.sort_unstable_by_key(latest_first_key),
        SortOrder::Score => {
            rows.sort_unstable_by_key(|row| {
                (
                    Reverse(row.story.state.details.score),
                    latest_first_key(row),
                )
            });
        }
        SortOrder::Progress => {
            rows.sort_unstable_by_key(|row| (Reverse(row.progress()), latest_first_key(row)));
        }
        SortOrder::Started => {
            rows.sort_unstable_by_key(|row| {
                (
                    Reverse(row.story.state.details.started_on),
                    latest_first_key(row),
                )
            });
        }
        SortOrder::Finished => {
            rows.sort_unstable_by_key(|row| {
                (
                    Reverse(row.story.state.details.finished_on),
                    latest_first_key(row),
                )
            });
        }
        SortOrder::Airing => {
            rows.sort_unstable_by_key(|row| (!row.is_awaited(), latest_first_key(row)));
        }
        SortOrder::Title => rows.sort_by_cached_key(|row| {
            let id = row.story.anime_id;
            let title = index.folded_title(id, l10n.title_order());
            (title.is_none(), title, id)
        }),
    }
}

/// Returns the entries of these rows, in their order. There must be at most [`store::MAX_BATCH_READ`] rows.
async fn read_entries(
    catalogue: &Catalogue<Anime>,
    rows: Vec<EntryRow<'_>>,
) -> Result<Vec<StoryEntry>, Error> {
    let listed: Vec<Listed> = rows.iter().map(EntryRow::to_listed).collect();
    let documents = catalogue.documents(&listed).await?.into_iter();
    let documents: HashMap<u64, CachedDocument> = documents
        .map(|document| (document.version().0, document))
        .collect();
    let entry = |row: EntryRow<'_>| {
        let document = documents.get(&row.story.anime_id.get());
        Ok(StoryEntry {
            anime: document.map(CachedDocument::parse).transpose()?,
            story: row.story.clone(),
        })
    };
    rows.into_iter().map(entry).collect()
}

/// Returns an anime; `None` if it is unknown.
pub(crate) async fn find_anime(
    catalogue: &Catalogue<Anime>,
    id: AnimeId,
) -> Result<Option<Anime>, Error> {
    let document = catalogue.find(id.get()).await?;
    document.as_ref().map(CachedDocument::parse).transpose()
}
