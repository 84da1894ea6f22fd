//! The refresh of the catalogue from its sources (docs/trackers.md, "Refresh of the catalogue").
//!
//! Each source is a module that implements one interface ([`source::RefreshSource`]), is configured separately, and
//! keeps a state of its own. A source that fails does not stop the others. No source deletes anything: its facts are
//! merged into the existing rows, by the rank of the source ([`catalogue::import`]). The report says for each source
//! whether it was read, and since when its changes are missing.
//!
//! A run publishes the rows that it has written. If it ends before that, the next run publishes
//! ([`catalogue::refresh::RefreshStore`]). It is safe to run two refreshes at the same time: a row is written only if
//! its revision has not changed since it was read, and watermarks only move forward.

mod anilist;
mod anime_themes;
mod clients;
mod context;
mod file_writer;
mod mapping;
mod my_anime_list;
mod offline_database;
mod relations;
mod report;
mod run;
mod scheduled;
mod seasons;
mod source;
mod titles;
mod writer;

pub use self::anime_themes::{NO_SONG_TITLE, TOO_MANY_SONGS};
pub use self::clients::{Clients, Sources};
pub use self::context::{FIRST_LOOK_S, RefreshProgress, RefreshScope, StageUnit};
pub use self::report::{RefreshReport, SourceFailure, SourceName, SourceOutcome, SourceReport};
pub use self::run::refresh;
pub use self::scheduled::run_scheduled;
