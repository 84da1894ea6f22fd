//! The resource `User` (docs/api.md, "User"), and the formats of its fields.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Gender, Role, TimeZone, TrackerName, UserId};

/// A user, as everyone sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct User {
    /// Unique identifier.
    pub id: UserId,
    /// Username, in the case in which it was chosen.
    #[schema(example = "mitsuha")]
    pub username: String,
    /// Role of the user.
    pub role: Role,
    /// Address of the avatar image, imported from a tracker; empty when there is none.
    #[schema(example = "https://example.com/avatars/1.png")]
    pub avatar: String,
    /// Gender.
    pub gender: Gender,
    /// True if an account at the first external tracker is linked.
    #[schema(required = true)]
    pub has_tracker_a: Option<bool>,
    /// True if an account at the second external tracker is linked.
    #[schema(required = true)]
    pub has_tracker_b: Option<bool>,
}

impl User {
    /// Returns true if the user has linked a usable account at this tracker.
    pub fn has_tracker(&self, name: TrackerName) -> bool {
        let linked = match name {
            TrackerName::A => self.has_tracker_a,
            TrackerName::B => self.has_tracker_b,
        };
        linked == Some(true)
    }
}

/// A user, as the user sees it: with the confidential fields.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OwnUser {
    /// The user, as everyone sees it.
    #[serde(flatten)]
    pub user: User,
    /// E-mail address.
    #[schema(example = "mitsuha@example.com")]
    pub email: String,
    /// True if the e-mail address is verified.
    pub email_verified: bool,
    /// Preferred locale code.
    #[schema(example = "ja")]
    pub localization: String,
    /// Time zone of the user's days, as a name of the IANA database; absent until a time zone is known. Days are then
    /// in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "Asia/Tokyo", nullable = false)]
    pub time_zone: Option<TimeZone>,
}

/// A valid locale code, such as `en` or `pt-BR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleCode(String);

impl LocaleCode {
    /// Returns the code if the text is valid: a language of 2 to 8 letters, then any number of subtags, each a `-`
    /// and 1 to 8 letters or digits (the form of RFC 5646, section 2.1). The text has 2 to 16 characters.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let mut subtags = text.split('-');
        let language = subtags.next().unwrap_or_default();
        let is_language =
            (2..=8).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_alphabetic());
        let is_subtag = |subtag: &str| {
            (1..=8).contains(&subtag.len()) && subtag.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        if text.len() <= 16 && is_language && subtags.all(is_subtag) {
            Ok(Self(text.to_owned()))
        } else {
            Err("must be a locale code of 2 to 16 characters, such as en or pt-BR")
        }
    }

    /// Returns the code as text.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// The maximum length of a tracker's access token, in characters. Observed tokens have a little over 1,000 characters.
const MAX_TRACKER_TOKEN: usize = 2048;

/// An access token of a tracker account, as a caller sends it. It has no `Debug`, so that no log contains it.
#[derive(Clone)]
pub struct TrackerToken(String);

impl TrackerToken {
    /// Returns the token if the text has 1 to 2,048 printable ASCII characters.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_printable && (1..=MAX_TRACKER_TOKEN).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err("must have 1 to 2048 printable ASCII characters")
        }
    }

    /// Returns the token as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns a username, or a part of one, in the form in which usernames are compared: ASCII letters in lower case.
pub fn fold_username(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// A valid username: 3 to 32 ASCII letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Username(String);

impl Username {
    /// Returns the username if the text is valid.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if !text.bytes().all(is_allowed) {
            return Err("must contain only letters from a to z, digits, _ and -");
        }
        if !(3..=32).contains(&text.len()) {
            return Err("must have 3 to 32 characters");
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the username in the case in which it was chosen.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the username in lower case, for comparison and order. Two users cannot have usernames that are equal in
    /// lower case.
    pub fn folded(&self) -> String {
        fold_username(&self.0)
    }
}

/// A valid e-mail address with its domain in lower case. No two users have the same address.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailAddress(String);

crate::hide_values!(EmailAddress);

impl EmailAddress {
    /// Returns the address if the text is valid. The check refuses addresses that are too long (RFC 5321,
    /// section 4.5.3.1) and characters that could end a header of a mail. Only a verification link proves
    /// that an address exists.
    pub fn new(text: &str) -> Result<Self, &'static str> {
        const INVALID: &str = "must be an e-mail address, such as name@example.com";
        let (local, domain) = text.rsplit_once('@').ok_or(INVALID)?;
        let is_local_byte =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
        let has_empty_label = |text: &str| text.split('.').any(str::is_empty);
        let is_domain_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        let has_outer_hyphen = |label: &str| label.starts_with('-') || label.ends_with('-');
        let is_valid = (1..=64).contains(&local.len())
            && (3..=253).contains(&domain.len())
            && text.len() <= 254
            && local.bytes().all(is_local_byte)
            && domain.bytes().all(is_domain_byte)
            && !has_empty_label(local)
            && !has_empty_label(domain)
            && domain.contains('.')
            && !domain.split('.').any(has_outer_hyphen);
        if !is_valid {
            return Err(INVALID);
        }
        Ok(Self(format!("{local}@{}", domain.to_ascii_lowercase())))
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the mailbox to which mail for the address most likely goes: the address in lower case, without
    /// a `+` and the text between it and the `@`.
    pub fn mailbox(&self) -> String {
        let (local, domain) = self.0.rsplit_once('@').unwrap_or((&self.0, ""));
        let local = local.split('+').next().unwrap_or_default();
        format!("{local}@{domain}").to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::{EmailAddress, LocaleCode, Username};

    #[test]
    fn usernames_have_letters_digits_and_hyphens() {
        for name in ["abc", "A_b-9", &"x".repeat(32)] {
            assert!(Username::new(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "ab",
            &"x".repeat(33),
            "a b c",
            "Mitsuhä",
            "a.b.c",
            "abc\n",
        ] {
            assert!(Username::new(name).is_err(), "{name}");
        }
        let folded = |name| Username::new(name).map(|name| name.folded());
        assert_eq!(folded("Your_Name"), folded("your_name"));
        assert_ne!(folded("Your_Name"), folded("your-name"));
    }

    #[test]
    fn locale_codes_have_a_language_and_subtags() {
        for code in ["en", "jp", "pt-BR", "zh-Hant-TW", "sr-Latn-RS", "es-419"] {
            assert!(LocaleCode::new(code).is_ok(), "{code}");
        }
        // The first code is empty.
        for code in " e -- -en en- en--US en_US e1 12 en-Latn-US-x-long".split(' ') {
            assert!(LocaleCode::new(code).is_err(), "{code}");
        }
    }

    #[test]
    fn malformed_addresses_are_rejected() {
        let address = |text| EmailAddress::new(text).map(|address| address.0);
        assert_eq!(
            address("First.Last+tag@EXAMPLE.Com").as_deref(),
            Ok("First.Last+tag@example.com")
        );
        for text in [
            "",
            "@",
            "name",
            "name@",
            "@example.com",
            "name@localhost",
            "a b@example.com",
            "name@exa mple.com",
            "name@.com",
            "name@example..com",
            ".name@example.com",
            "na..me@example.com",
            "name@-example.com",
            "name@example.com\r\nBcc: other@example.com",
            "\"quoted\"@example.com",
            "näme@example.com",
            "one@two@example.com",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
