//! Enumerations, which are integers in JSON and in parameters (docs/api.md, "Enumerations").

use std::fmt::Write as _;

/// Returns the value with this name in a list of values with their names.
pub fn find_named<T: Copy>(all: &[(T, &str)], name: &str) -> Option<T> {
    let found = all.iter().find(|(_, known)| *known == name);
    found.map(|(value, _)| *value)
}

/// Returns the name of a value in a list of values with their names; an empty text if the list does not have the value.
pub fn name_in<T: PartialEq>(all: &[(T, &'static str)], value: &T) -> &'static str {
    let found = all.iter().find(|(known, _)| known == value);
    found.map_or("", |(_, name)| name)
}

/// Declares the names of an enumeration's values: the list `ALL` of the values with their names, and the functions
/// `from_name` and `name`. With the keyword `enum`, also declares the enumeration.
#[macro_export]
macro_rules! value_names {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $type:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility enum $type {
            $($(#[$variant_meta])* $variant),+
        }

        $crate::value_names! { $visibility $type { $($variant = $name),+ } }
    };
    ($visibility:vis $type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// All values, each with its name.
            $visibility const ALL: [(Self, &'static str); [$($name),+].len()] =
                [$((Self::$variant, $name)),+];

            /// Returns the value with this name.
            $visibility fn from_name(name: &str) -> Option<Self> {
                $crate::models::find_named(&Self::ALL, name)
            }

            /// Returns the name.
            $visibility const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}

/// An enumeration whose values are integers in JSON and in parameters.
pub trait WireEnum: Copy + 'static {
    /// All values in the order of their integers from 0, each with its name in docs/api.md, "Enumerations".
    const ALL: &'static [(Self, &'static str)];

    /// Returns the value that this integer stands for.
    fn from_wire(number: u64) -> Option<Self> {
        let position = usize::try_from(number).ok()?;
        Self::ALL.get(position).map(|(value, _)| *value)
    }

    /// Returns the value with this name.
    fn from_name(name: &str) -> Option<Self> {
        find_named(Self::ALL, name)
    }

    /// Returns the names of all values in capitals, in the order of their integers.
    fn names() -> Vec<String> {
        let names = Self::ALL.iter();
        names.map(|(_, name)| name.to_uppercase()).collect()
    }

    /// Returns a list of all values for an error message: "0 (TV), 1 (TV_SHORT) ...".
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

/// Defines an enumeration whose integers count up from 0 in the given order.
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
                    // Generators of clients name the values after this list.
                    .extensions(Some(
                        [("x-enum-varnames", Self::names())].into_iter().collect(),
                    ))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

wire_enum! {
    /// Release format of an anime.
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
    /// Season of the year.
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
    /// Use of a song in its anime; NONE for a song that is neither an opening nor an ending.
    SongType {
        Opening = "OPENING",
        Ending = "ENDING",
        None = "NONE",
    }
}

wire_enum! {
    /// Role of a user. Each role includes the rights of the roles before it (docs/api.md, "Roles and permissions").
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
    /// Watch status of a user for an anime.
    WatchStatus {
        Current = "CURRENT",
        Planning = "PLANNING",
        Completed = "COMPLETED",
        Dropped = "DROPPED",
        Paused = "PAUSED",
        Repeating = "REPEATING",
    }
}
