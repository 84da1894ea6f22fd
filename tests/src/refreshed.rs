//! A service whose catalogue is refreshed from fake sources.

use catalog_refresh::{RefreshReport, RefreshScope, SourceName, Sources, refresh};
use catalogue::refresh::{RefreshStore, SourceStore};
use catalogue::rows::CatalogueStore;
use catalogue::snapshots::{RefreshState, SourceState};
use serde_json::{Value, json};
use shared::Error;
use shared::models::{Anime, Song};
use trackers::{AniList, AnimeThemes, MyAnimeList, RemoteFile, Waiter};

use crate::service::{START_MS, Service};
use crate::trackers::{Fake, Which};

/// Default time of the last change of an anime at the fakes, in seconds since the Unix epoch: one hour
/// before the clock starts.
pub const CHANGED_S: u64 = START_MS / 1000 - 3_600;

/// The largest file that the refresh downloads, in bytes.
const MAX_SOURCE_FILE: u64 = 1024 * 1024;

/// A service, the fake sources of its refresh, and the clients of both.
pub struct Refreshed {
    /// The service.
    pub service: Service,
    /// The fake `AniList`.
    pub tracker: Fake,
    /// The fake `MyAnimeList`.
    pub tracker_b: Fake,
    /// The server of the files [`MAPPING`], [`SEASONS`], [`OFFLINE_DATABASE`] and [`TITLES`].
    pub files: Fake,
    /// The fake `AnimeThemes`.
    pub themes: Fake,
    /// The `AniList` client.
    pub anime: AniList,
    /// The `AnimeThemes` client.
    pub songs: AnimeThemes,
    /// The `MyAnimeList` client.
    pub my_anime_list: MyAnimeList,
    /// The client of the mapping of identifiers.
    pub mapping: RemoteFile,
    /// The client of the season map.
    pub seasons: RemoteFile,
    /// The client of the anime-offline-database.
    pub offline_database: RemoteFile,
    /// The client of the titles of `AniDB`.
    pub titles: RemoteFile,
}

/// The path of the mapping of identifiers.
pub const MAPPING: &str = "/anime-list-full.json";

/// The path of the season map.
pub const SEASONS: &str = "/anime-list-master.xml";

/// The path of the anime-offline-database.
pub const OFFLINE_DATABASE: &str = "/download/anime-offline-database.jsonl";

/// The path of the titles of `AniDB`.
pub const TITLES: &str = "/anime-titles.xml.gz";

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
        let tracker_b = Fake::start(Which::B, clock.clone()).await;
        let my_anime_list = MyAnimeList::new(tracker_b.config(), clock.clone(), waiter());
        let files = Fake::start_files(clock.clone()).await;
        let file = |name: SourceName, path: &str| {
            let url = format!("{}{path}", files.origin);
            RemoteFile::new(name.key(), &url, MAX_SOURCE_FILE, clock.clone()).unwrap()
        };
        Self {
            my_anime_list: my_anime_list.unwrap().unwrap(),
            mapping: file(SourceName::Mapping, MAPPING),
            seasons: file(SourceName::Seasons, SEASONS),
            offline_database: file(SourceName::OfflineDatabase, OFFLINE_DATABASE),
            titles: file(SourceName::AnidbTitles, TITLES),
            tracker_b,
            files,
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

    /// Returns `AniList` and `AnimeThemes`.
    pub fn both_sources(&self) -> Sources<'_> {
        Sources {
            anime_themes: Some(&self.songs),
            ..self.anime_source()
        }
    }

    /// Returns `AniList`.
    pub fn anime_source(&self) -> Sources<'_> {
        Sources {
            anilist: Some(&self.anime),
            ..Sources::default()
        }
    }

    /// Returns all sources.
    pub fn all_sources(&self) -> Sources<'_> {
        Sources {
            mapping: Some(&self.mapping),
            seasons: Some(&self.seasons),
            offline_database: Some(&self.offline_database),
            titles: Some(&self.titles),
            my_anime_list: Some(&self.my_anime_list),
            ..self.both_sources()
        }
    }

    /// Returns these sources.
    pub fn only(&self, names: &[SourceName]) -> Sources<'_> {
        let all = self.all_sources();
        let is_on = |name| names.contains(&name);
        Sources {
            mapping: all.mapping.filter(|_| is_on(SourceName::Mapping)),
            seasons: all.seasons.filter(|_| is_on(SourceName::Seasons)),
            offline_database: all
                .offline_database
                .filter(|_| is_on(SourceName::OfflineDatabase)),
            titles: all.titles.filter(|_| is_on(SourceName::AnidbTitles)),
            my_anime_list: all.my_anime_list.filter(|_| is_on(SourceName::MyAnimeList)),
            anilist: all.anilist.filter(|_| is_on(SourceName::AniList)),
            anime_themes: all.anime_themes.filter(|_| is_on(SourceName::AnimeThemes)),
            ..all
        }
    }

    /// Refreshes what has changed at these sources, with a limit of one hour.
    pub async fn refresh_only(&self, names: &[SourceName]) -> RefreshReport {
        self.run(self.only(names), RefreshScope::Changed)
            .await
            .unwrap()
    }

    /// Refreshes the anime that changed, with a limit of one hour.
    pub async fn refresh(&self) -> RefreshReport {
        self.run(self.anime_source(), RefreshScope::Changed)
            .await
            .unwrap()
    }

    /// Refreshes the anime and songs that changed, with a limit of one hour.
    pub async fn refresh_both(&self) -> RefreshReport {
        self.run(self.both_sources(), RefreshScope::Changed)
            .await
            .unwrap()
    }

    /// Runs a refresh with a limit of one hour.
    ///
    /// # Errors
    ///
    /// Returns the error of the refresh.
    pub async fn run(
        &self,
        sources: Sources<'_>,
        scope: RefreshScope,
    ) -> Result<RefreshReport, Error> {
        let environment = self.service.environment_of("catalog_refresh");
        let until = environment.database.clock.now_ms() + 3_600_000;
        refresh(&environment, sources, scope, until, &|_| {}).await
    }

    /// Returns the stored progress of the anime refresh.
    pub async fn anime_state(&self) -> RefreshState {
        self.anime_refresh_store().state().await.unwrap()
    }

    /// Returns the stored state of a source.
    pub async fn source_state(&self, name: SourceName) -> SourceState {
        let store = SourceStore::new(&self.service.database(), name.key());
        store.state().await.unwrap()
    }

    /// Returns the stored progress of the song refresh.
    pub async fn song_state(&self) -> RefreshState {
        RefreshStore::new::<Song>(&self.service.database())
            .state()
            .await
            .unwrap()
    }

    /// Returns the store of the anime refresh's progress.
    pub fn anime_refresh_store(&self) -> RefreshStore {
        RefreshStore::new::<Anime>(&self.service.database())
    }

    /// Returns the stored anime with this id.
    pub async fn row(&self, id: u64) -> Anime {
        let store = CatalogueStore::new(&self.service.database());
        let mut found = store.get_current(&[id]).await.unwrap();
        found.remove(&id).unwrap().row.document
    }

    /// Returns all stored anime, by id.
    pub async fn rows(&self) -> Vec<Anime> {
        self.service.documents().await
    }

    /// Returns all stored songs, by id.
    pub async fn song_rows(&self) -> Vec<Song> {
        self.service.documents().await
    }
}

/// Returns the counts of a source: added, changed, unchanged, skipped. All are 0 if the source is off.
pub fn counts(report: &RefreshReport, source: SourceName) -> [u64; 4] {
    let counts = report.counts(source);
    counts.map_or([0; 4], |counts| {
        let skipped = counts.skipped_count();
        [counts.added, counts.changed, counts.unchanged, skipped]
    })
}

/// Returns the failure of a source.
///
/// # Panics
///
/// If the source has not failed.
pub fn failure(report: &RefreshReport, source: SourceName) -> String {
    report.sources[&source].failure().unwrap().to_string()
}

/// Returns an anime in the format of `AniList`'s API, with these fields changed.
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

/// Returns an anime in the format of `MyAnimeList`'s API, with these fields changed. Fields that are null are left
/// out.
pub fn listed(id: u32, changes: &Value) -> Value {
    let mut anime = json!({
        "id": id, "title": format!("Listed {id}"), "media_type": "tv", "status": "finished_airing",
        "num_episodes": 12, "start_season": {"year": 2020, "season": "fall"}, "mean": 7.0,
        "nsfw": "white", "num_list_users": 20_000_000 - id, "updated_at": "2023-11-14T21:13:20+00:00",
    });
    let fields = anime.as_object_mut().unwrap();
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    fields.retain(|_, value| !value.is_null());
    anime
}

/// Returns a line of the anime-offline-database, with these fields changed.
pub fn entry(a: u32, b: u32, changes: &Value) -> Value {
    let mut entry = json!({
        "sources": [
            format!("https://anilist.co/anime/{a}"),
            format!("https://myanimelist.net/anime/{b}"),
        ],
        "title": format!("Entry {a}"), "type": "TV", "episodes": 12, "status": "FINISHED",
        "animeSeason": {"season": "FALL", "year": 2020}, "synonyms": [], "tags": ["drama"],
    });
    let fields = entry.as_object_mut().unwrap();
    fields.extend(changes.as_object().cloned().unwrap_or_default());
    entry
}

/// Returns a file of JSON Lines, with a heading.
pub fn lines(entries: &[Value]) -> String {
    let heading = json!({"license": {"name": "Made up"}, "lastUpdate": "2023-11-13"});
    let lines = [&heading].into_iter().chain(entries);
    let lines: Vec<String> = lines.map(Value::to_string).collect();
    lines.join("\n") + "\n"
}
