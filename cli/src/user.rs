//! What an operator does to users.

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use clap::ValueEnum;
use shared::models::{Role, Username};
use shared::random::Random;
use shared::store::{TableNames, UserStore};

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
