//! The list of anime-lists (`anime-list-master.xml`): the places of `AniDB`'s anime in the seasons of `TheTVDB` and The
//! Movie Database (docs/trackers.md, "Season maps").
//!
//! A list is read completely before it is used, so an incomplete download changes nothing.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::ops::RangeInclusive;
use std::str::FromStr;

use quick_xml::events::BytesStart;

use super::input::{Input, explain, invalid};
use super::limits::{DUPLICATE, MAX_FIELD_BYTES};
use super::mapping::parse_number;
use super::report::{Skip, Skips};
use super::xml::{XmlHandler, XmlKind, find_attribute, read_xml};
use crate::identifiers::{IdSource, parse_imdb};
use crate::seasons::{
    DefaultSeason, EpisodePair, EpisodeRange, MoviePart, Placement, SeasonMap, Series,
};

const XML: XmlKind = XmlKind {
    name: "a list of anime-lists",
    root: "anime-list",
};

/// The maximum number of anime. The real list has 17,000.
const MAX_ANIME: usize = 200_000;

/// The maximum number of statements about an anime at a service. Real anime have up to 160.
const MAX_STATEMENTS: usize = 5_000;

/// The maximum number of movies of an anime at a service. Real anime have up to 6.
const MAX_MOVIES: usize = 100;

/// The maximum length of the text of a mapping, in bytes. Real texts have up to 1,500 bytes.
const MAX_TEXT_BYTES: usize = 50_000;

const NAME_DEPTH: usize = 3;
const MAPPING_DEPTH: usize = 4;

/// The numbers by which episodes can be shifted.
const OFFSETS: RangeInclusive<i32> = -65_535..=65_535;

const NO_ID: &str = "its id at AniDB is not a number";
const WRONG_NUMBER: &str = "it is not a number, or out of range";
const WRONG_KIND: &str = "anidbseason is neither 0 nor 1";
const WRONG_RANGE: &str = "the range of episodes has no start, or ends before it";
const WRONG_PAIR: &str = "it is not a pair of episodes such as 1-2 or 1-2+3";
const TOO_MANY: &str = "too much is stated about the anime";

/// The contents of a list.
#[derive(Debug)]
pub struct SeasonList {
    /// The places and movies of the anime.
    pub map: SeasonMap,
    /// The number of anime that have a place in a series, or a movie.
    pub anime: u64,
    /// The parts of the list that were skipped because they have a wrong number.
    pub skips: Skips,
}

impl SeasonList {
    /// Reads a list, plain or compressed with gzip or Zstandard. Wrong numbers are skipped.
    ///
    /// # Errors
    /// If reading fails, or the file is incomplete, is not a list of anime-lists, has a document type definition (DTD)
    /// or no usable anime, or exceeds a limit: 64 MiB when decompressed, 200,000 anime, and 100 KB for an element. The
    /// message says what is wrong with the file, and does not name it.
    pub fn read(file: impl BufRead + Send) -> io::Result<Self> {
        let mut reader = ListReader {
            skips: Skips::new("AniDB"),
            ..ListReader::default()
        };
        reader.fill(file).map_err(explain)?;
        if reader.useful == 0 {
            return Err(invalid("no anime of it has a season or a movie"));
        }
        Ok(Self {
            map: SeasonMap::new(reader.placements, reader.movies),
            anime: reader.useful,
            skips: reader.skips,
        })
    }
}

/// Reads the elements of a list.
#[derive(Default)]
struct ListReader {
    placements: Vec<Placement>,
    movies: Vec<MoviePart>,
    /// The number of anime with a place or a movie.
    useful: u64,
    skips: Skips,
    /// The ids of the anime that were read.
    seen: HashSet<u32>,
    anime: Option<SeasonListAnime>,
    mapping: Option<ListedMapping>,
    is_in_name: bool,
}

/// An element `anime`.
struct SeasonListAnime {
    id: u32,
    name: String,
    /// The places in series, at most one for each source.
    places: Vec<Placement>,
    movies: Vec<MoviePart>,
    /// The parts with wrong numbers.
    skipped: Vec<(&'static str, String)>,
}

/// An element `mapping`.
struct ListedMapping {
    tag: BytesStart<'static>,
    text: String,
}

impl ListReader {
    fn fill(&mut self, file: impl BufRead + Send) -> io::Result<()> {
        let mut input = Input::open(file)?;
        match input.peek()? {
            Some(b'<') => read_xml(input, &XML, self),
            None => Err(invalid("it is empty")),
            Some(_) => Err(invalid(
                "it is not a list of anime-lists: it is not XML; use anime-list-master.xml",
            )),
        }
    }

    fn start_anime(&mut self, tag: &BytesStart) -> io::Result<()> {
        if self.seen.len() == MAX_ANIME {
            return Err(invalid("it has more than 200,000 anime"));
        }
        let text = find_attribute(tag, "anidbid");
        let Some(id) = parse_number(&text) else {
            let about = format!("anidbid=\"{text}\"");
            self.skips.add(0, &Skip::new(NO_ID, about));
            return Ok(());
        };
        if self.seen.insert(id) {
            self.anime = Some(SeasonListAnime::new(id, tag));
        } else {
            let about = format!("tvdbid=\"{}\"", find_attribute(tag, "tvdbid"));
            self.skips.add(id.into(), &Skip::new(DUPLICATE, about));
        }
        Ok(())
    }

    fn finish_anime(&mut self, anime: SeasonListAnime) {
        for (reason, part) in anime.skipped {
            let about = format!("{part} of {}", anime.name.trim());
            self.skips.add(anime.id.into(), &Skip::new(reason, about));
        }
        let places = anime.places.into_iter();
        let places = places.filter(|place| place.default.is_some() || statements(place) > 0);
        let known = (self.placements.len(), self.movies.len());
        self.placements.extend(places);
        self.movies.extend(anime.movies);
        if (self.placements.len(), self.movies.len()) != known {
            self.useful += 1;
        }
    }
}

impl XmlHandler for ListReader {
    fn start(&mut self, depth: usize, tag: &BytesStart) -> io::Result<()> {
        match (depth, tag.name().0) {
            (2, "anime") => self.start_anime(tag)?,
            (NAME_DEPTH, "name") => self.is_in_name = true,
            (MAPPING_DEPTH, "mapping") => {
                self.mapping = Some(ListedMapping {
                    tag: tag.to_owned(),
                    text: String::new(),
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, depth: usize, part: &str) {
        match (depth, &mut self.anime, &mut self.mapping) {
            (NAME_DEPTH, Some(anime), _)
                if self.is_in_name && anime.name.len() <= MAX_FIELD_BYTES =>
            {
                anime.name.push_str(part);
            }
            (MAPPING_DEPTH, _, Some(mapping)) if mapping.text.len() <= MAX_TEXT_BYTES => {
                mapping.text.push_str(part);
            }
            _ => {}
        }
    }

    fn end(&mut self, depth: usize) -> io::Result<()> {
        match depth {
            2 => {
                if let Some(anime) = self.anime.take() {
                    self.finish_anime(anime);
                }
            }
            NAME_DEPTH => self.is_in_name = false,
            MAPPING_DEPTH => {
                if let (Some(mapping), Some(anime)) = (self.mapping.take(), &mut self.anime) {
                    anime.add_mapping(&mapping);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl SeasonListAnime {
    fn new(id: u32, tag: &BytesStart) -> Self {
        let mut anime = Self {
            id,
            name: String::new(),
            places: Vec::new(),
            movies: Vec::new(),
            skipped: Vec::new(),
        };
        let tvdb = ["tvdbid", "defaulttvdbseason", "episodeoffset"];
        anime.add_place(IdSource::Tvdb, tvdb, tag);
        let database = ["tmdbtv", "tmdbseason", "tmdboffset"];
        anime.add_place(IdSource::Database, database, tag);
        anime.add_movies(IdSource::Database, "tmdbid", tag, parse_number);
        anime.add_movies(IdSource::Imdb, "imdbid", tag, parse_imdb);
        anime
    }

    /// Adds a place, from the attributes with these names: series, season and offset.
    fn add_place(&mut self, source: IdSource, names: [&str; 3], tag: &BytesStart) {
        let [series, season, offset] = names.map(|name| find_attribute(tag, name));
        // Anime that are not series have a word instead of an identifier, such as `movie`.
        if !series.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return;
        }
        let Some(id) = parse_number(&series) else {
            return self.skip(WRONG_NUMBER, format!("{}=\"{series}\"", names[0]));
        };
        let default = match season.as_str() {
            "" => None,
            "a" => Some(DefaultSeason::Absolute),
            number => {
                let number = self.parse(names[1], number);
                number.map(DefaultSeason::Number)
            }
        };
        let offset = self.parse_offset(names[2], &offset);
        self.places.push(Placement {
            series: Series { source, id },
            anime: self.id,
            default: default.zip(offset),
            pairs: Vec::new(),
            ranges: Vec::new(),
        });
    }

    /// Adds the movies in an attribute, which are separated by commas. If there are several, the first movie is the
    /// first episode of the anime.
    fn add_movies(
        &mut self,
        source: IdSource,
        name: &str,
        tag: &BytesStart,
        parse: fn(&str) -> Option<u32>,
    ) {
        let text = find_attribute(tag, name);
        let texts = text.split(',').map(str::trim);
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        if texts.len() > MAX_MOVIES {
            return self.skip(TOO_MANY, name.to_owned());
        }
        for (text, number) in texts.iter().zip(1..) {
            match parse(text) {
                Some(movie) => self.movies.push(MoviePart {
                    source,
                    movie,
                    anime: self.id,
                    episode: Some(number).filter(|_| texts.len() > 1),
                }),
                None => self.skip(WRONG_NUMBER, format!("{name}=\"{text}\"")),
            }
        }
    }

    fn add_mapping(&mut self, ListedMapping { tag, text }: &ListedMapping) {
        let is_special = match find_attribute(tag, "anidbseason").as_str() {
            "0" => true,
            "1" => false,
            kind => return self.skip(WRONG_KIND, format!("anidbseason=\"{kind}\"")),
        };
        if text.len() > MAX_TEXT_BYTES {
            return self.skip(TOO_MANY, "mapping".to_owned());
        }
        for (source, name) in [
            (IdSource::Tvdb, "tvdbseason"),
            (IdSource::Database, "tmdbseason"),
        ] {
            let season = find_attribute(tag, name);
            if season.is_empty() {
                continue;
            }
            let mut places = self.places.iter();
            let Some(place) = places.position(|place| place.series.source == source) else {
                continue;
            };
            let Some(season) = self.parse("season", &season) else {
                continue;
            };
            let pairs = self.read_pairs(text, is_special, season);
            let range = self.read_range(tag, is_special, season);
            let place = &mut self.places[place];
            if statements(place) + pairs.len() >= MAX_STATEMENTS {
                return self.skip(TOO_MANY, "mapping".to_owned());
            }
            place.pairs.extend(pairs);
            place.ranges.extend(range);
        }
    }

    /// Reads the pairs in the text of a mapping, such as `;1-3;2-4+5;`: episode 2 of the anime is two episodes of the
    /// season.
    fn read_pairs(&mut self, text: &str, is_special: bool, season: u16) -> Vec<EpisodePair> {
        let mut pairs = Vec::new();
        let texts = text.split(';').map(str::trim);
        for text in texts.filter(|text| !text.is_empty()) {
            let parsed = text.split_once('-').and_then(|(anime_episode, episodes)| {
                let anime_episode = parse_number(anime_episode)?;
                let episodes = episodes
                    .split('+')
                    .map(|episode| episode.trim().parse().ok());
                Some((anime_episode, episodes.collect::<Option<Vec<u16>>>()?))
            });
            match parsed {
                Some((anime_episode, episodes)) => {
                    pairs.extend(episodes.into_iter().map(|episode| EpisodePair {
                        anime_episode,
                        is_special,
                        season,
                        episode,
                    }));
                }
                None => self.skip(WRONG_PAIR, text.to_owned()),
            }
        }
        pairs
    }

    fn read_range(
        &mut self,
        tag: &BytesStart,
        is_special: bool,
        season: u16,
    ) -> Option<EpisodeRange> {
        let [start, end, offset] = ["start", "end", "offset"].map(|name| find_attribute(tag, name));
        if start.is_empty() && end.is_empty() {
            return None;
        }
        let offset = self.parse_offset("offset", &offset)?;
        let last = match end.as_str() {
            // Some ranges have no end, because the anime goes on.
            "" => Some(u16::MAX),
            end => parse_number(end),
        };
        match (parse_number(&start), last) {
            (Some(first), Some(last)) if first <= last => Some(EpisodeRange {
                first,
                last,
                is_special,
                season,
                offset,
            }),
            _ => {
                self.skip(WRONG_RANGE, format!("start=\"{start}\" end=\"{end}\""));
                None
            }
        }
    }

    fn parse_offset(&mut self, name: &str, text: &str) -> Option<i32> {
        let offset = match text {
            "" => Some(0),
            text => self.parse(name, text),
        };
        offset.and_then(|offset| {
            if OFFSETS.contains(&offset) {
                return Some(offset);
            }
            self.skip(WRONG_NUMBER, format!("{name}=\"{text}\""));
            None
        })
    }

    fn parse<T: FromStr>(&mut self, name: &str, text: &str) -> Option<T> {
        let number = text.trim().parse().ok();
        if number.is_none() {
            self.skip(WRONG_NUMBER, format!("{name}=\"{text}\""));
        }
        number
    }

    fn skip(&mut self, reason: &'static str, part: String) {
        self.skipped.push((reason, part));
    }
}

/// Returns the number of statements about the episodes of a place.
fn statements(place: &Placement) -> usize {
    place.pairs.len() + place.ranges.len()
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Read};

    use super::SeasonList;
    use crate::identifiers::IdSource;
    use crate::import::unpack::gzip;
    use crate::seasons::Series;

    const INCOMPLETE: &str = "it is incomplete; download it again";

    const LIST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<anime-list>
  <!-- a comment -->
  <anime anidbid="5" tvdbid="70" defaulttvdbseason="1" episodeoffset=""
      tmdbtv="80" tmdbseason="2" tmdboffset="-1" tmdbid="" imdbid="">
    <name>Hoshi &amp; Machi</name>
    <mapping-list>
      <mapping anidbseason="1" tvdbseason="0" tmdbseason="3">;9-1;</mapping>
      <mapping anidbseason="1" tvdbseason="2" start="10" offset="-9"/>
    </mapping-list>
    <supplemental-info><studio>;1-2;</studio></supplemental-info>
    <before>;1-5;</before>
  </anime>
  <anime anidbid="6" tvdbid="movie" defaulttvdbseason="" episodeoffset=""
      tmdbtv="" tmdbseason="" tmdboffset="" tmdbid="90, 91" imdbid="tt0286390">
    <name>Film</name>
  </anime>
  <anime anidbid="7" tvdbid="" defaulttvdbseason="1" episodeoffset="3"><name>Nothing</name></anime>
</anime-list>
"#;

    fn read(list: &str) -> SeasonList {
        SeasonList::read(list.as_bytes()).unwrap()
    }

    fn error(list: impl AsRef<[u8]>) -> String {
        SeasonList::read(list.as_ref()).unwrap_err().to_string()
    }

    /// Returns the certain episode of anime 5.
    fn episode(list: &SeasonList, source: IdSource, id: u32, season: u16, episode: u32) -> u32 {
        let series = Series { source, id };
        let found = list.map.find(series, season, episode, |_| None);
        let episode = found.certain().unwrap();
        assert_eq!(episode.anime, 5);
        episode.episode
    }

    #[test]
    fn places_and_movies_of_both_services_are_read() {
        let list = read(LIST);
        assert_eq!((list.anime, list.map.len(), list.skips.count()), (2, 2, 0));
        let tvdb = |season, number| episode(&list, IdSource::Tvdb, 70, season, number);
        assert_eq!([tvdb(1, 8), tvdb(0, 1), tvdb(2, 3)], [8, 9, 12]);
        let database = |season, number| episode(&list, IdSource::Database, 80, season, number);
        assert_eq!([database(2, 1), database(3, 1)], [2, 9]);
        let movies = |source, id| list.map.find_movie(source, id).collect::<Vec<_>>();
        assert_eq!(movies(IdSource::Database, 91), [(6, Some(2))]);
        assert_eq!(movies(IdSource::Imdb, 286_390), [(6, None)]);
        let zstd = zstd::encode_all(LIST.as_bytes(), 1).unwrap();
        for compressed in [zstd, gzip(LIST.as_bytes())] {
            let again = SeasonList::read(compressed.as_slice()).unwrap();
            assert_eq!(again.map, list.map);
        }
    }

    #[test]
    fn wrong_numbers_are_skipped_and_counted() {
        let list = read(
            r#"<anime-list>
                <anime anidbid="none" tvdbid="70" defaulttvdbseason="1"/>
                <anime anidbid="5" tvdbid="70" defaulttvdbseason="1" tmdbtv="-8" tmdbseason="1" imdbid="tt1,tt0286390">
                    <name>Hoshi</name>
                    <mapping-list>
                        <mapping anidbseason="2" tvdbseason="0">;1-1;</mapping>
                        <mapping anidbseason="1" tvdbseason="x">;1-1;</mapping>
                        <mapping anidbseason="1" tvdbseason="0">;1-;x-1;70000-1;0-1;3;2-4+y;8-9</mapping>
                        <mapping anidbseason="1" tvdbseason="3" end="4"/>
                        <mapping anidbseason="1" tvdbseason="3" start="4" end="3"/>
                        <mapping anidbseason="1" tvdbseason="3" start="4" end="9" offset="99999"/>
                    </mapping-list>
                </anime>
                <anime anidbid="5" tvdbid="71" defaulttvdbseason="1"/>
                <anime anidbid="8" tvdbid="72" defaulttvdbseason="first"/>
                <anime anidbid="9" tvdbid="73" defaulttvdbseason="1" episodeoffset="1.5"/>
            </anime-list>"#,
        );
        assert_eq!((list.anime, list.map.len()), (1, 1));
        assert_eq!(episode(&list, IdSource::Tvdb, 70, 0, 9), 8);
        assert_eq!(episode(&list, IdSource::Tvdb, 70, 1, 7), 7);
        let report = "
                   6  it is not a number, or out of range
                      AniDB 5: tmdbtv=\"-8\" of Hoshi
                      AniDB 5: imdbid=\"tt1\" of Hoshi
                      AniDB 5: season=\"x\" of Hoshi
                   6  it is not a pair of episodes such as 1-2 or 1-2+3
                      AniDB 5: 1- of Hoshi
                      AniDB 5: x-1 of Hoshi
                      AniDB 5: 70000-1 of Hoshi
                   2  the range of episodes has no start, or ends before it
                      AniDB 5: start=\"\" end=\"4\" of Hoshi
                      AniDB 5: start=\"4\" end=\"3\" of Hoshi
                   1  an earlier entry is for the same anime
                      AniDB 5: tvdbid=\"71\"
                   1  anidbseason is neither 0 nor 1
                      AniDB 5: anidbseason=\"2\" of Hoshi
                   1  its id at AniDB is not a number
                      AniDB 0: anidbid=\"none\"";
        assert_eq!(list.skips.to_string(), report);
    }

    #[test]
    fn incomplete_list_is_an_error() {
        // The cuts start after the heading: a file that is cut off within its heading does not look incomplete.
        for end in LIST.find("<!-- ").unwrap()..LIST.trim_end().len() {
            assert_eq!(error(&LIST[..end]), INCOMPLETE, "{}", &LIST[..end]);
        }
        let zstd = zstd::encode_all(LIST.as_bytes(), 1).unwrap();
        assert_eq!(error(&zstd[..zstd.len() - 5]), INCOMPLETE);
    }

    #[test]
    fn files_of_another_format_are_errors() {
        let dtd = "it has a document type definition (DTD), which a list of anime-lists never has";
        let (_, list) = LIST.split_once('\n').unwrap();
        let entity = "<!DOCTYPE anime-list [<!ENTITY a \"b\">]>".to_owned() + list;
        let kind = "it is not a list of anime-lists";
        let root = format!("{kind}: its root element is not anime-list");
        let other = format!("{kind}: it is not XML; use anime-list-master.xml");
        let nothing = "no anime of it has a season or a movie";
        for (text, message) in [
            (&*entity, dtd),
            ("<!DOCTYPE html><html></html>", dtd),
            ("<animetitles></animetitles>", &*root),
            ("[{\"anidb_id\": 5}]", &*other),
            (" \n", "it is empty"),
            ("<anime-list><anime anidbid=\"5\"/></anime-list>", nothing),
            ("<anime-list></anime>", "it is not valid XML near byte 12"),
        ] {
            assert_eq!(error(text), message);
        }
    }

    #[test]
    fn endless_files_are_errors() {
        for start in ["<", "<anime-list>", "<anime-list><anime anidbid='"] {
            let file = BufReader::new(start.as_bytes().chain(io::repeat(b'1')));
            let error = SeasonList::read(file).unwrap_err().to_string();
            assert!(error.contains("100 KB"), "{start}: {error}");
        }
        let pairs = ";1-1".repeat(20_000);
        let list = read(&format!(
            "<anime-list><anime anidbid=\"5\" tvdbid=\"70\" defaulttvdbseason=\"1\"><x><mapping anidbseason=\"1\" \
             tvdbseason=\"1\">{pairs}</mapping></x></anime></anime-list>"
        ));
        assert_eq!(list.skips.count(), 1, "too many pairs");
        let many: Vec<String> = (1..200_002)
            .map(|id| format!("<anime anidbid=\"{id}\"/>"))
            .collect();
        let list = format!("<anime-list>{}</anime-list>", many.concat());
        assert_eq!(error(list), "it has more than 200,000 anime");
    }
}
