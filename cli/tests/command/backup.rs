//! Backups of a running service, and restored services.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::{Server, answer, assert_fails, http, kiroku, run, serve};

const PASSWORD: &str = "kataware-doki 2016";

/// A service in a data folder of its own.
struct Kept {
    folder: tempfile::TempDir,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the service in this folder.
    fn serve(&self, name: &str) -> Server {
        let data = self.path(name);
        let options = [
            "--dynamodb-port",
            "0",
            "--public-url",
            "http://kiroku.example",
        ];
        serve(&[&options[..], &["--data-dir", data.to_str().unwrap()]].concat())
    }

    /// Makes a backup of a running service.
    fn backup(&self, service: &Server, data: &str, options: &[&str]) -> PathBuf {
        let file = self.path(&format!("{data}.kiroku"));
        let keys = self.path(data).join("keys.json");
        let output = kiroku(&["backup", file.to_str().unwrap()])
            .args(["--endpoint-url", &service.dynamodb])
            .args(["--keys-file", keys.to_str().unwrap()])
            .args(options)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        let summary = String::from_utf8(output.stdout).unwrap();
        assert!(
            summary.starts_with("Wrote ") && summary.contains(" rows to "),
            "{summary}"
        );
        file
    }

    fn restore(&self, file: &Path, data: &str) {
        let data = self.path(data);
        let arguments = [
            "restore",
            file.to_str().unwrap(),
            "--data-dir",
            data.to_str().unwrap(),
        ];
        let output = run(&arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    }
}

fn register(service: &Server, username: &str) -> (String, Value) {
    let body = json!({
        "username": username, "email": format!("{username}@example.com"), "password": PASSWORD
    });
    let data = service.post("/v1/auth/register", &body)["data"].take();
    (
        data["access_token"].as_str().unwrap().to_owned(),
        data["user"]["id"].clone(),
    )
}

fn put_story(service: &Server, token: &str, user: &Value, anime: u64) -> Value {
    let body = json!({ "user_id": user, "anime_id": anime, "status": 1 });
    let request = http().put(format!("{}/v1/user_story", service.api));
    answer(request.bearer_auth(token).json(&body))["data"].take()
}

fn get(service: &Server, path: &str, token: &str) -> Value {
    answer(
        http()
            .get(format!("{}{path}", service.api))
            .bearer_auth(token),
    )
}

/// Returns the lines of a backup that hold rows, but for the snapshot of the catalogue, which a restored service makes
/// itself, and for the rows of sign-in limits.
fn rows(file: &Path) -> Vec<String> {
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

fn unpack(file: &Path) -> String {
    let mut text = String::new();
    let mut reader = zstd::Decoder::new(fs::File::open(file).unwrap()).unwrap();
    reader.read_to_string(&mut text).unwrap();
    text
}

fn pack(file: &Path, text: &str) {
    let mut writer = zstd::Encoder::new(fs::File::create(file).unwrap(), 1).unwrap();
    writer.write_all(text.as_bytes()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn restored_service_has_everything() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = register(&service, "mitsuha");
    let story = put_story(&service, &token, &user, 2);
    register(&service, "taki");
    let file = kept.backup(&service, "old", &[]);
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
    assert_eq!(
        get(&service, "/v1/user_story", &token)["data"],
        json!([story])
    );
    let login = service.post(
        "/v1/auth/login",
        &json!({ "username": "taki", "password": PASSWORD }),
    );
    assert!(login["data"]["access_token"].is_string(), "{login}");
    let found = service.get("/v1/anime?search=cowbow+bepop");
    assert_eq!(found["data"][0]["titles"]["en"], "Cowboy Bebop");
    // The next account gets an identifier of its own.
    let (_, next) = register(&service, "okudera");
    assert!(next.as_u64() > user.as_u64().map(|user| user + 1));
    service.stop();
}

/// A backup of a data folder without a running service, and one of the restored folder, have the same rows.
#[test]
fn every_row_is_restored() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = register(&service, "mitsuha");
    for anime in [1, 2, 3] {
        put_story(&service, &token, &user, anime);
    }
    let story = put_story(&service, &token, &user, 4);
    let path = format!("{}/v1/user_story/{}", service.api, story["id"]);
    answer(http().delete(path).bearer_auth(&token));
    service.stop();
    let backup = |data: &str| {
        let file = kept.path(&format!("{data}.kiroku"));
        let arguments = ["backup", file.to_str().unwrap(), "--data-dir"];
        let output = run(&[&arguments[..], &[kept.path(data).to_str().unwrap()]].concat());
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        file
    };
    let file = backup("old");
    kept.restore(&file, "new");
    let restored = backup("new");
    assert_eq!(rows(&file), rows(&restored));
    assert!(rows(&file).len() > 120, "the sample and the users");
    let keys = |data: &str| fs::read_to_string(kept.path(data).join("keys.json")).unwrap();
    assert_eq!(keys("old"), keys("new"));
}

/// The rows of a user are from one moment, although the user makes changes while the backup is written.
#[test]
fn rows_of_a_user_are_from_one_moment() {
    let kept = Kept::new();
    let service = kept.serve("data");
    let (token, user) = register(&service, "mitsuha");
    let story = put_story(&service, &token, &user, 2);
    for anime in 3..40 {
        put_story(&service, &token, &user, anime);
    }
    let is_done = AtomicBool::new(false);
    let files = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut story = story.clone();
            // With a pause after each series of changes, in which a backup succeeds.
            while !is_done.load(Ordering::Relaxed) {
                for episode in 0..20 {
                    story["current_episode"] = episode.into();
                    let request = http().post(format!("{}/v1/user_story", service.api));
                    answer(request.bearer_auth(&token).json(&story));
                }
            }
        });
        let files: Vec<_> = (0..3)
            .map(|_| rows(&kept.backup(&service, "data", &[])))
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
    let (token, user) = register(&service, "mitsuha");
    let story = put_story(&service, &token, &user, 2);
    let complete = unpack(&kept.backup(&service, "old", &[]));
    let file = kept.backup(&service, "old", &["--without-secrets"]);
    service.stop();
    let text = unpack(&file);
    let hash = complete
        .split("$argon2id$")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(
        !text.contains(hash) && !text.contains(r#""keys""#),
        "{text}"
    );
    kept.restore(&file, "new");
    let service = kept.serve("new");
    let login = json!({ "username": "mitsuha", "password": PASSWORD });
    assert_eq!(service.post("/v1/auth/login", &login)["status_code"], 401);
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
    register(&service, "mitsuha");
    let file = kept.backup(&service, "old", &[]);
    service.stop();
    let text = unpack(&file);
    let bytes = fs::read(&file).unwrap();
    let target = kept.path("new");
    let refuse = |content: &dyn Fn(&Path), reason: &str| {
        let changed = kept.path("changed.kiroku");
        content(&changed);
        let arguments = [
            "restore",
            changed.to_str().unwrap(),
            "--data-dir",
            target.to_str().unwrap(),
        ];
        let output = run(&arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(reason), "{reason}: {error}");
        assert!(!target.exists(), "{reason}");
    };
    let cut_off = "the backup is cut off";
    refuse(
        &|file| fs::write(file, &bytes[..bytes.len() / 2]).unwrap(),
        cut_off,
    );
    let lines: Vec<&str> = text.lines().collect();
    let without_end = lines[..lines.len() - 1].join("\n") + "\n";
    refuse(&|file| pack(file, &without_end), cut_off);
    let mut flipped = bytes.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    refuse(&|file| fs::write(file, &flipped).unwrap(), "the backup is ");
    let changed = text.replace("mitsuha@example.com", "mallory@example.com");
    refuse(&|file| pack(file, &changed), "its checksum differs");
    let longer = format!("{text}{}\n", lines[1]);
    refuse(
        &|file| pack(file, &longer),
        "it goes on after its last line",
    );
    let newer = text.replacen(r#""kiroku_backup":1"#, r#""kiroku_backup":2"#, 1);
    refuse(
        &|file| pack(file, &newer),
        "a format that this version does not know: restore it with Kiroku 0.",
    );
    let unknown = text.replacen(r#"{"table":"Anime""#, r#"{"table":"Manga""#, 1);
    refuse(
        &|file| pack(file, &unknown),
        "a table that this version does not know: Manga",
    );
    refuse(
        &|file| fs::write(file, "a list").unwrap(),
        "it is not a backup of Kiroku",
    );
    refuse(&|file| pack(file, "[]\n"), "it is not a backup of Kiroku");
}

#[test]
fn restore_needs_an_empty_service() {
    let kept = Kept::new();
    let service = kept.serve("old");
    register(&service, "mitsuha");
    let file = kept.backup(&service, "old", &[]);
    let (file, data) = (file.to_str().unwrap(), kept.path("old"));
    let restore = |options: &[&str]| run(&[&["restore", file], options].concat());
    let data = data.to_str().unwrap();
    for place in [["--data-dir", data], ["--endpoint-url", &service.dynamodb]] {
        let full = restore(&place);
        let error = String::from_utf8(full.stderr).unwrap();
        assert!(
            error.contains("only be restored into an empty service"),
            "{error}"
        );
    }
    service.stop();
    assert_fails(
        &["backup", "/nowhere/file", "--data-dir", data],
        &["cannot write /nowhere/file"],
    );
    let elsewhere = ["--keys-file", "/nowhere/keys.json"];
    assert_fails(
        &[&["backup", file, "--data-dir", data], &elsewhere[..]].concat(),
        &["/nowhere/keys.json", "--without-secrets"],
    );
}

/// A restore that is killed can be repeated, and only with the same backup.
#[test]
fn killed_restore_can_be_repeated() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let (token, user) = register(&service, "mitsuha");
    let story = put_story(&service, &token, &user, 2);
    let file = kept.backup(&service, "old", &[]);
    fs::rename(&file, kept.path("first")).unwrap();
    put_story(&service, &token, &user, 3);
    let other = kept.backup(&service, "old", &[]);
    service.stop();
    let data = kept.path("new");
    let first = kept.path("first");
    let arguments = [
        "restore",
        first.to_str().unwrap(),
        "--data-dir",
        data.to_str().unwrap(),
    ];
    // At one unit a second, the restore is still running when it is killed.
    let mut process = kiroku(&arguments)
        .args(["--units-per-second", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = std::io::BufReader::new(process.stderr.take().unwrap());
    let mut line = String::new();
    while line != "Writing the rows.\n" {
        line.clear();
        assert_ne!(
            std::io::BufRead::read_line(&mut output, &mut line).unwrap(),
            0
        );
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let refused = run(&[
        "restore",
        other.to_str().unwrap(),
        "--data-dir",
        data.to_str().unwrap(),
    ]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(
        error.contains("only be restored into an empty service"),
        "{error}"
    );
    let interrupted = "a restore into this service was interrupted";
    let place = ["--data-dir", data.to_str().unwrap()];
    let serve = ["serve", "--port", "0", "--dynamodb-port", "0"];
    assert_fails(&[&serve[..], &place[..]].concat(), &[interrupted]);
    let backup = kept.path("half");
    let backup = ["backup", backup.to_str().unwrap()];
    assert_fails(&[&backup[..], &place[..]].concat(), &[interrupted]);
    kept.restore(&first, "new");
    let service = kept.serve("new");
    assert_eq!(
        get(&service, "/v1/user_story", &token)["data"],
        json!([story])
    );
    service.stop();
}

/// A key file can have the only keys of another service, so a restore does not replace it.
#[test]
fn keys_of_another_service_are_kept() {
    let kept = Kept::new();
    let service = kept.serve("old");
    let file = kept.backup(&service, "old", &[]);
    assert_fails(
        &[
            "backup",
            kept.path("file").to_str().unwrap(),
            "--endpoint-url",
            &service.dynamodb,
        ],
        &["--keys-file is required with --endpoint-url"],
    );
    service.stop();
    kept.serve("other").stop();
    let (keys, data) = (kept.path("other").join("keys.json"), kept.path("new"));
    let before = fs::read(&keys).unwrap();
    let output = run(&[
        "restore",
        file.to_str().unwrap(),
        "--data-dir",
        data.to_str().unwrap(),
        "--keys-file",
        keys.to_str().unwrap(),
    ]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("has other keys"), "{error}");
    assert_eq!(fs::read(&keys).unwrap(), before);
    kept.restore(&file, "new");
}

/// A full disk stops a backup and a restore with a clear message. Nothing that looks complete is left.
#[cfg(unix)]
#[test]
fn full_disk_stops_backup_and_restore() {
    let kept = Kept::new();
    let service = kept.serve("old");
    register(&service, "mitsuha");
    let file = kept.backup(&service, "old", &[]);
    service.stop();
    // No file may grow beyond this size. The signal that the kernel sends for it is ignored, so writing fails.
    let limited = |blocks: &str, arguments: &[&str]| {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_kiroku")]);
        let output = command.args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let (old, new, small) = (kept.path("old"), kept.path("new"), kept.path("small"));
    let [old, new, small] = [&old, &new, &small].map(|path| path.to_str().unwrap());
    // The log of the database has to grow, too, so the limit is below the size of the backup only.
    let error = limited("32", &["backup", small, "--data-dir", old]);
    assert!(error.contains(" is full: free some space"), "{error}");
    assert!(!Path::new(small).exists() && !kept.path("small.part").exists());
    let restore = ["restore", file.to_str().unwrap(), "--data-dir", new];
    let error = limited("1024", &restore);
    assert!(error.contains("cannot "), "{error}");
    kept.restore(&file, "new");
    let service = kept.serve("new");
    let login = json!({ "username": "mitsuha", "password": PASSWORD });
    assert!(service.post("/v1/auth/login", &login)["data"]["access_token"].is_string());
    service.stop();
}
