//! A simple implementation of the catalogue's filters and orders (docs/api.md, "Text patterns" and "List
//! orders"). Tests compare the index with it.

use catalogue::index::{AnimeFilter, SongFilter};
use shared::fold::fold;
use shared::input::{FilterId, TextPattern};
use shared::models::{Anime, Song};

/// Returns the ids of the anime that match the filter, by descending score, then by id.
pub fn anime(all: &[Anime], filter: &AnimeFilter) -> Vec<u64> {
    let mut found: Vec<&Anime> = all
        .iter()
        .filter(|anime| anime_passes(anime, filter))
        .collect();
    found.sort_by(|left, right| {
        let by_score = f64::from(right.score).total_cmp(&f64::from(left.score));
        by_score.then(left.id.cmp(&right.id))
    });
    found.iter().map(|anime| anime.id.get()).collect()
}

fn anime_passes(anime: &Anime, filter: &AnimeFilter) -> bool {
    let has = |ids: &Option<Vec<FilterId>>, id: Option<u64>| {
        ids.as_ref()
            .is_none_or(|ids| id.is_some_and(|id| ids.contains(&FilterId(id))))
    };
    if let Some(title) = &filter.title
        && !anime
            .titles
            .values()
            .any(|text| fold(text).contains(title.as_str()))
    {
        return false;
    }
    if !has(&filter.ids, Some(anime.id.get()))
        || !has(&filter.tracker_a_id, anime.tracker_a_id.map(u64::from))
        || !has(&filter.tracker_b_id, anime.tracker_b_id.map(u64::from))
        || !has(&filter.database_id, anime.database_id.map(u64::from))
    {
        return false;
    }
    if !filter.formats.is_empty() && !filter.formats.contains(&anime.format) {
        return false;
    }
    if filter.status.is_some() && filter.status != Some(anime.status)
        || filter.year.is_some() && filter.year != anime.season_year
        || filter.season.is_some() && filter.season != Some(anime.season_period)
    {
        return false;
    }
    if !filter.genres.is_empty() {
        let wanted = |genre: &String| filter.genres.iter().any(|wanted| genre.contains(&wanted.0));
        if !anime.genres.iter().any(wanted) {
            return false;
        }
    }
    for (wanted, names) in [
        (&filter.studios, &anime.studios),
        (&filter.tags, &anime.tags),
    ] {
        let is_wanted = |name: &String| {
            let folded = fold(name);
            wanted.iter().any(|wanted| wanted.accepts(folded.trim()))
        };
        if !wanted.is_empty() && !names.iter().any(is_wanted) {
            return false;
        }
    }
    if filter.exclude_nsfw && anime.nsfw {
        return false;
    }
    !filter.with_episodes || anime.episodes_count > 0
}

/// Returns the ids of the songs that match the filter, by descending year, then by descending season,
/// then by id.
pub fn songs(all: &[Song], filter: &SongFilter) -> Vec<u64> {
    let mut found: Vec<&Song> = all
        .iter()
        .filter(|song| song_passes(song, filter))
        .collect();
    found.sort_by_key(|song| {
        let season = u8::from(song.season);
        (std::cmp::Reverse((song.year, season)), song.id)
    });
    found.iter().map(|song| song.id.get()).collect()
}

fn song_passes(song: &Song, filter: &SongFilter) -> bool {
    let has = |ids: &Option<Vec<FilterId>>, id: u64| {
        ids.as_ref().is_none_or(|ids| ids.contains(&FilterId(id)))
    };
    let holds = |text: &str, pattern: &Option<TextPattern>| match pattern {
        Some(pattern) => fold(text).contains(pattern.as_str()),
        None => true,
    };
    holds(&song.title, &filter.title)
        && holds(&song.artist, &filter.artist)
        && has(&filter.ids, song.id.get())
        && has(&filter.anime_id, song.anime_id.get())
        && filter.year.is_none_or(|year| year == song.year)
        && filter.season.is_none_or(|season| season == song.season)
        && filter.song_type.is_none_or(|kind| kind == song.song_type)
}
