//! Suggestions of what to watch next (docs/api.md, "Suggestions"), for the API and the pages.

use std::collections::HashMap;
use std::sync::Arc;

use catalogue::index::{AnimeIndex, IndexedRow, ListIndex};
use catalogue::{CachedDocument, Catalogue};
use shared::Result;
use shared::models::{Anime, AnimeId};

use super::taste::{AnimeRelations, Fitness, Taste, is_fit};
use crate::lists::joined_list::{Candidate, JoinedList, SuggestionReason};
use crate::lists::story_list::ListedStory;

/// A suggestion.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The document of the anime.
    pub anime: CachedDocument,
    /// The reason.
    pub reason: SuggestionReason,
    /// The document of the anime that the user has completed, and that led to this suggestion. Planned anime have none.
    pub because: Option<CachedDocument>,
}

/// Returns suggestions for the user with this list, best first, at most `limit`. Reads the documents of up to 90
/// completed anime and then of up to 60 candidates, unless the process has read them before. While nothing changes on
/// which the suggestions depend, only the documents of the suggested anime are needed.
pub async fn find_suggestions(
    catalogue: &Catalogue<Anime>,
    list: &JoinedList,
    limit: usize,
) -> Result<Vec<Suggestion>> {
    if let Some(candidates) = list.columns.suggested(limit) {
        let candidates = candidates.get(..limit).unwrap_or(&candidates);
        let rows = rows_of(list.index(), candidates);
        let documents = catalogue.documents(&rows).await?;
        // After a correction, an anime may no longer be suitable.
        if are_of_index(&rows, &documents) {
            return Ok(with_documents(candidates, documents));
        }
    }
    // Most requests do not need this future, which is large.
    let candidates = Box::pin(choose(catalogue, list, limit)).await?;
    let rows = rows_of(list.index(), &candidates);
    let documents = catalogue.documents(&rows).await?;
    Ok(with_documents(&candidates, documents))
}

/// Returns the rows of suggestions and of the anime that led to them, each once.
fn rows_of(index: &AnimeIndex, candidates: &[Candidate]) -> Vec<IndexedRow> {
    let rows = candidates.iter().map(|candidate| candidate.anime);
    let sources = candidates
        .iter()
        .filter_map(|candidate| index.find(candidate.because?.get()));
    let mut rows: Vec<IndexedRow> = rows.chain(sources).collect();
    rows.sort_unstable_by_key(|row| row.id);
    rows.dedup_by_key(|row| row.id);
    rows
}

fn with_documents(candidates: &[Candidate], documents: Vec<CachedDocument>) -> Vec<Suggestion> {
    let documents: HashMap<u64, CachedDocument> = documents
        .into_iter()
        .map(|document| (document.version().0, document))
        .collect();
    let suggestion = |candidate: &Candidate| {
        let because = candidate
            .because
            .and_then(|anime| documents.get(&anime.get()));
        Some(Suggestion {
            anime: documents.get(&candidate.anime.id)?.clone(),
            reason: candidate.reason,
            because: because.cloned(),
        })
    };
    candidates.iter().filter_map(suggestion).collect()
}

/// Chooses suggestions. The list remembers them if they follow from the list and the index alone: every document has
/// the revision that the index states.
async fn choose(
    catalogue: &Catalogue<Anime>,
    list: &JoinedList,
    limit: usize,
) -> Result<Arc<[Candidate]>> {
    let (index, stories) = (list.index(), list.stories());
    let taste = Taste::of(stories);
    let chosen = taste.choose_sources();
    let rows: Vec<IndexedRow> = chosen
        .iter()
        .filter_map(|story| index.find(story.anime_id.get()))
        .collect();
    let sources = catalogue.documents(&rows).await?;
    let mut are_known = are_of_index(&rows, &sources);
    // Most of the text of a source is not needed.
    let relations: Vec<AnimeRelations> = sources
        .iter()
        .map(CachedDocument::parse)
        .collect::<Result<_, _>>()?;
    let candidates = taste.rank(chosen, list.planned_and_airing(), &relations, |id| {
        index.safe_anime(id)
    });
    let rows: Vec<IndexedRow> = candidates.iter().map(|candidate| candidate.anime).collect();
    let documents = catalogue.documents(&rows).await?;
    are_known = are_known && are_of_index(&rows, &documents);
    let has_finished = |id: AnimeId| list.list().find(id).is_some_and(ListedStory::is_finished);
    let mut suggested = Vec::new();
    for document in documents {
        let id = document.version().0;
        let candidate = candidates.iter().find(|candidate| candidate.anime.id == id);
        let Some(candidate) = candidate.filter(|_| suggested.len() < limit) else {
            continue;
        };
        let anime: Fitness = document.parse()?;
        if is_fit(candidate, &anime, has_finished) {
            suggested.push(*candidate);
        }
    }
    let suggested: Arc<[Candidate]> = suggested.into();
    if are_known {
        list.columns
            .remember_suggested(limit, Arc::clone(&suggested));
    }
    Ok(suggested)
}

/// Returns true if the documents have the revisions that the index states for these rows.
fn are_of_index(rows: &[IndexedRow], documents: &[CachedDocument]) -> bool {
    let mut pairs = rows.iter().zip(documents);
    rows.len() == documents.len()
        && pairs
            .all(|(row, document)| row.revision.is_some() && row.version() == document.version())
}
