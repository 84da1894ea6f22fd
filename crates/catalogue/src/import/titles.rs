//! Conversion of `AniDB`'s titles to facts about known anime (docs/trackers.md, "AniDB's titles").

use std::collections::HashSet;

use shared::models::AnimeId;

use super::anime::AnimeFacts;
use super::ids::AnimeIds;
use super::limits::{DUPLICATE, TWO_ANIME};
use super::localized::LocalizedTitles;
use super::mapping::IdMapping;
use super::report::Skip;
use super::title_dump::DumpTitle;
use crate::rows::anime::FactSource;

/// The reason for skipping an anime for which the mapping has no identifier at a tracker.
pub const NOT_MAPPED: &str = "the mapping has no tracker id of it";

/// The reason for skipping an anime that the catalogue does not have.
pub const NOT_KNOWN: &str = "it is not in the catalogue";

/// Converts the titles of a dump to facts about known anime.
#[derive(Debug)]
pub struct TitleFacts<'t> {
    mapping: &'t IdMapping,
    ids: &'t AnimeIds,
    /// The anime of the entries that were converted.
    seen: HashSet<AnimeId>,
}

impl<'t> TitleFacts<'t> {
    /// Creates a converter without entries. `ids` has the anime of the catalogue.
    pub fn new(mapping: &'t IdMapping, ids: &'t AnimeIds) -> Self {
        Self {
            mapping,
            ids,
            seen: HashSet::new(),
        }
    }

    /// Converts the titles of the anime with this identifier at `AniDB` to facts.
    ///
    /// # Errors
    /// The reason for skipping the anime.
    pub fn convert(&mut self, anidb_id: u32, titles: &[DumpTitle]) -> Result<AnimeFacts, Skip> {
        self.try_convert(anidb_id, titles).map_err(|reason| {
            let about = titles.first().map(|title| title.text.clone());
            Skip::new(reason, about.unwrap_or_default())
        })
    }

    fn try_convert(
        &mut self,
        anidb_id: u32,
        titles: &[DumpTitle],
    ) -> Result<AnimeFacts, &'static str> {
        let mapped = self.mapping.trackers_of(anidb_id);
        if mapped.a.is_none() && mapped.b.is_none() {
            return Err(NOT_MAPPED);
        }
        let id = self.ids.find(mapped)?.ok_or(NOT_KNOWN)?;
        // The facts have the identifiers of the row. The mapping's identifiers serve only to find the row.
        let trackers = self.ids.trackers_of(id).unwrap_or_default();
        if trackers.contradict(mapped) {
            return Err(TWO_ANIME);
        }
        if !self.seen.insert(id) {
            return Err(DUPLICATE);
        }
        let localized = LocalizedTitles::new(titles);
        let mut facts = AnimeFacts::new(id, FactSource::AniDb, trackers);
        facts.fields.titles = localized.titles;
        facts.fields.probable_titles = localized.fallback_titles;
        facts.fields.synonyms = localized.synonyms;
        facts.check_texts()?;
        Ok(facts)
    }
}
