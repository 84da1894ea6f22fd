//! The forms that change a story. Each form leads back to the page that it is on. A form with invalid values, or
//! about a story that has changed meanwhile, leads to a page of its own with the form of the entry.

use std::sync::Arc;

use accounts::SignedInUser;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::try_join;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form::{FormErrors, SignedInForm};
use pages::icon::Icon;
use pages::layout::{Page, notice};
use pages::paths::{LIST, LIST_DELETE};
use pages::response::{respond_with_forms, see_other};
use pages::sessions::{Csrf, Visitor, is_from_this_site};
use shared::Error;
use shared::input::Form;
use shared::models::{Anime, StoryId};
use store::Story;

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
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let target = StoryTarget::of(&posted)?;
    let done = action::watch_next(&state, &posted.owner, &target.key).await;
    let done = done.map(|edit| (StoryFormOutcome::Next, edit));
    target.respond(&state, &posted, done, None).await
}

/// `POST /list/undo`: undoes the latest change.
pub(crate) async fn undo(
    State(state): State<Arc<CatalogueState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let target = StoryTarget::of(&posted)?;
    let done = action::undo_latest_change(&state, &posted.owner, &target.key).await;
    let done = done.map(|edit| (StoryFormOutcome::Undone, edit));
    target.respond(&state, &posted, done, None).await
}

/// `POST /list/save`: saves the form of an entry. If the session has ended, the sign-in page keeps the typed values.
/// If another session has begun in another tab, the form is shown again.
pub(crate) async fn save(
    State(state): State<Arc<CatalogueState>>,
    State(accounts): State<Arc<AccountState>>,
    visitor: Visitor,
    headers: HeaderMap,
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
        return Ok(ask_to_sign_in(&accounts, &visitor, draft).await);
    };
    let posted = SignedInForm {
        visitor,
        owner,
        form,
    };
    if has_invalid_token {
        return show_draft(&state, &posted).await;
    }
    let target = StoryTarget::of(&posted)?;
    let filled = StoryFormTexts::from_form(&posted.form);
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let read = |old_score| filled.read(old_score, &l10n);
    let done = action::save(&state, &posted.owner, &target.key, read).await;
    let done = done.map(|edit| (StoryFormOutcome::Saved, edit));
    target.respond(&state, &posted, done, Some(filled)).await
}

/// `POST /list/score`: sets the scores that were changed on the page, in most cases one. An invalid score leads to the
/// form of its entry.
pub(crate) async fn set_scores(
    State(state): State<Arc<CatalogueState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let back = ReturnPage::read(posted.form.value(BACK));
    let mut latest = None;
    for ChangedScore { key, text } in changed_scores(&posted.form).into_iter().take(PER_PAGE) {
        let read = |old_score| {
            let score = read_score(text, old_score, &l10n);
            score.map_err(|reason| Error::invalid("score", reason))
        };
        let set = action::set_score(&state, &posted.owner, &key, read).await;
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
        let story = target.find_story(&state, &posted.owner).await?;
        let present = StoryFormTexts::of(story.as_ref().map(|story| &story.state), &l10n);
        let filled = Some(present.with_score(text)).filter(|_| matches!(error, Error::Invalid(_)));
        return target.respond(&state, &posted, Err(error), filled).await;
    }
    match latest {
        Some((anime, edit)) => {
            let done = (StoryFormOutcome::Scored, edit);
            respond_to_change(&state, &posted, &back, anime, done).await
        }
        None if is_for_script(&posted) => Ok(StatusCode::NO_CONTENT.into_response()),
        None => see_other(&state.sessions, &back.address()),
    }
}

/// Shows the form of an entry with the values that were typed before the user signed in.
pub(crate) async fn show_draft(
    state: &CatalogueState,
    posted: &SignedInForm,
) -> Result<Response, PageError> {
    let filled = StoryFormTexts::from_form(&posted.form);
    let target = StoryTarget::of(posted)?;
    target.show_form(state, posted, Some(&filled), None).await
}

/// `POST /list/delete`: asks whether the entry is to be deleted, and then deletes it.
pub(crate) async fn delete(
    State(state): State<Arc<CatalogueState>>,
    posted: SignedInForm,
) -> Result<Response, PageError> {
    let target = StoryTarget::of(&posted)?;
    if posted.form.has(CONFIRMED) {
        let done = action::delete(&state, &posted.owner, &target.key).await;
        let done = done.map(|edit| (StoryFormOutcome::Deleted, edit));
        return target.respond(&state, &posted, done, None).await;
    }
    let anime = find_anime(&state.catalogue, target.key.anime).await?;
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let user = &posted.owner.account.user;
    let is_linked = user.has_tracker_a == Some(true) || user.has_tracker_b == Some(true);
    let csrf = state.sessions.csrf(&posted.visitor);
    let body = html! {
        (anime_heading(&posted, anime.as_ref()))
        p { (l10n.text("story-delete-question")) }
        @if is_linked { p { (l10n.text("story-delete-linked")) } }
        form method="post" action=(LIST_DELETE) {
            (hidden_fields(&csrf.token, Some(&target.key), &target.back))
            div.actions {
                button.danger type="submit" name=(CONFIRMED) value="yes" {
                    (Icon::Delete) (l10n.text("story-delete"))
                }
                a.row href=(target.back.address()) { (l10n.text("story-cancel")) }
            }
        }
    };
    Ok(story_page(&posted, "story-delete-title", body, csrf, None))
}

/// Returns a page about a story. `title` is the identifier of the message with its title.
fn story_page(
    posted: &SignedInForm,
    title: &str,
    body: Markup,
    csrf: Csrf,
    errors: Option<&FormErrors>,
) -> Response {
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let title = l10n.text(title);
    let page = Page {
        current_path: LIST,
        visitor: Some(posted.owner.username()),
        ..Page::new(&l10n, &title, body)
    };
    respond_with_forms(page, csrf, errors)
}

/// The story that a form is about, and the page to return to. Every form about a story sends both.
struct StoryTarget {
    key: StoryKey,
    back: ReturnPage,
}

impl StoryTarget {
    fn of(posted: &SignedInForm) -> Result<Self, Error> {
        let key = StoryKey::read(posted.form.value(ENTRY));
        let invalid = || Error::invalid(ENTRY, "is invalid; go back and reload the page");
        Ok(Self {
            key: key.ok_or_else(invalid)?,
            back: ReturnPage::read(posted.form.value(BACK)),
        })
    }

    /// Returns the response to a form. `filled` are the values that were sent.
    async fn respond(
        self,
        state: &CatalogueState,
        posted: &SignedInForm,
        done: Result<(StoryFormOutcome, StoryEdit), Error>,
        filled: Option<StoryFormTexts>,
    ) -> Result<Response, PageError> {
        match done {
            Ok(done) => respond_to_change(state, posted, &self.back, self.key.anime, done).await,
            Err(Error::Changed) => self.show_present(state, posted, filled.as_ref()).await,
            Err(error) => {
                let errors = FormErrors::of(error)?;
                self.show_form(state, posted, filled.as_ref(), Some(&errors))
                    .await
            }
        }
    }

    /// Shows the form again with the values that were sent, and with its errors or the notice that the entry is not
    /// saved yet.
    async fn show_form(
        &self,
        state: &CatalogueState,
        posted: &SignedInForm,
        filled: Option<&StoryFormTexts>,
        errors: Option<&FormErrors>,
    ) -> Result<Response, PageError> {
        let l10n = posted.visitor.localizer(Some(&posted.owner));
        let (anime, story) = try_join!(
            find_anime(&state.catalogue, self.key.anime),
            self.find_story(state, &posted.owner)
        )?;
        let present = StoryFormTexts::of(story.as_ref().map(|story| &story.state), &l10n);
        let csrf = state.sessions.csrf(&posted.visitor);
        let body = html! {
            (anime_heading(posted, anime.as_ref()))
            @if errors.is_none() { (notice(&l10n.text("story-draft"))) }
            (StoryForm {
                l10n: &l10n,
                csrf: &csrf.token,
                key: &self.key,
                back: &self.back,
                filled: filled.unwrap_or(&present),
                anime: anime.as_ref(),
                errors,
            })
        };
        Ok(story_page(posted, "story-edit-title", body, csrf, errors))
    }

    /// Says that the story has changed meanwhile, and shows the form with its present values. Notes that were sent are
    /// shown as well, because they can be long.
    async fn show_present(
        &self,
        state: &CatalogueState,
        posted: &SignedInForm,
        filled: Option<&StoryFormTexts>,
    ) -> Result<Response, PageError> {
        let l10n = posted.visitor.localizer(Some(&posted.owner));
        let (anime, story) = try_join!(
            find_anime(&state.catalogue, self.key.anime),
            self.find_story(state, &posted.owner)
        )?;
        let present = story.as_ref().map(|story| &story.state);
        let csrf = state.sessions.csrf(&posted.visitor);
        let sentence = match present {
            Some(_) => l10n.text("story-changed"),
            None => l10n.text("story-deleted-meanwhile"),
        };
        let body = html! {
            (anime_heading(posted, anime.as_ref()))
            div.faults role="alert" tabindex="-1" autofocus { p { (sentence) } }
            @if let Some(notes) = filled.map(StoryFormTexts::notes).filter(|notes| !notes.is_empty()) {
                p { (l10n.text("story-unsaved-notes")) }
                p.sent dir="auto" { (notes) }
            }
            (StoryForm {
                l10n: &l10n,
                csrf: &csrf.token,
                key: &StoryKey::of(self.key.anime, present),
                back: &self.back,
                filled: &StoryFormTexts::of(present, &l10n),
                anime: anime.as_ref(),
                errors: None,
            })
        };
        let mut response = story_page(posted, "story-changed-title", body, csrf, None);
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
fn anime_heading(posted: &SignedInForm, anime: Option<&Anime>) -> Markup {
    let l10n = posted.visitor.localizer(Some(&posted.owner));
    let title = anime.and_then(|anime| l10n.title(&anime.titles));
    html! {
        @match title {
            Some(title) => p.lead lang=(title.lang()) dir="auto" { (title.text) },
            None => p.lead { (l10n.text("story-unknown-anime")) },
        }
    }
}
