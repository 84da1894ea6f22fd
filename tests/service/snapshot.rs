//! The published index: fresh, optional, and never half of one.

use aws_sdk_dynamodb::types::Select;
use shared::models::{Anime, Song};
use store::{Document, Head, SnapshotStore};
use tests::made_up;
use tests::service::Service;

fn snapshots(service: &Service) -> SnapshotStore {
    SnapshotStore::new(
        service.client.clone(),
        &service.tables,
        <Anime as Document>::KIND,
    )
}

/// How many rows the snapshots' table has.
async fn stored_rows(service: &Service) -> i32 {
    let scan = service.client.scan().select(Select::Count);
    let table = service.tables.of("CatalogSnapshot");
    scan.table_name(table).send().await.unwrap().count()
}

#[tokio::test]
async fn what_is_published_is_seen_within_ten_seconds() {
    let service = Service::with(&made_up::anime(3, 1), &[]).await;
    assert_eq!(service.get("/v1/anime").await.ids().len(), 3);
    service.put(&made_up::anime(7, 1)).await;
    service.publish().await;
    service
        .clock
        .advance(std::time::Duration::from_millis(9_999));
    assert_eq!(service.get("/v1/anime").await.ids().len(), 3);
    service.clock.advance(std::time::Duration::from_millis(1));
    assert_eq!(service.get("/v1/anime").await.ids().len(), 7);
    assert_eq!(service.get("/v1/random/anime/50").await.ids().len(), 7);
}

#[tokio::test]
async fn without_a_snapshot_rows_are_seen_within_ten_seconds_too() {
    let service = Service::empty().await;
    assert_eq!(service.get("/v1/song").await.ids().len(), 0);
    service.put(&made_up::songs(5, 1)).await;
    service.let_index_age();
    assert_eq!(service.get("/v1/song").await.ids().len(), 5);
}

#[tokio::test]
async fn a_snapshot_is_what_a_function_loads_until_it_is_published_anew() {
    let service = Service::with(&made_up::anime(3, 1), &[]).await;
    service.put(&made_up::anime(5, 1)).await;
    let service = service.restarted();
    assert_eq!(
        service.get("/v1/anime").await.ids().len(),
        3,
        "from the snapshot"
    );
    service.publish().await;
    let service = service.restarted();
    assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
}

#[tokio::test]
async fn a_snapshot_that_cannot_be_read_is_done_without() {
    let service = Service::with(&made_up::anime(4, 1), &[]).await;
    let store = snapshots(&service);
    let published = store.head().await.unwrap().unwrap();

    for (format, bytes) in [
        (published.format, &b"damaged"[..]),
        (published.format + 1, b"newer"),
    ] {
        let version = store.next_version().await.unwrap();
        assert!(store.publish(version, format, 4, bytes).await.unwrap());
        service.let_index_age();
        assert_eq!(service.get("/v1/anime").await.ids().len(), 4);
    }
}

#[tokio::test]
async fn large_snapshots_have_parts_and_leave_none_behind() {
    let service = Service::empty().await;
    let store = snapshots(&service);
    let mut heads: Vec<Head> = Vec::new();
    for size in [1_300_000, 10, 900_000] {
        let bytes: Vec<u8> = (0..size).map(|n: u32| (n % 251) as u8).collect();
        let version = store.next_version().await.unwrap();
        assert!(store.publish(version, 1, 4, &bytes).await.unwrap());
        let head = store.head().await.unwrap().unwrap();
        assert_eq!(store.load(head, true).await.unwrap().unwrap(), bytes);
        heads.push(head);
    }
    assert_eq!(
        heads.iter().map(|head| head.parts).collect::<Vec<_>>(),
        [4, 1, 3]
    );
    for old in &heads[..2] {
        assert_eq!(store.load(*old, true).await.unwrap(), None);
    }
    assert_eq!(
        stored_rows(&service).await,
        1 + 3,
        "the head and the parts of the last"
    );
}

#[tokio::test]
async fn of_two_publishers_the_one_that_began_later_wins() {
    let service = Service::empty().await;
    let store = snapshots(&service);
    let earlier = store.next_version().await.unwrap();
    let later = store.next_version().await.unwrap();
    assert!(store.publish(later, 1, 4, b"later").await.unwrap());
    assert!(!store.publish(earlier, 1, 4, b"earlier").await.unwrap());
    let head = store.head().await.unwrap().unwrap();
    assert_eq!(store.load(head, true).await.unwrap().unwrap(), b"later");
    assert_eq!(stored_rows(&service).await, 2);
}

#[tokio::test]
async fn publishers_at_once_leave_a_whole_snapshot() {
    let service = Service::with(&made_up::anime(9, 1), &made_up::songs(9, 1)).await;
    let publishers = (0..8).map(|_| {
        let catalogue = service.catalogue::<Song>();
        tokio::spawn(async move { catalogue.publish().await })
    });
    for publisher in publishers.collect::<Vec<_>>() {
        assert_eq!(publisher.await.unwrap().unwrap(), 9);
    }
    let service = service.restarted();
    assert_eq!(service.get("/v1/song").await.ids().len(), 9);
}

/// A row that is gone from the table, but not yet from the index, leaves its page shorter.
#[tokio::test]
async fn a_deleted_row_is_left_out() {
    let service = Service::with(&made_up::anime(3, 1), &[]).await;
    service
        .client
        .delete_item()
        .table_name(service.tables.of("Anime"))
        .key("id", aws_sdk_dynamodb::types::AttributeValue::N("2".into()))
        .send()
        .await
        .unwrap();
    let mut ids = service.get("/v1/anime").await.ids();
    ids.sort_unstable();
    assert_eq!(ids, [1, 3]);
    assert_eq!(service.get("/v1/anime/2").await.status, 404);
}

/// DynamoDB answers a batch with 16 MB at most, and names what it left out.
#[tokio::test]
async fn documents_that_no_single_answer_holds_are_all_brought() {
    let mut anime = made_up::anime(60, 1);
    for anime in &mut anime {
        anime.descriptions.insert("en".into(), "x".repeat(300_000));
    }
    let service = Service::empty().await;
    for one in anime.chunks(1) {
        service.put(one).await;
    }
    let found = service.catalogue::<Anime>().random(60).await.unwrap();
    assert_eq!(found.len(), 60);
}
