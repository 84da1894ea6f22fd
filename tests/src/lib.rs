//! What the tests and benchmarks stand on: the real routers, over a real DynamoDB engine.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

pub mod browser;
pub mod crash;
pub mod crowd;
pub mod engine;
pub mod event;
pub mod linked;
pub mod loaded;
pub mod log;
pub mod made_up;
pub mod naive;
pub mod people;
pub mod proxy;
pub mod recorder;
pub mod refreshed;
pub mod service;
pub mod trackers;
pub mod units;
