//! MyAnimeList's XML and its variants.

use interchange::ListFormat;
use shared::models::WatchStatus::{Completed, Current, Dropped, Paused, Planning, Repeating};

use super::{entry, gzip, list, notes, report, score, skipped};

const FULL: &str = include_str!("fixtures/my_anime_list.xml");

#[test]
fn export_of_my_anime_list_is_read_plain_and_compressed() {
    let file = list(FULL);
    assert_eq!(file.format, ListFormat::MalXml);
    let expected = [
        r#"1 {"mal_id":1001,"title":"Kumo & Hoshi <TV>","format":"TV","episodes":12,"status":"COMPLETED","current_episode":12,"score":90.0,"started_on":"2016-08-26","finished_on":"2016-10","repeats":1,"notes":"Watched twice.\n Better the second time."}"#,
        r#"2 {"mal_id":1002,"title":"Tsuki no Machi","format":"TV","episodes":24,"status":"REPEATING","current_episode":7,"score":null,"started_on":"2020","finished_on":null,"repeats":0,"notes":""}"#,
        r#"3 {"mal_id":1003,"title":"Ame","format":"MOVIE","episodes":1,"status":"PLANNING","current_episode":0,"score":null,"started_on":null,"finished_on":null,"repeats":0}"#,
        "These fields of the file are not imported: my_tags.",
    ];
    assert_eq!(report(&file), expected);
    assert_eq!(list(gzip(FULL.as_bytes())), file);
    assert_eq!(list(format!("\u{feff}{FULL}")), file);
    assert_eq!(list(FULL.replace('\n', "\r\n")), file);
}

#[test]
fn optional_elements_can_be_missing_in_any_order() {
    let file = list(include_str!("fixtures/kitsu.xml"));
    let expected = [
        r#"1 {"mal_id":1001,"status":"PAUSED","current_episode":3,"score":85.0}"#,
        r#"2 {"title":"Umi & Asa ❤","status":"CURRENT","current_episode":1,"notes":"On the train"}"#,
    ];
    assert_eq!(report(&file), expected);
}

#[test]
fn title_is_enough_without_an_identifier() {
    let file = list(include_str!("fixtures/anime_planet.xml"));
    let expected = [
        r#"1 {"title":"Kumo","status":"COMPLETED","current_episode":12,"score":100.0,"repeats":2}"#,
        r#"2 {"title":"Hoshi","status":"PLANNING","current_episode":0,"score":null}"#,
        r#"3 {"mal_id":5,"title":"Tsuki","status":"PAUSED","current_episode":4,"score":null}"#,
    ];
    assert_eq!(report(&file), expected);
}

#[test]
fn rewatching_has_a_word_of_its_own_at_shikimori() {
    let file = list(include_str!("fixtures/shikimori.xml"));
    let expected = [
        r#"1 {"mal_id":1001,"title":"Kumo no Ie","format":"TV","episodes":12,"status":"REPEATING","current_episode":5,"score":70.0,"repeats":1,"notes":""}"#,
        r#"2 {"mal_id":1002,"title":"Hoshi no Ie","status":"DROPPED","current_episode":2,"score":null}"#,
    ];
    assert_eq!(report(&file), expected);
}

#[test]
fn statuses_can_be_numbers() {
    let file = list(include_str!("fixtures/numbers.xml"));
    let expected = [
        r#"1 {"mal_id":1,"status":"CURRENT","current_episode":1}"#,
        r#"2 {"mal_id":2,"status":"COMPLETED","current_episode":12}"#,
        r#"3 {"mal_id":3,"status":"PAUSED","current_episode":1}"#,
        r#"4 {"mal_id":4,"status":"DROPPED","current_episode":1}"#,
        r#"5 {"mal_id":6,"status":"PLANNING"}"#,
        r#"6 {"mal_id":7,"episodes":12,"status":"REPEATING","current_episode":4,"updated_at":"2023-11-14T22:13:20Z"}"#,
        // Episode 13 of 12 is not the progress of a repeat.
        r#"7 {"mal_id":8,"episodes":12,"status":"REPEATING","current_episode":12}"#,
    ];
    assert_eq!(report(&file), expected);
}

fn anime(elements: &str) -> String {
    format!("<myanimelist><anime>{elements}</anime></myanimelist>")
}

#[test]
fn status_words_are_recognized_in_any_spelling() {
    for (words, status) in [
        (["Watching", "CURRENT", "currently-watching"], Current),
        (["completed", "Finished", "WATCHED"], Completed),
        (["On-Hold", "on hold", "PAUSED"], Paused),
        (["Dropped", "DROPPED", " dropped "], Dropped),
        (["Plan to Watch", "plan_to_watch", "PLANNING"], Planning),
        (["Rewatching", "REPEATING", "re-watching"], Repeating),
    ] {
        for word in words {
            let id = "<series_animedb_id>1</series_animedb_id>";
            let file = list(anime(&format!("{id}<my_status>{word}</my_status>")));
            assert_eq!(file.entries[0].status, status, "{word}");
        }
    }
}

#[test]
fn malformed_entries_are_skipped_with_their_reasons() {
    let skip = |elements: &str| {
        let all = skipped(anime(&format!("<series_title>A</series_title>{elements}")));
        assert_eq!(all.len(), 1, "{elements}: {all:?}");
        assert_eq!(all[0].0, 1);
        all[0].1.clone()
    };
    let valid = |elements: &str| skip(&format!("<my_status>1</my_status>{elements}"));
    assert_eq!(skip(""), "has no status");
    assert_eq!(skip("<my_status>5</my_status>"), "status \"5\" is unknown");
    let hidden = "<my_status>Won\u{202e}'t\n watch</my_status>";
    assert_eq!(skip(hidden), "status \"Won't watch\" is unknown");
    for number in ["-1", "1.5", "99999999999", "many", "+-1"] {
        let element = format!("<series_animedb_id>{number}</series_animedb_id>");
        let expected = "mal_id must be a whole number from 0 to 16777215";
        assert_eq!(valid(&element), expected);
    }
    let nameless = anime("<my_status>1</my_status><series_animedb_id>0</series_animedb_id>");
    let expected = [(1, "has neither an identifier nor a title".to_owned())];
    assert_eq!(skipped(nameless), expected);
}

#[test]
fn unreadable_details_are_left_out_with_a_remark() {
    for (element, name, texts) in [
        (
            "my_watched_episodes",
            "current_episode",
            "-1 1.5 99999999999 many +-1",
        ),
        (
            "my_times_watched",
            "repeats",
            "-1 1.5 10000 99999999999999999999999 many",
        ),
        ("my_score", "score", "-1 inf ten 11 10.1"),
        (
            "my_start_date",
            "started_on",
            "2020-13-45 2020-00-45 2020-02-30 1066-10-14 2016-08-26-01 -2016 ２０１６ soon",
        ),
    ] {
        for text in texts.split(' ') {
            let known = "<series_animedb_id>7</series_animedb_id><my_status>1</my_status>";
            let file = list(anime(&format!("{known}<{element}>{text}</{element}>")));
            let expected = [entry(1, (0, 7), Current)];
            assert_eq!(file.entries, expected, "{element} {text}");
            let remark = "Values that could not be read and were left out of their entries";
            assert_eq!(file.remarks, [format!("{remark}: {name} {text:?}.")]);
        }
    }
}

#[test]
fn manga_beside_anime_are_left_out() {
    let manga = "<manga><manga_mangadb_id>21</manga_mangadb_id><my_status>1</my_status></manga>";
    let anime = "<anime><series_animedb_id>7</series_animedb_id><my_status>1</my_status></anime>";
    let file = list(format!("<myanimelist>{manga}{anime}{manga}</myanimelist>"));
    assert_eq!(file.entries, [entry(2, (0, 7), Current)]);
    assert_eq!(file.remarks, ["Manga that were left out: 2."]);
}

#[test]
fn small_scores_stay_above_0() {
    for (text, tenths) in [("0.001", 1), ("0.5", 50), ("8.55", 855), ("10", 1000)] {
        let known = "<series_animedb_id>1</series_animedb_id><my_status>2</my_status>";
        let file = list(anime(&format!("{known}<my_score>{text}</my_score>")));
        assert_eq!(file.entries[0].details.score, Some(score(tenths)), "{text}");
    }
}

#[test]
fn long_notes_are_cut_with_a_remark() {
    let long = "界".repeat(2001);
    let file = list(anime(&format!(
        "<series_animedb_id>1</series_animedb_id><my_status>2</my_status><my_comments>{long}</my_comments>\
         <my_last_updated>soon</my_last_updated>"
    )));
    assert_eq!(file.entries[0].details.notes, notes(&"界".repeat(2000)),);
    assert_eq!(file.entries[0].changed_at_ms, None);
    let expected = [
        "Notes that were cut after 2,000 characters: 1.",
        "Times that could not be read and were ignored: 1.",
    ];
    assert_eq!(file.remarks, expected);
}

#[test]
fn entries_of_the_same_anime_stay_in_order() {
    let twice = "<anime><series_animedb_id>1</series_animedb_id><my_status>2</my_status></anime>\
        <anime><series_animedb_id>1</series_animedb_id><my_status>1</my_status></anime>";
    let file = list(format!("<myanimelist>{twice}</myanimelist>"));
    let expected = [entry(1, (0, 1), Completed), entry(2, (0, 1), Current)];
    assert_eq!(file.entries, expected);
}

#[test]
fn titles_have_no_invisible_characters() {
    let titled = |title: &str| {
        anime(&format!(
            "<series_title>{title}</series_title><my_status>2</my_status>"
        ))
    };
    let file = list(titled(" A\u{202e}\u{200b} \n \u{200b} B \u{7}"));
    assert_eq!(file.entries[0].title.as_deref(), Some("A B"));
    assert_eq!(skipped(titled("\u{200b}")).len(), 1);
    let title = list(titled(&"界 ".repeat(200))).entries[0].title.clone();
    assert_eq!(title.map(|title| title.chars().count()), Some(299));
}
