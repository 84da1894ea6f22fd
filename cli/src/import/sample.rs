//! The sample catalogue of a new installation.

use anyhow::{Context, anyhow};
use catalogue::Resource;
use catalogue::import::{DocumentFacts, EntryReader};
use catalogue::rows::{CatalogueRow, CatalogueStore};
use dynamo::{Database, MAX_BATCH_WRITE};
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::models::{Anime, AnimeId, Song};

use crate::import::SongImport;

/// The sample's 50 well-known anime. They refer to each other by their ids at tracker A.
const ANIME: &str = include_str!("../../sample/anime.json");

/// The sample's songs: 64 songs of these anime, with the fields of the lines that `kiroku import songs` reads.
const SONGS: &str = include_str!("../../sample/songs.json");

/// Returns the sample's anime.
pub fn anime() -> anyhow::Result<Vec<Anime>> {
    let entries: Vec<Map<String, Value>> = serde_json::from_str(ANIME).context("sample anime")?;
    let read_anime = |entry: &Map<String, Value>| {
        anime_of(entry).with_context(|| format!("sample anime {}", entry["tracker_a_id"]))
    };
    entries.iter().map(read_anime).collect()
}

fn anime_of(entry: &Map<String, Value>) -> anyhow::Result<Anime> {
    let mut anime = entry.clone();
    anime.insert("id".into(), catalogue_id(&entry["tracker_a_id"])?);
    for reference in ["sequel", "prequel"] {
        if let Some(tracker_a_id) = entry.get(reference) {
            anime.insert(reference.into(), catalogue_id(tracker_a_id)?);
        }
    }
    if let Some(similar) = entry.get("recommendations").and_then(Value::as_array) {
        let ids = similar.iter().map(catalogue_id);
        let ids = ids.collect::<anyhow::Result<Vec<Value>>>()?;
        anime.insert("recommendations".into(), ids.into());
    }
    Ok(serde_json::from_value(anime.into())?)
}

/// Returns the catalogue's identifier of an anime, as JSON. `tracker_a_id` is its identifier at tracker A.
fn catalogue_id(tracker_a_id: &Value) -> anyhow::Result<Value> {
    let id = AnimeId::from_tracker_ids(Some(u32::deserialize(tracker_a_id)?), None);
    let id = id.context("tracker_a_id is not a valid id")?;
    Ok(serde_json::to_value(id)?)
}

/// Returns the sample's songs. An anime's songs get their slots in the order of the file.
pub fn songs() -> anyhow::Result<Vec<Song>> {
    let lines: Vec<Value> = serde_json::from_str(SONGS).context("sample songs")?;
    let mut import = SongImport::default();
    for anime in anime()? {
        import.add_known_anime(&anime);
    }
    let mut songs = Vec::with_capacity(lines.len());
    for line in lines {
        let facts = import.read_entry(line.to_string().as_bytes());
        let facts = facts.map_err(|skip| anyhow!("sample song {}: {}", skip.about, skip.reason))?;
        let row = facts.merge_into(None).context("sample songs")?;
        songs.push(row.document);
    }
    Ok(songs)
}

/// Writes the sample into the tables.
pub async fn load(database: &Database) -> anyhow::Result<()> {
    put(database, &anime()?).await?;
    put(database, &songs()?).await
}

async fn put<R: Resource>(database: &Database, documents: &[R]) -> anyhow::Result<()> {
    let store = CatalogueStore::new(database);
    for batch in documents.chunks(MAX_BATCH_WRITE) {
        let rows: Vec<CatalogueRow<R>> = batch.iter().cloned().map(CatalogueRow::from).collect();
        store.put_many(&rows).await?;
    }
    Ok(())
}
