//! Exports of watch histories as list files (docs/api.md, "Export").

use std::cell::Cell;
use std::io::Read;

use axum::http::Method;
use flate2::read::GzDecoder;
use futures_util::future::{Either, select};
use interchange::{ExportFormat, ListEntry, ListFile, ListFormat, ReadOptions};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use shared::models::{Anime, AnimeId, Role, WatchStatus};
use tests::assertions::AssertText;
use tests::crowd::{long_notes, numbered_stories};
use tests::event::{invoke, request};
use tests::made_up;
use tests::people::Person;
use tests::service::{Answer, Service};
use tokio::runtime::Builder;

const PATH: &str = "/v1/user_story/export";

async fn export(service: &Service, token: &str, query: &str, encoding: Option<&str>) -> Answer {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(encoding.map(|encoding| ("accept-encoding", encoding)));
    let mut answer = service.get_with(&format!("{PATH}{query}"), &headers).await;
    if answer.status != 200 && answer.header("content-encoding") == "gzip" {
        answer.body = unpacked(&answer.body).into();
    }
    answer
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}

fn read(answer: &Answer) -> ListFile {
    answer.assert_status(200);
    let file = interchange::read(&answer.body, &ReadOptions::default()).unwrap();
    assert_eq!(file.skipped, []);
    file
}

/// Returns a service with two anime, of which only the first has an identifier at tracker B, and a user with stories of
/// both.
async fn with_two_stories() -> (Service, [Anime; 2], Person) {
    let (service, [mut first, mut second]) = Service::with_two_anime().await;
    first.tracker_b_id = Some(1001);
    second.tracker_b_id = None;
    service.put(&[first.clone(), second.clone()]).await;
    service.publish().await;
    let person = service.person("taki").await;
    let details = json!({
        "score": 87.5, "started_on": "2016-08-26", "finished_on": "2016-09", "repeats": 2,
        "notes": "=A comet.\nTwice.", "private": false
    });
    let changes = vec![
        json!({"op": "put", "anime_id": first.id, "status": 5, "current_episode": 3,
            "current_episode_ticks": 754_000, "details": details}),
        json!({"op": "put", "anime_id": second.id, "status": 1}),
    ];
    service.change_stories(&person, &changes).await;
    (service, [first, second], person)
}

#[tokio::test]
async fn one_export_of_a_user_is_made_at_a_time() {
    let (service, _, person) = with_two_stories().await;
    let other = service.person("mitsuha").await;
    let running = service.environment.file_slots.acquire(person.id).await;
    let mut waiting = Box::pin(export(&service, &person.token, "", None));
    // The export of another user is made meanwhile.
    let others = Box::pin(export(&service, &other.token, "", None));
    let done = select(&mut waiting, others).await;
    let Either::Right((others, _)) = done else {
        panic!("the export did not wait");
    };
    assert_eq!(others.status, 200);
    drop(running);
    assert_eq!(read(&waiting.await).entries.len(), 2);
    // The slot is free again.
    let again = export(&service, &person.token, "", None).await;
    assert_eq!(read(&again).entries.len(), 2);
}

#[tokio::test]
async fn export_is_a_file_in_the_requested_format() {
    let (service, [first, _], person) = with_two_stories().await;
    let formats = [
        ("", ListFormat::KirokuJson, "json", "application/json", 2),
        (
            "?format=json",
            ListFormat::KirokuJson,
            "json",
            "application/json",
            2,
        ),
        (
            "?format=csv",
            ListFormat::Csv,
            "csv",
            "text/csv; charset=utf-8",
            2,
        ),
        (
            "?format=mal_xml",
            ListFormat::MalXml,
            "xml.gz",
            "application/gzip",
            1,
        ),
    ];
    for (query, format, extension, media_type, count) in formats {
        let answer = export(&service, &person.token, query, None).await;
        let file = read(&answer);
        assert_eq!((file.format, file.entries.len()), (format, count));
        assert_eq!(answer.header("content-type"), media_type);
        let name = format!("attachment; filename=\"kiroku-taki-2023-11-14.{extension}\"");
        assert_eq!(answer.header("content-disposition"), name);
        assert_eq!(answer.header("cache-control"), "private, no-store");
        assert_eq!(answer.header("content-encoding"), "");
        let left_out = if format == ListFormat::MalXml {
            "private=0, without_mal_id=1"
        } else {
            ""
        };
        assert_eq!(answer.header("x-left-out"), left_out);
        let entries = file.entries.iter();
        let mut entries = entries.filter(|entry| entry.trackers.b == first.tracker_b_id);
        let entry = entries.next().unwrap();
        assert_eq!(entry.title.as_ref(), first.titles.get("rj"));
        assert_eq!(entry.status, WatchStatus::Repeating);
    }
}

#[tokio::test]
async fn export_has_only_the_selected_status() {
    let (service, [_, second], person) = with_two_stories().await;
    let answer = export(&service, &person.token, "?status=1", None).await;
    let file = read(&answer);
    let ids: Vec<_> = file.entries.iter().map(|entry| entry.anime_id).collect();
    assert_eq!(ids, [Some(second.id)]);
    let none = export(&service, &person.token, "?status=3&format=csv", None).await;
    assert_eq!(read(&none).entries, []);
}

/// The newest story comes first, as in the list.
#[tokio::test]
async fn deleted_stories_are_not_exported() {
    let (service, [first, second], person) = with_two_stories().await;
    let answer = export(&service, &person.token, "", None).await;
    let entries = read(&answer).entries;
    let ids: Vec<_> = entries.iter().map(|entry| entry.anime_id).collect();
    assert_eq!(ids, [Some(second.id), Some(first.id)]);
    let delete = json!({"op": "delete", "anime_id": second.id});
    service.change_stories(&person, &[delete]).await;
    let answer = export(&service, &person.token, "", None).await;
    assert_eq!(read(&answer).entries.len(), 1);
}

/// The compression layer leaves files in gzip as they are.
#[tokio::test]
async fn files_are_compressed_once() {
    let (service, _, person) = with_two_stories().await;
    for query in ["", "?format=csv"] {
        let plain = export(&service, &person.token, query, None).await;
        for encoding in ["gzip", "br, gzip", "br;q=1, GZIP;q=0.5", "gzip;q=1.0"] {
            let answer = export(&service, &person.token, query, Some(encoding)).await;
            assert_eq!(answer.header("content-encoding"), "gzip", "{encoding}");
            assert_eq!(answer.header("vary"), "accept-encoding");
            assert_eq!(unpacked(&answer.body), plain.body, "{encoding}");
        }
        for encoding in ["identity", "gzip;q=0", "gzip;q=0.000", "deflate"] {
            let answer = export(&service, &person.token, query, Some(encoding)).await;
            assert_eq!(answer.header("content-encoding"), "", "{encoding}");
            assert_eq!(answer.body, plain.body, "{encoding}");
        }
        let answer = export(&service, &person.token, query, Some("br")).await;
        assert_eq!(answer.header("content-encoding"), "br");
    }
    let query = "?format=mal_xml";
    let file = export(&service, &person.token, query, None).await;
    assert!(unpacked(&file.body).starts_with(b"<?xml"));
    for encoding in ["gzip", "br"] {
        let answer = export(&service, &person.token, query, Some(encoding)).await;
        assert_eq!(answer.header("content-encoding"), "", "{encoding}");
        assert_eq!(answer.body, file.body, "{encoding}");
    }
}

#[tokio::test]
async fn later_line_of_a_note_is_no_formula_in_csv() {
    let (service, [first, _], person) = with_two_stories().await;
    let details = json!({"notes": "A comet.\n=1+1"});
    let change = json!({"op": "put", "anime_id": first.id, "status": 5, "details": details});
    service.change_stories(&person, &[change]).await;
    let answer = export(&service, &person.token, "?format=csv", None).await;
    answer.assert_status(200);
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("\n'=1+1"), "{text}");
}

#[tokio::test]
async fn files_survive_the_response_of_a_lambda_function() {
    let (service, _, person) = with_two_stories().await;
    let router = service.router_of("user_story");
    for query in ["format=json", "format=csv", "format=mal_xml"] {
        let expected = export(&service, &person.token, &format!("?{query}"), None).await;
        for encoding in ["identity", "gzip"] {
            let mut event = request("GET", PATH, query);
            event["headers"]["authorization"] = format!("Bearer {}", person.token).into();
            event["headers"]["accept-encoding"] = encoding.into();
            let answer = invoke(&router, &event).await;
            assert_eq!(answer.body, expected.body, "{query} {encoding}");
            for name in ["content-type", "content-disposition", "x-left-out"] {
                assert_eq!(answer.header(name), expected.header(name), "{query}");
            }
        }
    }
}

#[tokio::test]
async fn private_stories_are_only_missing_from_my_anime_list_xml() {
    let (service, [first, _], person) = with_two_stories().await;
    let private =
        json!({"op": "put", "anime_id": first.id, "status": 0, "details": {"private": true}});
    service.change_stories(&person, &[private]).await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let others = format!("?user_id={}", person.id.get());
    for (token, query) in [(&person.token, ""), (&moderator.token, &*others)] {
        let file = read(&export(&service, token, query, None).await);
        let private = |entry: &&ListEntry| entry.details.private == Some(true);
        assert_eq!(file.entries.iter().filter(private).count(), 1);
    }
    let answer = export(&service, &person.token, "?format=mal_xml", None).await;
    assert_eq!(read(&answer).entries, []);
    assert_eq!(answer.header("x-left-out"), "private=1, without_mal_id=1");
}

/// Titles come from the published index. Anime that it lacks, and those with a correction that it lacks, are read from
/// the table.
#[tokio::test]
async fn titles_are_those_of_the_catalogue() {
    let (service, [first, _], person) = with_two_stories().await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let exported = async |id: AnimeId| {
        let file = read(&export(&service, &person.token, "", None).await);
        let mut entries = file.entries.into_iter();
        let entry = entries.find(|entry| entry.anime_id == Some(id)).unwrap();
        (entry.title.unwrap_or_default(), entry.trackers.b)
    };
    let title = first.titles["rj"].clone();
    assert_eq!(exported(first.id).await, (title, Some(1001)));
    service
        .correct::<Anime>(&moderator, first.id.get(), "titles.rj", "Another")
        .await;
    service.let_index_age();
    assert_eq!(exported(first.id).await, ("Another".to_owned(), Some(1001)));
    let mut third = made_up::anime(3, 1).swap_remove(2);
    third.tracker_b_id = Some(1003);
    service.put(&[third.clone()]).await;
    assert_eq!(service.create_story(&person, &third, 0).await.status, 200);
    let expected = (third.titles["rj"].clone(), Some(1003));
    assert_eq!(exported(third.id).await, expected, "not published");
    service.publish().await;
    service.let_index_age();
    assert_eq!(exported(third.id).await, expected, "published");
    assert_eq!(exported(first.id).await, ("Another".to_owned(), Some(1001)));
}

#[tokio::test]
async fn stories_of_anime_that_left_the_catalogue_are_exported() {
    let (service, [first, second], person) = with_two_stories().await;
    service.delete_row("Anime", json!({"id": first.id})).await;
    service.publish().await;
    service.let_index_age();
    for query in ["", "?format=csv"] {
        let file = read(&export(&service, &person.token, query, None).await);
        let [kept, gone] = &file.entries[..] else {
            panic!("{file:?}")
        };
        assert_eq!(kept.title.as_ref(), second.titles.get("rj"));
        assert_eq!((gone.anime_id, &gone.title), (Some(first.id), &None));
        assert_eq!(gone.trackers, shared::models::TrackerIds::default());
        assert_eq!(gone.details.repeats, Some(2));
    }
    let answer = export(&service, &person.token, "?format=mal_xml", None).await;
    assert_eq!(answer.header("x-left-out"), "private=0, without_mal_id=2");
}

#[tokio::test]
async fn invalid_parameters_of_an_export_are_named() {
    let (service, _, person) = with_two_stories().await;
    for (query, name) in [
        ("?format=xml", "format"),
        ("?format=", "format"),
        ("?format=csv&format=json", "format"),
        ("?status=9", "status"),
        ("?user_id=0", "user_id"),
    ] {
        let answer = export(&service, &person.token, query, None).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.data()[name].is_string(), "{query}");
    }
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let answer = export(&service, &moderator.token, "?user_id=9999", None).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.envelope()["message"], "User not found");
}

/// `kiroku user export` writes the same file.
#[tokio::test]
async fn command_writes_the_file_of_the_api() {
    let (service, _, person) = with_two_stories().await;
    let folder = tempfile::tempdir().unwrap();
    for (name, format, parameter) in [
        ("list.json", ExportFormat::Json, "json"),
        ("list.json.gz", ExportFormat::Json, "json"),
        ("list.csv", ExportFormat::Csv, "csv"),
        ("list.xml", ExportFormat::MalXml, "mal_xml"),
    ] {
        let path = folder.path().join(name);
        let database = &service.database();
        let report = cli::user::export(database, "Taki", &path, format).await;
        let expected = match format {
            ExportFormat::MalXml => {
                "Stories exported: 1. Left out: 0 private, 1 of anime without an identifier at MyAnimeList."
            }
            _ => "Stories exported: 2.",
        };
        assert_eq!(report.unwrap(), expected);
        let query = format!("?format={parameter}");
        let file = read(&export(&service, &person.token, &query, None).await);
        let written = std::fs::read(&path).unwrap();
        assert_eq!(written.starts_with(&[0x1f, 0x8b]), name == "list.json.gz");
        assert_eq!(
            interchange::read(&written, &ReadOptions::default()).unwrap(),
            file
        );
    }
    let path = folder.path().join("none.json");
    let database = &service.database();
    let format = ExportFormat::Json;
    let unknown = cli::user::export(database, "mitsuha", &path, format).await;
    assert_eq!(unknown.unwrap_err().to_string(), "there is no user mitsuha");
    assert!(!path.exists());
}

#[tokio::test]
async fn file_above_3_mb_needs_gzip() {
    let service = Service::with_catalogue(&[], &[]).await;
    let person = service.person("taki").await;
    numbered_stories(&service, &person, 1..=600, 2, |anime| {
        Some(long_notes(anime))
    })
    .await;
    for query in ["?format=json", "?format=csv"] {
        for encoding in [None, Some("deflate")] {
            let refused = export(&service, &person.token, query, encoding).await;
            assert_eq!(refused.status, 400);
            let reason = json!({
                "Accept-Encoding": "must allow gzip, because the file has more than 3 MB"
            });
            assert_eq!(refused.data(), reason);
        }
        let answer = export(&service, &person.token, query, Some("gzip")).await;
        assert!(answer.body.len() < 4_500_000, "{}", answer.body.len());
        let entries = read(&answer).entries;
        assert_eq!(entries.len(), 600);
        let notes = entries.iter().map(|entry| entry.details.notes.as_ref());
        let notes: Vec<&str> = notes.map(|notes| notes.unwrap().as_str()).collect();
        let written: Vec<String> = (1..=600).rev().map(long_notes).collect();
        assert_eq!(notes, written);
    }
}

#[tokio::test]
async fn history_that_does_not_fit_is_exported_by_status() {
    let service = Service::with_catalogue(&[], &[]).await;
    let person = service.person("taki").await;
    numbered_stories(&service, &person, 1..=1400, 2, |anime| {
        Some(long_notes(anime))
    })
    .await;
    for query in ["?format=json", "?format=csv"] {
        let refused = export(&service, &person.token, query, Some("gzip")).await;
        assert_eq!(refused.status, 400);
        let data = refused.data();
        let reason = data["status"].as_str().unwrap();
        reason.assert_has("export each status by itself");
        for status in [0, 1] {
            let query = format!("{query}&status={status}");
            let answer = export(&service, &person.token, &query, Some("gzip")).await;
            assert_eq!(read(&answer).entries.len(), 700);
        }
    }
}

#[tokio::test]
async fn file_has_at_most_20000_stories() {
    let service = Service::with_catalogue(&[], &[]).await;
    let person = service.person("taki").await;
    numbered_stories(&service, &person, 1..=20_001, 5000, |_| None).await;
    let answer = export(&service, &person.token, "", Some("gzip")).await;
    assert_eq!(answer.status, 400);
    assert!(answer.data()["status"].is_string());
    let answer = export(&service, &person.token, "?status=1", Some("gzip")).await;
    assert_eq!(read(&answer).entries.len(), 4);
}

/// Generates stories as a request states them.
fn any_story() -> impl Strategy<Value = Value> {
    let date = prop_oneof![
        Just(Value::Null),
        (1900..2100_u16).prop_map(|year| json!(year.to_string())),
        (1900..2100_u16, 1..=12_u8).prop_map(|(year, month)| json!(format!("{year}-{month:02}"))),
        (1900..2100_u16, 1..=12_u8, 1..=28_u8)
            .prop_map(|(year, month, day)| json!(format!("{year}-{month:02}-{day:02}"))),
    ];
    let notes = prop_oneof![
        Just(String::new()),
        "[=+@'\"-]{0,2}[\\PC\n\t]{0,30}",
        "[\\]>&<,;\"' \n\t]{0,8}",
    ];
    let score = prop_oneof![
        Just(Value::Null),
        (1..=1000_u16).prop_map(|tenths| json!(f64::from(tenths) / 10.0))
    ];
    let state = (0..6_u8, 0..=12_u32, 0..1_u64 << 53);
    let details = (
        score,
        date.clone(),
        date,
        0..=9999_u16,
        notes,
        any::<bool>(),
    );
    (state, details).prop_map(|(state, details)| {
        let (status, episode, ticks) = state;
        let (score, started_on, finished_on, repeats, notes, private) = details;
        let details = json!({
            "score": score, "started_on": started_on, "finished_on": finished_on, "repeats": repeats,
            "notes": notes, "private": private
        });
        json!({
            "op": "put", "status": status, "current_episode": episode,
            "current_episode_ticks": ticks, "details": details
        })
    })
}

/// Returns a story of the API as an entry of a file in this format has it.
fn expected(story: &Value, format: ListFormat) -> Value {
    let details = &story["details"];
    let mut entry = json!({
        "mal_id": story["anime"]["tracker_b_id"], "status": story["status"],
        "current_episode": story["current_episode"]
    });
    for name in ["score", "started_on", "finished_on", "repeats", "notes"] {
        entry[name] = details[name].clone();
    }
    if format == ListFormat::MalXml {
        // MyAnimeList's scores have 10 steps.
        let steps = details["score"].as_f64();
        let steps = steps.map(|score| (score / 10.0).round().max(1.0) * 10.0);
        entry["score"] = json!(steps);
        return entry;
    }
    entry["anime_id"] = story["anime_id"].clone();
    entry["anilist_id"] = story["anime"]["tracker_a_id"].clone();
    for name in ["private", "created_at", "updated_at"] {
        entry[name] = details[name].clone();
    }
    if format == ListFormat::KirokuJson {
        entry["current_episode_ticks"] = story["current_episode_ticks"].clone();
    }
    entry
}

fn actual(entry: &ListEntry, format: ListFormat) -> Value {
    let details = &entry.details;
    let score = details.score.unwrap().map(f64::from);
    let time = |time: Option<u64>| {
        let seconds = i64::try_from(time.unwrap() / 1000).unwrap();
        let time = time::OffsetDateTime::from_unix_timestamp(seconds).unwrap();
        let format = &time::format_description::well_known::Rfc3339;
        json!(time.format(format).unwrap())
    };
    let mut found = json!({
        "mal_id": entry.trackers.b, "status": u8::from(entry.status),
        "current_episode": entry.current_episode, "score": score,
        "started_on": details.started_on.unwrap(), "finished_on": details.finished_on.unwrap(),
        "repeats": details.repeats, "notes": details.notes.as_ref().unwrap().as_str()
    });
    if format == ListFormat::MalXml {
        return found;
    }
    found["anime_id"] = json!(entry.anime_id);
    found["anilist_id"] = json!(entry.trackers.a);
    found["private"] = json!(details.private);
    found["created_at"] = time(entry.created_at_ms);
    found["updated_at"] = time(entry.changed_at_ms);
    if format == ListFormat::KirokuJson {
        found["current_episode_ticks"] = json!(entry.current_episode_ticks);
    }
    found
}

/// Returns a user's stories with details and anime.
async fn shown(service: &Service, person: &Person) -> Vec<Value> {
    let path = "/v1/user_story?include=details,anime";
    let shown = service.get_as(&person.token, path).await;
    let mut shown = shown.data().as_array().unwrap().clone();
    for story in &mut shown {
        // The API writes whole scores without a fraction.
        let score = story["details"]["score"].as_f64();
        story["details"]["score"] = json!(score);
    }
    shown
}

/// Imports a file, and returns the numbers of the report.
async fn import(service: &Service, person: &Person, file: &Answer) -> Value {
    let authorization = format!("Bearer {}", person.token);
    let headers = [("authorization", authorization.as_str())];
    let (path, body) = ("/v1/user_story/import", file.body.clone());
    let answer = service.send_body(Method::POST, path, &headers, body).await;
    answer.assert_status(200);
    answer.data()["counts"].clone()
}

/// Checks that each format has the values of the API, as far as the format can hold them, and that an import restores
/// them.
async fn check_formats(service: &Service, person: &Person) {
    let shown_before = shown(service, person).await;
    for (name, format) in [
        ("json", ListFormat::KirokuJson),
        ("csv", ListFormat::Csv),
        ("mal_xml", ListFormat::MalXml),
    ] {
        let query = format!("?format={name}");
        let answer = export(service, &person.token, &query, Some("gzip")).await;
        let file = read(&answer);
        assert_eq!(file.format, format);
        let is_in_xml = |story: &&Value| {
            story["details"]["private"] == false && story["anime"]["tracker_b_id"].is_u64()
        };
        let expected: Vec<Value> = shown_before
            .iter()
            .filter(|story| format != ListFormat::MalXml || is_in_xml(story))
            .map(|story| expected(story, format))
            .collect();
        let actual: Vec<Value> = file
            .entries
            .iter()
            .map(|entry| actual(entry, format))
            .collect();
        assert_eq!(actual, expected, "{name}");

        // The owner's stories stay as they are, and another user gets the same ones.
        let again = import(service, person, &answer).await;
        assert_eq!(again["unchanged"], again["entries"], "{name}: {again}");
        assert_eq!(shown(service, person).await, shown_before, "{name}");
        let other = service.person(&format!("{name}-{}", person.id.get())).await;
        import(service, &other, &answer).await;
        let restored = shown(service, &other).await;
        let by_anime = |stories: &mut Vec<Value>| {
            stories.sort_by_key(|story| story["mal_id"].as_u64().or(story["anime_id"].as_u64()));
        };
        let mut restored = restored
            .iter()
            .map(|story| self::expected(story, format))
            .collect();
        let mut expected = expected;
        by_anime(&mut restored);
        by_anime(&mut expected);
        assert_eq!(restored, expected, "{name}");
    }
}

#[test]
fn every_format_has_what_the_api_shows_and_restores_it() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut anime = made_up::anime(20, 7);
    for anime in &mut anime {
        anime.episodes_count = 12;
    }
    let service = runtime.block_on(Service::with_catalogue(&anime, &[]));
    let mut runner = TestRunner::new(Config::with_cases(40));
    let cases = Cell::new(0);
    let stories = proptest::collection::btree_map(0..20_usize, any_story(), 0..12);
    let result = runner.run(&stories, |stories| {
        cases.set(cases.get() + 1);
        let changes = stories.into_iter().map(|(index, mut story)| {
            story["anime_id"] = json!(anime[index].id);
            story
        });
        let changes: Vec<Value> = changes.collect();
        runtime.block_on(async {
            let person = service.person(&format!("taki{}", cases.get())).await;
            if !changes.is_empty() {
                service.change_stories(&person, &changes).await;
            }
            check_formats(&service, &person).await;
        });
        Ok(())
    });
    result.unwrap();
}
