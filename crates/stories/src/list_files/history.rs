//! The watch history of a user in an export.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::sync::Arc;

use accounts::users::Account;
use catalogue::{AnimeSummaries, Catalogue};
use interchange::{ExportFormat, ExportedStory, OmittedStories};
use shared::Result;
use shared::models::{Anime, AnimeId, WatchStatus};

use crate::lists::story_list::{ListedStory, StoryList};
use crate::lists::story_store::StoryStore;

/// A watch history, with the values of its anime that list files contain, such as titles and identifiers.
#[derive(Debug)]
pub struct WatchHistory {
    list: Arc<StoryList>,
    /// The positions of the stories in the list, newest story first.
    order: Vec<usize>,
    anime: AnimeSummaries,
}

impl WatchHistory {
    /// Reads all stories of a user, or only the stories with `status`, newest first. Returns `None` if there are
    /// more than `max_stories`.
    pub async fn read(
        stories: &StoryStore,
        catalogue: &Catalogue<Anime>,
        owner: &Account,
        status: Option<WatchStatus>,
        max_stories: usize,
    ) -> Result<Option<Self>> {
        let list = stories.current_list(owner.user.id, &owner.list).await?;
        let all = list.stories();
        let is_wanted =
            |story: &ListedStory| status.is_none_or(|status| status == story.state.status);
        let wanted = (0..all.len()).filter(|position| is_wanted(&all[*position]));
        let mut order: Vec<usize> = wanted.collect();
        if order.len() > max_stories {
            return Ok(None);
        }
        order.sort_unstable_by_key(|position| Reverse(all[*position].order()));
        let ids = order.iter().map(|position| all[*position].anime_id);
        let ids: Vec<AnimeId> = ids.collect();
        let anime = catalogue.summaries(&ids).await?;
        Ok(Some(Self { list, order, anime }))
    }

    /// Returns the number of stories.
    pub fn story_count(&self) -> usize {
        self.order.len()
    }

    /// Writes the history to `output`. `exported_at_ms` is the time in milliseconds since the Unix epoch.
    pub fn write(
        &self,
        format: ExportFormat,
        username: &str,
        exported_at_ms: u64,
        output: impl Write,
    ) -> io::Result<OmittedStories> {
        let all = self.list.stories();
        let positions = self.order.iter();
        let stories = positions.map(|position| self.to_exported(&all[*position]));
        let stories: Vec<ExportedStory> = stories.collect();
        interchange::write(format, username, exported_at_ms, &stories, output)
    }

    /// Returns a story in the form in which it is exported.
    fn to_exported<'s>(&'s self, story: &'s ListedStory) -> ExportedStory<'s> {
        let anime = self.anime.get(story.anime_id);
        ExportedStory {
            anime_id: story.anime_id,
            trackers: anime.map(|anime| anime.trackers).unwrap_or_default(),
            title: anime.map_or("", |anime| anime.title),
            format: anime.map(|anime| anime.format),
            episodes_count: anime.map_or(0, |anime| anime.episodes_count),
            state: &story.state,
            created_at_ms: story.created_at,
            changed_at_ms: story.changed_at,
        }
    }
}
