//! The data folder of a service: its files, the way in which other commands reach the service, and its keys.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tests::assertions::AssertText;

use crate::{
    answer, assert_fails, fail_on_full_disk, finish, http, kiroku, path, run, serve, start,
};

/// Without options, a command finds the service whose data folder is `.kiroku` in the working folder.
#[cfg(unix)]
#[test]
fn commands_reach_a_running_service_without_a_port() {
    let folder = TempDir::new().unwrap();
    let in_folder = |arguments: &str| {
        let mut command = kiroku(arguments);
        command.current_dir(&folder);
        command
    };
    let service = start(&mut in_folder("serve --port 0 --empty"));
    assert_eq!(service.dynamodb, "", "no port is open by default");
    service.register("taki");
    let set_role = |options: &str| {
        let role = format!("user role taki moderator {options}");
        finish(&mut in_folder(&role))
    };
    let data = path(&folder, ".kiroku");
    for options in ["", &format!("--data-dir {data}")] {
        let output = set_role(options).succeeded();
        assert_eq!(output, "taki now has this role.\n");
    }
    let backup = format!("backup {}", path(&folder, "backup"));
    finish(&mut in_folder(&backup)).succeeded();
    service.stop();
    let error = set_role("").failed();
    let expected = "cannot reach a running `kiroku serve` with the data folder .kiroku: start it";
    error.assert_has(expected);
    // A backup of a service that does not run reads the folder itself.
    finish(&mut in_folder(&backup)).succeeded();
    let elsewhere = path(&folder, "elsewhere");
    assert_fails(&format!("{backup} --data-dir {elsewhere}"), &[&elsewhere]);
    assert!(!Path::new(&elsewhere).exists());
    let unreachable = ["cannot reach a running `kiroku serve`", &*data];
    assert_fails(&format!("publish --data-dir {data}"), &unreachable);
}

/// A process that is killed leaves its socket behind.
#[cfg(unix)]
#[test]
fn socket_of_a_killed_service_is_replaced() {
    let folder = TempDir::new().unwrap();
    let options = format!("--data-dir {} --empty", path(&folder, "data"));
    let publish = format!("publish --data-dir {}", path(&folder, "data"));
    let socket = folder.path().join("data/dynamodb.sock");
    let service = serve(&options);
    service.kill();
    assert!(socket.exists());
    assert_fails(&publish, &["cannot reach a running `kiroku serve`"]);
    let service = serve(&options);
    run(&publish).succeeded();
    service.stop();
    assert!(!socket.exists());
}

/// A path can be too long for a socket. The service does not need it.
#[cfg(unix)]
#[test]
fn service_without_a_socket_says_so() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, &"long".repeat(30));
    let service = serve(&format!("--data-dir {data} --empty"));
    assert_eq!(service.get("/v1/anime")["status_code"], 200);
    let log = service.stop();
    let expected = "other commands cannot reach this service";
    log.assert_has(expected);
}

/// The port is for other tools, which need the key in the file.
#[test]
fn port_of_dynamodb_needs_the_access_key() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    let serve = "serve --port 0 --dynamodb-port 0";
    let mut command = kiroku(&format!("{serve} --empty --data-dir {data}"));
    let service = start(command.env_remove("KIROKU_DYNAMODB_KEY_FILE"));
    let key = fs::read_to_string(Path::new(&data).join("dynamodb.env")).unwrap();
    let publish = |key: &str| {
        let variables = key.lines().map(|line| line.split_once('=').unwrap());
        let mut command = kiroku(&format!("publish --endpoint-url {}", service.dynamodb));
        finish(command.envs(variables))
    };
    publish(&key).succeeded();
    for wrong in ["", "AWS_ACCESS_KEY_ID=kiroku\nAWS_SECRET_ACCESS_KEY=guess"] {
        let error = publish(wrong).failed();
        error.assert_has("--dynamodb-key-file");
    }
    service.stop();

    let file = path(&folder, "key");
    fs::write(&file, "nothing").unwrap();
    let with_file = format!("{serve} --in-memory --dynamodb-key-file {file}");
    assert_fails(&with_file, &[&file, "AWS_SECRET_ACCESS_KEY="]);
    let mut command = kiroku(&format!("{serve} --in-memory"));
    let service = start(command.env_remove("KIROKU_DYNAMODB_KEY_FILE"));
    let log = service.stop();
    log.assert_has("it needs --dynamodb-key-file");
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
    // The command runs with the umask 0, which gives new files all permissions.
    let serve = || {
        let mut command = std::process::Command::new("sh");
        let script = "umask 0; exec \"$0\" \"$@\"";
        command.args(["-c", script, env!("CARGO_BIN_EXE_kiroku")]);
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
    service.register("taki");
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
    service.kill();

    // An earlier version created the folders and files with these modes.
    set_mode(&data, 0o755);
    set_mode(&data.join("mail"), 0o755);
    for name in names.into_iter().chain(["dynamodb.sqlite-shm", "lock"]) {
        set_mode(&data.join(name), 0o644);
    }
    let service = serve();
    service.register("mitsuha");
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
    // A token is valid at one public URL only.
    let place = format!("--data-dir {data} --empty --public-url http://kiroku.example");
    let serve_again = format!("serve --port 0 {place}");
    let service = serve(&place);
    let (token, _) = service.register("taki");
    service.stop();
    serve(&format!("--data-dir {other} --empty")).stop();

    let kept = fs::read(keys(&data)).unwrap();
    fs::remove_file(keys(&data)).unwrap();
    let missing = ["keys are missing", "keys.json", "--new-keys"];
    assert_fails(&serve_again, &missing);
    assert!(!keys(&data).exists());
    fs::copy(keys(&other), keys(&data)).unwrap();
    let foreign = ["the keys do not belong to this data", "--new-keys"];
    assert_fails(&serve_again, &foreign);

    fs::write(keys(&data), &kept).unwrap();
    let rotate = "keys rotate encryption --keys-file";
    run(&format!("{rotate} {data}/keys.json")).succeeded();
    let service = serve(&place);
    assert_eq!(service.me(&token)["message"], "Hi taki");
    service.stop();

    fs::remove_file(keys(&data)).unwrap();
    serve(&format!("{place} --new-keys")).stop();
    // The option is needed for one start only.
    let service = serve(&place);
    assert_eq!(service.me(&token)["status_code"], 401);
    assert_eq!(service.login("taki")["status_code"], 200);
    service.stop();
}

/// Health checks of containers follow the settings of the service.
#[test]
fn health_asks_the_port_of_the_service() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    let service = serve(&format!("--data-dir {data}"));
    let port = service.api.rsplit(':').next().unwrap().to_owned();
    let health = |host: &str| {
        let mut command = kiroku("health");
        finish(command.envs([("KIROKU_PORT", port.as_str()), ("KIROKU_HOST", host)]))
    };
    for host in ["127.0.0.1", "0.0.0.0", "127.0.0.1"] {
        let output = health(host).succeeded();
        assert!(output.contains("Healthy"), "{host}");
    }
    // An address in the options takes precedence.
    let url = format!("{}/health", service.api);
    finish(kiroku(&format!("health {url}")).env("KIROKU_PORT", "1")).succeeded();
    assert_eq!(answer(http().get(&url))["message"], "Healthy");
    service.stop();
    let log = health("").log;
    log.assert_has(&format!("http://127.0.0.1:{port}/health"));
}

#[cfg(unix)]
#[test]
fn full_disk_is_named_at_the_first_start() {
    let folder = TempDir::new().unwrap();
    let data = path(&folder, "data");
    for blocks in [16, 200, 800, 2000] {
        let error = fail_on_full_disk(blocks, &format!("serve --port 0 --data-dir {data}"));
        assert_eq!(error.lines().count(), 1, "{blocks}: {error}");
        let expected =
            format!("kiroku: the disk with the data folder {data} is full: free some space");
        assert!(error.starts_with(&expected), "{blocks}: {error}");
    }
    // The failed starts leave nothing that a later start cannot use.
    serve(&format!("--data-dir {data}")).stop();
}

/// A copy of a backup can be cut off anywhere.
#[test]
fn cut_backup_is_named() {
    let folder = TempDir::new().unwrap();
    let [data, file, cut, new] = ["data", "file", "cut", "new"].map(|name| path(&folder, name));
    serve(&format!("--data-dir {data}")).stop();
    run(&format!("backup {file} --data-dir {data}")).succeeded();
    let whole = fs::read(&file).unwrap();
    let length = whole.len();
    for kept in [0, 1, 100, length / 2, length - 5, length - 1] {
        fs::write(&cut, &whole[..kept]).unwrap();
        let error = run(&format!("restore {cut} --data-dir {new}")).failed();
        let last = error.lines().last().unwrap_or_default();
        let expected = "the backup is cut off, as by an interrupted copy";
        assert!(last.contains(expected), "{error}");
        assert!(!Path::new(&new).exists(), "{kept}");
    }
}
