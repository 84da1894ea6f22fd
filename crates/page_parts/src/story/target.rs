//! The pages about one story: its form with the values that were sent, and its form after another change of the story.

use accounts::sessions::SignedInUser;
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::try_join;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::layout::{Page, notice};
use pages::paths::LIST;
use shared::models::{Anime, StoryId};
use shared::{Error, Result};
use stories::lists::Story;

use super::back::{BACK, ReturnPage};
use super::form::{ENTRY, StoryForm, StoryFormTexts};
use super::key::StoryKey;
use crate::StoryPagesState;
use crate::anime::find_anime;

/// The story that a form is about, and the page to return to. Every form about a story sends both.
#[derive(Debug)]
pub struct StoryTarget {
    /// The story as the page showed it.
    pub key: StoryKey,
    /// The page to return to.
    pub back: ReturnPage,
}

impl StoryTarget {
    /// Reads the fields of a form.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the form names no story.
    pub fn of(page: &FormPage) -> Result<Self> {
        let key = StoryKey::read(page.forms.sent.value(ENTRY));
        let invalid = || Error::invalid(ENTRY, "is invalid; go back and reload the page");
        Ok(Self {
            key: key.ok_or_else(invalid)?,
            back: ReturnPage::read(page.forms.sent.value(BACK)),
        })
    }

    /// Shows the form again with the values that were sent, and with its errors or the notice that the entry is not
    /// saved yet.
    pub async fn show_form(
        &self,
        state: &StoryPagesState,
        page: &FormPage,
        filled: Option<&StoryFormTexts>,
    ) -> PageResult {
        let (l10n, errors) = (&page.forms.l10n, page.forms.sent_errors());
        let (anime, story) = try_join!(
            find_anime(&state.catalogue, self.key.anime),
            self.find_story(state, &page.owner)
        )?;
        let present = StoryFormTexts::of(story.as_ref().map(|story| &story.state), l10n);
        let body = html! {
            (anime_heading(page, anime.as_ref()))
            @if errors.is_none() { (notice(&l10n.text("story-draft"))) }
            (StoryForm {
                l10n,
                csrf: &page.forms.csrf,
                key: &self.key,
                back: &self.back,
                filled: filled.unwrap_or(&present),
                anime: anime.as_ref(),
                errors,
            })
        };
        Ok(story_page(page, "story-edit-title", body))
    }

    /// Says that the story has changed meanwhile, and shows the form with its current values. Notes that were sent are
    /// also shown, because they can be long.
    pub async fn show_present(
        &self,
        state: &StoryPagesState,
        page: &FormPage,
        filled: Option<&StoryFormTexts>,
    ) -> PageResult {
        let l10n = &page.forms.l10n;
        let (anime, story) = try_join!(
            find_anime(&state.catalogue, self.key.anime),
            self.find_story(state, &page.owner)
        )?;
        let present = story.as_ref().map(|story| &story.state);
        let sentence = match present {
            Some(_) => l10n.text("story-changed"),
            None => l10n.text("story-deleted-meanwhile"),
        };
        let body = html! {
            (anime_heading(page, anime.as_ref()))
            div.faults role="alert" tabindex="-1" autofocus { p { (sentence) } }
            @if let Some(notes) = filled.map(StoryFormTexts::notes).filter(|notes| !notes.is_empty()) {
                p { (l10n.text("story-unsaved-notes")) }
                p.sent dir="auto" { (notes) }
            }
            (StoryForm {
                l10n,
                csrf: &page.forms.csrf,
                key: &StoryKey::of(self.key.anime, present),
                back: &self.back,
                filled: &StoryFormTexts::of(present, l10n),
                anime: anime.as_ref(),
                errors: None,
            })
        };
        let mut response = story_page(page, "story-changed-title", body);
        *response.status_mut() = StatusCode::CONFLICT;
        Ok(response)
    }

    /// Returns the story, if the user has one about the anime.
    pub async fn find_story(
        &self,
        state: &StoryPagesState,
        owner: &SignedInUser,
    ) -> Result<Option<Story>> {
        let id = StoryId::of(owner.account.user.id, self.key.anime);
        state.stories.get(id).await
    }
}

/// Shows the form of an entry with the values that were typed before the user signed in.
pub async fn show_draft(state: &StoryPagesState, page: &FormPage) -> PageResult {
    let filled = StoryFormTexts::from_form(&page.forms.sent);
    let target = StoryTarget::of(page)?;
    target.show_form(state, page, Some(&filled)).await
}

/// Returns a page about a story. `title` is the identifier of the message with its title.
pub fn story_page(page: &FormPage, title: &str, body: Markup) -> Response {
    let title = page.forms.l10n.text(title);
    page.respond(Page {
        current_path: LIST,
        ..page.page(&title, body)
    })
}

/// Renders the title of an anime below the heading of a page.
pub fn anime_heading(page: &FormPage, anime: Option<&Anime>) -> Markup {
    let l10n = &page.forms.l10n;
    let title = anime.and_then(|anime| l10n.title(&anime.titles));
    html! {
        @match title {
            Some(title) => p.lead lang=(title.lang()) dir="auto" { (title.text) },
            None => p.lead { (l10n.text("story-unknown-anime")) },
        }
    }
}
