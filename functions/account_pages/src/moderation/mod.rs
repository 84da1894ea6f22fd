//! The pages on which moderators find users, remove their pictures and delete them.

mod view;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use accounts::users::{Account, UsernamePattern};
use axum::extract::State;
use axum::http::Uri;
use futures_util::join;
use pages::error::{PageError, PageResult};
use pages::form_page::FormPage;
use pages::guard::check_access;
use pages::paths::MODERATION;
use pages::sessions::Visitor;
use shared::auth::{Access, Action, CallerRow};
use shared::http::ApiError;
use shared::http::response::PathId;
use shared::input::MAX_PATTERN;
use shared::models::{EmailAddress, UserId};
use shared::{Error, Missing, Result};

use self::view::{FoundUsers, Rights};
use crate::state::AccountState;

/// The number of users on a page.
const PER_PAGE: usize = 25;

/// `GET /moderation`: finds users by a part of their names, or by their exact e-mail address.
pub(crate) async fn page(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    check_access(&page.owner, Action::ModerateUsers)?;
    let page = page.with_confirmation(&[("deleted", "moderation-deleted")]);
    let mut params = page.forms.params();
    let search = params.token("search").unwrap_or_default();
    let search: String = search.trim().chars().take(MAX_PATTERN).collect();
    let after = params.token("after");
    let found = if search.is_empty() {
        None
    } else {
        Some(find_users(&state, &search, after.as_deref()).await?)
    };
    Ok(view::search_page(&page, &search, found.as_ref()))
}

/// Finds users. The index has only public attributes, so the accounts are read afterwards.
async fn find_users(state: &AccountState, search: &str, after: Option<&str>) -> Result<FoundUsers> {
    let users = &state.accounts.users;
    // Usernames have no `@`, so this is an e-mail address.
    if search.contains('@') {
        let id = match EmailAddress::new(search) {
            Ok(email) => users.find_by_email(&email).await?,
            Err(_) => None,
        };
        let account = match id {
            Some(id) => users.account(id).await?,
            None => None,
        };
        return Ok(FoundUsers {
            accounts: account.into_iter().collect(),
            next: None,
        });
    }
    let pattern = UsernamePattern::read(search);
    let listed = users.list(pattern.as_ref(), after, PER_PAGE).await?;
    let ids: Vec<UserId> = listed.users.iter().map(|user| user.id).collect();
    let mut accounts = users.accounts(&ids).await?;
    Ok(FoundUsers {
        // A user who was deleted a moment ago can still be in the index, but no longer has an account.
        accounts: ids.iter().filter_map(|id| accounts.remove(id)).collect(),
        next: listed.next,
    })
}

/// `GET /moderation/user/{id}`
pub(crate) async fn user_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
    id: Result<PathId, ApiError>,
) -> PageResult {
    let (page, id, account) = Box::pin(read_account(&state, visitor, uri, id)).await?;
    let Some(account) = account else {
        // Until the sweep deletes it, a tombstone shows that there was a user.
        let row = state.accounts.users.row(id).await?;
        row.ok_or(NOT_FOUND)?;
        return Ok(view::deleted_user_page(&page, id));
    };
    let page = page.with_confirmation(&[("picture-removed", "moderation-picture-removed")]);
    let rights = Rights {
        delete: check_may_delete(&page.owner, &account).is_ok(),
        remove_picture: check_may_act(&page.owner, &account, Action::UpdateUser).is_ok(),
    };
    Ok(view::user_page(&page, &account, &rights))
}

/// `GET /moderation/user/{id}/delete`
pub(crate) async fn delete_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
    id: Result<PathId, ApiError>,
) -> PageResult {
    let (page, _, account) = Box::pin(read_account(&state, visitor, uri, id)).await?;
    let account = account.ok_or(NOT_FOUND)?;
    check_may_delete(&page.owner, &account)?;
    Ok(view::deletion_page(&page, &account))
}

/// `POST /moderation/user/{id}/delete`
pub(crate) async fn delete(
    State(state): State<Arc<AccountState>>,
    id: Result<PathId, ApiError>,
    page: FormPage,
) -> PageResult {
    check_access(&page.owner, Action::ModerateUsers)?;
    let account = state.accounts.users.account(user_id(id)?).await?;
    let account = account.ok_or(NOT_FOUND)?;
    let access = check_may_delete(&page.owner, &account)?;
    state.accounts.delete(&access, &account).await?;
    page.redirect_with(MODERATION, "deleted")
}

/// `GET /moderation/user/{id}/picture`
pub(crate) async fn picture_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
    id: Result<PathId, ApiError>,
) -> PageResult {
    let (page, _, account) = Box::pin(read_account(&state, visitor, uri, id)).await?;
    let account = account.ok_or(NOT_FOUND)?;
    check_may_act(&page.owner, &account, Action::UpdateUser)?;
    Ok(view::picture_page(&page, &account))
}

/// `POST /moderation/user/{id}/picture`: removes the picture.
pub(crate) async fn remove_picture(
    State(state): State<Arc<AccountState>>,
    id: Result<PathId, ApiError>,
    page: FormPage,
) -> PageResult {
    check_access(&page.owner, Action::ModerateUsers)?;
    let id = user_id(id)?;
    let access = Access::new(&page.owner.credential, Action::UpdateUser, id);
    Box::pin(state.accounts.users.remove_picture_of(&access, id)).await?;
    let path = format!("{MODERATION}/user/{}", id.get());
    page.redirect_with(&path, "picture-removed")
}

const NOT_FOUND: Error = Error::NotFound(Missing::User);

fn user_id(id: Result<PathId, ApiError>) -> Result<UserId> {
    let id = id.ok().and_then(|PathId(id)| UserId::new(id));
    id.ok_or(NOT_FOUND)
}

/// Reads the visitor and an account at the same time. If both fail, the error of the visitor's check is returned, so
/// that a visitor who may not see the account does not learn whether it exists.
async fn read_account(
    state: &AccountState,
    visitor: Visitor,
    uri: Uri,
    id: Result<PathId, ApiError>,
) -> Result<(FormPage, UserId, Option<Account>), PageError> {
    let id = user_id(id);
    let account = async {
        match &id {
            Ok(id) => state.accounts.users.account(*id).await,
            Err(_) => Ok(None),
        }
    };
    let moderator = state.sessions.require_user(&visitor, MODERATION);
    let (moderator, account) = join!(moderator, account);
    let moderator = moderator?;
    check_access(&moderator, Action::ModerateUsers)?;
    let page = FormPage::new(&state.sessions, visitor, moderator, uri);
    Ok((page, id?, account?))
}

/// Checks that a moderator may delete another user's account, and returns the access for it. Moderators delete their
/// own account on the profile page, which asks for the password.
///
/// # Errors
/// [`Error::Forbidden`] if the moderator's role is too low, or if it is their own account.
fn check_may_delete(moderator: &SignedInUser, account: &Account) -> Result<Access> {
    if account.user.id == moderator.account.user.id {
        return Err(Error::Forbidden(
            "Delete your own account on your profile page.",
        ));
    }
    check_may_act(moderator, account, Action::DeleteUser)
}

/// Checks that a moderator may perform an action on an account, and returns the access for it.
///
/// # Errors
/// [`Error::Forbidden`] if the moderator's role is too low.
fn check_may_act(moderator: &SignedInUser, account: &Account, action: Action) -> Result<Access> {
    let access = Access::new(&moderator.credential, action, account.user.id);
    let [caller, target] = [&moderator.account, account].map(CallerRow::from);
    access.check_for(Some(&caller), Some(&target))?;
    Ok(access)
}
