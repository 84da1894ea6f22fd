//! The catalogue of anime and songs: lists and random picks from an index in memory, documents from DynamoDB,
//! and the merging of imported facts (docs/architecture.md, "The catalogue: import, table, snapshot, index").
//!
//! An import or refresh ([`import`]) writes rows and then publishes a snapshot of the index. A function
//! loads the snapshot when it starts, or when a request first needs it. Later, a request checks for a newer
//! snapshot if the last check was 10 seconds ago or more ([`Catalogue::index`]).

pub mod community;
pub mod corrections;
pub mod genres;
pub mod identifiers;
pub mod identify;
pub mod import;
pub mod index;
mod mapping;
pub mod refresh;
pub mod rows;
pub mod seasons;
mod served;
pub mod snapshots;
mod story_lines;
pub mod tables;

pub use crate::index::Resource;
pub use crate::mapping::{AnimeMapping, IdentifiedAnime, publish_mapping};
pub use crate::served::catalogue::{
    Catalogue, DocumentPage, SharedCatalogue, has_unpublished, is_snapshot_outdated, publish,
};
pub use crate::served::catalogues::{Catalogues, SharedResource};
pub use crate::served::documents::{
    CacheLookups, CachedDocument, FRESH_MS, cache_lookups, entity_tag, parse_documents,
};
pub use crate::served::summaries::AnimeSummaries;
pub use crate::story_lines::{FileRelations, derive_story_lines, keep_relations};
