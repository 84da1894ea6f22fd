//! The cache of serialized documents (crates/catalogue/src/served/documents.rs).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use catalogue::index::AnimeFilter;
use catalogue::{Catalogue, FRESH_MS};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use shared::input::{PageRequest, PageStart};
use shared::models::Anime;
use tests::made_up;
use tests::service::Service;
use tests::units::{self, Consumed};

/// The versions of each anime, with the time at which each was published, oldest first.
type History = HashMap<u64, Vec<(u64, Value)>>;

/// Returns true if the document was current at some time in the last 10 seconds.
fn was_current(versions: &[(u64, Value)], document: &Value, now_ms: u64) -> bool {
    let ends = versions.iter().skip(1).map(|(from, _)| *from);
    let ends = ends.chain([u64::MAX]);
    versions
        .iter()
        .zip(ends)
        .any(|((_, version), end)| version == document && end.saturating_add(FRESH_MS) >= now_ms)
}

fn catalogue_with_cache(service: &Service, cache_size: u64) -> Catalogue<Anime> {
    Catalogue::new(&service.database(), cache_size)
}

/// Rows change, revisions jump, the index ages and the cache is too small or large enough. Every document of
/// a page is one that was current in the last 10 seconds, and after 10 seconds without a change every page
/// equals the table.
#[tokio::test]
async fn pages_equal_the_table_within_ten_seconds() {
    for (seed, cache_size) in [0, 1_000, 8_000, 1_000_000].into_iter().enumerate() {
        let mut rng = StdRng::seed_from_u64(seed as u64);
        let mut rows = made_up::anime(30, 7);
        let service = Service::with_catalogue(&rows, &[]).await;
        let catalogue = catalogue_with_cache(&service, cache_size);
        let mut history: History = HashMap::new();
        for row in &rows {
            history.insert(row.id.get(), vec![(0, json!(row))]);
        }
        for step in 0..60 {
            for _ in 0..rng.random_range(0..3) {
                let row = &mut rows[rng.random_range(0..30)];
                row.episodes_count = 100 + step;
                service.put(std::slice::from_ref(row)).await;
                let published = (service.clock.now_ms(), json!(row));
                history.entry(row.id.get()).or_default().push(published);
            }
            service.publish().await;
            let pause = Duration::from_millis(rng.random_range(0..FRESH_MS));
            service.clock.advance(pause);
            let page = PageRequest {
                per_page: rng.random_range(1..=30),
                start: PageStart::First,
            };
            let page = catalogue.list(&AnimeFilter::default(), page).await.unwrap();
            let documents = catalogue.documents(&page.rows).await.unwrap();
            assert_eq!(documents.len(), page.rows.len());
            for (row, document) in page.rows.iter().zip(documents) {
                let document: Value = serde_json::from_str(document.json()).unwrap();
                assert_eq!(document["id"], json!(row.id));
                let now = service.clock.now_ms();
                assert!(
                    was_current(&history[&row.id], &document, now),
                    "step {step}"
                );
            }
        }
        service.let_index_age();
        for row in &rows {
            let found = catalogue.find(row.id.get()).await.unwrap().unwrap();
            let found: Value = serde_json::from_str(found.json()).unwrap();
            assert_eq!(found, json!(row), "cache of {cache_size} bytes");
        }
    }
}

/// Returns the sample with functions in a new process, and the meter of their calls to DynamoDB.
fn cold(service: &Service) -> (Arc<Catalogue<Anime>>, units::Meter) {
    let (client, meter) = units::metered();
    let database = service.database_with(client);
    let catalogue = Catalogue::new(&database, 1_000_000);
    (Arc::new(catalogue), meter)
}

const PAGE: PageRequest = PageRequest {
    per_page: 100,
    start: PageStart::First,
};

#[tokio::test]
async fn concurrent_cold_requests_read_each_document_once() {
    let service = Service::with_sample().await;
    let (service, meter) = service.metered();
    let answers = join_all((0..200).map(|_| service.get("/v1/anime"))).await;
    let together = meter.take();
    for answer in &answers {
        assert_eq!(answer.status, 200);
        assert_eq!(answer.ids(), answers[0].ids());
    }
    let environment = service.environment.clone();
    let service = service.with_environment(environment);
    assert_eq!(service.get("/v1/anime").await.ids(), answers[0].ids());
    assert_eq!(meter.take(), together, "200 requests cost as much as one");
}

#[tokio::test]
async fn request_that_ends_early_does_not_keep_others_from_reading() {
    let service = Service::with_sample().await;
    let (catalogue, meter) = cold(&service);
    let rows = catalogue
        .list(&AnimeFilter::default(), PAGE)
        .await
        .unwrap()
        .rows;
    let _ = meter.take();
    // The future is polled once, so the read begins and is then dropped.
    let ended = tokio::time::timeout(Duration::ZERO, catalogue.documents(&rows)).await;
    assert!(ended.is_err());
    assert_eq!(catalogue.documents(&rows).await.unwrap().len(), 50);
}

#[tokio::test]
async fn known_response_is_confirmed_without_reading_documents() {
    let service = Service::with_sample().await;
    let first = service.get("/v1/anime?per_page=20").await;
    let tag = first.header("etag").to_owned();
    let (service, meter) = service.metered();
    assert_eq!(service.get("/v1/anime?year=1000").await.status, 200);
    let _ = meter.take();
    let again = service
        .get_with("/v1/anime?per_page=20", &[("if-none-match", &tag)])
        .await;
    assert_eq!(again.status, 304);
    assert_eq!(again.header("x-total-count"), first.header("x-total-count"));
    assert_eq!(again.header("link"), first.header("link"));
    assert_eq!(meter.take(), Consumed::default());
}

#[tokio::test]
async fn tag_changes_with_the_content_of_a_document() {
    let mut rows = made_up::anime(3, 1);
    let service = Service::with_catalogue(&rows, &[]).await;
    let paths = ["/v1/anime", "/v1/anime/2"];
    let mut tags = Vec::new();
    for path in paths {
        tags.push(service.get(path).await.header("etag").to_owned());
    }
    rows[1].episodes_count += 1;
    service.put(&rows).await;
    service.publish().await;
    service.let_index_age();
    for (path, tag) in paths.iter().zip(&tags) {
        let answer = service.get_with(path, &[("if-none-match", tag)]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_ne!(answer.header("etag"), tag, "{path}");
    }
    let untouched = service.get("/v1/anime/3").await.header("etag").to_owned();
    rows[1].episodes_count += 1;
    service.put(&rows).await;
    service.publish().await;
    service.let_index_age();
    let answer = service
        .get_with("/v1/anime/3", &[("if-none-match", &untouched)])
        .await;
    assert_eq!(answer.status, 304, "another anime has changed");
}

/// A change of these names changes responses although the rows stay the same. If this test fails, increase
/// `LAYOUT` of the resource, so that entity tags change too.
#[tokio::test]
async fn fields_of_documents_belong_to_the_layout_of_entity_tags() {
    let names = |document: &Value| -> Vec<String> {
        let mut names: Vec<String> = document.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        names
    };
    let anime = names(&json!(made_up::anime(1, 1)[0])).join(" ");
    assert_eq!(
        anime,
        "banner_image cover_color cover_image database_id descriptions end_date episode_duration \
         episodes_count format genres has_cover_image id nsfw prequel recommendations sagas score \
         season_period season_year sequel start_date status studios synonyms tags titles tracker_a_id \
         tracker_b_id trailer_url weekly_airing_day"
    );
    let song = names(&json!(made_up::songs(1, 1)[0])).join(" ");
    assert_eq!(
        song,
        "album anime_id artist duration id local_player_url open_player_url preview_url season title \
         type year"
    );
}
