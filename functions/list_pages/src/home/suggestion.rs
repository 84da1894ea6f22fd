//! A suggestion on the home page.

use std::sync::Arc;

use catalogue::Catalogue;
use shared::Result;
use shared::models::Anime;
use stories::suggestions::{Suggestion, SuggestionReason};

/// A suggestion, as the page shows it.
pub(super) struct ShownSuggestion {
    /// The anime.
    pub anime: Arc<Anime>,
    /// The reason.
    pub reason: SuggestionReason,
    /// The completed anime that led to it.
    pub because: Option<Arc<Anime>>,
}

impl ShownSuggestion {
    /// Parses the documents of a suggestion.
    pub(super) fn of(catalogue: &Catalogue<Anime>, suggestion: &Suggestion) -> Result<Self> {
        let because = suggestion.because.as_ref();
        Ok(Self {
            anime: catalogue.parse(&suggestion.anime)?,
            reason: suggestion.reason,
            because: because.map(|anime| catalogue.parse(anime)).transpose()?,
        })
    }
}
