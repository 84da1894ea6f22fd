//! Typed parsing of requests: query strings, JSON bodies, forms, page requests and cursors. All errors of a
//! request are collected, so that the caller can correct all of them at once.

pub mod cursor;
mod fields;
mod page;
mod params;
mod query;

pub use fields::{Body, BodyField, Fields, Form, JsonValue, Replacement, parse_nested};
pub use page::{CursorRequest, ListFilter, MAX_PER_PAGE, PageRequest, PageStart};
pub use params::{MAX_IDS, MAX_PATTERN, MAX_SAFE_INTEGER, Params, path_number};
pub use query::{
    FilterId, Parameter, QueryField, QueryString, TextPattern, check_length, unknown_name,
};
