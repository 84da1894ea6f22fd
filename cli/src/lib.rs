//! The `kiroku` command: the whole service in one process, and the operator's commands.

pub mod backup;
pub mod call_meter;
pub mod dynamodb;
pub mod engine;
pub mod health;
pub mod health_check;
pub mod http;
pub mod import;
pub mod keys;
pub mod log;
pub mod metrics;
pub mod oidc;
pub mod openapi;
pub mod proxy;
pub mod refresh;
pub mod restore_marker;
pub mod router;
pub mod sample;
pub mod serve;
pub mod smtp;
pub mod tables;
pub mod target;
pub mod tasks;
pub mod template;
pub mod user;
pub mod variables;
