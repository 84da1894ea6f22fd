//! The page `/settings`: the language, the language of titles and the scale of scores that a visitor chooses. For a
//! signed-in user, they are stored in the account, with the time zone of the user's days; for other visitors, in a
//! cookie. The theme belongs to the browser, so it is in the cookie for everyone.

mod view;

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use accounts::users::UserChange;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use pages::browser_settings::{BrowserSettings, Theme};
use pages::error::PageResult;
use pages::form::NOT_LISTED;
use pages::form_page::FormPage;
use pages::layout::Page;
use pages::paths::SETTINGS;
use pages::response::with_cookie;
use pages::sessions::Visitor;
use shared::auth::Action;
use shared::input::Form;
use shared::models::{DisplaySettings, Language, ScoreScale, TimeZone, TitleLanguage};
use shared::{Error, FieldErrors, Result};

use self::view::{BROWSER_LANGUAGE, DisplayView};
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
    let stored = page.owner.as_ref().map(SignedInUser::localization);
    let new = match NewSettings::read(&page.forms.sent, stored) {
        Ok(new) => new,
        Err(error) => return Ok(show(&page.with_errors(error)?)),
    };
    let response = page.redirect_with(SETTINGS, "saved")?;
    let of_browser = page.visitor.settings();
    let theme = new.theme.unwrap_or(of_browser.theme);
    let Some(owner) = page.owner else {
        let language = match new.language.as_deref() {
            None => of_browser.language,
            Some(code) => Language::of(code),
        };
        let settings = BrowserSettings {
            display: new.display,
            theme,
            language,
        };
        let cookie = state.sessions.settings_cookie(settings);
        return Ok(with_cookie(response, &cookie));
    };
    let change = UserChange {
        display: Some(new.display),
        localization: new.language,
        time_zone: new.time_zone,
        ..UserChange::default()
    };
    let access = owner.access(Action::UpdateUser);
    state.accounts.users.update_own(&access, &change).await?;
    if theme == of_browser.theme {
        return Ok(response);
    }
    // The other settings of the cookie count again once the user has signed out.
    let settings = BrowserSettings {
        theme,
        ..of_browser
    };
    Ok(with_cookie(
        response,
        &state.sessions.settings_cookie(settings),
    ))
}

/// The settings in a form. Only the form of a user with an account has a time zone. The language and the theme are
/// `None` if the form lacks them, as one of an earlier version of the service does.
struct NewSettings {
    display: DisplaySettings,
    theme: Option<Theme>,
    /// The locale code, or [`BROWSER_LANGUAGE`] in the form of a visitor.
    language: Option<String>,
    time_zone: Option<TimeZone>,
}

impl NewSettings {
    /// Reads a form. `stored` is the locale code of the user's account.
    fn read(form: &Form, stored: Option<&str>) -> Result<Self> {
        let sent = |name| Some(form.value(name)).filter(|_| form.has(name));
        let titles = TitleLanguage::from_name(form.value("titles"));
        let scores = ScoreScale::from_name(form.value("scores"));
        let time_zone = Some(form.value("time_zone")).filter(|name| !name.is_empty());
        let time_zone = time_zone.map(TimeZone::new).transpose();
        let theme = sent("theme").map(|name| Theme::from_name(name).ok_or(()));
        let theme = theme.transpose();
        let other = stored.unwrap_or(BROWSER_LANGUAGE);
        let is_listed = |code: &str| {
            code == other || Language::ALL.iter().any(|language| language.code() == code)
        };
        let language = sent("language");
        let has_language = language.is_none_or(is_listed);
        if let (Some(titles), Some(scores), Ok(time_zone), Ok(theme), true) =
            (titles, scores, time_zone, theme, has_language)
        {
            return Ok(Self {
                display: DisplaySettings { titles, scores },
                theme,
                language: language.map(str::to_owned),
                time_zone,
            });
        }
        let unknown = [
            ("language", !has_language),
            ("theme", theme.is_err()),
            ("titles", titles.is_none()),
            ("scores", scores.is_none()),
            ("time_zone", time_zone.is_err()),
        ];
        let unknown = unknown.into_iter().filter(|(_, is_unknown)| *is_unknown);
        let reason = |(name, _)| (name, NOT_LISTED.to_owned());
        Err(Error::Invalid(unknown.map(reason).collect::<FieldErrors>()))
    }
}

fn show(page: &FormPage<Option<SignedInUser>>) -> Response {
    let signed_in = page.owner.as_ref();
    let settings = page.visitor.settings();
    let of_browser = settings.language.map_or(BROWSER_LANGUAGE, Language::code);
    let view = DisplayView {
        forms: &page.forms,
        language: signed_in.map_or(of_browser, SignedInUser::localization),
        theme: settings.theme,
        account_zone: signed_in.map(|user| user.account.time_zone()),
        browser_zone: page.visitor.time_zone(),
    };
    let title = page.forms.l10n.text("display-title");
    page.respond(Page {
        current_path: SETTINGS,
        ..page.page(&title, view.body())
    })
}
