//! Mails that tell users about changes that could let another person in.
//!
//! Their texts are in the files that [`super::link_mail`] reads.

use shared::models::Language;
use shared::visible::is_hidden;

use super::content::MailContent;
use super::link_mail::{mail_text, text_with_name};

/// The maximum number of characters of a name in a mail.
const MAX_MAIL_NAME: usize = 60;

/// A change of an account of which its user is notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityEvent<'e> {
    /// The password was changed or set.
    PasswordChanged,
    /// The e-mail address was changed. The mail goes to the old address.
    EmailChanged,
    /// A passkey with this name was added.
    PasskeyAdded(&'e str),
    /// The passkey with this name was removed.
    PasskeyRemoved(&'e str),
    /// The signature counter of the passkey with this name went back, so there may be a copy of it.
    PasskeyCopied(&'e str),
    /// The account at the identity provider with this name was connected.
    ProviderConnected(&'e str),
    /// The account at the identity provider with this name was disconnected.
    ProviderDisconnected(&'e str),
    /// A second factor was set up.
    SecondFactorAdded,
    /// The second factor was removed.
    SecondFactorRemoved,
    /// A recovery code was used.
    RecoveryCodeUsed,
    /// New recovery codes were made, which replace the earlier ones.
    RecoveryCodesRenewed,
    /// The OAuth application with this name was connected.
    ApplicationConnected(&'e str),
    /// An account at the tracker with this name was connected.
    TrackerConnected(&'e str),
    /// A player with this name was added.
    PlayerAdded(&'e str),
    /// A browser that was not seen before has signed in. It has this name, such as `Firefox, Linux`.
    NewBrowser(&'e str),
}

impl<'e> SecurityEvent<'e> {
    /// Returns the kind of the mail, by which mails are counted. Each event has its own kind, so that many harmless
    /// changes do not hold back the mail about a serious one.
    pub(crate) fn kind(self) -> &'static str {
        self.kind_and_name().0
    }

    /// Returns the kind of the mail, which is also the identifier of its sentence, and the name in the event; an empty
    /// text for an event without a name.
    fn kind_and_name(self) -> (&'static str, &'e str) {
        match self {
            Self::PasswordChanged => ("notice_password", ""),
            Self::EmailChanged => ("notice_email", ""),
            Self::PasskeyAdded(name) => ("notice_passkey_added", name),
            Self::PasskeyRemoved(name) => ("notice_passkey_removed", name),
            Self::PasskeyCopied(name) => ("notice_passkey_copied", name),
            Self::ProviderConnected(name) => ("notice_provider_connected", name),
            Self::ProviderDisconnected(name) => ("notice_provider_disconnected", name),
            Self::SecondFactorAdded => ("notice_second_factor_added", ""),
            Self::SecondFactorRemoved => ("notice_second_factor_removed", ""),
            Self::RecoveryCodeUsed => ("notice_recovery_code", ""),
            Self::RecoveryCodesRenewed => ("notice_recovery_codes", ""),
            Self::ApplicationConnected(name) => ("notice_application", name),
            Self::TrackerConnected(name) => ("notice_tracker", name),
            Self::PlayerAdded(name) => ("notice_player", name),
            Self::NewBrowser(name) => ("notice_browser", name),
        }
    }

    /// Returns the content of the mail for the user with this name. `link` is the address of the page with the ways to
    /// sign in and the sessions.
    pub(crate) fn compose(self, language: Language, name: &str, link: &str) -> MailContent {
        let (id, named) = match self {
            Self::NewBrowser("") => ("notice_browser_unnamed", ""),
            event => event.kind_and_name(),
        };
        let [subject, advice, button] =
            ["notice-subject", "notice-advice", "notice-button"].map(|id| mail_text(language, id));
        MailContent {
            language,
            subject,
            before: vec![
                text_with_name(language, "greeting", name),
                text_with_name(language, id, &shown(named)),
                advice.to_owned(),
            ],
            link: link.to_owned(),
            button,
            after: None,
        }
    }
}

/// Returns a name as a mail shows it: without invisible characters and line breaks, and shortened.
fn shown(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|character| !is_hidden(*character))
        .collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let name = words.join(" ");
    if name.chars().count() <= MAX_MAIL_NAME {
        return name;
    }
    let beginning: String = name.chars().take(MAX_MAIL_NAME - 1).collect();
    format!("{}…", beginning.trim_end())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shared::models::Language;

    use super::{SecurityEvent, shown};

    const EVENTS: [SecurityEvent<'static>; 16] = [
        SecurityEvent::PasswordChanged,
        SecurityEvent::EmailChanged,
        SecurityEvent::PasskeyAdded("Phone"),
        SecurityEvent::PasskeyRemoved("Phone"),
        SecurityEvent::PasskeyCopied("Phone"),
        SecurityEvent::ProviderConnected("Phone"),
        SecurityEvent::ProviderDisconnected("Phone"),
        SecurityEvent::SecondFactorAdded,
        SecurityEvent::SecondFactorRemoved,
        SecurityEvent::RecoveryCodeUsed,
        SecurityEvent::RecoveryCodesRenewed,
        SecurityEvent::ApplicationConnected("Phone"),
        SecurityEvent::TrackerConnected("Phone"),
        SecurityEvent::PlayerAdded("Phone"),
        SecurityEvent::NewBrowser("Phone"),
        SecurityEvent::NewBrowser(""),
    ];

    #[test]
    fn every_event_has_its_own_text_in_each_language() {
        let link = "https://kiroku.test/profile/security";
        let mut texts = BTreeSet::new();
        for language in Language::ALL {
            for event in EVENTS {
                let content = event.compose(language, "mitsuha", link);
                assert!(!content.subject.is_empty() && !content.button.is_empty());
                let text = content.text();
                assert!(text.contains("mitsuha") && text.contains(link), "{text}");
                let has_name = format!("{event:?}").contains("Phone");
                assert_eq!(text.contains("Phone"), has_name, "{text}");
                assert!(!text.contains("  "), "{text}");
                assert!(texts.insert(text), "{event:?} {language:?}");
            }
        }
        let kinds: BTreeSet<&str> = EVENTS.map(SecurityEvent::kind).into();
        // Both texts for a new browser are of one kind.
        assert_eq!(kinds.len(), EVENTS.len() - 1);
    }

    #[test]
    fn names_are_shown_in_one_short_line() {
        assert_eq!(shown("Radio Itomori"), "Radio Itomori");
        assert_eq!(
            shown("a\r\nSubject: b\u{202e}\u{200b}\0 c"),
            "aSubject: b c"
        );
        assert_eq!(shown("  a \u{3000} b "), "a b");
        let long = shown(&"記".repeat(61));
        assert_eq!(long, format!("{}…", "記".repeat(59)));
        assert_eq!(shown(&"記".repeat(60)).chars().count(), 60);
    }
}
