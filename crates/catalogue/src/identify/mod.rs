//! The anime that is meant by something that comes from outside: an entry of a list, a message of a player, or the
//! name of a file (docs/trackers.md, "Which anime is meant").
//!
//! [`AnimeSeasons::identify`] reads the [`Evidence`] in this order:
//! 1. The identifier in this service.
//! 2. Identifiers at other services, each in its own number space (`ids`). A title, a year or a format that
//!    contradicts an identifier makes it uncertain.
//! 3. Titles, and then the readings of a file name (`names`).

mod evidence;
mod ids;
mod name_query;
mod names;
mod numbered_episodes;
mod searches;
#[cfg(test)]
mod tests;
mod title;
mod title_matches;

use std::mem;

pub use self::evidence::{
    Conflict, Contradiction, EpisodeName, Evidence, Identification, MatchReason,
};
pub use self::searches::{NameLimits, NameSearches};
use crate::seasons::AnimeSeasons;

/// The maximum number of episodes that are returned.
pub const MAX_GUESSES: usize = 3;

impl AnimeSeasons {
    /// Returns the anime and the episode that the evidence names, or those that it may name.
    ///
    /// If the texts of the index are not loaded, names lead to nothing. Returns `None` if a search was left out,
    /// because `searches` has no work left.
    pub fn identify(
        &self,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Option<Identification> {
        searches.has_left_out = false;
        let found = self.identify_within(evidence, searches);
        (!searches.has_left_out).then_some(found)
    }

    fn identify_within(&self, evidence: &Evidence, searches: &mut NameSearches) -> Identification {
        let mut found = self.identify_by_ids(evidence, searches);
        if found.certain.is_some() {
            return found;
        }
        let mut by_name = self.identify_by_titles(evidence, searches);
        let mut is_named = found.is_named() || by_name.is_named();
        if by_name.certain.is_none() {
            let readings = evidence.readings.iter().cloned();
            let mut others = self.identify_by_names(readings, evidence, true, searches);
            is_named |= others.is_named();
            if others.certain.is_some() || by_name.candidates.is_empty() {
                mem::swap(&mut by_name, &mut others);
            }
            by_name.add(others.candidates);
        }
        if let Some(certain) = by_name.certain()
            && found.conflicts.is_empty()
            && !self.is_other_by_ids(certain.anime, evidence)
        {
            return by_name;
        }
        found.is_by_file = found.candidates.is_empty() && by_name.is_by_file;
        found.add(by_name.candidates);
        found.is_only_similar = !found.candidates.is_empty() && !is_named;
        found
    }
}
