//! Matches that the user has found wrong.

use std::collections::BTreeMap;
use std::sync::Mutex;

use shared::auth::Access;
use shared::models::{AnimeId, Origin, StoryId};
use shared::{Error, Missing, Result};

use super::memory::REJECTED_S;
use super::player::{MatchedSeries, Player, PlayerReport, SeriesChoice, UnmatchedSeries};
use super::receive::PlaybackReceiver;
use super::series_name::SeriesName;
use super::series_store::KEPT_S;
use crate::lists::story_batch::StoryOperation;
use crate::lists::undo::{operation_of_undo, undo_player};
use crate::lists::user_story::Story;
use crate::lock::lock;

/// The maximum time from a change to its report, in seconds.
const REPORT_DELAY_S: u64 = 10;

/// The error for a report that the player does not have, or that has no anime.
const NO_REPORT: Error = Error::NotFound(Missing::Message);

/// A match that the user has found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedMatch {
    /// The season of the series, or the movie, about which the user is asked now.
    pub series: SeriesName,
    /// The last episode of the season that was matched with the anime.
    pub episode: u32,
    /// True if the story is as it was before the match. False if it stays unchanged, because something else has changed
    /// it since.
    pub is_undone: bool,
}

impl PlaybackReceiver {
    /// Takes back what messages about a season have changed in the story of a wrong anime. A report of the caller's
    /// player names the season and the anime. The episodes are kept until the user has named the right anime, and the
    /// season is never matched with the wrong anime again.
    ///
    /// # Errors
    /// [`Error::NotFound`] if the player has no report with this number, or if it names no series and anime.
    pub async fn reject(
        &self,
        access: &Access,
        player: &Player,
        number: u64,
    ) -> Result<RejectedMatch> {
        let (user, now) = (access.credential.user_id, self.clock.now_ms());
        let reports = self.players.reports(player).await?;
        let report = reports.iter().find(|report| report.number == number);
        let report = report.ok_or(NO_REPORT)?;
        let series = series_of(report).ok_or(NO_REPORT)?;
        let anime = report.anime_id.ok_or(NO_REPORT)?;
        let key = series.key();
        let is_same = |other: &&PlayerReport| {
            other.anime_id == Some(anime)
                && series_of(other).is_some_and(|other| other.key() == key)
        };
        let same: Vec<&PlayerReport> = reports.iter().filter(is_same).collect();

        // This call also checks the caller.
        self.take_back_part(access, &key, anime).await?;
        let row = self.players.find_match(user, &key).await?;
        let mut row = row.unwrap_or_else(|| MatchedSeries::new(user, series.clone()));
        let matched = row.matches.iter().find(|other| other.anime_id == anime);
        // Earlier versions did not remember the time of the first change. A report is written after its change.
        let reported = same.iter().map(|report| report.at / 1000).min();
        let reported = reported.map(|at| at.saturating_sub(REPORT_DELAY_S));
        let since = matched.map(|matched| matched.since);
        let since = since.or(reported).unwrap_or(0);
        // First, the anime is remembered as wrong, so that no message can write it again.
        row.matches.retain(|other| other.anime_id != anime);
        if !row.rejected.contains(&anime) {
            row.rejected.push(anime);
        }
        row.expires_at = now / 1000 + REJECTED_S;
        self.players.keep_match(&row).await?;
        let is_undone = self.undo_match(player, anime, since).await?;

        let episodes = same
            .iter()
            .map(|report| (report.episode.unwrap_or(1), report.at));
        let episodes: BTreeMap<u32, u64> = episodes.collect();
        let (guesses, expires_at) = (Vec::new(), now / 1000 + KEPT_S);
        let asked = series.clone();
        let unmatched =
            UnmatchedSeries::new(user, asked, &episodes, guesses, player.id(), expires_at);
        let present = self.players.find_unmatched(user, &key).await?;
        self.players
            .keep_unmatched(&unmatched, present.is_none())
            .await?;
        for report in same {
            self.players.delete_report(player, report.number).await?;
        }
        Ok(RejectedMatch {
            episode: unmatched.last().0,
            series,
            is_undone,
        })
    }

    /// Takes back the user's choice of an anime for a season.
    async fn take_back_part(&self, access: &Access, key: &str, anime: AnimeId) -> Result<()> {
        let choice = self.players.choice(access.credential.user_id, key).await?;
        let parts = choice.as_ref().map(|choice| choice.parts.as_slice());
        let has_others = parts.is_some_and(|parts| parts.iter().any(|part| part.anime_id != anime));
        if !has_others {
            return self.players.take_back_choice(access, key).await;
        }
        let without = |choice: Option<SeriesChoice>| {
            let mut choice = choice.ok_or(Error::Changed)?;
            choice.parts.retain(|part| part.anime_id != anime);
            Ok(choice)
        };
        self.players.edit_choice(access, key, without).await?;
        Ok(())
    }

    /// Takes back what a player has changed in the story of an anime since a time, in seconds since the Unix epoch.
    /// Returns false if something else has changed the story since.
    async fn undo_match(&self, player: &Player, anime: AnimeId, since: u64) -> Result<bool> {
        let (user, now) = (player.user_id, self.clock.now_ms());
        let index = self.catalogue.index().await?;
        let episodes = index.episodes_count(anime).unwrap_or(u32::MAX);
        let present = self.stories.get(StoryId::of(user, anime)).await?;
        if present.is_none() {
            return Ok(true);
        }
        let is_undone = Mutex::new(false);
        let decide = |_: usize, present: Option<&Story>| {
            let operation = present.map_or(StoryOperation::Keep, |story| {
                let created_at = story.created_at() / 1000;
                let player = (player.id(), player.settings.name.as_str());
                let effect = undo_player(player, since, &story.state, created_at, &story.history);
                operation_of_undo(effect, story, episodes, now)
            });
            let is_kept = present.is_some() && matches!(operation, StoryOperation::Keep);
            *lock(&is_undone) = !is_kept;
            Ok(operation)
        };
        let stories = vec![(anime, present)];
        let write = self
            .stories
            .edit_many(None, user, stories, &Origin::Owner, decide, now);
        for result in write.await? {
            result?;
        }
        Ok(*lock(&is_undone))
    }
}

fn series_of(report: &PlayerReport) -> Option<SeriesName> {
    SeriesName::read(report.title.as_deref()?, report.season.as_deref()?)
}
