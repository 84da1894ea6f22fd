//! The rows of anime and songs.

pub(crate) mod anime;
pub(crate) mod document;
pub(crate) mod document_store;
mod episode_counts;
pub(crate) mod song;

pub use self::anime::{AnimeListItem, FactSource};
pub use self::document::{CatalogueDocument, CatalogueRow};
pub use self::document_store::CatalogueStore;
pub use self::episode_counts::EpisodeCounts;
pub use self::song::SongListItem;
