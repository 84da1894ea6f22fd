//! The lists of MyAnimeList's API: its response, and the array of anime that the program malexport saves.

use super::prelude::*;

pub const FORMAT: Format = Format::Json(
    ListFormat::Other("MyAnimeList API JSON"),
    |json| {
        json.elements_have(&["my_list_status"])
            || json.any_in("data", |element| {
                element.contains_key("node") && element.contains_key("list_status")
            })
    },
    read,
);

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    let is_page = json
        .field("paging")
        .is_some_and(|paging| object(paging).is_some_and(|paging| paging.contains_key("next")));
    if is_page {
        collector.remark("The file is one page of the list. Import the other pages, too.");
    }
    let name = if json.has(&["data"]) { "data" } else { "" };
    let elements = json.array(name)?;
    add_each(collector, &elements, add)
}

fn add(collector: &mut EntryCollector, element: &Object) -> ReadResult {
    let part = |name| object_at(element, name);
    // In malexport's array the anime is the element itself, and its own status and dates are about the release.
    let anime = part("node").unwrap_or(element);
    let status = part("list_status").or_else(|| part("my_list_status"));
    let title = text(anime, "title");
    let Some(status) = status else {
        return collector.skip(title.as_deref(), "has no status");
    };
    if status.contains_key("num_chapters_read") {
        return collector.leave_out(kinds::MANGA);
    }
    let mut draft = EntryDraft::default();
    draft.set(EntryField::MalId, text(anime, "id"));
    draft.set(EntryField::Title, title);
    draft.set(EntryField::Episodes, text(anime, "num_episodes"));
    draft.set(EntryField::Format, text(anime, "media_type"));
    draft.set(EntryField::Year, text(anime, "start_season.year"));
    draft.set(EntryField::Year, text(anime, "start_date"));
    for (field, name) in [
        (EntryField::Status, "status"),
        (EntryField::Rewatching, "is_rewatching"),
        (EntryField::CurrentEpisode, "num_episodes_watched"),
        // The documents of the API state this name.
        (EntryField::CurrentEpisode, "num_watched_episodes"),
        (EntryField::Score, "score"),
        (EntryField::StartedOn, "start_date"),
        (EntryField::FinishedOn, "finish_date"),
        (EntryField::Repeats, "num_times_rewatched"),
        (EntryField::Notes, "comments"),
        (EntryField::UpdatedAt, "updated_at"),
    ] {
        draft.set(field, text(status, name));
    }
    if !array(status, "tags").is_empty() {
        collector.add_unknown_field("tags");
    }
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn answer_of_the_api_is_read() {
        let file = list(
            r#"{"data": [{"node": {"id": 7, "title": "Kumo"}, "list_status": {"status": "completed", "score": 8,
                "num_episodes_watched": 12, "is_rewatching": false, "start_date": "2018", "finish_date": "2018-09",
                "num_times_rewatched": 2, "comments": "Rain"}},
            {"node": {"id": 8}, "list_status": {"status": "completed", "is_rewatching": true,
                "num_watched_episodes": 3}},
            {"node": {"id": 21}, "list_status": {"status": "reading", "num_chapters_read": 3}}],
            "paging": {"next": "https://example.org/2"}}"#,
        );
        assert_eq!(file.format.title(), "MyAnimeList API JSON");
        file.assert_entries(&[
            "mal 7 \"Kumo\" COMPLETED 12 80 2018 2018-09 x2 \"Rain\"",
            "mal 8 REPEATING 3",
        ]);
        file.assert_remarks(&[
            "The file is one page of the list. Import the other pages, too.",
            "Manga that were left out: 1.",
        ]);
    }

    #[test]
    fn status_of_the_release_is_not_that_of_the_user() {
        let file = list(
            r#"[{"id": 7, "title": "Kumo", "status": "finished_airing", "start_date": "2011-04-06",
                "num_episodes": 24, "media_type": "tv", "my_list_status": {"status": "dropped", "score": 3,
                "num_episodes_watched": 2, "start_date": "2025-12-24"}}]"#,
        );
        file.assert_entries(&["mal 7 \"Kumo\" (2011) DROPPED 2/24 30 2025-12-24"]);
    }
}
