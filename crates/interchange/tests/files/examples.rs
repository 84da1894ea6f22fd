//! Example files of other services, in the folder that the variable `KIROKU_BENCH_LISTS` names, with a file
//! `expected.jsonl` that says what must become of each row (docs/list-files.md). Without the variable, nothing is read.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use interchange::{ListEntry, ListFile, ReadOptions, WatchedRow, read};
use serde_json::Value;
use shared::models::{IdKind, PartialDate, WatchStatus, WireEnum, name_in};

#[test]
fn examples_of_other_services_are_read() {
    let Some(folder) = env::var_os("KIROKU_BENCH_LISTS") else {
        return;
    };
    let folder = Path::new(&folder);
    let expected = fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in expected.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).unwrap();
        let file = row["file"].as_str().unwrap().to_owned();
        files.entry(file).or_default().push(row);
    }
    let (mut table, mut faults, mut right, mut all) = (String::new(), Vec::new(), 0, 0);
    for (name, rows) in files {
        let bytes = fs::read(folder.join(&name)).unwrap();
        let file = read(&bytes, &ReadOptions::default());
        let describe = |row: &Value| {
            let fault = fault(row, file.as_ref().ok())?;
            Some(format!("{name} {}: {fault}", row["row"]))
        };
        let found: Vec<String> = rows.iter().filter_map(describe).collect();
        let kind = match &file {
            Ok(file) => file.format.title().to_owned(),
            Err(error) => error.to_string(),
        };
        let count = rows.len() - found.len();
        writeln!(table, "{count:>4} of {:>3}  {name}: {kind}", rows.len()).unwrap();
        right += count;
        all += rows.len();
        faults.extend(found);
    }
    println!("{table}{right} of {all} rows are right");
    assert!(faults.is_empty(), "{table}{}", faults.join("\n"));
}

#[test]
fn damaged_examples_are_refused_or_read() {
    let Some(folder) = env::var_os("KIROKU_BENCH_LISTS") else {
        return;
    };
    // The random numbers are the same in each run.
    let mut state = 1_u64;
    let mut random = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % limit.max(1)
    };
    for path in fs::read_dir(folder).unwrap() {
        let file = fs::read(path.unwrap().path()).unwrap();
        let file = &file[..file.len().min(20_000)];
        for _ in 0..100 {
            let mut changed = file.to_vec();
            for _ in 0..=random(4) {
                let at = random(changed.len());
                let end = at + random(changed.len() - at).min(20);
                match random(3) {
                    0 => changed.truncate(at),
                    1 => drop(changed.drain(at..end)),
                    _ => {
                        let byte = b"\"{}[],;:<>&/\n0-9\xff\0"[random(17)];
                        if let Some(old) = changed.get_mut(at) {
                            *old = byte;
                        }
                    }
                }
            }
            // The result does not matter, but the reader must not panic.
            let _ = read(&changed, &ReadOptions::default());
        }
    }
}

/// Returns what is wrong about a row.
fn fault(row: &Value, file: Option<&ListFile>) -> Option<String> {
    let expect = row["expect"].as_str().unwrap();
    let may = |name: &str| {
        let accepted = row["accept"].as_array();
        accepted.is_some_and(|accepted| accepted.iter().any(|other| *other == name))
    };
    let Some(file) = file else {
        // Nothing is imported from a file that is refused.
        let may_be_refused = matches!(expect, "refuse_file" | "leave_out") || may("leave_out");
        return (!may_be_refused).then(|| "the file was refused".to_owned());
    };
    match expect {
        "refuse_file" => Some("the file was read".to_owned()),
        "leave_out" => {
            // A title, and a series or movie that may not be an anime, is left to the importer.
            let of = titles(row);
            let entries = file
                .entries
                .iter()
                .filter(|entry| is_titled(entry.title.as_deref(), &of));
            let is_anime = |entry: &ListEntry| {
                entry.trackers.a.is_some()
                    || entry.trackers.b.is_some()
                    || entry.ids.iter().any(|id| id.kind == IdKind::Anime)
            };
            let mut wrong = entries.filter(|entry| is_anime(entry));
            wrong.next().map(|_| "was read as an anime".to_owned())
        }
        _ => {
            let fault = import_fault(row, file)?;
            (!may("leave_out")).then_some(fault)
        }
    }
}

fn titles(row: &Value) -> Vec<String> {
    let names = ["what", "title"].into_iter();
    let titles = names.filter_map(|name| row[name].as_str());
    titles.map(str::to_lowercase).collect()
}

fn is_titled(title: Option<&str>, of: &[String]) -> bool {
    let title = title.map(str::to_lowercase);
    title.is_some_and(|title| {
        of.iter()
            .any(|of| *of == title || of.starts_with(&format!("{title} season")))
    })
}

fn import_fault(row: &Value, file: &ListFile) -> Option<String> {
    let of = titles(row);
    let id = |name: &str| row[name].as_u64().and_then(|id| u32::try_from(id).ok());
    let (mal, anilist) = (id("mal_id"), id("anilist_id"));
    let has_id = |entry: &&ListEntry| {
        let (a, b) = (entry.trackers.a, entry.trackers.b);
        (b.is_some() && b == mal) || (a.is_some() && a == anilist)
    };
    let by_title = |entry: &&ListEntry| is_titled(entry.title.as_deref(), &of);
    let watched: Vec<&WatchedRow> = file
        .watched
        .iter()
        .filter(|watched| is_titled(watched.title.as_deref(), &of))
        .collect();
    let mut entries = file.entries.iter();
    let entry = entries.clone().find(has_id);
    let entry = entry.or_else(|| entries.find(by_title));
    let Some(entry) = entry.filter(|entry| !entry.is_details_only || watched.is_empty()) else {
        return watched_fault(row, entry, &watched);
    };
    let mut faults = Faults::of(row);
    let details = &entry.details;
    let status = name_in(WatchStatus::ALL, &entry.status).to_owned();
    let status = Some(status).filter(|_| !entry.is_details_only);
    let day = |date: Option<Option<PartialDate>>| date.flatten().map(|date| date.to_string());
    let notes = details.notes.as_ref();
    let notes = notes.map(|notes| notes.as_str().to_owned());
    let score = details.score.flatten();
    let score = score.map(|score| f64::from(score.tenths()) / 10.0);
    let rule = !row["progress_rule"].is_null();
    faults.check("status", &text(status));
    if !rule && watched.is_empty() {
        // If a planned anime has no progress in the file, the entry has no episode.
        let is_planned = entry.status == WatchStatus::Planning && row["progress"] == 0;
        let progress = entry.current_episode.or(is_planned.then_some(0));
        faults.check("progress", &number(progress.map(f64::from)));
    }
    faults.check("score", &number(score));
    faults.check("notes", &text(notes.filter(|notes| !notes.is_empty())));
    if watched.is_empty() {
        faults.check("started_on", &text(day(details.started_on)));
        faults.check("finished_on", &text(day(details.finished_on)));
        let repeats = details.repeats.map(f64::from);
        let repeats = repeats.filter(|repeats| *repeats > 0.0);
        faults.check("repeats", &number(repeats));
    }
    if row["private"].as_bool().unwrap_or(false) != details.private.unwrap_or(false) {
        let fault = format!("private is {:?}", details.private);
        faults.list.push(fault);
    }
    faults.finish()
}

/// Returns what is wrong about watched episodes. The catalogue decides to which anime they belong, so their status, and
/// their progress in a later season, are not checked.
fn watched_fault(
    row: &Value,
    entry: Option<&ListEntry>,
    watched: &[&WatchedRow],
) -> Option<String> {
    if watched.is_empty() {
        return Some("was not read".to_owned());
    }
    // A movie can have the title of a series.
    let has_episodes = watched.iter().any(|watched| !watched.is_movie);
    let mut watched = watched.to_vec();
    watched.retain(|watched| watched.is_movie != has_episodes);
    let mut faults = Faults::of(row);
    let times: Vec<u64> = watched.iter().filter_map(|watched| watched.at_ms).collect();
    let day = |time: Option<&u64>| time.map(|time| PartialDate::of_ms(*time).to_string());
    faults.check("started_on", &text(day(times.iter().min())));
    let is_first = |watched: &&WatchedRow| watched.season.unwrap_or(1) == 1;
    if !has_episodes {
        let repeats = u32::try_from(watched.len()).map(f64::from).unwrap() - 1.0;
        let repeats = Some(repeats).filter(|repeats| *repeats > 0.0);
        faults.check("repeats", &number(repeats));
    } else if watched.iter().all(is_first) {
        let last = watched.iter().filter_map(|watched| watched.episode).max();
        faults.check("progress", &number(last.map(f64::from)));
        if !row["finished_on"].is_null() {
            faults.check("finished_on", &text(day(times.iter().max())));
        }
    }
    let score = entry.and_then(|entry| entry.details.score.flatten());
    let score = score.map(|score| f64::from(score.tenths()) / 10.0);
    // The rating of a series with several anime belongs to none of them.
    if !row["score"].is_null() {
        faults.check("score", &number(score));
    }
    faults.finish()
}

fn text(text: Option<String>) -> Value {
    text.map_or(Value::Null, Value::String)
}

fn number(number: Option<f64>) -> Value {
    number.map_or(Value::Null, Value::from)
}

/// The errors of a row.
struct Faults<'r> {
    row: &'r Value,
    list: Vec<String>,
}

impl<'r> Faults<'r> {
    fn of(row: &'r Value) -> Self {
        let list = Vec::new();
        Self { row, list }
    }

    /// Compares a value with the expected ones.
    fn check(&mut self, name: &str, found: &Value) {
        let is_same = |expected: &Value| match (expected.as_f64(), found.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() < 0.05,
            // No repeats are the same as none that are stated.
            (Some(zero), None) => zero == 0.0 && name == "repeats",
            _ => expected == found,
        };
        let lists = [format!("{name}_may_be"), format!("accept_{name}")];
        let others = lists.iter().filter_map(|list| self.row[list].as_array());
        if !is_same(&self.row[name]) && !others.flatten().any(is_same) {
            let expected = &self.row[name];
            self.list.push(format!("{name} is {found}, not {expected}"));
        }
    }

    fn finish(self) -> Option<String> {
        (!self.list.is_empty()).then(|| self.list.join(", "))
    }
}
