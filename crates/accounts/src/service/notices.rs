//! Mails that tell users about changes of their accounts, and the record of the browsers from which they sign in.

use shared::models::{EmailAddress, Language, TimeZone};
use shared::{Error, Result};

use super::accounts::AccountService;
use crate::mail::links;
use crate::mail::mailer::Mail;
use crate::mail::security_mail::SecurityEvent;
use crate::throttling::attempt_store::Familiarity;
use crate::users::user::Account;

impl AccountService {
    /// Remembers the browser in which a user has signed in, and tells the user by mail if it is new. No mail is sent
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
    /// may belong to another person. An error is only logged, because the change has already been made.
    pub async fn notify(&self, account: &Account, event: SecurityEvent<'_>) {
        match self.send_notice(account, event).await {
            // The user has received 5 such mails within an hour.
            Ok(()) | Err(Error::TooManyRequests(_)) => {}
            Err(error) => {
                tracing::warn!(%error, "a mail about a change of an account was not sent");
            }
        }
    }

    async fn send_notice(&self, account: &Account, event: SecurityEvent<'_>) -> Result<()> {
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
        let content = event.compose(
            language.unwrap_or(Language::English),
            &account.user.username,
            &link,
        );
        self.mailer.send(&Mail::new(to, &content)).await
    }
}
