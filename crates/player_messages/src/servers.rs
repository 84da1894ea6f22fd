//! Messages of media servers. Their users cannot correct a value, so a wrong value of an optional field counts as
//! missing.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::input::MAX_SAFE_INTEGER;
use shared::models::UserScore;
use shared::times;

use crate::kiroku::{MAX_EPISODE, MAX_SEASON};
use crate::message::{Event, Message, OtherKind, Sender, SourceId, Subject, Video, WholeItem};
use crate::tags::{Numbering, numbering_of, take_ids};
use crate::values::{
    check_file, is_true, optional_number, parse_id, source_of, text_of, whole_number,
};

/// The number of Jellyfin's and Emby's ticks of 100 ns in a millisecond.
const TICKS_PER_MS: u64 = 10_000;

/// The maximum number of identifiers that are kept for the item of a series. Each of its episodes gets them.
const MAX_SERIES_IDS: usize = 20;

/// Reads a message of Jellyfin's official plugin: all properties, or our template, whose values are all strings.
pub fn read_jellyfin(message: &Value) -> Message {
    let event = match message["NotificationType"].as_str().unwrap_or_default() {
        "PlaybackStart" | "PlaybackProgress" => Event::Playing,
        "PlaybackStop" if is_true(&message["PlayedToCompletion"]) => Event::Finished,
        "PlaybackStop" => Event::Stopped,
        "UserDataSaved" => saved_event(message),
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
                ids: ids_in(message, "Provider_").collect(),
                ..Video::default()
            };
            let numbers = ["SeasonNumber", "EpisodeNumber", "EpisodeNumberEnd"];
            subject_of(video, numbers.map(|name| &message[name]))
        }
        Err(kind) => {
            let read = |is_series: bool| Video {
                title: text(if is_series { "Name" } else { "SeriesName" }),
                year: year_of(&message["Year"]).filter(|_| is_series),
                series_ids: ids_in(message, "Provider_").filter(|_| is_series).collect(),
                ..Video::default()
            };
            let (item_type, season) = (&message["ItemType"], &message["SeasonNumber"]);
            whole_or_other(event, item_type, season, kind, read)
        }
    };
    let times = ["PlaybackPositionTicks", "RunTimeTicks"].map(|name| ticks_ms(&message[name]));
    Message {
        user: text("NotificationUsername"),
        at_ms: time_of(&message["UtcTimestamp"]),
        ..message_of(Sender::Jellyfin, event, subject, times)
    }
}

/// Returns the event of a message about a user's data. `Played` alone does not mean that the user has marked an item as
/// played or has watched it to its end, because it stays true when a played item is rated or partly watched again.
fn saved_event(message: &Value) -> Event {
    let is_at_start = whole_number(&message["PlaybackPositionTicks"]) == Some(0);
    let is_played = is_true(&message["Played"]);
    match message["SaveReason"].as_str() {
        Some("TogglePlayed") if is_played => Event::Finished,
        Some("TogglePlayed") if !message["Played"].is_null() => Event::Unwatched,
        Some("PlaybackFinished") if is_played && is_at_start => Event::Finished,
        Some("UpdateUserRating") => rating_event(&message["Rating"]),
        _ => Event::Other,
    }
}

/// Returns the event for a rating of 0 to 10, as a number or its text. A rating that was removed changes nothing.
fn rating_event(rating: &Value) -> Event {
    let text = || rating.as_str()?.trim().parse::<f64>().ok();
    let score = rating.as_f64().or_else(text);
    // Servers can have more decimals than a score.
    let score = score.map(|score| (score * 100.0).round() / 10.0);
    let score = score.and_then(|score| UserScore::parse(score).ok().flatten());
    score.map_or(Event::Other, Event::Rated)
}

/// Returns the season or the series that a server marks or rates as a whole, or an item of another kind. `read` returns
/// its name and identifiers, given true for a series.
fn whole_or_other(
    event: Event,
    item_type: &Value,
    season: &Value,
    kind: OtherKind,
    read: impl FnOnce(bool) -> Video,
) -> Subject {
    let is_meant = matches!(event, Event::Finished | Event::Rated(_));
    let is_series = match item_type.as_str().filter(|_| is_meant) {
        Some("Series" | "show") => true,
        Some("Season" | "season") => false,
        _ => return Subject::NotAnEpisode(kind),
    };
    let mut video = read(is_series);
    if !is_series {
        let Ok(Some(season)) = optional_number(season, MAX_SEASON.into()) else {
            return Subject::Unusable("season");
        };
        video.season = Some(season);
    }
    take_ids(&mut video);
    if video.title.is_none() && video.series_ids.is_empty() {
        return Subject::Unusable("title");
    }
    Subject::Whole(WholeItem { video, is_series })
}

/// Returns the file name in a value of a template, in which the backslashes of a Windows path are not escaped. Some of
/// them were read as escapes of control characters, which do not occur in paths.
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

/// Reads a message of Emby, or of shemanaev's plugin for Jellyfin, which has the same fields but other names of events.
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
        "item.markunplayed" | "MarkUnplayed" => Event::Unwatched,
        "item.rate" | "Rate" => rating_event(&message["Item"]["UserData"]["Rating"]),
        _ => Event::Other,
    };
    let item = &message["Item"];
    let subject = match read_emby_item(item, &message["Series"]) {
        Subject::NotAnEpisode(kind) => {
            let read = |is_series: bool| {
                let series = if is_series { item } else { &message["Series"] };
                Video {
                    title: text_of(&item[if is_series { "Name" } else { "SeriesName" }]),
                    year: year_of(&item["ProductionYear"]).filter(|_| is_series),
                    series_ids: ids_in(&series["ProviderIds"], "").collect(),
                    ..Video::default()
                }
            };
            whole_or_other(event, &item["Type"], &item["IndexNumber"], kind, read)
        }
        subject => subject,
    };
    let mut places = [&message["PlaybackInfo"], &message["Session"]["PlayState"]].into_iter();
    let position = places.find_map(|place| ticks_ms(&place["PositionTicks"]));
    let times = [position, ticks_ms(&item["RunTimeTicks"])];
    Message {
        user: text_of(&message["User"]["Name"]),
        at_ms: time_of(&message["Date"]),
        ..message_of(sender, event, subject, times)
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
                ids: ids_in(&item["ProviderIds"], "").collect(),
                series_ids: ids_in(&series["ProviderIds"], "").collect(),
                ..Video::default()
            };
            let numbers = ["ParentIndexNumber", "IndexNumber", "IndexNumberEnd"];
            subject_of(video, numbers.map(|name| &item[name]))
        }
        Err(kind) => Subject::NotAnEpisode(kind),
    }
}

pub fn read_plex(message: &Value) -> Message {
    let event = match message["event"].as_str().unwrap_or_default() {
        "media.play" | "media.pause" | "media.resume" => Event::Playing,
        "media.stop" => Event::Stopped,
        "media.scrobble" => Event::Finished,
        "media.rate" => match &message["rating"] {
            Value::Null => rating_event(&message["Metadata"]["userRating"]),
            rating => rating_event(rating),
        },
        _ => Event::Other,
    };
    let item = &message["Metadata"];
    let subject = match read_plex_item(item) {
        Subject::NotAnEpisode(kind) => {
            let read = |is_series: bool| read_whole_plex(item, is_series);
            whole_or_other(event, &item["type"], &item["index"], kind, read)
        }
        subject => subject,
    };
    let times = ["viewOffset", "duration"].map(|name| whole_number(&item[name]));
    Message {
        user: text_of(&message["Account"]["title"]),
        ..message_of(Sender::Plex, event, subject, times)
    }
}

pub fn read_plex_item(item: &Value) -> Subject {
    match item_kind(&item["type"]) {
        Ok(_) if is_true(&item["live"]) => Subject::NotAnEpisode(OtherKind::LiveTv),
        Ok(is_movie) => read_plex_video(item, is_movie),
        Err(kind) => Subject::NotAnEpisode(kind),
    }
}

/// Reads the name and the identifiers of a season's series, or of a series.
fn read_whole_plex(item: &Value, is_series: bool) -> Video {
    let (title, guid) = if is_series {
        (&item["title"], &item["guid"])
    } else {
        (&item["parentTitle"], &item["parentGuid"])
    };
    let of_agent = guid.as_str().and_then(PlexGuid::parse);
    let of_agent = of_agent.filter(|guid| !guid.is_of_movie);
    let of_agent = of_agent.map(|guid| guid.id);
    // The identifiers of a season say nothing about its series.
    let own = plex_ids(item).filter(|_| is_series);
    Video {
        title: text_of(title),
        year: year_of(&item["year"]).filter(|_| is_series),
        library: text_of(&item["librarySectionTitle"]),
        series_ids: of_agent.into_iter().chain(own).collect(),
        ..Video::default()
    }
}

fn read_plex_video(item: &Value, is_movie: bool) -> Subject {
    let guid_of = |value: &Value| value.as_str().and_then(PlexGuid::parse);
    let file = &item["Media"][0]["Part"][0]["file"];
    let guid = guid_of(&item["guid"]);
    // HAMA can put a movie into a library of series.
    let is_movie = is_movie || guid.as_ref().is_some_and(|guid| guid.is_of_movie);
    let title = match &item["grandparentTitle"] {
        series if series.is_string() && item["type"] == "episode" => text_of(series),
        _ if is_movie => text_of(&item["title"]),
        _ => None,
    };
    let mut video = Video {
        is_movie,
        title,
        // The year of an episode is not that of its series.
        year: year_of(&item["year"]).filter(|_| is_movie),
        file: file_of(file),
        library: text_of(&item["librarySectionTitle"]),
        ids: plex_ids(item).collect(),
        ..Video::default()
    };
    if is_movie {
        video.ids.extend(guid.map(|guid| guid.id));
        return subject_of(video, [&Value::Null; 3]);
    }
    let of_series = || guid_of(&item["grandparentGuid"]).filter(|guid| !guid.is_of_movie);
    let Some(guid) = guid.or_else(of_series) else {
        return subject_of(video, [&item["parentIndex"], &item["index"], &Value::Null]);
    };
    video.series_ids.push(guid.id);
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
fn plex_ids(item: &Value) -> impl Iterator<Item = SourceId> {
    let guids = item["Guid"].as_array().into_iter().flatten();
    guids.filter_map(|guid| Some(PlexGuid::parse(guid["id"].as_str()?)?.id))
}

/// The facts about a series that its own item has.
#[derive(Debug)]
pub struct SeriesFacts {
    ids: Vec<SourceId>,
    year: Option<u16>,
}

impl SeriesFacts {
    pub fn of_emby(item: &Value) -> Self {
        Self {
            ids: ids_in(&item["ProviderIds"], "")
                .take(MAX_SERIES_IDS)
                .collect(),
            year: year_of(&item["ProductionYear"]),
        }
    }

    pub fn of_plex(item: &Value) -> Self {
        Self {
            ids: plex_ids(item).take(MAX_SERIES_IDS).collect(),
            year: year_of(&item["year"]),
        }
    }

    /// Adds the facts to an episode. Identifiers that it already has are kept, because their source determines the
    /// numbering of the episode.
    pub fn add_to(&self, video: &mut Video) {
        if video.series_ids.is_empty() {
            video.series_ids.clone_from(&self.ids);
        }
        video.year = video.year.or(self.year);
    }
}

/// An identifier of Plex, such as `com.plexapp.agents.hama://anidb-17494/1/7?lang=en` or `tvdb://5021`. The former
/// contains the identifier of the anime, the season and the episode.
struct PlexGuid {
    id: SourceId,
    /// The season and the episode, strings or null.
    numbers: [Value; 2],
    /// True if the episode is counted from the beginning of the series, whatever its season is.
    is_absolute: bool,
    /// True if the identifier belongs to a movie, even if the item is an episode.
    is_of_movie: bool,
}

impl PlexGuid {
    fn parse(guid: &str) -> Option<Self> {
        let (agent, rest) = guid.split('?').next()?.split_once("://")?;
        let mut parts = rest.split('/');
        let first = parts.next()?;
        let (numbering, id) = match agent.rsplit('.').next()? {
            "hama" => {
                let (name, id) = first.split_once('-')?;
                (numbering_of(name)?, id)
            }
            name => {
                let numbering = Numbering {
                    source: Some(source_of(name)?),
                    is_of_movie: false,
                    is_absolute: false,
                };
                (numbering, first)
            }
        };
        let source = numbering.source?;
        let id = parse_id(source, &id.into())?;
        Some(Self {
            id: SourceId { source, id },
            numbers: [(); 2].map(|()| parts.next().map_or(Value::Null, Value::from)),
            is_absolute: numbering.is_absolute,
            is_of_movie: numbering.is_of_movie,
        })
    }
}

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
                library: text_of(&message["library"]),
                ..Video::default()
            };
            // For an episode, Tautulli sends the identifiers of its series.
            if is_movie {
                video.ids = ids_in(message, "").collect();
            } else {
                video.series_ids = ids_in(message, "").collect();
            }
            let numbers = [&message["season"], &message["episode"], &Value::Null];
            subject_of(video, numbers)
        }
        Err(kind) => Subject::NotAnEpisode(kind),
    };
    let times = ["position_s", "duration_s"].map(|name| {
        let ms = whole_number(&message[name])?.checked_mul(1000);
        ms.filter(|ms| *ms <= MAX_SAFE_INTEGER)
    });
    Message {
        user: text_of(&message["user"]),
        at_ms: time_of(&message["at"]),
        ..message_of(Sender::Tautulli, event, subject, times)
    }
}

/// Returns a message without a user and a time. `times` are the position and the duration in milliseconds. A position
/// beyond the end counts as missing.
pub fn message_of(
    sender: Sender,
    event: Event,
    subject: Subject,
    times: [Option<u64>; 2],
) -> Message {
    let [position_ms, duration_ms] = times;
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
pub fn subject_of(mut video: Video, [season, episode, last]: [&Value; 3]) -> Subject {
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
    take_ids(&mut video);
    let has_no_name = video.title.is_none() && video.file.is_none();
    if has_no_name && video.ids.is_empty() && video.series_ids.is_empty() {
        return Subject::Unusable("title");
    }
    Subject::Video(video)
}

/// Returns true for a movie and false for an episode.
fn item_kind(name: &Value) -> Result<bool, OtherKind> {
    let name = name.as_str().unwrap_or_default();
    match name.to_ascii_lowercase().as_str() {
        "movie" => Ok(true),
        // A "video" is a file about which the server knows nothing else.
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
fn ids_in(fields: &Value, prefix: &str) -> impl Iterator<Item = SourceId> {
    let fields: BTreeMap<_, _> = fields.as_object().into_iter().flatten().collect();
    fields.into_iter().filter_map(move |(name, value)| {
        let source = source_of(name.strip_prefix(prefix)?)?;
        let id = parse_id(source, value)?;
        Some(SourceId { source, id })
    })
}

/// Returns the name of a file from its path.
pub fn file_of(value: &Value) -> Option<String> {
    value.as_str().and_then(check_file).map(ToOwned::to_owned)
}

/// Returns a year from 1900 to 2200.
pub fn year_of(value: &Value) -> Option<u16> {
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
