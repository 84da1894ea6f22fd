//! The watch history of a user in an export.

use std::collections::HashMap;
use std::io::{self, Write};

use interchange::{ExportFormat, LeftOut};
use shared::Error;
use shared::models::{Anime, AnimeId, UserId, WatchStatus};
use store::{AnimeSummary, CatalogueStore, StoryStore};

/// A watch history, with what list files have.
#[derive(Debug, Default)]
pub struct History {
    stories: Vec<Row>,
    anime: HashMap<AnimeId, AnimeSummary>,
}

/// A story without its change history and sync states.
#[derive(Debug)]
struct Row {
    anime_id: AnimeId,
    state: shared::models::StoryState,
    created_at_ms: u64,
    changed_at_ms: u64,
}

impl History {
    /// Reads all stories of a user, or those with one status, newest first. Returns `None` if there are more than
    /// `most` of them.
    ///
    /// # Errors
    /// If `DynamoDB` does not answer.
    pub async fn read(
        stories: &StoryStore,
        anime: &CatalogueStore<Anime>,
        user: UserId,
        status: Option<WatchStatus>,
        most: usize,
    ) -> Result<Option<Self>, Error> {
        let stories = stories.export(user, status).await?;
        if stories.len() > most {
            return Ok(None);
        }
        let ids: Vec<AnimeId> = stories.iter().map(|story| story.anime_id).collect();
        let rows = stories.into_iter().map(|story| {
            let created_at_ms = story.created_at();
            // Rows of earlier versions of the service have no time of the last change.
            let changed_at = Some(story.changed_at).filter(|time| *time > 0);
            Row {
                anime_id: story.anime_id,
                state: story.state(),
                created_at_ms,
                changed_at_ms: changed_at.unwrap_or(created_at_ms),
            }
        });
        Ok(Some(Self {
            stories: rows.collect(),
            anime: anime.summaries(&ids).await?,
        }))
    }

    /// Returns the number of stories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stories.len()
    }

    /// Returns true without stories.
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
        let story = |row| self.story(row);
        let stories: Vec<interchange::Story> = self.stories.iter().map(story).collect();
        interchange::write(format, username, exported_at_ms, &stories, output)
    }

    /// Returns a story with its anime, which may have left the catalogue.
    fn story<'s>(&'s self, row: &'s Row) -> interchange::Story<'s> {
        let anime = self.anime.get(&row.anime_id);
        interchange::Story {
            anime_id: row.anime_id,
            trackers: anime.map(|anime| anime.trackers).unwrap_or_default(),
            title: anime.map_or("", |anime| &anime.title),
            format: anime.map(|anime| anime.format),
            episodes_count: anime.map_or(0, |anime| anime.episodes_count),
            state: &row.state,
            created_at_ms: row.created_at_ms,
            changed_at_ms: row.changed_at_ms,
        }
    }
}
