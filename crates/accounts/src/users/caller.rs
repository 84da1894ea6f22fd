//! Transactions on behalf of a caller: they check, in the same write, that the caller still has access.

use dynamo::{ActionName, Condition, Transaction};
use shared::auth::{Access, OWNER_ROLE_TOO_HIGH, least_role_to_act_on};
use shared::models::UserId;
use shared::{Error, Result};

use super::conditions::{caller_has_access, caller_row, denied, role_value, user_exists};
use super::user::key as user_key;
use super::user_store::UserStore;
use crate::errors::NO_USER;

impl UserStore {
    /// Begins a transaction without a check of a caller.
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction::new(&self.client, &self.random)
    }

    /// Begins a transaction that checks the caller: the caller's row and, for an application or a profile token, its
    /// row in the table OAuthGrant. If the caller has no access, the transaction fails with the error of
    /// [`Access::check`].
    pub async fn begin<'t>(&'t self, access: &'t Access) -> Result<Transaction<'t>> {
        let caller = self.caller_condition(access).await?;
        self.begin_with(access, caller)
    }

    /// Does the same as [`Self::begin`], and also updates the caller's row under the additional `condition`. The
    /// transaction fails with `otherwise` if only that condition fails.
    pub(crate) async fn begin_with_update<'t>(
        &'t self,
        access: &'t Access,
        condition: Condition,
        update: &str,
        otherwise: Error,
    ) -> Result<Transaction<'t>> {
        let condition = self.caller_condition(access).await?.and(condition);
        let key = user_key(access.credential.user_id);
        let mut writes = self.transaction();
        writes.require(
            condition.update(&self.users, key, update)?,
            move |row| match caller_row(row).and_then(|row| access.check(row.as_ref())) {
                Ok(_) => otherwise,
                Err(error) => error,
            },
        );
        self.require_grant(access, &mut writes)?;
        Ok(writes)
    }

    /// Begins a transaction of a caller who acts on another user, and checks that the caller's role allows it. Also
    /// returns the condition that the other user exists and still has the compared role. The transaction needs this
    /// condition in its action on the other user's row.
    pub(crate) async fn begin_for<'t>(
        &'t self,
        access: &'t Access,
        other: UserId,
    ) -> Result<(Transaction<'t>, Condition)> {
        let (caller, other) = self.conditions_to_act_on(access, other).await?;
        Ok((self.begin_with(access, caller)?, other))
    }

    /// Begins a transaction of a caller on the data of `owner`, who can be another user. It checks that both exist, and
    /// that the caller's role allows it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the owner does not exist.
    pub async fn begin_on<'t>(
        &'t self,
        access: &'t Access,
        owner: UserId,
    ) -> Result<Transaction<'t>> {
        if access.credential.user_id == owner {
            return self.begin(access).await;
        }
        let (mut writes, condition) = self.begin_for(access, owner).await?;
        writes.require(condition.check(&self.users, user_key(owner))?, |_| NO_USER);
        Ok(writes)
    }

    /// Adds the check that a user exists to a transaction, and returns its name.
    pub fn add_existence_check(
        &self,
        transaction: &mut Transaction<'_>,
        user: UserId,
    ) -> Result<ActionName> {
        let check = user_exists().check(&self.users, user_key(user))?;
        Ok(transaction.add(check))
    }

    fn begin_with<'t>(&'t self, access: &'t Access, caller: Condition) -> Result<Transaction<'t>> {
        let check = caller.check(&self.users, user_key(access.credential.user_id))?;
        let mut writes = self.transaction();
        writes.require(check, move |row| denied(access, row));
        self.require_grant(access, &mut writes)?;
        Ok(writes)
    }

    /// Adds the check of the row in the table OAuthGrant on which the caller's token depends, if there is one.
    pub(crate) fn require_grant(
        &self,
        access: &Access,
        writes: &mut Transaction<'_>,
    ) -> Result<()> {
        if let Some(check) = self.grants.check_action(&access.credential)? {
            writes.require(check, |_| Error::InvalidToken);
        }
        Ok(())
    }

    /// Returns the condition on the caller's row for this access: [`Access::check`] as an expression, without the
    /// grant. If no role is allowed to perform the action, reads the row and returns the error of the access check.
    pub(crate) async fn caller_condition(&self, access: &Access) -> Result<Condition> {
        if let Some(least) = access.least_role {
            return Ok(caller_has_access(access, least));
        }
        let row = self.caller(&access.credential).await?;
        Err(access.denied(row.as_ref()))
    }

    /// Returns the conditions on the caller's row and on another user's row under which the caller's role
    /// allows acting on the other user.
    async fn conditions_to_act_on(
        &self,
        access: &Access,
        id: UserId,
    ) -> Result<(Condition, Condition)> {
        let (caller, other) = self.caller_and(&access.credential, id).await?;
        let role = access.check(caller.as_ref())?;
        let other = other.filter(|other| other.deleted_at.is_none());
        let other_role = other.and_then(|other| other.role).ok_or(NO_USER)?;
        let least_role = least_role_to_act_on(other_role);
        if role < least_role {
            return Err(Error::Forbidden(OWNER_ROLE_TOO_HIGH));
        }
        let least_role = access
            .least_role
            .map_or(least_role, |least| least.max(least_role));
        let caller = caller_has_access(access, least_role);
        // The caller's role was compared with the other user's current role, so the other user's role must not change
        // before the write.
        let same_role = Condition::new("#role = :role")
            .name("role")
            .value("role", role_value(other_role));
        Ok((caller, user_exists().and(same_role)))
    }
}
