//! Registration with a username, an e-mail address and a password.

use serde_json::Value;
use shared::auth::{CallerAddress, RegistrationMode, check_policy};
use shared::input::{Body, BodyField, Fields};
use shared::models::{EmailAddress, Factors, Gender, LocaleCode, Username};
use shared::{Error, Result, body};

use crate::errors::invalid_invitation;
use crate::invitations::invitation_code::InvitationCode;
use crate::service::accounts::{AccountService, Accounts};
use crate::throttling::attempts::REGISTRATIONS_PER_NETWORK;
use crate::users::user::Account;
use crate::users::user_creation::NewAccount;

/// The locale code of a user who states none at the registration.
const DEFAULT_LOCALIZATION: &str = "en";

/// The reason for refusing every registration, as users see it.
const CLOSED: &str = "Registration is closed.";

/// The reason for refusing a registration without an invitation, as users see it.
const NEEDS_INVITATION: &str = "is required; registration on this server needs an invitation";

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
    pub fn read(mut fields: Fields, mode: RegistrationMode) -> Result<Self> {
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

impl Accounts {
    /// Creates an account.
    ///
    /// # Errors
    /// [`Error::Conflict`], which names each field whose value is taken, [`Error::Invalid`] that names `invitation`,
    /// [`Error::Forbidden`] if no passwords are taken, or [`Error::TooManyRequests`].
    pub async fn register(&self, new: Registration, address: CallerAddress) -> Result<Account> {
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
            invitation: self
                .invitations
                .prepare_use(new.invitation.as_ref(), self.clock.now_s())?,
        };
        let account = self.users.create(new).await?;
        self.attempts
            .remember_address(account.user.id, address)
            .await?;
        Ok(account)
    }

    /// Counts a registration, and checks its invitation, username and e-mail address before a hash is computed. The
    /// write checks them again, so only one of two concurrent registrations can succeed.
    ///
    /// # Errors
    /// As [`Self::register`].
    pub(super) async fn check_registration(
        &self,
        username: &Username,
        email: &EmailAddress,
        invitation: Option<&InvitationCode>,
        address: CallerAddress,
    ) -> Result<()> {
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
    pub(super) async fn check_invitation(&self, invitation: Option<&InvitationCode>) -> Result<()> {
        let Some(invitation) = invitation else {
            return Ok(());
        };
        let now = self.clock.now_s();
        let is_valid = self.invitations.is_valid(invitation, now).await?;
        is_valid.then_some(()).ok_or_else(invalid_invitation)
    }
}

impl AccountService {
    /// Creates an account and sends a verification link to its address.
    ///
    /// # Errors
    /// As [`Accounts::register`].
    pub async fn register(&self, new: Registration, address: CallerAddress) -> Result<Account> {
        let account = self.accounts.register(new, address).await?;
        self.send_first_verification(&account).await;
        Ok(account)
    }
}

/// Checks that the rule for registrations allows one with the invitation in `fields`. If an invitation is missing,
/// `fields` then holds the error.
///
/// # Errors
/// [`Error::Forbidden`] if registration is closed.
pub(super) fn check_mode(fields: &mut Fields, mode: RegistrationMode) -> Result<()> {
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
