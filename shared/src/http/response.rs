//! What endpoints share: requests parsed at the edge, answers with their headers.

use std::borrow::Cow;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{CONTROLS, utf8_percent_encode};
use serde::Serialize;

use super::layers::PublicUrl;
use super::{ApiError, Envelope};
use crate::Error;
use crate::input::cursor::{self, Place};
use crate::input::{ListFilter, MAX_SAFE_INTEGER, PageRequest, Params, path_number};

/// For what everybody sees alike and changes seldom (design.md, "Outside").
pub const CACHE_PUBLIC: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// For what belongs to a user (design.md, "Outside").
pub const CACHE_PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");

/// For what is another one each time.
pub const CACHE_NONE: HeaderValue = HeaderValue::from_static("no-store");

/// How many documents a random list has when nothing is asked for.
pub const RANDOM_COUNT: usize = 10;

/// The most documents of a random list.
pub const MAX_RANDOM_COUNT: u64 = 50;

/// The header that says how many rows a list has, over all its pages.
pub const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// A request for a page of a filtered list.
#[derive(Debug)]
pub struct ListRequest<F> {
    /// The filters.
    pub filter: F,
    /// The part of the list.
    pub page: PageRequest,
    asked: Asked,
}

impl<F: ListFilter, S: Sync> FromRequestParts<S> for ListRequest<F> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut params = Params::parse(parts.uri.query().unwrap_or_default());
        let filter = F::read(&mut params);
        let page = PageRequest::read(&mut params, F::LIST);
        Ok(Self {
            filter,
            page,
            asked: Asked::new(params, parts)?,
        })
    }
}

impl<F: ListFilter> ListRequest<F> {
    /// Responds with a page. `total` is the number of matching rows on all pages, `next` the list key of the
    /// page's last row when another page follows.
    pub fn answer<T: Serialize>(
        &self,
        message: &'static str,
        documents: Vec<T>,
        total: usize,
        next: Option<u64>,
    ) -> Response {
        let next = next.and_then(|last| {
            let next = self.page.next(F::LIST, &self.asked.filters, last);
            link_next(&self.asked.public_url, &self.asked.uri, &next)
        });
        let total = [(X_TOTAL_COUNT, HeaderValue::from(total))];
        let link: Option<[(HeaderName, HeaderValue); 1]> = next.map(|next| [(header::LINK, next)]);
        let body = cached(message, documents);
        match link {
            Some(link) => (total, link, body).into_response(),
            None => (total, body).into_response(),
        }
    }
}

/// A success that is for the caller alone.
pub fn private<T: Serialize>(message: impl Into<Cow<'static, str>>, data: T) -> Response {
    let headers = [(header::CACHE_CONTROL, CACHE_PRIVATE)];
    (headers, Envelope::ok(message, data)).into_response()
}

/// A page of a list that is for the caller alone: where it goes on is said by its cursor.
pub fn private_page<T: Serialize, P: Place>(
    message: &'static str,
    page: Vec<T>,
    next: Option<&P>,
    list: &str,
    asked: &Asked,
) -> Response {
    let link = next.and_then(|place| {
        let cursor = cursor::encode(list, &asked.filters, place);
        link_next(&asked.public_url, &asked.uri, &format!("cursor={cursor}"))
    });
    let body = private(message, page);
    match link {
        Some(link) => ([(header::LINK, link)], body).into_response(),
        None => body,
    }
}

/// What a list's next page is asked for by: the same address.
#[derive(Debug)]
pub struct Asked {
    /// The filters, as [`Params::finish`] hands them out.
    pub filters: String,
    /// The address as it was requested.
    pub uri: Uri,
    /// The public address of the service; empty outside of the layers that know it.
    pub public_url: String,
}

impl Asked {
    /// What was asked for, once all of it is read.
    ///
    /// # Errors
    /// As [`Params::finish`].
    pub fn new(params: Params, parts: &Parts) -> Result<Self, ApiError> {
        let public_url = parts.extensions.get::<PublicUrl>();
        Ok(Self {
            filters: params.finish()?,
            uri: parts.uri.clone(),
            public_url: public_url
                .map(|url| url.as_str().to_owned())
                .unwrap_or_default(),
        })
    }
}

/// A success that anybody may keep for a while.
pub fn cached<T: Serialize>(message: &'static str, data: T) -> Response {
    let headers = [(header::CACHE_CONTROL, CACHE_PUBLIC)];
    (headers, Envelope::ok(message, data)).into_response()
}

/// A success that is another one each time.
pub fn uncached<T: Serialize>(message: &'static str, data: T) -> Response {
    let headers = [(header::CACHE_CONTROL, CACHE_NONE)];
    (headers, Envelope::ok(message, data)).into_response()
}

/// The identifier in a path: `{id}`.
#[derive(Clone, Copy, Debug)]
pub struct PathId(pub u64);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let value = path_parameter(parts, state, "id").await?;
        Ok(Self(path_number("id", &value, 1..=MAX_SAFE_INTEGER)?))
    }
}

/// The length of a random list in a path: `{count}`.
#[derive(Clone, Copy, Debug)]
pub struct PathCount(pub usize);

impl<S: Send + Sync> FromRequestParts<S> for PathCount {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let value = path_parameter(parts, state, "count").await?;
        let count = path_number("count", &value, 1..=MAX_RANDOM_COUNT)?;
        Ok(Self(usize::try_from(count).map_err(Error::internal)?))
    }
}

/// A parameter of the path. What is not UTF-8 cannot be a number: it comes as the empty text.
async fn path_parameter<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    name: &str,
) -> Result<String, ApiError> {
    let Ok(params) = RawPathParams::from_request_parts(parts, state).await else {
        return Ok(String::new());
    };
    let value = params.iter().find(|(key, _)| *key == name);
    value
        .map(|(_, value)| value.to_owned())
        .ok_or_else(|| ApiError::internal(format!("the route has no {{{name}}}")))
}

/// The value of `Link` for the next page: this request's address at `public_url`, with `next` in the
/// place of its page (RFC 8288, section 3). Never made of `Host`, which a caller chooses and a cache may
/// not look at. Relative where `public_url` is empty.
///
/// Only characters that [`Uri`] lets through get here, so no parameter can end the `<...>`. Those outside
/// ASCII, which no header can hold, are percent-encoded.
#[must_use]
pub fn link_next(public_url: &str, uri: &Uri, next: &str) -> Option<HeaderValue> {
    let kept = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !matches!(pair.split('=').next(), None | Some("" | "cursor" | "page")));
    let query: Vec<&str> = kept.chain([next]).collect();
    let address = format!("{}?{}", uri.path(), query.join("&"));
    let address = utf8_percent_encode(&address, CONTROLS);
    HeaderValue::from_str(&format!("<{public_url}{address}>; rel=\"next\"")).ok()
}
