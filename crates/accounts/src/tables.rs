//! The tables that only this crate writes.

pub use crate::applications::auth_code::TABLE as AUTH_CODE;
pub use crate::applications::oauth_client::TABLE as OAUTH_CLIENT;
pub use crate::grants::oauth_grant::TABLE as OAUTH_GRANT;
pub use crate::linked_accounts::tracker_link::TABLE as TRACKER_LINK;
pub use crate::sessions::session::TABLE as SESSION;
pub use crate::throttling::throttle::TABLE as THROTTLE;
pub use crate::users::unique::TABLE as UNIQUE;
pub use crate::users::user::TABLE as USER;
