//! The reset of a forgotten password with a link in a mail.

use std::time::Duration;

use futures_util::future::join;
use shared::auth::{CallerAddress, TokenPurpose};
use shared::models::EmailAddress;
use shared::{Error, Result};

use super::password::check_account_policy;
use crate::mail::link_mail::LinkMail;
use crate::mail::links;
use crate::mail::security_mail::SecurityEvent;
use crate::service::accounts::AccountService;
use crate::service::mail_links::invalid_link;
use crate::throttling::attempts::MAIL_REQUESTS_PER_NETWORK;
use crate::users::user::Account;

/// The minimum duration of a request for a password reset. SES usually needs less time to send a mail, so the
/// response time usually does not reveal if an address has an account.
pub const RESET_FLOOR: Duration = Duration::from_secs(1);

impl AccountService {
    /// Mails a reset link if an account has this e-mail address. For an address without an account, the result and
    /// usually the response time ([`RESET_FLOOR`]) are the same.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if there were too many requests from the caller's network. If the limit for the
    /// e-mail address is reached, no error is returned, because it would reveal that the address has an account.
    /// [`Error::Forbidden`] if no passwords are taken.
    pub async fn send_reset(&self, email: EmailAddress, address: CallerAddress) -> Result<()> {
        self.accounts.check_has_passwords()?;
        self.accounts
            .attempts
            .count_by_network("password_reset", address, MAIL_REQUESTS_PER_NETWORK)
            .await?;
        let floor = tokio::time::sleep(self.reset_floor);
        match join(self.mail_reset(email), floor).await.0 {
            Ok(()) | Err(Error::TooManyRequests(_)) => {}
            Err(error) => tracing::warn!(%error, "a link to reset a password was not sent"),
        }
        Ok(())
    }

    async fn mail_reset(&self, to: EmailAddress) -> Result<()> {
        let account = match self.accounts.users.find_by_email(&to).await? {
            Some(id) => self.accounts.users.account(id).await?,
            None => None,
        };
        let Some(account) = account else {
            return Ok(());
        };
        let is_verified = account.email_verified;
        // A mistyped address belongs to a stranger. The address of the registration is used even if it is not verified.
        // Otherwise, a user who has forgotten the password could never sign in again.
        if account.email_version > 0 && !is_verified {
            return Ok(());
        }
        self.accounts
            .attempts
            .count_mail("password_reset", &to, is_verified)
            .await?;
        let version = reset_version(&account);
        let link = self.make_link(
            links::RESET_PASSWORD,
            TokenPurpose::PasswordReset,
            &account,
            version,
        );
        let link = link.await?;
        self.send(LinkMail::Reset, to, &account, &link).await
    }

    /// Checks the token of a reset link, and does not use it up. The check is not counted as an attempt, because a
    /// token has a signature that cannot be guessed.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `token`, or [`Error::Forbidden`] if no passwords are taken.
    pub async fn check_reset_link(&self, token: &str) -> Result<()> {
        self.accounts.check_has_passwords()?;
        self.find_account_to_reset(token).await.map(|_| ())
    }

    /// Returns the account whose password the token of a reset link can change.
    async fn find_account_to_reset(&self, token: &str) -> Result<Account> {
        let (id, claims) = self.read_link(TokenPurpose::PasswordReset, token).await?;
        let account = self.accounts.users.account(id).await?;
        account
            .filter(|account| reset_version(account) == claims.ver)
            .ok_or_else(invalid_link)
    }

    /// Sets a new password with the token of a reset link, and ends all tokens and sessions of the user.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `token` or `password`, [`Error::TooManyRequests`], or [`Error::Forbidden`] if no
    /// passwords are taken.
    pub async fn reset_password(
        &self,
        token: &str,
        password: &str,
        address: CallerAddress,
    ) -> Result<()> {
        self.accounts.check_has_passwords()?;
        self.count_link(address).await?;
        let account = self.find_account_to_reset(token).await?;
        let id = account.user.id;
        check_account_policy(&account, password)?;
        let hash = self.accounts.passwords.hash(password).await?;
        // A stranger may have registered with the address of the user, who has now shown access to its mail. In that
        // case, the stranger must not keep a way to sign in.
        let removes_factors = !account.email_verified && !account.factors.is_unset();
        let users = &self.accounts.users;
        let reset = users.reset_password(&account, hash, removes_factors);
        if !reset.await? {
            return Err(invalid_link());
        }
        // With a second factor, the count of failures stays. Otherwise, a stranger who reads the mail could guess codes
        // without a limit.
        if account.factors.second_factor.is_none() {
            self.accounts.attempts.clear_failures(id).await?;
        }
        self.accounts.attempts.remember_address(id, address).await?;
        self.notify(&account, SecurityEvent::PasswordChanged).await;
        Ok(())
    }
}

/// Returns the version of an account's password and e-mail address, which the token of a reset link contains. It only
/// increases, so the link stops working once the password or the address changes.
fn reset_version(account: &Account) -> u64 {
    account.password_version + account.email_version
}
