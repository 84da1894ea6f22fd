//! Access tokens and refresh tokens.

use std::time::Duration;

use serde_json::json;
use tests::assertions::AssertText;

use super::{
    CODE, Change, FAULTS, Fault, Fixture, LEAK, SECRETS, START_MS, TrackerTokens, Which, action_of,
};

#[tokio::test]
async fn invalid_tokens_require_reconnecting() {
    for mut fixture in Fixture::both().await {
        fixture.tokens.access = "old".to_owned();
        for call in 0..3 {
            assert_eq!(action_of(fixture.call(call).await), "reconnect");
        }
        let before = fixture.fake.count();
        for none in ["", "two words", "line\r\nbreak", "é"] {
            none.clone_into(&mut fixture.tokens.access);
            assert_eq!(action_of(fixture.viewer().await), "reconnect");
        }
        assert_eq!(fixture.fake.count(), before);
    }
}

#[tokio::test]
async fn refresh_rotates_the_refresh_token() {
    let mut fixture = Fixture::new(Which::B).await;
    let first = fixture.refresh().await.unwrap();
    assert_eq!(
        fixture.fake.last().form()["refresh_token"],
        fixture.tokens.refresh.clone().unwrap()
    );
    assert_eq!(first.refresh, Some(fixture.fake.state().refresh()));
    assert_ne!(first.refresh, fixture.tokens.refresh);
    assert_eq!(
        action_of(fixture.refresh().await),
        "reconnect",
        "the previous refresh token is revoked"
    );
    fixture.tokens = first;
    assert_eq!(action_of(fixture.viewer().await), "ok");

    fixture.fake.state().rotates = false;
    let second = fixture.refresh().await.unwrap();
    assert_eq!(
        second.refresh, fixture.tokens.refresh,
        "the response had no refresh token"
    );
    assert_ne!(second.access, fixture.tokens.access);
    fixture.tokens = second;
    assert_eq!(action_of(fixture.refresh().await), "ok");
}

/// The tracker has issued a new refresh token, but the client has not received it.
#[tokio::test]
async fn lost_refresh_response_requires_reconnecting() {
    for fault in [|| Fault::Cut, || Fault::Truncate] {
        let fixture = Fixture::new(Which::B).await;
        fixture.fake.fail(fault());
        assert_eq!(action_of(fixture.refresh().await), "later");
        assert_eq!(fixture.fake.state().rotations, 1);
        assert_eq!(action_of(fixture.refresh().await), "reconnect");
    }
}

#[tokio::test]
async fn malformed_tokens_are_rejected() {
    let refused: [Change; 10] = [
        |body| *body = json!(null),
        |body| *body = json!([LEAK]),
        |body| body["access_token"] = json!(null),
        |body| body["access_token"] = json!(""),
        |body| body["access_token"] = json!(7),
        |body| body["access_token"] = json!("two words"),
        |body| body["access_token"] = json!("line\nbreak"),
        |body| body["refresh_token"] = json!(7),
        |body| body["refresh_token"] = json!("two words"),
        |body| body["token_type"] = json!("mac"),
    ];
    for fixture in Fixture::both().await {
        for change in refused {
            fixture.fake.fail(Fault::edit(change));
            assert_eq!(action_of(fixture.exchange(CODE).await), "later");
        }
        for lifetime in [json!(null), json!("soon"), json!(-1), json!(1.5)] {
            fixture
                .fake
                .fail(Fault::edit(move |body| body["expires_in"] = lifetime));
            let tokens = fixture.exchange(CODE).await.unwrap();
            assert_eq!((tokens.expires_at, tokens.are_due(u64::MAX)), (None, false));
        }
        let forever: Change = |body| body["expires_in"] = json!(u64::MAX);
        fixture.fake.fail(Fault::edit(forever));
        assert!(!fixture.exchange(CODE).await.unwrap().are_due(START_MS));
    }
    let tokens = Fixture::new(Which::B).await.exchange(CODE).await.unwrap();
    let end = tokens.expires_at.unwrap();
    assert!(!tokens.are_due(end - 61) && tokens.are_due(end - 60) && tokens.are_due(end));
}

#[tokio::test]
async fn errors_of_the_token_endpoint_have_an_action() {
    let cases = [
        (401, "invalid_token", "reconnect"),
        (401, "invalid_request", "reconnect"),
        (400, "invalid_grant", "reconnect"),
        (400, "invalid_request", "final"),
        (403, "forbidden", "later 3600"),
        (500, "server_error", "later"),
        // The operator's configuration is wrong, so reconnecting would not help.
        (401, "invalid_client", "later"),
        (400, "unauthorized_client", "later"),
    ];
    let fixture = Fixture::new(Which::B).await;
    for (status, error, expected) in cases {
        let body = json!({"error": error, "message": LEAK}).to_string();
        fixture.fake.fail(Fault::answer(status, &body));
        assert_eq!(action_of(fixture.refresh().await), expected, "{error}");
        fixture.clock.advance(Duration::from_hours(2));
    }
    for (fault, expected) in FAULTS {
        fixture.fake.fail(fault());
        assert_eq!(action_of(fixture.refresh().await), expected);
        fixture.restore_tokens().await;
    }
    let public = Fixture::with_config(Which::B, |config| config.client_secret.clear()).await;
    assert_eq!(
        action_of(public.refresh().await),
        "later",
        "the fake requires a secret"
    );
    assert!(!public.fake.last().body.contains("client_secret"));
    let a = Fixture::new(Which::A).await;
    assert_eq!(action_of(a.refresh().await), "reconnect");
    assert_eq!(a.fake.count(), 0);
}

impl Fixture {
    /// Restores the fake's first tokens, which a fault may have replaced.
    async fn restore_tokens(&self) {
        {
            let mut state = self.fake.state();
            (state.grants, state.rotations) = (0, 0);
        }
        self.clock.advance(Duration::from_hours(25));
        assert_eq!(action_of(self.viewer().await), "ok");
    }
}

#[tokio::test]
async fn debug_output_has_no_secrets() {
    for fixture in Fixture::both().await {
        let tokens = fixture.exchange(CODE).await.unwrap();
        let text = format!(
            "{:?} {:?} {tokens:?}",
            fixture.tracker,
            fixture.fake.config()
        );
        for secret in SECRETS {
            text.assert_lacks(secret);
        }
        let stored = serde_json::to_string(&tokens).unwrap();
        assert_eq!(
            serde_json::from_str::<TrackerTokens>(&stored).unwrap(),
            tokens
        );
    }
}
