//! The part of the profile about privacy: the visibility of the user's list and statistics.

use std::sync::Arc;

use accounts::users::UserChange;
use axum::extract::State;
use axum::response::Response;
use maud::html;
use pages::error::PageResult;
use pages::form::{NOT_LISTED, PostForm, translate_choices};
use pages::form_page::FormPage;
use pages::layout::{Control, Field};
use pages::paths::PROFILE_PRIVACY;
use pages::profile_part::{ProfilePart, section};
use shared::Result;
use shared::auth::Action;
use shared::input::Fields;

use super::visibility::Visibility;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("settings", "profile-done-settings")];

/// `GET /profile/privacy`
pub(crate) fn page(page: FormPage) -> Response {
    show(&page.with_confirmation(&DONE))
}

/// `POST /profile/privacy`
pub(crate) async fn save(State(state): State<Arc<AccountState>>, page: FormPage) -> PageResult {
    let save = async {
        let change = read_visibility(page.forms.sent.fields())?;
        let access = page.owner.access(Action::UpdateUser);
        state.accounts.users.update_own(&access, &change).await
    };
    match save.await {
        Ok(_) => page.redirect_with(PROFILE_PRIVACY, "settings"),
        Err(error) => Ok(show(&page.with_errors(error)?)),
    }
}

fn read_visibility(mut fields: Fields) -> Result<UserChange> {
    let visibility = fields.read_with("visibility", |answer| {
        Visibility::from_form(answer).ok_or(NOT_LISTED)
    });
    let visibility = fields.finish(visibility)?;
    Ok(UserChange {
        public_profile: Some(visibility.is_public()),
        indexable_profile: Some(visibility.is_indexable()),
        ..UserChange::default()
    })
}

fn show(page: &FormPage) -> Response {
    let l10n = &page.forms.l10n;
    let stored = Visibility::of(&page.owner.account);
    let choices = Visibility::ALL.map(|one| (one.form_value(), one.message()));
    let choices = Control::Radio(translate_choices(l10n, choices));
    let field = Field::new(l10n, "visibility", choices, "settings-visibility")
        .with_hint(l10n.text("settings-visibility-hint"))
        .with_value(stored.form_value());
    let form = html! {
        (PostForm {
            fields: &[field],
            ..page.forms.post(PROFILE_PRIVACY, "settings-button")
        })
        @if stored.is_public() {
            p { a.row href={ "/user/" (page.owner.username()) } { (l10n.text("settings-public-profile")) } }
        }
    };
    let body = html! {
        (page.forms.notice())
        (section(l10n, "public-profile", "profile-public", &form))
    };
    let title = l10n.text(ProfilePart::Privacy.message());
    page.respond(ProfilePart::Privacy.page(page, &title, &body))
}
