//! The state of the handlers: one part for each area of pages.

use std::sync::Arc;

use accounts::sessions::CalendarFeeds;
use accounts::sign_in::Passkeys;
use accounts::users::{Accounts, AccountsWithMail};
use catalogue::SharedCatalogue;
use catalogue::snapshots::SnapshotStore;
use page_parts::CatalogueState;
use page_parts::sign_in::SignInWays;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Error;
use shared::clock::Clock;
use shared::models::Anime;
use shared::random::Random;
use shared::user_slots::UserSlots;
use stories::list_files::WaitingStore;
use stories::lists::{JoinedLists, StoryStore};
use stories::players::{PlaybackReceiver, PlayerAddresses, PlayerStore};
use stories::statistics::StatisticsReader;

use crate::calendar::feed_tags::FeedTags;
use crate::public_profile::reader::PublicProfileReader;

pages::page_state! {
    ListPagesState {
        sessions: PageSessions,
        accounts: Accounts,
        calendar: CalendarState,
        catalogue: CatalogueState,
        history: HistoryState,
        lists: ListState,
        players: PlayersState,
        statistics: StatisticsState,
        ways: SignInWays,
    }
}

/// The state of the calendar and its feed.
#[derive(Debug)]
pub(crate) struct CalendarState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) clock: Clock,
    pub(crate) catalogue: SharedCatalogue<Anime>,
    /// The addresses of calendar feeds.
    pub(crate) feeds: CalendarFeeds,
    /// The entity tags of calendar feeds.
    pub(crate) feed_tags: FeedTags,
    pub(crate) stories: StoryStore,
    /// The results that were computed of lists of stories.
    pub(crate) joined_lists: JoinedLists,
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub(crate) has_images: bool,
}

/// The state of the home page and the list, besides [`CatalogueState`].
#[derive(Debug)]
pub(crate) struct ListState {
    /// The results that were computed of lists of stories.
    pub(crate) joined_lists: JoinedLists,
    /// The series of players that wait for an answer.
    pub(crate) players: PlayerStore,
    /// Randomness, for the identifiers of changes of selected stories.
    pub(crate) random: Random,
    /// The snapshot of the anime catalogue, for its number of anime.
    pub(crate) anime_snapshot: SnapshotStore,
    /// The snapshot of the song catalogue, for its number of songs.
    pub(crate) song_snapshot: SnapshotStore,
}

/// The state of imports and exports of the watch history.
#[derive(Debug)]
pub(crate) struct HistoryState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) clock: Clock,
    pub(crate) catalogue: SharedCatalogue<Anime>,
    pub(crate) stories: StoryStore,
    /// The entries of imports that wait for their anime.
    pub(crate) waiting: WaitingStore,
    /// The anime that users have chosen for series of media servers.
    pub(crate) players: PlayerStore,
    /// Randomness, for the identifiers of imports.
    pub(crate) random: Random,
    /// The slots for imports, exports and files with everything about a user. In one process, those of a user are made
    /// one after the other.
    pub(crate) file_slots: UserSlots,
    /// True if covers are loaded from the servers of the catalogue's sources.
    pub(crate) has_images: bool,
}

/// The state of the pages of players.
#[derive(Debug)]
pub(crate) struct PlayersState {
    pub(crate) sessions: Arc<PageSessions>,
    /// Mails about changes of accounts.
    pub(crate) accounts_with_mail: Arc<AccountsWithMail>,
    /// The addresses of players.
    pub(crate) addresses: PlayerAddresses,
    /// The players, their reports and choices, and the catalogue.
    pub(crate) receiver: PlaybackReceiver,
}

/// The state of statistics and public profiles.
#[derive(Debug)]
pub(crate) struct StatisticsState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) clock: Clock,
    pub(crate) catalogue: SharedCatalogue<Anime>,
    pub(crate) statistics: StatisticsReader,
    pub(crate) public_profiles: PublicProfileReader,
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub(crate) has_images: bool,
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
        let accounts_with_mail = Arc::new(environment.accounts_with_mail(&accounts)?);
        let sessions = environment.sessions(&accounts.tokens);
        let sessions = PageSessions::new(sessions, &environment.public_url, random.clone());
        let sessions = Arc::new(sessions);
        let catalogue = environment.catalogue()?;
        let (stories, players) = (StoryStore::new(database), PlayerStore::new(database));
        let joined_lists = environment.joined_lists();
        let statistics = environment.statistics(Arc::clone(&catalogue));
        let provider = environment.provider()?;
        Ok(Self {
            calendar: Arc::new(CalendarState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                feeds: environment.calendar_feeds()?,
                feed_tags: FeedTags::default(),
                stories: stories.clone(),
                joined_lists: joined_lists.clone(),
                has_images,
            }),
            catalogue: Arc::new(CatalogueState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                stories: stories.clone(),
                has_images,
            }),
            history: Arc::new(HistoryState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                stories: stories.clone(),
                waiting: WaitingStore::new(database),
                players: players.clone(),
                random: random.clone(),
                file_slots: environment.file_slots.clone(),
                has_images,
            }),
            lists: Arc::new(ListState {
                joined_lists,
                players: players.clone(),
                random: random.clone(),
                anime_snapshot: SnapshotStore::new(database, "anime"),
                song_snapshot: SnapshotStore::new(database, "song"),
            }),
            statistics: Arc::new(StatisticsState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                public_profiles: PublicProfileReader::new(
                    accounts.users.clone(),
                    statistics.clone(),
                    Arc::clone(&catalogue),
                ),
                catalogue: Arc::clone(&catalogue),
                statistics,
                has_images,
            }),
            players: Arc::new(PlayersState {
                sessions: Arc::clone(&sessions),
                accounts_with_mail: Arc::clone(&accounts_with_mail),
                addresses: PlayerAddresses::new(
                    players.clone(),
                    environment.address_secrets()?,
                    clock.clone(),
                ),
                receiver: PlaybackReceiver {
                    players,
                    stories,
                    catalogue,
                    clock: clock.clone(),
                },
            }),
            ways: Arc::new(SignInWays {
                passkeys: Passkeys::new(
                    &environment.public_url,
                    accounts_with_mail,
                    Arc::new(environment.ceremonies()?),
                ),
                provider: provider.map(|provider| provider.settings.name.clone()),
                has_passwords: environment.has_passwords,
            }),
            accounts,
            sessions,
        })
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: ListPagesState) -> Result<(), Error> {
    runtime::warm(&state.accounts.tokens, &state.accounts.users).await
}
