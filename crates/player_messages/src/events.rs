//! The names of events in messages of scripts and add-ons.

use serde_json::Value;

use crate::message::Event;

/// The fields in which scripts and add-ons name the event.
const FIELDS: [&str; 5] = ["event", "method", "action", "state", "notification"];

/// Returns the event that a message names; `None` if it names none.
pub fn event_of(message: &Value) -> Option<Event> {
    let mut fields = FIELDS.into_iter();
    let name = fields.find_map(|field| message.get(field)?.as_str())?;
    Some(parse(name))
}

/// Reads the name of an event, such as `start`, `playback.stop`, `Player.OnPlay` or `onPlayBackEnded`. An unknown event
/// changes no list.
fn parse(name: &str) -> Event {
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    let letters: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let mut word = letters.as_str();
    while let Some(rest) = ["on", "media", "player", "playback", "video", "av"]
        .into_iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .filter(|rest| !rest.is_empty())
    {
        word = rest;
    }
    match word {
        "start" | "started" | "play" | "playing" | "pause" | "paused" | "resume" | "resumed"
        | "unpause" | "progress" | "seek" | "buffering" => Event::Playing,
        "stop" | "stopped" | "close" | "closed" => Event::Stopped,
        "end" | "ended" | "finish" | "finished" | "watched" | "scrobble" | "complete"
        | "completed" => Event::Finished,
        _ => Event::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, parse};

    #[test]
    fn names_of_events_are_read() {
        for (event, names) in [
            (
                Event::Playing,
                "start play Player.OnPlay onAVStarted playback.pause media_resume PROGRESS",
            ),
            (
                Event::Stopped,
                "stop Player.OnStop onPlayBackStopped playback-stop",
            ),
            (
                Event::Finished,
                "end finished onPlayBackEnded media.scrobble watched",
            ),
            (Event::Other, "library.new player on volume"),
        ] {
            for name in names.split(' ') {
                assert_eq!(parse(name), event, "{name}");
            }
        }
    }
}
