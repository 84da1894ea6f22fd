//! The stories in the file with everything stored about a user.

use std::cell::RefCell;
use std::collections::BTreeMap;

use catalogue::AnimeSummaries;
use catalogue::index::AnimeSummary;
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use shared::models::{AnimeId, LinkedAccounts, PerTracker, TrackerName, UserStory};
use utoipa::ToSchema;

use super::rows::{DeletedStory, StoryPart, UserData};
use crate::document::document;
use crate::lists::details::{StoryDetails, WireTime, seconds};
use crate::lists::revisions::{StoryRevision, list_revisions};
use crate::lists::user_story::Story;

/// The stories of a user. They are read while they are written, because all stories together could need a lot of
/// memory. So they can be written only once.
pub(super) struct StoriesOnce<'d> {
    linked: LinkedAccounts,
    parts: RefCell<&'d mut dyn Iterator<Item = StoryPart>>,
    /// The names of the clients so far.
    client_names: RefCell<BTreeMap<String, String>>,
    /// The deleted stories so far. There are few of them.
    deleted: RefCell<Vec<Box<RawValue>>>,
}

impl<'d> StoriesOnce<'d> {
    pub(super) fn new(data: &UserData, parts: &'d mut dyn Iterator<Item = StoryPart>) -> Self {
        Self {
            linked: data.account.linked,
            parts: RefCell::new(parts),
            client_names: RefCell::new(data.client_names.clone()),
            deleted: RefCell::default(),
        }
    }
}

/// The stories that are not deleted.
pub(super) struct StoryDocuments<'d>(pub(super) &'d StoriesOnce<'d>);

impl Serialize for StoryDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(once) = self;
        let mut names = once.client_names.borrow_mut();
        let mut all_deleted = once.deleted.borrow_mut();
        let mut documents = serializer.serialize_seq(None)?;
        for StoryPart { rows, anime } in &mut **once.parts.borrow_mut() {
            names.extend(rows.client_names);
            let facts = StoryFacts {
                linked: once.linked,
                anime: &anime,
                client_names: &names,
            };
            for story in &rows.stories {
                documents.serialize_element(&UserDataStory::new(story, facts))?;
            }
            for deleted in &rows.deleted {
                let document = to_raw_value(&UserDataDeletedStory::new(deleted, facts));
                all_deleted.push(document.map_err(S::Error::custom)?);
            }
        }
        documents.end()
    }
}

/// The deleted stories. They are known once the other stories are written.
pub(super) struct DeletedStoryDocuments<'d>(pub(super) &'d StoriesOnce<'d>);

impl Serialize for DeletedStoryDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.deleted.borrow().serialize(serializer)
    }
}

/// The facts that the documents of stories need besides the stories.
#[derive(Clone, Copy)]
pub(super) struct StoryFacts<'d> {
    linked: LinkedAccounts,
    anime: &'d AnimeSummaries,
    client_names: &'d BTreeMap<String, String>,
}

document! {
    /// A story.
    #[derive(Serialize, ToSchema)]
    pub(super) struct UserDataStory<'d>(story: &Story, facts: StoryFacts<'d>) {
        #[serde(flatten)]
        story: UserStory = story.into(),
        /// The anime; null if the catalogue no longer has it.
        #[schema(required = true)]
        anime: Option<UserDataAnime<'d>> = facts.anime.get(story.anime_id).map(UserDataAnime::new),
        details: StoryDetails = StoryDetails::new(&story.into(), facts.linked),
        /// Synchronization with each tracker, by the tracker's name; null if the story was never synchronized with it.
        #[schema(
            value_type = Object,
            example = json!({"tracker_a": {"account": 5, "synced": true}, "tracker_b": null})
        )]
        sync: PerTracker<Option<UserDataStorySync>> =
            PerTracker::from_fn(|tracker| sync_of(story, tracker)),
        /// The latest changes, newest first.
        history: Vec<StoryRevision> = list_revisions(story, facts.client_names),
    }
}

document! {
    /// The title and the identifiers of an anime.
    #[derive(Serialize, ToSchema)]
    struct UserDataAnime<'d>(anime: AnimeSummary<'d>) {
        /// Title.
        #[schema(example = "Cowboy Bebop")]
        title: &'d str = anime.title,
        /// Identifier at the first external tracker.
        #[schema(required = true, example = 1)]
        tracker_a_id: Option<u32> = anime.trackers.a,
        /// Identifier at the second external tracker.
        #[schema(required = true, example = 1)]
        tracker_b_id: Option<u32> = anime.trackers.b,
    }
}

/// Returns the synchronization of a story with a tracker.
fn sync_of(story: &Story, tracker: TrackerName) -> Option<UserDataStorySync> {
    let sync_state = story.sync_state(tracker)?;
    Some(UserDataStorySync {
        account: sync_state.account,
        synced: sync_state.is_synced(story.version),
    })
}

/// The synchronization of a story with a tracker.
#[derive(Serialize)]
struct UserDataStorySync {
    /// The account at the tracker.
    account: u64,
    /// True if the tracker has the latest state of the story.
    synced: bool,
}

document! {
    /// A deleted story.
    #[derive(Serialize, ToSchema)]
    pub(super) struct UserDataDeletedStory<'d>(story: &DeletedStory, facts: StoryFacts<'d>) {
        /// Identifier of the anime.
        anime_id: AnimeId = story.anime_id,
        /// Time of the deletion.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        deleted_at: WireTime = seconds(story.deleted_at),
        /// Time at which this entry expires.
        #[schema(value_type = String, format = DateTime, example = "2016-11-25T12:00:00Z")]
        expires_at: WireTime = seconds(story.expires_at * 1000),
        /// The story before its deletion. Only for a story that was selected on the list and deleted in one step,
        /// because this can be undone.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        story: Option<UserDataStory<'d>> =
            story.story.as_ref().map(|deleted| UserDataStory::new(deleted, facts)),
    }
}
