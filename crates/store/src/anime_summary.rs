//! Reads the parts of anime that an export of a watch history contains, without the rest of the documents.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use shared::Error;
use shared::models::{Anime, AnimeFormat, AnimeId, Localized, TrackerIds};

use crate::batch::batch_get_attributes;
use crate::catalogue::{CatalogueStore, MAX_BATCH_READ};
use crate::item::{number, read};

/// The number of batches that are read at the same time.
const BATCHES_AT_ONCE: usize = 8;

/// The attributes of [`SummaryRow`].
const ATTRIBUTES: [&str; 6] = [
    "id",
    "titles",
    "format",
    "episodes_count",
    "tracker_a_id",
    "tracker_b_id",
];

/// The parts of an anime that an export of a watch history contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnimeSummary {
    /// The romanized title, or the first title in another language if there is none.
    pub title: String,
    /// The format.
    pub format: AnimeFormat,
    /// The number of episodes, 0 if it is unknown.
    pub episodes_count: u32,
    /// The identifiers at the trackers.
    pub trackers: TrackerIds,
}

#[derive(Deserialize)]
struct SummaryRow {
    id: AnimeId,
    titles: Localized,
    format: AnimeFormat,
    episodes_count: u32,
    tracker_a_id: Option<u32>,
    tracker_b_id: Option<u32>,
}

impl From<SummaryRow> for AnimeSummary {
    fn from(mut row: SummaryRow) -> Self {
        let main = row.titles.remove("rj");
        let title = main.or_else(|| row.titles.into_values().next());
        Self {
            title: title.unwrap_or_default(),
            format: row.format,
            episodes_count: row.episodes_count,
            trackers: TrackerIds {
                a: row.tracker_a_id,
                b: row.tracker_b_id,
            },
        }
    }
}

impl CatalogueStore<Anime> {
    /// Returns summaries of any number of anime. `anime` must not contain an identifier twice. Anime without a
    /// row are left out. The reads are eventually consistent, at half a read unit for every 4 KB of each row.
    pub async fn summaries(
        &self,
        anime: &[AnimeId],
    ) -> Result<HashMap<AnimeId, AnimeSummary>, Error> {
        let batches: Vec<_> = anime.chunks(MAX_BATCH_READ).map(<[_]>::to_vec).collect();
        let read_batch = |batch: Vec<AnimeId>| async move {
            let key = |id: AnimeId| [("id".to_owned(), number(id.get()))].into();
            let keys = batch.into_iter().map(key).collect();
            let attributes = &ATTRIBUTES;
            let rows = batch_get_attributes(&self.client, &self.table, keys, false, attributes);
            rows.await?
                .into_iter()
                .map(|row| read::<SummaryRow>(row).map(|row| (row.id, row.into())))
                .collect::<Result<Vec<_>, Error>>()
        };
        let summaries = stream::iter(batches)
            .map(read_batch)
            .buffer_unordered(BATCHES_AT_ONCE);
        let summaries: Vec<Vec<_>> = summaries.try_collect().await?;
        Ok(summaries.into_iter().flatten().collect())
    }
}
