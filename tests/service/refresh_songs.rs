//! Refreshes of songs, from a fake `AnimeThemes` to the responses of the service.

use std::time::Duration;

use catalog_refresh::SourceName::{AniList, AnimeThemes};
use catalog_refresh::{NO_SONG_TITLE, RefreshScope, Sources, TOO_MANY_SONGS};
use serde_json::{Value, json};
use shared::models::{AnimeId, Role, Season, Song, SongId, SongType};
use tests::refreshed::{CHANGED_S, Refreshed, counts, failure, media};
use tests::trackers::Fault;

/// Returns an anime in the format of `AnimeThemes`, with songs of these types, titles and artists.
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

/// Returns a service with the anime 1 to 3 at the fakes. The first has songs.
async fn refreshed_with_songs() -> Refreshed {
    let anime = (1..=3).map(|id| media(id, &Value::Null)).collect();
    let refreshed = Refreshed::empty().await.with_media(anime, 50);
    refreshed.themes.state().themes = vec![themed(
        70,
        1,
        &[
            ("OP", " Kumo ", &["Ame", "Yuki"]),
            ("ED", "Kumo", &[]),
            ("IN", "Kaze", &["Ame"]),
            ("OP", "Kumo", &["Ame", "Yuki"]),
        ],
    )];
    refreshed
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
async fn songs_of_new_anime_are_added_once() {
    let refreshed = refreshed_with_songs().await;
    let report = refreshed.refresh_both().await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(
        counts(&report, AnimeThemes),
        [3, 0, 0, 0],
        "the fourth theme repeats the first"
    );
    assert_eq!(report.published, [("anime", 3), ("song", 3)].into());
    let expected = [
        song(0, SongType::Opening, "Kumo", "Ame, Yuki"),
        song(1, SongType::Ending, "Kumo", ""),
        song(2, SongType::None, "Kaze", "Ame"),
    ];
    assert_eq!(refreshed.song_rows().await, expected);
    let found = refreshed
        .service
        .get("/v1/song?artist=yuki&anime_id=2")
        .await;
    assert_eq!(found.ids(), [2048]);
    let sent = refreshed.themes.state().received[0].params();
    assert_eq!(sent["filter[external_id]"], "1,2,3");
    assert!(refreshed.song_state().await.pending.is_empty());

    let report = refreshed
        .run(refreshed.both_sources(), RefreshScope::All)
        .await
        .unwrap();
    assert_eq!(counts(&report, AnimeThemes), [0, 0, 3, 0]);
    assert!(report.published.is_empty());
    assert_eq!(refreshed.song_rows().await, expected);
}

/// Songs that are already stored take precedence. A refresh only fills in their missing fields.
#[tokio::test]
async fn stored_songs_keep_their_ids_and_fields() {
    let refreshed = refreshed_with_songs().await;
    let mut known = song(4, SongType::Opening, "Kumo", "Ame feat. Yuki");
    known.album = "Sora".into();
    known.duration = 90_000;
    (known.year, known.season) = (2019, Season::Unknown);
    let mut bare = song(6, SongType::Ending, "Kumo", "");
    (bare.year, bare.season) = (0, Season::Unknown);
    refreshed.service.put(&[known.clone(), bare]).await;
    refreshed.themes.state().themes[0]["animethemes"][1]["song"]["artists"] =
        json!([{"name": "Tsuki"}]);
    let report = refreshed.refresh_both().await;
    assert_eq!(counts(&report, AnimeThemes), [1, 1, 1, 0]);
    let expected = [
        known,
        song(6, SongType::Ending, "Kumo", "Tsuki"),
        song(7, SongType::None, "Kaze", "Ame"),
    ];
    assert_eq!(refreshed.song_rows().await, expected);
}

/// Songs are usually added later than their anime, so the refresh finds them by their own time of change.
#[tokio::test]
async fn new_songs_of_unchanged_anime_are_added() {
    let refreshed = refreshed_with_songs().await;
    refreshed.themes.state().themes[0]["animethemes"] = json!([]);
    refreshed.refresh_both().await;
    assert_eq!(refreshed.song_rows().await, []);
    let mut with_songs = themed(70, 1, &[("OP", "Kumo", &[])]);
    with_songs["animethemes"][0]["updated_at"] = json!("2023-11-14T21:13:20.000000Z");
    let mut unknown = themed(71, 999, &[("OP", "Nobody's", &[])]);
    unknown["animethemes"][0]["updated_at"] = json!("2023-11-14T21:13:20+00:00");
    let old = themed(72, 2, &[("OP", "Old", &[])]);
    refreshed.themes.state().themes = vec![unknown, with_songs, old];
    let report = refreshed.refresh_both().await;
    assert_eq!(counts(&report, AnimeThemes), [1, 0, 0, 0]);
    assert_eq!(refreshed.song_state().await.watermark, Some(CHANGED_S));
    let last = refreshed.themes.last().params();
    assert_eq!(last["filter[anime][id]"], "70,71");

    // The song at the watermark is read again, but has not changed.
    let report = refreshed.refresh_both().await;
    assert_eq!(counts(&report, AnimeThemes), [0, 0, 1, 0]);
    assert!(report.published.is_empty());
}

#[tokio::test]
async fn changed_songs_are_read_page_by_page_up_to_the_watermark() {
    let refreshed = refreshed_with_songs().await;
    refreshed.refresh_both().await;
    let anime = |id: u64| {
        let title = format!("Song {id}");
        let mut anime = themed(id, 1, &[("ED", &title, &[])]);
        let minute = format!("2023-11-14T21:{:0>2}:00Z", 59 - id % 60);
        anime["animethemes"][0]["updated_at"] = json!(minute);
        anime
    };
    {
        let mut state = refreshed.themes.state();
        state.per_page = 2;
        state.themes = (100..107).map(anime).collect();
    }
    let before = refreshed.themes.count();
    let report = refreshed.refresh_both().await;
    assert!(report.failure().is_none(), "{report:?}");
    // Four pages of changes, and one of seven anime, which returns two because of the fake's page size.
    assert_eq!(refreshed.themes.count() - before, 5);
    assert_eq!(counts(&report, AnimeThemes), [2, 0, 0, 0]);
}

#[tokio::test]
async fn failed_requests_for_songs_are_repeated_in_the_next_run() {
    let refreshed = refreshed_with_songs().await;
    refreshed.themes.fail(Fault::answer(403, "{}"));
    let report = refreshed.refresh_both().await;
    let ended = failure(&report, AnimeThemes);
    assert_eq!(ended, "later: anime_themes by_tracker_a: status 403");
    assert!(report.sources[&AniList].failure().is_none());
    assert_eq!(refreshed.anime_state().await.watermark, Some(CHANGED_S));
    let state = refreshed.song_state().await;
    assert_eq!((state.pending.len(), state.watermark), (3, None));

    refreshed.service.clock.advance(Duration::from_hours(6));
    let report = refreshed.refresh_both().await;
    assert_eq!(
        counts(&report, AniList)[..2],
        [0, 0],
        "no anime has changed"
    );
    assert_eq!(counts(&report, AnimeThemes), [3, 0, 0, 0]);
    assert!(refreshed.song_state().await.pending.is_empty());
}

#[tokio::test]
async fn each_source_can_be_refreshed_alone() {
    let refreshed = refreshed_with_songs().await;
    refreshed.refresh().await;
    assert_eq!(
        refreshed.song_state().await,
        catalogue::snapshots::RefreshState::default()
    );
    let songs = Sources {
        anilist: None,
        ..refreshed.both_sources()
    };
    let report = refreshed.run(songs, RefreshScope::All).await.unwrap();
    assert_eq!(counts(&report, AnimeThemes), [3, 0, 0, 0]);
    assert_eq!(refreshed.tracker.count(), 1);
}

#[tokio::test]
async fn temporary_faults_of_anime_themes_are_retried() {
    let faults: [fn() -> Fault; 5] = [
        || Fault::answer(500, "{}"),
        || Fault::answer(200, "<!DOCTYPE html>"),
        || Fault::Answer(429, vec![("retry-after", "7".to_owned())], "{}".to_owned()),
        || Fault::Truncate,
        || Fault::edit(|body| body["anime"][0]["year"] = json!("soon")),
    ];
    for fault in faults {
        let refreshed = refreshed_with_songs().await;
        refreshed.themes.fail(fault());
        let report = refreshed.refresh_both().await;
        assert!(report.failure().is_none(), "{report:?}");
        assert_eq!(counts(&report, AnimeThemes), [3, 0, 0, 0]);
    }
    let refreshed = refreshed_with_songs().await;
    refreshed
        .themes
        .fail(Fault::answer(422, "{\"message\": \"no\"}"));
    let ended = failure(&refreshed.refresh_both().await, AnimeThemes);
    let expected = "final: anime_themes by_tracker_a: status 422";
    assert_eq!(ended, expected);
}

/// The refresh computes the address of the next page itself instead of using the one in the response.
#[tokio::test]
async fn next_page_on_another_host_is_not_followed() {
    let refreshed = refreshed_with_songs().await;
    let elsewhere = Refreshed::empty().await;
    let next = format!("{}/anime?page[number]=2", elsewhere.themes.origin);
    refreshed
        .themes
        .fail(Fault::edit(move |body| body["links"]["next"] = json!(next)));
    let report = refreshed.refresh_both().await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(elsewhere.themes.count(), 0);
    let params = refreshed.themes.state().received[1].params();
    assert_eq!(params["page[number]"], "2");
    assert_eq!(params["filter[external_id]"], "1,2,3");
}

/// An API that ignored the filter would return anime that the refresh did not ask for.
#[tokio::test]
async fn response_to_an_ignored_filter_is_rejected() {
    let refreshed = refreshed_with_songs().await;
    refreshed.refresh_both().await;
    let before = refreshed.song_rows().await;
    let mut changed = themed(70, 1, &[("OP", "Kumo", &[])]);
    changed["animethemes"][0]["updated_at"] = json!("2023-11-14T22:13:20Z");
    refreshed.themes.state().themes = vec![changed];
    let others = || {
        let other = themed(99, 3, &[("OP", "Another's", &[])]);
        Fault::edit(move |body| body["anime"] = json!([other]))
    };
    refreshed
        .themes
        .fail_each_after(1, [others(), others(), others()]);
    let ended = failure(&refreshed.refresh_both().await, AnimeThemes);
    let expected = "later: anime_themes by_ids: malformed: an anime that was not asked for";
    assert_eq!(ended, expected);
    assert_eq!(refreshed.song_rows().await, before);
    assert!(refreshed.refresh_both().await.failure().is_none());
}

#[tokio::test]
async fn invalid_songs_are_skipped_and_counted() {
    let refreshed = refreshed_with_songs().await;
    let last = song(1_023, SongType::Ending, "The last", "");
    refreshed.service.put(&[last]).await;
    {
        let mut state = refreshed.themes.state();
        let themes = state.themes[0]["animethemes"].as_array_mut().unwrap();
        themes[0]["song"] = json!(null);
        themes[1]["song"]["title"] = json!(null);
        themes[2]["song"]["title"] = json!("x".repeat(10_001));
    }
    let report = refreshed.refresh_both().await;
    assert_eq!(counts(&report, AnimeThemes), [0, 0, 0, 4]);
    assert_eq!(
        report
            .counts(AnimeThemes)
            .unwrap()
            .skipped_for(NO_SONG_TITLE),
        2
    );
    assert_eq!(
        report
            .counts(AnimeThemes)
            .unwrap()
            .skipped_for(TOO_MANY_SONGS),
        2
    );
}

/// An anime whose last slot is taken can get no more songs, but those that it has are still completed.
#[tokio::test]
async fn songs_of_a_full_anime_are_completed() {
    let refreshed = refreshed_with_songs().await;
    let full = [
        song(7, SongType::Opening, "Kumo", ""),
        song(1_023, SongType::Ending, "Kumo", ""),
    ];
    refreshed.service.put(&full).await;
    let report = refreshed.refresh_both().await;
    assert_eq!(counts(&report, AnimeThemes), [0, 1, 1, 1]);
    assert_eq!(
        report
            .counts(AnimeThemes)
            .unwrap()
            .skipped_for(TOO_MANY_SONGS),
        1
    );
    let opening = song(7, SongType::Opening, "Kumo", "Ame, Yuki");
    assert!(refreshed.song_rows().await.contains(&opening));
}

#[tokio::test]
async fn corrected_songs_are_found_under_both_titles() {
    let refreshed = refreshed_with_songs().await;
    refreshed.refresh_both().await;
    let service = &refreshed.service;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    for (field, text) in [("title", "Cloud"), ("artist", ""), ("season", "FALL")] {
        service.correct::<Song>(&moderator, 2048, field, text).await;
    }
    let expected = refreshed.song_rows().await;
    assert_eq!((&*expected[0].title, &*expected[0].artist), ("Cloud", ""));
    let run = refreshed
        .run(refreshed.both_sources(), RefreshScope::All)
        .await;
    assert_eq!(counts(&run.unwrap(), AnimeThemes), [0, 0, 3, 0]);
    let songs: [(&str, &str, &[&str]); 2] = [("OP", "Cloud", &["Hare"]), ("OP", "Kumo", &["Hare"])];
    refreshed.themes.state().themes = vec![themed(70, 1, &songs)];
    let run = refreshed
        .run(refreshed.both_sources(), RefreshScope::All)
        .await;
    assert_eq!(counts(&run.unwrap(), AnimeThemes), [0, 0, 1, 0]);
    assert_eq!(refreshed.song_rows().await, expected);
    service.take_back::<Song>(&moderator, 2048, "artist").await;
    assert_eq!(refreshed.song_rows().await[0].artist, "Ame, Yuki");
}
