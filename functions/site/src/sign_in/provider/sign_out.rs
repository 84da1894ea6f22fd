//! Signing out at the provider after signing out here (OpenID Connect RP-Initiated Logout 1.0).

use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::layout::Page;
use pages::sessions::Visitor;
use shared::Error;

use super::person::provider;
use crate::state::AccountState;

/// Returns the address of the provider where the visitor signs out; `None` if the operator has not chosen this, if the
/// visitor's session did not begin at the provider, or if the provider has no such address or does not answer.
pub(crate) async fn find(
    state: &AccountState,
    visitor: &Visitor,
) -> Result<Option<String>, PageError> {
    let Some(provider) = state.provider.as_deref() else {
        return Ok(None);
    };
    if !provider.settings.signs_out {
        return Ok(None);
    }
    let Some(owner) = state.sessions.find(visitor).await? else {
        return Ok(None);
    };
    let session = state.session_store.find(&owner.credential.token_id).await?;
    let began_there =
        |session: &store::Session| session.provider_session.is_some() || session.id_token.is_some();
    let Some(session) = session.filter(began_there) else {
        return Ok(None);
    };
    let address = provider.sign_out_url(session.id_token.as_deref()).await;
    Ok(address.unwrap_or_else(|error| {
        tracing::warn!(reason = %error, "a user cannot be led to the identity provider to sign out");
        None
    }))
}

/// Returns the page that leads the visitor to the provider. It is no redirect, because browsers apply the content
/// security policy (`form-action`) of the page with the form also to a redirect that answers the form.
pub(crate) fn page(
    state: &AccountState,
    visitor: &Visitor,
    address: &str,
) -> Result<Response, PageError> {
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
    let mut response = Page::new(l10n, &title, body).respond(StatusCode::OK);
    let refresh = HeaderValue::try_from(format!("0; url={address}")).map_err(Error::internal)?;
    let name = HeaderName::from_static("refresh");
    response.headers_mut().insert(name, refresh);
    Ok(response)
}
