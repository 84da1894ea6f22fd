//! The facts that exports of watch histories state about anime.

use std::collections::HashMap;
use std::sync::Arc;

use shared::models::{Anime, AnimeId};

use crate::index::{AnimeIndex, AnimeSummary};

/// Summaries of anime ([`crate::served::catalogue::Catalogue::summaries`]).
#[derive(Debug)]
pub struct AnimeSummaries {
    index: Arc<AnimeIndex>,
    /// The anime whose current version is not in the index.
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
    pub fn get(&self, id: AnimeId) -> Option<AnimeSummary<'_>> {
        let read = self.read.get(&id).map(AnimeSummary::from);
        read.or_else(|| self.index.summary(id))
    }
}
