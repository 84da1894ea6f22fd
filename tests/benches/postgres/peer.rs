//! The anime list and the lookup by id over PostgreSQL, for comparison: the same rows, documents and envelope
//! as Kiroku's, behind a small axum handler without any layers.
//!
//! Each document is stored as the JSON text of the response, so that it is neither decoded nor encoded.
//! Statements are prepared once per connection.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::Value;
use shared::fold::fold;
use shared::http::response::{CACHE_PUBLIC, X_TOTAL_COUNT};
use shared::models::Anime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::cluster::Cluster;

const TABLE: &str = "
    create extension pg_trgm;
    create table anime (
        id bigint primary key,
        tracker_a_id bigint,
        tracker_b_id bigint,
        score smallint not null,
        year smallint,
        season smallint not null,
        episodes_count bigint not null,
        nsfw boolean not null,
        titles text not null, -- folded, one a line
        genres text[] not null,
        document text not null
    )";

/// The indexes. The first one also has the columns of the flags, so that counting reads no rows. Genres have
/// no index: PostgreSQL would combine it with that of the season, which takes longer.
const INDEXES: &str = "
    create index on anime (score desc, id) include (nsfw, episodes_count);
    create index on anime (tracker_a_id);
    create index on anime (tracker_b_id);
    create index on anime (year, season);
    create index on anime using gin (titles gin_trgm_ops);
    vacuum (analyze, freeze) anime";

/// Connections to PostgreSQL: two for each core of the machines that the benchmark is for.
const CONNECTIONS: usize = 4;

/// The number of inserts that are under way at a time.
const INSERTS: usize = 100;

/// The state of the handlers.
pub struct Peer {
    connections: Vec<Connection>,
    genres: Vec<String>,
    /// The version of PostgreSQL.
    pub version: String,
}

struct Connection {
    client: Client,
    /// The number of running queries.
    running: AtomicUsize,
    statements: Mutex<HashMap<String, Statement>>,
}

/// The parameters of the list that the benchmark uses, as in Kiroku's API.
#[derive(Debug, Deserialize)]
struct List {
    title: Option<String>,
    tracker_a_id: Option<i64>,
    tracker_b_id: Option<i64>,
    year: Option<i16>,
    season: Option<i16>,
    genres: Option<String>,
    nsfw: Option<bool>,
    with_episodes: Option<bool>,
    #[serde(default = "default_per_page")]
    per_page: i64,
    #[serde(default = "default_page")]
    page: i64,
}

fn default_per_page() -> i64 {
    100
}

fn default_page() -> i64 {
    1
}

type Parameter = Box<dyn ToSql + Send + Sync>;

impl Peer {
    /// Writes the anime to an empty database.
    pub async fn load(cluster: &Cluster, anime: &[Anime]) -> Result<Arc<Self>, Error> {
        let client = cluster.connect().await;
        client.batch_execute(TABLE).await?;
        let places: Vec<String> = (1..=11).map(|place| format!("${place}")).collect();
        let insert = format!("insert into anime values ({})", places.join(", "));
        let insert = client.prepare(&insert).await?;
        // Statements of a connection run one after the other, but need not wait for each other's response.
        stream::iter(anime)
            .map(|anime| {
                let (client, insert) = (&client, &insert);
                async move { client.execute_raw(insert, columns(anime)).await }
            })
            .buffer_unordered(INSERTS)
            .try_collect::<Vec<u64>>()
            .await?;
        for statement in INDEXES.split(';') {
            client.batch_execute(statement).await?;
        }
        let genres = "select distinct unnest(genres) from anime";
        let genres = client.query(genres, &[]).await?;
        let version = client.query_one("show server_version", &[]).await?;
        let clients = stream::repeat(cluster).take(CONNECTIONS);
        let connections = clients.then(async |cluster| Connection {
            client: cluster.connect().await,
            running: AtomicUsize::new(0),
            statements: Mutex::default(),
        });
        Ok(Arc::new(Self {
            connections: connections.collect().await,
            genres: genres.iter().map(|row| row.get(0)).collect(),
            version: version.get(0),
        }))
    }

    /// Returns the handlers.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/v1/anime", get(list))
            .route("/v1/anime/{id}", get(find))
            .with_state(self)
    }

    /// Runs a prepared statement on the first of the connections with the fewest running queries. So a single
    /// client always gets the same one, whose caches are warm.
    async fn query(&self, sql: String, parameters: &[Parameter]) -> Result<Vec<Row>, Error> {
        let running = |connection: &&Connection| connection.running.load(Ordering::Relaxed);
        let connection = self.connections.iter().min_by_key(running);
        let connection = connection.expect("a connection");
        connection.running.fetch_add(1, Ordering::Relaxed);
        let rows = connection.query(sql, parameters).await;
        connection.running.fetch_sub(1, Ordering::Relaxed);
        rows
    }

    /// Returns the genres that contain one of the texts.
    fn genres_like(&self, texts: &str) -> Vec<String> {
        let is_wanted = |genre: &&String| texts.split(',').any(|text| genre.contains(text));
        self.genres.iter().filter(is_wanted).cloned().collect()
    }
}

impl Connection {
    async fn query(&self, sql: String, parameters: &[Parameter]) -> Result<Vec<Row>, Error> {
        let known = self.statements.lock().expect("a lock").get(&sql).cloned();
        let statement = if let Some(statement) = known {
            statement
        } else {
            let statement = self.client.prepare(&sql).await?;
            let mut statements = self.statements.lock().expect("a lock");
            statements.insert(sql, statement.clone());
            statement
        };
        let parameters = parameters
            .iter()
            .map(|value| &**value as &(dyn ToSql + Sync));
        let rows = self.client.query_raw(&statement, parameters).await?;
        rows.try_collect().await
    }
}

/// Returns the values of a row, in the order of the columns.
fn columns(anime: &Anime) -> Vec<Parameter> {
    let titles: Vec<String> = anime.titles.values().map(|title| fold(title)).collect();
    let wire = |value: Value| value.as_i64().and_then(|number| i16::try_from(number).ok());
    vec![
        Box::new(i64::try_from(anime.id.get()).expect("a small id")),
        Box::new(anime.tracker_a_id.map(i64::from)),
        Box::new(anime.tracker_b_id.map(i64::from)),
        Box::new(i16::try_from(anime.score.hundredths()).expect("at most 10,000")),
        Box::new(anime.season_year.and_then(|year| i16::try_from(year).ok())),
        Box::new(wire(serde_json::json!(anime.season_period))),
        Box::new(i64::from(anime.episodes_count)),
        Box::new(anime.nsfw),
        Box::new(titles.join("\n")),
        Box::new(anime.genres.clone()),
        Box::new(serde_json::to_string(anime).expect("JSON")),
    ]
}

/// The conditions of a list, as SQL, and their parameters.
struct Conditions {
    sql: String,
    parameters: Vec<Parameter>,
}

impl Conditions {
    fn add(&mut self, condition: &str) {
        let joint = if self.sql.is_empty() { "where" } else { "and" };
        let _ = write!(self.sql, " {joint} {condition}");
    }

    /// Adds a condition, with `?` in place of its parameter.
    fn compare(&mut self, condition: &str, parameter: impl ToSql + Send + Sync + 'static) {
        self.parameters.push(Box::new(parameter));
        let place = format!("${}", self.parameters.len());
        self.add(&condition.replace('?', &place));
    }
}

async fn list(
    State(peer): State<Arc<Peer>>,
    Query(list): Query<List>,
) -> Result<Response, StatusCode> {
    let mut conditions = Conditions {
        sql: String::new(),
        parameters: vec![
            Box::new(list.per_page),
            Box::new((list.page - 1) * list.per_page),
        ],
    };
    let title = list.title.map(|title| fold(&title).trim().to_owned());
    let has_trigram = title
        .as_ref()
        .is_some_and(|title| title.chars().count() > 2);
    if let Some(title) = title {
        // The index finds only texts of three characters and more. With another collation than its own,
        // PostgreSQL does not use it.
        let condition = if has_trigram {
            "titles like ?"
        } else {
            "titles collate \"C\" like ?"
        };
        conditions.compare(condition, format!("%{title}%"));
    }
    if let Some(id) = list.tracker_a_id {
        conditions.compare("tracker_a_id = ?", id);
    }
    if let Some(id) = list.tracker_b_id {
        conditions.compare("tracker_b_id = ?", id);
    }
    if let Some(year) = list.year {
        conditions.compare("year = ?", year);
    }
    if let Some(season) = list.season {
        conditions.compare("season = ?", season);
    }
    if let Some(genres) = list.genres {
        conditions.compare("genres && ?", peer.genres_like(&genres));
    }
    // As in Kiroku's API, `nsfw=true` leaves out anime that are not safe for work.
    if list.nsfw == Some(true) {
        conditions.add("not nsfw");
    }
    if list.with_episodes == Some(true) {
        conditions.add("episodes_count > 0");
    }
    let statement = statement(&conditions.sql, has_trigram);
    let rows = peer.query(statement, &conditions.parameters).await;
    let rows = rows.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    // An empty page that is not the first would need another query for the total. The benchmark has none.
    let total: i64 = rows.first().map_or(0, |row| row.get(0));
    let documents: Vec<&str> = rows.iter().map(|row| row.get(1)).collect();
    let body = envelope(&format!("[{}]", documents.join(",")));
    Ok(([(X_TOTAL_COUNT, HeaderValue::from(total))], body).into_response())
}

/// Returns the statement of a list: each row has the number of matching rows, and a document.
///
/// The wide form lets PostgreSQL count without reading rows, and stop at the end of the page. The narrow form
/// finds the rows once, which is faster if they are few. In both, the documents are read after the page is
/// known.
fn statement(conditions: &str, is_narrow: bool) -> String {
    let order = "order by score desc, id limit $1 offset $2";
    let document = "(select document from anime where anime.id = page.id)";
    if is_narrow {
        return format!(
            "with found as materialized (select id, score from anime {conditions})
             select (select count(*) from found), {document} from (select id from found {order}) page"
        );
    }
    format!(
        "select (select count(*) from anime {conditions}), {document}
         from (select id from anime {conditions} {order}) page"
    )
}

async fn find(State(peer): State<Arc<Peer>>, Path(id): Path<i64>) -> Result<Response, StatusCode> {
    let statement = "select document from anime where id = $1".to_owned();
    let rows = peer.query(statement, &[Box::new(id)]).await;
    let rows = rows.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let row = rows.first().ok_or(StatusCode::NOT_FOUND)?;
    Ok(envelope(row.get(0)))
}

fn envelope(data: &str) -> Response {
    let body =
        format!(r#"{{"status_code":200,"message":"Anime found","data":{data},"version":"1"}}"#);
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, CACHE_PUBLIC),
    ];
    (headers, body).into_response()
}
