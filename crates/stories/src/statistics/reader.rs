//! The current statistics of a user's stories (docs/api.md, "Statistics"), for the API and the pages. They are computed
//! from the list in memory ([`StoryStore::current_list`]), once for each change of the list or the catalogue.

use std::sync::Arc;

use accounts::users::Account;
use catalogue::SharedCatalogue;
use futures_util::try_join;
use shared::Result;
use shared::models::{Anime, ListVersion, UserId};

use super::current::{ComputedStatistics, CurrentStatistics};
use crate::lists::story_store::StoryStore;
use crate::lock::lock;

/// Computes statistics.
#[derive(Clone, Debug)]
pub struct StatisticsReader {
    stories: StoryStore,
    catalogue: SharedCatalogue<Anime>,
}

impl StatisticsReader {
    /// Creates a reader of the statistics of these stories. The first computation loads the index of the catalogue.
    pub fn new(stories: StoryStore, catalogue: SharedCatalogue<Anime>) -> Self {
        Self { stories, catalogue }
    }

    /// Returns the statistics of the stories of this account.
    pub async fn read_account(&self, account: &Account) -> Result<Arc<CurrentStatistics>> {
        let (list, is_public) = (&account.list, account.public_profile);
        self.read(account.user.id, list, is_public).await
    }

    /// Returns the statistics of a user's stories at this version of the list, or at a later one. `is_public` is true
    /// if the user's profile is public.
    pub async fn read(
        &self,
        owner: UserId,
        version: &ListVersion,
        is_public: bool,
    ) -> Result<Arc<CurrentStatistics>> {
        let list = self.stories.current_list(owner, version);
        let (list, index) = try_join!(list, self.catalogue.index())?;
        let memory = self.stories.lists.memory(owner);
        let cached = lock(&memory.statistics).clone();
        let cached = cached.and_then(|cached| cached.downcast::<ComputedStatistics>().ok());
        if let Some(cached) = cached.filter(|cached| cached.is_of(&list, &index, is_public)) {
            return Ok(Arc::clone(&cached.statistics));
        }
        let statistics = CurrentStatistics::new(&list, &index, is_public);
        let computed = ComputedStatistics {
            list: Arc::downgrade(&list),
            index: Arc::downgrade(&index),
            is_public,
            statistics: Arc::new(statistics),
        };
        let statistics = Arc::clone(&computed.statistics);
        *lock(&memory.statistics) = Some(Arc::new(computed));
        Ok(statistics)
    }
}
