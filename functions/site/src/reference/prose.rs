//! The Markdown of descriptions: paragraphs, lists with `-`, blocks of code, code and links.

use maud::{Markup, html};

/// Renders a text of several paragraphs.
pub(super) fn blocks(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split("```").enumerate() {
            @if number % 2 == 1 {
                // The first line holds the language.
                @let code = part.split_once('\n').map_or(part, |(_, code)| code);
                pre { code { (code.trim_end()) } }
            } @else {
                @for block in part.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
                    (paragraph(block))
                }
            }
        }
    }
}

fn paragraph(block: &str) -> Markup {
    let Some(items) = block.strip_prefix("- ") else {
        return html! { p { (line(block)) } };
    };
    html! {
        ul {
            @for item in items.split("\n- ") { li { (line(item)) } }
        }
    }
}

/// Renders a text of one paragraph.
pub(super) fn line(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (render_links(part)) }
        }
    }
}

fn render_links(text: &str) -> Markup {
    let link = text.split_once("](").and_then(|(before, after)| {
        let (before, label) = before.rsplit_once('[')?;
        let (address, after) = after.split_once(')')?;
        Some((before, label, address, after))
    });
    let Some((before, label, address, after)) = link else {
        return html! { (text) };
    };
    // Other addresses are relative to a file of the repository, or can run scripts. Only their label is shown.
    let is_address = ["https://", "http://", "/", "#"]
        .iter()
        .any(|start| address.starts_with(start));
    html! {
        (before)
        @if is_address { a href=(address) { (label) } } @else { (label) }
        (render_links(after))
    }
}

#[cfg(test)]
mod tests {
    use super::{blocks, line};

    #[test]
    fn markdown_blocks_are_rendered() {
        let text = "One\ntwo.\n\n- `a`\n- b <c>\n\n```json\n{\n}\n```\nEnd.";
        assert_eq!(
            blocks(text).into_string(),
            "<p>One\ntwo.</p><ul><li><code>a</code></li><li>b &lt;c&gt;</li></ul>\
             <pre><code>{\n}</code></pre><p>End.</p>"
        );
        assert_eq!(blocks("").into_string(), "");
    }

    #[test]
    fn only_safe_addresses_become_links() {
        let html = |text| line(text).into_string();
        assert_eq!(
            html("[x] [Sign in](/sign-in), or [not](elsewhere) `[a](/b)`."),
            "[x] <a href=\"/sign-in\">Sign in</a>, or not <code>[a](/b)</code>."
        );
        assert_eq!(html("[a](javascript:alert(1))"), "a)");
        assert_eq!(html("a ](/ b"), "a ](/ b");
    }
}
