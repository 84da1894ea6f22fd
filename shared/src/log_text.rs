//! Texts from outside in the log, such as those of callers, identity providers, trackers, sources and players.

use crate::visible::is_hidden;

/// The maximum length of such a text, in characters.
pub const MAX_LOGGED: usize = 300;

/// Returns a text from outside as the log may have it: the first 300 characters, with U+FFFD in place of characters
/// that are invisible or change how the line looks.
pub fn for_log(text: &str) -> String {
    let shown = |character| {
        if is_hidden(character) {
            char::REPLACEMENT_CHARACTER
        } else {
            character
        }
    };
    let mut characters = text.chars();
    let mut logged: String = characters.by_ref().take(MAX_LOGGED).map(shown).collect();
    if characters.next().is_some() {
        logged.push('…');
    }
    logged
}

/// Returns the message of an error of a library without the values that it quotes, such as claims of a token or texts
/// in a row. Everything from the first quotation mark to the last is left out, because a value can also contain such
/// marks.
pub fn without_values(message: &str) -> String {
    let is_mark = |character| matches!(character, '"' | '`');
    let Some((before, quoted)) = message.split_once(is_mark) else {
        return message.to_owned();
    };
    let after = quoted.rsplit_once(is_mark).map_or("", |(_, after)| after);
    format!("{before}…{after}")
}

/// Implements `Debug` with the name of the type alone, which keeps its values out of every log.
#[macro_export]
macro_rules! hide_values {
    ($type:ident) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(stringify!($type))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{MAX_LOGGED, for_log, without_values};

    #[test]
    fn logged_texts_are_short_and_visible() {
        assert_eq!(for_log("invalid_scope"), "invalid_scope");
        assert_eq!(for_log("記録 é"), "記録 é");
        assert_eq!(
            for_log("a\nb\u{1b}[2J\u{202e}"),
            "a\u{fffd}b\u{fffd}[2J\u{fffd}"
        );
        let longest = "x".repeat(MAX_LOGGED);
        assert_eq!(for_log(&longest), longest);
        let cut = for_log(&"界".repeat(50_000));
        assert_eq!(cut.chars().count(), MAX_LOGGED + 1);
        assert!(cut.ends_with("界…"));
    }

    #[test]
    fn quoted_values_are_left_out() {
        let error = serde_json::from_str::<u8>("\"my \\\"secret\\\" `notes`\"").unwrap_err();
        assert!(error.to_string().contains("secret"), "{error}");
        let text = without_values(&error.to_string());
        assert_eq!(
            text,
            "invalid type: string …, expected u8 at line 1 column 23"
        );
        assert_eq!(without_values("the subject `a`secret`b"), "the subject …b");
        assert_eq!(without_values("the subject `secret"), "the subject …");
        assert_eq!(without_values("timed out"), "timed out");
    }
}
