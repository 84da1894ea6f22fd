//! The operator's commands for users.

use std::fmt::Write;

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use clap::ValueEnum;
use shared::models::{Role, Username};
use shared::random::Random;
use store::{TableNames, UserStore};

/// A role on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleName {
    /// Acts on the user's own account and stories.
    Basic,
    /// Also acts on the accounts and stories of basic users.
    Moderator,
    /// Acts on the accounts and stories of all users.
    Administrator,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Basic => Self::Basic,
            RoleName::Moderator => Self::Moderator,
            RoleName::Administrator => Self::Administrator,
        }
    }
}

/// Updates the folded form of user names that an earlier version folded by other rules
/// ([`UserStore::refold_names`]).
/// Returns a summary for the operator, or `None` if nothing had to change.
pub async fn upgrade(client: &Client, tables: &TableNames) -> anyhow::Result<Option<String>> {
    let users = UserStore::new(client.clone(), tables, Random::from_os()?);
    let (changed, conflicts) = users.refold_names().await?;
    let mut report = format!("Upgraded {changed} user names.");
    for id in &conflicts {
        let id = id.get();
        let _ = write!(
            report,
            " User {id} cannot sign in by name: another user has registered the name."
        );
    }
    Ok((changed > 0 || !conflicts.is_empty()).then_some(report))
}

/// Sets a user's role.
///
/// # Errors
/// When there is no user with this name.
pub async fn set_role(
    client: &Client,
    tables: &TableNames,
    name: &str,
    role: Role,
) -> anyhow::Result<()> {
    let username =
        Username::new(name).map_err(|reason| anyhow::anyhow!("the user name {reason}"))?;
    let users = UserStore::new(client.clone(), tables, Random::from_os()?);
    let unknown_user = || format!("there is no user {name}");
    let id = users
        .find_by_username(&username.folded())
        .await?
        .with_context(unknown_user)?;
    let found = users.set_role(id, role).await?;
    found.then_some(()).with_context(unknown_user)
}
