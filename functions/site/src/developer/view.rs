//! Rendering of the developer pages.

use accounts::SignedIn;
use axum::response::Response;
use maud::{Markup, html};
use shared::input::Form;
use shared::models::RedirectUri;
use store::{Client, ClientKind};

use crate::answer::with_forms;
use crate::error::PageError;
use crate::form::{FormErrors, PostForm};
use crate::language::Localizer;
use crate::layout::{Control, Field, Page, YES, copyable, notice, shown_once};
use crate::paths::DEVELOPER;
use crate::sessions::Visitor;
use crate::state::SiteState;

/// The kinds of clients: form value and label.
const KINDS: [(&str, &str); 2] = [
    (
        "confidential",
        "Confidential: runs on a server and keeps a secret",
    ),
    (
        "public",
        "Public: runs in a browser or on a device and uses PKCE",
    ),
];

/// The OAuth endpoints: label, `id` in the page, and path.
const ENDPOINTS: [(&str, &str, &str); 4] = [
    (
        "Authorization endpoint",
        "authorization-endpoint",
        "/v1/oauth",
    ),
    ("Token endpoint", "token-endpoint", "/v1/oauth/token"),
    (
        "Revocation endpoint",
        "revocation-endpoint",
        "/v1/oauth/revoke",
    ),
    (
        "Metadata (RFC 8414)",
        "metadata",
        "/.well-known/oauth-authorization-server",
    ),
];

/// The variable contents of a page.
#[derive(Default)]
pub(super) struct Shown<'a> {
    /// A confirmation.
    pub done: Option<&'a str>,
    /// A new secret, shown only once.
    pub secret: Option<&'a str>,
    /// The values of a form with errors.
    pub typed: Option<&'a Form>,
    /// The errors of the form.
    pub faults: Option<FormErrors>,
}

impl<'a> Shown<'a> {
    /// Returns the contents for a page with a confirmation, if there is one.
    pub(super) fn confirming(done: Option<&'a str>) -> Self {
        Self {
            done,
            ..Self::default()
        }
    }

    /// Returns the contents for a form with errors.
    pub(super) fn refused(faults: FormErrors) -> Self {
        Self {
            faults: Some(faults),
            ..Self::default()
        }
    }
}

/// Returns the page with the owner's clients and the form for a new one, filled in with `typed`.
pub(super) async fn show(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    typed: &Form,
    shown: &Shown<'_>,
) -> Result<Response, PageError> {
    let clients = state.applications.list(owner.account.user.id).await?;
    let csrf = state.sessions.csrf(visitor);
    let [name, redirect_uris, implicit] = detail_fields(&Details::typed(typed));
    let kind = Field {
        name: "kind",
        label: "Kind of application",
        control: Control::Radio(&KINDS),
        value: typed.value("kind"),
        hint: "You cannot change this later.",
    };
    let body = html! {
        @if let Some(done) = shown.done { (notice(done)) }
        p {
            "Register your application to let its users sign in with their Kiroku account and to access their \
             data. Applications that only read the catalogue need no registration."
        }
        section aria-labelledby="clients" {
            h2 #clients { "Your applications" }
            (list(&clients))
        }
        section aria-labelledby="register" {
            h2 #register { "Register an application" }
            (PostForm {
                action: DEVELOPER,
                csrf: &csrf.token,
                fields: &[name, kind, redirect_uris, implicit],
                faults: shown.faults.as_ref(),
                button: "Register",
                ..PostForm::default()
            })
        }
        (endpoints(state.public_url()))
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: DEVELOPER,
        visitor: Some(&owner.account.user.username),
        ..Page::new(&l10n, "Developer", body)
    };
    Ok(with_forms(page, csrf, shown.faults.as_ref()))
}

/// Returns the page of an OAuth client.
pub(super) fn show_client(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    client: &Client,
    shown: &Shown<'_>,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let path = format!("{DEVELOPER}/{}", client.client_id);
    let redirect_uris = redirect_uris_of(client);
    let details = shown.typed.map_or_else(
        || Details {
            name: &client.name,
            redirect_uris: &redirect_uris,
            implicit: client.implicit,
        },
        Details::typed,
    );
    let body = html! {
        @if let Some(done) = shown.done { (notice(done)) }
        @if let Some(secret) = shown.secret { (new_secret(secret)) }
        (identity(client))
        section aria-labelledby="details" {
            h2 #details { "Details" }
            (PostForm {
                action: &path,
                csrf: &csrf.token,
                fields: &detail_fields(&details),
                faults: shown.faults.as_ref(),
                button: "Save changes",
                ..PostForm::default()
            })
        }
        @if client.kind == ClientKind::Confidential { (secret(&path, &csrf.token)) }
        section aria-labelledby="delete" {
            h2 #delete { "Delete" }
            p { "Deleting the application disconnects all its users." }
            p { a.button.danger href={ (path) "/delete" } { "Delete this application" } }
        }
        (endpoints(state.public_url()))
        p { a.row href=(DEVELOPER) { "All your applications" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: DEVELOPER,
        visitor: Some(&owner.account.user.username),
        ..Page::new(&l10n, &client.name, body)
    };
    with_forms(page, csrf, shown.faults.as_ref())
}

fn identity(client: &Client) -> Markup {
    html! {
        section aria-labelledby="identity" {
            h2 #identity { "Identity" }
            dl {
                dt { "Client ID" }
                dd { (copyable("client-id", "the client ID", &client.client_id)) }
                dt { "Kind" }
                dd { (kind_of(client)) }
            }
        }
    }
}

fn secret(path: &str, csrf: &str) -> Markup {
    html! {
        section aria-labelledby="secret" {
            h2 #secret { "Secret" }
            p {
                "Kiroku stores only a digest of the secret and cannot show it again. A new secret \
                 replaces the old one immediately."
            }
            (PostForm {
                action: &format!("{path}/secret"),
                csrf,
                button: "Create a new secret",
                danger: true,
                ..PostForm::default()
            })
        }
    }
}

/// Returns the page that asks for confirmation before a client is deleted.
pub(super) fn show_deletion(
    state: &SiteState,
    visitor: &Visitor,
    owner: &SignedIn,
    client: &Client,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let path = format!("{DEVELOPER}/{}", client.client_id);
    let body = html! {
        p {
            "This cannot be undone. All users of " strong { (client.name) }
            " are disconnected, its access tokens are revoked, and its client ID and secret stop working."
        }
        (PostForm {
            action: &format!("{path}/delete"),
            csrf: &csrf.token,
            button: "Delete the application",
            danger: true,
            ..PostForm::default()
        })
        p { a.row href=(path) { "Keep the application" } }
    };
    let l10n = Localizer::default();
    let page = Page {
        current_path: DEVELOPER,
        visitor: Some(&owner.account.user.username),
        ..Page::new(&l10n, "Delete the application?", body)
    };
    with_forms(page, csrf, None)
}

/// The values of the fields for a client's details.
struct Details<'a> {
    name: &'a str,
    redirect_uris: &'a str,
    implicit: bool,
}

impl<'a> Details<'a> {
    fn typed(form: &'a Form) -> Self {
        Self {
            name: form.value("name"),
            redirect_uris: form.value("redirect_uris"),
            implicit: form.has("implicit"),
        }
    }
}

fn detail_fields<'a>(details: &Details<'a>) -> [Field<'a>; 3] {
    let name = Field {
        name: "name",
        label: "Name",
        control: Control::Words,
        value: details.name,
        hint: "At most 60 characters. Users see it on the consent page.",
    };
    let redirect_uris = Field {
        name: "redirect_uris",
        label: "Redirect URIs",
        control: Control::CodeLines,
        value: details.redirect_uris,
        hint: "Up to 10, one per line, exactly as your application sends them. Use https://, a loopback \
               address, or a private-use scheme such as com.example.app:/callback.",
    };
    let implicit = Field {
        name: "implicit",
        label: "Allow the implicit grant",
        control: Control::Checkbox,
        value: if details.implicit { YES } else { "" },
        hint: "Not recommended: it puts tokens in addresses, where they can leak. The code grant with PKCE \
               also works in browsers and on devices.",
    };
    [name, redirect_uris, implicit]
}

fn list(clients: &[Client]) -> Markup {
    html! {
        @if clients.is_empty() {
            p { "You have not registered any applications." }
        } @else {
            ul.plain {
                @for client in clients {
                    li {
                        a.row href={ (DEVELOPER) "/" (client.client_id) } { (client.name) }
                        p { code { (client.client_id) } " " span.badge { (kind_of(client)) } }
                    }
                }
            }
        }
    }
}

fn kind_of(client: &Client) -> &'static str {
    match client.kind {
        ClientKind::Confidential => "confidential",
        ClientKind::Public => "public",
    }
}

fn redirect_uris_of(client: &Client) -> String {
    let uris = client.redirect_uris.iter().map(RedirectUri::as_str);
    uris.collect::<Vec<_>>().join("\n")
}

fn new_secret(secret: &str) -> Markup {
    html! {
        section.fresh aria-labelledby="new" {
            h2 #new { "The secret" }
            p {
                strong { "Copy it now. It will not be shown again." }
                " Keep it on your server and out of everything that your users receive."
            }
            (shown_once("client-secret", "Client secret", "the client secret", secret))
        }
    }
}

fn endpoints(public_url: &str) -> Markup {
    html! {
        section aria-labelledby="endpoints" {
            h2 #endpoints { "Endpoints" }
            dl {
                @for (what, id, path) in ENDPOINTS {
                    dt { (what) }
                    dd { (copyable(id, what, &format!("{public_url}{path}"))) }
                }
            }
            p {
                "Send the client credentials in the body or with HTTP Basic. Always send a " code { "state" }
                " and a PKCE challenge (S256)."
            }
        }
    }
}
