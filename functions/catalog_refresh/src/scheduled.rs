//! A refresh as the schedule starts it.

use lambda_http::Error;
use runtime::Environment;
use serde_json::{Value, json};

use crate::{Report, Scope, Sources, Unwatched, refresh};

/// How long before its time limit it ceases to read, in milliseconds: longer than it takes to write the
/// last page, and to publish.
const MARGIN_MS: u64 = 60_000;

/// Refreshes what changed, from the sources that the environment configures, in good time before
/// `deadline` (milliseconds since the Unix epoch).
///
/// # Errors
/// When the environment holds what it cannot, when DynamoDB does not answer, and when a source could not
/// be read to its end: an operator is to know of the latter, though what was read is written.
pub async fn scheduled(deadline: u64) -> Result<Value, Error> {
    let environment = Environment::read()?;
    let trackers = environment.trackers()?;
    let themes = environment.anime_themes()?;
    let sources = Sources::of(&trackers, themes.as_ref()).await?;
    let until = deadline.saturating_sub(MARGIN_MS);
    let report = refresh(&environment, sources, Scope::Changed, until, &Unwatched).await?;
    let said = told(&report, sources);
    match report.ended() {
        Some(error) => Err(error.to_string().into()),
        None => Ok(said),
    }
}

/// What a run did, for the log and for whoever invoked it.
fn told(report: &Report, sources: Sources<'_>) -> Value {
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
