//! The pages of the catalogue: the start page, `/anime` and `/anime/{id}`.

use shared::models::{
    Anime, AnimeFormat, AnimeId, AnimeStatus, Score, Season, Song, SongId, SongType, Weekday,
};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::Person;
use tests::service::{Answer, Service};
use tests::table::table;
use time::{Date, Month};

use super::{assert_rounds, set_language};

/// Returns an anime with these titles.
fn anime(id: u64, titles: &[(&str, &str)]) -> Anime {
    let mut anime = Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv);
    let titles = titles.iter();
    anime.titles = titles
        .map(|(code, title)| ((*code).to_owned(), (*title).to_owned()))
        .collect();
    anime
}

/// Returns an anime about which everything is known.
fn full_anime() -> Anime {
    let date = |year, month, day| {
        let date = Date::from_calendar_date(year, month, day).unwrap();
        Some(date.midnight().assume_utc())
    };
    let id = |id| AnimeId::new(id).unwrap();
    Anime {
        tracker_a_id: Some(11),
        tracker_b_id: Some(22),
        database_id: Some(33),
        status: AnimeStatus::Releasing,
        descriptions: [
            ("en", "Two pupils swap bodies.\n\nAnd a <comet> comes."),
            ("fr", "Deux élèves échangent leurs corps."),
        ]
        .map(|(code, text)| (code.to_owned(), text.to_owned()))
        .into(),
        start_date: date(2023, Month::October, 4),
        end_date: date(2023, Month::December, 20),
        weekly_airing_day: Some(Weekday::Wednesday),
        season_period: Season::Fall,
        season_year: Some(2023),
        episodes_count: 12,
        episode_duration: Some(24),
        trailer_url: Some("https://video.example/watch?v=1".to_owned()),
        cover_image: "https://images.example/cover.png".to_owned(),
        has_cover_image: true,
        cover_color: Some("#2c4a9a".to_owned()),
        banner_image: Some("https://images.example/banner.png".to_owned()),
        genres: vec!["Drama".to_owned(), "Sci-Fi".to_owned()],
        sequel: Some(id(2)),
        prequel: Some(id(3)),
        score: Score::new(87.5).unwrap(),
        recommendations: Some(vec![id(5), id(4), id(999)]),
        studios: vec!["J.C.Staff".to_owned(), "feel.".to_owned()],
        tags: vec!["drama".to_owned(), "body swapping".to_owned()],
        ..anime(
            1,
            &[
                ("en", "Your Comet"),
                ("rj", "Kimi no Suisei"),
                ("jp", "君の彗星"),
                ("fr", "Ta comète"),
            ],
        )
    }
}

fn song(number: u16, title: &str) -> Song {
    let anime_id = AnimeId::new(1).unwrap();
    Song {
        id: SongId::of_anime(anime_id, number).unwrap(),
        anime_id,
        title: title.to_owned(),
        artist: "Radwimps".to_owned(),
        album: String::new(),
        year: 2023,
        season: Season::Fall,
        duration: 0,
        preview_url: "https://music.example/preview".to_owned(),
        open_player_url: "https://music.example/play".to_owned(),
        local_player_url: "player:track:1".to_owned(),
        song_type: SongType::Opening,
    }
}

/// Returns a service with [`full_anime`], the anime that it names, and a song.
async fn full_service() -> Service {
    let others = [
        anime(2, &[("en", "Before the Comet")]),
        anime(3, &[("en", "After the Comet")]),
        anime(4, &[("en", "Another Star")]),
        anime(5, &[("en", "A Better Star")]),
    ];
    let mut all = vec![full_anime()];
    all.extend(others);
    Service::with_catalogue(&all, &[song(1, "Zen Zen Zense")]).await
}

/// Returns the identifiers of the anime that a page shows as cards, in the order of the page.
fn shown(page: &Answer) -> Vec<u64> {
    let text = page.text();
    let cards = text.split("<li class=\"card\">").skip(1);
    let ids = cards.map(|card| card.between("href=\"/anime/", "\"").parse().unwrap());
    ids.collect()
}

async fn signed_in<'s>(service: &'s Service, name: &str) -> (Person, PageClient<'s>) {
    let person = service.person(name).await;
    let browser = PageClient::signed_in(service, &person).await;
    (person, browser)
}

#[tokio::test]
async fn start_page_shows_this_season() {
    // The clock of the tests is in November 2023.
    let mut old = anime(9, &[("en", "Old")]);
    old.score = Score::new(99.0).unwrap();
    let service = Service::with_catalogue(&[full_anime(), old], &[]).await;
    let start = service.get("/").await;
    assert_eq!(shown(&start), [1, 9, 1], "this season, and then the best");
    start.assert_has("/anime?season=3&amp;year=2023");
    let season = service.get("/anime?season=3&year=2023").await;
    assert_eq!(shown(&season), [1]);
    season.assert_has("aria-current=\"page\"");
}

#[tokio::test]
async fn own_status_is_shown_to_its_user_only() {
    let service = full_service().await;
    let (person, mut browser) = signed_in(&service, "mitsuha").await;
    let created = service.create_story(&person, &full_anime(), 3).await;
    created.assert_status(200);
    let badge = "<span class=\"note\">Watching</span>";
    for path in ["/anime", "/"] {
        let page = browser.get(path).await.text();
        let cards: String = page.split("<li class=\"card\">").skip(1).collect();
        assert_eq!(
            cards.matches(badge).count(),
            cards.matches("href=\"/anime/1\"").count(),
            "{path}"
        );
    }
    // The form also has the names of all statuses, but only the user's own is in a `span`.
    let own = "Watching</span>";
    assert!(browser.get("/anime/1").await.text().contains(own));
    let (_, mut other) = signed_in(&service, "taki").await;
    // The cookie names the user, but belongs to no session.
    let forged = [(
        "cookie",
        "__Host-session=1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    )];
    for path in ["/anime", "/", "/anime/1"] {
        assert!(!other.get(path).await.text().contains(own), "{path}");
        assert!(!service.get(path).await.text().contains(own), "{path}");
        let page = service.get_with(path, &forged).await;
        assert!(!page.text().contains(own), "{path}");
        assert!(page.text().contains("/sign-in"), "{path}");
    }
}

#[tokio::test]
async fn page_of_an_anime_shows_everything() {
    let service = full_service().await;
    let english = [("accept-language", "en")];
    let page = service.get_with("/anime/1", &english).await.text();
    for part in [
        "<title>Your Comet - Kiroku</title>",
        "<p class=\"original\" itemprop=\"alternateName\" lang=\"ja\" dir=\"auto\">君の彗星</p>",
        "<p>Two pupils swap bodies.</p><p>And a &lt;comet&gt; comes.</p>",
        "TV · Fall 2023 · 12 episodes",
        "87.5",
        "<dt>First aired</dt><dd>4 October 2023</dd>",
        "<dt>Last aired</dt><dd>20 December 2023</dd>",
        "<dt>Airs on</dt><dd>Wednesday</dd>",
        "<dt>Episode length</dt><dd>24 minutes</dd>",
        "<dt>Release</dt><dd>Airing</dd>",
        "<a href=\"/anime?season=3&amp;year=2023\">Fall 2023</a>",
        "<a href=\"/anime?genres=Sci%2DFi\" itemprop=\"genre\">Science fiction</a>",
        "<a href=\"/anime?studios=J%2EC%2EStaff\" itemprop=\"productionCompany\">J.C.Staff</a>, <a ",
        "<ul class=\"chips\"><li><a href=\"/anime?tags=body%20swapping\" itemprop=\"keywords\">body swapping</a></li>\
         </ul>",
        "https://anilist.co/anime/11",
        "https://myanimelist.net/anime/22",
        "https://www.themoviedb.org/tv/33",
        "https://video.example/watch?v=1",
        "In 4 languages",
        "Ta comète",
        "Zen Zen Zense",
        "Radwimps",
        "https://music.example/play",
        "<link rel=\"canonical\" href=\"https://kiroku.test/anime/1\">",
        "<meta property=\"og:title\" content=\"Your Comet\">",
        "<meta property=\"og:description\" content=\"Two pupils swap bodies. And a &lt;comet&gt; comes.\">",
        "<meta property=\"og:image\" content=\"https://images.example/cover.png\">",
        "itemtype=\"https://schema.org/TVSeries\"",
    ] {
        page.assert_has(part);
    }
    // A page on another machine cannot reach a local player.
    page.assert_lacks("player:track");
}

/// In the API, `sequel` is the preceding anime, and `prequel` the following one.
#[tokio::test]
async fn story_line_has_the_meaning_of_the_api() {
    let service = full_service().await;
    let page = service.get("/anime/1").await;
    let story_line = page.between("id=\"story-line\"", "</section>");
    let (before, after) = (
        story_line.before("What comes next"),
        story_line.after("What comes next"),
    );
    before.assert_has("What came before");
    before.assert_has("Before the Comet");
    after.assert_has("After the Comet");
    // The best rated recommendation comes first. One that the catalogue no longer has is left out.
    assert_eq!(shown(&page), [2, 3, 5, 4]);
}

#[tokio::test]
async fn titles_and_descriptions_are_in_the_language_of_the_account_and_then_the_browser() {
    let service = full_service().await;
    let (person, mut browser) = signed_in(&service, "mitsuha").await;
    let heading = |page: &str| page.between("<h1 itemprop=\"name\">", "</h1>");
    set_language(&service, &person, "fr").await;
    let page = browser.get("/anime/1").await.text();
    page.assert_has("<html lang=\"fr\">");
    page.assert_has("Parcourir");
    assert_eq!(
        heading(&page),
        "<span lang=\"fr\" dir=\"auto\">Ta comète</span>"
    );
    page.assert_has("Deux élèves échangent leurs corps.");
    page.assert_has("4 octobre 2023");
    page.assert_has("87,5");
    let titles = r#"
        ja;q=0.9, en;q=0.5 | ja | <span lang="ja" dir="auto">君の彗星</span>
        it | it | <span lang="en" dir="auto">Your Comet</span>
        de, fr;q=0.5 | fr | <span lang="fr" dir="auto">Ta comète</span>
        de | en | <span lang="en" dir="auto">Your Comet</span>"#;
    for [accepted, lang, title] in table(titles) {
        let answer = service
            .get_with("/anime/1", &[("accept-language", accepted)])
            .await;
        assert_eq!(answer.header("content-language"), lang);
        let page = answer.text();
        page.assert_has(&format!("<html lang=\"{lang}\">"));
        assert_eq!(heading(&page), title, "{accepted}");
    }
}

#[tokio::test]
async fn unknown_anime_leads_to_a_page_with_a_search_box() {
    let service = full_service().await;
    for path in "/anime/77 /anime/0 /anime/99999999999999999999 /anime/one /anime/%FF".split(' ') {
        let page = service.get_with(path, &[("accept-language", "it")]).await;
        assert_eq!(page.status, 404, "{path}");
        page.assert_has("<html lang=\"it\">");
        page.assert_has("name=\"search\"");
        page.assert_has("Anime non trovato");
    }
}

#[tokio::test]
async fn images_are_loaded_on_pages_with_covers_only_and_can_be_turned_off() {
    let service = full_service().await;
    let images = "img-src 'self' https:;";
    for (path, has_images) in [
        ("/", true),
        ("/anime", true),
        ("/anime/1", true),
        ("/sign-in", false),
        ("/reference", false),
        ("/anime/77", false),
    ] {
        let page = service.get(path).await;
        let policy = page.header("content-security-policy");
        assert_eq!(policy.contains(images), has_images, "{path}: {policy}");
        let found = page.all_between("<img", ">");
        for image in &found {
            for attribute in [
                "referrerpolicy=\"no-referrer\"",
                "loading=\"lazy\"",
                " alt=\"\"",
                " width=\"",
                " height=\"",
            ] {
                assert!(image.contains(attribute), "{path}: {image}");
            }
        }
        assert_eq!(!found.is_empty(), has_images, "{path}: {found:?}");
    }
    let mut environment = service.environment.clone();
    environment.has_images = false;
    let service = service.with_environment(environment);
    for path in ["/", "/anime", "/anime/1"] {
        let page = service.get(path).await;
        page.header("content-security-policy")
            .assert_lacks("https:");
        page.assert_lacks("<img");
        page.assert_has("loads nothing from other sites");
    }
}

#[tokio::test]
async fn hostile_and_missing_values_do_no_harm() {
    let long = "x".repeat(200);
    let script = "<script>alert(1)</script>\"'";
    let mut strange = anime(
        1,
        &[("en", script), ("he", "מסע אל הכוכבים"), ("rj", &long)],
    );
    strange.cover_image = "javascript:alert(1)".to_owned();
    strange.cover_color = Some("red\" onload=\"alert(1)".to_owned());
    strange.banner_image = Some("http://plain.example/banner.png".to_owned());
    strange.trailer_url = Some("javascript:alert(1)".to_owned());
    strange.genres = vec![script.to_owned()];
    strange.descriptions = [("en".to_owned(), script.to_owned())].into();
    let mut tune = song(1, script);
    tune.open_player_url = "javascript:alert(1)".to_owned();
    let service = Service::with_catalogue(&[strange, anime(2, &[])], &[tune]).await;
    for path in ["/", "/anime", "/anime/1", "/anime/2"] {
        let page = service.get_with(path, &[("accept-language", "en")]).await;
        assert_eq!(page.status, 200, "{path}");
        let text = page.text();
        for attack in ["<script>alert", "javascript:", " onload=\"", "http://plain"] {
            assert!(!text.contains(attack), "{path}: {attack}");
        }
    }
    // Anime 2 has no titles, cover, score or episodes.
    let bare = service.get("/anime/2").await.text();
    bare.assert_has("<title>Anime 2 - Kiroku</title>");
    bare.assert_lacks("<dt>Episodes</dt>");
    bare.assert_lacks("class=\"score\"");
    let hebrew = service
        .get_with("/anime/1", &[("accept-language", "he")])
        .await
        .text();
    hebrew.assert_has("<span lang=\"he\" dir=\"auto\">מסע אל הכוכבים</span>");
}

#[tokio::test]
async fn pages_read_in_one_round() {
    let service = full_service().await;
    let person = service.person("mitsuha").await;
    service.create_story(&person, &full_anime(), 3).await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    // The first requests load the indexes.
    for path in ["/", "/anime?search=comet", "/anime/4", "/calendar"] {
        assert_eq!(browser.get(path).await.status, 200);
    }
    for path in ["/", "/anime", "/anime?status=1", "/calendar"] {
        assert_rounds(&mut browser, &rounds, path, 1).await;
    }
    // The documents of the anime that the page names have been read for the list.
    assert_rounds(&mut browser, &rounds, "/anime/1", 1).await;
    let mut visitor = PageClient::new(&service);
    assert_rounds(&mut visitor, &rounds, "/anime/1", 0).await;
}

#[tokio::test]
async fn songs_are_in_the_order_of_their_uses() {
    let uses = [SongType::None, SongType::Ending, SongType::Opening];
    let songs: Vec<Song> = (1..)
        .zip(uses)
        .map(|(number, song_type)| Song {
            song_type,
            ..song(number, &format!("Song {number}"))
        })
        .collect();
    let service = Service::with_catalogue(&[full_anime()], &songs).await;
    let page = service.get("/anime/1").await.text();
    let place = |title| {
        page.find(title)
            .unwrap_or_else(|| panic!("{title}: {page}"))
    };
    assert!(place("Song 3") < place("Song 2") && place("Song 2") < place("Song 1"));
}

/// The limits are 100,000 bytes for lists and 60,000 for other pages.
#[tokio::test]
async fn pages_are_small() {
    let codes = [
        "ar", "bg", "ca", "cs", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hu", "it",
    ];
    let title = |code: &str| {
        (
            code.to_owned(),
            format!("{code} {}", "長い題名 ".repeat(12)),
        )
    };
    let mut catalogue = tests::made_up::anime(60, 3);
    for anime in &mut catalogue {
        anime.titles = codes
            .iter()
            .map(|code| title(code))
            .chain([title("jp"), title("rj")])
            .collect();
        anime.cover_image = format!("https://images.example/{}", "c".repeat(120));
        anime.cover_color = Some("#2c4a9a".to_owned());
        anime.nsfw = false;
    }
    catalogue[0].descriptions = [("en".to_owned(), "word ".repeat(1000))].into();
    catalogue[0].recommendations = Some((2..60).filter_map(AnimeId::new).collect());
    catalogue[0].genres = (0..20).map(|number| format!("Genre {number}")).collect();
    let songs: Vec<Song> = (0..100)
        .map(|number| song(number, "A title of a song"))
        .collect();
    let service = Service::with_catalogue(&catalogue, &songs).await;
    for (path, limit) in [("/", 60_000), ("/anime", 100_000), ("/anime/1", 60_000)] {
        let size = service.get(path).await.body.len();
        assert!(size < limit, "{path}: {size}");
    }
}
