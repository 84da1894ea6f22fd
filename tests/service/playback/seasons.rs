//! Whole seasons.

use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::models::PlayerKind;
use tests::assertions::AssertFields;
use tests::players::Players;

use super::{COMPLETED, CURRENT, answer_question, assert_reason, assert_stories, title};

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
    // All messages about a series that the catalogue does not know are kept.
    send_all("Faro").await;
    let kept = players.unmatched().await;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].episodes().len(), 148);
    assert_eq!(kept[0].last().0, 148);
    // The first 12 episodes are one anime, and the others another one.
    assert_eq!(
        answer_question(&players, ("Faro", "1"), 13, (5, 1)).await,
        12
    );
    assert_stories(&players, &[(5, COMPLETED, 12), (6, CURRENT, 148)]).await;
    let kept = players.unmatched().await;
    assert_eq!(kept[0].last().0, 12, "they wait for another answer");
    players.send(&path, title("Faro", 1, 2)).await;
    assert_eq!(
        answer_question(&players, ("Faro", "1"), 1, (6, 149)).await,
        12
    );
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
    // The server can have any number of episodes of an anime that airs.
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
