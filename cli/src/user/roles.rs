//! The roles of users.

use accounts::users::UserStore;
use anyhow::Context;
use dynamo::Database;
use shared::models::Role;

use crate::user::find::{find_user, unknown_user};

/// Sets a user's role.
pub async fn set_role(database: &Database, name: &str, role: Role) -> anyhow::Result<()> {
    let users = UserStore::new(database);
    let id = find_user(&users, name).await?;
    let found = users.set_role(id, role).await?;
    found.then_some(()).with_context(|| unknown_user(name))
}
