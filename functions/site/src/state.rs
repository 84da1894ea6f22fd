//! The shared state of the pages' handlers.

use std::sync::Arc;

use accounts::linking::Linking;
use accounts::{Accounts, Applications, CalendarFeeds, MailLinks, SignedIn};
use catalogue::SharedCatalogue;
use catalogue::corrections::CorrectionDesk;
use runtime::Environment;
use shared::Error;
use shared::models::{Anime, Song};
use shared::random::Random;
use shared::user_slots::UserSlots;
use store::{
    CatalogueStore, ProfileTokenStore, SnapshotStore, StatisticsStore, StoryStore, UserDataStore,
    WaitingStore,
};
use stories::UserStatistics;

use crate::calendar::feed_tags::FeedTags;
use crate::layout::PageKind;
use crate::public_profile::PublicProfiles;
use crate::sessions::{Sessions, Visitor};

/// The stores and services that the pages use.
#[derive(Debug)]
pub struct SiteState {
    /// The accounts.
    pub accounts: Arc<Accounts>,
    /// Mail links, for e-mail verification and password reset.
    pub links: MailLinks,
    /// Linking of tracker accounts.
    pub linking: Linking,
    /// The sessions of the web pages.
    pub sessions: Sessions,
    /// OAuth clients, and the applications that users have connected.
    pub applications: Applications,
    /// The tokens that users make on their profiles.
    pub profile_tokens: ProfileTokenStore,
    /// The addresses of calendar feeds.
    pub calendar_feeds: CalendarFeeds,
    /// The entity tags of calendar feeds.
    pub feed_tags: FeedTags,
    /// Everything that is stored about a user.
    pub user_data: UserDataStore,
    /// The snapshot of the anime catalogue, for its number of anime.
    pub anime_snapshot: SnapshotStore,
    /// The snapshot of the song catalogue, for its number of songs.
    pub song_snapshot: SnapshotStore,
    /// The stories, for imports and exports.
    pub stories: StoryStore,
    /// The entries of imports that wait for their anime.
    pub waiting: WaitingStore,
    /// The anime, for exports.
    pub anime: CatalogueStore<Anime>,
    /// The index of anime, for imports and calendars. The first of them loads it.
    pub catalogue: SharedCatalogue<Anime>,
    /// The statistics of users.
    pub statistics: UserStatistics,
    /// The songs, for the pages of anime.
    pub songs: SharedCatalogue<Song>,
    /// Corrections of anime.
    pub anime_corrections: CorrectionDesk<Anime>,
    /// Corrections of songs.
    pub song_corrections: CorrectionDesk<Song>,
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub has_images: bool,
    /// The parts of stories that calendars need.
    pub story_facts: StatisticsStore,
    /// The public profiles.
    pub public_profiles: PublicProfiles,
    /// Randomness, for the identifiers of imports.
    pub random: Random,
    /// The imports of users, which run one after the other.
    pub imports: UserSlots,
}

impl SiteState {
    /// Builds the state from the environment.
    ///
    /// # Errors
    /// A required setting is missing or invalid.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let (client, tables) = (&environment.client, &environment.tables);
        let snapshot = |kind| SnapshotStore::new(client.clone(), tables, kind);
        let accounts = environment.accounts()?;
        let sessions = environment.sessions();
        let random = &environment.random;
        let catalogue = environment.catalogue()?;
        let story_facts = StatisticsStore::new(client.clone(), tables, random.clone());
        let statistics = UserStatistics::new(
            story_facts.clone(),
            Arc::clone(&catalogue),
            environment.clock.clone(),
        );
        let users = accounts.users.clone();
        let public_profiles =
            PublicProfiles::new(users, statistics.clone(), Arc::clone(&catalogue));
        Ok(Arc::new(Self {
            statistics,
            sessions: Sessions::new(sessions, &environment.public_url, random.clone()),
            applications: environment.applications(),
            profile_tokens: environment.profile_tokens(),
            calendar_feeds: environment.calendar_feeds()?,
            feed_tags: FeedTags::default(),
            user_data: environment.user_data(),
            links: environment.links(&accounts)?,
            linking: environment.linking()?,
            accounts,
            anime_snapshot: snapshot("anime"),
            song_snapshot: snapshot("song"),
            stories: StoryStore::new(client.clone(), tables, random.clone()),
            waiting: WaitingStore::new(client.clone(), tables, random.clone()),
            anime: CatalogueStore::new(client.clone(), tables),
            public_profiles,
            catalogue,
            songs: environment.catalogue()?,
            anime_corrections: environment.corrections(),
            song_corrections: environment.corrections(),
            has_images: environment.has_images,
            story_facts,
            random: random.clone(),
            imports: environment.imports.clone(),
        }))
    }

    /// Returns the public URL of the service, without a trailing slash.
    pub(crate) fn public_url(&self) -> &str {
        self.accounts.tokens.public_url()
    }

    /// Returns the signed-in user, for a public page. Returns `None` if the session cannot be read, since the page
    /// is useful without it.
    pub(crate) async fn signed_in(&self, visitor: &Visitor) -> Option<SignedIn> {
        match self.sessions.find(visitor).await {
            Ok(signed_in) => signed_in,
            Err(error) => {
                tracing::warn!(?error, "a public page is shown as to a signed-out visitor");
                None
            }
        }
    }

    /// Returns the name of the signed-in user, for a public page.
    pub(crate) async fn name_of(&self, visitor: &Visitor) -> Option<String> {
        let signed_in = self.signed_in(visitor).await;
        signed_in.map(|signed_in| signed_in.account.user.username)
    }

    /// Returns the kind of a page with covers.
    pub(crate) fn catalogue_page(&self) -> PageKind {
        PageKind::Catalogue {
            has_images: self.has_images,
        }
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: Arc<SiteState>) -> Result<(), Error> {
    runtime::warm(&state.accounts.tokens, &state.accounts.users).await
}
