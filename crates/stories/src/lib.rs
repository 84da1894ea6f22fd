//! Stories: lists, imports and exports ([`list_files`]), messages of players ([`players`]), statistics, suggestions,
//! and the file with everything stored about a user ([`user_data`]). The API, the pages and the operator's commands
//! share this code.
//!
//! Only this crate writes the tables of [`tables`]. Database calls fail with the errors of the crate [`dynamo`].

pub mod deletion;
mod document;
pub mod errors;
#[cfg(test)]
mod examples;
pub mod list_files;
pub mod lists;
mod lock;
pub mod players;
pub mod statistics;
pub mod suggestions;
pub mod tables;
pub mod user_data;
