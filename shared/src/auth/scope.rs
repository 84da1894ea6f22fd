//! Scopes: the limits of what a token can do (docs/oauth.md, "Scopes").

use serde::{Deserialize, Serialize};

/// The scope of a token. A token without a scope allows everything that its caller may do, as a token with
/// [`Scope::ReadWrite`] does. A scope includes the rights of the scopes before it, so [`Scope::covers`] compares their
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scope {
    /// Reading only.
    #[serde(rename = "read")]
    Read,
    /// Reading and writing.
    #[serde(rename = "read write")]
    ReadWrite,
}

impl Scope {
    /// The names that a scope parameter can list.
    pub const NAMES: [&'static str; 2] = ["read", "write"];

    /// Returns the scope as the value of a parameter.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadWrite => "read write",
        }
    }

    /// Parses a scope parameter: names separated by single spaces, in any order (RFC 6749, section 3.3). A
    /// repeated name adds nothing. Returns `None` for an unknown name, and for `write` without `read`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mut read, mut write) = (false, false);
        for name in text.split(' ') {
            match name {
                "read" => read = true,
                "write" => write = true,
                _ => return None,
            }
        }
        match (read, write) {
            (true, false) => Some(Self::Read),
            (true, true) => Some(Self::ReadWrite),
            (false, _) => None,
        }
    }

    /// Returns true if a token with the scope `granted` is enough for an action that requires the scope `needed`.
    #[must_use]
    pub fn covers(granted: Option<Self>, needed: Self) -> bool {
        granted.is_none_or(|granted| granted >= needed)
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn names_can_have_any_order() {
        for (text, scope) in [
            ("read", Scope::Read),
            ("read read", Scope::Read),
            ("read write", Scope::ReadWrite),
            ("write read", Scope::ReadWrite),
            ("write read write", Scope::ReadWrite),
        ] {
            assert_eq!(Scope::parse(text), Some(scope), "{text}");
        }
    }

    #[test]
    fn unknown_names_and_malformed_lists_are_refused() {
        for text in [
            "",
            " ",
            "write",
            "admin",
            "read admin",
            "READ",
            "read,write",
            "read  write",
            " read",
            "read ",
            "read\twrite",
            "read\u{a0}write",
        ] {
            assert_eq!(Scope::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn missing_scope_covers_everything() {
        for (granted, needed, expected) in [
            (None, Scope::ReadWrite, true),
            (Some(Scope::ReadWrite), Scope::ReadWrite, true),
            (Some(Scope::ReadWrite), Scope::Read, true),
            (Some(Scope::Read), Scope::Read, true),
            (Some(Scope::Read), Scope::ReadWrite, false),
        ] {
            assert_eq!(Scope::covers(granted, needed), expected);
        }
    }
}
