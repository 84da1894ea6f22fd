//! Refreshes from several sources: files, ranks, and sources that fail.

use std::time::Duration;

use catalog_refresh::SourceName::{
    self, AniList, AnidbTitles, AnimeThemes, Mapping, MyAnimeList, OfflineDatabase, Seasons,
};
use catalog_refresh::{RefreshReport, RefreshScope, SourceOutcome, Sources, refresh};
use catalogue::Catalogue;
use catalogue::identifiers::IdSource;
use catalogue::import::{NOT_KNOWN, NOT_MAPPED};
use catalogue::seasons::Series;
use serde_json::{Value, json};
use shared::models::Anime;
use tests::assertions::AssertFields;
use tests::crash::client_failing_after;
use tests::refreshed::{
    MAPPING, OFFLINE_DATABASE, Refreshed, SEASONS, TITLES, counts, entry, failure, lines, listed,
    media,
};
use tests::service::START_MS;
use tests::trackers::Fault;
use trackers::{RemoteFile, Waiter};

const START_S: u64 = START_MS / 1000;

const DUMP: &str = "<?xml version=\"1.0\"?><animetitles>\
    <anime aid=\"500\"><title type=\"main\" xml:lang=\"x-jat\">Kumo</title>\
    <title type=\"official\" xml:lang=\"fr\">L`Atlas</title>\
    <title type=\"official\" xml:lang=\"en\">Cloud</title></anime>\
    <anime aid=\"501\"><title type=\"main\" xml:lang=\"x-jat\">Not mapped</title></anime>\
    <anime aid=\"502\"><title type=\"main\" xml:lang=\"x-jat\">Not known</title></anime>\
    </animetitles>";

const SEASON_LIST: &str = "<?xml version=\"1.0\"?><anime-list>\
    <anime anidbid=\"500\" tvdbid=\"70\" defaulttvdbseason=\"2\"/>\
    <anime anidbid=\"x\" tvdbid=\"70\" defaulttvdbseason=\"3\"/>\
    </anime-list>";

fn mapping_file() -> String {
    json!([
        {"anidb_id": 500, "anilist_id": 7, "mal_id": 9, "themoviedb_id": {"tv": 77}},
        {"anidb_id": 502, "mal_id": 90},
    ])
    .to_string()
}

/// Returns a service whose sources all have anime 7 (9 at `MyAnimeList`), and each a second anime of its own.
async fn with_all_sources() -> Refreshed {
    let refreshed = Refreshed::empty().await;
    let about = |title: &str| json!({"idMal": 9, "title": {"romaji": format!("{title} A")}});
    refreshed.set_media(vec![media(7, &about("Kumo")), media(8, &Value::Null)]);
    let b = json!({
        "title": "Kumo B", "alternative_titles": {"en": "Clouds B"}, "synopsis": "From B.",
        "main_picture": {"large": "https://b.test/1"}, "mean": 8.0,
    });
    refreshed.tracker_b.state().media = vec![listed(9, &b), listed(10, &Value::Null)];
    let of_database = json!({
        "title": "Kumo O", "picture": "https://o.test/1", "score": {"arithmeticMean": 6.0},
        "duration": {"value": 600, "unit": "SECONDS"}, "synonyms": ["クラウド"],
    });
    let entries = [entry(7, 9, &of_database), entry(11, 12, &Value::Null)];
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&entries), Some("\"o1\""));
    refreshed
        .files
        .publish(MAPPING, mapping_file(), Some("\"m1\""));
    refreshed
        .files
        .publish(SEASONS, SEASON_LIST, Some("\"s1\""));
    refreshed.files.publish(TITLES, DUMP, Some("\"t1\""));
    let theme = json!({"id": 1, "type": "OP", "updated_at": "2023-11-14T21:13:20.000000Z",
        "song": {"title": "Uta", "artists": []}});
    let resources = json!([{"external_id": 7, "site": "AniList"}]);
    refreshed.themes.state().themes = vec![json!({"id": 1, "year": 2020, "season": "Fall",
        "resources": resources, "animethemes": [theme]})];
    refreshed
}

fn assert_no_failure(report: &RefreshReport) {
    assert!(report.failure().is_none(), "{report:?}");
}

/// Returns the condition with which a file was requested last.
fn condition(refreshed: &Refreshed, path: &str) -> Option<String> {
    let state = refreshed.files.state();
    let sent = state.received.iter().rfind(|sent| sent.path == path)?;
    Some(sent.header("if-none-match").to_owned())
}

fn requests(refreshed: &Refreshed, path: &str) -> usize {
    let state = refreshed.files.state();
    state
        .received
        .iter()
        .filter(|sent| sent.path == path)
        .count()
}

fn all_sources() -> [SourceName; 7] {
    SourceName::ALL.map(|(name, _)| name)
}

#[tokio::test]
async fn values_of_all_sources_are_merged_by_rank() {
    let refreshed = with_all_sources().await;
    let report = refreshed.refresh_only(&all_sources()).await;
    assert_no_failure(&report);
    assert_eq!(report.sources.len(), 7);
    assert_eq!(report.published, [("anime", 4), ("song", 1)].into());
    let mapped = refreshed
        .service
        .get("/v1/mapping?source=anidb&id=500")
        .await;
    assert_eq!(mapped.data()[0]["anime"][0]["anime_id"], 14);
    let row = refreshed.row(14).await;
    assert_eq!(row.titles["rj"], "Kumo A", "AniList");
    assert_eq!(row.titles["en"], "Clouds B", "MyAnimeList, not AniDB");
    assert_eq!(row.titles["fr"], "L'Atlas", "AniDB");
    assert_eq!(
        row.titles["jp"], "クラウド",
        "a synonym of the anime-offline-database"
    );
    assert_eq!(row.score.hundredths(), 7_000, "AniList");
    assert_eq!(row.cover_image, "https://b.test/1");
    assert_eq!(row.descriptions["en"], "From B.");
    assert_eq!(row.episode_duration, Some(24));
    assert_eq!(row.database_id, Some(77));
    assert_eq!(refreshed.song_rows().await.len(), 1);
    let catalogue: Catalogue<Anime> = Catalogue::new(&refreshed.service.database(), 0);
    let source = IdSource::Tvdb;
    let seasons = catalogue.seasons().await.unwrap();
    let found = seasons.find(Series { source, id: 70 }, 2, 5);
    let episode = found.certain().unwrap();
    assert_eq!((episode.anime.get(), episode.episode), (14, 5));
    assert_eq!(counts(&report, Seasons), [0, 0, 0, 1]);
    let titles = report.counts(AnidbTitles).unwrap();
    assert_eq!(titles.skipped_for(NOT_MAPPED), 1);
    assert_eq!(titles.skipped_for(NOT_KNOWN), 1);

    // Weaker sources that change later replace nothing.
    let changed = entry(
        7,
        9,
        &json!({"title": "Kumo O2", "picture": "https://o.test/2"}),
    );
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&[changed]), Some("\"o2\""));
    refreshed.refresh_only(&[OfflineDatabase]).await;
    let again = refreshed.row(14).await;
    assert_eq!(
        (&again.titles, &again.cover_image),
        (&row.titles, &row.cover_image)
    );
}

/// The catalogue stays current without the source of the highest rank.
#[tokio::test]
async fn tracker_that_cannot_be_read_loses_its_rank_after_a_week() {
    let refreshed = with_all_sources().await;
    let sources = [OfflineDatabase, MyAnimeList, AniList];
    refreshed.refresh_only(&sources).await;
    let day = Duration::from_hours(24);
    for (days, changed_at, score) in [
        // The first run after a week without runs fails.
        (8, "2023-11-22T22:13:20+00:00", 7_000),
        (6, "2023-11-28T22:13:20+00:00", 7_000),
        (2, "2023-11-30T22:13:20+00:00", 9_000),
    ] {
        refreshed.service.clock.advance(day * days);
        refreshed
            .tracker
            .fail_each_after(0, (0..9).map(|_| Fault::answer(403, "{}")));
        let changed = json!({"title": "Kumo B", "mean": 9.0, "updated_at": changed_at});
        refreshed.tracker_b.state().media = vec![listed(9, &changed)];
        let report = refreshed.refresh_only(&sources).await;
        assert!(report.sources[&AniList].failure().is_some());
        let row = refreshed.row(14).await;
        let found = (row.score.hundredths(), row.titles["rj"].as_str());
        assert_eq!(found, (score, "Kumo A"), "at {changed_at}");
    }
    // Once the tracker can be read again, its values count again.
    refreshed.tracker.clear_faults();
    refreshed
        .run(refreshed.only(&[AniList]), RefreshScope::All)
        .await
        .unwrap();
    assert_eq!(refreshed.row(14).await.score.hundredths(), 7_000);
    refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(refreshed.row(14).await.score.hundredths(), 7_000);
}

/// An entry of a file with one identifier does not hide the other one from the sources after it.
#[tokio::test]
async fn identifiers_of_an_entry_are_added_to_those_of_the_row() {
    let refreshed = with_all_sources().await;
    refreshed.refresh_only(&[AniList]).await;
    let mut alone = entry(7, 9, &json!({"synonyms": ["Cloud"]}));
    alone["sources"] = json!(["https://myanimelist.net/anime/9"]);
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&[alone]), Some("\"o2\""));
    // Tracker A states the same id at tracker B for another anime.
    let mut wrong = media(99, &json!({"idMal": 9}));
    wrong["updatedAt"] = json!(refreshed.service.clock.now_s());
    refreshed.set_media(vec![wrong]);
    assert_no_failure(&refreshed.refresh_only(&[OfflineDatabase, AniList]).await);
    let row = refreshed.row(14).await;
    assert_eq!((row.tracker_a_id, row.tracker_b_id), (Some(7), Some(9)));
    let other = refreshed.rows().await;
    let other = other.iter().find(|row| row.tracker_a_id == Some(99));
    assert_eq!(other.unwrap().tracker_b_id, None);
}

/// Two trackers may list a new anime before they name each other's identifiers.
#[tokio::test]
async fn anime_without_the_other_identifier_is_recognized() {
    for order in [[AniList, MyAnimeList], [MyAnimeList, AniList]] {
        let refreshed = Refreshed::empty().await;
        let season = |year: u16| json!({"year": year, "season": "fall"});
        let named = |id: u32, title: &str, year: u16| {
            listed(id, &json!({"title": title, "start_season": season(year)}))
        };
        let about = |title: &str| {
            json!({"idMal": null, "title": {"romaji": title}, "seasonYear": 2020,
            "format": "TV_SHORT"})
        };
        refreshed.set_media(vec![
            media(7, &about("Kumo: the Cloud")),
            media(8, &about("Kaze")),
            media(9, &about("Twins")),
            media(10, &about("Twins")),
        ]);
        refreshed.tracker_b.state().media = vec![
            named(70, "KUMO - The Cloud", 2020),
            named(80, "Kaze", 2021),
            named(90, "Twins", 2020),
        ];
        for source in order {
            assert_no_failure(&refreshed.refresh_only(&[source]).await);
        }
        let rows = refreshed.rows().await;
        let ids = |a: u32| {
            rows.iter()
                .find(|row| row.tracker_a_id == Some(a))
                .unwrap()
                .tracker_b_id
        };
        assert_eq!(ids(7), Some(70), "the same title, in {order:?}");
        assert_eq!(ids(8), None, "another year, in {order:?}");
        assert_eq!(rows.len(), if order[0] == AniList { 6 } else { 5 });
    }
}

/// The order in which sources are read does not matter.
#[tokio::test]
async fn each_source_can_be_added_later() {
    let together = with_all_sources().await;
    together.refresh_only(&all_sources()).await;
    let mut expected = together.rows().await;
    let apart = with_all_sources().await;
    for source in all_sources().into_iter().rev() {
        // The titles need the mapping, which may be read at any time.
        let sources = match source {
            AnidbTitles => vec![source, Mapping],
            source => vec![source],
        };
        assert_no_failure(&apart.refresh_only(&sources).await);
    }
    apart.service.clock.advance(Duration::from_hours(25));
    apart.refresh_only(&[Mapping, AnidbTitles]).await;
    let mut rows = apart.rows().await;
    for row in rows.iter_mut().chain(&mut expected) {
        // Anime that only one source has received their ids from the tracker that named them first.
        row.recommendations = None;
    }
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn offline_database_alone_fills_the_catalogue() {
    let refreshed = with_all_sources().await;
    let report = refreshed.refresh_only(&[OfflineDatabase]).await;
    assert_eq!(counts(&report, OfflineDatabase), [2, 0, 0, 0]);
    assert_eq!(report.published, [("anime", 2)].into());
    let found = refreshed.service.get("/v1/anime?title=kumo").await.data();
    assert_eq!(found[0]["titles"]["jp"], "クラウド");
    assert_eq!(refreshed.tracker.count() + refreshed.tracker_b.count(), 0);
    // The release is one compressed JSON object.
    let all: Vec<Value> = (101..=350).map(|id| entry(id, id, &Value::Null)).collect();
    let object = json!({"license": {}, "data": all}).to_string();
    let zstd = zstd::encode_all(object.as_bytes(), 3).unwrap();
    let url = refreshed.files.publish("/database.json.zst", zstd, None);
    let clock = refreshed.service.clock.clone();
    let file = trackers::RemoteFile::new("offline_database", &url, 1024 * 1024, clock).unwrap();
    let mut sources = refreshed.only(&[]);
    sources.offline_database = Some(&file);
    let report = refreshed.run(sources, RefreshScope::Changed).await.unwrap();
    assert_no_failure(&report);
    assert_eq!(refreshed.rows().await.len(), 252);
}

#[tokio::test]
async fn unchanged_files_are_not_read_again() {
    let refreshed = with_all_sources().await;
    let files = [Mapping, Seasons, OfflineDatabase, AnidbTitles];
    refreshed.refresh_only(&files).await;
    assert_eq!(condition(&refreshed, MAPPING).unwrap(), "");
    let before = refreshed.rows().await;
    refreshed.service.clock.advance(Duration::from_hours(25));
    let report = refreshed.refresh_only(&files).await;
    assert_no_failure(&report);
    for (source, path, tag) in [
        (Mapping, MAPPING, "\"m1\""),
        (Seasons, SEASONS, "\"s1\""),
        (OfflineDatabase, OFFLINE_DATABASE, "\"o1\""),
        (AnidbTitles, TITLES, "\"t1\""),
    ] {
        assert_eq!(condition(&refreshed, path).unwrap(), tag);
        let outcome = &report.sources[&source].outcome;
        assert!(matches!(outcome, SourceOutcome::Unchanged), "{outcome:?}");
        let state = refreshed.source_state(source).await;
        assert_eq!(state.downloaded_at, Some(START_S));
        assert_eq!(state.read_at, Some(refreshed.service.clock.now_s()));
    }
    assert_eq!(refreshed.rows().await, before);
    assert!(report.published.is_empty());
    // A full refresh downloads the files in any case.
    refreshed
        .run(refreshed.only(&files), RefreshScope::All)
        .await
        .unwrap();
    assert_eq!(condition(&refreshed, OFFLINE_DATABASE).unwrap(), "");
}

/// `AniDB` blocks addresses that download its titles more than once a day.
#[tokio::test]
async fn titles_are_requested_once_a_day() {
    let refreshed = with_all_sources().await;
    let sources = [Mapping, AnidbTitles];
    refreshed.files.fail_after(1, Fault::answer(500, ""));
    let report = refreshed.refresh_only(&sources).await;
    let reason = failure(&report, AnidbTitles);
    assert_eq!(reason, "later: anidb_titles: status 500");
    for _ in 0..3 {
        refreshed.service.clock.advance(Duration::from_hours(6));
        let report = refreshed.refresh_only(&sources).await;
        let titles = &report.sources[&AnidbTitles];
        assert!(
            matches!(titles.outcome, SourceOutcome::NotDue),
            "{titles:?}"
        );
        assert_eq!(titles.current_at, START_S);
        refreshed
            .run(refreshed.only(&sources), RefreshScope::All)
            .await
            .unwrap();
    }
    assert_eq!(requests(&refreshed, TITLES), 1);
    refreshed.service.clock.advance(Duration::from_hours(6));
    let (one, other) = tokio::join!(
        refreshed.refresh_only(&sources),
        refreshed.refresh_only(&sources)
    );
    let is_asked = |report: &RefreshReport| {
        !matches!(report.sources[&AnidbTitles].outcome, SourceOutcome::NotDue)
    };
    assert!(
        is_asked(&one) ^ is_asked(&other),
        "one of two runs at the same time"
    );
    assert_eq!(requests(&refreshed, TITLES), 2);
}

/// Titles are assigned by the mapping, so both files are needed when one of them has changed.
/// The rest of a download that was cut off is requested within the day, and the next request is a day after that one.
#[tokio::test]
async fn continued_download_of_titles_counts_as_the_request_of_the_day() {
    let refreshed = with_all_sources().await;
    // A server sends nothing of a body if half of it fits into its buffer.
    let others = (1_000..21_000).map(|id| {
        let title = format!("A long title that makes the file long enough {id}");
        format!(
            "<anime aid=\"{id}\"><title type=\"main\" xml:lang=\"x-jat\">{title}</title></anime>"
        )
    });
    let end = others.collect::<String>() + "</animetitles>";
    let dump = DUMP.replace("</animetitles>", &end);
    let url = refreshed.files.publish(TITLES, dump, Some("\"t1\""));
    let folder = tempfile::tempdir().unwrap();
    let clock = refreshed.service.clock.clone();
    let titles = RemoteFile::new(AnidbTitles.key(), &url, 8_000_000, clock.clone()).unwrap();
    let titles = titles.kept_in(folder.path().to_owned(), Waiter::Move(clock.clone()));
    let run = async || {
        let sources = Sources {
            titles: Some(&titles),
            ..refreshed.only(&[Mapping])
        };
        refreshed.run(sources, RefreshScope::Changed).await.unwrap()
    };
    let cuts = (0..4).map(|_| Fault::Cut);
    refreshed.files.fail_each_after(1, cuts);
    let report = run().await;
    assert!(report.sources[&AnidbTitles].failure().is_some());
    assert!(titles.is_interrupted());
    refreshed.files.clear_faults();
    clock.advance(Duration::from_hours(23));
    let report = run().await;
    assert_no_failure(&report);
    assert!(matches!(
        report.sources[&AnidbTitles].outcome,
        SourceOutcome::Read
    ));
    let asked = requests(&refreshed, TITLES);
    clock.advance(Duration::from_hours(2));
    let report = run().await;
    assert!(
        matches!(report.sources[&AnidbTitles].outcome, SourceOutcome::NotDue),
        "{report:?}"
    );
    assert_eq!(requests(&refreshed, TITLES), asked);
    clock.advance(Duration::from_hours(22));
    assert_no_failure(&run().await);
    assert_eq!(requests(&refreshed, TITLES), asked + 1);
}

#[tokio::test]
async fn changed_titles_or_mapping_are_joined_again() {
    let refreshed = with_all_sources().await;
    let sources = [OfflineDatabase, Mapping, AnidbTitles];
    refreshed.refresh_only(&sources).await;
    refreshed.files.publish(
        TITLES,
        DUMP.replace("L`Atlas", "Les nuages"),
        Some("\"t2\""),
    );
    refreshed.service.clock.advance(Duration::from_hours(25));
    refreshed.refresh_only(&sources).await;
    assert_eq!(refreshed.row(14).await.titles["fr"], "Les nuages");

    // The mapping changes before the titles may be requested again.
    let mapped = mapping_file()
        .replace("500,", "5,")
        .replace("502", "500")
        .replace("90", "12");
    refreshed.files.publish(MAPPING, mapped, Some("\"m2\""));
    refreshed.service.clock.advance(Duration::from_hours(6));
    refreshed.refresh_only(&sources).await;
    assert!(!refreshed.row(22).await.titles.contains_key("fr"));
    refreshed.service.clock.advance(Duration::from_hours(24));
    assert_no_failure(&refreshed.refresh_only(&sources).await);
    assert_eq!(refreshed.row(22).await.titles["fr"], "Les nuages");
    assert_eq!(condition(&refreshed, TITLES).unwrap(), "");

    let report = refreshed.refresh_only(&[AnidbTitles]).await;
    assert!(matches!(
        report.sources[&AnidbTitles].outcome,
        SourceOutcome::NotDue
    ));
    refreshed.service.clock.advance(Duration::from_hours(24));
    let report = refreshed.refresh_only(&[AnidbTitles]).await;
    assert_eq!(
        failure(&report, AnidbTitles),
        "it needs the mapping of identifiers (ANIME_MAPPING_URL)"
    );
}

/// The version of a file counts as read only after its last entry is written.
#[tokio::test]
async fn file_of_an_interrupted_run_is_read_again() {
    let refreshed = with_all_sources().await;
    let entries: Vec<Value> = (1..=300).map(|id| entry(id, id, &Value::Null)).collect();
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&entries), Some("\"o9\""));
    let mut failed = 0;
    for calls in [0, 2, 4, 6, 8, 10] {
        let mut environment = refreshed.service.environment.clone();
        environment.database.client = client_failing_after(calls);
        let until = environment.database.clock.now_ms() + 60_000;
        let sources = refreshed.only(&[OfflineDatabase]);
        let outcome = refresh(&environment, sources, RefreshScope::Changed, until, &|_| {}).await;
        failed += usize::from(outcome.is_err());
        assert_eq!(
            refreshed.source_state(OfflineDatabase).await.file_version,
            None,
            "{calls}"
        );
    }
    assert_eq!(failed, 6);
    let report = refreshed.refresh_only(&[OfflineDatabase]).await;
    assert_no_failure(&report);
    assert_eq!(condition(&refreshed, OFFLINE_DATABASE).unwrap(), "");
    assert_eq!(refreshed.rows().await.len(), 300);
    let published = refreshed.service.get("/v1/anime?per_page=1").await;
    published.assert_header("x-total-count", "300");

    // The time of a run is over after its first batch.
    refreshed.service.clock.advance(Duration::from_hours(6));
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&entries), Some("\"o10\""));
    let environment = &refreshed.service.environment;
    let until = environment.database.clock.now_ms() + 1_000;
    let sources = refreshed.only(&[OfflineDatabase]);
    let clock = environment.database.clock.clone();
    let slow = move |_| clock.advance(Duration::from_millis(600));
    let report = refresh(environment, sources, RefreshScope::Changed, until, &slow)
        .await
        .unwrap();
    let reason = failure(&report, OfflineDatabase);
    assert_eq!(reason, "the time of the run is over");
    let state = refreshed.source_state(OfflineDatabase).await;
    assert!(state.file_version.unwrap().contains("o9"));
}

/// Makes a fault for a request of a file.
type Bad = fn() -> Fault;

/// A bad file leaves the rows as they are, does not stop the other sources, and is named in the report.
#[tokio::test]
async fn bad_file_changes_nothing_and_stops_no_other_source() {
    let ten_gigabytes = || Fault::Endless(Some(10 * 1024 * 1024 * 1024));
    let cases: [(Bad, &str); 13] = [
        (
            || Fault::answer(200, "<!DOCTYPE html><p>Blocked"),
            "an HTML page, status 200",
        ),
        (
            || Fault::answer(304, ""),
            "malformed: status 304 without a condition",
        ),
        (|| Fault::Truncate, ""),
        (|| Fault::Endless(None), "the body is too long"),
        (ten_gigabytes, "the body is too long"),
        (|| Fault::answer(200, ""), "malformed: an empty file"),
        (|| Fault::answer(200, "\n \n"), ""),
        (|| Fault::answer(200, "{}"), ""),
        (|| Fault::answer(200, "[]"), ""),
        (|| Fault::answer(200, "\u{0}\u{1}\u{2}"), ""),
        (|| Fault::answer(403, "no"), "status 403"),
        (|| Fault::answer(429, "no"), "status 429"),
        (|| Fault::answer(503, "no"), "status 503"),
    ];
    let files = [Mapping, Seasons, OfflineDatabase, AnidbTitles];
    for (bad, reason) in cases {
        let refreshed = with_all_sources().await;
        refreshed.refresh_only(&all_sources()).await;
        let before = refreshed.rows().await;
        // So much time has passed that files are downloaded without a condition.
        refreshed
            .service
            .clock
            .advance(Duration::from_hours(8 * 24));
        let mut changed = media(8, &json!({"title": {"romaji": "Changed"}}));
        changed["updatedAt"] = json!(refreshed.service.clock.now_s());
        refreshed.set_media(vec![changed]);
        refreshed.files.fail_each_after(0, files.map(|_| bad()));
        let report = refreshed.refresh_only(&all_sources()).await;
        for (name, source) in &report.sources {
            let is_file = files.contains(name);
            assert_eq!(source.failure().is_some(), is_file, "{name}: {source}");
        }
        let metrics = report.to_metrics("refresh-1", START_MS + 8 * 24 * 3_600_000);
        for source in files {
            let text = report.sources[&source].to_string();
            assert!(
                text.starts_with("failed: ") && text.contains(reason),
                "{text}"
            );
            assert!(
                text.ends_with("; stale since 2023-11-14T22:13:20Z"),
                "{text}"
            );
            let mut lines = metrics.iter();
            let line = lines.find(|line| line["Source"] == source.key()).unwrap();
            assert_eq!(line["SourceAge"], 8 * 24 * 60 * 60);
        }
        let mut expected = before;
        let changed = expected.iter_mut().find(|row| row.tracker_a_id == Some(8));
        changed
            .unwrap()
            .titles
            .insert("rj".into(), "Changed".into());
        assert_eq!(refreshed.rows().await, expected);
    }
}

/// Nothing shows that a file of lines is cut off between two lines.
#[tokio::test]
async fn file_with_less_than_half_of_its_entries_is_refused() {
    let refreshed = with_all_sources().await;
    let entries: Vec<Value> = (1..=9).map(|id| entry(id, id, &Value::Null)).collect();
    let publish = |count: usize, tag: &str| {
        let file = lines(&entries[..count]);
        refreshed.files.publish(OFFLINE_DATABASE, file, Some(tag));
    };
    publish(9, "\"a\"");
    assert_no_failure(&refreshed.refresh_only(&[OfflineDatabase]).await);
    publish(4, "\"b\"");
    let report = refreshed.refresh_only(&[OfflineDatabase]).await;
    let reason = failure(&report, OfflineDatabase);
    assert_eq!(reason, "the file has only 4 of 9 entries");
    let state = refreshed.source_state(OfflineDatabase).await;
    assert!(state.file_version.unwrap().contains('a'));
    publish(5, "\"c\"");
    assert_no_failure(&refreshed.refresh_only(&[OfflineDatabase]).await);
    publish(1, "\"d\"");
    let all = refreshed.run(refreshed.only(&[OfflineDatabase]), RefreshScope::All);
    assert_no_failure(&all.await.unwrap());
    assert_eq!(refreshed.rows().await.len(), 9);
}

/// A server that always responds with 304 is noticed after a week.
#[tokio::test]
async fn endless_304_is_noticed() {
    let refreshed = with_all_sources().await;
    refreshed.refresh_only(&[OfflineDatabase]).await;
    let stale = START_S + 6 * 24 * 60 * 60;
    for day in 1..=8 {
        refreshed.service.clock.advance(Duration::from_hours(24));
        refreshed.files.fail(Fault::answer(304, ""));
        let report = refreshed.refresh_only(&[OfflineDatabase]).await;
        let source = &report.sources[&OfflineDatabase];
        assert_eq!(source.failure().is_some(), day >= 7, "day {day}: {source}");
        assert_eq!(source.current_at.min(stale), source.current_at);
    }
}

#[tokio::test]
async fn decompression_bomb_is_refused() {
    let refreshed = with_all_sources().await;
    let mut bomb = zstd::Encoder::new(Vec::new(), 3).unwrap();
    let piece = vec![b' '; 1024 * 1024];
    for _ in 0..257 {
        std::io::Write::write_all(&mut bomb, &piece).unwrap();
    }
    refreshed
        .files
        .publish(OFFLINE_DATABASE, bomb.finish().unwrap(), None);
    let report = refreshed.refresh_only(&[OfflineDatabase]).await;
    let expected = "the file cannot be used: it is longer than 256 MiB when decompressed";
    assert_eq!(failure(&report, OfflineDatabase), expected);
}

/// Each source in turn is out of order. All others are read.
#[tokio::test]
async fn failing_source_does_not_stop_the_others() {
    for broken in all_sources() {
        let refreshed = with_all_sources().await;
        let blocked = || (0..99).map(|_| Fault::answer(403, "{}"));
        match broken {
            Mapping => refreshed.files.fail_each_after(0, [Fault::answer(403, "")]),
            Seasons => refreshed.files.fail_each_after(1, [Fault::answer(403, "")]),
            OfflineDatabase => refreshed.files.fail_each_after(2, [Fault::answer(403, "")]),
            AnidbTitles => refreshed.files.fail_each_after(3, [Fault::answer(403, "")]),
            MyAnimeList => refreshed.tracker_b.fail_each_after(0, blocked()),
            AniList => refreshed.tracker.fail_each_after(0, blocked()),
            AnimeThemes => refreshed.themes.fail_each_after(0, blocked()),
        }
        let report = refreshed.refresh_only(&all_sources()).await;
        for (name, source) in &report.sources {
            let is_broken = *name == broken;
            assert_eq!(source.failure().is_some(), is_broken, "{name}: {source}");
            assert_eq!(source.current_at, START_S, "the first request");
        }
        // The source recovers.
        for fake in [
            &refreshed.files,
            &refreshed.tracker,
            &refreshed.tracker_b,
            &refreshed.themes,
        ] {
            fake.clear_faults();
        }
        refreshed.service.clock.advance(Duration::from_hours(25));
        let report = refreshed.refresh_only(&all_sources()).await;
        assert_no_failure(&report);
        let found = refreshed
            .service
            .get("/v1/anime?tracker_a_id=7")
            .await
            .data();
        assert_eq!(found[0]["titles"]["rj"], "Kumo A", "{broken}");
    }
}

#[tokio::test]
async fn metrics_name_the_age_of_each_source() {
    let refreshed = with_all_sources().await;
    let sources = [OfflineDatabase, AniList];
    refreshed.refresh_only(&sources).await;
    refreshed.service.clock.advance(Duration::from_hours(48));
    refreshed.tracker.fail(Fault::answer(403, "{}"));
    let report = refreshed.refresh_only(&sources).await;
    let now = refreshed.service.clock.now_ms();
    let [database, anilist, all] = &report.to_metrics("refresh-1", now)[..] else {
        panic!("expected three lines")
    };
    database.assert_fields(json!({"Source": "offline_database", "SourceAge": 0}));
    let age = json!(48 * 60 * 60);
    assert_eq!(
        (&anilist["Source"], &anilist["SourceAge"]),
        (&json!("anilist"), &age)
    );
    assert_eq!(all["OldestSourceAge"], age);
    assert_eq!(all["FunctionName"], "refresh-1");
    for line in [database, anilist, all] {
        let declared = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(declared["Namespace"], "Kiroku");
        let metric = &declared["Metrics"][0];
        assert_eq!(metric["Unit"], "Seconds");
        assert!(line[metric["Name"].as_str().unwrap()].is_u64());
    }
    let expected = "failed: later: tracker_a media: status 403; stale since 2023-11-14T22:13:20Z";
    assert_eq!(report.to_json()["anilist"]["outcome"], expected);
    assert_eq!(report.to_json()["offline_database"]["outcome"], "unchanged");
}

/// Returns the heading of a file of the anime-offline-database from this day, and one entry.
fn dated(day: &str, title: &str) -> String {
    let heading = json!({"license": {"name": "Made up"}, "lastUpdate": day});
    let entry = entry(7, 9, &json!({"title": title}));
    format!("{heading}\n{entry}\n")
}

/// The second address of a file can be an archive.
#[tokio::test]
async fn older_data_does_not_replace_newer() {
    let refreshed = Refreshed::empty().await;
    let publish = |day: &str, title: &str| {
        refreshed
            .files
            .publish(OFFLINE_DATABASE, dated(day, title), None);
    };
    publish("2023-11-10", "New");
    assert_no_failure(&refreshed.refresh_only(&[OfflineDatabase]).await);
    let stated = refreshed.source_state(OfflineDatabase).await.data_at;
    assert_eq!(stated, Some(1_699_574_400));
    publish("2023-11-03", "Old");
    let report = refreshed.refresh_only(&[OfflineDatabase]).await;
    assert_eq!(
        failure(&report, OfflineDatabase),
        "the file is from 2023-11-03, older than the catalogue's data from 2023-11-10"
    );
    assert_eq!(refreshed.row(14).await.titles["rj"], "New");
    let sources = refreshed.only(&[OfflineDatabase]);
    let report = refreshed.run(sources, RefreshScope::All).await.unwrap();
    assert_no_failure(&report);
    assert_eq!(refreshed.row(14).await.titles["rj"], "Old");
}

/// The clock is at 14 November 2023.
#[tokio::test]
async fn titles_are_as_old_as_they_state_unless_that_is_in_the_future() {
    for (created, expected) in [
        ("Sun Nov  5 03:00:02 2023", 1_699_142_400),
        ("Sun May  4 03:00:02 2031", START_S),
    ] {
        let refreshed = Refreshed::empty().await;
        let heading = format!("<!-- Created: {created} (3 anime, 5 titles) --><animetitles>");
        let dump = DUMP.replace("<animetitles>", &heading);
        refreshed.files.publish(MAPPING, mapping_file(), None);
        refreshed.files.publish(TITLES, dump, None);
        let report = refreshed.refresh_only(&[Mapping, AnidbTitles]).await;
        assert_no_failure(&report);
        let data_at = refreshed.source_state(AnidbTitles).await.data_at;
        assert_eq!(data_at, Some(expected), "{created}");
    }
}

/// A file that is downloaded again with the same content has not become newer.
#[tokio::test]
async fn age_of_a_file_counts_from_its_first_download() {
    let refreshed = Refreshed::empty().await;
    let clock = refreshed.service.clock.clone();
    refreshed.files.publish(MAPPING, mapping_file(), None);
    refreshed.refresh_only(&[Mapping]).await;
    clock.advance(Duration::from_hours(31 * 24));
    let report = refreshed.refresh_only(&[Mapping]).await;
    assert_no_failure(&report);
    assert_eq!(refreshed.source_state(Mapping).await.data_at, Some(START_S));
    let warnings = report.age_warnings(clock.now_s());
    assert_eq!(
        warnings,
        [
            "Mapping of identifiers: the data is from 2023-11-14, 31 days old; its source may have ended"
        ]
    );
    let changed = mapping_file().replace("502", "503");
    refreshed.files.publish(MAPPING, changed, None);
    let report = refreshed.refresh_only(&[Mapping]).await;
    assert_eq!(report.age_warnings(clock.now_s()), [""; 0]);
    let data_at = refreshed.source_state(Mapping).await.data_at;
    assert_eq!(data_at, Some(clock.now_s()));
    refreshed.service.assert_declared_attributes().await;
}
