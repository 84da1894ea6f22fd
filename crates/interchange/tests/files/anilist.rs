//! AniList's account export and list query.

use interchange::{ListFormat, ReadOptions, ScoreScaleOption, read};
use shared::models::UserScore;

use super::{error, list, report, score, skipped};

#[test]
fn account_export_is_read() {
    let file = list(include_str!("fixtures/anilist_account.json"));
    assert_eq!(file.format, ListFormat::AniListJson);
    let expected = [
        r#"1 {"anilist_id":501,"status":"COMPLETED","current_episode":12,"score":87.0,"started_on":"2016-08-26","finished_on":"2016-10","repeats":1,"notes":"Twice\nbut never again","private":true,"created_at":"2016-08-26T10:00:00Z","updated_at":"2023-11-14T22:13:20Z"}"#,
        r#"3 {"anilist_id":502,"status":"REPEATING","current_episode":3,"score":null,"started_on":null,"finished_on":null,"repeats":0,"notes":"","private":false}"#,
        r#"4 {"anilist_id":503,"status":"CURRENT","current_episode":1}"#,
        r#"5 {"anilist_id":504,"status":"PLANNING"}"#,
        r#"6 {"anilist_id":505,"status":"DROPPED"}"#,
        r#"7 {"anilist_id":506,"status":"PAUSED"}"#,
        "8 skipped: status \"6\" is unknown",
        "The file does not state the scale of its scores. They were read as 1 to 100, because the highest is 87.",
        "These fields of the file are not imported: custom_lists.",
        "Manga that were left out: 1.",
    ];
    assert_eq!(report(&file), expected);
}

#[test]
fn response_of_the_list_query_is_read_with_and_without_data() {
    let text = include_str!("fixtures/anilist_query.json");
    let file = list(text);
    let expected = [
        r#"1 {"anilist_id":501,"mal_id":1001,"title":"Cloud","episodes":12,"status":"COMPLETED","current_episode":12,"score":85.0,"started_on":"2016-08-26","finished_on":"2016","repeats":2,"notes":"","private":false,"updated_at":"2023-11-14T22:13:20Z"}"#,
        r#"2 {"anilist_id":502,"title":"月","status":"CURRENT","current_episode":3,"score":null,"started_on":null}"#,
        "The scores were read as 1 to 10.",
        "These fields of the file are not imported: customLists.",
    ];
    assert_eq!(report(&file), expected);
    let inner = text
        .trim()
        .strip_prefix("{\n  \"data\":")
        .and_then(|rest| rest.strip_suffix('}'));
    assert_eq!(list(inner.unwrap()), file);
}

#[test]
fn array_of_entries_is_read() {
    let file = list(
        r#" [{"mediaId": 501, "status": "PAUSED", "progress": 3}, 7, {"mediaId": 501, "status": "x"}]"#,
    );
    assert_eq!(file.format, ListFormat::AniListJson);
    let expected = [
        r#"1 {"anilist_id":501,"status":"PAUSED","current_episode":3}"#,
        "2 skipped: the entry is not a JSON object",
        "3 skipped: status \"x\" is unknown",
    ];
    assert_eq!(report(&file), expected);
    assert_eq!(error("[]"), "The list in the file is empty.");
}

#[test]
fn highest_score_decides_an_unknown_scale() {
    let scores = |highest: &str| {
        let file = list(format!(
            r#"[{{"mediaId": 1, "status": 2, "score": {highest}}}, {{"mediaId": 2, "status": 2, "score": 1}}]"#
        ));
        let entries = file.entries.iter();
        let scores = entries.map(|entry| entry.details.score.flatten().unwrap());
        scores.map(UserScore::tenths).collect::<Vec<_>>()
    };
    assert_eq!(scores("3"), [1000, 333]);
    assert_eq!(scores("5"), [1000, 200]);
    assert_eq!(scores("3.5"), [700, 200]);
    assert_eq!(scores("10"), [1000, 100]);
    assert_eq!(scores("9.5"), [950, 100]);
    assert_eq!(scores("11"), [110, 10]);
    assert_eq!(scores("100"), [1000, 10]);
}

#[test]
fn stated_scale_counts_and_higher_scores_are_left_out() {
    let file = |format: &str| {
        format!(
            r#"{{"MediaListCollection": {{"user": {{"mediaListOptions": {{"scoreFormat": "{format}"}}}}, "lists": [
            {{"entries": [{{"mediaId": 1, "status": "CURRENT", "score": 3}}]}},
            {{"entries": [{{"mediaId": 2, "status": "CURRENT", "score": 30, "media": {{"title": {{"romaji": "B"}}}}}}]}}
            ]}}}}"#
        )
    };
    let five = list(file("POINT_5"));
    assert_eq!(five.entries[0].details.score, Some(score(600)));
    assert_eq!(five.entries[1].details.score, None);
    let expected = [
        "The scores were read as 1 to 5.",
        "Values that could not be read and were left out of their entries: score \"30\".",
    ];
    assert_eq!(five.remarks, expected);
    for (format, entry, tenths) in [
        ("POINT_100", 1, 300),
        ("POINT_3", 0, 1000),
        // If the format is unknown, the highest score decides.
        ("STARS", 1, 300),
    ] {
        let details = &list(file(format)).entries[entry].details;
        assert_eq!(details.score, Some(score(tenths)), "{format}");
    }
}

#[test]
fn user_can_state_the_scale_that_a_file_does_not() {
    let text = r#"[{"mediaId": 1, "status": 2, "score": 8}]"#;
    let options = |scale| ReadOptions {
        score_scale: Some(scale),
        ..ReadOptions::default()
    };
    let tenths = |text: &str, scale| {
        let file = read(text.as_bytes(), &options(scale)).unwrap();
        let score = file.entries[0].details.score.flatten();
        score.map(UserScore::tenths)
    };
    assert_eq!(tenths(text, ScoreScaleOption::Hundred), Some(80));
    assert_eq!(tenths(text, ScoreScaleOption::Ten), Some(800));
    assert_eq!(tenths(text, ScoreScaleOption::Five), None);
    let stated = format!(
        r#"{{"MediaListCollection": {{"lists": [{{"entries": {text}}}]}},
        "User": {{"mediaListOptions": {{"scoreFormat": "POINT_100"}}}}, "scriptInfo": {{}}}}"#
    );
    assert_eq!(tenths(&stated, ScoreScaleOption::Ten), Some(80));
    let at_top = format!(r#"{{"score_format": "POINT_100", "lists": {text}}}"#);
    assert_eq!(tenths(&at_top, ScoreScaleOption::Ten), Some(80));
}

#[test]
fn list_of_automail_says_at_the_top_what_it_is_of() {
    let entry = |more: &str| {
        format!(
            r#"{{"mediaId": 501, "status": "CURRENT", "progress": 3, "media": {{"idMal": 21}}{more}}}"#
        )
    };
    let file = |kind: &str, entry: &str| {
        format!(
            r#"{{"MediaListCollection": {{"lists": [{{"name": "Watching", "entries": [{entry}]}},
            {{"name": "Mine", "isCustomList": true, "entries": [{entry}]}}]}}, "scriptInfo": {{"name": "Automail"}}{kind}}}"#
        )
    };
    let anime = list(file(r#", "type": "ANIME""#, &entry("")));
    assert_eq!(anime.entries.len(), 1);
    let manga = "The file is a list of manga. Only lists of anime can be imported.";
    assert_eq!(error(file(r#", "type": "MANGA""#, &entry(""))), manga);
    // Older versions do not say it, and only manga have volumes.
    assert_eq!(error(file("", &entry(r#", "progressVolumes": 0"#))), manga);
}

#[test]
fn score_above_every_scale_is_left_out() {
    let text =
        r#"[{"mediaId": 1, "status": 2, "score": 8}, {"mediaId": 2, "status": 2, "score": 1e9}]"#;
    let file = list(text);
    assert_eq!(file.entries[0].details.score, Some(score(800)));
    assert_eq!(file.entries[1].details.score, None);
}

#[test]
fn arrays_of_other_services_are_not_read_as_lists_of_anilist() {
    let expected = "The format of this JSON is not known. Its first fields are";
    let titled = error(r#"[{"id": 7, "status": "watching", "title": "Kumo"}]"#);
    assert_eq!(titled, format!(r#"{expected} "id", "status", "title"."#));
    let rated = error(r#"[{"anime_id": 7, "status": 1}]"#);
    assert_eq!(rated, format!(r#"{expected} "anime_id", "status"."#));
}

#[test]
fn oversized_entry_is_skipped() {
    let long = "a".repeat(100_000);
    let text = format!(r#"[{{"mediaId": 1, "status": 2, "notes": "{long}"}}]"#);
    let expected = [(1, "the entry is longer than 100 KB".to_owned())];
    assert_eq!(skipped(text), expected);
}
