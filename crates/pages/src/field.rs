//! The fields of forms, each with its label, its hint and its error.

use std::borrow::Cow;

use maud::{Markup, html};

use crate::language::Localizer;

/// A field of a form.
#[derive(Debug)]
pub struct Field<'a> {
    /// The name in the form, also its `id` in the page.
    pub name: &'static str,
    /// The label, with which the sentence about an error of the field begins.
    pub label: String,
    /// The kind of control.
    pub control: Control<'a>,
    /// The initial value.
    pub value: &'a str,
    /// A hint below the label. May be empty.
    pub hint: String,
}

/// A value to choose, and its label.
pub type Choice<'a> = (Cow<'a, str>, String);

/// The control of a field.
#[derive(Clone, Debug)]
pub enum Control<'a> {
    /// A line for a username.
    Username,
    /// A line for the username or e-mail address of a user who signs in. Browsers can offer passkeys in it.
    SignInName,
    /// A line for an e-mail address.
    Email,
    /// A line for the current password.
    CurrentPassword,
    /// A line for a new password.
    NewPassword,
    /// A line of natural language.
    TextLine,
    /// A line that is not natural language, such as a token. Browsers do not check its spelling or capitalize it.
    CodeLine,
    /// A line of digits.
    Digits,
    /// A line for a code of a second factor.
    OneTimeCode,
    /// Several lines that are not natural language.
    CodeLines,
    /// A line that may stay empty and is not natural language. Holds the `inputmode`.
    OptionalLine(&'static str),
    /// Several lines of natural language.
    TextLines {
        /// False if they may stay empty.
        is_required: bool,
    },
    /// A choice from a list of values and labels. It may stay empty if a value is empty.
    Select(Vec<Choice<'a>>),
    /// Radio buttons of values and labels.
    Radio(Vec<Choice<'a>>),
    /// A checkbox, checked if the value is [`YES`].
    Checkbox,
    /// A file. The form is then sent as `multipart/form-data`.
    File,
}

/// The value that a form sends for a checked [`Control::Checkbox`] and for a pressed second submit button.
pub const YES: &str = "yes";

impl<'a> Field<'a> {
    /// Returns an empty field without a hint. `label` is the identifier of the message with its label.
    pub fn new(l10n: &Localizer, name: &'static str, control: Control<'a>, label: &str) -> Self {
        Self {
            name,
            label: l10n.text(label),
            control,
            value: "",
            hint: String::new(),
        }
    }

    /// Returns the field with this hint.
    #[must_use]
    pub fn with_hint(self, hint: String) -> Self {
        Self { hint, ..self }
    }

    /// Returns the field with this value.
    #[must_use]
    pub fn with_value(self, value: &'a str) -> Self {
        Self { value, ..self }
    }

    /// Returns the sentence that states `reason`, an error of the API, about the field.
    pub fn sentence(&self, l10n: &Localizer, reason: &str) -> String {
        sentence(l10n, &self.label, reason)
    }
}

/// Returns the sentence that states `reason`, an error of the API, about `subject`. A reason that ends with a period is
/// already a sentence and gets no subject.
pub fn sentence(l10n: &Localizer, subject: &str, reason: &str) -> String {
    let translated = l10n.translate(reason);
    if reason.ends_with('.') {
        return translated;
    }
    let variables = [("subject", subject.into()), ("reason", translated.into())];
    l10n.format("form-fault", variables)
}

/// Renders a field with its label, its hint and its error.
pub fn field(l10n: &Localizer, field: &Field<'_>, reason: Option<&str>) -> Markup {
    let notes = FieldNotes::of(l10n, field, reason);
    match &field.control {
        Control::Radio(choices) => radio_buttons(field, &notes, choices),
        Control::Checkbox => checkbox(field, &notes),
        _ => html! {
            div.field {
                label for=(field.name) { (field.label) }
                (notes.markup)
                (control_element(field, &notes))
            }
        },
    }
}

/// The hint and error beside a control, and the ARIA attributes that refer to them.
struct FieldNotes {
    markup: Markup,
    described_by: Option<String>,
    aria_invalid: Option<&'static str>,
}

impl FieldNotes {
    fn of(l10n: &Localizer, field: &Field<'_>, reason: Option<&str>) -> Self {
        let hint = (!field.hint.is_empty()).then(|| format!("{}-hint", field.name));
        let fault = reason.map(|_| format!("{}-fault", field.name));
        let markup = html! {
            @if let Some(id) = &hint {
                p.hint id=(id) { (field.hint) }
            }
            @if let (Some(id), Some(reason)) = (&fault, reason) {
                p.fault id=(id) { (field.sentence(l10n, reason)) }
            }
        };
        let aria_invalid = reason.map(|_| "true");
        let ids: Vec<String> = [hint, fault].into_iter().flatten().collect();
        Self {
            markup,
            described_by: (!ids.is_empty()).then(|| ids.join(" ")),
            aria_invalid,
        }
    }
}

fn radio_buttons(field: &Field<'_>, notes: &FieldNotes, choices: &[Choice<'_>]) -> Markup {
    html! {
        fieldset role="radiogroup" aria-describedby=[&notes.described_by] aria-invalid=[notes.aria_invalid] {
            legend { (field.label) }
            (notes.markup)
            @for (number, (value, text)) in choices.iter().enumerate() {
                label.choice {
                    // The first button has the id, so that a link from the error summary leads to it.
                    input type="radio" id=[(number == 0).then_some(field.name)] name=(field.name)
                        value=(value) required checked[value == field.value];
                    span { (text) }
                }
            }
        }
    }
}

fn checkbox(field: &Field<'_>, notes: &FieldNotes) -> Markup {
    html! {
        div.field {
            label.choice {
                input type="checkbox" id=(field.name) name=(field.name) value=(YES)
                    checked[field.value == YES]
                    aria-describedby=[&notes.described_by] aria-invalid=[notes.aria_invalid];
                span { (field.label) }
            }
            (notes.markup)
        }
    }
}

fn control_element(field: &Field<'_>, notes: &FieldNotes) -> Markup {
    let (name, described_by) = (field.name, &notes.described_by);
    match &field.control {
        Control::Select(choices) => html! {
            select id=(name) name=(name) required[choices.iter().all(|(value, _)| !value.is_empty())]
                aria-describedby=[described_by] aria-invalid=[notes.aria_invalid] {
                @for (value, text) in choices {
                    // An option without the attribute has its text as value, which halves the list of time zones.
                    option value=[(value != text).then_some(value)] selected[value == field.value] { (text) }
                }
            }
        },
        Control::CodeLines => html! {
            textarea id=(name) name=(name) rows="4" required autocomplete="off" autocapitalize="none"
                spellcheck="false" aria-describedby=[described_by] aria-invalid=[notes.aria_invalid] {
                (field.value)
            }
        },
        Control::TextLines { is_required } => html! {
            textarea id=(name) name=(name) rows="4" dir="auto" autocomplete="off" required[*is_required]
                aria-describedby=[described_by] aria-invalid=[notes.aria_invalid] {
                // Browsers drop a line break at the start of a `textarea`. This line break is dropped instead of a line
                // break at the start of the value.
                "\n" (field.value)
            }
        },
        Control::File => html! {
            input type="file" id=(name) name=(name) required
                aria-describedby=[described_by] aria-invalid=[notes.aria_invalid];
        },
        control => {
            let (kind, autocomplete, inputmode) = line_attributes(control);
            let is_code = !matches!(control, Control::TextLine);
            let is_required = !matches!(control, Control::OptionalLine(_));
            html! {
                input type=(kind) id=(name) name=(name) value=(field.value) required[is_required]
                    autocomplete=(autocomplete) inputmode=[inputmode]
                    autocapitalize=[is_code.then_some("none")] spellcheck=[is_code.then_some("false")]
                    aria-describedby=[described_by] aria-invalid=[notes.aria_invalid];
            }
        }
    }
}

/// Returns the attributes `type`, `autocomplete` and `inputmode` of a control with one line.
const fn line_attributes(
    control: &Control<'_>,
) -> (&'static str, &'static str, Option<&'static str>) {
    match control {
        Control::Username => ("text", "username", None),
        Control::SignInName => ("text", "username webauthn", None),
        Control::Email => ("email", "email", Some("email")),
        Control::CurrentPassword => ("password", "current-password", None),
        Control::NewPassword => ("password", "new-password", None),
        Control::OneTimeCode => ("text", "one-time-code", Some("numeric")),
        Control::Digits => ("text", "off", Some("numeric")),
        Control::OptionalLine(mode) => ("text", "off", Some(*mode)),
        _ => ("text", "off", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_refers_to_its_hint_and_error() {
        let l10n = Localizer::default();
        let choices = || {
            [("a", "One"), ("b", "Other")]
                .map(|(value, label)| (value.into(), label.to_owned()))
                .to_vec()
        };
        let of = |control| Field {
            name: "kind",
            label: "Kind".to_owned(),
            control,
            value: "b",
            hint: "Either.".to_owned(),
        };
        let controls = [
            Control::TextLine,
            Control::CodeLines,
            Control::OptionalLine("numeric"),
            Control::TextLines { is_required: true },
            Control::Select(choices()),
            Control::Radio(choices()),
            Control::Checkbox,
            Control::File,
        ];
        for control in controls {
            let html = field(&l10n, &of(control), Some("is required")).into_string();
            let described = "aria-describedby=\"kind-hint kind-fault\" aria-invalid=\"true\"";
            assert!(html.contains(described), "{html}");
            assert!(html.contains("id=\"kind-hint\">Either.</p>"), "{html}");
            assert!(
                html.contains("id=\"kind-fault\">Kind is required.</p>"),
                "{html}"
            );
            assert_eq!(html.matches("id=\"kind\"").count(), 1, "{html}");
        }
        let html = field(&l10n, &of(Control::Radio(choices())), None).into_string();
        assert!(html.contains("value=\"b\" required checked>"), "{html}");
        let html = field(&l10n, &of(Control::Checkbox), None).into_string();
        assert!(!html.contains("checked"), "{html}");
    }

    #[test]
    fn passwords_are_filled_in_by_the_browser() {
        let html = |control| {
            let l10n = Localizer::default();
            let password = Field::new(&l10n, "password", control, "account-password");
            field(&l10n, &password, None).into_string()
        };
        let known = html(Control::CurrentPassword);
        assert!(known.contains("type=\"password\""), "{known}");
        assert!(
            known.contains("autocomplete=\"current-password\""),
            "{known}"
        );
        assert!(html(Control::NewPassword).contains("autocomplete=\"new-password\""));
    }
}
