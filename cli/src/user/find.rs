//! Users by name.

use accounts::users::{Account, UserStore};
use anyhow::Context;
use shared::models::{UserId, Username};

/// Returns the identifier of the user with this name.
pub(super) async fn find_user(users: &UserStore, name: &str) -> anyhow::Result<UserId> {
    let username =
        Username::new(name).map_err(|reason| anyhow::anyhow!("the user name {reason}"))?;
    let found = users.find_by_username(&username.folded()).await?;
    found.with_context(|| unknown_user(name))
}

/// Returns the account of the user with this name.
pub(super) async fn find_account(users: &UserStore, name: &str) -> anyhow::Result<Account> {
    let id = find_user(users, name).await?;
    let account = users.account(id).await?;
    account.with_context(|| unknown_user(name))
}

pub(super) fn unknown_user(name: &str) -> String {
    format!("there is no user {name}")
}
