//! Scopes of OAuth authorizations (docs/oauth.md, "Scopes" and rules 36 to 38). The scope of each endpoint is
//! tested in `permissions.rs`.

use accounts::applications::ClientKind;
use axum::http::Method;
use serde_json::{Value, json};
use tests::assertions::AssertText;
use tests::browser::{Application, PageClient, Returned, claims};
use tests::people::Person;
use tests::rows::row;
use tests::service::{Answer, Service};

const TOKEN: &str = "/v1/oauth/token";
const CHANGES: &str = "Change your watch history and your settings";

async fn may_read(service: &Service, token: &str) -> bool {
    let answer = service.get_as(token, "/v1/auth/me").await;
    answer.status == 200
}

async fn change_gender(service: &Service, person: &Person, token: &str) -> Answer {
    let body = json!({"id": person.id, "gender": 2});
    service.post_as(token, "/v1/user", &body).await
}

/// Returns a user, and the user's application, which may use the implicit grant.
async fn with_implicit(service: &Service) -> (Person, Application) {
    let user = service.person("mitsuha").await;
    let uri = "https://app.example/cb";
    let kind = ClientKind::Confidential;
    let application = service.application(&user, kind, uri, true).await;
    (user, application)
}

async fn exchange(
    service: &Service,
    application: &Application,
    code: &str,
    more: &[(&str, &str)],
) -> Answer {
    let mut form = application.exchange(code);
    form.extend(more);
    service.form(TOKEN, &form).await
}

#[tokio::test]
async fn rule_36_token_has_the_scope_of_the_request() {
    let service = Service::empty().await;
    let (user, application) = with_implicit(&service).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (asked, granted, can_write) in [
        (None, None, true),
        (Some(""), None, true),
        (Some("read"), Some("read"), false),
        (Some("read read"), Some("read"), false),
        (Some("read write"), Some("read write"), true),
        (Some("write read"), Some("read write"), true),
    ] {
        let more: Vec<(&str, &str)> = asked.map(|scope| ("scope", scope)).into_iter().collect();
        let returned = browser.allow(&application, &more).await;
        assert_eq!(returned.get("scope"), None, "{asked:?}");
        let answer = exchange(&service, &application, returned.code(), &[]).await;
        let body = answer.json();
        assert_eq!(body.get("scope"), granted.map(Value::from).as_ref());
        let of_code = body["access_token"].as_str().unwrap().to_owned();

        let implicit = [&more[..], &[("response_type", "token")]].concat();
        let returned = browser.allow(&application, &implicit).await;
        let encoded = granted.map(|scope| scope.replace(' ', "%20"));
        assert_eq!(returned.get("scope"), encoded.as_deref(), "{asked:?}");
        let of_fragment = returned.get("access_token").unwrap().to_owned();

        for token in [of_code, of_fragment] {
            let claim = claims(&token).get("scope").cloned();
            assert_eq!(claim, granted.map(Value::from), "{asked:?}");
            assert!(may_read(&service, &token).await);
            let changed = change_gender(&service, &user, &token).await;
            assert_eq!(changed.status == 200, can_write, "{asked:?}");
        }
    }
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn rule_36_invalid_scopes_are_rejected() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for scope in [
        "write",
        "write write",
        "admin",
        "read admin",
        "read write admin",
        "openid profile",
        "READ",
        "Read Write",
        "read,write",
        "read  write",
        " read",
        "read ",
        " ",
        "read\twrite",
        "read\nwrite",
        "read\u{a0}write",
        "\"read\"",
        "read\\",
        "réad",
        &"read ".repeat(200),
    ] {
        let request = application.request(&[("scope", scope), ("state", "xyz")]);
        let returned = Returned::from_redirect(&browser.get(&request).await);
        assert_eq!(returned.get("error"), Some("invalid_scope"), "{scope:?}");
        assert_eq!(returned.get("state"), Some("xyz"));
        assert!(returned.get("iss").is_some() && returned.get("code").is_none());
    }
    for twice in [["read", "read"], ["read", "read write"], ["", "read"]] {
        let twice = twice.map(|scope| ("scope", scope));
        let returned = Returned::from_redirect(&browser.get(&application.request(&twice)).await);
        assert_eq!(returned.get("error"), Some("invalid_request"), "{twice:?}");
    }
    let bytes = format!("{}&scope=read%FF", application.request(&[]));
    let returned = Returned::from_redirect(&browser.get(&bytes).await);
    assert_eq!(returned.get("error"), Some("invalid_request"));
    // The same parameters are sent as a form.
    let pairs = [
        ("client_id", application.client_id.as_str()),
        ("redirect_uri", &application.redirect_uri),
        ("response_type", "code"),
        ("scope", "admin"),
    ];
    let returned = Returned::from_redirect(&browser.post("/v1/oauth", &pairs).await);
    assert_eq!(returned.get("error"), Some("invalid_scope"));
}

#[tokio::test]
async fn rule_07_consent_page_explains_the_scope() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (more, can_write) in [
        (&[][..], true),
        (&[("scope", "read write")], true),
        (&[("scope", "read")], false),
    ] {
        // If the scope is wider or narrower than before, the user is asked every time.
        for _ in 0..2 {
            let page = browser.get(&application.request(more)).await;
            assert_eq!(page.status, 200);
            let text = page.text();
            text.assert_has("Read your watch history");
            assert_eq!(text.contains(CHANGES), can_write, "{more:?}");
            assert_eq!(text.contains("It cannot change anything."), !can_write);
            browser.allow(&application, more).await;
        }
    }
}

/// The decision grants the scope that the page has shown: a form cannot ask for more.
#[tokio::test]
async fn rule_07_decision_cannot_widen_the_scope() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let page = browser
        .get(&application.request(&[("scope", "read")]))
        .await;
    let decision = [("decision", "allow"), ("scope", "read write")];
    let decided = browser.submit(&page, "/v1/oauth", &decision).await;
    let returned = Returned::from_redirect(&decided);
    let answer = exchange(&service, &application, returned.code(), &[]).await;
    assert_eq!(answer.json()["scope"], "read");
}

#[tokio::test]
async fn rule_37_exchange_narrows_the_scope_but_never_widens_it() {
    let (service, user, application) = Service::with_application("developer").await;
    let other = service.web_application(&user).await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    for (granted, asked, expected) in [
        ("", "read", Some("read")),
        ("", "read write", Some("read write")),
        ("read write", "read", Some("read")),
        ("read write", "write read", Some("read write")),
        ("read", "read", Some("read")),
        ("read", "", Some("read")),
        ("read", "read write", None),
        ("read", "write", None),
        ("read", "admin", None),
        ("", "admin", None),
    ] {
        let what = format!("{granted:?}, then {asked:?}");
        let returned = browser.allow(&application, &[("scope", granted)]).await;
        let code = returned.code();
        let answer = exchange(&service, &application, code, &[("scope", asked)]).await;
        let body = answer.json();
        if let Some(scope) = expected {
            assert_eq!(answer.status, 200, "{what}");
            assert_eq!(body["scope"], scope, "{what}");
            let token = body["access_token"].as_str().unwrap();
            let changed = change_gender(&service, &user, token).await;
            assert_eq!(changed.status == 200, scope == "read write", "{what}");
            continue;
        }
        assert_eq!(answer.status, 400, "{what}");
        assert_eq!(body["error"], "invalid_scope", "{what}");
        // The code is not used up. The response to another client does not reveal the scope of the code.
        let mut stolen = other.exchange(code);
        stolen.push(("scope", "read write"));
        let stolen = service.form(TOKEN, &stolen).await;
        assert_eq!(stolen.json()["error"], "invalid_grant", "{what}");
        let answer = exchange(&service, &application, code, &[]).await;
        assert_eq!(answer.status, 200, "{what}");
    }
    let returned = browser.allow(&application, &[("scope", "read")]).await;
    let twice = [("scope", "read"), ("scope", "read")];
    let answer = exchange(&service, &application, returned.code(), &twice).await;
    assert_eq!(answer.json()["error"], "invalid_request");
}

#[tokio::test]
async fn rule_38_write_without_its_scope_is_insufficient_scope() {
    let (service, user, application) = Service::with_application("developer").await;
    let read = [("scope", "read")];
    let token = service
        .application_token_with(&user, &application, &read)
        .await;
    let answer = change_gender(&service, &user, &token).await;
    assert_eq!(answer.status, 403);
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"read write\"";
    answer.assert_header("www-authenticate", challenge);
    assert_eq!(answer.header("cache-control"), "no-store");
    let envelope = answer.envelope();
    assert_eq!(envelope["message"], "Forbidden");
    assert!(envelope["data"].as_str().unwrap().contains("read write"));
    // A token that has ended is invalid, whatever its scope.
    let everywhere = "/v1/auth/logout_everywhere";
    let ended = service
        .with_token(Method::POST, everywhere, &user.token)
        .await;
    assert_eq!(ended.status, 200);
    let answer = change_gender(&service, &user, &token).await;
    answer.assert_header("www-authenticate", "Bearer error=\"invalid_token\"");
    assert_eq!(answer.status, 401);
}

/// Returns the entry of the connected application in the profile.
async fn entry(browser: &mut PageClient<'_>) -> String {
    let page = browser.get("/profile/connections").await;
    let after = page.after("action=\"/profile/connections/disconnect\"");
    after.between("Radio Itomori", "</small>")
}

#[tokio::test]
async fn profile_shows_the_scope_of_an_application() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    let read = [("scope", "read")];
    browser.allow(&application, &read).await;
    assert!(entry(&mut browser).await.ends_with(", read only"));
    // The tokens of a wider scope stay valid, so a narrower consent changes nothing.
    for more in [&[][..], &read] {
        browser.allow(&application, more).await;
        assert!(!entry(&mut browser).await.contains("read only"));
    }
    let page = browser.get("/profile/connections").await;
    let client_id = [("client_id", application.client_id.as_str())];
    let disconnected = browser.submit(&page, "/profile/connections/disconnect", &client_id);
    let disconnected = disconnected.await;
    disconnected.assert_leads_to("/profile/connections?done=disconnected");
    browser.allow(&application, &read).await;
    assert!(entry(&mut browser).await.ends_with(", read only"));
    service.assert_declared_attributes().await;
}

/// An application that was connected before there were scopes has tokens without one.
#[tokio::test]
async fn earlier_connection_is_never_shown_as_read_only() {
    let (service, user, application) = Service::with_application("developer").await;
    let mut browser = PageClient::signed_in(&service, &user).await;
    browser.allow(&application, &[]).await;
    let key = json!({"user_id": user.id, "client_id": application.client_id});
    let earlier = row(json!({"scopes": null}));
    service.change_row("OAuthGrant", key, earlier).await;
    assert!(!entry(&mut browser).await.contains("read only"));
    browser.allow(&application, &[("scope", "read")]).await;
    assert!(!entry(&mut browser).await.contains("read only"));
}
