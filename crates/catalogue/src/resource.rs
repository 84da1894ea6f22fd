//! The kinds of documents, and the catalogues of all kinds.

use std::sync::{Arc, OnceLock};

use shared::input::ListFilter;
use shared::models::{Anime, Song};

use crate::catalogue::{Catalogue, SharedCatalogue};
use crate::index::{AnimeFilter, AnimeIndex, ListIndex, SongFilter, SongIndex};

/// A kind of document with an index in memory: anime or songs.
pub trait Resource: store::CatalogueDocument {
    /// The number of the layout of serialized documents. It must be increased when the JSON of a document
    /// changes although its row does not, so that entity tags change too.
    const LAYOUT: u32;
    /// The filters of the list.
    type Filter: ListFilter;
    /// The index in memory.
    type Index: ListIndex<Filter = Self::Filter> + FromIterator<Self::ListItem>;

    /// Returns the catalogue of this kind.
    fn catalogue_in(catalogues: &Catalogues) -> &OnceLock<SharedCatalogue<Self>>;
}

/// The catalogues of a process. Parts of a service that share them share the indexes and documents in memory.
#[derive(Debug, Default)]
pub struct Catalogues {
    anime: OnceLock<SharedCatalogue<Anime>>,
    songs: OnceLock<SharedCatalogue<Song>>,
}

impl Catalogues {
    /// Returns the catalogue of one kind. Only the first call creates it.
    pub fn get_or_create<R: Resource>(
        &self,
        create: impl FnOnce() -> Catalogue<R>,
    ) -> SharedCatalogue<R> {
        Arc::clone(R::catalogue_in(self).get_or_init(|| Arc::new(create())))
    }
}

impl Resource for Anime {
    const LAYOUT: u32 = 2;
    type Filter = AnimeFilter;
    type Index = AnimeIndex;

    fn catalogue_in(catalogues: &Catalogues) -> &OnceLock<SharedCatalogue<Self>> {
        &catalogues.anime
    }
}

impl Resource for Song {
    const LAYOUT: u32 = 1;
    type Filter = SongFilter;
    type Index = SongIndex;

    fn catalogue_in(catalogues: &Catalogues) -> &OnceLock<SharedCatalogue<Self>> {
        &catalogues.songs
    }
}
