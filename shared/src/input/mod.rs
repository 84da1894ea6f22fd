//! Typed readers of what a caller sends: query strings, JSON bodies, forms, page requests and cursors. They
//! collect every fault, so that a caller can correct all of them at once.

pub mod cursor;
mod fields;
mod page;
mod params;

pub use fields::{Fields, Form, present};
pub use page::{CursorRequest, ListFilter, MAX_PER_PAGE, PageRequest, Start};
pub use params::{MAX_PATTERN, MAX_SAFE_INTEGER, Params, path_number};
