//! Episodes by name.
//!
//! If an anime has exactly the title, the title means this anime, before seasons are counted. Of several anime with the
//! title, those with the title in full come first, and the year, the format and the number of episodes decide. The
//! season and the number of the episode lead from the first anime of a series to the others. A title that is only
//! similar is never certain.

use std::cmp::Reverse;
use std::mem;
use std::sync::Arc;

use shared::fold::fold;
use shared::models::{AnimeFormat, AnimeId};

use super::MAX_GUESSES;
use super::evidence::{Contradiction, EpisodeName, Evidence, Identification, MatchReason};
use super::searches::NameSearches;
use super::title::{is_misspelled, season_apart, year_apart};
use crate::identifiers::IdSource;
use crate::index::search::EXACT_POINTS;
use crate::seasons::{AnimeEpisode, AnimeSeasons, Candidates, Series};

/// The maximum number of words of a name that may be a title. Each of them costs up to two searches.
const MAX_TITLE_WORDS: usize = 12;

/// The maximum number of titles and readings that are looked up.
const MAX_NAMES: usize = 12;

/// The languages of main titles: romaji, English and Japanese. A name with such a title in full means this anime rather
/// than one with the title in another language or as a synonym.
const MAIN_LANGUAGES: [&str; 3] = ["rj", "en", "jp"];

/// Two works rarely have the same title if it has at least this number of words.
const LONG_TITLE_WORDS: usize = 5;

/// Most seasons have at most this number of episodes.
const SEASON_EPISODES: u32 = 26;

/// A later season has at most this number of episodes. A higher number counts from the beginning of the series.
const MAX_SEASON_EPISODES: u32 = 100;

/// The maximum number of seasons of a series whose episodes are counted.
const MAX_SEASONS: u16 = 100;

/// A web anime with at most this number of episodes can have more, because sources often keep the number from its first
/// release.
const UNSURE_EPISODES: u32 = 2;

/// A name, with further evidence about the anime that it names.
#[derive(Clone, Debug)]
struct NameQuery {
    name: EpisodeName,
    /// True for an entry of a list, whose episode is 1.
    is_entry: bool,
    /// True for a reading of the name of a file, whose year can be that of the release.
    is_file: bool,
    /// The number of the anime's episodes, as stated.
    episodes: Option<u32>,
}

impl NameQuery {
    /// Returns the same name with another title.
    fn with_title(&self, title: impl Into<String>) -> Self {
        let name = EpisodeName {
            title: title.into(),
            ..self.name
        };
        Self { name, ..*self }
    }
}

/// An anime with the title of a name. Fits are compared by their fields in this order, and the best one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TitleFit {
    /// True if the anime is a single episode, and the name has a later one.
    lacks_episode: bool,
    /// True if the title ends with a different number of exclamation marks than the titles of the anime, as in
    /// `K-ON!!`.
    differs_in_marks: bool,
    /// The way in which the anime has the title.
    strength: Reverse<TitleStrength>,
    /// The distance between the stated format and that of the anime; 0 if they fit.
    misfit: u8,
    /// The points of the search.
    points: Reverse<u16>,
    /// The identifier at `AniDB`, which is lower for an older entry.
    age: u32,
    anime: AnimeId,
}

impl TitleFit {
    fn is_as_good(&self, other: Self) -> bool {
        let key = |fit: &Self| (fit.lacks_episode, fit.differs_in_marks, fit.strength);
        key(self) == key(&other)
    }
}

/// The way in which an anime has a title.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TitleStrength {
    /// As a synonym.
    Synonym,
    /// In another language, or without the year of the title.
    Other,
    /// In full as one of its main titles.
    Main,
}

/// The anime that a title may mean.
#[derive(Debug, Default)]
struct TitleMatches {
    /// The most probable one first.
    anime: Vec<AnimeId>,
    /// True if the title certainly means the first anime or its series.
    is_certain: bool,
    /// True if no other anime has the title in the same way.
    is_only: bool,
    /// True if the year or the number of episodes supports the first anime.
    is_detailed: bool,
}

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
            identified.add(candidates.map(|at| AnimeEpisode { episode: 1, ..at }));
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
        for (at, anime) in matches.anime.iter().take(MAX_GUESSES).enumerate() {
            let meant = self.episodes_of(*anime, query, searches);
            if at == 0 && matches.is_certain {
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

    /// Returns the anime with the title of a name; `None` if there is none.
    ///
    /// The title with the year or the format is tried first, because it says more: `Fullmetal Alchemist (2009)`.
    fn find_matches(&self, query: &NameQuery, searches: &mut NameSearches) -> Option<TitleMatches> {
        let name = &query.name;
        if let Some(year) = name.year {
            // The year is a part of the title, and need not be that of the anime.
            let mut dated = query.with_title(format!("{} {year}", name.title));
            dated.name.year = None;
            let matches = self.choose(&self.find_exact(&dated, searches), &dated, searches);
            if let Some(matches) = matches {
                return Some(TitleMatches {
                    is_detailed: true,
                    ..matches
                });
            }
        }
        if let Some(matches) = self.find_with_format(query, searches) {
            return Some(matches);
        }
        // The year of a later season is not that of the series. For a first season, it is evidence against all anime,
        // unless the title is long and the year is that of a later release.
        let mut undated = query.clone();
        let year = undated.name.year.take()?;
        let exact = self.find_exact(&undated, searches);
        let matches = self.choose(&exact, &undated, searches)?;
        let first = matches.anime.first();
        let first_year = first.and_then(|first| self.index.indexed_anime(*first)?.year);
        let is_release = query.is_file
            && matches.is_only
            && first_year.is_some_and(|first_year| first_year < year)
            && name.title.split_whitespace().count() >= LONG_TITLE_WORDS;
        let is_later_season = name.season.is_some_and(|season| season > 1);
        Some(TitleMatches {
            is_certain: matches.is_certain && (is_later_season || is_release),
            ..matches
        })
    }

    /// Returns the anime with the title of a name, or with this title and a word for the format. The title itself comes
    /// first if an anime has it in full. Several OVAs and specials of a series can be meant.
    fn find_with_format(
        &self,
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Option<TitleMatches> {
        let name = &query.name;
        let words = name.format.map_or(&[][..], format_words).iter();
        let with_format = words.map(|word| format!("{} {word}", name.title));
        let mut chosen: Option<(TitleStrength, TitleMatches)> = None;
        let mut is_clear = true;
        for title in std::iter::once(name.title.clone()).chain(with_format) {
            let query = query.with_title(title);
            let exact = self.find_exact(&query, searches);
            let Some(matches) = self.choose(&exact, &query, searches) else {
                continue;
            };
            let strength = exact.iter().map(|fit| fit.strength.0).max();
            let strength = strength.unwrap_or(TitleStrength::Synonym);
            match &mut chosen {
                Some((known, before)) => {
                    is_clear &= matches.anime.first() == before.anime.first();
                    if strength > *known {
                        (*known, *before) = (strength, matches);
                    }
                }
                None => chosen = Some((strength, matches)),
            }
        }
        let (strength, matches) = chosen?;
        let is_clear = is_clear || strength == TitleStrength::Main || !is_extra(name);
        Some(TitleMatches {
            is_certain: matches.is_certain && is_clear,
            ..matches
        })
    }

    /// Chooses between the anime with a title. The first is certain if no other anime fits as well.
    fn choose(
        &self,
        fits: &[TitleFit],
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Option<TitleMatches> {
        let name = &query.name;
        let mut fits = fits.to_vec();
        self.put_longer_first(&mut fits, name, searches);
        if let Some(episodes) = query.episodes {
            // The stated number of episodes decides between anime with the title.
            fits.sort_by_key(|fit| self.last_episode(fit.anime) != Some(episodes));
        }
        let first = *fits.first()?;
        let equal: Vec<AnimeId> = fits
            .iter()
            .filter(|fit| fit.is_as_good(first))
            .map(|fit| fit.anime)
            .collect();
        // Nothing shows which of a series' OVAs belongs to a later season.
        let lacks_season = name.season.is_some_and(|season| season > 1) && has_own_numbers(name);
        let has_rival = self.has_rival(&equal, query, searches);
        let indexed = self.index.indexed_anime(first.anime);
        let first_year = indexed.and_then(|indexed| indexed.year);
        let is_year = name.year.is_some() && first_year == name.year;
        let counts = query.episodes.zip(self.last_episode(first.anime));
        let is_counted = counts.is_some_and(|(stated, last)| stated == last);
        // A stated series is not a single episode, and a stated single episode is not a series.
        let is_other_kind = counts
            .is_some_and(|(stated, last)| (stated == 1 && last > 3) || (stated > 3 && last == 1));
        Some(TitleMatches {
            anime: fits.iter().map(|fit| fit.anime).collect(),
            is_only: equal.len() == 1,
            is_certain: !lacks_season && !has_rival && !is_other_kind,
            is_detailed: is_year || is_counted,
        })
    }

    /// Puts the anime of another series first if the first anime has too few episodes.
    fn put_longer_first(
        &self,
        fits: &mut [TitleFit],
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) {
        let episode = name.episode.filter(|_| name.season.is_none());
        let (Some(episode), Some(first)) = (episode, fits.first().map(|fit| fit.anime)) else {
            return;
        };
        let last = |anime: AnimeId| self.last_episode(anime);
        let longer = fits.iter().position(|other| {
            last(other.anime).is_some_and(|last| episode <= last)
                && !self.share_series(first, other.anime, searches)
        });
        if let (true, Some(longer)) = (last(first).is_some_and(|last| episode > last), longer) {
            fits.swap(0, longer);
        }
    }

    /// Returns the anime with exactly this title, and a format and a year that fit a name.
    ///
    /// If several have the title in the same way, the anime that `AniDB` knew first comes first: people and media
    /// servers add the season or the year to the title of a later anime.
    fn find_exact(&self, query: &NameQuery, searches: &mut NameSearches) -> Vec<TitleFit> {
        let title = &query.name.title;
        let folded = fold(title);
        let exact = searches.find_titles(&self.index, title);
        let fits = exact.iter().filter_map(|&(anime, points)| {
            let misfit = self.misfit(anime, query)?;
            let last = self.last_episode(anime);
            let strength = if self.index.has_title(anime, &MAIN_LANGUAGES, folded.trim()) {
                TitleStrength::Main
            } else if points > EXACT_POINTS {
                TitleStrength::Other
            } else {
                TitleStrength::Synonym
            };
            Some(TitleFit {
                lacks_episode: last == Some(1)
                    && query.name.episode.is_some_and(|episode| episode > 1),
                differs_in_marks: self.index.has_other_marks(anime, title),
                strength: Reverse(strength),
                misfit,
                points: Reverse(points),
                age: self.anidb_id(anime).unwrap_or(u32::MAX),
                anime,
            })
        });
        let mut fits: Vec<TitleFit> = fits.collect();
        fits.sort_unstable();
        fits
    }

    /// Returns true if a name can mean another of these anime as well as the first. They have its title in the same
    /// way.
    ///
    /// An entry of a list can mean any of them, unless only the first anime has the entry's number of episodes. A name
    /// with a season comes from a media server, and means the first anime. A name with an episode can mean an anime of
    /// another series, and a name without either can mean each movie.
    fn has_rival(&self, anime: &[AnimeId], query: &NameQuery, searches: &mut NameSearches) -> bool {
        let Some((first, others)) = anime.split_first() else {
            return false;
        };
        let name = &query.name;
        if query.is_entry {
            let is_counted = |anime: &AnimeId| self.last_episode(*anime) == query.episodes;
            let has_count = query.episodes.is_some() && is_counted(first);
            return others.iter().any(|other| !has_count || is_counted(other));
        }
        if name.season.is_some() {
            return false;
        }
        others.iter().any(|other| {
            let last = self.last_episode(*other);
            name.episode.map_or(last == Some(1), |episode| {
                last.is_none_or(|last| episode <= last)
                    && !self.share_series(*first, *other, searches)
            })
        })
    }

    fn share_series(&self, one: AnimeId, other: AnimeId, searches: &mut NameSearches) -> bool {
        let series = self.series_of(one, searches);
        let others = self.series_of(other, searches);
        others.iter().any(|other| series.contains(other))
    }

    /// Returns the anime with a similar title, for names that have more than the title or misspell it. None of them is
    /// certain, unless the name consists of two of its titles: `Aim for the Top! Gunbuster`.
    fn find_similar(&self, query: &NameQuery, searches: &mut NameSearches) -> TitleMatches {
        let words = query.name.title.split_whitespace().take(MAX_TITLE_WORDS);
        let words: Vec<&str> = words.collect();
        let mut beginning = None;
        for end in (1..words.len()).rev() {
            let (title, rest) = words.split_at(end);
            let exact = self.find_exact(&query.with_title(title.join(" ")), searches);
            let Some(first) = exact.first() else {
                continue;
            };
            let others = self.find_exact(&query.with_title(rest.join(" ")), searches);
            let is_other = |fit: &&TitleFit| others.iter().any(|other| other.anime == fit.anime);
            if let Some(both) = exact.iter().find(is_other) {
                return TitleMatches {
                    anime: vec![both.anime],
                    is_certain: true,
                    ..TitleMatches::default()
                };
            }
            beginning = beginning.or(Some(first.anime));
        }
        let rated = searches.find_similar(&self.index, &query.name.title);
        let rated = rated.iter().map(|(anime, _)| *anime);
        let rated = rated.filter(|anime| self.misfit(*anime, query).is_some());
        let mut anime: Vec<AnimeId> = rated.take(MAX_GUESSES).collect();
        // `The` and `A` are often left out.
        let folded = fold(&query.name.title);
        let plain = without_articles(&folded);
        let is_equal = |anime: &&AnimeId| {
            let mut titles = self.index.folded_titles(**anime);
            titles.any(|title| without_articles(title) == plain)
        };
        let mut equal = anime.iter().filter(is_equal);
        if let (Some(only), None) = (equal.next(), equal.next()) {
            return TitleMatches {
                anime: vec![*only],
                is_certain: true,
                ..TitleMatches::default()
            };
        }
        // A title at the beginning of the name says more than some words of the name.
        if let Some(beginning) = beginning
            && !anime.contains(&beginning)
        {
            anime.insert(anime.len().min(1), beginning);
        }
        TitleMatches {
            anime,
            ..TitleMatches::default()
        }
    }

    /// Returns true if an anime has the title of a name, perhaps with a typing error.
    fn is_named(&self, anime: AnimeId, query: &NameQuery) -> bool {
        let title = query.name.title.as_str();
        let undated = year_apart(title).map_or(title, |(title, _)| title);
        let plain = season_apart(undated).map_or(undated, |(title, _)| title);
        let query = [title, undated, plain].map(fold);
        let mut known = self.index.folded_titles(anime).map(str::trim);
        known.any(|known| {
            let mut query = query.iter().map(|query| query.trim());
            query.any(|query| query == known || is_misspelled(query, known))
        })
    }

    /// Returns how badly the format and the year of an anime fit a name, from 0; `None` if they do not fit.
    ///
    /// Movies and OVAs often have the title of their series, so a name with an episode means the series first, and a
    /// name without an episode means the movie.
    fn misfit(&self, anime: AnimeId, query: &NameQuery) -> Option<u8> {
        let name = &query.name;
        let indexed = self.index.indexed_anime(anime)?;
        // An anime that runs over the turn of a year can have either year.
        let is_other_year = |(one, other): (u16, u16)| one.abs_diff(other) > 1;
        if name.year.zip(indexed.year).is_some_and(is_other_year) {
            return None;
        }
        let is_movie = indexed.format == AnimeFormat::Movie;
        let is_single = is_movie || indexed.episodes_count == 1;
        let is_tv = matches!(indexed.format, AnimeFormat::Tv | AnimeFormat::TvShort);
        let is_series = is_tv || indexed.format == AnimeFormat::Ona;
        match name.format {
            Some(AnimeFormat::Movie) => is_single.then_some(u8::from(!is_movie)),
            Some(AnimeFormat::Tv | AnimeFormat::TvShort) => is_series.then_some(0),
            Some(_) => (!is_movie && !is_tv).then_some(0),
            None if query.is_entry => Some(0),
            None if name.episode.is_none() => Some(u8::from(!is_single)),
            None if is_series => Some(0),
            None => Some(1 + u8::from(is_single)),
        }
    }

    /// Returns the episodes that a name means, if its title is that of this anime or of its series.
    fn episodes_of(
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
        let is_series = |at: &AnimeEpisode| {
            let known = self.index.indexed_anime(at.anime);
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
                let at = AnimeEpisode { anime, episode };
                return candidate(at, self.may_have(anime, episode));
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
            while let Some(at) = self.find(series, season, episode).certain().copied() {
                let last = self.last_episode(at.anime)?;
                let here = last.checked_add(1)?.checked_sub(at.episode)?;
                // An anime can go on in the next season.
                if !counted.contains(&at.anime) {
                    counted.push(at.anime);
                    if rest <= here {
                        let episode = at.episode + rest - 1;
                        let found = AnimeEpisode { episode, ..at };
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
    fn series_of(&self, anime: AnimeId, searches: &mut NameSearches) -> Arc<[Series]> {
        searches.series_of(anime, || {
            let id = self.anidb_id(anime)?;
            let mut series: Vec<Series> = self.map.series_of(id).collect();
            series.sort_by_key(|series| Reverse(series.source));
            Some((series.into(), self.map.len()))
        })
    }

    fn anidb_id(&self, anime: AnimeId) -> Option<u32> {
        let mut ids = self.identified(anime)?.identifiers.iter();
        let at_anidb = ids.find(|known| known.source == IdSource::Anidb)?;
        Some(at_anidb.id)
    }
}

fn candidate(episode: AnimeEpisode, is_certain: bool) -> Candidates<AnimeEpisode> {
    Candidates::new([episode], is_certain)
}

/// Returns true if a name is that of an OVA, an ONA, a special or a movie. They have numbers of their own, even if the
/// name has the season they belong to.
fn has_own_numbers(name: &EpisodeName) -> bool {
    name.format == Some(AnimeFormat::Movie) || is_extra(name)
}

/// Returns a name without the year in parentheses at the end of its title. Media servers add it to the name of a
/// series if an earlier series has the same name.
fn with_year_apart(query: &NameQuery) -> NameQuery {
    let Some((title, year)) = year_apart(&query.name.title) else {
        return query.clone();
    };
    let mut apart = query.with_title(title);
    apart.name.year = Some(year);
    apart
}

/// Returns a name without the season at the end of its title.
fn with_season_apart(query: &NameQuery) -> Option<NameQuery> {
    let (title, season) = season_apart(&query.name.title)?;
    let mut apart = query.with_title(title);
    apart.name.season = query.name.season.filter(|own| *own != 1).or(Some(season));
    Some(apart)
}

/// Returns true if the last word of a title is this number.
fn has_number_at_end(title: &str, number: u16) -> bool {
    let last = title.split_whitespace().next_back();
    last.is_some_and(|last| last.parse() == Ok(number))
}

/// Returns true if a name is that of an OVA, an ONA or a special. Sources call the same video by any of these words.
fn is_extra(name: &EpisodeName) -> bool {
    matches!(
        name.format,
        Some(AnimeFormat::Ona | AnimeFormat::Ova | AnimeFormat::Special)
    )
}

/// Returns the words of a folded title without articles.
fn without_articles(folded: &str) -> Vec<&str> {
    let words = folded.split(' ');
    words
        .filter(|word| !matches!(*word, "" | "a" | "an" | "the"))
        .collect()
}

/// Returns the words with which titles name a format.
fn format_words(format: AnimeFormat) -> &'static [&'static str] {
    match format {
        AnimeFormat::Tv => &["tv"],
        AnimeFormat::Movie => &["movie"],
        AnimeFormat::Ova | AnimeFormat::Ona => &["ova", "oad", "ona", "special", "specials"],
        AnimeFormat::Special => &["special", "specials", "ova", "oad"],
        _ => &[],
    }
}
