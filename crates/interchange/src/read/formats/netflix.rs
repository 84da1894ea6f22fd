//! The viewing history of Netflix: the CSV of a profile or of the whole account. It has titles in the language of the
//! profile and names of episodes, but no identifiers.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use shared::models::PartialDate;

use super::prelude::*;
use crate::dates::{DayOrder, FileDate};
use crate::field::{has_word, normalize};
use crate::values::{quoted, visible_text};

pub const HISTORY: Format = Format::Table(
    ListFormat::Mixed("Netflix viewing history"),
    |table| table.header.len() == 2 && table.has(&["Title", "Date"]),
    read_history,
);

pub const ACTIVITY: Format = Format::Table(
    ListFormat::Mixed("Netflix viewing activity"),
    is_activity,
    read_activity,
);

pub const ARCHIVE: Format = Format::Archive(
    ListFormat::Mixed("Netflix ZIP"),
    |archive| archive.has(ACTIVITY_NAME),
    read_archive,
);

const ACTIVITY_NAME: &str = "ViewingActivity.csv";

/// Videos that start by themselves, trailers, and views that were stopped soon.
const PREVIEWS: &str = "Trailers, previews and views of less than two minutes";

const EARLIER_VIEWS: &str = "Earlier views of the same title";

fn is_activity(table: &TextTable) -> bool {
    table.has(&["Profile Name", "Start Time", "Title"])
}

fn read_history(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    let mut views = Vec::new();
    table.for_each(collector, |row, _| {
        views.push(View::of(row, "Date"));
        Ok(())
    })?;
    add_views(&views, collector)
}

fn read_archive(archive: &Archive, collector: &mut EntryCollector) -> ReadResult {
    let member = archive.member(ACTIVITY_NAME).ok_or_else(wrong_shape)?;
    let text = archive.text(member)?;
    let table = TextTable::read(&text)?;
    if !is_activity(&table) {
        return Err(wrong_shape());
    }
    read_activity(&table, collector)
}

fn read_activity(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    let mut by_profile: BTreeMap<String, Vec<View>> = BTreeMap::new();
    table.for_each(collector, |row, collector| {
        let text = |name: &str| row.cell(name).unwrap_or_default();
        if text("Latest Bookmark") == "Not latest view" {
            return collector.leave_out(EARLIER_VIEWS);
        }
        let is_extra = !text("Supplemental Video Type").is_empty()
            || text("Attributes").contains("Autoplayed: user action: None")
            || text("Title").contains("_hook_")
            || text("Duration").starts_with("00:00:")
            || text("Duration").starts_with("00:01:");
        if is_extra {
            return collector.leave_out(PREVIEWS);
        }
        let profile = text("Profile Name").to_owned();
        let views = by_profile.entry(profile).or_default();
        views.push(View::of(row, "Start Time"));
        Ok(())
    })?;
    // The profiles of an account belong to different people.
    let most = by_profile.iter().max_by_key(|(_, views)| views.len());
    let Some((profile, views)) = most else {
        return Ok(());
    };
    if by_profile.len() > 1 {
        let others = by_profile.keys().filter(|name| *name != profile).take(10);
        collector.remark(format!(
            "The file has several profiles. Only that with the most views was read: {:?}. These were left out: {}. To \
             import another one, remove the rows of all others.",
            visible_text(profile, 40),
            quoted(others, 40)
        ));
    }
    add_views(views, collector)
}

struct View {
    title: String,
    day: Option<FileDate>,
}

impl View {
    fn of(row: &TableRow, time: &str) -> Self {
        let title = row.cell("Title").unwrap_or_default();
        Self {
            // Between the parts, French has a space before the colon, and Japanese has a wide colon.
            title: title.replace('：', ": ").replace(" : ", ": "),
            day: row.cell(time).and_then(FileDate::parse),
        }
    }
}

/// Returns the order of day and month, which depends on the language of the profile. It follows from a part above 12,
/// or from the fact that a history begins with the latest day.
fn find_order(views: &[View]) -> Option<DayOrder> {
    let days: Vec<FileDate> = views.iter().filter_map(|view| view.day).collect();
    let mut proven: Vec<DayOrder> = days.iter().filter_map(|day| day.order()).collect();
    proven.dedup();
    match proven.as_slice() {
        [order] => return Some(*order),
        [] => {}
        _ => return None,
    }
    let is_sorted = |order| {
        let days: Vec<Option<PartialDate>> =
            days.iter().map(|day| day.resolve(Some(order))).collect();
        days.is_sorted_by(|earlier, later| earlier >= later)
    };
    match [DayOrder::DayMonth, DayOrder::MonthDay].map(is_sorted) {
        [true, false] => Some(DayOrder::DayMonth),
        [false, true] => Some(DayOrder::MonthDay),
        _ => None,
    }
}

/// A season of a series, or a movie, with its views.
#[derive(Default)]
struct SeenTitle {
    /// The names of the episodes. A movie has none.
    episodes: BTreeSet<String>,
    first_day: Option<PartialDate>,
}

fn add_views(views: &[View], collector: &mut EntryCollector) -> ReadResult {
    let order = find_order(views);
    let mut days = views.iter().filter_map(|view| view.day);
    if order.is_none() && days.any(FileDate::needs_order) {
        collector.remark(
            "The dates do not tell whether the day or the month is first, so only the years were taken.",
        );
    }
    let titles: BTreeSet<&str> = views.iter().map(|view| view.title.as_str()).collect();
    let mut seen: IndexMap<(String, Option<u16>, bool), SeenTitle> = IndexMap::default();
    for view in views {
        collector.check_cancelled()?;
        let part = TitleParts::of(&view.title, &titles);
        let key = (part.title, part.season, part.episode.is_none());
        let entry = seen.entry(key).or_default();
        if let Some(episode) = part.episode {
            entry.episodes.insert(episode);
        }
        let day = view.day.and_then(|day| day.resolve(order));
        let days = [entry.first_day, day].into_iter().flatten();
        entry.first_day = days.min();
    }
    for ((title, season, is_movie), entry) in seen {
        let mut draft = EntryDraft {
            season,
            ..EntryDraft::default()
        };
        draft.set(EntryField::Title, Some(title));
        let day = entry.first_day.map(|day| day.to_string());
        if is_movie {
            draft.format = Some(AnimeFormat::Movie);
            draft.status = Some(WatchStatus::Completed);
            draft.set(EntryField::CurrentEpisode, Some("1"));
            draft.set(EntryField::FinishedOn, day);
        } else {
            // If all episodes have numbers, the last one counts. Most have names, which are counted.
            let numbers = entry.episodes.iter().map(|name| episode_number(name));
            let numbers: Option<BTreeSet<u32>> = numbers.collect();
            let last = numbers.and_then(|numbers| numbers.last().copied());
            let episode = last.or(u32::try_from(entry.episodes.len()).ok());
            draft.status = Some(WatchStatus::Current);
            draft.set_number(EntryField::CurrentEpisode, episode);
            draft.set(EntryField::StartedOn, day);
        }
        collector.add(&draft)?;
    }
    Ok(())
}

/// The parts of a title: `Series: Season 1: Name of the episode`, or the title of a movie.
struct TitleParts {
    title: String,
    season: Option<u16>,
    episode: Option<String>,
}

impl TitleParts {
    /// Returns the parts of a title. `titles` are all titles of the file: without a season, a title names a series if
    /// another title begins with the same parts.
    fn of(text: &str, titles: &BTreeSet<&str>) -> Self {
        let parts: Vec<&str> = text.split(": ").collect();
        let part = |title: &[&str], season, episode: &[&str]| Self {
            title: title.join(": "),
            season,
            episode: Some(episode.join(": ")),
        };
        for (index, word) in parts.iter().enumerate().skip(1) {
            if let Some(season) = season_number(word) {
                return part(&parts[..index], Some(season), &parts[index + 1..]);
            }
        }
        if let [title @ .., episode] = parts.as_slice()
            && !title.is_empty()
        {
            let beginning = format!("{}: ", title.join(": "));
            let others = titles.range(beginning.as_str()..);
            let others = others.take_while(|other| other.starts_with(&beginning));
            let count = others.take(2).count();
            if episode_number(episode).is_some() || title.len() > 1 && count > 1 {
                return part(title, None, &[*episode]);
            }
        }
        Self {
            title: text.to_owned(),
            season: None,
            episode: None,
        }
    }
}

/// Returns the number of a season such as `Season 1`, `1. Staffel` or `シーズン1`.
fn season_number(text: &str) -> Option<u16> {
    const WORDS: &str = "season staffel saison temporada stagione seizoen sezon säsong sæson sesong kausi series \
        part teil partie parte volume vol book buch livre libro シーズン 시즌 第季";
    match normalize(text).as_str() {
        "limitedseries" | "miniserie" | "miniseries" => Some(1),
        _ => worded_number(text, WORDS).and_then(|number| u16::try_from(number).ok()),
    }
}

/// Returns the number of an episode such as `Episode 3`, `Folge 3`, `第3話` or `Name (Episode 3)`.
fn episode_number(text: &str) -> Option<u32> {
    const WORDS: &str = "episode ep folge épisode episodio episódio aflevering odcinek avsnitt chapter kapitel \
        chapitre capítulo エピソード 第話 第集 화";
    let start = text.strip_suffix(')');
    let inner = start.and_then(|text| text.rsplit_once('('));
    let inner = inner.and_then(|(_, inner)| worded_number(inner, WORDS));
    inner.or_else(|| worded_number(text, WORDS))
}

/// Returns the number in a text that consists of a number and one of these words, which are separated by spaces.
fn worded_number(text: &str, words: &str) -> Option<u32> {
    let text = normalize(text);
    let (digits, word): (String, String) = text.chars().partition(char::is_ascii_digit);
    let is_together = text.contains(&digits);
    let number = digits.parse().ok();
    number.filter(|_| is_together && has_word(words, &word))
}

#[cfg(test)]
mod tests {
    use shared::models::AnimeFormat;

    use super::{episode_number, season_number};
    use crate::read::formats::tests::list;

    #[test]
    fn seasons_and_episodes_are_read_in_several_languages() {
        let texts = "Season 2|Staffel 2|2. Staffel|シーズン2|第 2 季|Temporada 2";
        for text in texts.split('|') {
            assert_eq!(season_number(text), Some(2), "{text}");
        }
        assert_eq!(season_number("Limited Series"), Some(1));
        assert_eq!(season_number("Book 2"), Some(2));
        for text in ["Season of Snow", "2", "Part of 2 Worlds", "Season 2 of 3"] {
            assert_eq!(season_number(text), None, "{text}");
        }
        for text in ["Episode 3", "Folge 3", "第3話", "The End (Episode 3)"] {
            assert_eq!(episode_number(text), Some(3), "{text}");
        }
        assert_eq!(episode_number("3 Days"), None);
    }

    #[test]
    fn history_counts_episodes() {
        let file = list(
            "\"Title\",\"Date\"\n\
             \"Kumo.\",\"12/24/25\"\n\
             \"Hoshi: Season 1: Episode 3\",\"1/25/26\"\n\
             \"Hoshi: Season 1: Episode 2\",\"1/24/26\"\n\
             \"Umi: Season 2: Rain\",\"1/7/26\"\n\
             \"Umi: Season 2: Snow\",\"1/6/26\"\n\
             \"Umi: Season 2: Snow\",\"1/5/26\"\n\
             \"Mori: Night: One\",\"1/4/26\"\n\
             \"Mori: Night: Two\",\"1/3/26\"\n\
             \"Yama: The Movie\",\"1/2/26\"\n",
        );
        assert_eq!(file.format.title(), "Netflix viewing history");
        file.assert_entries(&[
            "\"Kumo.\" COMPLETED 1 2025-12-24",
            "\"Hoshi\" season 1 CURRENT 3 2026-01-24",
            "\"Umi\" season 2 CURRENT 2 2026-01-05",
            "\"Mori: Night\" CURRENT 2 2026-01-03",
            "\"Yama: The Movie\" COMPLETED 1 2026-01-02",
        ]);
        assert_eq!(file.entries[0].format, Some(AnimeFormat::Movie));
    }

    #[test]
    fn order_of_the_rows_tells_that_of_day_and_month() {
        let file = list("Title,Date\nKumo,03/04/2026\nHoshi,02/05/2026\n");
        file.assert_entries(&[
            "\"Kumo\" COMPLETED 1 2026-03-04",
            "\"Hoshi\" COMPLETED 1 2026-02-05",
        ]);
        let file = list("Title,Date\nKumo,03/04/2026\n");
        file.assert_entries(&["\"Kumo\" COMPLETED 1 2026"]);
        assert_eq!(file.remarks.len(), 1);
        let file = list("Title,Date\nKumo : Saison 1 : Épisode 3,26/01/2026\n");
        file.assert_entries(&["\"Kumo\" season 1 CURRENT 3 2026-01-26"]);
        let file = list("Title,Date\nKumo,03.04.26\n");
        file.assert_entries(&["\"Kumo\" COMPLETED 1 2026-04-03"]);
    }

    #[test]
    fn activity_has_previews_and_profiles() {
        let file = list(
            "Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,\
             Latest Bookmark,Country\n\
             x,2026-01-25 20:00:00,00:23:10,,Hoshi: Season 1: Rain (Episode 3),,TV,00:23:10,00:23:10,DE\n\
             x,2026-01-24 20:00:00,00:23:10,,Hoshi: Season 1: Snow (Episode 2),,TV,00:23:10,Not latest view,DE\n\
             x,2026-01-25 19:00:00,00:00:30,Autoplayed: user action: None; ,Kumo: Season 1: One,,TV,0,0,DE\n\
             x,2026-01-25 18:00:00,00:02:30,,Trailer: Umi,TRAILER,TV,00:01:30,00:01:30,DE\n\
             x,2026-01-23 18:00:00,01:40:00,,Yama,,TV,01:40:00,01:40:00,DE\n\
             guest,2026-01-20 18:00:00,01:40:00,,Mori,,TV,01:40:00,01:40:00,DE\n",
        );
        file.assert_entries(&[
            "\"Hoshi\" season 1 CURRENT 3 2026-01-25",
            "\"Yama\" COMPLETED 1 2026-01-23",
        ]);
        assert!(file.remarks[0].contains("was read: \"x\". These were left out: \"guest\"."));
    }
}
