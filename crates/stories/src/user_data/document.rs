//! The contents of the file with everything stored about a user. Enumerations are integers, as everywhere in
//! the API.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use accounts::applications::{ClientKind, Grant, OAuthClient, ProfileToken};
use accounts::linked_accounts::{Link, LinkReport};
use accounts::sessions::Session;
use catalogue::AnimeSummaries;
use catalogue::index::AnimeSummary;
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use shared::auth::{DAY_S, Scope};
use shared::models::{
    AnimeId, EpisodeOfAnime, Identity, LinkedAccounts, OwnUser, PartialDate, Passkey, PerTracker,
    PlayerContent, PlayerKind, RedirectUri, ScoreScale, SecondFactor, SyncRecord, TitleLanguage,
    TrackerName, UserStory,
};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::part::StoryPart;
use super::rows::{DeletedStory, UserData};
use crate::lists::details::{StoryDetails, seconds};
use crate::lists::revisions::{StoryRevision, list_revisions};
use crate::lists::user_story::Story;
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
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    exported_at: OffsetDateTime,
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
    // They are read with the stories, so they must come after them.
    #[schema(value_type = Vec<UserDataDeletedStory>)]
    deleted_stories: DeletedStoryDocuments<'d>,
    /// Entries of imports that wait for their anime or for an answer, as in a list file, the newest import first.
    #[schema(value_type = Vec<Object>)]
    waiting_entries: Vec<Value>,
}

impl<'d> UserDataFile<'d> {
    /// Returns the contents of the file, which can be serialized once. `waiting_entries` are as in a list file, and
    /// `now_ms` is the present time in milliseconds since the Unix epoch.
    #[must_use]
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
            sessions: data.sessions.iter().map(UserDataSession::from).collect(),
            tokens: data.tokens.iter().map(token).collect(),
            connected_applications: data.grants.iter().map(connection).collect(),
            own_applications: data.clients.iter().map(UserDataApplication::from).collect(),
            trackers: data.links.iter().map(UserDataTracker::from).collect(),
            players: players.iter().map(player).collect(),
            series_choices: choices.iter().map(UserDataChoice::from).collect(),
            unmatched_series: unmatched.iter().map(UserDataUnmatched::from).collect(),
            matched_series: matched.iter().map(UserDataMatched::from).collect(),
            stories: StoryDocuments(stories),
            deleted_stories: DeletedStoryDocuments(stories),
            waiting_entries,
        }
    }
}

/// The account.
#[derive(Serialize, ToSchema)]
struct UserDataAccount<'d> {
    #[serde(flatten)]
    user: OwnUser,
    /// True if everyone can read the user's list and statistics.
    public_profile: bool,
    /// True if search engines may list the public profile.
    indexable_profile: bool,
    /// The titles that pages show to the user.
    title_language: TitleLanguage,
    /// The scale on which pages show scores to the user.
    score_scale: ScoreScale,
    /// Time of the registration.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    created_at: OffsetDateTime,
    /// True if the user can sign in with a password.
    has_password: bool,
    /// Number of times that the password was changed.
    #[schema(example = 1)]
    password_changes: u64,
    /// Number of times that the e-mail address was changed.
    #[schema(example = 0)]
    email_changes: u64,
    /// Passkeys, oldest first.
    passkeys: Vec<UserDataPasskey<'d>>,
    /// Account at an identity provider with which the user signs in; null if none is connected.
    #[schema(required = true)]
    identity: Option<UserDataIdentity<'d>>,
    /// Second factor; null if none is set up.
    #[schema(required = true)]
    second_factor: Option<UserDataSecondFactor>,
}

impl<'d> UserDataAccount<'d> {
    fn new(data: &'d UserData) -> Self {
        let account = &data.account;
        let factors = &account.factors;
        Self {
            user: account.own_user(),
            public_profile: account.public_profile,
            indexable_profile: account.indexable_profile,
            title_language: account.display.titles,
            score_scale: account.display.scores,
            created_at: seconds(account.created_at),
            has_password: account.password_hash.is_some(),
            password_changes: account.password_version,
            email_changes: account.email_version,
            passkeys: factors.passkeys.iter().map(UserDataPasskey::from).collect(),
            identity: factors.identity.as_ref().map(UserDataIdentity::from),
            second_factor: factors
                .second_factor
                .as_ref()
                .map(UserDataSecondFactor::from),
        }
    }
}

/// A passkey.
#[derive(Serialize, ToSchema)]
struct UserDataPasskey<'d> {
    /// Name of the passkey.
    #[schema(example = "My phone")]
    name: &'d str,
    /// Time of the creation.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    created_at: OffsetDateTime,
    /// Time of the last use; null before the first.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-09-30T20:15:00Z")]
    last_used_at: Option<OffsetDateTime>,
}

impl<'d> From<&'d Passkey> for UserDataPasskey<'d> {
    fn from(passkey: &'d Passkey) -> Self {
        Self {
            name: &passkey.name,
            created_at: seconds(passkey.created_at),
            last_used_at: passkey.used_at.map(seconds),
        }
    }
}

/// An account at an identity provider.
#[derive(Serialize, ToSchema)]
struct UserDataIdentity<'d> {
    /// URL of the provider.
    #[schema(example = "https://id.example")]
    issuer: &'d str,
    /// Identifier of the account at the provider.
    #[schema(example = "248289761001")]
    subject: &'d str,
    /// Time of the connection.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    connected_at: OffsetDateTime,
}

impl<'d> From<&'d Identity> for UserDataIdentity<'d> {
    fn from(identity: &'d Identity) -> Self {
        Self {
            issuer: &identity.issuer,
            subject: &identity.subject,
            connected_at: seconds(identity.connected_at),
        }
    }
}

/// A second factor.
#[derive(Serialize, ToSchema)]
struct UserDataSecondFactor {
    /// Time at which it was set up.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    created_at: OffsetDateTime,
    /// Number of recovery codes that are left.
    #[schema(example = 10)]
    recovery_codes: usize,
}

impl From<&SecondFactor> for UserDataSecondFactor {
    fn from(factor: &SecondFactor) -> Self {
        Self {
            created_at: seconds(factor.created_at),
            recovery_codes: factor.recovery_codes.len(),
        }
    }
}

/// A session of the web pages.
#[derive(Serialize, ToSchema)]
struct UserDataSession<'d> {
    /// Time of the sign-in.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    begun_at: OffsetDateTime,
    /// Time of expiry: 7 days after the last use, and 30 days after the sign-in at most.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-09-02T12:00:00Z")]
    expires_at: OffsetDateTime,
    /// Time of the last use, up to 1 hour too early; null in sessions that began before it was recorded.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-08-26T12:00:00Z")]
    last_used_at: Option<OffsetDateTime>,
    /// Time at which the user has last proved to be the owner of the account; null if that was at the sign-in.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-08-26T12:00:00Z")]
    proved_at: Option<OffsetDateTime>,
    /// Names of the browser and of its operating system. Empty if they are unknown.
    #[schema(example = "Firefox, Linux")]
    browser: &'d str,
    /// Network of the sign-in. Empty if it is unknown.
    #[schema(example = "203.0.113.7")]
    network: &'d str,
}

impl<'d> From<&'d Session> for UserDataSession<'d> {
    fn from(session: &'d Session) -> Self {
        Self {
            last_used_at: time_unless_zero(session.used_at * 1000),
            proved_at: session.proved_at.map(|time| seconds(time * 1000)),
            browser: &session.browser,
            network: &session.network,
            begun_at: seconds(session.begun_at * 1000),
            expires_at: seconds(session.expires_at * 1000),
        }
    }
}

/// A token of the profile page.
#[derive(Serialize, ToSchema)]
struct UserDataToken<'d> {
    /// Name of the token.
    #[schema(example = "my media player")]
    name: &'d str,
    /// Scope of the token.
    #[schema(value_type = String, example = "read")]
    scope: Scope,
    /// Time of the creation.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    created_at: OffsetDateTime,
    /// Time of expiry.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-09-25T12:00:00Z")]
    expires_at: OffsetDateTime,
    /// Day of the last use; null before the first use.
    #[schema(required = true, value_type = Option<String>, example = "2016-09-01")]
    last_used_on: Option<PartialDate>,
    /// True if the token still works.
    is_valid: bool,
}

impl<'d> UserDataToken<'d> {
    fn new(token: &'d ProfileToken, data: &UserData, now_ms: u64) -> Self {
        let day = |day: u64| PartialDate::of_ms(day * DAY_S * 1000);
        Self {
            name: &token.name,
            scope: token.scope.unwrap_or(Scope::ReadWrite),
            created_at: seconds(token.created_at),
            expires_at: seconds(token.expires_at() * 1000),
            last_used_on: token.used_on.map(day),
            is_valid: token.is_live(&data.account, now_ms / 1000),
        }
    }
}

/// An application that is or was connected.
#[derive(Serialize, ToSchema)]
struct UserDataConnection<'d> {
    /// Identifier of the application.
    #[schema(example = "pZ8kQ2vN6rT1wX4yB7cD")]
    client_id: &'d str,
    /// Name of the application; null if it was deleted.
    #[schema(required = true, example = "Radio Itomori")]
    name: Option<&'d str>,
    /// Scope that the user has allowed; null once it is disconnected.
    #[schema(required = true, value_type = Option<String>, example = "read write")]
    scope: Option<Scope>,
    /// Time of the connection; null once it is disconnected.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-08-26T12:00:00Z")]
    connected_at: Option<OffsetDateTime>,
}

impl<'d> UserDataConnection<'d> {
    fn new(grant: &'d Grant, data: &'d UserData) -> Self {
        Self {
            client_id: &grant.client_id,
            name: data.client_names.get(&grant.client_id).map(String::as_str),
            scope: grant.connected_at.map(|_| grant.scope()),
            connected_at: grant.connected_at.map(seconds),
        }
    }
}

/// An application that the user has registered.
#[derive(Serialize, ToSchema)]
struct UserDataApplication<'d> {
    /// Identifier of the application.
    #[schema(example = "pZ8kQ2vN6rT1wX4yB7cD")]
    client_id: &'d str,
    /// Name of the application.
    #[schema(example = "Radio Itomori")]
    name: &'d str,
    /// `confidential` or `public`.
    #[schema(value_type = String, example = "confidential")]
    kind: ClientKind,
    /// Redirect URIs.
    #[schema(example = json!(["https://app.example/callback"]))]
    redirect_uris: Vec<&'d str>,
    /// True if the application can use the implicit grant.
    implicit: bool,
    /// Time of the registration.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    created_at: OffsetDateTime,
}

impl<'d> From<&'d OAuthClient> for UserDataApplication<'d> {
    fn from(client: &'d OAuthClient) -> Self {
        let uris = client.redirect_uris.iter();
        Self {
            client_id: &client.client_id,
            name: &client.name,
            kind: client.kind,
            redirect_uris: uris.map(RedirectUri::as_str).collect(),
            implicit: client.implicit,
            created_at: seconds(client.created_at),
        }
    }
}

/// A media server, program or script that reports what the user watches.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
struct UserDataPlayer<'d> {
    /// Name of the player.
    name: &'d str,
    /// `jellyfin`, `plex`, `emby`, `kodi`, `mpv` or `other`.
    kind: PlayerKind,
    /// Name of the server's user whose messages count; null if none is named.
    server_user: Option<&'d str>,
    /// Names of the server's users in messages.
    seen_users: &'d BTreeSet<String>,
    /// Part of a video after which it counts as watched, in percent.
    finished_percent: u8,
    /// True if the player makes private stories.
    makes_private: bool,
    /// True if the first episode of a completed anime starts it again.
    starts_again: bool,
    /// `anime` if it plays only anime, `mixed` if it plays other things, too.
    plays: PlayerContent,
    /// Names of the libraries with anime.
    libraries: &'d [String],
    /// True if an item that the user marks as not watched takes the episode back.
    takes_back: bool,
    /// True if ratings on the server become scores.
    takes_ratings: bool,
    /// True if only anime that are on the list already count.
    only_listed: bool,
    /// Time of the creation.
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// The last 50 reports, oldest first, with `outcome` as `reason` in the responses to messages.
    reports: Vec<UserDataReport<'d>>,
}

impl<'d> UserDataPlayer<'d> {
    fn new(player: &'d Player, reports: &'d [(u8, PlayerReport)]) -> Self {
        let reports = reports.iter().filter(|(of, _)| *of == player.id());
        let mut reports: Vec<&PlayerReport> = reports.map(|(_, report)| report).collect();
        reports.sort_by_key(|report| report.number);
        let settings = &player.settings;
        Self {
            name: &settings.name,
            kind: player.kind,
            server_user: settings.server_user.as_deref(),
            seen_users: &player.seen_users,
            finished_percent: settings.finished_percent,
            makes_private: settings.makes_private,
            starts_again: settings.starts_again,
            plays: settings.plays,
            libraries: &settings.libraries,
            takes_back: settings.takes_back,
            takes_ratings: settings.takes_ratings,
            only_listed: settings.only_listed,
            created_at: seconds(player.created_at),
            reports: reports.into_iter().map(UserDataReport::from).collect(),
        }
    }
}

/// A report: what a message of a player did.
#[derive(Serialize)]
struct UserDataReport<'d> {
    /// Time of the message.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    /// Effect of the message, as `reason` in the responses to messages.
    outcome: &'d str,
    /// Name of the server's user.
    user_name: Option<&'d str>,
    /// Title of the series or movie.
    title: Option<&'d str>,
    /// Number of the season, `movie` or `none`.
    season: Option<&'d str>,
    /// Number of the episode in the season.
    episode: Option<u32>,
    /// Identifier of the anime.
    anime_id: Option<AnimeId>,
    /// Number of the episode within the anime.
    anime_episode: Option<u32>,
    /// The message, as JSON, while it waits until the user names the server's user.
    message: Option<&'d str>,
    /// Time of expiry.
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
}

impl<'d> From<&'d PlayerReport> for UserDataReport<'d> {
    fn from(report: &'d PlayerReport) -> Self {
        Self {
            at: seconds(report.at),
            outcome: &report.outcome,
            user_name: report.user_name.as_deref(),
            title: report.title.as_deref(),
            season: report.season.as_deref(),
            episode: report.episode,
            anime_id: report.anime_id,
            anime_episode: report.anime_episode,
            message: report.message.as_deref(),
            expires_at: seconds(report.expires_at * 1000),
        }
    }
}

/// The anime that the user has chosen for a season of a series, or for a movie.
#[derive(Serialize)]
struct UserDataChoice<'d> {
    #[serde(flatten)]
    series: &'d SeriesName,
    /// The anime. Empty if the series is no anime.
    parts: &'d [ChosenPart],
}

impl<'d> From<&'d SeriesChoice> for UserDataChoice<'d> {
    fn from(choice: &'d SeriesChoice) -> Self {
        Self {
            series: &choice.series,
            parts: &choice.parts,
        }
    }
}

/// A season of a series, or a movie, whose anime is not known.
#[derive(Serialize)]
struct UserDataUnmatched<'d> {
    #[serde(flatten)]
    series: &'d SeriesName,
    /// The highest episode that was watched.
    episode: u32,
    /// Time at which it was watched.
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    /// All episodes that were watched.
    watched: Vec<u32>,
    /// True if the user is asked which anime it is.
    is_question: bool,
    /// Episodes that may be meant.
    guesses: &'d [EpisodeOfAnime],
    /// Time of expiry.
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
}

impl<'d> From<&'d UnmatchedSeries> for UserDataUnmatched<'d> {
    fn from(series: &'d UnmatchedSeries) -> Self {
        let (episode, at) = series.last();
        Self {
            series: &series.series,
            episode,
            at: seconds(at),
            watched: series.episodes().into_keys().collect(),
            is_question: series.is_question,
            guesses: &series.guesses,
            expires_at: seconds(series.expires_at * 1000),
        }
    }
}

/// The anime with which the episodes of a season, or a movie, were matched.
#[derive(Serialize)]
struct UserDataMatched<'d> {
    #[serde(flatten)]
    series: &'d SeriesName,
    /// The anime.
    matches: &'d [SeriesMatch],
    /// Identifiers of the anime that the user has found wrong.
    rejected: &'d [AnimeId],
    /// Time of expiry.
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
}

impl<'d> From<&'d MatchedSeries> for UserDataMatched<'d> {
    fn from(series: &'d MatchedSeries) -> Self {
        Self {
            series: &series.series,
            matches: &series.matches,
            rejected: &series.rejected,
            expires_at: seconds(series.expires_at * 1000),
        }
    }
}

/// A linked account at a tracker.
#[derive(Serialize, ToSchema)]
struct UserDataTracker<'d> {
    /// `tracker_a` or `tracker_b`.
    #[schema(value_type = String, example = "tracker_a")]
    tracker: TrackerName,
    /// Identifier of the account at the tracker.
    #[schema(example = 5)]
    account: u64,
    /// Name of the account at the tracker.
    #[schema(example = "mitsuha")]
    name: &'d str,
    /// Time of the linking.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    linked_at: OffsetDateTime,
    /// True if the tracker no longer accepts the link. The user has to link the account again.
    is_refused: bool,
    /// Number of failures in a row.
    #[schema(example = 0)]
    failures: u32,
    /// Time before which the tracker is not called again; null without one.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-09-30T20:15:00Z")]
    not_before: Option<OffsetDateTime>,
    /// Report of the last synchronization; null before the first one.
    #[schema(required = true)]
    last_sync: Option<UserDataSync<'d>>,
}

impl<'d> From<&'d Link> for UserDataTracker<'d> {
    fn from(link: &'d Link) -> Self {
        Self {
            tracker: link.tracker,
            account: link.account,
            name: &link.name,
            linked_at: seconds(link.linked_at),
            is_refused: link.needs_reconnect,
            failures: link.failures,
            not_before: time_unless_zero(link.not_before),
            last_sync: link.report.as_ref().map(UserDataSync::from),
        }
    }
}

/// The report of a synchronization.
#[derive(Serialize, ToSchema)]
struct UserDataSync<'d> {
    /// Time of the synchronization.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-09-30T20:15:00Z")]
    at: OffsetDateTime,
    /// Time of the last successful synchronization; null before the first.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required = true, value_type = Option<String>, format = DateTime, example = "2016-09-30T20:15:00Z")]
    succeeded_at: Option<OffsetDateTime>,
    /// Number of stories that were created or changed.
    #[schema(example = 2)]
    imported: u32,
    /// Number of entries that were sent to the tracker.
    #[schema(example = 1)]
    exported: u32,
    /// Number of stories that had changed on both sides.
    #[schema(example = 0)]
    conflicts: u32,
    /// Number of entries that are still to be sent.
    #[schema(example = 0)]
    left: u32,
    /// Number of entries that the tracker has refused.
    #[schema(example = 0)]
    refused: u32,
    /// Number of entries whose anime is not in the catalogue.
    #[schema(example = 1)]
    unknown: u32,
    /// Identifiers of the first of these anime at the tracker.
    #[schema(example = json!([21355]))]
    unknown_ids: &'d [u32],
    /// Reason why the synchronization stopped early; null if it did not.
    #[schema(required = true)]
    trouble: Option<&'d str>,
}

impl<'d> From<&'d LinkReport> for UserDataSync<'d> {
    fn from(report: &'d LinkReport) -> Self {
        Self {
            at: seconds(report.at),
            succeeded_at: time_unless_zero(report.succeeded_at),
            imported: report.imported,
            exported: report.exported,
            conflicts: report.conflicts,
            left: report.left,
            refused: report.refused,
            unknown: report.unknown,
            unknown_ids: &report.unknown_ids,
            trouble: report.trouble.as_deref(),
        }
    }
}

/// The stories of a user, which are taken from a reader while they are written, because all stories together could need
/// a lot of memory. So they can be written only once.
pub(super) struct StoriesOnce<'d> {
    linked: LinkedAccounts,
    parts: RefCell<&'d mut dyn Iterator<Item = StoryPart>>,
    /// The names of the clients so far.
    client_names: RefCell<BTreeMap<String, String>>,
    /// The deleted stories so far. There are few of them.
    deleted: RefCell<Vec<Box<RawValue>>>,
}

impl<'d> StoriesOnce<'d> {
    pub(super) fn new(data: &UserData, parts: &'d mut dyn Iterator<Item = StoryPart>) -> Self {
        Self {
            linked: data.account.linked,
            parts: RefCell::new(parts),
            client_names: RefCell::new(data.client_names.clone()),
            deleted: RefCell::default(),
        }
    }
}

/// The stories that are not deleted.
struct StoryDocuments<'d>(&'d StoriesOnce<'d>);

impl Serialize for StoryDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(once) = self;
        let mut names = once.client_names.borrow_mut();
        let mut all_deleted = once.deleted.borrow_mut();
        let mut documents = serializer.serialize_seq(None)?;
        for StoryPart { rows, anime } in &mut **once.parts.borrow_mut() {
            names.extend(rows.client_names);
            let facts = StoryFacts {
                linked: once.linked,
                anime: &anime,
                client_names: &names,
            };
            for story in &rows.stories {
                documents.serialize_element(&UserDataStory::new(story, facts))?;
            }
            for deleted in &rows.deleted {
                let document = to_raw_value(&UserDataDeletedStory::new(deleted, facts));
                all_deleted.push(document.map_err(S::Error::custom)?);
            }
        }
        documents.end()
    }
}

/// The deleted stories. They are known once the others are written.
struct DeletedStoryDocuments<'d>(&'d StoriesOnce<'d>);

impl Serialize for DeletedStoryDocuments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.deleted.borrow().serialize(serializer)
    }
}

/// The facts that the documents of stories need besides the stories.
#[derive(Clone, Copy)]
struct StoryFacts<'d> {
    linked: LinkedAccounts,
    anime: &'d AnimeSummaries,
    client_names: &'d BTreeMap<String, String>,
}

/// A story.
#[derive(Serialize, ToSchema)]
struct UserDataStory<'d> {
    #[serde(flatten)]
    story: UserStory,
    /// The anime; null if the catalogue no longer has it.
    #[schema(required = true)]
    anime: Option<UserDataAnime<'d>>,
    details: StoryDetails,
    /// Synchronization with each tracker, by the tracker's name; null if the story was never synchronized with it.
    #[schema(value_type = Object, example = json!({"tracker_a": {"account": 5, "synced": true}, "tracker_b": null}))]
    sync: PerTracker<Option<UserDataStorySync>>,
    /// The latest changes, newest first.
    history: Vec<StoryRevision>,
}

impl<'d> UserDataStory<'d> {
    fn new(story: &Story, facts: StoryFacts<'d>) -> Self {
        let sync = |tracker| {
            let known: Option<SyncRecord> = story.known(tracker);
            known.map(|known| UserDataStorySync {
                account: known.account,
                synced: known.is_synced(story.version),
            })
        };
        Self {
            anime: facts.anime.get(story.anime_id).map(UserDataAnime::from),
            details: StoryDetails::new(&story.into(), facts.linked),
            sync: PerTracker::from_fn(sync),
            history: list_revisions(story, facts.client_names),
            story: story.into(),
        }
    }
}

/// The title and the identifiers of an anime.
#[derive(Serialize, ToSchema)]
struct UserDataAnime<'d> {
    /// Title.
    #[schema(example = "Cowboy Bebop")]
    title: &'d str,
    /// Identifier at the first external tracker.
    #[schema(required = true, example = 1)]
    tracker_a_id: Option<u32>,
    /// Identifier at the second external tracker.
    #[schema(required = true, example = 1)]
    tracker_b_id: Option<u32>,
}

impl<'d> From<AnimeSummary<'d>> for UserDataAnime<'d> {
    fn from(anime: AnimeSummary<'d>) -> Self {
        Self {
            title: anime.title,
            tracker_a_id: anime.trackers.a,
            tracker_b_id: anime.trackers.b,
        }
    }
}

/// The synchronization of a story with a tracker.
#[derive(Serialize)]
struct UserDataStorySync {
    /// The account at the tracker.
    account: u64,
    /// True if the tracker has the latest state of the story.
    synced: bool,
}

/// A deleted story.
#[derive(Serialize, ToSchema)]
struct UserDataDeletedStory<'d> {
    /// Identifier of the anime.
    anime_id: AnimeId,
    /// Time of the deletion.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-08-26T12:00:00Z")]
    deleted_at: OffsetDateTime,
    /// Time at which this entry expires.
    #[serde(with = "time::serde::rfc3339")]
    #[schema(value_type = String, format = DateTime, example = "2016-11-25T12:00:00Z")]
    expires_at: OffsetDateTime,
    /// The story as it was. Only of a story that was selected on the list and deleted in one step, because this can be
    /// undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    story: Option<UserDataStory<'d>>,
}

impl<'d> UserDataDeletedStory<'d> {
    fn new(story: &DeletedStory, facts: StoryFacts<'d>) -> Self {
        let deleted = story.story.as_ref();
        Self {
            anime_id: story.anime_id,
            deleted_at: seconds(story.deleted_at),
            expires_at: seconds(story.expires_at * 1000),
            story: deleted.map(|deleted| UserDataStory::new(deleted, facts)),
        }
    }
}

/// Converts a time in milliseconds since the Unix epoch. Returns `None` for 0, which stands for no time.
fn time_unless_zero(ms: u64) -> Option<OffsetDateTime> {
    (ms > 0).then(|| seconds(ms))
}
