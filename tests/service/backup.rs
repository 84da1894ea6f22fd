//! A backup moves a service between kinds of DynamoDB.

use accounts::users::UserStore;
use cli::backup::{self, CheckedBackup, Destination, UnitPace};
use cli::data::schema::TABLES;
use cli::embedded::engine::Engine;
use cli::import::Progress;
use dynamo::{Database, TableNames};
use serde_json::json;
use shared::auth::{KeyRing, KeyRings};
use shared::models::{Factors, Identity, SecondFactor};
use tempfile::TempDir;
use tests::assertions::AssertText;
use tests::rows::row;
use tests::service::Service;

fn key_rings(database: &Database) -> KeyRings {
    let names = ["signing", "encryption"].into_iter();
    names
        .map(|name| (name.to_owned(), KeyRing::new(&database.random)))
        .collect()
}

/// Returns all rows of a database, sorted.
async fn all_rows(database: &Database) -> Vec<String> {
    let mut rows = Vec::new();
    for table in TABLES {
        let scan = database
            .client
            .scan()
            .table_name(database.tables.of(table.name));
        let mut items = scan.into_paginator().items().send();
        while let Some(item) = items.next().await {
            let item = serde_dynamo::Item::from(item.unwrap());
            let mut item = serde_json::to_value(item).unwrap();
            item.sort_all_objects();
            rows.push(format!("{} {item}", table.name));
        }
    }
    rows.sort();
    rows
}

/// Moves a service to another database by a backup. Returns the rows of that database.
async fn move_service(from: &Database, to: &Database, engine: Option<&Engine>) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("backup");
    let (pace, progress, keys) = (UnitPace::new(None), Progress::hidden(), key_rings(from));
    let written = backup::write(&file, from, Some(keys.clone()), &pace, &progress)
        .await
        .unwrap();
    let checked = CheckedBackup::read(&file, from.clock.now_s()).unwrap();
    assert_eq!(written, checked.rows);
    assert!(checked.keys.as_ref() == Some(&keys));
    let destination = Destination {
        database: to,
        engine,
        pace: &pace,
    };
    let nothing = async || Ok(());
    backup::fill(&file, &checked, destination, nothing, &progress)
        .await
        .unwrap();
    all_rows(to).await
}

/// Moves a service from the engine under test to the embedded one and back. The gate also does this with DynamoDB
/// Local.
#[tokio::test]
async fn move_there_and_back_keeps_every_row() {
    let (service, anime) = Service::with_two_anime().await;
    let person = service.person("mitsuha").await;
    for anime in &anime {
        service.create_story(&person, anime, 1).await;
    }
    let taki = service.person("taki").await;
    let identity = Identity {
        issuer: "https://id.example".to_owned(),
        subject: "248289761001".to_owned(),
        connected_at: service.clock.now_ms(),
    };
    let factors = Factors {
        identity: Some(identity.clone()),
        second_factor: Some(SecondFactor {
            secret: "the sealed secret".to_owned(),
            last_step: 7,
            recovery_codes: vec!["digest of a code".to_owned()],
            created_at: service.clock.now_ms(),
        }),
        ..Factors::default()
    };
    let users = service.users();
    let account = users.account(taki.id).await.unwrap().unwrap();
    let replaced = users.replace_factors(&account, factors.clone());
    replaced.await.unwrap();
    let here = &service.environment.database;
    let before = all_rows(here).await;
    assert!(before.len() > 10, "{before:#?}");

    let embedded = Engine::start(None).unwrap();
    let (tables, clock) = (TableNames::default(), here.clock.clone());
    let there = Database::new(embedded.client(), tables, clock, here.random.clone());
    cli::data::tables::create_missing(&there.client, &there.tables)
        .await
        .unwrap();
    assert_eq!(move_service(here, &there, Some(&embedded)).await, before);

    let back = Service::empty().await.environment.database;
    assert_eq!(move_service(&there, &back, None).await, before);
    // Factors are found and sealed as before.
    let users = UserStore::new(&back);
    let found = users.find_by_identity(&identity).await.unwrap();
    assert_eq!(found, Some(taki.id));
    let account = users.account(taki.id).await.unwrap().unwrap();
    assert_eq!(account.factors.second_factor, factors.second_factor);
}

/// A row that another process writes during a restore is noticed.
#[tokio::test]
async fn foreign_rows_fail_the_verification() {
    let service = Service::with_sample().await;
    service.person("mitsuha").await;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("backup");
    let from = &service.environment.database;
    let (pace, progress) = (UnitPace::new(None), Progress::hidden());
    backup::write(&file, from, None, &pace, &progress)
        .await
        .unwrap();
    let checked = CheckedBackup::read(&file, from.clock.now_s()).unwrap();
    let other = Service::empty().await;
    let to = Destination {
        database: &other.environment.database,
        engine: None,
        pace: &pace,
    };
    // An interrupted restore has left its marker, and a user registers before it goes on.
    let interrupted = async || anyhow::bail!("interrupted");
    let failed = backup::fill(&file, &checked, to, interrupted, &progress).await;
    assert_eq!(failed.unwrap_err().to_string(), "interrupted");
    other.person("taki").await;
    let failed = backup::fill(&file, &checked, to, async || Ok(()), &progress).await;
    let error = failed.unwrap_err().to_string();
    error.assert_has("does not have the rows of the backup");
}

/// A name that changes its owner while the backup is written would be in the backup twice, and could not be restored.
#[tokio::test]
async fn name_with_two_owners_fails_the_backup() {
    let service = Service::empty().await;
    service.person("mitsuha").await;
    let other = service.person("taki").await;
    let (id, name) = (
        json!({"id": other.id}),
        json!({"username_folded": "mitsuha"}),
    );
    service.change_row("User", id, row(name)).await;
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("backup");
    let (pace, progress) = (UnitPace::new(None), Progress::hidden());
    let from = &service.environment.database;
    let failed = backup::write(&file, from, None, &pace, &progress).await;
    let error = failed.unwrap_err().to_string();
    error.assert_has("changed its owner");
    assert!(!file.exists());
}

/// The limit holds back calls: two calls of 10 units each at 5 units a second take 2 s more.
#[tokio::test(start_paused = true)]
async fn pace_delays_calls() {
    let pace = UnitPace::new(Some(5));
    let used = aws_sdk_dynamodb::types::ConsumedCapacity::builder();
    let used = used.capacity_units(10.0).build();
    let start = tokio::time::Instant::now();
    for seconds in [0, 2, 4] {
        pace.wait().await;
        assert_eq!(start.elapsed().as_secs(), seconds);
        pace.count([&used]).await;
    }
    let unlimited = UnitPace::new(None);
    unlimited.count([&used]).await;
    unlimited.wait().await;
    assert_eq!(start.elapsed().as_secs(), 4);
}
