//! The XML of MyAnimeList's export, and the variants that other trackers write.

use super::prelude::*;
use crate::collector::MANGA_LIST;
use crate::field::{FieldName, FieldTexts};

pub const FORMAT: Format = Format::Xml(ListFormat::MalXml, |xml| xml.root == "myanimelist", read);

/// MyAnimeList's numbers of statuses. No status has the number 5.
pub const STATUS_NUMBERS: &StatusNumbers = &[
    ("1", WatchStatus::Current),
    ("2", WatchStatus::Completed),
    ("3", WatchStatus::Paused),
    ("4", WatchStatus::Dropped),
    ("6", WatchStatus::Planning),
];

fn read(xml: &Xml, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = STATUS_NUMBERS;
    let (mut is_of_manga, mut has_anime) = (false, false);
    xml.for_each(collector, |element, collector| {
        match element.name.as_str() {
            "anime" => {
                has_anime = true;
                let mut texts = FieldTexts::default();
                for field in &element.children {
                    let text = field.text();
                    match FieldName::of(&field.name) {
                        FieldName::Known(field) => texts.set(field, text),
                        FieldName::Unknown if !matches!(text.trim(), "" | "0") => {
                            collector.add_unknown_field(&field.name);
                        }
                        _ => {}
                    }
                }
                collector.add_texts(texts)
            }
            "manga" => collector.leave_out(kinds::MANGA),
            "myinfo" => {
                let kind = element.text_of("user_export_type");
                is_of_manga = is_of_manga || kind == Some("2");
                Ok(())
            }
            _ => Ok(()),
        }
    })?;
    if is_of_manga && !has_anime {
        return Err(ListFileError::new(MANGA_LIST));
    }
    Ok(())
}
