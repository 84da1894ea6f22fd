//! The developer pages: the OAuth clients of the signed-in user.

mod view;

use std::sync::Arc;

use accounts::applications::{
    ClientDetails, ClientKind, OAuthClient, is_client_id, read_client_details,
};
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use pages::error::{PageError, PageResult};
use pages::form_page::FormPage;
use pages::paths::DEVELOPER;
use shared::auth::Action;
use shared::input::{Fields, Form};
use shared::{Error, Missing, Result};
use view::{show, show_client, show_deletion};

use crate::state::AccountState;

const CREATED: &str = "developer-done-created";

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 3] = [
    ("created", CREATED),
    ("saved", "developer-done-saved"),
    ("deleted", "developer-done-deleted"),
];

/// The path parameter `{client_id}`. A malformed identifier is rejected without reading the database.
pub(crate) struct ClientId(String);

impl<S: Send + Sync> FromRequestParts<S> for ClientId {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PageError> {
        let path = Path::<String>::from_request_parts(parts, state).await.ok();
        let id = path.map(|Path(id)| id).filter(|id| is_client_id(id));
        id.map(Self)
            .ok_or_else(|| Error::NotFound(Missing::Application).into())
    }
}

/// `GET /developer`
pub(crate) async fn page(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    show(&state, &page.with_confirmation(&DONE)).await
}

/// `POST /developer`: registers a client. For a confidential client, the response is the page of the client with its
/// secret, which is shown only once. For a public client, it is a redirect to the page of the client.
pub(crate) async fn create(
    State(state): State<Arc<AccountState>>,
    mut page: FormPage,
) -> PageResult {
    let create = async {
        let (kind, details) = read_client(&page.forms.sent)?;
        let access = page.owner.access(Action::ManageClients);
        state.applications.create(&access, kind, details).await
    };
    match create.await {
        Ok((client, Some(secret))) => {
            page.forms.confirmation = Some(CREATED);
            Ok(show_client(&state, &page, &client, Some(&secret)))
        }
        Ok((client, None)) => {
            page.redirect_with(&format!("{DEVELOPER}/{}", client.client_id), "created")
        }
        Err(error) => show(&state, &page.with_errors(error)?).await,
    }
}

/// `GET /developer/{client_id}`
pub(crate) async fn client_page(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    page: FormPage,
) -> PageResult {
    let page = page.with_confirmation(&DONE);
    let client = find_client(&state, &page, &id).await?;
    Ok(show_client(&state, &page, &client, None))
}

/// `POST /developer/{client_id}`
pub(crate) async fn save(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    page: FormPage,
) -> PageResult {
    let client = find_client(&state, &page, &id).await?;
    let save = async {
        let mut fields = page.forms.sent.fields();
        let details = read_details(&mut fields);
        let details = fields.finish(details)?;
        let access = page.owner.access(Action::ManageClients);
        let clients = &state.applications.clients;
        clients.update(&access, &id, &details).await
    };
    match save.await {
        Ok(()) => page.redirect_with(&format!("{DEVELOPER}/{id}"), "saved"),
        Err(error) => {
            let page = page.with_errors(error)?;
            Ok(show_client(&state, &page, &client, None))
        }
    }
}

/// `POST /developer/{client_id}/secret`: replaces the client's secret, and returns its page with the new secret, which
/// is shown only once.
pub(crate) async fn rotate_secret(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    mut page: FormPage,
) -> PageResult {
    let client = find_client(&state, &page, &id).await?;
    let access = page.owner.access(Action::ManageClients);
    let secret = state.applications.rotate_secret(&access, &id).await?;
    page.forms.confirmation = Some("developer-done-secret");
    Ok(show_client(&state, &page, &client, Some(&secret)))
}

/// `GET /developer/{client_id}/delete`
pub(crate) async fn delete_page(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    page: FormPage,
) -> PageResult {
    let client = find_client(&state, &page, &id).await?;
    Ok(show_deletion(&page, &client))
}

/// `POST /developer/{client_id}/delete`
pub(crate) async fn delete(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    page: FormPage,
) -> PageResult {
    let access = page.owner.access(Action::ManageClients);
    state.applications.delete(&access, &id).await?;
    page.redirect_with(DEVELOPER, "deleted")
}

async fn find_client(state: &AccountState, page: &FormPage, id: &str) -> Result<OAuthClient> {
    let owner = page.owner.account.user.id;
    state.applications.find(owner, id).await
}

fn read_client(form: &Form) -> Result<(ClientKind, ClientDetails)> {
    let mut fields = form.fields();
    let kind = fields.read_with("kind", |kind| match kind {
        "confidential" => Ok(ClientKind::Confidential),
        "public" => Ok(ClientKind::Public),
        _ => Err("must be one of the two options"),
    });
    let details = read_details(&mut fields);
    fields.finish(kind.zip(details))
}

fn read_details(fields: &mut Fields) -> Option<ClientDetails> {
    if !fields.has("redirect_uris") {
        // The default reason, "is required", does not agree with the plural label "Redirect URIs".
        fields.fail("redirect_uris", "must have at least one address");
    }
    read_client_details(fields)
}
