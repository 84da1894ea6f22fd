//! The pages of players: adding a player, its messages, and the choice of anime for series. The rules of the messages
//! are tested in the crate `stories`.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::Anime;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden, query};
use tests::made_up::titled_anime;
use tests::people::Person;
use tests::players::Players;
use tests::service::{Answer, PUBLIC_URL, Service};
use tests::table::table;

use super::list::put;

const PATH: &str = "/profile/players";
const SERIES: &str = "/profile/players/series";

/// The title of a series that the catalogue does not know.
const UNKNOWN: &str = "Tenkuu no Machi \"1\" & <2>";

/// Returns a finished anime with 12 episodes.
fn anime(id: u64, title: &str) -> Anime {
    Anime {
        episodes_count: 12,
        season_year: Some(2016),
        ..titled_anime(id, "rj", title)
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

    async fn browser(&self) -> PageClient<'_> {
        PageClient::signed_in(&self.service, &self.person).await
    }

    /// Adds a player of this kind, which plays only anime, with the form. Returns the path of its page.
    async fn add(&self, name: &str, kind: &str) -> String {
        self.add_playing(name, kind, "anime").await
    }

    async fn add_playing(&self, name: &str, kind: &str, plays: &str) -> String {
        let mut browser = self.browser().await;
        let page = browser.get(PATH).await;
        let fields = [("name", name), ("kind", kind), ("plays", plays)];
        let added = browser.submit(&page, PATH, &fields).await;
        let location = location(&added);
        let path = location.strip_suffix("?done=added").unwrap();
        path.to_owned()
    }

    /// Adds a player as [`Self::add`] does. Returns the paths of its page and of its address.
    async fn add_with_address(&self, name: &str, kind: &str) -> (String, String) {
        let player = self.add(name, kind).await;
        let address = self.address(&player).await;
        (player, address)
    }

    /// Returns the page.
    async fn page(&self, path: &str) -> Answer {
        let page = self.browser().await.get_with_notice(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        page
    }

    /// Returns the path of a player's address, which its page shows.
    async fn address(&self, player: &str) -> String {
        let page = self.page(player).await;
        let address = page.between("id=\"player-address\">", "<");
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

    /// Rejects the match of the report at this position of a player's page. Returns the path that follows.
    async fn reject(&self, player: &str, position: usize) -> String {
        let reports = rejectable(&self.page(player).await.text());
        let report = [("report", &*reports[position])];
        self.submit(player, &format!("{player}/wrong"), &report)
            .await
    }

    /// Returns the watched episodes of each anime.
    async fn episodes(&self) -> BTreeMap<u64, u64> {
        let token = &self.person.token;
        let found = self.service.get_as(token, "/v1/user_story").await;
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

/// Returns the fields of a form that name a series.
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

/// Returns a message about an episode of the anime 2.
fn known(episode: u32) -> Value {
    json!({"title": "Itomori Nikki", "season": 1, "episode": episode})
}

fn unknown(episode: u32) -> Value {
    json!({"title": UNKNOWN, "season": 2, "episode": episode})
}

#[tokio::test]
async fn player_is_added_and_its_messages_are_shown() {
    let fixture = Fixture::new().await;
    let connections = fixture.page("/profile/connections").await.text();
    connections.assert_has("href=\"/profile/players\"");
    let player = fixture.add("  Living   room ", "jellyfin").await;
    let page = fixture.page(&player).await.text();
    page.assert_has("<h1>Living room</h1>");
    for part in [
        "No message has come yet.",
        "data-waits",
        "<noscript><meta http-equiv=\"refresh\" content=\"10; url=/profile/players/0\"></noscript>",
        "Add Generic Destination",
        "{{{SeriesName}}}",
    ] {
        page.assert_has(part);
    }
    let list = fixture.page(PATH).await.text();
    list.assert_has("Jellyfin · no message yet");

    let address = fixture.address(&player).await;
    let message = known(3);
    assert_eq!(fixture.reason(&address, &message).await, "watched");
    assert_eq!(fixture.episodes().await, [(2, 3)].into());
    let page = fixture.page(&player).await.text();
    page.assert_lacks("data-waits");
    page.assert_lacks("refresh");
    let shown = "season 1, episode 3 · 14 November 2023, 22:13 UTC</p>\
                 <p>Marked as watched: <a href=\"/anime/2\">";
    page.assert_has(shown);
    page.assert_has("Choose another anime");
    let list = fixture.page(PATH).await.text();
    let latest = "Jellyfin · last message: 14 November 2023, 22:13 UTC";
    list.assert_has(latest);
}

#[tokio::test]
async fn page_does_not_reload_while_settings_are_typed() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let page = fixture.page(&player).await.text();
    page.assert_lacks("name=\"finished_percent\"");
    let page = fixture.page(&format!("{player}?edit=yes")).await.text();
    page.assert_has("name=\"finished_percent\"");
    page.assert_lacks("data-waits");
    page.assert_lacks("refresh");
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
        page.assert_has(part);
    }
}

#[tokio::test]
async fn naming_the_user_applies_what_was_kept() {
    let fixture = Fixture::new().await;
    let (player, address) = fixture.add_with_address("Jellyfin", "jellyfin").await;
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
        page.assert_has(part);
    }
    let named = fixture
        .submit(&player, &player, &[("server_user", "taki")])
        .await;
    assert_eq!(named, format!("{player}?done=saved"));
    assert_eq!(fixture.episodes().await, [(2, 2)].into());
    let page = fixture.page(&player).await.text();
    page.assert_has("Only the messages of the chosen user count.");
    page.assert_has("name=\"server_user\" value=\"taki\"");
    page.assert_has("Marked as watched:");
    let other = jellyfin("mitsuha", "Itomori Nikki", "5");
    assert_eq!(fixture.reason(&address, &other).await, "other_user");
    assert_eq!(fixture.episodes().await, [(2, 2)].into());
}

#[tokio::test]
async fn settings_are_saved() {
    let fixture = Fixture::new().await;
    let (player, address) = fixture.add_with_address("Jellyfin", "jellyfin").await;
    let fields = "name=Emby&server_user=+Taki+&finished_percent=50&makes_private=yes";
    let mut browser = fixture.browser().await;
    let page = browser.get(&format!("{player}?edit=yes")).await;
    browser.submit_encoded(&page, &player, fields).await;
    let half = json!({
        "title": "Sora no Umi", "season": 1, "episode": 1, "position_ms": 50, "duration_ms": 100
    });
    assert_eq!(fixture.reason(&address, &half).await, "watched");
    let path = "/v1/user_story?include=details";
    let token = &fixture.person.token;
    let stories = fixture.service.get_as(token, path).await;
    assert_eq!(stories.data()[0]["details"]["private"], true);
    let page = fixture.page(&player).await.text();
    for part in [
        "<h1>Emby</h1>",
        "name=\"server_user\" value=\"Taki\"",
        "name=\"finished_percent\" value=\"50\"",
        "name=\"makes_private\" value=\"yes\" checked",
        "name=\"starts_again\" value=\"yes\" aria-describedby",
    ] {
        page.assert_has(part);
    }
}

#[tokio::test]
async fn unmatched_series_is_fixed() {
    let fixture = Fixture::new().await;
    let (player, address) = fixture.add_with_address("mpv", "mpv").await;
    assert_eq!(fixture.reason(&address, &unknown(5)).await, "no_match");
    let list = fixture.page(PATH).await.text();
    list.assert_has("Which anime is this?");
    let title = "Tenkuu no Machi &quot;1&quot; &amp; &lt;2&gt;";
    list.assert_has(title);
    let link = "title=Tenkuu%20no%20Machi%20%221%22%20%26%20%3C2%3E&amp;season=2&amp;episode=5";
    list.assert_has(link);
    let of_player = fixture.page(&player).await.text();
    of_player.assert_has(link);

    let path = series_path(UNKNOWN, "2", "5");
    let page = fixture.page(&path).await.text();
    page.assert_has("No anime was found.");
    let path = format!("{path}&q=sora");
    let page = fixture.page(&path).await.text();
    page.assert_has("Sora no Umi · TV · 2016 · 12 episodes");
    page.assert_has("name=\"anime_episode\" value=\"5\"");
    let chosen = [("anime_id", "4"), ("anime_episode", "3")];
    let fields = [&series(UNKNOWN, "2", "5")[..], &chosen].concat();
    let saved = fixture.submit("/profile", SERIES, &fields).await;
    assert_eq!(saved, "/profile/players?done=applied");
    assert_eq!(fixture.episodes().await, [(4, 3)].into());
    let list = fixture.page(&saved).await.text();
    list.assert_has("the episode is marked in your list");
    list.assert_lacks("Which anime is this?");
    let chosen = "from episode 3 on, which is episode 1 of the anime";
    list.assert_has(chosen);
    assert_eq!(fixture.reason(&address, &unknown(6)).await, "watched");
    assert_eq!(fixture.episodes().await, [(4, 4)].into());
}

#[tokio::test]
async fn guess_is_chosen_with_one_button() {
    let Players { service, person } = Players::new().await;
    let fixture = Fixture { service, person };
    let (_, address) = fixture.add_with_address("Emby", "emby").await;
    // The identifier belongs to another series, so the title alone is not certain.
    let message = json!({
        "Event": "playback.scrobble", "Server": {}, "Series": {"ProviderIds": {"Tvdb": "999"}},
        "Item": {"Type": "Episode", "SeriesName": "Paper Moons", "ParentIndexNumber": 1, "IndexNumber": 2}
    });
    assert_eq!(fixture.reason(&address, &message).await, "not_certain");
    let list = fixture.page(PATH).await.text();
    let button = "name=\"guess\" value=\"5:2\">This one</button>";
    list.assert_has(button);
    let saved = fixture.submit(PATH, SERIES, &[("guess", "5:2")]).await;
    assert_eq!(saved, "/profile/players?done=applied");
    assert_eq!(fixture.episodes().await, [(5, 2)].into());
}

#[tokio::test]
async fn series_that_is_not_an_anime_is_ignored_until_the_choice_is_taken_back() {
    let fixture = Fixture::new().await;
    let (_, address) = fixture.add_with_address("mpv", "mpv").await;
    fixture.reason(&address, &unknown(5)).await;
    let saved = fixture
        .submit(PATH, SERIES, &[("not_an_anime", "yes")])
        .await;
    assert_eq!(saved, "/profile/players?done=not-an-anime");
    let list = fixture.page(PATH).await.text();
    list.assert_lacks("Which anime is this?");
    list.assert_has("<p>not an anime</p>");
    assert_eq!(fixture.reason(&address, &unknown(6)).await, "not_an_anime");
    let taken_back = fixture.submit(PATH, SERIES, &[("take_back", "yes")]).await;
    assert_eq!(taken_back, "/profile/players?done=taken-back");
    let list = fixture.page(&taken_back).await.text();
    list.assert_has("Your choice is taken back.");
    list.assert_lacks("<p>not an anime</p>");
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
    let (player, address) = fixture.add_with_address("mpv", "mpv").await;
    let mut browser = fixture.browser().await;
    let profile = browser.get("/profile").await;
    let fields = [("password", "katawaredoki no machi")];
    let changed = browser.submit(&profile, "/profile/security/password", &fields);
    assert_eq!(changed.await.status, 303);
    assert_eq!(fixture.send(&address, &unknown(1)).await.status, 404);
    let page = fixture.page(&player).await;
    page.assert_has("The address has ended");
    page.assert_lacks("player-address");
    page.assert_lacks("data-waits");
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
    let mut browser = PageClient::signed_in(&fixture.service, &other).await;
    assert_eq!(browser.get(&player).await.status, 404);
    let list = browser.get(PATH).await;
    let settings = [("name", "a"), ("finished_percent", "50")];
    for action in ["", "/address", "/remove"] {
        let action = format!("{player}{action}");
        let refused = browser.submit(&list, &action, &settings).await;
        assert_eq!(refused.status, 404, "{action}");
    }
    for id in ["20", "256", "-1", "a", "1.0"] {
        let missing = browser.get(&format!("{PATH}/{id}")).await;
        assert_eq!(missing.status, 404, "{id}");
    }
    let mut outside = PageClient::new(&fixture.service);
    let refused = outside.get(&player).await;
    let sign_in = format!("/sign-in?next={PATH}/0");
    assert_eq!(location(&refused), sign_in);
}

#[tokio::test]
async fn wrong_values_are_named_beside_their_fields() {
    let fixture = Fixture::new().await;
    let player = fixture.add("mpv", "mpv").await;
    let (long, long_user) = ("a".repeat(41), "a".repeat(1001));
    let of_series = [&series(UNKNOWN, "2", "5")[..], &[("q", "sora")]].concat();
    let of = query(&of_series);
    let with_user = format!("name=a&finished_percent=85&server_user={long_user}");
    let (percent, episode) = ("Percentage that counts as watched", "Episode of the anime");
    // Each line has the path that a form is sent to, wrong values, and the sentence beside one of the fields.
    let cases = format!(
        "{PATH} | kind=mpv | Name is required.
        {PATH} | name={long}&kind=mpv | Name must have 1 to 40 characters.
        {PATH} | name=a&kind=vlc | Kind must be one of the listed options.
        {player} | name=a&finished_percent=49 | {percent} must be a whole number from 50 to 100.
        {player} | name=a&finished_percent=101 | {percent} must be a whole number from 50 to 100.
        {player} | name=a%E2%80%8Bb&finished_percent=85 | Name must not contain invisible characters.
        {player} | {with_user} | Your name on the server must have at most 1,000 characters.
        {SERIES} | {of}&anime_episode=5 | Anime is required.
        {SERIES} | {of}&anime_id=4&anime_episode=0 | {episode} must be a whole number from 1 to 20000.
        {SERIES} | {of}&anime_id=4 | {episode} must be a whole number from 1 to 20000.
        {SERIES} | {of}&anime_id=4&anime_episode=13 | {episode} must not be above the number of released episodes."
    );
    for [action, fields, sentence] in table(&cases) {
        let mut browser = fixture.browser().await;
        let page = browser.get("/profile").await;
        let answer = browser.submit_encoded(&page, action, fields).await;
        assert_eq!(answer.status, 400, "{sentence}: {}", answer.text());
        answer.after("class=\"fault\"").assert_has(sentence);
    }
    let list = fixture.page(PATH).await.text();
    list.assert_lacks(">Your choices<");
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
    refused.assert_has(sentence);
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
        let csrf = hidden(&list, "csrf").unwrap();
        let choice = [("guess", "4:1"), ("csrf", &*csrf)];
        let fields = [&series("Sora no Umi", &season, "1")[..], &choice].concat();
        assert_eq!(browser.post(SERIES, &fields).await.status, 303);
    }
    let list = fixture.page(PATH).await;
    // Three guesses for each series take 10,000 bytes more.
    assert!(list.body.len() < 21_600, "{}", list.body.len());
    let text = list.text();
    assert_eq!(text.matches(">Not an anime</button>").count(), 8, "{text}");
    text.assert_has("more. They appear when");
    assert_eq!(text.matches(">Take back</button>").count(), 10, "{text}");
    text.assert_has("href=\"/profile/players?page=2#choices\"");
    let page = fixture.page(&player).await;
    assert!(page.body.len() < 60_000, "{}", page.body.len());
    let reports = page.text().matches(" · 14 November 2023").count();
    assert_eq!(reports, 50, "{}", page.text());
}

#[tokio::test]
async fn change_by_a_player_is_named_and_undone() {
    let fixture = Fixture::new().await;
    let (_, address) = fixture.add_with_address("Living room", "mpv").await;
    let message = known(1);
    fixture.reason(&address, &message).await;
    let story = fixture.person.story(&anime(2, ""));
    let path = format!("/v1/user_story/{story}/history");
    let token = &fixture.person.token;
    let history = fixture.service.get_as(token, &path).await;
    let latest = &history.data()[0];
    assert_eq!(latest["by"], "player", "{}", history.text());
    assert_eq!(latest["player"], "Living room", "{}", history.text());
    let page = fixture.page("/anime/2").await.text();
    let sentence = "The latest change came from the player Living room.";
    page.assert_has(sentence);
    let undone = fixture.submit("/anime/2", "/list/undo", &[]).await;
    assert_eq!(undone, "/anime/2?done=undone&of=2");
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    // The list's button also works.
    fixture.reason(&address, &message).await;
    let undone = fixture
        .submit("/list?done=next&of=2", "/list/undo", &[])
        .await;
    assert_eq!(undone, "/list?status=0&done=undone&of=2");
    assert_eq!(fixture.episodes().await, BTreeMap::new());
}

/// The link to the series that wait for an answer.
const QUESTION: &str = "href=\"/profile/players#unmatched\">1 series waits for your answer</a>";

#[tokio::test]
async fn what_a_player_plays_is_asked_and_series_known_by_name_wait() {
    let fixture = Fixture::new().await;
    let list = fixture.page(PATH).await.text();
    // The safe answer is the first one.
    let options = "<option value=\"mixed\">Other things, too</option><option value=\"anime\">Only anime</option>";
    list.assert_has(options);
    let player = fixture.add_playing("Emby", "emby", "mixed").await;
    let address = fixture.address(&player).await;
    for path in ["/", "/list", PATH] {
        let page = fixture.page(path).await.text();
        assert!(!page.contains("for your answer"), "{path}: {page}");
    }
    for episode in [1, 2, 3] {
        let reason = fixture.reason(&address, &known(episode)).await;
        assert_eq!(reason, "waits_for_answer");
    }
    for path in ["/", "/list", PATH] {
        let page = fixture.page(path).await.text();
        assert!(page.contains(QUESTION), "{path}: {page}");
    }
    let list = fixture.page(PATH).await.text();
    for part in [
        "Is this the anime <a href=\"/anime/2\">",
        "3 episodes are kept",
        "name=\"guess\" value=\"2:3\">This one</button>",
    ] {
        list.assert_has(part);
    }
    let of_player = fixture.page(&player).await.text();
    of_player.assert_has("Waits for your answer, because");
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    let saved = fixture.submit(PATH, SERIES, &[("guess", "2:3")]).await;
    assert_eq!(saved, "/profile/players?done=applied&episodes=3");
    let list = fixture.page(&saved).await.text();
    let sentence = "and 3 episodes are marked in your list.";
    list.assert_has(sentence);
    assert_eq!(fixture.episodes().await, [(2, 3)].into());
    assert_eq!(fixture.reason(&address, &known(4)).await, "watched");
    let home = fixture.page("/").await.text();
    home.assert_lacks("for your answer");
}

#[tokio::test]
async fn series_without_a_question_are_not_counted() {
    let fixture = Fixture::new().await;
    let player = fixture.add_playing("Plex", "plex", "mixed").await;
    let address = fixture.address(&player).await;
    // A title with a typing error leads to a question.
    for letter in "abcdefghlm".chars() {
        let title = format!("Itomori Nikk{letter}");
        let message = json!({"title": title, "season": 1, "episode": 1});
        assert_eq!(fixture.reason(&address, &message).await, "not_certain");
    }
    for title in ["Cooking Show", "Night Market"] {
        let message = json!({"title": title, "season": 1, "episode": 2});
        assert_eq!(fixture.reason(&address, &message).await, "no_match");
    }
    let list = fixture.page(PATH).await.text();
    let asked = list.matches(">Not an anime</button>").count();
    let waiting = list.between("#unmatched\">", " ");
    let more = list.between("<p>And ", " ");
    assert_eq!((&*waiting, asked, &*more), ("10", 8, "2"), "{list}");
    let others = "<summary>2 series that are probably no anime</summary>";
    list.assert_has(others);
    let link = "title=Cooking%20Show&amp;season=1&amp;episode=2";
    list.assert_has(link);
    list.assert_lacks(">Cooking Show</strong>");
}

#[tokio::test]
async fn player_plays_other_things_unless_it_is_stated() {
    let fixture = Fixture::new().await;
    let mut browser = fixture.browser().await;
    let page = browser.get(PATH).await;
    let added = browser
        .submit(&page, PATH, &[("name", "mpv"), ("kind", "mpv")])
        .await;
    assert_eq!(added.status, 303);
    let address = fixture.address("/profile/players/0").await;
    let message = known(1);
    assert_eq!(fixture.reason(&address, &message).await, "waits_for_answer");
    let wrong = [("name", "mpv"), ("kind", "mpv"), ("plays", "films")];
    let refused = browser.submit(&page, PATH, &wrong).await;
    refused.assert_status(400);
    refused.assert_has("What it plays must be one of the listed options.");
}

#[tokio::test]
async fn settings_about_libraries_and_events_are_saved() {
    let fixture = Fixture::new().await;
    let player = fixture.add_playing("Plex", "plex", "mixed").await;
    let address = fixture.address(&player).await;
    let fields = [
        ("name", "Plex"),
        ("finished_percent", "85"),
        ("libraries", " Anime \r\n\r\nAnime <films>"),
        ("only_listed", "yes"),
        ("takes_back", "yes"),
        ("takes_ratings", "yes"),
    ];
    let edit = format!("{player}?edit=yes");
    fixture.submit(&edit, &player, &fields).await;
    let page = fixture.page(&edit).await.text();
    for part in [
        "Anime\nAnime &lt;films&gt;</textarea>",
        "<option value=\"mixed\" selected>",
        "name=\"only_listed\" value=\"yes\" checked",
        "name=\"takes_back\" value=\"yes\" checked",
        "name=\"takes_ratings\" value=\"yes\" checked",
    ] {
        page.assert_has(part);
    }
    let plex = |library: &str| {
        json!({
            "event": "media.scrobble", "Server": {}, "Account": {"title": "taki"},
            "Metadata": {"type": "episode", "librarySectionTitle": library, "grandparentTitle": "Itomori Nikki",
                "parentIndex": 1, "index": 1}
        })
    };
    for (library, reason) in [("Movies", "other_library"), ("Anime", "no_user_named")] {
        assert_eq!(fixture.reason(&address, &plex(library)).await, reason);
    }
    // Naming the user leaves the other settings as they are.
    let of_user = [("server_user", "taki")];
    fixture.submit(&player, &player, &of_user).await;
    let page = fixture.page(&edit).await.text();
    page.assert_has("Anime\nAnime &lt;films&gt;</textarea>");
    page.assert_has("name=\"takes_back\" value=\"yes\" checked");
    assert_eq!(fixture.reason(&address, &plex("Anime")).await, "not_listed");

    let lines = "a\n".repeat(21);
    let too_many = [&fields[..2], &[("libraries", lines.as_str())]].concat();
    let mut browser = fixture.browser().await;
    let page = browser.get(&player).await;
    let refused = browser.submit(&page, &player, &too_many).await;
    refused.assert_status(400);
    refused.assert_has("Libraries with anime must have at most 20 lines.");
}

/// Returns the numbers of the reports that have the button for a wrong match.
fn rejectable(page: &str) -> Vec<String> {
    page.all_between("name=\"report\" value=\"", "\"")
}

#[tokio::test]
async fn wrong_match_is_taken_back_and_asked_about() {
    let fixture = Fixture::new().await;
    let (player, address) = fixture.add_with_address("mpv", "mpv").await;
    for episode in [1, 2, 3] {
        assert_eq!(fixture.reason(&address, &known(episode)).await, "watched");
    }
    let page = fixture.page(&player).await.text();
    page.assert_has(">Not this one</button>");
    assert_eq!(rejectable(&page), ["3", "2", "1"]);
    let next = fixture.reject(&player, 1).await;
    let asked = format!("{SERIES}?title=Itomori%20Nikki&season=1&episode=3&done=rejected");
    assert_eq!(next, asked);
    // The story did not exist before.
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    let page = fixture.page(&next).await.text();
    page.assert_has("is taken back. Which anime is it?");
    let of_player = fixture.page(&player).await.text();
    assert_eq!(rejectable(&of_player), Vec::<String>::new());
    // The service no longer matches the season with this anime by itself.
    assert_eq!(fixture.reason(&address, &known(4)).await, "not_certain");
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    let list = fixture.page(PATH).await.text();
    list.assert_has("4 episodes are kept");
    let chosen = [("anime_id", "4"), ("anime_episode", "4")];
    let fields = [&series("Itomori Nikki", "1", "4")[..], &chosen].concat();
    fixture.submit("/profile", SERIES, &fields).await;
    assert_eq!(fixture.episodes().await, [(4, 4)].into());
    assert_eq!(fixture.reason(&address, &known(5)).await, "watched");
    assert_eq!(fixture.episodes().await, [(4, 5)].into());
    // A wrong choice is also taken back.
    fixture.reject(&player, 0).await;
    assert_eq!(fixture.episodes().await, BTreeMap::new());
    assert_eq!(fixture.reason(&address, &known(6)).await, "not_certain");

    let mut browser = fixture.browser().await;
    let page = browser.get(&player).await;
    let wrong = format!("{player}/wrong");
    for number in ["999", "x", ""] {
        let missing = browser.submit(&page, &wrong, &[("report", number)]).await;
        assert_eq!(missing.status, 404, "{number}");
    }
}

#[tokio::test]
async fn wrong_match_restores_the_story_that_was_there_before() {
    let fixture = Fixture::new().await;
    let (player, address) = fixture.add_with_address("mpv", "mpv").await;
    let (service, person) = (&fixture.service, &fixture.person);
    put(service, person, 2, 4, &json!({"current_episode": 5})).await;
    service.clock.advance(std::time::Duration::from_mins(2));
    for (episode, name) in [(6, "Living room"), (7, "Bedroom")] {
        let message = known(episode);
        assert_eq!(fixture.reason(&address, &message).await, "watched");
        // A new name does not make a player another one.
        let renamed = [("name", name), ("finished_percent", "85")];
        let edit = format!("{player}?edit=yes");
        fixture.submit(&edit, &player, &renamed).await;
    }
    let next = fixture.reject(&player, 0).await;
    assert!(next.ends_with("done=rejected"), "{next}");
    assert_eq!(fixture.episodes().await, [(2, 5)].into());
    let story = service.get_as(&person.token, "/v1/user_story").await;
    assert_eq!(story.data()[0]["status"], 4, "paused, as before");

    // A story that has changed since stays as it is.
    let message = json!({"title": "Sora no Umi", "season": 1, "episode": 2});
    assert_eq!(fixture.reason(&address, &message).await, "watched");
    let body = json!({
        "id": person.story(&anime(4, "")), "user_id": person.id, "anime_id": 4, "status": 0,
        "current_episode": 6, "current_episode_ticks": 0
    });
    let changed = service.post_as(&person.token, "/v1/user_story", &body);
    changed.await.assert_status(200);
    let next = fixture.reject(&player, 0).await;
    assert!(next.ends_with("done=kept"), "{next}");
    assert_eq!(fixture.episodes().await, [(2, 5), (4, 6)].into());
    let page = fixture.page(&next).await.text();
    page.assert_has("Your list stays as it is");
}
