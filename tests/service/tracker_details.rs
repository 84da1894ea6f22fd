//! Synchronization of the details of stories: score, dates, repeats, notes and privacy.

use std::time::Duration;

use serde_json::{Value, json};
use shared::models::TrackerName::{self, A, B};
use shared::models::WatchStatus::{Completed, Current};
use shared::models::{Details, Notes, PartialDate, UserScore};
use tests::linked::Linked;
use tests::people::Person;
use tests::rows::row;
use tests::trackers::{Fake, Row};

const CURRENT: u8 = 0;

fn date(text: &str) -> Option<PartialDate> {
    PartialDate::parse(text).ok()
}

fn score(tenths: u16) -> Option<UserScore> {
    UserScore::from_tenths(tenths)
}

/// Returns the details of an entry.
fn details_of(tracker: TrackerName, row: &Row) -> Details {
    let tenths = if tracker == A { 10 } else { 100 };
    Details {
        score: score(u16::try_from(row.score).unwrap() * tenths),
        started_on: row.started_on,
        finished_on: row.finished_on,
        repeats: row.repeats.try_into().unwrap(),
        notes: Notes::new(&row.notes).unwrap(),
        private: row.private,
    }
}

/// Returns the details of an anime on each side: this service, tracker A, tracker B.
async fn sides(linked: &Linked, person: &Person, number: usize) -> [Details; 3] {
    let [a, b] =
        TrackerName::ALL.map(|tracker| details_of(tracker, &linked.row(tracker, number).unwrap()));
    [linked.details(person, number).await.unwrap(), a, b]
}

/// Checks that the details of the story for anime 0 and of its entries are equal.
async fn assert_sides(linked: &Linked, person: &Person, expected: &Details) {
    for side in sides(linked, person, 0).await {
        assert_eq!(side, *expected);
    }
}

/// Returns the number of requests that each tracker gets in a run 25 hours later.
async fn requests_of_a_run(linked: &Linked) -> [usize; 2] {
    let before = linked.fakes.each_ref().map(Fake::count);
    linked.run_later().await;
    let after = linked.fakes.each_ref().map(Fake::count);
    [after[0] - before[0], after[1] - before[1]]
}

/// Returns a service with a story that both trackers have, without details.
async fn synced() -> (Linked, Person) {
    let linked = Linked::with_anime(1).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.edit(A, 0, Current, 3);
    linked.edit(B, 0, Current, 3);
    linked.run().await;
    (linked, person)
}

/// Returns the stored sync state of a story, as a list of numbers.
async fn stored_state(linked: &Linked, person: &Person, tracker: TrackerName) -> Vec<u64> {
    let key = json!({"user_id": person.id, "anime_id": linked.anime[0].id});
    let row = linked.service.row("UserStory", key).await.unwrap();
    let state = row[tracker.key()].as_l().unwrap();
    let numbers = state.iter().map(|number| number.as_n().unwrap().parse());
    numbers.collect::<Result<_, _>>().unwrap()
}

/// Stores a sync state in a story.
async fn store_state(linked: &Linked, person: &Person, tracker: TrackerName, state: &[u64]) {
    let key = json!({"user_id": person.id, "anime_id": linked.anime[0].id});
    let state = row(json!({tracker.key(): state}));
    linked.service.change_row("UserStory", key, state).await;
}

/// Makes the sync states of a story those of an earlier version of the service, which did not know details.
async fn forget_details(linked: &Linked, person: &Person) {
    for tracker in TrackerName::ALL {
        let state = stored_state(linked, person, tracker).await;
        store_state(linked, person, tracker, &state[..8]).await;
    }
}

fn all_details() -> Value {
    json!({
        "score": 90, "started_on": "2016-08-26", "finished_on": "2016-09-01", "repeats": 2,
        "notes": "Rain & snow =\nsöt", "private": false,
    })
}

#[tokio::test]
async fn details_are_synced_from_each_side() {
    let (linked, person) = synced().await;
    linked.set_details(&person, 0, &all_details()).await;
    linked.run_later().await;
    let mut expected = Details {
        score: score(900),
        started_on: date("2016-08-26"),
        finished_on: date("2016-09-01"),
        repeats: 2,
        notes: Notes::new("Rain & snow =\nsöt").unwrap(),
        private: false,
    };
    assert_sides(&linked, &person, &expected).await;
    linked.change_entry(A, 0, |row| {
        (row.score, row.repeats, row.finished_on) = (70, 3, date("2017-01-02"));
    });
    linked.run_later().await;
    (expected.score, expected.repeats, expected.finished_on) = (score(700), 3, date("2017-01-02"));
    assert_sides(&linked, &person, &expected).await;
    linked.change_entry(B, 0, |row| {
        (row.score, row.started_on) = (4, None);
        row.notes.clear();
    });
    linked.run_later().await;
    (expected.score, expected.started_on) = (score(400), None);
    expected.notes = Notes::default();
    assert_sides(&linked, &person, &expected).await;
    let nothing = json!({"score": null, "finished_on": null, "repeats": 0, "notes": ""});
    linked.set_details(&person, 0, &nothing).await;
    linked.run_later().await;
    assert_sides(&linked, &person, &Details::default()).await;
    assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
    assert_eq!(linked.synced_counts(&person).await, [1, 0]);
}

/// A new entry gets the details of the story, and a new story those of the entry.
#[tokio::test]
async fn new_stories_and_entries_have_details() {
    let linked = Linked::with_anime(2).await;
    let person = linked.person("taki", &TrackerName::ALL).await;
    linked.watch(&person, 0, CURRENT, 3).await;
    linked.set_details(&person, 0, &all_details()).await;
    linked.edit(B, 1, Completed, 12);
    linked.change_entry(B, 1, |row| {
        (row.score, row.finished_on) = (9, date("2017-10"));
        row.notes = "a note".to_owned();
    });
    linked.run().await;
    for number in 0..2 {
        let [here, a, b] = sides(&linked, &person, number).await;
        assert_eq!((&a, &b), (&here, &here));
        assert_eq!(here.score, score(900));
    }
    assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
}

/// If the number of repeats has changed here and at a tracker, the later change does not count more.
#[tokio::test]
async fn greater_of_two_changed_numbers_of_repeats_is_kept() {
    let (linked, person) = synced().await;
    linked.set_details(&person, 0, &json!({"repeats": 5})).await;
    linked.service.clock.advance(Duration::from_hours(1));
    linked.change_entry(A, 0, |row| row.repeats = 3);
    linked.run_later().await;
    let found = sides(&linked, &person, 0).await.map(|side| side.repeats);
    assert_eq!(found, [5; 3]);
    linked.change_entry(A, 0, |row| row.repeats = 7);
    linked.service.clock.advance(Duration::from_hours(1));
    linked.set_details(&person, 0, &json!({"repeats": 6})).await;
    linked.run_later().await;
    let found = sides(&linked, &person, 0).await.map(|side| side.repeats);
    assert_eq!(found, [7; 3]);
}

#[tokio::test]
async fn note_here_and_episode_at_a_tracker_both_survive() {
    for tracker in TrackerName::ALL {
        let (linked, person) = synced().await;
        let note = json!({"notes": "a note"});
        linked.set_details(&person, 0, &note).await;
        linked.change_entry(tracker, 0, |row| {
            row.progress = 4;
            row.score = 10;
        });
        linked.run_later().await;
        let [here, a, b] = sides(&linked, &person, 0).await;
        assert_eq!((&a, &b), (&here, &here));
        assert_eq!(here.notes.as_str(), "a note");
        assert!(here.score.is_some());
        let episodes = [linked.entry(A, 0), linked.entry(B, 0)];
        assert_eq!(episodes, [Some((Current, 4)); 2]);
        assert_eq!(linked.story(&person, 0).await, Some((Current, 4)));
    }
}

/// Tracker B gets only complete dates. Incomplete dates can be read from it.
#[tokio::test]
async fn incomplete_dates_are_synced_with_the_tracker_that_has_them() {
    let (linked, person) = synced().await;
    linked
        .set_details(&person, 0, &json!({"started_on": "2016-08"}))
        .await;
    linked.change_entry(B, 0, |row| row.finished_on = date("2017"));
    linked.run_later().await;
    let [here, a, b] = sides(&linked, &person, 0).await;
    assert_eq!(a, here);
    assert_eq!(
        (here.started_on, here.finished_on),
        (date("2016-08"), date("2017"))
    );
    assert_eq!((b.started_on, b.finished_on), (None, date("2017")));
    assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
}

/// Values that have not changed are not sent, because the trackers may hold more than this service.
#[tokio::test]
async fn only_changed_values_are_sent() {
    let (linked, person) = synced().await;
    linked.set_details(&person, 0, &json!({"repeats": 1})).await;
    linked.run_later().await;
    let [a, b] = linked.fakes.each_ref().map(Fake::last);
    assert_eq!(a.json()["variables"], json!({"mediaId": 101, "repeat": 1}));
    assert_eq!(b.body, "num_times_rewatched=1");
    linked.watch(&person, 0, CURRENT, 4).await;
    linked.run_later().await;
    let [a, b] = linked.fakes.each_ref().map(Fake::last);
    let progress = json!({"mediaId": 101, "status": "CURRENT", "progress": 4});
    assert_eq!(a.json()["variables"], progress);
    let progress = "status=watching&is_rewatching=false&num_watched_episodes=4";
    assert_eq!(b.body, progress);
}

/// A change at the tracker between the run's read and its write is imported by the next run.
#[tokio::test]
async fn change_between_read_and_write_is_not_lost() {
    let (linked, person) = synced().await;
    linked
        .set_details(&person, 0, &json!({"notes": "a note"}))
        .await;
    let fake = linked.fakes[0].clone();
    let (released, wait) = tokio::sync::oneshot::channel();
    let before = fake.count();
    fake.fail_after(1, tests::trackers::Fault::Hold(wait));
    let change = async {
        while fake.count() < before + 2 {
            tokio::task::yield_now().await;
        }
        linked.change_entry(A, 0, |row| (row.progress, row.score) = (5, 80));
        released.send(()).unwrap();
    };
    tokio::join!(linked.run(), change);
    linked.run_later().await;
    let [here, a, b] = sides(&linked, &person, 0).await;
    assert_eq!((&a, &b), (&here, &here));
    assert_eq!((here.score, here.notes.as_str()), (score(800), "a note"));
    assert_eq!(linked.story(&person, 0).await, Some((Current, 5)));
}

#[tokio::test]
async fn coarser_scores_of_trackers_do_not_replace_ours() {
    for (format, at_a) in [
        ("POINT_100", 88),
        ("POINT_10_DECIMAL", 88),
        ("POINT_10", 90),
        ("POINT_5", 90),
        ("POINT_3", 85),
    ] {
        let (linked, person) = synced().await;
        linked.fakes[0].state().score_format = format;
        linked
            .set_details(&person, 0, &json!({"score": 87.5}))
            .await;
        linked.run_later().await;
        let scores = || [A, B].map(|tracker| linked.row(tracker, 0).unwrap().score);
        assert_eq!(scores(), [at_a, 9], "{format}");
        // Another change makes both trackers compare and write the entry again.
        let note = json!({"notes": "a note"});
        linked.set_details(&person, 0, &note).await;
        linked.change_entry(B, 0, |row| row.progress = 5);
        for _ in 0..2 {
            linked.run_later().await;
        }
        let here = linked.details(&person, 0).await.unwrap();
        assert_eq!((here.score, scores()), (score(875), [at_a, 9]), "{format}");
        assert_eq!(requests_of_a_run(&linked).await, [1, 1], "{format}");
        // A new score at a tracker counts.
        linked.change_entry(B, 0, |row| row.score = 8);
        linked.run_later().await;
        let here = linked.details(&person, 0).await.unwrap();
        assert_eq!(here.score, score(800), "{format}");
        assert_eq!(linked.synced_counts(&person).await, [1, 0], "{format}");
    }
}

/// Entries that an earlier version of the service has synced have details that the stories lack.
#[tokio::test]
async fn details_of_entries_that_are_in_sync_are_imported_and_nothing_is_sent() {
    let (linked, person) = synced().await;
    forget_details(&linked, &person).await;
    {
        // The entries do not change after the release, so neither does their time.
        let mut state = linked.fakes[0].state();
        let row = state.rows.get_mut(&101).unwrap();
        (row.score, row.repeats, row.finished_on) = (87, 1, date("2017"));
        row.notes = "from A".to_owned();
        let mut state = linked.fakes[1].state();
        let row = state.rows.get_mut(&201).unwrap();
        (row.score, row.started_on) = (3, date("2016-08"));
        row.notes = "from B".to_owned();
    }
    let before = [linked.row(A, 0), linked.row(B, 0)];
    let expected = Details {
        score: score(870),
        started_on: date("2016-08"),
        finished_on: date("2017"),
        repeats: 1,
        notes: Notes::new("from A").unwrap(),
        private: false,
    };
    for _ in 0..2 {
        assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
        assert_eq!(linked.details(&person, 0).await, Some(expected.clone()));
        assert_eq!([linked.row(A, 0), linked.row(B, 0)], before);
        assert_eq!(linked.synced_counts(&person).await, [1, 0]);
    }
    // From then on, changes are synced.
    linked.change_entry(A, 0, |row| row.score = 60);
    linked.run_later().await;
    assert_eq!(linked.row(B, 0).unwrap().score, 6);
    assert_eq!(linked.row(B, 0).unwrap().notes, "from B");
}

#[tokio::test]
async fn details_set_here_are_sent_to_entries_that_are_in_sync() {
    let (linked, person) = synced().await;
    forget_details(&linked, &person).await;
    linked.set_details(&person, 0, &json!({"score": 90})).await;
    linked.run_later().await;
    let scores = [A, B].map(|tracker| linked.row(tracker, 0).unwrap().score);
    assert_eq!(scores, [90, 9]);
}

#[tokio::test]
async fn entries_without_details_that_are_in_sync_stay_as_they_are() {
    let (linked, person) = synced().await;
    forget_details(&linked, &person).await;
    let story = linked.rows(&person).await;
    assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
    let [story, after] =
        [story, linked.rows(&person).await].map(|rows| rows[&linked.anime[0].id].clone());
    assert_eq!(
        (after.version, after.change_number, after.changed_at),
        (story.version, story.change_number, story.changed_at)
    );
    assert_eq!(stored_state(&linked, &person, A).await.len(), 9);
}

#[tokio::test]
async fn sync_state_in_an_unknown_form_is_merged_without_a_base() {
    let (linked, person) = synced().await;
    for tracker in TrackerName::ALL {
        let mut state = stored_state(&linked, &person, tracker).await;
        state.truncate(8);
        state.extend([1 << 40, 7]);
        store_state(&linked, &person, tracker, &state).await;
    }
    assert_eq!(linked.synced_counts(&person).await, [0, 1]);
    assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
    assert_eq!(linked.synced_counts(&person).await, [1, 0]);
}

#[tokio::test]
async fn privacy_is_synced_with_the_tracker_that_has_it() {
    let (linked, person) = synced().await;
    linked
        .set_details(&person, 0, &json!({"private": true}))
        .await;
    linked.run_later().await;
    assert!(linked.row(A, 0).unwrap().private);
    // A private story never goes to tracker B.
    let at_b = linked.row(B, 0);
    linked
        .set_details(&person, 0, &json!({"score": 90, "notes": "a secret"}))
        .await;
    linked.watch(&person, 0, CURRENT, 5).await;
    linked.run_later().await;
    assert_eq!(linked.row(B, 0), at_b);
    let row = linked.row(A, 0).unwrap();
    assert_eq!((row.progress, row.score, row.private), (5, 90, true));
    assert_eq!(row.notes, "a secret");
    // The user makes the story public in this service.
    linked
        .set_details(&person, 0, &json!({"private": false}))
        .await;
    linked.run_later().await;
    assert!(!linked.row(A, 0).unwrap().private);
    let row = linked.row(B, 0).unwrap();
    assert_eq!((row.progress, row.score), (5, 9));
    // The user makes the entry private at tracker A, and then public again.
    for private in [true, false] {
        linked.change_entry(A, 0, |row| row.private = private);
        linked.run_later().await;
        let here = linked.details(&person, 0).await.unwrap();
        assert_eq!(here.private, private);
    }
}

/// A story that was never private in this service does not make an entry public.
#[tokio::test]
async fn private_entry_does_not_become_public_by_a_change_here() {
    let (linked, person) = synced().await;
    linked.change_entry(A, 0, |row| row.private = true);
    linked
        .service
        .clock
        .advance(std::time::Duration::from_mins(1));
    linked
        .set_details(&person, 0, &json!({"private": false, "notes": "a note"}))
        .await;
    linked.run_later().await;
    let row = linked.row(A, 0).unwrap();
    assert_eq!((row.private, row.notes.as_str()), (true, "a note"));
    assert!(linked.details(&person, 0).await.unwrap().private);
    assert_eq!(linked.row(B, 0).unwrap().notes, "");
}

/// Notes that are too long for a story stay at the tracker, and other details are synced.
#[tokio::test]
async fn value_that_a_story_cannot_hold_stays_at_the_tracker() {
    let (linked, person) = synced().await;
    let notes = "a".repeat(2_001);
    linked.change_entry(A, 0, |row| {
        row.notes.clone_from(&notes);
        row.score = 70;
    });
    linked
        .set_details(&person, 0, &json!({"notes": "short"}))
        .await;
    linked.run_later().await;
    let here = linked.details(&person, 0).await.unwrap();
    assert_eq!((here.score, here.notes.as_str()), (score(700), "short"));
    assert_eq!(linked.row(A, 0).unwrap().notes, notes);
    assert_eq!(linked.row(B, 0).unwrap().notes, "short");
    assert_eq!(requests_of_a_run(&linked).await, [1, 1], "the lists");
}
