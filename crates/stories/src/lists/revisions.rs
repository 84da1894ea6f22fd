//! The changes of a story in responses and files (docs/api.md, "Change history").

use std::collections::BTreeMap;

use serde::Serialize;
use shared::models::{Origin, PartialDate, ReplacedValues, TrackerName, UserScore, WatchStatus};
use utoipa::ToSchema;

use super::details::{WireTime, seconds};
use super::user_story::Story;

/// A change of a story.
#[derive(Serialize, ToSchema)]
pub struct StoryRevision {
    /// Time of the change.
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    changed_at: WireTime,
    by: RevisionOrigin,
    /// Identifier of the application, if an application made the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Name of the application, unless it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    application: Option<String>,
    /// Name of the player, if a player made the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    player: Option<String>,
    /// True if the change created the story. `from` is then empty.
    created: bool,
    /// The changed fields with their values before the change.
    from: RevisedFields,
    /// The changed fields with their values after the change; all fields of a new story that have a value.
    to: RevisedFields,
}

/// The origin of a change: the owner, on this site or with a token from sign-in or registration; a moderator; a token
/// that the owner made on the profile page; an application; a tracker; an import of a list file; the undo of an
/// import; or a player.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RevisionOrigin {
    Owner,
    Moderator,
    ProfileToken,
    Application,
    TrackerA,
    TrackerB,
    Import,
    ImportUndo,
    Player,
}

impl From<&Origin> for RevisionOrigin {
    fn from(origin: &Origin) -> Self {
        match origin {
            Origin::Owner | Origin::Selection(_) => Self::Owner,
            Origin::Moderator => Self::Moderator,
            Origin::ProfileToken => Self::ProfileToken,
            Origin::Application(_) => Self::Application,
            Origin::Tracker(TrackerName::A) => Self::TrackerA,
            Origin::Tracker(TrackerName::B) => Self::TrackerB,
            Origin::Import(_) => Self::Import,
            Origin::Undo(_) => Self::ImportUndo,
            Origin::Player { .. } => Self::Player,
        }
    }
}

/// The fields that a change concerns. All others are absent.
#[derive(Serialize, ToSchema)]
#[expect(clippy::option_option, reason = "an absent value differs from null")]
struct RevisedFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<WatchStatus>,
    // The progress, which can be beyond the catalogue's number of episodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    current_episode: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, example = 87.5)]
    score: Option<Option<UserScore>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2016-08-26")]
    started_on: Option<Option<PartialDate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2016-09")]
    finished_on: Option<Option<PartialDate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    repeats: Option<u16>,
    /// The notes. Null if their text is no longer kept. For applications, moderators and administrators, old notes are
    /// always null.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    private: Option<bool>,
}

impl From<ReplacedValues> for RevisedFields {
    fn from(values: ReplacedValues) -> Self {
        let details = values.details;
        Self {
            status: values.status,
            current_episode: values.current_episode,
            score: details.score,
            started_on: details.started_on,
            finished_on: details.finished_on,
            repeats: details.repeats,
            notes: details.notes.map(|notes| notes.map(String::from)),
            private: details.private,
        }
    }
}

/// Returns the changes of a story, newest first. `names` has the names of applications by client identifier. A revision
/// has only the values before its change. So this function goes back from the current state to find the values after
/// each change.
pub fn list_revisions(story: &Story, names: &BTreeMap<String, String>) -> Vec<StoryRevision> {
    let mut after = story.state.clone();
    // True if the text of the notes of `after` is still kept.
    let mut are_notes_known = true;
    let mut revisions = Vec::with_capacity(story.history.len());
    for revision in story.history.iter().rev() {
        let created = revision.before.is_creation();
        let before = revision.before.restore(&after);
        let mut to = if created {
            ReplacedValues::of(&after)
        } else {
            ReplacedValues::between(&after, &before)
        };
        if revision.before.has_lost_notes() {
            // `restore` put empty notes in place of the lost text. So if the change emptied the notes, `between`
            // finds no difference, and the notes are set here.
            to.details.notes = Some(Some(after.details.notes.clone()));
        }
        if !are_notes_known {
            to.details.notes = to.details.notes.map(|_| None);
        }
        if revision.before.details.notes.is_some() {
            are_notes_known = !revision.before.has_lost_notes();
        }
        let (client_id, player) = match &revision.by {
            Origin::Application(client_id) => (Some(client_id.clone()), None),
            Origin::Player { name, .. } => (None, Some(name.clone())),
            _ => (None, None),
        };
        revisions.push(StoryRevision {
            changed_at: seconds(revision.at * 1000),
            by: RevisionOrigin::from(&revision.by),
            player,
            application: client_id.as_ref().and_then(|id| names.get(id).cloned()),
            client_id,
            created,
            from: revision.before.clone().into(),
            to: to.into(),
        });
        after = before;
    }
    revisions
}
