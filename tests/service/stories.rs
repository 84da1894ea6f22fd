//! The user story endpoints.

use std::time::Duration;

use axum::http::Method;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use shared::models::{Anime, Role};
use tests::people::{Person, story_body};
use tests::proxy::{Mode, Proxy};
use tests::rows::row;
use tests::service::{Answer, Service};
use tests::{engine, made_up};

const PATH: &str = "/v1/user_story";

async fn put(service: &Service, person: &Person, body: &Value) -> Answer {
    service.put_as(&person.token, PATH, body).await
}

async fn post(service: &Service, person: &Person, body: &Value) -> Answer {
    service.post_as(&person.token, PATH, body).await
}

async fn find(service: &Service, person: &Person, anime: &Anime) -> Answer {
    let path = format!("{PATH}/{}", person.story(anime));
    service.get_as(&person.token, &path).await
}

/// Returns the current episode of a story.
async fn episode(service: &Service, person: &Person, anime: &Anime) -> Value {
    find(service, person, anime).await.data()["current_episode"].take()
}

async fn post_if(service: &Service, person: &Person, tag: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {}", person.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("if-match", tag),
    ];
    service
        .send_body(Method::POST, PATH, &headers, body.to_string())
        .await
}

#[tokio::test]
async fn story_is_created_read_updated_and_deleted() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let body = json!({
        "user_id": person.id, "anime_id": anime.id, "status": 0, "current_episode": 3,
        "current_episode_ticks": 754_000, "synced": true
    });
    let created = put(&service, &person, &body).await;
    assert_eq!(created.envelope()["message"], "Story created");
    let id = person.id.get() * (1 << 25) + anime.id.get();
    let story = json!({
        "id": id, "user_id": person.id, "anime_id": anime.id, "status": 0, "current_episode": 3,
        "current_episode_ticks": 754_000
    });
    assert_eq!(created.data(), story);
    assert_eq!(created.header("cache-control"), "private, no-store");
    let found = find(&service, &person, &anime).await;
    assert_eq!(found.data(), story);
    assert_eq!(found.header("etag"), created.header("etag"));

    let updated = post(&service, &person, &story_body(&person, &anime, 4, 12)).await;
    assert_eq!(updated.envelope()["message"], "Story updated");
    assert_eq!(find(&service, &person, &anime).await.data(), updated.data());
    assert_eq!(updated.data(), story_body(&person, &anime, 4, 12));

    let path = format!("{PATH}/{id}");
    let deleted = service.delete_as(&person.token, &path).await;
    assert_eq!(deleted.envelope()["message"], "Story deleted");
    assert_eq!(deleted.data(), "");
    assert_eq!(find(&service, &person, &anime).await.status, 404);
    let again = service.delete_as(&person.token, &path).await;
    assert_eq!(again.status, 404);
    let gone = post(&service, &person, &story_body(&person, &anime, 4, 12)).await;
    assert_eq!(gone.envelope()["message"], "Story not found");
}

#[tokio::test]
async fn status_sets_the_episode_of_planned_and_completed_stories() {
    let (service, anime) = Service::with_two_anime().await;
    for (status, given, episode) in [
        (0, json!(null), 0),
        (0, json!(5), 5),
        (1, json!(5), 0),
        (2, json!(5), 12),
        (2, json!(null), 12),
        (3, json!(12), 12),
        (5, json!(1), 1),
    ] {
        let person = service
            .person(&format!(
                "p{status}-{}",
                given.to_string().replace("null", "n")
            ))
            .await;
        let body = json!({
            "user_id": person.id, "anime_id": anime[0].id, "status": status, "current_episode": given
        });
        let story = put(&service, &person, &body).await.data();
        assert_eq!(story["current_episode"], episode, "{body}");
        assert_eq!(story["current_episode_ticks"], 0);
    }
}

#[tokio::test]
async fn unknown_users_anime_and_stories_return_404() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    let new = |user: u64, anime: u64, status: u8| json!({"user_id": user, "anime_id": anime, "status": status});
    let (user, known, unknown) = (person.id.get(), anime.id.get(), 33_554_431);
    for status in [0, 1, 2] {
        for (by, body, code, message) in [
            (&person, new(user, unknown, status), 404, "Anime not found"),
            (&moderator, new(999, known, status), 404, "User not found"),
            (&moderator, new(999, unknown, status), 404, "User not found"),
            (&person, new(999, known, status), 403, "Forbidden"),
            (&person, new(999, unknown, status), 403, "Forbidden"),
        ] {
            let answer = put(&service, by, &body).await;
            assert_eq!(answer.status, code, "{body}");
            assert_eq!(answer.envelope()["message"], message, "{body}");
        }
    }
    let answer = post(&service, &person, &story_body(&person, &anime, 0, 1)).await;
    answer.assert_status(404);
    assert_eq!(answer.envelope()["message"], "Story not found");
    for id in ["1", "33554432", "9007199254740991"] {
        let path = format!("{PATH}/{id}");
        for method in [Method::GET, Method::DELETE] {
            let by_moderator = service
                .with_token(method.clone(), &path, &moderator.token)
                .await;
            assert_eq!(by_moderator.status, 404, "{id}");
        }
    }
    let others = format!("{PATH}/{}", moderator.story(&anime));
    assert_eq!(service.get_as(&person.token, &others).await.status, 403);
}

#[tokio::test]
async fn id_of_another_story_is_rejected() {
    let (service, [first, second]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let other = service.person("other").await;
    service.create_story(&person, &first, 1).await;
    for id in [
        person.story(&second),
        other.story(&first),
        1,
        9_007_199_254_740_991,
    ] {
        let mut body = story_body(&person, &first, 0, 2);
        body["id"] = id.into();
        let answer = post(&service, &person, &body).await;
        assert_eq!(answer.status, 400, "{id}");
        assert!(answer.data()["id"].is_string());
    }
    assert_eq!(episode(&service, &person, &first).await, 1);
}

#[tokio::test]
async fn episode_must_not_exceed_the_current_episode_count() {
    let (service, [mut anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let assert_too_far = |answer: &Answer, episodes: u32| {
        let reason = format!("must be at most {episodes}, the number of the anime's episodes");
        assert_eq!(answer.data()["current_episode"], reason);
    };
    let too_far = service.create_story(&person, &anime, 13).await;
    too_far.assert_status(400);
    assert_too_far(&too_far, 12);
    assert_eq!(service.create_story(&person, &anime, 12).await.status, 200);
    let too_far = post(&service, &person, &story_body(&person, &anime, 0, 13)).await;
    assert_too_far(&too_far, 12);

    // When the anime loses episodes, stored stories stay as they are, and later writes must keep the new
    // limit.
    anime.episodes_count = 10;
    service.put(std::slice::from_ref(&anime)).await;
    assert_eq!(episode(&service, &person, &anime).await, 12);
    let too_far = post(&service, &person, &story_body(&person, &anime, 3, 12)).await;
    assert_too_far(&too_far, 10);
    let last = post(&service, &person, &story_body(&person, &anime, 3, 10)).await;
    last.assert_status(200);
    let late = service.person("late").await;
    let body = json!({"user_id": late.id, "anime_id": anime.id, "status": 2});
    let completed = put(&service, &late, &body).await.data();
    assert_eq!(completed["current_episode"], 10);
    // The anime is deleted.
    service.delete_row("Anime", json!({"id": anime.id})).await;
    let answer = post(&service, &person, &story_body(&person, &anime, 3, 1)).await;
    answer.assert_status(404);
    assert_eq!(answer.envelope()["message"], "Anime not found");
}

#[tokio::test]
async fn concurrent_creations_make_one_story() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let answers =
        join_all((0..20).map(|episode| service.create_story(&person, &anime, episode % 12))).await;
    let mut statuses: Vec<u16> = answers
        .iter()
        .map(|answer| answer.status.as_u16())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![409; 19]].concat());
    let made = answers.iter().find(|answer| answer.status == 200).unwrap();
    assert_eq!(find(&service, &person, &anime).await.data(), made.data());
}

#[tokio::test]
async fn second_story_is_refused_with_the_first() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 3).await;
    let again = service.create_story(&person, &anime, 5).await;
    assert_eq!(again.status, 409);
    let id = person.story(&anime);
    let reason = format!("has the story {id} already; update that story");
    assert_eq!(again.data(), json!({ "anime_id": reason }));
    assert!(again.header("etag").starts_with("\"0-3-0-"));
    assert_eq!(again.header("location"), format!("{PATH}/{id}"));
    let found = service
        .get_as(&person.token, again.header("location"))
        .await;
    assert_eq!(found.header("etag"), again.header("etag"));
}

/// Concurrent updates without `If-Match` are all applied, one after another. With `If-Match` only one of
/// them is.
#[tokio::test]
async fn concurrent_updates_with_if_match_apply_once() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    let mut tag = service
        .create_story(&person, &anime, 0)
        .await
        .header("etag")
        .to_owned();
    for round in 0..5 {
        let (one, other) = (
            story_body(&person, &anime, 0, 2 * round + 1),
            story_body(&person, &anime, 3, 2 * round + 2),
        );
        let both = join(
            post(&service, &person, &one),
            post(&service, &person, &other),
        )
        .await;
        assert_eq!((both.0.status.as_u16(), both.1.status.as_u16()), (200, 200));
        let now = find(&service, &person, &anime).await;
        assert!(now.data() == one || now.data() == other);

        let read = now.header("etag").to_owned();
        assert_ne!(read, tag);
        let (one, other) = (
            story_body(&person, &anime, 4, 2 * round + 1),
            story_body(&person, &anime, 5, 2 * round + 2),
        );
        let both = join(
            post_if(&service, &person, &read, &one),
            post_if(&service, &person, &read, &other),
        );
        let both: [Answer; 2] = both.await.into();
        let mut statuses = [&both[0], &both[1]].map(|answer| answer.status.as_u16());
        let made = both.iter().find(|answer| answer.status == 200).unwrap();
        let now = find(&service, &person, &anime).await;
        assert_eq!(now.data(), made.data());
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412], "the other gets 412");
        tag = now.header("etag").to_owned();
    }
}

#[tokio::test]
async fn if_match_checks_the_entity_tag() {
    let (service, [anime, second]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 3).await;
    let body = story_body(&person, &anime, 0, 4);
    for (tag, status) in [
        ("\"1-3-0\"", 412),
        ("W/\"0-3-0\"", 412),
        ("nonsense", 412),
        ("\"0-3-0-0\"", 412),
        ("\"0-03-0\"", 412),
        ("\"9-3-0\", \"0-3-0\"", 200),
        ("\"0-4-1000\"", 200),
        ("\"1-1-1\", \"0-4-1000\"", 200),
        ("*", 200),
    ] {
        let answer = post_if(&service, &person, tag, &body).await;
        assert_eq!(answer.status, status, "{tag}");
    }
    let many = vec!["\"0-0-0\""; 21].join(", ");
    assert!(post_if(&service, &person, &many, &body).await.data()["If-Match"].is_string());
    // A header that no story can match does not hide that the caller has no access.
    let other = service.person("mitsuha").await;
    for tag in ["nonsense", &many, "\"0-4-1000\""] {
        assert_eq!(post_if(&service, &other, tag, &body).await.status, 403);
    }
    let absent = story_body(&person, &second, 0, 4);
    for tag in ["*", "\"0-3-0\""] {
        let answer = post_if(&service, &person, tag, &absent).await;
        assert_eq!(answer.status, 404, "{tag}");
    }
    let bearer = format!("Bearer {}", person.token);
    let path = format!("{PATH}/{}", person.story(&anime));
    for (tag, status) in [
        ("\"0-3-0\"", 412),
        ("\"0-4-1000\"", 200),
        ("\"0-4-1000\"", 404),
    ] {
        let headers = [("authorization", bearer.as_str()), ("if-match", tag)];
        let answer = service.send(Method::DELETE, &path, &headers).await;
        assert_eq!(answer.status, status, "{tag}");
    }
}

#[tokio::test]
async fn transaction_conflicts_are_retried_and_then_return_429() {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    let anime = made_up::anime(1, 1);
    service.put(&anime).await;
    let person = service.person("taki").await;
    proxy.conflict(3);
    let created = service.create_story(&person, &anime[0], 0).await;
    created.assert_status(200);
    proxy.conflict(100);
    let body = story_body(&person, &anime[0], 0, 0);
    // The clock of the runtime runs on, because a paused one would also pass the time limits of calls to a slow
    // DynamoDB.
    let answer = post(&service, &person, &body).await;
    answer.assert_retry_after(429, "1");
    let reason = "Other requests are changing the same data. Try again in a moment.";
    assert_eq!(answer.data(), reason);
    // The same applies to updates of the user's own row.
    proxy.conflict(3);
    let updated = service.update_user(&person, &json!({})).await;
    updated.assert_status(200);
    proxy.set(Mode::Up);
    let story = find(&service, &person, &anime[0]).await.data();
    assert_eq!(story["current_episode_ticks"], 0);
    assert_eq!(post(&service, &person, &body).await.status, 200);
}

#[tokio::test]
async fn outage_returns_503_and_leaves_no_partial_write() {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    let anime = made_up::anime(1, 1);
    service.put(&anime).await;
    let person = service.person("taki").await;
    for mode in [Mode::Closed, Mode::Throttling] {
        proxy.set(mode);
        for answer in [
            service.create_story(&person, &anime[0], 0).await,
            find(&service, &person, &anime[0]).await,
            service.get_as(&person.token, PATH).await,
            service.get_as(&person.token, "/v1/auth/me").await,
            service.register("other").await,
        ] {
            answer.assert_retry_after(503, "1");
        }
        proxy.set(Mode::Up);
        let story = find(&service, &person, &anime[0]).await;
        assert_eq!(story.status, 404, "no partial write");
    }
    assert_eq!(service.register("other").await.status, 200);
}

/// Returns a service and a user with a story of each of `stories` anime. The stories have each status in
/// turn, are created one second apart, and every third is synced.
async fn with_history(stories: u32) -> (Service, Person, Vec<Anime>) {
    let mut anime = made_up::anime(stories, 1);
    for anime in &mut anime {
        anime.episodes_count = 12;
    }
    let service = Service::empty().await;
    service.put(&anime).await;
    let person = service.person("taki").await;
    link(&service, &person, [Some(ACCOUNT), None]).await;
    for (number, anime) in anime.iter().enumerate() {
        let body = json!({"user_id": person.id, "anime_id": anime.id, "status": number % 6});
        assert_eq!(put(&service, &person, &body).await.status, 200);
        if number % 3 == 0 {
            set_synced(&service, &person, anime).await;
        }
        service.clock.advance(Duration::from_secs(1));
    }
    (service, person, anime)
}

/// Marks a story as synced with tracker A, as a sync run does.
async fn set_synced(service: &Service, person: &Person, anime: &Anime) {
    let key = json!({"user_id": person.id, "anime_id": anime.id});
    let known = row(json!({"tracker_a": [ACCOUNT, 1, 0]}));
    service.change_row("UserStory", key, known).await;
}

/// Sets or removes the linked account at each tracker.
async fn link(service: &Service, person: &Person, accounts: [Option<u64>; 2]) {
    let [a, b] = accounts;
    let accounts = row(json!({"tracker_a_account": a, "tracker_b_account": b}));
    let key = json!({"id": person.id});
    service.change_row("User", key, accounts).await;
}

/// The account at tracker A of the user with a history.
const ACCOUNT: u64 = 71;

#[tokio::test]
async fn stories_are_filtered_and_ordered_newest_first() {
    let (service, person, anime) = with_history(20).await;
    let expected = |keep: &dyn Fn(usize) -> bool| -> Vec<u64> {
        let stories = anime.iter().enumerate().rev();
        stories
            .filter(|(number, _)| keep(*number))
            .map(|(_, anime)| person.story(anime))
            .collect()
    };
    let one = anime[7].id.get();
    let own = person.id.get();
    let other = service.person_with_role("mod", Role::Moderator).await;
    let cases: [(String, Keep); 9] = [
        (String::new(), Box::new(|_| true)),
        (format!("user_id={own}"), Box::new(|_| true)),
        ("status=2".to_owned(), Box::new(|number| number % 6 == 2)),
        ("synced=true".to_owned(), Box::new(|number| number % 3 == 0)),
        (
            "synced=false".to_owned(),
            Box::new(|number| number % 3 != 0),
        ),
        (
            "synced=true&status=3".to_owned(),
            Box::new(|number| number % 6 == 3),
        ),
        ("synced=true&status=4".to_owned(), Box::new(|_| false)),
        (format!("anime_id={one}"), Box::new(|number| number == 7)),
        (format!("anime_id={one}&status=0"), Box::new(|_| false)),
    ];
    for (query, keep) in &cases {
        let expected = expected(keep);
        let whole = service
            .get_as(&person.token, &format!("{PATH}?{query}"))
            .await;
        assert_eq!(whole.ids(), expected, "{query}");
        assert_eq!(whole.next(), None);
        assert_eq!(whole.header("cache-control"), "private, no-store");
        for per_page in [1, 7] {
            let mut path = Some(format!("{PATH}?{query}&per_page={per_page}"));
            let mut paged = Vec::new();
            while let Some(next) = path {
                let page = service.get_as(&person.token, &next).await;
                assert!(page.ids().len() <= per_page);
                paged.extend(page.ids());
                path = page.next();
            }
            assert_eq!(paged, expected, "{query} by {per_page}");
        }
    }
    let none = service.get_as(&other.token, PATH).await;
    assert_eq!(none.ids(), Vec::<u64>::new());
    let path = format!("{PATH}?user_id={own}&per_page=2");
    let page = service.get_as(&other.token, &path).await;
    assert_eq!(page.ids(), expected(&|number| number >= 18));
    let unknown = format!("{PATH}?user_id=999");
    let found = service.get_as(&other.token, &unknown).await;
    assert_eq!(found.ids(), Vec::<u64>::new());
    for (query, field) in [
        ("status=6", "status"),
        ("synced=maybe", "synced"),
        ("anime_id=0", "anime_id"),
        ("anime_id=33554432", "anime_id"),
        ("user_id=-1", "user_id"),
        ("user_id=268435456", "user_id"),
        ("per_page=0", "per_page"),
        ("cursor=x", "cursor"),
    ] {
        let answer = service
            .get_as(&person.token, &format!("{PATH}?{query}"))
            .await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.data()[field].is_string(), "{query}");
    }
}

/// Returns true for the numbers of the expected stories.
type Keep = Box<dyn Fn(usize) -> bool>;

/// A story is synced if every linked account has it. Without a linked account, no story is synced. A
/// previously linked account does not count.
#[tokio::test]
async fn synced_filter_depends_on_the_linked_accounts() {
    let (service, person, _) = with_history(4).await;
    for (accounts, expected) in [
        ([Some(ACCOUNT), None], 2),
        ([None, None], 0),
        ([Some(ACCOUNT + 1), None], 0),
        ([Some(ACCOUNT), Some(5)], 0),
        ([None, Some(5)], 0),
    ] {
        link(&service, &person, accounts).await;
        for (query, expected) in [("true", expected), ("false", 4 - expected)] {
            let path = format!("{PATH}?synced={query}");
            let list = service.get_as(&person.token, &path).await;
            assert_eq!(list.ids().len(), expected, "{accounts:?} {query}");
        }
    }
}

/// The trackers do not have the user's change yet.
#[tokio::test]
async fn updated_story_is_not_synced() {
    let (service, person, anime) = with_history(1).await;
    let synced = async || {
        let path = format!("{PATH}?synced=true");
        service.get_as(&person.token, &path).await.ids().len()
    };
    assert_eq!(synced().await, 1);
    post(&service, &person, &story_body(&person, &anime[0], 0, 1)).await;
    assert_eq!(synced().await, 0);
}

#[tokio::test]
async fn changes_between_pages_neither_repeat_nor_hide_stories() {
    let (service, person, anime) = with_history(6).await;
    let first = service
        .get_as(&person.token, &format!("{PATH}?per_page=3"))
        .await;
    let newer = made_up::anime(7, 1).pop().unwrap();
    service.put(std::slice::from_ref(&newer)).await;
    service.create_story(&person, &newer, 0).await;
    let path = format!("{PATH}/{}", person.story(&anime[3]));
    service.delete_as(&person.token, &path).await;
    let second = service.get_as(&person.token, &first.next().unwrap()).await;
    let expected: Vec<u64> = anime[..3]
        .iter()
        .rev()
        .map(|anime| person.story(anime))
        .collect();
    assert_eq!(second.ids(), expected);
}

#[tokio::test]
async fn stories_of_the_same_millisecond_are_ordered_by_id() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    for anime in &anime {
        service.create_story(&person, anime, 0).await;
    }
    let mut ids: Vec<u64> = anime.iter().map(|anime| person.story(anime)).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let first = service
        .get_as(&person.token, &format!("{PATH}?per_page=1"))
        .await;
    let second = service.get_as(&person.token, &first.next().unwrap()).await;
    assert_eq!([first.ids(), second.ids()].concat(), ids);
    assert_eq!(second.next(), None);
}
