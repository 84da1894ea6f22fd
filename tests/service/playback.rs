//! The playback endpoints: the messages of players, and what they do to stories.

use std::pin::Pin;
use std::time::Duration;

use axum::http::Method;
use catalogue::identify::NameLimits;
use futures_util::future::{Either, join_all, select};
use futures_util::join;
use serde_json::{Value, json};
use shared::auth::Action;
use shared::models::PlayerKind;
use stories::players::{PlayerReport, SeriesAnswer, SeriesName};
use tests::assertions::{AssertFields, AssertText};
use tests::browser::PageClient;
use tests::players::Players;
use tests::rows::row;
use tests::{engine, units};
use tokio::time::timeout;

/// The time after which a test fails instead of waiting any longer.
const PATIENCE: Duration = Duration::from_mins(1);

const CURRENT: u8 = 0;
const PLANNING: u8 = 1;
const COMPLETED: u8 = 2;
const DROPPED: u8 = 3;

fn title(title: &str, season: u16, episode: u32) -> Value {
    json!({"title": title, "season": season, "episode": episode})
}

fn watched(anime: u64, episode: u32) -> Value {
    json!({"anime_id": anime, "episode": episode})
}

/// Returns the JSON of a match: the episode that was found for a message, and how it was found.
fn found(anime: u64, episode: u32, by: &str) -> Value {
    json!({"anime_id": anime, "episode": episode, "by": by})
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

fn multipart(payload: &Value) -> (String, String) {
    let boundary = "----b0";
    let body = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"payload\"\r\nContent-Type: application/json\r\n\r\n\
         {payload}\r\n--{boundary}\r\nContent-Disposition: form-data; name=\"thumb\"; filename=\"thumb.jpg\"\r\n\
         Content-Type: image/jpeg\r\n\r\nJFIF\r\n--{boundary}--\r\n"
    );
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Checks the status and the progress of each story, by anime.
async fn assert_stories(players: &Players, expected: &[(u64, u8, u64)]) {
    assert_eq!(players.stories().await, expected);
}

/// Returns the reasons of the results of a list.
fn reasons(results: &Value) -> Vec<String> {
    let results = results.as_array().unwrap().iter();
    let reasons = results.map(|result| result["reason"].as_str().unwrap().to_owned());
    reasons.collect()
}

/// Sends a message, and checks the reason of its result.
async fn assert_reason(players: &Players, path: &str, message: Value, expected: &str) {
    let sent = message.to_string();
    assert_eq!(players.reason(path, message).await, expected, "{sent}");
}

#[tokio::test]
async fn finished_episode_becomes_the_progress() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    let first = players.send(&path, title("Harbor Lights", 1, 3)).await;
    let matched = found(1, 3, "title");
    let expected = json!({"matched": matched, "guesses": [], "applied": true, "reason": "watched"});
    assert_eq!(first, expected);
    assert_stories(&players, &[(1, CURRENT, 3)]).await;
    // The second part of the season is an anime of its own.
    let second = players.send(&path, title("Harbor Lights", 1, 13)).await;
    assert_eq!(second["matched"]["anime_id"], 2);
    let last = players.send(&path, title("Harbor Lights", 1, 24)).await;
    assert_eq!(last["matched"]["episode"], 12);
    assert_eq!(last["reason"], "completed");
    for episode in [1, 3, 24] {
        let again = title("harbor lights", 1, episode);
        let again = players.send(&path, again).await;
        again.assert_fields(json!({"applied": false, "reason": "already_watched"}));
    }
    assert_stories(&players, &[(1, CURRENT, 3), (2, COMPLETED, 12)]).await;
    let story = players.person.story(&tests::players::anime()[0]);
    let history = format!("/v1/user_story/{story}/history");
    let history = players.service.get_as(&players.person.token, &history);
    assert_eq!(history.await.data()[0]["by"], "player");
    players.service.assert_declared_attributes().await;
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
    assert_eq!(
        send(&of_application, &watched(5, 5)).await.data()["applied"],
        true
    );
    let account = service.get_as(&of_application, "/v1/auth/me").await;
    assert_eq!(account.status, 403);
    assert_eq!(players.stories().await[1], (5, CURRENT, 5));
}

#[tokio::test]
async fn what_could_not_be_matched_is_kept_until_the_user_answers() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    for episode in [2, 14, 14, 5] {
        let result = players.send(&path, title("Faro", 1, episode)).await;
        result.assert_fields(json!({"matched": null, "reason": "no_match"}));
    }
    players.send(&path, title("Cooking Show", 3, 1)).await;
    let kept = players.unmatched().await;
    for (name, season, episode) in [("Faro", "1", 14), ("Cooking Show", "3", 1)] {
        let mut rows = kept.iter().filter(|row| row.episode == episode);
        let is_kept = rows.any(|row| row.series.title == name && row.series.season == season);
        assert!(is_kept, "{name}: {kept:?}");
    }
    // A repeated or an earlier episode says nothing new.
    let reports = players.reports(0).await;
    assert_eq!(reports.len(), 3, "{reports:?}");
    assert_eq!(answer(&players, ("faro", "1"), 14, (2, 2)).await, 1);
    assert_stories(&players, &[(2, CURRENT, 2)]).await;
    // The first part of the season is still unknown.
    assert_reason(&players, &path, title("Faro", 1, 3), "no_match").await;
    answer(&players, ("Faro", "1"), 1, (1, 1)).await;
    // All episodes that were kept before the second part count.
    assert_stories(&players, &[(1, CURRENT, 5), (2, CURRENT, 2)]).await;
    assert_eq!(
        players.matched(&path, title("FARO", 1, 15)).await,
        found(2, 3, "choice")
    );
    let in_first_part = players.matched(&path, title("Faro", 1, 6)).await;
    assert_eq!(in_first_part["anime_id"], 1);
    let answer_about_cooking = async |answer| players.answer("Cooking Show", "3", answer).await;
    answer_about_cooking(SeriesAnswer::NotAnAnime).await;
    assert_reason(&players, &path, title("Cooking Show", 3, 2), "not_an_anime").await;
    assert_eq!(players.unmatched().await, []);
    answer_about_cooking(SeriesAnswer::TakeBack).await;
    assert_reason(&players, &path, title("Cooking Show", 3, 2), "no_match").await;
    players.service.clock.advance(Duration::from_hours(24 * 31));
    assert_eq!(players.unmatched().await, [], "kept for 30 days");
    // DynamoDB deletes expired rows only after hours.
    let key = SeriesName::read("Cooking Show", "3").unwrap().key();
    let store = players.store();
    let find = async || store.find_unmatched(players.person.id, &key).await.unwrap();
    assert_eq!(find().await, None);
    players.send(&path, title("Cooking Show", 3, 1)).await;
    let kept = find().await.unwrap();
    assert_eq!(kept.episodes().into_keys().collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn wrong_match_is_worse_than_none() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Emby, "server").await;
    let refused = json!([
        // Another series, such as a live-action one, has the same title.
        ["not_certain", {"Event": "playback.scrobble", "Item": {"Type": "Episode", "SeriesName": "Paper Moons",
            "ParentIndexNumber": 1, "IndexNumber": 2}, "Server": {}, "Series": {"ProviderIds": {"Tvdb": "999"}}}],
        // An episode's own identifier is not that of a series.
        ["no_match", {"Event": "item.markplayed", "Server": {}, "Item": {"Type": "Episode", "SeriesName": "Unheard Of",
            "ParentIndexNumber": 1, "IndexNumber": 2, "ProviderIds": {"Tvdb": "71"}}}],
        ["not_certain", {"title": "Harbor Lights", "season": 1, "episode": 25}],
        ["not_certain", {"anime_id": 1, "episode": 13}],
        ["no_match", {"anime_id": 9999, "episode": 1}],
        ["no_match", {"ids": {"tracker_b": 205}, "season": 0, "episode": 1}],
        ["not_an_episode", {"file": "[Group] Harbor Lights - NCOP1.mkv"}],
    ]);
    for case in refused.as_array().unwrap() {
        let (reason, message) = (&case[0], &case[1]);
        let result = players.send(&path, message.clone()).await;
        assert_eq!(result["matched"], Value::Null, "{message}");
        assert_eq!(result["reason"], *reason, "{message}");
    }
    assert_stories(&players, &[]).await;
}

#[tokio::test]
async fn status_follows_what_was_watched() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Mpv, "mpv").await;
    let anime = tests::players::anime();
    let put = async |number: usize, status: u8, episode: u64| {
        let body = tests::people::story_body(&players.person, &anime[number], status, episode);
        let answer = players
            .service
            .put_as(&players.person.token, "/v1/user_story", &body)
            .await;
        answer.assert_status(200);
    };
    put(0, DROPPED, 5).await;
    put(1, PLANNING, 0).await;
    put(4, COMPLETED, 12).await;
    for (anime, episode) in [(1, 4), (2, 1), (5, 1), (5, 12)] {
        players.send(&path, watched(anime, episode)).await;
    }
    let stories = [(1, DROPPED, 5), (2, CURRENT, 1), (5, COMPLETED, 12)];
    assert_stories(&players, &stories).await;
    players.send(&path, watched(1, 6)).await;
    // The first episode of a completed anime starts it again only if the user wants that, and not at once.
    players.set(|settings| settings.starts_again = true).await;
    players.send(&path, watched(5, 1)).await;
    let stories = [(1, CURRENT, 6), (2, CURRENT, 1), (5, COMPLETED, 12)];
    assert_stories(&players, &stories).await;
    players.service.clock.advance(Duration::from_hours(1));
    let reason = players.reason(&path, watched(5, 1));
    assert_eq!(reason.await, "started_again");
    players.send(&path, watched(5, 12)).await;
    let movie = json!({"title": "Harbor Lights: The Last Ferry"});
    players.send(&path, movie.clone()).await;
    assert_reason(&players, &path, movie.clone(), "already_watched").await;
    players.service.clock.advance(Duration::from_hours(2));
    assert_reason(&players, &path, movie, "started_again").await;
    let data = players.listed().await;
    let repeats = |anime: u64| {
        let mut stories = data.as_array().unwrap().iter();
        let story = stories.find(|story| story["anime_id"] == anime).unwrap();
        (
            story["status"].as_u64(),
            story["details"]["repeats"].as_u64(),
        )
    };
    assert_eq!(repeats(5), (Some(COMPLETED.into()), Some(1)));
    assert_eq!(repeats(3), (Some(COMPLETED.into()), Some(1)));
}

#[tokio::test]
async fn new_stories_are_private_if_the_player_is() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Mpv, "mpv").await;
    players.set(|settings| settings.makes_private = true).await;
    players.send(&path, watched(1, 1)).await;
    assert_eq!(players.listed().await[0]["details"]["private"], true);
}

#[tokio::test]
async fn position_is_kept_at_most_once_a_minute() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Mpv, "mpv").await;
    let at = |episode: u32, minutes: u64| {
        let position_ms = minutes * 60_000;
        json!({"anime_id": 1, "episode": episode, "position_ms": position_ms, "duration_ms": 1_440_000})
    };
    // Without a story, nothing was watched yet.
    assert_reason(&players, &path, at(1, 5), "not_finished").await;
    // These are 87 percent of the duration.
    assert_reason(&players, &path, at(1, 21), "watched").await;
    let ticks = async || {
        let data = players.listed().await;
        ["current_episode", "current_episode_ticks"].map(|name| data[0][name].as_u64().unwrap())
    };
    // A minute has not passed since the last one.
    assert_reason(&players, &path, at(2, 3), "not_finished").await;
    players.service.clock.advance(Duration::from_mins(1));
    assert_reason(&players, &path, at(2, 4), "position_kept").await;
    assert_reason(&players, &path, at(2, 5), "not_finished").await;
    assert_eq!(ticks().await, [1, 240_000]);
    players.service.clock.advance(Duration::from_mins(1));
    for (episode, minutes) in [(1, 7), (3, 7), (2, 4)] {
        let result = players.send(&path, at(episode, minutes)).await;
        assert_eq!(result["applied"], false, "{episode}");
    }
    players
        .set(|settings| settings.finished_percent = 100)
        .await;
    assert_reason(&players, &path, at(2, 23), "position_kept").await;
    let finished = json!({"anime_id": 1, "episode": 2, "position_ms": 100, "duration_ms": 200, "finished": true});
    // The sender says that the episode is finished.
    assert_reason(&players, &path, finished, "watched").await;
    assert_eq!(ticks().await, [2, 0]);
}

#[tokio::test]
async fn address_is_secret_and_has_a_pace() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    let other = players.add(PlayerKind::Other, "phone").await;
    let message = watched(1, 1);
    for _ in 0..1_500 {
        players.send(&path, message.clone()).await;
    }
    let limited = players.post(&path, &message).await;
    limited.assert_retry_after(429, "1");
    // Each address has its own limit.
    players.send(&other, message.clone()).await;
    players.service.clock.advance(Duration::from_mins(1));
    assert_eq!(players.post(&path, &message).await.status, 200);
    let mut wrong = path.clone();
    wrong.pop();
    let user = players.person.id.get();
    for wrong in [
        wrong,
        "/v1/playback/1".to_owned(),
        "/v1/playback/x.y.z".to_owned(),
        format!("/v1/playback/{user}.7.abc"),
        format!("/v1/playback/99.0.{}", path.rsplit('.').next().unwrap()),
        path.replace(".0.", ".1."),
    ] {
        let answer = players.post(&wrong, &message).await;
        assert_eq!(answer.status, 404, "{wrong}");
        let secret = &wrong["/v1/playback/".len()..];
        let shows_it = secret.len() > 3 && answer.text().contains(secret);
        assert!(!shows_it, "{}", answer.text());
    }
    let guess = async || players.post("/v1/playback/1.0.guess", &message).await;
    for _ in 0..94 {
        guess().await.assert_status(404);
    }
    guess().await.assert_status(429);
    // The right secret still works.
    players.send(&path, message.clone()).await;
}

#[tokio::test]
async fn address_ends_with_a_new_password_and_with_a_new_address() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "laptop").await;
    let message = watched(1, 1);
    let (service, person) = (&players.service, &players.person);
    let access = service.access(person, Action::ManageTokens).await;
    let account = service.users().account(person.id).await.unwrap().unwrap();
    let addresses = players.addresses();
    addresses.renew(&access, &account, 0).await.unwrap();
    assert_eq!(players.post(&path, &message).await.status, 404);
    let path = players.address_of(0).await;
    assert_eq!(players.post(&path, &message).await.status, 200);
    let path_of_logout = "/v1/auth/logout_everywhere";
    let out = service.with_token(Method::POST, path_of_logout, &person.token);
    out.await.assert_status(200);
    assert_eq!(players.post(&path, &message).await.status, 404);
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
    // A time in the future is the present, and a list names the message that is wrong.
    let future = json!({"anime_id": 1, "episode": 1, "at": "2999-01-01T00:00:00Z"});
    assert_eq!(players.send(&path, future).await["applied"], true);
    let list = json!([{"anime_id": 1, "episode": 2}, {"anime_id": 0, "episode": 2}]);
    let answer = players.post_list(&list).await;
    answer.assert_status(400);
    answer.assert_has("of message 2");
    // No message of the list counts.
    assert_stories(&players, &[(1, CURRENT, 1)]).await;
    let without_token = players.post("/v1/playback", &watched(1, 2)).await;
    without_token.assert_status(401);
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

/// The number of unmatched series is limited. The oldest ones are removed.
#[tokio::test]
async fn at_most_200_unmatched_series_are_kept() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    for number in 0..200_u64 {
        let series = json!({
            "user_id": players.person.id, "entry": format!("unmatched#{number}"),
            "title": format!("Series {number}"), "season": "1", "episode": 1, "at": number + 1,
            "player": 0, "expires_at": 9_999_999_999_u64
        });
        players.service.put_row("Player", row(series)).await;
    }
    players.send(&path, title("Unheard Of", 1, 1)).await;
    let rows = players.unmatched().await;
    assert_eq!(rows.len(), 200);
    assert_eq!(rows[0].series.title, "Unheard Of");
    assert!(rows.iter().all(|row| row.series.title != "Series 0"));
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
    // Alone, each of them is searched.
    assert_eq!(send(title("Endles Summer", 1, 3)).await, ["not_certain"]);
    assert_eq!(send(json!([title("Unheard Of", 1, 1)])).await, ["no_match"]);
}

/// Stores this number of choices of the user.
async fn store_choices(players: &Players, count: u64) {
    for number in 0..count {
        let choice = json!({
            "user_id": players.person.id, "entry": format!("choice#{number}"),
            "title": format!("Series {number}"), "season": "1", "parts": []
        });
        players.service.put_row("Player", row(choice)).await;
    }
}

#[tokio::test]
async fn choices_of_series_are_limited() {
    let players = Players::new().await;
    store_choices(&players, 999).await;
    let service = &players.service;
    let access = service.access(&players.person, Action::ManageTokens).await;
    let receiver = players.receiver();
    let answer = async |title: &str, answer: SeriesAnswer| {
        let series = SeriesName::read(title, "1").unwrap();
        receiver.answer(&access, &series, answer).await
    };
    // Of two new choices at the same time, one reaches the limit and the other is refused.
    let refuse = async |title: &str| answer(title, SeriesAnswer::NotAnAnime).await;
    let both = join!(refuse("Faro"), refuse("Lido"));
    assert!(both.0.is_ok() != both.1.is_ok(), "{both:?}");
    let (made, refused) = if both.0.is_ok() {
        ("Faro", "Lido")
    } else {
        ("Lido", "Faro")
    };
    let choices = players.store().choices(players.person.id).await.unwrap();
    assert_eq!(choices.len(), 1_000);

    let mut browser = PageClient::signed_in(service, &players.person).await;
    let page = browser.get("/profile/players").await;
    let csrf = tests::browser::hidden(&page, "csrf").unwrap();
    let fields = |title| {
        [
            ("csrf", csrf.as_str()),
            ("title", title),
            ("season", "1"),
            ("in_season", "1"),
            ("q", ""),
            ("not_an_anime", "yes"),
        ]
    };
    let path = "/profile/players/series";
    let full = browser.post(path, &fields(refused)).await;
    full.assert_status(409);
    full.assert_has("you have 1,000 choices already");
    // A choice for the same series takes no more room.
    let again = browser.post(path, &fields(made)).await;
    again.assert_status(303);
    answer(made, SeriesAnswer::TakeBack).await.unwrap();
    refuse(refused).await.unwrap();
    refuse(made).await.unwrap_err();
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

/// Returns a message of Jellyfin's plugin of shemanaev about a finished episode, with identifiers of the series.
fn with_series_ids(title: &str, season: u16, episode: u32, ids: &Value) -> Value {
    json!({
        "Event": "Scrobble", "Server": {"Name": "home"}, "Series": {"ProviderIds": ids},
        "Item": {"Type": "Episode", "SeriesName": title, "ParentIndexNumber": season, "IndexNumber": episode},
    })
}

/// Returns a message of Plex about a finished episode.
fn plex(library: &str, title: &str, episode: u32) -> Value {
    json!({
        "event": "media.scrobble", "Server": {"title": "home"},
        "Metadata": {"type": "episode", "librarySectionTitle": library, "grandparentTitle": title, "parentIndex": 1,
            "index": episode},
    })
}

#[tokio::test]
async fn user_is_asked_once_about_a_series_that_is_no_anime() {
    let players = Players::new().await;
    let path = players.add_mixed(PlayerKind::Emby, "server").await;
    players.send(&path, title("Harbor Lights", 1, 1)).await;
    assert_eq!(players.questions().await, 1);
    players
        .answer("Harbor Lights", "1", SeriesAnswer::NotAnAnime)
        .await;
    assert_eq!(players.questions().await, 0);
    let reason = players.reason(&path, title("harbor lights", 2, 1));
    assert_eq!(reason.await, "waits_for_answer");
    assert_eq!(players.questions().await, 0, "the first season is no anime");
    players.send(&path, title("Paper Moons", 1, 1)).await;
    assert_eq!(players.questions().await, 1);
    assert_stories(&players, &[]).await;
}

/// The row of the user says that nothing was asked, so a page reads the questions only if there may be some.
#[tokio::test]
async fn pages_of_users_without_questions_read_none() {
    let mut players = Players::new().await;
    let (client, meter) = units::metered();
    players.service = players.service.with_functions_client(client);
    let path = players.add_mixed(PlayerKind::Emby, "server").await;
    let mut browser = PageClient::signed_in(&players.service, &players.person).await;
    let mut visit = async || {
        // The first visit reads what the process does not know yet.
        for _ in 0..2 {
            let _ = meter.take();
            assert_eq!(browser.get("/list").await.status, 200);
        }
        let page = browser.get("/list").await.text();
        let _ = meter.take();
        assert_eq!(browser.get("/list").await.status, 200);
        (page.contains("#unmatched"), meter.take().calls)
    };
    let (has_notice, calls) = visit().await;
    assert_eq!(calls, 2, "the session and the account");
    assert!(!has_notice);
    players.send(&path, title("Harbor Lights", 1, 1)).await;
    assert_eq!(visit().await, (true, 3));
    let mine = SeriesAnswer::NotAnAnime;
    players.answer("Harbor Lights", "1", mine).await;
    assert_eq!(visit().await, (false, 3), "another may follow at once");
    players.service.clock.advance(Duration::from_hours(1));
    assert_eq!(visit().await, (false, 2));
    players.send(&path, title("Paper Moons", 1, 1)).await;
    assert_eq!(visit().await, (true, 3));
}

/// Users of version 0.1.0 have no such time in their rows.
#[tokio::test]
async fn questions_of_earlier_versions_are_found() {
    let players = Players::new().await;
    let path = players.add_mixed(PlayerKind::Emby, "server").await;
    players.send(&path, title("Harbor Lights", 1, 1)).await;
    let (id, asked) = (json!({"id": players.person.id}), json!({"asked_at": null}));
    players.service.change_row("User", id, row(asked)).await;
    let mut browser = PageClient::signed_in(&players.service, &players.person).await;
    let page = browser.get("/list").await.text();
    page.assert_has("#unmatched");
}

/// Answers that an episode of a season is one of an anime. Returns the number of kept episodes that have changed a
/// story.
async fn answer(players: &Players, series: (&str, &str), in_season: u32, to: (u64, u32)) -> usize {
    let answer = SeriesAnswer::Anime {
        in_season,
        anime_id: shared::models::AnimeId::new(to.0).unwrap(),
        episode: to.1,
    };
    players.answer(series.0, series.1, answer).await
}

#[tokio::test]
async fn series_known_by_name_alone_waits_if_the_player_plays_other_things() {
    let players = Players::new().await;
    let path = players.add_mixed(PlayerKind::Jellyfin, "server").await;
    for episode in [2, 3, 1, 3] {
        let result = players.send(&path, title("Paper Moons", 1, episode)).await;
        result.assert_fields(json!({"reason": "waits_for_answer", "matched": null}));
        assert_eq!(result["guesses"], json!([watched(5, episode)]));
    }
    let movie = json!({"title": "Harbor Lights: The Last Ferry"});
    assert_reason(&players, &path, movie, "waits_for_answer").await;
    // A live-action series can also have the year of an anime.
    let with_year = json!({"title": "Paper Moons", "season": 1, "episode": 1, "year": 2000});
    assert_reason(&players, &path, with_year, "waits_for_answer").await;
    // A series without an anime is kept, but the user is not asked: it is probably not an anime.
    assert_reason(&players, &path, title("Unheard Of", 1, 1), "no_match").await;
    assert_stories(&players, &[]).await;
    assert_eq!(players.unmatched().await.len(), 3);
    assert_eq!(players.questions().await, 2);
    // All that was watched meanwhile is applied, and the answer is remembered.
    assert_eq!(answer(&players, ("Paper Moons", "1"), 3, (5, 3)).await, 3);
    assert_stories(&players, &[(5, CURRENT, 3)]).await;
    let by_choice = players.matched(&path, title("Paper Moons", 1, 4)).await;
    assert_eq!(by_choice["by"], "choice");
    assert_stories(&players, &[(5, CURRENT, 4)]).await;
    // Identifiers support a name, and so does another anime of the series on the list.
    let ids = with_series_ids("Harbor Lights", 1, 1, &json!({"Tvdb": "70"}));
    assert_reason(&players, &path, ids, "watched").await;
    assert_eq!(
        players.matched(&path, title("Harbor Lights", 2, 1)).await,
        found(4, 1, "title")
    );
    let stories = [(1, CURRENT, 1), (4, CURRENT, 1), (5, CURRENT, 4)];
    assert_stories(&players, &stories).await;
}

#[tokio::test]
async fn title_that_is_only_similar_is_no_question_if_the_player_plays_other_things() {
    let players = Players::new().await;
    let anime = players.add(PlayerKind::Plex, "anime").await;
    let similar = players.send(&anime, title("Paper Suns", 1, 1)).await;
    similar.assert_fields(json!({"reason": "not_certain", "guesses": [watched(5, 1)]}));
    let mixed = players.add_mixed(PlayerKind::Plex, "mixed").await;
    assert_eq!(players.questions().await, 1, "that of the first player");
    for message in [
        title("Paper Stars", 1, 1),
        title("Paper Stars", 1, 2),
        json!({"file": "Paper.Trains.S01E03.1080p.mkv"}),
    ] {
        let result = players.send(&mixed, message.clone()).await;
        assert_eq!(result["reason"], "no_match", "{message}");
        assert_eq!(result["guesses"], json!([]), "{message}");
    }
    assert_eq!(players.questions().await, 1);
    let kept = players.unmatched().await;
    assert_eq!(kept.len(), 3, "they are kept silently: {kept:?}");
    let reports = players.reports(1).await;
    assert_eq!(reports.len(), 3, "{reports:?}");
    // A player with only anime asks about them. The guess is about the last episode that is kept.
    assert_reason(&players, &anime, title("Paper Stars", 1, 1), "not_certain").await;
    assert_eq!(players.questions().await, 2);
    let kept = players.unmatched().await;
    let kept = kept.iter().find(|row| row.series.title == "Paper Stars");
    let kept = kept.unwrap();
    let guessed: Vec<u32> = kept.guesses.iter().map(|guess| guess.episode).collect();
    assert_eq!((kept.last().0, guessed), (2, vec![2]));
    assert_eq!(kept.episodes().len(), 2);
    // A title with one wrong letter counts as a typing error.
    assert_reason(&players, &mixed, title("Paper Mooms", 1, 1), "not_certain").await;
    assert_eq!(players.questions().await, 3);
    assert_stories(&players, &[]).await;
}

#[tokio::test]
async fn token_can_state_that_other_things_are_played() {
    let players = Players::new().await;
    let send = async |query: &str| {
        let path = format!("/v1/playback{query}");
        let messages =
            json!([title("Paper Moons", 1, 1), {"ids": {"tvdb": 70}, "season": 1, "episode": 1}]);
        players
            .service
            .post_as(&players.person.token, &path, &messages)
            .await
    };
    let mixed = send("?plays=mixed").await.data();
    assert_eq!(mixed[0]["reason"], "waits_for_answer");
    assert_eq!(mixed[1]["reason"], "watched");
    assert_stories(&players, &[(1, CURRENT, 1)]).await;
    assert_eq!(send("").await.data()[0]["reason"], "watched");
    let wrong = send("?plays=films").await;
    assert_eq!(wrong.status, 400);
    wrong.assert_has("anime, mixed");
}

#[tokio::test]
async fn only_the_libraries_with_anime_count() {
    let players = Players::new().await;
    let path = players.add_mixed(PlayerKind::Plex, "server").await;
    let reason = players.reason(&path, plex("Anime", "Paper Moons", 1));
    assert_eq!(reason.await, "waits_for_answer");
    players
        .set(|settings| settings.libraries = vec!["Anime".to_owned(), "Anime films".to_owned()])
        .await;
    let other = players.send(&path, plex("Movies", "Endless Summer", 1));
    let expected = json!({"reason": "other_library", "matched": null});
    other.await.assert_fields(expected);
    // The library says that it is an anime.
    assert_reason(&players, &path, plex("anime", "Paper Moons", 2), "watched").await;
    // Senders that name no library are judged by the name.
    let reason = players.reason(&path, title("Endless Summer", 1, 1));
    assert_eq!(reason.await, "waits_for_answer");
    assert_stories(&players, &[(5, CURRENT, 2)]).await;
}

#[tokio::test]
async fn two_answers_for_one_season_are_not_mixed() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    let at_tvdb = |episode, id: u32| {
        with_series_ids("Lanterns", 1, episode, &json!({"Tvdb": id.to_string()}))
    };
    // The parts of a season are one series by the season map.
    assert_eq!(players.matched(&path, at_tvdb(3, 70)).await["anime_id"], 1);
    assert_eq!(players.matched(&path, at_tvdb(13, 70)).await["anime_id"], 2);
    assert_stories(&players, &[(1, CURRENT, 3), (2, CURRENT, 1)]).await;
    // Another series has nothing to do with them.
    let other = players.send(&path, at_tvdb(4, 71)).await;
    other.assert_fields(json!({"reason": "differs_from_earlier", "matched": null}));
    assert_eq!(other["guesses"], json!([watched(1, 4), watched(5, 4)]));
    assert_stories(&players, &[(1, CURRENT, 3), (2, CURRENT, 1)]).await;
    assert_eq!(players.questions().await, 1);
    // Nothing changes for the anime that was found before, and the answer of the user decides.
    assert_reason(&players, &path, at_tvdb(5, 70), "watched").await;
    assert_eq!(answer(&players, ("Lanterns", "1"), 4, (5, 4)).await, 1);
    let stories = [(1, CURRENT, 5), (2, CURRENT, 1), (5, CURRENT, 4)];
    assert_stories(&players, &stories).await;
    // The same holds for the messages of a list.
    let list = json!([
        {"title": "Moonlit [anidb-6]", "season": 1, "episode": 1},
        {"title": "Moonlit [anidb-5]", "season": 1, "episode": 7},
        {"title": "Moonlit [anidb-6]", "season": 1, "episode": 2},
    ]);
    let answered = players.post_list(&list).await.data();
    let expected = ["watched", "differs_from_earlier", "watched"];
    assert_eq!(reasons(&answered), expected);
}

/// A server sends the messages about a season that is marked as played at once.
#[tokio::test]
async fn season_of_148_episodes_arrives_completely() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    let send_all = async |name: &str| {
        let sent = (1..=148).map(|episode| {
            let message = title(name, 1, episode);
            let (players, path) = (&players, &path);
            async move { players.send(path, message).await }
        });
        join_all(sent).await
    };
    let results = send_all("Endless Summer").await;
    assert_eq!(results.len(), 148);
    assert_stories(&players, &[(6, CURRENT, 148)]).await;
    // So do those about a series that the catalogue does not know: all of them are kept.
    send_all("Faro").await;
    let kept = players.unmatched().await;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].episodes().len(), 148);
    assert_eq!(kept[0].last().0, 148);
    // The first 12 are one anime, and the others another one.
    assert_eq!(answer(&players, ("Faro", "1"), 13, (5, 1)).await, 12);
    assert_stories(&players, &[(5, COMPLETED, 12), (6, CURRENT, 148)]).await;
    let kept = players.unmatched().await;
    assert_eq!(kept[0].last().0, 12, "they wait for another answer");
    players.send(&path, title("Faro", 1, 2)).await;
    assert_eq!(answer(&players, ("Faro", "1"), 1, (6, 149)).await, 12);
    assert_stories(&players, &[(5, COMPLETED, 12), (6, CURRENT, 160)]).await;
    assert_eq!(players.unmatched().await, []);
}

#[tokio::test]
async fn season_that_is_marked_as_a_whole_counts_up_to_its_last_episode() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Emby, "server").await;
    let marked = |kind: &str, item: Value| {
        let mut message = json!({"Event": "item.markplayed", "Server": {}, "Item": item});
        message["Item"]["Type"] = json!(kind);
        message
    };
    let season = |name: &str, number: u16| {
        marked("Season", json!({"SeriesName": name, "IndexNumber": number}))
    };
    let first = players.send(&path, season("Harbor Lights", 1)).await;
    first.assert_fields(json!({"reason": "completed", "applied": true}));
    assert_stories(&players, &[(1, COMPLETED, 12), (2, COMPLETED, 12)]).await;
    // Of an anime that airs, the server can have any number of episodes.
    assert_reason(&players, &path, season("Harbor Lights", 2), "end_unknown").await;
    assert_reason(&players, &path, season("Unheard Of", 1), "no_match").await;
    let series = marked(
        "Series",
        json!({"Name": "?", "ProviderIds": {"Tvdb": "71"}}),
    );
    assert_reason(&players, &path, series, "completed").await;
    let stories = [(1, COMPLETED, 12), (2, COMPLETED, 12), (5, COMPLETED, 12)];
    assert_stories(&players, &stories).await;
}

/// Returns a message of Jellyfin's official plugin about the data of its user.
fn saved(reason: &str, item: &Value) -> Value {
    let mut message = json!({
        "NotificationType": "UserDataSaved", "SaveReason": reason, "ItemType": "Episode",
        "SeriesName": "Paper Moons", "SeasonNumber": 1, "Played": true,
    });
    let fields = item.as_object().unwrap().clone();
    message.as_object_mut().unwrap().extend(fields);
    message
}

#[tokio::test]
async fn mark_is_taken_back_if_the_player_is_set_so() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    let toggled = |episode: u32, played: bool| {
        saved(
            "TogglePlayed",
            &json!({"EpisodeNumber": episode, "Played": played}),
        )
    };
    for episode in [11, 12] {
        players.send(&path, toggled(episode, true)).await;
    }
    assert_stories(&players, &[(5, COMPLETED, 12)]).await;
    assert_reason(&players, &path, toggled(12, false), "other_event").await;
    // The setting is off by default.
    assert_stories(&players, &[(5, COMPLETED, 12)]).await;
    players.set(|settings| settings.takes_back = true).await;
    let result = players.send(&path, toggled(12, false)).await;
    result.assert_fields(json!({"reason": "taken_back", "applied": true}));
    assert_stories(&players, &[(5, CURRENT, 11)]).await;
    for (episode, reason) in [
        (12, "not_last_watched"),
        (3, "not_last_watched"),
        (11, "taken_back"),
    ] {
        assert_reason(&players, &path, toggled(episode, false), reason).await;
    }
    assert_stories(&players, &[(5, CURRENT, 10)]).await;
}

#[tokio::test]
async fn ratings_of_the_server_are_taken_over_if_the_player_is_set_so() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    let rated = |rating: f64| {
        let item = json!({"ItemType": "Season", "Rating": rating});
        saved("UpdateUserRating", &item)
    };
    let score = async || players.listed().await[0]["details"]["score"].take();
    players.send(&path, title("Paper Moons", 1, 3)).await;
    assert_reason(&players, &path, rated(8.5), "other_event").await;
    assert_eq!(score().await, Value::Null, "off by default");
    players.set(|settings| settings.takes_ratings = true).await;
    assert_reason(&players, &path, rated(8.5), "rated").await;
    assert_eq!(score().await, json!(85.0));
    assert_reason(&players, &path, rated(8.5), "already_rated").await;
    // The rating of an episode is not that of its anime.
    let episode = saved(
        "UpdateUserRating",
        &json!({"EpisodeNumber": 3, "Rating": 2.0}),
    );
    assert_reason(&players, &path, episode, "other_event").await;
    let plex = json!({
        "event": "media.rate", "rating": "9.0", "Server": {},
        "Metadata": {"type": "show", "title": "Paper Moons", "guid": "com.plexapp.agents.thetvdb://71"},
    });
    assert_reason(&players, &path, plex, "rated").await;
    assert_eq!(score().await, json!(90.0));
    // The anime is not on the list, and the season has two anime.
    let movie =
        json!({"ItemType": "Movie", "Name": "Harbor Lights: The Last Ferry", "Rating": 7.0});
    let reason = players.reason(&path, saved("UpdateUserRating", &movie));
    assert_eq!(reason.await, "not_listed");
    let season = json!({"ItemType": "Season", "SeriesName": "Harbor Lights", "Rating": 7.0});
    let reason = players.reason(&path, saved("UpdateUserRating", &season));
    assert_eq!(reason.await, "not_certain");
    assert_stories(&players, &[(5, CURRENT, 3)]).await;
}

#[tokio::test]
async fn only_anime_on_the_list_count_if_the_player_is_set_so() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Mpv, "mpv").await;
    players.send(&path, title("Paper Moons", 1, 3)).await;
    players.set(|settings| settings.only_listed = true).await;
    let other = players.send(&path, title("Harbor Lights", 1, 1)).await;
    assert_eq!(
        (&other["reason"], &other["matched"]["anime_id"]),
        (&json!("not_listed"), &json!(1))
    );
    assert_reason(&players, &path, title("Paper Moons", 1, 4), "watched").await;
    assert_stories(&players, &[(5, CURRENT, 4)]).await;
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
