//! Synchronizes one user: all stories with the lists of the linked accounts.

use std::collections::HashSet;
use std::time::Duration;

use accounts::linked_accounts::{Lease, Link, LinkReport};
use futures_util::future::join_all;
use shared::models::{PerTracker, StoryId, SyncMark, SyncState, TrackerName};
use shared::{Error, Result};
use trackers::Cause;

use crate::connection::{StopReason, TrackerConnection};
use crate::plan::{
    Export, ReadLists, StoryCounts, SyncPlan, TrackedCatalogue, TrackerList, plan_writes, to_remote,
};
use crate::report::{SyncReport, TrackerReport};
use crate::schedule;
use crate::services::SyncServices;

/// Maximum number of entries that a run writes at a tracker for one user. Because of the tracker's rate limit, these
/// writes take about a minute, in which other users wait. A user with more entries is due again at once.
pub const MAX_EXPORTS: usize = 25;

/// Number of entries that fail in a row before the tracker is left to a later run.
const MAX_FAILURES_IN_A_ROW: usize = 3;

/// Maximum number of identifiers that the report lists. They are the tracker's identifiers of anime that are missing
/// from the catalogue.
const MAX_EXAMPLES: usize = 5;

/// The state of a run for one of the user's linked accounts.
struct AccountRun<'s> {
    link: Link,
    connection: Option<TrackerConnection<'s>>,
    list: Option<TrackerList>,
    report: LinkReport,
    /// Number of entries that failed without ending the export.
    failed: usize,
    stop_reason: Option<StopReason>,
}

/// Synchronizes a user until `until` (milliseconds since the Unix epoch). Returns the report and the time at
/// which the user is due next.
///
/// # Errors
/// The user's rows cannot be read or written. Completed writes stay and are valid.
pub async fn synchronize(
    services: &SyncServices,
    tracked: &TrackedCatalogue,
    lease: &Lease,
    until: u64,
) -> Result<(SyncReport, u64)> {
    let links = services.links.list(lease.user).await?;
    let now = services.clock.now_ms();
    // An account whose tokens the tracker refuses counts as unlinked until the user connects it again.
    let is_usable = |link: &&Link| !link.needs_reconnect && services.trackers.is_on(link.tracker);
    let (ready, paused): (Vec<&Link>, Vec<&Link>) = links
        .iter()
        .filter(is_usable)
        .partition(|link| link.not_before <= now);
    let mut runs = join_all(
        ready
            .into_iter()
            .map(|link| open_and_read(services, tracked, link, until)),
    )
    .await;

    let mut lists = PerTracker::default();
    for run in &mut runs {
        let list = run.list.take();
        count_unknown(run, list.as_ref());
        lists[run.link.tracker] = list;
    }
    let mut usable = links.iter().filter(is_usable);
    let at_a = usable.find(|link| link.tracker == TrackerName::A);
    let read = ReadLists {
        unread_a: at_a.map(|link| link.account).filter(|_| lists.a.is_none()),
        lists,
    };
    let stories = services.store.stories(lease.user).await?;
    let mut plan = plan_writes(tracked, lease.user, stories, &read, now);
    let changed_meanwhile = write_stories(services, lease, &plan, &mut runs).await?;
    if let Some(changed) = changed_meanwhile {
        export_all(services, lease, &mut plan, &changed, &mut runs, until).await;
    }

    let mut due: Vec<u64> = paused.iter().map(|link| link.not_before).collect();
    let mut report = SyncReport {
        users: 1,
        ..SyncReport::default()
    };
    for run in runs {
        match store_result(services, &plan, &run).await {
            Ok(due_at) => due.push(due_at),
            Err(error) => {
                tracing::warn!(
                    user = lease.user.get(),
                    %error,
                    "the report of a tracker was not stored"
                );
                report.failed_users = 1;
                due.push(schedule::after_incomplete_run(services));
            }
        }
        report.trackers[run.link.tracker] = TrackerReport::of(&run.report, &run.stop_reason);
    }
    let due_at = due.into_iter().min();
    Ok((
        report,
        due_at.unwrap_or_else(|| schedule::after_about(services, schedule::IDLE_MS)),
    ))
}

/// Opens a linked account and reads its list. If this fails, the returned run has the stop reason.
async fn open_and_read<'s>(
    services: &'s SyncServices,
    tracked: &TrackedCatalogue,
    link: &Link,
    until: u64,
) -> AccountRun<'s> {
    let mut run = AccountRun {
        link: link.clone(),
        connection: None,
        list: None,
        report: LinkReport {
            at: services.clock.now_ms(),
            succeeded_at: link.report.as_ref().map_or(0, |report| report.succeeded_at),
            ..LinkReport::default()
        },
        failed: 0,
        stop_reason: None,
    };
    let read = async {
        let tracker = services.trackers.get(link.tracker).await?;
        let tracker =
            tracker.ok_or_else(|| Error::internal("the tracker is no longer configured"))?;
        let mut connection = TrackerConnection::open(services, tracker, link, until).await?;
        let list = connection.list().await;
        Ok::<_, StopReason>((connection, list))
    };
    match read.await {
        Ok((connection, list)) => {
            run.connection = Some(connection);
            match list {
                Ok(list) => {
                    run.list = Some(TrackerList::new(tracked, link.tracker, link.account, list));
                }
                Err(stop_reason) => run.stop_reason = Some(stop_reason),
            }
        }
        Err(stop_reason) => run.stop_reason = Some(stop_reason),
    }
    run
}

fn count_unknown(run: &mut AccountRun<'_>, list: Option<&TrackerList>) {
    let unknown = list.map(|list| list.unknown.as_slice()).unwrap_or_default();
    run.report.unknown = count(unknown.len());
    run.report.unknown_ids = unknown.iter().copied().take(MAX_EXAMPLES).collect();
}

/// Writes the planned stories and counts them. Skips the stories that have changed since the run read them, and returns
/// their identifiers, because they must not be exported either. Returns `None` if the run no longer has the lease.
async fn write_stories(
    services: &SyncServices,
    lease: &Lease,
    plan: &SyncPlan,
    runs: &mut [AccountRun<'_>],
) -> Result<Option<HashSet<StoryId>>> {
    let Some(changed) = services.store.write_stories(lease, &plan.writes).await? else {
        for run in runs {
            run.stop_reason = Some(StopReason::LinkChanged);
        }
        return Ok(None);
    };
    let changed: HashSet<StoryId> = changed.into_iter().collect();
    for run in runs {
        let written = plan.counts.iter().filter(|(id, _)| !changed.contains(id));
        for StoryCounts { imported, conflict } in
            written.map(|(_, counts)| counts[run.link.tracker])
        {
            run.report.imported += u32::from(imported);
            run.report.conflicts += u32::from(conflict);
        }
    }
    Ok(Some(changed))
}

/// Writes the exports at both trackers at the same time, without the stories in `changed`.
async fn export_all(
    services: &SyncServices,
    lease: &Lease,
    plan: &mut SyncPlan,
    changed: &HashSet<StoryId>,
    runs: &mut [AccountRun<'_>],
    until: u64,
) {
    let write = runs.iter_mut().map(|run| {
        let mut exports = std::mem::take(&mut plan.exports[run.link.tracker]);
        exports.retain(|export| !changed.contains(&export.id));
        export_to(services, lease, run, exports, until)
    });
    join_all(write).await;
}

/// Writes the exports at one tracker. A single failed entry does not end the export.
async fn export_to(
    services: &SyncServices,
    lease: &Lease,
    run: &mut AccountRun<'_>,
    exports: Vec<Export>,
    until: u64,
) {
    let mut left = exports.len();
    let (mut failed_in_a_row, mut last_failure) = (0, None);
    for export in exports.iter().take(MAX_EXPORTS) {
        // The entries that are left are counted before each entry, because the export can end at any of them.
        run.report.left = count(left);
        if services.clock.now_ms() >= until {
            return;
        }
        match export_entry(services, lease, run, export).await {
            Ok(()) => {
                left -= 1;
                failed_in_a_row = 0;
            }
            Err(StopReason::Later(cause, None)) if failed_in_a_row + 1 < MAX_FAILURES_IN_A_ROW => {
                failed_in_a_row += 1;
                run.failed += 1;
                last_failure = Some(StopReason::Later(cause, None));
            }
            Err(stop_reason) => {
                run.stop_reason = Some(stop_reason);
                return;
            }
        }
    }
    run.report.left = count(left);
    // If no entry was written, the failed entries count as a failure of the tracker.
    if run.report.exported == 0 && last_failure.is_some() {
        run.stop_reason = last_failure;
    }
}

async fn export_entry(
    services: &SyncServices,
    lease: &Lease,
    run: &mut AccountRun<'_>,
    export: &Export,
) -> Result<(), StopReason> {
    let Some(connection) = &mut run.connection else {
        return Ok(());
    };
    let sync_state = match connection.save(&export.write).await {
        Ok(entry) => {
            run.report.exported += 1;
            SyncState {
                mark: SyncMark::Same,
                base: Some(export.change.base_after(&to_remote(&entry))),
                ..sync_state_of(run.link.account, export)
            }
        }
        Err(StopReason::Final(_)) => {
            // This version of the story is not sent again. A later version will be sent.
            run.report.refused += 1;
            SyncState {
                mark: SyncMark::Refused,
                ..sync_state_of(run.link.account, export)
            }
        }
        Err(stop_reason) => return Err(stop_reason),
    };
    let (store, tracker) = (&services.store, run.link.tracker);
    let write = store.store_sync_state(lease, export.id, tracker, sync_state);
    Ok(write.await?)
}

fn sync_state_of(account: u64, export: &Export) -> SyncState {
    // The sync state of another account does not apply to this one.
    let stored = export.sync_state.filter(|state| state.account == account);
    SyncState {
        account,
        version: export.version,
        mark: SyncMark::Same,
        base: stored.and_then(|state| state.base),
    }
}

/// Stores the report of a linked account. Returns the time at which the user is due next because of this account.
async fn store_result(
    services: &SyncServices,
    plan: &SyncPlan,
    run: &AccountRun<'_>,
) -> Result<u64> {
    let now = services.clock.now_ms();
    let mut report = run.report.clone();
    report.trouble = run
        .stop_reason
        .as_ref()
        .map(|stop_reason| describe(run.link.tracker, stop_reason));
    let (failures, not_before, due_at) = match &run.stop_reason {
        // `left` includes the failed entries. If it is higher, the other entries are beyond `MAX_EXPORTS`, or the time
        // was over. The next run continues.
        None if count(run.failed) < report.left => (0, 0, now),
        // The next run comes sooner than usual. It tries to write the failed entries again, and shows whether entries
        // that the list lacked are gone.
        None if run.failed > 0 || plan.has_absent[run.link.tracker] => {
            (0, 0, schedule::after_incomplete_run(services))
        }
        None => {
            report.succeeded_at = now;
            let has_changed = report.imported + report.exported > 0;
            let due_at = schedule::after_success(services, plan.changed_at, has_changed);
            (0, 0, due_at)
        }
        // The end of the run's time does not count as a failure of the tracker.
        Some(StopReason::NoTime(wait)) => {
            let due_at = now.saturating_add(schedule::to_ms(wait.unwrap_or_default()));
            (run.link.failures, due_at, due_at)
        }
        Some(StopReason::LinkChanged) => (run.link.failures, 0, now),
        Some(stop_reason) => {
            log_stop_reason(run, stop_reason);
            let failures = run.link.failures.saturating_add(1);
            let wait = requested_wait(stop_reason);
            let not_before = schedule::after_failure(services, failures, wait);
            (failures, not_before, not_before)
        }
    };
    let store_report = services
        .links
        .store_report(&run.link, &report, failures, not_before);
    store_report.await?;
    if matches!(run.stop_reason, Some(StopReason::Reconnect)) {
        services.links.require_reconnect(&run.link).await?;
    }
    Ok(due_at)
}

/// Returns the time that the tracker asks to wait, if it states one.
fn requested_wait(stop_reason: &StopReason) -> Option<Duration> {
    match stop_reason {
        StopReason::Later(_, requested_wait) => *requested_wait,
        _ => None,
    }
}

fn log_stop_reason(run: &AccountRun<'_>, stop_reason: &StopReason) {
    let (user, tracker) = (run.link.user_id.get(), run.link.tracker);
    let message = match stop_reason {
        StopReason::Reconnect => {
            "a tracker is not called until the user connects the account again"
        }
        _ => "a tracker is left to a later run",
    };
    tracing::warn!(user, %tracker, %stop_reason, "{message}");
}

/// Describes an error for the user's profile page.
fn describe(tracker: TrackerName, stop_reason: &StopReason) -> String {
    let title = tracker.title();
    let cause = |cause: &Cause| cause.to_string();
    match stop_reason {
        StopReason::Reconnect => {
            format!("{title} no longer accepts the connection. Connect the account again.")
        }
        StopReason::Final(reason) => {
            format!("{title} refuses to show this list: {}.", cause(reason))
        }
        StopReason::Later(reason, _) => {
            format!("The last request to {title} failed: {}.", cause(reason))
        }
        StopReason::NoTime(_) => {
            format!("The run ended before it was done with {title}. The next run continues soon.")
        }
        StopReason::LinkChanged => {
            "The account was linked again, or another run has started. The next run continues soon."
                .to_owned()
        }
        StopReason::Internal(_) => {
            "Something went wrong on our side. A later run tries again.".to_owned()
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
