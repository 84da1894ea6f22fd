//! The pages of players: adding a player, its messages, and the choice of anime for series. The rules of the messages
//! are tested in the crate `stories`.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus};
use tests::browser::{Browser, hidden, query};
use tests::people::Person;
use tests::players::Players;
use tests::service::{Answer, PUBLIC_URL, Service};

const PATH: &str = "/profile/players";
const SERIES: &str = "/profile/players/series";

/// The title of a series that the catalogue does not know.
const UNKNOWN: &str = "Tenkuu no Machi \"1\" & <2>";

/// Returns a finished anime with 12 episodes.
fn anime(id: u64, title: &str) -> Anime {
    Anime {
        titles: [("rj".to_owned(), title.to_owned())].into(),
        episodes_count: 12,
        status: AnimeStatus::Finished,
        season_year: Some(2016),
        ..Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv)
    }
}

struct Fixture {
    service: Service,
    person: Person,
}

impl Fixture {
    async fn new() -> Self {
        let all = [anime(2, "Itomori Nikki"), anime(4, "Sora no Umi")];
        let service = Service::with_catalogue(&all, &[]).await;
        let person = service.person("taki").await;
        Self { service, person }
    }

    async fn browser(&self) -> Browser<'_> {
        Browser::signed_in(&self.service, &self.person).await
    }

    /// Adds a player of this kind with the form. Returns the path of its page.
    async fn add(&self, name: &str, kind: &str) -> String {
        let mut browser = self.browser().await;
        let page = browser.get(PATH).await;
        let fields = [("name", name), ("kind", kind)];
        let added = browser.submit(&page, PATH, &fields).await;
        let location = location(&added);
        let path = location.strip_suffix("?done=added").unwrap();
        path.to_owned()
    }

    /// Returns the page.
    async fn page(&self, path: &str) -> Answer {
        let page = self.browser().await.get_with_notice(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        page
    }

    /// Returns the path of a player's address, which its page shows.
    async fn address(&self, player: &str) -> String {
        let page = self.page(player).await.text();
        let (_, address) = page.split_once("id=\"player-address\">").unwrap();
        let address = address.split('<').next().unwrap();
        address.strip_prefix(PUBLIC_URL).unwrap().to_owned()
    }

    async fn send(&self, address: &str, message: &Value) -> Answer {
        self.service
            .json(Method::POST, address, None, message)
            .await
    }

    /// Sends a message. Returns the reason in the response.
    async fn reason(&self, address: &str, message: &Value) -> String {
        let answer = self.send(address, message).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.data()["reason"].as_str().unwrap().to_owned()
    }

    /// Submits a form of a page with these fields. Returns the path that the response leads to.
    async fn submit(&self, path: &str, action: &str, fields: &[(&str, &str)]) -> String {
        let mut browser = self.browser().await;
        let page = browser.get_with_notice(path).await;
        location(&browser.submit(&page, action, fields).await)
    }

    /// Returns the watched episodes of each anime.
    async fn episodes(&self) -> BTreeMap<u64, u64> {
        let token = &self.person.token;
        let found = self
            .service
            .with_token(Method::GET, "/v1/user_story", token)
            .await;
        let number = |story: &Value, name: &str| story[name].as_u64().unwrap();
        let stories = found.data().as_array().unwrap().clone();
        stories
            .iter()
            .map(|story| (number(story, "anime_id"), number(story, "current_episode")))
            .collect()
    }
}

/// Returns the path and query of a redirect.
fn location(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let location = answer.header("location");
    location.strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

fn series_path(title: &str, season: &str, episode: &str) -> String {
    let pairs = [("title", title), ("season", season), ("episode", episode)];
    format!("{SERIES}?{}", query(&pairs))
}

/// Returns the names and values with which the pages of players name a series.
fn series<'a>(title: &'a str, season: &'a str, episode: &'a str) -> [(&'a str, &'a str); 3] {
    [("title", title), ("season", season), ("in_season", episode)]
}

/// Returns a message of Jellyfin about an episode that was watched to its end.
fn jellyfin(user: &str, title: &str, episode: &str) -> Value {
    json!({
        "NotificationType": "PlaybackStop", "NotificationUsername": user, "ItemType": "Episode",
        "SeriesName": title, "SeasonNumber": "1", "EpisodeNumber": episode,
        "PlayedToCompletion": "True"
    })
}

fn unknown(episode: u32) -> Value {
    json!({"title": UNKNOWN, "season": 2, "episode": episode})
}

#[tokio::test]
async fn player_is_added_and_its_messages_are_shown() {
    let fixture = Fixture::new().await;
    let connections = fixture.page("/profile/connections").await.text();
    assert!(
        connections.contains("href=\"/profile/players\""),
        "{connections}"
    );
    let player = fixture.add("  Living   room ", "jellyfin").await;
    let page = fixture.page(&player).await.text();
    assert!(page.contains("<h1>Living room</h1>"), "{page}");
    for part in [
        "No message has come yet.",
        "data-waits",
        "<noscript><meta http-equiv=\"refresh\" content=\"10; url=/profile/players/0\"></noscript>",
        "Add Generic Destination",
        "{{{SeriesName}}}",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let list = fixture.page(PATH).await.text();
    assert!(list.contains("Jellyfin · no message yet"), "{list}");

    let address = fixture.address(&player).await;
    let message = json!({"title": "Itomori Nikki", "season": 1, "episode": 3});
    assert_eq!(fixture.reason(&address, &message).await, "watched");
    assert_eq!(fixture.episodes().await, [(2, 3)].into());
    let page = fixture.page(&player).await.text();
    assert!(
        !page.contains("data-waits") && !page.contains("refresh"),
        "{page}"
    );
    let shown = "season 1, episode 3 · 14 November 2023, 22:13 UTC</p>\
                 <p>Marked as watched: <a href=\"/anime/2\">";
    assert!(page.contains(shown), "{page}");
    assert!(page.contains("Choose another anime"), "{page}");
    let list = fixture.page(PATH).await.text();
    let latest = "Jellyfin · last message: 14 November 2023, 22:13 UTC";
    assert!(list.contains(latest), "{list}");
}

#[tokio::test]
async fn page_does_not_reload_while_settings_are_typed() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let page = fixture.page(&player).await.text();
    assert!(!page.contains("name=\"finished_percent\""), "{page}");
    let page = fixture.page(&format!("{player}?edit=yes")).await.text();
    assert!(page.contains("name=\"finished_percent\""), "{page}");
    assert!(
        !page.contains("data-waits") && !page.contains("refresh"),
        "{page}"
    );
}

#[tokio::test]
async fn instructions_are_for_the_kind() {
    let fixture = Fixture::new().await;
    for (kind, part) in [
        ("plex", "{show_name}"),
        ("emby", "Settings &gt; Notifications"),
        ("kodi", "curl -H 'content-type: application/json' -d"),
        ("mpv", ">url=https://kiroku.test/v1/playback/1.3."),
        ("other", ">curl "),
    ] {
        let player = fixture.add("Radio", kind).await;
        let page = fixture.page(&player).await.text();
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[tokio::test]
async fn naming_the_user_applies_what_was_kept() {
    let fixture = Fixture::new().await;
    let player = fixture.add("Jellyfin", "jellyfin").await;
    let address = fixture.address(&player).await;
    for (user, episode) in [("mitsuha", "4"), ("taki", "2")] {
        let message = jellyfin(user, "Itomori Nikki", episode);
        assert_eq!(fixture.reason(&address, &message).await, "no_user_named");
    }
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    let page = fixture.page(&player).await.text();
    for part in [
        "Which of them are you?",
        "value=\"mitsuha\">This is me</button>",
        "Kept for a day, until you choose your user of the server.",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let named = fixture
        .submit(&player, &player, &[("server_user", "taki")])
        .await;
    assert_eq!(named, format!("{player}?done=saved"));
    assert_eq!(fixture.episodes().await, [(2, 2)].into());
    let page = fixture.page(&player).await.text();
    assert!(
        page.contains("Only the messages of the chosen user count."),
        "{page}"
    );
    assert!(
        page.contains("name=\"server_user\" value=\"taki\""),
        "{page}"
    );
    assert!(page.contains("Marked as watched:"), "{page}");
    let other = jellyfin("mitsuha", "Itomori Nikki", "5");
    assert_eq!(fixture.reason(&address, &other).await, "other_user");
    assert_eq!(fixture.episodes().await, [(2, 2)].into());
}

#[tokio::test]
async fn settings_are_saved() {
    let fixture = Fixture::new().await;
    let player = fixture.add("Jellyfin", "jellyfin").await;
    let address = fixture.address(&player).await;
    let fields = [
        ("name", "Emby"),
        ("server_user", " Taki "),
        ("finished_percent", "50"),
        ("makes_private", "yes"),
    ];
    fixture
        .submit(&format!("{player}?edit=yes"), &player, &fields)
        .await;
    let half = json!({
        "title": "Sora no Umi", "season": 1, "episode": 1, "position_ms": 50, "duration_ms": 100
    });
    assert_eq!(fixture.reason(&address, &half).await, "watched");
    let path = "/v1/user_story?include=details";
    let token = &fixture.person.token;
    let stories = fixture.service.with_token(Method::GET, path, token).await;
    assert_eq!(stories.data()[0]["details"]["private"], true);
    let page = fixture.page(&player).await.text();
    for part in [
        "<h1>Emby</h1>",
        "name=\"server_user\" value=\"Taki\"",
        "name=\"finished_percent\" value=\"50\"",
        "name=\"makes_private\" value=\"yes\" checked",
        "name=\"starts_again\" value=\"yes\" aria-describedby",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

#[tokio::test]
async fn unmatched_series_is_fixed() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let address = fixture.address(&player).await;
    assert_eq!(fixture.reason(&address, &unknown(5)).await, "no_match");
    let list = fixture.page(PATH).await.text();
    assert!(list.contains("Which anime is this?"), "{list}");
    let title = "Tenkuu no Machi &quot;1&quot; &amp; &lt;2&gt;";
    assert!(list.contains(title), "{list}");
    let link = "title=Tenkuu%20no%20Machi%20%221%22%20%26%20%3C2%3E&amp;season=2&amp;episode=5";
    assert!(list.contains(link), "{list}");
    let of_player = fixture.page(&player).await.text();
    assert!(of_player.contains(link), "{of_player}");

    let path = series_path(UNKNOWN, "2", "5");
    let page = fixture.page(&path).await.text();
    assert!(page.contains("No anime was found."), "{page}");
    let path = format!("{path}&q=sora");
    let page = fixture.page(&path).await.text();
    assert!(
        page.contains("Sora no Umi · TV · 2016 · 12 episodes"),
        "{page}"
    );
    assert!(
        page.contains("name=\"anime_episode\" value=\"5\""),
        "{page}"
    );
    let chosen = [("anime_id", "4"), ("anime_episode", "3")];
    let fields = [&series(UNKNOWN, "2", "5")[..], &chosen].concat();
    let saved = fixture.submit("/profile", SERIES, &fields).await;
    assert_eq!(saved, "/profile/players?done=applied");
    assert_eq!(fixture.episodes().await, [(4, 3)].into());
    let list = fixture.page(&saved).await.text();
    assert!(
        list.contains("the episode is marked in your list"),
        "{list}"
    );
    assert!(!list.contains("Which anime is this?"), "{list}");
    let chosen = "from episode 3 on, which is episode 1 of the anime";
    assert!(list.contains(chosen), "{list}");
    assert_eq!(fixture.reason(&address, &unknown(6)).await, "watched");
    assert_eq!(fixture.episodes().await, [(4, 4)].into());
}

#[tokio::test]
async fn guess_is_chosen_with_one_button() {
    let Players { service, person } = Players::new().await;
    let fixture = Fixture { service, person };
    let player = fixture.add("Emby", "emby").await;
    let address = fixture.address(&player).await;
    // The identifier belongs to another series, so the title alone is not certain.
    let message = json!({
        "Event": "playback.scrobble", "Server": {}, "Series": {"ProviderIds": {"Tvdb": "999"}},
        "Item": {"Type": "Episode", "SeriesName": "Paper Moons", "ParentIndexNumber": 1, "IndexNumber": 2}
    });
    assert_eq!(fixture.reason(&address, &message).await, "not_certain");
    let list = fixture.page(PATH).await.text();
    let button = "name=\"guess\" value=\"5:2\">This one</button>";
    assert!(list.contains(button), "{list}");
    let saved = fixture.submit(PATH, SERIES, &[("guess", "5:2")]).await;
    assert_eq!(saved, "/profile/players?done=applied");
    assert_eq!(fixture.episodes().await, [(5, 2)].into());
}

#[tokio::test]
async fn series_that_is_no_anime_is_ignored_until_the_choice_is_taken_back() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let address = fixture.address(&player).await;
    fixture.reason(&address, &unknown(5)).await;
    let saved = fixture
        .submit(PATH, SERIES, &[("not_an_anime", "yes")])
        .await;
    assert_eq!(saved, "/profile/players?done=not-an-anime");
    let list = fixture.page(PATH).await.text();
    assert!(!list.contains("Which anime is this?"), "{list}");
    assert!(list.contains("<p>not an anime</p>"), "{list}");
    assert_eq!(fixture.reason(&address, &unknown(6)).await, "not_an_anime");
    let taken_back = fixture.submit(PATH, SERIES, &[("take_back", "yes")]).await;
    assert_eq!(taken_back, "/profile/players?done=taken-back");
    let list = fixture.page(&taken_back).await.text();
    assert!(list.contains("Your choice is taken back."), "{list}");
    assert!(!list.contains("<p>not an anime</p>"), "{list}");
    assert_eq!(fixture.reason(&address, &unknown(7)).await, "no_match");
}

#[tokio::test]
async fn renewed_and_removed_addresses_end_at_once() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let first = fixture.address(&player).await;
    let renewal = format!("{player}/address");
    let renewed = fixture.submit(&player, &renewal, &[]).await;
    assert_eq!(renewed, format!("{player}?done=renewed"));
    let second = fixture.address(&player).await;
    assert_ne!(first, second);
    assert_eq!(fixture.send(&first, &unknown(1)).await.status, 404);
    assert_eq!(fixture.send(&second, &unknown(1)).await.status, 200);
    let removed = fixture
        .submit(&player, &format!("{player}/remove"), &[])
        .await;
    assert_eq!(removed, "/profile/players?done=removed");
    assert_eq!(fixture.send(&second, &unknown(1)).await.status, 404);
    let mut browser = fixture.browser().await;
    assert_eq!(browser.get(&player).await.status, 404);
    let list = browser.get(PATH).await;
    for action in [&player, &renewal, &format!("{player}/remove")] {
        let fields = [("name", "mpv"), ("finished_percent", "85")];
        let again = browser.submit(&list, action, &fields).await;
        assert_eq!(again.status, 404, "{action}: {}", again.text());
    }
}

#[tokio::test]
async fn new_password_ends_the_address() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let address = fixture.address(&player).await;
    let mut browser = fixture.browser().await;
    let profile = browser.get("/profile").await;
    let fields = [("password", "katawaredoki no machi")];
    let changed = browser.submit(&profile, "/profile/security/password", &fields);
    assert_eq!(changed.await.status, 303);
    assert_eq!(fixture.send(&address, &unknown(1)).await.status, 404);
    let page = fixture.page(&player).await;
    let text = page.text();
    assert!(text.contains("The address has ended"), "{text}");
    assert!(
        !text.contains("player-address") && !text.contains("data-waits"),
        "{text}"
    );
    let renewed = format!("{player}/address");
    fixture.submit(&player, &renewed, &[]).await;
    let address = fixture.address(&player).await;
    assert_eq!(fixture.send(&address, &unknown(1)).await.status, 200);
}

#[tokio::test]
async fn players_of_others_are_not_found() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let other = fixture.service.person("mitsuha").await;
    let mut browser = Browser::signed_in(&fixture.service, &other).await;
    assert_eq!(browser.get(&player).await.status, 404);
    let list = browser.get(PATH).await;
    let settings = [("name", "a"), ("finished_percent", "50")];
    for action in ["", "/address", "/remove"] {
        let action = format!("{player}{action}");
        let refused = browser.submit(&list, &action, &settings).await;
        assert_eq!(refused.status, 404, "{action}");
    }
    for id in ["20", "256", "-1", "a", "1.0"] {
        assert_eq!(
            browser.get(&format!("{PATH}/{id}")).await.status,
            404,
            "{id}"
        );
    }
    let mut outside = Browser::new(&fixture.service);
    let refused = outside.get(&player).await;
    let sign_in = format!("/sign-in?next={PATH}/0");
    assert_eq!(location(&refused), sign_in);
}

/// The path that a form is sent to, its wrong values, and the sentence beside one of its fields.
type WrongForm<'a> = (&'a str, Vec<(&'a str, &'a str)>, &'a str);

#[tokio::test]
async fn wrong_values_are_named_beside_their_fields() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let (long, long_user) = ("a".repeat(41), "a".repeat(1001));
    let percent = "Percentage that counts as watched must be a whole number from 50 to 100.";
    let episode = "Episode of the anime must be a whole number from 1 to 20000.";
    let of_series = |fields: &[(&'static str, &'static str)]| {
        [&series(UNKNOWN, "2", "5")[..], &[("q", "sora")], fields].concat()
    };
    let cases: [WrongForm<'_>; 11] = [
        (PATH, vec![("kind", "mpv")], "Name is required."),
        (
            PATH,
            vec![("name", &long), ("kind", "mpv")],
            "Name must have 1 to 40 characters.",
        ),
        (
            PATH,
            vec![("name", "a"), ("kind", "vlc")],
            "Kind must be one of the listed options.",
        ),
        (
            &player,
            vec![("name", "a"), ("finished_percent", "49")],
            percent,
        ),
        (
            &player,
            vec![("name", "a"), ("finished_percent", "101")],
            percent,
        ),
        (
            &player,
            vec![("name", "a\u{200b}b"), ("finished_percent", "85")],
            "Name must not contain invisible characters.",
        ),
        (
            &player,
            vec![
                ("name", "a"),
                ("finished_percent", "85"),
                ("server_user", &long_user),
            ],
            "Your name on the server must have at most 1,000 characters.",
        ),
        (
            SERIES,
            of_series(&[("anime_episode", "5")]),
            "Anime is required.",
        ),
        (
            SERIES,
            of_series(&[("anime_id", "4"), ("anime_episode", "0")]),
            episode,
        ),
        (SERIES, of_series(&[("anime_id", "4")]), episode),
        (
            SERIES,
            of_series(&[("anime_id", "4"), ("anime_episode", "13")]),
            "Episode of the anime must not be above the number of released episodes.",
        ),
    ];
    for (action, fields, sentence) in cases {
        let mut browser = fixture.browser().await;
        let page = browser.get("/profile").await;
        let answer = browser.submit(&page, action, &fields).await;
        assert_eq!(answer.status, 400, "{sentence}: {}", answer.text());
        let text = answer.text();
        let (_, beside) = text.split_once("class=\"fault\"").unwrap_or(("", ""));
        assert!(beside.contains(sentence), "{sentence} is not in {text}");
    }
    let list = fixture.page(PATH).await.text();
    assert!(!list.contains(">Your choices<"), "{list}");
}

#[tokio::test]
async fn wrong_series_and_anime_are_refused() {
    let fixture = Fixture::new().await;
    let mut browser = fixture.browser().await;
    let long = "a".repeat(201);
    let wrong = [
        ("", "1", "1"),
        (&long, "1", "1"),
        ("a\0", "1", "1"),
        ("a", "-1", "1"),
        ("a", "01", "1"),
        ("a", "", "1"),
        ("a", "1", "0"),
        ("a", "1", "99999999"),
    ];
    let page = browser.get(PATH).await;
    for (title, season, episode) in wrong {
        let path = series_path(title, season, episode);
        assert_eq!(browser.get(&path).await.status, 400, "{path}");
        let mut fields = series(title, season, episode).to_vec();
        fields.push(("not_an_anime", "yes"));
        let refused = browser.submit(&page, SERIES, &fields).await;
        assert_eq!(refused.status, 400, "{path}");
    }
    for anime in ["999", "0", "x", "99999999999999999999"] {
        let mut fields = series("a", "1", "1").to_vec();
        fields.extend([("anime_id", anime), ("anime_episode", "1")]);
        let missing = browser.submit(&page, SERIES, &fields).await;
        assert_eq!(missing.status, 404, "{anime}: {}", missing.text());
    }
    let mut fields = series("a", "1", "1").to_vec();
    fields.push(("guess", "x"));
    let refused = browser.submit(&page, SERIES, &fields).await;
    assert_eq!(refused.status, 400, "{}", refused.text());
}

#[tokio::test]
async fn user_can_have_20_players() {
    let fixture = Fixture::new().await;
    for number in 0..20 {
        let path = fixture.add("mpv", "mpv").await;
        assert_eq!(path, format!("{PATH}/{number}"));
    }
    let mut browser = fixture.browser().await;
    let page = browser.get(PATH).await;
    let fields = [("name", "mpv"), ("kind", "mpv")];
    let refused = browser.submit(&page, PATH, &fields).await;
    assert_eq!(refused.status, 409);
    let sentence = "you have 20 players already; remove one first";
    assert!(refused.text().contains(sentence), "{}", refused.text());
}

#[tokio::test]
async fn full_pages_are_small() {
    let fixture = Fixture::new().await;
    for _ in 0..20 {
        fixture.add(&"a".repeat(40), "jellyfin").await;
    }
    let player = format!("{PATH}/0");
    let address = fixture.address(&player).await;
    for season in 1..=60 {
        let message = json!({"title": "Itomori Nikki", "season": season, "episode": 1});
        fixture.send(&address, &message).await;
    }
    let mut browser = fixture.browser().await;
    let list = browser.get(PATH).await;
    for season in 1..=20 {
        let season = season.to_string();
        let fields = [
            &series("Sora no Umi", &season, "1")[..],
            &[("guess", "4:1")],
        ]
        .concat();
        let csrf = hidden(&list, "csrf").unwrap();
        let fields = [&fields[..], &[("csrf", &csrf)]].concat();
        assert_eq!(browser.post(SERIES, &fields).await.status, 303);
    }
    let list = fixture.page(PATH).await;
    // Three guesses for each series take 10,000 bytes more.
    assert!(list.body.len() < 20_100, "{}", list.body.len());
    let text = list.text();
    assert_eq!(text.matches(">Not an anime</button>").count(), 8, "{text}");
    assert!(text.contains("more. They appear when"), "{text}");
    assert_eq!(text.matches(">Take back</button>").count(), 10, "{text}");
    assert!(
        text.contains("href=\"/profile/players?page=2#choices\""),
        "{text}"
    );
    let page = fixture.page(&player).await;
    assert!(page.body.len() < 60_000, "{}", page.body.len());
    let reports = page.text().matches(" · 14 November 2023").count();
    assert_eq!(reports, 50, "{}", page.text());
}

#[tokio::test]
async fn change_by_a_player_is_named_and_undone() {
    let fixture = Fixture::new().await;
    let player = fixture.add("Living room", "mpv").await;
    let address = fixture.address(&player).await;
    let message = json!({"title": "Itomori Nikki", "season": 1, "episode": 1});
    fixture.reason(&address, &message).await;
    let story = fixture.person.story(&anime(2, ""));
    let path = format!("/v1/user_story/{story}/history");
    let token = &fixture.person.token;
    let history = fixture.service.with_token(Method::GET, &path, token).await;
    let latest = &history.data()[0];
    assert_eq!(latest["by"], "player", "{}", history.text());
    assert_eq!(latest["player"], "Living room", "{}", history.text());
    let page = fixture.page("/anime/2").await.text();
    let sentence = "The latest change came from the player Living room.";
    assert!(page.contains(sentence), "{page}");
    let undone = fixture.submit("/anime/2", "/list/undo", &[]).await;
    assert_eq!(undone, "/anime/2?done=undone&of=2");
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    // The list's button works, too.
    fixture.reason(&address, &message).await;
    let undone = fixture
        .submit("/list?done=next&of=2", "/list/undo", &[])
        .await;
    assert_eq!(undone, "/list?done=undone&of=2");
    assert_eq!(fixture.episodes().await, BTreeMap::new());
}
