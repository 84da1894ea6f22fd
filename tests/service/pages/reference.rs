//! The reference: every part of the OpenAPI document is on the page of its group.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::Method;
use serde_json::{Value, json};
use shared::grouped;
use tests::assertions::AssertText;
use tests::browser::unescaped;
use tests::service::{PUBLIC_URL, Service};

use crate::reference::sample_with_story;

/// The largest page, uncompressed.
const MAX_BYTES: usize = 60_000;

/// The fields of the envelope. The overview describes them once for all responses.
const ENVELOPE: [&str; 4] = ["data", "message", "status_code", "version"];

/// The keywords of schemas that the pages show, and those that only generators of clients read.
const KEYWORDS: &str = "$ref additionalProperties description enum example format items maxItems maxLength maximum \
    minItems minLength minimum oneOf pattern properties propertyNames required type x-enum-varnames";

/// Returns the document from its file, which another test compares with the code.
fn document() -> Value {
    serde_json::from_str(include_str!(
        "../../../functions/catalogue_pages/openapi.json"
    ))
    .unwrap()
}

/// Returns the pages of the reference by path.
async fn pages(service: &Service) -> BTreeMap<String, String> {
    let overview = service.get("/reference").await.text();
    let links = attributes(&overview, "href");
    let groups = links.filter(|link| link.starts_with("/reference/") && !link.contains('#'));
    let mut pages = BTreeMap::new();
    for path in groups {
        let page = service.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        pages.insert(path.to_owned(), page.text());
    }
    pages.insert("/reference".to_owned(), overview);
    pages
}

/// Returns the values of an attribute in a page.
fn attributes<'p>(page: &'p str, name: &str) -> impl Iterator<Item = &'p str> {
    let start = format!(" {name}=\"");
    let positions: Vec<usize> = page
        .match_indices(&start)
        .map(|(at, _)| at + start.len())
        .collect();
    positions
        .into_iter()
        .map(|at| page[at..].split('"').next().unwrap())
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

fn code(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned);
    format!("<code>{}</code>", escaped(&text))
}

/// Returns the part of a page from a text to the next of some ends.
fn part<'p>(page: &'p str, start: &str, ends: &[&str]) -> Option<&'p str> {
    let part = &page[page.find(start)? + start.len()..];
    let end = ends.iter().filter_map(|end| part.find(end)).min();
    Some(&part[..end.unwrap_or(part.len())])
}

/// Returns the operations of the document: tag, path, method and JSON.
fn operations(document: &Value) -> Vec<(&str, &str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| {
            let tag = operation["tags"][0].as_str().unwrap();
            (tag, path.as_str(), method.as_str(), operation)
        })
    });
    all.collect()
}

/// Returns the name of the schema that a `$ref` refers to.
fn referenced_name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// A page and the document that it must show.
struct Shown<'d> {
    document: &'d Value,
    page: &'d str,
    seen: BTreeSet<&'d str>,
}

impl<'d> Shown<'d> {
    fn named(&self, name: &str) -> &'d Value {
        &self.document["components"]["schemas"][name]
    }

    /// Returns the section of a schema on the page, if it has one.
    fn place(&self, name: &str) -> Option<&'d str> {
        part(
            self.page,
            &format!("id=\"schema-{name}\""),
            &["<h3", "</section>"],
        )
    }

    /// Checks that a schema is in a part of the page, or in a section of its own.
    fn check(&mut self, schema: &'d Value, scope: &'d str) {
        let Some(name) = referenced_name(schema) else {
            self.check_here(schema, scope);
            return;
        };
        let Some(place) = self.place(name) else {
            let elsewhere = ["anime", "song"]
                .map(|group| format!("<a href=\"/reference/{group}#schema-{name}\">{name}</a>"));
            if !elsewhere.iter().any(|link| scope.contains(link)) {
                self.check(self.named(name), scope);
            }
            return;
        };
        let link = format!("#schema-{name}\">{name}</a>");
        let is_here = scope.as_ptr() == place.as_ptr();
        assert!(
            is_here || scope.contains(&link),
            "no link to {name} in {scope}"
        );
        if self.seen.insert(name) {
            self.check_here(self.named(name), place);
        }
    }

    fn check_here(&mut self, schema: &'d Value, scope: &'d str) {
        for keyword in schema.as_object().unwrap().keys() {
            let is_shown = KEYWORDS.split(' ').any(|known| known == keyword);
            assert!(is_shown, "the pages do not show {keyword}: {schema}");
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            scope.assert_has(&format!("<code>{name}</code>"));
            self.check(field, scope);
        }
        for member in schema["oneOf"].as_array().into_iter().flatten() {
            self.check(member, scope);
        }
        for keyword in ["items", "additionalProperties"] {
            if schema[keyword].is_object() {
                self.check(&schema[keyword], scope);
            }
        }
        check_limits(schema, scope);
    }

    /// Checks the schema of a response. Of an envelope, only the fields of `data` are shown.
    fn check_response(&mut self, schema: &'d Value, scope: &'d str) {
        let target = referenced_name(schema).map_or(schema, |name| self.named(name));
        let fields = target["properties"].as_object();
        let fields = fields.map(|fields| fields.keys().map(String::as_str).collect::<Vec<_>>());
        if fields.is_some_and(|fields| fields == ENVELOPE) {
            scope.assert_has("<code>data</code>");
            self.check(&target["properties"]["data"], scope);
        } else {
            self.check(schema, scope);
        }
    }
}

/// Checks the limits and the values of a schema.
fn check_limits(schema: &Value, scope: &str) {
    let keywords = [
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    ];
    for keyword in keywords {
        if let Some(limit) = schema[keyword].as_u64() {
            let small = (limit < 10_000).then(|| limit.to_string());
            let text = small.unwrap_or_else(|| grouped(limit));
            assert!(scope.contains(&text), "no {keyword} {limit} in {scope}");
        }
    }
    let values = schema["enum"].as_array().into_iter().flatten();
    for value in values.chain(schema.get("pattern")) {
        assert!(scope.contains(&code(value)), "no {value} in {scope}");
    }
}

/// Checks the row of each parameter.
fn check_parameters<'d>(shown: &mut Shown<'d>, operation: &'d Value, section: &'d str) {
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap();
        let place = parameter["in"].as_str().unwrap();
        let list = part(section, &format!("data-in=\"{place}\">"), &["<h3"]).unwrap();
        let start = format!("<code>{name}</code> <span class=\"kind\">");
        let row = part(list, &start, &["<dt"]).unwrap_or_else(|| panic!("{name} in {section}"));
        let is_required = parameter["required"] == true;
        assert_eq!(
            row.contains("<strong>required</strong>"),
            is_required,
            "{row}"
        );
        assert!(
            row.contains("Example: ") || parameter.get("example").is_none(),
            "{row}"
        );
        let description = parameter["description"].as_str().unwrap();
        row.assert_has(&escaped(description.split('`').next().unwrap()));
        shown.check(&parameter["schema"], row);
        // The row repeats the limits of a named schema, because callers need them for a request.
        if let Some(name) = referenced_name(&parameter["schema"]) {
            check_limits(shown.named(name), row);
        }
    }
}

/// Checks the fields of request bodies. The fields of a named schema can be described at another operation of the page.
fn check_body<'d>(shown: &mut Shown<'d>, operation: &'d Value, section: &'d str) {
    let contents = operation["requestBody"]["content"]
        .as_object()
        .into_iter()
        .flatten();
    for (media_type, content) in contents {
        let start = format!("Request body: <code>{media_type}</code>");
        let body = part(section, &start, &["<h3>Responses"]).unwrap();
        let schema = &content["schema"];
        let Some(name) = referenced_name(schema) else {
            shown.check(schema, body);
            continue;
        };
        let is_here = section.contains(&format!("id=\"schema-{name}\""));
        assert!(
            is_here || body.contains(&format!("\"#schema-{name}\"")),
            "{body}"
        );
        let place = shown.place(name).unwrap();
        shown.check_here(shown.named(name), place);
    }
}

/// Checks the row of each response, and its schema and example. The schema and the examples of errors are in a section
/// of the page.
fn check_responses<'d>(shown: &mut Shown<'d>, operation: &'d Value, section: &'d str) {
    let responses = part(section, "<dl class=\"responses\">", &["<div class=\"try\""]).unwrap();
    let errors = part(shown.page, "<h2 id=\"errors\">", &["</section>"]).unwrap_or_default();
    for (status, response) in operation["responses"].as_object().unwrap() {
        let ends = ["<dt>2", "<dt>3", "<dt><a href=\"#error"];
        let own = part(responses, &format!("<dt>{status}</dt>"), &ends);
        let (row, scope) = own.map_or_else(
            || {
                let rest = part(
                    responses,
                    &format!("<dt><a href=\"#error-{status}"),
                    &["\""],
                );
                let start = format!("<dt id=\"error-{status}{}\">", rest.unwrap());
                (part(errors, &start, &["<dt"]).unwrap(), errors)
            },
            |row| (row, row),
        );
        let description = response["description"].as_str().unwrap();
        row.assert_has(&escaped(description.split('`').next().unwrap()));
        for (name, _) in response["headers"].as_object().into_iter().flatten() {
            row.assert_has(&format!("Header <code>{name}</code>"));
        }
        let has_json = response["content"].get("application/json").is_some();
        assert_eq!(row.contains("<pre"), has_json, "{row}");
        for (_, content) in response["content"].as_object().into_iter().flatten() {
            shown.check_response(&content["schema"], scope);
            if let Some(example) = content.get("example") {
                row.assert_has(&escaped(&format!("{example:#}")));
            }
        }
    }
}

#[tokio::test]
async fn pages_show_every_operation_with_all_its_parts() {
    let service = Service::empty().await;
    let pages = pages(&service).await;
    let document = document();
    let text = document.to_string();
    for markdown in ["](", "```", "**", "\\n- "] {
        // The pages would show this Markdown as it is.
        text.assert_lacks(markdown);
    }
    for (tag, path, method, operation) in operations(&document) {
        let page = &pages[&format!("/reference/{tag}")];
        let id = operation["operationId"].as_str().unwrap();
        let section = part(page, &format!("<h2 id=\"{id}\">"), &["</section>"]).unwrap();
        let endpoint = format!("<strong>{}</strong> {path}</code>", method.to_uppercase());
        assert!(section.contains(&endpoint), "{endpoint}");
        let link = format!("href=\"/reference/{tag}#{id}\"");
        assert!(pages["/reference"].contains(&link), "{link}");
        let ways = operation["security"].as_array();
        let is_needed = |ways: &Vec<Value>| ways.iter().all(|way| *way != json!({}));
        assert_eq!(
            section.contains("token required"),
            ways.is_some_and(is_needed),
            "{id}"
        );
        let mut shown = Shown {
            document: &document,
            page,
            seen: BTreeSet::new(),
        };
        check_parameters(&mut shown, operation, section);
        check_body(&mut shown, operation, section);
        check_responses(&mut shown, operation, section);
    }
}

#[tokio::test]
async fn pages_are_smaller_than_60_kb_and_load_only_files_of_this_site() {
    let service = Service::empty().await;
    for (path, page) in pages(&service).await {
        assert!(page.len() < MAX_BYTES, "{path}: {}", page.len());
        for start in [
            "<script src=\"",
            "<link rel=\"icon\" href=\"",
            "<link rel=\"stylesheet\" href=\"",
        ] {
            let mut found = 0;
            for (at, _) in page.match_indices(start) {
                let address = &page[at + start.len()..];
                assert!(
                    address.starts_with('/') && !address.starts_with("//"),
                    "{path}"
                );
                found += 1;
            }
            // The pages of groups also load the script of the forms "Try it".
            let is_script = start.starts_with("<script");
            let expected = 1 + usize::from(is_script && path != "/reference");
            assert_eq!(found, expected, "{path}: {start}");
        }
    }
}

#[tokio::test]
async fn links_lead_to_pages_and_places() {
    let service = Service::empty().await;
    let pages = pages(&service).await;
    for (path, page) in &pages {
        let mut ids = BTreeSet::new();
        for id in attributes(page, "id") {
            assert!(ids.insert(id), "{path}: two elements are #{id}");
        }
        for link in attributes(page, "href") {
            let (target, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = if target.is_empty() { path } else { target };
            let Some(other) = pages.get(target) else {
                let status = service.get(target).await.status;
                // Pages for users lead to the sign-in page.
                assert!(status == 200 || status == 303, "{path}: {link}");
                let is_icon = target.starts_with("/icons.svg");
                // The search in the header leads to that of all anime.
                let is_search = link == "/anime#search";
                assert!(
                    fragment.is_empty() || is_icon || is_search,
                    "{path}: {link}"
                );
                continue;
            };
            let exists = fragment.is_empty() || attributes(other, "id").any(|id| id == fragment);
            assert!(exists, "{path}: {link}");
        }
    }
}

#[tokio::test]
async fn unknown_group_is_not_found() {
    let service = Service::empty().await;
    for path in "/reference/nope /reference/%3Cb%3E /reference/%FF /reference/anime%00".split(' ') {
        let page = service.get_with(path, &[("accept", "text/html")]).await;
        assert_eq!(page.status, 404, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert!(!page.text().contains("<b>"), "{path}");
    }
    let page = service.get("/reference/anime").await;
    page.assert_header("cache-control", "no-store");
}

/// The forms "Try it" call the API, and the search in the header asks for suggestions.
#[tokio::test]
async fn pages_call_this_site_only() {
    let service = Service::empty().await;
    for path in ["/reference", "/reference/anime", "/sign-in"] {
        let page = service.get(path).await;
        let policy = page.header("content-security-policy");
        let calls = policy.between("connect-src ", ";");
        assert_eq!(calls, "'self'", "{path}");
    }
}

/// Splits a command as a shell does. `token` is the value of the only variable.
fn words(command: &str, token: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        let word = words.last_mut().unwrap();
        match (character, quote) {
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if character == open => quote = None,
            ('\\', None) => match characters.next() {
                Some('\n') | None => {}
                Some(escaped) => word.push(escaped),
            },
            (' ', None) if word.is_empty() => {}
            (' ', None) => words.push(String::new()),
            _ => word.push(character),
        }
    }
    assert_eq!(quote, None, "{command}");
    words
        .into_iter()
        .map(|word| word.replace("$TOKEN", token))
        .collect()
}

/// Sends the request of each curl command.
#[tokio::test]
async fn curl_commands_are_valid_requests() {
    let document = document();
    let mut ran = 0;
    let (mut service, mut person) = sample_with_story().await;
    let mut was_changed = false;
    for (tag, path, method, operation) in operations(&document) {
        // The parameters come from the form of the consent page.
        if path == "/v1/oauth" {
            continue;
        }
        if was_changed {
            (service, person) = sample_with_story().await;
        }
        was_changed = method != "get";
        let page = service.get(&format!("/reference/{tag}")).await.text();
        let id = operation["operationId"].as_str().unwrap();
        let command = unescaped(&page.between(&format!("<code id=\"curl-{id}\">"), "</code>"));
        let mut words = words(&command, &person.token).into_iter();
        assert_eq!(words.next().as_deref(), Some("curl"));
        let address = words.next().unwrap();
        let address = address.strip_prefix(PUBLIC_URL).unwrap().to_owned();
        let (mut verb, mut headers, mut form, mut body) =
            (Method::GET, Vec::new(), Vec::new(), None);
        while let (Some(option), Some(value)) = (words.next(), words.next()) {
            match option.as_str() {
                "-X" => verb = value.parse().unwrap(),
                "-H" => {
                    let (name, value) = value.split_once(": ").unwrap();
                    headers.push((name.to_lowercase(), value.to_owned()));
                }
                "-d" | "--data-binary" => body = Some(value),
                "--data-urlencode" => form.push(value),
                _ => panic!("{command}"),
            }
        }
        assert_eq!(verb.as_str().to_lowercase(), method, "{command}");
        if !form.is_empty() {
            headers.push((
                "content-type".to_owned(),
                "application/x-www-form-urlencoded".to_owned(),
            ));
            body = Some(form.join("&"));
        }
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let answer = service
            .send_body(verb, &address, &headers, body.unwrap_or_default())
            .await;
        // Some values are made by the service: tokens in links, credentials and codes of clients, identifiers of
        // imports, secrets of players.
        let is_made = path.ends_with("/confirm") || path.starts_with("/v1/oauth/");
        let expected = if is_made {
            [400, 401]
        } else if path.ends_with("/undo") || path.ends_with("/{secret}") {
            [404, 404]
        } else {
            [200, 200]
        };
        let status = answer.status.as_u16();
        assert!(
            expected.contains(&status),
            "{status} for {command}: {}",
            answer.text()
        );
        ran += 1;
    }
    assert!(ran > 25, "{ran}");
}
