//! The web pages (docs/pages.md).

use serde_json::json;
use tests::browser::PageClient;
use tests::people::Person;
use tests::rounds::Rounds;
use tests::service::Service;

mod anime;
mod calendar;
pub(crate) mod every_page;
mod frame;
mod history;
mod home;
mod languages;
pub(crate) mod list;
mod moderation;
mod passkeys;
mod players;
mod profile;
mod provider;
mod provider_bad_input;
mod provider_claims;
mod provider_logout;
pub(crate) mod public_profile;
mod review;
mod second_factor;
mod selection;
mod sessions;
mod settings;
mod songs;
mod statistics;
mod welcome;

/// Sets the language of an account.
async fn set_language(service: &Service, person: &Person, code: &str) {
    let change = json!({"id": person.id, "gender": 0, "localization": code});
    let changed = service.post_as(&person.token, "/v1/user", &change).await;
    changed.assert_status(200);
}

/// Opens a page, and checks the number of rounds in which the database is read.
async fn assert_rounds(browser: &mut PageClient<'_>, rounds: &Rounds, path: &str, expected: u32) {
    let _ = rounds.take();
    browser.get(path).await.assert_status(200);
    assert_eq!(rounds.take(), expected, "{path}");
}
