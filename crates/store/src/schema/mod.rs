//! The DynamoDB tables. Each file of this module is the one place that states a table's key, indexes,
//! attributes and rows, and which store writes which attribute.
//!
//! A test holds [`TABLES`] equal to template.yaml, which creates the tables on AWS and on a developer's
//! machine. Another one checks that no row has an attribute that its table does not declare.

pub mod anime;
pub mod auth_code;
pub mod catalog_snapshot;
pub mod oauth_client;
pub mod oauth_grant;
pub mod session;
pub mod song;
mod table;
pub mod throttle;
pub mod tracker_link;
pub mod unique;
pub mod user;
pub mod user_story;

pub use table::{Attribute, Index, Projection, Table, Type};

/// Every table.
pub const TABLES: [&Table; 12] = [
    &anime::TABLE,
    &auth_code::TABLE,
    &catalog_snapshot::TABLE,
    &oauth_client::TABLE,
    &oauth_grant::TABLE,
    &session::TABLE,
    &song::TABLE,
    &throttle::TABLE,
    &tracker_link::TABLE,
    &unique::TABLE,
    &user::TABLE,
    &user_story::TABLE,
];
