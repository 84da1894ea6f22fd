//! The `kiroku` command: the whole service on one machine, and what an operator needs.

pub mod import;
pub mod openapi;
pub mod sample;
pub mod serve;
pub mod tables;
pub mod target;
pub mod template;
