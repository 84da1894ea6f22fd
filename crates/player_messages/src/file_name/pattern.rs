//! Titles by the place of the number in a name. The splitter for anime names takes numbers, years and words such as
//! `Movie` out of titles. In this module, everything before the number is the title.

/// A name, split at the number of its episode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Split {
    /// The possible titles, the most probable one first.
    pub titles: Vec<String>,
    /// The season as media servers count it.
    pub season: Option<u16>,
    pub episode: u32,
    /// True if the number has the form `S01E05`.
    pub is_numbered: bool,
}

/// Returns the season that is the name of a folder: `Season 2`, `S02`, `Specials`. Returns `None` for other names.
fn season_of_folder(name: &str) -> Option<u16> {
    let name = name.trim().to_lowercase();
    if name == "specials" {
        return Some(0);
    }
    let mut words = "season staffel saison temporada stagione series s".split(' ');
    let number = words.find_map(|word| name.strip_prefix(word))?;
    number.trim_start_matches([' ', '_', '.', '-']).parse().ok()
}

/// The place of a number in a text, in bytes.
#[derive(Clone, Copy, Debug)]
struct Marker {
    /// The end of the title.
    start: usize,
    season: Option<u16>,
    episode: u32,
}

impl Marker {
    fn without_season(start: usize, episode: u32) -> Self {
        Self {
            start,
            season: None,
            episode,
        }
    }
}

/// The forms of a number, the most reliable one first.
const FORMS: [fn(&str) -> Option<Marker>; 6] = [
    find_season_and_episode,
    find_in_brackets,
    find_after_dash,
    find_counter,
    find_after_word,
    find_cross,
];

/// Splits the name of a file at its number: in the most reliable form or, if the name has no such number, in less
/// reliable ways. `folders` are the folders of the file, the innermost one first.
pub(super) fn split(name: &str, folders: &[&str]) -> (Option<Split>, Vec<Split>) {
    let (groups, body) = leading_groups(name);
    let season = folders.first().and_then(|folder| season_of_folder(folder));
    let with_titles = |marker: Marker, mut titles: Vec<String>, is_numbered: bool| {
        let of_folder = titles_of_folder(folders);
        match (titles.first(), of_folder.first()) {
            (None, _) => titles = of_folder,
            // Some titles have a slash, and some folders have the title of the series: `Fate/Zero`.
            (Some(title), Some(folder))
                if !title.contains(folder.as_str()) && !folder.contains(title.as_str()) =>
            {
                titles.insert(0, format!("{folder} {title}"));
            }
            _ => {}
        }
        (!titles.is_empty()).then_some(Split {
            titles,
            season: marker.season.or(season),
            episode: marker.episode,
            is_numbered,
        })
    };
    let in_form = |(at, find): (usize, fn(&str) -> Option<Marker>)| {
        let marker = find(body)?;
        let before = body[..marker.start].trim_end_matches(['(', '[']);
        let mut titles = titles_of(before);
        if titles.is_empty() && at > 0 {
            let groups = groups.iter().rev();
            titles = groups.flat_map(|group| titles_of(group)).collect();
        }
        with_titles(marker, titles, at == 0)
    };
    let reliable = FORMS.into_iter().enumerate().find_map(in_form);
    let reliable = reliable.or_else(|| split_groups(&groups, season).filter(|_| body.is_empty()));
    if reliable.is_some() {
        return (reliable, Vec::new());
    }
    let mut others = Vec::new();
    if let Some((number, rest)) = leading_number(body) {
        let marker = Marker::without_season(0, number);
        // The rest can be the title of the episode.
        others.extend(with_titles(marker, Vec::new(), false));
        others.extend(with_titles(marker, titles_of(until_bracket(rest)), false));
    }
    if let Some(marker) = trailing_number(until_bracket(body)) {
        others.extend(with_titles(marker, titles_of(&body[..marker.start]), false));
    }
    (None, others)
}

/// Splits a name that consists of brackets only: `[Group][Title][05][1080p]`.
fn split_groups(groups: &[&str], season: Option<u16>) -> Option<Split> {
    let numbers: Vec<(usize, u32)> = groups
        .iter()
        .enumerate()
        .filter_map(|(at, group)| Some((at, whole_number(group)?)))
        .collect();
    let only = numbers.len() == 1;
    let mut numbers = numbers.into_iter();
    let (at, episode) = numbers.find(|(at, number)| *at > 0 && (only || !is_year(*number)))?;
    // The first brackets have the name of the release group, unless they are the only ones.
    let first = usize::from(at > 1);
    let named = groups[first..at].iter();
    let named: Vec<String> = named
        .filter(|group| whole_number(group).is_none())
        .map(|group| clean(group))
        .collect();
    let mut parts: Vec<String> = named
        .iter()
        .rev()
        .flat_map(|group| titles_of(group))
        .collect();
    // A season can have brackets of its own.
    parts.extend(named.windows(2).map(|pair| pair.join(" ")));
    let mut titles = Vec::new();
    push_alike(&mut titles, parts);
    (!titles.is_empty()).then_some(Split {
        titles,
        season,
        episode,
        is_numbered: false,
    })
}

/// Returns the contents of the brackets at the beginning of a name, and the rest.
fn leading_groups(name: &str) -> (Vec<&str>, &str) {
    let mut groups = Vec::new();
    let mut rest = name;
    loop {
        rest = rest.trim_start_matches([' ', '_', '.', '-']);
        let Some((group, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        else {
            return (groups, rest);
        };
        groups.push(group);
        rest = after;
    }
}

/// Returns the ways to read a title: as a whole, and its parts that may be titles in another language. A year in
/// parentheses stays a part of the title.
fn titles_of(text: &str) -> Vec<String> {
    let whole = trimmed(&clean(text));
    if !whole.contains(char::is_alphanumeric) {
        return Vec::new();
    }
    let mut titles = vec![whole.clone()];
    let separators = [" / ", " | ", " ／ "];
    if let Some(separator) = separators
        .iter()
        .find(|separator| whole.contains(**separator))
    {
        push_alike(&mut titles, whole.rsplit(separator).map(trimmed).collect());
    } else if let Some((start, rest)) = whole.split_once(['(', '['])
        && let Some((inside, after)) = rest.split_once([')', ']'])
        && is_long(inside)
    {
        let outside = trimmed(&format!("{} {}", start.trim_end(), after.trim_start()));
        push_alike(&mut titles, vec![outside, trimmed(inside)]);
    } else if let Some((ideographs, latin)) = scripts_apart(&whole)
        && !has_number(ideographs)
        && !has_number(latin)
        && is_long(latin)
    {
        titles.push(latin.to_owned());
    }
    titles
}

/// Adds parts of a title if all or none of them have the number of a season. Otherwise, some parts would lack it.
fn push_alike(titles: &mut Vec<String>, parts: Vec<String>) {
    let has_season = parts.iter().any(|part| has_number(part));
    let alike = parts
        .into_iter()
        .filter(|part| part.contains(char::is_alphanumeric) && has_number(part) == has_season);
    for part in alike {
        if !titles.contains(&part) {
            titles.push(part);
        }
    }
}

/// Returns true if a part of a title is long enough to be a title of its own, and does not name a kind of video.
fn is_long(part: &str) -> bool {
    const KINDS: &str = "movie film special specials ova oad ona uncensored uncut recap";
    let lower = part.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    part.chars().filter(|c| c.is_alphanumeric()).count() >= 6
        && !words.any(|word| KINDS.split(' ').any(|kind| kind == word))
}

/// Returns true if a part of a title may have the number of a season.
pub(super) fn has_number(part: &str) -> bool {
    const WORDS: [&str; 8] = ["season", "part", "cour", "final", "ii", "iii", "iv", "act"];
    let lower = part.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    part.contains(|c: char| c.is_ascii_digit() || matches!(c, '季' | '期' | '部' | '章'))
        || words.any(|word| WORDS.contains(&word))
}

/// Splits a title in two scripts, such as `竞速 Overtake`, if a space separates them. The part with ideographs may say
/// that it is a movie or a special of the series, so a title with such words is not split.
fn scripts_apart(title: &str) -> Option<(&str, &str)> {
    const KINDS: &str = "劇場版 剧场版 映画 特別 特别 番外 外伝 外传 总集";
    let is_ideograph = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    let (first, rest) = title.split_once(' ')?;
    let is_split = first.contains(is_ideograph)
        && !rest.contains(is_ideograph)
        && !KINDS.split(' ').any(|kind| first.contains(kind));
    is_split.then_some((first, rest))
}

/// Returns a title without the punctuation at its ends that separates it from other parts of a name.
fn trimmed(title: &str) -> String {
    let title = title.trim_matches([' ', '-', '_', '~', ',', '/', '|']);
    let is_open = title.matches('(').count() > title.matches(')').count();
    format!("{title}{}", if is_open { ")" } else { "" })
}

/// Returns a text with spaces between its words.
fn clean(text: &str) -> String {
    let text = text.trim_matches([' ', '_', '-']);
    let spaced = if text.contains(' ') {
        text.to_owned()
    } else if text.contains('_') {
        text.replace('_', " ")
    } else if text.matches('.').count() > 1 || !text.contains('-') {
        text.replace(['.', '+'], " ")
    } else {
        text.replace('+', " ")
    };
    spaced.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Returns the titles of the innermost folder that is not a season.
fn titles_of_folder(folders: &[&str]) -> Vec<String> {
    let folder = folders
        .iter()
        .find(|folder| season_of_folder(folder).is_none());
    let Some(folder) = folder else {
        return Vec::new();
    };
    let (_, body) = leading_groups(folder);
    let mut titles = titles_of(body);
    titles.extend(titles_of(until_bracket(body)));
    titles
}

/// Returns the text before the first bracket that holds no year.
fn until_bracket(text: &str) -> &str {
    let mut start = 0;
    while let Some(at) = text[start..].find(['[', '(']) {
        let at = start + at;
        let inside = &text[at + 1..];
        let is_year = inside.split([')', ']']).next().is_some_and(|inside| {
            inside.len() == 4 && inside.bytes().all(|byte| byte.is_ascii_digit())
        });
        if !is_year {
            return &text[..at];
        }
        start = at + 1;
    }
    text
}

/// Finds `S01E05`, `S01EP05` or `s01.e05`, also with several episodes: the last one counts.
fn find_season_and_episode(text: &str) -> Option<Marker> {
    let places = text.char_indices().filter(|(_, c)| matches!(c, 's' | 'S'));
    places
        .filter(|(at, _)| is_start_of_word(text, *at))
        .find_map(|(at, _)| {
            let (season, rest) = take_number(&text[at + 1..], 4)?;
            let rest = rest.trim_start_matches([' ', '.', '_', '-']);
            let rest = strip_letters(rest, &["ep", "e"])?;
            let (mut episode, mut rest) = take_number(rest, 4)?;
            // `E05E06`, `E05-E06` and `E05-06`.
            loop {
                let next = rest.strip_prefix('-').unwrap_or(rest);
                let number = strip_letters(next, &["e"]).or(Some(next).filter(|_| next != rest));
                let Some((last, after)) = number.and_then(|number| take_number(number, 4)) else {
                    break;
                };
                if last <= episode || after.starts_with(char::is_alphanumeric) {
                    break;
                }
                (episode, rest) = (last, after);
            }
            if is_half(rest) {
                return None;
            }
            let season = u16::try_from(season).ok()?;
            Some(Marker {
                start: without_other_number(&text[..at]).len(),
                season: Some(season),
                episode,
            })
        })
}

/// Returns the text before a number in parentheses, such as `Title - 50 (S04E14)`, without the other number.
fn without_other_number(before: &str) -> &str {
    let Some(outside) = before.trim_end().strip_suffix(['(', '[']) else {
        return before;
    };
    let outside = outside.trim_end_matches([' ', '_', '.']);
    let plain = outside.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_number = plain.len() < outside.len() && plain.ends_with([' ', '_', '.']);
    let title = plain.trim_end_matches([' ', '_', '.']);
    match title.strip_suffix('-') {
        Some(title) if is_number => title,
        _ => outside,
    }
}

/// Finds the last number after a dash: `Title - 05 [1080p]`, `Title - 05 - Words`. In `Title - 05 Words`, the number
/// can be a part of the title.
fn find_after_dash(text: &str) -> Option<Marker> {
    let dashes = text.rmatch_indices(['-', '–', '—']);
    dashes
        .filter(|(at, dash)| {
            let (before, after) = (&text[..*at], &text[at + dash.len()..]);
            before.ends_with([' ', '_', '.']) && after.starts_with([' ', '_', '.', '#', '＃'])
        })
        .find_map(|(at, dash)| {
            let rest = text[at + dash.len()..].trim_start_matches([' ', '_', '.', '#', '＃']);
            let (episode, rest) = take_episodes(rest).filter(|(number, _)| !is_year(*number))?;
            let is_end = rest.is_empty()
                || rest.starts_with(['[', '('])
                || rest.starts_with([' ', '_', '.']) && {
                    let rest = rest.trim_start_matches([' ', '_', '.']);
                    rest.is_empty() || rest.starts_with(['[', '(', '-', '–', '—', '「'])
                }
                || rest.starts_with(':');
            is_end.then_some(Marker::without_season(at, episode))
        })
}

/// Finds a number in brackets: `Title [05][1080p]`.
fn find_in_brackets(text: &str) -> Option<Marker> {
    let mut places = text.match_indices('[');
    places.find_map(|(at, _)| {
        let (inside, _) = text[at + 1..].split_once(']')?;
        let episode = whole_number(inside).filter(|number| is_episode(*number))?;
        Some(Marker::without_season(at, episode))
    })
}

/// Finds a number with an ideograph for episodes: `第05話`, `第五集`, `05话`.
fn find_counter(text: &str) -> Option<Marker> {
    let places = text.char_indices().filter(|(_, c)| is_counter(*c));
    let mut found = places.filter_map(|(at, _)| {
        let before = &text[..at];
        let plain = before.trim_end_matches(|c: char| c.is_ascii_digit() || is_numeral(c));
        let plain = plain.trim_end_matches(' ');
        let number = read_number(before[plain.len()..].trim())?;
        let is_ordinal = plain.ends_with('第');
        let is_digits = before.ends_with(|c: char| c.is_ascii_digit());
        (is_ordinal || is_digits).then_some(Marker::without_season(
            plain.strip_suffix('第').unwrap_or(plain).len(),
            number,
        ))
    });
    found.next()
}

/// Finds a number after a word or a sign for episodes: `Episode 5`, `Ep05`, `E05`, `＃5`.
fn find_after_word(text: &str) -> Option<Marker> {
    let places = text.char_indices();
    let mut found = places.filter_map(|(at, c)| {
        let rest = &text[at..];
        let is_sign = matches!(c, '#' | '＃');
        let number = if is_sign {
            &rest[c.len_utf8()..]
        } else if is_start_of_word(text, at) {
            let words = ["episode", "episodio", "folge", "épisode", "eps", "ep"];
            let number = strip_letters(rest, &words);
            let spaced = number.map(|number| number.trim_start_matches([' ', '_', '.', '-']));
            spaced.or_else(|| strip_letters(rest, &["e"]))?
        } else {
            return None;
        };
        let (episode, rest) = take_episodes(number)?;
        let is_end = !rest.starts_with(char::is_alphanumeric);
        (is_end && at > 0).then_some(Marker::without_season(at, episode))
    });
    found.next()
}

/// Finds `2x05`. The resolution of a video has larger numbers.
fn find_cross(text: &str) -> Option<Marker> {
    let places = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    places
        .filter(|(at, _)| is_start_of_word(text, *at))
        .find_map(|(at, _)| {
            let (season, rest) = take_number(&text[at..], 2)?;
            let (episode, rest) = take_number(strip_letters(rest, &["x"])?, 3)?;
            let is_end = !rest.starts_with(char::is_alphanumeric) && !is_half(rest);
            is_end.then_some(Marker {
                start: at,
                season: u16::try_from(season).ok(),
                episode,
            })
        })
}

/// Reads a number at the beginning of a name, and returns the rest: `05 - Words`, `05 Title`.
fn leading_number(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = take_number(text, 4)?;
    let is_end = rest.is_empty() || rest.starts_with([' ', '_', '-']) || rest.starts_with(". ");
    (is_end && !is_year(number)).then_some((number, rest))
}

/// Finds the number at the end: `Title 05`, `Title-05`, `Title_05_v2`.
fn trailing_number(text: &str) -> Option<Marker> {
    let text = text.trim_end_matches([' ', '_', '.', '-']);
    let text = match text.rsplit_once([' ', '_']) {
        Some((text, version)) if is_version(version) => text,
        _ => text,
    };
    let plain = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let episode = text[plain.len()..].parse().ok()?;
    let is_apart = plain.ends_with([' ', '_', '-', '.']);
    (is_apart && !is_year(episode)).then_some(Marker::without_season(plain.len(), episode))
}

/// Reads one or several episodes, with the version of the file, and returns the last one: `05`, `05v2`, `13-15`,
/// `14 & 15`, `05 END`. Returns `None` for half an episode.
fn take_episodes(text: &str) -> Option<(u32, &str)> {
    let (mut episode, mut rest) = take_number(text, 4)?;
    rest = without_version(rest);
    for between in ["-", "~", " & ", "+"] {
        let next = rest.strip_prefix(between);
        if let Some((last, after)) = next.and_then(|next| take_number(next, 4))
            && last > episode
            && !after.starts_with(char::is_alphanumeric)
        {
            (episode, rest) = (last, without_version(after));
            break;
        }
    }
    for end in [" END", " End", " end", " FINAL", " Fin", "END"] {
        rest = rest.strip_prefix(end).unwrap_or(rest);
    }
    let is_part = rest.starts_with(char::is_alphanumeric) || is_half(rest);
    (!is_part).then_some((episode, rest))
}

/// Reads brackets that hold nothing but a number: `05`, `05v2`, `05 END`, `第05话`.
fn whole_number(text: &str) -> Option<u32> {
    let text = text.trim();
    let plain = text.strip_prefix('第').unwrap_or(text);
    let plain = plain.trim_end_matches(is_counter);
    if plain.chars().all(is_numeral) {
        return read_number(plain);
    }
    let (episode, rest) = take_episodes(plain)?;
    let rest = rest.trim_matches(['(', ')', '_', ' ']);
    (rest.is_empty() || rest.eq_ignore_ascii_case("end")).then_some(episode)
}

fn without_version(text: &str) -> &str {
    let end = text
        .find([' ', '_', '[', '(', '-', '&', ']'])
        .unwrap_or(text.len());
    if is_version(&text[..end]) {
        &text[end..]
    } else {
        text
    }
}

/// Returns true for the version of a file, such as `v2` and `v1.5`.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix(['v', 'V']);
    number.is_some_and(|number| {
        !number.is_empty()
            && number
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

/// Returns true for a number that is neither a year nor the resolution of a video.
fn is_episode(number: u32) -> bool {
    !is_year(number) && !matches!(number, 480 | 540 | 576 | 720 | 1080 | 1440 | 2160)
}

/// Returns true for a number that is more likely a year than an episode.
fn is_year(number: u32) -> bool {
    (1900..2100).contains(&number)
}

/// Returns true if a number with this rest is a number of half an episode, such as `12.5`.
pub(super) fn is_half(rest: &str) -> bool {
    let fraction = rest.strip_prefix('.');
    fraction.is_some_and(|fraction| {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        digits == 1 && !fraction[digits..].starts_with(char::is_alphanumeric)
    })
}

/// Reads up to this number of digits. Returns `None` if more follow.
fn take_number(text: &str, most: usize) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..digits].parse().ok()?;
    (digits <= most).then_some((number, &text[digits..]))
}

/// Removes one of these words, in any case, from the beginning of a text.
fn strip_letters<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().find_map(|word| {
        let start = text.get(..word.len())?;
        start
            .eq_ignore_ascii_case(word)
            .then(|| &text[word.len()..])
    })
}

fn is_start_of_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() && c.is_ascii())
}

fn is_counter(c: char) -> bool {
    matches!(c, '話' | '话' | '集' | '回' | '화')
}

fn is_numeral(c: char) -> bool {
    matches!(
        c,
        '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十' | '百'
    )
}

/// Reads digits or ideographs: `25`, `二十五`.
fn read_number(text: &str) -> Option<u32> {
    if text.is_empty() || !text.chars().all(is_numeral) {
        return text.parse().ok();
    }
    let (mut sum, mut digit) = (0_u32, 0);
    for c in text.chars() {
        let value = "一二三四五六七八九".chars().position(|known| known == c);
        match (value, c) {
            (Some(value), _) => digit = u32::try_from(value).ok()? + 1,
            (None, '十') => sum = sum.checked_add(digit.max(1) * 10)?,
            (None, _) => sum = sum.checked_add(digit.max(1) * 100)?,
        }
        if value.is_none() {
            digit = 0;
        }
    }
    sum.checked_add(digit)
}
