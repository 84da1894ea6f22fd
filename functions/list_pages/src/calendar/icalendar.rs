//! Files in iCalendar (RFC 5545), with all-day events only.

use std::fmt::Write;

use time::Date;

/// The maximum length of a line without the line break, in bytes (RFC 5545, section 3.1).
const MAX_LINE_BYTES: usize = 75;

/// An all-day event.
#[derive(Debug)]
pub(super) struct CalendarEvent<'e> {
    /// The identifier, which stays the same when the event changes.
    pub uid: &'e str,
    /// The first day.
    pub day: Date,
    /// The repetition; `None` for an event on a single day.
    pub repetition: Option<Weekly>,
    /// The title.
    pub summary: &'e str,
    /// The address of a page about the event.
    pub url: &'e str,
}

/// A repetition of an event, every week.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weekly {
    /// The last day, if it is known.
    pub until: Option<Date>,
}

/// A calendar that is being written.
#[derive(Debug)]
pub(super) struct Calendar {
    text: String,
    changed_on: Date,
}

impl Calendar {
    /// Begins a calendar with this name. The calendar asks programs to read it again every 6 hours. Its events state
    /// the start of the day `changed_on`, in UTC, as the time of their last change.
    pub(super) fn new(name: &str, changed_on: Date) -> Self {
        let mut calendar = Self {
            text: String::new(),
            changed_on,
        };
        calendar.write_line("BEGIN", "VCALENDAR");
        calendar.write_line("VERSION", "2.0");
        calendar.write_line("PRODID", "-//Kiroku//Calendar//EN");
        calendar.write_line("METHOD", "PUBLISH");
        // `NAME` and `REFRESH-INTERVAL` are from RFC 7986. More programs read the older names of these properties.
        calendar.write_line("NAME", &escape(name));
        calendar.write_line("X-WR-CALNAME", &escape(name));
        calendar.write_line("REFRESH-INTERVAL;VALUE=DURATION", "PT6H");
        calendar.write_line("X-PUBLISHED-TTL", "PT6H");
        calendar.add_utc();
        calendar
    }

    /// Adds the time zone UTC. No event needs it, but a calendar must have a component even if it has no event (RFC
    /// 5545, section 3.6).
    fn add_utc(&mut self) {
        self.write_line("BEGIN", "VTIMEZONE");
        self.write_line("TZID", "Etc/UTC");
        self.write_line("BEGIN", "STANDARD");
        self.write_line("DTSTART", "19700101T000000");
        self.write_line("TZOFFSETFROM", "+0000");
        self.write_line("TZOFFSETTO", "+0000");
        self.write_line("END", "STANDARD");
        self.write_line("END", "VTIMEZONE");
    }

    /// Adds an event.
    pub(super) fn add_event(&mut self, event: &CalendarEvent<'_>) {
        let changed_at = format!("{}T000000Z", date_digits(self.changed_on));
        self.write_line("BEGIN", "VEVENT");
        self.write_line("UID", &escape(event.uid));
        self.write_line("DTSTAMP", &changed_at);
        self.write_line("DTSTART;VALUE=DATE", &date_digits(event.day));
        if let Some(Weekly { until }) = event.repetition {
            let until = until.map(|day| format!(";UNTIL={}", date_digits(day)));
            let rule = format!("FREQ=WEEKLY{}", until.unwrap_or_default());
            self.write_line("RRULE", &rule);
        }
        self.write_line("SUMMARY", &escape(event.summary));
        self.write_line("URL", event.url);
        // Without this, calendar programs would show the owner as busy for the whole day.
        self.write_line("TRANSP", "TRANSPARENT");
        self.write_line("END", "VEVENT");
    }

    /// Returns the file.
    pub(super) fn finish(mut self) -> String {
        self.write_line("END", "VCALENDAR");
        self.text
    }

    /// Writes a line. If it is longer than [`MAX_LINE_BYTES`], it is folded: it continues on the next line, after a
    /// space.
    fn write_line(&mut self, name: &str, value: &str) {
        let mut length = 0;
        for character in name.chars().chain([':']).chain(value.chars()) {
            if length + character.len_utf8() > MAX_LINE_BYTES {
                self.text.push_str("\r\n ");
                length = 1;
            }
            self.text.push(character);
            length += character.len_utf8();
        }
        self.text.push_str("\r\n");
    }
}

/// Returns a date as 8 digits.
fn date_digits(date: Date) -> String {
    let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
    format!("{year:04}{month:02}{day:02}")
}

/// Returns a text as the value of a property (RFC 5545, section 3.3.11). A line end becomes `\n`, and a tab
/// becomes a space. Other control characters are left out, because a value cannot contain them.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.replace("\r\n", "\n").chars() {
        match character {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => escaped.push_str("\\n"),
            '\t' => escaped.push(' '),
            '\\' | ';' | ',' => {
                let _ = write!(escaped, "\\{character}");
            }
            character if character.is_control() => {}
            character => escaped.push(character),
        }
    }
    escaped
}
