//! The `kiroku` command: the whole service in one process, and the operator's commands.
//!
//! Every function that reads or writes files, or calls DynamoDB, fails when it cannot do so. Other errors are listed at
//! the functions.

pub mod backup;
pub mod catalogue;
pub mod data;
pub mod embedded;
pub mod health;
pub mod http;
pub mod import;
pub mod keys;
pub mod log;
pub mod migrations;
pub mod openapi;
mod private_file;
pub mod refresh;
pub mod serve;
pub mod user;
pub mod variables;
