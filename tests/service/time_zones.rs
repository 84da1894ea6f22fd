//! Time zones of users: the days that the service sets, and those that pages show (docs/api.md, "Time zones").

use std::time::Duration;

use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, PlayerKind, Weekday};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::calendar::feed_address;
use tests::made_up::titled_anime;
use tests::people::{PASSWORD, Person};
use tests::players::Players;
use tests::service::{Answer, Service};

/// The clock of the service starts at 22:13 UTC on 14 November 2023. In Japan it is 07:13 on the next day.
const IN_UTC: &str = "2023-11-14";
const IN_TOKYO: &str = "2023-11-15";

async fn set_zone(service: &Service, person: &Person, zone: &str) -> Answer {
    let zone = json!({"time_zone": zone});
    service.update_user(person, &zone).await
}

async fn me(service: &Service, person: &Person) -> Value {
    let answer = service.get_as(&person.token, "/v1/auth/me").await;
    answer.data()
}

/// Returns a service with two anime of 12 episodes that have ended, and a user in Japan.
async fn in_tokyo() -> (Service, Person, [Anime; 2]) {
    let anime = [21, 22].map(|id| Anime {
        status: AnimeStatus::Finished,
        episodes_count: 12,
        ..Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv)
    });
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("mitsuha").await;
    assert_eq!(set_zone(&service, &person, "Asia/Tokyo").await.status, 200);
    (service, person, anime)
}

/// Returns the dates of the start and the end of a story.
async fn dates(service: &Service, person: &Person, anime: u64) -> [Value; 2] {
    let story = (person.id.get() << 25) + anime;
    let path = format!("/v1/user_story/{story}?include=details");
    let answer = service.get_as(&person.token, &path).await;
    let details = &answer.data()["details"];
    [
        details["started_on"].clone(),
        details["finished_on"].clone(),
    ]
}

/// Checks the date of the start of a story, and that of its end if it has ended.
async fn assert_dates(service: &Service, person: &Person, anime: u64, expected: &[&str]) {
    let dates = dates(service, person, anime).await;
    let expected = [expected.first().copied(), expected.get(1).copied()];
    assert_eq!(dates.each_ref().map(Value::as_str), expected, "{anime}");
}

async fn change(service: &Service, person: &Person, anime: &Anime, status: u8) {
    let change = json!({
        "op": "put", "anime_id": anime.id, "status": status, "current_episode": 0, "current_episode_ticks": 0
    });
    service.change_stories(person, &[change]).await;
}

#[tokio::test]
async fn time_zone_is_set_by_api_and_shown_to_its_user_only() {
    let (service, person) = Service::with_person("mitsuha").await;
    assert_eq!(me(&service, &person).await.get("time_zone"), None);
    let updated = set_zone(&service, &person, "asia/tokyo").await;
    assert_eq!(updated.data()["time_zone"], "Asia/Tokyo");
    assert_eq!(me(&service, &person).await["time_zone"], "Asia/Tokyo");
    // A request without the field, or with null, leaves the time zone as it is.
    for more in [json!({}), json!({"time_zone": null})] {
        let answer = service.update_user(&person, &more).await;
        assert_eq!(answer.data()["time_zone"], "Asia/Tokyo");
    }
    let found = service.get(&format!("/v1/user/{}", person.id.get())).await;
    assert_eq!(found.data().get("time_zone"), None);
    let listed = service.get("/v1/user").await;
    assert_eq!(listed.data()[0].get("time_zone"), None);
    for invalid in [
        "",
        "Tokyo",
        "+09:00",
        "UTC+9",
        "Asia/Tokyo\n",
        "Factory",
        "../zoneinfo/UTC",
    ] {
        let answer = set_zone(&service, &person, invalid).await;
        assert_eq!(answer.status, 400, "{invalid}");
        let reason =
            "must be the name of a time zone in the IANA database, such as Asia/Tokyo or UTC";
        assert_eq!(answer.data()["time_zone"], reason, "{invalid}");
    }
    assert_eq!(me(&service, &person).await["time_zone"], "Asia/Tokyo");
    let data = service.get_as(&person.token, "/v1/auth/me/data").await;
    let account = &data.json()["account"];
    assert_eq!(account["time_zone"], "Asia/Tokyo", "{account}");
    assert!(data.header("content-disposition").contains(IN_TOKYO));
    service.assert_declared_attributes().await;
}

#[tokio::test]
async fn dates_that_the_api_sets_are_days_of_the_user() {
    let (service, person, [one, two]) = in_tokyo().await;
    service.create_story(&person, &one, 1).await;
    assert_dates(&service, &person, one.id.get(), &[IN_TOKYO]).await;
    let body = json!({
        "id": person.story(&one), "user_id": person.id, "anime_id": one.id, "status": 2,
        "current_episode": 12, "current_episode_ticks": 0
    });
    let updated = service.post_as(&person.token, "/v1/user_story", &body);
    updated.await.assert_status(200);
    assert_dates(&service, &person, one.id.get(), &[IN_TOKYO, IN_TOKYO]).await;
    change(&service, &person, &two, 0).await;
    assert_dates(&service, &person, two.id.get(), &[IN_TOKYO]).await;
    // Users without a time zone, as all were in version 0.1.0, have days in UTC.
    let other = service.person("taki").await;
    for anime in [&one, &two] {
        service.create_story(&other, anime, 1).await;
        assert_dates(&service, &other, anime.id.get(), &[IN_UTC]).await;
    }
    // At the same time it is the afternoon of the day before in Hawaii.
    set_zone(&service, &other, "Pacific/Honolulu").await;
    service.clock.advance(Duration::from_hours(3));
    change(&service, &other, &one, 2).await;
    assert_dates(&service, &other, one.id.get(), &[IN_UTC, IN_UTC]).await;
}

#[tokio::test]
async fn dates_follow_daylight_saving_time() {
    let (service, mut person, [one, two]) = in_tokyo().await;
    set_zone(&service, &person, "Europe/Berlin").await;
    // In Berlin, 30 March 2024 ends at 22:59:59 UTC, and the next day ends at 21:59:59 UTC.
    let before = 1_711_839_599_000 - service.clock.now_ms();
    service.clock.advance(Duration::from_millis(before));
    person.token = service.token(person.id).await;
    change(&service, &person, &one, 0).await;
    service.clock.advance(Duration::from_secs(1));
    change(&service, &person, &two, 0).await;
    assert_dates(&service, &person, one.id.get(), &["2024-03-30"]).await;
    assert_dates(&service, &person, two.id.get(), &["2024-03-31"]).await;
    let most_of_the_day = Duration::from_hours(23) - Duration::from_secs(1);
    service.clock.advance(most_of_the_day);
    change(&service, &person, &one, 2).await;
    service.clock.advance(Duration::from_secs(1));
    change(&service, &person, &two, 2).await;
    for (anime, expected) in [
        (&one, ["2024-03-30", "2024-03-31"]),
        (&two, ["2024-03-31", "2024-04-01"]),
    ] {
        assert_dates(&service, &person, anime.id.get(), &expected).await;
    }
}

#[tokio::test]
async fn dates_that_pages_set_are_days_of_the_user() {
    let (service, person, [one, two]) = in_tokyo().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for anime in [&one, &two] {
        let path = format!("/anime/{}", anime.id.get());
        let page = browser.get(&path).await;
        let key = format!("{}:", anime.id.get());
        let csrf = hidden(&page, "csrf").unwrap();
        let fields = [("csrf", csrf.as_str()), ("entry", key.as_str())];
        let answer = browser.post("/list/next", &fields).await;
        answer.assert_status(303);
        assert_dates(&service, &person, anime.id.get(), &[IN_TOKYO]).await;
    }
    let page = browser.get("/list").await;
    let start_of_value = "type=\"checkbox\" form=\"selection\" name=\"entry\" value=\"";
    let keys = page.all_between(start_of_value, "\"");
    let entries = keys.iter().map(|key| ("entry", key.as_str()));
    let fields: Vec<(&str, &str)> = entries.chain([("status", "2")]).collect();
    browser.submit(&page, "/list/selection", &fields).await;
    for anime in [&one, &two] {
        assert_dates(&service, &person, anime.id.get(), &[IN_TOKYO, IN_TOKYO]).await;
    }
}

#[tokio::test]
async fn dates_of_players_and_their_libraries_are_days_of_the_user() {
    let players = Players::new().await;
    let (service, person) = (&players.service, &players.person);
    set_zone(service, person, "Asia/Tokyo").await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    let message =
        |title: &str, episode: u32| json!({"title": title, "season": 1, "episode": episode});
    players.send(&path, message("Harbor Lights", 1)).await;
    assert_dates(service, person, 1, &[IN_TOKYO]).await;
    players.send(&path, message("Harbor Lights", 12)).await;
    assert_dates(service, person, 1, &[IN_TOKYO, IN_TOKYO]).await;
    let list = json!([message("Harbor Lights", 13)]);
    players.post_list(&list).await.assert_status(200);
    assert_dates(service, person, 2, &[IN_TOKYO]).await;
    // Jellyfin lists the watched items in this form.
    let items = json!({"Items": [{
        "Type": "Episode", "SeriesName": "Paper Moons", "ParentIndexNumber": 1, "IndexNumber": 1,
        "UserData": {"Played": true, "LastPlayedDate": "2023-10-01T20:00:00.0000000Z"},
    }], "TotalRecordCount": 1});
    let imported = service.post_as(&person.token, "/v1/user_story/import", &items);
    imported.await.assert_status(200);
    assert_eq!(dates(service, person, 5).await[0], "2023-10-02");
}

/// Returns an anime that airs on this day of the week.
fn airing(id: u64, weekday: Weekday) -> Anime {
    Anime {
        status: AnimeStatus::Releasing,
        weekly_airing_day: Some(weekday),
        ..titled_anime(id, "rj", &format!("Anime {id}"))
    }
}

#[tokio::test]
async fn today_on_the_pages_is_the_day_of_the_user() {
    // In Japan it is Wednesday.
    let anime = [
        airing(1, Weekday::Tuesday),
        airing(2, Weekday::Wednesday),
        airing(3, Weekday::Thursday),
    ];
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("mitsuha").await;
    for one in &anime {
        change(&service, &person, one, 0).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let section = |page: &str| page.between("Today <small>", "Tomorrow <small>");
    let today = section(&browser.get("/").await.text());
    today.assert_has("Anime 1");
    today.assert_lacks("Anime 3");
    let calendar = browser.get("/calendar").await;
    calendar.assert_has("14 November 2023");
    set_zone(&service, &person, "Asia/Tokyo").await;
    let today = section(&browser.get("/").await.text());
    today.assert_lacks("Anime 1");
    today.assert_has("Anime 2");
    let calendar = browser.get("/calendar").await.text();
    calendar.after("datetime=\"").assert_starts_with(IN_TOKYO);
    calendar.assert_has("The catalogue only knows the day in UTC");
    // In the order of airing days, Wednesday comes first.
    let list = browser.get("/list?sort=airing").await.text();
    let position = |title: &str| list.find(title).unwrap();
    let positions = ["Anime 2", "Anime 3", "Anime 1"].map(position);
    assert!(positions.is_sorted(), "{list}");
    let page = browser.get("/profile/security").await.text();
    page.assert_has("15 November 2023, 07:13 Asia/Tokyo");
    let page = browser.get("/profile").await;
    browser.submit(&page, "/calendar/feed", &[]).await;
    let address = feed_address(&service, person.id).await;
    browser.get("/calendar").await.assert_has(&address);
    let feed = service.get(&address).await;
    feed.assert_has("DTSTAMP:20231115T000000Z");
}

fn set_cookie(browser: &mut PageClient<'_>, zone: &str) {
    let cookies = &mut browser.cookies;
    cookies.insert("time_zone".to_owned(), zone.to_owned());
}

#[tokio::test]
async fn settings_offer_the_time_zone_of_an_account() {
    let (service, person) = Service::with_person("mitsuha").await;
    // Without an account, nothing depends on the time zone.
    let page = PageClient::new(&service).get("/settings").await.text();
    page.assert_lacks("name=\"time_zone\"");
    let mut browser = PageClient::signed_in(&service, &person).await;
    set_cookie(&mut browser, "America/New_York");
    let page = browser.get("/settings").await;
    page.assert_has("<option selected>UTC</option>");
    page.assert_has("<option value=\"America/New_York\">America/New York</option>");
    page.assert_has("Your browser is in America/New_York.");
    let mut fields = [
        ("titles", "page"),
        ("scores", "hundred"),
        ("time_zone", "America/New_York"),
    ];
    let saved = browser.submit(&page, "/settings", &fields).await;
    saved.assert_status(303);
    assert_eq!(me(&service, &person).await["time_zone"], "America/New_York");
    let text = browser.get("/settings").await.text();
    text.assert_has("<option value=\"America/New_York\" selected>");
    text.assert_lacks("Your browser is in");
    fields[2].1 = "Mars/Olympus";
    let refused = browser.submit(&page, "/settings", &fields).await;
    refused.assert_status(400);
    refused.assert_has("must be one of the listed options");
    // A name that the page does not offer, set by an API client, stays selected.
    set_zone(&service, &person, "Japan").await;
    let text = browser.get("/settings").await.text();
    text.assert_has("<option selected>Japan</option>");
    // A form without the field leaves the time zone as it is.
    let fields = [("titles", "page"), ("scores", "ten")];
    browser.submit(&page, "/settings", &fields).await;
    assert_eq!(me(&service, &person).await["time_zone"], "Japan");
}

#[tokio::test]
async fn sign_in_takes_the_time_zone_of_the_browser_once() {
    let (service, person) = Service::with_person("mitsuha").await;
    for (cookie, stored) in [
        ("Mars/Olympus", None),
        ("<script>", None),
        ("Asia/Tokyo", Some("Asia/Tokyo")),
        ("Europe/Berlin", Some("Asia/Tokyo")),
    ] {
        let mut browser = PageClient::new(&service);
        set_cookie(&mut browser, cookie);
        let page = browser.get("/sign-in").await;
        let fields = [("who", "mitsuha"), ("password", PASSWORD)];
        let answer = browser.submit(&page, "/sign-in", &fields).await;
        answer.assert_status(303);
        let zone = me(&service, &person).await["time_zone"].take();
        assert_eq!(zone.as_str(), stored, "{cookie}");
    }
    // A new account has the time zone from the beginning.
    let mut browser = PageClient::new(&service);
    set_cookie(&mut browser, "Asia/Tokyo");
    let page = browser.get("/sign-up").await;
    let fields = format!("username=taki&email=taki@example.com&password={PASSWORD}");
    let answer = browser.submit_encoded(&page, "/sign-up", &fields).await;
    answer.assert_status(303);
    let mut listed = service.users().list(None, None, 2).await.unwrap();
    let taki = listed.users.pop().unwrap();
    let zone = service.users().time_zone(taki.id).await.unwrap();
    assert_eq!(zone.name(), "Asia/Tokyo");
}
