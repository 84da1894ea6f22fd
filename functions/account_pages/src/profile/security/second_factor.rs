//! The second factor: its section, its set-up and its recovery codes.

use std::sync::Arc;

use accounts::mail::SecurityEvent;
use accounts::second_factor::TotpSecret;
use accounts::sessions::SignedInUser;
use accounts::sign_in::{CeremonyContext, CeremonyKind};
use accounts::users::OtherSessions;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::{PostForm, read_required};
use pages::form_page::FormPage;
use pages::layout::{Control, Field, copyable_lines, copyable_text, notice};
use pages::paths::{
    PROFILE_SECOND_FACTOR, PROFILE_SECOND_FACTOR_CODES, PROFILE_SECOND_FACTOR_REMOVE,
    PROFILE_SECURITY,
};
use pages::profile_part::{ProfilePart, section as section_of_page};
use pages::response::see_other;
use shared::auth::Action;
use shared::models::{Factors, SecondFactor};
use shared::{Error, Result};

use super::SecurityView;
use super::qr_code::qr_code;
use crate::state::AccountState;

/// The reason for refusing a code after the time for the set-up.
const ENDED: &str = "Too much time has passed. Add this new key to your app.";

/// The number of characters in a group of the key to type.
const KEY_GROUP: usize = 4;

/// Renders the section.
pub(super) fn section(view: &SecurityView<'_>) -> Markup {
    let account = &view.owner.account;
    let body = html! {
        @if let Some(second_factor) = &account.factors.second_factor {
            (details(view, second_factor))
        } @else {
            p { (view.forms.l10n.text("factor-explanation")) }
            @if account.password_hash.is_none() {
                p { (view.forms.l10n.text("factor-no-password")) }
            } @else if view.has_proof {
                p { a.button.secondary href=(PROFILE_SECOND_FACTOR) { (view.forms.l10n.text("factor-set-up")) } }
            }
        }
    };
    section_of_page(&view.forms.l10n, "second-factor", "factor-second", &body)
}

/// Renders a second factor with the forms for new recovery codes and for its removal.
fn details(view: &SecurityView<'_>, second_factor: &SecondFactor) -> Markup {
    let l10n = &view.forms.l10n;
    let since = [(
        "date",
        l10n.unix_date(second_factor.created_at / 1000).into(),
    )];
    let left = [("count", second_factor.recovery_codes.len().into())];
    let form = |action, button, danger| {
        html! {
            (PostForm {
                danger,
                ..view.forms.post(action, button)
            })
        }
    };
    html! {
        p { (l10n.format("factor-since", since)) " " (l10n.format("factor-codes-left", left)) }
        @if view.has_proof {
            (form(PROFILE_SECOND_FACTOR_CODES, "factor-new-codes", false))
            p.hint { (l10n.text("factor-remove-hint")) }
            (form(PROFILE_SECOND_FACTOR_REMOVE, "factor-remove", true))
        }
    }
}

/// `GET /profile/security/second-factor`: a new key for the authenticator app. The key is kept, encrypted, in the form.
pub(crate) async fn set_up_page(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    if !may_set_up(&page.owner) {
        return see_other(&state.sessions, PROFILE_SECURITY);
    }
    ask_for_code(&state, &page).await
}

/// `POST /profile/security/second-factor`: confirms the set-up with a code, and shows the recovery codes.
pub(crate) async fn set_up(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let (owner, form) = (&page.owner, &page.forms.sent);
    if !may_set_up(owner) {
        return see_other(&state.sessions, PROFILE_SECURITY);
    }
    let sealed = form.value("state");
    let key: Option<String> = state.ceremonies.read(context(owner), sealed).await?;
    let Some(key) = key else {
        let page = page.with_errors(Error::invalid("code", ENDED))?;
        return ask_for_code(&state, &page).await;
    };
    let secret = TotpSecret::read(&key)?;
    let factors = async {
        let [code] = read_required(form, ["code"])?;
        let second_factors = &state.accounts.second_factors;
        second_factors.set_up(&owner.account, &secret, code).await
    };
    match factors.await {
        Ok((factors, codes)) => {
            change(&state, owner, factors, OtherSessions::Keep).await?;
            state.notify(owner, SecurityEvent::SecondFactorAdded).await;
            Ok(show_codes(&page, "factor-added", &codes))
        }
        Err(error) => {
            let sealed = sealed.to_owned();
            show_set_up(&state, &page.with_errors(error)?, &secret, &sealed)
        }
    }
}

/// `POST /profile/security/second-factor/codes`: makes new recovery codes and shows them.
pub(crate) async fn renew_codes(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let owner = &page.owner;
    let second_factors = &state.accounts.second_factors;
    let Some((factors, codes)) = second_factors.renew_recovery_codes(&owner.account) else {
        return see_other(&state.sessions, PROFILE_SECURITY);
    };
    change(&state, owner, factors, OtherSessions::Keep).await?;
    state
        .notify(owner, SecurityEvent::RecoveryCodesRenewed)
        .await;
    Ok(show_codes(&page, "factor-codes-renewed", &codes))
}

/// `POST /profile/security/second-factor/remove`. All other sessions and all tokens end.
pub(crate) async fn remove(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let owner = &page.owner;
    let mut factors = owner.account.factors.clone();
    // If there is no second factor, the button was pressed twice, or in two tabs.
    if factors.second_factor.take().is_some() {
        change(&state, owner, factors, OtherSessions::End).await?;
        state
            .notify(owner, SecurityEvent::SecondFactorRemoved)
            .await;
    }
    page.redirect_with(PROFILE_SECURITY, "factor-removed")
}

/// Returns true if the user can set up a second factor: the user has a password, after which it is asked for, and has
/// no second factor yet.
fn may_set_up(owner: &SignedInUser) -> bool {
    let account = &owner.account;
    account.password_hash.is_some() && account.factors.second_factor.is_none()
}

async fn change(
    state: &AccountState,
    owner: &SignedInUser,
    new: Factors,
    others: OtherSessions,
) -> Result<()> {
    let access = owner.access(Action::ChangePassword);
    let users = &state.accounts.users;
    users
        .change_factors(&access, &owner.account.factors, new, others)
        .await
}

/// Returns the context of a set-up, which binds it to the session and the user.
fn context(owner: &SignedInUser) -> CeremonyContext<'_> {
    CeremonyContext {
        kind: CeremonyKind::SetUpSecondFactor,
        browser: &owner.credential.token_id,
        user: Some(owner.credential.user_id),
    }
}

/// Returns the page with a new key.
async fn ask_for_code(state: &AccountState, page: &FormPage) -> PageResult {
    let (secret, at) = (
        state.accounts.second_factors.new_secret(),
        context(&page.owner),
    );
    let sealed = state.ceremonies.begin(at, secret.base32()).await?;
    show_set_up(state, page, &secret, &sealed)
}

/// Returns the page with a key.
fn show_set_up(
    state: &AccountState,
    page: &FormPage,
    secret: &TotpSecret,
    sealed: &str,
) -> PageResult {
    let l10n = &page.forms.l10n;
    let public_url = state.sessions.public_url().parse::<Uri>();
    let public_url = public_url.map_err(Error::internal)?;
    let host = public_url.host().unwrap_or_default();
    let url = secret.url(host, page.owner.username())?;
    let key = secret.base32();
    let key: Vec<char> = key.chars().collect();
    let groups = key.chunks(KEY_GROUP);
    let groups: Vec<String> = groups.map(|group| group.iter().collect()).collect();
    let code = Field::new(l10n, "code", Control::OneTimeCode, "code-label")
        .with_hint(l10n.text("factor-code-hint"));
    let body = html! {
        p { (l10n.text("factor-scan")) }
        @if let Some(code) = qr_code(&url, &l10n.text("factor-qr")) { p { (code) } }
        p { a.button.secondary href=(url) { (l10n.text("factor-open")) } }
        p { (l10n.text("factor-key")) }
        (copyable_text(l10n, "key", &l10n.text("factor-key-copy"), &groups.join(" ")))
        (PostForm {
            hidden: vec![("state", sealed)],
            fields: &[code],
            ..page.forms.post(PROFILE_SECOND_FACTOR, "factor-confirm")
        })
        p { a.row href=(PROFILE_SECURITY) { (l10n.text("factor-back")) } }
    };
    let title = l10n.text("factor-set-up-title");
    Ok(page.respond(ProfilePart::Security.sub_page(page, &title, &body)))
}

/// Returns the page with recovery codes, which are shown only once.
fn show_codes(page: &FormPage, done: &str, codes: &[String]) -> Response {
    let l10n = &page.forms.l10n;
    let (label, object) = (l10n.text("factor-codes"), l10n.text("factor-codes-copy"));
    let codes = codes.join("\n");
    let body = html! {
        (notice(&l10n.text(done)))
        p { (l10n.text("factor-codes-hint")) }
        (copyable_lines(l10n, "recovery-codes", &label, &object, &codes))
        p { a.button href=(PROFILE_SECURITY) { (l10n.text("factor-codes-stored")) } }
    };
    let title = l10n.text("factor-codes");
    page.respond(ProfilePart::Security.sub_page(page, &title, &body))
}
