//! Migration 2: the attribute `listed` of stories, and the digests of lists, which rows of version 0.1.0 lack
//! ([`StoryStore::fill_lists`]). Without them, lists are read at a higher cost.

use dynamo::Database;
use shared::grouped;
use stories::lists::{FilledLists, StoryStore};

/// Fills what stories and lists lack.
pub(super) async fn fill(database: &Database) -> anyhow::Result<Option<String>> {
    fill_lists(database, false).await
}

/// Fills what stories and lists lack, and replaces wrong digests, which only a restore of single tables can leave.
pub(super) async fn check(database: &Database) -> anyhow::Result<Option<String>> {
    fill_lists(database, true).await
}

async fn fill_lists(database: &Database, checks_all: bool) -> anyhow::Result<Option<String>> {
    let filled = StoryStore::new(database).fill_lists(checks_all).await?;
    let FilledLists { stories, lists } = filled;
    let [filled_stories, filled_lists] = [stories, lists].map(grouped);
    let report = format!("Upgraded {filled_stories} stories and {filled_lists} lists.");
    Ok((stories > 0 || lists > 0).then_some(report))
}
