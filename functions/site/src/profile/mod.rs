//! The profile page of the signed-in user, and its forms.

mod data;
mod deletion;
pub(crate) mod history;
pub(crate) mod imports;
mod report;
mod tokens;
mod tracker_view;
pub(crate) mod trackers;
mod view;
mod visibility;
pub(crate) mod waiting;

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm, read_required};
use pages::paths::{PROFILE, SIGN_IN};
use pages::response::{confirmation_message, see_other, with_cookie};
use pages::sessions::Visitor;
use shared::Error;
use shared::auth::{Action, CallerAddress};
use shared::input::Fields;
use shared::models::{Gender, LocaleCode, WireEnum};
use store::{UserChange, is_client_id};

pub(crate) use data::download_data;
pub(crate) use deletion::{delete, delete_page};
pub(crate) use tokens::{create_token, revoke_token};
use view::{ProfileOutcome, ProfileSection, RefusedForm, show};
use visibility::Visibility;

use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 9] = [
    ("verification", "profile-done-verification"),
    ("settings", "profile-done-settings"),
    ("password", "profile-done-password"),
    ("linked-a", "profile-done-linked-a"),
    ("linked-b", "profile-done-linked-b"),
    ("unlinked-a", "profile-done-unlinked-a"),
    ("unlinked-b", "profile-done-unlinked-b"),
    ("revoked", "profile-done-revoked"),
    ("disconnected", "profile-done-disconnected"),
];

/// `GET /profile`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, PROFILE).await?;
    let outcome = ProfileOutcome {
        done: confirmation_message(&uri, &DONE),
        not_linked: trackers::failure_message(&uri),
        ..ProfileOutcome::default()
    };
    show(&state, &visitor, &owner, &outcome).await
}

/// `POST /profile/verification`: sends the verification link again.
pub(crate) async fn send_verification(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let sent = state
        .mail_links
        .send_verification(&posted.owner.account)
        .await;
    if matches!(sent, Err(Error::Conflict(_))) {
        // The address has been verified in the meantime. The page shows that.
        return see_other(&state.sessions, PROFILE);
    }
    respond_to_form(&state, &posted, ProfileSection::Email, "verification", sent).await
}

/// `POST /profile/settings`
pub(crate) async fn save_settings(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let saved = async {
        let change = read_settings(posted.form.fields())?;
        let access = posted.owner.access(Action::UpdateUser);
        state
            .accounts
            .users
            .update_own(&access, &change)
            .await
            .map(|_| ())
    };
    let saved = saved.await;
    respond_to_form(&state, &posted, ProfileSection::Settings, "settings", saved).await
}

/// `POST /profile/password`
pub(crate) async fn change_password(
    State(state): State<Arc<AccountState>>,
    address: CallerAddress,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let changed = set_password(&state, &posted, address).await;
    respond_to_form(
        &state,
        &posted,
        ProfileSection::Password,
        "password",
        changed,
    )
    .await
}

/// `POST /profile/disconnect`
pub(crate) async fn disconnect(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let client_id = posted.form.value("client_id");
    if !is_client_id(client_id) {
        return Err(Error::NotFound("Application not found").into());
    }
    let access = posted.owner.access(Action::Connect);
    match state.accounts.users.disconnect(&access, client_id).await {
        // An application that is not connected is no error: the button may have been pressed twice, or in two tabs.
        Ok(()) | Err(Error::NotFound(_)) => {
            see_other(&state.sessions, &format!("{PROFILE}?done=disconnected"))
        }
        Err(error) => Err(error.into()),
    }
}

/// `POST /profile/sign-out-everywhere`
pub(crate) async fn sign_out_everywhere(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let access = posted.owner.access(Action::SignOutEverywhere);
    state.accounts.users.sign_out_everywhere(&access).await?;
    let cookie = state.sessions.end(&posted.visitor).await?;
    let response = see_other(&state.sessions, &format!("{SIGN_IN}?done=everywhere"))?;
    Ok(with_cookie(response, &cookie))
}

/// Returns the response to a form of the profile page: a redirect to the page with the confirmation `done`,
/// or the page with the form's errors.
async fn respond_to_form(
    state: &AccountState,
    posted: &SignedInForm,
    section: ProfileSection,
    done: &str,
    result: Result<(), Error>,
) -> Result<Response, PageError> {
    let Err(error) = result else {
        return see_other(&state.sessions, &format!("{PROFILE}?done={done}"));
    };
    let refused = RefusedForm {
        section,
        form: &posted.form,
        errors: FormErrors::of(error)?,
    };
    let outcome = ProfileOutcome {
        refused: Some(refused),
        ..ProfileOutcome::default()
    };
    show(state, &posted.visitor, &posted.owner, &outcome).await
}

fn read_settings(mut fields: Fields) -> Result<UserChange, Error> {
    let gender = fields.read_with("gender", |number| {
        let number = number.parse().ok().and_then(Gender::from_wire);
        number.ok_or("must be one of the listed options")
    });
    let localization = fields.read::<LocaleCode>("localization");
    // A page that was loaded before the update of the service that added this field does not send it. The visibility
    // then stays unchanged.
    let visibility = if fields.has("visibility") {
        fields.read_with("visibility", |answer| {
            let visibility = Visibility::from_form(answer).map(Some);
            visibility.ok_or("must be one of the listed options")
        })
    } else {
        Some(None)
    };
    let read = gender.zip(localization).zip(visibility);
    let ((gender, localization), visibility) = fields.finish(read)?;
    Ok(UserChange {
        gender: Some(gender),
        localization: Some(localization.into_string()),
        public_profile: visibility.map(Visibility::is_public),
        indexable_profile: visibility.map(Visibility::is_indexable),
        ..UserChange::default()
    })
}

async fn set_password(
    state: &AccountState,
    posted: &SignedInForm,
    address: CallerAddress,
) -> Result<(), Error> {
    let [current, password] = read_required(&posted.form, ["current_password", "password"])?;
    let (accounts, account) = (&state.accounts, &posted.owner.account);
    let hash = accounts
        .check_and_hash_passwords(account, Some(current), Some(password), address)
        .await?;
    let change = UserChange {
        password_hash: hash,
        ..UserChange::default()
    };
    let access = posted.owner.access(Action::ChangePassword);
    accounts
        .users
        .update_own(&access, &change)
        .await
        .map(|_| ())
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
        let visible = |answer: &str| {
            let answer =
                format!(r#"{{"gender": "2", "localization": "en", "visibility": "{answer}"}}"#);
            read_settings(fields(&answer))
        };
        for (answer, is_public, is_indexable) in [
            ("private", false, false),
            ("public", true, false),
            ("indexable", true, true),
        ] {
            let change = visible(answer).unwrap();
            let set = (change.public_profile, change.indexable_profile);
            assert_eq!(set, (Some(is_public), Some(is_indexable)), "{answer}");
        }
        assert_eq!(invalid_fields(visible("maybe")), ["visibility"]);
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
