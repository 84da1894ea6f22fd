//! A user's linked account at a tracker, for the duration of a run.

use std::time::Duration;

use accounts::linked_accounts::Link;
use accounts::linking::{open_tokens, seal_tokens};
use shared::{Error, Result};
use trackers::{Cause, EntryWrite, Tracker, TrackerEntry, TrackerError, TrackerTokens, UserList};

use crate::services::SyncServices;

/// The time that must be left when tokens are refreshed, in milliseconds. It is longer than any call takes.
const MIN_REFRESH_MS: u64 = 35_000;

/// Maximum number of attempts to store new tokens.
const MAX_STORE_ATTEMPTS: usize = 4;

/// The reason why a run stops at a tracker.
#[derive(Debug, thiserror::Error)]
pub enum StopReason {
    /// The tracker refuses the tokens, or they cannot be decrypted.
    #[error("the tokens are refused")]
    Reconnect,
    /// The tracker refuses the call for good.
    #[error("refused: {0}")]
    Final(Cause),
    /// The call may succeed later, after this duration if the tracker states one.
    #[error("later: {0}")]
    Later(Cause, Option<Duration>),
    /// The run ends before the tracker's limits allow the call or before the tracker responds. The duration is
    /// the time until the next turn, if known.
    #[error("no time")]
    NoTime(Option<Duration>),
    /// The user has unlinked the account or linked it again during the run, or the run has lost its lease.
    #[error("the link has changed")]
    LinkChanged,
    /// An error of this service.
    #[error(transparent)]
    Internal(#[from] Error),
}

impl From<TrackerError> for StopReason {
    fn from(error: TrackerError) -> Self {
        let cause = error.detail().cause();
        match error {
            TrackerError::Final(_) => Self::Final(cause),
            TrackerError::Reconnect(_) => Self::Reconnect,
            TrackerError::Later { after, .. } => match cause {
                Cause::NoTurn | Cause::Deadline => Self::NoTime(after),
                _ => Self::Later(cause, after),
            },
        }
    }
}

/// A user's linked account at a tracker, with its current tokens.
pub struct TrackerConnection<'s> {
    services: &'s SyncServices,
    tracker: &'s Tracker,
    /// The stored row of the linked account.
    pub link: Link,
    tokens: TrackerTokens,
    is_refreshed: bool,
    until: u64,
}

impl<'s> TrackerConnection<'s> {
    /// Decrypts the tokens of a linked account, for calls until `until` (milliseconds since the Unix epoch).
    ///
    /// # Errors
    /// [`StopReason::Reconnect`] if the tokens cannot be decrypted. [`StopReason::Internal`] if the keys cannot be
    /// read.
    pub async fn open(
        services: &'s SyncServices,
        tracker: &'s Tracker,
        link: &Link,
        until: u64,
    ) -> Result<Self, StopReason> {
        let tokens = open_tokens(&services.sealer, link).await?;
        Ok(Self {
            services,
            tracker,
            link: link.clone(),
            tokens: tokens.ok_or(StopReason::Reconnect)?,
            is_refreshed: false,
            until,
        })
    }

    /// Reads all entries of the account's list.
    pub async fn list(&mut self) -> Result<UserList, StopReason> {
        self.refresh_if_due().await?;
        let account = self.link.account;
        let mut list = self.tracker.list(&self.tokens, account, self.until).await;
        if self.must_refresh(&list) {
            self.refresh().await?;
            list = self.tracker.list(&self.tokens, account, self.until).await;
        }
        Ok(list?)
    }

    /// Writes an entry to the account's list. Returns the entry that the tracker has stored.
    ///
    /// # Errors
    /// After [`StopReason::Later`] or [`StopReason::NoTime`], the entry may or may not have been written.
    pub async fn save(&mut self, write: &EntryWrite) -> Result<TrackerEntry, StopReason> {
        self.refresh_if_due().await?;
        let mut saved = self.tracker.save(&self.tokens, write, self.until).await;
        if self.must_refresh(&saved) {
            self.refresh().await?;
            saved = self.tracker.save(&self.tokens, write, self.until).await;
        }
        Ok(saved?)
    }

    async fn refresh_if_due(&mut self) -> Result<(), StopReason> {
        let can_refresh = self.tokens.refresh.is_some();
        if can_refresh && self.tokens.are_due(self.services.clock.now_s()) {
            self.refresh().await?;
        }
        Ok(())
    }

    /// Returns true if a call was refused and new tokens may help. If this run has already refreshed the tokens, new
    /// tokens would not help again.
    fn must_refresh<T>(&self, result: &Result<T, TrackerError>) -> bool {
        let is_refused = matches!(result, Err(TrackerError::Reconnect(_)));
        is_refused && !self.is_refreshed && self.tokens.refresh.is_some()
    }

    /// Gets new tokens and stores them before they are used, because the tracker no longer accepts the old tokens. The
    /// user's lease ensures that no other run refreshes the tokens at the same time.
    async fn refresh(&mut self) -> Result<(), StopReason> {
        if self.services.clock.now_ms() + MIN_REFRESH_MS > self.until {
            // A refresh that is cut short can lose both the old tokens and the new ones.
            return Err(StopReason::NoTime(None));
        }
        self.is_refreshed = true;
        let tokens = self.tracker.refresh(&self.tokens, self.until).await;
        let tokens = tokens.map_err(|error| match error.into() {
            // A final error of the token endpoint says nothing about the entry, so a later run tries again.
            StopReason::Final(cause) => StopReason::Later(cause, None),
            stop_reason => stop_reason,
        })?;
        let (user, tracker) = (self.link.user_id, self.link.tracker);
        let sealed = seal_tokens(&self.services.sealer, user, tracker, &tokens).await?;
        if !self.store_tokens(&sealed).await? {
            return Err(StopReason::LinkChanged);
        }
        self.link.tokens = sealed;
        self.tokens = tokens;
        Ok(())
    }

    /// Stores the new tokens. Returns false if the account was unlinked or linked again. A failed write is repeated,
    /// because the old tokens no longer work and only this process has the new tokens.
    async fn store_tokens(&self, sealed: &str) -> Result<bool> {
        let mut result = Ok(false);
        for _ in 0..MAX_STORE_ATTEMPTS {
            result = self.services.links.store_tokens(&self.link, sealed).await;
            if result.is_ok() {
                break;
            }
        }
        result
    }
}
