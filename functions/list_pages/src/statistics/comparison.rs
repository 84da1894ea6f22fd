//! A user's scores beside the average scores of the same anime in the catalogue.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use catalogue::index::{AnimeIndex, IndexedRow, ListIndex};
use maud::{Markup, html};
use pages::anime_card::{AnimeRenderer, path_of};
use shared::models::{Anime, AnimeId, Score, UserScore, WatchStatus};
use stories::lists::ListedStory;

use super::chart::section;

/// The maximum number of anime about which the user and the catalogue disagree.
const MAX_DISAGREEMENTS: usize = 6;

/// The smallest difference of a disagreement, in hundredths of a point of 100.
const SMALLEST: u16 = 10 * 100;

/// The scores of a user and of the catalogue.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// The number of anime with a score of the user whose average score is in each range: up to 10, above 10 up to 20,
    /// and so on up to 100.
    pub averages: [u32; 10],
    /// The average scores of the anime with a score of the user, by genre.
    genres: BTreeMap<String, Mean>,
    /// The anime with the largest differences, largest first.
    disagreements: Vec<Disagreement>,
}

/// A mean of average scores.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    hundredths: u64,
    count: u64,
}

/// An anime about which the user and the catalogue disagree.
#[derive(Clone, Copy, Debug)]
struct Disagreement {
    anime: AnimeId,
    own: UserScore,
    average: Score,
}

impl Disagreement {
    /// Returns the user's score in hundredths.
    fn own_hundredths(self) -> u16 {
        self.own.tenths() * 10
    }

    /// Returns the difference in hundredths.
    fn difference(self) -> u16 {
        self.own_hundredths().abs_diff(self.average.hundredths())
    }
}

impl Comparison {
    /// Compares the scores of these stories. As in the statistics, planned anime do not count.
    pub(super) fn of(stories: &[ListedStory], index: &AnimeIndex) -> Self {
        let mut comparison = Self::default();
        let counted = stories
            .iter()
            .filter(|story| story.state.status != WatchStatus::Planning);
        for story in counted {
            let anime = story.anime_id;
            let (Some(own), Some(average)) =
                (story.state.details.score, index.average_score(anime))
            else {
                continue;
            };
            let step = usize::from(average.hundredths().saturating_sub(1) / 1000);
            if let Some(count) = comparison.averages.get_mut(step) {
                *count += 1;
            }
            let watched = index.watched_anime(anime);
            for genre in watched.iter().flat_map(|watched| &watched.genres) {
                let mean = match comparison.genres.get_mut(*genre) {
                    Some(mean) => mean,
                    None => comparison.genres.entry((*genre).to_owned()).or_default(),
                };
                mean.hundredths += u64::from(average.hundredths());
                mean.count += 1;
            }
            comparison.disagreements.push(Disagreement {
                anime,
                own,
                average,
            });
        }
        let found = &mut comparison.disagreements;
        found.retain(|one| one.difference() >= SMALLEST);
        found.sort_by_key(|one| Reverse(one.difference()));
        found.truncate(MAX_DISAGREEMENTS);
        comparison
    }

    /// Returns true if no anime with a score of the user has an average score.
    pub(super) fn is_empty(&self) -> bool {
        self.averages.iter().all(|count| *count == 0)
    }

    /// Returns the mean of the average scores of the anime with this genre, from 0 to 100.
    pub(super) fn mean_of(&self, genre: &str) -> Option<f64> {
        let mean = self.genres.get(genre)?;
        let hundredths = (mean.hundredths * 2 + mean.count).checked_div(mean.count * 2)?;
        u32::try_from(hundredths)
            .ok()
            .map(|hundredths| f64::from(hundredths) / 100.0)
    }

    /// Returns the rows of the anime that [`Self::render`] shows.
    pub(super) fn rows(&self, index: &AnimeIndex) -> Vec<IndexedRow> {
        let disagreements = self.disagreements.iter();
        disagreements
            .filter_map(|one| index.find(one.anime.get()))
            .collect()
    }

    /// Renders the anime with the largest differences, or nothing if there are none.
    pub(super) fn render(&self, renderer: AnimeRenderer<'_>, anime: &[Arc<Anime>]) -> Markup {
        let l10n = renderer.l10n;
        let known = self.disagreements.iter();
        let known: Vec<(&Disagreement, &Arc<Anime>)> = known
            .filter_map(|one| Some((one, anime.iter().find(|anime| anime.id == one.anime)?)))
            .collect();
        if known.is_empty() {
            return Markup::default();
        }
        let content = html! {
            ul.log {
                @for (one, anime) in known {
                    @let id = if one.own_hundredths() > one.average.hundredths() {
                        "statistics-higher"
                    } else {
                        "statistics-lower"
                    };
                    // The difference is rounded to a whole point of 100.
                    @let points = Score::new(f64::from((one.difference() + 50) / 100)).unwrap_or_default();
                    @let points = l10n.average_score(points);
                    li {
                        (renderer.linked_cover(anime))
                        div {
                            a href=(path_of(anime)) { (renderer.title_markup(anime)) }
                            p { (l10n.format(id, [("points", points.into())])) }
                        }
                        span.num {
                            (l10n.score(one.own))
                            " " span.soft { "/ " (l10n.average_score(one.average)) }
                        }
                    }
                }
            }
        };
        let heading = l10n.text("statistics-disagreements");
        let note = l10n.text("statistics-disagreements-note");
        section("disagreements", &heading, &note, &content)
    }
}

#[cfg(test)]
mod tests {
    use shared::models::{AnimeId, Score, UserScore};

    use super::{Comparison, Disagreement, Mean};

    #[test]
    fn differences_are_in_hundredths() {
        let one = Disagreement {
            anime: AnimeId::new(1).unwrap(),
            own: UserScore::from_tenths(800).unwrap(),
            average: Score::new(92.25).unwrap(),
        };
        assert_eq!(one.difference(), 1225);
    }

    #[test]
    fn means_are_rounded() {
        let mean = Mean {
            hundredths: 15_001,
            count: 2,
        };
        let comparison = Comparison {
            genres: [("Drama".to_owned(), mean)].into(),
            ..Comparison::default()
        };
        assert_eq!(comparison.mean_of("Drama"), Some(75.01));
        assert_eq!(comparison.mean_of("Comedy"), None);
        assert!(comparison.is_empty());
    }
}
