//! The pages of the catalogue: the start page, `/anime` and `/anime/{id}`.

use std::time::Duration;

use serde_json::json;
use shared::models::{
    Anime, AnimeFormat, AnimeId, AnimeStatus, Score, Season, Song, SongId, SongType, Weekday,
};
use stories::lists::count_community;
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
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

#[tokio::test]
async fn similar_anime_for_adults_are_left_out() {
    let adult = Anime {
        nsfw: true,
        ..anime(5, &[("en", "A Better Star")])
    };
    let all = [full_anime(), anime(4, &[("en", "Another Star")]), adult];
    let service = Service::with_catalogue(&all, &[]).await;
    let page = service.get("/anime/1").await;
    page.assert_has("href=\"/anime/4\"");
    page.assert_lacks("href=\"/anime/5\"");
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
    for (story, status) in [(full_anime(), 0), (anime(2, &[]), 2), (anime(5, &[]), 3)] {
        let body = json!({"op": "put", "anime_id": story.id, "status": status});
        service.change_stories(&person, &[body]).await;
    }
    let own = "name=\"status\" value=\"0\" required checked>";
    let seal = |page: &str, status: &str| {
        let word = format!("<span class=\"unseen\">{status}</span>");
        page.matches(&word).count()
    };
    let page = browser.get("/anime/1").await.text();
    page.assert_has(own);
    // This anime and the one before it in the story line, and a similar one.
    let seals = ["Watching", "Completed", "Dropped"].map(|status| seal(&page, status));
    assert_eq!(seals, [1, 1, 1], "{page}");
    let (_, mut other) = signed_in(&service, "taki").await;
    let theirs = other.get("/anime/1").await.text();
    theirs.assert_has("action=\"/list/save\"");
    // The cookie names the user, but belongs to no session.
    let forged = [(
        "cookie",
        "__Host-session=1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    )];
    let forged = service.get_with("/anime/1", &forged).await.text();
    let signed_out = service.get("/anime/1").await.text();
    for page in [&forged, &signed_out] {
        page.assert_has("/sign-in?next=/anime/1");
        page.assert_lacks("/list/");
    }
    for page in [theirs, forged, signed_out] {
        page.assert_lacks("required checked");
        assert_eq!(seal(&page, "Completed"), 0, "{page}");
    }
}

#[tokio::test]
async fn page_of_an_anime_shows_everything() {
    let service = full_service().await;
    let english = [("accept-language", "en")];
    let page = service.get_with("/anime/1", &english).await.text();
    for part in [
        "<title>Your Comet - Kiroku</title>",
        "<p class=\"soft flat\" itemprop=\"alternateName\" lang=\"ja\" dir=\"auto\">君の彗星</p>",
        "<p class=\"vert\" lang=\"ja\">君の彗星</p>",
        "<p>Two pupils swap bodies.</p><p>And a &lt;comet&gt; comes.</p>",
        "<li><b>TV</b></li><li><a href=\"/anime?season=3&amp;year=2023\">Fall 2023</a></li>\
         <li>12 episodes of 24 min</li>",
        "<li>Airing</li><li>4 October 2023 – 20 December 2023</li>",
        "<li>scored <b>87.5</b></li>",
        "<a href=\"/anime?genres=Sci%2DFi\" itemprop=\"genre\">Science fiction</a>",
        "<a href=\"/anime?studios=J%2EC%2EStaff\" itemprop=\"productionCompany\">J.C.Staff</a>, <a ",
        "<ul class=\"chips\"><li><a href=\"/anime?tags=body%20swapping\" itemprop=\"keywords\">body swapping</a></li>\
         </ul>",
        "https://anilist.co/anime/11",
        "https://myanimelist.net/anime/22",
        "https://www.themoviedb.org/tv/33",
        "https://video.example/watch?v=1",
        "Ta comète",
        "<th scope=\"row\">Opening 1</th><td><a href=\"/song/",
        "Zen Zen Zense",
        "<a href=\"/song?artist=Radwimps\" dir=\"auto\">Radwimps</a>",
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

#[tokio::test]
async fn numbers_of_episodes_are_written_in_their_language() {
    for (count, minutes, english, french) in [
        (1, None, "1 episode", "1 épisode"),
        (1, Some(120), "120 min", "120 min"),
        (2, None, "2 episodes", "2 épisodes"),
        (2, Some(24), "2 episodes of 24 min", "2 épisodes de 24 min"),
        (0, Some(24), "24 min", "24 min"),
    ] {
        let work = Anime {
            episodes_count: count,
            episode_duration: minutes,
            ..anime(1, &[("en", "Comet")])
        };
        let service = Service::with_catalogue(&[work], &[]).await;
        for (language, text) in [("en", english), ("fr", french)] {
            let page = service
                .get_with("/anime/1", &[("accept-language", language)])
                .await;
            page.assert_has(&format!("<li>{text}</li>"));
        }
    }
}

/// Returns the path with the story line, as the knot and the anime of each of its items.
fn path(page: &Answer) -> Vec<(String, String)> {
    let text = page.between("<ol class=\"path\">", "</ol>");
    let knots = text.split("<span class=\"knot\"").skip(1);
    let item = |item: &str| {
        let anime = item.find_between("href=\"/anime/", "\"");
        (item.between(">", "<"), anime.unwrap_or_default())
    };
    knots.map(item).collect()
}

/// Returns a story line: each anime names its neighbors.
fn story_line(ids: impl IntoIterator<Item = u64>) -> Vec<Anime> {
    let ids: Vec<AnimeId> = ids.into_iter().filter_map(AnimeId::new).collect();
    let all = ids.iter().enumerate().map(|(position, id)| Anime {
        // In the API, `sequel` is the preceding anime, and `prequel` the following one.
        sequel: position.checked_sub(1).map(|before| ids[before]),
        prequel: ids.get(position + 1).copied(),
        ..anime(id.get(), &[("en", "Comet")])
    });
    all.collect()
}

fn knots(items: &[(&str, &str)]) -> Vec<(String, String)> {
    let items = items.iter();
    items
        .map(|(knot, anime)| ((*knot).to_owned(), (*anime).to_owned()))
        .collect()
}

#[tokio::test]
async fn whole_story_line_is_a_path_from_each_of_its_anime() {
    let mut all = story_line([2, 4, 6, 8]);
    all[2].format = AnimeFormat::Special;
    let service = Service::with_catalogue(&all, &[]).await;
    let expected = knots(&[("1", "2"), ("2", "4"), ("–", "6"), ("3", "8")]);
    for id in [2, 4, 6, 8] {
        let page = service.get(&format!("/anime/{id}")).await;
        assert_eq!(path(&page), expected, "{id}");
        let here = page.between("aria-current=\"true\"", "You are here");
        here.assert_has(&format!("href=\"/anime/{id}\""));
        page.assert_has("dashed: specials and short works");
    }
}

#[tokio::test]
async fn long_story_lines_are_cut_and_circles_end() {
    let mut all = story_line(1..=20);
    let service = Service::with_catalogue(&all, &[]).await;
    let page = service.get("/anime/10").await;
    let ids: Vec<String> = path(&page).into_iter().map(|(_, anime)| anime).collect();
    let nearest = (5..=15).map(|id| id.to_string());
    let expected: Vec<String> = [String::new()]
        .into_iter()
        .chain(nearest)
        .chain([String::new()])
        .collect();
    assert_eq!(ids, expected);
    page.assert_has("Earlier works come before these.");
    page.assert_has("Later works follow these.");
    assert_eq!(
        path(&page)[1].0,
        "–",
        "the number of the first is not known"
    );

    // An anime whose neighbor is not in the catalogue begins its line.
    all.truncate(3);
    all[0].sequel = AnimeId::new(99);
    let service = Service::with_catalogue(&all, &[]).await;
    let page = service.get("/anime/3").await;
    assert_eq!(path(&page), knots(&[("1", "1"), ("2", "2"), ("3", "3")]));
    page.assert_lacks("Earlier works");
    all[2].prequel = AnimeId::new(1);
    let service = Service::with_catalogue(&all, &[]).await;
    let page = service.get("/anime/3").await;
    assert_eq!(path(&page), knots(&[("1", "2"), ("2", "3"), ("3", "1")]));
    page.assert_lacks("Earlier works");
    let alone = Service::with_catalogue(&[anime(1, &[])], &[]).await;
    alone.get("/anime/1").await.assert_lacks("class=\"path\"");
}

#[tokio::test]
async fn titles_are_named_by_language_and_equal_ones_are_listed_once() {
    let mut titles = vec![
        ("fr", "Comet"),
        ("en", "Comet"),
        ("zh", "彗星"),
        ("rj", "Suisei"),
        ("xx", "Unknown"),
        ("pt-BR", "Cometa"),
    ];
    titles.extend(["de", "es", "it", "ko", "nl", "pl", "ru"].map(|code| (code, code)));
    let service = Service::with_catalogue(&[anime(1, &titles)], &[]).await;
    let page = service
        .get_with("/anime/1", &[("accept-language", "en")])
        .await;
    let rows = page.all_between("<th scope=\"row\">", "</td>");
    let rows: Vec<(String, String)> = rows
        .iter()
        .map(|row| (row.before("</th>"), row.after("dir=\"auto\">")))
        .collect();
    let expected = knots(&[
        ("Romaji", "Suisei"),
        ("English, French", "Comet"),
        ("Another language", "Unknown"),
        ("Chinese", "彗星"),
        ("Dutch", "nl"),
        ("German", "de"),
        ("Italian", "it"),
        ("Korean", "ko"),
        ("Polish", "pl"),
        ("Portuguese", "Cometa"),
        ("Russian", "ru"),
        ("Spanish", "es"),
    ]);
    assert_eq!(rows, expected);
    page.assert_has("<summary>4 more titles</summary>");
    let japanese = service
        .get_with("/anime/1", &[("accept-language", "ja")])
        .await;
    japanese.assert_has("<th scope=\"row\">中国語</th><td lang=\"zh\" dir=\"auto\">彗星</td>");
}

#[tokio::test]
async fn next_episode_is_a_day_of_the_visitor() {
    // The anime airs on Wednesdays. The clock stands on a Tuesday at 22:13 UTC.
    let service = full_service().await;
    for (zone, distance) in [
        ("UTC", "tomorrow"),
        ("Asia/Tokyo", "today"),
        ("Etc/Nowhere", "tomorrow"),
    ] {
        let cookie = format!("time_zone={zone}");
        let headers = [("cookie", cookie.as_str()), ("accept-language", "en")];
        let page = service.get_with("/anime/1", &headers).await;
        let next = page.between("Next episode</h2>", "</section>");
        next.assert_has(
            "<time class=\"due\" datetime=\"2023-11-15\">Wednesday, 15 November 2023</time>",
        );
        next.assert_has(&format!("<br>{distance}</p>"));
    }
    service.clock.advance(Duration::from_hours(48));
    let page = service.get("/anime/1").await;
    page.assert_has("<br>in 6 days</p>");
    service.get("/anime/2").await.assert_lacks("Next episode");
}

#[tokio::test]
async fn only_trailers_at_youtube_may_be_put_into_the_page() {
    let frames = "frame-src https://www.youtube-nocookie.com; ";
    for (address, embedded) in [
        (
            "https://www.youtube.com/watch?v=qig4KOK2R2g",
            Some("https://www.youtube-nocookie.com/embed/qig4KOK2R2g?autoplay=1"),
        ),
        ("https://video.example/watch?v=1", None),
    ] {
        let work = Anime {
            trailer_url: Some(address.to_owned()),
            ..full_anime()
        };
        let service = Service::with_catalogue(&[work], &[]).await;
        let page = service.get("/anime/1").await;
        let link = page.between("class=\"trailer\"", "</a>");
        link.assert_has(&format!("href=\"{address}\""));
        let found = link.find_between("data-embed=\"", "\"");
        assert_eq!(found.as_deref(), embedded);
        let policy = page.header("content-security-policy");
        assert_eq!(policy.contains(frames), embedded.is_some(), "{policy}");
        page.assert_lacks("<iframe");
        assert_eq!(
            page.text().matches("youtube.com/").count(),
            usize::from(embedded.is_some())
        );
    }
}

#[tokio::test]
async fn record_changes_the_entry_in_the_head_of_the_page() {
    let service = full_service().await;
    let (_, mut browser) = signed_in(&service, "mitsuha").await;
    let page = browser.get("/anime/1").await;
    let record = page.between("class=\"record\"", "</form>");
    assert_eq!(record.matches("type=\"radio\" name=\"status\"").count(), 6);
    record.assert_lacks("One episode less");
    record.assert_lacks("/list/delete");
    let fields = [
        ("status", "0"),
        ("current_episode", "3"),
        ("score", "90"),
        ("notes", "<b>red</b> string"),
    ];
    let saved = browser.submit(&page, "/list/save", &fields).await;
    saved.assert_leads_to("/anime/1?done=saved&of=1");

    let page = browser.get("/anime/1").await;
    let record = page.between("class=\"record\"", "</form>");
    record.assert_has("&lt;b&gt;red&lt;/b&gt; string</p>");
    record.assert_has("Watched episode 4");
    record.assert_has("<span class=\"of\">/ 12</span>");
    // The button "-" sends the number before, and all other values of the form.
    record.assert_has("name=\"current_episode\" value=\"2\" aria-label=\"One episode less\"");
    let less = [
        ("status", "0"),
        ("current_episode", "3"),
        ("current_episode", "2"),
        ("score", "90"),
        ("notes", "<b>red</b> string"),
    ];
    let saved = browser.submit(&page, "/list/save", &less).await;
    saved.assert_leads_to("/anime/1?done=saved&of=1");
    let page = browser.get("/anime/1").await;
    page.assert_has("Watched episode 3");
    page.assert_has("&lt;b&gt;red&lt;/b&gt; string</p>");
    // The page showed an earlier state.
    let csrf = hidden(&page, "csrf").unwrap();
    let fields = [("csrf", csrf.as_str()), ("entry", "1:")];
    let stale = browser.post("/list/save", &fields).await;
    assert_eq!(stale.status, 409);
    let done = [("status", "2"), ("current_episode", "2")];
    let saved = browser.submit(&page, "/list/save", &done).await;
    saved.assert_leads_to("/anime/1?done=saved&of=1");
    let page = browser.get("/anime/1").await;
    page.assert_lacks("One episode less");
    page.assert_lacks("Watched episode");
    page.assert_has("formaction=\"/list/delete\"");
}

#[tokio::test]
async fn scores_of_users_are_a_chart_with_the_own_bar_in_red() {
    let service = full_service().await;
    for (name, status, score) in [("taki", 2, 95), ("sayaka", 2, 100), ("katsuhiko", 0, 41)] {
        let person = service.person(name).await;
        let details = json!({"score": score});
        let body = json!({"op": "put", "anime_id": 1, "status": status, "details": details});
        service.change_stories(&person, &[body]).await;
    }
    let counted = count_community(&service.database(), u64::MAX).await;
    assert_eq!(counted.unwrap(), Some(1));
    let page = service.get("/anime/1").await;
    let section = page.between("Scores on Kiroku</h2>", "</section>");
    section.assert_has("aria-label=\"3 scores. The most common are between 90 and 100.\"");
    section.assert_has("3 users have it on their lists. The average score is ");
    let bars: Vec<String> = section.all_between("<text class=\"v\"", "</text>");
    let counts: Vec<String> = bars.iter().map(|bar| bar.after(">")).collect();
    assert_eq!(counts, ["0", "0", "0", "0", "1", "0", "0", "0", "0", "2"]);
    section.assert_lacks("class=\"mine\"");

    let (person, mut browser) = signed_in(&service, "mitsuha").await;
    let body = json!({"op": "put", "anime_id": 1, "status": 2, "details": {"score": 50}});
    service.change_stories(&person, &[body]).await;
    let page = browser.get("/anime/1").await;
    page.assert_has("yours in red");
    let section = page.between("Scores on Kiroku</h2>", "</section>");
    section.assert_has("<rect class=\"mine\" x=\"131\"");
    assert_eq!(section.matches("class=\"mine\"").count(), 1);
    section.assert_has("Completed</span> <b class=\"num\">2</b>");
    browser
        .get("/anime/2")
        .await
        .assert_lacks("Scores on Kiroku");
}

#[tokio::test]
async fn related_anime_are_in_their_order() {
    let service = full_service().await;
    let page = service.get("/anime/1").await;
    // In the API, `sequel` is the preceding anime, and `prequel` the following one.
    assert_eq!(path(&page), knots(&[("1", "2"), ("2", "1"), ("3", "3")]));
    // The best rated recommendation comes first. One that the catalogue no longer has is left out.
    assert_eq!(shown(&page), [5, 4]);
    page.assert_lacks("class=\"add\"");
    let (_, mut browser) = signed_in(&service, "mitsuha").await;
    let page = browser.get("/anime/1").await;
    // All four can be put on the list, and lead back.
    assert_eq!(page.text().matches("<details class=\"add\">").count(), 4);
    let form = page.between("<form id=\"quick\"", "</form>");
    form.assert_has("name=\"back\" value=\"/anime/1\"");
}

#[tokio::test]
async fn titles_and_descriptions_are_in_the_language_of_the_account_and_then_the_browser() {
    let service = full_service().await;
    let (person, mut browser) = signed_in(&service, "mitsuha").await;
    let heading = |page: &str| page.between("<h1 itemprop=\"name\">", "</h1>");
    set_language(&service, &person, "fr").await;
    let page = browser.get("/anime/1").await.text();
    page.assert_has("<html lang=\"fr\">");
    assert_eq!(
        heading(&page),
        "<span lang=\"fr\" dir=\"auto\">Ta comète</span>"
    );
    page.assert_has("Deux élèves échangent leurs corps.");
    page.assert_has("4 octobre 2023");
    page.assert_has("noté <b>87,5</b>");
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
    bare.assert_lacks("0 episodes");
    bare.assert_lacks("scored");
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
