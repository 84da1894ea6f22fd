//! The user endpoints (docs/api.md, "User endpoints").

use std::num::NonZeroU64;
use std::sync::Arc;

use accounts::linked_accounts::NewLink;
use accounts::linking::Linking;
use accounts::mail::SecurityEvent;
use accounts::service::{AccountService, Accounts};
use accounts::throttling::LINKINGS_PER_NETWORK;
use accounts::users::{Account, UserChange, UsernamePattern};
use axum::extract::State;
use axum::response::Response;
use futures_util::{join, try_join};
use runtime::Environment;
use serde::Serialize;
use shared::auth::{Access, Action, Bearer, CallerAddress};
use shared::http::openapi::{CursorParameters, NothingFound, TooMany};
use shared::http::response::{PathId, PrivateListRequest, private};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope, OptionalBearer};
use shared::input::{Body, Fields, ListFilter};
use shared::models::{
    EmailAddress, Gender, LocaleCode, TimeZone, TrackerName, TrackerToken, User, UserId,
    fold_username,
};
use shared::{Error, Missing, Result, body, endpoints, query};
use utoipa::ToSchema;

/// State of the user endpoints.
#[derive(Debug)]
pub struct UserState {
    accounts: Arc<Accounts>,
    linking: Linking,
    account_service: AccountService,
}

impl UserState {
    /// Creates the state from the settings of the environment.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let accounts = environment.accounts()?;
        Ok(Arc::new(Self {
            linking: environment.linking()?,
            account_service: environment.account_service(&accounts)?,
            accounts,
        }))
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: Arc<UserState>) -> Result<()> {
    let accounts = runtime::warm(&state.accounts.tokens, &state.accounts.users);
    let (accounts, linking) = join!(accounts, state.linking.warm());
    accounts.and(linking)
}

endpoints! {
    state: Arc<UserState>,
    handlers: [list_users, update_user, find_user, delete_user],
}

/// Routes requests to the user endpoints.
pub fn router(state: Arc<UserState>) -> ApiRouter {
    endpoints().with_state(state)
}

query! {
    /// The filters of the user list.
    #[derive(Debug)]
    struct UserFilter {
        #[doc = "Text to find in the username. Case is ignored. With a leading `^`, the text must be at the \
            beginning of the username. At most 500 characters"]
        #[param(value_type = Option<String>, max_length = 500, example = "^mod")]
        username: Option<UsernamePattern>,
        #[doc = "Exact e-mail address, case-sensitive, with the domain in lower case. Requires an access token; \
            without one the response is 401"]
        email: Option<String>,
    }
}

impl ListFilter for UserFilter {
    const LIST: &'static str = "user";
}

/// Lists users by username, in ascending order.
///
/// Users are returned without the confidential fields (`email`, `email_verified`, `localization`, `time_zone`). A
/// `username` filter without a leading `^` reads at most 1,000 users per request, so a page can be short or
/// empty although more users match. Follow `Link` until it is absent.
#[utoipa::path(
    get,
    path = "/v1/user",
    tag = "user",
    security((), ("bearer" = [])),
    params(UserFilter, CursorParameters),
    responses(
        (status = 200, description = "One page of results; an empty array if nothing matches",
            body = Envelope<Vec<User>>),
    ),
)]
async fn list_users(
    State(state): State<Arc<UserState>>,
    bearer: Result<OptionalBearer, ApiError>,
    request: PrivateListRequest<UserFilter, String>,
) -> Result<Response, ApiError> {
    let pattern = request.filter.username.as_ref();
    let after = request.page.after.as_deref();
    let email = request.filter.email.as_deref();
    let Some(email) = email.filter(|email| !email.is_empty()) else {
        let users = &state.accounts.users;
        let found = users.list(pattern, after, request.page.per_page).await?;
        return Ok(request.respond("Users found", found.users, found.next.as_ref()));
    };
    // Without a token, this filter would reveal to any visitor which addresses have an account.
    let OptionalBearer(bearer) = bearer?;
    let bearer = bearer.ok_or(ApiError::NoToken)?;
    let access = state
        .accounts
        .tokens
        .access_to_own_data(&bearer, Action::FindUserByEmail)
        .await?;
    // The filter is case-sensitive, so the value must equal its normalized form. A value that is not a valid address
    // matches no account. It is not queried, because it may be longer than DynamoDB allows for a key.
    let address = EmailAddress::new(email).ok();
    let address = address.filter(|address| address.as_str() == email);
    let users = async {
        match &address {
            Some(address) => state.accounts.users.list_by_email(address.as_str()).await,
            None => Ok(Vec::new()),
        }
    };
    let (caller, mut users) = try_join!(state.accounts.users.caller(&access.credential), users)?;
    access.check(caller.as_ref())?;
    users.retain(|user| matches_filter(user, pattern, after));
    Ok(request.respond("Users found", users, None))
}

/// Returns true if a user that was found by the e-mail address also matches the username filter and follows the cursor.
fn matches_filter(user: &User, pattern: Option<&UsernamePattern>, after: Option<&str>) -> bool {
    let name = fold_username(&user.username);
    let is_match = pattern.is_none_or(|pattern| pattern.matches(&name));
    is_match && after.is_none_or(|after| name.as_str() > after)
}

/// Returns the user with this identifier, without the confidential fields.
///
/// Confidential fields are `email`, `email_verified`, `localization` and `time_zone`. Call `GET /v1/auth/me` to read
/// them for the caller's own account.
#[utoipa::path(
    get,
    path = "/v1/user/{id}",
    tag = "user",
    params(("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the user",
        example = 1)),
    responses(
        (status = 200, description = "The user, without the confidential fields", body = Envelope<User>),
        NothingFound,
    ),
)]
async fn find_user(
    State(state): State<Arc<UserState>>,
    PathId(id): PathId,
) -> Result<Response, ApiError> {
    let found = match UserId::new(id) {
        Some(id) => state.accounts.users.find(id).await?,
        None => None,
    };
    let user = found.ok_or(Error::NotFound(Missing::User))?;
    Ok(private("User found", user))
}

body! {
    /// A change of a user. Optional fields that are absent keep their values.
    struct UpdateUser {
        /// Identifier of the user to update: the caller, or for moderators and administrators another user.
        #[schema(value_type = u64, minimum = 1, maximum = 268_435_455, example = 1)]
        id: UserId,
        /// Gender.
        #[schema(example = 2)]
        gender: Gender,
        /// New password: at least 8 characters and at most 4,096 bytes. Common passwords, the username and the
        /// e-mail address are rejected. Revokes all other tokens. Only for the caller's own account, and not with
        /// the token of an application or a profile token.
        #[schema(min_length = 8, max_length = 4096)]
        password: Option<String>,
        /// Current password. Optional; if present, it must be correct. Only for the caller's own account, and not
        /// with the token of an application or a profile token.
        current_password: Option<String>,
        /// Preferred locale code, for example `en` or `pt-BR`.
        #[schema(value_type = Option<String>, min_length = 2, max_length = 16,
            pattern = "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$", example = "en")]
        localization: Option<LocaleCode>,
        /// Time zone of the user's days, as a name of the IANA database, for example `Asia/Tokyo`.
        #[schema(value_type = Option<String>, example = "Asia/Tokyo")]
        time_zone: Option<TimeZone>,
        /// `true` lets everyone read the user's list and statistics, without private stories.
        public_profile: Option<bool>,
        /// Identifier of the account at tracker A to link. Requires `tracker_a_token`. Only for the caller's own
        /// account, and not with the token of an application. Invalid if tracker A is not enabled on this server.
        #[schema(value_type = Option<u64>, minimum = 1, maximum = 9_007_199_254_740_991_u64)]
        tracker_a_id: Option<NonZeroU64>,
        /// Access token of the account at tracker A: 1 to 2,048 printable ASCII characters. Requires
        /// `tracker_a_id`. Verified at the tracker before the account is linked, and stored encrypted.
        #[schema(value_type = Option<String>, min_length = 1, max_length = 2048, pattern = "^[!-~]+$")]
        tracker_a_token: Option<TrackerToken>,
    }
}

/// A user after an update.
#[derive(Serialize, ToSchema)]
struct UpdatedUser {
    #[serde(flatten)]
    user: User,
    /// E-mail address; absent from another user's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "mitsuha@example.com", nullable = false)]
    email: Option<String>,
    /// True if the e-mail address is verified; absent from another user's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    email_verified: Option<bool>,
    /// Preferred locale code.
    #[schema(example = "ja")]
    localization: String,
    /// Time zone of the user's days, as a name of the IANA database; absent from another user's account, and until a
    /// time zone is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "Asia/Tokyo", nullable = false)]
    time_zone: Option<TimeZone>,
}

impl UpdatedUser {
    /// Returns the parts of an account that the caller sees after an update.
    fn new(account: Account, is_own: bool) -> Self {
        Self {
            user: account.user,
            email: is_own.then_some(account.email),
            email_verified: is_own.then_some(account.email_verified),
            localization: account.localization,
            time_zone: account.time_zone.filter(|_| is_own),
        }
    }
}

/// Updates a user.
///
/// Callers can update their own account. Moderators can also update basic users, and administrators all
/// users. Applications can update only the user that authorized them.
///
/// To link an account at tracker A, send `tracker_a_id` and `tracker_a_token`. The account's image becomes
/// the user's avatar. If the tracker is unavailable or limits requests, nothing is changed and the response
/// is 503 with `Retry-After`.
#[utoipa::path(
    post,
    path = "/v1/user",
    tag = "user",
    security(("bearer" = [])),
    request_body = UpdateUser,
    responses(
        (status = 200,
            description = "The updated user. Another user's account is returned without `email`, `email_verified` and \
                `time_zone`",
            body = Envelope<UpdatedUser>),
        NothingFound,
        TooMany,
    ),
)]
async fn update_user(
    State(state): State<Arc<UserState>>,
    address: CallerAddress,
    bearer: Bearer,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.accounts.tokens.credential(&bearer).await?;
    let update = UpdateUser::read(fields?)?;
    let id = update.id;
    let access = Access::new(&credential, update.action(), id);
    let (change, link, account) = update.into_change(&state, &access, address).await?;
    let users = &state.accounts.users;
    let is_own = credential.user_id == id;
    let updated = if is_own {
        let updated = match &link {
            Some(link) => state.linking.links.link(&access, link, &change).await?,
            None => users.update_own(&access, &change).await?,
        };
        if let Some(account) = &account {
            notify(&state, account, &change, link.is_some()).await;
        }
        updated
    } else {
        users.update_other(&access, id, &change).await?
    };
    Ok(private("User updated", UpdatedUser::new(updated, is_own)))
}

/// Tells the user by mail of a new password, and of a tracker that was linked.
async fn notify(state: &UserState, account: &Account, change: &UserChange, is_linked: bool) {
    if change.password_hash.is_some() {
        let event = SecurityEvent::PasswordChanged;
        state.account_service.notify(account, event).await;
    }
    if is_linked {
        let event = SecurityEvent::TrackerConnected(TrackerName::A.title());
        state.account_service.notify(account, event).await;
    }
}

impl UpdateUser {
    /// Reads an update. The two fields of the tracker account must be sent together.
    fn read(mut fields: Fields) -> Result<Self> {
        let update = <Self as Body>::read(&mut fields);
        match (fields.has("tracker_a_id"), fields.has("tracker_a_token")) {
            (true, false) => fields.fail("tracker_a_token", "is required with tracker_a_id"),
            (false, true) => fields.fail("tracker_a_id", "is required with tracker_a_token"),
            _ => {}
        }
        fields.finish(update)
    }

    fn has_password(&self) -> bool {
        self.password.is_some() || self.current_password.is_some()
    }

    /// Returns the action that the caller needs permission for. Checking a password needs the same permission as
    /// changing it, because a check can be used to guess the password.
    fn action(&self) -> Action {
        match (self.has_password(), &self.tracker_a_token) {
            (true, _) => Action::ChangePassword,
            (false, Some(_)) => Action::LinkTracker,
            (false, None) => Action::UpdateUser,
        }
    }

    /// Checks the password and the tracker's account. Returns the change to write, the account to link and, if it has
    /// one of them, the caller's account.
    async fn into_change(
        self,
        state: &UserState,
        access: &Access,
        address: CallerAddress,
    ) -> Result<(UserChange, Option<NewLink>, Option<Account>)> {
        let mut change = UserChange {
            gender: Some(self.gender),
            localization: self.localization.clone().map(LocaleCode::into_string),
            time_zone: self.time_zone,
            public_profile: self.public_profile,
            ..UserChange::default()
        };
        let (mut link, mut own_account) = (None, None);
        let tracker_account = self.tracker_a_id.zip(self.tracker_a_token.as_ref());
        if self.has_password() || tracker_account.is_some() {
            // The permission is checked before the costly work. No role may change the password or the tracker account
            // of another user, so this is the caller's own account.
            let account = state.accounts.users.own_account(access).await?;
            if self.has_password() {
                let (current, new) = (self.current_password.as_deref(), self.password.as_deref());
                let accounts = &state.accounts;
                let hash = accounts.check_and_hash_passwords(&account, current, new, address);
                change.password_hash = hash.await?;
            }
            own_account = Some(account);
        }
        if let Some((id, token)) = tracker_account {
            // Each attempt calls the tracker, whose rate limit all users share. So the attempts from a network are
            // limited.
            let attempts = &state.accounts.attempts;
            attempts
                .count_by_network("tracker", address, LINKINGS_PER_NETWORK)
                .await?;
            let linking = &state.linking;
            let new = linking.link_by_token(self.id, id.get(), token.as_str());
            link = Some(new.await?);
        }
        Ok((change, link, own_account))
    }
}

/// Deletes a user and all their data.
///
/// Deletes the user's stories, linked tracker accounts, grants and OAuth clients. All their tokens are
/// revoked at once. Callers can delete their own account. Moderators can also delete basic users, and
/// administrators all users. Applications cannot call this endpoint.
#[utoipa::path(
    delete,
    path = "/v1/user/{id}",
    tag = "user",
    security(("bearer" = [])),
    params(("id" = u64, Path, minimum = 1, maximum = 9_007_199_254_740_991_u64, description = "Identifier of the user",
        example = 1)),
    responses(
        (status = 200, description = "The user was deleted; `data` is empty", body = Envelope<String>),
        NothingFound,
        TooMany,
    ),
)]
async fn delete_user(
    State(state): State<Arc<UserState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.accounts.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let users = &state.accounts.users;
    let Some(id) = UserId::new(id) else {
        // No user can have this identifier. An invalid token is still a 401 rather than a 404.
        let access = Access::new(&credential, Action::DeleteUser, credential.user_id);
        access.check(users.caller(&credential).await?.as_ref())?;
        return Err(Error::NotFound(Missing::User).into());
    };
    let access = Access::new(&credential, Action::DeleteUser, id);
    let (caller, account) = try_join!(users.caller(&credential), users.account(id))?;
    access.check(caller.as_ref())?;
    let account = account.ok_or(Error::NotFound(Missing::User))?;
    state.accounts.delete(&access, &account).await?;
    Ok(private("User deleted", ""))
}
