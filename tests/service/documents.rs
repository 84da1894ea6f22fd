//! The agreement of the documents with the code that they name, and the length of lines.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use tests::assertions::AssertText;
use tests::template::Template;

use crate::template::described_endpoints;

/// The documents that name constants, functions and types.
const DOCUMENTS: [&str; 10] = [
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "docs/architecture.md",
    "docs/data-model.md",
    "docs/development.md",
    "docs/glossary.md",
    "docs/oauth.md",
    "docs/pages.md",
    "docs/testing.md",
];

/// The folders and files with the code that the documents name.
const CODE: [&str; 10] = [
    "Cargo.toml",
    "cli",
    "clippy.toml",
    "crates",
    "events",
    "functions",
    "shared",
    "template.yaml",
    "tests",
    ".ci",
];

/// Names of the recipe for a third tracker, which the code does not have.
const PROPOSED: [&str; 2] = ["has_tracker_c", "tracker_c_id"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the texts in backticks, outside code blocks.
fn code_spans(markdown: &str) -> Vec<&str> {
    let prose = markdown.split("```").step_by(2);
    prose
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
}

/// Returns the words of a text that can be names in code.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// Returns true if a text is one name, such as `Clock`, or a path of names, such as `Fields::read`.
fn is_name(text: &str) -> bool {
    let name = text.trim_end_matches(['!', '(', ')']);
    name.split("::").all(|part| words(part).eq([part]))
}

/// A row of the first table of limits in docs/development.md.
struct Limit<'t> {
    value: &'t str,
    constant: &'t str,
    file: &'t str,
}

fn limits(document: &str) -> Vec<Limit<'_>> {
    let section = document.split("### Limits\n").nth(1).unwrap();
    let mut lines = section.lines().skip_while(|line| !line.starts_with('|'));
    let header = lines.next().unwrap();
    assert_eq!(header, "| limit | value | place |");
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, value, place, _] = cells[..] else {
            panic!("a limit has three cells: {row}");
        };
        let [constant, file] = code_spans(place)[..] else {
            panic!("a limit has one constant and one file: {row}");
        };
        Limit {
            value,
            constant,
            file,
        }
    })
    .collect()
}

/// Returns the expression that defines a constant, or the default of a parameter of the template.
fn definition<'t>(code: &'t str, constant: &str, file: &str) -> Option<&'t str> {
    let (name, start, end) = if file == "template.yaml" {
        (format!("\n  {constant}:\n"), "    Default: ", '\n')
    } else {
        (format!("const {constant}: "), " = ", ';')
    };
    let (_, definition) = code.split_once(&name)?;
    let (_, expression) = definition.split_once(start)?;
    expression.split(end).next()
}

/// Computes a product of numbers, or a duration in seconds. Returns `None` for any other expression.
fn evaluate(expression: &str) -> Option<u64> {
    if let Some(duration) = expression.strip_prefix("Duration::") {
        let (unit, count) = duration.strip_suffix(')')?.split_once('(')?;
        let seconds = match unit {
            "from_secs" => 1,
            "days" => 24 * 60 * 60,
            _ => return None,
        };
        return Some(evaluate(count)? * seconds);
    }
    let factors = expression.split(" * ");
    let factors = factors.map(|factor| factor.replace('_', "").parse::<u64>().ok());
    factors.product()
}

/// Returns the values that a text such as "4.5 MB" or "3 minutes" can state, or none if it is not a plain number. Times
/// are in seconds. 1 KB is 1,000 or 1,024 bytes: the first where AWS counts so, the second in limits of our own.
fn stated_values(value: &str) -> Vec<u64> {
    let mut words = value.split(' ');
    let number = words.next().unwrap_or_default().replace(',', "");
    let units: &[u64] = match words.next().unwrap_or_default() {
        "KB" => &[1_000, 1_024],
        "MB" => &[1_000_000, 1_024 * 1_024],
        "minutes" => &[60],
        "hour" | "hours" => &[60 * 60],
        "days" => &[24 * 60 * 60],
        _ => &[1],
    };
    let (whole, tenths) = number.split_once('.').unwrap_or((&number, "0"));
    let (Ok(whole), Ok(tenths)) = (whole.parse::<u64>(), tenths.parse::<u64>()) else {
        return Vec::new();
    };
    if tenths >= 10 {
        return Vec::new();
    }
    let tenths = whole * 10 + tenths;
    units.iter().map(|unit| tenths * unit / 10).collect()
}

#[test]
fn table_of_limits_agrees_with_the_constants() {
    let document = read("docs/development.md");
    let limits = limits(&document);
    let mut faults = Vec::new();
    let mut compared = 0;
    for Limit {
        value,
        constant,
        file,
    } in &limits
    {
        let code = read(file);
        let Some(expression) = definition(&code, constant, file) else {
            faults.push(format!("{constant} is not defined in {file}"));
            continue;
        };
        let stated = stated_values(value);
        if stated.is_empty() {
            continue;
        }
        compared += 1;
        let unit = if constant.ends_with("_MS") { 1_000 } else { 1 };
        let agrees = |actual: u64| stated.iter().any(|stated| stated * unit == actual);
        if !evaluate(expression).is_some_and(agrees) {
            faults.push(format!("{constant} in {file} is {expression}, not {value}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // The value of one limit is made of other constants.
    assert_eq!(compared, limits.len() - 1);
}

/// Adds the file at a path, or all files in the folder at the path.
fn collect_files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect_files(&entry.unwrap().path(), found);
        }
    } else if path.is_file() {
        found.push(path.to_owned());
    }
}

#[test]
fn names_in_the_documents_exist_in_the_code() {
    let mut files = Vec::new();
    for path in CODE {
        collect_files(&root().join(path), &mut files);
    }
    // This file is left out, because it has the names of `PROPOSED`.
    files.retain(|path| !path.ends_with(file!()));
    let mut known = HashSet::new();
    for path in files {
        known.extend(words(&path.to_string_lossy()).map(ToOwned::to_owned));
        // Pictures and other binary files are not text.
        if let Ok(text) = std::fs::read_to_string(path) {
            known.extend(words(&text).map(ToOwned::to_owned));
        }
    }
    let mut unknown = Vec::new();
    for path in DOCUMENTS {
        let document = read(path);
        for span in code_spans(&document)
            .into_iter()
            .filter(|span| is_name(span))
        {
            for word in words(span) {
                if !known.contains(word) && !PROPOSED.contains(&word) {
                    unknown.push(format!("{path}: `{span}`"));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// Returns the cells of the first table after a heading of a document, without the header.
fn table<'d>(document: &'d str, heading: &str) -> Vec<Vec<&'d str>> {
    let (_, section) = document.split_once(&format!("\n## {heading}\n")).unwrap();
    let lines = section.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').map(str::trim).collect())
        .collect()
}

#[test]
fn table_of_endpoints_agrees_with_the_openapi_document() {
    let page = read("docs/api.md");
    let rows = table(&page, "Endpoints");
    let listed: BTreeSet<String> = rows.iter().map(|row| row[1].replace('`', "")).collect();
    let described = described_endpoints().into_iter();
    let described = described.map(|(method, path)| format!("{method} {path}"));
    assert_eq!(listed, described.collect());
    assert_eq!(listed.len(), rows.len(), "no endpoint is listed twice");
}

#[test]
fn table_of_permissions_has_the_endpoints_that_need_a_token() {
    let page = read("docs/api.md");
    let permissions = page.between("\n| action | endpoint |", "\n\n");
    for row in table(&page, "Endpoints") {
        let (endpoint, token) = (row[1], row[2]);
        // The endpoints of OAuth take a session or the client's credentials in place of a token.
        if endpoint.contains("/v1/oauth") {
            continue;
        }
        let needs_token = !(token.starts_with("no") || token.starts_with("only with"));
        assert_eq!(permissions.contains(endpoint), needs_token, "{endpoint}");
    }
}

/// A value in a sentence of a document, with the constant that it is the value of.
struct StatedConstant<'d> {
    value: String,
    constant: &'d str,
    file: &'d str,
}

/// Returns the values in sentences such as "8 s (`DEADLINE` in `shared/src/http/layers.rs`)".
fn stated_constants(document: &str) -> Vec<StatedConstant<'_>> {
    let mut found = Vec::new();
    let mut rest = document;
    while let Some((before, after)) = rest.split_once(" (`") {
        rest = after;
        let names = after
            .split_once("`)")
            .and_then(|(names, _)| names.split_once("` in `"));
        let is_constant = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
        let names = names.filter(|(constant, _)| constant.bytes().all(is_constant));
        if let Some((constant, file)) = names {
            let words: Vec<&str> = before.split_whitespace().collect();
            let value = words[words.len().saturating_sub(2)..].join(" ");
            // Other sentences name a constant without its value.
            if value.starts_with(|first: char| first.is_ascii_digit()) {
                found.push(StatedConstant {
                    value,
                    constant,
                    file,
                });
            }
        }
    }
    found
}

#[test]
fn constants_in_sentences_have_the_stated_values() {
    let mut compared = 0;
    for path in DOCUMENTS {
        for stated in stated_constants(&read(path)) {
            let StatedConstant {
                value,
                constant,
                file,
            } = stated;
            let code = read(file);
            let expression = definition(&code, constant, file);
            let actual = expression.and_then(evaluate);
            let unit = if constant.ends_with("_MS") { 1_000 } else { 1 };
            assert!(
                stated_values(&value)
                    .iter()
                    .any(|value| Some(value * unit) == actual),
                "{path} says {value}, but {constant} in {file} is {expression:?}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared}");
}

/// Returns the rows of the tables in "Where do I find", each with its question and its place.
fn places(document: &str) -> Vec<(&str, &str)> {
    let tables = section(document, "\n## Where do I find...");
    let rows = tables.lines().filter(|line| line.starts_with("| "));
    let rows = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let rows = rows.map(|row| match row[..] {
        [_, question, place, _] => (question, place),
        _ => panic!("a row has two cells: {row:?}"),
    });
    rows.filter(|row| *row != ("question", "place")).collect()
}

/// Returns the path of each span in a row of "Where do I find"; `None` for other spans, such as names. A file without a
/// folder lies beside the path before it.
fn paths(spans: &[&str]) -> Vec<Option<PathBuf>> {
    let mut folder = root();
    let path = |span: &&str| {
        // An address of the service begins with a slash.
        if span.starts_with('/') || !span.contains(['/', '.']) {
            return None;
        }
        let beside = folder.join(span);
        let is_beside = !span.contains('/') && beside.exists();
        let path = if is_beside { beside } else { root().join(span) };
        folder = if path.is_dir() {
            path.clone()
        } else {
            path.with_file_name("")
        };
        Some(path)
    };
    spans.iter().map(path).collect()
}

/// Returns the texts of the files at a path, which can be a folder or have a placeholder such as `<name>`.
fn texts_at(path: &Path) -> Vec<String> {
    let path = path.to_string_lossy().into_owned();
    let known = path.split('<').next().unwrap();
    let rest = path.split('>').nth(1).unwrap_or_default();
    let mut files = Vec::new();
    collect_files(Path::new(known), &mut files);
    files.retain(|path| path.to_string_lossy().ends_with(rest));
    let texts = files.into_iter().map(std::fs::read_to_string);
    texts.filter_map(Result::ok).collect()
}

/// Returns true if a text has each part of a name such as `Fields::read`.
fn has_name(text: &str, name: &str) -> bool {
    words(name).all(|part| words(text).any(|word| word == part))
}

/// Returns true if a Rust source defines the last part of a name and has the others.
fn defines(source: &str, name: &str) -> bool {
    // The keyword "for" begins the type of an implementation, such as that of an extractor.
    let keywords = [
        "fn", "struct", "enum", "trait", "type", "const", "static", "mod", "for",
    ];
    let last = name.rsplit("::").next().unwrap();
    let is_definition = |keyword: &&str| {
        let definition = format!("{keyword} {last}");
        let mut found = source.match_indices(&definition);
        found.any(|(at, _)| {
            let next = source[at + definition.len()..].chars().next();
            !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
        })
    };
    // The source calls a macro and does not define it. A variant has no keyword.
    let is_variant = name.contains("::") && last.starts_with(char::is_uppercase);
    let is_defined = name.ends_with('!') || is_variant || keywords.iter().any(is_definition);
    is_defined && has_name(source, name)
}

#[test]
fn paths_of_where_do_i_find_exist_and_have_the_names_of_their_row() {
    let document = read("docs/development.md");
    let (mut path_count, mut name_count) = (0, 0);
    for (question, place) in places(&document) {
        let parts: Vec<&str> = place.split('`').collect();
        let spans: Vec<&str> = parts.iter().copied().skip(1).step_by(2).collect();
        let paths = paths(&spans);
        let texts_of = |path: &Option<PathBuf>| path.as_deref().map(texts_at);
        let texts: Vec<Option<Vec<String>>> = paths.iter().map(texts_of).collect();
        for (span, texts) in spans.iter().zip(&texts) {
            if let Some(texts) = texts {
                path_count += 1;
                assert!(!texts.is_empty(), "{question}: there is no {span}");
            }
        }
        let is_rust = |position: &usize| {
            let path = paths.get(*position).and_then(Option::as_ref);
            path.is_some_and(|path| path.extension().is_none_or(|extension| extension == "rs"))
        };
        for (position, span) in spans.iter().enumerate() {
            if texts[position].is_some() || !is_name(span) {
                continue;
            }
            name_count += 1;
            // "`name` in `path`" and "`path` (`name`)": the file or folder defines the name.
            let definition = match (parts[2 * position], parts[2 * position + 2]) {
                (_, " in ") => Some(position + 1),
                (" (", _) => position.checked_sub(1),
                _ => None,
            };
            let is_found = if let Some(path) = definition.filter(is_rust) {
                let mut texts = texts[path].iter().flatten();
                texts.any(|text| defines(text, span))
            } else {
                let mut texts = texts.iter().flatten().flatten();
                texts.any(|text| has_name(text, span))
            };
            assert!(is_found, "{question}: {span} is not in its file");
        }
    }
    assert!(path_count >= 100, "{path_count}");
    assert!(name_count >= 35, "{name_count}");
}

/// Returns the section of a document with this heading, up to the next heading.
fn section<'d>(document: &'d str, heading: &str) -> &'d str {
    let (_, section) = document.split_once(&format!("{heading}\n")).unwrap();
    section.split("\n#").next().unwrap()
}

/// Sentences name a definition as "`name` in `path`" or "`name` (`path`)". Several names can have one path.
#[test]
fn names_in_sentences_are_defined_at_their_paths() {
    let (development, architecture) = (read("docs/development.md"), read("docs/architecture.md"));
    let sections = [
        section(&development, "### Common questions"),
        section(&development, "### Types of a story's values"),
        section(&architecture, "## A request for a list"),
        section(&architecture, "## The next episode from a player"),
        section(&architecture, "## A sign-in"),
    ];
    let mut count = 0;
    for text in sections {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts: Vec<&str> = text.split('`').collect();
        let spans: Vec<&str> = parts.iter().copied().skip(1).step_by(2).collect();
        for (position, path) in paths(&spans).iter().enumerate() {
            let Some(path) = path else { continue };
            let texts = texts_at(path);
            let mut separators = [" in ", " ("].as_slice();
            for name in (0..position).rev() {
                if !separators.contains(&parts[2 * name + 2]) || !is_name(spans[name]) {
                    break;
                }
                let is_defined = texts.iter().any(|text| defines(text, spans[name]));
                assert!(is_defined, "{} is not in {}", spans[name], path.display());
                count += 1;
                separators = &[", "];
            }
        }
    }
    assert!(count >= 24, "{count}");
}

/// Returns the words that are names of tables of the template.
fn named_tables(text: &str) -> BTreeSet<String> {
    let tables = Template::load().unwrap().tables().unwrap();
    let names: BTreeSet<String> = tables.into_iter().map(|table| table.table_name).collect();
    let named = words(text).filter(|word| names.contains(*word));
    named.map(ToOwned::to_owned).collect()
}

#[test]
fn lists_of_tables_are_those_of_the_template() {
    let tables = Template::load().unwrap().tables().unwrap();
    let all: BTreeSet<String> = tables
        .iter()
        .map(|table| table.table_name.clone())
        .collect();
    let expiring = tables
        .iter()
        .filter(|table| table.time_to_live_specification.is_some());
    let expiring: BTreeSet<String> = expiring.map(|table| table.table_name.clone()).collect();

    let data_model = read("docs/data-model.md");
    let rows = table(&data_model, "Overview");
    let listed = rows.iter().map(|row| row[1].to_owned());
    assert_eq!(listed.collect::<BTreeSet<_>>(), all, "overview");
    let with_ttl = rows.iter().filter(|row| !row[5].is_empty());
    assert_eq!(
        with_ttl
            .map(|row| row[1].to_owned())
            .collect::<BTreeSet<_>>(),
        expiring
    );
    let sentence = section(&data_model, "## Time to live").before(" have the TTL");
    assert_eq!(named_tables(&sentence), expiring, "time to live");

    let operating = read("docs/operating.md");
    let recovery = section(&operating, "### Point-in-time recovery on AWS");
    let list = recovery.before("DynamoDB can restore each");
    list.assert_has(&format!("All {} tables", all.len()));
    assert_eq!(named_tables(&list), all, "recovery");
    let groups = recovery.between("DynamoDB can restore each", "```sh");
    assert_eq!(named_tables(&groups), all, "groups");
    let start = "Set what a restore leaves out";
    let step = recovery.after("```sh").between(start, " TTL on");
    assert_eq!(named_tables(&step), expiring, "{start}");

    let removal = section(&operating, "## Remove a stack");
    let names = removal.between("for name in ", "; do");
    assert_eq!(named_tables(&names), all, "removal");
}

#[test]
fn lists_of_secrets_are_those_of_the_template() {
    let template = Template::load().unwrap();
    let names = template.names("AWS::SecretsManager::Secret");
    let secrets = names.map(|resource| {
        let name = template.property(resource, "/Name").unwrap().to_string();
        let (_, name) = name.rsplit_once('/').unwrap();
        name.trim_matches(|character: char| !character.is_alphanumeric())
            .to_owned()
    });
    let secrets: BTreeSet<String> = secrets.collect();
    let operating = read("docs/operating.md");
    let rows = table(&operating, "Keys");
    let listed = rows
        .iter()
        .map(|row| row[1].replace('`', "").replace("kiroku/", ""));
    assert_eq!(listed.collect::<BTreeSet<_>>(), secrets, "keys");
    let removal = section(&operating, "## Remove a stack");
    let names = removal.all_between("for name in ", "; do").pop().unwrap();
    let listed = names.split_whitespace().map(ToOwned::to_owned);
    assert_eq!(listed.collect::<BTreeSet<_>>(), secrets, "removal");
    assert!(operating.contains(&format!(", {} secrets\n", secrets.len())));
}

/// Returns the function of each row of a table that says which requests reach it. `name` returns the function of a
/// row, and `paths` is the number of the cell with the paths.
fn owners_of_paths<'d>(
    rows: &'d [Vec<&'d str>],
    paths: usize,
    name: impl Fn(&[&'d str]) -> String,
) -> Vec<(&'d str, String)> {
    let mut owners = Vec::new();
    for row in rows {
        // A path after "except" belongs to another row.
        let listed = row[paths].split("except").next().unwrap();
        let paths = code_spans(listed)
            .into_iter()
            .filter(|span| span.starts_with('/'));
        owners.extend(paths.map(|path| {
            (
                path.trim_end_matches("...").trim_end_matches('/'),
                name(row),
            )
        }));
    }
    owners
}

/// Asserts that each route of the template leads to the function that a table names for it: that of the longest path
/// that the route begins with.
fn assert_covers_routes(what: &str, owners: &[(&str, String)]) {
    for route in Template::load().unwrap().routes() {
        if route.path.is_empty() {
            continue;
        }
        let covering = owners.iter().filter(|(path, _)| {
            let rest = route.path.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let owner = covering.max_by_key(|(path, _)| path.len());
        let function = owner.map(|(_, function)| function.as_str());
        assert_eq!(
            function,
            Some(route.function.as_str()),
            "{what}: {}",
            route.path
        );
    }
}

#[test]
fn routes_in_the_documents_lead_to_the_functions_of_the_template() {
    let functions: BTreeSet<String> = Template::load()
        .unwrap()
        .routes()
        .into_iter()
        .map(|route| route.function)
        .collect();
    let operating = read("docs/operating.md");
    let rows = table(&operating, "Alarms");
    // `UserStoryErrors` is an alarm of the function user_story.
    let function_of_alarm = |row: &[&str]| {
        let alarm = row[2].trim_matches('`').to_lowercase();
        let named = functions.iter();
        let mut named = named.filter(|name| alarm == format!("{}errors", name.replace('_', "")));
        named.next().unwrap_or_else(|| panic!("{alarm}")).clone()
    };
    assert_covers_routes("alarms", &owners_of_paths(&rows, 1, function_of_alarm));
    let architecture = read("docs/architecture.md");
    let rows = table(&architecture, "The parts");
    let function_of_row = |row: &[&str]| row[1].trim_matches('`').to_owned();
    assert_covers_routes("the parts", &owners_of_paths(&rows, 2, function_of_row));
}

#[test]
fn readme_names_the_latest_release() {
    let changelog = read("CHANGELOG.md");
    let latest = changelog.lines().find_map(|line| {
        let (version, _) = line.strip_prefix("## [")?.split_once("] - ")?;
        Some(version)
    });
    let latest = latest.unwrap();
    let readme = read("README.md");
    readme.assert_has(&format!("The latest release is {latest} "));
    assert!(
        root().join("tests/releases").join(latest).is_dir(),
        "{latest}"
    );
}

#[test]
fn each_alarm_is_documented() {
    let page = read("docs/operating.md");
    let alarms = page.between("\n## Alarms\n", "\n## ");
    let template = Template::load().unwrap();
    let names: Vec<&str> = template.names("AWS::CloudWatch::Alarm").collect();
    for name in &names {
        assert!(alarms.contains(&format!("`{name}`")), "{name}");
    }
    assert!(alarms.contains(&format!("has {} alarms", names.len())));
}

#[test]
fn pages_to_return_to_after_signing_in_are_those_of_the_documentation() {
    let document = read("docs/oauth.md");
    let start = document.find("After signing in, a visitor").unwrap();
    let paragraph = document[start..].split("\n\n").next().unwrap();
    let documented: HashSet<&str> = code_spans(paragraph)
        .into_iter()
        .filter(|span| span.starts_with('/'))
        .collect();
    assert_eq!(documented, HashSet::from(pages::return_path::RETURN_PAGES));
}

/// The maximum length of a line of Rust, in characters. `rustfmt` does not wrap comments and texts.
const MAX_LINE: usize = 120;

/// Parts of lines that may be longer, because they are data without a place to break: JSON, texts with quotation marks
/// or line ends, raw strings, regular expressions, and rows of tables in comments.
const DATA: [&str; 6] = ["\":", "\\\"", "\\r\\n", "r#\"", "pattern = \"", "//! |"];

/// Adds the Rust files in a folder.
pub(crate) fn collect_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut files = Vec::new();
    collect_files(folder, &mut files);
    found.extend(
        files
            .into_iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs")),
    );
}

/// Returns the Rust files of the workspace.
fn sources() -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for folder in ["cli", "crates", "functions", "shared", "tests"] {
        collect_sources(&root().join(folder), &mut sources);
    }
    sources
}

/// A comment that names a file without its folder means a file beside its own.
#[test]
fn files_that_comments_name_exist() {
    let is_file = |span: &&str| {
        Path::new(span)
            .extension()
            .is_some_and(|ending| ending == "rs")
    };
    let mut count = 0;
    let mut missing = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(str::trim_start);
        let comments = lines.filter(|line| line.starts_with("//"));
        for file in comments.flat_map(code_spans).filter(is_file) {
            count += 1;
            if !path.with_file_name(file).exists() && !root().join(file).exists() {
                missing.push(format!("{}: {file}", path.display()));
            }
        }
    }
    assert!(count >= 15, "{count}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn lines_have_at_most_120_characters() {
    // The line breaks of a description in the OpenAPI document are those of its comment.
    let described = read("functions/catalogue_pages/openapi.json");
    let mut long = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = (1..).zip(text.lines());
        for (number, line) in lines.filter(|(_, line)| line.chars().count() > MAX_LINE) {
            let sentence = line.trim().strip_prefix("/// ");
            let is_described = sentence.is_some_and(|sentence| described.contains(sentence));
            if !is_described && DATA.iter().all(|part| !line.contains(part)) {
                long.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Returns the numbers of the lines of a document that could be wrapped and are too long. Tables and code blocks
/// cannot, nor can a line with a long address.
fn unwrapped_lines(document: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut unwrapped = Vec::new();
    for (number, line) in (1..).zip(document.lines()) {
        is_code ^= line.trim_start().starts_with("```");
        let is_data = is_code || line.starts_with('|');
        let has_address = line.split(' ').any(|word| word.len() > MAX_LINE);
        if line.chars().count() > MAX_LINE && !is_data && !has_address {
            unwrapped.push(number);
        }
    }
    unwrapped
}

#[test]
fn lines_of_documents_have_at_most_120_characters() {
    let mut documents: Vec<PathBuf> = [
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "README.md",
        "SECURITY.md",
    ]
    .map(|name| root().join(name))
    .into();
    collect_files(&root().join("docs"), &mut documents);
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    for path in documents {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            unwrapped_lines(&text),
            Vec::<usize>::new(),
            "{}",
            path.display()
        );
    }
}
