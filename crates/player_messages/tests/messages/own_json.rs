//! This service's own JSON.

use player_messages::{Event, Sender, Video, read};
use serde_json::json;
use shared::models::AnimeId;
use shared::models::IdSource::{Database, Imdb, Tvdb};

use super::{item, one, video};

/// Returns the message for a request that must be invalid.
fn error(body: &str) -> String {
    read(None, body.as_bytes()).unwrap_err().to_string()
}

#[test]
fn episode_is_named_in_four_ways() {
    let message = one(
        r#"{"anime_id": 2, "episode": 5, "position_ms": 60000, "duration_ms": 1440000,
        "at": "2023-11-14T23:13:20+01:00"}"#,
    );
    assert_eq!(message.sender, Sender::Kiroku);
    assert_eq!(message.event, Event::Playing);
    assert_eq!(message.at_ms, Some(1_700_000_000_000));
    assert_eq!(message.position_ms, Some(60_000));
    assert_eq!(message.duration_ms, Some(1_440_000));
    let expected = Video {
        anime_id: AnimeId::new(2),
        episode: Some(5),
        ..Video::default()
    };
    assert_eq!(*video(&message), expected);

    let message = one(
        r#"{"ids": {"tvdb": 275672, "imdb": "tt0213338"}, "season": 1, "episode": 5,
        "finished": true, "position_ms": 0, "at": 1700000000}"#,
    );
    assert_eq!(message.event, Event::Finished);
    assert_eq!(message.at_ms, Some(1_700_000_000_000));
    let expected = [item(Imdb, 213_338), item(Tvdb, 275_672)];
    assert_eq!(video(&message).series_ids, expected);
    let movie = one(r#"{"ids": {"database": 603}, "finished": false}"#);
    assert_eq!(movie.event, Event::Playing);
    assert!(video(&movie).is_movie);
    assert_eq!(video(&movie).ids, [item(Database, 603)]);

    let message = one(r#"{"title": " Slayers ", "season": 4, "episode": 13, "year": 1995}"#);
    let expected = Video {
        title: Some("Slayers".to_owned()),
        year: Some(1995),
        season: Some(4),
        episode: Some(13),
        ..Video::default()
    };
    assert_eq!(message.event, Event::Finished);
    assert_eq!(video(&message), &expected);

    for (folder, kept) in [
        ("", ""),
        ("/mnt/tv/Anime/", "tv/Anime/"),
        ("D:\\Anime\\", "D:\\Anime\\"),
        ("https://user:password@nas.example/", ""),
    ] {
        let query = if folder.contains("://") {
            "?token=a/b"
        } else {
            ""
        };
        let file = format!("{folder}[G] Steins;Gate - 05.mkv{query}");
        let message = one(&json!({"file": file}).to_string());
        let expected = Video {
            file: Some(format!("{kept}[G] Steins;Gate - 05.mkv")),
            ..Video::default()
        };
        assert_eq!(*video(&message), expected);
    }
}

#[test]
fn wrong_fields_are_all_named_without_their_values() {
    // Each body with its error below it.
    let cases = r#"
{"anime_id": 2, "episode": 99999}
episode must be a whole number from 0 to 20000.
{"title": "x", "season": -1, "episode": "2026-11-01/2026-11-23"}
episode must be a whole number from 0 to 20000; season must be a whole number from 0 to 9999.
{"title": "a\u0000b"}
title must have 1 to 1,000 characters, and no NUL.
{"file": "/mnt/"}
file must have a name of 1 to 1,000 characters, and no NUL.
{"episode": 5}
anime_id is required, unless ids, title or file is given.
{"anime_id": 2, "episode": 5, "title": "x"}
title must be the only one of anime_id, ids, title and file.
{"title": "x", "file": "y"}
file must be the only one of anime_id, ids, title and file.
{"anime_id": 2}
episode is required with anime_id.
{"title": "x", "season": 1}
episode is required with season.
{"file": "x", "episode": 1, "season": 1, "year": 2000}
episode is not allowed with file; season is allowed only with ids or title; year is allowed only with title.
{"title": "x", "position_ms": 2, "duration_ms": 1}
position_ms must be at most duration_ms.
{"title": "x", "at": "tomorrow"}
at must be an ISO 8601 time such as 2026-11-23T07:20:00Z, or a number of seconds since 1970.
[{"anime_id": 2, "episode": 5}, {"anime_id": 0, "episode": 5}]
Message 2: anime_id must be a whole number from 1 to 33554431.
[7]
Message 1: message must be an object."#;
    let lines: Vec<&str> = cases.lines().skip(1).collect();
    for case in lines.chunks(2) {
        assert_eq!(error(case[0]), case[1], "{}", case[0]);
    }
    let long = json!({"title": "x".repeat(10_000)}).to_string();
    let expected = "title must have 1 to 1,000 characters, and no NUL.";
    assert_eq!(error(&long), expected);
    let wrong = r#"{} | {"myspace": 1} | {"imdb": 5} | {"tvdb": 0} | [1]"#;
    for ids in wrong.split(" | ") {
        let expected = "ids must be an object of identifiers from 1 to 4294967295 (imdb: tt0213338) by source: anidb, \
            tracker_a, tracker_b, database, imdb, kitsu, tvdb.";
        let body = format!(r#"{{"ids": {ids}, "episode": 1}}"#);
        assert_eq!(error(&body), expected);
    }
}

#[test]
fn list_has_up_to_500_messages() {
    let list = |count| json!(vec![json!({"anime_id": 2, "episode": 5}); count]).to_string();
    assert_eq!(read(None, list(500).as_bytes()).unwrap().len(), 500);
    for count in [0, 501] {
        let expected = "A list of messages must have 1 to 500 messages.";
        assert_eq!(error(&list(count)), expected);
    }
}
