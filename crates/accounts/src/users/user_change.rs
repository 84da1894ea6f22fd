//! Changes of users: the attributes that users and moderators set.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{Condition, RowOutcome, number, read, text};
use shared::Error;
use shared::auth::Access;
use shared::models::{DisplaySettings, Gender, TimeZone, TrackerName, UserId};

use super::conditions::{denied, user_exists};
use super::link_update::{Update, record_linked, record_unlinked};
use super::tracker_link::{Link, delete_link, put_link};
use super::user::{Account, key as user_key};
use super::user_store::UserStore;
use crate::errors::NO_USER;

/// A change of a user. Attributes whose field is `None` stay unchanged.
#[derive(Clone, Default)]
pub struct UserChange {
    /// Gender.
    pub gender: Option<Gender>,
    /// Preferred locale code.
    pub localization: Option<String>,
    /// Time zone of the user's days.
    pub time_zone: Option<TimeZone>,
    /// True to let everyone read the user's list and statistics.
    pub public_profile: Option<bool>,
    /// True to let search engines list the public profile.
    pub indexable_profile: Option<bool>,
    /// The titles and the scale of scores that pages show to the user.
    pub display: Option<DisplaySettings>,
    /// The hash of a new password. Setting it ends every token and session except the caller's.
    pub password_hash: Option<String>,
    /// An account at a tracker to link.
    pub link: Option<NewLink>,
    /// A tracker whose account to unlink.
    pub unlink: Option<Unlink>,
}

/// An account at a tracker to link. It replaces an account that is linked at the same tracker.
#[derive(Clone)]
pub struct NewLink {
    /// The row of the linked account, with its encrypted tokens.
    pub link: Link,
    /// The URL of the account's image, which becomes the user's avatar. With `None`, the avatar stays.
    pub avatar: Option<String>,
}

/// A tracker whose account to unlink. The tokens of the account are deleted.
#[derive(Clone, Copy)]
pub struct Unlink {
    /// The tracker.
    pub tracker: TrackerName,
    /// True if the caller has seen that a usable account at the other tracker is linked. The write has the same
    /// condition, because unlinking the last account also removes the user from the index SyncDue.
    pub other_is_linked: bool,
}

impl UserStore {
    /// Changes the caller's own account with one conditional write or one transaction.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the value of [`Unlink::other_is_linked`] is outdated. A retry must read the
    /// account again first.
    pub async fn update_own(&self, access: &Access, change: &UserChange) -> Result<Account, Error> {
        let id = access.credential.user_id;
        let condition = self.caller_condition(access).await?;
        let (condition, update) = build_update(condition, change, &access.credential.token_id);
        let link = self.link_action(id, change)?;
        if !access.credential.has_grant() && link.is_none() {
            return match self.update(id, condition, &update).await? {
                RowOutcome::Written(row) => read(row),
                RowOutcome::Refused(row) => Err(denied(access, row)),
            };
        }
        let row = condition.update(&self.users, user_key(id), &update)?;
        let mut writes = self.transaction();
        writes.require(row, move |row| denied(access, row));
        self.require_grant(access, &mut writes)?;
        if let Some(link) = link {
            writes.add(link);
        }
        writes.commit().await?.or(Error::Changed)?;
        self.account(id).await?.ok_or(Error::InvalidToken)
    }

    /// Returns the action that writes or deletes the row of a linked account, if the change links or unlinks one.
    fn link_action(
        &self,
        id: UserId,
        change: &UserChange,
    ) -> Result<Option<TransactWriteItem>, Error> {
        match (&change.link, change.unlink) {
            (Some(new), _) => put_link(&self.links, &new.link).map(Some),
            (None, Some(unlink)) => delete_link(&self.links, id, unlink.tracker).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Changes another user, for a moderator or an administrator.
    pub async fn update_other(
        &self,
        access: &Access,
        id: UserId,
        change: &UserChange,
    ) -> Result<Account, Error> {
        let (mut writes, target) = self.begin_for(access, id).await?;
        let (target, update) = build_update(target, change, "");
        writes.add(target.update(&self.users, user_key(id), &update)?);
        writes.commit().await?.or(NO_USER)?;
        self.account(id).await?.ok_or(NO_USER)
    }

    /// Stores `sealed`, the encrypted secret in the address of the caller's calendar feed, or with `None` removes the
    /// stored secret. Only for callers with a session, because the table OAuthGrant is not checked.
    pub async fn set_calendar_feed(
        &self,
        access: &Access,
        sealed: Option<&str>,
    ) -> Result<(), Error> {
        let condition = self.caller_condition(access).await?;
        let (condition, update) = match sealed {
            Some(sealed) => (
                condition.value("feed", text(sealed)),
                "SET calendar_feed = :feed",
            ),
            None => (condition, "REMOVE calendar_feed"),
        };
        let update = self.update(access.credential.user_id, condition, update);
        match update.await? {
            RowOutcome::Written(_) => Ok(()),
            RowOutcome::Refused(row) => Err(denied(access, row)),
        }
    }

    /// Stores the time zone of a user whose time zone is not known yet.
    pub async fn set_first_time_zone(&self, id: UserId, zone: TimeZone) -> Result<(), Error> {
        let is_unknown = Condition::new("attribute_not_exists(time_zone)");
        let condition = user_exists()
            .and(is_unknown)
            .value("time_zone", text(zone.name()));
        // If the time zone has become known, or the user is deleted, nothing is written.
        self.update(id, condition, "SET time_zone = :time_zone")
            .await?;
        Ok(())
    }
}

/// Returns the update expression for a change, and `condition` with the values that the update uses.
/// `token_id` is the token that stays valid after a change of the password.
fn build_update(condition: Condition, change: &UserChange, token_id: &str) -> (Condition, String) {
    let (mut condition, mut update) = (condition, Update::default());
    if let Some(unlink) = change.unlink {
        (condition, update) = record_unlinked(condition, unlink.tracker, unlink.other_is_linked);
    }
    if let Some(NewLink { link, avatar }) = &change.link {
        condition = record_linked(condition, link, avatar.as_deref(), &mut update);
    }
    if let Some(gender) = change.gender {
        condition = condition.value("gender", number(u64::from(u8::from(gender))));
        update.set("gender = :gender");
    }
    if let Some(localization) = &change.localization {
        condition = condition.value("localization", text(localization));
        update.set("localization = :localization");
    }
    if let Some(time_zone) = change.time_zone {
        condition = condition.value("time_zone", text(time_zone.name()));
        update.set("time_zone = :time_zone");
    }
    if let Some(is_public) = change.public_profile {
        condition = condition.value("public_profile", AttributeValue::Bool(is_public));
        update.set("public_profile = :public_profile");
    }
    if let Some(is_indexable) = change.indexable_profile {
        condition = condition.value("indexable_profile", AttributeValue::Bool(is_indexable));
        update.set("indexable_profile = :indexable_profile");
    }
    if let Some(DisplaySettings { titles, scores }) = change.display {
        condition = condition
            .value("title_language", text(titles.name()))
            .value("score_scale", text(scores.name()));
        update.set("title_language = :title_language");
        update.set("score_scale = :score_scale");
    }
    if let Some(hash) = &change.password_hash {
        condition = condition
            .value("password_hash", text(hash))
            .value("kept", text(token_id))
            .value("one", number(1));
        update.set("password_hash = :password_hash");
        update.set("password_version = password_version + :one");
        update.set("token_generation = token_generation + :one");
        update.set("kept_token = :kept");
    }
    (condition, update.expression())
}
