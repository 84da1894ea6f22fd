//! The name that is looked up, and what it says besides the title.

use shared::models::AnimeFormat;

use super::evidence::EpisodeName;
use super::title::{season_apart, year_apart};

/// A name, with further evidence about the anime that it names.
#[derive(Clone, Debug)]
pub(super) struct NameQuery {
    pub name: EpisodeName,
    /// True for an entry of a list, whose episode is 1.
    pub is_entry: bool,
    /// True for a reading of the name of a file, whose year can be that of the release.
    pub is_file: bool,
    /// The number of the anime's episodes, as stated.
    pub episodes: Option<u32>,
}

impl NameQuery {
    /// Returns the same name with another title.
    pub(super) fn with_title(&self, title: impl Into<String>) -> Self {
        let name = EpisodeName {
            title: title.into(),
            ..self.name
        };
        Self { name, ..*self }
    }
}

/// Returns true if a name is that of an OVA, an ONA, a special or a movie. They have numbers of their own, even if the
/// name has the season they belong to.
pub(super) fn has_own_numbers(name: &EpisodeName) -> bool {
    name.format == Some(AnimeFormat::Movie) || is_extra(name)
}

/// Returns a name without the year in parentheses at the end of its title. Media servers add it to the name of a
/// series if an earlier series has the same name.
pub(super) fn with_year_apart(query: &NameQuery) -> NameQuery {
    let Some((title, year)) = year_apart(&query.name.title) else {
        return query.clone();
    };
    let mut apart = query.with_title(title);
    apart.name.year = Some(year);
    apart
}

/// Returns a name without the season at the end of its title.
pub(super) fn with_season_apart(query: &NameQuery) -> Option<NameQuery> {
    let (title, season) = season_apart(&query.name.title)?;
    let mut apart = query.with_title(title);
    apart.name.season = query.name.season.filter(|own| *own != 1).or(Some(season));
    Some(apart)
}

/// Returns true if a name is that of an OVA, an ONA or a special. Sources call the same video by any of these words.
pub(super) fn is_extra(name: &EpisodeName) -> bool {
    matches!(
        name.format,
        Some(AnimeFormat::Ona | AnimeFormat::Ova | AnimeFormat::Special)
    )
}
