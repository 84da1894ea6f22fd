//! Simkl: its backup (`SimklBackup.json`, alone or in an archive), and its CSV.

use std::collections::BTreeMap;

use super::prelude::*;
use crate::values::parse_format;

pub const JSON: Format = Format::Json(
    ListFormat::Mixed("Simkl JSON"),
    |json| {
        let is_simkl = |entry: &Object| {
            let kinds = ["show.ids.simkl", "movie.ids.simkl", "anime.ids.simkl"];
            kinds.iter().any(|path| at(entry, path).is_some())
        };
        LISTS.iter().any(|name| json.any_in(name, is_simkl))
    },
    read_json,
);

pub const CSV: Format = Format::Table(
    ListFormat::Mixed("Simkl CSV"),
    |table| table.has(&["LastEpWatched", "Watchlist"]),
    |table, collector| {
        collector.scale = HighestScore::OfFormat(10.0);
        table.for_each(collector, add_row)
    },
);

const LISTS: [&str; 3] = ["anime", "shows", "movies"];

const STATUSES: &StatusNumbers = &[("notinteresting", WatchStatus::Dropped)];

fn read_json(json: &Json, collector: &mut EntryCollector) -> ReadResult {
    collector.scale = HighestScore::OfFormat(10.0);
    let mut repeats: BTreeMap<String, u32> = BTreeMap::new();
    // Another run through an anime is a row of its own.
    for element in json.array("anime")? {
        collector.check_cancelled()?;
        if let Some(entry) = object(element)
            && is_true(&entry, "is_rewatch")
            && text(&entry, "rewatch_status").is_none_or(|status| status == "completed")
            && let Some(id) = text(&entry, "show.ids.simkl")
        {
            *repeats.entry(id).or_default() += 1;
        }
    }
    for list in LISTS {
        add_each(collector, &json.array(list)?, |collector, entry| {
            if is_true(entry, "is_rewatch") {
                return Ok(());
            }
            add(entry, list == "anime", &repeats, collector)
        })?;
    }
    Ok(())
}

fn add(
    entry: &Object,
    is_anime: bool,
    repeats: &BTreeMap<String, u32>,
    collector: &mut EntryCollector,
) -> ReadResult {
    let work = ["show", "movie", "anime"];
    let work = work.iter().find_map(|name| object_at(entry, name));
    let Some(work) = work else {
        return collector.skip(None, UNIDENTIFIED);
    };
    let mut ids = ["ids.mal", "ids.anidb", "ids.anilist"].into_iter();
    if !is_anime && !ids.any(|path| at(work, path).is_some()) {
        return collector.leave_out(kinds::NO_ANIME);
    }
    let status = text(entry, "status").and_then(|status| status_of(&status, STATUSES));
    let Some(status) = status else {
        return collector.skip(text(work, "title").as_deref(), "its status is unknown");
    };
    let mut draft = EntryDraft {
        status: Some(status),
        ..EntryDraft::default()
    };
    draft.set(EntryField::MalId, text(work, "ids.mal"));
    draft.set(EntryField::AniListId, text(work, "ids.anilist"));
    draft.add_id(IdSource::Anidb, IdKind::Anime, text(work, "ids.anidb"));
    draft.add_id(IdSource::Kitsu, IdKind::Anime, text(work, "ids.kitsu"));
    draft.format = text(entry, "anime_type").and_then(|kind| parse_format(&kind));
    // The other identifiers of a series name all its seasons, while the entry is one of them.
    if draft.format == Some(AnimeFormat::Movie) {
        draft.add_id(IdSource::Database, IdKind::Movie, text(work, "ids.tmdb"));
        draft.add_id(IdSource::Imdb, IdKind::Movie, text(work, "ids.imdb"));
    }
    draft.set(EntryField::Title, text(work, "title"));
    draft.set(EntryField::Year, text(work, "year"));
    let watched = text(entry, "watched_episodes_count");
    draft.set(EntryField::CurrentEpisode, watched);
    let total = text(entry, "total_episodes_count");
    let not_aired = number::<u32>(entry, "not_aired_episodes_count").unwrap_or(0);
    draft.set(EntryField::Episodes, total.filter(|_| not_aired == 0));
    draft.set(EntryField::Score, text(entry, "user_rating"));
    draft.set(EntryField::Notes, text(entry, "memo.text"));
    draft.set(EntryField::CreatedAt, text(entry, "added_to_watchlist_at"));
    let first = first_watched(entry).and_then(shared::times::format_ms);
    draft.set(EntryField::StartedOn, first);
    if status == WatchStatus::Completed {
        let last = text(entry, "last_watched_at").filter(|time| watched_at(time).is_some());
        draft.set(EntryField::FinishedOn, last);
    }
    let again = text(work, "ids.simkl").and_then(|id| repeats.get(&id));
    draft.set_number(EntryField::Repeats, again);
    collector.add(&draft)
}

/// Returns the earliest time at which an episode was watched.
fn first_watched(entry: &Object) -> Option<u64> {
    let episodes = objects(entry, "seasons").flat_map(|season| array(season, "episodes"));
    let times = episodes.filter_map(|episode| watched_at(episode.get("watched_at")?.as_str()?));
    times.min()
}

fn add_row(row: &TableRow, collector: &mut EntryCollector) -> ReadResult {
    let mal = row.value(&["MAL_ID", "MAL"]).filter(|id| *id != "0");
    let kind = row.cell("Type").unwrap_or_default();
    let is_anime = kind.eq_ignore_ascii_case("anime");
    if !is_anime && mal.is_none() {
        return collector.leave_out(kinds::NO_ANIME);
    }
    let title = row.cell("Title");
    let status = row.cell("Watchlist").unwrap_or_default();
    let Some(status) = status_of(status, STATUSES) else {
        return collector.skip(title, "its status is unknown");
    };
    let mut draft = EntryDraft {
        status: Some(status),
        ..EntryDraft::default()
    };
    draft.set(EntryField::MalId, mal);
    if mal.is_none() {
        // These identifiers name the whole series, so they count only if the series is one anime.
        for (source, names) in [
            (IdSource::Tvdb, ["TVDB", "TVDB_ID"]),
            (IdSource::Database, ["TMDB", "TMDB_ID"]),
            (IdSource::Imdb, ["IMDB", "IMDB_ID"]),
        ] {
            draft.add_id(source, IdKind::Series, row.value(&names));
        }
    }
    draft.set(EntryField::Title, title);
    draft.set(EntryField::Year, row.cell("Year"));
    // The last episode is s1e12, S03E07 or 7. A completed anime has none.
    let last = row.value(&["LastEpWatched"]);
    let episode = last.map(|last| last.rsplit(['e', 'E']).next().unwrap_or(last));
    draft.set(EntryField::CurrentEpisode, episode);
    draft.set(EntryField::Score, row.cell("Rating"));
    draft.set(EntryField::Notes, row.value(&["Memo"]));
    if status == WatchStatus::Completed {
        draft.set(EntryField::FinishedOn, row.value(&["WatchedDate"]));
    }
    collector.add(&draft)
}

#[cfg(test)]
mod tests {
    use crate::read::formats::tests::{list, zip_of};

    const BACKUP: &str = r#"{
        "movies": [{"status": "completed", "movie": {"title": "Film", "ids": {"simkl": 1, "tmdb": "155"}}}],
        "shows": [{"status": "watching", "show": {"title": "Show", "ids": {"simkl": 2, "tmdb": "1396"}}}],
        "anime": [{"status": "completed", "user_rating": 8, "watched_episodes_count": 12, "total_episodes_count": 12,
            "last_watched_at": "2023-06-10T19:00:00Z", "memo": {"text": "Rain"}, "anime_type": "tv",
            "show": {"title": "Kumo", "year": 2011, "ids": {"simkl": 3, "mal": "7", "anidb": 8, "tmdb": "9"}},
            "seasons": [{"number": 1, "episodes": [{"number": 2, "watched_at": "2023-05-21T19:00:00Z"},
                {"number": 1, "watched_at": "2023-05-20T19:00:00Z"}]}]},
        {"is_rewatch": true, "rewatch_status": "completed", "status": "completed", "show": {"ids": {"simkl": 3}}},
        {"status": "hold", "user_rating": null, "watched_episodes_count": 5, "last_watched_at": "1970-01-01T00:00:01Z",
            "memo": {}, "show": {"title": "Hoshi", "ids": {"simkl": 4, "mal": 10}},
            "seasons": [{"number": 1, "episodes": [{"number": 1, "watched_at": "1970-01-01T00:00:01Z"}]}]},
        {"status": "plantowatch", "watched_episodes_count": 0, "anime_type": "movie",
            "show": {"title": "Mori", "ids": {"simkl": 5, "tmdb": "11", "imdb": "tt0245429"}}}]}"#;

    const ENTRIES: [&str; 3] = [
        "mal 7 anidb anime 8 \"Kumo\" (2011) COMPLETED 12/12 80 2023-05-20 2023-06-10 x1 \"Rain\"",
        "mal 10 \"Hoshi\" PAUSED 5",
        "database movie 11 imdb movie 245429 \"Mori\" PLANNING 0",
    ];

    #[test]
    fn backup_is_read() {
        let file = list(BACKUP);
        assert_eq!(file.format.title(), "Simkl JSON");
        file.assert_entries(&ENTRIES);
        file.assert_remarks(&["Series and movies that are not anime that were left out: 2."]);
        let archive = zip_of(&[
            ("backup/SimklBackup.json", BACKUP),
            ("__MACOSX/._SimklBackup.json", "x"),
        ]);
        list(archive).assert_entries(&ENTRIES);
    }

    #[test]
    fn csv_is_read() {
        let file = list(
            "SIMKL_ID,Title,Type,Year,Watchlist,LastEpWatched,WatchedDate,Rating,Memo,TVDB,TMDB,IMDB,MAL_ID\n\
             1,Kumo,anime,2011,completed,s1e24,18-06-2023 19:00:00,8,Rain,9,10,,7\n\
             2,Hoshi,anime,2006,on hold,S02E05,2023-01-02,,,79481,13916,tt0877057,\n\
             3,Show,tv show,2008,watching,s2e3,,10,,81189,1396,,\n\
             4,Mori,anime,2001,plan to watch,7,,,,,,,8\n",
        );
        file.assert_entries(&[
            "mal 7 \"Kumo\" (2011) COMPLETED 24 80 2023-06-18 \"Rain\"",
            "tvdb series 79481 database series 13916 imdb series 877057 \"Hoshi\" (2006) PAUSED 5 -",
            "mal 8 \"Mori\" (2001) PLANNING 7 -",
        ]);
    }
}
