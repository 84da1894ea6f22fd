//! The JSON export of Shikimori, whose identifiers are those of MyAnimeList.

use super::prelude::*;

pub const FORMAT: Format = Format::Json(
    ListFormat::Other("Shikimori JSON"),
    |json| json.elements_have(&["target_id", "target_type"]),
    read,
);

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    add_each(collector, &json.array("")?, add_entry)
}

fn add_entry(collector: &mut EntryCollector, entry: &Object) -> ReadResult {
    match text(entry, "target_type").as_deref() {
        Some("Anime") => {}
        // Novels are of a type of their own.
        Some("Manga" | "Ranobe") => return collector.leave_out(kinds::MANGA),
        _ => return collector.leave_out(kinds::OTHER_MEDIA),
    }
    let mut draft = EntryDraft::default();
    for (field, name) in [
        (EntryField::MalId, "target_id"),
        (EntryField::Title, "target_title"),
        (EntryField::Title, "target_title_ru"),
        (EntryField::Status, "status"),
        // This field is the progress, not the number of the anime's episodes.
        (EntryField::CurrentEpisode, "episodes"),
        (EntryField::Score, "score"),
        (EntryField::Repeats, "rewatches"),
        (EntryField::Notes, "text"),
    ] {
        draft.set(field, text(entry, name));
    }
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{error, list};

    #[test]
    fn episodes_are_the_progress() {
        let manga = r#"{"target_title": "Yama", "target_id": 7, "target_type": "Manga", "status": "completed"}"#;
        let anime = r#"{"target_title": "Kumo", "target_title_ru": "", "target_id": 7, "target_type": "Anime",
            "score": 9,
            "status": "rewatching", "rewatches": 1, "episodes": 2, "text": "good"}"#;
        let file = list(format!("[{anime}, {manga}]"));
        file.assert_entries(&["mal 7 \"Kumo\" REPEATING 2 90 x1 \"good\""]);
        file.assert_remarks(&["Manga that were left out: 1."]);
        let expected = "The file is a list of manga. Only lists of anime can be imported.";
        assert_eq!(error(format!("[{manga}]")), expected);
    }
}
