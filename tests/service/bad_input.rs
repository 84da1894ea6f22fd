//! Bad input: a clear error that names what is wrong.

use axum::http::Method;
use serde_json::{Value, json};
use tests::made_up;
use tests::service::Service;

/// Each path is a 400 that names the parameter, and it alone.
async fn refused(service: &Service, paths: &[(&str, &str)]) {
    for (path, parameter) in paths {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 400, "{path}");
        assert_eq!(answer.header("cache-control"), "no-store");
        let data = answer.data();
        let named: Vec<&String> = data.as_object().unwrap().keys().collect();
        assert_eq!(named, [parameter], "{path}");
        assert!(data[parameter].as_str().unwrap().len() > 10, "{path}");
    }
}

#[tokio::test]
async fn a_known_parameter_with_a_bad_value_is_named() {
    let service = Service::with(&made_up::anime(3, 1), &made_up::songs(3, 1)).await;
    refused(
        &service,
        &[
            ("/v1/anime?per_page=0", "per_page"),
            ("/v1/anime?per_page=101", "per_page"),
            ("/v1/anime?per_page=-1", "per_page"),
            ("/v1/anime?per_page=abc", "per_page"),
            ("/v1/anime?per_page=", "per_page"),
            ("/v1/anime?per_page=1&per_page=2", "per_page"),
            ("/v1/anime?page=0", "page"),
            ("/v1/anime?page=99999999999999999999999", "page"),
            ("/v1/anime?status=9", "status"),
            ("/v1/anime?status=+1", "status"),
            ("/v1/anime?status=0&status=0", "status"),
            ("/v1/anime?formats=0,99", "formats"),
            ("/v1/anime?formats=0,", "formats"),
            ("/v1/anime?formats=0&formats=x", "formats"),
            ("/v1/anime?year=abc", "year"),
            ("/v1/anime?year=19.5", "year"),
            ("/v1/anime?season=5", "season"),
            ("/v1/anime?nsfw=maybe", "nsfw"),
            ("/v1/anime?with_episodes=2", "with_episodes"),
            ("/v1/anime?tracker_a_id=0", "tracker_a_id"),
            ("/v1/anime?tracker_b_id=-4", "tracker_b_id"),
            ("/v1/anime?database_id=9223372036854775808", "database_id"),
            ("/v1/anime?genres=Drama,,Action", "genres"),
            ("/v1/anime?title=%", "title"),
            ("/v1/anime?title=%2", "title"),
            ("/v1/anime?title=%zz", "title"),
            ("/v1/anime?title=%ff%fe", "title"),
            ("/v1/song?type=3", "type"),
            ("/v1/song?anime_id=x", "anime_id"),
            ("/v1/song?artist=%C3%28", "artist"),
            ("/v1/song?season=-1", "season"),
        ],
    )
    .await;
}

#[tokio::test]
async fn every_fault_is_named_at_once() {
    let service = Service::with(&[], &[]).await;
    let answer = service
        .get("/v1/anime?per_page=0&status=9&year=abc&title=%")
        .await;
    let data = answer.data();
    let named: Vec<&String> = data.as_object().unwrap().keys().collect();
    assert_eq!(named, ["per_page", "status", "title", "year"]);
    assert_eq!(data["per_page"], "must be a whole number from 1 to 100");
}

#[tokio::test]
async fn identifiers_and_counts_in_a_path() {
    let service = Service::with(&made_up::anime(3, 1), &made_up::songs(3, 1)).await;
    let mut paths = Vec::new();
    for list in ["anime", "song"] {
        for id in [
            "0",
            "-1",
            "abc",
            "9223372036854775808",
            "1.0",
            "%ff",
            "%2F",
            "%00",
            "1e3",
        ] {
            paths.push((format!("/v1/{list}/{id}"), "id"));
        }
        for count in ["0", "51", "abc", "-1", "%ff"] {
            paths.push((format!("/v1/random/{list}/{count}"), "count"));
        }
    }
    let paths: Vec<_> = paths
        .iter()
        .map(|(path, name)| (path.as_str(), *name))
        .collect();
    refused(&service, &paths).await;
    for path in [
        "/v1/anime/4",
        "/v1/anime/9007199254740991",
        "/v1/song/1",
        "/v1/song/34359738367",
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.data(), "Nothing has this identifier.");
    }
}

#[tokio::test]
async fn a_cursor_that_is_not_of_this_list_is_refused() {
    let service = Service::with(&made_up::anime(20, 1), &made_up::songs(20, 1)).await;
    let cursor = |path: &'static str| {
        let service = &service;
        async move {
            let next = service.get(path).await.next().unwrap();
            next.split_once("cursor=").unwrap().1.to_owned()
        }
    };
    let good = cursor("/v1/anime?per_page=5").await;
    let filtered = cursor("/v1/anime?nsfw=false&per_page=5").await;
    let of_songs = cursor("/v1/song?per_page=5").await;
    assert_eq!(
        service
            .get(&format!("/v1/anime?cursor={good}"))
            .await
            .status,
        200
    );
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
        ("/v1/anime", &format!("{good}&page=1")),
        ("/v1/anime", &format!("{good}&status=0")),
    ] {
        let separator = if path.contains('?') { '&' } else { '?' };
        refused(
            &service,
            &[(&format!("{path}{separator}cursor={token}"), "cursor")],
        )
        .await;
    }
}

#[tokio::test]
async fn odd_but_valid_patterns_find_what_they_say() {
    let mut anime = made_up::anime(4, 1);
    for (anime, title) in
        anime
            .iter_mut()
            .zip(["日本語のタイトル", "Smile 😀", "100% Pascal", "Ōkami"])
    {
        anime.titles = [("rj".to_owned(), title.to_owned())].into();
    }
    let service = Service::with(&anime, &[]).await;
    for (pattern, expected) in [
        ("%E6%97%A5%E6%9C%AC", vec![1]),
        ("%F0%9F%98%80", vec![2]),
        ("smile+%F0%9F%98%80", vec![2]),
        ("100%25", vec![3]),
        ("OKAMI", vec![4]),
        ("%00", vec![2, 3]),
        ("nothing+like+it", vec![]),
    ] {
        let mut found = service
            .get(&format!("/v1/anime?title={pattern}"))
            .await
            .ids();
        found.sort_unstable();
        assert_eq!(found, expected, "{pattern}");
    }
    refused(
        &service,
        &[(&format!("/v1/anime?title={}", "x".repeat(10_000)), "title")],
    )
    .await;
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods() {
    let service = Service::with(&[], &[]).await;
    for path in [
        "/v1/nothing",
        "/v2/anime",
        "/v1/anime/",
        "/v1/anime/2/3",
        "/v1/random/song",
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.envelope()["message"], "Not found");
    }
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let answer = service.send(method.clone(), "/v1/anime/2", &[]).await;
        assert_eq!(answer.status, 405);
        assert!(
            answer
                .header("allow")
                .split(',')
                .any(|allowed| allowed == "GET")
        );
        assert_eq!(answer.envelope()["message"], "Method not allowed");
    }
}

#[tokio::test]
async fn nullable_fields_are_present_as_null() {
    let mut anime = made_up::anime(1, 1);
    anime[0].season_year = None;
    anime[0].tracker_a_id = None;
    anime[0].recommendations = None;
    let service = Service::with(&anime, &[]).await;
    let expected: Value = serde_json::to_value(&anime[0]).unwrap();
    assert_eq!(service.get("/v1/anime/1").await.data(), expected);
    assert_eq!(service.get("/v1/anime").await.data(), json!([expected]));
    for field in [
        "season_year",
        "tracker_a_id",
        "recommendations",
        "sequel",
        "sagas",
        "banner_image",
    ] {
        assert_eq!(expected.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(expected.as_object().unwrap().len(), 27);
}
