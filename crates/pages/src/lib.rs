//! The parts that all web pages share: layout, forms, sessions, languages, paths, errors and static files. The pages
//! themselves are in `functions/catalogue_pages`, `list_pages`, `account_pages` and `correction_pages`, and the consent
//! page is in `functions/oauth`.

pub mod anime_card;
pub mod assets;
mod browser;
pub mod browser_settings;
pub mod csrf;
pub mod error;
pub mod error_page;
mod field;
pub mod form;
pub mod form_page;
pub mod guard;
pub mod icon;
pub mod language;
pub mod layout;
pub mod notice;
pub mod open_graph;
pub mod passkey;
pub mod paths;
pub mod profile_part;
pub mod proof;
pub mod response;
pub mod return_path;
pub mod seal;
pub mod season;
pub mod sessions;
mod state;
pub mod tally;
pub mod upload;
