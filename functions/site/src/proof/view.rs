//! Rendering of the page `/prove`.

use accounts::SignedInUser;
use axum::response::Response;
use maud::{Markup, html};
use pages::form::{FormErrors, PostForm};
use pages::language::Localizer;
use pages::layout::{Control, Field, Page};
use pages::paths::{PROFILE, PROVE, SIGN_OUT};
use pages::response::respond_with_forms;
use pages::sessions::Visitor;

use crate::state::AccountState;

/// The data of the page.
struct ProofView<'a> {
    l10n: &'a Localizer,
    csrf: &'a str,
    owner: &'a SignedInUser,
    /// The path that the user returns to after the proof.
    next: &'a str,
    /// The errors of the form with the password.
    errors: Option<&'a FormErrors>,
}

/// Returns the page.
pub(super) fn show(
    state: &AccountState,
    visitor: &Visitor,
    owner: &SignedInUser,
    next: &str,
    errors: Option<&FormErrors>,
) -> Response {
    let csrf = state.sessions.csrf(visitor);
    let l10n = &visitor.localizer(Some(owner));
    let view = ProofView {
        l10n,
        csrf: &csrf.token,
        owner,
        next,
        errors,
    };
    let title = l10n.text("proof-title");
    let page = Page {
        current_path: PROFILE,
        visitor: Some(owner.username()),
        ..Page::new(l10n, &title, view.body())
    };
    respond_with_forms(page, csrf, errors)
}

impl ProofView<'_> {
    fn body(&self) -> Markup {
        html! {
            p { (self.l10n.text("proof-explanation")) }
            // Each way to prove it is a form or a button of its own.
            @if self.owner.account.password_hash.is_some() { (self.password()) }
            (self.sign_in_again())
        }
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
                errors: self.errors,
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
