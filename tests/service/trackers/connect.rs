//! Configuration of the clients, and linking an account.

use serde_json::json;

use super::{
    CLIENT_ID, CODE, Clock, Config, Fault, Fixture, REDIRECT_URI, START_MS, Tracker, TrackerName,
    VERIFIER, VIEWER, Waiter, Which, action_of, pairs, remove,
};

#[tokio::test]
async fn tracker_is_off_unless_configured_and_requires_https() {
    let clock = Clock::manual(START_MS);
    let make = |config| Tracker::new(TrackerName::A, config, clock.clone(), Waiter::Sleep);
    assert!(make(Config::of(TrackerName::A)).unwrap().is_none());
    let on = |change: fn(&mut Config)| {
        let mut config = Config::of(TrackerName::A);
        CLIENT_ID.clone_into(&mut config.client_id);
        change(&mut config);
        make(config)
    };
    assert!(on(|_| ()).unwrap().is_some());
    assert!(on(|config| config.api = "http://graphql.anilist.co".to_owned()).is_err());
    assert!(on(|config| config.token = "https://me:pass@anilist.co/".to_owned()).is_err());
    assert!(on(|config| config.authorize = "anilist.co".to_owned()).is_err());
}

#[tokio::test]
async fn authorization_code_is_exchanged_for_tokens() {
    for fixture in Fixture::both().await {
        let is_b = fixture.fake.which() == Which::B;
        let url = fixture.tracker.authorize_url("state & more", VERIFIER);
        let (page, query) = url.split_once('?').unwrap();
        assert_eq!(page, fixture.fake.config().authorize);
        let mut expected = vec![
            ("client_id", CLIENT_ID),
            ("redirect_uri", REDIRECT_URI),
            ("response_type", "code"),
            ("state", "state & more"),
        ];
        if is_b {
            expected.extend([
                ("code_challenge", VERIFIER),
                ("code_challenge_method", "plain"),
            ]);
        }
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        assert_eq!(pairs(query), expected.into_iter().map(owned).collect());

        let tokens = fixture.exchange(CODE).await.unwrap();
        let sent = fixture.fake.last();
        if is_b {
            assert_eq!(
                sent.header("content-type"),
                "application/x-www-form-urlencoded"
            );
            assert_eq!(sent.form()["code_verifier"], VERIFIER);
            assert_eq!(tokens.expires_at, Some(START_MS / 1_000 + 3_600));
        } else {
            assert_eq!(sent.header("content-type"), "application/json");
            assert_eq!(sent.json()["grant_type"], "authorization_code");
            assert_eq!(tokens.expires_at, Some(START_MS / 1_000 + 31_536_000));
        }
        assert_eq!(tokens.access, fixture.fake.state().access());
        assert_eq!(tokens.refresh, is_b.then(|| fixture.fake.state().refresh()));

        let deadline = fixture.deadline_in(60);
        let viewer = fixture.tracker.viewer(&tokens, deadline).await.unwrap();
        // An exchange does not count towards the rate limit.
        assert_eq!(fixture.clock.now_ms(), START_MS);
        assert_eq!((viewer.id, viewer.name.as_str()), VIEWER);
        assert_eq!(viewer.avatar.as_deref(), Some("https://images.test/71.png"));
        let sent = fixture.fake.last();
        assert_eq!(
            sent.header("authorization"),
            format!("Bearer {}", tokens.access)
        );
        assert_eq!(sent.header("accept"), "application/json");
        assert!(sent.header("user-agent").starts_with("kiroku/"));

        assert_eq!(
            action_of(fixture.exchange("another").await),
            if is_b { "reconnect" } else { "final" }
        );
    }
}

/// A page must not load an image over plain HTTP.
#[tokio::test]
async fn avatar_requires_https() {
    let a = Fixture::new(Which::A).await;
    for avatar in [
        json!(null),
        json!({"large": null}),
        json!({"large": "http://i.test/1"}),
    ] {
        a.fake.fail(Fault::edit(move |body| {
            body["data"]["Viewer"]["avatar"] = avatar;
        }));
        assert_eq!(a.viewer().await.unwrap().avatar, None);
    }
    let b = Fixture::new(Which::B).await;
    b.fake.fail(Fault::edit(|body| remove(body, "picture")));
    assert_eq!(b.viewer().await.unwrap().avatar, None);
}
