//! The sample catalogue of a new installation.

use std::collections::HashMap;

use anyhow::Context;
use catalogue::Resource;
use catalogue::rows::{CatalogueRow, CatalogueStore};
use dynamo::{Database, MAX_BATCH_WRITE};
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::models::{Anime, AnimeId, Song, SongId};

/// The sample's anime: 50 well-known ones. They refer to each other by their ids at tracker A.
const ANIME: &str = include_str!("../sample/anime.json");

/// The sample's songs: 64 songs of these anime, each with its anime's id at tracker A.
const SONGS: &str = include_str!("../sample/songs.json");

/// Returns the sample's anime.
///
/// # Errors
/// When the embedded file is invalid.
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
    Ok(serde_json::to_value(anime_id_of(u32::deserialize(
        tracker_a_id,
    )?)?)?)
}

fn anime_id_of(tracker_a_id: u32) -> anyhow::Result<AnimeId> {
    AnimeId::from_tracker_ids(Some(tracker_a_id), None).context("tracker_a_id is not a valid id")
}

/// Returns the sample's songs. An anime's songs get their slots in the order of the file.
///
/// # Errors
/// When the embedded file is invalid.
pub fn songs() -> anyhow::Result<Vec<Song>> {
    let entries: Vec<Map<String, Value>> = serde_json::from_str(SONGS).context("sample songs")?;
    let mut slots: HashMap<AnimeId, u16> = HashMap::new();
    let mut songs = Vec::with_capacity(entries.len());
    for mut song in entries {
        let anime = anime_id_of(u32::deserialize(&song["tracker_a_id"])?)?;
        let slot = slots.entry(anime).or_default();
        let id = SongId::of_anime(anime, *slot).context("an anime has too many songs")?;
        *slot += 1;
        song.insert("id".into(), serde_json::to_value(id)?);
        song.insert("anime_id".into(), serde_json::to_value(anime)?);
        songs.push(serde_json::from_value(song.into()).context("sample songs")?);
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
