//! The deletion of rows within a request, and its limits.

use std::time::Duration;

use shared::Result;
use tokio::time::timeout;

/// When a user or an OAuth client is deleted, the request deletes at most this many pages of 25 rows. The function
/// `account_sweep` deletes the rest.
pub(crate) const MAX_PAGES_AT_ONCE: usize = 20;

/// The maximum time that a request spends on deleting these rows.
const MAX_CLEARING_TIME: Duration = Duration::from_secs(3);

/// Deletes rows of a user or an OAuth client for at most 3 s. `rows` names them in the log. The function
/// `account_sweep` deletes the rows that are left, so an error is only logged.
pub(crate) async fn clear_within_request<T>(rows: &str, clearing: impl Future<Output = Result<T>>) {
    if let Ok(Err(error)) = timeout(MAX_CLEARING_TIME, clearing).await {
        tracing::warn!(%error, "{rows} are left to the sweep");
    }
}
