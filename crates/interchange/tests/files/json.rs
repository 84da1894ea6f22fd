//! This service's own JSON.

use interchange::{ListEntry, ListFormat, write_entries};
use shared::input::MAX_SAFE_INTEGER;
use shared::models::WatchStatus::{Completed, Planning};
use shared::models::{AnimeFormat, AnimeId, DetailsChange, IdKind, IdSource, StatedId};

use super::{day, entry, error, list, notes, score};

#[test]
fn fields_of_other_purposes_are_ignored() {
    let text = r#"{"format": "kiroku", "version": 1, "user": {"username": "hoshi"}, "lists": {"a": 1}, "data": 5, "stories": [
        {"anime_id": 2, "status": "COMPLETED", "current_episode_ticks": 9007199254740991, "score": 87.5,
         "finished_on": null, "created_at": "2023-11-14T22:13:20.5Z"}]}"#;
    let file = list(text);
    assert_eq!(file.format, ListFormat::KirokuJson);
    let expected = ListEntry {
        anime_id: AnimeId::new(2),
        current_episode_ticks: Some(MAX_SAFE_INTEGER),
        details: DetailsChange {
            score: Some(score(875)),
            finished_on: Some(None),
            ..DetailsChange::default()
        },
        created_at_ms: Some(1_700_000_000_500),
        ..entry(1, (0, 0), Completed)
    };
    assert_eq!(file.entries, [expected]);
}

#[test]
fn other_versions_are_errors() {
    let version = "The JSON is an export of this service, but not of version 1.";
    assert_eq!(
        error(r#"{"format": "kiroku", "version": 2, "stories": []}"#),
        version
    );
    assert_eq!(error(r#"{"format": "kiroku", "stories": []}"#), version);
}

#[test]
fn entries_are_written_as_they_were_read() {
    let entries = [
        ListEntry {
            title: Some("Kumo".to_owned()),
            details: DetailsChange {
                score: Some(None),
                started_on: Some(day("2016-08")),
                notes: notes(""),
                ..DetailsChange::default()
            },
            ..entry(1, (0, 1001), Planning)
        },
        ListEntry {
            anime_id: AnimeId::new(7),
            current_episode: Some(3),
            current_episode_ticks: Some(5),
            details: DetailsChange {
                score: Some(score(1)),
                finished_on: Some(None),
                repeats: Some(9999),
                private: Some(true),
                ..DetailsChange::default()
            },
            created_at_ms: Some(1),
            changed_at_ms: Some(1_700_000_000_000),
            ..entry(2, (501, 0), Completed)
        },
        ListEntry {
            ids: vec![StatedId {
                source: IdSource::Anidb,
                kind: IdKind::Anime,
                id: 9,
            }],
            format: Some(AnimeFormat::Ova),
            year: Some(2016),
            season: Some(2),
            episodes: Some(12),
            is_details_only: true,
            ..entry(3, (0, 0), Completed)
        },
    ];
    let mut bytes = Vec::new();
    write_entries("hoshi", 1_700_000_000_000, &entries, &mut bytes).unwrap();
    assert_eq!(list(&bytes).entries, entries);
    let text = String::from_utf8(bytes).unwrap();
    let expected = [
        r#"{"format":"kiroku","version":1,"exported_at":"2023-11-14T22:13:20Z","user":"hoshi","stories":["#,
        r#"{"mal_id":1001,"title":"Kumo","status":"PLANNING","score":null,"started_on":"2016-08","notes":""},"#,
    ];
    assert_eq!(text.lines().take(2).collect::<Vec<_>>(), expected);
}

#[test]
fn numbers_beyond_those_of_javascript_are_refused() {
    let story = |ticks: u64| {
        format!(
            r#"{{"format": "kiroku", "version": 1, "stories": [
                {{"anime_id": 1, "status": "CURRENT", "current_episode_ticks": {ticks}}}]}}"#
        )
    };
    assert_eq!(list(story(MAX_SAFE_INTEGER)).entries.len(), 1);
    let file = list(story(MAX_SAFE_INTEGER + 1));
    assert_eq!(file.entries[0].current_episode_ticks, None);
    assert_eq!(file.remarks.len(), 1);
}
