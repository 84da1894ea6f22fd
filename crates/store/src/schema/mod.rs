//! The DynamoDB tables. Each file of this module declares one table: its key, secondary indexes, attributes
//! and row type, and which files of this crate write it.
//!
//! `template.yaml` creates the tables on AWS and for `kiroku serve`. One test checks that [`TABLES`] matches the
//! template, and another that rows have only attributes that their tables declare.

pub mod anime;
pub mod auth_code;
pub mod catalog_snapshot;
pub mod oauth_client;
pub mod oauth_grant;
pub mod player;
pub mod session;
pub mod song;
pub(crate) mod table;
pub mod throttle;
pub mod tracker_link;
pub mod unique;
pub mod user;
pub mod user_statistics;
pub mod user_story;
pub mod waiting_list;

pub use table::{Attribute, Index, Projection, Table, Type};

/// Every table.
pub const TABLES: [&Table; 15] = [
    &anime::TABLE,
    &auth_code::TABLE,
    &catalog_snapshot::TABLE,
    &oauth_client::TABLE,
    &oauth_grant::TABLE,
    &player::TABLE,
    &session::TABLE,
    &song::TABLE,
    &throttle::TABLE,
    &tracker_link::TABLE,
    &unique::TABLE,
    &user::TABLE,
    &user_statistics::TABLE,
    &user_story::TABLE,
    &waiting_list::TABLE,
];
