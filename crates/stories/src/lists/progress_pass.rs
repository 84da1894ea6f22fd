//! The scheduled pass that lets stories follow a catalogue that has grown (docs/data-model.md, "Progress beyond the
//! catalogue").

use std::collections::BTreeMap;

use catalogue::Catalogue;
use shared::clock::Clock;
use shared::models::{Anime, AnimeId, Origin, UserId};
use shared::{Error, Result};

use super::story_batch::{Decision, MAX_CHANGES, StoryOperation};
use super::story_store::StoryStore;
use super::user_story::Story;

/// The numbers of users and stories of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaisedStories {
    /// The number of users with stories whose episode was raised.
    pub users: u64,
    /// The number of these stories.
    pub stories: u64,
    /// The number of users whose stories could not be written. The next pass tries again.
    pub failed: u64,
}

/// Raises `current_episode` of all stories with progress beyond it, up to the number of episodes in the published
/// catalogue. The progress stays the same, so the change histories get no entry. After `until` (milliseconds since the
/// Unix epoch), the pass ends and leaves the remaining users to the next pass.
///
/// It is safe to interrupt a pass, and to run two passes at the same time.
/// A failure for one user is counted and logged.
pub async fn raise_episodes(
    stories: &StoryStore,
    catalogue: &Catalogue<Anime>,
    clock: &Clock,
    until: u64,
) -> Result<RaisedStories> {
    let stories_beyond = stories.find_beyond().await?;
    let mut result = RaisedStories::default();
    if stories_beyond.is_empty() {
        // The index is loaded only if a story needs it.
        return Ok(result);
    }
    let index = catalogue.index().await?;
    let episodes = |anime| index.episodes_count(anime).unwrap_or(0);
    let mut due: BTreeMap<UserId, Vec<AnimeId>> = BTreeMap::new();
    for story in stories_beyond {
        let highest = story.watched_episodes.min(episodes(story.anime_id));
        if story.current_episode < highest {
            due.entry(story.user_id).or_default().push(story.anime_id);
        }
    }
    for (user, anime) in due {
        let now = clock.now_ms();
        if now >= until {
            tracing::warn!("some stories are left to the next pass");
            break;
        }
        match raise_for_user(stories, user, &anime, &episodes, now).await {
            Ok(raised) => {
                result.users += u64::from(raised > 0);
                result.stories += raised;
            }
            // The user was deleted, and the stories are deleted with the user's other rows.
            Err(Error::NotFound(_)) => {}
            Err(error) => {
                let user = user.get();
                tracing::warn!(user, %error, "stories are left to the next pass");
                result.failed += 1;
            }
        }
    }
    Ok(result)
}

/// Raises `current_episode` of a user's stories about these anime, and returns the number of changed stories.
/// `episodes` returns the number of an anime's episodes.
async fn raise_for_user(
    stories: &StoryStore,
    user: UserId,
    anime: &[AnimeId],
    episodes: &impl Fn(AnimeId) -> u32,
    now: u64,
) -> Result<u64> {
    let mut raised = 0;
    for anime in anime.chunks(MAX_CHANGES) {
        let stored = stories.find_many(user, anime).await?;
        let decide = |_, story: Option<&Story>| -> Decision {
            Ok(story.map_or(StoryOperation::Keep, |story| {
                raise(story, episodes(story.anime_id))
            }))
        };
        // No history names the origin, because the progress stays the same.
        let by = Origin::Owner;
        let write = stories.edit_many(None, user, stored, &by, decide, now);
        for result in write.await? {
            let result = result?;
            raised += u64::from(result.before != result.after);
        }
    }
    Ok(raised)
}

/// Returns the operation that raises `current_episode` of a story whose anime has `episodes` episodes.
fn raise(story: &Story, episodes: u32) -> StoryOperation {
    let state = story.state.clone().for_count(episodes);
    if state.current_episode <= story.state.current_episode {
        return StoryOperation::Keep;
    }
    StoryOperation::Save {
        state,
        // The time stays the same, so that a later change at a tracker or in a list file is still newer.
        changed_at: story.last_changed_at(),
        created_at: story.created_at(),
    }
}
