//! The derived neighbors of an anime, and their merge into its row.

use shared::models::{Anime, AnimeId};

use crate::import::DocumentFacts;
use crate::rows::anime::{AnimeNotes, FactSource};
use crate::rows::document::CatalogueRow;

/// The field with the preceding anime, which the API calls `sequel` (docs/api.md, "Anime").
pub(super) const PRECEDING: &str = "sequel";

/// The field with the following anime, which the API calls `prequel` (docs/api.md, "Anime").
pub(super) const FOLLOWING: &str = "prequel";

/// The derived neighbors of an anime. Unlike the facts of a source, they also remove a neighbor that was derived
/// earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NeighborFacts {
    pub id: AnimeId,
    pub preceding: Option<AnimeId>,
    pub following: Option<AnimeId>,
}

impl NeighborFacts {
    /// Returns facts without neighbors.
    pub fn new(id: AnimeId) -> Self {
        Self {
            id,
            preceding: None,
            following: None,
        }
    }
}

impl DocumentFacts for NeighborFacts {
    type Document = Anime;

    fn id(&self) -> u64 {
        self.id.get()
    }

    fn is_about(&self, known: &Anime) -> bool {
        known.id == self.id
    }

    fn merge_into(self, known: Option<CatalogueRow<Anime>>) -> Option<CatalogueRow<Anime>> {
        let mut row = known?;
        let (anime, notes) = (&mut row.document, &mut row.notes);
        set(notes, PRECEDING, &mut anime.sequel, self.preceding);
        set(notes, FOLLOWING, &mut anime.prequel, self.following);
        Some(row)
    }
}

/// Sets or removes a neighbor, unless a source states one.
fn set(
    notes: &mut AnimeNotes,
    field: &str,
    target: &mut Option<AnimeId>,
    neighbor: Option<AnimeId>,
) {
    let is_free = match notes.sources.get(field) {
        Some(source) => *source == FactSource::Derived,
        // An earlier version of the service did not record the sources of its values.
        None => target.is_none(),
    };
    if !is_free {
        return;
    }
    *target = neighbor;
    if neighbor.is_some() {
        notes.sources.insert(field.to_owned(), FactSource::Derived);
    } else {
        notes.sources.remove(field);
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{Anime, AnimeFormat, AnimeId};

    use super::{FOLLOWING, NeighborFacts, PRECEDING};
    use crate::import::DocumentFacts;
    use crate::rows::anime::FactSource;
    use crate::rows::document::CatalogueRow;

    fn id(number: u64) -> AnimeId {
        AnimeId::new(number).unwrap()
    }

    #[test]
    fn neighbors_fill_what_no_source_states() {
        let mut row: CatalogueRow<Anime> = Anime::new(id(2), AnimeFormat::Tv).into();
        row.document.prequel = Some(id(9));
        let sources = &mut row.notes.sources;
        sources.insert(FOLLOWING.to_owned(), FactSource::AniList);
        let facts = NeighborFacts {
            id: id(2),
            preceding: Some(id(1)),
            following: Some(id(3)),
        };
        let filled = facts.merge_into(Some(row.clone())).unwrap();
        let neighbors = (filled.document.sequel, filled.document.prequel);
        assert_eq!(neighbors, (Some(id(1)), Some(id(9))));
        assert_eq!(filled.notes.sources[PRECEDING], FactSource::Derived);
        let removed = NeighborFacts::new(id(2)).merge_into(Some(filled)).unwrap();
        assert_eq!(removed, row, "only the derived one is removed");
    }

    #[test]
    fn value_of_an_unknown_source_is_kept() {
        let mut row: CatalogueRow<Anime> = Anime::new(id(2), AnimeFormat::Tv).into();
        row.document.sequel = Some(id(9));
        let kept = NeighborFacts {
            preceding: Some(id(1)),
            ..NeighborFacts::new(id(2))
        };
        assert_eq!(kept.merge_into(Some(row.clone())), Some(row));
    }
}
