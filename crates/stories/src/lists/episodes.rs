//! Changes of a story on the web pages and by players: a watched episode, the undo of the latest change, and the form
//! of an entry (docs/pages.md, "Pages that change a story").

use shared::models::{
    AnimeStatus, Details, DetailsChange, MAX_PROGRESS, MAX_REPEATS, Origin, Revision, StoryChange,
    StoryState, WatchStatus,
};

use super::undo::{UndoEffect, restore_values};

/// Returns the change that adds one more watched episode. If `state` is `None`, the change creates the story. The last
/// episode of an anime that has ended completes the story. If the number of episodes is unknown (0), there is always a
/// next episode, and no episode is the last. Returns `None` if there is no next episode, or if the story is completed.
/// A user who watches a completed anime again must first set its status.
pub fn next_episode(
    state: Option<&StoryState>,
    episodes_count: u32,
    anime_status: AnimeStatus,
) -> Option<StoryChange> {
    let status = state.map_or(WatchStatus::Planning, |state| state.status);
    let watched = state.map_or(0, StoryState::progress);
    let last = match (episodes_count, anime_status) {
        // Nothing has been released, so the number is not unknown.
        (0, AnimeStatus::NotYetReleased) => 0,
        (0, _) => MAX_PROGRESS,
        (count, _) => count,
    };
    if status == WatchStatus::Completed || watched >= last {
        return None;
    }
    watch_episode(state, watched + 1, episodes_count, anime_status)
}

/// Returns true if a story has the status CURRENT and a next episode ([`next_episode`]).
pub fn is_in_progress(state: &StoryState, episodes_count: u32, anime_status: AnimeStatus) -> bool {
    state.status == WatchStatus::Current
        && next_episode(Some(state), episodes_count, anime_status).is_some()
}

/// Returns the change that watching an episode to its end makes. If `state` is `None`, the change creates the story.
/// Only an episode after the last watched one changes something, so the result of several episodes does not depend on
/// their order. Returns `None` if nothing changes, or if the anime has no such episode ([`highest_episode`]).
pub fn watch_episode(
    state: Option<&StoryState>,
    episode: u32,
    episodes_count: u32,
    anime_status: AnimeStatus,
) -> Option<StoryChange> {
    let watched = state.map_or(0, StoryState::progress);
    if episode <= watched || episode > highest_episode(state, episodes_count, anime_status) {
        return None;
    }
    let is_last = episode == episodes_count && anime_status == AnimeStatus::Finished;
    Some(StoryChange {
        status: match state.map(|state| state.status) {
            _ if is_last => WatchStatus::Completed,
            Some(WatchStatus::Repeating) => WatchStatus::Repeating,
            _ => WatchStatus::Current,
        },
        current_episode: episode.min(episodes_count),
        watched_episodes: Some(episode),
        current_episode_ticks: 0,
        details: DetailsChange::default(),
    })
}

/// Returns the change that is made when the user watches the first episode of a completed anime again. An anime of one
/// episode is completed once more. Returns `None` if the story is not completed.
pub fn watch_again(state: &StoryState, episodes_count: u32) -> Option<StoryChange> {
    if state.status != WatchStatus::Completed {
        return None;
    }
    let is_whole = episodes_count == 1;
    let repeats = state.details.repeats.saturating_add(1).min(MAX_REPEATS);
    Some(StoryChange {
        status: if is_whole {
            WatchStatus::Completed
        } else {
            WatchStatus::Repeating
        },
        current_episode: episodes_count.min(1),
        watched_episodes: Some(1),
        current_episode_ticks: 0,
        details: DetailsChange {
            repeats: is_whole.then_some(repeats),
            ..DetailsChange::default()
        },
    })
}

/// Returns the change that takes back the last watched episode. Returns `None` if another episode is the last watched
/// one. If no watched episode is left, the story becomes PLANNING.
pub fn unwatch_episode(
    state: &StoryState,
    episode: u32,
    episodes_count: u32,
) -> Option<StoryChange> {
    if episode == 0 || episode != state.progress() {
        return None;
    }
    let progress = episode - 1;
    let was_completed = state.status == WatchStatus::Completed;
    Some(StoryChange {
        status: match state.status {
            WatchStatus::Completed | WatchStatus::Current if progress == 0 => WatchStatus::Planning,
            WatchStatus::Completed => WatchStatus::Current,
            status => status,
        },
        current_episode: progress.min(episodes_count),
        watched_episodes: Some(progress),
        current_episode_ticks: 0,
        details: DetailsChange {
            finished_on: was_completed.then_some(None),
            ..DetailsChange::default()
        },
    })
}

/// Returns the state with the position in an episode that is being watched, in milliseconds. Only the position in the
/// next episode of a story that is not completed is kept. Returns `None` if nothing changes.
pub fn hold_position(state: &StoryState, episode: u32, position_ms: u64) -> Option<StoryState> {
    let is_next = state.status != WatchStatus::Completed && episode == state.progress() + 1;
    (is_next && state.current_episode_ticks != position_ms).then(|| StoryState {
        current_episode_ticks: position_ms,
        ..state.clone()
    })
}

/// Returns the highest episode that a user can enter. The catalogue can lag behind an anime that still airs, and does
/// not know the number of episodes of some anime (0). So the number is a limit only for an anime that has ended, and
/// not for a story that is already beyond it.
pub fn highest_episode(
    state: Option<&StoryState>,
    episodes_count: u32,
    anime_status: AnimeStatus,
) -> u32 {
    let has_ended = matches!(anime_status, AnimeStatus::Finished | AnimeStatus::Cancelled);
    let progress = state.map_or(0, StoryState::progress);
    let highest = episodes_count.max(progress);
    if has_ended && episodes_count > 0 {
        highest
    } else {
        highest.max(MAX_PROGRESS)
    }
}

/// Returns the effect of undoing the latest change of a story. `history` has the oldest change first. Only a change
/// by the owner or a player is undone. A change by an application, a profile token, a tracker, an import or a
/// moderator stays.
pub fn undo_latest(state: &StoryState, history: &[Revision]) -> UndoEffect {
    let is_own = |latest: &&Revision| {
        matches!(
            latest.by,
            Origin::Owner | Origin::Selection(_) | Origin::Player { .. }
        )
    };
    let Some(latest) = history.last().filter(is_own) else {
        return UndoEffect::Keep;
    };
    if latest.before.is_creation() {
        return UndoEffect::Delete;
    }
    UndoEffect::Restore(restore_values(latest.before.clone(), state))
}

/// The values that a form of an entry sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormValues {
    /// The watch status.
    pub status: WatchStatus,
    /// The progress, which can be beyond the catalogue's number of episodes.
    pub progress: u32,
    /// The details.
    pub details: Details,
}

/// Returns the change that a form with these values makes. `before` is the story that the form showed, if it showed
/// a story. Values that the user left unchanged follow the new status:
/// - The details change as in [`StoryChange::apply`].
/// - The episode becomes `episodes_count` with COMPLETED, and 0 with PLANNING and with REPEATING after COMPLETED.
pub fn change_by_form(
    before: Option<&StoryState>,
    values: FormValues,
    episodes_count: u32,
) -> StoryChange {
    let FormValues {
        status,
        progress,
        details,
    } = values;
    let old_status = before.map(|before| before.status);
    let old_progress = before.map_or(0, StoryState::progress);
    let has_new_status = old_status != Some(status);
    let progress = match status {
        _ if progress != old_progress || !has_new_status => progress,
        WatchStatus::Completed => progress.max(episodes_count),
        WatchStatus::Planning => 0,
        WatchStatus::Repeating if old_status == Some(WatchStatus::Completed) => 0,
        _ => progress,
    };
    let ticks = before.filter(|before| before.progress() == progress);
    let old_details = before.map(|before| before.details.clone());
    StoryChange {
        status,
        current_episode: progress.min(episodes_count),
        watched_episodes: Some(progress),
        current_episode_ticks: ticks.map_or(0, |before| before.current_episode_ticks),
        details: DetailsChange::between(&old_details.unwrap_or_default(), &details),
    }
}

#[cfg(test)]
mod tests {
    use shared::models::AnimeStatus::{Cancelled, Finished, NotYetReleased, Releasing};
    use shared::models::WatchStatus::{
        self, Completed, Current, Dropped, Paused, Planning, Repeating,
    };
    use shared::models::{
        Details, MAX_PROGRESS, Notes, Origin, PartialDate, ReplacedValues, Revision, StoryChange,
        StoryState, TrackerName, UserScore,
    };

    use super::{
        FormValues, change_by_form, highest_episode, hold_position, next_episode, undo_latest,
        unwatch_episode, watch_again, watch_episode,
    };
    use crate::examples;
    use crate::lists::undo::UndoEffect;

    fn state(status: WatchStatus, episode: u32) -> StoryState {
        StoryState {
            current_episode_ticks: 7,
            ..examples::state(status, episode)
        }
    }

    fn today() -> PartialDate {
        PartialDate::parse("2026-11-23").unwrap()
    }

    /// Returns status, episode and watching time after the next episode of an anime with 12 episodes.
    fn after(before: Option<(WatchStatus, u32)>) -> Option<(WatchStatus, u32, u64)> {
        let before = before.map(|(status, episode)| state(status, episode));
        let change = next_episode(before.as_ref(), 12, Finished)?;
        let after = change.apply(before.as_ref(), today());
        Some((
            after.status,
            after.current_episode,
            after.current_episode_ticks,
        ))
    }

    #[test]
    fn next_episode_begins_and_continues() {
        assert_eq!(after(None), Some((Current, 1, 0)));
        assert_eq!(after(Some((Planning, 0))), Some((Current, 1, 0)));
        assert_eq!(after(Some((Planning, 4))), Some((Current, 5, 0)));
        for status in [Current, Paused, Dropped] {
            let after = after(Some((status, 3)));
            assert_eq!(after, Some((Current, 4, 0)), "{status:?}");
        }
        assert_eq!(after(Some((Repeating, 3))), Some((Repeating, 4, 0)));
    }

    #[test]
    fn last_episode_of_an_anime_that_has_ended_completes() {
        for status in [Planning, Current, Paused, Dropped, Repeating] {
            let expected = Some((Completed, 12, 0));
            assert_eq!(after(Some((status, 11))), expected, "{status:?}");
        }
        let film = next_episode(None, 1, Finished).unwrap();
        assert_eq!((film.status, film.current_episode), (Completed, 1));
        let airing = next_episode(Some(&state(Current, 11)), 12, Releasing).unwrap();
        assert_eq!((airing.status, airing.current_episode), (Current, 12));
        let repeated = next_episode(Some(&state(Repeating, 11)), 12, Finished).unwrap();
        let repeated = repeated.apply(Some(&state(Repeating, 11)), today());
        assert_eq!(repeated.details.repeats, 1);
        assert_eq!(repeated.details.finished_on, Some(today()));
    }

    #[test]
    fn there_is_no_episode_after_the_last() {
        assert_eq!(after(Some((Completed, 12))), None);
        assert_eq!(after(Some((Completed, 3))), None);
        for status in [Current, Paused, Dropped, Repeating, Planning] {
            assert_eq!(after(Some((status, 12))), None, "{status:?}");
            assert_eq!(after(Some((status, u32::MAX))), None, "{status:?}");
        }
        assert_eq!(next_episode(None, 0, NotYetReleased), None);
    }

    /// Returns the state after these episodes of an anime with 12 episodes, in this order.
    fn watched(before: Option<&StoryState>, episodes: &[u32]) -> Option<StoryState> {
        let mut state = before.cloned();
        for episode in episodes {
            let change = watch_episode(state.as_ref(), *episode, 12, Finished);
            if let Some(change) = change {
                state = Some(change.apply(state.as_ref(), today()));
            }
        }
        state
    }

    fn permutations(episodes: &[u32]) -> Vec<Vec<u32>> {
        if episodes.is_empty() {
            return vec![Vec::new()];
        }
        let places = 0..episodes.len();
        let with_first = places.flat_map(|place| {
            let mut rest = episodes.to_vec();
            let first = rest.remove(place);
            let rest = permutations(&rest).into_iter();
            rest.map(move |rest| [vec![first], rest].concat())
        });
        with_first.collect()
    }

    #[test]
    fn order_of_watched_episodes_does_not_matter() {
        let statuses = [Current, Planning, Dropped, Paused, Repeating];
        let mut starts = vec![None, Some(state(Completed, 12))];
        for status in statuses {
            starts.extend([0, 2, 11, 12].map(|episode| Some(state(status, episode))));
        }
        // Episodes 0 and 13 do not exist. Episode 3 comes twice.
        for start in starts {
            for episodes in [&[1, 3, 12, 3][..], &[0, 5, 13, 2], &[4, 11, 1], &[12, 1]] {
                // If the last episode comes first, the day on which the user began is unknown.
                let after = |order: &[u32]| {
                    let mut after = watched(start.as_ref(), order)?;
                    after.details.started_on = None;
                    Some(after)
                };
                let expected = after(episodes);
                for order in permutations(episodes) {
                    let after = after(&order);
                    assert_eq!(after, expected, "{start:?} {order:?}");
                    let progress = after.as_ref().map_or(0, StoryState::progress);
                    let before = start.as_ref().map_or(0, StoryState::progress);
                    assert!(progress >= before, "{start:?} {order:?}");
                }
            }
        }
    }

    #[test]
    fn watched_episode_changes_the_status() {
        let after = |status, episode| {
            let after = watched(Some(&state(status, 5)), &[episode])?;
            Some((after.status, after.current_episode))
        };
        for status in [Planning, Paused, Dropped, Current] {
            assert_eq!(after(status, 9), Some((Current, 9)), "{status:?}");
            assert_eq!(after(status, 5), Some((status, 5)), "{status:?}");
        }
        assert_eq!(after(Repeating, 9), Some((Repeating, 9)));
        assert_eq!(after(Repeating, 12), Some((Completed, 12)));
        assert_eq!(watched(None, &[13]), None);
        // The catalogue lags behind, or does not know the number.
        assert!(watch_episode(None, 13, 12, Releasing).is_some());
        assert!(watch_episode(None, 13, 0, Finished).is_some());
    }

    #[test]
    fn first_episode_starts_a_completed_anime_again() {
        let completed = state(Completed, 12);
        let after = |before: &StoryState, episodes_count| {
            let again = watch_again(before, episodes_count).unwrap();
            let again = again.apply(Some(before), today());
            (again.status, again.progress(), again.details.repeats)
        };
        assert_eq!(after(&completed, 12), (Repeating, 1, 0));
        assert_eq!(after(&state(Completed, 1), 1), (Completed, 1, 1), "a film");
        assert_eq!(watch_again(&state(Current, 12), 12), None);
    }

    #[test]
    fn only_the_last_watched_episode_is_taken_back() {
        let after = |status, progress, episode| {
            let before = state(status, progress);
            let change = unwatch_episode(&before, episode, 12)?;
            let after = change.apply(Some(&before), today());
            Some((after.status, after.progress()))
        };
        assert_eq!(after(Current, 5, 5), Some((Current, 4)));
        assert_eq!(after(Completed, 12, 12), Some((Current, 11)));
        assert_eq!(after(Completed, 1, 1), Some((Planning, 0)));
        assert_eq!(after(Repeating, 1, 1), Some((Repeating, 0)));
        assert_eq!(after(Dropped, 3, 3), Some((Dropped, 2)));
        for episode in [0, 4, 6] {
            assert_eq!(after(Current, 5, episode), None, "{episode}");
        }
        assert_eq!(after(Planning, 0, 0), None);
    }

    #[test]
    fn position_is_held_for_the_next_episode_only() {
        let held = hold_position(&state(Current, 3), 4, 90).unwrap();
        assert_eq!((held.current_episode, held.current_episode_ticks), (3, 90));
        for (status, episode, position) in [
            (Current, 3, 90),
            (Current, 5, 90),
            (Current, 4, 7),
            (Completed, 4, 90),
        ] {
            let held = hold_position(&state(status, 3), episode, position);
            assert_eq!(held, None, "{status:?} {episode}");
        }
    }

    /// Returns the state of a story about an anime with `count` episodes.
    fn beyond(status: WatchStatus, progress: u32, count: u32) -> StoryState {
        state(status, 0).with_progress(progress, count)
    }

    #[test]
    fn unknown_number_of_episodes_has_always_a_next_one() {
        for anime_status in [Finished, Releasing] {
            let mut before = None;
            for number in 1..=3 {
                let change = next_episode(before.as_ref(), 0, anime_status).unwrap();
                let after = change.apply(before.as_ref(), today());
                assert_eq!(after.status, Current, "none is the last");
                let episodes = (after.current_episode, after.watched_episodes);
                assert_eq!(episodes, (0, Some(number)));
                before = Some(after);
            }
        }
        let last = beyond(Current, MAX_PROGRESS, 0);
        assert_eq!(next_episode(Some(&last), 0, Releasing), None);
        // The catalogue knows the number by now.
        let change = next_episode(Some(&beyond(Current, 3, 0)), 12, Finished).unwrap();
        let after = change.apply(Some(&beyond(Current, 3, 0)), today());
        assert_eq!((after.current_episode, after.watched_episodes), (4, None));
        let ahead = beyond(Current, 13, 12);
        assert_eq!(next_episode(Some(&ahead), 12, Finished), None);
    }

    #[test]
    fn only_the_episodes_of_an_anime_that_has_ended_are_a_limit() {
        let watched = beyond(Current, 14, 12);
        for (state, count, status, expected) in [
            (None, 12, Finished, 12),
            (None, 12, Cancelled, 12),
            (Some(&watched), 12, Finished, 14),
            (None, 0, Finished, MAX_PROGRESS),
            (None, 12, Releasing, MAX_PROGRESS),
            (None, 0, NotYetReleased, MAX_PROGRESS),
            (None, 20_000, Releasing, 20_000),
        ] {
            assert_eq!(highest_episode(state, count, status), expected);
        }
    }

    fn revision(by: Origin, before: ReplacedValues) -> Revision {
        Revision { at: 7, by, before }
    }

    #[test]
    fn undo_restores_the_state_before_the_next_episode() {
        for (status, episode) in [(Planning, 0), (Current, 11), (Repeating, 11), (Paused, 2)] {
            let before = state(status, episode);
            let change = next_episode(Some(&before), 12, Finished).unwrap();
            let after = change.apply(Some(&before), today());
            let created = revision(Origin::Import("one".to_owned()), ReplacedValues::default());
            let changed = revision(Origin::Owner, ReplacedValues::between(&before, &after));
            let expected = StoryState {
                current_episode_ticks: 0,
                ..before
            };
            let undone = undo_latest(&after, &[created, changed]);
            assert_eq!(undone, UndoEffect::Restore(expected.clone()), "{status:?}");
            // No automatic detail comes back.
            let restored = StoryChange::from(expected.clone()).apply(Some(&after), today());
            assert_eq!(restored, expected);
        }
    }

    #[test]
    fn undo_of_the_creation_deletes() {
        let created = revision(Origin::Owner, ReplacedValues::default());
        let undone = undo_latest(&state(Current, 1), &[created]);
        assert_eq!(undone, UndoEffect::Delete);
    }

    #[test]
    fn changes_of_others_are_not_undone() {
        let (before, after) = (state(Current, 1), state(Current, 2));
        assert_eq!(undo_latest(&after, &[]), UndoEffect::Keep);
        let (id, name) = (Some(0), "server".to_owned());
        let change = ReplacedValues::between(&before, &after);
        let by_player = revision(Origin::Player { id, name }, change.clone());
        let expected = StoryState {
            current_episode_ticks: 0,
            ..before
        };
        let undone = undo_latest(&after, &[by_player]);
        assert_eq!(undone, UndoEffect::Restore(expected));
        let others = [
            Origin::Moderator,
            Origin::ProfileToken,
            Origin::Application("one".to_owned()),
            Origin::Tracker(TrackerName::A),
            Origin::Import("one".to_owned()),
            Origin::Undo("one".to_owned()),
        ];
        for by in others {
            let own = revision(Origin::Owner, ReplacedValues::default());
            let later = revision(by.clone(), change.clone());
            let undone = undo_latest(&after, &[own, later]);
            assert_eq!(undone, UndoEffect::Keep, "{by:?}");
        }
    }

    #[test]
    fn notes_that_are_no_longer_kept_stay() {
        let mut now = state(Current, 2);
        now.details.notes = Notes::new("new").unwrap();
        let mut before = ReplacedValues::between(&state(Current, 1), &state(Current, 2));
        before.details.notes = Some(None);
        let expected = StoryState {
            current_episode: 1,
            current_episode_ticks: 0,
            ..now.clone()
        };
        let undone = undo_latest(&now, &[revision(Origin::Owner, before)]);
        assert_eq!(undone, UndoEffect::Restore(expected));
    }

    fn by_form(
        before: Option<&StoryState>,
        status: WatchStatus,
        episode: u32,
        details: Details,
    ) -> StoryState {
        let values = FormValues {
            status,
            progress: episode,
            details,
        };
        change_by_form(before, values, 12).apply(before, today())
    }

    #[test]
    fn values_that_a_form_leaves_follow_the_status() {
        let watching = state(Current, 5);
        let details = Details::default;
        let numbers = |state: &StoryState| {
            let (episode, ticks) = (state.current_episode, state.current_episode_ticks);
            (episode, state.progress(), ticks)
        };
        let completed = by_form(Some(&watching), Completed, 5, details());
        assert_eq!(numbers(&completed), (12, 12, 0));
        assert_eq!(completed.details.finished_on, Some(today()));
        let planned = by_form(Some(&watching), Planning, 5, details());
        assert_eq!(planned.current_episode, 0);
        let again = by_form(Some(&completed), Repeating, 12, completed.details.clone());
        assert_eq!(again.current_episode, 0);
        assert_eq!(again.details, completed.details);
        let paused = by_form(Some(&watching), Paused, 5, details());
        assert_eq!(numbers(&paused), (5, 5, 7));
        let started = by_form(None, Current, 0, details());
        assert_eq!(started.details.started_on, Some(today()));
        // The story is beyond the catalogue's 12 episodes.
        let ahead = beyond(Current, 14, 12);
        let paused = by_form(Some(&ahead), Paused, 14, details());
        assert_eq!(numbers(&paused), (12, 14, 7));
        let completed = by_form(Some(&ahead), Completed, 14, details());
        assert_eq!((completed.current_episode, completed.progress()), (12, 14));
        let again = by_form(Some(&completed), Repeating, 14, details());
        assert_eq!(again.progress(), 0);
    }

    #[test]
    fn values_that_a_form_changes_count() {
        let watching = state(Current, 5);
        let details = Details {
            score: UserScore::from_tenths(80),
            finished_on: PartialDate::parse("2016").ok(),
            repeats: 3,
            notes: Notes::new("a comet").unwrap(),
            private: true,
            ..Details::default()
        };
        let after = by_form(Some(&watching), Completed, 6, details.clone());
        assert_eq!((after.current_episode, after.current_episode_ticks), (6, 0));
        assert_eq!(after.details, details);
        let emptied = by_form(Some(&after), Completed, 6, Details::default());
        assert_eq!(emptied.details, Details::default());
        assert_eq!(emptied.current_episode, 6);
    }
}
