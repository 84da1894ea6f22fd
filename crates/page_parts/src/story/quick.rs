//! The actions of a card: four buttons that put its anime on the list with a status, or change the status.

use maud::{Markup, Render, html};
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::paths::LIST_STATUS;
use pages::seal::{class_of, seal};
use shared::models::WatchStatus;
use shared::{Error, Result};
use stories::lists::ListedStory;

use super::back::{BACK, ReturnPage, StoryFormOutcome};
use super::form::{hidden_fields, read_status};
use super::key::StoryKey;
use super::notice::StoryNotice;
use super::target::StoryTarget;

/// The identifier of the form to which the buttons of all cards of a page belong.
pub const QUICK_FORM: &str = "quick";

/// The name of the field in which the script says that the form was sent from a card. The response is then the
/// [`QuickPart`] instead of a page.
pub const CARD: &str = "card";

/// The statuses that a card offers.
const STATUSES: [WatchStatus; 4] = [
    WatchStatus::Planning,
    WatchStatus::Current,
    WatchStatus::Completed,
    WatchStatus::Dropped,
];

/// Renders the form to which the [`quick_actions`] of a page belong. A page has it once.
pub fn quick_form(csrf: &str, back: &ReturnPage) -> Markup {
    html! { form #(QUICK_FORM) method="post" action=(LIST_STATUS) { (hidden_fields(csrf, None, back)) } }
}

/// Renders the actions of a card, for a visitor who is signed in. `key` is the visitor's story about the anime as the
/// page shows it, `title` the title of the anime.
pub fn quick_actions(l10n: &Localizer, key: &StoryKey, title: &str) -> Markup {
    let key = key.text();
    html! {
        details.add {
            summary aria-label=(l10n.format("quick-open", [("title", title.into())])) { "+" }
            div.act {
                @for status in STATUSES {
                    // The style sheet adds the character of the seal.
                    button.(class_of(status)) form=(QUICK_FORM) name="status"
                        value={ (u8::from(status)) "." (key) } { span { (l10n.watch_status(status)) } }
                }
            }
        }
    }
}

/// Reads the button of a card that was pressed: the new status, and the story.
///
/// # Errors
/// [`Error::Invalid`] if the form names no status or no story.
pub fn read_quick_action(page: &FormPage) -> Result<(WatchStatus, StoryTarget)> {
    let sent = &page.forms.sent;
    let pressed = sent.value("status").split_once('.');
    let read = pressed.and_then(|(status, key)| Some((read_status(status)?, StoryKey::read(key)?)));
    let (status, key) =
        read.ok_or_else(|| Error::invalid("status", "is invalid; go back and reload the page"))?;
    let back = ReturnPage::read(sent.value(BACK));
    Ok((status, StoryTarget { key, back }))
}

/// The parts of a card that a form has changed, for the script: the seal, the actions, and the notice.
pub struct QuickPart<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The page of the card.
    pub back: &'a ReturnPage,
    /// The change that the form has made.
    pub done: StoryFormOutcome,
    /// The story as the page shows it now.
    pub key: &'a StoryKey,
    /// The title of the anime.
    pub title: &'a str,
    /// The story; `None` if it was deleted.
    pub story: Option<&'a ListedStory>,
}

impl Render for QuickPart<'_> {
    fn render(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            @if let Some(story) = self.story {
                (seal(Some(story.state.status)))
                span.unseen { (l10n.watch_status(story.state.status)) }
            }
            (quick_actions(l10n, self.key, self.title))
            (StoryNotice {
                l10n,
                csrf: self.csrf,
                back: self.back,
                done: self.done,
                title: html! { (self.title) },
                story: self.story,
            })
        }
    }
}
