//! The part of the profile for developers: the tokens that a user makes, and the way to the user's OAuth applications.

use std::sync::Arc;

use accounts::read_name;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::paths::PROFILE_DEVELOPER;
use pages::response::{confirmation_message, respond_with_forms, see_notice};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::{ACCESS_TOKEN_S, Action, Credential, DAY_S, ProfileTokenUse, Scope};
use shared::input::Fields;
use store::{NewProfileToken, ProfileToken};

use super::developer_view::{DeveloperView, TokenOutcome};
use super::part::Part;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("revoked", "profile-done-revoked")];

/// `GET /profile/developer`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let read = |user| state.profile_tokens.list(user);
    let (owner, tokens) = state
        .sessions
        .require_user_and(&visitor, PROFILE_DEVELOPER, read)
        .await?;
    let outcome = match confirmation_message(&uri, &DONE) {
        Some(done) => TokenOutcome::Done(done),
        None => TokenOutcome::None,
    };
    let request = SignedInForm::unsent(visitor, owner);
    Ok(show(&state, &request, tokens, &outcome))
}

/// `POST /profile/developer/token`: returns the page with a new access token, which is shown only once.
pub(crate) async fn create_token(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let now = state.accounts.clock.now_s();
    let outcome = match read_token_form(posted.form.fields()) {
        Ok((name, scope)) => sign_new_token(&state, &posted, name, scope).await,
        Err(error) => Err(error),
    };
    let outcome = match outcome {
        Ok(token) => TokenOutcome::Created {
            token,
            expires_at: now + ACCESS_TOKEN_S,
        },
        Err(error) => TokenOutcome::Refused(FormErrors::of(error)?),
    };
    let user = posted.owner.account.user.id;
    let tokens = state.profile_tokens.list(user).await?;
    Ok(show(&state, &posted, tokens, &outcome))
}

/// `POST /profile/developer/token/revoke`
pub(crate) async fn revoke_token(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = posted.owner.access(Action::ManageTokens);
    let token_id = posted.form.value("token_id");
    match state.profile_tokens.revoke(&access, token_id).await {
        // A token that does not exist was revoked before: the button was pressed twice, or in two tabs.
        Ok(()) | Err(Error::NotFound(_)) => {
            let path = format!("{PROFILE_DEVELOPER}?done=revoked");
            see_notice(&state.sessions, &path)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the page. `request` has the values of the form for a new token, which are empty before it was sent.
fn show(
    state: &AccountState,
    request: &SignedInForm,
    mut tokens: Vec<ProfileToken>,
    outcome: &TokenOutcome,
) -> Response {
    let SignedInForm {
        visitor,
        owner,
        form,
    } = request;
    let now = state.accounts.clock.now_s();
    tokens.retain(|token| token.is_live(&owner.account, now));
    let csrf = state.sessions.csrf(visitor);
    let l10n = visitor.localizer(Some(owner));
    let view = DeveloperView {
        l10n: &l10n,
        csrf: &csrf.token,
        tokens: &tokens,
        public_url: state.sessions.public_url(),
        has_proof: owner.has_fresh_proof(now),
        form,
        outcome,
    };
    let title = l10n.text(Part::Developer.message());
    let page = Part::Developer.page(&l10n, &title, owner, &view.body());
    respond_with_forms(page, csrf, outcome.errors())
}

/// Creates a token with this name and scope, and returns it in its signed form.
async fn sign_new_token(
    state: &AccountState,
    posted: &SignedInForm,
    name: String,
    scope: Option<Scope>,
) -> Result<String, Error> {
    let tokens = &state.accounts.tokens;
    // If no signing key is available, fail before the row of the token is written.
    tokens.warm().await?;
    let now = state.accounts.clock.now_ms();
    let new = NewProfileToken {
        token_id: tokens.new_id(),
        name,
        scope,
    };
    let (access, account) = (
        posted.owner.access(Action::ManageTokens),
        &posted.owner.account,
    );
    let slot = state.profile_tokens.create(&access, account, &new, now);
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
fn read_token_form(mut fields: Fields) -> Result<(String, Option<Scope>), Error> {
    let name = read_name(&mut fields);
    let scope = if fields.has("scope") {
        let scope = |text: &str| Scope::parse(text).ok_or("must be one of the listed options");
        fields.read_with("scope", scope).map(Some)
    } else {
        Some(None)
    };
    fields.finish(name.zip(scope))
}
