//! Rendering of the report of an import.

use list_files::{ImportReport, ReportedStory};
use maud::{Markup, html};
use shared::grouped;

/// The maximum number of entries that each list on the page shows. The page then stays below 60,000 bytes with usual
/// titles.
const MAX_SHOWN: usize = 100;

/// The maximum length of a title on the page, in characters.
const MAX_TITLE: usize = 100;

/// Renders the numbers and the lists of a report.
pub(super) fn body(report: &ImportReport) -> Markup {
    let counts = report.counts;
    let numbers = [
        ("new", counts.added),
        ("changed", counts.changed),
        ("unchanged", counts.unchanged),
        ("repeated in the file", counts.duplicates),
        ("skipped", counts.skipped),
        ("not in the catalogue", counts.waiting),
    ];
    let numbers = numbers.iter().filter(|(_, count)| *count > 0);
    let skipped = report.skipped.iter().map(|entry| {
        let note = format!("Entry {}: {}", entry.position, entry.reason);
        line(entry.title.as_deref(), entry.position, &note)
    });
    let waiting = report.waiting.iter().map(|entry| {
        let known = [("AniList", entry.anilist_id), ("MyAnimeList", entry.mal_id)];
        let ids = known.into_iter();
        let ids = ids.filter_map(|(name, id)| id.map(|id| format!("{name} {id}")));
        let ids: Vec<String> = ids.collect();
        line(entry.title.as_deref(), entry.position, &ids.join(", "))
    });
    let changed = report.changed.iter().map(story);
    let added = report.added.iter().map(story);
    html! {
        section aria-labelledby="entries" {
            h2 #entries { "Entries" }
            p { "The file is " (report.format) " and has " (number(counts.entries)) " entries:" }
            ul.counts {
                @for (what, count) in numbers {
                    li { strong { (number(*count)) } " " (what) }
                }
            }
            @for remark in &report.remarks { p { (remark) } }
        }
        (list("skipped", "Skipped", "These entries cannot be read.", counts.skipped, skipped))
        (list("waiting", "Not in the catalogue", "Kiroku does not know these anime yet. Entries with an identifier at AniList or MyAnimeList are kept for a year, and added \
         when their anime appears.", counts.waiting, waiting))
        (list("changed", "Changed", "", counts.changed, changed))
        (list("new", "New", "", counts.added, added))
    }
}

/// Renders the first elements of a list. `count` is the number of all elements. Without any, renders nothing.
fn list(
    id: &str,
    heading: &str,
    explanation: &str,
    count: usize,
    lines: impl Iterator<Item = Markup>,
) -> Markup {
    html! {
        @if count > 0 {
            section aria-labelledby=(id) {
                h2 id=(id) { (heading) }
                @if !explanation.is_empty() { p { (explanation) } }
                ul.plain {
                    @for line in lines.take(MAX_SHOWN) { (line) }
                }
                @if count > MAX_SHOWN { p { "And " (number(count - MAX_SHOWN)) " more." } }
            }
        }
    }
}

fn story(story: &ReportedStory) -> Markup {
    let fields = story.fields.iter().map(|field| field_name(field));
    let notes: Vec<&str> = fields.chain(story.remark.as_deref()).collect();
    line(story.title.as_deref(), story.position, &notes.join(", "))
}

/// Renders an entry. One without a title is named by its position in the file.
fn line(title: Option<&str>, position: usize, note: &str) -> Markup {
    html! {
        li {
            @match title {
                Some(title) => (shortened(title)),
                None => { "Entry " (position) },
            }
            @if !note.is_empty() { br; small { (note) } }
        }
    }
}

/// Returns the beginning of a long title.
fn shortened(title: &str) -> String {
    match title.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

/// Returns the name of a field of a story for users.
fn field_name(field: &str) -> &str {
    match field {
        "current_episode" => "episode",
        "current_episode_ticks" => "position in the episode",
        "started_on" => "start date",
        "finished_on" => "end date",
        "repeats" => "rewatches",
        "private" => "privacy",
        field => field,
    }
}

fn number(count: usize) -> String {
    grouped(u64::try_from(count).unwrap_or(u64::MAX))
}
