//! The data that a command works on: the options that select it, its tables, and the rows about all of it.

pub(crate) mod key_check;
pub(crate) mod restore_marker;
pub mod schema;
pub mod tables;
pub mod target;
