//! Runs the `kiroku` command as an operator does.

#![expect(
    clippy::unwrap_used,
    reason = "a failed expectation must fail the test"
)]

mod backup;
mod upgrade;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use shared::clock::Clock;
use tests::refreshed::{entry, lines, media};
use tests::trackers::{CLIENT_ID, Fake, Fault, Which};

/// A running `kiroku serve`, after it has printed its addresses.
struct Server {
    process: Child,
    api: String,
    dynamodb: String,
}

/// Returns the command without the AWS and Kiroku settings of this machine's environment.
fn kiroku(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiroku"));
    command.args(arguments);
    for name in [
        "ANIME_THEMES_API_URL",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL",
        "TABLE_PREFIX",
        "TRACKER_A_CLIENT_ID",
        "TRACKER_B_CLIENT_ID",
        "OFFLINE_DATABASE_URL",
        "ANIDB_TITLES_URL",
        "ANIME_MAPPING_URL",
        "TRACKER_SECRET_ARN",
        "RUST_LOG",
    ] {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    kiroku(arguments).output().unwrap()
}

/// Checks that the command exits with code 1 and prints one line that contains all of these texts.
fn assert_fails(arguments: &[&str], texts: &[&str]) {
    let output = run(arguments);
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{arguments:?}: {line}");
    for text in texts {
        assert!(line.contains(text), "{arguments:?}: {line}");
    }
}

fn serve(arguments: &[&str]) -> Server {
    let mut process = kiroku(&[&["serve", "--port", "0"], arguments].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output_text = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut address = |title: &str| {
        let line =
            output_text.find_map(|line| line.unwrap().strip_prefix(title).map(ToOwned::to_owned));
        let line = line.unwrap();
        line.trim().split(',').next().unwrap().to_owned()
    };
    let (api, dynamodb) = (address("Kiroku serves"), address("DynamoDB is at"));
    assert!(output_text.any(|line| line.unwrap() == "Press Ctrl-C to stop."));
    std::thread::spawn(move || output_text.for_each(drop));
    Server {
        process,
        api,
        dynamodb,
    }
}

impl Server {
    fn get(&self, path: &str) -> Value {
        answer(http().get(format!("{}{path}", self.api)))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let request = http().post(format!("{}{path}", self.api));
        answer(request.json(body))
    }

    /// Returns the account that a token belongs to.
    fn me(&self, token: &str) -> Value {
        let request = http().get(format!("{}/v1/auth/me", self.api));
        answer(request.header("authorization", format!("Bearer {token}")))
    }

    /// Stops the server with Ctrl-C. Returns its log.
    fn stop(mut self) -> String {
        let id = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
        let mut log = String::new();
        self.process
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0), "{log}");
        log
    }
}

/// Returns an HTTP client. `reqwest` is built without a default cryptography provider, and requires one
/// even for plain HTTP.
fn http() -> reqwest::Client {
    // An error means that a provider is installed already.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    reqwest::Client::new()
}

fn answer(request: reqwest::RequestBuilder) -> Value {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async { request.send().await.unwrap().json().await.unwrap() })
}

const IN_MEMORY: [&str; 3] = ["--in-memory", "--dynamodb-port", "0"];

#[test]
fn serve_offers_the_sample_and_stops_cleanly() {
    let service = serve(&IN_MEMORY);
    let found = service.get("/v1/anime?title=bebop");
    assert_eq!(found["data"][0]["titles"]["en"], "Cowboy Bebop");
    assert!(service.get("/v1/anime")["data"].as_array().unwrap().len() >= 50);
    assert!(service.get("/v1/song")["data"].as_array().unwrap().len() >= 58);
    let log = service.stop();
    let line: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(line["route"], "/v1/anime");
    assert!(
        !log.contains("bebop"),
        "query strings must not be logged: {log}"
    );
}

#[test]
fn empty_option_leaves_out_the_sample() {
    let service = serve(&[&IN_MEMORY[..], &["--empty"]].concat());
    assert_eq!(service.get("/v1/anime")["data"], serde_json::json!([]));
    service.stop();
}

#[test]
fn imported_data_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("anime.jsonl");
    std::fs::write(&file, ANIME).unwrap();
    let data = folder.path().join("data");
    let options = [
        "--data-dir",
        data.to_str().unwrap(),
        "--dynamodb-port",
        "0",
        "--empty",
    ];

    let service = serve(&options);
    let import = [
        "import",
        "anime",
        file.to_str().unwrap(),
        "--endpoint-url",
        &service.dynamodb,
    ];
    let output = run(&import);
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        report.contains("Published the index: 1 anime, 0 songs."),
        "{report}"
    );
    assert_fails(
        &[&["serve", "--port", "0"], &options[..]].concat(),
        &["data", "another `kiroku serve`"],
    );
    service.stop();

    let service = serve(&options);
    assert_eq!(
        service.get("/v1/anime")["data"][0]["titles"]["rj"],
        "Made Up"
    );
    let publish = run(&["publish", "--endpoint-url", &service.dynamodb]);
    assert_eq!(publish.stdout, b"Published the index: 1 anime, 0 songs.\n");
    service.stop();
}

#[test]
fn health_prints_the_answer_and_fails_without_one() {
    let service = serve(&[&IN_MEMORY[..], &["--empty"]].concat());
    let url = format!("{}/v1/anime", service.api);
    let output = run(&["health", &url]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["data"], serde_json::json!([]));

    let missing = format!("{}/v1/missing", service.api);
    assert_fails(&["health", &missing], &[&missing, "status 404"]);
    service.stop();
    assert_fails(&["health", &url], &["no response from", &url]);
    assert_fails(&["health", "127.0.0.1:9000"], &["must begin with http://"]);
    assert_fails(
        &["health", "https://127.0.0.1"],
        &["must begin with http://"],
    );
}

#[test]
fn version_names_the_commit_of_a_release() {
    let version = env!("CARGO_PKG_VERSION");
    let expected = match option_env!("KIROKU_COMMIT") {
        Some(commit) => format!("kiroku {version} ({commit})\n"),
        None => format!("kiroku {version}\n"),
    };
    assert_eq!(
        String::from_utf8(run(&["--version"]).stdout).unwrap(),
        expected
    );
}

/// A refresh adds the changes at `AniList` to the catalogue, and with `--all` every anime.
#[test]
fn refresh_updates_the_catalogue() {
    let service = serve(&IN_MEMORY);
    let target = ["--endpoint-url", &service.dynamodb];
    assert_fails(
        &[&["refresh"], &target[..]].concat(),
        &[
            "no source is configured",
            "OFFLINE_DATABASE_URL",
            "TRACKER_A_CLIENT_ID",
        ],
    );

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fake = runtime.block_on(Fake::start(Which::A, Clock::system()));
    let changed_at = |id: u32, time: u64| media(id, &serde_json::json!({ "updatedAt": time }));
    fake.state().media = vec![
        changed_at(999_001, Clock::system().now_s()),
        changed_at(999_002, 5),
    ];
    let refresh = |arguments: &[&str]| {
        let output = kiroku(&[&["refresh"], arguments, &target[..]].concat())
            .env("TRACKER_A_CLIENT_ID", CLIENT_ID)
            .env("TRACKER_A_API_URL", &fake.origin)
            .output()
            .unwrap();
        let output_text = String::from_utf8(output.stdout).unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), output_text, log)
    };
    let (code, output_text, log) = refresh(&["--all"]);
    assert_eq!(code, Some(0), "{output_text}{log}");
    let expected = "AniList: read\nread               2\nadded              2\n";
    assert!(output_text.starts_with(expected), "{output_text}");
    assert!(
        output_text.contains("\nAnimeThemes: off, ANIME_THEMES_API_URL is not set\n"),
        "{output_text}"
    );
    assert!(
        output_text.contains("Published the index of anime: "),
        "{output_text}"
    );
    assert_eq!(log, "Reading AniList.\n");
    let found = service.get("/v1/anime?tracker_a_id=999002");
    assert_eq!(found["data"][0]["titles"]["rj"], "Anime 999002");

    let (code, output_text, _) = refresh(&[]);
    assert_eq!(code, Some(0), "{output_text}");
    assert!(output_text.contains("Published nothing"), "{output_text}");
    fake.fail(Fault::answer(403, "{}"));
    let (code, output_text, log) = refresh(&[]);
    assert_eq!(code, Some(1), "{output_text}");
    assert!(
        log.contains("kiroku: later: tracker_a media: status 403; changes made so far are kept")
    );
    let stale = "AniList: failed: later: tracker_a media: status 403; stale since 20";
    assert!(output_text.contains(stale), "{output_text}");
    service.stop();
}

/// A refresh needs no tracker: a release of the anime-offline-database fills the catalogue.
#[test]
fn refresh_reads_a_file() {
    let service = serve(&IN_MEMORY);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fake = runtime.block_on(Fake::start_files(Clock::system()));
    let entries = [entry(999_001, 999_001, &serde_json::json!({}))];
    let url = fake.publish("/database.jsonl", lines(&entries), Some("\"1\""));
    let refresh = |url: &str| {
        let output = kiroku(&["refresh", "--endpoint-url", &service.dynamodb])
            .env("OFFLINE_DATABASE_URL", url)
            .output()
            .unwrap();
        let output_text = String::from_utf8(output.stdout).unwrap();
        (output_text, String::from_utf8(output.stderr).unwrap())
    };
    let (output_text, log) = refresh(&url);
    let expected = "anime-offline-database: read\nread               1\nadded              1\n";
    assert!(output_text.starts_with(expected), "{output_text}{log}");
    let found = service.get("/v1/anime?tracker_b_id=999001");
    assert_eq!(found["data"][0]["titles"]["rj"], "Entry 999001");
    let (output_text, _) = refresh(&url);
    assert!(
        output_text.starts_with("anime-offline-database: unchanged\n"),
        "{output_text}"
    );
    let (_, log) = refresh("http://example.com/database.jsonl");
    assert!(log.contains("OFFLINE_DATABASE_URL: "), "{log}");
    service.stop();
}

/// A user registers, becomes an administrator, and stays signed in while keys are rotated.
#[test]
fn operator_appoints_an_administrator_and_rotates_keys() {
    let folder = tempfile::TempDir::new().unwrap();
    let data = folder.path().join("data");
    let options = [
        "--data-dir",
        data.to_str().unwrap(),
        "--dynamodb-port",
        "0",
        "--empty",
        "--public-url",
        "http://kiroku.example",
    ];
    let service = serve(&options);
    let body = serde_json::json!({
        "username": "Mitsuha", "email": "mitsuha@example.com", "password": "kataware-doki 2016"
    });
    let registered = service.post("/v1/auth/register", &body);
    let token = registered["data"]["access_token"].as_str().unwrap();
    assert_eq!(registered["data"]["user"]["role"], 0);

    let mails: Vec<_> = std::fs::read_dir(data.join("mail")).unwrap().collect();
    assert_eq!(mails.len(), 1);
    let mail = std::fs::read_to_string(mails[0].as_ref().unwrap().path()).unwrap();
    let link = "http://kiroku.example/verify-email?token=";
    assert!(mail.contains(link), "{mail}");

    let role = |name: &str, role: &str| {
        let target = ["--endpoint-url", &service.dynamodb];
        run(&[&["user", "role", name, role], &target[..]].concat())
    };
    let output = role("mitsuha", "administrator");
    assert_eq!(output.stdout, b"mitsuha now has this role.\n");
    assert_eq!(service.me(token)["data"]["role"], 2);
    let unknown = String::from_utf8(role("nobody", "basic").stderr).unwrap();
    assert_eq!(unknown, "kiroku: there is no user nobody\n");
    assert_eq!(role("mitsuha", "king").status.code(), Some(2));

    let keys = data.join("keys.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&keys).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only the owner can read the file");
    }
    let rotate = |kind: &str| {
        let file = ["--keys-file", keys.to_str().unwrap()];
        run(&[&["keys", "rotate", kind], &file[..]].concat())
    };
    for kind in ["signing", "encryption"] {
        let output_text = String::from_utf8(rotate(kind).stdout).unwrap();
        let expected = "Added a key. It is used after 15 minutes. 2 keys are accepted.\n";
        assert_eq!(output_text, expected, "{kind}");
    }
    let log = service.stop();
    assert!(!log.contains("mitsuha") && !log.contains("token="), "{log}");
    let service = serve(&options);
    assert_eq!(service.me(token)["message"], "Hi Mitsuha");
    service.stop();

    std::fs::write(&keys, "{}").unwrap();
    let failed = String::from_utf8(rotate("signing").stderr).unwrap();
    assert_eq!(failed, "kiroku: there are no signing keys\n");
    assert_fails(
        &[
            "keys",
            "rotate",
            "signing",
            "--keys-file",
            "/nowhere/keys.json",
        ],
        &["the keys in /nowhere/keys.json"],
    );
    std::fs::write(&keys, "nothing").unwrap();
    assert_fails(
        &[&["serve", "--port", "0"], &options[..]].concat(),
        &["the keys in"],
    );
    assert_fails(
        &[
            "serve",
            "--in-memory",
            "--port",
            "0",
            "--dynamodb-port",
            "0",
            "--public-url",
            "kiroku.example/path",
        ],
        &["--public-url: the public URL must be a scheme and a host"],
    );
}

/// An anime in the format of the anime-offline-database.
const ANIME: &str = r#"{"license":{"name":"made up"}}
{"sources":["https://anilist.co/anime/999001","https://myanimelist.net/anime/999002"],"title":"Made Up","type":"TV","episodes":3,"status":"FINISHED","animeSeason":{"season":"SPRING","year":2001},"picture":"https://example.com/1.png","thumbnail":"https://example.com/1.png","synonyms":[],"tags":["comedy"]}
"#;

#[test]
fn serve_can_use_another_dynamodb() {
    let engine = serve(&IN_MEMORY);
    let folder = tempfile::TempDir::new().unwrap();
    let keys = folder.path().join("keys.json");
    let service = serve(&[
        "--endpoint-url",
        &engine.dynamodb,
        "--table-prefix",
        "other-",
        "--keys-file",
        keys.to_str().unwrap(),
    ]);
    assert_eq!(
        service.get("/v1/anime/2")["data"]["titles"]["en"],
        "Cowboy Bebop"
    );
    service.stop();
    engine.stop();
}

#[test]
fn startup_errors_are_one_line() {
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    assert_fails(
        &["serve", "--in-memory", "--port", &port],
        &[&port, "--port"],
    );
    let both = [
        "serve",
        "--in-memory",
        "--port",
        "0",
        "--dynamodb-port",
        &port,
    ];
    assert_fails(&both, &[&port, "--dynamodb-port"]);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let inside: &Path = &file.join("data");
    let inside = inside.to_str().unwrap();
    let options = [
        "serve",
        "--port",
        "0",
        "--dynamodb-port",
        "0",
        "--data-dir",
        inside,
    ];
    assert_fails(&options, &[inside]);

    drop(busy);
    let unreachable = format!("http://127.0.0.1:{port}");
    assert_fails(
        &["serve", "--port", "0", "--endpoint-url", &unreachable],
        &[&unreachable],
    );
    assert_fails(
        &["serve", "--port", "0", "--endpoint-url", "nonsense"],
        &["nonsense"],
    );
    assert_fails(
        &["publish", "--endpoint-url", &unreachable],
        &[&unreachable],
    );
    assert_fails(
        &[
            "import",
            "anime",
            "missing.jsonl",
            "--endpoint-url",
            &unreachable,
        ],
        &[&unreachable],
    );
}
