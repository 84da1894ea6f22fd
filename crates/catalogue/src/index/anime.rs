//! The index of anime, highest score first.

use std::mem;

use serde::{Deserialize, Serialize};
use shared::input::PageRequest;
use shared::models::{
    ANIME_ID_BITS, Anime, AnimeFormat, AnimeId, AnimeStatus, Localized, Score, Season, TrackerIds,
    TrackerName,
};

use super::anime_filter::AnimeFilter;
use super::derived::SortedRows;
use super::facets::{Facets, WantedFacets};
use super::list::{Ids, IndexEntry, IndexedRow, ListIndex, Matches, WantedPage, accepts};
use super::main_titles::{MainTitles, TitleColumn};
use super::names::{NameColumn, NameColumnBuilder};
use super::search::{self, SeparatedWords};
use super::text::TextColumn;
use super::title_languages::{TitleLanguages, TitleLanguagesBuilder};
use crate::index::search::{RatedRow, SearchQuery, TextSearch, TextSearchBuilder};
use crate::rows::anime::AnimeListItem;
use crate::rows::document::{CatalogueDocument, RowRevision};

/// All anime, in list order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnimeIndex {
    rows: Vec<AnimeIndexRow>,
    facets: Vec<Facets>,
    titles: TextColumn,
    /// For each row, the numbers of exclamation marks at the ends of its titles, as bits ([`marks_of`]).
    marks: Vec<u8>,
    title_languages: TitleLanguages,
    /// All titles and synonyms.
    #[serde(skip)]
    texts: TextSearch,
    #[serde(skip)]
    main_titles: MainTitles,
    genres: NameColumn,
    studios: NameColumn,
    tags: NameColumn,
    #[serde(skip)]
    by_id: SortedRows,
    #[serde(skip)]
    by_tracker_a: SortedRows,
    #[serde(skip)]
    by_tracker_b: SortedRows,
    #[serde(skip)]
    by_database: SortedRows,
    #[serde(skip)]
    by_year: SortedRows,
}

/// The numbers of an anime. An identifier or a duration of 0 means that it is unknown.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct AnimeIndexRow {
    list_key: u64,
    revision: RowRevision,
    tracker_a_id: u32,
    tracker_b_id: u32,
    database_id: u32,
    episodes_count: u32,
    /// The duration of an episode, in minutes.
    minutes: u32,
}

/// Returns an identifier, or `None` for 0, which stands for an unknown one.
fn nonzero(id: u32) -> Option<u32> {
    (id > 0).then_some(id)
}

impl AnimeIndexRow {
    fn trackers(&self) -> TrackerIds {
        TrackerIds {
            a: nonzero(self.tracker_a_id),
            b: nonzero(self.tracker_b_id),
        }
    }
}

impl IndexEntry for AnimeIndexRow {
    fn listed(&self) -> IndexedRow {
        IndexedRow {
            id: Anime::id_at(self.list_key),
            revision: self.revision,
            list_key: self.list_key,
        }
    }
}

impl FromIterator<AnimeListItem> for AnimeIndex {
    fn from_iter<I: IntoIterator<Item = AnimeListItem>>(items: I) -> Self {
        let mut items: Vec<AnimeListItem> = items.into_iter().collect();
        items.sort_unstable_by_key(|item| item.list_order);
        let mut index = Self::default();
        let mut texts = TextSearchBuilder::default();
        let mut languages = TitleLanguagesBuilder::default();
        let mut main_titles = TitleColumn::default();
        let [mut genres, mut studios, mut tags] = <[NameColumnBuilder; 3]>::default();
        for mut item in items {
            let synonyms = item.synonyms.values().flatten();
            texts.push(
                main_first(&item.titles),
                synonyms.map(String::as_str),
                fame_of(&item),
            );
            main_titles.push(main_title(&item.titles));
            let positions = index.titles.push(item.titles.values().map(String::as_str));
            let positions = positions.into_iter().map_while(|at| u16::try_from(at).ok());
            languages.push(item.titles.keys().map(String::as_str).zip(positions));
            genres.push(mem::take(&mut item.genres));
            studios.push(mem::take(&mut item.studios));
            tags.push(mem::take(&mut item.tags));
            let marks = item.titles.values().map(|title| marks_of(title));
            index.marks.push(marks.fold(0, |all, marks| all | marks));
            index.push(&item);
        }
        index.genres = genres.build();
        index.studios = studios.build();
        index.tags = tags.build();
        index.texts = texts.build();
        index.main_titles = main_titles.into();
        index.title_languages = languages.build();
        index
    }
}

/// The identifiers of an anime, and its number of episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackedAnime {
    /// The identifier of the anime.
    pub id: AnimeId,
    /// The identifiers at the trackers.
    pub trackers: TrackerIds,
    /// The identifier at the movie database.
    pub database_id: Option<u32>,
    /// The number of released episodes.
    pub episodes_count: u32,
}

/// The parts of an anime that the list of a user is filtered and sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedAnime {
    /// The row, for reading the document.
    pub listed: IndexedRow,
    /// The format.
    pub format: AnimeFormat,
    /// The release status.
    pub status: AnimeStatus,
    /// The year of release.
    pub year: Option<u16>,
    /// The number of released episodes.
    pub episodes_count: u32,
}

/// The place of an anime in an index. It counts only for the index that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnimeRow(u32);

/// The facts about an anime that the statistics of users need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedAnime<'i> {
    /// The format.
    pub format: AnimeFormat,
    /// The year of release.
    pub year: Option<u16>,
    /// The genres.
    pub genres: Vec<&'i str>,
    /// The number of released episodes.
    pub episodes_count: u32,
    /// The duration of an episode, in minutes; 0 if it is unknown.
    pub minutes: u32,
}

/// The facts that an export states about an anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnimeSummary<'s> {
    /// The romanized title, or the first title in another language if there is none.
    pub title: &'s str,
    /// The format.
    pub format: AnimeFormat,
    /// The number of episodes, 0 if it is unknown.
    pub episodes_count: u32,
    /// The identifiers at the trackers.
    pub trackers: TrackerIds,
}

impl<'s> From<&'s Anime> for AnimeSummary<'s> {
    fn from(anime: &'s Anime) -> Self {
        Self {
            title: main_title(&anime.titles),
            format: anime.format,
            episodes_count: anime.episodes_count,
            trackers: TrackerIds::of(anime),
        }
    }
}

/// A kind of identifier: the identifiers that a filter wants, the rows sorted by their identifiers of this kind, and
/// a function that returns the identifier of a row.
type IdColumn<'i> = (&'i Ids, &'i SortedRows, fn(&AnimeIndexRow) -> u64);

impl AnimeIndex {
    /// Returns every anime with its identifiers, in list order.
    pub fn tracked_anime(&self) -> impl Iterator<Item = TrackedAnime> {
        self.rows.iter().filter_map(move |row| {
            Some(TrackedAnime {
                id: AnimeId::new(row.list_key & AnimeId::MAX)?,
                trackers: row.trackers(),
                database_id: nonzero(row.database_id),
                episodes_count: row.episodes_count,
            })
        })
    }

    /// Returns the number of released episodes of an anime; `None` if there is no such anime.
    pub fn episodes_count(&self, id: AnimeId) -> Option<u32> {
        let number = self.number_of(id.get())?;
        Some(self.rows[number].episodes_count)
    }

    /// Returns the facts about an anime that statistics need; `None` if there is no such anime.
    pub fn watched_anime(&self, id: AnimeId) -> Option<WatchedAnime<'_>> {
        let number = self.number_of(id.get())?;
        let (row, facets) = (&self.rows[number], self.facets[number]);
        Some(WatchedAnime {
            format: facets.format()?,
            year: facets.year(),
            genres: self.genres.names_of(number),
            episodes_count: row.episodes_count,
            minutes: row.minutes,
        })
    }

    /// Returns the row and the status of an anime; `None` if there is no such anime, or if it is for adults only.
    pub fn safe_anime(&self, id: AnimeId) -> Option<(IndexedRow, AnimeStatus)> {
        let number = self.number_of(id.get())?;
        let facets = self.facets[number];
        let status = facets.status().filter(|_| facets.is_safe())?;
        Some((self.rows[number].listed(), status))
    }

    /// Returns the facts about an anime that the list of a user needs; `None` if there is no such anime.
    pub fn indexed_anime(&self, id: AnimeId) -> Option<IndexedAnime> {
        self.anime_at(self.row_of(id)?)
    }

    /// Returns the place of an anime, for the functions whose names end with `_at`. They need not search for it again.
    pub fn row_of(&self, id: AnimeId) -> Option<AnimeRow> {
        let number = self.number_of(id.get())?;
        u32::try_from(number).ok().map(AnimeRow)
    }

    /// Returns the facts of [`Self::indexed_anime`]; `None` if the place is that of another index.
    pub fn anime_at(&self, AnimeRow(number): AnimeRow) -> Option<IndexedAnime> {
        let number = number as usize;
        let (row, facets) = (self.rows.get(number)?, self.facets.get(number)?);
        Some(IndexedAnime {
            listed: row.listed(),
            format: facets.format()?,
            status: facets.status()?,
            year: facets.year(),
            episodes_count: row.episodes_count,
        })
    }

    /// Returns the average score of an anime; `None` if there is no such anime, or if it has no score.
    pub fn average_score(&self, id: AnimeId) -> Option<Score> {
        let row = &self.rows[self.number_of(id.get())?];
        // The list key begins with the rank, which is lower for a higher score.
        let rank = u16::try_from(row.list_key >> ANIME_ID_BITS).ok()?;
        let hundredths = Score::MAX_HUNDREDTHS.checked_sub(rank)?;
        Score::new(f64::from(hundredths) / 100.0).filter(|_| hundredths > 0)
    }

    /// Returns the year and the season of an anime as numbers that grow with time. An unknown year and an unknown
    /// season come before all others.
    pub(super) fn release_at(&self, AnimeRow(number): AnimeRow) -> (Option<u16>, u8) {
        let facets = self.facets.get(number as usize);
        facets.map_or((None, 0), |facets| (facets.year(), facets.season_order()))
    }

    /// Returns what exports state about an anime; `None` if there is no such anime, or if the main titles are not
    /// loaded.
    pub fn summary(&self, id: AnimeId) -> Option<AnimeSummary<'_>> {
        let number = self.number_of(id.get())?;
        let row = &self.rows[number];
        Some(AnimeSummary {
            title: self.main_titles.get(number)?,
            format: self.facets[number].format()?,
            episodes_count: row.episodes_count,
            trackers: row.trackers(),
        })
    }

    /// Returns the genres of an anime, as numbers ([`Self::genre_name`]).
    pub fn genres_at(&self, AnimeRow(number): AnimeRow) -> &[u16] {
        self.genres.positions_of(number as usize)
    }

    /// Returns the season of an anime; `None` if the place is that of another index.
    pub fn season_at(&self, AnimeRow(number): AnimeRow) -> Option<Season> {
        self.facets.get(number as usize)?.season()
    }

    /// Returns the name of a genre, given its number in this index.
    pub fn genre_name(&self, genre: u16) -> Option<&str> {
        self.genres.name(genre)
    }

    /// Returns the number of a genre in this index.
    pub fn genre_number(&self, name: &str) -> Option<u16> {
        self.genres.position_of(name)
    }

    /// Returns the folded title of an anime in the first of these languages in which it has a title, else its title in
    /// any language. Returns `None` if it has no title.
    pub fn folded_title_at<'c>(
        &self,
        AnimeRow(number): AnimeRow,
        codes: impl IntoIterator<Item = &'c str>,
    ) -> Option<&str> {
        let number = number as usize;
        self.rows.get(number)?;
        let position = self.title_languages.find(number, codes);
        self.titles.text(number, position.unwrap_or_default())
    }

    /// Returns true if this folded text is a title of an anime in one of these languages.
    pub fn has_title(&self, id: AnimeId, codes: &[&str], folded: &str) -> bool {
        self.number_of(id.get()).is_some_and(|number| {
            let mut positions = codes
                .iter()
                .filter_map(|code| self.title_languages.find(number, [*code]));
            positions.any(|position| {
                let title = self.titles.text(number, position);
                title.is_some_and(|title| title.trim() == folded)
            })
        })
    }

    /// Returns true if a title of an anime, in any language, begins with the words of this folded text.
    pub fn has_title_beginning(&self, id: AnimeId, folded: &str) -> bool {
        self.number_of(id.get()).is_some_and(|number| {
            let mut titles = self.titles_of(number);
            titles.any(|title| {
                let rest = title.trim_start().strip_prefix(folded);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        })
    }

    /// Returns the folded titles of an anime in all languages.
    pub fn folded_titles(&self, id: AnimeId) -> impl Iterator<Item = &str> {
        let number = self.number_of(id.get());
        number.into_iter().flat_map(|number| self.titles_of(number))
    }

    fn titles_of(&self, number: usize) -> impl Iterator<Item = &str> {
        (0..).map_while(move |position| self.titles.text(number, position))
    }

    /// Returns true if a text ends with exclamation marks, and no title of the anime ends with as many of them. Folded
    /// titles have no marks, but some seasons differ in nothing else.
    pub fn has_other_marks(&self, id: AnimeId, text: &str) -> bool {
        let wanted = marks_of(text);
        let known = self.number_of(id.get()).map(|number| self.marks[number]);
        wanted > 1 && known.is_some_and(|known| known & wanted == 0)
    }

    /// Returns the anime that a search for a title finds, best first, each with the points of its best text
    /// ([`EXACT_POINTS`](super::search::EXACT_POINTS)). Also returns the work of the search, in units of about 2.5 ns.
    /// Returns `None` if the texts are not loaded.
    pub fn rate(&self, query: &SearchQuery) -> Option<(Vec<(AnimeId, u16)>, usize)> {
        let (rows, work) = self.texts.rate(query)?;
        Some((self.rated_anime(rows), work))
    }

    /// Returns the anime with a title that has exactly the words of the query, with other spaces between them or not.
    /// The same value of `separated` is passed to all searches of a request. Otherwise as [`Self::rate`].
    pub fn rate_titles(
        &self,
        query: &SearchQuery,
        separated: &mut SeparatedWords,
    ) -> Option<(Vec<(AnimeId, u16)>, usize)> {
        let (rows, work) = self.texts.rate_titles(query, separated)?;
        Some((self.rated_anime(rows), work))
    }

    fn rated_anime(&self, rows: Vec<RatedRow>) -> Vec<(AnimeId, u16)> {
        let rated = rows.into_iter().filter_map(|row| {
            let listed = self.row(row.key.row as usize)?;
            Some((AnimeId::new(listed.id)?, row.points))
        });
        rated.collect()
    }

    /// Returns the identifiers of an anime at the trackers; `None` if there is no such anime.
    pub fn trackers(&self, id: AnimeId) -> Option<TrackerIds> {
        Some(self.rows[self.number_of(id.get())?].trackers())
    }

    /// Returns the anime with this identifier at a tracker, the first in list order if there are several.
    pub fn find_by_tracker(&self, tracker: TrackerName, id: u32) -> Option<AnimeId> {
        let (sorted, id_of): (_, fn(&AnimeIndexRow) -> u32) = match tracker {
            TrackerName::A => (&self.by_tracker_a, |row| row.tracker_a_id),
            TrackerName::B => (&self.by_tracker_b, |row| row.tracker_b_id),
        };
        let id_of = |number: usize| id_of(&self.rows[number]).into();
        let rows = sorted.rows(id.into(), self.rows.len(), id_of);
        // A row without an identifier at the tracker has 0, so 0 must find no anime.
        let row = &self.rows[*rows.first().filter(|_| id > 0)? as usize];
        AnimeId::new(row.listed().id)
    }

    /// Returns the number of the row with this identifier.
    pub(crate) fn number_of(&self, id: u64) -> Option<usize> {
        let id_of = |number: usize| self.rows[number].listed().id;
        let number = *self.by_id.rows(id, self.rows.len(), id_of).first()?;
        usize::try_from(number).ok()
    }

    fn push(&mut self, item: &AnimeListItem) {
        self.facets.push(Facets::from(item));
        self.rows.push(AnimeIndexRow {
            list_key: item.list_order,
            revision: item.revision,
            tracker_a_id: item.tracker_a_id.unwrap_or_default(),
            tracker_b_id: item.tracker_b_id.unwrap_or_default(),
            database_id: item.database_id.unwrap_or_default(),
            episodes_count: item.episodes_count,
            minutes: item.episode_duration.unwrap_or_default(),
        });
    }

    /// Returns the numbers of the rows that the first kind of identifiers in the filter selects; `None` if the filter
    /// has no identifiers.
    fn rows_with_ids(&self, filter: &AnimeFilter) -> Option<Vec<u32>> {
        let columns: [IdColumn<'_>; 4] = [
            (&filter.ids, &self.by_id, |row| row.listed().id),
            (&filter.tracker_a_id, &self.by_tracker_a, |row| {
                row.tracker_a_id.into()
            }),
            (&filter.tracker_b_id, &self.by_tracker_b, |row| {
                row.tracker_b_id.into()
            }),
            (&filter.database_id, &self.by_database, |row| {
                row.database_id.into()
            }),
        ];
        let (ids, sorted, id_of) = columns.into_iter().find(|(ids, ..)| ids.is_some())?;
        let id_of = |number: usize| id_of(&self.rows[number]);
        let ids = ids.as_deref().unwrap_or_default();
        Some(sorted.rows_with_any(ids, self.rows.len(), id_of))
    }

    /// Returns the numbers of the rows of a year, in list order.
    fn rows_of_year(&self, year: u16) -> &[u32] {
        // Rows without a year come last.
        let year_of = |number: usize| self.facets[number].year().map_or(u64::MAX, u64::from);
        self.by_year.rows(year.into(), self.rows.len(), year_of)
    }
}

impl ListIndex for AnimeIndex {
    type Filter = AnimeFilter;

    // This is not inlined into a caller, because the callers are optimized for size.
    #[inline(never)]
    fn search(&self, filter: &Self::Filter, page: PageRequest) -> Option<Matches> {
        let wanted = PreparedFilter::new(filter, self);
        let page = WantedPage {
            rows: &self.rows,
            page,
        };
        let has_facets = |row: usize| wanted.facets.accept(self.facets[row]);
        let accept = |row: usize| {
            has_facets(row) && wanted.accepts_row(&self.rows[row]) && wanted.accepts_names(row)
        };
        let has_title = |row: usize| match &filter.title {
            Some(pattern) => self.titles.row_has(row, pattern.as_str()),
            None => true,
        };
        if let Some(query) = &filter.search {
            let accept = |row: usize| accept(row) && has_title(row);
            return page.search(&self.texts, query, accept);
        }
        if let Some(rows) = self.rows_with_ids(filter) {
            let rows = rows.into_iter().map(|row| row as usize);
            let accept = |row: usize| accept(row) && has_title(row);
            return Some(page.accepted(rows, accept));
        }
        if let Some(pattern) = &filter.title {
            let rows = self.titles.rows_with(pattern.as_str());
            return Some(page.accepted(rows, accept));
        }
        if let Some(year) = filter.year {
            let rows = self.rows_of_year(year).iter().map(|row| *row as usize);
            return Some(page.accepted(rows, accept));
        }
        let all = 0..self.rows.len();
        Some(if !has_only_facets(filter) {
            page.accepted(all, accept)
        } else if wanted.facets == WantedFacets::ALL {
            page.all()
        } else {
            page.accepted(all, has_facets)
        })
    }

    fn texts(&self) -> &TextSearch {
        &self.texts
    }

    fn main_titles(&self) -> Option<&MainTitles> {
        Some(&self.main_titles)
    }

    fn is_consistent(&self) -> bool {
        let count = self.rows.len();
        self.facets.len() == count
            && self.marks.len() == count
            && self.titles.is_consistent(count)
            && self.title_languages.is_consistent(count)
            && [&self.genres, &self.studios, &self.tags]
                .iter()
                .all(|names| names.is_consistent(count))
    }

    fn row(&self, number: usize) -> Option<IndexedRow> {
        self.rows.get(number).map(IndexEntry::listed)
    }

    fn find(&self, id: u64) -> Option<IndexedRow> {
        self.row(self.number_of(id)?)
    }

    fn len(&self) -> usize {
        self.rows.len()
    }
}

/// Returns the number of exclamation marks at the end of a title, as a bit: 1 for none, 2 for one, up to 16 for four.
fn marks_of(title: &str) -> u8 {
    let marks = title.trim_end().chars().rev();
    let marks = marks.take_while(|c| matches!(c, '!' | '！')).count();
    1 << marks.min(4)
}

/// Returns the titles. The romanized title comes first, because it is the main title.
fn main_first(titles: &Localized) -> impl Iterator<Item = &str> {
    let main = titles.get("rj").into_iter();
    let others = titles.iter().filter(|(code, _)| *code != "rj");
    main.chain(others.map(|(_, title)| title))
        .map(String::as_str)
}

/// Returns the main title: the romanized one, or the first in another language if there is none. Empty without titles.
fn main_title(titles: &Localized) -> &str {
    main_first(titles).next().unwrap_or_default()
}

/// Returns how well known an anime is.
fn fame_of(item: &AnimeListItem) -> u16 {
    let texts = item.synonyms.values().map(Vec::len).sum();
    search::estimate_fame(
        item.titles.len(),
        texts,
        item.synonyms.len(),
        item.popularity,
    )
}

/// Returns true if the filter compares nothing but facets.
fn has_only_facets(filter: &AnimeFilter) -> bool {
    let without_facets = AnimeFilter {
        formats: Vec::new(),
        status: None,
        year: None,
        season: None,
        exclude_nsfw: false,
        with_episodes: false,
        ..filter.clone()
    };
    without_facets == AnimeFilter::default()
}

/// A filter, prepared for the comparison with many rows.
struct PreparedFilter<'a> {
    filter: &'a AnimeFilter,
    facets: WantedFacets,
    /// The columns of names that the filter compares, each with the names that it accepts.
    names: Vec<(&'a NameColumn, Vec<bool>)>,
}

impl<'a> PreparedFilter<'a> {
    fn new(filter: &'a AnimeFilter, index: &'a AnimeIndex) -> Self {
        let mut names = Vec::new();
        if !filter.genres.is_empty() {
            let wanted = |name: &str| filter.genres.iter().any(|genre| name.contains(&genre.0));
            names.push((&index.genres, index.genres.select(wanted)));
        }
        for (column, wanted) in [
            (&index.studios, &filter.studios),
            (&index.tags, &filter.tags),
        ] {
            if !wanted.is_empty() {
                let is_wanted = |name: &str| wanted.iter().any(|wanted| wanted.accepts(name));
                names.push((column, column.select_folded(is_wanted)));
            }
        }
        Self {
            filter,
            facets: WantedFacets::ALL
                .with_formats(&filter.formats)
                .with_status(filter.status)
                .with_season(filter.season)
                .with_year(filter.year)
                .exclude_nsfw(filter.exclude_nsfw)
                .with_episodes(filter.with_episodes),
            names,
        }
    }

    /// Returns true if the filter accepts the identifiers of a row. Does not compare facets, names and texts.
    fn accepts_row(&self, row: &AnimeIndexRow) -> bool {
        let filter = self.filter;
        accepts(&filter.ids, row.listed().id)
            && accepts(&filter.tracker_a_id, row.tracker_a_id.into())
            && accepts(&filter.tracker_b_id, row.tracker_b_id.into())
            && accepts(&filter.database_id, row.database_id.into())
    }

    /// Returns true if the filter accepts the genres, studios and tags of a row.
    fn accepts_names(&self, row: usize) -> bool {
        let mut columns = self.names.iter();
        columns.all(|(column, wanted)| column.has_any(row, wanted))
    }
}
