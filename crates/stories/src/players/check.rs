//! The checks that decide which matches have to wait for the user, and which do not count.

use std::collections::BTreeSet;

use catalogue::identify::NameSearches;
use shared::Result;
use shared::models::{AnimeId, PlayerContent, UserId};

use super::memory::MatchMemory;
use super::outcome::{Match, MessageTarget, PlaybackReason, PlaybackResult, of_anime};
use super::receive::PlaybackReceiver;
use crate::lists::user_story::Story;

/// The maximum number of anime of a series that are searched for on the list.
const MAX_SIBLINGS: usize = 50;

impl PlaybackReceiver {
    /// Returns a result for each message that has to wait or does not count, and `None` for the other messages, whose
    /// anime is remembered. All messages are about the same anime, and `present` is its story. Reads nothing if no
    /// message would change the story.
    pub(super) async fn check_matches(
        &self,
        target: &MessageTarget<'_>,
        present: Option<&Story>,
        matches: &[&Match],
        memory: &mut MatchMemory,
        searches: &mut NameSearches,
    ) -> Result<Vec<Option<PlaybackResult>>> {
        let foreseen = self.foresee(target, present, matches).await?;
        let mut results = vec![None; matches.len()];
        let mut changes = matches.iter().zip(&foreseen);
        let Some((change, _)) = changes.find(|(_, reason)| reason.is_change()) else {
            return Ok(results);
        };
        let anime = change.watched.episode.anime;
        let seasons = self.catalogue.seasons().await?;
        let siblings = seasons.anime_in_series_of(anime, searches);
        let (settings, now) = (target.settings, self.clock.now_ms());
        let mut is_listed = present.is_some().then_some(true);
        for ((matched, reason), result) in matches.iter().zip(foreseen).zip(&mut results) {
            if !reason.is_change() {
                continue;
            }
            if settings.only_listed && present.is_none() {
                *result = Some(matched.result(PlaybackReason::NotListed));
                continue;
            }
            if settings.plays == PlayerContent::Mixed && matched.is_by_name_alone {
                let is_supported = match is_listed {
                    Some(is_listed) => is_listed,
                    None => self.is_any_listed(target.owner, &siblings).await?,
                };
                is_listed = Some(is_supported);
                if !is_supported {
                    *result = Some(PlaybackResult {
                        guesses: vec![of_anime(matched.watched.episode)],
                        ..PlaybackResult::of(PlaybackReason::WaitsForAnswer)
                    });
                    continue;
                }
            }
            let Some(series) = &matched.series else {
                continue;
            };
            let key = series.key();
            if memory.begin_read(&key) {
                memory.add(self.players.find_match(target.owner, &key).await?);
            }
            *result = memory.objection(matched, &siblings);
            if result.is_none() {
                memory.confirm(matched, reason, now);
            }
        }
        Ok(results)
    }

    /// Returns true if any of these anime is on the list of a user.
    async fn is_any_listed(&self, owner: UserId, anime: &[AnimeId]) -> Result<bool> {
        let anime: BTreeSet<AnimeId> = anime.iter().copied().collect();
        let anime: Vec<AnimeId> = anime.into_iter().take(MAX_SIBLINGS).collect();
        if anime.is_empty() {
            return Ok(false);
        }
        let stories = self.stories.find_many(owner, &anime).await?;
        Ok(stories.iter().any(|(_, story)| story.is_some()))
    }

    /// Stores the rows of the memory that have changed.
    pub(super) async fn save_memory(&self, memory: MatchMemory, now: u64) -> Result<()> {
        for row in memory.into_changed(now) {
            self.players.keep_match(&row).await?;
        }
        Ok(())
    }
}
