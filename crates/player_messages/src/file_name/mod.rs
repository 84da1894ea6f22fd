//! Names of video files, split into the parts that name an episode.
//!
//! A splitter for names of anime (`anitomy_ng`) takes numbers, years and words such as `Movie` or `Special` out of
//! titles, although some titles have them. So a name has several readings ([`FileName::read`]), and the catalogue
//! decides between them.

mod ids;
mod pattern;

use anitomy_ng::{Element, ElementKind, Options};
use shared::models::{AnimeFormat, StatedId};

use self::pattern::Split;

/// The maximum length of a path, in bytes. Longer paths are not read, so that the work is bounded.
const MAX_PATH_BYTES: usize = 4096;

/// Names of folders and kinds of videos that are not episodes, in lower case and separated by spaces.
const EXTRAS: &str = "cm commercial creditless ed extras featurettes interview menu menus nced ncop op preview \
    previews pv sample scans teaser trailer trailers";

/// The extensions of video files, and of files that name a stream, separated by spaces.
const EXTENSIONS: &str = "avi divx flv m2ts m4v mkv mov mp4 mpeg mpg ogm rmvb strm ts vob webm wmv";

/// The name of a video file, split into its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileName {
    /// The title of the anime. It ends with a season such as `Season 2` if the name spells it as titles do.
    pub title: String,
    /// The season as media servers count it; 0 stands for specials. `None` does not mean the first season.
    pub season: Option<u16>,
    /// The episode: the last one if the file has several. `None` for a film, or if the name has none.
    pub episode: Option<u32>,
    /// The year in the name.
    pub year: Option<u16>,
    /// The format that the name mentions.
    pub format: Option<AnimeFormat>,
}

/// The readings of the name of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// The reading that people recognize: that of the splitter, unless its episode differs from that of the most
    /// probable reading. `None` if there is none.
    pub best: Option<FileName>,
    /// All readings, the most probable one first, at most 12.
    pub all: Vec<FileName>,
    /// The identifiers in the name and its folders: `[anidb-123]`, `{tvdb-123}`, `[tvdbid-123]`, `{tmdb-123}`,
    /// `{imdb-tt0123456}`. Those in the name of the file itself come first.
    pub ids: Vec<StatedId>,
    /// True if an identifier says that the episodes are counted through all seasons, such as `[tvdb4-123]`.
    pub is_absolute: bool,
}

const MAX_READINGS: usize = 12;

/// Returns true if a text is the name of a video file rather than a title: it ends with such an extension, or has marks
/// of such names: `S01E03`, `1080p`, or a group in brackets before an episode.
pub fn is_file_name(text: &str) -> bool {
    if without_extension(text).len() < text.len() {
        return true;
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_marked = words.any(|word| {
        let word = word.to_ascii_lowercase();
        let numbers = word.strip_prefix('s').and_then(|word| word.split_once('e'));
        let is_lines = |lines: &str| lines.len() >= 3 && is_number(lines);
        numbers.is_some_and(|(season, episode)| is_number(season) && is_number(episode))
            || word.strip_suffix('p').is_some_and(is_lines)
    });
    let is_of_group = || {
        let parsed = FileName::parse(text);
        text.starts_with('[') && parsed.is_some_and(|name| name.episode.is_some())
    };
    is_marked || is_of_group()
}

/// The reason why the splitter finds no episode and no movie.
enum SplitError {
    /// The name has no title.
    Untitled,
    /// The name says that the video is something else.
    NotAnEpisode,
}

impl FileName {
    /// Reads the name of a file. The folders in front of it are also read: `Show/Season 2/05.mkv` has its title and its
    /// season there. There are no readings if the name has no title, or if the video is neither an episode nor a film:
    /// an opening or ending without credits, a preview, a trailer, a menu, a whole volume or series, or half an episode
    /// such as 12.5.
    pub fn read(path: &str) -> Readings {
        if path.len() > MAX_PATH_BYTES {
            return Readings::default();
        }
        // A slash between spaces separates a title in two languages, not folders.
        let decoded = decoded(path).replace(" / ", " | ");
        let plain = ids::without_ids(&plain(&decoded));
        let split = Self::split(&plain);
        let all = Self::readings(&plain, &split);
        let first = all.first();
        let is_movie = first.is_some_and(|name| name.episode.is_none());
        let recognized = split
            .ok()
            .filter(|split| first.is_some_and(|first| first.number() == split.number()));
        let found = ids::find(&decoded, is_movie);
        Readings {
            best: recognized.or_else(|| first.cloned()),
            all,
            ids: found.ids,
            is_absolute: found.is_absolute,
        }
    }

    /// Returns the best reading of a name ([`Self::read`]).
    pub fn parse(path: &str) -> Option<Self> {
        Self::read(path).best
    }

    /// Returns the ways to read a path, the most probable one first. `split` is the reading of the splitter.
    fn readings(path: &str, split: &Result<Self, SplitError>) -> Vec<Self> {
        let mut folders: Vec<&str> = path.split(['/', '\\']).collect();
        let name = without_extension(folders.pop().unwrap_or_default());
        folders.reverse();
        folders.retain(|folder| !folder.is_empty() && !folder.ends_with(':'));
        let (reliable, others) = pattern::split(name, &folders);
        let is_numbered = reliable.as_ref().is_some_and(|split| split.is_numbered);
        let is_extra = folders.iter().any(|folder| is_extra_word(folder));
        // `S01E07 - Opening` is an episode with this title.
        let is_other = matches!(split, Err(SplitError::NotAnEpisode)) && !is_numbered;
        if is_extra || is_other {
            return Vec::new();
        }
        let mut readings: Vec<Self> = Vec::new();
        let of_splitter = split.as_ref().ok().cloned();
        // The splitter may have taken a number out of the title. Without the number, the title is that of another
        // anime.
        let of_splitter = of_splitter.filter(|split| {
            let is_alike = |reliable: &Split| {
                let has_number = reliable
                    .titles
                    .iter()
                    .any(|title| pattern::has_number(title));
                let keeps_number = pattern::has_number(&split.title)
                    || split.year.is_some()
                    || split.season.is_some();
                split.episode == Some(reliable.episode)
                    && (split.season == reliable.season || !is_numbered)
                    && (keeps_number || !has_number)
            };
            reliable.as_ref().is_none_or(is_alike)
        });
        let numbered_movie = of_splitter.as_ref().map(Self::with_number_of_movie);
        let reliable = reliable.into_iter().flat_map(Self::of_split);
        let others = others.into_iter().flat_map(Self::of_split);
        let numbered_movie = numbered_movie.into_iter().flatten();
        for reading in reliable
            .chain(of_splitter)
            .chain(numbered_movie)
            .chain(others)
        {
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        readings.truncate(MAX_READINGS);
        readings
    }

    /// Returns the readings of a movie's name that end with its number: `Show Movie 2 - Words`. Catalogues write the
    /// number with one or two digits.
    fn with_number_of_movie(&self) -> Vec<Self> {
        // In lower case, other letters can have another length, so positions would differ from those in the title.
        let place = self.title.to_ascii_lowercase().find("movie ");
        let Some(start) = place.filter(|_| self.episode.is_none()) else {
            return Vec::new();
        };
        let (show, rest) = self.title.split_at(start + "movie ".len());
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
        let number = digits.and_then(|digits| digits.parse::<u8>().ok());
        let numbered = number.into_iter().flat_map(|number| {
            let titles = [format!("{show}{number}"), format!("{show}{number:02}")];
            titles.map(|title| Self {
                title,
                ..self.clone()
            })
        });
        numbered.collect()
    }

    fn number(&self) -> (Option<u16>, Option<u32>) {
        (self.season, self.episode)
    }

    fn of_split(split: Split) -> impl Iterator<Item = Self> {
        let Split {
            titles,
            season,
            episode,
            ..
        } = split;
        titles.into_iter().map(move |title| Self {
            title,
            season,
            episode: Some(episode),
            ..Self::default()
        })
    }

    /// Splits a name with the splitter for names of anime.
    fn split(path: &str) -> Result<Self, SplitError> {
        let elements = anitomy_ng::parse_path(path, Options::default());
        let values =
            |kind: ElementKind| elements.iter().filter(move |element| element.kind == kind);
        let first = |kind: ElementKind| values(kind).next();
        let has_text = |title: &&Element| title.value.contains(char::is_alphanumeric);
        let title = first(ElementKind::Title)
            .filter(has_text)
            .ok_or(SplitError::Untitled)?;
        let types: Vec<&str> = values(ElementKind::Type)
            .map(|element| element.value.as_str())
            .collect();
        let number = first(ElementKind::Episode);
        let is_whole = |element: &Element| {
            let value = element.value.to_ascii_lowercase();
            element.kind == ElementKind::Volume || matches!(value.as_str(), "batch" | "complete")
        };
        if is_extra(&title.value, &types)
            || is_date(first(ElementKind::Year), number)
            || (number.is_none() && elements.iter().any(is_whole))
        {
            return Err(SplitError::NotAnEpisode);
        }
        let mut name = Self {
            title: title.value.clone(),
            season: first(ElementKind::Season).and_then(|season| season.value.parse().ok()),
            year: first(ElementKind::Year).and_then(|year| year.value.parse().ok()),
            ..Self::default()
        };
        match number {
            Some(number) => {
                let rest: String = path
                    .chars()
                    .skip(number.position + number.value.chars().count())
                    .collect();
                if pattern::is_half(&rest) {
                    return Err(SplitError::NotAnEpisode);
                }
                let episode = last_episode(path, number, values(ElementKind::Episode));
                name.episode = Some(episode.ok_or(SplitError::NotAnEpisode)?);
            }
            None => name.find_hidden_episode(first(ElementKind::ReleaseGroup)),
        }
        // A format after the episode is about the release, and a format before the title is part of the group's name.
        let end = number.map_or(usize::MAX, |number| number.position);
        let types = values(ElementKind::Type);
        for kind in types.filter(|kind| (title.position..end).contains(&kind.position)) {
            name.set_format(&kind.value);
        }
        let is_of_server = is_season_of_server(path, first(ElementKind::Season), number);
        name.spell_season(is_of_server, part_of_season(path, &elements));
        Ok(name)
    }

    /// Finds the number of an episode that the splitter takes for a part of the title. Some names have only brackets
    /// and the number, `[Title].148.[...]`, and specials have numbers such as `EX01`.
    fn find_hidden_episode(&mut self, group: Option<&Element>) {
        if let (Ok(number), Some(group)) = (self.title.parse(), group) {
            self.episode = Some(number);
            self.title.clone_from(&group.value);
        } else if let Some((title, last)) = self.title.rsplit_once(" - ") {
            let kind = last.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = last[kind.len()..].parse().ok();
            if let (Some(format), Some(number)) = (format_named(kind), number) {
                self.format = Some(format);
                self.episode = Some(number);
                self.title = title.to_owned();
            }
        }
    }

    /// Sets the format, and removes it from the end of the title: `Show - SP` with the episode 1 is the first special
    /// of `Show`. Elsewhere in the title, the word is a part of it, such as `Special A`.
    fn set_format(&mut self, word: &str) {
        let Some(format) = format_named(word) else {
            return;
        };
        let is_word = |other: &str| other.eq_ignore_ascii_case(word);
        let (start, last) = self.title.rsplit_once(' ').unwrap_or_default();
        if is_word(last) {
            self.title = start.trim_end_matches([' ', '-', '_']).to_owned();
        } else if self.title.split(' ').any(is_word) && format != AnimeFormat::Movie {
            return;
        }
        self.format = Some(format);
    }

    /// Moves a season that is not a season of a media server into the title, and appends the part of the season.
    fn spell_season(&mut self, is_of_server: bool, part: Option<u32>) {
        if !is_of_server && let Some(season) = self.season.take_if(|season| *season > 1) {
            let lower = self.title.to_lowercase();
            // Brackets such as `[Show 2nd Season]` keep the season in the title.
            if !lower.ends_with("season") && !lower.ends_with(&format!("season {season}")) {
                self.title = format!("{} Season {season}", self.title);
            }
        }
        if let Some(part) = part.filter(|part| *part > 1) {
            self.title = format!("{} Part {part}", self.title);
        }
    }
}

/// Returns a path in the form that the splitter reads best:
/// - An absolute path starts with a drive, because the splitter takes other paths for titles with a slash, such as
///   `Fate/Zero`.
/// - Brackets are ASCII, and decoration such as stars and `(END)` is removed. Chinese names often have other brackets
///   and such decoration.
/// - Two episodes such as `E05E06` have a hyphen between them.
/// - The folder `Specials` is season 0, as media servers call it.
fn plain(path: &str) -> String {
    let rest = path.split_once("://").map(|(_, rest)| rest);
    let absolute = rest.or_else(|| path.strip_prefix('/'));
    let mut plain = absolute.map_or_else(String::new, |_| "C:/".to_owned());
    let path = absolute.unwrap_or(path);
    for folder in path.split_inclusive(['/', '\\']) {
        match folder.strip_suffix(['/', '\\']) {
            Some(name) if name.eq_ignore_ascii_case("specials") => plain.push_str("Season 0/"),
            _ => push_plain(&mut plain, folder),
        }
    }
    plain
}

/// Returns a path in which `%20` and other percent-encodings are decoded.
fn decoded(path: &str) -> String {
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit();
    let is_encoded = path
        .as_bytes()
        .windows(3)
        .any(|part| part[0] == b'%' && part[1..].iter().all(is_hex));
    if !is_encoded || path.contains(' ') {
        return path.to_owned();
    }
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8();
    // No name of a file has control characters, and titles with them could not be stored.
    let decoded = decoded.ok().filter(|text| !text.contains(char::is_control));
    decoded.map_or_else(|| path.to_owned(), std::borrow::Cow::into_owned)
}

/// Returns the name of a file without the extension of a video.
fn without_extension(name: &str) -> &str {
    let parts = name.rsplit_once('.');
    let is_video = |extension: &str| {
        let mut known = EXTENSIONS.split(' ');
        known.any(|known| extension.eq_ignore_ascii_case(known))
    };
    match parts {
        Some((name, extension)) if is_video(extension) => name,
        _ => name,
    }
}

fn push_plain(plain: &mut String, name: &str) {
    let chars = name.chars().map(|c| match c {
        '（' => '(',
        '）' => ')',
        '【' | '［' => '[',
        '】' | '］' => ']',
        '★' | '☆' => ' ',
        _ => c,
    });
    let name: String = chars.collect();
    let name = ["(END)", "(End)", "(end)", " END]", "END]"]
        .iter()
        .fold(name, |name, end| {
            let kept = if end.ends_with(']') { "]" } else { "" };
            name.replace(end, kept)
        });
    // True after the parts of a number such as `S01E05`, up to its end.
    let (mut has_season, mut has_episode) = (false, false);
    let mut chars = name.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        let is_number = chars.peek().is_some_and(char::is_ascii_digit);
        match c.to_ascii_lowercase() {
            's' if is_number && !last.is_alphanumeric() => has_season = true,
            'e' if is_number && has_season && last.is_ascii_digit() => {
                if has_episode {
                    plain.push('-');
                }
                has_episode = true;
            }
            '0'..='9' => {}
            _ => (has_season, has_episode) = (false, false),
        }
        plain.push(c);
        last = c;
    }
}

/// Returns true for the name of a folder or a kind of videos that are not episodes.
fn is_extra_word(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    EXTRAS
        .split(' ')
        .any(|extra| word.eq_ignore_ascii_case(extra))
}

/// Returns true if the last part of the title, or the splitter, says that the video is not an episode.
fn is_extra(title: &str, types: &[&str]) -> bool {
    let last = title.rsplit(" - ").next().unwrap_or_default();
    let words: Vec<&str> = last.split(|c: char| !c.is_alphanumeric()).collect();
    // A title can be `Happy Ending`, so these two words count only as a separate part.
    let is_song = ["opening", "ending"]
        .iter()
        .any(|song| last.eq_ignore_ascii_case(song));
    let is_part = title.len() > last.len();
    types.iter().any(|word| is_extra_word(word))
        || (is_part && (is_song || words.iter().any(|word| is_extra_word(word))))
        || words
            .iter()
            .any(|word| word.eq_ignore_ascii_case("creditless"))
}

/// Returns true if the year and the episode are a date: `Show - 2023-01-05` is not episode 5.
fn is_date(year: Option<&Element>, episode: Option<&Element>) -> bool {
    year.zip(episode)
        .is_some_and(|(year, episode)| episode.position == year.position + year.value.len() + 1)
}

/// Returns the last episode of a file. A second number in brackets, as in `S3 - 01 (51)`, is another number of the same
/// episode. Returns `None` if the number is not a whole number.
fn last_episode<'e>(
    path: &str,
    first: &Element,
    all: impl Iterator<Item = &'e Element>,
) -> Option<u32> {
    let chars: Vec<char> = path.chars().collect();
    let mut last = first;
    for episode in all {
        let between = chars
            .get(last.position..episode.position)
            .unwrap_or_default();
        if between.iter().any(|c| matches!(c, '(' | '[')) {
            break;
        }
        last = episode;
    }
    last.value.parse().ok()
}

/// Returns true if the season is that of a media server: `S02E05`, `2x05`, or the folder `Season 2`. Other names spell
/// the season as the title of the anime does, such as `2nd Season - 05`, and media servers can count it differently.
fn is_season_of_server(path: &str, season: Option<&Element>, episode: Option<&Element>) -> bool {
    let Some(season) = season else {
        return false;
    };
    let chars: Vec<char> = path.chars().collect();
    let rest = chars.get(season.position..).unwrap_or_default();
    let (number, rest) = rest.split_at(season.value.len().min(rest.len()));
    let next = episode.map(|episode| episode.position.checked_sub(season.position + number.len()));
    let is_letter = rest.first().is_some_and(char::is_ascii_alphabetic);
    rest.contains(&'/') || rest.contains(&'\\') || (is_letter && next == Some(Some(1)))
}

fn format_named(name: &str) -> Option<AnimeFormat> {
    Some(match name.to_ascii_lowercase().as_str() {
        "tv" => AnimeFormat::Tv,
        "movie" | "gekijouban" => AnimeFormat::Movie,
        "oad" | "oav" | "ova" => AnimeFormat::Ova,
        "ona" => AnimeFormat::Ona,
        "ex" | "sp" | "special" | "specials" => AnimeFormat::Special,
        _ => return None,
    })
}

/// Returns the part of a season. The splitter drops `Part 2` between a season and the number of the episode.
fn part_of_season(path: &str, elements: &[Element]) -> Option<u32> {
    let find = |kind: ElementKind| elements.iter().find(|element| element.kind == kind);
    let end = find(ElementKind::Episode).map_or(usize::MAX, |episode| episode.position);
    if let Some(part) = find(ElementKind::Part).filter(|part| part.position < end) {
        return part.value.parse().ok();
    }
    let season = find(ElementKind::Season)?.position;
    let between: String = path.chars().take(end).skip(season).collect();
    let lower = between.to_lowercase();
    let (_, number) = lower.split_once("part")?;
    let number = number.trim_start_matches(|c: char| !c.is_alphanumeric());
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{FileName, MAX_PATH_BYTES, MAX_READINGS};

    fn parts(path: &str) -> (String, Option<u16>, Option<u32>) {
        let name = FileName::parse(path).unwrap_or_default();
        (name.title, name.season, name.episode)
    }

    fn named(title: &str, season: u16, episode: u32) -> (String, Option<u16>, Option<u32>) {
        let nonzero = (season > 0).then_some(season);
        (title.to_owned(), nonzero, Some(episode))
    }

    #[test]
    fn name_is_split_into_title_season_and_episode() {
        for name in [
            "[Group] Harbor Lights - 05 [1080p][ABCD1234].mkv",
            "[Group]_Harbor_Lights_-_05v2_[BD].mkv",
            "Harbor.Lights.Ep05.mkv",
            "【组】★【Harbor Lights】[05（END）][GB][720P]",
            "[组][Harbor Lights][05 END][GB][720P].mp4",
            "[Harbor Lights].05.[Xvid].[ABCD1234].avi",
        ] {
            assert_eq!(parts(name), named("Harbor Lights", 0, 5), "{name}");
        }
    }

    /// Returns all readings of a name.
    fn readings(path: &str) -> Vec<(String, Option<u16>, Option<u32>)> {
        let all = FileName::read(path).all.into_iter();
        all.map(|name| (name.title, name.season, name.episode))
            .collect()
    }

    /// Asserts the most probable readings of names. Each case is a name and its title, season (0 for none) and episode.
    #[track_caller]
    fn first_readings(cases: &[&str]) {
        for case in cases {
            let (path, parts) = case.split_once(" => ").unwrap();
            let mut parts = parts.rsplitn(3, ", ");
            let episode = parts.next().unwrap().parse().ok();
            let season: u16 = parts.next().unwrap().parse().unwrap();
            let season = (season > 0 || path.contains("S00")).then_some(season);
            let expected = (parts.next().unwrap().to_owned(), season, episode);
            assert_eq!(readings(path).first(), Some(&expected), "{path}");
        }
    }

    #[test]
    fn all_that_stands_before_the_number_is_the_title() {
        first_readings(&[
            // Numbers, years and other words of titles.
            "[Group] Harbor 86 - 05 [1080p].mkv => Harbor 86, 0, 5",
            "[Group] Harbor Lights 2 [05][1080p].mkv => Harbor Lights 2, 0, 5",
            "[Group] Harbor - 13-Lights Dept. [05].mkv => Harbor - 13-Lights Dept., 0, 5",
            "[Group][Harbor Lights (2)][05][1080p].mkv => Harbor Lights (2), 0, 5",
            "Harbor 2041 - S01E05 - Words.mkv => Harbor 2041, 1, 5",
            "Harbor.Lights.Movie.S01E05.1080p.WEB.x264-GRP.mkv => Harbor Lights Movie, 1, 5",
            "Harbor.Lights.(2019).S01E05.1080p.mkv => Harbor Lights (2019), 1, 5",
            "Lights Should be Special (2023) - S01E05 - 005.mkv => Lights Should be Special (2023), 1, 5",
            "TV Harbor - 05 [AAC].mkv => TV Harbor, 0, 5",
            "[Group] Harbor Lights!! - 05.mkv => Harbor Lights!!, 0, 5",
            "[Group] Harbor's \"Lights\" - 05.mkv => Harbor's \"Lights\", 0, 5",
            // Seasons in the title.
            "[Group]_Harbor_Lights_2nd_Season_-_05_[1080p].mkv => Harbor Lights 2nd Season, 0, 5",
            "[Group][Harbor Lights 2nd Season][05][1080p].mkv => Harbor Lights 2nd Season, 0, 5",
            "Harbor Lights 2nd Season/Season 01/S01E05.mkv => Harbor Lights 2nd Season, 1, 5",
            "Harbor Lights 1st Season - 05.mkv => Harbor Lights 1st Season, 0, 5",
            "Harbor Lights 2nd Season 2 - 05.mkv => Harbor Lights 2nd Season 2, 0, 5",
        ]);
    }

    #[test]
    fn number_of_an_episode_has_many_forms() {
        first_readings(&[
            "Harbor Lights S02EP05.mkv => Harbor Lights, 2, 5",
            "Harbor Lights - 50 (S04E14) (WEB 1080p).mkv => Harbor Lights, 4, 14",
            "Harbor Lights - 14 (S00E01).mkv => Harbor Lights, 0, 1",
            "Harbor Lights 第05话 [1080p].mkv => Harbor Lights, 0, 5",
            "Harbor Lights [第05集][1080p].mkv => Harbor Lights, 0, 5",
            "【组】★ 灯塔 第二季 [第05话] [BIG5].mp4 => 灯塔 第二季, 0, 5",
            "灯塔 第二十五回.mkv => 灯塔, 0, 25",
            "등대 5화.mkv => 등대, 0, 5",
            "Harbor Lights ＃5.mkv => Harbor Lights, 0, 5",
            "Harbor Lights #05 - Words.mkv => Harbor Lights, 0, 5",
            "harbor-lights-episode-25-1080p.mp4 => harbor-lights, 0, 25",
            "Harbor+Lights+Episode+5.mp4 => Harbor Lights, 0, 5",
            "Harbor.Lights.E355.720p.HDTV.mkv => Harbor Lights, 0, 355",
            "Harbor Lights E06v1.5 [1080p].mkv => Harbor Lights, 0, 6",
            "Harbor Lights II - 05: Words.mkv => Harbor Lights II, 0, 5",
            "Harbor%20Lights%20-%2005.mkv => Harbor Lights, 0, 5",
            // Folders.
            "Harbor Lights/Season 01/S01E05.mkv => Harbor Lights, 1, 5",
            "Harbor Lights (2012) [tvdbid-5]/Season 02/S02E05.mkv => Harbor Lights (2012), 2, 5",
            "\\\\nas\\Anime\\Harbor Lights\\S02\\Harbor Lights - 05.mkv => Harbor Lights, 2, 5",
            "Harbor S01 1080p x265-GRP/S01E05-Words [ABCD1234].mkv => Harbor S01 1080p x265-GRP, 1, 5",
        ]);
    }

    #[test]
    fn letters_with_a_longer_lower_case_are_read() {
        // In lower case, the first letter takes one more byte, and the last letter one byte less.
        let found = readings("Ⱥ Movie 2 ẞ.mkv");
        assert!(!found.is_empty());
        for path in ["Ⱥmovie ẞ.mkv", "Ⱥmovie ẞ - Words.mkv", "ẞ Movie Ⱥ.mkv"] {
            assert!(FileName::read(path).all.len() <= MAX_READINGS, "{path}");
        }
    }

    #[test]
    fn parts_of_a_name_are_titles_of_their_own() {
        for case in [
            "Harbor Lights (Hikari no Minato) - 05.mkv => Hikari no Minato",
            "Harbor Lights (Hikari no Minato) - 05.mkv => Harbor Lights",
            "[Group] 灯塔 / Harbor Lights 05 [1080p].mkv => Harbor Lights",
            "[Group] 灯塔 LIGHTHOUSE - 05 [1080P].mp4 => LIGHTHOUSE",
            "[组][灯塔][Harbor Lights][2019][05][1080p].mp4 => Harbor Lights",
            "[组][灯塔][第二季][05][1080p].mp4 => 灯塔 第二季",
            "Harbor Lights-656.mkv => Harbor Lights",
            "05 Harbor Lights (2008) [720p].mkv => Harbor Lights (2008)",
            "[Group] Harbor_Lights_05_v2_[DVD].mkv => Harbor Lights",
            "Harbor Lights Movie 2 The Lighthouse [DVD].avi => Harbor Lights Movie 02",
        ] {
            let (path, title) = case.split_once(" => ").unwrap();
            let found = readings(path);
            assert!(
                found.iter().any(|(found, ..)| found == title),
                "{path}: {found:?}"
            );
        }
        // The other part has the season.
        for case in [
            "[组][灯塔][第二季][05][1080p].mp4 => 灯塔",
            "[Group] 灯塔 第二季 / Harbor Lights - 05.mkv => Harbor Lights",
            "Harbor Lights (Part 2) - 05.mkv => Harbor Lights",
            "Harbor Lights (OVA) - 05.mkv => OVA",
        ] {
            let (path, title) = case.split_once(" => ").unwrap();
            let found = readings(path);
            assert!(
                found.iter().all(|(found, ..)| found != title),
                "{path}: {found:?}"
            );
        }
    }

    #[test]
    fn season_is_that_of_a_media_server_or_part_of_the_title() {
        let second = named("Harbor Lights", 2, 5);
        for name in [
            "Harbor.Lights.S02E05.Title.1080p.WEB.x264-GROUP.mkv",
            "Harbor Lights - 2x05 - Title.mkv",
            "Harbor Lights/Season 2/Harbor Lights - 05 [1080p].mkv",
        ] {
            assert_eq!(parts(name), second, "{name}");
        }
        let spelled = named("Harbor Lights Season 2", 0, 5);
        for name in [
            "[Group] Harbor Lights 2nd Season - 05.mkv",
            "[Group] Harbor Lights S2 - 05 [1080p].mkv",
            "Harbor Lights 第2期 05話.mkv",
        ] {
            assert_eq!(parts(name), spelled, "{name}");
        }
    }

    #[test]
    fn folders_have_what_the_file_lacks() {
        for (path, season) in [
            ("Harbor Lights/05.mkv", 0),
            ("Harbor Lights/Season 2/05.mkv", 2),
            (
                "/media/anime/Harbor Lights (2012)/Season 02/Harbor Lights - S02E05 - Title.mkv",
                2,
            ),
            ("D:\\Anime\\Harbor Lights\\Season 2\\05 - Title.mkv", 2),
            (
                "smb://server/anime/Harbor Lights/Season 2/Episode 05.mkv",
                2,
            ),
        ] {
            assert_eq!(parts(path), named("Harbor Lights", season, 5), "{path}");
        }
        let special = parts("/media/Harbor Lights/Specials/05.mkv");
        assert_eq!(special, ("Harbor Lights".to_owned(), Some(0), Some(5)));
        let expected = "The Last Lighthouse";
        assert_eq!(parts("/media/movies/The Last Lighthouse.mkv").0, expected);
    }

    #[test]
    fn last_of_several_episodes_counts() {
        for name in [
            "Harbor Lights - 13-15 [BD].mkv",
            "Harbor Lights - 13v2-15.mkv",
            "Harbor Lights - 14 & 15.mkv",
        ] {
            assert_eq!(parts(name), named("Harbor Lights", 0, 15), "{name}");
        }
        for name in [
            "Harbor.Lights.S01E14E15.mkv",
            "Harbor.Lights.S01E14-E15.mkv",
        ] {
            assert_eq!(parts(name), named("Harbor Lights", 1, 15), "{name}");
        }
        // The number in brackets counts from the first season.
        assert_eq!(
            parts("Harbor Lights S3 - 01 (51).mkv"),
            named("Harbor Lights Season 3", 0, 1)
        );
    }

    #[test]
    fn videos_that_are_not_episodes_have_no_name() {
        for name in [
            "[Group] Harbor Lights - NCOP1 [BD].mkv",
            "[Group] Harbor Lights - NCED 02.mkv",
            "[Group] Harbor Lights - ED2.mkv",
            "[Group] Harbor Lights - OP.mkv",
            "[Group] Harbor Lights - PV3.mkv",
            "[Group] Harbor Lights - CM01.mkv",
            "[Group] Harbor Lights - Menu 1.mkv",
            "[Group] Harbor Lights - Trailer.mkv",
            "[Group] Harbor Lights - Ending 2.mkv",
            "[Group] Harbor Lights - Creditless Opening 01.mkv",
            "[Group] Harbor Lights - 03 - Preview.mkv",
            "/media/Harbor Lights/Extras/Harbor Lights - 01.mkv",
            "[Group] Harbor Lights - Vol.1 [BD].mkv",
            "[Group] Harbor Lights Complete [BD].mkv",
            "[Group] Harbor Lights - 12.5.mkv",
            "[Group]_Harbor_Lights_-_04.1_(DVD).mkv",
            "Harbor Lights - 2023-01-05.mkv",
            "05.mkv",
            "",
            "\0",
        ] {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
        assert_eq!(FileName::parse(&"a".repeat(MAX_PATH_BYTES + 1)), None);
        for (name, title) in [
            ("[Group] Happy Ending - 03.mkv", "Happy Ending"),
            ("Harbor Lights - 03 - Grand Opening.mkv", "Harbor Lights"),
        ] {
            assert_eq!(parts(name), named(title, 0, 3));
        }
    }

    #[test]
    fn year_and_format_are_read() {
        let name = FileName::parse("Harbor Lights (2019) - 05.mkv").unwrap();
        assert_eq!(name.title.as_str(), "Harbor Lights");
        assert_eq!(name.year, Some(2019));
        for case in [
            "[Group] Harbor Lights (TV) - 05.mkv => Harbor Lights, Some(5), Some(Tv)",
            "[Group] Harbor Lights OVA - 05.mkv => Harbor Lights, Some(5), Some(Ova)",
            "[Group] Harbor Lights - SP01.mkv => Harbor Lights, Some(1), Some(Special)",
            "[Group] Harbor Lights - EX01 [BD].mkv => Harbor Lights, Some(1), Some(Special)",
            "Harbor Lights Movie.mkv => Harbor Lights, None, Some(Movie)",
            // The word is a part of the title, or of the release.
            "Special Unit - 05.mkv => Special Unit, Some(5), None",
            "[TV-J] Harbor Lights - 05.mkv => Harbor Lights, Some(5), None",
        ] {
            let (path, expected) = case.split_once(" => ").unwrap();
            let name = FileName::parse(path).unwrap();
            let found = format!("{}, {:?}, {:?}", name.title, name.episode, name.format);
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn part_of_a_season_stays_in_the_title() {
        let part = named("Harbor Lights Season 2 Part 2", 0, 3);
        assert_eq!(parts("Harbor Lights 2nd Season Part 2 - 03.mkv"), part);
        assert_eq!(parts("Harbor Lights S2 Cour 2 - 03.mkv"), part);
        assert_eq!(
            parts("Harbor Lights S2 - 03 - Part 2.mkv"),
            named("Harbor Lights Season 2", 0, 3)
        );
    }
}
