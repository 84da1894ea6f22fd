//! The index in memory, for lists and random picks (docs/data-model.md, "Snapshots").
//!
//! Rows are in list order. A row is identified by its number, from 0, or by its list key
//! ([`crate::rows::document::CatalogueDocument::list_key`]). A filter reads each row at most once and allocates nothing
//! for each row: the facets of a row are one number, the genres of all rows are in one list (as are studios and tags),
//! and the folded texts of a column, such as the titles, are in one string, the arena. Identifiers and years are found
//! by binary search, and a text pattern is searched only in the parts of the arena that may have it.

mod anime;
mod anime_filter;
mod derived;
mod facets;
mod list;
mod main_titles;
mod names;
mod resource;
pub(crate) mod search;
mod selection;
mod song;
mod text;
mod title_languages;

pub use anime::{AnimeIndex, AnimeRow, AnimeSummary, IndexedAnime, TrackedAnime, WatchedAnime};
pub use anime_filter::{AnimeFilter, GenrePattern, NameFilter};
pub use list::{IndexedRow, ListIndex, Matches};
pub use main_titles::MainTitles;
pub use resource::Resource;
pub use search::{EXACT_POINTS, SearchQuery, SeparatedWords, TextSearch, TextSearchBuilder};
pub use selection::{AnimeOrder, AnimeSelection};
pub use song::{SongFilter, SongIndex};
pub use text::TextColumn;
