//! Suggestions of anime from a user's stories and the relations of anime (docs/api.md, "Suggestions").

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use catalogue::index::IndexedRow;
use serde::Deserialize;
use shared::models::{AnimeId, AnimeStatus, UserScore};

use crate::lists::joined_list::{Candidate, SuggestionReason};
use crate::lists::story_list::ListedStory;

/// The maximum number of anime whose relations are read. One call of `DynamoDB` reads 100 documents, so one more source
/// would cost a second call.
pub(crate) const MAX_SOURCES: usize = 90;

/// The maximum number of candidates that [`rank`] returns. Some of them may turn out to be unsuitable ([`is_fit`]).
pub(crate) const MAX_CANDIDATES: usize = 60;

/// The weight of a source whose score is the mean of the user's scores, in tenths of points. A score 10 points lower
/// has no weight, and a still lower score counts against the anime that the source recommends.
const MEAN_WEIGHT: i64 = 100;

/// The highest weight: that of a score 20 points above the mean.
const MAX_WEIGHT: i64 = 300;

/// The points of a recommendation are inversely proportional to the sum of its position and this number: the fifth
/// recommendation of an anime counts half as much as the first.
const POSITION_OFFSET: i64 = 4;

/// The relations of an anime, as its document states them.
#[derive(Debug, Deserialize)]
pub(crate) struct AnimeRelations {
    id: AnimeId,
    /// The following anime: the API's names are swapped (docs/api.md, "Anime").
    #[serde(rename = "prequel")]
    following: Option<AnimeId>,
    recommendations: Option<Vec<AnimeId>>,
}

/// The facts that decide if an anime can be suggested, as its document states them.
#[derive(Debug, Deserialize)]
pub(crate) struct Fitness {
    nsfw: bool,
    /// The preceding anime: the API's names are swapped.
    #[serde(rename = "sequel")]
    preceding: Option<AnimeId>,
}

/// The stories of a user, and the mean of their scores.
pub(crate) struct Taste<'s> {
    stories: &'s [ListedStory],
    mean_tenths: i64,
}

impl<'s> Taste<'s> {
    /// Returns the taste of a user with these stories, which must be sorted by their anime.
    pub(crate) fn of(stories: &'s [ListedStory]) -> Self {
        let scores = stories.iter().filter_map(|story| story.state.details.score);
        let scores: Vec<i64> = scores.map(|score| score.tenths().into()).collect();
        let count = i64::try_from(scores.len()).unwrap_or(i64::MAX);
        let mean_tenths = scores.iter().sum::<i64>().checked_div(count);
        Self {
            stories,
            mean_tenths: mean_tenths.unwrap_or_default(),
        }
    }

    /// Returns the difference of a score and the mean, in tenths. An anime without a score counts as the mean.
    fn above_mean(&self, story: &ListedStory) -> i64 {
        let score = story.state.details.score.map(UserScore::tenths);
        score.map_or(0, |tenths| i64::from(tenths) - self.mean_tenths)
    }

    /// Returns the weight of an anime that recommends others.
    fn weight(&self, story: &ListedStory) -> i64 {
        (MEAN_WEIGHT + self.above_mean(story)).clamp(-MEAN_WEIGHT, MAX_WEIGHT)
    }

    /// Returns the completed anime whose relations are to be read, at most [`MAX_SOURCES`]: for one half the latest
    /// changed, and for the other half the rest with the highest scores.
    pub(crate) fn choose_sources(&self) -> Vec<&'s ListedStory> {
        let finished = self.stories.iter().filter(|story| story.is_finished());
        let mut sources: Vec<&ListedStory> = finished.collect();
        // The rest of a long list need not be sorted.
        let latest = MAX_SOURCES / 2;
        if sources.len() > latest {
            sources.select_nth_unstable_by_key(latest, |story| latest_first_key(story));
        }
        let key =
            |story: &&'s ListedStory| (Reverse(self.above_mean(story)), latest_first_key(story));
        if let Some((_, rest)) = sources.split_at_mut_checked(latest)
            && rest.len() > MAX_SOURCES - latest
        {
            rest.select_nth_unstable_by_key(MAX_SOURCES - latest, key);
        }
        sources.truncate(MAX_SOURCES);
        sources
    }

    /// Returns the candidates, best first, at most [`MAX_CANDIDATES`]. The three kinds take turns, so that a short list
    /// has some of each. `sources` are those of [`Self::choose_sources`]. `planned` are the stories with the status
    /// PLANNING; those whose anime does not air may be left out. `find` returns the row and the status of an anime, or
    /// `None` if it cannot be suggested to anyone.
    pub(crate) fn rank(
        &self,
        sources: Vec<&'s ListedStory>,
        planned: impl Iterator<Item = &'s ListedStory>,
        relations: &[AnimeRelations],
        find: impl Fn(AnimeId) -> Option<(IndexedRow, AnimeStatus)>,
    ) -> Vec<Candidate> {
        let is_listed = |id: AnimeId| {
            let position = self
                .stories
                .binary_search_by_key(&id, |story| story.anime_id);
            position.is_ok()
        };
        // An anime that is not released yet cannot be watched next.
        let find_new = |id: AnimeId| {
            let (row, status) = find(id).filter(|_| !is_listed(id))?;
            matches!(status, AnimeStatus::Finished | AnimeStatus::Releasing).then_some(row)
        };
        let relations = of_sources(sources, relations);
        let sequels = self.find_sequels(&relations, find_new);
        let are_sequels: HashSet<u64> = sequels.iter().map(|sequel| sequel.anime.id).collect();
        let mut recommended = self.find_recommended(&relations, find_new);
        recommended.retain(|candidate| !are_sequels.contains(&candidate.anime.id));
        let kinds = [sequels, find_airing(planned, find), recommended];
        let longest = kinds.iter().map(Vec::len).max().unwrap_or_default();
        let turns =
            (0..longest).flat_map(|place| kinds.iter().filter_map(move |kind| kind.get(place)));
        turns.copied().take(MAX_CANDIDATES).collect()
    }

    /// Returns the sequels of completed anime, the latest changed first. Sequels of anime with scores far below the
    /// mean come last.
    fn find_sequels(
        &self,
        sources: &[(&ListedStory, &AnimeRelations)],
        find_new: impl Fn(AnimeId) -> Option<IndexedRow>,
    ) -> Vec<Candidate> {
        let (liked, disliked): (Vec<_>, Vec<_>) = sources
            .iter()
            .copied()
            .partition(|(story, _)| self.weight(story) > 0);
        let mut sequels = HashSet::new();
        let sequel = |(story, relations): (&ListedStory, &AnimeRelations)| {
            let anime = find_new(relations.following?)?;
            sequels.insert(anime.id).then_some(Candidate {
                anime,
                reason: SuggestionReason::Sequel,
                because: Some(story.anime_id),
            })
        };
        liked
            .into_iter()
            .chain(disliked)
            .filter_map(sequel)
            .collect()
    }

    /// Returns the anime that completed anime recommend, most points first; with equal points, the higher score in the
    /// catalogue comes first. The points of all sources add up. The reason names the source with the most points.
    fn find_recommended(
        &self,
        sources: &[(&ListedStory, &AnimeRelations)],
        find_new: impl Fn(AnimeId) -> Option<IndexedRow>,
    ) -> Vec<Candidate> {
        let mut sums: HashMap<AnimeId, RecommendationSum> = HashMap::new();
        for (story, relations) in sources {
            let weight = self.weight(story);
            let recommended = relations.recommendations.iter().flatten();
            for (position, anime) in (POSITION_OFFSET..).zip(recommended) {
                let points = weight * 100 / position;
                sums.entry(*anime).or_default().add(points, story.anime_id);
            }
        }
        let mut candidates: Vec<(i64, Candidate)> = sums
            .into_iter()
            .filter(|(_, sum)| sum.points > 0)
            .filter_map(|(id, sum)| {
                let candidate = Candidate {
                    anime: find_new(id)?,
                    reason: SuggestionReason::Recommendation,
                    because: sum.strongest.map(|(_, source)| source),
                };
                Some((sum.points, candidate))
            })
            .collect();
        let key =
            |(points, candidate): &(i64, Candidate)| (Reverse(*points), candidate.anime.list_key);
        candidates.sort_unstable_by_key(key);
        let candidates = candidates.into_iter();
        candidates.map(|(_, candidate)| candidate).collect()
    }
}

/// The points of an anime from all sources that recommend it.
#[derive(Default)]
struct RecommendationSum {
    points: i64,
    /// The most points that one source gives, and that source.
    strongest: Option<(i64, AnimeId)>,
}

impl RecommendationSum {
    fn add(&mut self, points: i64, source: AnimeId) {
        self.points += points;
        if self.strongest.is_none_or(|(most, _)| points > most) {
            self.strongest = Some((points, source));
        }
    }
}

/// Returns the planned anime that air, the latest change first.
fn find_airing<'s>(
    planned: impl Iterator<Item = &'s ListedStory>,
    find: impl Fn(AnimeId) -> Option<(IndexedRow, AnimeStatus)>,
) -> Vec<Candidate> {
    let mut airing: Vec<(&ListedStory, IndexedRow)> = planned
        .filter_map(|story| {
            let (anime, status) = find(story.anime_id)?;
            (status == AnimeStatus::Releasing).then_some((story, anime))
        })
        .collect();
    airing.sort_unstable_by_key(|(story, _)| latest_first_key(story));
    let candidate = |(_, anime): (&ListedStory, IndexedRow)| Candidate {
        anime,
        reason: SuggestionReason::Airing,
        because: None,
    };
    airing.into_iter().map(candidate).collect()
}

/// Returns the sources with their relations, the latest change first.
fn of_sources<'s, 'r>(
    sources: Vec<&'s ListedStory>,
    relations: &'r [AnimeRelations],
) -> Vec<(&'s ListedStory, &'r AnimeRelations)> {
    let by_id: HashMap<AnimeId, &AnimeRelations> = relations.iter().map(|of| (of.id, of)).collect();
    let mut sources: Vec<_> = sources
        .into_iter()
        .filter_map(|story| Some((story, *by_id.get(&story.anime_id)?)))
        .collect();
    sources.sort_unstable_by_key(|(story, _)| latest_first_key(story));
    sources
}

/// Returns true if a candidate can be suggested after its document has been read. The index may lag behind a correction
/// that marks an anime as for adults. An anime in the middle of a series is not recommended to a user who has not
/// completed what comes before, according to `is_finished`.
pub(crate) fn is_fit(
    candidate: &Candidate,
    anime: &Fitness,
    is_finished: impl Fn(AnimeId) -> bool,
) -> bool {
    let continues_unseen = anime
        .preceding
        .is_some_and(|preceding| !is_finished(preceding));
    let is_recommended = candidate.reason == SuggestionReason::Recommendation;
    !(anime.nsfw || is_recommended && continues_unseen)
}

fn latest_first_key(story: &ListedStory) -> (Reverse<u64>, AnimeId) {
    (Reverse(story.changed_at), story.anime_id)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use catalogue::index::IndexedRow;
    use shared::models::WatchStatus::{
        self, Completed, Current, Dropped, Paused, Planning, Repeating,
    };
    use shared::models::{AnimeId, AnimeStatus, UserScore, WireEnum};
    use shared::random::Random;

    use super::SuggestionReason::{self, Airing, Recommendation, Sequel};
    use super::{AnimeRelations, Candidate, Fitness, MAX_CANDIDATES, MAX_SOURCES, Taste, is_fit};
    use crate::examples::{self, anime as id};
    use crate::lists::story_list::ListedStory;

    /// Returns a story with a score in points; 0 stands for no score. Stories with higher identifiers are later.
    fn story(anime: u64, status: WatchStatus, score: u16) -> ListedStory {
        let mut state = examples::state(status, 0);
        state.details.score = UserScore::from_tenths(score * 10);
        ListedStory::from(&examples::story(anime, state, 1000 + anime))
    }

    fn relations(anime: u64, following: u64, recommendations: &[u64]) -> AnimeRelations {
        AnimeRelations {
            id: id(anime),
            following: AnimeId::new(following),
            recommendations: Some(recommendations.iter().copied().map(id).collect()),
        }
    }

    /// Anime from 900 on air, those from 950 on are not released, and those from 990 on are for adults or do not exist.
    /// Lower identifiers have a higher score in the catalogue.
    fn find(anime: AnimeId) -> Option<(IndexedRow, AnimeStatus)> {
        let row = IndexedRow {
            id: anime.get(),
            revision: None,
            list_key: anime.get(),
        };
        let status = match anime.get() {
            ..900 => AnimeStatus::Finished,
            900..950 => AnimeStatus::Releasing,
            950..990 => AnimeStatus::NotYetReleased,
            _ => return None,
        };
        Some((row, status))
    }

    fn rank(stories: &[ListedStory], relations: &[AnimeRelations]) -> Vec<Candidate> {
        let mut stories = stories.to_vec();
        stories.sort_unstable_by_key(|story| story.anime_id);
        let taste = Taste::of(&stories);
        let planned = stories.iter();
        let planned = planned.filter(|story| story.state.status == Planning);
        taste.rank(taste.choose_sources(), planned, relations, find)
    }

    fn ranked(
        stories: &[ListedStory],
        relations: &[AnimeRelations],
    ) -> Vec<(u64, SuggestionReason, Option<u64>)> {
        let ranked = rank(stories, relations).into_iter();
        let parts = |found: Candidate| {
            let because = found.because.map(AnimeId::get);
            (found.anime.id, found.reason, because)
        };
        ranked.map(parts).collect()
    }

    #[test]
    fn sequels_of_completed_anime_are_suggested() {
        let mut watched_again = story(7, Paused, 0);
        watched_again.state.details.repeats = 1;
        let mut given_up = story(8, Dropped, 0);
        given_up.state.details.repeats = 1;
        let stories = [
            story(1, Completed, 20),
            story(2, Completed, 80),
            story(3, Repeating, 90),
            story(4, Dropped, 90),
            story(5, Current, 90),
            story(6, Completed, 0),
            story(9, Completed, 0),
            story(10, Completed, 0),
            watched_again,
            given_up,
        ];
        let all: Vec<AnimeRelations> = (1..=8).map(|one| relations(one, 100 + one, &[])).collect();
        // One sequel is on the list, one is not released, and one airs.
        let others = [relations(9, 5, &[]), relations(10, 950, &[])];
        let mut all: Vec<AnimeRelations> = all.into_iter().chain(others).collect();
        all[1] = relations(2, 900, &[]);
        // The sequel of the latest change comes first, and that of an anime that the user did not like comes last.
        let expected = [(107, 7), (106, 6), (103, 3), (900, 2), (101, 1)];
        let expected = expected.map(|(anime, because)| (anime, Sequel, Some(because)));
        assert_eq!(ranked(&stories, &all), expected);
    }

    #[test]
    fn planned_anime_that_air_are_suggested() {
        let stories = [
            story(899, Planning, 0),
            story(900, Planning, 0),
            story(901, Planning, 0),
            story(902, Current, 0),
            story(950, Planning, 0),
        ];
        let expected = [(901, Airing, None), (900, Airing, None)];
        assert_eq!(ranked(&stories, &[]), expected);
    }

    #[test]
    fn recommendations_are_weighted_by_score_and_position() {
        let recommended = |first: (u64, u16), second: (u64, u16), lists: [&[u64]; 2]| {
            let stories = [
                story(first.0, Completed, first.1),
                story(second.0, Completed, second.1),
            ];
            let all = [
                relations(first.0, 0, lists[0]),
                relations(second.0, 0, lists[1]),
            ];
            let found = ranked(&stories, &all).into_iter();
            let found = found.map(|(anime, reason, because)| {
                assert_eq!(reason, Recommendation);
                (anime, because.unwrap())
            });
            found.collect::<Vec<_>>()
        };
        // The higher score wins, even against a better position.
        let found = recommended((1, 95), (2, 85), [&[30, 31], &[20]]);
        assert_eq!(found, [(30, 1), (31, 1), (20, 2)]);
        // Several sources add up, and the strongest is named.
        let found = recommended((1, 80), (2, 81), [&[30, 31], &[20, 31]]);
        assert_eq!(found, [(31, 2), (20, 2), (30, 1)]);
        // A score 10 points below the mean counts nothing.
        assert_eq!(recommended((1, 90), (2, 70), [&[30], &[20]]), [(30, 1)]);
        // A score further below the mean counts against an anime, so the second recommendation overtakes the first.
        let found = recommended((1, 90), (2, 50), [&[20, 30], &[20]]);
        assert_eq!(found, [(30, 1), (20, 1)]);
        // An anime without a score counts as the mean. With equal points, the catalogue's order decides.
        let found = recommended((1, 0), (2, 70), [&[30], &[20]]);
        assert_eq!(found, [(20, 2), (30, 1)]);
        let found = recommended((1, 0), (2, 70), [&[20], &[30]]);
        assert_eq!(found, [(20, 1), (30, 2)]);
    }

    #[test]
    fn disliked_anime_count_against_their_recommendations() {
        // The mean is 70.
        let stories = [
            story(1, Completed, 75),
            story(2, Completed, 95),
            story(3, Completed, 40),
        ];
        let all = [
            relations(1, 0, &[30]),
            relations(2, 0, &[31]),
            relations(3, 0, &[30, 31, 32]),
        ];
        // 37 points less 25 are fewer than 87 less 20. Without the third anime, 32 would be there.
        let found = [(31, Recommendation, Some(2)), (30, Recommendation, Some(1))];
        assert_eq!(ranked(&stories, &all), found);
    }

    #[test]
    fn kinds_take_turns_and_an_anime_has_one_reason() {
        let stories = [
            story(1, Completed, 0),
            story(2, Completed, 0),
            story(900, Planning, 0),
        ];
        let all = [relations(1, 10, &[10, 20, 30]), relations(2, 11, &[900])];
        let found = ranked(&stories, &all).into_iter();
        let found: Vec<_> = found.map(|(id, reason, _)| (id, reason)).collect();
        let expected = [
            (11, Sequel),
            (900, Airing),
            (20, Recommendation),
            (10, Sequel),
            (30, Recommendation),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn sources_are_the_latest_and_the_best() {
        let many: Vec<ListedStory> = (1..=300)
            .map(|one| story(one, Completed, 1 + u16::try_from(one % 100).unwrap()))
            .collect();
        let sources = Taste::of(&many).choose_sources();
        let ids: HashSet<u64> = sources.iter().map(|source| source.anime_id.get()).collect();
        assert_eq!((sources.len(), ids.len()), (MAX_SOURCES, MAX_SOURCES));
        assert!((256..=300).all(|latest| ids.contains(&latest)));
        assert!([99, 98, 199, 198].iter().all(|best| ids.contains(best)));
        assert!(!ids.contains(&100) && !ids.contains(&200));
    }

    #[test]
    fn documents_decide_at_last() {
        let is_finished = |anime: AnimeId| anime == id(1);
        let candidate = |reason| Candidate {
            anime: find(id(10)).unwrap().0,
            reason,
            because: Some(id(1)),
        };
        let after = |preceding| Fitness {
            nsfw: false,
            preceding: AnimeId::new(preceding),
        };
        for (preceding, is_recommended) in [(0, true), (1, true), (2, false), (3, false)] {
            let anime = after(preceding);
            let is_fit_now = is_fit(&candidate(Recommendation), &anime, is_finished);
            assert_eq!(is_fit_now, is_recommended);
            assert!(is_fit(&candidate(Sequel), &anime, is_finished));
        }
        let adult = Fitness {
            nsfw: true,
            preceding: None,
        };
        assert!(!is_fit(&candidate(Sequel), &adult, is_finished));
    }

    /// The promises of the documentation hold for any list and any relations.
    #[test]
    fn rules_hold_for_any_list() {
        let random = Random::seeded(34);
        let below = |number: u64| random.below(number);
        for round in 0..300 {
            let mut stories: HashMap<u64, ListedStory> = HashMap::new();
            for _ in 0..below(round + 2) {
                let status = WatchStatus::from_wire(below(6)).unwrap();
                let anime = 800 + below(199);
                let score = u16::try_from(below(101)).unwrap();
                stories.insert(anime, story(anime, status, score));
            }
            let stories: Vec<ListedStory> = stories.into_values().collect();
            let all: Vec<AnimeRelations> = (800..999)
                .map(|one| {
                    let others: Vec<u64> = (0..below(9)).map(|_| 800 + below(199)).collect();
                    let following = [0, 800 + below(199)][usize::from(below(2) == 0)];
                    relations(one, following, &others)
                })
                .collect();
            let found = rank(&stories, &all);
            assert!(found.len() <= MAX_CANDIDATES);
            let ids: HashSet<u64> = found.iter().map(|one| one.anime.id).collect();
            assert_eq!(ids.len(), found.len(), "no anime twice");
            let status = |id: u64| {
                let story = stories.iter().find(|story| story.anime_id.get() == id);
                story.map(|story| story.state.status)
            };
            for one in &found {
                let (_, released) = find(id(one.anime.id)).expect("not for adults");
                assert_ne!(released, AnimeStatus::NotYetReleased);
                let because = one.because.map(|source| status(source.get()));
                if one.reason == Airing {
                    assert_eq!((status(one.anime.id), because), (Some(Planning), None));
                    assert_eq!(released, AnimeStatus::Releasing);
                } else {
                    assert_eq!(status(one.anime.id), None);
                    let because = because.unwrap().unwrap();
                    assert!(matches!(because, Completed | Repeating), "{because:?}");
                }
            }
        }
    }
}
