//! Formats that are recognized but cannot be read, with an error message for each.

use super::prelude::*;

pub const TAIGA: Format = Format::Xml(ListFormat::Other("Taiga library"), is_taiga, |_, _| {
    Err(ListFileError::new(TAIGA_SENTENCE))
});

pub const NOTIFY_MOE: Format = Format::Json(
    ListFormat::Other("notify.moe JSON"),
    is_notify_moe,
    |_, _| Err(ListFileError::new(NOTIFY_MOE_SENTENCE)),
);

const TAIGA_SENTENCE: &str = "The file is the library of Taiga. Its numbers are those of the service in the \
    name of its folder, which the file does not state. Use Taiga's export to MyAnimeList XML instead.";

const NOTIFY_MOE_SENTENCE: &str = "The file is a list of notify.moe, which has only that service's own identifiers, \
    and no titles, so that its anime cannot be found.";

/// Returns true for the library of Taiga, which has two root elements.
fn is_taiga(xml: &Xml) -> bool {
    let is_root = matches!(xml.root.as_str(), "meta" | "library");
    is_root && xml.text.contains("<library>") && xml.text.contains("<library_id>")
}

fn is_notify_moe(json: &Json) -> bool {
    let is_item = |item: &Object| item.contains_key("animeId");
    json.has(&["userId", "items"]) && json.any_in("items", is_item)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::error;

    #[test]
    fn formats_with_unknown_numbers_are_refused() {
        let taiga = "<?xml version=\"1.0\"?>\n<meta>\n<version>1.4.1</version>\n</meta>\n<library>\n<anime><id>7</id>\
            <library_id>8</library_id><status>2</status></anime>\n</library>\n";
        assert!(error(taiga).contains("library of Taiga"));
        let notify = r#"{"userId": "x", "items": [{"animeId": "0-A", "status": "completed", "episodes": 12}]}"#;
        assert!(error(notify).contains("notify.moe"));
    }
}
