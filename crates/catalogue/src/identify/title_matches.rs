//! The anime that have the title of a name, or a similar one.

use std::cmp::Reverse;

use shared::fold::fold;
use shared::models::{AnimeFormat, AnimeId};

use super::MAX_GUESSES;
use super::evidence::EpisodeName;
use super::name_query::{NameQuery, has_own_numbers, is_extra};
use super::searches::NameSearches;
use super::title::{is_misspelled, season_apart, year_apart};
use crate::index::search::EXACT_POINTS;
use crate::seasons::AnimeSeasons;

/// The maximum number of words of a name that may be a title. Each of them costs up to two searches.
const MAX_TITLE_WORDS: usize = 12;

/// The languages of main titles: romaji, English and Japanese. A name with such a title in full means this anime rather
/// than one with the title in another language or as a synonym.
const MAIN_LANGUAGES: [&str; 3] = ["rj", "en", "jp"];

/// Two works rarely have the same title if it has at least this number of words.
const LONG_TITLE_WORDS: usize = 5;

/// An anime with the title of a name. Fits are compared by their fields in this order, and the best one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TitleFit {
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
    pub anime: AnimeId,
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
pub(super) struct TitleMatches {
    /// The most probable one first.
    pub anime: Vec<AnimeId>,
    /// True if the title certainly means the first anime or its series.
    pub is_certain: bool,
    /// True if no other anime has the title in the same way.
    pub is_only: bool,
    /// True if the year or the number of episodes supports the first anime.
    pub is_detailed: bool,
}

impl AnimeSeasons {
    /// Returns the anime with the title of a name; `None` if there is none.
    ///
    /// The title with the year or the format is tried first, because it says more: `Fullmetal Alchemist (2009)`.
    pub(super) fn find_matches(
        &self,
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Option<TitleMatches> {
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
    /// If several have the title in the same way, the anime that was added to `AniDB` earliest comes first: people and
    /// media servers add the season or the year to the title of a later anime.
    pub(super) fn find_exact(
        &self,
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> Vec<TitleFit> {
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

    pub(super) fn share_series(
        &self,
        one: AnimeId,
        other: AnimeId,
        searches: &mut NameSearches,
    ) -> bool {
        let series = self.series_of(one, searches);
        let others = self.series_of(other, searches);
        others.iter().any(|other| series.contains(other))
    }

    /// Returns the anime with a similar title, for names that have more than the title or misspell it. None of them is
    /// certain, unless the name consists of two of its titles: `Aim for the Top! Gunbuster`.
    pub(super) fn find_similar(
        &self,
        query: &NameQuery,
        searches: &mut NameSearches,
    ) -> TitleMatches {
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
    pub(super) fn is_named(&self, anime: AnimeId, query: &NameQuery) -> bool {
        let title = query.name.title.as_str();
        let undated = year_apart(title).map_or(title, |(title, _)| title);
        let plain = season_apart(undated).map_or(undated, |(title, _)| title);
        let spellings = [title, undated, plain].map(fold);
        let mut titles = self.index.folded_titles(anime).map(str::trim);
        titles.any(|title| {
            let mut spellings = spellings.iter().map(|spelling| spelling.trim());
            spellings.any(|spelling| spelling == title || is_misspelled(spelling, title))
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
