//! The agreement of the documents with the code that they name, and the length of lines.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use cli::template::Template;

use crate::template::described_endpoints;

/// The documents that name constants, functions and types.
const DOCUMENTS: [&str; 7] = [
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "docs/architecture.md",
    "docs/data-model.md",
    "docs/development.md",
    "docs/oauth.md",
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

/// The words of a text that can be names in code.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
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
    if file == "template.yaml" {
        let (_, parameter) = code.split_once(&format!("\n  {constant}:\n"))?;
        let (_, default) = parameter.split_once("    Default: ")?;
        return default.lines().next();
    }
    let (_, definition) = code.split_once(&format!("const {constant}: "))?;
    let (_, expression) = definition.split_once(" = ")?;
    expression.split(';').next()
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

/// Returns the values that a text such as "4.5 MB" or "3 minutes" can state, or none if it is no plain number. Times
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

/// Adds the names of all files in a folder and the words in them.
fn collect_words(path: &Path, found: &mut HashSet<String>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect_words(&entry.unwrap().path(), found);
        }
        return;
    }
    // This file has the names of `PROPOSED`.
    if path.ends_with(file!()) {
        return;
    }
    found.extend(words(&path.to_string_lossy()).map(ToOwned::to_owned));
    // Pictures and other binary files are not text.
    if let Ok(text) = std::fs::read_to_string(path) {
        found.extend(words(&text).map(ToOwned::to_owned));
    }
}

#[test]
fn names_in_the_documents_exist_in_the_code() {
    let mut known = HashSet::new();
    for path in CODE {
        collect_words(&root().join(path), &mut known);
    }
    let mut unknown = Vec::new();
    for path in DOCUMENTS {
        let document = read(path);
        for span in code_spans(&document) {
            // A span is a name if it is one word, such as `Clock`, or a path, such as `Fields::read`.
            let name = span.trim_end_matches(['!', '(', ')']);
            if name.split("::").any(|part| words(part).ne([part])) {
                continue;
            }
            for word in words(name) {
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
    let (_, permissions) = page.split_once("\n| action | endpoint |").unwrap();
    let (permissions, _) = permissions.split_once("\n\n").unwrap();
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

#[test]
fn table_of_steps_agrees_with_the_gate() {
    let gate = read(".ci/run");
    let lines = gate.lines().filter_map(|line| {
        let line = line.strip_prefix("begin_").unwrap_or(line);
        line.strip_prefix("check '")?.split('\'').next()
    });
    let steps: Vec<&str> = lines.collect();
    let page = read("docs/development.md");
    let described = table(&page, "CI");
    let described: Vec<String> = described
        .iter()
        .map(|row| row[1].replace('`', ""))
        .collect();
    assert_eq!(described, steps);
}

#[test]
fn each_alarm_is_documented() {
    let page = read("docs/operating.md");
    let (_, alarms) = page.split_once("\n## Alarms\n").unwrap();
    let (alarms, _) = alarms.split_once("\n## ").unwrap();
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
fn collect_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn lines_have_at_most_120_characters() {
    let mut sources = Vec::new();
    for folder in ["cli", "crates", "functions", "shared", "tests"] {
        collect_sources(&root().join(folder), &mut sources);
    }
    // The line breaks of a description in the OpenAPI document are those of its comment.
    let described = read("functions/site/openapi.json");
    let mut long = Vec::new();
    for path in sources {
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
