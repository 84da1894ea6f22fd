//! The texts of mails, in the language of the account.
//!
//! They are in files of their own and not in those of `crates/pages`, because `functions/auth` also sends mails. It
//! would otherwise contain Fluent and the texts of all pages. A text is one line of Fluent's syntax, and its only
//! variable is `$name`, so that they are read without Fluent.

use shared::models::Language;

use super::content::MailContent;

/// The files, in the order of [`Language::ALL`].
const FILES: [&str; 4] = [
    include_str!("../../messages/en.ftl"),
    include_str!("../../messages/fr.ftl"),
    include_str!("../../messages/it.ftl"),
    include_str!("../../messages/ja.ftl"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkMail {
    /// Verifies the e-mail address. The link is valid for 24 hours.
    Verification,
    /// Sets a new password. The link is valid for 1 hour.
    Reset,
}

pub(crate) fn mail_text(language: Language, id: &str) -> &'static str {
    let mut texts = texts(language).filter(|(other, _)| *other == id);
    texts.next().map(|(_, text)| text).unwrap_or_default()
}

/// Returns the text with this identifier, and with a name in it.
pub(crate) fn text_with_name(language: Language, id: &str, name: &str) -> String {
    mail_text(language, id).replace("{ $name }", name)
}

fn texts(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = FILES[language as usize].lines();
    lines.filter_map(|line| line.split_once(" = "))
}

impl LinkMail {
    /// Returns the content of the mail for the user with this name.
    pub(crate) fn compose(self, language: Language, name: &str, link: &str) -> MailContent {
        let [subject, before, after] = match self {
            Self::Verification => [
                "verification-subject",
                "verification-before",
                "verification-after",
            ],
            Self::Reset => ["reset-subject", "reset-before", "reset-after"],
        }
        .map(|id| mail_text(language, id));
        MailContent {
            language,
            subject,
            before: vec![
                text_with_name(language, "greeting", name),
                before.to_owned(),
            ],
            link: link.to_owned(),
            button: subject,
            after: Some(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::models::Language;

    use super::{FILES, texts};

    #[test]
    fn every_language_has_every_text() {
        let ids = |language| texts(language).map(|(id, _)| id).collect::<Vec<_>>();
        for (language, file) in Language::ALL.into_iter().zip(FILES) {
            assert_eq!(ids(language), ids(Language::English));
            assert_eq!(file.lines().count(), ids(language).len());
            assert!(texts(language).all(|(_, text)| !text.trim().is_empty()));
        }
    }
}
