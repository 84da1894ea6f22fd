//! Rendering of the page `/profile`.

use accounts::users::Account;
use axum::response::Response;
use maud::{Markup, html};
use pages::form::{PostForm, translate_choices};
use pages::form_page::{FormPage, PageForms};
use pages::icon::Icon;
use pages::layout::{Control, Field};
use pages::paths::{
    ADMINISTRATION, MODERATION, PROFILE, PROFILE_DELETE, PROFILE_EMAIL, PROFILE_PICTURE,
    PROFILE_PICTURE_REMOVE, PROFILE_SECURITY, PROFILE_SETTINGS, PROFILE_VERIFICATION, PROVE,
    SETTINGS, SIGN_OUT, picture_path,
};
use pages::profile_part::{ProfilePart, section};
use pages::return_path::with_next;
use shared::models::{Language, Role, primary_subtag};

/// The field with the file of the picture.
pub(super) const FILE: &str = "file";

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

/// Returns the page.
pub(super) fn show(page: &FormPage) -> Response {
    let view = AccountView {
        forms: &page.forms,
        account: &page.owner.account,
        has_proof: page.has_fresh_proof(),
    };
    let title = view.forms.l10n.text("settings-heading");
    page.respond(ProfilePart::Account.page(page, &title, &view.body()))
}

/// The data of the page.
struct AccountView<'a> {
    forms: &'a PageForms,
    account: &'a Account,
    /// True if the user may change the e-mail address: the proof is fresh.
    has_proof: bool,
}

impl AccountView<'_> {
    fn body(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            (self.forms.notice())
            p.soft { (l10n.format("profile-signed-in", [("name", self.account.user.username.as_str().into())])) }
            @if self.account.user.role >= Role::Moderator {
                p { a.row href=(MODERATION) { (Icon::Shield) (l10n.text("moderation-title")) } }
            }
            @if self.account.user.role == Role::Administrator {
                p { a.row href=(ADMINISTRATION) { (Icon::Lock) (l10n.text("administration-title")) } }
            }
            (section(l10n, "picture", "picture-heading", &self.picture()))
            (section(l10n, "address", "account-email", &self.email()))
            (section(l10n, "settings", "profile-about", &self.settings()))
            (section(l10n, "sign-out", "profile-sign-out", &self.sign_out()))
            (section(l10n, "delete", "profile-delete", &self.delete()))
        }
    }

    /// Renders the picture, and the forms that replace and remove it.
    fn picture(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let name = self.account.user.username.as_str();
        let file = Field::new(l10n, FILE, Control::File, "picture-file")
            .with_hint(l10n.text("picture-hint"));
        html! {
            div.person {
                @if let Some(picture) = &self.account.picture {
                    img.av src=(picture_path(name, picture)) alt="" width="104" height="104";
                } @else {
                    span.av aria-hidden="true" { (name.chars().take(1).collect::<String>()) }
                }
            }
            (PostForm {
                fields: &[file],
                ..self.forms.post(PROFILE_PICTURE, "picture-button")
            })
            @if self.account.picture.is_some() {
                (PostForm {
                    danger: true,
                    ..self.forms.post(PROFILE_PICTURE_REMOVE, "picture-remove")
                })
            }
        }
    }

    fn email(&self) -> Markup {
        let l10n = &self.forms.l10n;
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
                (self.forms.post(PROFILE_VERIFICATION, "email-button"))
            }
            (self.new_email())
        }
    }

    /// Renders the form for another e-mail address, or the link to a proof that opens the form.
    fn new_email(&self) -> Markup {
        let l10n = &self.forms.l10n;
        if !self.has_proof {
            let prove = with_next(PROVE, Some(PROFILE));
            return html! { p { a.row href=(prove) { (l10n.text("email-change")) } } };
        }
        let email = Field::new(l10n, "email", Control::Email, "email-new")
            .with_hint(l10n.text("email-new-hint"))
            .with_value(self.forms.value(PROFILE_EMAIL, "email", ""));
        let form = PostForm {
            fields: &[email],
            ..self.forms.post(PROFILE_EMAIL, "email-change-button")
        };
        html! {
            details open[form.errors.is_some()] {
                summary { (l10n.text("email-change")) }
                (form)
            }
        }
    }

    fn settings(&self) -> Markup {
        let l10n = &self.forms.l10n;
        let genders = translate_choices(l10n, GENDERS);
        let gender = u8::from(self.account.user.gender).to_string();
        let stored = &self.account.localization;
        let localization = self.forms.value(PROFILE_SETTINGS, "localization", stored);
        let other = other_language(localization);
        let other = other.as_deref().map(|name| (localization, name));
        let languages = LANGUAGES.into_iter().chain(other);
        let languages = languages.map(|(code, name)| (code.into(), name.to_owned()));
        let languages = Control::Select(languages.collect());
        let fields = [
            Field::new(l10n, "localization", languages, "settings-language")
                .with_hint(l10n.text("settings-language-hint"))
                .with_value(localization),
            Field::new(l10n, "gender", Control::Select(genders), "settings-gender")
                .with_value(self.forms.value(PROFILE_SETTINGS, "gender", &gender)),
        ];
        html! {
            (PostForm {
                fields: &fields,
                ..self.forms.post(PROFILE_SETTINGS, "settings-button")
            })
            p { a.row href=(SETTINGS) { (l10n.text("display-link")) } }
        }
    }

    fn sign_out(&self) -> Markup {
        let l10n = &self.forms.l10n;
        html! {
            (self.forms.post(SIGN_OUT, "profile-sign-out"))
            p { a.row href={ (PROFILE_SECURITY) "#sessions" } { (l10n.text("profile-sessions-link")) } }
        }
    }

    fn delete(&self) -> Markup {
        html! {
            p { (self.forms.l10n.text("profile-delete-explanation")) }
            p { a.button.danger href=(PROFILE_DELETE) { (self.forms.l10n.text("profile-delete-button")) } }
        }
    }
}

/// Returns the name of a language that is not in [`LANGUAGES`], such as `Português (pt-BR)`. The API accepts every
/// locale code, and a stored code must stay unchanged when the form is saved.
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
