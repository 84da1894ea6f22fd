//! Conditional downloads of files, from a fake server.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use tests::assertions::AssertText;
use tokio::task::yield_now;
use tokio::time;
use trackers::{Download, DownloadEvent, FileVersion, RemoteFile, SetupError, Waiter};

use super::{Cause, Clock, Fake, Fault, START_MS, TrackerError, action_of, html_response};

const SIZE: u64 = 1024 * 1024;

const TAG: &str = "\"7-a\"";

/// A server with the file `/titles`, and a client of the server.
struct Fixture {
    server: Fake,
    file: RemoteFile,
    clock: Clock,
}

impl Fixture {
    async fn new() -> Self {
        let clock = Clock::manual(START_MS);
        let server = Fake::start_files(clock.clone()).await;
        let url = server.publish("/titles", "A title", Some(TAG));
        let file = remote(&url, &clock);
        Self {
            server,
            file,
            clock,
        }
    }

    /// Returns a file of this server, with the folder in which downloads of it are kept.
    fn kept(&self, url: &str, folder: PathBuf) -> RemoteFile {
        remote(url, &self.clock).kept_in(folder, Waiter::Move(self.clock.clone()))
    }

    async fn download(&self, known: Option<&FileVersion>) -> Result<Download, TrackerError> {
        let deadline = self.clock.now_ms() + 3_600_000;
        self.file.download(known, deadline).await
    }

    async fn version(&self) -> FileVersion {
        match self.download(None).await.unwrap() {
            Download::Changed(_, info) => info.version,
            Download::Unchanged => panic!("expected a file"),
        }
    }

    async fn cause(&self, known: Option<&FileVersion>) -> Cause {
        let error = self.download(known).await.unwrap_err();
        assert!(!error.to_string().contains("127.0.0.1"), "{error}");
        error.detail().cause()
    }
}

fn remote(url: &str, clock: &Clock) -> RemoteFile {
    RemoteFile::new("anidb_titles", url, SIZE, clock.clone()).unwrap()
}

fn content(download: Download) -> String {
    let Download::Changed(mut file, _) = download else {
        panic!("expected a file")
    };
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

fn redirect(to: &str) -> Fault {
    Fault::Answer(302, vec![("location", to.to_owned())], String::new())
}

#[tokio::test]
async fn file_is_downloaded_only_when_it_has_changed() {
    let fixture = Fixture::new().await;
    let first = fixture.download(None).await.unwrap();
    assert_eq!(fixture.server.last().header("if-none-match"), "");
    let sent = fixture.server.last();
    sent.header("user-agent").assert_starts_with("kiroku/");
    assert_eq!(content(first), "A title");
    let version = fixture.version().await;
    let text = serde_json::to_string(&version).unwrap();
    text.assert_lacks("titles");
    let known: FileVersion = serde_json::from_str(&text).unwrap();
    assert_eq!(known, version);
    let again = fixture.download(Some(&known)).await.unwrap();
    assert!(matches!(again, Download::Unchanged));
    assert_eq!(fixture.server.last().header("if-none-match"), TAG);

    fixture
        .server
        .publish("/titles", "Another", Some("W/\"8\""));
    let changed = fixture.download(Some(&known)).await.unwrap();
    assert_eq!(content(changed), "Another");
}

#[tokio::test]
async fn time_of_the_last_change_replaces_a_missing_tag() {
    let fixture = Fixture::new().await;
    let time = "Tue, 14 Nov 2023 22:13:20 GMT";
    {
        let mut state = fixture.server.state();
        let file = state.files.get_mut("/titles").unwrap();
        (file.etag, file.last_modified) = (None, Some(time.to_owned()));
    }
    let version = fixture.version().await;
    let again = fixture.download(Some(&version)).await.unwrap();
    assert!(matches!(again, Download::Unchanged));
    assert_eq!(fixture.server.last().header("if-modified-since"), time);
    let Download::Changed(_, info) = fixture.download(None).await.unwrap() else {
        panic!("expected a file")
    };
    assert_eq!(info.modified_at, Some(1_700_000_000));

    // Without a tag and a time, the file is downloaded each time. A tag that is too long to store has the same effect.
    for etag in [None, Some(format!("\"{}\"", "7".repeat(300)))] {
        fixture
            .server
            .publish("/titles", "A title", etag.as_deref());
        let version = fixture.version().await;
        assert_eq!(
            content(fixture.download(Some(&version)).await.unwrap()),
            "A title"
        );
        assert_eq!(fixture.server.last().header("if-none-match"), "");
    }
}

#[tokio::test]
async fn version_of_another_url_is_ignored() {
    let fixture = Fixture::new().await;
    let version = fixture.version().await;
    let url = fixture.server.publish("/mirror", "A mirror", Some(TAG));
    let mirror = remote(&url, &fixture.clock);
    let download = mirror.download(Some(&version), u64::MAX).await.unwrap();
    assert_eq!(content(download), "A mirror");
    assert_eq!(fixture.server.last().header("if-none-match"), "");
}

#[tokio::test]
async fn redirects_are_followed_a_few_times() {
    let fixture = Fixture::new().await;
    let version = fixture.version().await;
    let titles = format!("{}/titles", fixture.server.origin);
    fixture
        .server
        .fail_each_after(0, (0..5).map(|_| redirect(&titles)));
    let unchanged = fixture.download(Some(&version)).await.unwrap();
    assert!(matches!(unchanged, Download::Unchanged));
    fixture
        .server
        .fail_each_after(0, (0..6).map(|_| redirect("/titles")));
    assert_eq!(fixture.cause(None).await, Cause::Redirect);
    fixture.server.clear_faults();
    for unsafe_url in [
        "http://files.test/titles",
        "http://169.254.169.254/latest/meta-data",
        "https://user:password@files.test/titles",
        "ftp://files.test/titles",
    ] {
        fixture.server.fail(redirect(unsafe_url));
        assert_eq!(fixture.cause(None).await, Cause::Redirect, "{unsafe_url}");
    }
}

#[tokio::test]
async fn only_safe_urls_are_accepted() {
    for url in [
        "",
        "titles.xml",
        "http://anidb.test/titles",
        "https://user@anidb.test/titles",
        "file:///etc/passwd",
    ] {
        let refused = RemoteFile::new("ANIDB_TITLES_URL", url, SIZE, Clock::system());
        assert!(
            matches!(refused, Err(SetupError::Address("ANIDB_TITLES_URL"))),
            "{url}"
        );
    }
}

#[tokio::test]
async fn response_that_is_not_the_file_is_an_error() {
    let fixture = Fixture::new().await;
    let version = fixture.version().await;
    // The file has changed, so the server sends it. The half before a cut is longer than the server's buffer.
    let new_file = "A new title".repeat(95_000);
    fixture.server.publish("/titles", new_file, Some("\"8\""));
    let status = |status: u16| (Fault::answer(status, "no"), Cause::Status(status));
    let ten_gigabytes = Some(10 * 1024 * 1024 * 1024);
    let cases = [
        (html_response(200), Cause::Html(200)),
        (
            Fault::answer(200, "\r\n <!DOCTYPE html><p>Busy"),
            Cause::Html(200),
        ),
        (Fault::answer(200, "<HTML>Busy"), Cause::Html(200)),
        (Fault::answer(200, ""), Cause::Malformed("an empty file")),
        (Fault::Cut, Cause::CutOff),
        (Fault::Endless(None), Cause::TooLong),
        (Fault::Endless(ten_gigabytes), Cause::TooLong),
        status(201),
        status(206),
        status(300),
        status(403),
        status(404),
        status(410),
        status(429),
        status(500),
        status(503),
    ];
    for (fault, cause) in cases {
        fixture.server.fail(fault);
        assert_eq!(fixture.cause(Some(&version)).await, cause);
    }
    let not_modified = || Fault::answer(304, "");
    fixture.server.fail(not_modified());
    let unasked = Cause::Malformed("status 304 without a condition");
    assert_eq!(fixture.cause(None).await, unasked);
    fixture.server.fail(not_modified());
    let unchanged = fixture.download(Some(&version)).await.unwrap();
    assert!(matches!(unchanged, Download::Unchanged));
    fixture.server.fail(Fault::answer(404, ""));
    assert_eq!(action_of(fixture.download(None).await), "final");
    let past = fixture.file.download(None, START_MS).await;
    assert_eq!(past.unwrap_err().detail().cause(), Cause::NoTurn);
    // XML is not a web page.
    fixture
        .server
        .publish("/titles", "<?xml version=\"1.0\"?><animetitles/>", None);
    assert!(content(fixture.download(None).await.unwrap()).ends_with("<animetitles/>"));
}

/// A file of exactly the maximum size is complete, one byte more is too long.
#[tokio::test]
async fn size_of_a_file_is_limited() {
    let fixture = Fixture::new().await;
    let most = usize::try_from(SIZE).unwrap();
    fixture.server.publish("/titles", vec![b'7'; most], None);
    assert_eq!(content(fixture.download(None).await.unwrap()).len(), most);
    fixture
        .server
        .publish("/titles", vec![b'7'; most + 1], None);
    assert_eq!(fixture.cause(None).await, Cause::TooLong);
}

/// The runtime's time is paused once the request has arrived. It then jumps to the next timeout when every
/// task is waiting.
#[tokio::test]
async fn stalled_download_times_out() {
    let fixture = Fixture::new().await;
    for (fault, seconds, cause) in [
        (Fault::Stall, 3_600, Cause::Timeout),
        (Fault::StallInBody, 3_600, Cause::Timeout),
        (Fault::StallInBody, 5, Cause::Deadline),
    ] {
        fixture.server.fail(fault);
        let before = fixture.server.count();
        let stalls = async {
            while fixture.server.count() == before {
                yield_now().await;
            }
            for _ in 0..1_000 {
                yield_now().await;
            }
            time::pause();
        };
        let started = time::Instant::now();
        let deadline = fixture.clock.now_ms() + seconds * 1_000;
        let (outcome, ()) = tokio::join!(fixture.file.download(None, deadline), stalls);
        let took = started.elapsed();
        time::resume();
        assert_eq!(outcome.unwrap_err().detail().cause(), cause);
        assert!(took <= Duration::from_secs(31), "{took:?}");
    }
}

/// Returns a file of half a megabyte, so that a server that closes the connection has sent a part of it.
fn long_text() -> String {
    "A long title. ".repeat(70_000)
}

/// Returns the positions from which the server was asked for the file, and 0 for the whole file.
fn asked_positions(server: &Fake) -> Vec<usize> {
    let state = server.state();
    let position = |range: &str| {
        range
            .trim_start_matches("bytes=")
            .trim_end_matches('-')
            .parse()
    };
    let received = state.received.iter();
    received
        .map(|sent| position(sent.header("range")).unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn kept_download_continues_where_it_was_cut_off() {
    let fixture = Fixture::new().await;
    fixture.server.publish("/titles", long_text(), Some(TAG));
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/titles", fixture.server.origin);
    let kept = || fixture.kept(&url, folder.path().join("new"));
    // During one call, the connection is closed twice. Each new request is only for the rest.
    fixture.server.fail_each_after(0, [Fault::Cut, Fault::Cut]);
    let file = kept();
    assert_eq!(
        content(file.download(None, u64::MAX).await.unwrap()),
        long_text()
    );
    let positions = asked_positions(&fixture.server);
    assert_eq!((positions.len(), positions[0]), (3, 0), "{positions:?}");
    assert!(positions.is_sorted() && positions[1] > 0, "{positions:?}");
    assert!(!file.is_interrupted());
    // The file is kept, so it is not downloaded again while it is unchanged.
    assert_eq!(
        content(kept().download(None, u64::MAX).await.unwrap()),
        long_text()
    );
    assert_eq!(fixture.server.last().header("if-none-match"), TAG);
    let known = kept().kept_file().unwrap().1.version;
    let again = kept().download(Some(&known), u64::MAX).await.unwrap();
    assert!(matches!(again, Download::Unchanged));
}

/// The end of the name states the format of the file.
#[tokio::test]
async fn kept_file_has_the_end_of_its_address_even_if_the_rest_is_not_a_plain_name() {
    let fixture = Fixture::new().await;
    for (path, expected) in [
        ("/a.list-2.jsonl.zst", "a.list-2.jsonl.zst"),
        ("/a%20list.JSONL.zst", "anidb_titles.JSONL.zst"),
        ("/.jsonl", "anidb_titles.jsonl"),
        ("/a%2Fjsonl", "anidb_titles"),
    ] {
        let url = fixture.server.publish(path, "A list", Some(TAG));
        let folder = tempfile::tempdir().unwrap();
        let file = fixture.kept(&url, folder.path().to_owned());
        let download = file.download(None, u64::MAX).await;
        assert_eq!(content(download.unwrap()), "A list");
        assert_eq!(file.kept_file().unwrap().1.name, expected);
    }
}

#[tokio::test]
async fn later_process_continues_a_download_unless_the_file_has_changed() {
    let fixture = Fixture::new().await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/titles", fixture.server.origin);
    let kept = || fixture.kept(&url, folder.path().to_owned());
    for (second, tag) in [(long_text(), TAG), (long_text().to_uppercase(), "\"8-b\"")] {
        fixture.server.publish("/titles", long_text(), Some(TAG));
        fixture
            .server
            .fail_each_after(0, (0..4).map(|_| Fault::Cut));
        let failed = kept().download(None, u64::MAX).await.unwrap_err();
        let cause = failed.detail().cause();
        assert!(
            matches!(cause, Cause::CutOff | Cause::Connection),
            "{cause:?}"
        );
        assert!(kept().is_interrupted());
        fixture.server.publish("/titles", second.clone(), Some(tag));
        assert_eq!(
            content(kept().download(None, u64::MAX).await.unwrap()),
            second
        );
        assert_ne!(fixture.server.last().header("range"), "");
        assert_eq!(fixture.server.last().header("if-range"), TAG);
        for file in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
}

#[tokio::test]
async fn next_address_is_asked_after_a_failure() {
    let fixture = Fixture::new().await;
    let mirror = fixture.server.publish("/mirror", "A mirror", Some(TAG));
    let urls = format!("{}/titles  {mirror}", fixture.server.origin);
    let file = RemoteFile::new("anidb_titles", &urls, SIZE, fixture.clock.clone()).unwrap();
    let faults = [
        Fault::answer(404, ""),
        Fault::answer(500, ""),
        html_response(200),
        Fault::Cut,
    ];
    for fault in faults {
        fixture.server.fail(fault);
        let hosts = std::sync::Mutex::new(Vec::new());
        let show = |event: DownloadEvent<'_>| {
            if let DownloadEvent::Failed { host, .. } = event {
                hosts.lock().unwrap().push(host.to_owned());
            }
        };
        let download = file.download_with(None, u64::MAX, &show).await.unwrap();
        assert_eq!(content(download), "A mirror");
        assert_eq!(*hosts.lock().unwrap(), ["127.0.0.1"]);
    }
    assert_eq!(
        content(file.download(None, u64::MAX).await.unwrap()),
        "A title"
    );
    // If all addresses fail, the error is that of the first one.
    fixture
        .server
        .fail_each_after(0, [Fault::answer(404, ""), Fault::answer(500, "")]);
    let failed = file.download(None, u64::MAX).await.unwrap_err();
    assert_eq!(failed.detail().cause(), Cause::Status(404));
    for urls in ["", " ", "https://a.test/b http://b.test/c"] {
        let refused = RemoteFile::new("ANIDB_TITLES_URL", urls, SIZE, Clock::system());
        assert!(matches!(refused, Err(SetupError::Address(_))), "{urls}");
    }
}

#[tokio::test]
async fn file_of_a_release_must_have_its_published_digest() {
    let fixture = Fixture::new().await;
    let origin = &fixture.server.origin;
    let release = |digest: &str| {
        let asset = serde_json::json!({"name": "list.json", "digest": digest});
        let other = serde_json::json!({"name": "other.json", "digest": null});
        let release = serde_json::json!({ "assets": [other, asset] }).to_string();
        let path = "/api/repos/a/b/releases/tags/latest";
        fixture.server.publish(path, release, None);
    };
    let url = fixture
        .server
        .publish("/a/b/releases/download/latest/list.json", "A list", None);
    let mirror = fixture.server.publish("/mirror", "A mirror", None);
    let urls = format!("{url} {mirror}");
    let file = RemoteFile::new("anime_mapping", &urls, SIZE, fixture.clock.clone()).unwrap();
    let file = file.with_releases_of(origin, &format!("{origin}/api"));
    let digest = "sha256:5b8ceb54dd39d8ed2cde4fb6dd6ca0dd7acd2b8e0b2bd9b5c0b10ca3dd0c0a52";
    let download = async || content(file.download(None, u64::MAX).await.unwrap());
    // A file is accepted if no digest is published.
    assert_eq!(download().await, "A list");
    release(digest);
    assert_eq!(download().await, "A mirror");
    let info = match file.download(None, u64::MAX).await.unwrap() {
        Download::Changed(_, info) => info,
        Download::Unchanged => panic!("expected a file"),
    };
    assert_eq!(info.name, "mirror");
    let good = remote(&url, &fixture.clock).download(None, u64::MAX).await;
    let Download::Changed(_, info) = good.unwrap() else {
        panic!("expected a file")
    };
    release(&format!("sha256:{}", info.digest.to_uppercase()));
    assert_eq!(download().await, "A list");
}

#[tokio::test]
async fn file_on_this_machine_needs_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("anime-titles.xml");
    let file = || {
        let (clock, path) = (Clock::manual(START_MS), path.clone());
        RemoteFile::on_this_machine("anidb_titles", path, 9, clock).unwrap()
    };
    let missing = file().download(None, u64::MAX).await.unwrap_err();
    assert_eq!(missing.detail().cause(), Cause::Disk);
    std::fs::write(&path, "A title").unwrap();
    let Download::Changed(_, info) = file().download(None, u64::MAX).await.unwrap() else {
        panic!("expected a file")
    };
    assert_eq!(info.name, "anime-titles.xml");
    let again = file()
        .download(Some(&info.version), u64::MAX)
        .await
        .unwrap();
    assert!(matches!(again, Download::Unchanged));
    std::fs::write(&path, "Titles").unwrap();
    assert_eq!(
        content(
            file()
                .download(Some(&info.version), u64::MAX)
                .await
                .unwrap()
        ),
        "Titles"
    );
    std::fs::write(&path, "Long titles").unwrap();
    let long = file().download(None, u64::MAX).await.unwrap_err();
    assert_eq!(long.detail().cause(), Cause::TooLong);
}
