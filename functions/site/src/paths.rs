//! The paths of pages, static files and endpoints.

pub use accounts::links::{RESET_PASSWORD, VERIFY_EMAIL};

pub(crate) const START: &str = "/";
pub(crate) const REFERENCE: &str = "/reference";
pub(crate) const OPENAPI: &str = "/v1/openapi.json";
pub(crate) const STYLE: &str = "/style.css";
pub(crate) const SCRIPT: &str = "/site.js";
pub(crate) const ICON: &str = "/icon.svg";
pub(crate) const ICONS: &str = "/icons.svg";
pub(crate) const STYLE_GUIDE: &str = "/style-guide";
pub(crate) const STATISTICS: &str = "/statistics";
pub(crate) const ANIME: &str = "/anime";
pub(crate) const ANIME_RANDOM: &str = "/anime/random";
pub(crate) const SIGN_UP: &str = "/sign-up";
pub(crate) const SIGN_IN: &str = "/sign-in";
pub(crate) const SIGN_OUT: &str = "/sign-out";
pub(crate) const FORGOT_PASSWORD: &str = "/forgot-password";
pub(crate) const LIST: &str = "/list";
pub(crate) const PROFILE: &str = "/profile";
pub(crate) const HISTORY: &str = "/profile/history";
pub(crate) const HISTORY_EXPORT: &str = "/profile/history/export";
pub(crate) const HISTORY_WAITING: &str = "/profile/history/waiting";
pub(crate) const HISTORY_WAITING_FILE: &str = "/profile/history/waiting/file";
pub(crate) const HISTORY_IMPORTS: &str = "/profile/history/imports";
pub(crate) const CALENDAR: &str = "/calendar";
pub(crate) const DEVELOPER: &str = "/developer";
pub(crate) const MODERATION: &str = "/moderation";

/// The authorization endpoint of `functions/oauth`, which is also a page.
pub const AUTHORIZE: &str = "/v1/oauth";
