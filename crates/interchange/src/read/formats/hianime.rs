//! The exports of `HiAnime` (`AniWatch`, Zoro): JSON and XML by folders, JSON without folders, and text. They have the
//! address of a MyAnimeList page for each anime, and no progress.

use super::prelude::*;

pub const JSON: Format = Format::Json(ListFormat::Other("HiAnime JSON"), recognize_json, read_json);

pub const XML: Format = Format::Xml(
    ListFormat::Other("HiAnime XML"),
    |xml| xml.root == "list" && xml.text.contains("<folder>"),
    |xml, collector| xml.for_each(collector, add_folder),
);

pub const TEXT: Format =
    Format::Table(ListFormat::Other("HiAnime text"), recognize_text, read_text);

const STATUSES: &StatusNumbers = &[
    ("1", WatchStatus::Current),
    ("2", WatchStatus::Paused),
    ("3", WatchStatus::Planning),
    ("4", WatchStatus::Dropped),
    ("5", WatchStatus::Completed),
];

const STATUS_FIELD: &str = "watchListType";

fn recognize_json(json: &Json) -> bool {
    let is_item = |item: &Object| {
        let names = ["name", "link", "mal_id", STATUS_FIELD];
        let has_names = item.contains_key("name") && item.contains_key("link");
        has_names && item.keys().all(|name| names.contains(&name.as_str()))
    };
    json.any_element(|item| is_item(item) && item.contains_key(STATUS_FIELD))
        || json.fields().all(|(folder, _)| json.has_array(folder))
            && json
                .fields()
                .any(|(folder, _)| json.any_in(folder, is_item))
}

fn read_json(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.status_numbers = STATUSES;
    if json.fields().next().is_none() {
        return add_each(collector, &json.array("")?, |collector, item| {
            add_object(collector, item, None)
        });
    }
    for (folder, items) in json.fields() {
        add_each(collector, &elements_of(items)?, |collector, item| {
            add_object(collector, item, Some(folder))
        })?;
    }
    Ok(())
}

fn add_object(collector: &mut EntryCollector, item: &Object, folder: Option<&str>) -> ReadResult {
    let texts = [STATUS_FIELD, "name", "link"].map(|name| text(item, name).unwrap_or_default());
    let [status, name, link] = texts.each_ref().map(String::as_str);
    let status = folder.unwrap_or(status);
    add_item(collector, status, name, link, text(item, "mal_id"))
}

fn add_folder(folder: &Element, collector: &mut EntryCollector) -> ReadResult {
    if folder.name != "folder" {
        return Ok(());
    }
    let status = folder.text_of("name").unwrap_or_default();
    let data = folder.children_of("data");
    for item in data.flat_map(|data| data.children_of("item")) {
        let [name, link] = ["name", "link"].map(|name| item.text_of(name).unwrap_or_default());
        add_item(collector, status, name, link, None)?;
    }
    Ok(())
}

/// Returns true for the text format, which begins with a folder.
fn recognize_text(table: &TextTable) -> bool {
    let first = table.text.lines().find(|line| !line.trim().is_empty());
    let folder = first.and_then(|line| line.trim().strip_prefix('#'));
    folder.is_some_and(|folder| status_of(folder.trim(), &[]).is_some())
}

fn read_text(table: &TextTable, collector: &mut EntryCollector) -> ReadResult {
    let mut folder = "";
    for line in table.text.lines() {
        collector.check_cancelled()?;
        let line = line.trim();
        // A title can also begin with a number sign, but its line has a link.
        match line.strip_prefix('#') {
            Some(name) if !line.contains(" | ") => folder = name.trim(),
            _ if line.is_empty() => {}
            _ => {
                // A title can also contain a vertical bar.
                let line = line.strip_suffix('|').map_or(line, str::trim_end);
                let (name, link) = line.rsplit_once(" | ").unwrap_or((line, ""));
                let is_link = link.trim().starts_with("http");
                let (name, link) = if is_link { (name, link) } else { (line, "") };
                add_item(collector, folder, name, link, None)?;
            }
        }
    }
    Ok(())
}

fn add_item(
    collector: &mut EntryCollector,
    status: &str,
    name: &str,
    link: &str,
    number: Option<String>,
) -> ReadResult {
    let link = link.trim();
    let page = link.split_once("myanimelist.net/").map(|(_, page)| page);
    if page.is_some_and(|page| page.starts_with("manga/")) {
        return collector.leave_out(kinds::MANGA);
    }
    let anime = page.and_then(|page| page.strip_prefix("anime/"));
    let id = anime.and_then(|page| page.split(|c: char| !c.is_ascii_digit()).next());
    let id = id.filter(|id| !id.is_empty());
    let mut draft = EntryDraft::default();
    draft.set(EntryField::MalId, id.map(ToOwned::to_owned));
    draft.set(EntryField::MalId, number);
    draft.set(EntryField::Title, Some(name.trim().to_owned()));
    draft.set(EntryField::Status, Some(status.to_owned()));
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{list, summary};

    const EXPECTED: [&str; 3] = [
        "mal 7 \"Kumo\" CURRENT",
        "mal 8 \"Hoshi | Umi\" PAUSED",
        "\"Mori\" COMPLETED",
    ];

    #[test]
    fn folders_are_statuses_in_all_forms() {
        let mut file = list(
            r#"{"Completed": [{"name": "Mori", "link": ""}],
            "On-Hold": [{"name": "Hoshi | Umi", "link": "https://myanimelist.net/anime/8/x"}],
            "Watching": [{"name": "Kumo", "link": "https://myanimelist.net/anime/7"},
                {"name": "Yama", "link": "https://myanimelist.net/manga/7"}], "Dropped": []}"#,
        );
        file.assert_remarks(&["Manga that were left out: 1."]);
        file.entries.reverse();
        let mut lines = summary(&file);
        lines.sort();
        let mut expected = EXPECTED.to_vec();
        expected.sort_unstable();
        assert_eq!(lines, expected);
        let file = list(
            "# Watching\nKumo | https://myanimelist.net/anime/7\n# On-Hold\n\
             Hoshi | Umi | https://myanimelist.net/anime/8\n\n\
             # Completed\nMori | \n",
        );
        assert_eq!(file.format.title(), "HiAnime text");
        file.assert_entries(&EXPECTED);
        let folder = |name: &str, anime: &str, link: &str| {
            format!(
                "<folder><name>{name}</name><data><item><name>{anime}</name><link>{link}</link></item></data></folder>"
            )
        };
        let folders = folder("Watching", "Kumo", "https://myanimelist.net/anime/7")
            + &folder("On-Hold", "Hoshi | Umi", "https://myanimelist.net/anime/8")
            + &folder("Completed", "Mori", "");
        let file = list(format!("<?xml version=\"1.0\"?><list>{folders}</list>"));
        file.assert_entries(&EXPECTED);
    }

    #[test]
    fn numbers_of_statuses_are_those_of_hianime() {
        let file = list(
            r#"[{"link": "https://myanimelist.net/anime/7", "name": "Kumo", "mal_id": 7, "watchListType": 1},
            {"link": null, "name": "Hoshi | Umi", "mal_id": 8, "watchListType": 2},
            {"link": null, "name": "Mori", "mal_id": null, "watchListType": 5}]"#,
        );
        file.assert_entries(&EXPECTED);
    }
}
