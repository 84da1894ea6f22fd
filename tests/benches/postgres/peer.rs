//! The anime list and the lookup by id over PostgreSQL, for comparison: the same rows, documents and envelope as
//! Kiroku's, behind a small axum handler without any layers. Each document is stored as the JSON text of the response,
//! so that it is neither decoded nor encoded.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::fold::fold;
use shared::http::response::{CACHE_PUBLIC, X_TOTAL_COUNT};
use shared::models::Anime;
use tests::postgres::{Cluster, Parameter, Pool};
use tokio_postgres::Error;
use tokio_postgres::types::ToSql;

const TABLE: &str = "
    create extension pg_trgm;
    create table anime (
        id bigint primary key,
        score smallint not null,
        year smallint,
        season smallint not null,
        titles text not null, -- folded, one a line
        genres text[] not null,
        document text not null
    )";

/// The indexes. Genres have none: PostgreSQL would combine it with that of the season, which takes longer.
const INDEXES: &str = "
    create index on anime (score desc, id);
    create index on anime (year, season);
    create index on anime using gin (titles gin_trgm_ops);
    vacuum (analyze, freeze) anime";

/// The state of the handlers.
pub struct Peer {
    pool: Pool,
    genres: Vec<String>,
}

/// The parameters of the list that the benchmark uses, as in Kiroku's API.
#[derive(Debug, Deserialize)]
struct List {
    title: Option<String>,
    year: Option<i16>,
    season: Option<i16>,
    genres: Option<String>,
    per_page: i64,
    #[serde(default = "first_page")]
    page: i64,
}

fn first_page() -> i64 {
    1
}

impl Peer {
    /// Writes the anime to an empty database.
    pub async fn load(cluster: &Cluster, anime: &[Anime]) -> Result<Arc<Self>, Error> {
        let pool = cluster.pool().await;
        pool.execute(TABLE).await?;
        pool.insert("anime", anime.iter().map(columns)).await?;
        pool.execute(INDEXES).await?;
        let genres = "select distinct unnest(genres) from anime";
        let genres = pool.query(genres, &[]).await?;
        let genres = genres.iter().map(|row| row.get(0)).collect();
        Ok(Arc::new(Self { pool, genres }))
    }

    /// Returns the handlers.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/v1/anime", get(list))
            .route("/v1/anime/{id}", get(find))
            .with_state(self)
    }

    /// Returns the genres that contain one of the texts.
    fn genres_like(&self, texts: &str) -> Vec<String> {
        let is_wanted = |genre: &&String| texts.split(',').any(|text| genre.contains(text));
        self.genres.iter().filter(is_wanted).cloned().collect()
    }
}

/// Returns the values of a row, in the order of the columns.
fn columns(anime: &Anime) -> Vec<Parameter> {
    let titles: Vec<String> = anime.titles.values().map(|title| fold(title)).collect();
    let wire = |value: Value| value.as_i64().and_then(|number| i16::try_from(number).ok());
    vec![
        Box::new(i64::try_from(anime.id.get()).expect("a small id")),
        Box::new(i16::try_from(anime.score.hundredths()).expect("at most 10,000")),
        Box::new(anime.season_year.and_then(|year| i16::try_from(year).ok())),
        Box::new(wire(json!(anime.season_period))),
        Box::new(titles.join("\n")),
        Box::new(anime.genres.clone()),
        Box::new(serde_json::to_string(anime).expect("JSON")),
    ]
}

/// The conditions of a list, as SQL, and the parameters of the statement.
struct Conditions {
    sql: String,
    parameters: Vec<Parameter>,
}

impl Conditions {
    /// Adds a condition, with `?` in place of its parameter.
    fn add(&mut self, condition: &str, parameter: impl ToSql + Send + Sync + 'static) {
        self.parameters.push(Box::new(parameter));
        let place = format!("${}", self.parameters.len());
        let joint = if self.sql.is_empty() { "where" } else { "and" };
        let _ = write!(self.sql, " {joint} {}", condition.replace('?', &place));
    }
}

async fn list(
    State(peer): State<Arc<Peer>>,
    Query(list): Query<List>,
) -> Result<Response, StatusCode> {
    let offset = (list.page - 1) * list.per_page;
    let mut conditions = Conditions {
        sql: String::new(),
        parameters: vec![Box::new(list.per_page), Box::new(offset)],
    };
    let title = list.title.map(|title| fold(&title).trim().to_owned());
    // The index finds only texts of three characters and more. With another collation than its own, PostgreSQL does not
    // use it.
    let has_trigram = title
        .as_ref()
        .is_some_and(|title| title.chars().count() > 2);
    if let Some(title) = title {
        let collation = if has_trigram { "" } else { "collate \"C\"" };
        conditions.add(&format!("titles {collation} like ?"), format!("%{title}%"));
    }
    if let Some(year) = list.year {
        conditions.add("year = ?", year);
    }
    if let Some(season) = list.season {
        conditions.add("season = ?", season);
    }
    if let Some(genres) = list.genres {
        conditions.add("genres && ?", peer.genres_like(&genres));
    }
    let statement = statement(&conditions.sql, has_trigram);
    let rows = peer.pool.query(&statement, &conditions.parameters).await;
    let rows = rows.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let total: i64 = rows.first().map_or(0, |row| row.get(0));
    let documents: Vec<&str> = rows.iter().map(|row| row.get(1)).collect();
    let body = envelope(&format!("[{}]", documents.join(",")));
    Ok(([(X_TOTAL_COUNT, HeaderValue::from(total))], body).into_response())
}

/// Returns the statement of a list: each row has the number of matching rows, and a document.
///
/// The wide form lets PostgreSQL count without reading rows, and stop at the end of the page. The narrow form finds the
/// rows once, which is faster if they are few. In both, the documents are read after the page is known.
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
    let statement = "select document from anime where id = $1";
    let rows = peer.pool.query(statement, &[Box::new(id)]).await;
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
