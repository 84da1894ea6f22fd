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
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use shared::clock::Clock;
use tempfile::{NamedTempFile, TempDir};
use tests::assertions::AssertText;
use tests::refreshed::{entry, lines, media};
use tests::trackers::{CLIENT_ID, Fake, Fault, Which};
use tokio::runtime::Runtime;

/// The longest time between two lines of a log that a test waits for.
const LOG_TIMEOUT: Duration = Duration::from_mins(1);

/// The password of all users.
const PASSWORD: &str = "kataware-doki 2016";

/// The runtime of the requests and of the fake servers, which run until the end of the tests.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

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

/// A file with the access key that all commands use if no other key is set: `local` and `local`.
static KEY_FILE: LazyLock<NamedTempFile> = LazyLock::new(|| {
    let file = NamedTempFile::new().unwrap();
    let key = "AWS_ACCESS_KEY_ID=local\nAWS_SECRET_ACCESS_KEY=local\n";
    std::fs::write(&file, key).unwrap();
    file
});

/// Returns the command with these arguments, which are separated by spaces, and without the settings of this machine's
/// environment. A server with a port for its DynamoDB takes the key of [`KEY_FILE`].
fn kiroku(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiroku"));
    command.args(arguments.split_whitespace());
    let kept = ["PATH", "HOME", "TMPDIR", "LLVM_PROFILE_FILE"];
    let kept = kept.map(|name| (name, std::env::var_os(name)));
    command.env_clear();
    command.envs(
        kept.into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command.env("KIROKU_DYNAMODB_KEY_FILE", KEY_FILE.path());
    command
}

/// The exit code of a command, and the texts that it has printed.
struct CommandResult {
    code: Option<i32>,
    output: String,
    log: String,
}

impl CommandResult {
    /// Checks that the command has succeeded. Returns its output.
    #[track_caller]
    fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.output, self.log);
        self.output
    }

    /// Checks that the command has exited with code 1. Returns its log.
    #[track_caller]
    fn failed(self) -> String {
        assert_eq!(self.code, Some(1), "{}{}", self.output, self.log);
        self.log
    }
}

/// Runs a command to its end.
fn finish(command: &mut Command) -> CommandResult {
    let finished = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandResult {
        code: finished.status.code(),
        output: text(finished.stdout),
        log: text(finished.stderr),
    }
}

fn run(arguments: &str) -> CommandResult {
    finish(&mut kiroku(arguments))
}

/// Runs the command on a disk that is full: no file can grow beyond this number of blocks of 512 bytes. The signal that
/// the kernel sends then is ignored, so writing fails. Returns the log of the command, which must fail.
#[cfg(unix)]
#[track_caller]
fn fail_on_full_disk(blocks: u32, arguments: &str) -> String {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_kiroku")]);
    finish(command.args(arguments.split_whitespace())).failed()
}

/// Checks that the command exits with code 1 and prints one line that contains all of these texts.
#[track_caller]
fn assert_fails(arguments: &str, texts: &[&str]) {
    assert_fails_with(&[], arguments, texts);
}

/// Does what [`assert_fails`] does, with these environment variables.
#[track_caller]
fn assert_fails_with(variables: &[(&str, &str)], arguments: &str, texts: &[&str]) {
    let line = finish(kiroku(arguments).envs(variables.iter().copied())).failed();
    assert_eq!(line.lines().count(), 1, "{arguments}: {line}");
    for text in texts {
        assert!(line.contains(text), "{arguments}: {line}");
    }
}

/// Returns the path of a file in a folder.
fn path(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.into_os_string().into_string().unwrap()
}

fn serve(arguments: &str) -> Server {
    start(&mut kiroku(&format!("serve --port 0 {arguments}")))
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

    /// Registers a user. Returns an access token and the user's identifier.
    fn register(&self, username: &str) -> (String, Value) {
        let email = format!("{}@example.com", username.to_lowercase());
        let body = json!({ "username": username, "email": email, "password": PASSWORD });
        let data = self.post("/v1/auth/register", &body)["data"].take();
        let token = data["access_token"].as_str().unwrap().to_owned();
        (token, data["user"]["id"].clone())
    }

    fn login(&self, username: &str) -> Value {
        let body = json!({ "username": username, "password": PASSWORD });
        self.post("/v1/auth/login", &body)
    }

    /// Sends a signal to the server.
    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        // Not every machine has a program `kill`, but every shell has such a command.
        let kill = ["-c", "kill \"$0\" \"$1\"", name, &id];
        let sent = Command::new("sh").args(kill).status().unwrap();
        assert!(sent.success());
    }

    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
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
    // An error means that a provider is already installed.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    reqwest::Client::new()
}

fn answer(request: reqwest::RequestBuilder) -> Value {
    RUNTIME.block_on(async { request.send().await.unwrap().json().await.unwrap() })
}

const IN_MEMORY: &str = "--in-memory --dynamodb-port 0";

#[test]
fn serve_offers_the_sample_and_stops_cleanly() {
    let service = serve(IN_MEMORY);
    let found = service.get("/v1/anime?title=bebop");
    assert_eq!(found["data"][0]["titles"]["en"], "Cowboy Bebop");
    assert!(service.get("/v1/anime")["data"].as_array().unwrap().len() >= 50);
    assert!(service.get("/v1/song")["data"].as_array().unwrap().len() >= 58);
    let log = service.stop();
    let line: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(line["route"], "/v1/anime");
    // Query strings are not logged.
    log.assert_lacks("bebop");
}

#[test]
fn empty_option_leaves_out_the_sample() {
    let service = serve(&format!("{IN_MEMORY} --empty"));
    assert_eq!(service.get("/v1/anime")["data"], json!([]));
    service.stop();
}

#[test]
fn imported_data_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "anime.jsonl");
    std::fs::write(&file, ANIME).unwrap();
    let place = format!("--data-dir {}", path(&folder, "data"));
    let options = format!("{place} --empty");

    let service = serve(&options);
    let report = run(&format!("import anime {file} {place}")).succeeded();
    report.assert_has("Published the index: 1 anime, 0 songs.");
    let serve_again = format!("serve --port 0 {options}");
    assert_fails(&serve_again, &["data", "another `kiroku serve`"]);
    service.stop();

    let service = serve(&options);
    let found = service.get("/v1/anime");
    assert_eq!(found["data"][0]["titles"]["rj"], "Made Up");
    let report = run(&format!("publish {place}")).succeeded();
    assert_eq!(report, "Published the index: 1 anime, 0 songs.\n");
    service.stop();
}

#[test]
fn health_prints_the_answer_and_fails_without_one() {
    let service = serve(&format!("{IN_MEMORY} --empty"));
    let url = format!("{}/v1/anime", service.api);
    let answer = run(&format!("health {url}")).succeeded();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["data"], json!([]));

    let missing = format!("{}/v1/missing", service.api);
    assert_fails(&format!("health {missing}"), &[&missing, "status 404"]);
    service.stop();
    assert_fails(&format!("health {url}"), &["no response from", &url]);
    for other in ["127.0.0.1:9000", "https://127.0.0.1"] {
        assert_fails(&format!("health {other}"), &["must begin with http://"]);
    }
}

#[test]
fn version_names_the_commit_of_a_release() {
    let version = env!("CARGO_PKG_VERSION");
    let expected = match option_env!("KIROKU_COMMIT") {
        Some(commit) => format!("kiroku {version} ({commit})\n"),
        None => format!("kiroku {version}\n"),
    };
    assert_eq!(run("--version").succeeded(), expected);
}

/// A refresh adds the changes at `AniList` to the catalogue, and with `--all` every anime.
#[test]
fn refresh_updates_the_catalogue() {
    let service = serve(IN_MEMORY);
    let target = format!("--endpoint-url {}", service.dynamodb);
    let texts = [
        "no source is configured",
        "OFFLINE_DATABASE_URL",
        "TRACKER_A_CLIENT_ID",
    ];
    assert_fails(&format!("refresh {target}"), &texts);

    let fake = RUNTIME.block_on(Fake::start(Which::A, Clock::system()));
    let changed_at = |id: u32, time: u64| media(id, &json!({ "updatedAt": time }));
    let now = Clock::system().now_s();
    fake.state().media = vec![changed_at(999_001, now), changed_at(999_002, 5)];
    let refresh = |option: &str| {
        let mut command = kiroku(&format!("refresh {option} {target}"));
        command.env("TRACKER_A_CLIENT_ID", CLIENT_ID);
        finish(command.env("TRACKER_A_API_URL", &fake.origin))
    };
    let result = refresh("--all");
    assert_eq!(result.log, "Reading AniList.\n");
    let report = result.succeeded();
    let expected = "AniList: read\nread               2\nadded              2\n";
    assert!(report.starts_with(expected), "{report}");
    for text in [
        "\nAnimeThemes: off, ANIME_THEMES_API_URL is not set\n",
        "Published the index of anime: ",
    ] {
        report.assert_has(text);
    }
    let found = service.get("/v1/anime?tracker_a_id=999002");
    assert_eq!(found["data"][0]["titles"]["rj"], "Anime 999002");

    let report = refresh("").succeeded();
    report.assert_has("Published nothing");
    fake.fail(Fault::answer(403, "{}"));
    let result = refresh("");
    let stale = "AniList: failed: later: tracker_a media: status 403; stale since 20";
    assert!(result.output.contains(stale), "{}", result.output);
    let log = result.failed();
    let reason = "kiroku: later: tracker_a media: status 403; changes made so far are kept";
    log.assert_has(reason);
    service.stop();
}

#[test]
fn import_of_seasons_reports_what_it_published() {
    let service = serve(IN_MEMORY);
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "seasons.xml");
    let list = "<anime-list><anime anidbid=\"23\" tvdbid=\"76885\" defaulttvdbseason=\"1\" episodeoffset=\"x\" \
        tmdbtv=\"30991\" tmdbseason=\"1\"><name>Cowboy Bebop</name></anime></anime-list>";
    std::fs::write(&file, list).unwrap();
    let import = format!("import seasons {file} --endpoint-url {}", service.dynamodb);
    let report = "Published the seasons of 1 anime. Parts of the file that were skipped: 1.
                   1  it is not a number, or out of range
                      AniDB 23: episodeoffset=\"x\" of Cowboy Bebop
Published the index: 50 anime, 64 songs.\n";
    assert_eq!(run(&import).succeeded(), report);
    std::fs::write(file, &list[..list.len() - 9]).unwrap();
    let reason = "seasons.xml: it is incomplete; download it again";
    assert_fails(&import, &[reason]);
    service.stop();
}

/// A refresh needs no tracker: a release of the anime-offline-database fills the catalogue.
#[test]
fn refresh_reads_a_file() {
    let service = serve(IN_MEMORY);
    let fake = RUNTIME.block_on(Fake::start_files(Clock::system()));
    let entries = [entry(999_001, 999_001, &json!({}))];
    let url = fake.publish("/database.jsonl", lines(&entries), Some("\"1\""));
    let refresh = |url: &str| {
        let mut command = kiroku(&format!("refresh --endpoint-url {}", service.dynamodb));
        finish(command.env("OFFLINE_DATABASE_URL", url))
    };
    let report = refresh(&url).succeeded();
    let expected = "anime-offline-database: read\nread               1\nadded              1\n";
    assert!(report.starts_with(expected), "{report}");
    let found = service.get("/v1/anime?tracker_b_id=999001");
    assert_eq!(found["data"][0]["titles"]["rj"], "Entry 999001");
    let report = refresh(&url).succeeded();
    let expected = "anime-offline-database: unchanged\n";
    assert!(report.starts_with(expected), "{report}");
    let log = refresh("http://example.com/database.jsonl").log;
    log.assert_has("OFFLINE_DATABASE_URL: ");
    service.stop();
}

/// The server refreshes the catalogue when it starts, but not if the last refresh, also of an earlier process, is newer
/// than the interval.
#[test]
fn serve_refreshes_the_catalogue() {
    let fake = RUNTIME.block_on(Fake::start_files(Clock::system()));
    let entries = [entry(999_001, 999_001, &json!({}))];
    let url = fake.publish("/database.jsonl", lines(&entries), None);
    let folder = tempfile::tempdir().unwrap();
    let data = path(&folder, "data");
    let serve = |hours: &str| {
        let options = format!("--empty --refresh-every {hours} --data-dir {data}");
        let mut command = kiroku(&format!("serve --port 0 --dynamodb-port 0 {options}"));
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
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let options = format!(
        "--data-dir {} --dynamodb-port 0 --empty --public-url http://kiroku.example",
        data.display()
    );
    let service = serve(&options);
    let (token, _) = service.register("Mitsuha");
    assert_eq!(service.me(&token)["data"]["role"], 0);

    let mails: Vec<_> = std::fs::read_dir(data.join("mail")).unwrap().collect();
    assert_eq!(mails.len(), 1);
    let mail = std::fs::read_to_string(mails[0].as_ref().unwrap().path()).unwrap();
    let link = "http://kiroku.example/verify-email?token=";
    mail.assert_has(link);

    let role = |arguments: &str| {
        let target = format!("--endpoint-url {}", service.dynamodb);
        run(&format!("user role {arguments} {target}"))
    };
    let output = role("mitsuha administrator").succeeded();
    assert_eq!(output, "mitsuha now has this role.\n");
    assert_eq!(service.me(&token)["data"]["role"], 2);
    let unknown = role("nobody basic").failed();
    assert_eq!(unknown, "kiroku: there is no user nobody\n");
    assert_eq!(role("mitsuha king").code, Some(2));

    let keys = data.join("keys.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let modes = (mode(&keys), mode(&data));
        assert_eq!(modes, (0o600, 0o700), "closed to other users");
    }
    let rotate = |kind: &str| {
        let file = keys.display();
        run(&format!("keys rotate {kind} --keys-file {file}"))
    };
    for kind in ["signing", "encryption"] {
        let expected = "Added a key. It is used after 15 minutes. 2 keys are accepted.\n";
        assert_eq!(rotate(kind).succeeded(), expected, "{kind}");
    }
    let log = service.stop();
    assert!(!log.contains("mitsuha") && !log.contains("token="), "{log}");
    let service = serve(&options);
    assert_eq!(service.me(&token)["message"], "Hi Mitsuha");
    service.stop();

    std::fs::write(&keys, "{}").unwrap();
    let failed = rotate("signing").failed();
    assert_eq!(failed, "kiroku: there are no signing keys\n");
    assert_fails(
        "keys rotate signing --keys-file /nowhere/keys.json",
        &["the keys in /nowhere/keys.json"],
    );
    std::fs::write(&keys, "nothing").unwrap();
    assert_fails(&format!("serve --port 0 {options}"), &["the keys in"]);
    let serve = format!("serve --port 0 {IN_MEMORY} --public-url kiroku.example/path");
    let reason = "--public-url: the public URL must be a scheme and a host";
    assert_fails(&serve, &[reason]);
}

/// An anime in the format of the anime-offline-database.
const ANIME: &str = r#"{"license":{"name":"made up"}}
{"sources":["https://anilist.co/anime/999001","https://myanimelist.net/anime/999002"],"title":"Made Up","type":"TV","episodes":3,"status":"FINISHED","animeSeason":{"season":"SPRING","year":2001},"picture":"https://example.com/1.png","thumbnail":"https://example.com/1.png","synonyms":[],"tags":["comedy"]}
"#;

#[test]
fn serve_can_use_another_dynamodb() {
    let engine = serve(IN_MEMORY);
    let folder = TempDir::new().unwrap();
    let keys = path(&folder, "keys.json");
    let service = serve(&format!(
        "--endpoint-url {} --table-prefix other- --keys-file {keys}",
        engine.dynamodb
    ));
    let anime = service.get("/v1/anime/2");
    assert_eq!(anime["data"]["titles"]["en"], "Cowboy Bebop");
    service.stop();
    engine.stop();
}

#[test]
fn startup_errors_are_one_line() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    let port = port.as_str();
    for (options, texts) in [
        (format!("--in-memory --port {port}"), [port, "--port"]),
        (
            format!("--in-memory --port 0 --dynamodb-port {port}"),
            [port, "--dynamodb-port"],
        ),
        (
            format!("--port 0 {IN_MEMORY} --refresh-every 6"),
            ["--refresh-every", "OFFLINE_DATABASE_URL"],
        ),
    ] {
        assert_fails(&format!("serve {options}"), &texts);
    }

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(path(&folder, "file"), "in the way").unwrap();
    let inside = path(&folder, "file/data");
    let options = format!("--dynamodb-port 0 --data-dir {inside}");
    assert_fails(&format!("serve --port 0 {options}"), &[&inside]);

    drop(busy);
    let unreachable = format!("http://127.0.0.1:{port}");
    for command in ["serve --port 0", "publish", "import anime missing.jsonl"] {
        let command = format!("{command} --endpoint-url {unreachable}");
        assert_fails(&command, &[&unreachable]);
    }
    assert_fails("serve --port 0 --endpoint-url nonsense", &["nonsense"]);
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
    let service = serve(IN_MEMORY);
    let entries = [entry(999_001, 999_001, &json!({}))];
    let url = serve_file_over_https(lines(&entries));
    let refresh = |authority: Option<&str>| {
        let mut command = kiroku(&format!("refresh --endpoint-url {}", service.dynamodb));
        command.envs(authority.map(|file| ("SSL_CERT_FILE", file)));
        finish(command.env("OFFLINE_DATABASE_URL", &url)).output
    };
    let report = refresh(None);
    let expected = "anime-offline-database: failed";
    assert!(report.starts_with(expected), "{report}");
    let authority = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/certificates/authority.pem"
    );
    let report = refresh(Some(authority));
    let expected = "anime-offline-database: read\n";
    assert!(report.starts_with(expected), "{report}");
    service.stop();

    let folder = tempfile::tempdir().unwrap();
    let (no_certificate, broken) = (path(&folder, "no.pem"), path(&folder, "broken.pem"));
    std::fs::write(&no_certificate, "nothing").unwrap();
    std::fs::write(&broken, "-----BEGIN CERTIFICATE-----\nAAAA").unwrap();
    for (file, reason) in [
        ("/missing.pem", "cannot be read: No such file"),
        (&no_certificate, "has no certificate in PEM"),
        (&broken, "is not a PEM file"),
    ] {
        let serve = format!("serve --port 0 {IN_MEMORY}");
        let texts = ["SSL_CERT_FILE: ", file, reason];
        assert_fails_with(&[("SSL_CERT_FILE", file)], &serve, &texts);
    }
}

#[test]
fn metrics_count_requests_and_calls_of_dynamodb() {
    let service = serve(&format!("{IN_MEMORY} --metrics-port 0"));
    let metrics = service.metrics.clone().unwrap();
    service.get("/v1/anime/2");
    service.get("/v1/anime/2?secret=kataware");
    service.get("/v1/anime/999999");
    service.get("/v1/no/such/path");
    let method = reqwest::Method::from_bytes(b"INVENTED").unwrap();
    answer(http().request(method, format!("{}/v1/anime", service.api)));
    // Health checks are not requests of visitors.
    service.get("/health");
    let (media_type, text) = RUNTIME.block_on(async {
        let response = http().get(&metrics).send().await.unwrap();
        let media_type = response.headers()["content-type"].clone();
        (media_type, response.text().await.unwrap())
    });
    let media_type = media_type.to_str().unwrap();
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
    text.assert_has(calls);
    let units = r#"kiroku_dynamodb_units_total{operation="GetItem"} "#;
    let units = text.lines().find_map(|line| line.strip_prefix(units));
    assert!(units.unwrap().parse::<f64>().unwrap() > 0.0, "{text}");
    for private in ["kataware", "/999999", "/no/such", "INVENTED", "/health"] {
        assert!(!text.contains(private), "{private}\n{text}");
    }
    service.stop();

    let service = serve(IN_MEMORY);
    assert_eq!(service.metrics, None, "metrics are off by default");
    assert_eq!(service.get("/metrics")["status_code"], 404);
    service.stop();
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    let serve = format!("serve --port 0 {IN_MEMORY} --metrics-port {port}");
    assert_fails(&serve, &[&port, "--metrics-port"]);
}

/// Service managers stop a service with SIGTERM.
#[cfg(unix)]
#[test]
fn sigterm_finishes_running_requests() {
    let service = serve(IN_MEMORY);
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
    response.assert_has("HTTP/1.1 401 Unauthorized");
    response.assert_has("\"Sign-in failed\"");
    let log = service.wait();
    log.assert_has("/v1/auth/login");
}

#[test]
fn other_host_than_loopback_needs_a_public_url() {
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let needed = format!("--host {host} needs --public-url");
        let texts = [
            needed.as_str(),
            "--public-url https://kiroku.example.com",
            "KIROKU_PUBLIC_URL=",
        ];
        assert_fails(&format!("serve --port 0 {IN_MEMORY} --host {host}"), &texts);
    }
    let service = serve(&format!(
        "{IN_MEMORY} --host 0.0.0.0 --public-url https://kiroku.example.com"
    ));
    let found = service.api.strip_prefix("http://0.0.0.0:");
    assert!(found.is_some(), "{}", service.api);
    service.stop();
}

#[test]
fn unknown_environment_variables_are_warnings() {
    let mut command = kiroku(&format!("serve --port 0 --empty {IN_MEMORY}"));
    command.env("KIROKU_OIDC_ISSER", "a secret in the wrong place");
    let log = start(&mut command).stop();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("WARN")).collect();
    assert_eq!(warnings.len(), 1, "{log}");
    assert!(warnings[0].contains("KIROKU_OIDC_ISSER"), "{log}");
    log.assert_lacks("secret");
}

/// A reverse proxy passes on the whole path. Health checks on the same machine do not know it.
#[test]
fn path_of_the_public_url_is_served() {
    let service = serve(&format!(
        "{IN_MEMORY} --public-url https://example.com/kiroku"
    ));
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
    // Without a command, the variables also count.
    for arguments in ["serve", ""] {
        let service = start(kiroku(arguments).envs(variables));
        assert_eq!(service.get("/v1/anime")["data"], json!([]));
        let log = service.stop();
        log.assert_has(" GET /v1/anime 200 ");
        assert!(data.join("keys.json").exists());
    }
    let (proxy, option) = ("KIROKU_TRUSTED_PROXY", "--trusted-proxy");
    for (name, value, texts) in [
        ("KIROKU_PORT", "http", &["--port <PORT>"][..]),
        ("KIROKU_EMPTY", "maybe", &["--empty"]),
        (proxy, "127.0.0.1,10.0.0.1/8", &[option, "write 10.0.0.0/8"]),
        (proxy, "0.0.0.0/0", &[option, "trusts every address"]),
    ] {
        let result = finish(kiroku("serve").envs(variables).env(name, value));
        assert_eq!(result.code, Some(2), "{name}: {}", result.log);
        for text in texts {
            assert!(result.log.contains(text), "{name}: {}", result.log);
        }
    }
}

#[test]
fn secrets_are_read_from_variables_or_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "secret");
    std::fs::write(&file, "a secret\n").unwrap();
    let file = file.as_str();
    let serve = format!("serve --port 0 {IN_MEMORY}");
    let name = "TRACKER_A_CLIENT_SECRET_FILE";
    start(kiroku(&serve).env(name, file)).stop();

    let both = [(name, file), ("TRACKER_A_CLIENT_SECRET", "another secret")];
    let text = "TRACKER_A_CLIENT_SECRET and TRACKER_A_CLIENT_SECRET_FILE are both set";
    assert_fails_with(&both, &serve, &[text]);
    let missing = [name, "/missing", "No such file"];
    assert_fails_with(&[(name, "/missing")], &serve, &missing);
    std::fs::write(file, "\n").unwrap();
    assert_fails_with(&[(name, file)], &serve, &[name, file, "is empty"]);
}

#[test]
fn data_folder_that_cannot_be_written_is_named() {
    // Not even root can create a folder there.
    assert_fails(
        "serve --port 0 --dynamodb-port 0 --data-dir /proc/kiroku",
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
        let options = format!("--port 0 --dynamodb-port 0 --empty --data-dir {data}");
        start(kiroku(&format!("serve {options}")).env("container", "podman")).stop()
    };
    let text = "its data will be lost with the container";
    let found = log(data);
    assert_eq!(found.contains(text), !is_mount, "{found}");
    assert_eq!(found.contains(data), !is_mount, "{found}");
    if let Some(mounted) = mounted {
        let found = log(mounted.path().to_str().unwrap());
        found.assert_lacks(text);
    }
}
