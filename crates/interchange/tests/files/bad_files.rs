//! Files that are refused as a whole.

use std::cell::Cell;
use std::fmt::Write;

use interchange::{MAX_ENTRIES, MAX_UNPACKED, ReadOptions, read_text};

use super::{error, gzip, list};

#[test]
fn decompression_bombs_are_refused() {
    let longer = "The file is longer than 64 MB when unpacked.";
    // The file has 100 MB in many members, because packing them at once takes seconds.
    let bomb = gzip(&vec![b' '; 1_000_000]).repeat(100);
    assert!(bomb.len() < 150_000, "{}", bomb.len());
    assert_eq!(error(&bomb), longer);
    let expected = "The file is longer than 64 MB.";
    assert_eq!(error(vec![b' '; MAX_UNPACKED + 1]), expected);
}

#[test]
fn damaged_archives_are_refused() {
    let damaged = "The file is damaged or incomplete: it cannot be unpacked with gzip.";
    let packed = gzip(include_bytes!("fixtures/my_anime_list.xml"));
    assert_eq!(error(&packed[..packed.len() - 9]), damaged);
    assert_eq!(error([&packed, &b"more"[..]].concat()), damaged);
    let mut changed = packed.clone();
    changed[100] ^= 0xff;
    assert_eq!(error(changed), damaged);
    let expected = "The archive is damaged or incomplete: it cannot be unpacked.";
    assert_eq!(error(b"PK\x03\x04rest"), expected);
}

#[test]
fn texts_of_other_encodings_are_read() {
    let csv = "title;status\nAmencée;Completed\n";
    let utf16 = |end: fn(u16) -> [u8; 2]| csv.encode_utf16().flat_map(end).collect::<Vec<u8>>();
    let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
    for bytes in [
        little.clone(),
        [b"\xff\xfe", &little[..]].concat(),
        big.clone(),
        [b"\xfe\xff", &big[..]].concat(),
        // Windows-1252, as Excel writes CSV.
        b"title;status\nAmenc\xe9e;Completed\n".to_vec(),
    ] {
        let entries = list(&bytes).entries;
        assert_eq!(entries[0].title.as_deref(), Some("Amencée"), "{bytes:?}");
    }
    // Shift_JIS, as a Japanese Excel writes CSV.
    let japanese = b"\x83^\x83C\x83g\x83\x8b,\x8f\xf3\x91\xd4\n\
        \x82\xad\x82\xe0\x82\xcc\x82\xa2\x82\xc6,\x8e\x8b\x92\xae\x92\x86\n";
    let expected = Some("くものいと");
    assert_eq!(list(japanese).entries[0].title.as_deref(), expected);
    let xml = b"<?xml version='1.0' encoding='windows-1251'?><myanimelist><anime><series_title>\xcf\xe0\xf3\xea\
        </series_title><my_status>1</my_status></anime></myanimelist>";
    assert_eq!(list(xml).entries[0].title.as_deref(), Some("Паук"));
    let expected = "The file is not a text file: it has NUL bytes.";
    assert_eq!(error(b"title;status\nAmenc\xe9e\0\0;Completed\n"), expected);
}

#[test]
fn files_that_are_not_lists_are_named() {
    let pickle = "The file is a pickle of Python";
    let page = b"<!doctype html><html><body>x</body></html>";
    for (bytes, start) in [
        (&b"\x80\x02}q\x00."[..], pickle),
        (b"\x80\x04\x95\x02\x00.", pickle),
        (b"(lp0\n(dp1\n", pickle),
        (b"\xfd7zXZ\0rest", "The file is compressed with xz."),
        (b"BZh91AY&SYrest", "The file is compressed with bzip2."),
        (b"\x28\xb5\x2f\xfdrest", "The file is compressed with zstd."),
        (b"SQLite format 3\0rest", "The file is a database."),
        (b"7z\xbc\xaf\x27\x1crest", "The file is a 7z archive."),
        (page, "The file is a web page"),
        (b"<html></html>", "The file is a web page"),
    ] {
        let message = error(bytes);
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn document_type_definitions_are_refused() {
    let dtd = "The XML has a document type definition (DTD), which anime lists never have.";
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE myanimelist [
        <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
        <!ENTITY file SYSTEM "file:///etc/passwd">
        ]><myanimelist><anime><series_title>&b;&file;</series_title></anime></myanimelist>"#;
    assert_eq!(error(bomb), dtd);
    for entity in ["&b;", "&nbsp;", "&#0;", "&#x110000;"] {
        let title = format!("<series_title>{entity}</series_title>");
        let xml = format!("<myanimelist>\n<anime>{title}</anime></myanimelist>");
        let expected = "The XML is invalid or ends too early near line 2.";
        assert_eq!(error(xml), expected, "{entity}");
    }
}

#[test]
fn broken_xml_is_refused() {
    let xml = include_str!("fixtures/kitsu.xml").trim_end();
    let begin = xml.find("<myanimelist>").unwrap() + 1;
    for end in (begin..xml.len()).filter(|end| xml.is_char_boundary(*end)) {
        let message = error(&xml[..end]);
        let expected = "The XML is invalid or ends too early near line";
        assert!(message.starts_with(expected), "{end}: {message}");
    }
    let expected = "The XML is invalid or ends too early near line 3.";
    assert_eq!(error("<myanimelist>\n<anime>\n</myanimelist>"), expected);
    for xml in [
        "<myanimelist></myanimelist>\nmore",
        "<myanimelist></myanimelist>\n&amp;",
        "<myanimelist/>\n<![CDATA[more]]>",
        "<myanimelist/>\n<myanimelist></myanimelist>",
        "<?xml version=\"1.0\"?>\nmore<myanimelist/>",
    ] {
        let message = "The XML is invalid or ends too early near line 2.";
        assert_eq!(error(xml), message, "{xml}");
    }
    assert_eq!(list("<myanimelist/>\n<!-- end -->\n").entries, []);
    for other in ["<!-- nothing -->", "<?xml version=\"1.0\"?>"] {
        assert_eq!(error(other), "The XML has no elements.", "{other}");
    }
    assert_eq!(
        error("<anime></anime>"),
        "The XML is of no format that is known. The root element of anime lists is myanimelist, and that of the file \
         is \"anime\"."
    );
    let nested = "<myanimelist>".to_owned() + &"<a>".repeat(20);
    assert_eq!(error(nested), "The XML is nested too deeply.");
}

#[test]
fn many_episodes_with_a_long_title_are_refused() {
    let title = "蜘".repeat(300);
    let show = format!(r#""show": {{"title": "{title}", "ids": {{"trakt": 1}}}}"#);
    let episodes = (1..=40_000).map(|number| format!(r#"{{"number": {number}}}"#));
    let episodes = episodes.collect::<Vec<_>>().join(",");
    let seasons = format!(r#""seasons": [{{"number": 1, "episodes": [{episodes}]}}]"#);
    let times = r#""plays": 1, "last_watched_at": "2026-01-02T00:00:00Z""#;
    assert_eq!(
        error(format!("[{{{times}, {show}, {seasons}}}]")),
        "The titles of the watched episodes are too long together. Split the file into several ones."
    );
}

#[test]
fn lists_of_manga_are_refused() {
    let manga = "The file is a list of manga. Only lists of anime can be imported.";
    for text in [
        "<myanimelist><myinfo><user_export_type>2</user_export_type></myinfo></myanimelist>",
        "<myanimelist><manga><manga_mangadb_id>1</manga_mangadb_id></manga></myanimelist>",
        r#"{"lists": [{"series_type": 1, "series_id": 1, "status": 0}]}"#,
        r#"[{"mediaId": 1, "media": {"type": "MANGA"}}]"#,
    ] {
        assert_eq!(error(text), manga, "{text}");
    }
}

#[test]
fn broken_json_is_refused() {
    for (json, place) in [
        ("{\"lists\": [\n{\"mediaId\": 1,}]}", "line 2, column 15"),
        ("[{\"mediaId\": 1}", "line 1, column 15"),
        ("[] []", "line 1, column 4"),
    ] {
        let expected = format!("The JSON is invalid or ends too early at {place}.");
        assert_eq!(error(json), expected);
    }
    let deep = "[".repeat(100_000);
    assert!(error(deep).starts_with("The JSON is invalid or ends too early"));
    let errors = r#"{"data": null, "errors": [{"message": "Not found"}]}"#;
    for (other, names) in [
        (errors, r#""data", "errors""#),
        (r#"{"data": {"Page": {}}}"#, r#""data""#),
        (r#"{"stories": []}"#, r#""stories""#),
        (r#"{"lists": 7}"#, r#""lists""#),
    ] {
        let expected = "The format of this JSON is not known. Its first fields are";
        assert_eq!(error(other), format!("{expected} {names}."));
    }
    assert_eq!(error("{}"), "The format of this JSON is not known.");
    let no_stories = "The JSON is an export of this service, but has no stories.";
    assert_eq!(error(r#"{"format": "kiroku", "version": 1}"#), no_stories);
    let twice = "The JSON has a field twice, or too many fields.";
    assert_eq!(error(r#"{"lists": [], "lists": []}"#), twice);
}

#[test]
fn empty_files_are_refused() {
    for text in ["", " \n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(error(text), "The file is empty.");
    }
    assert_eq!(error(gzip(b"")), "The file is empty.");
}

#[test]
fn number_of_entries_is_limited() {
    let many = |count: usize, begin: &str, entry: &dyn Fn(usize) -> String, end: &str| {
        let mut text = begin.to_owned();
        for number in 1..=count {
            write!(text, "{}", entry(number)).unwrap();
        }
        text + end
    };
    let xml = |count| {
        let id = |id| format!("<series_animedb_id>{id}</series_animedb_id>");
        let anime = |number| format!("<anime>{}<my_status>1</my_status></anime>", id(number));
        many(count, "<myanimelist>", &anime, "</myanimelist>")
    };
    let csv = |count| {
        let row = |id| format!("{id},completed\n");
        many(count, "mal_id,status\n", &row, "")
    };
    let json = |count| {
        let story = |id| format!(r#"{{"anime_id": {id}, "status": "CURRENT"}},"#);
        let begin = r#"{"format": "kiroku", "version": 1, "stories": ["#;
        many(count, begin, &story, "0]}")
    };
    let too_many = "The file has more than 20,000 entries. Split it into several files.";
    assert_eq!(list(xml(MAX_ENTRIES)).entries.len(), MAX_ENTRIES);
    assert_eq!(error(xml(MAX_ENTRIES + 1)), too_many);
    assert_eq!(list(csv(MAX_ENTRIES)).entries.len(), MAX_ENTRIES);
    assert_eq!(error(csv(MAX_ENTRIES + 1)), too_many);
    let file = list(json(MAX_ENTRIES - 1));
    assert_eq!(file.entries.len(), MAX_ENTRIES - 1);
    assert_eq!(file.skipped.len(), 1);
    assert_eq!(error(json(MAX_ENTRIES)), too_many);
    let empty = |count| format!("mal_id,status\n{}1,completed\n", ",\n".repeat(count));
    assert_eq!(list(empty(MAX_ENTRIES)).entries.len(), 1);
    assert_eq!(error(empty(10 * MAX_ENTRIES)), too_many);
    let elements = format!("<myanimelist>{}</myanimelist>", "<a/>".repeat(1_000_000));
    assert_eq!(error(elements), "The XML has more than 1,000,000 elements.");
    let tree = "<a/>".repeat(200_000);
    assert_eq!(
        error(format!("<myanimelist><anime>{tree}</anime></myanimelist>")),
        "The XML has an entry with more than 200,000 elements and attributes."
    );
    // The limit holds for all lists of a response together.
    let list_of = |first: usize| {
        let entry = move |id| format!(r#"{{"mediaId": {}, "status": 1}},"#, first + id);
        many(15_000, r#"{"entries": ["#, &entry, "0]}")
    };
    let text = format!(r#"{{"lists": [{}, {}]}}"#, list_of(0), list_of(15_000));
    assert_eq!(error(text), too_many);
    // An entry in several lists counts once.
    let text = format!(r#"{{"lists": [{}, {}]}}"#, list_of(0), list_of(0));
    assert_eq!(list(text).entries.len(), 15_000);
}

#[test]
fn reading_ends_when_it_is_cancelled() {
    for file in [
        "mal_id,status\n1,Completed\n2,Completed\n3,Completed\n",
        "<myanimelist><anime/><anime/></myanimelist>",
        r#"{"format": "kiroku", "version": 1, "stories": [{}, {}, {}]}"#,
        r#"{"lists": [{"entries": [{}, {}, {}]}]}"#,
    ] {
        let checks = Cell::new(0);
        let is_cancelled = || checks.replace(checks.get() + 1) == 1;
        let read = read_text(file, &ReadOptions::default(), &is_cancelled);
        assert_eq!(read.unwrap_err().to_string(), "The import was cancelled.");
        assert_eq!(checks.get(), 2, "{file}");
    }
}

/// Returns the remark about the unknown fields of a file, and the number of allocations that reading the file takes.
fn read_unknown(file: &str) -> (String, u64) {
    let mut remarks = Vec::new();
    let allocations = allocation_counter::measure(|| remarks = list(file).remarks);
    (remarks.pop().unwrap(), allocations.count_total)
}

#[test]
fn names_of_unknown_fields_cost_little() {
    let long = "x".repeat(4000);
    let shown = "x".repeat(40);
    let remark = format!("These fields of the file are not imported: {shown}.");
    let header = format!("mal_id,status{}\n", format!(",{long}").repeat(900));
    let row = format!("1,Completed{}\n", ",y".repeat(900));
    let rows = 50;
    let (csv, allocations) = read_unknown(&(header + &row.repeat(rows)));
    assert_eq!(csv, remark);
    // A name costs some allocations, a cell none.
    assert!(allocations < 900 * 40 + 50 * 100, "{allocations}");
    let fields = format!("<{long}>y</{long}>").repeat(900);
    let xml = format!("<myanimelist><anime>{fields}</anime></myanimelist>");
    let (xml, allocations) = read_unknown(&xml);
    assert_eq!(xml, remark);
    assert!(allocations < 900 * 30, "{allocations}");
}

#[test]
fn only_the_beginning_of_a_name_is_shown() {
    let hidden = "\u{200b}".repeat(10_000);
    let row = format!("1,Completed,{hidden}Kumo,x\n");
    let file = list(format!("mal_id,status,title,a{hidden}b\n{row}"));
    assert_eq!(file.entries[0].title, None);
    let expected = ["These fields of the file are not imported: a."];
    assert_eq!(file.remarks, expected);
    let (_, reason) = super::skipped(format!("mal_id,status\n1,a{hidden}b\n")).remove(0);
    assert_eq!(reason, "status \"a\" is unknown");
}
