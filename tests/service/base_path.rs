//! A service with a path in its public URL (docs/own-server.md, "Under a path").

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use axum::http::{Method, StatusCode, header};
use serde_json::json;
use shared::models::{Role, TrackerName};
use tests::assertions::AssertText;
use tests::browser::{PageClient, Returned, claims, hidden};
use tests::passkeys::Device;
use tests::people::{PASSWORD, Person};
use tests::provider::settings;
use tests::service::{Answer, PUBLIC_URL, Service};
use tests::table::table;
use trackers::read_config;

use crate::pages::every_page::pages;

const BASE: &str = "/kiroku";
const URL: &str = "https://kiroku.test/kiroku";

/// Returns the attributes in HTML that Maud has written.
fn attributes(html: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = html.split("=\"");
    let values = parts.clone().skip(1);
    parts.zip(values).map(|(before, value)| {
        let name = before.rsplit([' ', '"']).next().unwrap_or_default();
        (name, value.split('"').next().unwrap_or_default())
    })
}

/// Checks that no header and no attribute leads to a path of this host that is outside the base path. The fields of
/// forms have paths without the base path, because only the service reads them.
#[track_caller]
fn assert_stays_below(answer: &Answer, path: &str) {
    let is_below = |address: &str| {
        let rest = address.strip_prefix(BASE);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
    };
    let location = answer.header("location");
    let location = location.strip_prefix(PUBLIC_URL).unwrap_or(location);
    assert!(
        !location.starts_with('/') || is_below(location),
        "{path}: {location}"
    );
    for cookie in answer.headers.get_all(header::SET_COOKIE) {
        let cookie = cookie.to_str().unwrap();
        let has = |attribute: &str| cookie.split("; ").any(|part| part == attribute);
        assert!(cookie.starts_with("__Secure-"), "{path}: {cookie}");
        assert!(has("Secure") && has("Path=/kiroku"), "{path}: {cookie}");
    }
    for link in answer.header("link").split('<').skip(1) {
        link.assert_starts_with("https://kiroku.test/kiroku/");
    }
    let text = answer.text();
    for rest in text.split(PUBLIC_URL).skip(1) {
        assert!(rest.starts_with(BASE), "{path}: {PUBLIC_URL}{rest:.40}");
    }
    if !answer.header("content-type").starts_with("text/html") {
        return;
    }
    for (name, value) in attributes(&text) {
        let is_path = value.starts_with('/') && name != "value";
        assert!(!is_path || is_below(value), "{path}: {name}={value}");
        // Addresses are also in the attribute `content` of a reload and in `srcset`.
        for address in value.split("url=").skip(1).chain(value.split(", ").skip(1)) {
            assert!(
                !address.starts_with('/') || is_below(address),
                "{path}: {name}={value}"
            );
        }
    }
}

/// Opens pages and files, and all that they lead to.
struct Crawl<'s> {
    browser: PageClient<'s>,
    waiting: VecDeque<String>,
    /// The visits by path, in which `#` replaces identifiers.
    visits: BTreeMap<String, u32>,
}

impl<'s> Crawl<'s> {
    fn new(browser: PageClient<'s>) -> Self {
        Self {
            browser,
            waiting: VecDeque::from([BASE.to_owned()]),
            visits: BTreeMap::new(),
        }
    }

    /// Opens pages below the base path to which no other page need link.
    async fn open(&mut self, paths: impl IntoIterator<Item = String>) {
        for path in paths {
            self.visit(&format!("{BASE}{path}")).await;
        }
    }

    async fn visit(&mut self, path: &str) -> StatusCode {
        let answer = self.browser.get(path).await;
        assert_stays_below(&answer, path);
        let status = answer.status;
        assert!(!status.is_server_error(), "{path}: {status}");
        if answer.header("content-type").starts_with("text/html") {
            let text = answer.text();
            let links = attributes(&text).filter(|(name, _)| ["href", "src"].contains(name));
            let links = links.map(|(_, value)| value.replace("&amp;", "&"));
            self.waiting.extend(links.filter_map(|link| {
                let link = link.split('#').next().unwrap_or_default();
                let path = link.strip_prefix(PUBLIC_URL).unwrap_or(link);
                path.starts_with('/').then(|| path.to_owned())
            }));
        }
        status
    }

    /// Follows all links. Opens at most 3 pages of each kind.
    async fn follow(&mut self) {
        while let Some(path) = self.waiting.pop_front() {
            let kind = path.split('?').next().unwrap_or_default().split('/');
            let is_number = |part: &str| part.parse::<u64>().is_ok();
            let kind = kind.map(|part| if is_number(part) { "#" } else { part });
            let visits = self
                .visits
                .entry(kind.collect::<Vec<_>>().join("/"))
                .or_default();
            *visits += 1;
            if *visits <= 3 {
                let status = self.visit(&path).await;
                assert!(!status.is_client_error(), "{path}: {status}");
            }
        }
    }
}

/// Returns an administrator with an entry, a player that waits for its first message, an address of the calendar, a
/// token, an application and a passkey.
async fn administrator(service: &Service) -> (Person, String) {
    let person = service
        .person_with_role("mitsuha", Role::Administrator)
        .await;
    let application = service.web_application(&person).await;
    for anime in cli::import::sample::anime().unwrap().iter().take(2) {
        assert_eq!(service.create_story(&person, anime, 1).await.status, 200);
    }
    let mut browser = PageClient::signed_in(service, &person).await;
    add_passkey(&mut browser).await;
    let forms = "
        /profile/players | /profile/players | name=mpv&kind=mpv | 303
        /calendar | /calendar/feed | | 303
        /profile/privacy | /profile/privacy | visibility=public | 303
        /profile/developer | /profile/developer/token | name=sh&scope=read | 200";
    for [page, form, fields, status] in table(forms) {
        let page = browser.get(&format!("{BASE}{page}")).await;
        let to = format!("{BASE}{form}");
        let sent = browser.submit_encoded(&page, &to, fields).await;
        let status: u16 = status.parse().unwrap();
        assert_eq!(sent.status, status, "{form}: {}", sent.text());
        assert_stays_below(&sent, form);
    }
    (person, application.client_id)
}

#[tokio::test]
async fn no_page_leads_out_of_the_base_path() {
    let service = Service::with_sample().await.at(URL);
    let (person, client_id) = administrator(&service).await;
    let routes = pages(&service, &client_id).into_iter();
    let routes = routes
        .filter(|(method, _)| method == "GET")
        .map(|(_, path)| path);
    let routes: Vec<String> = routes.collect();
    for browser in [
        PageClient::signed_in(&service, &person).await,
        PageClient::new(&service),
    ] {
        let mut crawl = Crawl::new(browser);
        crawl.open(routes.iter().cloned()).await;
        crawl
            .open(["/nowhere".to_owned(), "/user/mitsuha".to_owned()])
            .await;
        crawl.follow().await;
        for path in [
            "",
            "/anime/#",
            "/song/#",
            "/style.css",
            "/manifest.webmanifest",
            "/reference",
        ] {
            let path = format!("{BASE}{path}");
            assert!(
                crawl.visits.contains_key(&path),
                "{path}: {:?}",
                crawl.visits
            );
        }
    }
}

/// The script of a page reads its addresses from the page.
#[tokio::test]
async fn files_have_no_path_outside_the_base_path() {
    let service = Service::empty().await.at(URL);
    for path in ["/site.js", "/reference.js"] {
        let text = service.get(&format!("{BASE}{path}")).await.text();
        for quote in ["\"/", "'/", "`/", "path=/"] {
            let found = text.split(quote).skip(1);
            let mut starts = found.filter_map(|rest| rest.chars().next());
            let is_path = |first: char| first.is_ascii_alphabetic() || first == ';';
            assert!(!starts.any(is_path), "{path}: {quote}");
        }
    }
    for path in ["/style.css", "/icon.svg", "/icons.svg"] {
        let text = service.get(&format!("{BASE}{path}")).await.text();
        text.assert_lacks("url(/");
        text.assert_lacks("url(\"/");
        assert!(!text.contains("href=\"/"), "{path}");
    }
    let manifest = service.get("/kiroku/manifest.webmanifest").await.json();
    assert_eq!(manifest["id"], "/kiroku/");
    assert_eq!(manifest["start_url"], "/kiroku/");
    for icon in manifest["icons"].as_array().unwrap() {
        let path = icon["src"].as_str().unwrap();
        assert_eq!(service.get(path).await.status, 200, "{path}");
        assert!(path.starts_with("/kiroku/"), "{path}");
    }
}

#[track_caller]
fn assert_leads_to(answer: &Answer, address: &str) {
    assert_eq!(answer.header("location"), address, "{}", answer.text());
}

#[tokio::test]
async fn forms_lead_to_pages_below_the_base_path() {
    let service = Service::with_sample().await.at(URL);
    let mut browser = PageClient::new(&service);
    let page = browser.get("/kiroku/sign-up").await;
    let fields = format!("username=mitsuha&email=mitsuha@example.com&password={PASSWORD}");
    let created = browser
        .submit_encoded(&page, "/kiroku/sign-up", &fields)
        .await;
    assert_leads_to(&created, &format!("{URL}/welcome"));
    assert_stays_below(&created, "/sign-up");
    assert!(
        browser.cookies.contains_key("__Secure-session"),
        "{:?}",
        browser.cookies
    );
    let mail = service.mail_text("mitsuha@example.com");
    mail.assert_has(&format!("\n{URL}/verify-email?token="));

    let page = browser.get("/kiroku/anime/2").await;
    let added = browser
        .submit(&page, "/kiroku/list/save", &[("status", "0")])
        .await;
    assert_leads_to(&added, &format!("{URL}/anime/2?done=saved&of=2"));
    let page = browser.get("/kiroku/profile").await;
    let signed_out = browser.submit(&page, "/kiroku/sign-out", &[]).await;
    assert_leads_to(&signed_out, &format!("{URL}/"));
    assert_stays_below(&signed_out, "/sign-out");

    let asked = browser.get("/kiroku/statistics").await;
    assert_leads_to(&asked, &format!("{URL}/sign-in?next=/statistics"));
    let page = browser.get(asked.header("location")).await;
    let fields = [("who", "mitsuha"), ("password", PASSWORD)];
    let signed_in = browser.submit(&page, "/kiroku/sign-in", &fields).await;
    assert_leads_to(&signed_in, &format!("{URL}/statistics"));
    let calendar = browser.get("/kiroku/calendar").await;
    assert_eq!(calendar.status, 200);
    let renewed = browser
        .submit(&calendar, "/kiroku/calendar/feed", &[])
        .await;
    let calendar = browser.get(renewed.header("location")).await;
    let feed = calendar.between(&format!("{URL}/calendar/"), ".ics");
    let feed = service.get(&format!("/kiroku/calendar/{feed}.ics")).await;
    assert_eq!(feed.header("content-type"), "text/calendar; charset=utf-8");
    assert_stays_below(&feed, "/calendar/feed");
}

#[tokio::test]
async fn unknown_paths_are_answered_below_the_base_path() {
    let service = Service::empty().await.at(URL);
    for (path, address) in [
        ("/kiroku/anime/", "/anime"),
        ("/kiroku/anime//?page=2", "/anime?page=2"),
        ("/kiroku//evil.example/", "//evil.example"),
    ] {
        let moved = service.get(path).await;
        assert_eq!(moved.status, 308);
        assert_leads_to(&moved, &format!("{URL}{address}"));
    }
    let html = [("accept", "text/html")];
    for path in ["/kiroku/nowhere", "/kirokuya", "/kiroku/kiroku"] {
        let missing = service.get_with(path, &html).await;
        assert_eq!(missing.status, 404);
        missing.assert_has(" href=\"/kiroku/style.css?v=");
        assert_stays_below(&missing, path);
    }
    for path in ["/kiroku", "/kiroku/", "/kiroku?page=2"] {
        assert_eq!(service.get_with(path, &html).await.status, 200, "{path}");
        let head = service.send(Method::HEAD, path, &html).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    }
}

/// A proxy may remove the base path from the requests that it passes on.
#[tokio::test]
async fn request_without_the_base_path_gets_the_same_page() {
    let service = Service::with_sample().await.at(URL);
    for path in ["/", "/anime/2", "/reference/anime", "/v1/anime?per_page=1"] {
        let with = service.get(&format!("{BASE}{path}")).await;
        let without = service.get(path).await;
        assert_eq!(with.text(), without.text(), "{path}");
        assert_eq!(with.header("link"), without.header("link"));
    }
}

#[tokio::test]
async fn pages_without_a_base_path_have_no_other_difference() {
    let service = Service::with_sample().await;
    let below = service.another(service.clock.clone()).at(URL);
    for path in "/ /anime /anime/2 /song /reference/user_story /nowhere".split(' ') {
        let html = [("accept", "text/html")];
        let page = service.get_with(path, &html).await.text();
        let below = below.get_with(&format!("{BASE}{path}"), &html).await.text();
        assert_ne!(page, below);
        let below = below
            .replace(URL, PUBLIC_URL)
            .replace("=\"/kiroku/", "=\"/");
        assert_eq!(page, below, "{path}");
    }
}

#[tokio::test]
async fn api_has_addresses_with_the_base_path() {
    let service = Service::with_sample().await.at(URL);
    let person = service.person("mitsuha").await;
    let first = service.get("/kiroku/v1/anime?per_page=2").await;
    let next = first.next().unwrap();
    assert!(next.starts_with("/kiroku/v1/anime?per_page=2&"), "{next}");
    assert_eq!(service.get(&next).await.ids().len(), 2);
    let anime = service.get("/kiroku/v1/anime/2").await;
    let page = format!("<{URL}/anime/2>; rel=\"alternate\"; type=\"text/html\"");
    assert_eq!(anime.header("link"), page);
    let listed = &cli::import::sample::anime().unwrap()[0];
    service.create_story(&person, listed, 1).await;
    let again = service.create_story(&person, listed, 1).await;
    assert_eq!(again.status, 409);
    let story = format!("/kiroku/v1/user_story/{}", person.story(listed));
    assert_eq!(again.header("location"), story);
    let found = service.get_as(&person.token, &story).await;
    assert_eq!(found.status, 200);
    let document = service.get("/kiroku/v1/openapi.json").await.json();
    assert_eq!(document["servers"], json!([{"url": "/kiroku"}]));
    let document = Service::empty().await.get("/v1/openapi.json").await.json();
    assert_eq!(document["servers"], json!([{"url": "/"}]));
}

#[tokio::test]
async fn application_gets_tokens_below_the_base_path() {
    let service = Service::empty().await.at(URL);
    let person = service.person("mitsuha").await;
    let application = service.web_application(&person).await;
    // RFC 8414, section 3.1: the path follows the name of the metadata.
    let well_known = "/.well-known/oauth-authorization-server";
    let metadata = service.get(&format!("{well_known}{BASE}")).await.json();
    assert_eq!(metadata["issuer"], URL);
    for (name, address) in metadata.as_object().unwrap() {
        let address = address.as_str().unwrap_or(URL);
        assert!(address.starts_with(URL), "{name}: {address}");
    }
    let other = service.get(&format!("{BASE}{well_known}")).await.json();
    assert_eq!(metadata, other);

    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser
        .get(&format!("{BASE}{}", application.request(&[])))
        .await;
    assert_stays_below(&page, "/v1/oauth");
    let decided = browser
        .submit(&page, "/kiroku/v1/oauth", &[("decision", "allow")])
        .await;
    let returned = Returned::from_redirect(&decided);
    assert_eq!(
        returned.get("iss"),
        Some("https%3A%2F%2Fkiroku.test%2Fkiroku")
    );
    let endpoint = metadata["token_endpoint"]
        .as_str()
        .unwrap()
        .replace(PUBLIC_URL, "");
    let answer = service
        .form(&endpoint, &application.exchange(returned.code()))
        .await;
    let token = answer.json()["access_token"].as_str().unwrap().to_owned();
    let claims = claims(&token);
    assert_eq!(claims["iss"], URL);
    assert_eq!(claims["aud"], format!("{URL}/v1"));
    let me = service.get_as(&token, "/kiroku/v1/auth/me").await;
    assert_eq!(me.data()["username"], "mitsuha");

    let mut stranger = PageClient::new(&service);
    let asked = stranger
        .get(&format!("{BASE}{}", application.request(&[])))
        .await;
    let sign_in = format!("{URL}/sign-in?next=/v1/oauth%3F");
    asked.header("location").assert_starts_with(&sign_in);
}

#[tokio::test]
async fn identity_provider_and_trackers_return_below_the_base_path() {
    let (service, fake) = Service::with_provider(|_| {}).await;
    let settings = settings(&fake.issuer, |_| {});
    let service = service
        .at(URL)
        .using_provider(settings, Duration::from_secs(5));
    fake.set_claims(json!({"preferred_username": "taki", "email": "taki@example.com"}));
    let mut browser = PageClient::new(&service);
    let sign_in = "/kiroku/sign-in/provider?next=/calendar";
    let page = browser.go_to_provider(&fake, sign_in).await;
    let fields = [("username", "taki"), ("email", "taki@example.com")];
    let created = browser
        .submit(&page, "/kiroku/sign-in/provider/new", &fields)
        .await;
    assert_leads_to(&created, &format!("{URL}/calendar"));
    for name in TrackerName::ALL {
        let config = read_config(name, URL, |_| None).unwrap();
        assert_eq!(
            config.redirect_uri,
            format!("{URL}{}", name.callback_path())
        );
    }
}

/// Adds a passkey with this name to the signed-in user, and returns its device.
async fn add_passkey(browser: &mut PageClient<'_>) -> Device {
    let mut device = Device::default();
    let page = browser.get("/kiroku/profile/security").await;
    let to = "/kiroku/profile/security/passkeys";
    let credential = device.make(&page, to).await;
    let fields = [("name", "Phone"), ("credential", credential.as_str())];
    let added = browser.submit(&page, to, &fields).await;
    assert_leads_to(
        &added,
        &format!("{URL}/profile/security?done=passkey-added"),
    );
    device
}

/// A passkey belongs to an origin, which has no path.
#[tokio::test]
async fn passkey_signs_in_below_the_base_path() {
    let service = Service::empty().await.at(URL);
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut device = add_passkey(&mut browser).await;
    let mut other = PageClient::new(&service);
    let page = other.get("/kiroku/sign-in").await;
    let to = "/kiroku/sign-in/passkey";
    let credential = device.use_passkey(&page, to).await;
    let [csrf, state] = ["csrf", "state"].map(|name| hidden(&page, name).unwrap());
    let fields = [
        ("csrf", csrf.as_str()),
        ("state", &state),
        ("credential", &credential),
    ];
    let signed_in = other.post(to, &fields).await;
    assert_leads_to(&signed_in, &format!("{URL}/profile"));
}

#[tokio::test]
async fn cookies_of_services_on_one_host_differ() {
    let service = Service::empty().await;
    let cookies = "
        https://kiroku.test | __Host-form= | ; HttpOnly; SameSite=Lax; Secure; Path=/
        https://kiroku.test/a/b | __Secure-form= | ; HttpOnly; SameSite=Lax; Secure; Path=/a/b
        http://kiroku.test/a | form= | ; HttpOnly; SameSite=Lax; Path=/a";
    for [url, start, attributes] in table(cookies) {
        let service = service.another(service.clock.clone()).at(url);
        let answer = service.get("/sign-in").await;
        let cookie = answer.header("set-cookie");
        assert!(
            cookie.starts_with(start) && cookie.ends_with(attributes),
            "{cookie}"
        );
    }
}
