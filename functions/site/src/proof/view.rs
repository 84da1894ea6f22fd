//! Rendering of the page `/prove`.

use accounts::{PasskeyRequest, SignedInUser};
use axum::response::Response;
use maud::{Markup, html};
use pages::error::PageError;
use pages::form::{FormErrors, PostForm};
use pages::language::Localizer;
use pages::layout::{Control, Field, Page, PageKind};
use pages::passkey::NoPasskeys;
use pages::paths::{PROFILE, PROVE, PROVE_PASSKEY, SIGN_OUT};
use pages::response::respond_with_forms;
use pages::return_path::{may_redirect_away, with_next};
use pages::sessions::Visitor;

use crate::passkeys::prove::{proof_form, request_proof};
use crate::sign_in::view::proof_link;
use crate::state::AccountState;

/// Renders a sentence that says for what a proof is needed, and the link to it. The user returns to `next`.
pub(crate) fn prove_first(l10n: &Localizer, sentence: &str, next: &str) -> Markup {
    html! {
        p { (l10n.text(sentence)) }
        p {
            a.button.secondary href=(with_next(PROVE, Some(next))) {
                (l10n.text("security-prove-button"))
            }
        }
    }
}

/// The data of the page.
struct ProofView<'a> {
    l10n: &'a Localizer,
    csrf: &'a str,
    owner: &'a SignedInUser,
    state: &'a AccountState,
    /// The path that the user returns to after the proof.
    next: &'a str,
    /// The request to the browser for a passkey, if the user has one.
    passkey: Option<&'a PasskeyRequest>,
    refused: Option<Refused<'a>>,
}

/// The path that a form was sent to, and its errors.
type Refused<'a> = (&'static str, &'a FormErrors);

/// Returns the page, with the errors of the form that was refused.
pub(crate) async fn show(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    next: &str,
    refused: Option<Refused<'_>>,
) -> Result<Response, PageError> {
    let csrf = state.sessions.csrf(visitor);
    let passkey = request_proof(state, visitor, &csrf, owner).await?;
    let l10n = &visitor.localizer(Some(owner));
    let view = ProofView {
        l10n,
        csrf: &csrf.token,
        owner,
        state,
        next,
        passkey: passkey.as_ref(),
        refused,
    };
    let title = l10n.text("proof-title");
    let page = Page {
        current_path: PROFILE,
        visitor: Some(owner.username()),
        kind: PageKind::of_form(may_redirect_away(Some(next))),
        ..Page::new(l10n, &title, view.body())
    };
    let errors = refused.map(|(_, errors)| errors);
    Ok(respond_with_forms(page, csrf, errors))
}

impl ProofView<'_> {
    fn body(&self) -> Markup {
        html! {
            p { (self.l10n.text("proof-explanation")) }
            // Each way to prove it is a form or a link of its own.
            @if let Some(request) = self.passkey { (self.passkey(request)) }
            @if self.state.accounts.can_use_password(&self.owner.account) { (self.password()) }
            (proof_link(self.l10n, self.state.provider.as_deref(), self.owner, self.next))
            (self.sign_in_again())
        }
    }

    fn passkey(&self, request: &PasskeyRequest) -> Markup {
        let label = self.l10n.text("passkeys-prove");
        let form = proof_form(self.l10n, self.csrf, request, &label, self.next);
        html! {
            (PostForm { errors: self.errors(PROVE_PASSKEY), ..form })
            (NoPasskeys(self.l10n))
        }
    }

    /// Returns the errors of the form that is sent to `action`.
    fn errors(&self, action: &str) -> Option<&FormErrors> {
        let refused = self.refused.filter(|(refused, _)| *refused == action);
        refused.map(|(_, errors)| errors)
    }

    fn password(&self) -> Markup {
        let l10n = self.l10n;
        let password = Field {
            name: "password",
            label: &l10n.text("account-password"),
            control: Control::CurrentPassword,
            value: "",
            hint: "",
        };
        html! {
            (PostForm {
                action: PROVE,
                csrf: self.csrf,
                hidden: vec![("next", self.next)],
                fields: &[password],
                errors: self.errors(PROVE),
                button: &l10n.text("proof-button"),
                ..PostForm::new(l10n)
            })
        }
    }

    /// Renders the way that is open to every account, in every browser: a sign-in is a proof.
    fn sign_in_again(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            section aria-labelledby="again" {
                h2 id="again" { (l10n.text("proof-again-title")) }
                p { (l10n.text("proof-again")) }
                (PostForm {
                    action: SIGN_OUT,
                    csrf: self.csrf,
                    hidden: vec![("next", self.next)],
                    button: &l10n.text("proof-again-button"),
                    ..PostForm::new(l10n)
                })
            }
        }
    }
}
