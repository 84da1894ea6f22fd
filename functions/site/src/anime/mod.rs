//! The pages of the catalogue: `/anime` and `/anime/{id}`.

pub(crate) mod card;
mod details;
mod details_view;
mod labels;
mod query;
mod view;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use accounts::SignedIn;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use catalogue::index::{Listed, Matches};
use catalogue::parse;
use futures_util::try_join;
use shared::Error;
use shared::models::{Anime, AnimeId, UserId};
use store::{Story, StoryFilter};

use self::query::Query;
use crate::answer::see_other;
use crate::error::PageError;
use crate::paths::ANIME;
use crate::sessions::Visitor;
use crate::state::SiteState;

pub(crate) use details::{page as anime_page, songs};
pub(crate) use query::season_at;
pub(crate) use view::season_path;

/// `GET /anime`
pub(crate) async fn page(
    State(state): State<Arc<SiteState>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let query = Query::read(query.as_deref().unwrap_or_default());
    let found = if query.faults.is_empty() {
        state.catalogue.list(&query.filter, query.request()).await?
    } else {
        Matches::default()
    };
    let (signed_in, anime, stories) = Box::pin(read(&state, &visitor, &found.rows)).await?;
    let l10n = visitor.localizer(signed_in.as_ref());
    let results = view::Results {
        query: &query,
        total: found.total,
        anime: &anime,
        stories: &stories,
        season: season_at(state.accounts.clock.now_s()),
    };
    Ok(view::page(&state, &l10n, signed_in.as_ref(), &results))
}

/// `GET /anime/random`: redirects to an anime.
pub(crate) async fn random(State(state): State<Arc<SiteState>>) -> Result<Response, PageError> {
    // A few more, of which the first one that is safe for work is taken.
    let anime: Vec<Anime> = parse(&state.catalogue.random(8).await?)?;
    let chosen = anime.iter().find(|anime| !anime.nsfw);
    see_other(
        &state,
        &chosen.map_or_else(|| ANIME.to_owned(), card::path_of),
    )
}

/// The stories of the visitor about the anime of a page, by anime.
pub(crate) type Stories = HashMap<AnimeId, Story>;

/// Reads in one round: the visitor's session and account, these anime, and the visitor's stories about them.
pub(crate) async fn read(
    state: &SiteState,
    visitor: &Visitor,
    rows: &[Listed],
) -> Result<(Option<SignedIn>, Vec<Anime>, Stories), Error> {
    let ids = rows.iter().filter_map(|row| AnimeId::new(row.id)).collect();
    let signed_in = async { Ok(state.signed_in(visitor).await) };
    let (signed_in, documents, mut stories) = try_join!(
        signed_in,
        state.catalogue.documents(rows),
        stories_of(state, state.sessions.named_user(visitor), ids),
    )?;
    if signed_in.is_none() {
        stories.clear();
    }
    Ok((signed_in, parse(&documents)?, stories))
}

/// Returns the stories of a user about these anime, at most 100.
async fn stories_of(
    state: &SiteState,
    user: Option<UserId>,
    anime_ids: BTreeSet<AnimeId>,
) -> Result<Stories, Error> {
    let Some(user) = user.filter(|_| !anime_ids.is_empty()) else {
        return Ok(Stories::new());
    };
    let filter = StoryFilter {
        anime_ids: Some(anime_ids),
        ..StoryFilter::default()
    };
    let found = state.stories.list(user, filter, None, 100).await?;
    let stories = found.stories.into_iter();
    Ok(stories.map(|story| (story.anime_id, story)).collect())
}
