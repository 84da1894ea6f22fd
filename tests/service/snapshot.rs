//! The published index: requests use a new one within 10 seconds, work without one, and never see a partial
//! one.

use std::time::Duration;

use catalogue::index::{AnimeIndex, ListIndex, SongIndex};
use catalogue::rows::{AnimeListItem, CatalogueDocument, CatalogueRow, CatalogueStore};
use catalogue::snapshots::{Head, Snapshot, SnapshotSection, SnapshotStore};
use dynamo::{pack_value, unpack_value};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use shared::models::{Anime, Song};
use tests::made_up;
use tests::service::Service;

fn snapshots(service: &Service) -> SnapshotStore {
    SnapshotStore::new(&service.database(), <Anime as CatalogueDocument>::KIND)
}

/// Returns a snapshot of 4 rows with this format and these bytes, without titles.
fn snapshot<'a>(format: u64, index: &'a [u8], texts: &'a [u8]) -> Snapshot<'a> {
    Snapshot {
        format,
        rows: 4,
        index,
        texts,
        titles: b"",
    }
}

/// Counts the rows of the snapshot table.
async fn stored_rows(service: &Service) -> usize {
    service.rows("CatalogSnapshot").await.len()
}

#[tokio::test]
async fn published_index_is_used_within_ten_seconds() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
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
async fn rows_are_visible_within_ten_seconds_without_a_snapshot() {
    let service = Service::empty().await;
    assert_eq!(service.get("/v1/song").await.ids().len(), 0);
    service.put(&made_up::songs(5, 1)).await;
    service.let_index_age();
    assert_eq!(service.get("/v1/song").await.ids().len(), 5);
    // The function for anime also builds both indexes from the tables.
    service.put(&made_up::anime(1, 1)).await;
    let path = format!(
        "/v1/anime/{}?include=songs",
        made_up::anime(1, 1)[0].id.get()
    );
    service.get(&path).await.assert_status(200);
}

/// A publisher waits for the rows that it has written, but not for one that another writer has changed since.
#[tokio::test]
async fn wait_for_the_list_index_ends_after_a_concurrent_change() {
    let service = Service::empty().await;
    let [first, second] = [(); 2].map(|()| CatalogueStore::<Anime>::new(&service.database()));
    let rows: Vec<CatalogueRow<Anime>> = made_up::anime(2, 1)
        .into_iter()
        .map(CatalogueRow::from)
        .collect();
    first.put_many(&rows).await.unwrap();
    let id = rows[0].document.id.get();
    let known = second
        .get_current(&[id])
        .await
        .unwrap()
        .remove(&id)
        .unwrap();
    let mut changed = known.row;
    changed.document.nsfw = !changed.document.nsfw;
    assert!(
        second
            .put_if_unchanged(&changed, Some(known.revision))
            .await
            .unwrap()
    );
    first.wait_for_list_index().await.unwrap();
    second.wait_for_list_index().await.unwrap();
}

#[tokio::test]
async fn new_function_loads_the_published_snapshot() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
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

/// If the clock goes back, the next check for a newer index does not wait until the clock has caught up.
#[tokio::test]
async fn newer_index_is_loaded_although_the_clock_goes_back() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
    assert_eq!(service.get("/v1/anime").await.ids().len(), 3);
    service.put(&made_up::anime(5, 1)).await;
    service.publish().await;
    service.set_clock_back(Duration::from_hours(1));
    assert_eq!(service.get("/v1/anime").await.ids().len(), 5);
}

/// Returns the path of a search that finds this anime.
fn search_for(anime: &Anime) -> String {
    let title = anime.titles.values().next().unwrap();
    let title = utf8_percent_encode(title, NON_ALPHANUMERIC);
    format!("/v1/anime?search={title}")
}

/// The texts of a process belong to the same rows as its index, also if a newer snapshot was published between
/// the request that loaded the index and the first search.
#[tokio::test]
async fn first_search_after_a_publication_uses_the_new_snapshot() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
    let service = service.restarted();
    assert_eq!(service.get("/v1/anime").await.ids().len(), 3);
    let all = made_up::anime(50, 1);
    service.put(&all).await;
    service.publish().await;
    for anime in &all[40..] {
        let found = service.get(&search_for(anime)).await.ids();
        assert!(found.contains(&anime.id.get()), "{found:?}");
    }
    assert_eq!(service.get("/v1/anime?per_page=50").await.ids().len(), 50);
}

#[tokio::test]
async fn unreadable_snapshot_is_ignored() {
    let service = Service::with_catalogue(&made_up::anime(4, 1), &[]).await;
    let a_search = search_for(&made_up::anime(4, 1)[0]);
    let found = service.get(&a_search).await.ids();
    assert!(!found.is_empty());
    let store = snapshots(&service);
    let published = store.head().await.unwrap().unwrap();

    let index = store.load(published, SnapshotSection::Index, true).await;
    let index = index.unwrap().unwrap();
    for unreadable in [
        snapshot(published.format, b"damaged", b"damaged"),
        snapshot(published.format, &index, b"damaged"),
        snapshot(published.format, &index, b""),
        snapshot(published.format + 1, b"newer", b"newer"),
    ] {
        let version = store.draw_version().await.unwrap();
        assert!(store.publish(version, unreadable).await.unwrap());
        service.let_index_age();
        assert_eq!(service.get("/v1/anime").await.ids().len(), 4);
        assert_eq!(service.get(&a_search).await.ids(), found);
        service.let_index_age();
        assert_eq!(service.get(&a_search).await.ids(), found);
    }
}

/// An export has the titles from the table if the snapshot has none that can be read, for example because an earlier
/// version of the service has published it.
#[tokio::test]
async fn unreadable_titles_are_replaced_by_those_of_the_table() {
    let anime = made_up::anime(4, 1);
    let service = Service::with_catalogue(&anime, &[]).await;
    let person = service.person("taki").await;
    for one in &anime {
        assert_eq!(service.create_story(&person, one, 0).await.status, 200);
    }
    let exported = async |service: &Service| {
        let path = "/v1/user_story/export";
        let answer = service.get_as(&person.token, path).await;
        answer.assert_status(200);
        answer.json()["stories"].clone()
    };
    let expected = exported(&service).await;
    for one in &anime {
        let stories = expected.as_array().unwrap();
        let story = stories
            .iter()
            .find(|story| story["anime_id"] == one.id.get());
        assert_eq!(story.unwrap()["title"], one.titles["rj"]);
    }
    let store = snapshots(&service);
    let published = store.head().await.unwrap().unwrap();
    let load = async |section| store.load(published, section, true).await.unwrap().unwrap();
    let index = load(SnapshotSection::Index).await;
    let titles = load(SnapshotSection::Titles).await;
    let other = made_up::anime(3, 1);
    let of_another_index = other.into_iter().map(|one| AnimeListItem::from(&one));
    let of_another_index: AnimeIndex = of_another_index.collect();
    let of_another_index = of_another_index.main_titles().unwrap().to_bytes().unwrap();
    for (format, titles) in [
        (published.format, &b""[..]),
        (published.format, &b"damaged"[..]),
        (published.format, &of_another_index[..]),
        (published.format - 1, &titles[..]),
        (published.format, &titles[..]),
    ] {
        let version = store.draw_version().await.unwrap();
        let snapshot = Snapshot {
            titles,
            ..snapshot(format, &index, b"damaged")
        };
        assert!(store.publish(version, snapshot).await.unwrap());
        service.let_index_age();
        assert_eq!(exported(&service).await, expected);
        service.let_index_age();
        assert_eq!(exported(&service).await, expected, "again");
    }
}

#[tokio::test]
async fn large_snapshots_are_split_and_old_parts_deleted() {
    let service = Service::empty().await;
    let store = snapshots(&service);
    let mut heads: Vec<Head> = Vec::new();
    for (index_size, texts_size) in [(1_300_000, 10), (10, 800_000), (400_000, 360_000)] {
        let bytes = |size: u32| -> Vec<u8> { (0..size).map(|n| (n % 251) as u8).collect() };
        let (index, texts) = (bytes(index_size), bytes(texts_size));
        let titles = bytes(texts_size / 2);
        let version = store.draw_version().await.unwrap();
        let large = Snapshot {
            titles: &titles,
            ..snapshot(1, &index, &texts)
        };
        assert!(store.publish(version, large).await.unwrap());
        let head = store.head().await.unwrap().unwrap();
        for (section, bytes) in [
            (SnapshotSection::Index, index),
            (SnapshotSection::Texts, texts),
            (SnapshotSection::Titles, titles),
        ] {
            let loaded = store.load(head, section, true).await.unwrap();
            assert_eq!(loaded.unwrap(), bytes);
        }
        heads.push(head);
    }
    let parts = heads
        .iter()
        .map(|head| (head.parts, head.text_parts, head.title_parts));
    assert_eq!(parts.collect::<Vec<_>>(), [(4, 1, 1), (1, 3, 2), (2, 2, 1)]);
    for old in &heads[..2] {
        for section in [
            SnapshotSection::Index,
            SnapshotSection::Texts,
            SnapshotSection::Titles,
        ] {
            assert_eq!(store.load(*old, section, true).await.unwrap(), None);
        }
    }
    assert_eq!(
        stored_rows(&service).await,
        1 + 5,
        "the head and the parts of the latest snapshot"
    );
}

#[tokio::test]
async fn publisher_that_started_later_wins() {
    let service = Service::empty().await;
    let store = snapshots(&service);
    let earlier = store.draw_version().await.unwrap();
    let later = store.draw_version().await.unwrap();
    let published = store.publish(later, snapshot(1, b"later", b"texts"));
    assert!(published.await.unwrap());
    let published = store.publish(earlier, snapshot(1, b"earlier", b"texts"));
    assert!(!published.await.unwrap());
    let head = store.head().await.unwrap().unwrap();
    let loaded = store
        .load(head, SnapshotSection::Index, true)
        .await
        .unwrap();
    assert_eq!(loaded.unwrap(), b"later");
    assert_eq!(stored_rows(&service).await, 3);
}

#[tokio::test]
async fn concurrent_publishers_leave_a_complete_snapshot() {
    let service = Service::with_catalogue(&made_up::anime(9, 1), &made_up::songs(9, 1)).await;
    let publishers = (0..8).map(|_| {
        let database = service.database();
        tokio::spawn(async move { catalogue::publish::<Song>(&database).await })
    });
    for publisher in publishers.collect::<Vec<_>>() {
        assert_eq!(publisher.await.unwrap().unwrap(), 9);
    }
    // A row is deleted. Only an index from the snapshot still counts it.
    let row = &made_up::songs(9, 1)[0];
    service.delete_row("Song", json!({"id": row.id})).await;
    let service = service.restarted();
    let list = service.get("/v1/song").await;
    assert_eq!(list.ids().len(), 8);
    assert_eq!(list.header("x-total-count"), "9");
}

/// An index whose parts do not fit together must not be searched.
#[test]
fn damaged_index_is_recognized() {
    let decoded = |ends: &[u32]| {
        let (rows, none) = (Vec::<u8>::new(), Vec::<u32>::new());
        let bytes = pack_value(&(rows, ("a\0", ends), ("", none))).unwrap();
        unpack_value::<SongIndex>(&bytes).unwrap()
    };
    assert!(decoded(&[]).is_consistent());
    assert!(!decoded(&[2]).is_consistent());
}

/// A row that is deleted but still in the index is left out of its page.
#[tokio::test]
async fn deleted_row_is_left_out_of_lists() {
    let service = Service::with_catalogue(&made_up::anime(3, 1), &[]).await;
    service.delete_row("Anime", json!({"id": 2})).await;
    let mut ids = service.get("/v1/anime").await.ids();
    ids.sort_unstable();
    assert_eq!(ids, [1, 3]);
    assert_eq!(service.get("/v1/anime/2").await.status, 404);
}

/// DynamoDB returns at most 16 MB for a batch, and lists the keys that it left out.
#[tokio::test]
async fn documents_beyond_the_batch_limit_are_all_read() {
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
