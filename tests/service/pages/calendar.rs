//! The calendar, and the feed that calendar programs read (docs/api.md, "Calendar feed").

use std::time::Duration;

use axum::http::Method;
use icalendar::{Calendar, Component};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use shared::models::{Anime, AnimeStatus, Score, WatchStatus, Weekday, WireEnum};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::calendar::feed_address;
use tests::log::Log;
use tests::made_up::titled_anime;
use tests::people::{Person, list_file};
use tests::service::{Answer, PUBLIC_URL, Service};
use time::{Date, Month, OffsetDateTime};

use super::list::{put, with_user};
use super::{linked, section, set_language};

const DAY: Duration = Duration::from_hours(24);

fn date(year: i32, month: u8, day: u8) -> OffsetDateTime {
    let date = Date::from_calendar_date(year, Month::try_from(month).unwrap(), day);
    date.unwrap().midnight().assume_utc()
}

/// Returns an anime that airs on Saturdays.
fn airing(id: u64) -> Anime {
    Anime {
        status: AnimeStatus::Releasing,
        weekly_airing_day: Some(Weekday::Saturday),
        ..titled_anime(id, "rj", &format!("Anime {id}"))
    }
}

/// Returns a service, and a user who has all these anime on the list. The clock of the service starts on Tuesday, 14
/// November 2023.
async fn with_added(anime: &[Anime], status: WatchStatus) -> (Service, Person) {
    let (service, person) = with_user(anime).await;
    for one in anime {
        add(&service, &person, one, status).await;
    }
    (service, person)
}

async fn add(service: &Service, person: &Person, anime: &Anime, status: WatchStatus) {
    let more = json!({"current_episode": 0});
    put(service, person, anime.id.get(), status.into(), &more).await;
}

/// Gives the user's feed a new address with the form, and returns its path.
async fn renew(service: &Service, person: &Person) -> String {
    let mut browser = PageClient::signed_in(service, person).await;
    let page = browser.get("/profile").await;
    let renewed = browser.submit(&page, "/calendar/feed", &[]).await;
    renewed.assert_status(303);
    feed_address(service, person.id).await
}

async fn remove(service: &Service, person: &Person) {
    let mut browser = PageClient::signed_in(service, person).await;
    let page = browser.get("/profile").await;
    let removed = browser.submit(&page, "/calendar/feed/remove", &[]).await;
    removed.assert_status(303);
}

/// Parses a feed after checking the form of its lines.
fn parsed(answer: &Answer) -> Calendar {
    answer.assert_status(200);
    let text = std::str::from_utf8(&answer.body).unwrap();
    for line in text.split_terminator("\r\n") {
        assert!(line.len() <= 75, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    assert!(text.ends_with("END:VCALENDAR\r\n"), "{text}");
    text.parse().unwrap()
}

fn titles(calendar: &Calendar) -> Vec<String> {
    let events = calendar.components.iter().filter_map(|one| one.as_event());
    let summaries = events.map(|event| event.get_summary().unwrap_or_default().to_owned());
    summaries.collect()
}

async fn titles_of_feed(service: &Service, address: &str) -> Vec<String> {
    titles(&parsed(&service.get(address).await))
}

#[tokio::test]
async fn feed_has_an_event_for_each_anime() {
    let weekly = Anime {
        start_date: Some(date(2023, 11, 4)),
        end_date: Some(date(2023, 12, 23)),
        ..airing(1)
    };
    let endless = Anime {
        start_date: Some(date(1999, 10, 20)),
        weekly_airing_day: Some(Weekday::Tuesday),
        titles: [("en", "Itomori; a town, 糸守"), ("rj", "Itomori")]
            .map(|(code, title)| (code.to_owned(), title.to_owned()))
            .into(),
        ..airing(2)
    };
    let premiere = Anime {
        status: AnimeStatus::NotYetReleased,
        start_date: Some(date(2023, 12, 1)),
        weekly_airing_day: None,
        ..airing(3)
    };
    let all = [weekly, endless, premiere];
    let (service, person) = with_user(&all).await;
    for (anime, status) in all.iter().zip([
        WatchStatus::Current,
        WatchStatus::Repeating,
        WatchStatus::Planning,
    ]) {
        add(&service, &person, anime, status).await;
    }
    let address = renew(&service, &person).await;
    let feed = service.get(&address).await;
    assert_eq!(feed.header("content-type"), "text/calendar; charset=utf-8");
    assert_eq!(feed.header("cache-control"), "private, no-cache");
    assert_eq!(feed.header("x-robots-tag"), "noindex");
    assert_eq!(feed.header("referrer-policy"), "no-referrer");
    let event = |number: usize, day: &str, rule: &str, title: &str| {
        let (story, id) = (person.story(&all[number]), all[number].id.get());
        format!(
            "BEGIN:VEVENT\r\nUID:story-{story}@kiroku.test\r\nDTSTAMP:20231114T000000Z\r\n\
             DTSTART;VALUE=DATE:{day}\r\n{rule}SUMMARY:{title}\r\n\
             URL:{PUBLIC_URL}/anime/{id}\r\nTRANSP:TRANSPARENT\r\nEND:VEVENT\r\n"
        )
    };
    let expected = [
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Kiroku//Calendar//EN\r\nMETHOD:PUBLISH\r\n\
         NAME:Kiroku – Anime\r\nX-WR-CALNAME:Kiroku – Anime\r\nREFRESH-INTERVAL;VALUE=DURATION:PT6H\r\n\
         X-PUBLISHED-TTL:PT6H\r\nBEGIN:VTIMEZONE\r\nTZID:Etc/UTC\r\nBEGIN:STANDARD\r\n\
         DTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\nTZOFFSETTO:+0000\r\nEND:STANDARD\r\n\
         END:VTIMEZONE\r\n",
        &event(
            0,
            "20231104",
            "RRULE:FREQ=WEEKLY;UNTIL=20231223\r\n",
            "Anime 1",
        ),
        &event(
            1,
            "20231017",
            "RRULE:FREQ=WEEKLY\r\n",
            "Itomori\\; a town\\, 糸守",
        ),
        &event(2, "20231201", "", "Anime 3"),
        "END:VCALENDAR\r\n",
    ];
    assert_eq!(feed.text(), expected.concat());
    let calendar = parsed(&feed);
    assert_eq!(
        titles(&calendar),
        ["Anime 1", "Itomori; a town, 糸守", "Anime 3"]
    );
    let head = service.send(Method::HEAD, &address, &[]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[tokio::test]
async fn other_anime_are_left_out() {
    let mut anime: Vec<Anime> = (1..=9).map(airing).collect();
    anime[0].status = AnimeStatus::Finished;
    anime[1].status = AnimeStatus::Cancelled;
    anime[2].weekly_airing_day = None;
    anime[3].status = AnimeStatus::NotYetReleased;
    anime[4].status = AnimeStatus::NotYetReleased;
    anime[4].start_date = Some(date(2024, 3, 1));
    anime[4].season_year = Some(2024);
    let (service, person) = with_user(&anime).await;
    for one in &anime[..5] {
        add(&service, &person, one, WatchStatus::Current).await;
    }
    for (one, status) in anime[5..].iter().zip([
        WatchStatus::Completed,
        WatchStatus::Dropped,
        WatchStatus::Paused,
        WatchStatus::Planning,
    ]) {
        add(&service, &person, one, status).await;
    }
    let address = renew(&service, &person).await;
    assert_eq!(titles_of_feed(&service, &address).await, ["Anime 9"]);
}

/// RFC 5545, section 3.6: a calendar has at least one component.
#[tokio::test]
async fn feed_without_events_is_valid() {
    let (service, person) = with_user(&[airing(1)]).await;
    let address = renew(&service, &person).await;
    let feed = service.get(&address).await;
    assert_eq!(parsed(&feed).components.len(), 1, "{}", feed.text());
    feed.assert_lacks("VEVENT");
}

#[tokio::test]
async fn private_stories_are_left_out() {
    let anime = [airing(1), airing(2)];
    let (service, person) = with_added(&anime, WatchStatus::Current).await;
    let address = renew(&service, &person).await;
    service.clock.advance(Duration::from_secs(1));
    let details = json!({
        "id": person.story(&anime[0]), "user_id": person.id, "anime_id": 1, "status": 0,
        "current_episode": 0, "current_episode_ticks": 0, "details": {"private": true}
    });
    let hidden = service
        .post_as(&person.token, "/v1/user_story", &details)
        .await;
    hidden.assert_status(200);
    assert_eq!(titles_of_feed(&service, &address).await, ["Anime 2"]);
}

/// Titles of parts that are hard to write in a file: special characters, line ends, control characters, characters of
/// several bytes, long words and text that looks like a line of the file.
fn hard_title(rng: &mut StdRng) -> String {
    const PARTS: [&str; 27] = [
        ",",
        ";",
        ":",
        "\\",
        "\\n",
        "\\\\",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\"",
        "^",
        "=",
        " ",
        "é",
        "漢字",
        "🎬",
        "👩‍👩‍👧",
        "שלום",
        "e\u{301}",
        "END:VEVENT\r\n",
        "\u{feff}",
        "Wooooooooooooooooooooooooooooooooooord",
    ];
    let parts = rng.random_range(0..40);
    (0..parts)
        .filter_map(|_| PARTS.choose(rng))
        .copied()
        .collect()
}

/// Returns the title as a program reads it from the file.
fn as_read(title: &str) -> String {
    let title = title.replace("\r\n", "\n");
    let title = title.replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let title = title.replace('\t', " ");
    let is_kept = |character: &char| *character == '\n' || !character.is_control();
    title.chars().filter(is_kept).collect()
}

#[tokio::test]
async fn any_title_makes_a_valid_file() {
    let mut rng = StdRng::seed_from_u64(16);
    let mut anime: Vec<Anime> = (1..=100).map(airing).collect();
    for one in &mut anime {
        one.titles.insert("rj".to_owned(), hard_title(&mut rng));
    }
    let (service, person) = with_added(&anime, WatchStatus::Planning).await;
    let address = renew(&service, &person).await;
    let found = titles_of_feed(&service, &address).await;
    let expected: Vec<String> = anime.iter().map(|one| as_read(&one.titles["rj"])).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn titles_are_in_the_language_of_the_account() {
    let mut anime = airing(1);
    for (code, title) in [("rj", "Kimi no Na wa."), ("jp", "君の名は。")] {
        anime.titles.insert(code.to_owned(), title.to_owned());
    }
    let (service, person) = with_added(std::slice::from_ref(&anime), WatchStatus::Current).await;
    let address = renew(&service, &person).await;
    for (code, expected) in [("jp", "君の名は。"), ("it", "Kimi no Na wa.")] {
        set_language(&service, &person, code).await;
        assert_eq!(titles_of_feed(&service, &address).await, [expected]);
    }
}

#[tokio::test]
async fn renewed_and_removed_addresses_end_at_once() {
    let (service, person) = with_user(&[]).await;
    let first = renew(&service, &person).await;
    assert_eq!(service.get(&first).await.status, 200);
    let second = renew(&service, &person).await;
    assert_eq!(service.get(&first).await.status, 404);
    assert_eq!(service.get(&second).await.status, 200);
    remove(&service, &person).await;
    assert_eq!(service.get(&second).await.status, 404);
    // A second removal of the address changes nothing.
    remove(&service, &person).await;
}

#[tokio::test]
async fn unknown_addresses_are_not_found() {
    let (service, person) = with_user(&[]).await;
    let other = service.person("taki").await;
    let [address, others] = [&person, &other].map(|person| renew(&service, person));
    let (address, others) = (address.await, others.await);
    let secret = address.strip_prefix("/calendar/").unwrap();
    let random = secret.after(".");
    let others_id = others.between("/calendar/", ".");
    let without_feed = service.person("tessie").await;
    for path in [
        format!("/calendar/{others_id}.{random}"),
        format!("/calendar/{}.{random}", without_feed.id.get()),
        format!("/calendar/99.{random}"),
        format!("/calendar/0.{random}"),
        format!("/calendar/{}.ics", person.id.get()),
        format!("/calendar/{}..ics", person.id.get()),
        format!("{address}.ics"),
        address.strip_suffix(".ics").unwrap().to_owned(),
        address.to_uppercase().replace("CALENDAR", "calendar"),
        "/calendar/.ics".to_owned(),
        "/calendar/%ff.ics".to_owned(),
        format!("/calendar/{}.ics", "9".repeat(2000)),
    ] {
        let answer = service.get(&path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.text().contains(&random), "{path}");
    }
    assert_eq!(service.get(&address).await.status, 200);
}

#[tokio::test]
async fn addresses_end_with_the_tokens_of_the_user() {
    let (service, person) = with_user(&[]).await;
    let address = renew(&service, &person).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/profile").await;
    let password = [("password", "itomori 4 october")];
    let change = "/profile/security/password";
    let changed = browser.submit(&page, change, &password).await;
    changed.assert_status(303);
    assert_eq!(service.get(&address).await.status, 404);
    let address = renew(&service, &person).await;
    assert_eq!(service.get(&address).await.status, 200);
    let page = browser.get("/profile").await;
    let everywhere = "/profile/security/sign-out-everywhere";
    assert_eq!(browser.submit(&page, everywhere, &[]).await.status, 303);
    assert_eq!(service.get(&address).await.status, 404);
}

#[tokio::test]
async fn address_of_a_deleted_account_ends() {
    let (service, person) = with_user(&[]).await;
    let address = renew(&service, &person).await;
    let path = format!("/v1/user/{}", person.id.get());
    let deleted = service.delete_as(&person.token, &path).await;
    deleted.assert_status(200);
    assert_eq!(service.get(&address).await.status, 404);
}

#[tokio::test]
async fn forms_need_a_session_and_a_token() {
    let (service, person) = with_user(&[]).await;
    let address = renew(&service, &person).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let mut visitor = PageClient::new(&service);
    let page = visitor.get("/sign-in").await;
    let csrf = hidden(&page, "csrf").unwrap();
    for path in ["/calendar/feed", "/calendar/feed/remove"] {
        for fields in [
            vec![],
            vec![("csrf", "forged")],
            vec![("csrf", csrf.as_str())],
        ] {
            let forged = browser.post(path, &fields).await;
            assert_eq!(forged.status, 403, "{path} {fields:?}");
        }
        let signed_out = visitor.post(path, &[("csrf", &csrf)]).await;
        assert_eq!(signed_out.status, 303, "{path}");
        assert!(signed_out.header("location").contains("/sign-in"));
        assert_eq!(service.get(path).await.status, 405);
    }
    assert_eq!(service.get(&address).await.status, 200);
}

#[tokio::test]
async fn unchanged_feed_is_not_sent_again_and_costs_little() {
    let anime = [airing(1), airing(2)];
    let (service, person) = with_user(&anime).await;
    add(&service, &person, &anime[0], WatchStatus::Current).await;
    let address = renew(&service, &person).await;
    let (service, meter) = service.metered();
    let feed = service.get(&address).await;
    let first = feed.header("etag").to_owned();
    assert!(first.starts_with("W/\""), "{first}");
    let _ = meter.take();
    let again = |tag: String| {
        let (service, address) = (&service, &address);
        async move { service.get_with(address, &[("if-none-match", &tag)]).await }
    };
    service.let_index_age();
    let unchanged = again(first.clone()).await;
    assert_eq!((unchanged.status.as_u16(), unchanged.body.len()), (304, 0));
    assert_eq!(unchanged.header("etag"), first);
    assert_eq!(unchanged.header("cache-control"), "private, no-cache");
    assert_eq!(unchanged.header("content-type"), "");
    let cost = meter.take();
    assert_eq!(cost.calls, 2, "the user's row and the head of the snapshot");
    assert!(cost.units <= 2.0, "{cost:?}");

    service.clock.advance(Duration::from_secs(1));
    add(&service, &person, &anime[1], WatchStatus::Planning).await;
    let changed = again(first.clone()).await;
    assert_eq!(titles(&parsed(&changed)).len(), 2);
    let second = changed.header("etag").to_owned();

    let renamed = Anime {
        titles: [("rj".to_owned(), "Another".to_owned())].into(),
        ..anime[0].clone()
    };
    service.put(&[renamed]).await;
    service.publish().await;
    service.let_index_age();
    let changed = again(second.clone()).await;
    assert_eq!(titles(&parsed(&changed)), ["Another", "Anime 2"]);
    let third = changed.header("etag").to_owned();

    assert_eq!(again(third.clone()).await.status, 304);
    service.clock.advance(DAY);
    let next_day = again(third.clone()).await;
    assert_eq!(next_day.status, 200);
    let tags = [&first, &second, &third, &next_day.header("etag").to_owned()];
    let different: std::collections::BTreeSet<_> = tags.into_iter().collect();
    assert_eq!(different.len(), 4);
}

#[tokio::test]
async fn change_of_a_private_story_does_not_show_in_the_feed() {
    let anime = [airing(1), airing(2)];
    let (service, person) = with_user(&anime).await;
    add(&service, &person, &anime[0], WatchStatus::Current).await;
    let address = renew(&service, &person).await;
    let first = service.get(&address).await;
    for ticks in [0, 7] {
        let body = json!({
            "op": "put", "anime_id": 2, "status": 0, "current_episode": 0,
            "current_episode_ticks": ticks, "details": {"private": true}
        });
        service.change_stories(&person, &[body]).await;
        let feed = service.get(&address).await;
        assert_eq!(feed.text(), first.text());
        assert_eq!(feed.header("etag"), first.header("etag"));
    }
    let known = [("if-none-match", first.header("etag"))];
    let unchanged = service.get_with(&address, &known).await;
    assert_eq!((unchanged.status.as_u16(), unchanged.body.len()), (304, 0));
}

#[tokio::test]
async fn only_airing_anime_are_read() {
    let mut anime: Vec<Anime> = (1..=300).map(airing).collect();
    for finished in &mut anime[20..] {
        finished.status = AnimeStatus::Finished;
    }
    let (service, person) = with_user(&anime).await;
    for one in &anime[..60] {
        add(&service, &person, one, WatchStatus::Current).await;
    }
    let address = renew(&service, &person).await;
    let (service, meter) = service.metered();
    let feed = service.get(&address).await;
    assert_eq!(titles(&parsed(&feed)).len(), 20);
    let cold = meter.take();
    service.clock.advance(DAY);
    let feed = service.get(&address).await;
    assert_eq!(titles(&parsed(&feed)).len(), 20);
    let warm = meter.take();
    assert!(cold.units < 30.0, "{cold:?}");
    // The two calls read the user's row and the head of the snapshot.
    assert_eq!(warm.calls, 2, "{warm:?}");
}

#[tokio::test]
async fn calendar_has_at_most_100_anime_and_watched_ones_come_first() {
    let anime: Vec<Anime> = (1..=110).map(airing).collect();
    let (service, person) = with_user(&anime).await;
    let entry = |one: &Anime| {
        let status = if one.id.get() > 100 {
            "CURRENT"
        } else {
            "PLANNING"
        };
        json!({"anime_id": one.id, "status": status})
    };
    let stories: Vec<_> = anime.iter().map(entry).collect();
    let list = list_file(&stories);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let csrf = hidden(&browser.get("/profile/history").await, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str()), ("mode", "replace")];
    let imported = browser
        .upload("/profile/history", &fields, "list.json", list.as_bytes())
        .await;
    imported.assert_status(200);
    let address = renew(&service, &person).await;
    let found = titles_of_feed(&service, &address).await;
    assert_eq!(found.len(), 100);
    for watched in 101..=110 {
        assert!(found.contains(&format!("Anime {watched}")), "{watched}");
    }
}

/// Returns the part of a feed's path that is secret.
fn random_part(address: &str) -> String {
    address.after("/calendar/").between(".", ".ics")
}

#[tokio::test]
async fn secret_is_in_no_table_and_no_log() {
    let (service, person) = with_user(&[]).await;
    let log = Log::begin();
    let address = renew(&service, &person).await;
    assert_eq!(service.get(&address).await.status, 200);
    remove(&service, &person).await;
    assert_eq!(service.get(&address).await.status, 404);
    let random = random_part(&address);
    assert_eq!(random.len(), 22);
    let log = log.text();
    log.assert_has("/calendar/{file}");
    log.assert_lacks(&random);

    let address = renew(&service, &person).await;
    let random = random_part(&address);
    let row = service.row("User", json!({"id": person.id})).await.unwrap();
    assert!(row.contains_key("calendar_feed"));
    assert!(!format!("{row:?}").contains(&random));
    service.assert_declared_attributes().await;
}

async fn calendar_page(service: &Service, person: &Person) -> String {
    let page = PageClient::signed_in(service, person)
        .await
        .get("/calendar")
        .await;
    page.assert_status(200);
    page.text()
}

/// Visitors see the best rated anime that air, and a session that is not valid is no session.
#[tokio::test]
async fn visitors_see_what_airs() {
    let mut anime: Vec<Anime> = (1..=5).map(airing).collect();
    anime[1].weekly_airing_day = Some(Weekday::Tuesday);
    anime[1].score = Score::new(91.5).unwrap();
    anime[2].weekly_airing_day = None;
    anime[3].status = AnimeStatus::Finished;
    anime[4].nsfw = true;
    let (service, person) = with_user(&anime).await;
    let mut browser = PageClient::new(&service);
    let forged = format!("{}.forged", person.id.get());
    for cookie in [None, Some(forged)] {
        if let Some(cookie) = cookie {
            browser.cookies.insert("__Host-session".to_owned(), cookie);
        }
        let page = browser.get("/calendar").await;
        page.assert_status(200);
        let page = page.text();
        let today = section(&page, "day-2023-11-14").unwrap();
        assert_eq!(linked(&today), [2], "{today}");
        today.assert_has("<span class=\"unseen\">Score </span>91.5");
        let saturday = section(&page, "day-2023-11-18").unwrap();
        assert_eq!(linked(&saturday), [1], "{saturday}");
        page.assert_has("href=\"/sign-in?next=/calendar\"");
        page.assert_has("href=\"/sign-up\"");
        for id in ["later", "unknown", "feed"] {
            assert_eq!(section(&page, id), None, "{id}");
        }
        for other in ["/anime/3\"", "/anime/4\"", "/anime/5\"", "show=all"] {
            page.assert_lacks(other);
        }
    }
}

/// A user can see the calendar of all anime, with the statuses of the list.
#[tokio::test]
async fn calendar_of_all_anime_has_the_statuses_of_the_list() {
    let anime: Vec<Anime> = (1..=3).map(airing).collect();
    let (service, person) = with_user(&anime).await;
    add(&service, &person, &anime[1], WatchStatus::Planning).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/calendar").await.text();
    let saturday = section(&page, "day-2023-11-18").unwrap();
    assert_eq!(linked(&saturday), [2]);
    page.assert_has("<a href=\"/calendar?show=all\">Everything</a>");
    let page = browser.get("/calendar?show=all").await.text();
    let saturday = section(&page, "day-2023-11-18").unwrap();
    assert_eq!(linked(&saturday), [1, 2, 3]);
    assert_eq!(saturday.matches("class=\"seal plan\"").count(), 1);
    page.assert_has("<a href=\"/calendar?show=all\" aria-current=\"true\">Everything</a>");
    assert_eq!(section(&page, "own"), None, "no invitation");
}

/// The limit is 100,000 bytes, and a day has at most 20 anime.
#[tokio::test]
async fn calendar_of_all_anime_is_small_and_costs_nothing_once_read() {
    let mut anime: Vec<Anime> = (1..=150).map(airing).collect();
    for (number, one) in (0_u8..).zip(&mut anime) {
        one.weekly_airing_day = Weekday::from_wire(u64::from(number % 4));
        one.titles.insert("rj".to_owned(), "長い題名".repeat(15));
        one.cover_image = format!("https://images.example/{number}/{}", "c".repeat(100));
    }
    let (service, _) = with_user(&anime).await;
    let (service, meter) = service.metered();
    let mut browser = PageClient::new(&service);
    let page = browser.get("/calendar").await.text();
    assert_eq!(page.matches("<li class=\"slot\">").count(), 80);
    assert!(page.len() < 100_000, "{}", page.len());
    let _ = meter.take();
    browser.get("/calendar").await.assert_status(200);
    assert_eq!(meter.take().calls, 0);
}

#[tokio::test]
async fn page_shows_the_week_from_today_on() {
    let mut anime: Vec<Anime> = (1..=6).map(airing).collect();
    anime[1].weekly_airing_day = Some(Weekday::Tuesday);
    anime[1].episodes_count = 7;
    anime[2].weekly_airing_day = Some(Weekday::Monday);
    anime[2].end_date = Some(date(2023, 11, 19));
    anime[3].status = AnimeStatus::NotYetReleased;
    anime[3].start_date = Some(date(2023, 11, 25));
    anime[4].status = AnimeStatus::NotYetReleased;
    anime[4].start_date = Some(date(2023, 11, 20));
    anime[4].weekly_airing_day = None;
    anime[5].weekly_airing_day = None;
    let (service, person) = with_added(&anime, WatchStatus::Planning).await;
    let page = calendar_page(&service, &person).await;
    let days = page.match_indices("aria-labelledby=\"day-");
    let days: Vec<&str> = days
        .map(|(at, text)| &page[at + text.len()..][..10])
        .collect();
    assert_eq!(days.len(), 7, "{page}");
    assert_eq!((days[0], days[6]), ("2023-11-14", "2023-11-20"));
    for (heading, titles) in [
        ("day-2023-11-14", vec![2]),
        ("day-2023-11-15", vec![]),
        ("day-2023-11-18", vec![1]),
        ("day-2023-11-20", vec![5]),
        ("later", vec![4]),
        ("unknown", vec![6]),
    ] {
        let section = section(&page, heading).unwrap();
        for number in 1..=6 {
            let link = format!("href=\"/anime/{number}\"");
            assert_eq!(
                section.contains(&link),
                titles.contains(&number),
                "{heading} {number}"
            );
        }
    }
    let today = section(&page, "day-2023-11-14").unwrap();
    today.assert_has("Tuesday");
    today.assert_has("<time datetime=\"2023-11-14\">14</time>");
    today.assert_has("Today");
    today.assert_has("Ep. 1");
    today.assert_has("7 to watch");
    page.assert_has("14 November 2023 to 20 November 2023");
    page.assert_has("<section class=\"daycol now\" aria-labelledby=\"day-2023-11-14\">");
    assert_eq!(page.matches("daycol now").count(), 1);
    let later = section(&page, "later").unwrap();
    later.assert_has("25 November 2023");
    service.clock.advance(DAY);
    let page = calendar_page(&service, &person).await;
    page.assert_lacks("day-2023-11-14");
    page.assert_has("day-2023-11-21");
}

#[tokio::test]
async fn empty_calendar_leads_to_the_season() {
    let (service, person) = with_user(&[]).await;
    let page = calendar_page(&service, &person).await;
    page.assert_has("No anime on your list airs now");
    page.assert_has("href=\"/anime?");
    page.assert_has("href=\"/calendar?show=all\"");
    page.assert_lacks("class=\"days");
}

#[tokio::test]
async fn page_shows_renews_and_removes_the_address() {
    let (service, person) = with_user(&[]).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/calendar").await;
    page.assert_has("Create an address");
    page.assert_lacks(".ics");
    let renewed = browser.submit(&page, "/calendar/feed", &[]).await;
    renewed.assert_leads_to("/calendar?done=renewed");
    let page = browser.get(renewed.header("location")).await;
    let address = feed_address(&service, person.id).await;
    page.assert_has(&format!("{PUBLIC_URL}{address}"));
    page.assert_has("Your calendar has a new address");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    // The address is shown again later.
    assert!(browser.get("/calendar").await.text().contains(&address));
    let removed = browser.submit(&page, "/calendar/feed/remove", &[]).await;
    let page = browser.get(removed.header("location")).await;
    page.assert_lacks(".ics");
    page.assert_has("The address is removed");
    browser
        .get_with_notice("/calendar?done=%3Cb%3E")
        .await
        .assert_lacks("notice");
}

#[tokio::test]
async fn page_is_in_the_language_of_the_account_and_escapes_titles() {
    let mut anime = airing(1);
    for (code, title) in [("rj", "<script>alert(1)</script>"), ("fr", "שלום & <b>")] {
        anime.titles.insert(code.to_owned(), title.to_owned());
    }
    let (service, person) = with_added(std::slice::from_ref(&anime), WatchStatus::Current).await;
    for (code, texts) in [
        ("en", ["<h1>Calendar ", "Saturday", "&lt;script&gt;"]),
        ("fr", ["<h1>Calendrier ", "samedi", "שלום &amp; &lt;b&gt;"]),
        ("it", ["<h1>Calendario ", "sabato", "&lt;script&gt;"]),
        ("jp", ["<h1>カレンダー ", "土曜日", "&lt;script&gt;"]),
    ] {
        set_language(&service, &person, code).await;
        let page = calendar_page(&service, &person).await;
        for text in texts {
            assert!(
                page.to_lowercase().contains(&text.to_lowercase()),
                "{code} {text}: {page}"
            );
        }
        page.assert_has("dir=\"auto\"");
        page.assert_lacks("<script>");
    }
}

#[tokio::test]
async fn private_stories_are_on_the_page() {
    let anime = Anime {
        episodes_count: 2,
        ..airing(1)
    };
    let (service, person) = with_user(std::slice::from_ref(&anime)).await;
    let private = json!({"current_episode": 2, "details": {"private": true}});
    put(&service, &person, 1, 0, &private).await;
    let page = calendar_page(&service, &person).await;
    page.assert_has("Anime 1");
    page.assert_has("Ep. 3");
    let address = renew(&service, &person).await;
    assert!(titles_of_feed(&service, &address).await.is_empty());
}

#[tokio::test]
async fn largest_page_is_below_100_kb_and_costs_one_read_of_each_kind() {
    let mut anime: Vec<Anime> = (1..=100).map(airing).collect();
    for (number, one) in (0_u8..).zip(&mut anime) {
        one.weekly_airing_day = Weekday::from_wire(u64::from(number % 7));
        one.titles.insert("rj".to_owned(), "長い題名".repeat(15));
        one.cover_image =
            format!("https://images.example/covers/large/bx{number}-0123456789abcdef.jpg");
        one.cover_color = Some("#f1785d".to_owned());
    }
    let (service, person) = with_added(&anime, WatchStatus::Current).await;
    renew(&service, &person).await;
    let (service, meter) = service.metered();
    let mut browser = PageClient::signed_in(&service, &person).await;
    let cold = browser.get("/calendar").await.text();
    // Each anime has a cover and a title, which are links.
    assert_eq!(cold.matches("href=\"/anime/").count(), 200, "{cold}");
    assert!(cold.len() < 100_000, "{}", cold.len());
    let _ = meter.take();
    service.let_index_age();
    assert_eq!(browser.get("/calendar").await.status, 200);
    let warm = meter.take();
    // The three calls read the session, its user, and the head of the snapshot.
    assert_eq!(warm.calls, 3, "{warm:?}");
}
