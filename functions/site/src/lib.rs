//! The web pages, the OpenAPI document, and, on API Gateway, the 404 for every path that has no route.

mod administration;
mod anime;
mod calendar;
mod developer;
mod home;
mod list;
mod moderation;
mod open_graph;
mod openapi;
mod passkeys;
mod password_reset;
mod players;
mod profile;
mod proof;
mod public_profile;
mod reference;
mod review;
mod settings;
mod sign_in;
mod sign_up;
mod song;
mod state;
mod statistics;
mod story;
mod style_guide;
mod verify_email;
mod welcome;

use axum::http::Uri;
use axum::middleware::from_fn;
use pages::assets::{
    ICON, ICONS, LARGE_ICON, REFERENCE_SCRIPT, SCRIPT, STYLE, TOUCH_ICON, respond_with_manifest,
};
use pages::error::error_page;
use pages::form_page::FormPage;
use pages::notice::remove_unconfirmed_notice;
use pages::paths;
use shared::endpoints;
use shared::http::PublicUrl;
use shared::http::routing::ApiRouter;
use shared::models::{Anime, Song};

use self::moderation::{corrections, users};

pub use state::{SiteState, warm};

// Pages are not part of the API, so the OpenAPI document does not describe them.
endpoints! {
    state: SiteState,
    handlers: [openapi::openapi],
}

/// Routes requests to the pages, their static files and the OpenAPI document.
pub fn router(state: SiteState) -> ApiRouter {
    let pages = endpoints()
        .get(paths::START, home::page)
        .get(paths::REFERENCE, reference::page)
        .get("/reference/{group}", reference::group_page)
        .get(paths::STYLE, async |uri: Uri| STYLE.respond(&uri))
        .get(paths::SCRIPT, async |uri: Uri| SCRIPT.respond(&uri))
        .get(paths::REFERENCE_SCRIPT, async |uri: Uri| {
            REFERENCE_SCRIPT.respond(&uri)
        })
        .get(paths::MANIFEST, async |uri: Uri, public_url: PublicUrl| {
            respond_with_manifest(&uri, public_url.base_path())
        })
        .get(paths::ICON, async |uri: Uri| ICON.respond(&uri))
        .get(paths::TOUCH_ICON, async |uri: Uri| TOUCH_ICON.respond(&uri))
        .get(paths::LARGE_ICON, async |uri: Uri| LARGE_ICON.respond(&uri))
        .get(paths::ICONS, async |uri: Uri| ICONS.respond(&uri))
        .get(paths::ANIME, anime::page)
        .get(paths::ANIME_RANDOM, anime::redirect_to_random)
        .get(paths::ANIME_PAGE, anime::details::page)
        .get(paths::SONG, song::list_page)
        .get("/song/{id}", song::page)
        .get(paths::STYLE_GUIDE, style_guide::page)
        .get(paths::SETTINGS, settings::page)
        .post(paths::SETTINGS, settings::save)
        .get(paths::STATISTICS, statistics::page)
        .get(paths::STATISTICS_YEAR, review::own_page)
        .get(paths::SIGN_UP, sign_up::page)
        .post(paths::SIGN_UP, sign_up::sign_up)
        .post(paths::SIGN_UP_PASSKEY, sign_up::passkey::begin)
        .post(paths::SIGN_UP_PASSKEY_CREATE, sign_up::passkey::create)
        .get(paths::WELCOME, welcome::page)
        .get(paths::SIGN_IN, sign_in::page)
        .post(paths::SIGN_IN, sign_in::sign_in)
        .post(paths::SIGN_IN_PASSKEY, sign_in::sign_in_with_passkey)
        .post(paths::SIGN_IN_CODE, sign_in::send_code)
        .post(paths::SIGN_OUT, sign_in::sign_out)
        .post(paths::PROVE_PASSKEY, proof::prove_with_passkey)
        .get(paths::SIGN_IN_PROVIDER, sign_in::provider::sign_in)
        .get(openid::CALLBACK_PATH, sign_in::provider::callback)
        .get(paths::SIGN_IN_PROVIDER_PROVE, sign_in::provider::prove)
        .post(
            paths::SIGN_IN_PROVIDER_NEW,
            sign_in::provider::newcomer::sign_up,
        )
        .post(
            paths::SIGN_IN_PROVIDER_LOGOUT,
            sign_in::provider::logout::logout,
        )
        .get(paths::VERIFY_EMAIL, async |page: FormPage<_>| {
            verify_email::page(&page)
        })
        .post(paths::VERIFY_EMAIL, verify_email::verify)
        .get(paths::FORGOT_PASSWORD, password_reset::forgot_page)
        .post(paths::FORGOT_PASSWORD, password_reset::request_reset)
        .get(paths::RESET_PASSWORD, password_reset::reset_page)
        .post(paths::RESET_PASSWORD, password_reset::reset)
        .get(paths::LIST, list::page)
        .post(paths::LIST_NEXT, story::routes::next)
        .post(paths::LIST_UNDO, story::routes::undo)
        .post(paths::LIST_SAVE, story::routes::save)
        .post(paths::LIST_SCORE, story::routes::set_scores)
        .post(paths::LIST_DELETE, story::routes::delete)
        .post(paths::LIST_SELECTION, list::selection::change)
        .post(paths::LIST_SELECTION_UNDO, list::selection::undo)
        .get(paths::CALENDAR, calendar::page)
        .get("/calendar/{file}", calendar::feed)
        .post(paths::CALENDAR_FEED_RENEW, calendar::renew_feed)
        .post(paths::CALENDAR_FEED_REMOVE, calendar::remove_feed)
        .get("/user/{name}", public_profile::page)
        .get("/user/{name}/{year}", review::public_page)
        .get(paths::DEVELOPER, developer::page)
        .post(paths::DEVELOPER, developer::create)
        .get(paths::DEVELOPER_CLIENT, developer::client_page)
        .post(paths::DEVELOPER_CLIENT, developer::save)
        .post("/developer/{client_id}/secret", developer::rotate_secret)
        .get("/developer/{client_id}/delete", developer::delete_page)
        .post("/developer/{client_id}/delete", developer::delete);
    add_staff_pages(add_profile_pages(pages))
        .with_state(state)
        .layer(from_fn(remove_unconfirmed_notice))
        .with_error_page(error_page)
}

/// Adds the parts of the profile, and the pages that belong to them.
fn add_profile_pages(pages: ApiRouter<SiteState>) -> ApiRouter<SiteState> {
    use profile::security::{self, passkeys, password, provider, second_factor, sessions};
    use profile::{
        account, connections, data, deletion, developer, history, imports, privacy, proposals,
        trackers, waiting,
    };

    pages
        .get(paths::PROFILE, async |page: FormPage| account::page(page))
        .post(paths::PROFILE_VERIFICATION, account::send_verification)
        .post(paths::PROFILE_EMAIL, account::change_email)
        .post(paths::PROFILE_SETTINGS, account::save_settings)
        .get(paths::PROFILE_DELETE, async |page: FormPage| {
            deletion::page(&page)
        })
        .post(paths::PROFILE_DELETE, deletion::delete)
        .get(paths::PROFILE_SECURITY, security::page)
        .post(paths::PROFILE_PASSKEYS, passkeys::add)
        .post(paths::PROFILE_PASSKEYS_RENAME, passkeys::rename)
        .post(paths::PROFILE_PASSKEYS_REMOVE, passkeys::remove)
        .post(paths::PROFILE_PASSWORD, password::change)
        .post(paths::PROFILE_SESSION_END, sessions::end)
        .post(
            paths::PROFILE_SIGN_OUT_EVERYWHERE,
            sessions::sign_out_everywhere,
        )
        .get(paths::PROVE, proof::page)
        .post(paths::PROVE, proof::prove)
        .get(paths::PROFILE_PROVIDER, provider::connect)
        .post(paths::PROFILE_PROVIDER_DISCONNECT, provider::disconnect)
        .get(paths::PROFILE_SECOND_FACTOR, second_factor::set_up_page)
        .post(paths::PROFILE_SECOND_FACTOR, second_factor::set_up)
        .post(
            paths::PROFILE_SECOND_FACTOR_CODES,
            second_factor::renew_codes,
        )
        .post(paths::PROFILE_SECOND_FACTOR_REMOVE, second_factor::remove)
        .get(paths::PROFILE_PRIVACY, async |page: FormPage| {
            privacy::page(page)
        })
        .post(paths::PROFILE_PRIVACY, privacy::save)
        .get(paths::PROFILE_CONNECTIONS, connections::page)
        .post(paths::PROFILE_DISCONNECT, connections::disconnect)
        .get("/profile/trackers/{tracker}/connect", trackers::connect)
        .get("/profile/trackers/{tracker}/callback", trackers::callback)
        .post(
            "/profile/connections/{tracker}/disconnect",
            trackers::disconnect,
        )
        .get(paths::PROFILE_DATA, async |page: FormPage| {
            data::page(&page)
        })
        .get(paths::PROFILE_DOWNLOAD, data::download)
        .get(paths::HISTORY, history::page)
        .post(paths::HISTORY, history::import)
        .get(paths::HISTORY_EXPORT, history::export)
        .get(paths::HISTORY_PROPOSALS, proposals::page)
        .post(paths::HISTORY_PROPOSALS, proposals::answer)
        .get(paths::HISTORY_WAITING, waiting::page)
        .get(paths::HISTORY_WAITING_FILE, waiting::file)
        .get(paths::HISTORY_IMPORTS, imports::page)
        .post(paths::HISTORY_IMPORTS, imports::undo)
        .get(paths::PROFILE_DEVELOPER, developer::page)
        .post(paths::PROFILE_TOKEN, developer::create_token)
        .post(paths::PROFILE_TOKEN_REVOKE, developer::revoke_token)
        .get(paths::PLAYERS, players::list::page)
        .post(paths::PLAYERS, players::list::add)
        .get(paths::PLAYERS_SERIES, players::series::page)
        .post(paths::PLAYERS_SERIES, players::series::answer)
        .get(paths::PLAYER, players::player::page)
        .post(paths::PLAYER, players::player::save)
        .post("/profile/players/{id}/address", players::player::renew)
        .post("/profile/players/{id}/remove", players::player::remove)
        .post("/profile/players/{id}/wrong", players::player::reject)
}

/// Adds the pages of administrators and moderators.
fn add_staff_pages(pages: ApiRouter<SiteState>) -> ApiRouter<SiteState> {
    pages
        .get(paths::ADMINISTRATION, administration::page)
        .post(paths::ADMINISTRATION_INVITE, administration::invite)
        .post(paths::ADMINISTRATION_REVOKE, administration::revoke)
        .get(paths::MODERATION, users::page)
        .get("/moderation/user/{id}", users::user_page)
        .get("/moderation/user/{id}/delete", users::delete_page)
        .post("/moderation/user/{id}/delete", users::delete)
        .get(paths::MODERATION_ANIME, corrections::page::<Anime>)
        .get("/moderation/anime/{id}/correct", corrections::form::<Anime>)
        .post(
            "/moderation/anime/{id}/correct",
            corrections::correct::<Anime>,
        )
        .post(
            "/moderation/anime/{id}/take-back",
            corrections::take_back::<Anime>,
        )
        .get(paths::MODERATION_SONG, corrections::page::<Song>)
        .get("/moderation/song/{id}/correct", corrections::form::<Song>)
        .post(
            "/moderation/song/{id}/correct",
            corrections::correct::<Song>,
        )
        .post(
            "/moderation/song/{id}/take-back",
            corrections::take_back::<Song>,
        )
}
