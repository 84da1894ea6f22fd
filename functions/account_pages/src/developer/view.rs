//! Rendering of the developer pages.

use accounts::applications::{ClientKind, OAuthClient};
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageResult;
use pages::form::{PostForm, translate_choices};
use pages::form_page::{FormPage, PageForms};
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, YES, copyable_text, text_shown_once};
use pages::paths::DEVELOPER;
use shared::input::Form;
use shared::models::RedirectUri;

use crate::state::AccountState;

/// The kinds of clients: form value and message.
const KINDS: [(&str, &str); 2] = [
    ("confidential", "developer-kind-confidential"),
    ("public", "developer-kind-public"),
];

/// The OAuth endpoints: message, `id` in the page, and path.
const ENDPOINTS: [(&str, &str, &str); 4] = [
    (
        "developer-endpoint-authorization",
        "authorization-endpoint",
        "/v1/oauth",
    ),
    (
        "developer-endpoint-token",
        "token-endpoint",
        "/v1/oauth/token",
    ),
    (
        "developer-endpoint-revocation",
        "revocation-endpoint",
        "/v1/oauth/revoke",
    ),
    (
        "developer-endpoint-metadata",
        "metadata",
        "/.well-known/oauth-authorization-server",
    ),
];

/// Returns the page with the owner's clients and the form for a new client, filled in with the values that were sent.
pub(super) async fn show(state: &AccountState, page: &FormPage) -> PageResult {
    let owner = page.owner.account.user.id;
    let clients = state.applications.clients.list(owner).await?;
    let (l10n, entered) = (&page.forms.l10n, &page.forms.sent);
    let kinds = translate_choices(l10n, KINDS);
    let [name, redirect_uris, implicit] = detail_fields(l10n, &ClientFields::from_form(entered));
    let kind = Field::new(l10n, "kind", Control::Radio(kinds), "developer-kind-field")
        .with_hint(l10n.text("developer-kind-hint"))
        .with_value(entered.value("kind"));
    let body = html! {
        (page.forms.notice())
        p { (l10n.text("developer-explanation")) }
        section aria-labelledby="clients" {
            h2 #clients { (l10n.text("page-applications")) }
            (client_list(l10n, &clients))
        }
        section aria-labelledby="register" {
            h2 #register { (l10n.text("developer-register")) }
            (PostForm {
                fields: &[name, kind, redirect_uris, implicit],
                ..page.forms.post(DEVELOPER, "developer-register-button")
            })
        }
        (endpoints_section(l10n, state.sessions.public_url()))
    };
    Ok(respond(page, &l10n.text("developer-title"), body))
}

/// Returns a page for developers.
fn respond(page: &FormPage, title: &str, body: Markup) -> Response {
    page.respond(Page {
        current_path: DEVELOPER,
        ..page.page(title, body)
    })
}

/// Returns the page of an OAuth client. The form for its details is filled in with the values that were sent with
/// errors, or else with the stored details. A new secret is shown only once.
pub(super) fn show_client(
    state: &AccountState,
    page: &FormPage,
    client: &OAuthClient,
    secret: Option<&str>,
) -> Response {
    let l10n = &page.forms.l10n;
    let path = format!("{DEVELOPER}/{}", client.client_id);
    let redirect_uris = redirect_uris_of(client);
    let details = match page.forms.errors(&path) {
        Some(_) => ClientFields::from_form(&page.forms.sent),
        None => ClientFields {
            name: &client.name,
            redirect_uris: &redirect_uris,
            implicit: client.implicit,
        },
    };
    let body = html! {
        (page.forms.notice())
        @if let Some(secret) = secret { (new_secret_section(l10n, secret)) }
        (identity_section(l10n, client))
        section aria-labelledby="details" {
            h2 #details { (l10n.text("developer-details")) }
            (PostForm {
                fields: &detail_fields(l10n, &details),
                ..page.forms.post(&path, "developer-save")
            })
        }
        @if client.kind == ClientKind::Confidential { (secret_section(&page.forms, &path)) }
        section aria-labelledby="delete" {
            h2 #delete { (l10n.text("form-delete")) }
            p { (l10n.text("developer-delete-explanation")) }
            p { a.button.danger href={ (path) "/delete" } { (l10n.text("developer-delete-link")) } }
        }
        (endpoints_section(l10n, state.sessions.public_url()))
        p { a.row href=(DEVELOPER) { (l10n.text("developer-all")) } }
    };
    respond(page, &client.name, body)
}

fn identity_section(l10n: &Localizer, client: &OAuthClient) -> Markup {
    html! {
        section aria-labelledby="identity" {
            h2 #identity { (l10n.text("developer-identity")) }
            dl {
                dt { (l10n.text("developer-client-id")) }
                dd { (copyable_text(l10n, "client-id", &l10n.text("developer-client-id-copy"), &client.client_id)) }
                dt { (l10n.text("form-kind")) }
                dd { (l10n.text(kind_message(client))) }
            }
        }
    }
}

fn secret_section(forms: &PageForms, path: &str) -> Markup {
    let l10n = &forms.l10n;
    html! {
        section aria-labelledby="secret" {
            h2 #secret { (l10n.text("developer-secret")) }
            p { (l10n.text("developer-secret-explanation")) }
            (PostForm {
                danger: true,
                ..forms.post(&format!("{path}/secret"), "developer-secret-button")
            })
        }
    }
}

/// Returns the page that asks for confirmation before a client is deleted.
pub(super) fn show_deletion(page: &FormPage, client: &OAuthClient) -> Response {
    let l10n = &page.forms.l10n;
    let path = format!("{DEVELOPER}/{}", client.client_id);
    let name = html! { strong { (client.name) } };
    let body = html! {
        p { (l10n.markup("developer-deletion", [("name", name)])) }
        (PostForm {
            danger: true,
            ..page.forms.post(&format!("{path}/delete"), "developer-deletion-button")
        })
        p { a.row href=(path) { (l10n.text("developer-deletion-keep")) } }
    };
    respond(page, &l10n.text("developer-deletion-title"), body)
}

/// The values of the fields for a client's details.
struct ClientFields<'a> {
    name: &'a str,
    redirect_uris: &'a str,
    implicit: bool,
}

impl<'a> ClientFields<'a> {
    fn from_form(form: &'a Form) -> Self {
        Self {
            name: form.value("name"),
            redirect_uris: form.value("redirect_uris"),
            implicit: form.has("implicit"),
        }
    }
}

fn detail_fields<'a>(l10n: &Localizer, details: &ClientFields<'a>) -> [Field<'a>; 3] {
    let implicit = if details.implicit { YES } else { "" };
    [
        Field::new(l10n, "name", Control::TextLine, "account-name")
            .with_hint(l10n.text("developer-name-hint"))
            .with_value(details.name),
        Field::new(l10n, "redirect_uris", Control::CodeLines, "developer-uris")
            .with_hint(l10n.text("developer-uris-hint"))
            .with_value(details.redirect_uris),
        Field::new(l10n, "implicit", Control::Checkbox, "developer-implicit")
            .with_hint(l10n.text("developer-implicit-hint"))
            .with_value(implicit),
    ]
}

fn client_list(l10n: &Localizer, clients: &[OAuthClient]) -> Markup {
    html! {
        @if clients.is_empty() {
            p { (l10n.text("developer-none")) }
        } @else {
            ul.plain {
                @for client in clients {
                    li {
                        a.row href={ (DEVELOPER) "/" (client.client_id) } { (client.name) }
                        p { code { (client.client_id) } " " span.badge { (l10n.text(kind_message(client))) } }
                    }
                }
            }
        }
    }
}

/// Returns the identifier of the message with the kind of a client.
fn kind_message(client: &OAuthClient) -> &'static str {
    match client.kind {
        ClientKind::Confidential => "developer-confidential",
        ClientKind::Public => "developer-public",
    }
}

fn redirect_uris_of(client: &OAuthClient) -> String {
    let uris = client.redirect_uris.iter().map(RedirectUri::as_str);
    uris.collect::<Vec<_>>().join("\n")
}

fn new_secret_section(l10n: &Localizer, secret: &str) -> Markup {
    html! {
        section.fresh aria-labelledby="new" {
            h2 #new { (l10n.text("developer-new-secret")) }
            p {
                strong { (l10n.text("developer-new-secret-copy")) } " "
                (l10n.text("developer-new-secret-explanation"))
            }
            (text_shown_once(
                l10n,
                "client-secret",
                &l10n.text("developer-client-secret"),
                &l10n.text("developer-client-secret-copy"),
                secret,
            ))
        }
    }
}

fn endpoints_section(l10n: &Localizer, public_url: &str) -> Markup {
    let state = html! { code { "state" } };
    html! {
        section aria-labelledby="endpoints" {
            h2 #endpoints { (l10n.text("developer-endpoints")) }
            dl {
                @for (message, id, path) in ENDPOINTS {
                    @let name = l10n.text(message);
                    dt { (name) }
                    dd { (copyable_text(l10n, id, &name, &format!("{public_url}{path}"))) }
                }
            }
            p { (l10n.markup("developer-endpoints-hint", [("state", state)])) }
        }
    }
}
