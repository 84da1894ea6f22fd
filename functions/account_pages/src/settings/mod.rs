//! The page `/settings`: the language of titles and the scale of scores that a visitor chooses. For a signed-in user,
//! they are stored in the account, with the time zone of the user's days; for other visitors, in a cookie.

mod view;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use accounts::users::UserChange;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageResult;
use pages::form::NOT_LISTED;
use pages::form_page::FormPage;
use pages::layout::Page;
use pages::paths::SETTINGS;
use pages::response::with_cookie;
use pages::sessions::Visitor;
use shared::auth::Action;
use shared::input::Form;
use shared::models::{DisplaySettings, ScoreScale, TimeZone, TitleLanguage};
use shared::{Error, FieldErrors, Result};

use self::view::DisplayView;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("saved", "display-done")];

/// `GET /settings`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> PageResult {
    let signed_in = state.sessions.find(&visitor).await?;
    let page = FormPage::new(&state.sessions, visitor, signed_in, uri);
    Ok(show(&page.with_confirmation(&DONE)))
}

/// `POST /settings`
pub(crate) async fn save(
    State(state): State<Arc<AccountState>>,
    page: FormPage<Option<SignedInUser>>,
) -> PageResult {
    let (display, time_zone) = match read_settings(&page.forms.sent) {
        Ok(settings) => settings,
        Err(error) => return Ok(show(&page.with_errors(error)?)),
    };
    let response = page.redirect_with(SETTINGS, "saved")?;
    let Some(owner) = page.owner else {
        return Ok(with_cookie(
            response,
            &state.sessions.display_cookie(display),
        ));
    };
    let change = UserChange {
        display: Some(display),
        time_zone,
        ..UserChange::default()
    };
    let access = owner.access(Action::UpdateUser);
    state.accounts.users.update_own(&access, &change).await?;
    Ok(response)
}

/// Reads the settings. Only the form of a user with an account has a time zone.
fn read_settings(form: &Form) -> Result<(DisplaySettings, Option<TimeZone>)> {
    let titles = TitleLanguage::from_name(form.value("titles"));
    let scores = ScoreScale::from_name(form.value("scores"));
    let time_zone = Some(form.value("time_zone")).filter(|name| !name.is_empty());
    let time_zone = time_zone.map(TimeZone::new).transpose();
    if let (Some(titles), Some(scores), Ok(time_zone)) = (titles, scores, time_zone) {
        return Ok((DisplaySettings { titles, scores }, time_zone));
    }
    let unknown = [
        ("titles", titles.is_none()),
        ("scores", scores.is_none()),
        ("time_zone", time_zone.is_err()),
    ];
    let unknown = unknown.into_iter().filter(|(_, is_unknown)| *is_unknown);
    let reason = |(name, _)| (name, NOT_LISTED.to_owned());
    Err(Error::Invalid(unknown.map(reason).collect::<FieldErrors>()))
}

fn show(page: &FormPage<Option<SignedInUser>>) -> Response {
    let signed_in = page.owner.as_ref();
    let view = DisplayView {
        forms: &page.forms,
        account_zone: signed_in.map(|user| user.account.time_zone()),
        browser_zone: page.visitor.time_zone(),
    };
    let title = page.forms.l10n.text("display-title");
    page.respond(Page {
        current_path: SETTINGS,
        ..page.page(&title, view.body())
    })
}
