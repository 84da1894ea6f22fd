//! Operations on accounts that the API's endpoints and the web pages share.

use std::sync::Arc;
use std::time::Duration;

use shared::Result;
use shared::auth::{Access, Passwords, RegistrationMode, Tokens};
use shared::clock::Clock;

use crate::clearing::{MAX_PAGES_AT_ONCE, clear_within_request};
use crate::deletion::DeletionStore;
use crate::invitations::invitation_store::InvitationStore;
use crate::mail::mailer::Mailer;
use crate::second_factor::SecondFactors;
use crate::throttling::attempts::Attempts;
use crate::users::user::Account;
use crate::users::user_store::UserStore;

/// Operations on accounts that send no mail, with the stores and services that they use.
#[derive(Debug)]
pub struct Accounts {
    /// Signs and verifies tokens.
    pub tokens: Tokens,
    /// Stores users.
    pub users: UserStore,
    /// Counts attempts.
    pub attempts: Attempts,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Deletes the rows of users.
    pub deletion: DeletionStore,
    /// Stores invitations.
    pub invitations: InvitationStore,
    /// Second factors.
    pub second_factors: SecondFactors,
    /// The rule for registrations.
    pub registration: RegistrationMode,
    /// False if users can sign in only with the identity provider.
    pub has_passwords: bool,
    /// The clock.
    pub clock: Clock,
}

impl Accounts {
    /// Deletes an account and all data of its user (docs/data-model.md, "Deletion").
    ///
    /// # Errors
    /// [`shared::Error::InvalidToken`] or [`shared::Error::Forbidden`].
    pub async fn delete(&self, access: &Access, account: &Account) -> Result<()> {
        let now = self.clock.now_ms();
        self.deletion
            .replace_by_tombstone(access, account, now)
            .await?;
        let clearing = self
            .deletion
            .delete_data_of_user(account.user.id, MAX_PAGES_AT_ONCE, now);
        clear_within_request("the rows of a user", clearing).await;
        Ok(())
    }
}

/// [`Accounts`] with the mailer: the operations that send mail, such as sign-in, registration and mail links. A mail
/// link proves that the user reads the account's mail.
#[derive(Debug)]
pub struct AccountService {
    pub(crate) accounts: Arc<Accounts>,
    pub(crate) mailer: Mailer,
    pub(crate) reset_floor: Duration,
}

impl AccountService {
    /// Creates the operations on these accounts. A request for a password reset takes at least `reset_floor`
    /// ([`RESET_FLOOR`]).
    pub fn new(accounts: Arc<Accounts>, mailer: Mailer, reset_floor: Duration) -> Self {
        Self {
            accounts,
            mailer,
            reset_floor,
        }
    }
}
