//! Messages of Kodi: its notifications of JSON-RPC, as add-ons pass them on, and JSON with the names of its fields.

use std::time::Duration;

use serde_json::Value;
use shared::input::MAX_SAFE_INTEGER;

use crate::events::event_of;
use crate::file_name::is_file_name;
use crate::message::{Event, Message, OtherKind, Sender, Subject, Video};
use crate::servers::{file_of, message_of, subject_of, time_of, year_of};
use crate::values::{is_true, text_of, whole_number};

/// The parts of a time, each with its length in milliseconds.
const UNITS: [(&str, u64); 4] = [
    ("hours", 3_600_000),
    ("minutes", 60_000),
    ("seconds", 1_000),
    ("milliseconds", 1),
];

/// Returns true for a notification of Kodi, or for flat JSON with the names of its fields. In these, `title` is the
/// title of the episode.
pub fn is_kodi(message: &Value) -> bool {
    let is_notification = message["method"].is_string() && message["params"].is_object();
    is_notification || message.get("showtitle").is_some() || message.get("tvshowtitle").is_some()
}

/// Reads a message. The video counts as finished only if the message says so, because Kodi also sends a message at the
/// start of a video.
pub fn read(message: &Value) -> Message {
    let (item, data) = match &message["params"] {
        Value::Object(params) => {
            let data = params.get("data").unwrap_or(&Value::Null);
            (&data["item"], data)
        }
        _ => (message, message),
    };
    let event = match event_of(message) {
        Some(Event::Stopped) if is_true(&data["end"]) => Event::Finished,
        _ if is_true(&item["finished"]) => Event::Finished,
        Some(event) => event,
        None => Event::Playing,
    };
    let milliseconds = |(exact, name): (&str, &str)| {
        let mut times = [item, &data["player"]].into_iter();
        whole_number(&item[exact]).or_else(|| times.find_map(|place| milliseconds_of(&place[name])))
    };
    let times = [("position_ms", "time"), ("duration_ms", "totaltime")].map(milliseconds);
    Message {
        at_ms: time_of(&message["at"]),
        ..message_of(Sender::Kodi, event, subject(item), times)
    }
}

/// Reads a time: a number of seconds, or an object with hours, minutes, seconds and milliseconds, as Kodi writes it.
fn milliseconds_of(time: &Value) -> Option<u64> {
    let milliseconds = if let Some(parts) = time.as_object() {
        let mut sum = None;
        for (name, unit) in UNITS {
            if let Some(part) = parts.get(name) {
                let part = whole_number(part)?.checked_mul(unit)?;
                sum = Some(part.checked_add(sum.unwrap_or(0))?);
            }
        }
        sum
    } else {
        let duration = Duration::try_from_secs_f64(time.as_f64()?).ok()?;
        u64::try_from(duration.as_millis()).ok()
    };
    milliseconds.filter(|milliseconds| *milliseconds <= MAX_SAFE_INTEGER)
}

fn subject(item: &Value) -> Subject {
    let series = ["showtitle", "tvshowtitle"];
    let series = series.into_iter().find_map(|name| text_of(&item[name]));
    let kind = ["type", "mediatype", "media_type"];
    let kind = kind.into_iter().find_map(|name| text_of(&item[name]));
    // Kodi writes -1 for a number that it does not know.
    let number = |name: &str| match &item[name] {
        number if number.as_i64() == Some(-1) => &Value::Null,
        number => number,
    };
    let is_movie = match kind.as_deref() {
        Some("movie" | "movies") => true,
        Some("episode" | "episodes") => false,
        Some("unknown" | "video") | None => series.is_none() && number("episode").is_null(),
        Some("song" | "musicvideo" | "album") => {
            return Subject::NotAnEpisode(OtherKind::Music);
        }
        Some(_) => return Subject::NotAnEpisode(OtherKind::Other),
    };
    let title = text_of(&item["title"]).filter(|_| is_movie);
    // A video that is not in the library has the name of its file as its title, and can be an episode.
    let is_label = title.as_deref().is_some_and(is_file_name);
    let file = file_of(&item["file"]).or_else(|| file_of(&item["title"]).filter(|_| is_label));
    let is_movie = is_movie && !is_label;
    let video = Video {
        is_movie,
        title: if is_movie { title } else { series },
        // The year of an episode is not that of its series.
        year: year_of(&item["year"]).filter(|_| is_movie),
        file,
        ..Video::default()
    };
    subject_of(video, [number("season"), number("episode"), &Value::Null])
}
