//! DynamoDB request units of each operation (docs/performance.md, "Request units").

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use catalogue::Catalogue;
use catalogue::index::{AnimeFilter, SearchQuery};
use serde_json::json;
use shared::input::{PageRequest, PageStart, TextPattern};
use shared::models::{Anime, AnimeStatus, Role};
use tests::assertions::AssertText;
use tests::browser::{PageClient, hidden};
use tests::people::{Person, story_body};
use tests::rows::row;
use tests::service::{Answer, CACHE_SIZE, Service};
use tests::units::{self, Consumed, Meter};
use tests::{crowd, engine, made_up};

const PAGE: PageRequest = PageRequest {
    per_page: 100,
    start: PageStart::First,
};

fn consumed(calls: u32, units: f64) -> Consumed {
    Consumed { calls, units }
}

fn metered_catalogue(service: &Service) -> (Arc<Catalogue<Anime>>, Meter) {
    let (client, meter) = units::metered();
    let database = service.database_with(client);
    let catalogue = Catalogue::new(&database, CACHE_SIZE);
    (Arc::new(catalogue), meter)
}

/// DynamoDB charges at least 0.5 units for every 4 KB of a document that is read eventually consistently.
/// No document of the sample is larger than 4 KB.
#[tokio::test]
async fn catalogue_reads_cost_the_minimum() {
    let service = Service::with_sample().await;
    let (catalogue, meter) = metered_catalogue(&service);

    catalogue.find(2).await.unwrap();
    assert_eq!(meter.take(), consumed(1, 0.5), "one document");

    catalogue.index().await.unwrap();
    let cold = meter.take();
    assert_eq!(cold.calls, 2, "the head and one part of the index");
    assert!(cold.units <= 4.0, "{cold:?}");

    let a_search = AnimeFilter {
        search: SearchQuery::new("cowboy"),
        ..AnimeFilter::default()
    };
    catalogue.list(&a_search, PAGE).await.unwrap();
    let first = meter.take();
    assert_eq!(first.calls, 2, "the head and one part of the texts");
    catalogue.list(&a_search, PAGE).await.unwrap();
    assert_eq!(meter.take(), Consumed::default(), "a second search");

    let page = catalogue.list(&AnimeFilter::default(), PAGE).await.unwrap();
    assert_eq!(meter.take(), Consumed::default(), "the rows of a page");
    catalogue.documents(&page.rows).await.unwrap();
    // The page has 50 documents, one of which was read before.
    assert_eq!(meter.take(), consumed(1, 24.5));

    catalogue.documents(&page.rows).await.unwrap();
    catalogue.random(10).await.unwrap();
    catalogue.find(2).await.unwrap();
    assert_eq!(meter.take(), Consumed::default(), "documents read before");

    service.let_index_age();
    catalogue.index().await.unwrap();
    let check = meter.take();
    assert_eq!(check, consumed(1, 1.0), "the check for a newer index");

    catalogue.documents(&page.rows).await.unwrap();
    // The documents have not changed.
    assert_eq!(meter.take(), Consumed::default());
}

/// The index does not have the identifiers at other services, so a process pays for them at the first request for one.
#[tokio::test]
async fn identifiers_elsewhere_are_read_once() {
    let service = Service::with_sample().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ids.json");
    std::fs::write(&file, r#"[{"anilist_id": 1, "anidb_id": 23}]"#).unwrap();
    let done = cli::import::publish_mapping_file(&file, &service.database()).await;
    done.unwrap();
    let (catalogue, meter) = metered_catalogue(&service);
    catalogue.index().await.unwrap();
    let _ = meter.take();
    catalogue.mapping().await.unwrap();
    let first = meter.take();
    assert_eq!(first, consumed(2, 1.5), "the head and one part");
    catalogue.mapping().await.unwrap();
    assert_eq!(meter.take(), Consumed::default());
    service.let_index_age();
    catalogue.mapping().await.unwrap();
    // The two calls check for a newer index and a newer mapping.
    assert_eq!(meter.take(), consumed(2, 2.0));
}

/// A player sends a message every few seconds, so its lookups must cost no more than the check for a newer index.
#[tokio::test]
async fn seasons_are_read_once_and_checked_every_10_minutes() {
    let service = Service::with_sample().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seasons.xml");
    let list =
        "<anime-list><anime anidbid=\"23\" tvdbid=\"76885\" defaulttvdbseason=\"1\"/></anime-list>";
    std::fs::write(&file, list).unwrap();
    let done = cli::import::import_seasons(&file, &service.database()).await;
    done.unwrap();
    let (catalogue, meter) = metered_catalogue(&service);
    catalogue.mapping().await.unwrap();
    let _ = meter.take();
    let expect = |calls, units| assert_eq!(meter.take(), consumed(calls, units));
    catalogue.seasons().await.unwrap();
    expect(2, 1.5);
    catalogue.seasons().await.unwrap();
    expect(0, 0.0);
    service.let_index_age();
    catalogue.seasons().await.unwrap();
    expect(1, 1.0);
    service.clock.advance(std::time::Duration::from_mins(10));
    catalogue.seasons().await.unwrap();
    expect(3, 3.0);
}

#[tokio::test]
async fn filter_without_matches_costs_nothing() {
    let service = Service::with_sample().await;
    let (catalogue, meter) = metered_catalogue(&service);
    catalogue.index().await.unwrap();
    let _ = meter.take();
    let filter = AnimeFilter {
        title: TextPattern::new("nothing like it"),
        ..AnimeFilter::default()
    };
    assert_eq!(catalogue.list(&filter, PAGE).await.unwrap().total, 0);
    assert_eq!(meter.take(), Consumed::default());
}

/// DynamoDB charges at least 0.5 units for every 4 KB read, and 1 unit if the read is strongly
/// consistent. It charges 1 unit for every KB written, or 2 in a transaction, where a condition check
/// counts as a write. Each index that a write changes costs 1 unit more, or 2 if the row moves in the index.
#[tokio::test]
async fn account_requests_cost_the_minimum() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let (service, meter) = service.metered();
    let person = service.person("taki").await;
    let cost = async |answer: Answer, what: &str, calls: u32, units: f64| {
        assert_eq!(answer.status, 200, "{what}");
        assert_consumed(&meter, what, calls, units);
    };
    let with =
        async |method: Method, path: &str| service.with_token(method, path, &person.token).await;
    let story = format!("/v1/user_story/{}", person.story(&anime));
    let created = service.create_story(&person, &anime, 1).await;
    let what = "create a story that begins: the time zone; three conditions and two indexes";
    cost(created, what, 2, 8.5).await;
    // A change in the same millisecond as the one before would need a second transaction.
    service.clock.advance(Duration::from_millis(1));
    let body = story_body(&person, &anime, 0, 2);
    let updated = service.post_as(&person.token, "/v1/user_story", &body);
    let what = "update a story: read it; three conditions and two indexes";
    cost(updated.await, what, 2, 9.0).await;
    let linked = row(json!({"sync_shard": 0, "sync_due_at": 1}));
    let key = json!({"id": person.id});
    service.change_row("User", key, linked).await;
    service.clock.advance(Duration::from_millis(1));
    let body = story_body(&person, &anime, 0, 3);
    let updated = service.post_as(&person.token, "/v1/user_story", &body);
    let what = "update a story with a linked tracker: also a change in the index of due users";
    cost(updated.await, what, 2, 11.0).await;
    let by_email = "/v1/user?email=taki@example.com";
    for (path, what, calls, units) in [
        (story.as_str(), "a story, and its owner's row", 2, 2.0),
        ("/v1/user_story", "a list, and the owner's row", 2, 1.5),
        ("/v1/auth/me", "the caller's account", 1, 1.0),
        (by_email, "a user by email address", 2, 1.5),
    ] {
        cost(with(Method::GET, path).await, what, calls, units).await;
    }
    cost(service.get("/v1/user/1").await, "a user", 1, 1.0).await;
    cost(service.get("/v1/user").await, "the users", 1, 0.5).await;
    service.clock.advance(Duration::from_millis(1));
    cost(
        with(Method::DELETE, &story).await,
        "delete a story: read it; two conditions, two indexes, and a change in the index of due users",
        2,
        9.0,
    )
    .await;
}

/// The number of stories of the large list. Reading the rows of all of them costs at least 60 units.
const LARGE: u32 = 2_000;

/// Returns a service whose process has the large list of a user in its memory, and the catalogue of the stories.
async fn with_large_list() -> (Service, Meter, Person, Vec<Anime>) {
    let mut anime = made_up::anime(LARGE, 1);
    for one in &mut anime {
        one.episodes_count = 12;
        one.status = AnimeStatus::Finished;
    }
    let service = Service::with_catalogue(&anime, &[]).await;
    let (service, meter) = service.metered();
    let person = service.person("taki").await;
    crowd::stories(&service, &person, anime.iter().map(|one| one.id)).await;
    let path = "/v1/user_story?status=0&per_page=1";
    let listed = service.get_as(&person.token, path);
    assert_eq!(listed.await.status, 200);
    (service, meter, person, anime)
}

/// If a list is in memory, requests for a part of it read only the rows of the caller and of the stories that have
/// changed since, however long the list is.
#[tokio::test]
async fn api_requests_about_a_large_list_cost_what_has_changed() {
    let (service, meter, person, anime) = with_large_list().await;
    let another = service.another(service.clock.clone());
    let get = async |path: &str| {
        let answer = service.get_as(&person.token, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer
    };
    let user = format!("/v1/user/{}", person.id.get());
    let (statistics, suggestions) = (format!("{user}/statistics"), format!("{user}/suggestions"));
    let status = "/v1/user_story?status=0&per_page=50";
    let synced = "/v1/user_story?synced=false&per_page=50&include=details";
    // The first feed also reads the deletions. The first suggestions read the documents of anime.
    let feed = get("/v1/user_story/changes").await.data();
    assert_eq!(feed["more"], true);
    get(&suggestions).await;
    let mut cursor = feed["cursor"].as_str().unwrap().to_owned();
    loop {
        let feed = get(&format!("/v1/user_story/changes?since={cursor}")).await;
        feed.data()["cursor"]
            .as_str()
            .unwrap()
            .clone_into(&mut cursor);
        if feed.data()["more"] == false {
            break;
        }
    }
    for process in [&service, &another] {
        service.clock.advance(Duration::from_millis(10));
        let mut body = story_body(&person, &anime[0], 0, 3);
        body["current_episode"] = service.clock.now_ms().rem_euclid(12).into();
        let changed = process.post_as(&person.token, "/v1/user_story", &body);
        assert_eq!(changed.await.status, 200);
        let _ = meter.take();
        let feed = get(&format!("/v1/user_story/changes?since={cursor}")).await;
        assert_eq!(feed.data()["changes"].as_array().unwrap().len(), 1);
        feed.data()["cursor"]
            .as_str()
            .unwrap()
            .clone_into(&mut cursor);
        let consumed = meter.take();
        assert!(consumed.units <= 4.0, "the feed: {consumed:?}");
        for path in [status, synced, &suggestions] {
            get(path).await;
            let consumed = meter.take();
            assert!(consumed.units <= 4.0, "{path}: {consumed:?}");
        }
        get(&statistics).await;
        let consumed = meter.take();
        assert!(consumed.units <= 2.0, "statistics: {consumed:?}");
    }
}

/// The script sends the forms of an entry, which read no list.
#[tokio::test]
async fn changes_of_an_entry_cost_the_same_for_every_list() {
    let (service, meter, person, anime) = with_large_list().await;
    let mut browser = PageClient::signed_in(&service, &person).await;
    let page = browser.get("/list?status=0").await;
    let id = anime[5].id;
    let start = format!("name=\"entry\" value=\"{}:", id.get());
    let csrf = hidden(&page, "csrf").unwrap();
    // Every sixth story has the status CURRENT.
    let mut state = format!("{}:0-0-0", id.get());
    let counts = "333 334 334 333 333 333";
    for (path, fragment) in [
        ("/list/next", "marked as watched"),
        ("/list/next", "marked as watched"),
        ("/list/undo", "has been undone"),
    ] {
        service.clock.advance(Duration::from_secs(1));
        let _ = meter.take();
        let fields = [
            ("csrf", csrf.as_str()),
            ("entry", &state),
            ("back", "/list?status=0"),
            ("counts", counts),
        ];
        let answer = browser.post(path, &fields).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.assert_has(fragment);
        assert!(answer.text().len() < 6_000, "{}", answer.text().len());
        let consumed = meter.take();
        if engine::is_embedded() {
            assert!(consumed.units <= 13.0, "{path}: {consumed:?}");
        }
        state = format!("{}:{}", id.get(), answer.between(&start, "\""));
    }
}

/// Returns the cost of a request by a user with one story.
async fn cost_with_a_story(path: &str) -> Consumed {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let (service, meter) = service.metered();
    let person = service.person("taki").await;
    service.create_story(&person, &anime, 1).await;
    let _ = meter.take();
    let answer = service.get_as(&person.token, path).await;
    assert_eq!(answer.status, 200);
    meter.take()
}

#[tokio::test]
async fn export_reads_the_user_the_stories_and_the_index() {
    let consumed = cost_with_a_story("/v1/user_story/export").await;
    assert_eq!(
        consumed.calls, 6,
        "the user twice, the stories, the head, the index, the titles"
    );
    if engine::is_embedded() {
        assert!((consumed.units - 4.5).abs() < f64::EPSILON, "{consumed:?}");
    }
}

#[tokio::test]
async fn data_of_a_user_costs_the_rows_of_the_user_and_the_index() {
    let consumed = cost_with_a_story("/v1/auth/me/data").await;
    assert_eq!(
        consumed.calls, 11,
        "the account, the sessions, the grants, the applications, the links, the stories, the waiting entries, the \
        players, the head, the index, the titles"
    );
    if engine::is_embedded() {
        assert!((consumed.units - 9.0).abs() < f64::EPSILON, "{consumed:?}");
    }
}

/// Titles and identifiers come from the index, so the anime of a history cost nothing in a process that has it.
#[tokio::test]
async fn exports_do_not_read_the_anime() {
    let anime = made_up::anime(250, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let (service, meter) = service.metered();
    let person = service.person("taki").await;
    crowd::stories(&service, &person, anime.iter().map(|one| one.id)).await;
    let cost = async |path: &str| {
        let _ = meter.take();
        let answer = service.get_as(&person.token, path).await;
        answer.assert_status(200);
        meter.take()
    };
    let first = cost("/v1/user_story/export").await;
    assert!(first.units < 60.0, "{first:?}");
    let two = Consumed {
        calls: 2,
        units: 2.0,
    };
    for format in ["json", "csv", "mal_xml"] {
        let path = format!("/v1/user_story/export?format={format}");
        assert_eq!(cost(&path).await, two, "{format}");
    }
    let data = cost("/v1/auth/me/data").await;
    assert_eq!(data.calls, 8, "as above, without the index");
    assert!(data.units < 20.0, "{data:?}");
}

/// The anime of a page of stories are in the same cache as those of a page of the catalogue.
#[tokio::test]
async fn included_anime_are_read_once() {
    let anime = made_up::anime(100, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let (service, meter) = service.metered();
    let person = service.person("taki").await;
    crowd::stories(&service, &person, anime.iter().map(|one| one.id)).await;
    let path = "/v1/user_story?per_page=100";
    let cost = async |query: &str| {
        let _ = meter.take();
        let path = format!("{path}{query}");
        let answer = service.get_as(&person.token, &path).await;
        assert_eq!(answer.data().as_array().unwrap().len(), 100);
        meter.take()
    };
    let rows = cost("").await;
    assert!(rows.units <= 4.0, "{rows:?}");
    // The second page loads the list.
    cost("").await;
    let first = cost("&include=anime").await;
    assert!(first.units >= 50.0, "{first:?}");
    let plain = cost("&include=anime").await;
    assert_eq!(plain.calls, 1, "the list and the anime are in memory");
    assert!(plain.units <= 2.0, "{plain:?}");
    service.let_index_age();
    let checks = Consumed {
        calls: plain.calls + 1,
        units: plain.units + 1.0,
    };
    assert_eq!(
        cost("&include=anime").await,
        checks,
        "anime that have not changed, and the check for a newer index"
    );
}

/// A page reads the session, the account, and those rows with its content that the process has not read before.
#[tokio::test]
async fn pages_cost_the_session_and_the_rows_of_the_user() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let (service, meter) = service.metered();
    let moderator = service.person_with_role("taki", Role::Moderator).await;
    service.create_story(&moderator, &anime, 1).await;
    let mut browser = PageClient::signed_in(&service, &moderator).await;
    let settings = [("visibility", "public")];
    let page = browser.get("/profile/privacy").await;
    let saved = browser.submit(&page, "/profile/privacy", &settings).await;
    assert_eq!(saved.status, 303);
    let of_anime = format!("/anime/{}", anime.id.get());
    for (path, calls, units) in [
        ("/", 2, 2.0),
        ("/anime", 3, 3.0),
        (of_anime.as_str(), 3, 3.0),
        ("/list", 2, 2.0),
        ("/statistics", 2, 2.0),
        ("/statistics/2023", 2, 2.0),
        ("/calendar", 2, 2.0),
        ("/user/taki", 3, 3.0),
        ("/user/taki/2023", 3, 3.0),
    ] {
        // The first visit reads the documents.
        assert_eq!(browser.get(path).await.status, 200);
        let _ = meter.take();
        assert_eq!(browser.get(path).await.status, 200);
        assert_consumed(&meter, path, calls, units);
    }
    let form = format!("/moderation/anime/{}/correct?field=status", anime.id.get());
    let page = browser.get(&form).await;
    let _ = meter.take();
    let fields = [("value", "CANCELLED"), ("note", "as the studio says")];
    let corrected = browser.submit(&page, &form, &fields).await;
    corrected.assert_status(303);
    // Each of the two list indexes of anime takes one unit.
    assert_consumed(&meter, "a correction", 4, 11.0);
}

/// Asserts the calls since the last time, and with the embedded engine also the units: DynamoDB Local reports 16 for
/// the transaction that creates a story, which AWS's documentation does not explain.
fn assert_consumed(meter: &Meter, what: &str, calls: u32, units: f64) {
    let consumed = meter.take();
    assert_eq!(consumed.calls, calls, "{what}");
    if engine::is_embedded() {
        assert!(
            (consumed.units - units).abs() < f64::EPSILON,
            "{what}: {consumed:?}"
        );
    }
}
