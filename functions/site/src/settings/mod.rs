//! The page `/settings`: the titles and the scale of scores that a visitor wants to read. Those of a signed-in user are
//! stored in the account, with the time zone of the user's days, and those of other visitors in a cookie.

mod view;

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::error::PageError;
use pages::form::{FormErrors, SentForm};
use pages::layout::Page;
use pages::paths::SETTINGS;
use pages::response::{confirmation_message, respond_with_forms, see_notice, with_cookie};
use pages::sessions::Visitor;
use shared::auth::Action;
use shared::input::Form;
use shared::models::{DisplaySettings, ScoreScale, TimeZone, TitleLanguage};
use shared::{Error, FieldErrors};
use store::UserChange;

use self::view::DisplayView;
use crate::state::AccountState;

/// The messages of confirmations, by the value of the parameter `done`.
const DONE: [(&str, &str); 1] = [("saved", "display-done")];

/// `GET /settings`
pub(crate) async fn page(
    State(state): State<Arc<AccountState>>,
    visitor: Visitor,
    uri: Uri,
) -> Result<Response, PageError> {
    let signed_in = state.sessions.find(&visitor).await?;
    let done = confirmation_message(&uri, &DONE);
    Ok(show(&state, &visitor, signed_in.as_ref(), done, None))
}

/// `POST /settings`
pub(crate) async fn save(
    State(state): State<Arc<AccountState>>,
    SentForm { visitor, form }: SentForm,
) -> Result<Response, PageError> {
    let signed_in = state.sessions.find(&visitor).await?;
    let (display, time_zone) = match read_settings(&form) {
        Ok(settings) => settings,
        Err(error) => {
            let errors = FormErrors::of(error)?;
            return Ok(show(
                &state,
                &visitor,
                signed_in.as_ref(),
                None,
                Some(&errors),
            ));
        }
    };
    let response = see_notice(&state.sessions, &format!("{SETTINGS}?done=saved"))?;
    let Some(owner) = signed_in else {
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
fn read_settings(form: &Form) -> Result<(DisplaySettings, Option<TimeZone>), Error> {
    let titles = TitleLanguage::of_name(form.value("titles"));
    let scores = ScoreScale::of_name(form.value("scores"));
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
    let reason = |(name, _)| (name, "must be one of the listed options".to_owned());
    Err(Error::Invalid(unknown.map(reason).collect::<FieldErrors>()))
}

fn show(
    state: &AccountState,
    visitor: &Visitor,
    signed_in: Option<&SignedInUser>,
    done: Option<&str>,
    errors: Option<&FormErrors>,
) -> Response {
    let l10n = visitor.localizer(signed_in);
    let csrf = state.sessions.csrf(visitor);
    let view = DisplayView {
        l10n: &l10n,
        account_zone: signed_in.map(|user| user.account.time_zone()),
        browser_zone: visitor.time_zone(),
        csrf: &csrf.token,
        done,
        errors,
    };
    let title = l10n.text("display-title");
    let page = Page {
        current_path: SETTINGS,
        visitor: signed_in.map(SignedInUser::username),
        ..Page::new(&l10n, &title, view.body())
    };
    respond_with_forms(page, csrf, errors)
}
