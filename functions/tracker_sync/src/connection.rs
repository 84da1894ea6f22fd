//! A user's account at a tracker, while a run works with it.

use std::time::Duration;

use accounts::linking::{open_tokens, seal_tokens};
use shared::Error;
use store::Link;
use trackers::{Cause, Entry, Tokens, Tracker, TrackerError, Write};

use crate::SyncState;

/// How long a call may take that nothing cuts short, in milliseconds: as long as the longest takes.
const CALL_MS: u64 = 35_000;

/// How often new tokens are tried to be kept.
const KEEP_ATTEMPTS: usize = 4;

/// Why a run goes no further at a tracker.
#[derive(Debug)]
pub enum Trouble {
    /// The tracker refuses the tokens, or they cannot be read any more.
    Reconnect,
    /// The tracker refuses the call for good.
    Final(Cause),
    /// The tracker is to be asked again later.
    Later(Cause, Option<Duration>),
    /// There is no turn at the tracker before the run's time is over, but after this long, where its
    /// limits say.
    NoTime(Option<Duration>),
    /// The user has unlinked the account meanwhile, or linked anew.
    Gone,
    /// Something of our own.
    Ours(Error),
}

impl From<TrackerError> for Trouble {
    fn from(error: TrackerError) -> Self {
        let cause = error.detail().cause();
        match error {
            TrackerError::Final(_) => Self::Final(cause),
            TrackerError::Reconnect(_) => Self::Reconnect,
            TrackerError::Later { after, .. } if cause == Cause::NoTurn => Self::NoTime(after),
            TrackerError::Later { after, .. } => Self::Later(cause, after),
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

/// A tracker that was given less time than a call may take has not failed.
fn cut_short(trouble: Trouble, left: u64) -> Trouble {
    match trouble {
        Trouble::Later(Cause::Timeout, _) if left < CALL_MS => Trouble::NoTime(None),
        trouble => trouble,
    }
}

/// A user's account at a tracker, with the tokens that hold now.
pub struct Connection<'s> {
    state: &'s SyncState,
    tracker: &'s Tracker,
    /// What is linked.
    pub link: Link,
    tokens: Tokens,
    is_refreshed: bool,
    until: u64,
}

impl<'s> Connection<'s> {
    /// Opens it, for calls until `until`, in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`Trouble::Reconnect`] when the tokens cannot be read any more, [`Trouble::Ours`].
    pub async fn open(
        state: &'s SyncState,
        tracker: &'s Tracker,
        link: &Link,
        until: u64,
    ) -> Result<Self, Trouble> {
        let tokens = open_tokens(&state.sealer, link).await?;
        Ok(Self {
            state,
            tracker,
            link: link.clone(),
            tokens: tokens.ok_or(Trouble::Reconnect)?,
            is_refreshed: false,
            until,
        })
    }

    /// The whole list.
    ///
    /// # Errors
    /// [`Trouble`].
    pub async fn list(&mut self) -> Result<Vec<Entry>, Trouble> {
        self.renew_if_due().await?;
        let (account, left) = (self.link.account, self.left());
        let first = self.tracker.list(&self.tokens, account, self.until).await;
        if self.must_renew(&first) {
            self.renew().await?;
            return Ok(self.tracker.list(&self.tokens, account, self.until).await?);
        }
        first.map_err(|error| cut_short(error.into(), left))
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// [`Trouble`]. After [`Trouble::Later`] it may have been written or not.
    pub async fn save(&mut self, write: &Write) -> Result<Entry, Trouble> {
        self.renew_if_due().await?;
        let left = self.left();
        let first = self.tracker.save(&self.tokens, write, self.until).await;
        if self.must_renew(&first) {
            self.renew().await?;
            return Ok(self.tracker.save(&self.tokens, write, self.until).await?);
        }
        first.map_err(|error| cut_short(error.into(), left))
    }

    /// How long the run still has, in milliseconds.
    fn left(&self) -> u64 {
        self.until.saturating_sub(self.state.clock.now_ms())
    }

    async fn renew_if_due(&mut self) -> Result<(), Trouble> {
        let can_renew = self.tokens.refresh.is_some();
        if can_renew && self.tokens.are_due(self.state.clock.now_s()) {
            self.renew().await?;
        }
        Ok(())
    }

    /// Whether a call was refused that new tokens may mend. They are got once.
    fn must_renew<T>(&self, result: &Result<T, TrackerError>) -> bool {
        let is_refused = matches!(result, Err(TrackerError::Reconnect(_)));
        is_refused && !self.is_refreshed && self.tokens.refresh.is_some()
    }

    /// Gets new tokens, and keeps them before they are used: those from before are taken no more. The
    /// lease sees to it that nobody else does so at the same time.
    async fn renew(&mut self) -> Result<(), Trouble> {
        if self.left() < CALL_MS {
            // Whoever hangs up before the answer may have neither the old tokens nor the new ones.
            return Err(Trouble::NoTime(None));
        }
        self.is_refreshed = true;
        let tokens = self.tracker.refresh(&self.tokens, self.until).await;
        let tokens = tokens.map_err(|error| match error.into() {
            // It says nothing of the entry for which the tokens were needed.
            Trouble::Final(cause) => Trouble::Later(cause, None),
            trouble => trouble,
        })?;
        let (user, tracker) = (self.link.user_id, self.link.tracker);
        let sealed = seal_tokens(&self.state.sealer, user, tracker, &tokens).await?;
        if !self.keep(&sealed).await? {
            return Err(Trouble::Gone);
        }
        self.link.tokens = sealed;
        self.tokens = tokens;
        Ok(())
    }

    /// Nobody else has these tokens, and those from before are good for nothing: it is tried more than once.
    async fn keep(&self, sealed: &str) -> Result<bool, Error> {
        let mut kept = Ok(false);
        for _ in 0..KEEP_ATTEMPTS {
            kept = self.state.links.keep_tokens(&self.link, sealed).await;
            if kept.is_ok() {
                break;
            }
        }
        kept
    }
}
