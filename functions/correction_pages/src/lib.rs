//! The pages on which moderators correct the catalogue. Besides the refresh, only this function writes anime and songs.

mod correction_view;
mod corrections;
mod field_view;
mod labels;
mod row_view;
mod state;
mod subject;

use axum::middleware::from_fn;
use pages::error::error_page;
use pages::notice::remove_unconfirmed_notice;
use pages::paths;
use shared::http::routing::ApiRouter;
use shared::models::{Anime, Song};

pub use state::{CorrectionPagesState, warm};

/// Routes requests to the pages.
pub fn router(state: CorrectionPagesState) -> ApiRouter {
    ApiRouter::new()
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
        .with_state(state)
        .layer(from_fn(remove_unconfirmed_notice))
        .with_error_page(error_page)
}
