//! The rendering of an entry in the ledger: a row with its cover, or a line in the compact view.

use maud::{Markup, html};
use page_parts::story::{
    ENTRY, ListRequest, ListView, NEXT_FORM, ReturnPage, ScoreControl, StoryForm, StoryFormTexts,
    StoryKey,
};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::language::Localizer;
use pages::paths::LIST;
use pages::seal::{class_of, seal};
use pages::tally::Tally;
use shared::models::{Anime, AnimeStatus, WatchStatus, Weekday};
use stories::lists::next_episode;

use super::entries::{StoryEntry, days_until};
use super::selection_view;

/// The width from which a title is long: its end then stays in view, because titles of one series differ there. The
/// unit is a Latin letter; characters of Chinese, Japanese and Korean are twice as wide.
const LONG: usize = 60;

/// The width of the end of a long title.
const END: usize = 26;

/// Renders the rows of a page.
#[derive(Clone, Copy)]
pub(super) struct RowRenderer<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// Renders covers and titles.
    pub renderer: AnimeRenderer<'a>,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The request for the page.
    pub request: &'a ListRequest,
    /// The page to return to.
    pub back: &'a ReturnPage,
    /// The present day of the week.
    pub today: Weekday,
}

impl RowRenderer<'_> {
    /// Renders an entry. `number` is its place in the list; `None` if the script fills it in.
    pub(super) fn row(self, entry: &StoryEntry, number: Option<usize>) -> Markup {
        let id = entry.story.anime_id;
        let is_edited = self.request.edited == Some(id);
        html! {
            li class=[is_edited.then_some("edited")] id={ "entry-" (id.get()) } {
                @if is_edited { (self.form(entry)) } @else { (self.cells(entry, number)) }
            }
        }
    }

    /// Renders an entry as a form.
    pub(super) fn form(self, entry: &StoryEntry) -> Markup {
        let (story, anime) = (&entry.story, entry.anime.as_deref());
        html! {
            h2 { (title(self.renderer, anime)) }
            (StoryForm {
                l10n: self.l10n,
                csrf: self.csrf,
                key: &key(entry),
                back: self.back,
                filled: &StoryFormTexts::of(Some(&story.state), self.l10n),
                anime,
                errors: None,
            })
        }
    }

    fn cells(self, entry: &StoryEntry, number: Option<usize>) -> Markup {
        let (l10n, story, anime) = (self.l10n, &entry.story, entry.anime.as_deref());
        let is_compact = self.request.view == Some(ListView::Compact);
        let title_id = format!("t{}", story.anime_id.get());
        // The text of the key has a digest, so it is computed once.
        let key = key(entry);
        // An anime that is no longer in the catalogue has no next episode.
        let next = anime
            .and_then(|anime| next_episode(Some(&story.state), anime.episodes_count, anime.status));
        let title = anime.and_then(|anime| l10n.title(&anime.titles));
        let parts = title.and_then(|title| split_title(title.text));
        // There is no room for the original title below a title of two lines.
        let original = anime.filter(|_| !is_compact && parts.is_none());
        let original = original.and_then(|anime| l10n.original_title(&anime.titles));
        let private = html! {
            @if story.state.details.private {
                i.private lang=(l10n.language().tag()) { (l10n.text("story-private-short")) } " "
            }
        };
        html! {
            (selection_view::checkbox(&key, &title_id, number))
            @if !is_compact {
                @match anime {
                    Some(anime) => (self.renderer.small_cover(anime)),
                    None => span.cover {},
                }
            }
            div.name {
                h2 class=[parts.is_none().then_some("clamp")] id=(title_id) {
                    @match (anime, title, parts) {
                        // If the title is long, its middle is cut, but not its end.
                        (Some(anime), Some(title), Some((start, end))) => {
                            a.long href=(path_of(anime)) lang=(title.lang()) dir="auto" {
                                b { (private) (start) } b { (end) }
                            }
                        },
                        (Some(anime), ..) => {
                            (private) a href=(path_of(anime)) { (self.renderer.title_markup(anime)) }
                        },
                        (None, ..) => (l10n.text("story-unknown-anime")),
                    }
                }
                @if let Some(original) = original {
                    p lang=(original.lang()) dir="auto" { (original.text) }
                }
            }
            div.meta {
                (self.standing(entry))
                (self.release(anime))
                span.pr.(class_of(story.state.status)) {
                    (figures(l10n, story.state.progress(), anime.map_or(0, |anime| anime.episodes_count)))
                    @if !is_compact { (tally(entry)) }
                }
                (ScoreControl { l10n, key: &key, score: story.state.details.score, title_id: &title_id })
            }
            @if let Some(next) = next {
                button.plus form=(NEXT_FORM) name=(ENTRY) value=(key.text()) aria-describedby=(title_id)
                    aria-label=(l10n.format("list-plus", [("number", next.progress().into())])) { "+1" }
            }
            @let edited = self.request.with_edited(Some(story.anime_id));
            a.edit href={ (edited.address(LIST)) "#entry-" (story.anime_id.get()) }
                aria-label=(l10n.text("list-edit")) aria-describedby=(title_id) { (pen()) }
        }
    }

    /// Renders the status if the page has several, else what comes next.
    fn standing(self, entry: &StoryEntry) -> Markup {
        let status = entry.story.state.status;
        if self.request.status.is_none() {
            return html! {
                span class={ "st sealed " (class_of(status)) } {
                    (seal(Some(status))) (self.l10n.watch_status(status))
                }
            };
        }
        let (is_due, text) = self.next_line(entry).unwrap_or_default();
        html! { span.st.due[is_due].soft[!is_due] { (text) } }
    }

    /// Returns what the user can watch next, as far as the catalogue knows, and true if it airs today.
    fn next_line(self, entry: &StoryEntry) -> Option<(bool, String)> {
        let (l10n, anime) = (self.l10n, entry.anime.as_ref()?);
        let state = &entry.story.state;
        let unwatched = anime.episodes_count.saturating_sub(state.progress());
        let count = [("count", unwatched.into())];
        match anime.status {
            AnimeStatus::NotYetReleased => Some((false, l10n.anime_status(anime.status))),
            AnimeStatus::Releasing if unwatched > 0 => {
                Some((false, l10n.format("list-behind", count)))
            }
            AnimeStatus::Releasing => {
                let day = entry.airing_day()?;
                let episode = anime.episodes_count.max(state.progress()) + 1;
                let episode = ("episode", episode.into());
                let text = match days_until(day, self.today) {
                    0 => l10n.format("list-airs-today", [episode]),
                    1 => l10n.format("list-airs-tomorrow", [episode]),
                    _ => l10n.format("list-airs-on", [episode, ("day", l10n.weekday(day).into())]),
                };
                Some((day == self.today, text))
            }
            AnimeStatus::Finished | AnimeStatus::Cancelled => {
                let is_begun =
                    !matches!(state.status, WatchStatus::Planning | WatchStatus::Completed);
                (is_begun && unwatched > 0).then(|| (false, l10n.format("list-left", count)))
            }
        }
    }

    /// Renders format and season.
    fn release(self, anime: Option<&Anime>) -> Markup {
        let l10n = self.l10n;
        html! {
            span.fy.soft {
                @if let Some(anime) = anime {
                    (l10n.anime_format(anime.format))
                    @if let Some(season) = l10n.season_of_year(anime.season_period, anime.season_year) {
                        " · " (season)
                    }
                }
            }
        }
    }
}

/// The identifier of the icon "edit" in the page.
const PEN: &str = "pen";

/// Renders the icon that the entries of a page refer to. A reference to the file of the icons in each entry would be
/// longer.
pub(super) fn pen_symbol() -> Markup {
    html! {
        svg hidden { symbol #(PEN) viewBox="0 0 24 24" { path d="M4 20l1-4L16 5l3 3L8 19z" {} } }
    }
}

fn pen() -> Markup {
    html! { svg.icon { use href={ "#" (PEN) } {} } }
}

/// Renders the numbers of watched and of all episodes. `all` is 0 if it is unknown.
pub(super) fn figures(l10n: &Localizer, watched: u32, all: u32) -> Markup {
    html! {
        span.num {
            (l10n.number(watched)) i { " / " @if all > 0 { (l10n.number(all)) } @else { "?" } }
        }
    }
}

/// Returns the strokes of an entry. Episodes of an anime that airs stand out until they are watched.
pub(super) fn tally(entry: &StoryEntry) -> Tally {
    let anime = entry.anime.as_deref();
    let episodes = anime.map_or(0, |anime| anime.episodes_count);
    let airs = anime.is_some_and(|anime| anime.status == AnimeStatus::Releasing);
    Tally {
        watched: entry.story.state.progress(),
        aired: airs.then_some(episodes),
        episodes,
    }
}

/// Renders the title of an anime.
pub(super) fn title(renderer: AnimeRenderer<'_>, anime: Option<&Anime>) -> Markup {
    html! {
        @match anime {
            Some(anime) => (renderer.title_markup(anime)),
            None => (renderer.l10n.text("story-unknown-anime")),
        }
    }
}

/// Returns the key of an entry.
pub(super) fn key(entry: &StoryEntry) -> StoryKey {
    StoryKey::of(entry.story.anime_id, Some(&entry.story.state))
}

/// Returns the beginning and the end of a long title, at a space if there is one; `None` if the title is not long.
fn split_title(title: &str) -> Option<(&str, &str)> {
    // The characters from U+2E80 on are wide, apart from few that titles do not have.
    let width = |character: char| if character >= '\u{2e80}' { 2 } else { 1 };
    let all: usize = title.chars().map(width).sum();
    if all <= LONG {
        return None;
    }
    let mut end = 0;
    let places = title.char_indices().rev().take_while(|(_, character)| {
        end += width(*character);
        end <= END
    });
    let mut first = title.len();
    let mut first_word = None;
    for (place, character) in places {
        first = place;
        if character == ' ' {
            first_word = Some(place + 1);
        }
    }
    Some(title.split_at(first_word.unwrap_or(first)))
}

#[cfg(test)]
mod tests {
    use super::split_title;

    #[test]
    fn end_of_a_long_title_is_kept() {
        let split =
            split_title("Fullmetal Alchemist: The Sacred Star of Milos and Other Stories, Part 2");
        let (start, end) = split.unwrap();
        assert_eq!(end, "and Other Stories, Part 2");
        assert_eq!(start, "Fullmetal Alchemist: The Sacred Star of Milos ");
        let kanji = "界".repeat(31);
        let (start, end) = split_title(&kanji).unwrap();
        assert_eq!((start.chars().count(), end.chars().count()), (18, 13));
        let word = "x".repeat(61);
        assert_eq!(split_title(&word).unwrap().1.len(), 26);
    }

    #[test]
    fn short_titles_stay_whole() {
        for title in ["", "Kumo", &"x".repeat(60), &"界".repeat(30)] {
            assert_eq!(split_title(title), None, "{title}");
        }
    }
}
