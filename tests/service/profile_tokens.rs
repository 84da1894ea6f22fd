//! Tokens that users make on the profile page (docs/oauth.md, "Profile tokens", and rules 39 and
//! 40).

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use futures_util::future::join_all;
use serde_json::json;
use shared::models::{Anime, Role};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::engine;
use tests::people::{PASSWORD, Person, story_body};
use tests::proxy::{Mode, Proxy};
use tests::service::{Answer, Service};

const DAY: Duration = Duration::from_hours(24);

/// Returns the tokens that the profile page lists: name, description and identifier.
async fn listed(browser: &mut PageClient<'_>) -> Vec<(String, String, String)> {
    let page = browser.get("/profile/developer").await;
    let form = page.find_between("action=\"/profile/developer/token/revoke\"", "</form>");
    let form = form.unwrap_or_default();
    let entries = form.split("<li>").skip(1).map(|entry| {
        let name = entry.between("<strong", "</strong>").after(">");
        let description = entry.between("<small>", "</small>");
        (name, description, entry.between("value=\"", "\""))
    });
    entries.collect()
}

async fn names(browser: &mut PageClient<'_>) -> Vec<String> {
    let listed = listed(browser).await.into_iter();
    listed.map(|(name, ..)| name).collect()
}

async fn revoke(browser: &mut PageClient<'_>, token_id: &str) {
    let page = browser.get("/profile/developer").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str()), ("token_id", token_id)];
    let revoked = browser
        .post("/profile/developer/token/revoke", &fields)
        .await;
    revoked.assert_leads_to("/profile/developer?done=revoked");
}

async fn create(browser: &mut PageClient<'_>, fields: &[(&str, &str)]) -> Answer {
    let page = browser.get("/profile/developer").await;
    browser
        .submit(&page, "/profile/developer/token", fields)
        .await
}

/// Counts the rows of the table OAuthGrant.
async fn rows(service: &Service) -> usize {
    service.rows("OAuthGrant").await.len()
}

async fn write_status(service: &Service, person: &Person, anime: &Anime, token: &str) -> u16 {
    let body = story_body(person, anime, 0, 1);
    let answer = service.post_as(token, "/v1/user_story", &body);
    answer.await.status.as_u16()
}

#[tokio::test]
async fn rule_39_tokens_are_listed_and_revoked_one_by_one() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    service.create_story(&person, &anime, 1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    assert!(listed(&mut browser).await.is_empty());
    let reader = browser.create_token("my <reader>", "read").await;
    service.clock.advance(Duration::from_secs(1));
    let writer = browser.create_token("  my   writer ", "read write").await;
    let page = browser.get("/profile/developer").await.text();
    assert!(!page.contains(&reader) && !page.contains(&writer));

    let found = listed(&mut browser).await;
    let dates = "created 14 November 2023, expires 14 December 2023, not used yet";
    assert_eq!(found[0].0, "my writer");
    assert_eq!(found[0].1, format!("read and write, {dates}"));
    assert_eq!(found[1].0, "my &lt;reader&gt;");
    assert_eq!(found[1].1, format!("read only, {dates}"));
    assert_eq!(found.len(), 2);

    assert_eq!(service.me_status(&reader).await, 200);
    assert_eq!(write_status(&service, &person, &anime, &reader).await, 403);
    assert_eq!(write_status(&service, &person, &anime, &writer).await, 200);

    revoke(&mut browser, &found[0].2).await;
    assert_eq!(service.me_status(&writer).await, 401);
    assert_eq!(write_status(&service, &person, &anime, &writer).await, 401);
    assert_eq!(service.me_status(&reader).await, 200);
    assert_eq!(service.me_status(&person.token).await, 200);
    assert_eq!(names(&mut browser).await, ["my &lt;reader&gt;"]);
    // The new token takes the place of the revoked one, which stays revoked.
    let third = browser.create_token("third", "read write").await;
    assert_eq!(service.me_status(&writer).await, 401);
    assert_eq!(service.me_status(&third).await, 200);
    // The button is pressed a second time, and then an identifier is sent that is not a token of the user.
    revoke(&mut browser, &found[0].2).await;
    revoke(&mut browser, "").await;
    assert_eq!(service.me_status(&third).await, 200);
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn token_of_another_user_cannot_be_revoked() {
    let service = Service::empty().await;
    let (taki, mitsuha) = (
        service.person("taki").await,
        service.person("mitsuha").await,
    );
    let mut theirs = PageClient::signed_in(&service, &taki).await;
    let token = theirs.create_token("mine", "read").await;
    let token_id = listed(&mut theirs).await[0].2.clone();
    let mut browser = PageClient::signed_in(&service, &mitsuha).await;
    revoke(&mut browser, &token_id).await;
    assert_eq!(service.me_status(&token).await, 200);
    assert_eq!(names(&mut theirs).await, ["mine"]);
}

/// The clock of the tests starts at 22:13 UTC.
#[tokio::test]
async fn day_of_last_use_changes_with_the_first_use_of_a_day() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    service.create_story(&person, &anime, 1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let token = browser.create_token("a program", "read write").await;
    let unused = browser.create_token("unused", "read").await;
    assert_ne!(token, unused);
    let mut last_use = async || {
        let listed = listed(&mut browser).await;
        let of = |name: &str| {
            let found = listed.iter().find(|(known, ..)| known == name).unwrap();
            found.1.rsplit_once(", ").unwrap().1.to_owned()
        };
        assert_eq!(of("unused"), "not used yet");
        of("a program")
    };
    assert_eq!(last_use().await, "not used yet");
    assert_eq!(service.me_status(&token).await, 200);
    assert_eq!(last_use().await, "last used 14 November 2023");
    service.clock.advance(Duration::from_hours(2));
    assert_eq!(last_use().await, "last used 14 November 2023");
    assert_eq!(write_status(&service, &person, &anime, &token).await, 200);
    assert_eq!(last_use().await, "last used 15 November 2023");
    service.clock.advance(DAY);
    let list = service.get_as(&token, "/v1/user_story");
    assert_eq!(list.await.status, 200);
    assert_eq!(last_use().await, "last used 16 November 2023");
}

#[tokio::test]
async fn use_of_a_token_costs_one_write_a_day() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    service.create_story(&person, &anime, 1).await;
    let token = PageClient::signed_in(&service, &person)
        .await
        .create_token("a program", "read write")
        .await;
    let (service, meter) = service.metered();
    // The calls are for the user's row, the token's row and, for the first use of a day, the day.
    for calls in [3, 2, 2] {
        assert_eq!(service.me_status(&token).await, 200);
        assert_eq!(meter.take().calls, calls);
    }
    service.clock.advance(DAY);
    // A write records the day in its own transaction: two units for the token's row.
    assert_eq!(write_status(&service, &person, &anime, &token).await, 200);
    let write = meter.take();
    assert_eq!(write.calls, 2);
    let status = write_status(&service, &person, &anime, &person.token).await;
    assert_eq!(status, 200);
    let without = meter.take();
    if engine::is_embedded() {
        assert!((write.units - without.units - 2.0).abs() < f64::EPSILON);
    }
    assert_eq!(service.me_status(&token).await, 200);
    assert_eq!(meter.take().calls, 2);
    // The use of a revoked token is not recorded, neither for that token nor for the next one in its slot.
    let mut browser = PageClient::signed_in(&service, &person).await;
    let token_id = listed(&mut browser).await[0].2.clone();
    revoke(&mut browser, &token_id).await;
    browser.create_token("next", "read").await;
    let _ = meter.take();
    assert_eq!(service.me_status(&token).await, 401);
    assert_eq!(meter.take().calls, 2);
    assert!(listed(&mut browser).await[0].1.ends_with("not used yet"));
}

/// A request succeeds although the day of use cannot be written.
#[tokio::test]
async fn failure_to_record_a_use_does_not_fail_the_request() {
    let proxy = Proxy::start(engine::endpoint()).await;
    let service = Service::with_client(engine::short_timeout_client(&proxy.endpoint)).await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let token = browser.create_token("a program", "read").await;
    // Both reads succeed, then every call fails.
    proxy.set_after(2, Mode::Closed);
    assert_eq!(service.me_status(&token).await, 200);
    proxy.set(Mode::Up);
    assert!(listed(&mut browser).await[0].1.ends_with("not used yet"));
    assert_eq!(service.me_status(&token).await, 200);
    let last = &listed(&mut browser).await[0].1;
    assert!(last.ends_with("last used 14 November 2023"), "{last}");
}

#[tokio::test]
async fn rule_29_events_that_end_all_tokens_end_those_of_the_profile() {
    let (service, person) = Service::with_person("mitsuha").await;
    for event in ["everywhere", "password", "API"] {
        let mut browser = PageClient::signed_in(&service, &person).await;
        let token = browser.create_token("a program", "read write").await;
        assert_eq!(service.me_status(&token).await, 200);
        let page = browser.get("/profile/developer").await;
        match event {
            "everywhere" => {
                let path = "/profile/security/sign-out-everywhere";
                browser.submit(&page, path, &[]).await;
            }
            "password" => {
                let path = "/profile/security/password";
                let fields = [("password", PASSWORD)];
                browser.submit(&page, path, &fields).await;
            }
            _ => {
                let path = "/v1/auth/logout_everywhere";
                let ended = service.with_token(Method::POST, path, &token).await;
                assert_eq!(ended.status, 200);
            }
        }
        assert_eq!(service.me_status(&token).await, 401, "{event}");
        let mut browser = PageClient::signed_in(&service, &person).await;
        assert!(listed(&mut browser).await.is_empty(), "{event}");
    }
    // Each new token has overwritten the row of one that had ended.
    assert_eq!(rows(&service).await, 1);
}

/// Every call must check the token's row: a check of the user's row alone would accept a revoked token.
#[tokio::test]
async fn rule_39_revoked_token_is_rejected_by_every_kind_of_call() {
    let (service, [first, second]) = Service::with_two_anime().await;
    let moderator = service.person_with_role("mod", Role::Moderator).await;
    let other = service.person("taki").await;
    service.create_story(&other, &first, 1).await;
    service.create_story(&moderator, &first, 1).await;
    let mut browser = PageClient::signed_in(&service, &moderator).await;
    let token = browser.create_token("a program", "read write").await;
    let send = async |method: &str, path: &str, body: Option<serde_json::Value>| {
        let method = method.parse::<Method>().unwrap();
        let answer = match body {
            Some(body) => service.json(method, path, Some(&token), &body).await,
            None => service.with_token(method, path, &token).await,
        };
        answer.status.as_u16()
    };
    let gender = |person: &Person| Some(json!({"id": person.id, "gender": 1}));
    let new =
        |person: &Person| Some(json!({"user_id": person.id, "anime_id": second.id, "status": 1}));
    let batch = |person: &Person| {
        let change = json!({"op": "put", "anime_id": first.id, "status": 0});
        Some(json!({"user_id": person.id, "changes": [change]}))
    };
    let story = |person: &Person| format!("/v1/user_story/{}", person.story(&first));
    let import = |person: &Person| format!("/v1/user_story/import?user_id={}", person.id.get());
    let list = Some(json!({"format": "kiroku", "version": 1, "stories": []}));
    let undo = |person: &Person| {
        let path = "/v1/user_story/import/0a1b2c3d4e5f6071/undo";
        format!("{path}?user_id={}", person.id.get())
    };
    let requests = [
        ("GET", "/v1/auth/me".to_owned(), None),
        ("GET", "/v1/user?email=taki@example.com".to_owned(), None),
        ("GET", story(&moderator), None),
        ("GET", story(&other), None),
        ("GET", "/v1/user_story".to_owned(), None),
        ("GET", "/v1/user_story/changes".to_owned(), None),
        ("POST", "/v1/user_story/batch".to_owned(), batch(&moderator)),
        ("POST", "/v1/user_story/batch".to_owned(), batch(&other)),
        ("POST", import(&moderator), list.clone()),
        ("POST", import(&other), list),
        ("POST", undo(&moderator), None),
        ("POST", undo(&other), None),
        ("PUT", "/v1/user_story".to_owned(), new(&moderator)),
        ("PUT", "/v1/user_story".to_owned(), new(&other)),
        (
            "POST",
            "/v1/user_story".to_owned(),
            Some(story_body(&moderator, &first, 0, 2)),
        ),
        (
            "POST",
            "/v1/user_story".to_owned(),
            Some(story_body(&other, &first, 0, 2)),
        ),
        ("DELETE", story(&moderator), None),
        ("DELETE", story(&other), None),
        ("POST", "/v1/user".to_owned(), gender(&moderator)),
        ("POST", "/v1/user".to_owned(), gender(&other)),
        ("POST", "/v1/auth/email_verification".to_owned(), None),
        ("DELETE", format!("/v1/user/{}", other.id.get()), None),
        ("POST", "/v1/auth/logout_everywhere".to_owned(), None),
        ("DELETE", format!("/v1/user/{}", moderator.id.get()), None),
    ];
    let token_id = listed(&mut browser).await[0].2.clone();
    revoke(&mut browser, &token_id).await;
    for (method, path, body) in requests.clone() {
        let what = format!("{method} {path}");
        assert_eq!(send(method, &path, body).await, 401, "{what}");
    }
    // The same requests succeed with a token that is not revoked.
    let page = create(
        &mut browser,
        &[("name", "another"), ("scope", "read write")],
    )
    .await;
    let mut valid = tests::browser::textarea(&page);
    for (method, path, body) in requests {
        let what = format!("{method} {path}");
        let method = method.parse::<Method>().unwrap();
        let answer = match body {
            Some(body) => service.json(method, &path, Some(&valid), &body).await,
            None => service.with_token(method, &path, &valid).await,
        };
        // No import has the identifier.
        let expected = if path.contains("/undo?") { 404 } else { 200 };
        assert_eq!(answer.status, expected, "{what}");
        if path == "/v1/auth/logout_everywhere" {
            let mut browser = PageClient::signed_in(&service, &moderator).await;
            valid = browser.create_token("last", "read write").await;
        }
    }
}

#[tokio::test]
async fn rule_40_names_and_scopes_are_checked() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let longest = "記".repeat(60);
    for (fields, fault) in [
        (&[("scope", "read")][..], "name"),
        (&[("name", ""), ("scope", "read")], "name"),
        (&[("name", "  "), ("scope", "read")], "name"),
        (&[("name", "\u{200b}"), ("scope", "read")], "name"),
        (&[("name", "a\u{202e}b"), ("scope", "read")], "name"),
        (&[("name", &"x".repeat(61)), ("scope", "read")], "name"),
        (&[("name", "a"), ("scope", "write")], "scope"),
        (&[("name", "a"), ("scope", "admin")], "scope"),
        (&[("name", "a"), ("scope", "read  write")], "scope"),
        (&[("name", "a"), ("scope", "READ")], "scope"),
    ] {
        let page = create(&mut browser, fields).await;
        assert_eq!(page.status, 400, "{fields:?}");
        let text = page.text();
        text.assert_has(&format!("id=\"{fault}-fault\""));
        assert!(!text.contains("new-token"));
    }
    assert_eq!(rows(&service).await, 0);
    browser.create_token(&longest, "read").await;
    assert_eq!(names(&mut browser).await, [longest]);
    // As in an authorization request, no scope means everything, and a repeated one adds nothing.
    let page = create(&mut browser, &[("name", "everything")]).await;
    let token = tests::browser::textarea(&page);
    let body = json!({"id": person.id, "gender": 2});
    let changed = service.post_as(&token, "/v1/user", &body);
    assert_eq!(changed.await.status, 200);
    let page = create(&mut browser, &[("name", "twice"), ("scope", "read read")]).await;
    let token = tests::browser::textarea(&page);
    let changed = service.post_as(&token, "/v1/user", &body);
    assert_eq!(changed.await.status, 403);
}

#[tokio::test]
async fn rule_40_user_has_at_most_25_tokens() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let create_named = async |name: String| {
        let mut own = PageClient::signed_in(&service, &person).await;
        let page = create(&mut own, &[("name", &name), ("scope", "read")]).await;
        page.status.as_u16()
    };
    let mut made = 0;
    for round in 0..7 {
        let creations = (0..4).map(|number| create_named(format!("{round}-{number}")));
        let statuses = join_all(creations).await;
        made += statuses.iter().filter(|status| **status == 200).count();
        // The creations of a round are concurrent, so the refused ones need not be the last.
        let refused = statuses.iter().filter(|status| **status == 409).count();
        assert!(refused == 0 || made == 25, "{statuses:?}");
        assert!(
            statuses.iter().all(|status| [200, 409].contains(status)),
            "{statuses:?}"
        );
    }
    assert_eq!((made, rows(&service).await), (25, 25));
    let refused = create(&mut browser, &[("name", "one more")]).await;
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("you have 25 tokens already"));
    let all = listed(&mut browser).await;
    assert_eq!(all.len(), 25);
    revoke(&mut browser, &all[7].2).await;
    assert_eq!(create_named("again".to_owned()).await, 200);
    // Tokens that have expired are not listed and make room for new ones.
    service.clock.advance(DAY * 30 + Duration::from_mins(1));
    let mut browser = PageClient::signed_in(&service, &person).await;
    assert!(listed(&mut browser).await.is_empty());
    browser.create_token("a month later", "read").await;
    assert_eq!(names(&mut browser).await, ["a month later"]);
    assert_eq!(rows(&service).await, 25);
}

#[tokio::test]
async fn tokens_are_deleted_with_their_user() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let token = browser.create_token("a program", "read").await;
    browser.create_token("another", "read write").await;
    let path = format!("/v1/user/{}", person.id.get());
    let deleted = service.delete_as(&person.token, &path);
    assert_eq!(deleted.await.status, 200);
    assert_eq!(service.me_status(&token).await, 401);
    assert_eq!(rows(&service).await, 0);
}

/// A profile token does not belong to an application: it cannot be revoked at the OAuth endpoint, and is not a
/// connection.
#[tokio::test]
async fn profile_token_is_not_an_application() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let token = browser.create_token("a program", "read").await;
    let mut form = application.exchange("");
    form.push(("token", &token));
    let answer = service.form("/v1/oauth/revoke", &form).await;
    assert_eq!(answer.json()["error"], "invalid_grant");
    assert_eq!(service.me_status(&token).await, 200);
    let page = browser.get("/profile/connections").await.text();
    assert!(page.contains("No application can use your account."));
    let page = browser.get("/profile/developer").await;
    let disconnect = [("client_id", "token:00")];
    let answer = browser.submit(&page, "/profile/connections/disconnect", &disconnect);
    assert_eq!(answer.await.status, 404);
    assert_eq!(service.me_status(&token).await, 200);
}

/// The row of a token is small, so that it costs one unit to read and two to check in a transaction.
#[tokio::test]
async fn longest_row_of_a_token_is_below_1_kb() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let token = browser.create_token(&"😀".repeat(60), "read write").await;
    assert_eq!(service.me_status(&token).await, 200);
    let rows = service.rows("OAuthGrant").await;
    let size = |value: &AttributeValue| match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        other => panic!("{other:?}"),
    };
    let total: usize = rows[0]
        .iter()
        .map(|(name, value)| name.len() + size(value))
        .sum();
    assert!(total < 1024, "{total}");
}
