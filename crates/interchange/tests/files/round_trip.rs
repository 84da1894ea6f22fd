//! Stories that are exported and imported again.

use interchange::{
    ExportFormat, ExportedStory, ListEntry, OmittedStories, ReadOptions, read, write,
};
use proptest::collection::vec;
use proptest::prelude::*;
use shared::input::MAX_SAFE_INTEGER;
use shared::input::Parameter;
use shared::models::{
    AnimeFormat, AnimeId, Details, DetailsChange, MAX_REPEATS, MAX_TRACKER_ID, Notes, PartialDate,
    StoryState, TrackerIds, UserScore, WatchStatus, WireEnum,
};

use super::list;

/// A story with its own texts.
#[derive(Clone, Debug)]
struct Owned {
    anime_id: AnimeId,
    trackers: TrackerIds,
    title: String,
    format: Option<AnimeFormat>,
    episodes_count: u32,
    state: StoryState,
    created_at_ms: u64,
    changed_at_ms: u64,
}

impl Owned {
    fn story(&self) -> ExportedStory<'_> {
        ExportedStory {
            anime_id: self.anime_id,
            trackers: self.trackers,
            title: &self.title,
            format: self.format,
            episodes_count: self.episodes_count,
            state: &self.state,
            created_at_ms: self.created_at_ms,
            changed_at_ms: self.changed_at_ms,
        }
    }

    /// Returns the entry for this story in this service's own JSON, which loses nothing.
    fn entry(&self, position: usize) -> ListEntry {
        let title = self.title.trim();
        ListEntry {
            anime_id: Some(self.anime_id),
            trackers: self.trackers,
            title: Some(title.to_owned()).filter(|title| !title.is_empty()),
            format: self.format,
            episodes: Some(self.episodes_count).filter(|count| *count > 0),
            current_episode: Some(self.state.current_episode),
            current_episode_ticks: Some(self.state.current_episode_ticks),
            details: self.state.details.clone().into(),
            created_at_ms: Some(self.created_at_ms),
            changed_at_ms: Some(self.changed_at_ms),
            ..ListEntry::new(position, self.state.status)
        }
    }
}

prop_compose! {
    fn any_date()(
        year in 1900_u16..=9999, month in 1_u8..=12, day in 1_u8..=28, known in 0..4,
    ) -> Option<PartialDate> {
        let month = Some(month).filter(|_| known > 1);
        let day = Some(day).filter(|_| known > 2);
        (known > 0).then(|| PartialDate::new(year, month, day).unwrap())
    }
}

/// Generates texts with everything that a format could mistake for its own syntax.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z0-9]{0,4}",
        Just("]]>".to_owned()),
        Just("<![CDATA[".to_owned()),
        Just("&amp;".to_owned()),
        Just("&#65;".to_owned()),
        Just("\"".to_owned()),
        Just("'".to_owned()),
        Just("=1+1".to_owned()),
        "[,;=+@<>&\\\\-]",
        "[ \\t\\n]",
        "[月火é😀\u{fffe}\u{ffff}\u{2028}]",
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn any_notes() -> impl Strategy<Value = Notes> {
    prop_oneof![any_text(), "\\PC{0,40}"].prop_map(|text| Notes::new(&text).unwrap())
}

prop_compose! {
    fn any_details()(
        tenths in prop::option::of(1..=1000_u16), started_on in any_date(), finished_on in any_date(),
        repeats in 0..=MAX_REPEATS, notes in any_notes(), private in any::<bool>(),
    ) -> Details {
        let score = tenths.and_then(UserScore::from_tenths);
        Details { score, started_on, finished_on, repeats, notes, private }
    }
}

prop_compose! {
    fn any_state()(
        (status, _) in prop::sample::select(WatchStatus::ALL), current_episode in any::<u32>(),
        current_episode_ticks in 0..=MAX_SAFE_INTEGER, details in any_details(),
    ) -> StoryState {
        StoryState { status, current_episode, watched_episodes: None, current_episode_ticks, details }
    }
}

fn any_id() -> impl Strategy<Value = Option<u32>> {
    prop::option::of(1..=MAX_TRACKER_ID)
}

prop_compose! {
    fn any_story()(
        anime_id in 1..=AnimeId::MAX, a in any_id(), b in any_id(), title in any_text(),
        format in prop::option::of(prop::sample::select(AnimeFormat::ALL)), episodes_count in any::<u32>(),
        state in any_state(), created_at_ms in 0..253_402_300_800_000_u64, changed_at_ms in 0..253_402_300_800_000_u64,
    ) -> Owned {
        Owned {
            anime_id: AnimeId::new(anime_id).unwrap(),
            trackers: TrackerIds { a, b },
            format: format.map(|(format, _)| format),
            title, episodes_count, state, created_at_ms, changed_at_ms,
        }
    }
}

fn export(format: ExportFormat, stories: &[Owned]) -> (Vec<u8>, OmittedStories) {
    let stories: Vec<ExportedStory> = stories.iter().map(Owned::story).collect();
    let mut bytes = Vec::new();
    let user = "ho<shi>]]>&";
    let left_out = write(format, user, 1_700_000_000_000, &stories, &mut bytes);
    (bytes, left_out.unwrap())
}

/// Returns the entries without titles. A title can lose invisible characters when it is read, which does not matter
/// for an entry with an identifier.
fn without_titles(entries: Vec<ListEntry>) -> Vec<ListEntry> {
    let clear = |entry| ListEntry {
        title: None,
        ..entry
    };
    entries.into_iter().map(clear).collect()
}

/// Returns the entry for the same story in MyAnimeList's XML.
fn in_mal_xml(entry: ListEntry) -> ListEntry {
    let details = entry.details;
    let whole = |score: UserScore| {
        let points = (score.tenths() + 50) / 100;
        UserScore::from_tenths(points.max(1) * 100).unwrap()
    };
    let notes = details.notes.unwrap();
    let allowed = notes.as_str().replace(['\u{fffe}', '\u{ffff}'], "");
    ListEntry {
        anime_id: None,
        trackers: TrackerIds {
            a: None,
            b: entry.trackers.b,
        },
        format: entry.format.map(|format| match format {
            AnimeFormat::TvShort => AnimeFormat::Tv,
            other => other,
        }),
        current_episode_ticks: None,
        details: DetailsChange {
            score: Some(details.score.unwrap().map(whole)),
            notes: Some(Notes::new(&allowed).unwrap()),
            private: None,
            ..details
        },
        created_at_ms: None,
        changed_at_ms: None,
        ..entry
    }
}

proptest! {
    #[test]
    fn json_restores_everything(stories in vec(any_story(), 0..6)) {
        let (bytes, left_out) = export(ExportFormat::Json, &stories);
        let expected = stories.iter().zip(1..).map(|(story, position)| story.entry(position));
        let file = read(&bytes, &ReadOptions::default()).unwrap();
        prop_assert_eq!(without_titles(file.entries), without_titles(expected.collect()));
        prop_assert_eq!(left_out, OmittedStories::default());
        prop_assert!(file.skipped.is_empty() && file.remarks.is_empty());
    }

    #[test]
    fn csv_restores_everything_but_ticks(stories in vec(any_story(), 0..6)) {
        let (bytes, left_out) = export(ExportFormat::Csv, &stories);
        let expected = stories.iter().zip(1..).map(|(story, position)| ListEntry {
            current_episode_ticks: None,
            format: None,
            ..story.entry(position)
        });
        let file = read(&bytes, &ReadOptions::default()).unwrap();
        prop_assert_eq!(without_titles(file.entries), without_titles(expected.collect()));
        prop_assert_eq!(left_out, OmittedStories::default());
        prop_assert!(file.skipped.is_empty() && file.remarks.is_empty());
    }

    #[test]
    fn mal_xml_restores_public_stories(stories in vec(any_story(), 0..6)) {
        let (bytes, left_out) = export(ExportFormat::MalXml, &stories);
        let private = stories.iter().filter(|story| story.state.details.private).count();
        let is_listed = |story: &&Owned| !story.state.details.private && story.trackers.b.is_some();
        let listed = stories.iter().filter(is_listed);
        let expected = listed.zip(1..).map(|(story, position)| in_mal_xml(story.entry(position)));
        let expected: Vec<ListEntry> = expected.collect();
        let without_mal_id = stories.len() - private - expected.len();
        let file = read(&bytes, &ReadOptions::default()).unwrap();
        prop_assert_eq!(without_titles(file.entries), without_titles(expected));
        prop_assert_eq!(left_out, OmittedStories { private, without_mal_id });
        prop_assert!(file.skipped.is_empty() && file.remarks.is_empty());
    }
}

fn example() -> Owned {
    Owned {
        anime_id: AnimeId::new(2).unwrap(),
        trackers: TrackerIds {
            a: Some(501),
            b: Some(1001),
        },
        title: "=Kumo, \"Hoshi\" & <TV>".to_owned(),
        format: Some(AnimeFormat::TvShort),
        episodes_count: 12,
        state: StoryState {
            status: WatchStatus::Repeating,
            current_episode: 5,
            watched_episodes: None,
            current_episode_ticks: 1_200_000,
            details: Details {
                score: UserScore::from_tenths(875),
                started_on: PartialDate::new(2016, Some(8), None),
                finished_on: None,
                repeats: 1,
                notes: Notes::new("-1\nend").unwrap(),
                private: false,
            },
        },
        created_at_ms: 1_700_000_000_000,
        changed_at_ms: 1_700_000_000_123,
    }
}

fn text_of(format: ExportFormat) -> String {
    String::from_utf8(export(format, &[example()]).0).unwrap()
}

#[test]
fn mal_xml_has_the_elements_in_order() {
    let text = text_of(ExportFormat::MalXml);
    let (start, anime) = text.split_once("<anime>\n").unwrap();
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<myanimelist>\n<myinfo>\n";
    assert!(start.starts_with(xml));
    for element in [
        "<user_name>ho&lt;shi&gt;]]&gt;&amp;</user_name>",
        "<user_export_type>1</user_export_type>",
        "<user_total_anime>1</user_total_anime>",
        "<user_total_watching>0</user_total_watching>",
        "<user_total_completed>1</user_total_completed>",
    ] {
        assert!(start.contains(element), "{start}");
    }
    let expected = "<series_animedb_id>1001</series_animedb_id>
<series_title><![CDATA[=Kumo, \"Hoshi\" & <TV>]]></series_title>
<series_type>TV</series_type>
<series_episodes>12</series_episodes>
<my_id>0</my_id>
<my_watched_episodes>5</my_watched_episodes>
<my_start_date>2016-08-00</my_start_date>
<my_finish_date>0000-00-00</my_finish_date>
<my_rated></my_rated>
<my_score>9</my_score>
<my_storage></my_storage>
<my_storage_value>0.00</my_storage_value>
<my_status>Completed</my_status>
<my_comments><![CDATA[-1
end]]></my_comments>
<my_times_watched>1</my_times_watched>
<my_rewatch_value></my_rewatch_value>
<my_priority>LOW</my_priority>
<my_tags><![CDATA[]]></my_tags>
<my_rewatching>1</my_rewatching>
<my_rewatching_ep>5</my_rewatching_ep>
<my_discuss>1</my_discuss>
<my_sns>default</my_sns>
<update_on_import>1</update_on_import>
</anime>
</myanimelist>
";
    assert_eq!(anime, expected);
}

#[test]
fn csv_has_a_header_crlf_and_no_formulas() {
    let expected = "anime_id,anilist_id,mal_id,title,status,current_episode,episodes,score,started_on,finished_on,\
        repeats,notes,private,created_at,updated_at\r\n\
        2,501,1001,\"'=Kumo, \"\"Hoshi\"\" & <TV>\",REPEATING,5,12,87.5,2016-08,,1,\"'-1\nend\",false,\
        2023-11-14T22:13:20Z,2023-11-14T22:13:20.123Z\r\n";
    assert_eq!(text_of(ExportFormat::Csv), expected);
}

#[test]
fn json_has_one_story_per_line() {
    let text = text_of(ExportFormat::Json);
    let story = r#"{"anime_id":2,"anilist_id":501,"mal_id":1001,"title":"=Kumo, \"Hoshi\" & <TV>","format":"TV_SHORT","episodes":12,"status":"REPEATING","current_episode":5,"current_episode_ticks":1200000,"score":87.5,"started_on":"2016-08","finished_on":null,"repeats":1,"notes":"-1\nend","private":false,"created_at":"2023-11-14T22:13:20Z","updated_at":"2023-11-14T22:13:20.123Z"}"#;
    assert_eq!(text.lines().nth(1), Some(story));
}

#[test]
fn empty_history_is_a_valid_file() {
    for (name, format) in [
        ("mal_xml", ExportFormat::MalXml),
        ("csv", ExportFormat::Csv),
        ("json", ExportFormat::Json),
    ] {
        let (bytes, _) = export(format, &[]);
        assert_eq!(list(bytes).entries, []);
        assert_eq!(ExportFormat::parse(name), Ok(Some(format)));
    }
    let reason = "must be one of mal_xml, csv, json".to_owned();
    assert_eq!(ExportFormat::parse("xml"), Err(reason));
}
