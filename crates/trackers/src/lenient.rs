//! Lenient reading of JSON: an unexpected value of one field must not make a whole page unreadable.

use serde::{Deserialize, Deserializer};

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
