//! The operator's commands for users. Those with the name of a user fail if no user has it.

mod args;
mod export;
mod factors;
mod find;
mod import;
mod invitations;
mod roles;

pub use self::args::{FormatArg, ModeArg, RegistrationArg, RoleArg, ScaleArg};
pub use self::export::{export, export_data};
pub use self::factors::{remove_factors, show_factors};
pub use self::import::{add_waiting, count_community, import, raise_episodes};
pub use self::invitations::{has_users, invite, setup_link};
pub use self::roles::set_role;
