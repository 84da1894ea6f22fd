//! Services that have identifiers of anime.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::value_names;

// The names are those in requests.
value_names! {
    /// A service that has identifiers of anime.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum IdSource {
        /// `AniDB`.
        Anidb = "anidb",
        /// Tracker A.
        TrackerA = "tracker_a",
        /// Tracker B.
        TrackerB = "tracker_b",
        /// The Movie Database, which numbers series and movies separately.
        Database = "database",
        /// `IMDb`. The number of `tt0286390` is 286390.
        Imdb = "imdb",
        /// Kitsu.
        Kitsu = "kitsu",
        /// `TheTVDB`, which has one identifier for all seasons of a series.
        Tvdb = "tvdb",
    }
}

impl IdSource {
    /// Returns true if several anime can have the same identifier and differ by their seasons.
    pub fn has_seasons(self) -> bool {
        matches!(self, Self::Database | Self::Tvdb)
    }

    /// Returns true if the service has an identifier for each anime, not one for a whole series.
    pub fn is_of_anime(self) -> bool {
        !self.has_seasons() && self != Self::Imdb
    }
}

/// The kind of work that an identifier at another service names. A number can name a different work in each kind: at
/// The Movie Database, the series 1396 and the movie 1396 are two works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    /// An anime: one entry of a catalogue that has an entry for each season or part.
    Anime,
    /// A series with all its seasons.
    Series,
    /// A movie.
    Movie,
    /// An episode. It says nothing about its series.
    Episode,
}

/// An identifier as a file or a message states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StatedId {
    /// The service that has the identifier.
    pub source: IdSource,
    /// The kind of work that it names.
    pub kind: IdKind,
    /// The identifier.
    pub id: u32,
}

/// Reads an identifier of `IMDb`, such as `tt0286390`: `tt` and 7 to 9 digits, with zeros in front only up to 7 digits.
/// Returns its number, or `None` for any other text.
pub fn parse_imdb(text: &str) -> Option<u32> {
    let id = text.strip_prefix("tt")?.parse().ok()?;
    ((1..1_000_000_000).contains(&id) && format_imdb(id) == text).then_some(id)
}

/// Returns the identifier of `IMDb` with this number.
pub fn format_imdb(id: u32) -> String {
    format!("tt{id:07}")
}

#[cfg(test)]
mod tests {
    use super::{format_imdb, parse_imdb};

    #[test]
    fn identifier_of_imdb_has_one_spelling() {
        for text in ["tt0000001", "tt0286390", "tt12345678", "tt999999999"] {
            assert_eq!(parse_imdb(text).map(format_imdb).as_deref(), Some(text));
        }
        for text in [
            "",
            "tt",
            "286390",
            "tt286390",
            "tt00286390",
            "TT0286390",
            "tt0000000",
            "tt+286390",
            "tt-286390",
            "tt028639x",
            "tt0286390 ",
            "tt1000000000",
            "tt99999999999",
        ] {
            assert_eq!(parse_imdb(text), None, "{text}");
        }
    }
}
