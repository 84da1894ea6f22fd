//! Changes of users: the attributes that users and moderators set.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use dynamo::{Condition, RowOutcome, number, read, text};
use shared::auth::Access;
use shared::models::{AnimeId, DisplaySettings, Gender, TimeZone, UserId};
use shared::{Error, Result};

use super::conditions::{denied, user_exists};
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
    /// The anime that the user has chosen for the public profile ([`Account::favorites`]).
    pub favorites: Option<Vec<AnimeId>>,
    /// The hash of a new password. Setting it ends every token and session except the caller's.
    pub password_hash: Option<String>,
}

/// The clauses of an update expression.
#[derive(Debug, Default)]
pub(crate) struct Update {
    sets: Vec<String>,
    removes: Vec<String>,
}

impl Update {
    pub(crate) fn set(&mut self, clause: impl Into<String>) {
        self.sets.push(clause.into());
    }

    pub(crate) fn remove(&mut self, attribute: impl Into<String>) {
        self.removes.push(attribute.into());
    }

    /// Returns the update expression (DynamoDB Developer Guide, "Update expressions").
    pub(crate) fn expression(&self) -> String {
        let clause = |word: &str, parts: &[String]| {
            let list = parts.join(", ");
            (!parts.is_empty()).then(|| format!("{word} {list}"))
        };
        let clauses = [clause("SET", &self.sets), clause("REMOVE", &self.removes)];
        let clauses: Vec<String> = clauses.into_iter().flatten().collect();
        clauses.join(" ")
    }
}

impl UserStore {
    /// Changes the caller's own account with one conditional write or one transaction.
    pub async fn update_own(&self, access: &Access, change: &UserChange) -> Result<Account> {
        let start = (self.caller_condition(access).await?, Update::default());
        if access.credential.has_grant() {
            return self.update_own_with(access, start, change, None).await;
        }
        let (condition, update) = build_update(start, change, &access.credential.token_id);
        let written = self.update(access.credential.user_id, condition, &update);
        match written.await? {
            RowOutcome::Written(row) => read(row),
            RowOutcome::Refused(row) => Err(denied(access, row)),
        }
    }

    /// Changes the caller's own account in one transaction, with a further action. The update of the caller's row
    /// continues `start`, whose condition includes the condition on the caller.
    pub(crate) async fn update_own_with(
        &self,
        access: &Access,
        start: (Condition, Update),
        change: &UserChange,
        action: Option<TransactWriteItem>,
    ) -> Result<Account> {
        let id = access.credential.user_id;
        let (condition, update) = build_update(start, change, &access.credential.token_id);
        let row = condition.update(&self.users, user_key(id), &update)?;
        let mut writes = self.transaction();
        writes.require(row, move |row| denied(access, row));
        self.require_grant(access, &mut writes)?;
        if let Some(action) = action {
            writes.add(action);
        }
        writes.commit().await?.or(Error::Changed)?;
        self.account(id).await?.ok_or(Error::InvalidToken)
    }

    /// Changes another user, for a moderator or an administrator.
    pub async fn update_other(
        &self,
        access: &Access,
        id: UserId,
        change: &UserChange,
    ) -> Result<Account> {
        let (mut writes, target) = self.begin_for(access, id).await?;
        let (target, update) = build_update((target, Update::default()), change, "");
        writes.add(target.update(&self.users, user_key(id), &update)?);
        writes.commit().await?.or(NO_USER)?;
        self.account(id).await?.ok_or(NO_USER)
    }

    /// Stores `sealed`, the encrypted secret in the address of the caller's calendar feed, or with `None` removes the
    /// stored secret. Only for callers with a session, because the table OAuthGrant is not checked.
    pub async fn set_calendar_feed(&self, access: &Access, sealed: Option<&str>) -> Result<()> {
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
    pub async fn set_first_time_zone(&self, id: UserId, zone: TimeZone) -> Result<()> {
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

/// Returns the update expression that also makes a change, and the condition with the values that the update uses.
/// `token_id` is the token that stays valid after a change of the password.
fn build_update(
    (mut condition, mut update): (Condition, Update),
    change: &UserChange,
    token_id: &str,
) -> (Condition, String) {
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
    match change.favorites.as_deref() {
        None => {}
        Some([]) => update.remove("favorites"),
        Some(favorites) => {
            let favorites = favorites.iter().map(|anime| number(anime.get()));
            condition = condition.value("favorites", AttributeValue::L(favorites.collect()));
            update.set("favorites = :favorites");
        }
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
