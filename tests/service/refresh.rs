//! Refreshes of the anime, from a fake tracker A to the answers of the service.

use catalog_refresh::{
    FIRST_LOOK_S, ID_TAKEN, NO_TITLE, OTHER_FORMAT, Scope, Sources, TRACKER_ID_RANGE, Unwatched,
    refresh,
};
use catalogue::import::{AnimeFacts, Plan, TEXT_TOO_LONG};
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, TrackerIds};
use store::CatalogueStore;
use tests::engine;
use tests::proxy::{Mode, Proxy};
use tests::recorder::recorded;
use tests::refreshed::{CHANGED_S, Refreshed, counts, media};
use tests::service::{START_MS, Service};
use tests::trackers::Fault;

const START_S: u64 = START_MS / 1000;

/// So many anime, the first of them changed last, each a minute after the next.
fn by_age(count: u32) -> Vec<Value> {
    let at = |id: u32| media(id, &json!({"updatedAt": CHANGED_S - u64::from(id) * 60}));
    (1..=count).map(at).collect()
}

fn ids(rows: &[Anime]) -> Vec<u64> {
    rows.iter().map(|anime| anime.id.get()).collect()
}

fn id(number: u64) -> Option<AnimeId> {
    AnimeId::new(number)
}

#[tokio::test]
async fn an_anime_becomes_one_that_the_service_answers() {
    let complete = media(
        7,
        &json!({
            "idMal": 9,
            "title": {"romaji": " Kumo ", "english": "Clouds", "native": "雲"},
            "genres": ["Sci-Fi", "Drama", "Drama", ""], "format": "TV_SHORT", "status": "HIATUS",
            "startDate": {"year": 2020, "month": 10, "day": 3},
            "endDate": {"year": 2021, "month": 2, "day": null},
            "episodes": null, "duration": 4, "averageScore": 71, "isAdult": true,
            // A Tuesday.
            "nextAiringEpisode": {"airingAt": 1_700_000_000, "episode": 6},
            "coverImage": {"extraLarge": "https://i.test/c.png", "color": "#ABcdef"},
            "bannerImage": "https://i.test/b.png",
            "trailer": {"id": "a-B_9", "site": "youtube"},
            "description": "One <i>cloud</i>.<br><br>\nTwo &amp; three.",
        }),
    );
    let bench = Refreshed::empty().await.with(vec![complete], 50);
    let report = bench.refresh().await;
    assert_eq!(counts(&report.anime), [1, 0, 0, 0]);
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
    });
    let found = bench.service.get("/v1/anime?tracker_b_id=9").await.data();
    assert_eq!(found, json!([expected]));
}

#[tokio::test]
async fn a_second_run_reads_and_writes_nothing() {
    let bench = Refreshed::empty().await.with(by_age(9), 4);
    assert_eq!(counts(&bench.refresh().await.anime), [9, 0, 0, 0]);
    let before = bench.rows().await;
    let (client, recorder) = recorded(&bench.service.tables);
    let mut environment = bench.service.environment.clone();
    environment.client = client;
    let sources = bench.anime_alone();
    let until = environment.clock.now_ms() + 60_000;
    let report = refresh(&environment, sources, Scope::Changed, until, &Unwatched).await;
    let report = report.unwrap();
    assert_eq!(counts(&report.anime), [0, 0, 8, 0], "two pages");
    assert!(report.published.is_empty() && report.ended().is_none());
    let actions = recorder.seen().into_iter().map(|(action, _)| action);
    let reads = ["BatchGetItem", "GetItem", "Query"].map(|action| format!("dynamodb:{action}"));
    let actions: std::collections::BTreeSet<_> = actions.collect();
    assert_eq!(actions, reads.into());
    assert_eq!(bench.rows().await, before);
}

/// The first run goes a week back, the next to where the one before began; each a page further.
#[tokio::test]
async fn runs_go_back_to_the_watermark() {
    let week_ago = START_S - FIRST_LOOK_S;
    let at = |id: u32, at: u64| media(id, &json!({ "updatedAt": at }));
    let old = (10..20).map(|id| at(id, week_ago - u64::from(id)));
    let recent = [at(1, CHANGED_S), at(2, week_ago + 9), at(3, week_ago)];
    let all: Vec<Value> = recent.into_iter().chain(old).collect();
    let bench = Refreshed::empty().await.with(all.clone(), 2);
    bench.refresh().await;
    // 1 and 2; 3 and the first that is older; a page more.
    assert_eq!(ids(&bench.rows().await), [2, 4, 6, 20, 22, 24]);
    assert_eq!(bench.anime_state().await.watermark, Some(CHANGED_S));
    assert_eq!(bench.tracker.count(), 3);

    let later = CHANGED_S + 60;
    let mut changed = all;
    changed.push(at(19, later));
    changed.retain(|media| media["id"] != 19 || media["updatedAt"] == later);
    bench.set(changed.clone());
    assert_eq!(counts(&bench.refresh().await.anime), [1, 0, 5, 0]);
    // 19 and 1, which is no older than the watermark; 2, which is; a page more.
    assert_eq!(bench.tracker.count(), 6);
    assert_eq!(bench.anime_state().await.watermark, Some(later));
    assert_eq!(bench.row(38).await.titles["rj"], "Anime 19");

    // A time to come would hide what changes until then; and back it does not go.
    changed.push(at(30, START_S * 2));
    bench.set(changed);
    bench.refresh().await;
    let watermark = bench.anime_state().await.watermark.unwrap();
    assert!(watermark <= bench.service.clock.now_s(), "{watermark}");
    bench.progress_of_anime().move_watermark(5).await.unwrap();
    assert_eq!(bench.anime_state().await.watermark, Some(watermark));
}

/// The fifth of six changes while the first page is on its way: it is now before what was read.
#[tokio::test]
async fn rows_that_move_while_they_are_read_are_found_by_the_next_run() {
    let bench = Refreshed::empty().await.with(by_age(6), 2);
    let fake = bench.tracker.clone();
    bench.tracker.fail(Fault::edit(move |_| {
        let mut state = fake.state();
        state.media[4]["updatedAt"] = json!(CHANGED_S + 60);
        state.media[4]["title"]["romaji"] = json!("Moved");
    }));
    let report = bench.refresh().await;
    // The second is on the second page as well, and counted once.
    assert_eq!(counts(&report.anime), [5, 0, 0, 0]);
    assert_eq!(ids(&bench.rows().await), [2, 4, 6, 8, 12]);
    bench.refresh().await;
    assert_eq!(bench.row(10).await.titles["rj"], "Moved");
}

#[tokio::test]
async fn a_page_that_is_not_what_it_should_be_is_asked_for_again() {
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
        let bench = Refreshed::empty().await.with(by_age(5), 2);
        bench.tracker.fail_after(1, fault());
        let report = bench.refresh().await;
        assert!(report.ended().is_none(), "{report:?}");
        assert_eq!(counts(&report.anime), [5, 0, 0, 0]);
        assert_eq!(bench.tracker.count(), 4);
    }
}

#[tokio::test]
async fn a_run_that_ends_early_keeps_what_it_wrote_and_the_next_begins_anew() {
    let bench = Refreshed::empty().await.with(by_age(6), 2);
    bench.tracker.fail_after(2, Fault::answer(403, "{}"));
    let report = bench.refresh().await;
    let ended = report.ended().unwrap().to_string();
    assert_eq!(ended, "later: tracker_a media: status 403");
    assert_eq!(
        bench.tracker.count(),
        3,
        "who is turned away does not knock on"
    );
    assert_eq!(ids(&bench.rows().await), [2, 4, 6, 8]);
    assert_eq!(bench.anime_state().await.watermark, None);
    assert_eq!(bench.service.get("/v1/anime").await.ids().len(), 4);

    bench
        .service
        .clock
        .advance(std::time::Duration::from_hours(2));
    let report = bench.refresh().await;
    assert_eq!(counts(&report.anime), [2, 0, 4, 0]);
    assert_eq!(bench.anime_state().await.watermark, Some(CHANGED_S - 60));
}

#[tokio::test]
async fn a_run_ends_in_time() {
    let bench = Refreshed::empty().await.with(by_age(6), 2);
    let environment = &bench.service.environment;
    let until = environment.clock.now_ms() + 3_000;
    let sources = bench.anime_alone();
    let report = refresh(environment, sources, Scope::Changed, until, &Unwatched).await;
    let ended = report.unwrap().ended().unwrap().to_string();
    assert!(ended.contains("the limits leave no time"), "{ended}");
    assert!(environment.clock.now_ms() < until);
    assert_eq!(ids(&bench.rows().await), [2, 4, 6, 8]);
    assert_eq!(bench.anime_state().await.watermark, None);
}

/// DynamoDB goes away after each number of calls. The run says so, and the next one finishes it.
#[tokio::test]
async fn a_run_without_its_tables_is_an_error_that_the_next_one_mends() {
    let whole = Refreshed::empty().await.with(by_age(6), 2);
    whole.refresh().await;
    let expected = whole.rows().await;
    for calls in [0, 8, 10, 11, 12, 14, 17, 20, 26] {
        let bench = Refreshed::empty().await.with(by_age(6), 2);
        let proxy = Proxy::start(engine::endpoint()).await;
        proxy.set_after(calls, Mode::Closed);
        let mut environment = bench.service.environment.clone();
        environment.client = engine::hasty_client(&proxy.endpoint);
        let until = environment.clock.now_ms() + 60_000;
        let sources = bench.anime_alone();
        let died = refresh(&environment, sources, Scope::Changed, until, &Unwatched).await;
        assert!(died.is_err(), "{calls}");
        let report = bench.refresh().await;
        assert!(report.ended().is_none());
        assert_eq!(bench.rows().await, expected, "{calls}");
        assert!(!bench.anime_state().await.must_publish());
        let listed = bench.service.get("/v1/anime").await.ids();
        assert_eq!(listed.len(), 6, "{calls}");
    }
}

#[tokio::test]
async fn what_a_dead_run_wrote_is_published_by_the_next() {
    let bench = Refreshed::empty().await.with(by_age(2), 2);
    bench.refresh().await;
    let mut anime = bench.row(2).await;
    anime
        .titles
        .insert("rj".into(), "Written by the dead".into());
    bench.progress_of_anime().announce().await.unwrap();
    bench.service.put(&[anime]).await;
    // And it has not come to the watermark, either: there is nothing else to do.
    bench.set(Vec::new());
    let report = bench.refresh().await;
    assert_eq!(report.published, [("anime", 2)].into());
    let found = bench.service.get("/v1/anime?title=dead").await;
    assert_eq!(found.ids(), [2]);
    assert!(bench.refresh().await.published.is_empty());
}

/// The contract's words for the two are the other way around.
#[tokio::test]
async fn what_comes_before_is_the_sequel_and_what_comes_after_the_prequel() {
    let relations = |edges: &[(&str, u32, &str)]| {
        let edge = |(kind, id, media): &(&str, u32, &str)| json!({"relationType": kind, "node": {"id": id, "type": media}});
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
    let bench = Refreshed::empty().await;
    bench.set(vec![
        media(1, &relations(&first)),
        media(2, &relations(&second)),
        media(3, &relations(&itself)),
        media(8, &Value::Null),
    ]);
    // One on a page: the first names one that is not read yet.
    bench.tracker.state().per_page = 1;
    let report = bench.refresh().await;
    assert_eq!(counts(&report.anime), [4, 0, 0, 0], "each is counted once");
    let around = async |number| {
        let row = bench.row(number).await;
        (row.sequel, row.prequel)
    };
    assert_eq!(around(2).await, (None, id(4)));
    assert_eq!(around(4).await, (id(2), None));
    assert_eq!(around(6).await, (None, None));
    bench.tracker.state().per_page = 50;
    assert_eq!(counts(&bench.refresh().await.anime), [0, 0, 4, 0]);
    assert_eq!(around(2).await, (None, id(4)));
}

#[tokio::test]
async fn recommendations_are_those_of_the_catalogue_the_best_rated_first() {
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
    let bench = Refreshed::empty().await.with(all, 7);
    bench.refresh().await;
    let expected: Vec<AnimeId> = [6, 4].into_iter().filter_map(id).collect();
    assert_eq!(bench.row(2).await.recommendations, Some(expected));
    assert_eq!(bench.row(80).await.recommendations.unwrap().len(), 25);
    assert_eq!(bench.row(4).await.recommendations, None);
}

#[tokio::test]
async fn ids_are_kept_and_a_wrong_number_at_tracker_b_spoils_nothing() {
    let known = |a: Option<u32>, b: Option<u32>| {
        let trackers = TrackerIds { a, b };
        let id = AnimeId::first_seen(a, b).unwrap();
        let facts = AnimeFacts::silent(id, trackers, AnimeFormat::Tv);
        catalogue::import::Facts::merge_into(facts, None)
    };
    let rows = [
        known(None, Some(30)),
        known(Some(5), Some(31)),
        known(Some(6), None),
        known(Some(7), Some(33)),
    ];
    let mut taken = known(None, Some(40));
    taken.id = id(2 * 44).unwrap();
    let bench = Refreshed::over(Service::empty().await).await;
    bench.service.put(&rows).await;
    bench.service.put(&[taken]).await;
    let at = |a: u32, b: u32| media(a, &json!({ "idMal": b }));
    bench.set(vec![
        // Known to tracker B alone until now.
        at(40, 30),
        // The same number again: it belongs to the one before.
        at(41, 30),
        // Of a row that has another number at tracker A.
        at(42, 31),
        // Of another row: a row keeps what it has.
        at(5, 33),
        at(6, 31),
        // One that nobody has.
        at(43, 0),
        at(7, 50),
        // Its place is taken.
        at(44, 51),
    ]);
    let report = bench.refresh().await;
    assert_eq!(counts(&report.anime), [3, 4, 0, 1], "{report:?}");
    assert_eq!(report.anime.skipped_for(ID_TAKEN), 1);
    let numbers: Vec<_> = bench
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
async fn silence_wipes_nothing() {
    let bench = Refreshed::over(Service::with_sample().await).await;
    let before = bench.row(2).await;
    assert!(before.trailer_url.is_some() || before.descriptions.contains_key("en"));
    let nothing = json!({
        "id": 1, "title": {"romaji": "Only this"}, "format": "TV", "updatedAt": CHANGED_S,
        "status": null, "episodes": null, "isAdult": null, "genres": null, "relations": null,
        "coverImage": {"extraLarge": null}, "startDate": {"year": 1999}, "description": " <br> ",
    });
    bench.set(vec![nothing]);
    assert_eq!(counts(&bench.refresh().await.anime), [0, 1, 0, 0]);
    let mut expected = before;
    expected.titles.insert("rj".into(), "Only this".into());
    assert_eq!(bench.row(2).await, expected);
}

#[tokio::test]
async fn episodes_are_those_that_are_released() {
    let airing = |episode: u32| json!({"airingAt": 1_699_833_600, "episode": episode});
    let cases = [
        (
            json!({"status": "FINISHED", "episodes": 12}),
            12,
            AnimeStatus::Finished,
        ),
        (
            json!({"status": "FINISHED", "episodes": null}),
            3,
            AnimeStatus::Finished,
        ),
        (
            json!({"status": "RELEASING", "nextAiringEpisode": airing(6)}),
            5,
            AnimeStatus::Releasing,
        ),
        (
            json!({"status": "RELEASING", "nextAiringEpisode": airing(0)}),
            0,
            AnimeStatus::Releasing,
        ),
        (
            json!({"status": "RELEASING", "episodes": 24}),
            3,
            AnimeStatus::Releasing,
        ),
        (json!({"status": "HIATUS"}), 3, AnimeStatus::Releasing),
        (
            json!({"status": "NOT_YET_RELEASED"}),
            0,
            AnimeStatus::NotYetReleased,
        ),
        (
            json!({"status": "CANCELLED", "episodes": 9}),
            3,
            AnimeStatus::Cancelled,
        ),
        (json!({"status": "UNHEARD_OF"}), 3, AnimeStatus::Finished),
    ];
    for (changes, episodes, status) in cases {
        let bench = Refreshed::empty().await;
        bench.set(vec![media(1, &json!({"episodes": 3}))]);
        bench.refresh().await;
        let mut changed = media(1, &changes);
        changed["updatedAt"] = json!(CHANGED_S + 1);
        bench.set(vec![changed]);
        bench.refresh().await;
        let row = bench.row(2).await;
        assert_eq!(
            (row.episodes_count, row.status),
            (episodes, status),
            "{changes}"
        );
        // A Monday at midnight.
        let day = row.weekly_airing_day.map(u8::from);
        let expected = changes["nextAiringEpisode"].is_object().then_some(1);
        assert_eq!(day, expected, "{changes}");
    }
}

#[tokio::test]
async fn what_cannot_be_right_is_passed_over() {
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
    let bench = Refreshed::empty().await;
    bench.set(all.map(|(changes, id)| media(id, changes)).collect());
    assert_eq!(counts(&bench.refresh().await.anime), [8, 0, 0, 0]);
    let rows = bench.rows().await;
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
async fn what_cannot_be_represented_is_skipped_and_counted() {
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
    let bench = Refreshed::empty().await.with(wrong, 50);
    let report = bench.refresh().await;
    assert_eq!(counts(&report.anime), [1, 0, 0, 8]);
    let expected = [
        (NO_TITLE, 2),
        (OTHER_FORMAT, 2),
        (TEXT_TOO_LONG, 2),
        (TRACKER_ID_RANGE, 2),
    ];
    for (reason, count) in expected {
        assert_eq!(report.anime.skipped_for(reason), count, "{reason}");
    }
    assert!(report.anime.to_string().contains("anime 3: Anime 3"));
    assert_eq!(ids(&bench.rows().await), [12]);
}

#[tokio::test]
async fn everything_is_read_when_it_is_asked_for() {
    let old = |id: u32| media(id, &json!({"updatedAt": 1_000_000}));
    let bench = Refreshed::empty().await.with((1..=7).map(old).collect(), 3);
    assert_eq!(
        counts(&bench.refresh().await.anime),
        [6, 0, 0, 0],
        "a page more"
    );
    let began = bench.service.clock.now_s();
    let report = bench.run(bench.anime_alone(), Scope::All).await.unwrap();
    assert_eq!(counts(&report.anime), [1, 0, 6, 0]);
    assert_eq!(
        bench.tracker.last().json()["variables"]["sort"],
        json!(["ID"])
    );
    assert_eq!(bench.anime_state().await.watermark, Some(began));
}

#[tokio::test]
async fn what_is_not_configured_is_not_asked() {
    let bench = Refreshed::empty().await.with(by_age(3), 50);
    let (client, recorder) = recorded(&bench.service.tables);
    let mut environment = bench.service.environment.clone();
    environment.client = client;
    let nothing = Sources::default();
    let report = refresh(&environment, nothing, Scope::Changed, u64::MAX, &Unwatched).await;
    assert_eq!(counts(&report.unwrap().anime), [0; 4]);
    assert!(recorder.seen().is_empty());
    assert_eq!(bench.tracker.count() + bench.themes.count(), 0);
}

#[tokio::test]
async fn two_runs_at_once_do_no_harm() {
    let bench = Refreshed::empty().await.with(by_age(40), 10);
    let (one, other) = tokio::join!(bench.refresh(), bench.refresh());
    assert!(one.ended().is_none() && other.ended().is_none());
    assert_eq!(bench.rows().await.len(), 40);
    assert_eq!(bench.service.get("/v1/anime").await.ids().len(), 40);
    assert_eq!(bench.anime_state().await.watermark, Some(CHANGED_S - 60));
    assert_eq!(counts(&bench.refresh().await.anime), [0, 0, 20, 0]);
}

/// An importer and a refresh read the same row, and then write: what both say is in it.
#[tokio::test]
async fn a_row_that_two_change_at_once_has_what_both_say() {
    let service = Service::with_sample().await;
    let store = CatalogueStore::<Anime>::new(service.client.clone(), &service.tables);
    let silent = |id: u64, a: u32| {
        let trackers = TrackerIds {
            a: Some(a),
            b: None,
        };
        AnimeFacts::silent(AnimeId::new(id).unwrap(), trackers, AnimeFormat::Tv)
    };
    for (number, a) in [(2, 1), (2, 1), (9_000, 4_500)] {
        let one = AnimeFacts {
            title_en: Some(format!("From one of {number}")),
            ..silent(number, a)
        };
        let other = AnimeFacts {
            episode_duration: Some(a + 77),
            ..silent(number, a)
        };
        let one = Plan::make(&store, vec![one]).await.unwrap();
        let other = Plan::make(&store, vec![other]).await.unwrap();
        one.carry_out(&store).await.unwrap();
        other.carry_out(&store).await.unwrap();
        let row = store.get(number).await.unwrap().unwrap();
        assert_eq!(row.titles["en"], format!("From one of {number}"));
        assert_eq!(row.episode_duration, Some(a + 77));
    }
}

/// An identifier that was given to another anime meanwhile is not written over.
#[tokio::test]
async fn a_row_of_another_anime_is_not_written_over() {
    let service = Service::with_sample().await;
    let store = CatalogueStore::<Anime>::new(service.client.clone(), &service.tables);
    let trackers = TrackerIds {
        a: Some(999),
        b: None,
    };
    let stranger = AnimeFacts::silent(AnimeId::new(2).unwrap(), trackers, AnimeFormat::Tv);
    assert!(Plan::make(&store, vec![stranger]).await.is_err());
}
