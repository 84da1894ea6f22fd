//! The languages of the pages, and those that a browser prefers.

/// A language that the pages are written in.
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
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
            Self::Italian => "it",
            Self::Japanese => "ja",
        }
    }

    /// Returns the localization code of the API, in which Japanese is `jp`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Japanese => "jp",
            other => other.tag(),
        }
    }

    /// Returns the language of a localization code or language tag, such as `fr`, `fr-CA`, `jp` or `ja-JP`.
    #[must_use]
    pub fn of(code: &str) -> Option<Self> {
        let primary = primary(code);
        let is_this = |language: &Self| {
            [language.tag(), language.code()]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(primary))
        };
        Self::ALL.into_iter().find(is_this)
    }
}

/// Returns the primary subtag: `pt` of `pt-BR`.
pub(super) fn primary(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or(code)
}

/// Returns the language tags of an `Accept-Language` header, the preferred one first (RFC 9110, section 12.5.4).
/// Leaves out those with a weight of 0, and `*`.
#[must_use]
pub fn accepted_languages(header: &str) -> Vec<String> {
    /// Enough for every browser. More would only cost time.
    const MAX: usize = 20;
    let parse = |item: &str| {
        let (tag, weight) = item.split_once(';').unwrap_or((item, "q=1"));
        let weight: f32 = weight.trim().strip_prefix("q=")?.trim().parse().ok()?;
        let tag = tag.trim();
        let is_tag = !tag.is_empty()
            && tag
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (is_tag && weight > 0.0).then(|| (weight, tag.to_owned()))
    };
    let mut tags: Vec<(f32, String)> = header.split(',').take(MAX).filter_map(parse).collect();
    tags.sort_by(|one, other| other.0.total_cmp(&one.0));
    tags.into_iter().map(|(_, tag)| tag).collect()
}

#[cfg(test)]
mod tests {
    use super::accepted_languages;

    #[test]
    fn weights_order_languages() {
        let tags =
            accepted_languages("en;q=0.5, *;q=0.9, fr-FR, fr;q=0, ,;, x y, it;q=0.8;a=b, jp;q=x");
        assert_eq!(tags, ["fr-FR", "en"]);
        assert_eq!(accepted_languages(&"a,".repeat(10_000)).len(), 20);
    }
}
