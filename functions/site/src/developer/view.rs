//! Rendering of the developer pages.

use accounts::SignedInUser;
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form::{FormErrors, PostForm, borrow_choices, translate_choices};
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, YES, copyable_text, notice, text_shown_once};
use pages::paths::DEVELOPER;
use pages::response::respond_with_forms;
use pages::sessions::Visitor;
use shared::input::Form;
use shared::models::RedirectUri;
use store::{ClientKind, OAuthClient};

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

/// The result of the form that was just sent, as a page shows it.
#[derive(Default)]
pub(super) struct DeveloperOutcome<'a> {
    /// The message of the confirmation.
    pub confirmation: Option<&'a str>,
    /// A new secret, shown only once, on the page of its client.
    pub secret: Option<&'a str>,
    /// The errors of the form.
    pub errors: Option<FormErrors>,
}

impl<'a> DeveloperOutcome<'a> {
    /// Returns the outcome with this confirmation. With `None`, the outcome is empty.
    pub(super) fn with_confirmation(confirmation: Option<&'a str>) -> Self {
        Self {
            confirmation,
            ..Self::default()
        }
    }

    /// Returns the outcome of a form with errors.
    pub(super) fn with_errors(errors: FormErrors) -> Self {
        Self {
            errors: Some(errors),
            ..Self::default()
        }
    }
}

/// Returns the page with the owner's clients and the form for a new client, filled in with the values of `entered`.
pub(super) async fn show(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    entered: &Form,
    outcome: &DeveloperOutcome<'_>,
) -> Result<Response, PageError> {
    let clients = state
        .applications
        .clients
        .list(owner.account.user.id)
        .await?;
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(Some(owner));
    let (texts, kinds) = (detail_texts(l10n), translate_choices(l10n, KINDS));
    let [name, redirect_uris, implicit] = detail_fields(&texts, &ClientFields::from_form(entered));
    let kind = Field {
        name: "kind",
        label: &l10n.text("developer-kind-field"),
        control: Control::Radio(&borrow_choices(&kinds)),
        value: entered.value("kind"),
        hint: &l10n.text("developer-kind-hint"),
    };
    let body = html! {
        @if let Some(message) = outcome.confirmation { (notice(&l10n.text(message))) }
        p { (l10n.text("developer-explanation")) }
        section aria-labelledby="clients" {
            h2 #clients { (l10n.text("developer-applications")) }
            (client_list(l10n, &clients))
        }
        section aria-labelledby="register" {
            h2 #register { (l10n.text("developer-register")) }
            (PostForm {
                action: DEVELOPER,
                csrf: &csrf.token,
                fields: &[name, kind, redirect_uris, implicit],
                errors: outcome.errors.as_ref(),
                button: &l10n.text("developer-register-button"),
                ..PostForm::new(l10n)
            })
        }
        (endpoints_section(l10n, state.sessions.public_url()))
    };
    let title = l10n.text("developer-title");
    let page = Page {
        current_path: DEVELOPER,
        visitor: Some(owner.username()),
        ..Page::new(l10n, &title, body)
    };
    Ok(respond_with_forms(page, csrf, outcome.errors.as_ref()))
}

/// Returns the page of an OAuth client. The form for its details is filled in with the values of `entered`; with
/// `None`, with the stored details.
pub(super) fn show_client(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    client: &OAuthClient,
    entered: Option<&Form>,
    outcome: &DeveloperOutcome<'_>,
) -> Response {
    let l10n = &visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let path = format!("{DEVELOPER}/{}", client.client_id);
    let redirect_uris = redirect_uris_of(client);
    let details = entered.map_or_else(
        || ClientFields {
            name: &client.name,
            redirect_uris: &redirect_uris,
            implicit: client.implicit,
        },
        ClientFields::from_form,
    );
    let texts = detail_texts(l10n);
    let body = html! {
        @if let Some(message) = outcome.confirmation { (notice(&l10n.text(message))) }
        @if let Some(secret) = outcome.secret { (new_secret_section(l10n, secret)) }
        (identity_section(l10n, client))
        section aria-labelledby="details" {
            h2 #details { (l10n.text("developer-details")) }
            (PostForm {
                action: &path,
                csrf: &csrf.token,
                fields: &detail_fields(&texts, &details),
                errors: outcome.errors.as_ref(),
                button: &l10n.text("developer-save"),
                ..PostForm::new(l10n)
            })
        }
        @if client.kind == ClientKind::Confidential { (secret_section(l10n, &path, &csrf.token)) }
        section aria-labelledby="delete" {
            h2 #delete { (l10n.text("developer-delete")) }
            p { (l10n.text("developer-delete-explanation")) }
            p { a.button.danger href={ (path) "/delete" } { (l10n.text("developer-delete-link")) } }
        }
        (endpoints_section(l10n, state.sessions.public_url()))
        p { a.row href=(DEVELOPER) { (l10n.text("developer-all")) } }
    };
    let page = Page {
        current_path: DEVELOPER,
        visitor: Some(owner.username()),
        ..Page::new(l10n, &client.name, body)
    };
    respond_with_forms(page, csrf, outcome.errors.as_ref())
}

fn identity_section(l10n: &Localizer, client: &OAuthClient) -> Markup {
    html! {
        section aria-labelledby="identity" {
            h2 #identity { (l10n.text("developer-identity")) }
            dl {
                dt { (l10n.text("developer-client-id")) }
                dd { (copyable_text(l10n, "client-id", &l10n.text("developer-client-id-copy"), &client.client_id)) }
                dt { (l10n.text("developer-kind")) }
                dd { (l10n.text(kind_message(client))) }
            }
        }
    }
}

fn secret_section(l10n: &Localizer, path: &str, csrf: &str) -> Markup {
    html! {
        section aria-labelledby="secret" {
            h2 #secret { (l10n.text("developer-secret")) }
            p { (l10n.text("developer-secret-explanation")) }
            (PostForm {
                action: &format!("{path}/secret"),
                csrf,
                button: &l10n.text("developer-secret-button"),
                danger: true,
                ..PostForm::new(l10n)
            })
        }
    }
}

/// Returns the page that asks for confirmation before a client is deleted.
pub(super) fn show_deletion(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    client: &OAuthClient,
) -> Response {
    let l10n = &visitor.localizer(Some(owner));
    let csrf = state.sessions.csrf(visitor);
    let path = format!("{DEVELOPER}/{}", client.client_id);
    let name = html! { strong { (client.name) } };
    let body = html! {
        p { (l10n.markup("developer-deletion", [("name", name)])) }
        (PostForm {
            action: &format!("{path}/delete"),
            csrf: &csrf.token,
            button: &l10n.text("developer-deletion-button"),
            danger: true,
            ..PostForm::new(l10n)
        })
        p { a.row href=(path) { (l10n.text("developer-deletion-keep")) } }
    };
    let title = l10n.text("developer-deletion-title");
    let page = Page {
        current_path: DEVELOPER,
        visitor: Some(owner.username()),
        ..Page::new(l10n, &title, body)
    };
    respond_with_forms(page, csrf, None)
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

/// Returns the labels and hints of the fields for a client's details.
fn detail_texts(l10n: &Localizer) -> [String; 6] {
    [
        "account-name",
        "developer-name-hint",
        "developer-uris",
        "developer-uris-hint",
        "developer-implicit",
        "developer-implicit-hint",
    ]
    .map(|id| l10n.text(id))
}

fn detail_fields<'a>(texts: &'a [String; 6], details: &ClientFields<'a>) -> [Field<'a>; 3] {
    let [name, name_hint, uris, uris_hint, implicit, implicit_hint] = texts;
    let name = Field {
        name: "name",
        label: name,
        control: Control::TextLine,
        value: details.name,
        hint: name_hint,
    };
    let redirect_uris = Field {
        name: "redirect_uris",
        label: uris,
        control: Control::CodeLines,
        value: details.redirect_uris,
        hint: uris_hint,
    };
    let implicit = Field {
        name: "implicit",
        label: implicit,
        control: Control::Checkbox,
        value: if details.implicit { YES } else { "" },
        hint: implicit_hint,
    };
    [name, redirect_uris, implicit]
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
