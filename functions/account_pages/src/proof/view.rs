//! Rendering of the page `/prove`.

use accounts::sessions::SignedInUser;
use accounts::sign_in::{PasskeyRequest, PasskeyUse};
use maud::{Markup, html};
use openid::Provider;
use page_parts::door::door;
use pages::error::{PageError, PageResult};
use pages::form::{PostForm, password_field};
use pages::form_page::FormPage;
use pages::language::Localizer;
use pages::layout::{Page, PageKind};
use pages::passkey::{NoPasskeys, PasskeyButton};
use pages::paths::{PROFILE, PROVE, PROVE_PASSKEY, SIGN_IN_PROVIDER_PROVE, SIGN_OUT};
use pages::return_path::{may_redirect_away, with_next};

use crate::state::AccountState;

/// Renders the link to a proof at the provider for a user who is connected, and nothing for others. The user returns to
/// `next`.
pub(crate) fn proof_link(
    l10n: &Localizer,
    provider: Option<&Provider>,
    owner: &SignedInUser,
    next: &str,
) -> Markup {
    let factors = &owner.account.factors;
    let settings = provider.map(|provider| &provider.settings);
    let connected = settings.filter(|settings| factors.identity_at(&settings.issuer).is_some());
    html! {
        @if let Some(settings) = connected {
            p {
                a.button.secondary href=(with_next(SIGN_IN_PROVIDER_PROVE, Some(next))) {
                    (l10n.format("provider-prove", [("provider", settings.name.as_str().into())]))
                }
            }
        }
    }
}

/// The data of the page.
struct ProofView<'a> {
    page: &'a FormPage,
    state: &'a AccountState,
    /// The path that the user returns to after the proof.
    next: &'a str,
    /// The request to the browser for a passkey, if the user has one.
    passkey: Option<&'a PasskeyRequest>,
}

/// Returns the page, with the errors of the form that was refused.
pub(crate) async fn show(state: &AccountState, page: &FormPage, next: &str) -> PageResult {
    let passkey = request_proof(state, page).await?;
    let view = ProofView {
        page,
        state,
        next,
        passkey: passkey.as_ref(),
    };
    let title = page.forms.l10n.text("proof-title");
    Ok(page.respond(Page {
        current_path: PROFILE,
        kind: PageKind::of_form(may_redirect_away(Some(next))),
        ..page.page(&title, door(&page.forms.l10n, &view.body()))
    }))
}

/// Returns the request to the browser for a proof with a passkey of the user; `None` if the user has none for this
/// address.
async fn request_proof(
    state: &AccountState,
    page: &FormPage,
) -> Result<Option<PasskeyRequest>, PageError> {
    let account = &page.owner.account;
    let mut passkeys = account.factors.passkeys.iter();
    if !passkeys.any(|passkey| state.ways.passkeys.is_usable(passkey)) {
        return Ok(None);
    }
    let (browser, purpose) = (page.browser_id(), PasskeyUse::Proof(account));
    let begin_use = state.ways.passkeys.begin_use(&browser, purpose);
    Ok(Some(begin_use.await?))
}

impl ProofView<'_> {
    fn body(&self) -> Markup {
        let (page, provider) = (self.page, self.state.provider.as_deref());
        html! {
            p { (page.forms.l10n.text("proof-explanation")) }
            // Each way to prove it is a form or a link of its own.
            @if let Some(request) = self.passkey { (self.passkey(request)) }
            @if self.state.accounts.can_use_password(&page.owner.account) { (self.password()) }
            (proof_link(&page.forms.l10n, provider, &page.owner, self.next))
            (self.sign_in_again())
        }
    }

    fn passkey(&self, request: &PasskeyRequest) -> Markup {
        let forms = &self.page.forms;
        let label = forms.l10n.text("passkeys-prove");
        html! {
            (PostForm {
                hidden: vec![("next", self.next)],
                passkey: Some(PasskeyButton {
                    action: PROVE_PASSKEY,
                    label: &label,
                    request: Some(request),
                    autofills: false,
                    is_secondary: false,
                }),
                ..forms.post(PROVE_PASSKEY, "")
            })
            (NoPasskeys(&forms.l10n))
        }
    }

    fn password(&self) -> Markup {
        let l10n = &self.page.forms.l10n;
        html! {
            (PostForm {
                hidden: vec![("next", self.next)],
                fields: &[password_field(l10n)],
                ..self.page.forms.post(PROVE, "proof-button")
            })
        }
    }

    /// Renders the way that works for every account in every browser: signing in again.
    fn sign_in_again(&self) -> Markup {
        let l10n = &self.page.forms.l10n;
        html! {
            section.sec aria-labelledby="again" {
                div.head { h2 id="again" { (l10n.text("proof-again-title")) } }
                p { (l10n.text("proof-again")) }
                (PostForm {
                    hidden: vec![("next", self.next)],
                    ..self.page.forms.post(SIGN_OUT, "proof-again-button")
                })
            }
        }
    }
}
