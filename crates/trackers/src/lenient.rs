//! Lenient reading of JSON: an unexpected value of one field must not make a whole page unreadable.

use serde::{Deserialize, Deserializer};
use shared::models::{Season, WireEnum};

/// Defines an enumeration of an API. A value that is not listed reads as `Other`. The attribute
/// `#[serde(rename_all = "...")]` states how the API writes the names.
macro_rules! api_enum {
    ($(#[$meta:meta])* $name:ident { $($variant:ident),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
        $(#[$meta])*
        pub enum $name {
            $(
                #[doc = concat!("`", stringify!($variant), "`.")]
                $variant,
            )+
            /// Any other value.
            #[serde(other)]
            Other,
        }
    };
}

pub(super) use api_enum;

/// Reads `null` as the default value.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a list without its `null` elements. GraphQL returns `null` for an element that it could not resolve.
pub(super) fn without_nulls<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let all: Option<Vec<Option<T>>> = Option::deserialize(deserializer)?;
    Ok(all.unwrap_or_default().into_iter().flatten().collect())
}

/// Reads the value with this name, in upper or lower case. Any other name reads as `None`.
pub(super) fn read_named<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: WireEnum,
{
    let name: Option<String> = Option::deserialize(deserializer)?;
    let find = |name: String| {
        let mut all = T::ALL.iter();
        let named = all.find(|(_, other)| other.eq_ignore_ascii_case(&name));
        named.map(|(value, _)| *value)
    };
    Ok(name.and_then(find))
}

pub(super) fn read_season<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Season>, D::Error> {
    let season = read_named(deserializer)?;
    Ok(season.filter(|season| *season != Season::Unknown))
}
