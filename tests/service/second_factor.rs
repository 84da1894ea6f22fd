//! Second factors: one-time passwords (RFC 6238) and recovery codes, at the sign-in of the API, and the operator's
//! command for users who are locked out.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::http::Method;
use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::auth::CallerAddress;
use shared::clock::Clock;
use shared::models::{Factors, Identity, Passkey};
use tests::assertions::AssertText;
use tests::people::{PASSWORD, Person};
use tests::second_factor::Authenticator;
use tests::service::{Answer, Service, call, request};

const WRONG_CODE: &str = "The code is wrong or has already been used";

/// A service with a user who has a second factor.
struct Guarded {
    service: Service,
    person: Person,
    app: Authenticator,
    recovery: Vec<String>,
}

impl Guarded {
    async fn new() -> Self {
        let (service, person) = Service::with_person("taki").await;
        let (app, recovery) = service.set_up_second_factor(&person).await;
        Self {
            service,
            person,
            app,
            recovery,
        }
    }

    async fn login(&self, code: &str) -> Answer {
        let body = json!({"username": "taki", "password": PASSWORD, "code": code});
        login(&self.service, &body).await
    }

    /// Returns the code of the time step that is this number of seconds away.
    fn code_in(&self, seconds: i64) -> String {
        let now = self.service.clock.now_s();
        self.app.code_at(now.checked_add_signed(seconds).unwrap())
    }

    /// Returns a code that is valid now but not that of the app.
    fn wrong_code(&self) -> String {
        let near = [-30, 0, 30].map(|seconds| self.code_in(seconds));
        let mut codes = (100_000..).map(|number: u32| number.to_string());
        codes.find(|code| !near.contains(code)).unwrap()
    }
}

async fn login(service: &Service, body: &Value) -> Answer {
    service
        .json(Method::POST, "/v1/auth/login", None, body)
        .await
}

async fn login_from(service: &Service, last: u8, body: &Value) -> Answer {
    let headers = [("content-type", "application/json")];
    let path = "/v1/auth/login";
    let mut request = request(Method::POST, path, &headers, body.to_string());
    let address: IpAddr = Ipv4Addr::new(192, 0, 2, last).into();
    request
        .extensions_mut()
        .insert(CallerAddress(Some(address)));
    call(&service.router, request).await
}

fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut statuses: Vec<u16> = answers
        .iter()
        .map(|answer| answer.status.as_u16())
        .collect();
    statuses.sort_unstable();
    statuses
}

/// A code was accepted while the clock of the server was a year ahead. Codes work again once the clock is right.
#[tokio::test]
async fn code_of_a_clock_in_the_future_locks_no_user_out() {
    let guarded = Guarded::new().await;
    let mut environment = guarded.service.environment.clone();
    let year = Duration::from_hours(24 * 365);
    let ahead = Clock::manual(guarded.service.clock.now_ms());
    ahead.advance(year);
    environment.database.clock = ahead;
    let year_s = i64::try_from(year.as_secs()).unwrap();
    let code = guarded.code_in(year_s);
    let Guarded {
        service,
        person,
        app,
        recovery,
    } = guarded;
    let right = service.environment.clone();
    let guarded = Guarded {
        service: service.with_environment(environment),
        person,
        app,
        recovery,
    };
    assert_eq!(guarded.login(&code).await.status, 200);
    let guarded = Guarded {
        service: guarded.service.with_environment(right),
        ..guarded
    };
    let code = guarded.code_in(0);
    assert_eq!(guarded.login(&code).await.status, 200);
    // A code is accepted once.
    assert_eq!(guarded.login(&code).await.status, 401);
}

#[tokio::test]
async fn sign_in_asks_for_a_code() {
    let guarded = Guarded::new().await;
    let service = &guarded.service;
    let both = json!({"second_factor": ["totp", "recovery"]});
    let without = json!({"username": "taki", "password": PASSWORD});
    let missing = login(service, &without).await;
    assert_eq!(missing.status, 401);
    assert_eq!(missing.data(), both);
    assert_eq!(missing.header("www-authenticate"), "Bearer");
    let message = "This account needs a code of its second factor";
    assert_eq!(missing.envelope()["message"], message);
    for code in [json!(""), Value::Null] {
        let body = json!({"username": "taki", "password": PASSWORD, "code": code});
        assert_eq!(login(service, &body).await.body, missing.body);
    }

    let wrong = guarded.login(&guarded.wrong_code()).await;
    assert_eq!(wrong.status, 401);
    assert_eq!(wrong.data(), both);
    assert_eq!(wrong.envelope()["message"], WRONG_CODE);

    // Without the right password, nothing says that there is a second factor, and the code is not used up.
    let code = guarded.code_in(0);
    let body = json!({"username": "taki", "password": "wrong horse battery", "code": code});
    let answer = login(service, &body).await;
    assert_eq!(answer.status, 401);
    assert_eq!(answer.envelope()["message"], "Sign-in failed");
    assert!(answer.data().is_string());

    let body = json!({"email": "taki@example.com", "password": PASSWORD, "code": code});
    let signed_in = login(service, &body).await;
    signed_in.assert_status(200);
    let token = signed_in.data()["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    let me = service.get_as(&token, "/v1/auth/me").await;
    assert_eq!(me.status, 200);
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn accounts_without_a_second_factor_need_no_code() {
    let service = Service::empty().await;
    service.person("taki").await;
    for code in [json!("123456"), json!(""), Value::Null] {
        let body = json!({"username": "taki", "password": PASSWORD, "code": code});
        assert_eq!(login(&service, &body).await.status, 200);
    }
    let body = json!({"username": "taki", "password": PASSWORD, "code": 123_456});
    let answer = login(&service, &body).await;
    assert_eq!(answer.status, 400);
    assert!(answer.data()["code"].is_string());
}

#[tokio::test]
async fn code_works_once_and_within_one_step() {
    let guarded = Guarded::new().await;
    for seconds in [-24 * 60 * 60, -60, 60] {
        let code = guarded.code_in(seconds);
        assert_eq!(guarded.login(&code).await.status, 401, "{seconds}");
    }
    let before = guarded.code_in(-30);
    assert_eq!(guarded.login(&before).await.status, 200);
    assert_eq!(guarded.login(&before).await.status, 401);
    let next = guarded.code_in(30);
    assert_eq!(guarded.login(&next).await.status, 200);
    assert_eq!(guarded.login(&next).await.status, 401);
    // The current step is earlier than the one that was used.
    assert_eq!(guarded.login(&guarded.code_in(0)).await.status, 401);
    guarded.service.clock.advance(Duration::from_mins(1));
    let spaced = guarded.code_in(0);
    let spaced = format!(" {} {} ", &spaced[..3], &spaced[3..]);
    assert_eq!(guarded.login(&spaced).await.status, 200);
}

/// The code that confirmed the set-up is also used up.
#[tokio::test]
async fn code_of_the_set_up_does_not_sign_in() {
    let guarded = Guarded::new().await;
    assert_eq!(guarded.login(&guarded.code_in(-120)).await.status, 401);
}

#[tokio::test]
async fn same_code_in_parallel_signs_in_once() {
    let guarded = Guarded::new().await;
    for code in [guarded.code_in(0), guarded.recovery[0].clone()] {
        let logins = (0..6).map(|_| guarded.login(&code));
        let answers = join_all(logins).await;
        assert_eq!(statuses(&answers), [200, 401, 401, 401, 401, 401]);
    }
}

/// Neither use is lost, although both change the same row.
#[tokio::test]
async fn different_codes_in_parallel_both_sign_in() {
    let guarded = Guarded::new().await;
    let codes = [guarded.code_in(0), guarded.recovery[0].clone()];
    let answers = join_all(codes.iter().map(|code| guarded.login(code))).await;
    assert_eq!(statuses(&answers), [200, 200]);
    for code in &codes {
        assert_eq!(guarded.login(code).await.status, 401);
    }
}

#[tokio::test]
async fn recovery_code_works_once() {
    let guarded = Guarded::new().await;
    let users = guarded.service.users();
    let id = guarded.person.id;
    assert_eq!(guarded.recovery.len(), 10);
    // A mail goes only to an address that is verified.
    assert!(users.verify_email(id, 0).await.unwrap());
    let mails = guarded.service.mail_count();
    let [first, rest @ ..] = &guarded.recovery[..] else {
        panic!("no codes");
    };
    assert_eq!(guarded.login(first).await.status, 200);
    assert_eq!(guarded.service.mail_count(), mails + 1);
    assert_eq!(guarded.login(first).await.status, 401);
    let account = users.account(id).await.unwrap().unwrap();
    let row = serde_json::to_string(&account.factors).unwrap();
    row.assert_lacks(&first[..5]);
    for (number, code) in rest.iter().enumerate() {
        let typed = match number % 3 {
            0 => code.replace('-', ""),
            1 => code.replace('-', " "),
            _ => format!("\t{code}\n"),
        };
        assert_eq!(guarded.login(&typed).await.status, 200, "{typed:?}");
    }
    let body = json!({"username": "taki", "password": PASSWORD});
    let none_left = login(&guarded.service, &body).await;
    assert_eq!(none_left.data(), json!({"second_factor": ["totp"]}));
    assert_eq!(guarded.login(&guarded.code_in(0)).await.status, 200);
}

#[tokio::test]
async fn texts_that_are_not_codes_are_wrong() {
    let guarded = Guarded::new().await;
    let long = "1".repeat(10 * 1024);
    for code in [
        &long,
        "12345",
        "abcdef",
        "\u{0}\u{202e}",
        "-",
        "１２３４５",
        "+12345",
    ] {
        let answer = guarded.login(code).await;
        assert_eq!(answer.status, 401, "{code}");
        assert_eq!(answer.envelope()["message"], WRONG_CODE);
    }
    assert_eq!(guarded.login(&guarded.code_in(0)).await.status, 200);
}

#[tokio::test]
async fn wrong_codes_have_the_limits_of_wrong_passwords() {
    let guarded = Guarded::new().await;
    let (service, wrong) = (&guarded.service, guarded.wrong_code());
    let with = |code: &str| json!({"username": "taki", "password": PASSWORD, "code": code});
    let without = json!({"username": "taki", "password": PASSWORD});
    // A request for the code is not a failure, and does not reset the count of failures.
    for _ in 0..60 {
        assert_eq!(login_from(service, 1, &without).await.status, 401);
    }
    let mut answers = Vec::new();
    for number in 0..100 {
        answers.push(login_from(service, number, &with(&wrong)).await);
        if number == 40 {
            assert_eq!(login_from(service, number, &without).await.status, 401);
        }
    }
    let expected: Vec<u16> = [vec![401; 50], vec![429; 50]].concat();
    assert_eq!(statuses(&answers), expected);
    let right = with(&guarded.code_in(0));
    let blocked = login_from(service, 200, &right).await;
    assert_eq!(blocked.status, 429);
    assert_ne!(blocked.header("retry-after"), "");
    service.clock.advance(Duration::from_hours(24));
    let right = with(&guarded.code_in(0));
    assert_eq!(login_from(service, 200, &right).await.status, 200);
}

/// A network has 100 failures for all accounts together.
#[tokio::test]
async fn wrong_codes_are_limited_by_network() {
    let service = Service::empty().await;
    let mut bodies = Vec::new();
    for name in ["taki", "mitsuha", "sayaka"] {
        let person = service.person(name).await;
        service.set_up_second_factor(&person).await;
        bodies.push(json!({"username": name, "password": PASSWORD, "code": "000"}));
    }
    let mut answers = Vec::new();
    for number in 0..105 {
        answers.push(login_from(&service, 1, &bodies[number % 3]).await);
    }
    let expected: Vec<u16> = [vec![401; 100], vec![429; 5]].concat();
    assert_eq!(statuses(&answers), expected);
}

/// A caller who reads the user's mail cannot guess codes without a limit.
#[tokio::test]
async fn new_password_allows_no_further_codes() {
    let guarded = Guarded::new().await;
    let service = &guarded.service;
    let body = json!({"username": "taki", "password": PASSWORD, "code": "000000"});
    for number in 0..50 {
        login_from(service, number, &body).await;
    }
    let email = json!({"email": "taki@example.com"});
    let sent = service.json(Method::POST, "/v1/auth/password_reset", None, &email);
    assert_eq!(sent.await.status, 200);
    let token = service.mailed_token("taki@example.com");
    let body = json!({"token": token, "password": "new pass word"});
    let path = "/v1/auth/password_reset/confirm";
    let reset = service.json(Method::POST, path, None, &body).await;
    reset.assert_status(200);
    let code = guarded.code_in(0);
    let body = json!({"username": "taki", "password": "new pass word", "code": code});
    assert_eq!(login_from(service, 60, &body).await.status, 429);
    // The network of the reset is known now, and has a count of its own.
    assert_eq!(login(service, &body).await.status, 200);
}

/// A caller without the password learns neither if there is an account nor if it has a second factor.
#[tokio::test]
async fn wrong_password_costs_the_same_with_and_without_a_second_factor() {
    let guarded = Guarded::new().await;
    let Guarded { service, app, .. } = guarded;
    service.person("mitsuha").await;
    let code = app.code(&service);
    let mut costs = Vec::new();
    for name in ["taki", "mitsuha", "unknown"] {
        for code in [Value::Null, json!(code), json!("000000")] {
            let body = json!({"username": name, "password": "wrong horse battery", "code": code});
            costs.push(body);
        }
    }
    let (service, meter) = service.metered();
    let mut seen = Vec::new();
    for body in &costs {
        let hashes = service.environment.passwords().hash_count();
        let answer = login_from(&service, 1, body).await;
        let hashes = service.environment.passwords().hash_count() - hashes;
        seen.push((answer.status, answer.body, meter.take().calls, hashes));
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    let (service, rounds) = service.with_rounds();
    let mut seen = Vec::new();
    for body in &costs {
        login_from(&service, 1, body).await;
        seen.push(rounds.take());
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
}

/// Returns factors of each kind but the second factor.
fn ways_in() -> Factors {
    Factors {
        passkeys: vec![Passkey {
            id: "secret-id".to_owned(),
            name: "secret-name".to_owned(),
            credential: "secret-credential".to_owned(),
            created_at: 1_479_000_000_000,
            used_at: Some(1_479_900_000_000),
        }],
        identity: Some(Identity {
            issuer: "https://id.example".to_owned(),
            subject: "secret-subject".to_owned(),
            connected_at: 1_479_500_000_000,
        }),
        ..Factors::default()
    }
}

#[tokio::test]
async fn operator_sees_kinds_and_dates_of_factors() {
    let guarded = Guarded::new().await;
    let database = guarded.service.database();
    let users = guarded.service.users();
    let account = users.account(guarded.person.id).await.unwrap().unwrap();
    let factors = Factors {
        second_factor: account.factors.second_factor.clone(),
        ..ways_in()
    };
    users.replace_factors(&account, factors).await.unwrap();
    let report = cli::user::show_factors(&database, "TAKI").await.unwrap();
    assert_eq!(
        report,
        "password\n\
         passkey, created 2016-11-13, last used 2016-11-23\n\
         identity provider, connected 2016-11-18\n\
         second factor, set up 2023-11-14, recovery codes left: 10\n\
         no verified e-mail address"
    );
    let unknown = cli::user::show_factors(&database, "mitsuha").await;
    assert_eq!(unknown.unwrap_err().to_string(), "there is no user mitsuha");
}

#[tokio::test]
async fn operator_lets_a_user_in_without_the_factors() {
    let guarded = Guarded::new().await;
    let (service, database) = (&guarded.service, guarded.service.database());
    let token = service.token(guarded.person.id).await;
    let report = cli::user::remove_factors(&database, "taki").await.unwrap();
    assert!(report.ends_with("The password is left."), "{report}");
    let me = service.get_as(&token, "/v1/auth/me").await;
    assert_eq!(me.status, 401);
    let body = json!({"username": "taki", "password": PASSWORD});
    assert_eq!(login(service, &body).await.status, 200);
    let report = cli::user::remove_factors(&database, "taki").await.unwrap();
    assert_eq!(
        report,
        "taki has neither passkeys nor a second factor. Nothing is removed."
    );
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn operator_does_not_remove_the_last_way_in() {
    let service = Service::empty().await;
    let (database, users) = (service.database(), service.users());
    let new = accounts::users::NewAccount {
        username: shared::models::Username::new("taki").unwrap(),
        email: shared::models::EmailAddress::new("taki@example.com").unwrap(),
        email_verified: false,
        password_hash: None,
        factors: ways_in(),
        gender: shared::models::Gender::Unknown,
        localization: "en".to_owned(),
        created_at: 0,
        invitation: None,
    };
    let id = users.create(new).await.unwrap().user.id;
    // The account at the provider is enough.
    let report = cli::user::remove_factors(&database, "taki").await.unwrap();
    report.assert_has("identity provider is left");
    let account = users.account(id).await.unwrap().unwrap();
    let identity = ways_in().identity;
    assert_eq!(
        (account.factors.passkeys.len(), &account.factors.identity),
        (0, &identity)
    );
    let passkeys_only = Factors {
        identity: None,
        ..ways_in()
    };
    users
        .replace_factors(&account, passkeys_only)
        .await
        .unwrap();
    let refused = cli::user::remove_factors(&database, "taki").await;
    let reason = refused.unwrap_err().to_string();
    reason.assert_has("no verified e-mail address");
    assert!(users.verify_email(id, 0).await.unwrap());
    let report = cli::user::remove_factors(&database, "taki").await.unwrap();
    report.assert_has("/forgot-password");
    let account = users.account(id).await.unwrap().unwrap();
    let factors = &account.factors;
    assert!(factors.passkeys.is_empty() && factors.identity.is_none());
    // The marker of the account at the provider is also gone.
    let identity = ways_in().identity.unwrap();
    assert_eq!(users.find_by_identity(&identity).await.unwrap(), None);
}
