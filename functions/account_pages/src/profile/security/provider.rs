//! The section about the account at the identity provider.

use std::sync::Arc;

use accounts::mail::SecurityEvent;
use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::PostForm;
use pages::form_page::FormPage;
use pages::paths::{PROFILE_PROVIDER, PROFILE_PROVIDER_DISCONNECT, PROFILE_SECURITY};
use pages::profile_part::section as part_section;
use pages::response::see_other;
use pages::sessions::{Visitor, is_from_other_site};
use shared::Error;

use super::{SecurityView, refuse};
use crate::proof::proof_link;
use crate::sign_in::provider::{CeremonyPurpose, begin};
use crate::state::AccountState;

/// `GET /profile/security/provider`: redirects the user to the provider to connect an account there. It is a hyperlink,
/// as for trackers. Another site must not lead the user here, because it could before have signed the user in at the
/// provider with the attacker's account.
pub(crate) async fn connect(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    headers: HeaderMap,
) -> PageResult {
    if is_from_other_site(&headers) {
        return see_other(&state.sessions, PROFILE_SECURITY);
    }
    let sessions = &state.sessions;
    let owner = sessions.require_proved_user(&visitor, PROFILE_SECURITY);
    let owner = owner.await?;
    let purpose = CeremonyPurpose::Connect;
    begin(&state, visitor, Some(&owner), purpose, None).await
}

/// `POST /profile/security/provider/disconnect`. Also succeeds if no account is connected: the button may have been
/// pressed twice, or in two tabs.
pub(crate) async fn disconnect(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let (accounts, passkeys) = (&state.accounts, &state.ways.passkeys);
    match accounts.disconnect_provider(passkeys, &page.owner).await {
        Ok(identity) => {
            let provider = state.provider.as_ref();
            let name = provider.map_or(&identity.issuer, |provider| &provider.settings.name);
            let event = SecurityEvent::ProviderDisconnected(name);
            state.notify(&page.owner, event).await;
        }
        Err(Error::NotFound(_)) => {}
        Err(error) => return refuse(&state, page, error).await,
    }
    page.redirect_with(PROFILE_SECURITY, "provider-disconnected")
}

/// Renders the section. It is empty on a server without a provider, unless the user has connected one.
pub(super) fn section(view: &SecurityView<'_>) -> Markup {
    let l10n = &view.forms.l10n;
    let settings = view.provider.map(|provider| &provider.settings);
    let identity = view.owner.account.factors.identity.as_ref();
    // After the operator has changed the provider, the account at the old provider is useless. A new connection
    // replaces it.
    let identity = identity
        .filter(|identity| settings.is_none_or(|settings| identity.issuer == settings.issuer));
    let name = match (identity, settings) {
        (_, Some(settings)) => &settings.name,
        (Some(identity), None) => &identity.issuer,
        (None, None) => return Markup::default(),
    };
    let named = || [("provider", name.as_str().into())];
    let body = html! {
        @if let Some(identity) = identity {
            @let since = l10n.unix_date(identity.connected_at / 1000);
            p { (l10n.format("provider-connected", [("provider", name.as_str().into()), ("date", since.into())])) }
            @if view.has_proof {
                (PostForm {
                    button: l10n.format("provider-disconnect", named()),
                    danger: true,
                    ..view.forms.post(PROFILE_PROVIDER_DISCONNECT, "")
                })
            }
        } @else {
            p { (l10n.format("provider-not-connected", named())) }
            @if view.has_proof {
                p {
                    a.button.secondary href=(PROFILE_PROVIDER) {
                        (l10n.format("provider-connect", named()))
                    }
                }
            }
        }
    };
    let body = html! {
        (body)
        @if !view.has_proof { (proof_link(l10n, view.provider, view.owner, PROFILE_SECURITY)) }
    };
    part_section(l10n, "provider", "provider-heading", &body)
}
