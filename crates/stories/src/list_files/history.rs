//! The watch history of a user in an export.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

use interchange::{ExportFormat, ExportedStory, LeftOut};
use shared::Error;
use shared::models::{Anime, AnimeId, WatchStatus};
use store::{Account, AnimeSummary, CatalogueStore, ListedStory, StoryStore};

/// A watch history, with the values of its anime that list files contain, such as titles and identifiers.
#[derive(Debug, Default)]
pub struct WatchHistory {
    stories: Vec<ListedStory>,
    anime: HashMap<AnimeId, AnimeSummary>,
}

impl WatchHistory {
    /// Reads all stories of a user, or only the stories with `status`, newest first. Returns `None` if there are
    /// more than `max_stories`.
    ///
    /// # Errors
    /// If `DynamoDB` does not answer.
    pub async fn read(
        stories: &StoryStore,
        anime: &CatalogueStore<Anime>,
        owner: &Account,
        status: Option<WatchStatus>,
        max_stories: usize,
    ) -> Result<Option<Self>, Error> {
        let list = stories.current_list(owner.user.id, &owner.list).await?;
        let is_wanted =
            |story: &&ListedStory| status.is_none_or(|status| status == story.state.status);
        let mut stories: Vec<ListedStory> =
            list.stories().iter().filter(is_wanted).cloned().collect();
        stories.sort_unstable_by_key(|story| Reverse((story.created_at, story.anime_id)));
        if stories.len() > max_stories {
            return Ok(None);
        }
        let ids: Vec<AnimeId> = stories.iter().map(|story| story.anime_id).collect();
        let anime = anime.summaries(&ids).await?;
        Ok(Some(Self { stories, anime }))
    }

    /// Returns the number of stories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stories.len()
    }

    /// Returns true if there are no stories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stories.is_empty()
    }

    /// Writes the history to `output`. `exported_at_ms` is the time in milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// If writing to `output` fails.
    pub fn write(
        &self,
        format: ExportFormat,
        username: &str,
        exported_at_ms: u64,
        output: impl Write,
    ) -> io::Result<LeftOut> {
        let stories = self.stories.iter().map(|story| self.to_exported(story));
        let stories: Vec<ExportedStory> = stories.collect();
        interchange::write(format, username, exported_at_ms, &stories, output)
    }

    /// Returns a story in the form in which it is exported.
    fn to_exported<'s>(&'s self, story: &'s ListedStory) -> ExportedStory<'s> {
        let anime = self.anime.get(&story.anime_id);
        ExportedStory {
            anime_id: story.anime_id,
            trackers: anime.map(|anime| anime.trackers).unwrap_or_default(),
            title: anime.map_or("", |anime| &anime.title),
            format: anime.map(|anime| anime.format),
            episodes_count: anime.map_or(0, |anime| anime.episodes_count),
            state: &story.state,
            created_at_ms: story.created_at,
            changed_at_ms: story.changed_at,
        }
    }
}
