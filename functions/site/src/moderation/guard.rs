//! The check of a visitor's role.

use accounts::SignedInUser;
use pages::error::PageError;
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::{Access, Action, CallerRow};

use crate::state::ModerationState;

/// Returns the signed-in user if their role allows this action on data that belongs to no user.
///
/// # Errors
/// [`PageError::SignInFirst`] without a session, [`Error::Forbidden`] if the role is too low.
pub(super) async fn require_moderator(
    state: &ModerationState,
    visitor: &Visitor,
    action: Action,
    path: &str,
) -> Result<SignedInUser, PageError> {
    let user = state.sessions.require_user(visitor, path).await?;
    check_access(&user, action)?;
    Ok(user)
}

/// Checks that the user's role allows this action on data that belongs to no user, and returns the access for it.
///
/// # Errors
/// [`Error::Forbidden`] if the role is too low.
pub(crate) fn check_access(user: &SignedInUser, action: Action) -> Result<Access, Error> {
    let access = Access::without_owner(&user.credential, action);
    access.check(Some(&CallerRow::from(&user.account)))?;
    Ok(access)
}
