//! Suggestions of what to watch next (docs/api.md, "Suggestions"), for the API and the pages.

use catalogue::index::{ListIndex, Listed};
use catalogue::{CachedDocument, Catalogue};
use shared::Error;
use shared::models::{Anime, AnimeId};
use store::ListedStory;

use crate::rules::suggestions::{Relations, SuggestionReason, Taste, is_fit};

/// A suggestion.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The anime.
    pub anime: Anime,
    /// The reason.
    pub reason: SuggestionReason,
    /// The anime that the user has completed, and that led to this one. Planned anime have none.
    pub because: Option<Anime>,
}

/// Returns suggestions for the user with these stories, best first, at most `limit`. Reads the documents of up to 90
/// completed anime and then those of up to 60 candidates, as far as the process has not read them before.
pub async fn find_suggestions(
    catalogue: &Catalogue<Anime>,
    stories: &[ListedStory],
    limit: usize,
) -> Result<Vec<Suggestion>, Error> {
    let index = catalogue.index().await?;
    let taste = Taste::of(stories);
    let sources = taste.choose_sources().into_iter();
    let rows: Vec<Listed> = sources
        .filter_map(|story| index.find(story.anime_id.get()))
        .collect();
    let sources = catalogue.documents(&rows).await?;
    // Most of the text of a source is not needed.
    let relations: Vec<Relations> = sources
        .iter()
        .map(CachedDocument::parse)
        .collect::<Result<_, _>>()?;
    let candidates = taste.rank(&relations, |id| index.safe_anime(id));
    let rows: Vec<Listed> = candidates.iter().map(|candidate| candidate.anime).collect();
    let mut suggestions = Vec::new();
    for document in catalogue.documents(&rows).await? {
        let id = document.version().0;
        let candidate = candidates.iter().find(|candidate| candidate.anime.id == id);
        let Some(candidate) = candidate.filter(|_| suggestions.len() < limit) else {
            continue;
        };
        let anime: Anime = document.parse()?;
        if !is_fit(candidate, &anime, stories) {
            continue;
        }
        let because = candidate.because.map(AnimeId::get);
        let because = sources
            .iter()
            .find(|source| Some(source.version().0) == because);
        suggestions.push(Suggestion {
            anime,
            reason: candidate.reason,
            because: because.map(CachedDocument::parse).transpose()?,
        });
    }
    Ok(suggestions)
}
