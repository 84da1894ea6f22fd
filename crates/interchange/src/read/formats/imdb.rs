//! The CSV exports of `IMDb`: ratings, and lists such as the watchlist.
//!
//! An identifier of `IMDb` names a series with all its seasons. A rating shows that a movie was watched, but it says
//! nothing about the seasons of a series.

use super::prelude::*;
use crate::field::normalize;

pub const FORMAT: Format = Format::Table(
    ListFormat::Mixed("IMDb CSV"),
    |table| table.has(&["Const", "Title Type"]),
    read,
);

const RATED_SERIES: &str = "Ratings of series and episodes, which do not say what was watched,";

/// The words for movies in the languages of accounts, in lower case and separated by spaces.
const MOVIE_WORDS: &str =
    "movie film película pelicula video vídeo short cortometraje 映画 special";

/// The words for other media. A podcast also has series and episodes, and `videojuego` contains a word for movies.
const OTHER_WORDS: &str = "game spiel juego gioco jogo podcast ポッドキャスト music musik";

enum TitleType {
    Movie,
    Series,
    Episode,
    Other,
}

impl TitleType {
    fn of(text: &str) -> Self {
        let word = normalize(text);
        let has = |words: &str| words.split(' ').any(|known| word.contains(known));
        if has(OTHER_WORDS) && !word.contains("spielfilm") {
            Self::Other
        } else if has("episod épisod folge エピソード") {
            Self::Episode
        } else if has("serie série シリーズ") {
            Self::Series
        } else if has(MOVIE_WORDS) {
            Self::Movie
        } else {
            Self::Other
        }
    }
}

fn read(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    let is_list = table.has(&["Position"]);
    if is_list {
        collector.remark(
            "Lists of IMDb do not say what was watched, so titles without a rating of your own are planned.",
        );
    }
    table.for_each(collector, |row, collector| add_row(row, collector, is_list))
}

fn add_row(row: &TableRow, collector: &mut EntryCollector, is_list: bool) -> ReadResult {
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
    let mut draft = EntryDraft::default();
    draft.add_id(IdSource::Imdb, kind, row.cell("Const"));
    draft.set(EntryField::Title, row.value(&["Title", "Original Title"]));
    draft.set(EntryField::Year, row.cell("Year"));
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

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn only_rated_movies_were_watched() {
        let file = list(
            "Const,Your Rating,Date Rated,Title,Original Title,Title Type,Year\n\
             tt0000007,10,2025-12-25,Kumo,Kumo,Movie,2001\n\
             tt0000008,9,2025-12-25,Hoshi,Hoshi,TV Series,2006\n\
             tt0000009,9,2025-12-25,Umi,Umi,Serie TV,2006\n\
             tt0000010,9,2025-12-25,Mori,Mori,Película,2006\n\
             tt0000011,9,2025-12-25,Yama,Yama,TV Episode,2006\n\
             tt0000012,9,2025-12-25,Kawa,Kawa,Video Game,2006\n\
             tt0000013,9,2025-12-25,Sora,Sora,Podcast Series,2006\n\
             tt0000014,9,2025-12-25,Ame,Ame,Podcast Episode,2006\n\
             tt0000015,9,2025-12-25,Yuki,Yuki,Music Video,2006\n\
             tt0000016,9,2025-12-25,Kaze,Kaze,Videojuego,2006\n",
        );
        file.assert_entries(&[
            "imdb movie 7 \"Kumo\" (2001) COMPLETED 1 100",
            "imdb movie 10 \"Mori\" (2006) COMPLETED 1 90",
        ]);
        file.assert_remarks(&[
            "Games, books and other media that were left out: 5.",
            "Ratings of series and episodes, which do not say what was watched, that were left out: 3.",
        ]);
    }

    #[test]
    fn lists_are_planned() {
        let file = list(
            "Position,Const,Created,Modified,Description,Title,Title Type,Year,Your Rating,Date Rated\n\
             1,tt0000007,2026-01-01,2026-01-01,good,Kumo,Movie,2016,,\n\
             2,tt0000008,2026-01-02,2026-01-02,,Hoshi,TV Mini Series,2008,,\n\
             3,tt0000009,2026-01-02,2026-01-02,,Umi,Movie,2008,8,2026-01-02\n\
             4,tt0000010,2026-01-02,2026-01-02,,Mori,Podcast Series,2020,,\n",
        );
        file.assert_entries(&[
            "imdb movie 7 \"Kumo\" (2016) PLANNING \"good\"",
            "imdb series 8 \"Hoshi\" (2008) PLANNING",
            "imdb movie 9 \"Umi\" (2008) COMPLETED 1 80",
        ]);
    }
}
