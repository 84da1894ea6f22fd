//! The page `/statistics`.

use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId, Score};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::made_up::{self, titled_anime};
use tests::people::Person;
use tests::service::Service;

use super::list::{put, with_user};
use super::{assert_rounds, linked, numbers_after, section, set_language};

/// Returns a service with 40 anime, and a user with a story about each.
async fn service_with_stories() -> (Service, Person) {
    let mut catalogue = made_up::anime(40, 5);
    for anime in &mut catalogue {
        anime.episodes_count = 12;
    }
    let (service, person) = with_user(&catalogue).await;
    for (anime, position) in catalogue.iter().zip(0_u64..) {
        let more = json!({
            "status": position % 6, "current_episode": position % 12,
            "details": {
                "score": (position % 11) * 10, "private": position % 2 == 0,
                "finished_on": format!("2023-{:02}", position % 12 + 1),
            },
        });
        put(&service, &person, anime.id.get(), 0, &more).await;
    }
    (service, person)
}

/// Returns the cells of the tables of a page, by the identifiers of their sections.
fn rows(page: &str, section: &str) -> Vec<Vec<String>> {
    let section = page.after(&format!("<h2 id=\"{section}\">"));
    let body = section.between("<tbody>", "</tbody>");
    let cells = |row: &str| {
        // The cell with the bar has no number.
        let cells = row.split("<t").skip(1);
        let cells = cells.filter(|cell| !cell.contains("<svg"));
        cells.map(|cell| cell.between(">", "<")).collect()
    };
    body.split("<tr>").skip(1).map(cells).collect()
}

/// The page shows the numbers of the API. Both count private stories for their owner.
#[tokio::test]
async fn page_has_the_numbers_of_the_api() {
    let (service, person) = service_with_stories().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/statistics").await;
    assert_eq!(page.status, 200);
    let page = page.text();
    let path = format!("/v1/user/{}/statistics", person.id.get());
    let expected = service.get_as(&person.token, &path).await.data();
    let number = |value: &Value| {
        value
            .as_f64()
            .map_or("–".to_owned(), |number| number.to_string())
    };
    let column = |section: &str, position: usize| -> Vec<String> {
        rows(&page, section)
            .into_iter()
            .map(|row| row[position].clone())
            .collect()
    };
    let values = |list: &str, field: &str| -> Vec<String> {
        let list = expected[list].as_array().unwrap().iter();
        // Some of the anime have the year 0, which is not among the latest 40 years.
        let is_shown = |entry: &&Value| entry["year"] != 0;
        let shown = list.filter(is_shown);
        shown.map(|entry| number(&entry[field])).collect()
    };
    let statuses = section(&page, "statuses").unwrap();
    let expected_counts = values("statuses", "stories");
    let counts = statuses.all_between("<span class=\"num\">", "<");
    assert_eq!(counts, expected_counts, "each status has a story");
    assert_eq!(column("scores", 1), values("scores", "stories"));
    for (section, field) in [
        (1, "stories"),
        (2, "episodes"),
        (3, "hours"),
        (4, "mean_score"),
    ] {
        assert_eq!(column("genres", section), values("genres", field));
        assert_eq!(column("formats", section), values("formats", field));
        // The page begins with the earliest year or month.
        let reversed = |list: &str| values(list, field).into_iter().rev().collect::<Vec<_>>();
        assert_eq!(column("years", section), reversed("years"));
        assert_eq!(column("months", section), reversed("months"));
    }
    let years = values("years", "year")
        .into_iter()
        .rev()
        .collect::<Vec<_>>();
    assert_eq!(column("years", 0), years);
    assert_eq!(column("months", 0)[0], "January 2023");
    assert_eq!(column("scores", 0)[0], "0–10");
    assert_eq!(column("scores", 0)[1], "11–20");
    let hours = number(&expected["hours"]);
    page.assert_has(&format!("<dt>Hours</dt><dd>{hours}</dd>"));
    let ids = page.all_between(" id=\"", "\"");
    let different: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(different.len(), ids.len(), "{ids:?}");
    assert!(page.len() < 60_000, "{}", page.len());
}

#[tokio::test]
async fn statistics_of_an_empty_list_say_so() {
    let (service, _) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/statistics").await.text();
    page.assert_has("Your list is empty.");
    page.assert_lacks("<table");
}

#[tokio::test]
async fn signed_out_visitors_sign_in_first() {
    let service = Service::empty().await;
    let forged = "__Host-session=1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for cookie in ["", forged] {
        let answer = service.get_with("/statistics", &[("cookie", cookie)]).await;
        answer.assert_leads_to("/sign-in?next=/statistics");
    }
}

#[tokio::test]
async fn current_statistics_are_read_in_one_round() {
    let (service, person) = service_with_stories().await;
    let (service, rounds) = service.with_rounds();
    let mut browser = PageClient::signed_in(&service, &person).await;
    service.clock.advance(std::time::Duration::from_mins(1));
    for _ in 0..2 {
        assert_eq!(browser.get("/statistics").await.status, 200);
    }
    assert_rounds(&mut browser, &rounds, "/statistics", 1).await;
}

/// Returns the statistics page of a user with completed anime of these years and dates.
async fn page_of(stories: &[(u16, &str)]) -> String {
    let anime = |(id, (year, _)): (u64, &(u16, &str))| Anime {
        season_year: Some(*year),
        episodes_count: 1,
        ..Anime::new(AnimeId::new(id).unwrap(), AnimeFormat::Tv)
    };
    let catalogue: Vec<Anime> = (1..).zip(stories).map(anime).collect();
    let (service, person) = with_user(&catalogue).await;
    for (anime, (_, finished_on)) in catalogue.iter().zip(stories) {
        let more = json!({"current_episode": 1, "details": {"finished_on": finished_on}});
        put(&service, &person, anime.id.get(), 2, &more).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    browser.get("/statistics").await.text()
}

/// Returns the positions of the columns in the chart of a section.
fn columns(page: &str, section: &str) -> Vec<u64> {
    let section = page.between(&format!("<h2 id=\"{section}\">"), "</section>");
    numbers_after(&section, "<rect x=\"")
}

/// Returns the labels of the rows in the table of a section.
fn labels(page: &str, section: &str) -> Vec<String> {
    let rows = rows(page, section).into_iter();
    rows.map(|row| row[0].clone()).collect()
}

/// Returns the texts below and above the columns of a section.
fn drawn_texts(page: &str, section: &str) -> Vec<String> {
    let section = page.after(&format!("<h2 id=\"{section}\">"));
    let drawing = section.between("<svg", "</svg>");
    let texts = drawing.split("<text ").skip(1);
    texts.map(|text| text.between(">", "<")).collect()
}

/// A chart of years has 40 years, and one of months 36 months. The tables have only those with stories.
#[tokio::test]
async fn columns_stand_at_their_true_distance() {
    let page = page_of(&[
        (1971, "2018-12"),
        (1998, "2019-11-30"),
        (1999, "2019-12"),
        (2002, "2020-02"),
        (2011, "2022-10"),
        (2011, "2021"),
        (2011, "2018"),
    ])
    .await;
    // The chart has 14 years, each of which takes 44 of 620 units.
    assert_eq!(columns(&page, "years"), [0, 44, 176, 572]);
    assert_eq!(labels(&page, "years"), ["1998", "1999", "2002", "2011"]);
    let texts = ["1", "1998", "1", "1999", "1", "2002", "3", "2011"];
    assert_eq!(drawn_texts(&page, "years"), texts);
    // The chart has 36 months, each of which takes 17 units. The completion in 2021 has no column.
    assert_eq!(columns(&page, "months"), [0, 17, 51, 595]);
    let expected = [
        "November 2019",
        "December 2019",
        "February 2020",
        "2021",
        "October 2022",
    ];
    assert_eq!(labels(&page, "months"), expected);
    let years = ["2019", "2020", "2022"];
    assert_eq!(drawn_texts(&page, "months"), years);
}

#[tokio::test]
async fn years_without_a_month_are_not_drawn_as_months() {
    let page = page_of(&[(1971, "2003"), (2011, "2021")]).await;
    assert_eq!(columns(&page, "years"), [0]);
    assert_eq!(columns(&page, "months"), Vec::<u64>::new());
    assert_eq!(labels(&page, "months"), ["2021"]);
    section(&page, "months").unwrap().assert_lacks("<svg");
}

/// Returns an anime with this average score.
fn scored(id: u64, average: f64, genre: &str) -> Anime {
    Anime {
        score: Score::new(average).unwrap(),
        episodes_count: 1,
        genres: vec![genre.to_owned()],
        ..titled_anime(id, "rj", &format!("Anime {id}"))
    }
}

/// The scores of the user are shown beside the average scores of the same anime.
#[tokio::test]
async fn own_scores_are_compared_with_the_average() {
    let catalogue = [
        scored(1, 92.25, "Drama"),
        scored(2, 75.0, "Drama"),
        scored(3, 71.0, "Comedy"),
        scored(4, 0.0, "Comedy"),
    ];
    let (service, person) = with_user(&catalogue).await;
    for (anime, score) in [(1, 80.0), (2, 91.0), (3, 70.0), (4, 10.0)] {
        let more = json!({"current_episode": 1, "details": {"score": score}});
        put(&service, &person, anime, 2, &more).await;
    }
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/statistics").await.text();
    // A difference of 1 is no disagreement, and an anime without scores has no average.
    let shown = section(&page, "disagreements").unwrap();
    assert_eq!(linked(&shown), [2, 1], "the largest difference first");
    shown.assert_has("<p>16 above the average</p>");
    shown.assert_has("<p>12 below the average</p>");
    shown.assert_has("91 <span class=\"soft\">/ 75</span>");
    let genres = rows(&page, "genres");
    let of = |genre: &str| genres.iter().find(|row| row[0] == genre).unwrap().clone();
    assert_eq!(of("Drama")[4..], ["85.5", "83.63"]);
    assert_eq!(of("Comedy")[4..], ["40", "71"]);
    let scores = rows(&page, "scores");
    // Two averages are above 70 up to 80, and one is above 90.
    assert_eq!(scores[7], ["71–80", "1", "2"]);
    assert_eq!(scores[9], ["91–100", "1", "1"]);
    let chart = section(&page, "scores").unwrap();
    assert_eq!(chart.matches("<rect class=\"all\"").count(), 10);
}

#[tokio::test]
async fn days_of_the_last_year_are_drawn() {
    let page = page_of(&[
        (2011, "2023-11-14"),
        (2011, "2023-11-14"),
        (2011, "2023-05-03"),
        (2011, "2022-11-15"),
        // A day before the last 365 days, a day in the future, and dates without a day.
        (2011, "2022-11-14"),
        (2011, "2023-11-15"),
        (2011, "2023-05"),
        (2011, "2023"),
    ])
    .await;
    let shown = section(&page, "days").unwrap();
    shown.assert_has("4 anime finished; the most on one day: 2, on 14 November 2023");
    let squares = |level: usize| {
        let path = shown.find_between(&format!("<path class=\"q{level}\" d=\""), "\"");
        path.map_or(0, |path| path.matches('M').count())
    };
    let levels = [0, 1, 2, 3, 4].map(squares);
    assert_eq!(levels, [362, 2, 1, 0, 0]);
    // Monday is the first row, so this Tuesday is the second square of the last column.
    let last = shown.between("<path class=\"q2\" d=\"", "h");
    assert_eq!(last, "M966 36");
    for text in [">Mon<", ">Sun<", ">Nov<", ">Dec<"] {
        shown.assert_has(text);
    }
    let page = page_of(&[(2011, "2021-11-14")]).await;
    assert_eq!(section(&page, "days"), None);
}

#[tokio::test]
async fn genres_are_in_the_language_of_the_page() {
    let (service, person) = with_user(&[scored(1, 80.0, "Slice of Life")]).await;
    let more = json!({"current_episode": 1});
    put(&service, &person, 1, 2, &more).await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    for (language, genre) in [
        ("en", "Slice of life"),
        ("fr", "Tranche de vie"),
        ("jp", "日常"),
    ] {
        set_language(&service, &person, language).await;
        let page = browser.get("/statistics").await.text();
        assert_eq!(labels(&page, "genres"), [genre]);
    }
}
