//! Refreshes of the songs, from a fake `AnimeThemes` to the answers of the service.

use std::time::Duration;

use catalog_refresh::{NO_SONG_TITLE, Scope, Sources, TOO_MANY};
use serde_json::{Value, json};
use shared::models::{AnimeId, Season, Song, SongId, SongType};
use tests::refreshed::{CHANGED_S, Refreshed, counts, media};
use tests::trackers::Fault;

/// An anime as `AnimeThemes` has it, with its songs: type, title and artists.
fn themed(id: u64, at_tracker_a: u32, songs: &[(&str, &str, &[&str])]) -> Value {
    let theme = |(place, (kind, title, artists)): (usize, &(&str, &str, &[&str]))| {
        let artists = artists.iter().map(|name| json!({"name": name}));
        let artists: Vec<Value> = artists.collect();
        json!({
            "id": id * 100 + place as u64, "type": kind, "sequence": 1, "slug": format!("{kind}1"),
            "updated_at": "2022-11-14T22:13:20.000000Z",
            "song": {"title": title, "artists": artists},
        })
    };
    let themes: Vec<Value> = songs.iter().enumerate().map(theme).collect();
    json!({
        "id": id, "name": "Not read", "year": 2021, "season": "Spring",
        "resources": [
            {"external_id": at_tracker_a, "site": "AniList"},
            {"external_id": 5, "site": "MyAnimeList"},
            {"external_id": null, "site": "Official Website"},
        ],
        "animethemes": themes,
    })
}

/// Anime 1 to 3, the first of which has songs.
async fn bench() -> Refreshed {
    let anime = (1..=3).map(|id| media(id, &Value::Null)).collect();
    let bench = Refreshed::empty().await.with(anime, 50);
    bench.themes.state().themes = vec![themed(
        70,
        1,
        &[
            ("OP", " Kumo ", &["Ame", "Yuki"]),
            ("ED", "Kumo", &[]),
            ("IN", "Kaze", &["Ame"]),
            ("OP", "Kumo", &["Ame", "Yuki"]),
        ],
    )];
    bench
}

fn song(slot: u16, song_type: SongType, title: &str, artist: &str) -> Song {
    Song {
        id: SongId::of_anime(AnimeId::new(2).unwrap(), slot).unwrap(),
        anime_id: AnimeId::new(2).unwrap(),
        title: title.into(),
        artist: artist.into(),
        album: String::new(),
        year: 2021,
        season: Season::Spring,
        duration: 0,
        preview_url: String::new(),
        open_player_url: String::new(),
        local_player_url: String::new(),
        song_type,
    }
}

#[tokio::test]
async fn songs_come_with_their_anime_and_a_second_run_changes_nothing() {
    let bench = bench().await;
    let report = bench.refresh_both().await;
    assert!(report.ended().is_none(), "{report:?}");
    assert_eq!(counts(&report.songs), [3, 0, 0, 0], "one comes twice");
    assert_eq!(report.published, [("anime", 3), ("song", 3)].into());
    let expected = [
        song(0, SongType::Opening, "Kumo", "Ame, Yuki"),
        song(1, SongType::Ending, "Kumo", ""),
        song(2, SongType::None, "Kaze", "Ame"),
    ];
    assert_eq!(bench.song_rows().await, expected);
    let found = bench.service.get("/v1/song?artist=yuki&anime_id=2").await;
    assert_eq!(found.ids(), [2048]);
    let sent = bench.themes.state().received[0].params();
    assert_eq!(sent["filter[external_id]"], "1,2,3");
    assert!(bench.song_state().await.pending.is_empty());

    let report = bench.run(bench.both(), Scope::All).await.unwrap();
    assert_eq!(counts(&report.songs), [0, 0, 3, 0]);
    assert!(report.published.is_empty());
    assert_eq!(bench.song_rows().await, expected);
}

/// Whoever loaded songs looked closer: only what they left open is filled.
#[tokio::test]
async fn songs_that_are_there_keep_their_ids_and_what_they_have() {
    let bench = bench().await;
    let mut known = song(4, SongType::Opening, "Kumo", "Ame feat. Yuki");
    known.album = "Sora".into();
    known.duration = 90_000;
    (known.year, known.season) = (2019, Season::Unknown);
    let mut bare = song(6, SongType::Ending, "Kumo", "");
    (bare.year, bare.season) = (0, Season::Unknown);
    bench.service.put(&[known.clone(), bare]).await;
    bench.themes.state().themes[0]["animethemes"][1]["song"]["artists"] =
        json!([{"name": "Tsuki"}]);
    let report = bench.refresh_both().await;
    assert_eq!(counts(&report.songs), [1, 1, 1, 0]);
    let expected = [
        known,
        song(6, SongType::Ending, "Kumo", "Tsuki"),
        song(7, SongType::None, "Kaze", "Ame"),
    ];
    assert_eq!(bench.song_rows().await, expected);
}

/// Songs come later than their anime, mostly: they are found by when they changed.
#[tokio::test]
async fn songs_that_are_new_there_are_found_for_anime_that_did_not_change() {
    let bench = bench().await;
    bench.themes.state().themes[0]["animethemes"] = json!([]);
    bench.refresh_both().await;
    assert_eq!(bench.song_rows().await, []);
    let mut with_songs = themed(70, 1, &[("OP", "Kumo", &[])]);
    with_songs["animethemes"][0]["updated_at"] = json!("2023-11-14T21:13:20.000000Z");
    let mut unknown = themed(71, 999, &[("OP", "Nobody's", &[])]);
    unknown["animethemes"][0]["updated_at"] = json!("2023-11-14T21:13:20+00:00");
    let old = themed(72, 2, &[("OP", "Old", &[])]);
    bench.themes.state().themes = vec![unknown, with_songs, old];
    let report = bench.refresh_both().await;
    assert_eq!(counts(&report.songs), [1, 0, 0, 0]);
    assert_eq!(bench.song_state().await.watermark, Some(CHANGED_S));
    let last = bench.themes.last().params();
    assert_eq!(last["filter[anime][id]"], "70,71");

    // The next run has nothing to do: what changed last is at the watermark, and known.
    let report = bench.refresh_both().await;
    assert_eq!(counts(&report.songs), [0, 0, 1, 0]);
    assert!(report.published.is_empty());
}

#[tokio::test]
async fn pages_of_changed_songs_are_read_to_the_watermark() {
    let bench = bench().await;
    bench.refresh_both().await;
    let anime = |id: u64| {
        let title = format!("Song {id}");
        let mut anime = themed(id, 1, &[("ED", &title, &[])]);
        let minute = format!("2023-11-14T21:{:0>2}:00Z", 59 - id % 60);
        anime["animethemes"][0]["updated_at"] = json!(minute);
        anime
    };
    {
        let mut state = bench.themes.state();
        state.per_page = 2;
        state.themes = (100..107).map(anime).collect();
    }
    let before = bench.themes.count();
    let report = bench.refresh_both().await;
    assert!(report.ended().is_none(), "{report:?}");
    // Four pages of changes; and of seven anime the first two, because the fake has small pages.
    assert_eq!(bench.themes.count() - before, 5);
    assert_eq!(report.songs.added, 2);
}

#[tokio::test]
async fn anime_are_asked_about_until_there_was_an_answer() {
    let bench = bench().await;
    bench.themes.fail(Fault::answer(403, "{}"));
    let report = bench.refresh_both().await;
    let ended = report.songs_ended.unwrap().to_string();
    assert_eq!(ended, "later: anime_themes by_tracker_a: status 403");
    assert!(report.anime_ended.is_none());
    assert_eq!(bench.anime_state().await.watermark, Some(CHANGED_S));
    let state = bench.song_state().await;
    assert_eq!((state.pending.len(), state.watermark), (3, None));

    bench.service.clock.advance(Duration::from_hours(6));
    let report = bench.refresh_both().await;
    assert_eq!(counts(&report.anime)[..2], [0, 0], "no anime has changed");
    assert_eq!(counts(&report.songs), [3, 0, 0, 0]);
    assert!(bench.song_state().await.pending.is_empty());
}

#[tokio::test]
async fn without_anime_themes_nothing_is_noted_and_alone_it_works_too() {
    let bench = bench().await;
    bench.refresh().await;
    assert_eq!(bench.song_state().await, store::RefreshState::default());
    let songs = Sources {
        anime: None,
        ..bench.both()
    };
    let report = bench.run(songs, Scope::All).await.unwrap();
    assert_eq!(counts(&report.songs), [3, 0, 0, 0]);
    assert_eq!(bench.tracker.count(), 1);
}

#[tokio::test]
async fn what_anime_themes_says_amiss() {
    let faults: [fn() -> Fault; 5] = [
        || Fault::answer(500, "{}"),
        || Fault::answer(200, "<!DOCTYPE html>"),
        || Fault::Answer(429, vec![("retry-after", "7".to_owned())], "{}".to_owned()),
        || Fault::Truncate,
        || Fault::edit(|body| body["anime"][0]["year"] = json!("soon")),
    ];
    for fault in faults {
        let bench = bench().await;
        bench.themes.fail(fault());
        let report = bench.refresh_both().await;
        assert!(report.ended().is_none(), "{report:?}");
        assert_eq!(counts(&report.songs), [3, 0, 0, 0]);
    }
    let bench = bench().await;
    bench
        .themes
        .fail(Fault::answer(422, "{\"message\": \"no\"}"));
    let ended = bench.refresh_both().await.songs_ended.unwrap();
    let expected = "final: anime_themes by_tracker_a: status 422";
    assert_eq!(ended.to_string(), expected);
}

/// An answer says where the next page is. Nobody goes there.
#[tokio::test]
async fn a_next_page_elsewhere_is_not_followed() {
    let bench = bench().await;
    let elsewhere = Refreshed::empty().await;
    let next = format!("{}/anime?page[number]=2", elsewhere.themes.origin);
    bench
        .themes
        .fail(Fault::edit(move |body| body["links"]["next"] = json!(next)));
    let report = bench.refresh_both().await;
    assert!(report.ended().is_none(), "{report:?}");
    assert_eq!(elsewhere.themes.count(), 0);
    let asked = bench.themes.state().received[1].params();
    assert_eq!(asked["page[number]"], "2");
    assert_eq!(asked["filter[external_id]"], "1,2,3");
}

/// Then all anime match, and the first of them are in the answer.
#[tokio::test]
async fn a_filter_that_is_passed_over_is_noticed() {
    let bench = bench().await;
    bench.refresh_both().await;
    let before = bench.song_rows().await;
    let mut changed = themed(70, 1, &[("OP", "Kumo", &[])]);
    changed["animethemes"][0]["updated_at"] = json!("2023-11-14T22:13:20Z");
    bench.themes.state().themes = vec![changed];
    let others = || {
        let other = themed(99, 3, &[("OP", "Another's", &[])]);
        Fault::edit(move |body| body["anime"] = json!([other]))
    };
    bench
        .themes
        .fail_each_after(1, [others(), others(), others()]);
    let ended = bench.refresh_both().await.songs_ended.unwrap();
    let expected = "later: anime_themes by_ids: malformed: an anime that was not asked for";
    assert_eq!(ended.to_string(), expected);
    assert_eq!(bench.song_rows().await, before);
    assert!(bench.refresh_both().await.ended().is_none());
}

#[tokio::test]
async fn what_cannot_be_a_song_is_skipped_and_counted() {
    let bench = bench().await;
    let last = song(1_023, SongType::Ending, "The last", "");
    bench.service.put(&[last]).await;
    {
        let mut state = bench.themes.state();
        let themes = state.themes[0]["animethemes"].as_array_mut().unwrap();
        themes[0]["song"] = json!(null);
        themes[1]["song"]["title"] = json!(null);
        themes[2]["song"]["title"] = json!("x".repeat(10_001));
    }
    let report = bench.refresh_both().await;
    assert_eq!(counts(&report.songs), [0, 0, 0, 4]);
    assert_eq!(report.songs.skipped_for(NO_SONG_TITLE), 2);
    assert_eq!(report.songs.skipped_for(TOO_MANY), 2);
}
