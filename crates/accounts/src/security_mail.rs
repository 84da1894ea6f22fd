//! Mails that tell users of changes which could let somebody else in.

use shared::models::Language;

/// A change of an account that its user is told of.
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
    /// The OAuth application with this name was connected.
    ApplicationConnected(&'e str),
    /// An account at the tracker with this name was connected.
    TrackerConnected(&'e str),
    /// A player with this name was added.
    PlayerAdded(&'e str),
    /// A browser that was not seen before has signed in. It has this name, such as `Firefox, Linux`.
    NewBrowser(&'e str),
}

impl SecurityEvent<'_> {
    /// Returns the subject and the text of the mail for the user with this name.
    pub(crate) fn compose(self, language: Language, name: &str) -> (&'static str, String) {
        let _ = language;
        (
            "Your Kiroku account was changed",
            format!("Hi {name},\n\n{self:?}\n"),
        )
    }
}
