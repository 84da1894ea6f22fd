//! DynamoDB: the tables ([`schema`]) and one store for each kind of data. No other crate of the service
//! handles an `AttributeValue`. This crate knows nothing of HTTP requests to the service, and never calls a tracker.
//!
//! Every function that calls DynamoDB can fail with these errors. Other errors are listed at the functions.
//!
//! - [`Error::Contended`]: a transaction conflicted with other transactions or was throttled in every attempt, or the
//!   update of one row (`update_row` in `transaction.rs`) conflicted in every attempt.
//! - [`Error::Unavailable`]: DynamoDB does not respond, or throttles the call in any other way.
//! - [`Error::Internal`]: DynamoDB rejects a request as invalid.
//! - The errors of [`shared::auth::Access::check`]: the function takes an [`shared::auth::Access`], and the caller has
//!   no access.
//!
//! A strongly consistent read includes every write that has succeeded before it. An eventually consistent read,
//! such as every read of a secondary index, can miss the latest writes.
//!
//! A *row* is a record of a table. Its attributes and values form an `Item`. A *document* is an anime or a
//! song.

mod batch;
mod caller;
mod catalogue;
mod clients;
mod codes;
mod corrected;
mod correction;
mod correction_store;
mod database;
mod deletion;
mod document;
mod email_change;
mod errors;
mod factors;
mod get;
mod grants;
mod invitation_code;
mod invitations;
mod item;
mod links;
mod listing;
mod players;
mod profile_tokens;
mod refresh;
mod refresh_summary;
mod retry;
pub mod schema;
mod sessions;
mod snapshot;
mod sources;
mod stories;
mod story_batch;
mod story_change;
mod story_conditions;
mod story_feed;
mod story_list;
mod story_write;
mod sync;
mod table_names;
mod table_sizes;
mod throttle;
mod transaction;
mod user_conditions;
mod user_data;
mod username_folding;
mod users;
mod waiting;

pub use catalogue::{CatalogueStore, LIST_SHARDS, MAX_BATCH_READ, MAX_BATCH_WRITE, Stored};
pub use clients::{ClientStore, MAX_CLIENTS};
pub use codes::{
    CODE_LIFETIME_S, CONSENT_LIFETIME_S, CodeExchange, CodeStore, ExchangeOutcome, GivenConsent,
};
pub use correction::{Corrected, Correction, Corrections};
pub use correction_store::{CorrectionStore, PutOutcome};
pub use database::Database;
pub use deletion::{DeletionProgress, DeletionStore};
pub use document::{CatalogueDocument, CatalogueRow, RowRevision};
pub use errors::invalid_invitation;
pub use grants::GrantStore;
pub use invitation_code::InvitationCode;
pub use invitations::InvitationStore;
pub use item::Item;
pub use links::LinkStore;
pub use players::{NewPlayer, PlayerChange, PlayerRows, PlayerStore, UNMATCHED_KEPT_S};
pub use profile_tokens::{NewProfileToken, ProfileTokenStore};
pub use refresh::RefreshStore;
pub use refresh_summary::RefreshSummaryStore;
pub use schema::anime::{AnimeListItem, AnimeNotes, FactSource, anime_list_order};
pub use schema::auth_code::{AuthorizationRequest, Consent};
pub use schema::catalog_snapshot::{
    FILE_SOURCES, Head, MAX_DATA_AGE_S, ReadOutcome, RefreshState, RefreshSummary, SourceState,
    SourceSummary,
};
pub use schema::oauth_client::{ClientDetails, ClientKind, OAuthClient, is_client_id};
pub use schema::oauth_grant::{Grant, MAX_PROFILE_TOKENS, ProfileToken};
pub use schema::player::{
    ChosenPart, MAX_KEPT_EPISODES, MAX_LIBRARIES, MAX_MATCHES, MAX_PLAYERS, MAX_REPORTS,
    MAX_UNMATCHED, MatchedSeries, Player, PlayerReport, PlayerSettings, SeriesChoice, SeriesMatch,
    UnmatchedSeries,
};
pub use schema::session::Session;
pub use schema::song::{SongListItem, SongNotes, song_list_order};
pub use schema::throttle::{Invitation, MAX_INVITATIONS};
pub use schema::tracker_link::{Link, LinkReport};
pub use schema::user::Account;
pub use schema::user_story::Story;
pub use schema::waiting_list::WaitingList;
pub use sessions::SessionStore;
pub use snapshot::{NewVersion, Published, Snapshot, SnapshotSection, SnapshotStore};
pub use sources::{CompleteRead, FileRead, SourceStore};
pub use stories::{StoryBeyond, StoryFilter, StoryStore};
pub use story_batch::{BatchChange, Decision, MAX_CHANGES, SelectedStory, Step, StepResult};
pub use story_feed::{FEED_PAGE_SIZE, FeedEntry, FeedPage, FirstReadPage, feed_end, settled_end};
pub use story_list::{FilledLists, ListFiller, ListedStory, StoryList, StoryLists, StoryPage};
pub use story_write::origin_of_change;
pub use sync::{DueUser, Lease, StoryWrite, SyncStore, SyncedStory};
pub use table_names::TableNames;
pub use table_sizes::TableSizes;
pub use throttle::{Familiarity, Limit, ThrottleStore};
pub use user_data::{DeletedStory, StoryRows, StoryRowsReader, UserData, UserDataStore};
pub use users::{NewAccount, NewLink, Unlink, UserChange, UserPage, UserStore, UsernamePattern};
pub use waiting::{WaitingPage, WaitingStep, WaitingStore};
