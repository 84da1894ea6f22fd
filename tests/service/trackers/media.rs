//! The catalogue of `AniList`.

use serde_json::{Value, json};

use super::{Change, Fault, Fixture, Tracker, Which, action_of};

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
    assert_eq!((page.media.len(), page.more), (50, true));
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
    assert_eq!((page.media.len(), page.more), (1, false));
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
