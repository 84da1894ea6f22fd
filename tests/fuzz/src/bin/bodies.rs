//! An accepted body that is written again is accepted with the same values. Forms keep the texts that a browser has
//! sent.

#![no_main]
#![expect(
    clippy::unwrap_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use std::num::NonZeroU64;

use fuzz::Input;
use libfuzzer_sys::fuzz_target;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use shared::input::{Body, Fields, Form};
use shared::models::{
    AnimeId, EmailAddress, Gender, LocaleCode, RedirectUri, UserId, Username, WatchStatus,
};

const BODY: &str = r#"{"username": "mitsuha", "email": "mitsuha@Example.com", "localization": "pt-BR", "gender": 2,
    "status": 0, "count": 4294967295, "ticks": 9007199254740991, "account": 1, "anime_id": 2, "user_id": 1,
    "text": "\u3042"}"#;

/// A body with a field of each type.
#[derive(Debug, PartialEq)]
struct All {
    username: Option<Username>,
    email: Option<EmailAddress>,
    localization: Option<LocaleCode>,
    gender: Option<Gender>,
    status: Option<WatchStatus>,
    count: Option<u32>,
    ticks: Option<u64>,
    account: Option<NonZeroU64>,
    anime_id: Option<AnimeId>,
    user_id: Option<UserId>,
    text: Option<String>,
}

impl Body for All {
    const NAMES: &'static [&'static str] = &[
        "username",
        "email",
        "localization",
        "gender",
        "status",
        "count",
        "ticks",
        "account",
        "anime_id",
        "user_id",
        "text",
    ];

    fn read(fields: &mut Fields) -> Option<Self> {
        Some(Self {
            username: fields.read("username")?,
            email: fields.read("email")?,
            localization: fields.read("localization")?,
            gender: fields.read("gender")?,
            status: fields.read("status")?,
            count: fields.read("count")?,
            ticks: fields.read("ticks")?,
            account: fields.read("account")?,
            anime_id: fields.read("anime_id")?,
            user_id: fields.read("user_id")?,
            text: fields.read("text")?,
        })
    }
}

fn read(body: &[u8]) -> Option<All> {
    Fields::parse(body).ok()?.body().ok()
}

fuzz_target!(|input: Input| {
    let bytes = input.bytes(BODY.as_bytes());
    if let Some(all) = read(&bytes) {
        let again = json!({
            "username": all.username.as_ref().map(Username::as_str),
            "email": all.email.as_ref().map(EmailAddress::as_str),
            "localization": all.localization.clone().map(LocaleCode::into_string), "gender": all.gender,
            "status": all.status, "count": all.count,
            "ticks": all.ticks, "account": all.account, "anime_id": all.anime_id, "user_id": all.user_id,
            "text": all.text,
        });
        assert_eq!(read(again.to_string().as_bytes()), Some(all));
    }
    if let Ok(form) = Form::parse(&bytes) {
        let names = ["username", "text", ""];
        let pairs = names.map(|name| {
            let value = utf8_percent_encode(form.value(name), NON_ALPHANUMERIC);
            format!("{name}={value}")
        });
        let again = Form::parse(pairs.join("&").as_bytes());
        let again = again.unwrap();
        assert_eq!(
            names.map(|name| again.value(name)),
            names.map(|name| form.value(name))
        );
    }
    let text = String::from_utf8_lossy(&bytes);
    if let Ok(address) = RedirectUri::new(&text) {
        assert_eq!(RedirectUri::new(address.as_str()).as_ref(), Ok(&address));
    }
});
