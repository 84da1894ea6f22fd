//! Measures the DynamoDB request units of each operation on a loaded catalogue, and computes the least
//! that DynamoDB can charge. Prints a Markdown table.
//!
//! `KIROKU_BENCH_ANIME` sets the path of an anime-offline-database file. Without it, the catalogue is
//! generated.

#![expect(
    clippy::expect_used,
    reason = "a benchmark must stop at an unexpected result"
)]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use catalogue::import::{AnimeFacts, AnimeFields, Writer};
use catalogue::index::{AnimeFilter, ListIndex, SearchQuery};
use catalogue::rows::{CatalogueStore, FactSource};
use catalogue::tables::ANIME as TABLE;
use catalogue::{CachedDocument, Catalogue};
use dynamo::Projection;
use serde_json::{Value, json};
use shared::input::{PageRequest, PageStart};
use shared::models::{Anime, AnimeId, TrackerIds};
use tests::loaded;
use tests::people::{PASSWORD, story_body};
use tests::service::{CACHE_SIZE, Service};
use tests::units::{Meter, metered};

const PAGE: PageRequest = PageRequest {
    per_page: 100,
    start: PageStart::First,
};

/// Returns the units of an eventually consistent read: 0.5 for every 4 KB.
fn least_to_read(bytes: usize) -> f64 {
    0.5 * blocks(bytes, 4096)
}

fn blocks(bytes: usize, size: usize) -> f64 {
    u32::try_from(bytes.div_ceil(size)).map_or(f64::INFINITY, f64::from)
}

/// Returns the size of an anime's item in bytes.
fn size(anime: &Anime) -> usize {
    let mut item = serde_json::to_value(anime).expect("JSON");
    let fields = item.as_object_mut().expect("an object");
    fields.retain(|_, value| !value.is_null());
    bytes_of(&item)
}

/// Returns the size of a value as DynamoDB counts it (Developer Guide, "DynamoDB item sizes and
/// formats").
fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 1,
        Value::Number(number) => number.to_string().len().div_ceil(2) + 1,
        Value::String(text) => text.len(),
        Value::Array(values) => {
            3 + values
                .iter()
                .map(|value| 1 + bytes_of(value))
                .sum::<usize>()
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| 1 + name.len() + bytes_of(value);
            3 + fields.iter().map(field).sum::<usize>()
        }
    }
}

/// Returns the size of the attributes that the index `ByRank` projects.
fn projected_size(anime: &Anime) -> usize {
    let index = TABLE.indexes.iter().find(|index| index.name == "ByRank");
    let projected = match index.expect("an index").projection {
        Projection::Include(attributes) => attributes,
        _ => &[],
    };
    let mut item = serde_json::to_value(anime).expect("JSON");
    let fields = item.as_object_mut().expect("an object");
    fields.retain(|name, value| {
        let name = &name.as_str();
        (TABLE.key.contains(name) || projected.contains(name)) && !value.is_null()
    });
    bytes_of(&item)
}

fn print_row(meter: &Meter, operation: &str, least: f64) {
    let consumed = meter.take();
    println!(
        "| {operation} | {} | {} | {least} |",
        consumed.calls, consumed.units
    );
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let service = loaded::service().await;
    let all = loaded::anime(&service).await;
    let (client, meter) = metered();
    let database = service.database_with(client);
    let new = || Arc::new(Catalogue::<Anime>::new(&database, CACHE_SIZE));

    println!("{} anime\n", all.len());
    println!("| operation | calls | units | least |");
    println!("|---|---:|---:|---:|");
    let built = new().index().await.expect("an index");
    let bytes = dynamo::pack_value(&*built).expect("an index").len();
    let texts = built.texts().to_bytes().expect("texts").len();
    let titles = built.main_titles().expect("titles").to_bytes();
    let titles = titles.expect("titles").len();
    let projected = all.iter().map(projected_size).sum();
    print_row(
        &meter,
        "build the index without a snapshot",
        least_to_read(projected),
    );
    service.publish().await;
    let catalogue = new();
    catalogue.index().await.expect("an index");
    print_row(
        &meter,
        "load the index from its snapshot",
        1.0 + least_to_read(bytes),
    );
    let a_search = AnimeFilter {
        search: SearchQuery::new("cowboy bebop"),
        ..AnimeFilter::default()
    };
    let found = catalogue.list(&a_search, PAGE).await;
    found.expect("a page");
    print_row(
        &meter,
        "load the texts at the first search",
        1.0 + least_to_read(texts),
    );
    catalogue.summaries(&[]).await.expect("titles");
    print_row(
        &meter,
        "load the titles at the first export",
        1.0 + least_to_read(titles),
    );
    if let Some(file) = std::env::var_os("KIROKU_BENCH_IDS") {
        let done = cli::import::publish_mapping_file(Path::new(&file), &service.database()).await;
        done.expect("published identifiers");
        catalogue.mapping().await.expect("identifiers");
        print_row(&meter, "load the identifiers at other services", 42.5);
    }
    service.let_index_age();
    catalogue.index().await.expect("an index");
    print_row(&meter, "look for a newer index, at most every 10 s", 1.0);
    let sizes: HashMap<u64, usize> = all.iter().map(|one| (one.id.get(), size(one))).collect();
    let least = |documents: &[CachedDocument]| -> f64 {
        let size = |document: &CachedDocument| least_to_read(sizes[&document.version().0]);
        documents.iter().map(size).sum()
    };
    let page = catalogue.list(&AnimeFilter::default(), PAGE).await;
    let rows = page.expect("a page").rows;
    let found = catalogue.documents(&rows).await.expect("documents");
    print_row(&meter, "list, a page of 100, any filter", least(&found));
    catalogue.documents(&rows).await.expect("documents");
    print_row(&meter, "the same page again", 0.0);
    let catalogue = new();
    catalogue.index().await.expect("an index");
    let _ = meter.take();
    let found = catalogue.random(10).await.expect("anime");
    print_row(&meter, "random, 10", least(&found));
    let one = new().find(all[0].id.get()).await.expect("an answer");
    print_row(&meter, "one by its id", least(&[one.expect("an anime")]));
    let store = CatalogueStore::new(&database);
    let new: Vec<Anime> = all[..25].iter().map(renumbered).collect();
    let mut writer = Writer::new(store);
    for anime in &new {
        writer.write(facts_of(anime)).await.expect("a write");
    }
    writer.finish().await.1.expect("a write");
    print_row(
        &meter,
        "import 25 new ones",
        new.iter().map(least_to_write).sum(),
    );
    accounts(service, &all[0]).await;
}

/// Returns the facts that a file states about an anime.
fn facts_of(anime: &Anime) -> AnimeFacts {
    let mut facts = AnimeFacts::new(anime.id, FactSource::OfflineDatabase, TrackerIds::of(anime));
    facts.fields = AnimeFields {
        format: Some(anime.format),
        status: Some(anime.status),
        titles: anime.titles.clone(),
        season_period: Some(anime.season_period),
        season_year: anime.season_year,
        episodes_count: Some(anime.episodes_count),
        episode_duration: anime.episode_duration,
        cover_image: Some(anime.cover_image.clone()),
        genres: Some(anime.genres.clone()),
        score: Some(anime.score),
        ..AnimeFields::default()
    };
    facts
}

/// Measures requests about accounts and stories, for one anime of the catalogue.
async fn accounts(service: Service, anime: &Anime) {
    let (client, meter) = metered();
    let service = service.with_functions_client(client);
    let person = service.person("somebody").await;
    let get = async |path: &str| {
        let answer = service.with_token(Method::GET, path, &person.token).await;
        assert_eq!(answer.status, 200, "{path}");
    };
    let kilobytes = blocks(size(anime), 1024);
    // A transaction doubles the units, a condition check counts as a write of its row, and each of the two indexes adds
    // a write.
    let three_conditions = 2.0 * (1.0 + 1.0 + kilobytes) + 2.0;
    assert_eq!(service.create_story(&person, anime, 0).await.status, 200);
    let what = format!("create a story, of an anime of {kilobytes} KB");
    // The story begins today, so the time zone is read.
    print_row(&meter, &what, 0.5 + three_conditions);
    // A change in the same millisecond as the one before would need a second transaction.
    service.clock.advance(Duration::from_millis(1));
    let body = story_body(&person, anime, 0, 0);
    let path = "/v1/user_story";
    let updated = service
        .json(Method::POST, path, Some(&person.token), &body)
        .await;
    assert_eq!(updated.status, 200);
    let what = "update a story of the same anime";
    print_row(&meter, what, 1.0 + three_conditions);
    get(&format!("{path}/{}", person.story(anime))).await;
    print_row(&meter, "a story by its id", 2.0);
    let gone = format!("{path}/{}", person.story(anime));
    let deleted = service
        .with_token(Method::DELETE, &gone, &person.token)
        .await;
    assert_eq!(deleted.status, 200);
    print_row(&meter, "delete a story", 1.0 + 2.0 * 2.0 + 2.0);
    get("/v1/auth/me").await;
    print_row(&meter, "/v1/auth/me", 1.0);
    get(&format!("/v1/user/{}", person.id.get())).await;
    print_row(&meter, "a user by their id", 1.0);
    // The request reads two rate limits, and writes the user's row with two unique values and two indexes, the id
    // counter, two limits, and the caller's address.
    assert_eq!(service.register("another").await.status, 200);
    print_row(&meter, "register", 2.0 + 2.0 * 3.0 + 2.0 + 4.0);
    let login = json!({"username": "another", "password": PASSWORD});
    let answer = service
        .json(Method::POST, "/v1/auth/login", None, &login)
        .await;
    assert_eq!(answer.status, 200);
    // The request reads the unique value, the user's row, and the row of known addresses. It writes the address, and
    // two counters, each before and after the attempt.
    print_row(&meter, "sign in", 1.0 + 1.0 + 0.5 + 1.0 + 4.0);
}

/// Returns the same anime under an id that no import assigns.
fn renumbered(anime: &Anime) -> Anime {
    let id = AnimeId::new(anime.id.get() + (1 << 24)).expect("an identifier");
    Anime {
        id,
        ..anime.clone()
    }
}

/// Returns the units of a write: 1 for every KB, and 1 for the index.
fn least_to_write(anime: &Anime) -> f64 {
    blocks(size(anime), 1024) + 1.0
}
