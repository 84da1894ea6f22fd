//! The notice that pages with stories show after a form.

use futures_util::try_join;
use maud::{Markup, Render, html};
use pages::anime_card::AnimeRenderer;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::paths::LIST_UNDO;
use shared::Result;
use shared::models::{StoryId, UserId};
use stories::lists::ListedStory;

use super::back::{ReturnPage, StoryFormOutcome};
use super::form::hidden_fields;
use super::key::StoryKey;
use crate::StoryPagesState;
use crate::anime::find_anime;

/// The notice of a page after a form. If the form watched the next episode, or set the score or the status, the notice
/// has a button that undoes this change.
pub struct StoryNotice<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The page that shows the notice, to which the button leads back.
    pub back: &'a ReturnPage,
    /// The change that the form has made.
    pub done: StoryFormOutcome,
    /// The title of the anime.
    pub title: Markup,
    /// The story, if it still exists.
    pub story: Option<&'a ListedStory>,
}

impl Render for StoryNotice<'_> {
    fn render(&self) -> Markup {
        let l10n = self.l10n;
        let text = match (self.done, self.story) {
            (StoryFormOutcome::Status, Some(story)) => {
                let status = l10n.watch_status(story.state.status);
                l10n.format("list-done-status", [("status", status.into())])
            }
            (StoryFormOutcome::Next, _) => l10n.text("list-done-next"),
            (StoryFormOutcome::Undone, _) => l10n.text("list-done-undone"),
            (StoryFormOutcome::Saved | StoryFormOutcome::Status, _) => l10n.text("list-done-saved"),
            (StoryFormOutcome::Scored, _) => l10n.text("score-done"),
            (StoryFormOutcome::Deleted, _) => l10n.text("list-done-deleted"),
        };
        let watched = self
            .story
            .filter(|story| self.done == StoryFormOutcome::Next && story.state.progress() > 0);
        let set = self.story.filter(|_| {
            matches!(
                self.done,
                StoryFormOutcome::Scored | StoryFormOutcome::Status
            )
        });
        html! {
            // A live region (`role="status"`) announces only later changes. The focus makes screen readers read the
            // text when the page opens.
            div.notice.undoable role="status" tabindex="-1" autofocus {
                p {
                    @if self.story.is_some() { strong { (self.title) } " " }
                    @if let Some(story) = watched {
                        (l10n.format("list-next", [("number", story.state.progress().into())])) " "
                    }
                    (text)
                }
                @if let Some(story) = watched.or(set) {
                    form method="post" action=(LIST_UNDO) {
                        (hidden_fields(self.csrf, Some(&StoryKey::of(story.anime_id, Some(&story.state))), self.back))
                        button.button.secondary type="submit" { (Icon::Undo) (l10n.text("list-undo")) }
                    }
                }
            }
        }
    }
}

/// Renders the notice that the query of a page with cards asks for. `user` is the signed-in user, `back` the page.
/// Reads a story and an anime only if there is a notice.
pub async fn find_notice(
    state: &StoryPagesState,
    renderer: AnimeRenderer<'_>,
    csrf: &str,
    user: UserId,
    back: &ReturnPage,
    query: &str,
) -> Result<Markup> {
    let Some((done, anime)) = StoryFormOutcome::read(query) else {
        return Ok(Markup::default());
    };
    let id = StoryId::of(user, anime);
    let (anime, story) = try_join!(find_anime(&state.catalogue, anime), state.stories.get(id))?;
    let title = anime.map(|anime| renderer.title_markup(&anime));
    let story = story.as_ref().map(ListedStory::from);
    let notice = StoryNotice {
        l10n: renderer.l10n,
        csrf,
        back,
        done,
        title: title.unwrap_or_default(),
        story: story.as_ref(),
    };
    Ok(notice.render())
}
