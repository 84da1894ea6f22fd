//! The page that asks a user whether an application may act for them.

use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use shared::auth::ACCESS_TOKEN_S;
use site::layout::{Page, csrf};
use site::paths::AUTHORIZE;
use store::Client;

/// What the page says.
pub(crate) struct Question<'q> {
    /// Who asks.
    pub client: &'q Client,
    /// The name of whoever registered it.
    pub owner: Option<&'q str>,
    /// Where the browser goes to afterwards.
    pub redirect_uri: &'q str,
    /// The path of this page, to come back to.
    pub back: &'q str,
    /// Who is asked.
    pub username: &'q str,
    /// What the answer has to bring along.
    pub id: &'q str,
    /// See [`site::Csrf`].
    pub csrf: &'q str,
}

/// Asks.
pub(crate) fn page(question: &Question) -> Response {
    let Question {
        client,
        owner,
        redirect_uri,
        back,
        username,
        id,
        csrf: token,
    } = *question;
    let days = ACCESS_TOKEN_S / (24 * 60 * 60);
    let body = html! {
        p {
            strong { (client.name) } " asks to act for you, " strong { (username) } "."
            @if let Some(owner) = owner {
                " It was registered by " strong { (owner) } "."
            }
        }
        h2 { "What it may do" }
        ul {
            li { "Read your watch history, your name, your e-mail address and your settings" }
            li { "Change your watch history and your settings" }
        }
        p {
            "It cannot change your password or trackers, or delete your account. Access lasts "
            (days) " days, or until you disconnect it on your profile."
        }
        p { "Either way you return to " strong { (destination(redirect_uri)) } "." }
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
            button.secondary type="submit" { "Sign in as somebody else" }
        }
    };
    let page = Page {
        title: "Log in with Kiroku",
        at: "",
        visitor: Some(username),
        leads_away: true,
        body,
    };
    page.answer(StatusCode::OK)
}

/// The part of an address that says whose it is: the host, or an application's own scheme.
fn destination(redirect_uri: &str) -> &str {
    let end_of_host = |rest: &str| rest.find(['/', '?']).unwrap_or(rest.len());
    match redirect_uri.split_once("://") {
        Some(("http" | "https", rest)) => &rest[..end_of_host(rest)],
        _ => redirect_uri.split(':').next().unwrap_or(redirect_uri),
    }
}
