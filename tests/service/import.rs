//! Imports, from the file to the responses of the service.

use std::path::{Path, PathBuf};

use catalogue::import::{BROKEN, ENTRY_TOO_LONG, MergeReport};
use catalogue::refresh::SourceStore;
use cli::import::{self, Progress};
use serde_json::{Value, json};
use shared::models::{Anime, Role, Song, SongType};
use tempfile::TempDir;
use tests::assertions::AssertText;
use tests::engine;
use tests::proxy::{Mode, Proxy};
use tests::service::Service;

/// Returns a line in the format of the anime-offline-database.
fn anime_line(tracker_a: Option<u32>, tracker_b: Option<u32>, title: &str) -> Value {
    changed_line(tracker_a, tracker_b, title, &Value::Null)
}

/// Returns a line with these fields changed.
fn changed_line(
    tracker_a: Option<u32>,
    tracker_b: Option<u32>,
    title: &str,
    changes: &Value,
) -> Value {
    let mut sources = Vec::new();
    sources.extend(tracker_a.map(|id| format!("https://anilist.co/anime/{id}")));
    sources.extend(tracker_b.map(|id| format!("https://myanimelist.net/anime/{id}")));
    let mut line = json!({
        "sources": sources, "title": title, "type": "TV", "episodes": 12, "status": "FINISHED",
        "animeSeason": {"season": "SPRING", "year": 2001}, "picture": "https://example.com/1.png",
        "duration": {"value": 1440, "unit": "SECONDS"}, "score": {"arithmeticMean": 7.25},
        "synonyms": ["A Synonym", "かな"], "tags": ["comedy", "science fiction"],
        "studios": ["j.c.staff", "mappa"],
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        line[key] = value.clone();
    }
    line
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        let is_compressed = path.extension().is_some_and(|end| end == "zst");
        let bytes = if is_compressed {
            zstd::encode_all(text.as_bytes(), 3).unwrap()
        } else {
            text.as_bytes().to_vec()
        };
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn lines(&self, name: &str, lines: &[Value]) -> PathBuf {
        self.write(name, &joined(lines))
    }
}

fn joined(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n")
}

async fn import_anime(service: &Service, file: &Path) -> MergeReport {
    let (database, progress) = (service.database(), Progress::hidden());
    let report = import::import_anime(file, None, &database, &progress);
    report.await.unwrap()
}

async fn import_songs(service: &Service, file: &Path) -> MergeReport {
    let (database, progress) = (service.database(), Progress::hidden());
    let report = import::import_songs(file, &database, &progress);
    report.await.unwrap()
}

fn counts(report: &MergeReport) -> [u64; 4] {
    let skipped = report.skipped_count();
    let counts = [report.added, report.changed, report.unchanged, skipped];
    assert_eq!(report.read_count(), counts.iter().sum::<u64>());
    counts
}

async fn all_anime(service: &Service) -> Vec<Anime> {
    service.documents().await
}

async fn all_songs(service: &Service) -> Vec<Song> {
    service.documents().await
}

#[tokio::test]
async fn line_is_mapped_to_the_api() {
    let (service, files) = (Service::empty().await, Files::new());
    let file = files.lines("a.jsonl", &[anime_line(Some(7), Some(9), "Made Up")]);
    assert_eq!(counts(&import_anime(&service, &file).await), [1, 0, 0, 0]);
    service.publish().await;
    let expected = json!({
        "id": 14, "tracker_a_id": 7, "tracker_b_id": 9, "database_id": null,
        "format": 0, "status": 0, "titles": {"rj": "Made Up", "jp": "かな"}, "descriptions": {},
        "start_date": null, "end_date": null, "weekly_airing_day": null,
        "season_period": 1, "season_year": 2001, "episodes_count": 12, "episode_duration": 24,
        "trailer_url": null, "cover_image": "https://example.com/1.png", "has_cover_image": true,
        "cover_color": null, "banner_image": null, "genres": ["Comedy", "Sci-Fi"], "sagas": null,
        "sequel": null, "prequel": null, "score": 72.5, "nsfw": false, "recommendations": null,
        "studios": ["J.C.Staff", "MAPPA"], "tags": ["comedy", "science fiction"],
        "synonyms": ["A Synonym"],
    });
    let found = service.get("/v1/anime?tracker_b_id=9").await;
    assert_eq!(found.data(), json!([expected]));
}

#[tokio::test]
async fn all_file_formats_give_the_same_rows_and_repeat_imports_change_nothing() {
    let files = Files::new();
    let lines: Vec<Value> = (1..=60)
        .map(|id| {
            anime_line(
                Some(id),
                (id % 3 == 0).then_some(id),
                &format!("Anime {id}"),
            )
        })
        .collect();
    let metadata = json!({"license": {"name": "made up"}});
    let with_metadata: Vec<Value> = [metadata].into_iter().chain(lines.clone()).collect();
    let text = joined(&with_metadata);
    let single_document =
        json!({"license": {"name": "made up"}, "data": lines, "repository": "x"}).to_string();
    let mut rows = Vec::new();
    for (name, text) in [
        ("a.jsonl", &text),
        ("a.jsonl.zst", &text),
        ("a.json", &single_document),
        ("a.json.zst", &single_document),
    ] {
        let service = Service::empty().await;
        let file = files.write(name, text);
        for expected in [[60, 0, 0, 0], [0, 0, 60, 0]] {
            let report = import_anime(&service, &file).await;
            assert_eq!(counts(&report), expected, "{name}");
        }
        rows.push(all_anime(&service).await);
    }
    assert!(rows.iter().all(|other| *other == rows[0]));
}

#[tokio::test]
async fn import_keeps_ids_and_fields_missing_from_the_file() {
    let (service, files) = (Service::with_sample().await, Files::new());
    let before = service.get("/v1/anime/2").await.data();
    let changes = json!({"score": {"arithmeticMean": 1.0}, "synonyms": []});
    let file = files.lines(
        "a.jsonl",
        &[changed_line(Some(1), Some(1), "Other Title", &changes)],
    );
    assert_eq!(counts(&import_anime(&service, &file).await), [0, 1, 0, 0]);
    service.let_index_age();
    let after = service.get("/v1/anime/2").await.data();
    assert_eq!(after["score"], 10.0);
    assert_eq!(after["titles"]["rj"], "Other Title");
    for kept in "descriptions start_date recommendations sagas database_id".split(' ') {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(after["titles"]["en"], before["titles"]["en"]);
    assert_eq!(after["titles"]["jp"], before["titles"]["jp"]);
    let sample = cli::import::sample::anime().unwrap();
    assert_eq!(all_anime(&service).await.len(), sample.len());
}

#[tokio::test]
async fn anime_keeps_its_id_when_it_gains_a_tracker() {
    let (service, files) = (Service::empty().await, Files::new());
    let file = files.lines("a.jsonl", &[anime_line(None, Some(30), "One")]);
    import_anime(&service, &file).await;
    let file = files.lines("a.jsonl", &[anime_line(Some(40), Some(30), "One")]);
    assert_eq!(counts(&import_anime(&service, &file).await), [0, 1, 0, 0]);
    service.publish().await;
    for filter in ["tracker_a_id=40", "tracker_b_id=30"] {
        let found = service.get(&format!("/v1/anime?{filter}")).await;
        assert_eq!(found.ids(), [61], "{filter}");
    }
    let file = files.lines("a.jsonl", &[anime_line(Some(41), None, "Two")]);
    import_anime(&service, &file).await;
    let between = anime_line(Some(41), Some(30), "Which?");
    let file = files.lines("a.jsonl", &[between]);
    let report = import_anime(&service, &file).await;
    assert_eq!(counts(&report), [0, 0, 0, 1]);
    assert_eq!(report.skipped_for("its tracker ids belong to two anime"), 1);
}

#[tokio::test]
async fn database_ids_can_be_imported_later() {
    let (service, files) = (Service::empty().await, Files::new());
    let file = files.lines(
        "a.jsonl",
        &[
            anime_line(Some(1), Some(1), "One"),
            changed_line(Some(5), None, "Two", &json!({"type": "MOVIE"})),
        ],
    );
    import_anime(&service, &file).await;
    let ids = json!([
        {"mal_id": 1, "themoviedb_id": {"tv": 30991}},
        {"anilist_id": 5, "themoviedb_id": {"movie": [11299, 1]}},
    ]);
    let ids = files.write("ids.json.zst", &ids.to_string());
    let progress = Progress::hidden();
    for expected in [[0, 2, 0, 0], [0, 0, 2, 0]] {
        let database = &service.database();
        let report = import::import_anime(&file, Some(&ids), database, &progress).await;
        assert_eq!(counts(&report.unwrap()), expected);
    }
    assert_eq!(counts(&import_anime(&service, &file).await), [0, 0, 2, 0]);
    let all = all_anime(&service).await;
    let at_database = all.iter().map(|anime| anime.database_id);
    assert!(at_database.eq([Some(30991), Some(11299)]), "{all:?}");
}

#[tokio::test]
async fn unusable_mapping_file_is_an_error_with_the_file_name() {
    let (service, files) = (Service::empty().await, Files::new());
    let file = files.lines("a.jsonl", &[anime_line(Some(1), None, "One")]);
    for (ids, expected) in [
        (Path::new("no/such.json"), "cannot read no/such.json: "),
        (
            &files.write("ids.json", "{}"),
            "ids.json: it is not a mapping in the anime-lists format",
        ),
    ] {
        let (database, progress) = (&service.database(), Progress::hidden());
        let result = import::import_anime(&file, Some(ids), database, &progress).await;
        let message = format!("{:#}", result.unwrap_err());
        message.assert_has(expected);
    }
    assert!(all_anime(&service).await.is_empty());
}

#[tokio::test]
async fn unrepresentable_lines_are_skipped_and_counted() {
    let (service, files) = (Service::empty().await, Files::new());
    let good = |id| anime_line(Some(id), None, "Good").to_string();
    let lines = [
        good(1),
        "{\"title\": ".to_owned(),
        "[]".to_owned(),
        changed_line(Some(2), None, "Unknown", &json!({"type": "UNKNOWN"})).to_string(),
        changed_line(Some(3), None, "Other", &json!({"type": "HOLOGRAM"})).to_string(),
        anime_line(None, None, "Nobody's").to_string(),
        anime_line(Some(4), None, "").to_string(),
        anime_line(Some(99_999_999), None, "Too large").to_string(),
        changed_line(Some(6), None, "Types", &json!({"episodes": "many"})).to_string(),
        good(1),
        "x".repeat(2_000_000),
        good(7),
    ];
    let report = import_anime(&service, &files.write("a.jsonl", &lines.join("\n"))).await;
    assert_eq!(counts(&report), [2, 0, 0, 10]);
    assert_eq!(report.skipped_for(BROKEN), 3);
    assert_eq!(report.skipped_for(ENTRY_TOO_LONG), 1);
    let text = report.to_string();
    text.assert_has("type UNKNOWN has no counterpart in the API");
    text.assert_has("line 4: Unknown");
}

#[tokio::test]
async fn songs_are_matched_with_anime_and_keep_their_ids() {
    let (service, files) = (Service::empty().await, Files::new());
    let song = |id: u32, title: &str, kind: &str| {
        json!({"tracker_b_id": id, "title": title, "artist": "",
        "type": kind, "slug": "OP1"})
    };
    let mut lines = vec![
        song(9, "First", "OPENING"),
        song(9, "First", "ENDING"),
        song(9, "Insert", "NONE"),
        json!({"tracker_a_id": 7, "title": "Own Year", "artist": "Somebody", "type": 0, "year": 1999}),
        song(1234, "Nobody's", "OPENING"),
        song(9, "Bad", "JINGLE"),
    ];
    let file = files.lines("s.jsonl", &lines);
    // No anime has been imported yet.
    assert_eq!(counts(&import_songs(&service, &file).await), [0, 0, 0, 6]);

    let one = files.lines("a.jsonl", &[anime_line(Some(7), Some(9), "One")]);
    import_anime(&service, &one).await;
    let report = import_songs(&service, &file).await;
    assert_eq!(counts(&report), [4, 0, 0, 2]);
    let before = all_songs(&service).await;
    let years: Vec<u16> = before.iter().map(|song| song.year).collect();
    assert_eq!(years, [2001, 2001, 2001, 1999]);

    lines.reverse();
    let file = files.lines("s.jsonl", &lines);
    assert_eq!(counts(&import_songs(&service, &file).await), [0, 0, 4, 2]);
    assert_eq!(all_songs(&service).await, before);
    lines
        .push(json!({"tracker_b_id": 9, "title": "Insert", "artist": "Known Now", "type": "NONE"}));
    lines.remove(3);
    let file = files.lines("s.jsonl", &lines);
    assert_eq!(counts(&import_songs(&service, &file).await)[1], 1);
    let after = all_songs(&service).await;
    let ids = |songs: &[Song]| songs.iter().map(|song| song.id).collect::<Vec<_>>();
    assert_eq!(ids(&after), ids(&before));
    assert_eq!(after[2].artist, "Known Now");
}

/// DynamoDB fails after each number of calls. The import returns an error, and another import completes
/// it.
#[tokio::test]
async fn interrupted_import_is_completed_by_another() {
    let files = Files::new();
    let lines: Vec<Value> = (1..=120)
        .map(|id| anime_line(Some(id), None, &format!("Anime {id}")))
        .collect();
    let file = files.lines("a.jsonl", &lines);
    let complete = Service::empty().await;
    import_anime(&complete, &file).await;
    let expected = all_anime(&complete).await;
    for calls in [0, 1, 2, 4] {
        let service = Service::empty().await;
        let proxy = Proxy::start(engine::endpoint()).await;
        proxy.set_after(calls, Mode::Closed);
        let database = service.database_with(engine::short_timeout_client(&proxy.endpoint));
        let stopped = import::import_anime(&file, None, &database, &Progress::hidden()).await;
        assert!(stopped.is_err());
        // Writes that were in flight during the outage may still arrive.
        let [added, changed, unchanged, skipped] = counts(&import_anime(&service, &file).await);
        assert_eq!((added + unchanged, changed, skipped), (120, 0, 0));
        assert_eq!(all_anime(&service).await, expected);
    }
}

/// Returns a title dump with one anime for each of these lists of titles: kind, language, text. Identifiers count from
/// 500.
fn title_dump(anime: &[&[(&str, &str, &str)]]) -> String {
    let title = |(kind, language, text): &(&str, &str, &str)| {
        format!("<title xml:lang=\"{language}\" type=\"{kind}\">{text}</title>")
    };
    let element = |(aid, titles): (u32, &&[(&str, &str, &str)])| {
        let titles: String = titles.iter().map(title).collect();
        format!("<anime aid=\"{aid}\">{titles}</anime>")
    };
    let anime: String = (500..).zip(anime).map(element).collect();
    format!("<animetitles>{anime}</animetitles>")
}

async fn import_titles(service: &Service, file: &Path, ids: &Path) -> anyhow::Result<MergeReport> {
    let progress = Progress::hidden();
    import::import_titles(file, ids, &service.database(), &progress).await
}

const STAR_TOWN: &[(&str, &str, &str)] = &[
    ("main", "x-jat", "Hoshi no Machi"),
    ("official", "ja", "星の街"),
    ("official", "fr", "L`étoile"),
    ("syn", "de", "Sternenstadt"),
    ("short", "en", "HnM"),
];

#[tokio::test]
async fn titles_are_joined_by_the_mapping_and_rank_above_the_database() {
    let (service, files) = (Service::empty().await, Files::new());
    let anime = [
        anime_line(Some(7), Some(9), "Hoshi no Mati"),
        anime_line(Some(8), None, "Other"),
    ];
    import_anime(&service, &files.lines("a.jsonl", &anime)).await;
    let titles = title_dump(&[STAR_TOWN, STAR_TOWN]);
    let titles = format!("<!-- Created: Sun Nov  5 03:00:02 2023 -->{titles}");
    let dump = files.write("titles.xml.zst", &titles);
    let ids = files.write("ids.json", r#"[{"anidb_id": 500, "mal_id": 9}]"#);
    let report = import_titles(&service, &dump, &ids).await.unwrap();
    assert_eq!(counts(&report), [0, 1, 0, 1]);
    let ages = SourceStore::data_times(&service.database()).await.unwrap();
    assert_eq!(ages, [("anidb_titles", 1_699_142_400)]);
    let titles = |anime: &Anime| anime.titles.clone();
    let expected = json!({
        "rj": "Hoshi no Machi", "jp": "星の街", "fr": "L'étoile", "de": "Sternenstadt",
    });
    assert_eq!(json!(titles(&all_anime(&service).await[0])), expected);
    let again = import_titles(&service, &dump, &ids).await.unwrap();
    assert_eq!(counts(&again), [0, 0, 1, 1]);

    // A weaker source changes nothing.
    let weaker = import_anime(&service, &files.lines("a.jsonl", &anime)).await;
    assert_eq!(counts(&weaker), [0, 0, 2, 0]);
    assert_eq!(json!(titles(&all_anime(&service).await[0])), expected);
}

#[tokio::test]
async fn invalid_files_of_titles_change_nothing_and_are_named() {
    let (service, files) = (Service::empty().await, Files::new());
    let anime = [anime_line(Some(7), Some(9), "Hoshi no Mati")];
    import_anime(&service, &files.lines("a.jsonl", &anime)).await;
    let before = all_anime(&service).await;
    let good = title_dump(&[STAR_TOWN]);
    let dump = files.write("titles.xml", &good);
    let ids = files.write("ids.json", r#"[{"anidb_id": 500, "mal_id": 9}]"#);
    let entities = format!("<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]>{good}");
    let broken = [
        ("truncated.xml", &good[..good.len() - 20]),
        ("entities.xml", &entities),
        ("root.xml", "<anime></anime>"),
        (
            "page.xml",
            "<!DOCTYPE html><html><body>Not here</body></html>",
        ),
        ("empty.xml", ""),
    ];
    for (name, text) in broken {
        let error = import_titles(&service, &files.write(name, text), &ids).await;
        let error = format!("{:#}", error.unwrap_err());
        error.assert_has(name);
    }
    let object = files.write("object.json", "{}");
    let error = import_titles(&service, &dump, &object).await.unwrap_err();
    format!("{error:#}").assert_has("object.json");
    let without = files.write("without.json", r#"[{"anilist_id": 7, "mal_id": 9}]"#);
    let error = import_titles(&service, &dump, &without).await.unwrap_err();
    format!("{error:#}").assert_has("has no ids at AniDB");
    assert_eq!(all_anime(&service).await, before);
}

#[tokio::test]
async fn corrections_survive_an_import_of_anime() {
    let (service, files) = (Service::empty().await, Files::new());
    let line = |title: &str, episodes: u32| {
        let changes = json!({"episodes": episodes, "synonyms": []});
        changed_line(Some(7), None, title, &changes)
    };
    let file = files.lines("a.jsonl", &[line("Made Up", 12)]);
    import_anime(&service, &file).await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let corrections = [
        ("titles.rj", "Corrected"),
        ("genres", "Drama"),
        ("cover_image", ""),
    ];
    for (field, text) in corrections {
        service.correct::<Anime>(&moderator, 14, field, text).await;
    }
    assert_eq!(counts(&import_anime(&service, &file).await), [0, 0, 1, 0]);
    let file = files.lines("b.jsonl", &[line("Made Up Again", 13)]);
    assert_eq!(counts(&import_anime(&service, &file).await), [0, 1, 0, 0]);
    let [anime] = &all_anime(&service).await[..] else {
        panic!("one anime");
    };
    assert_eq!(anime.titles["rj"], "Corrected");
    assert_eq!(anime.genres, ["Drama"]);
    assert_eq!((&*anime.cover_image, anime.has_cover_image), ("", false));
    assert_eq!(anime.episodes_count, 13);
    service.publish().await;
    let path = "/v1/anime?genres=Drama&title=corrected";
    assert_eq!(service.get(path).await.ids(), [14]);
    for (field, _) in corrections {
        service.take_back::<Anime>(&moderator, 14, field).await;
    }
    let [anime] = &all_anime(&service).await[..] else {
        panic!("one anime");
    };
    assert_eq!(anime.titles["rj"], "Made Up Again");
    assert_eq!(anime.genres, ["Comedy", "Sci-Fi"]);
    assert!(anime.has_cover_image);
}

/// A song is known by its type and its title. A file may have the corrected title or the one before the correction.
#[tokio::test]
async fn corrected_song_is_found_under_both_titles() {
    let (service, files) = (Service::empty().await, Files::new());
    let anime = files.lines("a.jsonl", &[anime_line(Some(7), None, "Made Up")]);
    import_anime(&service, &anime).await;
    let line = |title: &str, artist: &str| {
        json!({"tracker_a_id": 7, "title": title, "type": "OPENING",
        "artist": artist, "year": 2001})
    };
    let file = files.lines("s.jsonl", &[line("Utta", "Kashu")]);
    import_songs(&service, &file).await;
    let id = all_songs(&service).await[0].id.get();
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    for (field, text) in [("title", "Uta"), ("type", "ENDING"), ("year", "2002")] {
        service.correct::<Song>(&moderator, id, field, text).await;
    }
    assert_eq!(counts(&import_songs(&service, &file).await), [0, 0, 1, 0]);
    let file = files.lines("t.jsonl", &[line("Utta", "Betsu")]);
    assert_eq!(counts(&import_songs(&service, &file).await), [0, 1, 0, 0]);
    let mut corrected = line("Uta", "Another");
    corrected["type"] = json!("ENDING");
    let file = files.lines("u.jsonl", &[corrected, line("Utta", "Third")]);
    // The second line is for the same song.
    assert_eq!(counts(&import_songs(&service, &file).await), [0, 1, 0, 1]);
    let [song] = &all_songs(&service).await[..] else {
        panic!("one song");
    };
    let found = (&*song.title, song.song_type, song.year);
    assert_eq!(found, ("Uta", SongType::Ending, 2002));
    assert_eq!(song.artist, "Another");
    service.publish().await;
    let path = "/v1/song?title=uta&year=2002";
    assert_eq!(service.get(path).await.ids(), [id]);
    service.take_back::<Song>(&moderator, id, "title").await;
    assert_eq!(all_songs(&service).await[0].title, "Utta");
    service.assert_declared_attributes().await;
}
