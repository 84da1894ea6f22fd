//! The page for signing in: `/sign-in`, and the response to a form about a story if the session has ended.

use accounts::sign_in::{PasskeyRequest, PasskeyUse, Passkeys};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use pages::form::{PostForm, password_field};
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, PageKind, csrf_field, notice};
use pages::passkey::PasskeyButton;
use pages::paths::{FORGOT_PASSWORD, LIST, SIGN_IN, SIGN_IN_PASSKEY, SIGN_IN_PROVIDER, SIGN_UP};
use pages::return_path::{may_redirect_away, with_next};

use crate::door::door;
use crate::story::StoryFormDraft;

/// The ways to sign in that the page offers.
#[derive(Debug)]
pub struct SignInWays {
    /// Signing in with passkeys.
    pub passkeys: Passkeys,
    /// The name of the identity provider, if there is one.
    pub provider: Option<String>,
    /// True if accounts have passwords.
    pub has_passwords: bool,
}

/// The variable contents of the page: the form and what is above it.
#[derive(Default)]
pub struct SignInForm<'a> {
    /// The path that the visitor returns to.
    pub next: Option<&'a str>,
    /// The username or e-mail address that was typed.
    pub name: &'a str,
    /// The values that were typed into the form of an entry.
    pub draft: Option<StoryFormDraft<'a>>,
    /// The status of the page without errors.
    pub status: StatusCode,
}

/// Returns the address of the page that does not lead straight to the identity provider.
pub fn local_page(next: Option<&str>) -> String {
    let page = with_next(SIGN_IN, next);
    let separator = if next.is_some() { '&' } else { '?' };
    format!("{page}{separator}local=1")
}

/// Renders the link to the identity provider, if there is one. It is not a form, because the content security policy
/// (`form-action`) forbids a form whose response redirects to another site.
pub fn provider_link(l10n: &Localizer, ways: &SignInWays, next: Option<&str>) -> Markup {
    html! {
        @if let Some(provider) = ways.provider.as_deref() {
            p.actions {
                a.button.secondary[ways.has_passwords] href=(with_next(SIGN_IN_PROVIDER, next)) {
                    (l10n.format("provider-sign-in", [("provider", provider.into())]))
                }
            }
        }
    }
}

/// Renders the page.
pub async fn show(ways: &SignInWays, page: &FormPage<()>, form: &SignInForm<'_>) -> Response {
    let (l10n, errors) = (&page.forms.l10n, page.forms.sent_errors());
    let request = request_sign_in(ways, page).await;
    let label = l10n.text("passkeys-sign-in");
    let next = form.next;
    let fields = [
        Field::new(l10n, "who", Control::SignInName, "sign-in-name").with_value(form.name),
        password_field(l10n),
    ];
    let draft = form.draft.iter().flatten().copied();
    let hidden = next.map(|next| ("next", next)).into_iter().chain(draft);
    let title = l10n.text("page-sign-in");
    let has_passwords = ways.has_passwords;
    let passkey = request.as_ref().map(|request| PasskeyButton {
        action: SIGN_IN_PASSKEY,
        label: &label,
        request: Some(request),
        autofills: has_passwords,
        is_secondary: has_passwords,
    });
    let body = html! {
        (page.forms.notice())
        // The typed values travel in the form with the password only.
        @if form.draft.is_some() && has_passwords {
            @let kept = l10n.text("sign-in-draft");
            // The errors of the form take the focus, so the text must not be a notice, which would also take it.
            @if errors.is_some() { p { (kept) } } @else { (notice(&kept)) }
        }
        @if has_passwords {
            (PostForm {
                hidden: hidden.collect(),
                fields: &fields,
                errors,
                passkey,
                ..page.forms.post(SIGN_IN, "page-sign-in")
            })
        }
        (provider_link(l10n, ways, next))
        @if has_passwords {
            ul.links {
                @if l10n.has_sign_up() {
                    li { a.row href=(with_next(SIGN_UP, next)) { (l10n.text("sign-in-sign-up")) } }
                }
                li { a.row href=(with_next(FORGOT_PASSWORD, next)) { (l10n.text("forgot-title")) } }
            }
        } @else if let Some(passkey) = passkey {
            form method="post" action=(SIGN_IN_PASSKEY) {
                @if let Some(errors) = errors { (errors.summary(l10n, &[])) }
                (csrf_field(&page.forms.csrf))
                @if let Some(next) = next { input type="hidden" name="next" value=(next); }
                (passkey.markup(l10n))
            }
        }
    };
    let shown = Page {
        current_path: SIGN_IN,
        kind: PageKind::of_form(may_redirect_away(next)),
        ..page.page(&title, door(l10n, &body))
    };
    match errors {
        Some(_) => page.respond(shown),
        None => page.respond_with_status(shown, form.status),
    }
}

/// Returns the sign-in page for a visitor whose session has ended. It keeps the values that were typed into the form of
/// an entry.
pub async fn ask_to_sign_in(
    ways: &SignInWays,
    page: &FormPage<()>,
    draft: StoryFormDraft<'_>,
) -> Response {
    let form = SignInForm {
        next: Some(LIST),
        draft: Some(draft),
        // The status tells programs that the entry is not saved.
        status: StatusCode::UNAUTHORIZED,
        ..SignInForm::default()
    };
    show(ways, page, &form).await
}

/// Returns the request to the browser to sign in with a passkey; `None` if the service has no passkeys. If the request
/// cannot be made, the page offers only the other ways to sign in.
async fn request_sign_in(ways: &SignInWays, page: &FormPage<()>) -> Option<PasskeyRequest> {
    if !ways.passkeys.is_available() {
        return None;
    }
    let browser = page.browser_id();
    let begin_use = ways.passkeys.begin_use(&browser, PasskeyUse::SignIn);
    begin_use
        .await
        .inspect_err(|error| tracing::warn!(%error, "the sign-in page offers no passkeys"))
        .ok()
}
