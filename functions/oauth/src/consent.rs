//! The consent page, which asks a user to allow or deny an application access.

use accounts::applications::{AuthorizationRequest, OAuthClient};
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use pages::language::Localizer;
use pages::layout::{Page, PageKind, csrf_field};
use pages::paths::{AUTHORIZE, SIGN_OUT};
use shared::auth::{ACCESS_TOKEN_S, Scope};

/// The contents of the consent page.
pub(crate) struct ConsentQuestion<'q> {
    pub l10n: &'q Localizer,
    pub client: &'q OAuthClient,
    /// The username of the application's owner.
    pub owner: Option<&'q str>,
    pub request: &'q AuthorizationRequest,
    /// The path and query of this page, to which the user returns after signing in again.
    pub back: &'q str,
    pub username: &'q str,
    /// The secret that the form sends back. The pending consent is stored under the digest of this secret.
    pub secret: &'q str,
    /// The CSRF token of the forms (see [`pages::csrf::Csrf`]).
    pub csrf: &'q str,
}

pub(crate) fn page(question: &ConsentQuestion) -> Response {
    let (l10n, username, back) = (question.l10n, question.username, question.back);
    let days = ACCESS_TOKEN_S / (24 * 60 * 60);
    let (abilities, limits): (&[&str], _) = match question.request.scope {
        None | Some(Scope::ReadWrite) => {
            (&["consent-read", "consent-write"], "consent-write-limits")
        }
        Some(Scope::Read) => (&["consent-read"], "consent-read-limits"),
        Some(Scope::Playback) => (&["consent-playback"], "consent-playback-limits"),
    };
    let strong = |text: &str| html! { strong { (text) } };
    let asks = [
        ("application", strong(&question.client.name)),
        ("user", strong(username)),
    ];
    let destination = destination(&question.request.redirect_uri);
    let return_to = [("destination", strong(destination))];
    let body = html! {
        p {
            (l10n.markup("consent-asks", asks))
            @if let Some(owner) = question.owner {
                " " (l10n.markup("consent-owner", [("owner", strong(owner))]))
            }
        }
        h2 { (l10n.text("consent-abilities")) }
        ul {
            @for ability in abilities { li { (l10n.text(ability)) } }
        }
        p { (l10n.text(limits)) " " (l10n.format("consent-days", [("count", days.into())])) }
        p { (l10n.markup("consent-return", return_to)) }
        form method="post" action=(AUTHORIZE) {
            (csrf_field(question.csrf))
            input type="hidden" name="consent" value=(question.secret);
            input type="hidden" name="back" value=(back);
            div.actions {
                button type="submit" name="decision" value="allow" { (l10n.text("consent-allow")) }
                button.secondary type="submit" name="decision" value="deny" { (l10n.text("consent-deny")) }
            }
        }
        form.aside method="post" action=(SIGN_OUT) {
            (csrf_field(question.csrf))
            input type="hidden" name="next" value=(back);
            p { (l10n.format("consent-other", [("user", username.into())])) }
            button.secondary type="submit" { (l10n.text("consent-other-button")) }
        }
    };
    let title = l10n.text("consent-title");
    let page = Page {
        visitor: Some(username),
        kind: PageKind::FormMayRedirectAway,
        ..Page::new(l10n, &title, body)
    };
    page.respond(StatusCode::OK)
}

/// Returns the part of a redirect URI that shows where the browser goes: the host, or a private-use scheme.
fn destination(redirect_uri: &str) -> &str {
    let end_of_host = |rest: &str| rest.find(['/', '?']).unwrap_or(rest.len());
    match redirect_uri.split_once("://") {
        Some(("http" | "https", rest)) => &rest[..end_of_host(rest)],
        _ => redirect_uri.split(':').next().unwrap_or(redirect_uri),
    }
}
