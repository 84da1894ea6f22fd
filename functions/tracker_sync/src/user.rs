//! Synchronizes one user: all stories with the lists of the linked accounts.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use shared::Error;
use shared::models::{Base, Known, Mark, PerTracker, StoryId, TrackerName, Watched};
use store::{Lease, Link, LinkReport};
use trackers::{Cause, Entry};

use crate::connection::{Connection, Trouble};
use crate::plan::{Export, List, Plan, Read, StoryCounts, Tracked, plan};
use crate::report::{Report, TrackerReport};
use crate::{SyncState, schedule};

/// Maximum number of entries that a run writes at a tracker for one user. Within the tracker's rate limit
/// they take about a minute, in which other users wait. A user with more entries is due again at once.
pub const MAX_EXPORTS: usize = 25;

/// Number of entries that fail in a row before the tracker is left to a later run.
const MAX_FAILURES: usize = 3;

/// Maximum number of anime missing from the catalogue that the report lists by their identifiers at the
/// tracker.
const MAX_EXAMPLES: usize = 5;

/// The state of a run for one of the user's linked accounts.
struct Side<'s> {
    link: Link,
    connection: Option<Connection<'s>>,
    list: Option<List>,
    report: LinkReport,
    /// Number of entries that failed without ending the export.
    failed: usize,
    trouble: Option<Trouble>,
}

/// Synchronizes a user until `until` (milliseconds since the Unix epoch). Returns the report and the time at
/// which the user is due next.
///
/// # Errors
/// The user's rows cannot be read or written. Completed writes stay and are valid.
pub async fn synchronize(
    state: &SyncState,
    tracked: &Tracked,
    lease: &Lease,
    until: u64,
) -> Result<(Report, u64), Error> {
    let links = state.links.of(lease.user).await?;
    let now = state.clock.now_ms();
    // A refused account counts as unlinked until the user connects it again.
    let is_usable = |link: &&Link| !link.is_refused && state.trackers.is_on(link.tracker);
    let (ready, waiting): (Vec<&Link>, Vec<&Link>) = links
        .iter()
        .filter(is_usable)
        .partition(|link| link.not_before <= now);
    let mut sides = join_all(
        ready
            .into_iter()
            .map(|link| open(state, tracked, link, until)),
    )
    .await;

    let mut lists = PerTracker::default();
    for side in &mut sides {
        let list = side.list.take();
        count_unknown(side, list.as_ref());
        lists[side.link.tracker] = list;
    }
    let mut usable = links.iter().filter(is_usable);
    let at_a = usable.find(|link| link.tracker == TrackerName::A);
    let read = Read {
        unread_a: at_a.map(|link| link.account).filter(|_| lists.a.is_none()),
        lists,
    };
    let stories = state.store.stories(lease.user).await?;
    let mut plan = plan(tracked, lease.user, stories, &read, now);
    let written = write(state, lease, &plan, &mut sides).await?;
    if let Some(changed) = written {
        export_all(state, &mut plan, &changed, &mut sides, until).await;
    }

    let mut due: Vec<u64> = waiting.iter().map(|link| link.not_before).collect();
    let mut report = Report::one_user();
    for side in sides {
        match finish(state, &plan, &side).await {
            Ok(due_at) => due.push(due_at),
            Err(error) => {
                tracing::warn!(
                    user = lease.user.get(),
                    ?error,
                    "the report of a tracker was not stored"
                );
                report.failed_users = 1;
                due.push(schedule::again(state));
            }
        }
        report.trackers[side.link.tracker] = TrackerReport::of(&side.report, &side.trouble);
    }
    let due_at = due.into_iter().min();
    Ok((
        report,
        due_at.unwrap_or_else(|| schedule::in_about(state, schedule::IDLE_MS)),
    ))
}

/// Opens a linked account and reads its list. An error is kept in the returned state.
async fn open<'s>(state: &'s SyncState, tracked: &Tracked, link: &Link, until: u64) -> Side<'s> {
    let mut side = Side {
        link: link.clone(),
        connection: None,
        list: None,
        report: LinkReport {
            at: state.clock.now_ms(),
            succeeded_at: link.report.as_ref().map_or(0, |report| report.succeeded_at),
            ..LinkReport::default()
        },
        failed: 0,
        trouble: None,
    };
    let read = async {
        let tracker = state.trackers.get(link.tracker).await?;
        let tracker =
            tracker.ok_or_else(|| Error::internal("the tracker is no longer configured"))?;
        let mut connection = Connection::open(state, tracker, link, until).await?;
        let list = connection.list().await;
        Ok::<_, Trouble>((connection, list))
    };
    match read.await {
        Ok((connection, list)) => {
            side.connection = Some(connection);
            match list {
                Ok(list) => side.list = Some(List::new(tracked, link.tracker, link.account, list)),
                Err(trouble) => side.trouble = Some(trouble),
            }
        }
        Err(trouble) => side.trouble = Some(trouble),
    }
    side
}

fn count_unknown(side: &mut Side<'_>, list: Option<&List>) {
    let unknown = list.map(|list| list.unknown.as_slice()).unwrap_or_default();
    side.report.unknown = count(unknown.len());
    side.report.unknown_ids = unknown.iter().copied().take(MAX_EXAMPLES).collect();
}

/// Writes the changed stories and counts them. Returns the stories that have changed since they were read.
/// They are neither written nor exported. Returns `None` if the run no longer has the lease.
async fn write(
    state: &SyncState,
    lease: &Lease,
    plan: &Plan,
    sides: &mut [Side<'_>],
) -> Result<Option<HashSet<StoryId>>, Error> {
    let Some(changed) = state.store.write(lease, &plan.writes).await? else {
        for side in sides {
            side.trouble = Some(Trouble::Gone);
        }
        return Ok(None);
    };
    let changed: HashSet<StoryId> = changed.into_iter().collect();
    for side in sides {
        let written = plan.counts.iter().filter(|(id, _)| !changed.contains(id));
        for StoryCounts { imported, conflict } in
            written.map(|(_, counts)| counts[side.link.tracker])
        {
            side.report.imported += u32::from(imported);
            side.report.conflicts += u32::from(conflict);
        }
    }
    Ok(Some(changed))
}

/// Writes the exports at both trackers at the same time.
async fn export_all(
    state: &SyncState,
    plan: &mut Plan,
    changed: &HashSet<StoryId>,
    sides: &mut [Side<'_>],
    until: u64,
) {
    let exported = sides.iter_mut().map(|side| {
        let mut exports = std::mem::take(&mut plan.exports[side.link.tracker]);
        exports.retain(|export| !changed.contains(&export.id));
        export_to(state, side, exports, until)
    });
    join_all(exported).await;
}

/// Writes the exports at one tracker. A single failed entry does not end the export.
async fn export_to(state: &SyncState, side: &mut Side<'_>, exports: Vec<Export>, until: u64) {
    let mut left = exports.len();
    let (mut failed_in_a_row, mut last_failure) = (0, None);
    for export in exports.iter().take(MAX_EXPORTS) {
        // Counted before each entry, because the export can end at any of them.
        side.report.left = count(left);
        if state.clock.now_ms() >= until {
            return;
        }
        match export_entry(state, side, export).await {
            Ok(()) => {
                left -= 1;
                failed_in_a_row = 0;
            }
            Err(Trouble::Later(cause, None)) if failed_in_a_row + 1 < MAX_FAILURES => {
                failed_in_a_row += 1;
                side.failed += 1;
                last_failure = Some(Trouble::Later(cause, None));
            }
            Err(trouble) => {
                side.trouble = Some(trouble);
                return;
            }
        }
    }
    side.report.left = count(left);
    if side.report.exported == 0 && last_failure.is_some() {
        side.trouble = last_failure;
    }
}

async fn export_entry(
    state: &SyncState,
    side: &mut Side<'_>,
    export: &Export,
) -> Result<(), Trouble> {
    let Some(connection) = &mut side.connection else {
        return Ok(());
    };
    let known = match connection.save(&export.write).await {
        Ok(entry) => {
            side.report.exported += 1;
            Known {
                mark: Mark::Same,
                base: Some(base(export, &entry)),
                ..remembered(side.link.account, export)
            }
        }
        Err(Trouble::Final(_)) => {
            // This version of the story is not sent again. The next change of the story is.
            side.report.refused += 1;
            Known {
                mark: Mark::Refused,
                ..remembered(side.link.account, export)
            }
        }
        Err(trouble) => return Err(trouble),
    };
    let remembered = state.store.remember(export.id, side.link.tracker, known);
    Ok(remembered.await?)
}

fn remembered(account: u64, export: &Export) -> Known {
    // The sync state of another account does not apply to this one.
    let known = export.known.filter(|known| known.account == account);
    Known {
        account,
        version: export.version,
        mark: Mark::Same,
        base: known.and_then(|known| known.base),
    }
}

/// Returns the story and the entry as they are after the tracker's response. The next merge starts from them.
fn base(export: &Export, entry: &Entry) -> Base {
    Base {
        local: export.local,
        remote: Watched {
            status: entry.status,
            progress: entry.progress,
        },
        remote_at: entry.updated_at,
    }
}

/// Stores the report of a linked account. Returns the time at which the user is due next because of this
/// account.
async fn finish(state: &SyncState, plan: &Plan, side: &Side<'_>) -> Result<u64, Error> {
    let now = state.clock.now_ms();
    let mut report = side.report.clone();
    report.trouble = side
        .trouble
        .as_ref()
        .map(|trouble| describe(side.link.tracker, trouble));
    let (failures, not_before, due_at) = match &side.trouble {
        // Entries beyond `MAX_EXPORTS` are left, or the time is over: the next run continues.
        None if count(side.failed) < report.left => (0, 0, now),
        // Failed entries are written again, and absent ones read again, sooner than usual.
        None if side.failed > 0 || plan.has_absent[side.link.tracker] => {
            (0, 0, schedule::again(state))
        }
        None => {
            report.succeeded_at = now;
            let has_changed = report.imported + report.exported > 0;
            let due_at = schedule::after_success(state, plan.changed_at, has_changed);
            (0, 0, due_at)
        }
        // The end of the run's time does not count as a failure of the tracker.
        Some(Trouble::NoTime(wait)) => {
            let due_at = now.saturating_add(schedule::ms(wait.unwrap_or_default()));
            (side.link.failures, due_at, due_at)
        }
        Some(Trouble::Gone) => (side.link.failures, 0, now),
        Some(trouble) => {
            warn(side, trouble);
            let failures = side.link.failures.saturating_add(1);
            let not_before = schedule::after_failure(state, failures, asked(trouble));
            (failures, not_before, not_before)
        }
    };
    let kept = state
        .links
        .keep_report(&side.link, &report, failures, not_before);
    kept.await?;
    if matches!(side.trouble, Some(Trouble::Reconnect)) {
        state.links.refuse(&side.link).await?;
    }
    Ok(due_at)
}

/// Returns the time that the tracker asks to wait, if it states one.
fn asked(trouble: &Trouble) -> Option<Duration> {
    match trouble {
        Trouble::Later(_, asked) => *asked,
        _ => None,
    }
}

fn warn(side: &Side<'_>, trouble: &Trouble) {
    let (user, tracker) = (side.link.user_id.get(), side.link.tracker);
    tracing::warn!(user, %tracker, ?trouble, "a tracker is left to a later run");
}

/// Describes an error for the user's profile page.
fn describe(tracker: TrackerName, trouble: &Trouble) -> String {
    let title = tracker.title();
    let cause = |cause: &Cause| cause.to_string();
    match trouble {
        Trouble::Reconnect => {
            format!("{title} no longer accepts the connection. Connect the account again.")
        }
        Trouble::Final(why) => format!("{title} refuses to show this list: {}.", cause(why)),
        Trouble::Later(why, _) => format!("The last request to {title} failed: {}.", cause(why)),
        Trouble::NoTime(_) => {
            format!("The run ended before it was done with {title}. The next run continues soon.")
        }
        Trouble::Gone => {
            "The account was linked again, or another run has started. The next run continues soon."
                .to_owned()
        }
        Trouble::Ours(_) => "Something went wrong on our side. A later run tries again.".to_owned(),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
