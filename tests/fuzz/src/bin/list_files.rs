//! List files are refused, or read to entries that are the same after they have been written again.

#![no_main]
#![expect(
    clippy::unwrap_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use fuzz::Input;
use interchange::{
    ExportFormat, ExportedStory, ListEntry, ListFormat, MAX_ROWS, ReadOptions, read, write,
    write_entries,
};
use libfuzzer_sys::fuzz_target;
use shared::models::{AnimeFormat, AnimeId, Details, StoryState, TrackerIds};

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><myanimelist><myinfo><user_export_type>1</user_export_type>\
    </myinfo><anime><series_animedb_id>7</series_animedb_id><series_title><![CDATA[Kumo]]></series_title>\
    <series_episodes>12</series_episodes><my_watched_episodes>5</my_watched_episodes><my_start_date>2016-08-00\
    </my_start_date><my_finish_date>0000-00-00</my_finish_date><my_score>8.5</my_score><my_status>Completed</my_status>\
    <my_comments>a &amp; b&#x2764;</my_comments><my_times_watched>1</my_times_watched><my_tags>x</my_tags>\
    <my_rewatching>1</my_rewatching><my_rewatching_ep>4</my_rewatching_ep></anime><anime><series_animedb_id/>\
    <my_status>2</my_status><my_last_updated>1700000000</my_last_updated></anime></myanimelist>";

const CSV: &str = "\u{feff}title;MAL ID;status;progress;score;started_on;notes;private;updated_at;shelf\r\n\
    \"Kumo; \"\"TV\"\"\";7;On-Hold;3;8,5;20160826;'=1+1;yes;2023-11-14 22:13:20;x\r\nHoshi;;dropped;;;2016-08;\"a\nb\"\n";

const ACCOUNT: &str = r#"{"user": {"id": 1}, "lists": [{"series_type": 0, "series_id": 501, "status": 2, "score": 87,
    "progress": 12, "repeat": 1, "private": 1, "notes": "a\nb", "custom_lists": ["x"], "started_on": 20160826,
    "finished_on": 0, "updated_at": "2023-11-14 22:13:20"}, {"series_type": 1, "series_id": 5, "status": 0}]}"#;

const QUERY: &str = r#"{"data": {"MediaListCollection": {"user": {"mediaListOptions": {"scoreFormat": "POINT_5"}},
    "lists": [{"name": "x", "entries": [{"mediaId": 501, "status": "CURRENT", "score": 4, "notes": null,
    "startedAt": {"year": 2016, "month": null, "day": null}, "media": {"idMal": 7, "title": {"romaji": "Kumo"}}}]}]}}}"#;

const KIROKU: &str = r#"{"format":"kiroku","version":1,"stories":[{"anime_id":2,"mal_id":7,"title":"Kumo","status":"PAUSED",
    "current_episode":5,"current_episode_ticks":1200000,"score":87.5,"started_on":"2016-08","finished_on":null,
    "repeats":1,"notes":"-1","private":true,"created_at":"2023-11-14T22:13:20Z"},{"mal_id":8,"status":"REPEATING"}]}"#;

const TRAKT: &str = r#"[{"id": 1, "watched_at": "2026-04-02T20:00:00.000Z", "action": "scrobble", "type": "episode", "episode":
    {"season": 3, "number": 14}, "show": {"title": "Kumo", "year": 2013, "ids": {"trakt": 1, "tvdb": 2, "tmdb": 3}}},
    {"id": 2, "watched_at": "unknown", "action": "watch", "type": "movie", "movie": {"title": "Hoshi", "ids": {}}}]"#;

const KITSU: &str = r#"{"data": [{"type": "libraryEntries", "attributes": {"status": "on_hold", "progress": 5,
    "ratingTwenty": 17, "startedAt": "2023-08-01T00:00:00Z"}, "relationships": {"anime": {"data": {"id": "7"}}}}],
    "included": [{"type": "anime", "id": "7", "attributes": {"canonicalTitle": "Kumo", "startDate": "2011-04-06"},
    "relationships": {"mappings": {"data": [{"id": "1"}]}}}, {"type": "mappings", "id": "1", "attributes":
    {"externalSite": "anidb", "externalId": "78"}}]}"#;

const TV_TIME: &str = "created_at,key,s_id,is_for_later,is_unitary,series_name,season_number,episode_number\n\
    2020-05-01 19:00:00,watch-episode-1,11,,,Kumo,3,14\n2020-05-02 19:00:00,user-series-2,21,true,true,Hoshi,,\n";

const TABLE: &str = "sep=;\nName;Status;Score;Episodes;Started\nKumo;Done;9/10;12/24;26.08.2016\n\
    Hoshi;on hold;-;;3/4/20\n";

const YAMTRACK: &str = "media_id,source,media_type,title,season_number,episode_number,score,status,notes,start_date,\
    end_date,progress\n7,mal,anime,Kumo,,,8.5,Completed,x,2025-10-01 18:00:00+00:00,2025-10-20,12\n\
    7,mal,anime,Kumo,,,,In progress,,,,4\n\
    9,tmdb,season,Umi,3,,7,Paused,,,,14\n9,tmdb,episode,Umi,3,14,,,,,2026-04-02,\n\
    7,tmdb,movie,Hoshi,,,,Completed,,,,1\n";

const RYOT: &str = r#"{"metadata": [{"lot": "anime", "source": "anilist", "identifier": "7", "source_id": "Kumo",
    "collections": [{"collection_name": "Completed"}], "seen_history": [{"state": "completed", "ended_on": "2026-02-01",
    "anime_episode_number": 12}], "reviews": [{"rating": "82.5", "review": {"text": "x"}}]}, {"lot": "show",
    "source": "tmdb", "identifier": "9", "source_id": "Umi", "seen_history": [{"state": "dropped", "show_season_number": 1,
    "show_episode_number": 2}]}]}"#;

const ANIDB: &str = r#"<MyList><Anime Id="7" Eps="2" TypeName="OVA" Name="Kumo" MyVote="7.5"><Ep EpNo="2"><File
    ViewDate="2026-01-05T20:00:00Z"/></Ep><Ep EpNo="S1" StateIsWatched="1"/></Anime></MyList>"#;

const HI_ANIME: &str =
    "# Watching\nKumo | https://myanimelist.net/anime/7\n# Completed\nHoshi | Umi | \n";

const NETFLIX: &str = "Title,Date\n\"Kumo: Season 1: Episode 3\",1/25/26\nKumo: Season 1: Rain,1/4/26\nHoshi,26.1.25\n";

/// Returns the entries as a list without gaps in the positions.
fn numbered(entries: &[ListEntry]) -> Vec<ListEntry> {
    let number = |(entry, position): (&ListEntry, usize)| ListEntry {
        position,
        ..entry.clone()
    };
    entries.iter().zip(1..).map(number).collect()
}

/// Returns a state that the entry could become in the history of a user.
fn state(entry: &ListEntry) -> StoryState {
    StoryState {
        status: entry.status,
        current_episode: entry.current_episode.unwrap_or(0),
        watched_episodes: None,
        current_episode_ticks: entry.current_episode_ticks.unwrap_or(0),
        details: entry.details.apply_to(&Details::default()),
    }
}

/// Exports the states of stories, and returns those that are read again. Only the JSON has all parts of a state.
fn exported(format: ExportFormat, states: &[StoryState]) -> Vec<StoryState> {
    let story = |(state, number)| ExportedStory {
        anime_id: AnimeId::new(number).unwrap(),
        trackers: TrackerIds {
            a: None,
            b: u32::try_from(number).ok(),
        },
        title: "Kumo",
        format: Some(AnimeFormat::Tv),
        episodes_count: 0,
        state,
        created_at_ms: 0,
        changed_at_ms: 0,
    };
    let stories: Vec<ExportedStory> = states.iter().zip(1..).map(story).collect();
    let mut bytes = Vec::new();
    let left_out = write(format, "hoshi", 0, &stories, &mut bytes).unwrap();
    let file = read(&bytes, &ReadOptions::default()).unwrap();
    assert!(file.skipped.is_empty() && file.remarks.is_empty());
    assert_eq!(file.entries.len() + left_out.private, states.len());
    file.entries.iter().map(state).collect()
}

fn check(bytes: &[u8]) {
    let Ok(file) = read(bytes, &ReadOptions::default()) else {
        return;
    };
    let entries = file.entries.iter().map(|entry| entry.position);
    let skipped = file.skipped.iter().map(|entry| entry.position);
    let mut positions: Vec<usize> = entries.chain(skipped).collect();
    positions.sort_unstable();
    assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(positions.last().is_none_or(|last| *last <= MAX_ROWS));
    for entry in &file.entries {
        let ids = (entry.anime_id, entry.trackers.a, entry.trackers.b);
        let has_id = ids != (None, None, None) || !entry.ids.is_empty();
        assert!(has_id || entry.title.is_some());
    }
    let mut again = Vec::new();
    write_entries("hoshi", 0, &file.entries, &mut again).unwrap();
    let again = read(&again, &ReadOptions::default()).unwrap();
    assert_eq!(again.format, ListFormat::KirokuJson);
    assert_eq!(again.entries, numbered(&file.entries));
    assert!(again.skipped.is_empty());
    let mut states: Vec<StoryState> = file.entries.iter().map(state).collect();
    assert_eq!(exported(ExportFormat::Json, &states), states);
    for state in &mut states {
        state.current_episode_ticks = 0;
    }
    assert_eq!(exported(ExportFormat::Csv, &states), states);
    states.retain(|state| !state.details.private);
    let statuses = |states: &[StoryState]| -> Vec<_> {
        let states = states.iter();
        states
            .map(|state| (state.status, state.current_episode))
            .collect()
    };
    let in_xml = exported(ExportFormat::MalXml, &states);
    assert_eq!(statuses(&in_xml), statuses(&states));
}

fuzz_target!(|input: Input| {
    for valid in [
        XML, CSV, ACCOUNT, QUERY, KIROKU, TRAKT, KITSU, TV_TIME, TABLE, YAMTRACK, RYOT, ANIDB,
        HI_ANIME, NETFLIX,
    ] {
        check(&input.bytes(valid.as_bytes()));
    }
});
