//! The senders of messages, and the forms of their messages.

use axum::http::Method;
use serde_json::{Value, json};
use shared::models::PlayerKind;
use stories::players::PlayerReport;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::players::Players;

use super::{COMPLETED, CURRENT, assert_reason, assert_stories, found, reasons, title, watched};

fn multipart(payload: &Value) -> (String, String) {
    let boundary = "----b0";
    let body = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"payload\"\r\nContent-Type: application/json\r\n\r\n\
         {payload}\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"thumb\"; filename=\"thumb.jpg\"\r\n\
         Content-Type: image/jpeg\r\n\r\nJFIF\r\n--{boundary}--\r\n"
    );
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Returns a message of Jellyfin's official plugin about a finished episode.
fn jellyfin(user: &str, season: u16, episode: u32) -> Value {
    json!({
        "NotificationType": "PlaybackStop", "NotificationUsername": user, "ItemType": "Episode",
        "SeriesName": "Harbor Lights", "SeasonNumber": season, "EpisodeNumber": episode,
        "PlayedToCompletion": true, "PlaybackPositionTicks": 14_000_000_000_u64, "RunTimeTicks": 14_400_000_000_u64,
        "Provider_tvdb": "71",
    })
}

#[tokio::test]
async fn every_sender_is_recognized_at_the_same_address() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Plex, "server").await;
    players
        .set(|settings| settings.server_user = Some("Mitsuha".to_owned()))
        .await;
    let plex = json!({
        "event": "media.scrobble", "Account": {"title": "mitsuha"}, "Server": {"title": "home"},
        "Metadata": {"type": "episode", "grandparentTitle": "Harbor Lights (dub)", "parentIndex": 1, "index": 2,
            "guid": "com.plexapp.agents.hama://tvdb-70/1/2?lang=en", "Guid": [{"id": "tvdb://7100001"}]},
    });
    let (content_type, body) = multipart(&plex);
    let headers = [("content-type", content_type.as_str())];
    let answer = players
        .service
        .send_body(Method::POST, &path, &headers, body)
        .await;
    assert_eq!(answer.data()["matched"], found(1, 2, "series_ids"));
    let emby = json!({
        "Event": "playback.stop", "User": {"Name": "mitsuha"}, "PlaybackInfo": {"PlayedToCompletion": true},
        "Item": {"Type": "Movie", "Name": "The Last Ferry", "ProviderIds": {"Imdb": "tt0286390"}},
    });
    assert_eq!(players.matched(&path, emby).await, found(3, 1, "ids"));
    let shemanaev = json!({
        "Event": "Scrobble", "User": {"Name": "mitsuha"}, "Server": {"Name": "home"},
        "Item": {"Type": "Episode", "SeriesName": "?", "ParentIndexNumber": 2, "IndexNumber": 4},
        "Series": {"ProviderIds": {"Tvdb": "70"}},
    });
    assert_eq!(players.matched(&path, shemanaev).await["anime_id"], 4);
    let tautulli = json!({
        "tautulli": "watched", "user": "mitsuha", "media_type": "episode", "show_name": "Paper Moons", "season": "1",
        "episode": "5",
    });
    assert_eq!(players.matched(&path, tautulli).await["by"], "title");
    let file = json!({"file": "/anime/[Group] Endless Summer - 05 [1080p].mkv"});
    assert_eq!(players.matched(&path, file).await, found(6, 5, "file"));
    let of_anime = json!({"ids": {"tracker_b": 205}, "episode": 6});
    assert_eq!(players.matched(&path, of_anime).await["by"], "ids");
    let own = watched(5, 7);
    assert_eq!(players.matched(&path, own).await["by"], "anime_id");
    let expected = [
        (1, CURRENT, 2),
        (3, COMPLETED, 1),
        (4, CURRENT, 4),
        (5, CURRENT, 7),
        (6, CURRENT, 5),
    ];
    assert_stories(&players, &expected).await;
}

#[tokio::test]
async fn messages_of_other_users_of_the_server_do_not_count() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    for (user, episode) in [("mitsuha", 3), ("yotsuha", 9), ("mitsuha", 2)] {
        assert_reason(&players, &path, jellyfin(user, 1, episode), "no_user_named").await;
    }
    assert_stories(&players, &[]).await;
    let player = players.player(0).await;
    let seen: Vec<&str> = player.seen_users.iter().map(String::as_str).collect();
    assert_eq!(seen, ["mitsuha", "yotsuha"]);
    players
        .set(|settings| settings.server_user = Some("mitsuha".to_owned()))
        .await;
    players
        .receiver()
        .receive_kept(&players.player(0).await)
        .await
        .unwrap();
    // The messages were kept for a day.
    assert_stories(&players, &[(1, CURRENT, 3)]).await;
    assert_reason(&players, &path, jellyfin("yotsuha", 1, 10), "other_user").await;
    let own = players.send(&path, jellyfin("Mitsuha", 1, 4)).await;
    assert_eq!(own["applied"], true);
    assert_stories(&players, &[(1, CURRENT, 4)]).await;
    // The titles of others are not kept once a user is named.
    let reports = players.reports(0).await;
    let hides_titles_of_others =
        |report: &PlayerReport| report.outcome != "other_user" || report.title.is_none();
    assert!(reports.iter().all(hides_titles_of_others), "{reports:?}");
}

/// A player has 50 reports, and each kept message that is applied makes a new one.
#[tokio::test]
async fn kept_messages_are_applied_although_reports_replace_each_other() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    for number in 0..60 {
        let message = jellyfin("mitsuha", 1, number % 24 + 1);
        players.send(&path, message).await;
    }
    players
        .set(|settings| settings.server_user = Some("mitsuha".to_owned()))
        .await;
    let player = players.player(0).await;
    players.receiver().receive_kept(&player).await.unwrap();
    assert_stories(&players, &[(1, COMPLETED, 12), (2, COMPLETED, 12)]).await;
    let reports = players.reports(0).await;
    assert!(reports.iter().all(|report| report.message.is_none()));
    let completed = reports
        .iter()
        .filter(|report| report.outcome == "completed");
    assert_eq!(completed.count(), 2, "{reports:?}");
}

#[tokio::test]
async fn token_sends_lists_of_messages_and_nothing_else() {
    let players = Players::new().await;
    let service = &players.service;
    let mut browser = PageClient::signed_in(service, &players.person).await;
    let token = browser.create_token("script", "playback").await;
    let episodes = (1..=12).rev();
    let mut messages: Vec<Value> = episodes.map(|episode| watched(1, episode)).collect();
    messages.push(title("Unheard Of", 1, 1));
    messages.push(json!({"ids": {"tvdb": 71}, "season": 1, "episode": 2}));
    let messages = Value::from(messages);
    let send = async |token: &str, body: &Value| service.post_as(token, "/v1/playback", body).await;
    let dry = service
        .post_as(&token, "/v1/playback?dry_run=true", &messages)
        .await;
    assert_eq!(dry.data()[0]["reason"], "completed");
    assert_stories(&players, &[]).await;
    let answer = send(&token, &messages).await;
    let reasons = reasons(&answer.data());
    assert_eq!(reasons[0], "completed");
    assert_eq!(reasons[1..12], ["already_watched"; 11]);
    assert_eq!(reasons[12..], ["no_match", "watched"]);
    assert_stories(&players, &[(1, COMPLETED, 12), (5, CURRENT, 2)]).await;
    let one = send(&token, &watched(5, 3)).await.data();
    assert_eq!(one["applied"], true, "one message has one result");
    for path in ["/v1/user_story", "/v1/auth/me"] {
        assert_eq!(service.get_as(&token, path).await.status, 403, "{path}");
    }
    let body = tests::people::story_body(&players.person, &tests::players::anime()[1], 0, 1);
    let refused = service.put_as(&token, "/v1/user_story", &body).await;
    refused.assert_status(403);
    let challenge = refused.header("www-authenticate");
    challenge.assert_has("insufficient_scope");
    let reads = browser.create_token("reader", "read").await;
    send(&reads, &watched(5, 4)).await.assert_status(403);
    send(&players.person.token, &watched(5, 4))
        .await
        .assert_status(200);
    let application = service.web_application(&players.person).await;
    let scope = [("scope", "playback")];
    let of_application = service
        .application_token_with(&players.person, &application, &scope)
        .await;
    let sent = send(&of_application, &watched(5, 5)).await;
    assert_eq!(sent.data()["applied"], true);
    let account = service.get_as(&of_application, "/v1/auth/me").await;
    assert_eq!(account.status, 403);
    assert_eq!(players.stories().await[1], (5, CURRENT, 5));
}

#[tokio::test]
async fn bad_messages_are_refused_and_change_nothing() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    let service = &players.service;
    let send = async |content_type: &str, body: String| {
        let headers = [("content-type", content_type)];
        service.send_body(Method::POST, &path, &headers, body).await
    };
    let refused = async |content_type: &str, body: String, status: u16, word: &str| {
        let answer = send(content_type, body).await;
        answer.assert_status(status);
        answer.assert_has(word);
    };
    let nested = format!("{}1{}", "[".repeat(500_000), "]".repeat(500_000));
    let part = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n";
    let form = "multipart/form-data";
    refused("text/html", "<html></html>".to_owned(), 400, "unknown").await;
    refused(form, "--b\r\n".to_owned(), 400, "boundary").await;
    let with_boundary = format!("{form}; boundary=b");
    refused(&with_boundary, part.repeat(1000), 400, "payload").await;
    let json = "application/json";
    refused(json, "{\"title\": \"Har".to_owned(), 400, "JSON").await;
    refused(json, nested, 400, "values").await;
    refused(json, "x".repeat(1_048_577), 413, "1 MB").await;
    let messages = json!([
        [{"a": 1}, "unknown"],
        [[{"anime_id": 1, "episode": 1}, {"anime_id": 1, "episode": 2}], "one"],
        [{"anime_id": 1, "episode": 99_999}, "episode"],
        [{"title": "a\u{0}b", "episode": 1}, "NUL"],
        [{"title": "a".repeat(10_240), "episode": 1}, "1,000"],
        [{"title": "a", "season": -1, "episode": 1}, "season"],
        [{"title": "a", "episode": "2026-11-23 - 2026-11-24"}, "episode"],
        [{"anime_id": 1, "episode": 1, "position_ms": 2, "duration_ms": 1}, "duration_ms"],
        [{"anime_id": 1, "title": "b", "episode": 1}, "only one"],
    ]);
    for case in messages.as_array().unwrap() {
        refused(json, case[0].to_string(), 400, case[1].as_str().unwrap()).await;
    }
    assert_stories(&players, &[]).await;
}

#[tokio::test]
async fn one_bad_message_refuses_its_list() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    // A time in the future counts as the present. The error for a list names the message that is wrong.
    let future = json!({"anime_id": 1, "episode": 1, "at": "2999-01-01T00:00:00Z"});
    assert_eq!(players.send(&path, future).await["applied"], true);
    let list = json!([{"anime_id": 1, "episode": 2}, {"anime_id": 0, "episode": 2}]);
    let answer = players.post_list(&list).await;
    answer.assert_status(400);
    answer.assert_has("of message 2");
    // No message of the refused list has an effect.
    assert_stories(&players, &[(1, CURRENT, 1)]).await;
    let without_token = players.post("/v1/playback", &watched(1, 2)).await;
    without_token.assert_status(401);
}

#[tokio::test]
async fn kodi_marks_no_movie_at_its_start() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Kodi, "kodi").await;
    let name = "Harbor Lights: The Last Ferry";
    let on = |method: &str, title: &str, end: bool| {
        let item = json!({"type": "movie", "title": title});
        let params = json!({"data": {"item": item, "end": end}, "sender": "xbmc"});
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    };
    for start in [
        json!({"event": "start", "title": name}),
        json!({"event": "playback.start", "title": name, "position_ms": 0}),
        json!({"event": "onAVStarted", "file": "Harbor Lights - The Last Ferry.mkv"}),
        on("Player.OnPlay", name, false),
        on("Player.OnStop", name, false),
    ] {
        let result = players.send(&path, start.clone()).await;
        assert_eq!(result["reason"], "not_finished", "{start}");
    }
    assert_stories(&players, &[]).await;
    let reason = players.reason(&path, on("Player.OnStop", name, true));
    assert_eq!(reason.await, "completed");
    assert_stories(&players, &[(3, COMPLETED, 1)]).await;
    // A video that is not in the library has the name of its file as its title.
    let stopped = on("Player.OnStop", "Harbor Lights - S01E04.mkv", true);
    assert_eq!(players.matched(&path, stopped).await, found(1, 4, "file"));
}
