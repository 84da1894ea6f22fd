//! The change history of a story (docs/api.md, "Change history").

use serde::{Deserialize, Serialize};

use super::story_details::deserialize_present;
use super::{
    Details, DetailsChange, Notes, PartialDate, StoryState, TrackerName, UserScore, WatchStatus,
};

/// The origin of a change of a story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Origin {
    /// The owner, on the pages of this service or with a token from sign-in or registration.
    Owner,
    /// The owner, who has changed several selected stories at once, or has undone such a change. Holds the identifier
    /// of the change.
    Selection(String),
    /// A moderator or administrator.
    Moderator,
    /// A program with a profile token of the owner.
    ProfileToken,
    /// The OAuth client with this identifier.
    Application(String),
    /// A tracker.
    Tracker(TrackerName),
    /// The import of a list file. Holds the identifier of the import.
    Import(String),
    /// The undo of the import with this identifier.
    Undo(String),
    /// A player, at the address that the owner gave it (docs/players.md).
    Player {
        /// The identifier among the players of the owner. Earlier versions did not record it.
        id: Option<u8>,
        /// The name at the time of the change.
        name: String,
    },
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Owner => "owner".to_owned(),
            Origin::Selection(selection_id) => format!("selection:{selection_id}"),
            Origin::Moderator => "moderator".to_owned(),
            Origin::ProfileToken => "token".to_owned(),
            Origin::Application(client) => format!("client:{client}"),
            Origin::Tracker(tracker) => tracker.to_string(),
            Origin::Import(import) => format!("import:{import}"),
            Origin::Undo(import) => format!("undo:{import}"),
            Origin::Player { id: None, name } => format!("player:{name}"),
            Origin::Player { id: Some(id), name } => format!("player#{id}:{name}"),
        }
    }
}

impl TryFrom<String> for Origin {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let is_tracker = |tracker: &TrackerName| tracker.to_string() == text;
        if let Some(tracker) = TrackerName::ALL.into_iter().find(is_tracker) {
            return Ok(Self::Tracker(tracker));
        }
        match text.split_once(':').unwrap_or((&text, "")) {
            ("owner", "") => Ok(Self::Owner),
            ("selection", selection_id) => Ok(Self::Selection(selection_id.to_owned())),
            ("moderator", "") => Ok(Self::Moderator),
            ("token", "") => Ok(Self::ProfileToken),
            ("client", client) => Ok(Self::Application(client.to_owned())),
            ("import", import) => Ok(Self::Import(import.to_owned())),
            ("undo", import) => Ok(Self::Undo(import.to_owned())),
            ("player", name) => Ok(Self::Player {
                id: None,
                name: name.to_owned(),
            }),
            (kind, name) => match kind.strip_prefix("player#").map(str::parse) {
                Some(Ok(id)) => Ok(Self::Player {
                    id: Some(id),
                    name: name.to_owned(),
                }),
                _ => Err("not an origin of a change"),
            },
        }
    }
}

/// A change of a story: its time and origin, and the values that it replaced. The serialized names are short,
/// because the row of a story has up to [`MAX_REVISIONS`] revisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FlatRevision")]
pub struct Revision {
    /// The time of the change, in seconds since the Unix epoch.
    pub at: u64,
    /// The origin of the change.
    pub by: Origin,
    /// The values before the change.
    #[serde(flatten)]
    pub before: ReplacedValues,
}

/// A revision, in the form in which it is read. Serde reads flattened fields slowly, because it collects them first,
/// and a history of 20,000 stories has up to a million revisions.
#[derive(Deserialize)]
#[expect(clippy::option_option, reason = "an absent value differs from null")]
struct FlatRevision {
    at: u64,
    by: Origin,
    #[serde(rename = "st", default)]
    status: Option<WatchStatus>,
    #[serde(rename = "ep", default)]
    current_episode: Option<u32>,
    #[serde(rename = "sc", default, deserialize_with = "deserialize_present")]
    score: Option<Option<UserScore>>,
    #[serde(rename = "sd", default, deserialize_with = "deserialize_present")]
    started_on: Option<Option<PartialDate>>,
    #[serde(rename = "fd", default, deserialize_with = "deserialize_present")]
    finished_on: Option<Option<PartialDate>>,
    #[serde(rename = "re", default)]
    repeats: Option<u16>,
    #[serde(rename = "no", default, deserialize_with = "deserialize_present")]
    notes: Option<Option<Notes>>,
    #[serde(rename = "pr", default)]
    private: Option<bool>,
}

impl From<FlatRevision> for Revision {
    fn from(flat: FlatRevision) -> Self {
        Self {
            at: flat.at,
            by: flat.by,
            before: ReplacedValues {
                status: flat.status,
                current_episode: flat.current_episode,
                details: DetailsChange {
                    score: flat.score,
                    started_on: flat.started_on,
                    finished_on: flat.finished_on,
                    repeats: flat.repeats,
                    notes: flat.notes,
                    private: flat.private,
                },
            },
        }
    }
}

impl Revision {
    /// Returns true if this import made the change.
    pub fn is_by_import(&self, import: &str) -> bool {
        matches!(&self.by, Origin::Import(id) if id == import)
    }

    /// Returns true if this change of selected stories, or its undo, made the change.
    pub fn is_by_selection(&self, selection_id: &str) -> bool {
        matches!(&self.by, Origin::Selection(id) if id == selection_id)
    }
}

/// The values that a change replaced, and `None` for each value that it kept. A change that replaced no values is the
/// creation of the story. The watching time of the episode is not recorded, because players write it every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacedValues {
    /// The watch status.
    #[serde(rename = "st", default, skip_serializing_if = "Option::is_none")]
    pub status: Option<WatchStatus>,
    /// The progress ([`StoryState::progress`]), which can be beyond the catalogue's number of episodes. So a larger
    /// catalogue alone changes no value in a history.
    #[serde(rename = "ep", default, skip_serializing_if = "Option::is_none")]
    pub current_episode: Option<u32>,
    /// The details. The notes are `Some(None)` if the change replaced a text that is no longer kept.
    #[serde(flatten)]
    pub details: DetailsChange<Option<Notes>>,
}

/// The maximum number of revisions of a story. Older revisions are dropped.
pub const MAX_REVISIONS: usize = 50;

/// The maximum total length of the notes in a history, in bytes, so that the row of a story stays small. Notes of the
/// maximum length fit: 2,000 characters have at most 8,000 bytes.
const MAX_NOTES_BYTES: usize = 8192;

impl ReplacedValues {
    /// Returns the values of `old` that differ in `new`.
    pub fn between(old: &StoryState, new: &StoryState) -> Self {
        fn replaced<T: PartialEq + Copy>(old: T, new: T) -> Option<T> {
            (old != new).then_some(old)
        }
        Self {
            status: replaced(old.status, new.status),
            current_episode: replaced(old.progress(), new.progress()),
            // The arguments are in reverse order, because `DetailsChange::between` returns the values of its second
            // argument.
            details: DetailsChange::between(&new.details, &old.details),
        }
    }

    /// Returns the status and the episode of a state, and those of its details that differ from the default.
    pub fn of(state: &StoryState) -> Self {
        Self {
            status: Some(state.status),
            current_episode: Some(state.progress()),
            details: DetailsChange::between(&Details::default(), &state.details),
        }
    }

    /// Returns true if the change created the story: it replaced no values.
    pub fn is_creation(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the change replaced notes whose text is no longer kept.
    pub fn has_lost_notes(&self) -> bool {
        self.details.notes == Some(None)
    }

    /// Returns the names of the fields that have a value.
    pub fn field_names(&self) -> Vec<&'static str> {
        let details = &self.details;
        let fields = [
            ("status", self.status.is_some()),
            ("current_episode", self.current_episode.is_some()),
            ("score", details.score.is_some()),
            ("started_on", details.started_on.is_some()),
            ("finished_on", details.finished_on.is_some()),
            ("repeats", details.repeats.is_some()),
            ("notes", details.notes.is_some()),
            ("private", details.private.is_some()),
        ];
        let present = fields.into_iter().filter(|(_, is_present)| *is_present);
        present.map(|(name, _)| name).collect()
    }

    /// Removes the values of the fields that have a value in `other`.
    pub fn remove_fields_of(&mut self, other: &Self) {
        fn remove<T>(value: &mut Option<T>, other: Option<&T>) {
            if other.is_some() {
                *value = None;
            }
        }
        remove(&mut self.status, other.status.as_ref());
        remove(&mut self.current_episode, other.current_episode.as_ref());
        let (details, others) = (&mut self.details, &other.details);
        remove(&mut details.score, others.score.as_ref());
        remove(&mut details.started_on, others.started_on.as_ref());
        remove(&mut details.finished_on, others.finished_on.as_ref());
        remove(&mut details.repeats, others.repeats.as_ref());
        remove(&mut details.notes, others.notes.as_ref());
        remove(&mut details.private, others.private.as_ref());
    }

    /// Adds the values of `other`, a later change with the same origin, for the fields that have no value yet.
    pub fn add_fields_of(&mut self, other: &Self) {
        self.status = self.status.or(other.status);
        self.current_episode = self.current_episode.or(other.current_episode);
        let (details, others) = (&mut self.details, &other.details);
        details.score = details.score.or(others.score);
        details.started_on = details.started_on.or(others.started_on);
        details.finished_on = details.finished_on.or(others.finished_on);
        details.repeats = details.repeats.or(others.repeats);
        details.notes = details.notes.take().or_else(|| others.notes.clone());
        details.private = details.private.or(others.private);
    }

    /// Returns `state` with the values from before the change. Notes that are no longer kept become empty. If the
    /// progress changes, all of it is in `current_episode`. So the caller limits it to the catalogue's number of
    /// episodes before it is stored ([`StoryState::for_count`]).
    pub fn restore(&self, state: &StoryState) -> StoryState {
        let progress = self.current_episode.unwrap_or(state.progress());
        let state = state.clone().with_progress(progress, u32::MAX);
        StoryState {
            status: self.status.unwrap_or(state.status),
            details: self.details.apply_to(&state.details),
            ..state
        }
    }
}

/// Adds a revision at the end of a history, which has the oldest revision first. Drops the oldest revisions above
/// [`MAX_REVISIONS`]. Going from the newest revision to the oldest, drops each text of notes that no longer fits
/// `MAX_NOTES_BYTES`. An older, shorter text may still fit.
pub fn add_revision(history: &mut Vec<Revision>, revision: Revision) {
    history.push(revision);
    let excess = history.len().saturating_sub(MAX_REVISIONS);
    history.drain(..excess);
    let mut bytes_left = MAX_NOTES_BYTES;
    for revision in history.iter_mut().rev() {
        if let Some(notes) = &mut revision.before.details.notes {
            let length = notes.as_ref().map_or(0, |notes| notes.as_str().len());
            match bytes_left.checked_sub(length) {
                Some(rest) => bytes_left = rest,
                None => *notes = None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_REVISIONS, Origin, ReplacedValues, Revision, add_revision};
    use crate::models::{
        Details, Notes, PartialDate, StoryState, TrackerName, UserScore, WatchStatus,
    };

    fn states() -> (StoryState, StoryState) {
        let old = StoryState {
            status: WatchStatus::Current,
            current_episode: 3,
            watched_episodes: None,
            current_episode_ticks: 5,
            details: Details::default(),
        };
        let new = StoryState {
            status: WatchStatus::Completed,
            current_episode: 12,
            watched_episodes: None,
            current_episode_ticks: 5,
            details: Details {
                score: UserScore::from_tenths(875),
                started_on: None,
                finished_on: PartialDate::new(2016, Some(8), None),
                repeats: 1,
                notes: Notes::new("a comet").unwrap(),
                private: true,
            },
        };
        (old, new)
    }

    #[test]
    fn replaced_values_restore_the_state() {
        let (old, new) = states();
        let replaced = ReplacedValues::between(&old, &new);
        assert_eq!(replaced.restore(&new), old);
        assert_eq!(ReplacedValues::between(&new, &old).restore(&old), new);
        assert_eq!(
            ReplacedValues::between(&new, &new),
            ReplacedValues::default()
        );
        assert_eq!(replaced.details.started_on, None, "an unchanged value");
    }

    #[test]
    fn revisions_survive_the_conversion_to_json_and_back() {
        let (old, new) = states();
        let origins = [
            Origin::Owner,
            Origin::Selection("0123456789abcdef".to_owned()),
            Origin::Moderator,
            Origin::ProfileToken,
            Origin::Application("abc".to_owned()),
            Origin::Tracker(TrackerName::A),
            Origin::Tracker(TrackerName::B),
            Origin::Import("0123456789abcdef".to_owned()),
            Origin::Player {
                id: None,
                name: "Living room: Jellyfin".to_owned(),
            },
            Origin::Player {
                id: Some(3),
                name: "Living room: Jellyfin".to_owned(),
            },
        ];
        for by in origins {
            for before in [
                ReplacedValues::between(&old, &new),
                ReplacedValues::between(&new, &old),
                ReplacedValues::default(),
            ] {
                let revision = Revision {
                    at: 7,
                    by: by.clone(),
                    before,
                };
                let json = serde_json::to_string(&revision).unwrap();
                let read: Revision = serde_json::from_str(&json).unwrap();
                assert_eq!(read, revision, "{json}");
            }
        }
    }

    #[test]
    fn history_has_limits() {
        let mut history = Vec::new();
        for at in 0..60 {
            let notes = Notes::new(&at.to_string().repeat(500)).unwrap();
            let mut before = ReplacedValues::default();
            before.details.notes = Some(Some(notes));
            let by = Origin::Owner;
            add_revision(&mut history, Revision { at, by, before });
        }
        let times: Vec<u64> = history.iter().map(|revision| revision.at).collect();
        let expected: Vec<u64> = (60 - MAX_REVISIONS as u64..60).collect();
        assert_eq!(times, expected);
        let kept = history.iter().filter(|revision| {
            let notes = revision.before.details.notes.as_ref().unwrap();
            notes.is_some()
        });
        assert_eq!(kept.count(), 8);
    }
}
