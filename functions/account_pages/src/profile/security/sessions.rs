//! The sessions: the browsers that are signed in.

use std::sync::Arc;

use accounts::sessions::Session;
use axum::extract::State;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::csrf_field;
use pages::paths::{
    PROFILE_SECURITY, PROFILE_SESSION_END, PROFILE_SIGN_OUT_EVERYWHERE, SIGN_IN, SIGN_OUT,
};
use pages::profile_part::section as section_of;
use pages::response::with_cookie;
use shared::auth::Action;

use super::SecurityView;
use crate::state::AccountState;

/// The maximum number of other sessions that the page shows, so that it stays small.
const MAX_SHOWN: usize = 25;

/// `POST /profile/security/session/end`: signs another browser out.
pub(crate) async fn end(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let user = page.owner.account.user.id;
    // A session that does not exist has ended before: the button was pressed twice, or in two tabs.
    state
        .session_store
        .end_of_user(user, page.forms.sent.value("session"))
        .await?;
    page.redirect_with(PROFILE_SECURITY, "session")
}

/// `POST /profile/security/sign-out-everywhere`
pub(crate) async fn sign_out_everywhere(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let access = page.owner.access(Action::SignOutEverywhere);
    state.accounts.users.sign_out_everywhere(&access).await?;
    let cookie = state.sessions.end(&page.visitor).await?;
    let response = page.redirect_with(SIGN_IN, "everywhere")?;
    Ok(with_cookie(response, &cookie))
}

/// Renders the section. It needs no proof, so that a user who has found a stranger's session can end it at once.
pub(super) fn section(view: &SecurityView<'_>) -> Markup {
    let l10n = &view.forms.l10n;
    let own_id = &view.owner.credential.token_id;
    let (own, others): (Vec<&Session>, Vec<&Session>) = view
        .sessions
        .iter()
        .rev()
        .partition(|session| session.id_hash == *own_id);
    let hidden = others.len().saturating_sub(MAX_SHOWN);
    let others = others.iter().take(MAX_SHOWN);
    let body = html! {
        p { (l10n.text("session-explanation")) }
        form method="post" action=(PROFILE_SESSION_END) {
            (csrf_field(&view.forms.csrf))
            ul.entries {
                @for session in own { (item(l10n, 0, session, true)) }
                @for (number, session) in others.enumerate() { (item(l10n, number + 1, session, false)) }
            }
        }
        @if hidden > 0 { p { (l10n.format("session-more", [("count", hidden.into())])) } }
        div.actions {
            (view.forms.post(SIGN_OUT, "profile-sign-out"))
            (PostForm {
                danger: true,
                ..view.forms.post(PROFILE_SIGN_OUT_EVERYWHERE, "profile-sign-out-everywhere")
            })
        }
        p.hint { (l10n.text("profile-sign-out-hint")) }
    };
    section_of(l10n, "sessions", "session-heading", &body)
}

fn item(l10n: &Localizer, number: usize, session: &Session, is_own: bool) -> Markup {
    let (name, button) = (format!("s{number}"), format!("e{number}"));
    // Rows of earlier versions of this service have neither browser nor network nor last use.
    let network = match session.network.as_str() {
        "" => l10n.text("session-unknown"),
        network => network.to_owned(),
    };
    let used = match session.used_at {
        0 => l10n.text("session-unknown"),
        time => l10n.unix_date_time(time),
    };
    let begun = l10n.unix_date_time(session.begun_at);
    let browser = match session.browser.as_str() {
        "" => l10n.text("session-unknown-browser"),
        browser => browser.to_owned(),
    };
    html! {
        li {
            div {
                strong id=(name) { (browser) }
                @if is_own { " " span.badge { (l10n.text("session-own")) } }
                small { (l10n.format("session-network", [("network", network.into())])) }
                small { (l10n.format("session-times", [("begun", begun.into()), ("used", used.into())])) }
            }
            @if !is_own {
                button id=(button) aria-labelledby={ (button) " " (name) } name="session" value=(session.id_hash) {
                    (l10n.text("profile-sign-out"))
                }
            }
        }
    }
}
