//! The values of arguments.

use clap::ValueEnum;
use interchange::ExportFormat;
use shared::auth::RegistrationMode;
use shared::models::Role;
use stories::list_files::{ImportMode, ScoreScaleOption};

/// Declares the values of an argument, which stand for the values with the same names in another type.
macro_rules! argument_values {
    (
        $(#[$attribute:meta])*
        $argument:ident for $target:ident {
            $($(#[$of_value:meta])* $value:ident,)+
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        $(#[$attribute])*
        pub enum $argument {
            $($(#[$of_value])* $value,)+
        }

        impl From<$argument> for $target {
            fn from(argument: $argument) -> Self {
                match argument {
                    $($argument::$value => Self::$value,)+
                }
            }
        }
    };
}

argument_values! {
    /// A role on the command line.
    RoleArg for Role {
        /// Acts on the user's own account and stories.
        Basic,
        /// Also acts on the accounts and stories of basic users.
        Moderator,
        /// Acts on the accounts and stories of all users.
        Administrator,
    }
}

argument_values! {
    /// The rule for registrations, on the command line.
    #[derive(Default)]
    RegistrationArg for RegistrationMode {
        /// Everyone can register.
        #[default]
        Open,
        /// No user can register, except with the setup link that a server without users prints.
        Closed,
        /// Only people with an invitation can register.
        Invite,
    }
}

argument_values! {
    /// The highest score of a file's scale.
    ScaleArg for ScoreScaleOption {
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
}

argument_values! {
    /// The treatment of existing stories in an import, on the command line.
    #[derive(Default)]
    ModeArg for ImportMode {
        /// Merges them as a synchronization with a tracker does. The progress never gets smaller, unless the story or
        /// the entry is REPEATING.
        #[default]
        Merge,
        /// Keeps them.
        Keep,
        /// Takes all values that the file states.
        Replace,
    }
}

argument_values! {
    /// A format of an export on the command line.
    #[value(rename_all = "snake_case")]
    FormatArg for ExportFormat {
        /// Every field of the stories, as this service's own JSON.
        Json,
        /// CSV with a header row.
        Csv,
        /// The format that `MyAnimeList` imports.
        MalXml,
    }
}
