//! The section about passkeys: the list, and the forms that add, rename and remove one.

use std::sync::Arc;

use accounts::mail::SecurityEvent;
use accounts::sign_in::{NewPasskey, PasskeyUser, read_passkey_name};
use axum::extract::State;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::{FormErrors, PostForm};
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::{Control, Field, csrf_field, sentence};
use pages::passkey::{NoPasskeys, PasskeyButton};
use pages::paths::{
    PROFILE_PASSKEYS, PROFILE_PASSKEYS_REMOVE, PROFILE_PASSKEYS_RENAME, PROFILE_SECURITY,
};
use pages::profile_part;
use shared::models::{MAX_PASSKEYS, Passkey};
use shared::{Error, Result};

use super::{SecurityView, refuse};
use crate::passkeys::response_of;
use crate::state::AccountState;

/// The field with the identifier of a passkey.
const PASSKEY: &str = "passkey";

/// The part of the page's data that this section needs.
pub(crate) struct PasskeySection<'a> {
    passkeys: &'a accounts::sign_in::Passkeys,
    /// The request to the browser to make a passkey; `None` if none can be added.
    request: Option<accounts::sign_in::PasskeyRequest>,
}

impl<'a> PasskeySection<'a> {
    /// Prepares the section.
    pub(super) async fn prepare(state: &'a AccountState, page: &FormPage) -> Result<Self> {
        let (passkeys, owner) = (&state.ways.passkeys, &page.owner);
        let user = PasskeyUser {
            id: owner.account.user.id,
            username: owner.username(),
            passkeys: &owner.account.factors.passkeys,
        };
        let can_add =
            passkeys.is_available() && user.passkeys.len() < MAX_PASSKEYS && page.has_fresh_proof();
        let request = if can_add {
            let (browser, purpose) = (page.browser_id(), NewPasskey::Add(user.id));
            let begin_registration = passkeys.begin_registration(&browser, purpose, user);
            Some(begin_registration.await?)
        } else {
            None
        };
        Ok(Self { passkeys, request })
    }
}

/// Renders the section.
pub(super) fn section(view: &SecurityView<'_>) -> Markup {
    let l10n = &view.forms.l10n;
    let section = &view.passkeys;
    let passkeys = &view.owner.account.factors.passkeys;
    let refused = [PROFILE_PASSKEYS_RENAME, PROFILE_PASSKEYS_REMOVE];
    let refused = refused.iter().find_map(|action| view.forms.errors(action));
    let is_full = passkeys.len() >= MAX_PASSKEYS;
    let body = html! {
        @if let Some(errors) = refused { (refusal(l10n, errors)) }
        p { (l10n.text("passkeys-explanation")) }
        @if !section.passkeys.is_available() { p { (l10n.text("passkeys-unavailable")) } }
        @if !passkeys.is_empty() {
            ul.entries {
                @for (number, passkey) in passkeys.iter().enumerate() { (item(view, number, passkey)) }
            }
            @if view.has_proof { p.hint { (l10n.text("passkeys-remove-hint")) } }
        }
        @if is_full {
            p { (l10n.format("passkeys-full", [("count", MAX_PASSKEYS.into())])) }
        }
        @if let Some(request) = &section.request {
            (PostForm {
                fields: &[
                    Field::new(l10n, "name", Control::TextLine, "passkeys-name")
                        .with_hint(l10n.text("passkeys-name-hint"))
                ],
                passkey: Some(PasskeyButton {
                    action: PROFILE_PASSKEYS,
                    label: &l10n.text("passkeys-add"),
                    request: Some(request),
                    autofills: false,
                    is_secondary: false,
                }),
                ..view.forms.post(PROFILE_PASSKEYS, "")
            })
            (NoPasskeys(l10n))
        } @else if let Some(errors) = view.forms.errors(PROFILE_PASSKEYS) {
            (errors.summary(l10n, &[]))
        }
    };
    profile_part::section(l10n, "passkeys", "passkeys-heading", &body)
}

/// Renders the errors of a form in the list. An error in a new name cannot link to its field, because each passkey has
/// such a field.
fn refusal(l10n: &Localizer, errors: &FormErrors) -> Markup {
    let Some(reason) = errors.reason("name") else {
        return errors.summary(l10n, &[]);
    };
    let text = sentence(l10n, &l10n.text("passkeys-new-name"), reason);
    html! { div.faults role="alert" tabindex="-1" autofocus { (text) } }
}

/// Renders a passkey. The accessible names of its buttons include its name.
fn item(view: &SecurityView<'_>, number: usize, passkey: &Passkey) -> Markup {
    let l10n = &view.forms.l10n;
    let [name, rename, save, remove, field] = ["name", "rename", "save", "remove", "field"]
        .map(|prefix| format!("passkey-{prefix}-{number}"));
    let date = |at: u64| l10n.unix_date(at / 1000);
    let used = passkey.used_at.map_or_else(
        || l10n.text("passkeys-not-used"),
        |at| l10n.format("token-used", [("date", date(at).into())]),
    );
    let note = [
        ("added", date(passkey.created_at).into()),
        ("used", used.into()),
    ];
    let hidden = html! {
        (csrf_field(&view.forms.csrf))
        input type="hidden" name=(PASSKEY) value=(passkey.id);
    };
    html! {
        li {
            div {
                strong id=(name) { (passkey.name) }
                small { (l10n.format("passkeys-note", note)) }
                @if let Some(host) = view.passkeys.passkeys.other_host(passkey) {
                    small { (l10n.format("passkeys-other-host", [("host", host.into())])) }
                }
                @if view.has_proof {
                    details {
                        summary id=(rename) aria-labelledby={ (rename) " " (name) } { (l10n.text("passkeys-rename")) }
                        form method="post" action=(PROFILE_PASSKEYS_RENAME) {
                            (hidden)
                            div.field {
                                label for=(field) { (l10n.text("passkeys-new-name")) }
                                input type="text" id=(field) name="name" value=(passkey.name) required
                                    autocomplete="off" maxlength="64";
                            }
                            button id=(save) aria-labelledby={ (save) " " (name) } { (l10n.text("passkeys-save")) }
                        }
                    }
                }
            }
            @if view.has_proof {
                form method="post" action=(PROFILE_PASSKEYS_REMOVE) {
                    (hidden)
                    button id=(remove) aria-labelledby={ (remove) " " (name) } { (l10n.text("passkeys-remove")) }
                }
            }
        }
    }
}

/// `POST /profile/security/passkeys`: adds a passkey.
pub(crate) async fn add(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    match add_from_form(&state, &page).await {
        Ok(()) => page.redirect_with(PROFILE_SECURITY, "passkey-added"),
        Err(error) => refuse(&state, page, error).await,
    }
}

/// `POST /profile/security/passkeys/rename`
pub(crate) async fn rename(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let rename = async {
        let name = read_name(&page)?;
        let id = page.forms.sent.value(PASSKEY);
        state.ways.passkeys.rename(&page.owner, id, &name).await
    };
    match rename.await {
        Ok(()) => page.redirect_with(PROFILE_SECURITY, "passkey-renamed"),
        Err(error) => refuse(&state, page, error).await,
    }
}

/// `POST /profile/security/passkeys/remove`
pub(crate) async fn remove(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let id = page.forms.sent.value(PASSKEY);
    let provider = state.provider.as_ref();
    let issuer = provider.map(|provider| provider.settings.issuer.as_str());
    let (accounts, passkeys) = (&state.accounts, &state.ways.passkeys);
    let removed = accounts.remove_passkey(passkeys, &page.owner, id, issuer);
    match removed.await {
        Ok(passkey) => {
            let event = SecurityEvent::PasskeyRemoved(&passkey.name);
            state.notify(&page.owner, event).await;
        }
        // The button was pressed twice, or in two tabs.
        Err(Error::NotFound(_)) => {}
        Err(error) => return refuse(&state, page, error).await,
    }
    page.redirect_with(PROFILE_SECURITY, "passkey-removed")
}

fn read_name(page: &FormPage) -> Result<String> {
    let mut fields = page.forms.sent.fields();
    let name = read_passkey_name(&mut fields);
    fields.finish(name)
}

async fn add_from_form(state: &AccountState, page: &FormPage) -> Result<()> {
    let name = read_name(page)?;
    let (browser, owner) = (page.browser_id(), &page.owner);
    let response = response_of(&browser, &page.forms.sent);
    let purpose = NewPasskey::Add(owner.account.user.id);
    let finish_registration = state
        .ways
        .passkeys
        .finish_registration(response, purpose, name);
    let (_, passkey) = finish_registration.await?;
    state.ways.passkeys.add(owner, &passkey).await?;
    let event = SecurityEvent::PasskeyAdded(&passkey.name);
    state.notify(owner, event).await;
    Ok(())
}
