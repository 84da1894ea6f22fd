//! Forms: rendering, reading and validation errors.

use axum::http::StatusCode;
use maud::{Markup, Render, html};
use shared::http::WRONG_CREDENTIALS;
use shared::input::Form;
use shared::{Error, FieldErrors, Result};

use crate::language::Localizer;
use crate::layout::{self, Choice, Control, Field, YES, sentence};
use crate::passkey::PasskeyButton;

/// The reason for refusing a value that the form does not offer.
pub const NOT_LISTED: &str = "must be one of the listed options";

/// The reason why a code of a second factor is invalid.
const WRONG_CODE: &str = "is wrong or has already been used";

/// The reason why codes of an app are no longer valid.
const UNREADABLE_SECRET: &str = "cannot be checked on this server any more; enter a recovery code";

/// Returns choices with their labels, translated from message identifiers.
pub fn translate_choices<'a, const N: usize>(
    l10n: &Localizer,
    choices: [(&'a str, &str); N],
) -> Vec<Choice<'a>> {
    let choices = choices.into_iter();
    choices
        .map(|(value, id)| (value.into(), l10n.text(id)))
        .collect()
}

/// Returns the field for a new password. `label` is the identifier of the message with its label.
pub fn new_password_field(l10n: &Localizer, label: &str) -> Field<'static> {
    let field = Field::new(l10n, "password", Control::NewPassword, label);
    field.with_hint(l10n.text("form-password-hint"))
}

/// Returns the field for the password of the account.
pub fn password_field(l10n: &Localizer) -> Field<'static> {
    Field::new(
        l10n,
        "password",
        Control::CurrentPassword,
        "account-password",
    )
}

/// Reads fields that must not be empty.
///
/// # Errors
/// [`Error::Invalid`] that names each empty field.
pub fn read_required<'f, const N: usize>(
    form: &'f Form,
    names: [&'static str; N],
) -> Result<[&'f str; N]> {
    let empty = names.into_iter().filter(|name| form.value(name).is_empty());
    let field_errors: FieldErrors = empty.map(|name| (name, "is required".to_owned())).collect();
    if field_errors.is_empty() {
        Ok(names.map(|name| form.value(name)))
    } else {
        Err(Error::Invalid(field_errors))
    }
}

/// The errors of a form that the user can correct, or the time to wait if a limit of attempts was reached.
#[derive(Debug)]
pub struct FormErrors {
    status: StatusCode,
    field_errors: FieldErrors,
    /// A sentence about an error that belongs to no field.
    sentence: Option<&'static str>,
    retry_after: Option<u64>,
}

impl FormErrors {
    /// Converts an error that the user can correct or wait for.
    ///
    /// # Errors
    /// Any other error, unchanged.
    pub fn of(error: Error) -> Result<Self> {
        let errors = |status, field_errors| Self {
            status,
            field_errors,
            sentence: None,
            retry_after: None,
        };
        Ok(match error {
            Error::Invalid(field_errors) => errors(StatusCode::BAD_REQUEST, field_errors),
            Error::Conflict(field_errors) => errors(StatusCode::CONFLICT, field_errors),
            Error::WrongCredentials => Self {
                sentence: Some(WRONG_CREDENTIALS),
                ..errors(StatusCode::UNAUTHORIZED, FieldErrors::new())
            },
            Error::WrongCode {
                needs_recovery_code,
                ..
            } => {
                let reason = if needs_recovery_code {
                    UNREADABLE_SECRET
                } else {
                    WRONG_CODE
                };
                let reason = FieldErrors::from([("code", reason.to_owned())]);
                errors(StatusCode::UNAUTHORIZED, reason)
            }
            Error::TooManyRequests(seconds) => Self {
                retry_after: Some(seconds),
                ..errors(StatusCode::TOO_MANY_REQUESTS, FieldErrors::new())
            },
            error => return Err(error),
        })
    }

    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the seconds to wait before the next attempt, if the limit of attempts was reached.
    pub fn retry_after(&self) -> Option<u64> {
        self.retry_after
    }

    /// Returns the reason why the value of a field is invalid.
    pub fn reason(&self, name: &str) -> Option<&str> {
        self.field_errors.get(name).map(String::as_str)
    }

    /// Renders the summary above the form, with a link to each invalid field. It takes the focus when the page opens.
    pub fn summary(&self, l10n: &Localizer, fields: &[Field<'_>]) -> Markup {
        let too_many = self.retry_after.map(|seconds| {
            l10n.format(
                "form-too-many-attempts",
                [("wait", l10n.waiting_time(seconds).into())],
            )
        });
        let general = too_many.or_else(|| Some(l10n.translate(self.sentence?)));
        let in_order = fields.iter().filter_map(|field| {
            let reason = self.field_errors.get(field.name)?;
            Some((field.name, field.sentence(l10n, reason)))
        });
        let has_field = |name: &str| fields.iter().any(|field| field.name == name);
        let others = self
            .field_errors
            .iter()
            .filter(|(name, _)| !has_field(name));
        html! {
            div.faults role="alert" tabindex="-1" autofocus {
                ul {
                    @if let Some(sentence) = &general {
                        li { (sentence) }
                    }
                    @for (name, sentence) in in_order {
                        li { a href={ "#" (name) } { (sentence) } }
                    }
                    @for (name, reason) in others {
                        li { (sentence(l10n, &subject_without_field(l10n, name), reason)) }
                    }
                }
            }
        }
    }
}

/// Returns the subject of a sentence about a value that has no visible field.
fn subject_without_field(l10n: &Localizer, name: &str) -> String {
    match name {
        "invitation" => l10n.text("form-invitation"),
        "passkey" => l10n.text("form-passkey"),
        "provider" => l10n.text("provider-heading"),
        "token" => l10n.text("form-link"),
        name => name.to_owned(),
    }
}

/// A form of a page: its errors, its fields and its button.
pub struct PostForm<'a> {
    /// The language of the page.
    pub l10n: &'a Localizer,
    /// The path that the form is sent to.
    pub action: &'a str,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The names and values of the hidden fields.
    pub hidden: Vec<(&'a str, &'a str)>,
    /// The visible fields.
    pub fields: &'a [Field<'a>],
    /// The errors of the values that were sent.
    pub errors: Option<&'a FormErrors>,
    /// The label of the button; empty if the form has only a button for passkeys.
    pub button: String,
    /// The label and the name of a second button. If it is pressed, the form that is sent contains this name.
    pub other_button: Option<(&'a str, &'a str)>,
    /// A button for passkeys.
    pub passkey: Option<PasskeyButton<'a>>,
    /// True if the button deletes or revokes something.
    pub danger: bool,
    /// True if the form is sent as `multipart/form-data` even without a field for a file.
    pub is_multipart: bool,
}

impl<'a> PostForm<'a> {
    /// Returns a form without an action, fields and errors.
    pub fn new(l10n: &'a Localizer) -> Self {
        Self {
            l10n,
            action: "",
            csrf: "",
            hidden: Vec::new(),
            fields: &[],
            errors: None,
            button: String::new(),
            other_button: None,
            passkey: None,
            danger: false,
            is_multipart: false,
        }
    }
}

impl Render for PostForm<'_> {
    fn render(&self) -> Markup {
        let reason = |name| self.errors.and_then(|errors| errors.reason(name));
        let has_file = self
            .fields
            .iter()
            .any(|field| matches!(field.control, Control::File));
        let button = html! { button.danger[self.danger] type="submit" { (self.button) } };
        let encoding = (has_file || self.is_multipart).then_some("multipart/form-data");
        html! {
            // With `novalidate`, missing values are reported by the server and not by the browser, like all other
            // errors.
            form method="post" action=(self.action) enctype=[encoding] novalidate {
                @if let Some(errors) = self.errors { (errors.summary(self.l10n, self.fields)) }
                (layout::csrf_field(self.csrf))
                @for (name, value) in &self.hidden {
                    input type="hidden" name=(name) value=(value);
                }
                @for field in self.fields {
                    (layout::field(self.l10n, field, reason(field.name)))
                }
                @if let Some((label, name)) = self.other_button {
                    div.actions {
                        (button)
                        button.secondary type="submit" name=(name) value=(YES) { (label) }
                    }
                } @else if let Some(passkey) = &self.passkey {
                    div.actions {
                        @if !self.button.is_empty() { (button) }
                        (passkey.markup(self.l10n))
                    }
                } @else {
                    (button)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::language::Localizer;
    use crate::layout::{Control, Field};
    use axum::http::StatusCode;
    use maud::Render;
    use shared::Error;

    use super::{FormErrors, PostForm};

    fn form(errors: Option<&FormErrors>) -> String {
        let l10n = Localizer::default();
        let name = Field {
            name: "name",
            label: "Name".to_owned(),
            control: Control::TextLine,
            value: "<b>\"",
            hint: String::new(),
        };
        let form = PostForm {
            action: "/there",
            csrf: "token",
            fields: &[name],
            errors,
            button: "Go".to_owned(),
            ..PostForm::new(&l10n)
        };
        form.render().into_string()
    }

    #[test]
    fn error_appears_at_the_top_and_beside_its_field() {
        let errors = FormErrors::of(Error::invalid("name", "is <i>taken</i>")).unwrap();
        assert_eq!(errors.status(), StatusCode::BAD_REQUEST);
        let html = form(Some(&errors));
        let sentence = "Name is &lt;i&gt;taken&lt;/i&gt;.";
        assert!(
            html.contains(&format!("<a href=\"#name\">{sentence}</a>")),
            "{html}"
        );
        assert!(
            html.contains(&format!("id=\"name-fault\">{sentence}</p>")),
            "{html}"
        );
        assert!(
            html.contains("aria-describedby=\"name-fault\" aria-invalid=\"true\""),
            "{html}"
        );
        assert!(html.contains("value=\"&lt;b&gt;&quot;\""), "{html}");
        assert!(!form(None).contains("aria-invalid"));
    }

    #[test]
    fn too_many_attempts_say_how_long_to_wait() {
        let errors = FormErrors::of(Error::TooManyRequests(61)).unwrap();
        assert_eq!(errors.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(errors.retry_after(), Some(61));
        let html = form(Some(&errors));
        assert!(
            html.contains("Too many attempts. Try again in 2 minutes."),
            "{html}"
        );
    }

    #[test]
    fn error_without_a_field_appears_at_the_top() {
        let errors = FormErrors::of(Error::invalid("token", "has expired")).unwrap();
        let html = form(Some(&errors));
        assert!(html.contains("<li>The link has expired.</li>"), "{html}");
    }

    #[test]
    fn other_errors_are_not_form_errors() {
        assert!(FormErrors::of(Error::InvalidToken).is_err());
    }
}
