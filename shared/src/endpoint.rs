//! What endpoints share: requests parsed at the edge, answers with their headers.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::catalogue::{Catalogue, Page, Resource};
use crate::cursor::{self, Place};
use crate::envelope::Envelope;
use crate::error::ApiError;
use crate::http::PublicUrl;
use crate::page::{PageRequest, X_TOTAL_COUNT, link_next};
use crate::query::{MAX_SAFE_INTEGER, Params, path_number};

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

/// The state of a catalogue's endpoints.
pub type SharedCatalogue<R> = Arc<Catalogue<R>>;

/// A request for a page of a list.
#[derive(Debug)]
pub struct ListRequest<R: Resource> {
    /// Which documents.
    pub filter: R::Filter,
    /// Which part of them.
    pub page: PageRequest,
    asked: Asked,
}

impl<R: Resource, S: Sync> FromRequestParts<S> for ListRequest<R> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut params = Params::parse(parts.uri.query().unwrap_or_default());
        let filter = R::read_filter(&mut params);
        let page = PageRequest::read(&mut params, R::KIND);
        Ok(Self {
            filter,
            page,
            asked: Asked::new(params, parts)?,
        })
    }
}

impl<R: Resource> ListRequest<R> {
    /// The page, with how many rows there are and where the list goes on.
    pub fn answer(&self, message: &'static str, page: Page<R>) -> Response {
        let next = page.next.and_then(|last| {
            let next = self.page.next(R::KIND, &self.asked.filters, last);
            link_next(&self.asked.public_url, &self.asked.uri, &next)
        });
        let total = [(X_TOTAL_COUNT, HeaderValue::from(page.total))];
        let link: Option<[(HeaderName, HeaderValue); 1]> = next.map(|next| [(header::LINK, next)]);
        let body = cached(message, page.documents);
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
        path_number("id", &value, 1..=MAX_SAFE_INTEGER).map(Self)
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
        Ok(Self(usize::try_from(count).map_err(ApiError::internal)?))
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
