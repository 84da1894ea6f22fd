//! `GET /v1/mapping`: identifiers of other services, from the mapping file to the response.

use std::fmt::Write;
use std::path::Path;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use cli::import;
use serde_json::{Value, json};
use shared::models::Anime;
use tests::made_up;
use tests::service::Service;
use tests::table::table;

/// Returns six anime with the identifiers 1 to 6. At tracker A they are 101 to 106, at tracker B 201 to 206.
fn anime() -> Vec<Anime> {
    let mut anime = made_up::anime(6, 1);
    for (anime, number) in anime.iter_mut().zip(1..) {
        anime.tracker_a_id = Some(100 + number);
        anime.tracker_b_id = Some(200 + number);
        anime.database_id = None;
        anime.score = shared::models::Score::new(90.0 - f64::from(number)).unwrap();
    }
    anime[4].database_id = Some(30);
    anime
}

async fn service() -> Service {
    Service::with_catalogue(&anime(), &[]).await
}

async fn import_text(service: &Service, text: &str) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ids.json");
    std::fs::write(&file, text).unwrap();
    import::publish_mapping_file(&file, &service.database()).await
}

async fn import(service: &Service, entries: &Value) {
    let count = import_text(service, &entries.to_string()).await.unwrap();
    assert_eq!(count, entries.as_array().unwrap().len());
    service.let_index_age();
}

async fn get(service: &Service, query: &str) -> Value {
    let answer = service.get(&format!("/v1/mapping?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    answer.data()
}

/// Returns each identifier with the anime that the response has for it.
async fn found(service: &Service, query: &str) -> Vec<(String, Vec<u64>)> {
    let data = get(service, query).await;
    let anime = |row: &Value| row["anime_id"].as_u64().unwrap();
    let rows = data.as_array().unwrap().iter();
    rows.map(|row| {
        let all = row["anime"].as_array().unwrap().iter().map(anime);
        (row["id"].as_str().unwrap().to_owned(), all.collect())
    })
    .collect()
}

/// Checks the anime that the response has for each identifier.
async fn assert_found(service: &Service, query: &str, expected: &[(&str, &[u64])]) {
    let found = found(service, query).await;
    let found = found
        .iter()
        .map(|(id, anime)| (id.as_str(), anime.as_slice()));
    assert_eq!(found.collect::<Vec<_>>(), expected, "{query}");
}

fn series() -> Value {
    json!([
        {"anidb_id": 1, "anilist_id": 101, "mal_id": 201, "imdb_id": ["tt0000010", "tt12345678", ""],
            "kitsu_id": 11, "tvdb_id": 20, "themoviedb_id": {"tv": 30}, "season": {"tvdb": 1, "tmdb": 1}},
        {"anidb_id": 2, "anilist_id": 102, "tvdb_id": 20, "themoviedb_id": {"tv": 30},
            "season": {"tvdb": 2, "tmdb": 2}},
        {"anidb_id": 3, "mal_id": 203, "tvdb_id": 20, "season": {"tvdb": 0},
            "themoviedb_id": {"movie": [31, 32]}, "imdb_id": "tt0000010"},
        {"anilist_id": 104, "tvdb_id": 20},
        {"anidb_id": 9, "anilist_id": 999, "tvdb_id": 20},
        {"anidb_id": 6, "anilist_id": 106, "mal_id": 299, "kitsu_id": 16},
    ])
}

#[tokio::test]
async fn anime_is_found_by_the_identifiers_of_each_source() {
    let service = service().await;
    import(&service, &series()).await;
    let expected = json!({
        "anime_id": 1, "tracker_a_id": 101, "tracker_b_id": 201, "anidb_ids": [1], "kitsu_ids": [11],
        "database_ids": [{"id": 30, "kind": "series", "season": 1}],
        "imdb_ids": ["tt0000010", "tt12345678"], "tvdb_ids": [{"id": 20, "season": 1}],
    });
    for (source, id) in [
        ("anidb", "1"),
        ("tracker_a", "101"),
        ("tracker_b", "201"),
        ("imdb", "tt12345678"),
        ("kitsu", "11"),
    ] {
        let data = get(&service, &format!("source={source}&id={id}")).await;
        assert_eq!(data, json!([{"id": id, "anime": [expected]}]), "{source}");
    }
    for query in [
        "source=tvdb&id=20&season=1",
        "source=database&id=30&season=1",
    ] {
        let data = get(&service, query).await;
        assert_eq!(data[0]["anime"][0], expected, "{query}");
    }
    let movie = json!({
        "anime_id": 3, "tracker_a_id": 103, "tracker_b_id": 203, "anidb_ids": [3], "kitsu_ids": [],
        "database_ids": [{"id": 31, "kind": "movie", "season": null}, {"id": 32, "kind": "movie", "season": null}],
        "imdb_ids": ["tt0000010"], "tvdb_ids": [{"id": 20, "season": 0}],
    });
    let data = get(&service, "source=database&id=32").await;
    assert_eq!(data, json!([{"id": "32", "anime": [movie]}]));
}

/// An anime without a season stays, because its episodes may be in the requested one.
#[tokio::test]
async fn several_anime_of_an_identifier_are_in_list_order_and_selected_by_season() {
    let service = service().await;
    import(&service, &series()).await;
    for (query, expected) in [
        ("source=tvdb&id=20", &[1, 2, 3, 4][..]),
        ("source=tvdb&id=20&season=0", &[3, 4]),
        ("source=tvdb&id=20&season=2", &[2, 4]),
        ("source=tvdb&id=20&season=9999", &[4]),
        ("source=imdb&id=tt0000010", &[1, 3]),
        // Anime 5 has the identifier in its row, without a season.
        ("source=database&id=30", &[1, 2, 5]),
        ("source=database&id=30&season=2", &[2, 5]),
        ("source=database&id=31&season=1", &[]),
        // No anime of the catalogue has these identifiers, or their entry names two different anime.
        ("source=anidb&id=9", &[]),
        ("source=kitsu&id=16", &[]),
    ] {
        let found = found(&service, query).await;
        assert_eq!(found.len(), 1, "{query}");
        assert_eq!(found[0].1, expected, "{query}");
    }
}

#[tokio::test]
async fn each_distinct_identifier_has_one_element_in_the_order_of_the_request() {
    let service = service().await;
    import(&service, &series()).await;
    let query = "source=anidb&id=2,77,1&id=2&id=0001,4294967296,9007199254740991";
    let expected: [(&str, &[u64]); 5] = [
        ("2", &[2]),
        ("77", &[]),
        ("1", &[1]),
        ("4294967296", &[]),
        ("9007199254740991", &[]),
    ];
    assert_found(&service, query, &expected).await;
    let query = "source=imdb&id=tt9999999,tt12345678,tt9999999";
    assert_found(&service, query, &[("tt9999999", &[]), ("tt12345678", &[1])]).await;
}

#[tokio::test]
async fn limits_and_rules_of_parameters_are_checked() {
    let service = service().await;
    let ids = |count: u32| {
        let mut ids = String::from("source=anidb&id=1");
        for id in 2..=count {
            write!(ids, ",{id}").unwrap();
        }
        ids
    };
    assert_eq!(found(&service, &ids(100)).await.len(), 100);
    let rules = json!({
        "many": "must have at most 100 values",
        "number": "must be a whole number from 1 to 9007199254740991",
        "imdb": "must be tt and 7 to 9 digits, such as tt0286390",
        "source": "must be one of anidb, tracker_a, tracker_b, database, imdb, kitsu, tvdb",
        "season": "must be a whole number from 0 to 9999",
        "alone": "can only be combined with tvdb and database",
        "once": "must be given only once",
        "required": "is required",
    });
    // Each line has a query, and the rule that each wrong parameter breaks.
    let cases = format!(
        "{} | id: many
        {}&id=1 | id: many
        source=imdb&id=tt0000010{} | id: many
        | source: required
        id=1 | source: required
        source=&id=1 | source: source
        source=myanimelist&id=1 | source: source
        source=ANIDB&id=1 | source: source
        source=anidb&source=tvdb&id=1 | source: once
        source=anidb | id: required
        source=imdb&season=x | id: required, season: season
        source=anidb&id= | id: number
        source=anidb&id=1, | id: number
        source=anidb&id=1,x,2 | id: number
        source=anidb&id=0 | id: number
        source=anidb&id=-1 | id: number
        source=anidb&id=tt0000010 | id: number
        source=anidb&id=9007199254740992 | id: number
        source=imdb&id= | id: imdb
        source=imdb&id=10 | id: imdb
        source=imdb&id=tt0000010,tt10 | id: imdb
        source=imdb&id=tt00000010 | id: imdb
        source=tvdb&id=1&season=10000 | season: season
        source=tvdb&id=1&season= | season: season
        source=anidb&id=1&season=1 | season: alone
        source=imdb&id=x&season=1 | id: imdb, season: alone",
        ids(101),
        ids(100),
        ",tt0000010".repeat(100)
    );
    for [query, broken] in table(&cases) {
        let broken = broken.split(", ").map(|one| one.split_once(": ").unwrap());
        let expected: Value = broken
            .map(|(name, rule)| (name, rules[rule].clone()))
            .collect();
        let answer = service.get(&format!("/v1/mapping?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.data(), expected, "{query}");
    }
}

#[tokio::test]
async fn identifiers_of_rows_are_found_without_a_mapping_file() {
    let service = service().await;
    assert_found(&service, "source=tracker_b&id=204", &[("204", &[4])]).await;
    let data = get(&service, "source=database&id=30").await;
    let expected = json!([{"id": 30, "kind": null, "season": null}]);
    assert_eq!(data[0]["anime"][0]["database_ids"], expected);
    assert_found(&service, "source=anidb&id=1", &[("1", &[])]).await;
}

#[tokio::test]
async fn new_file_replaces_the_identifiers_of_the_earlier_one() {
    let service = service().await;
    import(&service, &series()).await;
    let path = "/v1/mapping?source=tvdb&id=20";
    let before = service.get(path).await;
    import(&service, &series()).await;
    let again = service.get(path).await;
    assert_eq!(again.body, before.body);
    let tag = [("if-none-match", before.header("etag"))];
    let known = service.get_with(path, &tag).await;
    known.assert_status(304);
    assert_eq!(known.header("cache-control"), "public, max-age=60");

    import(&service, &json!([{"mal_id": 202, "tvdb_id": 20}])).await;
    assert_found(&service, "source=tvdb&id=20", &[("20", &[2])]).await;
    assert_found(&service, "source=kitsu&id=11", &[("11", &[])]).await;
    for broken in [
        "",
        "{}",
        "[]",
        r#"[{"tvdb_id": 20}]"#,
        r#"[{"mal_id": 201, "tvdb_id": 20}"#,
    ] {
        let error = import_text(&service, broken).await.unwrap_err();
        assert!(format!("{error:#}").contains("ids.json: "), "{error:#}");
    }
    service.let_index_age();
    assert_found(&service, "source=tvdb&id=20", &[("20", &[2])]).await;
    service.assert_declared_attributes().await;
}

/// Identifiers lead to anime of the current index, also if only the index or only the mapping is published again.
#[tokio::test]
async fn identifiers_follow_the_index() {
    let service = service().await;
    import(&service, &series()).await;
    assert_found(&service, "source=anidb&id=9", &[("9", &[])]).await;
    let mut all = anime();
    all[5].tracker_a_id = Some(999);
    service.put(&all).await;
    service.publish().await;
    service.let_index_age();
    assert_found(&service, "source=anidb&id=9", &[("9", &[6])]).await;
    let service = service.restarted();
    assert_found(&service, "source=anidb&id=9", &[("9", &[6])]).await;
}

#[tokio::test]
async fn files_that_other_imports_read_are_published_too() {
    let service = service().await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let progress = import::Progress::hidden();
    let ids = |anidb: u32| json!([{"anidb_id": anidb, "mal_id": 201}]).to_string();
    let ids_of = |anidb: u32| write(&format!("{anidb}.json"), &ids(anidb));
    let database = &service.database();
    let lines: &Path = &write("anime.jsonl", "");
    let done = import::import_anime(lines, Some(&ids_of(7)), database, &progress).await;
    done.unwrap();
    service.let_index_age();
    assert_found(&service, "source=anidb&id=7", &[("7", &[1])]).await;
    let dump = "<animetitles><anime aid=\"8\"><title type=\"main\" xml:lang=\"x-jat\">A</title></anime></animetitles>";
    let dump = write("titles.xml", dump);
    let done = import::import_titles(&dump, &ids_of(8), database, &progress).await;
    done.unwrap();
    service.let_index_age();
    assert_found(&service, "source=anidb&id=7,8", &[("7", &[]), ("8", &[1])]).await;
}

/// A mapping of another layout, from another version of the service, is ignored. Damaged bytes are an error, so that
/// no client takes an empty response for the truth.
#[tokio::test]
async fn mapping_that_cannot_be_read_is_not_a_wrong_answer() {
    let service = service().await;
    import(&service, &series()).await;
    let set = async |part: u64, name: &str, value: AttributeValue| {
        let key = json!({"kind": "mapping", "part": part});
        let values = [(name.to_owned(), value)].into();
        service.change_row("CatalogSnapshot", key, values).await;
    };
    set(1000, "data", AttributeValue::B(Blob::new([1, 2, 3]))).await;
    let answer = service.get("/v1/mapping?source=anidb&id=1").await;
    answer.assert_retry_after(503, "1");
    set(0, "format", AttributeValue::N("99".into())).await;
    assert_found(&service, "source=anidb&id=1", &[("1", &[])]).await;
    assert_found(&service, "source=tracker_a&id=101", &[("101", &[1])]).await;
}
