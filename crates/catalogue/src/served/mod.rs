//! The catalogue as functions serve it: one anime or song, pages of lists, and summaries.

pub(crate) mod catalogue;
pub(crate) mod catalogues;
pub(crate) mod documents;
pub(crate) mod summaries;
