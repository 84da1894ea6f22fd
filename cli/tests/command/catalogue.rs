//! `kiroku catalogue`: the whole catalogue by one command.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use shared::clock::Clock;
use tempfile::TempDir;
use tests::refreshed::entry;
use tests::trackers::{Fake, Fault};

use crate::{Server, kiroku, serve, start};

const DATABASE: &str = "/anime-offline-database.jsonl.zst";
const MAPPING: &str = "/anime-list-full.json";
const TITLES: &str = "/anime-titles.xml";
const SEASONS: &str = "/anime-list-master.xml";

const DUMP: &str = "<?xml version=\"1.0\"?><animetitles><anime aid=\"500\">\
    <title type=\"main\" xml:lang=\"x-jat\">Hoshi no Machi</title>\
    <title type=\"official\" xml:lang=\"fr\">La Ville des étoiles</title></anime></animetitles>";

const SEASON_LIST: &str = "<?xml version=\"1.0\"?><anime-list>\
    <anime anidbid=\"500\" tvdbid=\"70\" defaulttvdbseason=\"2\"/>\
    <anime anidbid=\"x\" tvdbid=\"70\" defaulttvdbseason=\"3\"/></anime-list>";

/// Returns the anime of a release of this day, compressed. It is larger than the buffers of a server.
fn release(day: &str, title: &str) -> Vec<u8> {
    let heading = json!({"license": {"name": "Made up"}, "lastUpdate": day});
    let mut lines = vec![heading, entry(999_001, 999_002, &json!({"title": title}))];
    // Noise cannot be compressed.
    let noise: Vec<String> = (0..240_000_u64)
        .map(|n| {
            format!(
                "{:x}",
                n.wrapping_mul(n).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            )
        })
        .collect();
    for synonyms in noise.chunks(400) {
        let tags = synonyms.to_vec();
        lines.push(json!({"sources": [], "title": "No tracker", "type": "TV", "tags": tags}));
    }
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    zstd::encode_all(text.join("\n").as_bytes(), 3).unwrap()
}

fn mapping() -> String {
    let entry = json!({"anidb_id": 500, "anilist_id": 999_001, "mal_id": 999_002, "themoviedb_id": {"tv": 77}});
    json!([entry]).to_string()
}

/// A server that plays the projects that publish the files, and a service.
struct Fixture {
    runtime: tokio::runtime::Runtime,
    files: Fake,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let files = runtime.block_on(Fake::start_files(Clock::system()));
        files.publish(DATABASE, release("2026-11-20", "Star Town"), Some("\"o1\""));
        files.publish(MAPPING, mapping(), Some("\"m1\""));
        files.publish(TITLES, DUMP, Some("\"t1\""));
        files.publish(SEASONS, SEASON_LIST, Some("\"s1\""));
        Self {
            runtime,
            files,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn data(&self) -> String {
        self.folder.path().join("data").to_str().unwrap().to_owned()
    }

    fn serve(&self) -> Server {
        serve(&["--data-dir", &self.data(), "--empty"])
    }

    /// Runs `kiroku catalogue` beside the server, with the addresses of the files.
    fn run(&self, options: &[&str]) -> Output {
        let data = self.data();
        let mut command = kiroku(&[&["catalogue", "--data-dir", &data], options].concat());
        for (variable, path) in ADDRESSES {
            command.env(variable, format!("{}{path}", self.files.origin));
        }
        command.output().unwrap()
    }

    /// Runs the command, which must succeed, and returns its report.
    fn report(&self, options: &[&str]) -> String {
        let output = self.run(options);
        let report = String::from_utf8(output.stdout).unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{report}{log}");
        report
    }

    fn requests(&self, path: &str) -> usize {
        let state = self.files.state();
        let of_file = state.received.iter().filter(|sent| sent.path == path);
        of_file.count()
    }
}

const ADDRESSES: [(&str, &str); 4] = [
    ("OFFLINE_DATABASE_URL", DATABASE),
    ("ANIME_MAPPING_URL", MAPPING),
    ("ANIDB_TITLES_URL", TITLES),
    ("ANIME_SEASONS_URL", SEASONS),
];

/// Checks that the service has the anime with its identifiers, titles and season.
fn assert_complete(service: &Server) {
    let found = service.get("/v1/anime?tracker_b_id=999002");
    let anime = &found["data"][0];
    assert_eq!(anime["titles"]["rj"], "Hoshi no Machi", "{found}");
    assert_eq!(anime["titles"]["fr"], "La Ville des étoiles");
    assert_eq!(anime["database_id"], 77);
    let mapped = service.get("/v1/mapping?source=anidb&id=500");
    assert_eq!(mapped["data"][0]["anime"][0]["anime_id"], anime["id"]);
}

#[test]
fn one_command_fills_the_catalogue() {
    let fixture = Fixture::new();
    let service = fixture.serve();
    let refused = fixture.run(&[]);
    let log = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{log}");
    for text in [
        "Open Database License",
        "BY-NC-SA",
        "AniDB",
        "--accept-terms if",
    ] {
        assert!(log.contains(text), "{text}: {log}");
    }
    assert_eq!(fixture.files.count(), 0);

    let report = fixture.report(&["--accept-terms"]);
    for text in [
        "Mapping of identifiers: read\nAnime with identifiers: 1.\n",
        "Season maps: read\nAnime with a season or a movie: 1.\n\
         Parts of the file that were skipped: 1.\n",
        "anime-offline-database: read\n",
        "AniDB's titles: read\n",
        "Published the index of anime: 1 rows.",
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
    assert_complete(&service);

    // The terms are remembered, unchanged files are read from the folder, and AniDB is asked once a day.
    let asked = fixture.requests(TITLES);
    let report = fixture.report(&[]);
    assert!(report.contains("unchanged          1"), "{report}");
    assert_eq!(fixture.requests(TITLES), asked);
    assert_eq!(fixture.files.last().header("if-none-match"), "\"o1\"");
    service.stop();
}

#[test]
fn broken_download_is_continued_and_a_failure_keeps_the_catalogue() {
    let fixture = Fixture::new();
    let service = fixture.serve();
    fixture.report(&["--accept-terms"]);
    fixture.files.publish(
        DATABASE,
        release("2026-11-27", "Star Town 2"),
        Some("\"o2\""),
    );
    // The mapping and the seasons fail, and then the connection is closed in the middle of the anime.
    let faults = [Fault::answer(500, ""), Fault::answer(404, ""), Fault::Cut];
    fixture.files.fail_each_after(0, faults);
    let output = fixture.run(&[]);
    let report = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}{log}");
    for text in [
        "Mapping of identifiers: failed: later: anime_mapping: status 500",
        "Season maps: failed: final: anime_seasons: status 404",
        "anime-offline-database: read\n",
    ] {
        assert!(report.contains(text), "{text}: {report}{log}");
    }
    assert!(log.contains("run the command again"), "{log}");
    {
        let state = fixture.files.state();
        let rest = state.received.iter().filter(|sent| sent.path == DATABASE);
        let rest = rest.filter(|sent| sent.header("if-range") == "\"o2\"");
        assert_eq!(rest.count(), 1);
    }
    assert_complete(&service);
    service.stop();
}

#[test]
fn files_of_a_folder_need_no_network() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path().join("files");
    std::fs::create_dir(&folder).unwrap();
    let service = fixture.serve();
    let from = ["--from", folder.to_str().unwrap()];
    let output = fixture.run(&from);
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("anime-offline-database.jsonl, "), "{log}");

    let gzip = |name: &str, text: &str| {
        let file = std::fs::File::create(folder.join(name)).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    };
    let database = folder.join(DATABASE.trim_start_matches('/'));
    std::fs::write(database, release("2026-07-04", "Star Town")).unwrap();
    gzip("anime-list-full.json.gz", &mapping());
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let ids = OpenOptions::new()
        .append(true)
        .open(folder.join("anime-list-full.json.gz"));
    ids.unwrap().set_modified(changed).unwrap();
    let heading = "<!-- Created: Sun May  4 03:00:02 2025 --><animetitles>";
    gzip(
        "anime-titles.xml.gz",
        &DUMP.replace("<animetitles>", heading),
    );
    let output = fixture.run(&from);
    let report = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}{log}");
    assert!(
        report.contains("Season maps: no file in the folder"),
        "{report}"
    );
    // The anime and the titles state their day. The identifiers do not, so the time of their file counts.
    for (name, day) in [
        ("anime-offline-database", "2026-07-04"),
        ("AniDB's titles", "2025-05-04"),
        ("Mapping of identifiers", "2023-11-14"),
    ] {
        let warning = format!("Warning: {name}: the data is from {day}");
        assert!(log.contains(&warning), "{warning}: {log}");
    }
    assert_complete(&service);
    assert_eq!(fixture.files.count(), 0);

    // Another run fails in the same way, and the file of the titles is not the cause.
    gzip("anime-list-full.json.gz", "{}");
    let output = fixture.run(&from);
    let report = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}{log}");
    let reason = "the file cannot be used: it is not a mapping in the anime-lists format";
    for text in [
        format!("Mapping of identifiers: failed: {reason}"),
        format!(
            "AniDB's titles: failed: it needs the mapping of identifiers, which failed: {reason}"
        ),
    ] {
        assert!(report.contains(&text), "{text}: {report}");
    }
    assert!(
        log.contains(&format!("kiroku: Mapping of identifiers: {reason}")),
        "{log}"
    );
    assert!(log.ends_with("; changes made so far are kept\n"), "{log}");
    assert_complete(&service);
    service.stop();
}

/// The terms that were accepted for the command hold for the server, which then needs no variable for its sources.
#[test]
fn server_repeats_the_command() {
    let fixture = Fixture::new();
    let data = fixture.data();
    let serve = |options: &[&str]| {
        let every = ["serve", "--port", "0", "--empty", "--refresh-every", "7d"];
        let mut command = kiroku(&[&every[..], &["--data-dir", &data], options].concat());
        // Three sources are off, and the usual addresses of the fourth are replaced.
        for (variable, _) in ADDRESSES {
            command.env(variable, "off");
        }
        command
    };
    let refused = serve(&[]).output().unwrap();
    let log = String::from_utf8(refused.stderr).unwrap();
    assert!(log.contains("kiroku catalogue --accept-terms"), "{log}");

    let missing = format!("{}/missing.jsonl", fixture.files.origin);
    let addresses = format!("{missing} {}{DATABASE}", fixture.files.origin);
    let mut command = serve(&["--accept-terms"]);
    command.env("OFFLINE_DATABASE_URL", &addresses);
    let service = start(&mut command);
    service.wait_for_log("refreshed the catalogue");
    let found = service.get("/v1/anime?tracker_b_id=999002");
    assert_eq!(found["data"][0]["titles"]["rj"], "Star Town");
    assert_eq!(fixture.requests("/missing.jsonl"), 1);
    service.stop();
    assert!(
        Path::new(&data)
            .join("catalogue/accepted-terms.txt")
            .exists()
    );
    drop(fixture.runtime);
}

/// A refresh does not repeat the warning of old data that the server logs once a day.
#[test]
fn server_warns_of_old_data_once() {
    let fixture = Fixture::new();
    let data = fixture.data();
    let old = release("2025-11-20", "Star Town");
    let file = fixture.folder.path().join("old.jsonl.zst");
    std::fs::write(&file, &old).unwrap();
    fixture.files.publish(DATABASE, old, Some("\"o0\""));
    let service = fixture.serve();
    let import = ["import", "anime", "--data-dir", &data];
    let mut import = kiroku(&import);
    assert!(import.arg(&file).status().unwrap().success());
    service.stop();

    let every = ["serve", "--port", "0", "--refresh-every", "7d"];
    let mut command = kiroku(&[&every[..], &["--accept-terms", "--data-dir", &data]].concat());
    for (variable, path) in ADDRESSES {
        command.env(variable, format!("{}{path}", fixture.files.origin));
    }
    let service = start(&mut command);
    service.wait_for_log("the data of the catalogue is old");
    service.wait_for_log("refreshed the catalogue");
    let log = service.stop();
    assert!(!log.contains("days old"), "{log}");
    drop(fixture.runtime);
}
