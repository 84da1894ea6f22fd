//! The user endpoints (contract, "User endpoints").

use std::sync::Arc;

use accounts::linking::Linking;
use accounts::{Accounts, TRACKER_ADDRESS};
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use futures_util::{join, try_join};
use runtime::Environment;
use serde::Deserialize;
use shared::Error;
use shared::auth::{Access, Action, Bearer, CallerAddress};
use shared::http::openapi::{
    BadBody, Fault, InvalidParameters, NoAccess, NothingFound, OutOfReach, TooMany,
};
use shared::http::response::{Asked, PathId, private, private_page};
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope, OptionalBearer};
use shared::input::{CursorRequest, Fields, MAX_PATTERN, MAX_SAFE_INTEGER, Params, present};
use shared::models::{EmailAddress, Gender, User, UserId, fold_username, tracker_token};
use store::{UserChange, UsernamePattern};
use utoipa::{OpenApi, ToSchema};

/// What the endpoints work with.
#[derive(Debug)]
pub struct UserState {
    /// The accounts.
    pub accounts: Arc<Accounts>,
    /// Links accounts at trackers.
    pub linking: Linking,
}

impl UserState {
    /// Made out of what Lambda's environment says.
    ///
    /// # Errors
    /// When the environment is short of something.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let accounts = environment.accounts()?;
        let linking = environment.linking()?;
        Ok(Arc::new(Self { accounts, linking }))
    }
}

/// Opens the connections that the first request needs.
///
/// # Errors
/// When one cannot be opened.
pub async fn warm(state: Arc<UserState>) -> Result<(), Error> {
    let accounts = runtime::warm(&state.accounts.tokens, &state.accounts.users);
    let (accounts, linking) = join!(accounts, state.linking.warm());
    accounts.and(linking)
}

/// The endpoints.
pub fn router(state: Arc<UserState>) -> ApiRouter {
    ApiRouter::new()
        .get("/v1/user", list)
        .post("/v1/user", update)
        .get("/v1/user/{id}", find)
        .delete("/v1/user/{id}", delete)
        .with_state(state)
}

/// What the reference says of the endpoints.
#[derive(Debug, OpenApi)]
#[openapi(paths(list, update, find, delete))]
pub struct Reference;

/// The list's name in its cursors.
const LIST: &str = "user";

/// A request for a page of the users.
struct ListRequest {
    pattern: Option<UsernamePattern>,
    email: Option<String>,
    page: CursorRequest<String>,
    asked: Asked,
}

impl<S: Sync> FromRequestParts<S> for ListRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut params = Params::parse(parts.uri.query().unwrap_or_default());
        let pattern = params.filter_text("username");
        if pattern
            .as_ref()
            .is_some_and(|pattern| pattern.chars().count() > MAX_PATTERN)
        {
            params.fail(
                "username",
                format!("must have at most {MAX_PATTERN} characters"),
            );
        }
        let email = params
            .filter_text("email")
            .filter(|email| !email.is_empty());
        let page = CursorRequest::read(&mut params, LIST);
        Ok(Self {
            pattern: pattern.and_then(|pattern| read_pattern(&pattern)),
            email,
            page,
            asked: Asked::new(params, parts)?,
        })
    }
}

/// `^` stands before what a name begins with: no name has it.
fn read_pattern(pattern: &str) -> Option<UsernamePattern> {
    let pattern = match pattern.strip_prefix('^') {
        Some(beginning) => UsernamePattern::Beginning(fold_username(beginning)),
        None => UsernamePattern::Anywhere(fold_username(pattern)),
    };
    // An empty one matches everything, and so is none.
    let (UsernamePattern::Beginning(text) | UsernamePattern::Anywhere(text)) = &pattern;
    (!text.is_empty()).then_some(pattern)
}

/// A page of the users that pass the filters, by name; obscured.
///
/// A page for a pattern may be short, or even empty, while `Link` says that the list goes on: each
/// call reads at most 1,000 names. A pattern that begins with `^` means names that begin so, and is
/// answered out of the list's order, without reading others.
#[utoipa::path(
    get,
    path = "/v1/user",
    tag = "user",
    operation_id = "list_users",
    security((), ("bearer" = [])),
    params(
        ("username" = Option<String>, Query, description = "Case-insensitive literal substring of username. After `^`, the beginning of the name", example = "^mod"),
        ("email" = Option<String>, Query, description = "Exact, case-sensitive filter on email, for signed-in callers. Domains are stored in lower case"),
        ("per_page" = Option<u64>, Query, minimum = 1, maximum = 100, description = "Rows a page; 100 when absent", example = 20),
        ("cursor" = Option<String>, Query, description = "Where the list goes on, as the header `Link` has it"),
    ),
    responses(
        (status = 200, description = "A page of the list, which may be empty", body = Envelope<Vec<User>>, headers(
            ("Link" = String, description = "The next page, as `<...>; rel=\"next\"`, while there is one"),
        )),
        InvalidParameters,
        NoAccess,
        Fault,
        OutOfReach,
    ),
)]
async fn list(
    State(state): State<Arc<UserState>>,
    bearer: Result<OptionalBearer, ApiError>,
    request: ListRequest,
) -> Result<Response, ApiError> {
    let ListRequest {
        pattern,
        email,
        page,
        asked,
    } = request;
    let Some(email) = email else {
        let after = page.after.as_deref();
        let found = state
            .accounts
            .users
            .list(pattern.as_ref(), after, page.per_page)
            .await?;
        let next = found.next.as_ref();
        return Ok(private_page("Users found", found.users, next, LIST, &asked));
    };
    // Open to everybody, it would be a way to find out who is here.
    let OptionalBearer(bearer) = bearer?;
    let bearer = bearer.ok_or(ApiError::NoToken)?;
    let access = state
        .accounts
        .tokens
        .own(&bearer, Action::FindUserByEmail)
        .await?;
    // The filter is case-sensitive, so the value is compared as it is. A text that no account can have
    // as its address is not looked up: it could be longer than a key may be.
    let email = EmailAddress::new(&email)
        .ok()
        .filter(|address| address.as_str() == email);
    let users = async {
        match &email {
            Some(email) => state.accounts.users.list_by_email(email.as_str()).await,
            None => Ok(Vec::new()),
        }
    };
    let (caller, mut users) = try_join!(state.accounts.users.caller(&access.credential), users)?;
    access.check(caller.as_ref())?;
    users.retain(|user| passes(user, pattern.as_ref(), page.after.as_deref()));
    let next: Option<&String> = None;
    Ok(private_page("Users found", users, next, LIST, &asked))
}

/// Whether the one user that has an address passes the other filters.
fn passes(user: &User, pattern: Option<&UsernamePattern>, after: Option<&str>) -> bool {
    let name = fold_username(&user.username);
    let fits = pattern.is_none_or(|pattern| pattern.fits(&name));
    fits && after.is_none_or(|after| name.as_str() > after)
}

/// The user with this identifier, obscured.
#[utoipa::path(
    get,
    path = "/v1/user/{id}",
    tag = "user",
    operation_id = "find_user",
    params(("id" = u64, Path, minimum = 1, description = "Identifier", example = 1)),
    responses(
        (status = 200, description = "The user, obscured", body = Envelope<User>),
        InvalidParameters,
        NothingFound,
        Fault,
        OutOfReach,
    ),
)]
async fn find(
    State(state): State<Arc<UserState>>,
    PathId(id): PathId,
) -> Result<Response, ApiError> {
    let found = match UserId::new(id) {
        Some(id) => state.accounts.users.find(id).await?,
        None => None,
    };
    let user = found.ok_or(Error::NotFound("User not found"))?;
    Ok(private("User found", user))
}

/// What to change of a user. What is absent stays as it is.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "says in the reference what the body is")]
struct UpdateUser {
    /// Whom: the caller, or for moderators anybody.
    #[schema(minimum = 1, maximum = 268_435_455, example = 1)]
    id: u64,
    /// Gender.
    #[schema(example = 2)]
    gender: Gender,
    /// A new password. With the caller's own sign-in token only; every other token ends.
    #[schema(min_length = 8)]
    password: Option<String>,
    /// The password until now. Checked when it is given.
    current_password: Option<String>,
    /// Preferred locale code.
    #[schema(min_length = 2, max_length = 16, example = "en")]
    localization: Option<String>,
    /// The caller's account at the first external tracker, where the service offers it. With the caller's
    /// own sign-in token only.
    #[schema(minimum = 1)]
    tracker_a_id: Option<u64>,
    /// The token of that account, which goes with its identifier. It is tried at the tracker before
    /// anything is written, and kept encrypted.
    #[schema(max_length = 2048)]
    tracker_a_token: Option<String>,
}

/// Updates a user.
///
/// An account at the first tracker is linked once the tracker has said that the token is that account's; the
/// account's image becomes the user's. While the tracker does not answer, or may not be asked more, the
/// answer is 503, `Retry-After` says when to try again, and nothing is written.
#[utoipa::path(
    post,
    path = "/v1/user",
    tag = "user",
    operation_id = "update_user",
    security(("bearer" = [])),
    request_body = UpdateUser,
    responses(
        (status = 200, description = "The user; in full for themselves, for others without the address", body = Envelope<User>),
        BadBody,
        NoAccess,
        NothingFound,
        TooMany,
        Fault,
        OutOfReach,
    ),
)]
async fn update(
    State(state): State<Arc<UserState>>,
    address: CallerAddress,
    bearer: Bearer,
    fields: Result<Fields, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.accounts.tokens.credential(&bearer).await?;
    let mut fields = fields?;
    let id = fields.number("id", 1..=UserId::MAX);
    let id = fields.require("id", id).and_then(UserId::new);
    let gender = fields.wire_enum::<Gender>("gender");
    let gender = fields.require("gender", gender);
    let password = fields.text("password");
    let current_password = fields.text("current_password");
    let localization = fields.parsed("localization", shared::models::localization);
    let tracker_a = read_tracker(&mut fields);
    fields.finish()?;
    let id = present(id)?;

    // To try a password is as much as to change it.
    let action = match (password.is_some() || current_password.is_some(), &tracker_a) {
        (true, _) => Action::ChangePassword,
        (false, Some(_)) => Action::LinkTracker,
        (false, None) => Action::UpdateUser,
    };
    let access = Access::new(&credential, action, id);
    let is_own = credential.user_id == id;
    let mut change = UserChange {
        gender,
        localization,
        ..UserChange::default()
    };
    if password.is_some() || current_password.is_some() || tracker_a.is_some() {
        // Nothing is computed for a caller who may not do it; and to others nobody may do it.
        let account = state.accounts.own(&access).await?;
        if password.is_some() || current_password.is_some() {
            let (current, new) = (current_password.as_deref(), password.as_deref());
            let hash = state
                .accounts
                .check_and_hash_passwords(&account, current, new, address);
            change.password_hash = hash.await?;
        }
        if let Some((tracker_id, token)) = tracker_a {
            // It asks the tracker, whose limits all users share.
            let attempts = &state.accounts.attempts;
            attempts
                .by_address("tracker", address, TRACKER_ADDRESS)
                .await?;
            let link = state.linking.by_token(id, tracker_id, &token);
            change.link = Some(link.await.map_err(Error::from)?);
        }
    }
    let user = if is_own {
        state.accounts.update(&access, &change).await?
    } else {
        let updated = state.accounts.users.update_other(&access, id, &change);
        let user = updated.await?;
        // The contract has localization in this answer, whoever asked for the change.
        let localization = user.localization.clone();
        User {
            localization,
            ..user.obscured()
        }
    };
    Ok(private("User updated", user))
}

/// The tracker of a body: both of its fields, or neither.
fn read_tracker(fields: &mut Fields) -> Option<(u64, String)> {
    let id = fields.number("tracker_a_id", 1..=MAX_SAFE_INTEGER);
    let token = fields.parsed("tracker_a_token", tracker_token);
    match (&id, &token) {
        (Some(_), None) => fields.fail("tracker_a_token", "is required with tracker_a_id"),
        (None, Some(_)) => fields.fail("tracker_a_id", "is required with tracker_a_token"),
        _ => {}
    }
    id.zip(token)
}

/// Deletes a user, and everything that is theirs. Their tokens end at once.
#[utoipa::path(
    delete,
    path = "/v1/user/{id}",
    tag = "user",
    operation_id = "delete_user",
    security(("bearer" = [])),
    params(("id" = u64, Path, minimum = 1, description = "Identifier", example = 1)),
    responses(
        (status = 200, description = "The user is gone; `data` is empty", body = Envelope<String>),
        InvalidParameters,
        NoAccess,
        NothingFound,
        Fault,
        OutOfReach,
    ),
)]
async fn delete(
    State(state): State<Arc<UserState>>,
    bearer: Bearer,
    id: Result<PathId, ApiError>,
) -> Result<Response, ApiError> {
    let credential = state.accounts.tokens.credential(&bearer).await?;
    let PathId(id) = id?;
    let users = &state.accounts.users;
    let Some(id) = UserId::new(id) else {
        let access = Access::new(&credential, Action::DeleteUser, credential.user_id);
        access.check(users.caller(&credential).await?.as_ref())?;
        return Err(Error::NotFound("User not found").into());
    };
    let access = Access::new(&credential, Action::DeleteUser, id);
    let (caller, account) = try_join!(users.caller(&credential), users.account(id))?;
    access.check(caller.as_ref())?;
    let account = account.ok_or(Error::NotFound("User not found"))?;
    state.accounts.delete(&access, &account).await?;
    Ok(private("User deleted", ""))
}
