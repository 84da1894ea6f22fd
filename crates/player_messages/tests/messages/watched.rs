//! Responses of media servers about watched items, in the shapes that they write, with made-up values.

use player_messages::Video;
use player_messages::watched::{
    MAX_ITEMS, SkippedItem, WatchedError, WatchedFile, WatchedFormat, WatchedItem, read,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::models::IdSource::{Database, Imdb, Tvdb};

use super::{item, kumo};

const JELLYFIN_SERIES: &str = include_str!("fixtures/jellyfin_series.json");
const JELLYFIN: &str = include_str!("fixtures/jellyfin_watched.json");
const PLEX: &str = include_str!("fixtures/plex_watched.json");
const PLEX_HISTORY: &str = include_str!("fixtures/plex_history.json");

fn try_read(text: &str) -> Result<Option<WatchedFile>, WatchedError> {
    read(text, None, &|| false)
}

fn file(text: &str) -> WatchedFile {
    try_read(text).unwrap().unwrap()
}

/// Returns the reason why a file cannot be read.
fn refusal(text: &str) -> String {
    try_read(text).unwrap_err().to_string()
}

fn watched(position: usize, watched_at_ms: Option<u64>, video: Video) -> WatchedItem {
    WatchedItem {
        position,
        video,
        watched_at_ms,
    }
}

/// Returns the movie in the responses.
fn web() -> Video {
    Video {
        is_movie: true,
        title: Some("The Web".to_owned()),
        year: Some(2019),
        ..Video::default()
    }
}

#[test]
fn history_of_several_accounts_needs_one() {
    let several = PLEX_HISTORY.replace("\"accountID\": 1, \"deviceID\": 2}]", "\"accountID\": 5}]");
    let several = format!("{several}{PLEX_HISTORY}").replacen(
        "viewedAt\": 1700000000, \"accountID\": 1",
        "viewedAt\": 1700000000, \"accountID\": 7",
        1,
    );
    let sentence = "The history of Plex has several accounts: \"1, 5, 7\". Choose one of them with the \
                    parameter account.";
    assert_eq!(refusal(&several), sentence);
    let of = |account| read(&several, Some(account), &|| false);
    let own = of(1).unwrap().unwrap();
    assert_eq!((own.items.len(), own.left_out), (1, 3));
    assert_eq!(of(7).unwrap().unwrap().items.len(), 1);
    let sentence = "The history of Plex has no account 2, but these: \"1, 5, 7\".";
    assert_eq!(of(2).unwrap_err().to_string(), sentence);
    // A library has the views of one account, and names none.
    let library = read(PLEX, Some(2), &|| false).unwrap().unwrap();
    assert_eq!(library, file(PLEX));
}

#[test]
fn answer_of_jellyfin_is_read() {
    let episode = Video {
        file: Some("Kumo/Season 1/Kumo - S01E05-E06.mkv".to_owned()),
        ids: vec![item(Tvdb, 880_012)],
        ..kumo(1, 6)
    };
    let movie = Video {
        ids: vec![item(Imdb, 7_700_777), item(Database, 71)],
        ..web()
    };
    let expected = WatchedFile {
        format: WatchedFormat::Jellyfin,
        items: vec![
            watched(1, Some(1_767_323_045_678), episode),
            watched(2, None, movie),
        ],
        skipped: vec![SkippedItem {
            position: 4,
            title: Some("Kumo".to_owned()),
            reason: "episode is missing or wrong",
        }],
        left_out: 2,
    };
    assert_eq!(file(JELLYFIN), expected);
}

/// curl writes the responses of several addresses one after another.
#[test]
fn series_of_the_file_identify_their_episodes() {
    for text in [
        format!("{JELLYFIN_SERIES}{JELLYFIN}"),
        format!("{JELLYFIN}\n{JELLYFIN_SERIES}"),
    ] {
        let read = file(&text);
        let (episode, movie) = (&read.items[0].video, &read.items[1].video);
        let expected = [item(Imdb, 7_700_100), item(Tvdb, 275_000)];
        assert_eq!(episode.series_ids, expected);
        assert_eq!(episode.year, Some(2016), "that of the series");
        assert_eq!((movie.series_ids.len(), movie.year), (0, Some(2019)));
        assert_eq!(read.left_out, 2, "series are no items");
    }
}

#[test]
fn answers_of_plex_are_read() {
    let episode = Video {
        year: Some(2016),
        file: Some("shelf/Kumo/Kumo - S01E05.mkv".to_owned()),
        ids: vec![item(Tvdb, 880_012)],
        series_ids: vec![item(Tvdb, 275_000), item(Imdb, 7_700_100)],
        ..kumo(1, 5)
    };
    let movie = Video {
        ids: vec![item(Imdb, 7_700_777), item(Database, 71)],
        ..web()
    };
    let expected = WatchedFile {
        format: WatchedFormat::Plex,
        items: vec![
            watched(1, Some(1_767_323_045_000), episode),
            watched(3, None, movie),
        ],
        skipped: Vec::new(),
        left_out: 1,
    };
    assert_eq!(file(PLEX), expected);
    let history = file(PLEX_HISTORY);
    let expected = [watched(1, Some(1_700_000_000_000), kumo(1, 5))];
    assert_eq!(history.items.as_slice(), &expected[..]);
    assert_eq!(history.left_out, 1);
}

#[test]
fn older_agents_of_plex_keep_their_identifiers() {
    let guid = "com.plexapp.agents.hama://anidb-17494/1/5?lang=en";
    let text = PLEX.replace("plex://episode/5e83", guid);
    let ids = &file(&text).items[0].video.series_ids;
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[test]
fn other_files_are_left_to_the_readers_of_lists() {
    for text in [
        "",
        "[]",
        "{}",
        "status,title\nwatching,\"Items\"\n",
        "<?xml version=\"1.0\"?><myanimelist/>",
        "{\"format\": \"kiroku\", \"version\": 1, \"user\": \"Items\", \"stories\": []}",
        "{\"lists\": [{\"name\": \"MediaContainer\", \"entries\": []}]}",
    ] {
        assert_eq!(try_read(text), Ok(None), "{text}");
    }
    for empty in ["{\"Items\": []}", "{\"MediaContainer\": {\"size\": 0}}"] {
        let read = file(empty);
        assert_eq!((read.items.len(), read.left_out), (0, 0));
    }
}

#[test]
fn file_that_cannot_be_read_has_a_clear_error() {
    for xml in [
        "<MediaContainer size=\"1\"><Video type=\"episode\"/></MediaContainer>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MediaContainer size=\"0\"/>",
    ] {
        assert!(refusal(xml).contains("Accept: application/json"));
    }
    for cut in [&JELLYFIN[..JELLYFIN.len() - 60], &PLEX[..PLEX.len() - 3]] {
        assert!(refusal(cut).starts_with("The JSON is invalid or ends too early at line "));
    }
    let second = format!("{JELLYFIN}<html>Unauthorized</html>");
    assert!(refusal(&second).starts_with("The JSON is invalid"));
    for shape in [
        "{\"Items\": 5}",
        "{\"Items\": {\"a\": []}}",
        "{\"MediaContainer\": 3}",
        "{\"MediaContainer\": {\"Metadata\": \"x\"}}",
        "{\"Items\": []}{\"error\": \"Unauthorized\"}",
        "{\"Items\": [], \"Items\": []}",
    ] {
        assert!(refusal(shape).contains("in the array Items"), "{shape}");
    }
}

#[test]
fn number_of_items_is_limited() {
    let of = |count: usize| format!("{{\"Items\": [{}]}}", vec!["{}"; count].join(","));
    assert_eq!(file(&of(MAX_ITEMS)).left_out, MAX_ITEMS);
    let half = of(MAX_ITEMS / 2 + 1);
    for text in [of(MAX_ITEMS + 1), of(25_000), format!("{half}{half}")] {
        assert!(refusal(&text).contains("more than 20,000 entries"));
    }
    let one = [JELLYFIN, PLEX].map(|text| read(text, None, &|| true));
    assert!(one.iter().all(Result::is_err), "cancelled");
}

#[test]
fn wrong_items_are_skipped_and_counted() {
    let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let overview = "x".repeat(110_000);
    let long = format!("{{\"Type\": \"Episode\", \"Overview\": \"{overview}\"}}");
    let episode = |season: &str, episode: &str| {
        format!(
            "{{\"Type\": \"Episode\", \"SeriesName\": \"Kumo\", \"ParentIndexNumber\": {season}, \
             \"IndexNumber\": {episode}, \"UserData\": {{\"Played\": true}}}}"
        )
    };
    let items = [
        "5".to_owned(),
        format!("{{\"Type\": {nested}}}"),
        long,
        episode("-1", "3"),
        episode("1", "99999"),
        episode("1", "\"1-3\""),
        episode("1", "4"),
        "{\"Type\": \"Movie\", \"Name\": [], \"UserData\": {\"Played\": true}}".to_owned(),
        "{\"Type\": \"Episode\", \"UserData\": []}".to_owned(),
        "null".to_owned(),
    ];
    let read = file(&format!("{{\"Items\": [{}]}}", items.join(",")));
    let skipped = read.skipped.iter();
    let skipped = skipped.map(|item| (item.position, item.reason));
    let expected = [
        (1, "is not a valid JSON object"),
        (2, "is not a valid JSON object"),
        (3, "is longer than 100 KB"),
        (4, "season is missing or wrong"),
        (5, "episode is missing or wrong"),
        (6, "episode is missing or wrong"),
        (8, "title is missing or wrong"),
        (10, "is not a valid JSON object"),
    ];
    assert_eq!(skipped.collect::<Vec<_>>(), expected);
    assert_eq!((read.items.len(), read.left_out), (1, 1));
    assert_eq!(read.items[0].video, kumo(1, 4));
}

/// Each item gets the identifiers of its series, so many identifiers of a series must not multiply.
#[test]
fn memory_is_bounded() {
    let guids = (1..4000).map(|id| json!({"id": format!("tvdb://{id}")}));
    let guids: Vec<Value> = guids.collect();
    let mut items = vec![json!({"type": "show", "ratingKey": 1, "Guid": guids})];
    let episode = json!({"type": "episode", "grandparentTitle": "Kumo", "parentIndex": 1, "index": 1,
        "grandparentRatingKey": 1, "viewCount": 1});
    items.extend(vec![episode; MAX_ITEMS - 1]);
    let text = json!({"MediaContainer": {"Metadata": items}}).to_string();
    let mut read = None;
    let used = allocation_counter::measure(|| read = Some(file(&text)));
    assert_eq!(read.unwrap().items.len(), MAX_ITEMS - 1);
    assert!(used.bytes_max < 40_000_000, "{}", used.bytes_max);
}

proptest! {
    #[test]
    fn arbitrary_files_do_not_panic(text: String, at in 0..4000_usize, byte: u8) {
        let _ = try_read(&text);
        for whole in [JELLYFIN, PLEX, PLEX_HISTORY, JELLYFIN_SERIES] {
            let mut bytes = whole.as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = try_read(&String::from_utf8_lossy(&bytes));
            let _ = try_read(&String::from_utf8_lossy(&bytes[..at]));
        }
    }
}
