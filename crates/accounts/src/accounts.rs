//! Operations on accounts that the API's endpoints and the web pages share.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use serde_json::Value;
use shared::auth::{
    Access, CallerAddress, Claims, Passwords, Purpose, RegistrationMode, Tokens, check_policy,
    user_of,
};
use shared::clock::Clock;
use shared::input::{Body, BodyField, Fields};
use shared::models::{
    EmailAddress, Factors, Gender, Language, LocaleCode, TimeZone, UserId, Username,
};
use shared::{Error, body};
use store::{
    Account, DeletionStore, Familiarity, InvitationCode, InvitationStore, NewAccount, UserStore,
    invalid_invitation,
};

use crate::mail::{Mail, Mailer};
use crate::mail_text::LinkMail;
use crate::second_factor::SecondFactors;
use crate::security_mail::SecurityEvent;
use crate::{Attempts, MAIL_REQUESTS_PER_NETWORK, REGISTRATIONS_PER_NETWORK, SignInAttempt};

/// The locale code of a user who states none at the registration.
const DEFAULT_LOCALIZATION: &str = "en";

/// The reason for refusing a mail link, as users see it.
const INVALID_LINK: &str = "is invalid, has expired or was already used; request a new link";

/// The reason for refusing every registration, as users see it.
const CLOSED: &str = "Registration is closed.";

/// The reason for refusing every password, as users see it.
const NO_PASSWORDS: &str = "This server takes no passwords. Sign in with its identity provider.";

/// The reason for refusing a registration without an invitation, as users see it.
const NEEDS_INVITATION: &str = "is required; registration on this server needs an invitation";

/// When a user is deleted, the request deletes at most this many pages of 25 rows. The function `account_sweep`
/// deletes the rest.
const MAX_PAGES_AT_ONCE: usize = 20;

/// The minimum duration of a request for a password reset. SES usually needs less time to send a mail, so the
/// response time usually does not reveal if an address has an account.
pub const RESET_FLOOR: Duration = Duration::from_secs(1);

/// The maximum time that a request spends on deleting a user's rows.
const MAX_CLEARING_TIME: Duration = Duration::from_secs(3);

/// The paths of the pages to which links outside the pages lead, in mails and invitations.
pub mod links {
    use store::InvitationCode;

    /// The page on which an account is created.
    pub const SIGN_UP: &str = "/sign-up";
    /// The page that verifies an e-mail address.
    pub const VERIFY_EMAIL: &str = "/verify-email";
    /// The page with the ways to sign in and the sessions.
    pub const PROFILE_SECURITY: &str = "/profile/security";
    /// The page that sets a new password.
    pub const RESET_PASSWORD: &str = "/reset-password";

    /// Returns the link with which an invited person creates an account. `public_url` has no slash at its end.
    #[must_use]
    pub fn invitation_link(public_url: &str, code: &InvitationCode) -> String {
        format!("{public_url}{SIGN_UP}?invitation={}", code.as_str())
    }
}

body! {
    /// A registration request.
    #[schema(as = Register)]
    pub struct Registration {
        /// Name of the user: 3 to 32 ASCII letters, digits, `_` and `-`. Names that differ only in case count as
        /// the same name.
        #[schema(value_type = String, min_length = 3, max_length = 32, pattern = "^[A-Za-z0-9_-]+$", example = "taki")]
        username: Username,
        /// E-mail address: at most 254 characters, and at most 64 before the `@`. A verification link is sent to it.
        #[schema(value_type = String, max_length = 254,
            pattern = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9]+(-+[A-Za-z0-9]+)*(\\.[A-Za-z0-9]+(-+[A-Za-z0-9]+)*)+$",
            example = "taki@example.com")]
        email: EmailAddress,
        /// At least 8 characters and at most 4,096 bytes. Common passwords, the username and the e-mail address
        /// are rejected.
        #[schema(value_type = String, min_length = 8, max_length = 4096, example = "itomori 4 october")]
        password: NewPassword,
        /// Gender. Default: 0 (UNKNOWN).
        #[schema(example = 1)]
        gender: Option<Gender>,
        /// Preferred locale code, for example `en` or `pt-BR`. Default: `en`.
        #[schema(value_type = Option<String>, min_length = 2, max_length = 16,
            pattern = "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$", example = "ja")]
        localization: Option<LocaleCode>,
        /// Code of an invitation, if required.
        #[schema(value_type = Option<String>)]
        invitation: Option<InvitationCode>,
    }
}

/// A new password that was checked on its own, but not yet compared with the username and the e-mail address.
struct NewPassword(String);

impl BodyField for NewPassword {
    fn parse(value: &Value) -> Result<Self, String> {
        let password = String::parse(value)?;
        check_policy(&password, "", "")?;
        Ok(Self(password))
    }
}

impl Registration {
    /// Reads `username`, `email`, `password`, `gender`, `localization` and `invitation`. `gender` and `localization`
    /// are optional (docs/api.md, "Accounts"), and `mode` determines if `invitation` is.
    ///
    /// # Errors
    /// [`Error::Invalid`], which names each invalid or missing field. [`Error::Forbidden`] if registration is closed.
    pub fn read(mut fields: Fields, mode: RegistrationMode) -> Result<Self, Error> {
        check_mode(&mut fields, mode)?;
        let new = <Self as Body>::read(&mut fields);
        if let Some(new) = &new {
            let (name, email) = (new.username.as_str(), new.email.as_str());
            if let Err(reason) = check_policy(&new.password.0, name, email) {
                fields.fail("password", reason);
            }
        }
        fields.finish(new)
    }

    /// Sets the locale code of a request that states none.
    #[must_use]
    pub fn with_default_localization(mut self, code: LocaleCode) -> Self {
        self.localization.get_or_insert(code);
        self
    }
}

/// Checks that the rule for registrations allows one with the invitation in `fields`. If an invitation is missing,
/// `fields` then holds the error.
///
/// # Errors
/// [`Error::Forbidden`] if registration is closed.
pub(crate) fn check_mode(fields: &mut Fields, mode: RegistrationMode) -> Result<(), Error> {
    let invitation: Option<InvitationCode> = fields.read("invitation").flatten();
    let is_setup = invitation.is_some_and(|code| code.is_setup());
    if mode == RegistrationMode::Closed && !is_setup {
        return Err(Error::Forbidden(CLOSED));
    }
    if mode == RegistrationMode::Invite && !fields.has("invitation") {
        fields.fail("invitation", NEEDS_INVITATION);
    }
    Ok(())
}

/// The username or e-mail address with which a user signs in.
pub enum SignInName {
    /// A username.
    Username(String),
    /// An e-mail address.
    Email(String),
}

impl SignInName {
    /// Reads the text of a sign-in form. A text with an `@` is an e-mail address, because no username has
    /// one.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text.contains('@') {
            Self::Email(text.to_owned())
        } else {
            Self::Username(text.to_owned())
        }
    }
}

/// Operations on accounts, with the stores and services that they use.
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
    /// Checks that users can sign in with a password.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn check_has_passwords(&self) -> Result<(), Error> {
        let allowed = self.has_passwords.then_some(());
        allowed.ok_or(Error::Forbidden(NO_PASSWORDS))
    }

    /// Returns true if a user can sign in with a password.
    #[must_use]
    pub fn can_use_password(&self, account: &Account) -> bool {
        self.has_passwords && account.password_hash.is_some()
    }

    /// Creates an account.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names each field whose value is taken, [`Error::Invalid`] that names `invitation`,
    /// [`Error::Forbidden`] if no passwords are taken, or [`Error::TooManyRequests`].
    pub async fn register(
        &self,
        new: Registration,
        address: CallerAddress,
    ) -> Result<Account, Error> {
        let Registration {
            username,
            email,
            invitation,
            ..
        } = &new;
        self.check_registration(username, email, invitation.as_ref(), address)
            .await?;
        let new = NewAccount {
            username: new.username,
            email: new.email,
            email_verified: false,
            password_hash: Some(self.passwords.hash(&new.password.0).await?),
            factors: Factors::default(),
            gender: new.gender.unwrap_or(Gender::Unknown),
            localization: new
                .localization
                .map_or_else(|| DEFAULT_LOCALIZATION.to_owned(), LocaleCode::into_string),
            created_at: self.clock.now_ms(),
            invitation: new.invitation,
        };
        let account = self.users.create(new).await?;
        self.attempts
            .remember_address(account.user.id, address)
            .await?;
        Ok(account)
    }

    /// Counts a registration, and checks what it asks for before anything is computed for it. The write checks again,
    /// so only one of two concurrent registrations can succeed.
    ///
    /// # Errors
    /// As [`Self::register`].
    pub(crate) async fn check_registration(
        &self,
        username: &Username,
        email: &EmailAddress,
        invitation: Option<&InvitationCode>,
        address: CallerAddress,
    ) -> Result<(), Error> {
        self.check_has_passwords()?;
        // Registration is limited because it costs a hash and reveals which names and addresses are taken.
        self.attempts
            .count_by_network("register", address, REGISTRATIONS_PER_NETWORK)
            .await?;
        // The invitation comes first, so that only callers with a valid one learn which names are taken.
        self.check_invitation(invitation).await?;
        self.users.check_free(username, email).await
    }

    /// Checks that an invitation is valid. The transaction that creates the account uses the invitation up.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `invitation`.
    pub(crate) async fn check_invitation(
        &self,
        invitation: Option<&InvitationCode>,
    ) -> Result<(), Error> {
        let Some(invitation) = invitation else {
            return Ok(());
        };
        let now = self.clock.now_s();
        let is_valid = self.invitations.is_valid(invitation, now).await?;
        is_valid.then_some(()).ok_or_else(invalid_invitation)
    }

    /// Checks a user's name and password. If they are right, returns the account and the counted attempt, which counts
    /// as a failure until the caller records its success.
    ///
    /// # Errors
    /// [`Error::WrongCredentials`], [`Error::TooManyRequests`], or [`Error::Forbidden`] if no passwords are taken.
    pub(crate) async fn check_credentials(
        &self,
        sign_in_name: SignInName,
        password: &str,
        address: CallerAddress,
    ) -> Result<(Account, SignInAttempt), Error> {
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
    ) -> Result<(), Error> {
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
    ) -> Result<(), Error> {
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
    ) -> Result<Option<String>, Error> {
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

    /// Deletes an account and all data of its user (docs/data-model.md, "Deletion").
    ///
    /// # Errors
    /// [`Error::InvalidToken`] or [`Error::Forbidden`].
    pub async fn delete(&self, access: &Access, account: &Account) -> Result<(), Error> {
        let now = self.clock.now_ms();
        self.deletion
            .replace_by_tombstone(access, account, now)
            .await?;
        // The user is deleted already, so an error here is only logged. The function `account_sweep` deletes
        // the rows that are left.
        let clearing = self
            .deletion
            .delete_data_of_user(account.user.id, MAX_PAGES_AT_ONCE, now);
        match tokio::time::timeout(MAX_CLEARING_TIME, clearing).await {
            Ok(Ok(_)) | Err(_) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a deletion is left to the sweep"),
        }
        Ok(())
    }
}

/// Mail links: sends them, and checks their tokens when users follow them. A mail link proves that the user
/// reads the account's mail.
#[derive(Debug)]
pub struct MailLinks {
    pub(crate) accounts: Arc<Accounts>,
    mailer: Mailer,
    reset_floor: Duration,
}

impl MailLinks {
    /// Creates the mail links for these accounts. A request for a password reset takes at least `reset_floor`
    /// ([`RESET_FLOOR`]).
    #[must_use]
    pub fn new(accounts: Arc<Accounts>, mailer: Mailer, reset_floor: Duration) -> Self {
        Self {
            accounts,
            mailer,
            reset_floor,
        }
    }

    /// Creates an account and sends a verification link to its address.
    ///
    /// # Errors
    /// As [`Accounts::register`].
    pub async fn register(
        &self,
        new: Registration,
        address: CallerAddress,
    ) -> Result<Account, Error> {
        let account = self.accounts.register(new, address).await?;
        self.send_first_verification(&account).await;
        Ok(account)
    }

    /// Sends the verification link to the address of a new account. The account exists already, and its owner can
    /// request another link, so an error is only logged.
    pub async fn send_first_verification(&self, account: &Account) {
        if let Err(error) = self.send_verification(account).await {
            tracing::warn!(%error, "a link to verify an address was not sent");
        }
    }

    /// Mails the link that verifies the account's e-mail address.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the address is already verified, or [`Error::TooManyRequests`].
    pub async fn send_verification(&self, account: &Account) -> Result<(), Error> {
        if account.email_verified {
            return Err(Error::conflict("email", "is already verified"));
        }
        let to = EmailAddress::new(&account.email).map_err(Error::internal)?;
        self.accounts
            .attempts
            .count_mail("email_verification", &to, false)
            .await?;
        // The token contains the version of the present address, so the link stops working once the address changes.
        let link = self.make_link(
            links::VERIFY_EMAIL,
            Purpose::EmailVerification,
            account,
            account.email_version,
        );
        let link = link.await?;
        self.send(LinkMail::Verification, to, account, &link).await
    }

    /// Verifies an account's e-mail address with the token of a verification link.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names `token`, or [`Error::TooManyRequests`].
    pub async fn verify_email(&self, token: &str, address: CallerAddress) -> Result<(), Error> {
        let checked = self.check_link(Purpose::EmailVerification, token, address);
        let (id, claims) = checked.await?;
        let verified = self.accounts.users.verify_email(id, claims.ver).await?;
        verified.then_some(()).ok_or_else(invalid_link)
    }

    /// Counts the use of a mail link and verifies its token. Returns the user and the claims of the token.
    async fn check_link(
        &self,
        purpose: Purpose,
        token: &str,
        address: CallerAddress,
    ) -> Result<(UserId, Claims), Error> {
        let attempts = &self.accounts.attempts;
        attempts
            .count_by_network("link", address, MAIL_REQUESTS_PER_NETWORK)
            .await?;
        let claims = self.accounts.tokens.verify(purpose, token).await?;
        let claims = claims.ok_or_else(invalid_link)?;
        Ok((user_of(&claims).ok_or_else(invalid_link)?, claims))
    }

    /// Mails a reset link if an account has this e-mail address. For an address without an account, the result is
    /// the same, and the response time usually is, too ([`RESET_FLOOR`]).
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if there were too many requests from the caller's network. If the limit for the
    /// e-mail address is reached, no error is returned, because it would reveal that the address has an account.
    /// [`Error::Forbidden`] if no passwords are taken.
    pub async fn send_reset(
        &self,
        email: EmailAddress,
        address: CallerAddress,
    ) -> Result<(), Error> {
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

    async fn mail_reset(&self, to: EmailAddress) -> Result<(), Error> {
        let account = match self.accounts.users.find_by_email(&to).await? {
            Some(id) => self.accounts.users.account(id).await?,
            None => None,
        };
        let Some(account) = account else {
            return Ok(());
        };
        let is_verified = account.email_verified;
        // A mistyped address belongs to a stranger. The address of the registration is another case: without it, a user
        // who has forgotten the password could never get back.
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
            Purpose::PasswordReset,
            &account,
            version,
        );
        let link = link.await?;
        self.send(LinkMail::Reset, to, &account, &link).await
    }

    /// Sends a mail in the language of the account, or else in English.
    async fn send(
        &self,
        mail: LinkMail,
        to: EmailAddress,
        account: &Account,
        link: &str,
    ) -> Result<(), Error> {
        let language = Language::of(&account.localization);
        let language = language.unwrap_or(Language::English);
        let (subject, text) = mail.compose(language, &account.user.username, link);
        self.mailer.send(&Mail { to, subject, text }).await
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
    ) -> Result<(), Error> {
        self.accounts.check_has_passwords()?;
        let checked = self.check_link(Purpose::PasswordReset, token, address);
        let (id, claims) = checked.await?;
        let account = self
            .accounts
            .users
            .account(id)
            .await?
            .ok_or_else(invalid_link)?;
        if reset_version(&account) != claims.ver {
            return Err(invalid_link());
        }
        check_account_policy(&account, password)?;
        let hash = self.accounts.passwords.hash(password).await?;
        // A stranger may have registered with the address of the user, who has now shown access to its mail. Then the
        // stranger must not keep a way in.
        let removes_factors = !account.email_verified && !account.factors.is_unset();
        let users = &self.accounts.users;
        let reset = users.reset_password(&account, hash, removes_factors);
        if !reset.await? {
            return Err(invalid_link());
        }
        // With a second factor, the count stays. Otherwise a stranger who reads the mail could guess codes without
        // a limit.
        if account.factors.second_factor.is_none() {
            self.accounts.attempts.clear_failures(id).await?;
        }
        self.accounts.attempts.remember_address(id, address).await?;
        self.notify(&account, SecurityEvent::PasswordChanged).await;
        Ok(())
    }

    /// Changes the e-mail address of a signed-in user, and sends a verification link to the new one.
    ///
    /// # Errors
    /// As [`UserStore::change_email`], or [`Error::TooManyRequests`].
    pub async fn change_email(
        &self,
        access: &Access,
        account: &Account,
        new: &EmailAddress,
        address: CallerAddress,
    ) -> Result<(), Error> {
        // The change is limited because it sends a mail to any address, and reveals which addresses are taken.
        self.accounts
            .attempts
            .count_by_network("email_change", address, MAIL_REQUESTS_PER_NETWORK)
            .await?;
        let users = &self.accounts.users;
        users.change_email(access, account, new).await?;
        self.notify(account, SecurityEvent::EmailChanged).await;
        let mut changed = account.clone();
        new.as_str().clone_into(&mut changed.email);
        changed.email_verified = false;
        changed.email_version += 1;
        // The address is changed already, and its owner can request another link, so an error here is only logged.
        if let Err(error) = self.send_verification(&changed).await {
            tracing::warn!(%error, "a link to verify an address was not sent");
        }
        Ok(())
    }

    /// Remembers the browser in which a user has signed in, and tells the user by mail of a new one. No mail is sent
    /// about the first browser of an account. `browser` is the random value in its cookie. An error is only logged,
    /// because the sign-in has succeeded.
    pub async fn remember_browser(&self, account: &Account, browser: &str, name: &str) {
        let user = account.user.id;
        match self.accounts.attempts.remember_browser(user, browser).await {
            Ok(Familiarity::New) => self.notify(account, SecurityEvent::NewBrowser(name)).await,
            Ok(Familiarity::First | Familiarity::Known) => {}
            Err(error) => tracing::warn!(%error, "a browser was not remembered"),
        }
    }

    /// Stores the time zone of the browser in which a user has signed in, if the user has none. An error is only
    /// logged, because the sign-in has succeeded.
    pub async fn remember_time_zone(&self, account: &Account, zone: Option<TimeZone>) {
        let Some(zone) = zone.filter(|_| account.time_zone.is_none()) else {
            return;
        };
        let users = &self.accounts.users;
        if let Err(error) = users.set_first_time_zone(account.user.id, zone).await {
            tracing::warn!(%error, "a time zone was not remembered");
        }
    }

    /// Tells a user by mail of a change of the account. Sends nothing to an address that is not verified, because it
    /// may belong to another person. An error is only logged, because the change is made already.
    pub async fn notify(&self, account: &Account, event: SecurityEvent<'_>) {
        match self.send_notice(account, event).await {
            // The user has received 5 such mails within an hour.
            Ok(()) | Err(Error::TooManyRequests(_)) => {}
            Err(error) => {
                tracing::warn!(%error, "a mail about a change of an account was not sent");
            }
        }
    }

    async fn send_notice(&self, account: &Account, event: SecurityEvent<'_>) -> Result<(), Error> {
        if !account.email_verified {
            return Ok(());
        }
        let to = EmailAddress::new(&account.email).map_err(Error::internal)?;
        let attempts = &self.accounts.attempts;
        attempts.count_mail(event.kind(), &to, true).await?;
        let language = Language::of(&account.localization);
        let link = format!(
            "{}{}",
            self.accounts.tokens.public_url(),
            links::PROFILE_SECURITY
        );
        let (subject, text) = event.compose(
            language.unwrap_or(Language::English),
            &account.user.username,
            &link,
        );
        self.mailer.send(&Mail { to, subject, text }).await
    }

    async fn make_link(
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

/// Returns the version of an account's password and e-mail address, which the token of a reset link contains. It only
/// grows, so the link stops working once the password or the address changes.
fn reset_version(account: &Account) -> u64 {
    account.password_version + account.email_version
}

fn check_account_policy(account: &Account, password: &str) -> Result<(), Error> {
    check_policy(password, &account.user.username, &account.email)
        .map_err(|reason| Error::invalid("password", reason))
}

fn invalid_link() -> Error {
    Error::invalid("token", INVALID_LINK)
}
