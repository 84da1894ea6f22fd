//! A browser, and applications that people log in to with it.

use std::collections::BTreeMap;

use accounts::read_client_details;
use axum::http::{Method, StatusCode, header};
use shared::auth::{Access, Action, Bearer};
use shared::input::Fields;
use site::{Sessions, Visitor};
use store::{ClientDetails, ClientKind};

use crate::people::Person;
use crate::service::{Answer, PUBLIC_URL, Service};

/// Somebody's browser: it keeps cookies, and fills forms in.
pub struct Browser<'s> {
    service: &'s Service,
    /// The cookies.
    pub cookies: BTreeMap<String, String>,
}

impl<'s> Browser<'s> {
    /// One that has been nowhere.
    #[must_use]
    pub fn new(service: &'s Service) -> Self {
        Self {
            service,
            cookies: BTreeMap::new(),
        }
    }

    /// One in which somebody is signed in. To make many of them, past the page: it costs no hash.
    pub async fn of(service: &'s Service, person: &Person) -> Self {
        let mut browser = Self::new(service);
        let account = service.users().account(person.id).await.unwrap().unwrap();
        let sessions = service.environment.sessions();
        let random = service.environment.random.clone();
        let sessions = Sessions::new(sessions, PUBLIC_URL, random);
        let cookie = sessions.begin(&Visitor::default(), &account).await.unwrap();
        browser.keep(cookie.to_str().unwrap());
        browser
    }

    /// Opens an address of the service.
    pub async fn get(&mut self, address: &str) -> Answer {
        self.send(Method::GET, address, String::new()).await
    }

    /// Sends a form, as it is.
    pub async fn post(&mut self, address: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(Method::POST, address, query(fields)).await
    }

    /// Sends the form of a page that leads `to` an address, with its hidden fields. Of a page without
    /// such a form, what every form has.
    pub async fn submit(&mut self, page: &Answer, to: &str, fields: &[(&str, &str)]) -> Answer {
        let text = page.text();
        let form = text.split_once(&format!("action=\"{to}\""));
        let form = form.map(|(_, after)| after.split("</form>").next().unwrap_or_default());
        let hidden = match form {
            Some(form) => hidden_fields(form),
            None => vec![("csrf".to_owned(), hidden(page, "csrf").expect("csrf"))],
        };
        let mut all: Vec<(&str, &str)> = hidden
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        all.extend(fields);
        self.post(to, &all).await
    }

    async fn send(&mut self, method: Method, address: &str, body: String) -> Answer {
        let path = address.strip_prefix(PUBLIC_URL).unwrap_or(address);
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cookies = cookies.join("; ");
        let mut headers = vec![("accept", "text/html,*/*;q=0.8")];
        if method == Method::POST {
            headers.push(("content-type", "application/x-www-form-urlencoded"));
        }
        if !cookies.is_empty() {
            headers.push(("cookie", &cookies));
        }
        let answer = self.service.send_body(method, path, &headers, body).await;
        for cookie in answer.headers.get_all(header::SET_COOKIE) {
            self.keep(cookie.to_str().unwrap());
        }
        answer
    }

    fn keep(&mut self, cookie: &str) {
        let (pair, _) = cookie.split_once(';').unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        if value.is_empty() {
            self.cookies.remove(name);
        } else {
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Opens an application's request, and allows it. Answers what the application is sent.
    pub async fn allow(&mut self, application: &Application, more: &[(&str, &str)]) -> Returned {
        let page = self.get(&application.request(more)).await;
        assert_eq!(page.status, StatusCode::OK, "{:?}", page.text());
        let decided = self.submit(&page, "/v1/oauth", &[("decision", "allow")]);
        Returned::of(&decided.await)
    }
}

/// A query string, or a form.
#[must_use]
pub fn query(pairs: &[(&str, &str)]) -> String {
    let encode = |text: &str| -> String {
        let byte = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    let pair = |(name, value): &(&str, &str)| format!("{}={}", encode(name), encode(value));
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// The value of a page's hidden field.
#[must_use]
pub fn hidden(page: &Answer, name: &str) -> Option<String> {
    let mut fields = hidden_fields(&page.text()).into_iter();
    fields.find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Names and values of what nobody fills in.
fn hidden_fields(html: &str) -> Vec<(String, String)> {
    let value = |text: &str, name: &str| {
        let (_, after) = text.split_once(&format!("{name}=\""))?;
        let value = after.split('"').next()?.replace("&quot;", "\"");
        Some(
            value
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&"),
        )
    };
    let inputs = html.split("<input ").skip(1);
    inputs
        .filter(|input| input.starts_with("type=\"hidden\""))
        .filter_map(|input| Some((value(input, "name")?, value(input, "value")?)))
        .collect()
}

/// What an owner decides about a client.
#[must_use]
pub fn client_details(name: &str, redirect_uris: &str, implicit: bool) -> ClientDetails {
    let fields = serde_json::json!({
        "name": name, "redirect_uris": redirect_uris, "implicit": implicit.then_some("yes")
    });
    let mut fields = Fields::parse(fields.to_string().as_bytes()).unwrap();
    read_client_details(&mut fields).expect("details of a client")
}

/// An OAuth client.
#[derive(Clone, Debug)]
pub struct Application {
    /// Its identifier.
    pub client_id: String,
    /// Its secret, if it has one.
    pub secret: Option<String>,
    /// The first of its addresses.
    pub redirect_uri: String,
}

impl Application {
    /// The address that it sends its users to.
    #[must_use]
    pub fn request(&self, more: &[(&str, &str)]) -> String {
        let mut pairs = vec![
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", self.redirect_uri.as_str()),
        ];
        if more.iter().all(|(name, _)| *name != "response_type") {
            pairs.push(("response_type", "code"));
        }
        pairs.extend(more);
        format!("/v1/oauth?{}", query(&pairs))
    }

    /// The form that it exchanges a code with, its credentials included.
    #[must_use]
    pub fn exchange<'a>(&'a self, code: &'a str) -> Vec<(&'a str, &'a str)> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("client_id", &self.client_id),
        ];
        form.extend(
            self.secret
                .as_deref()
                .map(|secret| ("client_secret", secret)),
        );
        form
    }
}

/// What an application is sent: the address that the browser comes back to it by.
#[derive(Debug)]
pub struct Returned {
    /// The address.
    pub location: String,
}

impl Returned {
    /// Out of a redirect.
    #[must_use]
    pub fn of(answer: &Answer) -> Self {
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
        Self {
            location: answer.header("location").to_owned(),
        }
    }

    /// A parameter, as it is encoded.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let fragment = self.location.split_once('#');
        let (_, parameters) = fragment.or_else(|| self.location.split_once('?'))?;
        let mut pairs = parameters
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &str {
        self.get("code").expect("a code")
    }
}

impl Service {
    /// Registers an application of somebody's, past the page.
    pub async fn application(
        &self,
        owner: &Person,
        kind: ClientKind,
        redirect_uri: &str,
        implicit: bool,
    ) -> Application {
        let details = client_details("Radio Itomori", redirect_uri, implicit);
        let access = self.access(owner, Action::ManageClients).await;
        let applications = self.environment.applications();
        let (client, secret) = applications.create(&access, kind, details).await.unwrap();
        Application {
            client_id: client.client_id,
            secret,
            redirect_uri: redirect_uri.to_owned(),
        }
    }

    /// A confidential application with one address.
    pub async fn web_application(&self, owner: &Person) -> Application {
        let redirect_uri = "https://app.example/callback";
        self.application(owner, ClientKind::Confidential, redirect_uri, false)
            .await
    }

    /// What it takes for somebody to do this to what is their own.
    pub async fn access(&self, person: &Person, action: Action) -> Access {
        let tokens = self.environment.tokens().unwrap();
        tokens
            .own(&Bearer(person.token.clone()), action)
            .await
            .unwrap()
    }

    /// Sends a form to an endpoint that applications call.
    pub async fn form(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        self.send_body(Method::POST, path, &headers, query(form))
            .await
    }

    /// A token of somebody's for an application, by the whole of the flow.
    pub async fn application_token(&self, person: &Person, application: &Application) -> String {
        let mut browser = Browser::of(self, person).await;
        let returned = browser.allow(application, &[]).await;
        let form = application.exchange(returned.code());
        let answer = self.form("/v1/oauth/token", &form).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.json()["access_token"]
            .as_str()
            .expect("a token")
            .to_owned()
    }
}
