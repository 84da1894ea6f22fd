//! The path that a visitor returns to after signing in. It is always a page of this site (no open redirect).

use axum::http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use shared::input::Params;
use store::is_client_id;

use crate::paths::{
    CALENDAR, DEVELOPER, HISTORY, HISTORY_IMPORTS, LIST, MODERATION, PROFILE, STATISTICS,
};

/// Maximum length of the path and query that a visitor returns to after signing in, in bytes. In the
/// parameter `next`, each percent-encoded byte in them takes 5 bytes instead of 3, because `%` is encoded
/// too. An authorization request then has less than 7 KB, of the 10,240 bytes that API Gateway allows for
/// request line and headers.
pub const MAX_RETURN_PATH: usize = 4096;

/// The characters that are percent-encoded in the parameter `next`: all that would end it or change it.
const IN_PARAMETER: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The prefix of an authorization request.
const AUTHORIZATION: &str = "/v1/oauth?";

/// Returns the path if a visitor may return to it: the start page, an authorization request, or a page that requires a
/// session. Rejects every character that browsers interpret in different ways, such as a backslash.
pub(crate) fn return_path(next: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\\#\"'<>".contains(&byte);
    if next.len() > MAX_RETURN_PATH || !next.bytes().all(plain) {
        return None;
    }
    let is_page = matches!(
        next,
        "/" | CALENDAR
            | LIST
            | PROFILE
            | HISTORY
            | HISTORY_IMPORTS
            | DEVELOPER
            | MODERATION
            | STATISTICS
    );
    let is_client = next.strip_prefix("/developer/").is_some_and(is_client_id);
    let row = ["/anime/", "/moderation/anime/", "/moderation/song/"]
        .iter()
        .find_map(|path| next.strip_prefix(path));
    let is_row = row.is_some_and(|id| id.parse::<u64>().is_ok());
    let query = next.strip_prefix(AUTHORIZATION);
    let is_authorization = query.is_some_and(|query| !query.is_empty());
    (is_page || is_client || is_row || is_authorization).then(|| next.to_owned())
}

/// Returns the [`return_path`] in the query parameter `next`.
pub(crate) fn of_query(uri: &Uri) -> Option<String> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    params.token("next").and_then(|next| return_path(&next))
}

/// Adds `next` to a path of this site.
pub(crate) fn with_next(path: &str, next: Option<&str>) -> String {
    match next {
        Some(next) => {
            let next = utf8_percent_encode(next, IN_PARAMETER);
            format!("{path}?next={next}")
        }
        None => path.to_owned(),
    }
}

/// Returns true if the return path is an authorization request, which can redirect the visitor to an
/// application.
pub(crate) fn may_redirect_away(next: Option<&str>) -> bool {
    next.is_some_and(|next| next.starts_with(AUTHORIZATION))
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;

    use super::{MAX_RETURN_PATH, may_redirect_away, of_query, return_path, with_next};

    #[test]
    fn our_own_pages() {
        for path in [
            "/",
            "/calendar",
            "/list",
            "/profile",
            "/profile/history",
            "/statistics",
            "/anime/160",
            "/developer",
            "/developer/aZ09",
            "/moderation",
            "/moderation/anime/2",
            "/moderation/song/2048",
            "/v1/oauth?response_type=code&client_id=aZ09&state=%2F%2Fevil",
            "/v1/oauth?redirect_uri=https://app.example/cb?a=1",
        ] {
            assert_eq!(return_path(path).as_deref(), Some(path), "{path}");
        }
    }

    #[test]
    fn nothing_else() {
        for path in [
            "",
            "//evil",
            "/moderation/anime/2/correct",
            "/moderation/song//evil",
            "///evil",
            "/\\evil",
            "\\/evil",
            "\\\\evil",
            "https:evil",
            "https://evil",
            "HTTPS://evil",
            "%2F%2Fevil",
            "/%2F/evil",
            "/%5Cevil",
            "/\t/evil",
            "/\n/evil",
            "\t//evil",
            " /profile",
            "/profile ",
            "/profile/",
            "/profile/delete",
            "/profile/history/export?format=csv",
            "/anime/",
            "/anime/1/2",
            "/moderation/anime/",
            "/profile/../..//evil",
            "/profile?done=settings",
            "/profile#a",
            "/developer/",
            "/developer/a/delete",
            "/developer/..",
            "/developer/a%2Fb",
            "/developer/ä",
            "/v1/oauth",
            "/v1/oauth?",
            "/v1/oauth/../",
            "/v1/oauth/../?a=b",
            "/v1/oauth?state=a b",
            "/v1/oauth?state=a#b",
            "/v1/oauth?state=\"",
            "/v1/oauth?state='",
            "/v1/oauth?state=<b>",
            "/v1/oauth?state=\\",
            "/v1/oauth?state=ä",
            "/v1/oauth?state=\r\nset-cookie:a=b",
            "/sign-in",
            "/sign-out",
            "javascript:alert(1)",
            "profile",
            "@evil",
        ] {
            assert_eq!(return_path(path), None, "{path}");
        }
    }

    #[test]
    fn nothing_very_long() {
        let of_length = |length: usize| {
            let start = "/v1/oauth?state=";
            format!("{start}{}", "a".repeat(length - start.len()))
        };
        assert!(return_path(&of_length(MAX_RETURN_PATH)).is_some());
        assert!(return_path(&of_length(MAX_RETURN_PATH + 1)).is_none());
    }

    #[test]
    fn only_an_authorization_may_redirect_away() {
        assert!(may_redirect_away(Some("/v1/oauth?client_id=a")));
        assert!(!may_redirect_away(Some("/profile")));
        assert!(!may_redirect_away(None));
    }

    #[test]
    fn there_and_back() {
        let next = "/v1/oauth?client_id=a&state=b%20c+d&e=f";
        let uri: Uri = with_next("/sign-in", Some(next)).parse().unwrap();
        assert_eq!(of_query(&uri).as_deref(), Some(next));
        assert_eq!(with_next("/sign-in", None), "/sign-in");
        assert_eq!(of_query(&Uri::from_static("/sign-in")), None);
        let twice = Uri::from_static("/sign-in?next=/profile&next=/developer");
        assert_eq!(of_query(&twice), Some("/developer".to_owned()));
    }
}
