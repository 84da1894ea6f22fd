//! The local list of `MALSync`. The kind of an entry is only in its key, `local://Page/anime/name`, and there are no
//! identifiers.

use super::prelude::*;

pub const FORMAT: Format = Format::Json(ListFormat::Other("MALSync list"), recognize, read);

/// MyAnimeList's numbers of statuses, and `MALSync`'s own for watching again.
const STATUSES: &StatusNumbers = &[
    ("1", WatchStatus::Current),
    ("2", WatchStatus::Completed),
    ("3", WatchStatus::Paused),
    ("4", WatchStatus::Dropped),
    ("6", WatchStatus::Planning),
    ("23", WatchStatus::Repeating),
];

const PREFIX: &str = "local://";

fn recognize(json: &Json) -> bool {
    let mut names = json.fields().map(|(name, _)| name).peekable();
    names.peek().is_some() && names.all(|name| name.starts_with(PREFIX))
}

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = STATUSES;
    for (key, value) in json.fields() {
        collector.check_cancelled()?;
        let mut parts = key.strip_prefix(PREFIX).unwrap_or_default().split('/');
        match parts.nth(1) {
            Some("anime") => add_each(collector, &[value], add_entry)?,
            Some("manga") => collector.leave_out(kinds::MANGA)?,
            _ => collector.leave_out(kinds::OTHER_MEDIA)?,
        }
    }
    Ok(())
}

fn add_entry(collector: &mut EntryCollector, entry: &Object) -> ReadResult {
    let name = text(entry, "name");
    // MALSync writes this word if it could not read the name from a page.
    if name.as_deref() == Some("Unknown") {
        return collector.skip(None, UNIDENTIFIED);
    }
    let mut draft = EntryDraft::default();
    draft.set(EntryField::Title, name);
    draft.set(EntryField::Status, text(entry, "status"));
    draft.set(EntryField::CurrentEpisode, text(entry, "progress"));
    draft.set(EntryField::Score, text(entry, "score"));
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn keys_tell_the_kind() {
        let file = list(
            r#"{"local://Page/anime/one": {"name": "Kumo", "tags": ",malSync::eHg=::",
                "progress": 7, "score": 8, "status": 1},
            "local://Page/anime/two": {"name": "Hoshi", "progress": 12, "score": 0, "status": "2"},
            "local://Page/anime/six": {"name": "Unknown", "progress": 2, "score": 0, "status": 3},
            "local://Page/manga/four": {"name": "Yama", "progress": 36, "score": 9, "status": 1}}"#,
        );
        file.assert_entries(&["\"Kumo\" CURRENT 7 80", "\"Hoshi\" COMPLETED 12 -"]);
        assert_eq!(file.skipped.len(), 1);
        file.assert_remarks(&["Manga that were left out: 1."]);
    }
}
