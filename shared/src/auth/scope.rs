//! Scopes: the limits of what a token can do (docs/oauth.md, "Scopes").

use serde::{Deserialize, Serialize};

use crate::value_names;

// The names are the values of the parameter `scope`.
value_names! {
    /// The scope of a token. A token without a scope allows everything that its caller may do, as a token with
    /// [`Scope::ReadWrite`] does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Scope {
        /// Sending messages of players, and nothing else.
        #[serde(rename = "playback")]
        Playback = "playback",
        /// Reading only.
        #[serde(rename = "read")]
        Read = "read",
        /// Reading and writing, which includes the messages of players.
        #[serde(rename = "read write")]
        ReadWrite = "read write",
    }
}

impl Scope {
    /// The names that a scope parameter can list.
    pub const NAMES: [&'static str; 3] = ["playback", "read", "write"];

    /// Parses a scope parameter: names separated by single spaces, in any order (RFC 6749, section 3.3). A repeated
    /// name adds nothing, and `playback` adds nothing to `read write`. Returns `None` for an unknown name, for `write`
    /// without `read`, and for `playback` with `read` alone.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut playback, mut read, mut write) = (false, false, false);
        for name in text.split(' ') {
            match name {
                "playback" => playback = true,
                "read" => read = true,
                "write" => write = true,
                _ => return None,
            }
        }
        match (playback, read, write) {
            (true, false, false) => Some(Self::Playback),
            (false, true, false) => Some(Self::Read),
            (_, true, true) => Some(Self::ReadWrite),
            _ => None,
        }
    }

    /// Returns true if a token with the scope `granted` is enough for an action that requires the scope `needed`.
    pub fn covers(granted: Option<Self>, needed: Self) -> bool {
        match granted {
            None | Some(Self::ReadWrite) => true,
            Some(granted) => granted == needed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn names_can_have_any_order() {
        for (text, scope) in [
            ("playback", Scope::Playback),
            ("read write playback", Scope::ReadWrite),
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
            "playback read",
            "playback write",
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
            (Some(Scope::Read), Scope::Playback, false),
            (Some(Scope::Playback), Scope::Playback, true),
            (Some(Scope::Playback), Scope::Read, false),
            (Some(Scope::Playback), Scope::ReadWrite, false),
            (Some(Scope::ReadWrite), Scope::Playback, true),
        ] {
            assert_eq!(Scope::covers(granted, needed), expected);
        }
    }
}
