//! `kiroku refresh`: updates the catalogue from its sources on request.

use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::Context;
use catalog_refresh::{
    Clients, RefreshReport, RefreshScope, SourceFailure, SourceName, SourceOutcome, SourceReport,
    Sources, StageUnit, refresh,
};
use clap::Args;
use dynamo::Database;
use runtime::{Environment, Overrides};
use shared::auth::RegistrationMode;
use shared::grouped;
use shared::user_slots::UserSlots;
use stories::list_files::AddedWaiting;
use stories::lists::RaisedStories;

use crate::data::target::DatabaseOptions;
use crate::import::{Progress, RunningStage, StageLength};

/// Options of a refresh.
#[derive(Args, Clone, Debug, Default)]
pub struct RefreshArgs {
    /// Read everything, not only the changes. AniList's terms forbid collecting its data in bulk: get
    /// their permission first. MyAnimeList takes about 8 hours, one request for each anime.
    #[arg(long)]
    pub all: bool,

    /// DynamoDB to work on.
    #[command(flatten)]
    pub target: DatabaseOptions,
}

/// The interval between two refreshes of `kiroku serve`: a number of hours (`6` or `6h`) or of days (`7d`), up to a
/// year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshInterval {
    hours: u64,
}

impl RefreshInterval {
    /// The longest interval, in hours.
    const MAX_HOURS: u64 = 8_760;

    /// Returns the interval in seconds.
    pub fn seconds(self) -> u64 {
        self.hours * 60 * 60
    }
}

impl FromStr for RefreshInterval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = match text.strip_suffix('d') {
            Some(days) => (days, 24),
            None => (text.strip_suffix('h').unwrap_or(text), 1),
        };
        let number = number.parse::<u64>().ok();
        let hours = number.and_then(|number| number.checked_mul(unit));
        let hours = hours.filter(|hours| (1..=Self::MAX_HOURS).contains(hours));
        let interval = hours.map(|hours| Self { hours });
        interval.ok_or_else(|| "must be from 1h to 365d, such as 6h or 7d".to_owned())
    }
}

/// Refreshes the catalogue in this database from the sources that the environment configures, and publishes it.
///
/// # Errors
/// When no source is configured, or a source cannot be read completely. The other sources are still read. Changes made
/// so far are kept, and another run reads the rest.
pub async fn run(all: bool, database: Database, progress: &Progress) -> anyhow::Result<()> {
    let environment = environment(database);
    let clients = clients(&environment, false).await?;
    let sources = clients.sources().await.map_err(anyhow::Error::msg)?;
    let scope = if all {
        RefreshScope::All
    } else {
        RefreshScope::Changed
    };
    let report = read_sources(&environment, sources, scope, progress).await?;
    let mut lines = report_lines(&report);
    for (name, _) in SourceName::ALL {
        if !report.sources.contains_key(&name) {
            lines.push(format!("{name}: off, {} is not set", name.variable()));
        }
    }
    print_report(&environment, &report, lines)
}

/// Returns an environment for a refresh of this database.
pub(crate) fn environment(database: Database) -> Environment {
    Environment {
        database,
        // Only linking an account needs an address to redirect to, and a refresh links none.
        public_url: String::new(),
        has_images: false,
        registration: RegistrationMode::default(),
        has_passwords: true,
        encryption_keys: OnceLock::new(),
        file_slots: UserSlots::default(),
        playback: UserSlots::default(),
        overrides: Overrides::default(),
    }
}

/// Refreshes the catalogue from these sources without a time limit, and shows the progress.
pub(crate) async fn read_sources(
    environment: &Environment,
    sources: Sources<'_>,
    scope: RefreshScope,
    progress: &Progress,
) -> anyhow::Result<RefreshReport> {
    let stages = Stages {
        progress,
        current: Mutex::new(None),
    };
    let report = refresh(environment, sources, scope, u64::MAX, &|progress| {
        stages.show(progress);
    })
    .await;
    report.context("cannot refresh the catalogue")
}

/// Prints the lines about the sources and the rest of the report, and warnings about old data.
///
/// # Errors
/// When a source could not be read completely.
pub(crate) fn print_report(
    environment: &Environment,
    report: &RefreshReport,
    mut lines: Vec<String>,
) -> anyhow::Result<()> {
    lines.extend(publication_lines(report));
    println!("{}", lines.join("\n"));
    for warning in report.age_warnings(environment.database.clock.now_s()) {
        eprintln!("Warning: {warning}");
    }
    let first = match report.failure() {
        None => return Ok(()),
        // The message of this failure names the source.
        Some((_, failure @ SourceFailure::Request(_))) => failure.to_string(),
        Some((name, failure)) => format!("{name}: {failure}"),
    };
    let advice = if report.failures().any(|(_, failure)| failure.can_pass()) {
        ", run the command again to read the rest"
    } else {
        ""
    };
    anyhow::bail!("{first}; changes made so far are kept{advice}")
}

/// Returns the clients of the sources that the environment configures. With `uses_usual_files`, the files of the
/// catalogue are among them ([`SourceName::usual_addresses`]).
///
/// # Errors
/// When no source is configured, or a setting is invalid.
pub async fn clients(environment: &Environment, uses_usual_files: bool) -> anyhow::Result<Clients> {
    let clients =
        Clients::read(environment, uses_usual_files).map_err(anyhow::Error::from_boxed)?;
    let sources = clients.sources().await.map_err(anyhow::Error::msg)?;
    let variables = SourceName::ALL.map(|(name, _)| name.variable()).join(", ");
    anyhow::ensure!(
        !sources.names().is_empty(),
        "no source is configured: run `kiroku catalogue --accept-terms` once, or set at least one of {variables} \
        (docs/trackers.md, \"Configuration\")"
    );
    Ok(clients)
}

/// Returns the lines about the sources.
pub(crate) fn report_lines(report: &RefreshReport) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, source) in &report.sources {
        lines.push(format!("{name}: {source}"));
        if matches!(
            source.outcome,
            SourceOutcome::Read | SourceOutcome::Failed(_)
        ) {
            lines.extend(count_lines(*name, source));
        }
    }
    lines
}

/// Returns the lines with the counts of a source. The entries of the mapping and of the season maps are not rows of the
/// catalogue, so a table of rows would say that nothing was read.
fn count_lines(name: SourceName, source: &SourceReport) -> Vec<String> {
    let counts = &source.counts;
    let what = match name {
        SourceName::Mapping => "Anime with identifiers",
        SourceName::Seasons => "Anime with a season or a movie",
        _ => return vec![counts.to_string()],
    };
    let mut lines = Vec::new();
    if let Some(entries) = source.entries {
        lines.push(format!("{what}: {}.", grouped(entries)));
    }
    if counts.changed > 0 {
        let changed = grouped(counts.changed);
        lines.push(format!(
            "Anime whose identifier at The Movie Database has changed: {changed}."
        ));
    }
    if counts.skipped_count() > 0 {
        let skipped = grouped(counts.skipped_count());
        let skips = &counts.skips;
        lines.push(format!(
            "Parts of the file that were skipped: {skipped}.{skips}"
        ));
    }
    lines
}

/// Returns the lines about what was published, and about stories.
fn publication_lines(report: &RefreshReport) -> Vec<String> {
    let mut lines = Vec::new();
    for (kind, rows) in &report.published {
        let rows = grouped(*rows as u64);
        lines.push(format!("Published the index of {kind}: {rows} rows."));
    }
    if report.published.is_empty() {
        lines.push("Published nothing: the index is up to date.".to_owned());
    }
    lines.extend(waiting_summary(report.waiting));
    lines.extend(raised_summary(report.raised));
    lines
}

/// Returns a summary of the entries of earlier imports that became stories. `None` if no entry became a story and no
/// user failed.
pub fn waiting_summary(added: AddedWaiting) -> Option<String> {
    let subject = "Entries of earlier imports that became stories";
    summarize_pass(subject, added.entries, added.users, added.failed)
}

/// Returns a summary of the stories whose episode has followed the catalogue. `None` if there is no such story and no
/// user failed.
pub fn raised_summary(raised: RaisedStories) -> Option<String> {
    let subject = "Stories whose episode follows the catalogue";
    summarize_pass(subject, raised.stories, raised.users, raised.failed)
}

fn summarize_pass(subject: &str, changed: u64, users: u64, failed: u64) -> Option<String> {
    (changed + failed > 0).then(|| {
        let (changed, users) = (grouped(changed), grouped(users));
        format!("{subject}: {changed} of {users} users; {failed} users failed.")
    })
}

/// Shows the stages of a refresh one after the other.
struct Stages<'p> {
    progress: &'p Progress,
    /// The name of the current stage, and its progress.
    current: Mutex<Option<(&'static str, RunningStage<'p>)>>,
}

impl Stages<'_> {
    fn show(&self, progress: catalog_refresh::RefreshProgress) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let name = current.as_ref().map(|(name, _)| *name);
        if name != Some(progress.stage) {
            // The bar of the previous stage is removed before the next bar is drawn.
            current.take();
            self.progress.print_stage(progress.stage);
            let stage = self.progress.start(match progress.unit {
                StageUnit::Bytes => StageLength::Download(progress.length),
                StageUnit::Share => StageLength::Share(progress.length),
            });
            *current = Some((progress.stage, stage));
        }
        if let Some((_, stage)) = &*current {
            stage.advance(progress.entries, progress.position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RefreshInterval;

    #[test]
    fn intervals_are_numbers_of_hours_or_days() {
        let hours = |text: &str| text.parse::<RefreshInterval>().map(|found| found.hours);
        for (text, expected) in [
            ("6", 6),
            ("6h", 6),
            ("7d", 168),
            ("8760", 8_760),
            ("365d", 8_760),
        ] {
            assert_eq!(hours(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "0",
            "0d",
            "366d",
            "8761",
            "6m",
            "d",
            "-1",
            "99999999999999999999d",
            "1.5d",
        ] {
            assert!(hours(text).is_err(), "{text}");
        }
    }
}
