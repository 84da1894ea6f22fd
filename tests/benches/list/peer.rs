//! The list of a user over PostgreSQL, for comparison: a page of 50 entries with the documents of their anime and the
//! numbers of entries by status, and the change of an entry. The handlers have no layers and no sign-in, render no
//! HTML, and join the JSON texts that the rows have.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use shared::fold::fold;
use shared::models::Anime;
use tests::postgres::{Cluster, Parameter, Pool};
use tokio_postgres::Error;

/// The tables and an index for each order. The rows of stories also have the values for filters and orders, so a page
/// reads the documents of its own anime only. The history has a table of its own.
const TABLES: &str = "
    create table anime (
        id bigint primary key, title text not null, genres text[] not null, document text not null
    );
    create table story (
        user_id bigint, anime_id bigint, status smallint not null, episode integer not null,
        score smallint not null, changed_at bigint not null, title text not null, genres text[] not null,
        primary key (user_id, anime_id)
    );
    create table change (
        user_id bigint, anime_id bigint, changed_at bigint, episode integer not null,
        primary key (user_id, anime_id, changed_at)
    );
    create index on story (user_id, changed_at desc);
    create index on story (user_id, title);
    create index on story (user_id, score desc);
    create index on story (user_id, status)";

/// Statements after which plans and counts use the indexes alone.
const CLEAN: &str =
    "vacuum (analyze) anime; vacuum (analyze) story; vacuum (analyze) change; checkpoint";

/// The state of the handlers.
pub struct Peer(Pool);

/// The parameters of a list, as on Kiroku's page, and the user.
#[derive(Deserialize)]
struct List {
    user: i64,
    #[serde(default)]
    sort: String,
    search: Option<String>,
    genre: Option<String>,
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
        pool.execute(TABLES).await?;
        pool.insert("anime", anime.iter().map(columns)).await?;
        Ok(Arc::new(Self(pool)))
    }

    /// Adds stories of a user about the first anime.
    pub async fn add_stories(&self, user: i64, stories: u32) -> Result<(), Error> {
        let insert = "
            insert into story select $1::bigint, id, (id % 6)::smallint, 0, (id * 7 % 1000)::smallint, id, title, genres
            from anime where id <= $2";
        self.0
            .query(insert, &values([user, stories.into()]))
            .await?;
        self.0.execute(CLEAN).await
    }

    /// Gives the stories of a user histories of this length.
    pub async fn add_histories(&self, user: i64, changes: u32) -> Result<(), Error> {
        let insert = "
            insert into change select user_id, anime_id, number, number
            from story, generate_series(1, $2::bigint) number where user_id = $1 on conflict do nothing";
        self.0
            .query(insert, &values([user, changes.into()]))
            .await?;
        self.0.execute(CLEAN).await
    }

    /// Returns the handlers.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/list", get(list))
            .route("/list/next", post(watch_next))
            .with_state(self)
    }
}

/// Returns the values of a row of anime, in the order of the columns.
fn columns(anime: &Anime) -> Vec<Parameter> {
    let title = anime.titles.values().next();
    vec![
        Box::new(i64::try_from(anime.id.get()).expect("a small id")),
        Box::new(title.map(|title| fold(title)).unwrap_or_default()),
        Box::new(anime.genres.clone()),
        Box::new(serde_json::to_string(anime).expect("JSON")),
    ]
}

fn values<const N: usize>(numbers: [i64; N]) -> [Parameter; N] {
    numbers.map(|number| Box::new(number) as Parameter)
}

async fn list(
    State(peer): State<Arc<Peer>>,
    Query(list): Query<List>,
) -> Result<String, StatusCode> {
    let order = match list.sort.as_str() {
        "title" => "title",
        "score" => "score desc",
        _ => "changed_at desc",
    };
    let mut parameters = Vec::from(values([list.user, (list.page - 1) * 50]));
    let mut filters = String::new();
    if let (Some(search), Some(genre)) = (list.search, list.genre) {
        filters.push_str("and title like $3 and $4 = any (genres)");
        parameters.push(Box::new(format!("%{}%", fold(&search))));
        parameters.push(Box::new(genre));
    }
    let statement = format!(
        "select document, status, episode, score, (
             select json_object_agg(status, number)::text
             from (select status, count(*) number from story where user_id = $1 group by status) counts
         ) from (
             select * from story where user_id = $1 {filters} order by {order} limit 50 offset $2
         ) page join anime on anime.id = page.anime_id order by page.{order}"
    );
    respond(&peer, &statement, &parameters).await
}

/// Marks the next episode of an entry as watched.
async fn watch_next(
    State(peer): State<Arc<Peer>>,
    Query(list): Query<List>,
) -> Result<String, StatusCode> {
    let statement = "
        with changed as (
            update story set episode = episode + 1,
                changed_at = (extract(epoch from clock_timestamp()) * 1000000)::bigint
            where user_id = $1 and anime_id = 1 returning *
        ), recorded as (
            insert into change select user_id, anime_id, changed_at, episode from changed
        )
        select document, status, episode, score, null::text from changed join anime on anime.id = anime_id";
    respond(&peer, statement, &values([list.user])).await
}

/// Runs a statement, and returns the entries of its rows and the numbers that the first row has.
async fn respond(
    peer: &Peer,
    statement: &str,
    parameters: &[Parameter],
) -> Result<String, StatusCode> {
    let rows = peer.0.query(statement, parameters).await;
    let rows = rows.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let entries = rows.iter().map(|row| {
        let (anime, status): (&str, i16) = (row.get(0), row.get(1));
        let (episode, score): (i32, i16) = (row.get(2), row.get(3));
        format!(r#"{{"status":{status},"episode":{episode},"score":{score},"anime":{anime}}}"#)
    });
    let entries: Vec<String> = entries.collect();
    let counts: Option<&str> = rows.first().and_then(|row| row.get(4));
    let counts = counts.unwrap_or("null");
    Ok(format!(
        r#"{{"entries":[{}],"counts":{counts}}}"#,
        entries.join(",")
    ))
}
