//! The public profiles of users.

use std::sync::Arc;

use catalogue::SharedCatalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use quick_cache::sync::Cache;
use shared::Error;
use shared::models::{Anime, UserId, Username};
use store::{Account, UserStore};
use stories::{KnownStatistics, PublicStories, StatisticsOwner, StatisticsReader};

/// The maximum number of names whose users are remembered.
const MAX_REMEMBERED: usize = 1000;

/// Reads public profiles. It remembers the user of each name, so that a profile that was read before takes one round of
/// reads. The account is read every time, because its owner may have made the profile private.
#[derive(Debug)]
pub(crate) struct PublicProfiles {
    users: UserStore,
    statistics: StatisticsReader,
    catalogue: SharedCatalogue<Anime>,
    /// The users by folded name.
    remembered: Cache<String, UserId>,
}

/// A public profile.
pub(crate) struct Profile {
    pub owner: Account,
    pub stories: PublicStories,
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
    pub(crate) async fn find(&self, name: Option<&Username>) -> Result<Option<Profile>, Error> {
        let folded = name.map(Username::folded).unwrap_or_default();
        if let Some(id) = self.remembered.get(&folded) {
            let known = self.known(id);
            let (owner, (known, index)) = try_join!(self.users.account(id), known)?;
            let is_same = |owner: &Account| owner.public_profile && owner.username_folded == folded;
            if let Some(owner) = owner.filter(is_same) {
                return self.profile(owner, known, index).await;
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
        let (known, index) = self.known(owner.user.id).await?;
        self.profile(owner, known, index).await
    }

    async fn known(&self, id: UserId) -> Result<(KnownStatistics, Arc<AnimeIndex>), Error> {
        try_join!(self.statistics.known(id), self.catalogue.index())
    }

    async fn profile(
        &self,
        owner: Account,
        known: KnownStatistics,
        index: Arc<AnimeIndex>,
    ) -> Result<Option<Profile>, Error> {
        let account = StatisticsOwner::of(&owner);
        let current = self.statistics.current(account, known).await?;
        Ok(current.public.map(|stories| Profile {
            owner,
            stories,
            is_latest: current.is_latest,
            index,
        }))
    }
}
