//! The calendar of the anime that a user watches or plans.

mod airing;
mod feed;
pub(crate) mod feed_tags;
mod icalendar;
mod page;
mod schedule;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

pub(crate) use feed::feed;
pub(crate) use page::page;

use crate::answer::see_other;
use crate::error::PageError;
use crate::form::SignedInForm;
use crate::paths::CALENDAR;
use crate::state::SiteState;

/// `POST /calendar/feed`: gives the feed a new address.
pub(crate) async fn renew_feed(
    State(state): State<Arc<SiteState>>,
    own: SignedInForm,
) -> Result<Response, PageError> {
    state.calendar_feeds.renew(&own.owner).await?;
    see_other(&state, &format!("{CALENDAR}?done=renewed"))
}

/// `POST /calendar/feed/remove`: ends the address of the feed.
pub(crate) async fn remove_feed(
    State(state): State<Arc<SiteState>>,
    own: SignedInForm,
) -> Result<Response, PageError> {
    state.calendar_feeds.remove(&own.owner).await?;
    see_other(&state, &format!("{CALENDAR}?done=removed"))
}
