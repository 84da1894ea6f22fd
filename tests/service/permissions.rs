//! The permission table (docs/api.md, "Roles and permissions"): each cell is checked by the status of the
//! endpoints.

use std::collections::HashMap;
use std::time::Duration;

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::auth::{Action, KeyRing, KeySource, Scope, TokenPurpose};
use shared::models::{Anime, Role};
use shared::random::Random;
use tests::browser::PageClient;
use tests::people::{PASSWORD, Person, story_body};
use tests::service::Service;
use tests::trackers::{TOKEN, VIEWER};

/// The requests. The ones with a target are about `owner`, unless the text names another target.
const ENDPOINTS: [&str; 42] = [
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
    // The target has a higher role than a moderator.
    "POST /v1/user of an administrator",
    "DELETE /v1/user/{id} of an administrator",
    "GET /v1/user_story?user_id= of an administrator",
    "GET /v1/user_story/{id} of an administrator",
    "PUT /v1/user_story of an administrator",
    "POST /v1/user_story of an administrator",
    "DELETE /v1/user_story/{id} of an administrator",
    // The target is a moderator. Other moderators have no rights over moderators.
    "POST /v1/user of a moderator",
    "DELETE /v1/user/{id} of a moderator",
    "GET /v1/user_story/{id} of a moderator",
    "PUT /v1/user_story of a moderator",
    // Checking a password needs the same permission as changing it.
    "POST /v1/user current_password",
    "GET /v1/user_story/changes?user_id=",
    "POST /v1/user_story/batch",
    // The profile is not public.
    "GET /v1/user/{id}/statistics",
    "GET /v1/user_story/export?user_id=",
    "POST /v1/user_story/import?user_id=",
    "GET /v1/user_story/import?user_id=",
    // No import has this identifier.
    "POST /v1/user_story/import/0a1b2c3d4e5f6071/undo?user_id=",
    "GET /v1/auth/me/data",
    "GET /v1/user_story/import/waiting?user_id=",
    "DELETE /v1/user_story/import/waiting?user_id=",
    "POST /v1/playback",
    "GET /v1/user/{id}/suggestions",
    "GET /v1/user_story/import/proposals?user_id=",
    "POST /v1/user_story/import/proposals?user_id=",
];

/// The callers. All but the anonymous one have a valid token.
const CALLERS: [&str; 7] = [
    "anonymous",
    "owner",
    "owner's application",
    "other user",
    "moderator",
    "moderator's application",
    "administrator",
];

/// The expected statuses, a row for each endpoint. Endpoints without a target are about the caller's own
/// account.
const TABLE: [[u16; 7]; 42] = [
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
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story/changes?user_id=
    [401, 200, 200, 403, 200, 403, 200], // POST /v1/user_story/batch
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user/{id}/statistics
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story/export?user_id=
    [401, 200, 200, 403, 200, 403, 200], // POST /v1/user_story/import?user_id=
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story/import?user_id=
    [401, 404, 404, 403, 404, 403, 404], // POST /v1/user_story/import/{id}/undo?user_id=
    [401, 200, 403, 200, 200, 403, 200], // GET /v1/auth/me/data
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story/import/waiting?user_id=
    [401, 200, 200, 403, 200, 403, 200], // DELETE /v1/user_story/import/waiting?user_id=
    [401, 200, 200, 200, 200, 200, 200], // POST /v1/playback
    [401, 200, 200, 403, 403, 403, 403], // GET /v1/user/{id}/suggestions
    [401, 200, 200, 403, 200, 403, 200], // GET /v1/user_story/import/proposals?user_id=
    [401, 200, 200, 403, 200, 403, 200], // POST /v1/user_story/import/proposals?user_id=
];

/// The number of endpoints that need no token. They ignore tokens.
const PUBLIC: usize = 3;

/// Returns true if the request needs more than the scope `read`. The file with everything about a user has more than
/// that scope allows to read.
fn needs_write(endpoint: &str) -> bool {
    !endpoint.starts_with("GET ") || endpoint == "GET /v1/auth/me/data"
}

/// Two anime, and users with a story of the first.
struct Fixture<'s> {
    service: &'s Service,
    anime: &'s [Anime; 2],
    owner: Person,
    administrator: Person,
    moderator: Person,
    number: usize,
}

impl<'s> Fixture<'s> {
    /// Creates new users, so that no earlier request affects the test.
    async fn new(service: &'s Service, anime: &'s [Anime; 2], number: usize) -> Self {
        let owner = service.person(&format!("owner{number}")).await;
        let administrator = format!("administrator{number}");
        let administrator = service
            .person_with_role(&administrator, Role::Administrator)
            .await;
        let moderator = format!("guard{number}");
        let moderator = service.person_with_role(&moderator, Role::Moderator).await;
        for person in [&owner, &administrator, &moderator] {
            let created = service.create_story(person, &anime[0], 1).await;
            assert_eq!(created.status, 200);
        }
        Self {
            service,
            anime,
            owner,
            administrator,
            moderator,
            number,
        }
    }

    /// Sends the request of an endpoint. Returns its status and its challenge.
    async fn request(&self, endpoint: &str, token: Option<&str>) -> (u16, String) {
        let [first, second] = self.anime;
        let of_administrator = endpoint.strip_suffix(" of an administrator");
        let of_moderator = endpoint.strip_suffix(" of a moderator");
        let (of, target) = match (of_administrator, of_moderator) {
            (Some(endpoint), _) => (endpoint, &self.administrator),
            (_, Some(endpoint)) => (endpoint, &self.moderator),
            _ => (endpoint, &self.owner),
        };
        let (method, path) = of.split_once(' ').unwrap();
        let user = |more: Value| {
            let mut body = json!({"id": target.id, "gender": 1});
            body.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            body
        };
        let (path, body) = match (method, path) {
            ("GET", "/v1/user?email=") => (format!("/v1/user?email={}", target.email()), None),
            ("POST", "/v1/user_story/batch") => {
                let change = json!({"op": "delete", "anime_id": first.id});
                let body = json!({"user_id": target.id, "changes": [change]});
                (path.to_owned(), Some(body))
            }
            ("POST", "/v1/user_story/import?user_id=") => {
                let entry = json!({"anime_id": first.id, "status": "DROPPED"});
                let list = json!({"format": "kiroku", "version": 1, "stories": [entry]});
                (format!("{path}{}", target.id.get()), Some(list))
            }
            ("POST", "/v1/user_story/import/proposals?user_id=") => {
                let answers = json!({"accept_certain": true});
                (format!("{path}{}", target.id.get()), Some(answers))
            }
            (_, path) if path.ends_with("?user_id=") => {
                (format!("{path}{}", target.id.get()), None)
            }
            (_, "/v1/user_story/{id}") => (format!("/v1/user_story/{}", target.story(first)), None),
            (_, "/v1/user/{id}/statistics" | "/v1/user/{id}/suggestions") => {
                (path.replace("{id}", &target.id.get().to_string()), None)
            }
            (_, "/v1/user/{id}") => (format!("/v1/user/{}", target.id.get()), None),
            ("PUT", path) => {
                let body = json!({"user_id": target.id, "anime_id": second.id, "status": 1});
                (path.to_owned(), Some(body))
            }
            ("POST", "/v1/user_story") => (path.to_owned(), Some(story_body(target, first, 0, 2))),
            ("POST", "/v1/playback") => {
                let message = json!({"anime_id": second.id, "episode": 1});
                (path.to_owned(), Some(message))
            }
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
        let is_file = !answer.header("content-disposition").is_empty();
        assert!(is_file || answer.envelope()["status_code"] == status);
        (status, answer.header("www-authenticate").to_owned())
    }

    async fn request_status(&self, endpoint: &str, token: Option<&str>) -> u16 {
        let (status, challenge) = self.request(endpoint, token).await;
        match (status, token) {
            (401, None) => assert_eq!(challenge, "Bearer", "{endpoint}"),
            (401, Some(_)) => assert_eq!(challenge, "Bearer error=\"invalid_token\"", "{endpoint}"),
            _ => assert_eq!(challenge, ""),
        }
        status
    }

    async fn token_of(&self, caller: &str) -> Option<String> {
        let service = self.service;
        let who = caller.strip_suffix("'s application").unwrap_or(caller);
        let place = CALLERS.iter().position(|known| *known == caller);
        let name = format!("caller{}x{}", place.unwrap(), self.number);
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
async fn every_cell_of_the_permission_table() {
    let (service, anime) = Service::with_two_anime().await;
    let (service, _fakes) = service.with_trackers().await;
    let mut number = 0;
    let mut fixture = Fixture::new(&service, &anime, number).await;
    let mut tokens = HashMap::new();
    for (endpoint, expected) in ENDPOINTS.iter().zip(TABLE) {
        for (caller, expected) in CALLERS.iter().zip(expected) {
            if !tokens.contains_key(caller) {
                tokens.insert(caller, fixture.token_of(caller).await);
            }
            let token = tokens[caller].as_deref();
            let status = fixture.request_status(endpoint, token).await;
            assert_eq!(status, expected, "{endpoint} by {caller}");
            // Only a successful write changes the fixture.
            if status == 200 && !endpoint.starts_with("GET ") {
                number += 1;
                fixture = Fixture::new(&service, &anime, number).await;
                tokens.clear();
            }
        }
    }
}

/// Reads with a token of the scope `read` get the same responses as those with a token without a scope; writes get
/// `insufficient_scope`. With `read write`, all requests get the same responses, except that a profile token neither
/// changes nor checks the password.
#[tokio::test]
async fn rule_38_scope_limits_every_endpoint() {
    let (service, anime) = Service::with_two_anime().await;
    let (service, _fakes) = service.with_trackers().await;
    let refusal = "Bearer error=\"insufficient_scope\", scope=\"read write\"";
    let cases = [
        ("read", 1),
        ("read", 2),
        ("read write", 1),
        ("read write", 2),
    ];
    let mut number = 0;
    let mut fixture = Fixture::new(&service, &anime, number).await;
    let mut tokens = 0;
    for (endpoint, expected) in ENDPOINTS.iter().zip(TABLE) {
        for (scope, caller) in cases {
            let owner = &fixture.owner;
            let token = if CALLERS[caller] == "owner" {
                let mut browser = PageClient::signed_in(&service, owner).await;
                browser.create_token("a program", scope).await
            } else {
                let application = service.web_application(owner).await;
                let scope = [("scope", scope)];
                service
                    .application_token_with(owner, &application, &scope)
                    .await
            };
            let is_profile_token = CALLERS[caller] == "owner";
            let expected = match (needs_write(endpoint), scope) {
                (true, "read") => (403, refusal),
                _ if is_profile_token && endpoint.contains("password") => (403, ""),
                _ => (expected[caller], ""),
            };
            let (status, challenge) = fixture.request(endpoint, Some(&token)).await;
            let what = format!("{endpoint} by {} with {scope}", CALLERS[caller]);
            assert_eq!((status, challenge.as_str()), expected, "{what}");
            // A successful write changes the fixture, and a user has at most 25 tokens.
            tokens += 1;
            if tokens == 20 || (status == 200 && needs_write(endpoint)) {
                number += 1;
                fixture = Fixture::new(&service, &anime, number).await;
                tokens = 0;
            }
        }
    }
}

/// The rules in the code match the cells for other users' data and for applications.
#[test]
fn rules_in_the_code_match_the_table() {
    let rows = [
        (Action::ReadOwnAccount, 4),
        (Action::DownloadData, 35),
        (Action::SendVerification, 5),
        (Action::SignOutEverywhere, 6),
        (Action::FindUserByEmail, 3),
        (Action::UpdateUser, 12),
        (Action::ChangePassword, 13),
        (Action::LinkTracker, 14),
        (Action::DeleteUser, 15),
        (Action::ReadStory, 7),
        (Action::ReadSuggestions, 39),
        (Action::WriteStory, 9),
        (Action::ReportPlayback, 38),
    ];
    // Actions that exist only on the pages are allowed for the user's own data, and never for applications.
    let of_pages = [Action::ManageClients, Action::Connect, Action::ManageTokens];
    for action in of_pages {
        let rule = action.rule();
        assert_eq!(
            (rule.least_role_for_others, rule.allows_applications),
            (None, false)
        );
        assert_eq!(rule.scope, Scope::ReadWrite);
    }
    // The actions of the moderation pages are allowed for moderators and administrators.
    let of_moderators = [Action::ModerateUsers, Action::CorrectCatalogue];
    for action in of_moderators {
        let rule = action.rule();
        let least_role_for_others = Some(Role::Moderator);
        assert_eq!(
            (rule.least_role_for_others, rule.allows_applications),
            (least_role_for_others, false)
        );
        assert_eq!(rule.scope, Scope::ReadWrite);
    }
    // The action of the page for administrators is allowed only for them.
    let rule = Action::Administer.rule();
    assert_eq!(
        (rule.least_role_for_others, rule.allows_applications),
        (Some(Role::Administrator), false)
    );
    assert_eq!(rule.scope, Scope::ReadWrite);
    let mut all = Action::ALL.to_vec();
    all.retain(|action| !of_pages.contains(action) && !of_moderators.contains(action));
    all.retain(|action| *action != Action::Administer);
    assert_eq!(rows.map(|(action, _)| action).to_vec(), all);
    for (action, row) in rows {
        let rule = action.rule();
        assert_eq!(rule.allows_applications, TABLE[row][2] == 200, "{action:?}");
        let is_read = rule.scope == Scope::Read;
        assert_eq!(is_read, !needs_write(ENDPOINTS[row]), "{action:?}");
        let is_about_others = ["{id}", "user_id=", "POST /v1/user", "PUT"]
            .iter()
            .any(|part| ENDPOINTS[row].contains(part));
        if is_about_others {
            let least = (TABLE[row][4] == 200).then_some(Role::Moderator);
            assert_eq!(rule.least_role_for_others, least, "{action:?}");
        }
    }
}

/// Invalid tokens of every kind.
#[tokio::test]
async fn invalid_tokens_are_rejected_everywhere() {
    let (service, anime) = Service::with_two_anime().await;
    let fixture = Fixture::new(&service, &anime, 0).await;
    let other_keys = KeyRing::new(&Random::seeded(99));
    let mut elsewhere = service.environment.clone();
    elsewhere.overrides.signing = Some(KeySource::Fixed(std::sync::Arc::new(other_keys)));
    let owner = fixture.owner.id;
    let account = service.users().account(owner).await.unwrap().unwrap();
    let forged = elsewhere
        .tokens()
        .unwrap()
        .sign_direct_access_token(owner, account.token_generation)
        .await
        .unwrap();
    let mut elsewhere = service.environment.clone();
    elsewhere.public_url = "https://elsewhere.example".to_owned();
    let foreign = elsewhere
        .tokens()
        .unwrap()
        .sign_direct_access_token(owner, account.token_generation)
        .await
        .unwrap();
    let link = service.environment.tokens().unwrap();
    let link = link
        .sign_link(TokenPurpose::EmailVerification, owner, 0)
        .await
        .unwrap();

    let deleted = service.person("deleted").await;
    let path = format!("/v1/user/{}", deleted.id.get());
    assert_eq!(service.delete_as(&deleted.token, &path).await.status, 200);

    let changed = service.person("changed").await;
    let other_token = service.token(changed.id).await;
    let body = json!({"id": changed.id, "gender": 0, "password": "new pass word"});
    let answer = service.post_as(&other_token, "/v1/user", &body).await;
    assert_eq!(answer.status, 200);

    let tokens = [
        ("of a deleted user", deleted.token),
        ("from before a change of the password", changed.token),
        ("with a wrong signature", forged),
        ("for another audience", foreign),
        ("for another purpose", link),
        ("with no algorithm", without_algorithm(&fixture.owner.token)),
        (
            "cut short",
            fixture.owner.token[..fixture.owner.token.len() - 4].to_owned(),
        ),
        ("of the wrong format", "not-a-token".to_owned()),
    ];
    for (number, endpoint) in ENDPOINTS.iter().enumerate() {
        for (what, token) in &tokens {
            let expected = if number < PUBLIC { 200 } else { 401 };
            let status = fixture.request_status(endpoint, Some(token)).await;
            assert_eq!(status, expected, "{endpoint} with a token {what}");
        }
    }
    let good = fixture.owner.token.clone();
    fixture
        .service
        .clock
        .advance(Duration::from_hours(30 * 24) + Duration::from_secs(61));
    for (number, endpoint) in ENDPOINTS.iter().enumerate() {
        let expected = if number < PUBLIC { 200 } else { 401 };
        let status = fixture.request_status(endpoint, Some(&good)).await;
        assert_eq!(status, expected, "{endpoint} with a token that has expired");
    }
}

/// Returns the same claims with `"alg": "none"` and no signature (RFC 8725, section 2.1).
fn without_algorithm(token: &str) -> String {
    let claims = token.split('.').nth(1).unwrap();
    let header = json!({"typ": "at+jwt", "alg": "none", "kid": "0"});
    format!("{}.{claims}.", URL_SAFE_NO_PAD.encode(header.to_string()))
}
