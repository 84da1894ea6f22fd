//! The contents of the file with everything stored about a user. Enumerations are integers, as everywhere in the API.

use std::collections::BTreeSet;

use accounts::applications::{ClientKind, OAuthClient};
use accounts::grants::{Grant, ProfileToken};
use accounts::linked_accounts::{Link, LinkReport};
use accounts::sessions::Session;
use accounts::users::Picture;
use serde::Serialize;
use serde_json::Value;
use shared::auth::{DAY_S, Scope};
use shared::models::{
    AnimeId, EpisodeOfAnime, Identity, OwnUser, PartialDate, Passkey, PlayerContent, PlayerKind,
    RedirectUri, ScoreScale, SecondFactor, TitleLanguage, TrackerName,
};
use utoipa::ToSchema;

use super::rows::UserData;
use super::story_documents::{
    DeletedStoryDocuments, StoriesOnce, StoryDocuments, UserDataDeletedStory, UserDataStory,
};
use crate::document::document;
use crate::lists::details::{WireTime, seconds};
use crate::players::SeriesName;
use crate::players::player::{
    ChosenPart, MatchedSeries, Player, PlayerReport, SeriesChoice, SeriesMatch, UnmatchedSeries,
};
use crate::players::player_store::PlayerRows;

/// Everything that is stored about a user.
#[derive(Serialize, ToSchema)]
#[schema(as = UserData)]
pub struct UserDataFile<'d> {
    /// Always `kiroku-user-data`.
    #[schema(example = "kiroku-user-data")]
    format: &'static str,
    /// Version of the format. A change that makes old readers fail gets another version.
    #[schema(example = 1)]
    version: u32,
    /// Time at which the data was read.
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    exported_at: WireTime,
    account: UserDataAccount<'d>,
    /// Sessions of the web pages, oldest first, until they expire.
    sessions: Vec<UserDataSession<'d>>,
    /// Tokens of the profile page, including those that have ended.
    tokens: Vec<UserDataToken<'d>>,
    /// Applications that can use the account, or could before they were disconnected.
    connected_applications: Vec<UserDataConnection<'d>>,
    /// Applications that the user has registered.
    own_applications: Vec<UserDataApplication<'d>>,
    /// Linked accounts at trackers.
    trackers: Vec<UserDataTracker<'d>>,
    /// Media servers, programs and scripts that report what the user watches: `name`, `kind`, the settings,
    /// `created_at` and the last 50 `reports`, oldest first.
    #[schema(value_type = Vec<Object>)]
    players: Vec<UserDataPlayer<'d>>,
    /// Anime that the user has chosen for the series of players: `title`, `season` and `parts`.
    #[schema(value_type = Vec<Object>)]
    series_choices: Vec<UserDataChoice<'d>>,
    /// Series of players whose anime is not known, until they expire: `title`, `season`, `episode`, `at`, `watched`,
    /// `is_question`, `guesses` and `expires_at`.
    #[schema(value_type = Vec<Object>)]
    unmatched_series: Vec<UserDataUnmatched<'d>>,
    /// Anime with which the series of players were matched, until they expire: `title`, `season`, `matches`, `rejected`
    /// and `expires_at`.
    #[schema(value_type = Vec<Object>)]
    matched_series: Vec<UserDataMatched<'d>>,
    /// Stories, in the order of the identifiers of their anime.
    #[schema(value_type = Vec<UserDataStory>)]
    stories: StoryDocuments<'d>,
    /// Deleted stories that the change feed still lists.
    // Deleted stories are read with the stories, so they must come after them.
    #[schema(value_type = Vec<UserDataDeletedStory>)]
    deleted_stories: DeletedStoryDocuments<'d>,
    /// Entries of imports that wait for their anime or for an answer, as in a list file, the newest import first.
    #[schema(value_type = Vec<Object>)]
    waiting_entries: Vec<Value>,
}

impl<'d> UserDataFile<'d> {
    /// Returns the contents of the file, which can be serialized once. `waiting_entries` are as in a list file, and
    /// `now_ms` is the current time in milliseconds since the Unix epoch.
    pub(super) fn new(
        data: &'d UserData,
        stories: &'d StoriesOnce<'d>,
        waiting_entries: Vec<Value>,
        now_ms: u64,
    ) -> Self {
        let token = |token| UserDataToken::new(token, data, now_ms);
        let connection = |grant| UserDataConnection::new(grant, data);
        let PlayerRows {
            players,
            reports,
            choices,
            unmatched,
            matched,
        } = &data.players;
        let player = |player| UserDataPlayer::new(player, reports);
        Self {
            format: "kiroku-user-data",
            version: 1,
            exported_at: seconds(now_ms),
            account: UserDataAccount::new(data),
            sessions: data.sessions.iter().map(UserDataSession::new).collect(),
            tokens: data.tokens.iter().map(token).collect(),
            connected_applications: data.grants.iter().map(connection).collect(),
            own_applications: data.clients.iter().map(UserDataApplication::new).collect(),
            trackers: data.links.iter().map(UserDataTracker::new).collect(),
            players: players.iter().map(player).collect(),
            series_choices: choices.iter().map(UserDataChoice::new).collect(),
            unmatched_series: unmatched.iter().map(UserDataUnmatched::new).collect(),
            matched_series: matched.iter().map(UserDataMatched::new).collect(),
            stories: StoryDocuments(stories),
            deleted_stories: DeletedStoryDocuments(stories),
            waiting_entries,
        }
    }
}

document! {
    /// The account.
    #[derive(Serialize, ToSchema)]
    struct UserDataAccount<'d>(data: &'d UserData) {
        #[serde(flatten)]
        user: OwnUser = data.account.own_user(),
        /// True if everyone can read the user's list and statistics.
        public_profile: bool = data.account.public_profile,
        /// True if search engines may list the public profile.
        indexable_profile: bool = data.account.indexable_profile,
        /// The titles that pages show to the user.
        title_language: TitleLanguage = data.account.display.titles,
        /// The scale on which pages show scores to the user.
        score_scale: ScoreScale = data.account.display.scores,
        /// Picture that the user has uploaded; null without one.
        #[schema(required = true)]
        picture: Option<UserDataPicture> = data.picture.as_ref().map(UserDataPicture::new),
        /// Anime that the user has chosen for the public profile, in the order of the choice.
        #[schema(value_type = Vec<AnimeId>, example = json!([2]))]
        favorites: &'d [AnimeId] = &data.account.favorites,
        /// Time of the registration.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        created_at: WireTime = seconds(data.account.created_at),
        /// True if the user can sign in with a password.
        has_password: bool = data.account.password_hash.is_some(),
        /// Number of times that the password was changed.
        #[schema(example = 1)]
        password_changes: u64 = data.account.password_version,
        /// Number of times that the e-mail address was changed.
        #[schema(example = 0)]
        email_changes: u64 = data.account.email_version,
        /// Passkeys, oldest first.
        passkeys: Vec<UserDataPasskey<'d>> =
            data.account.factors.passkeys.iter().map(UserDataPasskey::new).collect(),
        /// Account at an identity provider with which the user signs in; null if none is connected.
        #[schema(required = true)]
        identity: Option<UserDataIdentity<'d>> = data.account.factors.identity.as_ref().map(UserDataIdentity::new),
        /// Second factor; null if none is set up.
        #[schema(required = true)]
        second_factor: Option<UserDataSecondFactor> =
            data.account.factors.second_factor.as_ref().map(UserDataSecondFactor::new),
    }
}

document! {
    /// A picture.
    #[derive(Serialize, ToSchema)]
    struct UserDataPicture(picture: &Picture) {
        /// Media type of the file.
        #[schema(example = "image/png")]
        media_type: &'static str = picture.format.media_type(),
        /// File in Base64.
        #[schema(example = "iVBORw0KGgo=")]
        data: String = picture.base64(),
    }
}

document! {
    /// A passkey.
    #[derive(Serialize, ToSchema)]
    struct UserDataPasskey<'d>(passkey: &'d Passkey) {
        /// Name of the passkey.
        #[schema(example = "My phone")]
        name: &'d str = &passkey.name,
        /// Time of the creation.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        created_at: WireTime = seconds(passkey.created_at),
        /// Time of the last use; null before the first.
        #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-09-30T20:15:00Z")]
        last_used_at: Option<WireTime> = passkey.used_at.map(seconds),
    }
}

document! {
    /// An account at an identity provider.
    #[derive(Serialize, ToSchema)]
    struct UserDataIdentity<'d>(identity: &'d Identity) {
        /// URL of the provider.
        #[schema(example = "https://id.example")]
        issuer: &'d str = &identity.issuer,
        /// Identifier of the account at the provider.
        #[schema(example = "248289761001")]
        subject: &'d str = &identity.subject,
        /// Time of the connection.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        connected_at: WireTime = seconds(identity.connected_at),
    }
}

document! {
    /// A second factor.
    #[derive(Serialize, ToSchema)]
    struct UserDataSecondFactor(factor: &SecondFactor) {
        /// Time at which it was set up.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        created_at: WireTime = seconds(factor.created_at),
        /// Number of recovery codes that are left.
        #[schema(example = 10)]
        recovery_codes: usize = factor.recovery_codes.len(),
    }
}

document! {
    /// A session of the web pages.
    #[derive(Serialize, ToSchema)]
    struct UserDataSession<'d>(session: &'d Session) {
        /// Time of the sign-in.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        begun_at: WireTime = seconds(session.begun_at * 1000),
        /// Time of expiry: 7 days after the last use, and 30 days after the sign-in at most.
        #[schema(value_type = String, format = DateTime, example = "2016-09-02T12:00:00Z")]
        expires_at: WireTime = seconds(session.expires_at * 1000),
        /// Time of the last use, up to 1 hour too early; null in sessions that began before it was recorded.
        #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-08-26T12:00:00Z")]
        last_used_at: Option<WireTime> = time_unless_zero(session.used_at * 1000),
        /// Time at which the user has last proved to be the owner of the account; null if that was at the sign-in.
        #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-08-26T12:00:00Z")]
        proved_at: Option<WireTime> = session.proved_at.map(|time| seconds(time * 1000)),
        /// Names of the browser and of its operating system. Empty if they are unknown.
        #[schema(example = "Firefox, Linux")]
        browser: &'d str = &session.browser,
        /// Network of the sign-in. Empty if it is unknown.
        #[schema(example = "203.0.113.7")]
        network: &'d str = &session.network,
    }
}

document! {
    /// A token of the profile page.
    #[derive(Serialize, ToSchema)]
    struct UserDataToken<'d>(token: &'d ProfileToken, data: &UserData, now_ms: u64) {
        /// Name of the token.
        #[schema(example = "my media player")]
        name: &'d str = &token.name,
        /// Scope of the token.
        #[schema(value_type = String, example = "read")]
        scope: Scope = token.scope.unwrap_or(Scope::ReadWrite),
        /// Time of the creation.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        created_at: WireTime = seconds(token.created_at),
        /// Time of expiry.
        #[schema(value_type = String, format = DateTime, example = "2016-09-25T12:00:00Z")]
        expires_at: WireTime = seconds(token.expires_at() * 1000),
        /// Day of the last use; null before the first use.
        #[schema(required = true, value_type = Option<String>, example = "2016-09-01")]
        last_used_on: Option<PartialDate> = token.used_on.map(|day| PartialDate::of_ms(day * DAY_S * 1000)),
        /// True if the token still works.
        is_valid: bool = data.account.has_live_token(token, now_ms / 1000),
    }
}

document! {
    /// An application that is or was connected.
    #[derive(Serialize, ToSchema)]
    struct UserDataConnection<'d>(grant: &'d Grant, data: &'d UserData) {
        /// Identifier of the application.
        #[schema(example = "pZ8kQ2vN6rT1wX4yB7cD")]
        client_id: &'d str = &grant.client_id,
        /// Name of the application; null if it was deleted.
        #[schema(required = true, example = "Radio Itomori")]
        name: Option<&'d str> = data.client_names.get(&grant.client_id).map(String::as_str),
        /// Scope that the user has allowed; null once it is disconnected.
        #[schema(required = true, value_type = Option<String>, example = "read write")]
        scope: Option<Scope> = grant.connected_at.map(|_| grant.scope()),
        /// Time of the connection; null once it is disconnected.
        #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-08-26T12:00:00Z")]
        connected_at: Option<WireTime> = grant.connected_at.map(seconds),
    }
}

document! {
    /// An application that the user has registered.
    #[derive(Serialize, ToSchema)]
    struct UserDataApplication<'d>(client: &'d OAuthClient) {
        /// Identifier of the application.
        #[schema(example = "pZ8kQ2vN6rT1wX4yB7cD")]
        client_id: &'d str = &client.client_id,
        /// Name of the application.
        #[schema(example = "Radio Itomori")]
        name: &'d str = &client.name,
        /// `confidential` or `public`.
        #[schema(value_type = String, example = "confidential")]
        kind: ClientKind = client.kind,
        /// Redirect URIs.
        #[schema(example = json!(["https://app.example/callback"]))]
        redirect_uris: Vec<&'d str> = client.redirect_uris.iter().map(RedirectUri::as_str).collect(),
        /// True if the application can use the implicit grant.
        implicit: bool = client.implicit,
        /// Time of the registration.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        created_at: WireTime = seconds(client.created_at),
    }
}

document! {
    /// A media server, program or script that reports what the user watches. The fields are described at
    /// [`Player`] and [`PlayerReport`](crate::players::PlayerReport).
    #[derive(Serialize)]
    struct UserDataPlayer<'d>(player: &'d Player, reports: &'d [(u8, PlayerReport)]) {
        name: &'d str = &player.settings.name,
        kind: PlayerKind = player.kind,
        server_user: Option<&'d str> = player.settings.server_user.as_deref(),
        seen_users: &'d BTreeSet<String> = &player.seen_users,
        finished_percent: u8 = player.settings.finished_percent,
        makes_private: bool = player.settings.makes_private,
        starts_again: bool = player.settings.starts_again,
        plays: PlayerContent = player.settings.plays,
        libraries: &'d [String] = &player.settings.libraries,
        takes_back: bool = player.settings.takes_back,
        takes_ratings: bool = player.settings.takes_ratings,
        only_listed: bool = player.settings.only_listed,
        created_at: WireTime = seconds(player.created_at),
        /// The last 50 reports, oldest first, with `outcome` as `reason` in the responses to messages.
        reports: Vec<UserDataReport<'d>> = reports_of(player, reports),
    }
}

/// Returns the reports of a player, oldest first.
fn reports_of<'d>(player: &Player, reports: &'d [(u8, PlayerReport)]) -> Vec<UserDataReport<'d>> {
    let reports = reports.iter().filter(|(of, _)| *of == player.id());
    let mut reports: Vec<&PlayerReport> = reports.map(|(_, report)| report).collect();
    reports.sort_by_key(|report| report.number);
    reports.into_iter().map(UserDataReport::new).collect()
}

document! {
    /// A report: what a message of a player did.
    #[derive(Serialize)]
    struct UserDataReport<'d>(report: &'d PlayerReport) {
        at: WireTime = seconds(report.at),
        outcome: &'d str = &report.outcome,
        user_name: Option<&'d str> = report.user_name.as_deref(),
        title: Option<&'d str> = report.title.as_deref(),
        /// Number of the season, `movie` or `none`.
        season: Option<&'d str> = report.season.as_deref(),
        episode: Option<u32> = report.episode,
        anime_id: Option<AnimeId> = report.anime_id,
        anime_episode: Option<u32> = report.anime_episode,
        /// The message, as JSON, while it waits until the user names the server's user.
        message: Option<&'d str> = report.message.as_deref(),
        expires_at: WireTime = seconds(report.expires_at * 1000),
    }
}

document! {
    /// The anime that the user has chosen for a season of a series, or for a movie.
    #[derive(Serialize)]
    struct UserDataChoice<'d>(choice: &'d SeriesChoice) {
        #[serde(flatten)]
        series: &'d SeriesName = &choice.series,
        /// The anime. Empty if the series is not an anime.
        parts: &'d [ChosenPart] = &choice.parts,
    }
}

document! {
    /// A season of a series, or a movie, whose anime is not known.
    #[derive(Serialize)]
    struct UserDataUnmatched<'d>(series: &'d UnmatchedSeries) {
        #[serde(flatten)]
        series: &'d SeriesName = &series.series,
        /// The highest episode that was watched.
        episode: u32 = series.last().0,
        /// Time at which it was watched.
        at: WireTime = seconds(series.last().1),
        watched: Vec<u32> = series.episodes().into_keys().collect(),
        is_question: bool = series.is_question,
        guesses: &'d [EpisodeOfAnime] = &series.guesses,
        expires_at: WireTime = seconds(series.expires_at * 1000),
    }
}

document! {
    /// The anime with which the episodes of a season, or a movie, were matched.
    #[derive(Serialize)]
    struct UserDataMatched<'d>(series: &'d MatchedSeries) {
        #[serde(flatten)]
        series: &'d SeriesName = &series.series,
        matches: &'d [SeriesMatch] = &series.matches,
        rejected: &'d [AnimeId] = &series.rejected,
        expires_at: WireTime = seconds(series.expires_at * 1000),
    }
}

document! {
    /// A linked account at a tracker.
    #[derive(Serialize, ToSchema)]
    struct UserDataTracker<'d>(link: &'d Link) {
        /// `tracker_a` or `tracker_b`.
        #[schema(value_type = String, example = "tracker_a")]
        tracker: TrackerName = link.tracker,
        /// Identifier of the account at the tracker.
        #[schema(example = 5)]
        account: u64 = link.account,
        /// Name of the account at the tracker.
        #[schema(example = "mitsuha")]
        name: &'d str = &link.name,
        /// Time of the linking.
        #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
        linked_at: WireTime = seconds(link.linked_at),
        /// True if the tracker no longer accepts the link. The user has to link the account again.
        is_refused: bool = link.needs_reconnect,
        /// Number of failures in a row.
        #[schema(example = 0)]
        failures: u32 = link.failures,
        /// Time before which the tracker is not called again; null without one.
        #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-09-30T20:15:00Z")]
        not_before: Option<WireTime> = time_unless_zero(link.not_before),
        /// Report of the last synchronization; null before the first one.
        #[schema(required = true)]
        last_sync: Option<UserDataSync<'d>> = link.report.as_ref().map(UserDataSync::new),
    }
}

document! {
    /// The report of a synchronization.
    #[derive(Serialize, ToSchema)]
    struct UserDataSync<'d>(report: &'d LinkReport) {
        /// Time of the synchronization.
        #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
        at: WireTime = seconds(report.at),
        /// Time of the last successful synchronization; null before the first.
        #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-09-30T20:15:00Z")]
        succeeded_at: Option<WireTime> = time_unless_zero(report.succeeded_at),
        /// Number of stories that were created or changed.
        #[schema(example = 2)]
        imported: u32 = report.imported,
        /// Number of entries that were sent to the tracker.
        #[schema(example = 1)]
        exported: u32 = report.exported,
        /// Number of stories that had changed on both sides.
        #[schema(example = 0)]
        conflicts: u32 = report.conflicts,
        /// Number of entries that are still to be sent.
        #[schema(example = 0)]
        left: u32 = report.left,
        /// Number of entries that the tracker has refused.
        #[schema(example = 0)]
        refused: u32 = report.refused,
        /// Number of entries whose anime is not in the catalogue.
        #[schema(example = 1)]
        unknown: u32 = report.unknown,
        /// Identifiers of the first of these anime at the tracker.
        #[schema(example = json!([21355]))]
        unknown_ids: &'d [u32] = &report.unknown_ids,
        /// Reason why the synchronization stopped early; null if it did not.
        #[schema(required = true)]
        trouble: Option<&'d str> = report.trouble.as_deref(),
    }
}

/// Converts a time in milliseconds since the Unix epoch. Returns `None` for 0, which stands for no time.
fn time_unless_zero(ms: u64) -> Option<WireTime> {
    (ms > 0).then(|| seconds(ms))
}
