//! The current statistics of a user's stories (docs/api.md, "Statistics"), for the API and the pages. They are computed
//! from the list in memory ([`StoryStore::current_list`]), once for each change of the list or the catalogue.

use std::sync::Arc;

use accounts::users::Account;
use catalogue::SharedCatalogue;
use futures_util::try_join;
use shared::Error;
use shared::models::{Anime, ListVersion, UserId};

use super::current::{ComputedStatistics, CurrentStatistics};
use crate::lists::story_store::StoryStore;
use crate::lock::lock;

/// The owner of statistics, with the values of the owner's row that they depend on.
#[derive(Clone, Copy, Debug)]
pub struct StatisticsOwner<'a> {
    /// The user.
    pub id: UserId,
    /// The version of the user's list.
    pub list: &'a ListVersion,
    /// True if the user's profile is public.
    pub is_public: bool,
}

impl<'a> StatisticsOwner<'a> {
    /// Returns the owner of this account.
    #[must_use]
    pub fn of(account: &'a Account) -> Self {
        Self {
            id: account.user.id,
            list: &account.list,
            is_public: account.public_profile,
        }
    }
}

/// Computes statistics.
#[derive(Clone, Debug)]
pub struct StatisticsReader {
    stories: StoryStore,
    catalogue: SharedCatalogue<Anime>,
}

impl StatisticsReader {
    /// Creates a reader of the statistics of these stories. The first computation loads the index of the catalogue.
    #[must_use]
    pub fn new(stories: StoryStore, catalogue: SharedCatalogue<Anime>) -> Self {
        Self { stories, catalogue }
    }

    /// Returns the statistics of a user's stories as they are at this version of the list, or a later one.
    pub async fn read(&self, owner: StatisticsOwner<'_>) -> Result<Arc<CurrentStatistics>, Error> {
        let list = self.stories.current_list(owner.id, owner.list);
        let (list, index) = try_join!(list, self.catalogue.index())?;
        let slot = self.stories.lists.slot(owner.id);
        let known = lock(&slot.statistics).clone();
        if let Some(known) = known.filter(|known| known.is_of(&list, &index, owner.is_public)) {
            return Ok(known.statistics);
        }
        let statistics = CurrentStatistics::new(&list, &index, owner.is_public);
        let computed = ComputedStatistics {
            list: Arc::downgrade(&list),
            index: Arc::downgrade(&index),
            is_public: owner.is_public,
            statistics: Arc::new(statistics),
        };
        let statistics = Arc::clone(&computed.statistics);
        *lock(&slot.statistics) = Some(computed);
        Ok(statistics)
    }
}
