//! Accounts: registration, sign-in, links in mails (docs/oauth.md, rule 31), sign-out.

use std::time::Duration;

use axum::http::Method;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::assertions::{AssertFields, AssertText};
use tests::people::PASSWORD;
use tests::service::{Answer, PUBLIC_URL, Service};

async fn me(service: &Service, token: &str) -> Answer {
    service.get_as(token, "/v1/auth/me").await
}

async fn register(service: &Service, username: &str, email: &str) -> Answer {
    let body = json!({"username": username, "email": email, "password": PASSWORD});
    service.post("/v1/auth/register", &body).await
}

async fn ask_for_verification(service: &Service, token: &str) -> Answer {
    let path = "/v1/auth/email_verification";
    service.with_token(Method::POST, path, token).await
}

async fn confirm_email(service: &Service, token: &str) -> Answer {
    let path = "/v1/auth/email_verification/confirm";
    service.post(path, &json!({"token": token})).await
}

async fn post_email_for_reset(service: &Service, email: &str) -> Answer {
    let body = json!({"email": email});
    service.post("/v1/auth/password_reset", &body).await
}

async fn reset_password(service: &Service, token: &str, password: &str) -> Answer {
    let body = json!({"token": token, "password": password});
    service.post("/v1/auth/password_reset/confirm", &body).await
}

fn token_of(answer: &Answer) -> String {
    let token = &answer.data()["access_token"];
    token.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn user_registers_signs_in_and_reads_their_account() {
    let service = Service::empty().await;
    let body = json!({
        "username": "Mitsuha_M", "email": "Mitsuha@Example.COM", "password": PASSWORD,
        "gender": 2, "localization": "jp", "role": 2, "unknown": true
    });
    let registered = service.post("/v1/auth/register", &body).await;
    assert_eq!(registered.status, 200);
    assert_eq!(registered.header("cache-control"), "private, no-store");
    let data = registered.data();
    let user = json!({
        "id": 1, "username": "Mitsuha_M", "email": "Mitsuha@example.com", "email_verified": false,
        "role": 0, "avatar": "", "gender": 2, "localization": "jp",
        "has_tracker_a": false, "has_tracker_b": false
    });
    data.assert_fields(json!({"user": user, "token_type": "Bearer", "expires_in": 2_592_000}));
    for (field, name) in [("username", "mitsuha_m"), ("email", "Mitsuha@EXAMPLE.com")] {
        let body = json!({field: name, "password": PASSWORD});
        let answer = service.post("/v1/auth/login", &body).await;
        assert_eq!(answer.status, 200, "{body}");
        assert_eq!(answer.data()["user"], user);
        let me = me(&service, &token_of(&answer)).await;
        assert_eq!(me.envelope()["message"], "Hi Mitsuha_M");
        assert_eq!(me.data(), user);
        assert_eq!(me.header("cache-control"), "private, no-store");
        assert_eq!(me.header("etag"), "");
    }
    // The part before the @ is case-sensitive.
    let body = json!({"email": "mitsuha@example.com", "password": PASSWORD});
    let wrong = service.post("/v1/auth/login", &body).await;
    wrong.assert_status(401);
}

#[tokio::test]
async fn optional_fields_have_defaults() {
    let service = Service::empty().await;
    let user = service.register("taki").await.data()["user"].take();
    user.assert_fields(json!({"gender": 0, "localization": "en"}));
}

#[tokio::test]
async fn all_invalid_fields_are_named_at_once() {
    let service = Service::empty().await;
    let body = json!({"username": "a b", "email": "nowhere", "gender": 3, "localization": "?"});
    let answer = service.post("/v1/auth/register", &body).await;
    assert_eq!(answer.status, 400);
    let faults = answer.data();
    for field in ["username", "email", "password", "gender", "localization"] {
        assert!(faults[field].is_string(), "{field}: {faults}");
    }
    let answer = service.post("/v1/auth/login", &json!({})).await;
    let faults = answer.data();
    assert!(faults["username"].is_string() && faults["password"].is_string());
    let both = json!({"username": "a", "email": "a", "password": "b"});
    assert!(service.post("/v1/auth/login", &both).await.data()["email"].is_string());
}

#[tokio::test]
async fn usernames_and_email_addresses_are_unique() {
    let service = Service::empty().await;
    assert_eq!(service.register("one_two").await.status, 200);
    let taken = json!("is already taken");
    for (username, email, expected) in [
        ("ONE_TWO", "other@example.com", json!({"username": taken})),
        // Only the case is ignored when usernames are compared.
        ("one-two", "third@example.com", Value::Null),
        ("other", "one_two@EXAMPLE.com", json!({"email": taken})),
        (
            "One_Two",
            "one_two@example.com",
            json!({"email": taken, "username": taken}),
        ),
        // A rejected registration reserves nothing.
        ("other", "other@example.com", Value::Null),
    ] {
        let answer = register(&service, username, email).await;
        if expected.is_null() {
            answer.assert_status(200);
        } else {
            answer.assert_status(409);
            assert_eq!(answer.data(), expected, "{username} {email}");
        }
    }
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn concurrent_registrations_of_a_username_or_an_address_make_one_user() {
    for has_same_name in [true, false] {
        let service = Service::empty().await;
        let attempt = async |number: usize| {
            let other = format!("kimi{number}");
            let (name, mailbox) = if has_same_name {
                ("kimi", &*other)
            } else {
                (&*other, "kimi")
            };
            let answer = register(&service, name, &format!("{mailbox}@example.com")).await;
            answer.status.as_u16()
        };
        let mut statuses = join_all((0..20).map(attempt)).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![200], vec![409; 19]].concat());
        // The rejected registrations leave no rows: `Unique` has the two values of the user, and the counter of
        // identifiers.
        for (table, rows) in [("Unique", 3), ("User", 1)] {
            assert_eq!(service.rows(table).await.len(), rows, "{table}");
        }
        assert_eq!(service.get("/v1/user").await.ids().len(), 1);
    }
}

#[tokio::test]
async fn verification_link_works_once() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let link = service.mailed_token("taki@example.com").unwrap();
    let verified = async || me(&service, &token).await.data()["email_verified"].take();

    let page = service.get(&format!("/verify-email?token={link}")).await;
    assert_eq!(page.status, 200);
    // Opening the link does not use it up.
    assert_eq!(verified().await, false);

    let confirmed = confirm_email(&service, &link).await;
    assert_eq!(confirmed.envelope()["message"], "E-mail verified");
    assert_eq!(verified().await, true);
    let again = confirm_email(&service, &link).await;
    assert_eq!(again.status, 400);
    assert!(again.data()["token"].is_string());
}

#[tokio::test]
async fn expired_verification_link_can_be_sent_again() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let send = async || ask_for_verification(&service, &token).await;
    let confirm = async |token: &str| confirm_email(&service, token).await.status;
    let first = service.mailed_token("taki@example.com").unwrap();
    let validity = Duration::from_hours(24) + Duration::from_mins(2);
    service.clock.advance(validity);
    assert_eq!(confirm(&first).await, 400);
    assert_eq!(send().await.status, 200);
    let second = service.mailed_token("taki@example.com").unwrap();
    assert_ne!(first, second);
    assert_eq!(confirm(&second).await, 200);
    assert_eq!(send().await.status, 409, "the address is already verified");
}

#[tokio::test]
async fn verification_mails_are_limited() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let ask = async || ask_for_verification(&service, &token).await;
    // The registration has sent the first mail.
    for _ in 0..4 {
        ask().await.assert_status(200);
    }
    ask().await.assert_retry_after(429, "3600");
    assert_eq!(service.mail_count(), 5);
    service.clock.advance(Duration::from_hours(1));
    ask().await.assert_status(200);
}

async fn register_as(service: &Service, username: &str, email: &str) {
    register(service, username, email).await.assert_status(200);
}

async fn ask_for_reset(service: &Service, email: &str) -> usize {
    let before = service.mail_count();
    let answer = post_email_for_reset(service, email).await;
    assert_eq!(answer.status, 200, "{email}");
    service.mail_count() - before
}

/// Anyone can register aliases of a mailbox, so all unverified aliases share a limit.
#[tokio::test]
async fn rule_31_mails_to_unverified_aliases_share_a_limit() {
    let service = Service::empty().await;
    for number in 0..55 {
        let email = format!("Taki+{number}@example.com");
        register_as(&service, &format!("name{number}"), &email).await;
    }
    assert_eq!(service.mail_count(), 50);
    service.clock.advance(Duration::from_hours(1));
    register_as(&service, "another", "TAKI@example.com").await;
    assert_eq!(service.mail_count(), 51);
}

/// Deleting an account and registering again does not reset the limit.
#[tokio::test]
async fn mail_limit_survives_account_deletion() {
    let service = Service::empty().await;
    for _ in 0..8 {
        let registered = service.register("taki").await;
        let id = registered.data()["user"]["id"].as_u64().unwrap();
        let path = format!("/v1/user/{id}");
        let token = token_of(&registered);
        let deleted = service.delete_as(&token, &path).await;
        assert_eq!(deleted.status, 200);
    }
    assert_eq!(service.mail_count(), 5);
}

#[tokio::test]
async fn rule_31_aliases_do_not_block_mail_to_the_owner() {
    let service = Service::empty().await;
    let owner = token_of(&service.register("victim").await);
    register_as(&service, "tagged", "victim+kiroku@example.com").await;
    let verified = service.mailed_token("victim+kiroku@example.com").unwrap();
    let verified = confirm_email(&service, &verified).await;
    verified.assert_status(200);

    let aliases = (0..12).map(|number| format!("victim+{number}@example.com"));
    let aliases: Vec<String> = aliases.chain(["VICTIM@example.com".to_owned()]).collect();
    for (number, alias) in aliases.iter().enumerate() {
        register_as(&service, &format!("stranger{number}"), alias).await;
        for _ in 0..6 {
            ask_for_reset(&service, alias).await;
        }
    }
    assert_eq!(ask_for_reset(&service, "VICTIM@example.com").await, 0);
    // Neither the plain address, which is unverified, nor the owner's verified alias is blocked.
    service.clock.advance(Duration::from_secs(1));
    assert_eq!(ask_for_reset(&service, "victim@example.com").await, 1);
    assert!(service.mailed_token("victim@example.com").is_some());
    let tagged = "victim+kiroku@example.com";
    assert_eq!(ask_for_reset(&service, tagged).await, 1);
    let sent = ask_for_verification(&service, &owner).await;
    sent.assert_status(200);
}

/// Requests for known and unknown addresses take the same minimum time.
#[tokio::test]
async fn reset_request_takes_a_minimum_time() {
    let service = Service::empty().await;
    service.register("taki").await;
    let mut environment = service.environment.clone();
    let floor = Duration::from_millis(50);
    environment.overrides.mail.as_mut().unwrap().reset_floor = floor;
    let service = service.with_environment(environment);
    for email in ["taki@example.com", "nobody@example.com"] {
        let started = tokio::time::Instant::now();
        ask_for_reset(&service, email).await;
        assert!(started.elapsed() >= floor, "{email}");
    }
}

#[tokio::test]
async fn password_reset_link_works_once() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let ask = async |email: &str| post_email_for_reset(&service, email).await;
    service.clock.advance(Duration::from_secs(1));
    let known = ask("taki@example.com").await;
    let mails = service.mail_count();
    let unknown = ask("nobody@example.com").await;
    assert_eq!(service.mail_count(), mails, "no mail to an unknown address");
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));

    let first = service.mailed_token("taki@example.com").unwrap();
    service.clock.advance(Duration::from_secs(1));
    ask("taki@example.com").await;
    let second = service.mailed_token("taki@example.com").unwrap();
    let weak = reset_password(&service, &second, "password1").await;
    assert!(weak.data()["password"].is_string());
    let reset = reset_password(&service, &second, "new pass word").await;
    assert_eq!(reset.envelope()["message"], "Password reset");
    for spent in [&first, &second] {
        let again = reset_password(&service, spent, "newer pass word").await;
        assert!(again.data()["token"].is_string());
    }
    // Every token is revoked.
    assert_eq!(service.me_status(&token).await, 401);
    for (password, status) in [(PASSWORD, 401), ("new pass word", 200)] {
        service.login("taki", password).await.assert_status(status);
    }
}

/// A change of the password keeps the token of the request that makes it. A later reset ends that token too.
#[tokio::test]
async fn password_reset_ends_the_token_that_a_change_kept() {
    let (service, person) = Service::with_person("taki").await;
    let change = json!({"password": "new pass word"});
    let changed = service.update_user(&person, &change).await;
    changed.assert_status(200);
    assert_eq!(service.me_status(&person.token).await, 200);
    service.clock.advance(Duration::from_secs(1));
    post_email_for_reset(&service, &person.email()).await;
    let link = service.mailed_token(&person.email()).unwrap();
    let reset = reset_password(&service, &link, "newer pass word").await;
    reset.assert_status(200);
    assert_eq!(service.me_status(&person.token).await, 401);
}

#[tokio::test]
async fn links_are_bound_to_their_purpose() {
    let service = Service::empty().await;
    let access = token_of(&service.register("taki").await);
    let verification = service.mailed_token("taki@example.com").unwrap();
    service.clock.advance(Duration::from_secs(1));
    post_email_for_reset(&service, "taki@example.com").await;
    let reset = service.mailed_token("taki@example.com").unwrap();
    for token in [&verification, &reset] {
        assert_eq!(service.me_status(token).await, 401);
    }
    for token in [&access, &reset] {
        confirm_email(&service, token).await.assert_status(400);
    }
    for token in [&access, &verification] {
        let answer = reset_password(&service, token, "new pass word").await;
        answer.assert_status(400);
    }
}

#[tokio::test]
async fn mail_has_the_required_headers() {
    let service = Service::empty().await;
    service.register("taki").await;
    let mail = service.mail_to("taki@example.com");
    let (head, body) = (mail.before("\r\n\r\n"), mail.after("\r\n\r\n"));
    for line in [
        "To: <taki@example.com>",
        "Subject: Verify your e-mail address",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000",
        "MIME-Version: 1.0",
    ] {
        assert!(head.lines().any(|found| found == line), "{line}: {head}");
    }
    head.assert_has("<no-reply@kiroku.example>");
    head.assert_has("Message-ID: <");
    body.assert_has(&format!("{PUBLIC_URL}/verify-email?token=ey"));
    // A line has at most 998 characters (RFC 5322, section 2.1.1).
    assert!(body.lines().all(|line| line.len() < 998));
}

/// The registration succeeds without the mail, which can be sent again.
#[tokio::test]
async fn failed_mail_does_not_block_registration() {
    let service = Service::empty().await;
    std::fs::write(service.mail.path().join("file"), "").unwrap();
    let mut environment = service.environment.clone();
    let mail = environment.overrides.mail.as_mut().unwrap();
    mail.transport = accounts::mail::MailTransport::Folder {
        folder: Some(service.mail.path().join("file")),
        print: false,
    };
    let service = service.with_environment(environment);
    let registered = service.register("taki").await;
    assert_eq!(registered.status, 200);
    let again = ask_for_verification(&service, &token_of(&registered)).await;
    again.assert_status(503);
    // A 503 would reveal that the account exists.
    let reset = post_email_for_reset(&service, "taki@example.com").await;
    reset.assert_status(200);
}

#[tokio::test]
async fn signing_out_everywhere_revokes_every_token() {
    let service = Service::empty().await;
    let first = token_of(&service.register("taki").await);
    let second = token_of(&service.login("taki", PASSWORD).await);
    let path = "/v1/auth/logout_everywhere";
    let answer = service.with_token(Method::POST, path, &first).await;
    assert_eq!((answer.status.as_u16(), answer.data()), (200, json!("")));
    for token in [&first, &second] {
        assert_eq!(service.me_status(token).await, 401);
    }
    let third = token_of(&service.login("taki", PASSWORD).await);
    assert_eq!(service.me_status(&third).await, 200);
}
