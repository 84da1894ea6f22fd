//! Changes of several selected stories in one step, and their undo (docs/pages.md, "Pages that change a story"). The
//! history of a changed story and the tombstone of a deleted story have the identifier of the change
//! ([`Origin::Selection`]), so nothing else is stored about the change.

use catalogue::Catalogue;
use futures_util::try_join;
use shared::auth::Access;
use shared::models::{
    Anime, AnimeId, Origin, PartialDate, Revision, StoryState, UserScore, WatchStatus,
};
use shared::{Error, Result};

use super::episodes::{FormValues, change_by_form};
use super::story_batch::{Decision, OperationResult, SelectedStory, StoryOperation};
use super::story_store::StoryStore;
use super::undo::{self, kept_fields, operation_of_undo};
use super::user_story::Story;
use crate::errors::{NO_ANIME, NO_STORY};

/// The maximum number of selected stories. They fit into one transaction, so either all of them are changed or none.
pub const MAX_SELECTED: usize = 50;

/// A change of selected stories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionChange {
    /// The stories get these values.
    Save(SelectionValues),
    /// The stories are deleted.
    Delete,
}

/// The values that all selected stories get. `None` does not change a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectionValues {
    /// The watch status.
    pub status: Option<WatchStatus>,
    /// The score; `Some(None)` removes it.
    pub score: Option<Option<UserScore>>,
    /// True to make the stories private.
    pub private: Option<bool>,
}

/// The result of an undo.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoneSelection {
    /// The number of stories that were restored, at least in part.
    pub restored: usize,
    /// The anime of the stories that have changed since, and so were restored in part or not at all.
    pub kept: Vec<AnimeId>,
}

/// Changes the caller's selected stories in one transaction. `selected` has the anime of each story, and the tag of its
/// state as the caller has seen it. It must have at most [`MAX_SELECTED`] stories, each about another anime. A value
/// that follows the status changes with it, as in the form of an entry ([`change_by_form`]). `selection_id` becomes the
/// identifier of this change. `now` is in milliseconds since the Unix epoch.
///
/// Returns for each story whether it was changed, or why not: [`Error::NotFound`] if it does not exist or its anime has
/// left the catalogue, [`Error::Changed`] if its state has changed.
///
/// # Errors
/// As [`StoryStore::edit_many`].
pub async fn change_selection(
    stories: &StoryStore,
    catalogue: &Catalogue<Anime>,
    access: &Access,
    selected: &[(AnimeId, String)],
    change: SelectionChange,
    selection_id: &str,
    now: u64,
) -> Result<Vec<Result<bool>>> {
    let owner = access.credential.user_id;
    let anime: Vec<AnimeId> = selected.iter().map(|(anime, _)| *anime).collect();
    // Only a new status sets a date.
    let sets_date = matches!(change, SelectionChange::Save(values) if values.status.is_some());
    let zone = stories.time_zone_if(sets_date, owner);
    let (stored, zone) = try_join!(stories.find_many(owner, &anime), zone)?;
    let today = zone.day_of(now);
    let index = catalogue.index().await?;
    let decide = |position: usize, story: Option<&Story>| -> Decision {
        let Some((anime, tag)) = selected.get(position) else {
            return Ok(StoryOperation::Keep);
        };
        let story = story.ok_or(NO_STORY)?;
        // The short form of a tag, which ignores details, is not enough here.
        if story.state.tag() != *tag {
            return Err(Error::Changed);
        }
        match change {
            SelectionChange::Delete => Ok(StoryOperation::Delete),
            SelectionChange::Save(values) => {
                let episodes = index.episodes_count(*anime).ok_or(NO_ANIME)?;
                Ok(save_values(&story.state, values, episodes, (today, now)))
            }
        }
    };
    let by = Origin::Selection(selection_id.to_owned());
    let write = stories.edit_many(Some(access), owner, stored, &by, decide, now);
    let results = write.await?.into_iter();
    let is_change = |change: OperationResult| change.before != change.after;
    Ok(results.map(|result| result.map(is_change)).collect())
}

/// Undoes a change of selected stories: restores the stories that it deleted with their histories, and the fields of
/// the stories that it changed. Stories and fields that have changed since then are not touched. A second undo, or an
/// undo with an unknown identifier, changes nothing. `now` is in milliseconds since the Unix epoch.
///
/// # Errors
/// As [`StoryStore::edit_many`].
pub async fn undo_selection(
    stories: &StoryStore,
    catalogue: &Catalogue<Anime>,
    access: &Access,
    selection_id: &str,
    now: u64,
) -> Result<UndoneSelection> {
    let owner = access.credential.user_id;
    let mut selected = stories.find_selection(owner, selection_id).await?;
    let is_of_selection = |change: &&Revision| change.is_by_selection(selection_id);
    // If a story has two changes with this identifier, the second one is the undo.
    selected.retain(|selected| {
        let changes = selected.story.history.iter().filter(is_of_selection);
        selected.is_deleted || changes.count() < 2
    });
    let index = catalogue.index().await?;
    let decide = |position: usize, story: Option<&Story>| -> Decision {
        let deleted = selected
            .get(position)
            .filter(|selected| selected.is_deleted);
        Ok(match (deleted, story) {
            (Some(deleted), None) => StoryOperation::Restore(Box::new(deleted.story.clone())),
            (None, Some(story)) => {
                // If the anime is not in the catalogue, its number of episodes does not limit the story.
                let episodes = index.episodes_count(story.anime_id).unwrap_or(u32::MAX);
                let (history, ticks) = (&story.history, story.has_later_ticks);
                let effect = undo::undo_selection(selection_id, &story.state, history, ticks);
                operation_of_undo(effect, story, episodes, now)
            }
            _ => StoryOperation::Keep,
        })
    };
    let stored = selected.iter().map(|SelectedStory { story, is_deleted }| {
        let current = (!is_deleted).then(|| story.clone());
        (story.anime_id, current)
    });
    let by = Origin::Selection(selection_id.to_owned());
    let write = stories.edit_many(Some(access), owner, stored.collect(), &by, decide, now);
    let mut undone = UndoneSelection::default();
    for (SelectedStory { story, is_deleted }, result) in selected.iter().zip(write.await?) {
        let result = result?;
        let is_restored = result.before != result.after;
        undone.restored += usize::from(is_restored);
        let is_whole = match &result.after {
            _ if *is_deleted => is_restored,
            Some(after) => {
                let change = story.history.iter().find(is_of_selection);
                change.is_none_or(|change| kept_fields(&change.before, after).is_empty())
            }
            None => false,
        };
        if !is_whole {
            undone.kept.push(story.anime_id);
        }
    }
    Ok(undone)
}

/// Returns the operation that gives a story these values at this day and time.
fn save_values(
    before: &StoryState,
    values: SelectionValues,
    episodes: u32,
    (today, now): (PartialDate, u64),
) -> StoryOperation {
    let mut details = before.details.clone();
    details.score = values.score.unwrap_or(details.score);
    details.private = values.private.unwrap_or(details.private);
    let values = FormValues {
        status: values.status.unwrap_or(before.status),
        progress: before.progress(),
        details,
    };
    let change = change_by_form(Some(before), values, episodes);
    let state = change.apply(Some(before), today);
    if state == *before {
        return StoryOperation::Keep;
    }
    StoryOperation::save(state, now)
}

#[cfg(test)]
mod tests {
    use shared::models::{
        Origin, PartialDate, ReplacedValues, Revision, StoryState, UserScore, WatchStatus,
    };

    use super::{SelectionValues, save_values};
    use crate::examples::state;
    use crate::lists::story_batch::StoryOperation;
    use crate::lists::undo::{UndoEffect, undo_selection};

    fn saved(before: &StoryState, values: SelectionValues) -> Option<StoryState> {
        let now = 1_700_000_000_000;
        match save_values(before, values, 12, (PartialDate::of_ms(now), now)) {
            StoryOperation::Save { state, .. } => Some(state),
            _ => None,
        }
    }

    #[test]
    fn episode_follows_the_status_and_other_values_stay() {
        let before = state(WatchStatus::Current, 5);
        let status = |status| SelectionValues {
            status: Some(status),
            ..SelectionValues::default()
        };
        let completed = saved(&before, status(WatchStatus::Completed)).unwrap();
        assert_eq!(completed.current_episode, 12);
        assert!(completed.details.finished_on.is_some());
        let planned = saved(&before, status(WatchStatus::Planning)).unwrap();
        assert_eq!(planned.current_episode, 0);
        let paused = saved(&before, status(WatchStatus::Paused)).unwrap();
        assert_eq!(paused, state(WatchStatus::Paused, 5));
        assert_eq!(saved(&before, status(WatchStatus::Current)), None);
        let score = UserScore::from_tenths(800);
        let scored = SelectionValues {
            score: Some(score),
            private: Some(true),
            ..SelectionValues::default()
        };
        let scored = saved(&before, scored).unwrap();
        assert_eq!(
            (scored.details.score, scored.details.private),
            (score, true)
        );
        assert_eq!(scored.current_episode, 5);
        let unscored = SelectionValues {
            score: Some(None),
            ..SelectionValues::default()
        };
        assert_eq!(saved(&scored, unscored).unwrap().details.score, None);
    }

    #[test]
    fn undo_keeps_later_changes_and_works_once() {
        let before = state(WatchStatus::Current, 5);
        let after = state(WatchStatus::Completed, 12);
        let revision = |by: Origin, old: &StoryState, new: &StoryState| Revision {
            at: 0,
            by,
            before: ReplacedValues::between(old, new),
        };
        let by = || Origin::Selection("one".to_owned());
        let change = revision(by(), &before, &after);
        let undone =
            |history: &[Revision], now: &StoryState| undo_selection("one", now, history, false);
        let restored = UndoEffect::Restore(before.clone());
        assert_eq!(undone(std::slice::from_ref(&change), &after), restored);
        assert_eq!(undone(&[], &after), UndoEffect::Keep);
        let mut dropped = after.clone();
        dropped.status = WatchStatus::Dropped;
        let later = [change.clone(), revision(Origin::Owner, &after, &dropped)];
        let kept = UndoEffect::Restore(state(WatchStatus::Dropped, 5));
        assert_eq!(undone(&later, &dropped), kept);
        let twice = [change, revision(by(), &after, &before)];
        assert_eq!(undone(&twice, &before), UndoEffect::Keep);
    }
}
