//! Enumerations, which are integers on the wire (contract, "Resources and their fields").

use std::fmt::Write as _;

/// An enumeration that is an integer on the wire.
pub trait WireEnum: Copy + 'static {
    /// Every value, in the order of the integers, with its name in the contract.
    const ALL: &'static [(Self, &'static str)];

    /// The value that has this integer.
    #[must_use]
    fn from_wire(number: u64) -> Option<Self> {
        let position = usize::try_from(number).ok()?;
        Self::ALL.get(position).map(|(value, _)| *value)
    }

    /// The value that has this name in the contract.
    #[must_use]
    fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        found.map(|(value, _)| *value)
    }

    /// What may be given, for people: "0 (TV), 1 (TV_SHORT) ...".
    #[must_use]
    fn legend() -> String {
        let mut legend = String::new();
        for (number, (_, name)) in Self::ALL.iter().enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            // Writing to a String cannot fail.
            let _ = write!(legend, "{separator}{number} ({name})");
        }
        legend
    }
}

/// Defines an enumeration whose integers count up from 0, in the order given.
macro_rules! wire_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $wire:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(into = "u8", try_from = "u64")]
        #[repr(u8)]
        pub enum $name {
            $(
                #[doc = concat!("`", $wire, "`")]
                $(#[$vmeta])*
                $variant
            ),+
        }

        impl WireEnum for $name {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $wire)),+];
        }

        impl From<$name> for u8 {
            fn from(value: $name) -> Self {
                value as Self
            }
        }

        impl TryFrom<u64> for $name {
            type Error = String;

            fn try_from(number: u64) -> Result<Self, String> {
                Self::from_wire(number)
                    .ok_or_else(|| format!("must be one of {}", Self::legend()))
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::Integer)
                    .description(Some(Self::legend()))
                    .enum_values(Some(0..Self::ALL.len()))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

wire_enum! {
    /// How an anime was released.
    AnimeFormat {
        Tv = "TV",
        TvShort = "TV_SHORT",
        Movie = "MOVIE",
        Special = "SPECIAL",
        Ova = "OVA",
        Ona = "ONA",
        Music = "MUSIC",
    }
}

wire_enum! {
    /// Global release status of an anime.
    AnimeStatus {
        Finished = "FINISHED",
        Releasing = "RELEASING",
        NotYetReleased = "NOT_YET_RELEASED",
        Cancelled = "CANCELLED",
    }
}

wire_enum! {
    /// A quarter of the year.
    Season {
        Winter = "WINTER",
        Spring = "SPRING",
        Summer = "SUMMER",
        Fall = "FALL",
        Unknown = "UNKNOWN",
    }
}

wire_enum! {
    /// Day of the week.
    Weekday {
        Sunday = "Sunday",
        Monday = "Monday",
        Tuesday = "Tuesday",
        Wednesday = "Wednesday",
        Thursday = "Thursday",
        Friday = "Friday",
        Saturday = "Saturday",
    }
}

wire_enum! {
    /// What a song is to its anime.
    SongType {
        Opening = "OPENING",
        Ending = "ENDING",
        None = "NONE",
    }
}

wire_enum! {
    /// What a user may do beyond what is theirs. Ordered: the later may do more.
    Role {
        Basic = "BASIC",
        Moderator = "MODERATOR",
        Administrator = "ADMINISTRATOR",
    }
}

wire_enum! {
    /// A user's gender.
    Gender {
        Unknown = "UNKNOWN",
        Male = "MALE",
        Female = "FEMALE",
    }
}

wire_enum! {
    /// How far a user is with an anime.
    WatchStatus {
        Current = "CURRENT",
        Planning = "PLANNING",
        Completed = "COMPLETED",
        Dropped = "DROPPED",
        Paused = "PAUSED",
        Repeating = "REPEATING",
    }
}
