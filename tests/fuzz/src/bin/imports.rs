//! A file of another project is refused, or its facts are within the limits of a row and stay the same when they are
//! written and read again.

#![no_main]
#![expect(
    clippy::unwrap_used,
    reason = "a fuzz target must stop at an unexpected result"
)]

use std::fmt::Write;

use catalogue::AnimeMapping;
use catalogue::identifiers::{IdSource, format_imdb, parse_imdb};
use catalogue::import::{
    AnimeIds, Entries, EntryReader, EntryUnit, IdMapping, LocalizedTitles, MAX_ENTRY_BYTES,
    MAX_FIELD_BYTES, OfflineDatabase, SeasonList, TitleDump, TitleKind,
};
use catalogue::seasons::{SeasonMap, Series};
use fuzz::Input;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const MAPPING: &str = r#"[{"anidb_id": 1, "anilist_id": "290", "mal_id": [290, 291], "imdb_id": ["tt0286390", "tt12345678"],
    "kitsu_id": 265, "tvdb_id": 72025, "season": {"tvdb": 1, "tmdb": 0}, "themoviedb_id": {"tv": 26209, "movie": [5, 6]}},
    {"anidb_id": 2, "mal_id": 7, "themoviedb_id": "1,2", "thetvdb_id": 9}]"#;

const XML: &str = "<?xml version=\"1.0\"?>\n<animetitles><anime aid=\"1\"><title type=\"main\" xml:lang=\"x-jat\">\
    Kumo &amp; Hoshi</title><title xml:lang=\"ja\" type=\"official\"><![CDATA[雲]]></title></anime></animetitles>";

const SEASONS: &str = "<anime-list><anime anidbid=\"1\" tvdbid=\"70\" defaulttvdbseason=\"1\" episodeoffset=\"-2\" \
    tmdbtv=\"70\" tmdbseason=\"a\" tmdbid=\"5,6\" imdbid=\"tt0286390\"><mapping-list><mapping anidbseason=\"1\" \
    tvdbseason=\"2\" start=\"9\" end=\"12\" offset=\"-8\">;1-0;2-3+4;</mapping></mapping-list></anime></anime-list>";

const LINES: &str = "# a comment\n1|1|x-jat|Kumo & Hoshi\n1|4|ja|雲\n2|2|en|A synonym|with a bar\n";

const DATABASE: &str = r#"{"license": {"name": "x"}, "data": [{"sources": ["https://anilist.co/anime/7",
    "https://myanimelist.net/anime/9"], "title": "Kumo", "type": "TV", "episodes": 12, "status": "FINISHED",
    "animeSeason": {"season": "SPRING", "year": 2001}, "picture": "https://example.com/1.png",
    "duration": {"value": 1440, "unit": "SECONDS"}, "score": {"arithmeticMean": 7.25},
    "synonyms": ["A Synonym", "かな"], "tags": ["comedy", "science fiction"]}]}"#;

fn mapping(bytes: &[u8]) {
    let Ok(mapping) = IdMapping::read(bytes) else {
        return;
    };
    let all = |ids: &[catalogue::identifiers::Identifier], source, is_movie| -> Vec<u32> {
        let ids = ids.iter();
        ids.filter(|id| id.source == source && id.is_movie == is_movie)
            .map(|id| id.id)
            .collect()
    };
    let entry = |entry: &catalogue::identifiers::MappingEntry| {
        let ids = &entry.elsewhere;
        let season = |source| {
            ids.iter()
                .find(|id| id.source == source && id.season.is_some())
        };
        let numbers = |source| all(ids, source, None);
        let imdb: Vec<String> = numbers(IdSource::Imdb)
            .into_iter()
            .map(format_imdb)
            .collect();
        assert!(imdb.iter().all(|text| parse_imdb(text).is_some()));
        let unknown = numbers(IdSource::Database);
        let database = if unknown.is_empty() {
            json!({"tv": all(ids, IdSource::Database, Some(false)), "movie": all(ids, IdSource::Database, Some(true))})
        } else {
            json!(unknown)
        };
        json!({
            "anilist_id": entry.trackers.a, "mal_id": entry.trackers.b, "anidb_id": numbers(IdSource::Anidb),
            "imdb_id": imdb, "kitsu_id": numbers(IdSource::Kitsu), "tvdb_id": numbers(IdSource::Tvdb),
            "themoviedb_id": database,
            "season": {"tvdb": season(IdSource::Tvdb).and_then(|id| id.season),
                "tmdb": season(IdSource::Database).and_then(|id| id.season)},
        })
    };
    let entries: Vec<Value> = mapping.entries().iter().map(entry).collect();
    let again = IdMapping::read(json!(entries).to_string().as_bytes());
    let again = again.unwrap();
    // Both names of a field for TheTVDB can occur in one entry, so there can be twice as many identifiers.
    let is_short = mapping
        .entries()
        .iter()
        .all(|entry| entry.elsewhere.len() <= 20);
    assert!(!is_short || again.entries() == mapping.entries());
    let bytes = dynamo::pack_value(&mapping.entries()).unwrap_or_default();
    assert_eq!(
        dynamo::unpack_value(&bytes),
        Some(mapping.entries().to_vec())
    );
    let joined = AnimeMapping::new(std::iter::empty(), mapping.entries().to_vec());
    assert!(joined.find(IdSource::Anidb, 1, None).next().is_none());
}

fn titles(bytes: &[u8]) {
    let Ok(dump) = TitleDump::read(bytes) else {
        return;
    };
    let mut lines = String::new();
    let mut count = 0;
    for (aid, titles) in &dump.anime {
        let _ = LocalizedTitles::new(titles);
        for title in titles {
            let kind = match title.kind {
                TitleKind::Main => 1,
                TitleKind::Synonym => 2,
                TitleKind::Short => 3,
                TitleKind::Official => 4,
                TitleKind::Kana => 5,
                TitleKind::Card => 6,
            };
            // A title in a line cannot contain a line end.
            if title.text.contains(['\n', '\r']) || title.language.contains(['|', '\n', '\r']) {
                return;
            }
            count += 1;
            writeln!(lines, "{aid}|{kind}|{}|{}", title.language, title.text).unwrap();
        }
    }
    assert_eq!(dump.titles, count);
    let again = TitleDump::read(lines.as_bytes());
    let again = again.unwrap();
    assert_eq!(again.anime, dump.anime, "{lines}");
}

fn seasons(bytes: &[u8]) {
    let Ok(list) = SeasonList::read(bytes) else {
        return;
    };
    let packed = dynamo::pack_value(&list.map).unwrap_or_default();
    let again: Option<SeasonMap> = dynamo::unpack_value(&packed);
    assert_eq!(again.as_ref(), Some(&list.map));
    for source in [IdSource::Tvdb, IdSource::Database] {
        for (season, episode) in [
            (0, 1),
            (1, 0),
            (1, 5),
            (2, 3),
            (2, u32::MAX),
            (u16::MAX, 65_535),
        ] {
            let series = Series { source, id: 70 };
            let found = list.map.find(series, season, episode, |_| Some(12));
            let mut episodes = found.episodes.iter();
            assert!(episodes.all(|found| (1..=12).contains(&found.episode)));
        }
    }
}

fn database(bytes: &[u8]) {
    for unit in [EntryUnit::Line, EntryUnit::Entry] {
        let mut import = OfflineDatabase::new(IdMapping::default(), AnimeIds::default());
        let Ok(mut entries) = Entries::new(bytes, unit) else {
            continue;
        };
        let mut last = 0;
        while let Ok(Some((number, text))) = entries.next() {
            assert!(number > last);
            last = number;
            let Some(text) = text else {
                continue;
            };
            assert!(text.len() <= MAX_ENTRY_BYTES);
            if let Ok(facts) = import.read_entry(&text) {
                let trackers = facts.trackers;
                assert!(trackers.a.is_some() || trackers.b.is_some());
                assert!(facts.check_texts().is_ok());
                assert!(
                    facts
                        .fields
                        .titles
                        .values()
                        .all(|title| title.len() <= MAX_FIELD_BYTES)
                );
                // The same anime is refused the second time.
                assert!(import.read_entry(&text).is_err());
            }
        }
    }
}

fuzz_target!(|input: Input| {
    mapping(&input.bytes(MAPPING.as_bytes()));
    titles(&input.bytes(XML.as_bytes()));
    titles(&input.bytes(LINES.as_bytes()));
    seasons(&input.bytes(SEASONS.as_bytes()));
    database(&input.bytes(DATABASE.as_bytes()));
});
