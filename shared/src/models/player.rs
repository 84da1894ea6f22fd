//! Players: media servers, programs and scripts that report what a user watches (docs/players.md).

use serde::{Deserialize, Serialize};

/// A kind of players. It chooses the instructions that the user sees. Messages are recognized by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerKind {
    /// Jellyfin.
    Jellyfin,
    /// Plex.
    Plex,
    /// Emby.
    Emby,
    /// Kodi.
    Kodi,
    /// mpv.
    Mpv,
    /// Any other program or script.
    Other,
}

impl PlayerKind {
    /// All kinds, with their names in forms.
    pub const ALL: [(&'static str, Self); 6] = [
        ("jellyfin", Self::Jellyfin),
        ("plex", Self::Plex),
        ("emby", Self::Emby),
        ("kodi", Self::Kodi),
        ("mpv", Self::Mpv),
        ("other", Self::Other),
    ];

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }

    /// Returns the name in forms.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jellyfin => "jellyfin",
            Self::Plex => "plex",
            Self::Emby => "emby",
            Self::Kodi => "kodi",
            Self::Mpv => "mpv",
            Self::Other => "other",
        }
    }
}
