//! Stories without their histories, as lists show them, and their form in the index `Listed`.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynamo::{Item, read};
use serde::{Deserialize, Serialize};
use shared::models::{
    AnimeId, Details, LinkedAccounts, Notes, PartialDate, StoryId, StoryState, SyncState, UserId,
    UserScore, UserStory, WatchStatus, WireEnum,
};
use shared::{Error, Result};

use crate::lists::user_story::{LISTED, Story, is_tombstone, read_sync_state};

/// The version of the form. A change that earlier versions of the service cannot read needs another number and a
/// migration (cli/src/migrations). Rows of another version are read from the table instead.
const FORMAT: u8 = 1;

/// A story, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedStory {
    /// The owner.
    pub user_id: UserId,
    /// The anime.
    pub anime_id: AnimeId,
    /// Everything that the user can change.
    pub state: StoryState,
    /// Counts the changes ([`Story::version`]).
    pub version: u64,
    /// The number of the last change ([`Story::change_number`]).
    pub change_number: u64,
    /// The time of the creation, in milliseconds since the Unix epoch.
    pub created_at: u64,
    /// The time of the last change, in milliseconds since the Unix epoch ([`Story::last_changed_at`]).
    pub changed_at: u64,
    /// The accounts at trackers with which the story is synced.
    pub synced: LinkedAccounts,
}

impl ListedStory {
    /// Returns true if the user has completed the anime at least once, and has not dropped it since.
    pub(crate) fn is_finished(&self) -> bool {
        match self.state.status {
            WatchStatus::Completed | WatchStatus::Repeating => true,
            WatchStatus::Dropped => false,
            _ => self.state.details.repeats > 0,
        }
    }

    /// Returns the identifier.
    pub fn id(&self) -> StoryId {
        StoryId::of(self.user_id, self.anime_id)
    }

    /// Returns the position in the user's list ([`Story::order_at`]).
    pub fn order(&self) -> u128 {
        Story::order_at(self.created_at, self.anime_id)
    }

    /// Returns true if the story is synced with every usable linked account (docs/trackers.md, "The synced
    /// flag"); false without such an account.
    pub fn is_synced(&self, linked: LinkedAccounts) -> bool {
        linked.each().next().is_some()
            && linked
                .each()
                .all(|linked| self.synced.each().any(|synced| synced == linked))
    }
}

impl From<&Story> for ListedStory {
    fn from(story: &Story) -> Self {
        Self {
            user_id: story.user_id,
            anime_id: story.anime_id,
            state: story.state.clone(),
            version: story.version,
            change_number: story.change_number,
            created_at: story.created_at(),
            changed_at: story.last_changed_at(),
            synced: synced_accounts(story.version, story.tracker_a, story.tracker_b),
        }
    }
}

/// Returns the accounts with which this version of a story is synced, given its sync states.
fn synced_accounts(version: u64, a: Option<SyncState>, b: Option<SyncState>) -> LinkedAccounts {
    let account = |state: Option<SyncState>| {
        let synced = state.filter(|state| state.is_synced(version));
        synced.map(|state| state.account)
    };
    LinkedAccounts {
        tracker_a_account: account(a),
        tracker_b_account: account(b),
    }
}

impl From<&ListedStory> for UserStory {
    fn from(story: &ListedStory) -> Self {
        Self::new(story.id(), &story.state)
    }
}

/// The attribute `listed`: a story in few bytes. The key and the sync states are attributes of the index.
#[derive(Serialize, Deserialize)]
struct PackedStory<'p> {
    format: u8,
    /// The number of the change that wrote this attribute. An earlier version of the service changes a story without
    /// changing this attribute, and then the numbers differ.
    change_number: u64,
    version: u64,
    status: u8,
    current_episode: u32,
    watched_episodes: Option<u32>,
    current_episode_ticks: u64,
    score_tenths: u16,
    /// The dates as numbers: 20160826 for a day, 20160800 for a month, 20160000 for a year.
    started_on: u32,
    finished_on: u32,
    repeats: u16,
    private: bool,
    notes: &'p str,
    created_at: u64,
    /// The difference between the time of the last change and the time in its number, in milliseconds.
    changed_after: i64,
}

/// Returns the attribute `listed` of a story.
pub fn pack(story: &Story) -> Result<AttributeValue> {
    let (state, details) = (&story.state, &story.state.details);
    let packed = PackedStory {
        format: FORMAT,
        change_number: story.change_number,
        version: story.version,
        status: u8::from(state.status),
        current_episode: state.current_episode,
        watched_episodes: state.watched_episodes,
        current_episode_ticks: state.current_episode_ticks,
        score_tenths: details.score.map_or(0, UserScore::tenths),
        started_on: details.started_on.map_or(0, PartialDate::to_number),
        finished_on: details.finished_on.map_or(0, PartialDate::to_number),
        repeats: details.repeats,
        private: details.private,
        notes: details.notes.as_str(),
        created_at: story.created_at(),
        changed_after: story.last_changed_at().cast_signed()
            - (story.change_number / 1000).cast_signed(),
    };
    let bytes = postcard::to_stdvec(&packed).map_err(Error::internal)?;
    Ok(AttributeValue::B(Blob::new(bytes)))
}

fn unpack(bytes: &[u8], keys: &IndexKeys) -> Option<ListedStory> {
    let packed: PackedStory<'_> = postcard::from_bytes(bytes).ok()?;
    if packed.format != FORMAT || packed.change_number != keys.change_number {
        return None;
    }
    let date = |number| match number {
        0 => Some(None),
        number => PartialDate::from_number(number).map(Some),
    };
    let numbered_at = (keys.change_number / 1000).cast_signed();
    Some(ListedStory {
        user_id: keys.user_id,
        anime_id: keys.anime_id,
        state: StoryState {
            status: WatchStatus::from_wire(packed.status.into())?,
            current_episode: packed.current_episode,
            watched_episodes: packed.watched_episodes,
            current_episode_ticks: packed.current_episode_ticks,
            details: Details {
                score: UserScore::from_tenths(packed.score_tenths),
                started_on: date(packed.started_on)?,
                finished_on: date(packed.finished_on)?,
                repeats: packed.repeats,
                notes: Notes::new(packed.notes).ok()?,
                private: packed.private,
            },
        },
        version: packed.version,
        change_number: keys.change_number,
        created_at: packed.created_at,
        changed_at: numbered_at
            .checked_add(packed.changed_after)?
            .cast_unsigned(),
        synced: LinkedAccounts::default(),
    })
}

/// The attributes of a row in the index, except `listed`.
#[derive(Deserialize)]
struct IndexKeys {
    user_id: UserId,
    anime_id: AnimeId,
    #[serde(default)]
    change_number: u64,
}

#[derive(Deserialize)]
pub(super) struct SyncStates {
    pub anime_id: AnimeId,
    #[serde(default, deserialize_with = "read_sync_state")]
    tracker_a: Option<SyncState>,
    #[serde(default, deserialize_with = "read_sync_state")]
    tracker_b: Option<SyncState>,
}

impl SyncStates {
    /// Returns the accounts with which this version of the story is synced.
    pub fn synced_at(&self, version: u64) -> LinkedAccounts {
        synced_accounts(version, self.tracker_a, self.tracker_b)
    }
}

/// A row of the table or its index `Listed`.
#[derive(Clone, Debug)]
pub enum ListRow {
    /// A story.
    Story(ListedStory),
    /// The tombstone of a deleted story, with the number of the deletion.
    Deleted(AnimeId, u64),
    /// A story whose attribute `listed` is missing or older than the story, so that its row must be read.
    Unreadable(AnimeId),
}

impl From<&Story> for ListRow {
    fn from(story: &Story) -> Self {
        Self::Story(story.into())
    }
}

impl ListRow {
    /// Reads a row of the index.
    pub fn of_index(mut row: Item) -> Result<Self> {
        let listed = row.remove(LISTED);
        let is_deleted = is_tombstone(&row);
        let keys: IndexKeys = read(row.clone())?;
        if is_deleted {
            return Ok(Self::Deleted(keys.anime_id, keys.change_number));
        }
        let story = match listed {
            Some(AttributeValue::B(bytes)) => unpack(bytes.as_ref(), &keys),
            _ => None,
        };
        let Some(story) = story else {
            return Ok(Self::Unreadable(keys.anime_id));
        };
        if !(row.contains_key("tracker_a") || row.contains_key("tracker_b")) {
            return Ok(Self::Story(story));
        }
        let states: SyncStates = read(row)?;
        Ok(Self::Story(ListedStory {
            synced: states.synced_at(story.version),
            ..story
        }))
    }
}
