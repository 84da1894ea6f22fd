//! This service's own JSON, which scripts send.

use std::collections::BTreeMap;

use serde_json::{Number as JsonNumber, Value};
use shared::input::{Body, BodyField, Fields};
use shared::models::{AnimeId, IdSource};
use shared::{Error, FieldErrors, body, times};

use crate::events::event_of;
use crate::message::{Event, Message, Sender, SourceId, Subject, Video};
use crate::tags::take_ids;
use crate::values::{check_file, check_text, parse_id};

/// The highest season. Some series count their seasons by years.
pub const MAX_SEASON: u32 = 9999;

/// The highest episode. The longest series have about 8,000.
pub const MAX_EPISODE: u32 = 20_000;

/// A whole number in a range.
struct Number<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> BodyField for Number<MIN, MAX> {
    fn parse(value: &Value) -> Result<Self, String> {
        let number = u32::parse(value).ok();
        let number = number.filter(|number| (MIN..=MAX).contains(number));
        number
            .map(Self)
            .ok_or_else(|| format!("must be a whole number from {MIN} to {MAX}"))
    }
}

struct Title(String);

impl BodyField for Title {
    fn parse(value: &Value) -> Result<Self, String> {
        let title = value.as_str().and_then(check_text);
        let title = title.map(|title| Self(title.to_owned()));
        title.ok_or_else(|| "must have 1 to 1,000 characters, and no NUL".to_owned())
    }
}

/// The name of a file with its innermost two folders.
struct FileNameField(String);

impl BodyField for FileNameField {
    fn parse(value: &Value) -> Result<Self, String> {
        let file = value.as_str().and_then(check_file);
        let file = file.map(|file| Self(file.to_owned()));
        file.ok_or_else(|| "must have a name of 1 to 1,000 characters, and no NUL".to_owned())
    }
}

/// Identifiers at other services, at least one, in the order of the sources' names.
struct IdsField(Vec<SourceId>);

impl BodyField for IdsField {
    fn parse(value: &Value) -> Result<Self, String> {
        let parse = |(name, id): (&String, &Value)| {
            let source = IdSource::from_name(name)?;
            let id = parse_id(source, id)?;
            Some(SourceId { source, id })
        };
        let ids: Option<BTreeMap<_, _>> = value.as_object().map(|ids| ids.iter().collect());
        let ids: Option<Vec<_>> = ids.and_then(|ids| ids.into_iter().map(parse).collect());
        ids.filter(|ids| !ids.is_empty()).map(Self).ok_or_else(|| {
            let names = IdSource::ALL.map(|(_, name)| name).join(", ");
            format!("must be an object of identifiers from 1 to {} (imdb: tt0213338) by source: {names}", u32::MAX)
        })
    }
}

/// A time in milliseconds since the Unix epoch.
struct Time(u64);

impl BodyField for Time {
    fn parse(value: &Value) -> Result<Self, String> {
        let seconds = value.as_number().map(JsonNumber::to_string);
        let time = seconds
            .as_deref()
            .or(value.as_str())
            .and_then(times::parse_ms);
        time.map(Self).ok_or_else(|| {
            "must be an ISO 8601 time such as 2026-11-23T07:20:00Z, or a number of seconds since 1970".to_owned()
        })
    }
}

body! {
    /// An episode or a movie that was watched, wholly or in part. It is named by exactly one of `anime_id`, `ids`,
    /// `title` and `file`.
    pub struct KirokuMessage {
        /// Identifier of the anime in this service. `episode` is required.
        #[schema(value_type = Option<u64>, minimum = 1, maximum = 33_554_431, example = 2)]
        anime_id: Option<AnimeId>,
        /// Identifiers of the series or the anime, by the sources of `/v1/mapping`. Without `season` and `episode`,
        /// they identify a movie.
        #[schema(value_type = Option<Object>, example = json!({"tvdb": 275_672}))]
        ids: Option<IdsField>,
        /// Title of the series, or of the movie if `episode` is absent; 1 to 1,000 characters.
        #[schema(value_type = Option<String>, example = "Slayers")]
        title: Option<Title>,
        /// Name of the file. The innermost two folders also count. The rest of a path, and the query string of an
        /// address, are ignored. 1 to 1,000 characters.
        #[schema(value_type = Option<String>, example = "[Group] Steins;Gate - 05.mkv")]
        file: Option<FileNameField>,
        /// Season, only with `ids` or `title`. 0 stands for specials.
        #[schema(value_type = Option<u64>, maximum = 9999, example = 1)]
        season: Option<Number<0, MAX_SEASON>>,
        /// Episode; the last one if the file has several. Not with `file`.
        #[schema(value_type = Option<u64>, maximum = 20_000, example = 5)]
        episode: Option<Number<0, MAX_EPISODE>>,
        /// Year in which the series or the movie started, only with `title`.
        #[schema(value_type = Option<u64>, minimum = 1900, maximum = 2200, example = 1995)]
        year: Option<Number<1900, 2200>>,
        /// Name of the library that has the video, 1 to 1,000 characters.
        #[schema(value_type = Option<String>, example = "Anime")]
        library: Option<Title>,
        /// Event: `start`, `pause`, `resume`, `progress`, `stop` or `end`, also with words before them, such as
        /// `playback.stop` and `onPlayBackEnded`. All other events change nothing.
        #[schema(example = "end")]
        event: Option<String>,
        /// Position in the video in milliseconds, at most `duration_ms`.
        #[schema(maximum = 9_007_199_254_740_991_u64, example = 1_200_000)]
        position_ms: Option<u64>,
        /// Length of the video in milliseconds. 0 means that it is unknown.
        #[schema(maximum = 9_007_199_254_740_991_u64, example = 1_440_000)]
        duration_ms: Option<u64>,
        /// True if the video was watched to its end. Default: true if `event` is `end`, or if `event` and
        /// `position_ms` are absent; else false.
        #[schema(example = false)]
        finished: Option<bool>,
        /// Time of the event: an ISO 8601 time, or a number of seconds since 1970.
        #[schema(value_type = Option<String>, example = "2026-11-23T07:20:00Z")]
        at: Option<Time>,
    }
}

/// Names of fields by which a message in this service's own JSON is recognized.
pub const NAMES: [&str; 6] = ["anime_id", "ids", "title", "file", "episode", "finished"];

/// Reads a message.
///
/// # Errors
/// The reason for each invalid field.
pub fn read(value: &Value) -> Result<Message, FieldErrors> {
    let invalid = || FieldErrors::from([("message", "must be an object".to_owned())]);
    let mut fields = Fields::of(value).ok_or_else(invalid)?;
    let body = KirokuMessage::read(&mut fields);
    let event = event_of(value);
    let message = body.map(|body| body.into_message(event, &mut fields));
    fields.finish(message).map_err(|error| match error {
        Error::Invalid(errors) => errors,
        _ => invalid(),
    })
}

impl KirokuMessage {
    /// Returns the message. `event` is the event that it names. Adds the errors of fields that do not fit together.
    fn into_message(self, event: Option<Event>, fields: &mut Fields) -> Message {
        self.check(fields);
        let duration_ms = self.duration_ms.filter(|duration| *duration > 0);
        let ids = self.ids.map_or_else(Vec::new, |ids| ids.0);
        let mut video = Video {
            is_movie: self.episode.is_none() && self.file.is_none(),
            title: self.title.map(|title| title.0),
            year: self.year.and_then(|year| u16::try_from(year.0).ok()),
            season: self.season.and_then(|season| u16::try_from(season.0).ok()),
            episode: self.episode.map(|episode| episode.0),
            file: self.file.map(|file| file.0),
            library: self.library.map(|library| library.0),
            anime_id: self.anime_id,
            ..Video::default()
        };
        if video.is_movie {
            video.ids = ids;
        } else {
            video.series_ids = ids;
        }
        take_ids(&mut video);
        let is_finished = self.finished.unwrap_or(match event {
            Some(event) => event == Event::Finished,
            // A message at the start of a video names its event or has a position.
            None => self.position_ms.is_none(),
        });
        Message {
            sender: Sender::Kiroku,
            user: None,
            event: match event {
                _ if is_finished => Event::Finished,
                None | Some(Event::Finished) => Event::Playing,
                Some(event) => event,
            },
            subject: Subject::Video(video),
            position_ms: self.position_ms,
            duration_ms,
            at_ms: self.at.map(|time| time.0),
        }
    }

    fn check(&self, fields: &mut Fields) {
        let named = [
            ("anime_id", self.anime_id.is_some()),
            ("ids", self.ids.is_some()),
            ("title", self.title.is_some()),
            ("file", self.file.is_some()),
        ];
        let mut given = named.into_iter().filter(|(_, is_given)| *is_given);
        match (given.next(), given.next()) {
            (None, _) => fields.fail(
                "anime_id",
                "is required, unless ids, title or file is given",
            ),
            (_, Some((second, _))) => {
                fields.fail(
                    second,
                    "must be the only one of anime_id, ids, title and file",
                );
            }
            _ => {}
        }
        if self.season.is_some() && self.ids.is_none() && self.title.is_none() {
            fields.fail("season", "is allowed only with ids or title");
        }
        if self.year.is_some() && self.title.is_none() {
            fields.fail("year", "is allowed only with title");
        }
        match self.episode {
            Some(_) if self.file.is_some() => fields.fail("episode", "is not allowed with file"),
            None if self.anime_id.is_some() => fields.fail("episode", "is required with anime_id"),
            None if self.season.is_some() => fields.fail("episode", "is required with season"),
            _ => {}
        }
        let duration = self.duration_ms.filter(|duration| *duration > 0);
        if let (Some(position), Some(duration)) = (self.position_ms, duration)
            && position > duration
        {
            fields.fail("position_ms", "must be at most duration_ms");
        }
    }
}
