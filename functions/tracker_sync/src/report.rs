//! The report of a run, for the log and as metrics.

use accounts::linked_accounts::LinkReport;
use runtime::observability::{embedded_metrics, log_metrics};
use serde_json::{Map, Value, json};
use shared::models::{PerTracker, TrackerName};

use crate::connection::StopReason;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// Users that were due, at most [`MAX_USERS`](crate::MAX_USERS).
    pub due: u64,
    /// Users that were synchronized, with or without an error at a tracker.
    pub users: u64,
    /// Users for which this service failed.
    pub failed_users: u64,
    /// The results at each tracker.
    pub trackers: PerTracker<TrackerReport>,
}

/// The result of a run at a tracker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerReport {
    /// Linked accounts that the run has tried to synchronize.
    pub accounts: u64,
    /// Stories that were created or changed from the tracker's entries.
    pub imported: u64,
    /// Entries that were written at the tracker.
    pub exported: u64,
    /// Stories that had changed both in this service and at the tracker.
    pub conflicts: u64,
    /// Entries that are still to be written at the tracker.
    pub left: u64,
    /// Entries that the tracker refuses for good.
    pub refused: u64,
    /// Entries whose anime are not in the catalogue.
    pub unknown: u64,
    /// Accounts at which the run failed. Accounts do not count if the user must connect them again, if the time of the
    /// run was over, or if they were unlinked or linked again during the run.
    pub failed: u64,
    /// Accounts that the user must connect again.
    pub reconnect: u64,
}

impl TrackerReport {
    /// Returns the result for one account.
    pub fn of(report: &LinkReport, stop_reason: &Option<StopReason>) -> Self {
        let must_reconnect = matches!(stop_reason, Some(StopReason::Reconnect));
        let has_not_failed = matches!(
            stop_reason,
            None | Some(StopReason::NoTime(_) | StopReason::LinkChanged)
        );
        Self {
            accounts: 1,
            imported: report.imported.into(),
            exported: report.exported.into(),
            conflicts: report.conflicts.into(),
            left: report.left.into(),
            refused: report.refused.into(),
            unknown: report.unknown.into(),
            failed: u64::from(!has_not_failed && !must_reconnect),
            reconnect: must_reconnect.into(),
        }
    }

    /// Returns the counts with their names as metrics.
    fn counts(&self) -> [(&'static str, u64); 9] {
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

impl SyncReport {
    /// Adds the result for another user.
    pub fn add(&mut self, other: &Self) {
        self.users += other.users;
        self.failed_users += other.failed_users;
        for (tracker, other) in other.trackers.iter() {
            self.trackers[tracker].add(other);
        }
    }

    fn counts(&self) -> [(&'static str, u64); 3] {
        [
            ("Due", self.due),
            ("Users", self.users),
            ("FailedUsers", self.failed_users),
        ]
    }

    /// Returns the report as log lines that are also metrics: one for the run and one for each tracker. `now`
    /// is in milliseconds since the Unix epoch.
    pub fn to_metrics(&self, now: u64) -> [Value; 3] {
        let function = ("Function", "tracker_sync");
        let of_tracker = |tracker: TrackerName| {
            let dimensions = [function, ("Tracker", tracker.key())];
            embedded_metrics(now, &dimensions, "Count", &self.trackers[tracker].counts())
        };
        let [a, b] = TrackerName::ALL.map(of_tracker);
        let run = embedded_metrics(now, &[function], "Count", &self.counts());
        [run, a, b]
    }

    /// Logs the lines of [`Self::to_metrics`].
    pub fn log(&self, now: u64) {
        self.to_metrics(now).iter().for_each(log_metrics);
    }

    /// Returns the report as JSON, which is the result of the function.
    pub fn to_json(&self) -> Value {
        let object = |counts: &[(&str, u64)]| -> Map<String, Value> {
            let lower = |name: &str| name[..1].to_ascii_lowercase() + &name[1..];
            counts
                .iter()
                .map(|(name, number)| (lower(name), json!(number)))
                .collect()
        };
        let mut report = object(&self.counts());
        for (tracker, tracker_report) in self.trackers.iter() {
            let counts = object(&tracker_report.counts());
            report.insert(tracker.key().to_owned(), counts.into());
        }
        report.into()
    }
}
