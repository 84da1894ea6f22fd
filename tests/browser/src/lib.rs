//! Tests of the web pages in headless Chromium: the browser's driver, the checks for every page, an OAuth
//! application, and a tracker.

#![expect(
    clippy::missing_errors_doc,
    reason = "every error fails its test with a message"
)]

mod actions;
mod application;
mod browser;
mod checks;
mod journey;
mod pictures;
mod process;
mod service;
mod tracker;
mod walk;

pub use application::Application;
pub use browser::{Browser, japanese_fonts};
pub use fantoccini::key::Key;
pub use journey::{
    at_each_width, at_each_width_below_a_path, at_each_width_on_localhost, at_each_width_with,
    for_references, on_a_phone, on_a_small_phone,
};
pub use pictures::writes_references;
pub use service::{PASSWORD, Service};
