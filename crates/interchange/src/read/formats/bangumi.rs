//! The JSON and CSV that bangumi-takeout makes of a list at Bangumi. The identifiers are Bangumi's own, so only the
//! titles and years can be used.

use super::prelude::*;

pub const JSON: Format = Format::Json(ListFormat::Other("Bangumi JSON"), recognize_json, read_json);

pub const CSV: Format = Format::Table(
    ListFormat::Other("Bangumi CSV"),
    |table| table.has(&["名称", "条目类型", "状态"]),
    read_csv,
);

/// The numbers in JSON, and the words in CSV.
const STATUSES: &StatusNumbers = &[
    ("1", WatchStatus::Planning),
    ("2", WatchStatus::Completed),
    ("3", WatchStatus::Current),
    ("4", WatchStatus::Paused),
    ("5", WatchStatus::Dropped),
    ("想看", WatchStatus::Planning),
    ("看过", WatchStatus::Completed),
    ("在看", WatchStatus::Current),
    ("搁置", WatchStatus::Paused),
    ("抛弃", WatchStatus::Dropped),
];

fn recognize_json(json: &Json) -> bool {
    let is_entry =
        |entry: &Object| entry.contains_key("subject_id") && entry.contains_key("subject_type");
    json.has(&["meta", "data"]) && json.any_in("data", is_entry)
}

fn read_json(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = STATUSES;
    add_each(collector, &json.array("data")?, add_entry)
}

fn add_entry(collector: &mut EntryCollector, entry: &Object) -> ReadResult {
    match text(entry, "subject_type").as_deref() {
        Some("2") => {}
        Some("1") => return collector.leave_out(kinds::MANGA),
        Some("6") => return collector.leave_out(kinds::NO_ANIME),
        _ => return collector.leave_out(kinds::OTHER_MEDIA),
    }
    let mut draft = EntryDraft::default();
    for (field, name) in [
        (EntryField::Title, "subject_data.name"),
        (EntryField::Title, "subject_data.name_cn"),
        (EntryField::Year, "subject_data.date"),
        (EntryField::Status, "type"),
        (EntryField::CurrentEpisode, "ep_status"),
        (EntryField::Score, "rate"),
        (EntryField::Notes, "comment"),
        (EntryField::Private, "private"),
    ] {
        draft.set(field, text(entry, name));
    }
    collector.add(&draft)
}

fn read_csv(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = STATUSES;
    table.for_each(collector, add_row)
}

fn add_row(row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
    match row.cell("条目类型").unwrap_or_default() {
        "动画" => {}
        "书籍" => return collector.leave_out(kinds::MANGA),
        "三次元" => return collector.leave_out(kinds::NO_ANIME),
        _ => return collector.leave_out(kinds::OTHER_MEDIA),
    }
    let mut draft = EntryDraft::default();
    draft.set(EntryField::Title, row.value(&["名称", "名称(中文)"]));
    for (field, name, none) in [
        (EntryField::Status, "状态", ""),
        (EntryField::CurrentEpisode, "完成度", ""),
        (EntryField::Score, "我的评分", "(无评分)"),
        (EntryField::Notes, "我的评论", "(无评论)"),
    ] {
        let cell = row.cell(name);
        draft.set(field, cell.map(|cell| if cell == none { "" } else { cell }));
    }
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn kind_and_status_are_different_numbers() {
        let entry = |kind: u32, status: u32| {
            format!(
                r#"{{"subject_id": 7, "subject_type": {kind}, "type": {status}, "rate": 9, "ep_status": 4,
                    "comment": "good",
                    "private": true, "subject_data": {{"name": "蜘蛛", "name_cn": "", "date": "2011-04-06"}}}}"#
            )
        };
        let entries = [entry(2, 3), entry(1, 2), entry(6, 2), entry(4, 2)].join(",");
        let file = list(format!(r#"{{"meta": {{}}, "data": [{entries}]}}"#));
        file.assert_entries(&["\"蜘蛛\" (2011) CURRENT 4 90 private \"good\""]);
        file.assert_remarks(&[
            "Games, books and other media that were left out: 1.",
            "Manga that were left out: 1.",
            "Series and movies that are not anime that were left out: 1.",
        ]);
    }

    #[test]
    fn csv_has_words() {
        let file = list(
            "\u{feff}名称,名称(中文),条目类型,地址,状态,最后标注,完成度,我的评分,我的标签,我的评论\n\
             蜘蛛,,动画,https://bgm.tv/subject/7,抛弃,2026-05-01 12:00:00,3 | 12,(无评分),,(无评论)\n\
             ,星,动画,https://bgm.tv/subject/8,看过,2026-05-01 12:00:00,12 | 12,8,,good\n\
             山,,书籍,https://bgm.tv/subject/9,看过,,0 | 108,8,,\n",
        );
        file.assert_entries(&[
            "\"蜘蛛\" DROPPED 3/12 -",
            "\"星\" COMPLETED 12/12 80 \"good\"",
        ]);
    }
}
