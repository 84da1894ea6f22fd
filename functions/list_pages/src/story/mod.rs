//! Forms on pages that change a user's own story: the next episode and its undo, the form of an entry, its
//! score, and deletion.

pub(crate) mod action;
pub(crate) mod changed;
mod part;
pub(crate) mod routes;
