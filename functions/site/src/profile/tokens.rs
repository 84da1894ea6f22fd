//! The tokens that a user makes on the profile page.

use std::sync::Arc;

use accounts::read_name;
use axum::extract::State;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::paths::PROFILE;
use pages::response::see_other;
use shared::Error;
use shared::auth::{ACCESS_TOKEN_S, Action, Credential, DAY_S, ProfileTokenUse, Scope};
use shared::input::Fields;
use store::NewProfileToken;

use super::view::{ProfileOutcome, ProfileSection, RefusedForm, show};
use crate::state::AccountState;

/// `POST /profile/token`: returns the page with a new access token, which is shown only once.
pub(crate) async fn create_token(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let expires_at = state.accounts.clock.now_s() + ACCESS_TOKEN_S;
    let token;
    let outcome = match sign_new_token(&state, &posted).await {
        Ok(signed) => {
            token = signed;
            ProfileOutcome {
                token: Some((&token, expires_at)),
                ..ProfileOutcome::default()
            }
        }
        Err(error) => ProfileOutcome {
            refused: Some(RefusedForm {
                section: ProfileSection::Tokens,
                form: &posted.form,
                errors: FormErrors::of(error)?,
            }),
            ..ProfileOutcome::default()
        },
    };
    show(&state, &posted.visitor, &posted.owner, &outcome).await
}

/// `POST /profile/token/revoke`
pub(crate) async fn revoke_token(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = posted.owner.access(Action::ManageTokens);
    let token_id = posted.form.value("token_id");
    match state.profile_tokens.revoke(&access, token_id).await {
        // A token that does not exist was revoked before: the button was pressed twice, or in two tabs.
        Ok(()) | Err(Error::NotFound(_)) => {
            see_other(&state.sessions, &format!("{PROFILE}?done=revoked"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Creates a token from the form, and returns it in its signed form.
async fn sign_new_token(state: &AccountState, posted: &SignedInForm) -> Result<String, Error> {
    let (name, scope) = read_token_form(posted.form.fields())?;
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
