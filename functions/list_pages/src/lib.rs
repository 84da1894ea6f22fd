//! The pages of a user's list: the start page, the list, statistics, imports and exports, players, and the calendar.
//! Public profiles are among them, because they show a list to others.

mod calendar;
mod history;
mod home;
mod list;
mod players;
mod public_profile;
mod review;
mod state;
mod statistics;
mod story;

use axum::middleware::from_fn;
use pages::error_page::error_page_of;
use pages::notice::remove_unconfirmed_notice;
use pages::paths;
use shared::http::routing::ApiRouter;

use self::history::{imports, proposals, waiting};

pub use state::{ListPagesState, warm};

/// Routes requests to the pages.
pub fn router(state: ListPagesState) -> ApiRouter {
    let error_page = error_page_of(&state);
    ApiRouter::new()
        .get(paths::START, home::page)
        .get(paths::STATISTICS, statistics::page)
        .get(paths::STATISTICS_YEAR, review::own_page)
        .get(paths::LIST, list::page)
        .post(paths::LIST_NEXT, story::routes::next)
        .post(paths::LIST_UNDO, story::routes::undo)
        .post(paths::LIST_SAVE, story::routes::save)
        .post(paths::LIST_SCORE, story::routes::set_scores)
        .post(paths::LIST_STATUS, story::routes::set_status)
        .post(paths::LIST_FAVORITE, story::routes::set_favorite)
        .post(paths::LIST_DELETE, story::routes::delete)
        .post(paths::LIST_SELECTION, list::selection::change)
        .post(paths::LIST_SELECTION_UNDO, list::selection::undo)
        .get(paths::CALENDAR, calendar::page)
        .get("/calendar/{file}", calendar::feed)
        .post(paths::CALENDAR_FEED_RENEW, calendar::renew_feed)
        .post(paths::CALENDAR_FEED_REMOVE, calendar::remove_feed)
        .get("/user/{name}", public_profile::page)
        .get("/user/{name}/picture", public_profile::picture::show)
        .get("/user/{name}/{year}", review::public_page)
        .get(paths::HISTORY, history::page)
        .post(paths::HISTORY, history::import)
        .get(paths::HISTORY_EXPORT, history::export)
        .get(paths::HISTORY_PROPOSALS, proposals::page)
        .post(paths::HISTORY_PROPOSALS, proposals::answer)
        .get(paths::HISTORY_WAITING, waiting::page)
        .get(paths::HISTORY_WAITING_FILE, waiting::file)
        .get(paths::HISTORY_IMPORTS, imports::page)
        .post(paths::HISTORY_IMPORTS, imports::undo)
        .get(paths::PLAYERS, players::list::page)
        .post(paths::PLAYERS, players::list::add)
        .get(paths::PLAYERS_SERIES, players::series::page)
        .post(paths::PLAYERS_SERIES, players::series::answer)
        .get(paths::PLAYER, players::player::page)
        .post(paths::PLAYER, players::player::save)
        .post("/profile/players/{id}/address", players::player::renew)
        .post("/profile/players/{id}/remove", players::player::remove)
        .post("/profile/players/{id}/wrong", players::player::reject)
        .with_state(state)
        .layer(from_fn(remove_unconfirmed_notice))
        .with_error_page(error_page)
}
