//! The form that corrects one field.

use axum::http::StatusCode;
use axum::response::Response;
use catalogue::corrections::{
    CorrectableField, CorrectedFields, EmptyText, FieldKind, Refusal, field_state, parse_note,
};
use catalogue::rows::CatalogueRow;
use maud::{Markup, html};
use pages::form_page::FormPage;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::{self, Control};
use shared::{Error, Missing, Result};

use crate::correction_view::{ModeratorNames, correction_details};
use crate::labels::{choices, field_hint, field_name, field_value, refusal_sentence};
use crate::subject::CorrectionSubject;

/// A form that was sent, and the reason why it is refused.
pub(crate) struct RefusedCorrection<'a> {
    /// The reason.
    pub reason: &'a Refusal,
    /// The value in the form; `None` if the form had no value, so that the current value is shown.
    pub value: Option<&'a str>,
    /// The note in the form.
    pub note: &'a str,
}

/// Everything that the page shows.
pub(crate) struct FieldView<'a, R: CorrectionSubject> {
    /// The row.
    pub row: &'a CatalogueRow<R>,
    /// The name of the field.
    pub name: &'a str,
    /// The name of the moderator who has corrected the field.
    pub names: ModeratorNames,
    /// The form that was refused.
    pub refused: Option<&'a RefusedCorrection<'a>>,
}

/// Returns the page with the form for a field. If the field is corrected, the page names the moderator, and has the
/// button that takes the correction back.
///
/// # Errors
/// [`Error::NotFound`] if there is no such field.
pub(crate) fn page<R: CorrectionSubject>(
    page: &FormPage,
    view: &FieldView<'_, R>,
) -> Result<Response> {
    let FieldView {
        row, name, refused, ..
    } = *view;
    let field = R::find_field(name).ok_or(Error::NotFound(Missing::Field))?;
    let l10n = &page.forms.l10n;
    let (document_name, lang) = row.document.name(l10n);
    let present = row.field_value(name)?;
    let seen = field_state(row, name)?;
    let has_changed = refused.is_some_and(|refused| *refused.reason == Refusal::Changed);
    let path = R::path(row.document.id());
    let form = CorrectionForm {
        l10n,
        field,
        label: field_name(l10n, name),
        refused,
        // If another moderator has changed the field meanwhile, the current value is shown above the form. The form
        // keeps the value that this moderator has typed.
        value: match refused.and_then(|refused| refused.value) {
            Some(value) => value.to_owned(),
            None => field.format(&present),
        },
    };
    let hidden = html! {
        (layout::csrf_field(&page.forms.csrf))
        input type="hidden" name="seen" value=(seen);
    };
    let body = html! {
        p.lead { a href=(path) lang=[lang] dir="auto" { (document_name) } }
        (form.summary())
        @if has_changed {
            p { (l10n.text("correct-now")) " " bdi { (field_value(l10n, &field, &present)) } }
        }
        @if let Some(known) = row.notes.corrections().get(name) {
            ul.entries {
                li {
                    div { (correction_details(l10n, &view.names, &field, known)) }
                    form method="post" action={ (path) "/take-back?field=" (name) } {
                        (hidden)
                        button type="submit" { (Icon::Undo) (l10n.text("correct-take-back")) }
                    }
                }
            }
        }
        form method="post" action={ (path) "/correct?field=" (name) } novalidate {
            (hidden)
            (form.value_field())
            (form.note_field())
            button type="submit" { (l10n.text("correct-save")) }
        }
        p { a.row href=(path) { (l10n.text("correct-cancel")) } }
    };
    let title = l10n.format(
        "correct-title-of-form",
        [("field", form.label.as_str().into())],
    );
    let status = match refused.map(|refused| refused.reason) {
        None => StatusCode::OK,
        Some(Refusal::Value(_) | Refusal::Note(_)) => StatusCode::BAD_REQUEST,
        Some(Refusal::Changed | Refusal::TooMany | Refusal::Unpublished) => StatusCode::CONFLICT,
    };
    Ok(page.respond_with_status(page.page(&title, body), status))
}

struct CorrectionForm<'a> {
    l10n: &'a Localizer,
    field: CorrectableField,
    label: String,
    refused: Option<&'a RefusedCorrection<'a>>,
    value: String,
}

impl CorrectionForm<'_> {
    /// Returns the reasons why the form is refused, each with its field. The value is checked before the note, so a form
    /// with a wrong value can also have a wrong note.
    fn reasons(&self) -> Vec<(Option<&'static str>, String)> {
        let Some(refused) = self.refused else {
            return Vec::new();
        };
        let note = match refused.reason {
            Refusal::Value(_) => parse_note(refused.note).err().map(Refusal::Note),
            _ => None,
        };
        let reasons = [Some(refused.reason), note.as_ref()].into_iter().flatten();
        reasons
            .map(|reason| refusal_sentence(self.l10n, reason))
            .collect()
    }

    /// Renders the reasons why the form is refused. They take the focus when the page opens.
    fn summary(&self) -> Markup {
        let reasons = self.reasons();
        html! {
            @if !reasons.is_empty() {
                div.faults role="alert" tabindex="-1" autofocus {
                    ul {
                        @for (name, sentence) in &reasons {
                            li {
                                @if let Some(name) = name {
                                    a href={ "#" (name) } { (sentence) }
                                } @else {
                                    (sentence)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns the reason why a field of the form is wrong.
    fn reason(&self, name: &str) -> Option<String> {
        let mut reasons = self.reasons().into_iter();
        reasons.find_map(|(wrong, sentence)| (wrong == Some(name)).then_some(sentence))
    }

    fn value_field(&self) -> Markup {
        let mut choices = choices(self.l10n, &self.field);
        if self.field.empty != EmptyText::Rejected {
            choices.insert(0, ("".into(), self.l10n.text("correct-unknown")));
        }
        let control = match self.field.kind {
            FieldKind::Line => Control::TextLine,
            FieldKind::Lines => Control::TextLines {
                is_required: self.field.empty == EmptyText::Rejected,
            },
            FieldKind::Genres | FieldKind::Studios | FieldKind::AnimeList => Control::CodeLines,
            FieldKind::Number(..) | FieldKind::Anime => Control::Digits,
            FieldKind::Choice(_) | FieldKind::YesNo => Control::Select(choices),
            FieldKind::Url
            | FieldKind::AppUrl
            | FieldKind::Color
            | FieldKind::Day
            | FieldKind::Duration => Control::CodeLine,
        };
        let hint = field_hint(self.l10n, self.field.kind);
        let empty = match self.field.empty {
            EmptyText::Rejected => String::new(),
            _ => self.l10n.text("correct-hint-empty"),
        };
        let hint = [hint, empty].join(" ");
        let field = layout::Field {
            name: "value",
            label: self.label.clone(),
            control,
            value: &self.value,
            hint: hint.trim().to_owned(),
        };
        layout::field(self.l10n, &field, self.reason("value").as_deref())
    }

    fn note_field(&self) -> Markup {
        let control = Control::TextLines { is_required: true };
        let field = layout::Field::new(self.l10n, "note", control, "correct-note")
            .with_hint(self.l10n.text("correct-hint-note"))
            .with_value(self.refused.map_or("", |refused| refused.note));
        layout::field(self.l10n, &field, self.reason("note").as_deref())
    }
}
