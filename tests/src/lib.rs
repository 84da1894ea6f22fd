//! Shared helpers of the tests and benchmarks: the real routers over a real DynamoDB engine.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed expectation must fail the test"
)]

pub mod assertions;
pub mod browser;
pub mod calendar;
pub mod corrected;
pub mod crash;
pub mod crowd;
pub mod engine;
pub mod event;
pub mod faults;
mod leased_tables;
pub mod linked;
pub mod loaded;
pub mod log;
pub mod made_up;
pub mod measured;
pub mod naive;
pub mod passkeys;
pub mod people;
pub mod players;
pub mod postgres;
pub mod provider;
pub mod proxy;
pub mod recorder;
pub mod refreshed;
pub mod rounds;
pub mod rows;
pub mod second_factor;
pub mod service;
pub mod table;
pub mod template;
pub mod trackers;
pub mod units;
