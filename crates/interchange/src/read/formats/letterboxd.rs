//! The exports of Letterboxd, a service for movies. They have titles and years, and no identifiers.

use indexmap::IndexMap;

use super::prelude::*;

pub const ARCHIVE: Format = Format::Archive(
    ListFormat::Mixed("Letterboxd ZIP"),
    |archive| {
        let others = ["diary.csv", "ratings.csv", "watchlist.csv"];
        let has = |name| find_member(archive, name).is_some();
        has("watched.csv") && others.into_iter().any(has)
    },
    read_archive,
);

pub const CSV: Format = Format::Table(
    ListFormat::Mixed("Letterboxd CSV"),
    |table| table.has(&["Name", "Letterboxd URI"]) || table.has(&["Title", "Year", "Rating10"]),
    read_csv,
);

const WATCHED_OR_WATCHLIST: &str = "The file is a list of Letterboxd that does not say whether its movies were watched \
    or are planned: both files have the same columns. Send the whole ZIP archive.";

/// Folders of the archive with deleted movies, liked movies and other lists.
const IGNORED_FOLDERS: [&str; 4] = ["deleted", "orphaned", "likes", "lists"];

fn find_member<'a>(archive: &'a Archive, name: &str) -> Option<&'a ArchiveMember> {
    let mut members = archive.members().iter();
    members.find(|member| member.name() == name && !IGNORED_FOLDERS.contains(&member.folder()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterboxdFile {
    /// Each row is a time of watching.
    Diary,
    /// Each row is a movie that was watched, with the day on which it was marked.
    Watched,
    Watchlist,
}

const FILES: [(&str, LetterboxdFile); 5] = [
    ("diary.csv", LetterboxdFile::Diary),
    ("reviews.csv", LetterboxdFile::Watched),
    ("watched.csv", LetterboxdFile::Watched),
    ("ratings.csv", LetterboxdFile::Watched),
    ("watchlist.csv", LetterboxdFile::Watchlist),
];

fn read_archive(archive: &Archive, collector: &mut EntryCollector) -> ReadResult {
    let mut movies = Movies::default();
    for (name, kind) in FILES {
        if let Some(member) = find_member(archive, name) {
            let text = archive.text(member)?;
            movies.add_table(&TextTable::read(&text)?, kind, collector)?;
        }
    }
    movies.add_to(collector)
}

fn read_csv(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    let kind = if table.has(&["Watched Date"]) {
        LetterboxdFile::Diary
    } else if table.has_any(&["Rating", "Rating10"]) {
        LetterboxdFile::Watched
    } else {
        return Err(ListFileError::new(WATCHED_OR_WATCHLIST));
    };
    let mut movies = Movies::default();
    movies.add_table(table, kind, collector)?;
    movies.add_to(collector)
}

/// The movies of an export, by their titles and years.
#[derive(Default)]
struct Movies(IndexMap<(String, String), Movie>);

#[derive(Default)]
struct Movie {
    is_watched: bool,
    /// The days of watching, each with true if the user has marked it as a repeat.
    days: Vec<(String, bool)>,
    /// The last score, with the day on which it was given.
    score: (String, String),
    review: String,
}

impl Movies {
    fn add_table(
        &mut self,
        table: &TextTable,
        kind: LetterboxdFile,
        collector: &mut EntryCollector,
    ) -> ReadResult {
        table.for_each(collector, |row, _| {
            self.add_row(row, kind);
            Ok(())
        })
    }

    fn add_row(&mut self, row: &TableRow, kind: LetterboxdFile) {
        let text = |names: &[&str]| row.value(names).unwrap_or_default().to_owned();
        let (title, year) = (text(&["Name", "Title"]), text(&["Year"]));
        let movie = self.0.entry((title, year)).or_default();
        movie.is_watched |= kind != LetterboxdFile::Watchlist;
        if kind == LetterboxdFile::Diary {
            let day = text(&["Watched Date"]);
            movie.days.push((day, row.is_true("Rewatch")));
        }
        let score = match (row.value(&["Rating"]), row.value(&["Rating10"])) {
            (Some(rating), _) => format!("{rating}/5"),
            (None, Some(rating)) => format!("{rating}/10"),
            (None, None) => String::new(),
        };
        let rated_on = text(&["Date", "Watched Date"]);
        // Days of ISO 8601 are in the order of their texts.
        if !score.is_empty() && rated_on >= movie.score.0 {
            movie.score = (rated_on, score);
        }
        if movie.review.is_empty() {
            movie.review = text(&["Review"]);
        }
    }

    fn add_to(self, collector: &mut EntryCollector) -> ReadResult {
        collector.scale = HighestScore::OfFormat(5.0);
        for ((title, year), movie) in self.0 {
            collector.check_cancelled()?;
            movie.add_to(title, year, collector)?;
        }
        Ok(())
    }
}

impl Movie {
    fn add_to(mut self, title: String, year: String, collector: &mut EntryCollector) -> ReadResult {
        let mut draft = EntryDraft {
            format: Some(AnimeFormat::Movie),
            ..EntryDraft::default()
        };
        draft.set(EntryField::Title, Some(title));
        draft.set(EntryField::Year, Some(year));
        let (score, review) = (Some(self.score.1), Some(self.review));
        draft.set(EntryField::Score, score.filter(|text| !text.is_empty()));
        draft.set(EntryField::Notes, review.filter(|text| !text.is_empty()));
        if !self.is_watched {
            draft.status = Some(WatchStatus::Planning);
            return collector.add(&draft);
        }
        draft.status = Some(WatchStatus::Completed);
        draft.set(EntryField::CurrentEpisode, Some("1"));
        self.days.sort();
        // If the first day is a repeat, the day of the first viewing is not known.
        if let Some((day, false)) = self.days.first()
            && !day.is_empty()
        {
            draft.set(EntryField::StartedOn, Some(day.clone()));
            draft.set(EntryField::FinishedOn, Some(day.clone()));
        }
        let marked = self.days.iter().filter(|(_, is_repeat)| *is_repeat).count();
        let repeats = marked.max(self.days.len().saturating_sub(1));
        if !self.days.is_empty() {
            draft.set_number(EntryField::Repeats, Some(repeats));
        }
        collector.add(&draft)
    }
}

#[cfg(test)]
mod tests {
    use shared::models::AnimeFormat;

    use crate::read::formats::tests::{error, list, zip_of};

    const DIARY: &str = "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n\
        2026-01-03,Kumo,2001,https://boxd.it/a,4.5,,home,2026-01-02\n\
        2026-02-03,Kumo,2001,https://boxd.it/b,5,Yes,,2026-02-02\n\
        2026-02-04,Hoshi,2002,https://boxd.it/c,,Yes,,2026-02-04\n";

    const WATCHED: &str = "Date,Name,Year,Letterboxd URI\n\
        2026-01-03,Kumo,2001,https://boxd.it/d\n2025-05-05,Umi,1995,https://boxd.it/e\n";

    #[test]
    fn diary_has_the_days_and_repeats() {
        let file = list(DIARY);
        file.assert_entries(&[
            "\"Kumo\" (2001) COMPLETED 1 100 2026-01-02 2026-01-02 x1",
            "\"Hoshi\" (2002) COMPLETED 1 x1",
        ]);
        assert_eq!(file.entries[0].format, Some(AnimeFormat::Movie));
    }

    #[test]
    fn archive_is_read_without_deleted_movies() {
        let archive = zip_of(&[
            ("diary.csv", DIARY),
            ("watched.csv", WATCHED),
            (
                "ratings.csv",
                "Date,Name,Year,Letterboxd URI,Rating\n2025-05-05,Umi,1995,https://boxd.it/e,3.5\n",
            ),
            (
                "watchlist.csv",
                "Date,Name,Year,Letterboxd URI\n2026-01-03,Mori,2016,https://boxd.it/f\n",
            ),
            (
                "deleted/diary.csv",
                "Date,Name,Year,Letterboxd URI,Watched Date\n2026-01-03,Yama,2001,x,2026-01-02\n",
            ),
        ]);
        list(archive).assert_entries(&[
            "\"Kumo\" (2001) COMPLETED 1 100 2026-01-02 2026-01-02 x1",
            "\"Hoshi\" (2002) COMPLETED 1 x1",
            "\"Umi\" (1995) COMPLETED 1 70",
            "\"Mori\" (2016) PLANNING",
        ]);
    }

    #[test]
    fn watched_and_watchlist_look_alike() {
        assert!(error(WATCHED).contains("whole ZIP archive"));
        let import = "Title,Year,Rating10,WatchedDate\nKumo,2001,9,2026-01-02\n";
        list(import).assert_entries(&["\"Kumo\" (2001) COMPLETED 1 90 2026-01-02 2026-01-02"]);
    }
}
