//! The layers around every router: behavior that is the same for all endpoints (docs/architecture.md, "A
//! request for a list").

use std::any::Any;
use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};
use tower::{Layer, ServiceExt};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::NotForContentType;
use tower_http::compression::{CompressionLayer, CompressionLevel, DefaultPredicate, Predicate};
use tower_http::cors as tower_cors;
use tower_http::cors::CorsLayer;
use tracing::Instrument;

use super::ApiError;
use super::base_path::add_base_path;
use super::error::ErrorText;
use super::error_page::{ErrorPage, FailedRequest, KnownAccount};
use super::event::DecodeError;
use super::file;
use super::public_url::PublicUrl;
use super::response::{CACHE_PUBLIC, KnownTags, weak_tag};
use super::routing::ApiRouter;
use crate::auth::RegistrationMode;
use crate::clock::Clock;
use crate::random::Random;

/// The header with the identifier of the request. The log lines of the request have the same identifier.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// CORS settings (docs/api.md, "HEAD, OPTIONS and CORS"). `template.yaml` has the same settings for API
/// Gateway, and a test compares both.
///
/// Every origin may call the API. The API reads no cookie, so a page of another site can do no more than any
/// other client with a token. The web pages do read a cookie, but with `Access-Control-Allow-Origin: *` a
/// browser hides every response to a request with cookies from scripts of other origins.
pub mod cors {
    /// `Access-Control-Allow-Methods`
    pub const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
    /// `Access-Control-Allow-Headers`
    pub const REQUEST_HEADERS: [&str; 4] =
        ["authorization", "content-type", "if-match", "if-none-match"];
    /// `Access-Control-Expose-Headers`
    pub const RESPONSE_HEADERS: [&str; 8] = [
        "etag",
        "link",
        "location",
        "retry-after",
        "www-authenticate",
        "x-left-out",
        "x-request-id",
        "x-total-count",
    ];
    /// `Access-Control-Max-Age`, in seconds.
    pub const MAX_AGE_S: u64 = 86_400;
}

/// The compression level of gzip and Brotli. Higher levels take more time than their smaller responses save.
const COMPRESSION_LEVEL: CompressionLevel = CompressionLevel::Precise(4);

/// `Strict-Transport-Security`: one year, without subdomains (RFC 6797, section 6.1).
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The settings of the layers: clock, source of random numbers, public URL, the rule for registrations, and time
/// limits.
#[derive(Clone, Debug)]
pub struct LayerSettings {
    clock: Clock,
    random: Random,
    public_url: PublicUrl,
    registration: RegistrationMode,
    deadlines: Deadlines,
}

#[derive(Clone, Copy, Debug)]
struct Deadlines {
    long_routes: &'static [&'static str],
    /// The time limit of the routes in `long_routes`. All others have [`DEADLINE`].
    long: Duration,
}

impl Deadlines {
    fn of(self, route: Option<&MatchedPath>) -> Duration {
        let is_long = route.is_some_and(|route| self.long_routes.contains(&route.as_str()));
        if is_long { self.long } else { DEADLINE }
    }
}

impl LayerSettings {
    /// Returns the settings of the layers for the service at this public URL.
    pub fn new(public_url: &str, clock: Clock, random: Random) -> Self {
        Self {
            clock,
            random,
            public_url: public_url.into(),
            registration: RegistrationMode::Open,
            deadlines: Deadlines {
                long_routes: &[],
                long: DEADLINE,
            },
        }
    }

    /// Sets the rule for registrations. Handlers find it in the extensions of their requests.
    #[must_use]
    pub fn with_registration(self, registration: RegistrationMode) -> Self {
        Self {
            registration,
            ..self
        }
    }

    /// Sets another time limit than [`DEADLINE`] for these routes.
    #[must_use]
    pub fn with_deadline(self, long_routes: &'static [&'static str], long: Duration) -> Self {
        let deadlines = Deadlines { long_routes, long };
        Self { deadlines, ..self }
    }
}

/// Adds to a router: responses for unknown paths and methods, request identifiers, logs, CORS, compression,
/// error pages, entity tags, a deadline, and a response to a panic.
pub fn service(router: ApiRouter, settings: LayerSettings) -> Router {
    let inner = router.router.fallback(respond_to_unknown_path);
    layers(inner, router.error_page, settings)
}

/// Adds the layers of [`service`] to a router that responds to unknown paths itself.
pub fn layers(router: Router, error_page: Option<ErrorPage>, settings: LayerSettings) -> Router {
    let inner = (error_page, settings.deadlines);
    router
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed(None))
        // The layers are in order from the outermost to the innermost. One call of `layer` adds all of them, because
        // each call adds a service and a future on the heap to every request.
        .layer((
            from_fn_with_state(settings, log_and_add_headers),
            cors_layer(),
            from_fn_with_state(inner, add_error_page_deadline_and_tag),
            CatchPanicLayer::custom(respond_to_panic),
        ))
}

/// The time limit for a response: 8 s. It is shorter than the functions' time limit in `template.yaml`, after
/// which Lambda stops a function before it can respond.
pub const DEADLINE: Duration = Duration::from_secs(8);

/// Adds error pages (if the router has a function that renders them), a deadline and entity tags. If the public URL has
/// a path, adds it to the addresses of the response.
async fn add_error_page_deadline_and_tag(
    State((error_page, deadlines)): State<(Option<ErrorPage>, Deadlines)>,
    request: Request,
    next: Next,
) -> Response {
    let deadline = deadlines.of(request.extensions().get());
    let public_url = request.extensions().get::<PublicUrl>();
    let public_url = public_url
        .filter(|url| !url.base_path().is_empty())
        .cloned();
    let response = match error_page {
        Some(error_page) => with_error_page(error_page, deadline, request, next).await,
        None => with_deadline(deadline, request, next).await,
    };
    match public_url {
        Some(url) => add_base_path(response, url.base_path()).await,
        None => response,
    }
}

async fn with_deadline(deadline: Duration, request: Request, next: Next) -> Response {
    // An undecodable request is refused here and not earlier, so that the outer layers log it and can render
    // the error as a page.
    if let Some(DecodeError(reason)) = request.extensions().get() {
        return ApiError::MalformedRequest(reason).into_response();
    }
    let response = tokio::time::timeout(deadline, with_entity_tag(request, next)).await;
    response.unwrap_or_else(|_| ApiError::TimedOut.into_response())
}

/// Replaces the JSON response to an error with a page, if `error_page` returns a page for this request.
async fn with_error_page(
    error_page: ErrorPage,
    deadline: Duration,
    mut request: Request,
    next: Next,
) -> Response {
    let account = KnownAccount::default();
    request.extensions_mut().insert(account.clone());
    let failed_request = FailedRequest {
        is_matched: request.extensions().get::<MatchedPath>().is_some(),
        parts: parts_of(&request),
        account,
    };
    let mut response = with_deadline(deadline, request, next).await;
    let Some(text) = response.extensions_mut().remove::<ErrorText>() else {
        return response;
    };
    let page = error_page.render(failed_request, response.status(), text);
    let Some(mut page) = page.await else {
        return response;
    };
    // The page replaces the whole response, so the headers of the error are copied.
    for name in [header::ALLOW, header::LOCATION, header::RETRY_AFTER] {
        if let Some(value) = response.headers_mut().remove(&name) {
            page.headers_mut().insert(name, value);
        }
    }
    page
}

/// Returns the parts of a request without its body. The original request keeps them.
fn parts_of(request: &Request) -> Parts {
    let (mut parts, ()) = axum::http::Request::new(()).into_parts();
    parts.method = request.method().clone();
    parts.uri = request.uri().clone();
    parts.headers = request.headers().clone();
    parts.extensions = request.extensions().clone();
    parts
}

/// Redirects a path that ends with a slash to the same path without it, and responds with a 404 to every other path.
/// The new address begins with the public URL, because a path such as `//example.com/` alone would lead to another
/// host.
async fn respond_to_unknown_path(request: Request) -> ApiError {
    let public_url = request.extensions().get::<PublicUrl>();
    let path = request.uri().path();
    let (Some(public_url), Some(_)) = (public_url, path.strip_suffix('/')) else {
        return ApiError::UnknownPath;
    };
    let mut address = format!("{}{}", public_url.as_str(), path.trim_end_matches('/'));
    if let Some(query) = request.uri().query() {
        address.push('?');
        address.push_str(query);
    }
    HeaderValue::try_from(address).map_or(ApiError::UnknownPath, ApiError::TrailingSlash)
}

fn cors_layer() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(tower_cors::Any)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers(cors::REQUEST_HEADERS.map(HeaderName::from_static))
        .expose_headers(cors::RESPONSE_HEADERS.map(HeaderName::from_static))
        .max_age(Duration::from_secs(cors::MAX_AGE_S))
}

/// Returns the response to a panic in a handler. The panic hook has already logged the panic with its location.
fn respond_to_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::internal("a handler panicked").into_response()
}

/// Logs each request once its response is known, and adds the headers that every response has. The log line has the
/// route, such as `/v1/user/{id}`, and not the path or query, because these can contain private data.
async fn log_and_add_headers(
    State(settings): State<LayerSettings>,
    mut request: Request,
    next: Next,
) -> Response {
    let LayerSettings {
        clock,
        random,
        public_url,
        registration,
        ..
    } = settings;
    let started = clock.now_ms();
    let request_id = request_id(&request, &random);
    let method = method_name(request.method());
    let matched_path = request.extensions().get::<MatchedPath>().cloned();
    accept_identity(request.headers_mut());
    request.extensions_mut().insert(public_url.clone());
    request.extensions_mut().insert(registration);
    // Pages link to the present season and year.
    request.extensions_mut().insert(clock.clone());
    let span = tracing::info_span!("request", request_id);
    let mut response = compress_response(request, next).instrument(span).await;
    let route = matched_path
        .as_ref()
        .map_or("unmatched", MatchedPath::as_str);
    let status = response.status().as_u16();
    let duration_ms = clock.now_ms().saturating_sub(started);
    // The line is not part of the span (`parent: None`), because formatting the span takes longer than formatting all
    // these fields, and the span has only the request id.
    tracing::info!(parent: None, request_id, method, route, status, duration_ms, "answered");
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&request_id) {
        headers.insert(X_REQUEST_ID, id);
    }
    if public_url.as_str().starts_with("https:") {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
    response
}

/// Returns the name of a method for logs and metrics. Callers can send any word as a method, so unknown methods share a
/// name.
pub fn method_name(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    let name = known.into_iter().find(|name| *name == method.as_str());
    name.unwrap_or("other")
}

async fn compress_response(request: Request, next: Next) -> Response {
    if !request.headers().contains_key(header::ACCEPT_ENCODING) {
        // The compression layer is skipped: its body type has room for the largest encoder (6 KB) even in a response
        // that is not compressed, which slows down the response.
        return add_vary(next.run(request).await);
    }
    let next = tower::service_fn(move |request| {
        let next = next.clone();
        async move { Ok::<_, Infallible>(add_vary(next.run(request).await)) }
    });
    // A file that is already compressed would not become smaller.
    let is_not_gzip = NotForContentType::const_new(file::GZIP);
    let is_not_font = NotForContentType::const_new("font/");
    let compression = CompressionLayer::new()
        .quality(COMPRESSION_LEVEL)
        .compress_when(DefaultPredicate::new().and(is_not_gzip).and(is_not_font))
        .layer(next);
    let Ok(response) = Box::pin(compression.oneshot(request)).await;
    response.map(Body::new)
}

/// Adds `Vary: accept-encoding`. The compression library adds it only to responses that it may compress, but a 304
/// must have the same `Vary` as the 200 (RFC 9110, section 15.4.5).
fn add_vary(mut response: Response) -> Response {
    let vary = HeaderValue::from_static("accept-encoding");
    response.headers_mut().append(header::VARY, vary);
    response
}

/// Removes `identity;q=0` and `*;q=0` from `Accept-Encoding`. With them, the compression layer can replace the response
/// with a 406 although the handler has already made its writes. Instead of a 406, a server may send a representation
/// that the caller does not accept (RFC 9110, section 12.1).
fn accept_identity(headers: &mut HeaderMap) {
    let refuses = |coding: &str| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().to_ascii_lowercase();
        let is_zero = |weight: &str| weight.starts_with('0') && !weight.contains(|c| c > '0');
        matches!(name.trim().to_ascii_lowercase().as_str(), "identity" | "*")
            && weight.strip_prefix("q=").is_some_and(is_zero)
    };
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
    let lines: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
    let codings = || lines.iter().flat_map(|line| line.split(','));
    if !codings().any(refuses) {
        return;
    }
    let accepted: Vec<&str> = codings().filter(|coding| !refuses(coding)).collect();
    match HeaderValue::from_str(&accepted.join(",")) {
        Ok(accepted) => headers.insert(header::ACCEPT_ENCODING, accepted),
        Err(_) => headers.remove(header::ACCEPT_ENCODING),
    };
}

/// Returns Lambda's request id, which CloudWatch and X-Ray also use, or a random identifier outside Lambda.
fn request_id(request: &Request, random: &Random) -> String {
    let context = request.extensions().get::<lambda_http::Context>();
    context.map_or_else(|| random.short_id(), |context| context.request_id.clone())
}

/// Adds an `ETag` to a successful response with [`CACHE_PUBLIC`] that has none, and turns the response into a 304 if
/// `If-None-Match` has the tag (RFC 9110, sections 8.8.3 and 13.1.2).
async fn with_entity_tag(request: Request, next: Next) -> Response {
    let known = KnownTags::of(request.headers());
    let response = next.run(request).await;
    let is_public = response.headers().get(header::CACHE_CONTROL) == Some(&CACHE_PUBLIC);
    if response.status() != StatusCode::OK || !is_public {
        return response;
    }
    let mut response = if response.headers().contains_key(header::ETAG) {
        response
    } else {
        match add_tag_of_body(response).await {
            Ok(response) => response,
            Err(error) => return error.into_response(),
        }
    };
    let tag = response.headers().get(header::ETAG);
    if tag.is_some_and(|tag| known.contain_header(tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = Body::empty();
    }
    response
}

async fn add_tag_of_body(response: Response) -> Result<Response, ApiError> {
    let (mut parts, body) = response.into_parts();
    let body = body.collect().await.map_err(ApiError::internal)?.to_bytes();
    let digest = Sha256::digest(&body);
    if let Some(tag) = weak_tag(&URL_SAFE_NO_PAD.encode(&digest[..16])) {
        parts.headers.insert(header::ETAG, tag);
    }
    Ok(Response::from_parts(parts, Body::from(body)))
}
