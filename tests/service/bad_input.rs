//! Invalid input causes an error that names the parameter and its rule.

use axum::http::Method;
use serde_json::{Value, json};
use tests::assertions::AssertText;
use tests::made_up;
use tests::service::Service;

// The rules, as the messages state them.
const ANY_NUMBER: &str = "must be a whole number from 1 to 9007199254740991";
const PAGE_SIZE: &str = "must be a whole number from 1 to 100";
const RANDOM_COUNT: &str = "must be a whole number from 1 to 50";
const YEAR: &str = "must be a whole number from 0 to 9999";
const ONCE: &str = "must be given only once";
const BOOLEAN: &str = "must be true or false";
const NO_EMPTY_VALUE: &str = "must not contain an empty value";
const ESCAPES: &str = "must have two hexadecimal digits after each %";
const UTF_8: &str = "must be valid UTF-8 after percent-decoding";
const LENGTH: &str = "must have at most 500 characters";
const CURSOR: &str =
    "is invalid, or belongs to another list or other filters; take it from the Link header";
const NO_PAGE: &str = "cannot be combined with page";
const STATUSES: &str =
    "must be one of 0 (FINISHED), 1 (RELEASING), 2 (NOT_YET_RELEASED), 3 (CANCELLED)";
const FORMATS: &str =
    "must be one of 0 (TV), 1 (TV_SHORT), 2 (MOVIE), 3 (SPECIAL), 4 (OVA), 5 (ONA), 6 (MUSIC)";
const SEASONS: &str = "must be one of 0 (WINTER), 1 (SPRING), 2 (SUMMER), 3 (FALL), 4 (UNKNOWN)";
const SONG_TYPES: &str = "must be one of 0 (OPENING), 1 (ENDING), 2 (NONE)";

/// Checks that each path returns a 400 that names only this parameter, and this rule.
async fn assert_rejected(service: &Service, cases: &[(&str, &str, &str)]) {
    for (path, parameter, rule) in cases {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 400, "{path}");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.data(), json!({*parameter: rule}), "{path}");
    }
}

#[tokio::test]
async fn invalid_parameter_is_named() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &made_up::songs(3, 1)).await;
    assert_rejected(
        &service,
        &[
            ("/v1/anime?per_page=0", "per_page", PAGE_SIZE),
            ("/v1/anime?per_page=101", "per_page", PAGE_SIZE),
            ("/v1/anime?per_page=-1", "per_page", PAGE_SIZE),
            ("/v1/anime?per_page=abc", "per_page", PAGE_SIZE),
            ("/v1/anime?per_page=", "per_page", PAGE_SIZE),
            ("/v1/anime?per_page=1&per_page=2", "per_page", ONCE),
            ("/v1/anime?page=0", "page", ANY_NUMBER),
            ("/v1/anime?page=99999999999999999999999", "page", ANY_NUMBER),
            ("/v1/anime?status=9", "status", STATUSES),
            ("/v1/anime?status=+1", "status", STATUSES),
            ("/v1/anime?status=0&status=0", "status", ONCE),
            ("/v1/anime?formats=0,99", "formats", FORMATS),
            ("/v1/anime?formats=0,", "formats", FORMATS),
            ("/v1/anime?formats=0&formats=x", "formats", FORMATS),
            ("/v1/anime?year=abc", "year", YEAR),
            ("/v1/anime?year=19.5", "year", YEAR),
            ("/v1/anime?season=5", "season", SEASONS),
            ("/v1/anime?nsfw=maybe", "nsfw", BOOLEAN),
            ("/v1/anime?with_episodes=2", "with_episodes", BOOLEAN),
            ("/v1/anime?tracker_a_id=0", "tracker_a_id", ANY_NUMBER),
            ("/v1/anime?tracker_b_id=-4", "tracker_b_id", ANY_NUMBER),
            (
                "/v1/anime?database_id=9223372036854775808",
                "database_id",
                ANY_NUMBER,
            ),
            ("/v1/anime?genres=Drama,,Action", "genres", NO_EMPTY_VALUE),
            ("/v1/anime?studios=Bones,", "studios", NO_EMPTY_VALUE),
            (
                "/v1/anime?tags=%21",
                "tags",
                "must have a letter or a digit",
            ),
            ("/v1/anime?title=%", "title", ESCAPES),
            ("/v1/anime?title=%2", "title", ESCAPES),
            ("/v1/anime?title=%zz", "title", ESCAPES),
            ("/v1/anime?title=%ff%fe", "title", UTF_8),
            ("/v1/song?type=3", "type", SONG_TYPES),
            ("/v1/song?anime_id=x", "anime_id", ANY_NUMBER),
            ("/v1/song?artist=%C3%28", "artist", UTF_8),
            ("/v1/song?season=-1", "season", SEASONS),
        ],
    )
    .await;
}

#[tokio::test]
async fn all_invalid_parameters_are_named_at_once() {
    let service = Service::with_catalogue(&[], &[]).await;
    let answer = service
        .get("/v1/anime?per_page=0&status=9&year=abc&title=%")
        .await;
    let data = answer.data();
    let named: Vec<&String> = data.as_object().unwrap().keys().collect();
    assert_eq!(named, ["per_page", "status", "title", "year"]);
    assert_eq!(data["per_page"], "must be a whole number from 1 to 100");
}

#[tokio::test]
async fn invalid_ids_and_counts_in_a_path_are_rejected() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &made_up::songs(3, 1)).await;
    let mut paths = Vec::new();
    for list in ["anime", "song"] {
        for id in "0 -1 abc 9223372036854775808 1.0 %ff %2F %00 1e3".split(' ') {
            paths.push((format!("/v1/{list}/{id}"), "id", ANY_NUMBER));
        }
        for count in ["0", "51", "abc", "-1", "%ff"] {
            paths.push((format!("/v1/random/{list}/{count}"), "count", RANDOM_COUNT));
        }
    }
    let paths: Vec<_> = paths
        .iter()
        .map(|(path, name, rule)| (path.as_str(), *name, *rule))
        .collect();
    assert_rejected(&service, &paths).await;
    for path in [
        "/v1/anime/4",
        "/v1/anime/9007199254740991",
        "/v1/song/1",
        "/v1/song/34359738367",
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.data(), "No resource has this identifier.");
    }
}

#[tokio::test]
async fn cursor_of_another_list_is_rejected() {
    let service = Service::with_catalogue(&made_up::anime(20, 1), &made_up::songs(20, 1)).await;
    let cursor = |path: &'static str| {
        let service = &service;
        async move { service.get(path).await.next().unwrap().after("cursor=") }
    };
    let good = cursor("/v1/anime?per_page=5").await;
    let filtered = cursor("/v1/anime?nsfw=false&per_page=5").await;
    let of_songs = cursor("/v1/song?per_page=5").await;
    service
        .get(&format!("/v1/anime?cursor={good}"))
        .await
        .assert_status(200);
    let forged = format!("A{}", &good[1..]).replace("AA", "AB");
    for (path, token) in [
        ("/v1/anime", &good[..good.len() - 1]),
        ("/v1/anime", ""),
        ("/v1/anime", "%00"),
        ("/v1/anime", "AAAAAAAAAAAAAAAAAAAAAA"),
        ("/v1/anime", &forged),
        ("/v1/anime", &of_songs),
        ("/v1/anime", &filtered),
        ("/v1/song", &good),
        ("/v1/anime", &format!("{good}&status=0")),
    ] {
        let separator = if path.contains('?') { '&' } else { '?' };
        assert_rejected(
            &service,
            &[(
                &format!("{path}{separator}cursor={token}"),
                "cursor",
                CURSOR,
            )],
        )
        .await;
    }
    let with_page = format!("/v1/anime?cursor={good}&page=1");
    assert_rejected(&service, &[(&with_page, "cursor", NO_PAGE)]).await;
}

#[tokio::test]
async fn patterns_with_unusual_characters_are_folded() {
    let mut anime = made_up::anime(4, 1);
    for (anime, title) in
        anime
            .iter_mut()
            .zip(["日本語のタイトル", "Smile 😀", "100% Pascal", "Ōkami"])
    {
        anime.titles = [("rj".to_owned(), title.to_owned())].into();
    }
    let service = Service::with_catalogue(&anime, &[]).await;
    for (pattern, expected) in [
        ("%E6%97%A5%E6%9C%AC", vec![1]),
        ("%F0%9F%98%80", vec![2]),
        ("smile+%F0%9F%98%80", vec![2]),
        ("100%25", vec![3]),
        ("OKAMI", vec![4]),
        ("(100%25!)", vec![3]),
        ("%00smile:", vec![2]),
        ("%00", vec![1, 2, 3, 4]),
        ("nothing+like+it", vec![]),
    ] {
        let mut found = service
            .get(&format!("/v1/anime?title={pattern}"))
            .await
            .ids();
        found.sort_unstable();
        assert_eq!(found, expected, "{pattern}");
    }
    assert_rejected(
        &service,
        &[(
            &format!("/v1/anime?title={}", "x".repeat(10_000)),
            "title",
            LENGTH,
        )],
    )
    .await;
}

#[tokio::test]
async fn unknown_paths_and_methods_are_rejected() {
    let service = Service::with_catalogue(&[], &[]).await;
    for path in "/v1/nothing /v2/anime /v1/anime/2/3 /v1/random/song".split(' ') {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.envelope()["message"], "Not found");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let answer = service.send(method.clone(), "/v1/anime/2", &[]).await;
        assert_eq!(answer.status, 405);
        let mut allowed = answer.header("allow").split(',');
        assert!(allowed.any(|allowed| allowed == "GET"));
        assert_eq!(answer.envelope()["message"], "Method not allowed");
    }
}

#[tokio::test]
async fn nullable_fields_are_present_as_null() {
    let mut anime = made_up::anime(1, 1);
    anime[0].season_year = None;
    anime[0].tracker_a_id = None;
    anime[0].recommendations = None;
    let service = Service::with_catalogue(&anime, &[]).await;
    let expected: Value = serde_json::to_value(&anime[0]).unwrap();
    assert_eq!(service.get("/v1/anime/1").await.data(), expected);
    assert_eq!(service.get("/v1/anime").await.data(), json!([expected]));
    for field in "season_year tracker_a_id recommendations sequel sagas banner_image".split(' ') {
        assert_eq!(expected.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(expected.as_object().unwrap().len(), 30);
}
