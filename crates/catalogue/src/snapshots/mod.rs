//! The published snapshots of the index.

pub(crate) mod catalog_snapshot;
pub(crate) mod kind_rows;
pub(crate) mod loaded_value;
mod service_row;
pub(crate) mod snapshot_store;
pub(crate) mod value_snapshot;

pub use self::catalog_snapshot::{
    FILE_SOURCES, Head, MAX_DATA_AGE_S, ReadOutcome, RefreshState, RefreshSummary, SourceState,
    SourceSummary,
};
pub use self::service_row::ServiceRow;
pub use self::snapshot_store::{Snapshot, SnapshotSection, SnapshotStore};
