//! The visibility of a user's list and statistics, as the profile offers it.

use accounts::users::Account;

/// The people who can see the list and the statistics.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    /// The user and moderators.
    Private,
    /// Everyone who has the address of the public profile.
    Public,
    /// Everyone, and search engines may list the public profile.
    Indexable,
}

impl Visibility {
    pub(super) const ALL: [Self; 3] = [Self::Private, Self::Public, Self::Indexable];

    pub(super) fn of(account: &Account) -> Self {
        match (account.public_profile, account.indexable_profile) {
            (false, _) => Self::Private,
            (true, false) => Self::Public,
            (true, true) => Self::Indexable,
        }
    }

    /// Returns the value in the form.
    pub(super) fn form_value(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
            Self::Indexable => "indexable",
        }
    }

    /// Reads the value of [`Self::form_value`].
    pub(super) fn from_form(value: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|visibility| visibility.form_value() == value)
    }

    /// Returns the identifier of the message that explains the visibility.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Private => "settings-visibility-private",
            Self::Public => "settings-visibility-public",
            Self::Indexable => "settings-visibility-indexable",
        }
    }

    pub(super) fn is_public(self) -> bool {
        self != Self::Private
    }

    pub(super) fn is_indexable(self) -> bool {
        self == Self::Indexable
    }
}
