//! The tasks that `kiroku serve` repeats in the background, in place of scheduled functions.

use std::sync::Arc;
use std::time::Duration;

use catalog_refresh::{Clients, RefreshScope, refresh};
use catalogue::Resource;
use catalogue::refresh::{RefreshSummaryStore, SourceStore};
use catalogue::snapshots::MAX_DATA_AGE_S;
use openid::{Provider, ProviderError};
use runtime::Environment;
use shared::clock::Clock;
use shared::models::{Anime, Song};
use shared::{Error, Result};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use tracker_sync::SyncServices;

use crate::embedded::engine::TASK_INTERVAL;
use crate::{migrations, user};

/// Interval between two questions to an identity provider that has not responded since the start. The provider is not
/// asked again for 15 seconds after a failure ([`openid`]).
pub const PROVIDER_INTERVAL: Duration = Duration::from_secs(20);

/// Interval between two checks of the age of the catalogue's data.
const DATA_CHECK_INTERVAL: Duration = Duration::from_hours(24);

/// Interval between two checks for community counts that are due. They are made once a day.
const COUNT_INTERVAL: Duration = Duration::from_hours(1);

/// Interval between synchronization runs. The schedule in template.yaml has the same interval.
const SYNC_INTERVAL: Duration = Duration::from_mins(5);

/// Checks that the identity provider can be used, so that the log says at the start what is wrong. A provider that does
/// not respond may be starting at the same time, so it is asked again after each `interval` until it responds.
pub async fn check_provider(provider: Arc<Provider>, interval: Duration) {
    let mut turns = tokio::time::interval(interval);
    let mut is_first = true;
    loop {
        turns.tick().await;
        match provider.check().await {
            Ok(()) => return,
            Err(error @ ProviderError::OtherIssuer { .. }) => {
                // The name of the option differs from the variable of the functions on AWS.
                let reason = error.to_string().replace("OIDC_", "KIROKU_OIDC_");
                tracing::error!(%reason, "sign-in with the identity provider does not work");
                return;
            }
            Err(error) if is_first => {
                tracing::warn!(reason = %error, "the identity provider is unavailable");
            }
            Err(_) => {}
        }
        is_first = false;
    }
}

/// Finishes deletions of users and OAuth clients, as the scheduled function `account_sweep` does.
pub async fn finish_deletions(environment: Environment) {
    let database = environment.database;
    let turn_ms = u64::try_from(TASK_INTERVAL.as_millis()).unwrap_or(u64::MAX);
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let until = database.clock.now_ms().saturating_add(turn_ms);
        if let Err(error) = account_sweep::sweep(&database, until).await {
            tracing::warn!(%error, "sweep failed; the next one continues");
        }
    }
}

/// Makes the migrations that the start has skipped because the service works without them.
pub async fn finish_migrations(environment: Environment) {
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        match migrations::make_rest(&environment.database).await {
            Ok(reports) => {
                for report in reports {
                    tracing::info!(report, "the data of an earlier version is upgraded");
                }
                return;
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(
                    error,
                    "the data is not upgraded yet; the next turn tries again"
                );
            }
        }
    }
}

/// Publishes new corrections of the catalogue once a minute. On AWS, the function `catalog_refresh` publishes them
/// in its runs.
pub async fn publish_corrections(environment: Environment) {
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    loop {
        turns.tick().await;
        let (anime, song) = tokio::join!(
            publish_if_corrected::<Anime>(&environment),
            publish_if_corrected::<Song>(&environment),
        );
        if let Err(error) = anime.as_ref().and(song.as_ref()) {
            tracing::warn!(%error, "corrections are not published; the next turn tries again");
        }
        // A correction may have raised an anime's number of episodes.
        if matches!(anime, Ok(true))
            && let Err(error) = user::raise_episodes(&environment.database).await
        {
            tracing::warn!(%error, "stories do not follow a correction until the next refresh");
        }
    }
}

/// Publishes corrections, and returns true if there were any.
async fn publish_if_corrected<R: Resource>(environment: &Environment) -> Result<bool> {
    let database = &environment.database;
    let is_corrected = catalogue::has_unpublished::<R>(database).await?;
    if is_corrected {
        catalogue::publish::<R>(database).await?;
    }
    Ok(is_corrected)
}

/// Warns once a day if the data of a file of the catalogue is more than 30 days old, as the page for administrators
/// does. The files are published every week or more often.
pub async fn warn_of_old_data(environment: Environment) {
    let database = &environment.database;
    let mut turns = tokio::time::interval(DATA_CHECK_INTERVAL);
    loop {
        turns.tick().await;
        let Ok(times) = SourceStore::data_times(database).await else {
            continue;
        };
        let now_s = database.clock.now_s();
        for (source, at) in times {
            let age_s = now_s.saturating_sub(at);
            if age_s > MAX_DATA_AGE_S {
                let days = age_s / (24 * 60 * 60);
                tracing::warn!(
                    source,
                    days,
                    "the data of the catalogue is old; update it by `kiroku catalogue`, or its source may have ended"
                );
            }
        }
    }
}

/// Counts the users of each anime once a day. On AWS, the function `catalog_refresh` counts them in its runs.
pub async fn count_users_of_anime(environment: Environment) {
    let mut turns = tokio::time::interval(COUNT_INTERVAL);
    loop {
        turns.tick().await;
        if let Err(error) = user::count_community(&environment.database).await {
            let error = format!("{error:#}");
            tracing::warn!(
                error,
                "the users of each anime are not counted; the next turn tries again"
            );
        }
    }
}

/// Starts [`refresh_catalogue`], until `stopped` is true. It has a thread of its own, because the compiler cannot prove
/// that the future of a refresh can move between threads.
pub fn start_refreshes(
    environment: Environment,
    clients: Clients,
    interval_s: u64,
    mut stopped: watch::Receiver<bool>,
) {
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            tokio::select! {
                // `wait_for` fails if the sender has been dropped. That also stops the refreshes.
                _ = stopped.wait_for(|stopped| *stopped) => {}
                () = refresh_catalogue(environment, clients, interval_s) => {}
            }
        });
    });
}

/// Refreshes the catalogue from its sources whenever this number of seconds has passed since the start of the last
/// refresh, including a refresh before this process started. So a restart does not ask the sources again. Refreshes run
/// one after the other.
async fn refresh_catalogue(environment: Environment, clients: Clients, interval_s: u64) {
    let clock = environment.database.clock.clone();
    let summaries = RefreshSummaryStore::new(&environment.database);
    let mut last_s: Option<u64> = None;
    let mut turns = tokio::time::interval(TASK_INTERVAL);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        match summaries.read().await {
            // The start of a refresh whose summary could not be stored also counts.
            Ok(summary) => last_s = last_s.max(summary.map(|summary| summary.began_at)),
            Err(error) => {
                tracing::warn!(%error, "the last refresh is unknown; the next turn tries again");
                continue;
            }
        }
        let now_s = clock.now_s();
        if last_s.is_some_and(|last_s| now_s < last_s.saturating_add(interval_s)) {
            tracing::debug!(last_s, "no refresh is due");
            continue;
        }
        last_s = Some(now_s);
        let result = async {
            let sources = clients.sources().await.map_err(Error::Internal)?;
            let scope = RefreshScope::Changed;
            Box::pin(refresh(&environment, sources, scope, u64::MAX, &|_| {})).await
        };
        match result.await {
            // The task `warn_of_old_data` warns of old files.
            Ok(report) => tracing::info!(report = %report.to_json(), "refreshed the catalogue"),
            Err(error) => tracing::warn!(%error, "the refresh of the catalogue failed"),
        }
    }
}

/// Synchronizes the stories of due users with their trackers, as the scheduled function `tracker_sync` does.
pub async fn synchronize(services: SyncServices) {
    // A run ends when the next one is due.
    let turn_ms = u64::try_from(SYNC_INTERVAL.as_millis()).unwrap_or(u64::MAX);
    let clock = Clock::system();
    let mut turns = tokio::time::interval(SYNC_INTERVAL);
    loop {
        turns.tick().await;
        let until = clock.now_ms().saturating_add(turn_ms);
        match tracker_sync::run(&services, until).await {
            Ok(report) if report.users > 0 => {
                tracing::info!(report = %report.to_json(), "synchronized with trackers");
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "synchronization failed; the next run continues"),
        }
    }
}
