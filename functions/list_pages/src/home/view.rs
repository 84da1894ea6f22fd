//! The rendering of the home page.

use std::sync::Arc;

use maud::{Markup, html};
use page_parts::anime::StoriesByAnime;
use page_parts::story::{
    ENTRY, ListRequest, NEXT_FORM, ReturnPage, StoryFormOutcome, StoryKey, StoryNotice,
    hidden_fields, progress,
};
use pages::anime_card::{AnimeRenderer, path_of};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::paths::{ANIME, CALENDAR, LIST, LIST_NEXT, WELCOME};
use pages::season::season_path;
use shared::models::{Anime, AnimeId, Season, WatchStatus};
use stories::lists::{JoinedEntry, JoinedList, ListedStory, next_episode};
use stories::suggestions::SuggestionReason;
use time::{Date, Duration};

use super::start::Covers;
use super::suggestion::ShownSuggestion;
use crate::calendar::{AiringAnime, airing_item};
use crate::players::questions_notice;
use crate::story::changed::ChangedEntry;

/// The maximum number of anime for each day. The heading links to the calendar, which has all of them.
const MAX_AIRING_PER_DAY: usize = 12;

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
            @if self.list.stories().is_empty() {
                p.lead { (l10n.text("home-empty")) }
                p.actions { a.button href=(WELCOME) { (Icon::Plus) (l10n.text("home-welcome")) } }
            }
            (self.continued())
            (self.airing())
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

    fn continued(&self) -> Markup {
        let l10n = self.l10n();
        html! {
            @if !self.continued.is_empty() {
                section.plain-section aria-labelledby="continue" {
                    h2 #continue { a href=(path_of_current()) { (l10n.text("home-continue")) } }
                    form #(NEXT_FORM) method="post" action=(LIST_NEXT) {
                        (hidden_fields(self.csrf, None, &ReturnPage::Start))
                    }
                    ul.stories.rail data-counts=(self.in_progress) {
                        @for continued in self.continued {
                            (entry(self.renderer, continued.story, self.find_anime(continued.story.anime_id)))
                        }
                    }
                    @if self.in_progress > self.continued.len() { (all_current(l10n, self.in_progress)) }
                }
            }
        }
    }

    /// Renders what airs today and tomorrow.
    fn airing(&self) -> Markup {
        let l10n = self.l10n();
        let tomorrow = self.today.saturating_add(Duration::days(1));
        let days = [
            ("today", "calendar-today", self.today),
            ("tomorrow", "home-tomorrow", tomorrow),
        ];
        let days = days.map(|(id, heading, day)| {
            let airing = self.airing.iter();
            let airing = airing.filter(|airing| airing.schedule.includes(day));
            let airing: Vec<_> = airing.take(MAX_AIRING_PER_DAY).collect();
            (id, heading, airing)
        });
        html! {
            @if days.iter().any(|(.., airing)| !airing.is_empty()) {
                section.plain-section aria-labelledby="airing" {
                    h2 #airing { a href=(CALENDAR) { (l10n.text("home-airing")) } }
                    div.week {
                        @for (id, heading, airing) in days {
                            @if !airing.is_empty() {
                                section aria-labelledby=(id) {
                                    h3 id=(id) { (l10n.text(heading)) }
                                    ul.airing {
                                        @for one in airing { (airing_item(self.renderer, self.today, one)) }
                                    }
                                }
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
                section.plain-section aria-labelledby="what-next" {
                    h2 #what-next { (self.l10n().text("home-next")) }
                    ul.cards.rail { @for suggestion in self.suggestions { (self.suggestion(suggestion)) } }
                }
            }
        }
    }

    fn suggestion(&self, suggestion: &ShownSuggestion) -> Markup {
        let (l10n, anime) = (self.l10n(), &suggestion.anime);
        let message = match suggestion.reason {
            SuggestionReason::Sequel => "home-sequel",
            SuggestionReason::Airing => "home-planned",
            SuggestionReason::Recommendation => "home-because",
        };
        let source = self.title(suggestion.because.as_deref());
        html! {
            li.card {
                (self.renderer.cover(anime))
                a href=(path_of(anime)) { (self.renderer.title_markup(anime)) }
                small { (l10n.markup(message, [("title", source)])) }
            }
        }
    }

    fn season(&self) -> Markup {
        let (season, year) = self.season;
        let stories = self.of_season.iter();
        let stories = stories
            .filter_map(|anime| self.list.list().find(anime.id))
            .cloned();
        let stories: StoriesByAnime = stories.map(|story| (story.anime_id, story)).collect();
        let covers = Covers {
            renderer: self.renderer,
            stories: &stories,
        };
        let anime: Vec<&Anime> = self.of_season.iter().map(|anime| &**anime).collect();
        covers.row("season", "start-season", &season_path(season, year), &anime)
    }

    fn find_anime(&self, id: AnimeId) -> Option<&Anime> {
        let found = self.anime.iter().find(|anime| anime.id == id);
        found.map(|anime| &**anime)
    }

    fn title(&self, anime: Option<&Anime>) -> Markup {
        render_title(self.renderer, anime)
    }
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
        ul.stories data-counts=(in_progress) {
            @if let Some(story) = story.filter(|_| is_continued) { (entry(renderer, story, anime)) }
        }
        (notice)
        (all_current(renderer.l10n, in_progress))
    }
}

/// Renders an entry to continue.
fn entry(renderer: AnimeRenderer<'_>, story: &ListedStory, anime: Option<&Anime>) -> Markup {
    let (l10n, id) = (renderer.l10n, story.anime_id);
    let episodes = anime.map_or(0, |anime| anime.episodes_count);
    let next = anime
        .and_then(|anime| next_episode(Some(&story.state), anime.episodes_count, anime.status));
    let title_id = format!("title-{}", id.get());
    html! {
        li id={ "entry-" (id.get()) } {
            @match anime {
                Some(anime) => (renderer.cover(anime)),
                None => span.cover { (Icon::Image) },
            }
            div {
                h3 id=(title_id) { a href={ (ANIME) "/" (id.get()) } { (render_title(renderer, anime)) } }
                (progress(l10n, story.state.progress(), episodes))
            }
            @if let Some(next) = next {
                div.actions {
                    button type="submit" form=(NEXT_FORM) name=(ENTRY)
                        value=(StoryKey::of(id, Some(&story.state)).text()) aria-describedby=(title_id) {
                        (Icon::Next)
                        (l10n.format("list-next", [("number", next.progress().into())]))
                    }
                }
            }
        }
    }
}

/// Renders the link to all entries that the user is watching.
fn all_current(l10n: &Localizer, in_progress: usize) -> Markup {
    let count = u64::try_from(in_progress).unwrap_or(u64::MAX);
    let text = l10n.format("home-all-current", [("count", count.into())]);
    html! { p #all-current { a.row href=(path_of_current()) { (text) } } }
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
