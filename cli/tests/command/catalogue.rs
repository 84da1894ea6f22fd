//! `kiroku catalogue`: the whole catalogue by one command.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use shared::clock::Clock;
use tempfile::TempDir;
use tests::assertions::AssertText;
use tests::refreshed::entry;
use tests::trackers::{Fake, Fault};

use crate::{CommandResult, RUNTIME, Server, finish, kiroku, path, serve, start};

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
        .map(|n| n.wrapping_mul(n).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .map(|number| format!("{number:x}"))
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

/// A service, and a server in place of the projects that publish the files.
struct Fixture {
    files: Fake,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let files = RUNTIME.block_on(Fake::start_files(Clock::system()));
        files.publish(DATABASE, release("2026-11-20", "Star Town"), Some("\"o1\""));
        files.publish(MAPPING, mapping(), Some("\"m1\""));
        files.publish(TITLES, DUMP, Some("\"t1\""));
        files.publish(SEASONS, SEASON_LIST, Some("\"s1\""));
        Self {
            files,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn data(&self) -> String {
        path(&self.folder, "data")
    }

    fn serve(&self) -> Server {
        serve(&format!("--data-dir {} --empty", self.data()))
    }

    /// Returns a command that reads the files at their addresses.
    fn command(&self, arguments: &str) -> Command {
        let mut command = kiroku(&format!("{arguments} --data-dir {}", self.data()));
        let origin = &self.files.origin;
        command.envs(ADDRESSES.map(|(variable, path)| (variable, format!("{origin}{path}"))));
        command
    }

    /// Runs `kiroku catalogue` beside the server.
    fn run(&self, options: &str) -> CommandResult {
        finish(&mut self.command(&format!("catalogue {options}")))
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
    let log = fixture.run("").failed();
    for text in [
        "Open Database License",
        "BY-NC-SA",
        "AniDB",
        "--accept-terms if",
    ] {
        log.assert_has(text);
    }
    assert_eq!(fixture.files.count(), 0);

    let report = fixture.run("--accept-terms").succeeded();
    for text in [
        "Mapping of identifiers: read\nAnime with identifiers: 1.\n",
        "Season maps: read\nAnime with a season or a movie: 1.\n\
         Parts of the file that were skipped: 1.\n",
        "anime-offline-database: read\n",
        "AniDB's titles: read\n",
        "Published the index of anime: 1 rows.",
    ] {
        report.assert_has(text);
    }
    assert_complete(&service);

    // The terms are remembered, unchanged files are read from the folder, and AniDB is asked once a day.
    let asked = fixture.requests(TITLES);
    let report = fixture.run("").succeeded();
    report.assert_has("unchanged          1");
    assert_eq!(fixture.requests(TITLES), asked);
    assert_eq!(fixture.files.last().header("if-none-match"), "\"o1\"");
    service.stop();
}

#[test]
fn broken_download_is_continued_and_a_failure_keeps_the_catalogue() {
    let fixture = Fixture::new();
    let service = fixture.serve();
    fixture.run("--accept-terms").succeeded();
    let newer = release("2026-11-27", "Star Town 2");
    fixture.files.publish(DATABASE, newer, Some("\"o2\""));
    // The mapping and the seasons fail, and then the connection is closed in the middle of the anime.
    let faults = [Fault::answer(500, ""), Fault::answer(404, ""), Fault::Cut];
    fixture.files.fail_each_after(0, faults);
    let result = fixture.run("");
    let report = result.output.clone();
    let log = result.failed();
    for text in [
        "Mapping of identifiers: failed: later: anime_mapping: status 500",
        "Season maps: failed: final: anime_seasons: status 404",
        "anime-offline-database: read\n",
    ] {
        assert!(report.contains(text), "{text}: {report}{log}");
    }
    log.assert_has("run the command again");
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
    let from = format!("--from {}", folder.display());
    let log = fixture.run(&from).log;
    log.assert_has("anime-offline-database.jsonl, ");

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
    let dump = DUMP.replace("<animetitles>", heading);
    gzip("anime-titles.xml.gz", &dump);
    let result = fixture.run(&from);
    let log = result.log.clone();
    let report = result.succeeded();
    let text = "Season maps: no file in the folder";
    report.assert_has(text);
    // The anime and the titles state their day. The identifiers do not, so the time of their file counts.
    for (name, day) in [
        ("anime-offline-database", "2026-07-04"),
        ("AniDB's titles", "2025-05-04"),
        ("Mapping of identifiers", "2023-11-14"),
    ] {
        let warning = format!("Warning: {name}: the data is from {day}");
        log.assert_has(&warning);
    }
    assert_complete(&service);
    assert_eq!(fixture.files.count(), 0);

    // Another run fails in the same way, and the file of the titles is not the cause.
    gzip("anime-list-full.json.gz", "{}");
    let result = fixture.run(&from);
    let report = result.output.clone();
    let log = result.failed();
    let reason = "the file cannot be used: it is not a mapping in the anime-lists format";
    report.assert_has(&format!("Mapping of identifiers: failed: {reason}"));
    let needed = "it needs the mapping of identifiers, which failed";
    report.assert_has(&format!("AniDB's titles: failed: {needed}: {reason}"));
    log.assert_has(&format!("kiroku: Mapping of identifiers: {reason}"));
    assert!(log.ends_with("; changes made so far are kept\n"), "{log}");
    assert_complete(&service);
    service.stop();
}

/// The terms that were accepted for the command hold for the server, which then needs no variable for its sources.
#[test]
fn server_repeats_the_command() {
    let fixture = Fixture::new();
    let serve = |options: &str| {
        let every = "serve --port 0 --empty --refresh-every 7d";
        let mut command = fixture.command(&format!("{every} {options}"));
        // Three sources are off, and the usual addresses of the fourth are replaced.
        command.envs(ADDRESSES.map(|(variable, _)| (variable, "off")));
        command
    };
    let log = finish(&mut serve("")).log;
    log.assert_has("kiroku catalogue --accept-terms");

    let missing = format!("{}/missing.jsonl", fixture.files.origin);
    let addresses = format!("{missing} {}{DATABASE}", fixture.files.origin);
    let service = start(serve("--accept-terms").env("OFFLINE_DATABASE_URL", &addresses));
    service.wait_for_log("refreshed the catalogue");
    let found = service.get("/v1/anime?tracker_b_id=999002");
    assert_eq!(found["data"][0]["titles"]["rj"], "Star Town");
    assert_eq!(fixture.requests("/missing.jsonl"), 1);
    service.stop();
    let accepted = path(&fixture.folder, "data/catalogue/accepted-terms.txt");
    assert!(Path::new(&accepted).exists());
}

/// A refresh does not repeat the warning of old data that the server logs once a day.
#[test]
fn server_warns_of_old_data_once() {
    let fixture = Fixture::new();
    let old = release("2025-11-20", "Star Town");
    let file = path(&fixture.folder, "old.jsonl.zst");
    std::fs::write(&file, &old).unwrap();
    fixture.files.publish(DATABASE, old, Some("\"o0\""));
    let service = fixture.serve();
    finish(&mut fixture.command(&format!("import anime {file}"))).succeeded();
    service.stop();

    let serve = "serve --port 0 --refresh-every 7d --accept-terms";
    let service = start(&mut fixture.command(serve));
    service.wait_for_log("the data of the catalogue is old");
    service.wait_for_log("refreshed the catalogue");
    let log = service.stop();
    log.assert_lacks("days old");
}
