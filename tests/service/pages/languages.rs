//! The language of the web pages. The documentation for developers (`/reference`, `/style-guide`) is in English only.

use std::collections::BTreeSet;
use std::time::Duration;

use accounts::applications::ClientKind;
use axum::http::Method;
use mail_parser::MessageParser;
use serde_json::json;
use shared::models::{Anime, TimeZone};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::made_up;
use tests::people::{PASSWORD, Person};
use tests::service::{Answer, PUBLIC_URL, Service};

use crate::pages::every_page::pages;

/// The languages other than English: value of `Accept-Language`, and localization code.
const LANGUAGES: [(&str, &str); 3] = [("fr", "fr"), ("it", "it"), ("ja", "jp")];

/// Words that are the same in all languages.
const NAMES: &str = "anidb anilist anime animelist app basic boys callback client com csv emby example false girls \
    http https itomori jellyfin json kiroku kitsu kodi love metadata mitsuha mpv myanimelist oauth \
    openapi ova pass pkce planet plex radio reference rfc shikimori simkl taiga tautulli test title \
    true utc utf www xml";

/// Returns the texts of a page that a visitor reads, without code and the contents of fields.
fn texts(page: &str) -> BTreeSet<String> {
    let (mut found, mut hidden) = (BTreeSet::new(), "");
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        for attribute in [
            "alt",
            "aria-label",
            "placeholder",
            "data-copied",
            "data-selected",
            "data-help",
        ] {
            found.extend(tag.find_between(&format!(" {attribute}=\""), "\""));
        }
        let name = tag.split(' ').next().unwrap();
        if ["code", "textarea", "style", "script"].contains(&name) {
            hidden = name;
        } else if name.strip_prefix('/') == Some(hidden) {
            hidden = "";
        }
        if hidden.is_empty() {
            found.insert(text.trim().to_owned());
        }
    }
    found
}

/// The languages that a user can choose, each with its name in that language.
const OWN_NAMES: [&str; 6] = [
    "Deutsch",
    "English",
    "Español",
    "Français",
    "Italiano",
    "Português",
];

/// Returns the texts of an English page that are also on the same page in another language. In Japanese no English word
/// may be left, in the other languages no two of them in a row.
fn left_in_english(english: &str, other: &str, language: &str) -> Vec<String> {
    let other = texts(other);
    let is_english = |text: &String| {
        let zone = TimeZone::new(&text.replace(' ', "_"));
        if OWN_NAMES.contains(&text.as_str()) || zone.is_ok() {
            return false;
        }
        let words = text.split(|letter: char| !letter.is_ascii_alphabetic());
        let is_name = |word: &str| NAMES.split(' ').any(|name| name.eq_ignore_ascii_case(word));
        let words = words.filter(|word| word.len() > 2 && !is_name(word));
        words.count() > usize::from(language != "ja")
    };
    let shared = texts(english)
        .into_iter()
        .filter(|text| other.contains(text));
    shared.filter(is_english).collect()
}

fn assert_language(page: &Answer, tag: &str, path: &str) {
    let text = page.text();
    let html = format!("<html lang=\"{tag}\">");
    assert!(text.contains(&html), "{path}: {text}");
    assert_eq!(page.header("content-language"), tag, "{path}");
}

/// Sets the language of an account with the form of the profile page.
async fn set_language(browser: &mut PageClient<'_>, code: &str) {
    let page = browser.get("/profile").await;
    let fields = [("gender", "0"), ("localization", code)];
    let saved = browser.submit(&page, "/profile/settings", &fields).await;
    saved.assert_status(303);
}

/// Compares pages in another language with the same ones in English. No text may be left in English.
#[derive(Default)]
struct Comparison {
    left: BTreeSet<String>,
}

impl Comparison {
    fn compare(&mut self, english: &Answer, other: &Answer, tag: &str, name: &str) {
        assert_eq!(english.status, other.status, "{name}");
        if other.body.is_empty() {
            return;
        }
        let for_developers = ["/reference", "/style-guide"];
        if for_developers.iter().any(|path| name.starts_with(path)) {
            assert_language(other, "en", name);
            return;
        }
        assert_language(english, "en", name);
        assert_language(other, tag, name);
        let left = left_in_english(&english.text(), &other.text(), tag);
        let left = left
            .into_iter()
            .map(|text| format!("{tag}: {text} ({name})"));
        self.left.extend(left);
    }

    /// Compares pages in their order.
    fn compare_all(&mut self, english: &[Answer], others: &[Answer], tag: &str) {
        for (number, (english, other)) in english.iter().zip(others).enumerate() {
            self.compare(english, other, tag, &format!("page {number}"));
        }
    }

    fn finish(&self) {
        assert!(self.left.is_empty(), "{:#?}", self.left);
    }
}

#[tokio::test]
async fn every_page_is_in_the_language_of_the_visitor() {
    let (service, person) = Service::with_person("mitsuha").await;
    let application = service
        .application(
            &person,
            ClientKind::Confidential,
            "https://app.example/cb",
            true,
        )
        .await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.allow(&application, &[]).await;
    browser.create_token("Radio Itomori", "read").await;
    let mut paths: Vec<String> = pages(&service, &application.client_id)
        .into_iter()
        .filter(|(method, _)| method == "GET")
        .map(|(_, path)| path)
        .collect();
    paths.extend([
        application.request(&[]),
        application.request(&[("scope", "read")]),
    ]);
    for failed in "late-a denied-a refused-b misconfigured-b later-a off-a".split(' ') {
        paths.push(format!("/profile/connections?failed={failed}"));
    }
    for (path, done) in [
        ("", "settings"),
        ("", "password"),
        ("", "verification"),
        ("/privacy", "settings"),
        ("/connections", "linked-a"),
        ("/connections", "unlinked-b"),
        ("/connections", "disconnected"),
        ("/developer", "revoked"),
    ] {
        paths.push(format!("/profile{path}?done={done}"));
    }
    assert!(paths.len() > 30, "{}", paths.len());
    let mut english = Vec::new();
    for path in &paths {
        let outside = PageClient::new(&service).get(path).await;
        english.push((outside, browser.get_with_notice(path).await));
    }
    let mut comparison = Comparison::default();
    for (tag, code) in LANGUAGES {
        let mut outside = PageClient::new(&service);
        (outside.languages, browser.languages) = (tag, tag);
        set_language(&mut browser, code).await;
        for (path, (english_outside, english_inside)) in paths.iter().zip(&english) {
            comparison.compare(english_outside, &outside.get(path).await, tag, path);
            let inside = browser.get_with_notice(path).await;
            comparison.compare(english_inside, &inside, tag, path);
        }
    }
    comparison.finish();
}

#[tokio::test]
async fn account_decides_before_the_browser() {
    let (service, person) = Service::with_person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.languages = "it, fr;q=0.5";
    assert_language(&browser.get("/profile").await, "en", "/profile");
    set_language(&mut browser, "jp").await;
    for path in "/profile /profile/history /developer /forgot-password".split(' ') {
        assert_language(&browser.get(path).await, "ja", path);
    }
    let mut outside = PageClient::new(&service);
    outside.languages = "de, it, fr;q=0.5";
    let page = outside.get("/forgot-password").await;
    assert_language(&page, "it", "/forgot-password");
}

#[tokio::test]
async fn errors_are_in_the_language_of_the_account() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.languages = "en";
    set_language(&mut browser, "fr").await;
    let path = format!("/anime/{}", anime.id.get());
    let page = browser.get(&path).await;
    let stale = browser.get(&path).await;
    let next = browser.submit(&page, "/list/next", &[]).await;
    next.assert_status(303);
    let errors = [
        (404, browser.get("/anime/999999").await),
        (404, browser.get("/user/nobody").await),
        (409, browser.submit(&stale, "/list/next", &[]).await),
        (403, browser.get("/moderation").await),
    ];
    for (status, answer) in errors {
        answer.assert_status(status);
        assert_language(&answer, "fr", "an error");
    }
    // The session is read before the token of the form is checked.
    let forged = browser.post("/list/next", &[("csrf", "forged")]).await;
    assert_eq!(forged.status, 403);
    assert_language(&forged, "fr", "a forged form");
    browser.cookies.clear();
    assert_language(&browser.get("/anime/999999").await, "en", "signed out");
}

#[tokio::test]
async fn mails_are_in_the_language_of_the_account() {
    let service = Service::empty().await;
    for (number, (code, subject, hours)) in [
        ("en", "Verify your e-mail address", "24 hours"),
        ("fr", "Vérifiez votre adresse e-mail", "24 heures"),
        ("it", "Verifica il tuo indirizzo e-mail", "24 ore"),
        ("jp", "メールアドレスの確認", "24時間"),
        ("pt-BR", "Verify your e-mail address", "24 hours"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("taki{number}");
        let email = format!("{name}@example.com");
        let account = json!({
            "username": name, "email": email, "password": PASSWORD, "localization": code
        });
        let registered = service.json(Method::POST, "/v1/auth/register", None, &account);
        assert_eq!(registered.await.status, 200);
        let mail = service.mail_to(&email);
        let mail = MessageParser::new().parse(&mail).unwrap();
        assert_eq!(mail.subject(), Some(subject));
        let text = mail.body_text(0).unwrap().replace("\r\n", "\n");
        text.assert_has(&name);
        text.assert_has(hours);
        let link = "\n\nhttps://kiroku.test/verify-email?token=ey";
        text.assert_has(link);
        service.clock.advance(Duration::from_hours(1));
        let wanted = json!({ "email": email });
        let asked = service.json(Method::POST, "/v1/auth/password_reset", None, &wanted);
        assert_eq!(asked.await.status, 200);
        let reset = service.mail_to(&email);
        let reset = MessageParser::new().parse(&reset).unwrap();
        assert_ne!(reset.subject(), Some(subject));
        let text = reset.body_text(0).unwrap();
        text.assert_has("https://kiroku.test/reset-password?token=ey");
    }
}

#[tokio::test]
async fn new_account_has_the_language_of_the_page() {
    let service = Service::empty().await;
    let accounts = [
        ("fr-CA, en;q=0.5", "fr", "fr"),
        ("ja", "jp", "ja"),
        ("de", "en", "en"),
        ("", "en", "en"),
    ];
    for (number, (languages, code, tag)) in accounts.into_iter().enumerate() {
        let mut browser = PageClient::new(&service);
        browser.languages = languages;
        let page = browser.get("/sign-up").await;
        assert_language(&page, tag, "/sign-up");
        let (name, email) = (format!("taki{number}"), format!("taki{number}@example.com"));
        let fields = [
            ("username", name.as_str()),
            ("email", &email),
            ("password", PASSWORD),
        ];
        let answer = browser.submit(&page, "/sign-up", &fields).await;
        answer.assert_status(303);
        browser.languages = "it";
        let profile = browser.get("/profile").await;
        assert_language(&profile, tag, "/profile");
        profile.assert_has(&format!("<option value=\"{code}\" selected>"));
    }
}

/// The forms of visitors who are not signed in, with values that are refused. Each line has the page with a form, the
/// form's action, and the fields.
const FORMS: &str = "
    /sign-up /sign-up
    /sign-up /sign-up username=a+b&email=a&password=short
    /sign-up /sign-up username=ab&email=a@example.com&password=password1
    /sign-up /sign-up username=moonlight-42&email=a@example.com&password=moonlight-42
    /sign-up /sign-up username=mitsuha&email=mitsuha@example.com&password=kataware-doki+2016
    /sign-in /sign-in
    /sign-in /sign-in who=nobody&password=wrong
    /forgot-password /forgot-password email=a
    /forgot-password /reset-password token=a
    /forgot-password /reset-password token=a&password=short
    /verify-email?token=a /verify-email
    /forgot-password /forgot-password email=nobody@example.com
";

/// The forms of signed-in users, in the same format.
const OWN_FORMS: &str = "
    /profile /profile/settings
    /profile /profile/settings gender=9&localization=x+y
    /profile /profile/email
    /profile /profile/email email=a
    /profile /profile/email email=taki@example.com
    /profile/privacy /profile/privacy
    /profile/privacy /profile/privacy visibility=maybe
    /profile/security /profile/security/password
    /profile/security /profile/security/password password=short
    /profile/developer /profile/developer/token scope=all
    /profile/developer /profile/developer/token name=a%E2%80%8Bb&scope=read
    /profile/developer /profile/developer/token name=%E3%85%A4&scope=read
    /profile /profile/connections/disconnect client_id=-
    /profile/history /profile/history/imports import_id=none
    /profile/players /profile/players
    /profile/players /profile/players name=Itomori+Itomori+Itomori+Itomori+Itomori+Itomori&kind=vlc
    /profile/players/series?title=Itomori&season=2 /profile/players/series
    /profile/players /profile/players/series season=all
    /developer /developer
    /developer /developer name=a&kind=public&redirect_uris=https://a.example/%23a
    /developer /developer name=a&kind=public&redirect_uris=http://a.example/
    /developer /developer name=a&kind=public&redirect_uris=https://a@a.example/
    /developer /developer name=a&kind=public&redirect_uris=https://
    /developer /developer name=a&kind=public&redirect_uris=x:/
";

/// Returns the pages, actions and fields of a table of forms.
fn forms(table: &str) -> impl Iterator<Item = [&str; 3]> {
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| {
        let mut parts = line.split(' ').map(Some).chain([None; 3]);
        [(); 3].map(|()| parts.next().flatten().unwrap_or_default())
    })
}

/// Sends all forms in a language, and returns the pages.
async fn send_forms(tag: &'static str, code: &str) -> Vec<Answer> {
    let (service, person) = Service::with_person("mitsuha").await;
    service.person("taki").await;
    let mut pages = Vec::new();
    for [page, action, fields] in forms(FORMS) {
        let mut browser = PageClient::new(&service);
        browser.languages = tag;
        let page = browser.get(page).await;
        pages.push(browser.submit_encoded(&page, action, fields).await);
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.languages = tag;
    set_language(&mut browser, code).await;
    for [page, action, fields] in forms(OWN_FORMS) {
        let page = browser.get(page).await;
        pages.push(browser.submit_encoded(&page, action, fields).await);
    }
    let uris: Vec<String> = (0..11)
        .map(|number| format!("https://a.example/{number}"))
        .collect();
    let long = format!("https://a.example/{}", "a".repeat(500));
    for uris in [
        &uris.join("\n"),
        "https://a.example/ä",
        "a",
        "1a:/b",
        "https:///a",
        &long,
    ] {
        let page = browser.get("/developer").await;
        let fields = [
            ("name", "a".repeat(61).leak() as &str),
            ("kind", "public"),
            ("redirect_uris", uris),
        ];
        pages.push(browser.submit(&page, "/developer", &fields).await);
    }
    for _ in 0..25 {
        browser.create_token("a", "read").await;
        service
            .application(&person, ClientKind::Public, "https://a.example/", false)
            .await;
    }
    let page = browser.get("/profile/developer").await;
    let one_more = [("name", "a"), ("scope", "read")];
    let refused = browser.submit(&page, "/profile/developer/token", &one_more);
    pages.push(refused.await);
    let page = browser.get("/developer").await;
    let another = "name=a&kind=public&redirect_uris=https://a.example/";
    pages.push(browser.submit_encoded(&page, "/developer", another).await);
    // Wrong passwords fail as proofs, until the limit of attempts is reached.
    service.clock.advance(Duration::from_mins(11));
    let page = browser.get("/prove").await;
    pages.push(browser.submit(&page, "/prove", &[]).await);
    let wrong = [("password", "wrong")];
    pages.push(browser.submit(&page, "/prove", &wrong).await);
    let mut limited = browser.submit(&page, "/prove", &wrong).await;
    while limited.status == 400 {
        limited = browser.submit(&page, "/prove", &wrong).await;
    }
    assert_eq!(limited.status, 429);
    pages.push(limited);
    pages
}

#[tokio::test]
async fn errors_of_forms_are_translated() {
    let english = Box::pin(send_forms("en", "en")).await;
    for (number, page) in english.iter().enumerate() {
        assert!(page.status != 303, "page {number}");
    }
    let mut comparison = Comparison::default();
    for (tag, code) in LANGUAGES {
        let others = Box::pin(send_forms(tag, code)).await;
        comparison.compare_all(&english, &others, tag);
    }
    comparison.finish();
}

/// Sends requests that lead to an error page.
async fn send_mistakes(service: &Service, person: &Person, tag: &'static str) -> Vec<Answer> {
    let mut browser = PageClient::signed_in(service, person).await;
    browser.languages = tag;
    set_language(&mut browser, if tag == "ja" { "jp" } else { tag }).await;
    let mut pages = Vec::new();
    for path in [
        "/no-such-page",
        "/profile/",
        "/developer/unknown",
        "/anime/1",
        "/profile/trackers/c/connect",
        "/profile/history/export?format=pdf",
        "/profile/history/export?format=csv&format=%zz",
        "/v1/oauth",
        "/v1/oauth?client_id=a&redirect_uri=b",
        "/v1/oauth?client_id=a&client_id=b",
    ] {
        pages.push(browser.get(path).await);
    }
    let large = "a".repeat(70_000);
    for (path, fields) in [
        ("/profile/settings", &[("csrf", "forged")][..]),
        ("/reference", &[]),
        ("/sign-in", &[("csrf", &*large)]),
    ] {
        pages.push(browser.post(path, fields).await);
    }
    pages.push(browser.upload("/sign-in", &[], "a", b"a").await);
    pages.push(browser.upload("/v1/oauth", &[], "a", b"a").await);
    let owner = service.person("taki").await;
    let application = service
        .application(&owner, ClientKind::Public, "https://a.example/", true)
        .await;
    let token = ("response_type", "token");
    let request = application.request(&[token]);
    let long = "a".repeat(5000);
    for wrong in [
        request.replace("a.example", "b.example"),
        application.request(&[token, ("state", &long)]),
    ] {
        pages.push(browser.get(&wrong).await);
    }
    let consent = browser.get(&request).await;
    let id = hidden(&consent, "consent").unwrap();
    browser
        .submit(&consent, "/v1/oauth", &[("decision", "deny")])
        .await;
    let csrf = hidden(&consent, "csrf").unwrap();
    let used = [
        ("csrf", csrf.as_str()),
        ("consent", &id),
        ("decision", "allow"),
        ("back", "/"),
    ];
    pages.push(browser.post("/v1/oauth", &used).await);
    pages
}

#[tokio::test]
async fn pages_of_errors_are_translated() {
    let mut all = Vec::new();
    for tag in ["en", "fr", "it", "ja"] {
        let (service, person) = Service::with_person("mitsuha").await;
        all.push((tag, send_mistakes(&service, &person, tag).await));
    }
    let (_, english) = all.remove(0);
    for page in &english {
        assert!(page.status.as_u16() >= 300, "{}", page.text());
    }
    let mut comparison = Comparison::default();
    for (tag, pages) in &all {
        comparison.compare_all(&english, pages, tag);
    }
    comparison.finish();
}

/// A list with every kind of entry that an import reports.
const LIST: &str = "title,mal_id,status,score,current_episode,started_on,finished_on,repeats,private,notes,best_song\n\
    1,1001,completed,9,12,2016-08-26,,1,yes,a,\n\
    2,1002,watching,8,99,,,,,,\n\
    3,9999,planned,,,,,,,,\n\
    4,1004,,,,,,,,,\n\
    5,1004,unknown,,,,,,,,\n\
    6,1004,planned,-1,,,,,,,\n\
    7,1004,planned,,x,,,,,,\n\
    8,1004,planned,,,yesterday,,,,,\n\
    9,1004,planned,,,,never,,,,\n\
    10,1004,planned,,,,,-1,,,\n\
    11,1004,planned,,,,,,perhaps,,\n\
    12,x,planned,,,,,,,,\n\
    13,,planned,,,,,,,,\n\
    ,,planned,,,,,,,,\n";

/// A media server's list of watched items, with an unusable item for every reason.
const WATCHED: &str = r#"{"Items": [
    5,
    {"Type": "Episode", "SeriesName": "蜘蛛", "ParentIndexNumber": 1, "IndexNumber": 1, "UserData": {"Played": true}},
    {"Type": "Episode", "SeriesName": "蜘蛛", "IndexNumber": 1, "UserData": {"Played": true}},
    {"Type": "Episode", "SeriesName": "蜘蛛", "ParentIndexNumber": -1, "IndexNumber": 1,
     "UserData": {"Played": true}},
    {"Type": "Episode", "SeriesName": "蜘蛛", "UserData": {"Played": true}},
    {"Type": "Episode", "SeriesName": "蜘蛛", "Path": "NCOP.mkv", "UserData": {"Played": true}},
    {"Type": "Movie", "UserData": {"Played": true}},
    {"Type": "Audio"}
]}"#;

/// Imports the list and files that cannot be read, and undoes the import.
async fn send_lists(service: &Service, tag: &'static str, code: &str) -> Vec<Answer> {
    const PATH: &str = "/profile/history";
    let person = service.person(&format!("mitsuha-{tag}")).await;
    let mut browser = PageClient::signed_in(service, &person).await;
    browser.languages = tag;
    set_language(&mut browser, code).await;
    let csrf = hidden(&browser.get(PATH).await, "csrf").unwrap();
    let mut pages = Vec::new();
    for (mode, file) in [
        ("", LIST),
        ("merge", ""),
        ("merge", "<manga></manga>"),
        ("merge", "<myanimelist><anime>"),
        ("merge", "<!DOCTYPE a><myanimelist/>"),
        ("merge", "{}"),
        ("merge", "{\"format\": \"kiroku\", \"version\": 2}"),
        ("merge", "[1"),
        ("merge", "a,b\n1,2\n"),
        ("merge", "PK\u{3}\u{4}"),
        ("merge", "\u{1f}\u{0}"),
        ("merge", "title,status\n\"a,b\n"),
        ("merge", WATCHED),
        ("merge", "{\"Items\": 5}"),
        ("merge", "<MediaContainer/>"),
    ] {
        let fields = [("csrf", csrf.as_str()), ("mode", mode), ("dry_run", "yes")];
        let sent = browser.upload(PATH, &fields, "list.csv", file.as_bytes());
        pages.push(sent.await);
    }
    let other = LIST.replace("completed,9,12,2016-08-26", "paused,7,3,2016-08-27");
    for (mode, dry_run, file) in [
        ("merge", Some("yes"), LIST),
        ("merge", None, LIST),
        ("replace", None, &other),
    ] {
        let mut fields = vec![("csrf", csrf.as_str()), ("mode", mode)];
        fields.extend(dry_run.map(|dry_run| ("dry_run", dry_run)));
        let sent = browser.upload(PATH, &fields, "list.csv", file.as_bytes());
        pages.push(sent.await);
    }
    let path = "/profile/history/imports";
    let imports = browser.get(path).await;
    let undo = imports.between("?undo=", "\"");
    let question = browser.get(&format!("{path}?undo={undo}")).await;
    pages.push(browser.submit(&question, path, &[]).await);
    pages.extend([imports, question]);
    pages
}

#[tokio::test]
async fn reports_of_imports_are_translated() {
    let mut anime = made_up::anime(4, 1);
    for (number, one) in (1..).zip(&mut anime) {
        one.episodes_count = 12;
        one.tracker_b_id = Some(1000 + number);
    }
    let service = Service::with_catalogue(&anime, &[]).await;
    let english = send_lists(&service, "en", "en").await;
    let mut comparison = Comparison::default();
    for (tag, code) in LANGUAGES {
        let others = send_lists(&service, tag, code).await;
        comparison.compare_all(&english, &others, tag);
    }
    comparison.finish();
}

/// Adds a player of each kind, sends messages with different outcomes to one of them, and returns the pages about them.
async fn use_players(service: &Service, tag: &'static str, code: &str) -> Vec<Answer> {
    const PATH: &str = "/profile/players";
    const SERIES: &str = "/profile/players/series";
    let person = service.person(&format!("mitsuha-{tag}")).await;
    let mut browser = PageClient::signed_in(service, &person).await;
    browser.languages = tag;
    set_language(&mut browser, code).await;
    let mut pages = vec![browser.get(PATH).await];
    for kind in ["jellyfin", "plex", "emby", "kodi", "mpv", "other"] {
        let fields = [("name", "Radio"), ("kind", kind)];
        let added = browser.submit(&pages[0], PATH, &fields).await;
        pages.push(browser.get(added.header("location")).await);
    }
    let player = format!("{PATH}/0");
    let page = browser.get(&player).await;
    let address = page.between("id=\"player-address\">", "<");
    let address = address.strip_prefix(PUBLIC_URL).unwrap();
    let of_user = |event: &str| {
        json!({
            "NotificationType": event, "NotificationUsername": "mitsuha", "ItemType": "Episode",
            "SeriesName": "Itomori", "SeasonNumber": "1", "EpisodeNumber": "1",
            "PlayedToCompletion": "True"
        })
    };
    let send = async |message: &serde_json::Value| {
        let sent = service.json(Method::POST, address, None, message).await;
        sent.assert_status(200);
    };
    send(&of_user("PlaybackStop")).await;
    let waiting = browser.get(&player).await;
    let user = [("server_user", "mitsuha")];
    browser.submit(&waiting, &player, &user).await;
    pages.push(waiting);
    for message in [
        json!({"anime_id": 2, "episode": 12}),
        json!({"title": "Itomori", "season": 2, "episode": 4}),
        json!({"title": "Radio", "season": 1, "episode": 4}),
        json!({"title": "Taiga"}),
    ] {
        send(&message).await;
    }
    let list = browser.get(PATH).await;
    for path in [
        player.clone(),
        format!("{player}?edit=yes&done=saved"),
        format!("{player}?done=renewed"),
        format!("{SERIES}?title=Itomori&season=2&episode=4"),
        format!("{SERIES}?title=Taiga&season=movie"),
    ] {
        pages.push(browser.get(&path).await);
    }
    let csrf = hidden(&list, "csrf").unwrap();
    pages.push(list);
    for answer in [
        [("season", "1"), ("not_an_anime", "yes")],
        [("season", "2"), ("guess", "2:4")],
        [("season", "movie"), ("not_an_anime", "yes")],
        [("season", "none"), ("not_an_anime", "yes")],
        [("season", "none"), ("take_back", "yes")],
    ] {
        let mut fields = vec![
            ("csrf", csrf.as_str()),
            ("title", "Itomori"),
            ("in_season", "4"),
        ];
        fields.extend(answer);
        let answered = browser.post(SERIES, &fields).await;
        pages.push(browser.get(answered.header("location")).await);
    }
    for done in ["applied", "removed"] {
        let path = format!("{PATH}?done={done}");
        pages.push(browser.get_with_notice(&path).await);
    }
    pages.push(browser.get("/anime/2").await);
    let settings = [("name", ""), ("finished_percent", "0")];
    pages.push(browser.submit(&pages[0], &player, &settings).await);
    pages
}

#[tokio::test]
async fn pages_of_players_are_translated() {
    let anime = Anime {
        episodes_count: 12,
        ..made_up::titled_anime(2, "rj", "Itomori")
    };
    let service = Service::with_catalogue(&[anime], &[]).await;
    let english = use_players(&service, "en", "en").await;
    let mut comparison = Comparison::default();
    for (tag, code) in LANGUAGES {
        let others = use_players(&service, tag, code).await;
        comparison.compare_all(&english, &others, tag);
    }
    comparison.finish();
}
