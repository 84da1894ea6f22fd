//! The playback endpoints: the messages of players, and what they do to stories.

mod addresses;
mod effects;
mod limits;
mod matches;
mod questions;
mod seasons;
mod senders;

use serde_json::{Value, json};
use stories::players::SeriesAnswer;
use tests::players::Players;
use tests::rows::row;

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

/// Answers the question about a season: its episode `in_season` is the episode `to` of an anime. Returns the number of
/// kept episodes that have changed a story.
async fn answer_question(
    players: &Players,
    series: (&str, &str),
    in_season: u32,
    to: (u64, u32),
) -> usize {
    let answer = SeriesAnswer::Anime {
        in_season,
        anime_id: shared::models::AnimeId::new(to.0).unwrap(),
        episode: to.1,
    };
    players.answer(series.0, series.1, answer).await
}
