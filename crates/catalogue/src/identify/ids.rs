//! Anime by identifiers.

use shared::models::{AnimeFormat, AnimeId, IdKind, IdSource, StatedId};

use super::evidence::{Conflict, Contradiction, Evidence, Identification, MatchReason};
use super::searches::NameSearches;
use crate::seasons::{AnimeEpisode, AnimeSeasons, Candidates, Series};

impl AnimeSeasons {
    /// Returns the anime that the identifiers name. It is certain if they lead to one episode, and nothing contradicts
    /// it.
    pub(super) fn identify_by_ids(
        &self,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Identification {
        if let Some(anime) = evidence.anime_id {
            let episode = evidence.episode.unwrap_or(1);
            let found = self.checked(evidence, AnimeEpisode { anime, episode });
            return Identification::new(found, MatchReason::AnimeId);
        }
        let known = evidence
            .ids
            .iter()
            .map(|id| (*id, self.find_id(evidence, *id)));
        let known: Vec<_> = known
            .filter(|(_, found)| !found.episodes.is_empty())
            .collect();
        // An identifier of an anime or a movie says more than an identifier of a series.
        let of_series = |id: &StatedId| id.kind == IdKind::Series && id.source.has_seasons();
        let (by_series, direct): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|(id, _)| of_series(id));
        let mut identified = Identification::default();
        for (found, is_series) in [(direct, false), (by_series, true)] {
            identified = join(identified, &found, is_series);
            if identified.certain.is_some() || !identified.conflicts.is_empty() {
                break;
            }
        }
        if let Some(certain) = identified.certain() {
            let conflicts = self.contradictions(certain.anime, evidence, searches);
            let conflicts = conflicts.into_iter().map(|contradiction| Conflict {
                by_id: certain.anime,
                contradiction,
            });
            identified.conflicts.extend(conflicts);
        }
        if !identified.conflicts.is_empty() {
            identified.certain = None;
        }
        identified
    }

    /// Returns the episodes that an identifier may name, with the season and the episode of the evidence.
    fn find_id(&self, evidence: &Evidence, id: StatedId) -> Candidates<AnimeEpisode> {
        match (id.kind, id.source) {
            (IdKind::Anime, source) if source.is_of_anime() => self.find_anime_id(evidence, id),
            (IdKind::Movie, IdSource::Database | IdSource::Imdb) => {
                self.find_movie(id.source, id.id)
            }
            (IdKind::Series, source) if source.has_seasons() => self.find_series_id(evidence, id),
            // IMDb has one number space for series and movies, and no seasons.
            (IdKind::Series, IdSource::Imdb) => self.find_only_anime(evidence, id),
            _ => Candidates::default(),
        }
    }

    fn find_anime_id(&self, evidence: &Evidence, id: StatedId) -> Candidates<AnimeEpisode> {
        // Specials of an anime have numbers of their own.
        let episode = evidence
            .episode
            .filter(|_| evidence.season != Some(0))
            .or_else(|| names_whole_anime(evidence).then_some(1));
        let Some(episode) = episode else {
            return Candidates::default();
        };
        let found = self.mapping.find(id.source, id.id, None);
        self.checked_if_only(evidence, found.map(|known| (known.id, episode)), true)
    }

    fn find_series_id(&self, evidence: &Evidence, id: StatedId) -> Candidates<AnimeEpisode> {
        let series = Series {
            source: id.source,
            id: id.id,
        };
        let mut anime = self.map.anime_of(series);
        if anime.next().is_none() {
            return self.find_only_anime(evidence, id);
        }
        // Without a season, the number counts from the first episode of the series.
        let is_single = anime.next().is_none();
        let season = evidence.season.or(is_single.then_some(1));
        match (season, evidence.episode) {
            _ if evidence.is_entry => self.find_entry_of_series(evidence, series),
            (Some(season), Some(episode)) => self.find(series, season, episode),
            _ => Candidates::default(),
        }
    }

    /// Returns the anime of a series that an entry of a list names: that of the season, or the only one of the series.
    fn find_entry_of_series(
        &self,
        evidence: &Evidence,
        series: Series,
    ) -> Candidates<AnimeEpisode> {
        let anime = self.map.anime_of_season(series, evidence.season);
        let mut anime: Vec<u32> = anime.collect();
        anime.dedup();
        let ids = anime.iter().flat_map(|anime| self.at_anidb(*anime));
        let mut found = Candidates::new(ids.map(|anime| AnimeEpisode { anime, episode: 1 }), false);
        found.is_certain = found.episodes.len() == 1 && anime.len() == 1;
        found
    }

    /// Returns the anime with an identifier of a series that the season map does not have. It is certain if the series
    /// has no other anime, and the season is the first or unknown.
    fn find_only_anime(&self, evidence: &Evidence, id: StatedId) -> Candidates<AnimeEpisode> {
        let of_series = self.mapping.find(id.source, id.id, evidence.season);
        let of_series = of_series.filter(|known| {
            let mut ids = known.identifiers.iter();
            ids.any(|known| {
                (known.source, known.id) == (id.source, id.id) && known.is_movie != Some(true)
            })
        });
        let episode = evidence.episode.filter(|_| !evidence.is_entry);
        let episodes = of_series.map(|known| (known.id, episode.unwrap_or(1)));
        let has_number = episode.is_some() || names_whole_anime(evidence);
        let is_first_season = evidence.season.is_none_or(|season| season == 1);
        self.checked_if_only(evidence, episodes, has_number && is_first_season)
    }

    /// Returns these episodes. If there is only one and `may_be_certain` is true, it is certain if the anime has it.
    fn checked_if_only(
        &self,
        evidence: &Evidence,
        episodes: impl Iterator<Item = (AnimeId, u32)>,
        may_be_certain: bool,
    ) -> Candidates<AnimeEpisode> {
        let episodes = episodes.map(|(anime, episode)| AnimeEpisode { anime, episode });
        let found = Candidates::new(episodes, false);
        match found.episodes.as_slice() {
            [only] if may_be_certain => self.checked(evidence, *only),
            _ => found,
        }
    }

    /// Returns the episode, which is certain if the anime has it.
    fn checked(&self, evidence: &Evidence, found: AnimeEpisode) -> Candidates<AnimeEpisode> {
        let AnimeEpisode { anime, episode } = found;
        let episode = if evidence.is_entry { 1 } else { episode };
        let is_known = self.index.episodes_count(anime).is_some();
        let last = self.last_episode(anime);
        let has_it = episode > 0 && last.is_none_or(|last| episode <= last);
        // A movie without a number is not a series of several episodes.
        let is_movie = evidence.episode.is_none() && !evidence.is_entry;
        let is_single = last.is_none_or(|last| last == 1);
        let is_certain =
            is_known && has_it && (is_single || !is_movie || evidence.anime_id.is_some());
        let found = is_known.then_some(AnimeEpisode { anime, episode });
        Candidates::new(found, is_certain)
    }

    /// Returns what contradicts this anime, to which an identifier led. A title contradicts it only if it is exactly
    /// that of another anime, and of no anime of the same series: titles in other languages are often unknown.
    fn contradictions(
        &self,
        anime: AnimeId,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Vec<Contradiction> {
        let by_title = self.contradicting_title(anime, evidence, searches);
        let Some(known) = self.index.indexed_anime(anime) else {
            return by_title.into_iter().collect();
        };
        let is_first_season = evidence.season.is_none_or(|season| season == 1);
        // The year of a series is that of its first anime, and an anime that runs over the turn of a year can have
        // either year.
        let stated = evidence
            .year
            .filter(|_| is_first_season && known.year.is_some());
        let is_other_year = stated.is_some_and(|stated| {
            let others = self.anime_in_series_of(anime, searches).into_iter();
            let others = others.filter_map(|other| self.index.indexed_anime(other)?.year);
            let mut years = others.chain(known.year);
            years.all(|year| year.abs_diff(stated) > 1)
        });
        let is_long = self.last_episode(anime).is_none_or(|last| last > 1);
        let is_series = matches!(known.format, AnimeFormat::Tv | AnimeFormat::TvShort) && is_long;
        let is_movie = known.format == AnimeFormat::Movie;
        let is_other_format = match evidence.format {
            Some(AnimeFormat::Movie) => is_series,
            Some(AnimeFormat::Tv | AnimeFormat::TvShort) => is_movie,
            _ => false,
        };
        let by_year = known.year.filter(|_| is_other_year);
        let by_format = is_other_format.then_some(known.format);
        let all = by_title.into_iter();
        let all = all.chain(by_year.map(Contradiction::Year));
        all.chain(by_format.map(Contradiction::Format)).collect()
    }

    /// Returns true if an identifier of the evidence contradicts this anime, to which a name led. Another series, such
    /// as a live-action series, can have the same title.
    pub(super) fn is_other_by_ids(&self, anime: AnimeId, evidence: &Evidence) -> bool {
        self.identified(anime).is_some_and(|known| {
            let mut ids = evidence.ids.iter();
            ids.any(|id| known.contradicts(*id))
        })
    }
}

/// Adds the anime that some identifiers lead to. An episode is certain if no identifier leads to a different certain
/// episode.
fn join(
    mut known: Identification,
    found: &[(StatedId, Candidates<AnimeEpisode>)],
    is_series: bool,
) -> Identification {
    let mut certain: Vec<(StatedId, AnimeEpisode)> = Vec::new();
    for (id, found) in found {
        if let Some(episode) = found.certain()
            && certain.iter().all(|(_, known)| known != episode)
        {
            certain.push((*id, *episode));
        }
    }
    if let [(id, _)] = certain.as_slice() {
        known.certain = Some(if is_series {
            MatchReason::SeriesId(*id)
        } else {
            MatchReason::Id(*id)
        });
        known.candidates.clear();
    }
    if let [(_, first), others @ ..] = certain.as_slice() {
        let others = others
            .iter()
            .filter(|(_, other)| other.anime != first.anime);
        known.conflicts.extend(others.map(|(_, other)| Conflict {
            by_id: first.anime,
            contradiction: Contradiction::Id(other.anime),
        }));
    }
    known.add(certain.into_iter().map(|(_, episode)| episode));
    for (_, found) in found {
        known.add(found.episodes.iter().copied());
    }
    known
}

/// Returns true if the evidence names an anime as a whole: an entry of a list or a movie.
fn names_whole_anime(evidence: &Evidence) -> bool {
    evidence.is_entry || (evidence.episode.is_none() && evidence.season.is_none())
}
