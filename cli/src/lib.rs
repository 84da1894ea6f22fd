//! The `kiroku` command: the whole service in one process, and the operator's commands.
//!
//! Every function that reads or writes files, or calls DynamoDB, fails when it cannot do so. Other errors are listed at
//! the functions.

pub mod access_key;
pub mod backup;
mod call_error;
pub mod call_meter;
pub mod catalogue;
mod connection;
pub mod connections;
mod database;
pub mod dynamodb;
pub mod engine;
pub mod health;
pub mod health_check;
pub mod http;
pub mod import;
mod key_check;
pub mod keys;
pub mod log;
mod loopback;
pub mod metrics;
pub mod migrations;
mod oidc;
pub mod openapi;
mod private_file;
pub mod proxy;
pub mod refresh;
mod refusals;
mod restore_marker;
pub mod router;
pub mod sample;
pub mod schema;
pub mod serve;
mod service_row;
mod smtp;
mod stream;
pub mod tables;
pub mod target;
pub mod tasks;
pub mod user;
pub mod variables;
