//! The permissions that template.yaml gives each function on its tables: those that it uses, and no
//! other. No engine but AWS asks for them.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::time::Duration;

use accounts::Attempts;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::http::Method;
use catalog_refresh::{Scope, Unwatched, refresh};
use cli::template::Template;
use serde_json::{Value, json};
use shared::auth::{CallerAddress, Credential, GrantedClient};
use shared::http::routing::ApiRouter;
use shared::models::{Anime, Role, Song, TrackerName, UserId, WatchStatus};
use store::{DeletionStore, ThrottleStore};
use tests::browser::Browser;
use tests::linked::{Linked, RUN_MS};
use tests::people::{PASSWORD, Person, credential, story_body};
use tests::recorder::{Permission, Recorder, recorded};
use tests::refreshed::{CHANGED_S, Refreshed, media};
use tests::service::Service;
use tests::trackers::{Fakes, TOKEN, VIEWER};

/// What the template gives a function on tables and their indexes.
fn given(function: &str) -> BTreeSet<Permission> {
    let template = Template::load().unwrap();
    let statements = template
        .property(function, "/Policies/0/Statement")
        .unwrap();
    let mut given = BTreeSet::new();
    for statement in statements.as_array().unwrap() {
        assert_eq!(statement["Effect"], "Allow");
        for resource in one_or_more(&statement["Resource"]) {
            // `UserTable.Arn`, or `${UserTable.Arn}/index/ByEmail`.
            let resource = resource
                .replace("${", "")
                .replace('}', "")
                .replace("Table.Arn", "");
            for action in one_or_more(&statement["Action"]) {
                if action.starts_with("dynamodb:") {
                    given.insert((action, resource.clone()));
                }
            }
        }
    }
    given
}

fn one_or_more(value: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match value.as_array() {
        Some(values) => values.iter().map(text).collect(),
        None => vec![text(value)],
    }
}

/// A service like this one, whose calls are noted.
fn observed(service: Service) -> (Service, Recorder) {
    let (client, recorder) = recorded(&service.tables);
    let mut environment = service.environment.clone();
    environment.client = client;
    (service.made_of(environment), recorder)
}

/// A service of one function alone.
fn only(service: Service, router: ApiRouter) -> Service {
    let environment = service.environment.clone();
    let router: Router = shared::http::layers::service(router, environment.edge());
    Service { router, ..service }
}

async fn ask(service: &Service, method: Method, path: &str, token: Option<&str>, body: Value) {
    let answer = match (token, body) {
        (Some(token), Value::Null) => service.with_token(method, path, token).await,
        (None, Value::Null) => service.send(method, path, &[]).await,
        (token, body) => service.json(method, path, token, &body).await,
    };
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
}

#[tokio::test]
async fn the_catalogue() {
    for (function, kind) in [("AnimeFunction", "anime"), ("SongFunction", "song")] {
        let sample = Service::with_sample().await;
        let ids = sample.get(&format!("/v1/{kind}")).await.ids();
        let (service, recorder) = observed(sample);
        let make = |service: Service| {
            let router = match kind {
                "anime" => anime::router(service.environment.catalogue::<Anime>()),
                _ => song::router(service.environment.catalogue::<Song>()),
            };
            only(service, router)
        };
        let service = make(service);
        for path in [format!("/v1/{kind}"), format!("/v1/{kind}/{}", ids[0])] {
            ask(&service, Method::GET, &path, None, Value::Null).await;
        }
        // Without a snapshot the index is built out of the table.
        let request = service
            .client
            .scan()
            .table_name(service.tables.of("CatalogSnapshot"));
        for mut row in request.send().await.unwrap().items.unwrap_or_default() {
            row.retain(|name, _| name == "kind" || name == "part");
            let request = service.client.delete_item();
            let table = service.tables.of("CatalogSnapshot");
            request
                .table_name(table)
                .set_key(Some(row))
                .send()
                .await
                .unwrap();
        }
        let service = make(service);
        ask(
            &service,
            Method::GET,
            &format!("/v1/{kind}"),
            None,
            Value::Null,
        )
        .await;
        assert_eq!(recorder.seen(), given(function), "{function}");
    }
}

#[tokio::test]
async fn auth() {
    let (service, recorder) = observed(Service::empty().await);
    let router = ::auth::router(::auth::AuthState::new(&service.environment).unwrap());
    ::auth::warm(::auth::AuthState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = only(service, router);
    let post = async |path: &str, token: Option<&str>, body: Value| {
        service.clock.advance(Duration::from_secs(1));
        ask(&service, Method::POST, path, token, body).await;
    };
    let body = json!({"username": "taki", "email": "taki@example.com", "password": PASSWORD});
    let registered = service
        .json(Method::POST, "/v1/auth/register", None, &body)
        .await;
    let token = registered.data()["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    // So many places that the next one takes the place of all.
    places(&service, UserId::new(1).unwrap(), 99).await;
    post(
        "/v1/auth/login",
        None,
        json!({"username": "taki", "password": PASSWORD}),
    )
    .await;
    ask(
        &service,
        Method::GET,
        "/v1/auth/me",
        Some(&token),
        Value::Null,
    )
    .await;
    let of_application = application_token(&service, UserId::new(1).unwrap()).await;
    ask(
        &service,
        Method::GET,
        "/v1/auth/me",
        Some(&of_application),
        Value::Null,
    )
    .await;
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
    assert_eq!(recorder.seen(), given("AuthFunction"));
}

/// A token of somebody's for an application that they have connected, past the functions.
async fn application_token(service: &Service, id: UserId) -> String {
    let tokens = service.environment.tokens().unwrap();
    let client_id = "an-application".to_owned();
    connect(service, id, &client_id).await;
    let credential = Credential {
        client: Some(GrantedClient {
            client_id,
            generation: 0,
        }),
        ..credential(&tokens, id)
    };
    tokens.sign_access(&credential).await.unwrap()
}

/// Lets a client act for somebody.
async fn connect(service: &Service, id: UserId, client_id: &str) {
    let number = |number: u64| AttributeValue::N(number.to_string());
    let grant = [
        ("user_id", number(id.get())),
        ("client_id", AttributeValue::S(client_id.to_owned())),
        ("token_generation", number(0)),
        ("connected_at", number(1)),
    ];
    put(service, "OAuthGrant", &grant).await;
}

/// Puts a row where it is, past the functions.
async fn put(service: &Service, table: &str, row: &[(&str, AttributeValue)]) {
    let row = row
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()));
    let request = service.client.put_item();
    let request = request.table_name(service.tables.of(table));
    request.set_item(Some(row.collect())).send().await.unwrap();
}

/// Links an account at a tracker, past the functions.
async fn link(service: &Service, id: UserId) {
    let link = [
        ("user_id", AttributeValue::N(id.get().to_string())),
        ("tracker", AttributeValue::S("tracker_b".to_owned())),
    ];
    put(service, "TrackerLink", &link).await;
}

/// Makes somebody known at as many addresses.
async fn places(service: &Service, id: UserId, count: u8) {
    let throttle = ThrottleStore::new(service.client.clone(), &service.tables);
    let attempts = Attempts::new(throttle, service.clock.clone());
    for number in 0..count {
        let address = Ipv4Addr::new(192, 0, 2, number);
        let address = CallerAddress(Some(address.into()));
        attempts.owner_at(id, address).await.unwrap();
    }
}

/// Somebody with a story, and a moderator.
async fn people(service: &Service, anime: &Anime) -> (Person, Person) {
    let person = service.person("taki").await;
    service.create_story(&person, anime, 0).await;
    (
        person,
        service.person_with_role("mod", Role::Moderator).await,
    )
}

#[tokio::test]
async fn user() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let (person, moderator) = people(&service, &anime).await;
    places(&service, person.id, 50).await;
    let other = service.person("other").await;
    service.create_story(&other, &anime, 0).await;
    link(&service, person.id).await;
    for (table, key) in [("OAuthGrant", "user_id"), ("OAuthClient", "created_at")] {
        let number = |number: u64| AttributeValue::N(number.to_string());
        let request = service
            .client
            .put_item()
            .table_name(service.tables.of(table));
        let request = request
            .item("client_id", AttributeValue::S("client".to_owned()))
            .item(key, number(person.id.get()))
            .item("user_id", number(person.id.get()));
        request.send().await.unwrap();
    }
    let (service, _fakes) = service.with_trackers().await;
    let (service, recorder) = observed(service);
    let router = ::user::router(::user::UserState::new(&service.environment).unwrap());
    ::user::warm(::user::UserState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = only(service, router);
    let own = Some(person.token.as_str());
    for path in ["/v1/user", "/v1/user/1", "/v1/user?email=taki@example.com"] {
        ask(&service, Method::GET, path, own, Value::Null).await;
    }
    let of_application = application_token(&service, person.id).await;
    let body = json!({"id": person.id, "gender": 2});
    let token = Some(of_application.as_str());
    ask(&service, Method::POST, "/v1/user", token, body).await;
    let path = "/v1/user?email=taki@example.com";
    ask(&service, Method::GET, path, token, Value::Null).await;
    let body = json!({
        "id": person.id, "gender": 1, "password": "new pass word", "current_password": PASSWORD
    });
    ask(&service, Method::POST, "/v1/user", own, body).await;
    let body = json!({
        "id": person.id, "gender": 1, "tracker_a_id": VIEWER.0, "tracker_a_token": TOKEN
    });
    ask(&service, Method::POST, "/v1/user", own, body).await;
    let body = json!({"id": other.id, "gender": 1});
    ask(
        &service,
        Method::POST,
        "/v1/user",
        Some(&moderator.token),
        body,
    )
    .await;
    for (by, whom) in [(&moderator, &other), (&person, &person)] {
        let path = format!("/v1/user/{}", whom.id.get());
        ask(
            &service,
            Method::DELETE,
            &path,
            Some(&by.token),
            Value::Null,
        )
        .await;
    }
    assert_eq!(recorder.seen(), given("UserFunction"));

    // What the sweep does for one whom it finds as the user function left them.
    let person = service.person("third").await;
    let number = |number: u64| AttributeValue::N(number.to_string());
    let (id, one) = (("user_id", number(person.id.get())), number(1));
    let client_id = AttributeValue::S("another-client".to_owned());
    connect(&service, person.id, "another-client").await;
    link(&service, person.id).await;
    let client = [
        ("client_id", client_id),
        id.clone(),
        ("created_at", one.clone()),
    ];
    put(&service, "OAuthClient", &client).await;
    let story = [
        ("anime_id", one.clone()),
        id.clone(),
        ("creation_order", one.clone()),
    ];
    put(&service, "UserStory", &story).await;
    let tombstone = [
        ("id", id.1),
        ("deleted_at", one),
        ("deletion_shard", number(0)),
    ];
    put(&service, "User", &tombstone).await;
    let random = service.environment.random.clone();
    service.clock.advance(Duration::from_mins(2));
    let (client, recorder) = recorded(&service.tables);
    let store = DeletionStore::new(client, &service.tables, random);
    let report = account_sweep::sweep(&store, &service.clock, u64::MAX)
        .await
        .unwrap();
    // Three users, and a client; the other one became a tombstone only now.
    assert_eq!((report.finished, report.unfinished), (4, 0));
    assert_eq!(recorder.seen(), given("AccountSweepFunction"));
}

#[tokio::test]
async fn tracker_sync() {
    let linked = Linked::with(2).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, 0, 1).await;
    linked.edit(TrackerName::A, 1, WatchStatus::Current, 1);
    let (client, recorder) = recorded(&linked.service.tables);
    let run = async || {
        let until = linked.service.clock.now_ms() + RUN_MS;
        let state = linked.state_over(client.clone());
        ::tracker_sync::run(&state, until).await.unwrap()
    };
    assert_eq!(run().await.trackers.map(|tracker| tracker.exported), [1, 2]);
    // Without a snapshot the catalogue is read out of its index.
    let table = linked.service.tables.of("CatalogSnapshot");
    for part in [0, 1000] {
        let request = linked.service.client.delete_item().table_name(&table);
        let request = request.key("kind", AttributeValue::S("anime".to_owned()));
        let request = request.key("part", AttributeValue::N(part.to_string()));
        request.send().await.unwrap();
    }
    // One remembers what another has, and a token is refused.
    linked.service.clock.advance(Duration::from_hours(25));
    linked.edit(TrackerName::A, 0, WatchStatus::Paused, 1);
    linked.fakes[1].state().grants += 1;
    linked.fakes[1].state().rotations += 1;
    assert_eq!(run().await.trackers[1].reconnect, 1);
    assert_eq!(recorder.seen(), given("TrackerSyncFunction"));
}

#[tokio::test]
async fn catalog_refresh() {
    let bench = Refreshed::empty().await;
    let (client, recorder) = recorded(&bench.service.tables);
    let mut environment = bench.service.environment.clone();
    environment.client = client;
    let song = json!({"type": "OP", "song": {"title": "Uta", "artists": []},
        "updated_at": "2023-11-14T21:13:20Z", "id": 1});
    let resources = json!([{"external_id": 1, "site": "AniList"}]);
    bench.themes.state().themes = vec![json!({"id": 1, "year": 2020, "season": "Fall",
        "resources": resources, "animethemes": [song]})];
    // The second run takes away what the first one published.
    for title in ["One", "Another"] {
        let changes =
            json!({"title": {"romaji": title}, "updatedAt": CHANGED_S + title.len() as u64});
        bench.set(vec![media(1, &changes)]);
        let until = environment.clock.now_ms() + 60_000;
        let (sources, scope) = (bench.both(), Scope::Changed);
        let report = refresh(&environment, sources, scope, until, &Unwatched).await;
        let report = report.unwrap();
        assert!(report.ended().is_none(), "{report:?}");
        assert_eq!(report.anime.added + report.anime.changed, 1);
    }
    assert_eq!(bench.song_rows().await.len(), 1);
    assert_eq!(recorder.seen(), given("CatalogRefreshFunction"));
}

#[tokio::test]
async fn oauth() {
    let service = Service::empty().await;
    let person = service.person("taki").await;
    let application = service.web_application(&person).await;
    let session = Browser::of(&service, &person).await.cookies;
    let (service, recorder) = observed(service);
    let router = ::oauth::router(::oauth::OAuthState::new(&service.environment).unwrap());
    ::oauth::warm(::oauth::OAuthState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = only(service, router);
    // A session that is used again days later is prolonged.
    service.clock.advance(Duration::from_hours(48));
    let mut browser = Browser::new(&service);
    browser.cookies = session;
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
    assert_eq!(recorder.seen(), given("OAuthFunction"));
}

/// Somebody at the pages, a second after the other.
struct Reader<'s> {
    service: &'s Service,
    fakes: &'s Fakes,
    browser: Browser<'s>,
}

impl Reader<'_> {
    /// Opens a page, and sends one of its forms.
    async fn fill(&mut self, page: &str, to: &str, fields: &[(&str, &str)]) -> String {
        self.service.clock.advance(Duration::from_secs(1));
        let page = self.browser.get(page).await;
        let answer = self.browser.submit(&page, to, fields).await;
        let status = answer.status.as_u16();
        assert!([200, 303].contains(&status), "{to}: {}", answer.text());
        answer.text()
    }

    /// Sends the form of a page to the page itself.
    async fn send(&mut self, page: &str, fields: &[(&str, &str)]) -> String {
        self.fill(page, page, fields).await
    }

    /// Everything about the account but its end.
    async fn use_account(&mut self) {
        let mail = "taki@example.com";
        let person = [
            ("username", "taki"),
            ("email", mail),
            ("password", PASSWORD),
        ];
        self.send("/sign-up", &person).await;
        places(self.service, UserId::new(1).unwrap(), 99).await;
        self.fill("/profile", "/sign-out", &[]).await;
        let sign_in = [("who", "taki"), ("password", PASSWORD)];
        self.send("/sign-in", &sign_in).await;
        let link = self.service.mailed_token(mail).unwrap();
        let page = format!("/verify-email?token={link}");
        self.fill(&page, "/verify-email", &[("token", &link)]).await;
        let settings = [("gender", "1"), ("localization", "jp")];
        self.fill("/profile", "/profile/settings", &settings).await;
        self.use_trackers().await;
        self.send("/forgot-password", &[("email", mail)]).await;
        let link = self.service.mailed_token(mail).unwrap();
        let page = format!("/reset-password?token={link}");
        let reset = [("token", link.as_str()), ("password", "new pass word")];
        self.fill(&page, "/reset-password", &reset).await;
        let sign_in = [("who", "taki"), ("password", "new pass word")];
        self.send("/sign-in", &sign_in).await;
        // A session that is used again days later is prolonged.
        self.service.clock.advance(Duration::from_hours(48));
        self.fill("/profile", "/profile/token", &[]).await;
        let everywhere = "/profile/sign-out-everywhere";
        self.fill("/profile", everywhere, &[]).await;
        self.send("/sign-in", &sign_in).await;
    }

    /// Connects an account at each tracker, and disconnects the first: the other goes with the user.
    async fn use_trackers(&mut self) {
        for tracker in TrackerName::ALL {
            let connect = format!("/profile/trackers/{}/connect", tracker.letter());
            let address = self.browser.get(&connect).await;
            let fake = self.fakes.of(tracker);
            let back = fake.allow(address.header("location"));
            let linked = self.browser.get(&back).await;
            assert!(linked.header("location").contains("?done=linked-"));
        }
        self.fill("/profile", "/profile/trackers/a/disconnect", &[])
            .await;
    }

    /// Everything about OAuth clients.
    async fn use_clients(&mut self) {
        let id = UserId::new(1).unwrap();
        let client = [
            ("name", "Radio"),
            ("kind", "confidential"),
            ("redirect_uris", "https://app.example/cb"),
        ];
        let made = self.send("/developer", &client).await;
        let (_, after) = made.split_once("/developer/").unwrap();
        let client_id: String = after
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let page = format!("/developer/{client_id}");
        self.send(&page, &client).await;
        self.fill(&page, &format!("{page}/secret"), &[]).await;
        connect(self.service, id, &client_id).await;
        let disconnect = [("client_id", client_id.as_str())];
        self.fill("/profile", "/profile/disconnect", &disconnect)
            .await;
        connect(self.service, id, &client_id).await;
        self.send(&format!("{page}/delete"), &[]).await;
        self.send("/developer", &client).await;
    }
}

#[tokio::test]
async fn site() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let (service, fakes) = service.with_trackers().await;
    let (service, recorder) = observed(service);
    let router = ::site::router(::site::SiteState::new(&service.environment).unwrap());
    ::site::warm(::site::SiteState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = only(service, router);
    assert_eq!(service.get("/").await.status, 200);
    let browser = Browser::new(&service);
    let mut reader = Reader {
        service: &service,
        fakes: &fakes,
        browser,
    };
    reader.use_account().await;
    reader.use_clients().await;
    let number = |number: u64| AttributeValue::N(number.to_string());
    let story = [
        ("user_id", number(1)),
        ("anime_id", number(anime.id.get())),
        ("creation_order", number(1)),
    ];
    put(&service, "UserStory", &story).await;
    let password = [("current_password", "new pass word")];
    reader.send("/profile/delete", &password).await;
    assert_eq!(recorder.seen(), given("SiteFunction"));
}

#[tokio::test]
async fn user_story() {
    let (service, [first, second]) = Service::with_two_anime().await;
    let (person, moderator) = people(&service, &first).await;
    let (service, recorder) = observed(service);
    let router = ::user_story::router(::user_story::StoryState::new(&service.environment).unwrap());
    ::user_story::warm(::user_story::StoryState::new(&service.environment).unwrap())
        .await
        .unwrap();
    let service = only(service, router);
    let token = Some(person.token.as_str());
    let path = "/v1/user_story";
    let body = json!({"user_id": person.id, "anime_id": second.id, "status": 2});
    ask(&service, Method::PUT, path, token, body).await;
    ask(
        &service,
        Method::POST,
        path,
        token,
        story_body(&person, &first, 0, 1),
    )
    .await;
    let of_application = application_token(&service, person.id).await;
    let update = story_body(&person, &first, 0, 2);
    let application = Some(of_application.as_str());
    ask(&service, Method::POST, path, application, update).await;
    ask(&service, Method::GET, path, application, Value::Null).await;
    ask(&service, Method::GET, path, token, Value::Null).await;
    let others = format!("{path}?user_id={}", person.id.get());
    ask(
        &service,
        Method::GET,
        &others,
        Some(&moderator.token),
        Value::Null,
    )
    .await;
    let update = story_body(&person, &first, 0, 3);
    let moderators = Some(moderator.token.as_str());
    ask(&service, Method::POST, path, moderators, update).await;
    let story = format!("{path}/{}", person.story(&first));
    ask(&service, Method::GET, &story, token, Value::Null).await;
    ask(&service, Method::DELETE, &story, token, Value::Null).await;
    assert_eq!(recorder.seen(), given("UserStoryFunction"));
}
