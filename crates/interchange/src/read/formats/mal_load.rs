//! MyAnimeList's `load.json`: the data of its list pages, which several programs save.

use super::mal_xml::STATUS_NUMBERS;
use super::prelude::*;

pub const FORMAT: Format = Format::Json(
    ListFormat::Other("MyAnimeList load.json"),
    |json| {
        json.elements_have(&["anime_id", "num_watched_episodes"])
            || json.elements_have(&["manga_id", "num_read_chapters"])
    },
    read,
);

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = STATUS_NUMBERS;
    add_each(collector, &json.array("")?, add)
}

fn add(collector: &mut EntryCollector, entry: &Object) -> ReadResult {
    if entry.contains_key("manga_id") {
        return collector.leave_out(kinds::MANGA);
    }
    let mut draft = EntryDraft::default();
    for (field, name) in [
        // The number is MyAnimeList's own, not one of this service.
        (EntryField::MalId, "anime_id"),
        (EntryField::Title, "anime_title"),
        (EntryField::Episodes, "anime_num_episodes"),
        (EntryField::Format, "anime_media_type_string"),
        (EntryField::Status, "status"),
        (EntryField::Rewatching, "is_rewatching"),
        (EntryField::CurrentEpisode, "num_watched_episodes"),
        (EntryField::Score, "score"),
        (EntryField::StartedOn, "start_date_string"),
        (EntryField::FinishedOn, "finish_date_string"),
        (EntryField::Notes, "editable_notes"),
    ] {
        draft.set(field, text(entry, name));
    }
    if text(entry, "tags").is_some_and(|tags| !tags.trim().is_empty()) {
        collector.add_unknown_field("tags");
    }
    if number::<u32>(entry, "anime_id").is_none() {
        let title = text(entry, "anime_title");
        return collector.skip(title.as_deref(), "has no identifier");
    }
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{error, list};

    #[test]
    fn numbers_and_statuses_are_those_of_my_anime_list() {
        let file = list(
            r#"[{"anime_id": 7, "anime_title": 86, "status": 6, "score": 0, "num_watched_episodes": 0,
                "start_date_string": null},
            {"anime_id": 8, "anime_title": "Kumo", "status": 3, "score": 9, "num_watched_episodes": 5,
                "anime_num_episodes": 12, "anime_media_type_string": "TV", "start_date_string": "07-04-20",
                "finish_date_string": "12-25-21", "tags": ""},
            {"anime_id": 9, "anime_title": "Hoshi", "status": 2, "is_rewatching": 1, "num_watched_episodes": 7,
                "start_date_string": "00-00-19"}]"#,
        );
        assert_eq!(file.format.title(), "MyAnimeList load.json");
        file.assert_entries(&[
            "mal 7 \"86\" PLANNING 0 -",
            "mal 8 \"Kumo\" PAUSED 5/12 90 2020-07-04 2021-12-25",
            "mal 9 \"Hoshi\" REPEATING 7 2019",
        ]);
    }

    #[test]
    fn days_of_unknown_order_are_years() {
        let file = list(
            r#"[{"anime_id": 8, "status": 1, "num_watched_episodes": 5, "start_date_string": "07-04-20"}]"#,
        );
        file.assert_entries(&["mal 8 CURRENT 5 2020"]);
        file.assert_remarks(&[
            "Dates of which the file does not tell whether the day or the month is first, so that only the year \
             was taken: 1."
        ]);
    }

    #[test]
    fn manga_are_left_out() {
        let manga = r#"{"manga_id": 21, "num_read_chapters": 3, "status": 1}"#;
        let expected = "The file is a list of manga. Only lists of anime can be imported.";
        assert_eq!(error(format!("[{manga}]")), expected);
        let anime = r#"{"anime_id": 8, "status": 1, "num_watched_episodes": 5}"#;
        let file = list(format!("[{manga}, {anime}]"));
        file.assert_entries(&["mal 8 CURRENT 5"]);
        file.assert_remarks(&["Manga that were left out: 1."]);
    }
}
