//! The page with the fields of an anime or a song, and their corrections.

use axum::response::Response;
use catalogue::corrections::{CorrectableField, CorrectedFields};
use catalogue::rows::CatalogueRow;
use maud::{Markup, html};
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::paths::MODERATION;
use shared::models::Song;

use crate::correction_view::{ModeratorNames, correction_details, shorten};
use crate::labels::{field_name, field_value};
use crate::subject::CorrectionSubject;

/// Everything that the page shows.
pub(crate) struct RowView<R: CorrectionSubject> {
    /// The row.
    pub row: CatalogueRow<R>,
    /// The names of the moderators who have corrected the row.
    pub names: ModeratorNames,
}

/// Returns the page. `songs` are the songs of an anime; empty for a song.
pub(crate) fn page<R: CorrectionSubject>(
    page: &FormPage,
    view: &RowView<R>,
    songs: &[Song],
) -> Response {
    let l10n = &page.forms.l10n;
    let document = &view.row.document;
    let (name, lang) = document.name(l10n);
    let list = FieldList { l10n, view };
    let body = html! {
        (page.forms.notice())
        p.lead { a href=(document.public_path()) lang=[lang] dir="auto" { (name) } }
        p { (l10n.text("correct-when")) }
        section aria-labelledby="fields" {
            h2 #fields { (l10n.text("correct-fields")) }
            ul.entries {
                @for (name, field) in named_fields::<R>(&view.row) { (list.item(&name, &field)) }
            }
        }
        @for name in R::LOCALIZED { (language_form::<R>(l10n, document.id(), name)) }
        @if !songs.is_empty() {
            section aria-labelledby="songs" {
                h2 #songs { (l10n.text("anime-songs")) }
                ul.links {
                    @for song in songs {
                        li {
                            a.row href=(Song::path(song.id.get())) dir="auto" { (song.title) }
                            " " (l10n.song_type(song.song_type))
                        }
                    }
                }
            }
        }
        p { a.row href=(MODERATION) { (l10n.text("moderation-back")) } }
    };
    page.show(&l10n.text("correct-title-of-page"), body)
}

/// Returns the names and the fields of a row. A field with texts by localization code has a name for each text that
/// the document has or that is corrected, such as `titles.en`.
fn named_fields<R: CorrectionSubject>(row: &CatalogueRow<R>) -> Vec<(String, CorrectableField)> {
    let fields = serde_json::to_value(&row.document).unwrap_or_default();
    let mut names = Vec::new();
    for field in R::FIELDS {
        if !R::LOCALIZED.contains(&field.name) {
            names.push((field.name.to_owned(), *field));
            continue;
        }
        let texts = fields.get(field.name).and_then(|texts| texts.as_object());
        let texts = texts.into_iter().flat_map(|texts| texts.keys());
        let mut texts: Vec<String> = texts.map(|code| format!("{}.{code}", field.name)).collect();
        let corrected = row.notes.corrections().keys();
        texts.extend(
            corrected
                .filter(|name| name.split('.').next() == Some(field.name))
                .cloned(),
        );
        texts.sort_unstable();
        texts.dedup();
        names.extend(texts.into_iter().map(|name| (name, *field)));
    }
    names
}

struct FieldList<'a, R: CorrectionSubject> {
    l10n: &'a Localizer,
    view: &'a RowView<R>,
}

impl<R: CorrectionSubject> FieldList<'_, R> {
    fn item(&self, name: &str, field: &CorrectableField) -> Markup {
        let (l10n, row) = (self.l10n, &self.view.row);
        let label = field_name(l10n, name);
        let value = row.field_value(name).unwrap_or_default();
        let value = shorten(&field_value(l10n, field, &value));
        let path = R::path(row.document.id());
        html! {
            li {
                div {
                    strong { (label) }
                    @if value.is_empty() {
                        small { (l10n.text("correct-empty")) }
                    } @else {
                        small dir="auto" { (value) }
                    }
                    @if let Some(known) = row.notes.corrections().get(name) {
                        (correction_details(l10n, &self.view.names, field, known))
                    }
                }
                // A text is a field only if its localization code has 2 or 3 letters, so a text in a variant such as
                // `pt-BR` cannot be corrected.
                @if R::find_field(name).is_some() {
                    a.row href={ (path) "/correct?field=" (name) } {
                        (l10n.text("correct-button"))
                        span.unseen { ": " (label) }
                    }
                }
            }
        }
    }
}

/// Renders the form that asks for a language and leads to the form for a text in it.
fn language_form<R: CorrectionSubject>(l10n: &Localizer, id: u64, name: &str) -> Markup {
    let heading = match name {
        "titles" => l10n.text("correct-add-title"),
        _ => l10n.text("correct-add-description"),
    };
    let input = format!("{name}-language");
    html! {
        section aria-labelledby=(name) {
            h2 id=(name) { (heading) }
            form action={ (R::path(id)) "/correct" } {
                input type="hidden" name="field" value=(name);
                div.field {
                    label for=(input) { (l10n.text("correct-language")) }
                    p.hint id={ (input) "-hint" } { (l10n.text("correct-hint-language")) }
                    input type="text" id=(input) name="language" required minlength="2" maxlength="3"
                        autocomplete="off" autocapitalize="none" spellcheck="false"
                        aria-describedby={ (input) "-hint" };
                }
                button.secondary type="submit" { (l10n.text("correct-continue")) }
            }
        }
    }
}
