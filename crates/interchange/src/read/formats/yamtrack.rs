//! The CSV of Yamtrack and of its successor Floppy.
//!
//! An identifier counts only together with the source and the kind of its row, because a series, a movie, a manga and
//! an anime can have the same number. Each viewing of a work is a row of its own.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use shared::models::StatedId;

use super::prelude::*;
use crate::values::parse_title;

pub const FORMAT: Format = Format::Table(
    ListFormat::Mixed("Yamtrack CSV"),
    |table| table.has(&["media_id", "source", "media_type"]),
    read,
);

const STATUSES: &StatusNumbers = &[
    ("In progress", WatchStatus::Current),
    ("In Progress", WatchStatus::Current),
];

/// Rows of Floppy about lists of the user and about discs on a shelf.
const LISTS: &str = "Rows about lists and collections";

fn read(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    let mut works = Works::default();
    table.for_each(collector, |row, collector| works.read_row(row, collector))?;
    for (_, work) in std::mem::take(&mut works.list) {
        collector.check_cancelled()?;
        works.add_to(collector, work)?;
    }
    Ok(())
}

fn cell<'r>(row: &'r TableRow, name: &str) -> &'r str {
    row.cell(name).unwrap_or_default()
}

/// Returns the identifier of a series or a movie at the database that the row names.
fn id_of(row: &TableRow, kind: IdKind) -> Option<StatedId> {
    let source = match cell(row, "source").to_lowercase().as_str() {
        "tmdb" => IdSource::Database,
        "tvdb" => IdSource::Tvdb,
        "imdb" => IdSource::Imdb,
        _ => return None,
    };
    stated_id(source, kind, cell(row, "media_id"))
}

fn add_episode(collector: &mut EntryCollector, row: &TableRow, season: Option<u16>) -> ReadResult {
    if season == Some(0) {
        return collector.leave_out(kinds::SPECIALS);
    }
    let times = [cell(row, "end_date"), cell(row, "watch_date")];
    collector.add_watched(WatchedRow {
        title: title_of(cell(row, "title")),
        season,
        episode: row.number(&["episode_number"]),
        ids: id_of(row, IdKind::Series).into_iter().collect(),
        at_ms: times.into_iter().find_map(watched_at),
        ..WatchedRow::default()
    })
}

/// A series: its source and its number, or its title.
type SeriesKey = (String, String);

fn series_of(row: &TableRow) -> SeriesKey {
    let id = match cell(row, "media_id") {
        "" => cell(row, "title"),
        id => id,
    };
    (cell(row, "source").to_lowercase(), id.to_owned())
}

#[derive(Default)]
struct Works {
    /// The works by their media types, series and seasons.
    list: IndexMap<(String, SeriesKey, Option<u16>), WatchedWork>,
    /// The last watched episode of each season that has rows for its episodes.
    last_episodes: BTreeMap<(SeriesKey, u16), u32>,
}

/// A work with one row for each time that the user has watched it.
struct WatchedWork {
    kind: IdKind,
    series: SeriesKey,
    /// The identifiers, the title and the season.
    draft: EntryDraft<'static>,
    runs: Vec<Viewing>,
}

impl WatchedWork {
    /// Returns the work of a row, without the row's viewing.
    fn of(row: &TableRow, media_type: &str, series: SeriesKey, season: Option<u16>) -> Self {
        let id = cell(row, "media_id");
        let kind = match media_type {
            "anime" => IdKind::Anime,
            "movie" => IdKind::Movie,
            _ => IdKind::Series,
        };
        let mut draft = EntryDraft {
            season,
            ..EntryDraft::default()
        };
        match (kind, series.0.as_str()) {
            (IdKind::Anime, "anilist") => draft.set(EntryField::AniListId, Some(id.to_owned())),
            (IdKind::Anime, "mal") => draft.set(EntryField::MalId, Some(id.to_owned())),
            (IdKind::Anime, "anidb") => draft.add_id(IdSource::Anidb, kind, Some(id)),
            (IdKind::Anime, "kitsu") => draft.add_id(IdSource::Kitsu, kind, Some(id)),
            (IdKind::Anime, _) => {}
            _ => draft.ids.extend(id_of(row, kind)),
        }
        draft.set(EntryField::Title, Some(cell(row, "title").to_owned()));
        // At another database, a series of episodes and a movie have formats of their own.
        let is_movie = kind == IdKind::Movie && draft.ids.is_empty();
        draft.format = is_movie.then_some(AnimeFormat::Movie);
        Self {
            kind,
            series,
            draft,
            runs: Vec::new(),
        }
    }
}

/// One time that the user has watched a work.
struct Viewing {
    status: String,
    score: String,
    notes: String,
    started_on: String,
    finished_on: String,
    progress: String,
    repeats: String,
    created_at: String,
}

impl Viewing {
    fn status(&self) -> Option<WatchStatus> {
        status_of(&self.status, STATUSES)
    }

    /// Returns the time by which viewings are sorted.
    fn begin(&self) -> Option<u64> {
        let times = [&self.started_on, &self.finished_on, &self.created_at];
        times.into_iter().find_map(|time| watched_at(time))
    }
}

impl Works {
    fn read_row(&mut self, row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
        if !matches!(cell(row, "row_type").to_lowercase().as_str(), "" | "media") {
            return collector.leave_out(LISTS);
        }
        match cell(row, "media_type").to_lowercase().as_str() {
            "episode" => {
                let season = row.number(&["season_number"]);
                let episode: Option<u32> = row.number(&["episode_number"]);
                if let (Some(season), Some(episode)) = (season, episode) {
                    let key = (series_of(row), season);
                    let last = self.last_episodes.entry(key).or_default();
                    *last = episode.max(*last);
                }
                add_episode(collector, row, season)
            }
            kind @ ("tv" | "season" | "movie" | "anime") => {
                self.add(row, kind);
                Ok(())
            }
            "manga" => collector.leave_out(kinds::MANGA),
            _ => collector.leave_out(kinds::OTHER_MEDIA),
        }
    }

    fn add(&mut self, row: &TableRow, media_type: &str) {
        let series = series_of(row);
        let season = row.number(&["season_number"]);
        let season = season.filter(|_| media_type == "season");
        let key = (media_type.to_owned(), series.clone(), season);
        let new = || WatchedWork::of(row, media_type, series, season);
        let work = self.list.entry(key).or_insert_with(new);
        let text = |name: &str| cell(row, name).to_owned();
        let end = match cell(row, "end_date") {
            "" => text("watch_date"),
            end => end.to_owned(),
        };
        work.runs.push(Viewing {
            status: text("status"),
            score: text("score"),
            notes: text("notes"),
            started_on: text("start_date"),
            finished_on: end,
            progress: text("progress"),
            repeats: text("repeats"),
            created_at: text("created_at"),
        });
    }

    fn add_to(&self, collector: &mut EntryCollector, work: WatchedWork) -> ReadResult {
        if work.draft.season == Some(0) {
            return collector.leave_out(kinds::SPECIALS);
        }
        let mut runs: Vec<&Viewing> = work.runs.iter().collect();
        if runs.iter().all(|run| run.begin().is_some()) {
            runs.sort_by_key(|run| run.begin());
        }
        let Some(last) = runs.last() else {
            return Ok(());
        };
        let is_completed = |run: &&&Viewing| run.status() == Some(WatchStatus::Completed);
        let completed = runs.iter().filter(is_completed).count();
        let last_text = |text: fn(&Viewing) -> &String| {
            let texts = runs.iter().rev().map(|run| text(run).as_str());
            texts
                .clone()
                .find(|text| !text.is_empty())
                .or_else(|| texts.clone().next())
        };
        let status = match last.status() {
            Some(WatchStatus::Current) if completed > 0 => Some(WatchStatus::Repeating),
            Some(WatchStatus::Planning) if completed > 0 => Some(WatchStatus::Completed),
            status => status,
        };
        let mut draft: EntryDraft = work.draft;
        draft.status = status;
        draft.set(EntryField::Status, Some(last.status.as_str()));
        draft.set(EntryField::Score, last_text(|run| &run.score));
        draft.set(EntryField::Notes, last_text(|run| &run.notes));
        let mut starts = runs.iter().map(|run| run.started_on.as_str());
        let start = starts.find(|start| !start.is_empty());
        draft.set(EntryField::StartedOn, start);
        let ended = runs.iter().filter(is_completed);
        let mut ends = ended.map(|run| run.finished_on.as_str());
        draft.set(EntryField::FinishedOn, ends.find(|end| !end.is_empty()));
        if completed > 0 {
            let stated = runs.iter().filter_map(|run| whole_number(&run.repeats));
            let stated = stated.max();
            let repeats = (completed as u64 - 1).max(stated.unwrap_or(0));
            draft.set_number(EntryField::Repeats, Some(repeats));
        }
        if work.kind == IdKind::Series {
            self.add_progress(collector, work.series, last, &draft)?;
        } else {
            let progress = Some(last.progress.as_str()).filter(|progress| !progress.is_empty());
            draft.set(EntryField::CurrentEpisode, progress);
        }
        collector.add(&draft)
    }

    /// Adds the progress in a season as a watched episode, because a season can belong to several anime.
    fn add_progress(
        &self,
        collector: &mut EntryCollector,
        series: SeriesKey,
        last: &Viewing,
        draft: &EntryDraft,
    ) -> ReadResult {
        let progress: Option<u32> = whole_number(&last.progress);
        let (Some(season), Some(progress)) = (draft.season, progress) else {
            return Ok(());
        };
        let last = self.last_episodes.get(&(series, season));
        let has_row = last.is_some_and(|last| *last >= progress);
        if progress == 0 || has_row {
            return Ok(());
        }
        collector.add_watched(WatchedRow {
            title: parse_title(&draft.texts),
            season: Some(season),
            episode: Some(progress),
            ids: draft.ids.clone(),
            ..WatchedRow::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    const HEADER: &str = "media_id,source,media_type,title,season_number,episode_number,score,status,notes,start_date,\
        end_date,progress,created_at";

    #[test]
    fn numbers_count_with_their_source_and_kind() {
        let file = list(format!(
            "{HEADER}\n\
             7,mal,anime,Kumo,,,8.5,Paused,,,,5,\n\
             7,tmdb,movie,Hoshi,,,10,Completed,,,2025-12-24 18:00:00+00:00,1,\n\
             7,tmdb,tv,Umi,,,,Dropped,,,,,\n\
             7,mal,manga,Yama,,,9,Completed,,,,108,\n\
             7,igdb,game,Kawa,,,9,Completed,,,,,\n\
             x,manual,anime,Mori,,,,Planning,,,,,\n"
        ));
        file.assert_entries(&[
            "mal 7 \"Kumo\" PAUSED 5 85",
            "database movie 7 \"Hoshi\" COMPLETED 1 100 2025-12-24",
            "database series 7 \"Umi\" DROPPED -",
            "\"Mori\" PLANNING -",
        ]);
        file.assert_remarks(&[
            "Games, books and other media that were left out: 1.",
            "Manga that were left out: 1.",
        ]);
    }

    #[test]
    fn each_watching_is_a_row() {
        let file = list(format!(
            "{HEADER}\n\
             7,mal,anime,Kumo,,,,In progress,,2026-05-01,,4,\n\
             7,mal,anime,Kumo,,,8,Completed,twice,2025-10-01,2025-10-20,12,\n\
             8,mal,anime,Hoshi,,,,Completed,,2024-01-01,2024-01-02,12,\n\
             8,mal,anime,Hoshi,,,,Completed,,2025-01-01,2025-01-02,12,\n"
        ));
        file.assert_entries(&[
            "mal 7 \"Kumo\" REPEATING 4 80 2025-10-01 2025-10-20 \"twice\"",
            "mal 8 \"Hoshi\" COMPLETED 12 - 2024-01-01 2024-01-02 x1",
        ]);
    }

    #[test]
    fn seasons_and_episodes_are_those_of_the_series() {
        let file = list(format!(
            "{HEADER}\n\
             9,tmdb,season,Umi,3,,7,In progress,,,,14,\n\
             9,tmdb,episode,Umi,3,14,,,,,2026-04-02 18:00:00+00:00,,\n\
             9,tmdb,episode,Umi,0,1,,,,,,,\n\
             9,tmdb,season,Umi,4,,,Completed,,,,10,\n"
        ));
        file.assert_entries(&[
            "database series 9 \"Umi\" season 3 CURRENT 70",
            "database series 9 \"Umi\" season 4 COMPLETED -",
        ]);
        file.assert_watched(&[
            "database series 9 \"Umi\" S3E14 2026-04-02T18:00:00Z",
            "database series 9 \"Umi\" S4E10",
        ]);
        file.assert_remarks(&["Special episodes that were left out: 1."]);
    }

    #[test]
    fn lists_and_older_columns_are_known() {
        let file = list(
            "row_type,media_id,source,media_type,title,status,repeats,score,end_date,progress\n\
             media,7,mal,anime,Kumo,Repeating,2,,,3\n\
             list_item,8,mal,anime,Hoshi,,,,,\n",
        );
        file.assert_entries(&["mal 7 \"Kumo\" REPEATING 3 -"]);
        file.assert_remarks(&["Rows about lists and collections that were left out: 1."]);
    }
}
