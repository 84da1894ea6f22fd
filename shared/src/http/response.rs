//! Extractors and responses that all endpoints share: pages of lists, path parameters, and cache headers.

use std::borrow::Cow;
use std::convert::Infallible;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{CONTROLS, percent_decode_str, utf8_percent_encode};
use serde::Serialize;

use super::public_url::PublicUrl;
use super::{ApiError, Envelope};
use crate::Error;
use crate::input::cursor::{self, CursorPosition};
use crate::input::{CursorRequest, ListFilter, MAX_SAFE_INTEGER, PageRequest, Params, path_number};

/// `Cache-Control` of public resources (docs/api.md, "Caching and ETag").
pub const CACHE_PUBLIC: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// `Cache-Control` of users' data, which no cache may store.
pub const CACHE_PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");

/// `Cache-Control` of a user's data that the user's own programs may store, if they check each time that it has not
/// changed.
pub const CACHE_CHECKED: HeaderValue = HeaderValue::from_static("private, no-cache");

/// `Cache-Control` of responses that no cache may store, such as random lists.
pub const CACHE_NONE: HeaderValue = HeaderValue::from_static("no-store");

/// `Referrer-Policy` of responses whose address other sites must not learn.
pub const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// `X-Content-Type-Options` of responses whose media type browsers must not guess.
pub const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");

/// The length of a random list if the request does not state one.
pub const RANDOM_COUNT: usize = 10;

/// The maximum length of a random list.
pub const MAX_RANDOM_COUNT: u64 = 50;

/// The header with the number of matching rows of a list, over all its pages.
pub const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// A request for a page of a catalogue list, with its filters.
#[derive(Debug)]
pub struct CatalogueListRequest<F> {
    /// The filters.
    pub filter: F,
    /// The requested page.
    pub page: PageRequest,
    /// The entity tags that the caller knows.
    pub known: KnownTags,
    context: ListContext,
}

impl<F: ListFilter, S: Sync> FromRequestParts<S> for CatalogueListRequest<F> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut params = Params::parse(parts.uri.query().unwrap_or_default());
        let filter = F::read(&mut params);
        let page = PageRequest::read(&mut params, F::LIST);
        Ok(Self {
            filter,
            page,
            known: KnownTags::of(&parts.headers),
            context: ListContext::new(params, parts)?,
        })
    }
}

impl<F: ListFilter> CatalogueListRequest<F> {
    /// Returns the response with a page. `tag` is the page's entity tag; without it, the layers derive the tag from
    /// the body. `total` is the number of matching rows on all pages. `last` is the position of the page's last row
    /// if another page follows, and `None` otherwise.
    pub fn respond<T: Serialize>(
        &self,
        message: &'static str,
        documents: Vec<T>,
        tag: Option<String>,
        total: usize,
        last: Option<u128>,
    ) -> Response {
        let link = last.and_then(|last| {
            let parameter = self
                .page
                .next_parameter(F::LIST, &self.context.filters, last);
            self.context.link_next(&parameter)
        });
        let total = [(X_TOTAL_COUNT, HeaderValue::from(total))];
        let link: Option<[(HeaderName, HeaderValue); 1]> = link.map(|link| [(header::LINK, link)]);
        let body = cached(message, documents, tag);
        match link {
            Some(link) => (total, link, body).into_response(),
            None => (total, body).into_response(),
        }
    }
}

/// Returns a success with a user's data, which no cache may store.
pub fn private<T: Serialize>(message: impl Into<Cow<'static, str>>, data: T) -> Response {
    let headers = [(header::CACHE_CONTROL, CACHE_PRIVATE)];
    (headers, Envelope::ok(message, data)).into_response()
}

/// A request for a page of a list of users or stories, with its filters. `P` is the position of a row in the list.
#[derive(Debug)]
pub struct PrivateListRequest<F, P> {
    /// The filters.
    pub filter: F,
    /// The requested page.
    pub page: CursorRequest<P>,
    context: ListContext,
}

impl<F: ListFilter, P: CursorPosition, S: Sync> FromRequestParts<S> for PrivateListRequest<F, P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut params = Params::parse(parts.uri.query().unwrap_or_default());
        let filter = F::read(&mut params);
        let page = CursorRequest::read(&mut params, F::LIST);
        Ok(Self {
            filter,
            page,
            context: ListContext::new(params, parts)?,
        })
    }
}

impl<F: ListFilter, P: CursorPosition> PrivateListRequest<F, P> {
    /// Returns the response with a page, which no cache may store. `next` is the position after which the next page
    /// begins, and `None` if no page follows. The header `Link` has a cursor for this position.
    pub fn respond<T: Serialize>(
        &self,
        message: &'static str,
        rows: Vec<T>,
        next: Option<&P>,
    ) -> Response {
        let link = next.and_then(|position| {
            let cursor = cursor::encode(F::LIST, &self.context.filters, position);
            self.context.link_next(&format!("cursor={cursor}"))
        });
        let body = private(message, rows);
        match link {
            Some(link) => ([(header::LINK, link)], body).into_response(),
            None => body,
        }
    }
}

/// The parts of a list request from which the `Link` header is built.
#[derive(Debug)]
struct ListContext {
    /// The filters, as [`Params::finish`] returns them.
    filters: String,
    /// The path and query, as they were requested.
    uri: Uri,
    /// The public URL of the service; empty for a router without [`super::layers`].
    public_url: String,
}

impl ListContext {
    /// Finishes reading the parameters and keeps the parts for the `Link` header.
    fn new(params: Params, parts: &Parts) -> Result<Self, ApiError> {
        let public_url = parts.extensions.get::<PublicUrl>();
        Ok(Self {
            filters: params.finish()?,
            uri: parts.uri.clone(),
            public_url: public_url
                .map(|url| url.as_str().to_owned())
                .unwrap_or_default(),
        })
    }

    /// Returns the `Link` header for the next page (RFC 8288, section 3): the public URL, followed by the request's
    /// path and query, in which `parameter` (such as `page=2`) replaces `page` or `cursor`. The host never comes
    /// from the header `Host`, because a caller chooses that header and a cache may ignore it. The address is
    /// relative if the public URL is empty.
    ///
    /// [`Uri`] accepts no `>`, so a parameter cannot end the `<...>` early. Characters outside ASCII are
    /// percent-encoded, because a header cannot contain them.
    fn link_next(&self, parameter: &str) -> Option<HeaderValue> {
        let is_kept = |pair: &&str| {
            // A caller may percent-encode any character of a name.
            let name = pair.split('=').next().unwrap_or_default();
            let name = percent_decode_str(name).decode_utf8_lossy();
            !matches!(&*name, "" | "cursor" | "page")
        };
        let query = self.uri.query().unwrap_or_default();
        let kept = query.split('&').filter(is_kept);
        let query: Vec<&str> = kept.chain([parameter]).collect();
        let address = format!("{}?{}", self.uri.path(), query.join("&"));
        let address = utf8_percent_encode(&address, CONTROLS);
        HeaderValue::from_str(&format!("<{}{address}>; rel=\"next\"", self.public_url)).ok()
    }
}

/// The header `Link` with the page about the resource of a request, as `rel="alternate"` (RFC 8288). A page has the
/// path of its resource without `/v1`.
#[derive(Clone, Debug)]
pub struct PageLink(Option<HeaderValue>);

impl<S: Sync> FromRequestParts<S> for PageLink {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let public_url = parts.extensions.get::<PublicUrl>().map(PublicUrl::as_str);
        let path = parts.uri.path();
        let page = path.strip_prefix("/v1").unwrap_or(path);
        let public_url = public_url.unwrap_or_default();
        let link = format!("<{public_url}{page}>; rel=\"alternate\"; type=\"text/html\"");
        Ok(Self(HeaderValue::from_str(&link).ok()))
    }
}

impl PageLink {
    /// Adds the header to a response.
    pub fn add_to(self, mut response: Response) -> Response {
        if let Some(link) = self.0 {
            response.headers_mut().insert(header::LINK, link);
        }
        response
    }
}

/// Returns a success that any cache may store for 60 seconds. `tag` is its entity tag; without it, the layers derive
/// the tag from the body.
pub fn cached<T: Serialize>(message: &'static str, data: T, tag: Option<String>) -> Response {
    let headers = [(header::CACHE_CONTROL, CACHE_PUBLIC)];
    let mut response = (headers, Envelope::ok(message, data)).into_response();
    if let Some(tag) = tag.and_then(|tag| weak_tag(&tag)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Returns a weak entity tag as a value of the header `ETag`; `None` if a header cannot contain it. `tag` is the text
/// between the quotation marks. The tag is weak because the compressed and the uncompressed body share it (RFC 9110,
/// section 8.8.3).
pub fn weak_tag(tag: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("W/\"{tag}\"")).ok()
}

/// The lines of the header `If-None-Match`. They list the entity tags of the responses that the caller knows.
#[derive(Clone, Debug)]
pub struct KnownTags(Vec<HeaderValue>);

impl KnownTags {
    /// Returns the entity tags in the headers of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::IF_NONE_MATCH);
        Self(lines.iter().cloned().collect())
    }

    /// Returns true if the caller knows the response with this entity tag. The layers then respond with a
    /// 304, so the response needs no data.
    pub fn contain(&self, tag: Option<&str>) -> bool {
        tag.and_then(weak_tag)
            .is_some_and(|tag| self.contain_header(&tag))
    }

    /// Returns true if a line of `If-None-Match` is `*` or lists this value of the header `ETag`. The prefix `W/` is
    /// ignored, because `If-None-Match` uses the weak comparison (RFC 9110, section 8.8.3.2).
    pub fn contain_header(&self, tag: &HeaderValue) -> bool {
        let tag = without_weak_prefix(tag.to_str().unwrap_or_default());
        let has_tag = |line: &HeaderValue| {
            let line = line.to_str().unwrap_or_default().trim();
            line == "*"
                || line
                    .split(',')
                    .any(|listed| without_weak_prefix(listed) == tag)
        };
        self.0.iter().any(has_tag)
    }
}

/// Returns an entity tag without the prefix `W/` of weak tags.
fn without_weak_prefix(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

impl<S: Sync> FromRequestParts<S> for KnownTags {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

/// Returns a success that differs each time, so no cache may store it.
pub fn uncached<T: Serialize>(message: &'static str, data: T) -> Response {
    let headers = [(header::CACHE_CONTROL, CACHE_NONE)];
    (headers, Envelope::ok(message, data)).into_response()
}

/// The identifier in a path (`{id}`), from 1 to 2^53 - 1.
#[derive(Clone, Copy, Debug)]
pub struct PathId(pub u64);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let value = path_parameter(parts, state, "id").await?;
        Ok(Self(path_number("id", &value, 1..=MAX_SAFE_INTEGER)?))
    }
}

/// The length of a random list in a path (`{count}`), from 1 to [`MAX_RANDOM_COUNT`].
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

/// Returns a parameter of the path. A value that is not UTF-8 becomes an empty string, which is not a number
/// and so fails validation like any other invalid value.
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
