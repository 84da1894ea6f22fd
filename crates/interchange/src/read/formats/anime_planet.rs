//! The JSON exports of Anime-Planet. They have titles and no identifiers.

use serde_json::value::RawValue;

use super::prelude::*;
use crate::collector::MANGA_LIST;

pub const FORMAT: Format = Format::Json(
    ListFormat::Other("Anime-Planet JSON"),
    |json| kind_of(json).is_some() && json.has(&["user", "entries"]),
    read,
);

const WONT_WATCH: &str = "Anime that the user does not want to watch";

fn kind_of<'f>(json: &Json<'f>) -> Option<&'f RawValue> {
    field_of(json.field("export")?, "type")
}

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    if kind_of(json).is_some_and(|kind| kind.get() == "\"manga\"") {
        return Err(ListFileError::new(MANGA_LIST));
    }
    collector.scale = HighestScore::OfFormat(5.0);
    add_each(collector, &json.array("entries")?, add_entry)
}

fn add_entry(collector: &mut EntryCollector, entry: &Object) -> ReadResult {
    let word = text(entry, "status").unwrap_or_default();
    if word == "won't watch" {
        return collector.leave_out(WONT_WATCH);
    }
    let status = status_of(&word, &[]);
    let episode = number::<u32>(entry, "eps");
    let mut draft = EntryDraft {
        status,
        ..EntryDraft::default()
    };
    draft.set(EntryField::Title, text(entry, "name"));
    draft.set(EntryField::Status, Some(word));
    draft.set_number(EntryField::CurrentEpisode, episode);
    draft.set(EntryField::Score, text(entry, "rating"));
    let (started, completed) = (text(entry, "started"), text(entry, "completed"));
    // If several episodes began and ended in the same second, the entry was marked as a whole, possibly on a later day.
    let is_marked =
        started.is_some() && started == completed && episode.is_none_or(|episode| episode > 1);
    if !is_marked {
        // An entry that is marked later can begin after its end.
        let is_late = started > completed && completed.is_some();
        draft.set(EntryField::StartedOn, started.filter(|_| !is_late));
        // The same field also has the day on which an entry was dropped.
        let is_completed = status == Some(WatchStatus::Completed);
        draft.set(EntryField::FinishedOn, completed.filter(|_| is_completed));
    }
    let times = number::<u32>(entry, "times").and_then(|times| times.checked_sub(1));
    draft.set_number(EntryField::Repeats, times);
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{error, list};

    fn export(kind: &str, entries: &str) -> String {
        format!(
            r#"{{"user": {{"name": "x"}}, "export": {{"type": "{kind}", "version": "0.1a"}}, "entries": [{entries}]}}"#
        )
    }

    #[test]
    fn times_and_days_are_those_of_watching() {
        let file = list(export(
            "anime",
            r#"{"name": "Kumo", "status": "watched", "started": "2017-05-11 12:25:57-07",
                "completed": "2017-06-01 23:30:00-07",
                "rating": 4.5, "times": 3, "eps": 12},
            {"name": "Hoshi", "status": "dropped", "started": null, "completed": "2020-08-29 16:25:16-07", "rating": 0,
                "times": 0, "eps": 3},
            {"name": "Umi", "status": "watched", "started": "2020-08-29 16:25:16-07",
                "completed": "2020-08-29 16:25:16-07", "rating": 2, "times": 1, "eps": 26},
            {"name": "Mori", "status": "won't watch", "started": null, "rating": 0, "times": 0, "eps": 0},
            {"name": "Yama", "status": "stalled", "started": "2021-01-02 00:00:00-08",
                "completed": "2020-01-01 00:00:00-08", "rating": 0, "times": 0, "eps": 1}"#,
        ));
        file.assert_entries(&[
            "\"Kumo\" COMPLETED 12 90 2017-05-11 2017-06-01 x2",
            "\"Hoshi\" DROPPED 3 -",
            "\"Umi\" COMPLETED 26 40",
            "\"Yama\" PAUSED 1 -",
        ]);
        file.assert_remarks(&["Anime that the user does not want to watch that were left out: 1."]);
    }

    #[test]
    fn list_of_manga_is_refused() {
        let manga =
            r#"{"name": "Kumo", "status": "read", "rating": 5, "times": 1, "ch": 108, "vol": 12}"#;
        let expected = "The file is a list of manga. Only lists of anime can be imported.";
        assert_eq!(error(export("manga", manga)), expected);
    }
}
