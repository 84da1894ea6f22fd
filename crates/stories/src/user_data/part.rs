//! A part of a user's stories, for the file with everything that is stored about the user.

use catalogue::{AnimeSummaries, Catalogue};
use shared::Error;
use shared::models::Anime;

use super::rows::{StoryRows, StoryRowsReader};

/// A part of a user's stories, with their anime.
#[derive(Debug)]
pub struct StoryPart {
    pub(super) rows: StoryRows,
    pub(super) anime: AnimeSummaries,
}

impl StoryPart {
    /// Reads the next part; returns `None` after the last one.
    pub async fn read_next(
        reader: &mut StoryRowsReader,
        catalogue: &Catalogue<Anime>,
    ) -> Result<Option<Self>, Error> {
        let Some(rows) = reader.next().await? else {
            return Ok(None);
        };
        let anime = catalogue.summaries(&rows.anime()).await?;
        Ok(Some(Self { rows, anime }))
    }
}
