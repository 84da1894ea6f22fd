//! The path to which a visitor returns after signing in. It is always a page of this site (no open redirect).

use accounts::applications::is_client_id;
use axum::http::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use shared::input::Params;

use crate::paths;

/// The pages that a visitor may return to after signing in: the start page, the settings, the page of an anime,
/// and pages that require a session. An authorization request is also allowed (docs/oauth.md, "Sessions").
pub const RETURN_PAGES: [&str; 26] = [
    paths::START,
    paths::SETTINGS,
    paths::WELCOME,
    paths::LIST,
    paths::ANIME_PAGE,
    paths::CALENDAR,
    paths::STATISTICS,
    paths::STATISTICS_YEAR,
    paths::PROFILE,
    paths::PROFILE_SECURITY,
    paths::PROFILE_PRIVACY,
    paths::PROFILE_CONNECTIONS,
    paths::PROFILE_DATA,
    paths::PROFILE_DEVELOPER,
    paths::PROFILE_DELETE,
    paths::HISTORY,
    paths::HISTORY_IMPORTS,
    paths::HISTORY_PROPOSALS,
    paths::PLAYERS,
    paths::PLAYER,
    paths::DEVELOPER,
    paths::DEVELOPER_CLIENT,
    paths::MODERATION,
    paths::MODERATION_ANIME,
    paths::MODERATION_SONG,
    paths::ADMINISTRATION,
];

/// Maximum length of the path and query that a visitor returns to after signing in, in bytes. In the parameter `next`,
/// a byte that is already percent-encoded takes 5 bytes instead of 3, because its `%` is encoded again. An
/// authorization request of the maximum length then takes less than 7 KB. API Gateway allows 10,240 bytes for the
/// request line and the headers.
pub const MAX_RETURN_PATH: usize = 4096;

/// The characters that are percent-encoded in the parameter `next`: those that would end the parameter or change its
/// value.
const ENCODED_IN_NEXT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Returns the path if a visitor may return to it: one of [`RETURN_PAGES`] or an authorization request. Rejects every
/// character that browsers interpret in different ways, such as a backslash.
pub fn return_path(next: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\\#\"'<>".contains(&byte);
    if next.len() > MAX_RETURN_PATH || !next.bytes().all(plain) {
        return None;
    }
    let is_page = RETURN_PAGES.iter().any(|page| is_page(page, next));
    let query = authorization_query(next);
    let is_authorization = query.is_some_and(|query| !query.is_empty());
    (is_page || is_authorization).then(|| next.to_owned())
}

/// Returns true if `path` is an address of `page`. `page` has its parameters in braces.
fn is_page(page: &str, path: &str) -> bool {
    page.split('/').count() == path.split('/').count()
        && page
            .split('/')
            .zip(path.split('/'))
            .all(|(expected, part)| match expected {
                "{id}" | "{year}" => part.parse::<u64>().is_ok(),
                "{client_id}" => is_client_id(part),
                expected => expected == part,
            })
}

/// Returns the page to which a form belongs: its path, or the nearest path above it that is in [`RETURN_PAGES`]. If
/// there is no such path, it is the profile.
pub fn page_of_form(path: &str) -> String {
    let mut paths = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
    paths
        .find_map(return_path)
        .unwrap_or_else(|| paths::PROFILE.to_owned())
}

/// Returns the page that has the form sent to `path`, for a link back to it: [`page_of_form`], or a page of visitors.
/// `None` if neither is known.
pub(crate) fn page_with_form(path: &str) -> Option<String> {
    const OF_VISITORS: [&str; 3] = [paths::SIGN_IN, paths::SIGN_UP, paths::FORGOT_PASSWORD];
    let paths = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
    // The start page has no form. A path with two slashes at its beginning would lead to it.
    let mut paths = paths.take_while(|path| *path != paths::START);
    paths.find_map(|path| {
        let of_visitors = Some(path).filter(|path| OF_VISITORS.contains(path));
        of_visitors.map(str::to_owned).or_else(|| return_path(path))
    })
}

/// Returns the query if the path belongs to an authorization request.
fn authorization_query(path: &str) -> Option<&str> {
    path.strip_prefix(paths::AUTHORIZE)?.strip_prefix('?')
}

/// Returns the [`return_path`] in the query parameter `next`.
pub fn read_return_path(uri: &Uri) -> Option<String> {
    let mut params = Params::parse(uri.query().unwrap_or_default());
    params.token("next").and_then(|next| return_path(&next))
}

/// Adds `next` to a path of this site.
pub fn with_next(path: &str, next: Option<&str>) -> String {
    match next {
        Some(next) => {
            let next = utf8_percent_encode(next, ENCODED_IN_NEXT);
            format!("{path}?next={next}")
        }
        None => path.to_owned(),
    }
}

/// Returns true if the return path is an authorization request, which can redirect the visitor to an application.
pub fn may_redirect_away(next: Option<&str>) -> bool {
    next.and_then(authorization_query).is_some()
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;

    use super::{
        MAX_RETURN_PATH, may_redirect_away, page_of_form, page_with_form, read_return_path,
        return_path, with_next,
    };

    #[test]
    fn own_pages_are_return_paths() {
        for path in [
            "/",
            "/calendar",
            "/list",
            "/profile",
            "/profile/connections",
            "/profile/delete",
            "/profile/security",
            "/profile/history",
            "/profile/players",
            "/profile/players/3",
            "/settings",
            "/statistics",
            "/statistics/2016",
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
    fn other_paths_are_rejected() {
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
            "/profile/data/download",
            "/profile/players/series",
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
    fn form_belongs_to_the_nearest_page() {
        for (form, page) in [
            ("/list/save", "/list"),
            ("/calendar/feed/remove", "/calendar"),
            ("/developer", "/developer"),
            ("/developer/aZ09/secret", "/developer/aZ09"),
            ("/moderation/anime/2/correct", "/moderation/anime/2"),
            ("/moderation/user/2/delete", "/moderation"),
            ("/profile/history/imports", "/profile/history/imports"),
            ("/profile/players/3/remove", "/profile/players/3"),
            ("/profile/players/series", "/profile/players"),
            ("/profile/settings", "/profile"),
            ("/profile/security/password", "/profile/security"),
            ("/profile/privacy", "/profile/privacy"),
            ("/profile/connections/a/disconnect", "/profile/connections"),
            ("/profile/developer/token/revoke", "/profile/developer"),
            ("/elsewhere", "/profile"),
        ] {
            assert_eq!(page_of_form(form), page);
        }
    }

    #[test]
    fn errors_of_forms_lead_back_to_their_pages() {
        for (form, page) in [
            ("/list/save", Some("/list")),
            ("/settings", Some("/settings")),
            ("/sign-in/code", Some("/sign-in")),
            ("/forgot-password", Some("/forgot-password")),
            ("/reset-password", None),
            ("/v1/oauth", None),
            ("//evil/list", None),
        ] {
            assert_eq!(page_with_form(form).as_deref(), page, "{form}");
        }
    }

    #[test]
    fn very_long_path_is_rejected() {
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
    fn return_path_survives_the_query() {
        let next = "/v1/oauth?client_id=a&state=b%20c+d&e=f";
        let uri: Uri = with_next("/sign-in", Some(next)).parse().unwrap();
        assert_eq!(read_return_path(&uri).as_deref(), Some(next));
        assert_eq!(with_next("/sign-in", None), "/sign-in");
        assert_eq!(read_return_path(&Uri::from_static("/sign-in")), None);
        let twice = Uri::from_static("/sign-in?next=/profile&next=/developer");
        assert_eq!(read_return_path(&twice), Some("/developer".to_owned()));
    }
}
