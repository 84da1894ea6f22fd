//! The kinds of documents.

use shared::input::ListFilter;
use shared::models::{Anime, Song};

use crate::index::{AnimeFilter, AnimeIndex, ListIndex, SongFilter, SongIndex};

/// A kind of document with an index in memory: anime or songs.
pub trait Resource: crate::rows::document::CatalogueDocument {
    /// The number of the layout of serialized documents. It must be increased when the JSON of a document changes
    /// although its row does not, so that entity tags also change.
    const LAYOUT: u32;
    /// The filters of the list.
    type Filter: ListFilter;
    /// The index in memory.
    type Index: ListIndex<Filter = Self::Filter> + FromIterator<Self::ListItem>;
}

impl Resource for Anime {
    const LAYOUT: u32 = 2;
    type Filter = AnimeFilter;
    type Index = AnimeIndex;
}

impl Resource for Song {
    const LAYOUT: u32 = 1;
    type Filter = SongFilter;
    type Index = SongIndex;
}
