//! Kitsu: saved responses of its API (`library-entries`), and the list that the program animeManga-autoBackup saves.

use std::collections::BTreeMap;

use super::prelude::*;

/// The maximum number of mappings that are read for an anime. Each entry about the anime gets them. Real anime have
/// about 10.
const MAX_MAPPINGS: usize = 100;

pub const API: Format = Format::Json(
    ListFormat::Other("Kitsu JSON"),
    |json| {
        json.any_in("data", |element| {
            let kind = text(element, "type");
            matches!(kind.as_deref(), Some("libraryEntries" | "library-entries"))
        })
    },
    read_api,
);

pub const BACKUP: Format = Format::Json(
    ListFormat::Other("Kitsu JSON of animeManga-autoBackup"),
    |json| {
        json.any_element(|entry| {
            at(entry, "current.episode").is_some() && at(entry, "metadata.mappings").is_some()
        })
    },
    read_backup,
);

/// The anime and manga of the file's entries.
#[derive(Default)]
struct Included {
    anime: BTreeMap<String, Object>,
    mappings: BTreeMap<String, Object>,
}

fn read_api(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(20.0);
    let mut included = Included::default();
    for element in json.array("included")? {
        collector.check_cancelled()?;
        let Some(element) = object(element) else {
            continue;
        };
        let Some(id) = text(&element, "id") else {
            continue;
        };
        match text(&element, "type").as_deref() {
            Some("anime") => included.anime.insert(id, element),
            Some("mappings") => included.mappings.insert(id, element),
            _ => None,
        };
    }
    add_each(collector, &json.array("data")?, |collector, entry| {
        add(entry, &included, collector)
    })?;
    let links = json.field("links").and_then(object);
    if links.is_some_and(|links| text(&links, "next").is_some()) {
        collector.remark("The file is one page of the list. Import the other pages, too.");
    }
    Ok(())
}

fn add(entry: &Object, included: &Included, collector: &mut EntryCollector) -> ReadResult {
    // Anime, manga and dramas have separate number spaces, so the relationship shows what an entry is about.
    let Some(id) = text(entry, "relationships.anime.data.id") else {
        let is = |kind: &str| at(entry, &format!("relationships.{kind}.data.id")).is_some();
        let has = |kind: &str| at(entry, &format!("relationships.{kind}")).is_some();
        return if is("manga") || has("manga") && !has("anime") {
            collector.leave_out(kinds::MANGA)
        } else if is("drama") {
            collector.leave_out(kinds::NO_ANIME)
        } else {
            collector.skip(None, "the file does not say which anime it is about")
        };
    };
    let Some(attributes) = object_at(entry, "attributes") else {
        return collector.skip(None, "has no status");
    };
    let mut draft = EntryDraft::default();
    draft.add_id(IdSource::Kitsu, IdKind::Anime, Some(&id));
    for (field, name) in [
        (EntryField::Status, "status"),
        (EntryField::Rewatching, "reconsuming"),
        (EntryField::CurrentEpisode, "progress"),
        (EntryField::Score, "ratingTwenty"),
        (EntryField::StartedOn, "startedAt"),
        (EntryField::FinishedOn, "finishedAt"),
        (EntryField::Repeats, "reconsumeCount"),
        (EntryField::Notes, "notes"),
        (EntryField::Private, "private"),
        (EntryField::CreatedAt, "createdAt"),
        (EntryField::UpdatedAt, "updatedAt"),
    ] {
        draft.set(field, text(attributes, name));
    }
    if !attributes.contains_key("ratingTwenty") {
        // Older responses have ratings from 0.5 to 5.
        let rating = text(attributes, "rating").map(|rating| format!("{rating}/5"));
        draft.set(EntryField::Score, rating);
    }
    if let Some(anime) = included.anime.get(&id) {
        add_anime(anime, included, &mut draft);
    }
    collector.add(&draft)
}

fn add_anime(anime: &Object, included: &Included, draft: &mut EntryDraft) {
    draft.set(EntryField::Title, text(anime, "attributes.canonicalTitle"));
    draft.set(EntryField::Episodes, text(anime, "attributes.episodeCount"));
    draft.set(EntryField::Format, text(anime, "attributes.subtype"));
    draft.set(EntryField::Year, text(anime, "attributes.startDate"));
    let mappings = array(anime, "relationships.mappings.data").iter();
    for mapping in mappings.take(MAX_MAPPINGS) {
        let id = mapping.get("id").and_then(plain_text);
        let Some(mapping) = id.and_then(|id| included.mappings.get(&id)) else {
            continue;
        };
        // Some mappings have the word `anime` as their identifier.
        let is_number = |id: &String| id.bytes().all(|byte| byte.is_ascii_digit());
        let number = text(mapping, "attributes.externalId").filter(is_number);
        match text(mapping, "attributes.externalSite").as_deref() {
            Some("myanimelist/anime") => draft.set(EntryField::MalId, number),
            Some("anilist/anime") => draft.set(EntryField::AniListId, number),
            Some("anidb") => draft.add_id(IdSource::Anidb, IdKind::Anime, number),
            _ => {}
        }
    }
}

fn read_backup(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = &[("stopped", WatchStatus::Dropped)];
    add_each(collector, &json.array("")?, add_of_backup)
}

fn add_of_backup(collector: &mut EntryCollector, entry: &Object) -> ReadResult {
    if at(entry, "current.episode").is_none() {
        return collector.leave_out(kinds::MANGA);
    }
    let mut draft = EntryDraft::default();
    for (field, name) in [
        (EntryField::AniListId, "metadata.mappings.aniList"),
        (EntryField::MalId, "metadata.mappings.mal"),
        (EntryField::Title, "title"),
        (EntryField::Status, "status"),
        (EntryField::CurrentEpisode, "current.episode"),
        (EntryField::Rewatching, "current.isRepeating"),
        (EntryField::Score, "rating"),
        (EntryField::StartedOn, "date.start"),
        (EntryField::FinishedOn, "date.finish"),
        (EntryField::Repeats, "repeatCount"),
        (EntryField::Notes, "notes"),
        (EntryField::Private, "isPrivate"),
    ] {
        draft.set(field, text(entry, name));
    }
    let anidb = text(entry, "metadata.mappings.aniDb");
    draft.add_id(IdSource::Anidb, IdKind::Anime, anidb);
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn relationship_tells_what_an_entry_is_about() {
        let file = list(
            r#"{"data": [
            {"type": "libraryEntries", "attributes": {"status": "completed", "progress": 12, "ratingTwenty": 17,
                "reconsuming": false, "reconsumeCount": 1, "private": true, "startedAt": "2023-08-01T00:00:00.000Z"},
                "relationships": {"anime": {"data": {"type": "anime", "id": "7"}}}},
            {"type": "libraryEntries", "attributes": {"status": "current"},
                "relationships": {"manga": {"data": {"type": "manga", "id": "7"}}}},
            {"type": "libraryEntries", "attributes": {"status": "on_hold"}, "relationships": {"anime": {"data": null}}},
            {"type": "libraryEntries", "attributes": {"status": "on_hold", "reconsuming": true, "rating": "4.5"},
                "relationships": {"anime": {"data": {"id": "8"}}}}],
            "included": [{"type": "anime", "id": "7", "attributes": {"canonicalTitle": "Kumo", "episodeCount": 12},
                "relationships": {"mappings": {"data": [{"id": "1"}, {"id": "2"}, {"id": "3"}]}}},
            {"type": "mappings", "id": "1", "attributes": {"externalSite": "myanimelist/anime", "externalId": "77"}},
            {"type": "mappings", "id": "2", "attributes": {"externalSite": "anidb", "externalId": "78"}},
            {"type": "mappings", "id": "3", "attributes": {"externalSite": "anilist/anime", "externalId": "anime"}}]}"#,
        );
        assert_eq!(file.format.title(), "Kitsu JSON");
        file.assert_entries(&[
            "mal 77 kitsu anime 7 anidb anime 78 \"Kumo\" COMPLETED 12/12 85 2023-08-01 x1 private",
            "kitsu anime 8 REPEATING 90",
        ]);
        file.assert_remarks(&["Manga that were left out: 1."]);
        let skipped: Vec<_> = file.skipped.iter().map(|entry| entry.position).collect();
        assert_eq!(skipped, [3]);
    }

    #[test]
    fn mappings_after_the_first_are_left_out() {
        let mappings = vec![r#"{"id": "1"}"#; 1_000].join(",");
        let mapping = r#""attributes": {"externalSite": "anidb", "externalId": "78"}"#;
        let file = list(format!(
            r#"{{"data": [{{"type": "libraryEntries", "attributes": {{"status": "current"}},
                "relationships": {{"anime": {{"data": {{"id": "7"}}}}}}}}],
            "included": [{{"type": "anime", "id": "7", "relationships": {{"mappings": {{"data": [{mappings}]}}}}}},
                {{"type": "mappings", "id": "1", {mapping}}}]}}"#
        ));
        assert_eq!(file.entries[0].ids.len(), 20);
    }

    #[test]
    fn backup_is_read() {
        let file = list(
            r#"[{"title": "Kumo", "status": "stopped", "current": {"episode": 5, "isRepeating": false}, "rating": 7.5,
                "date": {"start": "2020-01-02", "finish": null}, "repeatCount": 0, "isPrivate": true, "notes": "Rain",
                "metadata": {"mappings": {"aniList": 7, "mal": "8", "aniDb": 9}}}]"#,
        );
        file.assert_entries(&[
            "anilist 7 mal 8 anidb anime 9 \"Kumo\" DROPPED 5 75 2020-01-02 private \"Rain\"",
        ]);
    }
}
