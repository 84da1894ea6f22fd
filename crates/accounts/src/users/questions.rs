//! The time at which a user was last asked about an unmatched series, which is an attribute of the user's row.

use dynamo::{Condition, TargetRow, number, try_update_row};
use shared::Result;
use shared::models::UserId;

use super::conditions::user_exists;
use super::user::key as user_key;
use super::user_store::UserStore;

const SET_ASKED_AT: &str = "SET asked_at = :asked_at";

impl UserStore {
    /// Records that a user is asked a question at this time, in seconds since the Unix epoch.
    pub async fn record_question(&self, user: UserId, now: u64) -> Result<()> {
        let exists = user_exists().value("asked_at", number(now));
        self.update(user, exists, SET_ASKED_AT).await.map(drop)
    }

    /// Records in the user's row that there is no question, unless one was asked since `asked_at`. Without `asked_at`,
    /// records the current time `now`, because an earlier version of the service, which asks without recording a time,
    /// may still be running. If another write is in progress, records nothing, because a page waits for this call. The
    /// next page tries again.
    pub async fn forget_questions(
        &self,
        user: UserId,
        asked_at: Option<u64>,
        now: u64,
    ) -> Result<()> {
        let (unchanged, next) = match asked_at {
            Some(at) => {
                let unchanged = Condition::new("asked_at = :before");
                (unchanged.value("before", number(at)), 0)
            }
            None => (Condition::new("attribute_not_exists(asked_at)"), now),
        };
        let unchanged = user_exists().and(unchanged);
        let unchanged = unchanged.value("asked_at", number(next));
        let row = TargetRow(&self.client, &self.users, user_key(user));
        try_update_row(row, unchanged, SET_ASKED_AT).await.map(drop)
    }
}
