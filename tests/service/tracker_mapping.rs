//! Property-based tests of the tracker clients' mappings, for any list, any body and any time.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::models::{
    DetailsChange, MAX_REPEATS, Notes, PartialDate, UserScore, WatchProgress, WatchStatus, WireEnum,
};
use tests::service::START_MS;
use tokio::runtime::Builder;
use trackers::{
    CallKind, EntryLimits, EntryWrite, Limits, Pages, ScoreFormat, TrackerEntry, TrackerPace,
    TrackerTokens, UserList, Waiter, anilist, my_anime_list,
};

fn any_status() -> impl Strategy<Value = WatchStatus> {
    select(WatchStatus::ALL).prop_map(|(status, _)| status)
}

fn any_date() -> impl Strategy<Value = Option<PartialDate>> {
    let part = |most: u8| proptest::option::of(1..=most);
    let date = (1900..=9999_u16, part(12), part(31));
    date.prop_map(|(year, month, day)| PartialDate::new(year, month, day))
}

/// Details that both trackers can hold. The score is a number of tens.
fn any_details() -> impl Strategy<Value = DetailsChange> {
    let notes = "[^\\p{C}]{0,8}(\n=&?)?";
    let values = (
        0..=10_u16,
        any_date(),
        any_date(),
        0..=MAX_REPEATS,
        notes,
        any::<bool>(),
    );
    values.prop_map(
        |(tens, started_on, finished_on, repeats, notes, private)| DetailsChange {
            score: Some(UserScore::from_tenths(tens * 100)),
            started_on: Some(started_on),
            finished_on: Some(finished_on),
            repeats: Some(repeats),
            notes: Notes::new(&notes).ok(),
            private: Some(private),
        },
    )
}

fn any_entry() -> impl Strategy<Value = TrackerEntry> {
    let numbers = (
        1..60_u32,
        any::<u32>(),
        0..5_u64,
        proptest::option::of(1..100_u32),
    );
    (any_status(), any_details(), numbers).prop_map(|(status, details, numbers)| {
        let (media_id, progress, updated_at, episodes) = numbers;
        TrackerEntry {
            media_id,
            status,
            progress,
            details,
            updated_at,
            episodes,
        }
    })
}

/// Names and values that the trackers' APIs use.
const WORDS: [&str; 16] = [
    "data",
    "errors",
    "id",
    "mediaId",
    "status",
    "progress",
    "lists",
    "entries",
    "paging",
    "next",
    "node",
    "list_status",
    "CURRENT",
    "watching",
    "2017-10",
    "2017-10-23T01:02:03+09:00",
];

/// Generates JSON of any shape that often contains the words above.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![select(&WORDS).prop_map(str::to_owned), ".{0,8}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        let object = proptest::collection::hash_map(word.clone(), inner.clone(), 0..6);
        prop_oneof![
            vec(inner, 0..6).prop_map(Value::from),
            object.prop_map(|fields| fields.into_iter().collect::<Value>()),
        ]
    })
}

/// Returns the score in tenths.
fn score_of(entry: &TrackerEntry) -> u16 {
    entry.details.score.flatten().map_or(0, UserScore::tenths)
}

fn chunk_of_a(entries: &[TrackerEntry], more: bool) -> Value {
    let fuzzy = |date: Option<Option<PartialDate>>| {
        let date = date.flatten();
        json!({
            "year": date.map(PartialDate::year), "month": date.and_then(PartialDate::month),
            "day": date.and_then(PartialDate::day),
        })
    };
    let entry = |entry: &TrackerEntry| {
        let details = &entry.details;
        json!({
            "id": 1, "mediaId": entry.media_id, "status": anilist::status_name(entry.status),
            "progress": entry.progress, "score": score_of(entry) / 10, "repeat": details.repeats,
            "private": details.private, "notes": details.notes,
            "startedAt": fuzzy(details.started_on), "completedAt": fuzzy(details.finished_on),
            "updatedAt": entry.updated_at, "media": {"episodes": entry.episodes},
        })
    };
    let entries: Vec<_> = entries.iter().map(entry).collect();
    let user = json!({"mediaListOptions": {"scoreFormat": "POINT_10"}});
    let lists = json!([{"entries": entries}]);
    let collection = json!({"user": user, "hasNextChunk": more, "lists": lists});
    json!({"data": {"MediaListCollection": collection}})
}

fn page_of_b(entries: &[TrackerEntry], rewatched_as: WatchStatus) -> Value {
    let row = |entry: &TrackerEntry| {
        let details = &entry.details;
        let (status, is_rewatching) = my_anime_list::status_name(entry.status, rewatched_as);
        json!({
            "node": {"id": entry.media_id, "num_episodes": entry.episodes},
            "list_status": {
                "status": status, "is_rewatching": is_rewatching,
                "num_episodes_watched": entry.progress, "score": score_of(entry) / 100,
                "start_date": details.started_on, "finish_date": details.finished_on,
                "num_times_rewatched": details.repeats, "comments": details.notes,
                "updated_at": format!("1970-01-01T00:00:0{}+00:00", entry.updated_at),
            },
        })
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    json!({"data": rows, "paging": {}})
}

fn page_of_media() -> Value {
    json!({"data": {"Page": {
        "pageInfo": {"currentPage": 1, "hasNextPage": false, "perPage": 50},
        "media": [{
            "id": 1, "title": {"romaji": "A"}, "startDate": {"year": 2020, "month": 1, "day": 2},
            "relations": {"edges": [{"relationType": "SEQUEL", "node": {"id": 2, "type": "ANIME"}}]},
            "recommendations": {"nodes": [{"rating": 1, "mediaRecommendation": {"id": 3}}]},
        }],
    }}})
}

/// Parses a body with every parser.
fn read_all(body: &[u8]) {
    let _ = anilist::read_chunk(body);
    let _ = anilist::read_media_page(body, 1);
    let _ = my_anime_list::read_page(body);
    let _ = TrackerTokens::read(body, START_MS / 1_000, None);
}

/// Replaces the value at a path in the tree.
fn replace(tree: &mut Value, path: &[Index], other: Value) {
    let inner: Option<&mut Value> = match (path.split_first(), tree) {
        (Some((index, _)), Value::Array(values)) if !values.is_empty() => {
            let index = index.index(values.len());
            return replace(&mut values[index], &path[1..], other);
        }
        (Some((index, _)), Value::Object(fields)) if !fields.is_empty() => {
            let index = index.index(fields.len());
            fields.values_mut().nth(index)
        }
        (_, tree) => {
            *tree = other;
            return;
        }
    };
    if let Some(inner) = inner {
        replace(inner, &path[1..], other);
    }
}

#[test]
fn status_names_round_trip() {
    for (status, _) in WatchStatus::ALL {
        let name = anilist::status_name(*status);
        assert_eq!(anilist::status_of(name), Some(*status));
        let (name, is_rewatching) = my_anime_list::status_name(*status, WatchStatus::Completed);
        let back = my_anime_list::status_of(Some(name), is_rewatching);
        assert_eq!(back, Some(*status));
    }
    for unknown in ["", "current", "WATCHING", "completed ", "OTHER"] {
        assert_eq!(anilist::status_of(unknown), None);
        assert_eq!(my_anime_list::status_of(Some(unknown), false), None);
    }
}

/// AniList returns `null` as the status of some entries that are in custom lists only. Such an entry must not stop the
/// others.
#[test]
fn entry_without_a_status_is_left_out() {
    let entry = |media_id, status| json!({"mediaId": media_id, "status": status, "progress": 3});
    let chunk = |statuses: [Value; 3]| {
        let entries: Vec<Value> = (1..)
            .zip(statuses)
            .map(|(id, status)| entry(id, status))
            .collect();
        let lists = json!([{"entries": entries}]);
        let collection = json!({"user": null, "hasNextChunk": true, "lists": lists});
        json!({"data": {"MediaListCollection": collection}}).to_string()
    };
    let body = chunk([json!("CURRENT"), Value::Null, json!("PAUSED")]);
    let (list, more) = anilist::read_chunk(body.as_bytes()).unwrap();
    let ids: Vec<u32> = list.entries.iter().map(|entry| entry.media_id).collect();
    assert_eq!((ids, more), (vec![1, 3], true));
    let unknown = chunk([json!("CURRENT"), json!("OTHER"), json!("PAUSED")]);
    assert!(anilist::read_chunk(unknown.as_bytes()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn anilist_list_round_trips(entries in vec(any_entry(), 0..20), more in any::<bool>()) {
        let body = chunk_of_a(&entries, more).to_string();
        let limits = EntryLimits { scores: ScoreFormat::Ten, needs_complete_dates: false };
        prop_assert_eq!(anilist::read_chunk(body.as_bytes()), Ok((UserList { entries, limits }, more)));
    }

    #[test]
    fn my_anime_list_list_round_trips(
        mut entries in vec(any_entry(), 0..20),
        rewatched_as in select(&[WatchStatus::Completed, WatchStatus::Current]),
    ) {
        let body = page_of_b(&entries, rewatched_as).to_string();
        for entry in &mut entries {
            entry.details.private = None;
        }
        prop_assert_eq!(my_anime_list::read_page(body.as_bytes()), Ok((entries, None)));
    }

    #[test]
    fn rewatched_entry_is_repeating_for_any_status(name in proptest::option::of(".*")) {
        let status = my_anime_list::status_of(name.as_deref(), true);
        prop_assert_eq!(status, Some(WatchStatus::Repeating));
    }

    /// Pages can overlap when entries move. The newest entry of each anime is kept.
    #[test]
    fn merged_pages_have_every_entry_once(entries in vec(any_entry(), 1..60), per_page in 1..20_usize) {
        let mut newest = BTreeMap::<u32, TrackerEntry>::new();
        for entry in &entries {
            let known = newest.entry(entry.media_id).or_insert_with(|| entry.clone());
            if entry.updated_at > known.updated_at {
                known.clone_from(entry);
            }
        }
        let mut pages = Pages::default();
        let mut known = std::collections::BTreeSet::new();
        let last = entries.len().div_ceil(per_page) - 1;
        for (number, page) in entries.chunks(per_page).enumerate() {
            let before = known.len();
            known.extend(page.iter().map(|entry| entry.media_id));
            let added = pages.add(page.to_vec(), number < last);
            prop_assert_eq!(added.is_ok(), known.len() > before);
            if added.is_err() {
                return Ok(());
            }
        }
        let expected: Vec<_> = newest.into_values().collect();
        prop_assert_eq!(pages.into_entries(), expected);
    }

    #[test]
    fn repeated_page_is_detected(page in vec(any_entry(), 1..20), more in any::<bool>()) {
        let mut pages = Pages::default();
        prop_assert!(pages.add(page.clone(), true).is_ok());
        prop_assert!(pages.add(page, more).is_err());
    }

    #[test]
    fn any_json_is_parsed_without_a_panic(body in any_json()) {
        read_all(body.to_string().as_bytes());
    }

    #[test]
    fn any_bytes_are_parsed_without_a_panic(body in vec(any::<u8>(), 0..200)) {
        read_all(&body);
    }

    /// Replaces one value of a valid response by any other value.
    #[test]
    fn almost_valid_response_is_parsed_without_a_panic(
        entries in vec(any_entry(), 1..4), path in vec(any::<Index>(), 1..9), other in any_json(),
    ) {
        let bodies = [
            chunk_of_a(&entries, true),
            page_of_b(&entries, WatchStatus::Completed),
            page_of_media(),
            json!({"access_token": "a", "refresh_token": "b", "expires_in": 1, "token_type": "Bearer"}),
        ];
        for mut body in bodies {
            replace(&mut body, &path, other.clone());
            read_all(body.to_string().as_bytes());
        }
    }

    #[test]
    fn truncated_response_is_an_error(entries in vec(any_entry(), 0..4), end in any::<Index>()) {
        let (a, b) = (chunk_of_a(&entries, false), page_of_b(&entries, WatchStatus::Completed));
        let (a, b) = (a.to_string(), b.to_string());
        prop_assert!(anilist::read_chunk(&a.as_bytes()[..end.index(a.len())]).is_err());
        prop_assert!(my_anime_list::read_page(&b.as_bytes()[..end.index(b.len())]).is_err());
    }

    #[test]
    fn any_text_is_parsed_as_time_without_a_panic(text in ".{0,30}", digits in "[-0-9+:TZ.W]{0,26}") {
        let _ = my_anime_list::seconds_of(&text);
        let _ = my_anime_list::seconds_of(&digits);
    }

    #[test]
    fn incomplete_date_is_the_start_of_its_period(year in 1970..9999_u32, month in 1..=12_u32, day in 1..=28_u32) {
        let seconds = |text: String| my_anime_list::seconds_of(&text);
        let day = seconds(format!("{year}-{month:02}-{day:02}"));
        let month_begins = seconds(format!("{year}-{month:02}"));
        prop_assert_eq!(month_begins, seconds(format!("{year}-{month:02}-01T00:00:00Z")));
        prop_assert_eq!(seconds(format!("{year}")), seconds(format!("{year}-01-01")));
        prop_assert!(day.is_some() && day >= month_begins);
    }

    #[test]
    fn progress_sent_is_at_most_the_episode_count(
        status in any_status(),
        progress in any::<u32>(),
        all in 1..2_000_u32,
    ) {
        let sent = |episodes| {
            let watched = Some(WatchProgress { status, progress });
            let write = EntryWrite { media_id: 1, watched, episodes, details: DetailsChange::default() };
            write.watched_to_send().unwrap().progress
        };
        prop_assert_eq!(sent(None), progress);
        let sent = sent(Some(all));
        let expected = if status == WatchStatus::Completed { all } else { progress.min(all) };
        prop_assert_eq!(sent, expected);
    }

    /// No minute has more calls than the limit, for any sequence of calls.
    #[test]
    fn rate_limits_are_kept(
        calls in vec((select(&[CallKind::Read, CallKind::Write]), 0..5_000_u64), 1..120),
        calls_a_minute in 2..100_u32, between_ms in 0..5_000_u64,
    ) {
        let clock = Clock::manual(START_MS);
        let limits = Limits { calls_a_minute, between_writes: Duration::from_millis(between_ms) };
        let pace = TrackerPace::new(limits, clock.clone(), Waiter::Move(clock.clone()));
        let runtime = Builder::new_current_thread().build().unwrap();
        let mut times = Vec::new();
        for (kind, idle) in calls {
            clock.advance(Duration::from_millis(idle));
            runtime.block_on(pace.wait_for_turn("call", kind, u64::MAX)).unwrap();
            times.push((clock.now_ms(), kind));
        }
        for (position, (start, _)) in times.iter().enumerate() {
            let minute = times[position..].iter().filter(|(at, _)| *at < start + 60_000);
            prop_assert!(minute.count() <= calls_a_minute as usize);
        }
        let writes: Vec<_> = times.iter().filter(|(_, kind)| *kind == CallKind::Write).collect();
        prop_assert!(writes.windows(2).all(|pair| pair[1].0 - pair[0].0 >= between_ms));
    }
}
