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

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use maud::{Markup, html};
use openid::Provider;
use pages::error::PageError;
use pages::form::FormErrors;
use pages::language::Localizer;
use pages::layout::notice;
use pages::paths::{PROFILE_SECURITY, PROVE};
use pages::response::{confirmation_message, respond_with_forms};
use pages::return_path::with_next;
use pages::sessions::Visitor;
use store::Session;

use super::part::Part;
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

/// A form that was sent with errors.
pub(crate) struct RefusedForm {
    /// The path that the form was sent to.
    pub action: &'static str,
    /// The errors.
    pub errors: FormErrors,
}

/// The data of the page.
pub(crate) struct SecurityView<'a> {
    pub l10n: &'a Localizer,
    pub csrf: &'a str,
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
    pub refused: Option<&'a RefusedForm>,
}

impl SecurityView<'_> {
    /// Returns the errors of the form that is sent to `action`.
    pub(crate) fn errors(&self, action: &str) -> Option<&FormErrors> {
        let refused = self.refused.filter(|refused| refused.action == action)?;
        Some(&refused.errors)
    }

    fn body(&self) -> Markup {
        html! {
            @if !self.has_proof {
                p { (self.l10n.text("security-prove")) }
                p {
                    a.button href=(with_next(PROVE, Some(PROFILE_SECURITY))) {
                        (self.l10n.text("security-prove-button"))
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
) -> Result<Response, PageError> {
    let read = |user| state.session_store.list(user);
    let (owner, sessions) = state
        .sessions
        .require_user_and(&visitor, PROFILE_SECURITY, read)
        .await?;
    let done = confirmation_message(&uri, &DONE);
    respond(&state, &visitor, &owner, sessions, done, None).await
}

/// Returns the page with the errors of a form.
pub(crate) async fn show_refused(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    refused: &RefusedForm,
) -> Result<Response, PageError> {
    let sessions = state.session_store.list(owner.account.user.id).await?;
    respond(state, visitor, owner, sessions, None, Some(refused)).await
}

async fn respond(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    mut sessions: Vec<Session>,
    done: Option<&str>,
    refused: Option<&RefusedForm>,
) -> Result<Response, PageError> {
    let now = state.accounts.clock.now_s();
    sessions.retain(|session| session.is_live(&owner.account, now));
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(Some(owner));
    let passkeys = passkeys::PasskeySection::prepare(state, visitor, &csrf, owner).await?;
    let view = SecurityView {
        l10n,
        csrf: &csrf.token,
        owner,
        sessions: &sessions,
        passkeys,
        has_passwords: state.accounts.has_passwords,
        provider: state.provider.as_deref(),
        has_proof: owner.has_fresh_proof(now),
        refused,
    };
    let body = html! {
        @if let Some(done) = done { (notice(&l10n.text(done))) }
        (view.body())
    };
    let title = l10n.text(Part::Security.message());
    let page = Part::Security.page(l10n, &title, owner, &body);
    Ok(respond_with_forms(
        page,
        csrf,
        refused.map(|refused| &refused.errors),
    ))
}
