//! Whether a caller may do something now: the rule that the user's row is held against.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::credential::{Credential, GrantedClient};
use super::permission::{Action, least_role_to_act_on};
use crate::Error;
use crate::models::{LinkedAccounts, Role, UserId};

/// What the row of a caller says about their tokens.
#[derive(Clone, Debug, Deserialize)]
pub struct CallerRow {
    /// Set once the user is being deleted.
    pub deleted_at: Option<u64>,
    /// The generation of tokens that is taken.
    #[serde(default)]
    pub token_generation: u64,
    /// The one token of an earlier generation that is taken too.
    pub kept_token: Option<String>,
    /// What the user may do beyond what is theirs. A row that is being deleted has none.
    pub role: Option<Role>,
    /// What the user has linked: whether a story is synced depends on it.
    #[serde(flatten)]
    pub linked: LinkedAccounts,
    /// What the user's grant to the application says that calls, if one does.
    #[serde(skip)]
    pub grant: Option<GrantRow>,
}

/// What the row of a grant says about its tokens.
#[derive(Clone, Debug, Deserialize)]
pub struct GrantRow {
    /// The generation of tokens that is taken.
    pub token_generation: u64,
    /// Tokens of that generation that were revoked.
    #[serde(default)]
    pub revoked_tokens: BTreeSet<String>,
}

impl GrantRow {
    fn holds(&self, client: &GrantedClient, token_id: &str) -> bool {
        self.token_generation == client.generation && !self.revoked_tokens.contains(token_id)
    }
}

/// What a caller wants to do, and what their row must say for it.
#[derive(Clone, Debug)]
pub struct Access {
    /// Who calls.
    pub credential: Credential,
    /// The least role it takes; `None`: no role is enough.
    pub least_role: Option<Role>,
    is_own: bool,
    refusal: &'static str,
}

/// The answer to a moderator who acts on a user that only administrators may act on.
pub const ABOVE: &str = "Moderators can act only on basic users and on themselves.";

const NOT_YOURS: &str = "This belongs to another user.";
const NOT_FOR_APPLICATIONS: &str =
    "An application may not do this for a user: sign in yourself to do it.";

impl Access {
    /// What it takes for the caller to do this to what is `owner`'s.
    #[must_use]
    pub fn new(credential: &Credential, action: Action, owner: UserId) -> Self {
        let rule = action.rule();
        let is_own = credential.user_id == owner;
        let by_application = credential.client.is_some();
        let least_role = match (is_own, by_application) {
            (true, false) => Some(Role::Basic),
            (true, true) => rule.by_applications.then_some(Role::Basic),
            (false, false) => rule.to_others,
            (false, true) => None,
        };
        let refusal = if by_application && (is_own || rule.to_others.is_some()) {
            NOT_FOR_APPLICATIONS
        } else {
            NOT_YOURS
        };
        Self {
            credential: credential.clone(),
            least_role,
            is_own,
            refusal,
        }
    }

    /// Holds the caller's row against it. A row that is not there, or is being deleted, or has
    /// ended this token, is the same to the caller as a token that was never given.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub fn check(&self, row: Option<&CallerRow>) -> Result<Role, Error> {
        let row = row.filter(|row| self.holds(row));
        let role = row.and_then(|row| row.role).ok_or(Error::InvalidToken)?;
        if self.least_role.is_some_and(|least| role >= least) {
            Ok(role)
        } else {
            Err(Error::Forbidden(self.refusal))
        }
    }

    /// Checks the caller's row, as [`Access::check`] does, and the caller's role against that of the user
    /// whose data it is about. Does not check that this user exists.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub fn check_for(
        &self,
        caller: Option<&CallerRow>,
        owner: Option<&CallerRow>,
    ) -> Result<(), Error> {
        let role = self.check(caller)?;
        let owner_role = owner.and_then(|owner| owner.role);
        if self.is_own || owner_role.is_none_or(|owner| role >= least_role_to_act_on(owner)) {
            Ok(())
        } else {
            Err(Error::Forbidden(ABOVE))
        }
    }

    /// Returns why a write under this access failed, given the caller's row at the time of the write.
    #[must_use]
    pub fn denied(&self, row: Option<&CallerRow>) -> Error {
        match self.check(row) {
            Err(error) => error,
            // The row allows it now but did not a moment ago.
            Ok(_) => Error::Unavailable("the caller's row keeps changing".to_owned()),
        }
    }

    fn holds(&self, row: &CallerRow) -> bool {
        let current = row.token_generation == self.credential.generation;
        let kept = row.kept_token.as_deref() == Some(&self.credential.token_id);
        let granted = self.credential.client.as_ref().is_none_or(|client| {
            let grant = row.grant.as_ref();
            grant.is_some_and(|grant| grant.holds(client, &self.credential.token_id))
        });
        row.deleted_at.is_none() && (current || kept) && granted
    }
}
