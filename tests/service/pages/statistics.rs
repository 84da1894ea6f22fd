//! The page `/statistics`.

use serde_json::{Value, json};
use shared::models::{Anime, AnimeFormat, AnimeId};
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::made_up;
use tests::people::Person;
use tests::service::Service;

use super::list::{put, with_user};
use super::{assert_rounds, numbers_after};

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
        let cells = row.split("<t").skip(1);
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
    assert_eq!(column("statuses", 1), values("statuses", "stories"));
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

/// Returns the labels below the columns of a section.
fn axis(page: &str, section: &str) -> Vec<String> {
    let section = page.after(&format!("<h2 id=\"{section}\">"));
    let axis = section.between("<p class=\"axis\"", "</p>");
    axis.all_between("<span>", "<")
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
    // The chart has 14 years, each of which takes 28 of 400 units.
    assert_eq!(columns(&page, "years"), [0, 28, 112, 364]);
    assert_eq!(labels(&page, "years"), ["1998", "1999", "2002", "2011"]);
    assert_eq!(axis(&page, "years"), ["1998", "2011"]);
    // The chart has 36 months, each of which takes 11 units. The completion in 2021 has no column.
    assert_eq!(columns(&page, "months"), [0, 11, 33, 385]);
    let expected = [
        "November 2019",
        "December 2019",
        "February 2020",
        "2021",
        "October 2022",
    ];
    assert_eq!(labels(&page, "months"), expected);
    assert_eq!(axis(&page, "months"), ["November 2019", "October 2022"]);
}

#[tokio::test]
async fn years_without_a_month_are_not_drawn_as_months() {
    let page = page_of(&[(1971, "2003"), (2011, "2021")]).await;
    assert_eq!(columns(&page, "years"), [0]);
    assert_eq!(columns(&page, "months"), Vec::<u64>::new());
    assert_eq!(labels(&page, "months"), ["2021"]);
    page.after("<h2 id=\"months\">").assert_lacks("<svg");
}
