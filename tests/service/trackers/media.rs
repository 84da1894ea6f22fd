//! The catalogues of `AniList` and `MyAnimeList`.

use serde_json::{Value, json};
use shared::models::{Season, Weekday};
use trackers::MyAnimeList;
use trackers::my_anime_list::{AiringStatus, ListFields, MediaType, Nsfw, Relation};

use super::{
    CLIENT_ID, Cause, Change, Clock, FAULTS, Fake, Fault, Fixture, START_MS, Tracker, TrackerError,
    Waiter, Which, action_of, html_response, remove,
};

/// Returns an anime of the catalogue with every field of docs/trackers.md.
fn catalogue_anime(id: u32) -> Value {
    json!({
        "id": id, "idMal": 1, "title": {"romaji": "Kumo", "english": null, "native": "雲"},
        "synonyms": ["Cloud", null], "genres": ["Drama"], "format": "TV_SHORT", "status": "HIATUS",
        "season": "FALL", "seasonYear": 2_020, "startDate": {"year": 2_020, "month": 10, "day": null},
        "endDate": {"year": null, "month": null, "day": null}, "episodes": null, "duration": 4,
        "nextAiringEpisode": {"airingAt": 1_700_000_000, "episode": 3}, "averageScore": 71, "popularity": 9100,
        "isAdult": false, "updatedAt": 1_699_000_000,
        "coverImage": {"extraLarge": "https://i.test/c", "color": "#abcdef"}, "bannerImage": null,
        "trailer": {"id": "t", "site": "youtube"},
        "relations": {"edges": [
            {"relationType": "PREQUEL", "node": {"id": 4, "type": "ANIME"}},
            {"relationType": "ADAPTATION", "node": {"id": 5, "type": "MANGA"}},
            {"relationType": "SEQUEL", "node": null}, null]},
        "recommendations": {"nodes": [
            {"rating": 2, "mediaRecommendation": {"id": 8}}, null,
            {"rating": 9, "mediaRecommendation": {"id": 7}}, {"rating": 5, "mediaRecommendation": null}]},
        "description": "Clouds.<br>",
    })
}

#[tokio::test]
async fn anilist_catalogue_is_read() {
    let fixture = Fixture::new(Which::A).await;
    let Tracker::AniList(anilist) = &fixture.tracker else {
        panic!("expected AniList")
    };
    fixture.fake.state().media = (1..=51).map(catalogue_anime).collect();
    let page = anilist
        .updated_media(1, fixture.deadline_in(60))
        .await
        .unwrap();
    assert_eq!((page.media.len(), page.has_next_page), (50, true));
    let sent = fixture.fake.last();
    assert_eq!(sent.header("authorization"), "", "the catalogue is public");
    let expected = json!({"page": 1, "perPage": 50, "sort": ["UPDATED_AT_DESC"]});
    assert_eq!(sent.json()["variables"], expected);
    let query = sent.json()["query"].to_string();
    for field in catalogue_anime(1).as_object().unwrap().keys() {
        assert!(query.contains(field), "{field}");
    }
    let first = format!("{:?}", page.media[0]);
    for part in [
        "romaji: Some(\"Kumo\"), english: None, native: Some(\"雲\")",
        "synonyms: [\"Cloud\"]",
        "format: Some(TvShort), status: Some(Hiatus), season: Some(Fall), season_year: Some(2020)",
        "start_date: FuzzyDate { year: Some(2020), month: Some(10), day: None }",
        "episodes: None, duration: Some(4)",
        "Airing { airing_at: 1700000000, episode: 3 }",
        "average_score: Some(71), popularity: Some(9100), is_adult: Some(false), updated_at: Some(1699000000)",
        "extra_large: Some(\"https://i.test/c\"), color: Some(\"#abcdef\")",
        "Relation { kind: Prequel, id: 4, media: Anime }, Relation { kind: Other, id: 5, media: Manga }",
        "[Recommendation { id: 7, rating: 9 }, Recommendation { id: 8, rating: 2 }]",
    ] {
        assert!(first.contains(part), "{part} in {first}");
    }
    let page = anilist.all_media(2, fixture.deadline_in(60)).await.unwrap();
    assert_eq!((page.media.len(), page.has_next_page), (1, false));
    assert_eq!(
        fixture.fake.last().json()["variables"]["sort"],
        json!(["ID"])
    );

    let minimal =
        json!({"id": 1, "title": null, "relations": null, "isAdult": null, "format": "HOLO"});
    let named = minimal.clone();
    fixture.fake.fail(Fault::edit(move |body| {
        body["data"]["Page"]["media"] = json!([named]);
    }));
    assert_eq!(
        action_of(anilist.updated_media(2, fixture.deadline_in(60)).await),
        "ok"
    );
    let wrong: [Change; 6] = [
        |body| body["data"]["Page"] = json!(null),
        |body| body["data"]["Page"]["pageInfo"]["currentPage"] = json!(2),
        |body| body["data"]["Page"]["pageInfo"]["hasNextPage"] = json!(null),
        |body| body["data"]["Page"]["media"] = json!([]),
        |body| body["data"]["Page"]["media"][3]["id"] = json!(null),
        |body| body["data"]["Page"]["media"][3]["averageScore"] = json!("high"),
    ];
    for change in wrong {
        fixture.fake.fail(Fault::edit(change));
        assert_eq!(
            action_of(anilist.updated_media(1, fixture.deadline_in(60)).await),
            "later"
        );
    }
}

/// Returns an anime of `MyAnimeList` with every field of docs/trackers.md.
fn listed_anime(id: u32) -> Value {
    json!({
        "id": id, "title": "Kumo", "main_picture": {"medium": "https://i.test/m", "large": "https://i.test/l"},
        "alternative_titles": {"synonyms": ["Cloud"], "en": "Clouds", "ja": "雲"},
        "start_date": "2020-10-03", "end_date": "2021-02", "synopsis": "Clouds.", "mean": 7.13,
        "nsfw": "gray", "media_type": "tv_special", "status": "currently_airing",
        "genres": [{"id": 8, "name": "Drama"}, {"id": 24, "name": "Sci-Fi"}], "num_episodes": 12,
        "start_season": {"year": 2_020, "season": "fall"},
        "broadcast": {"day_of_the_week": "saturday", "start_time": "01:25"},
        "average_episode_duration": 1_430, "num_list_users": 1_000_000 - id,
        "updated_at": "2023-11-03T08:26:40+00:00",
        "related_anime": [
            {"node": {"id": 4, "title": "A"}, "relation_type": "prequel", "relation_type_formatted": "Prequel"},
            {"node": {"id": 5, "title": "B"}, "relation_type": "side_story"}],
        "recommendations": [{"node": {"id": 7, "title": "C"}, "num_recommendations": 9}],
    })
}

async fn my_anime_list() -> (MyAnimeList, Fake, Clock) {
    let clock = Clock::manual(START_MS);
    let fake = Fake::start(Which::B, clock.clone()).await;
    let waiter = Waiter::Move(clock.clone());
    // The catalogue needs no secret.
    let mut config = fake.config();
    config.client_secret.clear();
    let adapter = MyAnimeList::new(config, clock.clone(), waiter);
    (adapter.unwrap().unwrap(), fake, clock)
}

#[tokio::test]
async fn catalogue_of_my_anime_list_is_read_with_the_client_id_only() {
    let (adapter, fake, _) = my_anime_list().await;
    fake.state().media = (1..=7).map(listed_anime).collect();
    fake.state().media[2] = json!({"id": 3, "title": "Bare"});
    fake.state().media[3]["nsfw"] = json!("black");
    fake.state().per_page = 3;

    let mut address = Some(adapter.ranking(ListFields::All));
    let mut ids = Vec::new();
    while let Some(at) = address {
        let page = adapter.page(&at, u64::MAX).await.unwrap();
        ids.extend(page.anime.iter().map(|anime| anime.id));
        address = page.next;
        let sent = fake.last();
        assert_eq!(sent.header("x-mal-client-id"), CLIENT_ID);
        assert_eq!(sent.header("authorization"), "");
        assert_eq!(sent.params()["limit"], "500");
    }
    assert_eq!(ids, [1, 2, 4, 5, 6, 7, 3], "the most popular first");

    let changes = adapter.ranking(ListFields::Changes);
    let page = adapter.page(&changes, u64::MAX).await.unwrap();
    assert_eq!(fake.last().params()["fields"], "id,updated_at");
    assert_eq!(page.anime[0].updated_at, Some(1_699_000_000));
    assert_eq!(page.anime[0].mean, None);

    let fall = adapter.season(2_020, Season::Fall);
    let page = adapter.page(&fall, u64::MAX).await.unwrap();
    assert_eq!(fake.last().path, "/v2/anime/season/2020/fall");
    let listed = &page.anime[0];
    assert!(listed.related_anime.is_empty() && listed.recommendations.is_empty());

    let anime = adapter.anime(1, u64::MAX).await.unwrap();
    assert_eq!(fake.last().header("x-mal-client-id"), CLIENT_ID);
    let titles = &anime.alternative_titles;
    assert_eq!(anime.title.as_deref(), Some("Kumo"));
    assert_eq!(titles.en.as_deref(), Some("Clouds"));
    assert_eq!(titles.ja.as_deref(), Some("雲"));
    assert_eq!(titles.synonyms, ["Cloud"]);
    assert_eq!(anime.start_date.unwrap().to_string(), "2020-10-03");
    assert_eq!(anime.end_date, None, "the day is unknown");
    assert_eq!(anime.synopsis.as_deref(), Some("Clouds."));
    assert_eq!(anime.mean, Some(7.13));
    assert_eq!(anime.nsfw, Some(Nsfw::Gray));
    assert_eq!(anime.media_type, Some(MediaType::TvSpecial));
    assert_eq!(anime.status, Some(AiringStatus::CurrentlyAiring));
    assert_eq!(anime.genres, ["Drama", "Sci-Fi"]);
    assert_eq!(anime.num_episodes, Some(12));
    let season = anime.start_season.unwrap();
    assert_eq!((season.year, season.season), (2_020, Some(Season::Fall)));
    assert_eq!(anime.broadcast.day, Some(Weekday::Saturday));
    assert_eq!(anime.broadcast.time.unwrap().as_hms(), (1, 25, 0));
    assert_eq!(anime.average_episode_duration, Some(1_430));
    assert_eq!(anime.num_list_users, Some(999_999));
    assert_eq!(
        anime.main_picture.large.as_deref(),
        Some("https://i.test/l")
    );
    assert_eq!(anime.updated_at, Some(1_699_000_000));
    let related = anime.related_anime.iter();
    let related: Vec<_> = related.map(|one| (one.node.id, one.relation)).collect();
    assert_eq!(related, [(4, Relation::Prequel), (5, Relation::Other)]);
    let similar = anime.recommendations.iter();
    let similar: Vec<_> = similar.map(|one| (one.node.id, one.count)).collect();
    assert_eq!(similar, [(7, 9)]);
}

/// The API leaves out fields without a value. A new value of an enumeration must not hide a whole page.
#[tokio::test]
async fn absent_and_unknown_values_of_my_anime_list_are_read() {
    let (adapter, fake, _) = my_anime_list().await;
    fake.state().media = vec![
        json!({"id": 1}),
        json!({
            "id": 2, "title": null, "alternative_titles": null, "start_date": "2020", "mean": null,
            "nsfw": "beige", "media_type": "pv", "status": "on_hiatus", "genres": null,
            "start_season": {"year": 2_020, "season": "monsoon"}, "main_picture": null,
            "broadcast": {"day_of_the_week": "other"}, "updated_at": "soon",
        }),
    ];
    let page = adapter
        .page(&adapter.ranking(ListFields::All), u64::MAX)
        .await
        .unwrap();
    let [bare, odd] = &page.anime[..] else {
        panic!("{page:?}")
    };
    assert_eq!((bare.title.as_ref(), bare.media_type), (None, None));
    assert_eq!(
        (odd.nsfw, odd.status),
        (Some(Nsfw::Other), Some(AiringStatus::Other))
    );
    assert_eq!(odd.media_type, Some(MediaType::Other));
    assert_eq!(
        (odd.start_date, odd.updated_at, odd.broadcast.day),
        (None, None, None)
    );
    assert_eq!(odd.start_season.unwrap().season, None);
}

#[tokio::test]
async fn faults_of_the_catalogue_of_my_anime_list_are_classified() {
    let (adapter, fake, clock) = my_anime_list().await;
    fake.state().media = (1..=7).map(listed_anime).collect();
    fake.state().per_page = 3;
    let ranking = adapter.ranking(ListFields::All);
    let soon = || clock.now_ms() + 3_600_000;
    for (fault, expected) in FAULTS {
        // The operator's client is refused, and no user can connect again.
        let expected = expected.replace("reconnect", "later");
        for is_list in [true, false] {
            fake.fail(fault());
            let action = if is_list {
                action_of(adapter.page(&ranking, soon()).await)
            } else {
                action_of(adapter.anime(1, soon()).await)
            };
            assert_eq!(action, expected);
            clock.advance(std::time::Duration::from_hours(25));
        }
    }
    let wrong: [Change; 6] = [
        |body| body["data"] = json!([]),
        |body| body["data"] = json!(null),
        |body| remove(body, "paging"),
        |body| {
            body["data"][1]["node"]["id"] = json!(null);
            body["data"][2]["node"]["mean"] = json!("high");
        },
        |body| body["paging"]["next"] = json!("https://elsewhere.test/v2/anime/ranking"),
        |body| body["paging"]["next"] = json!("next"),
    ];
    for change in wrong {
        fake.fail(Fault::edit(change));
        assert_eq!(action_of(adapter.page(&ranking, soon()).await), "later");
    }
    let wrong_rows: [Change; 3] = [
        |body| body["data"][1]["node"]["id"] = json!(null),
        |body| body["data"][1]["node"]["mean"] = json!("high"),
        |body| body["data"][1] = json!([]),
    ];
    for change in wrong_rows {
        fake.fail(Fault::edit(change));
        let page = adapter.page(&ranking, soon()).await.unwrap();
        let ids: Vec<u32> = page.anime.iter().map(|anime| anime.id).collect();
        assert_eq!(ids, [1, 3]);
    }
    let own = format!("{}/v2/anime/ranking?{}", fake.origin, fake.last().query);
    fake.fail(Fault::edit(move |body| body["paging"]["next"] = json!(own)));
    let looped = adapter
        .page(&ranking, soon())
        .await
        .unwrap_err()
        .to_string();
    assert!(looped.ends_with("a page that leads to itself"), "{looped}");
    fake.fail(Fault::edit(|body| body["id"] = json!(2)));
    assert_eq!(action_of(adapter.anime(1, soon()).await), "later");
    assert_eq!(action_of(adapter.anime(99, soon()).await), "final");

    let mut config = fake.config();
    for client_id in ["another", "line\nbreak"] {
        client_id.clone_into(&mut config.client_id);
        let waiter = Waiter::Move(clock.clone());
        let adapter = MyAnimeList::new(config.clone(), clock.clone(), waiter);
        let refused = adapter.unwrap().unwrap().anime(1, soon()).await;
        let TrackerError::Later { detail, .. } = refused.unwrap_err() else {
            panic!("expected a retry")
        };
        assert_eq!(detail.cause(), Cause::ClientRefused);
    }
    fake.fail(html_response(403));
    assert_eq!(action_of(adapter.anime(1, soon()).await), "later 3600");
}
