//! Changes of a user's own story by the forms of web pages. Each change is made only if the story is still as the
//! page showed it.

use accounts::sessions::SignedInUser;
use futures_util::try_join;
use page_parts::StoryPagesState;
use page_parts::story::{OUT_OF_RANGE, StoryFormTexts, StoryKey};
use pages::language::Localizer;
use shared::auth::Action;
use shared::models::{
    AnimeId, AnimeStatus, MAX_PROGRESS, StoryChange, StoryId, StoryState, UserScore, WatchStatus,
};
use shared::{Error, FieldErrors, Missing, Result};
use stories::errors::NO_ANIME;
use stories::lists::{
    FormValues, ListedStory, Story, UndoEffect, change_by_form, highest_episode, next_episode,
    undo_latest,
};

/// A change that a form has made to a story.
#[derive(Debug)]
pub(crate) struct StoryEdit {
    /// The state before; `None` if there was no story.
    pub before: Option<StoryState>,
    /// The story after the change; `None` if it was deleted.
    pub story: Option<ListedStory>,
}

/// Watches the next episode.
///
/// # Errors
/// [`Error::Changed`] if the story is not as the page showed it or has no next episode.
pub(crate) async fn watch_next(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
) -> Result<StoryEdit> {
    let (present, index) = try_join!(find_unchanged(state, owner, key), state.catalogue.index())?;
    let anime = index.indexed_anime(key.anime).ok_or(NO_ANIME)?;
    let before = present.as_ref().map(|story| &story.state);
    let change = next_episode(before, anime.episodes_count, anime.status);
    write_change(
        state,
        owner,
        key.anime,
        present,
        &change.ok_or(Error::Changed)?,
    )
    .await
}

/// Saves the form of an entry.
///
/// # Errors
/// [`Error::Changed`] if the story is not as the page showed it, [`Error::Invalid`] for invalid values
/// and for an episode that the anime does not have.
pub(crate) async fn save(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
    filled: &StoryFormTexts,
    l10n: &Localizer,
) -> Result<StoryEdit> {
    let (present, index) = try_join!(find_unchanged(state, owner, key), state.catalogue.index())?;
    let before = present.as_ref().map(|story| &story.state);
    let values = filled.read(before.and_then(|before| before.details.score), l10n);
    // The store refuses an anime that does not exist.
    let anime = index.indexed_anime(key.anime);
    let (episodes, status) = anime.map_or((0, AnimeStatus::Finished), |anime| {
        (anime.episodes_count, anime.status)
    });
    let highest = highest_episode(before, episodes, status);
    if filled.episode().is_some_and(|episode| episode > highest) {
        let reason = if highest < MAX_PROGRESS {
            TOO_FAR
        } else {
            OUT_OF_RANGE
        };
        // The response names the errors of all fields at once.
        let mut errors = match values {
            Ok(_) => FieldErrors::new(),
            Err(Error::Invalid(errors)) => errors,
            Err(error) => return Err(error),
        };
        errors.insert("current_episode", reason.to_owned());
        return Err(Error::Invalid(errors));
    }
    let change = change_by_form(before, values?, episodes);
    write_change(state, owner, key.anime, present, &change).await
}

/// Sets the score of a story. `read` returns the new score, given the current one. Returns `None` if they are the same.
///
/// # Errors
/// [`Error::Changed`] if the story is not as the page showed it or does not exist, and the errors of `read`.
pub(crate) async fn set_score(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
    read: impl FnOnce(Option<UserScore>) -> Result<Option<UserScore>>,
) -> Result<Option<StoryEdit>> {
    let present = find_unchanged(state, owner, key).await?;
    let present = present.ok_or(Error::Changed)?;
    let old_score = present.state.details.score;
    let score = read(old_score)?;
    if score == old_score {
        return Ok(None);
    }
    let mut change = StoryChange::from(present.state.clone());
    change.details.score = Some(score);
    let edit = write_change(state, owner, key.anime, Some(present), &change);
    edit.await.map(Some)
}

/// Sets the status of a story with the rules of [`save`], or creates the story. Returns `None` if the story has this
/// status.
///
/// # Errors
/// [`Error::Changed`] if the story is not as the page showed it, [`Error::NotFound`] if the anime does not exist.
pub(crate) async fn set_status(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
    status: WatchStatus,
) -> Result<Option<StoryEdit>> {
    let (present, index) = try_join!(find_unchanged(state, owner, key), state.catalogue.index())?;
    let before = present.as_ref().map(|story| &story.state);
    if before.is_some_and(|before| before.status == status) {
        return Ok(None);
    }
    let values = FormValues {
        status,
        progress: before.map_or(0, StoryState::progress),
        details: before
            .map(|before| before.details.clone())
            .unwrap_or_default(),
    };
    // The store refuses an anime that does not exist.
    let episodes = index
        .indexed_anime(key.anime)
        .map_or(0, |anime| anime.episodes_count);
    let change = change_by_form(before, values, episodes);
    let edit = write_change(state, owner, key.anime, present, &change);
    edit.await.map(Some)
}

/// Undoes the latest change of a story, if the owner made it on this service. If that change created the story,
/// the story is deleted.
///
/// # Errors
/// [`Error::Changed`] if the story is not as the page showed it, or another origin made the latest change.
pub(crate) async fn undo_latest_change(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
) -> Result<StoryEdit> {
    let story = find_unchanged(state, owner, key)
        .await?
        .ok_or(Error::Changed)?;
    match undo_latest(&story.state, &story.history) {
        UndoEffect::Keep => Err(Error::Changed),
        UndoEffect::Delete => delete_read(state, owner, story).await,
        UndoEffect::Restore(before) => {
            write_change(state, owner, key.anime, Some(story), &before.into()).await
        }
    }
}

/// Deletes a story.
///
/// # Errors
/// [`Error::Changed`] if the story is not as the page showed it.
pub(crate) async fn delete(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
) -> Result<StoryEdit> {
    // This call checks the whole tag. The store also accepts the short form of a tag, which ignores details. With such
    // a tag, it would delete details that were added meanwhile.
    let story = find_unchanged(state, owner, key).await?;
    delete_read(state, owner, story.ok_or(Error::Changed)?).await
}

/// The error for an episode that the anime does not have. The sentence does not depend on the anime, so that it can be
/// translated.
pub(crate) const TOO_FAR: &str = "must not be above the number of released episodes";

/// Returns the story if there is one, after checking that it is as the page showed it.
async fn find_unchanged(
    state: &StoryPagesState,
    owner: &SignedInUser,
    key: &StoryKey,
) -> Result<Option<Story>> {
    let story = state
        .stories
        .get(StoryId::of(owner.account.user.id, key.anime));
    let story = story.await?;
    key.check_unchanged(story.as_ref().map(|story| &story.state))?;
    Ok(story)
}

/// Makes a change to the story about this anime, given the story as it was read. The store refuses the change if the
/// story has changed since.
async fn write_change(
    state: &StoryPagesState,
    owner: &SignedInUser,
    anime: AnimeId,
    read: Option<Story>,
    change: &StoryChange,
) -> Result<StoryEdit> {
    let (access, stories) = (owner.access(Action::WriteStory), &state.stories);
    let now = state.clock.now_ms();
    let before = read.as_ref().map(|story| story.state.clone());
    stories.remember_version(owner.account.user.id, &owner.account.list);
    let id = StoryId::of(owner.account.user.id, anime);
    let written = if let Some(read) = read {
        let tags = [read.state.tag()];
        let read = Some(read);
        stories.update(&access, id, read, change, &tags, now).await
    } else {
        stories.create(&access, id, change, now).await
    };
    let story = written.map_err(to_changed)?;
    Ok(StoryEdit {
        before,
        story: Some(ListedStory::from(&story)),
    })
}

/// Deletes a story, given the story as it was read. The store refuses this if the story has changed since.
async fn delete_read(
    state: &StoryPagesState,
    owner: &SignedInUser,
    read: Story,
) -> Result<StoryEdit> {
    let (access, now) = (owner.access(Action::WriteStory), state.clock.now_ms());
    let (before, tags) = (read.state.clone(), [read.state.tag()]);
    let account = &owner.account;
    state
        .stories
        .remember_version(account.user.id, &account.list);
    let id = read.id();
    let delete = state.stories.delete(&access, id, Some(read), &tags, now);
    delete.await.map_err(to_changed)?;
    Ok(StoryEdit {
        before: Some(before),
        story: None,
    })
}

/// Replaces the errors "exists already" and "does not exist" of a story with [`Error::Changed`], because the page
/// showed the opposite.
fn to_changed(error: Error) -> Error {
    match error {
        Error::Conflict(_) | Error::NotFound(Missing::Story) => Error::Changed,
        error => error,
    }
}
