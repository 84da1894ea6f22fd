//! The part of the profile for developers: the tokens that a user makes, and the link to the user's OAuth applications.

use std::sync::Arc;

use accounts::applications::{NewProfileToken, read_name};
use accounts::grants::ProfileToken;
use accounts::sessions::SignedInUser;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageResult;
use pages::form::NOT_LISTED;
use pages::form_page::FormPage;
use pages::paths::PROFILE_DEVELOPER;
use pages::profile_part::ProfilePart;
use pages::sessions::Visitor;
use shared::auth::{ACCESS_TOKEN_S, Action, Credential, DAY_S, ProfileTokenUse, Scope};
use shared::input::Fields;
use shared::{Error, Result};

use super::developer_view::DeveloperView;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("revoked", "profile-done-revoked")];

/// `GET /profile/developer`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let read = |user| state.profile_tokens.list(user);
    let (owner, tokens) = state
        .sessions
        .require_user_and(&visitor, PROFILE_DEVELOPER, read)
        .await?;
    let page = FormPage::new(&state.sessions, visitor, owner, uri).with_confirmation(&DONE);
    Ok(show(&state, &page, tokens, None))
}

/// `POST /profile/developer/token`: returns the page with a new access token, which is shown only once.
pub(crate) async fn create_token(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let expires_at = state.accounts.clock.now_s() + ACCESS_TOKEN_S;
    let create = async {
        let (name, scope) = read_token_form(page.forms.sent.fields())?;
        sign_new_token(&state, &page.owner, name, scope).await
    };
    let (page, created) = match create.await {
        Ok(token) => (page, Some((token, expires_at))),
        Err(error) => (page.with_errors(error)?, None),
    };
    let user = page.owner.account.user.id;
    let tokens = state.profile_tokens.list(user).await?;
    Ok(show(&state, &page, tokens, created.as_ref()))
}

/// `POST /profile/developer/token/revoke`
pub(crate) async fn revoke_token(
    State(state): State<Arc<AccountState>>,
    page: FormPage,
) -> PageResult {
    let access = page.owner.access(Action::ManageTokens);
    let token_id = page.forms.sent.value("token_id");
    match state.profile_tokens.revoke(&access, token_id).await {
        // A token that does not exist was revoked before: the button was pressed twice, or in two tabs.
        Ok(()) | Err(Error::NotFound(_)) => page.redirect_with(PROFILE_DEVELOPER, "revoked"),
        Err(error) => Err(error.into()),
    }
}

/// Returns the page. `created` is a new token and its expiry, in seconds since the Unix epoch.
fn show(
    state: &AccountState,
    page: &FormPage,
    mut tokens: Vec<ProfileToken>,
    created: Option<&(String, u64)>,
) -> Response {
    let now = state.accounts.clock.now_s();
    tokens.retain(|token| page.owner.account.has_live_token(token, now));
    let view = DeveloperView {
        forms: &page.forms,
        tokens: &tokens,
        public_url: state.sessions.public_url(),
        has_proof: page.has_fresh_proof(),
        created,
    };
    let title = page.forms.l10n.text(ProfilePart::Developer.message());
    page.respond(ProfilePart::Developer.page(page, &title, &view.body()))
}

/// Creates a token with this name and scope, and returns it in its signed form.
async fn sign_new_token(
    state: &AccountState,
    owner: &SignedInUser,
    name: String,
    scope: Option<Scope>,
) -> Result<String> {
    let tokens = &state.accounts.tokens;
    // If no signing key is available, fail before the row of the token is written.
    tokens.warm().await?;
    let now = state.accounts.clock.now_ms();
    let new = NewProfileToken {
        token_id: tokens.new_id(),
        name,
        scope,
    };
    let access = owner.access(Action::ManageTokens);
    let slot = state
        .profile_tokens
        .create(&access, &owner.account, &new, now);
    let profile_token = ProfileTokenUse {
        slot: slot.await?,
        day: now / 1000 / DAY_S,
    };
    let credential = Credential {
        token_id: new.token_id,
        profile_token: Some(profile_token),
        scope,
        ..access.credential
    };
    tokens.sign_access_token(&credential).await
}

/// Reads the name and the scope of a new token. Without a scope, the token allows reading and writing.
fn read_token_form(mut fields: Fields) -> Result<(String, Option<Scope>)> {
    let name = read_name(&mut fields);
    let scope = if fields.has("scope") {
        let scope = |text: &str| Scope::parse(text).ok_or(NOT_LISTED);
        fields.read_with("scope", scope).map(Some)
    } else {
        Some(None)
    };
    fields.finish(name.zip(scope))
}
