//! The relations between anime, which a tracker states by its own identifiers.

use std::collections::BTreeSet;

use catalogue::import::{AnimeFacts, AnimeIds};
use catalogue::rows::FactSource;
use shared::models::{AnimeId, TrackerName};

/// The maximum number of recommendations that are stored for an anime.
const MAX_RECOMMENDATIONS: usize = 25;

/// The related anime of an anime, by their identifiers at a tracker.
#[derive(Clone, Debug)]
pub struct TrackerRelations {
    pub id: AnimeId,
    pub tracker: TrackerName,
    pub preceding: Vec<u32>,
    pub successive: Vec<u32>,
    /// Similar anime, best recommendation first.
    pub similar: Vec<u32>,
}

/// The related anime of an anime that are in the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundRelations {
    preceding: Option<AnimeId>,
    successive: Option<AnimeId>,
    similar: Vec<AnimeId>,
}

impl TrackerRelations {
    /// Returns the relations to anime in the catalogue: the first preceding and the first successive anime, and at
    /// most [`MAX_RECOMMENDATIONS`] similar anime.
    pub fn find(&self, ids: &AnimeIds) -> FoundRelations {
        let find = |numbers: &[u32]| {
            let found = numbers
                .iter()
                .filter_map(|number| ids.at(self.tracker, *number));
            found.filter(|id| *id != self.id).collect::<Vec<_>>()
        };
        let mut seen = BTreeSet::new();
        let mut similar = find(&self.similar);
        similar.retain(|id| seen.insert(*id));
        similar.truncate(MAX_RECOMMENDATIONS);
        FoundRelations {
            preceding: find(&self.preceding).first().copied(),
            successive: find(&self.successive).first().copied(),
            similar,
        }
    }

    /// Returns facts that state only these relations.
    pub fn facts(&self, found: FoundRelations, ids: &AnimeIds) -> AnimeFacts {
        let trackers = ids.trackers_of(self.id).unwrap_or_default();
        let source = match self.tracker {
            TrackerName::A => FactSource::AniList,
            TrackerName::B => FactSource::MyAnimeList,
        };
        found.add_to(AnimeFacts::new(self.id, source, trackers))
    }
}

impl FoundRelations {
    /// Adds these relations to the facts. The API calls the preceding anime `sequel` and the successive anime
    /// `prequel` (docs/api.md, "Anime").
    pub fn add_to(self, mut facts: AnimeFacts) -> AnimeFacts {
        facts.fields.sequel = self.preceding;
        facts.fields.prequel = self.successive;
        facts.fields.recommendations = (!self.similar.is_empty()).then_some(self.similar);
        facts
    }
}
