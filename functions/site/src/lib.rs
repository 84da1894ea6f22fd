//! The web pages, the OpenAPI document, and, on API Gateway, the 404 for every path that has no route.

mod anime;
mod answer;
mod assets;
mod calendar;
mod developer;
mod error;
mod form;
pub mod icon;
pub mod language;
pub mod layout;
mod list;
mod moderation;
mod openapi;
mod password;
pub mod paths;
mod profile;
mod public_profile;
mod reference;
mod return_path;
mod sessions;
mod sign_in;
mod sign_up;
mod start;
mod state;
mod statistics;
mod story;
mod style_guide;
mod upload;
mod verify_email;

use std::sync::Arc;

use shared::http::routing::ApiRouter;
use utoipa::OpenApi;

use self::moderation::corrections;

pub use error::{PageError, error_page};
pub use return_path::MAX_RETURN_PATH;
pub use sessions::{Csrf, Sessions, Visitor};
pub use state::{SiteState, warm};

/// Routes requests to the pages, their static files and the OpenAPI document.
pub fn router(state: Arc<SiteState>) -> ApiRouter {
    ApiRouter::new()
        .get(paths::START, start::page)
        .get(paths::REFERENCE, reference::page)
        .get("/reference/{group}", reference::group_page)
        .get(paths::OPENAPI, openapi::openapi)
        .get(paths::STYLE, assets::style)
        .get(paths::SCRIPT, assets::script)
        .get(paths::ICON, assets::icon)
        .get(paths::ICONS, assets::icons)
        .get(paths::ANIME, anime::page)
        .get(paths::ANIME_RANDOM, anime::random)
        .get("/anime/{id}", anime::anime_page)
        .get(paths::STYLE_GUIDE, style_guide::page)
        .get(paths::STATISTICS, statistics::page)
        .get(paths::SIGN_UP, sign_up::page)
        .post(paths::SIGN_UP, sign_up::sign_up)
        .get(paths::SIGN_IN, sign_in::page)
        .post(paths::SIGN_IN, sign_in::sign_in)
        .post(paths::SIGN_OUT, sign_in::sign_out)
        .get(paths::VERIFY_EMAIL, verify_email::page)
        .post(paths::VERIFY_EMAIL, verify_email::verify)
        .get(paths::FORGOT_PASSWORD, password::forgot_page)
        .post(paths::FORGOT_PASSWORD, password::forgot)
        .get(paths::RESET_PASSWORD, password::reset_page)
        .post(paths::RESET_PASSWORD, password::reset)
        .get(paths::LIST, list::page)
        .post(story::form::NEXT, story::routes::next)
        .post(story::form::UNDO, story::routes::undo)
        .post(story::form::SAVE, story::routes::save)
        .post(story::form::DELETE, story::routes::delete)
        .get(paths::PROFILE, profile::page)
        .post("/profile/verification", profile::send_verification)
        .post("/profile/token", profile::create_token)
        .post("/profile/token/revoke", profile::revoke_token)
        .post("/profile/settings", profile::save_settings)
        .post("/profile/password", profile::change_password)
        .get(
            "/profile/trackers/{tracker}/connect",
            profile::trackers::connect,
        )
        .get(
            "/profile/trackers/{tracker}/callback",
            profile::trackers::callback,
        )
        .post(
            "/profile/trackers/{tracker}/disconnect",
            profile::trackers::disconnect,
        )
        .get(paths::HISTORY, profile::history::page)
        .post(paths::HISTORY, profile::history::import)
        .get(paths::HISTORY_EXPORT, profile::history::export)
        .get(paths::HISTORY_WAITING, profile::waiting::page)
        .get(paths::HISTORY_WAITING_FILE, profile::waiting::file)
        .get(paths::HISTORY_IMPORTS, profile::imports::page)
        .post(paths::HISTORY_IMPORTS, profile::imports::undo)
        .post("/profile/disconnect", profile::disconnect)
        .post("/profile/sign-out-everywhere", profile::sign_out_everywhere)
        .get("/profile/data", profile::data)
        .get("/profile/delete", profile::delete_page)
        .post("/profile/delete", profile::delete)
        .get(paths::CALENDAR, calendar::page)
        .get("/calendar/{file}", calendar::feed)
        .post("/calendar/feed", calendar::renew_feed)
        .post("/calendar/feed/remove", calendar::remove_feed)
        .get("/user/{name}", public_profile::page)
        .get(paths::DEVELOPER, developer::page)
        .post(paths::DEVELOPER, developer::create)
        .get("/developer/{client_id}", developer::client_page)
        .post("/developer/{client_id}", developer::save)
        .post("/developer/{client_id}/secret", developer::rotate_secret)
        .get("/developer/{client_id}/delete", developer::delete_page)
        .post("/developer/{client_id}/delete", developer::delete)
        .get(paths::MODERATION, moderation::users::page)
        .get("/moderation/user/{id}", moderation::users::user)
        .get(
            "/moderation/user/{id}/delete",
            moderation::users::delete_page,
        )
        .post("/moderation/user/{id}/delete", moderation::users::delete)
        .get("/moderation/anime/{id}", corrections::anime)
        .get("/moderation/anime/{id}/correct", corrections::anime_form)
        .post("/moderation/anime/{id}/correct", corrections::correct_anime)
        .post(
            "/moderation/anime/{id}/take-back",
            corrections::take_back_anime,
        )
        .get("/moderation/song/{id}", corrections::song)
        .get("/moderation/song/{id}/correct", corrections::song_form)
        .post("/moderation/song/{id}/correct", corrections::correct_song)
        .post(
            "/moderation/song/{id}/take-back",
            corrections::take_back_song,
        )
        .with_state(state)
        .with_error_page(error_page)
}

/// The OpenAPI description of the endpoint `/v1/openapi.json`. Pages are not part of the API.
#[derive(Debug, OpenApi)]
#[openapi(paths(openapi::openapi))]
pub struct Reference;
