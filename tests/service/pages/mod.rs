//! The web pages (docs/pages.md).

use accounts::users::Account;
use serde_json::json;
use shared::models::UserId;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::{PASSWORD, Person};
use tests::rounds::Rounds;
use tests::service::{Answer, Service};

mod administration;
mod anime;
mod browse;
mod calendar;
mod door;
pub(crate) mod every_page;
mod favorites;
mod frame;
mod history;
mod home;
mod languages;
pub(crate) mod list;
mod list_drafts;
mod list_model;
mod moderation;
mod passkeys;
mod players;
mod profile;
mod provider;
mod provider_bad_input;
mod provider_claims;
mod provider_logout;
pub(crate) mod public_profile;
mod reference;
mod review;
mod second_factor;
mod selection;
mod sessions;
mod settings;
mod sitemap;
mod songs;
mod statistics;
mod suggest;
mod welcome;

/// Sets the language of an account.
async fn set_language(service: &Service, person: &Person, code: &str) {
    let change = json!({"id": person.id, "gender": 0, "localization": code});
    let changed = service.post_as(&person.token, "/v1/user", &change).await;
    changed.assert_status(200);
}

async fn account(service: &Service, id: UserId) -> Account {
    service.users().account(id).await.unwrap().unwrap()
}

/// Opens a page with the form to sign in, and signs in with the password.
async fn sign_in_as(browser: &mut PageClient<'_>, path: &str, who: &str) -> Answer {
    let page = browser.get(path).await;
    let fields = [("who", who), ("password", PASSWORD)];
    browser.submit(&page, "/sign-in", &fields).await
}

async fn is_signed_in(browser: &mut PageClient<'_>) -> bool {
    browser.get("/profile").await.status == 200
}

/// Returns the numbers that follow this text in attributes of a page, in order.
fn numbers_after(page: &str, begin: &str) -> Vec<u64> {
    let numbers = page.all_between(begin, "\"").into_iter();
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// Returns the anime that a text links to, in order. A cover and the title beside it are links to the same anime, which
/// counts once.
fn linked(text: &str) -> Vec<u64> {
    let mut found = numbers_after(text, "href=\"/anime/");
    found.dedup();
    found
}

/// Returns the section of a page with this heading.
fn section(page: &str, heading: &str) -> Option<String> {
    page.find_between(&format!("aria-labelledby=\"{heading}\""), "</section>")
}

/// Opens a page, and checks the number of rounds in which the database is read.
async fn assert_rounds(browser: &mut PageClient<'_>, rounds: &Rounds, path: &str, expected: u32) {
    let _ = rounds.take();
    browser.get(path).await.assert_status(200);
    assert_eq!(rounds.take(), expected, "{path}");
}
