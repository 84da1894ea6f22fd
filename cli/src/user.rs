//! What an operator does to users.

use std::fmt::Write;

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use clap::ValueEnum;
use shared::models::{Role, Username};
use shared::random::Random;
use store::{TableNames, UserStore};

/// A role, as it is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleName {
    /// May read and change what is theirs.
    Basic,
    /// Also what is others'.
    Moderator,
    /// Also what is moderators'.
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

/// Brings the names in the table up to this version's way of comparing them
/// ([`UserStore::refold_names`]). Returns what was done, as a sentence, unless there was nothing to do.
///
/// # Errors
/// When DynamoDB does not answer.
pub async fn upgrade(client: &Client, tables: &TableNames) -> anyhow::Result<Option<String>> {
    let users = UserStore::new(client.clone(), tables, Random::from_os()?);
    let (changed, conflicts) = users.refold_names().await?;
    let mut report = format!("Upgraded {changed} user names.");
    for id in &conflicts {
        let id = id.get();
        let _ = write!(
            report,
            " User {id} cannot sign in by name: another user has registered it."
        );
    }
    Ok((changed > 0 || !conflicts.is_empty()).then_some(report))
}

/// Gives a user a role.
///
/// # Errors
/// When there is no such user, or DynamoDB does not answer.
pub async fn set_role(
    client: &Client,
    tables: &TableNames,
    name: &str,
    role: Role,
) -> anyhow::Result<()> {
    let username = Username::new(name).map_err(|reason| anyhow::anyhow!("a name {reason}"))?;
    let users = UserStore::new(client.clone(), tables, Random::from_os()?);
    let nobody = || format!("there is no user {name}");
    let id = users
        .named(&username.folded())
        .await?
        .with_context(nobody)?;
    let found = users.set_role(id, role).await?;
    found.then_some(()).with_context(nobody)
}
