//! The review of a year at `/user/{name}/{year}` and `/statistics/{year}`.

use std::time::Duration;

use quick_xml::events::Event;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeId};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::crowd;
use tests::made_up::titled_anime;
use tests::people::Person;
use tests::service::Service;
use tests::table::table;

use super::list::put;
use super::public_profile::{set_public, visit, with_public_user};
use super::{assert_rounds, linked, section};

/// Returns an anime of 12 episodes of 25 minutes each.
fn anime(id: u64) -> Anime {
    Anime {
        episodes_count: 12,
        episode_duration: Some(25),
        genres: vec!["Drama".to_owned()],
        cover_image: format!("https://images.example/{id}.png"),
        ..titled_anime(id, "en", &format!("Anime {id}."))
    }
}

async fn with_anime(count: u64) -> (Service, Person) {
    let anime: Vec<Anime> = (1..=count).map(anime).collect();
    with_public_user(&anime).await
}

/// Adds a completed story.
async fn finish(service: &Service, person: &Person, id: u64, details: Value) {
    let more = json!({"current_episode": 0, "details": details});
    put(service, person, id, 2, &more).await;
}

pub(super) async fn text(service: &Service, path: &str) -> String {
    let page = visit(service, path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    page.text()
}

/// Returns the identifiers of the anime in a section of a page, in its order.
fn cards(page: &str, heading: &str) -> Vec<u64> {
    let section = section(page, heading);
    section.map(|section| linked(&section)).unwrap_or_default()
}

/// Returns a service with a user who has finished anime in 2015, 2016 and 2018. One of these stories is private.
async fn with_years() -> (Service, Person) {
    let (service, person) = with_anime(9).await;
    for (id, details) in [
        (1, json!({"finished_on": "2016-08-26", "score": 80})),
        (2, json!({"finished_on": "2016-01-03", "score": 95.5})),
        (3, json!({"finished_on": "2016-12", "repeats": 2})),
        (4, json!({"finished_on": "2016", "score": 60})),
        (
            5,
            json!({"finished_on": "2016-02-01", "score": 100, "private": true}),
        ),
        (6, json!({"finished_on": "2015-12-31", "score": 100})),
        (7, json!({"finished_on": "2018-01-01"})),
    ] {
        finish(&service, &person, id, details).await;
    }
    // A story in progress has no date of completion.
    service.create_story(&person, &anime(9), 3).await;
    (service, person)
}

#[tokio::test]
async fn public_page_has_the_year_without_private_stories() {
    let (service, _) = with_years().await;
    let answer = visit(&service, "/user/taki-kun/2016").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-robots-tag"), "noindex");
    let page = answer.text();
    for part in [
        "<h1><span aria-hidden=\"true\">2016</span><span class=\"unseen\">2016 in anime: Taki-Kun</span></h1>",
        "<meta name=\"robots\" content=\"noindex\">",
        "<meta property=\"og:title\" content=\"2016 in anime: Taki-Kun\">",
        // A rewatch counts in no year, so the year has 4 anime of 12 episodes, 25 minutes each.
        "<meta property=\"og:description\" content=\"4 anime finished, with 48 episodes in 20 hours.\">",
        "<meta property=\"og:image\" content=\"https://kiroku.test/user/Taki-Kun/2016.png\">",
        "<link rel=\"canonical\" href=\"https://kiroku.test/user/Taki-Kun/2016\">",
        "<p>4 anime finished, with 48 episodes in 20 hours. The highest score went to ",
        "href=\"/user/Taki-Kun/2016.svg\" download=\"kiroku-2016.svg\"",
        "<dt>Anime</dt><dd>4</dd>",
        "<dt>Episodes</dt><dd>48</dd>",
        "<dt>Hours</dt><dd>20</dd>",
        "<dt>Average score</dt><dd>78.5</dd>",
        "<th scope=\"row\">Drama<",
        "<th scope=\"row\">August 2016<",
        "Score 95.5",
        "href=\"/user/Taki-Kun/2015\" rel=\"prev\"",
        "href=\"/user/Taki-Kun/2018\" rel=\"next\"",
        "href=\"/user/Taki-Kun\"",
    ] {
        page.assert_has(part);
    }
    assert_eq!(cards(&page, "favorites"), [2, 1, 4]);
    assert_eq!(cards(&page, "ends"), [2, 3]);
    assert_eq!(cards(&page, "finished"), [2, 1, 3, 4]);
    // The page shows neither the private story and its month nor any day.
    for secret in ["/anime/5\"", "February", "26 August", "@example.com"] {
        page.assert_lacks(secret);
    }
}

#[tokio::test]
async fn own_page_includes_private_stories() {
    let (service, person) = with_years().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/statistics/2016").await.text();
    page.assert_has("<span class=\"unseen\">Your 2016 in anime</span></h1>");
    page.assert_has("href=\"/statistics/2016.svg\"");
    // The address to share has a copy button.
    let address = page.between("<code id=\"address\">", "</code>");
    assert_eq!(address, "https://kiroku.test/user/Taki-Kun/2016");
    page.assert_has("<dt>Anime</dt><dd>5</dd>");
    assert_eq!(cards(&page, "favorites"), [5, 2, 1, 4]);
    assert_eq!(cards(&page, "finished"), [2, 5, 1, 3, 4]);
    for part in [
        "href=\"/statistics/2015\" rel=\"prev\"",
        "href=\"/statistics/2018\" rel=\"next\"",
        "href=\"/user/Taki-Kun/2016\"",
    ] {
        page.assert_has(part);
    }
    // Only the public page has metadata for other sites.
    page.assert_lacks("og:title");
    set_public(&service, &person, false).await;
    let page = browser.get("/statistics/2016").await.text();
    page.assert_lacks("/user/");
    page.assert_has("Make your profile public");
    // The statistics and the profile lead to the years.
    let page = browser.get("/statistics").await.text();
    for year in [2015, 2016, 2018] {
        page.assert_has(&format!("href=\"/statistics/{year}\""));
    }
    set_public(&service, &person, true).await;
    let page = text(&service, "/user/taki-kun").await;
    page.assert_has("href=\"/user/Taki-Kun/2018\"");
}

/// The API counts the same anime by month.
#[tokio::test]
async fn sums_are_those_of_the_api() {
    let (service, person) = with_years().await;
    let path = format!("/v1/user/{}/statistics", person.id.get());
    let answer = service.get_as(&person.token, &path).await;
    let data = answer.data();
    let months = data["months"].as_array().unwrap().iter();
    let of_year = months.filter(|month| month["month"].as_str().unwrap().starts_with("2016"));
    let sum = |field: &str| {
        let numbers = of_year.clone().map(|month| month[field].as_f64().unwrap());
        numbers.sum::<f64>()
    };
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/statistics/2016").await.text();
    for (label, field) in [
        ("Anime", "stories"),
        ("Episodes", "episodes"),
        ("Hours", "hours"),
    ] {
        let number = sum(field);
        let cell = format!("<dt>{label}</dt><dd>{number}</dd>");
        page.assert_has(&cell);
    }
}

#[tokio::test]
async fn years_without_entries_say_so_and_lead_to_others() {
    let (service, person) = with_years().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (year, links) in [
        ("1900", &["2015"][..]),
        ("2017", &["2016", "2018"]),
        ("2099", &["2018"]),
        ("9999", &["2018"]),
    ] {
        let public = visit(&service, &format!("/user/taki-kun/{year}")).await;
        assert_eq!(public.status, 200, "{year}");
        assert_eq!(public.header("x-robots-tag"), "noindex");
        let own = browser.get(&format!("/statistics/{year}")).await;
        assert_eq!(own.status, 200, "{year}");
        for page in [public.text(), own.text()] {
            let nothing = format!("No anime with a date of completion in {year}.");
            assert!(page.contains(&nothing), "{year}: {page}");
            page.assert_lacks("<dl");
            page.assert_lacks("download=");
            page.assert_lacks("<table");
            let found = page
                .split("rel=\"")
                .filter(|text| text.starts_with("prev\"") || text.starts_with("next\""));
            assert_eq!(found.count(), links.len(), "{year}: {page}");
            for link in links {
                assert!(page.contains(&format!("/{link}\" rel=")), "{year}: {page}");
            }
        }
    }
}

#[tokio::test]
async fn texts_that_are_not_years_are_not_found() {
    let (service, person) = with_years().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let expected = visit(&service, "/user/sayaka/abc").await;
    assert_eq!(expected.status, 404);
    for year in [
        "0",
        "abc",
        "99999",
        "1899",
        "216",
        "02016",
        "+2016",
        "-2016",
        "2016-08",
        "2016.0",
        "%ff",
        "10000",
        ".svg",
        "abc.svg",
        "216.svg",
        "2016.gif",
        "2016.svg.svg",
    ] {
        for path in ["/user/taki-kun", "/user/sayaka"] {
            let answer = visit(&service, &format!("{path}/{year}")).await;
            assert_eq!(answer.status, 404, "{year}");
            assert_eq!(answer.text(), expected.text(), "{year}");
        }
        let own = browser.get(&format!("/statistics/{year}")).await;
        assert_eq!(own.status, 404, "{year}");
    }
}

#[tokio::test]
async fn missing_and_private_profiles_look_the_same() {
    let (service, person) = with_years().await;
    assert_eq!(visit(&service, "/user/TAKI-KUN/2016").await.status, 200);
    set_public(&service, &person, false).await;
    let expected = visit(&service, "/user/sayaka/2016").await;
    assert_eq!(expected.status, 404);
    let without_year = visit(&service, "/user/sayaka").await;
    assert_eq!(expected.text(), without_year.text());
    for path in [
        "/user/taki-kun/2016",
        "/user/taki-kun/1900",
        "/user/%ff/2016",
        "/user/%3Cb%3E/2016",
    ] {
        let answer = visit(&service, path).await;
        assert_eq!(answer.status, 404, "{path}");
        let is_name = !path.contains("%ff");
        assert_eq!(answer.text() == expected.text(), is_name, "{path}");
    }
    let (service, meter) = service.metered();
    for name in ["taki-kun", "mitsuha"] {
        visit(&service, &format!("/user/{name}/2016"))
            .await
            .assert_status(404);
        // The two calls read the row of the name and that of a user.
        assert_eq!(meter.take().calls, 2, "{name}");
    }
}

#[tokio::test]
async fn search_engines_list_a_year_only_if_the_owner_allows_it() {
    let (service, person) = with_years().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile/privacy").await;
    let fields = [("visibility", "indexable")];
    let saved = browser.submit(&page, "/profile/privacy", &fields).await;
    saved.assert_status(303);
    for (year, is_listed) in [(2016, true), (2017, false)] {
        let answer = visit(&service, &format!("/user/taki-kun/{year}")).await;
        assert_eq!(answer.header("x-robots-tag").is_empty(), is_listed);
        assert_eq!(!answer.text().contains("noindex"), is_listed);
    }
}

#[tokio::test]
async fn signed_out_visitors_sign_in_first() {
    let service = Service::empty().await;
    let answer = service.get("/statistics/2016").await;
    answer.assert_leads_to("/sign-in?next=/statistics/2016");
}

#[tokio::test]
async fn years_are_read_in_one_round() {
    let (service, person) = with_years().await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    service.clock.advance(Duration::from_mins(1));
    for path in ["/statistics/2016", "/user/taki-kun/2016"] {
        // The first visit stores the statistics, and reads the documents and the owner of the name.
        for _ in 0..2 {
            assert_eq!(browser.get(path).await.status, 200);
        }
        assert_rounds(&mut browser, &rounds, path, 1).await;
    }
    // The first round reads the identifiers of the anime, and the second one their documents.
    assert_rounds(&mut browser, &rounds, "/user/taki-kun/2018", 2).await;
}

/// A story that has become private is not named, however many others there are.
#[tokio::test]
async fn stories_that_have_become_private_are_not_named() {
    let (service, person) = with_years().await;
    let others = (1000..2500).filter_map(AnimeId::new);
    crowd::stories(&service, &person, others).await;
    service.clock.advance(Duration::from_secs(10));
    let before = text(&service, "/user/taki-kun/2016").await;
    assert_eq!(cards(&before, "finished"), [2, 1, 3, 4]);
    let hidden = json!({
        "op": "put", "anime_id": 2, "status": 2, "current_episode": 12,
        "details": {"private": true, "finished_on": "2016-01-03", "score": 95.5}
    });
    let moved = json!({
        "op": "put", "anime_id": 3, "status": 2, "current_episode": 12,
        "details": {"finished_on": "2017-12"}
    });
    service.change_stories(&person, &[hidden, moved]).await;
    let after = text(&service, "/user/taki-kun/2016").await;
    for section in ["finished", "favorites"] {
        assert!(!cards(&after, section).contains(&2), "{section}: {after}");
    }
    after.assert_lacks("https://images.example/2.png");
    assert_eq!(cards(&after, "finished"), [1, 4]);
    after.assert_has("<dt>Anime</dt><dd>2</dd>");
}

/// The page shows anime for adults, as public profiles do, but the public picture does not name them.
#[tokio::test]
async fn public_pictures_do_not_name_anime_for_adults() {
    let mut adult = anime(1);
    adult.nsfw = true;
    let (service, person) = with_public_user(&[adult, anime(2)]).await;
    for (id, score) in [(1, 100), (2, 50)] {
        let details = json!({"finished_on": "2016-08-26", "score": score});
        finish(&service, &person, id, details).await;
    }
    let page = text(&service, "/user/taki-kun/2016").await;
    assert_eq!(cards(&page, "favorites"), [1, 2]);
    let picture = text(&service, "/user/taki-kun/2016.svg").await;
    picture.assert_lacks("Anime 1.");
    picture.assert_has("50 · Anime 2.");
}

#[tokio::test]
async fn largest_page_is_below_60_kb_and_escaped() {
    let mut all: Vec<Anime> = (1..=60).map(anime).collect();
    for one in &mut all {
        let title = |code: &str| {
            let title = format!("<b>{}", "a long title ".repeat(5));
            (code.to_owned(), title)
        };
        one.titles = [title("en"), ("jp".to_owned(), "長い題名".repeat(6))].into();
        one.cover_image = format!("https://images.example/{}", "c".repeat(80));
        one.genres = (0..25).map(|number| format!("Genre {number}")).collect();
    }
    let (service, person) = with_public_user(&all).await;
    for id in 1..=60 {
        let month = id % 12 + 1;
        let details = json!({"finished_on": format!("2016-{month:02}-03"), "score": id});
        finish(&service, &person, id, details).await;
    }
    let page = text(&service, "/user/taki-kun/2016").await;
    assert!(page.len() < 60_000, "{}", page.len());
    page.assert_lacks("<b>");
    page.assert_has("&lt;b&gt;");
    assert_eq!(cards(&page, "finished").len(), 36);
    page.assert_has("And 24 more, in the list");
}

#[tokio::test]
async fn pages_are_in_the_language_of_the_visitor() {
    let (service, _) = with_years().await;
    let cases = "
        fr | 2016 en anime : Taki-Kun | 4 anime terminés, soit 48 épisodes en 20 heures.
        it | Il 2016 in anime: Taki-Kun | 4 anime completati, per 48 episodi in 20 ore.
        ja | Taki-Kunの2016年アニメまとめ | 視聴完了4作品、全48話、20時間。";
    for [tag, title, summary] in table(cases) {
        let page = service
            .get_with("/user/taki-kun/2016", &[("accept-language", tag)])
            .await
            .text();
        assert!(
            page.contains(&format!("{title}</span></h1>")),
            "{tag}: {page}"
        );
        assert!(page.contains(summary), "{tag}: {page}");
    }
}

/// Anime are on the wall in the month in which they were finished.
#[tokio::test]
async fn wall_has_the_months() {
    let (service, _) = with_years().await;
    let page = text(&service, "/user/taki-kun/2016").await;
    let wall = page.between("<ol class=\"wall\">", "</ol>");
    assert_eq!(wall.matches("<h3>").count(), 12);
    let of = |month: &str| {
        let month = wall.after(&format!("<h3>{month}</h3>"));
        linked(&month.before("</ul>"))
    };
    assert_eq!(of("Jan"), [2], "{wall}");
    assert_eq!(of("Aug"), [1]);
    assert_eq!(of("Dec"), [3]);
    assert!(of("Feb").is_empty(), "the private story");
    let rest = page.between("<ul class=\"wall-rest\">", "</ul>");
    assert_eq!(linked(&rest), [4]);
}

/// Checks that a text is XML: its elements are closed, and it has only characters and entities that XML allows.
fn assert_well_formed(text: &str) {
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::GeneralRef(entity) => {
                assert!(
                    ["amp", "lt", "gt", "quot"].contains(&&*entity),
                    "{entity:?}"
                );
            }
            Event::Start(element) => {
                for attribute in element.attributes() {
                    attribute.unwrap();
                }
            }
            _ => {}
        }
    }
    let is_allowed = |letter: char| !letter.is_control() && letter != '\u{ffff}';
    assert!(text.chars().all(is_allowed), "{text:?}");
}

/// The picture is well-formed, loads nothing and names no private story on the public address.
#[tokio::test]
async fn pictures_show_the_year() {
    let (service, person) = with_years().await;
    let public = visit(&service, "/user/taki-kun/2016.svg").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let own = browser.get("/statistics/2016.svg").await;
    for (picture, anime, title) in [
        (&public, 4, "2016 in anime: Taki-Kun"),
        (&own, 5, "Your 2016 in anime"),
    ] {
        assert_eq!(picture.status, 200);
        assert_eq!(picture.header("content-type"), "image/svg+xml");
        assert_eq!(picture.header("cache-control"), "no-store");
        assert_eq!(picture.header("x-robots-tag"), "noindex");
        let policy = picture.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let text = picture.text();
        assert_well_formed(&text);
        text.assert_has("width=\"1200\" height=\"630\"");
        text.assert_has(&format!("<title>{title}</title>"));
        text.assert_has(&format!("{anime} anime finished, with"));
        for outside in ["href", "<image", "<style", "url("] {
            text.assert_lacks(outside);
        }
    }
    public.assert_has("95.5 · Anime 2.");
    public.assert_lacks("Anime 5.");
    own.assert_has("100 · Anime 5.");
    // The blocks of the columns: three anime of known months.
    let blocks = public.text().matches("width=\"82\"").count();
    assert_eq!(blocks, 3);
    set_public(&service, &person, false).await;
    let hidden = visit(&service, "/user/taki-kun/2016.svg").await;
    assert_eq!(hidden.status, 404);
    let visitor = service.get("/statistics/2016.svg").await;
    visitor.assert_leads_to("/sign-in?next=/statistics/2016");
}

#[tokio::test]
async fn pictures_are_also_png() {
    let (service, person) = with_years().await;
    let public = visit(&service, "/user/taki-kun/2016.png").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let own = browser.get("/statistics/2016.png").await;
    for picture in [&public, &own] {
        assert_eq!(picture.status, 200);
        assert_eq!(picture.header("content-type"), "image/png");
        assert_eq!(picture.header("x-robots-tag"), "noindex");
        let size: [u8; 8] = [0, 0, 4, 0xb0, 0, 0, 2, 0x76];
        assert_eq!(picture.body[16..24], size, "1200 x 630");
        assert!(picture.body.len() < 60_000, "{}", picture.body.len());
    }
    // The private story is a block of the own picture.
    assert_ne!(public.body, own.body);
    set_public(&service, &person, false).await;
    let hidden = visit(&service, "/user/taki-kun/2016.png").await;
    assert_eq!(hidden.status, 404);
}

#[tokio::test]
async fn titles_cannot_break_a_picture() {
    let mut hard = anime(1);
    let title = "</text><script>alert(1)</script>&\"'\u{1}\u{8}\u{ffff}]]>";
    hard.titles = [("en".to_owned(), title.to_owned())].into();
    let (service, person) = with_public_user(&[hard]).await;
    let details = json!({"finished_on": "2016-08-26", "score": 80});
    finish(&service, &person, 1, details).await;
    let picture = text(&service, "/user/taki-kun/2016.svg").await;
    assert_well_formed(&picture);
    picture.assert_lacks("<script");
    picture.assert_has("&lt;script&gt;");
}
