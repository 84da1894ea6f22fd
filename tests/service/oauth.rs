//! The authorization endpoint (docs/oauth.md, rules 1 to 16, and the response modes of rule 30).

use std::time::Duration;

use accounts::applications::ClientKind::{Confidential, Public};
use accounts::sessions::SessionStore;
use axum::http::Method;
use futures_util::future::join_all;
use shared::auth::Action;
use shared::models::RedirectUri;
use tests::assertions::AssertText;
use tests::browser::{Application, PageClient, Returned, client_details, hidden, query};
use tests::service::{Answer, PUBLIC_URL, Service};
use tests::table::table;

fn assert_error_page(answer: &Answer, status: u16) {
    answer.assert_status(status);
    assert_eq!(answer.header("location"), "");
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
}

#[tokio::test]
async fn rule_01_client_and_redirect_uri_are_checked_first() {
    let (service, user, application) = Service::with_application("developer").await;
    let id = application.client_id.as_str();
    let uri = application.redirect_uri.as_str();
    let everything_wrong = [
        ("response_type", "nonsense"),
        ("code_challenge", "short"),
        ("code_challenge_method", "plain"),
    ];
    let mut signed_in = PageClient::signed_in(&service, &user).await;
    let mut anonymous = PageClient::new(&service);
    for (pairs, named) in [
        (vec![("redirect_uri", uri)], "client_id"),
        (
            vec![("client_id", "unknown"), ("redirect_uri", uri)],
            "client_id",
        ),
        (vec![("client_id", ""), ("redirect_uri", uri)], "client_id"),
        (
            vec![("client_id", id), ("client_id", id), ("redirect_uri", uri)],
            "client_id",
        ),
        (vec![("client_id", id)], "redirect_uri"),
        (
            vec![("client_id", id), ("redirect_uri", "https://evil.example/")],
            "redirect_uri",
        ),
        (
            vec![
                ("client_id", id),
                ("redirect_uri", uri),
                ("redirect_uri", uri),
            ],
            "redirect_uri",
        ),
    ] {
        for more in [&everything_wrong[..], &[("response_type", "code")], &[]] {
            let mut all = pairs.clone();
            all.extend(more);
            let path = format!("/v1/oauth?{}", query(&all));
            for browser in [&mut signed_in, &mut anonymous] {
                let answer = browser.get(&path).await;
                assert_error_page(&answer, 400);
                answer.assert_has(named);
                let posted = browser.post("/v1/oauth", &all).await;
                assert_error_page(&posted, 400);
            }
        }
    }
}

#[tokio::test]
async fn rule_02_redirect_uri_must_equal_a_registered_one() {
    let (service, user) = Service::with_person("mitsuha").await;
    let uris = "https://app.example/callback?a=1&b=2\nhttps://app.example/Other";
    let application = service.application(&user, Confidential, uris, false).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let mut ask = async |uri: &str| {
        let application = Application {
            redirect_uri: uri.to_owned(),
            ..application.clone()
        };
        browser.get(&application.request(&[])).await
    };
    for registered in uris.lines() {
        assert_eq!(ask(registered).await.status, 200, "{registered}");
    }
    for other in [
        "https://app.example/callback?a=1&b=2/",
        "https://app.example/callback?a=1&b=2&c=3",
        "https://app.example/callback?b=2&a=1",
        "https://app.example/callback?a=1",
        "https://app.example/callback",
        "https://app.example/Callback?a=1&b=2",
        "https://app.example/call%62ack?a=1&b=2",
        "https://app.example/./callback?a=1&b=2",
        "https://app.example/x/../callback?a=1&b=2",
        "https://app.example/..;/callback?a=1&b=2",
        "https://app.example./callback?a=1&b=2",
        "https://APP.example/callback?a=1&b=2",
        "HTTPS://app.example/callback?a=1&b=2",
        "http://app.example/callback?a=1&b=2",
        "https://app.example:443/callback?a=1&b=2",
        "https://app.example.evil.example/callback?a=1&b=2",
        "https://app.example@evil.example/callback?a=1&b=2",
        "https://a@b@app.example/callback?a=1&b=2",
        "https://app.example/callback?a=1&b=2#fragment",
        "https://app.example/callback?a=1&b=2 ",
        "https://app.example/other",
        "//app.example/callback?a=1&b=2",
        "/callback?a=1&b=2",
        "javascript:alert(1)",
    ] {
        assert_error_page(&ask(other).await, 400);
    }
}

#[test]
fn rule_03_only_the_port_of_a_loopback_uri_may_differ() {
    let is = |registered: &str, sent: &str| RedirectUri::new(registered).unwrap().matches(sent);
    for host in ["http://127.0.0.1", "http://[::1]"] {
        for registered in [format!("{host}/cb?a=1"), format!("{host}:8000/cb?a=1")] {
            for sent in ["/cb?a=1", ":1/cb?a=1", ":65535/cb?a=1"] {
                let sent = format!("{host}{sent}");
                assert!(is(&registered, &sent), "{registered} {sent}");
            }
            for sent in [
                "/cb",
                "/cb/?a=1",
                ":65536/cb?a=1",
                ":/cb?a=1",
                ":80x/cb?a=1",
                ":1@evil.example/cb?a=1",
                ".evil.example/cb?a=1",
            ] {
                let sent = format!("{host}{sent}");
                assert!(!is(&registered, &sent), "{registered} {sent}");
            }
        }
    }
    assert!(!is("http://127.0.0.1/cb", "http://[::1]/cb"));
    assert!(!is("http://127.0.0.1/cb", "http://localhost/cb"));
    assert!(!is("http://localhost:3000/cb", "http://localhost:3001/cb"));
    assert!(!is("https://app.example/cb", "https://app.example:8443/cb"));
    assert!(!is("https://127.0.0.1/cb", "https://127.0.0.1:8443/cb"));
}

#[test]
fn rule_04_valid_redirect_uris() {
    for good in [
        "https://app.example/callback",
        "https://app.example",
        "https://app.example:8443/cb?next=%2F",
        "https://[2001:db8::1]/cb",
        "http://127.0.0.1/cb",
        "http://127.0.0.1:3000/cb",
        "http://[::1]:3000/cb",
        "http://localhost:3000/cb",
        "com.example.app:/cb",
        "com.example.app://cb",
    ] {
        assert!(RedirectUri::new(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "/callback",
        "callback",
        "//app.example/callback",
        "https:callback",
        "https:/app.example/cb",
        "https://",
        "https:///cb",
        "https://:443/cb",
        "https://[anything]/cb",
        "https://app.example:/cb",
        "https://app.example:99999/cb",
        "https://app.example:x/cb",
        "https://app.example/cb#",
        "https://app.example/cb#fragment",
        "https://user@app.example/cb",
        "https://user:secret@app.example/cb",
        "https://app.example\\@evil.example/cb",
        "https://app.example/c b",
        "https://app.example/cb\r\nLocation: https://evil.example",
        "https://app.example/\u{0}",
        "https://app.example/\"><script>",
        "https://äpp.example/cb",
        "http://app.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://127.0.0.1@evil.example/cb",
        "http://localhost.evil.example/cb",
        "http://127.0.0.2/cb",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java.script:alert(1)",
        "data:text/html,x",
        "DATA:text/html,x",
        "vbscript:x",
        "VBScript:x",
        "file:///etc/passwd",
        "myapp:/cb",
        "com.example.app:cb",
        ".com:/cb",
    ] {
        assert!(RedirectUri::new(bad).is_err(), "{bad}");
    }
    let long = format!("https://app.example/{}", "x".repeat(500));
    assert!(RedirectUri::new(&long).is_err());
}

#[tokio::test]
async fn rule_05_repeated_parameters_are_rejected() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (name, value) in [
        ("response_type", "code"),
        ("state", "one"),
        ("scope", "all"),
        ("unknown", ""),
    ] {
        let mut more = vec![(name, value), (name, value)];
        if name != "response_type" {
            more.push(("response_type", "code"));
        }
        let returned = Returned::from_redirect(&browser.get(&application.request(&more)).await);
        assert_eq!(returned.get("error"), Some("invalid_request"), "{name}");
        assert_eq!(returned.get("state"), None, "{name}");
    }
    // API Gateway's parsed parameters join repeated values with a comma, which is not a valid response
    // type.
    let joined = application.request(&[("response_type", "code,code")]);
    let returned = Returned::from_redirect(&browser.get(&joined).await);
    assert_eq!(returned.get("error"), Some("unsupported_response_type"));
}

#[tokio::test]
async fn rule_06_user_signs_in_before_any_redirect_to_the_client() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::new(&service);
    for more in [
        &[("state", "s t/&=#")][..],
        &[("response_type", "nonsense"), ("state", "x")],
        &[("code_challenge", "short")],
        &[("scope", "one"), ("scope", "two")],
    ] {
        let request = application.request(more);
        let answer = browser.get(&request).await;
        assert_eq!(answer.status, 303);
        // After signing in, the user returns to the same request.
        let mut signed_in = PageClient::signed_in(&service, &user).await;
        let back = next_page(&answer);
        let (one, other) = (signed_in.get(&back).await, signed_in.get(&request).await);
        assert_eq!(one.status, other.status);
        assert_eq!(one.header("location"), other.header("location"));
        let pairs: [(&str, &str); 2] = [
            ("client_id", &application.client_id),
            ("redirect_uri", &application.redirect_uri),
        ];
        let posted = browser.post("/v1/oauth", &pairs).await;
        assert!(posted.header("location").starts_with(PUBLIC_URL));
    }
}

/// Returns the page to which the sign-in page leads next.
fn next_page(answer: &Answer) -> String {
    let location = answer.header("location");
    let next = location.strip_prefix(&format!("{PUBLIC_URL}/sign-in?next="));
    let next = next.unwrap_or_else(|| panic!("{location}"));
    let decoded = percent_encoding::percent_decode_str(next).decode_utf8();
    decoded.unwrap().into_owned()
}

#[tokio::test]
async fn rule_07_get_shows_the_request_and_issues_nothing() {
    let (service, user) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let uri = "https://app.example/callback";
    let application = service.application(&user, Confidential, uri, true).await;
    for kind in ["code", "token"] {
        for _ in 0..2 {
            let request = application.request(&[("response_type", kind)]);
            let page = browser.get(&request).await;
            assert_eq!((page.status.as_u16(), page.header("location")), (200, ""));
            let text = page.text();
            for shown in ["Radio Itomori", "app.example", "30 days", "mitsuha"] {
                assert!(text.contains(shown), "{shown}");
            }
            assert!(!text.contains("access_token") && !text.contains("code="));
        }
        // The page is shown again even after the application was connected once.
        let more = [("response_type", kind)];
        browser.allow(&application, &more).await;
    }
    let path = "/v1/oauth?decision=allow&consent=x";
    assert_error_page(&browser.get(path).await, 400);
}

/// A custom scheme can look like a web address.
#[tokio::test]
async fn rule_07_consent_page_shows_the_real_destination() {
    let (service, user) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (uri, named) in [
        (
            "https.evil.app://accounts.bank.example/cb",
            "https.evil.app",
        ),
        ("com.example.app:/cb", "com.example.app"),
        ("https://app.example:8443/cb", "app.example:8443"),
        ("http://127.0.0.1/cb", "127.0.0.1"),
    ] {
        let application = service.application(&user, Confidential, uri, false).await;
        let page = browser.get(&application.request(&[])).await.text();
        page.assert_has(&format!("<strong>{named}</strong>"));
    }
}

#[tokio::test]
async fn rule_30_response_modes_match_the_metadata() {
    let (service, user) = Service::with_person("mitsuha").await;
    let uri = "https://app.example/cb";
    let application = service.application(&user, Confidential, uri, true).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (kind, mode, separator) in [
        ("code", "query", '?'),
        ("code", "fragment", '#'),
        ("token", "fragment", '#'),
    ] {
        let more = [
            ("response_type", kind),
            ("response_mode", mode),
            ("state", "xyz"),
        ];
        let returned = browser.allow(&application, &more).await;
        let start = format!("{uri}{separator}");
        returned.location.assert_starts_with(&start);
        assert_eq!(returned.get("state"), Some("xyz"));
        let page = browser.get(&application.request(&more)).await;
        let denied = Returned::from_redirect(&browser.decide(&page, "deny").await);
        denied.location.assert_starts_with(&start);
        assert_eq!(denied.get("error"), Some("access_denied"));
    }
    for (kind, mode, separator) in [
        ("code", "form_post", '?'),
        ("code", "QUERY", '?'),
        ("token", "query", '#'),
        ("token", "form_post", '#'),
    ] {
        let more = [("response_type", kind), ("response_mode", mode)];
        let refused = Returned::from_redirect(&browser.get(&application.request(&more)).await);
        let start = format!("{uri}{separator}error=invalid_request&");
        refused.location.assert_starts_with(&start);
    }
}

#[tokio::test]
async fn rule_07_client_names_must_be_visible() {
    use shared::input::Fields;
    let read = |name: &str| {
        let body = serde_json::json!({"name": name, "redirect_uris": "https://app.example/cb"});
        let mut fields = Fields::parse(body.to_string().as_bytes()).unwrap();
        let details = accounts::applications::read_client_details(&mut fields);
        details.map(|details| details.name).ok_or_else(|| {
            let faults = fields.finish(Some(())).unwrap_err();
            format!("{faults:?}")
        })
    };
    for name in [
        "Radio Itomori",
        "記録",
        "ラジオ",
        "Pokémon!",
        "e\u{301}",
        "😀",
        "⠗",
    ] {
        assert!(read(name).is_ok(), "{name:?}");
    }
    assert_eq!(read("  Radio\u{3000} Itomori ").unwrap(), "Radio Itomori");
    for hidden in [
        '\u{3164}', '\u{115f}', '\u{2800}', '\u{34f}', '\u{fe0f}', '\u{ffa0}', '\u{ad}',
        '\u{200b}', '\u{202e}',
    ] {
        for name in [
            hidden.to_string(),
            format!("{hidden}Radio"),
            format!("Ra{hidden}dio"),
        ] {
            let fault = read(&name).unwrap_err();
            assert!(fault.contains("invisible characters"), "{name:?}: {fault}");
        }
    }
    let fault = read("\u{301}").unwrap_err();
    fault.assert_has("must contain a visible character");

    // The page also checks the name.
    let (service, user) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let page = browser.get("/developer").await;
    let form = [
        ("name", "\u{3164}"),
        ("redirect_uris", "https://app.example/cb"),
        ("kind", "public"),
    ];
    let answer = browser.submit(&page, "/developer", &form).await;
    assert_eq!(answer.status, 400);
    answer.assert_has("must not contain invisible characters");
}

#[tokio::test]
async fn rule_07_client_names_are_escaped() {
    let (service, user, application) = Service::with_application("developer").await;
    let developer = service.person("another").await;
    let name = "<script>alert(1)</script>\"'&";
    let details = client_details(name, &application.redirect_uri, false);
    let access = service.access(&developer, Action::ManageClients).await;
    let applications = service.environment.applications();
    let (client, _) = applications
        .create(&access, Confidential, details)
        .await
        .unwrap();
    let application = Application {
        client_id: client.client_id,
        ..application
    };
    let mut browser = PageClient::signed_in(&service, &user).await;
    let state = [("state", "\"><script>alert(2)</script>")];
    let page = browser.get(&application.request(&state)).await.text();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    page.assert_lacks("<script>alert");
}

#[tokio::test]
async fn rule_08_consent_is_bound_to_its_session_and_used_once() {
    let (service, user, application) = Service::with_application("developer").await;
    let other = service.person("taki").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let mut same_user_elsewhere = PageClient::signed_in(&service, &user).await;
    let mut other_user = PageClient::signed_in(&service, &other).await;
    let page = browser.get(&application.request(&[])).await;
    let id = hidden(&page, "consent").unwrap();
    for elsewhere in [&mut same_user_elsewhere, &mut other_user] {
        let own = elsewhere.get(&application.request(&[])).await;
        let csrf = hidden(&own, "csrf").unwrap();
        let form = [
            ("csrf", csrf.as_str()),
            ("consent", id.as_str()),
            ("decision", "allow"),
        ];
        assert_error_page(&elsewhere.post("/v1/oauth", &form).await, 400);
    }
    let allowed = browser.decide(&page, "allow").await;
    assert!(Returned::from_redirect(&allowed).get("code").is_some());
    for decision in ["allow", "deny"] {
        let again = browser.decide(&page, decision).await;
        assert_error_page(&again, 400);
    }
    let late = browser.get(&application.request(&[])).await;
    service.clock.advance(Duration::from_mins(10));
    let late = browser.decide(&late, "allow").await;
    assert_error_page(&late, 400);
}

/// The owner changes or deletes the application while the user looks at the consent page.
#[tokio::test]
async fn rule_08_consent_is_void_after_the_application_has_changed() {
    let (service, user) = Service::with_person("mitsuha").await;
    let developer = service.person("developer").await;
    let applications = service.environment.applications();
    let access = service.access(&developer, Action::ManageClients).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let implicit = [("response_type", "token")];
    for (uris, still_implicit) in [
        ("https://app.example/other", true),
        ("https://app.example/callback", false),
        ("", false),
    ] {
        let uri = "https://app.example/callback";
        let application = service.application(&developer, Public, uri, true).await;
        let pages = [
            browser.get(&application.request(&implicit)).await,
            browser.get(&application.request(&implicit)).await,
        ];
        if uris.is_empty() {
            let deleted = applications.delete(&access, &application.client_id);
            deleted.await.unwrap();
        } else {
            let details = client_details("Radio", uris, still_implicit);
            let update = applications
                .clients
                .update(&access, &application.client_id, &details);
            update.await.unwrap();
        }
        for (page, decision) in pages.iter().zip(["allow", "deny"]) {
            let form = [("decision", decision)];
            let answer = browser.submit(page, "/v1/oauth", &form).await;
            assert_error_page(&answer, 400);
        }
    }
    let connected = applications.list_connected(user.id).await.unwrap();
    assert!(connected.is_empty());
}

#[tokio::test]
async fn rule_08_consent_page_returns_after_an_expired_session() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let request = application.request(&[("state", "xyz")]);
    let page = browser.get(&request).await;
    service.clock.advance(Duration::from_hours(24 * 8));
    let answer = browser.decide(&page, "allow").await;
    assert_eq!(answer.status, 303);
    let mut signed_in = PageClient::signed_in(&service, &user).await;
    let back = signed_in.get(&next_page(&answer)).await;
    back.assert_status(200);
}

/// Opening the consent page counts as a use of the session, and renews it if the last use was days ago.
#[tokio::test]
async fn consent_page_renews_the_session() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let sessions = SessionStore::new(&service.database());
    let expiry = async || sessions.list(user.id).await.unwrap()[0].expires_at;
    let before = expiry().await;
    service.clock.advance(Duration::from_hours(48));
    browser.get(&application.request(&[])).await;
    assert!(expiry().await > before);
}

#[tokio::test]
async fn rule_08_only_one_of_many_concurrent_decisions_counts() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let page = browser.get(&application.request(&[])).await;
    let [csrf, consent] = ["csrf", "consent"].map(|name| hidden(&page, name).unwrap());
    let cookie = &browser.cookies;
    let answers = join_all((0..20).map(async |number| {
        let mut window = PageClient::new(&service);
        window.cookies = cookie.clone();
        let decision = if number % 2 == 0 { "allow" } else { "deny" };
        let form = [
            ("csrf", csrf.as_str()),
            ("consent", &consent),
            ("decision", decision),
        ];
        window.post("/v1/oauth", &form).await.status.as_u16()
    }))
    .await;
    for (status, expected) in [(303, 1), (400, 19)] {
        let count = answers.iter().filter(|answer| **answer == status).count();
        assert_eq!(count, expected, "{answers:?}");
    }
}

/// From the size of compressed pages that repeat text of an attacker, the attacker could find out a token
/// that is always the same (the BREACH attack).
#[tokio::test]
async fn rule_09_csrf_tokens_differ_on_every_page() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut signed_in = PageClient::signed_in(&service, &user).await;
    let mut anonymous = PageClient::new(&service);
    let consent = application.request(&[]);
    let mut tokens = Vec::new();
    for _ in 0..3 {
        for path in ["/profile", "/developer", &consent] {
            tokens.push(hidden(&signed_in.get(path).await, "csrf").unwrap());
        }
        tokens.push(hidden(&anonymous.get("/sign-in").await, "csrf").unwrap());
    }
    let different: std::collections::BTreeSet<&String> = tokens.iter().collect();
    assert_eq!(different.len(), tokens.len());
    // Each token is valid for as long as its cookie.
    // With a valid token, only the fields are missing.
    for token in &tokens[..3] {
        let form = [("csrf", token.as_str())];
        let answer = signed_in.post("/profile/settings", &form).await;
        answer.assert_status(400);
    }
    let (half, rest) = tokens[0].split_at(43);
    let flipped: String = rest.chars().rev().collect();
    for forged in [
        half,
        "",
        &format!("{half}{flipped}"),
        &tokens[0][1..],
        &tokens[3],
    ] {
        let form = [("csrf", forged)];
        let answer = signed_in.post("/profile/settings", &form).await;
        assert_eq!(answer.status, 403, "{forged}");
    }
}

#[tokio::test]
async fn rule_09_consent_requires_the_csrf_token_of_its_page() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let page = browser.get(&application.request(&[])).await;
    let consent = hidden(&page, "consent").unwrap();
    let mut elsewhere = PageClient::signed_in(&service, &user).await;
    let others = elsewhere.get(&application.request(&[])).await;
    let others = hidden(&others, "csrf").unwrap();
    for csrf in ["", "nonsense", &others] {
        let form = [("csrf", csrf), ("consent", &consent), ("decision", "allow")];
        assert_error_page(&browser.post("/v1/oauth", &form).await, 403);
    }
    let form = [("consent", consent.as_str()), ("decision", "allow")];
    assert_error_page(&browser.post("/v1/oauth", &form).await, 403);
    let allowed = browser.decide(&page, "allow").await;
    // Rejected forms do not use up the consent.
    allowed.assert_status(303);
}

/// States as a client sends them and as they are returned. Both decode to the same bytes.
const STATES: [(&str, &str); 6] = [
    ("abc-._~", "abc-._~"),
    (
        "a%20b%2Bc%26d%3De%23f%3Fg%2Fh",
        "a%20b%2Bc%26d%3De%23f%3Fg%2Fh",
    ),
    ("a+b", "a%20b"),
    ("%E3%81%8D%E3%82%8D%E3%81%8F", "%E3%81%8D%E3%82%8D%E3%81%8F"),
    ("%FF%00%0D%0A", "%FF%00%0D%0A"),
    ("{\"a\":[1]}", "%7B%22a%22%3A%5B1%5D%7D"),
];

#[tokio::test]
async fn rule_10_state_is_returned_byte_for_byte() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (sent, expected) in STATES {
        // RFC 3986 does not allow these characters in a query. `http::Uri` rejects the quotation mark, which
        // browsers encode.
        let sent = sent.replace('"', "%22");
        let sent = sent.replace('{', "%7B").replace('}', "%7D");
        let address = format!("{}&state={sent}", application.request(&[]));
        for decision in ["allow", "deny"] {
            let page = browser.get(&address).await;
            let decided = Returned::from_redirect(&browser.decide(&page, decision).await);
            assert_eq!(decided.get("state"), Some(expected));
        }
        let wrong = address.replace("response_type=code", "response_type=nonsense");
        let returned = Returned::from_redirect(&browser.get(&wrong).await);
        assert_eq!(returned.get("state"), Some(expected));
    }
    let returned = browser.allow(&application, &[]).await;
    assert_eq!(returned.get("state"), None, "none was sent");
    let wrong = application.request(&[("response_type", "x")]);
    let returned = Returned::from_redirect(&browser.get(&wrong).await);
    assert_eq!(returned.get("state"), None);
}

/// A request of more than 4,096 characters is rejected before any of it is stored. As the parameter `next` of
/// the sign-in page, it could exceed API Gateway's limits.
#[tokio::test]
async fn rule_10_overlong_state_is_rejected() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut anonymous = PageClient::new(&service);
    let mut browser = PageClient::signed_in(&service, &user).await;
    let long = "/".repeat(2000);
    let request = application.request(&[("state", &long)]);
    for browser in [&mut anonymous, &mut browser] {
        assert_error_page(&browser.get(&request).await, 400);
    }
    let longest = application.request(&[("state", &"x".repeat(3800))]);
    let answer = anonymous.get(&longest).await;
    assert_eq!(answer.status, 303);
    assert!(answer.header("location").len() < 8192);
    assert_eq!(browser.get(&longest).await.status, 200);
}

#[tokio::test]
async fn rule_11_every_response_names_the_issuer() {
    let (service, user) = Service::with_person("mitsuha").await;
    let uri = "https://app.example/cb";
    let application = service.application(&user, Confidential, uri, true).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let metadata = service.get("/.well-known/oauth-authorization-server").await;
    assert_eq!(metadata.json()["issuer"], PUBLIC_URL);
    let issuer = Some("https%3A%2F%2Fkiroku.test");
    for kind in ["code", "token"] {
        let more = [("response_type", kind)];
        assert_eq!(browser.allow(&application, &more).await.get("iss"), issuer);
        let page = browser.get(&application.request(&more)).await;
        let denied = Returned::from_redirect(&browser.decide(&page, "deny").await);
        assert_eq!(denied.get("error"), Some("access_denied"));
        assert_eq!(denied.get("iss"), issuer);
    }
    let wrong = application.request(&[("response_type", "x")]);
    let returned = Returned::from_redirect(&browser.get(&wrong).await);
    assert_eq!(returned.get("iss"), issuer);
}

#[tokio::test]
async fn rule_12_redirects_use_303() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut anonymous = PageClient::new(&service);
    let mut browser = PageClient::signed_in(&service, &user).await;
    let request = application.request(&[]);
    assert_eq!(anonymous.get(&request).await.status, 303);
    for decision in ["allow", "deny"] {
        let page = browser.get(&request).await;
        let decided = browser.decide(&page, decision).await;
        assert_eq!(decided.status, 303);
    }
    let pairs: Vec<(&str, &str)> = vec![
        ("client_id", &application.client_id),
        ("redirect_uri", &application.redirect_uri),
        ("response_type", "x"),
    ];
    assert_eq!(browser.post("/v1/oauth", &pairs).await.status, 303);
}

#[tokio::test]
async fn rules_13_to_15_security_headers_of_the_consent_page() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let consent = browser.get(&application.request(&[])).await;
    let policy = consent.header("content-security-policy").to_owned();
    assert!(!policy.contains("form-action"), "rule 14: {policy}");
    let unknown = browser.get("/v1/oauth?client_id=x").await;
    let forged = browser.post("/v1/oauth", &[("consent", "x")]).await;
    let not_allowed = service.send(Method::PUT, "/v1/oauth", &[]).await;
    for page in [consent, unknown, forged, not_allowed] {
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("cache-control"), "no-store");
        let text = page.text();
        let addresses = text.split(['"', '\'']).filter(|part| part.contains("//"));
        // There is no third-party content.
        assert_eq!(addresses.collect::<Vec<_>>(), [""; 0]);
    }
}

#[tokio::test]
async fn rule_16_implicit_grant_is_opt_in_and_uses_the_fragment() {
    let (service, user) = Service::with_person("mitsuha").await;
    let uri = "https://app.example/cb?a=1";
    let with = service.application(&user, Public, uri, true).await;
    let without = service.web_application(&user).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let more = [("response_type", "token"), ("state", "xyz")];

    let returned = browser.allow(&with, &more).await;
    let (before, fragment) = (returned.location.before("#"), returned.location.after("#"));
    assert_eq!(before, uri, "no parameter in the query, which servers log");
    let names = fragment
        .split('&')
        .map(|pair| pair.split('=').next().unwrap());
    let expected = ["access_token", "token_type", "expires_in", "state", "iss"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert_eq!(returned.get("token_type"), Some("Bearer"));
    assert_eq!(returned.get("expires_in"), Some("2592000"));
    let token = returned.get("access_token").unwrap();
    let me = service.get_as(token, "/v1/auth/me").await;
    assert_eq!(me.data()["username"], "mitsuha");

    let refused = Returned::from_redirect(&browser.get(&without.request(&more)).await);
    let start = format!("{}#error=unauthorized_client&", without.redirect_uri);
    refused.location.assert_starts_with(&start);
    assert_eq!(refused.get("state"), Some("xyz"));
    for kind in ["code token", "id_token", "CODE", "none"] {
        let more = [("response_type", kind)];
        let refused = Returned::from_redirect(&browser.get(&with.request(&more)).await);
        let start = format!("{uri}&error=unsupported_response_type&");
        refused.location.assert_starts_with(&start);
    }
}

#[tokio::test]
async fn redirect_uri_keeps_its_query() {
    let (service, user) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let uris = "
        https://app.example | https://app.example?code=
        https://app.example/cb?a=1 | https://app.example/cb?a=1&code=
        https://app.example/cb? | https://app.example/cb?code=
        https://app.example/cb?a=1& | https://app.example/cb?a=1&code=
        com.example.app:/cb | com.example.app:/cb?code=";
    for [uri, before_the_code] in table(uris) {
        let application = service.application(&user, Confidential, uri, false).await;
        let returned = browser.allow(&application, &[]).await;
        returned.location.assert_starts_with(before_the_code);
    }
}
