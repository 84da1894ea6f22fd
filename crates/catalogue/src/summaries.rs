//! What exports of watch histories state about anime.

use std::collections::HashMap;
use std::sync::Arc;

use shared::models::{Anime, AnimeFormat, AnimeId, TrackerIds};

use crate::index::{AnimeIndex, main_title};

/// What an export states about an anime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnimeSummary<'s> {
    /// The romanized title, or the first title in another language if there is none.
    pub title: &'s str,
    /// The format.
    pub format: AnimeFormat,
    /// The number of episodes, 0 if it is unknown.
    pub episodes_count: u32,
    /// The identifiers at the trackers.
    pub trackers: TrackerIds,
}

impl<'s> From<&'s Anime> for AnimeSummary<'s> {
    fn from(anime: &'s Anime) -> Self {
        Self {
            title: main_title(&anime.titles),
            format: anime.format,
            episodes_count: anime.episodes_count,
            trackers: TrackerIds::of(anime),
        }
    }
}

/// Summaries of anime ([`crate::Catalogue::summaries`]).
#[derive(Debug)]
pub struct AnimeSummaries {
    index: Arc<AnimeIndex>,
    /// The anime that are not in the index as they are now.
    read: HashMap<AnimeId, Anime>,
}

impl AnimeSummaries {
    pub(crate) fn new(index: Arc<AnimeIndex>, read: Vec<Anime>) -> Self {
        let read = read.into_iter().map(|anime| (anime.id, anime));
        Self {
            index,
            read: read.collect(),
        }
    }

    /// Returns the summary of an anime; `None` if the catalogue does not have it.
    #[must_use]
    pub fn get(&self, id: AnimeId) -> Option<AnimeSummary<'_>> {
        let read = self.read.get(&id).map(AnimeSummary::from);
        read.or_else(|| self.index.summary(id))
    }
}
