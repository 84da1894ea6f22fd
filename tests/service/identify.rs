//! Which anime a message means: titles, names of files, and identifiers that contradict them.

use serde_json::{Value, json};
use shared::models::PlayerKind;
use tests::players::Players;

fn matched(anime: u64, episode: u32, by: &str) -> Value {
    json!({"anime_id": anime, "episode": episode, "by": by})
}

#[tokio::test]
async fn title_of_an_anime_means_its_own_episodes() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "script").await;
    let cases = json!([
        [{"title": "Harbor Lights Part 2", "season": 1, "episode": 3}, matched(2, 3, "title")],
        [{"title": "Harbor Lights II", "season": 1, "episode": 3}, matched(4, 3, "title")],
        [{"title": "Harbor Lights", "season": 1, "episode": 15}, matched(2, 3, "title")],
        [{"file": "[Group] Harbor Lights 2 [04][1080p].mkv"}, matched(4, 4, "file")],
        [{"file": "/tv/Harbor Lights Part 2/Season 01/S01E05.mkv"}, matched(2, 5, "file")],
        [{"file": "https://user:password@nas.example/tv/Paper%20Moons/S01E05.mkv?token=1"}, matched(5, 5, "file")],
        [{"file": "Moons {tvdb-71}/Season 01/S01E06.mkv"}, matched(5, 6, "series_ids")],
    ]);
    for case in cases.as_array().unwrap() {
        let answer = players.send(&path, case[0].clone()).await;
        assert_eq!(answer["matched"], case[1], "{case}");
    }
}

#[tokio::test]
async fn misspelled_and_longer_titles_are_not_certain() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Other, "script").await;
    for title in ["Papre Moons", "Paper Moons and Stars", "Paper Moons (2013)"] {
        let message = json!({"title": title, "season": 1, "episode": 3});
        let answer = players.send(&path, message).await;
        assert_eq!(answer["matched"], Value::Null, "{title}");
    }
    assert_eq!(players.stories().await, []);
}

#[tokio::test]
async fn title_of_another_anime_contradicts_an_identifier() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Jellyfin, "server").await;
    let of_series = |title: &str| {
        json!({
            "Event": "Scrobble", "User": {"Name": "mitsuha"}, "Server": {"Name": "home"},
            "Item": {"Type": "Episode", "SeriesName": title, "ParentIndexNumber": 1, "IndexNumber": 4},
            "Series": {"ProviderIds": {"Tvdb": "71"}},
        })
    };
    players
        .set(|settings| settings.server_user = Some("mitsuha".to_owned()))
        .await;
    let other = players.send(&path, of_series("Endless Summer")).await;
    assert_eq!(other["matched"], Value::Null);
    // A title that no anime has can be a title in another language.
    let unknown = players.send(&path, of_series("Papiermonde")).await;
    assert_eq!(unknown["matched"], matched(5, 4, "series_ids"));
    // HAMA's name `tvdb4` in a folder says that numbers count through all seasons.
    for (tag, expected) in [
        ("tvdb4", matched(5, 6, "series_ids")),
        ("tvdb", Value::Null),
    ] {
        let mut message = of_series("Papiermonde");
        message["Series"] = Value::Null;
        message["Item"]["ParentIndexNumber"] = json!(2);
        message["Item"]["IndexNumber"] = json!(6);
        message["Item"]["Path"] = json!(format!("/tv/Papiermonde [{tag}-71]/Season 2/06.mkv"));
        let answer = players.send(&path, message).await;
        assert_eq!(answer["matched"], expected, "{tag}");
    }
}
