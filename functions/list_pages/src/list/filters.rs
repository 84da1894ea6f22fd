//! The rendering of the form that filters the list.

use maud::{Markup, Render, html};
use page_parts::story::{ListRequest, SortOrder};
use pages::icon::Icon;
use pages::language::Localizer;
use pages::paths::LIST;
use shared::models::{AnimeFormat, Season, WireEnum};

/// The identifier of the links to the statuses, which the script replaces after a change and while the visitor types.
pub(super) const INDEX: &str = "list-statuses";

/// The identifier of the part of the page that depends on the filters.
pub(super) const RESULTS: &str = "entries";

/// The form that filters the list.
pub(super) struct Filters<'a> {
    /// The language.
    pub l10n: &'a Localizer,
    /// The present request.
    pub request: &'a ListRequest,
    /// The genres of all entries, by name.
    pub genres: &'a [String],
}

impl Render for Filters<'_> {
    fn render(&self) -> Markup {
        let (l10n, request) = (self.l10n, self.request);
        // The parts of the request without a field in the form stay as they are.
        let kept = ListRequest {
            text: String::new(),
            ..request.without_filter()
        };
        let kept = kept.parameters();
        let kept = kept.into_iter().filter(|(name, _)| *name != "sort");
        html! {
            details.filters open[request.has_filter()] {
                summary { (Icon::Filter) (l10n.text("list-filters")) }
                form role="search" aria-label=(l10n.text("list-filters")) action=(LIST)
                    data-live={ (RESULTS) " " (INDEX) } {
                    @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
                    label.line { (l10n.text("list-search"))
                        input #search type="search" name="search" value=(request.text) maxlength="500"
                            placeholder=(l10n.text("list-search-hint"));
                    }
                    label.line.phone { (l10n.text("list-sort"))
                        select name="sort" { (sort_options(l10n, request.sort)) }
                    }
                    label.line { (l10n.text("list-format"))
                        select name="format" { (self.formats()) }
                    }
                    label.line { (l10n.text("list-season"))
                        select name="season" { (self.seasons()) }
                    }
                    label.line { (l10n.text("list-year"))
                        input name="year" inputmode="numeric" maxlength="4" autocomplete="off"
                            value=(request.year.map(|year| year.to_string()).unwrap_or_default());
                    }
                    label.line { (l10n.text("list-genre"))
                        select name="genre" { (self.genres()) }
                    }
                    label.line { (l10n.text("list-score-from"))
                        input name="score" inputmode="decimal" maxlength="8" autocomplete="off"
                            value=(request.score);
                    }
                    button.button.secondary.unscripted type="submit" { (l10n.text("list-apply")) }
                }
            }
        }
    }
}

impl Filters<'_> {
    fn formats(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            option value="" { (l10n.text("list-any")) }
            @for (format, _) in AnimeFormat::ALL {
                option value=(u8::from(*format)) selected[self.request.format == Some(*format)] {
                    (l10n.anime_format(*format))
                }
            }
        }
    }

    fn seasons(&self) -> Markup {
        let l10n = self.l10n;
        html! {
            option value="" { (l10n.text("list-any")) }
            @for (season, _) in Season::ALL {
                @if let Some(name) = l10n.season(*season) {
                    option value=(u8::from(*season)) selected[self.request.season == Some(*season)] { (name) }
                }
            }
        }
    }

    fn genres(&self) -> Markup {
        html! {
            option value="" { (self.l10n.text("list-all-genres")) }
            @for genre in self.genres {
                option value=(genre) selected[*genre == self.request.genre] { (self.l10n.genre(genre)) }
            }
        }
    }
}

/// Renders the orders as options of a choice.
pub(super) fn sort_options(l10n: &Localizer, present: SortOrder) -> Markup {
    html! {
        @for (sort, name) in SortOrder::ALL {
            option value=(name) selected[sort == present] { (l10n.text(sort_text(sort))) }
        }
    }
}

fn sort_text(sort: SortOrder) -> &'static str {
    match sort {
        SortOrder::Changed => "list-sort-changed",
        SortOrder::Title => "form-title",
        SortOrder::Score => "story-score",
        SortOrder::Progress => "list-sort-progress",
        SortOrder::Started => "list-sort-started",
        SortOrder::Finished => "list-sort-finished",
        SortOrder::Airing => "list-sort-airing",
    }
}
