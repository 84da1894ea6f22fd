//! The authorization check: compares a caller's credential with the caller's current row in the table User.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::credential::{Credential, GrantedClient};
use super::permission::{Action, least_role_to_act_on};
use super::scope::Scope;
use crate::models::{LinkedAccounts, ListVersion, Role, UserId};
use crate::{Error, Result};

/// The fields of a row in the table User that decide which tokens are valid and what the user may do, and some fields
/// that a request needs from the same row.
#[derive(Clone, Debug, Deserialize)]
pub struct CallerRow {
    /// The time at which the deletion of the user began, in milliseconds since the Unix epoch; `None` for a
    /// user that exists.
    pub deleted_at: Option<u64>,
    /// The generation of the user's valid tokens (docs/oauth.md, "How tokens end").
    #[serde(default)]
    pub token_generation: u64,
    /// The identifier of the one token of an earlier generation that stays valid: the token with which the
    /// password was changed.
    pub kept_token: Option<String>,
    /// The user's role. Absent from a row that is being deleted.
    pub role: Option<Role>,
    /// The usable tracker accounts that the user has linked. The filter `synced` of the story list depends on them.
    #[serde(flatten)]
    pub linked: LinkedAccounts,
    /// True if everyone can read the user's list and statistics (docs/api.md, "Public profiles").
    #[serde(default)]
    pub public_profile: bool,
    /// The version of the user's list of stories.
    #[serde(flatten)]
    pub list: ListVersion,
    /// The row in the table `OAuthGrant` for the user's grant to the calling application, or for the profile token;
    /// `None` for all other callers, or if the row does not exist.
    #[serde(skip)]
    pub grant: Option<GrantRow>,
}

/// The fields of a row in the table `OAuthGrant` that decide which tokens are valid.
#[derive(Clone, Debug, Deserialize)]
pub struct GrantRow {
    /// The generation of the grant's valid tokens. In the row of a profile token, it is the generation that the user's
    /// tokens had when the profile token was made.
    pub token_generation: u64,
    /// The identifiers of the tokens that have this generation but were revoked.
    #[serde(default)]
    pub revoked_tokens: BTreeSet<String>,
    /// The identifier of the profile token; `None` in the row of a grant to an application.
    pub token_id: Option<String>,
    /// The day on which the profile token was last used, in days since the Unix epoch; `None` before its first use
    /// and in the row of a grant to an application.
    pub used_on: Option<u64>,
}

impl GrantRow {
    fn accepts(&self, client: &GrantedClient, token_id: &str) -> bool {
        self.token_generation == client.generation && !self.revoked_tokens.contains(token_id)
    }
}

/// The access that a caller needs for an action: a credential that is still valid and has the scope, and a role
/// that is high enough.
#[derive(Clone, Debug)]
pub struct Access {
    /// The caller.
    pub credential: Credential,
    /// The lowest role that is allowed to perform the action; `None` if no role is allowed or the token lacks
    /// the scope.
    pub least_role: Option<Role>,
    is_own: bool,
    has_scope: bool,
    /// The sentence for a caller whose role is too low.
    refusal: &'static str,
}

/// The sentence for a moderator who acts on another moderator or on an administrator.
pub const OWNER_ROLE_TOO_HIGH: &str = "Moderators can act only on basic users and on themselves.";

const NOT_YOURS: &str = "This belongs to another user.";
const FOR_MODERATORS: &str = "Only moderators and administrators can do this.";
const FOR_ADMINISTRATORS: &str = "Only administrators can do this.";
const NOT_FOR_PROFILE_TOKENS: &str =
    "A profile token is not allowed to do this. Send a token from a sign-in.";
const NOT_FOR_APPLICATIONS: &str =
    "Applications are not allowed to do this. The user must sign in directly to do it.";

impl Access {
    /// Returns the access that the caller needs for this action on the data of `owner`.
    pub fn new(credential: &Credential, action: Action, owner: UserId) -> Self {
        Self::build(credential, action, credential.user_id == owner, NOT_YOURS)
    }

    /// Returns the access that the caller needs for this action on data that belongs to no user, such as the catalogue.
    pub fn without_owner(credential: &Credential, action: Action) -> Self {
        let refusal = match action.rule().least_role_for_others {
            Some(Role::Administrator) => FOR_ADMINISTRATORS,
            _ => FOR_MODERATORS,
        };
        Self::build(credential, action, false, refusal)
    }

    fn build(
        credential: &Credential,
        action: Action,
        is_own: bool,
        role_too_low: &'static str,
    ) -> Self {
        let rule = action.rule();
        let by_application = credential.client.is_some();
        let has_scope = Scope::covers(credential.scope, rule.scope);
        let is_refused_token = credential.profile_token.is_some() && !rule.allows_profile_tokens;
        let least_role = match (is_own, by_application) {
            _ if !has_scope || is_refused_token => None,
            (true, false) => Some(Role::Basic),
            (true, true) => rule.allows_applications.then_some(Role::Basic),
            (false, false) => rule.least_role_for_others,
            // An application acts only on the data of the user who authorized it, whatever role that user has.
            (false, true) => None,
        };
        // The advice to sign in directly helps only if a user can perform the action without an application.
        let refusal = if by_application && (is_own || rule.least_role_for_others.is_some()) {
            NOT_FOR_APPLICATIONS
        } else if is_refused_token && is_own {
            NOT_FOR_PROFILE_TOKENS
        } else {
            role_too_low
        };
        Self {
            credential: credential.clone(),
            least_role,
            is_own,
            has_scope,
            refusal,
        }
    }

    /// Checks the caller's row and returns the caller's role.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] if the row is missing, belongs to a deleted user, or no longer accepts the token. A
    /// caller cannot distinguish these cases from a forged token. [`Error::InsufficientScope`] if the token
    /// lacks the scope. [`Error::Forbidden`] if the role is too low.
    pub fn check(&self, row: Option<&CallerRow>) -> Result<Role> {
        let row = row.filter(|row| self.is_valid_for(row));
        let role = row.and_then(|row| row.role).ok_or(Error::InvalidToken)?;
        if !self.has_scope {
            Err(Error::InsufficientScope)
        } else if self.least_role.is_some_and(|least| role >= least) {
            Ok(role)
        } else {
            Err(Error::Forbidden(self.refusal))
        }
    }

    /// Checks the caller's row as [`Access::check`] does, and compares the caller's role with the role of the owner
    /// of the data. Does not check that the owner exists.
    ///
    /// # Errors
    /// As [`Access::check`]; also [`Error::Forbidden`] if the caller's role is too low to act on the owner.
    pub fn check_for(&self, caller: Option<&CallerRow>, owner: Option<&CallerRow>) -> Result<()> {
        let role = self.check(caller)?;
        let owner_role = owner.and_then(|owner| owner.role);
        if self.is_own || owner_role.is_none_or(|owner| role >= least_role_to_act_on(owner)) {
            Ok(())
        } else {
            Err(Error::Forbidden(OWNER_ROLE_TOO_HIGH))
        }
    }

    /// Returns the error for a write whose condition on the caller's row failed. `row` is the caller's row at the
    /// time of the write.
    pub fn denied(&self, row: Option<&CallerRow>) -> Error {
        match self.check(row) {
            Err(error) => error,
            // The row allows the action. So another condition of the write on this row failed, for example the
            // condition for unlinking a tracker. A retry may succeed.
            Ok(_) => Error::Unavailable("the caller's row keeps changing".to_owned()),
        }
    }

    fn is_valid_for(&self, row: &CallerRow) -> bool {
        let is_current = row.token_generation == self.credential.generation;
        let is_kept = row.kept_token.as_deref() == Some(&self.credential.token_id);
        let token_id = &self.credential.token_id;
        let is_accepted_by = |grant: &GrantRow| match &self.credential.client {
            Some(client) => grant.accepts(client, token_id),
            // A profile token is valid only while the row of its slot still names it.
            None => grant.token_id.as_ref() == Some(token_id),
        };
        let is_granted =
            !self.credential.has_grant() || row.grant.as_ref().is_some_and(is_accepted_by);
        row.deleted_at.is_none() && (is_current || is_kept) && is_granted
    }
}
