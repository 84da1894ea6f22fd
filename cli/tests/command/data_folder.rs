//! The data folder of a service: its files, the way in which other commands reach the service, and its keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Server, answer, assert_fails, http, kiroku, run, serve, start};

const PASSWORD: &str = "kataware-doki 2016";

fn register(service: &Server, username: &str) -> String {
    let body = json!({
        "username": username, "email": format!("{username}@example.com"), "password": PASSWORD
    });
    let answer = service.post("/v1/auth/register", &body);
    answer["data"]["access_token"].as_str().unwrap().to_owned()
}

fn login(service: &Server, username: &str) -> Value {
    let body = json!({ "username": username, "password": PASSWORD });
    service.post("/v1/auth/login", &body)
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

#[track_caller]
fn assert_succeeds(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

fn path(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.into_os_string().into_string().unwrap()
}

/// Without options, a command finds the service whose data folder is `.kiroku` in the working folder.
#[cfg(unix)]
#[test]
fn commands_reach_a_running_service_without_a_port() {
    let folder = TempDir::new().unwrap();
    let mut command = kiroku(&["serve", "--port", "0", "--empty"]);
    let service = start(command.current_dir(&folder));
    assert_eq!(service.dynamodb, "", "no port is open by default");
    register(&service, "taki");
    let set_role = |options: &[&str]| {
        let arguments = [&["user", "role", "taki", "moderator"], options].concat();
        kiroku(&arguments).current_dir(&folder).output().unwrap()
    };
    let data = path(&folder, ".kiroku");
    for options in [&[][..], &["--data-dir", &data]] {
        let output = set_role(options);
        assert_succeeds(&output);
        assert_eq!(text(&output.stdout), "taki now has this role.\n");
    }
    let backup = path(&folder, "backup");
    let output = kiroku(&["backup", &backup]).current_dir(&folder).output();
    assert_succeeds(&output.unwrap());
    service.stop();
    let stopped = set_role(&[]);
    assert_eq!(stopped.status.code(), Some(1));
    let error = text(&stopped.stderr);
    assert!(
        error.contains(
            "cannot reach a running `kiroku serve` with the data folder .kiroku: start it"
        ),
        "{error}"
    );
    // A backup of a service that does not run reads the folder itself.
    let output = kiroku(&["backup", &backup]).current_dir(&folder).output();
    assert_succeeds(&output.unwrap());
    let elsewhere = path(&folder, "elsewhere");
    assert_fails(
        &["backup", &backup, "--data-dir", &elsewhere],
        &[&elsewhere],
    );
    assert!(!Path::new(&elsewhere).exists());
    assert_fails(
        &["publish", "--data-dir", &data],
        &["cannot reach a running `kiroku serve`", &data],
    );
}

/// A process that is killed leaves its socket behind.
#[cfg(unix)]
#[test]
fn socket_of_a_killed_service_is_replaced() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    let options = ["--data-dir", &data, "--empty"];
    let service = serve(&options);
    service.signal("-KILL");
    let mut process = service.process;
    process.wait().unwrap();
    assert!(Path::new(&data).join("dynamodb.sock").exists());
    assert_fails(
        &["publish", "--data-dir", &data],
        &["cannot reach a running `kiroku serve`"],
    );
    let service = serve(&options);
    assert_succeeds(&run(&["publish", "--data-dir", &data]));
    service.stop();
    assert!(!Path::new(&data).join("dynamodb.sock").exists());
}

/// A path can be too long for a socket. The service does not need it.
#[cfg(unix)]
#[test]
fn service_without_a_socket_says_so() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, &"long".repeat(30));
    let service = serve(&["--data-dir", &data, "--empty"]);
    assert_eq!(service.get("/v1/anime")["status_code"], 200);
    let log = service.stop();
    assert!(
        log.contains("other commands cannot reach this service"),
        "{log}"
    );
}

/// The port is for other tools, which need the key in the file.
#[test]
fn port_of_dynamodb_needs_the_access_key() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    let mut command = kiroku(&["serve", "--port", "0", "--dynamodb-port", "0", "--empty"]);
    command.args(["--data-dir", &data]);
    let service = start(command.env_remove("KIROKU_DYNAMODB_KEY_FILE"));
    let key = fs::read_to_string(Path::new(&data).join("dynamodb.env")).unwrap();
    let publish = |key: &str| {
        let variables = key.lines().map(|line| line.split_once('=').unwrap());
        let mut command = kiroku(&["publish", "--endpoint-url", &service.dynamodb]);
        command.envs(variables).output().unwrap()
    };
    assert_succeeds(&publish(&key));
    for wrong in ["", "AWS_ACCESS_KEY_ID=kiroku\nAWS_SECRET_ACCESS_KEY=guess"] {
        let output = publish(wrong);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("--dynamodb-key-file"), "{error}");
    }
    service.stop();

    let file = path(&folder, "key");
    fs::write(&file, "nothing").unwrap();
    let options = [
        "serve",
        "--port",
        "0",
        "--dynamodb-port",
        "0",
        "--in-memory",
    ];
    assert_fails(
        &[&options[..], &["--dynamodb-key-file", &file]].concat(),
        &[&file, "AWS_SECRET_ACCESS_KEY="],
    );
    let mut command = kiroku(&options);
    let service = start(command.env_remove("KIROKU_DYNAMODB_KEY_FILE"));
    let log = service.stop();
    assert!(log.contains("it needs --dynamodb-key-file"), "{log}");
}

/// Other users of the machine can read neither the data nor the mails, with any umask and any mode of the folder.
#[cfg(unix)]
#[test]
fn files_are_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set_mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let folder = TempDir::new().unwrap();
    let data = PathBuf::from(path(&folder, "data"));
    // A command with the umask 0, which gives new files all permissions.
    let serve = || {
        let mut command = std::process::Command::new("sh");
        command.args([
            "-c",
            "umask 0; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_kiroku"),
        ]);
        command.args(["serve", "--port", "0", "--dynamodb-port", "0", "--data-dir"]);
        command.arg(&data).env_remove("KIROKU_DYNAMODB_KEY_FILE");
        start(&mut command)
    };
    let find_open = || {
        let mut open = Vec::new();
        let mut folders = vec![data.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                if mode(&path) & 0o077 != 0 {
                    open.push((path.clone(), mode(&path)));
                }
            }
        }
        open
    };
    let service = serve();
    register(&service, "taki");
    let names = [
        "dynamodb.sqlite",
        "dynamodb.sqlite-wal",
        "dynamodb.env",
        "keys.json",
    ];
    for name in names {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
    assert_eq!((mode(&data), mode(&data.join("mail"))), (0o700, 0o700));
    assert_eq!(find_open(), []);
    service.signal("-KILL");
    let mut process = service.process;
    process.wait().unwrap();

    // As an earlier version has made them.
    set_mode(&data, 0o755);
    set_mode(&data.join("mail"), 0o755);
    for name in names.into_iter().chain(["dynamodb.sqlite-shm", "lock"]) {
        set_mode(&data.join(name), 0o644);
    }
    let service = serve();
    register(&service, "mitsuha");
    assert_eq!(mode(&data), 0o700);
    assert_eq!(find_open(), []);
    service.stop();

    // A folder with other files can be one that others need, such as a home folder.
    fs::write(data.join("other"), "").unwrap();
    set_mode(&data, 0o755);
    serve().stop();
    assert_eq!(mode(&data), 0o755);
    assert_eq!(mode(&data.join("dynamodb.sqlite")), 0o600);
}

/// New keys would sign all users out, and make their authenticator apps and trackers useless.
#[test]
fn service_with_users_does_not_start_without_its_keys() {
    let folder = TempDir::new().unwrap();
    let (data, other) = (path(&folder, "data"), path(&folder, "other"));
    let keys = |data: &str| Path::new(data).join("keys.json");
    // Tokens are those of one address.
    let public_url = ["--public-url", "http://kiroku.example"];
    let place = [&["--data-dir", data.as_str(), "--empty"], &public_url[..]].concat();
    let serve_arguments = [&["serve", "--port", "0"], &place[..]].concat();
    let service = serve(&place);
    let token = register(&service, "taki");
    service.stop();
    serve(&["--data-dir", &other, "--empty"]).stop();

    let kept = fs::read(keys(&data)).unwrap();
    fs::remove_file(keys(&data)).unwrap();
    assert_fails(
        &serve_arguments,
        &["keys are missing", "keys.json", "--new-keys"],
    );
    assert!(!keys(&data).exists());
    fs::copy(keys(&other), keys(&data)).unwrap();
    assert_fails(
        &serve_arguments,
        &["the keys do not belong to this data", "--new-keys"],
    );

    fs::write(keys(&data), &kept).unwrap();
    let rotated = run(&[
        "keys",
        "rotate",
        "encryption",
        "--keys-file",
        keys(&data).to_str().unwrap(),
    ]);
    assert_succeeds(&rotated);
    let service = serve(&place);
    assert_eq!(service.me(&token)["message"], "Hi taki");
    service.stop();

    fs::remove_file(keys(&data)).unwrap();
    serve(&[&place[..], &["--new-keys"]].concat()).stop();
    // The option is needed once.
    let service = serve(&place);
    assert_eq!(service.me(&token)["status_code"], 401);
    assert_eq!(login(&service, "taki")["status_code"], 200);
    service.stop();
}

/// A backup without secrets has no keys. The restored service gets new ones.
#[test]
fn service_restored_without_secrets_starts() {
    let folder = TempDir::new().unwrap();
    let (data, new, file) = (
        path(&folder, "data"),
        path(&folder, "new"),
        path(&folder, "file"),
    );
    let service = serve(&["--data-dir", &data, "--empty"]);
    register(&service, "taki");
    service.stop();
    let backup = ["backup", &file, "--data-dir", &data, "--without-secrets"];
    assert_succeeds(&run(&backup));
    assert_succeeds(&run(&["restore", &file, "--data-dir", &new]));
    let service = serve(&["--data-dir", &new]);
    assert_eq!(login(&service, "taki")["status_code"], 401);
    service.stop();
}

/// Health checks of containers follow the settings of the service.
#[test]
fn health_asks_the_port_of_the_service() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    let service = serve(&["--data-dir", &data]);
    let port = service.api.rsplit(':').next().unwrap().to_owned();
    let health = |variables: &[(&str, &str)]| {
        let mut command = kiroku(&["health"]);
        command.envs(variables.iter().copied()).output().unwrap()
    };
    for host in ["127.0.0.1", "0.0.0.0", "127.0.0.1"] {
        let output = health(&[("KIROKU_PORT", &port), ("KIROKU_HOST", host)]);
        assert_succeeds(&output);
        assert!(text(&output.stdout).contains("Healthy"), "{host}");
    }
    // An address that is given wins.
    let url = format!("{}/health", service.api);
    let mut command = kiroku(&["health", &url]);
    assert_succeeds(&command.env("KIROKU_PORT", "1").output().unwrap());
    let request = http().get(&url);
    assert_eq!(answer(request)["message"], "Healthy");
    service.stop();
    let output = health(&[("KIROKU_PORT", &port)]);
    assert!(text(&output.stderr).contains(&format!("http://127.0.0.1:{port}/health")));
}

/// The system limits the size of files here, as a full disk does.
#[cfg(unix)]
#[test]
fn full_disk_is_named_at_the_first_start() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    for kilobytes in [8, 100, 400, 1000] {
        let mut command = std::process::Command::new("bash");
        let limit = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\"");
        command.args(["-c", &limit, env!("CARGO_BIN_EXE_kiroku")]);
        command.args(["serve", "--port", "0", "--data-dir", &data]);
        let output = command.output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{kilobytes}: {error}");
        assert_eq!(error.lines().count(), 1, "{kilobytes}: {error}");
        let expected =
            format!("kiroku: the disk with the data folder {data} is full: free some space");
        assert!(error.starts_with(&expected), "{kilobytes}: {error}");
    }
    // Nothing is left that a later start could not use.
    serve(&["--data-dir", &data]).stop();
}

/// A copy of a backup can be cut off anywhere.
#[test]
fn cut_backup_is_named() {
    let folder = TempDir::new().unwrap();
    let (data, file, cut) = (
        path(&folder, "data"),
        path(&folder, "file"),
        path(&folder, "cut"),
    );
    serve(&["--data-dir", &data]).stop();
    assert_succeeds(&run(&["backup", &file, "--data-dir", &data]));
    let whole = fs::read(&file).unwrap();
    let new = path(&folder, "new");
    let length = whole.len();
    for kept in [0, 1, 100, length / 2, length - 5, length - 1] {
        fs::write(&cut, &whole[..kept]).unwrap();
        let expected = "the backup is cut off, as by an interrupted copy";
        assert_last_line(&["restore", &cut, "--data-dir", &new], expected);
        assert!(!Path::new(&new).exists(), "{kept}");
    }
}

/// Checks that the command fails, and that the last line of its output has this text.
#[track_caller]
fn assert_last_line(arguments: &[&str], expected: &str) {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    let error = text(&output.stderr);
    let last = error.lines().last().unwrap_or_default();
    assert!(last.contains(expected), "{error}");
}
