//! The link to the page `/prove`.

use maud::{Markup, html};

use crate::language::Localizer;
use crate::paths::PROVE;
use crate::return_path::with_next;

/// Renders a sentence that says why a proof is needed, and the link to the proof. The user returns to `next`.
pub fn prove_first(l10n: &Localizer, sentence: &str, next: &str) -> Markup {
    html! {
        p { (l10n.text(sentence)) }
        p {
            a.button.secondary href=(with_next(PROVE, Some(next))) {
                (l10n.text("security-prove-button"))
            }
        }
    }
}
