//! The season map: from an episode of a series to an episode of an anime (docs/trackers.md, "Season maps").
//!
//! Media servers number episodes as `TheTVDB` and The Movie Database do: by series, season and number, with the
//! specials in season 0. The catalogue has an anime for each season or part. An import or refresh of the list of
//! anime-lists publishes a [`SeasonMap`] as a separate snapshot. A function loads it at the first lookup
//! ([`Catalogue::seasons`](crate::served::catalogue::Catalogue::seasons)), and joins it with the identifiers of the
//! mapping.
//!
//! [`AnimeSeasons::identify`] looks up what lists, messages and names of files say about an anime.

mod join;
mod loaded;
mod map;
mod placement;
#[cfg(test)]
mod tests;

pub use join::{AnimeEpisode, AnimeSeasons};
pub use loaded::publish_seasons;
pub(crate) use loaded::{LoadedSeasons, unloaded_seasons};
pub(crate) use map::MoviePart;
pub use map::{AnidbEpisode, Candidates, SeasonMap};
pub use placement::Series;
pub(crate) use placement::{DefaultSeason, EpisodePair, EpisodeRange, Placement};
