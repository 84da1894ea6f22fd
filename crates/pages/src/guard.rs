//! The check of a visitor's role.

use accounts::sessions::SignedInUser;
use shared::Result;
use shared::auth::{Access, Action, CallerRow};

/// Checks that the user's role allows this action on data that belongs to no user, and returns the access for it.
///
/// # Errors
/// [`shared::Error::Forbidden`] if the role is too low.
pub fn check_access(user: &SignedInUser, action: Action) -> Result<Access> {
    let access = Access::without_owner(&user.credential, action);
    access.check(Some(&CallerRow::from(&user.account)))?;
    Ok(access)
}
