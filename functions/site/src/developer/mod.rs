//! The developer pages: the OAuth clients of the signed-in user.

mod view;

use std::sync::Arc;

use accounts::read_client_details;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::Uri;
use axum::http::request::Parts;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::paths::DEVELOPER;
use pages::response::{confirmation_message, see_notice};
use pages::sessions::Visitor;
use shared::auth::Action;
use shared::input::{Fields, Form};
use shared::{Error, Missing};
use store::{ClientDetails, ClientKind, OAuthClient, is_client_id};
use view::{DeveloperOutcome, show, show_client, show_deletion};

use crate::state::AccountState;

const CREATED: &str = "developer-done-created";

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 3] = [
    ("created", CREATED),
    ("saved", "developer-done-saved"),
    ("deleted", "developer-done-deleted"),
];

/// The path parameter `{client_id}`. A malformed one is rejected without reading the database.
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
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, DEVELOPER).await?;
    let entered = Form::default();
    let outcome = DeveloperOutcome::with_confirmation(confirmation_message(&uri, &DONE));
    show(&state, &visitor, &owner, &entered, &outcome).await
}

/// `POST /developer`: registers a client. For a confidential client, the response is the page of the client with its
/// secret, which is shown only once. For a public client, it is a redirect to the page of the client.
pub(crate) async fn create(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let created = async {
        let (kind, details) = read_client(&posted.form)?;
        let access = posted.owner.access(Action::ManageClients);
        state.applications.create(&access, kind, details).await
    };
    match created.await {
        Ok((client, Some(secret))) => {
            let outcome = DeveloperOutcome {
                secret: Some(&secret),
                ..DeveloperOutcome::with_confirmation(Some(CREATED))
            };
            Ok(show_client(
                &state,
                &posted.visitor,
                &posted.owner,
                &client,
                None,
                &outcome,
            ))
        }
        Ok((client, None)) => see_notice(
            &state.sessions,
            &format!("{DEVELOPER}/{}?done=created", client.client_id),
        ),
        Err(error) => {
            let outcome = DeveloperOutcome::with_errors(FormErrors::of(error)?);
            show(
                &state,
                &posted.visitor,
                &posted.owner,
                &posted.form,
                &outcome,
            )
            .await
        }
    }
}

/// `GET /developer/{client_id}`
pub(crate) async fn client_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
    ClientId(id): ClientId,
) -> Result<Response, PageError> {
    let owner = state
        .sessions
        .require_user(&visitor, &format!("{DEVELOPER}/{id}"))
        .await?;
    let client = state.applications.find(owner.account.user.id, &id).await?;
    let outcome = DeveloperOutcome::with_confirmation(confirmation_message(&uri, &DONE));
    Ok(show_client(
        &state, &visitor, &owner, &client, None, &outcome,
    ))
}

/// `POST /developer/{client_id}`
pub(crate) async fn save(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let client = find_client(&state, &posted, &id).await?;
    let saved = async {
        let mut fields = posted.form.fields();
        let details = read_details(&mut fields);
        let details = fields.finish(details)?;
        let access = posted.owner.access(Action::ManageClients);
        state
            .applications
            .clients
            .update(&access, &id, &details)
            .await
    };
    let Err(error) = saved.await else {
        return see_notice(&state.sessions, &format!("{DEVELOPER}/{id}?done=saved"));
    };
    let outcome = DeveloperOutcome::with_errors(FormErrors::of(error)?);
    Ok(show_client(
        &state,
        &posted.visitor,
        &posted.owner,
        &client,
        Some(&posted.form),
        &outcome,
    ))
}

/// `POST /developer/{client_id}/secret`: replaces the client's secret, and returns its page with the new one,
/// which is shown only once.
pub(crate) async fn rotate_secret(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let client = find_client(&state, &posted, &id).await?;
    let access = posted.owner.access(Action::ManageClients);
    let secret = state.applications.rotate_secret(&access, &id).await?;
    let outcome = DeveloperOutcome {
        secret: Some(&secret),
        ..DeveloperOutcome::with_confirmation(Some("developer-done-secret"))
    };
    Ok(show_client(
        &state,
        &posted.visitor,
        &posted.owner,
        &client,
        None,
        &outcome,
    ))
}

/// `GET /developer/{client_id}/delete`
pub(crate) async fn delete_page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    ClientId(id): ClientId,
) -> Result<Response, PageError> {
    let owner = state
        .sessions
        .require_user(&visitor, &format!("{DEVELOPER}/{id}"))
        .await?;
    let client = state.applications.find(owner.account.user.id, &id).await?;
    Ok(show_deletion(&state, &visitor, &owner, &client))
}

/// `POST /developer/{client_id}/delete`
pub(crate) async fn delete(
    State(state): State<Arc<AccountState>>,
    ClientId(id): ClientId,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = posted.owner.access(Action::ManageClients);
    state.applications.delete(&access, &id).await?;
    see_notice(&state.sessions, &format!("{DEVELOPER}?done=deleted"))
}

async fn find_client(
    state: &AccountState,
    posted: &SignedInForm,
    id: &str,
) -> Result<OAuthClient, Error> {
    state
        .applications
        .find(posted.owner.account.user.id, id)
        .await
}

fn read_client(form: &Form) -> Result<(ClientKind, ClientDetails), Error> {
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
