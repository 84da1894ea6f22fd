//! The calendar of the anime that a user watches or plans, and of the best rated anime that air.

mod airing;
mod feed;
pub(crate) mod feed_tags;
mod icalendar;
mod page;

use std::sync::Arc;

use axum::extract::State;
use pages::error::PageResult;
use pages::form_page::FormPage;
use pages::paths::CALENDAR;

pub(crate) use airing::{AiringAnime, airing_filter, find_airing};
pub(crate) use feed::feed;
pub(crate) use page::{airing_parts, day_character, page, rated_parts};
pub(crate) use page_parts::schedule::weekday;

use crate::state::ListState;

/// `POST /calendar/feed`: gives the feed a new address.
pub(crate) async fn renew_feed(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    state.feeds.renew(&page.owner).await?;
    page.redirect_with(CALENDAR, "renewed")
}

/// `POST /calendar/feed/remove`: ends the address of the feed.
pub(crate) async fn remove_feed(State(state): State<Arc<ListState>>, page: FormPage) -> PageResult {
    state.feeds.remove(&page.owner).await?;
    page.redirect_with(CALENDAR, "removed")
}
