//! The Markdown of descriptions: paragraphs and code.

use maud::{Markup, html};

/// Renders a text of several paragraphs.
pub(super) fn blocks(text: &str) -> Markup {
    html! {
        @for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
            p { (line(block)) }
        }
    }
}

/// Renders a text of one paragraph.
pub(super) fn line(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn paragraphs_and_code_are_rendered() {
        assert_eq!(
            blocks("One\ntwo.\n\n`a` b <c>\n\n").into_string(),
            "<p>One\ntwo.</p><p><code>a</code> b &lt;c&gt;</p>"
        );
        assert_eq!(blocks("").into_string(), "");
    }
}
