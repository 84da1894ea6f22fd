//! The JSON export of Ryot. Each watched episode, and each watching of a movie, is a row in the history of its work.

use super::prelude::*;

pub const FORMAT: Format = Format::Json(ListFormat::Mixed("Ryot JSON"), recognize, read);

/// The names of the list of works, the older one last.
const LISTS: [&str; 2] = ["metadata", "media"];

fn recognize(json: &Json) -> bool {
    let is_work = |work: &Object| {
        let names = ["lot", "identifier", "seen_history"];
        names.iter().all(|name| work.contains_key(*name))
    };
    LISTS.iter().any(|name| json.any_in(name, is_work))
}

fn read(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(100.0);
    for list in LISTS {
        add_each(collector, &json.array(list)?, add_work)?;
    }
    Ok(())
}

struct SeenEntry {
    /// The season and the episode. Anime have no season. If the whole work was watched, both are missing.
    season: Option<u16>,
    episode: Option<u32>,
    state: String,
    started_on: String,
    ended_on: String,
}

impl SeenEntry {
    fn of(row: &Object) -> Self {
        let text = |name: &str| text(row, name).unwrap_or_default();
        let is_complete = number(row, "progress") == Some(100_u32);
        let state = match text("state") {
            state if state.is_empty() && is_complete => "completed".to_owned(),
            state => state,
        };
        Self {
            season: number(row, "show_season_number"),
            episode: number(row, "anime_episode_number")
                .or_else(|| number(row, "show_episode_number")),
            state,
            started_on: text("started_on"),
            ended_on: text("ended_on"),
        }
    }

    fn is_completed(&self) -> bool {
        self.state == "completed"
    }

    fn end(&self) -> Option<&str> {
        Some(self.ended_on.as_str()).filter(|end| !end.is_empty())
    }
}

fn add_work(collector: &mut EntryCollector, work: &Object) -> ReadResult {
    let kind = match text(work, "lot").as_deref() {
        Some("anime") => IdKind::Anime,
        Some("show") => IdKind::Series,
        Some("movie") => IdKind::Movie,
        Some("manga") => return collector.leave_out(kinds::MANGA),
        _ => return collector.leave_out(kinds::OTHER_MEDIA),
    };
    let mut draft = EntryDraft::default();
    let identifier = text(work, "identifier");
    let source = text(work, "source");
    match (kind, source.as_deref().unwrap_or_default()) {
        (IdKind::Anime, "anilist") => draft.set(EntryField::AniListId, identifier),
        (IdKind::Anime, "myanimelist" | "mal") => draft.set(EntryField::MalId, identifier),
        (IdKind::Anime, "kitsu") => draft.add_id(IdSource::Kitsu, kind, identifier),
        (IdKind::Series | IdKind::Movie, "tmdb") => {
            draft.add_id(IdSource::Database, kind, identifier);
        }
        (IdKind::Series | IdKind::Movie, "tvdb") => draft.add_id(IdSource::Tvdb, kind, identifier),
        (IdKind::Series | IdKind::Movie, "imdb") => draft.add_id(IdSource::Imdb, kind, identifier),
        // An identifier of another source, or one that the user has chosen, cannot be used. Only the title is left.
        _ => {}
    }
    // The export has the title in this field.
    let title = text(work, "source_id").unwrap_or_default();
    draft.set(EntryField::Title, Some(title.clone()));
    let seen: Vec<SeenEntry> = objects(work, "seen_history").map(SeenEntry::of).collect();
    let collections: Vec<String> = objects(work, "collections")
        .filter_map(|collection| text(collection, "collection_name"))
        .map(|name| name.to_lowercase())
        .collect();
    draft.status = find_status(&seen, &collections);
    add_review(&mut draft, work);
    if kind == IdKind::Series {
        for row in seen.iter().filter(|row| row.is_completed()) {
            add_episode(collector, row, &draft, &title)?;
        }
    } else {
        add_history(&mut draft, &seen, kind);
    }
    if draft.status.is_none() {
        let says_nothing = draft.texts.value(EntryField::Score).is_none()
            && draft.texts.value(EntryField::Notes).is_none();
        if says_nothing {
            return collector.skip(Some(&title), "is in no list, and has not been watched");
        }
        draft.is_details_only = true;
        draft.status = Some(WatchStatus::Planning);
    }
    collector.add(&draft)
}

/// Returns the status of a work, from its history and the user's collections.
fn find_status(seen: &[SeenEntry], collections: &[String]) -> Option<WatchStatus> {
    let is_in = |name: &str| collections.iter().any(|collection| collection == name);
    let has = |state: &str| seen.iter().any(|row| row.state == state);
    let is_whole = |row: &SeenEntry| row.is_completed() && row.episode.is_none();
    let whole = seen.iter().any(is_whole);
    if is_in("completed") || whole {
        Some(WatchStatus::Completed)
    } else if has("dropped") {
        Some(WatchStatus::Dropped)
    } else if has("on_a_hold") {
        Some(WatchStatus::Paused)
    } else if !seen.is_empty() || is_in("in progress") {
        Some(WatchStatus::Current)
    } else if is_in("watchlist") {
        Some(WatchStatus::Planning)
    } else {
        None
    }
}

/// Sets score and notes from the last review of the whole work.
fn add_review(draft: &mut EntryDraft, work: &Object) {
    let of_episode = [
        "anime_episode_number",
        "show_episode_number",
        "show_season_number",
    ];
    let reviews = objects(work, "reviews")
        .filter(|review| of_episode.iter().all(|name| text(review, name).is_none()))
        .rev();
    for review in reviews {
        // The last review counts, because a field keeps the first value that is set.
        draft.set(EntryField::Score, text(review, "rating"));
        draft.set(EntryField::Notes, text(review, "review.text"));
    }
}

fn add_episode(
    collector: &mut EntryCollector,
    row: &SeenEntry,
    draft: &EntryDraft,
    title: &str,
) -> ReadResult {
    match (row.season, row.episode) {
        (Some(0), _) => collector.leave_out(kinds::SPECIALS),
        (season, Some(episode)) => collector.add_watched(WatchedRow {
            title: title_of(title),
            season,
            episode: Some(episode),
            ids: draft.ids.clone(),
            at_ms: row.end().and_then(watched_at),
            ..WatchedRow::default()
        }),
        // If the whole series was watched, its status says so.
        (_, None) => Ok(()),
    }
}

/// Sets the progress, the days and the repeats of an anime or a movie from its history.
fn add_history(draft: &mut EntryDraft, seen: &[SeenEntry], kind: IdKind) {
    let completed: Vec<&SeenEntry> = seen.iter().filter(|row| row.is_completed()).collect();
    let last = completed.iter().filter_map(|row| row.episode).max();
    let progress = match (kind, completed.is_empty()) {
        (IdKind::Movie, false) => Some(1),
        _ => last,
    };
    draft.set_number(EntryField::CurrentEpisode, progress);
    let starts = seen.iter().map(|row| row.started_on.as_str());
    let starts = starts.filter(|start| !start.is_empty());
    // The day of the first episode is the start date, but the day of a whole work is its finish date.
    let firsts = completed.iter().filter(|row| row.episode.is_some());
    let start = starts.chain(firsts.filter_map(|row| row.end())).min();
    draft.set(EntryField::StartedOn, start.map(ToOwned::to_owned));
    if draft.status == Some(WatchStatus::Completed) {
        let of_last = completed
            .iter()
            .filter(|row| row.episode.is_none() || row.episode == last);
        let ends = of_last.clone().filter_map(|row| row.end());
        draft.set(EntryField::FinishedOn, ends.min().map(ToOwned::to_owned));
        let repeats = of_last.count().saturating_sub(1);
        if repeats > 0 {
            draft.set_number(EntryField::Repeats, Some(repeats));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::list;

    #[test]
    fn history_of_an_anime_is_its_progress() {
        let file = list(
            r#"{"metadata": [
            {"lot": "anime", "source": "anilist", "identifier": "7", "source_id": "Kumo",
                "collections": [{"collection_name": "Completed"}],
                "seen_history": [
                    {"state": "completed", "ended_on": "2026-02-01", "anime_episode_number": 1},
                    {"state": "completed", "ended_on": "2026-02-27", "anime_episode_number": 12}],
                "reviews": [{"rating": "82.5", "review": {"text": "good"}}]},
            {"lot": "anime", "source": "myanimelist", "identifier": "8", "source_id": "Hoshi", "collections": [],
                "seen_history": [
                    {"state": "completed", "ended_on": "2026-03-01", "anime_episode_number": 1},
                    {"state": "in_progress", "progress": "40", "anime_episode_number": 2}], "reviews": []},
            {"lot": "anime", "source": "custom", "identifier": "9", "source_id": "Umi",
                "collections": [{"collection_name": "Watchlist"}], "seen_history": [], "reviews": []},
            {"lot": "manga", "source": "anilist", "identifier": "7", "source_id": "Kumo", "seen_history": []},
            {"lot": "video_game", "source": "igdb", "identifier": "7", "source_id": "Kumo", "seen_history": []}]}"#,
        );
        file.assert_entries(&[
            "anilist 7 \"Kumo\" COMPLETED 12 82.5 2026-02-01 2026-02-27 \"good\"",
            "mal 8 \"Hoshi\" CURRENT 1 2026-03-01",
            "\"Umi\" PLANNING",
        ]);
        file.assert_remarks(&[
            "Games, books and other media that were left out: 1.",
            "Manga that were left out: 1.",
        ]);
    }

    #[test]
    fn series_and_movies_have_numbers_of_their_own() {
        let file = list(
            r#"{"media": [
            {"lot": "show", "source": "tmdb", "identifier": "7", "source_id": "Umi",
                "collections": [{"collection_name": "In Progress"}],
                "seen_history": [
                    {"state": "completed", "ended_on": "2026-04-02", "show_season_number": 3,
                        "show_episode_number": 14},
                    {"state": "completed", "show_season_number": 0, "show_episode_number": 1},
                    {"state": "dropped", "show_season_number": 3, "show_episode_number": 15}]},
            {"lot": "movie", "source": "tmdb", "identifier": "7", "source_id": "Mori", "collections": [],
                "seen_history": [{"state": "completed", "ended_on": "2025-12-24"},
                    {"state": "completed", "ended_on": "2026-12-24"}], "reviews": [{"rating": "100", "review": null}]},
            {"lot": "movie", "source": "tmdb", "identifier": "8", "source_id": "Kawa", "seen_history": [],
                "reviews": [{"rating": "50"}]},
            {"lot": "movie", "source": "tmdb", "identifier": "9", "source_id": "Yama", "seen_history": []}]}"#,
        );
        file.assert_entries(&[
            "database series 7 \"Umi\" DROPPED",
            "database movie 7 \"Mori\" COMPLETED 1 100 2025-12-24 x1",
            "database movie 8 \"Kawa\" no status 50",
        ]);
        file.assert_watched(&["database series 7 \"Umi\" S3E14 2026-04-02T12:00:00Z"]);
        let expected = "is in no list, and has not been watched";
        assert_eq!(file.skipped[0].reason, expected);
    }
}
