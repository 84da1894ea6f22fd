//! The parts that all web pages share: layout, forms, sessions, languages, paths, errors and static files. The pages
//! themselves are in `functions/site`, and the consent page is in `functions/oauth`.

pub mod assets;
mod browser;
pub mod error;
pub mod form;
pub mod form_page;
pub mod icon;
pub mod language;
pub mod layout;
pub mod notice;
pub mod passkey;
pub mod paths;
pub mod response;
pub mod return_path;
pub mod sessions;
pub mod upload;
