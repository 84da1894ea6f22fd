//! Declarations of query strings: one declaration is both the parser and the description in the OpenAPI document.

use std::ops::RangeInclusive;

use utoipa::ToSchema;

use super::params::{
    MAX_IDS, MAX_PATTERN, MAX_SAFE_INTEGER, Params, out_of_range, parse_digits, parse_number,
};
use crate::Result;
use crate::fold::fold;
use crate::models::{AnimeId, IdSource, PlayerContent, UserId, WireEnum};

/// A query string with a fixed set of parameters. [`query!`](crate::query) implements it.
pub trait QueryString: Sized {
    /// Reads all parameters. A parameter that is invalid counts as absent; `params` then holds the error.
    fn read(params: &mut Params) -> Self;

    /// Reads the query string of a request that has no other parameters.
    fn parse(query: Option<&str>) -> Result<Self> {
        let mut params = Params::parse(query.unwrap_or_default());
        let parsed = Self::read(&mut params);
        params.finish().map(|_| parsed)
    }
}

/// The parameters of two declarations, for a request that shares a part of its parameters with other requests.
impl<A: QueryString, B: QueryString> QueryString for (A, B) {
    fn read(params: &mut Params) -> Self {
        (A::read(params), B::read(params))
    }
}

impl Params {
    /// Reads a parameter. The type of the field determines which values are valid. An invalid parameter counts as
    /// absent.
    pub fn read<T: QueryField>(&mut self, name: &'static str) -> T {
        T::read(self, name)
    }
}

/// Declares a query string once: the type, its description in the OpenAPI document and its parser.
///
/// All parameters are optional. The type of a field determines which values are valid ([`QueryField`]). A field whose
/// parameter has another name is declared as `field as "name": Type`.
#[macro_export]
macro_rules! query {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident $(as $parameter:literal)?: $type:ty),+ $(,)?
        }
    ) => {
        #[derive(utoipa::IntoParams)]
        #[into_params(parameter_in = Query)]
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $(#[param(rename = $parameter)])? $field_visibility $field: $type),+
        }

        impl $crate::input::QueryString for $name {
            fn read(params: &mut $crate::input::Params) -> Self {
                Self { $($field: params.read($crate::query!(@name $field $($parameter)?))),+ }
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $parameter:literal) => { $parameter };
}

/// A value of a parameter.
pub trait Parameter: Sized {
    /// True if the parameter selects rows of a list. A cursor is valid only with the same filters.
    const IS_FILTER: bool = true;
    /// The maximum number of values of a parameter that can have several.
    const MAX_VALUES: usize = usize::MAX;

    /// Parses a value. Returns `None` if it has the same effect as an absent parameter.
    ///
    /// # Errors
    /// The reason why the value is invalid, for the caller.
    fn parse(value: &str) -> Result<Option<Self>, String>;
}

/// The type of a field in a declaration of a query string.
pub trait QueryField: Sized {
    /// Reads the parameter with this name. If it is invalid, `params` holds the error.
    fn read(params: &mut Params, name: &'static str) -> Self;
}

/// A parameter with one value. It is `None` if it is absent or invalid.
impl<T: Parameter> QueryField for Option<T> {
    fn read(params: &mut Params, name: &'static str) -> Self {
        let value = params.value(name, T::IS_FILTER)?;
        params.accept(name, T::parse(&value)).flatten()
    }
}

/// A parameter with several values. They can be separated by commas, and the parameter can be repeated. An absent
/// parameter has no values.
impl<T: Parameter> QueryField for Vec<T> {
    fn read(params: &mut Params, name: &'static str) -> Self {
        let mut values = params.values(name, T::IS_FILTER);
        if values.len() > T::MAX_VALUES {
            params.fail(name, format!("must have at most {} values", T::MAX_VALUES));
            values.truncate(T::MAX_VALUES);
        }
        let parse = |value: String| params.accept(name, T::parse(&value)).flatten();
        values.into_iter().filter_map(parse).collect()
    }
}

/// A parameter with several values, as with [`Vec`], but `None` if there is no value.
impl<T: Parameter> QueryField for Option<Vec<T>> {
    fn read(params: &mut Params, name: &'static str) -> Self {
        let values: Vec<T> = params.read(name);
        Some(values).filter(|values| !values.is_empty())
    }
}

/// A parameter that is false if it is absent.
impl QueryField for bool {
    fn read(params: &mut Params, name: &'static str) -> Self {
        let value: Option<Self> = params.read(name);
        value.unwrap_or_default()
    }
}

/// `true` or `false`; `1` and `0` are also accepted.
impl Parameter for bool {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        match value {
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            _ => Err("must be true or false".to_owned()),
        }
    }
}

/// A text, as it was sent.
impl Parameter for String {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        Ok(Some(value.to_owned()))
    }
}

/// An integer that stands for a value of an enumeration.
impl<E: WireEnum> Parameter for E {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        let variant = parse_digits(value).and_then(E::from_wire);
        let invalid = || format!("must be one of {}", E::legend());
        variant.map(Some).ok_or_else(invalid)
    }
}

impl Parameter for IdSource {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        let invalid = || unknown_name(&Self::ALL.map(|(_, name)| name));
        Self::from_name(value).map(Some).ok_or_else(invalid)
    }
}

impl Parameter for PlayerContent {
    const IS_FILTER: bool = false;

    fn parse(value: &str) -> Result<Option<Self>, String> {
        let invalid = || unknown_name(&Self::ALL.map(|(_, name)| name));
        Self::from_name(value).map(Some).ok_or_else(invalid)
    }
}

/// Implements [`Parameter`] for types that are whole numbers.
macro_rules! number_parameters {
    ($($type:ty, $range:expr, $max_values:expr, $new:expr);+ $(;)?) => {
        $(impl Parameter for $type {
            const MAX_VALUES: usize = $max_values;

            fn parse(value: &str) -> Result<Option<Self>, String> {
                let range: RangeInclusive<u64> = $range;
                let parsed = $new(parse_number(value, &range)?);
                parsed.map(Some).ok_or_else(|| out_of_range(&range))
            }
        })+
    };
}

number_parameters!(
    // The only numbers of this type are years.
    u16, 0..=MAX_YEAR, usize::MAX, |number| Self::try_from(number).ok();
    FilterId, 1..=MAX_SAFE_INTEGER, MAX_IDS, |number| Some(Self(number));
    AnimeId, 1..=Self::MAX, MAX_IDS, Self::new;
    UserId, 1..=Self::MAX, MAX_IDS, Self::new;
);

/// The maximum year in a filter.
const MAX_YEAR: u64 = 9999;

/// An identifier in a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(as = Identifier, value_type = u64, minimum = 1, maximum = 9_007_199_254_740_991_u64)]
pub struct FilterId(pub u64);

/// A text to search for in other texts, folded and without spaces or punctuation at its start and end
/// (docs/api.md, "Text patterns").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPattern(String);

impl TextPattern {
    /// Folds a text. Returns `None` if the text consists only of spaces and punctuation. Such a pattern has the same
    /// effect as an absent one.
    pub fn new(text: &str) -> Option<Self> {
        let folded = fold(text).trim().to_owned();
        Some(Self(folded)).filter(|pattern| !pattern.0.is_empty())
    }

    /// Returns the folded text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Parameter for TextPattern {
    fn parse(value: &str) -> Result<Option<Self>, String> {
        check_length(value)?;
        Ok(Self::new(value))
    }
}

/// Checks that a text has at most [`MAX_PATTERN`] characters.
pub fn check_length(value: &str) -> Result<(), String> {
    if value.chars().count() > MAX_PATTERN {
        return Err(format!("must have at most {MAX_PATTERN} characters"));
    }
    Ok(())
}

/// Declares an enumeration whose values have names in a query string: the type, its schema and its parser.
///
/// A parameter of this type is not a filter: it selects the form of the response, not the rows of a list.
#[macro_export]
macro_rules! named_values {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $value:literal),+ $(,)?
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, utoipa::ToSchema)]
        $(#[$meta])*
        $visibility enum $name {
            $($(#[$variant_meta])* #[schema(rename = $value)] $variant),+
        }

        impl $crate::input::Parameter for $name {
            const IS_FILTER: bool = false;

            fn parse(value: &str) -> Result<Option<Self>, String> {
                match value {
                    $($value => Ok(Some(Self::$variant)),)+
                    _ => Err($crate::input::unknown_name(&[$($value),+])),
                }
            }
        }
    };
}

/// Returns the reason why a name that is not in `known` is invalid. `known` has the names of an enumeration that
/// [`named_values!`](crate::named_values) declares.
pub fn unknown_name(known: &[&str]) -> String {
    let either = if known.len() > 1 { "one of " } else { "" };
    format!("must be {either}{}", known.join(", "))
}
