//! Checks that template.yaml gives each function exactly the DynamoDB permissions that it uses. Local
//! engines do not check permissions; AWS does.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::time::Duration;

use accounts::Attempts;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::http::Method;
use catalog_refresh::{RefreshScope, SourceName, Sources, refresh};
use cli::template::Template;
use openid::DEADLINE;
use serde_json::{Value, json};
use shared::auth::{CallerAddress, Credential, GrantedClient, ProfileTokenUse};
use shared::digest;
use shared::http::routing::ApiRouter;
use shared::models::{
    Anime, Factors, PlayerKind, Role, SecondFactor, Song, TrackerName, UserId, WatchStatus,
};
use tests::browser::{Browser, hidden};
use tests::calendar::feed_address;
use tests::linked::{Linked, RUN_MS};
use tests::people::{PASSWORD, Person, credential, story_body};
use tests::players::Players;
use tests::provider::{FakeProvider, send_logout, settings};
use tests::recorder::{Permission, Recorder, recorded};
use tests::refreshed::{CHANGED_S, OFFLINE_DATABASE, Refreshed, counts, entry, lines, media};
use tests::service::{PUBLIC_URL, Service};
use tests::trackers::{Fakes, TOKEN, VIEWER};

/// Returns the permissions that the template gives a function.
fn template_permissions(function: &str) -> BTreeSet<Permission> {
    let template = Template::load().unwrap();
    let statements = template
        .property(function, "/Policies/0/Statement")
        .unwrap();
    let mut permissions = BTreeSet::new();
    for statement in statements.as_array().unwrap() {
        assert_eq!(statement["Effect"], "Allow");
        for resource in one_or_more(&statement["Resource"]) {
            // The resource is `UserTable.Arn` or `${UserTable.Arn}/index/ByEmail`.
            let resource = resource
                .replace("${", "")
                .replace('}', "")
                .replace("Table.Arn", "");
            for action in one_or_more(&statement["Action"]) {
                if action.starts_with("dynamodb:") {
                    permissions.insert((action, resource.clone()));
                }
            }
        }
    }
    permissions
}

fn one_or_more(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match value.as_array() {
        Some(values) => values.iter().map(text).collect(),
        None => vec![text(value)],
    }
}

/// Returns the service with a recorder of its calls.
fn with_recorder(service: Service) -> (Service, Recorder) {
    let (client, recorder) = recorded(&service.tables);
    (service.with_functions_client(client), recorder)
}

/// Returns the service with the router of a single function.
fn with_router(service: Service, router: ApiRouter) -> Service {
    let environment = service.environment.clone();
    let router: Router = shared::http::layers::service(router, environment.edge());
    Service { router, ..service }
}

/// Deletes all rows of the table `CatalogSnapshot`.
async fn delete_snapshots(service: &Service) {
    let table = service.tables.of("CatalogSnapshot");
    let rows = service.client.scan().table_name(&table).send().await;
    for mut row in rows.unwrap().items.unwrap_or_default() {
        row.retain(|name, _| name == "kind" || name == "part");
        let deletion = service.client.delete_item().table_name(&table);
        deletion.set_key(Some(row)).send().await.unwrap();
    }
}

async fn assert_ok(
    service: &Service,
    method: Method,
    path: &str,
    token: Option<&str>,
    body: Value,
) -> Value {
    let answer = match (token, body) {
        (Some(token), Value::Null) => service.with_token(method, path, token).await,
        (None, Value::Null) => service.send(method, path, &[]).await,
        (token, body) => service.json(method, path, token, &body).await,
    };
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    // An export and a page have no envelope.
    let body = serde_json::from_slice::<Value>(&answer.body).unwrap_or_default();
    body["data"].clone()
}

#[tokio::test]
async fn anime_and_song_functions_use_their_permissions() {
    for (function, kind, included) in [
        ("AnimeFunction", "anime", "?include=songs"),
        ("SongFunction", "song", ""),
    ] {
        let sample = Service::with_sample().await;
        let ids = sample.get(&format!("/v1/{kind}")).await.ids();
        let (service, recorder) = with_recorder(sample);
        let make = |service: Service| {
            let router = match kind {
                "anime" => anime::router(anime::AnimeState::new(&service.environment).unwrap()),
                _ => song::router(service.environment.catalogue::<Song>().unwrap()),
            };
            with_router(service, router)
        };
        let service = make(service);
        let all_paths = [
            format!("/v1/{kind}"),
            format!("/v1/{kind}/{}", ids[0]),
            format!("/v1/{kind}/{}{included}", ids[0]),
        ];
        for path in &all_paths {
            assert_ok(&service, Method::GET, path, None, Value::Null).await;
        }
        if kind == "anime" {
            let path = "/v1/mapping?source=tracker_a&id=1";
            assert_ok(&service, Method::GET, path, None, Value::Null).await;
        }
        // Without a snapshot, the function builds the index from the table.
        delete_snapshots(&service).await;
        let service = make(service);
        for path in [&all_paths[0], &all_paths[2]] {
            assert_ok(&service, Method::GET, path, None, Value::Null).await;
        }
        assert_eq!(
            recorder.seen(),
            template_permissions(function),
            "{function}"
        );
    }
}

#[tokio::test]
async fn auth_function_uses_its_permissions() {
    let (service, recorder) = with_recorder(Service::empty().await);
    let router = ::auth::router(::auth::AuthState::new(&service.environment).unwrap());
    ::auth::warm(::auth::AuthState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = with_router(service, router);
    let post = async |path: &str, token: Option<&str>, body: Value| {
        service.clock.advance(Duration::from_secs(1));
        assert_ok(&service, Method::POST, path, token, body).await;
    };
    let body = json!({"username": "taki", "email": "taki@example.com", "password": PASSWORD});
    let registered = service
        .json(Method::POST, "/v1/auth/register", None, &body)
        .await;
    let token = registered.data()["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    // The row of known networks is then full, so that the next sign-in replaces it.
    add_owner_addresses(&service, UserId::new(1).unwrap(), 99).await;
    post(
        "/v1/auth/login",
        None,
        json!({"username": "taki", "password": PASSWORD}),
    )
    .await;
    assert_ok(
        &service,
        Method::GET,
        "/v1/auth/me",
        Some(&token),
        Value::Null,
    )
    .await;
    sign_in_with_a_recovery_code(&service, UserId::new(1).unwrap()).await;
    let of_application = application_token(&service, UserId::new(1).unwrap()).await;
    assert_ok(
        &service,
        Method::GET,
        "/v1/auth/me",
        Some(&of_application),
        Value::Null,
    )
    .await;
    let of_profile = profile_token(&service, UserId::new(1).unwrap()).await;
    let me = "/v1/auth/me";
    assert_ok(&service, Method::GET, me, Some(&of_profile), Value::Null).await;
    post("/v1/auth/email_verification", Some(&token), Value::Null).await;
    let link = json!({"token": service.mailed_token("taki@example.com")});
    post("/v1/auth/email_verification/confirm", None, link).await;
    post("/v1/auth/logout_everywhere", Some(&token), Value::Null).await;
    post(
        "/v1/auth/password_reset",
        None,
        json!({"email": "taki@example.com"}),
    )
    .await;
    let token = service.mailed_token("taki@example.com");
    let link = json!({"token": token, "password": "new pass word"});
    post("/v1/auth/password_reset/confirm", None, link).await;
    let link = cli::user::invite(&service.database(), 7, PUBLIC_URL)
        .await
        .unwrap();
    let (_, invitation) = link.split_once('=').unwrap();
    let body = json!({
        "username": "guest", "email": "guest@example.com", "password": PASSWORD, "invitation": invitation
    });
    post("/v1/auth/register", None, body).await;
    service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("AuthFunction"));
}

/// Gives a user a second factor without using the functions, and signs in with a recovery code of it, which changes the
/// user's row.
async fn sign_in_with_a_recovery_code(service: &Service, id: UserId) {
    let code = "12345678901234567890";
    let users = service.database().users();
    let account = users.account(id).await.unwrap().unwrap();
    let second_factor = SecondFactor {
        secret: String::new(),
        last_step: 0,
        recovery_codes: vec![digest(code)],
        created_at: 0,
    };
    let factors = Factors {
        second_factor: Some(second_factor),
        ..Factors::default()
    };
    let seen = &account.factors;
    assert!(users.record_factor_use(id, seen, factors).await.unwrap());
    let body = json!({"username": account.user.username, "password": PASSWORD, "code": code});
    assert_ok(service, Method::POST, "/v1/auth/login", None, body).await;
}

/// Returns an access token for an application that the user has connected, without using the functions.
async fn application_token(service: &Service, id: UserId) -> String {
    let tokens = service.environment.tokens().unwrap();
    let client_id = "an-application".to_owned();
    put_grant(service, id, &client_id).await;
    let credential = Credential {
        client: Some(GrantedClient {
            client_id,
            generation: 0,
        }),
        ..credential(&tokens, id)
    };
    tokens.sign_access_token(&credential).await.unwrap()
}

/// Returns a profile token, without using the functions.
async fn profile_token(service: &Service, id: UserId) -> String {
    let tokens = service.environment.tokens().unwrap();
    let credential = credential(&tokens, id);
    let token = [
        ("user_id", AttributeValue::N(id.get().to_string())),
        ("client_id", AttributeValue::S("token:00".to_owned())),
        ("token_generation", AttributeValue::N("0".to_owned())),
        ("token_id", AttributeValue::S(credential.token_id.clone())),
    ];
    put_row(service, "OAuthGrant", &token).await;
    let profile_token = Some(ProfileTokenUse { slot: 0, day: 0 });
    let credential = Credential {
        profile_token,
        ..credential
    };
    tokens.sign_access_token(&credential).await.unwrap()
}

/// Stores a grant of the user for a client.
async fn put_grant(service: &Service, id: UserId, client_id: &str) {
    let number = |number: u64| AttributeValue::N(number.to_string());
    let grant = [
        ("user_id", number(id.get())),
        ("client_id", AttributeValue::S(client_id.to_owned())),
        ("token_generation", number(0)),
        ("connected_at", number(1)),
    ];
    put_row(service, "OAuthGrant", &grant).await;
}

/// Stores a row without using the functions.
async fn put_row(service: &Service, table: &str, row: &[(&str, AttributeValue)]) {
    let row = row
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    let request = service.client.put_item();
    let request = request.table_name(service.tables.of(table));
    request.set_item(Some(row.collect())).send().await.unwrap();
}

/// Stores a linked account without using the functions.
async fn put_link(service: &Service, id: UserId) {
    let link = [
        ("user_id", AttributeValue::N(id.get().to_string())),
        ("tracker", AttributeValue::S("tracker_b".to_owned())),
    ];
    put_row(service, "TrackerLink", &link).await;
}

/// Stores statistics of a user without using the functions.
async fn put_statistics(service: &Service, id: UserId) {
    let statistics = [("user_id", AttributeValue::N(id.get().to_string()))];
    put_row(service, "UserStatistics", &statistics).await;
}

/// Stores waiting entries of a user without using the functions.
async fn put_waiting(service: &Service, id: UserId) {
    let waiting = [("user_id", AttributeValue::N(id.get().to_string()))];
    put_row(service, "WaitingList", &waiting).await;
}

/// Stores a player of a user without using the functions.
async fn put_player(service: &Service, id: UserId) {
    let player = [
        ("user_id", AttributeValue::N(id.get().to_string())),
        ("entry", AttributeValue::S("player#00".to_owned())),
    ];
    put_row(service, "Player", &player).await;
}

/// Stores a session.
async fn put_session(service: &Service, id: UserId) {
    let session = [
        ("id_hash", AttributeValue::S("a".repeat(43))),
        ("user_id", AttributeValue::N(id.get().to_string())),
        ("begun_at", AttributeValue::N("1".to_owned())),
    ];
    put_row(service, "Session", &session).await;
}

/// Stores this many addresses of the owner.
async fn add_owner_addresses(service: &Service, id: UserId, count: u8) {
    let throttle = service.database().throttle();
    let attempts = Attempts::new(throttle, service.clock.clone());
    for number in 0..count {
        let address = Ipv4Addr::new(192, 0, 2, number);
        let address = CallerAddress(Some(address.into()));
        attempts.remember_address(id, address).await.unwrap();
    }
}

/// Creates a user with a story, and a moderator.
async fn user_and_moderator(service: &Service, anime: &Anime) -> (Person, Person) {
    let person = service.person("taki").await;
    service.create_story(&person, anime, 0).await;
    (
        person,
        service.person_with_role("mod", Role::Moderator).await,
    )
}

/// Stores a grant of the user and a client that the user owns, without using the functions.
async fn put_oauth_rows(service: &Service, id: UserId) {
    let number = |number: u64| AttributeValue::N(number.to_string());
    put_grant(service, id, "a-client").await;
    let client = [
        (
            "client_id",
            AttributeValue::S(format!("client-of-{}", id.get())),
        ),
        ("user_id", number(id.get())),
        ("created_at", number(1)),
    ];
    put_row(service, "OAuthClient", &client).await;
}

/// Sends every kind of request to the user function, except the deletion of a user.
async fn use_user_function(service: &Service, person: &Person) {
    let token = Some(person.token.as_str());
    let by_email = "/v1/user?email=taki@example.com";
    for path in ["/v1/user", "/v1/user/1", by_email] {
        assert_ok(service, Method::GET, path, token, Value::Null).await;
    }
    let password = json!({
        "id": person.id, "gender": 1, "password": "new pass word", "current_password": PASSWORD
    });
    let tracker = json!({
        "id": person.id, "gender": 1, "tracker_a_id": VIEWER.0, "tracker_a_token": TOKEN
    });
    // The application's requests come first: the new password revokes its token.
    let of_application = application_token(service, person.id).await;
    let application = Some(of_application.as_str());
    let gender = json!({"id": person.id, "gender": 2});
    assert_ok(service, Method::POST, "/v1/user", application, gender).await;
    assert_ok(service, Method::GET, by_email, application, Value::Null).await;
    let of_profile = profile_token(service, person.id).await;
    let of_profile = Some(of_profile.as_str());
    assert_ok(service, Method::GET, by_email, of_profile, Value::Null).await;
    for body in [password, tracker] {
        assert_ok(service, Method::POST, "/v1/user", token, body).await;
    }
}

#[tokio::test]
async fn user_function_uses_its_permissions() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let (person, moderator) = user_and_moderator(&service, &anime).await;
    add_owner_addresses(&service, person.id, 50).await;
    let other = service.person("other").await;
    service.create_story(&other, &anime, 0).await;
    put_link(&service, person.id).await;
    put_statistics(&service, person.id).await;
    put_waiting(&service, person.id).await;
    put_player(&service, person.id).await;
    put_session(&service, person.id).await;
    put_oauth_rows(&service, person.id).await;
    let (service, _fakes) = service.with_trackers().await;
    let (service, recorder) = with_recorder(service);
    let router = ::user::router(::user::UserState::new(&service.environment).unwrap());
    ::user::warm(::user::UserState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = with_router(service, router);
    use_user_function(&service, &person).await;
    let by_moderator = Some(moderator.token.as_str());
    let body = json!({"id": other.id, "gender": 1});
    assert_ok(&service, Method::POST, "/v1/user", by_moderator, body).await;
    for (by, target) in [(&moderator, &other), (&person, &person)] {
        let path = format!("/v1/user/{}", target.id.get());
        let token = Some(by.token.as_str());
        assert_ok(&service, Method::DELETE, &path, token, Value::Null).await;
    }
    service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("UserFunction"));
}

/// The user function has already replaced the user's row by a tombstone. The user's stories, links, grants
/// and clients still exist.
#[tokio::test]
async fn account_sweep_function_uses_its_permissions() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    let number = |number: u64| AttributeValue::N(number.to_string());
    let (id, one) = (number(person.id.get()), number(1));
    put_oauth_rows(&service, person.id).await;
    put_link(&service, person.id).await;
    put_statistics(&service, person.id).await;
    put_waiting(&service, person.id).await;
    put_player(&service, person.id).await;
    put_session(&service, person.id).await;
    let story = [
        ("anime_id", one.clone()),
        ("user_id", id.clone()),
        ("creation_order", one.clone()),
    ];
    put_row(&service, "UserStory", &story).await;
    let tombstone = [
        ("id", id),
        ("deleted_at", one),
        ("deletion_shard", number(0)),
    ];
    put_row(&service, "User", &tombstone).await;
    let (client, recorder) = recorded(&service.tables);
    let store = service.database_with(client).deletion();
    // The first sweep deletes the user and leaves a tombstone of the client, the second deletes that.
    for _ in 0..2 {
        service.clock.advance(Duration::from_mins(2));
        let report = account_sweep::sweep(&store, &service.clock, u64::MAX)
            .await
            .unwrap();
        assert_eq!((report.finished, report.unfinished), (1, 0));
    }
    assert_eq!(
        recorder.seen(),
        template_permissions("AccountSweepFunction")
    );
}

#[tokio::test]
async fn tracker_sync_function_uses_its_permissions() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, 0, 1).await;
    linked.edit(TrackerName::A, 1, WatchStatus::Current, 1);
    let (client, recorder) = recorded(&linked.service.tables);
    let run = async || {
        let until = linked.service.clock.now_ms() + RUN_MS;
        let state = linked.state_with_client(client.clone());
        ::tracker_sync::run(&state, until).await.unwrap()
    };
    let exported = run().await.trackers.map(|tracker| tracker.exported);
    assert_eq!((exported.a, exported.b), (1, 2));
    // Without a snapshot, the function reads the catalogue from the index `ByRank` of its table.
    let table = linked.service.tables.of("CatalogSnapshot");
    for part in [0, 1000] {
        let request = linked.service.client.delete_item().table_name(&table);
        let request = request.key("kind", AttributeValue::S("anime".to_owned()));
        let request = request.key("part", AttributeValue::N(part.to_string()));
        request.send().await.unwrap();
    }
    // One tracker has a changed entry, and the other refuses the token.
    linked.service.clock.advance(Duration::from_hours(25));
    linked.edit(TrackerName::A, 0, WatchStatus::Paused, 1);
    linked.fakes[1].state().grants += 1;
    linked.fakes[1].state().rotations += 1;
    assert_eq!(run().await.trackers.b.reconnect, 1);
    linked.service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("TrackerSyncFunction"));
}

#[tokio::test]
async fn catalog_refresh_function_uses_its_permissions() {
    let refreshed = Refreshed::empty().await;
    let (client, recorder) = recorded(&refreshed.service.tables);
    let mut environment = refreshed.service.environment.clone();
    environment.database.client = client;
    let song = json!({"type": "OP", "song": {"title": "Uta", "artists": []},
        "updated_at": "2023-11-14T21:13:20Z", "id": 1});
    let resources = json!([{"external_id": 1, "site": "AniList"}]);
    refreshed.themes.state().themes = vec![json!({"id": 1, "year": 2020, "season": "Fall",
        "resources": resources, "animethemes": [song]})];
    let of_file = entry(101, 101, &Value::Null);
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&[of_file]), None);
    // Of two entries that wait, the first is merged with a story in the first run, and the second becomes one in the
    // other.
    let service = &refreshed.service;
    let person = service.person("taki").await;
    let entry = |id: u32| json!({"anilist_id": id, "status": "CURRENT", "current_episode": 1});
    let list = json!({"format": "kiroku", "version": 1, "stories": [entry(1), entry(2)]});
    let (import, token) = ("/v1/user_story/import", Some(person.token.as_str()));
    assert_ok(service, Method::POST, import, token, list).await;
    let story = [
        ("user_id", person.id.get()),
        ("anime_id", 2),
        ("status", 0),
        ("current_episode", 0),
        ("current_episode_ticks", 0),
        ("creation_order", 1),
    ];
    // The first run raises the episode of the story of another user.
    let other = service.person("mitsuha").await;
    let mut beyond = story.to_vec();
    beyond[0].1 = other.id.get();
    beyond.push(("watched_episodes", 7));
    for story in [story.to_vec(), beyond] {
        let story = story.into_iter();
        let story = story.map(|(name, value)| (name, AttributeValue::N(value.to_string())));
        let story: Vec<_> = story.collect();
        put_row(service, "UserStory", &story).await;
    }
    // The second run deletes the snapshot that the first one published.
    for (count, title) in [(1, "One"), (2, "Another")] {
        let changes =
            json!({"title": {"romaji": title}, "updatedAt": CHANGED_S + title.len() as u64});
        refreshed.set_media((1..=count).map(|id| media(id, &changes)).collect());
        let until = environment.database.clock.now_ms() + 60_000;
        let sources = Sources {
            offline_database: Some(&refreshed.offline_database),
            ..refreshed.both_sources()
        };
        let scope = RefreshScope::Changed;
        let report = refresh(&environment, sources, scope, until, &|_| {}).await;
        let report = report.unwrap();
        assert!(report.failure().is_none(), "{report:?}");
        let [added, changed, ..] = counts(&report, SourceName::AniList);
        assert_eq!(added + changed, u64::from(count));
        assert_eq!(report.waiting.entries, 1);
        assert_eq!(report.raised.stories, u64::from(count == 1));
    }
    assert_eq!(refreshed.song_rows().await.len(), 1);
    refreshed.service.assert_declared_attributes().await;
    assert_eq!(
        recorder.seen(),
        template_permissions("CatalogRefreshFunction")
    );
}

#[tokio::test]
async fn oauth_function_uses_its_permissions() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    let application = service.web_application(&person).await;
    let session = Browser::signed_in(&service, &person).await.cookies;
    service.users().verify_email(person.id, 0).await.unwrap();
    let (service, recorder) = with_recorder(service);
    let router = ::oauth::router(::oauth::OAuthState::new(&service.environment).unwrap());
    ::oauth::warm(::oauth::OAuthState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = with_router(service, router);
    let mut browser = Browser::new(&service);
    browser.cookies = session;
    browser.allow(&application, &[]).await;
    // A session is renewed if it is used days later. The application gets no more access, so no proof is needed.
    service.clock.advance(Duration::from_hours(48));
    let page = browser.get(&application.request(&[])).await;
    browser
        .submit(&page, "/v1/oauth", &[("decision", "deny")])
        .await;
    let returned = browser.allow(&application, &[]).await;
    let form = application.exchange(returned.code());
    let answer = service.form("/v1/oauth/token", &form).await;
    let token = answer.json()["access_token"].as_str().unwrap().to_owned();
    assert_eq!(service.form("/v1/oauth/token", &form).await.status, 400);
    let mut form = application.exchange("");
    form.push(("token", &token));
    assert_eq!(service.form("/v1/oauth/revoke", &form).await.status, 200);
    service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("OAuthFunction"));
}

/// A user of the pages. The clock moves one second between two forms.
struct SiteUser<'s> {
    service: &'s Service,
    fakes: &'s Fakes,
    browser: Browser<'s>,
}

impl SiteUser<'_> {
    /// Opens `page` and submits its form with the action `to`.
    async fn submit_form(&mut self, page: &str, to: &str, fields: &[(&str, &str)]) -> String {
        self.service.clock.advance(Duration::from_secs(1));
        let page = self.browser.get(page).await;
        let answer = self.browser.submit(&page, to, fields).await;
        let status = answer.status.as_u16();
        assert!([200, 303].contains(&status), "{to}: {}", answer.text());
        answer.text()
    }

    /// Submits the form of a page whose action is the page itself.
    async fn submit_page(&mut self, page: &str, fields: &[(&str, &str)]) -> String {
        self.submit_form(page, page, fields).await
    }

    /// Submits every form about the account, except its deletion.
    async fn use_account(&mut self) {
        let mail = "taki@example.com";
        let person = [
            ("username", "taki"),
            ("email", mail),
            ("password", PASSWORD),
        ];
        self.submit_page("/sign-up", &person).await;
        add_owner_addresses(self.service, UserId::new(1).unwrap(), 99).await;
        self.submit_form("/profile", "/sign-out", &[]).await;
        let sign_in = [("who", "taki"), ("password", PASSWORD)];
        self.submit_page("/sign-in", &sign_in).await;
        let link = self.service.mailed_token(mail).unwrap();
        let page = format!("/verify-email?token={link}");
        self.submit_form(&page, "/verify-email", &[("token", &link)])
            .await;
        let settings = [("gender", "1"), ("localization", "jp")];
        self.submit_form("/profile", "/profile/settings", &settings)
            .await;
        self.submit_form(
            "/profile/privacy",
            "/profile/privacy",
            &[("visibility", "private")],
        )
        .await;
        self.use_trackers().await;
        self.submit_page("/forgot-password", &[("email", mail)])
            .await;
        let link = self.service.mailed_token(mail).unwrap();
        let page = format!("/reset-password?token={link}");
        let reset = [("token", link.as_str()), ("password", "new pass word")];
        self.submit_form(&page, "/reset-password", &reset).await;
        let sign_in = [("who", "taki"), ("password", "new pass word")];
        self.submit_page("/sign-in", &sign_in).await;
        // A session is renewed if it is used days later.
        self.service.clock.advance(Duration::from_hours(48));
        let password = [("password", "new pass word")];
        self.submit_page("/prove", &password).await;
        let token = [("name", "my program"), ("scope", "read")];
        let page = self
            .submit_form("/profile/developer", "/profile/developer/token", &token)
            .await;
        let token_id = page.split_once("name=\"token_id\" value=\"").unwrap().1;
        let token_id = token_id.split('"').next().unwrap();
        let revoked = [("token_id", token_id)];
        self.submit_form(
            "/profile/developer",
            "/profile/developer/token/revoke",
            &revoked,
        )
        .await;
        let own = "/profile/security";
        let email = [("email", "taki@elsewhere.example")];
        self.submit_form("/profile", "/profile/email", &email).await;
        let change = "/profile/security/password";
        self.submit_form(own, change, &password).await;
        let mut other = Browser::new(self.service);
        let page = other.get("/sign-in").await;
        other.submit(&page, "/sign-in", &sign_in).await;
        let page = self.browser.get(own).await.text();
        let other_id = page.split_once("name=\"session\" value=\"").unwrap().1;
        let other_id = other_id.split('"').next().unwrap();
        let end = "/profile/security/session/end";
        self.submit_form(own, end, &[("session", other_id)]).await;
        let everywhere = "/profile/security/sign-out-everywhere";
        self.submit_form(own, everywhere, &[]).await;
        self.submit_page("/sign-in", &sign_in).await;
    }

    /// Links an account at each tracker and unlinks the first. The second is deleted with the user.
    async fn use_trackers(&mut self) {
        for tracker in TrackerName::ALL {
            let connect = format!("/profile/trackers/{}/connect", tracker.letter());
            let address = self.browser.get(&connect).await;
            let fake = self.fakes.of(tracker);
            let back = fake.allow(address.header("location"));
            let linked = self.browser.get(&back).await;
            assert!(linked.header("location").contains("?done=linked-"));
        }
        self.submit_form(
            "/profile/connections",
            "/profile/connections/a/disconnect",
            &[],
        )
        .await;
    }

    /// Imports watch histories, the second without a snapshot, and exports them.
    async fn use_history(&mut self, anime: [&Anime; 2]) {
        let path = "/profile/history";
        for (status, anime) in [
            ("CURRENT", anime[0]),
            ("PLANNING", anime[0]),
            ("CURRENT", anime[1]),
        ] {
            self.service.clock.advance(Duration::from_secs(1));
            let entry = json!({"anime_id": anime.id, "status": status});
            let waiting = json!({"mal_id": 1_000_000 + anime.id.get(), "status": status});
            let list = json!({"format": "kiroku", "version": 1, "stories": [entry, waiting]});
            let csrf = hidden(&self.browser.get(path).await, "csrf").unwrap();
            let fields = [("csrf", csrf.as_str()), ("mode", "replace")];
            let list = list.to_string();
            let page = self
                .browser
                .upload(path, &fields, "list.json", list.as_bytes());
            let page = page.await;
            assert_eq!(page.status, 200, "{}", page.text());
            delete_snapshots(self.service).await;
            self.service.clock.advance(Duration::from_secs(10));
        }
        assert_eq!(
            self.browser.get("/profile/history/export").await.status,
            200
        );
        let waiting = self.browser.get("/profile/history/waiting/file").await;
        assert_eq!(waiting.json()["stories"].as_array().unwrap().len(), 2);
        for _ in 0..3 {
            self.submit_form("/profile/history/imports", "/profile/history/imports", &[])
                .await;
        }
    }

    /// Gives the calendar feed an address, reads the feed, and removes the address.
    async fn use_calendar(&mut self) {
        self.submit_form("/profile", "/calendar/feed", &[]).await;
        let address = feed_address(self.service, UserId::new(1).unwrap()).await;
        assert_eq!(self.service.get(&address).await.status, 200);
        self.submit_form("/profile", "/calendar/feed/remove", &[])
            .await;
    }

    /// Adds, changes and removes a player, chooses the anime of a series, and takes the choice back.
    async fn use_players(&mut self, anime: &Anime) {
        let (path, series) = ("/profile/players", "/profile/players/series");
        self.submit_page(path, &[("name", "Radio"), ("kind", "mpv")])
            .await;
        let player = format!("{path}/0");
        let settings = [
            ("name", "Radio"),
            ("server_user", "taki"),
            ("finished_percent", "90"),
        ];
        self.submit_form("/profile", &player, &settings).await;
        self.submit_form(&player, &format!("{player}/address"), &[])
            .await;
        let question = format!("{series}?title=Radio&season=1&episode=1");
        assert_eq!(self.browser.get(&question).await.status, 200);
        let guess = format!("{}:1", anime.id.get());
        for answer in [("guess", guess.as_str()), ("take_back", "yes")] {
            let fields = [("title", "Radio"), ("season", "1"), answer];
            self.submit_form("/profile", series, &fields).await;
        }
        self.submit_form(&player, &format!("{player}/remove"), &[])
            .await;
    }

    /// Corrects an anime and a song, and finds and deletes a user, as a moderator.
    async fn moderate(&mut self, anime: &Anime, song: &Song) {
        let other = self.service.person("other").await;
        let own = UserId::new(1).unwrap();
        let users = self.service.users();
        assert!(users.set_role(own, Role::Moderator).await.unwrap());
        for (path, field, value) in [
            (
                format!("/moderation/anime/{}", anime.id.get()),
                "status",
                "CANCELLED",
            ),
            (
                format!("/moderation/song/{}", song.id.get()),
                "title",
                "Uta",
            ),
        ] {
            let form = format!("{path}/correct?field={field}");
            self.submit_page(&form, &[("value", value), ("note", "CD")])
                .await;
            let take_back = format!("{path}/take-back?field={field}");
            self.submit_form(&form, &take_back, &[]).await;
        }
        for search in ["other", "other%40example.com"] {
            let path = format!("/moderation?search={search}");
            assert!(
                self.browser
                    .get(&path)
                    .await
                    .text()
                    .contains("/moderation/user/")
            );
        }
        let path = format!("/moderation/user/{}", other.id.get());
        self.submit_page(&format!("{path}/delete"), &[]).await;
        assert_eq!(self.browser.get(&path).await.status, 200);
        assert!(users.set_role(own, Role::Basic).await.unwrap());
    }

    /// Makes and revokes an invitation as an administrator, and signs up with another one.
    async fn administer(&mut self) {
        let own = UserId::new(1).unwrap();
        let users = self.service.users();
        assert!(users.set_role(own, Role::Administrator).await.unwrap());
        self.submit_form("/profile", "/administration/invite", &[("days", "7")])
            .await;
        let page = self.browser.get("/administration").await.text();
        let (_, digest) = page.split_once("name=\"invitation\" value=\"").unwrap();
        let digest = [("invitation", digest.split('"').next().unwrap())];
        self.submit_form("/administration", "/administration/revoke", &digest)
            .await;
        let database = self.service.database();
        let link = cli::user::invite(&database, 7, PUBLIC_URL).await.unwrap();
        let mut guest = Browser::new(self.service);
        let form = guest.get(&link).await;
        let fields = [
            ("username", "guest"),
            ("email", "guest@example.com"),
            ("password", PASSWORD),
        ];
        assert_eq!(guest.submit(&form, "/sign-up", &fields).await.status, 303);
        assert!(users.set_role(own, Role::Basic).await.unwrap());
    }

    /// Adds an entry to the list, undoes that, and adds and deletes it again.
    async fn use_list(&mut self, anime: &Anime) {
        let key = format!("{}:", anime.id.get());
        for (path, more) in [
            ("/list/next", ("back", "/list")),
            ("/list/undo", ("back", "/list")),
            ("/list/save", ("status", "2")),
            ("/list/delete", ("confirmed", "yes")),
        ] {
            self.service.clock.advance(Duration::from_secs(1));
            let page = self.browser.get_with_notice("/list?done=next&of=1").await;
            let key = hidden(&page, "entry").unwrap_or_else(|| key.clone());
            let csrf =
                hidden(&page, "csrf").or(hidden(&self.browser.get("/profile").await, "csrf"));
            let csrf = csrf.unwrap();
            let fields = [("csrf", &*csrf), ("entry", &*key), more];
            let answer = self.browser.post(path, &fields).await;
            assert_eq!(answer.status, 303, "{path}: {}", answer.text());
        }
        let key = format!("{}:0-1-0", anime.id.get());
        let page = self.browser.get("/profile").await;
        let csrf = hidden(&page, "csrf").unwrap();
        for (path, field) in [
            ("/list/selection", ("status", "2")),
            ("/list/selection/undo", ("step", "0a1b")),
        ] {
            let fields = [("csrf", &*csrf), ("entry", &*key), field];
            let answer = self.browser.post(path, &fields).await;
            assert!(answer.status.as_u16() < 500, "{path}: {}", answer.text());
        }
    }

    /// Submits every form about OAuth clients.
    async fn use_clients(&mut self) {
        let id = UserId::new(1).unwrap();
        let client = [
            ("name", "Radio"),
            ("kind", "confidential"),
            ("redirect_uris", "https://app.example/cb"),
        ];
        let made = self.submit_page("/developer", &client).await;
        let (_, after) = made.split_once("/developer/").unwrap();
        let client_id: String = after
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let page = format!("/developer/{client_id}");
        self.submit_page(&page, &client).await;
        self.submit_form(&page, &format!("{page}/secret"), &[])
            .await;
        put_grant(self.service, id, &client_id).await;
        let disconnect = [("client_id", client_id.as_str())];
        self.submit_form(
            "/profile/connections",
            "/profile/connections/disconnect",
            &disconnect,
        )
        .await;
        put_grant(self.service, id, &client_id).await;
        self.submit_page(&format!("{page}/delete"), &[]).await;
        self.submit_page("/developer", &client).await;
    }
}

#[tokio::test]
async fn site_function_uses_its_permissions() {
    let (service, [first, second]) = Service::with_two_anime().await;
    let (service, fakes) = service.with_trackers().await;
    let provider = FakeProvider::start(service.clock.clone()).await;
    let service = service.using_provider(settings(&provider.issuer, |_| {}), DEADLINE);
    let (service, recorder) = with_recorder(service);
    let router = ::site::router(::site::SiteState::new(&service.environment).unwrap());
    ::site::warm(::site::SiteState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = with_router(service, router);
    assert_eq!(service.get("/").await.status, 200);
    let browser = Browser::new(&service);
    let mut site_user = SiteUser {
        service: &service,
        fakes: &fakes,
        browser,
    };
    site_user.use_account().await;
    site_user.use_clients().await;
    let mut songs = tests::made_up::songs(1, 1);
    songs[0].anime_id = first.id;
    service.put(&songs).await;
    delete_snapshots(&service).await;
    let of_anime = format!("/anime/{}", first.id.get());
    let of_song = format!("/song/{}", songs[0].id.get());
    for path in [
        "/anime",
        "/anime?search=a",
        &of_anime,
        "/song",
        &of_song,
        "/statistics/2023",
    ] {
        assert_eq!(site_user.browser.get(path).await.status, 200, "{path}");
    }
    assert_eq!(site_user.browser.get("/statistics").await.status, 200);
    site_user.moderate(&first, &songs[0]).await;
    site_user.administer().await;
    site_user.use_list(&first).await;
    site_user.use_history([&first, &second]).await;
    let welcome = site_user.browser.get("/welcome").await;
    assert!(welcome.status.as_u16() < 400, "{}", welcome.text());
    site_user.use_calendar().await;
    site_user.use_players(&first).await;
    let file = site_user.browser.get("/profile/data/download").await;
    assert!(file.json()["stories"][0]["anime"]["title"].is_string());
    let ended = json!({"sub": null, "sid": "session-1"});
    let ended = provider.sign("logout+jwt", &provider.logout_claims(ended));
    assert_eq!(send_logout(&service, &ended).await.status, 200);
    put_statistics(&service, UserId::new(1).unwrap()).await;
    put_waiting(&service, UserId::new(1).unwrap()).await;
    service.clock.advance(Duration::from_mins(11));
    let password = [("password", "new pass word")];
    site_user.submit_page("/prove", &password).await;
    site_user.submit_page("/profile/delete", &[]).await;
    service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("SiteFunction"));
}

#[tokio::test]
async fn playback_function_uses_its_permissions() {
    let players = Players::new().await;
    let address = players.add(PlayerKind::Other, "laptop").await;
    let of_profile = profile_token(&players.service, players.person.id).await;
    let of_application = application_token(&players.service, players.person.id).await;
    for number in 0..200_u64 {
        let count = |number: u64| AttributeValue::N(number.to_string());
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let series = [
            ("user_id", count(players.person.id.get())),
            ("entry", text(&format!("unmatched#{number}"))),
            ("title", text("Faro")),
            ("season", text("none")),
            ("episode", count(1)),
            ("at", count(1)),
            ("player", count(0)),
            ("expires_at", count(9_999_999_999)),
        ];
        put_row(&players.service, "Player", &series).await;
    }
    let (service, recorder) = with_recorder(players.service);
    let environment = service.environment.clone();
    let state = || ::playback::PlaybackState::new(&environment).unwrap();
    ::playback::warm(state()).await.unwrap();
    let router = ::playback::router(state());
    let service = with_router(service, router);
    for message in [
        json!({"title": "Harbor Lights", "season": 1, "episode": 1}),
        json!({"title": "Harbor Lights", "season": 1, "episode": 2}),
        json!({"title": "Unheard Of", "season": 1, "episode": 2}),
    ] {
        assert_ok(&service, Method::POST, &address, None, message).await;
    }
    for (token, episode) in [(&of_profile, 3), (&of_application, 4)] {
        let messages = json!({"title": "Harbor Lights", "season": 1, "episode": episode});
        assert_ok(
            &service,
            Method::POST,
            "/v1/playback",
            Some(token),
            messages,
        )
        .await;
    }
    let guess = "/v1/playback/1.0.x";
    assert_eq!(service.send(Method::POST, guess, &[]).await.status, 404);
    delete_snapshots(&service).await;
    let router = ::playback::router(state());
    let service = with_router(service, router);
    let message = json!({"anime_id": 1, "episode": 5});
    assert_ok(&service, Method::POST, &address, None, message).await;
    service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("PlaybackFunction"));
}

#[tokio::test]
async fn user_story_function_uses_its_permissions() {
    let (service, [first, second]) = Service::with_two_anime().await;
    let (person, moderator) = user_and_moderator(&service, &first).await;
    let (service, recorder) = with_recorder(service);
    let router =
        ::user_story::router(::user_story::UserStoryState::new(&service.environment).unwrap());
    ::user_story::warm(::user_story::UserStoryState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = with_router(service, router);
    let token = Some(person.token.as_str());
    let path = "/v1/user_story";
    let body = json!({"user_id": person.id, "anime_id": second.id, "status": 2});
    assert_ok(&service, Method::PUT, path, token, body).await;
    assert_ok(
        &service,
        Method::POST,
        path,
        token,
        story_body(&person, &first, 0, 1),
    )
    .await;
    let data = "/v1/auth/me/data";
    assert_ok(&service, Method::GET, data, token, Value::Null).await;
    let of_application = application_token(&service, person.id).await;
    let update = story_body(&person, &first, 0, 2);
    let application = Some(of_application.as_str());
    assert_ok(&service, Method::POST, path, application, update).await;
    assert_ok(&service, Method::GET, path, application, Value::Null).await;
    let of_profile = profile_token(&service, person.id).await;
    assert_ok(&service, Method::GET, path, Some(&of_profile), Value::Null).await;
    assert_ok(&service, Method::GET, path, token, Value::Null).await;
    let others = format!("{path}?user_id={}", person.id.get());
    assert_ok(
        &service,
        Method::GET,
        &others,
        Some(&moderator.token),
        Value::Null,
    )
    .await;
    let update = story_body(&person, &first, 0, 3);
    let moderators = Some(moderator.token.as_str());
    assert_ok(&service, Method::POST, path, moderators, update).await;
    let some = format!(
        "{path}?anime_id={},{}&include=anime",
        first.id.get(),
        second.id.get()
    );
    assert_ok(&service, Method::GET, &some, token, Value::Null).await;
    let changes = json!([
        {"op": "put", "anime_id": first.id, "status": 0},
        {"op": "delete", "anime_id": second.id},
    ]);
    let batch = json!({"user_id": person.id, "changes": changes});
    let batch_path = format!("{path}/batch");
    assert_ok(&service, Method::POST, &batch_path, token, batch.clone()).await;
    assert_ok(&service, Method::POST, &batch_path, moderators, batch).await;
    let import = format!("{path}/import?user_id={}", person.id.get());
    let entry = json!({"anime_id": second.id, "status": "CURRENT"});
    let list = json!({"format": "kiroku", "version": 1, "stories": [entry]});
    let report = assert_ok(&service, Method::POST, &import, token, list.clone()).await;
    assert_ok(&service, Method::POST, &import, moderators, list).await;
    let imports = format!("{path}/import");
    assert_ok(&service, Method::GET, &imports, token, Value::Null).await;
    let undo = format!("{imports}/{}/undo", report["import_id"].as_str().unwrap());
    assert_ok(&service, Method::POST, &undo, token, Value::Null).await;
    let waiting = format!("{path}/import/waiting?user_id={}", person.id.get());
    let list =
        json!({"format": "kiroku", "version": 1, "stories": [{"mal_id": 99, "status": "CURRENT"}]});
    for token in [token, moderators] {
        assert_ok(&service, Method::POST, &import, token, list.clone()).await;
        assert_ok(&service, Method::GET, &waiting, token, Value::Null).await;
        assert_ok(&service, Method::DELETE, &waiting, token, Value::Null).await;
    }
    let feed = format!("{path}/changes");
    assert_ok(&service, Method::GET, &feed, token, Value::Null).await;
    let file = format!("{path}/export");
    assert_ok(&service, Method::GET, &file, token, Value::Null).await;
    let story = format!("{path}/{}", person.story(&first));
    assert_ok(&service, Method::GET, &story, token, Value::Null).await;
    let history = format!("{story}/history");
    assert_ok(&service, Method::GET, &history, token, Value::Null).await;
    let statistics = format!("/v1/user/{}/statistics", person.id.get());
    assert_ok(&service, Method::GET, &statistics, token, Value::Null).await;
    let suggestions = format!("/v1/user/{}/suggestions", person.id.get());
    assert_ok(&service, Method::GET, &suggestions, token, Value::Null).await;
    assert_ok(&service, Method::DELETE, &story, token, Value::Null).await;
    // Without a snapshot, a batch builds the index from the table.
    delete_snapshots(&service).await;
    let router =
        ::user_story::router(::user_story::UserStoryState::new(&service.environment).unwrap());
    let service = with_router(service, router);
    let changes = json!({"changes": [{"op": "put", "anime_id": first.id, "status": 0}]});
    assert_ok(&service, Method::POST, &batch_path, token, changes).await;
    service.assert_declared_attributes().await;
    assert_eq!(recorder.seen(), template_permissions("UserStoryFunction"));
}
