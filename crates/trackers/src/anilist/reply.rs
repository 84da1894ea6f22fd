//! The envelope of AniList's responses.

use serde::Deserialize;

/// A response without errors.
#[derive(Deserialize)]
pub(super) struct Reply<T> {
    /// The requested fields.
    pub data: T,
}
