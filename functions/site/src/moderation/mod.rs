//! The pages for moderators and administrators: users, and corrections of the catalogue.

mod correction_view;
pub(crate) mod corrections;
mod field_view;
pub(crate) mod guard;
mod labels;
mod row_view;
mod subject;
pub(crate) mod users;
mod users_view;
