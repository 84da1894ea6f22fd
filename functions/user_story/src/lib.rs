//! The user story endpoints (docs/api.md, "UserStory endpoints").

mod batch;
mod changes;
mod data;
mod details;
mod document;
mod entity_tag;
mod export;
mod history;
mod import;
mod import_undo;
mod proposals;
mod statistics;
mod suggestions;
mod user_stories;
mod waiting;

use std::sync::Arc;

use accounts::applications::ClientStore;
use accounts::users::{Account, UserStore};
use catalogue::SharedCatalogue;
use runtime::Environment;
use shared::auth::{Access, Action, Bearer, Tokens};
use shared::clock::Clock;
use shared::http::ApiError;
use shared::http::routing::ApiRouter;
use shared::input::QueryString;
use shared::models::{Anime, UserId};
use shared::random::Random;
use shared::user_slots::UserSlots;
use shared::{Error, Missing, Result, endpoints, query};
use stories::list_files::{ExportFormat, ScoreScaleOption, WaitingStore};
use stories::lists::StoryStore;
use stories::players::PlayerStore;
use stories::statistics::StatisticsReader;
use stories::user_data::UserDataStore;

use self::document::{DetailsInclude, StoryInclude};

/// State of the user story endpoints.
#[derive(Debug)]
pub struct UserStoryState {
    /// Verifies access tokens.
    pub tokens: Tokens,
    /// The users' rows, for the permission checks of reads. Writes check them in their own transaction.
    pub users: UserStore,
    /// The stories.
    pub stories: StoryStore,
    /// The statistics of users.
    pub statistics: StatisticsReader,
    /// The entries of imports whose anime are not in the catalogue.
    pub waiting: WaitingStore,
    /// The anime that users have chosen for series of media servers, for imports.
    pub players: PlayerStore,
    /// The index and the documents of anime, for batches, imports, exports, statistics, suggestions, and responses that
    /// include anime. The first request that needs the index loads it.
    pub catalogue: SharedCatalogue<Anime>,
    /// The applications, for their names in change histories.
    pub clients: ClientStore,
    /// Everything that is stored about a user.
    pub user_data: UserDataStore,
    /// The current time, for creation and change dates.
    pub clock: Clock,
    /// Randomness, for the identifiers of imports.
    pub random: Random,
    /// The slots for imports, exports and files with everything about a user. In one process, the files of a user are
    /// handled one after the other.
    pub file_slots: UserSlots,
}

impl UserStoryState {
    /// Creates the state from the settings of the environment.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let database = &environment.database;
        let catalogue = environment.catalogue()?;
        Ok(Arc::new(Self {
            tokens: environment.tokens()?,
            users: UserStore::new(database),
            stories: StoryStore::new(database),
            statistics: environment.statistics(Arc::clone(&catalogue)),
            waiting: WaitingStore::new(database),
            players: PlayerStore::new(database),
            catalogue,
            clients: ClientStore::new(database),
            user_data: UserDataStore::new(database),
            clock: environment.database.clock.clone(),
            random: environment.database.random.clone(),
            file_slots: environment.file_slots.clone(),
        }))
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: Arc<UserStoryState>) -> Result<()> {
    runtime::warm(&state.tokens, &state.users).await
}

endpoints! {
    state: Arc<UserStoryState>,
    handlers: [
        user_stories::list_user_stories,
        user_stories::create_user_story,
        user_stories::update_user_story,
        batch::change_user_stories,
        changes::list_user_story_changes,
        export::export_user_stories,
        import_undo::list_user_story_imports,
        import::import_user_stories,
        import_undo::undo_user_story_import,
        proposals::list_import_proposals,
        proposals::answer_import_proposals,
        waiting::list_waiting_entries,
        waiting::delete_waiting_entries,
        user_stories::find_user_story,
        user_stories::delete_user_story,
        history::list_user_story_revisions,
        statistics::find_user_statistics,
        suggestions::list_user_suggestions,
        data::download_data,
    ],
    schemas: [DetailsInclude, ExportFormat, ScoreScaleOption, StoryInclude],
}

/// Routes requests to the user story endpoints.
pub fn router(state: Arc<UserStoryState>) -> ApiRouter {
    endpoints().with_state(state)
}

query! {
    /// The parameter of requests about all stories of a user.
    pub(crate) struct OwnerQuery {
        /// Identifier of the user. Default: the caller
        #[param(value_type = Option<u64>, minimum = 1, maximum = 268_435_455, example = 1)]
        user_id: Option<UserId>,
    }
}

/// Reads a query whose only parameter is `user_id`. Returns the owner of the stories, and the access that the caller
/// needs for an action on them.
async fn read_owner(
    state: &UserStoryState,
    bearer: &Bearer,
    query: Option<&str>,
    action: Action,
) -> Result<(UserId, Access), ApiError> {
    let credential = state.tokens.credential(bearer).await?;
    let OwnerQuery { user_id } = QueryString::parse(query)?;
    let owner = user_id.unwrap_or(credential.user_id);
    let access = Access::new(&credential, action, owner);
    Ok((owner, access))
}

/// Returns a user whose stories the caller may read.
async fn find_readable_owner(
    state: &UserStoryState,
    access: &Access,
    owner: UserId,
) -> Result<Account, ApiError> {
    let rows = state.users.caller_and(&access.credential, owner).await?;
    let (caller, owners_row) = rows;
    access.check_for(caller.as_ref(), owners_row.as_ref())?;
    let account = state.users.account(owner).await?;
    Ok(account.ok_or(Error::NotFound(Missing::User))?)
}
