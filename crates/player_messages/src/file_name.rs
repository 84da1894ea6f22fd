//! Names of video files, split into the parts that name an episode.

use anitomy_ng::{Element, ElementKind, Options};
use shared::models::AnimeFormat;

/// The maximum length of a path, in bytes. Longer ones name no episode, so that the work is bounded.
const MAX_PATH_BYTES: usize = 4096;

/// Names of folders and kinds of videos that are no episodes, in lower case.
const EXTRAS: [&str; 20] = [
    "cm",
    "commercial",
    "creditless",
    "ed",
    "extras",
    "featurettes",
    "interview",
    "menu",
    "menus",
    "nced",
    "ncop",
    "op",
    "preview",
    "previews",
    "pv",
    "sample",
    "scans",
    "teaser",
    "trailer",
    "trailers",
];

/// The name of a video file, split into its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileName {
    /// The title of the anime. It ends with a season such as `Season 2` if the name spells it as titles do.
    pub title: String,
    /// The season as media servers count it; 0 stands for specials. `None` does not mean the first season.
    pub season: Option<u16>,
    /// The episode. The last one, if the file has several. `None` for a film, or if the name has none.
    pub episode: Option<u32>,
    /// The year in the name.
    pub year: Option<u16>,
    /// The format that the name mentions.
    pub format: Option<AnimeFormat>,
}

impl FileName {
    /// Splits the name of a file. Folders in front of it are read too: `Show/Season 2/05.mkv` has its title and
    /// its season there. Returns `None` if the name has no title, or if the video is no episode and no film: an
    /// opening or ending without credits, a preview, a trailer, a menu, a whole volume or series, or half an episode
    /// such as 12.5.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        if path.len() > MAX_PATH_BYTES {
            return None;
        }
        let path = plain(path);
        let elements = anitomy_ng::parse_path(&path, Options::default());
        let values =
            |kind: ElementKind| elements.iter().filter(move |element| element.kind == kind);
        let first = |kind: ElementKind| values(kind).next();
        let has_text = |title: &&Element| title.value.contains(char::is_alphanumeric);
        let title = first(ElementKind::Title).filter(has_text)?;
        let types: Vec<&str> = values(ElementKind::Type)
            .map(|element| element.value.as_str())
            .collect();
        let number = first(ElementKind::Episode);
        let is_whole = |element: &Element| {
            let value = element.value.to_ascii_lowercase();
            element.kind == ElementKind::Volume || matches!(value.as_str(), "batch" | "complete")
        };
        if is_extra(&path, &title.value, &types)
            || is_date(first(ElementKind::Year), number)
            || (number.is_none() && elements.iter().any(is_whole))
        {
            return None;
        }
        let mut name = Self {
            title: title.value.clone(),
            season: first(ElementKind::Season).and_then(|season| season.value.parse().ok()),
            year: first(ElementKind::Year).and_then(|year| year.value.parse().ok()),
            ..Self::default()
        };
        match number {
            Some(number) => {
                let episode = last_episode(&path, number, values(ElementKind::Episode));
                name.episode = Some(episode?);
            }
            None => name.find_hidden_episode(first(ElementKind::ReleaseGroup)),
        }
        // A format after the episode is about the release, and one before the title is part of its group.
        let end = number.map_or(usize::MAX, |number| number.position);
        let types = values(ElementKind::Type);
        for kind in types.filter(|kind| (title.position..end).contains(&kind.position)) {
            name.set_format(&kind.value);
        }
        let is_of_server = is_season_of_server(&path, first(ElementKind::Season), number);
        name.spell_season(is_of_server, part_of_season(&path, &elements));
        Some(name)
    }

    /// Finds the number of an episode that the splitter takes for the title. Some names have only brackets and the
    /// number, `[Title].148.[...]`, and specials have numbers such as `EX01`.
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

    /// Moves a season that is no season of a media server into the title, and appends the part of the season.
    fn spell_season(&mut self, is_of_server: bool, part: Option<u32>) {
        if !is_of_server && let Some(season) = self.season.take_if(|season| *season > 1) {
            self.title = format!("{} Season {season}", self.title);
        }
        if let Some(part) = part.filter(|part| *part > 1) {
            self.title = format!("{} Part {part}", self.title);
        }
    }
}

/// Returns a path in the form that the splitter reads best:
/// - An absolute path starts with a drive, because the splitter takes other paths for titles with a slash, such as
///   `Fate/Zero`.
/// - Brackets are ASCII, and decoration such as stars and `(END)` is gone. Both are usual in Chinese names.
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

fn push_plain(plain: &mut String, name: &str) {
    let chars = name.chars().map(|c| match c {
        '（' => '(',
        '）' => ')',
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
    // The letters of `S01E05` that were read, as far as it goes.
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

/// Returns true if the video is no episode: a folder or the last part of the title says so, or the splitter.
fn is_extra(path: &str, title: &str, types: &[&str]) -> bool {
    let is_extra = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        EXTRAS.iter().any(|extra| word.eq_ignore_ascii_case(extra))
    };
    let (folders, _) = path.rsplit_once(['/', '\\']).unwrap_or_default();
    let last = title.rsplit(" - ").next().unwrap_or_default();
    let words: Vec<&str> = last.split(|c: char| !c.is_alphanumeric()).collect();
    // A title can be `Happy Ending`, so these two words count only as a part of their own.
    let is_song = ["opening", "ending"]
        .iter()
        .any(|song| last.eq_ignore_ascii_case(song));
    let is_part = title.len() > last.len();
    folders.split(['/', '\\']).any(is_extra)
        || types.iter().any(|word| is_extra(word))
        || (is_part && (is_song || words.iter().any(|word| is_extra(word))))
        || words
            .iter()
            .any(|word| word.eq_ignore_ascii_case("creditless"))
}

/// Returns true if the year and the episode are a date: `Show - 2023-01-05` is no episode 5.
fn is_date(year: Option<&Element>, episode: Option<&Element>) -> bool {
    year.zip(episode)
        .is_some_and(|(year, episode)| episode.position == year.position + year.value.len() + 1)
}

/// Returns the last episode of a file. A second number in brackets counts the first episode otherwise, such as
/// `S3 - 01 (51)`. Returns `None` if the number is no whole one.
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
    use super::{FileName, MAX_PATH_BYTES};
    use shared::models::AnimeFormat::{self, Movie, Ova, Special, Tv};

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
        let five = named("Harbor Lights", 0, 5);
        assert_eq!(
            parts("[Group] Harbor Lights - 05 [1080p][ABCD1234].mkv"),
            five
        );
        assert_eq!(parts("[Group]_Harbor_Lights_-_05v2_[BD].mkv"), five);
        assert_eq!(parts("Harbor.Lights.Ep05.mkv"), five);
        assert_eq!(parts("【组】★【Harbor Lights】[05（END）][GB][720P]"), five);
        assert_eq!(parts("[组][Harbor Lights][05 END][GB][720P].mp4"), five);
        assert_eq!(parts("[Harbor Lights].05.[Xvid].[ABCD1234].avi"), five);
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
        assert_eq!(
            parts("/media/movies/The Last Lighthouse.mkv").0,
            "The Last Lighthouse"
        );
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
    fn videos_that_are_no_episodes_have_no_name() {
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
            "Harbor Lights - 2023-01-05.mkv",
            "05.mkv",
            "",
            "\0",
        ] {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
        assert_eq!(FileName::parse(&"a".repeat(MAX_PATH_BYTES + 1)), None);
        assert_eq!(
            parts("[Group] Happy Ending - 03.mkv"),
            named("Happy Ending", 0, 3)
        );
        assert_eq!(
            parts("Harbor Lights - 03 - Grand Opening.mkv"),
            named("Harbor Lights", 0, 3)
        );
    }

    #[test]
    fn year_and_format_are_read() {
        let name = FileName::parse("Harbor Lights (2019) - 05.mkv").unwrap();
        assert_eq!(
            (name.title.as_str(), name.year),
            ("Harbor Lights", Some(2019))
        );
        let format = |name| {
            let name = FileName::parse(name).unwrap();
            (name.title, name.episode, name.format)
        };
        let expected =
            |title: &str, episode, format: Option<AnimeFormat>| (title.to_owned(), episode, format);
        let lights = |episode, format| expected("Harbor Lights", episode, Some(format));
        assert_eq!(
            format("[Group] Harbor Lights (TV) - 05.mkv"),
            lights(Some(5), Tv)
        );
        assert_eq!(
            format("[Group] Harbor Lights OVA - 05.mkv"),
            lights(Some(5), Ova)
        );
        assert_eq!(
            format("[Group] Harbor Lights - SP01.mkv"),
            lights(Some(1), Special)
        );
        assert_eq!(
            format("[Group] Harbor Lights - EX01 [BD].mkv"),
            lights(Some(1), Special)
        );
        assert_eq!(format("Harbor Lights Movie.mkv"), lights(None, Movie));
        // The word is a part of the title, or of the release.
        assert_eq!(
            format("Special Unit - 05.mkv"),
            expected("Special Unit", Some(5), None)
        );
        assert_eq!(
            format("[TV-J] Harbor Lights - 05.mkv"),
            expected("Harbor Lights", Some(5), None)
        );
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
