//! A service whose catalogue is refreshed from fakes.

use catalog_refresh::{Report, Scope, Sources, Unwatched, refresh};
use serde_json::{Value, json};
use shared::Error;
use shared::models::{Anime, Song};
use store::{CatalogueStore, RefreshState, RefreshStore};
use trackers::{AniList, AnimeThemes, Waiter};

use crate::service::{START_MS, Service};
use crate::trackers::{Fake, Which};

/// When the fakes' anime changed, unless something else is said, in seconds since the Unix epoch: an hour
/// before the clock starts.
pub const CHANGED_S: u64 = START_MS / 1000 - 3_600;

/// A service, the fakes it is refreshed from, and the adapters to them.
pub struct Refreshed {
    /// The service.
    pub service: Service,
    /// Tracker A.
    pub tracker: Fake,
    /// `AnimeThemes`.
    pub themes: Fake,
    /// The adapter to tracker A.
    pub anime: AniList,
    /// The adapter to `AnimeThemes`.
    pub songs: AnimeThemes,
}

impl Refreshed {
    /// Over an empty catalogue.
    pub async fn empty() -> Self {
        Self::over(Service::empty().await).await
    }

    /// Over this service.
    pub async fn over(service: Service) -> Self {
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

    /// With these anime at tracker A, so many on a page.
    #[must_use]
    pub fn with(self, media: Vec<Value>, per_page: usize) -> Self {
        self.set(media);
        self.tracker.state().per_page = per_page;
        self
    }

    /// Puts these anime in the place of those at tracker A.
    pub fn set(&self, media: Vec<Value>) {
        self.tracker.state().media = media;
    }

    /// Both sources.
    #[must_use]
    pub fn both(&self) -> Sources<'_> {
        Sources {
            anime: Some(&self.anime),
            songs: Some(&self.songs),
        }
    }

    /// Tracker A alone.
    #[must_use]
    pub fn anime_alone(&self) -> Sources<'_> {
        Sources {
            songs: None,
            ..self.both()
        }
    }

    /// A refresh of what changed at tracker A that has an hour.
    pub async fn refresh(&self) -> Report {
        self.run(self.anime_alone(), Scope::Changed).await.unwrap()
    }

    /// A refresh of what changed in both sources that has an hour.
    pub async fn refresh_both(&self) -> Report {
        self.run(self.both(), Scope::Changed).await.unwrap()
    }

    /// A refresh that has an hour.
    ///
    /// # Errors
    /// Its own.
    pub async fn run(&self, sources: Sources<'_>, scope: Scope) -> Result<Report, Error> {
        let environment = &self.service.environment;
        let until = environment.clock.now_ms() + 3_600_000;
        refresh(environment, sources, scope, until, &Unwatched).await
    }

    /// How far the refresh of the anime is.
    pub async fn anime_state(&self) -> RefreshState {
        self.progress_of_anime().state().await.unwrap()
    }

    /// How far the refresh of the songs is.
    pub async fn song_state(&self) -> RefreshState {
        let (client, tables) = (self.service.client.clone(), &self.service.tables);
        RefreshStore::of::<Song>(client, tables)
            .state()
            .await
            .unwrap()
    }

    /// Where it is kept how far the refresh of the anime is.
    #[must_use]
    pub fn progress_of_anime(&self) -> RefreshStore {
        RefreshStore::of::<Anime>(self.service.client.clone(), &self.service.tables)
    }

    /// The row with this identifier.
    pub async fn row(&self, id: u64) -> Anime {
        let store = CatalogueStore::new(self.service.client.clone(), &self.service.tables);
        store.get(id).await.unwrap().unwrap()
    }

    /// The rows, by identifier.
    pub async fn rows(&self) -> Vec<Anime> {
        let mut all = Vec::new();
        let store = CatalogueStore::<Anime>::new(self.service.client.clone(), &self.service.tables);
        store.scan(|one| all.push(one)).await.unwrap();
        all.sort_by_key(|anime| anime.id);
        all
    }

    /// The songs, by identifier.
    pub async fn song_rows(&self) -> Vec<Song> {
        let mut all = Vec::new();
        let store = CatalogueStore::<Song>::new(self.service.client.clone(), &self.service.tables);
        store.scan(|one| all.push(one)).await.unwrap();
        all.sort_by_key(|song| song.id);
        all
    }
}

/// What a report counts: added, changed, unchanged, skipped.
#[must_use]
pub fn counts(report: &catalogue::import::Report) -> [u64; 4] {
    let skipped = report.skipped();
    [report.added, report.changed, report.unchanged, skipped]
}

/// An anime as tracker A has it, with these changes.
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
