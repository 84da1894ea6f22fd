//! The scheduled pass that counts how many users have each anime (docs/data-model.md, "Community counts").

use catalogue::community::{CommunityCounter, is_count_due, publish_community};
use dynamo::Database;
use shared::Result;

use super::story_store::StoryStore;

/// Counts the users of each anime and their scores, and publishes the counts, if the published ones are 20 hours old or
/// older. Private stories are not counted. Returns the number of anime in the new counts; `None` if no count was due,
/// or if not all stories were counted at `until` (milliseconds since the Unix epoch). Then the earlier counts stay.
///
/// It is safe to interrupt a pass, and to run two passes at the same time.
pub async fn count_community(database: &Database, until: u64) -> Result<Option<usize>> {
    if !is_count_due(database).await? {
        return Ok(None);
    }
    let clock = &database.clock;
    let (mut counter, mut is_complete) = (CommunityCounter::default(), true);
    let stories = StoryStore::new(database);
    let visit = stories.visit_all(|story| {
        let details = &story.state.details;
        if !details.private {
            counter.count(story.anime_id, story.state.status, details.score);
        }
        is_complete = clock.now_ms() < until;
        is_complete
    });
    visit.await?;
    if !is_complete {
        tracing::warn!(
            "no time was left to count the users of all anime; the next pass counts them"
        );
        return Ok(None);
    }
    publish_community(database, counter).await.map(Some)
}
