//! Proposals: entries of imports whose anime is not certain, or that only their title names (docs/api.md, "Proposals").
//! They wait for the user's answer, in the same row as the entries that wait for their anime.

use std::collections::{HashMap, HashSet};

use catalogue::Catalogue;
use catalogue::index::AnimeIndex;
use serde::Serialize;
use shared::auth::Access;
use shared::models::{Anime, AnimeId, UserId, WatchStatus, WireEnum, name_in};
use shared::{Error, Result, times};
use utoipa::ToSchema;

use super::import::{ImportRequest, import_stories};
use super::proposed_entry::{ProposalReason, ProposedAnime, ProposedEntry, describe};
use super::resolve::ResolvedFile;
use super::waiting_entries::{WaitingGroup, edit_groups, unpack};
use super::waiting_list::WaitingList;
use super::waiting_store::WaitingStore;
use crate::lists::story_store::StoryStore;

/// The maximum number of proposals that a request accepts or discards one by one.
pub const MAX_ANSWERS: usize = 500;

/// The maximum number of proposals in a response. With titles of the maximum length, they have less than 4 MB, which is
/// below Lambda's limit of 6 MB.
pub const MAX_PROPOSALS: usize = 2_000;

/// An entry of an import that waits for the user's answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WaitingProposal {
    /// Identifier of the proposal.
    #[schema(example = "0a1b2c3d4e5f6071-1")]
    pub id: String,
    /// Identifier of the import.
    #[schema(example = "0a1b2c3d4e5f6071")]
    pub import_id: String,
    /// Time of the import.
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    pub imported_at: Option<String>,
    /// Title in the file.
    pub title: Option<String>,
    /// Year in the file.
    pub year: Option<u16>,
    /// Name of the status in the file.
    #[schema(example = "COMPLETED")]
    pub status: &'static str,
    /// Current episode in the file.
    pub current_episode: Option<u32>,
    /// True if nothing contradicts the first candidate, so that only the user has to confirm it.
    pub certain: bool,
    /// Reason why the entry is not a story yet.
    pub reason: ProposalReason,
    /// The anime that may be meant, the most probable one first.
    pub candidates: Vec<ProposedAnime>,
}

/// The proposals of a user.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct WaitingProposals {
    /// Number of the proposals that one request can accept.
    pub certain: usize,
    /// Number of the proposals with candidates to choose from.
    pub uncertain: usize,
    /// Number of the proposals without a candidate.
    pub not_found: usize,
    /// The proposals: first the certain ones, then those with candidates, then those without. The response has the
    /// first 2,000 of them; the numbers count all.
    #[schema(max_items = 2000)]
    pub proposals: Vec<WaitingProposal>,
}

/// The user's answers to proposals.
#[derive(Clone, Debug, Default)]
pub struct ProposalAnswers {
    /// True to accept all certain proposals that the other answers do not name.
    pub accepts_certain: bool,
    /// The identifiers of proposals, and the anime that are meant.
    pub accepted: Vec<(String, AnimeId)>,
    /// The identifiers of proposals to discard.
    pub discarded: Vec<String>,
}

/// The result of answers to proposals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AnsweredProposals {
    /// New stories.
    pub added: usize,
    /// Changed stories.
    pub changed: usize,
    /// Stories that already had everything that their entries state.
    pub unchanged: usize,
    /// Proposals that were discarded.
    pub discarded: usize,
    /// Identifiers of proposals that do not wait, for example because they were answered before.
    pub missing: usize,
}

/// Returns the proposals in a user's row at `now` (milliseconds since the Unix epoch). Those of the newest import come
/// first.
pub fn waiting_proposals(
    row: Option<&WaitingList>,
    index: &AnimeIndex,
    now: u64,
) -> Result<WaitingProposals> {
    let mut waiting = WaitingProposals::default();
    for group in unpack(row, now)?.into_iter().rev() {
        for proposed in group.proposals {
            let (entry, proposal) = (&proposed.entry, &proposed.proposal);
            match (proposal.is_certain(), proposal.candidates.is_empty()) {
                (true, _) => waiting.certain += 1,
                (false, false) => waiting.uncertain += 1,
                (false, true) => waiting.not_found += 1,
            }
            waiting.proposals.push(WaitingProposal {
                id: proposal_id(&group.import_id, proposed.number),
                import_id: group.import_id.clone(),
                imported_at: times::format_ms(group.imported_at),
                title: entry.title.clone(),
                year: entry.year,
                status: name_in(WatchStatus::ALL, &entry.status),
                current_episode: entry.current_episode,
                certain: proposal.is_certain(),
                reason: proposal.reason,
                candidates: describe(&proposal.candidates, index),
            });
        }
    }
    let order = |proposal: &WaitingProposal| (!proposal.certain, proposal.candidates.is_empty());
    waiting.proposals.sort_by_key(order);
    Ok(waiting)
}

/// Returns the number of proposals in a user's row at `now` (milliseconds since the Unix epoch).
pub fn count_proposals(row: Option<&WaitingList>, now: u64) -> Result<usize> {
    let groups = unpack(row, now)?;
    Ok(groups.iter().map(|group| group.proposals.len()).sum())
}

fn proposal_id(import_id: &str, number: usize) -> String {
    format!("{import_id}-{number}")
}

/// Makes stories of accepted proposals, in the mode of their imports, and deletes accepted and discarded proposals. The
/// history of the stories names the import, so undoing the import also undoes them. It is safe to repeat a request: a
/// proposal is forgotten only after its story is written. `now` is in milliseconds since the Unix epoch.
///
/// # Errors
/// [`Error::Invalid`] if an anime does not exist. Otherwise as [`StoryStore::edit_many`].
pub async fn answer_proposals(
    stories: &StoryStore,
    waiting: &WaitingStore,
    catalogue: &Catalogue<Anime>,
    access: &Access,
    owner: UserId,
    answers: &ProposalAnswers,
    now: u64,
) -> Result<AnsweredProposals> {
    stories.check_access(access, owner).await?;
    let index = catalogue.index().await?;
    let is_known = |anime: AnimeId| index.episodes_count(anime).is_some();
    if answers.accepted.iter().any(|(_, anime)| !is_known(*anime)) {
        return Err(Error::invalid("accept", "must name anime of the catalogue"));
    }
    let chosen = answers.accepted.iter();
    let chosen: HashMap<&str, AnimeId> = chosen.map(|(id, anime)| (id.as_str(), *anime)).collect();
    let discarded: HashSet<&str> = answers.discarded.iter().map(String::as_str).collect();
    let mut result = AnsweredProposals::default();
    let mut answered = HashSet::new();
    for group in unpack(waiting.find(owner).await?.as_ref(), now)? {
        let mut entries = Vec::new();
        for proposed in group.proposals {
            let id = proposal_id(&group.import_id, proposed.number);
            let certain = proposed.proposal.candidates.first().copied();
            let certain = certain.filter(|anime| {
                answers.accepts_certain && proposed.proposal.is_certain() && is_known(*anime)
            });
            if discarded.contains(id.as_str()) {
                result.discarded += 1;
            } else if let Some(anime) = chosen.get(id.as_str()).copied().or(certain) {
                entries.push((anime, proposed.entry));
            } else {
                continue;
            }
            answered.insert(id);
        }
        if entries.is_empty() {
            continue;
        }
        let request = ImportRequest {
            access: Some(access),
            owner,
            mode: group.mode,
            id: Some(&group.import_id),
            now,
        };
        let mut file = ResolvedFile::of_entries(entries);
        let report = import_stories(stories, &index, &mut file, request).await?;
        let counts = report.counts;
        result.added += counts.added;
        result.changed += counts.changed;
        result.unchanged += counts.unchanged + counts.duplicates + counts.skipped;
    }
    let named = chosen.keys().chain(&discarded);
    let named: HashSet<&str> = named.copied().collect();
    result.missing = named.iter().filter(|id| !answered.contains(**id)).count();
    if answered.is_empty() {
        return Ok(result);
    }
    let remove_answered = |group: &mut WaitingGroup| {
        let id = |proposed: &ProposedEntry| proposal_id(&group.import_id, proposed.number);
        group
            .proposals
            .retain(|proposed| !answered.contains(&id(proposed)));
    };
    edit_groups(waiting, owner, now, remove_answered).await?;
    Ok(result)
}
