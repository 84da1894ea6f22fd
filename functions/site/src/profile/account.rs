//! The part of the profile about the account: e-mail address, language and sign-out.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::paths::{PROFILE, PROFILE_EMAIL, PROFILE_SETTINGS, PROFILE_VERIFICATION};
use pages::response::{confirmation_message, see_notice, see_other};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::{Action, CallerAddress};
use shared::input::Fields;
use shared::models::{EmailAddress, Gender, LocaleCode, WireEnum};
use store::UserChange;

use super::account_view::{RefusedForm, show};
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 3] = [
    ("email", "profile-done-email"),
    ("verification", "profile-done-verification"),
    ("settings", "profile-done-settings"),
];

/// `GET /profile`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, PROFILE).await?;
    let done = confirmation_message(&uri, &DONE);
    let now = state.accounts.clock.now_s();
    Ok(show(&state.sessions, &visitor, &owner, now, done, None))
}

/// `POST /profile/verification`: sends the verification link again.
pub(crate) async fn send_verification(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let account = &posted.owner.account;
    let sent = state.mail_links.send_verification(account).await;
    if matches!(sent, Err(Error::Conflict(_))) {
        // The address has been verified in the meantime. The page shows that.
        return see_other(&state.sessions, PROFILE);
    }
    respond(&state, &posted, PROFILE_VERIFICATION, "verification", sent)
}

/// `POST /profile/email`: changes the e-mail address.
pub(crate) async fn change_email(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let account = &posted.owner.account;
    let changed = async {
        let mut fields = posted.form.fields();
        let email = fields.read_with("email", |text| EmailAddress::new(text.trim()));
        let email = fields.finish(email)?;
        if account.email == email.as_str() {
            return Ok(());
        }
        let access = posted.owner.access(Action::ChangePassword);
        let changed = state
            .mail_links
            .change_email(&access, account, &email, address);
        changed.await
    };
    let changed = Box::pin(changed).await;
    respond(&state, &posted, PROFILE_EMAIL, "email", changed)
}

/// `POST /profile/settings`
pub(crate) async fn save_settings(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let saved = async {
        let change = read_settings(posted.form.fields())?;
        let access = posted.owner.access(Action::UpdateUser);
        state.accounts.users.update_own(&access, &change).await
    };
    let saved = saved.await.map(|_| ());
    respond(&state, &posted, PROFILE_SETTINGS, "settings", saved)
}

/// Returns the response to the form that is sent to `action`: a redirect to the page with the confirmation `done`, or
/// the page with the form's errors.
fn respond(
    state: &AccountState,
    posted: &SignedInForm,
    action: &'static str,
    done: &str,
    result: Result<(), Error>,
) -> Result<Response, PageError> {
    let Err(error) = result else {
        return see_notice(&state.sessions, &format!("{PROFILE}?done={done}"));
    };
    let refused = RefusedForm {
        action,
        form: &posted.form,
        errors: FormErrors::of(error)?,
    };
    let (visitor, owner) = (&posted.visitor, &posted.owner);
    let now = state.accounts.clock.now_s();
    let refused = Some(&refused);
    Ok(show(&state.sessions, visitor, owner, now, None, refused))
}

fn read_settings(mut fields: Fields) -> Result<UserChange, Error> {
    let gender = fields.read_with("gender", |number| {
        let number = number.parse().ok().and_then(Gender::from_wire);
        number.ok_or("must be one of the listed options")
    });
    let localization = fields.read::<LocaleCode>("localization");
    let (gender, localization) = fields.finish(gender.zip(localization))?;
    Ok(UserChange {
        gender: Some(gender),
        localization: Some(localization.into_string()),
        ..UserChange::default()
    })
}

#[cfg(test)]
mod tests {
    use shared::Error;
    use shared::input::Fields;
    use shared::models::Gender;

    use super::read_settings;

    fn fields(json: &str) -> Fields {
        Fields::parse(json.as_bytes()).unwrap()
    }

    fn invalid_fields<T>(result: Result<T, Error>) -> Vec<&'static str> {
        match result {
            Err(Error::Invalid(field_errors)) => field_errors.into_keys().collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn settings_are_read_and_checked() {
        let change = read_settings(fields(r#"{"gender": "2", "localization": "pt-BR"}"#)).unwrap();
        assert_eq!(change.gender, Some(Gender::Female));
        assert_eq!(change.localization.as_deref(), Some("pt-BR"));
        assert_eq!(
            (change.public_profile, change.indexable_profile),
            (None, None)
        );
        let both = fields(r#"{"gender": "3", "localization": "pt BR"}"#);
        assert_eq!(
            invalid_fields(read_settings(both)),
            ["gender", "localization"]
        );
        assert_eq!(
            invalid_fields(read_settings(fields("{}"))),
            ["gender", "localization"]
        );
    }
}
