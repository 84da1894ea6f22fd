//! The anime that a message is about, and doubts about it.

use serde_json::{Value, json};
use shared::models::PlayerKind;
use tests::assertions::{AssertFields, AssertText};
use tests::players::Players;

use super::{
    CURRENT, answer_question, assert_reason, assert_stories, found, reasons, title, watched,
};

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
async fn wrong_match_is_worse_than_none() {
    let players = Players::new().await;
    let path = players.add(PlayerKind::Emby, "server").await;
    let refused = json!([
        // Another series, such as a live-action one, has the same title.
        ["not_certain", {"Event": "playback.scrobble", "Item": {"Type": "Episode", "SeriesName": "Paper Moons",
            "ParentIndexNumber": 1, "IndexNumber": 2}, "Server": {}, "Series": {"ProviderIds": {"Tvdb": "999"}}}],
        // An identifier of an episode does not identify a series.
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
    // All messages that have waited are applied, and the answer is stored.
    assert_eq!(
        answer_question(&players, ("Paper Moons", "1"), 3, (5, 3)).await,
        3
    );
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
async fn title_that_is_only_similar_is_not_a_question_if_the_player_plays_other_things() {
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
    // The user is asked about these titles if the player plays only anime. The guess is for the last kept episode.
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
    // For messages without a library, the name of the series decides.
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
    // A series with another identifier is not matched with these anime.
    let other = players.send(&path, at_tvdb(4, 71)).await;
    other.assert_fields(json!({"reason": "differs_from_earlier", "matched": null}));
    assert_eq!(other["guesses"], json!([watched(1, 4), watched(5, 4)]));
    assert_stories(&players, &[(1, CURRENT, 3), (2, CURRENT, 1)]).await;
    assert_eq!(players.questions().await, 1);
    // Nothing changes for the anime that was found before, and the answer of the user decides.
    assert_reason(&players, &path, at_tvdb(5, 70), "watched").await;
    assert_eq!(
        answer_question(&players, ("Lanterns", "1"), 4, (5, 4)).await,
        1
    );
    let stories = [(1, CURRENT, 5), (2, CURRENT, 1), (5, CURRENT, 4)];
    assert_stories(&players, &stories).await;
    // The rule also applies to the messages of a list.
    let list = json!([
        {"title": "Moonlit [anidb-6]", "season": 1, "episode": 1},
        {"title": "Moonlit [anidb-5]", "season": 1, "episode": 7},
        {"title": "Moonlit [anidb-6]", "season": 1, "episode": 2},
    ]);
    let answered = players.post_list(&list).await.data();
    let expected = ["watched", "differs_from_earlier", "watched"];
    assert_eq!(reasons(&answered), expected);
}
