//! The rendering of the list.

use maud::{Markup, Render, html};
use page_parts::story::{
    COMPACT, ENTRY, ListRequest, NEXT_FORM, ReturnPage, ScoreControl, SortOrder, StoryForm,
    StoryFormOutcome, StoryFormTexts, StoryKey, StoryNotice, VIEW, hidden_fields, progress,
    score_form,
};
use pages::anime_card::AnimeRenderer;
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::page_links;
use pages::paths::{ANIME, HISTORY, LIST, LIST_NEXT, WELCOME};
use shared::models::{Anime, WatchStatus, WireEnum};
use stories::lists::next_episode;

use super::entries::{EntriesPage, StoryEntry};
use super::selection_outcome::SelectionOutcome;
use super::selection_view::{self, SelectionNotice};
use crate::players::questions_notice;
use crate::story::changed::counts_text;

/// The identifiers of the parts of the page with the numbers of entries, which the script replaces after a change.
const TABS: &str = "list-statuses";
const COUNT: &str = "list-count";

/// The identifier of the part of the page that depends on the filters.
const RESULTS: &str = "entries";

/// Everything that the page shows.
pub(super) struct ListView<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// Renders covers and titles.
    pub renderer: AnimeRenderer<'a>,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The request.
    pub request: &'a ListRequest,
    /// The entries.
    pub entries: &'a EntriesPage,
    /// The number of series of players that wait for an answer.
    pub questions: usize,
    /// The change that the previous form has made.
    pub done: Option<StoryFormOutcome>,
    /// The outcome of the previous form about selected entries.
    pub selection: Option<SelectionOutcome>,
}

impl ListView<'_> {
    /// Renders the content of the page.
    pub(super) fn body(&self) -> Markup {
        let (l10n, entries) = (self.l10n, self.entries);
        let back = ReturnPage::List(self.request.with_edited(None));
        html! {
            (self.notice(&back))
            (self.selection_notice(&back))
            (questions_notice(l10n, self.questions))
            div.top {
                h1 { (l10n.text("list-title")) }
                @if entries.total > 0 { (self.filters()) }
            }
            @if entries.total == 0 {
                (self.welcome())
            } @else {
                // The script replaces this part while the visitor types.
                div #(RESULTS) {
                    (self.tabs())
                    form #(NEXT_FORM) method="post" action=(LIST_NEXT) { (hidden_fields(self.csrf, None, &back)) }
                    (score_form(self.csrf, &back))
                    (self.count())
                    ul.stories.compact[self.request.is_compact] data-counts=(counts_text(&entries.counts)) {
                        @for entry in &entries.shown { (self.item(entry, &back)) }
                    }
                    @if !entries.shown.is_empty() { (selection_view::bar(l10n, self.csrf, &back)) }
                    (self.pages())
                }
            }
        }
    }

    /// Renders what the change of an entry has changed on the page: the entry unless it has left the list, the notice,
    /// and the numbers of entries if `has_new_counts` is true.
    pub(super) fn part(&self, has_new_counts: bool) -> Markup {
        let back = ReturnPage::List(self.request.with_edited(None));
        let is_listed = |entry: &&StoryEntry| {
            let status = self.request.status;
            status.is_none_or(|status| status == entry.story.state.status)
        };
        let entry = self.entries.noticed.as_ref().filter(is_listed);
        html! {
            ul.stories data-counts=(counts_text(&self.entries.counts)) {
                @if let Some(entry) = entry { (self.item(entry, &back)) }
            }
            (self.notice(&back))
            @if has_new_counts {
                (self.tabs())
                (self.count())
            }
        }
    }

    /// Renders an entry with its place in the list.
    fn item(&self, entry: &StoryEntry, back: &ReturnPage) -> Markup {
        let id = entry.story.anime_id;
        let edited = (self.request.edited == Some(id)).then_some("edited");
        html! {
            li class=[edited] id={ "entry-" (id.get()) } {
                @if self.request.is_compact && edited.is_none() {
                    (self.compact_entry(entry))
                } @else {
                    (self.entry(entry, back))
                }
            }
        }
    }

    /// Renders the notice about the change that the previous form has made.
    fn notice(&self, back: &ReturnPage) -> Markup {
        let entry = self.entries.noticed.as_ref();
        let title = entry.map(|entry| self.title(entry.anime.as_deref()));
        let notice = self.done.map(|done| StoryNotice {
            l10n: self.l10n,
            csrf: self.csrf,
            back,
            done,
            title: title.unwrap_or_default(),
            story: entry.map(|entry| &entry.story),
        });
        html! { @if let Some(notice) = notice { (notice) } }
    }

    /// Renders the notice about the previous form, if it was about selected entries.
    fn selection_notice(&self, back: &ReturnPage) -> Markup {
        let notice = self.selection.as_ref().map(|outcome| SelectionNotice {
            l10n: self.l10n,
            csrf: self.csrf,
            back,
            outcome,
        });
        html! { @if let Some(notice) = notice { (notice) } }
    }

    /// Renders the page of a user without entries.
    fn welcome(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            p { (l10n.text("list-empty")) }
            div.actions {
                a.button href=(ANIME) { (l10n.text("browse-title")) }
                a.row href=(HISTORY) { (l10n.text("list-import")) }
                a.row href=(WELCOME) { (l10n.text("welcome-more")) }
            }
        }
    }

    /// Renders the number of entries that match.
    fn count(&self) -> Markup {
        let counts = self.entries.counts;
        let count: usize = match self.request.status {
            Some(status) => counts[usize::from(u8::from(status))],
            None => counts.iter().sum(),
        };
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let text = self.l10n.format("list-count", [("count", count.into())]);
        html! { p #(COUNT) .hint role="status" { (text) } }
    }

    /// Renders the links to the entries with each status. Statuses without entries come last.
    fn tabs(&self) -> Markup {
        let l10n = self.l10n;
        let counts = self.entries.counts;
        let statuses = WatchStatus::ALL.iter().map(|(status, _)| *status);
        let tabs = statuses
            .zip(counts)
            .map(|(status, count)| (Some(status), l10n.watch_status(status), count));
        let (used, unused): (Vec<_>, Vec<_>) = tabs.partition(|(_, _, count)| *count > 0);
        let tabs = used.into_iter().chain(unused);
        let all = (None, l10n.text("list-all"), counts.iter().sum());
        html! {
            nav #(TABS) .tabs aria-label=(l10n.text("list-statuses")) {
                ul {
                    @for (status, text, count) in std::iter::once(all).chain(tabs) {
                        li {
                            a href=(self.request.with_status(status).address(LIST))
                                aria-current=[(status == self.request.status).then_some("page")] {
                                (text) " " span.count { (l10n.number(u32::try_from(count).unwrap_or(u32::MAX))) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the form that filters and sorts.
    fn filters(&self) -> Markup {
        let (l10n, request) = (self.l10n, self.request);
        html! {
            form role="search" aria-label=(l10n.text("list-filters")) action=(LIST)
                data-live=(RESULTS) {
                @if let Some(status) = request.status {
                    input type="hidden" name="status" value=(u8::from(status));
                }
                details.filters open[request.has_filter()] {
                    summary { (Icon::Filter) (l10n.text("list-filters")) }
                    div.fields {
                        div.field {
                            label for="search" { (l10n.text("list-search")) }
                            input #search type="search" name="search" value=(request.text) maxlength="500";
                        }
                        div.field {
                            label for="genre" { (l10n.text("list-genre")) }
                            select #genre name="genre" {
                                option value="" { (l10n.text("list-all-genres")) }
                                @for genre in &self.entries.genres {
                                    option value=(genre) selected[*genre == request.genre] { (l10n.genre(genre)) }
                                }
                            }
                        }
                        div.field {
                            label for="sort" { (l10n.text("list-sort")) }
                            select #sort name="sort" {
                                @for (sort, name) in SortOrder::ALL {
                                    option value=(name) selected[sort == request.sort] { (sort_text(l10n, sort)) }
                                }
                            }
                        }
                        label.choice {
                            input type="checkbox" name=(VIEW) value=(COMPACT) checked[request.is_compact];
                            (l10n.text("list-compact"))
                        }
                        div.field.actions {
                            button.secondary type="submit" { (Icon::Filter) (l10n.text("list-apply")) }
                            @if request.has_filter() {
                                a.row href=(request.without_filter().address(LIST)) { (l10n.text("list-clear")) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn entry(&self, entry: &StoryEntry, back: &ReturnPage) -> Markup {
        let (l10n, story, anime) = (self.l10n, &entry.story, entry.anime.as_deref());
        let id = story.anime_id;
        if self.request.edited == Some(id) {
            return html! {
                h2 { (self.title(anime)) }
                (StoryForm {
                    l10n,
                    csrf: self.csrf,
                    key: &key(entry),
                    back,
                    filled: &StoryFormTexts::of(Some(&story.state), l10n),
                    anime,
                    errors: None,
                })
            };
        }
        let (title, title_id) = (self.title(anime), format!("title-{}", id.get()));
        // The text of the key has a digest, so it is computed once.
        let key = key(entry);
        let episodes = anime.map_or(0, |anime| anime.episodes_count);
        // An anime that is no longer in the catalogue has no next episode.
        let next = anime
            .and_then(|anime| next_episode(Some(&story.state), anime.episodes_count, anime.status));
        html! {
            @match anime {
                Some(anime) => (self.renderer.cover(anime)),
                None => span.cover { (Icon::Image) },
            }
            (selection_view::checkbox(&key, &title_id))
            div {
                h2 id=(title_id) { a href={ (ANIME) "/" (id.get()) } { (title) } }
                p.meta {
                    @if self.request.status.is_none() { span { (l10n.watch_status(story.state.status)) } }
                    (self.score(entry, &key, &title_id))
                    @if story.state.details.private { span { (Icon::Lock) (l10n.text("story-private-short")) } }
                    @if let Some(day) = entry.airing_day() {
                        span { (Icon::Calendar) (l10n.weekday(day)) }
                    }
                }
                (progress(l10n, story.state.progress(), episodes))
            }
            div.actions {
                @if let Some(next) = next {
                    button type="submit" form=(NEXT_FORM) name=(ENTRY) value=(key.text())
                        aria-describedby=(title_id) {
                        (Icon::Next)
                        (l10n.format("list-next", [("number", next.progress().into())]))
                    }
                }
                a.row href={ (self.request.with_edited(Some(id)).address(LIST)) "#entry-" (id.get()) }
                    aria-describedby=(title_id) {
                    (Icon::Edit) (l10n.text("list-edit"))
                }
            }
        }
    }

    /// Renders an entry in one line, without the cover.
    fn compact_entry(&self, entry: &StoryEntry) -> Markup {
        let (l10n, story, anime) = (self.l10n, &entry.story, entry.anime.as_deref());
        let (title_id, key) = (format!("title-{}", story.anime_id.get()), key(entry));
        let watched = story.state.progress();
        let next = anime
            .and_then(|anime| next_episode(Some(&story.state), anime.episodes_count, anime.status));
        html! {
            (selection_view::checkbox(&key, &title_id))
            h2 id=(title_id) { a href={ (ANIME) "/" (story.anime_id.get()) } { (self.title(anime)) } }
            p.meta {
                @if let Some(score) = story.state.details.score {
                    span.score {
                        (Icon::Star)
                        span.unseen { (l10n.text("story-score")) " " }
                        (l10n.score(score))
                    }
                }
                @match anime.map_or(0, |anime| anime.episodes_count) {
                    0 => (l10n.format("list-progress-unknown", [("watched", watched.into())])),
                    all => (l10n.format("list-progress-short", [("watched", watched.into()), ("all", all.into())])),
                }
            }
            @if let Some(next) = next {
                button.secondary type="submit" form=(NEXT_FORM) name=(ENTRY) value=(key.text())
                    aria-describedby=(title_id) {
                    (Icon::Next)
                    span.unseen { (l10n.format("list-next", [("number", next.progress().into())])) }
                }
            }
        }
    }

    /// Renders the control that sets the score of an entry.
    fn score(&self, entry: &StoryEntry, key: &StoryKey, title_id: &str) -> Markup {
        let control = ScoreControl {
            l10n: self.l10n,
            key,
            score: entry.story.state.details.score,
            title_id,
        };
        control.render()
    }

    /// Renders the title of an anime.
    fn title(&self, anime: Option<&Anime>) -> Markup {
        html! {
            @match anime {
                Some(anime) => (self.renderer.title_markup(anime)),
                None => (self.l10n.text("story-unknown-anime")),
            }
        }
    }

    /// Renders the links to other pages.
    fn pages(&self) -> Markup {
        let (page, last) = (self.entries.page, self.entries.pages);
        let address = |page| self.request.with_page(page).address(LIST);
        page_links(self.l10n, page, last, address)
    }
}

fn key(entry: &StoryEntry) -> StoryKey {
    StoryKey::of(entry.story.anime_id, Some(&entry.story.state))
}

fn sort_text(l10n: &Localizer, sort: SortOrder) -> String {
    l10n.text(match sort {
        SortOrder::Changed => "list-sort-changed",
        SortOrder::Title => "form-title",
        SortOrder::Score => "story-score",
        SortOrder::Progress => "list-sort-progress",
        SortOrder::Started => "list-sort-started",
        SortOrder::Finished => "list-sort-finished",
        SortOrder::Airing => "list-sort-airing",
    })
}
