//! The index of songs, latest year and season first.

use serde::{Deserialize, Serialize};
use shared::input::{FilterId, ListFilter, PageRequest, TextPattern};
use shared::models::{AnimeId, Season, Song, SongType};
use shared::query;

use super::derived::SortedRows;
use super::list::{IndexEntry, IndexedRow, ListIndex, Matches, WantedPage, accepts};
use super::text::TextColumn;
use crate::index::search::{SearchQuery, TextSearch, TextSearchBuilder};
use crate::rows::document::{CatalogueDocument, RowRevision};
use crate::rows::song::SongListItem;

query! {
    /// The filters of the song list, with their documentation in the OpenAPI document (docs/api.md, "Song
    /// endpoints"). The default accepts every song.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct SongFilter {
        /// Text to search for in title and artist. Tolerates typing errors, and other spellings of long vowels and
        /// spaces. The results are in order of relevance. At most 500 characters, of which at least one is neither a
        /// space nor punctuation: `!?` is invalid. An empty text is not a filter.
        #[param(value_type = Option<String>, max_length = 500, example = "tank seatbelts")]
        pub search: Option<SearchQuery>,
        /// Identifiers of songs, up to 100: selects those with any of them. Separate values with commas, or repeat the
        /// parameter.
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([2048]))]
        pub ids as "id": Option<Vec<FilterId>>,
        /// Identifiers of anime, up to 100: selects the songs that belong to any of them. Separate values with commas,
        /// or repeat the parameter.
        #[param(style = Form, explode = false, min_items = 1, max_items = 100, example = json!([2]))]
        pub anime_id: Option<Vec<FilterId>>,
        /// Text to find in the title. Case and accents are ignored, and punctuation counts as a space. At most
        /// 500 characters.
        #[param(value_type = Option<String>, max_length = 500, example = "tank")]
        pub title: Option<TextPattern>,
        /// Text to find in the name of the artist. Case and accents are ignored, and punctuation counts as a
        /// space. At most 500 characters.
        #[param(value_type = Option<String>, max_length = 500, example = "seatbelts")]
        pub artist: Option<TextPattern>,
        /// Year of release, from 0 to 9999.
        #[param(minimum = 0, maximum = 9999, example = 1998)]
        pub year: Option<u16>,
        /// Season of release.
        #[param(example = 1)]
        pub season: Option<Season>,
        /// Type of the song: opening, ending or neither.
        #[param(example = 0)]
        pub song_type as "type": Option<SongType>,
    }
}

impl ListFilter for SongFilter {
    const LIST: &'static str = Song::KIND;
}

/// All songs, in list order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SongIndex {
    rows: Vec<SongIndexRow>,
    titles: TextColumn,
    artists: TextColumn,
    /// The title, the artist, and both together in one text, for searches.
    #[serde(skip)]
    texts: TextSearch,
    #[serde(skip)]
    by_id: SortedRows,
    #[serde(skip)]
    by_anime: SortedRows,
}

/// A song's list key, its revision, and the fields that filters compare, except the title and the artist.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SongIndexRow {
    list_key: u64,
    revision: RowRevision,
    anime_id: AnimeId,
    year: u16,
    season: Season,
    song_type: SongType,
}

impl IndexEntry for SongIndexRow {
    fn listed(&self) -> IndexedRow {
        IndexedRow {
            id: Song::id_at(self.list_key),
            revision: self.revision,
            list_key: self.list_key,
        }
    }
}

impl FromIterator<SongListItem> for SongIndex {
    fn from_iter<I: IntoIterator<Item = SongListItem>>(items: I) -> Self {
        let mut items: Vec<SongListItem> = items.into_iter().collect();
        items.sort_unstable_by_key(|item| item.list_order);
        let mut index = Self::default();
        let mut texts = TextSearchBuilder::default();
        for item in items {
            let both = format!("{} {}", item.title, item.artist);
            texts.push([item.title.as_str()], [item.artist.as_str(), &both], 0);
            index.titles.push([item.title.as_str()]);
            index.artists.push([item.artist.as_str()]);
            index.rows.push(SongIndexRow {
                list_key: item.list_order,
                revision: item.revision,
                anime_id: item.anime_id,
                year: item.year,
                season: item.season,
                song_type: item.song_type,
            });
        }
        index.texts = texts.build();
        index
    }
}

impl SongIndex {
    /// Returns the numbers of the rows that the first kind of identifiers in the filter selects; `None` if the filter
    /// has no identifiers.
    fn rows_with_ids(&self, filter: &SongFilter) -> Option<Vec<u32>> {
        let count = self.rows.len();
        if let Some(ids) = &filter.ids {
            let id_of = |number: usize| self.rows[number].listed().id;
            return Some(self.by_id.rows_with_any(ids, count, id_of));
        }
        let id_of = |number: usize| self.rows[number].anime_id.get();
        Some(
            self.by_anime
                .rows_with_any(filter.anime_id.as_deref()?, count, id_of),
        )
    }
}

impl ListIndex for SongIndex {
    type Filter = SongFilter;

    // This function is not inlined into a caller, because the callers are optimized for size.
    #[inline(never)]
    fn search(&self, filter: &Self::Filter, page: PageRequest) -> Option<Matches> {
        let page = WantedPage {
            rows: &self.rows,
            page,
        };
        if *filter == SongFilter::default() {
            return Some(page.all());
        }
        let accept_fields = |row: usize| accepts_row(filter, &self.rows[row]);
        let patterns = [
            (&self.titles, &filter.title),
            (&self.artists, &filter.artist),
        ];
        let patterns = patterns
            .into_iter()
            .filter_map(|(column, pattern)| Some((column, pattern.as_ref()?.as_str())));
        let accept = |row: usize| {
            let mut patterns = patterns.clone();
            accept_fields(row) && patterns.all(|(column, pattern)| column.row_has(row, pattern))
        };
        if let Some(query) = &filter.search {
            return page.search(&self.texts, query, accept);
        }
        if let Some(rows) = self.rows_with_ids(filter) {
            let rows = rows.into_iter().map(|row| row as usize);
            return Some(page.accepted(rows, accept));
        }
        Some(match patterns.clone().next() {
            Some((column, pattern)) => page.accepted(column.rows_with(pattern), accept),
            None => page.accepted(0..self.rows.len(), accept_fields),
        })
    }

    fn texts(&self) -> &TextSearch {
        &self.texts
    }

    fn is_consistent(&self) -> bool {
        let count = self.rows.len();
        self.titles.is_consistent(count) && self.artists.is_consistent(count)
    }

    fn row(&self, number: usize) -> Option<IndexedRow> {
        self.rows.get(number).map(IndexEntry::listed)
    }

    fn find(&self, id: u64) -> Option<IndexedRow> {
        let id_of = |number: usize| self.rows[number].listed().id;
        let number = *self.by_id.rows(id, self.rows.len(), id_of).first()?;
        self.row(number as usize)
    }

    fn len(&self) -> usize {
        self.rows.len()
    }
}

fn accepts_row(filter: &SongFilter, row: &SongIndexRow) -> bool {
    accepts(&filter.ids, row.listed().id)
        && accepts(&filter.anime_id, row.anime_id.get())
        && filter.year.is_none_or(|year| year == row.year)
        && filter.season.is_none_or(|season| season == row.season)
        && filter.song_type.is_none_or(|kind| kind == row.song_type)
}
