//! The start page of a signed-in user (docs/pages.md, "Web pages").

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeId, AnimeStatus, Season, Weekday};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::Person;
use tests::service::{Answer, Service};

use super::list::{self, next_key, progress, with_user};
use super::{assert_rounds, linked, set_language};

const CURRENT: u8 = 0;
const PLANNING: u8 = 1;
const COMPLETED: u8 = 2;
const PAUSED: u8 = 4;

/// Returns an anime of 12 episodes that has ended.
pub(super) fn anime(id: u64, title: &str) -> Anime {
    list::anime(id, title, 12)
}

/// Returns an anime that airs. The clock of the service starts on a Tuesday in November 2023.
fn airing(id: u64, title: &str, day: Weekday) -> Anime {
    Anime {
        status: AnimeStatus::Releasing,
        weekly_airing_day: Some(day),
        ..anime(id, title)
    }
}

/// Puts an anime on the list, a second after the one before.
async fn put(service: &Service, person: &Person, anime: u64, status: u8, episode: u32) {
    service.clock.advance(Duration::from_secs(1));
    let more = json!({"current_episode": episode});
    list::put(service, person, anime, status, &more).await;
}

async fn home(browser: &mut PageClient<'_>) -> Answer {
    let page = browser.get("/").await;
    page.assert_status(200);
    page
}

/// Returns the section with this heading; an empty text if the page has none.
fn section(page: &Answer, id: &str) -> String {
    super::section(&page.text(), id).unwrap_or_default()
}

#[tokio::test]
async fn entries_in_progress_are_shown_the_last_watched_first() {
    let mut catalogue: Vec<Anime> = (1..=20).map(|id| anime(id, "Kumo")).collect();
    catalogue[4] = airing(5, "Sora", Weekday::Friday);
    let (service, person) = with_user(&catalogue).await;
    put(&service, &person, 1, CURRENT, 3).await;
    put(&service, &person, 2, CURRENT, 0).await;
    put(&service, &person, 3, PAUSED, 3).await;
    put(&service, &person, 4, COMPLETED, 12).await;
    // The user has watched all released episodes.
    put(&service, &person, 5, CURRENT, 12).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let shown = section(&home(&mut browser).await, "continue");
    assert_eq!(linked(&shown), [2, 1], "{shown}");
    shown.assert_has("<span class=\"num\">3 <i>/ 12</i></span>");
    shown.assert_has("aria-label=\"+1: watched episode 4 of Kumo\"");
    shown.assert_has(">All 2</a>");
    shown.assert_has("href=\"/anime/1\" tabindex=\"-1\"");

    for id in 6..=20 {
        put(&service, &person, id, CURRENT, 1).await;
    }
    let shown = section(&home(&mut browser).await, "continue");
    let latest: Vec<u64> = (9..=20).rev().collect();
    assert_eq!(linked(&shown), latest, "at most 12");
    let all = "<a id=\"all-current\" href=\"/list?status=0\">All 17</a>";
    shown.assert_has(all);
}

#[tokio::test]
async fn next_episode_and_its_undo_lead_back_to_the_page() {
    let (service, person) = with_user(&[anime(21, "Kumo"), anime(22, "Sora")]).await;
    put(&service, &person, 21, CURRENT, 11).await;
    put(&service, &person, 22, CURRENT, 1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = home(&mut browser).await;
    let key = next_key(&page, 21).unwrap();
    let answer = browser
        .submit(&page, "/list/next", &[("entry", &key)])
        .await;
    answer.assert_leads_to("/?done=next&of=21");
    let page = browser.get(answer.header("location")).await;
    let text = page.text();
    text.assert_has("<strong><span lang=\"ja-Latn\" dir=\"auto\">Kumo</span></strong>");
    text.assert_has("Episode 12 marked as watched.");
    assert_eq!(progress(&service, &person, 21).await, Some((2, 12)));
    assert_eq!(linked(&section(&page, "continue")), [22], "{text}");

    let undone = browser.submit(&page, "/list/undo", &[]).await;
    undone.assert_leads_to("/?done=undone&of=21");
    let page = browser.get(undone.header("location")).await;
    page.assert_has("The change has been undone.");
    assert_eq!(progress(&service, &person, 21).await, Some((0, 11)));
    // The script looks for the entry by its identifier.
    assert!(section(&page, "continue").contains("<li id=\"entry-21\">"));

    // A second click, or a page that is no longer current, changes nothing.
    let stale = browser
        .submit(&page, "/list/next", &[("entry", "22:0-0-0")])
        .await;
    assert_eq!(stale.status, StatusCode::CONFLICT);
    assert_eq!(progress(&service, &person, 22).await, Some((0, 1)));
    for query in "done=next&of=99 done=next&of=0 done=%3Cb%3E&of=21 done=undone %ff=%".split(' ') {
        let page = browser.get(&format!("/?{query}")).await;
        assert_eq!(page.status, StatusCode::OK, "{query}");
        assert!(!page.text().contains("<b>"), "{query}");
    }
}

#[tokio::test]
async fn anime_of_the_list_that_air_today_and_tomorrow_are_shown() {
    let (service, person) = with_user(&[
        airing(1, "Today", Weekday::Tuesday),
        airing(2, "Tomorrow", Weekday::Wednesday),
        airing(3, "Later", Weekday::Thursday),
        airing(4, "Planned", Weekday::Tuesday),
        airing(5, "Completed", Weekday::Tuesday),
        airing(6, "Unlisted", Weekday::Tuesday),
    ])
    .await;
    for (id, status) in [
        (1, CURRENT),
        (2, CURRENT),
        (3, CURRENT),
        (4, PLANNING),
        (5, COMPLETED),
    ] {
        put(&service, &person, id, status, 0).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = home(&mut browser).await;
    let shown = section(&page, "airing");
    let (today, tomorrow) = (
        shown.before("Tomorrow <small>"),
        shown.after("Tomorrow <small>"),
    );
    today.assert_has("href=\"/calendar\"");
    today.assert_has("Today <small>Tuesday</small>");
    let mut ids = linked(&today);
    ids.sort_unstable();
    assert_eq!(ids, [1, 4]);
    assert_eq!(linked(&tomorrow), [2]);
    tomorrow.assert_has("Ep. 1");
    let week = page.between("<section class=\"week\"", "</section>");
    week.assert_has("<span class=\"num\">4</span> episodes in seven days");
    for day in ["Tuesday: 2", "Wednesday: 1", "Thursday: 1", "Friday: 0"] {
        week.assert_has(day);
    }
    // An entry in progress names the day.
    let continued = section(&page, "continue");
    for day in ["Airs today", "Airs tomorrow", "Airs on Thursday"] {
        continued.assert_has(day);
    }

    service.clock.advance(Duration::from_hours(3 * 24));
    // Nothing airs on Friday and Saturday.
    assert_eq!(section(&home(&mut browser).await, "airing"), "");
}

#[tokio::test]
async fn suggestions_state_their_reasons() {
    let mut first = anime(1, "Mushi");
    let mut second = anime(2, "Mushi 2");
    first.prequel = Some(second.id);
    second.sequel = Some(first.id);
    first.recommendations = Some(vec![AnimeId::new(3).unwrap()]);
    let planned = airing(4, "Planned", Weekday::Friday);
    let (service, person) = with_user(&[first, second, anime(3, "Kaze"), planned]).await;
    put(&service, &person, 1, COMPLETED, 12).await;
    put(&service, &person, 4, PLANNING, 0).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let shown = section(&home(&mut browser).await, "what-next");
    assert_eq!(linked(&shown), [2, 4, 3]);
    let title = "<span lang=\"ja-Latn\" dir=\"auto\">Mushi</span>";
    for reason in [
        format!("<p>The sequel of {title}</p>"),
        "<p>You plan to watch it, and it is airing now</p>".to_owned(),
        format!("<p>Because you finished {title}</p>"),
    ] {
        shown.assert_has(&reason);
    }
    for (language, reason) in [
        ("fr", format!("<p>La suite de {title}</p>")),
        ("it", format!("<p>Il seguito di {title}</p>")),
        ("jp", format!("<p>「{title}」の続編</p>")),
    ] {
        set_language(&service, &person, language).await;
        let shown = section(&home(&mut browser).await, "what-next");
        shown.assert_has(&reason);
    }
}

#[tokio::test]
async fn visitors_and_users_without_entries_see_no_empty_sections() {
    let mut of_season = anime(1, "Kumo");
    (of_season.season_period, of_season.season_year) = (Season::Fall, Some(2023));
    let (service, person) = with_user(&[of_season, anime(2, "Sora")]).await;
    let visitors = service.get("/").await;
    visitors.assert_has("class=\"hanko\"");
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = home(&mut browser).await;
    let text = page.text();
    text.assert_has("<h1 class=\"unseen\">Today</h1>");
    text.assert_has("Your list is empty");
    text.assert_has("href=\"/welcome\"");
    for id in ["continue", "airing", "what-next"] {
        assert_eq!(section(&page, id), "", "{id}");
    }
    assert!(!text.contains("class=\"hanko\""), "no introduction");
    assert_eq!(text.matches("role=\"search\"").count(), 1, "{text}");
    assert_eq!(linked(&section(&page, "season")), [1]);

    put(&service, &person, 2, PAUSED, 1).await;
    let text = home(&mut browser).await.text();
    text.assert_lacks("/welcome");
    // A browser whose session has ended gets the visitors' page, with the link to the sign-in page.
    let cookie = browser.cookies.keys().next().unwrap();
    let forged = format!("{cookie}={}.{}", person.id.get(), "A".repeat(43));
    let ended = service.get_with("/", &[("cookie", &forged)]).await;
    assert!(ended.text().contains("class=\"hanko\"") && ended.text().contains("/sign-in"));
}

#[tokio::test]
async fn start_page_takes_its_place_if_stories_cannot_be_read() {
    let (service, person) = with_user(&[anime(1, "Kumo")]).await;
    put(&service, &person, 1, CURRENT, 1).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let table = service.tables.of("UserStory");
    service
        .client
        .delete_table()
        .table_name(table)
        .send()
        .await
        .unwrap();
    let page = home(&mut browser).await;
    page.assert_has("class=\"hanko\"");
    assert!(page.text().contains("mitsuha"), "still signed in");
    page.assert_has("Your list cannot be read at the moment.");
    page.assert_lacks("Start a record");
}

/// A user whose session cannot be read is not asked to create an account.
#[tokio::test]
async fn unreadable_sessions_are_said_to_be_unreadable() {
    let (service, person) = with_user(&[anime(1, "Kumo")]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let table = service.tables.of("Session");
    let deleted = service.client.delete_table().table_name(table).send();
    deleted.await.unwrap();
    let page = home(&mut browser).await;
    page.assert_has("Your account cannot be read at the moment");
    page.assert_lacks("Start a record");
    let calendar = browser.get("/calendar").await;
    calendar.assert_has("Your account cannot be read at the moment");
    calendar.assert_lacks("A calendar of your own");
    let visitors = service.get("/").await;
    visitors.assert_has("Start a record");
    visitors.assert_lacks("cannot be read");
}

#[tokio::test]
async fn leaf_has_the_day_in_the_language_of_the_page() {
    let (service, person) = with_user(&[]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (language, texts) in [
        ("en", ["November 2023", "火</b> Tuesday"]),
        ("fr", ["novembre 2023", "火</b> mardi"]),
        ("it", ["novembre 2023", "火</b> martedì"]),
        ("jp", ["2023年11月", "<span class=\"day\">火曜日"]),
    ] {
        set_language(&service, &person, language).await;
        let page = home(&mut browser).await;
        let leaf = page.between("<time class=\"leaf\" datetime=\"2023-11-14\">", "</time>");
        leaf.assert_has("<span class=\"big\">14</span>");
        for text in texts {
            assert!(
                leaf.to_lowercase().contains(&text.to_lowercase()),
                "{language} {text}: {leaf}"
            );
        }
    }
}

/// Cards of the season and of suggestions have the form with which the anime is put on the list.
#[tokio::test]
async fn cards_put_anime_on_the_list() {
    let mut of_season = anime(7, "Kumo");
    (of_season.season_period, of_season.season_year) = (Season::Fall, Some(2023));
    let (service, person) = with_user(&[of_season]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = home(&mut browser).await;
    let shown = section(&page, "season");
    shown.assert_has("Fall 2023");
    shown.assert_has("name=\"status\" value=\"1.7:\"");
    let sent = browser
        .submit(&page, "/list/status", &[("status", "1.7:")])
        .await;
    sent.assert_status(303);
    assert_eq!(progress(&service, &person, 7).await, Some((1, 0)));
    let shown = section(&home(&mut browser).await, "season");
    shown.assert_has("class=\"seal plan\"");
    // Visitors have no list.
    let visitors = service.get("/").await;
    assert_eq!(linked(&section(&visitors, "season")), [7]);
    visitors.assert_lacks("name=\"status\"");
}

#[tokio::test]
async fn landing_page_shows_what_the_site_does_with_real_anime() {
    let mut of_season = anime(3, "Mori");
    (of_season.season_period, of_season.season_year) = (Season::Fall, Some(2023));
    let (service, _) = with_user(&[
        airing(1, "Kumo", Weekday::Thursday),
        airing(2, "Sora", Weekday::Tuesday),
        of_season,
    ])
    .await;
    let page = service.get("/").await;
    page.assert_status(200);
    let entries = section(&page, "tally");
    assert_eq!(linked(&entries)[0], 3, "{entries}");
    entries.assert_has("<span class=\"num\">6 <i>/ 12</i></span>");
    entries.assert_has("class=\"tally\"");
    let week = section(&page, "week");
    assert_eq!(linked(&week), [2, 1], "the next one first: {week}");
    week.assert_has("Airs today");
    week.assert_has("href=\"/calendar\"");
    assert_eq!(section(&page, "year").matches("class=\"cover").count(), 3);
    page.assert_has("href=\"/sign-up\"");
    page.assert_has("href=\"/anime?season=3&amp;year=2023\"");
}

#[tokio::test]
async fn page_reads_in_one_round() {
    let mut catalogue: Vec<Anime> = (1..=40)
        .map(|id| airing(id, "Kumo", Weekday::Tuesday))
        .collect();
    for anime in &mut catalogue {
        anime.recommendations = Some((20..40).filter_map(AnimeId::new).collect());
        (anime.season_period, anime.season_year) = (Season::Fall, Some(2023));
    }
    let (service, person) = with_user(&catalogue).await;
    for id in 1..=8 {
        put(&service, &person, id, u8::from(id % 2 == 0) * COMPLETED, 1).await;
    }
    let other = service.person("other").await;
    let (service, rounds) = service.with_rounds();
    // The request loads the index.
    let mut others = PageClient::signed_in(&service, &other).await;
    others.get("/calendar").await.assert_status(200);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let _ = rounds.take();
    home(&mut browser).await;
    let first = rounds.take();
    assert!(first <= 3, "stories, their anime, suggestions: {first}");
    for path in ["/", "/?done=next&of=1"] {
        assert_rounds(&mut browser, &rounds, path, 1).await;
    }
}

/// The limit is 100,000 bytes.
#[tokio::test]
async fn page_is_small() {
    let mut catalogue: Vec<Anime> = (1..=150)
        .map(|id| {
            let mut one = airing(id, &"長い題名 ".repeat(12), Weekday::Tuesday);
            one.cover_image = format!("https://images.example/{}", "c".repeat(120));
            one.cover_color = Some("#2c4a9a".to_owned());
            one.episodes_count = 500;
            one.recommendations = Some((100..150).filter_map(AnimeId::new).collect());
            (one.season_period, one.season_year) = (Season::Fall, Some(2023));
            one
        })
        .collect();
    for (number, one) in catalogue[..50].iter_mut().enumerate() {
        one.weekly_airing_day = Some([Weekday::Tuesday, Weekday::Wednesday][number % 2]);
    }
    let (service, person) = with_user(&catalogue).await;
    let change =
        |id: u64| json!({"op": "put", "anime_id": id, "status": id % 2 * 2, "current_episode": 3});
    let changes: Vec<Value> = (1..=90).map(change).collect();
    service.change_stories(&person, &changes).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get_with_notice("/?done=next&of=2").await;
    for id in ["continue", "airing", "what-next", "season"] {
        assert!(linked(&section(&page, id)).len() >= 10, "{id}");
    }
    let visitors = service.get("/").await;
    assert!(visitors.body.len() < 100_000, "{}", visitors.body.len());
    assert!(page.body.len() < 100_000, "{}", page.body.len());
}

/// The script gets the entry, its notice, and the number of entries to continue.
#[tokio::test]
async fn script_gets_what_has_changed() {
    let (service, person) = with_user(&[anime(1, "Kumo"), anime(2, "Hoshi")]).await;
    put(&service, &person, 1, CURRENT, 10).await;
    put(&service, &person, 2, CURRENT, 3).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = home(&mut browser).await;
    page.assert_has("data-counts=\"2\"");
    let csrf = tests::browser::hidden(&page, "csrf").unwrap();
    let entry = |page: &Answer| page.find_between("<li id=\"entry-1\">", "</li>");
    let mut shown = page.text();
    for (path, count, is_listed) in [
        ("/list/next", 2, true),
        ("/list/next", 1, false),
        ("/list/undo", 2, true),
    ] {
        service.clock.advance(Duration::from_secs(1));
        let key = format!("1:{}", shown.between("name=\"entry\" value=\"1:", "\""));
        let counts = if path == "/list/undo" { "1" } else { "2" };
        let fields = [
            ("csrf", csrf.as_str()),
            ("entry", &key),
            ("back", "/"),
            ("counts", counts),
        ];
        let part = browser.post(path, &fields).await;
        part.assert_status(200);
        let counted = format!("data-counts=\"{count}\"");
        part.assert_has(&counted);
        assert!(!part.text().contains("<main") && !part.text().contains("entry-2"));
        assert_eq!(entry(&part).is_some(), is_listed);
        assert_eq!(entry(&part), entry(&home(&mut browser).await));
        shown = part.text();
    }
    assert_eq!(progress(&service, &person, 1).await, Some((0, 11)));
}
