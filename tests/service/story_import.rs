//! Imports of list files (docs/api.md, "Import"). The formats themselves are tested in `crates/interchange`.

use std::io::Write;
use std::time::Duration;

use axum::http::Method;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::{Either, join_all, select};
use futures_util::join;
use serde_json::{Value, json};
use shared::models::{Anime, Role};
use stories::list_files::{ImportMode, ReadOptions};
use tests::assertions::{AssertFields, AssertText};
use tests::crash;
use tests::people::{Person, story_body};
use tests::service::{Answer, Service};

const PATH: &str = "/v1/user_story/import";

/// Returns a service with anime of 12 episodes each, whose identifiers at AniList and MyAnimeList are 500 and 1000 more
/// than their own.
async fn with_anime(count: u32) -> (Service, Person, Vec<Anime>) {
    Service::with_made_up(count, |number, one| {
        one.episodes_count = 12;
        one.tracker_a_id = Some(500 + number);
        one.tracker_b_id = Some(1000 + number);
    })
    .await
}

async fn send(service: &Service, token: &str, query: &str, file: impl Into<Vec<u8>>) -> Answer {
    let file: Vec<u8> = file.into();
    service.import_list(token, query, file).await
}

async fn import(service: &Service, person: &Person, query: &str, file: &str) -> Value {
    let answer = send(service, &person.token, query, file).await;
    answer.assert_status(200);
    answer.data()
}

fn list(entries: &[String]) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><myanimelist>{}</myanimelist>",
        entries.concat()
    )
}

/// Returns an entry of MyAnimeList XML.
fn entry(mal_id: u32, status: &str, episode: u32, more: &str) -> String {
    format!(
        "<anime><series_animedb_id>{mal_id}</series_animedb_id><series_title>Title {mal_id}</series_title>\
         <my_watched_episodes>{episode}</my_watched_episodes><my_status>{status}</my_status>{more}</anime>"
    )
}

async fn stories(service: &Service, person: &Person) -> Vec<Value> {
    let path = "/v1/user_story?include=details&per_page=100";
    let mut found = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let page = service.get_as(&person.token, &path).await;
        next = page.next();
        found.extend(page.data().as_array().unwrap().clone());
    }
    found
}

async fn find(service: &Service, person: &Person, anime: &Anime) -> Value {
    let path = format!("/v1/user_story/{}?include=details", person.story(anime));
    let found = service.get_as(&person.token, &path).await;
    assert_eq!(found.status, 200);
    found.data()
}

/// Returns status, episode and score of a story.
fn brief(story: &Value) -> Value {
    json!([
        story["status"],
        story["current_episode"],
        story["details"]["score"]
    ])
}

/// Checks the status, the episode and the score of a story.
async fn assert_brief(service: &Service, person: &Person, anime: &Anime, expected: &Value) {
    assert_eq!(brief(&find(service, person, anime).await), *expected);
}

fn counts(numbers: [u64; 6]) -> Value {
    let [added, changed, unchanged, duplicates, skipped, waiting] = numbers;
    json!({
        "entries": numbers.iter().sum::<u64>(), "added": added, "changed": changed, "unchanged": unchanged,
        "duplicates": duplicates, "skipped": skipped, "waiting": waiting, "proposals": 0,
    })
}

#[tokio::test]
async fn report_lists_every_entry() {
    let (service, person, anime) = with_anime(4).await;
    service.create_story(&person, &anime[1], 5).await;
    service.create_story(&person, &anime[2], 5).await;
    let file = list(&[
        entry(1001, "Completed", 3, "<my_score>8</my_score>"),
        entry(
            1002,
            "Watching",
            7,
            "<my_times_watched>2</my_times_watched>",
        ),
        entry(1003, "Watching", 5, ""),
        entry(1001, "Dropped", 2, ""),
        entry(1004, "Watching", 20, ""),
        entry(9999, "Watching", 1, ""),
        entry(1003, "Sleeping", 1, ""),
    ]);
    let report = import(&service, &person, "", &file).await;
    assert_eq!(report["counts"], counts([2, 1, 1, 1, 1, 1]));
    assert_eq!(report["format"], "MyAnimeList XML");
    report.assert_fields(json!({"mode": "merge", "dry_run": false}));
    let story = |position: u32, anime: &Anime, title: u32, fields: Value, remark: Value| {
        json!({
            "position": position, "story_id": person.story(anime), "anime_id": anime.id,
            "title": format!("Title {title}"), "fields": fields, "remark": remark,
        })
    };
    let cut = json!("the file has episode 20, but the anime has 12 episodes");
    let added = json!([
        story(1, &anime[0], 1001, json!([]), Value::Null),
        story(5, &anime[3], 1004, json!([]), cut),
    ]);
    assert_eq!(report["added"], added);
    let fields = json!(["current_episode", "repeats"]);
    let changed = story(2, &anime[1], 1002, fields, Value::Null);
    assert_eq!(report["changed"], json!([changed]));
    let unchanged = story(3, &anime[2], 1003, json!([]), Value::Null);
    assert_eq!(report["unchanged"], json!([unchanged]));
    assert_eq!(report["skipped"][0]["position"], 7);
    assert_eq!(report["skipped"][0]["title"], "Title 1003");
    let reason = report["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("status"), "{reason}");
    let waiting = json!([{
        "position": 6, "title": "Title 9999", "anime_id": null, "anilist_id": null, "mal_id": 9999
    }]);
    assert_eq!(report["waiting"], waiting);

    let found = stories(&service, &person).await;
    assert_eq!(found.len(), 4);
    assert_brief(&service, &person, &anime[0], &json!([2, 12, 80.0])).await;
    let changed = find(&service, &person, &anime[1]).await;
    assert_eq!(brief(&changed), json!([0, 7, null]));
    assert_eq!(changed["details"]["repeats"], 2);
    assert_brief(&service, &person, &anime[3], &json!([0, 12, null])).await;

    let again = import(&service, &person, "", &file).await;
    assert_eq!(again["counts"], counts([0, 0, 4, 1, 1, 1]));
    assert_ne!(again["import_id"], report["import_id"]);
    assert_eq!(
        stories(&service, &person).await,
        found,
        "a repeated import writes nothing"
    );
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn dry_run_writes_nothing() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 5).await;
    let before = stories(&service, &person).await;
    let file = list(&[
        entry(1001, "Watching", 7, ""),
        entry(1002, "Completed", 0, ""),
    ]);
    let mut dry = import(&service, &person, "?dry_run=true", &file).await;
    dry.assert_fields(json!({"dry_run": true, "import_id": null}));
    assert_eq!(stories(&service, &person).await, before);
    let real = import(&service, &person, "?dry_run=false", &file).await;
    dry["dry_run"] = json!(false);
    dry["import_id"] = real["import_id"].clone();
    assert_eq!(dry, real);
    assert_eq!(stories(&service, &person).await.len(), 2);
}

#[tokio::test]
async fn mode_decides_about_existing_stories() {
    let (service, _, anime) = with_anime(2).await;
    let file = list(&[
        entry(
            1001,
            "Dropped",
            3,
            "<my_score>6</my_score><my_comments>theirs</my_comments>",
        ),
        entry(1002, "On-Hold", 4, ""),
    ]);
    let expected = [
        // If the file states no time, the status of the story wins.
        (ImportMode::Merge, json!([0, 8, 75.0]), "ours"),
        (ImportMode::Keep, json!([0, 8, 75.0]), "ours"),
        (ImportMode::Replace, json!([3, 3, 60.0]), "theirs"),
    ];
    for (mode, after, notes) in expected {
        let person = service.person(mode.name()).await;
        let body = json!({
            "user_id": person.id, "anime_id": anime[0].id, "status": 0, "current_episode": 8,
            "details": {"score": 75, "notes": "ours", "repeats": 1, "started_on": "2016-08"},
        });
        service.put_as(&person.token, "/v1/user_story", &body).await;
        import(&service, &person, &format!("?mode={}", mode.name()), &file).await;
        let story = find(&service, &person, &anime[0]).await;
        assert_eq!(brief(&story), after, "{mode:?}");
        let details = &story["details"];
        assert_eq!(details["notes"], notes, "{mode:?}");
        assert_eq!(details["repeats"], 1, "the file does not state it");
        assert_eq!(
            details["started_on"], "2016-08",
            "the file does not state it"
        );
        let added = find(&service, &person, &anime[1]).await;
        assert_eq!(brief(&added), json!([4, 4, null]), "{mode:?}");
        assert_eq!(
            added["details"]["started_on"],
            Value::Null,
            "no automatic date"
        );
    }
}

#[tokio::test]
async fn newer_status_of_the_file_wins() {
    let (service, person, anime) = with_anime(1).await;
    service.create_story(&person, &anime[0], 8).await;
    let file = |time: u64| {
        let anime_id = anime[0].id;
        json!({"format": "kiroku", "version": 1, "stories": [{
            "anime_id": anime_id, "status": "DROPPED", "current_episode": 3, "updated_at": time,
        }]})
        .to_string()
    };
    let now = service.clock.now_ms() / 1000;
    import(&service, &person, "", &file(now - 1)).await;
    assert_brief(&service, &person, &anime[0], &json!([0, 8, null])).await;
    import(&service, &person, "", &file(now + 1)).await;
    let found = find(&service, &person, &anime[0]).await;
    assert_eq!(brief(&found), json!([3, 8, null]), "progress is never lost");
    assert_eq!(
        found["details"]["updated_at"], "2023-11-14T22:13:20Z",
        "not in the future"
    );
}

#[tokio::test]
async fn times_of_the_file_are_kept() {
    let (service, person, anime) = with_anime(2).await;
    let file = json!({"format": "kiroku", "version": 1, "stories": [{
        "anime_id": anime[0].id, "status": "CURRENT", "current_episode": 3,
        "created_at": "2016-08-26T12:00:00Z", "updated_at": "2016-09-30T20:15:00Z",
    }]});
    service.create_story(&person, &anime[1], 1).await;
    import(&service, &person, "", &file.to_string()).await;
    let found = find(&service, &person, &anime[0]).await;
    assert_eq!(found["details"]["created_at"], "2016-08-26T12:00:00Z");
    assert_eq!(found["details"]["updated_at"], "2016-09-30T20:15:00Z");
    let listed = stories(&service, &person).await;
    assert_eq!(
        listed[1]["anime_id"],
        json!(anime[0].id),
        "the oldest story"
    );
}

#[tokio::test]
async fn anime_is_found_by_its_identifiers() {
    let (service, person, anime) = with_anime(4).await;
    let entry = |ids: Value| {
        let mut entry = json!({"status": "CURRENT", "current_episode": 1, "title": "Kumo"});
        entry
            .as_object_mut()
            .unwrap()
            .extend(ids.as_object().unwrap().clone());
        entry
    };
    let file = json!({"format": "kiroku", "version": 1, "stories": [
        entry(json!({"anime_id": anime[0].id})),
        entry(json!({"anilist_id": 502, "mal_id": 9999})),
        entry(json!({"anilist_id": 9999, "mal_id": 1003})),
        // The file has identifiers of another installation.
        entry(json!({"anime_id": anime[0].id, "anilist_id": 504})),
        entry(json!({"anime_id": 4000})),
        entry(json!({"title": "Only a title"})),
    ]});
    let report = import(&service, &person, "", &file.to_string()).await;
    let mut expected = counts([4, 0, 0, 0, 0, 0]);
    expected["entries"] = json!(6);
    expected["proposals"] = json!(2);
    assert_eq!(report["counts"], expected);
    let found: Vec<Value> = report["added"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["anime_id"].clone())
        .collect();
    let expected: Vec<Value> = anime.iter().map(|anime| json!(anime.id)).collect();
    assert_eq!(found, expected);
    assert_eq!(report["proposals"][0]["title"], "Kumo");
    assert_eq!(report["proposals"][1]["title"], "Only a title");
}

#[tokio::test]
async fn history_names_the_import() {
    let (service, person, anime) = with_anime(1).await;
    service.create_story(&person, &anime[0], 1).await;
    import(
        &service,
        &person,
        "",
        &list(&[entry(1001, "Watching", 7, "")]),
    )
    .await;
    let path = format!("/v1/user_story/{}/history", person.story(&anime[0]));
    let history = service.get_as(&person.token, &path).await.data();
    let change = json!({
        "changed_at": "2023-11-14T22:13:20Z", "by": "import", "created": false,
        "from": {"current_episode": 1}, "to": {"current_episode": 7},
    });
    assert_eq!(history[0], change);
    assert_eq!(history[1]["by"], "owner");
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn unreadable_file_is_a_400_with_the_reason() {
    let (service, person, _) = with_anime(1).await;
    let doctype = "<!DOCTYPE a [<!ENTITY b \"c\">]><myanimelist><anime>&b;</anime></myanimelist>";
    let manga = "<myanimelist><manga><manga_mangadb_id>1</manga_mangadb_id></manga></myanimelist>";
    let cases: [(Vec<u8>, &str); 9] = [
        (Vec::new(), "empty"),
        (doctype.into(), "DTD"),
        (manga.into(), "manga"),
        (b"<myanimelist>\xff\0\0</myanimelist>".into(), "NUL bytes"),
        ("<myanimelist><anime>".into(), "ends too early"),
        (br#"{"lists": 7}"#.into(), ""),
        (b"PK\x03\x04".into(), "archive is damaged"),
        (b"\x1f\x8bbroken".into(), "damaged"),
        (gzip(&vec![b'<'; 100_000_000]), "64 MB"),
    ];
    for (file, reason) in cases {
        let start = file[..file.len().min(20)].to_owned();
        let answer = send(&service, &person.token, "", file).await;
        assert_eq!(answer.status, 400, "{start:?} {}", answer.text());
        let data = answer.data();
        let found = data["file"].as_str().unwrap();
        assert!(found.contains(reason) && found.ends_with('.'), "{found}");
    }
    let too_large = send(&service, &person.token, "", vec![b' '; 5 * 1024 * 1024 + 1]).await;
    assert_eq!(too_large.status, 413);
    let reason = "List files are limited to 5 MB. Compress the file with gzip.";
    assert_eq!(too_large.data(), reason);
    let largest = send(&service, &person.token, "", vec![b' '; 5 * 1024 * 1024]).await;
    assert_eq!(largest.status, 400);
    for (query, name, reason) in [
        ("?mode=overwrite", "mode", "must be merge, keep or replace"),
        ("?dry_run=maybe", "dry_run", "must be true or false"),
        (
            "?user_id=0",
            "user_id",
            "must be a whole number from 1 to 268435455",
        ),
    ] {
        let answer = send(&service, &person.token, query, "").await;
        answer.assert_status(400);
        assert_eq!(answer.data()[name], reason);
    }
    assert!(stories(&service, &person).await.is_empty());
}

#[tokio::test]
async fn malformed_details_and_entries_are_left_out_alone() {
    let (service, person, anime) = with_anime(3).await;
    let file = list(&[
        entry(1001, "2", 0, "<my_start_date>2020-00-00</my_start_date>"),
        entry(1002, "Watching", 1, "<my_start_date>2020-13-45</my_start_date>"),
        "<anime><series_animedb_id>1002</series_animedb_id><my_watched_episodes>-1</my_watched_episodes>\
         <my_status>1</my_status></anime>".to_owned(),
        "<anime><series_animedb_id>1002</series_animedb_id>\
         <my_watched_episodes>99999999999999999999</my_watched_episodes><my_status>1</my_status></anime>".to_owned(),
        "<anime><series_animedb_id>1002</series_animedb_id></anime>".to_owned(),
        "<anime><my_status>1</my_status></anime>".to_owned(),
        entry(1003, "Watching", 4_000_000_000, ""),
    ]);
    let answer = send(&service, &person.token, "", gzip(file.as_bytes())).await;
    let report = answer.data();
    // If a detail cannot be read, only the detail is lost. Only an entry without a status or an identifier is skipped.
    assert_eq!(report["counts"], counts([3, 0, 0, 2, 2, 0]), "{report}");
    let remark = "Values that could not be read and were left out of their entries: current_episode \"-1\" (+1); \
        started_on \"2020-13-45\".";
    assert_eq!(report["remarks"], json!([remark]));
    for skipped in report["skipped"].as_array().unwrap() {
        assert!(!skipped["reason"].as_str().unwrap().is_empty());
    }
    let first = find(&service, &person, &anime[0]).await;
    assert_eq!(brief(&first), json!([2, 12, null]));
    assert_eq!(first["details"]["started_on"], "2020");
    assert_brief(&service, &person, &anime[2], &json!([0, 12, null])).await;
}

#[tokio::test]
async fn lists_of_the_report_are_limited() {
    let (service, person, _) = with_anime(1).await;
    let title = "\u{1f4fa}".repeat(400);
    let mut file = "title,status,notes\n".to_owned();
    for number in 0..600 {
        file.extend(["watching", "unknown"].map(|status| format!("{number} {title},{status},\n")));
    }
    let answer = send(&service, &person.token, "", file).await;
    let report = answer.data();
    let mut expected = counts([0, 0, 0, 0, 600, 0]);
    expected["entries"] = json!(1200);
    expected["proposals"] = json!(600);
    assert_eq!(report["counts"], expected);
    for name in ["skipped", "proposals"] {
        assert_eq!(
            report[name].as_array().unwrap().len(),
            stories::list_files::MAX_REPORTED
        );
    }
    assert!(answer.body.len() < 4_000_000);
}

/// Returns a file with an entry for each anime.
fn whole_list(anime: &[Anime], episode: u32) -> String {
    let entries = anime
        .iter()
        .map(|anime| entry(anime.tracker_b_id.unwrap(), "Watching", episode, ""));
    list(&entries.collect::<Vec<_>>())
}

#[tokio::test]
async fn repeated_import_completes_an_interrupted_one() {
    let (service, _, anime) = with_anime(120).await;
    let file = whole_list(&anime, 3);
    let mut partial = 0;
    for calls in 0.. {
        let person = service.person(&format!("user{calls}")).await;
        let mut environment = service.environment.clone();
        environment.database.client = crash::client_failing_after(calls);
        let crashing = service
            .another(service.clock.clone())
            .with_environment(environment);
        let answer = send(&crashing, &person.token, "", file.as_str()).await;
        let written = stories(&service, &person).await.len();
        assert!(
            [0, 50, 100, 120].contains(&written),
            "whole transactions: {written}"
        );
        partial += usize::from(written == 50 || written == 100);
        let again = import(&service, &person, "", &file).await;
        let (written, missing) = (written as u64, 120 - written as u64);
        assert_eq!(
            again["counts"],
            counts([missing, 0, written, 0, 0, 0]),
            "{calls}"
        );
        assert_eq!(stories(&service, &person).await.len(), 120);
        if answer.status == 200 {
            break;
        }
        assert!(answer.status.is_server_error());
    }
    assert_eq!(partial, 2);
}

#[tokio::test]
async fn import_reads_once_and_writes_fifty_at_a_time() {
    let (service, person, anime) = with_anime(120).await;
    let (service, meter) = service.metered();
    // The request loads the index.
    import(&service, &person, "?dry_run=true", &whole_list(&anime, 1)).await;
    for (episode, calls) in [(1, 3 + 3), (1, 3 + 1), (2, 3 + 3)] {
        // A change in the same millisecond as the one before would need a second transaction.
        service.clock.advance(Duration::from_millis(1));
        let _ = meter.take();
        import(&service, &person, "", &whole_list(&anime, episode)).await;
        assert_eq!(
            meter.take().calls,
            calls,
            "the access, the stories, the waiting entries, the transactions"
        );
    }
}

#[tokio::test]
async fn concurrent_imports_and_updates_lose_nothing() {
    let (service, person, anime) = with_anime(60).await;
    for one in &anime[..3] {
        service.create_story(&person, one, 1).await;
    }
    let files = [3, 9, 6].map(|episode| whole_list(&anime, episode));
    let imports = files
        .iter()
        .map(|file| send(&service, &person.token, "", file.as_str()));
    let notes = anime[..3].iter().map(|one| {
        let mut body = story_body(&person, one, 0, 1);
        body["details"] = json!({"notes": "kept"});
        let (service, token) = (&service, &person.token);
        async move { service.post_as(token, "/v1/user_story", &body).await }
    });
    let (imports, updates) = join!(join_all(imports), join_all(notes));
    for answer in imports.iter().chain(&updates) {
        answer.assert_status(200);
    }
    for (position, story) in stories(&service, &person).await.iter().enumerate() {
        let is_updated = story["details"]["notes"] == "kept";
        // An update sets the episode as its caller says, before or after the imports.
        let episode = story["current_episode"].as_u64().unwrap();
        assert!(episode == 9 || is_updated, "{position}: {story}");
    }
    let path = format!("/v1/user_story/{}/history", person.story(&anime[10]));
    let history = service.get_as(&person.token, &path).await.data();
    let from: Vec<&Value> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["by"])
        .collect();
    assert!(from.iter().all(|by| **by == "import"), "{history}");
    let report = import(&service, &person, "", &files[1]).await;
    assert_eq!(report["counts"]["added"], 0);
}

#[tokio::test]
async fn deletion_of_the_user_ends_an_import_or_an_undo() {
    let (service, _, anime) = with_anime(120).await;
    let file = whole_list(&anime, 3);
    for number in 0..8 {
        let person = service.person(&format!("user{number}")).await;
        let earlier = if number < 4 {
            Value::Null
        } else {
            import(&service, &person, "", &file).await
        };
        let path = format!("/v1/user/{}", person.id.get());
        let delete = service.delete_as(&person.token, &path);
        let import = async {
            if number < 4 {
                return send(&service, &person.token, "", file.as_str()).await;
            }
            let path = format!("{PATH}/{}/undo", earlier["import_id"].as_str().unwrap());
            service.with_token(Method::POST, &path, &person.token).await
        };
        let (changed, deleted) = join!(import, delete);
        assert_eq!(deleted.status, 200);
        let status = changed.status.as_u16();
        assert!([200, 401].contains(&status), "{status}");
        let again = send(&service, &person.token, "", file.as_str()).await;
        assert_eq!(again.status, 401);
        service.clock.advance(Duration::from_mins(2));
        service.sweep().await;
        let left = service.rows("UserStory").await;
        assert!(left.is_empty(), "stories of a deleted user");
    }
}

/// Returns the number of stories of all users.
async fn count_stories(service: &Service) -> usize {
    let rows = service.rows("UserStory").await.into_iter();
    rows.filter(|row| !row.contains_key("deleted_at")).count()
}

/// Deletes a user's account once a request of the user has made the number of all stories differ from `before`, and
/// returns the response to the request.
async fn delete_meanwhile(
    service: &Service,
    person: &Person,
    request: impl Future<Output = Answer>,
    before: usize,
) -> Answer {
    let mut request = Box::pin(request);
    while count_stories(service).await == before {
        let once = Box::pin(count_stories(service));
        if let Either::Left((answer, _)) = select(&mut request, once).await {
            panic!("the request was too fast: {answer:?}");
        }
    }
    // The request waits, because nothing polls it.
    let path = format!("/v1/user/{}", person.id.get());
    let deleted = service.delete_as(&person.token, &path);
    assert_eq!(deleted.await.status, 200);
    request.await
}

/// The account is deleted between two transactions of a request. The response does not blame the database.
#[tokio::test]
async fn deletion_of_the_user_after_the_first_changes_is_a_401() {
    let (service, person, anime) = with_anime(200).await;
    let file = whole_list(&anime, 3);
    let importing = send(&service, &person.token, "", file.as_str());
    let imported = delete_meanwhile(&service, &person, importing, 0).await;
    imported.assert_status(401);

    let person = service.person("mitsuha").await;
    let before = count_stories(&service).await;
    let report = import(&service, &person, "", &file).await;
    let path = format!("{PATH}/{}/undo", report["import_id"].as_str().unwrap());
    let undoing = service.with_token(Method::POST, &path, &person.token);
    let undone = delete_meanwhile(&service, &person, undoing, before + 200).await;
    undone.assert_status(401);
}

#[tokio::test]
async fn one_import_of_a_user_runs_at_a_time() {
    let (service, person, anime) = with_anime(3).await;
    let other = service.person("mitsuha").await;
    let file = whole_list(&anime, 3);
    let running = service.environment.file_slots.acquire(person.id).await;
    let mut waiting = Box::pin(send(&service, &person.token, "", file.as_str()));
    // The import of another user is made meanwhile.
    let done = select(&mut waiting, Box::pin(import(&service, &other, "", &file))).await;
    let Either::Right((report, _)) = done else {
        panic!("the import did not wait");
    };
    assert_eq!(report["counts"]["added"], 3);
    assert_eq!(stories(&service, &person).await, [] as [Value; 0]);
    drop(running);
    assert_eq!(waiting.await.data()["counts"]["added"], 3);
}

#[tokio::test]
async fn import_that_takes_too_long_says_so() {
    let (service, person, anime) = with_anime(1).await;
    let file = whole_list(&anime, 3);
    let running = service.environment.file_slots.acquire(person.id).await;
    let mut waiting = Box::pin(send(&service, &person.token, "", file.as_str()));
    // While the other import runs, this one begins to wait, so that only its time limit is left.
    let other = service.person("mitsuha").await;
    let done = select(&mut waiting, Box::pin(import(&service, &other, "", &file))).await;
    assert!(matches!(done, Either::Right(_)), "the import did not wait");
    tokio::time::pause();
    let late = waiting.await;
    assert_eq!(late.status, 503);
    assert_eq!(late.header("retry-after"), "1");
    assert_eq!(
        late.data(),
        "The request took too long and was stopped. Try again, or send less data at once."
    );
    drop(running);
}

#[tokio::test]
async fn report_has_titles_of_the_catalogue_for_entries_without_any() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[1], 5).await;
    let file = "mal_id,status,title\n1001,Completed,\n1002,Completed,Mine\n";
    let report = import(&service, &person, "", file).await;
    let title = &anime[0].titles["rj"];
    assert_eq!(report["added"][0]["title"], title.as_str());
    assert_eq!(report["changed"][0]["title"], "Mine");
    let repeated = import(&service, &person, "", file).await;
    assert_eq!(repeated["unchanged"][0]["title"], title.as_str());
}

#[tokio::test]
async fn undo_knows_what_was_watched_after_the_import() {
    let (service, person, anime) = with_anime(3).await;
    for one in &anime {
        service.create_story(&person, one, 5).await;
    }
    let entries = [1001, 1002, 1003].map(|id| entry(id, "Watching", 8, ""));
    let report = import(&service, &person, "", &list(&entries)).await;
    let update = async |anime: &Anime, ticks: u64, details: Value| {
        let mut body = story_body(&person, anime, 0, 8);
        body["current_episode_ticks"] = ticks.into();
        body["details"] = details;
        let updated = service.post_as(&person.token, "/v1/user_story", &body);
        assert_eq!(updated.await.status, 200);
    };
    // The clock does not move. The first update changes nothing. The second and the third change the watching time,
    // and another change follows the third.
    update(&anime[0], 0, json!({})).await;
    update(&anime[1], 7000, json!({})).await;
    update(&anime[2], 7000, json!({})).await;
    update(&anime[2], 7000, json!({"score": 90})).await;
    let path = format!("{PATH}/{}/undo", report["import_id"].as_str().unwrap());
    let undone = service.with_token(Method::POST, &path, &person.token).await;
    assert_eq!(undone.data()["restored"], 1);
    for (one, episode, ticks) in [(0, 5, 0), (1, 8, 7000), (2, 8, 7000)] {
        let story = find(&service, &person, &anime[one]).await;
        assert_eq!(story["current_episode"], episode, "{one}");
        assert_eq!(story["current_episode_ticks"], ticks, "{one}");
    }
}

#[tokio::test]
async fn moderators_import_for_basic_users() {
    let (service, person, anime) = with_anime(1).await;
    let moderator = service.person_with_role("okudera", Role::Moderator).await;
    let other = service.person("mitsuha").await;
    let file = list(&[entry(1001, "Watching", 3, "")]);
    let query = format!("?user_id={}", person.id.get());
    let dry_run = format!("{query}&dry_run=true");
    for query in [&query, &dry_run] {
        send(&service, &other.token, query, file.as_str())
            .await
            .assert_status(403);
        let unreadable = send(&service, &other.token, query, "").await;
        assert_eq!(unreadable.status, 403, "access is checked first");
    }
    send(&service, &moderator.token, &query, file.as_str())
        .await
        .assert_status(200);
    assert_brief(&service, &person, &anime[0], &json!([0, 3, null])).await;
    let unknown = send(&service, &moderator.token, "?user_id=4000", file.as_str()).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn command_imports_by_the_same_rules() {
    let (service, person, anime) = with_anime(2).await;
    service.create_story(&person, &anime[0], 5).await;
    let file = service.mail.path().join("list.xml");
    let entries = [
        entry(1001, "Watching", 7, ""),
        entry(1002, "Watching", 20, ""),
        entry(9999, "Dropped", 1, ""),
    ];
    std::fs::write(&file, list(&entries)).unwrap();
    let run = async |name: &str, mode, is_dry_run| {
        let database = &service.database();
        cli::user::import(
            database,
            name,
            &file,
            mode,
            ReadOptions::default(),
            is_dry_run,
        )
        .await
    };
    let dry = run("taki", ImportMode::Merge, true).await.unwrap();
    assert_eq!(stories(&service, &person).await.len(), 1);
    let report = run("Taki", ImportMode::Merge, false).await.unwrap();
    assert_eq!(report.counts, dry.counts);
    let text = report.to_string();
    for part in [
        "Imported 2 of 3 entries (MyAnimeList XML): 1 added, 1 changed, 0 unchanged",
        "Entry 2 (Title 1002): the file has episode 20, but the anime has 12 episodes",
        "Not in the catalogue: entry 3 (Title 9999), AniList -, MyAnimeList 9999",
    ] {
        text.assert_has(part);
    }
    assert_brief(&service, &person, &anime[0], &json!([0, 7, null])).await;
    let unknown = run("yotsuha", ImportMode::Merge, false).await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no user yotsuha");
    std::fs::write(&file, "").unwrap();
    let unreadable = run("taki", ImportMode::Merge, false).await.unwrap_err();
    assert!(format!("{unreadable:#}").ends_with("list.xml: The file is empty."));
}

#[tokio::test]
async fn import_is_undone_except_for_later_changes() {
    let (service, person, anime) = with_anime(6).await;
    for one in &anime[..3] {
        service.create_story(&person, one, 5).await;
    }
    let entries = [1001, 1002, 1003, 1004, 1005, 1006]
        .map(|id| entry(id, "Watching", 8, "<my_score>8</my_score>"));
    let report = import(&service, &person, "", &list(&entries)).await;
    service.clock.advance(Duration::from_secs(5));
    let update = async |anime: &Anime, changed: Value| {
        let mut body = story_body(&person, anime, 0, 8);
        body["current_episode_ticks"] = json!(0);
        for (field, value) in changed.as_object().unwrap() {
            body[field] = value.clone();
        }
        let updated = service.post_as(&person.token, "/v1/user_story", &body);
        assert_eq!(updated.await.status, 200);
    };
    let scored = |score: u8| json!({"details": {"score": score}});
    let watched = json!({"current_episode_ticks": 7000});
    update(&anime[1], scored(90)).await;
    update(&anime[2], watched.clone()).await;
    update(&anime[4], scored(70)).await;
    update(&anime[5], watched).await;

    let get = async |path: &str| service.get_as(&person.token, path).await;
    let id = report["import_id"].as_str().unwrap();
    let expected = json!([{
        "import_id": id, "imported_at": "2023-11-14T22:13:20Z", "added": 3, "changed": 3, "waiting": 0, "proposals": 0
    }]);
    assert_eq!(get(PATH).await.data(), expected);

    let path = format!("{PATH}/{id}/undo");
    let undo = async |path: &str, by: &Person| {
        let answer = service.with_token(Method::POST, path, &by.token);
        answer.await
    };
    let first = undo(&path, &person).await.data();
    let kept = json!([
        {"story_id": person.story(&anime[1]), "anime_id": anime[1].id, "fields": ["score"]},
        {"story_id": person.story(&anime[2]), "anime_id": anime[2].id, "fields": ["current_episode"]},
        {"story_id": person.story(&anime[4]), "anime_id": anime[4].id, "fields": []},
        {"story_id": person.story(&anime[5]), "anime_id": anime[5].id, "fields": []},
    ]);
    let expected = json!({
        "restored": 3, "deleted": 1, "unchanged": 0, "kept": 4, "forgotten": 0, "kept_stories": kept
    });
    assert_eq!(first, expected);
    let again = undo(&path, &person).await.data();
    let expected = json!({
        "restored": 0, "deleted": 0, "unchanged": 1, "kept": 4, "forgotten": 0, "kept_stories": kept
    });
    assert_eq!(again, expected);
    let states = [
        (0, json!([0, 5, null])),
        (1, json!([0, 5, 90.0])),
        (2, json!([0, 8, null])),
        (4, json!([0, 8, 70.0])),
        (5, json!([0, 8, 80.0])),
    ];
    for (position, expected) in states {
        let story = find(&service, &person, &anime[position]).await;
        assert_eq!(brief(&story), expected, "{position}");
    }
    assert_eq!(stories(&service, &person).await.len(), 5);

    let other = service.person("mitsuha").await;
    let of_person = format!("{path}?user_id={}", person.id.get());
    assert_eq!(undo(&of_person, &other).await.status, 403);
    assert_eq!(undo(&path, &other).await.status, 404);
    service.clock.advance(Duration::from_hours(7 * 24));
    assert_eq!(undo(&path, &person).await.status, 404);
    assert_eq!(get(PATH).await.data(), json!([]));
}

/// Stories of the API have their privacy in `details`.
#[tokio::test]
async fn details_of_an_api_story_are_imported() {
    let (service, person, anime) = with_anime(1).await;
    let file = json!({"format": "kiroku", "version": 1, "stories": [
        {"anime_id": anime[0].id, "status": 0, "current_episode": 3, "details": {"private": true, "score": 80}},
    ]});
    let report = import(&service, &person, "", &file.to_string()).await;
    assert_eq!(report["counts"]["added"], 1, "{report}");
    let story = find(&service, &person, &anime[0]).await;
    let details = &story["details"];
    details.assert_fields(json!({"private": true, "score": 80.0}));
}
