//! The values of arguments.

use clap::ValueEnum;
use interchange::ExportFormat;
use shared::auth::RegistrationMode;
use shared::models::Role;
use stories::list_files::{ImportMode, ScoreScaleOption};

/// A role on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Acts on the user's own account and stories.
    Basic,
    /// Also acts on the accounts and stories of basic users.
    Moderator,
    /// Acts on the accounts and stories of all users.
    Administrator,
}

impl From<RoleArg> for Role {
    fn from(arg: RoleArg) -> Self {
        match arg {
            RoleArg::Basic => Self::Basic,
            RoleArg::Moderator => Self::Moderator,
            RoleArg::Administrator => Self::Administrator,
        }
    }
}

/// The rule for registrations, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RegistrationArg {
    /// Everyone can register.
    #[default]
    Open,
    /// No user can register, except with the setup link that a server without users prints.
    Closed,
    /// Only people with an invitation can register.
    Invite,
}

impl From<RegistrationArg> for RegistrationMode {
    fn from(arg: RegistrationArg) -> Self {
        match arg {
            RegistrationArg::Open => Self::Open,
            RegistrationArg::Closed => Self::Closed,
            RegistrationArg::Invite => Self::Invite,
        }
    }
}

/// The highest score of a file's scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScaleArg {
    /// 1 to 3.
    #[value(name = "3")]
    Three,
    /// 1 to 5.
    #[value(name = "5")]
    Five,
    /// 1 to 10.
    #[value(name = "10")]
    Ten,
    /// 1 to 100.
    #[value(name = "100")]
    Hundred,
}

impl From<ScaleArg> for ScoreScaleOption {
    fn from(scale: ScaleArg) -> Self {
        match scale {
            ScaleArg::Three => Self::Three,
            ScaleArg::Five => Self::Five,
            ScaleArg::Ten => Self::Ten,
            ScaleArg::Hundred => Self::Hundred,
        }
    }
}

/// The treatment of existing stories in an import, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Merges them as a synchronization with a tracker does. The progress never gets smaller, unless the story or the
    /// entry is REPEATING.
    #[default]
    Merge,
    /// Keeps them.
    Keep,
    /// Takes all values that the file states.
    Replace,
}

impl From<ModeArg> for ImportMode {
    fn from(arg: ModeArg) -> Self {
        match arg {
            ModeArg::Merge => Self::Merge,
            ModeArg::Keep => Self::Keep,
            ModeArg::Replace => Self::Replace,
        }
    }
}

/// A format of an export on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FormatArg {
    /// Every field of the stories, as this service's own JSON.
    Json,
    /// CSV with a header row.
    Csv,
    /// The format that `MyAnimeList` imports.
    MalXml,
}

impl From<FormatArg> for ExportFormat {
    fn from(arg: FormatArg) -> Self {
        match arg {
            FormatArg::Json => Self::Json,
            FormatArg::Csv => Self::Csv,
            FormatArg::MalXml => Self::MalXml,
        }
    }
}
