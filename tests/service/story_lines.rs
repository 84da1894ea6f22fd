//! Sequels and prequels that no source states, from the files to the responses.

use std::path::PathBuf;
use std::time::Duration;

use catalog_refresh::{RefreshProgress, RefreshScope, SourceName, SourceOutcome, refresh};
use catalogue::rows::{CatalogueRow, CatalogueStore};
use catalogue::{FileRelations, derive_story_lines, keep_relations};
use cli::import::{self, Progress};
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, Role};
use tempfile::TempDir;
use tests::refreshed::{OFFLINE_DATABASE, Refreshed, media};
use tests::rounds;
use tests::service::Service;
use tokio::sync::Notify;

/// An anime of AniList has twice its number there as its identifier.
const FIRST: u64 = 2;
const SECOND: u64 = 4;
const THIRD: u64 = 6;

/// Returns an entry of the anime-offline-database, with the numbers of related anime at AniList.
fn entry(number: u32, title: &str, year: u16, related: &[u32]) -> Value {
    let page = |number: &u32| format!("https://anilist.co/anime/{number}");
    let related: Vec<String> = related.iter().map(page).collect();
    json!({
        "sources": [page(&number)], "title": title, "type": "TV", "episodes": 12, "status": "FINISHED",
        "animeSeason": {"season": "FALL", "year": year}, "duration": {"value": 1440, "unit": "SECONDS"},
        "synonyms": [], "studios": ["harbor"], "tags": [], "relatedAnime": related,
    })
}

/// Three seasons. The title of the third has no number.
fn seasons() -> Vec<Value> {
    vec![
        entry(1, "Harbor Lights", 2020, &[2, 3]),
        entry(2, "Harbor Lights 2nd Season", 2021, &[1]),
        entry(3, "Harbor Winter", 2022, &[2]),
    ]
}

const LIST: &str = "<anime-list>\
    <anime anidbid=\"11\" tvdbid=\"70\" defaulttvdbseason=\"1\"/>\
    <anime anidbid=\"12\" tvdbid=\"70\" defaulttvdbseason=\"2\"/>\
    <anime anidbid=\"13\" tvdbid=\"70\" defaulttvdbseason=\"3\"/></anime-list>";

/// A service, and a folder for the files of its imports.
struct Fixture {
    service: Service,
    folder: TempDir,
}

impl Fixture {
    async fn empty() -> Self {
        Self {
            service: Service::empty().await,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    async fn import_anime(&self, entries: &[Value]) -> [u64; 3] {
        let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
        let file = self.write("anime.jsonl", &lines.join("\n"));
        let database = self.service.database();
        let report = import::import_anime(&file, None, &database, &Progress::hidden()).await;
        let report = report.unwrap();
        self.service.publish().await;
        self.service.let_index_age();
        [report.added, report.changed, report.unchanged]
    }

    async fn import_ids(&self) {
        let ids = |number: u32| json!({"anidb_id": 10 + number, "anilist_id": number});
        let entries: Vec<Value> = (1..=3).map(ids).collect();
        let file = self.write("ids.json", &json!(entries).to_string());
        let done = import::publish_mapping_file(&file, &self.service.database()).await;
        done.unwrap();
    }

    async fn import_seasons(&self) {
        let file = self.write("seasons.xml", LIST);
        let done = import::import_seasons(&file, &self.service.database()).await;
        done.unwrap();
        self.service.publish().await;
        self.service.let_index_age();
    }

    /// Returns the preceding and the following anime that the API shows.
    async fn neighbors(&self, id: u64) -> [Option<u64>; 2] {
        let anime = self.service.get(&format!("/v1/anime/{id}")).await.data();
        // The API calls the preceding anime `sequel`.
        ["sequel", "prequel"].map(|field| anime[field].as_u64())
    }

    async fn row(&self, id: u64) -> CatalogueRow<Anime> {
        let store = CatalogueStore::<Anime>::new(&self.service.database());
        store
            .get_current(&[id])
            .await
            .unwrap()
            .remove(&id)
            .unwrap()
            .row
    }

    /// Writes an anime of which a source states these neighbors.
    async fn put(&self, id: u64, preceding: Option<u64>, following: Option<u64>) {
        let mut anime = Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv);
        anime.tracker_a_id = u32::try_from(id / 2).ok();
        anime.titles.insert("rj".to_owned(), format!("Anime {id}"));
        anime.sequel = preceding.and_then(AnimeId::new);
        anime.prequel = following.and_then(AnimeId::new);
        self.service.put(&[anime]).await;
    }
}

#[tokio::test]
async fn related_seasons_with_successive_titles_follow_each_other() {
    let fixture = Fixture::empty().await;
    assert_eq!(fixture.import_anime(&seasons()).await, [3, 0, 0]);
    assert_eq!(fixture.neighbors(FIRST).await, [None, Some(SECOND)]);
    assert_eq!(fixture.neighbors(SECOND).await, [Some(FIRST), None]);
    assert_eq!(fixture.neighbors(THIRD).await, [None, None]);
    let row = fixture.row(FIRST).await;
    assert_eq!(fixture.import_anime(&seasons()).await, [0, 0, 3]);
    assert_eq!(
        fixture.row(FIRST).await,
        row,
        "a repeated import changes nothing"
    );
}

#[tokio::test]
async fn season_map_counts_in_either_order_of_the_imports() {
    for anime_first in [true, false] {
        let fixture = Fixture::empty().await;
        if anime_first {
            fixture.import_anime(&seasons()).await;
        }
        fixture.import_ids().await;
        fixture.import_seasons().await;
        if !anime_first {
            fixture.import_anime(&seasons()).await;
        }
        let all = [
            fixture.neighbors(FIRST).await,
            fixture.neighbors(SECOND).await,
            fixture.neighbors(THIRD).await,
        ];
        let expected = [
            [None, Some(SECOND)],
            [Some(FIRST), Some(THIRD)],
            [Some(SECOND), None],
        ];
        assert_eq!(all, expected, "anime first: {anime_first}");
    }
}

#[tokio::test]
async fn what_no_longer_follows_is_removed() {
    let fixture = Fixture::empty().await;
    fixture.import_anime(&seasons()).await;
    // A file without the first anime keeps its relations.
    fixture.import_anime(&seasons()[2..]).await;
    assert_eq!(fixture.neighbors(FIRST).await, [None, Some(SECOND)]);
    let unrelated = [
        entry(1, "Harbor Lights", 2020, &[]),
        entry(2, "Harbor Lights 2nd Season", 2021, &[]),
    ];
    fixture.import_anime(&unrelated).await;
    assert_eq!(fixture.neighbors(FIRST).await, [None, None]);
    assert_eq!(fixture.neighbors(SECOND).await, [None, None]);
}

#[tokio::test]
async fn statement_of_a_source_is_never_contradicted() {
    const OTHER: u64 = 8;
    // A source states relations of the first anime, the second one, or a third one that precedes the second.
    for (id, preceding, following) in [
        (FIRST, None, Some(OTHER)),
        (SECOND, Some(OTHER), None),
        (OTHER, None, Some(SECOND)),
        (SECOND, None, Some(FIRST)),
    ] {
        let fixture = Fixture::empty().await;
        fixture.put(OTHER, None, None).await;
        fixture.put(id, preceding, following).await;
        let mut entries = seasons();
        entries.push(entry(4, "Other", 2019, &[2]));
        fixture.import_anime(&entries).await;
        let first = fixture.neighbors(FIRST).await;
        let second = fixture.neighbors(SECOND).await;
        assert_ne!(first[1], Some(SECOND), "{id}: {first:?}");
        assert_ne!(second[0], Some(FIRST), "{id}: {second:?}");
        assert_eq!(fixture.neighbors(id).await, [preceding, following], "{id}");
    }
    // The same statement about one of them is completed for the other.
    let fixture = Fixture::empty().await;
    fixture.put(SECOND, Some(FIRST), None).await;
    fixture.import_anime(&seasons()).await;
    assert_eq!(fixture.neighbors(FIRST).await, [None, Some(SECOND)]);
    assert_eq!(fixture.neighbors(SECOND).await, [Some(FIRST), None]);
}

#[tokio::test]
async fn correction_wins_even_if_it_removes_a_neighbor() {
    let fixture = Fixture::empty().await;
    fixture.import_anime(&seasons()).await;
    let moderator = fixture.service.person_with_role("guard", Role::Moderator);
    let moderator = moderator.await;
    let service = &fixture.service;
    service
        .correct::<Anime>(&moderator, FIRST, "prequel", "")
        .await;
    fixture.import_anime(&seasons()).await;
    assert_eq!(fixture.neighbors(FIRST).await, [None, None]);
    assert_eq!(fixture.neighbors(SECOND).await, [None, None]);
}

#[tokio::test]
async fn refresh_derives_and_a_tracker_replaces_what_was_derived() {
    let refreshed = Refreshed::empty().await;
    let mut entries = seasons();
    entries.push(entry(4, "Other", 2019, &[2]));
    let publish = |etag: &str| {
        let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
        let files = &refreshed.files;
        files.publish(OFFLINE_DATABASE, lines.join("\n"), Some(etag));
    };
    publish("\"1\"");
    let refresh = async |sources: &[SourceName]| {
        let report = refreshed.refresh_only(sources).await;
        let mut sources = report.sources.values();
        assert!(sources.all(|source| source.failure().is_none()));
    };
    refresh(&[SourceName::OfflineDatabase]).await;
    let number = |id: Option<AnimeId>| id.map(AnimeId::get);
    let [first, second] = [refreshed.row(FIRST).await, refreshed.row(SECOND).await];
    let derived = (number(first.prequel), number(second.sequel));
    assert_eq!(derived, (Some(SECOND), Some(FIRST)));
    assert_eq!(second.studios, ["Harbor"]);
    // AniList states that another anime precedes the second one. It states no studios.
    let node = json!({"id": 4, "type": "ANIME"});
    let edges = json!([{"relationType": "PREQUEL", "node": node}]);
    let changes = json!({"seasonYear": 2021, "relations": {"edges": edges}});
    refreshed.set_media(vec![media(2, &changes)]);
    publish("\"2\"");
    refresh(&[SourceName::OfflineDatabase, SourceName::AniList]).await;
    let [first, second] = [refreshed.row(FIRST).await, refreshed.row(SECOND).await];
    let stated = (number(first.prequel), number(second.sequel));
    assert_eq!(stated, (None, Some(2 * 4)));
    assert_eq!(
        (second.studios.len(), second.genres),
        (1, vec!["Drama".to_owned()])
    );
    // The index has been published with the change.
    refreshed.service.let_index_age();
    let answer = refreshed.service.get("/v1/anime?studios=harbor").await;
    assert_eq!(answer.ids().len(), 4);
    assert_eq!(answer.data()[0]["studios"], json!(["Harbor"]));
}

/// Between the file and the derivation, a run reads the trackers, which can take hours.
#[tokio::test]
async fn derivation_that_a_run_does_not_reach_is_made_by_the_next_one() {
    for is_killed in [true, false] {
        let refreshed = Refreshed::empty().await;
        let lines: Vec<String> = seasons().iter().map(Value::to_string).collect();
        let files = &refreshed.files;
        files.publish(OFFLINE_DATABASE, lines.join("\n"), Some("\"1\""));
        let environment = &refreshed.service.environment;
        let clock = &environment.database.clock;
        let until = clock.now_ms() + 3_600_000;
        let killed = Notify::new();
        let end = |progress: RefreshProgress| {
            if progress.stage != "Reading AniList." {
                return;
            }
            if is_killed {
                killed.notify_one();
            } else {
                clock.advance(Duration::from_hours(1));
            }
        };
        let sources = refreshed.only(&[SourceName::OfflineDatabase, SourceName::AniList]);
        let run = refresh(environment, sources, RefreshScope::Changed, until, &end);
        tokio::select! {
            biased;
            () = killed.notified() => {}
            report = run => assert!(!is_killed && report.is_ok()),
        }
        assert_eq!(refreshed.row(FIRST).await.prequel, None, "{is_killed}");

        let report = refreshed.refresh_only(&[SourceName::OfflineDatabase]).await;
        let outcome = &report.sources[&SourceName::OfflineDatabase].outcome;
        assert!(matches!(outcome, SourceOutcome::Unchanged), "{outcome:?}");
        refreshed.service.let_index_age();
        let anime = refreshed.service.get(&format!("/v1/anime/{FIRST}")).await;
        assert_eq!(anime.data()["prequel"], SECOND, "killed: {is_killed}");
        let report = refreshed.refresh_only(&[SourceName::OfflineDatabase]).await;
        assert!(report.published.is_empty(), "nothing is due any more");
    }
}

#[tokio::test]
async fn relations_of_two_files_at_the_same_time_are_both_kept() {
    let fixture = Fixture::empty().await;
    let entries = [
        entry(1, "Harbor Lights", 2020, &[]),
        entry(2, "Harbor Lights 2nd Season", 2021, &[]),
        entry(5, "Paper Moons", 2020, &[]),
        entry(6, "Paper Moons 2nd Season", 2021, &[]),
    ];
    fixture.import_anime(&entries).await;
    let database = fixture.service.database();
    let file = |one: u64, other: u64| {
        let [one, other] = [one, other].map(|id| AnimeId::new(id).unwrap());
        FileRelations {
            anime: [one].into(),
            pairs: vec![(one, other)],
        }
    };
    let files = [file(FIRST, SECOND), file(10, 12)];
    let kept = tokio::join!(
        keep_relations(&database, &files[0]),
        keep_relations(&database, &files[1])
    );
    kept.0.and(kept.1).unwrap();
    derive_story_lines(&database, u64::MAX).await.unwrap();
    for (id, next) in [(FIRST, SECOND), (10, 12)] {
        let derived = fixture.row(id).await.document.prequel;
        assert_eq!(derived.map(AnimeId::get), Some(next));
    }
}

#[tokio::test]
async fn rows_of_related_anime_are_read_at_the_same_time() {
    let fixture = Fixture::empty().await;
    let (client, rounds) = rounds::counted();
    let mut database = fixture.service.database();
    database.client = client;
    let mut counted = Vec::new();
    for count in [100, 500] {
        let entries = (1..=count).map(|number| entry(number, "Harbor Lights", 2020, &[1]));
        fixture.import_anime(&entries.collect::<Vec<_>>()).await;
        derive_story_lines(&database, u64::MAX).await.unwrap();
        counted.push(rounds.take());
    }
    assert_eq!(
        counted[0], counted[1],
        "rounds with one batch and with five"
    );
}
