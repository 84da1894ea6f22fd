//! Runs of the tracker sync, with two fake trackers and a real DynamoDB engine.

use std::collections::BTreeMap;
use std::time::Duration;

use accounts::linked_accounts::Lease;
use serde_json::{Value, json};
use shared::models::TrackerName::{self, A, B};
use shared::models::WatchStatus::{Completed, Current, Paused, Planning, Repeating};
use stories::lists::{StoryWrite, SyncedStory};
use tests::assertions::AssertFields;
use tests::linked::Linked;
use tests::people::Person;
use tests::rows::row;
use tests::trackers::{Fake, Fault, NO_ANIME, Row, VIEWER};
use tracker_sync::{ACTIVE_MS, IDLE_MS, MAX_EXPORTS, RETRY_MS, SyncReport};

const CURRENT: u8 = 0;
const COMPLETED: u8 = 2;
const PAUSED: u8 = 4;

/// Returns the counts of a run at a tracker: imported, exported, conflicts.
fn counts_at(report: &SyncReport, tracker: TrackerName) -> [u64; 3] {
    let report = &report.trackers[tracker];
    [report.imported, report.exported, report.conflicts]
}

/// Returns the time at which a user is due, in milliseconds since the Unix epoch, and whether the user is
/// in the index of due users.
async fn due_state(linked: &Linked, person: &Person) -> (u64, bool) {
    let row = user_row(linked, person).await;
    let due = row["sync_due_at"].as_n().unwrap().parse().unwrap();
    (due, row.contains_key("sync_shard"))
}

async fn user_row(linked: &Linked, person: &Person) -> tests::rows::Row {
    let row = linked.service.row("User", json!({"id": person.id})).await;
    row.unwrap()
}

/// Returns the first anime's status and progress on each side.
async fn sides(
    linked: &Linked,
    person: &Person,
) -> [Option<(shared::models::WatchStatus, u32)>; 3] {
    [
        linked.story(person, 0).await,
        linked.entry(A, 0),
        linked.entry(B, 0),
    ]
}

/// Without a snapshot, a run reads the anime from their table.
#[tokio::test]
async fn run_needs_no_snapshot() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    for mut row in linked.service.rows("CatalogSnapshot").await {
        row.retain(|name, _| name == "kind" || name == "part");
        let key: Value = serde_dynamo::from_item(row).unwrap();
        linked.service.delete_row("CatalogSnapshot", key).await;
    }
    linked.edit(A, 0, Current, 3);
    assert_eq!(linked.run().await.failed_users, 0);
    assert_eq!(linked.story(&person, 0).await, Some((Current, 3)));
}

#[tokio::test]
async fn each_side_gets_the_entries_of_the_others() {
    let linked = Linked::with_anime(3).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 3).await;
    linked.edit(A, 1, Paused, 5);
    linked.edit(B, 2, Completed, 12);
    assert_eq!(linked.synced_counts(&person).await, [0, 1]);
    let report = linked.run().await;
    assert_eq!((report.due, report.users, report.failed_users), (1, 1, 0));
    assert_eq!(counts_at(&report, A), [1, 2, 0]);
    assert_eq!(counts_at(&report, B), [1, 2, 0]);
    for (number, expected) in [(0, (Current, 3)), (1, (Paused, 5)), (2, (Completed, 12))] {
        assert_eq!(linked.story(&person, number).await, Some(expected));
        assert_eq!(linked.entry(A, number), Some(expected));
        assert_eq!(linked.entry(B, number), Some(expected));
    }
    assert_eq!(linked.synced_counts(&person).await, [3, 0]);
    // The sync does not mistake its own writes for changes.
    let calls = linked.fakes.each_ref().map(Fake::count);
    let report = linked.run_later().await;
    assert_eq!([counts_at(&report, A), counts_at(&report, B)], [[0; 3]; 2]);
    let lists = linked.fakes.each_ref().map(Fake::count);
    assert_eq!(
        lists,
        calls.map(|count| count + 1),
        "one list request each, and no write"
    );
    linked.service.assert_declared_attributes().await;
}

#[tokio::test]
async fn change_on_any_side_reaches_the_others() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 1).await;
    linked.run().await;
    linked.service.clock.advance(Duration::from_hours(1));
    linked.edit(A, 0, Current, 4);
    linked.run_later().await;
    assert_eq!(sides(&linked, &person).await, [Some((Current, 4)); 3]);
    linked.edit(B, 0, Paused, 4);
    linked.run_later().await;
    assert_eq!(sides(&linked, &person).await, [Some((Paused, 4)); 3]);
    // A correction to a lower progress is also synced.
    linked.watch(&person, 0, CURRENT, 2).await;
    linked.run_later().await;
    assert_eq!(sides(&linked, &person).await, [Some((Current, 2)); 3]);
}

/// After changes on both sides, the newer status and the higher progress win. While rewatching, the newer
/// progress wins.
#[tokio::test]
async fn newer_status_and_higher_progress_win_a_conflict() {
    for (here_first, watched, expected) in [
        (true, (Paused, 2), (Paused, 9)),
        (false, (Paused, 2), (Current, 9)),
        (true, (Repeating, 2), (Repeating, 2)),
        (false, (Repeating, 2), (Current, 9)),
        (true, (Current, 11), (Current, 11)),
        (false, (Completed, 12), (Current, 12)),
    ] {
        let linked = Linked::with_anime(1).await;
        let person = linked.person("taki", &[A]).await;
        linked.watch(&person, 0, CURRENT, 5).await;
        linked.run().await;
        let later = || linked.service.clock.advance(Duration::from_mins(1));
        if here_first {
            linked.watch(&person, 0, CURRENT, 9).await;
            later();
            linked.edit(A, 0, watched.0, watched.1);
        } else {
            linked.edit(A, 0, watched.0, watched.1);
            later();
            linked.watch(&person, 0, CURRENT, 9).await;
        }
        let report = linked.run_later().await;
        assert_eq!(counts_at(&report, A)[2], 1, "{here_first} {watched:?}");
        let both = [linked.story(&person, 0).await, linked.entry(A, 0)];
        assert_eq!(both, [Some(expected); 2], "{here_first} {watched:?}");
        let report = linked.run_later().await;
        assert_eq!(counts_at(&report, A), [0; 3], "{here_first} {watched:?}");
    }
}

/// The tracker and the catalogue have different episode counts.
#[tokio::test]
async fn different_episode_counts_are_not_synced_again_and_again() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &[A]).await;
    linked.edit(A, 0, Current, 20);
    linked.edit(A, 1, Current, 3);
    {
        let mut state = linked.fakes[0].state();
        state.rows.get_mut(&101).unwrap().episodes = Some(24);
        state.rows.get_mut(&102).unwrap().episodes = Some(10);
    }
    linked.run().await;
    // Progress beyond the catalogue's episode count is kept.
    assert_eq!(linked.story(&person, 0).await, Some((Current, 20)));
    let state = linked.story_state(&person, 0).await.unwrap();
    assert_eq!(state.current_episode, 12);
    linked.watch(&person, 1, CURRENT, 11).await;
    linked.watch(&person, 0, PAUSED, 12).await;
    linked.run_later().await;
    assert_eq!(linked.entry(A, 1), Some((Current, 10)));
    assert_eq!(linked.entry(A, 0), Some((Paused, 20)));
    let writes = linked.fakes[0].count();
    linked.run_later().await;
    assert_eq!(linked.fakes[0].count(), writes + 1);
    assert_eq!(linked.synced_counts(&person).await, [2, 0]);
    // The tracker gets more episodes.
    linked.fakes[0].state().rows.get_mut(&102).unwrap().episodes = Some(12);
    linked.run_later().await;
    assert_eq!(linked.entry(A, 1), Some((Current, 11)));
    // The catalogue also gets more episodes.
    linked.set_episodes(0, 24).await;
    let state = linked.story_state(&person, 0).await.unwrap();
    assert_eq!((state.current_episode, state.watched_episodes), (20, None));
    assert_eq!(linked.synced_counts(&person).await, [1, 1]);
    let writes = linked.fakes[0].count();
    linked.run_later().await;
    // The tracker already has this progress, so nothing is written to it.
    assert_eq!(linked.fakes[0].count(), writes + 1);
    assert_eq!(linked.synced_counts(&person).await, [2, 0]);
    assert_eq!(linked.story(&person, 0).await, Some((Paused, 20)));
}

/// Progress beyond the catalogue's number of episodes is sent from one tracker to the other.
#[tokio::test]
async fn progress_beyond_the_catalogue_reaches_the_other_tracker() {
    let linked = Linked::with_anime(2).await;
    linked.set_episodes(0, 0).await;
    linked.set_episodes(1, 0).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.edit(A, 0, Current, 5);
    linked.edit(B, 1, Completed, 12);
    linked.run().await;
    for (number, expected) in [(0, (Current, 5)), (1, (Completed, 12))] {
        let both = [linked.entry(A, number), linked.entry(B, number)];
        assert_eq!(both, [Some(expected); 2]);
        assert_eq!(linked.story(&person, number).await, Some(expected));
        let state = linked.story_state(&person, number).await.unwrap();
        assert_eq!(state.current_episode, 0);
    }
    linked.run_later().await;
    assert_eq!(linked.synced_counts(&person).await, [2, 0]);
    // The user lowers the progress at one tracker, and then sets the status to planned at the other one.
    linked.edit(A, 0, Current, 2);
    linked.watch(&person, 1, 1, 0).await;
    linked.run_later().await;
    assert_eq!(linked.story(&person, 0).await, Some((Current, 2)));
    assert_eq!(linked.entry(B, 0), Some((Current, 2)));
    assert_eq!(linked.story(&person, 1).await, Some((Planning, 0)));
    assert_eq!(linked.entry(A, 1), Some((Planning, 0)));
}

/// Version 0.1.0 limited stories to the catalogue. Its sync state has the tracker's progress.
#[tokio::test]
async fn story_of_an_earlier_version_catches_up() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    linked.edit(A, 0, Current, 20);
    linked.change_entry(A, 0, |row| row.episodes = Some(24));
    linked.run().await;
    let story = linked.rows(&person).await.remove(&linked.anime[0].id);
    let mut numbers: Vec<u64> = story.unwrap().tracker_a.unwrap().into();
    assert_eq!((numbers[4], numbers[6]), (20, 20));
    numbers[4] = 12;
    let key = json!({"user_id": person.id, "anime_id": linked.anime[0].id});
    let state = row(json!({"tracker_a": numbers, "watched_episodes": null}));
    linked.service.change_row("UserStory", key, state).await;
    assert_eq!(linked.story(&person, 0).await, Some((Current, 12)));
    linked.run_later().await;
    assert_eq!(linked.story(&person, 0).await, Some((Current, 20)));
    assert_eq!(linked.entry(A, 0), Some((Current, 20)));
}

#[tokio::test]
async fn sync_never_deletes_entries() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &[A]).await;
    linked.watch(&person, 0, CURRENT, 3).await;
    linked.watch(&person, 1, CURRENT, 4).await;
    linked.run().await;
    // A story that was deleted in this service is imported again.
    let path = format!("/v1/user_story/{}", person.story(&linked.anime[0]));
    let deleted = linked.service.delete_as(&person.token, &path);
    assert_eq!(deleted.await.status, 200);
    let report = linked.run_later().await;
    assert_eq!(counts_at(&report, A), [1, 0, 0]);
    assert_eq!(linked.story(&person, 0).await, Some((Current, 3)));
    // An entry that is missing from one read may have moved between pages during the read.
    let row = linked.fakes[0].state().rows.remove(&102).unwrap();
    let report = linked.run_later().await;
    assert_eq!(counts_at(&report, A), [0, 0, 0]);
    assert_eq!(linked.story(&person, 1).await, Some((Current, 4)));
    let later = Row { progress: 9, ..row };
    linked.fakes[0].state().rows.insert(102, later);
    linked.run_later().await;
    assert_eq!(linked.story(&person, 1).await, Some((Current, 9)));
    // An entry that is missing from two reads in a row was deleted, and is exported again.
    linked.fakes[0].state().rows.remove(&102);
    linked.run_later().await;
    assert_eq!(linked.entry(A, 1), None);
    let report = linked.run_later().await;
    assert_eq!(counts_at(&report, A), [0, 1, 0]);
    assert_eq!(linked.entry(A, 1), Some((Current, 9)));
}

#[tokio::test]
async fn unknown_anime_are_reported_and_imported_later() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    linked.edit(A, 0, Current, 2);
    let row = linked.fakes[0].state().rows[&101].clone();
    linked.fakes[0].state().rows.insert(777, row);
    let report = linked.run().await;
    assert_eq!(report.trackers.a.unknown, 1);
    let link = linked.links(&person).await.remove(0).report.unwrap();
    assert_eq!((link.unknown, link.unknown_ids), (1, vec![777]));
    let mut anime = linked.anime[0].clone();
    anime.id = shared::models::AnimeId::new(1554).unwrap();
    anime.tracker_a_id = Some(777);
    linked.service.put(&[anime]).await;
    linked.service.publish().await;
    let report = linked.run_later().await;
    assert_eq!(
        (counts_at(&report, A), report.trackers.a.unknown),
        ([1, 0, 0], 0)
    );
}

/// Tracker B has no private entries. A private entry of tracker A is not exported to it.
#[tokio::test]
async fn private_entry_is_not_exported_to_the_other_tracker() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.edit(A, 0, Current, 2);
    linked.fakes[0].state().rows.get_mut(&101).unwrap().private = true;
    linked.run().await;
    linked.watch(&person, 0, CURRENT, 3).await;
    linked.run_later().await;
    assert_eq!(
        sides(&linked, &person).await,
        [Some((Current, 3)), Some((Current, 3)), None]
    );
    assert!(linked.fakes[0].state().rows[&101].private);
    assert_eq!(linked.synced_counts(&person).await, [1, 0]);
    linked.fakes[0].state().rows.get_mut(&101).unwrap().private = false;
    linked.run_later().await;
    assert_eq!(linked.entry(B, 0), Some((Current, 3)));
}

/// A private entry is exported as private again after it was deleted at the tracker or another account
/// was linked.
#[tokio::test]
async fn private_entry_stays_private_when_exported_again() {
    for relinks in [false, true] {
        let linked = Linked::with_anime(1).await;
        let person = linked.person("taki", &TrackerName::ALL).await;
        linked.edit(A, 0, Current, 2);
        linked.fakes[0].state().rows.get_mut(&101).unwrap().private = true;
        linked.run().await;
        if relinks {
            linked.fakes[0].state().others.insert(8, BTreeMap::new());
            let tokens = linked.fakes[0].tokens_of(8);
            linked.link(&person, A, 8, &tokens).await;
        } else {
            linked.fakes[0].state().rows.clear();
        }
        for _ in 0..4 {
            linked.run_later().await;
        }
        let state = linked.fakes[0].state();
        let rows = if relinks {
            &state.others[&8]
        } else {
            &state.rows
        };
        assert!(rows[&101].private, "{relinks}");
        assert_eq!(rows[&101].progress, 2, "{relinks}");
        assert!(linked.fakes[1].state().rows.is_empty(), "{relinks}");
    }
}

/// Tracker B gets no entry while tracker A cannot report which entries are private. A private entry is
/// not exported after A is unlinked either.
#[tokio::test]
async fn entries_are_not_exported_while_privacy_is_unknown() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 2).await;
    linked.watch(&person, 1, CURRENT, 2).await;
    linked.edit(A, 0, Current, 2);
    linked.fakes[0].state().rows.get_mut(&101).unwrap().private = true;
    linked.fakes[0].fail(Fault::answer(500, ""));
    linked.run().await;
    assert!(linked.fakes[1].state().rows.is_empty());
    assert_eq!(linked.synced_counts(&person).await, [0, 2]);
    linked.run_later().await;
    let is_exported = |number| linked.entry(B, number).is_some();
    assert_eq!([is_exported(0), is_exported(1)], [false, true]);
    linked.unlink(&person, A).await;
    linked.watch(&person, 0, CURRENT, 3).await;
    linked.run_later().await;
    assert!(!is_exported(0));
    assert_eq!(linked.synced_counts(&person).await, [2, 0]);
}

/// A failed export of one entry delays neither the other entries nor the next read of the list.
#[tokio::test]
async fn failed_export_does_not_stop_the_others() {
    let linked = Linked::with_anime(3).await;
    let person = linked.person("taki", &[A]).await;
    for number in 0..3 {
        linked.watch(&person, number, CURRENT, 2).await;
        linked.service.clock.advance(Duration::from_secs(1));
    }
    linked.fakes[0].fail_after(1, Fault::answer(500, ""));
    let report = linked.run().await;
    let report = report.trackers.a;
    assert_eq!((report.exported, report.left, report.failed), (2, 1, 0));
    let link = linked.links(&person).await.remove(0);
    assert_eq!((link.failures, link.not_before), (0, 0));
    let (due_at, _) = due_state(&linked, &person).await;
    assert!(due_at > linked.service.clock.now_ms());
    linked.run_later().await;
    assert_eq!(linked.synced_counts(&person).await, [3, 0]);
}

/// The remembered state of one account is not used to merge the entries of another.
#[tokio::test]
async fn newly_linked_account_is_merged_from_scratch() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    linked.watch(&person, 0, CURRENT, 9).await;
    linked.run().await;
    linked.fakes[0].state().others.insert(8, BTreeMap::new());
    let tokens = linked.fakes[0].tokens_of(8);
    linked.link(&person, A, 8, &tokens).await;
    assert_eq!(linked.synced_counts(&person).await, [0, 1]);
    linked.fakes[0].fail_after(1, Fault::answer(404, "{}"));
    let report = linked.run().await;
    assert_eq!(report.trackers.a.refused, 1);
    linked.edit(A, 0, Planning, 0);
    let row = linked.fakes[0].state().rows[&101].clone();
    linked.fakes[0]
        .state()
        .others
        .get_mut(&8)
        .unwrap()
        .insert(101, row);
    linked.run_later().await;
    assert_eq!(linked.story(&person, 0).await, Some((Planning, 9)));
}

/// A request that is cut off by the end of the run is not a failure of the tracker.
#[tokio::test]
async fn run_deadline_is_not_a_tracker_failure() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    linked.fakes[0].fail(Fault::Stall);
    let until = linked.service.clock.now_ms() + 20;
    let report = tracker_sync::run(&linked.services(), until).await.unwrap();
    assert_eq!((report.users, report.trackers.a.failed), (1, 0));
    assert_eq!(linked.links(&person).await[0].failures, 0);
}

/// The call that follows a refresh of the tokens can also be cut off by the end of the run.
#[tokio::test]
async fn run_deadline_after_a_token_refresh_is_not_a_tracker_failure() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[B]).await;
    linked.fakes[1].state().grants += 1;
    let clock = linked.service.clock.clone();
    let late = Fault::edit(move |_| clock.advance(Duration::from_millis(59_980)));
    linked.fakes[1].fail_each_after(1, [late, Fault::Stall]);
    let until = linked.service.clock.now_ms() + 60_000;
    let report = tracker_sync::run(&linked.services(), until).await.unwrap();
    assert_eq!(linked.fakes[1].state().rotations, 1);
    assert_eq!(linked.fakes[1].count(), 3);
    assert_eq!((report.users, report.trackers.b.failed), (1, 0));
    assert_eq!(linked.links(&person).await[0].failures, 0);
}

/// An entry that is missing at one tracker delays nothing at the other.
#[tokio::test]
async fn absent_entry_concerns_only_its_tracker() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 3).await;
    linked.run().await;
    linked.fakes[0].state().rows.clear();
    linked.run_later().await;
    let links = linked.links(&person).await;
    let succeeded = |link: &accounts::linked_accounts::Link| {
        let report = link.report.as_ref().unwrap();
        report.succeeded_at == report.at
    };
    assert!(!succeeded(&links[0]), "the entry must be read again");
    assert!(succeeded(&links[1]));
}

/// A renewal that is cut off could lose the new refresh token, so it does not start without enough time.
#[tokio::test]
async fn tokens_are_not_renewed_shortly_before_the_deadline() {
    let linked = Linked::with_anime(1).await;
    let person = linked.service.person("taki").await;
    let mut tokens = linked.fakes[1].tokens();
    tokens.expires_at = Some(linked.service.clock.now_s());
    linked.link(&person, B, VIEWER.0, &tokens).await;
    let until = linked.service.clock.now_ms() + 30_000;
    let report = tracker_sync::run(&linked.services(), until).await.unwrap();
    assert_eq!((report.users, report.trackers.b.failed), (1, 0));
    assert_eq!(linked.fakes[1].count(), 0);
    // A 422 for the list says nothing about the tokens or the entries.
    linked.watch(&person, 0, CURRENT, 2).await;
    linked.fakes[1].fail(Fault::answer(422, "{}"));
    let report = linked.run().await;
    assert_eq!(
        (report.trackers.b.refused, report.trackers.b.failed),
        (0, 1)
    );
    linked.run_later().await;
    assert_eq!(linked.entry(B, 0), Some((Current, 2)));
}

#[tokio::test]
async fn completed_anime_are_exported_with_all_episodes() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, COMPLETED, 0).await;
    linked.run().await;
    assert_eq!(sides(&linked, &person).await, [Some((Completed, 12)); 3]);
    linked.edit(A, 0, Planning, 0);
    linked.run_later().await;
    assert_eq!(sides(&linked, &person).await, [Some((Planning, 0)); 3]);
}

/// A failure of one tracker does not delay the other and is reported. A failed read is not an empty list.
#[tokio::test]
async fn failure_of_one_tracker_does_not_affect_the_other() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 1).await;
    linked.run().await;
    linked.edit(B, 0, Current, 6);
    linked.service.clock.advance(Duration::from_hours(7));
    for failures in 1..=3 {
        linked.fakes[0].fail(Fault::answer(500, ""));
        let before = linked.service.clock.now_ms();
        let report = linked.run().await;
        assert_eq!(report.trackers.a.failed, 1);
        let links = linked.links(&person).await;
        let (a, b) = (&links[0], &links[1]);
        assert_eq!(a.failures, failures);
        let waits = a.not_before - before;
        let least = RETRY_MS * (1 << (failures - 1));
        assert!(waits >= least - least / 10, "{failures}: {waits}");
        assert!(waits <= least + least / 5, "{failures}: {waits}");
        let report = a.report.as_ref().unwrap();
        let trouble = "The last request to AniList failed: status 500.";
        assert_eq!(report.trouble.as_deref(), Some(trouble));
        assert!(report.succeeded_at > 0 && report.succeeded_at < report.at);
        assert_eq!(b.report.as_ref().unwrap().trouble, None);
        // Tracker A can be called again from this time on.
        linked.service.clock.advance(Duration::from_millis(waits));
    }
    assert_eq!(
        sides(&linked, &person).await,
        [Some((Current, 6)), Some((Current, 1)), Some((Current, 6))]
    );
    assert_eq!(linked.synced_counts(&person).await, [0, 1]);
    linked.run().await;
    assert_eq!(linked.entry(A, 0), Some((Current, 6)));
    assert_eq!(linked.links(&person).await[0].failures, 0);
}

/// While one tracker must not be called, the user's changes still reach the other.
#[tokio::test]
async fn retry_after_of_a_tracker_is_respected() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 1).await;
    linked.run().await;
    linked.service.clock.advance(Duration::from_hours(25));
    let wait = vec![("retry-after", "7200".to_owned())];
    linked.fakes[0].fail(Fault::Answer(429, wait, String::new()));
    let before = linked.service.clock.now_ms();
    linked.run().await;
    assert!(linked.links(&person).await[0].not_before >= before + 7_200_000);
    linked.watch(&person, 0, CURRENT, 2).await;
    let calls = linked.fakes[0].count();
    linked.run().await;
    assert_eq!(linked.fakes[0].count(), calls);
    assert_eq!(linked.entry(B, 0), Some((Current, 2)));
    let not_before = linked.links(&person).await[0].not_before;
    let (due_at, _) = due_state(&linked, &person).await;
    assert!(due_at <= not_before);
}

#[tokio::test]
async fn refused_token_requires_reconnecting() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 2).await;
    linked.fakes[0].state().grants += 1;
    let report = linked.run().await;
    assert_eq!(report.trackers.a.reconnect, 1);
    let me = async || {
        let answer = linked.service.get_as(&person.token, "/v1/auth/me").await;
        let data = answer.data();
        [data["has_tracker_a"].clone(), data["has_tracker_b"].clone()]
    };
    assert_eq!(me().await, [json!(false), json!(true)]);
    let links = linked.links(&person).await;
    assert_eq!(
        (links[0].needs_reconnect, links[1].needs_reconnect),
        (true, false)
    );
    // The tracker is not called again. The stories count as synced if they are synced with the other
    // tracker.
    let calls = linked.fakes[0].count();
    linked.run_later().await;
    assert_eq!(linked.fakes[0].count(), calls);
    assert_eq!(linked.entry(B, 0), Some((Current, 2)));
    assert_eq!(linked.synced_counts(&person).await, [1, 0]);
    let tokens = linked.fakes[0].tokens();
    linked.link(&person, A, VIEWER.0, &tokens).await;
    linked.run().await;
    assert_eq!(me().await, [json!(true), json!(true)]);
    assert_eq!(linked.entry(A, 0), Some((Current, 2)));
    // A user without a usable link is never due.
    for fake in &linked.fakes {
        fake.state().grants += 1;
        fake.state().rotations += 1;
    }
    linked.run_later().await;
    assert_eq!(me().await, [json!(false), json!(false)]);
    assert!(!due_state(&linked, &person).await.1);
}

/// Tokens of tracker B expire after one hour, and each refresh revokes the previous refresh token. The
/// new tokens are stored before they are used.
#[tokio::test]
async fn expiring_tokens_are_renewed() {
    let linked = Linked::with_anime(1).await;
    let person = linked.service.person("taki").await;
    let mut tokens = linked.fakes[1].tokens();
    tokens.expires_at = Some(linked.service.clock.now_s() + 30);
    linked.link(&person, B, VIEWER.0, &tokens).await;
    linked.edit(B, 0, Current, 2);
    let report = linked.run().await;
    assert_eq!(counts_at(&report, B), [1, 0, 0]);
    assert_eq!(linked.fakes[1].state().rotations, 1);
    // A token that is refused before its expiry is renewed once.
    linked.fakes[1].state().grants += 1;
    linked.edit(B, 0, Current, 3);
    let report = linked.run_later().await;
    assert_eq!(counts_at(&report, B), [1, 0, 0]);
    assert_eq!(linked.fakes[1].state().rotations, 2);
    // The response with the new tokens is lost. The stored refresh token is revoked, so the user has to
    // connect again.
    linked.service.clock.advance(Duration::from_hours(2));
    linked.fakes[1].fail(Fault::Truncate);
    linked.run_later().await;
    assert!(!linked.links(&person).await[0].needs_reconnect);
    linked.run_later().await;
    assert!(linked.links(&person).await[0].needs_reconnect);
}

#[tokio::test]
async fn permanently_refused_entry_is_exported_once() {
    let linked = Linked::with_anime(1).await;
    let mut anime = linked.anime[0].clone();
    anime.tracker_a_id = Some(NO_ANIME);
    linked.service.put(&[anime]).await;
    linked.service.publish().await;
    let person = linked.person("taki", &[A]).await;
    linked.watch(&person, 0, CURRENT, 2).await;
    let report = linked.run().await;
    assert_eq!(
        (report.trackers.a.refused, report.trackers.a.failed),
        (1, 0)
    );
    assert_eq!(linked.synced_counts(&person).await, [0, 1]);
    let calls = linked.fakes[0].count();
    let report = linked.run_later().await;
    assert_eq!(report.trackers.a.refused, 0);
    assert_eq!(linked.fakes[0].count(), calls + 1, "only the list request");
    linked.watch(&person, 0, CURRENT, 3).await;
    let report = linked.run_later().await;
    assert_eq!(report.trackers.a.refused, 1);
}

/// A user has more changes than one run exports.
#[tokio::test]
async fn latest_changes_are_exported_first_and_the_rest_in_the_next_run() {
    let count = MAX_EXPORTS + 3;
    let linked = Linked::with_anime(u32::try_from(count).unwrap()).await;
    let person = linked.person("taki", &[A]).await;
    for number in 0..count {
        linked.watch(&person, number, CURRENT, 1).await;
        linked.service.clock.advance(Duration::from_secs(1));
    }
    let report = linked.run().await;
    assert_eq!(
        (report.trackers.a.exported, report.trackers.a.left),
        (25, 3)
    );
    assert_eq!(linked.entry(A, 2), None);
    assert!(linked.entry(A, count - 1).is_some());
    let (due_at, _) = due_state(&linked, &person).await;
    assert!(due_at <= linked.service.clock.now_ms());
    let report = linked.run().await;
    assert_eq!((report.trackers.a.exported, report.trackers.a.left), (3, 0));
    assert_eq!(linked.synced_counts(&person).await, [count, 0]);
}

#[tokio::test]
async fn run_stops_before_its_deadline_and_leaves_the_rest() {
    let linked = Linked::with_anime(10).await;
    let person = linked.person("taki", &[A]).await;
    for number in 0..10 {
        linked.watch(&person, number, CURRENT, 1).await;
    }
    // The rate limit of tracker A allows one call every two seconds.
    let until = linked.service.clock.now_ms() + 10_000;
    let report = tracker_sync::run(&linked.services(), until).await.unwrap();
    assert!(linked.service.clock.now_ms() <= until);
    let exported = report.trackers.a.exported;
    assert!((2..10).contains(&exported), "{exported}");
    assert_eq!(report.trackers.a.failed, 0);
    let link = linked.links(&person).await.remove(0);
    assert_eq!(link.failures, 0);
    linked.service.clock.advance(Duration::from_mins(1));
    linked.run().await;
    assert_eq!(linked.synced_counts(&person).await, [10, 0]);
    // A run that starts after its deadline processes no user.
    let now = linked.service.clock.now_ms();
    linked.watch(&person, 0, CURRENT, 2).await;
    let report = tracker_sync::run(&linked.services(), now).await.unwrap();
    assert_eq!((report.due, report.users), (1, 0));
}

#[tokio::test]
async fn concurrent_runs_never_process_the_same_user() {
    let linked = Linked::with_anime(1).await;
    let mut people = Vec::new();
    for name in ["taki", "mitsuha", "yotsuha"] {
        people.push(linked.person(name, &[A]).await);
    }
    let services: Vec<_> = (0..4).map(|_| linked.services()).collect();
    let until = linked.service.clock.now_ms() + tests::linked::RUN_MS;
    let runs = services.iter().map(|own| tracker_sync::run(own, until));
    let reports = futures_util::future::join_all(runs).await;
    let users: u64 = reports
        .into_iter()
        .map(|report| report.unwrap().users)
        .sum();
    assert_eq!(users, 3);
    assert_eq!(linked.fakes[0].count(), 3, "each list was read once");
}

/// Active users are due sooner. A random part of the interval spreads users over time.
#[tokio::test]
async fn active_users_are_due_sooner() {
    let linked = Linked::with_anime(1).await;
    let active = linked.person("taki", &[A]).await;
    linked.watch(&active, 0, CURRENT, 2).await;
    let idle = linked.service.person("idle").await;
    let tokens = linked.fakes[0].tokens();
    linked.link(&idle, A, VIEWER.0, &tokens).await;
    linked.run().await;
    linked.run_later().await;
    // The user has been inactive for days.
    linked.service.clock.advance(Duration::from_hours(24 * 9));
    let before = linked.service.clock.now_ms();
    linked.run().await;
    let after = linked.service.clock.now_ms();
    let (idle_due, _) = due_state(&linked, &idle).await;
    let range = before + IDLE_MS - IDLE_MS / 10..=after + IDLE_MS + IDLE_MS / 10;
    assert!(range.contains(&idle_due), "{}", idle_due - before);
    let (active_due, _) = due_state(&linked, &active).await;
    assert_ne!(active_due, idle_due);
    // A change makes the user due at once.
    linked.watch(&active, 0, CURRENT, 3).await;
    let (due_at, _) = due_state(&linked, &active).await;
    assert!(due_at <= linked.service.clock.now_ms() + 60_000);
    let before = linked.service.clock.now_ms();
    linked.run().await;
    let after = linked.service.clock.now_ms();
    let (due_at, _) = due_state(&linked, &active).await;
    let range = before + ACTIVE_MS - ACTIVE_MS / 10..=after + ACTIVE_MS + ACTIVE_MS / 10;
    assert!(range.contains(&due_at), "{}", due_at - before);
}

/// A change that the user makes during a run is neither overwritten at the tracker nor forgotten: the
/// user stays due.
#[tokio::test]
async fn change_during_a_run_is_kept() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &[A]).await;
    linked.watch(&person, 0, CURRENT, 2).await;
    linked.edit(A, 1, Current, 4);
    // The fake holds back its response to the write until the user has changed the story.
    let (changed, wait) = tokio::sync::oneshot::channel();
    linked.fakes[0].fail_after(1, Fault::Hold(wait));
    let change = async {
        while linked.fakes[0].count() < 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(linked.watch(&person, 0, PAUSED, 3).await.status, 200);
        changed.send(()).unwrap();
    };
    let (report, ()) = tokio::join!(linked.run(), change);
    assert_eq!(counts_at(&report, A), [1, 1, 0]);
    assert_eq!(linked.story(&person, 0).await, Some((Paused, 3)));
    assert_eq!(linked.synced_counts(&person).await, [1, 1]);
    let (due_at, _) = due_state(&linked, &person).await;
    assert!(due_at <= linked.service.clock.now_ms());
    linked.run().await;
    assert_eq!(linked.entry(A, 0), Some((Paused, 3)));
    assert_eq!(linked.synced_counts(&person).await, [2, 0]);
}

/// A story that the user changes between the run's read and its write is not overwritten, and the other
/// stories are still written. Without the lease nothing is written.
#[tokio::test]
async fn story_changed_since_the_read_is_not_overwritten() {
    let linked = Linked::with_anime(3).await;
    let person = linked.person("taki", &[A]).await;
    for number in 0..2 {
        linked.watch(&person, number, CURRENT, 2).await;
    }
    let store = linked.sync_store();
    let now = linked.service.clock.now_ms();
    let leases = linked.lease_store();
    let lease = leases.take_lease(person.id, "a-run", now, now + 1).await;
    let lease = lease.unwrap().unwrap();
    let rows = linked.rows(&person).await;
    let mut writes: Vec<_> = rows
        .into_values()
        .map(|mut story| {
            let version_read = Some(story.version);
            story.state.current_episode = 9;
            story.version += 1;
            StoryWrite::Story(Box::new(SyncedStory {
                version_read,
                story,
            }))
        })
        .collect();
    linked.watch(&person, 0, PAUSED, 3).await;
    // The user creates a story that does not exist in the run's view.
    let mut made = linked.rows(&person).await.into_values().next().unwrap();
    made.anime_id = linked.anime[2].id;
    made.creation_order += 1;
    linked.watch(&person, 2, CURRENT, 5).await;
    writes.push(StoryWrite::Story(Box::new(SyncedStory {
        version_read: None,
        story: made,
    })));
    let changed = store.write_stories(&lease, &writes).await.unwrap().unwrap();
    assert_eq!(changed.len(), 2);
    let stories = [
        linked.story(&person, 0).await,
        linked.story(&person, 1).await,
        linked.story(&person, 2).await,
    ];
    let expected = [(Paused, 3), (Current, 9), (Current, 5)];
    assert_eq!(stories, expected.map(Some));
    let other = Lease {
        run: "another-run".to_owned(),
        ..lease
    };
    assert_eq!(store.write_stories(&other, &writes).await.unwrap(), None);
}

/// Nothing is written for a user who is being deleted.
#[tokio::test]
async fn user_deleted_during_a_run_leaves_no_rows() {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &[A]).await;
    linked.edit(A, 0, Current, 4);
    let (gone, wait) = tokio::sync::oneshot::channel();
    linked.fakes[0].fail(Fault::Hold(wait));
    let leave = async {
        while linked.fakes[0].count() < 1 {
            tokio::task::yield_now().await;
        }
        let path = format!("/v1/user/{}", person.id.get());
        let left = linked.service.delete_as(&person.token, &path);
        assert_eq!(left.await.status, 200);
        gone.send(()).unwrap();
    };
    tokio::join!(linked.run(), leave);
    assert!(linked.rows(&person).await.is_empty());
    assert!(linked.links(&person).await.is_empty());
    assert!(!user_row(&linked, &person).await.contains_key("sync_shard"));
}

#[tokio::test]
async fn report_has_metrics_for_the_run_and_each_tracker() {
    let linked = Linked::with_anime(1).await;
    linked.person("taki", &TrackerName::ALL).await;
    linked.edit(A, 0, Current, 4);
    let report = linked.run().await;
    let [run, a, b] = report.to_metrics(1_700_000_000_000);
    let declared = |line: &Value| {
        let declared = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(line["_aws"]["Timestamp"], 1_700_000_000_000_u64);
        assert_eq!(declared["Namespace"], "Kiroku");
        for metric in declared["Metrics"].as_array().unwrap() {
            assert!(line[metric["Name"].as_str().unwrap()].is_u64(), "{metric}");
        }
        for dimension in declared["Dimensions"][0].as_array().unwrap() {
            assert!(line[dimension.as_str().unwrap()].is_string(), "{dimension}");
        }
    };
    [&run, &a, &b].into_iter().for_each(declared);
    run.assert_fields(json!({"Users": 1, "Function": "tracker_sync"}));
    a.assert_fields(json!({"Imported": 1, "Tracker": "tracker_a"}));
    b.assert_fields(json!({"Exported": 1, "Tracker": "tracker_b"}));
    let answer = report.to_json();
    assert_eq!(
        (&answer["users"], &answer["tracker_a"]["imported"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn unconfigured_trackers_are_not_called() {
    let linked = Linked::with_anime(1).await;
    linked.person("taki", &TrackerName::ALL).await;
    let linked = linked.with_config(|tracker, config| {
        if tracker == A {
            config.client_id.clear();
        }
    });
    let report = linked.run().await;
    assert_eq!(
        (report.trackers.a.accounts, report.trackers.b.accounts),
        (0, 1)
    );
    let linked = linked.with_config(|_, config| config.client_id.clear());
    assert_eq!(linked.run_later().await, SyncReport::default());
    assert_eq!(linked.fakes[0].count(), 0);
}
