//! The file with everything that is stored about a user (docs/api.md, "Data about a user").

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::time::Duration;

use accounts::throttling::{AttemptStore, Attempts};
use accounts::users::OtherSessions;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use cli::data::schema::TABLES;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use shared::auth::{Action, CallerAddress};
use shared::models::{
    AnimeStatus, EmailAddress, Factors, Identity, Passkey, PlayerKind, SecondFactor, TrackerName,
};
use stories::players::{MatchedSeries, PlayerStore, SeriesAnswer, SeriesMatch, SeriesName};
use tests::assertions::{AssertFields, AssertText};
use tests::browser::{Application, PageClient, hidden};
use tests::crowd::{long_notes, numbered_stories};
use tests::event::{invoke, request};
use tests::linked::Linked;
use tests::people::{PASSWORD, Person, story_body};
use tests::players::Players;
use tests::service::{Answer, Service};
use tests::table::table;
use tests::trackers::{Fault, VIEWER};

const PATH: &str = "/v1/auth/me/data";

/// The places of all attributes of each table in which users have rows. An attribute that is missing in this list
/// fails a test.
/// Each line has a table, a place and attributes. A path is a place in the file: `*` stands for any element of a list,
/// and `NAME` for the attribute. The place `secret` stands for secrets, and for their digests and identifiers, which
/// are not in the file. A place in parentheses is the reason why the attribute is not in the file:
/// - `(no meaning)`: it orders rows or counts changes, and says nothing about the user
/// - `(authorization)`: an authorization in progress, which no key finds by user; the row expires after 10
///   minutes, or 30 days once a token was issued, whose application is in `connected_applications`
/// - `(attempts)`: protects the account from guesses; networks are digests
/// - `(provider)`: names the session at the identity provider, which has the user's data there; expires with the
///   session
/// - `(invitation)`: an invitation does not name its user, and is deleted when it is used
/// - `(mark)`: for undoing imports; the watching time is in the file
/// - `(schedule)`: when the next synchronization is due
/// - `(tombstone)`: only the row of a deleted user or application has it
/// - `(derived)`: computed from the stories
/// - `(copy)`: the same as another attribute
const PLACES: &str = "
    User | /account/NAME | id username email email_verified role avatar gender localization public_profile
    User | /account/NAME | indexable_profile time_zone title_language score_scale created_at has_tracker_a
    User | /account/NAME | has_tracker_b favorites
    User | (no meaning) | list_shard token_generation last_change_number story_digest digest_number
    User | (no meaning) | deletion_digest deletions_since recent_changes
    User | (copy) | username_folded picture
    User | /account/email_changes | email_version
    User | secret | password_hash kept_token calendar_feed
    User | /account/password_changes | password_version
    User | /account/passkeys/*/name | factors
    User | /trackers/*/account | tracker_a_account tracker_b_account
    User | (schedule) | sync_shard sync_due_at sync_lease sync_lease_until sync_runs
    User | (the number of own_applications) | client_count
    User | (the time of the latest question of unmatched_series) | asked_at
    User | (tombstone) | deletion_shard deleted_at
    Unique | (copy) | value
    Unique | /account/id | user_id
    Unique | (no meaning) | last_id
    Unique | /account/picture/data | picture
    Unique | /account/picture/NAME | media_type
    UserStory | /stories/*/NAME | user_id anime_id status current_episode current_episode_ticks
    UserStory | /stories/*/details/NAME | watched_episodes score started_on finished_on repeats notes private
    UserStory | /stories/*/history/*/changed_at | history
    UserStory | (no meaning) | version change_number deleted_by
    UserStory | (copy) | listed
    UserStory | /stories/*/details/updated_at | changed_at
    UserStory | /stories/*/details/created_at | creation_order
    UserStory | (mark) | has_later_ticks
    UserStory | /deleted_stories/*/NAME | deleted_at expires_at
    UserStory | /deleted_stories/*/story/status | deleted_row
    UserStory | /stories/*/sync/tracker_a/account | tracker_a
    UserStory | /stories/*/sync/tracker_b/account | tracker_b
    WaitingList | /account/id | user_id
    WaitingList | (no meaning) | version
    WaitingList | (derived) | expires_at entry_count
    WaitingList | /waiting_entries/*/mal_id | contents
    Player | /account/id | user_id
    Player | (no meaning) | entry report_count number player
    Player | /players/*/NAME | name kind server_user finished_percent makes_private starts_again plays
    Player | /players/*/NAME | takes_back takes_ratings only_listed created_at
    Player | secret | secret
    Player | /players/*/libraries/* | libraries
    Player | /players/*/seen_users/* | seen_users
    Player | /players/*/reports/*/NAME | at outcome user_name message anime_id anime_episode
    Player | /series_choices/*/NAME | title
    Player | /unmatched_series/*/NAME | season episode is_question expires_at
    Player | /series_choices/*/parts/*/anime_id | parts
    Player | /unmatched_series/*/guesses/*/anime_id | guesses
    Player | /unmatched_series/*/watched/* | watched
    Player | /matched_series/*/matches/*/anime_id | matches
    Player | /matched_series/*/NAME | rejected
    UserStatistics | (derived) | user_id computed_at change_number catalogue_version story_count contents
    TrackerLink | /account/id | user_id
    TrackerLink | /trackers/*/NAME | tracker account name is_refused linked_at failures not_before
    TrackerLink | (no meaning) | link_id
    TrackerLink | secret | tokens
    TrackerLink | /trackers/*/last_sync/succeeded_at | report
    OAuthClient | /own_applications/*/NAME | client_id created_at name implicit kind
    OAuthClient | /account/id | user_id
    OAuthClient | /own_applications/*/redirect_uris/* | redirect_uris
    OAuthClient | secret | secret_hash
    OAuthClient | (tombstone) | deletion_shard deleted_at
    OAuthGrant | /account/id | user_id
    OAuthGrant | /connected_applications/*/NAME | client_id connected_at
    OAuthGrant | (no meaning) | token_generation
    OAuthGrant | /connected_applications/*/scope | scopes
    OAuthGrant | secret | revoked_tokens token_id
    OAuthGrant | /tokens/*/NAME | name scope created_at
    OAuthGrant | /tokens/*/last_used_on | used_on
    AuthCode | secret | code_hash code_challenge session state token_id
    AuthCode | (authorization) | stage client_id redirect_uri scope expires_at implicit fragment
    AuthCode | /account/id | user_id
    AuthCode | (no meaning) | user_generation client_generation
    Session | secret | id_hash
    Session | /account/id | user_id
    Session | (no meaning) | generation
    Session | /sessions/*/NAME | begun_at expires_at proved_at browser network
    Session | /sessions/*/last_used_at | used_at
    Session | (provider) | provider_session id_token
    Throttle | (attempts) | key attempts expires_at
    Throttle | secret | things
    Throttle | (invitation) | digest made_at
";

/// Returns the attributes of each table and their places.
fn places() -> BTreeMap<&'static str, Vec<(&'static str, &'static str)>> {
    let mut places = BTreeMap::<_, Vec<_>>::new();
    for [table, place, names] in table(PLACES) {
        let names = names.split(' ').map(|name| (name, place));
        places.entry(table).or_default().extend(names);
    }
    places
}

/// The tables in which users have no rows.
const NOT_ABOUT_USERS: [&str; 3] = ["Anime", "CatalogSnapshot", "Song"];

/// A user with something in every table.
struct Everything {
    linked: Linked,
    person: Person,
    connected: Application,
    disconnected: Application,
    own: Application,
    /// Secrets of the user and of others, with their descriptions.
    secrets: Vec<(&'static str, String)>,
}

impl Everything {
    async fn new() -> Self {
        Box::pin(Self::build()).await
    }

    async fn build() -> Self {
        let linked = Linked::with_anime(4).await;
        let person = linked.person("mitsuha", &TrackerName::ALL).await;
        let service = &linked.service;
        let developer = service.person("taki").await;
        let mut browser = PageClient::signed_in(service, &person).await;
        // Once both have ended, the next token takes the place of the first.
        browser.create_token("older program", "read").await;
        let ended = browser.create_token("old program", "read write").await;
        change_account(service, &person).await;
        add_factors(service, &person).await;
        let mut browser = PageClient::signed_in(service, &person).await;
        let session = browser.cookies["__Host-session"].clone();
        service.clock.advance(Duration::from_secs(1));
        let page = browser.get("/profile").await;
        let password = [("password", NEW_PASSWORD)];
        let proved = browser.submit(&page, "/prove", &password).await;
        proved.assert_status(303);
        let token = browser.create_token("media player", "read").await;
        let used = service.get_as(&token, "/v1/auth/me").await;
        assert_eq!(used.status, 200);
        let page = browser.get("/profile").await;
        for (form, settings) in [
            (
                "/profile/settings",
                &[("gender", "2"), ("localization", "jp")][..],
            ),
            ("/profile/privacy", &[("visibility", "indexable")]),
            (
                "/settings",
                &[
                    ("titles", "romaji"),
                    ("scores", "stars"),
                    ("time_zone", "UTC"),
                ],
            ),
            ("/list/favorite", &[("entry", "2:"), ("favorite", "yes")]),
        ] {
            let saved = browser.submit(&page, form, settings).await;
            assert_eq!(saved.status, 303);
        }
        let csrf = hidden(&page, "csrf").unwrap();
        let fields = [("csrf", csrf.as_str())];
        let picture = browser.upload("/profile/picture", &fields, "a.gif", PICTURE);
        assert_eq!(picture.await.status, 303);
        let feed = browser.submit(&page, "/calendar/feed", &[]).await;
        assert_eq!(feed.status, 303);
        let own = service.web_application(&person).await;
        let connected = service.web_application(&developer).await;
        let disconnected = service.web_application(&developer).await;
        service.application_token(&person, &disconnected).await;
        let fields = [("client_id", disconnected.client_id.as_str())];
        let page = browser.get("/profile").await;
        let left = browser
            .submit(&page, "/profile/connections/disconnect", &fields)
            .await;
        assert_eq!(left.status, 303);
        let of_application = use_application(service, &person, &connected).await;
        // The user has not decided on this consent page yet.
        let open = connected.request(&[
            ("state", "secret-state"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ]);
        assert_eq!(browser.get(&open).await.status, 200);
        add_stories(&linked, &person, &of_application).await;
        let address = Box::pin(add_player(&linked, &person)).await;
        add_attempts(service, &person).await;
        let mut secrets = vec![
            ("password", NEW_PASSWORD.to_owned()),
            ("token of the sign-in", person.token.clone()),
            ("ended token", ended),
            ("profile token", token),
            ("token of an application", of_application),
            ("session", session),
            ("secret of the own application", own.secret.clone().unwrap()),
            ("secret of another", connected.secret.clone().unwrap()),
            ("address of a player", address),
            ("public key of the passkey", "the public key".to_owned()),
            ("identifier of the passkey", "id of the passkey".to_owned()),
            (
                "secret of the second factor",
                "the sealed secret".to_owned(),
            ),
            ("recovery code", "digest of a code".to_owned()),
        ];
        for tracker in TrackerName::ALL {
            let state = linked.both.of(tracker).state();
            secrets.push(("access token of a tracker", state.access()));
            secrets.push(("refresh token of a tracker", state.refresh()));
        }
        Self {
            linked,
            person,
            connected,
            disconnected,
            own,
            secrets,
        }
    }

    async fn file(&self) -> Value {
        let answer = download(&self.linked.service, &self.person.token).await;
        answer.assert_status(200);
        answer.json()
    }
}

/// A GIF file: one pixel.
const PICTURE: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";

const NEW_PASSWORD: &str = "itomori 4 october";

/// RFC 7636, appendix B.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async fn download(service: &Service, token: &str) -> Answer {
    service.get_as(token, PATH).await
}

/// Changes settings and the password. The new password ends all tokens but the one of the request.
async fn change_account(service: &Service, person: &Person) {
    let change = json!({
        "id": person.id, "gender": 2, "localization": "jp", "public_profile": true,
        "password": NEW_PASSWORD, "current_password": PASSWORD
    });
    let changed = service.post_as(&person.token, "/v1/user", &change).await;
    changed.assert_status(200);
}

/// Adds a passkey, an account at an identity provider and a second factor, and changes the e-mail address there and
/// back.
async fn add_factors(service: &Service, person: &Person) {
    let access = service.access(person, Action::ChangePassword).await;
    let users = service.users();
    for email in ["radio@example.com", "mitsuha@example.com"] {
        let account = users.account(person.id).await.unwrap().unwrap();
        let email = EmailAddress::new(email).unwrap();
        users.change_email(&access, &account, &email).await.unwrap();
    }
    let (none, factors) = (Factors::default(), factors(service.clock.now_ms()));
    let changed = users.change_factors(&access, &none, factors, OtherSessions::Keep);
    changed.await.unwrap();
}

fn factors(now: u64) -> Factors {
    let passkey = Passkey {
        id: "id of the passkey".to_owned(),
        name: "My phone".to_owned(),
        credential: "{\"cred\": \"the public key\"}".to_owned(),
        created_at: now,
        used_at: None,
    };
    Factors {
        version: 0,
        passkeys: vec![passkey],
        identity: Some(Identity {
            issuer: "https://id.example".to_owned(),
            subject: "248289761001".to_owned(),
            connected_at: now,
        }),
        second_factor: Some(SecondFactor {
            secret: "the sealed secret".to_owned(),
            last_step: 1,
            recovery_codes: vec!["digest of a code".to_owned()],
            created_at: now,
        }),
    }
}

/// Connects an application twice and revokes its first token. Returns the second.
async fn use_application(service: &Service, person: &Person, application: &Application) -> String {
    let first = service.application_token(person, application).await;
    let mut form = application.exchange("");
    form.push(("token", &first));
    assert_eq!(service.form("/v1/oauth/revoke", &form).await.status, 200);
    let scope = [("scope", "read write")];
    service
        .application_token_with(person, application, &scope)
        .await
}

/// Adds a story with details that an application has changed, a private one, and one that is deleted again.
/// Synchronizes them with both trackers. The next synchronization with the second one fails.
async fn add_stories(linked: &Linked, person: &Person, of_application: &str) {
    let service = &linked.service;
    linked.watch(person, 0, 0, 3).await;
    let details = json!({
        "score": 87.5, "started_on": "2016-08-26", "finished_on": "2016-09", "repeats": 2, "notes": "A comet."
    });
    service.clock.advance(Duration::from_secs(1));
    linked.set_details(person, 0, &details).await;
    service.clock.advance(Duration::from_secs(1));
    let body = story_body(person, &linked.anime[0], 0, 4);
    let sent = service.post_as(of_application, "/v1/user_story", &body);
    assert_eq!(sent.await.status, 200);
    let list = json!({
        "format": "kiroku", "version": 1, "stories": [{"mal_id": 999_999, "status": "CURRENT"}]
    });
    let imported = service.post_as(&person.token, "/v1/user_story/import", &list);
    assert_eq!(imported.await.data()["counts"]["waiting"], 1);
    linked.watch(person, 1, 1, 0).await;
    service.clock.advance(Duration::from_secs(1));
    let private = json!({"private": true});
    linked.set_details(person, 1, &private).await;
    let beyond = json!({"format": "kiroku", "version": 1, "stories": [
        {"anime_id": linked.anime[1].id, "status": "PLANNING", "current_episode": 14}
    ]});
    let imported = service.post_as(&person.token, "/v1/user_story/import", &beyond);
    assert_eq!(imported.await.data()["counts"]["changed"], 1);
    linked.watch(person, 2, 0, 1).await;
    let mut browser = PageClient::signed_in(service, person).await;
    let page = browser.get("/list").await;
    let state = linked.story_state(person, 2).await.unwrap();
    let key = format!("{}:{}", linked.anime[2].id.get(), state.tag());
    let fields = [("entry", &*key), ("delete", "yes"), ("confirmed", "yes")];
    let deleted = browser.submit(&page, "/list/selection", &fields).await;
    deleted.assert_status(303);
    linked.run().await;
    linked.fakes[1].fail(Fault::answer(500, ""));
    linked.run_later().await;
}

/// Adds a player with reports, a choice and an unmatched series. Returns the secret of its address.
async fn add_player(linked: &Linked, person: &Person) -> String {
    let players = Players {
        service: linked.service.another(linked.service.clock.clone()),
        person: person.clone(),
    };
    let path = players.add(PlayerKind::Jellyfin, "living room").await;
    // All of the anime's 12 episodes are released, so the message may be about another anime.
    let mut finished = linked.anime.iter();
    let finished = finished.find(|anime| anime.status == AnimeStatus::Finished);
    let title = finished.unwrap().titles.values().next().unwrap();
    let waiting = json!({
        "tautulli": "watched", "user": "mitsuha", "media_type": "episode", "show_name": "Faro", "season": "1",
        "episode": "2",
    });
    for message in [
        json!({"anime_id": linked.anime[0].id, "episode": 1}),
        waiting,
        json!({"title": title, "season": 1, "episode": 13}),
    ] {
        players.send(&path, message).await;
    }
    players
        .set(|settings| {
            settings.server_user = Some("mitsuha".to_owned());
            settings.libraries = vec!["Anime".to_owned()];
        })
        .await;
    let series = SeriesName::read("Faro", "1").unwrap();
    let answer = SeriesAnswer::Anime {
        in_season: 1,
        anime_id: linked.anime[3].id,
        episode: 1,
    };
    let access = players.service.access(person, Action::ManageTokens).await;
    let answered = players.receiver().answer(&access, &series, answer).await;
    answered.unwrap();
    let mut matched = MatchedSeries::new(person.id, series);
    matched.matches.push(SeriesMatch {
        anime_id: linked.anime[3].id,
        offset: 0,
        since: 1_700_000_000,
    });
    matched.rejected.push(linked.anime[2].id);
    matched.expires_at = 1_800_000_000;
    let store = PlayerStore::new(&players.service.database());
    store.keep_match(&matched).await.unwrap();
    path.rsplit('/').next().unwrap().to_owned()
}

/// Adds a failed sign-in, and a network from which the account was used.
async fn add_attempts(service: &Service, person: &Person) {
    let throttle = AttemptStore::new(&service.database());
    let attempts = Attempts::new(throttle, service.clock.clone());
    let address = CallerAddress("192.0.2.1".parse().ok());
    attempts.remember_address(person.id, address).await.unwrap();
    let wrong = json!({"username": "mitsuha", "password": "not the password"});
    let path = "/v1/auth/login";
    let refused = service.json(Method::POST, path, None, &wrong).await;
    assert_eq!(refused.status, 401);
}

/// Returns the values at a path, in which `*` stands for any element of a list. Null does not count.
fn values<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let Some(path) = path.strip_prefix('/') else {
        return if value.is_null() {
            Vec::new()
        } else {
            vec![value]
        };
    };
    let (name, rest) = match path.split_once('/') {
        Some((name, _)) => (name, &path[name.len()..]),
        None => (path, ""),
    };
    let next: Vec<&Value> = match name {
        "*" => value.as_array().into_iter().flatten().collect(),
        name => value.get(name).into_iter().collect(),
    };
    let found = next.into_iter().map(|next| values(next, rest));
    found.flatten().collect()
}

#[tokio::test]
async fn every_attribute_is_in_the_file_or_left_out_for_a_reason() {
    let everything = Everything::new().await;
    let service = &everything.linked.service;
    let file = everything.file().await;
    let mut tables = places();
    for table in TABLES {
        let Some(places) = tables.remove(table.name) else {
            assert!(NOT_ABOUT_USERS.contains(&table.name), "{}", table.name);
            continue;
        };
        let declared: BTreeSet<&str> = table.attributes.iter().map(|(name, _)| *name).collect();
        let listed: BTreeSet<&str> = places.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed.len(), places.len(), "{}", table.name);
        assert_eq!(listed, declared, "{}", table.name);
        let rows = service.rows(table.name).await;
        // A table without a place in the file was filled only by earlier versions.
        let is_unused = places.iter().all(|(_, place)| place.starts_with('('));
        assert!(is_unused || !rows.is_empty(), "{}", table.name);
        for (name, place) in places {
            let is_stored = rows.iter().any(|row| row.contains_key(name));
            let is_left = place.starts_with('(');
            assert!(
                is_left || is_stored,
                "the user has no {}.{name}",
                table.name
            );
            let path = Some(place.replace("NAME", name)).filter(|path| path.starts_with('/'));
            assert!(path.is_some() || is_left || place == "secret", "{place}");
            let found = path.map(|path| values(&file, &path));
            assert!(
                found.is_none_or(|found| !found.is_empty()),
                "{}.{name}",
                table.name
            );
        }
    }
    assert!(tables.is_empty(), "{:?}", tables.keys());
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn no_secret_is_in_the_file() {
    let everything = Everything::new().await;
    let service = &everything.linked.service;
    let answer = download(service, &everything.person.token).await;
    let file = answer.text();
    for (what, secret) in &everything.secrets {
        assert!(secret.len() >= 10 && !file.contains(secret), "{what}");
    }
    let mut found = 0;
    for (table, places) in places() {
        let secret = places.into_iter().filter(|(_, place)| *place == "secret");
        let secret: Vec<&str> = secret.map(|(name, _)| name).collect();
        for row in service.rows(table).await {
            for name in &secret {
                let texts = match row.get(*name) {
                    Some(AttributeValue::S(text)) => vec![text],
                    Some(AttributeValue::Ss(texts)) => texts.iter().collect(),
                    _ => Vec::new(),
                };
                for text in texts {
                    assert!(!file.contains(text), "{table}.{name}");
                    found += 1;
                }
            }
        }
    }
    assert!(found > 15, "{found}");
    assert!(!file.contains("taki@example.com"), "another user's address");
}

#[tokio::test]
async fn file_has_the_account() {
    let everything = Everything::new().await;
    let file = everything.file().await;
    let names: BTreeSet<&str> = file
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "account",
        "connected_applications",
        "deleted_stories",
        "exported_at",
        "format",
        "matched_series",
        "own_applications",
        "players",
        "series_choices",
        "sessions",
        "stories",
        "tokens",
        "trackers",
        "unmatched_series",
        "version",
        "waiting_entries",
    ];
    assert_eq!(names, BTreeSet::from(expected));
    assert_eq!(file["format"], "kiroku-user-data");
    assert_eq!(file["version"], 1);
    assert_eq!(file["exported_at"], "2023-11-15T23:13:28Z");
    let account = json!({
        "id": 1, "username": "mitsuha", "email": "mitsuha@example.com", "email_verified": false,
        "role": 0, "avatar": "", "gender": 2, "localization": "jp", "time_zone": "UTC",
        "has_tracker_a": true, "has_tracker_b": true, "public_profile": true, "indexable_profile": true,
        "title_language": "romaji", "score_scale": "stars", "favorites": [2], "created_at": "2023-11-14T22:13:20Z",
        "picture": {"media_type": "image/gif", "data": "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs="},
        "has_password": true, "password_changes": 1, "email_changes": 2,
        "passkeys": [
            {"name": "My phone", "created_at": "2023-11-14T22:13:20Z", "last_used_at": null}
        ],
        "identity": {
            "issuer": "https://id.example", "subject": "248289761001",
            "connected_at": "2023-11-14T22:13:20Z"
        },
        "second_factor": {"created_at": "2023-11-14T22:13:20Z", "recovery_codes": 1}
    });
    assert_eq!(file["account"], account);
}

#[tokio::test]
async fn file_has_the_sessions_and_what_is_connected() {
    let everything = Everything::new().await;
    let file = everything.file().await;
    let sessions = file["sessions"].as_array().unwrap();
    let before = json!({
        "begun_at": "2023-11-14T22:13:20Z", "expires_at": "2023-11-21T22:13:20Z",
        "last_used_at": "2023-11-14T22:13:20Z", "proved_at": null, "browser": "",
        "network": "unknown"
    });
    // Sessions of the same second come in any order.
    assert!(sessions.contains(&before), "{sessions:?}");
    let proved = sessions
        .iter()
        .filter(|session| session["proved_at"] == "2023-11-14T22:13:21Z");
    assert_eq!(proved.count(), 1, "{sessions:?}");
    let tokens = json!([
        {"name": "media player", "scope": "read", "created_at": "2023-11-14T22:13:21Z",
         "expires_at": "2023-12-14T22:13:21Z", "last_used_on": "2023-11-14", "is_valid": true},
        {"name": "old program", "scope": "read write", "created_at": "2023-11-14T22:13:20Z",
         "expires_at": "2023-12-14T22:13:20Z", "last_used_on": null, "is_valid": false},
    ]);
    assert_eq!(file["tokens"], tokens);
    let connections = file["connected_applications"].as_array().unwrap();
    assert_eq!(connections.len(), 2);
    for (application, scope, connected_at) in [
        (
            &everything.connected,
            json!("read write"),
            json!("2023-11-14T22:13:21Z"),
        ),
        (&everything.disconnected, Value::Null, Value::Null),
    ] {
        let expected = json!({
            "client_id": application.client_id, "name": "Radio Itomori", "scope": scope,
            "connected_at": connected_at
        });
        assert!(connections.contains(&expected), "{connections:?}");
    }
    let own = json!([{
        "client_id": everything.own.client_id, "name": "Radio Itomori", "kind": "confidential",
        "redirect_uris": ["https://app.example/callback"], "implicit": false,
        "created_at": "2023-11-14T22:13:21Z"
    }]);
    assert_eq!(file["own_applications"], own);
    let [first, second] = &file["trackers"].as_array().unwrap()[..] else {
        panic!("{}", file["trackers"])
    };
    for (tracker, name) in [(first, "tracker_a"), (second, "tracker_b")] {
        tracker.assert_fields(json!({
            "tracker": name, "account": VIEWER.0, "name": VIEWER.1,
            "linked_at": "2023-11-14T22:13:20Z", "is_refused": false
        }));
        assert_eq!(tracker["last_sync"]["at"], "2023-11-15T23:13:28Z");
    }
    assert_eq!(first["failures"], 0);
    assert_eq!(second["failures"], 1);
    assert_eq!(first["not_before"], Value::Null);
    assert!(second["not_before"].is_string());
    assert_eq!(first["last_sync"]["trouble"], Value::Null);
    assert!(second["last_sync"]["trouble"].is_string());
    let succeeded_at = &second["last_sync"]["succeeded_at"];
    assert!(succeeded_at.as_str().unwrap().starts_with("2023-11-14T"));
}

/// The stories are the same as in the API.
#[tokio::test]
async fn file_has_the_stories_with_their_histories() {
    let everything = Everything::new().await;
    let (service, person) = (&everything.linked.service, &everything.person);
    let file = everything.file().await;
    let path = "/v1/user_story?include=details,anime";
    let shown = service.get_as(&person.token, path).await;
    let mut shown = shown.data().as_array().unwrap().clone();
    shown.sort_by_key(|story| story["anime_id"].as_u64());
    let stories = file["stories"].as_array().unwrap();
    assert_eq!(stories.len(), 2);
    for (story, shown) in stories.iter().zip(&shown) {
        for name in [
            "id",
            "user_id",
            "anime_id",
            "status",
            "current_episode",
            "current_episode_ticks",
            "details",
        ] {
            assert_eq!(story[name], shown[name], "{name}");
        }
        let anime = &shown["anime"];
        let expected = json!({
            "title": anime["titles"]["rj"], "tracker_a_id": anime["tracker_a_id"],
            "tracker_b_id": anime["tracker_b_id"]
        });
        assert_eq!(story["anime"], expected);
        let path = format!("/v1/user_story/{}/history", story["id"]);
        let history = service.get_as(&person.token, &path).await;
        assert_eq!(story["history"], history.data());
    }
    let [story, private] = &stories[..] else {
        panic!("{stories:?}")
    };
    assert_eq!(story["details"]["notes"], "A comet.");
    assert_eq!(story["history"][0]["by"], "application");
    assert_eq!(story["history"][0]["application"], "Radio Itomori");
    assert_eq!(story["history"].as_array().unwrap().len(), 3);
    let synced = json!({"account": VIEWER.0, "synced": true});
    assert_eq!(
        story["sync"],
        json!({"tracker_a": synced, "tracker_b": synced})
    );
    assert_eq!(private["details"]["private"], true);
    let mut deleted = file["deleted_stories"].clone();
    let deleted_story = deleted[0].as_object_mut().unwrap().remove("story").unwrap();
    assert_eq!(deleted_story["current_episode"], 1);
    assert_eq!(deleted_story["history"].as_array().unwrap().len(), 1);
    let expected = json!([{
        "anime_id": everything.linked.anime[2].id, "deleted_at": "2023-11-14T22:13:24Z",
        "expires_at": "2024-02-13T22:13:24Z"
    }]);
    assert_eq!(deleted, expected);
}

#[tokio::test]
async fn user_without_anything_has_an_account() {
    let (service, person) = Service::with_person("taki").await;
    let answer = download(&service, &person.token).await;
    let file = answer.json();
    assert_eq!(file["account"]["username"], "taki");
    for name in [
        "sessions",
        "tokens",
        "connected_applications",
        "own_applications",
        "trackers",
        "stories",
        "deleted_stories",
    ] {
        assert_eq!(file[name], json!([]), "{name}");
    }
}

/// If an application was deleted, or an anime has left the catalogue, the file has the other data.
#[tokio::test]
async fn file_survives_deleted_applications_and_anime() {
    let everything = Everything::new().await;
    let service = &everything.linked.service;
    let client = json!({"client_id": everything.connected.client_id});
    service.delete_row("OAuthClient", client).await;
    let anime = json!({"id": everything.linked.anime[0].id});
    service.delete_row("Anime", anime).await;
    service.publish().await;
    service.let_index_age();
    let file = everything.file().await;
    let connections = file["connected_applications"].as_array().unwrap().iter();
    let nameless: Vec<&Value> = connections.filter(|one| one["name"].is_null()).collect();
    assert_eq!(nameless.len(), 1);
    assert_eq!(nameless[0]["client_id"], everything.connected.client_id);
    let story = &file["stories"][0];
    assert_eq!(story["anime"], Value::Null);
    assert_eq!(story["details"]["notes"], "A comet.");
    let change = &story["history"][0];
    assert_eq!(change["client_id"], everything.connected.client_id);
    assert_eq!(change["application"], Value::Null);
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}

#[tokio::test]
async fn file_is_an_attachment_in_gzip_if_accepted() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let router = service.router_of("user_story");
    let expected = download(&service, &person.token).await;
    let bearer = format!("Bearer {}", person.token);
    for encoding in ["identity", "gzip"] {
        let headers = [
            ("authorization", bearer.as_str()),
            ("accept-encoding", encoding),
        ];
        let answer = service.get_with(PATH, &headers).await;
        assert_eq!(answer.header("content-type"), "application/json");
        let name = "attachment; filename=\"kiroku-taki-data-2023-11-14.json\"";
        assert_eq!(answer.header("content-disposition"), name);
        assert_eq!(answer.header("cache-control"), "private, no-store");
        if encoding == "gzip" {
            assert_eq!(answer.header("content-encoding"), "gzip");
            assert_eq!(unpacked(&answer.body), expected.body);
        } else {
            assert_eq!(answer.body, expected.body);
        }
        let mut event = request("GET", PATH, "");
        event["headers"]["authorization"] = bearer.clone().into();
        event["headers"]["accept-encoding"] = encoding.into();
        let of_function = invoke(&router, &event).await;
        assert_eq!(of_function.body, expected.body, "{encoding}");
    }
}

/// `kiroku user data` and the profile page write the same file.
#[tokio::test]
async fn page_and_command_have_the_file_of_the_api() {
    let everything = Everything::new().await;
    let service = &everything.linked.service;
    let mut browser = PageClient::signed_in(service, &everything.person).await;
    let expected = everything.file().await;
    let page = browser.get("/profile/data").await.text();
    page.assert_has("href=\"/profile/data/download\"");
    let answer = browser.get("/profile/data/download").await;
    assert_eq!(answer.json(), expected);
    let name = "attachment; filename=\"kiroku-mitsuha-data-2023-11-15.json\"";
    assert_eq!(answer.header("content-disposition"), name);
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let folder = tempfile::tempdir().unwrap();
    let database = &service.database();
    for name in ["data.json", "data.json.gz"] {
        let path = folder.path().join(name);
        let written = cli::user::export_data(database, "Mitsuha", &path).await;
        written.unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.starts_with(&[0x1f, 0x8b]), name == "data.json.gz");
        if name == "data.json.gz" {
            bytes = unpacked(&bytes);
        }
        let mut file: Value = serde_json::from_slice(&bytes).unwrap();
        // The command has its own clock, by which the tokens and the waiting entries have expired.
        file["exported_at"] = expected["exported_at"].clone();
        file["tokens"] = expected["tokens"].clone();
        file["waiting_entries"] = expected["waiting_entries"].clone();
        assert_eq!(file, expected);
    }
    let path = folder.path().join("none.json");
    let unknown = cli::user::export_data(database, "okudera", &path).await;
    assert_eq!(unknown.unwrap_err().to_string(), "there is no user okudera");
    assert!(!path.exists());
}

#[tokio::test]
async fn visitors_without_a_session_sign_in_first() {
    let service = Service::empty().await;
    let answer = PageClient::new(&service)
        .get("/profile/data/download")
        .await;
    assert_eq!(answer.status, 303);
    let address = answer.header("location");
    assert!(
        address.ends_with("/sign-in?next=/profile/data"),
        "{address}"
    );
}

#[tokio::test]
async fn deleted_user_has_no_file() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let path = format!("/v1/user/{}", person.id.get());
    let deleted = service.delete_as(&person.token, &path);
    assert_eq!(deleted.await.status, 200);
    assert_eq!(download(&service, &person.token).await.status, 401);
    assert_eq!(browser.get("/profile/data/download").await.status, 303);
    let file = tempfile::NamedTempFile::new().unwrap();
    let database = &service.database();
    let gone = cli::user::export_data(database, "taki", file.path()).await;
    assert_eq!(gone.unwrap_err().to_string(), "there is no user taki");
}

/// The stories are read in several calls and written at the same time. Reading ends once the file is too large.
#[tokio::test]
async fn stories_are_written_while_they_are_read() {
    let service = Service::with_catalogue(&[], &[]).await;
    let (service, meter) = service.metered();
    let person = service.person("taki").await;
    let notes = |anime| Some(long_notes(anime));
    numbered_stories(&service, &person, 1..=600, 2, notes).await;
    let bearer = format!("Bearer {}", person.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("accept-encoding", "gzip"),
    ];
    let answer = service.get_with(PATH, &headers).await;
    assert_eq!(answer.status, 200);
    let file: Value = serde_json::from_slice(&unpacked(&answer.body)).unwrap();
    let stories = file["stories"].as_array().unwrap();
    assert_eq!(stories.len(), 600);
    for (story, anime) in stories.iter().zip(1..) {
        assert_eq!(story["anime_id"], anime);
        assert_eq!(story["details"]["notes"], long_notes(anime));
    }
    numbered_stories(&service, &person, 601..=2000, 2, notes).await;
    let _ = meter.take();
    let refused = download(&service, &person.token).await;
    assert_eq!(refused.status, 400);
    let consumed = meter.take();
    let all = 2000.0 * 6.0 / 4.0;
    assert!(consumed.units < all / 2.0, "{consumed:?}");
}

#[tokio::test]
async fn stories_that_do_not_fit_can_be_left_out() {
    let service = Service::with_catalogue(&[], &[]).await;
    let person = service.person("taki").await;
    numbered_stories(&service, &person, 1..=1400, 2, |anime| {
        Some(long_notes(anime))
    })
    .await;
    let bearer = format!("Bearer {}", person.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("accept-encoding", "gzip"),
    ];
    let refused = service.get_with(PATH, &headers).await;
    assert_eq!(refused.status, 400);
    let refused: Value = serde_json::from_slice(&unpacked(&refused.body)).unwrap();
    let reason = refused["data"]["stories"].as_str().unwrap();
    reason.assert_has("must be false");
    let plain = download(&service, &person.token).await;
    assert_eq!(plain.status, 400);
    assert!(plain.data()["Accept-Encoding"].is_string());
    let path = format!("{PATH}?stories=false");
    let answer = service.get_as(&person.token, &path).await;
    assert_eq!(answer.json()["stories"], json!([]));
    assert_eq!(answer.json()["account"]["username"], "taki");
    let path = format!("{PATH}?stories=maybe");
    let answer = service.get_as(&person.token, &path).await;
    assert_eq!(answer.status, 400);
    assert!(answer.data()["stories"].is_string());
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/data/download").await;
    assert_eq!(page.status, 400);
    assert!(page.text().contains("<title>"));
}
