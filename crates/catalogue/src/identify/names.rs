//! Episodes by name.
//!
//! If an anime has exactly the title, the title means this anime, before seasons are counted. Of several anime with the
//! title, those with the title in full come first, and the year, the format and the number of episodes decide. The
//! season and the number of the episode lead from the first anime of a series to the others. A title that is only
//! similar is never certain.

use std::mem;

use shared::fold::fold;
use shared::models::AnimeId;

use super::MAX_GUESSES;
use super::evidence::{Contradiction, EpisodeName, Evidence, Identification, MatchReason};
use super::name_query::{NameQuery, with_season_apart, with_year_apart};
use super::searches::NameSearches;
use super::title::{season_apart, year_apart};
use super::title_matches::TitleMatches;
use crate::seasons::{AnimeEpisode, AnimeSeasons};

/// The maximum number of titles and readings that are looked up.
const MAX_NAMES: usize = 12;

impl AnimeSeasons {
    /// Returns the episodes that the titles name: the first title that is certain counts.
    pub(super) fn identify_by_titles(
        &self,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Identification {
        // The year in the name of the file tells an anime apart from a live-action series with the same title.
        let year_of_file = evidence.readings.iter().find_map(|reading| reading.year);
        let names = evidence.titles.iter().map(|title| EpisodeName {
            title: title.clone(),
            season: evidence.season,
            episode: evidence.episode,
            year: evidence.year.or(year_of_file),
            format: evidence.format,
        });
        self.identify_by_names(names, evidence, false, searches)
    }

    /// Returns the episodes that names mean: titles, or the readings of the file's name.
    pub(super) fn identify_by_names(
        &self,
        names: impl Iterator<Item = EpisodeName>,
        evidence: &Evidence,
        is_file: bool,
        searches: &mut NameSearches,
    ) -> Identification {
        let names = names.take(MAX_NAMES).map(|name| NameQuery {
            name: EpisodeName {
                episode: name.episode.or(evidence.is_entry.then_some(1)),
                ..name
            },
            is_entry: evidence.is_entry,
            is_file,
            episodes: evidence.episodes,
        });
        let queries: Vec<NameQuery> = names.collect();
        let mut identified = Identification::default();
        for query in &queries {
            let by_name = self.find_named(query, searches);
            if by_name.certain.is_some() {
                identified = by_name;
                break;
            }
            identified.add(by_name.candidates);
        }
        // A similar title takes much more work, so only the most probable name is compared.
        if identified.candidates.is_empty()
            && let Some(first) = queries.first()
        {
            let matches = self.find_similar(first, searches);
            identified = self.episodes_of_matches(&matches, first, searches);
            let mut anime = matches.anime.iter();
            let is_named = matches.is_certain || anime.any(|anime| self.is_named(*anime, first));
            identified.is_only_similar = !is_named && !identified.candidates.is_empty();
        }
        if evidence.is_entry {
            // Episodes of one anime become the same candidate.
            let candidates = mem::take(&mut identified.candidates).into_iter();
            identified.add(candidates.map(|episode| AnimeEpisode {
                episode: 1,
                ..episode
            }));
        }
        identified.is_by_file = is_file && !identified.candidates.is_empty();
        identified
    }

    /// Returns the contradiction if a title names another anime; `None` if one of the titles is a title of this anime
    /// or of an anime in its series.
    pub(super) fn contradicting_title(
        &self,
        anime: AnimeId,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Option<Contradiction> {
        let mut other = None;
        for title in &evidence.titles {
            let (plain, _) = year_apart(title).unwrap_or((title, 0));
            let (plain, _) = season_apart(plain).unwrap_or((plain, 0));
            let mut exact = Vec::new();
            for title in [title, plain] {
                let found = searches.find_titles(&self.index, title).iter();
                exact.extend(found.map(|(exact, _)| *exact));
            }
            for exact in &exact {
                if *exact == anime || self.share_series(anime, *exact, searches) {
                    return None;
                }
            }
            // A longer title of the same series: the season map does not have all series.
            let folded = fold(plain);
            if self.index.has_title_beginning(anime, folded.trim()) {
                return None;
            }
            other = other.or(exact.first().copied());
        }
        other.map(Contradiction::Title)
    }

    /// Returns the anime that have a place in a series of this anime, by the season map.
    pub fn anime_in_series_of(&self, anime: AnimeId, searches: &mut NameSearches) -> Vec<AnimeId> {
        let series = self.series_of(anime, searches);
        let all = series.iter().flat_map(|series| self.map.anime_of(*series));
        all.flat_map(|id| self.at_anidb(id)).collect()
    }

    /// Returns the episodes of the anime with exactly the title of a name.
    fn find_named(&self, query: &NameQuery, searches: &mut NameSearches) -> Identification {
        let query = with_year_apart(query);
        let Some(apart) = with_season_apart(&query) else {
            return self.find_in_series(&query, searches);
        };
        // Files spell seasons as titles do, and a series at a media server can have other seasons. So an anime with the
        // season in its title counts more. Several anime can have it if their synonyms count seasons differently.
        let Some(matches) = self.find_matches(&query, searches) else {
            return self.find_in_series(&apart, searches);
        };
        let by_title = self.episodes_of_matches(&matches, &query, searches);
        if matches.is_only {
            return by_title;
        }
        let by_series = self.find_in_series(&apart, searches);
        let is_confirmed = by_series
            .certain()
            .is_some_and(|certain| matches.anime.contains(&certain.anime));
        if is_confirmed {
            by_series
        } else {
            Identification {
                certain: None,
                ..by_title
            }
        }
    }

    fn find_in_series(&self, query: &NameQuery, searches: &mut NameSearches) -> Identification {
        if let Some(matches) = self.find_matches(query, searches) {
            return self.episodes_of_matches(&matches, query, searches);
        }
        // The title of the first season can differ from the titles of later seasons.
        if let Some(season) = query.name.season.filter(|season| *season > 1) {
            let numbered = query.with_title(format!("{} {season}", query.name.title));
            if let Some(matches) = self.find_matches(&numbered, searches) {
                return self.episodes_of_matches(&matches, &numbered, searches);
            }
        }
        Identification::default()
    }

    fn episodes_of_matches(
        &self,
        matches: &TitleMatches,
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Identification {
        let mut identified = Identification::default();
        for (position, anime) in matches.anime.iter().take(MAX_GUESSES).enumerate() {
            let meant = self.episodes_of(*anime, query, searches);
            if position == 0 && matches.is_certain {
                identified.certain = meant.certain().map(|certain| {
                    if certain.anime != *anime {
                        MatchReason::SeasonMap
                    } else if matches.is_detailed {
                        MatchReason::TitleAndDetails
                    } else {
                        MatchReason::Title
                    }
                });
            }
            identified.add(meant.episodes);
        }
        identified
    }
}
