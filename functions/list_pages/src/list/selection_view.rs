//! The rendering of the selection: the checkbox of an entry, the bar with the actions, the dialog with the keyboard
//! shortcuts, and the pages and notices that follow the form.

use maud::{Markup, Render, html};
use page_parts::story::{CONFIRMED, ENTRY, ReturnPage, StoryKey, hidden_fields};
use pages::anime_card::AnimeRenderer;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::paths::{LIST_SELECTION, LIST_SELECTION_UNDO};
use shared::models::{Anime, AnimeId, WatchStatus, WireEnum};

use super::selection_outcome::{
    DELETE, PRIVATE, PUBLIC, SELECTION_ID, SelectionDone, SelectionOutcome,
};

/// The identifier of the form to which the checkboxes of all entries belong.
const FORM: &str = "selection";

/// The keys of the shortcuts, each with the identifier of its explanation. `list.js` has their effects.
const SHORTCUTS: [(&[&str], &str); 6] = [
    (&["J", "↓"], "shortcuts-next"),
    (&["K", "↑"], "shortcuts-previous"),
    (&["N"], "shortcuts-episode"),
    (&["X"], "shortcuts-select"),
    (&["/"], "shortcuts-search"),
    (&["?"], "shortcuts-help"),
];

/// Renders the checkbox that selects an entry, over the number of the entry in the list. `title_id` is the identifier
/// of the element with the entry's title.
pub(super) fn checkbox(key: &StoryKey, title_id: &str, number: Option<usize>) -> Markup {
    html! {
        label.pick {
            input type="checkbox" form=(FORM) name=(ENTRY) value=(key.text()) aria-labelledby=(title_id);
            span.no aria-hidden="true" { @if let Some(number) = number { (number) } }
        }
    }
}

/// Renders the form with the actions on the selected entries. It comes after the entries, so that it does not push
/// them down. The style shows it at the foot of the window while entries are selected.
pub(super) fn bar(l10n: &Localizer, csrf: &str, back: &ReturnPage) -> Markup {
    let statuses = WatchStatus::ALL.iter().map(|(status, _)| *status);
    html! {
        form #(FORM) .sticky method="post" action=(LIST_SELECTION) aria-label=(l10n.text("selection-title")) {
            (hidden_fields(csrf, None, back))
            // The style counts the selected entries.
            p.picked { (l10n.text("selection-selected")) }
            label { (l10n.text("story-status")) " "
                select name="status" {
                    option value="" { (l10n.text("selection-keep")) }
                    @for status in statuses {
                        option value=(u8::from(status)) { (l10n.watch_status(status)) }
                    }
                }
            }
            label { (l10n.text("story-score")) " "
                input name="score" inputmode="decimal" autocomplete="off" size="4"
                    aria-describedby="selection-score-hint" title=(l10n.text("selection-score-hint"));
                span.unseen #selection-score-hint { (l10n.text("selection-score-hint")) }
            }
            label { (l10n.text("selection-private")) " "
                select name="private" {
                    option value="" { (l10n.text("selection-keep")) }
                    option value=(PRIVATE) { (l10n.text("selection-make-private")) }
                    option value=(PUBLIC) { (l10n.text("selection-make-public")) }
                }
            }
            button.button type="submit" { (l10n.text("selection-apply")) }
            button.button.secondary type="submit" name=(DELETE) value="yes" { (l10n.text("selection-remove")) }
            button.button.secondary.scripted type="button" data-all { (l10n.text("selection-all")) }
        }
    }
}

/// Renders the button that shows the keyboard shortcuts, and the dialog with them.
pub(super) fn shortcuts(l10n: &Localizer) -> Markup {
    html! {
        p { button.button.secondary.scripted type="button" data-keys { (l10n.text("shortcuts-title")) } }
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { (l10n.text("shortcuts-title")) }
            p { (l10n.text("shortcuts-where")) }
            dl.facts-list {
                @for (keys, text) in SHORTCUTS {
                    div {
                        dt { @for key in keys { kbd { (key) } " " } }
                        dd { (l10n.text(text)) }
                    }
                }
            }
            form method="dialog" { button.button autofocus { (l10n.text("shortcuts-close")) } }
        }
    }
}

/// The notice of the list after a form about selected entries.
pub(super) struct SelectionNotice<'a> {
    pub l10n: &'a Localizer,
    pub csrf: &'a str,
    pub back: &'a ReturnPage,
    pub outcome: &'a SelectionOutcome,
}

impl Render for SelectionNotice<'_> {
    fn render(&self) -> Markup {
        let (l10n, outcome) = (self.l10n, self.outcome);
        let text = match outcome.done {
            SelectionDone::Changed => "selection-done-changed",
            SelectionDone::Deleted => "selection-done-deleted",
            SelectionDone::Undone => "selection-done-undone",
        };
        html! {
            // The focus makes screen readers read the text when the page opens.
            div.notice.undoable role="status" tabindex="-1" autofocus {
                p { (l10n.format(text, [("count", outcome.count.into())])) }
                @if let Some(selection_id) = &outcome.selection_id {
                    form method="post" action=(LIST_SELECTION_UNDO) {
                        (hidden_fields(self.csrf, None, self.back))
                        input type="hidden" name=(SELECTION_ID) value=(selection_id);
                        button.button.secondary type="submit" { (Icon::Undo) (l10n.text("list-undo")) }
                    }
                }
            }
        }
    }
}

/// An entry that a form did not change as asked.
pub(super) struct UnchangedEntry {
    pub anime: AnimeId,
    /// The identifier of the message with the reason.
    pub reason: &'static str,
}

/// A page that a form about selected entries leads to.
pub(super) enum SelectionPage<'a> {
    /// The form is invalid. Holds the sentence about the error.
    Invalid(&'a str),
    /// The question before a deletion.
    AskToDelete {
        keys: &'a [(AnimeId, String)],
        anime: &'a [Anime],
        /// True if a tracker can bring the entries back.
        is_linked: bool,
    },
    /// The entries that were skipped.
    Skipped {
        outcome: &'a SelectionOutcome,
        skipped: &'a [UnchangedEntry],
        anime: &'a [Anime],
    },
}

impl SelectionPage<'_> {
    /// Returns the identifier of the message with the title.
    pub(super) fn title(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "selection-invalid-title",
            Self::AskToDelete { .. } => "selection-delete-title",
            Self::Skipped { .. } => "selection-skipped-title",
        }
    }

    /// Renders the content.
    pub(super) fn body(&self, l10n: &Localizer, csrf: &str, back: &ReturnPage) -> Markup {
        match self {
            Self::Invalid(sentence) => html! {
                div.faults role="alert" tabindex="-1" autofocus { p { (sentence) } }
                (back_link(l10n, back))
            },
            Self::AskToDelete {
                keys,
                anime,
                is_linked,
            } => html! {
                p { (l10n.format("selection-delete-question", [("count", keys.len().into())])) }
                @if *is_linked { p { (l10n.text("selection-delete-linked")) } }
                ul { @for (id, _) in *keys { li { (render_title(l10n, anime, *id)) } } }
                form method="post" action=(LIST_SELECTION) {
                    (hidden_fields(csrf, None, back))
                    @for (id, tag) in *keys {
                        @let key = StoryKey { anime: *id, tag: Some(tag.clone()) };
                        input type="hidden" name=(ENTRY) value=(key.text());
                    }
                    input type="hidden" name=(DELETE) value="yes";
                    div.actions {
                        button.button.danger type="submit" name=(CONFIRMED) value="yes" {
                            (Icon::Delete) (l10n.text("form-delete"))
                        }
                        a.row href=(back.address()) { (l10n.text("story-cancel")) }
                    }
                }
            },
            Self::Skipped {
                outcome,
                skipped,
                anime,
            } => html! {
                (SelectionNotice { l10n, csrf, back, outcome })
                p { (l10n.format("selection-skipped", [("count", skipped.len().into())])) }
                ul {
                    @for entry in *skipped {
                        li { strong { (render_title(l10n, anime, entry.anime)) } " " (l10n.text(entry.reason)) }
                    }
                }
                (back_link(l10n, back))
            },
        }
    }
}

fn back_link(l10n: &Localizer, back: &ReturnPage) -> Markup {
    html! { p { a.row href=(back.address()) { (l10n.text("selection-back")) } } }
}

fn render_title(l10n: &Localizer, anime: &[Anime], id: AnimeId) -> Markup {
    let found = anime.iter().find(|anime| anime.id == id);
    html! {
        @match found {
            Some(anime) => (AnimeRenderer::new(false, l10n).title_markup(anime)),
            None => (l10n.text("story-unknown-anime")),
        }
    }
}
