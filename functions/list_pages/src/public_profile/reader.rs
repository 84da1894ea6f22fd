//! The reader of public profiles.

use std::sync::Arc;

use accounts::users::{Account, Picture, UserStore};
use catalogue::SharedCatalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use quick_cache::sync::Cache;
use shared::Result;
use shared::models::{Anime, UserId, Username};
use stories::statistics::{CurrentStatistics, FinishedStory, PublicStories, StatisticsReader};

/// The maximum number of names whose users are remembered.
const MAX_REMEMBERED: usize = 1000;

/// Reads public profiles. It remembers which user has a name, so that a profile that was read before needs one less
/// round of reads. The account is read every time, because its owner may have made the profile private.
#[derive(Debug)]
pub(crate) struct PublicProfileReader {
    users: UserStore,
    statistics: StatisticsReader,
    catalogue: SharedCatalogue<Anime>,
    /// The remembered users. The keys are folded names.
    remembered: Cache<String, UserId>,
}

/// A public profile.
pub(crate) struct PublicProfile {
    pub owner: Account,
    pub stories: Arc<PublicStories>,
    current: Arc<CurrentStatistics>,
    pub index: Arc<AnimeIndex>,
}

impl PublicProfile {
    /// Returns the stories with a date of completion that are not private, latest first.
    pub(crate) fn finished(&self) -> impl Iterator<Item = FinishedStory> {
        let finished = self.current.finished.iter();
        finished.filter(|story| !story.private).copied()
    }
}

impl PublicProfileReader {
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

    /// Returns the picture of the user with this name, if the profile is public or belongs to `visitor`.
    pub(crate) async fn find_picture(
        &self,
        name: Option<&Username>,
        visitor: Option<UserId>,
    ) -> Result<Option<Picture>> {
        let id = match name {
            Some(name) => self.users.find_by_username(&name.folded()).await?,
            None => None,
        };
        // As in `find`, a row is read even for unknown users.
        let owner = self.users.account(id.unwrap_or(UserId::LAST)).await?;
        let is_visible = |owner: &Account| owner.public_profile || visitor == Some(owner.user.id);
        let owner = owner.filter(is_visible);
        let Some((id, digest)) = owner.and_then(|owner| Some((owner.user.id, owner.picture?)))
        else {
            return Ok(None);
        };
        self.users.peek_picture(id, &digest).await
    }

    /// Returns the profile of the user with this name, if it is public.
    pub(crate) async fn find(&self, name: Option<&Username>) -> Result<Option<PublicProfile>> {
        let folded = name.map(Username::folded).unwrap_or_default();
        if let Some(id) = self.remembered.get(&folded) {
            let owner = self.users.account(id).await?;
            let is_same = |owner: &Account| owner.public_profile && owner.username_folded == folded;
            if let Some(owner) = owner.filter(is_same) {
                return self.read_profile(owner).await;
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
        self.read_profile(owner).await
    }

    async fn read_profile(&self, owner: Account) -> Result<Option<PublicProfile>> {
        let current = self.statistics.read_account(&owner);
        let (current, index) = try_join!(current, self.catalogue.index())?;
        let stories = current.public.as_ref().map(Arc::clone);
        Ok(stories.map(|stories| PublicProfile {
            owner,
            stories,
            current,
            index,
        }))
    }
}
