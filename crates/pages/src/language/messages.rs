//! The messages of the pages, in Fluent files (<https://projectfluent.org>): `messages/<language>/<topic>.ftl`.

use std::collections::HashMap;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use shared::models::Language;

/// The files of a topic, in the order of [`Language::ALL`].
macro_rules! topic {
    ($name:literal) => {
        [
            include_str!(concat!("../../messages/en/", $name, ".ftl")),
            include_str!(concat!("../../messages/fr/", $name, ".ftl")),
            include_str!(concat!("../../messages/it/", $name, ".ftl")),
            include_str!(concat!("../../messages/ja/", $name, ".ftl")),
        ]
    };
}

const TOPICS: &[[&str; 4]] = &[
    topic!("account"),
    topic!("administration"),
    topic!("anime"),
    topic!("browse"),
    topic!("calendar"),
    topic!("common"),
    topic!("developer"),
    topic!("errors"),
    topic!("genre"),
    topic!("history"),
    topic!("home"),
    topic!("list"),
    topic!("moderation"),
    topic!("passkeys"),
    topic!("players"),
    topic!("profile"),
    topic!("proof"),
    topic!("provider"),
    topic!("public_profile"),
    topic!("review"),
    topic!("second_factor"),
    topic!("security"),
    topic!("selection"),
    topic!("settings"),
    topic!("song"),
    topic!("statistics"),
    topic!("welcome"),
];

pub(super) struct Messages(FluentBundle<FluentResource>);

impl Messages {
    /// Returns the messages in a language. The first call reads its files.
    pub(super) fn of(language: Language) -> &'static Self {
        static ALL: [OnceLock<Messages>; 4] = [const { OnceLock::new() }; 4];
        ALL[language as usize].get_or_init(|| Self::read(language))
    }

    fn read(language: Language) -> Self {
        let tag = language.tag().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![tag]);
        // By default, Fluent puts Unicode isolation marks around each variable, for texts that mix writing
        // directions. The messages are written from left to right, and so are nearly all values of variables, so
        // these marks are left out.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            Language::English | Language::Japanese => {
                |value, _| format_fluent_number(Language::English, value)
            }
            Language::French => |value, _| format_fluent_number(Language::French, value),
            Language::Italian => |value, _| format_fluent_number(Language::Italian, value),
        }));
        for topic in TOPICS {
            // If a file has a syntax error, its other messages are used. A test checks that no file has one.
            let resource = FluentResource::try_new(topic[language as usize].to_owned());
            bundle.add_resource_overriding(resource.unwrap_or_else(|(resource, _)| resource));
        }
        Self(bundle)
    }

    /// Returns a message with these variables; `None` if there is no such message.
    pub(super) fn format(&self, id: &str, variables: &FluentArgs<'_>) -> Option<String> {
        let pattern = self.0.get_message(id)?.value()?;
        let mut errors = Vec::new();
        let text = self.0.format_pattern(pattern, Some(variables), &mut errors);
        if !errors.is_empty() {
            tracing::error!(id, "a message has a variable without a value");
        }
        Some(text.into_owned())
    }
}

fn format_fluent_number(language: Language, value: &FluentValue<'_>) -> Option<String> {
    match value {
        FluentValue::Number(FluentNumber { value, .. }) => Some(format_number(language, *value)),
        _ => None,
    }
}

/// Returns a number in groups of three digits, with the separators that the Unicode CLDR states for the language.
pub(super) fn format_number(language: Language, number: f64) -> String {
    let (group, decimal) = match language {
        Language::English | Language::Japanese => (',', '.'),
        Language::French => ('\u{202f}', ','),
        Language::Italian => ('.', ','),
    };
    let plain = number.to_string();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut text = String::with_capacity(plain.len() + 4);
    for (position, digit) in whole.chars().enumerate() {
        let after = whole.len() - position;
        if position > 0 && after % 3 == 0 && !text.ends_with('-') {
            text.push(group);
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push(decimal);
        text.push_str(fraction);
    }
    text
}

/// Returns the identifier of the message that translates a text of the API, and the variables of the message. The
/// message is found by its English text, which is the text of the API.
pub(super) fn find_api_message(text: &str) -> Option<(&'static str, FluentArgs<'_>)> {
    static IDS: OnceLock<HashMap<String, &'static str>> = OnceLock::new();
    let ids = IDS.get_or_init(|| {
        let lines = TOPICS.iter().flat_map(|topic| topic[0].lines());
        let messages = lines.filter_map(|line| line.split_once(" = "));
        let messages = messages.filter(|(id, _)| id.starts_with("api-"));
        messages
            .map(|(id, english)| (words_of_message(english), id))
            .collect()
    });
    if let Some(id) = ids.get(&words_of(text)) {
        return Some((id, FluentArgs::new()));
    }
    let (words, variables) = pattern_of(text);
    ids.get(&words).map(|id| (*id, variables))
}

/// Returns the words of all texts that a message translates.
fn words_of_message(english: &str) -> String {
    if !english.contains("{ $") {
        return words_of(english);
    }
    let examples = [
        ("{ $n1 }", "1"),
        ("{ $n2 }", "2"),
        ("{ $n3 }", "3"),
        ("{ $tracker }", "AniList"),
    ];
    let text = examples
        .iter()
        .fold(english.to_owned(), |text, (variable, value)| {
            text.replace(variable, value)
        });
    pattern_of(&text).0
}

/// Returns the words of a text, in lower case and with a hyphen before each. Thousands in a number can have separators.
fn words_of(text: &str) -> String {
    let text = text.replace(',', "");
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let parts = words.flat_map(|word| ["-", word]);
    parts.collect::<String>().to_ascii_lowercase()
}

/// Returns the words and the variables of all texts of the same pattern: texts that differ only in numbers, in a quoted
/// text and in the name of a tracker. These parts are the variables: `n1`, `n2` and so on for the numbers, `text` and
/// `tracker`. The words have `n`, `text` and `tracker` in their place. For example, `must be between 1 and 100` has the
/// words `-must-be-between-n-and-n`.
fn pattern_of(text: &str) -> (String, FluentArgs<'_>) {
    let (mut words, mut variables, mut numbers) = (String::new(), FluentArgs::new(), 0);
    let mut has_tracker = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        // A quoted text can itself contain quotation marks, so it ends at the last quotation mark.
        let quoted = rest
            .strip_prefix('"')
            .and_then(|rest| rest.rsplit_once('"'));
        if let Some((quoted, after)) = quoted {
            variables.set("text", quoted);
            words.push_str("-text");
            rest = after;
        } else if first.is_ascii_alphanumeric() {
            let (word, after) = rest.split_at(end_of_word(rest));
            if first.is_ascii_digit() {
                numbers += 1;
                variables.set(format!("n{numbers}"), word);
                words.push_str("-n");
            } else if ["AniList", "MyAnimeList"].contains(&word) && !has_tracker {
                has_tracker = true;
                variables.set("tracker", word);
                words.push_str("-tracker");
            } else {
                words.push('-');
                words.push_str(&word.to_ascii_lowercase());
            }
            rest = after;
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    (words, variables)
}

/// Replaces the quotation marks between several quoted texts, as in `"a", "b"`, by those of the language.
pub(super) fn localize_quotes(language: Language, variables: &mut FluentArgs<'_>) {
    let between = match language {
        Language::English | Language::Italian => return,
        Language::French => "\u{202f}», «\u{202f}",
        Language::Japanese => "」、「",
    };
    if let Some(FluentValue::String(text)) = variables.get("text") {
        let text = text.replace("\", \"", between);
        variables.set("text", text);
    }
}

/// Returns the length of the word or the number at the start of a text. A number can have separators, as in `2,000`.
fn end_of_word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_number = bytes[0].is_ascii_digit();
    let is_digit = |position: usize| bytes.get(position).is_some_and(u8::is_ascii_digit);
    let belongs = |position: usize| match bytes[position] {
        b',' | b'.' => is_number && is_digit(position + 1),
        byte if is_number => byte.is_ascii_digit(),
        byte => byte.is_ascii_alphanumeric(),
    };
    let mut positions = 0..bytes.len();
    positions
        .find(|position| !belongs(*position))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use fluent_bundle::FluentResource;

    use super::super::Localizer;
    use super::{
        Language, TOPICS, find_api_message, format_number, pattern_of, words_of, words_of_message,
    };

    /// Returns the messages of a file, each with the variables in it.
    fn messages(file: &str) -> BTreeMap<String, BTreeSet<String>> {
        let resource = FluentResource::try_new(file.to_owned());
        assert!(
            resource.is_ok(),
            "{:?}",
            resource.err().map(|(_, errors)| errors)
        );
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut id = String::new();
        for line in file.lines() {
            let starts_message = line.starts_with(|first: char| first.is_ascii_lowercase());
            if let Some((name, _)) = line.split_once(" =").filter(|_| starts_message) {
                name.clone_into(&mut id);
                let first = found.insert(id.clone(), BTreeSet::new());
                assert!(first.is_none(), "{id} is defined twice");
            }
            for rest in line.split('$').skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let variable = rest[..end.unwrap_or(rest.len())].to_owned();
                found.entry(id.clone()).or_default().insert(variable);
            }
        }
        found
    }

    /// Returns the identifiers of the messages of all topics.
    fn english_ids() -> impl Iterator<Item = String> {
        let topics = TOPICS.iter();
        topics.flat_map(|topic| messages(topic[0]).into_keys())
    }

    #[test]
    fn no_topic_repeats_a_message_of_another() {
        let mut seen = BTreeSet::new();
        for id in english_ids() {
            assert!(seen.insert(id.clone()), "{id} is defined twice");
        }
    }

    #[test]
    fn all_languages_have_the_same_messages() {
        for topic in TOPICS {
            let english = messages(topic[0]);
            assert!(!english.is_empty());
            for language in Language::ALL {
                let others = messages(topic[language as usize]);
                let ids = [&others, &english].map(|all| all.keys().collect::<Vec<_>>());
                assert_eq!(ids[0], ids[1], "{language:?}");
                for (id, variables) in &english {
                    let used = &others[id];
                    assert!(used.is_subset(variables), "{language:?}: {id} {used:?}");
                }
            }
        }
    }

    #[test]
    fn every_file_is_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("messages");
        for language in Language::ALL {
            let files = fs::read_dir(root.join(language.tag())).unwrap();
            assert_eq!(files.count(), TOPICS.len(), "{language:?}");
        }
    }

    /// Adds the text of all Rust files in a folder.
    fn read_sources(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_sources(&path, text);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }

    /// A message identifier in the code is the first argument of `text`, `format` or `markup`, or a literal
    /// somewhere else.
    #[test]
    fn code_and_files_have_the_same_messages() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut code = String::new();
        for folder in [
            "src",
            "../page_parts/src",
            "../../functions/account_pages/src",
            "../../functions/catalogue_pages/src",
            "../../functions/correction_pages/src",
            "../../functions/list_pages/src",
            "../../functions/oauth/src",
        ] {
            read_sources(&root.join(folder), &mut code);
        }
        let known: BTreeSet<String> = english_ids().collect();
        for id in known.iter().filter(|id| !id.starts_with("api-")) {
            assert!(code.contains(&format!("\"{id}\"")), "no code uses {id}");
        }
        let compact: String = code.split_whitespace().collect();
        for call in ["l10n.text(\"", "l10n.format(\"", "l10n.markup(\""] {
            for after in compact.split(call).skip(1) {
                let id = &after[..after.find('"').unwrap()];
                assert!(known.contains(id), "no message {id}");
            }
        }
    }

    /// The texts of the API that the code puts together from shorter ones, and one with a digit in a word.
    const COMPOSED: [&str; 3] = [
        "api-anilist-id-must-be-a-whole",
        "api-earlier-views-of-the-same-title",
        "api-trailers-previews-and-views-of-less",
    ];

    /// If the words of a text change in the code, it is no longer translated. So the longest part of each message is
    /// searched for in the code.
    #[test]
    fn texts_of_the_api_are_in_the_code() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut code = String::new();
        for folder in ["../../shared/src", "..", "../../functions"] {
            read_sources(&root.join(folder), &mut code);
        }
        // After a backslash at the end of a line, a string literal continues on the next line.
        let literals: String = code.split("\\\n").map(str::trim_start).collect();
        let words = words_of(&literals) + "-";
        let mut missing = BTreeSet::new();
        for line in TOPICS.iter().flat_map(|topic| topic[0].lines()) {
            let Some((id, english)) = line
                .split_once(" = ")
                .filter(|(id, _)| id.starts_with("api-"))
            else {
                continue;
            };
            let is_end = |c: char| c.is_ascii_digit() || ":;.,{}()".contains(c);
            let parts = english.split(is_end).map(words_of);
            let longest = parts.max_by_key(String::len).unwrap_or_default();
            if !words.contains(&format!("{longest}-")) {
                missing.insert(id);
            }
        }
        assert_eq!(missing, BTreeSet::from(COMPOSED));
    }

    #[test]
    fn digits_are_grouped() {
        let numbers = [0.0, 999.0, 1000.0, -1000.0, -999.0];
        let texts = numbers.map(|number| format_number(Language::English, number));
        assert_eq!(texts, ["0", "999", "1,000", "-1,000", "-999"]);
    }

    #[test]
    fn texts_have_words() {
        let words = words_of("must have at least 4,096 characters, and no \"quotes\"");
        assert_eq!(words, "-must-have-at-least-4096-characters-and-no-quotes");
        let words = words_of_message("must be between { $n1 } and { $n2 }");
        assert_eq!(words, pattern_of("must be between 1 and 2,000").0);
    }

    #[test]
    fn texts_of_several_sentences_are_translated() {
        let french = Localizer::new(Some("fr"), &[]);
        let text = "The file is not a text file: it has NUL bytes. The file \"a. b.json\" of the archive was not read.";
        let translated = french.translate(text);
        let rest =
            "octets nuls. Le fichier «\u{202f}a. b.json\u{202f}» de l’archive n’a pas été lu.";
        assert!(translated.ends_with(rest), "{translated}");
        let japanese = Localizer::new(Some("jp"), &[]);
        let text = "The archive has several lists. Send each of them alone: \"a\", \"b\".";
        let translated = japanese.translate(text);
        assert!(translated.ends_with("「a」、「b」"), "{translated}");
        let text = "The XML is of no format that is known. The root element of anime lists is myanimelist, and that \
            of the file is \"lists\".";
        let translated = french.translate(text);
        assert!(
            translated.ends_with("fichier est «\u{202f}lists\u{202f}»."),
            "{translated}"
        );
        let unknown = "The file is empty. Nobody knows this sentence.";
        assert_eq!(french.translate(unknown), unknown);
    }

    /// For each message that translates a text of the API, the English text leads to the message.
    #[test]
    fn texts_of_the_api_have_their_messages() {
        let l10n = Localizer::default();
        let mut count = 0;
        for topic in TOPICS {
            for line in topic[0].lines().filter(|line| line.starts_with("api-")) {
                let (id, template) = line.split_once(" = ").unwrap();
                let values = [
                    ("$n1", "11,000"),
                    ("$n2", "2.5"),
                    ("$n3", "3"),
                    ("$tracker", "MyAnimeList"),
                ];
                let quoted = template.replace("{ $text }", "a \\\"b\\\"");
                let text = values.iter().fold(quoted, |text, (variable, value)| {
                    text.replace(&format!("{{ {variable} }}"), value)
                });
                let found = find_api_message(&text).map(|(found, _)| found);
                assert_eq!(found, Some(id), "{text}");
                if text != template {
                    assert_eq!(l10n.translate(&text), text);
                }
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }
}
