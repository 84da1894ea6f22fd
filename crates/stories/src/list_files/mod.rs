//! Imports and exports of watch histories as list files (docs/api.md, "Import" and "Export"), and the entries of
//! imports that wait for their anime or for the user's answer.

mod export;
mod history;
mod identified;
mod import;
mod import_undo;
pub(crate) mod merge_import;
mod proposals;
mod proposed_entry;
mod report;
mod resolve;
mod waiting_entries;
pub(crate) mod waiting_list;
mod waiting_pass;
pub(crate) mod waiting_store;
mod watched_episodes;
mod watched_items;

pub use self::export::{ExportRequest, export};
pub use self::history::WatchHistory;
pub use self::import::{ImportRequest, import, read_file};
pub use self::import_undo::{KeptStory, RecentImport, UNDO_S, UndoReport, recent_imports, undo};
pub use self::merge_import::ImportMode;
pub use self::proposals::{
    AnsweredProposals, MAX_ANSWERS, MAX_PROPOSALS, ProposalAnswers, WaitingProposal,
    WaitingProposals, answer_proposals, count_proposals, waiting_proposals,
};
pub use self::proposed_entry::{ProposalReason, ProposedAnime};
pub use self::report::{
    ImportCounts, ImportReport, MAX_REPORTED, ReportedCandidate, ReportedProposal, ReportedSkip,
    ReportedStory, ReportedWaiting,
};
pub use self::waiting_entries::{MAX_WAITING, export_waiting, kept_entries, waiting_entries};
pub use self::waiting_pass::{AddedWaiting, add_waiting};
pub use self::waiting_store::WaitingStore;
pub use self::watched_items::ImportFile;
pub use interchange::{ExportFormat, ListEntry, ReadOptions, ScoreScaleOption};
