//! A simulated browser, and OAuth applications that users authorize with it.

use std::collections::BTreeMap;

use accounts::applications::{ClientDetails, ClientKind, read_client_details};
use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pages::sessions::{PageSessions, Visitor};
use shared::auth::{Access, Action, Bearer};
use shared::input::Fields;
use url::form_urlencoded;

use crate::assertions::AssertText;
use crate::people::Person;
use crate::service::{Answer, PUBLIC_URL, Service};

/// A simulated browser. It stores cookies and submits forms.
pub struct PageClient<'s> {
    service: &'s Service,
    /// The stored cookies, by name.
    pub cookies: BTreeMap<String, String>,
    /// The header `Accept-Language`; empty to send none.
    pub languages: &'static str,
    /// The header `Sec-Fetch-Site`; empty to send none.
    pub fetch_site: &'static str,
    /// The header `User-Agent`; empty to send none.
    pub user_agent: &'static str,
}

impl<'s> PageClient<'s> {
    /// Returns a browser without cookies.
    pub fn new(service: &'s Service) -> Self {
        Self {
            service,
            cookies: BTreeMap::new(),
            languages: "",
            fetch_site: "",
            user_agent: "",
        }
    }

    /// Returns a browser with a session of this user. The session is written to the store directly,
    /// because signing in through the page would cost a password hash in every test.
    pub async fn signed_in(service: &'s Service, person: &Person) -> Self {
        let mut browser = Self::new(service);
        let account = service.users().account(person.id).await.unwrap().unwrap();
        let tokens = service.environment.tokens().unwrap();
        let sessions = PageSessions::new(service.environment.sessions(&tokens), &tokens);
        // Only the cookie of the session is stored: the browser has no other one yet.
        let [session, _] = sessions.begin(&Visitor::default(), &account).await.unwrap();
        browser.store_cookie(&session.to_string());
        browser
    }

    /// Sends a GET request to a path, or to an address below [`PUBLIC_URL`].
    pub async fn get(&mut self, address: &str) -> Answer {
        self.send(Method::GET, address, None, Body::empty()).await
    }

    /// Sends a GET request to a page with a notice, as after the form that leads there.
    pub async fn get_with_notice(&mut self, path: &str) -> Answer {
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let name = "__Host-notice".to_owned();
        self.cookies.insert(name, shared::digest(query));
        self.get(path).await
    }

    /// Sends these form fields and no others.
    pub async fn post(&mut self, address: &str, fields: &[(&str, &str)]) -> Answer {
        let form = "application/x-www-form-urlencoded";
        self.send(Method::POST, address, Some(form), query(fields))
            .await
    }

    /// Submits the form of `page` whose action is `to`, with its hidden fields and `fields`. Sends only
    /// the page's CSRF token and `fields` if the page has no such form.
    pub async fn submit(&mut self, page: &Answer, to: &str, fields: &[(&str, &str)]) -> Answer {
        let text = page.text();
        // The header of every page also has forms.
        let content = text.split_once("<main").map_or(&*text, |(_, main)| main);
        let hidden = match content.find_between(&format!("action=\"{to}\""), "</form>") {
            Some(form) => hidden_fields(&form),
            None => vec![("csrf".to_owned(), hidden(page, "csrf").expect("csrf"))],
        };
        let mut all: Vec<(&str, &str)> = hidden
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        all.extend(fields);
        self.post(to, &all).await
    }

    /// Submits a form as [`Self::submit`] does, with fields that are encoded as in a query string.
    pub async fn submit_encoded(&mut self, page: &Answer, to: &str, fields: &str) -> Answer {
        let fields: Vec<_> = form_urlencoded::parse(fields.as_bytes()).collect();
        let fields = fields.iter().map(|(name, value)| (&**name, &**value));
        let fields: Vec<(&str, &str)> = fields.collect();
        self.submit(page, to, &fields).await
    }

    /// Sends a form with these fields and then a file in the field `file`.
    pub async fn upload(
        &mut self,
        address: &str,
        fields: &[(&str, &str)],
        name: &str,
        file: &[u8],
    ) -> Answer {
        let (media_type, body) = multipart(fields, name, file);
        self.send(Method::POST, address, Some(&media_type), body)
            .await
    }

    async fn send(
        &mut self,
        method: Method,
        address: &str,
        media_type: Option<&str>,
        body: impl Into<Body>,
    ) -> Answer {
        let path = address.strip_prefix(PUBLIC_URL).unwrap_or(address);
        let cookies: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cookies = cookies.join("; ");
        let mut headers = vec![("accept", "text/html,*/*;q=0.8")];
        headers.extend(media_type.map(|media_type| ("content-type", media_type)));
        if !cookies.is_empty() {
            headers.push(("cookie", &cookies));
        }
        if !self.languages.is_empty() {
            headers.push(("accept-language", self.languages));
        }
        if !self.fetch_site.is_empty() {
            headers.push(("sec-fetch-site", self.fetch_site));
        }
        if !self.user_agent.is_empty() {
            headers.push(("user-agent", self.user_agent));
        }
        let answer = self.service.send_body(method, path, &headers, body).await;
        for cookie in answer.headers.get_all(header::SET_COOKIE) {
            self.store_cookie(cookie.to_str().unwrap());
        }
        answer
    }

    fn store_cookie(&mut self, cookie: &str) {
        let (pair, _) = cookie.split_once(';').unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        if value.is_empty() {
            self.cookies.remove(name);
        } else {
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Opens the application's authorization request and allows it. Returns the redirect to the
    /// application.
    pub async fn allow(&mut self, application: &Application, more: &[(&str, &str)]) -> Returned {
        let page = self.get(&application.request(more)).await;
        assert_eq!(page.status, StatusCode::OK, "{:?}", page.text());
        Returned::from_redirect(&self.decide(&page, "allow").await)
    }

    /// Submits the decision `allow` or `deny` on a consent page.
    pub async fn decide(&mut self, page: &Answer, decision: &str) -> Answer {
        let fields = [("decision", decision)];
        self.submit(page, "/v1/oauth", &fields).await
    }

    /// Creates a token on the profile page and returns it.
    ///
    /// # Panics
    /// When the page shows none.
    pub async fn create_token(&mut self, name: &str, scope: &str) -> String {
        let page = self.get("/profile/developer").await;
        let fields = [("name", name), ("scope", scope)];
        let page = self
            .submit(&page, "/profile/developer/token", &fields)
            .await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text());
        textarea(&page)
    }
}

/// Returns the media type and the body of a form with these fields and a file, as browsers send them.
pub fn multipart(fields: &[(&str, &str)], name: &str, file: &[u8]) -> (String, Vec<u8>) {
    let boundary = "----WebKitFormBoundaryTasogaredoki";
    let mut body = String::new();
    for (field, value) in fields {
        let part = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n"
        );
        body.push_str(&part);
    }
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    body.push_str(&head);
    let end = format!("\r\n--{boundary}--\r\n");
    let body = [body.as_bytes(), file, end.as_bytes()].concat();
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Returns the text in the first field that the page offers for copying.
///
/// # Panics
/// When the page offers none.
pub fn textarea(page: &Answer) -> String {
    let text = page.after("<textarea").between(">", "<");
    text.trim().to_owned()
}

/// Encodes pairs as a query string or a form body.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs).finish()
}

/// Returns the value of a hidden field of a page.
pub fn hidden(page: &Answer, name: &str) -> Option<String> {
    let mut fields = hidden_fields(&page.text()).into_iter();
    fields.find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Returns the names and values of the hidden fields.
pub(crate) fn hidden_fields(html: &str) -> Vec<(String, String)> {
    let value = |input: &str, name: &str| {
        let value = input.find_between(&format!("{name}=\""), "\"")?;
        Some(unescaped(&value))
    };
    let inputs = html.split("<input ").skip(1);
    inputs
        .filter(|input| input.starts_with("type=\"hidden\""))
        .filter_map(|input| Some((value(input, "name")?, value(input, "value")?)))
        .collect()
}

/// Returns a text of a page as browsers show it.
pub fn unescaped(html: &str) -> String {
    let text = html.replace("&quot;", "\"").replace("&lt;", "<");
    text.replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns the claims of a signed token.
pub fn claims(token: &str) -> serde_json::Value {
    let claims = URL_SAFE_NO_PAD.decode(token.between(".", "."));
    serde_json::from_slice(&claims.unwrap()).unwrap()
}

/// Returns the details of a client as its owner enters them.
pub fn client_details(name: &str, redirect_uris: &str, implicit: bool) -> ClientDetails {
    let fields = serde_json::json!({
        "name": name, "redirect_uris": redirect_uris, "implicit": implicit.then_some("yes")
    });
    let mut fields = Fields::parse(fields.to_string().as_bytes()).unwrap();
    read_client_details(&mut fields).expect("details of a client")
}

/// A registered OAuth client.
#[derive(Clone, Debug)]
pub struct Application {
    /// The client identifier.
    pub client_id: String,
    /// The client secret. `None` for a public client.
    pub secret: Option<String>,
    /// The first registered redirect URI.
    pub redirect_uri: String,
}

impl Application {
    /// Returns the path of an authorization request with `more` parameters. `response_type` is `code`
    /// unless `more` has another.
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

    /// Returns the form that exchanges `code` for tokens, with the client's credentials.
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

/// The redirect from the authorization endpoint back to the application.
#[derive(Debug)]
pub struct Returned {
    /// The address that the browser is redirected to.
    pub location: String,
}

impl Returned {
    /// Reads the redirect from a response.
    pub fn from_redirect(answer: &Answer) -> Self {
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
        Self {
            location: answer.header("location").to_owned(),
        }
    }

    /// Returns a parameter of the fragment, or of the query if there is no fragment. The value stays
    /// percent-encoded.
    pub fn get(&self, name: &str) -> Option<&str> {
        let fragment = self.location.split_once('#');
        let (_, parameters) = fragment.or_else(|| self.location.split_once('?'))?;
        let mut pairs = parameters
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Returns the authorization code.
    pub fn code(&self) -> &str {
        self.get("code").expect("a code")
    }
}

impl Service {
    /// Registers an application directly in the store, without the page.
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

    /// Returns a service, the user "mitsuha", and a confidential application of the user `owner`.
    pub async fn with_application(owner: &str) -> (Self, Person, Application) {
        let service = Self::empty().await;
        let user = service.person("mitsuha").await;
        let owner = if owner == user.name {
            user.clone()
        } else {
            service.person(owner).await
        };
        let application = service.web_application(&owner).await;
        (service, user, application)
    }

    /// Registers a confidential application with one redirect URI.
    pub async fn web_application(&self, owner: &Person) -> Application {
        let redirect_uri = "https://app.example/callback";
        self.application(owner, ClientKind::Confidential, redirect_uri, false)
            .await
    }

    /// Returns the access that `person` needs to run `action` on their own data.
    pub async fn access(&self, person: &Person, action: Action) -> Access {
        let tokens = self.environment.tokens().unwrap();
        tokens
            .access_to_own_data(&Bearer(person.token.clone()), action)
            .await
            .unwrap()
    }

    /// Disconnects an application as a user.
    pub async fn disconnect(&self, person: &Person, application: &Application) {
        let access = self.access(person, Action::Connect).await;
        let users = self.users();
        let disconnected = users.disconnect(&access, &application.client_id);
        disconnected.await.unwrap();
    }

    /// Posts a form to an OAuth endpoint.
    pub async fn form(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        self.send_body(Method::POST, path, &headers, query(form))
            .await
    }

    /// Returns an access token of `person` for `application`, from a complete authorization code flow.
    pub async fn application_token(&self, person: &Person, application: &Application) -> String {
        self.application_token_with(person, application, &[]).await
    }

    /// Returns an access token as [`Service::application_token`] does, for an authorization request with
    /// `more` parameters.
    pub async fn application_token_with(
        &self,
        person: &Person,
        application: &Application,
        more: &[(&str, &str)],
    ) -> String {
        let mut browser = PageClient::signed_in(self, person).await;
        let returned = browser.allow(application, more).await;
        let form = application.exchange(returned.code());
        let answer = self.form("/v1/oauth/token", &form).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        answer.json()["access_token"]
            .as_str()
            .expect("a token")
            .to_owned()
    }
}
