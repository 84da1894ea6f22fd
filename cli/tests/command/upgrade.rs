//! Data of every released version (tests/releases) is opened by this version.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use cli::migrations::MIGRATIONS;
use jsonwebtoken::dangerous::insecure_decode;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};
use shared::clock::Clock;
use tests::assertions::AssertText;

use crate::{
    RUNTIME, Server, answer, assert_fails, fail_on_full_disk, http, kiroku, path, run, serve,
};

/// The file that exists while an upgrade runs.
const COPY: &str = "dynamodb.before-upgrade.sqlite";

/// Says whether a data folder has reached a step of its upgrade.
type IsReached<'a> = &'a dyn Fn(&Path) -> bool;

/// The data folder of a release, and what the release has returned about it.
struct Release {
    version: String,
    folder: tempfile::TempDir,
    expected: Value,
}

impl Release {
    fn unpack(path: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let unpacked = Command::new("tar")
            .arg("-xzf")
            .arg(path.join("data.tar.gz"))
            .arg("-C")
            .arg(folder.path())
            .status();
        assert!(unpacked.unwrap().success());
        let expected = fs::read_to_string(path.join("expected.json")).unwrap();
        Self {
            version: path.file_name().unwrap().to_str().unwrap().to_owned(),
            folder,
            expected: serde_json::from_str(&expected).unwrap(),
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn options(&self) -> String {
        let (data, public_url) = (self.data(), &self.expected["public_url"]);
        let public_url = public_url.as_str().unwrap();
        format!(
            "--dynamodb-port 0 --data-dir {} --public-url {public_url}",
            data.display()
        )
    }

    fn serve(&self) -> Server {
        serve(&self.options())
    }

    /// Starts the service, and waits until it announces the upgrade of its data. Its further output must be kept open,
    /// because a process that cannot print ends.
    fn begin_upgrade(&self) -> (Child, Lines<BufReader<ChildStdout>>) {
        let mut process = kiroku(&format!("serve --port 0 {}", self.options()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        assert_eq!(first, "Upgrading the data of an earlier version.");
        (process, lines)
    }

    /// Returns the token that the release would issue now: its claims are the same except for the times, and its key is
    /// the same.
    fn token(&self) -> String {
        let token = self.expected["token"].as_str().unwrap();
        let mut claims = insecure_decode::<BTreeMap<String, Value>>(token)
            .unwrap()
            .claims;
        let now = Clock::system().now_s();
        claims.insert("iat".to_owned(), now.into());
        claims.insert("exp".to_owned(), (now + 3_600).into());
        let keys = fs::read_to_string(self.data().join("keys.json")).unwrap();
        let keys: Value = serde_json::from_str(&keys).unwrap();
        let header: Header = jsonwebtoken::decode_header(token).unwrap();
        let key = &keys["signing"][header.kid.as_ref().unwrap()];
        let key = EncodingKey::from_secret(key.as_str().unwrap().as_bytes());
        encode(&header, &claims, &key).unwrap()
    }

    /// Starts the service, and checks that it has everything that the release has stored.
    fn check(&self) {
        let service = self.serve();
        let version = &self.version;
        let expected = &self.expected;
        let token = self.token();
        let get = |path: &str| {
            let request = http().get(format!("{}{path}", service.api));
            answer(request.bearer_auth(&token))
        };
        let me = get("/v1/auth/me");
        assert_has(&me["data"], &expected["user"], version);

        let login = json!({ "username": expected["username"], "password": expected["password"] });
        let login = service.post("/v1/auth/login", &login);
        let new_token = &login["data"]["access_token"];
        assert!(new_token.is_string(), "{version}: {login}");

        let stories = get("/v1/user_story?per_page=100&include=details");
        assert_has(&stories["data"], &expected["stories"], version);
        for story in stories["data"].as_array().unwrap() {
            assert!(story["details"]["repeats"].is_u64(), "{version}: {story}");
        }
        let changes = get("/v1/user_story/changes");
        let changed = changes["data"]["changes"].as_array().unwrap();
        let count = expected["stories"].as_array().unwrap().len();
        assert_eq!(changed.len(), count, "{version}: {changes}");

        for kind in ["anime", "song"] {
            let found = get(&format!("/v1/{kind}?per_page=100"));
            assert_has(&found["data"], &expected[kind], version);
        }
        let found = get("/v1/anime?search=cowbow+bepop");
        let title = &found["data"][0]["titles"]["en"];
        assert_eq!(title, "Cowboy Bebop", "{version}");

        let export = get("/v1/user_story/export?format=json");
        let exported = export["stories"].as_array().map(Vec::len);
        assert_eq!(exported, Some(count), "{version}: {export}");

        // The list can still be changed.
        let mut story = expected["stories"][0].clone();
        story["current_episode"] = 0.into();
        story["status"] = 1.into();
        let request = http().post(format!("{}/v1/user_story", service.api));
        let updated = answer(request.bearer_auth(&token).json(&story));
        let episode = &updated["data"]["current_episode"];
        assert_eq!(*episode, 0, "{version}: {updated}");
        service.stop();
    }
}

/// Checks that a value has all the fields and entries of the other value, and the same values in them.
fn assert_has(value: &Value, expected: &Value, version: &str) {
    match expected {
        Value::Object(fields) => {
            for (name, expected) in fields {
                assert_has(&value[name], expected, version);
            }
        }
        Value::Array(entries) => {
            let values = value.as_array().unwrap();
            assert_eq!(values.len(), entries.len(), "{version}: {value}");
            for (value, expected) in values.iter().zip(entries) {
                assert_has(value, expected, version);
            }
        }
        expected => assert_eq!(value, expected, "{version}"),
    }
}

/// Returns the data folders of all releases.
fn releases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/releases");
    let entries = fs::read_dir(folder).unwrap();
    let releases: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("data.tar.gz").exists())
        .collect();
    assert!(!releases.is_empty());
    releases
}

/// Returns a data folder whose indexes this version changes.
fn outdated() -> Release {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/releases/before-0.1.0");
    Release::unpack(&folder)
}

#[test]
fn data_of_every_release_is_upgraded() {
    for path in releases() {
        let size = fs::metadata(path.join("data.tar.gz")).unwrap().len();
        assert!(size <= 200_000, "{}: {size} bytes", path.display());
        let release = Release::unpack(&path);
        release.check();
        assert!(!release.data().join(COPY).exists());
        // The second start has nothing left to do.
        release.serve().stop();
    }
}

/// An upgrade that is killed at any step loses nothing: the next start completes it.
#[test]
fn killed_upgrade_is_made_by_the_next_start() {
    let part = Path::new(COPY).with_extension("part");
    let steps: [(&str, IsReached); 3] = [
        ("the copy is being written", &|data| {
            data.join(&part).exists()
        }),
        ("the copy is complete", &|data| data.join(COPY).exists()),
        ("the log of the database grows", &|data| {
            let log = fs::metadata(data.join("dynamodb.sqlite-wal"));
            data.join(COPY).exists() && log.is_ok_and(|log| log.len() > 500_000)
        }),
    ];
    for (step, is_reached) in steps {
        let release = outdated();
        let data = release.data();
        let (mut process, _output) = release.begin_upgrade();
        // The process may be faster than this loop, which then kills it after the upgrade.
        while !is_reached(&data) && (data.join(&part).exists() || data.join(COPY).exists()) {
            std::thread::yield_now();
        }
        process.kill().unwrap();
        process.wait().unwrap();
        release.check();
        assert!(!data.join(COPY).exists(), "{step}");
    }
}

/// The next start begins with the copy from before an interrupted upgrade, in whatever state the database is.
#[test]
fn copy_replaces_a_half_upgraded_database() {
    let release = outdated();
    let data = release.data();
    let database = data.join("dynamodb.sqlite");
    fs::copy(&database, data.join(COPY)).unwrap();
    let older = data.join(COPY).with_extension("part");
    fs::write(older, "an older copy that was not completed").unwrap();
    fs::write(&database, "half a database").unwrap();
    release.check();
}

/// A full disk stops the upgrade with a clear message, and the data stays as it was.
#[cfg(unix)]
#[test]
fn full_disk_stops_the_upgrade() {
    let release = outdated();
    let error = fail_on_full_disk(128, &format!("serve --port 0 {}", release.options()));
    error.assert_has(" is full: free some space");
    assert!(!release.data().join(COPY).exists());
    release.check();
}

/// A first start that is killed while it makes the tables or loads the sample leaves nothing half-made.
#[test]
fn killed_first_start_is_made_by_the_next_one() {
    let (folder, options) = new_data();
    let data = folder.path().join("data");
    let mut process = kiroku(&format!("serve --port 0 {options}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !data.join(COPY).exists() {
        std::thread::yield_now();
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let service = serve(&options);
    assert!(service.get("/v1/anime")["data"].as_array().unwrap().len() >= 50);
    service.stop();
    assert!(!data.join(COPY).exists());
}

/// Returns a folder without data, and the options of a service that keeps its data in it.
fn new_data() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let options = format!("--dynamodb-port 0 --data-dir {}", path(&folder, "data"));
    (folder, options)
}

/// Sets an attribute of a row of the table CatalogSnapshot, a number. Returns the number before.
fn replace_number(service: &Server, kind: &str, attribute: &str, number: usize) -> AttributeValue {
    RUNTIME.block_on(async {
        let client = tests::engine::client(&service.dynamodb);
        let request = client.update_item().table_name("CatalogSnapshot");
        let request = request
            .key("kind", AttributeValue::S(kind.to_owned()))
            .key("part", AttributeValue::N("0".to_owned()))
            .update_expression("SET #attribute = :number")
            .expression_attribute_names("#attribute", attribute)
            .expression_attribute_values(":number", AttributeValue::N(number.to_string()))
            .return_values(ReturnValue::UpdatedOld);
        request.send().await.unwrap().attributes.unwrap()[attribute].clone()
    })
}

/// A catalogue whose snapshot has the format of another version is published again.
#[test]
fn snapshot_of_another_format_is_replaced() {
    let (_folder, options) = new_data();
    let service = serve(&options);
    replace_number(&service, "song", "format", 1);
    service.stop();
    let service = serve(&options);
    let format = replace_number(&service, "song", "format", 1);
    assert_ne!(format, AttributeValue::N("1".to_owned()));
    service.stop();
}

/// New data counts as migrated. A version that does not know the data's last migration does not start.
#[test]
fn data_of_a_later_version_is_refused() {
    let (_folder, options) = new_data();
    let service = serve(&options);
    let made = MIGRATIONS.len();
    let before = replace_number(&service, "data", "migrations", made + 1);
    assert_eq!(before, AttributeValue::N(made.to_string()));
    service.stop();
    let reason = "a later version of Kiroku has written the data";
    assert_fails(&format!("serve --port 0 {options}"), &[reason]);
}

/// A refused restore does not upgrade the service that it would have restored.
#[test]
fn refused_restore_does_not_upgrade() {
    let release = outdated();
    let folder = tempfile::tempdir().unwrap();
    let (source, file) = (path(&folder, "data"), path(&folder, "backup"));
    serve(&format!("--dynamodb-port 0 --data-dir {source}")).stop();
    run(&format!("backup {file} --data-dir {source}")).succeeded();
    let data = release.data();
    let error = run(&format!("restore {file} --data-dir {}", data.display())).failed();
    let expected = "only be restored into an empty service";
    error.assert_has(expected);
    let (mut process, _output) = release.begin_upgrade();
    process.kill().unwrap();
    process.wait().unwrap();
}
