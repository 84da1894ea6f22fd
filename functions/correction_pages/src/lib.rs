//! The pages on which moderators correct the catalogue. Besides the refresh, only this function writes anime and songs.

mod correction_view;
mod corrections;
mod field_view;
mod labels;
mod row_view;
mod state;
mod subject;

use axum::middleware::from_fn;
use pages::error_page::error_page_of;
use pages::notice::remove_unconfirmed_notice;
use pages::paths;
use shared::http::routing::ApiRouter;
use shared::models::{Anime, Song};

use self::corrections::{correct, form, page, take_back};

pub use state::{CorrectionPagesState, warm};

/// Routes requests to the pages.
pub fn router(state: CorrectionPagesState) -> ApiRouter {
    let error_page = error_page_of(&state);
    ApiRouter::new()
        .get(paths::MODERATION_ANIME, page::<Anime>)
        .get("/moderation/anime/{id}/correct", form::<Anime>)
        .post("/moderation/anime/{id}/correct", correct::<Anime>)
        .post("/moderation/anime/{id}/take-back", take_back::<Anime>)
        .get(paths::MODERATION_SONG, page::<Song>)
        .get("/moderation/song/{id}/correct", form::<Song>)
        .post("/moderation/song/{id}/correct", correct::<Song>)
        .post("/moderation/song/{id}/take-back", take_back::<Song>)
        .with_state(state)
        .layer(from_fn(remove_unconfirmed_notice))
        .with_error_page(error_page)
}
