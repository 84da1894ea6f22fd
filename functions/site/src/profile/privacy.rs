//! The part of the profile about privacy: the visibility of the user's list and statistics.

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use maud::html;
use pages::error::PageError;
use pages::form::{FormErrors, PostForm, SignedInForm, borrow_choices, translate_choices};
use pages::layout::{Control, Field, notice};
use pages::paths::PROFILE_PRIVACY;
use pages::response::{confirmation_message, respond_with_forms, see_notice};
use pages::sessions::{PageSessions, Visitor};
use shared::Error;
use shared::auth::Action;
use shared::input::Fields;
use store::UserChange;

use super::part::{Part, section};
use super::visibility::Visibility;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("settings", "profile-done-settings")];

/// `GET /profile/privacy`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let owner = state.sessions.require_user(&visitor, PROFILE_PRIVACY);
    let owner = owner.await?;
    let done = confirmation_message(&uri, &DONE);
    Ok(show(&state.sessions, &visitor, &owner, done, None))
}

/// `POST /profile/privacy`
pub(crate) async fn save(
    State(state): State<Arc<AccountState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let saved = async {
        let change = read_visibility(posted.form.fields())?;
        let access = posted.owner.access(Action::UpdateUser);
        state.accounts.users.update_own(&access, &change).await
    };
    let Err(error) = saved.await else {
        return see_notice(&state.sessions, &format!("{PROFILE_PRIVACY}?done=settings"));
    };
    let errors = FormErrors::of(error)?;
    let (visitor, owner) = (&posted.visitor, &posted.owner);
    Ok(show(&state.sessions, visitor, owner, None, Some(&errors)))
}

fn read_visibility(mut fields: Fields) -> Result<UserChange, Error> {
    let visibility = fields.read_with("visibility", |answer| {
        Visibility::from_form(answer).ok_or("must be one of the listed options")
    });
    let visibility = fields.finish(visibility)?;
    Ok(UserChange {
        public_profile: Some(visibility.is_public()),
        indexable_profile: Some(visibility.is_indexable()),
        ..UserChange::default()
    })
}

/// Returns the page. `done` is the message of a confirmation.
fn show(
    sessions: &PageSessions,
    visitor: &Visitor,
    owner: &SignedInUser,
    done: Option<&str>,
    errors: Option<&FormErrors>,
) -> Response {
    let csrf = sessions.csrf(visitor);
    let l10n = &visitor.localizer(Some(owner));
    let stored = Visibility::of(&owner.account);
    let choices = Visibility::ALL.map(|one| (one.form_value(), one.message()));
    let choices = translate_choices(l10n, choices);
    let field = Field {
        name: "visibility",
        label: &l10n.text("settings-visibility"),
        control: Control::Radio(&borrow_choices(&choices)),
        value: stored.form_value(),
        hint: &l10n.text("settings-visibility-hint"),
    };
    let form = html! {
        (PostForm {
            action: PROFILE_PRIVACY,
            csrf: &csrf.token,
            fields: &[field],
            errors,
            button: &l10n.text("settings-button"),
            ..PostForm::new(l10n)
        })
        @if stored.is_public() {
            p { a.row href={ "/user/" (owner.username()) } { (l10n.text("settings-public-profile")) } }
        }
    };
    let body = html! {
        @if let Some(done) = done { (notice(&l10n.text(done))) }
        (section(l10n, "public-profile", "profile-public", &form))
    };
    let title = l10n.text(Part::Privacy.message());
    let page = Part::Privacy.page(l10n, &title, owner, &body);
    respond_with_forms(page, csrf, errors)
}

#[cfg(test)]
mod tests {
    use shared::Error;
    use shared::input::Fields;

    use super::read_visibility;

    #[test]
    fn visibility_is_read_and_checked() {
        let read = |answer: &str| {
            let fields = format!(r#"{{"visibility": "{answer}"}}"#);
            read_visibility(Fields::parse(fields.as_bytes()).unwrap())
        };
        for (answer, is_public, is_indexable) in [
            ("private", false, false),
            ("public", true, false),
            ("indexable", true, true),
        ] {
            let change = read(answer).unwrap();
            let set = (change.public_profile, change.indexable_profile);
            assert_eq!(set, (Some(is_public), Some(is_indexable)), "{answer}");
        }
        for answer in ["maybe", ""] {
            let refused = read(answer);
            assert!(
                matches!(&refused, Err(Error::Invalid(errors)) if errors.contains_key("visibility")),
                "{answer}"
            );
        }
    }
}
