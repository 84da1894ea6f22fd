//! The effect of an undo on a story: of an import (docs/api.md, "Undo of an import"), of a change of selected stories,
//! and of the changes by a player.

use shared::models::{Origin, ReplacedValues, Revision, StoryState};

use super::story_batch::StoryOperation;
use super::user_story::Story;

/// The effect of an undo on one story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoEffect {
    /// The story does not change.
    Keep,
    /// The story is deleted: the undone change created it, and nothing has changed it since.
    Delete,
    /// The story gets this state. The fields that the undone change set have their earlier values again, unless they
    /// have changed since.
    Restore(StoryState),
}

/// Returns the effect of undoing what an import has changed since a time, in seconds since the Unix epoch, on a story
/// with this state. Its earlier changes stay: an answer to a proposal can follow them much later. `history` has the
/// oldest change first. `has_later_ticks` is true if the watching time (`current_episode_ticks`) has changed after the
/// last change of the episode ([`Story::has_later_ticks`]).
pub fn undo_import(
    import: &str,
    since: u64,
    state: &StoryState,
    history: &[Revision],
    has_later_ticks: bool,
) -> UndoEffect {
    let is_import = |revision: &Revision| revision.at >= since && revision.is_by_import(import);
    let is_undo = |revision: &Revision| matches!(&revision.by, Origin::Undo(id) if id == import);
    undo_change(is_import, is_undo, state, history, has_later_ticks)
}

/// Returns the effect of undoing a change of selected stories for one of them. The other parameters are those of
/// [`undo_import`].
pub fn undo_selection(
    selection_id: &str,
    state: &StoryState,
    history: &[Revision],
    has_later_ticks: bool,
) -> UndoEffect {
    // The undo has the same origin, so the second such change is the undo.
    let is_of_selection = |revision: &Revision| revision.is_by_selection(selection_id);
    undo_change(
        is_of_selection,
        is_of_selection,
        state,
        history,
        has_later_ticks,
    )
}

/// Returns the effect of taking back all that a player has changed since a time, in seconds since the Unix epoch. The
/// story does not change if anything else has changed it meanwhile, or if its history no longer has all these changes.
/// `created_at` is the time of its creation in seconds. The player is known by its identifier, because its owner can
/// rename it, and by its name in changes without an identifier.
pub fn undo_player(
    (id, name): (u8, &str),
    since: u64,
    state: &StoryState,
    created_at: u64,
    history: &[Revision],
) -> UndoEffect {
    let is_by_player = |revision: &&Revision| match &revision.by {
        Origin::Player { id: None, name: by } => revision.at >= since && by == name,
        Origin::Player { id: by, .. } => revision.at >= since && *by == Some(id),
        _ => false,
    };
    let changes: Vec<&Revision> = history.iter().rev().take_while(is_by_player).collect();
    let is_whole = changes.len() < history.len();
    if changes.is_empty() {
        return UndoEffect::Keep;
    }
    if changes.iter().any(|change| change.before.is_creation())
        || (!is_whole && created_at >= since)
    {
        return UndoEffect::Delete;
    }
    if !is_whole {
        return UndoEffect::Keep;
    }
    let mut before = state.clone();
    for change in changes {
        before = restore_values(change.before.clone(), &before);
    }
    UndoEffect::Restore(before)
}

/// Returns the effect of undoing the changes that `is_wanted` selects. An import can have made several: it changes a
/// story again if the user accepts one of its proposals. `is_undo` selects the changes that an earlier undo has made.
fn undo_change(
    is_wanted: impl Fn(&Revision) -> bool,
    is_undo: impl Fn(&Revision) -> bool,
    state: &StoryState,
    history: &[Revision],
    has_later_ticks: bool,
) -> UndoEffect {
    let mut revisions = history.iter();
    let Some(revision) = revisions.find(|revision| is_wanted(revision)) else {
        return UndoEffect::Keep;
    };
    let later = revisions.as_slice();
    if later.iter().any(is_undo) {
        // A repeated undo must not undo more than the first undo. The first undo may have changed the episode,
        // which clears `has_later_ticks`. So this flag no longer shows if the user watched on after the change.
        return UndoEffect::Keep;
    }
    let earlier = &history[..history.len() - later.len() - 1];
    let later = without_undone(earlier, later);
    if revision.before.is_creation() {
        return if later.iter().all(|revision| is_wanted(revision)) && !has_later_ticks {
            UndoEffect::Delete
        } else {
            UndoEffect::Keep
        };
    }
    let mut before = revision.before.clone();
    for revision in later {
        if is_wanted(revision) {
            before.add_fields_of(&revision.before);
        } else {
            before.remove_fields_of(&revision.before);
        }
    }
    if has_later_ticks {
        // The user has gone on watching this episode.
        before.current_episode = None;
    }
    let after = restore_values(before, state);
    if after == *state {
        UndoEffect::Keep
    } else {
        UndoEffect::Restore(after)
    }
}

/// Returns the later changes without those of imports that were undone, and without the undo itself. An earlier import
/// that also changed the story is not left out, because the undo has restored earlier values.
fn without_undone<'r>(earlier: &[Revision], later: &'r [Revision]) -> Vec<&'r Revision> {
    let is_undo_of = |revision: &Revision, import: &str| matches!(&revision.by, Origin::Undo(id) if id == import);
    let is_undone = |import: &str| {
        let mut undos = later.iter();
        undos.any(|undo| is_undo_of(undo, import))
            && !earlier.iter().any(|revision| revision.is_by_import(import))
            && later.iter().any(|revision| revision.is_by_import(import))
    };
    let remains = |revision: &&Revision| match &revision.by {
        Origin::Import(import) | Origin::Undo(import) => !is_undone(import),
        _ => true,
    };
    later.iter().filter(remains).collect()
}

/// Returns `state` with the values in `before` put back. Notes whose old text is no longer kept do not change. If the
/// progress changes, the watching time becomes 0, and the caller limits `current_episode` to the catalogue
/// ([`ReplacedValues::restore`]).
pub(crate) fn restore_values(mut before: ReplacedValues, state: &StoryState) -> StoryState {
    if before.has_lost_notes() {
        before.details.notes = None;
    }
    let mut after = before.restore(state);
    if after.progress() != state.progress() {
        after.current_episode_ticks = 0;
    }
    after
}

/// Returns the operation that undoes a change of a story, whose anime has `episodes` episodes.
pub(crate) fn operation_of_undo(
    effect: UndoEffect,
    story: &Story,
    episodes: u32,
    now: u64,
) -> StoryOperation {
    match effect {
        UndoEffect::Keep => StoryOperation::Keep,
        UndoEffect::Delete => StoryOperation::Delete,
        UndoEffect::Restore(state) if state.progress() == story.state.progress() => {
            StoryOperation::save(state, now)
        }
        UndoEffect::Restore(state) => StoryOperation::save(state.for_count(episodes), now),
    }
}

/// Returns the names of the fields that do not have their values from before the undone change.
pub(crate) fn kept_fields(before: &ReplacedValues, after: &StoryState) -> Vec<&'static str> {
    let mut different = ReplacedValues::between(after, &before.restore(after));
    if before.has_lost_notes() {
        // The old text is no longer kept, so the notes were not restored.
        different.details.notes = Some(None);
    }
    different.field_names()
}

#[cfg(test)]
mod tests {
    use shared::models::{
        Notes, Origin, ReplacedValues, Revision, StoryState, UserScore, WatchStatus,
    };

    use super::{UndoEffect, undo_import, undo_player};
    use crate::examples;

    #[test]
    fn changes_of_a_player_are_undone_together() {
        let states = [
            state(WatchStatus::Planning, 0, 0, ""),
            state(WatchStatus::Current, 1, 0, ""),
            state(WatchStatus::Current, 2, 0, ""),
        ];
        let by_player = |mut history: Vec<Revision>, first: usize| {
            for (revision, id) in history[first..].iter_mut().zip([None, Some(3), Some(3)]) {
                // Only changes with an identifier are recognized after the player was renamed.
                let name = if id.is_some() { "old name" } else { "mpv" };
                let name = name.to_owned();
                revision.by = Origin::Player { id, name };
            }
            history
        };
        let created_by_owner = by_player(history(&states, 9), 1);
        let player = (3, "mpv");
        let undo = |since, history: &[Revision]| undo_player(player, since, &states[2], 0, history);
        assert_eq!(undo(1, &created_by_owner), restored(states[0].clone()));
        // An earlier change by the player stays.
        assert_eq!(undo(2, &created_by_owner), restored(states[1].clone()));
        assert_eq!(undo(3, &created_by_owner), UndoEffect::Keep);
        let created_by_player = by_player(history(&states, 9), 0);
        assert_eq!(undo(0, &created_by_player), UndoEffect::Delete);
        // The owner, or another player with this name, has changed the story since.
        let (id, name) = (Some(4), "mpv".to_owned());
        for by in [Origin::Owner, Origin::Player { id, name }] {
            let mut changed = created_by_player.clone();
            changed[2].by = by;
            assert_eq!(undo(0, &changed), UndoEffect::Keep);
        }
        // The history is full, so its beginning is missing.
        let without_beginning = &created_by_player[1..];
        assert_eq!(undo(0, without_beginning), UndoEffect::Delete);
        assert_eq!(undo(1, without_beginning), UndoEffect::Keep);
    }

    fn state(status: WatchStatus, episode: u32, score: u16, notes: &str) -> StoryState {
        let mut state = examples::state(status, episode);
        state.current_episode_ticks = 7;
        state.details.score = UserScore::from_tenths(score);
        state.details.notes = Notes::new(notes).unwrap();
        state
    }

    /// Returns the history of a story that had these states. The state at position `imported` was written by the
    /// import.
    fn history(states: &[StoryState], imported: usize) -> Vec<Revision> {
        let created = [ReplacedValues::default()];
        let changes = states
            .windows(2)
            .map(|pair| ReplacedValues::between(&pair[0], &pair[1]));
        let revision = |(position, before): (usize, ReplacedValues)| Revision {
            at: position as u64,
            by: if position == imported {
                Origin::Import("one".to_owned())
            } else {
                Origin::Owner
            },
            before,
        };
        let all = created.into_iter().chain(changes);
        all.enumerate().map(revision).collect()
    }

    fn undo(state: &StoryState, history: &[Revision]) -> UndoEffect {
        undo_import("one", 0, state, history, false)
    }

    fn undone(states: &[StoryState], imported: usize) -> UndoEffect {
        undo(states.last().unwrap(), &history(states, imported))
    }

    /// Returns the effect that restores this state at the beginning of its next episode.
    fn restored(state: StoryState) -> UndoEffect {
        UndoEffect::Restore(StoryState {
            current_episode_ticks: 0,
            ..state
        })
    }

    #[test]
    fn unchanged_story_gets_its_old_state() {
        let old = state(WatchStatus::Current, 5, 0, "ours");
        let new = state(WatchStatus::Completed, 12, 800, "theirs");
        let states = [old.clone(), new.clone()];
        assert_eq!(undone(&states, 1), restored(old.clone()));
        let changed_back = [old.clone(), new.clone(), old.clone()];
        assert_eq!(undone(&changed_back, 1), UndoEffect::Keep);
        assert_eq!(undone(&[old, new], 2), UndoEffect::Keep, "another import");
    }

    #[test]
    fn later_values_stay() {
        let old = state(WatchStatus::Current, 5, 0, "ours");
        let new = state(WatchStatus::Completed, 12, 800, "theirs");
        let later = state(WatchStatus::Completed, 12, 900, "theirs");
        let expected = restored(state(WatchStatus::Current, 5, 900, "ours"));
        assert_eq!(undone(&[old, new, later], 1), expected);
    }

    #[test]
    fn episode_that_is_being_watched_stays() {
        let old = state(WatchStatus::Current, 5, 0, "");
        let new = state(WatchStatus::Current, 6, 800, "");
        let history = history(&[old, new.clone()], 1);
        let expected = UndoEffect::Restore(state(WatchStatus::Current, 6, 0, ""));
        assert_eq!(undo_import("one", 0, &new, &history, true), expected);
    }

    #[test]
    fn created_story_is_deleted_unless_it_has_changed() {
        let new = state(WatchStatus::Completed, 12, 800, "theirs");
        let later = state(WatchStatus::Completed, 12, 900, "theirs");
        assert_eq!(undone(std::slice::from_ref(&new), 0), UndoEffect::Delete);
        let created = history(std::slice::from_ref(&new), 0);
        let watched_on = undo_import("one", 0, &new, &created, true);
        assert_eq!(watched_on, UndoEffect::Keep);
        assert_eq!(undone(&[new, later], 0), UndoEffect::Keep);
    }

    #[test]
    fn all_changes_of_the_import_are_undone() {
        let old = state(WatchStatus::Current, 5, 0, "ours");
        let first = state(WatchStatus::Current, 5, 800, "ours");
        let between = state(WatchStatus::Current, 7, 800, "mine");
        let second = state(WatchStatus::Completed, 12, 900, "mine");
        let states = [old, first.clone(), between, second.clone()];
        let mut changed = history(&states, 1);
        changed[3].by = Origin::Import("one".to_owned());
        let expected = restored(state(WatchStatus::Current, 7, 0, "mine"));
        assert_eq!(undo(&second, &changed), expected);
        let mut created = history(&[first.clone(), second.clone()], 0);
        created[1].by = Origin::Import("one".to_owned());
        assert_eq!(undo(&second, &created), UndoEffect::Delete);
        // The import is too old to be undone, but the answer to one of its proposals is not.
        let undone = undo_import("one", 1, &second, &created, false);
        assert_eq!(undone, restored(first));
    }

    #[test]
    fn later_import_that_was_undone_is_not_a_change() {
        let first = state(WatchStatus::Current, 5, 0, "");
        let second = state(WatchStatus::Completed, 12, 800, "");
        let states = [first.clone(), second.clone(), first.clone()];
        let mut changes = history(&states, 0);
        changes[1].by = Origin::Import("two".to_owned());
        changes[2].by = Origin::Undo("two".to_owned());
        assert_eq!(undo(&first, &changes), UndoEffect::Delete);
        // The second import is still there.
        assert_eq!(undo(&second, &changes[..2]), UndoEffect::Keep);
        // The second import also changed the story before the first import, so the undo has put back more.
        let before = state(WatchStatus::Planning, 0, 0, "");
        let states = [before, first.clone(), second, first.clone()];
        let mut changes = history(&states, 1);
        for number in [0, 2] {
            changes[number].by = Origin::Import("two".to_owned());
        }
        changes[3].by = Origin::Undo("two".to_owned());
        assert_eq!(undo(&first, &changes), UndoEffect::Keep);
    }

    #[test]
    fn second_undo_changes_nothing() {
        let old = state(WatchStatus::Current, 5, 0, "");
        let new = state(WatchStatus::Current, 6, 800, "");
        let undone = state(WatchStatus::Current, 6, 0, "");
        let mut history = history(&[old, new, undone.clone()], 1);
        history[2].by = Origin::Undo("one".to_owned());
        assert_eq!(undo(&undone, &history), UndoEffect::Keep);
    }

    #[test]
    fn dropped_notes_are_not_restored() {
        let old = state(WatchStatus::Current, 5, 0, "ours");
        let new = state(WatchStatus::Current, 6, 0, "theirs");
        let mut history = history(&[old, new.clone()], 1);
        history[1].before.details.notes = Some(None);
        let expected = restored(state(WatchStatus::Current, 5, 0, "theirs"));
        assert_eq!(undo(&new, &history), expected);
    }
}
