//! What requests read of the catalogue: lists, documents and random picks.

pub(crate) mod catalogue;
pub(crate) mod catalogues;
pub(crate) mod documents;
pub(crate) mod summaries;
