//! Passwords and the limits on guessing them (docs/oauth.md, rules 31 to 34).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use accounts::throttling::{AttemptStore, Attempts};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request};
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use shared::auth::{CallerAddress, Passwords, check_policy};
use shared::random::Random;
use tests::people::PASSWORD;
use tests::service::{Answer, Service, call, request};

/// Sends a sign-in request from this caller address.
async fn login_from(router: &Router, address: IpAddr, body: &Value) -> Answer {
    post_from(router, address, "/v1/auth/login", body).await
}

async fn post_from(router: &Router, address: IpAddr, path: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json")];
    let mut request = request(Method::POST, path, &headers, body.to_string());
    request
        .extensions_mut()
        .insert(CallerAddress(Some(address)));
    call(router, request).await
}

fn attempts(service: &Service) -> Attempts {
    Attempts::new(
        AttemptStore::new(&service.database()),
        service.clock.clone(),
    )
}

fn ipv4(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn wrong_password(name: &str) -> Value {
    json!({"username": name, "password": "wrong horse battery"})
}

fn right_password(name: &str) -> Value {
    json!({"username": name, "password": PASSWORD})
}

/// Signs in as `taki` with a wrong password.
async fn guess(service: &Service, address: IpAddr) -> Answer {
    login_from(&service.router, address, &wrong_password("taki")).await
}

/// Signs in as `taki` with the right password, and checks the status.
async fn assert_sign_in(service: &Service, address: IpAddr, status: u16) {
    let answer = login_from(&service.router, address, &right_password("taki")).await;
    assert_eq!(answer.status, status, "{address}: {}", answer.text());
}

/// However many requests arrive at once, the service computes no more hashes than the limit allows.
#[tokio::test]
async fn rule_31_concurrent_sign_ins_to_one_account_are_limited() {
    let service = Service::empty().await;
    service.person("taki").await;
    let before = service.environment.passwords().hash_count();
    let body = wrong_password("taki");
    // Each attempt comes from another address, 60 at a time.
    let attempts = (0..150_u32).map(|number| {
        let address = IpAddr::from(Ipv4Addr::from_bits(0x0a00_0000 + number));
        login_from(&service.router, address, &body)
    });
    let statuses: Vec<u16> = stream::iter(attempts)
        .buffer_unordered(60)
        .map(|answer| answer.status.as_u16())
        .collect()
        .await;
    let refused = statuses.iter().filter(|status| **status == 429).count();
    let failed = statuses.iter().filter(|status| **status == 401).count();
    assert_eq!((failed, refused), (50, 100));
    assert_eq!(service.environment.passwords().hash_count() - before, 50);
    let answer = login_from(&service.router, ipv4(1), &right_password("taki")).await;
    answer.assert_retry_after(429, "86400");
    // The block ends without any action.
    service.clock.advance(Duration::from_hours(24));
    assert_sign_in(&service, ipv4(1), 200).await;
}

#[tokio::test]
async fn rule_31_failures_elsewhere_do_not_block_the_owners_address() {
    let service = Service::empty().await;
    service.person("taki").await;
    let (home, elsewhere) = (ipv4(1), ipv4(2));
    assert_sign_in(&service, home, 200).await;
    for _ in 0..60 {
        guess(&service, elsewhere).await;
    }
    assert_sign_in(&service, ipv4(3), 429).await;
    // The owner has signed in from this address before. Other addresses get no more attempts.
    assert_sign_in(&service, home, 200).await;
    assert_sign_in(&service, ipv4(3), 429).await;

    // At a new address the owner can reset the password. The new address then also counts as the owner's.
    let ask = json!({"email": "taki@example.com"});
    post_from(&service.router, ipv4(3), "/v1/auth/password_reset", &ask).await;
    let token = service.mailed_token("taki@example.com").unwrap();
    let body = json!({"token": token, "password": "new pass word"});
    let path = "/v1/auth/password_reset/confirm";
    let reset = post_from(&service.router, ipv4(3), path, &body).await;
    assert_eq!(reset.status, 200);
    for number in 0..60 {
        let answer = guess(&service, ipv4(100 + number)).await;
        assert_eq!(answer.status, if number < 50 { 401 } else { 429 });
    }
    let body = json!({"username": "taki", "password": "new pass word"});
    for (address, status) in [(ipv4(3), 200), (ipv4(4), 429)] {
        let answer = login_from(&service.router, address, &body).await;
        answer.assert_status(status);
    }
}

/// The address of the registration counts as the owner's from the start.
#[tokio::test]
async fn rule_31_new_account_is_not_blocked_at_the_address_of_its_registration() {
    let service = Service::empty().await;
    let body = json!({"username": "taki", "email": "taki@example.com", "password": PASSWORD});
    post_from(&service.router, ipv4(1), "/v1/auth/register", &body).await;
    for number in 0..51 {
        guess(&service, ipv4(100 + number)).await;
    }
    assert_sign_in(&service, ipv4(2), 429).await;
    // The owner can sign in for as long as the attempts go on.
    for _ in 0..3 {
        service.clock.advance(Duration::from_hours(60 * 24));
        assert_sign_in(&service, ipv4(1), 200).await;
        for number in 0..51 {
            guess(&service, ipv4(100 + number)).await;
        }
    }
}

/// Only the latest addresses of an owner are kept, so that the row stays small.
#[tokio::test]
async fn rule_31_latest_addresses_of_the_owner_are_kept() {
    let service = Service::empty().await;
    let id = service.person("taki").await.id;
    let attempts = attempts(&service);
    for number in 0..120 {
        attempts
            .remember_address(id, CallerAddress(Some(ipv4(number))))
            .await
            .unwrap();
    }
    for number in 0..51 {
        guess(&service, ipv4(200 + number % 50)).await;
    }
    assert_sign_in(&service, ipv4(119), 200).await;
    assert_sign_in(&service, ipv4(0), 429).await;
}

/// A row of known networks that is full begins again with the network of a new sign-in or of a new password.
#[tokio::test]
async fn rule_31_full_row_of_known_networks_begins_again() {
    let (service, person) = Service::with_person("taki").await;
    let throttle = AttemptStore::new(&service.database());
    let attempts = accounts::throttling::Attempts::new(throttle, service.clock.clone());
    let fill = async |count| {
        for number in 0..count {
            let address = CallerAddress(Some(ipv4(number)));
            attempts.remember_address(person.id, address).await.unwrap();
        }
    };
    let networks = async || {
        let rows = service.rows("Throttle").await.into_iter();
        let networks = rows.filter_map(|row| row.get("things")?.as_ss().ok().map(Vec::len));
        networks.collect::<Vec<_>>()
    };
    fill(50).await;
    login_from(&service.router, ipv4(99), &right_password("taki"))
        .await
        .assert_status(200);
    assert_eq!(networks().await, [1]);
    fill(49).await;
    let password = json!({
        "id": person.id, "gender": 1, "password": "new pass word", "current_password": PASSWORD
    });
    let changed = service.post_as(&person.token, "/v1/user", &password).await;
    changed.assert_status(200);
    assert_eq!(networks().await, [1]);
}

#[tokio::test]
async fn rule_31_success_resets_the_failures_of_an_account() {
    let service = Service::empty().await;
    service.person("taki").await;
    for _ in 0..3 {
        for _ in 0..49 {
            let answer = guess(&service, ipv4(1)).await;
            assert_eq!(answer.status, 401);
        }
        // The address has a limit of its own, which a success does not reset.
        service.clock.advance(Duration::from_hours(1));
        assert_sign_in(&service, ipv4(1), 200).await;
    }
}

#[tokio::test]
async fn rule_31_failures_from_one_address_are_limited() {
    let service = Service::empty().await;
    service.person("taki").await;
    let v6 = |network: u16, host: u16| {
        IpAddr::from(Ipv6Addr::new(0x2001, 0xdb8, 0, network, 0, 0, 0, host))
    };
    for number in 0..100_u16 {
        let body = wrong_password(&format!("name{number}"));
        let answer = login_from(&service.router, v6(1, number), &body).await;
        assert_eq!(answer.status, 401);
    }
    let answer = login_from(&service.router, v6(1, 999), &right_password("taki")).await;
    answer.assert_retry_after(429, "3600");
    assert_sign_in(&service, v6(2, 0), 200).await;
    service.clock.advance(Duration::from_hours(1));
    assert_sign_in(&service, v6(1, 999), 200).await;
}

/// `::ffff:a.b.c.d` is the IPv4 address `a.b.c.d`. The first 64 bits of these addresses are zero, so
/// counting by network would put them all into one.
#[tokio::test]
async fn rule_31_mapped_addresses_count_as_their_ipv4_address() {
    let service = Service::empty().await;
    service.person("taki").await;
    let mapped = |last: u8| IpAddr::from(Ipv4Addr::new(192, 0, 2, last).to_ipv6_mapped());
    for number in 0..100 {
        let address = if number % 2 == 0 { ipv4(1) } else { mapped(1) };
        let body = wrong_password(&format!("name{number}"));
        let answer = login_from(&service.router, address, &body).await;
        assert_eq!(answer.status, 401);
    }
    for (address, expected) in [
        (ipv4(1), 429),
        (mapped(1), 429),
        (mapped(2), 200),
        (ipv4(2), 200),
    ] {
        assert_sign_in(&service, address, expected).await;
    }
}

/// A stolen token gives no more password guesses than the limits allow, and does not keep the owner from signing in.
#[tokio::test]
async fn rule_31_wrong_passwords_with_a_token_have_a_limit_of_their_own() {
    let (service, person) = Service::with_person("taki").await;
    let change = async |last: u8, mut body: Value| {
        body["id"] = json!(person.id);
        body["gender"] = json!(0);
        let request = Request::post("/v1/user")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {}", person.token))
            .extension(CallerAddress(Some(ipv4(last))))
            .body(Body::from(body.to_string()));
        call(&service.router, request.unwrap()).await
    };
    let new = json!({"password": "new pass word"});
    let wrong = json!({"current_password": "wrong horse battery"});
    // The account is blocked from every address. The change is rejected without a hash.
    for number in 0..50 {
        assert_eq!(change(100 + number, wrong.clone()).await.status, 400);
    }
    let before = service.environment.passwords().hash_count();
    let blocked = change(2, new.clone()).await;
    blocked.assert_retry_after(429, "86400");
    assert_eq!(service.environment.passwords().hash_count(), before);
    for address in [100, 2] {
        assert_sign_in(&service, ipv4(address), 200).await;
    }
    service.clock.advance(Duration::from_hours(24));
    // A wrong current password counts as a failure, and a success resets the count.
    for _ in 0..49 {
        assert_eq!(change(2, wrong.clone()).await.status, 400);
    }
    assert_eq!(change(2, new).await.status, 200);
    assert_eq!(change(2, wrong).await.status, 400);
    // A new password that is not allowed costs no hash and does not count as a failure.
    let before = service.environment.passwords().hash_count();
    for _ in 0..60 {
        let weak = change(2, json!({"password": "iloveyou"})).await;
        assert_eq!(weak.status, 400);
    }
    assert_eq!(service.environment.passwords().hash_count(), before);
}

#[tokio::test]
async fn rule_31_username_and_email_share_one_limit() {
    let service = Service::empty().await;
    service.person("taki").await;
    let by_email = json!({"email": "taki@example.com", "password": "wrong horse battery"});
    let bodies = [wrong_password("taki"), by_email, wrong_password("TAKI")];
    let attempts = (0..60).map(|number| {
        let address = IpAddr::from(Ipv4Addr::from_bits(0x0a00_0000 + number));
        login_from(&service.router, address, &bodies[number as usize % 3])
    });
    let answers = join_all(attempts).await;
    let failed = answers.iter().filter(|answer| answer.status == 401).count();
    assert_eq!(failed, 50);
}

#[tokio::test]
async fn rule_32_unknown_users_cost_the_same_as_known_ones() {
    let service = Service::empty().await;
    service.person("taki").await;
    let (client, meter) = tests::units::metered();
    let service = service.with_functions_client(client);
    let mut answers = Vec::new();
    for body in [
        wrong_password("taki"),
        wrong_password("nobody"),
        wrong_password("no name at all"),
        json!({"username": "taki", "password": ""}),
        json!({"username": "nobody", "password": ""}),
        json!({"email": "nobody@example.com", "password": "wrong horse battery"}),
        json!({"email": "", "password": "wrong horse battery"}),
        json!({"username": "taki", "password": "x".repeat(5000)}),
    ] {
        let before = service.environment.passwords().hash_count();
        let answer = login_from(&service.router, ipv4(1), &body).await;
        let hashes = service.environment.passwords().hash_count() - before;
        assert_eq!(hashes, 1, "{body}");
        assert_eq!(answer.status, 401);
        answers.push((answer.body, meter.take().calls));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

/// An unknown account is blocked in the same way as an existing one.
#[tokio::test]
async fn rule_32_unknown_users_are_blocked_like_known_ones() {
    let service = Service::empty().await;
    service.person("taki").await;
    let mut counts = Vec::new();
    for name in ["taki", "nobody"] {
        let mut statuses = Vec::new();
        for number in 0..52 {
            let address = IpAddr::from(Ipv4Addr::from_bits(0x0a00_0000 + number));
            let answer = login_from(&service.router, address, &wrong_password(name)).await;
            statuses.push((answer.status, answer.header("retry-after").to_owned()));
        }
        counts.push(statuses);
    }
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0][51].0, 429);
}

#[tokio::test]
async fn rule_33_password_policy() {
    let service = Service::empty().await;
    let long = "å".repeat(64);
    let register = async |name: &str, password: &str| {
        let email = format!("{name}@example.com");
        let body = json!({"username": name, "email": email, "password": password});
        service.post("/v1/auth/register", &body).await
    };
    for (number, password) in [&long, "aaaa bbb", "ключ от двери", "2718281828459045"]
        .iter()
        .enumerate()
    {
        let name = format!("name{number}");
        assert_eq!(register(&name, password).await.status, 200, "{password}");
        service.login(&name, password).await.assert_status(200);
    }
    // Long passwords are not truncated.
    let shorter = service.login("name0", &"å".repeat(63)).await;
    shorter.assert_status(401);
    // The next password has the same characters in decomposed form.
    let decomposed = service.login("name0", &"a\u{30a}".repeat(64)).await;
    decomposed.assert_status(200);

    for password in [
        "",
        "1234567",
        "password",
        "PassWord1",
        "qwertyuiop",
        "iloveyou",
        "name-of-mine",
        "name-of-mine@example.com",
    ] {
        let answer = register("name-of-mine", password).await;
        assert_eq!(answer.status, 400, "{password}");
        assert!(answer.data()["password"].is_string());
    }
    assert!(check_policy(&"x".repeat(4097), "", "").is_err());
    // A password needs 8 characters before and after normalization. It turns these three into nine, and the next eight
    // into four.
    assert!(check_policy("½½½", "", "").is_err());
    assert!(check_policy(&"e\u{301}".repeat(4), "", "").is_err());
}

/// The lookup compares passwords in lower case. Shorter entries would be refused without the list.
#[test]
fn rule_33_block_list_is_sorted_and_lower_case() {
    let list = include_str!("../../shared/data/common_passwords.txt");
    let lines: Vec<&str> = list.lines().collect();
    assert!(lines.len() > 5_000);
    assert!(lines.is_sorted());
    for line in &lines {
        assert!(
            line.len() >= 8 && line.is_ascii() && line.to_lowercase() == *line,
            "{line}"
        );
    }
    // Each check reads the list up to the entry, so it is made for some of them: the first, the last and 98 between.
    let some = lines.iter().step_by(lines.len() / 99);
    for line in some.chain(lines.last()) {
        assert!(check_policy(&line.to_uppercase(), "", "").is_err());
    }
}

#[tokio::test]
async fn rule_34_hash_is_argon2id_with_the_documented_parameters() {
    let passwords = Passwords::new(Random::seeded(1));
    let hash = passwords.hash(PASSWORD).await.unwrap();
    assert!(
        hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{hash}"
    );
    let other = passwords.hash(PASSWORD).await.unwrap();
    assert_ne!(hash, other, "each hash has its own salt");
    for (password, is_right) in [(PASSWORD, true), ("wrong horse battery", false)] {
        let verified = passwords.verify(password, Some(hash.clone())).await;
        assert_eq!(verified.unwrap(), is_right, "{password}");
    }
}

/// A registration costs a hash like a sign-in, so it also has a limit.
#[tokio::test]
async fn registrations_per_address_are_limited() {
    let service = Service::empty().await;
    let attempts = attempts(&service);
    for _ in 0..500 {
        let limit = accounts::throttling::REGISTRATIONS_PER_NETWORK;
        attempts
            .count_by_network("register", CallerAddress(None), limit)
            .await
            .unwrap();
    }
    let before = service.environment.passwords().hash_count();
    assert_eq!(service.register("taki").await.status, 429);
    assert_eq!(service.environment.passwords().hash_count(), before);
    service.clock.advance(Duration::from_hours(1));
    assert_eq!(service.register("taki").await.status, 200);
}
