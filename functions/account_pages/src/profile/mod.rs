//! The profile of the signed-in user: its parts, each with a page, and the pages below them.

pub(crate) mod account;
mod account_view;
pub(crate) mod connections;
mod connections_view;
pub(crate) mod data;
pub(crate) mod deletion;
pub(crate) mod developer;
mod developer_view;
pub(crate) mod picture;
pub(crate) mod privacy;
pub(crate) mod security;
mod tracker_view;
pub(crate) mod trackers;
mod visibility;

pub(crate) use tracker_view::connect_address;
