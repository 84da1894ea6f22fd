//! `kiroku refresh`: updates the catalogue from its sources on request.

use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::Context;
use catalog_refresh::{Clients, RefreshReport, RefreshScope, SourceName, SourceOutcome, refresh};
use clap::Args;
use runtime::{Environment, Overrides};
use shared::auth::RegistrationMode;
use shared::grouped;
use shared::user_slots::UserSlots;
use store::Database;
use stories::RaisedStories;
use stories::list_files::AddedWaiting;

use crate::import::{Progress, RunningStage, StageLength};
use crate::target::Target;

/// Options of a refresh.
#[derive(Args, Clone, Debug, Default)]
pub struct RefreshArgs {
    /// Read everything, not only the changes. AniList's terms forbid collecting its data in bulk: get
    /// their permission first. MyAnimeList takes about 8 hours, one request for each anime.
    #[arg(long)]
    pub all: bool,

    /// DynamoDB to work on.
    #[command(flatten)]
    pub target: Target,
}

/// Refreshes the catalogue in this database from the sources that the environment configures, and
/// publishes it.
///
/// # Errors
/// When no source is configured, or a source cannot be read completely. The other sources are still read. Changes made
/// so far are kept, and another run reads the rest.
pub async fn run(all: bool, database: Database, progress: &Progress) -> anyhow::Result<()> {
    let environment = Environment {
        database,
        // Only linking an account needs an address to redirect to, and a refresh links none.
        public_url: String::new(),
        has_images: false,
        registration: RegistrationMode::default(),
        has_passwords: true,
        encryption_keys: OnceLock::new(),
        imports: UserSlots::default(),
        playback: UserSlots::default(),
        overrides: Overrides::default(),
    };
    let clients = clients(&environment).await?;
    let sources = clients.sources().await.map_err(anyhow::Error::msg)?;
    let stages = Stages {
        progress,
        current: Mutex::new(None),
    };
    let scope = if all {
        RefreshScope::All
    } else {
        RefreshScope::Changed
    };
    let report = refresh(&environment, sources, scope, u64::MAX, &|progress| {
        stages.show(progress);
    })
    .await;
    let report = report.context("cannot refresh the catalogue")?;
    println!("{}", format_report(&report));
    match report.failure() {
        Some(failure) => Err(anyhow::anyhow!(
            "{failure}; changes made so far are kept, run the command again to read the rest"
        )),
        None => Ok(()),
    }
}

/// Returns the clients of the sources that the environment configures.
///
/// # Errors
/// When no source is configured, or a setting is invalid.
pub async fn clients(environment: &Environment) -> anyhow::Result<Clients> {
    let clients = Clients::read(environment).map_err(anyhow::Error::from_boxed)?;
    let sources = clients.sources().await.map_err(anyhow::Error::msg)?;
    let variables = SourceName::ALL.map(SourceName::variable).join(", ");
    anyhow::ensure!(
        !sources.names().is_empty(),
        "no source is configured: set at least one of {variables} (docs/trackers.md, \"Configuration\")"
    );
    Ok(clients)
}

fn format_report(report: &RefreshReport) -> String {
    let mut lines = Vec::new();
    for (name, source) in &report.sources {
        lines.push(format!("{name}: {source}"));
        if matches!(
            source.outcome,
            SourceOutcome::Read | SourceOutcome::Failed(_)
        ) {
            lines.push(source.counts.to_string());
        }
    }
    let is_off = |name: &SourceName| !report.sources.contains_key(name);
    for name in SourceName::ALL.into_iter().filter(is_off) {
        lines.push(format!("{name}: off, {} is not set", name.variable()));
    }
    for (kind, rows) in &report.published {
        let rows = grouped(*rows as u64);
        lines.push(format!("Published the index of {kind}: {rows} rows."));
    }
    if report.published.is_empty() {
        lines.push("Published nothing: the index is up to date.".to_owned());
    }
    lines.extend(waiting_summary(report.waiting));
    lines.extend(raised_summary(report.raised));
    lines.join("\n")
}

/// Returns a summary of the entries of earlier imports that became stories. `None` if no entry became a story and no
/// user failed.
#[must_use]
pub fn waiting_summary(added: AddedWaiting) -> Option<String> {
    let AddedWaiting {
        users,
        entries,
        failed,
    } = added;
    (entries + failed > 0).then(|| {
        let (users, entries) = (grouped(users), grouped(entries));
        format!("Entries of earlier imports that became stories: {entries} of {users} users; {failed} users failed.")
    })
}

/// Returns a summary of the stories whose episode has followed the catalogue. `None` if there is no such story and no
/// user failed.
#[must_use]
pub fn raised_summary(raised: RaisedStories) -> Option<String> {
    let RaisedStories {
        users,
        stories,
        failed,
    } = raised;
    (stories + failed > 0).then(|| {
        let (users, stories) = (grouped(users), grouped(stories));
        format!("Stories whose episode follows the catalogue: {stories} of {users} users; {failed} users failed.")
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
            let stage = self.progress.start(StageLength::Share(progress.length));
            *current = Some((progress.stage, stage));
        }
        if let Some((_, stage)) = &*current {
            stage.advance(progress.entries, progress.position);
        }
    }
}
