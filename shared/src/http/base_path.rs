//! The base path: the path of the public URL, such as `/kiroku`. It is empty if the service has a host of its own.
//!
//! Handlers and templates do not know the base path. [`serve_below_base_path`] removes it from the path of a request
//! before the request is routed. [`add_base_path`] adds it to the addresses of a response. Addresses that begin with
//! the public URL already contain it.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use tower::ServiceExt;

use super::ApiError;

/// The attributes with addresses in the HTML of pages. The script of the reference reads `data-path`.
const ADDRESS_ATTRIBUTES: [&str; 5] = ["action", "data-path", "formaction", "href", "src"];

/// Returns the path of a public URL, without a slash at its end.
pub fn base_path(public_url: &str) -> &str {
    let host_and_path = public_url.split_once("://").map(|(_, rest)| rest);
    let path = host_and_path.and_then(|rest| rest.get(rest.find('/')?..));
    path.unwrap_or_default()
}

/// Returns true if every segment of the path has only characters that need no percent-encoding, and none is `.` or
/// `..`. Browsers, proxies and this service then read the path in the same way.
pub(super) fn is_base_path(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment =
        |segment: &str| !["", ".", ".."].contains(&segment) && segment.bytes().all(is_plain);
    let segments = path.strip_prefix('/').unwrap_or(path);
    path.is_empty() || (path.starts_with('/') && segments.split('/').all(is_segment))
}

/// Makes a router also serve its paths below the path of the public URL. A path outside the base path is routed
/// unchanged, for proxies that remove the base path and for health checks on the same machine.
pub fn serve_below_base_path(router: Router, public_url: &str) -> Router {
    let base_path = base_path(public_url).to_owned();
    if base_path.is_empty() {
        return router;
    }
    // A layer of the router would run after the routing.
    let service = router.map_request(move |request: Request| remove_base_path(request, &base_path));
    Router::new().fallback_service(service)
}

fn remove_base_path(mut request: Request, base_path: &str) -> Request {
    let uri = request.uri();
    let inner = path_below(uri.path(), base_path).and_then(|path| {
        let path_and_query = match uri.query() {
            Some(query) => PathAndQuery::try_from(format!("{path}?{query}")),
            None => PathAndQuery::try_from(path),
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(path_and_query.ok()?);
        Uri::from_parts(parts).ok()
    });
    if let Some(inner) = inner {
        *request.uri_mut() = inner;
    }
    request
}

/// Returns the path without the base path; `None` if it has none. The metadata of a server with a base path are at
/// `/.well-known/` on its host, followed by their name and the base path (RFC 8414, section 3.1).
fn path_below<'p>(path: &'p str, base_path: &str) -> Option<&'p str> {
    if let Some(rest) = path.strip_prefix(base_path) {
        return match rest {
            "" => Some("/"),
            rest => rest.starts_with('/').then_some(rest),
        };
    }
    let path = path.strip_suffix(base_path)?;
    path.starts_with("/.well-known/").then_some(path)
}

/// Adds the base path to the addresses of a response that begin with a slash: to the header `Location`, and to the
/// links, forms and files of a page.
pub(super) async fn add_base_path(response: Response, base_path: &str) -> Response {
    let (mut parts, body) = response.into_parts();
    if let Some(location) = local_location(&parts.headers)
        && let Ok(location) = HeaderValue::try_from(format!("{base_path}{location}"))
    {
        parts.headers.insert(header::LOCATION, location);
    }
    if !is_html(&parts.headers) {
        return Response::from_parts(parts, body);
    }
    let html = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return ApiError::internal(error).into_response(),
    };
    let html = add_to_page(&String::from_utf8_lossy(&html), base_path);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(html))
}

fn local_location(headers: &HeaderMap) -> Option<&str> {
    let location = headers.get(header::LOCATION)?.to_str().ok()?;
    (location.starts_with('/') && !location.starts_with("//")).then_some(location)
}

fn is_html(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE);
    media_type.is_some_and(|media_type| media_type.as_bytes().starts_with(b"text/html"))
}

/// Adds the base path to the addresses in a page. Maud writes each attribute as a space, its name, `=` and the value in
/// quotation marks, and escapes every other quotation mark. So no text on the page can look like an attribute.
fn add_to_page(html: &str, base_path: &str) -> String {
    let mut prefixed = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("=\"/") {
        prefixed.push_str(before);
        prefixed.push_str("=\"");
        let name = before.rsplit(' ').next().unwrap_or_default();
        // An address that begins with two slashes leads to another host.
        if ADDRESS_ATTRIBUTES.contains(&name) && !after.starts_with('/') {
            prefixed.push_str(base_path);
        }
        prefixed.push('/');
        rest = after;
    }
    prefixed.push_str(rest);
    prefixed
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::Request;

    use super::{add_to_page, base_path, is_base_path, remove_base_path};

    #[test]
    fn base_path_is_that_of_the_url() {
        assert_eq!(base_path("https://example.com"), "");
        assert_eq!(base_path("https://example.com/kiroku"), "/kiroku");
        assert_eq!(base_path("http://[::1]:9000/a/b"), "/a/b");
        assert_eq!(base_path(""), "");
    }

    #[test]
    fn base_path_has_only_plain_segments() {
        for path in ["", "/kiroku", "/a/b", "/~mitsuha/anime-list_2.0", "/..."] {
            assert!(is_base_path(path), "{path}");
        }
        for path in [
            "/", "/kiroku/", "//", "//kiroku", "/a//b", "/..", "/a/../b", "/./a", "/a%2Fb", "/%61",
            "/a?b", "/a#b", "/a b", "/ä", "/a;b", "/a\"b", "/a\\b", "kiroku",
        ] {
            assert!(!is_base_path(path), "{path}");
        }
    }

    #[test]
    fn request_loses_the_base_path_once() {
        for (uri, routed) in [
            ("/kiroku", "/"),
            ("/kiroku?done=next", "/?done=next"),
            ("/kiroku/", "/"),
            (
                "/kiroku/list?page=2&next=/kiroku",
                "/list?page=2&next=/kiroku",
            ),
            ("/kiroku/kiroku/list", "/kiroku/list"),
            ("/kiroku//evil.example/", "//evil.example/"),
            (
                "http://host.example/kiroku/list",
                "http://host.example/list",
            ),
            ("/list", "/list"),
            ("/kirokuya", "/kirokuya"),
            ("/%6Biroku/list", "/%6Biroku/list"),
            ("/.well-known/metadata/kiroku", "/.well-known/metadata"),
            ("/.well-known/kiroku", "/.well-known/kiroku"),
            (
                "/.well-known/metadata/kirokuya",
                "/.well-known/metadata/kirokuya",
            ),
            ("/elsewhere/kiroku", "/elsewhere/kiroku"),
        ] {
            let request = Request::builder().uri(uri).body(Body::empty()).unwrap();
            let request = remove_base_path(request, "/kiroku");
            assert_eq!(request.uri().to_string(), routed, "{uri}");
        }
    }

    #[test]
    fn only_local_addresses_get_the_base_path() {
        for (html, prefixed) in [
            (
                "<a class=\"row\" href=\"/\">Home</a><img src=\"/a.svg\">",
                "<a class=\"row\" href=\"/kiroku/\">Home</a><img src=\"/kiroku/a.svg\">",
            ),
            (
                "<button formaction=\"/b?c=/d\" data-path=\"/e\" title=\"/f\">",
                "<button formaction=\"/kiroku/b?c=/d\" data-path=\"/kiroku/e\" title=\"/f\">",
            ),
            (
                "<input name=\"next\" value=\"/list\"><a href=\"#a\"><a href=\"//b\"><a href=\"https://c/\">",
                "<input name=\"next\" value=\"/list\"><a href=\"#a\"><a href=\"//b\"><a href=\"https://c/\">",
            ),
            (
                "<p title=\" href=&quot;/a\"> href=&quot;/b</p>",
                "<p title=\" href=&quot;/a\"> href=&quot;/b</p>",
            ),
        ] {
            assert_eq!(add_to_page(html, "/kiroku"), prefixed);
        }
    }
}
