//! Public profiles at `/user/{name}`.

use std::time::Duration;

use serde_json::{Value, json};
use shared::models::{Anime, AnimeId, WatchStatus};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::crowd;
use tests::made_up::titled_anime;
use tests::people::Person;
use tests::service::{Answer, Service};
use tests::units::Consumed;

use super::assert_rounds;
use super::list::put;

/// After this time a change is settled, and the functions check for a newer index.
const SETTLED: Duration = Duration::from_secs(10);

/// Returns an anime of 12 episodes of 24 minutes each.
fn anime(id: u64) -> Anime {
    Anime {
        episodes_count: 12,
        episode_duration: Some(24),
        genres: vec!["Drama".to_owned()],
        cover_image: format!("https://images.example/covers/large/bx{id}-0123456789abcdef.jpg"),
        ..titled_anime(id, "rj", &format!("Anime {id}."))
    }
}

async fn with_anime(count: u64) -> (Service, Person) {
    let anime: Vec<Anime> = (1..=count).map(anime).collect();
    with_public_user(&anime).await
}

/// Returns a service with this catalogue, and a user with a public profile.
pub(crate) async fn with_public_user(anime: &[Anime]) -> (Service, Person) {
    let service = Service::with_catalogue(anime, &[]).await;
    let person = service.person("Taki-Kun").await;
    set_public(&service, &person, true).await;
    (service, person)
}

/// Makes the user's profile public or private.
pub(crate) async fn set_public(service: &Service, person: &Person, is_public: bool) {
    let change = json!({"id": person.id, "gender": 0, "public_profile": is_public});
    let changed = service.post_as(&person.token, "/v1/user", &change).await;
    changed.assert_status(200);
}

async fn add(
    service: &Service,
    person: &Person,
    id: u64,
    status: WatchStatus,
    episode: u32,
    details: Value,
) {
    let more = json!({"current_episode": episode, "details": details});
    put(service, person, id, status.into(), &more).await;
}

async fn delete(service: &Service, person: &Person, id: u64) {
    let path = format!("/v1/user_story/{}", person.story(&anime(id)));
    let deleted = service.delete_as(&person.token, &path);
    assert_eq!(deleted.await.status, 200);
}

/// Opens a page as a browser without a session.
pub(crate) async fn visit(service: &Service, path: &str) -> Answer {
    PageClient::new(service).get(path).await
}

async fn profile(service: &Service, query: &str) -> String {
    let page = visit(service, &format!("/user/taki-kun{query}")).await;
    page.assert_status(200);
    page.text()
}

#[tokio::test]
async fn profile_has_the_list_and_the_statistics_of_public_stories() {
    let (service, person) = with_anime(4).await;
    add(&service, &person, 1, WatchStatus::Current, 3, json!({})).await;
    let scored = json!({"score": 85});
    add(&service, &person, 2, WatchStatus::Completed, 12, scored).await;
    let hidden = json!({"private": true, "score": 10, "notes": "nobody may read this"});
    add(&service, &person, 3, WatchStatus::Completed, 12, hidden).await;
    let noted = json!({"notes": "my own words"});
    add(&service, &person, 4, WatchStatus::Planning, 0, noted).await;
    let answer = visit(&service, "/user/taki-kun").await;
    assert_eq!(answer.header("x-robots-tag"), "noindex");
    let page = answer.text();
    for text in [
        "<h1>Taki-Kun</h1>",
        "<meta name=\"robots\" content=\"noindex\">",
        "<dt>Days</dt><dd>0.3</dd>",
        "<dt>Completed</dt><dd>1</dd>",
        "<dt>Episodes</dt><dd>15</dd>",
        "<dt>Average score</dt><dd>85</dd>",
        "<th scope=\"row\">Drama<",
        "href=\"/anime/1\"",
        "Episode 3",
    ] {
        page.assert_has(text);
    }
    let completed = profile(&service, "?status=2").await;
    completed.assert_has("href=\"/anime/2\"");
    completed.assert_has("Score </span><span class=\"num\">85</span>");
    let planned = profile(&service, "?status=1").await;
    planned.assert_has("href=\"/anime/4\"");
    for page in [page, completed, planned] {
        for secret in [
            "/anime/3\"",
            "nobody may",
            "my own words",
            "@example.com",
            "email",
        ] {
            page.assert_lacks(secret);
        }
    }
}

/// Returns the anime that a part of a page links to, in their order.
fn linked_anime(part: &str) -> Vec<u64> {
    let links = part.match_indices("href=\"/anime/");
    let links = links.map(|(at, text)| part[at + text.len()..].split('"').next());
    let mut ids: Vec<u64> = links.filter_map(|id| id?.parse().ok()).collect();
    // The cover and the title of an anime are links.
    ids.dedup();
    ids
}

#[tokio::test]
async fn profile_begins_with_the_best_and_the_latest() {
    let (service, person) = with_anime(5).await;
    for (id, status, episode, details) in [
        (1, WatchStatus::Completed, 12, json!({"score": 70})),
        (2, WatchStatus::Dropped, 2, json!({"score": 91})),
        (3, WatchStatus::Planning, 0, json!({})),
        (4, WatchStatus::Current, 6, json!({})),
        (
            5,
            WatchStatus::Completed,
            12,
            json!({"score": 99, "private": true}),
        ),
    ] {
        add(&service, &person, id, status, episode, details).await;
        service.clock.advance(Duration::from_hours(12));
    }
    let page = profile(&service, "").await;
    let favorites = page.between("id=\"favorites\"", "</section>");
    assert_eq!(linked_anime(&favorites), [2, 1]);
    let lately = page.between("id=\"lately\"", "</section>");
    assert_eq!(linked_anime(&lately), [4, 3, 2, 1]);
    for change in ["Episode 6, ", "Planned, ", "Dropped after episode 2, "] {
        lately.assert_has(change);
    }
    lately.assert_has("Completed, score 70, ");
    for metadata in [
        "property=\"og:type\" content=\"profile\"",
        "property=\"og:title\" content=\"Taki-Kun\"",
        "content=\"1 anime completed, 20 episodes watched.\"",
        "property=\"og:image\" content=\"https://images.example/covers/large/bx2-",
        "<span class=\"av\" aria-hidden=\"true\">T</span>",
        "Keeping a record since ",
    ] {
        page.assert_has(metadata);
    }
    // The pages of the list have no such beginning.
    let dropped = profile(&service, "?status=3").await;
    dropped.assert_lacks("id=\"favorites\"");
    dropped.assert_lacks("id=\"lately\"");
}

#[tokio::test]
async fn profile_leads_its_owner_to_the_settings() {
    let (service, person) = with_anime(1).await;
    let other = service.person("mitsuha").await;
    let leads = async |person: &Person| {
        let mut browser = PageClient::signed_in(&service, person).await;
        let page = browser.get("/user/taki-kun").await;
        let head = page.between("class=\"person\"", "<dl");
        head.contains("href=\"/profile\"")
    };
    assert!(leads(&person).await);
    assert!(!leads(&other).await);
}

/// A GIF file: 2 pixels.
const PICTURE: &[u8] = b"GIF89a\x02\0\x01\0\0\0\0\x2c\0\0\0\0\x02\0\x01\0\0\x02\x02\x44\x01\0;";

/// Uploads a picture in a browser that is signed in.
async fn upload(browser: &mut PageClient<'_>, file: &[u8]) -> Answer {
    let page = browser.get("/profile").await;
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str())];
    browser
        .upload("/profile/picture", &fields, "me.gif", file)
        .await
}

async fn has_picture_row(service: &Service) -> bool {
    let rows = service.rows("Unique").await;
    rows.iter().any(|row| row.contains_key("picture"))
}

#[tokio::test]
async fn picture_is_uploaded_shown_and_removed() {
    let (service, person) = with_anime(1).await;
    let other = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut large = PICTURE.to_vec();
    large.resize(200 * 1024 + 1, 0);
    let [wide, short] = [
        [b"GIF89a\xff\xff".as_slice(), &PICTURE[8..]].concat(),
        PICTURE[..20].to_vec(),
    ];
    for file in [&b"<svg/>"[..], b"", &wide, &short, &large] {
        let refused = upload(&mut browser, file).await;
        refused.assert_status(400);
        refused.assert_has("Image file must be a PNG, JPEG, WebP or GIF image");
    }
    assert!(!has_picture_row(&service).await);
    // A comment before the end of the file, and what follows the end, are not kept.
    let (start, end) = PICTURE.split_at(PICTURE.len() - 1);
    let noted = [start, b"\x21\xfe\x07Itomori\0", end, b"Itomori"].concat();
    let saved = upload(&mut browser, &noted).await;
    saved.assert_leads_to("/profile?done=picture");
    let page = profile(&service, "").await;
    let address = page.between("<img class=\"av\" src=\"", "\"");
    address.assert_starts_with("/user/Taki-Kun/picture?v=");
    let preview = format!("property=\"og:image\" content=\"https://kiroku.test{address}\"");
    page.assert_has(&preview);
    browser.get("/profile").await.assert_has(&address);
    let picture = visit(&service, &address).await;
    picture.assert_status(200);
    assert_eq!(&picture.body[..], PICTURE);
    for (name, value) in [
        ("content-type", "image/gif"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, max-age=31536000, immutable"),
    ] {
        picture.assert_header(name, value);
    }
    let outdated = visit(&service, "/user/taki-kun/picture?v=a").await;
    assert_eq!(&outdated.body[..], PICTURE);
    outdated
        .header("cache-control")
        .assert_lacks("max-age=31536000");
    set_public(&service, &person, false).await;
    assert_eq!(visit(&service, &address).await.status, 404);
    let mut others = PageClient::signed_in(&service, &other).await;
    assert_eq!(others.get(&address).await.status, 404);
    assert_eq!(browser.get(&address).await.status, 200);
    let page = browser.get("/profile").await;
    let removed = browser.submit(&page, "/profile/picture/remove", &[]).await;
    removed.assert_leads_to("/profile?done=picture-removed");
    assert_eq!(browser.get(&address).await.status, 404);
    assert!(!has_picture_row(&service).await);
}

#[tokio::test]
async fn picture_is_read_without_strong_consistency() {
    let (service, person) = with_anime(1).await;
    // The data of the image gets 700 blocks more, which are 175 KB.
    let (start, data) = PICTURE.split_at(24);
    let large = [start, &[255_u8; 256].repeat(700), data].concat();
    let mut browser = PageClient::signed_in(&service, &person).await;
    upload(&mut browser, &large).await.assert_status(303);
    let page = profile(&service, "").await;
    let address = page.between("<img class=\"av\" src=\"", "\"");
    let (service, meter) = service.metered();
    let picture = visit(&service, &address).await;
    assert!(picture.body[..] == large[..]);
    picture.assert_header("cache-control", "private, max-age=31536000, immutable");
    // The picture takes 44 units of 4 KB, of which half are charged. Two small rows are read besides.
    let units = meter.take().units;
    assert!((22.0..=24.0).contains(&units), "{units}");
}

#[tokio::test]
async fn picture_is_deleted_with_the_account() {
    let (service, person) = with_anime(1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    upload(&mut browser, PICTURE).await.assert_status(303);
    assert!(has_picture_row(&service).await);
    let path = format!("/v1/user/{}", person.id.get());
    let deleted = service.delete_as(&person.token, &path).await;
    deleted.assert_status(200);
    assert!(!has_picture_row(&service).await);
}

#[tokio::test]
async fn missing_and_private_profiles_look_the_same() {
    let (service, person) = with_anime(1).await;
    assert_eq!(visit(&service, "/user/TAKI-KUN").await.status, 200);
    let deleted = service.person("tessie").await;
    set_public(&service, &deleted, true).await;
    assert_eq!(visit(&service, "/user/tessie").await.status, 200);
    let path = format!("/v1/user/{}", deleted.id.get());
    let deletion = service.delete_as(&deleted.token, &path).await;
    assert_eq!(deletion.status, 200);
    set_public(&service, &person, false).await;
    let expected = visit(&service, "/user/nobody").await;
    assert_eq!(expected.status, 404);
    expected.assert_has("role=\"search\"");
    let long = format!("/user/{}", "x".repeat(3000));
    for path in [
        "/user/taki-kun",
        "/user/tessie",
        "/user/x",
        "/user/a b",
        "/user/%ff",
        "/user/%3Cb%3E",
        &long,
    ] {
        let answer = visit(&service, &path.replace(' ', "%20")).await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.text(), expected.text(), "{path}");
        let names = |answer: &Answer| -> Vec<String> {
            answer.headers.keys().map(ToString::to_string).collect()
        };
        assert_eq!(names(&answer), names(&expected), "{path}");
    }
}

#[tokio::test]
async fn missing_and_private_profiles_cost_the_same() {
    let (service, person) = with_anime(1).await;
    add(&service, &person, 1, WatchStatus::Current, 3, json!({})).await;
    set_public(&service, &person, false).await;
    let (service, meter) = service.metered();
    for name in ["taki-kun", "mitsuha"] {
        let answer = visit(&service, &format!("/user/{name}")).await;
        assert_eq!(answer.status, 404);
        // The two calls read the row of the name and that of a user.
        assert_eq!(meter.take().calls, 2, "{name}");
    }
}

/// Sets the visibility with the form of the profile.
async fn set_visibility(service: &Service, person: &Person, visibility: &str) {
    let mut browser = PageClient::signed_in(service, person).await;
    let page = browser.get("/profile/privacy").await;
    let fields = [("visibility", visibility)];
    let saved = browser.submit(&page, "/profile/privacy", &fields).await;
    saved.assert_status(303);
}

#[tokio::test]
async fn search_engines_list_a_profile_only_if_its_owner_allows_it() {
    let (service, person) = with_anime(1).await;
    let is_listed = async || {
        let answer = visit(&service, "/user/taki-kun").await;
        answer.assert_status(200);
        let is_listed = answer.header("x-robots-tag").is_empty();
        assert_eq!(is_listed, !answer.text().contains("noindex"));
        is_listed
    };
    assert!(!is_listed().await);
    set_visibility(&service, &person, "indexable").await;
    assert!(is_listed().await);
    // The API makes the profile private or public, and does not change whether search engines may list it.
    set_public(&service, &person, false).await;
    assert_eq!(visit(&service, "/user/taki-kun").await.status, 404);
    set_public(&service, &person, true).await;
    assert!(is_listed().await);
    set_visibility(&service, &person, "public").await;
    assert!(!is_listed().await);
    set_visibility(&service, &person, "private").await;
    assert_eq!(visit(&service, "/user/taki-kun").await.status, 404);
}

#[tokio::test]
async fn a_profile_that_was_read_before_is_read_in_one_round() {
    let (service, person) = with_anime(2).await;
    add(&service, &person, 1, WatchStatus::Current, 3, json!({})).await;
    let visitor = service.person("mitsuha").await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &visitor).await;
    assert_eq!(browser.get("/user/taki-kun").await.status, 200);
    assert_rounds(&mut browser, &rounds, "/user/taki-kun", 1).await;
    // Each visit reads the account's settings and the current stories.
    add(&service, &person, 2, WatchStatus::Current, 7, json!({})).await;
    let page = browser.get("/user/taki-kun").await.text();
    page.assert_has("Episode 7");
    set_public(&service, &person, false).await;
    assert_eq!(browser.get("/user/taki-kun").await.status, 404);
    set_public(&service, &person, true).await;
    assert_eq!(browser.get("/user/taki-kun").await.status, 200);
}

/// The list of a visited profile is not read again, and a story that has become private is not shown.
#[tokio::test]
async fn visit_of_a_large_profile_costs_no_more_than_that_of_a_small_one() {
    let (service, person) = with_anime(48).await;
    let others = (1000..4000).filter_map(AnimeId::new);
    crowd::stories(&service, &person, others).await;
    for id in 1..=48 {
        add(&service, &person, id, WatchStatus::Current, 3, json!({})).await;
    }
    let (service, meter) = service.metered();
    service.clock.advance(SETTLED);
    // The process must have seen the row unchanged for a while before it stores the digest of the list.
    for _ in 0..2 {
        profile(&service, "").await;
        service.clock.advance(SETTLED);
    }
    let first = profile(&service, "").await;
    first.assert_has("href=\"/anime/1\"");
    let _ = meter.take();
    assert_eq!(profile(&service, "").await, first);
    let warm = Consumed {
        calls: 1,
        units: 1.0,
    };
    assert_eq!(meter.take(), warm, "the row of the user");

    let hidden = json!({
        "op": "put", "anime_id": 1, "status": 0, "current_episode": 3, "details": {"private": true}
    });
    service.change_stories(&person, &[hidden]).await;
    delete(&service, &person, 2).await;
    let _ = meter.take();
    let second = profile(&service, "").await;
    for gone in ["/anime/1\"", "/anime/2\""] {
        second.assert_lacks(gone);
    }
    second.assert_has("href=\"/anime/3\"");
    assert_eq!(meter.take(), warm);
}

#[tokio::test]
async fn list_has_pages_in_the_order_of_scores() {
    let (service, person) = with_anime(50).await;
    for id in 1..=50 {
        let score = json!({"score": id});
        add(&service, &person, id, WatchStatus::Completed, 12, score).await;
    }
    let ids = |page: &str| linked_anime(&page.between("id=\"list\"", "</section>"));
    let first = profile(&service, "").await;
    assert_eq!(ids(&first), (3..=50).rev().collect::<Vec<u64>>());
    first.assert_has("href=\"/user/Taki-Kun?status=2&amp;page=2\"");
    let second = profile(&service, "?status=2&page=2").await;
    assert_eq!(ids(&second), [2, 1]);
    for (query, expected) in [
        ("?page=99", vec![2, 1]),
        ("?page=0", ids(&first)),
        ("?page=x&status=9", ids(&first)),
        ("?status=0", vec![]),
        ("?unknown=%ff", ids(&first)),
    ] {
        assert_eq!(ids(&profile(&service, query).await), expected, "{query}");
    }
}

#[tokio::test]
async fn largest_page_is_below_100_kb_and_escaped() {
    let mut all: Vec<Anime> = (1..=48).map(anime).collect();
    for one in &mut all {
        let title = format!("<b>{}", "long ".repeat(40));
        one.titles.insert("rj".to_owned(), title);
    }
    let (service, person) = with_public_user(&all).await;
    for id in 1..=48 {
        add(&service, &person, id, WatchStatus::Paused, 1, json!({})).await;
    }
    let page = profile(&service, "").await;
    assert!(page.len() < 100_000, "{}", page.len());
    page.assert_lacks("<b>");
    page.assert_has("&lt;b&gt;");
}
