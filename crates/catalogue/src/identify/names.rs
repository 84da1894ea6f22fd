//! Episodes by name.

use std::cmp::Reverse;
use std::sync::Arc;

use shared::models::{AnimeFormat, AnimeId};

use super::{Contradiction, EpisodeName, Evidence, Identified, MAX_GUESSES, NameSearches, Reason};
use crate::identifiers::IdSource;
use crate::index::EXACT_POINTS;
use crate::seasons::{AnimeEpisode, AnimeSeasons, Candidates, Series};

/// The maximum number of words of a name that may be a title. Each of them costs up to two searches.
const MAX_TITLE_WORDS: usize = 12;

/// The points from which a title that is only similar counts, if no beginning of the name is a title. A title with two
/// typing errors has about as many.
const SIMILAR_POINTS: u16 = 850;

/// The number of points by which a similar title must be better than those of other anime.
const SIMILAR_MARGIN: u16 = 100;

/// The points from which a similar title counts if the year or the beginning of the name confirms it. Such a title has
/// most of the words.
const CONFIRMED_POINTS: u16 = 600;

/// Most seasons have at most this number of episodes.
const SEASON_EPISODES: u32 = 26;

/// A later season has at most this number of episodes. A higher number counts from the beginning of the series.
const MAX_SEASON_EPISODES: u32 = 100;

/// The maximum number of seasons of a series whose episodes are counted.
const MAX_SEASONS: u16 = 100;

/// The anime that a title may mean.
#[derive(Debug, Default)]
struct Titled {
    /// The most probable one first.
    anime: Vec<AnimeId>,
    /// True if the title certainly means the first anime or its series.
    is_certain: bool,
}

impl AnimeSeasons {
    /// Returns the episodes that the titles name: the first title that is certain counts.
    pub(super) fn identify_by_titles(
        &self,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Identified {
        let mut identified = Identified::default();
        for title in &evidence.titles {
            let name = EpisodeName {
                title: title.clone(),
                season: evidence.season,
                episode: evidence.episode,
                year: evidence.year,
                format: evidence.format,
            };
            let found = Identified::new(self.find_named(&name, searches), Reason::Title);
            if found.certain.is_some() {
                return found;
            }
            identified.add(found.candidates);
        }
        identified
    }

    /// Returns the episodes that the readings of the file's name may mean.
    pub(super) fn identify_by_readings(
        &self,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Identified {
        let mut identified = Identified::default();
        for name in &evidence.readings {
            let found = Identified::new(self.find_named(name, searches), Reason::Title);
            if found.certain.is_some() {
                identified = found;
                break;
            }
            identified.add(found.candidates);
        }
        Identified {
            is_by_file: !identified.candidates.is_empty(),
            ..identified
        }
    }

    /// Returns the anime that a title names, if none of the titles is that of this anime or of another one of its
    /// series.
    pub(super) fn contradicting_title(
        &self,
        anime: AnimeId,
        evidence: &Evidence,
        searches: &mut NameSearches,
    ) -> Option<Contradiction> {
        let mut other = None;
        for title in &evidence.titles {
            let name = with_year_apart(&EpisodeName {
                title: title.clone(),
                ..EpisodeName::default()
            });
            let name = with_season_apart(&name).unwrap_or(name);
            let exact: Vec<AnimeId> = searches
                .find_titles(&self.index, &name.title)
                .iter()
                .map(|(exact, _)| *exact)
                .collect();
            for exact in &exact {
                if *exact == anime || self.share_series(anime, *exact, searches) {
                    return None;
                }
            }
            other = other.or(exact.first().copied());
        }
        other.map(Contradiction::Title)
    }

    /// Returns the anime that have a place in a series of this anime, by the season map.
    pub fn anime_in_series_of(
        &self,
        anime: AnimeId,
        searches: &mut NameSearches,
    ) -> Vec<AnimeId> {
        let series = self.series_of(anime, searches);
        let all = series.iter().flat_map(|series| self.map.anime_of(*series));
        let all = all.flat_map(|id| self.mapping.find(IdSource::Anidb, id, None));
        all.map(|known| known.id).collect()
    }

    fn find_named(
        &self,
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let name = with_year_apart(name);
        let Some(apart) = with_season_apart(&name) else {
            return self.find_in_series(&name, searches);
        };
        // Files spell seasons as titles do, and a series at a media server can have other seasons. So an anime with
        // the season in its title counts more. Several have it if their synonyms count differently.
        let Some(titled) = self.find_titled(&name, searches) else {
            return self.find_in_series(&apart, searches);
        };
        let is_only = titled.anime.len() == 1;
        let by_series = Some(&apart)
            .filter(|_| !is_only)
            .map(|apart| self.find_in_series(apart, searches));
        let confirmed = by_series.filter(|found| {
            let certain = found.certain();
            certain.is_some_and(|certain| titled.anime.contains(&certain.anime))
        });
        confirmed.unwrap_or_else(|| {
            let found = self.episodes_of_titled(&titled, &name, searches);
            Candidates {
                is_certain: found.is_certain && is_only,
                ..found
            }
        })
    }

    fn find_in_series(
        &self,
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let titled = self.find_titled(name, searches);
        let titled = titled.unwrap_or_else(|| self.find_similar(name, searches));
        self.episodes_of_titled(&titled, name, searches)
    }

    fn episodes_of_titled(
        &self,
        titled: &Titled,
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let mut found = Candidates::<AnimeEpisode>::default();
        for (at, anime) in titled.anime.iter().take(MAX_GUESSES).enumerate() {
            let meant = self.episodes_of(*anime, name, searches);
            if at == 0 {
                found.is_certain = titled.is_certain && meant.is_certain;
            }
            for episode in meant.episodes {
                if !found.episodes.contains(&episode) {
                    found.episodes.push(episode);
                }
            }
        }
        found.episodes.truncate(MAX_GUESSES);
        found
    }

    /// Returns the anime with the title of a name; `None` if there is none.
    ///
    /// The title with the year or the format is tried first, because it says more: `Fullmetal Alchemist (2009)`.
    fn find_titled(&self, name: &EpisodeName, searches: &mut NameSearches) -> Option<Titled> {
        let dated = name.year.map(|year| format!("{} {year}", name.title));
        let words = name.format.map_or(&[][..], format_words).iter();
        let with_format = words.map(|word| format!("{} {word}", name.title));
        // Of the OVAs of a series, nothing tells that of a later season.
        let lacks_season = name.season.is_some_and(|season| season > 1) && has_own_numbers(name);
        let plain = std::iter::once(name.title.clone());
        let titles = dated.into_iter().chain(with_format).chain(plain);
        let mut exact = titles.map(|title| self.find_exact(&title, name, searches));
        let mut anime = exact.find(|anime| !anime.is_empty())?;
        self.put_longer_first(&mut anime, name, searches);
        // Marks are no words, so nothing tells `K-ON!!` from `K-ON!`.
        let is_marked = anime.len() > 1 && name.title.trim_end().ends_with("!!");
        let has_rival = name.season.is_none() && self.has_rival(&anime, name, searches);
        Some(Titled {
            anime,
            is_certain: !lacks_season && !is_marked && !has_rival,
        })
    }

    /// Puts the anime of another series first if the first one has too few episodes.
    fn put_longer_first(
        &self,
        anime: &mut [AnimeId],
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) {
        let episode = name.episode.filter(|_| name.season.is_none());
        let (Some(episode), Some(first)) = (episode, anime.first().copied()) else {
            return;
        };
        let last = |anime: AnimeId| self.last_episode(anime);
        let longer = anime.iter().position(|other| {
            last(*other).is_some_and(|last| episode <= last)
                && !self.share_series(first, *other, searches)
        });
        if let (true, Some(longer)) = (last(first).is_some_and(|last| episode > last), longer) {
            anime.swap(0, longer);
        }
    }

    /// Returns the anime with exactly this title, and a format and a year that fit a name.
    ///
    /// If several have the title, the one that `AniDB` knew first comes first: people and media servers add the season
    /// or the year to the title of a later one.
    fn find_exact(
        &self,
        title: &str,
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> Vec<AnimeId> {
        let exact = searches.find_titles(&self.index, title);
        let exact = exact.iter().filter_map(|&(anime, points)| {
            let misfit = self.misfit(anime, name)?;
            let age = self.anidb_id(anime).unwrap_or(u32::MAX);
            Some((misfit, Reverse(points), age, anime))
        });
        let mut exact: Vec<_> = exact.collect();
        exact.sort_unstable();
        exact.into_iter().map(|(.., anime)| anime).collect()
    }

    /// Returns true if the title of the first of these anime is also that of another one that a name can mean as well.
    /// The name of a series at a media server is that of the first one, but the name of a file can mean both.
    ///
    /// A name with an episode means the first anime of a series, but two movies of a series are two movies.
    fn has_rival(
        &self,
        anime: &[AnimeId],
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> bool {
        let Some((first, others)) = anime.split_first() else {
            return false;
        };
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

    /// Returns the anime with a similar title. Names of files have more than the title, or misspell it. The best anime
    /// is certain in these cases:
    /// - The name consists of two of its titles: `Aim for the Top! Gunbuster`.
    /// - The title has a single typing error.
    /// - The title is like no other, or the year is the same, and no shorter title is the beginning of the name.
    /// - The beginning of the name is its title, and no number follows that could be a season.
    fn find_similar(&self, name: &EpisodeName, searches: &mut NameSearches) -> Titled {
        let words = name.title.split_whitespace().take(MAX_TITLE_WORDS);
        let words: Vec<&str> = words.collect();
        let mut beginning = None;
        for end in (1..words.len()).rev() {
            let (title, rest) = words.split_at(end);
            let exact = self.find_exact(&title.join(" "), name, searches);
            let Some(first) = exact.first() else {
                continue;
            };
            let others = self.find_exact(&rest.join(" "), name, searches);
            if let Some(both) = exact.iter().find(|anime| others.contains(anime)) {
                return Titled {
                    anime: vec![*both],
                    is_certain: true,
                };
            }
            let has_number = rest
                .iter()
                .any(|word| word.contains(|c: char| c.is_ascii_digit()));
            beginning = beginning.or(Some((*first, has_number)));
        }
        let rated = searches.find_similar(&self.index, &name.title);
        let rated = rated.iter().copied();
        let mut rated = rated.filter(|(anime, _)| self.misfit(*anime, name).is_some());
        let Some((best, points)) = rated.next() else {
            return Titled::default();
        };
        let others: Vec<(AnimeId, u16)> = rated.take(MAX_GUESSES - 1).collect();
        let margin = points.saturating_sub(others.first().map_or(0, |(_, points)| *points));
        let year = self.index.indexed_anime(best).and_then(|known| known.year);
        let is_confirmed = match beginning {
            _ if points >= EXACT_POINTS => true,
            _ if year.is_some() && year == name.year => points >= CONFIRMED_POINTS,
            Some((first, has_number)) => first == best && !has_number && points >= CONFIRMED_POINTS,
            None => points >= SIMILAR_POINTS && margin >= SIMILAR_MARGIN,
        };
        let others = others.into_iter().map(|(anime, _)| anime);
        Titled {
            anime: std::iter::once(best).chain(others).collect(),
            is_certain: is_confirmed,
        }
    }

    /// Returns how badly the format and the year of an anime fit a name, from 0; `None` if they do not fit.
    ///
    /// Movies and OVAs often have the title of their series, so a name with an episode means the series first, and one
    /// without means the movie.
    fn misfit(&self, anime: AnimeId, name: &EpisodeName) -> Option<u8> {
        let known = self.index.indexed_anime(anime)?;
        let is_first_season = name.season.is_none_or(|season| season == 1);
        // An anime over the turn of a year has one of two years.
        let is_other_year = |(one, other): (u16, u16)| one.abs_diff(other) > 1;
        if is_first_season && name.year.zip(known.year).is_some_and(is_other_year) {
            return None;
        }
        let is_movie = known.format == AnimeFormat::Movie;
        let is_single = is_movie || known.episodes_count == 1;
        let is_tv = matches!(known.format, AnimeFormat::Tv | AnimeFormat::TvShort);
        let is_series = is_tv || known.format == AnimeFormat::Ona;
        match name.format {
            Some(AnimeFormat::Movie) => is_single.then_some(u8::from(!is_movie)),
            Some(AnimeFormat::Tv | AnimeFormat::TvShort) => is_series.then_some(0),
            Some(_) => (!is_movie && !is_tv).then_some(0),
            None if name.episode.is_none() => Some(u8::from(!is_single)),
            None if is_series => Some(0),
            None => Some(1 + u8::from(is_single)),
        }
    }

    /// Returns the episodes that a name means, if its title is that of this anime or of its series.
    fn episodes_of(
        &self,
        anime: AnimeId,
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let last = self.last_episode(anime);
        let Some(episode) = name.episode else {
            return candidate(AnimeEpisode { anime, episode: 1 }, last == Some(1));
        };
        match name.season {
            _ if has_own_numbers(name) => {
                let has_room = last.is_none_or(|last| episode <= last);
                candidate(AnimeEpisode { anime, episode }, has_room)
            }
            Some(season) => self.episodes_in_season(anime, (season, episode), name, searches),
            None => self.episodes_counted(anime, episode, searches),
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
                across.map_or(candidate(direct, false), |found| candidate(found, true))
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

    /// Returns the episodes of a season that may be meant. The anime has the title of the series.
    fn episodes_in_season(
        &self,
        anime: AnimeId,
        (season, episode): (u16, u32),
        name: &EpisodeName,
        searches: &mut NameSearches,
    ) -> Candidates<AnimeEpisode> {
        let mut certain: Vec<AnimeEpisode> = Vec::new();
        let mut guesses = Vec::new();
        for series in &*self.series_of(anime, searches) {
            let found = self.find(*series, season, episode);
            certain.extend(found.certain());
            guesses.extend(found.episodes);
        }
        certain.dedup();
        // The services can number a series differently, and a name does not tell which service it is from.
        if !certain.is_empty() {
            return Candidates {
                is_certain: certain.len() == 1,
                episodes: certain,
            };
        }
        let numbered = format!("{} {season}", name.title);
        let numbered = if season > 1 {
            let name = EpisodeName {
                season: None,
                year: None,
                ..name.clone()
            };
            self.find_exact(&numbered, &name, searches)
        } else {
            Vec::new()
        };
        let has_room = |anime: AnimeId| self.last_episode(anime).is_none_or(|last| episode <= last);
        if let Some(anime) = numbered.first() {
            return candidate(
                AnimeEpisode {
                    anime: *anime,
                    episode,
                },
                has_room(*anime),
            );
        }
        if season == 1 && guesses.is_empty() {
            return candidate(AnimeEpisode { anime, episode }, has_room(anime));
        }
        if season > 1 && episode > MAX_SEASON_EPISODES {
            return self.episodes_counted(anime, episode, searches);
        }
        Candidates {
            episodes: guesses,
            is_certain: false,
        }
    }

    /// Returns the episode of a series with this number, counted from the first episode of the first season. Returns
    /// `None` if the number is before the episodes of this anime, which has the title: it would have another title.
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

    /// Returns the series of an anime, first that at `TheTVDB`: most media servers number episodes as it does.
    fn series_of(&self, anime: AnimeId, searches: &mut NameSearches) -> Arc<[Series]> {
        searches.series_of(anime, || {
            let id = self.anidb_id(anime)?;
            let mut series: Vec<Series> = self.map.series_of(id).collect();
            series.sort_by_key(|series| Reverse(series.source));
            Some((series.into(), self.map.len()))
        })
    }

    fn anidb_id(&self, anime: AnimeId) -> Option<u32> {
        let trackers = self.index.trackers(anime)?;
        let a = trackers.a.map(|id| (IdSource::TrackerA, id));
        let b = trackers.b.map(|id| (IdSource::TrackerB, id));
        let mut found = a
            .or(b)
            .into_iter()
            .flat_map(|(source, id)| self.mapping.find(source, id, None));
        let found = found.find(|found| found.id == anime)?;
        let known = found
            .identifiers
            .iter()
            .find(|known| known.source == IdSource::Anidb);
        known.map(|known| known.id)
    }
}

fn candidate(episode: AnimeEpisode, is_certain: bool) -> Candidates<AnimeEpisode> {
    Candidates {
        episodes: vec![episode],
        is_certain,
    }
}

/// Returns true if a name is that of an OVA, a special or a movie. They have numbers of their own, even if the name has
/// the season they belong to.
fn has_own_numbers(name: &EpisodeName) -> bool {
    matches!(
        name.format,
        Some(AnimeFormat::Movie | AnimeFormat::Ona | AnimeFormat::Ova | AnimeFormat::Special)
    )
}

/// Returns a name without the year in parentheses at the end of its title. Media servers add it to the name of a
/// series if an earlier series has the same name.
fn with_year_apart(name: &EpisodeName) -> EpisodeName {
    let parts = name
        .title
        .trim_end()
        .strip_suffix(')')
        .and_then(|title| title.rsplit_once('('));
    let dated = parts.and_then(|(title, year)| Some((title.trim_end(), year.parse::<u16>().ok()?)));
    match dated {
        Some((title, year)) if (1900..2100).contains(&year) && !title.is_empty() => EpisodeName {
            title: title.to_owned(),
            year: Some(year),
            ..name.clone()
        },
        _ => name.clone(),
    }
}

/// Returns a name without the season at the end of its title, if it is spelled `Season 2`.
fn with_season_apart(name: &EpisodeName) -> Option<EpisodeName> {
    let (title, season) = name.title.rsplit_once(" Season ")?;
    Some(EpisodeName {
        title: title.to_owned(),
        season: name.season.or(season.parse().ok()),
        ..name.clone()
    })
    .filter(|apart| apart.season.is_some())
}

/// Returns the words with which titles name a format.
fn format_words(format: AnimeFormat) -> &'static [&'static str] {
    match format {
        AnimeFormat::Tv => &["tv"],
        AnimeFormat::Movie => &["movie"],
        AnimeFormat::Ova | AnimeFormat::Ona => &["ova", "oad", "special", "specials"],
        AnimeFormat::Special => &["special", "specials", "ova", "oad"],
        _ => &[],
    }
}
