//! Identifiers of anime at other services.

use serde::{Deserialize, Serialize};
use shared::models::{IdKind, TrackerIds};
pub use shared::models::{IdSource, format_imdb, parse_imdb};

/// An identifier of an anime at another service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identifier {
    /// The other service.
    pub source: IdSource,
    /// The identifier there.
    pub id: u32,
    /// The season of the series; 0 stands for specials. `None` for a movie, if the mapping file names no season, and at
    /// sources other than [`IdSource::Database`] and [`IdSource::Tvdb`].
    pub season: Option<u16>,
    /// At [`IdSource::Database`]: true for a movie, false for a series, `None` if unknown.
    pub is_movie: Option<bool>,
}

impl Identifier {
    /// Returns an identifier without a season.
    pub fn new(source: IdSource, id: u32) -> Self {
        Self {
            source,
            id,
            season: None,
            is_movie: None,
        }
    }

    /// Returns true if the identifier can stand for this season of a series: it is not known to be a movie, and its
    /// season is equal or unknown.
    pub fn may_have_season(&self, season: u16) -> bool {
        self.is_movie != Some(true) && self.season.is_none_or(|known| known == season)
    }

    /// Returns true if the identifier can be in the number space that its source has for this kind of work.
    pub fn may_be(&self, kind: IdKind) -> bool {
        match (self.source, kind) {
            (IdSource::Database, IdKind::Movie) => self.is_movie != Some(false),
            (IdSource::Database, IdKind::Series) => self.is_movie != Some(true),
            (IdSource::Tvdb, kind) => kind == IdKind::Series,
            // IMDb has one number space for series and movies.
            (IdSource::Imdb, kind) => matches!(kind, IdKind::Series | IdKind::Movie),
            (source, kind) => source.is_of_anime() && kind == IdKind::Anime,
        }
    }
}

/// An entry of the mapping file: the identifiers of an anime at the trackers, and those at other services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingEntry {
    /// The identifiers at the trackers, by which the anime is found in the catalogue.
    pub trackers: TrackerIds,
    /// The identifiers at other services.
    pub elsewhere: Vec<Identifier>,
}
