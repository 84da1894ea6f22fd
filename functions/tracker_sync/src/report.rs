//! What a run did: for the log, and as metrics.

use runtime::observability::{embedded_metrics, log_metrics};
use serde_json::{Map, Value, json};
use shared::models::TrackerName;
use store::LinkReport;

use crate::connection::Trouble;

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Users who were due, as far as a run takes them.
    pub due: u64,
    /// Users who were synchronised, with or without trouble at a tracker.
    pub users: u64,
    /// Users for whom something of our own failed.
    pub failed_users: u64,
    /// What was done at each tracker, in their order.
    pub trackers: [TrackerReport; 2],
}

/// What a run did at a tracker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerReport {
    /// Accounts.
    pub accounts: u64,
    /// Stories that were made or changed by what the tracker has.
    pub imported: u64,
    /// Entries that the tracker was told.
    pub exported: u64,
    /// Stories that had changed on both sides.
    pub conflicts: u64,
    /// Entries that the tracker is still to be told.
    pub left: u64,
    /// Entries that the tracker refuses for good.
    pub refused: u64,
    /// Entries whose anime are not in the catalogue.
    pub unknown: u64,
    /// Accounts at which the run came to no end, but for want of time.
    pub failed: u64,
    /// Accounts that must be connected anew.
    pub reconnect: u64,
}

impl TrackerReport {
    /// What was done for one account.
    #[must_use]
    pub fn of(report: &LinkReport, trouble: &Option<Trouble>) -> Self {
        let must_reconnect = matches!(trouble, Some(Trouble::Reconnect));
        let is_over = matches!(trouble, None | Some(Trouble::NoTime(_) | Trouble::Gone));
        Self {
            accounts: 1,
            imported: report.imported.into(),
            exported: report.exported.into(),
            conflicts: report.conflicts.into(),
            left: report.left.into(),
            refused: report.refused.into(),
            unknown: report.unknown.into(),
            failed: u64::from(!is_over && !must_reconnect),
            reconnect: must_reconnect.into(),
        }
    }

    /// Its numbers, by their names as metrics.
    fn numbers(&self) -> [(&'static str, u64); 9] {
        [
            ("Accounts", self.accounts),
            ("Imported", self.imported),
            ("Exported", self.exported),
            ("Conflicts", self.conflicts),
            ("Left", self.left),
            ("Refused", self.refused),
            ("Unknown", self.unknown),
            ("Failed", self.failed),
            ("Reconnect", self.reconnect),
        ]
    }

    fn add(&mut self, other: &Self) {
        self.accounts += other.accounts;
        self.imported += other.imported;
        self.exported += other.exported;
        self.conflicts += other.conflicts;
        self.left += other.left;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.failed += other.failed;
        self.reconnect += other.reconnect;
    }
}

impl Report {
    pub(crate) fn one_user() -> Self {
        Self {
            users: 1,
            ..Self::default()
        }
    }

    /// Adds what was done for others.
    pub fn add(&mut self, other: &Self) {
        self.users += other.users;
        self.failed_users += other.failed_users;
        for (tracker, other) in self.trackers.iter_mut().zip(&other.trackers) {
            tracker.add(other);
        }
    }

    fn numbers(&self) -> [(&'static str, u64); 3] {
        [
            ("Due", self.due),
            ("Users", self.users),
            ("FailedUsers", self.failed_users),
        ]
    }

    /// The report as lines for the log that are metrics as well: one of the run, and one of each tracker.
    /// `now` in milliseconds since the Unix epoch.
    #[must_use]
    pub fn to_metrics(&self, now: u64) -> [Value; 3] {
        let function = ("Function", "tracker_sync");
        let of_tracker = |tracker: TrackerName| {
            let dimensions = [function, ("Tracker", tracker.key())];
            let report = &self.trackers[crate::plan::number(tracker)];
            embedded_metrics(now, &dimensions, &report.numbers())
        };
        let [a, b] = TrackerName::ALL.map(of_tracker);
        [embedded_metrics(now, &[function], &self.numbers()), a, b]
    }

    /// Logs it, as one line for each of [`Self::to_metrics`].
    pub fn log(&self, now: u64) {
        self.to_metrics(now).iter().for_each(log_metrics);
    }

    /// The report as JSON, as the function answers it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let object = |numbers: &[(&str, u64)]| -> Map<String, Value> {
            let lower = |name: &str| name[..1].to_ascii_lowercase() + &name[1..];
            numbers
                .iter()
                .map(|(name, number)| (lower(name), json!(number)))
                .collect()
        };
        let mut report = object(&self.numbers());
        for (tracker, numbers) in TrackerName::ALL.iter().zip(&self.trackers) {
            report.insert(tracker.key().to_owned(), object(&numbers.numbers()).into());
        }
        report.into()
    }
}
