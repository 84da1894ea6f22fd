//! Imports of list files into watch histories (docs/api.md, "Import"). The API and the command `kiroku user import`
//! share this code.

mod import;
mod report;

pub use import::{ImportRequest, import};
pub use report::{
    ImportCounts, ImportReport, MAX_LISTED, ReportedSkip, ReportedStory, ReportedWaiting,
};
