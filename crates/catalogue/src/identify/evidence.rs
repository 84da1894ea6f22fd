//! The evidence about an anime or an episode that comes from outside, and the answer.

use shared::models::{AnimeFormat, AnimeId, StatedId};

use crate::seasons::{AnimeEpisode, Candidates};

/// The statements of a list, a message or the name of a file about an anime or an episode of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// True for an entry of a list, which names an anime and no episode. The episode of all candidates is 1 then.
    /// False for an episode or a movie that was watched.
    pub is_entry: bool,
    /// The identifier of the anime in this service.
    pub anime_id: Option<AnimeId>,
    /// The identifiers at other services. Those of an episode are ignored, because they say nothing about its series.
    pub ids: Vec<StatedId>,
    /// The titles of the anime, the series or the movie, the most trusted one first. A season such as `2nd Season` or
    /// a year in parentheses at the end is read.
    pub titles: Vec<String>,
    /// The season as media servers count it; 0 stands for specials.
    pub season: Option<u16>,
    /// The episode. `None` for a movie, or if it is unknown.
    pub episode: Option<u32>,
    /// The year of the movie, or in which the series or the anime began.
    pub year: Option<u16>,
    /// The format. [`AnimeFormat::Movie`] for a movie.
    pub format: Option<AnimeFormat>,
    /// The number of the anime's episodes, as stated.
    pub episodes: Option<u32>,
    /// The ways to read the name of the file, the most probable one first. They are used if the titles lead to nothing
    /// certain.
    pub readings: Vec<EpisodeName>,
}

/// An episode or a movie, as a media server or the name of a file names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EpisodeName {
    /// The title of the series, the anime or the movie. `Season 2` at its end is the season as fans count it.
    pub title: String,
    /// The season as media servers count it; 0 stands for specials.
    pub season: Option<u16>,
    /// The episode. `None` for a movie, or if it is unknown.
    pub episode: Option<u32>,
    /// The year of the movie, or in which the series began.
    pub year: Option<u16>,
    /// The format, if it is known. [`AnimeFormat::Movie`] for a movie.
    pub format: Option<AnimeFormat>,
}

/// The reason why an episode is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchReason {
    /// The identifier in this service.
    AnimeId,
    /// An identifier of the anime or the movie at another service.
    Id(StatedId),
    /// An identifier of the series, together with the season and the episode, or alone if the series has only one
    /// anime.
    SeriesId(StatedId),
    /// The title is that of this anime, and nothing else supports it. A show that is not an anime can also have the
    /// title.
    Title,
    /// The title is that of this anime, and so is the year or the number of episodes.
    TitleAndDetails,
    /// The title is that of the series of this anime. The season and the number of the episode lead to it.
    SeasonMap,
}

impl MatchReason {
    /// Returns true if nothing but a title supports the answer.
    pub fn is_by_name_alone(self) -> bool {
        matches!(self, Self::Title | Self::SeasonMap)
    }
}

/// An identifier, and a statement that contradicts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The anime that the identifier names.
    pub by_id: AnimeId,
    /// The statement that contradicts it.
    pub contradiction: Contradiction,
}

/// A statement that contradicts an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// Another identifier names this other anime.
    Id(AnimeId),
    /// The title is that of this other anime.
    Title(AnimeId),
    /// The year differs by more than one from this year of the anime.
    Year(u16),
    /// One of the two is a movie, and the other a series. This is the format of the anime.
    Format(AnimeFormat),
}

/// The answer: the episodes that may be meant, and the reason if the first one is certain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identification {
    /// The episodes that may be meant, the most probable one first, at most
    /// [`MAX_GUESSES`](super::MAX_GUESSES). Empty if the evidence leads to no anime.
    pub candidates: Vec<AnimeEpisode>,
    /// The reason why the first candidate is certain.
    pub certain: Option<MatchReason>,
    /// The contradictions of identifiers. Nothing is certain if there is one.
    pub conflicts: Vec<Conflict>,
    /// True if the name of the file led to the candidates, not a title or an identifier.
    pub is_by_file: bool,
    /// True if the candidates have titles that are only similar: no identifier leads to them, and no anime has a title
    /// of the evidence, not even with a typing error.
    pub is_only_similar: bool,
}

impl Identification {
    /// Returns true if there are candidates, and if not all of them are only similar.
    pub(super) fn is_named(&self) -> bool {
        !self.candidates.is_empty() && !self.is_only_similar
    }

    /// Returns the episode that is certainly meant.
    pub fn certain(&self) -> Option<AnimeEpisode> {
        let first = self.candidates.first().copied();
        first.filter(|_| self.certain.is_some())
    }

    /// Adds candidates after those that are known.
    pub(super) fn add(&mut self, others: impl IntoIterator<Item = AnimeEpisode>) {
        for other in others {
            if self.candidates.len() < super::MAX_GUESSES && !self.candidates.contains(&other) {
                self.candidates.push(other);
            }
        }
    }

    /// Returns the answer with these candidates, which are certain for a reason.
    pub(super) fn new(found: Candidates<AnimeEpisode>, reason: MatchReason) -> Self {
        let certain = found.is_certain.then_some(reason);
        let mut identified = Self {
            certain,
            ..Self::default()
        };
        identified.add(found.episodes);
        identified
    }
}
