//! `kiroku refresh`: updates the catalogue from tracker A and AnimeThemes on request.

use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use catalog_refresh::{Report, Scope, Sources, refresh};
use clap::Args;
use runtime::{Environment, Overrides};
use shared::clock::Clock;
use shared::grouped;
use shared::random::Random;
use store::TableNames;

use crate::import::{Length, Progress, Running};
use crate::target::Target;

/// Options of a refresh.
#[derive(Args, Clone, Debug, Default)]
pub struct RefreshArgs {
    /// Read the whole catalogue, not only the changes. AniList's terms forbid collecting its data in
    /// bulk: get their permission first.
    #[arg(long)]
    pub all: bool,

    /// DynamoDB to work on.
    #[command(flatten)]
    pub target: Target,
}

/// Refreshes the catalogue in these tables from the sources that the environment configures, and
/// publishes it.
///
/// # Errors
/// When tracker A is not configured, or a source cannot be read completely. Changes made so far are
/// kept, and another run reads the rest.
pub async fn run(
    all: bool,
    client: Client,
    tables: TableNames,
    progress: &Progress,
) -> anyhow::Result<()> {
    let environment = Environment {
        client,
        tables,
        clock: Clock::system(),
        random: Random::from_os()?,
        // Only linking an account needs an address to redirect to, and a refresh links none.
        public_url: String::new(),
        overrides: Overrides::default(),
    };
    let trackers = environment.trackers().map_err(anyhow::Error::msg)?;
    let themes = environment.anime_themes().map_err(anyhow::Error::msg)?;
    let sources = Sources::of(&trackers, themes.as_ref()).await;
    let sources = sources.map_err(anyhow::Error::msg)?;
    anyhow::ensure!(
        sources.anime.is_some(),
        "tracker A is not configured: set TRACKER_A_CLIENT_ID to the id of your client at AniList"
    );
    let stages = Stages {
        progress,
        current: Mutex::new(None),
    };
    let scope = if all { Scope::All } else { Scope::Changed };
    let report = refresh(&environment, sources, scope, u64::MAX, &|now| {
        stages.show(now);
    })
    .await;
    let report = report.context("cannot refresh the catalogue")?;
    println!("{}", table(&report, sources.songs.is_some()));
    match report.ended() {
        Some(error) => Err(anyhow::anyhow!(
            "{error}; changes made so far are kept, run the command again to read the rest"
        )),
        None => Ok(()),
    }
}

fn table(report: &Report, has_songs: bool) -> String {
    let mut lines = vec!["Anime".to_owned(), report.anime.to_string()];
    if has_songs {
        lines.extend(["Songs".to_owned(), report.songs.to_string()]);
    } else {
        lines.push("Songs were not refreshed: ANIME_THEMES_API_URL is not set.".to_owned());
    }
    for (kind, rows) in &report.published {
        let rows = grouped(*rows as u64);
        lines.push(format!("Published the index of {kind}: {rows} rows."));
    }
    if report.published.is_empty() {
        lines.push("Published nothing: the index is up to date.".to_owned());
    }
    lines.join("\n")
}

/// Shows the stages of a refresh one after the other.
struct Stages<'p> {
    progress: &'p Progress,
    /// The name of the current stage, and its bar.
    current: Mutex<Option<(&'static str, Running<'p>)>>,
}

impl Stages<'_> {
    fn show(&self, now: catalog_refresh::Progress) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let name = current.as_ref().map(|(name, _)| *name);
        if name != Some(now.stage) {
            // The bar of the last stage is removed before the next one is drawn.
            current.take();
            self.progress.phase(now.stage);
            *current = Some((now.stage, self.progress.start(Length::Share(now.length))));
        }
        if let Some((_, bar)) = &*current {
            bar.advance(now.entries, now.position);
        }
    }
}
