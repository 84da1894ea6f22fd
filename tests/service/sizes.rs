//! Texts of every size in every parameter never cause a 5xx response.

use axum::Router;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tests::browser::{Application, PageClient, hidden, query};
use tests::event::{invoke, request, with_body};
use tests::people::Person;
use tests::service::Service;

/// An empty text, the limit of a DynamoDB sort key (1,024 bytes), one byte more than the limit of a
/// partition key (2,048 bytes), and more than any body or address can have.
const SIZES: [usize; 4] = [0, 1_024, 2_049, 100_000];

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

fn texts() -> impl Iterator<Item = String> {
    let two_byte_letters = "é".repeat(2_049 / 2);
    let letters = SIZES.into_iter().map(|size| "a".repeat(size));
    letters.chain([two_byte_letters])
}

/// The service, a user with a session and an access token, and an application of this user.
struct Fixture {
    service: Service,
    person: Person,
    application: Application,
}

impl Fixture {
    async fn new() -> Self {
        let service = Service::with_sample().await;
        let person = service.person("mitsuha").await;
        let application = service.web_application(&person).await;
        Self {
            service,
            person,
            application,
        }
    }

    async fn assert_no_server_error(&self, mut event: Value, what: &str) {
        if event["headers"]["authorization"].is_null() {
            event["headers"]["authorization"] = format!("Bearer {}", self.person.token).into();
        }
        let router: &Router = &self.service.router;
        let answer = invoke(router, &event).await;
        let status = answer.status.as_u16();
        assert!(status < 500, "{what}: {status} {}", answer.text());
    }

    /// Returns a valid value of an OAuth parameter. A request that tests one parameter sends these values
    /// of the others, so that they are not rejected first.
    fn valid_value(&self, name: &str) -> Option<&str> {
        match name {
            "client_id" => Some(&self.application.client_id),
            "client_secret" => self.application.secret.as_deref(),
            "redirect_uri" => Some(&self.application.redirect_uri),
            "response_type" => Some("code"),
            _ => None,
        }
    }
}

fn operations() -> Vec<(String, String, Value)> {
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().clone().into_iter();
        methods.map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    operations.collect()
}

/// Returns the fields of an operation's JSON body, with their examples.
fn body_of(operation: &Value) -> Map<String, Value> {
    let document = serde_json::to_value(cli::openapi::document()).unwrap();
    let schema = &operation["requestBody"]["content"][JSON]["schema"];
    let schema = match schema["$ref"].as_str() {
        Some(path) => document.pointer(path.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| (name.clone(), field["example"].clone()))
        .collect()
}

#[tokio::test]
async fn api_parameters_of_every_size_cause_no_server_error() {
    let fixture = Fixture::new().await;
    for (method, path, operation) in operations() {
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let name_of = |parameter: &Value| parameter["name"].as_str().unwrap().to_owned();
        let others = |name: &str| {
            let names = parameters.iter().map(name_of);
            let others = names.filter(|other| other != name);
            let known =
                others.filter_map(|other| Some((other.clone(), fixture.valid_value(&other)?)));
            known
                .map(|(name, value)| (name, value.to_owned()))
                .collect::<Vec<_>>()
        };
        for parameter in &parameters {
            let (name, place) = (name_of(parameter), parameter["in"].as_str().unwrap());
            for text in texts() {
                let what = format!("{method} {path} {place} {name}, {} bytes", text.len());
                let mut pairs = others(&name);
                let event = match place {
                    "path" => request(&method, &path.replace(&format!("{{{name}}}"), &text), ""),
                    "header" => {
                        let mut event = request(&method, &path.replace("{id}", "33554434"), "");
                        event["headers"][name.to_lowercase()] = text.into();
                        event
                    }
                    _ => {
                        pairs.push((name.clone(), text));
                        let pairs: Vec<(&str, &str)> = pairs
                            .iter()
                            .map(|(name, value)| (name.as_str(), value.as_str()))
                            .collect();
                        let pairs = query(&pairs);
                        // The OAuth endpoints also read a form.
                        let form = with_body(request(&method, &path, ""), FORM, &pairs);
                        fixture
                            .assert_no_server_error(form, &format!("{what}, in a form"))
                            .await;
                        request(&method, &path, &pairs)
                    }
                };
                fixture.assert_no_server_error(event, &what).await;
            }
        }
        let body = body_of(&operation);
        for name in body.keys() {
            for text in texts() {
                let what = format!("{method} {path} body {name}, {} bytes", text.len());
                let mut body = body.clone();
                body.insert(name.clone(), text.into());
                let body = Value::from(body).to_string();
                fixture
                    .assert_no_server_error(
                        with_body(request(&method, &path, ""), JSON, &body),
                        &what,
                    )
                    .await;
            }
        }
    }
}

/// The test sends credentials and headers. Most of them are not parameters in the OpenAPI document.
#[tokio::test]
async fn headers_of_every_size_cause_no_server_error() {
    let fixture = Fixture::new().await;
    for text in texts() {
        for path in ["/v1/oauth/token", "/v1/oauth/revoke"] {
            let secret = fixture.application.secret.as_deref().unwrap();
            for pair in [
                format!("{text}:{secret}"),
                format!("{}:{text}", fixture.application.client_id),
            ] {
                let mut event = request("POST", path, "code=a&redirect_uri=b&token=c");
                let basic = format!("Basic {}", STANDARD.encode(pair));
                event["headers"]["authorization"] = basic.into();
                let what = format!("{path} Basic, {} bytes", text.len());
                fixture.assert_no_server_error(event, &what).await;
            }
        }
        for name in [
            "authorization",
            "cookie",
            "accept",
            "accept-encoding",
            "if-match",
            "if-none-match",
            "host",
            "origin",
            "x-forwarded-for",
        ] {
            for (method, path) in [
                ("GET", "/v1/anime"),
                ("GET", "/v1/auth/me"),
                ("GET", "/profile"),
            ] {
                let mut event = request(method, path, "");
                event["headers"][name] = match name {
                    "authorization" => format!("Bearer {text}").into(),
                    "cookie" => format!("__Host-session=1.{text}; __Host-form={text}").into(),
                    _ => text.clone().into(),
                };
                let what = format!("{method} {path} {name}, {} bytes", text.len());
                fixture.assert_no_server_error(event, &what).await;
            }
        }
    }
}

/// The fields of the form of an entry.
const ENTRY: [&str; 10] = [
    "entry",
    "back",
    "status",
    "current_episode",
    "score",
    "started_on",
    "finished_on",
    "repeats",
    "notes",
    "private",
];

/// Sends each field of the pages' forms, together with a valid CSRF token and values of most other fields.
#[tokio::test]
async fn form_fields_of_every_size_cause_no_server_error() {
    let fixture = Fixture::new().await;
    let client = format!("/developer/{}", fixture.application.client_id);
    let forms: [(&str, &[&str]); 26] = [
        (
            "/sign-up",
            &["username", "email", "password", "next", "csrf"],
        ),
        ("/sign-in", &["who", "password", "next", "csrf"]),
        ("/forgot-password", &["email", "next"]),
        ("/reset-password", &["token", "password"]),
        ("/verify-email", &["token"]),
        ("/profile/settings", &["gender", "localization"]),
        ("/profile/email", &["email"]),
        ("/profile/privacy", &["visibility"]),
        ("/prove", &["password", "next"]),
        ("/profile/security/password", &["password"]),
        ("/profile/security/session/end", &["session"]),
        ("/profile/connections/disconnect", &["client_id"]),
        ("/profile/developer/token", &["name", "scope"]),
        ("/profile/developer/token/revoke", &["token_id"]),
        ("/developer", &["name", "redirect_uris", "kind", "implicit"]),
        (&client, &["name", "redirect_uris", "implicit"]),
        ("/v1/oauth", &["consent", "back", "decision", "csrf"]),
        ("/profile/connections/a/disconnect", &["csrf"]),
        ("/list/next", &["entry", "back"]),
        ("/list/undo", &["entry", "back"]),
        ("/list/delete", &["entry", "back"]),
        ("/list/status", &["status", "back"]),
        ("/list/save", &ENTRY),
        (
            "/list/selection",
            &["entry", "back", "status", "score", "private"],
        ),
        ("/list/selection/undo", &["selection", "back"]),
        ("/sign-out", &["next", "csrf"]),
    ];
    for (path, fields) in forms {
        for field in fields {
            for text in texts() {
                let mut browser = PageClient::signed_in(&fixture.service, &fixture.person).await;
                let page = browser.get("/profile").await;
                let csrf = hidden(&page, "csrf").unwrap();
                let known = [
                    ("csrf", csrf.as_str()),
                    ("consent", "asked"),
                    ("username", "taki"),
                    ("email", "taki@example.com"),
                    ("password", "itomori 4 october"),
                    ("who", "taki"),
                    ("name", "Radio Itomori"),
                    ("redirect_uris", "https://app.example/cb"),
                    ("kind", "public"),
                    ("gender", "1"),
                    ("localization", "en"),
                    ("entry", "1:"),
                    ("back", "/list?status=0"),
                    ("status", "0"),
                ];
                let mut pairs: Vec<(&str, &str)> = known
                    .into_iter()
                    .filter(|(name, _)| name != field && (*name == "csrf" || fields.contains(name)))
                    .collect();
                pairs.push((field, &text));
                let answer = browser.post(path, &pairs).await;
                let status = answer.status.as_u16();
                let what = format!("{path} {field}, {} bytes", text.len());
                assert!(status < 500, "{what}: {status} {}", answer.text());
            }
        }
    }
    // The pages get the texts as query parameters and as segments of the path.
    for text in texts() {
        for (path, name) in [
            ("/sign-in", "next"),
            ("/sign-up", "next"),
            ("/reset-password", "token"),
            ("/verify-email", "token"),
            ("/profile", "done"),
            ("/profile/connections", "failed"),
            ("/list", "search"),
            ("/list", "page"),
            ("/list", "selected"),
            ("/list", "selection"),
            ("/style.css", "v"),
            ("/profile/trackers/a/callback", "code"),
            ("/profile/trackers/a/callback", "state"),
        ] {
            let event = request("GET", path, &query(&[(name, &text)]));
            fixture
                .assert_no_server_error(event, &format!("{path}?{name}=, {} bytes", text.len()))
                .await;
        }
        for path in ["/developer/", "/profile/trackers/"] {
            let event = request("GET", &format!("{path}{text}"), "");
            fixture
                .assert_no_server_error(event, &format!("{path}, {} bytes", text.len()))
                .await;
        }
    }
}
