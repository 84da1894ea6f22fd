//! The current statistics of a user's stories (docs/api.md, "Statistics"), for the API and the pages.

use catalogue::SharedCatalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use serde::{Deserialize, Serialize};
use shared::Error;
use shared::clock::Clock;
use shared::models::{Anime, Statistics, UserId};
use store::{SETTLED_MS, StatisticsStore, StoredStatistics, StoryFacts};

/// The maximum number of stories of a user whose statistics are never out of date. A computation for as many reads 100
/// to 300 KB without long notes: 25 to 75 read units.
const MAX_SMALL: u64 = 1000;

/// The time for which the statistics of a user with more stories are not computed again, in milliseconds: 1 hour.
const INTERVAL_MS: u64 = 60 * 60 * 1000;

/// The layout of [`Contents`]. It must be increased with every change of the serialized types.
const FORMAT: u32 = 1;

/// The bytes of [`StoredStatistics::contents`].
#[derive(Serialize, Deserialize)]
struct Contents {
    format: u32,
    all: Statistics,
    /// The statistics without private stories, if there are any.
    public: Option<Statistics>,
}

impl Contents {
    fn new(stories: &[StoryFacts], index: &AnimeIndex) -> Self {
        let (mut all, mut public) = (Statistics::default(), Statistics::default());
        let has_private = stories.iter().any(|story| story.private);
        for story in stories {
            let anime = index.watched(story.anime_id);
            all.add(&story.watched, anime.as_ref());
            if has_private && !story.private {
                public.add(&story.watched, anime.as_ref());
            }
        }
        Self {
            format: FORMAT,
            all,
            public: has_private.then_some(public),
        }
    }

    /// Reads the contents; `None` if another version of the service has written them.
    fn read(bytes: &[u8]) -> Option<Self> {
        let contents: Self = catalogue::decode(bytes)?;
        (contents.format == FORMAT).then_some(contents)
    }
}

/// Returns true if stored statistics need not be computed again. `change_number` and `version` are the present ones.
fn is_current(
    stored: &StoredStatistics,
    change_number: u64,
    version: Option<u64>,
    now: u64,
) -> bool {
    let age = now.saturating_sub(stored.computed_at);
    if stored.story_count > MAX_SMALL && age < INTERVAL_MS {
        return true;
    }
    // A query can miss a change of the last moments, although the owner's row has its number already. Change numbers
    // are times in microseconds.
    let changed_at = change_number / 1000;
    let is_settled = stored.computed_at >= changed_at.saturating_add(SETTLED_MS);
    let has_same = stored.change_number == change_number && stored.catalogue_version == version;
    has_same && (is_settled || age < SETTLED_MS)
}

/// Reads statistics, and computes them if those that are stored are out of date.
#[derive(Debug)]
pub struct UserStatistics {
    store: StatisticsStore,
    catalogue: SharedCatalogue<Anime>,
    clock: Clock,
}

/// The result of [`UserStatistics::known`].
#[derive(Debug)]
pub struct KnownStatistics {
    stored: Option<StoredStatistics>,
    version: Option<u64>,
}

/// The statistics of a user at a time.
pub struct CurrentStatistics {
    /// The time of the computation, in milliseconds since the Unix epoch.
    pub computed_at: u64,
    contents: Contents,
}

impl CurrentStatistics {
    /// Returns the statistics, with or without private stories.
    #[must_use]
    pub fn into_statistics(self, with_private: bool) -> Statistics {
        match self.contents.public {
            Some(public) if !with_private => public,
            _ => self.contents.all,
        }
    }
}

impl UserStatistics {
    /// Returns the statistics in this store. The first computation loads the index of the catalogue.
    #[must_use]
    pub fn new(store: StatisticsStore, catalogue: SharedCatalogue<Anime>, clock: Clock) -> Self {
        Self {
            store,
            catalogue,
            clock,
        }
    }

    /// Reads the stored statistics of a user, which may be out of date. A caller can read the user's row at the same
    /// time.
    pub async fn known(&self, owner: UserId) -> Result<KnownStatistics, Error> {
        let (stored, version) = try_join!(self.store.find(owner), self.catalogue.version())?;
        Ok(KnownStatistics { stored, version })
    }

    /// Returns the stored statistics if they are current, or else new ones. `change_number` is the number of the last
    /// change of the owner's stories.
    pub async fn current(
        &self,
        owner: UserId,
        known: KnownStatistics,
        change_number: u64,
    ) -> Result<CurrentStatistics, Error> {
        let now = self.clock.now_ms();
        let KnownStatistics { stored, version } = known;
        let stored = stored.filter(|stored| is_current(stored, change_number, version, now));
        if let Some(stored) = stored
            && let Some(contents) = Contents::read(&stored.contents)
        {
            return Ok(CurrentStatistics {
                computed_at: stored.computed_at,
                contents,
            });
        }
        let index = self.catalogue.index_and_version();
        let ((index, version), stories) = try_join!(index, self.store.stories(owner))?;
        let contents = Contents::new(&stories, &index);
        let stored = StoredStatistics {
            user_id: owner,
            computed_at: now,
            change_number,
            catalogue_version: version,
            story_count: stories.len() as u64,
            contents: catalogue::encode(&contents)?,
        };
        self.store.put(&stored).await?;
        Ok(CurrentStatistics {
            computed_at: now,
            contents,
        })
    }
}

#[cfg(test)]
mod tests {
    use shared::models::UserId;
    use store::StoredStatistics;

    use super::{INTERVAL_MS, MAX_SMALL, SETTLED_MS, is_current};

    const CHANGED_AT: u64 = 1_700_000_000_000;

    fn stored(story_count: u64, after: u64) -> StoredStatistics {
        StoredStatistics {
            user_id: UserId::LAST,
            computed_at: CHANGED_AT + after,
            change_number: CHANGED_AT * 1000,
            catalogue_version: Some(7),
            story_count,
            contents: Vec::new(),
        }
    }

    #[test]
    fn small_lists_are_always_current() {
        let (number, version) = (CHANGED_AT * 1000, Some(7));
        let later = CHANGED_AT + 10 * INTERVAL_MS;
        let settled = stored(MAX_SMALL, SETTLED_MS);
        assert!(is_current(&settled, number, version, later));
        assert!(!is_current(&settled, number + 1, version, later));
        assert!(!is_current(&settled, number, Some(8), later));
        assert!(!is_current(&settled, number, None, later));
        // A computation just after a change may have missed it, and is repeated once.
        let early = stored(MAX_SMALL, SETTLED_MS - 1);
        assert!(is_current(
            &early,
            number,
            version,
            early.computed_at + SETTLED_MS - 1
        ));
        assert!(!is_current(
            &early,
            number,
            version,
            early.computed_at + SETTLED_MS
        ));
    }

    #[test]
    fn large_lists_are_computed_once_an_hour() {
        let large = stored(MAX_SMALL + 1, 0);
        let at = |age| is_current(&large, CHANGED_AT * 1000 + 1, None, CHANGED_AT + age);
        assert!(at(INTERVAL_MS - 1));
        assert!(!at(INTERVAL_MS));
    }
}
