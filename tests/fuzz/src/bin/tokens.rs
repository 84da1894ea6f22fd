//! Only the tokens and sealed texts that the service made are accepted, at the place that they were made for.

#![no_main]

use std::sync::{Arc, LazyLock};

use fuzz::{Input, now};
use libfuzzer_sys::fuzz_target;
use shared::auth::Sealer;
use shared::auth::{KeyRing, KeySource, Keys};
use shared::auth::{TokenPurpose, Tokens};
use shared::clock::Clock;
use shared::models::UserId;
use shared::random::Random;

const PURPOSES: [TokenPurpose; 3] = [
    TokenPurpose::Access,
    TokenPurpose::EmailVerification,
    TokenPurpose::PasswordReset,
];

struct Service {
    tokens: Tokens,
    sealer: Sealer,
    signed: [String; 3],
    sealed: String,
    ring: String,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let (clock, random) = (Clock::manual(1_800_000_000_000), Random::seeded(1));
    let ring = KeyRing::new(&random);
    let text = ring.to_json().unwrap_or_default();
    let source = KeySource::Fixed(Arc::new(ring));
    let keys = || Keys::new(source.clone(), clock.clone());
    let tokens = Tokens::new(keys(), "https://a.test", clock.clone(), random.clone());
    let sealer = Sealer::new(Arc::new(keys()), clock.clone(), random.clone());
    let sign = |purpose| now(tokens.sign_link(purpose, UserId::LAST, 7)).unwrap_or_default();
    Service {
        signed: PURPOSES.map(sign),
        sealed: now(sealer.seal("here", "a text")).unwrap_or_default(),
        ring: text,
        tokens,
        sealer,
    }
});

/// Returns the number of the key, in which zeros in front make no difference, and the rest.
fn split(sealed: &str) -> Option<(u64, &str)> {
    let (kid, rest) = sealed.split_once('.')?;
    Some((kid.parse().ok()?, rest))
}

fuzz_target!(|input: (u8, Input)| {
    let service = &*SERVICE;
    let (choice, input) = input;
    let own = &service.signed[usize::from(choice) % PURPOSES.len()];
    let token = input.text(own);
    for (purpose, signed) in PURPOSES.into_iter().zip(&service.signed) {
        let verified = now(service.tokens.verify(purpose, &token));
        let is_accepted = verified.is_ok_and(|claims| claims.is_some());
        assert_eq!(is_accepted, token == *signed, "{purpose:?} {token}");
    }
    let sealed = input.text(&service.sealed);
    for place in ["here", "", "there"] {
        let opened = now(service.sealer.open(place, &sealed));
        let is_opened = opened.is_ok_and(|text| text.as_deref() == Some("a text"));
        let is_own = split(&sealed) == split(&service.sealed);
        assert_eq!(is_opened, place == "here" && is_own, "{sealed}");
    }
    if let Ok(ring) = KeyRing::parse(&input.text(&service.ring)) {
        let again = ring.to_json().map(|json| KeyRing::parse(&json));
        assert!(again.is_ok_and(|again| again == Ok(ring)));
    }
});
