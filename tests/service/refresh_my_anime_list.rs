//! Refreshes of anime from a fake `MyAnimeList`.

use std::time::Duration;

use catalog_refresh::SourceName::{AniList, MyAnimeList};
use catalog_refresh::{RefreshScope, refresh};
use catalogue::import::{NO_TITLE, OTHER_FORMAT, TRACKER_ID_RANGE};
use serde_json::{Value, json};
use shared::models::AnimeId;
use tests::assertions::AssertText;
use tests::refreshed::{CHANGED_S, Refreshed, counts, failure, listed, media};
use tests::service::START_MS;
use tests::table::table;
use tests::trackers::Fault;

/// Returns a time before the clock starts, as `MyAnimeList` writes it.
fn minutes_ago(minutes: u64) -> String {
    let seconds = START_MS / 1000 - minutes * 60;
    let time = time::OffsetDateTime::from_unix_timestamp(seconds.try_into().unwrap()).unwrap();
    let format = time::format_description::well_known::Rfc3339;
    time.format(&format).unwrap()
}

async fn with_listed(anime: Vec<Value>) -> Refreshed {
    let refreshed = Refreshed::empty().await;
    refreshed.tracker_b.state().media = anime;
    refreshed
}

/// Returns the paths of the requests, without the base.
fn paths(refreshed: &Refreshed) -> Vec<String> {
    let state = refreshed.tracker_b.state();
    let paths = state.received.iter().map(|sent| sent.path.clone());
    paths.map(|path| path.replace("/v2/anime/", "")).collect()
}

#[tokio::test]
async fn anime_of_my_anime_list_is_mapped_to_the_api() {
    let complete = listed(
        9,
        &json!({
            "title": " Kumo ", "main_picture": {"medium": "https://i.test/m.jpg", "large": "https://i.test/l.jpg"},
            "alternative_titles": {"synonyms": ["Cloud Atlas"], "en": "Clouds", "ja": "雲"},
            "start_date": "2020-10-03", "end_date": "2021-02", "mean": 7.13, "nsfw": "black",
            "synopsis": "One cloud.\n\nTwo.\n\n[Written by MAL Rewrite]", "media_type": "tv_special",
            "genres": [{"id": 1, "name": "Sci-Fi"}, {"id": 2, "name": "Drama"}, {"id": 3, "name": "Unheard Of"}],
            // 01:25 on Tuesday in Japan is Monday in UTC.
            "broadcast": {"day_of_the_week": "tuesday", "start_time": "01:25"},
            "average_episode_duration": 1_430, "status": "currently_airing",
        }),
    );
    let refreshed = with_listed(vec![complete]).await;
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(report.published, [("anime", 1)].into());
    let expected = json!({
        "id": 19, "tracker_a_id": null, "tracker_b_id": 9, "database_id": null,
        "format": 3, "status": 1, "titles": {"rj": "Kumo", "en": "Clouds", "jp": "雲"},
        "descriptions": {"en": "One cloud.\n\nTwo."},
        "start_date": "2020-10-03T00:00:00Z", "end_date": null, "weekly_airing_day": 1,
        "season_period": 3, "season_year": 2020, "episodes_count": 0, "episode_duration": 24,
        "trailer_url": null, "cover_image": "https://i.test/l.jpg", "has_cover_image": true,
        "cover_color": null, "banner_image": null, "genres": ["Drama", "Sci-Fi"], "sagas": null,
        "sequel": null, "prequel": null, "score": 71.3, "nsfw": true, "recommendations": null,
        "studios": [], "tags": [], "synonyms": ["Cloud Atlas"],
    });
    let found = refreshed.service.get("/v1/anime?tracker_b_id=9").await;
    assert_eq!(found.data(), json!([expected]));
}

#[tokio::test]
async fn only_known_values_of_my_anime_list_are_taken() {
    let cases = r#"
        {"status": "currently_airing"} | status | 1
        {"status": "currently_airing"} | episodes_count | 0
        {"status": "not_yet_aired"} | status | 2
        {"status": "not_yet_aired"} | episodes_count | 0
        {"num_episodes": 0} | episodes_count | 0
        {"nsfw": "gray"} | nsfw | false
        {"mean": null} | score | 0.0
        {"start_date": "2020-10"} | start_date | null
        {"broadcast": {"day_of_the_week": "friday", "start_time": "10:00"}} | weekly_airing_day | null
        {"status": "currently_airing", "broadcast": {"day_of_the_week": "friday"}} | weekly_airing_day | null
        {"broadcast": {"day_of_the_week": "other"}} | weekly_airing_day | null
        {"status": "not_yet_aired", "broadcast": FRIDAY} | weekly_airing_day | 5
        {"status": "currently_airing", "broadcast": SUNDAY} | weekly_airing_day | 6
        {"main_picture": {"large": "http://i.test/l"}} | cover_image | ""
        {"start_season": {"year": 2020, "season": "monsoon"}} | season_year | 2020
        {"average_episode_duration": 5} | episode_duration | 1"#;
    for [changes, field, expected] in table(cases) {
        let read = |text: &str| {
            let text = text.replace(
                "FRIDAY",
                r#"{"day_of_the_week": "friday", "start_time": "09:00"}"#,
            );
            let text = text.replace(
                "SUNDAY",
                r#"{"day_of_the_week": "sunday", "start_time": "08:59"}"#,
            );
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let refreshed = with_listed(vec![listed(1, &read(changes))]).await;
        refreshed.refresh_only(&[MyAnimeList]).await;
        let found = refreshed.service.get("/v1/anime").await.data();
        assert_eq!(found[0][field], read(expected), "{changes}");
    }
    let wrong = vec![
        listed(1, &json!({"media_type": "pv"})),
        listed(2, &json!({"media_type": null})),
        listed(3, &json!({"title": " "})),
        listed(0, &Value::Null),
        listed(16_777_216, &Value::Null),
    ];
    let refreshed = with_listed(wrong).await;
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(counts(&report, MyAnimeList), [0, 0, 0, 5]);
    let skipped = report.counts(MyAnimeList).unwrap();
    for (reason, count) in [(OTHER_FORMAT, 2), (NO_TITLE, 1), (TRACKER_ID_RANGE, 2)] {
        assert_eq!(skipped.skipped_for(reason), count, "{reason}");
    }
}

/// The anime is the same as one of `AniList`, whose values win.
#[tokio::test]
async fn row_with_the_same_id_is_found() {
    let refreshed = with_listed(vec![listed(9, &json!({"synopsis": "Clouds."}))]).await;
    refreshed.set_media(vec![media(7, &json!({"idMal": 9}))]);
    refreshed.refresh_only(&[AniList]).await;
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(counts(&report, MyAnimeList), [0, 1, 0, 0]);
    let row = refreshed.row(14).await;
    assert_eq!((row.tracker_a_id, row.tracker_b_id), (Some(7), Some(9)));
    assert_eq!(row.titles["rj"], "Anime 7");
    assert_eq!(row.descriptions["en"], "Clouds.");
    assert_eq!(refreshed.rows().await.len(), 1);
}

/// The ranking shows which anime have changed, and each of them is requested. The watermark of the next run is the
/// time of the last change.
#[tokio::test]
async fn changed_anime_are_requested_the_oldest_change_first() {
    let at = |id: u32, minutes: u64| listed(id, &json!({"updated_at": minutes_ago(minutes)}));
    let week = 7 * 24 * 60;
    let refreshed = with_listed(vec![
        at(1, 30),
        at(2, week + 1),
        at(3, 90),
        at(4, week),
        at(5, 60),
    ])
    .await;
    refreshed.tracker_b.state().per_page = 2;
    refreshed.refresh_only(&[MyAnimeList]).await;
    let seasons = [
        "season/2023/summer",
        "season/2023/fall",
        "season/2024/winter",
    ];
    let ranking = ["ranking"; 3];
    let expected = [&seasons[..], &ranking[..], &["4", "3", "5", "1"]].concat();
    assert_eq!(paths(&refreshed), expected);
    let watermark = refreshed.source_state(MyAnimeList).await.watermark;
    assert_eq!(watermark, Some(START_MS / 1000 - 30 * 60));
    let ids: Vec<_> = refreshed
        .rows()
        .await
        .iter()
        .map(|row| row.tracker_b_id)
        .collect();
    assert_eq!(ids, [Some(1), Some(3), Some(4), Some(5)]);

    // The anime at the watermark is read again, because another one may have the same time.
    refreshed.tracker_b.state().received.clear();
    refreshed.tracker_b.state().media[1]["updated_at"] = json!(minutes_ago(10));
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(paths(&refreshed)[6..], ["1", "2"]);
    assert_eq!(counts(&report, MyAnimeList), [1, 0, 1, 0]);

    // A time in the future would hide all later changes.
    refreshed.tracker_b.state().media[0]["updated_at"] = json!("2100-01-01T00:00:00+00:00");
    refreshed.refresh_only(&[MyAnimeList]).await;
    let watermark = refreshed.source_state(MyAnimeList).await.watermark.unwrap();
    assert!(watermark <= refreshed.service.clock.now_s());
}

/// Scores and dates of anime of the current seasons change without a change of the anime.
#[tokio::test]
async fn current_seasons_are_read_in_each_run() {
    let this_season = json!({"year": 2023, "season": "fall"});
    let old = json!({"updated_at": "2020-01-01T00:00:00+00:00", "start_season": this_season});
    let refreshed = with_listed(vec![
        listed(1, &old),
        listed(2, &json!({"updated_at": null})),
    ])
    .await;
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(counts(&report, MyAnimeList), [1, 0, 0, 0]);
    assert_eq!(refreshed.row(3).await.score.hundredths(), 7_000);
    refreshed.tracker_b.state().media[0]["mean"] = json!(8.0);
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(counts(&report, MyAnimeList), [0, 1, 0, 0]);
    assert_eq!(refreshed.row(3).await.score.hundredths(), 8_000);
}

#[tokio::test]
async fn full_refresh_of_my_anime_list_writes_the_ranking_first() {
    let old = |id: u32| listed(id, &json!({"updated_at": "2020-01-01T00:00:00+00:00"}));
    let refreshed = with_listed((1..=7).map(old).collect()).await;
    refreshed.tracker_b.state().per_page = 3;
    // Every request for the second anime fails.
    refreshed
        .tracker_b
        .fail_each_after(4, (0..9).map(|_| Fault::answer(403, "{}")));
    let run = async || {
        refreshed
            .run(refreshed.only(&[MyAnimeList]), RefreshScope::All)
            .await
            .unwrap()
    };
    let report = run().await;
    let reason = failure(&report, MyAnimeList);
    assert_eq!(reason, "later: tracker_b anime: status 403");
    assert_eq!(refreshed.rows().await.len(), 7);
    refreshed.tracker_b.clear_faults();
    refreshed.service.clock.advance(Duration::from_hours(6));
    let report = run().await;
    assert!(report.failure().is_none(), "{report:?}");
    let state = refreshed.source_state(MyAnimeList).await;
    assert_eq!(state.watermark, state.read_at);
    assert_eq!(refreshed.tracker_b.last().path, "/v2/anime/7");
}

#[tokio::test]
async fn relations_of_my_anime_list_are_found_by_its_ids() {
    let related =
        |id: u32, kind: &str| json!({"node": {"id": id, "title": "x"}, "relation_type": kind});
    let similar = |id: u32, count: u32| json!({"node": {"id": id}, "num_recommendations": count});
    let first = json!({
        "related_anime": [related(3, "side_story"), related(2, "sequel")],
        "recommendations": [similar(3, 1), similar(2, 5), similar(99, 9)],
    });
    let second = json!({"related_anime": [related(99, "prequel"), related(1, "prequel")]});
    let refreshed = with_listed(vec![
        listed(1, &first),
        listed(2, &second),
        listed(3, &Value::Null),
    ])
    .await;
    refreshed.refresh_only(&[MyAnimeList]).await;
    let (one, two) = (refreshed.row(3).await, refreshed.row(5).await);
    assert_eq!((one.sequel, one.prequel), (None, AnimeId::new(5)));
    assert_eq!((two.sequel, two.prequel), (AnimeId::new(3), None));
    let similar: Vec<u64> = one
        .recommendations
        .unwrap()
        .iter()
        .map(|id| id.get())
        .collect();
    assert_eq!(similar, [5, 7]);
}

/// The watermark moves with each batch, so the next run continues.
#[tokio::test]
async fn interrupted_run_of_my_anime_list_has_made_progress() {
    let at = |id: u32| listed(id, &json!({"updated_at": minutes_ago(300 - u64::from(id))}));
    let refreshed = with_listed((1..=120).map(at).collect()).await;
    let environment = &refreshed.service.environment;
    // The time is enough for four pages of lists and 70 anime.
    let until = environment.database.clock.now_ms() + 74 * 1_017;
    let sources = refreshed.only(&[MyAnimeList]);
    let report = refresh(environment, sources, RefreshScope::Changed, until, &|_| {}).await;
    let ended = failure(&report.unwrap(), MyAnimeList);
    ended.assert_has("the limits allow no call");
    assert_eq!(refreshed.rows().await.len(), 70);
    let state = refreshed.source_state(MyAnimeList).await;
    assert_eq!(
        (state.watermark, state.read_at),
        (Some(START_MS / 1000 - 230 * 60), None)
    );
    refreshed.tracker_b.state().received.clear();
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(paths(&refreshed)[4], "70");
    assert_eq!(refreshed.rows().await.len(), 120);
}

#[tokio::test]
async fn anime_that_was_deleted_meanwhile_is_left_out() {
    let refreshed = with_listed((1..=3).map(|id| listed(id, &Value::Null)).collect()).await;
    refreshed.tracker_b.fail_after(5, Fault::answer(404, "{}"));
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(refreshed.rows().await.len(), 2);
}

/// An anime that the tracker cannot return does not stop the others. If it returns none, the watermark stays.
#[tokio::test]
async fn anime_that_cannot_be_read_is_requested_again() {
    let broken: [fn() -> Fault; 3] = [
        || Fault::answer(500, "{}"),
        || Fault::edit(|anime| anime["id"] = json!(99)),
        || Fault::edit(|anime| anime["num_episodes"] = json!(-1)),
    ];
    let at = |id: u32| listed(id, &json!({"updated_at": minutes_ago(10 - u64::from(id))}));
    for fault in broken {
        let refreshed = with_listed((1..=5).map(at).collect()).await;
        // The requests are for four pages of lists, and then three times for the second anime.
        refreshed
            .tracker_b
            .fail_each_after(5, (0..3).map(|_| fault()));
        let report = refreshed.refresh_only(&[MyAnimeList]).await;
        assert!(report.failure().is_none(), "{report:?}");
        assert_eq!(counts(&report, MyAnimeList), [4, 0, 0, 1]);
        let state = refreshed.source_state(MyAnimeList).await;
        assert_eq!(state.watermark, Some(START_MS / 1000 - 5 * 60));
    }
    let refreshed = with_listed((1..=5).map(at).collect()).await;
    refreshed
        .tracker_b
        .fail_each_after(5, (0..99).map(|_| Fault::answer(404, "{}")));
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    let reason = failure(&report, MyAnimeList);
    assert_eq!(reason, "final: tracker_b anime: status 404");
    let state = refreshed.source_state(MyAnimeList).await;
    assert_eq!(state.watermark, Some(START_MS / 1000 - 9 * 60));
    refreshed.tracker_b.clear_faults();
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(refreshed.rows().await.len(), 5);
}

#[tokio::test]
async fn malformed_rows_of_a_list_are_left_out() {
    let old = |id: u32| listed(id, &json!({"updated_at": "2020-01-01T00:00:00+00:00"}));
    let refreshed = with_listed((1..=5).map(old).collect()).await;
    refreshed.tracker_b.fail_after(
        0,
        Fault::edit(|page| page["data"][1]["node"]["num_episodes"] = json!("many")),
    );
    let report = refreshed
        .run(refreshed.only(&[MyAnimeList]), RefreshScope::All)
        .await
        .unwrap();
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(refreshed.rows().await.len(), 4);
}

/// The list of the next season may not exist yet.
#[tokio::test]
async fn missing_list_of_a_season_does_not_stop_the_ranking() {
    let refreshed = with_listed(vec![listed(1, &Value::Null)]).await;
    refreshed.tracker_b.fail_after(2, Fault::answer(404, "{}"));
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert!(report.failure().is_none(), "{report:?}");
    assert_eq!(refreshed.rows().await.len(), 1);
}

#[tokio::test]
async fn faults_of_my_anime_list_are_retried() {
    let faults: [fn() -> Fault; 6] = [
        || Fault::Truncate,
        || Fault::Cut,
        || Fault::answer(500, "{}"),
        || Fault::answer(200, "<html>busy</html>"),
        || Fault::edit(|body| body["data"] = json!(null)),
        || Fault::Answer(429, vec![("retry-after", "30".to_owned())], "{}".to_owned()),
    ];
    for fault in faults {
        let refreshed = with_listed((1..=5).map(|id| listed(id, &Value::Null)).collect()).await;
        refreshed.tracker_b.state().per_page = 2;
        refreshed.tracker_b.fail_after(4, fault());
        let report = refreshed.refresh_only(&[MyAnimeList]).await;
        assert!(report.failure().is_none(), "{report:?}");
        assert_eq!(counts(&report, MyAnimeList), [5, 0, 0, 0]);
    }
}

#[tokio::test]
async fn refused_client_and_empty_ranking_are_failures() {
    let refreshed = with_listed(Vec::new()).await;
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    assert_eq!(
        failure(&report, MyAnimeList),
        "it returned no usable entries"
    );
    refreshed.tracker_b.fail(Fault::answer(401, "{}"));
    let before = refreshed.tracker_b.count();
    let report = refreshed.refresh_only(&[MyAnimeList]).await;
    let expected = "later: tracker_b page: the configured client is refused";
    assert_eq!(failure(&report, MyAnimeList), expected);
    assert_eq!(refreshed.tracker_b.count(), before + 1);
    assert!(CHANGED_S > 0 && refreshed.source_state(MyAnimeList).await.read_at.is_none());
}
