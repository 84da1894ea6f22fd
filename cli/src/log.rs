//! Log formats of the `kiroku` command: by default, short text lines on a terminal and JSON lines elsewhere.

use std::fmt::{self, Debug};
use std::io::IsTerminal;

use clap::ValueEnum;
use runtime::observability;
use shared::clock::Clock;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// JSON objects, one a line, as on Lambda.
    Json,
    /// Short lines for people, with the time in UTC.
    Text,
}

impl LogFormat {
    /// Returns the default: text if standard error is a terminal, otherwise JSON.
    pub fn detect() -> Self {
        if std::io::stderr().is_terminal() {
            Self::Text
        } else {
            Self::Json
        }
    }
}

/// Sends log events, including panics, to standard error. Later calls have no effect.
pub fn init(format: LogFormat) {
    match format {
        LogFormat::Json => observability::init(),
        LogFormat::Text => {
            let subscriber = text_subscriber(Clock::system(), std::io::stderr);
            if subscriber.try_init().is_ok() {
                std::panic::set_hook(Box::new(observability::log_panic));
            }
        }
    }
}

fn text_subscriber<W>(clock: Clock, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .event_format(TextLines { clock })
        .with_writer(writer);
    tracing_subscriber::registry()
        .with(observability::targets())
        .with(lines)
}

/// Formats an event as one line, such as `09:41:02 GET /v1/anime 200 4 ms`.
struct TextLines {
    clock: Clock,
}

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let line = fields
            .request_line()
            .unwrap_or_else(|| fields.other_line(*event.metadata().level()));
        // An error may quote a caller's text, which must not control the terminal or start a new line.
        let line = line.replace(char::is_control, " ");
        let now = self.clock.now_s();
        let (hour, minute, second) = (now / 3_600 % 24, now / 60 % 60, now % 60);
        writeln!(writer, "{hour:02}:{minute:02}:{second:02} {line}")
    }
}

/// The names and values of an event's fields.
#[derive(Default)]
struct EventFields(Vec<(&'static str, String)>);

impl EventFields {
    fn get(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter();
        let field = fields.find(|(field, _)| *field == name);
        field.map(|(_, value)| value.as_str())
    }

    /// Returns the line of an answered request. `None` for other events, which do not have all of these fields.
    fn request_line(&self) -> Option<String> {
        let method = self.get("method")?;
        let route = self.get("route")?;
        let status = self.get("status")?;
        let duration_ms = self.get("duration_ms")?;
        Some(format!("{method} {route} {status} {duration_ms} ms"))
    }

    /// Returns the line of any other event: its level unless that is `INFO`, its message and its fields.
    fn other_line(&self, level: Level) -> String {
        let level = (level != Level::INFO).then(|| level.to_string());
        let message = self.get("message").map(str::to_owned);
        let fields = self.0.iter().filter(|(name, _)| *name != "message");
        let fields = fields.map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> = level.into_iter().chain(message).chain(fields).collect();
        words.join(" ")
    }
}

impl Visit for EventFields {
    // The default calls `record_debug`, which would put strings in quotation marks.
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use shared::clock::Clock;

    use super::text_subscriber;

    /// Returns the lines of the log events that `log_events` creates. The clock stands at 09:41:02.
    fn logged(log_events: impl FnOnce()) -> String {
        let mut file = tempfile::tempfile().unwrap();
        let writer = file.try_clone().unwrap();
        let subscriber = text_subscriber(Clock::manual(34_862_000), writer);
        tracing::subscriber::with_default(subscriber, log_events);
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn answered_request_is_one_short_line() {
        let text = logged(|| {
            let (method, route) = ("GET", "/v1/anime");
            tracing::info!(%method, route, status = 200_u16, duration_ms = 4_u64, "answered");
        });
        assert_eq!(text, "09:41:02 GET /v1/anime 200 4 ms\n");
    }

    #[test]
    fn other_events_have_their_level_message_and_fields_on_one_line() {
        let text = logged(|| {
            tracing::info!(users = 2, "synchronized");
            tracing::warn!(error = "a\u{1b}[2J\nb", "failed");
        });
        let expected = "09:41:02 synchronized users=2\n09:41:02 WARN failed error=a [2J b\n";
        assert_eq!(text, expected);
    }
}
