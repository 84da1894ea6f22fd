//! Converts descriptions to plain text. AniList's descriptions contain hand-written HTML.

use std::borrow::Cow;

use html_escape::decode_html_entities;

/// The elements whose tags are removed. Anything else in angle brackets is text.
const ELEMENTS: [&str; 14] = [
    "a", "b", "br", "center", "div", "em", "font", "hr", "i", "li", "p", "span", "strong", "ul",
];

/// The elements whose tags end a line.
const BREAKS: [&str; 5] = ["br", "div", "hr", "li", "p"];

/// Returns the text without tags, with character references replaced, and with at most one empty line in a
/// row. Returns an empty text if nothing is left.
pub fn plain_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, after)) = split_tag(rest) {
            rest = after;
            if BREAKS.contains(&name.as_str()) {
                text.push('\n');
                // Writers usually add a line break after a break tag. It must not count twice.
                rest = rest.strip_prefix('\r').unwrap_or(rest);
                rest = rest.strip_prefix('\n').unwrap_or(rest);
            }
        } else if let Some((characters, after)) = split_reference(rest) {
            text.push_str(&characters);
            rest = after;
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    tidy(&text)
}

/// Splits a tag from the start of the text, if there is one. Returns the element's name and the text after the tag. An
/// incomplete tag extends to the end of the text.
fn split_tag(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric());
    let (name, after) = inner.split_at(end.unwrap_or(inner.len()));
    let name = name.to_ascii_lowercase();
    // For example, `<a.b@example.com>` is text, although `a` is an element.
    let is_tag = ELEMENTS.contains(&name.as_str()) && !after.starts_with(['-', '_', '.', '@']);
    is_tag.then(|| (name, after.split_once('>').map_or("", |(_, after)| after)))
}

/// Splits a character reference from the start of the text, if there is one. Returns its characters and the text after
/// it. A few names stand for two characters.
fn split_reference(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '#')?;
    let (name, after) = inner.split_at(end);
    let after = after.strip_prefix(';')?;
    let characters: Cow<'_, str> = match name.strip_prefix('#') {
        Some(number) => decode_number(number)?.to_string().into(),
        None => decode_name(&text[..end + "&;".len()])?,
    };
    Some((characters, after))
}

fn decode_number(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?).filter(|c| !c.is_control() || *c == '\n')
}

/// Returns the characters of a reference such as `&eacute;`, if its name is known.
fn decode_name(reference: &str) -> Option<Cow<'_, str>> {
    // `decode_html_entities` returns an unknown reference unchanged.
    let characters = decode_html_entities(reference);
    (characters != reference).then_some(characters)
}

/// Removes white space around lines, and empty lines at the start and the end of the text. Reduces runs of
/// white space within lines to one space, and runs of empty lines to one.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty_lines = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            empty_lines += 1;
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if empty_lines == 0 { "\n" } else { "\n\n" });
        }
        empty_lines = 0;
        tidy.push_str(&words.join(" "));
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn html_becomes_plain_text() {
        for (html, text) in [
            // Tags are removed, and breaks are kept.
            (
                "One <i>two</i> <B>three</B>.<br><br>\nFour<br />\r\nfive<BR/>six</br>seven",
                "One two three.\n\nFour\nfive\nsix\nseven",
            ),
            (
                "(Source: <a href=\"https://example.com/?a=1&amp;b\">Example</a>)",
                "(Source: Example)",
            ),
            ("The end.<br", "The end."),
            ("The end. <a href=\"https://exam", "The end."),
            // Character references are replaced.
            (
                "caf&eacute; &amp; cr&egrave;me&nbsp;br&ucirc;l&eacute;e &mdash; &#22799;&#x3042;",
                "café & crème brûlée — 夏あ",
            ),
            ("&yuml;&iexcl;&trade;&apos;", "ÿ¡™'"),
            ("&rarr; &CounterClockwiseContourIntegral;", "→ ∳"),
            ("Q & A <br> &lt;3", "Q & A\n<3"),
            // An escaped tag is text.
            ("&lt;br&gt; is a tag", "<br> is a tag"),
            ("&amp;lt;", "&lt;"),
            // Extra space is removed.
            ("  a \t b <br> <br>\n\n\n c\n\nd\ne  ", "a b\n\nc\n\nd\ne"),
            (" <br><i></i>&nbsp;\n", ""),
            ("", ""),
        ] {
            assert_eq!(plain_text(html), text);
        }
    }

    #[test]
    fn unknown_tags_and_references_are_text() {
        for text in [
            "1 < 2 & 3 > 2",
            "I <3 you",
            "(by <fruitmaster>)",
            "<a.b@example.com>",
            "R&D; Q&A",
            "&unheard; &#xd800; &#0; &#99999999; &",
            "<",
            "日本 < 語 & 文",
        ] {
            assert_eq!(plain_text(text), text);
        }
    }

    #[test]
    fn long_run_of_opening_characters_is_kept() {
        for one in ["<", "&", "<i-", "</"] {
            let html = one.repeat(50_000);
            assert_eq!(plain_text(&html), html);
        }
    }
}
