//! The web pages at the level of HTTP: docs/oauth.md, rules 9, 13 to 15, 27, 29, 31 to 33 and 35, and the
//! behavior of each page. The tests in tests/browser check their appearance in a real browser.

use std::time::Duration;

use accounts::applications::ClientKind;
use axum::http::Method;
use shared::models::Role;
use tests::assertions::AssertText;
use tests::browser::{Application, PageClient, Returned, hidden, query, textarea};
use tests::passkeys::options;
use tests::people::{PASSWORD, Person};
use tests::service::{PUBLIC_URL, Service};

use super::sessions::with_cookie;
use super::sign_in_as;

/// Returns a user and a browser in which the user is signed in.
async fn signed_in_user(service: &Service) -> (Person, PageClient<'_>) {
    let person = service.person("mitsuha").await;
    let browser = PageClient::signed_in(service, &person).await;
    (person, browser)
}

/// Returns the methods and paths of all pages, for a client and the first tracker.
pub(crate) fn pages(service: &Service, client_id: &str) -> Vec<(String, String)> {
    let fill = |path: String| {
        let path = path.replace("{client_id}", client_id);
        let path = path.replace("{group}", "site").replace("{id}", "1");
        path.replace("{tracker}", "a")
    };
    let routes = page_routes(service).into_iter();
    routes.map(|(method, path)| (method, fill(path))).collect()
}

/// Returns the methods of all pages, and their paths with the parameters in braces.
fn page_routes(service: &Service) -> Vec<(String, String)> {
    let not_files = |path: &str| {
        ![
            "/v1/",
            "/style.css",
            "/site.js",
            "/reference.js",
            "/manifest.webmanifest",
            "/icon",
            "/display.woff2",
            "/robots.txt",
            "/sitemap",
            "/profile/history/export",
            "/profile/history/waiting/file",
            "/profile/data/download",
        ]
        .iter()
        .any(|file| path.starts_with(file))
    };
    let functions = cli::serve::router::FUNCTIONS.into_iter();
    functions
        .filter(|(name, _)| name.ends_with("_pages"))
        .flat_map(|(_, build)| build(&service.environment).unwrap().routes)
        .filter(|(_, path)| not_files(path))
        .map(|(method, path)| (method.to_owned(), path.into_owned()))
        .collect()
}

/// The paths that are not separate pages: redirects, a file, a part of a page, and the page that no longer exists once
/// there is an entry.
const NO_PAGES: [&str; 11] = [
    "/welcome",
    "/sign-in/provider",
    "/sign-in/provider/callback",
    "/sign-in/provider/prove",
    "/profile/security/provider",
    "/anime/random",
    "/anime/suggest",
    "/calendar/{file}",
    "/user/{name}/picture",
    "/profile/trackers/{tracker}/connect",
    "/profile/trackers/{tracker}/callback",
];

#[tokio::test]
async fn journey_through_all_pages_in_chromium_has_every_page() {
    let source = include_str!("../../browser/journeys/every_page.rs");
    let lists = source.between("const PUBLIC_PAGES", "#[tokio::test]");
    let listed = lists.split("(\"").skip(1);
    let listed: Vec<&str> = listed
        .filter_map(|text| text.split(['"', '?']).next())
        .collect();
    let is_listed = |route: &str| {
        listed.iter().any(|path| {
            let (path, route) = (path.split('/'), route.split('/'));
            path.clone().count() == route.clone().count()
                && path
                    .zip(route)
                    .all(|(path, route)| path == route || route.starts_with('{'))
        })
    };
    assert!(is_listed("/anime/{id}") && !is_listed("/anime/{id}/songs"));
    let service = Service::empty().await;
    for (method, path) in page_routes(&service) {
        if method == "GET" && !NO_PAGES.contains(&path.as_str()) {
            assert!(
                is_listed(&path),
                "{path} is missing in tests/browser/journeys/every_page.rs"
            );
        }
    }
}

async fn full_application(service: &Service, person: &Person) -> Application {
    let redirect_uri = "https://app.example/cb";
    service
        .application(person, ClientKind::Confidential, redirect_uri, true)
        .await
}

/// The beginnings of the paths of forms that work without a session. `/list/save` keeps the typed values, so it must
/// know that they come from a page of this site.
const OF_VISITORS: [&str; 7] = [
    "/sign-in",
    "/sign-up",
    "/forgot-password",
    "/reset-password",
    "/verify-email",
    "/settings",
    "/list/save",
];

#[tokio::test]
async fn rule_09_every_form_requires_a_csrf_token() {
    let service = Service::empty().await;
    let (person, mut browser) = signed_in_user(&service).await;
    let application = full_application(&service, &person).await;
    let mut elsewhere = PageClient::signed_in(&service, &person).await;
    let others = elsewhere.get("/profile").await;
    let others = hidden(&others, "csrf").unwrap();
    let mut anonymous = PageClient::new(&service);
    let mut posts = 0;
    for (method, path) in pages(&service, &application.client_id) {
        // The identity provider sends this form with a signed token. Browsers do not send it.
        if method != "POST" || path == "/sign-in/provider/logout" {
            continue;
        }
        posts += 1;
        for csrf in [
            &[][..],
            &[("csrf", "")],
            &[("csrf", "nonsense")],
            &[("csrf", &others)],
        ] {
            let answer = browser.post(&path, csrf).await;
            assert_eq!(answer.status, 403, "{path}");
            // Without a session, the form of a user changes nothing, and leads to the sign-in page.
            let answer = anonymous.post(&path, csrf).await;
            let is_refused =
                path == "/prove" || OF_VISITORS.iter().any(|form| path.starts_with(form));
            let expected = if is_refused { 403 } else { 303 };
            assert_eq!(answer.status, expected, "{path} without any cookie");
            if !is_refused && path != "/sign-out" {
                let sign_in = answer.header("location");
                assert!(sign_in.contains("/sign-in?next="), "{path}: {sign_in}");
            }
        }
    }
    assert!(posts > 15, "{posts}");
    // The session is still valid.
    browser.get("/profile").await.assert_status(200);
}

#[tokio::test]
async fn rule_09_csrf_token_is_bound_to_its_visitor() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut one = PageClient::new(&service);
    let mut other = PageClient::new(&service);
    let page = one.get("/sign-in").await;
    other.get("/sign-in").await;
    let sign_in = [("who", "mitsuha"), ("password", PASSWORD)];
    assert_eq!(other.submit(&page, "/sign-in", &sign_in).await.status, 403);
    one.submit(&page, "/sign-in", &sign_in)
        .await
        .assert_leads_to("/profile");
}

#[tokio::test]
async fn rules_13_and_15_security_headers_of_all_pages() {
    let service = Service::empty().await;
    let (person, mut browser) = signed_in_user(&service).await;
    let application = full_application(&service, &person).await;
    let mut anonymous = PageClient::new(&service);
    let mut seen = Vec::new();
    for (method, path) in pages(&service, &application.client_id) {
        for one in [&mut browser, &mut anonymous] {
            seen.push(match method.as_str() {
                "GET" => one.get(&path).await,
                _ => one.post(&path, &[]).await,
            });
        }
    }
    seen.push(browser.get("/no-such-page").await);
    seen.push(browser.get("/developer/unknown").await);
    seen.push(service.send(Method::PUT, "/profile", &[]).await);
    seen.push(service.send(Method::POST, "/sign-in", &[]).await);
    // A redirect after a form has no page.
    seen.retain(|answer| answer.status != 303 || !answer.body.is_empty());
    assert!(seen.len() > 60, "{}", seen.len());
    for page in seen {
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        let policy = page.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "manifest-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            policy.assert_has(part);
        }
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("cache-control"), "no-store");
        let text = page.text();
        for attribute in ["src=\"", "action=\""] {
            for (position, _) in text.match_indices(attribute) {
                let address = &text[position + attribute.len()..];
                assert!(
                    address.starts_with('/') && !address.starts_with("//"),
                    "{address}"
                );
            }
        }
        text.assert_lacks(" style=");
        text.assert_lacks(" onclick");
        assert!(text.len() < 30_000, "{} bytes", text.len());
    }
}

/// After signing in, an error can redirect the browser to an application. Browsers check `form-action`
/// for every redirect of a form.
#[tokio::test]
async fn rule_14_sign_in_form_for_an_application_allows_redirects() {
    let service = Service::empty().await;
    let mut browser = PageClient::new(&service);
    for (path, redirects_to_application) in [
        ("/sign-in", false),
        ("/sign-in?next=%2Fprofile", false),
        ("/sign-in?next=%2Fv1%2Foauth%3Fclient_id%3Da", true),
        ("/sign-up?next=%2Fv1%2Foauth%3Fclient_id%3Da", true),
    ] {
        let page = browser.get(path).await;
        let policy = page.header("content-security-policy");
        let is_limited = policy.contains("form-action 'self'");
        assert_eq!(is_limited, !redirects_to_application, "{path}");
    }
}

#[tokio::test]
async fn versioned_files_are_cached_forever() {
    let service = Service::empty().await;
    let pages = service.get("/").await.text() + &service.get("/reference/anime").await.text();
    for path in [
        "/style.css",
        "/site.js",
        "/reference.js",
        "/manifest.webmanifest",
        "/icon.svg",
        "/icon-192.png",
        "/icons.svg",
        "/display.woff2",
    ] {
        let address = format!("{path}{}", pages.between(path, "\""));
        let kept = service.get(&address).await;
        let forever = "public, max-age=31536000, immutable";
        assert_eq!(kept.header("cache-control"), forever, "{address}");
        let other = service.get(&format!("{path}?v=another")).await;
        assert_eq!(other.header("cache-control"), "public, max-age=60");
        assert_eq!((kept.status, &kept.body), (other.status, &other.body));
    }
}

/// The pages show the maximum number of applications, tokens and redirect URIs.
#[tokio::test]
async fn pages_are_smaller_than_30_kb() {
    let service = Service::empty().await;
    let (person, mut browser) = signed_in_user(&service).await;
    let longest = format!("https://app.example/{}", "x".repeat(479));
    let uris: Vec<String> = (0..10).map(|number| format!("{longest}{number}")).collect();
    let mut last = String::new();
    for _ in 0..25 {
        let application = service
            .application(&person, ClientKind::Confidential, &uris.join("\n"), true)
            .await;
        last = application.client_id.clone();
        let address = Application {
            redirect_uri: uris[0].clone(),
            ..application
        };
        browser.allow(&address, &[]).await;
        browser.create_token(&"n".repeat(60), "read").await;
    }
    for path in [
        "/",
        "/reference",
        "/profile",
        "/profile/privacy",
        "/profile/connections",
        "/profile/data",
        "/profile/developer",
        "/profile/history",
        "/developer",
        &format!("/developer/{last}"),
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, 200);
        assert!(page.body.len() < 30_000, "{path}: {}", page.body.len());
    }
}

/// Addresses that are not local pages, in various notations.
const ELSEWHERE: [&str; 16] = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https://evil.example",
    "%2F%2Fevil.example",
    "/%2Fevil.example",
    "/%5Cevil.example",
    "/\tevil.example",
    "/\r\nLocation: https://evil.example",
    "/profile/../..//evil.example",
    "/profile@evil.example",
    ".evil.example",
    "@evil.example",
    "javascript:alert(1)",
    "/v1/oauth/../../evil.example",
];

#[tokio::test]
async fn next_parameter_only_leads_to_local_pages() {
    let (service, person) = Service::with_person("mitsuha").await;
    let sign_in = [("who", "mitsuha"), ("password", PASSWORD)];
    for next in ELSEWHERE {
        let mut browser = PageClient::new(&service);
        let path = format!("/sign-in?{}", query(&[("next", next)]));
        let page = browser.get(&path).await;
        assert!(!page.text().contains("evil"), "{next}");
        let mut form = sign_in.to_vec();
        form.push(("next", next));
        browser
            .submit(&page, "/sign-in", &form)
            .await
            .assert_leads_to("/profile");
        // The user is already signed in.
        browser.get(&path).await.assert_leads_to("/profile");
        let sign_up = format!("/sign-up?{}", query(&[("next", next)]));
        browser.get(&sign_up).await.assert_leads_to("/profile");
        let page = browser.get("/profile").await;
        let signed_out = browser.submit(&page, "/sign-out", &[("next", next)]).await;
        signed_out.assert_leads_to("/");
    }
    // A local address is followed with a single redirect.
    let application = full_application(&service, &person).await;
    let request = application.request(&[("state", "a b&c")]);
    let mut browser = PageClient::new(&service);
    let to_sign_in = browser.get(&request).await;
    let page = browser.get(to_sign_in.header("location")).await;
    let next = hidden(&page, "next").unwrap();
    let mut form = sign_in.to_vec();
    form.push(("next", &next));
    let back = browser.submit(&page, "/sign-in", &form).await;
    let consent = browser.get(back.header("location")).await;
    consent.assert_has("Radio Itomori");
    let decided = browser
        .submit(&consent, "/v1/oauth", &[("decision", "allow")])
        .await;
    let returned = Returned::from_redirect(&decided);
    assert_eq!(returned.get("state"), Some("a%20b%26c"));
}

/// The `Host` header of a request does not matter.
#[tokio::test]
async fn links_use_the_public_url() {
    let service = Service::empty().await;
    let evil = [
        ("host", "evil.example"),
        ("x-forwarded-host", "evil.example"),
        ("accept", "text/html"),
    ];
    let start = service.get_with("/", &evil).await;
    start.assert_lacks("evil");
    let reference = service.get_with("/reference", &evil).await;
    let example = format!("{PUBLIC_URL}/v1/anime?");
    reference.assert_has(&example);
    reference.assert_lacks("evil");
    let profile = service.get_with("/profile", &evil).await;
    profile.assert_leads_to("/sign-in?next=/profile");
    let body =
        serde_json::json!({"username": "taki", "email": "taki@example.com", "password": PASSWORD});
    let mut headers = evil.to_vec();
    headers.push(("content-type", "application/json"));
    let register = "/v1/auth/register";
    service
        .send_body(Method::POST, register, &headers, body.to_string())
        .await;
    let mails = std::fs::read_dir(service.mail.path()).unwrap();
    for mail in mails {
        let mail = std::fs::read_to_string(mail.unwrap().path()).unwrap();
        mail.assert_has(&format!("{PUBLIC_URL}/verify-email?token="));
        mail.assert_lacks("evil");
    }
}

#[tokio::test]
async fn rule_27_sessions_and_tokens_are_not_interchangeable() {
    let service = Service::empty().await;
    let (person, browser) = signed_in_user(&service).await;
    let cookie = browser.cookies["__Host-session"].clone();
    let answer = service.get_as(&cookie, "/v1/auth/me").await;
    assert_eq!(answer.status, 401);
    for value in [&person.token, &format!("1.{}", person.token)] {
        let mut forged = with_cookie(&service, value);
        assert_eq!(forged.get("/profile").await.status, 303);
    }
    // The API ignores cookies.
    let cookie = format!("__Host-session={cookie}");
    let answer = service
        .get_with("/v1/auth/me", &[("cookie", &cookie)])
        .await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn rule_35_cookies_have_the_host_prefix_and_attributes() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in").await;
    let form = page.header("set-cookie").to_owned();
    let sign_in = [("who", "mitsuha"), ("password", PASSWORD)];
    let answer = browser.submit(&page, "/sign-in", &sign_in).await;
    let session = answer.header("set-cookie").to_owned();
    for (cookie, name) in [(form, "__Host-form="), (session, "__Host-session=")] {
        assert!(cookie.starts_with(name), "{cookie}");
        let attributes: Vec<&str> = cookie.split("; ").skip(1).collect();
        for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
            assert!(attributes.contains(&attribute), "{cookie}");
        }
        cookie.assert_lacks("Domain");
    }
    // A site on a sibling domain can set a cookie without the prefix. Such a cookie is ignored.
    let mut tossed = PageClient::new(&service);
    let value = browser.cookies["__Host-session"].clone();
    tossed.cookies.insert("session".to_owned(), value);
    assert_eq!(tossed.get("/profile").await.status, 303);
}

/// A local server without TLS cannot set `Secure` cookies or cookies with the `__Host-` prefix.
#[tokio::test]
async fn rule_35_cookies_without_tls_have_no_prefix() {
    let service = Service::empty().await;
    let mut environment = service.environment.clone();
    environment.public_url = "http://127.0.0.1:9000".to_owned();
    let service = service.with_environment(environment);
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in").await;
    let cookie = page.header("set-cookie");
    assert!(cookie.starts_with("form="), "{cookie}");
    cookie.assert_lacks("Secure");
}

#[tokio::test]
async fn rule_35_session_id_changes_at_each_sign_in() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    // A session id that an attacker has planted must not be used for the session.
    let planted = ("__Host-session".to_owned(), "1.planted".to_owned());
    browser.cookies.extend([planted]);
    sign_in_as(&mut browser, "/sign-in", "mitsuha@example.com").await;
    let first = browser.cookies.clone();
    assert_ne!(first["__Host-session"], "1.planted");
    let page = browser.get("/profile").await;
    browser
        .submit(&page, "/sign-out", &[])
        .await
        .assert_leads_to("/");
    assert!(!browser.cookies.contains_key("__Host-session"));
    let mut kept = PageClient::new(&service);
    kept.cookies = first.clone();
    // The session has also ended on the server.
    kept.get("/profile").await.assert_status(303);
    sign_in_as(&mut browser, "/sign-in", "mitsuha@example.com").await;
    assert_ne!(browser.cookies["__Host-session"], first["__Host-session"]);
    assert_eq!(browser.get("/profile").await.status, 200);
}

#[tokio::test]
async fn rule_35_session_expires_after_a_week_unused_or_thirty_days() {
    let day = Duration::from_hours(24);
    let service = Service::empty().await;
    let (_, mut unused) = signed_in_user(&service).await;
    service.clock.advance(Duration::from_secs(7 * 86_400 - 1));
    assert_eq!(unused.get("/profile").await.status, 200);
    service.clock.advance(day * 7);
    assert_eq!(unused.get("/profile").await.status, 303);

    let person = service.person("taki").await;
    let mut used = PageClient::signed_in(&service, &person).await;
    for _ in 0..5 {
        service.clock.advance(day * 5);
        assert_eq!(used.get("/profile").await.status, 200);
    }
    service.clock.advance(Duration::from_secs(5 * 86_400 - 1));
    assert_eq!(used.get("/profile").await.status, 200);
    service.clock.advance(Duration::from_secs(1));
    // The session expires even if it is in use.
    used.get("/profile").await.assert_status(303);
}

#[tokio::test]
async fn rule_29_revoking_tokens_ends_sessions() {
    let service = Service::empty().await;
    let (person, mut here) = signed_in_user(&service).await;
    let mut there = PageClient::signed_in(&service, &person).await;
    let application = full_application(&service, &person).await;
    let page = here.get("/profile").await;
    let change = "/profile/security/password";
    let changed = here
        .submit(&page, change, &[("password", "new pass word")])
        .await;
    changed.assert_leads_to("/profile/security?done=password");
    // The session of the change stays valid.
    here.get("/profile").await.assert_status(200);
    assert_eq!(there.get("/profile").await.status, 303);
    let me = service.get_as(&person.token, "/v1/auth/me").await;
    assert_eq!(me.status, 401);

    // Tokens issued in the remaining session are valid.
    let returned = here.allow(&application, &[]).await;
    let form = application.exchange(returned.code());
    assert_eq!(service.form("/v1/oauth/token", &form).await.status, 200);
    let implicit = [("response_type", "token")];
    let returned = here.allow(&application, &implicit).await;
    let token = returned.get("access_token").unwrap();
    let me = service.get_as(token, "/v1/auth/me").await;
    assert_eq!(me.status, 200);

    let token = here.create_token("my program", "read write").await;
    let me = service.get_as(&token, "/v1/auth/me").await;
    assert_eq!(me.data()["username"], "mitsuha");
    let page = here.get("/profile").await;
    let everywhere = here
        .submit(&page, "/profile/security/sign-out-everywhere", &[])
        .await;
    everywhere.assert_leads_to("/sign-in?done=everywhere");
    assert_eq!(here.get("/profile").await.status, 303);
    let me = service.get_as(&token, "/v1/auth/me").await;
    assert_eq!(me.status, 401);
}

#[tokio::test]
async fn rules_31_and_32_sign_in_page_is_limited_and_reveals_nothing() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-in").await;
    let hash_count = || service.environment.passwords().hash_count();
    let mut answers = Vec::new();
    for who in "mitsuha nobody mitsuha@example.com nobody@example.com".split(' ') {
        let before = hash_count();
        let form = [("who", who), ("password", "wrong password")];
        let answer = browser.submit(&page, "/sign-in", &form).await;
        assert_eq!(hash_count(), before + 1, "{who}");
        assert_eq!(answer.status, 401);
        // The form keeps the name, but not the password.
        answer.assert_has(&format!("value=\"{who}\""));
        answer.assert_lacks("wrong password");
        let challenge = options(&answer, "/sign-in/passkey")["challenge"].take();
        let [token, state] = ["csrf", "state"].map(|name| hidden(&answer, name).unwrap());
        let random = [token.as_str(), &state, challenge.as_str().unwrap()];
        let text = answer.text().replace(who, "");
        answers.push(
            random
                .iter()
                .fold(text, |text, random| text.replace(random, "")),
        );
    }
    assert!(
        answers.windows(2).all(|pair| pair[0] == pair[1]),
        "the same page for known and unknown names"
    );
    for _ in 0..48 {
        let form = [("who", "mitsuha"), ("password", "wrong password")];
        browser.submit(&page, "/sign-in", &form).await;
    }
    let before = hash_count();
    let right = [("who", "mitsuha"), ("password", PASSWORD)];
    let blocked = browser.submit(&page, "/sign-in", &right).await;
    blocked.assert_status(429);
    assert!(!blocked.header("retry-after").is_empty());
    assert_eq!(hash_count(), before);
}

#[tokio::test]
async fn sign_up_form_keeps_its_values_and_names_invalid_fields() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/sign-up").await;
    let bad = [
        ("username", "M\"<b>"),
        ("email", "not-an-address"),
        ("password", "short"),
    ];
    let answer = browser.submit(&page, "/sign-up", &bad).await;
    assert_eq!(answer.status, 400);
    for part in [
        "M&quot;&lt;b&gt;",
        "not-an-address",
        "username-fault",
        "email-fault",
        "password-fault",
    ] {
        answer.assert_has(part);
    }
    answer.assert_lacks("short");
    let taken = [
        ("username", "Mitsuha"),
        ("email", "new@example.com"),
        ("password", PASSWORD),
    ];
    let answer = browser.submit(&page, "/sign-up", &taken).await;
    assert_eq!(answer.status, 409);
    answer.assert_has("Name is already taken.");
    let good = format!("username=taki&email=taki@example.com&password={PASSWORD}");
    browser
        .submit_encoded(&page, "/sign-up", &good)
        .await
        .assert_leads_to("/welcome");
    let profile = browser.get("/profile").await.text();
    assert!(profile.contains("taki@example.com") && profile.contains("Send the link again"));

    let link = service.mailed_token("taki@example.com").unwrap();
    let page = browser.get(&format!("/verify-email?token={link}")).await;
    let token = [("token", link.as_str())];
    let verified = browser.submit(&page, "/verify-email", &token).await;
    verified.assert_has("is verified");
    let again = browser.submit(&page, "/verify-email", &token).await;
    again.assert_status(400);
    let profile = browser.get("/profile").await;
    profile.assert_lacks("Send the link again");
    let forged = browser
        .get("/verify-email?token=%22%3E%3Cscript%3Ealert(1)")
        .await;
    forged.assert_lacks("<script>");
}

#[tokio::test]
async fn password_is_reset_on_the_pages() {
    let service = Service::empty().await;
    let (_, mut signed_in) = signed_in_user(&service).await;
    let mut browser = PageClient::new(&service);
    let page = browser.get("/forgot-password").await;
    let mut answers = Vec::new();
    for email in ["mitsuha@example.com", "nobody@example.com"] {
        let answer = browser
            .submit(&page, "/forgot-password", &[("email", email)])
            .await;
        answers.push((answer.status, answer.text()));
    }
    assert_eq!(answers[0], answers[1]);
    let link = service.mailed_token("mitsuha@example.com").unwrap();
    let page = browser.get(&format!("/reset-password?token={link}")).await;
    let mut set = async |password| {
        let form = [("token", link.as_str()), ("password", password)];
        browser.submit(&page, "/reset-password", &form).await
    };
    // A rejected password does not use up the link, which works once.
    let short = set("short").await;
    short.assert_status(400);
    short.assert_has(&link);
    set("new pass word").await.assert_status(200);
    set("newer pass word").await.assert_status(400);
    assert_eq!(signed_in.get("/profile").await.status, 303);
}

#[tokio::test]
async fn settings_are_saved() {
    let service = Service::empty().await;
    let (person, mut browser) = signed_in_user(&service).await;
    let page = browser.get("/profile").await;
    let settings = [("gender", "2"), ("localization", "jp")];
    browser
        .submit(&page, "/profile/settings", &settings)
        .await
        .assert_leads_to("/profile?done=settings");
    let bad = [("gender", "3"), ("localization", "no such code")];
    for settings in [bad.as_slice(), &[]] {
        let refused = browser.submit(&page, "/profile/settings", settings).await;
        refused.assert_status(400);
        refused.assert_has("gender-fault");
        refused.assert_has("localization-fault");
        assert_eq!(refused.text().contains("no such code"), settings == bad);
    }
    let me = service.get_as(&person.token, "/v1/auth/me").await;
    assert_eq!(me.data()["gender"], 2);
    assert_eq!(me.data()["localization"], "jp");
}

#[tokio::test]
async fn developer_page_manages_clients() {
    let service = Service::empty().await;
    let (_, mut browser) = signed_in_user(&service).await;
    let page = browser.get("/developer").await;
    let bad = "name=&kind=confidential&redirect_uris=http://app.example/cb";
    let refused = browser.submit_encoded(&page, "/developer", bad).await;
    assert_eq!(refused.status, 400);
    for part in ["name-fault", "redirect_uris-fault", "http://app.example/cb"] {
        refused.assert_has(part);
    }
    let good = [
        ("name", "Radio & Sons"),
        ("kind", "confidential"),
        (
            "redirect_uris",
            "https://app.example/cb\r\ncom.example.app:/cb",
        ),
    ];
    let made = browser.submit(&page, "/developer", &good).await;
    assert_eq!(made.status, 200);
    let secret = textarea(&made);
    assert_eq!(secret.len(), 43);
    let after = made.after("action=\"/developer/");
    let client_id: String = after
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    let path = format!("/developer/{client_id}");
    let again = browser.get(&path).await.text();
    assert!(again.contains("Radio &amp; Sons") && again.contains("com.example.app:/cb"));
    assert!(!again.contains(&secret), "the secret is shown once");

    // Only the owner can see or change a client. Other users get 404, administrators included.
    let stranger = service
        .person_with_role("stranger", Role::Administrator)
        .await;
    let mut stranger = PageClient::signed_in(&service, &stranger).await;
    let strangers_page = stranger.get("/profile").await;
    for to in [
        path.clone(),
        format!("{path}/secret"),
        format!("{path}/delete"),
    ] {
        let status = stranger.submit(&strangers_page, &to, &good).await.status;
        assert_eq!(status, 404, "{to}");
    }
    assert_eq!(stranger.get(&path).await.status, 404);

    let page = browser.get(&path).await;
    let changed = "name=Radio&redirect_uris=https://app.example/new&implicit=yes";
    browser
        .submit_encoded(&page, &path, changed)
        .await
        .assert_leads_to(&format!("{path}?done=saved"));
    let rotated = browser.submit(&page, &format!("{path}/secret"), &[]).await;
    assert_ne!(textarea(&rotated), secret);
    let deleted = browser.submit(&page, &format!("{path}/delete"), &[]).await;
    deleted.assert_leads_to("/developer?done=deleted");
    assert_eq!(browser.get(&path).await.status, 404);
    assert!(!browser.get("/developer").await.text().contains(&client_id));

    let public = [
        ("name", "Spa"),
        ("kind", "public"),
        ("redirect_uris", "https://spa.example/"),
    ];
    let made = browser.submit(&page, "/developer", &public).await;
    let path = made.header("location").replace(PUBLIC_URL, "");
    let page = browser.get(&path).await;
    let path = path.split('?').next().unwrap();
    let no_secret = browser.submit(&page, &format!("{path}/secret"), &[]).await;
    assert_eq!(no_secret.status, 404, "a public client has no secret");
}

/// The limit is a condition on the user's row, so it also holds for concurrent requests.
#[tokio::test]
async fn concurrent_creations_stay_within_the_client_limit() {
    let service = Service::empty().await;
    let (person, mut browser) = signed_in_user(&service).await;
    let page = browser.get("/developer").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let cookies = &browser.cookies;
    let statuses = futures_util::future::join_all((0..40).map(async |_| {
        let mut window = PageClient::new(&service);
        window.cookies = cookies.clone();
        let form = [
            ("csrf", csrf.as_str()),
            ("name", "Radio"),
            ("kind", "confidential"),
            ("redirect_uris", "https://app.example/cb"),
        ];
        window.post("/developer", &form).await.status.as_u16()
    }))
    .await;
    let made = statuses.iter().filter(|status| **status == 200).count();
    let applications = service.environment.applications();
    let clients = applications.clients.list(person.id).await.unwrap();
    assert!(made <= 25 && made == clients.len(), "{statuses:?}");
    assert!(
        statuses
            .iter()
            .all(|status| [200, 409, 503].contains(status))
    );
    // Deleting a client makes room for another.
    let path = format!("/developer/{}/delete", clients[0].client_id);
    browser.submit(&page, &path, &[]).await;
    for _ in made..=25 {
        full_application(&service, &person).await;
    }
    let one_more = "name=One+more&kind=public&redirect_uris=https://app.example/cb";
    let refused = browser.submit_encoded(&page, "/developer", one_more).await;
    assert_eq!(refused.status, 409);
    refused.assert_has("you have 25 applications already");
}

#[tokio::test]
async fn connected_application_is_listed_and_can_be_disconnected() {
    let service = Service::empty().await;
    let (person, mut browser) = signed_in_user(&service).await;
    let application = full_application(&service, &person).await;
    let token = service.application_token(&person, &application).await;
    let page = browser.get("/profile/connections").await;
    page.assert_has("Radio Itomori");
    let form = [("client_id", application.client_id.as_str())];
    let answer = browser
        .submit(&page, "/profile/connections/disconnect", &form)
        .await;
    answer.assert_leads_to("/profile/connections?done=disconnected");
    browser
        .get("/profile/connections")
        .await
        .assert_lacks("Radio Itomori");
    let me = service.get_as(&token, "/v1/auth/me").await;
    assert_eq!(me.status, 401);
}

#[tokio::test]
async fn start_page_shows_the_catalogue_counts() {
    let anime = tests::made_up::anime(1234, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let start = service.get("/").await.text();
    start.assert_has("<li><a href=\"/anime\">1,234 anime</a></li>");
    start.assert_has("<li><a href=\"/song\">0 songs</a></li>");
}

#[tokio::test]
async fn errors_are_pages_for_browsers_and_envelopes_for_clients() {
    let service = Service::empty().await;
    let html = [("accept", "text/html")];
    for (path, headers, is_page) in [
        ("/no-such-page", &html[..], true),
        ("/no-such-page", &[], false),
        ("/v1/no-such-path", &html, false),
        ("/v1/anime/0", &html, false),
        ("/developer/unknown", &[], true),
        ("/v1/oauth", &[], true),
    ] {
        let answer = service.get_with(path, headers).await;
        let is_html = answer.header("content-type").starts_with("text/html");
        assert_eq!(is_html, is_page, "{path} {headers:?}");
    }
    let not_allowed = service.send(Method::DELETE, "/profile", &[]).await;
    assert_eq!(not_allowed.status, 405);
    assert_eq!(not_allowed.header("allow"), "GET,HEAD");
}

/// Each function with pages reads sessions by itself.
#[tokio::test]
async fn pages_of_every_function_extend_the_session() {
    let service = Service::with_sample().await;
    let (_, mut browser) = signed_in_user(&service).await;
    for path in ["/anime", "/list", "/profile", "/moderation/song/2048"] {
        service.clock.advance(Duration::from_hours(2));
        browser.get(path).await;
        let sessions = service.rows("Session").await;
        let used_at = sessions[0]["used_at"].as_n().unwrap();
        assert_eq!(*used_at, service.clock.now_s().to_string(), "{path}");
    }
}

/// Before the first publication, functions read the rows of the catalogue's indexes.
#[tokio::test]
async fn pages_of_every_function_need_no_snapshot() {
    let service = Service::empty().await;
    let anime = cli::import::sample::anime().unwrap();
    service.put(&anime).await;
    service.put(&cli::import::sample::songs().unwrap()).await;
    let moderator = service.person_with_role("guard", Role::Moderator).await;
    let mut browser = PageClient::signed_in(&service, &moderator).await;
    let corrections = format!("/moderation/anime/{}", anime[0].id.get());
    for path in ["/anime?search=a", "/list", "/welcome", &corrections] {
        browser.get(path).await.assert_status(200);
    }
}
