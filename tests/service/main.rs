//! The service, tried from the front door: requests into the real routers, over a real DynamoDB
//! engine.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod answers;
mod bad_input;
mod cost;
mod events;
mod filters;
mod import;
mod outage;
mod pages;
mod reference;
mod snapshot;
mod template;
