//! The content of a mail, as a text and as a page with the same sentences.

use shared::models::Language;

/// The style of the page. Mail programs ignore style sheets, so each element has its own. The colors are those of the
/// web pages.
const BODY: &str = "margin:0;padding:24px 16px;background:#f3f0e7;color:#1a1d26;font:16px/1.5 -apple-system,'Segoe UI',\
                    Roboto,'Noto Sans','Hiragino Sans',sans-serif";
const SHEET: &str = "max-width:560px;margin:0 auto";
const NAME: &str = "margin:0 0 24px;padding-bottom:12px;border-bottom:4px double #1a1d26;\
                    font:700 20px/1.3 'Hiragino Mincho ProN','Yu Mincho',Georgia,serif";
const SEAL: &str = "padding:2px 5px;background:#bb2f16;color:#fff7ee";
const HEADING: &str =
    "margin:0 0 16px;font:700 26px/1.2 'Hiragino Mincho ProN','Yu Mincho',Georgia,serif";
const PARAGRAPH: &str = "margin:0 0 16px";
const BUTTON: &str = "display:inline-block;padding:12px 20px;background:#bb2f16;color:#fff7ee;border-radius:3px;\
                      font-weight:600;text-decoration:none";
const ADDRESS: &str = "margin:0 0 16px;color:#5b574d;font-size:13px;word-break:break-all";

/// The sentences of a mail about an account, and its link.
#[derive(Clone, Debug)]
pub(crate) struct MailContent {
    pub language: Language,
    pub subject: &'static str,
    /// The paragraphs above the link.
    pub before: Vec<String>,
    pub link: String,
    /// The label of the link on the page.
    pub button: &'static str,
    /// The paragraph below the link.
    pub after: Option<&'static str>,
}

impl MailContent {
    /// Returns the text. The link has a line of its own.
    pub(crate) fn text(&self) -> String {
        let before = self.before.iter().map(String::as_str);
        let paragraphs = before.chain([self.link.as_str()]).chain(self.after);
        let mut text = paragraphs.collect::<Vec<_>>().join("\n\n");
        text.push('\n');
        text
    }

    /// Returns the page. It has no images, and its link is a button and also a text, for programs that show no button.
    pub(crate) fn html(&self) -> String {
        let paragraph = |text: &str| format!("<p style=\"{PARAGRAPH}\">{}</p>\n", escaped(text));
        let before: String = self.before.iter().map(|text| paragraph(text)).collect();
        let after = self.after.map(paragraph).unwrap_or_default();
        let (subject, link) = (escaped(self.subject), escaped(&self.link));
        let (tag, button) = (self.language.tag(), escaped(self.button));
        format!(
            "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{subject}</title>\n</head>\n<body style=\"{BODY}\">\n<div style=\"{SHEET}\">\n\
             <p style=\"{NAME}\"><span lang=\"ja\" style=\"{SEAL}\">記録</span> Kiroku</p>\n\
             <h1 style=\"{HEADING}\">{subject}</h1>\n{before}\
             <p style=\"{PARAGRAPH}\"><a href=\"{link}\" style=\"{BUTTON}\">{button}</a></p>\n\
             <p style=\"{ADDRESS}\">{link}</p>\n{after}</div>\n</body>\n</html>\n"
        )
    }
}

/// Returns a text in which no character has a meaning in HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use shared::models::Language;

    use super::MailContent;

    fn content() -> MailContent {
        MailContent {
            language: Language::French,
            subject: "Sujet",
            before: vec!["Bonjour <b>,".to_owned(), "voici & \"cela\"".to_owned()],
            link: "https://kiroku.test/verify-email?token=a&b".to_owned(),
            button: "Ouvrir",
            after: Some("Fin."),
        }
    }

    #[test]
    fn text_has_the_link_on_a_line_of_its_own() {
        let text = content().text();
        let expected = "Bonjour <b>,\n\nvoici & \"cela\"\n\nhttps://kiroku.test/verify-email?token=a&b\n\nFin.\n";
        assert_eq!(text, expected);
        let without_end = MailContent {
            after: None,
            ..content()
        };
        assert!(without_end.text().ends_with("token=a&b\n"));
    }

    #[test]
    fn page_is_escaped_and_loads_nothing() {
        let html = content().html();
        assert!(html.contains("<html lang=\"fr\">"), "{html}");
        assert!(html.contains(">Bonjour &lt;b&gt;,</p>"), "{html}");
        assert!(html.contains("voici &amp; &quot;cela&quot;"), "{html}");
        let link = "https://kiroku.test/verify-email?token=a&amp;b";
        assert!(html.contains(&format!("<a href=\"{link}\" ")), "{html}");
        assert!(html.contains(&format!(">{link}</p>")), "{html}");
        for loaded in ["<img", "src=", "<link", "url(", "<script"] {
            assert!(!html.contains(loaded), "{html}");
        }
    }
}
