//! The catalogues of all kinds of documents.

use std::sync::{Arc, OnceLock};

use shared::models::{Anime, Song};

use crate::index::Resource;
use crate::served::catalogue::{Catalogue, SharedCatalogue};

/// The catalogues of a process. Parts of a service that share them share the indexes and documents in memory.
#[derive(Debug, Default)]
pub struct Catalogues {
    anime: OnceLock<SharedCatalogue<Anime>>,
    songs: OnceLock<SharedCatalogue<Song>>,
}

/// A kind of document that has a catalogue in [`Catalogues`].
pub trait SharedResource: Resource {
    /// Returns the catalogue of this kind.
    fn catalogue_in(catalogues: &Catalogues) -> &OnceLock<SharedCatalogue<Self>>;
}

impl Catalogues {
    /// Returns the catalogue of one kind. Only the first call creates it.
    pub fn get_or_create<R: SharedResource>(
        &self,
        create: impl FnOnce() -> Catalogue<R>,
    ) -> SharedCatalogue<R> {
        Arc::clone(R::catalogue_in(self).get_or_init(|| Arc::new(create())))
    }
}

impl SharedResource for Anime {
    fn catalogue_in(catalogues: &Catalogues) -> &OnceLock<SharedCatalogue<Self>> {
        &catalogues.anime
    }
}

impl SharedResource for Song {
    fn catalogue_in(catalogues: &Catalogues) -> &OnceLock<SharedCatalogue<Self>> {
        &catalogues.songs
    }
}
