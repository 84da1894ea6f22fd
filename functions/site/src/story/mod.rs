//! Forms on pages that change a user's own story: the next episode and its undo, the form of an entry, its
//! score, and deletion.

pub(crate) mod action;
pub(crate) mod back;
pub(crate) mod changed;
pub(crate) mod form;
pub(crate) mod panel;
mod part;
pub(crate) mod routes;
pub(crate) mod score;
