//! Imports and exports of watch histories as list files (docs/api.md, "Import" and "Export"), and the entries of
//! imports that wait for their anime.

mod export;
mod history;
mod import;
mod report;
mod undo;
mod waiting;
mod waiting_pass;
mod watched;

pub use export::{ExportRequest, export};
pub use history::WatchHistory;
pub use import::{ImportRequest, import, read_file};
pub use interchange::{ExportFormat, ListEntry};
pub use report::{
    ImportCounts, ImportReport, MAX_REPORTED, ReportedSkip, ReportedStory, ReportedWaiting,
};
pub use undo::{KeptStory, RecentImport, UNDO_S, UndoReport, recent_imports, undo};
pub(crate) use undo::{kept_fields, step_of_undo};
pub use waiting::{MAX_WAITING, export_waiting, waiting_entries};
pub use waiting_pass::{AddedWaiting, add_waiting};
pub use watched::ImportFile;
