//! The rendering of the list.

use maud::{Markup, html};
use page_parts::story::{
    ListRequest, ListView, NEXT_FORM, ReturnPage, SCORE_FORM, SortOrder, StoryFormOutcome,
    StoryNotice, VIEW, hidden_fields, quick_actions, quick_form, score_form,
};
use pages::anime_card::{AnimeRenderer, CardParts};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::layout::page_links;
use pages::paths::{ANIME, HISTORY, LIST, LIST_NEXT, WELCOME};
use pages::seal::{STATUSES, seal};
use shared::models::Weekday;

use super::entries::{EntriesPage, PER_PAGE, StoryEntry};
use super::filters::{Filters, INDEX, RESULTS, sort_options};
use super::row::{self, RowRenderer};
use super::selection_outcome::SelectionOutcome;
use super::selection_view::{self, SelectionNotice};
use crate::players::questions_notice;
use crate::story::changed::counts_text;

/// The identifier of the number of entries, which the script replaces after a change.
const COUNT: &str = "list-count";

/// The views, each with the identifier of its name and the path of its icon.
const VIEWS: [(ListView, &str, &str); 3] = [
    (ListView::Rows, "list-view-rows", "M4 6h16M4 12h16M4 18h16"),
    (
        ListView::Compact,
        "list-view-compact",
        "M4 5h16M4 9h16M4 13h16M4 17h16M4 21h16",
    ),
    (
        ListView::Covers,
        "list-view-covers",
        "M4 4h6v7H4zM14 4h6v7h-6zM4 14h6v6H4zM14 14h6v6h-6z",
    ),
];

/// Everything that the page shows.
pub(super) struct ListPage<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// Renders covers and titles.
    pub renderer: AnimeRenderer<'a>,
    /// The CSRF token.
    pub csrf: &'a str,
    /// The request, with the status and the view that apply.
    pub request: &'a ListRequest,
    /// The entries.
    pub entries: &'a EntriesPage,
    /// The number of series of players that wait for an answer.
    pub questions: usize,
    /// The change that the previous form has made.
    pub done: Option<StoryFormOutcome>,
    /// The outcome of the previous form about selected entries.
    pub selection: Option<SelectionOutcome>,
    /// The present day of the week.
    pub today: Weekday,
}

impl ListPage<'_> {
    /// Returns the title of the browser tab: the status, and what the user searches for.
    pub(super) fn title(&self) -> String {
        let heading = match self.request.status {
            Some(status) => self.l10n.watch_status(status),
            None => self.l10n.text("list-title"),
        };
        match &*self.request.text {
            "" => heading,
            text => format!("{text} – {heading}"),
        }
    }

    /// Renders the content of the page.
    pub(super) fn body(&self) -> Markup {
        let (l10n, entries) = (self.l10n, self.entries);
        let back = self.back();
        html! {
            (self.notice(&back))
            (self.selection_notice(&back))
            (questions_notice(l10n, self.questions))
            @if entries.total == 0 {
                h1 { (l10n.text("list-title")) }
                (self.welcome())
            } @else if let Some(edited) = &entries.edited {
                h1 { (l10n.text("story-edit-title")) }
                (self.rows(&back).form(edited))
            } @else {
                div.desk.lists {
                    div.rail {
                        (self.index())
                        (Filters { l10n, request: self.request, genres: &entries.genres })
                    }
                    // The script replaces this part while the visitor types.
                    div #(RESULTS) { (self.results(&back)) }
                }
            }
        }
    }

    fn results(&self, back: &ReturnPage) -> Markup {
        let (l10n, entries) = (self.l10n, self.entries);
        let has_covers = self.request.view == Some(ListView::Covers);
        let counts = counts_text(&entries.counts);
        let rows = self.rows(back);
        let is_compact = self.request.view == Some(ListView::Compact);
        html! {
            (self.bar())
            @if self.request.is_narrowed() {
                p { a href=(self.request.without_filter().address(LIST)) { (l10n.text("list-clear")) } }
            }
            @if entries.shown.is_empty() {
                p { (l10n.text("list-none")) }
            } @else if has_covers {
                (quick_form(self.csrf, back))
                ol.shelf { @for entry in &entries.shown { (self.card(entry)) } }
            } @else {
                form #(NEXT_FORM) method="post" action=(LIST_NEXT) { (hidden_fields(self.csrf, None, back)) }
                (score_form(self.csrf, back))
                (row::pen_symbol())
                (self.columns())
                ol.ledger.stories.tight[is_compact].choosing[self.request.is_selecting] data-counts=(counts)
                    data-failed=(l10n.text("list-failed")) {
                    @for (number, entry) in ((entries.page - 1) * PER_PAGE + 1..).zip(&entries.shown) {
                        (rows.row(entry, Some(number)))
                    }
                }
                // The Enter key presses this button, also while it is hidden.
                button.button.secondary.unscripted form=(SCORE_FORM) { (l10n.text("score-save")) }
                (selection_view::bar(l10n, self.csrf, back))
            }
            (self.pages())
            @if !has_covers && !entries.shown.is_empty() { (selection_view::shortcuts(l10n)) }
        }
    }

    /// Renders what the change of an entry has changed on the page: the entry unless it has left the list, the notice,
    /// and the numbers of entries if `has_new_counts` is true.
    pub(super) fn part(&self, has_new_counts: bool) -> Markup {
        let back = self.back();
        let is_listed = |entry: &&StoryEntry| {
            let status = self.request.status;
            status.is_none_or(|status| status == entry.story.state.status)
        };
        let entry = self.entries.noticed.as_ref().filter(is_listed);
        html! {
            ol.ledger.stories data-counts=(counts_text(&self.entries.counts)) {
                @if let Some(entry) = entry { (self.rows(&back).row(entry, None)) }
            }
            (self.notice(&back))
            @if has_new_counts {
                (self.index())
                (self.count())
            }
        }
    }

    fn back(&self) -> ReturnPage {
        ReturnPage::List(self.request.with_edited(None))
    }

    fn rows<'v>(&'v self, back: &'v ReturnPage) -> RowRenderer<'v> {
        RowRenderer {
            l10n: self.l10n,
            renderer: self.renderer,
            csrf: self.csrf,
            request: self.request,
            back,
            today: self.today,
        }
    }

    /// Renders the notice about the change that the previous form has made.
    fn notice(&self, back: &ReturnPage) -> Markup {
        let entry = self.entries.noticed.as_ref();
        let title = entry.map(|entry| row::title(self.renderer, entry.anime.as_deref()));
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
            div.acts {
                a.button href=(ANIME) { (l10n.text("browse-title")) }
                a href=(HISTORY) { (l10n.text("list-import")) }
                a href=(WELCOME) { (l10n.text("welcome-more")) }
            }
        }
    }

    /// Renders the links to the entries with each status.
    fn index(&self) -> Markup {
        let (l10n, counts) = (self.l10n, self.entries.counts);
        let statuses = STATUSES.map(|status| {
            let count = counts[usize::from(u8::from(status))];
            (Some(status), l10n.watch_status(status), count)
        });
        let all = (None, l10n.text("list-all"), counts.iter().sum());
        html! {
            nav #(INDEX) .index aria-label=(l10n.text("list-statuses")) {
                ul {
                    @for (status, text, count) in std::iter::once(all).chain(statuses) {
                        li {
                            a href=(self.request.with_status(status).address(LIST))
                                aria-current=[(status == self.request.status).then_some("page")] {
                                (seal(status)) (text) " "
                                span.num { (l10n.number(u32::try_from(count).unwrap_or(u32::MAX))) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the heading with the number of entries that match, the views, and the orders.
    fn bar(&self) -> Markup {
        let (l10n, request) = (self.l10n, self.request);
        let heading = match request.status {
            Some(status) => l10n.watch_status(status),
            None => l10n.text("list-all"),
        };
        let is_selecting = request.is_selecting;
        html! {
            div.bar {
                h1 { (heading) " " (self.count()) }
                nav.views aria-label=(l10n.text("list-view")) {
                    @for (view, name, icon) in VIEWS {
                        @let name = l10n.text(name);
                        a href=(address_of_view(request, view)) aria-label=(name) title=(name)
                            aria-current=[(view == request.view.unwrap_or_default()).then_some("true")] {
                            svg.icon viewBox="0 0 24 24" aria-hidden="true" { path d=(icon) {} }
                        }
                    }
                }
                div.tools {
                    @if request.view != Some(ListView::Covers) {
                        a href=(request.with_selection(!is_selecting).address(LIST)) {
                            (Icon::Check)
                            (l10n.text(if is_selecting { "list-select-end" } else { "list-select" }))
                        }
                    }
                    (self.orders())
                }
            }
        }
    }

    /// Renders the choice of the order, and the link that reverses it.
    fn orders(&self) -> Markup {
        let (l10n, request) = (self.l10n, self.request);
        let others = request.with_page(1).parameters();
        let others = others
            .into_iter()
            .filter(|(name, _)| !["sort", "order"].contains(name));
        html! {
            form.orders action=(LIST) data-sends {
                @for (name, value) in others { input type="hidden" name=(name) value=(value); }
                label { (l10n.text("list-sort")) " " select name="sort" { (sort_options(l10n, request.sort)) } }
                button.button.secondary.unscripted { (l10n.text("list-apply")) }
                a href=(request.with_sort(request.sort).address(LIST)) title=(l10n.text("list-reverse"))
                    aria-label=(l10n.text("list-reverse")) { (arrow(request.is_reversed)) }
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
        html! { small #(COUNT) role="status" { (text) } }
    }

    /// Renders the heads of the columns. Those that sort are links.
    fn columns(&self) -> Markup {
        let (l10n, request) = (self.l10n, self.request);
        let is_compact = request.view == Some(ListView::Compact);
        let link = |sort: SortOrder, text: &str, class: Option<&str>| {
            let is_current = sort == request.sort;
            html! {
                a class=[class] href=(request.with_sort(sort).address(LIST))
                    aria-current=[is_current.then_some("true")] {
                    (l10n.text(text))
                    @if is_current {
                        (arrow(request.is_reversed))
                        span.unseen { ", " (l10n.text(direction_text(request))) }
                    }
                }
            }
        };
        html! {
            div.ledger-head.tight[is_compact] {
                span {}
                @if !is_compact { span {} }
                (link(SortOrder::Title, "form-title", None))
                @if request.status.is_none() {
                    span { (l10n.text("story-status")) }
                } @else {
                    (link(SortOrder::Airing, "list-next-column", None))
                }
                span { (l10n.text("list-release")) }
                (link(SortOrder::Progress, "list-sort-progress", None))
                (link(SortOrder::Score, "story-score", Some("r")))
            }
        }
    }

    /// Renders an entry as a card.
    fn card(&self, entry: &StoryEntry) -> Markup {
        let (l10n, state) = (self.l10n, &entry.story.state);
        let Some(anime) = entry.anime.as_deref() else {
            return html! { li.card { (l10n.text("story-unknown-anime")) } };
        };
        let title = self.renderer.title(anime);
        let parts = CardParts {
            status: self.request.status.is_none().then_some(state.status),
            tally: Some(row::tally(entry)),
            line: Some(row::figures(l10n, state.progress(), anime.episodes_count)),
            actions: Some(quick_actions(l10n, &row::key(entry), &title)),
        };
        self.renderer.card(anime, parts)
    }

    /// Renders the links to other pages.
    fn pages(&self) -> Markup {
        let (page, last) = (self.entries.page, self.entries.pages);
        let address = |page| self.request.with_page(page).address(LIST);
        page_links(self.l10n, page, last, address)
    }
}

/// Returns the address of the page in another view. The address of the default view names it, too, because the view
/// that was chosen last applies otherwise.
fn address_of_view(request: &ListRequest, view: ListView) -> String {
    let request = request.with_view(view).with_selection(false);
    let address = request.address(LIST);
    if view == ListView::default() {
        let separator = if address.contains('?') { '&' } else { '?' };
        format!("{address}{separator}{VIEW}={}", view.name())
    } else {
        address
    }
}

/// Renders the arrow of the present order.
fn arrow(is_reversed: bool) -> Markup {
    let path = if is_reversed {
        "M12 18V5M7 10l5-5 5 5"
    } else {
        "M12 5v13M7 13l5 5 5-5"
    };
    html! { svg.icon viewBox="0 0 24 24" aria-hidden="true" { path d=(path) {} } }
}

/// Returns the identifier of the name of the present direction.
fn direction_text(request: &ListRequest) -> &'static str {
    if (request.sort == SortOrder::Title) == request.is_reversed {
        "list-descending"
    } else {
        "list-ascending"
    }
}
