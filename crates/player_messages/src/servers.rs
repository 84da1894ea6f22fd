//! Messages of media servers. Their users cannot correct a value, so a wrong value of an optional field counts as
//! missing.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::input::MAX_SAFE_INTEGER;
use shared::models::IdSource;
use shared::times;

use crate::kiroku::{MAX_EPISODE, MAX_SEASON};
use crate::message::{Event, ItemId, Message, OtherKind, Sender, SeriesId, Subject, Video};
use crate::values::{
    check_file, is_true, optional_number, parse_id, source_of, text_of, whole_number,
};

/// The number of Jellyfin's and Emby's ticks of 100 ns in a millisecond.
const TICKS_PER_MS: u64 = 10_000;

/// The maximum number of identifiers that are kept of the item of a series, because each of its episodes gets them.
const MAX_SERIES_IDS: usize = 20;

/// Reads a message of Jellyfin's official plugin: all properties, or our template, whose values are all strings.
pub fn read_jellyfin(message: &Value) -> Message {
    let event = match message["NotificationType"].as_str().unwrap_or_default() {
        "PlaybackStart" | "PlaybackProgress" => Event::Playing,
        "PlaybackStop" if is_true(&message["PlayedToCompletion"]) => Event::Finished,
        "PlaybackStop" => Event::Stopped,
        "UserDataSaved" if is_marked_played(message) => Event::Finished,
        _ => Event::Other,
    };
    // The plugin escapes quotation marks before it writes them as JSON, which escapes them again.
    let text = |name: &str| text_of(&message[name]).map(|text| text.replace("\\\"", "\""));
    let subject = match item_kind(&message["ItemType"]) {
        Ok(is_movie) => {
            let video = Video {
                is_movie,
                title: text(if is_movie { "Name" } else { "SeriesName" }),
                year: year_of(&message["Year"]),
                file: message["Path"].as_str().and_then(file_of_template),
                ids: item_ids(message, "Provider_"),
                ..Video::default()
            };
            let numbers = ["SeasonNumber", "EpisodeNumber", "EpisodeNumberEnd"];
            subject_of(video, numbers.map(|name| &message[name]))
        }
        Err(kind) => Subject::NotAnEpisode(kind),
    };
    Message {
        user: text("NotificationUsername"),
        at_ms: time_of(&message["UtcTimestamp"]),
        ..message_of(
            Sender::Jellyfin,
            event,
            subject,
            ticks_ms(&message["PlaybackPositionTicks"]),
            ticks_ms(&message["RunTimeTicks"]),
        )
    }
}

/// Returns true if the user has marked an item as played, or has watched it to its end. `Played` alone is not enough:
/// it stays true when a played item is rated, or is watched again in part.
fn is_marked_played(message: &Value) -> bool {
    let is_at_start = whole_number(&message["PlaybackPositionTicks"]) == Some(0);
    let is_change = match message["SaveReason"].as_str() {
        Some("TogglePlayed") => true,
        Some("PlaybackFinished") => is_at_start,
        _ => false,
    };
    is_change && is_true(&message["Played"])
}

/// Returns the file name in a value of a template, in which the backslashes of a Windows path are not escaped. Some of
/// them were read as escapes of control characters, which paths do not have.
fn file_of_template(path: &str) -> Option<String> {
    let escapes = [
        ("\u{8}", "\\b"),
        ("\u{c}", "\\f"),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
    ];
    let restore = |path: String, (character, escape)| path.replace(character, escape);
    let path = escapes.into_iter().fold(path.to_owned(), restore);
    check_file(&path).map(ToOwned::to_owned)
}

/// Reads a message of Emby, or of shemanaev's plugin for Jellyfin, which has the same fields and other names of events.
pub fn read_emby(message: &Value) -> Message {
    let name = message["Event"].as_str().unwrap_or_default();
    let sender = if name.contains('.') {
        Sender::Emby
    } else {
        Sender::Jellyfin
    };
    let is_complete = is_true(&message["PlaybackInfo"]["PlayedToCompletion"]);
    let event = match name {
        "playback.start" | "playback.pause" | "playback.unpause" | "playback.progress" | "Play"
        | "Pause" | "Resume" | "Progress" => Event::Playing,
        "playback.stop" if is_complete => Event::Finished,
        "playback.stop" | "Stop" => Event::Stopped,
        "item.markplayed" | "playback.scrobble" | "MarkPlayed" | "Scrobble" => Event::Finished,
        _ => Event::Other,
    };
    let item = &message["Item"];
    let subject = read_emby_item(item, &message["Series"]);
    let positions = [&message["PlaybackInfo"], &message["Session"]["PlayState"]];
    Message {
        user: text_of(&message["User"]["Name"]),
        at_ms: time_of(&message["Date"]),
        ..message_of(
            sender,
            event,
            subject,
            positions
                .into_iter()
                .find_map(|place| ticks_ms(&place["PositionTicks"])),
            ticks_ms(&item["RunTimeTicks"]),
        )
    }
}

/// Reads an item of Emby or Jellyfin. `series` is the item of its series, or null.
pub fn read_emby_item(item: &Value, series: &Value) -> Subject {
    match item_kind(&item["Type"]) {
        Ok(_) if text_of(&item["ExtraType"]).is_some() => Subject::NotAnEpisode(OtherKind::Trailer),
        Ok(is_movie) => {
            // The year of an episode's item is not that of the series.
            let (title, year) = if is_movie {
                (&item["Name"], &item["ProductionYear"])
            } else {
                (&item["SeriesName"], &series["ProductionYear"])
            };
            let video = Video {
                is_movie,
                title: text_of(title),
                year: year_of(year),
                file: file_of(&item["Path"]),
                ids: item_ids(&item["ProviderIds"], ""),
                series_ids: series_ids(&series["ProviderIds"]),
                ..Video::default()
            };
            let numbers = ["ParentIndexNumber", "IndexNumber", "IndexNumberEnd"];
            subject_of(video, numbers.map(|name| &item[name]))
        }
        Err(kind) => Subject::NotAnEpisode(kind),
    }
}

/// Reads a message of Plex.
pub fn read_plex(message: &Value) -> Message {
    let event = match message["event"].as_str().unwrap_or_default() {
        "media.play" | "media.pause" | "media.resume" => Event::Playing,
        "media.stop" => Event::Stopped,
        "media.scrobble" => Event::Finished,
        _ => Event::Other,
    };
    let item = &message["Metadata"];
    let subject = read_plex_item(item);
    let (position, duration) = (&item["viewOffset"], &item["duration"]);
    Message {
        user: text_of(&message["Account"]["title"]),
        ..message_of(
            Sender::Plex,
            event,
            subject,
            whole_number(position),
            whole_number(duration),
        )
    }
}

/// Reads an item of Plex.
pub fn read_plex_item(item: &Value) -> Subject {
    match item_kind(&item["type"]) {
        Ok(_) if is_true(&item["live"]) => Subject::NotAnEpisode(OtherKind::LiveTv),
        Ok(is_movie) => read_plex_video(item, is_movie),
        Err(kind) => Subject::NotAnEpisode(kind),
    }
}

fn read_plex_video(item: &Value, is_movie: bool) -> Subject {
    let guid_of = |value: &Value| value.as_str().and_then(PlexGuid::parse);
    let file = &item["Media"][0]["Part"][0]["file"];
    let title = if is_movie {
        "title"
    } else {
        "grandparentTitle"
    };
    let mut video = Video {
        is_movie,
        title: text_of(&item[title]),
        // The year of an episode is not that of its series.
        year: year_of(&item["year"]).filter(|_| is_movie),
        file: file_of(file),
        ..Video::default()
    };
    let own = plex_ids(item);
    video
        .ids
        .extend(own.map(|(source, id)| ItemId { source, id }));
    let guid = guid_of(&item["guid"]);
    if is_movie {
        video.ids.extend(guid.map(PlexGuid::item_id));
        return subject_of(video, [&Value::Null; 3]);
    }
    let Some(guid) = guid.or_else(|| guid_of(&item["grandparentGuid"])) else {
        return subject_of(video, [&item["parentIndex"], &item["index"], &Value::Null]);
    };
    let (source, id) = guid.id;
    video.series_ids.push(SeriesId { source, id });
    let [season, episode] = &guid.numbers;
    let number = |name: &str, other| match &item[name] {
        Value::Null => other,
        number => number,
    };
    let season = if guid.is_absolute {
        &Value::Null
    } else {
        number("parentIndex", season)
    };
    subject_of(video, [season, number("index", episode), &Value::Null])
}

/// Returns the identifiers that newer agents of Plex give an item.
fn plex_ids(item: &Value) -> impl Iterator<Item = (IdSource, u32)> {
    let guids = item["Guid"].as_array().into_iter().flatten();
    guids.filter_map(|guid| Some(PlexGuid::parse(guid["id"].as_str()?)?.id))
}

/// The facts about a series that its own item has.
#[derive(Debug)]
pub struct SeriesFacts {
    ids: Vec<SeriesId>,
    year: Option<u16>,
}

impl SeriesFacts {
    /// Reads the item of a series of Emby or Jellyfin.
    pub fn of_emby(item: &Value) -> Self {
        Self {
            ids: ids_in(&item["ProviderIds"], "")
                .map(|(source, id)| SeriesId { source, id })
                .take(MAX_SERIES_IDS)
                .collect(),
            year: year_of(&item["ProductionYear"]),
        }
    }

    /// Reads the item of a series of Plex.
    pub fn of_plex(item: &Value) -> Self {
        let ids = plex_ids(item).map(|(source, id)| SeriesId { source, id });
        Self {
            ids: ids.take(MAX_SERIES_IDS).collect(),
            year: year_of(&item["year"]),
        }
    }

    /// Adds the facts to an episode. Identifiers that it has already stay: their source decides how the episode is
    /// numbered.
    pub fn add_to(&self, video: &mut Video) {
        if video.series_ids.is_empty() {
            video.series_ids.clone_from(&self.ids);
        }
        video.year = video.year.or(self.year);
    }
}

/// An identifier of Plex, such as `com.plexapp.agents.hama://anidb-17494/1/7?lang=en` or `tvdb://5021`. The former is
/// that of the anime, with season and episode.
struct PlexGuid {
    id: (IdSource, u32),
    /// The season and the episode, strings or null.
    numbers: [Value; 2],
    /// True if the episode is counted from the first one of the series, whatever its season says.
    is_absolute: bool,
}

impl PlexGuid {
    fn parse(guid: &str) -> Option<Self> {
        let (agent, rest) = guid.split('?').next()?.split_once("://")?;
        let mut parts = rest.split('/');
        let first = parts.next()?;
        let (name, id) = match agent.rsplit('.').next()? {
            "hama" => first.split_once('-')?,
            name => (name, first),
        };
        // The number after HAMA's source is a way of numbering. With 2, the numbers are those of TheTVDB. With 3 to 5,
        // the episodes are numbered through all seasons. The others are no numbers of the source.
        let source = match name {
            "tvdb2" | "tvdb3" | "tvdb4" | "tvdb5" => IdSource::Tvdb,
            name => source_of(name)?,
        };
        Some(Self {
            id: (source, parse_id(source, &id.into())?),
            numbers: [(); 2].map(|()| parts.next().map_or(Value::Null, Value::from)),
            is_absolute: ["tvdb3", "tvdb4", "tvdb5"].contains(&name),
        })
    }

    fn item_id(self) -> ItemId {
        let (source, id) = self.id;
        ItemId { source, id }
    }
}

/// Reads a message of our template for Tautulli.
pub fn read_tautulli(message: &Value) -> Message {
    let event = match message["tautulli"].as_str().unwrap_or_default() {
        "play" | "pause" | "resume" => Event::Playing,
        "stop" => Event::Stopped,
        "watched" => Event::Finished,
        _ => Event::Other,
    };
    let subject = match item_kind(&message["media_type"]) {
        Ok(_) if is_true(&message["live"]) => Subject::NotAnEpisode(OtherKind::LiveTv),
        Ok(is_movie) => {
            let mut video = Video {
                is_movie,
                title: text_of(&message[if is_movie { "title" } else { "show_name" }]),
                year: year_of(&message["year"]).filter(|_| is_movie),
                file: file_of(&message["file"]),
                ..Video::default()
            };
            // For an episode, Tautulli sends the identifiers of its series.
            if is_movie {
                video.ids = item_ids(message, "");
            } else {
                video.series_ids = series_ids(message);
            }
            subject_of(
                video,
                [&message["season"], &message["episode"], &Value::Null],
            )
        }
        Err(kind) => Subject::NotAnEpisode(kind),
    };
    let ms = |name: &str| {
        let ms = whole_number(&message[name])?.checked_mul(1000);
        ms.filter(|ms| *ms <= MAX_SAFE_INTEGER)
    };
    Message {
        user: text_of(&message["user"]),
        at_ms: time_of(&message["at"]),
        ..message_of(
            Sender::Tautulli,
            event,
            subject,
            ms("position_s"),
            ms("duration_s"),
        )
    }
}

fn message_of(
    sender: Sender,
    event: Event,
    subject: Subject,
    position_ms: Option<u64>,
    duration_ms: Option<u64>,
) -> Message {
    let duration_ms = duration_ms.filter(|duration| *duration > 0);
    let fits = |position: &u64| duration_ms.is_none_or(|duration| *position <= duration);
    Message {
        sender,
        user: None,
        event,
        subject,
        position_ms: position_ms.filter(fits),
        duration_ms,
        at_ms: None,
    }
}

/// Returns the video with its numbers: season, episode, and the last episode of the file.
fn subject_of(mut video: Video, [season, episode, last]: [&Value; 3]) -> Subject {
    if !video.is_movie {
        let Ok(season) = optional_number(season, MAX_SEASON.into()) else {
            return Subject::Unusable("season");
        };
        let Ok(episode) = optional_number(episode, MAX_EPISODE.into()) else {
            return Subject::Unusable("episode");
        };
        let last = optional_number(last, MAX_EPISODE.into()).unwrap_or_default();
        video.season = season;
        video.episode = episode.map(|episode: u32| last.unwrap_or(0).max(episode));
        if video.episode.is_none() && video.file.is_none() {
            return Subject::Unusable("episode");
        }
    }
    let has_no_name = video.title.is_none() && video.file.is_none();
    if has_no_name && video.ids.is_empty() && video.series_ids.is_empty() {
        return Subject::Unusable("title");
    }
    Subject::Video(video)
}

/// Returns true for a movie and false for an episode.
fn item_kind(name: &Value) -> Result<bool, OtherKind> {
    match name
        .as_str()
        .unwrap_or_default()
        .to_ascii_lowercase()
        .as_str()
    {
        "movie" => Ok(true),
        // A video is a file that the server knows nothing else about.
        "episode" | "video" => Ok(false),
        "audio" | "musicalbum" | "musicartist" | "musicvideo" | "track" | "album" | "artist" => {
            Err(OtherKind::Music)
        }
        "trailer" | "clip" => Err(OtherKind::Trailer),
        "tvchannel" | "livetvchannel" | "program" | "tvprogram" | "livetvprogram" => {
            Err(OtherKind::LiveTv)
        }
        "photo" | "photoalbum" => Err(OtherKind::Photo),
        _ => Err(OtherKind::Other),
    }
}

/// Returns the identifiers in the fields whose names are `prefix` and the name of a source, in the order of the names.
fn ids_in(fields: &Value, prefix: &str) -> impl Iterator<Item = (IdSource, u32)> {
    let fields: BTreeMap<_, _> = fields.as_object().into_iter().flatten().collect();
    fields.into_iter().filter_map(move |(name, value)| {
        let source = source_of(name.strip_prefix(prefix)?)?;
        Some((source, parse_id(source, value)?))
    })
}

fn item_ids(fields: &Value, prefix: &str) -> Vec<ItemId> {
    ids_in(fields, prefix)
        .map(|(source, id)| ItemId { source, id })
        .collect()
}

fn series_ids(fields: &Value) -> Vec<SeriesId> {
    ids_in(fields, "")
        .map(|(source, id)| SeriesId { source, id })
        .collect()
}

fn file_of(value: &Value) -> Option<String> {
    value.as_str().and_then(check_file).map(ToOwned::to_owned)
}

fn year_of(value: &Value) -> Option<u16> {
    let year = whole_number(value).and_then(|year| u16::try_from(year).ok());
    year.filter(|year| (1900..=2200).contains(year))
}

fn ticks_ms(value: &Value) -> Option<u64> {
    whole_number(value).map(|ticks| ticks / TICKS_PER_MS)
}

/// Returns a time in milliseconds since the Unix epoch.
pub fn time_of(value: &Value) -> Option<u64> {
    let seconds = value.as_u64().map(|seconds| seconds.to_string());
    times::parse_ms(seconds.as_deref().or(value.as_str())?)
}
