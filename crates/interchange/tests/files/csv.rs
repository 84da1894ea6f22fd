//! CSV with a header row.

use interchange::ListFormat;
use shared::models::UserScore;
use shared::models::WatchStatus::{Completed, Dropped};

use super::{entry, error, list, notes, report, skipped};

#[test]
fn semicolons_quotes_and_line_breaks_are_read() {
    let file = list(include_bytes!("fixtures/semicolons.csv"));
    assert_eq!(file.format, ListFormat::Csv);
    let expected = [
        r#"1 {"mal_id":1001,"title":"Kumo; the \"Movie\"","status":"COMPLETED","current_episode":1,"score":85.0,"started_on":"2016-08-26","notes":"=1+1"}"#,
        r#"2 {"title":"Hoshi","status":"PLANNING","score":null,"started_on":null,"notes":"two\nlines"}"#,
        r#"3 {"mal_id":1003,"status":"CURRENT","current_episode":3,"score":null,"started_on":"2020","notes":""}"#,
        "The file does not state the scale of its scores. They were read as 1 to 10, because the highest is 8.5.",
        "These fields of the file are not imported: Shelf.",
    ];
    assert_eq!(report(&file), expected);
}

#[test]
fn commas_and_tabs_are_recognized() {
    let text = "title,status,notes\r\n\"a;b\tc\",Completed,\"x,y\"\r\n";
    let entries = list(text).entries;
    assert_eq!(entries[0].title, Some("a;b c".to_owned()));
    assert_eq!(entries[0].details.notes, notes("x,y"));
    let entries = list("mal_id\tstatus\tnotes\n1\tdropped\tx,y;z").entries;
    assert_eq!(entries[0].trackers.b, Some(1));
    assert_eq!(entries[0].details.notes, notes("x,y;z"));
    assert_eq!(list("mal_id,status\n").entries, []);
}

#[test]
fn delimiter_is_that_of_the_first_line_whatever_ends_it() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("mal_id,status,notes{end}1001,Completed,;;;;;;{end}");
        let entries = list(text).entries;
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].details.notes, notes(";;;;;;"));
    }
}

#[test]
fn own_identifiers_mean_scores_from_0_to_100() {
    let scores = |header: &str| {
        let rows = "1,Completed,8\n2,Completed,9.5\n";
        let entries = list(format!("{header},status,score\n{rows}")).entries;
        let scores = entries.iter().filter_map(|entry| entry.details.score?);
        scores.map(UserScore::tenths).collect::<Vec<_>>()
    };
    assert_eq!(scores("anime_id"), [80, 95]);
    assert_eq!(scores("mal_id"), [800, 950]);
}

#[test]
fn numbers_of_statuses_are_ambiguous() {
    let expected = [(1, "status \"2\" is unknown".to_owned())];
    assert_eq!(skipped("mal_id,status\n1,2\n"), expected);
}

#[test]
fn rows_with_too_many_cells_are_skipped() {
    let expected = "line 3 has 3 cells, but the header has 2".to_owned();
    let skipped = skipped("mal_id,status\n1,Completed\n2,Completed,3\n");
    assert_eq!(skipped, [(2, expected)]);
}

#[test]
fn privacy_has_several_spellings() {
    let private = [("true YES 1", Some(true)), ("no False 0", Some(false))];
    for (texts, expected) in private.into_iter().chain([("", None)]) {
        for text in texts.split(' ') {
            let file = list(format!("mal_id,status,private\n1,Completed,{text}\n"));
            assert_eq!(file.entries[0].details.private, expected, "{text}");
        }
    }
    let file = list("mal_id,status,private\n1,Completed,maybe\n");
    assert_eq!(file.entries[0].details.private, None);
    assert_eq!(
        file.remarks,
        ["Values that could not be read and were left out of their entries: private \"maybe\"."]
    );
}

#[test]
fn other_texts_are_not_lists() {
    for text in ["hello", "status,score\n"] {
        let message = error(text);
        let expected = "The file is not an XML, JSON or CSV file that can be imported.";
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn lines_of_spreadsheets_before_the_header_are_ignored() {
    for text in [
        "sep=;\r\nmal_id;status\r\n7;Completed\r\n",
        "\"sep=,\"\nmal_id,status\n7,Completed\n",
        "\n;;\nmal_id;status\n\n7;Completed\n;\n",
        "\u{feff}\u{feff}mal_id\tstatus\n7\tCompleted\n",
    ] {
        let expected = [entry(1, (0, 7), Completed)];
        assert_eq!(list(text).entries, expected, "{text:?}");
    }
}

#[test]
fn numbers_of_an_unknown_source_are_not_identifiers() {
    let file = list("media_id,source,title,status\n1396,tmdb,Kumo,Completed\n");
    assert_eq!(file.entries[0].trackers.a, None);
    assert_eq!(file.entries[0].title.as_deref(), Some("Kumo"));
    let file = list("media_id,status\n1396,Completed\n");
    assert_eq!(file.entries[0].trackers.a, Some(1396));
}

#[test]
fn missing_quotation_mark_is_an_error() {
    for text in [
        "title,status\nKumo,Completed\n\"Hoshi,Completed\nTsuki,Dropped\n",
        "title,status\nKumo,Completed\n\"Hoshi,Completed",
    ] {
        assert_eq!(
            error(text),
            "The CSV has a cell without a closing quotation mark in the row that begins at line 3."
        );
    }
    let entries = list("title,status\n5\" disc,Completed\n").entries;
    assert_eq!(entries[0].title.as_deref(), Some("5\" disc"));
}

#[test]
fn old_line_ends_and_endless_rows_are_handled() {
    let entries = list("mal_id,status\r1,Completed\r\r2,Dropped").entries;
    let expected = [entry(1, (0, 1), Completed), entry(2, (0, 2), Dropped)];
    assert_eq!(entries, expected);
    let cells = ",".repeat(1000);
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("mal_id,status{end}1,\"Com{end}pleted\"{end}{cells}{end}");
        assert_eq!(error(text), "Line 4 of the CSV has more than 1,000 cells.");
    }
    assert_eq!(error(cells), "Line 1 of the CSV has more than 1,000 cells.");
    let long = "x".repeat(200_000);
    for notes in [long.clone(), format!("\"{long}\"")] {
        let text = format!("mal_id,status,notes\n1,Completed,{notes}\n2,Dropped,\n");
        let file = list(text);
        assert_eq!(file.entries.len(), 2);
        let notes = file.entries[0].details.notes.as_ref();
        assert_eq!(notes.map(|notes| notes.as_str().len()), Some(2000));
    }
}
