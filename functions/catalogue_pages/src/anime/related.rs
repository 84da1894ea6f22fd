//! The anime that the page of another anime shows: its story line, and similar anime.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use catalogue::index::{AnimeIndex, ListIndex};
use page_parts::StoryPagesState;
use shared::Result;
use shared::models::{Anime, AnimeId};

/// The maximum number of similar anime on the page.
const MAX_SIMILAR: usize = 12;

/// The maximum number of anime before and after this one on the page. Only the document of an anime names its
/// neighbors, so each of them is a round of reads, until the process has the documents in its memory.
const MAX_STEPS: usize = 5;

/// The anime that the page of another anime shows.
#[derive(Debug)]
pub(super) struct RelatedAnime {
    /// The preceding anime in the story line, the nearest first.
    pub before: Vec<Arc<Anime>>,
    /// The following anime in the story line, the nearest first.
    pub after: Vec<Arc<Anime>>,
    /// True if the story line begins before the anime in `before`.
    pub has_earlier: bool,
    /// True if the story line goes on after the anime in `after`.
    pub has_later: bool,
    /// Similar anime, the best rated first. Those for adults are left out, unless this anime is one of them.
    pub similar: Vec<Arc<Anime>>,
}

impl RelatedAnime {
    /// Returns the identifiers of all anime.
    pub(super) fn ids(&self) -> impl Iterator<Item = AnimeId> {
        let all = [&self.before, &self.after, &self.similar];
        all.into_iter().flatten().map(|anime| anime.id)
    }

    /// Reads the related anime. Anime that the catalogue no longer has are left out.
    pub(super) async fn read(
        state: &StoryPagesState,
        index: &AnimeIndex,
        anime: &Anime,
    ) -> Result<Self> {
        let similar = anime.recommendations.iter().flatten().copied();
        let similar = similar.filter(|id| *id != anime.id);
        let similar: Vec<AnimeId> = similar.take(MAX_SIMILAR).collect();
        // The API calls the preceding anime `sequel` and the following one `prequel` (docs/api.md, "Anime").
        let mut before = Direction::new(anime.sequel, |anime| anime.sequel);
        let mut after = Direction::new(anime.prequel, |anime| anime.prequel);
        let mut known: HashMap<AnimeId, Arc<Anime>> = HashMap::new();
        // Neighbors that name each other in a circle end the line.
        let mut seen = HashSet::from([anime.id]);
        for step in 0..MAX_STEPS {
            let neighbors = [before.next, after.next].into_iter().flatten();
            let others = similar.iter().copied().filter(|_| step == 0);
            let wanted: HashSet<AnimeId> = neighbors.chain(others).collect();
            let rows = wanted.iter().filter(|id| !known.contains_key(*id));
            let rows: Vec<_> = rows.filter_map(|id| index.find(id.get())).collect();
            if !rows.is_empty() {
                let found = state.catalogue.resources(&rows).await?;
                known.extend(found.into_iter().map(|anime| (anime.id, anime)));
            }
            before.go_on(&known, &mut seen);
            after.go_on(&known, &mut seen);
            if before.next.or(after.next).is_none() {
                break;
            }
        }
        let similar = similar.iter().filter_map(|id| known.get(id).cloned());
        let similar = similar.filter(|other| anime.nsfw || !other.nsfw);
        Ok(Self {
            similar: similar.collect(),
            has_earlier: before.has_more(index, &seen),
            has_later: after.has_more(index, &seen),
            before: before.found,
            after: after.found,
        })
    }
}

/// The story line in one direction.
struct Direction {
    found: Vec<Arc<Anime>>,
    next: Option<AnimeId>,
    next_of: fn(&Anime) -> Option<AnimeId>,
}

impl Direction {
    fn new(first: Option<AnimeId>, next_of: fn(&Anime) -> Option<AnimeId>) -> Self {
        Self {
            found: Vec::new(),
            next: first,
            next_of,
        }
    }

    /// Adds the next anime if it is known and not in the story line yet.
    fn go_on(&mut self, known: &HashMap<AnimeId, Arc<Anime>>, seen: &mut HashSet<AnimeId>) {
        let next = self.next.take().filter(|id| seen.insert(*id));
        if let Some(anime) = next.and_then(|id| known.get(&id)) {
            self.next = (self.next_of)(anime);
            self.found.push(Arc::clone(anime));
        }
    }

    /// Returns true if the line has another anime.
    fn has_more(&self, index: &AnimeIndex, seen: &HashSet<AnimeId>) -> bool {
        let next = self.next.filter(|id| !seen.contains(id));
        next.is_some_and(|id| index.find(id.get()).is_some())
    }
}
