//! The sessions of the web pages, and the addresses of calendar feeds.

pub(crate) mod calendar_feed;
pub(crate) mod session;
mod session_store;
pub(crate) mod signed_in;

pub use self::calendar_feed::CalendarFeeds;
pub use self::session::Session;
pub use self::session_store::SessionStore;
pub use self::signed_in::{
    FRESH_PROOF_S, ProviderSession, SESSION_S, SessionOrigin, Sessions, SignedInUser,
};
