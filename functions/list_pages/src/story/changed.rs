//! An entry that a form has changed, with what the response to the script needs.

use page_parts::story::StoryFormOutcome;
use pages::anime_card::AnimeRenderer;
use shared::models::{Anime, StoryState};
use stories::lists::ListedStory;
use time::Date;

/// A changed entry.
pub(crate) struct ChangedEntry<'a> {
    /// Renders covers and titles.
    pub renderer: AnimeRenderer<'a>,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The change.
    pub outcome: StoryFormOutcome,
    /// The state before the change; `None` if there was no story.
    pub before: Option<StoryState>,
    /// The story; `None` if the change has deleted it.
    pub story: Option<ListedStory>,
    /// The anime; `None` if it has left the catalogue.
    pub anime: Option<Anime>,
    /// The present day of the user.
    pub today: Date,
    /// The numbers of entries before the change, as the page states them ([`read_counts`]).
    pub counts: &'a str,
}

/// Reads the numbers of entries that a page shows. Returns `None` unless there are `N`.
pub(crate) fn read_counts<const N: usize>(text: &str) -> Option<[usize; N]> {
    let numbers = text.split(' ').map(str::parse::<u32>);
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().ok()?;
    let numbers: [u32; N] = numbers.try_into().ok()?;
    Some(numbers.map(|number| number as usize))
}

/// Returns the text for [`read_counts`].
pub(crate) fn counts_text(counts: &[usize]) -> String {
    let counts = counts.iter().map(usize::to_string);
    counts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{counts_text, read_counts};

    #[test]
    fn numbers_are_read_and_written() {
        let counts = [20_000, 0, 3];
        assert_eq!(counts_text(&counts), "20000 0 3");
        assert_eq!(read_counts("20000 0 3"), Some(counts));
        assert_eq!(read_counts("7"), Some([7]));
        for text in [
            "",
            "1 2",
            "1 2 3 4",
            "1 2 -3",
            "1 2 x",
            "1  2 3",
            "1 2 4294967296",
        ] {
            assert_eq!(read_counts::<3>(text), None, "{text}");
        }
    }
}
