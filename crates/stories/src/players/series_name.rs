//! The names of series in messages and rows.

use serde::{Deserialize, Serialize};
use shared::{digest, fold};

/// The maximum length of the title of a series in a row or report, in characters.
pub(crate) const MAX_TITLE_CHARACTERS: usize = 200;

/// A season of a series, or a movie, as the messages name it. Users choose anime for such a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SeriesName {
    /// The title, an identifier such as `tvdb:275672` if there is none, or the title in the name of the file.
    pub title: String,
    /// The number of the season, `movie` or `none`.
    pub season: String,
}

impl SeriesName {
    /// Returns the name with a title and a season that a user has sent; `None` if the title or the season is invalid.
    pub fn read(title: &str, season: &str) -> Option<Self> {
        let is_season = matches!(season, "movie" | "none")
            || season
                .parse::<u16>()
                .is_ok_and(|number| number.to_string() == season);
        let length = title.chars().count();
        let fits = (1..=MAX_TITLE_CHARACTERS).contains(&length) && !title.contains('\0');
        (is_season && fits).then(|| Self {
            title: title.to_owned(),
            season: season.to_owned(),
        })
    }

    /// Returns true if the other season has the same title. Punctuation, case and spaces do not count.
    pub(super) fn has_title_of(&self, other: &Self) -> bool {
        fold::fold(&self.title).trim() == fold::fold(&other.title).trim()
    }

    /// Returns the key of the rows about this season. Punctuation, case and spaces of the title do not count.
    pub fn key(&self) -> String {
        let title = fold::fold(&self.title);
        digest(&format!("{}\n{}", title.trim(), self.season))
    }
}
