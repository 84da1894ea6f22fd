//! The web pages (docs/pages.md).

mod anime;
mod calendar;
pub(crate) mod every_page;
mod frame;
mod history;
mod home;
mod languages;
pub(crate) mod list;
mod moderation;
mod passkeys;
mod players;
mod profile;
mod provider;
mod provider_bad_input;
mod provider_claims;
mod provider_logout;
pub(crate) mod public_profile;
mod review;
mod second_factor;
mod selection;
mod sessions;
mod settings;
mod songs;
mod statistics;
mod welcome;
