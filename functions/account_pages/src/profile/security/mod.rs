//! The part of the profile about signing in: each way to sign in, the second factor and the sessions.
//!
//! Each section has a file with its handlers and its markup. A change needs a proof of the last 10 minutes that the
//! user is the owner of the account ([`pages::sessions::PageSessions::require_proof`]); without one, the page shows
//! the sections without their forms.

pub(crate) mod passkeys;
pub(crate) mod password;
pub(crate) mod provider;
mod qr_code;
pub(crate) mod second_factor;
pub(crate) mod sessions;

use std::sync::Arc;

use accounts::sessions::{Session, SignedInUser};
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};
use openid::Provider;
use pages::error::PageResult;
use pages::form_page::{FormPage, PageForms};
use pages::paths::{PROFILE_SECURITY, PROVE};
use pages::profile_part::ProfilePart;
use pages::return_path::with_next;
use pages::sessions::Visitor;
use shared::Error;

use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 8] = [
    ("factor-removed", "factor-removed"),
    ("passkey-added", "passkeys-done-added"),
    ("passkey-removed", "passkeys-done-removed"),
    ("passkey-renamed", "passkeys-done-renamed"),
    ("password", "profile-done-password"),
    ("provider-connected", "provider-done-connected"),
    ("provider-disconnected", "provider-done-disconnected"),
    ("session", "session-ended"),
];

/// The data of the page.
pub(crate) struct SecurityView<'a> {
    pub forms: &'a PageForms,
    pub owner: &'a SignedInUser,
    /// The sessions of the user that have not ended, oldest first.
    pub sessions: &'a [Session],
    /// The data of the section about passkeys.
    pub passkeys: passkeys::PasskeySection<'a>,
    /// False if only the identity provider signs users in.
    pub has_passwords: bool,
    /// The identity provider of this server.
    pub provider: Option<&'a Provider>,
    /// True if the user may change something: the proof is fresh.
    pub has_proof: bool,
}

impl SecurityView<'_> {
    fn body(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            (self.forms.notice())
            @if !self.has_proof {
                p { (l10n.text("security-prove")) }
                p {
                    a.button href=(with_next(PROVE, Some(PROFILE_SECURITY))) {
                        (l10n.text("security-prove-button"))
                    }
                }
            }
            @if self.has_passwords { (password::section(self)) }
            (passkeys::section(self))
            (provider::section(self))
            @if self.has_passwords { (second_factor::section(self)) }
            (sessions::section(self))
        }
    }
}

/// `GET /profile/security`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let read = |user| state.session_store.list(user);
    let (owner, sessions) = state
        .sessions
        .require_user_and(&visitor, PROFILE_SECURITY, read)
        .await?;
    let page = FormPage::new(&state.sessions, visitor, owner, uri).with_confirmation(&DONE);
    show(&state, &page, sessions).await
}

/// Returns the page with the errors of the form that was sent.
pub(crate) async fn refuse(state: &AccountState, page: FormPage, error: Error) -> PageResult {
    let page = page.with_errors(error)?;
    let sessions = state.session_store.list(page.owner.account.user.id).await?;
    show(state, &page, sessions).await
}

async fn show(state: &AccountState, page: &FormPage, mut sessions: Vec<Session>) -> PageResult {
    let now = state.accounts.clock.now_s();
    sessions.retain(|session| session.is_live(&page.owner.account, now));
    let view = SecurityView {
        forms: &page.forms,
        owner: &page.owner,
        sessions: &sessions,
        passkeys: passkeys::PasskeySection::prepare(state, page).await?,
        has_passwords: state.accounts.has_passwords,
        provider: state.provider.as_deref(),
        has_proof: page.has_fresh_proof(),
    };
    let title = page.forms.l10n.text(ProfilePart::Security.message());
    Ok(page.respond(ProfilePart::Security.page(page, &title, &view.body())))
}
