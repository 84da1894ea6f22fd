//! Questions about series without an anime, and the answers of users.

use std::time::Duration;

use futures_util::join;
use serde_json::json;
use shared::auth::Action;
use shared::models::PlayerKind;
use stories::players::{SeriesAnswer, SeriesName};
use tests::assertions::{AssertFields, AssertText};
use tests::browser::PageClient;
use tests::players::Players;
use tests::rows::row;
use tests::units;

use super::{CURRENT, answer_question, assert_reason, assert_stories, found, store_choices, title};

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
    // A repeated or an earlier episode makes no new report.
    let reports = players.reports(0).await;
    assert_eq!(reports.len(), 3, "{reports:?}");
    assert_eq!(
        answer_question(&players, ("faro", "1"), 14, (2, 2)).await,
        1
    );
    assert_stories(&players, &[(2, CURRENT, 2)]).await;
    // The first part of the season is still unknown.
    assert_reason(&players, &path, title("Faro", 1, 3), "no_match").await;
    answer_question(&players, ("Faro", "1"), 1, (1, 1)).await;
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
async fn user_is_asked_once_about_a_series_that_is_not_an_anime() {
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

/// The user's row states if there can be questions. Pages read no questions if there are none.
#[tokio::test]
async fn pages_of_users_without_questions_read_none() {
    let mut players = Players::new().await;
    let (client, meter) = units::metered();
    players.service = players.service.with_functions_client(client);
    let path = players.add_mixed(PlayerKind::Emby, "server").await;
    let mut browser = PageClient::signed_in(&players.service, &players.person).await;
    let mut visit = async || {
        // The first visit loads the rows that the process keeps.
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

/// The rows of users of version 0.1.0 do not state if there can be questions.
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
