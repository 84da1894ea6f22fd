//! Runs the `kiroku` command as an operator does.

#![expect(
    clippy::unwrap_used,
    reason = "a failed expectation must fail the test"
)]

mod backup;
mod catalogue;
mod data_folder;
mod upgrade;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use shared::clock::Clock;
use tempfile::NamedTempFile;
use tests::refreshed::{entry, lines, media};
use tests::trackers::{CLIENT_ID, Fake, Fault, Which};

/// The longest time between two lines of a log that a test waits for.
const LOG_TIMEOUT: Duration = Duration::from_mins(1);

/// A running `kiroku serve`, after it has printed its addresses.
struct Server {
    process: Child,
    api: String,
    /// The address of the DynamoDB; empty without --dynamodb-port.
    dynamodb: String,
    metrics: Option<String>,
    /// Receives a message when the server has begun to stop.
    is_stopping: mpsc::Receiver<()>,
    /// Receives the lines of the log.
    log: mpsc::Receiver<String>,
}

/// A file with the access key of which all commands make use if no other key is set: `local` and `local`.
static KEY_FILE: LazyLock<NamedTempFile> = LazyLock::new(|| {
    let file = NamedTempFile::new().unwrap();
    let key = "AWS_ACCESS_KEY_ID=local\nAWS_SECRET_ACCESS_KEY=local\n";
    std::fs::write(&file, key).unwrap();
    file
});

/// Returns the command without the AWS and Kiroku settings of this machine's environment. A server with a port for its
/// DynamoDB takes the key of [`KEY_FILE`].
fn kiroku(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiroku"));
    command.args(arguments);
    for name in [
        "ANIME_THEMES_API_URL",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "TABLE_PREFIX",
        "TRACKER_A_CLIENT_ID",
        "TRACKER_B_CLIENT_ID",
        "OFFLINE_DATABASE_URL",
        "ANIDB_TITLES_URL",
        "ANIME_MAPPING_URL",
        "ANIME_SEASONS_URL",
        "TRACKER_SECRET_ARN",
        "RUST_LOG",
        "SSL_CERT_FILE",
        "TRACKER_A_CLIENT_SECRET_FILE",
        "TRACKER_B_CLIENT_SECRET_FILE",
        "container",
    ] {
        command.env_remove(name);
    }
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| name.to_string_lossy().starts_with("KIROKU_")) {
        command.env_remove(name);
    }
    command.env("KIROKU_DYNAMODB_KEY_FILE", KEY_FILE.path());
    command
}

fn run(arguments: &[&str]) -> Output {
    kiroku(arguments).output().unwrap()
}

/// Checks that the command exits with code 1 and prints one line that contains all of these texts.
fn assert_fails(arguments: &[&str], texts: &[&str]) {
    assert_fails_with(&[], arguments, texts);
}

/// As [`assert_fails`], with these environment variables.
fn assert_fails_with(variables: &[(&str, &str)], arguments: &[&str], texts: &[&str]) {
    let output = kiroku(arguments)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{arguments:?}: {line}");
    for text in texts {
        assert!(line.contains(text), "{arguments:?}: {line}");
    }
}

fn serve(arguments: &[&str]) -> Server {
    start(&mut kiroku(
        &[&["serve", "--port", "0"], arguments].concat(),
    ))
}

/// Starts a command that serves.
fn start(command: &mut Command) -> Server {
    let mut process = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output_text = BufReader::new(process.stdout.take().unwrap()).lines();
    let lines = output_text.by_ref().map(Result::unwrap);
    let lines: Vec<String> = lines
        .take_while(|line| line != "Press Ctrl-C to stop.")
        .collect();
    let address = |title: &str| {
        let line = lines.iter().find_map(|line| line.strip_prefix(title))?;
        line.trim().split(',').next().map(ToOwned::to_owned)
    };
    let (api, dynamodb) = (address("Kiroku serves"), address("DynamoDB is at"));
    let metrics = address("Metrics are at");
    let (sender, is_stopping) = mpsc::channel();
    std::thread::spawn(move || {
        for line in output_text {
            if line.unwrap() == "Stopping." {
                // The receiver may be gone: most tests do not wait for the line.
                let _ = sender.send(());
            }
        }
    });
    let (sender, log) = mpsc::channel();
    let lines = BufReader::new(process.stderr.take().unwrap()).lines();
    std::thread::spawn(move || {
        lines
            .map(Result::unwrap)
            .try_for_each(|line| sender.send(line))
    });
    Server {
        process,
        log,
        api: api.unwrap(),
        dynamodb: dynamodb.unwrap_or_default(),
        metrics,
        is_stopping,
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

    /// Sends a signal to the server.
    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        // A command `kill` of its own is not on every machine, but every shell has one.
        let kill = ["-c", "kill \"$0\" \"$1\"", name, &id];
        let sent = Command::new("sh").args(kill).status().unwrap();
        assert!(sent.success());
    }

    /// Stops the server with Ctrl-C. Returns its log.
    fn stop(self) -> String {
        self.signal("-INT");
        self.wait()
    }

    /// Waits for a line of the log that contains this text. The lines up to it are missing from what [`Self::stop`]
    /// returns.
    fn wait_for_log(&self, text: &str) {
        while !self.log.recv_timeout(LOG_TIMEOUT).unwrap().contains(text) {}
    }

    /// Waits until the server has ended. Returns its log.
    fn wait(mut self) -> String {
        let log: String = self.log.iter().map(|line| line + "\n").collect();
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
    let place = ["--data-dir", data.to_str().unwrap()];
    let options = [&place[..], &["--empty"]].concat();

    let service = serve(&options);
    let import = ["import", "anime", file.to_str().unwrap()];
    let output = run(&[&import[..], &place[..]].concat());
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
    let publish = run(&[&["publish"][..], &place[..]].concat());
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

#[test]
fn import_of_seasons_reports_what_it_published() {
    let service = serve(&IN_MEMORY);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seasons.xml");
    let list = "<anime-list><anime anidbid=\"23\" tvdbid=\"76885\" defaulttvdbseason=\"1\" episodeoffset=\"x\" \
        tmdbtv=\"30991\" tmdbseason=\"1\"><name>Cowboy Bebop</name></anime></anime-list>";
    std::fs::write(&file, list).unwrap();
    let file = file.to_str().unwrap();
    let target = ["--endpoint-url", &service.dynamodb];
    let output = run(&[&["import", "seasons", file], &target[..]].concat());
    let report = "Published the seasons of 1 anime. Parts of the file that were skipped: 1.
                   1  it is not a number, or out of range
                      AniDB 23: episodeoffset=\"x\" of Cowboy Bebop
Published the index: 50 anime, 64 songs.\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), report);
    assert_eq!(output.status.code(), Some(0));
    std::fs::write(file, &list[..list.len() - 9]).unwrap();
    let reason = "seasons.xml: it is incomplete; download it again";
    assert_fails(
        &[&["import", "seasons", file], &target[..]].concat(),
        &[reason],
    );
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

/// The server refreshes the catalogue when it starts, but not if the last refresh, also of an earlier process, is newer
/// than the interval.
#[test]
fn serve_refreshes_the_catalogue() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fake = runtime.block_on(Fake::start_files(Clock::system()));
    let entries = [entry(999_001, 999_001, &serde_json::json!({}))];
    let url = fake.publish("/database.jsonl", lines(&entries), None);
    let folder = tempfile::tempdir().unwrap();
    let serve = |hours: &str| {
        let mut command = kiroku(&["serve", "--port", "0", "--dynamodb-port", "0", "--empty"]);
        command.args(["--refresh-every", hours, "--data-dir"]);
        command.arg(folder.path());
        command.env("OFFLINE_DATABASE_URL", &url);
        start(command.env("RUST_LOG", "debug"))
    };

    let service = serve("2");
    service.wait_for_log("refreshed the catalogue");
    let found = service.get("/v1/anime?tracker_b_id=999001");
    assert_eq!(found["data"][0]["titles"]["rj"], "Entry 999001");
    service.stop();
    let requests = fake.count();
    assert_ne!(requests, 0);

    let service = serve("1");
    service.wait_for_log("no refresh is due");
    service.stop();
    assert_eq!(fake.count(), requests);
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
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(
            mode(&keys) & 0o777,
            0o600,
            "only the owner can read the file"
        );
        assert_eq!(
            mode(&data) & 0o777,
            0o700,
            "only the owner can open the folder"
        );
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

    let options = [&["serve", "--port", "0"], &IN_MEMORY[..]].concat();
    assert_fails(
        &[&options[..], &["--refresh-every", "6"]].concat(),
        &["--refresh-every", "OFFLINE_DATABASE_URL"],
    );

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

/// Serves a file over HTTPS at `https://localhost:PORT/database.jsonl`, with a certificate of a private authority
/// (`cli/tests/certificates`). Returns its address.
fn serve_file_over_https(body: String) -> String {
    let pem = include_bytes!("../certificates/server.pem");
    let chain = CertificateDer::pem_slice_iter(pem)
        .map(Result::unwrap)
        .collect();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("../certificates/server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let stream = StreamOwned::new(session, connection.unwrap());
            // A client that does not trust the certificate closes the connection.
            let _ = send_file(BufReader::new(stream), &body);
        }
    });
    format!("https://localhost:{port}/database.jsonl")
}

fn send_file(
    mut connection: BufReader<StreamOwned<ServerConnection, TcpStream>>,
    body: &str,
) -> std::io::Result<()> {
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Ok(());
        }
    }
    let length = body.len();
    let stream = connection.get_mut();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// Servers in a private network have certificates of a private authority.
#[test]
fn private_authority_is_trusted_if_the_environment_names_it() {
    let service = serve(&IN_MEMORY);
    let entries = [entry(999_001, 999_001, &serde_json::json!({}))];
    let url = serve_file_over_https(lines(&entries));
    let refresh = |authority: Option<&str>| {
        let mut command = kiroku(&["refresh", "--endpoint-url", &service.dynamodb]);
        command.env("OFFLINE_DATABASE_URL", &url);
        if let Some(file) = authority {
            command.env("SSL_CERT_FILE", file);
        }
        let output = command.output().unwrap();
        let output_text = String::from_utf8(output.stdout).unwrap();
        (output_text, String::from_utf8(output.stderr).unwrap())
    };
    let (output_text, log) = refresh(None);
    assert!(
        output_text.starts_with("anime-offline-database: failed"),
        "{output_text}{log}"
    );
    let authority = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/certificates/authority.pem"
    );
    let (output_text, log) = refresh(Some(authority));
    assert!(
        output_text.starts_with("anime-offline-database: read\n"),
        "{output_text}{log}"
    );
    service.stop();

    let folder = tempfile::tempdir().unwrap();
    let no_certificate = folder.path().join("no-certificate.pem");
    std::fs::write(&no_certificate, "nothing").unwrap();
    let broken = folder.path().join("broken.pem");
    std::fs::write(&broken, "-----BEGIN CERTIFICATE-----\nAAAA").unwrap();
    let options = [&["serve", "--port", "0"], &IN_MEMORY[..]].concat();
    for (file, reason) in [
        (Path::new("/missing.pem"), "cannot be read: No such file"),
        (&no_certificate, "has no certificate in PEM"),
        (&broken, "is not a PEM file"),
    ] {
        let file = file.to_str().unwrap();
        assert_fails_with(
            &[("SSL_CERT_FILE", file)],
            &options,
            &["SSL_CERT_FILE: ", file, reason],
        );
    }
}

#[test]
fn metrics_count_requests_and_calls_of_dynamodb() {
    let service = serve(&[&IN_MEMORY[..], &["--metrics-port", "0"]].concat());
    let metrics = service.metrics.clone().unwrap();
    service.get("/v1/anime/2");
    service.get("/v1/anime/2?secret=kataware");
    service.get("/v1/anime/999999");
    service.get("/v1/no/such/path");
    let method = reqwest::Method::from_bytes(b"INVENTED").unwrap();
    answer(http().request(method, format!("{}/v1/anime", service.api)));
    // Health checks are no requests of visitors.
    service.get("/health");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let read = async || http().get(&metrics).send().await.unwrap();
    let (media_type, text) = runtime.block_on(async {
        let response = read().await;
        let media_type = response.headers()["content-type"]
            .to_str()
            .unwrap()
            .to_owned();
        (media_type, response.text().await.unwrap())
    });
    assert!(media_type.starts_with("application/openmetrics-text; version=1.0.0"));
    let route = r#"route="/v1/anime/{id}""#;
    for line in [
        format!(r#"kiroku_http_requests_total{{method="GET",{route},status="200"}} 2"#),
        format!(r#"kiroku_http_requests_total{{method="GET",{route},status="404"}} 1"#),
        r#"kiroku_http_requests_total{method="GET",route="unmatched",status="404"} 1"#.to_owned(),
        r#"kiroku_http_requests_total{method="other",route="/v1/anime",status="405"} 1"#.to_owned(),
        format!(r#"kiroku_http_request_duration_seconds_count{{method="GET",{route}}} 3"#),
        format!(
            r#"kiroku_http_request_duration_seconds_bucket{{le="+Inf",method="GET",{route}}} 3"#
        ),
        // The second request for the anime finds it in the cache.
        r#"kiroku_catalogue_lookups_total{outcome="hit"} 1"#.to_owned(),
        "kiroku_sync_delay_seconds 0.0".to_owned(),
        "kiroku_refresh_age_seconds -1.0".to_owned(),
        "kiroku_mails_waiting 0.0".to_owned(),
        "# EOF".to_owned(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let calls = r#"kiroku_dynamodb_calls_total{operation="GetItem",outcome="success"}"#;
    assert!(text.contains(calls), "{text}");
    let units = r#"kiroku_dynamodb_units_total{operation="GetItem"} "#;
    let units = text.lines().find_map(|line| line.strip_prefix(units));
    assert!(units.unwrap().parse::<f64>().unwrap() > 0.0, "{text}");
    for private in ["kataware", "/999999", "/no/such", "INVENTED", "/health"] {
        assert!(!text.contains(private), "{private}\n{text}");
    }
    service.stop();

    let service = serve(&IN_MEMORY);
    assert_eq!(service.metrics, None, "metrics are off by default");
    assert_eq!(service.get("/metrics")["status_code"], 404);
    service.stop();
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    let options = [&["serve", "--port", "0"], &IN_MEMORY[..]].concat();
    assert_fails(
        &[&options[..], &["--metrics-port", &port]].concat(),
        &[&port, "--metrics-port"],
    );
}

/// Service managers stop a service with SIGTERM.
#[cfg(unix)]
#[test]
fn sigterm_finishes_running_requests() {
    let service = serve(&IN_MEMORY);
    let address = service.api.strip_prefix("http://").unwrap();
    let mut connection = TcpStream::connect(address).unwrap();
    let body = r#"{"username":"taki","password":"wrong horse battery"}"#;
    let (start, rest) = body.split_at(10);
    let head = format!(
        "POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut line = String::new();
    // The server has begun to read the body, so the request is running.
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    connection.write_all(start.as_bytes()).unwrap();

    service.signal("-TERM");
    service.is_stopping.recv().unwrap();
    connection.write_all(rest.as_bytes()).unwrap();
    let mut response = String::new();
    reader.read_to_string(&mut response).unwrap();
    assert!(response.contains("HTTP/1.1 401 Unauthorized"), "{response}");
    assert!(response.contains("\"Sign-in failed\""), "{response}");
    let log = service.wait();
    assert!(log.contains("/v1/auth/login"), "{log}");
}

#[test]
fn other_host_than_loopback_needs_a_public_url() {
    let options = [&["serve", "--port", "0"], &IN_MEMORY[..]].concat();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        assert_fails(
            &[&options[..], &["--host", host]].concat(),
            &[
                &format!("--host {host} needs --public-url"),
                "--public-url https://kiroku.example.com",
                "KIROKU_PUBLIC_URL=",
            ],
        );
    }
    let service = serve(
        &[
            &IN_MEMORY[..],
            &[
                "--host",
                "0.0.0.0",
                "--public-url",
                "https://kiroku.example.com",
            ],
        ]
        .concat(),
    );
    let found = service.api.strip_prefix("http://0.0.0.0:");
    assert!(found.is_some(), "{}", service.api);
    service.stop();
}

#[test]
fn unknown_environment_variables_are_warnings() {
    let mut command = kiroku(&["serve", "--in-memory", "--empty", "--port", "0"]);
    command.args(["--dynamodb-port", "0"]);
    command.env("KIROKU_OIDC_ISSER", "a secret in the wrong place");
    let log = start(&mut command).stop();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    assert_eq!(warnings.len(), 1, "{log}");
    assert!(warnings[0].contains("KIROKU_OIDC_ISSER"), "{log}");
    assert!(!log.contains("secret"), "{log}");
}

/// A reverse proxy passes on the whole path. Health checks on the same machine do not know it.
#[test]
fn path_of_the_public_url_is_served() {
    let public_url = ["--public-url", "https://example.com/kiroku"];
    let service = serve(&[&IN_MEMORY[..], &public_url].concat());
    for path in ["/kiroku/v1/anime", "/kiroku/health", "/health"] {
        assert_eq!(service.get(path)["status_code"], 200, "{path}");
    }
    service.stop();
}

/// Containers are configured by environment variables.
#[test]
fn environment_variables_set_options() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let variables = [
        ("KIROKU_PORT", "0"),
        ("KIROKU_DYNAMODB_PORT", "0"),
        ("KIROKU_DATA_DIR", data.to_str().unwrap()),
        ("KIROKU_EMPTY", "yes"),
        ("KIROKU_IN_MEMORY", "no"),
        ("KIROKU_NO_IMAGES", ""),
        ("KIROKU_PUBLIC_URL", ""),
        ("KIROKU_TRUSTED_PROXY", "127.0.0.1, fd00::/8"),
        ("KIROKU_LOG_FORMAT", "text"),
    ];
    // Without a command, the variables count too.
    for arguments in [&["serve"][..], &[]] {
        let mut command = kiroku(arguments);
        command.envs(variables);
        let service = start(&mut command);
        assert_eq!(service.get("/v1/anime")["data"], serde_json::json!([]));
        let log = service.stop();
        assert!(log.contains(" GET /v1/anime 200 "), "{log}");
        assert!(data.join("keys.json").exists());
    }
    for (name, value, texts) in [
        ("KIROKU_PORT", "http", &["--port <PORT>"][..]),
        ("KIROKU_EMPTY", "maybe", &["--empty"]),
        (
            "KIROKU_TRUSTED_PROXY",
            "127.0.0.1,10.0.0.1/8",
            &["--trusted-proxy", "write 10.0.0.0/8"],
        ),
        (
            "KIROKU_TRUSTED_PROXY",
            "0.0.0.0/0",
            &["--trusted-proxy", "trusts every address"],
        ),
    ] {
        let output = kiroku(&["serve"])
            .envs(variables)
            .env(name, value)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        for text in texts {
            assert!(error.contains(text), "{name}: {error}");
        }
    }
}

#[test]
fn secrets_are_read_from_variables_or_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "a secret\n").unwrap();
    let file = file.to_str().unwrap();
    let options = [&["serve", "--port", "0"], &IN_MEMORY[..]].concat();
    let name = "TRACKER_A_CLIENT_SECRET_FILE";

    let mut command = kiroku(&options);
    command.env(name, file);
    start(&mut command).stop();

    let both = [(name, file), ("TRACKER_A_CLIENT_SECRET", "another secret")];
    let text = "TRACKER_A_CLIENT_SECRET and TRACKER_A_CLIENT_SECRET_FILE are both set";
    assert_fails_with(&both, &options, &[text]);
    assert_fails_with(
        &[(name, "/missing")],
        &options,
        &[name, "/missing", "No such file"],
    );
    std::fs::write(file, "\n").unwrap();
    assert_fails_with(&[(name, file)], &options, &[name, file, "is empty"]);
}

#[test]
fn data_folder_that_cannot_be_written_is_named() {
    // Not even root can create a folder there.
    let folder = "/proc/kiroku";
    let options = [
        "serve",
        "--port",
        "0",
        "--dynamodb-port",
        "0",
        "--data-dir",
        folder,
    ];
    assert_fails(
        &options,
        &["cannot use the data folder /proc/kiroku (--data-dir): "],
    );
}

/// A container's own file system is deleted with it. Only a mount, such as a volume, has another device than the root.
#[cfg(unix)]
#[test]
fn data_in_a_container_without_a_volume_is_announced_as_lost() {
    use std::os::unix::fs::MetadataExt;

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let device = |path: &Path| path.metadata().unwrap().dev();
    let is_mount = device(folder.path()) != device(Path::new("/"));
    let shared_memory = Path::new("/dev/shm");
    let mounted = tempfile::tempdir_in(shared_memory).ok();
    let mounted = mounted.filter(|_| device(shared_memory) != device(Path::new("/")));
    let log = |data: &str| {
        let mut command = kiroku(&[
            "serve",
            "--port",
            "0",
            "--dynamodb-port",
            "0",
            "--empty",
            "--data-dir",
            data,
        ]);
        command.env("container", "podman");
        start(&mut command).stop()
    };
    let text = "its data will be lost with the container";
    let found = log(data);
    assert_eq!(found.contains(text), !is_mount, "{found}");
    assert_eq!(found.contains(data), !is_mount, "{found}");
    if let Some(mounted) = mounted {
        let found = log(mounted.path().to_str().unwrap());
        assert!(!found.contains(text), "{found}");
    }
}
