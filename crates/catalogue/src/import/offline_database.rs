//! Conversion of the anime-offline-database to facts about anime (docs/trackers.md, "Import of files").

use std::collections::{BTreeSet, HashSet};

use serde::Deserialize;
use serde::de::IgnoredAny;
use shared::models::{
    AnimeFormat, AnimeId, AnimeStatus, Localized, MAX_TRACKER_ID, PerTracker, Score, Season,
    TrackerIds, WireEnum,
};

use super::anime::{AnimeFacts, AnimeFields};
use super::entry::{EntryReader, parse_entry};
use super::ids::AnimeIds;
use super::limits::{DUPLICATE, NO_TITLE, OTHER_TYPE, TRACKER_ID_RANGE};
use super::mapping::IdMapping;
use super::names::{studio_names, tag_names};
use super::report::Skip;
use crate::genres::{genre_of_tag, is_adult_tag};
use crate::rows::anime::FactSource;
use crate::story_lines::FileRelations;

const TYPE_UNKNOWN: &str = "type UNKNOWN has no counterpart in the API";
const NO_TRACKER: &str = "it has no tracker id";
const SEVERAL_IN_TRACKER: &str = "it has several ids of one tracker";
const CONTRADICTION: &str = "the anime already has another id at this tracker";

/// The address of an anime's page at each tracker, up to the anime's id.
const PAGES: PerTracker<&str> = PerTracker {
    a: "https://anilist.co/anime/",
    b: "https://myanimelist.net/anime/",
};

/// The maximum number of related anime of an entry. Real entries have up to 300.
const MAX_RELATED: usize = 1_000;

/// The end of the address of the database's placeholder for a missing picture.
const PLACEHOLDER_END: &str = "/no_pic.png";

/// An entry of the anime-offline-database.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DatabaseEntry {
    sources: Vec<String>,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    episodes: u32,
    #[serde(default)]
    status: String,
    #[serde(default)]
    anime_season: EntrySeason,
    picture: Option<String>,
    duration: Option<EntryDuration>,
    score: Option<EntryScore>,
    #[serde(default)]
    synonyms: Vec<String>,
    #[serde(default)]
    studios: Vec<String>,
    #[serde(default)]
    related_anime: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Default, Deserialize)]
struct EntrySeason {
    #[serde(default)]
    season: String,
    year: Option<u16>,
}

#[derive(Deserialize)]
struct EntryDuration {
    value: u32,
    unit: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryScore {
    arithmetic_mean: Option<f64>,
}

/// Fields that every anime has and the metadata line of a release lacks.
#[derive(Deserialize)]
struct MetadataLine {
    title: Option<IgnoredAny>,
    sources: Option<IgnoredAny>,
}

/// Converts the entries of one file to facts. Remembers the anime of earlier entries, because a file can have several
/// entries for one anime.
#[derive(Debug, Default)]
pub struct OfflineDatabase {
    mapping: IdMapping,
    ids: AnimeIds,
    /// The anime that entries of this file are about.
    seen: HashSet<AnimeId>,
    /// An anime, and the page of a related one at a tracker.
    related: Vec<(AnimeId, TrackerIds)>,
}

impl OfflineDatabase {
    /// Creates a converter for the entries of a file. `ids` has the anime of the catalogue. `mapping` provides the
    /// ids at The Movie Database.
    pub fn new(mapping: IdMapping, ids: AnimeIds) -> Self {
        Self {
            mapping,
            ids,
            ..Self::default()
        }
    }

    /// Returns the relations of the entries that were read, to anime that the catalogue has or that other entries have
    /// added.
    pub fn into_relations(self) -> FileRelations {
        let pairs = self
            .related
            .iter()
            .filter_map(|(id, related)| Some((*id, self.ids.find(*related).ok().flatten()?)));
        FileRelations {
            pairs: pairs.collect(),
            anime: self.seen,
        }
    }

    /// Returns the id of the row that an entry is about, or an id for a new row.
    ///
    /// An id stays with the tracker id that it was made from, because users' stories refer to it. An
    /// entry can add a tracker id that a row lacks, but not replace one.
    fn identify(&self, trackers: TrackerIds) -> Result<AnimeId, &'static str> {
        let Some(id) = self.ids.find(trackers)? else {
            return self.ids.new_id(trackers);
        };
        let known = self.ids.trackers_of(id);
        if self.seen.contains(&id) {
            Err(DUPLICATE)
        } else if known.is_some_and(|known| known.contradict(trackers)) {
            Err(CONTRADICTION)
        } else {
            Ok(id)
        }
    }

    fn convert(&self, entry: DatabaseEntry) -> Result<AnimeFacts, &'static str> {
        if entry.title.trim().is_empty() {
            return Err(NO_TITLE);
        }
        let format = parse_format(&entry.kind)?;
        let trackers = find_tracker_ids(&entry.sources)?;
        let id = self.identify(trackers)?;
        let fields = AnimeFields {
            database_id: self.mapping.database_id(trackers, format),
            format: Some(format),
            status: parse_status(&entry.status),
            titles: Localized::from([("rj".to_owned(), entry.title.trim().to_owned())]),
            probable_titles: find_japanese(&entry.synonyms)
                .map(|title| ("jp".to_owned(), title))
                .into_iter()
                .collect(),
            season_period: parse_season(&entry.anime_season.season),
            season_year: entry.anime_season.year,
            episodes_count: episodes_count(&entry),
            episode_duration: entry.duration.as_ref().and_then(to_minutes),
            cover_image: entry.picture.filter(|url| is_cover(url)),
            genres: find_genres(&entry.tags),
            // The database rates from 1 to 10, and the API from 0 to 100.
            score: entry
                .score
                .and_then(|score| Score::new(score.arithmetic_mean? * 10.0)),
            nsfw: (!entry.tags.is_empty()).then(|| entry.tags.iter().any(|tag| is_adult_tag(tag))),
            studios: studio_names(&entry.studios),
            tags: tag_names(&entry.tags),
            synonyms: entry.synonyms,
            ..AnimeFields::default()
        };
        let facts = AnimeFacts {
            fields,
            ..AnimeFacts::new(id, FactSource::OfflineDatabase, trackers)
        };
        facts.check_texts()?;
        Ok(facts)
    }
}

impl EntryReader for OfflineDatabase {
    type Facts = AnimeFacts;

    fn is_metadata_line(text: &[u8]) -> bool {
        serde_json::from_slice(text)
            .is_ok_and(|line: MetadataLine| line.title.is_none() && line.sources.is_none())
    }

    fn read_entry(&mut self, text: &[u8]) -> Result<AnimeFacts, Skip> {
        let entry: DatabaseEntry = parse_entry(text)?;
        let title = entry.title.clone();
        let related = find_related(&entry.related_anime);
        let facts = self.convert(entry);
        let facts = facts.map_err(|reason| Skip::new(reason, title))?;
        self.related
            .extend(related.into_iter().map(|page| (facts.id, page)));
        self.ids.insert(facts.id, facts.trackers);
        self.seen.insert(facts.id);
        Ok(facts)
    }
}

/// Returns the tracker ids in the addresses of an entry's pages.
fn find_tracker_ids(sources: &[String]) -> Result<TrackerIds, &'static str> {
    let trackers = TrackerIds {
        a: find_tracker_id(sources, PAGES.a)?,
        b: find_tracker_id(sources, PAGES.b)?,
    };
    match (trackers.a, trackers.b) {
        (None, None) => Err(NO_TRACKER),
        _ => Ok(trackers),
    }
}

/// Returns the pages of related anime at the trackers. Other pages, and pages without a valid identifier, are left out.
fn find_related(pages: &[String]) -> Vec<TrackerIds> {
    let page = |url: &String| {
        let trackers = PAGES.map(|page| url.strip_prefix(page).and_then(parse_tracker_id));
        (trackers != TrackerIds::default()).then_some(trackers)
    };
    pages.iter().filter_map(page).take(MAX_RELATED).collect()
}

/// Reads the identifier at the beginning of the last part of a page's address.
fn parse_tracker_id(rest: &str) -> Option<u32> {
    let number = rest.split('/').next()?.parse().ok();
    number.filter(|id| (1..=MAX_TRACKER_ID).contains(id))
}

fn find_tracker_id(sources: &[String], page: &str) -> Result<Option<u32>, &'static str> {
    let mut found = None;
    for rest in sources.iter().filter_map(|url| url.strip_prefix(page)) {
        let id = parse_tracker_id(rest).ok_or(TRACKER_ID_RANGE)?;
        if found.is_some_and(|found| found != id) {
            return Err(SEVERAL_IN_TRACKER);
        }
        found = Some(id);
    }
    Ok(found)
}

fn parse_format(kind: &str) -> Result<AnimeFormat, &'static str> {
    match kind {
        "TV" => Ok(AnimeFormat::Tv),
        "MOVIE" => Ok(AnimeFormat::Movie),
        "OVA" => Ok(AnimeFormat::Ova),
        "ONA" => Ok(AnimeFormat::Ona),
        "SPECIAL" => Ok(AnimeFormat::Special),
        "UNKNOWN" => Err(TYPE_UNKNOWN),
        _ => Err(OTHER_TYPE),
    }
}

fn parse_status(status: &str) -> Option<AnimeStatus> {
    match status {
        "FINISHED" => Some(AnimeStatus::Finished),
        "ONGOING" => Some(AnimeStatus::Releasing),
        "UPCOMING" => Some(AnimeStatus::NotYetReleased),
        _ => None,
    }
}

fn parse_season(name: &str) -> Option<Season> {
    Season::from_name(name).filter(|season| *season != Season::Unknown)
}

/// Returns the number of released episodes (docs/trackers.md, "Import of files"). The database counts planned
/// episodes, so an upcoming anime gets 0. An ongoing anime gets the planned number, because the database has
/// no other. The database's 0 means that the number is unknown.
fn episodes_count(entry: &DatabaseEntry) -> Option<u32> {
    match entry.episodes {
        _ if entry.status == "UPCOMING" => Some(0),
        0 => None,
        count => Some(count),
    }
}

/// Returns a duration rounded to minutes, at least 1.
fn to_minutes(duration: &EntryDuration) -> Option<u32> {
    let is_known = duration.unit == "SECONDS" && duration.value > 0;
    is_known.then(|| (duration.value.saturating_add(30) / 60).max(1))
}

fn is_cover(url: &str) -> bool {
    !url.is_empty() && !url.ends_with(PLACEHOLDER_END)
}

/// Returns the first title with kana. A title that has only Chinese characters may be Chinese.
fn find_japanese(synonyms: &[String]) -> Option<String> {
    let title = synonyms.iter().find(|title| title.contains(is_kana))?;
    Some(title.trim().to_owned())
}

/// Returns true for hiragana and katakana, including iteration marks and half-width forms. The middle dot and the long
/// vowel mark do not count, because Chinese titles also use them.
fn is_kana(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fd}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff6f}' | '\u{ff71}'..='\u{ff9d}')
}

/// Returns the genres of the tags, without duplicates, in alphabetical order; `None` if no tag stands for a genre.
fn find_genres(tags: &[String]) -> Option<Vec<String>> {
    let genres: BTreeSet<&str> = tags.iter().filter_map(|tag| genre_of_tag(tag)).collect();
    (!genres.is_empty()).then(|| genres.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::models::{Anime, AnimeFormat, AnimeId, AnimeStatus, Season, TrackerIds};

    use super::{
        CONTRADICTION, NO_TRACKER, OTHER_TYPE, OfflineDatabase, SEVERAL_IN_TRACKER, TYPE_UNKNOWN,
        find_japanese, is_kana,
    };
    use crate::import::anime::AnimeFacts;
    use crate::import::entry::{BROKEN, EntryReader};
    use crate::import::ids::AnimeIds;
    use crate::import::limits::{DUPLICATE, ID_TAKEN, NO_TITLE, TEXT_TOO_LONG, TRACKER_ID_RANGE};
    use crate::import::mapping::IdMapping;
    use crate::import::report::Skip;
    use crate::import::write::DocumentFacts;
    use crate::rows::anime::FactSource;
    use crate::rows::document::CatalogueRow;

    /// Returns a complete entry of an invented anime.
    fn entry() -> Value {
        json!({
            "sources": [
                "https://anidb.net/anime/9",
                "https://anilist.co/anime/21",
                "https://myanimelist.net/anime/34"
            ],
            "title": " Hoshi no Machi ",
            "type": "TV",
            "episodes": 12,
            "status": "ONGOING",
            "animeSeason": {"season": "FALL", "year": 2031},
            "picture": "https://example.com/cover.png",
            "duration": {"value": 1430, "unit": "SECONDS"},
            "score": {"arithmeticMean": 8.613, "median": 8.5},
            "synonyms": ["Star Town", "星之城", "星の街", "ほし"],
            "studios": ["harbor films", "olm"],
            "relatedAnime": [
                "https://anidb.net/anime/1", "https://anilist.co/anime/22", "https://anilist.co/anime/x",
                "https://myanimelist.net/anime/35", "https://anilist.co/anime/99"
            ],
            "tags": ["space", "science fiction", "sci-fi", "comedy", "unheard of"]
        })
    }

    fn with(changes: Value) -> Value {
        let (mut entry, Value::Object(changes)) = (entry(), changes) else {
            panic!("changes are an object");
        };
        entry.as_object_mut().unwrap().extend(changes);
        entry
    }

    /// Returns an entry with the required fields only.
    fn bare(changes: &Value) -> Value {
        let mut bare = with(json!({
            "episodes": 0, "status": "UNKNOWN", "animeSeason": {"season": "UNDEFINED"},
            "picture": "https://example.com/pics/no_pic.png", "duration": null, "score": null,
            "synonyms": [], "tags": [], "studios": [], "relatedAnime": []
        }));
        bare.as_object_mut()
            .unwrap()
            .extend(changes.as_object().unwrap().clone());
        bare
    }

    fn at(trackers: &[&str]) -> Value {
        let page = |tracker: &&str| match tracker.split_at(1) {
            ("a", id) => format!("https://anilist.co/anime/{id}"),
            (_, id) => format!("https://myanimelist.net/anime/{id}"),
        };
        let pages: Vec<String> = trackers.iter().map(page).collect();
        with(json!({ "sources": pages }))
    }

    fn import_of(known: &[CatalogueRow<Anime>]) -> OfflineDatabase {
        let mut ids = AnimeIds::default();
        for row in known {
            ids.insert(row.document.id, TrackerIds::of(&row.document));
        }
        OfflineDatabase::new(IdMapping::default(), ids)
    }

    fn facts(import: &mut OfflineDatabase, entry: &Value) -> Result<AnimeFacts, Skip> {
        import.read_entry(entry.to_string().as_bytes())
    }

    fn added_row(entry: &Value) -> CatalogueRow<Anime> {
        let facts = facts(&mut OfflineDatabase::default(), entry).unwrap();
        facts.merge_into(None).unwrap()
    }

    fn added(entry: &Value) -> Anime {
        added_row(entry).document
    }

    /// Returns the row as changed by the import of an entry.
    fn merged(known: &CatalogueRow<Anime>, entry: &Value) -> CatalogueRow<Anime> {
        let facts = facts(&mut import_of(std::slice::from_ref(known)), entry).unwrap();
        facts.merge_into(Some(known.clone())).unwrap()
    }

    fn reason(import: &mut OfflineDatabase, entry: &Value) -> &'static str {
        facts(import, entry).unwrap_err().reason
    }

    fn reason_alone(entry: &Value) -> &'static str {
        reason(&mut OfflineDatabase::default(), entry)
    }

    #[test]
    fn unknown_fields_of_a_new_anime_have_defaults() {
        let anime = added(&bare(&json!({})));
        assert_eq!(anime.status, AnimeStatus::Finished);
        assert_eq!(anime.season_period, Season::Unknown);
        assert_eq!((anime.season_year, anime.episode_duration), (None, None));
        assert_eq!((anime.episodes_count, anime.score.hundredths()), (0, 0));
        assert!(!anime.has_cover_image && anime.cover_image.is_empty());
        assert!(!anime.titles.contains_key("jp"));
        assert!(anime.genres.is_empty() && !anime.nsfw);
    }

    #[test]
    fn types_and_statuses_are_mapped() {
        for (kind, format) in [
            ("TV", AnimeFormat::Tv),
            ("MOVIE", AnimeFormat::Movie),
            ("OVA", AnimeFormat::Ova),
            ("ONA", AnimeFormat::Ona),
            ("SPECIAL", AnimeFormat::Special),
        ] {
            assert_eq!(added(&with(json!({ "type": kind }))).format, format);
        }
        assert_eq!(added(&entry()).status, AnimeStatus::Releasing);
        let upcoming = added(&with(json!({"status": "UPCOMING"})));
        assert_eq!(upcoming.status, AnimeStatus::NotYetReleased);
        assert_eq!(upcoming.episodes_count, 0, "no episode is released yet");
    }

    #[test]
    fn durations_round_to_minutes_and_are_at_least_one() {
        let minutes = |value: u32| {
            let duration = json!({"duration": {"value": value, "unit": "SECONDS"}});
            added(&with(duration)).episode_duration
        };
        let expected = [None, Some(1), Some(1), Some(2), Some(24)];
        assert_eq!([0, 5, 89, 90, 1440].map(minutes), expected);
        let other = json!({"duration": {"value": 3, "unit": "MOONS"}});
        assert_eq!(added(&with(other)).episode_duration, None);
    }

    #[test]
    fn score_is_rounded_and_tags_of_one_genre_are_counted_once() {
        let anime = added(&entry());
        assert_eq!(anime.score.hundredths(), 8_613);
        assert_eq!(anime.genres, ["Comedy", "Sci-Fi", "Space"]);
    }

    #[test]
    fn adult_tags_set_nsfw() {
        assert!(added(&with(json!({"tags": ["Hentai"]}))).nsfw);
        assert!(!added(&with(json!({"tags": ["ecchi"]}))).nsfw);
    }

    #[test]
    fn title_without_kana_is_not_taken_as_japanese() {
        let first = |titles: &[&str]| {
            find_japanese(&titles.iter().map(|t| (*t).into()).collect::<Vec<_>>())
        };
        for (titles, found) in [
            (&["哈利・波特", "魔女の旅", "マジョ"][..], Some("魔女の旅")),
            (&["ｶﾞﾝﾀﾞﾑ"], Some("ｶﾞﾝﾀﾞﾑ")),
            (&["Latin", "中文", "한국어", "ー・"], None),
        ] {
            assert_eq!(first(titles).as_deref(), found);
        }
        assert!(is_kana('ぁ') && is_kana('ヺ') && !is_kana('・') && !is_kana('ー'));
    }

    #[test]
    fn entries_that_the_api_cannot_represent_are_skipped() {
        for (changes, reason) in [
            (json!({"type": "UNKNOWN"}), TYPE_UNKNOWN),
            (json!({"type": "OPERA"}), OTHER_TYPE),
            (json!({"title": "  "}), NO_TITLE),
            (json!({"title": "x".repeat(10_001)}), TEXT_TOO_LONG),
            (json!({"sources": []}), NO_TRACKER),
            (json!({"title": 5}), BROKEN),
            (json!({"animeSeason": {"year": 70_000}}), BROKEN),
        ] {
            assert_eq!(reason_alone(&with(changes)), reason);
        }
        assert_eq!(reason_alone(&at(&["a1", "a2"])), SEVERAL_IN_TRACKER);
        for id in ["a0", "b16777216", "a99999999999", "bx", "a"] {
            assert_eq!(reason_alone(&at(&[id])), TRACKER_ID_RANGE, "{id}");
        }
    }

    #[test]
    fn invalid_json_is_skipped_with_the_parse_error() {
        let skip = |text: &[u8]| OfflineDatabase::default().read_entry(text).unwrap_err();
        assert_eq!(skip(b"{\"title\": ").reason, BROKEN);
        assert_eq!(skip(b"\xff").reason, BROKEN);
        assert_eq!(skip(b"{\"title\": \"a\xff\"}").reason, BROKEN);
        assert_eq!(skip(b"{}").about, "missing field `sources`");
    }

    #[test]
    fn metadata_line_has_neither_title_nor_sources() {
        let metadata = br#"{"license": {}, "lastUpdate": "2031-01-01"}"#;
        assert!(OfflineDatabase::is_metadata_line(metadata));
        for other in [&*entry().to_string(), r#"{"title": 1}"#, "nonsense"] {
            assert!(!OfflineDatabase::is_metadata_line(other.as_bytes()));
        }
    }

    #[test]
    fn repeated_entry_is_not_a_change() {
        let upcoming = with(json!({"status": "UPCOMING"}));
        for entry in [entry(), bare(&json!({})), upcoming] {
            let row = added_row(&entry);
            assert_eq!(merged(&row, &entry), row);
        }
    }

    #[test]
    fn every_field_of_the_source_is_compared() {
        let row = added_row(&entry());
        let changes = [
            json!({"title": "Other"}),
            json!({"type": "ONA"}),
            json!({"episodes": 13}),
            json!({"status": "FINISHED"}),
            json!({"animeSeason": {"season": "FALL", "year": 2032}}),
            json!({"animeSeason": {"season": "SUMMER", "year": 2031}}),
            json!({"picture": "https://example.com/2.png"}),
            json!({"duration": {"value": 600, "unit": "SECONDS"}}),
            json!({"score": {"arithmeticMean": 8.62}}),
            json!({"synonyms": ["ほし"]}),
            json!({"tags": ["comedy"]}),
            json!({"tags": ["comedy", "adult"]}),
            json!({"studios": ["olm"]}),
        ];
        for change in changes {
            let entry = with(change.clone());
            let merged = merged(&row, &entry);
            assert_ne!(merged, row, "{change}");
            assert_eq!(merged, added_row(&entry), "{change}");
        }
    }

    #[test]
    fn missing_values_delete_nothing() {
        let row = added_row(&entry());
        let mut expected = row.document.clone();
        // The synonyms of a source are those that it stated last.
        expected.synonyms.clear();
        assert_eq!(merged(&row, &bare(&json!({}))).document, expected);
        expected.titles.insert("rj".into(), "New".into());
        let merged = merged(&row, &bare(&json!({"title": "New"})));
        assert_eq!(merged.document, expected);
    }

    #[test]
    fn titles_and_synonyms_are_kept_for_the_search() {
        let synonyms = added_row(&entry()).notes.synonyms;
        let texts = ["Hoshi no Machi", "星の街", "Star Town", "星之城", "ほし"];
        assert_eq!(synonyms.len(), 1);
        assert_eq!(synonyms[&FactSource::OfflineDatabase], texts);
    }

    #[test]
    fn value_of_a_stronger_source_is_kept() {
        let mut row = added_row(&entry());
        row.document.status = AnimeStatus::Cancelled;
        row.document.titles.insert("jp".into(), "星の町".into());
        let sources = &mut row.notes.sources;
        sources.insert("status".into(), FactSource::AniList);
        sources.insert("titles.jp".into(), FactSource::AniDb);
        let merged = merged(&row, &with(json!({"episodes": 13})));
        assert_eq!(merged.document.status, AnimeStatus::Cancelled);
        assert_eq!(merged.document.titles["jp"], "星の町");
        assert_eq!(merged.document.episodes_count, 13);
    }

    #[test]
    fn anime_with_a_new_tracker_id_keeps_its_id() {
        let row = added_row(&at(&["b34"]));
        assert_eq!(row.document.id.get(), 69);
        let linked = merged(&row, &at(&["a21", "b34"]));
        let anime = &linked.document;
        assert_eq!(anime.id, row.document.id);
        let trackers = TrackerIds::of(anime);
        assert_eq!((trackers.a, trackers.b), (Some(21), Some(34)));
        let only_b = merged(&linked, &at(&["b34"]));
        assert_eq!(only_b, linked, "a missing tracker id deletes nothing");
    }

    #[test]
    fn entry_cannot_take_over_an_id() {
        let row = added_row(&at(&["a1", "b2"]));
        let mut import = import_of(std::slice::from_ref(&row));
        assert_eq!(reason(&mut import, &at(&["a9", "b2"])), CONTRADICTION);
        let mut other = row;
        other.document.tracker_a_id = Some(7);
        assert_eq!(reason(&mut import_of(&[other]), &at(&["a1"])), ID_TAKEN);
    }

    #[test]
    fn second_entry_for_an_anime_is_skipped() {
        let mut import = OfflineDatabase::default();
        assert!(facts(&mut import, &at(&["a1"])).is_ok());
        assert_eq!(reason(&mut import, &at(&["a1"])), DUPLICATE);
        assert_eq!(reason(&mut import, &at(&["a1", "b5"])), DUPLICATE);
        assert!(facts(&mut import, &at(&["b5"])).is_ok());
    }

    #[test]
    fn relations_are_those_to_anime_that_the_catalogue_has() {
        let mut import = OfflineDatabase::default();
        facts(&mut import, &entry()).unwrap();
        let others = [with(json!({"relatedAnime": []})), at(&["a1"])];
        // The entries of related anime can come later.
        for (mut other, page) in others.into_iter().zip(["a22", "b35"]) {
            other["sources"] = at(&[page])["sources"].clone();
            other["relatedAnime"] = json!([]);
            facts(&mut import, &other).unwrap();
        }
        let relations = import.into_relations();
        let id = |number| AnimeId::new(number).unwrap();
        let pairs = [(id(42), id(44)), (id(42), id(71))];
        assert_eq!(relations.pairs, pairs);
        assert_eq!(relations.anime, [id(42), id(44), id(71)].into());
    }
}
