//! Signing in with a password and, if the account has a second factor, with its code.

use serde::{Deserialize, Serialize};
use shared::auth::CallerAddress;
use shared::models::{SecondFactor, UserId};
use shared::{Error, Result};

use super::password::SignInName;
use crate::mail::security_mail::SecurityEvent;
use crate::second_factor::TakenCode;
use crate::service::accounts::AccountService;
use crate::throttling::attempts::SignInAttempt;
use crate::users::user::Account;

/// A sign-in whose password is right.
#[derive(Debug)]
pub enum SignIn {
    /// The user is signed in.
    Complete(Box<Account>),
    /// The account has a second factor, so the sign-in needs a code.
    NeedsCode(PendingSignIn),
}

/// A sign-in that needs a code. It ends when the password changes or all tokens of the user end.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignIn {
    user: UserId,
    password_version: u64,
    token_generation: u64,
    /// True if the account has recovery codes left.
    pub has_recovery_codes: bool,
}

impl PendingSignIn {
    fn of(account: &Account, second_factor: &SecondFactor) -> Self {
        Self {
            user: account.user.id,
            password_version: account.password_version,
            token_generation: account.token_generation,
            has_recovery_codes: !second_factor.recovery_codes.is_empty(),
        }
    }

    fn is_of(&self, account: &Account) -> bool {
        (self.password_version, self.token_generation)
            == (account.password_version, account.token_generation)
    }
}

impl AccountService {
    /// Checks a user's password and, if the account has a second factor and `code` is given, the code. Until the whole
    /// sign-in has succeeded, it counts as a failed attempt, so wrong codes have the same limits as wrong passwords.
    ///
    /// # Errors
    /// [`Error::WrongCredentials`], [`Error::WrongCode`], [`Error::TooManyRequests`], or [`Error::Forbidden`] if no
    /// passwords are taken.
    pub async fn sign_in(
        &self,
        sign_in_name: SignInName,
        password: &str,
        code: Option<&str>,
        address: CallerAddress,
    ) -> Result<SignIn> {
        let accounts = &self.accounts;
        let check_credentials = accounts.check_credentials(sign_in_name, password, address);
        let (account, attempt) = check_credentials.await?;
        let pending = account.factors.second_factor.as_ref();
        let pending = pending.map(|second_factor| PendingSignIn::of(&account, second_factor));
        match (pending, code) {
            (Some(_), Some(code)) => self.check_code(&account, code, attempt).await?,
            // A code may follow, in an attempt of its own.
            (Some(pending), None) => {
                accounts.end_attempt(&account, attempt).await?;
                return Ok(SignIn::NeedsCode(pending));
            }
            (None, _) => accounts.end_attempt(&account, attempt).await?,
        }
        Ok(SignIn::Complete(Box::new(account)))
    }

    /// Finishes a sign-in with a code, and returns the account. The code counts as an attempt to sign in. `None` if the
    /// sign-in has ended.
    ///
    /// # Errors
    /// [`Error::WrongCode`], [`Error::TooManyRequests`], or [`Error::Forbidden`] if no passwords are taken.
    pub async fn finish_sign_in(
        &self,
        pending: &PendingSignIn,
        code: &str,
        address: CallerAddress,
    ) -> Result<Option<Account>> {
        let (accounts, id) = (&self.accounts, pending.user);
        accounts.check_has_passwords()?;
        let attempt = accounts.attempts.begin_sign_in(Some(id), "", address);
        let attempt = attempt.await?;
        let account = accounts.users.account(id).await?;
        let Some(account) = account.filter(|account| pending.is_of(account)) else {
            accounts.attempts.take_back(attempt).await?;
            return Ok(None);
        };
        self.check_code(&account, code, attempt).await?;
        Ok(Some(account))
    }

    /// Checks a code of the second factor, and records the success of the attempt.
    async fn check_code(
        &self,
        account: &Account,
        code: &str,
        attempt: SignInAttempt,
    ) -> Result<()> {
        let accounts = &self.accounts;
        match accounts.second_factors.take_code(account, code).await? {
            TakenCode::Totp => {}
            TakenCode::Recovery => {
                self.notify(account, SecurityEvent::RecoveryCodeUsed).await;
            }
            refused @ (TakenCode::Wrong | TakenCode::NotReadable) => {
                let second_factor = account.factors.second_factor.as_ref();
                let is_some_left = |one: &SecondFactor| !one.recovery_codes.is_empty();
                return Err(Error::WrongCode {
                    has_recovery_codes: second_factor.is_some_and(is_some_left),
                    needs_recovery_code: refused == TakenCode::NotReadable,
                });
            }
        }
        accounts.attempts.record_success(attempt).await
    }
}
