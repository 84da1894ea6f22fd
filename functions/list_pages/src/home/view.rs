//! The rendering of the home page.

use std::sync::Arc;

use maud::{Markup, html};
use page_parts::schedule::{airs, weekday};
use page_parts::story::{
    ENTRY, ListRequest, NEXT_FORM, ReturnPage, StoryFormOutcome, StoryKey, StoryNotice,
    hidden_fields, quick_actions, quick_form,
};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::paths::{ANIME, CALENDAR, LIST, LIST_NEXT, WELCOME};
use shared::models::{Anime, AnimeId, Language, Season, WatchStatus};
use stories::lists::{JoinedEntry, JoinedList, ListedStory, next_episode};
use stories::suggestions::SuggestionReason;
use time::{Date, Duration};

use super::parts::{foot_row, season_row};
use super::suggestion::ShownSuggestion;
use crate::calendar::{AiringAnime, airing_parts, day_character};
use crate::players::questions_notice;
use crate::story::changed::ChangedEntry;

/// The maximum number of anime for each day. The heading links to the calendar, which has all of them.
const MAX_AIRING_PER_DAY: usize = 8;

/// The height of the highest bar of the week, in the units of its drawing, and the height of the drawing.
const BAR_HEIGHTS: (usize, usize) = (57, 60);

/// Everything that the page shows.
pub(super) struct HomeView<'a> {
    /// Renders covers and titles.
    pub renderer: AnimeRenderer<'a>,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The list of the user.
    pub list: &'a JoinedList,
    /// The anime of `continued` and of the notice.
    pub anime: &'a [Arc<Anime>],
    /// The entries to continue.
    pub continued: &'a [JoinedEntry<'a>],
    /// The number of entries to continue, including those that are not shown.
    pub in_progress: usize,
    /// The anime on the list that air or begin soon.
    pub airing: &'a [AiringAnime],
    /// The present day.
    pub today: Date,
    /// The suggestions.
    pub suggestions: &'a [ShownSuggestion],
    /// The number of series of players that wait for an answer.
    pub questions: usize,
    /// The present season and its year.
    pub season: (Season, u16),
    /// Anime of the season.
    pub of_season: &'a [Arc<Anime>],
    /// The change that the previous form has made, and its anime.
    pub done: Option<(StoryFormOutcome, AnimeId)>,
}

impl HomeView<'_> {
    fn l10n(&self) -> &Localizer {
        self.renderer.l10n
    }

    /// Renders the content of the page. Sections without content are left out.
    pub(super) fn body(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            (self.notice())
            (questions_notice(l10n, self.questions))
            h1.unseen { (l10n.text("home-title")) }
            div.today {
                aside {
                    (self.leaf())
                    (self.week())
                    (self.completed())
                }
                (self.continued())
                (self.airing())
            }
            @if !(self.suggestions.is_empty() && self.of_season.is_empty()) {
                (quick_form(self.csrf, &ReturnPage::Start))
            }
            (self.suggestions())
            (self.season())
        }
    }

    /// Renders the notice about the change that the previous form has made.
    fn notice(&self) -> Markup {
        let notice = self.done.map(|(done, id)| {
            let story = self.list.list().find(id);
            StoryNotice {
                l10n: self.l10n(),
                csrf: self.csrf,
                back: &ReturnPage::Start,
                done,
                title: self.title(self.find_anime(id)),
                story,
            }
        });
        html! { @if let Some(notice) = notice { (notice) } }
    }

    /// Renders today's leaf of the calendar.
    fn leaf(&self) -> Markup {
        let (l10n, today) = (self.l10n(), self.today);
        let month = l10n.partial_date(today.year(), Some(today.month().into()), None);
        // In Japanese, the name of the day begins with its character.
        let has_character = l10n.language() != Language::Japanese;
        html! {
            time.leaf datetime=(today) {
                span { (month) }
                span.big { (today.day()) }
                span.day {
                    @if has_character { (day_character(today)) " " }
                    (l10n.weekday(weekday(today)))
                }
            }
        }
    }

    /// Renders the number of anime that air on each of the next seven days, as bars.
    fn week(&self) -> Markup {
        let l10n = self.l10n();
        let days = (0..7).map(|days| self.today.saturating_add(Duration::days(days)));
        let on_day = |day: Date| {
            let airing = self.airing.iter();
            airing.filter(|one| one.schedule.includes(day)).count()
        };
        let days: Vec<(Date, usize)> = days.map(|day| (day, on_day(day))).collect();
        let all: usize = days.iter().map(|(_, count)| count).sum();
        let highest = days.iter().map(|(_, count)| *count).max();
        let highest = highest.unwrap_or_default().max(1);
        let (bar, height) = BAR_HEIGHTS;
        html! {
            @if all > 0 {
                section.week aria-label=(l10n.text("home-week-title")) {
                    p {
                        span.num { (number(l10n, all)) }
                        " " (l10n.format("home-week", [("count", wide(all).into())]))
                    }
                    ol {
                        @for (day, count) in days {
                            @let name = l10n.weekday(weekday(day));
                            li.now[day == self.today] {
                                svg viewBox={ "0 0 10 " (height) } preserveAspectRatio="none" aria-hidden="true" {
                                    path d={ "M1 " (height - count * bar / highest) "h8V" (height) "H1z" } {}
                                }
                                span aria-hidden="true" {
                                    @if let Some(initial) = name.chars().next() { (initial.to_uppercase()) }
                                }
                                span.unseen { (name) ": " (number(l10n, count)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the number of completed entries and of all entries.
    fn completed(&self) -> Markup {
        let l10n = self.l10n();
        let stories = self.list.stories();
        let is_completed = |story: &&ListedStory| story.state.status == WatchStatus::Completed;
        let completed = stories.iter().filter(is_completed).count();
        html! {
            @if !stories.is_empty() {
                p.stat-line {
                    span.num { (number(l10n, completed)) }
                    " " (l10n.format("home-completed", [("count", wide(completed).into())]))
                    br;
                    span.num { (number(l10n, stories.len())) }
                    " " (l10n.format("home-listed", [("count", wide(stories.len()).into())]))
                }
            }
        }
    }

    fn continued(&self) -> Markup {
        let l10n = self.l10n();
        if self.list.stories().is_empty() {
            return html! {
                section aria-labelledby="begin" {
                    div.head { h2 #begin { (l10n.text("home-empty")) } }
                    p { (l10n.text("home-empty-lead")) }
                    div.acts.sec0 { a.button href=(WELCOME) { (l10n.text("home-welcome")) } }
                }
            };
        }
        html! {
            section aria-labelledby="continue" {
                div.head {
                    h2 #continue { (l10n.text("home-continue")) }
                    (all_current(l10n, self.in_progress))
                }
                @if self.continued.is_empty() {
                    p { (l10n.text("home-nothing")) }
                } @else {
                    form #(NEXT_FORM) method="post" action=(LIST_NEXT) {
                        (hidden_fields(self.csrf, None, &ReturnPage::Start))
                    }
                    ol.go.stories data-counts=(self.in_progress) {
                        @for continued in self.continued {
                            @let story = continued.story;
                            (entry(self.renderer, story, self.find_anime(story.anime_id), self.today))
                        }
                    }
                }
            }
        }
    }

    /// Renders what airs today and tomorrow.
    fn airing(&self) -> Markup {
        let l10n = self.l10n();
        let tomorrow = self.today.saturating_add(Duration::days(1));
        let days = [("calendar-today", self.today), ("home-tomorrow", tomorrow)];
        let days = days.map(|(heading, day)| {
            let airing = self.airing.iter();
            let airing = airing.filter(|airing| airing.schedule.includes(day));
            let airing: Vec<_> = airing.take(MAX_AIRING_PER_DAY).collect();
            (heading, day, airing)
        });
        html! {
            @if days.iter().any(|(.., airing)| !airing.is_empty()) {
                section aria-labelledby="airing" {
                    div.head {
                        h2 #airing { (l10n.text("home-airing")) }
                        a href=(CALENDAR) { (l10n.text("home-calendar")) }
                    }
                    @for (heading, day, airing) in days {
                        @if !airing.is_empty() {
                            h3.sub {
                                (l10n.text(heading)) " "
                                small { (l10n.weekday(weekday(day))) }
                            }
                            ol.times {
                                @for one in airing { li { (airing_parts(self.renderer, self.today, one)) } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn suggestions(&self) -> Markup {
        html! {
            @if !self.suggestions.is_empty() {
                section.sec aria-labelledby="what-next" {
                    div.head { h2 #what-next { (self.l10n().text("home-next")) } }
                    ul.shelf.one-row { @for suggestion in self.suggestions { (self.suggestion(suggestion)) } }
                }
            }
        }
    }

    fn suggestion(&self, suggestion: &ShownSuggestion) -> Markup {
        let l10n = self.l10n();
        let message = match suggestion.reason {
            SuggestionReason::Sequel => "home-sequel",
            SuggestionReason::Airing => "home-planned",
            SuggestionReason::Recommendation => "home-because",
        };
        let source = self.title(suggestion.because.as_deref());
        let line = l10n.markup(message, [("title", source)]);
        self.card(&suggestion.anime, Some(line))
    }

    fn season(&self) -> Markup {
        let cards = self.of_season.iter().map(|anime| self.card(anime, None));
        season_row(self.renderer, self.season, &cards.collect::<Vec<_>>())
    }

    /// Renders a card with the actions that put the anime on the list. `line` stands in place of score, year and
    /// format.
    fn card(&self, anime: &Anime, line: Option<Markup>) -> Markup {
        let story = self.list.list().find(anime.id);
        let key = StoryKey::of(anime.id, story.map(|story| &story.state));
        let title = self.renderer.title(anime);
        let parts = CardParts {
            status: story.map(|story| story.state.status),
            line,
            actions: Some(quick_actions(self.l10n(), &key, &title)),
            ..CardParts::default()
        };
        self.renderer.card(anime, parts)
    }

    fn find_anime(&self, id: AnimeId) -> Option<&Anime> {
        let found = self.anime.iter().find(|anime| anime.id == id);
        found.map(|anime| &**anime)
    }

    fn title(&self, anime: Option<&Anime>) -> Markup {
        render_title(self.renderer, anime)
    }
}

/// Returns a count with the separators of the language.
fn number(l10n: &Localizer, count: usize) -> String {
    l10n.number(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Returns a count as the variable of a message.
fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Renders the parts of the page that the change of an entry has changed: the entry, if the user can still continue it;
/// its notice; and the number of all entries to continue.
pub(super) fn part(changed: &ChangedEntry<'_>, is_continued: bool, in_progress: usize) -> Markup {
    let (renderer, anime) = (changed.renderer, changed.anime.as_ref());
    let story = changed.story.as_ref();
    let notice = StoryNotice {
        l10n: renderer.l10n,
        csrf: changed.csrf,
        back: &ReturnPage::Start,
        done: changed.outcome,
        title: render_title(renderer, anime),
        story,
    };
    html! {
        ol.stories data-counts=(in_progress) {
            @if let Some(story) = story.filter(|_| is_continued) {
                (entry(renderer, story, anime, changed.today))
            }
        }
        (notice)
        (all_current(renderer.l10n, in_progress))
    }
}

/// Renders an entry to continue.
fn entry(
    renderer: AnimeRenderer<'_>,
    story: &ListedStory,
    anime: Option<&Anime>,
    today: Date,
) -> Markup {
    let (l10n, id) = (renderer.l10n, story.anime_id);
    let next = anime
        .and_then(|anime| next_episode(Some(&story.state), anime.episodes_count, anime.status));
    let title = anime.map_or_else(
        || l10n.text("story-unknown-anime"),
        |anime| renderer.title(anime),
    );
    let button = html! {
        @if let Some(next) = next {
            @let label = [("number", next.progress().into()), ("title", title.into())];
            button.plus type="submit" form=(NEXT_FORM) name=(ENTRY)
                value=(StoryKey::of(id, Some(&story.state)).text()) aria-label=(l10n.format("home-plus", label)) {
                "+1"
            }
        }
    };
    html! {
        li id={ "entry-" (id.get()) } {
            @match anime {
                Some(anime) => (renderer.linked_cover(anime)),
                None => span.cover { (Icon::Image) },
            }
            div {
                h3.clamp { a href={ (ANIME) "/" (id.get()) } { (render_title(renderer, anime)) } }
                p.small.soft { (next_day(l10n, anime, today)) }
                (foot_row(story.state.progress(), anime, &button))
            }
        }
    }
}

/// Renders the day on which an anime airs next, or else its season.
fn next_day(l10n: &Localizer, anime: Option<&Anime>, today: Date) -> Markup {
    let airs = anime.and_then(|anime| airs(l10n, anime, today));
    let season =
        || anime.and_then(|anime| l10n.season_of_year(anime.season_period, anime.season_year));
    airs.unwrap_or_else(|| html! { (season().unwrap_or_default()) })
}

/// Renders the link to all entries that the user is watching.
fn all_current(l10n: &Localizer, in_progress: usize) -> Markup {
    let text = l10n.format("home-all-current", [("count", wide(in_progress).into())]);
    html! { a #all-current href=(path_of_current()) { (text) } }
}

/// Returns the path and query of the list of current entries.
fn path_of_current() -> String {
    let current = ListRequest::default().with_status(Some(WatchStatus::Current));
    current.address(LIST)
}

/// Renders the title of an anime.
fn render_title(renderer: AnimeRenderer<'_>, anime: Option<&Anime>) -> Markup {
    html! {
        @match anime {
            Some(anime) => (renderer.title_markup(anime)),
            None => (renderer.l10n.text("story-unknown-anime")),
        }
    }
}
