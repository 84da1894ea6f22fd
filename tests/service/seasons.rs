//! Season maps: from the list of anime-lists to the anime of an episode of a series.

use std::path::PathBuf;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use catalogue::Catalogue;
use catalogue::identifiers::IdSource;
use catalogue::seasons::{AnimeEpisode, Candidates, Series};
use cli::import;
use serde_json::{Value, json};
use shared::Error;
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus};
use tempfile::TempDir;
use tests::assertions::AssertText;
use tests::made_up;
use tests::service::Service;

/// One season of TheTVDB with two anime, a movie that is the first special, and a later season. At The Movie Database,
/// the numbers of the second anime are lower by 4.
const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<anime-list>
  <anime anidbid="1" tvdbid="70" defaulttvdbseason="1" episodeoffset="" tmdbtv="80" tmdbseason="1" tmdboffset=""/>
  <anime anidbid="2" tvdbid="70" defaulttvdbseason="1" episodeoffset="12" tmdbtv="80" tmdbseason="1" tmdboffset="8"/>
  <anime anidbid="3" tvdbid="70" defaulttvdbseason="0" tmdbid="90" imdbid="tt0286390">
    <mapping-list><mapping anidbseason="1" tvdbseason="0">;2-1;3-1;</mapping></mapping-list>
  </anime>
  <anime anidbid="4" tvdbid="70" defaulttvdbseason="2" tmdbid="91,92"/>
  <anime anidbid="5" tvdbid="70" defaulttvdbseason="2" episodeoffset="30"/>
  <anime anidbid="9" tvdbid="71" defaulttvdbseason="1"/>
</anime-list>
"#;

/// Returns five anime with the identifiers 1 to 5, also at AniDB, and at tracker B 201 to 205.
fn anime() -> Vec<Anime> {
    let mut anime = made_up::anime(5, 1);
    for (anime, number) in anime.iter_mut().zip(1..) {
        anime.tracker_a_id = None;
        anime.tracker_b_id = Some(200 + number);
        anime.database_id = None;
        anime.format = AnimeFormat::Tv;
        anime.status = AnimeStatus::Finished;
        anime.episodes_count = 12;
    }
    anime[2].format = AnimeFormat::Movie;
    anime[2].episodes_count = 0;
    anime[3].status = AnimeStatus::Releasing;
    anime
}

struct Fixture {
    service: Service,
    folder: TempDir,
    catalogue: Catalogue<Anime>,
}

impl Fixture {
    /// Returns a service with the anime and the list.
    async fn new() -> Self {
        let fixture = Self::without_list().await;
        fixture.import("list.xml.zst", LIST).await.unwrap();
        fixture
    }

    async fn without_list() -> Self {
        let service = Service::with_catalogue(&anime(), &[]).await;
        let catalogue = Catalogue::new(&service.database(), 0);
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
            service,
            catalogue,
        };
        let ids = |number: u32| json!({"anidb_id": number, "mal_id": 200 + number});
        fixture.import_ids((1..=5).map(ids).collect()).await;
        fixture
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let bytes = match path.extension().and_then(|end| end.to_str()) {
            Some("zst") => zstd::encode_all(text.as_bytes(), 3).unwrap(),
            _ => text.as_bytes().to_vec(),
        };
        std::fs::write(&path, bytes).unwrap();
        path
    }

    async fn import(&self, name: &str, list: &str) -> anyhow::Result<String> {
        let file = self.write(name, list);
        import::import_seasons(&file, &self.service.database()).await
    }

    async fn import_ids(&self, entries: Vec<Value>) {
        let file = self.write("ids.json", &json!(entries).to_string());
        let done = import::publish_mapping_file(&file, &self.service.database()).await;
        done.unwrap();
    }

    async fn find(
        &self,
        (source, id): (IdSource, u32),
        season: u16,
        episode: u32,
    ) -> Candidates<AnimeEpisode> {
        let seasons = self.catalogue.seasons().await.unwrap();
        seasons.find(Series { source, id }, season, episode)
    }

    /// Returns the anime and the number of an episode of series 70 at TheTVDB, if they are certain.
    async fn episode(&self, season: u16, episode: u32) -> Option<(u64, u32)> {
        let found = self.find((IdSource::Tvdb, 70), season, episode).await;
        found.certain().copied().map(pair)
    }

    /// Returns the anime and the episode of a movie, if they are certain.
    async fn movie(&self, source: IdSource, id: u32) -> Option<(u64, u32)> {
        let found = self.catalogue.seasons().await.unwrap();
        found.find_movie(source, id).certain().copied().map(pair)
    }
}

fn pair(episode: AnimeEpisode) -> (u64, u32) {
    (episode.anime.get(), episode.episode)
}

#[tokio::test]
async fn episode_of_a_series_leads_to_an_anime_and_its_episode() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.episode(1, 12).await, Some((1, 12)));
    assert_eq!(fixture.episode(1, 13).await, Some((2, 1)));
    let at_database = fixture.find((IdSource::Database, 80), 1, 9).await;
    assert_eq!(at_database.certain().copied().map(pair), Some((2, 1)));
    assert_eq!(
        fixture.episode(0, 1).await,
        Some((3, 1)),
        "a movie has one episode"
    );
    for (season, episode) in [(0, 2), (1, 0), (1, 25), (3, 1)] {
        assert_eq!(
            fixture.episode(season, episode).await,
            None,
            "{season} {episode}"
        );
    }
    let unknown = fixture.find((IdSource::Tvdb, 80), 1, 1).await;
    assert_eq!((unknown.episodes, unknown.is_certain), (Vec::new(), false));
}

/// An anime that is released now gets further episodes, so its number of episodes is not a limit.
#[tokio::test]
async fn number_of_episodes_is_a_limit_once_all_are_released() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.episode(2, 13).await, Some((4, 13)));
    assert_eq!(fixture.episode(2, 31).await, Some((5, 1)));
    assert_eq!(fixture.episode(2, 42).await, Some((5, 12)));
}

#[tokio::test]
async fn movie_is_found_by_the_list_and_by_the_mapping() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.movie(IdSource::Database, 90).await, Some((3, 1)));
    assert_eq!(fixture.movie(IdSource::Imdb, 286_390).await, Some((3, 1)));
    assert_eq!(
        fixture.movie(IdSource::Database, 92).await,
        Some((4, 2)),
        "the second part"
    );
    let entry = |number: u32, ids: Value| {
        let mut entry = json!({"anidb_id": number, "mal_id": 200 + number});
        entry["themoviedb_id"] = ids;
        entry
    };
    let entries = vec![
        entry(1, json!({"movie": 95})),
        entry(2, json!({"tv": 96})),
        entry(3, json!({"movie": [90, 97, 98]})),
        entry(5, json!({"movie": 98})),
    ];
    fixture.import_ids(entries).await;
    fixture.service.clock.advance(Duration::from_mins(10));
    assert_eq!(fixture.movie(IdSource::Database, 97).await, Some((3, 1)));
    assert_eq!(fixture.movie(IdSource::Database, 90).await, Some((3, 1)));
    let uncertain = [
        (
            95,
            "anime 1 has 12 episodes, and the movie may be any of them",
        ),
        (96, "a series"),
        (98, "two anime"),
    ];
    for (id, reason) in uncertain {
        assert_eq!(
            fixture.movie(IdSource::Database, id).await,
            None,
            "{reason}"
        );
    }
}

#[tokio::test]
async fn anime_that_share_an_identifier_are_uncertain() {
    let fixture = Fixture::new().await;
    let entries =
        [(1, 201), (1, 202)].map(|(anidb, mal)| json!({"anidb_id": anidb, "mal_id": mal}));
    fixture.import_ids(entries.into()).await;
    let both = fixture.find((IdSource::Tvdb, 70), 1, 3).await;
    let anime = both.episodes.iter().map(|episode| episode.anime);
    let anime: Vec<AnimeId> = anime.collect();
    assert_eq!(anime, [1, 2].map(|id| AnimeId::new(id).unwrap()));
    assert!(!both.is_certain);
}

#[tokio::test]
async fn anime_that_is_not_in_the_catalogue_is_not_found() {
    let fixture = Fixture::new().await;
    let found = fixture.find((IdSource::Tvdb, 71), 1, 1).await;
    assert_eq!((found.episodes, found.is_certain), (Vec::new(), false));
    // Its entry in the list still counts: episode 13 is the first one of the missing anime, not of the anime before it.
    let list = LIST.replace(
        "tvdbid=\"71\" defaulttvdbseason=\"1\"",
        "tvdbid=\"70\" defaulttvdbseason=\"2\" episodeoffset=\"12\"",
    );
    fixture.import("list.xml", &list).await.unwrap();
    fixture.service.clock.advance(Duration::from_mins(10));
    assert_eq!(fixture.episode(2, 12).await, Some((4, 12)));
    assert_eq!(fixture.episode(2, 13).await, None);
}

#[tokio::test]
async fn new_list_replaces_the_earlier_one_after_10_minutes() {
    let fixture = Fixture::without_list().await;
    assert_eq!(fixture.episode(1, 1).await, None);
    let report = fixture.import("list.xml", LIST).await.unwrap();
    assert_eq!(
        report,
        "Published the seasons of 6 anime. Parts of the file that were skipped: 0."
    );
    assert_eq!(fixture.episode(1, 1).await, None, "it is not checked yet");
    fixture.service.clock.advance(Duration::from_mins(10));
    assert_eq!(fixture.episode(1, 1).await, Some((1, 1)));
    let other = LIST.replace("anidbid=\"1\"", "anidbid=\"x\"");
    let report = fixture.import("list.xml", &other).await.unwrap();
    assert_eq!(
        report,
        "Published the seasons of 5 anime. Parts of the file that were skipped: 1.
                   1  its id at AniDB is not a number
                      AniDB 0: anidbid=\"x\""
    );
    fixture.service.clock.advance(Duration::from_mins(10));
    assert_eq!(fixture.episode(1, 1).await, None);
    assert_eq!(fixture.episode(1, 13).await, Some((2, 1)));
}

#[tokio::test]
async fn invalid_list_changes_nothing_and_is_named() {
    let fixture = Fixture::new().await;
    let entities = format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{}", &LIST[39..]);
    let truncated = &LIST[..LIST.len() - 20];
    for (name, text, reason) in [
        ("truncated.xml", truncated, "it is incomplete"),
        (
            "entities.xml",
            &entities,
            "it has a document type definition",
        ),
        (
            "titles.xml",
            "<animetitles/>",
            "its root element is not anime-list",
        ),
        ("ids.json", "[]", "it is not XML"),
        ("empty.xml", "", "it is empty"),
        (
            "nothing.xml",
            "<anime-list/>",
            "no anime of it has a season",
        ),
    ] {
        let error = fixture.import(name, text).await.unwrap_err();
        let error = format!("{error:#}");
        error.assert_has(name);
        error.assert_has(reason);
    }
    fixture.service.clock.advance(Duration::from_mins(10));
    assert_eq!(fixture.episode(1, 13).await, Some((2, 1)));
}

/// A map of another layout, from another version of the service, is ignored. Damaged bytes are an error, so that no
/// episode is taken for an unknown one.
#[tokio::test]
async fn map_that_cannot_be_read_is_not_a_wrong_answer() {
    let fixture = Fixture::new().await;
    let service = &fixture.service;
    let set = async |part: u64, name: &str, value: AttributeValue| {
        let (key, values) = (
            json!({"kind": "seasons", "part": part}),
            [(name.to_owned(), value)],
        );
        service
            .change_row("CatalogSnapshot", key, values.into())
            .await;
    };
    set(1000, "data", AttributeValue::B(Blob::new([1, 2, 3]))).await;
    let damaged = fixture.catalogue.seasons().await;
    assert!(matches!(damaged, Err(Error::Unavailable(_))));
    set(0, "format", AttributeValue::N("99".into())).await;
    assert_eq!(fixture.episode(1, 13).await, None);
}
