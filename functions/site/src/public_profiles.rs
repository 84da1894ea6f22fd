//! The public profiles of users.

use std::sync::Arc;

use catalogue::SharedCatalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use quick_cache::sync::Cache;
use shared::Error;
use shared::models::{Anime, UserId, Username};
use store::{Account, UserStore};
use stories::{FinishedStory, KnownStatistics, PublicStories, StatisticsOwner, StatisticsReader};

/// The maximum number of names whose users are remembered.
const MAX_REMEMBERED: usize = 1000;

/// Reads public profiles. It remembers which user has a name, so that a profile that was read before needs one round
/// of reads fewer. The account is read every time, because its owner may have made the profile private.
#[derive(Debug)]
pub(crate) struct PublicProfiles {
    users: UserStore,
    statistics: StatisticsReader,
    catalogue: SharedCatalogue<Anime>,
    /// The remembered users. The keys are folded names.
    remembered: Cache<String, UserId>,
}

/// A public profile.
pub(crate) struct PublicProfile {
    pub owner: Account,
    pub stories: PublicStories,
    /// The latest stories with a date of completion that are not private.
    pub finished: Vec<FinishedStory>,
    /// True if the stories include every change.
    pub is_latest: bool,
    pub index: Arc<AnimeIndex>,
}

impl PublicProfiles {
    pub(crate) fn new(
        users: UserStore,
        statistics: StatisticsReader,
        catalogue: SharedCatalogue<Anime>,
    ) -> Self {
        Self {
            users,
            statistics,
            catalogue,
            remembered: Cache::new(MAX_REMEMBERED),
        }
    }

    /// Returns the profile of the user with this name, if it is public.
    pub(crate) async fn find(
        &self,
        name: Option<&Username>,
    ) -> Result<Option<PublicProfile>, Error> {
        let folded = name.map(Username::folded).unwrap_or_default();
        if let Some(id) = self.remembered.get(&folded) {
            let known = self.read_statistics(id);
            let (owner, (known, index)) = try_join!(self.users.account(id), known)?;
            let is_same = |owner: &Account| owner.public_profile && owner.username_folded == folded;
            if let Some(owner) = owner.filter(is_same) {
                return self.read_profile(owner, known, index).await;
            }
            self.remembered.remove(&folded);
        }
        let id = match name {
            Some(_) => self.users.find_by_username(&folded).await?,
            None => None,
        };
        // Read a row even for unknown users, and no stories for private profiles, so that the time does not reveal
        // which names exist.
        let owner = self.users.account(id.unwrap_or(UserId::LAST)).await?;
        let Some(owner) = owner.filter(|owner| owner.public_profile) else {
            return Ok(None);
        };
        self.remembered.insert(folded, owner.user.id);
        let (known, index) = self.read_statistics(owner.user.id).await?;
        self.read_profile(owner, known, index).await
    }

    async fn read_statistics(
        &self,
        id: UserId,
    ) -> Result<(KnownStatistics, Arc<AnimeIndex>), Error> {
        try_join!(self.statistics.read_stored(id), self.catalogue.index())
    }

    async fn read_profile(
        &self,
        owner: Account,
        known: KnownStatistics,
        index: Arc<AnimeIndex>,
    ) -> Result<Option<PublicProfile>, Error> {
        let account = StatisticsOwner::of(&owner);
        let mut current = self.statistics.read_current(account, known).await?;
        current.finished.retain(|story| !story.private);
        Ok(current.public.map(|stories| PublicProfile {
            owner,
            stories,
            finished: current.finished,
            is_latest: current.is_latest,
            index,
        }))
    }
}
