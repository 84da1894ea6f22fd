//! The state of the handlers.

use std::sync::Arc;

use accounts::service::{AccountService, Accounts};
use accounts::sessions::CalendarFeeds;
use accounts::sign_in::Passkeys;
use catalogue::SharedCatalogue;
use catalogue::snapshots::SnapshotStore;
use page_parts::StoryPagesState;
use page_parts::sign_in::SignInWays;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Result;
use shared::clock::Clock;
use shared::models::Anime;
use shared::random::Random;
use shared::user_slots::UserSlots;
use stories::list_files::WaitingStore;
use stories::lists::StoryStore;
use stories::players::{PlaybackReceiver, PlayerAddresses, PlayerStore};
use stories::statistics::StatisticsReader;

use crate::calendar::feed_tags::FeedTags;
use crate::public_profile::reader::PublicProfileReader;

pages::page_state! {
    ListPagesState {
        sessions: PageSessions,
        accounts: Accounts,
        story_pages: StoryPagesState,
        lists: ListState,
        ways: SignInWays,
    }
}

/// The state of all pages, with [`StoryPagesState`] for anime and forms about a story.
#[derive(Debug)]
pub(crate) struct ListState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) clock: Clock,
    /// Randomness, for the identifiers of imports and of changes of selected stories.
    pub(crate) random: Random,
    pub(crate) catalogue: SharedCatalogue<Anime>,
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub(crate) has_images: bool,
    /// The snapshot of the anime catalogue, for its number of anime.
    pub(crate) anime_snapshot: SnapshotStore,
    /// The snapshot of the song catalogue, for its number of songs.
    pub(crate) song_snapshot: SnapshotStore,
    pub(crate) stories: StoryStore,
    pub(crate) statistics: StatisticsReader,
    pub(crate) public_profiles: PublicProfileReader,
    /// The addresses of calendar feeds.
    pub(crate) feeds: CalendarFeeds,
    /// The entity tags of calendar feeds.
    pub(crate) feed_tags: FeedTags,
    /// The entries of imports that wait for their anime.
    pub(crate) waiting: WaitingStore,
    /// The slots for imports and exports. In one process, the files of a user are handled one after the other.
    pub(crate) file_slots: UserSlots,
    /// The players, their reports, and the series that wait for an answer.
    pub(crate) players: PlayerStore,
    /// The addresses of players.
    pub(crate) addresses: PlayerAddresses,
    /// The effects of players' messages.
    pub(crate) receiver: PlaybackReceiver,
    /// Mails about changes of accounts.
    pub(crate) account_service: Arc<AccountService>,
}

impl ListPagesState {
    /// Builds the state from the environment.
    ///
    /// # Errors
    /// A required setting is missing or invalid.
    pub fn new(environment: &Environment) -> Result<Self, lambda_http::Error> {
        let (database, has_images) = (&environment.database, environment.has_images);
        let (clock, random) = (&database.clock, &database.random);
        let accounts = environment.accounts()?;
        let account_service = Arc::new(environment.account_service(&accounts)?);
        let sessions = environment.sessions(&accounts.tokens);
        let sessions = Arc::new(PageSessions::new(sessions, &accounts.tokens));
        let catalogue = environment.catalogue()?;
        let (stories, players) = (StoryStore::new(database), PlayerStore::new(database));
        let statistics = environment.statistics(Arc::clone(&catalogue));
        let provider = environment.provider()?;
        Ok(Self {
            story_pages: Arc::new(StoryPagesState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                stories: stories.clone(),
                has_images,
            }),
            ways: Arc::new(SignInWays {
                passkeys: Passkeys::new(
                    &environment.public_url,
                    Arc::clone(&account_service),
                    Arc::new(environment.ceremonies()?),
                ),
                provider: provider.map(|provider| provider.settings.name.clone()),
                has_passwords: environment.has_passwords,
            }),
            lists: Arc::new(ListState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                random: random.clone(),
                has_images,
                anime_snapshot: SnapshotStore::new(database, "anime"),
                song_snapshot: SnapshotStore::new(database, "song"),
                public_profiles: PublicProfileReader::new(
                    accounts.users.clone(),
                    statistics.clone(),
                    Arc::clone(&catalogue),
                ),
                statistics,
                feeds: environment.calendar_feeds()?,
                feed_tags: FeedTags::default(),
                waiting: WaitingStore::new(database),
                file_slots: environment.file_slots.clone(),
                addresses: PlayerAddresses::new(
                    players.clone(),
                    environment.address_secrets()?,
                    clock.clone(),
                ),
                receiver: PlaybackReceiver {
                    players: players.clone(),
                    stories: stories.clone(),
                    catalogue: Arc::clone(&catalogue),
                    clock: clock.clone(),
                },
                catalogue,
                stories,
                players,
                account_service,
            }),
            accounts,
            sessions,
        })
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: ListPagesState) -> Result<()> {
    runtime::warm(&state.accounts.tokens, &state.accounts.users).await
}
