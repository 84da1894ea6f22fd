//! A fake identity provider on a loopback address. It implements OpenID Connect as a provider does, and sends wrong
//! responses on request. It shares no code with the product's client.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use aws_lc_rs::digest;
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use axum::extract::State as Extract;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router, extract::Request};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use openid::{ClientSecret, Provider, Settings};
use serde_json::{Map, Value, json};
use shared::clock::Clock;
use shared::models::Identity;
use tokio::net::TcpListener;
use url::{Url, form_urlencoded};

use crate::browser::PageClient;
use crate::people::Person;
use crate::service::{Answer, PUBLIC_URL, Service};

/// The identifier of the service at the provider.
pub const CLIENT_ID: &str = "kiroku";

/// The secret of the service at the provider.
pub const CLIENT_SECRET: &str = "provider-secret-5d1f";

/// The subject of the person who signs in, unless a test sets another one.
pub const SUBJECT: &str = "248289761001";

/// The failures of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// It never responds.
    Hangs,
    /// It redirects every request to itself.
    Redirects,
    /// It responds with status 500.
    Fails,
}

/// The ways to sign a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// With the key that the provider publishes.
    Normal,
    /// Without a signature: `alg` is `none`.
    None,
    /// With HMAC, and the public key as its secret.
    PublicKeyAsSecret,
    /// With HMAC, and the secret of the client.
    ClientSecret,
    /// With a key that is not published, under the identifier of the published one.
    OtherKey,
    /// With a key that is not published, under an identifier that is not published.
    UnknownKey,
}

/// The forms of a response of the userinfo endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserInfoForm {
    /// A JSON object.
    Json,
    /// A token, signed as [`Signing`] says.
    Signed,
    /// A token, signed with the secret of the client.
    SignedWithSecret,
    /// A JSON list.
    List,
    /// Status 500.
    Fails,
    /// No response at all.
    Hangs,
}

/// The changeable state of a fake.
#[derive(Debug)]
pub struct FakeState {
    key: EcdsaKeyPair,
    key_id: String,
    /// Claims of the next ID tokens, in place of the usual ones. `null` removes a claim.
    pub claims: Map<String, Value>,
    /// The response of the userinfo endpoint.
    pub user_info: Value,
    /// The form of this response.
    pub user_info_form: UserInfoForm,
    /// Members of the token endpoint's response, in place of the usual ones. `null` removes a member.
    pub token_answer: Map<String, Value>,
    /// True if the secret of the client must be in the form.
    pub takes_secret_in_form: bool,
    /// Metadata in place of the usual ones.
    pub metadata: Map<String, Value>,
    /// The way in which ID tokens are signed.
    pub signing: Signing,
    /// The failure of all endpoints.
    pub failing: Option<Failing>,
    /// The number of requests to each path.
    pub requests: BTreeMap<String, u32>,
    codes: HashMap<String, HashMap<String, String>>,
}

/// A fake identity provider. It stops with the runtime of its test.
#[derive(Clone, Debug)]
pub struct FakeProvider {
    /// The issuer.
    pub issuer: String,
    clock: Clock,
    state: Arc<Mutex<FakeState>>,
}

impl FakeProvider {
    /// Starts a provider with this clock.
    pub async fn start(clock: Clock) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            issuer: format!("http://{}", listener.local_addr().unwrap()),
            clock,
            state: Arc::new(Mutex::new(FakeState {
                key: new_key(),
                key_id: "key-1".to_owned(),
                claims: Map::new(),
                user_info: json!({"sub": SUBJECT}),
                user_info_form: UserInfoForm::Json,
                token_answer: Map::new(),
                takes_secret_in_form: false,
                metadata: Map::new(),
                signing: Signing::Normal,
                failing: None,
                requests: BTreeMap::new(),
                codes: HashMap::new(),
            })),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(metadata))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/userinfo", get(user_info))
            .layer(from_fn_with_state(fake.clone(), fail_or_count))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    /// Returns the state.
    pub fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().unwrap()
    }

    /// Replaces members of the metadata. `null` removes a member.
    pub fn set_metadata(&self, metadata: Value) {
        let Value::Object(metadata) = metadata else {
            panic!("metadata are an object");
        };
        self.state().metadata = metadata;
    }

    /// Sets claims of the next ID tokens. The userinfo endpoint has the same subject.
    pub fn set_claims(&self, claims: Value) {
        let Value::Object(claims) = claims else {
            panic!("claims are an object");
        };
        let mut state = self.state();
        let subject = claims.get("sub").cloned();
        state.user_info = json!({"sub": subject.unwrap_or_else(|| SUBJECT.into())});
        state.claims = claims;
    }

    /// Replaces the key by another one with this identifier.
    pub fn rotate_key(&self, key_id: &str) {
        let mut state = self.state();
        state.key = new_key();
        key_id.clone_into(&mut state.key_id);
    }

    /// Returns the number of requests to a path.
    pub fn requests(&self, path: &str) -> u32 {
        self.state().requests.get(path).copied().unwrap_or_default()
    }

    /// Signs the person in, as the provider's own page does. `redirect` is the response that has led there. Returns the
    /// path to which the provider redirects the browser.
    pub fn authorize(&self, redirect: &Answer) -> String {
        assert_eq!(
            redirect.status,
            StatusCode::SEE_OTHER,
            "{}",
            redirect.text()
        );
        let address = Url::parse(redirect.header("location")).unwrap();
        assert_eq!(address.path(), "/authorize", "{address}");
        let request: HashMap<String, String> = address.query_pairs().into_owned().collect();
        assert_eq!(request["response_type"], "code");
        assert_eq!(request["client_id"], CLIENT_ID);
        assert_eq!(request["code_challenge_method"], "S256");
        assert!(request["scope"].split(' ').any(|scope| scope == "openid"));
        let callback = request["redirect_uri"].strip_prefix(PUBLIC_URL).unwrap();
        let mut state = self.state();
        let code = format!("code-{}", state.codes.len());
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("code", &code)
            .append_pair("state", &request["state"])
            .append_pair("iss", &self.issuer)
            .finish();
        let path = format!("{callback}?{query}");
        state.codes.insert(code, request);
        path
    }

    /// Returns a signed token with these claims.
    pub fn sign(&self, kind: &str, claims: &Value) -> String {
        let signing = self.state().signing;
        self.sign_in_way(signing, Some(kind), claims)
    }

    /// Returns a token with these claims, signed in this way. Without `kind`, the header has no `typ`.
    pub fn sign_in_way(&self, signing: Signing, kind: Option<&str>, claims: &Value) -> String {
        let state = self.state();
        let (alg, key_id) = match signing {
            Signing::None => ("none", None),
            Signing::PublicKeyAsSecret | Signing::ClientSecret => {
                ("HS256", Some(state.key_id.clone()))
            }
            Signing::UnknownKey => ("ES256", Some("key-unknown".to_owned())),
            Signing::Normal | Signing::OtherKey => ("ES256", Some(state.key_id.clone())),
        };
        let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let mut header = json!({"alg": alg});
        if let Some(kind) = kind {
            header["typ"] = kind.into();
        }
        if let Some(key_id) = key_id {
            header["kid"] = key_id.into();
        }
        let text = format!("{}.{}", encode(&header), encode(claims));
        let with_secret = |secret: &[u8]| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
            hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
        };
        let with_key = |key: &EcdsaKeyPair| {
            let signature = key.sign(&SystemRandom::new(), text.as_bytes());
            signature.unwrap().as_ref().to_vec()
        };
        let signature = match signing {
            Signing::None => Vec::new(),
            Signing::PublicKeyAsSecret => with_secret(state.key.public_key().as_ref()),
            Signing::ClientSecret => with_secret(CLIENT_SECRET.as_bytes()),
            Signing::OtherKey | Signing::UnknownKey => with_key(&new_key()),
            Signing::Normal => with_key(&state.key),
        };
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Returns the claims of a logout token, without those of `other` that are `null`.
    pub fn logout_claims(&self, other: Value) -> Value {
        let now = self.clock.now_s();
        let usual = json!({
            "iss": self.issuer, "aud": CLIENT_ID, "sub": SUBJECT, "iat": now, "exp": now + 120, "jti": "logout-1",
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        });
        merge(usual, other)
    }

    fn id_token(&self, request: &HashMap<String, String>) -> String {
        let now = self.clock.now_s();
        let usual = json!({
            "iss": self.issuer, "aud": CLIENT_ID, "sub": SUBJECT, "iat": now, "exp": now + 300,
            "auth_time": now, "nonce": request["nonce"],
        });
        let claims = Value::Object(self.state().claims.clone());
        self.sign("JWT", &merge(usual, claims))
    }
}

/// Connects the account at the provider to a user, directly in the store.
pub async fn connect(service: &Service, fake: &FakeProvider, person: &Person) {
    let users = service.users();
    let account = users.account(person.id).await.unwrap().unwrap();
    let identity = Identity {
        issuer: fake.issuer.clone(),
        subject: SUBJECT.to_owned(),
        connected_at: service.clock.now_ms(),
    };
    users.connect_identity(&account, identity).await.unwrap();
}

/// Sends a logout token as a provider does.
pub async fn send_logout(service: &Service, token: &str) -> Answer {
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let body = format!("logout_token={token}");
    let path = "/sign-in/provider/logout";
    service.send_body(Method::POST, path, &form, body).await
}

/// Returns the settings of this provider for a service, changed by `edit`.
pub fn settings(issuer: &str, edit: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings {
        issuer: issuer.to_owned(),
        client_id: CLIENT_ID.to_owned(),
        name: "Example ID".to_owned(),
        scopes: vec!["profile".to_owned(), "email".to_owned()],
        trusted_audiences: Vec::new(),
        token_auth: None,
        trusts_email: false,
        opens_registration: false,
        redirects: false,
        signs_out: false,
        roles: None,
    };
    edit(&mut settings);
    settings
}

impl Service {
    /// Returns a service that signs users in with a fake provider, and the provider.
    pub async fn with_provider(edit: impl FnOnce(&mut Settings)) -> (Self, FakeProvider) {
        let service = Self::empty().await;
        let fake = FakeProvider::start(service.clock.clone()).await;
        let settings = settings(&fake.issuer, edit);
        let service = service.using_provider(settings, Duration::from_secs(5));
        (service, fake)
    }

    /// Replaces the functions with ones that use a provider with these settings and this deadline.
    #[must_use]
    pub fn using_provider(self, settings: Settings, deadline: Duration) -> Self {
        let mut environment = self.environment.clone();
        environment.overrides.provider = Some(Arc::new(Provider::new(
            settings,
            ClientSecret::Fixed(Some(CLIENT_SECRET.to_owned())),
            &environment.public_url,
            deadline,
            self.clock.clone(),
            environment.database.random.clone(),
        )));
        self.with_environment(environment)
    }
}

impl PageClient<'_> {
    /// Follows the link at `path` to the provider, signs in there, and opens the address to which the provider
    /// redirects. Returns the last response.
    pub async fn go_to_provider(&mut self, fake: &FakeProvider, path: &str) -> Answer {
        let redirect = self.get(path).await;
        let callback = fake.authorize(&redirect);
        self.get(&callback).await
    }
}

fn new_key() -> EcdsaKeyPair {
    EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap()
}

fn merge(usual: Value, other: Value) -> Value {
    let (Value::Object(mut claims), Value::Object(other)) = (usual, other) else {
        panic!("claims are objects");
    };
    claims.extend(other);
    claims.retain(|_, value| !value.is_null());
    Value::Object(claims)
}

async fn fail_or_count(
    Extract(fake): Extract<FakeProvider>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let failing = {
        let mut state = fake.state();
        *state.requests.entry(path.clone()).or_default() += 1;
        state.failing
    };
    match failing {
        None => next.run(request).await,
        Some(Failing::Hangs) => std::future::pending().await,
        Some(Failing::Redirects) => (StatusCode::FOUND, [(header::LOCATION, path)]).into_response(),
        Some(Failing::Fails) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn metadata(Extract(fake): Extract<FakeProvider>) -> Json<Value> {
    let issuer = &fake.issuer;
    let usual = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
    });
    let other = Value::Object(fake.state().metadata.clone());
    Json(merge(usual, other))
}

async fn keys(Extract(fake): Extract<FakeProvider>) -> Json<Value> {
    let state = fake.state();
    let point = state.key.public_key().as_ref();
    let (x, y) = point[1..].split_at(32);
    Json(json!({"keys": [{
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": state.key_id,
        "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
    }]}))
}

async fn token(
    Extract(fake): Extract<FakeProvider>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let refuse = |error: &str| {
        let body = Json(json!({"error": error}));
        (StatusCode::BAD_REQUEST, body).into_response()
    };
    let basic = STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}"));
    let sent = headers.get(header::AUTHORIZATION);
    let is_authenticated = if fake.state().takes_secret_in_form {
        let has = |name: &str, value: &str| form.get(name).is_some_and(|sent| sent == value);
        sent.is_none() && has("client_id", CLIENT_ID) && has("client_secret", CLIENT_SECRET)
    } else {
        sent.is_some_and(|sent| sent == format!("Basic {basic}").as_str())
    };
    if !is_authenticated {
        return refuse("invalid_client");
    }
    // A code can be used once.
    let request = fake.state().codes.remove(&form["code"]);
    let Some(request) = request else {
        return refuse("invalid_grant");
    };
    let challenge = digest::digest(&digest::SHA256, form["code_verifier"].as_bytes());
    if URL_SAFE_NO_PAD.encode(challenge) != request["code_challenge"]
        || form["redirect_uri"] != request["redirect_uri"]
    {
        return refuse("invalid_grant");
    }
    let body = json!({
        "access_token": "access-1", "token_type": "Bearer", "expires_in": 300, "id_token": fake.id_token(&request),
    });
    let other = Value::Object(fake.state().token_answer.clone());
    Json(merge(body, other)).into_response()
}

async fn user_info(Extract(fake): Extract<FakeProvider>, headers: HeaderMap) -> Response {
    let sent = headers.get(header::AUTHORIZATION);
    if sent.is_none_or(|sent| sent != "Bearer access-1") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let (claims, form, signing) = {
        let state = fake.state();
        (state.user_info.clone(), state.user_info_form, state.signing)
    };
    let respond_signed = |signing| {
        let token = fake.sign_in_way(signing, Some("JWT"), &claims);
        ([(header::CONTENT_TYPE, "application/jwt")], token).into_response()
    };
    match form {
        UserInfoForm::Json => Json(claims).into_response(),
        UserInfoForm::Signed => respond_signed(signing),
        UserInfoForm::SignedWithSecret => respond_signed(Signing::ClientSecret),
        UserInfoForm::List => Json(json!([claims])).into_response(),
        UserInfoForm::Fails => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        UserInfoForm::Hangs => std::future::pending().await,
    }
}
