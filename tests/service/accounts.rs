//! Accounts: registration, sign-in, links in mails (docs/oauth.md, rule 31), sign-out.

use std::time::Duration;

use axum::http::Method;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::assertions::AssertFields;
use tests::people::PASSWORD;
use tests::service::{Answer, PUBLIC_URL, Service};

async fn post(service: &Service, path: &str, body: &Value) -> Answer {
    service.json(Method::POST, path, None, body).await
}

async fn login(service: &Service, body: &Value) -> Answer {
    post(service, "/v1/auth/login", body).await
}

async fn me(service: &Service, token: &str) -> Answer {
    service.get_as(token, "/v1/auth/me").await
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
    let registered = post(&service, "/v1/auth/register", &body).await;
    assert_eq!(registered.status, 200);
    assert_eq!(registered.header("cache-control"), "private, no-store");
    let data = registered.data();
    let user = json!({
        "id": 1, "username": "Mitsuha_M", "email": "Mitsuha@example.com", "email_verified": false,
        "role": 0, "avatar": "", "gender": 2, "localization": "jp",
        "has_tracker_a": false, "has_tracker_b": false
    });
    assert_eq!(data["user"], user);
    assert_eq!(data["token_type"], "Bearer");
    assert_eq!(data["expires_in"], 2_592_000);
    for name in [
        json!({"username": "mitsuha_m"}),
        json!({"email": "Mitsuha@EXAMPLE.com"}),
    ] {
        let mut body = name;
        body["password"] = PASSWORD.into();
        let answer = login(&service, &body).await;
        assert_eq!(answer.status, 200, "{body}");
        assert_eq!(answer.data()["user"], user);
        let me = me(&service, &token_of(&answer)).await;
        assert_eq!(me.envelope()["message"], "Hi Mitsuha_M");
        assert_eq!(me.data(), user);
        assert_eq!(me.header("cache-control"), "private, no-store");
        assert_eq!(me.header("etag"), "");
    }
    let wrong = login(
        &service,
        &json!({"email": "mitsuha@example.com", "password": PASSWORD}),
    )
    .await;
    assert_eq!(wrong.status, 401, "the part before the @ is case-sensitive");
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
    let answer = post(&service, "/v1/auth/register", &body).await;
    assert_eq!(answer.status, 400);
    let faults = answer.data();
    for field in ["username", "email", "password", "gender", "localization"] {
        assert!(faults[field].is_string(), "{field}: {faults}");
    }
    let answer = login(&service, &json!({})).await;
    let faults = answer.data();
    assert!(faults["username"].is_string() && faults["password"].is_string());
    let both = json!({"username": "a", "email": "a", "password": "b"});
    assert!(login(&service, &both).await.data()["email"].is_string());
}

#[tokio::test]
async fn usernames_and_email_addresses_are_unique() {
    let service = Service::empty().await;
    assert_eq!(service.register("one_two").await.status, 200);
    let register = async |username: &str, email: &str| {
        let body = json!({"username": username, "email": email, "password": PASSWORD});
        let answer = post(&service, "/v1/auth/register", &body).await;
        (answer.status.as_u16(), answer.data())
    };
    let taken = |fields: &[&str]| {
        let fields = fields
            .iter()
            .map(|field| ((*field).to_owned(), json!("is already taken")));
        (409, Value::Object(fields.collect()))
    };
    assert_eq!(
        register("ONE_TWO", "other@example.com").await,
        taken(&["username"])
    );
    // Only the case is ignored when usernames are compared.
    assert_eq!(register("one-two", "third@example.com").await.0, 200);
    assert_eq!(
        register("other", "one_two@EXAMPLE.com").await,
        taken(&["email"])
    );
    assert_eq!(
        register("One_Two", "one_two@example.com").await,
        taken(&["email", "username"])
    );
    // A rejected registration reserves nothing.
    assert_eq!(register("other", "other@example.com").await.0, 200);
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn concurrent_registrations_of_a_username_make_one_user() {
    let service = Service::empty().await;
    let register = async |number: usize| {
        let body = json!({
            "username": "kimi", "email": format!("kimi{number}@example.com"), "password": PASSWORD
        });
        post(&service, "/v1/auth/register", &body)
            .await
            .status
            .as_u16()
    };
    let mut statuses = join_all((0..20).map(register)).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![409; 19]].concat());
    // Two reserved values and the id counter: the rejected registrations leave nothing behind.
    for (table, rows) in [("Unique", 3), ("User", 1)] {
        assert_eq!(service.rows(table).await.len(), rows, "{table}");
    }
}

#[tokio::test]
async fn concurrent_registrations_of_an_address_make_one_user() {
    let service = Service::empty().await;
    let register = async |number: usize| {
        let body = json!({
            "username": format!("name{number}"), "email": "same@example.com", "password": PASSWORD
        });
        post(&service, "/v1/auth/register", &body)
            .await
            .status
            .as_u16()
    };
    let mut statuses = join_all((0..20).map(register)).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![409; 19]].concat());
    assert_eq!(service.get("/v1/user").await.ids().len(), 1);
}

const CONFIRM_EMAIL: &str = "/v1/auth/email_verification/confirm";

#[tokio::test]
async fn verification_link_works_once() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let link = service.mailed_token("taki@example.com").unwrap();
    let verified = async || me(&service, &token).await.data()["email_verified"].take();

    let page = service.get(&format!("/verify-email?token={link}")).await;
    assert_eq!(page.status, 200);
    assert_eq!(
        verified().await,
        false,
        "opening the link must not use it up"
    );

    let confirm = async |token: &str| post(&service, CONFIRM_EMAIL, &json!({"token": token})).await;
    assert_eq!(
        confirm(&link).await.envelope()["message"],
        "E-mail verified"
    );
    assert_eq!(verified().await, true);
    let again = confirm(&link).await;
    assert_eq!(again.status, 400);
    assert!(again.data()["token"].is_string());
}

#[tokio::test]
async fn expired_verification_link_can_be_sent_again() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let send = async || {
        let path = "/v1/auth/email_verification";
        service.with_token(Method::POST, path, &token).await
    };
    let confirm = async |token: &str| post(&service, CONFIRM_EMAIL, &json!({"token": token})).await;
    let first = service.mailed_token("taki@example.com").unwrap();
    service
        .clock
        .advance(Duration::from_hours(24) + Duration::from_mins(2));
    assert_eq!(confirm(&first).await.status, 400);
    assert_eq!(send().await.status, 200);
    let second = service.mailed_token("taki@example.com").unwrap();
    assert_ne!(first, second);
    assert_eq!(confirm(&second).await.status, 200);
    assert_eq!(send().await.status, 409, "the address is already verified");
}

#[tokio::test]
async fn verification_mails_are_limited() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let path = "/v1/auth/email_verification";
    // The registration has sent the first one.
    for _ in 0..4 {
        service
            .with_token(Method::POST, path, &token)
            .await
            .assert_status(200);
    }
    let answer = service.with_token(Method::POST, path, &token).await;
    answer.assert_retry_after(429, "3600");
    assert_eq!(service.mail_count(), 5);
    service.clock.advance(Duration::from_hours(1));
    service
        .with_token(Method::POST, path, &token)
        .await
        .assert_status(200);
}

async fn register_as(service: &Service, username: &str, email: &str) {
    let body = json!({"username": username, "email": email, "password": PASSWORD});
    let answer = post(service, "/v1/auth/register", &body).await;
    answer.assert_status(200);
}

async fn ask_for_reset(service: &Service, email: &str) -> usize {
    let before = service.mail_count();
    let body = json!({"email": email});
    let answer = post(service, "/v1/auth/password_reset", &body).await;
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

/// Registering aliases of a mailbox does not block mail to its owner.
#[tokio::test]
async fn rule_31_aliases_do_not_block_mail_to_the_owner() {
    let service = Service::empty().await;
    let owner = token_of(&service.register("victim").await);
    register_as(&service, "tagged", "victim+kiroku@example.com").await;
    let verified = service.mailed_token("victim+kiroku@example.com").unwrap();
    let path = "/v1/auth/email_verification/confirm";
    let verified = post(&service, path, &json!({"token": verified})).await;
    assert_eq!(verified.status, 200);

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
    assert_eq!(
        ask_for_reset(&service, "victim+kiroku@example.com").await,
        1
    );
    let path = "/v1/auth/email_verification";
    let sent = service.with_token(Method::POST, path, &owner).await;
    assert_eq!(sent.status, 200);
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
        let body = json!({"email": email});
        let answer = post(&service, "/v1/auth/password_reset", &body).await;
        assert_eq!(answer.status, 200);
        assert!(started.elapsed() >= floor, "{email}");
    }
}

const CONFIRM_RESET: &str = "/v1/auth/password_reset/confirm";

#[tokio::test]
async fn password_reset_link_works_once() {
    let service = Service::empty().await;
    let token = token_of(&service.register("taki").await);
    let ask = async |email: &str| {
        post(
            &service,
            "/v1/auth/password_reset",
            &json!({"email": email}),
        )
        .await
    };
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
    let reset = async |token: &str, password: &str| {
        let body = json!({"token": token, "password": password});
        post(&service, CONFIRM_RESET, &body).await
    };
    assert!(reset(&second, "password1").await.data()["password"].is_string());
    assert_eq!(
        reset(&second, "new pass word").await.envelope()["message"],
        "Password reset"
    );
    for spent in [&first, &second] {
        assert!(reset(spent, "newer pass word").await.data()["token"].is_string());
    }
    assert_eq!(
        me(&service, &token).await.status,
        401,
        "every token is revoked"
    );
    let login = async |password: &str| {
        login(&service, &json!({"username": "taki", "password": password}))
            .await
            .status
            .as_u16()
    };
    assert_eq!(login(PASSWORD).await, 401);
    assert_eq!(login("new pass word").await, 200);
}

#[tokio::test]
async fn links_are_bound_to_their_purpose() {
    let service = Service::empty().await;
    let access = token_of(&service.register("taki").await);
    let verification = service.mailed_token("taki@example.com").unwrap();
    service.clock.advance(Duration::from_secs(1));
    post(
        &service,
        "/v1/auth/password_reset",
        &json!({"email": "taki@example.com"}),
    )
    .await;
    let reset = service.mailed_token("taki@example.com").unwrap();
    for token in [&verification, &reset] {
        assert_eq!(me(&service, token).await.status, 401);
    }
    for token in [&access, &reset] {
        let answer = post(&service, CONFIRM_EMAIL, &json!({"token": token})).await;
        assert_eq!(answer.status, 400);
    }
    for token in [&access, &verification] {
        let body = json!({"token": token, "password": "new pass word"});
        assert_eq!(post(&service, CONFIRM_RESET, &body).await.status, 400);
    }
}

#[tokio::test]
async fn mail_has_the_required_headers() {
    let service = Service::empty().await;
    service.register("taki").await;
    let file = std::fs::read_dir(service.mail.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let mail = std::fs::read_to_string(file.path()).unwrap();
    let (head, body) = mail.split_once("\r\n\r\n").unwrap();
    for line in [
        "To: <taki@example.com>",
        "Subject: Verify your e-mail address",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000",
        "MIME-Version: 1.0",
    ] {
        assert!(head.lines().any(|found| found == line), "{line}: {head}");
    }
    assert!(head.contains("<no-reply@kiroku.example>") && head.contains("Message-ID: <"));
    assert!(body.contains(&format!("{PUBLIC_URL}/verify-email?token=ey")));
    assert!(
        body.lines().all(|line| line.len() < 998),
        "RFC 5322, section 2.1.1"
    );
}

/// The registration succeeds without the mail, which can be sent again.
#[tokio::test]
async fn failed_mail_does_not_block_registration() {
    let service = Service::empty().await;
    std::fs::write(service.mail.path().join("file"), "").unwrap();
    let mut environment = service.environment.clone();
    environment.overrides.mail.as_mut().unwrap().carrier = accounts::mail::Carrier::Folder {
        folder: Some(service.mail.path().join("file")),
        print: false,
    };
    let service = service.with_environment(environment);
    let registered = service.register("taki").await;
    assert_eq!(registered.status, 200);
    let path = "/v1/auth/email_verification";
    let again = service
        .with_token(Method::POST, path, &token_of(&registered))
        .await;
    assert_eq!(again.status, 503);
    let ask = json!({"email": "taki@example.com"});
    let reset = post(&service, "/v1/auth/password_reset", &ask).await;
    assert_eq!(
        reset.status, 200,
        "a 503 would reveal that the account exists"
    );
}

#[tokio::test]
async fn signing_out_everywhere_revokes_every_token() {
    let service = Service::empty().await;
    let first = token_of(&service.register("taki").await);
    let body = json!({"username": "taki", "password": PASSWORD});
    let second = token_of(&login(&service, &body).await);
    let path = "/v1/auth/logout_everywhere";
    let answer = service.with_token(Method::POST, path, &first).await;
    assert_eq!((answer.status.as_u16(), answer.data()), (200, json!("")));
    for token in [&first, &second] {
        assert_eq!(me(&service, token).await.status, 401);
    }
    let third = token_of(&login(&service, &body).await);
    assert_eq!(me(&service, &third).await.status, 200);
}
