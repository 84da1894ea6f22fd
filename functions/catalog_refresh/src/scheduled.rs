//! The refresh that the schedule in template.yaml starts.

use lambda_http::Error;
use runtime::Environment;
use serde_json::Value;

use crate::clients::Clients;
use crate::context::RefreshScope;
use crate::run::refresh;

/// Time between the end of reading and Lambda's time limit, in milliseconds. In this time, the run writes the last
/// page, publishes, and updates stories.
const MARGIN_MS: u64 = 60_000;

/// Updates the catalogue with the changes at the configured sources. Stops reading 60 seconds before
/// `deadline` (milliseconds since the Unix epoch). `function` is the name of the Lambda function.
///
/// # Errors
/// A setting is invalid, or the database fails. A source that fails is not an error, because the others have been read.
/// The age of its data is a metric, and an alarm follows if the data gets too old.
pub async fn run_scheduled(deadline: u64, function: &str) -> Result<Value, Error> {
    let environment = Environment::read()?;
    let clients = Clients::read(&environment, false)?;
    let sources = clients.sources().await?;
    let until = deadline.saturating_sub(MARGIN_MS);
    let report = refresh(&environment, sources, RefreshScope::Changed, until, &|_| {}).await?;
    report.log(function, environment.database.clock.now_ms());
    Ok(report.to_json())
}
