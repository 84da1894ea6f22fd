//! The CSV exports of IMDb: ratings, and lists such as the watchlist.
//!
//! An identifier of IMDb names a series with all its seasons. A rating says that a movie was watched, but of a series
//! nothing about its seasons.

use shared::models::{IdKind, IdSource, WatchStatus};

use super::{Format, wrong_shape};
use crate::collector::{EntryCollector, ScoreScale, kinds};
use crate::draft::Draft;
use crate::entry::{ListFormat, ReadError};
use crate::field::{EntryField, normalize};
use crate::read::content::Content;
use crate::read::table::Row;

pub const FORMAT: Format = Format {
    kind: ListFormat::Other("IMDb CSV"),
    recognize: |content| content.is_table(|table| table.has(&["Const", "Title Type"])),
    read,
};

/// Series with a rating.
const RATED_SERIES: &str = "Ratings of series and episodes, which do not say what was watched,";

/// The words for movies in the languages of accounts, in lower case.
const MOVIE_WORDS: [&str; 11] = [
    "movie",
    "film",
    "filme",
    "película",
    "pelicula",
    "video",
    "vídeo",
    "short",
    "cortometraje",
    "映画",
    "special",
];

/// The words for series, and for parts of them.
const SERIES_WORDS: [&str; 8] = [
    "series",
    "serie",
    "série",
    "séries",
    "episode",
    "épisode",
    "episodio",
    "シリーズ",
];

/// What a row is about.
enum TitleType {
    Movie,
    Series,
    Episode,
    Other,
}

impl TitleType {
    fn of(text: &str) -> Self {
        let word = normalize(text);
        let has = |words: &[&str]| words.iter().any(|known| word.contains(known));
        if has(&["episod", "épisod", "folge", "エピソード"]) {
            Self::Episode
        } else if has(&SERIES_WORDS) {
            Self::Series
        } else if has(&["game", "spiel", "podcast", "music", "musik"])
            && !word.contains("spielfilm")
        {
            Self::Other
        } else if has(&MOVIE_WORDS) {
            Self::Movie
        } else {
            Self::Other
        }
    }
}

fn read(content: &Content, collector: &mut EntryCollector) -> Result<(), ReadError> {
    let table = content.table().ok_or_else(wrong_shape)?;
    collector.scale = ScoreScale::OfFormat(10.0);
    let is_list = table.has(&["Position"]);
    if is_list {
        collector.remark(
            "Lists of IMDb do not say what was watched, so titles without a rating of your own are planned.",
        );
    }
    table.for_each(collector, |row, collector| add_row(row, collector, is_list))
}

fn add_row(row: &Row, collector: &mut EntryCollector, is_list: bool) -> Result<(), ReadError> {
    let rating = row.value(&["Your Rating"]);
    let kind = match (
        TitleType::of(row.cell("Title Type").unwrap_or_default()),
        rating,
    ) {
        (TitleType::Movie, _) => IdKind::Movie,
        (TitleType::Series, None) if is_list => IdKind::Series,
        (TitleType::Series | TitleType::Episode, _) => return collector.leave_out(RATED_SERIES),
        (TitleType::Other, _) => return collector.leave_out(kinds::OTHER_MEDIA),
    };
    let mut draft = Draft::default();
    draft.add_id(IdSource::Imdb, kind, row.cell("Const"));
    draft.set(EntryField::Title, row.value(&["Title", "Original Title"]));
    draft.set_year(row.cell("Year"));
    draft.set(EntryField::Notes, row.cell("Description"));
    // The day of a rating is not the day of watching.
    draft.set(EntryField::Score, rating);
    if rating.is_some() || !is_list {
        draft.status = Some(WatchStatus::Completed);
        draft.set(EntryField::CurrentEpisode, Some("1"));
    } else {
        draft.status = Some(WatchStatus::Planning);
    }
    collector.add(&draft)
}
