//! Refreshes of anime, from a fake `AniList` to the responses of the service.

use catalog_refresh::SourceName::AniList;
use catalog_refresh::{FIRST_LOOK_S, RefreshScope, Sources, refresh};
use catalogue::import::{
    AnimeFacts, ID_TAKEN, MergePlan, NO_TITLE, OTHER_FORMAT, TEXT_TOO_LONG, TRACKER_ID_RANGE,
};
use catalogue::rows::{CatalogueStore, FactSource};
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, TrackerIds};
use tests::assertions::AssertText;
use tests::engine;
use tests::proxy::{Mode, Proxy};
use tests::recorder::recorded;
use tests::refreshed::{CHANGED_S, Refreshed, counts, media};
use tests::service::{START_MS, Service};
use tests::trackers::Fault;

const START_S: u64 = START_MS / 1000;

/// Returns `count` anime. Each of them changed one minute after the next one, so the first is the newest.
fn by_age(count: u32) -> Vec<Value> {
    let at = |id: u32| media(id, &json!({"updatedAt": CHANGED_S - u64::from(id) * 60}));
    (1..=count).map(at).collect()
}

fn ids(rows: &[Anime]) -> Vec<u64> {
    rows.iter().map(|anime| anime.id.get()).collect()
}

fn anime_id(number: u64) -> Option<AnimeId> {
    AnimeId::new(number)
}

#[tokio::test]
async fn anime_is_mapped_to_the_api() {
    let complete = media(
        7,
        &json!({
            "idMal": 9,
            "title": {"romaji": " Kumo ", "english": "Clouds", "native": "雲"},
            "genres": ["Sci-Fi", "Drama", "Drama", ""], "format": "TV_SHORT", "status": "HIATUS",
            "startDate": {"year": 2020, "month": 10, "day": 3},
            "endDate": {"year": 2021, "month": 2, "day": null},
            "episodes": null, "duration": 4, "averageScore": 71, "isAdult": true,
            // The time is on Tuesday, 2023-11-14.
            "nextAiringEpisode": {"airingAt": 1_700_000_000, "episode": 6},
            "coverImage": {"extraLarge": "https://i.test/c.png", "color": "#ABcdef"},
            "bannerImage": "https://i.test/b.png",
            "trailer": {"id": "a-B_9", "site": "youtube"},
            "description": "One <i>cloud</i>.<br><br>\nTwo &amp; three.",
        }),
    );
    let refreshed = Refreshed::empty().await.with_media(vec![complete], 50);
    let report = refreshed.refresh().await;
    assert_eq!(counts(&report, AniList), [1, 0, 0, 0]);
    assert_eq!(report.published, [("anime", 1)].into());
    let expected = json!({
        "id": 14, "tracker_a_id": 7, "tracker_b_id": 9, "database_id": null,
        "format": 1, "status": 1, "titles": {"rj": "Kumo", "en": "Clouds", "jp": "雲"},
        "descriptions": {"en": "One cloud.\n\nTwo & three."},
        "start_date": "2020-10-03T00:00:00Z", "end_date": null, "weekly_airing_day": 2,
        "season_period": 3, "season_year": 2020, "episodes_count": 5, "episode_duration": 4,
        "trailer_url": "https://www.youtube.com/watch?v=a-B_9",
        "cover_image": "https://i.test/c.png", "has_cover_image": true, "cover_color": "#ABcdef",
        "banner_image": "https://i.test/b.png", "genres": ["Drama", "Sci-Fi"], "sagas": null,
        "sequel": null, "prequel": null, "score": 71.0, "nsfw": true, "recommendations": null,
        "studios": [], "tags": [], "synonyms": [],
    });
    let found = refreshed
        .service
        .get("/v1/anime?tracker_b_id=9")
        .await
        .data();
    assert_eq!(found, json!([expected]));
}

#[tokio::test]
async fn second_run_writes_nothing() {
    let refreshed = Refreshed::empty().await.with_media(by_age(9), 4);
    assert_eq!(counts(&refreshed.refresh().await, AniList), [9, 0, 0, 0]);
    let before = refreshed.rows().await;
    let (client, recorder) = recorded(&refreshed.service.tables);
    let mut environment = refreshed.service.environment.clone();
    environment.database.client = client;
    let sources = refreshed.anime_source();
    let until = environment.database.clock.now_ms() + 60_000;
    let report = refresh(&environment, sources, RefreshScope::Changed, until, &|_| {}).await;
    let report = report.unwrap();
    assert_eq!(
        counts(&report, AniList),
        [0, 0, 8, 0],
        "two pages up to the watermark"
    );
    assert!(report.published.is_empty() && report.failure().is_none());
    // The run only records that it has read the source, and its summary.
    let of_state = ["dynamodb:UpdateItem", "dynamodb:PutItem"];
    let is_state = |(action, table): &(String, String)| {
        table == "CatalogSnapshot" && of_state.contains(&action.as_str())
    };
    let calls = recorder.seen().into_iter().filter(|call| !is_state(call));
    let actions = calls.map(|(action, _)| action);
    let reads =
        ["BatchGetItem", "GetItem", "Query", "Scan"].map(|action| format!("dynamodb:{action}"));
    let actions: std::collections::BTreeSet<_> = actions.collect();
    assert_eq!(actions, reads.into());
    assert_eq!(refreshed.rows().await, before);
}

/// The first run reads the changes of one week, later ones those since the previous run. Each reads one
/// more page.
#[tokio::test]
async fn refresh_reads_changes_up_to_the_watermark() {
    let week_ago = START_S - FIRST_LOOK_S;
    let at = |id: u32, at: u64| media(id, &json!({ "updatedAt": at }));
    let old = (10..20).map(|id| at(id, week_ago - u64::from(id)));
    let recent = [at(1, CHANGED_S), at(2, week_ago + 9), at(3, week_ago)];
    let all: Vec<Value> = recent.into_iter().chain(old).collect();
    let refreshed = Refreshed::empty().await.with_media(all.clone(), 2);
    refreshed.refresh().await;
    // The first page has anime 1 and 2. The second has anime 3 and the first one that is older than a week. One more
    // page is read.
    assert_eq!(ids(&refreshed.rows().await), [2, 4, 6, 20, 22, 24]);
    assert_eq!(refreshed.anime_state().await.watermark, Some(CHANGED_S));
    assert_eq!(refreshed.tracker.count(), 3);

    let later = CHANGED_S + 60;
    let mut changed = all;
    changed.push(at(19, later));
    changed.retain(|media| media["id"] != 19 || media["updatedAt"] == later);
    refreshed.set_media(changed.clone());
    assert_eq!(counts(&refreshed.refresh().await, AniList), [1, 0, 5, 0]);
    // The first page has anime 19, and anime 1, which is at the watermark. The second has anime 2, which is older. One
    // more page is read.
    assert_eq!(refreshed.tracker.count(), 6);
    assert_eq!(refreshed.anime_state().await.watermark, Some(later));
    assert_eq!(refreshed.row(38).await.titles["rj"], "Anime 19");

    // A time in the future must not become the watermark, because it would hide later changes. The
    // watermark never moves back.
    changed.push(at(30, START_S * 2));
    refreshed.set_media(changed);
    refreshed.refresh().await;
    let watermark = refreshed.anime_state().await.watermark.unwrap();
    assert!(watermark <= refreshed.service.clock.now_s(), "{watermark}");
    refreshed
        .anime_refresh_store()
        .move_watermark(5)
        .await
        .unwrap();
    assert_eq!(refreshed.anime_state().await.watermark, Some(watermark));
}

/// The fifth of six anime changes while the first page is read, and moves to a page that has been read
/// before.
#[tokio::test]
async fn anime_that_move_between_pages_are_found_by_the_next_run() {
    let refreshed = Refreshed::empty().await.with_media(by_age(6), 2);
    let fake = refreshed.tracker.clone();
    refreshed.tracker.fail(Fault::edit(move |_| {
        let mut state = fake.state();
        state.media[4]["updatedAt"] = json!(CHANGED_S + 60);
        state.media[4]["title"]["romaji"] = json!("Moved");
    }));
    let report = refreshed.refresh().await;
    // The second anime moves to the second page, and is counted once.
    assert_eq!(counts(&report, AniList), [5, 0, 0, 0]);
    assert_eq!(ids(&refreshed.rows().await), [2, 4, 6, 8, 12]);
    refreshed.refresh().await;
    assert_eq!(refreshed.row(10).await.titles["rj"], "Moved");
}

#[tokio::test]
async fn invalid_page_is_requested_again() {
    type MakeFault = fn() -> Fault;
    let faults: [MakeFault; 6] = [
        || Fault::Truncate,
        || Fault::Cut,
        || Fault::Repeat,
        || Fault::answer(500, "{}"),
        || Fault::answer(200, "<html>busy</html>"),
        || Fault::Answer(429, vec![("retry-after", "30".to_owned())], "{}".to_owned()),
    ];
    for fault in faults {
        let refreshed = Refreshed::empty().await.with_media(by_age(5), 2);
        refreshed.tracker.fail_after(1, fault());
        let report = refreshed.refresh().await;
        assert!(report.failure().is_none(), "{report:?}");
        assert_eq!(counts(&report, AniList), [5, 0, 0, 0]);
        assert_eq!(refreshed.tracker.count(), 4);
    }
}

#[tokio::test]
async fn interrupted_run_keeps_its_rows_and_the_next_starts_over() {
    let refreshed = Refreshed::empty().await.with_media(by_age(6), 2);
    refreshed.tracker.fail_after(2, Fault::answer(403, "{}"));
    let report = refreshed.refresh().await;
    let ended = report.failure().unwrap().1.to_string();
    assert_eq!(ended, "later: tracker_a media: status 403");
    assert_eq!(
        refreshed.tracker.count(),
        3,
        "no further request after a 403"
    );
    assert_eq!(ids(&refreshed.rows().await), [2, 4, 6, 8]);
    assert_eq!(refreshed.anime_state().await.watermark, None);
    assert_eq!(refreshed.service.get("/v1/anime").await.ids().len(), 4);

    refreshed
        .service
        .clock
        .advance(std::time::Duration::from_hours(2));
    let report = refreshed.refresh().await;
    assert_eq!(counts(&report, AniList), [2, 0, 4, 0]);
    assert_eq!(
        refreshed.anime_state().await.watermark,
        Some(CHANGED_S - 60)
    );
}

#[tokio::test]
async fn refresh_stops_before_its_time_limit() {
    let refreshed = Refreshed::empty().await.with_media(by_age(6), 2);
    let environment = &refreshed.service.environment;
    let until = environment.database.clock.now_ms() + 3_000;
    let sources = refreshed.anime_source();
    let report = refresh(environment, sources, RefreshScope::Changed, until, &|_| {}).await;
    let ended = report.unwrap().failure().unwrap().1.to_string();
    ended.assert_has("the limits allow no call");
    assert!(environment.database.clock.now_ms() < until);
    assert_eq!(ids(&refreshed.rows().await), [2, 4, 6, 8]);
    assert_eq!(refreshed.anime_state().await.watermark, None);
}

/// DynamoDB fails after each number of calls. The run returns an error, and the next one completes its
/// work.
#[tokio::test]
async fn outage_is_an_error_and_the_next_run_recovers() {
    let complete = Refreshed::empty().await.with_media(by_age(6), 2);
    complete.refresh().await;
    let expected = complete.rows().await;
    for calls in [0, 8, 10, 11, 12, 14, 17, 20, 26] {
        let refreshed = Refreshed::empty().await.with_media(by_age(6), 2);
        let proxy = Proxy::start(engine::endpoint()).await;
        proxy.set_after(calls, Mode::Closed);
        let mut environment = refreshed.service.environment.clone();
        environment.database.client = engine::short_timeout_client(&proxy.endpoint);
        let until = environment.database.clock.now_ms() + 60_000;
        let sources = refreshed.anime_source();
        let outcome = refresh(&environment, sources, RefreshScope::Changed, until, &|_| {}).await;
        assert!(outcome.is_err(), "{calls}");
        let report = refreshed.refresh().await;
        assert!(report.failure().is_none());
        assert_eq!(refreshed.rows().await, expected, "{calls}");
        assert!(!refreshed.anime_state().await.must_publish());
        let listed = refreshed.service.get("/v1/anime").await.ids();
        assert_eq!(listed.len(), 6, "{calls}");
    }
}

#[tokio::test]
async fn rows_of_a_crashed_run_are_published_by_the_next() {
    let refreshed = Refreshed::empty().await.with_media(by_age(2), 2);
    refreshed.refresh().await;
    let mut anime = refreshed.row(2).await;
    anime
        .titles
        .insert("rj".into(), "Written by the dead".into());
    refreshed.anime_refresh_store().announce().await.unwrap();
    refreshed.service.put(&[anime]).await;
    // The crashed run has not moved the watermark, but there is nothing else to read either.
    refreshed.set_media(Vec::new());
    let report = refreshed.refresh().await;
    assert_eq!(report.published, [("anime", 2)].into());
    let found = refreshed.service.get("/v1/anime?title=dead").await;
    assert_eq!(found.ids(), [2]);
    assert!(refreshed.refresh().await.published.is_empty());
}

/// The API uses the names the other way round: `sequel` is the anime before, `prequel` the anime after.
#[tokio::test]
async fn sequel_comes_before_and_prequel_comes_after() {
    let relations = |edges: &[(&str, u32, &str)]| {
        let edge = |(kind, id, media): &(&str, u32, &str)| {
            json!({"relationType": kind, "node": {"id": id,
            "type": media}})
        };
        json!({"relations": {"edges": edges.iter().map(edge).collect::<Vec<_>>()}})
    };
    let first = [
        ("SEQUEL", 2, "ANIME"),
        ("SIDE_STORY", 3, "ANIME"),
        ("SEQUEL", 3, "ANIME"),
    ];
    let second = [
        ("PREQUEL", 8, "MANGA"),
        ("PREQUEL", 99, "ANIME"),
        ("PREQUEL", 1, "ANIME"),
    ];
    let itself = [("SEQUEL", 3, "ANIME"), ("PREQUEL", 3, "ANIME")];
    let refreshed = Refreshed::empty().await;
    refreshed.set_media(vec![
        media(1, &relations(&first)),
        media(2, &relations(&second)),
        media(3, &relations(&itself)),
        media(8, &Value::Null),
    ]);
    // With one anime per page, the first one refers to anime that have not been read yet.
    refreshed.tracker.state().per_page = 1;
    let report = refreshed.refresh().await;
    assert_eq!(
        counts(&report, AniList),
        [4, 0, 0, 0],
        "each is counted once"
    );
    let neighbors = async |number| {
        let row = refreshed.row(number).await;
        (row.sequel, row.prequel)
    };
    assert_eq!(neighbors(2).await, (None, anime_id(4)));
    assert_eq!(neighbors(4).await, (anime_id(2), None));
    assert_eq!(neighbors(6).await, (None, None));
    refreshed.tracker.state().per_page = 50;
    assert_eq!(counts(&refreshed.refresh().await, AniList), [0, 0, 4, 0]);
    assert_eq!(neighbors(2).await, (None, anime_id(4)));
}

#[tokio::test]
async fn recommendations_are_known_anime_by_rating() {
    let rated =
        |(id, rating): (u32, i64)| json!({"rating": rating, "mediaRecommendation": {"id": id}});
    let ratings = [(2, 5), (3, 50), (4, 0), (5, -3), (99, 60), (1, 70), (3, 40)];
    let nodes: Vec<Value> = ratings.map(rated).into();
    let many: Vec<Value> = (1..=40)
        .map(|id| rated((id, 100 - i64::from(id))))
        .collect();
    let mut all: Vec<Value> = (2..=40).map(|id| media(id, &Value::Null)).collect();
    all.insert(0, media(1, &json!({"recommendations": {"nodes": nodes}})));
    all[39] = media(40, &json!({"recommendations": {"nodes": many}}));
    let refreshed = Refreshed::empty().await.with_media(all, 7);
    refreshed.refresh().await;
    let expected: Vec<AnimeId> = [6, 4].into_iter().filter_map(anime_id).collect();
    assert_eq!(refreshed.row(2).await.recommendations, Some(expected));
    assert_eq!(refreshed.row(80).await.recommendations.unwrap().len(), 25);
    assert_eq!(refreshed.row(4).await.recommendations, None);
}

#[tokio::test]
async fn stored_ids_win_over_conflicting_tracker_ids() {
    let known = |a: Option<u32>, b: Option<u32>| {
        let id = AnimeId::from_tracker_ids(a, b).unwrap();
        let mut anime = Anime::new(id, AnimeFormat::Tv);
        (anime.tracker_a_id, anime.tracker_b_id) = (a, b);
        anime
    };
    let rows = [
        known(None, Some(30)),
        known(Some(5), Some(31)),
        known(Some(6), None),
        known(Some(7), Some(33)),
    ];
    let mut taken = known(None, Some(40));
    taken.id = anime_id(2 * 44).unwrap();
    let refreshed = Refreshed::with_service(Service::empty().await).await;
    refreshed.service.put(&rows).await;
    refreshed.service.put(&[taken]).await;
    let at = |a: u32, b: u32| media(a, &json!({ "idMal": b }));
    refreshed.set_media(vec![
        // The stored row only has an id at tracker B so far.
        at(40, 30),
        // The id at tracker B belongs to the previous anime.
        at(41, 30),
        // The id at tracker B belongs to a row with another id at tracker A.
        at(42, 31),
        // The id at tracker B belongs to another row, and each row keeps its id.
        at(5, 33),
        at(6, 31),
        // The id at tracker B is invalid.
        at(43, 0),
        at(7, 50),
        // The id of the new row belongs to another anime.
        at(44, 51),
    ]);
    let report = refreshed.refresh().await;
    assert_eq!(counts(&report, AniList), [3, 4, 0, 1], "{report:?}");
    assert_eq!(report.counts(AniList).unwrap().skipped_for(ID_TAKEN), 1);
    let numbers: Vec<_> = refreshed
        .rows()
        .await
        .iter()
        .map(|row| (row.id.get(), row.tracker_a_id, row.tracker_b_id))
        .collect();
    let expected = [
        (10, Some(5), Some(31)),
        (12, Some(6), None),
        (14, Some(7), Some(33)),
        (61, Some(40), Some(30)),
        (82, Some(41), None),
        (84, Some(42), None),
        (86, Some(43), None),
        (88, None, Some(40)),
    ];
    assert_eq!(numbers, expected);
}

#[tokio::test]
async fn missing_fields_keep_their_values() {
    let refreshed = Refreshed::with_service(Service::with_sample().await).await;
    let before = refreshed.row(2).await;
    assert!(before.trailer_url.is_some() || before.descriptions.contains_key("en"));
    let nothing = json!({
        "id": 1, "title": {"romaji": "Only this"}, "format": "TV", "updatedAt": CHANGED_S,
        "status": null, "episodes": null, "isAdult": null, "genres": null, "relations": null,
        "coverImage": {"extraLarge": null}, "startDate": {"year": 1999}, "description": " <br> ",
    });
    refreshed.set_media(vec![nothing]);
    assert_eq!(counts(&refreshed.refresh().await, AniList), [0, 1, 0, 0]);
    let mut expected = before;
    expected.titles.insert("rj".into(), "Only this".into());
    assert_eq!(refreshed.row(2).await, expected);
}

#[tokio::test]
async fn only_released_episodes_are_counted() {
    let airing = |episode: u32| json!({"airingAt": 1_699_833_600, "episode": episode});
    let cases = json!([
        [{"status": "FINISHED", "episodes": 12}, 12, AnimeStatus::Finished],
        [{"status": "FINISHED", "episodes": null}, 3, AnimeStatus::Finished],
        [{"status": "RELEASING", "nextAiringEpisode": airing(6)}, 5, AnimeStatus::Releasing],
        [{"status": "RELEASING", "nextAiringEpisode": airing(0)}, 0, AnimeStatus::Releasing],
        [{"status": "RELEASING", "episodes": 24}, 3, AnimeStatus::Releasing],
        [{"status": "HIATUS"}, 3, AnimeStatus::Releasing],
        [{"status": "NOT_YET_RELEASED"}, 0, AnimeStatus::NotYetReleased],
        [{"status": "CANCELLED", "episodes": 9}, 3, AnimeStatus::Cancelled],
        [{"status": "UNHEARD_OF"}, 3, AnimeStatus::Finished],
    ]);
    for case in cases.as_array().unwrap() {
        let changes = &case[0];
        let refreshed = Refreshed::empty().await;
        refreshed.set_media(vec![media(1, &json!({"episodes": 3}))]);
        refreshed.refresh().await;
        let mut changed = media(1, changes);
        changed["updatedAt"] = json!(CHANGED_S + 1);
        refreshed.set_media(vec![changed]);
        refreshed.refresh().await;
        let row = refreshed.row(2).await;
        let found = json!([changes, row.episodes_count, row.status]);
        assert_eq!(found, *case);
        // The episode airs on 2023-11-13, a Monday, at midnight.
        let day = row.weekly_airing_day.map(u8::from);
        let expected = changes["nextAiringEpisode"].is_object().then_some(1);
        assert_eq!(day, expected, "{changes}");
    }
}

#[tokio::test]
async fn implausible_values_are_ignored() {
    let trailer = |id: &str, site: &str| json!({"trailer": {"id": id, "site": site}});
    let cover = |url: &str, color: &str| json!({"coverImage": {"extraLarge": url, "color": color}});
    let changes = [
        trailer("x\"><script>", "youtube"),
        trailer("", "youtube"),
        trailer("x7abc", "dailymotion"),
        trailer("x7abc", "elsewhere"),
        cover("http://i.test/1.png", "red"),
        cover("https://i.test/medium/default.jpg", "#12345"),
        json!({"startDate": {"year": 2021, "month": 2, "day": 29}, "averageScore": 101, "seasonYear": 0}),
        json!({"bannerImage": "javascript:alert(1)", "duration": 0}),
    ];
    let all = changes.iter().zip(1..);
    let refreshed = Refreshed::empty().await;
    refreshed.set_media(all.map(|(changes, id)| media(id, changes)).collect());
    assert_eq!(counts(&refreshed.refresh().await, AniList), [8, 0, 0, 0]);
    let rows = refreshed.rows().await;
    let trailers: Vec<_> = rows
        .iter()
        .filter_map(|row| row.trailer_url.as_deref())
        .collect();
    assert_eq!(trailers, ["https://www.dailymotion.com/video/x7abc"]);
    assert!(
        rows.iter()
            .all(|row| !row.has_cover_image && row.cover_image.is_empty())
    );
    assert!(
        rows.iter()
            .all(|row| row.cover_color.is_none() && row.banner_image.is_none())
    );
    let odd = &rows[6];
    assert_eq!(
        (odd.start_date, odd.score.hundredths(), odd.season_year),
        (None, 0, None)
    );
    assert_eq!(rows[7].episode_duration, None);
}

#[tokio::test]
async fn unrepresentable_anime_are_skipped_and_counted() {
    let long = "x".repeat(10_001);
    let untitled = json!({"title": {"romaji": " ", "english": null, "native": ""}});
    let wrong = vec![
        media(1, &untitled),
        media(2, &json!({"title": null})),
        media(3, &json!({"format": "HOLOGRAM"})),
        media(4, &json!({"format": null})),
        media(5, &json!({"description": long})),
        media(6, &json!({"genres": ["y".repeat(99)]})),
        media(
            7,
            &json!({"genres": (0..200).map(|n| format!("{n:0>99}")).collect::<Vec<_>>()}),
        ),
        media(0, &Value::Null),
        media(16_777_216, &Value::Null),
    ];
    let refreshed = Refreshed::empty().await.with_media(wrong, 50);
    let report = refreshed.refresh().await;
    assert_eq!(counts(&report, AniList), [1, 0, 0, 8]);
    let expected = [
        (NO_TITLE, 2),
        (OTHER_FORMAT, 2),
        (TEXT_TOO_LONG, 2),
        (TRACKER_ID_RANGE, 2),
    ];
    for (reason, count) in expected {
        assert_eq!(
            report.counts(AniList).unwrap().skipped_for(reason),
            count,
            "{reason}"
        );
    }
    let counts = report.counts(AniList).unwrap().to_string();
    assert!(counts.contains("anime 3: Anime 3"), "{counts}");
    assert_eq!(ids(&refreshed.rows().await), [12]);
}

#[tokio::test]
async fn full_refresh_reads_all_anime() {
    let old = |id: u32| media(id, &json!({"updatedAt": 1_000_000}));
    let refreshed = Refreshed::empty()
        .await
        .with_media((1..=7).map(old).collect(), 3);
    assert_eq!(
        counts(&refreshed.refresh().await, AniList),
        [6, 0, 0, 0],
        "the first page of old anime and one more"
    );
    let began = refreshed.service.clock.now_s();
    let report = refreshed
        .run(refreshed.anime_source(), RefreshScope::All)
        .await
        .unwrap();
    assert_eq!(counts(&report, AniList), [1, 0, 6, 0]);
    assert_eq!(
        refreshed.tracker.last().json()["variables"]["sort"],
        json!(["ID"])
    );
    assert_eq!(refreshed.anime_state().await.watermark, Some(began));
}

#[tokio::test]
async fn unconfigured_sources_are_not_requested() {
    let refreshed = Refreshed::empty().await.with_media(by_age(3), 50);
    let (client, recorder) = recorded(&refreshed.service.tables);
    let mut environment = refreshed.service.environment.clone();
    environment.database.client = client;
    let nothing = Sources::default();
    let report = refresh(
        &environment,
        nothing,
        RefreshScope::Changed,
        u64::MAX,
        &|_| {},
    )
    .await;
    assert_eq!(counts(&report.unwrap(), AniList), [0; 4]);
    assert!(recorder.seen().is_empty());
    assert_eq!(refreshed.tracker.count() + refreshed.themes.count(), 0);
}

#[tokio::test]
async fn concurrent_runs_are_safe() {
    let refreshed = Refreshed::empty().await.with_media(by_age(40), 10);
    let (one, other) = tokio::join!(refreshed.refresh(), refreshed.refresh());
    assert!(one.failure().is_none() && other.failure().is_none());
    assert_eq!(refreshed.rows().await.len(), 40);
    assert_eq!(refreshed.service.get("/v1/anime").await.ids().len(), 40);
    assert_eq!(
        refreshed.anime_state().await.watermark,
        Some(CHANGED_S - 60)
    );
    assert_eq!(counts(&refreshed.refresh().await, AniList), [0, 0, 20, 0]);
}

/// An import and a refresh both read a row before either of them writes it. The row gets the changes of
/// both.
#[tokio::test]
async fn concurrent_changes_of_a_row_are_merged() {
    let service = Service::with_sample().await;
    let store = CatalogueStore::<Anime>::new(&service.database());
    let facts = |id: u64, a: u32| {
        let trackers = TrackerIds {
            a: Some(a),
            b: None,
        };
        let mut facts = AnimeFacts::new(AnimeId::new(id).unwrap(), FactSource::AniList, trackers);
        facts.fields.format = Some(AnimeFormat::Tv);
        facts
    };
    for (number, a) in [(2, 1), (2, 1), (9_000, 4_500)] {
        let (mut one, mut other) = (facts(number, a), facts(number, a));
        let title = format!("From one of {number}");
        one.fields.titles.insert("en".to_owned(), title);
        other.fields.episode_duration = Some(a + 77);
        let one = MergePlan::make(&store, vec![one]).await.unwrap();
        let other = MergePlan::make(&store, vec![other]).await.unwrap();
        one.carry_out(&store).await.unwrap();
        other.carry_out(&store).await.unwrap();
        let rows = store.get_current(&[number]).await.unwrap();
        let row = &rows[&number].row.document;
        assert_eq!(row.titles["en"], format!("From one of {number}"));
        assert_eq!(row.episode_duration, Some(a + 77));
    }
}

#[tokio::test]
async fn row_of_another_anime_is_not_overwritten() {
    let service = Service::with_sample().await;
    let store = CatalogueStore::<Anime>::new(&service.database());
    let trackers = TrackerIds {
        a: Some(999),
        b: None,
    };
    let stranger = AnimeFacts::new(AnimeId::new(2).unwrap(), FactSource::AniList, trackers);
    assert!(MergePlan::make(&store, vec![stranger]).await.is_err());
}
