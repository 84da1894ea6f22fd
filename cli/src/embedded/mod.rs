//! The embedded DynamoDB: the engine, the ways to it, and the access key of its port.

pub mod access_key;
pub(crate) mod connection;
mod database;
pub mod dynamodb;
pub mod engine;
