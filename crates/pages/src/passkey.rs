//! The button that makes or uses a passkey. The script shows it in browsers that have passkeys, and sends the browser's
//! response with the form of the button.

use accounts::sign_in::PasskeyRequest;
use maud::{Markup, Render, html};

use crate::language::Localizer;

/// The hidden field with the browser's response, as JSON.
pub const CREDENTIAL: &str = "credential";

/// The hidden field with the encrypted state of the ceremony.
pub const STATE: &str = "state";

/// A button for passkeys in a form.
#[derive(Clone, Copy)]
pub struct PasskeyButton<'a> {
    /// The path that the form is sent to.
    pub action: &'a str,
    /// The label of the button.
    pub label: &'a str,
    /// The request to the browser. If it is missing, the button only sends the form.
    pub request: Option<&'a PasskeyRequest>,
    /// True if the browser also offers passkeys in the field for the username.
    pub autofills: bool,
    /// True if the form has another button, which is more important.
    pub is_secondary: bool,
}

impl PasskeyButton<'_> {
    /// Renders the button, with its hidden fields and its place for an error.
    pub fn markup(&self, l10n: &Localizer) -> Markup {
        let Some(request) = self.request else {
            return html! {
                button.secondary type="submit" formaction=(self.action) data-passkey hidden { (self.label) }
            };
        };
        html! {
            input type="hidden" name=(STATE) value=(request.state);
            input type="hidden" name=(CREDENTIAL);
            button.secondary[self.is_secondary] type="submit" formaction=(self.action)
                data-passkey=(request.options) data-autofill[self.autofills]
                data-failed=(l10n.text("passkeys-failed")) data-known=(l10n.text("passkeys-known")) hidden {
                (self.label)
            }
            p.fault role="alert" {}
        }
    }
}

/// A sentence for browsers without passkeys. The script hides it in all other browsers.
pub struct NoPasskeys<'a>(pub &'a Localizer);

impl Render for NoPasskeys<'_> {
    fn render(&self) -> Markup {
        html! { p.hint data-passkey { (self.0.text("passkeys-unsupported")) } }
    }
}
