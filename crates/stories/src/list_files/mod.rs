//! Imports and exports of watch histories as list files (docs/api.md, "Import" and "Export"), and the entries of
//! imports that wait for their anime or for the user's answer.

mod export;
mod history;
mod identified;
mod import;
pub(crate) mod merge_import;
mod proposals;
mod proposed;
mod report;
mod resolve;
mod undo;
pub(crate) mod undo_import;
mod waiting;
pub(crate) mod waiting_list;
mod waiting_pass;
pub(crate) mod waiting_store;
mod watched;
mod watched_rows;

pub use self::merge_import::ImportMode;
pub use self::undo_import::UndoEffect;
pub use self::waiting_store::WaitingStore;

pub use export::{ExportRequest, export};
pub use history::WatchHistory;
pub use import::{ImportRequest, import, read_file};
pub use interchange::{ExportFormat, ListEntry, ReadOptions, ScoreScaleOption};
pub use proposals::{
    AnsweredProposals, MAX_ANSWERS, MAX_LISTED, ProposalAnswers, WaitingProposal, WaitingProposals,
    answer_proposals, count_proposals, waiting_proposals,
};
pub use proposed::{ProposalReason, ProposedAnime};
pub use report::{
    ImportCounts, ImportReport, MAX_REPORTED, ReportedCandidate, ReportedProposal, ReportedSkip,
    ReportedStory, ReportedWaiting,
};
pub use undo::{KeptStory, RecentImport, UNDO_S, UndoReport, recent_imports, undo};
pub(crate) use undo::{kept_fields, operation_of_undo};
pub use waiting::{MAX_WAITING, export_waiting, kept_entries, waiting_entries};
pub use waiting_pass::{AddedWaiting, add_waiting};
pub use watched::ImportFile;
