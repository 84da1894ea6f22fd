//! The identity provider: discovery, authorization requests and the exchange of codes.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oauth2::basic::{
    BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse,
    BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::url::Url;
use oauth2::{
    AccessToken, AuthType, AuthUrl, AuthorizationCode, Client, ClientId, CsrfToken,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, RefreshToken, RequestTokenError, Scope, StandardRevocableToken, TokenResponse,
    TokenUrl,
};
use serde::{Deserialize, Serialize};
use shared::Error;
use shared::clock::Clock;
use shared::random::Random;
use tokio::sync::OnceCell;

use crate::claims::text;
use crate::http::{Http, HttpError};
use crate::metadata::ProviderMetadata;
use crate::settings::{ClientSecret, Settings, TokenAuth, is_local};
use crate::tokens::{Checker, LogoutToken, Person, TokenRefusal};

/// The time for all calls to the provider within a request: 5 seconds. It is shorter than the deadline of the request
/// ([`shared::http::layers::DEADLINE`]), so that a page can say that the provider does not respond.
pub const PROVIDER_DEADLINE: Duration = Duration::from_secs(5);

/// The path of the page to which the provider returns users: the redirect URI below the service's public URL.
pub const CALLBACK_PATH: &str = "/sign-in/provider/callback";

/// The time after which the metadata and the keys are read again, in seconds: 1 hour.
const MAX_AGE_S: u64 = 60 * 60;

/// The minimum time, in seconds, between two reads that are caused by tokens whose key is unknown or does not match. It
/// limits the reads that forged tokens can cause.
const MIN_AGE_S: u64 = 60;

/// The time after a failed read in which the provider is not asked again, in seconds.
const RETRY_S: u64 = 15;

/// The maximum length of an issuer and of an error code that the provider sends, in characters, for the log.
const MAX_QUOTE: usize = 200;

/// The parameter `claims` of a request that makes providers state the time of the sign-in, which some leave out
/// otherwise (OpenID Connect Core 1.0, section 5.5).
const CLAIMS_WITH_TIME: &str = r#"{"id_token":{"auth_time":{"essential":true}}}"#;

type OpenIdClient = Client<
    BasicErrorResponse,
    TokenEndpointResponse,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
>;

/// The response of the token endpoint: the members that are needed. The library's own type also reads the lifetime and
/// the scopes, and refuses the response if one of them has another form.
#[derive(Deserialize, Serialize)]
struct TokenEndpointResponse {
    access_token: AccessToken,
    id_token: Option<String>,
}

shared::hide_values!(TokenEndpointResponse);

impl TokenResponse for TokenEndpointResponse {
    type TokenType = BasicTokenType;

    fn access_token(&self) -> &AccessToken {
        &self.access_token
    }

    fn token_type(&self) -> &BasicTokenType {
        &BasicTokenType::Bearer
    }

    fn expires_in(&self) -> Option<Duration> {
        None
    }

    fn refresh_token(&self) -> Option<&RefreshToken> {
        None
    }

    fn scopes(&self) -> Option<&Vec<Scope>> {
        None
    }
}

/// The secrets of a sign-in that the browser must not see. Its caller keeps them until the user returns.
#[derive(Clone, Serialize, Deserialize)]
pub struct LoginSecrets {
    /// The PKCE verifier (RFC 7636).
    verifier: String,
    /// The nonce, which the ID token repeats.
    nonce: String,
}

shared::hide_values!(LoginSecrets);

/// The result of an operation with the provider.
type ProviderResult<T = ()> = Result<T, ProviderError>;

/// The reason why a sign-in with the provider failed. No text contains claims of a person.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The provider cannot be reached, takes too long, or its metadata cannot be used. Holds the reason for the log.
    #[error("{0}")]
    Unavailable(String),
    /// The provider has another issuer than the settings, for example without the slash at the end.
    #[error(
        "the setting OIDC_ISSUER is {expected}, but the provider names itself {found}: set OIDC_ISSUER to exactly this"
    )]
    OtherIssuer {
        /// The issuer of the settings.
        expected: String,
        /// The issuer in the metadata, at most 200 visible ASCII characters of it.
        found: String,
    },
    /// The provider has refused the code, or has sent a token that failed a check. Holds the reason for the log.
    #[error("{0}")]
    Refused(String),
    /// The client's secret cannot be read, or an error of this service.
    #[error(transparent)]
    Fault(#[from] Error),
}

/// The metadata of the provider, with its keys.
#[derive(Debug, Default)]
struct Cache {
    metadata: Option<Arc<ProviderMetadata>>,
    /// The time at which they were read, in seconds since the Unix epoch.
    read_at: u64,
    /// The time of the last attempt to read them, in seconds since the Unix epoch.
    tried_at: u64,
    /// The issuer in the metadata, if the last attempt failed because it differs from the settings.
    other_issuer: Option<String>,
}

/// The identity provider.
#[derive(Debug)]
pub struct Provider {
    /// The settings.
    pub settings: Settings,
    secret: ClientSecret,
    redirect_url: String,
    /// The address to which the provider returns users who have signed out there.
    signed_out_url: String,
    /// The HTTP client. It is created on first use, so that cold starts do not wait for TLS.
    http: OnceCell<Http>,
    /// The metadata. The lock is never held during a read.
    cache: Mutex<Cache>,
    /// The lock of a read, so that all requests that need its result share one read.
    reading: tokio::sync::Mutex<()>,
    deadline: Duration,
    clock: Clock,
    random: Random,
}

impl Provider {
    /// Creates the provider. It returns users to [`CALLBACK_PATH`] below `public_url`. The calls of one operation take
    /// at most `deadline` ([`PROVIDER_DEADLINE`]).
    pub fn new(
        settings: Settings,
        secret: ClientSecret,
        public_url: &str,
        deadline: Duration,
        clock: Clock,
        random: Random,
    ) -> Self {
        Self {
            settings,
            secret,
            redirect_url: format!("{public_url}{CALLBACK_PATH}"),
            signed_out_url: format!("{public_url}/"),
            http: OnceCell::new(),
            cache: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
            deadline,
            clock,
            random,
        }
    }

    /// Returns the secrets of a new sign-in.
    pub fn new_login(&self) -> LoginSecrets {
        LoginSecrets {
            verifier: self.random.alphanumeric(64),
            nonce: self.random.alphanumeric(32),
        }
    }

    /// Checks that the provider can be used: its metadata can be read, and its issuer is that of the settings.
    ///
    /// # Errors
    /// [`ProviderError::Unavailable`] or [`ProviderError::OtherIssuer`].
    pub async fn check(&self) -> ProviderResult {
        let read = async { self.metadata().await.map(|_| ()) };
        self.limit(read).await
    }

    /// Returns the address of the provider where the user signs in. `state` is the text with which the user returns.
    /// With `asks_again`, the user must sign in there even if they are already signed in. [`Person::signed_in_at`]
    /// shows whether they have done so, because the browser could change the address.
    ///
    /// # Errors
    /// [`ProviderError::Unavailable`] or [`ProviderError::OtherIssuer`].
    pub async fn authorization_url(
        &self,
        login: &LoginSecrets,
        state: String,
        asks_again: bool,
    ) -> ProviderResult<String> {
        let address = async {
            let metadata = self.metadata().await?;
            let client = self.client(&metadata, None)?;
            let verifier = PkceCodeVerifier::new(login.verifier.clone());
            let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
            let mut request = client
                .authorize_url(|| CsrfToken::new(state))
                .add_scope(Scope::new("openid".to_owned()))
                .add_scopes(scopes)
                .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
                .add_extra_param("nonce", login.nonce.as_str());
            if asks_again {
                // `max_age=0` is not sent, because it makes some providers ask again and again.
                request = request.add_extra_param("prompt", "login");
                if metadata.takes_claims {
                    request = request.add_extra_param("claims", CLAIMS_WITH_TIME);
                }
            }
            let (address, _) = request.url();
            let http = self.http().await?;
            http.check_url(&address).map_err(unavailable)?;
            Ok(address.into())
        };
        self.limit(address).await
    }

    /// Exchanges the code with which a user has returned, checks the ID token, and returns the person.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub async fn finish(&self, login: &LoginSecrets, code: String) -> ProviderResult<Person> {
        self.limit(Box::pin(self.exchange(login, code))).await
    }

    /// Checks a logout token.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub async fn check_logout(&self, token: &str) -> ProviderResult<LogoutToken> {
        self.limit(self.check_with_keys(|checker| checker.logout_token(token)))
            .await
    }

    async fn exchange(&self, login: &LoginSecrets, code: String) -> ProviderResult<Person> {
        let secret = self.secret.read().await?;
        let http = self.http().await?;
        let metadata = self.metadata().await?;
        let client = self.client(&metadata, secret)?;
        let request = client.exchange_code(AuthorizationCode::new(code));
        let request = request.map_err(|_| unusable("the metadata have no token_endpoint"))?;
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(login.verifier.clone()));
        let tokens = request.request_async(http).await.map_err(token_error)?;
        let token = tokens.id_token.as_deref();
        let token = token.ok_or_else(|| refused("there is no ID token"))?;
        let access_token = tokens.access_token.secret();
        let check = |checker: &Checker<'_>| checker.id_token(token, &login.nonce, access_token);
        let mut person = self.check_with_keys(check).await?;
        if self.is_incomplete(&person)
            && let Some(endpoint) = &metadata.userinfo_endpoint
        {
            // The sign-in can continue without the response, so this request gets only a part of the time.
            let added = self.add_user_info(&mut person, http, endpoint.clone(), access_token);
            if let Err(error) = within(self.deadline / 2, added).await {
                let rule = self.settings.roles.as_ref();
                let is_required = rule.is_some_and(|rule| rule.required_value.is_some());
                if is_required && person.roles.is_none() {
                    return Err(error);
                }
                tracing::warn!(reason = %error, "the claims of the userinfo endpoint cannot be read");
            }
        }
        Ok(person)
    }

    /// Returns true if the ID token lacks a claim that the userinfo endpoint may have.
    fn is_incomplete(&self, person: &Person) -> bool {
        person.preferred_username.is_none()
            || person.email.is_none()
            || (self.settings.roles.is_some() && person.roles.is_none())
    }

    async fn add_user_info(
        &self,
        person: &mut Person,
        http: &Http,
        endpoint: Url,
        access_token: &str,
    ) -> ProviderResult {
        let body = http.get(endpoint, Some(access_token)).await;
        let body = body.map_err(unavailable)?;
        let body = String::from_utf8(body).map_err(|_| refused("the response is not text"))?;
        let add = |checker: &Checker<'_>| {
            let claims = checker.user_info(&body, &person.subject)?;
            let mut complete = person.clone();
            checker.add_claims(&mut complete, &claims);
            Ok(complete)
        };
        *person = self.check_with_keys(add).await?;
        Ok(())
    }

    /// Returns the address of the provider where a user signs out, with the ID token of the session there; `None` if
    /// the provider has no such address. With the token, the provider returns the user to the start page.
    ///
    /// # Errors
    /// [`ProviderError::Unavailable`] or [`ProviderError::OtherIssuer`].
    pub async fn sign_out_url(&self, id_token: Option<&str>) -> ProviderResult<Option<String>> {
        let address = async {
            let metadata = self.metadata().await?;
            let Some(mut address) = metadata.end_session_endpoint.clone() else {
                return Ok(None);
            };
            self.http()
                .await?
                .check_url(&address)
                .map_err(unavailable)?;
            let mut query = address.query_pairs_mut();
            query.append_pair("client_id", &self.settings.client_id);
            // Without the token, some providers refuse the address to which the user returns.
            if let Some(id_token) = id_token {
                query.append_pair("id_token_hint", id_token);
                query.append_pair("post_logout_redirect_uri", &self.signed_out_url);
            }
            drop(query);
            Ok(Some(address.into()))
        };
        self.limit(address).await
    }

    /// Checks a token. If its key is unknown or its signature does not match, the provider may have new keys, so they
    /// are read again.
    async fn check_with_keys<T>(
        &self,
        check: impl Fn(&Checker<'_>) -> Result<T, TokenRefusal>,
    ) -> ProviderResult<T> {
        let metadata = self.metadata().await?;
        let mut checked = check(&self.checker(&metadata));
        if matches!(
            checked,
            Err(TokenRefusal::UnknownKey | TokenRefusal::BadSignature)
        ) {
            let newer = self.newer_metadata(&metadata).await?;
            checked = check(&self.checker(&newer));
        }
        checked.map_err(|refusal| {
            refused(match refusal {
                TokenRefusal::UnknownKey => "the key is unknown",
                TokenRefusal::BadSignature => "the signature is wrong",
                TokenRefusal::Invalid(reason) => reason,
            })
        })
    }

    fn checker<'m>(&'m self, metadata: &'m ProviderMetadata) -> Checker<'m> {
        Checker {
            metadata,
            settings: &self.settings,
            now_s: self.clock.now_s(),
        }
    }

    fn client(
        &self,
        metadata: &ProviderMetadata,
        secret: Option<String>,
    ) -> ProviderResult<OpenIdClient> {
        let redirect_url = RedirectUrl::new(self.redirect_url.clone());
        let redirect_url = redirect_url.map_err(Error::internal)?;
        let method = self.settings.token_auth.unwrap_or({
            if metadata.takes_basic {
                TokenAuth::Basic
            } else {
                TokenAuth::Post
            }
        });
        let client = Client::new(ClientId::new(self.settings.client_id.clone()))
            .set_auth_uri(AuthUrl::from_url(metadata.authorization_endpoint.clone()))
            .set_token_uri_option(metadata.token_endpoint.clone().map(TokenUrl::from_url))
            .set_redirect_uri(redirect_url)
            .set_auth_type(match method {
                TokenAuth::Basic => AuthType::BasicAuth,
                TokenAuth::Post => AuthType::RequestBody,
            });
        Ok(match secret {
            Some(secret) => client.set_client_secret(oauth2::ClientSecret::new(secret)),
            None => client,
        })
    }

    async fn http(&self) -> ProviderResult<&Http> {
        let build = || async {
            let is_local = Url::parse(&self.settings.issuer).is_ok_and(|issuer| is_local(&issuer));
            Http::new(is_local).map_err(Error::internal)
        };
        Ok(self.http.get_or_try_init(build).await?)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the metadata and keys of the provider. They are read when there are none, and again when they are old.
    async fn metadata(&self) -> ProviderResult<Arc<ProviderMetadata>> {
        if let Some(metadata) = self.recent_metadata() {
            return Ok(metadata);
        }
        let _reading = self.reading.lock().await;
        // Another request may have read them in the meantime.
        if let Some(metadata) = self.recent_metadata() {
            return Ok(metadata);
        }
        let read = match self.check_retry() {
            Ok(()) => self.read().await,
            Err(error) => Err(error),
        };
        // While the provider does not respond, old metadata are better than none.
        let old = self.cache().metadata.clone();
        match (read, old) {
            (Err(ProviderError::Unavailable(_)), Some(old)) => Ok(old),
            (read, _) => read,
        }
    }

    fn recent_metadata(&self) -> Option<Arc<ProviderMetadata>> {
        let cache = self.cache();
        let is_recent = self.clock.now_s().abs_diff(cache.read_at) < MAX_AGE_S;
        cache.metadata.clone().filter(|_| is_recent)
    }

    /// Checks that the last attempt to read is not too recent. That attempt failed, because there are no recent
    /// metadata.
    fn check_retry(&self) -> ProviderResult {
        let cache = self.cache();
        if self.clock.now_s().abs_diff(cache.tried_at) >= RETRY_S {
            return Ok(());
        }
        Err(match &cache.other_issuer {
            Some(found) => self.other_issuer(found.clone()),
            None => unusable("the provider did not answer just now"),
        })
    }

    fn other_issuer(&self, found: String) -> ProviderError {
        ProviderError::OtherIssuer {
            expected: self.settings.issuer.clone(),
            found,
        }
    }

    /// Returns metadata and keys that are newer than `outdated`, or `outdated` if the last attempt to read was within a
    /// minute. Only requests whose token needs another key wait for the read.
    async fn newer_metadata(
        &self,
        outdated: &Arc<ProviderMetadata>,
    ) -> ProviderResult<Arc<ProviderMetadata>> {
        let _reading = self.reading.lock().await;
        let newer = {
            let cache = self.cache();
            let newer = cache.metadata.clone();
            let newer = newer.filter(|metadata| !Arc::ptr_eq(metadata, outdated));
            let is_recent = self.clock.now_s().abs_diff(cache.tried_at) < MIN_AGE_S;
            newer.or_else(|| is_recent.then(|| Arc::clone(outdated)))
        };
        match newer {
            Some(metadata) => Ok(metadata),
            None => self.read().await,
        }
    }

    /// Reads the metadata and keys. [`Self::reading`] must be locked.
    async fn read(&self) -> ProviderResult<Arc<ProviderMetadata>> {
        let mut attempt = Attempt::begin(self);
        // The read ends before the request does, so that a provider that does not respond can be distinguished from a
        // client that disconnects.
        let discovered = within(self.deadline * 9 / 10, self.discover()).await;
        attempt.has_ended = true;
        let metadata = Arc::new(discovered?);
        let mut cache = self.cache();
        cache.read_at = self.clock.now_s();
        cache.metadata = Some(Arc::clone(&metadata));
        Ok(metadata)
    }

    async fn discover(&self) -> ProviderResult<ProviderMetadata> {
        let http = self.http().await?;
        let issuer = &self.settings.issuer;
        let base = issuer.strip_suffix('/').unwrap_or(issuer);
        let url = Url::parse(&format!("{base}/.well-known/openid-configuration"));
        let document = http.read_object(url.map_err(Error::internal)?).await;
        let document = document.map_err(|error| unusable(&format!("the metadata: {error}")))?;
        let found = text(&document, "issuer");
        let found = found.ok_or_else(|| unusable("the metadata have no issuer"))?;
        if found != issuer {
            let found = quote(found);
            self.cache().other_issuer = Some(found.clone());
            return Err(self.other_issuer(found));
        }
        let (metadata, keys) = ProviderMetadata::read(&document).map_err(unusable)?;
        let key_set = http.read_object(keys).await;
        let key_set = key_set.map_err(|error| unusable(&format!("the keys: {error}")))?;
        Ok(metadata.with_keys(&key_set))
    }

    async fn limit<T>(
        &self,
        operation: impl Future<Output = Result<T, ProviderError>>,
    ) -> ProviderResult<T> {
        // The client is built first, because setting up TLS takes time that must not count against the provider.
        self.http().await?;
        // Boxed, because the operations are large.
        within(self.deadline, Box::pin(operation)).await
    }
}

/// Returns the result of an operation, or an error if it takes longer than `limit`.
async fn within<T>(
    limit: Duration,
    operation: impl Future<Output = ProviderResult<T>>,
) -> ProviderResult<T> {
    let ended = tokio::time::timeout(limit, operation).await;
    ended.unwrap_or_else(|_| Err(unusable("timed out")))
}

/// Returns the beginning of a text that the provider has sent, without invisible characters.
fn quote(text: &str) -> String {
    let visible = text.chars().filter(char::is_ascii_graphic);
    visible.take(MAX_QUOTE).collect()
}

/// An attempt to read the metadata. If its request ends first, because the client has disconnected, the attempt does
/// not count. Otherwise, a stranger could keep the provider unavailable by aborting requests.
struct Attempt<'p> {
    provider: &'p Provider,
    /// The time of the attempt before, in seconds since the Unix epoch.
    previous: u64,
    has_ended: bool,
}

impl<'p> Attempt<'p> {
    fn begin(provider: &'p Provider) -> Self {
        let mut cache = provider.cache();
        cache.other_issuer = None;
        Self {
            previous: mem::replace(&mut cache.tried_at, provider.clock.now_s()),
            provider,
            has_ended: false,
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.provider.cache().tried_at = self.previous;
        }
    }
}

fn unusable(reason: &str) -> ProviderError {
    ProviderError::Unavailable(reason.to_owned())
}

fn unavailable(error: HttpError) -> ProviderError {
    ProviderError::Unavailable(error.to_string())
}

fn refused(reason: &str) -> ProviderError {
    ProviderError::Refused(reason.to_owned())
}

/// Returns the error of the token endpoint. A description or an unreadable response is not quoted, because it could
/// contain anything.
fn token_error(error: RequestTokenError<HttpError, BasicErrorResponse>) -> ProviderError {
    match error {
        RequestTokenError::Request(error) => unavailable(error),
        RequestTokenError::ServerResponse(response) => {
            let code: &BasicErrorResponseType = response.error();
            let code = quote(code.as_ref());
            refused(&format!(
                "the token endpoint responds with the error {code}"
            ))
        }
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            refused("the response of the token endpoint is malformed")
        }
    }
}
