//! The adapter to tracker A: the GraphQL API of AniList (docs.anilist.co; docs/trackers.md, "AniList").

mod media;
mod response;

use http_client::SetupError;
pub use media::{
    Airing, Cover, FuzzyDate, Media, MediaKind, MediaPage, MediaStatus, Recommendation, Relation,
    RelationKind, Titles, Trailer, read_media_page,
};
use reqwest::{Method, RequestBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::{
    DetailsChange, Notes, PartialDate, UserScore, WatchStatus, WireEnum, name_in,
};

use self::response::read_data;
use super::config::Config;
use super::endpoint::TrackerEndpoint;
use super::entry::{EntryLimits, EntryWrite, TrackerEntry, UserList, Viewer, parse_repeats};
use super::error::TrackerResult;
use super::lenient::null_as_default;
use super::list::Pages;
use super::pace::{CallKind, Waiter};
use super::score_format::ScoreFormat;
use super::tokens::TrackerTokens;
use super::transport::{Call, TrackerResponse, parse};

/// The number of entries in a chunk (a page) of a list: the maximum that the API allows.
const PER_CHUNK: u32 = 500;

const VIEWER: &str = "query{Viewer{id name avatar{large}}}";

/// The fields of an entry. Scores are read out of 100, whatever format the user has.
macro_rules! entry_fields {
    () => {
        "id mediaId status progress score(format:POINT_100) repeat private notes \
startedAt{year month day} completedAt{year month day} updatedAt media{episodes}"
    };
}

const LIST: &str = concat!(
    "query($userId:Int!,$chunk:Int!,$perChunk:Int!){\
MediaListCollection(userId:$userId,type:ANIME,chunk:$chunk,perChunk:$perChunk){\
user{mediaListOptions{scoreFormat}} hasNextChunk lists{name isCustomList status entries{",
    entry_fields!(),
    "}}}}"
);

/// The mutation that creates or updates an entry. A variable that is left out does not change its field.
const SAVE: &str = concat!(
    "mutation($mediaId:Int!,$status:MediaListStatus,$progress:Int,$scoreRaw:Int,$repeat:Int,\
$private:Boolean,$notes:String,$startedAt:FuzzyDateInput,$completedAt:FuzzyDateInput){\
SaveMediaListEntry(mediaId:$mediaId,status:$status,progress:$progress,scoreRaw:$scoreRaw,\
repeat:$repeat,private:$private,notes:$notes,startedAt:$startedAt,completedAt:$completedAt){",
    entry_fields!(),
    "}}"
);

/// The adapter to AniList.
#[derive(Debug)]
pub struct AniList(TrackerEndpoint);

/// The errors of a response. They are read first, because `data` may have any form if there are errors.
#[derive(Deserialize)]
struct GraphQlErrors {
    errors: Option<Vec<GraphQlError>>,
}

#[derive(Deserialize)]
struct GraphQlError {
    message: Option<String>,
    status: Option<u16>,
}

#[derive(Deserialize)]
struct ViewerFields {
    id: u64,
    name: String,
    avatar: Option<Avatar>,
}

#[derive(Deserialize)]
struct Avatar {
    large: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Collection {
    user: Option<MediaListOwner>,
    has_next_chunk: bool,
    lists: Vec<MediaListGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MediaListOwner {
    media_list_options: Option<ListOptions>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListOptions {
    score_format: Option<String>,
}

/// A status list or a custom list. An entry that the user hides from the status lists appears only in custom lists.
#[derive(Deserialize)]
struct MediaListGroup {
    entries: Vec<MediaListEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MediaListEntry {
    media_id: u32,
    /// `None` for some entries that are in custom lists only.
    status: Option<String>,
    progress: Option<u32>,
    score: Option<f64>,
    repeat: Option<i64>,
    private: Option<bool>,
    notes: Option<String>,
    #[serde(default, deserialize_with = "null_as_default")]
    started_at: EntryDate,
    #[serde(default, deserialize_with = "null_as_default")]
    completed_at: EntryDate,
    updated_at: Option<u64>,
    media: Option<EntryMedia>,
}

/// A date of an entry. Each part can be unknown.
#[derive(Default, Deserialize)]
struct EntryDate {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
}

#[derive(Deserialize)]
struct EntryMedia {
    episodes: Option<u32>,
}

/// Returns the name of a status at tracker A (docs/trackers.md, "Status mapping").
pub fn status_name(status: WatchStatus) -> &'static str {
    name_in(WatchStatus::ALL, &status)
}

/// Returns the status with this name.
pub fn status_of(name: &str) -> Option<WatchStatus> {
    WatchStatus::from_name(name)
}

/// Reads a chunk of a user's list. Returns its entries with the limits of the user's list, and true if another chunk
/// follows. An entry without a status is left out: it has no place in a list by status, so no story can represent it.
///
/// # Errors
/// The reason why the chunk is malformed. One malformed entry makes the whole chunk malformed.
pub fn read_chunk(body: &[u8]) -> Result<(UserList, bool), &'static str> {
    let collection: Collection = read_data(body, "MediaListCollection")?;
    let rows = collection.lists.into_iter().flat_map(|list| list.entries);
    let rows = rows.filter(|row| row.status.is_some());
    let entries: Result<_, _> = rows.map(TrackerEntry::try_from).collect();
    let format = collection
        .user
        .and_then(|user| user.media_list_options)
        .and_then(|options| options.score_format);
    let list = UserList {
        entries: entries?,
        limits: EntryLimits {
            scores: ScoreFormat::of_name(&format.unwrap_or_default()),
            needs_complete_dates: false,
        },
    };
    Ok((list, collection.has_next_chunk))
}

impl EntryDate {
    /// Returns the date. It is `None` if no part of it is known.
    ///
    /// # Errors
    /// If a story cannot hold the date.
    fn date(&self) -> Result<Option<PartialDate>, &'static str> {
        if [self.year, self.month, self.day] == [None; 3] {
            return Ok(None);
        }
        let date = || {
            let part = |part: Option<i64>| part.map(u8::try_from).transpose().ok();
            let year = self.year?.try_into().ok()?;
            PartialDate::new(year, part(self.month)?, part(self.day)?)
        };
        date().map(Some).ok_or(PartialDate::INVALID)
    }
}

/// Returns the variable for a date. Without a date, all its parts are null, which removes the date.
fn date_input(date: Option<PartialDate>) -> Value {
    json!({
        "year": date.map(PartialDate::year),
        "month": date.and_then(PartialDate::month),
        "day": date.and_then(PartialDate::day),
    })
}

fn detail_variables(details: &DetailsChange) -> impl Iterator<Item = (&'static str, Value)> {
    let score = details
        .score
        .map(|score| json!(ScoreFormat::Hundred.to_number(score)));
    let variables = [
        ("scoreRaw", score),
        ("repeat", details.repeats.map(Value::from)),
        ("private", details.private.map(Value::from)),
        ("notes", details.notes.as_ref().map(|notes| json!(notes))),
        ("startedAt", details.started_on.map(date_input)),
        ("completedAt", details.finished_on.map(date_input)),
    ];
    variables
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
}

impl TryFrom<MediaListEntry> for TrackerEntry {
    type Error = &'static str;

    fn try_from(entry: MediaListEntry) -> Result<Self, Self::Error> {
        let episodes = entry.media.and_then(|media| media.episodes);
        Ok(Self {
            media_id: entry.media_id,
            status: entry
                .status
                .and_then(|name| status_of(&name))
                .ok_or("an unknown status")?,
            progress: entry.progress.unwrap_or_default(),
            details: DetailsChange {
                score: UserScore::parse(entry.score.unwrap_or_default()).ok(),
                started_on: entry.started_at.date().ok(),
                finished_on: entry.completed_at.date().ok(),
                repeats: parse_repeats(entry.repeat.unwrap_or_default()),
                notes: Notes::new(&entry.notes.unwrap_or_default()).ok(),
                private: Some(entry.private.unwrap_or_default()),
            },
            updated_at: entry.updated_at.unwrap_or_default(),
            episodes: episodes.filter(|count| *count > 0),
        })
    }
}

impl AniList {
    /// Builds the adapter. Returns `None` if no client is configured.
    ///
    /// # Errors
    /// [`SetupError`] if the configuration is invalid.
    pub fn new(config: Config, clock: Clock, waiter: Waiter) -> Result<Option<Self>, SetupError> {
        Ok(TrackerEndpoint::new(config, clock, waiter)?.map(Self))
    }

    /// Returns the URL of the page on which a user allows the connection. AniList does not support PKCE.
    pub fn authorize_url(&self, state: &str) -> String {
        self.0.authorize_url(state, &[])
    }

    pub(super) async fn exchange(&self, code: &str, deadline: u64) -> TrackerResult<TrackerTokens> {
        let call = Call::new(CallKind::Token, "tracker_a exchange", deadline);
        let body = json!({
            "grant_type": "authorization_code",
            "client_id": self.0.config.client_id,
            "client_secret": self.0.config.client_secret,
            "redirect_uri": self.0.config.redirect_uri,
            "code": code,
        });
        let fill = |request: RequestBuilder| request.json(&body);
        self.0.request_tokens(call, None, fill).await
    }

    pub(super) async fn viewer(
        &self,
        tokens: &TrackerTokens,
        deadline: u64,
    ) -> TrackerResult<Viewer> {
        let call = Call::new(CallKind::Read, "tracker_a viewer", deadline);
        let response = self
            .send_query(call, Some(tokens), VIEWER, json!({}))
            .await?;
        let viewer: ViewerFields = call.check(read_data(&response.body, "Viewer"))?;
        let avatar = viewer.avatar.and_then(|avatar| avatar.large);
        Ok(Viewer::new(viewer.id, viewer.name, avatar))
    }

    pub(super) async fn list(
        &self,
        tokens: &TrackerTokens,
        viewer: u64,
        deadline: u64,
    ) -> TrackerResult<UserList> {
        let call = Call::new(CallKind::Read, "tracker_a list", deadline);
        let mut pages = Pages::default();
        let mut limits = EntryLimits::default();
        for chunk in 1_u32.. {
            let variables = json!({"userId": viewer, "chunk": chunk, "perChunk": PER_CHUNK});
            let response = self.send_query(call, Some(tokens), LIST, variables).await?;
            let (list, has_next_chunk) = call.check(read_chunk(&response.body))?;
            limits = list.limits;
            call.check(pages.add(list.entries, has_next_chunk))?;
            if !has_next_chunk {
                break;
            }
        }
        let entries = pages.into_entries();
        Ok(UserList { entries, limits })
    }

    pub(super) async fn save(
        &self,
        tokens: &TrackerTokens,
        write: &EntryWrite,
        deadline: u64,
    ) -> TrackerResult<TrackerEntry> {
        let call = Call::new(CallKind::Write, "tracker_a save", deadline);
        let mut variables = json!({"mediaId": write.media_id});
        if let Some(watched) = write.watched_to_send() {
            variables["status"] = json!(status_name(watched.status));
            variables["progress"] = json!(watched.progress);
        }
        for (name, value) in detail_variables(&write.details) {
            variables[name] = value;
        }
        let response = self.send_query(call, Some(tokens), SAVE, variables).await?;
        let entry = read_data::<MediaListEntry>(&response.body, "SaveMediaListEntry");
        let entry = call.check(entry.and_then(TrackerEntry::try_from))?;
        if entry.media_id == write.media_id {
            Ok(entry)
        } else {
            Err(call.malformed("the entry of another anime"))
        }
    }

    /// Returns a page of AniList's catalogue, most recently changed anime first. Pages count from 1. Anime
    /// can move between pages while they are read, so a caller that stops at a watermark must read one more page.
    pub async fn updated_media(&self, page: u32, deadline: u64) -> TrackerResult<MediaPage> {
        self.media(page, "UPDATED_AT_DESC", deadline).await
    }

    /// Returns a page of AniList's catalogue, ordered by identifier. Pages count from 1.
    pub async fn all_media(&self, page: u32, deadline: u64) -> TrackerResult<MediaPage> {
        self.media(page, "ID", deadline).await
    }

    async fn media(
        &self,
        page: u32,
        sort: &'static str,
        deadline: u64,
    ) -> TrackerResult<MediaPage> {
        let call = Call::new(CallKind::Read, "tracker_a media", deadline);
        let variables = json!({"page": page, "perPage": media::PER_PAGE, "sort": [sort]});
        let response = self.send_query(call, None, media::QUERY, variables).await?;
        call.check(read_media_page(&response.body, page))
    }

    /// Sends a query or mutation, and checks the response for errors.
    async fn send_query(
        &self,
        call: Call,
        tokens: Option<&TrackerTokens>,
        query: &'static str,
        variables: Value,
    ) -> TrackerResult<TrackerResponse> {
        let request = self.0.transport.request(Method::POST, self.0.api.clone());
        let request = request.json(&json!({"query": query, "variables": variables}));
        let request = match tokens {
            Some(tokens) => tokens.sign(call.name, request)?,
            None => request,
        };
        let response = self.0.transport.send(call, request).await?;
        match self.status_of_errors(&response) {
            Ok(None) => Ok(response),
            Ok(Some(status)) => {
                let wait = response.requested_wait;
                Err(self.0.transport.refusal(call.name, status, wait))
            }
            Err(what) => Err(call.malformed(what)),
        }
    }

    /// Returns the status of a refusal, or `None` for a success. A response with HTTP status 200 is also a refusal if
    /// it contains errors.
    fn status_of_errors(&self, response: &TrackerResponse) -> Result<Option<u16>, &'static str> {
        let is_success = response.is_success();
        let errors = match parse::<GraphQlErrors>(&response.body) {
            Ok(body) => body.errors.unwrap_or_default(),
            Err(what) if is_success => return Err(what),
            Err(_) => Vec::new(),
        };
        let default_status = if is_success { 500 } else { response.status };
        let statuses: Vec<u16> = errors
            .iter()
            .map(|error| self.status_of_error(error, default_status))
            .collect();
        // If there are several errors, an error that new tokens or a retry can fix takes precedence. Otherwise the
        // caller could give up an entry for good, although a later write may succeed.
        let is_final = |status: &&u16| matches!(status, 400 | 404 | 422);
        let token_refused = statuses.iter().find(|status| **status == 401);
        let can_be_retried = || statuses.iter().find(|status| !is_final(status));
        let decisive = token_refused
            .or_else(can_be_retried)
            .or(statuses.first())
            .copied();
        Ok(decisive.or((!is_success).then_some(response.status)))
    }

    /// Returns the status of one error, or `default_status` if the error has none. The message that refuses a token
    /// counts as status 401.
    fn status_of_error(&self, error: &GraphQlError, default_status: u16) -> u16 {
        let status = error.status.unwrap_or(default_status);
        let message = error.message.as_deref().unwrap_or_default().trim();
        let refuses_token = message.eq_ignore_ascii_case(&self.0.config.token_refused);
        if refuses_token { 401 } else { status }
    }
}
