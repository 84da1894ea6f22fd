//! A service whose catalogue is refreshed from fake sources.

use catalog_refresh::{Report, Scope, Sources, refresh};
use serde_json::{Value, json};
use shared::Error;
use shared::models::{Anime, Song};
use store::{CatalogueStore, RefreshState, RefreshStore};
use trackers::{AniList, AnimeThemes, Waiter};

use crate::service::{START_MS, Service};
use crate::trackers::{Fake, Which};

/// Default time of the last change of an anime at the fakes, in seconds since the Unix epoch: one hour
/// before the clock starts.
pub const CHANGED_S: u64 = START_MS / 1000 - 3_600;

/// A service, the fake sources of its refresh, and the clients of both.
pub struct Refreshed {
    /// The service.
    pub service: Service,
    /// The fake `AniList`.
    pub tracker: Fake,
    /// The fake `AnimeThemes`.
    pub themes: Fake,
    /// The `AniList` client.
    pub anime: AniList,
    /// The `AnimeThemes` client.
    pub songs: AnimeThemes,
}

impl Refreshed {
    /// Returns a service with an empty catalogue.
    pub async fn empty() -> Self {
        Self::with_service(Service::empty().await).await
    }

    /// Adds fake sources to a service.
    pub async fn with_service(service: Service) -> Self {
        let clock = service.clock.clone();
        let tracker = Fake::start(Which::A, clock.clone()).await;
        let themes = Fake::start_anime_themes(clock.clone()).await;
        let waiter = || Waiter::Move(clock.clone());
        let anime = AniList::new(tracker.config(), clock.clone(), waiter());
        let songs = AnimeThemes::new(&themes.origin, clock.clone(), waiter());
        Self {
            anime: anime.unwrap().unwrap(),
            songs: songs.unwrap(),
            service,
            tracker,
            themes,
        }
    }

    /// Sets the anime at `AniList`, and its page size.
    #[must_use]
    pub fn with_media(self, media: Vec<Value>, per_page: usize) -> Self {
        self.set_media(media);
        self.tracker.state().per_page = per_page;
        self
    }

    /// Replaces the anime at `AniList`.
    pub fn set_media(&self, media: Vec<Value>) {
        self.tracker.state().media = media;
    }

    /// Returns both sources.
    #[must_use]
    pub fn both_sources(&self) -> Sources<'_> {
        Sources {
            anime: Some(&self.anime),
            songs: Some(&self.songs),
        }
    }

    /// Returns the sources without `AnimeThemes`.
    #[must_use]
    pub fn anime_source(&self) -> Sources<'_> {
        Sources {
            songs: None,
            ..self.both_sources()
        }
    }

    /// Refreshes the anime that changed, with a limit of one hour.
    pub async fn refresh(&self) -> Report {
        self.run(self.anime_source(), Scope::Changed).await.unwrap()
    }

    /// Refreshes the anime and songs that changed, with a limit of one hour.
    pub async fn refresh_both(&self) -> Report {
        self.run(self.both_sources(), Scope::Changed).await.unwrap()
    }

    /// Runs a refresh with a limit of one hour.
    ///
    /// # Errors
    ///
    /// Returns the error of the refresh.
    pub async fn run(&self, sources: Sources<'_>, scope: Scope) -> Result<Report, Error> {
        let environment = &self.service.environment;
        let until = environment.clock.now_ms() + 3_600_000;
        refresh(environment, sources, scope, until, &|_| {}).await
    }

    /// Returns the stored progress of the anime refresh.
    pub async fn anime_state(&self) -> RefreshState {
        self.anime_refresh_store().state().await.unwrap()
    }

    /// Returns the stored progress of the song refresh.
    pub async fn song_state(&self) -> RefreshState {
        let (client, tables) = (self.service.client.clone(), &self.service.tables);
        RefreshStore::of::<Song>(client, tables)
            .state()
            .await
            .unwrap()
    }

    /// Returns the store of the anime refresh's progress.
    #[must_use]
    pub fn anime_refresh_store(&self) -> RefreshStore {
        RefreshStore::of::<Anime>(self.service.client.clone(), &self.service.tables)
    }

    /// Returns the stored anime with this id.
    pub async fn row(&self, id: u64) -> Anime {
        let store = CatalogueStore::new(self.service.client.clone(), &self.service.tables);
        let mut found = store.get_current(&[id]).await.unwrap();
        found.remove(&id).unwrap().row.document
    }

    /// Returns all stored anime, by id.
    pub async fn rows(&self) -> Vec<Anime> {
        let mut all = Vec::new();
        let store = CatalogueStore::<Anime>::new(self.service.client.clone(), &self.service.tables);
        store.scan(|one| all.push(one)).await.unwrap();
        all.sort_by_key(|anime| anime.id);
        all
    }

    /// Returns all stored songs, by id.
    pub async fn song_rows(&self) -> Vec<Song> {
        let mut all = Vec::new();
        let store = CatalogueStore::<Song>::new(self.service.client.clone(), &self.service.tables);
        store.scan(|one| all.push(one)).await.unwrap();
        all.sort_by_key(|song| song.id);
        all
    }
}

/// Returns the counts of a report: added, changed, unchanged, skipped.
#[must_use]
pub fn counts(report: &catalogue::import::Report) -> [u64; 4] {
    let skipped = report.skipped();
    [report.added, report.changed, report.unchanged, skipped]
}

/// Returns an anime in the format of `AniList`'s API, with these fields changed.
#[must_use]
pub fn media(id: u32, changes: &Value) -> Value {
    let mut media = json!({
        "id": id, "idMal": null,
        "title": {"romaji": format!("Anime {id}"), "english": null, "native": null},
        "synonyms": [], "genres": ["Drama"], "format": "TV", "status": "FINISHED",
        "season": "FALL", "seasonYear": 2020,
        "startDate": {"year": null, "month": null, "day": null},
        "endDate": {"year": null, "month": null, "day": null},
        "episodes": 12, "duration": 24, "nextAiringEpisode": null, "averageScore": 70,
        "isAdult": false, "updatedAt": CHANGED_S,
        "coverImage": {"extraLarge": null, "color": null}, "bannerImage": null, "trailer": null,
        "relations": {"edges": []}, "recommendations": {"nodes": []}, "description": null,
    });
    for (name, value) in changes.as_object().into_iter().flatten() {
        media[name] = value.clone();
    }
    media
}
