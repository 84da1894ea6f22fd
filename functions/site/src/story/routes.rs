//! The forms that change a story. Each form leads back to the page that it is on. A form with invalid values, or
//! about a story that has changed meanwhile, leads to a page of its own with the form of the entry.

use std::sync::Arc;

use accounts::sessions::SignedInUser;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use futures_util::try_join;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form_page::FormPage;
use pages::icon::Icon;
use pages::layout::{Page, notice};
use pages::paths::{LIST, LIST_DELETE};
use pages::response::see_other;
use pages::sessions::{Visitor, is_from_this_site};
use shared::Error;
use shared::input::Form;
use shared::models::{Anime, StoryId};
use stories::lists::Story;

use super::action::{self, StoryEdit, StoryKey};
use super::back::{BACK, ReturnPage, StoryFormOutcome};
use super::form::{
    CONFIRMED, ENTRY, StoryForm, StoryFormTexts, hidden_fields, read_draft, read_score,
};
use super::part::{is_for_script, respond_to_change};
use super::score::{ChangedScore, changed_scores};
use crate::list::entries::{PER_PAGE, find_anime};
use crate::sign_in::view::ask_to_sign_in;
use crate::state::{AccountState, CatalogueState};

/// `POST /list/next`: watches the next episode.
pub(crate) async fn next(
    State(state): State<Arc<CatalogueState>>,
    page: FormPage,
) -> Result<Response, PageError> {
    let target = StoryTarget::of(&page)?;
    let done = action::watch_next(&state, &page.owner, &target.key).await;
    let done = done.map(|edit| (StoryFormOutcome::Next, edit));
    target.respond(&state, page, done, None).await
}

/// `POST /list/undo`: undoes the latest change.
pub(crate) async fn undo(
    State(state): State<Arc<CatalogueState>>,
    page: FormPage,
) -> Result<Response, PageError> {
    let target = StoryTarget::of(&page)?;
    let done = action::undo_latest_change(&state, &page.owner, &target.key).await;
    let done = done.map(|edit| (StoryFormOutcome::Undone, edit));
    target.respond(&state, page, done, None).await
}

/// `POST /list/save`: saves the form of an entry. If the session has ended, the sign-in page keeps the typed values.
/// If another session has begun in another tab, the form is shown again.
pub(crate) async fn save(
    State(state): State<Arc<CatalogueState>>,
    State(accounts): State<Arc<AccountState>>,
    visitor: Visitor,
    headers: HeaderMap,
    uri: Uri,
    form: Form,
) -> Result<Response, PageError> {
    let csrf = form.value("csrf");
    let checked = state.sessions.check_csrf_of_user(&visitor, csrf).await;
    let has_invalid_token = checked.is_err();
    // A CSRF token that does not match can belong to a session that has ended, whose cookie the browser no longer
    // sends. The form is then not saved but shown to the user again, so it is enough to know that a page of this
    // site has sent it.
    if has_invalid_token && !is_from_this_site(&headers) {
        checked?;
    }
    let Some(owner) = state.sessions.find(&visitor).await? else {
        let draft = read_draft(&form).ok_or_else(|| state.sessions.sign_in_first(LIST))?;
        let page = FormPage::new(&state.sessions, visitor, (), uri);
        return Ok(ask_to_sign_in(&accounts, &page, draft).await);
    };
    let page = FormPage::new(&state.sessions, visitor, owner, uri).with_sent(form);
    if has_invalid_token {
        return show_draft(&state, &page).await;
    }
    let target = StoryTarget::of(&page)?;
    let filled = StoryFormTexts::from_form(&page.forms.sent);
    let l10n = &page.forms.l10n;
    let read = |old_score| filled.read(old_score, l10n);
    let done = action::save(&state, &page.owner, &target.key, read).await;
    let done = done.map(|edit| (StoryFormOutcome::Saved, edit));
    target.respond(&state, page, done, Some(filled)).await
}

/// `POST /list/score`: sets the scores that were changed on the page, in most cases one. An invalid score leads to the
/// form of its entry.
pub(crate) async fn set_scores(
    State(state): State<Arc<CatalogueState>>,
    page: FormPage,
) -> Result<Response, PageError> {
    let l10n = &page.forms.l10n;
    let back = ReturnPage::read(page.forms.sent.value(BACK));
    let mut latest = None;
    for ChangedScore { key, text } in changed_scores(&page.forms.sent).into_iter().take(PER_PAGE) {
        let read = |old_score| {
            let score = read_score(text, old_score, l10n);
            score.map_err(|reason| Error::invalid("score", reason))
        };
        let set = action::set_score(&state, &page.owner, &key, read).await;
        let anime = key.anime;
        let error = match set {
            Ok(edit) => {
                // Without a change there is nothing to undo, so the page has no notice.
                latest = edit.map(|edit| (anime, edit)).or(latest);
                continue;
            }
            Err(error) => error,
        };
        let target = StoryTarget { key, back };
        let story = target.find_story(&state, &page.owner).await?;
        let present = StoryFormTexts::of(story.as_ref().map(|story| &story.state), l10n);
        let filled = Some(present.with_score(text)).filter(|_| matches!(error, Error::Invalid(_)));
        return target.respond(&state, page, Err(error), filled).await;
    }
    match latest {
        Some((anime, edit)) => {
            let done = (StoryFormOutcome::Scored, edit);
            respond_to_change(&state, &page, &back, anime, done).await
        }
        None if is_for_script(&page) => Ok(StatusCode::NO_CONTENT.into_response()),
        None => see_other(&state.sessions, &back.address()),
    }
}

/// Shows the form of an entry with the values that were typed before the user signed in.
pub(crate) async fn show_draft(
    state: &CatalogueState,
    page: &FormPage,
) -> Result<Response, PageError> {
    let filled = StoryFormTexts::from_form(&page.forms.sent);
    let target = StoryTarget::of(page)?;
    target.show_form(state, page, Some(&filled)).await
}

/// `POST /list/delete`: asks whether the entry is to be deleted, and then deletes it.
pub(crate) async fn delete(
    State(state): State<Arc<CatalogueState>>,
    page: FormPage,
) -> Result<Response, PageError> {
    let target = StoryTarget::of(&page)?;
    if page.forms.sent.has(CONFIRMED) {
        let done = action::delete(&state, &page.owner, &target.key).await;
        let done = done.map(|edit| (StoryFormOutcome::Deleted, edit));
        return target.respond(&state, page, done, None).await;
    }
    let anime = find_anime(&state.catalogue, target.key.anime).await?;
    let l10n = &page.forms.l10n;
    let user = &page.owner.account.user;
    let is_linked = user.has_tracker_a == Some(true) || user.has_tracker_b == Some(true);
    let body = html! {
        (anime_heading(&page, anime.as_ref()))
        p { (l10n.text("story-delete-question")) }
        @if is_linked { p { (l10n.text("story-delete-linked")) } }
        form method="post" action=(LIST_DELETE) {
            (hidden_fields(&page.forms.csrf, Some(&target.key), &target.back))
            div.actions {
                button.danger type="submit" name=(CONFIRMED) value="yes" {
                    (Icon::Delete) (l10n.text("story-delete"))
                }
                a.row href=(target.back.address()) { (l10n.text("story-cancel")) }
            }
        }
    };
    Ok(story_page(&page, "story-delete-title", body))
}

/// Returns a page about a story. `title` is the identifier of the message with its title.
fn story_page(page: &FormPage, title: &str, body: Markup) -> Response {
    let title = page.forms.l10n.text(title);
    page.respond(Page {
        current_path: LIST,
        ..page.page(&title, body)
    })
}

/// The story that a form is about, and the page to return to. Every form about a story sends both.
struct StoryTarget {
    key: StoryKey,
    back: ReturnPage,
}

impl StoryTarget {
    fn of(page: &FormPage) -> Result<Self, Error> {
        let key = StoryKey::read(page.forms.sent.value(ENTRY));
        let invalid = || Error::invalid(ENTRY, "is invalid; go back and reload the page");
        Ok(Self {
            key: key.ok_or_else(invalid)?,
            back: ReturnPage::read(page.forms.sent.value(BACK)),
        })
    }

    /// Returns the response to a form. `filled` are the values that were sent.
    async fn respond(
        self,
        state: &CatalogueState,
        page: FormPage,
        done: Result<(StoryFormOutcome, StoryEdit), Error>,
        filled: Option<StoryFormTexts>,
    ) -> Result<Response, PageError> {
        match done {
            Ok(done) => respond_to_change(state, &page, &self.back, self.key.anime, done).await,
            Err(Error::Changed) => self.show_present(state, &page, filled.as_ref()).await,
            Err(error) => {
                let page = page.with_errors(error)?;
                self.show_form(state, &page, filled.as_ref()).await
            }
        }
    }

    /// Shows the form again with the values that were sent, and with its errors or the notice that the entry is not
    /// saved yet.
    async fn show_form(
        &self,
        state: &CatalogueState,
        page: &FormPage,
        filled: Option<&StoryFormTexts>,
    ) -> Result<Response, PageError> {
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

    /// Says that the story has changed meanwhile, and shows the form with its present values. Notes that were sent are
    /// shown as well, because they can be long.
    async fn show_present(
        &self,
        state: &CatalogueState,
        page: &FormPage,
        filled: Option<&StoryFormTexts>,
    ) -> Result<Response, PageError> {
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

    async fn find_story(
        &self,
        state: &CatalogueState,
        owner: &SignedInUser,
    ) -> Result<Option<Story>, Error> {
        let id = StoryId::of(owner.account.user.id, self.key.anime);
        state.stories.get(id).await
    }
}

/// Renders the title of an anime below the heading of a page.
fn anime_heading(page: &FormPage, anime: Option<&Anime>) -> Markup {
    let l10n = &page.forms.l10n;
    let title = anime.and_then(|anime| l10n.title(&anime.titles));
    html! {
        @match title {
            Some(title) => p.lead lang=(title.lang()) dir="auto" { (title.text) },
            None => p.lead { (l10n.text("story-unknown-anime")) },
        }
    }
}
