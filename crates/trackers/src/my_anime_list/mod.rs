//! The adapter to tracker B: the REST API of MyAnimeList, version 2
//! (myanimelist.net/apiconfig/references/api/v2; docs/trackers.md, "MyAnimeList").

mod catalogue;
mod response;

pub use catalogue::{
    AiringStatus, AnimeNode, Broadcast, MalAnime, MediaType, Nsfw, OtherTitles, Picture,
    RelatedAnime, Relation, SimilarAnime, StartSeason,
};
use http_client::SetupError;
use reqwest::header::HeaderValue;
use reqwest::{Method, RequestBuilder, Url};
use serde::Deserialize;
use shared::clock::Clock;
use shared::models::{DetailsChange, Notes, PartialDate, Season, UserScore, WatchStatus, WireEnum};

use self::response::Paging;
pub use self::response::seconds_of;
use super::config::{Config, has_credentials};
use super::endpoint::TrackerEndpoint;
use super::entry::{EntryLimits, EntryWrite, TrackerEntry, UserList, Viewer, parse_repeats};
use super::error::{Cause, TrackerError, TrackerResult};
use super::list::Pages;
use super::pace::{CallKind, Waiter};
use super::score_format::ScoreFormat;
use super::tokens::TrackerTokens;
use super::transport::{Call, TrackerResponse, parse};

/// The number of entries in a page of a list: the maximum that the API allows.
const PER_PAGE: &str = "1000";

const LIST_FIELDS: &str = "list_status{comments,start_date,finish_date,num_times_rewatched,score,\
is_rewatching,updated_at},num_episodes";

/// The details that entries can hold. MyAnimeList does not document incomplete dates. If it refused such a date, the
/// progress in the same request would not be written either.
const ENTRY_LIMITS: EntryLimits = EntryLimits {
    scores: ScoreFormat::Ten,
    needs_complete_dates: true,
};

/// The header with the identifier of the operator's client. Calls that read only public data send it instead of a
/// token.
const CLIENT_ID: &str = "x-mal-client-id";

/// The adapter to MyAnimeList.
#[derive(Debug)]
pub struct MyAnimeList(TrackerEndpoint);

/// The address of a page of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageAddress(Url);

/// The fields of the anime in a page of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFields {
    /// All fields that lists have.
    All,
    /// Only the fields that show which anime have changed: the identifier and the time of the last change. These
    /// pages are much shorter than pages with all fields.
    Changes,
}

/// A page of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimePage {
    /// The anime, in the order of the list. They have neither relations nor recommendations.
    pub anime: Vec<MalAnime>,
    /// The address of the next page, if one follows.
    pub next: Option<PageAddress>,
}

#[derive(Deserialize)]
struct MalUser {
    id: u64,
    name: String,
    picture: Option<String>,
}

#[derive(Deserialize)]
struct UserListPage {
    data: Vec<UserListItem>,
    paging: Paging,
}

/// An anime of the list, and the entry for it.
#[derive(Deserialize)]
struct UserListItem {
    node: Node,
    list_status: ListStatus,
}

#[derive(Deserialize)]
struct Node {
    id: u32,
    num_episodes: Option<u32>,
}

/// The user's entry for one anime. The API leaves out fields that are null.
#[derive(Deserialize)]
struct ListStatus {
    status: Option<String>,
    num_episodes_watched: Option<u32>,
    is_rewatching: Option<bool>,
    score: Option<f64>,
    start_date: Option<String>,
    finish_date: Option<String>,
    num_times_rewatched: Option<i64>,
    comments: Option<String>,
    updated_at: Option<String>,
}

/// Returns the name of a status at tracker B, and true if the anime is being watched again (docs/trackers.md,
/// "Status mapping"). `rewatched_as` is the status that is sent for an anime that is being watched again.
pub fn status_name(status: WatchStatus, rewatched_as: WatchStatus) -> (&'static str, bool) {
    let name = match status {
        WatchStatus::Current => "watching",
        WatchStatus::Planning => "plan_to_watch",
        WatchStatus::Dropped => "dropped",
        WatchStatus::Paused => "on_hold",
        WatchStatus::Repeating if rewatched_as == WatchStatus::Current => "watching",
        WatchStatus::Completed | WatchStatus::Repeating => "completed",
    };
    (name, status == WatchStatus::Repeating)
}

/// Returns the status with this name; `None` if the name is unknown. An anime that is being watched again is
/// REPEATING, whatever the name is.
pub fn status_of(name: Option<&str>, is_rewatching: bool) -> Option<WatchStatus> {
    if is_rewatching {
        return Some(WatchStatus::Repeating);
    }
    match name? {
        "watching" => Some(WatchStatus::Current),
        "plan_to_watch" => Some(WatchStatus::Planning),
        "completed" => Some(WatchStatus::Completed),
        "dropped" => Some(WatchStatus::Dropped),
        "on_hold" => Some(WatchStatus::Paused),
        _ => None,
    }
}

/// Reads a page of a user's list. Returns its entries and the URL of the next page.
///
/// # Errors
/// The reason why the page is malformed. One malformed entry makes the whole page malformed.
pub fn read_page(body: &[u8]) -> Result<(Vec<TrackerEntry>, Option<String>), &'static str> {
    let UserListPage { data, paging } = parse(body)?;
    let entry = |item: UserListItem| item.list_status.entry(item.node.id, item.node.num_episodes);
    let entries: Result<_, _> = data.into_iter().map(entry).collect();
    Ok((entries?, paging.next))
}

/// Parses a date. Without a text, or with an empty text, the date is unknown.
///
/// # Errors
/// If a story cannot hold the date.
fn parse_date(text: Option<&str>) -> Result<Option<PartialDate>, &'static str> {
    let text = text.filter(|text| !text.is_empty());
    text.map(PartialDate::parse).transpose()
}

/// Returns the form fields for the details to write. An empty text removes a date.
fn detail_fields(details: &DetailsChange) -> impl Iterator<Item = (&'static str, String)> {
    let date = |date: Option<PartialDate>| date.map_or_else(String::new, String::from);
    let score = details
        .score
        .map(|score| ScoreFormat::Ten.to_number(score).to_string());
    let fields = [
        ("score", score),
        ("start_date", details.started_on.map(date)),
        ("finish_date", details.finished_on.map(date)),
        (
            "num_times_rewatched",
            details.repeats.map(|repeats| repeats.to_string()),
        ),
        ("comments", details.notes.clone().map(String::from)),
    ];
    fields
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
}

impl ListStatus {
    fn entry(self, media_id: u32, episodes: Option<u32>) -> Result<TrackerEntry, &'static str> {
        let is_rewatching = self.is_rewatching.unwrap_or_default();
        let updated_at = match &self.updated_at {
            Some(text) => seconds_of(text).ok_or("an invalid time")?,
            None => 0,
        };
        Ok(TrackerEntry {
            media_id,
            status: status_of(self.status.as_deref(), is_rewatching).ok_or("an unknown status")?,
            progress: self.num_episodes_watched.unwrap_or_default(),
            details: DetailsChange {
                score: UserScore::parse(self.score.unwrap_or_default() * 10.0).ok(),
                started_on: parse_date(self.start_date.as_deref()).ok(),
                finished_on: parse_date(self.finish_date.as_deref()).ok(),
                repeats: parse_repeats(self.num_times_rewatched.unwrap_or_default()),
                notes: Notes::new(&self.comments.unwrap_or_default()).ok(),
                private: None,
            },
            updated_at,
            // 0 stands for an unknown number.
            episodes: episodes.filter(|count| *count > 0),
        })
    }
}

impl MyAnimeList {
    /// Builds the adapter. Returns `None` if no client is configured.
    ///
    /// # Errors
    /// [`SetupError`] if the configuration is invalid.
    pub fn new(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(TrackerEndpoint::new(config, clock, waiter)?.map(Self))
    }

    /// Returns the URL of the page on which a user allows the connection. The PKCE challenge is the verifier
    /// itself, because MyAnimeList supports only the method `plain` (RFC 7636, section 4.2).
    pub fn authorize_url(&self, state: &str, verifier: &str) -> String {
        let challenge = [
            ("code_challenge", verifier),
            ("code_challenge_method", "plain"),
        ];
        self.0.authorize_url(state, &challenge)
    }

    pub(super) async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        deadline: u64,
    ) -> TrackerResult<TrackerTokens> {
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", &self.0.config.redirect_uri),
        ];
        self.request_tokens("tracker_b exchange", &grant, None, deadline)
            .await
    }

    pub(super) async fn refresh(
        &self,
        tokens: &TrackerTokens,
        deadline: u64,
    ) -> TrackerResult<TrackerTokens> {
        const NAME: &str = "tracker_b refresh";
        let Some(refresh) = &tokens.refresh else {
            return Err(TrackerError::reconnect(NAME, Cause::NoRefreshToken));
        };
        let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh)];
        self.request_tokens(NAME, &grant, Some(tokens), deadline)
            .await
    }

    async fn request_tokens(
        &self,
        call_name: &'static str,
        grant: &[(&str, &str)],
        old: Option<&TrackerTokens>,
        deadline: u64,
    ) -> TrackerResult<TrackerTokens> {
        let mut form = grant.to_vec();
        form.push(("client_id", &self.0.config.client_id));
        // Public clients have no secret.
        if !self.0.config.client_secret.is_empty() {
            form.push(("client_secret", &self.0.config.client_secret));
        }
        let call = Call::new(CallKind::Token, call_name, deadline);
        let fill = |request: RequestBuilder| request.form(&form);
        self.0.request_tokens(call, old, fill).await
    }

    pub(super) async fn viewer(
        &self,
        tokens: &TrackerTokens,
        deadline: u64,
    ) -> TrackerResult<Viewer> {
        let call = Call::new(CallKind::Read, "tracker_b viewer", deadline);
        let response = self
            .get_signed(call, tokens, self.api_url(&["users", "@me"]))
            .await?;
        let person: MalUser = call.check(parse(&response.body))?;
        Ok(Viewer::new(person.id, person.name, person.picture))
    }

    pub(super) async fn list(
        &self,
        tokens: &TrackerTokens,
        deadline: u64,
    ) -> TrackerResult<UserList> {
        let call = Call::new(CallKind::Read, "tracker_b list", deadline);
        let mut url = self.api_url(&["users", "@me", "animelist"]);
        // The request does not filter by status, because the API can list a completed anime that is being watched
        // again as watching.
        url.query_pairs_mut()
            .append_pair("fields", LIST_FIELDS)
            .append_pair("limit", PER_PAGE)
            .append_pair("nsfw", "true");
        let mut pages = Pages::default();
        loop {
            let response = self.get_signed(call, tokens, url).await?;
            let (entries, next) = call.check(read_page(&response.body))?;
            call.check(pages.add(entries, next.is_some()))?;
            let Some(next) = next else {
                return Ok(UserList {
                    entries: pages.into_entries(),
                    limits: ENTRY_LIMITS,
                });
            };
            url = call.check(self.checked_next_page(&next))?;
        }
    }

    pub(super) async fn save(
        &self,
        tokens: &TrackerTokens,
        write: &EntryWrite,
        deadline: u64,
    ) -> TrackerResult<TrackerEntry> {
        let call = Call::new(CallKind::Write, "tracker_b save", deadline);
        let mut form = Vec::new();
        if let Some(watched) = write.watched_to_send() {
            let (status, is_rewatching) = status_name(watched.status, self.0.config.rewatched_as);
            // Requests call the progress `num_watched_episodes`, but responses `num_episodes_watched`. The API
            // ignores an unknown name and still responds with 200.
            form.extend([
                ("status", status.to_owned()),
                ("is_rewatching", is_rewatching.to_string()),
                ("num_watched_episodes", watched.progress.to_string()),
            ]);
        }
        form.extend(detail_fields(&write.details));
        let url = self.api_url(&["anime", &write.media_id.to_string(), "my_list_status"]);
        let request = self.0.transport.request(Method::PATCH, url).form(&form);
        let response = self.send_signed(call, tokens, request).await?;
        let status: ListStatus = call.check(parse(&response.body))?;
        call.check(status.entry(write.media_id, write.episodes))
    }

    /// Returns the address of the first page of the anime of a season. The pages also have anime that started in an
    /// earlier season and continue.
    pub fn season(&self, year: u16, season: Season) -> PageAddress {
        let (_, name) = Season::ALL[usize::from(u8::from(season))];
        let url = self.api_url(&["anime", "season", &year.to_string(), &name.to_lowercase()]);
        Self::first_page(url, ListFields::All)
    }

    /// Returns the address of the first page of all anime, the most popular first.
    pub fn ranking(&self, fields: ListFields) -> PageAddress {
        let mut url = self.api_url(&["anime", "ranking"]);
        url.query_pairs_mut()
            .append_pair("ranking_type", "bypopularity");
        Self::first_page(url, fields)
    }

    fn first_page(mut url: Url, fields: ListFields) -> PageAddress {
        let fields = match fields {
            ListFields::All => catalogue::FIELDS,
            ListFields::Changes => catalogue::CHANGE_FIELDS,
        };
        // Without `nsfw`, lists leave out adult anime, and also many other anime.
        url.query_pairs_mut()
            .append_pair("fields", fields)
            .append_pair("limit", catalogue::PER_PAGE)
            .append_pair("nsfw", "true");
        PageAddress(url)
    }

    /// Returns a page of the catalogue. Anime can move between pages while they are read.
    ///
    /// # Errors
    /// [`TrackerError`] if the page could not be read whole.
    pub async fn page(&self, address: &PageAddress, deadline: u64) -> TrackerResult<AnimePage> {
        let call = Call::new(CallKind::Read, "tracker_b page", deadline);
        let response = self.get_public(call, address.0.clone()).await?;
        let read = || {
            let (anime, next) = catalogue::read_page(&response.body)?;
            let next = next.map(|next| self.checked_next_page(&next)).transpose()?;
            let next = next.map(PageAddress);
            match &next {
                Some(next) if next == address => Err("a page that leads to itself"),
                _ => Ok(AnimePage { anime, next }),
            }
        };
        call.check(read())
    }

    /// Returns an anime with its relations and recommendations, by its identifier at tracker B.
    ///
    /// # Errors
    /// [`TrackerError::Final`] if tracker B has no such anime.
    pub async fn anime(&self, id: u32, deadline: u64) -> TrackerResult<MalAnime> {
        let call = Call::new(CallKind::Read, "tracker_b anime", deadline);
        let mut url = self.api_url(&["anime", &id.to_string()]);
        let fields = [catalogue::FIELDS, catalogue::RELATED_FIELDS].join(",");
        url.query_pairs_mut().append_pair("fields", &fields);
        let response = self.get_public(call, url).await?;
        call.check(catalogue::read_anime(&response.body, id))
    }

    /// Requests public data, which needs the client's identifier but no token.
    async fn get_public(&self, call: Call, url: Url) -> TrackerResult<TrackerResponse> {
        let client_refused = || TrackerError::later(call.name, Cause::ClientRefused);
        let mut client_id =
            HeaderValue::try_from(&self.0.config.client_id).map_err(|_| client_refused())?;
        client_id.set_sensitive(true);
        let request = self.0.transport.request(Method::GET, url);
        let request = request.header(CLIENT_ID, client_id);
        let response = self.0.transport.send(call, request).await?;
        match self.0.transport.check_status(call, response) {
            // Without a token, only the client can be refused.
            Err(TrackerError::Reconnect(_)) => Err(client_refused()),
            checked => checked,
        }
    }

    fn api_url(&self, segments: &[&str]) -> Url {
        let mut url = self.0.api.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Parses the URL of the next page, and checks that it has the origin of the API, because the token or the
    /// client's identifier is sent to it.
    fn checked_next_page(&self, address: &str) -> Result<Url, &'static str> {
        let url = Url::parse(address).map_err(|_| "a next page with an invalid URL")?;
        if url.origin() == self.0.api.origin() && !has_credentials(&url) {
            Ok(url)
        } else {
            Err("a next page on another host")
        }
    }

    async fn get_signed(
        &self,
        call: Call,
        tokens: &TrackerTokens,
        url: Url,
    ) -> TrackerResult<TrackerResponse> {
        let request = self.0.transport.request(Method::GET, url);
        self.send_signed(call, tokens, request).await
    }

    /// Sends a request with the user's access token, and checks the status of the response.
    async fn send_signed(
        &self,
        call: Call,
        tokens: &TrackerTokens,
        request: RequestBuilder,
    ) -> TrackerResult<TrackerResponse> {
        let request = tokens.sign(call.name, request)?;
        let response = self.0.transport.send(call, request).await?;
        self.0.transport.check_status(call, response)
    }
}
