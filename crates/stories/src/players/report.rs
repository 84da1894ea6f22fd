//! The reports about a player's messages.

use player_messages::{Message, Subject, Video};
use shared::{Error, Result};

use super::keep::WAITING_S;
use super::matching::NamedVideo;
use super::outcome::{PlaybackReason, PlaybackResult};
use super::player::{Player, PlayerReport};
use super::receive::PlaybackReceiver;
use super::series_name::SeriesName;
use super::series_store::KEPT_S;

impl PlaybackReceiver {
    /// Reports the first message of a player, although it changes nothing. Returns its result.
    pub(crate) async fn report_first(
        &self,
        player: &Player,
        message: &Message,
        result: PlaybackResult,
        is_dry_run: bool,
    ) -> Result<PlaybackResult> {
        if !is_dry_run && player.report_count == 0 {
            let episode = match &message.subject {
                Subject::Video(video) => NamedVideo::new(video).episode(),
                Subject::Whole(_) | Subject::NotAnEpisode(_) | Subject::Unusable(_) => None,
            };
            let (user, about) = (message.user.as_ref(), (None, episode));
            self.report(player, user, about, &result).await?;
        }
        Ok(result)
    }

    /// Keeps an episode about which the user is asked, and reports its message if it says something new. `about` is the
    /// season of the series, and the episode in it.
    pub(super) async fn keep_and_report(
        &self,
        player: &Player,
        message: &Message,
        about: (Option<&SeriesName>, Option<u32>),
        result: &PlaybackResult,
        is_finished: bool,
    ) -> Result<()> {
        let (series, episode) = about;
        let mut says_new = player.report_count == 0
            || (result.applied && result.reason != PlaybackReason::PositionKept);
        let is_kept = result.reason.is_question() && is_finished;
        if let Some(series) = series.filter(|_| is_kept) {
            let at = message.at_ms.unwrap_or(u64::MAX);
            let episode = (episode.unwrap_or(1), at);
            says_new |= self.keep(player, series, episode, result).await?;
        }
        if says_new {
            let user = message.user.as_ref();
            self.report(player, user, about, result).await?;
        }
        Ok(())
    }

    /// Reports a message that does not count because of its user. If the message is about another user, the report has
    /// only the name.
    pub(crate) async fn report_refused(
        &self,
        player: &Player,
        message: &Message,
        reason: PlaybackReason,
        waiting: Option<&Video>,
    ) -> Result<()> {
        let user = message.user.as_ref();
        let is_new_name = user.is_some_and(|user| player.can_keep_user(user));
        let waiting = waiting.filter(|_| reason == PlaybackReason::NoUserNamed);
        if waiting.is_none() && !is_new_name && player.report_count > 0 {
            return Ok(());
        }
        let now = self.clock.now_ms();
        let at = message.at_ms.unwrap_or(now).min(now);
        let mut report = PlayerReport {
            at,
            outcome: reason.name(),
            user_name: message.user.clone(),
            expires_at: now / 1000 + WAITING_S,
            ..PlayerReport::default()
        };
        if let Some(video) = waiting {
            let named = NamedVideo::new(video);
            describe(&mut report, named.series().as_ref(), named.episode());
            report.message = Some(serde_json::to_string(video).map_err(Error::internal)?);
        }
        self.players.add_report(player, &report).await
    }

    /// Reports what a message did. `user` is the name of the server's user, if the message has one.
    pub(crate) async fn report(
        &self,
        player: &Player,
        user: Option<&String>,
        (series, episode): (Option<&SeriesName>, Option<u32>),
        result: &PlaybackResult,
    ) -> Result<()> {
        let now = self.clock.now_ms();
        let mut report = PlayerReport {
            at: now,
            outcome: result.reason.name(),
            user_name: user.cloned(),
            anime_id: result.matched.map(|matched| matched.episode.anime_id),
            anime_episode: result.matched.map(|matched| matched.episode.episode),
            expires_at: now / 1000 + KEPT_S,
            ..PlayerReport::default()
        };
        describe(&mut report, series, episode);
        self.players.add_report(player, &report).await
    }
}

fn describe(report: &mut PlayerReport, series: Option<&SeriesName>, episode: Option<u32>) {
    if let Some(series) = series {
        report.title = Some(series.title.clone());
        report.season = Some(series.season.clone());
    }
    report.episode = episode;
}
