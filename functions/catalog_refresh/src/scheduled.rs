//! The refresh that the schedule in template.yaml starts.

use lambda_http::Error;
use runtime::Environment;
use serde_json::{Value, json};

use crate::{Report, Scope, Sources, refresh};

/// Time between the end of reading and Lambda's time limit, in milliseconds. It is longer than writing the
/// last page and publishing take.
const MARGIN_MS: u64 = 60_000;

/// Updates the catalogue with the changes at the configured sources. Stops reading 60 seconds before
/// `deadline` (milliseconds since the Unix epoch).
///
/// # Errors
/// A setting is invalid, the database fails, or a source could not be read completely. An incomplete read is
/// an error so that it raises an alarm, although everything that was read is written.
pub async fn scheduled(deadline: u64) -> Result<Value, Error> {
    let environment = Environment::read()?;
    let trackers = environment.trackers()?;
    let themes = environment.anime_themes()?;
    let sources = Sources::of(&trackers, themes.as_ref()).await?;
    let until = deadline.saturating_sub(MARGIN_MS);
    let report = refresh(&environment, sources, Scope::Changed, until, &|_| {}).await?;
    let counts = log_report(&report, sources);
    match report.ended() {
        Some(error) => Err(error.to_string().into()),
        None => Ok(counts),
    }
}

/// Logs the result of a run and returns it as JSON.
fn log_report(report: &Report, sources: Sources<'_>) -> Value {
    let (anime, songs) = (&report.anime, &report.songs);
    tracing::info!(
        anime_is_on = sources.anime.is_some(),
        anime_added = anime.added,
        anime_changed = anime.changed,
        anime_unchanged = anime.unchanged,
        anime_skipped = anime.skipped(),
        songs_are_on = sources.songs.is_some(),
        songs_added = songs.added,
        songs_changed = songs.changed,
        songs_unchanged = songs.unchanged,
        songs_skipped = songs.skipped(),
        published = report.published.len(),
        ended_by = report.ended().map(ToString::to_string),
        "refreshed"
    );
    json!({
        "anime": sources.anime.map(|_| anime.read()),
        "songs": sources.songs.map(|_| songs.read()),
    })
}
