//! Merging of facts from a source into the catalogue, for the import of files and the refresh
//! (docs/trackers.md, "Merging facts into the catalogue").
//!
//! A source has an entry for each document, with values for some of its fields ([`AnimeFacts`], [`SongFacts`]). These
//! facts are merged into the existing row, or become a new row ([`MergePlan`]). A field without a value keeps the value
//! of the row. An identifier always stays with the same anime ([`AnimeIds`]), because users' stories refer to it.
//! Entries that the API cannot represent are skipped and counted ([`MergeReport`]).

mod anime;
mod entries;
mod entry;
mod ids;
mod input;
mod limits;
mod localized;
mod mapping;
mod names;
mod offline_database;
mod report;
mod season_list;
mod songs;
mod stated_date;
mod title_dump;
mod titles;
mod unpack;
mod write;
mod xml;

pub use crate::rows::anime::FactSource;
pub use anime::{AnimeFacts, AnimeFields};
pub use entries::{Entries, EntryUnit, MAX_ENTRY_BYTES};
pub use entry::{BROKEN, EntryReader, parse_entry};
pub use ids::AnimeIds;
pub use limits::{
    ENTRY_TOO_LONG, ID_TAKEN, MAX_FIELD_BYTES, MAX_SYNONYM_BYTES, NO_TITLE, OTHER_FORMAT,
    OTHER_TYPE, TEXT_TOO_LONG, TRACKER_ID_RANGE, TWO_ANIME, check_lengths,
};
pub use localized::LocalizedTitles;
pub use mapping::IdMapping;
pub use names::{MAX_NAME_BYTES, MAX_STUDIOS, MAX_TAGS};
pub use offline_database::OfflineDatabase;
pub use report::{MergeReport, Skip, Skips};
pub use season_list::SeasonList;
pub use songs::{SongFacts, non_blank};
pub use stated_date::stated_date;
pub use title_dump::{DumpTitle, TitleDump, TitleKind};
pub use titles::{NOT_KNOWN, NOT_MAPPED, TitleFacts};
pub use write::{DocumentFacts, MergePlan, WriteCounts, Writer};
