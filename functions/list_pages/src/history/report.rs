//! Rendering of the report of an import.

use maud::{Markup, html};
use pages::language::Localizer;
use pages::paths::ANIME;
use pages::seal::sealed;
use stories::list_files::{ImportReport, ReportedStory};

/// The maximum number of entries that each list on the page shows. The page then stays below 70,000 bytes with usual
/// titles, without a kept file.
const MAX_SHOWN_ENTRIES: usize = 100;

/// The maximum length of a title on the page, in characters.
const MAX_TITLE_CHARACTERS: usize = 100;

/// Renders the numbers of a report.
pub(super) fn render_numbers(l10n: &Localizer, report: &ImportReport) -> Markup {
    let counts = report.counts;
    let numbers = [
        ("report-count-new", counts.added),
        ("report-count-changed", counts.changed),
        ("report-count-unchanged", counts.unchanged),
        ("report-count-repeated", counts.duplicates),
        ("report-count-skipped", counts.skipped),
        ("report-count-waiting", counts.waiting),
        ("report-count-proposals", counts.proposals),
    ];
    let numbers = numbers.iter().filter(|(_, count)| *count > 0);
    let read = [
        ("format", report.format.into()),
        ("count", counts.entries.into()),
    ];
    html! {
        section aria-labelledby="entries" {
            h2 #entries { (l10n.text("report-entries")) }
            p { (l10n.format("report-file", read)) }
            ul.counts {
                @for (id, count) in numbers {
                    li { strong { (number(l10n, *count)) } " " (l10n.format(id, [("count", (*count).into())])) }
                }
            }
            @for one in &report.remarks { p { (remark(l10n, one)) } }
        }
    }
}

/// Renders the lists of a report.
pub(super) fn render_lists(l10n: &Localizer, report: &ImportReport) -> Markup {
    let counts = report.counts;
    let skipped = report.skipped.iter().map(|entry| {
        let (position, reason) = (entry.position, l10n.translate(&entry.reason));
        let parts = [("position", position.into()), ("reason", reason.into())];
        let reason = l10n.format("report-skipped-entry", parts);
        entry_line(l10n, entry.title.as_deref(), position, &reason)
    });
    let waiting = report.waiting.iter().map(|entry| {
        let known = [("AniList", entry.anilist_id), ("MyAnimeList", entry.mal_id)];
        let ids = known.into_iter();
        let ids = ids.filter_map(|(name, id)| id.map(|id| format!("{name} {id}")));
        let ids: Vec<String> = ids.collect();
        entry_line(
            l10n,
            entry.title.as_deref(),
            entry.position,
            &ids.join(", "),
        )
    });
    let proposed = report.proposals.iter().map(|entry| {
        let candidates = entry.candidates.iter();
        let titles = candidates.filter_map(|one| {
            let title = shorten_title(one.title.as_deref()?);
            Some(match one.anime.season_year {
                Some(year) => format!("{title} ({year})"),
                None => title,
            })
        });
        let titles: Vec<String> = titles.collect();
        let titles = titles.join(&l10n.text("report-separator"));
        entry_line(l10n, entry.title.as_deref(), entry.position, &titles)
    });
    html! {
        (entries_section(
            l10n, "proposals", "report-proposals", "report-proposals-hint", counts.proposals, proposed
        ))
        (entries_section(l10n, "skipped", "report-skipped", "report-skipped-hint", counts.skipped, skipped))
        (entries_section(l10n, "waiting", "report-waiting", "report-waiting-hint", counts.waiting, waiting))
        (stories_section(l10n, "changed", "report-changed", counts.changed, &report.changed))
        (stories_section(l10n, "new", "report-new", counts.added, &report.added))
    }
}

/// The remarks that contain names or values of the file, with the messages that have a variable for them.
const REMARKS: [(&str, &str); 2] = [
    (
        "These fields of the file are not imported: ",
        "report-unknown-fields",
    ),
    (
        "Values that could not be read and were left out of their entries: ",
        "report-unreadable-values",
    ),
];

/// Returns a remark of the report in the language of the page.
fn remark(l10n: &Localizer, remark: &str) -> String {
    let named = REMARKS.iter().find_map(|(start, message)| {
        let names = remark.strip_prefix(start)?.strip_suffix('.')?;
        Some(l10n.format(message, [("names", names.into())]))
    });
    named.unwrap_or_else(|| l10n.translate(remark))
}

/// Renders the first [`MAX_SHOWN_ENTRIES`] entries of a list. `count` is the number of all its entries. If it is 0,
/// renders nothing.
fn entries_section(
    l10n: &Localizer,
    id: &str,
    heading: &str,
    explanation: &str,
    count: usize,
    lines: impl Iterator<Item = Markup>,
) -> Markup {
    html! {
        @if count > 0 {
            section aria-labelledby=(id) {
                h2 id=(id) { (l10n.text(heading)) }
                p { (l10n.text(explanation)) }
                ul.plain {
                    @for line in lines.take(MAX_SHOWN_ENTRIES) { (line) }
                }
                (more(l10n, count))
            }
        }
    }
}

/// Renders the first [`MAX_SHOWN_ENTRIES`] stories of a list as [`entries_section`] does, in a table with their status,
/// progress and score after the import.
fn stories_section(
    l10n: &Localizer,
    id: &str,
    heading: &str,
    count: usize,
    stories: &[ReportedStory],
) -> Markup {
    html! {
        @if count > 0 {
            section aria-labelledby=(id) {
                h2 id=(id) { (l10n.text(heading)) }
                div.scrolls {
                    table aria-labelledby=(id) {
                        thead {
                            tr {
                                th scope="col" { (l10n.text("report-title")) }
                                th scope="col" { (l10n.text("report-status")) }
                                th.r scope="col" { (l10n.text("report-progress")) }
                                th.r scope="col" { (l10n.text("report-score")) }
                            }
                        }
                        tbody {
                            @for story in stories.iter().take(MAX_SHOWN_ENTRIES) { (story_row(l10n, story)) }
                        }
                    }
                }
                (more(l10n, count))
            }
        }
    }
}

fn story_row(l10n: &Localizer, story: &ReportedStory) -> Markup {
    let fields = story.fields.iter().map(|field| field_name(l10n, field));
    let remark = story.remark.as_deref().map(|remark| l10n.translate(remark));
    let notes: Vec<String> = fields.chain(remark).collect();
    let notes = notes.join(&l10n.text("report-separator"));
    let state = story.state.as_ref();
    let score = state.and_then(|state| state.details.score);
    html! {
        tr {
            td {
                a href={ (ANIME) "/" (story.anime_id.get()) } {
                    (entry_title(l10n, story.title.as_deref(), story.position))
                }
                @if !notes.is_empty() { br; small { (notes) } }
            }
            td { @if let Some(state) = state { (sealed(l10n, state.status)) } }
            td.r { @if let Some(state) = state { (l10n.number(state.progress())) } }
            td.r { @if let Some(score) = score { (l10n.score(score)) } @else { "–" } }
        }
    }
}

/// Renders how many entries a list does not show.
fn more(l10n: &Localizer, count: usize) -> Markup {
    html! {
        @if count > MAX_SHOWN_ENTRIES {
            p { (l10n.format("report-more", [("count", (count - MAX_SHOWN_ENTRIES).into())])) }
        }
    }
}

/// Renders an entry.
fn entry_line(l10n: &Localizer, title: Option<&str>, position: usize, notes: &str) -> Markup {
    html! {
        li {
            (entry_title(l10n, title, position))
            @if !notes.is_empty() { br; small { (notes) } }
        }
    }
}

/// Returns the name of an entry. An entry without a title is named by its position in the file.
fn entry_title(l10n: &Localizer, title: Option<&str>, position: usize) -> String {
    title.map_or_else(
        || l10n.format("report-entry", [("position", position.into())]),
        shorten_title,
    )
}

/// Returns the beginning of a title that is longer than [`MAX_TITLE_CHARACTERS`], or the whole title.
fn shorten_title(title: &str) -> String {
    match title.char_indices().nth(MAX_TITLE_CHARACTERS) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

/// Returns the name of a field of a story.
fn field_name(l10n: &Localizer, field: &str) -> String {
    let id = match field {
        "status" => "report-field-status",
        "current_episode" => "report-field-episode",
        "current_episode_ticks" => "report-field-position",
        "score" => "report-field-score",
        "started_on" => "report-field-start",
        "finished_on" => "report-field-end",
        "repeats" => "report-field-repeats",
        "notes" => "report-field-notes",
        "private" => "report-field-privacy",
        field => return field.to_owned(),
    };
    l10n.text(id)
}

fn number(l10n: &Localizer, count: usize) -> String {
    l10n.number(u32::try_from(count).unwrap_or(u32::MAX))
}
