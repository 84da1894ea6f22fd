//! The effects of messages on stories.

use std::time::Duration;

use serde_json::{Value, json};
use shared::models::PlayerKind;
use tests::assertions::AssertFields;
use tests::players::Players;

use super::{
    COMPLETED, CURRENT, DROPPED, PLANNING, assert_reason, assert_stories, found, title, watched,
};

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
    players.send(&path, watched(1, 1)).await;
    players.set(|settings| settings.makes_private = true).await;
    // A story that exists already keeps its privacy.
    for (anime, episode) in [(1, 2), (2, 1)] {
        players.send(&path, watched(anime, episode)).await;
    }
    assert_stories(&players, &[(1, CURRENT, 2), (2, CURRENT, 1)]).await;
    let data = players.listed().await;
    let is_private = |anime: u64| {
        let mut stories = data.as_array().unwrap().iter();
        let story = stories.find(|story| story["anime_id"] == anime).unwrap();
        story["details"]["private"].as_bool()
    };
    assert_eq!(is_private(1), Some(false));
    assert_eq!(is_private(2), Some(true));
}

#[tokio::test]
async fn position_is_kept_at_most_once_a_minute() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Mpv, "mpv").await;
    let at = |episode: u32, minutes: u64| {
        let position_ms = minutes * 60_000;
        json!({"anime_id": 1, "episode": episode, "position_ms": position_ms, "duration_ms": 1_440_000})
    };
    // Without a story, the progress is 0.
    assert_reason(&players, &path, at(1, 5), "not_finished").await;
    // 21 of 24 minutes are 87 percent.
    assert_reason(&players, &path, at(1, 21), "watched").await;
    let ticks = async || {
        let data = players.listed().await;
        ["current_episode", "current_episode_ticks"].map(|name| data[0][name].as_u64().unwrap())
    };
    // Less than a minute has passed since the last message.
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
