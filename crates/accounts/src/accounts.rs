//! Accounts: what the API's endpoints and the web pages do alike.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use shared::Error;
use shared::auth::{Access, CallerAddress, Passwords, Purpose, Tokens, check_policy, user_of};
use shared::clock::Clock;
use shared::input::{Fields, present};
use shared::models::{EmailAddress, Gender, User, UserId, Username, localization};
use store::{Account, DeletionStore, NewAccount, UserChange, UserStore};

use crate::mail::{Mail, Mailer};
use crate::{Attempts, MAIL_ADDRESS, REGISTER_ADDRESS};

/// What a user prefers who did not say.
const DEFAULT_LOCALIZATION: &str = "en";

/// What is wrong with a link, for people.
const SPENT: &str = "is not valid, has expired, or was used before";

/// The most pages of 25 rows that the deletion of a user takes with it at once. The scheduled sweep
/// takes the rest.
const PAGES_AT_ONCE: usize = 20;

/// What SES takes to send a mail, and more: so long a request for a link that resets a password takes at
/// the least, that time does not tell who has an account.
pub const RESET_FLOOR: Duration = Duration::from_secs(1);

/// How long the deletion of a user takes with that at the most.
const LONGEST_CLEARING: Duration = Duration::from_secs(3);

/// The pages that links in mails lead to.
pub mod links {
    /// Shows that an address is one's own.
    pub const VERIFY_EMAIL: &str = "/verify-email";
    /// Asks for a new password.
    pub const RESET_PASSWORD: &str = "/reset-password";
}

/// Who somebody is that registers, by their own account.
pub struct Registration {
    username: Username,
    email: EmailAddress,
    password: String,
    gender: Gender,
    localization: String,
}

impl Registration {
    /// Reads `username`, `email`, `password`, `gender` and `localization`; the latter two may be absent.
    ///
    /// # Errors
    /// [`Error::Invalid`], which names each field that cannot be taken.
    pub fn read(mut fields: Fields) -> Result<Self, Error> {
        let username = fields.parsed("username", Username::new);
        let username = fields.require("username", username);
        let email = fields.parsed("email", EmailAddress::new);
        let email = fields.require("email", email);
        let password = fields.text("password");
        let password = fields.require("password", password);
        let gender = fields.wire_enum::<Gender>("gender");
        let localization = fields.parsed("localization", localization);
        if let Some(password) = &password {
            let name = username.as_ref().map_or("", Username::as_str);
            let email = email.as_ref().map_or("", EmailAddress::as_str);
            if let Err(reason) = check_policy(password, name, email) {
                fields.fail("password", reason);
            }
        }
        fields.finish()?;
        Ok(Self {
            username: present(username)?,
            email: present(email)?,
            password: present(password)?,
            gender: gender.unwrap_or(Gender::Unknown),
            localization: localization.unwrap_or_else(|| DEFAULT_LOCALIZATION.to_owned()),
        })
    }
}

/// By what somebody says who they are.
pub enum Who {
    /// Their name.
    Username(String),
    /// Their address.
    Email(String),
}

impl Who {
    /// What a text is meant as: an address, if it has an `@`, which no name has.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text.contains('@') {
            Self::Email(text.to_owned())
        } else {
            Self::Username(text.to_owned())
        }
    }
}

/// What accounts are made of.
#[derive(Debug)]
pub struct Accounts {
    /// Signs and verifies tokens.
    pub tokens: Tokens,
    /// The users.
    pub users: UserStore,
    /// Counts attempts.
    pub attempts: Attempts,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Deletes users.
    pub deletion: DeletionStore,
    /// The time.
    pub clock: Clock,
}

impl Accounts {
    /// Makes an account.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names each field that is taken, or [`Error::TooManyRequests`].
    pub async fn register(
        &self,
        new: Registration,
        address: CallerAddress,
    ) -> Result<Account, Error> {
        let Registration {
            username,
            email,
            password,
            gender,
            localization,
        } = new;
        // It costs a hash, and tells who has an account.
        self.attempts
            .by_address("register", address, REGISTER_ADDRESS)
            .await?;
        // What is taken is said before anything is computed; whether it is free is decided as it is
        // made.
        self.users.check_free(&username, &email).await?;
        let new = NewAccount {
            username,
            email,
            password_hash: self.passwords.hash(&password).await?,
            gender,
            localization,
            created_at: self.clock.now_ms(),
        };
        let account = self.users.create(new).await?;
        self.attempts.owner_at(account.user.id, address).await?;
        Ok(account)
    }

    /// Signs somebody in.
    ///
    /// # Errors
    /// [`Error::WrongCredentials`] or [`Error::TooManyRequests`].
    pub async fn sign_in(
        &self,
        who: Who,
        password: &str,
        address: CallerAddress,
    ) -> Result<Account, Error> {
        // What cannot be a name or an address is nobody's, and is told no sooner than one that could:
        // the empty name is looked up for it.
        let (user, given) = match who {
            Who::Username(name) => match Username::new(&name) {
                Ok(name) => (self.users.named(&name.folded()).await?, name.folded()),
                Err(_) => (self.users.named("").await?, name),
            },
            Who::Email(given) => match EmailAddress::new(&given) {
                Ok(email) => (
                    self.users.addressed(&email).await?,
                    email.as_str().to_owned(),
                ),
                Err(_) => (self.users.named("").await?, given),
            },
        };
        let attempt = self.attempts.begin(user, &given, address).await?;
        // Of nobody a row is read, too: what is not there takes as long as what is.
        let account = self.users.account(user.unwrap_or(UserId::LAST)).await?;
        let account = account.filter(|_| user.is_some());
        let kept = account
            .as_ref()
            .map(|account| account.password_hash.clone());
        let verified = self.passwords.verify(password, kept).await?;
        let account = account
            .filter(|_| verified)
            .ok_or(Error::WrongCredentials)?;
        self.attempts.succeeded(attempt).await?;
        Ok(account)
    }

    /// The caller's own account, if they may do what they want to do to it.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub async fn own(&self, access: &Access) -> Result<Account, Error> {
        self.users.own_account(access).await
    }

    /// Checks the current password of an account, where one is given, and hashes the new one, where one
    /// is given. It counts as an attempt to sign in: a stolen token must not be a way to guess the
    /// password, nor to have any number of hashes computed.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `password` or `current_password`, or
    /// [`Error::TooManyRequests`].
    pub async fn check_and_hash_passwords(
        &self,
        account: &Account,
        current: Option<&str>,
        new: Option<&str>,
        address: CallerAddress,
    ) -> Result<Option<String>, Error> {
        // A new password that cannot be used costs no hash, so it is no attempt.
        if let Some(new) = new {
            check_account_policy(account, new)?;
        }
        let id = Some(account.user.id);
        let attempt = self.attempts.begin(id, "", address).await?;
        if let Some(current) = current {
            let kept = Some(account.password_hash.clone());
            if !self.passwords.verify(current, kept).await? {
                return Err(Error::invalid("current_password", "is wrong"));
            }
        }
        let hash = match new {
            Some(new) => Some(self.passwords.hash(new).await?),
            None => None,
        };
        self.attempts.succeeded(attempt).await?;
        Ok(hash)
    }

    /// Changes what is the caller's own.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub async fn update(&self, access: &Access, change: &UserChange) -> Result<User, Error> {
        self.users.update_own(access, change).await
    }

    /// Ends every token and session of the caller's, this one included.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub async fn sign_out_everywhere(&self, access: &Access) -> Result<(), Error> {
        self.users.sign_out_everywhere(access).await
    }

    /// Deletes an account, and everything that is its user's.
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub async fn delete(&self, access: &Access, account: &Account) -> Result<(), Error> {
        let now = self.clock.now_ms();
        self.deletion.bury(access, account, now).await?;
        // The user is gone. What is not cleared now is left to the sweep.
        let clearing = self.deletion.clear(account.user.id, PAGES_AT_ONCE, now);
        match tokio::time::timeout(LONGEST_CLEARING, clearing).await {
            Ok(Ok(_)) | Err(_) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a deletion is left to the sweep"),
        }
        Ok(())
    }
}

/// What goes by mail: links that only whoever reads an address can follow.
#[derive(Debug)]
pub struct Links {
    accounts: Arc<Accounts>,
    mailer: Mailer,
    reset_floor: Duration,
}

impl Links {
    /// Links to these accounts. A request for one that resets a password takes `reset_floor` at the
    /// least, which is as long as sending it.
    #[must_use]
    pub fn new(accounts: Arc<Accounts>, mailer: Mailer, reset_floor: Duration) -> Self {
        Self {
            accounts,
            mailer,
            reset_floor,
        }
    }

    /// Makes an account, and sends a link to its address.
    ///
    /// # Errors
    /// As [`Accounts::register`].
    pub async fn register(
        &self,
        new: Registration,
        address: CallerAddress,
    ) -> Result<Account, Error> {
        let account = self.accounts.register(new, address).await?;
        // The account is there, and its owner can have the link sent again.
        if let Err(error) = self.send_verification(&account).await {
            tracing::warn!(?error, "a link to verify an address was not sent");
        }
        Ok(account)
    }

    /// Mails the link that shows that an address is its user's.
    ///
    /// # Errors
    /// [`Error::Conflict`] when that is shown already, or [`Error::TooManyRequests`].
    pub async fn send_verification(&self, account: &Account) -> Result<(), Error> {
        if account.user.email_verified == Some(true) {
            return Err(Error::conflict("email", "is verified already"));
        }
        let email = account.user.email.as_deref().unwrap_or_default();
        let to = EmailAddress::new(email).map_err(Error::internal)?;
        self.accounts
            .attempts
            .mail("email_verification", &to, false)
            .await?;
        let link = self.link(links::VERIFY_EMAIL, Purpose::EmailVerification, account, 0);
        let text = format!(
            "Hi {},\n\nfollow this link to show that this address is yours. It is good for a day, and once:\n\n\
             {}\n\nIf you did not register at Kiroku, do nothing.\n",
            account.user.username,
            link.await?
        );
        let subject = "Verify your e-mail address";
        self.mailer.send(&Mail { to, subject, text }).await
    }

    /// Verifies an address, by what its link has.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `token`, or [`Error::TooManyRequests`].
    pub async fn verify_email(&self, token: &str, address: CallerAddress) -> Result<(), Error> {
        self.accounts
            .attempts
            .by_address("link", address, MAIL_ADDRESS)
            .await?;
        let claims = self
            .accounts
            .tokens
            .verify(Purpose::EmailVerification, token);
        let verified = match claims.await?.as_ref().and_then(user_of) {
            Some(id) => self.accounts.users.verify_email(id).await?,
            None => false,
        };
        verified.then_some(()).ok_or_else(spent)
    }

    /// Mails a link that resets the password, if there is an account with this address. Whatever comes
    /// of it, the answer is the same, and comes no sooner for an address that nobody has.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] by where the request came from.
    pub async fn send_reset(
        &self,
        email: EmailAddress,
        address: CallerAddress,
    ) -> Result<(), Error> {
        self.accounts
            .attempts
            .by_address("password_reset", address, MAIL_ADDRESS)
            .await?;
        let floor = tokio::time::sleep(self.reset_floor);
        match join(self.mail_reset(email), floor).await.0 {
            Ok(()) | Err(Error::TooManyRequests(_)) => {}
            Err(error) => tracing::warn!(?error, "a link to reset a password was not sent"),
        }
        Ok(())
    }

    async fn mail_reset(&self, to: EmailAddress) -> Result<(), Error> {
        let account = match self.accounts.users.addressed(&to).await? {
            Some(id) => self.accounts.users.account(id).await?,
            None => None,
        };
        let Some(account) = account else {
            return Ok(());
        };
        let is_verified = account.user.email_verified == Some(true);
        self.accounts
            .attempts
            .mail("password_reset", &to, is_verified)
            .await?;
        // The link works for the password that there is now: once it is another one, no more.
        let version = account.password_version;
        let link = self.link(
            links::RESET_PASSWORD,
            Purpose::PasswordReset,
            &account,
            version,
        );
        let text = format!(
            "Hi {},\n\nfollow this link to choose a new password. It is good for an hour, and once:\n\n\
             {}\n\nIf you did not ask for it, do nothing: your password stays what it is.\n",
            account.user.username,
            link.await?
        );
        let subject = "Choose a new password";
        self.mailer.send(&Mail { to, subject, text }).await
    }

    /// Sets a new password, by what its link has, and ends every token and session of the account.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `token` or `password`, or [`Error::TooManyRequests`].
    pub async fn reset_password(
        &self,
        token: &str,
        password: &str,
        address: CallerAddress,
    ) -> Result<(), Error> {
        self.accounts
            .attempts
            .by_address("link", address, MAIL_ADDRESS)
            .await?;
        let claims = self
            .accounts
            .tokens
            .verify(Purpose::PasswordReset, token)
            .await?;
        let claims = claims.ok_or_else(spent)?;
        let id = user_of(&claims).ok_or_else(spent)?;
        let account = self.accounts.users.account(id).await?.ok_or_else(spent)?;
        if account.password_version != claims.ver {
            return Err(spent());
        }
        check_account_policy(&account, password)?;
        let hash = self.accounts.passwords.hash(password).await?;
        if !self
            .accounts
            .users
            .reset_password(id, claims.ver, hash)
            .await?
        {
            return Err(spent());
        }
        self.accounts.attempts.forget(id).await?;
        self.accounts.attempts.owner_at(id, address).await
    }

    async fn link(
        &self,
        path: &str,
        purpose: Purpose,
        account: &Account,
        version: u64,
    ) -> Result<String, Error> {
        let token = self
            .accounts
            .tokens
            .sign_link(purpose, account.user.id, version);
        let url = self.accounts.tokens.public_url();
        Ok(format!("{url}{path}?token={}", token.await?))
    }
}

fn check_account_policy(account: &Account, password: &str) -> Result<(), Error> {
    let email = account.user.email.as_deref().unwrap_or_default();
    check_policy(password, &account.user.username, email)
        .map_err(|reason| Error::invalid("password", reason))
}

fn spent() -> Error {
    Error::invalid("token", SPENT)
}
