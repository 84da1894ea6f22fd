//! Registration with a passkey: the account has no password.
//!
//! The user handle of a passkey contains the user's identifier, so the identifier is taken from the counter before the
//! browser makes the passkey, and the account is written with it afterwards. If the visitor gives up in between, the
//! identifier stays unused.

use shared::Result;
use shared::auth::{CallerAddress, RegistrationMode};
use shared::input::Fields;
use shared::models::{EmailAddress, Factors, Gender, LocaleCode, Passkey, UserId, Username};

use super::register::check_mode;
use crate::invitations::invitation_code::InvitationCode;
use crate::service::accounts::AccountService;
use crate::users::user::Account;
use crate::users::user_creation::NewAccount;

/// A registration without a password.
#[derive(Debug)]
pub struct PasswordlessRegistration {
    username: Username,
    email: EmailAddress,
    localization: LocaleCode,
    invitation: Option<InvitationCode>,
}

impl PasswordlessRegistration {
    /// Reads `username`, `email` and `invitation`. `mode` determines if `invitation` is optional.
    ///
    /// # Errors
    /// [`shared::Error::Invalid`], which names each invalid or missing field. [`shared::Error::Forbidden`] if
    /// registration is closed.
    pub fn read(
        mut fields: Fields,
        mode: RegistrationMode,
        localization: LocaleCode,
    ) -> Result<Self> {
        check_mode(&mut fields, mode)?;
        let username = fields.read("username");
        let email = fields.read("email");
        let invitation = fields.read("invitation");
        let new = username.zip(email).zip(invitation);
        let new = new.map(|((username, email), invitation)| Self {
            username,
            email,
            localization,
            invitation,
        });
        fields.finish(new)
    }

    /// Returns the username.
    pub fn username(&self) -> &str {
        self.username.as_str()
    }
}

impl AccountService {
    /// Checks a registration with a passkey before the browser makes the passkey. Returns the identifier of the new
    /// user.
    ///
    /// # Errors
    /// As [`crate::service::accounts::Accounts::register`].
    pub async fn begin_passkey_registration(
        &self,
        new: &PasswordlessRegistration,
        address: CallerAddress,
    ) -> Result<UserId> {
        let accounts = &self.accounts;
        accounts
            .check_registration(&new.username, &new.email, new.invitation.as_ref(), address)
            .await?;
        accounts.users.next_id().await
    }

    /// Creates an account with a passkey and without a password, and sends a verification link to its address. `id` is
    /// the identifier from [`Self::begin_passkey_registration`].
    ///
    /// # Errors
    /// [`shared::Error::Conflict`], which names each field whose value is taken, or [`shared::Error::Invalid`] that
    /// names `invitation`.
    pub async fn register_with_passkey(
        &self,
        new: PasswordlessRegistration,
        id: UserId,
        passkey: Passkey,
        address: CallerAddress,
    ) -> Result<Account> {
        let accounts = &self.accounts;
        accounts.check_has_passwords()?;
        accounts.check_invitation(new.invitation.as_ref()).await?;
        let mut factors = Factors {
            version: 1,
            ..Factors::default()
        };
        factors.add_passkey(passkey)?;
        let now = accounts.clock.now_s();
        let invitation = accounts
            .invitations
            .prepare_use(new.invitation.as_ref(), now)?;
        let new = NewAccount {
            username: new.username,
            email: new.email,
            email_verified: false,
            password_hash: None,
            factors,
            gender: Gender::Unknown,
            localization: new.localization.into_string(),
            created_at: accounts.clock.now_ms(),
            invitation,
        };
        let account = accounts.users.create_with_id(id, new).await?;
        accounts.attempts.remember_address(id, address).await?;
        self.send_first_verification(&account).await;
        Ok(account)
    }
}
