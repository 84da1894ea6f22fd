//! The library of Annict, as scripts save the response of its GraphQL interface. It has neither progress nor scores.

use serde_json::value::RawValue;

use super::prelude::*;

pub const FORMAT: Format = Format::Json(ListFormat::Other("Annict JSON"), recognize, read);

const STATUSES: &StatusNumbers = &[
    ("WANNA_WATCH", WatchStatus::Planning),
    ("WATCHING", WatchStatus::Current),
    ("WATCHED", WatchStatus::Completed),
    ("ON_HOLD", WatchStatus::Paused),
    ("STOP_WATCHING", WatchStatus::Dropped),
];

/// Works that the user has looked at but that are not in the library.
const NO_STATE: &str = "Works without a status";

fn nodes<'f>(json: &Json<'f>) -> Option<&'f RawValue> {
    let viewer = match json.field("data") {
        Some(data) => field_of(data, "viewer")?,
        None => json.field("viewer")?,
    };
    field_of(field_of(viewer, "libraryEntries")?, "nodes")
}

fn recognize(json: &Json) -> bool {
    let nodes = nodes(json).and_then(|nodes| elements_of(nodes).ok());
    let first = nodes.and_then(|nodes| object(nodes.first()?));
    first.is_some_and(|node| text(&node, "work.annictId").is_some())
}

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.status_numbers = STATUSES;
    let nodes = nodes(json).ok_or_else(wrong_shape)?;
    add_each(collector, &elements_of(nodes)?, add_node)
}

fn add_node(collector: &mut EntryCollector, node: &Object) -> ReadResult {
    let status = text(node, "work.viewerStatusState").or_else(|| text(node, "status.state"));
    if status.as_deref() == Some("NO_STATE") {
        return collector.leave_out(NO_STATE);
    }
    let mut draft = EntryDraft::default();
    draft.set(EntryField::Status, status);
    for (field, name) in [
        (EntryField::MalId, "work.malAnimeId"),
        (EntryField::Title, "work.title"),
        (EntryField::Title, "work.titleEn"),
        (EntryField::Title, "work.titleRo"),
        (EntryField::Episodes, "work.episodesCount"),
        (EntryField::Year, "work.seasonYear"),
    ] {
        draft.set(field, text(node, name));
    }
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn states_are_those_of_annict() {
        let work = |id: u32, mal: &str, state: &str| {
            format!(
                r#"{{"work": {{"annictId": {id}, "title": "蜘蛛", "malAnimeId": {mal}, "seasonYear": 2011,
                    "episodesCount": 12, "viewerStatusState": "{state}"}}}}"#
            )
        };
        let works = [
            work(1, "\"7\"", "WATCHED"),
            work(2, "\"8\"", "STOP_WATCHING"),
            work(3, "null", "WANNA_WATCH"),
            work(4, "\"9\"", "NO_STATE"),
        ]
        .join(",");
        let viewer = format!(r#""viewer": {{"libraryEntries": {{"nodes": [{works}]}}}}"#);
        for text in [
            format!("{{{viewer}}}"),
            format!(r#"{{"data": {{{viewer}}}}}"#),
        ] {
            let file = list(text);
            file.assert_entries(&[
                "mal 7 \"蜘蛛\" (2011) COMPLETED",
                "mal 8 \"蜘蛛\" (2011) DROPPED",
                "\"蜘蛛\" (2011) PLANNING",
            ]);
            assert_eq!(file.entries[0].episodes, Some(12));
            file.assert_remarks(&["Works without a status that were left out: 1."]);
        }
    }
}
