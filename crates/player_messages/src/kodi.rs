//! Messages of Kodi: its notifications of JSON-RPC, as add-ons pass them on, and JSON with the names of its fields.

use std::time::Duration;

use serde_json::Value;
use shared::input::MAX_SAFE_INTEGER;

use crate::events::event_of;
use crate::message::{Event, Message, OtherKind, Sender, Subject, Video};
use crate::servers::{file_of, message_of, subject_of, time_of, year_of};
use crate::values::{is_true, text_of, whole_number};

/// Returns true for a notification of Kodi, or for flat JSON with the names of its fields. In these, `title` is the
/// title of the episode.
pub fn is_kodi(message: &Value) -> bool {
    let is_notification = message["method"].is_string() && message["params"].is_object();
    is_notification || message.get("showtitle").is_some() || message.get("tvshowtitle").is_some()
}

/// Reads a message. It is finished only if it says so: Kodi sends one at the start of a video, too.
pub fn read(message: &Value) -> Message {
    let (item, end) = match &message["params"] {
        Value::Object(params) => {
            let data = params.get("data").unwrap_or(&Value::Null);
            (&data["item"], &data["end"])
        }
        _ => (message, &message["end"]),
    };
    let event = match event_of(message) {
        Some(Event::Stopped) if is_true(end) => Event::Finished,
        _ if is_true(&item["finished"]) => Event::Finished,
        Some(event) => event,
        None => Event::Playing,
    };
    let milliseconds = |exact: &str, seconds: &str| {
        whole_number(&item[exact]).or_else(|| milliseconds_of(item[seconds].as_f64()?))
    };
    Message {
        at_ms: time_of(&message["at"]),
        ..message_of(
            Sender::Kodi,
            event,
            subject(item),
            milliseconds("position_ms", "time"),
            milliseconds("duration_ms", "totaltime"),
        )
    }
}

fn milliseconds_of(seconds: f64) -> Option<u64> {
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    let milliseconds = u64::try_from(duration.as_millis()).ok();
    milliseconds.filter(|milliseconds| *milliseconds <= MAX_SAFE_INTEGER)
}

fn subject(item: &Value) -> Subject {
    let series = ["showtitle", "tvshowtitle"];
    let series = series.into_iter().find_map(|name| text_of(&item[name]));
    let kind = ["type", "mediatype", "media_type"];
    let kind = kind.into_iter().find_map(|name| text_of(&item[name]));
    let is_movie = match kind.as_deref() {
        Some("movie") => true,
        Some("episode") => false,
        Some("unknown" | "video") | None => series.is_none() && item["episode"].is_null(),
        Some("song" | "musicvideo" | "album") => {
            return Subject::NotAnEpisode(OtherKind::Music);
        }
        Some(_) => return Subject::NotAnEpisode(OtherKind::Other),
    };
    let video = Video {
        is_movie,
        title: if is_movie {
            text_of(&item["title"])
        } else {
            series
        },
        // The year of an episode is not that of its series.
        year: year_of(&item["year"]).filter(|_| is_movie),
        file: file_of(&item["file"]),
        ..Video::default()
    };
    // Kodi writes -1 for a number that it does not know.
    let number = |name: &str| match &item[name] {
        number if number.as_i64() == Some(-1) => &Value::Null,
        number => number,
    };
    subject_of(video, [number("season"), number("episode"), &Value::Null])
}
