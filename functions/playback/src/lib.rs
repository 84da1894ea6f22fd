//! The playback endpoints: messages of media servers, players and scripts (docs/api.md, "Playback endpoints").

mod message_limiter;

use std::sync::Arc;

use accounts::throttling::{Attempts, PLAYER_GUESSES_PER_NETWORK};
use accounts::users::UserStore;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::header;
use axum::response::Response;
use player_messages::{KirokuMessage, MAX_BYTES, Message, MessageError};
use runtime::Environment;
use serde::Serialize;
use shared::auth::{Access, Action, Bearer, CallerAddress, Tokens};
use shared::clock::Clock;
use shared::http::body::{check_coding, read_limited};
use shared::http::openapi::{BadFile, NothingFound, TooMany};
use shared::http::response::private;
use shared::http::routing::ApiRouter;
use shared::http::{ApiError, Envelope};
use shared::input::QueryString;
use shared::models::PlayerContent;
use shared::user_slots::UserSlots;
use shared::{Error, FieldErrors, Result, endpoints, query};
use stories::errors::NO_PLAYER;
use stories::lists::StoryStore;
use stories::players::{
    MatchedBy, PlaybackReason, PlaybackReceiver, PlaybackResult, PlayerAddresses, PlayerStore,
};
use utoipa::ToSchema;

use self::message_limiter::MessageLimiter;

const TOO_LARGE: &str = "The message is larger than 1 MB.";

/// State of the playback endpoints.
#[derive(Debug)]
pub struct PlaybackState {
    tokens: Tokens,
    /// The users' rows, for the first connection.
    users: UserStore,
    addresses: PlayerAddresses,
    receiver: PlaybackReceiver,
    attempts: Attempts,
    clock: Clock,
    limiter: MessageLimiter,
    /// The slots for messages. In one process, the requests of a user run one after the other, because the search for a
    /// list of titles can take a second, and the messages about a season change the same story.
    slots: UserSlots,
}

impl PlaybackState {
    /// Creates the state from the settings of the environment.
    pub fn new(environment: &Environment) -> Result<Arc<Self>, lambda_http::Error> {
        let database = &environment.database;
        let clock = database.clock.clone();
        Ok(Arc::new(Self {
            tokens: environment.tokens()?,
            users: UserStore::new(database),
            addresses: PlayerAddresses::new(
                PlayerStore::new(database),
                environment.address_secrets()?,
                clock.clone(),
            ),
            receiver: PlaybackReceiver {
                players: PlayerStore::new(database),
                stories: StoryStore::new(database),
                catalogue: environment.catalogue()?,
                clock: clock.clone(),
            },
            attempts: environment.attempts(),
            clock,
            limiter: MessageLimiter::default(),
            slots: environment.playback.clone(),
        }))
    }
}

/// Opens the connections that the first request needs.
pub async fn warm(state: Arc<PlaybackState>) -> Result<()> {
    runtime::warm(&state.tokens, &state.users).await
}

endpoints! {
    state: Arc<PlaybackState>,
    handlers: [receive_playback_at_address, receive_playback],
    schemas: [MatchedBy, PlaybackReason],
}

/// Routes requests to the playback endpoints.
pub fn router(state: Arc<PlaybackState>) -> ApiRouter {
    endpoints().with_state(state)
}

query! {
    /// The parameter of messages with a token.
    struct ContentQuery {
        /// `mixed` if the sender also plays other things than anime: then a title alone is not certain, unless the
        /// anime or another anime of its series is on the list. Default: `anime`
        #[param(value_type = Option<PlayerContent>, inline, example = "anime")]
        plays: Option<PlayerContent>,
    }
}

query! {
    /// The parameter of both endpoints.
    struct PlaybackQuery {
        /// `true` finds the episode and changes nothing
        #[param(value_type = Option<bool>, example = true)]
        is_dry_run as "dry_run": bool,
    }
}

/// A `PlaybackResult`, or a list of these if the request has several messages.
// A value of several types has no schema, because some generators take the fields of one type for all of them.
#[derive(ToSchema)]
#[schema(value_type = Value)]
#[expect(dead_code, reason = "describes PlaybackResults")]
struct PlaybackData(String);

/// The result of one message, or the results of a list.
#[derive(Serialize)]
#[serde(untagged)]
enum PlaybackResults {
    Result(PlaybackResult),
    Results(Vec<PlaybackResult>),
}

/// Receives a message at the address of a player.
///
/// The message has the form of Jellyfin, Plex, Emby, Tautulli or Kodi, or is JSON of this service. The sender is
/// recognized by the message. An address takes 60 messages in a minute, and up to 1,500 more at once. It contains a
/// secret that the owner of the player finds on the profile page, so the request needs no token.
#[utoipa::path(
    post,
    path = "/v1/playback/{secret}",
    tag = "playback",
    params(
        ("secret" = String, Path, description = "Secret of the player's address", example = "1.0.c2VjcmV0"),
        PlaybackQuery,
    ),
    request_body(content = KirokuMessage, description = "The message",
        example = json!({"title": "Slayers", "season": 4, "episode": 13, "year": 1995})),
    responses(
        (status = 200, description = "What the message did", body = Envelope<PlaybackResult>),
        BadFile,
        NothingFound,
        TooMany,
    ),
)]
async fn receive_playback_at_address(
    State(state): State<Arc<PlaybackState>>,
    address: CallerAddress,
    secret: Result<Path<String>, axum::extract::rejection::PathRejection>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, ApiError> {
    let secret = secret.map_or_else(|_| String::new(), |Path(secret)| secret);
    let Some((player, list)) = state.addresses.find(&secret).await? else {
        let limit = PLAYER_GUESSES_PER_NETWORK;
        let count_by_network = state.attempts.count_by_network("playback", address, limit);
        count_by_network.await?;
        return Err(NO_PLAYER.into());
    };
    let stories = &state.receiver.stories;
    stories.remember_version(player.user_id, &list);
    let PlaybackQuery { is_dry_run } = QueryString::parse(query.as_deref())?;
    let now = state.clock.now_ms();
    state.limiter.count((player.user_id, player.id()), now)?;
    let messages = read_messages(request).await?;
    let Ok([message]) = <[Message; 1]>::try_from(messages) else {
        return Err(ApiError::MalformedBody(
            "Send one message to the address of a player. Lists go to /v1/playback, with a token.",
        ));
    };
    // Servers do not repeat a message. So a message that waits for hundreds of others is handled even if its request
    // has timed out meanwhile.
    let receive = tokio::spawn(async move {
        // The messages about a season come at the same time, and change the same story.
        let _slot = state.slots.acquire(player.user_id).await;
        Box::pin(state.receiver.receive(&player, &message, is_dry_run)).await
    });
    let received = receive.await.map_err(Error::internal)?;
    Ok(respond(PlaybackResults::Result(received?)))
}

/// Receives messages with a token.
///
/// The token needs the scope `playback`, which allows nothing else, or `read write`. Send a list of up to 500 messages
/// in JSON of this service, which are handled in order, or one message as at the address of a player. `data` is a list
/// of results if the request has several messages, and one result otherwise. A request can be repeated safely.
#[utoipa::path(
    post,
    path = "/v1/playback",
    tag = "playback",
    security(("bearer" = [])),
    params(PlaybackQuery, ContentQuery),
    request_body(content = Vec<KirokuMessage>, description = "1 to 500 messages",
        example = json!([{"anime_id": 2, "episode": 5}, {"file": "[Group] Steins;Gate - 05.mkv"}])),
    responses(
        (status = 200, description = "What the messages did", body = Envelope<PlaybackData>),
        BadFile,
        TooMany,
    ),
)]
async fn receive_playback(
    State(state): State<Arc<PlaybackState>>,
    bearer: Bearer,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, ApiError> {
    let credential = state.tokens.credential(&bearer).await?;
    let (PlaybackQuery { is_dry_run }, ContentQuery { plays }) =
        QueryString::parse(query.as_deref())?;
    let plays = plays.unwrap_or(PlayerContent::Anime);
    let access = Access::new(&credential, Action::ReportPlayback, credential.user_id);
    let stories = &state.receiver.stories;
    // The access is checked before the messages are read, so that only callers with access can cause that work.
    stories.check_access(&access, credential.user_id).await?;
    let messages = read_messages(request).await?;
    let _slot = state.slots.acquire(credential.user_id).await;
    let receive = state
        .receiver
        .receive_all(&access, &messages, plays, is_dry_run);
    let mut results = Box::pin(receive).await?;
    let results = match results.pop() {
        Some(only) if results.is_empty() => PlaybackResults::Result(only),
        last => {
            results.extend(last);
            PlaybackResults::Results(results)
        }
    };
    Ok(respond(results))
}

fn respond(results: PlaybackResults) -> Response {
    private("Playback received", results)
}

async fn read_messages(request: Request) -> Result<Vec<Message>, ApiError> {
    check_coding(request.headers())?;
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let content_type = content_type.map(ToOwned::to_owned);
    let body = read_limited(request.into_body(), MAX_BYTES, TOO_LARGE).await?;
    let read = player_messages::read(content_type.as_deref(), &body);
    read.map_err(|error| match error {
        MessageError::TooLong => ApiError::PayloadTooLarge(TOO_LARGE),
        MessageError::Malformed(reason) => ApiError::MalformedBody(reason),
        MessageError::Invalid { position, errors } => {
            Error::Invalid(located(position, errors)).into()
        }
    })
}

/// Returns the errors of a message, with its position in a list.
fn located(position: Option<usize>, errors: FieldErrors) -> FieldErrors {
    let Some(position) = position else {
        return errors;
    };
    let errors = errors.into_iter();
    let located = errors.map(|(name, reason)| (name, format!("of message {position} {reason}")));
    located.collect()
}
