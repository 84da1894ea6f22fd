//! The languages of the service's pages and mails.

/// A language of the pages and mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English, the default.
    English,
    /// French.
    French,
    /// Italian.
    Italian,
    /// Japanese.
    Japanese,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 4] = [Self::English, Self::French, Self::Italian, Self::Japanese];

    /// Returns the language tag (RFC 5646), for the attribute `lang`.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
            Self::Italian => "it",
            Self::Japanese => "ja",
        }
    }

    /// Returns the localization code of the API, in which Japanese is `jp`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Japanese => "jp",
            other => other.tag(),
        }
    }

    /// Returns the language of a localization code or language tag, such as `fr`, `fr-CA`, `jp` or `ja-JP`; `None`
    /// for any other language.
    pub fn of(code: &str) -> Option<Self> {
        let primary = primary_subtag(code);
        let has_subtag = |language: &Self| {
            [language.tag(), language.code()]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(primary))
        };
        Self::ALL.into_iter().find(has_subtag)
    }
}

/// Returns the primary subtag of a language tag (RFC 5646, section 2.2.1), such as `pt` for `pt-BR`.
pub fn primary_subtag(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or(code)
}
