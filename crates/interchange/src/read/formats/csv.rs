//! CSV with a header row: of this service, of people who keep their own list, and of programs whose CSV has no format
//! of its own in this crate.

use shared::models::{WireEnum, name_in};

use super::prelude::*;
use crate::field::{FieldName, FieldTexts};
use crate::formula::restore;
use crate::values::parse_format;
use crate::words::{find_column, find_other_kind, find_status};

pub const FORMAT: Format = Format::Table(ListFormat::Csv, has_columns, read);

const IDENTITIES: [EntryField; 4] = [
    EntryField::AnimeId,
    EntryField::AniListId,
    EntryField::MalId,
    EntryField::Title,
];

/// Returns the meanings of the columns. A name in another language counts for a field that no other column has.
fn columns_of(table: &TextTable) -> Vec<FieldName> {
    let names = table.header.iter();
    let known: Vec<FieldName> = names.map(|name| FieldName::of(name)).collect();
    let columns = known.iter().zip(&table.header);
    let columns = columns.map(|(column, name)| match (column, find_column(name)) {
        (FieldName::Unknown, Some(field)) if !known.contains(&FieldName::Known(field)) => {
            FieldName::Known(field)
        }
        _ => *column,
    });
    columns.collect()
}

fn has_columns(table: &TextTable) -> bool {
    let columns = columns_of(table);
    let has = |field| columns.contains(&FieldName::Known(field));
    has(EntryField::Status) && IDENTITIES.into_iter().any(has)
}

/// Columns that can say that a row is about a manga, a game or a live-action series, or which format an anime has,
/// separated by spaces.
const KINDS: &str =
    "type kind category media medium media_type typ kategorie 種類 tipo catégorie categoría";

/// Columns whose presence means that some numbers in `media_id` may not be AniList's.
const OTHER_SOURCES: [&str; 5] = ["source", "media_type", "service", "site", "provider"];

fn read(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    let mut columns = columns_of(table);
    if table.has_any(&OTHER_SOURCES) {
        // The column names the service of each number, but this reader does not use it.
        for (column, name) in columns.iter_mut().zip(&table.header) {
            let is_plain = FieldName::of(name) == FieldName::Known(EntryField::AniListId)
                && !name.to_lowercase().contains("anilist");
            if is_plain {
                *column = FieldName::Unknown;
            }
        }
    }
    // Only this service's own export has a column anime_id. Its scores are from 0 to 100.
    if columns.contains(&FieldName::Known(EntryField::AnimeId)) {
        collector.scale = HighestScore::OfFormat(100.0);
    }
    // Services number the statuses differently, so a status in such a file must be a word, not a number.
    table.for_each(collector, |row, collector| {
        let mut kinds = KINDS.split(' ').filter_map(|name| row.cell(name));
        if let Some(kind) = kinds.clone().find_map(find_other_kind) {
            return collector.leave_out(kind);
        }
        let mut texts = FieldTexts::default();
        for ((cell, column), name) in row.cells.iter().zip(&mut columns).zip(&table.header) {
            match column {
                FieldName::Known(EntryField::Status) => {
                    texts.set(EntryField::Status, status_word(cell));
                }
                // If there is no column for the progress, this column often has both numbers: `12/24`.
                FieldName::Known(EntryField::Episodes) if cell.contains('/') => {
                    texts.set(EntryField::CurrentEpisode, restore(cell));
                }
                FieldName::Known(field) => texts.set(*field, restore(cell)),
                FieldName::Unknown if !cell.trim().is_empty() => {
                    collector.add_unknown_field(name);
                    // The name is added only once, not for each of the column's cells.
                    *column = FieldName::Ignored;
                }
                _ => {}
            }
        }
        if let Some(format) = kinds.find(|kind| parse_format(kind).is_some()) {
            texts.set(EntryField::Format, format.to_owned());
        }
        collector.add_texts(texts)
    })
}

/// Returns the name of a status for a word in another language. Other words are returned unchanged.
fn status_word(cell: &str) -> &str {
    let status = match status_of(cell.trim(), &[]) {
        None => find_status(cell),
        Some(_) => None,
    };
    status.map_or(cell, |status| name_in(WatchStatus::ALL, &status))
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{error, list, summary, zip_of};

    #[test]
    fn lists_of_people_are_read_in_several_languages() {
        for (file, expected) in [
            (
                "Titel;Status;Folge;Bewertung;Beendet\n\"Kumo;Hoshi\";Gesehen;24;8,5;25.03.2026\nUmi;Pausiert;7;;\n",
                [
                    "\"Kumo;Hoshi\" COMPLETED 24 85 2026-03-25",
                    "\"Umi\" PAUSED 7 -",
                ],
            ),
            (
                "\u{feff}Name,Status,Score,Episodes,Finished,Tags\n\
                 Kumo,✅ Done,9/10,12/24,\"March 5, 2026\",x\nUmi,Not started,,,,\n",
                [
                    "\"Kumo\" COMPLETED 12/24 90 2026-03-05",
                    "\"Umi\" PLANNING -",
                ],
            ),
            (
                "タイトル,ステータス,話,評価,終了日\n蜘蛛,視聴済み,第12話,★★★★,2026年3月5日\n海,見たい,,,\n",
                ["\"蜘蛛\" COMPLETED 12 80 2026-03-05", "\"海\" PLANNING -"],
            ),
            (
                "Anime,Gesehen\nKumo,Ja\nUmi,Nein\n",
                ["\"Kumo\" COMPLETED", "\"Umi\" PLANNING"],
            ),
            (
                "Titre;Statut;Épisode;Commentaires\nKumo;Terminé;12;bien\nUmi;En cours;3;\n",
                ["\"Kumo\" COMPLETED 12 \"bien\"", "\"Umi\" CURRENT 3"],
            ),
            (
                "Título,Estado,Puntuación,Notas\nKumo,Abandonado,4/5,no\nUmi,Viendo,,\n",
                ["\"Kumo\" DROPPED 80 \"no\"", "\"Umi\" CURRENT -"],
            ),
        ] {
            assert_eq!(summary(&list(file)), expected, "{file}");
        }
    }

    #[test]
    fn table_of_notion_is_in_an_archive() {
        let archive = zip_of(&[
            ("List/Anime 1a2b.csv", "Name,Status\nKumo,Done\n"),
            (
                "List/Anime 1a2b_all.csv",
                "Name,Status\nKumo,Done\nUmi,Not started\n",
            ),
            // A page of the table. The name is in two parts because it is not a document of this repository.
            (concat!("List/Anime 1a2b/Kumo", ".md"), "# Kumo"),
        ]);
        let file = list(archive);
        file.assert_entries(&["\"Kumo\" COMPLETED", "\"Umi\" PLANNING"]);
    }

    #[test]
    fn other_kinds_are_left_out() {
        let file = list(
            "Name,Status,Type\nKumo,Watching,TV\nHoshi,Watching,Manga\nUmi,Watching,Live-Action\nMori,Watching,Game\n",
        );
        file.assert_entries(&["\"Kumo\" CURRENT"]);
        file.assert_remarks(&[
            "Games, books and other media that were left out: 1.",
            "Manga that were left out: 1.",
            "Series and movies that are not anime that were left out: 1.",
        ]);
        assert!(error("Name,Score\nKumo,9\n").contains("status"));
    }
}
