//! The details of a story: score, dates, repeats, notes and privacy (docs/api.md, "Story details").

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{PartialDate, WatchStatus};
use crate::digest::digest;

/// The score that a user gives an anime, from 0.1 to 100 in steps of 0.1. There is no score of 0: requests and trackers
/// use the number 0 for a missing score, which is `None` in this code.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(try_from = "f64", into = "f64")]
#[schema(value_type = f64, minimum = 0, maximum = 100, example = 87.5)]
pub struct UserScore(u16);

impl UserScore {
    /// Returns the score with this number of tenths; `None` if it is not from 1 to 1000.
    pub fn from_tenths(tenths: u16) -> Option<Self> {
        (1..=1000).contains(&tenths).then_some(Self(tenths))
    }

    /// Returns the score in tenths, 1 to 1000.
    pub fn tenths(self) -> u16 {
        self.0
    }

    /// Returns the nearest score that is a multiple of `step` tenths, but not 0.
    #[must_use]
    pub fn round_to(self, step: u16) -> Self {
        let rounded = (self.0 + step / 2) / step * step;
        Self::from_tenths(rounded.max(step)).unwrap_or(self)
    }

    /// Returns the score for a number from 0 to 100 with at most one decimal; `None` for 0, which means that there
    /// is no score.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 1000 once the range is checked"
    )]
    pub fn parse(score: f64) -> Result<Option<Self>, &'static str> {
        let tenths = (score * 10.0).round();
        // The number equals its nearest tenth unless it has more decimals.
        if !(0.0..=100.0).contains(&score) || (tenths / 10.0 - score).abs() > 1e-9 {
            return Err("must be a number from 0 to 100 with at most one decimal");
        }
        Ok(Self::from_tenths(tenths as u16))
    }
}

impl From<UserScore> for f64 {
    fn from(score: UserScore) -> Self {
        Self::from(score.0) / 10.0
    }
}

impl TryFrom<f64> for UserScore {
    type Error = &'static str;

    fn try_from(score: f64) -> Result<Self, &'static str> {
        Self::parse(score)?.ok_or("must be above 0")
    }
}

/// The notes of a user about an anime: at most 2,000 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Notes(String);

impl Notes {
    /// The maximum length, in characters (Unicode scalar values).
    pub const MAX_CHARACTERS: usize = 2000;

    /// Returns the notes with this text. Line breaks become `\n`.
    ///
    /// # Errors
    /// The reason, for the caller: the text is too long, or has control characters other than tabs and line breaks.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if text.chars().count() > Self::MAX_CHARACTERS {
            return Err("must have at most 2000 characters");
        }
        let is_allowed =
            |character: char| matches!(character, '\n' | '\t') || !character.is_control();
        if !text.chars().all(is_allowed) {
            return Err("must not have control characters other than tabs and line breaks");
        }
        Ok(Self(text))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if there are no notes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Notes> for String {
    fn from(notes: Notes) -> Self {
        notes.0
    }
}

impl TryFrom<String> for Notes {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        Self::new(&text)
    }
}

/// The maximum number of repeats of an anime.
pub const MAX_REPEATS: u16 = 9999;

/// The details of a story. Its user can change all of them. The serialized names are the names of attributes in the row
/// of the story.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// The user's score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<UserScore>,
    /// The day on which the user began to watch the anime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_on: Option<PartialDate>,
    /// The day on which the user first completed the anime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_on: Option<PartialDate>,
    /// The number of times that the user has watched the anime again, at most [`MAX_REPEATS`].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u16,
    /// The user's notes.
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub notes: Notes,
    /// True if the story is private (docs/api.md, "Story details"). A private story is not sent to tracker B, which
    /// has no private entries.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// Some of the details. `None` leaves a detail out. `Some(None)` states that there is no score or no date.
///
/// This type describes the details in a change of a story, in an entry of a tracker and in an entry of a list file.
/// It also describes the details that a change replaced. There, `N` is `Option<Notes>`, because the history does not
/// keep all old texts. The serialized names are short, because a story's row has many of them in its history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound(deserialize = "N: Deserialize<'de>"))]
pub struct DetailsChange<N = Notes> {
    /// The score.
    #[serde(rename = "sc", default, deserialize_with = "deserialize_present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<Option<UserScore>>,
    /// The day on which the user began to watch the anime.
    #[serde(rename = "sd", default, deserialize_with = "deserialize_present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_on: Option<Option<PartialDate>>,
    /// The day on which the user first completed the anime.
    #[serde(rename = "fd", default, deserialize_with = "deserialize_present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_on: Option<Option<PartialDate>>,
    /// The number of repeats.
    #[serde(rename = "re", default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u16>,
    /// The notes.
    #[serde(rename = "no", default, deserialize_with = "deserialize_present")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<N>,
    /// True if the story is private.
    #[serde(rename = "pr", default, skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
}

/// Deserializes a field that is present, so that null becomes `Some(None)` if `T` is an `Option`. Only an absent field
/// becomes `None`.
pub(super) fn deserialize_present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl<N: From<Notes>> DetailsChange<N> {
    /// Returns the details of `new` that differ from the details of `old`.
    pub fn between(old: &Details, new: &Details) -> Self {
        fn changed<T: PartialEq + Clone>(old: &T, new: &T) -> Option<T> {
            (old != new).then(|| new.clone())
        }
        Self {
            score: changed(&old.score, &new.score),
            started_on: changed(&old.started_on, &new.started_on),
            finished_on: changed(&old.finished_on, &new.finished_on),
            repeats: changed(&old.repeats, &new.repeats),
            notes: changed(&old.notes, &new.notes).map(N::from),
            private: changed(&old.private, &new.private),
        }
    }
}

impl<N: Clone + Into<Option<Notes>>> DetailsChange<N> {
    /// Returns `details` after this change. Notes whose text is no longer kept become empty.
    pub fn apply_to(&self, details: &Details) -> Details {
        let notes = match &self.notes {
            Some(notes) => {
                let kept: Option<Notes> = notes.clone().into();
                kept.unwrap_or_default()
            }
            None => details.notes.clone(),
        };
        Details {
            score: self.score.unwrap_or(details.score),
            started_on: self.started_on.unwrap_or(details.started_on),
            finished_on: self.finished_on.unwrap_or(details.finished_on),
            repeats: self.repeats.unwrap_or(details.repeats),
            notes,
            private: self.private.unwrap_or(details.private),
        }
    }
}

/// Makes the change that sets all details.
impl<N: From<Notes>> From<Details> for DetailsChange<N> {
    fn from(details: Details) -> Self {
        Self {
            score: Some(details.score),
            started_on: Some(details.started_on),
            finished_on: Some(details.finished_on),
            repeats: Some(details.repeats),
            notes: Some(details.notes.into()),
            private: Some(details.private),
        }
    }
}

/// Everything in a story that its user can change. The serialized names are the names of attributes in the row of the
/// story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryState {
    /// The watch status.
    pub status: WatchStatus,
    /// The number of the current episode, as far as the catalogue counts episodes (docs/api.md, "UserStory").
    pub current_episode: u32,
    /// The number of episodes that the user has watched, if the catalogue counts fewer. It is greater than
    /// `current_episode`, or `None`. Use [`StoryState::progress`] to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched_episodes: Option<u32>,
    /// The watching time of the episode of [`StoryState::progress`], in milliseconds.
    pub current_episode_ticks: u64,
    /// The details.
    #[serde(flatten)]
    pub details: Details,
}

/// The highest progress beyond the catalogue's number of episodes. The longest series have about 8,000 episodes. So a
/// higher number is a mistake.
pub const MAX_PROGRESS: u32 = 9999;

impl StoryState {
    /// Returns the real progress: the number of episodes that the user has watched, even if the catalogue counts fewer.
    pub fn progress(&self) -> u32 {
        self.watched_episodes.unwrap_or(self.current_episode)
    }

    /// Returns the state with this progress. If it differs from the current progress, `current_episode` becomes what an
    /// anime with `episodes_count` episodes allows.
    #[must_use]
    pub fn with_progress(self, progress: u32, episodes_count: u32) -> Self {
        if progress == self.progress() {
            return self;
        }
        let state = Self {
            current_episode: progress,
            watched_episodes: None,
            ..self
        };
        state.for_count(episodes_count)
    }

    /// Returns the state with the same progress, and with the `current_episode` that an anime with `episodes_count`
    /// episodes allows.
    #[must_use]
    pub fn for_count(self, episodes_count: u32) -> Self {
        let progress = self.progress();
        let current_episode = progress.min(episodes_count);
        Self {
            current_episode,
            watched_episodes: Some(progress).filter(|progress| *progress > current_episode),
            ..self
        }
    }

    /// Returns a text that differs between states: status, episode and watching time, separated by `-`. If the story
    /// has details or has progress beyond the catalogue, another `-` and the first 11 characters of a digest of these
    /// follow.
    pub fn tag(&self) -> String {
        let watched = self.watched_tag();
        let details = &self.details;
        if *details == Details::default() && self.watched_episodes.is_none() {
            return watched;
        }
        let date = |date: Option<PartialDate>| date.map(String::from).unwrap_or_default();
        let mut text = vec![
            details.score.map_or(0, UserScore::tenths).to_string(),
            date(details.started_on),
            date(details.finished_on),
            details.repeats.to_string(),
            details.private.to_string(),
            details.notes.as_str().to_owned(),
        ];
        if let Some(episodes) = self.watched_episodes {
            // Without this, the first line is a score, so no notes can make the same text.
            text.insert(0, format!("watched {episodes}"));
        }
        let digest = digest(&text.join("\n"));
        format!("{watched}-{}", &digest[..11])
    }

    /// Returns true if `tag` is the tag of the state, with or without the part for the details. The short form is for
    /// callers that do not know the details of stories.
    pub fn has_tag(&self, tag: &str) -> bool {
        tag == self.watched_tag() || tag == self.tag()
    }

    fn watched_tag(&self) -> String {
        let status = u8::from(self.status);
        let (episode, ticks) = (self.current_episode, self.current_episode_ticks);
        format!("{status}-{episode}-{ticks}")
    }
}

/// A change of a story, or the contents of a new story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryChange {
    /// The new watch status.
    pub status: WatchStatus,
    /// The new number of the current episode.
    pub current_episode: u32,
    /// The new progress, if the change is not limited to the catalogue's number of episodes. `current_episode` is then
    /// what the catalogue allows of it. `None` if the change is about `current_episode` itself, as in the API.
    pub watched_episodes: Option<u32>,
    /// The new watching time of that episode, in milliseconds.
    pub current_episode_ticks: u64,
    /// The change of the details.
    pub details: DetailsChange,
}

/// Makes the change after which a story has exactly this state.
impl From<StoryState> for StoryChange {
    fn from(state: StoryState) -> Self {
        Self {
            status: state.status,
            current_episode: state.current_episode,
            watched_episodes: Some(state.progress()),
            current_episode_ticks: state.current_episode_ticks,
            details: state.details.into(),
        }
    }
}

impl StoryChange {
    /// Returns the progress that the change sets, without the part that depends on the story before the change.
    pub fn progress(&self) -> u32 {
        self.watched_episodes.unwrap_or(self.current_episode)
    }

    /// Returns the state of a story after this change. `before` is the state before the change; `None` for a new story.
    ///
    /// Details that the change leaves out keep their values, except that a new status sets some of them:
    /// - `started_on` becomes `today` when the status becomes CURRENT after PLANNING or in a new story.
    /// - `finished_on` becomes `today` when the status becomes COMPLETED.
    /// - `repeats` increases by one when the status changes from REPEATING to COMPLETED.
    ///
    /// A new status does not change a date that is already set.
    ///
    /// Progress beyond `current_episode` stays, unless the change states the progress, lowers `current_episode`, or
    /// sets the status to PLANNING or REPEATING, which start the progress again.
    pub fn apply(&self, before: Option<&StoryState>, today: PartialDate) -> StoryState {
        let old_status = before.map(|before| before.status);
        let mut details = before
            .map(|before| before.details.clone())
            .unwrap_or_default();
        let status = self.status;
        let begins = status == WatchStatus::Current
            && old_status.is_none_or(|old| old == WatchStatus::Planning);
        let completes =
            status == WatchStatus::Completed && old_status != Some(WatchStatus::Completed);
        let ends_repeat = completes && old_status == Some(WatchStatus::Repeating);
        details.started_on = details.started_on.or(begins.then_some(today));
        details.finished_on = details.finished_on.or(completes.then_some(today));
        let repeats = details.repeats.saturating_add(ends_repeat.into());
        details.repeats = repeats.min(MAX_REPEATS);
        let is_kept = |before: &&StoryState| {
            let begins_again = matches!(status, WatchStatus::Planning | WatchStatus::Repeating)
                && status != before.status;
            self.current_episode >= before.current_episode && !begins_again
        };
        let kept = || before.filter(is_kept)?.watched_episodes;
        let watched_episodes = self.watched_episodes.or_else(kept);
        StoryState {
            status,
            current_episode: self.current_episode,
            watched_episodes: watched_episodes.filter(|watched| *watched > self.current_episode),
            current_episode_ticks: self.current_episode_ticks,
            details: self.details.apply_to(&details),
        }
    }

    /// Returns true if the change sets a date to the current day.
    pub fn sets_date(&self, before: Option<&StoryState>) -> bool {
        let state = |year| PartialDate::new(year, None, None).map(|day| self.apply(before, day));
        state(1900) != state(1901)
    }

    /// Returns the change for an anime that has only `episodes_count` episodes. Returns `None` if the change states an
    /// episode that the anime does not have.
    #[must_use]
    pub fn for_count(self, episodes_count: u32) -> Option<Self> {
        let current_episode = match self.watched_episodes {
            Some(watched) => watched.min(episodes_count),
            None => self.current_episode,
        };
        (current_episode <= episodes_count).then_some(Self {
            current_episode,
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Details, DetailsChange, MAX_REPEATS, Notes, StoryChange, StoryState, UserScore};
    use crate::models::WatchStatus::{Completed, Current, Dropped, Paused, Planning, Repeating};
    use crate::models::{PartialDate, WatchStatus};

    fn day(text: &str) -> PartialDate {
        PartialDate::parse(text).unwrap()
    }

    fn state(status: WatchStatus, details: Details) -> StoryState {
        StoryState {
            status,
            current_episode: 1,
            watched_episodes: None,
            current_episode_ticks: 0,
            details,
        }
    }

    fn change(status: WatchStatus, details: DetailsChange) -> StoryChange {
        StoryChange {
            status,
            current_episode: 1,
            watched_episodes: None,
            current_episode_ticks: 0,
            details,
        }
    }

    fn after(before: Option<(WatchStatus, Details)>, status: WatchStatus) -> Details {
        let change = change(status, DetailsChange::default());
        let before = before.map(|(status, details)| state(status, details));
        change.apply(before.as_ref(), day("2026-11-23")).details
    }

    #[test]
    fn beginning_and_completion_set_dates() {
        let today = Some(day("2026-11-23"));
        for before in [None, Some((Planning, Details::default()))] {
            assert_eq!(after(before.clone(), Current).started_on, today);
            let completed = after(before, Completed);
            assert_eq!((completed.started_on, completed.finished_on), (None, today));
        }
        for status in [Planning, Dropped, Paused, Repeating] {
            assert_eq!(after(None, status), Details::default(), "{status:?}");
        }
    }

    #[test]
    fn changes_that_set_dates_are_known() {
        let sets_date = |before: Option<WatchStatus>, status, details| {
            let before = before.map(|before| state(before, Details::default()));
            change(status, details).sets_date(before.as_ref())
        };
        for (before, status, expected) in [
            (None, Current, true),
            (Some(Current), Completed, true),
            (Some(Current), Current, false),
            (None, Planning, false),
        ] {
            let found = sets_date(before, status, DetailsChange::default());
            assert_eq!(found, expected, "{before:?} {status:?}");
        }
        // The caller states the date, or that there is none.
        for stated in [Some(day("2016-08")), None] {
            let details = DetailsChange {
                started_on: Some(stated),
                ..DetailsChange::default()
            };
            assert!(!sets_date(None, Current, details));
        }
    }

    #[test]
    fn later_changes_keep_dates() {
        let known = Details {
            started_on: Some(day("2016-08")),
            finished_on: Some(day("2016")),
            ..Details::default()
        };
        let empty = Details::default();
        for (before, details, status) in [
            (Planning, &known, Current),
            (Current, &known, Completed),
            (Current, &empty, Current),
            (Paused, &empty, Current),
            (Completed, &empty, Completed),
        ] {
            assert_eq!(after(Some((before, details.clone())), status), *details);
        }
    }

    #[test]
    fn end_of_a_repeat_is_counted() {
        let repeats = |before, repeats, now| {
            let details = Details {
                repeats,
                ..Details::default()
            };
            after(Some((before, details)), now).repeats
        };
        assert_eq!(repeats(Repeating, 1, Completed), 2);
        assert_eq!(repeats(Repeating, MAX_REPEATS, Completed), MAX_REPEATS);
        assert_eq!(repeats(Repeating, 1, Paused), 1);
        assert_eq!(repeats(Completed, 1, Completed), 1);
        assert_eq!(repeats(Current, 1, Completed), 1);
    }

    #[test]
    fn stated_details_override_automatic_ones() {
        let details = DetailsChange {
            score: Some(UserScore::from_tenths(875)),
            finished_on: Some(None),
            repeats: Some(7),
            private: Some(true),
            ..DetailsChange::default()
        };
        let notes = Notes::new("kept").unwrap();
        let before = Details {
            notes: notes.clone(),
            score: UserScore::from_tenths(1),
            ..Details::default()
        };
        let before = state(Repeating, before);
        let after = change(Completed, details).apply(Some(&before), day("2026-11-23"));
        let expected = Details {
            score: UserScore::from_tenths(875),
            repeats: 7,
            notes,
            private: true,
            ..Details::default()
        };
        assert_eq!(after.details, expected);
    }

    #[test]
    fn score_has_at_most_one_decimal() {
        for tenths in 1..=1000 {
            let score = UserScore::from_tenths(tenths).unwrap();
            assert_eq!(UserScore::parse(score.into()), Ok(Some(score)));
        }
        assert_eq!(UserScore::parse(0.0), Ok(None));
        for invalid in [-0.1, 100.1, 87.55, f64::NAN, f64::INFINITY, 1e300] {
            assert!(UserScore::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn notes_have_limits() {
        assert_eq!(Notes::new("a\r\nb\rc\td").unwrap().as_str(), "a\nb\nc\td");
        assert!(Notes::new(&"界".repeat(2000)).is_ok());
        assert!(Notes::new(&"界".repeat(2001)).is_err());
        for control in ["\0", "\u{1b}[31m", "\u{7f}", "\u{85}"] {
            assert!(Notes::new(control).is_err(), "{control:?}");
        }
    }

    fn numbers(state: &StoryState) -> (u32, Option<u32>) {
        (state.current_episode, state.watched_episodes)
    }

    #[test]
    fn episode_is_the_progress_as_far_as_the_catalogue_counts() {
        let one = state(Current, Details::default());
        let ahead = one.clone().with_progress(7, 4);
        assert_eq!((numbers(&ahead), ahead.progress()), ((4, Some(7)), 7));
        assert_eq!(numbers(&ahead.clone().for_count(6)), (6, Some(7)));
        assert_eq!(numbers(&ahead.clone().for_count(12)), (7, None));
        assert_eq!(numbers(&ahead.clone().with_progress(2, 4)), (2, None));
        // The same progress keeps its numbers if the catalogue has shrunk.
        assert_eq!(numbers(&ahead.clone().with_progress(7, 2)), (4, Some(7)));
        assert_eq!(ahead.tag().split('-').count(), 4);
        assert!(ahead.has_tag("0-4-0"));
        assert_ne!(ahead.tag(), one.with_progress(8, 4).tag());
    }

    #[test]
    fn progress_beyond_the_episode_stays_until_a_change_goes_back() {
        let ahead = state(Current, Details::default()).with_progress(7, 4);
        let after = |status, current_episode, watched_episodes| {
            let change = StoryChange {
                current_episode,
                watched_episodes,
                ..change(status, DetailsChange::default())
            };
            numbers(&change.apply(Some(&ahead), day("2016-08-26")))
        };
        assert_eq!(after(Paused, 4, None), (4, Some(7)));
        assert_eq!(after(Current, 5, None), (5, Some(7)));
        assert_eq!(after(Completed, 12, None), (12, None));
        assert_eq!(after(Current, 3, None), (3, None));
        assert_eq!(after(Repeating, 4, None), (4, None));
        assert_eq!(after(Planning, 4, None), (4, None));
        assert_eq!(after(Current, 4, Some(9)), (4, Some(9)));
        assert_eq!(after(Current, 2, Some(2)), (2, None));
    }
}
