//! The roles of users.

use dynamo::{Condition, Outcome, number, read, read_all};
use shared::Result;
use shared::models::{Role, User, UserId};

use super::conditions::{role_value, user_exists};
use super::user::{LIST_SHARD, key as user_key};
use super::user_store::UserStore;
use crate::rows::query_by;

impl UserStore {
    /// Sets a user's role. Returns false if the user does not exist.
    pub async fn set_role(&self, id: UserId, role: Role) -> Result<bool> {
        let condition = user_exists().name("role").value("role", role_value(role));
        let update = self.update(id, condition, "SET #role = :role");
        Ok(update.await?.is_written())
    }

    /// Gives an administrator a lower role if there is another administrator. Returns false if there is none, or if the
    /// user is no longer an administrator.
    pub async fn demote_administrator(&self, id: UserId, role: Role) -> Result<bool> {
        let administrator = role_value(Role::Administrator);
        let is_administrator = || {
            user_exists()
                .and(Condition::new("#role = :administrator"))
                .name("role")
                .value("administrator", administrator.clone())
        };
        let query = query_by(&self.client, &self.users, "list_shard", number(LIST_SHARD))
            .index_name("ByUsername")
            .filter_expression("#role = :administrator")
            .expression_attribute_names("#role", "role")
            .expression_attribute_values(":administrator", administrator.clone());
        let administrators = read_all(query, read::<User>).await?;
        for other in administrators.iter().filter(|other| other.id != id) {
            let mut writes = self.transaction();
            let change = is_administrator().value("role", role_value(role));
            let change = change.update(&self.users, user_key(id), "SET #role = :role")?;
            let change = writes.add(change);
            // The index can lag behind, and the other administrator may be losing the role at this moment.
            writes.add(is_administrator().check(&self.users, user_key(other.id))?);
            match writes.commit().await? {
                Outcome::Written => return Ok(true),
                Outcome::Refused(refused) if refused.has(change) => return Ok(false),
                Outcome::Refused(_) => {}
            }
        }
        Ok(false)
    }
}
