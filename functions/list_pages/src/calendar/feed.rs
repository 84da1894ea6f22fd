//! The calendar feed: a file in iCalendar at a secret address, which calendar programs read without a session
//! (docs/api.md, "Calendar feed").

use std::sync::Arc;

use accounts::users::Account;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::try_join;
use page_parts::schedule::Schedule;
use pages::anime_card::{AnimeRenderer, path_of};
use pages::language::Localizer;
use shared::http::ApiError;
use shared::http::response::{CACHE_CHECKED, KnownTags, NO_REFERRER, NO_SNIFFING};
use shared::models::StoryId;
use shared::{Error, Missing};
use time::Date;

use super::airing::{AiringAnime, find_airing};
use super::feed_tags::FeedSource;
use super::icalendar::{Calendar, CalendarEvent, Weekly};
use crate::state::ListState;

/// `Content-Type` of the feed.
const ICALENDAR: HeaderValue = HeaderValue::from_static("text/calendar; charset=utf-8");

/// The error for an address that no feed has.
const NO_FEED: Error = Error::NotFound(Missing::Calendar);

/// The secret in the address of a feed: the name of the file without `.ics`.
pub(crate) struct FeedSecret(String);

impl<S: Send + Sync> FromRequestParts<S> for FeedSecret {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await.ok();
        let secret = path.and_then(|Path(file)| file.strip_suffix(".ics").map(str::to_owned));
        secret.map(Self).ok_or_else(|| NO_FEED.into())
    }
}

/// `GET /calendar/{file}`
pub(crate) async fn feed(
    State(state): State<Arc<ListState>>,
    FeedSecret(secret): FeedSecret,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let owner = state.feeds.find_owner(&secret).await?.ok_or(NO_FEED)?;
    let today = owner.time_zone().date_of(state.clock.now_ms());
    let version = state.catalogue.version().await?;
    let source = FeedSource::new(&owner, version, today);
    let known = KnownTags::of(&headers);
    // If the client already has the file with the remembered tag, neither the stories nor the anime are read.
    let remembered = source
        .as_ref()
        .and_then(|source| state.feed_tags.find(source));
    if remembered
        .as_ref()
        .is_some_and(|tag| known.contain_header(tag))
    {
        return Ok(file_response(remembered, None));
    }
    let list = state.stories.current_list(owner.user.id, &owner.list);
    let (list, index) = try_join!(list, state.catalogue.index())?;
    let list = state.stories.join(list, index);
    let mut airing = find_airing(&state.catalogue, &list, true, today).await?;
    airing.sort_by_key(|airing| airing.anime.id);
    let file = write_file(&state, &owner, &airing, today);
    // Without a digest, the list can lack the change whose number the source has.
    let source = source.filter(|_| list.list().has_digest_of(&owner.list));
    let tag = state.feed_tags.compute_tag(&file, source);
    let is_known = tag.as_ref().is_some_and(|tag| known.contain_header(tag));
    Ok(file_response(tag, Some(file).filter(|_| !is_known)))
}

/// Returns the response with this file, or a 304 if `file` is `None`.
fn file_response(tag: Option<HeaderValue>, file: Option<String>) -> Response {
    let robots = HeaderName::from_static("x-robots-tag");
    let headers = [
        (header::CACHE_CONTROL, CACHE_CHECKED),
        (header::REFERRER_POLICY, NO_REFERRER),
        (header::X_CONTENT_TYPE_OPTIONS, NO_SNIFFING),
        (robots, HeaderValue::from_static("noindex")),
    ];
    let headers = (tag.map(|tag| [(header::ETAG, tag)]), headers);
    match file {
        Some(file) => ([(header::CONTENT_TYPE, ICALENDAR)], headers, file).into_response(),
        None => (StatusCode::NOT_MODIFIED, headers).into_response(),
    }
}

fn write_file(state: &ListState, owner: &Account, airing: &[AiringAnime], today: Date) -> String {
    let public_url = state.sessions.public_url();
    let host = public_url
        .split_once("://")
        .map_or(public_url, |(_, host)| host);
    let l10n = Localizer::new(Some(&owner.localization), &[]).with_display(owner.display);
    let renderer = AnimeRenderer::new(state.has_images, &l10n);
    // Events state the start of the day as the time of their last change, not the current time. The file and its entity
    // tag then stay the same for the whole day, unless a story or an anime changes.
    let mut calendar = Calendar::new(&l10n.text("calendar-name"), today);
    for AiringAnime {
        anime, schedule, ..
    } in airing
    {
        let (day, repetition) = match *schedule {
            Schedule::Weekly { first, last } => (first, Some(Weekly { until: last })),
            Schedule::Once(day) => (day, None),
            Schedule::Unknown => continue,
        };
        calendar.add_event(&CalendarEvent {
            uid: &format!(
                "story-{}@{host}",
                StoryId::of(owner.user.id, anime.id).get()
            ),
            day,
            repetition,
            summary: &renderer.title(anime),
            url: &format!("{public_url}{}", path_of(anime)),
        });
    }
    calendar.finish()
}
