//! The state of the refreshes of the catalogue from their sources.

pub(crate) mod refresh_store;
mod source_store;
mod summary_store;

pub use self::refresh_store::RefreshStore;
pub use self::source_store::{CompleteRead, FileRead, SourceStore};
pub use self::summary_store::RefreshSummaryStore;
