//! Links in mails, such as those that verify e-mail addresses, and their checks when users follow them.

use shared::auth::{Access, CallerAddress, Claims, TokenPurpose, user_of};
use shared::models::{EmailAddress, Language, UserId};
use shared::{Error, Result};

use super::accounts::AccountService;
use crate::mail::link_mail::LinkMail;
use crate::mail::links;
use crate::mail::mailer::Mail;
use crate::mail::security_mail::SecurityEvent;
use crate::throttling::attempts::MAIL_REQUESTS_PER_NETWORK;
use crate::users::user::Account;

/// The reason for refusing a mail link, as users see it.
const INVALID_LINK: &str = "is invalid, has expired or has already been used; request a new link";

impl AccountService {
    /// Sends the verification link to a new address. The account already has the address, and its owner can request
    /// another link, so an error is only logged.
    pub async fn send_first_verification(&self, account: &Account) {
        if let Err(error) = self.send_verification(account).await {
            tracing::warn!(%error, "a link to verify an address was not sent");
        }
    }

    /// Mails the link that verifies the account's e-mail address.
    ///
    /// # Errors
    /// [`Error::Conflict`] if the address is already verified, or [`Error::TooManyRequests`].
    pub async fn send_verification(&self, account: &Account) -> Result<()> {
        if account.email_verified {
            return Err(Error::conflict("email", "is already verified"));
        }
        let to = EmailAddress::new(&account.email).map_err(Error::internal)?;
        self.accounts
            .attempts
            .count_mail("email_verification", &to, false)
            .await?;
        // The token contains the version of the current address, so the link stops working once the address changes.
        let link = self.make_link(
            links::VERIFY_EMAIL,
            TokenPurpose::EmailVerification,
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
    pub async fn verify_email(&self, token: &str, address: CallerAddress) -> Result<()> {
        self.count_link(address).await?;
        let read_link = self.read_link(TokenPurpose::EmailVerification, token);
        let (id, claims) = read_link.await?;
        let verified = self.accounts.users.verify_email(id, claims.ver).await?;
        verified.then_some(()).ok_or_else(invalid_link)
    }

    /// Counts the use of a mail link.
    pub(crate) async fn count_link(&self, address: CallerAddress) -> Result<()> {
        let attempts = &self.accounts.attempts;
        attempts
            .count_by_network("link", address, MAIL_REQUESTS_PER_NETWORK)
            .await
    }

    /// Verifies the token of a mail link. Returns its user and its claims.
    pub(crate) async fn read_link(
        &self,
        purpose: TokenPurpose,
        token: &str,
    ) -> Result<(UserId, Claims)> {
        let claims = self.accounts.tokens.verify(purpose, token).await?;
        let claims = claims.ok_or_else(invalid_link)?;
        Ok((user_of(&claims).ok_or_else(invalid_link)?, claims))
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
    ) -> Result<()> {
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
        self.send_first_verification(&changed).await;
        Ok(())
    }

    /// Sends a mail in the language of the account, or else in English.
    pub(crate) async fn send(
        &self,
        mail: LinkMail,
        to: EmailAddress,
        account: &Account,
        link: &str,
    ) -> Result<()> {
        let language = Language::of(&account.localization);
        let language = language.unwrap_or(Language::English);
        let content = mail.compose(language, &account.user.username, link);
        self.mailer.send(&Mail::new(to, &content)).await
    }

    pub(crate) async fn make_link(
        &self,
        path: &str,
        purpose: TokenPurpose,
        account: &Account,
        version: u64,
    ) -> Result<String> {
        let token = self
            .accounts
            .tokens
            .sign_link(purpose, account.user.id, version);
        let url = self.accounts.tokens.public_url();
        Ok(format!("{url}{path}?token={}", token.await?))
    }
}

pub(crate) fn invalid_link() -> Error {
    Error::invalid("token", INVALID_LINK)
}
