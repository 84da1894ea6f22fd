//! The costs and limits of messages.

use std::pin::Pin;
use std::time::Duration;

use catalogue::identify::NameLimits;
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use shared::models::PlayerKind;
use stories::players::SeriesAnswer;
use tests::players::Players;
use tests::{engine, units};
use tokio::time::timeout;

use super::{CURRENT, assert_stories, reasons, store_choices, title, watched};

/// The time after which a test fails instead of waiting any longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// Sends two messages with a token. Returns the reason of the second one.
async fn send_list(players: &Players, token: &str) -> Value {
    let body = json!([{"anime_id": 6, "episode": 1}, title("Paper Moons", 1, 1)]);
    let path = "/v1/playback";
    let answer = players.service.post_as(token, path, &body).await;
    answer.data()[1]["reason"].clone()
}

/// Sends a request, and handles three requests of another user meanwhile. Returns the request, which must wait.
async fn wait_with<R: Future>(players: &Players, request: R) -> Pin<Box<R>> {
    let other = players.service.person("taki").await;
    let others = Box::pin(async {
        for _ in 0..3 {
            send_list(players, &other.token).await;
        }
    });
    let Either::Right(((), request)) = select(Box::pin(request), others).await else {
        panic!("the request did not wait");
    };
    request
}

#[tokio::test]
async fn messages_cost_little() {
    let mut players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    let (client, meter) = units::metered();
    players.service = players.service.with_functions_client(client);
    let send = async |message: Value, at_most: f64| {
        let _ = meter.take();
        let result = players.send(&path, message.clone()).await;
        let consumed = meter.take();
        if engine::is_embedded() {
            let is_within = consumed.units <= at_most;
            assert!(is_within, "{message}: {consumed:?} {result}");
        }
        result
    };
    // The first messages load the index, its texts, the identifiers and the seasons.
    players.send(&path, title("Harbor Lights", 1, 1)).await;
    players.send(&path, title("Unheard Of", 1, 1)).await;
    for message in [title("Harbor Lights", 1, 2), watched(6, 1)] {
        assert_eq!(send(message, 12.0).await["applied"], true);
    }
    send(title("Still Unheard Of", 1, 1), 12.0).await;
    for message in [
        title("Harbor Lights", 1, 2),
        title("Still Unheard Of", 1, 1),
        json!({"title": "Harbor Lights", "season": 1, "episode": 4, "position_ms": 1, "duration_ms": 9}),
        json!({"event": "media.scrobble", "Server": {}, "Metadata": {"type": "track"}}),
        json!({"event": "library.new", "Server": {}, "Metadata": {"type": "episode"}}),
    ] {
        assert_eq!(send(message, 2.0).await["applied"], false);
    }
}

/// Titles that are not in the catalogue take long to search.
#[tokio::test]
async fn too_many_searches_end_a_list_and_lose_no_message() {
    let mut players = Players::new().await;
    let mut environment = players.service.environment.clone();
    environment.overrides.name_limits = Some(NameLimits {
        similar: 1,
        ..NameLimits::default()
    });
    players.service = players.service.with_environment(environment);
    let send = async |messages: Value| {
        let data = players.post_list(&messages).await.data();
        let is_list = data.is_array();
        reasons(&if is_list { data } else { json!([data]) })
    };
    let messages = json!([
        title("Papre Moons", 1, 1),
        title("Endles Summer", 1, 1),
        title("Papre Moons", 1, 2),
        title("Harbor Lights", 1, 2),
        {"anime_id": 6, "episode": 1},
        title("Unheard Of", 1, 1),
    ]);
    let expected = [
        "not_certain",
        "not_searched",
        "not_certain",
        "watched",
        "watched",
        "not_searched",
    ];
    assert_eq!(send(messages).await, expected);
    assert_stories(&players, &[(1, CURRENT, 2), (6, CURRENT, 1)]).await;
    // The title of each message is searched if the messages come one by one.
    assert_eq!(send(title("Endles Summer", 1, 3)).await, ["not_certain"]);
    assert_eq!(send(json!([title("Unheard Of", 1, 1)])).await, ["no_match"]);
}

#[tokio::test]
async fn message_reads_only_the_choices_of_its_series() {
    let mut players = Players::new().await;
    players
        .answer("Harbor Lights", "1", SeriesAnswer::NotAnAnime)
        .await;
    store_choices(&players, 500).await;
    let (client, meter) = units::metered();
    players.service = players.service.with_functions_client(client);
    let send = async || {
        let _ = meter.take();
        let messages = json!([title("Harbor Lights", 1, 1), title("Unheard Of", 1, 1)]);
        (players.post_list(&messages).await.data(), meter.take())
    };
    send().await;
    let (results, consumed) = send().await;
    assert_eq!(results[0]["reason"], "not_an_anime");
    assert_eq!(results[1]["reason"], "no_match");
    if engine::is_embedded() {
        assert!(consumed.units <= 4.0, "{consumed:?}");
    }
}

/// The search for the titles of a list can take a second, so a user cannot have several at once.
#[tokio::test]
async fn lists_of_messages_of_a_user_are_handled_one_after_the_other() {
    let players = Players::new().await;
    let slots = &players.service.environment.playback;
    let running = slots.acquire(players.person.id).await;
    let waiting = wait_with(&players, send_list(&players, &players.person.token)).await;
    assert_stories(&players, &[]).await;
    drop(running);
    assert_eq!(waiting.await, "watched");
}

/// Servers do not repeat a message. A series can have so many that the last ones wait until their requests have ended.
#[tokio::test]
async fn message_that_waits_is_handled_although_its_request_has_ended() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    let slots = &players.service.environment.playback;
    let running = slots.acquire(players.person.id).await;
    let sent = wait_with(&players, players.send(&path, title("Harbor Lights", 1, 3))).await;
    drop(sent);
    assert_stories(&players, &[]).await;
    drop(running);
    // The message is next in line, so the slot is free again only after it was handled.
    let free = timeout(PATIENCE, slots.acquire(players.person.id)).await;
    drop(free.unwrap());
    assert_stories(&players, &[(1, CURRENT, 3)]).await;
}
