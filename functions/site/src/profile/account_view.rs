//! Rendering of the page `/profile`.

use accounts::SignedInUser;
use axum::response::Response;
use maud::{Markup, html};
use pages::form::{FormErrors, PostForm, borrow_choices, translate_choices};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{Control, Field, notice};
use pages::paths::{
    ADMINISTRATION, MODERATION, PROFILE, PROFILE_DELETE, PROFILE_EMAIL, PROFILE_SECURITY,
    PROFILE_SETTINGS, PROFILE_VERIFICATION, PROVE, SETTINGS, SIGN_OUT,
};
use pages::response::respond_with_forms;
use pages::return_path::with_next;
use pages::sessions::{PageSessions, Visitor};
use shared::input::Form;
use shared::models::{Language, Role, primary_subtag};
use store::Account;

use super::part::{Part, section};

/// The genders: value in the API and message.
const GENDERS: [(&str, &str); 3] = [
    ("0", "settings-gender-unknown"),
    ("1", "settings-gender-male"),
    ("2", "settings-gender-female"),
];

/// The languages of the pages, then further common languages of titles: localization code, and the name in the language
/// itself.
const LANGUAGES: [(&str, &str); 9] = [
    ("en", "English"),
    ("fr", "Français"),
    ("it", "Italiano"),
    ("jp", "日本語"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("pt", "Português"),
    ("ko", "한국어"),
    ("zh", "中文"),
];

/// A form that was sent with errors.
pub(super) struct RefusedForm<'a> {
    /// The path that the form is sent to.
    pub action: &'static str,
    /// The values that were sent.
    pub form: &'a Form,
    /// The errors.
    pub errors: FormErrors,
}

/// Returns the page. `now` is in seconds since the Unix epoch, and `done` is the message of a confirmation.
pub(super) fn show(
    sessions: &PageSessions,
    visitor: &Visitor,
    owner: &SignedInUser,
    now: u64,
    done: Option<&str>,
    refused: Option<&RefusedForm<'_>>,
) -> Response {
    let csrf = sessions.csrf(visitor);
    let l10n = &visitor.localizer(Some(owner));
    let view = AccountView {
        l10n,
        account: &owner.account,
        has_proof: owner.has_fresh_proof(now),
        csrf: &csrf.token,
        refused,
    };
    let title = l10n.format("profile-title", [("name", owner.username().into())]);
    let body = html! {
        @if let Some(done) = done { (notice(&l10n.text(done))) }
        (view.body())
    };
    let page = Part::Account.page(l10n, &title, owner, &body);
    respond_with_forms(page, csrf, refused.map(|refused| &refused.errors))
}

/// The data of the page.
struct AccountView<'a> {
    l10n: &'a Localizer,
    account: &'a Account,
    /// True if the user may change the e-mail address: the proof is fresh.
    has_proof: bool,
    csrf: &'a str,
    refused: Option<&'a RefusedForm<'a>>,
}

impl AccountView<'_> {
    fn body(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            @if self.account.user.role >= Role::Moderator {
                p { a.row href=(MODERATION) { (Icon::Shield) (l10n.text("moderation-title")) } }
            }
            @if self.account.user.role == Role::Administrator {
                p { a.row href=(ADMINISTRATION) { (Icon::Lock) (l10n.text("administration-title")) } }
            }
            (section(l10n, "address", "account-email", &self.email()))
            (section(l10n, "settings", "settings-heading", &self.settings()))
            (section(l10n, "sign-out", "profile-sign-out", &self.sign_out()))
            (section(l10n, "delete", "profile-delete", &self.delete()))
        }
    }

    fn email(&self) -> Markup {
        let l10n = self.l10n;
        let is_verified = self.account.email_verified;
        let state = if is_verified {
            "email-verified"
        } else {
            "email-not-verified"
        };
        html! {
            p {
                strong { (self.account.email) } " "
                span.badge { (l10n.text(state)) }
            }
            @if !is_verified {
                p { (l10n.text("email-explanation")) }
                (PostForm {
                    action: PROFILE_VERIFICATION,
                    csrf: self.csrf,
                    errors: self.errors(PROFILE_VERIFICATION),
                    button: &l10n.text("email-button"),
                    ..PostForm::new(l10n)
                })
            }
            (self.new_email())
        }
    }

    /// Renders the form for another e-mail address, or the way to it.
    fn new_email(&self) -> Markup {
        let l10n = self.l10n;
        if !self.has_proof {
            let prove = with_next(PROVE, Some(PROFILE));
            return html! { p { a.row href=(prove) { (l10n.text("email-change")) } } };
        }
        let email = Field {
            name: "email",
            label: &l10n.text("email-new"),
            control: Control::Email,
            value: self.value(PROFILE_EMAIL, "email", ""),
            hint: &l10n.text("email-new-hint"),
        };
        let errors = self.errors(PROFILE_EMAIL);
        html! {
            details open[errors.is_some()] {
                summary { (l10n.text("email-change")) }
                (PostForm {
                    action: PROFILE_EMAIL,
                    csrf: self.csrf,
                    fields: &[email],
                    errors,
                    button: &l10n.text("email-change-button"),
                    ..PostForm::new(l10n)
                })
            }
        }
    }

    fn settings(&self) -> Markup {
        let l10n = self.l10n;
        let genders = translate_choices(l10n, GENDERS);
        let gender = u8::from(self.account.user.gender).to_string();
        let stored = &self.account.localization;
        let localization = self.value(PROFILE_SETTINGS, "localization", stored);
        let other = other_language(localization);
        let mut languages = LANGUAGES.to_vec();
        languages.extend(other.as_deref().map(|name| (localization, name)));
        let fields = [
            Field {
                name: "localization",
                label: &l10n.text("settings-language"),
                control: Control::Select(&languages),
                value: localization,
                hint: &l10n.text("settings-language-hint"),
            },
            Field {
                name: "gender",
                label: &l10n.text("settings-gender"),
                control: Control::Select(&borrow_choices(&genders)),
                value: self.value(PROFILE_SETTINGS, "gender", &gender),
                hint: "",
            },
        ];
        html! {
            (PostForm {
                action: PROFILE_SETTINGS,
                csrf: self.csrf,
                fields: &fields,
                errors: self.errors(PROFILE_SETTINGS),
                button: &l10n.text("settings-button"),
                ..PostForm::new(l10n)
            })
            p { a.row href=(SETTINGS) { (l10n.text("display-link")) } }
        }
    }

    fn sign_out(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            (PostForm {
                action: SIGN_OUT,
                csrf: self.csrf,
                button: &l10n.text("profile-sign-out"),
                ..PostForm::new(l10n)
            })
            p { a.row href={ (PROFILE_SECURITY) "#sessions" } { (l10n.text("profile-sessions-link")) } }
        }
    }

    fn delete(&self) -> Markup {
        html! {
            p { (self.l10n.text("profile-delete-explanation")) }
            p { a.button.danger href=(PROFILE_DELETE) { (self.l10n.text("profile-delete-button")) } }
        }
    }

    /// Returns the form that is sent to `action` if it has errors.
    fn refused(&self, action: &str) -> Option<&RefusedForm<'_>> {
        self.refused.filter(|refused| refused.action == action)
    }

    fn errors(&self, action: &str) -> Option<&FormErrors> {
        self.refused(action).map(|refused| &refused.errors)
    }

    /// Returns the value that was sent in a form with errors, or else the stored one.
    fn value<'v>(&'v self, action: &str, name: &str, stored: &'v str) -> &'v str {
        self.refused(action)
            .map_or(stored, |refused| refused.form.value(name))
    }
}

/// Returns the name of a language that is not in [`LANGUAGES`], such as `Português (pt-BR)`. The API takes every locale
/// code, so that a stored one must stay as it is when the form is saved.
fn other_language(code: &str) -> Option<String> {
    let name_of = |code: &str| {
        let mut known = LANGUAGES.iter().filter(|(known, _)| *known == code);
        known.next().map(|(_, name)| *name)
    };
    if code.is_empty() || name_of(code).is_some() {
        return None;
    }
    let language = match Language::of(code) {
        Some(language) => language.code(),
        None => primary_subtag(code),
    };
    Some(name_of(language).map_or_else(|| code.to_owned(), |name| format!("{name} ({code})")))
}

#[cfg(test)]
mod tests {
    use shared::models::Language;

    use super::{LANGUAGES, other_language};

    #[test]
    fn every_language_of_the_pages_is_offered() {
        let codes = LANGUAGES.map(|(code, _)| code);
        for language in Language::ALL {
            assert!(codes.contains(&language.code()), "{language:?}");
        }
    }

    #[test]
    fn other_codes_keep_their_names() {
        for (code, _) in LANGUAGES {
            assert_eq!(other_language(code), None);
        }
        for (code, name) in [
            ("pt-BR", "Português (pt-BR)"),
            ("ja", "日本語 (ja)"),
            ("en-GB", "English (en-GB)"),
            ("tlh", "tlh"),
        ] {
            assert_eq!(other_language(code).as_deref(), Some(name));
        }
        assert_eq!(other_language(""), None);
    }
}
