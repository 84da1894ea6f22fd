//! Checks of passwords.

use shared::auth::{CallerAddress, check_policy};
use shared::models::{EmailAddress, UserId, Username};
use shared::{Error, Result};

use crate::service::accounts::Accounts;
use crate::throttling::attempts::SignInAttempt;
use crate::users::user::Account;

/// The reason for refusing every password, as users see it.
const NO_PASSWORDS: &str = "This server takes no passwords. Sign in with its identity provider.";

/// The username or e-mail address with which a user signs in.
pub enum SignInName {
    /// A username.
    Username(String),
    /// An e-mail address.
    Email(String),
}

impl SignInName {
    /// Reads the text of a sign-in form. A text with an `@` is an e-mail address, because no username has one.
    pub fn of(text: &str) -> Self {
        if text.contains('@') {
            Self::Email(text.to_owned())
        } else {
            Self::Username(text.to_owned())
        }
    }
}

impl Accounts {
    /// Checks that users can sign in with a password.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn check_has_passwords(&self) -> Result<()> {
        let allowed = self.has_passwords.then_some(());
        allowed.ok_or(Error::Forbidden(NO_PASSWORDS))
    }

    /// Returns true if a user can sign in with a password.
    pub fn can_use_password(&self, account: &Account) -> bool {
        self.has_passwords && account.password_hash.is_some()
    }

    /// Checks a user's name and password. If they are correct, returns the account and the attempt, which counts as a
    /// failure until the caller records its success.
    ///
    /// # Errors
    /// [`Error::WrongCredentials`], [`Error::TooManyRequests`], or [`Error::Forbidden`] if no passwords are taken.
    pub(crate) async fn check_credentials(
        &self,
        sign_in_name: SignInName,
        password: &str,
        address: CallerAddress,
    ) -> Result<(Account, SignInAttempt)> {
        self.check_has_passwords()?;
        // For a text that is not a valid username or address, the empty username is looked up, so that the
        // attempt takes as long as one with a valid name.
        let (user, name) = match sign_in_name {
            SignInName::Username(name) => match Username::new(&name) {
                Ok(name) => (
                    self.users.find_by_username(&name.folded()).await?,
                    name.folded(),
                ),
                Err(_) => (self.users.find_by_username("").await?, name),
            },
            SignInName::Email(text) => match EmailAddress::new(&text) {
                Ok(email) => (
                    self.users.find_by_email(&email).await?,
                    email.as_str().to_owned(),
                ),
                Err(_) => (self.users.find_by_username("").await?, text),
            },
        };
        let attempt = self.attempts.begin_sign_in(user, &name, address).await?;
        // Read a row even for unknown users, so that both cases take the same time.
        let account = self.users.account(user.unwrap_or(UserId::LAST)).await?;
        let account = account.filter(|_| user.is_some());
        let stored_hash = account
            .as_ref()
            .and_then(|account| account.password_hash.clone());
        let verified = self.passwords.verify(password, stored_hash).await?;
        let account = account
            .filter(|_| verified)
            .ok_or(Error::WrongCredentials)?;
        Ok((account, attempt))
    }

    /// Verifies the password of a signed-in user. The call counts as an attempt to make a proof, so that a stolen
    /// session does not help to guess the password. A call that succeeds clears the count.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `password`, or [`Error::TooManyRequests`].
    pub async fn check_password(
        &self,
        account: &Account,
        password: &str,
        address: CallerAddress,
    ) -> Result<()> {
        self.check_has_passwords()?;
        let attempts = &self.attempts;
        let attempt = attempts.begin_proof(account.user.id, address).await?;
        let stored_hash = account.password_hash.clone();
        if !self.passwords.verify(password, stored_hash).await? {
            return Err(Error::invalid("password", "is wrong"));
        }
        self.end_attempt(account, attempt).await
    }

    /// Ends an attempt with the right password. It clears the failures, unless the account has a second factor:
    /// otherwise, a stranger who knows the password or has a token could guess codes without a limit.
    pub(crate) async fn end_attempt(
        &self,
        account: &Account,
        attempt: SignInAttempt,
    ) -> Result<()> {
        if account.factors.second_factor.is_some() {
            self.attempts.take_back(attempt).await
        } else {
            self.attempts.record_success(attempt).await
        }
    }

    /// Verifies the current password, if given, and returns the hash of the new one, if given. The call
    /// counts as an attempt to make a proof, so that a stolen token does not help to guess the password. A call that
    /// succeeds clears the count.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `password` or `current_password`, [`Error::TooManyRequests`], or
    /// [`Error::Forbidden`] if no passwords are taken.
    pub async fn check_and_hash_passwords(
        &self,
        account: &Account,
        current: Option<&str>,
        new: Option<&str>,
        address: CallerAddress,
    ) -> Result<Option<String>> {
        self.check_has_passwords()?;
        // A new password that breaks a rule is refused before the attempt is counted, because this needs no hash.
        if let Some(new) = new {
            check_account_policy(account, new)?;
        }
        let attempts = &self.attempts;
        let attempt = attempts.begin_proof(account.user.id, address).await?;
        if let Some(current) = current {
            let stored_hash = account.password_hash.clone();
            if !self.passwords.verify(current, stored_hash).await? {
                return Err(Error::invalid("current_password", "is wrong"));
            }
        }
        let hash = match new {
            Some(new) => Some(self.passwords.hash(new).await?),
            None => None,
        };
        self.end_attempt(account, attempt).await?;
        Ok(hash)
    }
}

pub(super) fn check_account_policy(account: &Account, password: &str) -> Result<()> {
    check_policy(password, &account.user.username, &account.email)
        .map_err(|reason| Error::invalid("password", reason))
}
