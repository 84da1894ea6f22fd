//! The filters of the page `/anime`: the form, and the active ones as links that remove them.

use catalogue::index::NameFilter;
use maud::{Markup, html};
use pages::icon::Icon;
use pages::language::{GENRES, Localizer};
use pages::paths::ANIME;
use shared::models::{Score, WireEnum};

use super::query::{
    ADULT_PARAMETER, BrowseQuery, SCORE_PARAMETER, SORT_PARAMETER, Sort, UNLISTED_PARAMETER,
    WITHOUT_PARAMETER,
};

/// The lowest scores that the form offers, from 1 to 100.
const SCORES: [u16; 7] = [50, 60, 70, 75, 80, 85, 90];

/// The parts of the page that the script replaces while the visitor types: the heading, the active filters and the
/// anime.
const LIVE_PARTS: &str = "head wanted results";

/// Renders the form. `has_list` is true for a visitor who is signed in.
pub(super) fn form(l10n: &Localizer, query: &BrowseQuery, has_list: bool) -> Markup {
    html! {
        form.browse #browse role="search" action=(ANIME) data-live=(LIVE_PARTS) {
            div.bar {
                div.search {
                    input #search type="search" name="search" value=(query.search)
                        aria-label=(l10n.text("page-search")) placeholder=(l10n.text("browse-placeholder"))
                        maxlength="500" autocomplete="off";
                    button.button.secondary type="submit" {
                        (Icon::Search) span.unseen { (l10n.text("page-search-button")) }
                    }
                }
                (wanted(l10n, query, has_list))
                details.refine {
                    summary { (Icon::Filter) (l10n.text("browse-filters")) }
                    (fields(l10n, query, has_list))
                }
                div.tools {
                    label for="sort" { (l10n.text("browse-sort")) }
                    (sorts(l10n, query, has_list))
                }
            }
        }
    }
}

fn sorts(l10n: &Localizer, query: &BrowseQuery, has_list: bool) -> Markup {
    let sorts = Sort::ALL.into_iter();
    let sorts = sorts.filter(|(sort, _)| has_list || *sort != Sort::Mine);
    html! {
        select.sel #sort name=(SORT_PARAMETER) {
            @for (sort, name) in sorts {
                option value=(if sort == Sort::default() { "" } else { name }) selected[sort == query.sort] {
                    (l10n.text(match sort {
                        Sort::Best => "browse-sort-best",
                        Sort::Score => "browse-sort-score",
                        Sort::Popularity => "browse-sort-popularity",
                        Sort::Newest => "browse-sort-newest",
                        Sort::Title => "browse-sort-title",
                        Sort::Episodes => "browse-sort-episodes",
                        Sort::Mine => "browse-sort-mine",
                    }))
                }
            }
        }
    }
}

/// Renders the fields that are shown on demand.
fn fields(l10n: &Localizer, query: &BrowseQuery, has_list: bool) -> Markup {
    let filter = &query.filter;
    let formats = choices(|format| Some(l10n.anime_format(format)));
    let statuses = choices(|status| Some(l10n.anime_status(status)));
    let seasons = choices(|season| l10n.season(season));
    let other = query.min_score.filter(|score| !SCORES.contains(score));
    let scores = SCORES.into_iter().chain(other).filter_map(|score| {
        let label = l10n.average_score(Score::new(score.into())?);
        Some((score, label))
    });
    let scores: Vec<_> = scores.collect();
    // A query can have several formats, as in the API. The form offers only one.
    let format = filter.formats.first().map(|format| u8::from(*format));
    let (status, season) = (filter.status.map(u8::from), filter.season.map(u8::from));
    let year = filter.year.map(|year| year.to_string());
    let selected = filter.genres.iter().map(|genre| genre.0.as_str());
    let selected: Vec<&str> = selected.collect();
    let unwanted: Vec<&str> = query.without.iter().map(String::as_str).collect();
    html! {
        div.fields {
            (select(l10n, "formats", "browse-format", &formats, format.map(u16::from)))
            (select(l10n, "status", "browse-status", &statuses, status.map(u16::from)))
            (select(l10n, "season", "browse-season-field", &seasons, season.map(u16::from)))
            label.line {
                (l10n.text("browse-year"))
                input #year name="year" inputmode="numeric" maxlength="4" autocomplete="off" value=[year];
            }
            (select(l10n, SCORE_PARAMETER, "browse-min-score", &scores, query.min_score))
            (names(l10n, "studios", "browse-studio", &filter.studios))
            (names(l10n, "tags", "browse-tag", &filter.tags))
        }
        fieldset.genres {
            legend { (l10n.text("browse-genres")) }
            (genres(l10n, "genres", &selected))
        }
        details open[!unwanted.is_empty()] {
            summary { (l10n.text("browse-exclude")) }
            fieldset.genres {
                legend.unseen { (l10n.text("browse-exclude")) }
                (genres(l10n, WITHOUT_PARAMETER, &unwanted))
            }
        }
        div.genres {
            (flag(l10n, "with_episodes", "browse-with-episodes", filter.with_episodes))
            @if has_list { (flag(l10n, UNLISTED_PARAMETER, "browse-unlisted", query.unlisted)) }
            (flag(l10n, ADULT_PARAMETER, "browse-adult", !filter.exclude_nsfw))
        }
        p.acts { button.button type="submit" { (l10n.text("browse-apply")) } }
    }
}

/// Returns the numbers and names of an enumeration's values that have a name.
fn choices<E: WireEnum + Into<u8>>(name: impl Fn(E) -> Option<String>) -> Vec<(u16, String)> {
    let values = E::ALL.iter().map(|(value, _)| *value);
    let named = values.filter_map(|value| {
        let number: u8 = value.into();
        name(value).map(|name| (number.into(), name))
    });
    named.collect()
}

/// Renders a list of choices, of which at most one is selected.
fn select(
    l10n: &Localizer,
    name: &str,
    label: &str,
    choices: &[(u16, String)],
    selected: Option<u16>,
) -> Markup {
    html! {
        label.line {
            (l10n.text(label))
            select id=(name) name=(name) {
                option value="" { (l10n.text("browse-any")) }
                @for (number, text) in choices {
                    option value=(number) selected[selected == Some(*number)] { (text) }
                }
            }
        }
    }
}

/// Renders a choice of genres: the usual genres, and the other genres of the query.
fn genres(l10n: &Localizer, parameter: &str, selected: &[&str]) -> Markup {
    let usual = || GENRES.iter().map(|(name, _)| *name);
    let others = selected.iter().copied();
    let others = others.filter(|name| usual().all(|usual| usual != *name));
    html! {
        @for name in usual().chain(others) {
            label.choice {
                input type="checkbox" name=(parameter) value=(name) checked[selected.contains(&name)];
                span { (l10n.genre(name)) }
            }
        }
    }
}

/// Renders a field for names, which are separated by commas.
fn names(l10n: &Localizer, name: &str, label: &str, wanted: &[NameFilter]) -> Markup {
    let wanted: Vec<&str> = wanted.iter().map(NameFilter::name).collect();
    html! {
        label.line {
            (l10n.text(label))
            input id=(name) name=(name) maxlength="500" autocomplete="off" value=(wanted.join(", "));
        }
    }
}

fn flag(l10n: &Localizer, name: &str, label: &str, is_set: bool) -> Markup {
    html! {
        label.choice {
            input type="checkbox" name=(name) value="true" checked[is_set];
            span { (l10n.text(label)) }
        }
    }
}

/// An active filter.
struct Chip {
    /// The filter, such as "Studio: Bones".
    text: String,
    /// The part of the text that is struck through, for a genre that is left out.
    struck: Option<String>,
    /// The query without the filter.
    query: String,
}

/// Renders the active filters, each as a link to the list without it, and a link to the list without any. The closed
/// form would hide the filters.
fn wanted(l10n: &Localizer, query: &BrowseQuery, has_list: bool) -> Markup {
    let chips = chips(l10n, query, has_list);
    html! {
        ul.chips #wanted aria-label=(l10n.text("browse-wanted")) {
            @for chip in &chips {
                @let text = match &chip.struck {
                    Some(genre) => l10n.format("browse-without", [("genre", genre.as_str().into())]),
                    None => chip.text.clone(),
                };
                @let label = l10n.format("browse-remove", [("filter", text.as_str().into())]);
                li {
                    a class=(if chip.struck.is_some() { "not" } else { "on" }) href={ (ANIME) (chip.query) }
                        aria-label=(label) {
                        @if let Some(genre) = &chip.struck {
                            span { (l10n.markup("browse-without", [("genre", html! { s { (genre) } })])) }
                        } @else {
                            (text)
                        }
                        (Icon::Close)
                    }
                }
            }
            @if chips.len() > 1 {
                li { a href={ (ANIME) (query.query_of_search()) } { (l10n.text("browse-reset")) } }
            }
        }
    }
}

/// Returns the active filters. The season of a list with a single season is its heading.
fn chips(l10n: &Localizer, query: &BrowseQuery, has_list: bool) -> Vec<Chip> {
    let filter = &query.filter;
    let mut chips = Vec::new();
    let mut add = |text: String, parameter: &str| {
        chips.push(Chip {
            text,
            struck: None,
            query: query.query_with(parameter, []),
        });
    };
    if let Some(status) = filter.status {
        add(l10n.anime_status(status), "status");
    }
    if query.season().is_none() {
        if let Some(season) = filter.season.and_then(|season| l10n.season(season)) {
            add(season, "season");
        }
        if let Some(year) = filter.year {
            add(year.to_string(), "year");
        }
    }
    if let Some(score) = query
        .min_score
        .and_then(|score| Score::new(f64::from(score)))
    {
        let score = l10n.average_score(score);
        add(
            l10n.format("browse-wanted-score", [("score", score.into())]),
            SCORE_PARAMETER,
        );
    }
    if let Some(title) = &filter.title {
        let title = title.as_str().trim().to_owned();
        add(
            l10n.format("browse-wanted-title", [("title", title.into())]),
            "title",
        );
    }
    if filter.with_episodes {
        add(l10n.text("browse-with-episodes"), "with_episodes");
    }
    if query.unlisted && has_list {
        add(l10n.text("browse-unlisted"), UNLISTED_PARAMETER);
    }
    if !filter.exclude_nsfw {
        add(l10n.text("browse-adult"), ADULT_PARAMETER);
    }
    let formats = filter.formats.iter().map(|format| {
        let number = u8::from(*format).to_string();
        (number, l10n.anime_format(*format))
    });
    chips.extend(removable(query, "formats", &formats.collect::<Vec<_>>()));
    let genres = filter.genres.iter().map(|genre| {
        let name = genre.0.clone();
        (name, l10n.genre(&genre.0))
    });
    chips.extend(removable(query, "genres", &genres.collect::<Vec<_>>()));
    for (parameter, message, names) in [
        ("studios", "browse-wanted-studio", &filter.studios),
        ("tags", "browse-wanted-tag", &filter.tags),
    ] {
        let names = names.iter().map(|name| {
            let name = name.name();
            let text = l10n.format(message, [("name", name.into())]);
            (name.to_owned(), text)
        });
        chips.extend(removable(query, parameter, &names.collect::<Vec<_>>()));
    }
    let unwanted = query.without.iter();
    let unwanted: Vec<_> = unwanted
        .map(|name| (name.clone(), l10n.genre(name)))
        .collect();
    let unwanted = removable(query, WITHOUT_PARAMETER, &unwanted);
    chips.extend(unwanted.into_iter().map(|chip| Chip {
        struck: Some(chip.text.clone()),
        ..chip
    }));
    chips
}

/// Returns a chip for each value of a parameter, given the values and their texts.
fn removable(query: &BrowseQuery, parameter: &str, values: &[(String, String)]) -> Vec<Chip> {
    let chips = values.iter().enumerate().map(|(position, (_, text))| {
        let others = values.iter().enumerate();
        let others = others.filter(|(other, _)| *other != position);
        Chip {
            text: text.clone(),
            struck: None,
            query: query.query_with(parameter, others.map(|(_, (value, _))| value.as_str())),
        }
    });
    chips.collect()
}
