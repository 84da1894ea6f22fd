//! Deletion of users: all data is deleted, and an interrupted deletion is completed later.

use std::time::Duration;

use account_sweep::SweepReport;
use accounts::throttling::{AttemptStore, Attempts};
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use serde_json::json;
use shared::auth::CallerAddress;
use shared::models::{Anime, Role};
use tests::browser::PageClient;
use tests::people::{PASSWORD, Person, story_body};
use tests::proxy::{Mode, Proxy};
use tests::recorder::of_function;
use tests::rows::row;
use tests::service::Service;
use tests::{crowd, engine, made_up};

/// Creates a user with a story of each anime, a session, OAuth clients, OAuth grants and failed sign-in attempts. The
/// first two stories are created over HTTP, the others in the store.
async fn user_with_data(service: &Service, name: &str, anime: &[Anime]) -> Person {
    let person = service.person(name).await;
    PageClient::signed_in(service, &person).await;
    let (first, others) = anime.split_at(anime.len().min(2));
    for anime in first {
        assert_eq!(service.create_story(&person, anime, 0).await.status, 200);
    }
    crowd::stories(service, &person, others.iter().map(|anime| anime.id)).await;
    // Version 0.1.0 stored such a row.
    let statistics = row(json!({"user_id": person.id}));
    service.put_row("UserStatistics", statistics).await;
    let link = row(json!({"user_id": person.id, "tracker": "tracker_b"}));
    service.put_row("TrackerLink", link).await;
    let player = row(json!({"user_id": person.id, "entry": "player#00"}));
    service.put_row("Player", player).await;
    let list = "mal_id,status\n99999,watching\n";
    let imported = service.import_list(&person.token, "", list);
    assert_eq!(imported.await.status, 200);
    for number in 0..2 {
        let client_id = format!("{name}-client-{number}");
        let client = json!({"client_id": client_id, "user_id": person.id, "created_at": 1});
        service.put_row("OAuthClient", row(client)).await;
        let grant = json!({"user_id": person.id, "client_id": format!("client-{number}")});
        service.put_row("OAuthGrant", row(grant)).await;
    }
    // There are sign-in attempts from the owner's address and from another one.
    let throttle = AttemptStore::new(&service.database());
    let attempts = Attempts::new(throttle, service.clock.clone());
    let at_home = CallerAddress("192.0.2.1".parse().ok());
    attempts.remember_address(person.id, at_home).await.unwrap();
    for address in [at_home, CallerAddress(None)] {
        attempts
            .begin_sign_in(Some(person.id), name, address)
            .await
            .unwrap();
    }
    person
}

/// The tables with rows of a deleted user that only the sweep deletes.
const LEFT_TO_THE_SWEEP: [&str; 5] = [
    "User",
    "UserStory",
    "UserStatistics",
    "Player",
    "WaitingList",
];

/// Counts the rows of a user in each table. Leaves out tables without such rows.
async fn rows_left(service: &Service, person: &Person) -> Vec<(&'static str, usize)> {
    let id = AttributeValue::N(person.id.get().to_string());
    let mut found = Vec::new();
    for (table, attribute) in [
        ("User", "id"),
        ("Session", "user_id"),
        ("Unique", "user_id"),
        ("UserStory", "user_id"),
        ("UserStatistics", "user_id"),
        ("TrackerLink", "user_id"),
        ("Player", "user_id"),
        ("WaitingList", "user_id"),
        ("OAuthClient", "user_id"),
        ("OAuthGrant", "user_id"),
    ] {
        let rows = service.rows(table).await.into_iter();
        let count = rows.filter(|row| row.get(attribute) == Some(&id)).count();
        if count > 0 {
            found.push((table, count));
        }
    }
    let rows = service.rows("Throttle").await;
    let user = format!("user#{}", person.id.get());
    let is_theirs = |key: &str| {
        let after = key.split_once(&user).map(|(_, after)| after);
        after.is_some_and(|after| !after.starts_with(|next: char| next.is_ascii_digit()))
    };
    let keys = rows.iter().filter_map(|row| row["key"].as_s().ok());
    let count = keys.filter(|key| is_theirs(key)).count();
    if count > 0 {
        found.push(("Throttle", count));
    }
    found
}

async fn has_tombstone(service: &Service, person: &Person) -> bool {
    let row = service.row("User", json!({"id": person.id})).await;
    row.is_some()
}

async fn delete(service: &Service, by: &Person, target: &Person) -> u16 {
    let path = format!("/v1/user/{}", target.id.get());
    let answer = service.delete_as(&by.token, &path).await;
    answer.status.as_u16()
}

/// Runs the scheduled sweep without a time limit.
async fn sweep(service: &Service, client: &aws_sdk_dynamodb::Client) -> Option<SweepReport> {
    let client = of_function(client, &service.tables, "account_sweep");
    let store = service.database_with(client);
    account_sweep::sweep(&store, u64::MAX).await.ok()
}

#[tokio::test]
async fn deletion_removes_all_rows_of_the_user() {
    let anime = made_up::anime(60, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = user_with_data(&service, "taki", &anime).await;
    let other = user_with_data(&service, "other", &anime[..2]).await;
    let before = rows_left(&service, &other).await;
    assert_eq!(before.len(), 11);
    assert_eq!(delete(&service, &person, &person).await, 200);
    assert_eq!(
        rows_left(&service, &person).await,
        [
            ("User", 1),
            ("UserStory", 60),
            ("UserStatistics", 1),
            ("Player", 1),
            ("WaitingList", 1)
        ],
        "only the tombstone and the rows of stories are left"
    );

    // The user no longer exists for any caller, and the username can be registered again.
    let path = format!("/v1/user/{}", person.id.get());
    assert_eq!(service.get(&path).await.status, 404);
    assert_eq!(
        service.get("/v1/user?username=taki").await.ids(),
        Vec::<u64>::new()
    );
    assert_eq!(delete(&service, &person, &person).await, 401);
    let body = json!({"username": "taki", "password": PASSWORD});
    let login = service
        .json(Method::POST, "/v1/auth/login", None, &body)
        .await;
    assert_eq!(login.status, 401);
    assert_eq!(service.register("taki").await.status, 200);

    assert_eq!(
        sweep(&service, &service.client).await,
        Some(SweepReport::default()),
        "the sweep waits until the indexes have caught up"
    );
    service.clock.advance(Duration::from_mins(1));
    let swept = sweep(&service, &service.client).await.unwrap();
    // The sweep has finished the deletions of the user and of two clients.
    assert_eq!((swept.finished, swept.unfinished), (3, 0));
    assert_eq!(rows_left(&service, &person).await, []);
    assert_eq!(
        rows_left(&service, &other).await,
        before,
        "other users keep their rows"
    );
    assert_eq!(
        sweep(&service, &service.client).await,
        Some(SweepReport::default())
    );
}

#[tokio::test]
async fn tombstone_has_no_personal_data() {
    let (service, person) = Service::with_person("taki").await;
    assert_eq!(delete(&service, &person, &person).await, 200);
    let rows = service.rows("User").await;
    let mut names: Vec<&String> = rows[0].keys().collect();
    names.sort_unstable();
    assert_eq!(names, ["deleted_at", "deletion_shard", "id"]);
}

/// DynamoDB fails after each possible number of calls, first during the deletion, then during the sweep.
/// In the end the user is either unchanged or completely deleted.
#[tokio::test]
async fn interrupted_deletion_is_completed_by_the_sweep() {
    let anime = made_up::anime(30, 1);
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    service.put(&anime).await;
    let faulty = engine::short_timeout_client(&proxy.endpoint);
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    engine::pause_clock();
    for (by_moderator, mode) in [
        (false, Mode::Closed),
        (true, Mode::Closed),
        (false, Mode::Lost),
    ] {
        let mut steps = 0;
        loop {
            let name = format!("t{steps}-{by_moderator}-{mode:?}");
            let person = user_with_data(&service, &name, &anime).await;
            let by = if by_moderator { &moderator } else { &person };
            proxy.set_after(steps, mode);
            let status = delete(&service, by, &person).await;
            proxy.set(Mode::Up);
            service.clock.advance(Duration::from_mins(2));
            let me = service.get_as(&person.token, "/v1/auth/me").await;
            if me.status == 200 {
                // The deletion has not started.
                assert_eq!(status, 503, "after {steps} calls");
                assert_eq!(rows_left(&service, &person).await.len(), 11);
                assert_eq!(delete(&service, by, &person).await, 200);
            } else {
                assert_eq!(me.status, 401);
                assert!(status == 200 || mode == Mode::Lost, "after {steps} calls");
            }
            service.clock.advance(Duration::from_mins(2));
            let left = rows_left(&service, &person).await;
            let was_whole = left
                .iter()
                .all(|(table, _)| LEFT_TO_THE_SWEEP.contains(table));

            // Each sweep is interrupted one call later than the one before, until one completes and deletes the
            // tombstone.
            let mut calls = 0;
            while has_tombstone(&service, &person).await {
                proxy.set_after(calls, mode);
                sweep(&service, &faulty).await;
                proxy.set(Mode::Up);
                calls += 1;
                assert!(calls < 100, "the sweep must complete");
            }
            assert_eq!(rows_left(&service, &person).await, []);
            steps += 1;
            if was_whole && status == 200 {
                break;
            }
            assert!(steps < 100, "the deletion must complete");
        }
        assert!(steps > 5, "only {steps} steps were interrupted");
    }
}

/// Nothing can be written for a user with a tombstone, even by requests that started before the deletion.
#[tokio::test]
async fn writes_for_a_deleted_user_are_rejected() {
    let (service, [first, second]) = Service::with_two_anime().await;
    let person = user_with_data(&service, "taki", std::slice::from_ref(&first)).await;
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    // Only the first step of the deletion succeeds.
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = service.with_functions_client(engine::short_timeout_client(&proxy.endpoint));
    proxy.set_after(3, Mode::Closed);
    assert_eq!(delete(&service, &person, &person).await, 200);
    proxy.set(Mode::Up);
    let left = rows_left(&service, &person).await;
    assert!(left.contains(&("UserStory", 1)), "{left:?}");

    assert_eq!(service.create_story(&person, &second, 0).await.status, 401);
    let body = json!({"user_id": person.id, "anime_id": second.id, "status": 0});
    let answer = service
        .put_as(&moderator.token, "/v1/user_story", &body)
        .await;
    assert_eq!(answer.status, 404);
    let body = story_body(&person, &first, 0, 1);
    let path = "/v1/user_story";
    let answer = service.post_as(&moderator.token, path, &body).await;
    assert_eq!(answer.status, 404);
    let path = format!("/v1/user_story/{}", person.story(&first));
    for method in [Method::GET, Method::DELETE] {
        let answer = service.with_token(method, &path, &moderator.token).await;
        assert_eq!(answer.status, 404);
    }
    let path = format!("/v1/user_story?user_id={}", person.id.get());
    let list = service.get_as(&moderator.token, &path).await;
    assert_eq!(list.ids(), Vec::<u64>::new());
    assert_eq!(delete(&service, &moderator, &person).await, 404);
    // The largest id that the API accepts is larger than any user id.
    let path = "/v1/user/9007199254740991";
    let beyond = service.delete_as(&moderator.token, path).await;
    assert_eq!(beyond.status, 404);
    let promoted = cli::user::set_role(&service.database(), "taki", Role::Moderator).await;
    assert!(promoted.is_err());
}

/// A sweep that reaches its time limit leaves the rest to the next one.
#[tokio::test]
async fn sweep_stops_at_its_time_limit() {
    let (service, person) = Service::with_person("taki").await;
    assert_eq!(delete(&service, &person, &person).await, 200);
    service.clock.advance(Duration::from_mins(2));
    let store = service.database();
    let now = service.clock.now_ms();
    let report = account_sweep::sweep(&store, now).await.unwrap();
    assert_eq!((report.finished, report.unfinished), (0, 1));
    let report = account_sweep::sweep(&store, now + 1).await.unwrap();
    assert_eq!((report.finished, report.unfinished), (1, 0));
}
