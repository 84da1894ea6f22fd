//! The page `/anime`: filters, orders, groups of a season and pages; and `/anime/random`.

use serde_json::json;
use shared::models::{Anime, AnimeFormat, AnimeStatus, Score, Season};
use stories::lists::count_community;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::made_up::{self, titled_anime};
use tests::service::Service;

use super::review::text;

/// Returns the identifiers of the anime that a page shows as cards, in the order of the page.
fn shown(page: &str) -> Vec<u64> {
    let cards = page.split("<li class=\"card\">").skip(1);
    let ids = cards.map(|card| card.between("href=\"/anime/", "\"").parse().unwrap());
    ids.collect()
}

fn anime(id: u64, title: &str) -> Anime {
    titled_anime(id, "en", title)
}

/// Returns an anime of fall 2023 with this format and score.
fn of_season(id: u64, format: AnimeFormat, score: f64) -> Anime {
    Anime {
        format,
        score: Score::new(score).unwrap(),
        season_period: Season::Fall,
        season_year: Some(2023),
        ..anime(id, &format!("Anime {id}"))
    }
}

/// Returns a service with 120 finished anime that are not for adults.
async fn with_three_pages() -> Service {
    let mut catalogue = made_up::anime(120, 7);
    for anime in &mut catalogue {
        (anime.nsfw, anime.status) = (false, AnimeStatus::Finished);
    }
    Service::with_catalogue(&catalogue, &[]).await
}

#[tokio::test]
async fn browsing_takes_the_filters_of_the_api() {
    let mut catalogue = made_up::anime(200, 7);
    for anime in &mut catalogue {
        anime.nsfw = false;
    }
    let service = Service::with_catalogue(&catalogue, &[]).await;
    for query in [
        "",
        "status=0",
        "year=1998",
        "formats=0&with_episodes=true",
        "genres=Drama&genres=Sports",
        "search=star",
        "title=blue",
    ] {
        let page = text(&service, &format!("/anime?{query}")).await;
        let listed = service.get(&format!("/v1/anime?per_page=42&{query}")).await;
        assert_eq!(shown(&page), listed.ids(), "{query}");
        let total = listed.header("x-total-count");
        page.assert_has(&format!("<span class=\"soft\">{total} anime</span>"));
    }
    // A season has all its anime in groups.
    let query = "season=1&year=1998";
    let mut page = shown(&text(&service, &format!("/anime?{query}")).await);
    let mut listed = service.get(&format!("/v1/anime?{query}")).await.ids();
    page.sort_unstable();
    listed.sort_unstable();
    assert_eq!(page, listed);
}

#[tokio::test]
async fn empty_fields_of_the_form_are_not_filters() {
    let releasing = Anime {
        status: AnimeStatus::Releasing,
        ..anime(1, "Your Comet")
    };
    let service = Service::with_catalogue(&[releasing, anime(2, "Weather")], &[]).await;
    let page = text(
        &service,
        "/anime?search=&formats=&status=1&season=&year=&with_episodes=&score=&sort=",
    )
    .await;
    assert_eq!(shown(&page), [1]);
    page.assert_has("<option value=\"1\" selected>Airing</option>");
}

#[tokio::test]
async fn pages_are_numbered_and_keep_the_filters() {
    let service = with_three_pages().await;
    let first = text(&service, "/anime?status=0&search=").await;
    first.assert_has("Page 1 of 3");
    first.assert_has("<a href=\"/anime?status=0\" aria-current=\"page\">1</a>");
    first.assert_has("<a href=\"/anime?status=0&amp;page=3\">3</a>");
    first.assert_has("<a href=\"/anime?status=0&amp;page=2\" rel=\"next\" aria-label=\"Next\">");
    let mut all = shown(&first);
    for page in ["2", "3"] {
        all.extend(shown(
            &text(&service, &format!("/anime?status=0&page={page}")).await,
        ));
    }
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 120);
}

#[tokio::test]
async fn page_after_the_last_one_is_the_last_one() {
    let service = with_three_pages().await;
    for query in ["status=0", "status=0&sort=title"] {
        let last = text(&service, &format!("/anime?{query}&page=3")).await;
        for page in ["4", "99999", "9007199254740991"] {
            let beyond = text(&service, &format!("/anime?{query}&page={page}")).await;
            assert_eq!(shown(&beyond), shown(&last), "{query} {page}");
            beyond.assert_has("Page 3 of 3");
        }
        assert_eq!(shown(&last).len(), 36);
    }
}

#[tokio::test]
async fn typing_errors_are_forgiven() {
    let service =
        Service::with_catalogue(&[anime(1, "Your Comet"), anime(2, "Weather")], &[]).await;
    let page = text(&service, "/anime?search=your+comte").await;
    assert_eq!(shown(&page), [1]);
    page.assert_has("<span lang=\"en\" dir=\"auto\">Your Comet</span>");
    page.assert_has("value=\"your comte\"");
    page.assert_has("<title>Search: your comte - Kiroku</title>");
}

/// No sentence has the words of the API.
#[tokio::test]
async fn invalid_filters_are_ignored_and_named_in_the_language_of_the_visitor() {
    let service =
        Service::with_catalogue(&[anime(1, "Your Comet"), anime(2, "Weather")], &[]).await;
    let ignored = "this value is not possible, so it is ignored.";
    for (query, fields) in [
        ("year=soon", &["Year"][..]),
        ("search=%21%3F&season=9", &["Search", "Season"]),
        ("search=%FF", &["Search"]),
        ("score=101", &["Score from"]),
        ("unlisted=perhaps", &["Not on my list"]),
        ("tracker_b_id=x", &["tracker_b_id"]),
        ("page=0", &[]),
    ] {
        let page = text(&service, &format!("/anime?{query}")).await;
        assert_eq!(shown(&page), [1, 2], "{query}");
        assert_eq!(page.matches(ignored).count(), fields.len(), "{query}");
        for field in fields {
            page.assert_has(&format!("<li>{field}: {ignored}</li>"));
        }
        page.assert_lacks("must be");
    }
    let french = [("accept-language", "fr")];
    let page = service.get_with("/anime?year=soon", &french).await.text();
    page.assert_has("Année\u{202f}: cette valeur n’est pas possible");
}

#[tokio::test]
async fn adult_titles_are_shown_on_demand_only() {
    let adult = Anime {
        nsfw: true,
        score: Score::new(100.0).unwrap(),
        ..anime(2, "Adult")
    };
    let service = Service::with_catalogue(&[anime(1, "Safe"), adult], &[]).await;
    assert_eq!(shown(&text(&service, "/anime").await), [1]);
    assert_eq!(shown(&text(&service, "/").await), [1]);
    let page = text(&service, "/anime?adult=true").await;
    assert_eq!(shown(&page), [2, 1]);
    page.assert_has("<a class=\"on\" href=\"/anime\" aria-label=\"Show titles for adults – remove this filter\">");
    for _ in 0..10 {
        let random = service.get("/anime/random").await;
        assert_eq!(random.status, 303);
        random.assert_leads_to("/anime/1");
    }
    text(&service, "/anime/2").await.assert_has("For adults");
}

#[tokio::test]
async fn random_without_anime_leads_to_the_list() {
    let service = Service::empty().await;
    let random = service.get("/anime/random").await;
    random.assert_leads_to("/anime");
    let page = text(&service, "/anime").await;
    assert_eq!(shown(&page), Vec::<u64>::new());
    page.assert_has("No anime matches.");
    assert_eq!(service.get("/").await.status, 200);
}

#[tokio::test]
async fn empty_results_lead_to_other_searches() {
    let service = Service::with_catalogue(&[anime(1, "Your Comet")], &[]).await;
    let page = text(&service, "/anime?search=nosuchanime&status=1").await;
    for link in [
        "<a href=\"/anime?search=nosuchanime\">Clear all filters</a>",
        "<a href=\"/song?search=nosuchanime\">Search the songs</a>",
        "<a href=\"/anime/random\">Random</a>",
    ] {
        page.assert_has(link);
    }
    let page = text(&service, "/anime?year=1950").await;
    page.assert_lacks("Search the songs");
}

/// The links to studios and tags on the page of an anime lead to the list, whose form has the same names.
#[tokio::test]
async fn active_filters_are_links_that_remove_them() {
    let full = Anime {
        genres: vec!["Drama".to_owned(), "Sci-Fi".to_owned()],
        studios: vec!["J.C.Staff".to_owned(), "feel.".to_owned()],
        tags: vec!["drama".to_owned(), "body swapping".to_owned()],
        ..anime(1, "Your Comet")
    };
    let service = Service::with_catalogue(&[full, anime(2, "Weather")], &[]).await;
    let count = async |query: &str| {
        let page = text(&service, &format!("/anime?{query}")).await;
        (shown(&page).len(), page)
    };
    let (found, page) = count("studios=J%2EC%2EStaff").await;
    assert_eq!(found, 1, "{page}");
    page.assert_has("name=\"studios\" maxlength=\"500\" autocomplete=\"off\" value=\"J.C.Staff\"");
    page.assert_has("href=\"/anime\" aria-label=\"Studio: J.C.Staff – remove this filter\">Studio: J.C.Staff<svg");
    let (found, page) = count("studios=FEEL&tags=body+swapping,nothing").await;
    assert_eq!(found, 1, "{page}");
    page.assert_has("value=\"body swapping, nothing\"");
    for link in [
        "href=\"/anime?tags=body+swapping,nothing\" aria-label=\"Studio: FEEL – remove this filter\">",
        "href=\"/anime?studios=FEEL&amp;tags=nothing\" aria-label=\"Tag: body swapping – remove this filter\">",
        "<a href=\"/anime\">Clear all filters</a>",
    ] {
        page.assert_has(link);
    }
    let (found, page) = count("search=comet&genres=Drama,Sci-Fi&status=0&formats=0").await;
    assert_eq!(found, 1, "{page}");
    for link in [
        "<a class=\"on\" href=\"/anime?search=comet&amp;genres=Drama,Sci-Fi&amp;formats=0\" aria-label=\"Finished – ",
        "<a class=\"on\" href=\"/anime?search=comet&amp;status=0&amp;formats=0&amp;genres=Drama\" \
         aria-label=\"Science fiction – remove this filter\">Science fiction<svg",
        "<a href=\"/anime?search=comet\">Clear all filters</a>",
    ] {
        page.assert_has(link);
    }
    assert_eq!(count("studios=J.C.").await.0, 0);
    let (all, page) = count("").await;
    assert_eq!(count("studios=&tags=").await.0, all);
    page.assert_lacks("remove this filter");
}

#[tokio::test]
async fn genres_and_low_scores_can_be_left_out() {
    let with_genres = |id, genres: &[&str], score| Anime {
        genres: genres.iter().map(|genre| (*genre).to_owned()).collect(),
        score: Score::new(score).unwrap(),
        ..anime(id, &format!("Anime {id}"))
    };
    let catalogue = [
        with_genres(1, &["Drama", "Horror"], 90.0),
        with_genres(2, &["Drama"], 75.0),
        with_genres(3, &["Ecchi"], 74.99),
        with_genres(4, &[], 0.0),
    ];
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let list = async |query: &str| shown(&text(&service, &format!("/anime?{query}")).await);
    assert_eq!(list("without=Horror").await, [2, 3, 4]);
    assert_eq!(list("without=Horror,Ecchi").await, [2, 4]);
    // Only whole names count.
    assert_eq!(list("without=Dra").await, [1, 2, 3, 4]);
    assert_eq!(list("score=75").await, [1, 2]);
    assert_eq!(list("score=75&without=Horror&genres=Drama").await, [2]);
    assert_eq!(
        list("search=anime&without=Horror&without=Drama").await,
        [3, 4]
    );
    let page = text(&service, "/anime?without=Ecchi&score=80").await;
    page.assert_has(
        "<a class=\"not\" href=\"/anime?score=80\" aria-label=\"without Ecchi – remove this filter\">\
         <span>without <s>Ecchi</s></span>",
    );
    page.assert_has("Score from 80<svg");
    page.assert_has("name=\"without\" value=\"Ecchi\" checked");
    // Genres besides those of the form are translated, too. One that no source has keeps its name.
    let french = [("accept-language", "fr")];
    let page = service.get_with("/anime?without=Martial+Arts&genres=Unheard+Of", &french);
    let page = page.await.text();
    page.assert_has("<span>sans <s>Arts martiaux</s></span>");
    page.assert_has("Unheard Of<svg");
}

#[tokio::test]
async fn anime_are_sorted() {
    let sorted = |id, title: &str, score, year, season, episodes_count| Anime {
        score: Score::new(score).unwrap(),
        season_year: year,
        season_period: season,
        episodes_count,
        titles: [
            ("en".to_owned(), title.to_owned()),
            ("fr".to_owned(), format!("{}", 9 - id)),
        ]
        .into(),
        ..anime(id, title)
    };
    let catalogue = [
        sorted(1, "Beta star", 50.0, Some(2020), Season::Fall, 12),
        sorted(2, "alpha star", 90.0, Some(2020), Season::Winter, 24),
        sorted(3, "Gamma", 70.0, None, Season::Unknown, 1),
        sorted(4, "Delta star star", 60.0, Some(2022), Season::Spring, 24),
    ];
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let english = [("accept-language", "en")];
    let list = async |query: &str| {
        let page = service
            .get_with(&format!("/anime?{query}"), &english)
            .await
            .text();
        shown(&page)
    };
    assert_eq!(list("").await, [2, 3, 4, 1]);
    assert_eq!(list("sort=newest").await, [4, 1, 2, 3]);
    assert_eq!(list("sort=title").await, [2, 1, 4, 3]);
    assert_eq!(list("sort=episodes").await, [2, 4, 1, 3]);
    assert_eq!(list("search=star&sort=score").await, [2, 4, 1]);
    // An unknown order, and the order of a list that a visitor does not have, are the usual one.
    assert_eq!(list("sort=worst").await, [2, 3, 4, 1]);
    assert_eq!(list("sort=mine").await, [2, 3, 4, 1]);
    let french = [("accept-language", "fr")];
    let page = service.get_with("/anime?sort=title", &french).await.text();
    assert_eq!(shown(&page), [4, 3, 2, 1]);
    page.assert_has("<option value=\"title\" selected>Titre</option>");
    page.assert_lacks("value=\"mine\"");
}

/// The counts are published once a day, and only of anime that several users have.
#[tokio::test]
async fn anime_that_many_users_have_come_first() {
    let catalogue = [anime(1, "One"), anime(2, "Two"), anime(3, "Three")];
    let service = Service::with_catalogue(&catalogue, &[]).await;
    for name in ["mitsuha", "taki", "sayaka"] {
        let person = service.person(name).await;
        let created = service.create_story(&person, &catalogue[1], 0).await;
        created.assert_status(200);
    }
    let counted = count_community(&service.database(), u64::MAX).await;
    assert_eq!(counted.unwrap(), Some(1));
    let page = text(&service, "/anime?sort=popularity").await;
    assert_eq!(shown(&page), [2, 1, 3]);
}

#[tokio::test]
async fn season_has_groups_and_leads_to_the_seasons_around_it() {
    let catalogue = [
        of_season(1, AnimeFormat::Movie, 99.0),
        of_season(2, AnimeFormat::Tv, 60.0),
        of_season(3, AnimeFormat::Tv, 80.0),
        of_season(4, AnimeFormat::Ona, 70.0),
        anime(5, "Of no season"),
    ];
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let page = text(&service, "/anime?season=3&year=2023&status=0&page=7").await;
    assert_eq!(shown(&page), [3, 2, 4, 1]);
    for part in [
        "<title>Fall 2023 - Kiroku</title>",
        "<h1><span class=\"kan\" lang=\"ja\" aria-hidden=\"true\">秋</span>Fall 2023</h1>",
        "href=\"/anime?season=2&amp;year=2023&amp;status=0\" rel=\"prev\"",
        "href=\"/anime?season=0&amp;year=2024&amp;status=0\" rel=\"next\"",
        "<a href=\"/anime\">All anime</a>",
        "<meta property=\"og:title\" content=\"Fall 2023\">",
        "<link rel=\"canonical\" href=\"https://kiroku.test/anime?season=3&amp;year=2023&amp;status=0\">",
    ] {
        page.assert_has(part);
    }
    let headings = page.all_between("<h2>", "</h2>");
    assert_eq!(headings, ["TV series", "ONA", "Movies"]);
    page.assert_has("<h2>TV series</h2><span class=\"soft\">2</span>");
    // The heading is the season, so it is no chip.
    page.assert_lacks("aria-label=\"2023 – remove");
    let sorted = text(&service, "/anime?season=3&year=2023&sort=score").await;
    assert_eq!(shown(&sorted), [1, 3, 4, 2]);
    assert_eq!(sorted.all_between("<h2>", "</h2>"), ["Results"]);
    let year = text(&service, "/anime?year=2023").await;
    year.assert_has("aria-label=\"2023 – remove this filter\"");
    year.assert_has("href=\"/anime?season=3&amp;year=2023\">This season</a>");
}

/// The groups follow each other over the pages of a long season.
#[tokio::test]
async fn pages_of_a_season_go_through_its_groups() {
    let films = (1..=30).map(|id| of_season(id, AnimeFormat::Movie, 90.0));
    let series = (31..=80).map(|id| of_season(id, AnimeFormat::Tv, 50.0));
    let catalogue: Vec<Anime> = films.chain(series).collect();
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let season = "/anime?season=3&year=2023";
    let first = text(&service, season).await;
    assert_eq!(first.all_between("<h2>", "</h2>"), ["TV series"]);
    let second = text(&service, &format!("{season}&page=2")).await;
    assert_eq!(second.all_between("<h2>", "</h2>"), ["TV series", "Movies"]);
    second.assert_has("<h2>Movies</h2><span class=\"soft\">30</span>");
    let all: Vec<u64> = shown(&first).into_iter().chain(shown(&second)).collect();
    assert_eq!(all, (31..=80).chain(1..=30).collect::<Vec<u64>>());
}

#[tokio::test]
async fn visitor_who_is_signed_in_leaves_out_the_own_list_and_sorts_by_the_own_score() {
    let catalogue = [anime(1, "One"), anime(2, "Two"), anime(3, "Three")];
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    for (number, score) in [(2, 60), (3, 80)] {
        let body = json!({
            "user_id": person.id, "anime_id": number, "status": 1, "current_episode": 0,
            "details": {"score": score},
        });
        let created = service.put_as(&person.token, "/v1/user_story", &body);
        let created = created.await;
        created.assert_status(200);
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/anime").await.text();
    assert_eq!(shown(&page), [1, 2, 3]);
    page.assert_has("3 anime, 2 on your list");
    page.assert_has("value=\"mine\"");
    let unlisted = browser.get("/anime?unlisted=true").await.text();
    assert_eq!(shown(&unlisted), [1]);
    unlisted.assert_has("aria-label=\"Not on my list – remove this filter\"");
    let mine = browser.get("/anime?sort=mine").await.text();
    assert_eq!(shown(&mine), [3, 2, 1]);
    // Other visitors have no list.
    let page = text(&service, "/anime?unlisted=true").await;
    assert_eq!(shown(&page), [1, 2, 3]);
    page.assert_lacks("Not on my list");
}

#[tokio::test]
async fn cards_have_the_seal_and_the_actions_of_the_visitor() {
    let catalogue = [anime(1, "Your Comet"), anime(2, "Weather")];
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    let created = service.create_story(&person, &catalogue[0], 0).await;
    created.assert_status(200);
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/anime?status=0&page=1").await.text();
    assert_eq!(page.matches("class=\"seal watch\"").count(), 1, "{page}");
    page.assert_has("<span class=\"unseen\">Watching</span>");
    assert_eq!(page.matches("<details class=\"add\">").count(), 2);
    let form = page.between("<form id=\"quick\"", "</form>");
    form.assert_has("name=\"back\" value=\"/anime?status=0\"");
    // A button without script leads back to the page.
    let button = page.all_between(
        "<button class=\"plan\" form=\"quick\" name=\"status\" value=\"",
        "\"",
    );
    let answer = browser
        .post(
            "/list/status",
            &[
                ("csrf", &form.between("name=\"csrf\" value=\"", "\"")),
                ("back", "/anime?status=0"),
                ("status", &button[1]),
            ],
        )
        .await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    let back = answer.header("location").to_owned();
    let page = browser.get_with_notice(&back).await.text();
    assert_eq!(page.matches("class=\"seal plan\"").count(), 1, "{page}");
    page.assert_has("class=\"notice");
    page.assert_lacks("value=\"/anime?status=0&amp;done");
    // Others do not see the status. The cookie names the user, but belongs to no session.
    let other = service.person("taki").await;
    let mut other = PageClient::signed_in(&service, &other).await;
    let others = other.get("/anime").await.text();
    assert_eq!(others.matches("<details class=\"add\">").count(), 2);
    others.assert_lacks("<span class=\"unseen\">Planned</span>");
    let forged = [(
        "cookie",
        "__Host-session=1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    )];
    let forged = service.get_with("/anime?unlisted=true", &forged).await;
    forged.text().assert_lacks("class=\"seal");
    // Visitors without a session see neither status nor actions.
    let page = text(&service, "/anime").await;
    page.assert_lacks("<details class=\"add\">");
    page.assert_lacks("class=\"seal");
    assert_eq!(shown(&page), [1, 2]);
    page.assert_has("href=\"/anime/1\" tabindex=\"-1\" aria-hidden=\"true\">");
}

/// Cards with actions are also below the limit of 100,000 bytes.
#[tokio::test]
async fn list_of_a_visitor_who_is_signed_in_is_small() {
    let mut catalogue = made_up::anime(60, 3);
    for anime in &mut catalogue {
        let title = |code: &str| {
            (
                code.to_owned(),
                format!("{code} {}", "長い題名 ".repeat(12)),
            )
        };
        anime.titles = ["en", "jp", "rj"].map(title).into();
        anime.nsfw = false;
    }
    let service = Service::with_catalogue(&catalogue, &[]).await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/anime").await;
    assert_eq!(shown(&page.text()).len(), 42);
    assert!(page.body.len() < 100_000, "{}", page.body.len());
}
