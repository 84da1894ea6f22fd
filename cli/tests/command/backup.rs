//! Backups of a running service, and restored services.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tests::assertions::AssertText;

use crate::{Server, answer, assert_fails, fail_on_full_disk, http, kiroku, path, run, serve};

/// The reason for refusing a restore.
const NOT_EMPTY: &str = "only be restored into an empty service";

/// A service in a data folder of its own.
struct Kept {
    folder: tempfile::TempDir,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        path(&self.folder, name)
    }

    /// Starts the service in this folder.
    fn serve(&self, name: &str) -> Server {
        let options = "--dynamodb-port 0 --public-url http://kiroku.example --data-dir";
        serve(&format!("{options} {}", self.path(name)))
    }

    /// Makes a backup of a running service.
    fn backup(&self, service: &Server, data: &str, option: &str) -> String {
        let (file, data) = (self.path(&format!("{data}.kiroku")), self.path(data));
        let endpoint = &service.dynamodb;
        let place = format!("--endpoint-url {endpoint} --keys-file {data}/keys.json");
        let summary = run(&format!("backup {file} {place} {option}")).succeeded();
        assert!(summary.starts_with("Wrote "), "{summary}");
        summary.assert_has(" rows to ");
        file
    }

    fn restore(&self, file: &str, data: &str) {
        run(&format!("restore {file} --data-dir {}", self.path(data))).succeeded();
    }
}

fn put_story(service: &Server, token: &str, user: &Value, anime: u64) -> Value {
    let body = json!({ "user_id": user, "anime_id": anime, "status": 1 });
    let request = http().put(format!("{}/v1/user_story", service.api));
    answer(request.bearer_auth(token).json(&body))["data"].take()
}

fn get_stories(service: &Server, token: &str) -> Value {
    let request = http().get(format!("{}/v1/user_story", service.api));
    answer(request.bearer_auth(token))["data"].take()
}

/// Returns the lines of a backup that hold rows, except for the snapshot of the catalogue, which a restored service
/// makes itself, and for the rows of sign-in limits.
fn rows(file: &str) -> Vec<String> {
    let text = unpack(file);
    let mut rows: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with(r#"{"table":"#))
        .filter(|line| !line.contains(r#""CatalogSnapshot""#))
        .map(str::to_owned)
        .collect();
    rows.sort();
    rows
}

fn unpack(file: &str) -> String {
    let mut text = String::new();
    let mut reader = zstd::Decoder::new(fs::File::open(file).unwrap()).unwrap();
    reader.read_to_string(&mut text).unwrap();
    text
}

fn pack(file: &str, text: &str) {
    let mut writer = zstd::Encoder::new(fs::File::create(file).unwrap(), 1).unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn restored_service_has_everything() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = service.register("mitsuha");
    let story = put_story(&service, &token, &user, 2);
    service.register("taki");
    let file = kept.backup(&service, "old", "");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only the owner can read the file");
    }
    service.stop();

    kept.restore(&file, "new");
    let service = kept.serve("new");
    assert_eq!(service.me(&token)["message"], "Hi mitsuha");
    assert_eq!(get_stories(&service, &token), json!([story]));
    let login = service.login("taki");
    assert!(login["data"]["access_token"].is_string(), "{login}");
    let found = service.get("/v1/anime?search=cowbow+bepop");
    assert_eq!(found["data"][0]["titles"]["en"], "Cowboy Bebop");
    // The next account gets a new identifier.
    let (_, next) = service.register("okudera");
    assert!(next.as_u64() > user.as_u64().map(|user| user + 1));
    service.stop();
}

/// A backup of a data folder without a running service, and one of the restored folder, have the same rows.
#[test]
fn every_row_is_restored() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = service.register("mitsuha");
    for anime in [1, 2, 3] {
        put_story(&service, &token, &user, anime);
    }
    let story = put_story(&service, &token, &user, 4);
    let path = format!("{}/v1/user_story/{}", service.api, story["id"]);
    answer(http().delete(path).bearer_auth(&token));
    service.stop();
    let backup = |data: &str| {
        let file = kept.path(&format!("{data}.kiroku"));
        run(&format!("backup {file} --data-dir {}", kept.path(data))).succeeded();
        file
    };
    let file = backup("old");
    kept.restore(&file, "new");
    let restored = backup("new");
    assert_eq!(rows(&file), rows(&restored));
    assert!(rows(&file).len() > 120, "the sample and the users");
    let keys = |data: &str| fs::read_to_string(format!("{}/keys.json", kept.path(data))).unwrap();
    assert_eq!(keys("old"), keys("new"));
}

/// The rows of a user are from one moment, although the user makes changes while the backup is written.
#[test]
fn rows_of_a_user_are_from_one_moment() {
    let kept = Kept::new();
    let service = kept.serve("data");
    let (token, user) = service.register("mitsuha");
    let story = put_story(&service, &token, &user, 2);
    for anime in 3..40 {
        put_story(&service, &token, &user, anime);
    }
    let is_done = AtomicBool::new(false);
    let files = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut story = story.clone();
            // A pause follows each series of changes, so that a backup can succeed.
            while !is_done.load(Ordering::Relaxed) {
                for episode in 0..20 {
                    story["current_episode"] = episode.into();
                    let request = http().post(format!("{}/v1/user_story", service.api));
                    answer(request.bearer_auth(&token).json(&story));
                }
            }
        });
        let files: Vec<_> = (0..3)
            .map(|_| rows(&kept.backup(&service, "data", "")))
            .collect();
        is_done.store(true, Ordering::Relaxed);
        files
    });
    for rows in files {
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| serde_json::from_str(row).unwrap())
            .collect();
        let number = |row: &Value, name: &str| -> u64 {
            let number = row["item"][name]["N"].as_str().unwrap_or("0");
            number.parse().unwrap()
        };
        let of_table = |table: &'static str| rows.iter().filter(move |row| row["table"] == table);
        let account = of_table("User").next().unwrap();
        let last = of_table("UserStory")
            .map(|row| number(row, "change_number"))
            .max();
        assert_eq!(Some(number(account, "last_change_number")), last);
    }
    service.stop();
}

#[test]
fn backup_without_secrets_has_none() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = service.register("mitsuha");
    let story = put_story(&service, &token, &user, 2);
    let complete = unpack(&kept.backup(&service, "old", ""));
    let file = kept.backup(&service, "old", "--without-secrets");
    service.stop();
    let text = unpack(&file);
    let (_, hash) = complete.split_once("$argon2id$").unwrap();
    text.assert_lacks(hash.split('"').next().unwrap());
    text.assert_lacks(r#""keys""#);
    kept.restore(&file, "new");
    let service = kept.serve("new");
    assert_eq!(service.login("mitsuha")["status_code"], 401);
    assert_eq!(service.me(&token)["status_code"], 401);
    service.stop();
    // The account and its list are there: the operator can export the list.
    let stories = rows(&file)
        .into_iter()
        .filter(|row| row.contains(r#""UserStory""#));
    assert_eq!(stories.count(), 1);
    assert!(story["id"].is_u64());
}

#[test]
fn damaged_backups_are_refused_and_write_nothing() {
    let kept = Kept::new();
    let service = kept.serve("old");
    service.register("mitsuha");
    let file = kept.backup(&service, "old", "");
    service.stop();
    let text = unpack(&file);
    let target = kept.path("new");
    let refuse = |content: &dyn Fn(&str), reason: &str| {
        let changed = kept.path("changed.kiroku");
        content(&changed);
        let error = run(&format!("restore {changed} --data-dir {target}")).failed();
        error.assert_has(reason);
        assert!(!Path::new(&target).exists(), "{reason}");
    };
    let lines: Vec<&str> = text.lines().collect();
    let without_end = lines[..lines.len() - 1].join("\n") + "\n";
    refuse(&|file| pack(file, &without_end), "the backup is cut off");
    let mut flipped = fs::read(&file).unwrap();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    // The changed bit can be in any part of the backup, so the reasons differ.
    refuse(&|file| fs::write(file, &flipped).unwrap(), "the backup ");
    let changed = text.replace("mitsuha@example.com", "mallory@example.com");
    refuse(&|file| pack(file, &changed), "its checksum differs");
    let longer = format!("{text}{}\n", lines[1]);
    refuse(
        &|file| pack(file, &longer),
        "it goes on after its last line",
    );
    let newer = text.replacen(r#""kiroku_backup":1"#, r#""kiroku_backup":2"#, 1);
    let reason = "a format that this version does not know: restore it with Kiroku 0.";
    refuse(&|file| pack(file, &newer), reason);
    let unknown = text.replacen(r#"{"table":"Anime""#, r#"{"table":"Manga""#, 1);
    let reason = "a table that this version does not know: Manga";
    refuse(&|file| pack(file, &unknown), reason);
    let reason = "it is not a backup of Kiroku";
    refuse(&|file| fs::write(file, "a list").unwrap(), reason);
    refuse(&|file| pack(file, "[]\n"), reason);
}

#[test]
fn restore_needs_an_empty_service() {
    let kept = Kept::new();
    let service = kept.serve("old");
    service.register("mitsuha");
    let file = kept.backup(&service, "old", "");
    let data = kept.path("old");
    let places = [
        format!("--data-dir {data}"),
        format!("--endpoint-url {}", service.dynamodb),
    ];
    for place in places {
        let error = run(&format!("restore {file} {place}")).failed();
        error.assert_has(NOT_EMPTY);
    }
    service.stop();
    let backup = format!("backup /nowhere/file --data-dir {data}");
    assert_fails(&backup, &["cannot write /nowhere/file"]);
    let backup = format!("backup {file} --data-dir {data} --keys-file /nowhere/keys.json");
    assert_fails(&backup, &["/nowhere/keys.json", "--without-secrets"]);
}

/// A restore that is killed can be repeated, and only with the same backup.
#[test]
fn killed_restore_can_be_repeated() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = service.register("mitsuha");
    let story = put_story(&service, &token, &user, 2);
    let file = kept.backup(&service, "old", "");
    fs::rename(&file, kept.path("first")).unwrap();
    put_story(&service, &token, &user, 3);
    let other = kept.backup(&service, "old", "");
    service.stop();
    let first = kept.path("first");
    let place = format!("--data-dir {}", kept.path("new"));
    // At one unit a second, the restore is still running when it is killed.
    let mut process = kiroku(&format!("restore {first} {place} --units-per-second 1"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    while lines.next().unwrap().unwrap() != "Writing the rows." {}
    process.kill().unwrap();
    process.wait().unwrap();
    let error = run(&format!("restore {other} {place}")).failed();
    error.assert_has(NOT_EMPTY);
    let half = kept.path("half");
    let serve = "serve --port 0 --dynamodb-port 0";
    for command in [serve, &format!("backup {half}")] {
        let interrupted = "a restore into this service was interrupted";
        assert_fails(&format!("{command} {place}"), &[interrupted]);
    }
    kept.restore(&first, "new");
    let service = kept.serve("new");
    assert_eq!(get_stories(&service, &token), json!([story]));
    service.stop();
}

/// A key file can have the only keys of another service, so a restore does not replace it.
#[test]
fn keys_of_another_service_are_kept() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let file = kept.backup(&service, "old", "");
    let (new_file, endpoint) = (kept.path("file"), &service.dynamodb);
    let backup = format!("backup {new_file} --endpoint-url {endpoint}");
    assert_fails(&backup, &["--keys-file is required with --endpoint-url"]);
    service.stop();
    kept.serve("other").stop();
    let (keys, data) = (kept.path("other/keys.json"), kept.path("new"));
    let before = fs::read(&keys).unwrap();
    let restore = format!("restore {file} --data-dir {data} --keys-file {keys}");
    let error = run(&restore).failed();
    error.assert_has("has other keys");
    assert_eq!(fs::read(&keys).unwrap(), before);
    kept.restore(&file, "new");
}

/// A full disk stops a backup and a restore with a clear message. Nothing that looks complete is left.
#[cfg(unix)]
#[test]
fn full_disk_stops_backup_and_restore() {
    let kept = Kept::new();
    let service = kept.serve("old");
    service.register("mitsuha");
    let file = kept.backup(&service, "old", "");
    service.stop();
    let [old, new, small] = ["old", "new", "small"].map(|name| kept.path(name));
    // The database's log also has to grow, so a limit just below the size of the backup is enough for the failure.
    let error = fail_on_full_disk(32, &format!("backup {small} --data-dir {old}"));
    error.assert_has(" is full: free some space");
    for name in ["small", "small.part"] {
        assert!(!Path::new(&kept.path(name)).exists(), "{name}");
    }
    let error = fail_on_full_disk(1024, &format!("restore {file} --data-dir {new}"));
    error.assert_has("cannot ");
    kept.restore(&file, "new");
    let service = kept.serve("new");
    assert!(service.login("mitsuha")["data"]["access_token"].is_string());
    service.stop();
}
