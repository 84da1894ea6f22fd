//! The values of an entry's fields, parsed from their texts in the same way for all file formats.
//!
//! A detail that cannot be read is left out with a remark. The entry is kept.

use shared::input::MAX_SAFE_INTEGER;
use shared::models::{
    AnimeFormat, AnimeId, DetailsChange, MAX_REPEATS, MAX_TRACKER_ID, Notes, TrackerIds,
    WatchStatus,
};
use shared::times;
use shared::visible::is_hidden;

use super::dates::FileDate;
use super::draft::EntryDraft;
use super::entry::ListEntry;
use super::field::{EntryField, FieldTexts, normalize, start_of};
use super::numbers::{YEARS, parse_year, whole_number};

/// The maximum length of a title, in characters. The longest titles of anime have 200.
const MAX_TITLE_CHARACTERS: usize = 300;

/// The reason for skipping an entry that names no anime.
pub const UNIDENTIFIED: &str = "has neither an identifier nor a title";

/// A watch status for each number or word that a format uses.
pub type StatusNumbers = [(&'static str, WatchStatus)];

/// An entry whose score and dates are not converted yet. The scale of the scores and the order of day and month may
/// only be known after the last entry.
#[derive(Debug)]
pub struct UnscaledEntry {
    /// The entry, without a score and without dates.
    pub entry: ListEntry,
    /// The score as the file states it. `None` if the file has no such field or the field cannot be read.
    pub score: Option<FileScore>,
    /// The start date. `None` if the file has no such field or the field cannot be read.
    pub started_on: Option<FileDate>,
    /// The day of the completion, in the same form.
    pub finished_on: Option<FileDate>,
    /// True if the notes were too long and have been cut.
    pub has_cut_notes: bool,
    /// The number of times that could not be read.
    pub unread_times: usize,
    /// The details that could not be read, with the beginnings of their texts.
    pub unreadable: Vec<(&'static str, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileScore {
    /// The points; 0 means no score.
    pub points: f64,
    /// The highest score, if the score itself states it: 10 for `9/10`, 5 for `★★★★☆`.
    pub maximum: Option<f64>,
}

/// Parses an entry.
///
/// # Errors
/// The reason for skipping the entry, for the user.
pub fn parse_entry(
    position: usize,
    draft: &EntryDraft,
    status_numbers: &StatusNumbers,
) -> Result<UnscaledEntry, String> {
    let texts = &draft.texts;
    let anime_id = parse_number(texts, EntryField::AnimeId, "anime_id", AnimeId::MAX)?;
    let anime_id = anime_id.and_then(AnimeId::new);
    // 0 stands for no identifier.
    let tracker_id = |field, name| -> Result<Option<u32>, String> {
        let id = parse_number(texts, field, name, MAX_TRACKER_ID.into())?;
        Ok(id.filter(|id| *id != 0))
    };
    let trackers = TrackerIds {
        a: tracker_id(EntryField::AniListId, "anilist_id")?,
        b: tracker_id(EntryField::MalId, "mal_id")?,
    };
    let title = parse_title(texts);
    let has_id = (anime_id, trackers.a, trackers.b) != (None, None, None) || !draft.ids.is_empty();
    if !has_id && title.is_none() {
        return Err(UNIDENTIFIED.to_owned());
    }
    let status = match draft.status {
        Some(status) => status,
        None => parse_status(texts, status_numbers)?,
    };
    let notes = texts.exact(EntryField::Notes).map(parse_notes);
    let created_at = parse_time(texts, EntryField::CreatedAt);
    let changed_at = parse_time(texts, EntryField::UpdatedAt);
    let mut read = DetailsReader {
        texts,
        unreadable: Vec::new(),
    };
    let started_on = read.date(EntryField::StartedOn, "started_on");
    let finished_on = read.date(EntryField::FinishedOn, "finished_on");
    let score = read.score();
    let (current_episode, episodes) = read.episodes(status);
    let details = DetailsChange {
        score: None,
        started_on: None,
        finished_on: None,
        repeats: read.number(EntryField::Repeats, "repeats", MAX_REPEATS.into()),
        notes: notes.as_ref().map(|(notes, _)| notes.clone()),
        private: read.private(),
    };
    let current_episode_ticks = read.number(
        EntryField::CurrentEpisodeTicks,
        "current_episode_ticks",
        MAX_SAFE_INTEGER,
    );
    let year = draft.year.filter(|year| YEARS.contains(year));
    let year = year.or_else(|| parse_year(texts.value(EntryField::Year)?));
    Ok(UnscaledEntry {
        score,
        started_on,
        finished_on,
        entry: ListEntry {
            position,
            anime_id,
            trackers,
            ids: draft.ids.clone(),
            title,
            format: draft
                .format
                .or_else(|| parse_format(texts.value(EntryField::Format)?)),
            year,
            season: draft.season,
            episodes,
            status,
            is_details_only: draft.is_details_only,
            current_episode,
            current_episode_ticks,
            details,
            created_at_ms: created_at.unwrap_or_default(),
            changed_at_ms: changed_at.unwrap_or_default(),
        },
        has_cut_notes: notes.is_some_and(|(_, is_cut)| is_cut),
        unread_times: usize::from(created_at.is_err()) + usize::from(changed_at.is_err()),
        unreadable: read.unreadable,
    })
}

/// Reads the details of an entry, and collects those that cannot be read.
struct DetailsReader<'d> {
    texts: &'d FieldTexts<'d>,
    unreadable: Vec<(&'static str, String)>,
}

impl DetailsReader<'_> {
    /// Returns the result of reading a detail, if it can be read.
    fn keep<T>(&mut self, name: &'static str, text: &str, read: Option<T>) -> Option<T> {
        if read.is_none() {
            self.unreadable.push((name, visible_text(text, 40)));
        }
        read
    }

    fn number<T: TryFrom<u64>>(
        &mut self,
        field: EntryField,
        name: &'static str,
        max: u64,
    ) -> Option<T> {
        let text = self.texts.value(field).filter(|text| !is_nothing(text))?;
        self.keep(name, text, number_up_to(text, max))
    }

    fn date(&mut self, field: EntryField, name: &'static str) -> Option<FileDate> {
        let text = self.texts.get(field)?;
        self.keep(name, text, FileDate::parse(text))
    }

    fn score(&mut self) -> Option<FileScore> {
        let text = self.texts.get(EntryField::Score)?;
        self.keep("score", text, parse_score(text))
    }

    /// Returns the current episode and the number of episodes. MyAnimeList's own exports have the progress of a repeat
    /// in the number of watched episodes. Older programs have it in a separate field, `my_rewatching_ep`. That field is
    /// ignored if it is 0 or above the anime's number of episodes.
    fn episodes(&mut self, status: WatchStatus) -> (Option<u32>, Option<u32>) {
        let (mut watched, mut of) = (None, None);
        if let Some(text) = self.texts.value(EntryField::CurrentEpisode)
            && !is_nothing(text)
        {
            let progress = parse_progress(text);
            (watched, of) = self.keep("current_episode", text, progress).unzip();
        }
        let count = self.texts.value(EntryField::Episodes);
        let count = count.and_then(whole_number).or(of.flatten());
        let count = count
            .and_then(|count| u32::try_from(count).ok())
            .filter(|count| *count > 0);
        let again = match status {
            WatchStatus::Repeating => self.texts.value(EntryField::RewatchingEpisode),
            _ => None,
        };
        let again: Option<u32> = again.and_then(whole_number);
        let again =
            again.filter(|episode| *episode > 0 && count.is_none_or(|count| *episode <= count));
        (again.or(watched), count)
    }

    fn private(&mut self) -> Option<bool> {
        let text = self.texts.value(EntryField::Private)?;
        let read = match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "wahr" | "ja" | "はい" => Some(true),
            "false" | "0" | "no" | "falsch" | "nein" | "いいえ" => Some(false),
            _ => None,
        };
        self.keep("private", text, read)
    }
}

/// Returns true for the texts that stand for an empty cell.
fn is_nothing(text: &str) -> bool {
    matches!(
        text.to_lowercase().as_str(),
        "" | "-" | "–" | "—" | "?" | "n/a" | "na" | "none" | "null" | "nan" | "unknown"
    )
}

/// Returns the watched episodes and the number of episodes of a text such as `12`, `12/24`, `12 of 24` or `12 | 24`.
fn parse_progress(text: &str) -> Option<(u32, Option<u64>)> {
    let normal = text.to_lowercase();
    let mut separators = ["/", "|", " of ", " von ", "／"].into_iter();
    let parts = separators.find_map(|separator| normal.split_once(separator));
    let (watched, of) = parts.unwrap_or((&normal, ""));
    let watched = watched.trim();
    let watched = if is_nothing(watched) { "0" } else { watched };
    let mut words = ["episode", "ep.", "ep", "e", "folge", "第"].into_iter();
    let number = words.find_map(|word| watched.strip_prefix(word));
    let number = number.unwrap_or(watched);
    let number = number.trim_end_matches(['話', '话', '集']);
    Some((whole_number(number)?, whole_number(of)))
}

/// Returns the title of an entry. Invisible characters are removed, because reports and pages show the title.
pub fn parse_title(texts: &FieldTexts) -> Option<String> {
    texts.value(EntryField::Title).and_then(title_of)
}

/// Returns a text as a title. `None` if nothing of it is visible.
pub fn title_of(text: &str) -> Option<String> {
    Some(visible_text(text, MAX_TITLE_CHARACTERS)).filter(|title| !title.is_empty())
}

/// Returns the visible characters of a text, at most `limit`, with single spaces between words. Only the
/// first `8 * limit` bytes of the text are read.
pub fn visible_text(text: &str, limit: usize) -> String {
    let is_shown = |character: &char| character.is_whitespace() || !is_hidden(*character);
    let start = start_of(text, 8 * limit);
    let shown: String = start.chars().filter(is_shown).collect();
    let spaced = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let start: String = spaced.chars().take(limit).collect();
    start.trim_end().to_owned()
}

/// Returns a list of texts in quotation marks, each with at most `limit` visible characters.
pub fn quoted(texts: impl IntoIterator<Item: AsRef<str>>, limit: usize) -> String {
    let texts = texts.into_iter();
    let texts = texts.map(|text| format!("{:?}", visible_text(text.as_ref(), limit)));
    texts.collect::<Vec<_>>().join(", ")
}

/// Parses an identifier, a whole number from 0 to `max`. Unlike a wrong detail, a wrong identifier makes the entry
/// invalid, because it could be about another anime.
fn parse_number<T: TryFrom<u64>>(
    texts: &FieldTexts,
    field: EntryField,
    name: &str,
    max: u64,
) -> Result<Option<T>, String> {
    let Some(text) = texts.value(field).filter(|text| !is_nothing(text)) else {
        return Ok(None);
    };
    number_up_to(text, max)
        .map(Some)
        .ok_or_else(|| format!("{name} must be a whole number from 0 to {max}"))
}

fn number_up_to<T: TryFrom<u64>>(text: &str, max: u64) -> Option<T> {
    let number = whole_number::<u64>(text).filter(|number| *number <= max)?;
    T::try_from(number).ok()
}

/// Returns the format of an anime, from a word such as `TV`, `Movie` or `ONA`.
pub fn parse_format(text: &str) -> Option<AnimeFormat> {
    Some(match normalize(text).as_str() {
        "tv" | "tvseries" | "tvserie" => AnimeFormat::Tv,
        "tvshort" => AnimeFormat::TvShort,
        "movie" | "film" => AnimeFormat::Movie,
        "special" | "tvspecial" => AnimeFormat::Special,
        "ova" | "oav" => AnimeFormat::Ova,
        "ona" | "web" => AnimeFormat::Ona,
        "music" | "musicvideo" => AnimeFormat::Music,
        _ => return None,
    })
}

fn parse_status(texts: &FieldTexts, status_numbers: &StatusNumbers) -> Result<WatchStatus, String> {
    let rewatching = texts.value(EntryField::Rewatching);
    if rewatching.is_some_and(is_rewatching) {
        return Ok(WatchStatus::Repeating);
    }
    let text = texts.value(EntryField::Status).ok_or("has no status")?;
    status_of(text, status_numbers)
        .ok_or_else(|| format!("status {:?} is unknown", visible_text(text, 40)))
}

/// Returns the status for a general word, or for a number or word of a format.
pub fn status_of(text: &str, status_numbers: &StatusNumbers) -> Option<WatchStatus> {
    let known = status_numbers.iter().find(|(number, _)| *number == text);
    known
        .map(|(_, status)| *status)
        .or_else(|| status_of_word(text))
}

/// Returns the status for a word that services write.
fn status_of_word(text: &str) -> Option<WatchStatus> {
    Some(match normalize(text).as_str() {
        "completed" | "complete" | "finished" | "watched" => WatchStatus::Completed,
        "current" | "watching" | "currentlywatching" => WatchStatus::Current,
        "dropped" => WatchStatus::Dropped,
        "paused" | "onhold" | "onahold" | "hold" | "stalled" => WatchStatus::Paused,
        "planning" | "planned" | "plantowatch" | "wanttowatch" => WatchStatus::Planning,
        "repeating" | "rewatching" => WatchStatus::Repeating,
        _ => return None,
    })
}

fn is_rewatching(text: &str) -> bool {
    matches!(
        normalize(text).as_str(),
        "1" | "true" | "yes" | "rewatching"
    )
}

/// Parses a score: `8.5`, `8,5`, `9/10`, `85 %` or `★★★★`.
fn parse_score(text: &str) -> Option<FileScore> {
    let of = |points, maximum| Some(FileScore { points, maximum });
    if is_nothing(text) {
        return of(0.0, None);
    }
    if text.contains(['★', '☆', '⭐']) {
        return parse_stars(text);
    }
    let number = |text: &str| {
        // Spreadsheets in many languages write a decimal comma.
        let number = text.trim().replace(',', ".").parse::<f64>().ok();
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    if let Some(percent) = text.strip_suffix('%') {
        return of(number(percent)?, Some(100.0));
    }
    match text.split_once(['/', '／']) {
        None => of(number(text)?, None),
        Some((points, maximum)) => {
            let maximum = number(maximum).filter(|maximum| (1.0..=100.0).contains(maximum))?;
            let points = points.trim();
            let points = if is_nothing(points) { "0" } else { points };
            of(number(points)?, Some(maximum))
        }
    }
}

/// Returns the score of a text with up to five stars.
fn parse_stars(text: &str) -> Option<FileScore> {
    let mut points = 0.0;
    for character in text.chars() {
        match character {
            '★' | '⭐' => points += 1.0,
            '½' => points += 0.5,
            '☆' | ' ' | '\u{fe0f}' => {}
            _ => return None,
        }
    }
    Some(FileScore {
        points,
        maximum: Some(5.0),
    })
}

/// Returns the notes, and true if they were too long and have been cut. Line ends of other systems become line
/// feeds, and control characters are removed.
fn parse_notes(text: &str) -> (Notes, bool) {
    let text = text
        .replace("\r\n", "\n")
        .replace(['\r', '\u{85}'], "\n")
        .replace(
            |character: char| character.is_control() && !matches!(character, '\n' | '\t'),
            "",
        );
    let end = text.char_indices().nth(Notes::MAX_CHARACTERS);
    let cut = end.map_or(text.as_str(), |(end, _)| &text[..end]);
    (Notes::new(cut).unwrap_or_default(), end.is_some())
}

/// Parses a time. The caller counts an error, but does not skip the entry for it.
fn parse_time(texts: &FieldTexts, field: EntryField) -> Result<Option<u64>, ()> {
    match texts.value(field) {
        None | Some("0") => Ok(None),
        Some(text) => exact_time(text)
            .or_else(|| watched_at(text))
            .map(Some)
            .ok_or(()),
    }
}

/// Returns a time that is more exact than a day. Eight digits, such as `20160826`, are a day, not seconds since 1970.
fn exact_time(text: &str) -> Option<u64> {
    let is_day = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_day { None } else { times::parse_ms(text) }
}

/// Two days, in milliseconds. Programs write the first seconds of 1970 for a time that they do not know.
const FIRST_TIME_MS: u64 = 2 * 86_400_000;

/// Returns a time of watching, in milliseconds since the Unix epoch: an ISO 8601 time, a time without a zone (UTC), or
/// a day (noon). `None` for placeholders, such as `1970-01-01T00:00:01Z` and `unknown`.
pub fn watched_at(text: &str) -> Option<u64> {
    let text = text.trim();
    // A space can be between the day and the time, and before the zone.
    let mut time = text.replacen(' ', "T", 1);
    // Some programs write `+00` for a zone without minutes.
    let zone = text.len().checked_sub(3).and_then(|at| text.get(at..));
    let has_short_zone = text.len() > 16
        && zone.is_some_and(|zone| {
            zone.starts_with(['+', '-']) && zone.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        });
    if has_short_zone {
        time.push_str(":00");
    }
    exact_time(&time)
        .or_else(|| time_of_spreadsheet(text))
        .filter(|time| *time >= FIRST_TIME_MS)
}

/// Returns a time as spreadsheets write it, such as `26.08.2016 19:00`, or noon of a day such as `2016-08-26`. `None`
/// if the order of day and month is not clear, as in `3/4/2016`.
fn time_of_spreadsheet(text: &str) -> Option<u64> {
    let (day, time) = text.split_once(' ').unwrap_or((text, "12:00"));
    let date = FileDate::parse(day).filter(|date| !date.needs_order())?;
    let date = date.resolve(None)?;
    date.day()?;
    let time = time.trim();
    let (hours, rest) = time.split_once(':')?;
    let rest = if rest.contains(':') {
        rest.to_owned()
    } else {
        format!("{rest}:00")
    };
    times::parse_ms(&format!("{date}T{hours:0>2}:{rest}Z"))
}

#[cfg(test)]
mod tests {
    use super::{
        EntryField, FieldTexts, FileScore, number_up_to, parse_progress, parse_score, parse_time,
        parse_year, watched_at, whole_number,
    };

    #[test]
    fn scores_are_read_in_the_forms_that_people_write() {
        for (text, points, maximum) in [
            ("8.5", 8.5, None),
            ("8,5", 8.5, None),
            ("-", 0.0, None),
            ("9/10", 9.0, Some(10.0)),
            ("4,5 / 5", 4.5, Some(5.0)),
            ("-/10", 0.0, Some(10.0)),
            ("85 %", 85.0, Some(100.0)),
            ("★★★★", 4.0, Some(5.0)),
            ("★★★☆☆", 3.0, Some(5.0)),
            ("★½", 1.5, Some(5.0)),
        ] {
            let expected = Some(FileScore { points, maximum });
            assert_eq!(parse_score(text), expected, "{text}");
        }
        for text in ["good", "-1", "9/0", "9/1000", "1/2/3", "inf", "★★x"] {
            assert_eq!(parse_score(text), None, "{text}");
        }
    }

    #[test]
    fn maximum_of_a_number_is_valid() {
        assert_eq!(number_up_to::<u32>("500", 500), Some(500));
        assert_eq!(number_up_to::<u32>("501", 500), None);
    }

    #[test]
    fn progress_is_read_in_the_forms_that_people_write() {
        for (text, watched, of) in [
            ("12", 12, None),
            ("12/24", 12, Some(24)),
            ("12 / 24", 12, Some(24)),
            ("12 of 24", 12, Some(24)),
            ("-/24", 0, Some(24)),
            ("12/?", 12, None),
            ("1.0", 1, None),
            ("Ep. 7", 7, None),
            ("第7話", 7, None),
        ] {
            assert_eq!(parse_progress(text), Some((watched, of)), "{text}");
        }
        for text in ["all", "1.5", "-3", "99999999999"] {
            assert_eq!(parse_progress(text), None, "{text}");
        }
        assert_eq!(whole_number("24,0"), Some(24));
        assert_eq!(whole_number::<u64>("24."), None);
    }

    #[test]
    fn placeholders_are_not_times() {
        let placeholders = "1970-01-01T00:00:01Z|0001-01-01T00:00:00Z|0000-00-00|unknown||0";
        for text in placeholders.split('|') {
            assert_eq!(watched_at(text), None, "{text}");
        }
        let expected = Some(1_700_000_000_000);
        let texts = "2023-11-14T22:13:20.000Z|2023-11-14 22:13:20|2023-11-14 22:13:20+00:00|2023-11-14 15:13:20-07|\
            14.11.2023 22:13:20|11/14/2023 22:13:20|1700000000";
        for text in texts.split('|') {
            assert_eq!(watched_at(text), expected, "{text}");
        }
        assert_eq!(watched_at("2023-11-14"), Some(1_699_963_200_000));
        assert_eq!(watched_at("20231114"), Some(1_699_963_200_000));
        let mut texts = FieldTexts::default();
        texts.set(EntryField::UpdatedAt, "20231114");
        let changed_at = parse_time(&texts, EntryField::UpdatedAt);
        assert_eq!(changed_at, Ok(Some(1_699_963_200_000)));
        assert_eq!(watched_at("14.11.2023"), Some(1_699_963_200_000));
        assert_eq!(watched_at("14.11.2023 9:05"), Some(1_699_952_700_000));
        assert_eq!(watched_at("3/4/2023 9:05"), None);
    }

    #[test]
    fn years_stand_alone_or_before_a_date() {
        assert_eq!(parse_year("2016"), Some(2016));
        assert_eq!(parse_year("2016-08-26 00:00:00"), Some(2016));
        for text in ["0001-01-01", "20160826", "16", "", "2016x"] {
            assert_eq!(parse_year(text), None, "{text}");
        }
    }
}
