//! `AniDB`'s title dump: the titles of anime in many languages, as XML or as lines of text (docs/trackers.md,
//! "AniDB's titles").
//!
//! A dump is read completely before its first title is used, so an incomplete download changes nothing.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use quick_xml::events::BytesStart;

use super::input::{Input, explain, incomplete, invalid};
use super::limits::MAX_FIELD_BYTES;
use super::xml::{XmlHandler, XmlKind, find_attribute, read_xml};

/// The XML format of a dump.
const XML: XmlKind = XmlKind {
    name: "a title dump of AniDB",
    root: "animetitles",
};

/// The maximum number of titles of a dump. `AniDB` has 95,000.
const MAX_TITLES: u64 = 1_000_000;

/// The maximum number of titles of an anime. Real anime have up to 64.
const MAX_TITLES_OF_ANIME: usize = 200;

/// The maximum length of all titles of an anime together, in bytes. Real anime have up to 3,000 bytes. A row has room
/// for the maximum.
const MAX_BYTES_OF_ANIME: usize = 100_000;

/// The depth of the elements `anime`.
const ANIME_DEPTH: usize = 2;

/// The depth of the elements `title`.
const TITLE_DEPTH: usize = 3;

/// A title of an anime.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DumpTitle {
    /// The kind.
    pub kind: TitleKind,
    /// `AniDB`'s code of the language, for example `ja`, `zh-Hans` or `x-jat` for transcribed Japanese.
    pub language: String,
    /// The text, neither empty nor longer than 10,000 bytes.
    pub text: String,
}

/// The kind of a title.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TitleKind {
    /// The name of the anime at `AniDB`, in Latin letters. Each anime has one.
    Main,
    /// The title in a country, at most one for each language.
    Official,
    /// Another title.
    Synonym,
    /// An abbreviation.
    Short,
    /// A Japanese title in kana.
    Kana,
    /// A title card's text.
    Card,
}

impl TitleKind {
    /// Returns the kind with this name in XML, or this number in a text file.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "main" | "1" => Some(Self::Main),
            "syn" | "2" => Some(Self::Synonym),
            "short" | "3" => Some(Self::Short),
            "official" | "4" => Some(Self::Official),
            "kana" | "5" => Some(Self::Kana),
            "card" | "6" => Some(Self::Card),
            _ => None,
        }
    }
}

/// The titles of a dump.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TitleDump {
    /// The titles of each anime, by its id at `AniDB`. The titles of an anime are sorted and
    /// without duplicates, so both formats of a dump give the same titles.
    pub anime: BTreeMap<u32, Vec<DumpTitle>>,
    /// The number of titles in `anime`.
    pub titles: u64,
    /// The number of titles that were ignored, because they have an unknown kind, no text or no anime, or
    /// exceed a limit.
    pub ignored: u64,
}

impl TitleDump {
    /// Reads a dump, plain or compressed with gzip or Zstandard. Its content determines its format. The titles
    /// of an anime that occurs repeatedly are merged.
    ///
    /// # Errors
    /// If reading fails, or the file is incomplete, is not a title dump, has a document type definition (DTD) or no
    /// usable title, or exceeds a limit: 64 MiB when decompressed, 1,000,000 titles, and 100 KB for an element or a
    /// line. The message says what is wrong with the file, and does not name it.
    pub fn read(file: impl BufRead + Send) -> io::Result<Self> {
        let mut dump = Self::default();
        dump.fill(file).map_err(explain)?;
        for titles in dump.anime.values_mut() {
            titles.sort_unstable();
            titles.dedup();
        }
        dump.titles = dump.anime.values().map(|titles| titles.len() as u64).sum();
        match dump.titles {
            0 => Err(invalid("it has no titles")),
            _ => Ok(dump),
        }
    }

    fn fill(&mut self, file: impl BufRead + Send) -> io::Result<()> {
        let mut input = Input::open(file)?;
        match input.peek()? {
            Some(b'<') => read_xml(input, &XML, &mut XmlTitles::new(self)),
            Some(b'#' | b'0'..=b'9') => self.read_lines(input),
            None => Err(invalid("it is empty")),
            Some(_) => Err(invalid(
                "it is not a title dump of AniDB: it has neither XML nor lines of aid|type|language|title",
            )),
        }
    }

    fn read_lines(&mut self, mut input: Input) -> io::Result<()> {
        let piece_limit = input.piece_limit();
        let mut line = Vec::new();
        loop {
            piece_limit.start_piece();
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            // A dump ends with a line end. Without one, the last line may be cut off.
            if line.pop() != Some(b'\n') {
                return Err(incomplete());
            }
            let text = str::from_utf8(&line).map_err(|_| invalid("it is not UTF-8"))?;
            if text.starts_with('#') || text.trim().is_empty() {
                continue;
            }
            let mut fields = text.splitn(4, '|');
            let mut field = || fields.next().unwrap_or_default();
            let anime = parse_id(field());
            let (kind, language) = (TitleKind::from_name(field()), field().to_owned());
            self.add(anime, kind, language, field())?;
        }
    }

    fn add(
        &mut self,
        anime: Option<u32>,
        kind: Option<TitleKind>,
        language: String,
        text: &str,
    ) -> io::Result<()> {
        self.titles += 1;
        if self.titles > MAX_TITLES {
            return Err(invalid("it has more than 1,000,000 titles"));
        }
        // AniDB writes apostrophes as backticks.
        let text = text.replace('`', "'").replace(char::is_control, " ");
        let (Some(anime), Some(kind), 1..=MAX_FIELD_BYTES) = (anime, kind, text.trim().len())
        else {
            self.ignored += 1;
            return Ok(());
        };
        let titles = self.anime.entry(anime).or_default();
        let bytes: usize = titles.iter().map(|title| title.text.len()).sum();
        if titles.len() == MAX_TITLES_OF_ANIME || bytes + text.len() > MAX_BYTES_OF_ANIME {
            self.ignored += 1;
            return Ok(());
        }
        titles.push(DumpTitle {
            kind,
            language,
            text: text.trim().to_owned(),
        });
        Ok(())
    }
}

/// Adds the titles of an XML file to a dump.
struct XmlTitles<'d> {
    dump: &'d mut TitleDump,
    /// The id of the current anime.
    anime: Option<u32>,
    /// The kind and the language of the current title.
    kind: Option<TitleKind>,
    language: String,
    /// The text of the current title; `None` outside of titles.
    text: Option<String>,
}

impl<'d> XmlTitles<'d> {
    fn new(dump: &'d mut TitleDump) -> Self {
        Self {
            dump,
            anime: None,
            kind: None,
            language: String::new(),
            text: None,
        }
    }
}

impl XmlHandler for XmlTitles<'_> {
    fn start(&mut self, depth: usize, tag: &BytesStart) -> io::Result<()> {
        match (depth, tag.name().0) {
            (ANIME_DEPTH, "anime") => self.anime = parse_id(&find_attribute(tag, "aid")),
            (TITLE_DEPTH, "title") => {
                self.kind = TitleKind::from_name(&find_attribute(tag, "type"));
                self.language = find_attribute(tag, "xml:lang");
                self.text = Some(String::new());
            }
            _ => {}
        }
        Ok(())
    }

    /// Appends a part to the text of a title. Once the text is longer than [`MAX_FIELD_BYTES`], further parts are
    /// dropped. The title is then ignored, because its text is too long.
    fn text(&mut self, depth: usize, part: &str) {
        if depth == TITLE_DEPTH
            && let Some(text) = &mut self.text
            && text.len() <= MAX_FIELD_BYTES
        {
            text.push_str(part);
        }
    }

    fn end(&mut self, depth: usize) -> io::Result<()> {
        if depth == TITLE_DEPTH
            && let Some(text) = self.text.take()
        {
            self.dump
                .add(self.anime, self.kind, self.language.clone(), &text)?;
        } else if depth == ANIME_DEPTH {
            self.anime = None;
        }
        Ok(())
    }
}

/// Reads the id of an anime.
fn parse_id(text: &str) -> Option<u32> {
    text.parse().ok().filter(|id| *id > 0)
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Read};

    use super::{DumpTitle, MAX_TITLES_OF_ANIME, TitleDump, TitleKind};
    use crate::import::title_dump::TitleKind::{Card, Kana, Main, Official, Short, Synonym};

    const INCOMPLETE: &str = "it is incomplete; download it again";

    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- Created: Sun May  4 03:00:02 2031 -->
<animetitles>
	<anime aid="5">
		<title xml:lang="x-jat" type="main">Hoshi no Machi</title>
		<title type="official" xml:lang="fr">L`&#xE9;toile &amp; moi</title>
		<title type="syn" xml:lang="x-unk"><![CDATA[<Star>]]></title>
		<title type='short' xml:lang='en'> HnM </title>
	</anime>
	<anime aid="7">
		<title type="kana" xml:lang="ja">ほし</title>
		<title type="card" xml:lang="en">Star|s</title>
	</anime>
</animetitles>
"#;

    const LINES: &str = "\
# created: Sun May  4 03:00:02 2031
# <aid>|<type>|<language>|<title>

7|6|en|Star|s
5|3|en|HnM
5|2|x-unk|<Star>
7|5|ja|ほし
5|1|x-jat|Hoshi no Machi
5|4|fr|L`étoile & moi
";

    fn read(file: &str) -> TitleDump {
        TitleDump::read(file.as_bytes()).unwrap()
    }

    fn error(file: impl AsRef<[u8]>) -> String {
        TitleDump::read(file.as_ref()).unwrap_err().to_string()
    }

    fn title(kind: TitleKind, language: &str, text: &str) -> DumpTitle {
        DumpTitle {
            kind,
            language: language.to_owned(),
            text: text.to_owned(),
        }
    }

    fn in_xml(titles: &str) -> String {
        format!("<animetitles><anime aid=\"5\">{titles}</anime></animetitles>")
    }

    #[test]
    fn both_formats_give_the_same_titles() {
        let dump = read(XML);
        let titles_of_5 = [
            title(Main, "x-jat", "Hoshi no Machi"),
            title(Official, "fr", "L'étoile & moi"),
            title(Synonym, "x-unk", "<Star>"),
            title(Short, "en", "HnM"),
        ];
        let titles_of_7 = [title(Kana, "ja", "ほし"), title(Card, "en", "Star|s")];
        let anime = [(5, titles_of_5.to_vec()), (7, titles_of_7.to_vec())];
        assert_eq!(dump.anime, anime.into());
        assert_eq!((dump.titles, dump.ignored), (6, 0));
        assert_eq!(read(LINES), dump);
        assert_eq!(read(&LINES.replace('\n', "\r\n")), dump);
        let zstd = zstd::encode_all(LINES.as_bytes(), 1).unwrap();
        assert_eq!(TitleDump::read(zstd.as_slice()).unwrap(), dump);
    }

    #[test]
    fn titles_of_a_repeated_anime_are_merged() {
        let repeated = XML.replace("aid=\"7\"", "aid=\"5\"");
        let dump = read(&repeated);
        assert_eq!((dump.anime.len(), dump.anime[&5].len()), (1, 6));
        let dump = read("5|4|en|A\n6|4|en|A\n5|4|en|B\n5|4|en|A\n");
        let expected = [title(Official, "en", "A"), title(Official, "en", "B")];
        assert_eq!(dump.anime[&5], expected);
        assert_eq!(dump.titles, 3);
    }

    #[test]
    fn incomplete_file_is_an_error() {
        // The cuts start after the heading: a file that is cut off within its heading does not look incomplete.
        let ends = XML.find("<anime ").unwrap()..XML.trim_end().len();
        for end in ends.filter(|end| XML.is_char_boundary(*end)) {
            assert_eq!(error(&XML[..end]), INCOMPLETE, "{}", &XML[..end]);
        }
        assert_eq!(error(LINES.trim_end()), INCOMPLETE);
        let zstd = zstd::encode_all(XML.as_bytes(), 1).unwrap();
        assert_eq!(error(&zstd[..zstd.len() - 5]), INCOMPLETE);
    }

    #[test]
    fn entities_of_a_document_are_not_expanded() {
        let bomb = r#"<!DOCTYPE animetitles [
            <!ENTITY a "aaaaaaaaaa">
            <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
            <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
            <!ENTITY file SYSTEM "file:///etc/passwd">
        ]>"#;
        let titles = in_xml(r#"<title type="main" xml:lang="en">&c;&file;</title>"#);
        let expected =
            "it has a document type definition (DTD), which a title dump of AniDB never has";
        assert_eq!(error(bomb.to_owned() + &titles), expected);
        assert_eq!(error("<!doctype html><html></html>"), expected);
        assert_eq!(error(&titles), "it refers to an unknown entity");
    }

    #[test]
    fn files_of_another_format_are_errors() {
        let kind = "it is not a title dump of AniDB";
        let root = format!("{kind}: its root element is not animetitles");
        let other = format!("{kind}: it has neither XML nor lines of aid|type|language|title");
        let renamed = XML.replace("animetitles", "anime-list");
        let nothing = "it has no titles";
        for (file, message) in [
            (&b"<html><body></body></html>"[..], &*root),
            (renamed.as_bytes(), &*root),
            (b"{\"message\": \"forbidden\"}", &*other),
            (&[0xff, 0xfe, b'<', 0], &*other),
            (b"  \n", "it is empty"),
            (b"5|4|en|\xff\n", "it is not UTF-8"),
            (b"<animetitles></anime>", "it is not valid XML near byte 13"),
            (b"<animetitles/>", nothing),
            (b"# created\n", nothing),
            (b"5|9|en|A\n", nothing),
            (in_xml("").as_bytes(), nothing),
        ] {
            assert_eq!(error(file), message);
        }
    }

    #[test]
    fn unusable_titles_are_ignored_and_counted() {
        let long = "a".repeat(10_001);
        let escaped = "&amp;".repeat(10_001);
        let dump = read(&format!(
            r#"<animetitles>
                <anime aid="0"><title type="main" xml:lang="en">No id</title></anime>
                <anime><title type="main" xml:lang="en">No id</title></anime>
                <title type="main" xml:lang="en">Not at this depth</title>
                <anime aid="5">
                    <title type="main">Star</title>
                    <title type="opera" xml:lang="en">Unknown kind</title>
                    <title type="syn" xml:lang="en"> </title>
                    <title type="syn" xml:lang="en"/>
                    <title type="syn" xml:lang="en">{long}</title>
                    <title type="syn" xml:lang="en">{escaped}</title>
                    <other><title type="syn" xml:lang="en">Not at this depth</title></other>
                    Text
                </anime>
            </animetitles>"#
        ));
        assert_eq!(dump.anime, [(5, vec![title(Main, "", "Star")])].into());
        assert_eq!((dump.titles, dump.ignored), (1, 7));
        let dump = read("5|1|en|Star\n5|2|en\n5\nx|2|en|A\n5|0|en|A\n5|2|en|\u{0}\n");
        assert_eq!((dump.titles, dump.ignored), (1, 5));
    }

    #[test]
    fn anime_has_a_limited_number_of_titles() {
        let many: Vec<String> = (0..300).map(|n| format!("5|2|en|Star {n}\n")).collect();
        let dump = read(&many.concat());
        assert_eq!(dump.anime[&5].len(), MAX_TITLES_OF_ANIME);
        assert_eq!(dump.ignored, 100);
        let long: Vec<String> = (0..12).map(|n| format!("5|2|en|{n:09999}\n")).collect();
        let dump = read(&long.concat());
        assert_eq!((dump.titles, dump.ignored), (10, 2));
    }

    #[test]
    fn endless_files_are_errors() {
        for start in ["1", "<", "<animetitles>", "<animetitles><anime a='"] {
            let file = BufReader::new(start.as_bytes().chain(io::repeat(b'1')));
            let error = TitleDump::read(file).unwrap_err().to_string();
            assert!(error.contains("100 KB"), "{start}: {error}");
        }
        let nested = "<animetitles>".to_owned() + &"<a>".repeat(20);
        assert_eq!(error(nested), "its elements are nested too deeply");
    }
}
