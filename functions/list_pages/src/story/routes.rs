//! The forms that change a story. Each form redirects back to the page that contains it. A form with invalid values, or
//! about a story that has changed meanwhile, leads to a page of its own with the form of the entry.

use std::sync::Arc;

use accounts::service::Accounts;
use accounts::users::UserChange;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::IntoResponse;
use maud::html;
use page_parts::StoryPagesState;
use page_parts::anime::find_anime;
use page_parts::sign_in::{SignInWays, ask_to_sign_in};
use page_parts::story::{
    BACK, CONFIRMED, ChangedScore, FAVORITE, ReturnPage, StoryFormOutcome, StoryFormTexts,
    StoryTarget, anime_heading, changed_scores, hidden_fields, read_draft, read_quick_action,
    read_score, show_draft, story_page,
};
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::icon::Icon;
use pages::layout::YES;
use pages::paths::{LIST, LIST_DELETE};
use pages::response::see_other;
use pages::sessions::{Visitor, is_from_this_site};
use shared::auth::Action;
use shared::input::Form;
use shared::{Error, Result};

use super::action::{self, StoryEdit};
use super::part::{is_for_script, respond_to_change};
use crate::list::entries::PER_PAGE;

/// `POST /list/next`: watches the next episode.
pub(crate) async fn next(State(state): State<Arc<StoryPagesState>>, page: FormPage) -> PageResult {
    let target = StoryTarget::of(&page)?;
    let done = action::watch_next(&state, &page.owner, &target.key).await;
    let done = done.map(|edit| (StoryFormOutcome::Next, edit));
    respond(&state, page, &target, done, None).await
}

/// `POST /list/undo`: undoes the latest change.
pub(crate) async fn undo(State(state): State<Arc<StoryPagesState>>, page: FormPage) -> PageResult {
    let target = StoryTarget::of(&page)?;
    let done = action::undo_latest_change(&state, &page.owner, &target.key).await;
    let done = done.map(|edit| (StoryFormOutcome::Undone, edit));
    respond(&state, page, &target, done, None).await
}

/// `POST /list/save`: saves the form of an entry. If the session has ended, the sign-in page keeps the typed values.
/// If another session has begun in another tab, the form is shown again.
pub(crate) async fn save(
    State(state): State<Arc<StoryPagesState>>,
    State(ways): State<Arc<SignInWays>>,
    visitor: Visitor,
    headers: HeaderMap,
    uri: Uri,
    form: Form,
) -> PageResult {
    let csrf = form.value("csrf");
    let checked = state.sessions.check_csrf_of_user(&visitor, csrf).await;
    let has_invalid_token = checked.is_err();
    // A CSRF token that does not match can belong to a session that has ended, whose cookie the browser no longer
    // sends. The form is then shown to the user again instead of being saved, so it is enough to know that a page of
    // this site has sent it.
    if has_invalid_token && !is_from_this_site(&headers) {
        checked?;
    }
    let Some(owner) = state.sessions.find(&visitor).await? else {
        let draft = read_draft(&form).ok_or_else(|| state.sessions.sign_in_first(LIST))?;
        let page = FormPage::new(&state.sessions, visitor, (), uri);
        return Ok(ask_to_sign_in(&ways, &page, draft).await);
    };
    let page = FormPage::new(&state.sessions, visitor, owner, uri).with_sent(form);
    if has_invalid_token {
        return show_draft(&state, &page).await;
    }
    let target = StoryTarget::of(&page)?;
    let filled = StoryFormTexts::from_form(&page.forms.sent);
    let l10n = &page.forms.l10n;
    let done = action::save(&state, &page.owner, &target.key, &filled, l10n).await;
    let done = done.map(|edit| (StoryFormOutcome::Saved, edit));
    respond(&state, page, &target, done, Some(filled)).await
}

/// `POST /list/score`: sets the scores that were changed on the page, in most cases one. An invalid score leads to the
/// form of its entry.
pub(crate) async fn set_scores(
    State(state): State<Arc<StoryPagesState>>,
    page: FormPage,
) -> PageResult {
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
        return respond(&state, page, &target, Err(error), filled).await;
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

/// `POST /list/status`: sets the status of an entry by a button of its card. A new entry is created.
pub(crate) async fn set_status(
    State(state): State<Arc<StoryPagesState>>,
    page: FormPage,
) -> PageResult {
    let (status, target) = read_quick_action(&page)?;
    match action::set_status(&state, &page.owner, &target.key, status).await {
        Ok(None) if is_for_script(&page) => Ok(StatusCode::NO_CONTENT.into_response()),
        Ok(None) => see_other(&state.sessions, &target.back.address()),
        Ok(Some(edit)) => {
            let done = Ok((StoryFormOutcome::Status, edit));
            respond(&state, page, &target, done, None).await
        }
        Err(error) => respond(&state, page, &target, Err(error), None).await,
    }
}

/// `POST /list/favorite`: adds an anime to the user's favorites, or removes it. Beyond the maximum number, nothing
/// changes, and the page of the anime says why.
pub(crate) async fn set_favorite(
    State(accounts): State<Arc<Accounts>>,
    State(state): State<Arc<StoryPagesState>>,
    page: FormPage,
) -> PageResult {
    let target = StoryTarget::of(&page)?;
    let is_favorite = page.forms.sent.value(FAVORITE) == YES;
    let account = &page.owner.account;
    let favorites = account.changed_favorites(target.key.anime, is_favorite);
    if favorites.is_some() {
        let change = UserChange {
            favorites,
            ..UserChange::default()
        };
        let access = page.owner.access(Action::UpdateUser);
        accounts.users.update_own(&access, &change).await?;
    }
    see_other(&state.sessions, &target.back.address())
}

/// `POST /list/delete`: asks for confirmation, and then deletes the entry.
pub(crate) async fn delete(
    State(state): State<Arc<StoryPagesState>>,
    page: FormPage,
) -> PageResult {
    let target = StoryTarget::of(&page)?;
    if page.forms.sent.has(CONFIRMED) {
        let done = action::delete(&state, &page.owner, &target.key).await;
        let done = done.map(|edit| (StoryFormOutcome::Deleted, edit));
        return respond(&state, page, &target, done, None).await;
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
                button.button.danger type="submit" name=(CONFIRMED) value="yes" {
                    (Icon::Delete) (l10n.text("form-delete"))
                }
                a.row href=(target.back.address()) { (l10n.text("story-cancel")) }
            }
        }
    };
    Ok(story_page(&page, "story-delete-title", body))
}

/// Returns the response to a form. `filled` are the values that were sent.
async fn respond(
    state: &StoryPagesState,
    page: FormPage,
    target: &StoryTarget,
    done: Result<(StoryFormOutcome, StoryEdit)>,
    filled: Option<StoryFormTexts>,
) -> PageResult {
    match done {
        Ok(done) => respond_to_change(state, &page, &target.back, target.key.anime, done).await,
        Err(Error::Changed) => target.show_present(state, &page, filled.as_ref()).await,
        Err(error) => {
            let page = page.with_errors(error)?;
            target.show_form(state, &page, filled.as_ref()).await
        }
    }
}
