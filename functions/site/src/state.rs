//! The state of the handlers: one part for each area of pages.

use std::sync::Arc;

use accounts::applications::{Applications, ProfileTokenStore};
use accounts::linked_accounts::Linking;
use accounts::registration::InvitationStore;
use accounts::sessions::{CalendarFeeds, SessionStore};
use accounts::sign_in::{Ceremonies, Passkeys};
use accounts::throttling::AttemptStore;
use accounts::users::{Accounts, AccountsWithMail};
use axum::extract::FromRef;
use catalogue::SharedCatalogue;
use catalogue::corrections::CorrectionDesk;
use catalogue::snapshots::SnapshotStore;
use dynamo::Database;
use openid::Provider;
use pages::sessions::PageSessions;
use runtime::Environment;
use shared::Error;
use shared::auth::RegistrationMode;
use shared::clock::Clock;
use shared::models::{Anime, Song};
use shared::random::Random;
use shared::user_slots::UserSlots;
use stories::list_files::WaitingStore;
use stories::lists::StoryStore;
use stories::players::{PlaybackReceiver, PlayerAddresses, PlayerStore};
use stories::statistics::StatisticsReader;
use stories::user_data::UserDataStore;

use crate::calendar::feed_tags::FeedTags;
use crate::public_profile::reader::PublicProfileReader;

/// Defines the state of the router, and `FromRef` for each of its parts. axum's derive macro does the same, but
/// would need another dependency.
macro_rules! parts {
    ($($name:ident: $part:ty,)*) => {
        /// The state of the router. A handler takes the part of its area (`State<Arc<CalendarState>>`).
        #[derive(Clone, Debug)]
        pub struct SiteState {
            $($name: Arc<$part>,)*
        }

        $(impl FromRef<SiteState> for Arc<$part> {
            fn from_ref(state: &SiteState) -> Self {
                Self::clone(&state.$name)
            }
        })*
    };
}

parts! {
    sessions: PageSessions,
    account: AccountState,
    administration: AdministrationState,
    calendar: CalendarState,
    catalogue: CatalogueState,
    history: HistoryState,
    moderation: ModerationState,
    players: PlayersState,
    statistics: StatisticsState,
}

/// The state of sign-up, sign-in and the pages of the account, its applications and its OAuth clients.
#[derive(Debug)]
pub(crate) struct AccountState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) accounts: Arc<Accounts>,
    /// The sessions of all browsers of a user.
    pub(crate) session_store: SessionStore,
    /// Ceremonies, such as the use of a passkey.
    pub(crate) ceremonies: Arc<Ceremonies>,
    pub(crate) passkeys: Passkeys,
    /// The identity provider.
    pub(crate) provider: Option<Arc<Provider>>,
    /// The logout tokens of the identity provider that are used up.
    pub(crate) logout_tokens: AttemptStore,
    /// Randomness, for names of new users.
    pub(crate) random: Random,
    /// Mail links, for e-mail verification and password reset.
    pub(crate) accounts_with_mail: Arc<AccountsWithMail>,
    /// Linking of tracker accounts.
    pub(crate) linking: Linking,
    /// OAuth clients, and the applications that users have connected.
    pub(crate) applications: Applications,
    /// The tokens that users make on their profiles.
    pub(crate) profile_tokens: ProfileTokenStore,
    /// Everything that is stored about a user.
    pub(crate) user_data: UserDataStore,
    /// The anime, for the file with everything about a user.
    pub(crate) catalogue: SharedCatalogue<Anime>,
    /// The slots for these files ([`HistoryState::file_slots`]).
    pub(crate) file_slots: UserSlots,
}

impl AccountState {
    fn new(
        environment: &Environment,
        sessions: &Arc<PageSessions>,
        accounts: &Arc<Accounts>,
        accounts_with_mail: &Arc<AccountsWithMail>,
        catalogue: &SharedCatalogue<Anime>,
    ) -> Result<Self, lambda_http::Error> {
        let database = &environment.database;
        let ceremonies = Arc::new(environment.ceremonies()?);
        Ok(Self {
            sessions: Arc::clone(sessions),
            session_store: SessionStore::new(&database),
            ceremonies: Arc::clone(&ceremonies),
            passkeys: Passkeys::new(
                &environment.public_url,
                Arc::clone(accounts_with_mail),
                ceremonies,
            ),
            provider: environment.provider()?,
            logout_tokens: AttemptStore::new(&database),
            random: database.random.clone(),
            accounts_with_mail: Arc::clone(accounts_with_mail),
            linking: environment.linking()?,
            applications: environment.applications(),
            profile_tokens: ProfileTokenStore::new(&database),
            user_data: UserDataStore::new(&database),
            catalogue: Arc::clone(catalogue),
            file_slots: environment.file_slots.clone(),
            accounts: Arc::clone(accounts),
        })
    }

    /// Returns true if the sign-in page leads straight to the identity provider.
    pub(crate) fn leads_to_provider(&self) -> bool {
        let provider = self.provider.as_ref();
        provider.is_some_and(|provider| provider.settings.redirects)
    }

    /// Returns true if a first sign-in with the identity provider makes an account.
    pub(crate) fn may_register_with_provider(&self) -> bool {
        let provider = self.provider.as_ref();
        let is_open = self.accounts.registration == RegistrationMode::Open;
        provider.is_some_and(|provider| is_open || provider.settings.opens_registration)
    }
}

/// The state of the page for administrators.
#[derive(Debug)]
pub(crate) struct AdministrationState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) clock: Clock,
    pub(crate) invitations: InvitationStore,
    /// The database, for the numbers of users and stories, and the summary of the last refresh.
    pub(crate) database: Database,
    /// The rule for registrations.
    pub(crate) registration: RegistrationMode,
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
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub(crate) has_images: bool,
}

/// The state of the start page, the anime and the list.
#[derive(Debug)]
pub(crate) struct CatalogueState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) clock: Clock,
    pub(crate) catalogue: SharedCatalogue<Anime>,
    /// The songs, for the pages of anime.
    pub(crate) songs: SharedCatalogue<Song>,
    pub(crate) stories: StoryStore,
    /// The series of players that wait for an answer.
    pub(crate) players: PlayerStore,
    /// Randomness, for the identifiers of changes of selected stories.
    pub(crate) random: Random,
    /// The snapshot of the anime catalogue, for its number of anime.
    pub(crate) anime_snapshot: SnapshotStore,
    /// The snapshot of the song catalogue, for its number of songs.
    pub(crate) song_snapshot: SnapshotStore,
    /// True if covers and banners are loaded from the servers of the catalogue's sources.
    pub(crate) has_images: bool,
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

/// The state of moderation.
#[derive(Debug)]
pub(crate) struct ModerationState {
    pub(crate) sessions: Arc<PageSessions>,
    pub(crate) accounts: Arc<Accounts>,
    /// The songs, for the pages of anime.
    pub(crate) songs: SharedCatalogue<Song>,
    pub(crate) anime_corrections: CorrectionDesk<Anime>,
    pub(crate) song_corrections: CorrectionDesk<Song>,
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

impl SiteState {
    /// Builds the state from the environment.
    ///
    /// # Errors
    /// A required setting is missing or invalid.
    pub fn new(environment: &Environment) -> Result<Self, lambda_http::Error> {
        let database = &environment.database;
        let (clock, has_images) = (&environment.database.clock, environment.has_images);
        let accounts = environment.accounts()?;
        let accounts_with_mail = Arc::new(environment.accounts_with_mail(&accounts)?);
        let random = database.random.clone();
        let sessions = environment.sessions(&accounts.tokens);
        let sessions = PageSessions::new(sessions, &environment.public_url, random);
        let sessions = Arc::new(sessions.with_mail(Arc::clone(&accounts_with_mail)));
        let catalogue = environment.catalogue()?;
        let songs = environment.catalogue()?;
        let stories = StoryStore::new(&database);
        let statistics = environment.statistics(Arc::clone(&catalogue));
        Ok(Self {
            account: Arc::new(AccountState::new(
                environment,
                &sessions,
                &accounts,
                &accounts_with_mail,
                &catalogue,
            )?),
            administration: Arc::new(AdministrationState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                invitations: InvitationStore::new(&database),
                database: database.clone(),
                registration: environment.registration,
            }),
            calendar: Arc::new(CalendarState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                feeds: environment.calendar_feeds()?,
                feed_tags: FeedTags::default(),
                stories: stories.clone(),
                has_images,
            }),
            catalogue: Arc::new(CatalogueState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                songs: Arc::clone(&songs),
                stories: stories.clone(),
                players: PlayerStore::new(&database),
                random: database.random.clone(),
                anime_snapshot: SnapshotStore::new(&database, "anime"),
                song_snapshot: SnapshotStore::new(&database, "song"),
                has_images,
            }),
            history: Arc::new(HistoryState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                catalogue: Arc::clone(&catalogue),
                stories: stories.clone(),
                waiting: WaitingStore::new(&database),
                players: PlayerStore::new(&database),
                random: database.random.clone(),
                file_slots: environment.file_slots.clone(),
                has_images,
            }),
            players: Arc::new(PlayersState {
                sessions: Arc::clone(&sessions),
                accounts_with_mail,
                addresses: PlayerAddresses::new(
                    PlayerStore::new(&database),
                    environment.address_secrets()?,
                    clock.clone(),
                ),
                receiver: PlaybackReceiver {
                    players: PlayerStore::new(&database),
                    stories,
                    catalogue: Arc::clone(&catalogue),
                    clock: clock.clone(),
                },
            }),
            statistics: Arc::new(StatisticsState {
                sessions: Arc::clone(&sessions),
                clock: clock.clone(),
                public_profiles: PublicProfileReader::new(
                    accounts.users.clone(),
                    statistics.clone(),
                    Arc::clone(&catalogue),
                ),
                catalogue,
                statistics,
                has_images,
            }),
            moderation: Arc::new(ModerationState {
                sessions: Arc::clone(&sessions),
                accounts,
                songs,
                anime_corrections: environment.corrections(),
                song_corrections: environment.corrections(),
            }),
            sessions,
        })
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: SiteState) -> Result<(), Error> {
    let accounts = &state.account.accounts;
    runtime::warm(&accounts.tokens, &accounts.users).await
}
