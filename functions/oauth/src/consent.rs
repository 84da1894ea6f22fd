//! The consent page, which asks a user to allow or deny an application access.

use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use shared::auth::{ACCESS_TOKEN_S, Scope};
use site::language::Localizer;
use site::layout::{Page, PageKind, csrf};
use site::paths::AUTHORIZE;
use store::Client;

/// The contents of the consent page.
pub(crate) struct Question<'q> {
    /// The application that asks for access.
    pub client: &'q Client,
    /// The username of the application's owner.
    pub owner: Option<&'q str>,
    /// The URI that the browser returns to.
    pub redirect_uri: &'q str,
    /// The scope that it asks for; `None` for everything.
    pub scope: Option<Scope>,
    /// The path and query of this page, to return to after signing in again.
    pub back: &'q str,
    /// The name of the signed-in user.
    pub username: &'q str,
    /// The secret that the form sends back: its digest identifies the consent.
    pub id: &'q str,
    /// The CSRF token of the forms (see [`site::Csrf`]).
    pub csrf: &'q str,
}

/// Returns the consent page.
pub(crate) fn page(question: &Question) -> Response {
    let Question {
        client,
        owner,
        redirect_uri,
        scope,
        back,
        username,
        id,
        csrf: token,
    } = *question;
    let days = ACCESS_TOKEN_S / (24 * 60 * 60);
    let can_write = Scope::covers(scope, Scope::ReadWrite);
    let body = html! {
        p {
            strong { (client.name) } " wants to access your account, " strong { (username) } "."
            @if let Some(owner) = owner {
                " It was registered by " strong { (owner) } "."
            }
        }
        h2 { "What it can do" }
        ul {
            li { "Read your watch history, your name, your e-mail address and your settings" }
            @if can_write { li { "Change your watch history and your settings" } }
        }
        p {
            @if can_write {
                "It cannot change your password or trackers, or delete your account. "
            } @else {
                "It cannot change anything. "
            }
            "It has access for "
            (days) " days, or until you disconnect it on your profile."
        }
        p { "You will then return to " strong { (destination(redirect_uri)) } "." }
        form method="post" action=(AUTHORIZE) {
            (csrf(token))
            input type="hidden" name="consent" value=(id);
            input type="hidden" name="back" value=(back);
            div.actions {
                button type="submit" name="decision" value="allow" { "Allow" }
                button.secondary type="submit" name="decision" value="deny" { "Deny" }
            }
        }
        form.aside method="post" action="/sign-out" {
            (csrf(token))
            input type="hidden" name="next" value=(back);
            p { "Not " (username) "?" }
            button.secondary type="submit" { "Sign in as a different user" }
        }
    };
    let l10n = Localizer::default();
    let page = Page {
        visitor: Some(username),
        kind: PageKind::LeadsAway,
        ..Page::new(&l10n, "Log in with Kiroku", body)
    };
    page.answer(StatusCode::OK)
}

/// Returns the part of a redirect URI that identifies its owner: the host, or a private-use scheme.
fn destination(redirect_uri: &str) -> &str {
    let end_of_host = |rest: &str| rest.find(['/', '?']).unwrap_or(rest.len());
    match redirect_uri.split_once("://") {
        Some(("http" | "https", rest)) => &rest[..end_of_host(rest)],
        _ => redirect_uri.split(':').next().unwrap_or(redirect_uri),
    }
}
