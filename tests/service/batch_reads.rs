//! Several documents in one request: lists by identifiers, and included documents (docs/api.md, "Batch reads").

use std::fmt::Display;

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::{Anime, Role};
use tests::made_up;
use tests::people::Person;
use tests::service::{Answer, Service};

fn joined<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    values.join(",")
}

/// Returns a service with stories of one person about the first `count` anime, created in the order of the anime.
async fn with_stories(count: usize) -> (Service, Person, Vec<Anime>) {
    let anime = made_up::anime(12, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    for one in &anime[..count] {
        service.clock.advance(std::time::Duration::from_secs(1));
        assert_eq!(service.create_story(&person, one, 0).await.status, 200);
    }
    (service, person, anime)
}

async fn stories(service: &Service, person: &Person, query: &str) -> Answer {
    let path = format!("/v1/user_story?{query}");
    service.get_as(&person.token, &path).await
}

#[tokio::test]
async fn hundred_values_are_accepted_and_101_are_not() {
    let (service, person, _) = with_stories(0).await;
    for path in [
        "/v1/anime?id",
        "/v1/anime?tracker_a_id",
        "/v1/anime?tracker_b_id",
        "/v1/anime?database_id",
        "/v1/song?id",
        "/v1/song?anime_id",
        "/v1/user_story?anime_id",
    ] {
        let name = path.split('?').next_back().unwrap();
        let get = async |values: &str| {
            let path = format!("{path}={values}");
            service.get_as(&person.token, &path).await
        };
        assert_eq!(get(&joined(1..=100)).await.status, 200, "{path}");
        let same = joined(std::iter::repeat_n(7, 100));
        assert_eq!(get(&same).await.status, 200, "{path}");
        for (values, reason) in [
            (joined(1..=101), "must have at most 100 values"),
            (
                format!("{}&{name}=1", joined(1..=100)),
                "must have at most 100 values",
            ),
            (String::new(), "must be a whole number from 1 to "),
            ("1,,2".to_owned(), "must be a whole number from 1 to "),
            ("1,x,2".to_owned(), "must be a whole number from 1 to "),
            ("1,0".to_owned(), "must be a whole number from 1 to "),
            (
                "9007199254740992".to_owned(),
                "must be a whole number from 1 to ",
            ),
        ] {
            let answer = get(&values).await;
            assert_eq!(answer.status, 400, "{path}={values}");
            let told = answer.data()[name].as_str().unwrap().to_owned();
            assert!(told.starts_with(reason), "{path}={values}: {told}");
        }
    }
}

#[tokio::test]
async fn stories_about_several_anime_come_newest_first_and_in_pages() {
    let (service, person, anime) = with_stories(8).await;
    let id = |position: usize| person.story(&anime[position]);
    // The last two anime have no story.
    let wanted = joined([6, 1, 3, 1, 10, 11].map(|position: usize| anime[position].id.get()));
    let query = format!("anime_id={wanted}");
    let all = stories(&service, &person, &query).await;
    assert_eq!(all.ids(), [id(6), id(3), id(1)]);
    assert_eq!(all.next(), None);

    let first = stories(&service, &person, &format!("{query}&per_page=2")).await;
    assert_eq!(first.ids(), [id(6), id(3)]);
    let second = first.next().unwrap();
    let second = service.get_as(&person.token, &second).await;
    assert_eq!(second.ids(), [id(1)]);
    assert_eq!(second.next(), None);

    let planned = stories(&service, &person, &format!("{query}&status=1")).await;
    assert_eq!(planned.ids(), [] as [u64; 0]);
}

#[tokio::test]
async fn stories_include_their_anime() {
    let (service, person, anime) = with_stories(3).await;
    let included = stories(&service, &person, "include=anime").await.data();
    let plain = stories(&service, &person, "").await.data();
    assert_eq!(included.as_array().unwrap().len(), 3);
    for (position, story) in included.as_array().unwrap().iter().enumerate() {
        let of_catalogue = service
            .get(&format!("/v1/anime/{}", story["anime_id"]))
            .await;
        assert_eq!(story["anime"], of_catalogue.data());
        let mut story = story.clone();
        story.as_object_mut().unwrap().remove("anime");
        assert_eq!(story, plain[position]);
    }
    let path = format!("/v1/user_story/{}", person.story(&anime[0]));
    let found = service
        .get_as(&person.token, &format!("{path}?include=anime"))
        .await;
    assert_eq!(found.data(), included[2]);
    let without = service.get_as(&person.token, &path).await;
    assert_eq!(without.data(), plain[2]);
    assert_eq!(found.header("etag"), without.header("etag"));
}

/// Anime in a list of stories are as current as the anime themselves: at most 10 seconds old.
#[tokio::test]
async fn included_anime_follow_the_catalogue() {
    let (service, person, mut anime) = with_stories(3).await;
    let path = format!("/v1/user_story/{}?include=anime", person.story(&anime[0]));
    let shown = async || {
        let list = stories(&service, &person, "include=anime").await.data();
        let one = service.get_as(&person.token, &path).await;
        let (first, one) = (list[2].clone(), one.data());
        assert_eq!(first["anime_id"], one["anime_id"]);
        [first, one].map(|story| story["anime"]["titles"]["rj"].clone())
    };
    let before = anime[0].titles["rj"].clone();
    assert_eq!(shown().await, [before.as_str(), before.as_str()]);
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let id = anime[0].id.get();
    service
        .correct::<Anime>(&moderator, id, "titles.rj", "Quite Another")
        .await;
    service.let_index_age();
    assert_eq!(shown().await, ["Quite Another"; 2], "not published");
    service
        .take_back::<Anime>(&moderator, id, "titles.rj")
        .await;
    let title = "And Another".to_owned();
    anime[0].titles.insert("rj".to_owned(), title);
    service.put(&anime[..1]).await;
    service.publish().await;
    service.let_index_age();
    assert_eq!(shown().await, ["And Another"; 2], "published");
    service.delete_row("Anime", json!({"id": id})).await;
    service.publish().await;
    service.let_index_age();
    assert_eq!(shown().await, [Value::Null, Value::Null], "deleted");
}

#[tokio::test]
async fn anime_includes_its_songs() {
    let service = Service::with_sample().await;
    let found = service.get("/v1/anime/2?include=songs").await;
    let mut anime = found.data();
    let songs = anime.as_object_mut().unwrap().remove("songs").unwrap();
    assert_eq!(anime, service.get("/v1/anime/2").await.data());
    let listed = service.get("/v1/song?anime_id=2").await.data();
    assert!(!listed.as_array().unwrap().is_empty());
    assert_eq!(songs, listed);

    let tag = found.header("etag");
    assert_ne!(tag, service.get("/v1/anime/2").await.header("etag"));
    let known = [("if-none-match", tag)];
    let again = service.get_with("/v1/anime/2?include=songs", &known).await;
    assert_eq!(again.status, 304);

    let sample = cli::import::sample::anime().unwrap();
    let songs = cli::import::sample::songs().unwrap();
    let has_song = |anime: &&Anime| songs.iter().any(|song| song.anime_id == anime.id);
    let silent = sample.iter().find(|anime| !has_song(anime)).unwrap();
    let path = format!("/v1/anime/{}?include=songs", silent.id.get());
    assert_eq!(
        service.get(&path).await.data()["songs"],
        Value::Array(Vec::new())
    );
}

#[tokio::test]
async fn unknown_include_is_named() {
    let (service, person, anime) = with_stories(1).await;
    let story = format!("/v1/user_story/{}", person.story(&anime[0]));
    let first = format!("/v1/anime/{}", anime[0].id.get());
    for (path, known) in [
        (first.as_str(), "songs"),
        ("/v1/user_story/changes", "details"),
        ("/v1/user_story", "one of anime, details"),
        (story.as_str(), "one of anime, details"),
    ] {
        let reason = format!("must be {known}");
        let known = known.rsplit(' ').next().unwrap();
        for value in [
            "",
            "genres",
            &format!("{known},genres"),
            &known.to_uppercase(),
        ] {
            let path = format!("{path}?include={value}");
            let answer = service.get_as(&person.token, &path).await;
            assert_eq!(answer.status, 400, "{path}");
            assert_eq!(answer.data()["include"], reason);
        }
        let twice = format!("{path}?include={known}&include={known}");
        let answer = service.get_as(&person.token, &twice).await;
        assert_eq!(answer.status, 200, "{twice}");
    }
}

#[tokio::test]
async fn trailing_slash_is_redirected() {
    let service = Service::with_sample().await;
    for (path, address) in [
        ("/v1/anime/", "https://kiroku.test/v1/anime"),
        (
            "/v1/anime/2/?include=songs",
            "https://kiroku.test/v1/anime/2?include=songs",
        ),
        ("/reference/", "https://kiroku.test/reference"),
        ("/v1/user_story//", "https://kiroku.test/v1/user_story"),
        ("//example.com/", "https://kiroku.test//example.com"),
    ] {
        for method in [Method::GET, Method::POST] {
            let answer = service.send(method, path, &[]).await;
            assert_eq!(answer.status, 308, "{path}");
            assert_eq!(answer.header("location"), address);
        }
    }
    assert_eq!(service.get("/").await.status, 200);
    assert_eq!(service.get("/v1/nothing").await.status, 404);
}
