//! Episodes of unmatched series, which are kept until the user names the anime.

use std::collections::BTreeMap;

use player_messages::{Event, Message, Sender, Subject, Video};
use shared::Result;
use shared::models::{PlayerContent, UserId};

use super::outcome::{PlaybackReason, PlaybackResult, is_same_name};
use super::player::{MAX_KEPT_EPISODES, Player, UnmatchedSeries};
use super::receive::PlaybackReceiver;
use super::series_name::SeriesName;
use super::series_store::KEPT_S;

/// The time for which a message is kept until the owner of the player names the server's user, in seconds: a day.
pub(super) const WAITING_S: u64 = 24 * 60 * 60;

impl PlaybackReceiver {
    /// Applies the messages that were kept until the owner of a player has named the user of the server. Each message
    /// is handled as if it had just come.
    pub async fn receive_kept(&self, player: &Player) -> Result<()> {
        let reports = self.players.reports(player).await?;
        let named = player.settings.server_user.as_deref().unwrap_or_default();
        for report in reports.into_iter().rev() {
            let (Some(message), Some(user)) = (&report.message, &report.user_name) else {
                continue;
            };
            let Some(video) = serde_json::from_str::<Video>(message).ok() else {
                continue;
            };
            if !is_same_name(user, named) {
                continue;
            }
            let message = Message {
                sender: Sender::Kiroku,
                user: Some(user.clone()),
                event: Event::Finished,
                subject: Subject::Video(video),
                position_ms: None,
                duration_ms: None,
                at_ms: Some(report.at),
            };
            self.receive(player, &message, false).await?;
            self.players.delete_report(player, report.number).await?;
        }
        Ok(())
    }

    /// Keeps an episode whose anime is not known, with the time at which it was watched. Returns true if the episode is
    /// later than those that were kept before, or if the user is now asked about the series for the first time.
    pub(crate) async fn keep(
        &self,
        player: &Player,
        series: &SeriesName,
        (episode, at): (u32, u64),
        result: &PlaybackResult,
    ) -> Result<bool> {
        let now = self.clock.now_ms();
        let (user, key) = (player.user_id, series.key());
        let present = self.players.find_unmatched(user, &key).await?;
        let episodes = present.as_ref().map(UnmatchedSeries::episodes);
        let episodes = episodes.unwrap_or_default();
        let is_new = !episodes.contains_key(&episode) && episodes.len() < MAX_KEPT_EPISODES;
        let was_question = present.as_ref().is_some_and(|present| present.is_question);
        // A player that also plays other things has many series that are not anime.
        let is_question = was_question
            || player.settings.plays == PlayerContent::Anime
            || (result.reason != PlaybackReason::NoMatch
                && !self.is_not_an_anime(user, series).await?);
        if !is_new && is_question == was_question {
            return Ok(false);
        }
        let last = episodes.last_key_value();
        let is_last = is_new && last.is_none_or(|(last, _)| *last < episode);
        let mut added = BTreeMap::new();
        if is_new {
            added.insert(episode, at.min(now));
        }
        // A row of an earlier version of the service has its only episode in another attribute.
        if let Some(old) = present.as_ref().filter(|old| old.watched.is_empty()) {
            added.insert(old.episode, old.at);
        }
        let (guesses, expires_at) = (result.guesses.clone(), now / 1000 + KEPT_S);
        let series = series.clone();
        let mut row = UnmatchedSeries::new(user, series, &added, guesses, player.id(), expires_at);
        row.is_question = is_question;
        if let Some(present) = present.as_ref().filter(|_| !is_last) {
            (row.episode, row.at) = present.last();
            if present.guesses.is_empty() {
                // The guesses of a row are for its last episode, and those of this message are for an earlier one.
                let later = row.episode.saturating_sub(episode);
                for guess in &mut row.guesses {
                    guess.episode = guess.episode.saturating_add(later);
                }
            } else {
                row.guesses.clone_from(&present.guesses);
            }
        }
        self.players.keep_unmatched(&row, present.is_none()).await?;
        Ok(is_last || is_question != was_question)
    }

    /// Returns true if the user has said of another season of this series that it is not an anime.
    async fn is_not_an_anime(&self, user: UserId, series: &SeriesName) -> Result<bool> {
        let mut choices = self.players.choices(user).await?.into_iter();
        Ok(choices.any(|choice| {
            let is_series = choice.series.season != "movie" && series.season != "movie";
            is_series && choice.parts.is_empty() && series.has_title_of(&choice.series)
        }))
    }
}
