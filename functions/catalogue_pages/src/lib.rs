//! The pages for visitors and of the catalogue, the OpenAPI document, the static files of all pages, and, on API
//! Gateway, the 404 for every path that has no route.

mod anime;
mod openapi;
mod reference;
mod sitemap;
mod song;
mod state;
mod style_guide;
mod suggest;

use axum::http::Uri;
use axum::middleware::from_fn;
use pages::assets::{
    FONT, ICON, ICONS, LARGE_ICON, REFERENCE_SCRIPT, SCRIPT, STYLE, TOUCH_ICON,
    respond_with_manifest,
};
use pages::error_page::error_page_of;
use pages::notice::remove_unconfirmed_notice;
use pages::paths;
use shared::endpoints;
use shared::http::PublicUrl;
use shared::http::routing::ApiRouter;

pub use state::{CataloguePagesState, warm};

// Pages are not part of the API, so the OpenAPI document does not describe them.
endpoints! {
    state: CataloguePagesState,
    handlers: [openapi::openapi],
}

/// Routes requests to the pages, their static files and the OpenAPI document.
pub fn router(state: CataloguePagesState) -> ApiRouter {
    let error_page = error_page_of(&state);
    endpoints()
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
        .get(paths::FONT, async |uri: Uri| FONT.respond(&uri))
        .get(paths::ANIME, anime::page)
        .get(paths::ANIME_RANDOM, anime::redirect_to_random)
        .get(paths::ANIME_SUGGEST, suggest::part)
        .get(paths::ANIME_PAGE, anime::details::page)
        .get(paths::SONG, song::list_page)
        .get("/song/{id}", song::page)
        .get(paths::STYLE_GUIDE, style_guide::page)
        .get(sitemap::ROBOTS, sitemap::robots)
        .get(sitemap::SITEMAP, sitemap::index)
        .get("/sitemap/{file}", sitemap::file)
        .with_state(state)
        .layer(from_fn(remove_unconfirmed_notice))
        .with_error_page(error_page)
}
