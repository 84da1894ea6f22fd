//! Who may do what: every cell of the table, by what the endpoints answer.

use std::time::Duration;

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::auth::{Action, KeyRing, KeySource, Purpose};
use shared::models::{Anime, Role};
use shared::random::Random;
use tests::people::{PASSWORD, Person, story_body};
use tests::service::Service;
use tests::trackers::{TOKEN, VIEWER};

/// What is asked for. Where it is about somebody, it is about `owner`.
const ENDPOINTS: [&str; 28] = [
    "GET /v1/anime",
    "GET /v1/user",
    "GET /v1/user/{id}",
    "GET /v1/user?email=",
    "GET /v1/auth/me",
    "POST /v1/auth/email_verification",
    "POST /v1/auth/logout_everywhere",
    "GET /v1/user_story?user_id=",
    "GET /v1/user_story/{id}",
    "PUT /v1/user_story",
    "POST /v1/user_story",
    "DELETE /v1/user_story/{id}",
    "POST /v1/user",
    "POST /v1/user password",
    "POST /v1/user tracker_a_id",
    "DELETE /v1/user/{id}",
    // About somebody whose role is higher.
    "POST /v1/user of an administrator",
    "DELETE /v1/user/{id} of an administrator",
    "GET /v1/user_story?user_id= of an administrator",
    "GET /v1/user_story/{id} of an administrator",
    "PUT /v1/user_story of an administrator",
    "POST /v1/user_story of an administrator",
    "DELETE /v1/user_story/{id} of an administrator",
    // About a moderator: other moderators have no say over them.
    "POST /v1/user of a moderator",
    "DELETE /v1/user/{id} of a moderator",
    "GET /v1/user_story/{id} of a moderator",
    "PUT /v1/user_story of a moderator",
    // To try a password is as much as to change it.
    "POST /v1/user current_password",
];

/// Who asks: with a token that is good.
const CALLERS: [&str; 7] = [
    "anonymous",
    "owner",
    "owner's application",
    "other user",
    "moderator",
    "moderator's application",
    "administrator",
];

/// What they are answered. What has no owner is about the caller alone, whoever that is.
const TABLE: [[u16; 7]; 28] = [
    // anonymous, owner, their application, other, moderator, their application, administrator
    [200, 200, 200, 200, 200, 200, 200], // GET /v1/anime
    [200, 200, 200, 200, 200, 200, 200], // GET /v1/user
    [200, 200, 200, 200, 200, 200, 200], // GET /v1/user/{id}
    [401, 200, 200, 200, 200, 200, 200], // GET /v1/user?email=
    [401, 200, 200, 200, 200, 200, 200], // GET /v1/auth/me
    [401, 200, 403, 200, 200, 403, 200], // POST /v1/auth/email_verification
    [401, 200, 403, 200, 200, 403, 200], // POST /v1/auth/logout_everywhere
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story?user_id=
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story/{id}
    [401, 200, 200, 403, 200, 403, 200], // PUT /v1/user_story
    [401, 200, 200, 403, 200, 403, 200], // POST /v1/user_story
    [401, 200, 200, 403, 200, 403, 200], // DELETE /v1/user_story/{id}
    [401, 200, 200, 403, 200, 403, 200], // POST /v1/user
    [401, 200, 403, 403, 403, 403, 403], // POST /v1/user password
    [401, 200, 403, 403, 403, 403, 403], // POST /v1/user tracker_a_id
    [401, 200, 403, 403, 200, 403, 200], // DELETE /v1/user/{id}
    [401, 403, 403, 403, 403, 403, 200], // POST /v1/user of an administrator
    [401, 403, 403, 403, 403, 403, 200], // DELETE /v1/user/{id} of an administrator
    [401, 403, 403, 403, 403, 403, 200], // GET /v1/user_story?user_id= of an administrator
    [401, 403, 403, 403, 403, 403, 200], // GET /v1/user_story/{id} of an administrator
    [401, 403, 403, 403, 403, 403, 200], // PUT /v1/user_story of an administrator
    [401, 403, 403, 403, 403, 403, 200], // POST /v1/user_story of an administrator
    [401, 403, 403, 403, 403, 403, 200], // DELETE /v1/user_story/{id} of an administrator
    [401, 403, 403, 403, 403, 403, 200], // POST /v1/user of a moderator
    [401, 403, 403, 403, 403, 403, 200], // DELETE /v1/user/{id} of a moderator
    [401, 403, 403, 403, 403, 403, 200], // GET /v1/user_story/{id} of a moderator
    [401, 403, 403, 403, 403, 403, 200], // PUT /v1/user_story of a moderator
    [401, 200, 403, 403, 403, 403, 403], // POST /v1/user current_password
];

/// Endpoints that nobody has to sign in for. They do not look at tokens.
const PUBLIC: usize = 3;

/// Two anime; `owner` has a story of the first.
struct Stage<'s> {
    service: &'s Service,
    anime: &'s [Anime; 2],
    owner: Person,
    chief: Person,
    moderator: Person,
    number: usize,
}

impl<'s> Stage<'s> {
    /// A stage on which nobody has done anything yet.
    async fn new(service: &'s Service, anime: &'s [Anime; 2], number: usize) -> Self {
        let owner = service.person(&format!("owner{number}")).await;
        let chief = format!("chief{number}");
        let chief = service.person_with_role(&chief, Role::Administrator).await;
        let moderator = format!("guard{number}");
        let moderator = service.person_with_role(&moderator, Role::Moderator).await;
        for person in [&owner, &chief, &moderator] {
            let created = service.create_story(person, &anime[0], 1).await;
            assert_eq!(created.status, 200);
        }
        Self {
            service,
            anime,
            owner,
            chief,
            moderator,
            number,
        }
    }

    async fn ask(&self, endpoint: &str, token: Option<&str>) -> u16 {
        let [first, second] = self.anime;
        let of_chief = endpoint.strip_suffix(" of an administrator");
        let of_moderator = endpoint.strip_suffix(" of a moderator");
        let (of, whose) = match (of_chief, of_moderator) {
            (Some(endpoint), _) => (endpoint, &self.chief),
            (_, Some(endpoint)) => (endpoint, &self.moderator),
            _ => (endpoint, &self.owner),
        };
        let (method, path) = of.split_once(' ').unwrap();
        let user = |more: Value| {
            let mut body = json!({"id": whose.id, "gender": 1});
            body.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            body
        };
        let (path, body) = match (method, path) {
            ("GET", "/v1/user?email=") => (format!("/v1/user?email={}", whose.email()), None),
            ("GET", "/v1/user_story?user_id=") => {
                (format!("/v1/user_story?user_id={}", whose.id.get()), None)
            }
            (_, "/v1/user_story/{id}") => (format!("/v1/user_story/{}", whose.story(first)), None),
            (_, "/v1/user/{id}") => (format!("/v1/user/{}", whose.id.get()), None),
            ("PUT", path) => {
                let body = json!({"user_id": whose.id, "anime_id": second.id, "status": 1});
                (path.to_owned(), Some(body))
            }
            ("POST", "/v1/user_story") => (path.to_owned(), Some(story_body(whose, first, 0, 2))),
            ("POST", "/v1/user") => (path.to_owned(), Some(user(json!({})))),
            ("POST", "/v1/user password") => (
                "/v1/user".to_owned(),
                Some(user(json!({"password": "new pass word"}))),
            ),
            ("POST", "/v1/user current_password") => {
                let password = json!({"current_password": PASSWORD});
                ("/v1/user".to_owned(), Some(user(password)))
            }
            ("POST", "/v1/user tracker_a_id") => {
                let tracker = json!({"tracker_a_id": VIEWER.0, "tracker_a_token": TOKEN});
                ("/v1/user".to_owned(), Some(user(tracker)))
            }
            (_, path) => (path.to_owned(), None),
        };
        let method = method.parse::<Method>().unwrap();
        let answer = match (body, token) {
            (Some(body), token) => self.service.json(method, &path, token, &body).await,
            (None, Some(token)) => self.service.with_token(method, &path, token).await,
            (None, None) => self.service.send(method, &path, &[]).await,
        };
        let status = answer.status.as_u16();
        let challenge = answer.header("www-authenticate");
        match (status, token) {
            (401, None) => assert_eq!(challenge, "Bearer", "{endpoint}"),
            (401, Some(_)) => assert_eq!(challenge, "Bearer error=\"invalid_token\"", "{endpoint}"),
            _ => assert_eq!(challenge, ""),
        }
        assert_eq!(answer.envelope()["status_code"], status);
        status
    }

    async fn token_of(&self, caller: &str) -> Option<String> {
        let service = self.service;
        let who = caller.strip_suffix("'s application").unwrap_or(caller);
        let name = format!("caller{}", self.number);
        let person = match who {
            "anonymous" => return None,
            "owner" => self.owner.clone(),
            "other user" => service.person(&name).await,
            "moderator" => service.person_with_role(&name, Role::Moderator).await,
            _ => service.person_with_role(&name, Role::Administrator).await,
        };
        if who == caller {
            return Some(person.token);
        }
        let application = service.web_application(&person).await;
        Some(service.application_token(&person, &application).await)
    }
}

#[tokio::test]
async fn every_cell() {
    let (service, anime) = Service::with_two_anime().await;
    let (service, _fakes) = service.with_trackers().await;
    let mut number = 0;
    for (endpoint, expected) in ENDPOINTS.iter().zip(TABLE) {
        for (caller, expected) in CALLERS.iter().zip(expected) {
            number += 1;
            let stage = Stage::new(&service, &anime, number).await;
            let token = stage.token_of(caller).await;
            let status = stage.ask(endpoint, token.as_deref()).await;
            assert_eq!(status, expected, "{endpoint} by {caller}");
        }
    }
}

/// The table in the code says the same of what is somebody else's.
#[test]
fn the_table_in_the_code_is_this_one() {
    let rows = [
        (Action::ReadOwnAccount, 4),
        (Action::SendVerification, 5),
        (Action::SignOutEverywhere, 6),
        (Action::FindUserByEmail, 3),
        (Action::UpdateUser, 12),
        (Action::ChangePassword, 13),
        (Action::LinkTracker, 14),
        (Action::DeleteUser, 15),
        (Action::ReadStory, 7),
        (Action::WriteStory, 9),
    ];
    // What is done on pages alone is nobody's but the user's own.
    let of_pages = [Action::ManageClients, Action::Connect];
    for action in of_pages {
        let rule = action.rule();
        assert_eq!((rule.to_others, rule.by_applications), (None, false));
    }
    let mut all = Action::ALL.to_vec();
    all.retain(|action| !of_pages.contains(action));
    assert_eq!(rows.map(|(action, _)| action).to_vec(), all);
    for (action, row) in rows {
        let rule = action.rule();
        assert_eq!(rule.by_applications, TABLE[row][2] == 200, "{action:?}");
        let is_about_others = ["{id}", "user_id=", "POST /v1/user", "PUT"]
            .iter()
            .any(|part| ENDPOINTS[row].contains(part));
        if is_about_others {
            let least = (TABLE[row][4] == 200).then_some(Role::Moderator);
            assert_eq!(rule.to_others, least, "{action:?}");
        }
    }
}

/// Tokens that are none: each is as good as nobody's.
#[tokio::test]
async fn every_cell_with_a_token_that_is_none() {
    let (service, anime) = Service::with_two_anime().await;
    let stage = Stage::new(&service, &anime, 0).await;
    let other_keys = KeyRing::new(&Random::seeded(99));
    let mut elsewhere = service.environment.clone();
    elsewhere.overrides.signing = Some(KeySource::Fixed(std::sync::Arc::new(other_keys)));
    let owner = stage.owner.id;
    let account = service.users().account(owner).await.unwrap().unwrap();
    let generation = account.token_generation;
    let forged = elsewhere
        .tokens()
        .unwrap()
        .sign_for(owner, generation)
        .await
        .unwrap();
    let mut elsewhere = service.environment.clone();
    elsewhere.public_url = "https://elsewhere.example".to_owned();
    let foreign = elsewhere
        .tokens()
        .unwrap()
        .sign_for(owner, generation)
        .await
        .unwrap();
    let link = service.environment.tokens().unwrap();
    let link = link
        .sign_link(Purpose::EmailVerification, owner, 0)
        .await
        .unwrap();

    let deleted = service.person("deleted").await;
    let path = format!("/v1/user/{}", deleted.id.get());
    assert_eq!(
        service
            .with_token(Method::DELETE, &path, &deleted.token)
            .await
            .status,
        200
    );

    let changed = service.person("changed").await;
    let other_token = service.token(changed.id).await;
    let body = json!({"id": changed.id, "gender": 0, "password": "new pass word"});
    let answer = service
        .json(Method::POST, "/v1/user", Some(&other_token), &body)
        .await;
    assert_eq!(answer.status, 200);

    let tokens = [
        ("of a deleted user", deleted.token),
        ("from before a change of the password", changed.token),
        ("with a wrong signature", forged),
        ("for another audience", foreign),
        ("for another purpose", link),
        ("with no algorithm", without_algorithm(&stage.owner.token)),
        (
            "cut short",
            stage.owner.token[..stage.owner.token.len() - 4].to_owned(),
        ),
        ("that is none", "not-a-token".to_owned()),
    ];
    for (number, endpoint) in ENDPOINTS.iter().enumerate() {
        for (what, token) in &tokens {
            let expected = if number < PUBLIC { 200 } else { 401 };
            let status = stage.ask(endpoint, Some(token)).await;
            assert_eq!(status, expected, "{endpoint} with a token {what}");
        }
    }
    let good = stage.owner.token.clone();
    stage
        .service
        .clock
        .advance(Duration::from_hours(30 * 24) + Duration::from_secs(61));
    for (number, endpoint) in ENDPOINTS.iter().enumerate() {
        let expected = if number < PUBLIC { 200 } else { 401 };
        let status = stage.ask(endpoint, Some(&good)).await;
        assert_eq!(status, expected, "{endpoint} with a token that has expired");
    }
}

/// The same claims under `"alg": "none"`, without a signature (RFC 8725, section 2.1).
fn without_algorithm(token: &str) -> String {
    let claims = token.split('.').nth(1).unwrap();
    let header = json!({"typ": "at+jwt", "alg": "none", "kid": "0"});
    format!("{}.{claims}.", URL_SAFE_NO_PAD.encode(header.to_string()))
}
