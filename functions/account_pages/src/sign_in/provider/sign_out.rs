//! Signing out at the provider after signing out of this service (OpenID Connect RP-Initiated Logout 1.0).

use accounts::sessions::Session;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use maud::html;
use page_parts::door::door;
use pages::error::PageResult;
use pages::layout::Page;
use pages::sessions::Visitor;
use shared::Error;

use super::person::provider;
use crate::state::AccountState;

/// Returns the visitor's session if it began at the provider, and the operator has chosen to also sign out there. A
/// session that cannot be read counts as none, so that signing out continues.
pub(crate) async fn find_session(state: &AccountState, visitor: &Visitor) -> Option<Session> {
    let provider = state.provider.as_deref()?;
    if !provider.settings.signs_out {
        return None;
    }
    let owner = state.sessions.find(visitor).await.ok()??;
    let session = state.session_store.find(&owner.credential.token_id).await;
    let began_there =
        |session: &Session| session.provider_session.is_some() || session.id_token.is_some();
    session.ok()?.filter(began_there)
}

/// Returns the address of the provider where the user of a session signs out; `None` if the provider has no such
/// address or does not respond.
pub(crate) async fn find_address(state: &AccountState, session: &Session) -> Option<String> {
    let provider = state.provider.as_deref()?;
    let address = provider.sign_out_url(session.id_token.as_deref()).await;
    address.unwrap_or_else(|error| {
        tracing::warn!(reason = %error, "a user cannot be led to the identity provider to sign out");
        None
    })
}

/// Returns the page that leads the visitor to the provider. It is not a redirect, because browsers apply the content
/// security policy (`form-action`) of the page with the form also to a redirect in response to the form.
pub(crate) fn page(state: &AccountState, visitor: &Visitor, address: &str) -> PageResult {
    let name = &provider(state)?.settings.name;
    let l10n = &visitor.localizer(None);
    let title = l10n.text("provider-signed-out-title");
    let text = |message| l10n.format(message, [("provider", name.as_str().into())]);
    let body = html! {
        p { (text("provider-signed-out-next")) }
        ul.links {
            li { a.row href=(address) { (text("provider-signed-out-link")) } }
        }
    };
    let page = Page::new(l10n, &title, door(l10n, &body));
    let mut response = page.respond(StatusCode::OK);
    let refresh = HeaderValue::try_from(format!("0; url={address}")).map_err(Error::internal)?;
    let name = HeaderName::from_static("refresh");
    response.headers_mut().insert(name, refresh);
    Ok(response)
}
