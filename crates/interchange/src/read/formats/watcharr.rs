//! The JSON export of Watcharr, which has series and movies of The Movie Database. The status of a series is that of
//! all its seasons together.

use super::prelude::*;

pub const FORMAT: Format = Format::Json(ListFormat::Mixed("Watcharr JSON"), recognize, read);

const STATUSES: &StatusNumbers = &[
    ("FINISHED", WatchStatus::Completed),
    ("WATCHING", WatchStatus::Current),
    ("PLANNED", WatchStatus::Planning),
    ("HOLD", WatchStatus::Paused),
    ("DROPPED", WatchStatus::Dropped),
];

fn recognize(json: &Json) -> bool {
    let is_item = |item: &Object| {
        let is_content = text(item, "content.tmdbId").is_some() || item.contains_key("game");
        let status = text(item, "status").unwrap_or_default();
        is_content && STATUSES.iter().any(|(word, _)| *word == status)
    };
    json.any_element(is_item)
}

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    collector.status_numbers = STATUSES;
    add_each(collector, &json.array("")?, add_item)
}

fn add_item(collector: &mut EntryCollector, item: &Object) -> ReadResult {
    let Some(content) = object_at(item, "content") else {
        return collector.leave_out(kinds::OTHER_MEDIA);
    };
    let kind = match text(content, "type").as_deref() {
        Some("movie") => IdKind::Movie,
        Some("tv") => IdKind::Series,
        _ => return collector.leave_out(kinds::OTHER_MEDIA),
    };
    // Each season and episode gets a copy of the title.
    let title = text(content, "title").and_then(|title| title_of(&title));
    let title = title.unwrap_or_default();
    let year = text(content, "release_date").and_then(|date| parse_year(&date));
    let new_draft = || {
        let mut draft = EntryDraft {
            year,
            ..EntryDraft::default()
        };
        draft.add_id(IdSource::Database, kind, text(content, "tmdbId"));
        draft.set(EntryField::Title, Some(title.clone()));
        draft
    };
    let mut draft = new_draft();
    draft.set(EntryField::Status, text(item, "status"));
    draft.set(EntryField::Score, text(item, "rating"));
    draft.set(EntryField::Notes, text(item, "thoughts"));
    if kind == IdKind::Movie {
        add_plays(&mut draft, item);
        return collector.add(&draft);
    }
    for row in objects(item, "watchedEpisodes") {
        add_episode(collector, row, &draft, &title)?;
    }
    collector.add(&draft)?;
    for season in objects(item, "watchedSeasons") {
        let mut of_season = new_draft();
        match number(season, "seasonNumber") {
            Some(0) => {
                collector.leave_out(kinds::SPECIALS)?;
                continue;
            }
            None => continue,
            number => of_season.season = number,
        }
        of_season.set(EntryField::Status, text(season, "status"));
        of_season.set(EntryField::Score, text(season, "rating"));
        collector.add(&of_season)?;
    }
    Ok(())
}

fn add_episode(
    collector: &mut EntryCollector,
    row: &Object,
    draft: &EntryDraft,
    title: &str,
) -> ReadResult {
    let season = number(row, "seasonNumber");
    if text(row, "status").as_deref() != Some("FINISHED") {
        return collector.leave_out(kinds::NOT_WATCHED);
    }
    if season == Some(0) {
        return collector.leave_out(kinds::SPECIALS);
    }
    collector.add_watched(WatchedRow {
        title: title_of(title),
        year: draft.year,
        season,
        episode: number(row, "episodeNumber"),
        ids: draft.ids.clone(),
        at_ms: time(row, "createdAt"),
        ..WatchedRow::default()
    })
}

/// Sets the progress, the day and the repeats of a movie that was watched. Only dates that the user has entered or
/// imported count, and the day on which the movie was marked as watched. The day on which it was added to the list does
/// not count.
fn add_plays(draft: &mut EntryDraft, item: &Object) {
    if text(item, "status").as_deref() != Some("FINISHED") {
        return;
    }
    draft.set(EntryField::CurrentEpisode, Some("1"));
    let mut days = Vec::new();
    for activity in objects(item, "activity") {
        let kind = text(activity, "type").unwrap_or_default();
        let custom = text(activity, "customDate");
        if kind.starts_with("IMPORTED_ADDED_WATCHED") || kind.starts_with("ADDED_WATCHED") {
            days.extend(custom);
        } else if kind.starts_with("STATUS_CHANGED")
            && text(activity, "data").is_some_and(|data| data.contains("FINISHED"))
        {
            days.extend(custom.or_else(|| text(activity, "createdAt")));
        }
    }
    days.retain(|day| watched_at(day).is_some());
    days.sort_unstable();
    days.dedup();
    draft.set(EntryField::FinishedOn, days.first().cloned());
    if days.len() > 1 {
        draft.set_number(EntryField::Repeats, Some(days.len() - 1));
    }
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn series_and_movies_have_numbers_of_their_own() {
        let file = list(
            r#"[{"status": "WATCHING", "rating": 7.5, "thoughts": "",
                "content": {"tmdbId": 7, "title": "Umi", "type": "tv"},
                "activity": [], "watchedSeasons": [{"seasonNumber": 1, "status": "FINISHED", "rating": 8},
                    {"seasonNumber": 0, "status": "FINISHED", "rating": 8}],
                "watchedEpisodes": [
                    {"seasonNumber": 3, "episodeNumber": 14, "status": "FINISHED", "createdAt": "2026-04-02T20:00:00Z"},
                    {"seasonNumber": 3, "episodeNumber": 15, "status": "WATCHING"},
                    {"seasonNumber": 0, "episodeNumber": 1, "status": "FINISHED"}]},
            {"status": "FINISHED", "rating": 10, "thoughts": "good",
                "content": {"tmdbId": 7, "title": "Mori", "type": "movie", "release_date": "2001-07-20"},
                "activity": [{"type": "ADDED_WATCHED", "createdAt": "2026-04-01T20:00:00Z"},
                    {"type": "IMPORTED_ADDED_WATCHED", "customDate": "2025-12-24T18:00:00Z"}]},
            {"status": "FINISHED", "rating": 6, "game": {"igdbId": 7, "name": "Kawa"}, "activity": []}]"#,
        );
        assert_eq!(file.format.title(), "Watcharr JSON");
        file.assert_entries(&[
            "database series 7 \"Umi\" CURRENT 75",
            "database series 7 \"Umi\" season 1 COMPLETED 80",
            "database movie 7 \"Mori\" (2001) COMPLETED 1 100 2025-12-24 \"good\"",
        ]);
        file.assert_watched(&["database series 7 \"Umi\" S3E14 2026-04-02T20:00:00Z"]);
        file.assert_remarks(&[
            "Episodes and movies that were not watched that were left out: 1.",
            "Games, books and other media that were left out: 1.",
            "Special episodes that were left out: 2.",
        ]);
    }
}
