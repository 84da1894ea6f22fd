//! The messages of the pages, in Fluent files (<https://projectfluent.org>): `messages/<language>/<topic>.ftl`.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentNumber;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use super::languages::Language;

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

/// The files of all topics.
const TOPICS: &[[&str; 4]] = &[
    topic!("anime"),
    topic!("calendar"),
    topic!("common"),
    topic!("list"),
    topic!("moderation"),
    topic!("public_profile"),
    topic!("statistics"),
];

/// The messages in one language.
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
        // The marks that isolate variables are for texts that mix directions. Titles are not inserted into messages.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            Language::English | Language::Japanese => |value, _| number(Language::English, value),
            Language::French => |value, _| number(Language::French, value),
            Language::Italian => |value, _| number(Language::Italian, value),
        }));
        for topic in TOPICS {
            // A test checks that all files can be read. The readable messages of a file count.
            let resource = FluentResource::try_new(topic[language as usize].to_owned());
            bundle.add_resource_overriding(resource.unwrap_or_else(|(resource, _)| resource));
        }
        Self(bundle)
    }

    /// Returns a message with these variables; `None` if there is none.
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

fn number(language: Language, value: &FluentValue<'_>) -> Option<String> {
    match value {
        FluentValue::Number(FluentNumber { value, .. }) => Some(formatted_number(language, *value)),
        _ => None,
    }
}

/// Returns a number in groups of three digits, with the separators that the Unicode CLDR states for the language.
pub(super) fn formatted_number(language: Language, number: f64) -> String {
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

/// Returns the identifier of the message that translates a text of the API: `api-`, and its words in small letters.
pub(super) fn id_of_text(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.fold("api".to_owned(), |id, word| {
        format!("{id}-{}", word.to_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use fluent_bundle::FluentResource;

    use super::{Language, TOPICS, formatted_number, id_of_text};

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
            for (_, rest) in line.match_indices('$').map(|(at, _)| line.split_at(at + 1)) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let variable = rest[..end.unwrap_or(rest.len())].to_owned();
                found.entry(id.clone()).or_default().insert(variable);
            }
        }
        found
    }

    #[test]
    fn all_languages_have_the_same_messages() {
        for topic in TOPICS {
            let english = messages(topic[0]);
            assert!(!english.is_empty());
            for language in Language::ALL {
                let others = messages(topic[language as usize]);
                let missing: Vec<_> = english
                    .keys()
                    .filter(|id| !others.contains_key(*id))
                    .collect();
                let unknown: Vec<_> = others
                    .keys()
                    .filter(|id| !english.contains_key(*id))
                    .collect();
                assert!(
                    missing.is_empty() && unknown.is_empty(),
                    "{language:?}: {missing:?} {unknown:?}"
                );
                for (id, variables) in &english {
                    assert!(
                        others[id].is_subset(variables),
                        "{language:?}: {id} {:?}",
                        others[id]
                    );
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

    /// A message identifier in the code is the first argument of `text` or `format`, or a literal somewhere else.
    #[test]
    fn code_and_files_have_the_same_messages() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut code = String::new();
        for folder in ["src", "../oauth/src"] {
            read_sources(&root.join(folder), &mut code);
        }
        let known: BTreeSet<String> = TOPICS
            .iter()
            .flat_map(|topic| messages(topic[0]).into_keys())
            .collect();
        for id in known.iter().filter(|id| !id.starts_with("api-")) {
            assert!(code.contains(&format!("\"{id}\"")), "no code uses {id}");
        }
        let compact: String = code.split_whitespace().collect();
        for call in ["l10n.text(\"", "l10n.format(\""] {
            for (_, id) in compact
                .match_indices(call)
                .map(|(at, _)| compact.split_at(at + call.len()))
            {
                let id = &id[..id.find('"').unwrap()];
                assert!(known.contains(id), "no message {id}");
            }
        }
    }

    #[test]
    fn digits_are_grouped() {
        let cases = [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (-1000.0, "-1,000"),
            (-999.0, "-999"),
        ];
        for (number, text) in cases {
            assert_eq!(formatted_number(Language::English, number), text);
        }
    }

    #[test]
    fn texts_have_identifiers() {
        let id = id_of_text("must have at least 8 characters, and no \"quotes\"");
        assert_eq!(id, "api-must-have-at-least-8-characters-and-no-quotes");
    }
}
