//! The tables that only this crate writes.

pub use crate::rows::anime::TABLE as ANIME;
pub use crate::rows::song::TABLE as SONG;
pub use crate::snapshots::catalog_snapshot::TABLE as CATALOG_SNAPSHOT;
