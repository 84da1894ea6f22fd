//! The parts of the profile, and the navigation between them.

use maud::{Markup, html};

use crate::form_page::FormPage;
use crate::language::Localizer;
use crate::layout::Page;
use crate::paths::{
    PROFILE, PROFILE_CONNECTIONS, PROFILE_DATA, PROFILE_DEVELOPER, PROFILE_PRIVACY,
    PROFILE_SECURITY,
};

/// A part of the profile. Each has a page, and some have further pages below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfilePart {
    /// E-mail address, language, sign-out and deletion.
    Account,
    /// Password, passkeys, identity provider, second factor and sessions.
    Security,
    /// The visibility of the list and the statistics.
    Privacy,
    /// Trackers, players and connected applications.
    Connections,
    /// Import, export and the download of everything.
    Data,
    /// Access tokens and the way to own OAuth applications.
    Developer,
}

impl ProfilePart {
    /// All parts, in the order of the navigation.
    const ALL: [Self; 6] = [
        Self::Account,
        Self::Security,
        Self::Privacy,
        Self::Connections,
        Self::Data,
        Self::Developer,
    ];

    fn path(self) -> &'static str {
        match self {
            Self::Account => PROFILE,
            Self::Security => PROFILE_SECURITY,
            Self::Privacy => PROFILE_PRIVACY,
            Self::Connections => PROFILE_CONNECTIONS,
            Self::Data => PROFILE_DATA,
            Self::Developer => PROFILE_DEVELOPER,
        }
    }

    /// Returns the identifier of the message with the name.
    pub fn message(self) -> &'static str {
        match self {
            Self::Account => "profile-part-account",
            Self::Security => "profile-part-security",
            Self::Privacy => "profile-part-privacy",
            Self::Connections => "profile-part-connections",
            Self::Data => "profile-part-data",
            Self::Developer => "profile-part-developer",
        }
    }

    /// Returns the page of the part.
    pub fn page<'a>(self, page: &'a FormPage, title: &'a str, body: &Markup) -> Page<'a> {
        self.page_with(page, title, body, "page")
    }

    /// Returns a page below the page of the part.
    pub fn sub_page<'a>(self, page: &'a FormPage, title: &'a str, body: &Markup) -> Page<'a> {
        self.page_with(page, title, body, "true")
    }

    /// Returns a page with the navigation. `mark` is the value of `aria-current` on the link of the part.
    fn page_with<'a>(
        self,
        page: &'a FormPage,
        title: &'a str,
        body: &Markup,
        mark: &str,
    ) -> Page<'a> {
        let l10n = &page.forms.l10n;
        let body = html! {
            nav.index aria-label=(l10n.text("profile-parts")) {
                ul {
                    @for part in Self::ALL {
                        li {
                            a href=(part.path()) aria-current=[(part == self).then_some(mark)] {
                                (l10n.text(part.message()))
                            }
                        }
                    }
                }
            }
            (body)
        };
        Page {
            current_path: PROFILE,
            ..page.page(title, body)
        }
    }
}

/// Renders a section of a page.
pub fn section(l10n: &Localizer, id: &str, heading: &str, body: &Markup) -> Markup {
    html! {
        section.sec aria-labelledby=(id) {
            div.head { h2 id=(id) { (l10n.text(heading)) } }
            (body)
        }
    }
}
