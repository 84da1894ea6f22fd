//! The episode of an anime or a series that a season and a number name.

use std::cmp::Reverse;
use std::sync::Arc;

use shared::models::{AnimeFormat, AnimeId};

use super::name_query::{NameQuery, has_own_numbers};
use super::searches::NameSearches;
use super::title::season_apart;
use super::title_matches::TitleFit;
use crate::identifiers::IdSource;
use crate::seasons::{AnimeEpisode, AnimeSeasons, Candidates, Series};

/// Most seasons have at most this number of episodes.
const SEASON_EPISODES: u32 = 26;

/// A later season has at most this number of episodes. A higher number counts from the beginning of the series.
const MAX_SEASON_EPISODES: u32 = 100;

/// The maximum number of seasons of a series whose episodes are counted.
const MAX_SEASONS: u16 = 100;

/// A web anime with at most this number of episodes can have more, because sources often keep the number from its first
/// release.
const UNSURE_EPISODES: u32 = 2;

impl AnimeSeasons {
    /// Returns the episodes that a name means, if its title is that of this anime or of its series.
    pub(super) fn episodes_of(
        &self,
        anime: AnimeId,
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let name = &query.name;
        let last = self.last_episode(anime);
        let Some(episode) = name.episode else {
            return candidate(AnimeEpisode { anime, episode: 1 }, last == Some(1));
        };
        match name.season {
            _ if has_own_numbers(name) => {
                let has_room = last.is_none_or(|last| episode <= last);
                candidate(AnimeEpisode { anime, episode }, has_room)
            }
            Some(season) => self.episodes_in_season(anime, (season, episode), query, searches),
            None => self.episodes_counted(anime, episode, searches),
        }
    }

    /// Returns true if an anime has an episode, or if its number of episodes is not final.
    fn may_have(&self, anime: AnimeId, episode: u32) -> bool {
        let is_unsure = || {
            let known = self.index.indexed_anime(anime);
            let is_web = known.is_some_and(|known| known.format == AnimeFormat::Ona);
            is_web && episode <= SEASON_EPISODES
        };
        match self.last_episode(anime) {
            None => true,
            Some(last) => episode <= last || (last <= UNSURE_EPISODES && is_unsure()),
        }
    }

    /// Returns the episode with this number, counted from the beginning of an anime. If the anime has fewer episodes,
    /// the number counts from the beginning of the series: files are often numbered across seasons.
    fn episodes_counted(
        &self,
        anime: AnimeId,
        episode: u32,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let direct = AnimeEpisode { anime, episode };
        let series = self.series_of(anime, searches);
        let mut series = series.iter();
        match self.last_episode(anime) {
            Some(last) if episode <= last => candidate(direct, true),
            Some(_) => {
                let across = series.find_map(|series| self.count_across(*series, anime, episode));
                let may_have = self.may_have(anime, episode);
                across.map_or(candidate(direct, may_have), |found| candidate(found, true))
            }
            None => {
                // The number may be beyond the last episode, if there is a second season.
                let has_sequel = series.any(|series| {
                    let second = self.find(*series, 2, 1);
                    second
                        .episodes
                        .first()
                        .is_some_and(|found| found.anime != anime)
                });
                candidate(direct, episode <= SEASON_EPISODES || !has_sequel)
            }
        }
    }

    /// Returns the episodes of a season that may be meant. The anime has the title of the name.
    fn episodes_in_season(
        &self,
        anime: AnimeId,
        (season, episode): (u16, u32),
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let name = &query.name;
        let direct = AnimeEpisode { anime, episode };
        let series = self.series_of(anime, searches);
        // The title of a later season or part differs from the title of the series, so the number counts within the
        // anime.
        let is_own_season = season == 1
            || season_apart(&name.title).is_some_and(|(_, own)| own == season)
            || has_number_at_end(&name.title, season);
        let is_own = is_own_season && !self.begins_series(anime, &series);
        if is_own && season > 0 && self.may_have(anime, episode) {
            return candidate(direct, true);
        }
        let mut certain: Vec<AnimeEpisode> = Vec::new();
        let mut guesses = Vec::new();
        for series in &*series {
            let found = self.find(*series, season, episode);
            certain.extend(found.certain());
            guesses.extend(found.episodes);
        }
        certain.dedup();
        // The specials of a series are not a series with several episodes.
        let is_series = |episode: &AnimeEpisode| {
            let known = self.index.indexed_anime(episode.anime);
            known.is_some_and(|known| known.format == AnimeFormat::Tv && known.episodes_count > 1)
        };
        if season == 0 && certain.iter().any(is_series) {
            guesses.splice(..0, certain.drain(..));
        }
        // The services can number a series differently, and a name does not tell which service it is from.
        if !certain.is_empty() {
            let is_certain = certain.len() == 1 && !is_own;
            return Candidates::new(certain, is_certain);
        }
        if season > 1 {
            let mut numbered = query.with_title(format!("{} {season}", name.title));
            numbered.name.year = None;
            if let Some(&TitleFit { anime, .. }) = self.find_exact(&numbered, searches).first() {
                let of_season = AnimeEpisode { anime, episode };
                return candidate(of_season, self.may_have(anime, episode));
            }
        }
        if is_own_season && guesses.is_empty() {
            return candidate(direct, self.may_have(anime, episode));
        }
        if season > 1 && episode > MAX_SEASON_EPISODES {
            return self.episodes_counted(anime, episode, searches);
        }
        Candidates::new(guesses, false)
    }

    /// Returns true if an anime has the first episode of one of its series, or if none of them is known.
    fn begins_series(&self, anime: AnimeId, series: &[Series]) -> bool {
        let is_first = |series: &Series| {
            let first = self.find(*series, 1, 1).episodes;
            first.first().is_some_and(|first| first.anime == anime)
        };
        series.is_empty() || series.iter().any(is_first)
    }

    /// Returns the episode of a series with this number, counted from the first episode of the first season. Returns
    /// `None` if the number is that of an episode before this anime, because such an episode has another title.
    fn count_across(&self, series: Series, anime: AnimeId, number: u32) -> Option<AnimeEpisode> {
        let mut rest = number;
        let mut counted = Vec::new();
        for season in 1..=MAX_SEASONS {
            let mut episode = 1;
            while let Some(first) = self.find(series, season, episode).certain().copied() {
                let last = self.last_episode(first.anime)?;
                let here = last.checked_add(1)?.checked_sub(first.episode)?;
                // An anime can go on in the next season.
                if !counted.contains(&first.anime) {
                    counted.push(first.anime);
                    if rest <= here {
                        let episode = first.episode + rest - 1;
                        let found = AnimeEpisode { episode, ..first };
                        return counted.contains(&anime).then_some(found);
                    }
                    rest -= here;
                }
                episode = episode.saturating_add(here.max(1));
            }
            if episode == 1 {
                return None;
            }
        }
        None
    }

    /// Returns the series of an anime, first the series at `TheTVDB`: most media servers number episodes as it does.
    pub(super) fn series_of(&self, anime: AnimeId, searches: &mut NameSearches) -> Arc<[Series]> {
        searches.series_of(anime, || {
            let id = self.anidb_id(anime)?;
            let mut series: Vec<Series> = self.map.series_of(id).collect();
            series.sort_by_key(|series| Reverse(series.source));
            Some((series.into(), self.map.len()))
        })
    }

    pub(super) fn anidb_id(&self, anime: AnimeId) -> Option<u32> {
        let mut ids = self.identified(anime)?.identifiers.iter();
        let at_anidb = ids.find(|known| known.source == IdSource::Anidb)?;
        Some(at_anidb.id)
    }
}

fn candidate(episode: AnimeEpisode, is_certain: bool) -> Candidates<AnimeEpisode> {
    Candidates::new([episode], is_certain)
}

/// Returns true if the last word of a title is this number.
fn has_number_at_end(title: &str, number: u16) -> bool {
    let last = title.split_whitespace().next_back();
    last.is_some_and(|last| last.parse() == Ok(number))
}
