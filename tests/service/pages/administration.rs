//! The state of the service on the page for administrators.

use std::time::Duration;

use catalog_refresh::SourceName::{AniList, AnimeThemes, OfflineDatabase};
use serde_json::Value;
use shared::models::Role;
use tests::assertions::AssertText;
use tests::browser::PageClient;
use tests::people::Person;
use tests::refreshed::{OFFLINE_DATABASE, Refreshed, entry, lines, media};
use tests::service::Service;
use tests::trackers::Fault;

const PAGE: &str = "/administration";

/// Returns the page as an administrator sees it.
async fn open(service: &Service, chief: &Person) -> String {
    let mut browser = PageClient::signed_in(service, chief).await;
    let page = browser.get(PAGE).await;
    page.assert_status(200);
    page.text()
}

#[tokio::test]
async fn page_shows_the_version_and_the_numbers_of_users_and_stories() {
    let (service, [anime, _]) = Service::with_two_anime().await;
    let person = service.person("taki").await;
    assert_eq!(service.create_story(&person, &anime, 1).await.status, 200);
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let page = open(&service, &chief).await;
    for (name, value) in [
        ("Version", env!("CARGO_PKG_VERSION")),
        ("Users (approximate)", "2"),
        ("Stories (approximate)", "1"),
    ] {
        let fact = format!("<dt>{name}</dt><dd>{value}</dd>");
        assert!(page.contains(&fact), "{fact}: {page}");
    }
    page.assert_has("has not been refreshed");
}

#[tokio::test]
async fn page_shows_the_last_refresh_with_its_failures() {
    let refreshed = Refreshed::empty().await;
    refreshed.set_media(vec![media(7, &Value::Null)]);
    refreshed.refresh_only(&[AniList]).await;
    refreshed.service.clock.advance(Duration::from_hours(1));
    let refusals = (0..9).map(|_| Fault::answer(403, "{}"));
    refreshed.tracker.fail_each_after(0, refusals);
    refreshed.refresh_only(&[AniList, AnimeThemes]).await;
    let service = &refreshed.service;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let page = open(service, &chief).await;
    for text in [
        "Last refresh: from 14 November 2023",
        "<strong>AniList</strong>",
        "failed:",
        "status 403",
        "stale since 14 November 2023",
        "<strong>AnimeThemes</strong>",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    service.assert_declared_attributes().await;
    // The next complete refresh replaces the failure.
    refreshed.tracker.clear_faults();
    refreshed.refresh_only(&[AniList]).await;
    let page = open(service, &chief).await;
    page.assert_lacks("failed:");
    page.assert_has("up to date at 14 November 2023");
}

#[tokio::test]
async fn page_shows_the_age_of_the_data_and_warns_after_30_days() {
    let refreshed = Refreshed::empty().await;
    let service = &refreshed.service;
    let chief = service.person_with_role("chief", Role::Administrator).await;
    let entries = [entry(7, 9, &Value::Null)];
    refreshed
        .files
        .publish(OFFLINE_DATABASE, lines(&entries), None);
    refreshed.refresh_only(&[OfflineDatabase]).await;
    let warning = "is more than 30 days old";
    let page = open(service, &chief).await;
    let fact = |days: u64| {
        let unit = if days == 1 { "day" } else { "days" };
        let age = format!("13 November 2023 ({days} {unit} old)");
        format!("<dt>Data of the anime</dt><dd>{age}</dd>")
    };
    page.assert_has(&fact(1));
    page.assert_lacks(warning);
    service.clock.advance(Duration::from_hours(29 * 24));
    let page = open(service, &chief).await;
    page.assert_has(&fact(30));
    page.assert_has(warning);
}
