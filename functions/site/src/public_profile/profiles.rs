//! The public profiles of users.

use std::sync::Arc;

use catalogue::SharedCatalogue;
use catalogue::index::AnimeIndex;
use futures_util::try_join;
use quick_cache::sync::Cache;
use shared::Error;
use shared::models::{Anime, UserId, Username};
use store::{Account, StatisticsStore, StoryFacts, UserStore};

/// The maximum number of names whose users are remembered.
const MAX_REMEMBERED: usize = 1000;

/// Reads public profiles. The process remembers the users of their names, so that it reads a profile that it has read
/// before in one round. The account is read each time, and decides.
#[derive(Debug)]
pub struct PublicProfiles {
    users: UserStore,
    stories: StatisticsStore,
    catalogue: SharedCatalogue<Anime>,
    /// The users by folded name.
    remembered: Cache<String, UserId>,
}

/// A public profile.
pub(super) struct Profile {
    pub owner: Account,
    pub contents: Contents,
}

/// The contents of a public profile.
pub(super) struct Contents {
    /// The stories that are not private.
    pub stories: Vec<StoryFacts>,
    pub index: Arc<AnimeIndex>,
}

impl PublicProfiles {
    pub(crate) fn new(
        users: UserStore,
        stories: StatisticsStore,
        catalogue: SharedCatalogue<Anime>,
    ) -> Self {
        Self {
            users,
            stories,
            catalogue,
            remembered: Cache::new(MAX_REMEMBERED),
        }
    }

    /// Returns the profile of the user with this name, if it is public.
    pub(super) async fn find(&self, name: Option<&Username>) -> Result<Option<Profile>, Error> {
        let folded = name.map(Username::folded).unwrap_or_default();
        if let Some(id) = self.remembered.get(&folded) {
            let account = self.users.account(id);
            let (owner, contents) = try_join!(account, self.contents(id))?;
            let is_same = |owner: &Account| owner.public_profile && owner.username_folded == folded;
            if let Some(owner) = owner.filter(is_same) {
                return Ok(Some(Profile { owner, contents }));
            }
            self.remembered.remove(&folded);
        }
        let id = match name {
            Some(_) => self.users.find_by_username(&folded).await?,
            None => None,
        };
        // Read a row even for unknown users, and no stories for private profiles, so that the time does not reveal which
        // names exist.
        let owner = self.users.account(id.unwrap_or(UserId::LAST)).await?;
        let Some(owner) = owner.filter(|owner| owner.public_profile) else {
            return Ok(None);
        };
        self.remembered.insert(folded, owner.user.id);
        let contents = self.contents(owner.user.id).await?;
        Ok(Some(Profile { owner, contents }))
    }

    async fn contents(&self, id: UserId) -> Result<Contents, Error> {
        let index = self.catalogue.index();
        let (index, mut stories) = try_join!(index, self.stories.stories(id))?;
        stories.retain(|story| !story.private);
        Ok(Contents { stories, index })
    }
}
