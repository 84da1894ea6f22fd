//! Errors as HTML pages: in the visitor's language, with the visitor's navigation, and with a way on. The texts are
//! those of pages, not of the API.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use maud::{Markup, html};
use shared::http::{
    BODY_TOO_LARGE, ErrorPage, ErrorText, FailedRequest, KnownAccount, PageAccount,
};

use crate::csrf::FORM_EXPIRED;
use crate::language::Localizer;
use crate::layout::Page;
use crate::paths::{ANIME, AUTHORIZE, START};
use crate::return_path::page_with_form;
use crate::sessions::{PageSessions, Visitor, page_account};

/// Returns the error page of a function with this state ([`error_page`]).
pub fn error_page_of<S>(state: &S) -> ErrorPage
where
    Arc<PageSessions>: FromRef<S>,
{
    error_page(Arc::<PageSessions>::from_ref(state))
}

/// Returns the error page of a function with these sessions. It is shown for the path of a page, and for an unknown
/// path outside the API if the browser accepts HTML. Otherwise, the response stays a JSON envelope.
pub fn error_page(sessions: Arc<PageSessions>) -> ErrorPage {
    ErrorPage::new(move |request, status, text| {
        let sessions = Arc::clone(&sessions);
        async move {
            if is_of_page(&request) {
                Some(render(&sessions, request, status, &text).await)
            } else {
                None
            }
        }
    })
}

/// Returns true if an error of this request is shown as a page.
fn is_of_page(request: &FailedRequest) -> bool {
    let path = request.parts.uri.path();
    let is_api = ["/v1/", "/.well-known/"]
        .iter()
        .any(|prefix| path.starts_with(prefix));
    let accepted = request.parts.headers.get(header::ACCEPT);
    let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
    let accepts_html = accepted.is_some_and(|accepted| accepted.contains("text/html"));
    // The consent page is the only page with a path of the API.
    (path == AUTHORIZE || !is_api) && (request.is_matched || accepts_html)
}

async fn render(
    sessions: &PageSessions,
    request: FailedRequest,
    status: StatusCode,
    text: &ErrorText,
) -> Response {
    let FailedRequest {
        mut parts, account, ..
    } = request;
    let Ok(visitor) = Visitor::from_request_parts(&mut parts, &()).await;
    let (account, is_unreadable) = find_account(sessions, &visitor, &account, status).await;
    let localization = account
        .as_ref()
        .map(|account| account.localization.as_str());
    let l10n = visitor.localizer_in(localization);
    // The cookie alone does not say whether its session has ended.
    let is_unreadable = is_unreadable || l10n.has_unreadable_account();
    let has_public_profile = account
        .as_ref()
        .is_some_and(|account| account.has_public_profile);
    let l10n = l10n
        .with_unreadable_account(is_unreadable)
        .with_public_profile(has_public_profile);
    let words = ErrorWords::of(&l10n, status, text);
    let body = html! {
        @for sentence in &words.sentences { p { (sentence) } }
        (ways_on(&l10n, &parts, status, text))
    };
    let page = Page {
        visitor: account.as_ref().map(|account| account.username.as_str()),
        ..Page::new(&l10n, &words.title, body)
    };
    page.respond(status)
}

/// Returns the account of the visitor, and true if there may be one that cannot be read. Reads the session if the
/// handler has not read it, as for an unknown path. After an error of the service, another read would only take time.
async fn find_account(
    sessions: &PageSessions,
    visitor: &Visitor,
    known: &KnownAccount,
    status: StatusCode,
) -> (Option<PageAccount>, bool) {
    // The body of a redirect is not shown.
    if known.is_known() || status.is_redirection() {
        return (known.account().cloned(), false);
    }
    if status.is_server_error() {
        return (None, sessions.has_session_cookie(visitor));
    }
    let found = sessions.find_if_readable(visitor).await;
    (found.as_ref().map(page_account), false)
}

/// The words of an error page.
struct ErrorWords {
    title: String,
    sentences: Vec<String>,
}

impl ErrorWords {
    /// Returns the words for an error. Errors that only the API explains well for its callers have words of their own.
    fn of(l10n: &Localizer, status: StatusCode, text: &ErrorText) -> Self {
        let own = |title: &str, sentence: &str| Self {
            title: l10n.text(title),
            sentences: vec![l10n.text(sentence)],
        };
        let titled = |title: &str| Self {
            title: l10n.text(title),
            ..Self::translated(l10n, text)
        };
        let is_generic = |message: &str| text.message == message;
        match status {
            StatusCode::NOT_FOUND if is_generic("Not found") => {
                own("error-not-found", "error-not-found-help")
            }
            StatusCode::NOT_FOUND => Self {
                title: l10n.translate(text.message),
                sentences: vec![l10n.text("error-missing-help")],
            },
            StatusCode::METHOD_NOT_ALLOWED => own("error-method", "error-method-help"),
            StatusCode::PAYLOAD_TOO_LARGE if text.sentence == Some(BODY_TOO_LARGE) => {
                own("error-too-large", "error-too-large-help")
            }
            StatusCode::PAYLOAD_TOO_LARGE => titled("error-too-large"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => own("error-malformed", "error-malformed-help"),
            StatusCode::BAD_REQUEST
                if is_generic("Malformed body") || is_generic("Malformed request") =>
            {
                titled("error-malformed")
            }
            StatusCode::BAD_REQUEST if is_generic("Invalid parameters") => titled("error-invalid"),
            StatusCode::FORBIDDEN if text.sentence == Some(FORM_EXPIRED) => {
                own("error-form-expired", "error-form-expired-help")
            }
            StatusCode::FORBIDDEN if is_generic("Forbidden") => titled("error-forbidden"),
            StatusCode::PRECONDITION_FAILED => own("error-changed", "error-changed-help"),
            StatusCode::TOO_MANY_REQUESTS => own("error-too-many", "error-too-many-help"),
            StatusCode::INTERNAL_SERVER_ERROR => titled("error-internal"),
            StatusCode::SERVICE_UNAVAILABLE => own("error-unavailable", "error-unavailable-help"),
            _ => Self::translated(l10n, text),
        }
    }

    /// Returns the words of the API, in the language of the page.
    fn translated(l10n: &Localizer, text: &ErrorText) -> Self {
        let sentence = text.sentence.map(|sentence| l10n.translate(sentence));
        let field_errors = text.field_errors.iter().map(|(name, reason)| {
            let reason = l10n.translate(reason);
            l10n.format(
                "error-parameter",
                [("name", (*name).into()), ("reason", reason.into())],
            )
        });
        Self {
            title: l10n.translate(text.message),
            sentences: sentence.into_iter().chain(field_errors).collect(),
        }
    }
}

/// Renders the links that lead on: to the page of the form that was sent, or to the same page again if another attempt
/// can succeed, and to the start page and all anime.
fn ways_on(l10n: &Localizer, parts: &Parts, status: StatusCode, text: &ErrorText) -> Markup {
    let is_read = [Method::GET, Method::HEAD].contains(&parts.method);
    let can_succeed = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    let again = if is_read {
        let address = parts.uri.path_and_query().filter(|_| can_succeed);
        // A path that begins with two slashes would lead to another host.
        let address = address.map(ToString::to_string);
        address.filter(|address| !address.starts_with("//"))
    } else {
        page_with_form(parts.uri.path())
    };
    let label = if is_read {
        "error-try-again"
    } else {
        "error-open-page"
    };
    // An authorization request that is wrong has no page of this site to return to.
    let again = again.filter(|_| text.field_errors.is_empty() || is_read);
    html! {
        div.actions {
            @if let Some(address) = again { a.button href=(address) { (l10n.text(label)) } }
            a.button.secondary href=(START) { (l10n.text("page-start")) }
            a.button.secondary href=(ANIME) { (l10n.text("error-browse")) }
        }
    }
}
