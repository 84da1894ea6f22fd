//! The secret addresses of players.

use std::time::Duration;

use axum::http::Method;
use shared::auth::Action;
use shared::models::PlayerKind;
use tests::players::Players;

use super::watched;

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
