//! The identity provider: discovery, authorization requests and the exchange of codes.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod,
    CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreRevocableToken, CoreRevocationErrorResponse,
    CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AuthType, AuthorizationCode, Client, ClientId, CsrfToken, EmptyExtraTokenFields,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenFields, IssuerUrl, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError,
    Scope, StandardErrorResponse, StandardTokenResponse, SubjectIdentifier, TokenResponse,
    UserInfoClaims, UserInfoError,
};
use serde::{Deserialize, Serialize};
use shared::Error;
use shared::clock::Clock;
use shared::random::Random;
use tokio::sync::{Mutex, OnceCell};

use crate::http::{Http, HttpError};
use crate::settings::{ClientSecret, Settings, is_local};
use crate::tokens::{Checker, LogoutToken, OtherClaims, Person, Refusal, Token};

/// The time for all calls to the provider within a request: 5 seconds. It is shorter than the deadline of the request
/// ([`shared::http::layers::DEADLINE`]), so that a page can say that the provider does not answer.
pub const DEADLINE: Duration = Duration::from_secs(5);

/// The path of the page to which the provider returns users: the redirect URI below the service's public URL.
pub const CALLBACK_PATH: &str = "/sign-in/provider/callback";

/// The time after which the metadata and the keys are read again, in seconds: 1 hour.
const MAX_AGE_S: u64 = 60 * 60;

/// The minimum time between two reads because of an unknown key, in seconds. Made-up keys cannot cause more.
const MIN_AGE_S: u64 = 60;

/// The time after a failed read in which the provider is not asked again, in seconds.
const RETRY_S: u64 = 15;

type IdFields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

type OpenIdClient = Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<IdFields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The secrets of a sign-in that the browser must not see. Its caller keeps them until the user returns.
#[derive(Clone, Serialize, Deserialize)]
pub struct LoginSecrets {
    /// The PKCE verifier (RFC 7636).
    verifier: String,
    /// The nonce, which the ID token repeats.
    nonce: String,
}

/// Keeps the secrets out of every log.
impl std::fmt::Debug for LoginSecrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("LoginSecrets")
    }
}

/// The reason why a sign-in with the provider failed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The provider cannot be reached, takes too long, or its metadata cannot be used. Holds the reason for the log.
    #[error("{0}")]
    Unavailable(String),
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
    metadata: Option<Arc<CoreProviderMetadata>>,
    /// The time of the last read, in seconds since the Unix epoch.
    read_at: u64,
}

/// The identity provider.
#[derive(Debug)]
pub struct Provider {
    /// The settings.
    pub settings: Settings,
    secret: ClientSecret,
    redirect_url: String,
    /// Created on first use, so that cold starts do not wait for TLS.
    http: OnceCell<Http>,
    cache: Mutex<Cache>,
    deadline: Duration,
    clock: Clock,
    random: Random,
}

impl Provider {
    /// Creates the provider. It returns users to [`CALLBACK_PATH`] below `public_url`. The calls of one operation take
    /// at most `deadline` ([`DEADLINE`]).
    #[must_use]
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
            http: OnceCell::new(),
            cache: Mutex::default(),
            deadline,
            clock,
            random,
        }
    }

    /// Returns the secrets of a new sign-in.
    #[must_use]
    pub fn new_login(&self) -> LoginSecrets {
        LoginSecrets {
            verifier: self.random.alphanumeric(64),
            nonce: self.random.alphanumeric(32),
        }
    }

    /// Returns the address of the provider where the user signs in. `state` is the text with which the user returns.
    /// With `asks_again`, the user must sign in there even if they are signed in already.
    ///
    /// # Errors
    /// [`ProviderError::Unavailable`].
    pub async fn authorization_url(
        &self,
        login: &LoginSecrets,
        state: String,
        asks_again: bool,
    ) -> Result<String, ProviderError> {
        let address = async {
            let metadata = self.metadata(None).await?;
            let client = self.client(&metadata, None)?;
            let nonce = Nonce::new(login.nonce.clone());
            let verifier = PkceCodeVerifier::new(login.verifier.clone());
            let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
            let mut request = client
                .authorize_url(
                    CoreAuthenticationFlow::AuthorizationCode,
                    || CsrfToken::new(state),
                    || nonce,
                )
                .add_scopes(scopes)
                .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
            if asks_again {
                request = request
                    .add_prompt(CoreAuthPrompt::Login)
                    .set_max_age(Duration::ZERO);
            }
            let (address, _, _) = request.url();
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
    pub async fn finish(
        &self,
        login: &LoginSecrets,
        code: String,
    ) -> Result<Person, ProviderError> {
        self.limit(self.exchange(login, code)).await
    }

    /// Checks a logout token.
    ///
    /// # Errors
    /// [`ProviderError`].
    pub async fn check_logout(&self, token: &str) -> Result<LogoutToken, ProviderError> {
        let token = Token::from_str(token);
        let token = token.map_err(|_| ProviderError::Refused("malformed token".to_owned()))?;
        let checked = self.check(|checker| checker.logout_token(&token));
        self.limit(async { Ok(checked.await?.0) }).await
    }

    async fn exchange(&self, login: &LoginSecrets, code: String) -> Result<Person, ProviderError> {
        let secret = self.secret.read().await?;
        let http = self.http().await?;
        let metadata = self.metadata(None).await?;
        let client = self.client(&metadata, secret)?;
        let request = client.exchange_code(AuthorizationCode::new(code));
        let request = request.map_err(|_| {
            ProviderError::Unavailable("the metadata have no token endpoint".to_owned())
        })?;
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(login.verifier.clone()));
        let tokens = request.request_async(http).await.map_err(token_error)?;
        let token = tokens.id_token();
        let token =
            token.ok_or_else(|| ProviderError::Refused("there is no ID token".to_owned()))?;
        let check =
            |checker: &Checker<'_>| checker.id_token(token, &login.nonce, tokens.access_token());
        let (mut person, metadata) = self.check(check).await?;
        let is_missing = person.preferred_username.is_none()
            || person.email.is_none()
            || (self.settings.roles.is_some() && person.roles.is_none());
        if is_missing && metadata.userinfo_endpoint().is_some() {
            // The library cannot send other tokens in a header (RFC 6750, section 2.1).
            let is_visible = |byte| (0x21..=0x7e).contains(&byte);
            if !tokens.access_token().secret().bytes().all(is_visible) {
                return Err(ProviderError::Refused("malformed access token".to_owned()));
            }
            let subject = SubjectIdentifier::new(person.subject.clone());
            let request = client.user_info(tokens.access_token().clone(), Some(subject));
            let request = request.map_err(|error| Error::internal(error.to_string()))?;
            let claims: UserInfoClaims<OtherClaims, CoreGenderClaim> =
                request.request_async(http).await.map_err(user_info_error)?;
            self.checker(&metadata).add_claims(
                &mut person,
                claims.preferred_username(),
                claims.email().zip(Some(claims.email_verified())),
                claims.additional_claims(),
            );
        }
        Ok(person)
    }

    /// Checks a token. If its key is unknown, the provider may have new keys, so they are read again.
    async fn check<T>(
        &self,
        check: impl Fn(&Checker<'_>) -> Result<T, Refusal>,
    ) -> Result<(T, Arc<CoreProviderMetadata>), ProviderError> {
        let mut metadata = self.metadata(None).await?;
        let mut checked = check(&self.checker(&metadata));
        if matches!(checked, Err(Refusal::UnknownKey)) {
            metadata = self.metadata(Some(&metadata)).await?;
            checked = check(&self.checker(&metadata));
        }
        match checked {
            Ok(value) => Ok((value, metadata)),
            Err(Refusal::UnknownKey) => {
                Err(ProviderError::Refused("the key is unknown".to_owned()))
            }
            Err(Refusal::Invalid(reason)) => Err(ProviderError::Refused(reason)),
        }
    }

    fn checker<'m>(&'m self, metadata: &'m CoreProviderMetadata) -> Checker<'m> {
        Checker {
            metadata,
            client_id: &self.settings.client_id,
            now_s: self.clock.now_s(),
            role_claim: self.settings.roles.as_ref().map(|rule| rule.claim.as_str()),
        }
    }

    fn client(
        &self,
        metadata: &CoreProviderMetadata,
        secret: Option<String>,
    ) -> Result<OpenIdClient, ProviderError> {
        let redirect_url = RedirectUrl::new(self.redirect_url.clone());
        let redirect_url = redirect_url.map_err(Error::internal)?;
        let client = OpenIdClient::from_provider_metadata(
            metadata.clone(),
            ClientId::new(self.settings.client_id.clone()),
            secret.map(openidconnect::ClientSecret::new),
        );
        // Without the list, the method is `client_secret_basic` (OpenID Connect Discovery 1.0, section 3).
        let methods = metadata.token_endpoint_auth_methods_supported();
        let takes_basic = methods
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let auth_type = if takes_basic {
            AuthType::BasicAuth
        } else {
            AuthType::RequestBody
        };
        Ok(client
            .set_redirect_uri(redirect_url)
            .set_auth_type(auth_type))
    }

    async fn http(&self) -> Result<&Http, ProviderError> {
        let build = || async {
            let is_local = openidconnect::url::Url::parse(&self.settings.issuer)
                .is_ok_and(|issuer| is_local(&issuer));
            Http::new(is_local).map_err(Error::internal)
        };
        Ok(self.http.get_or_try_init(build).await?)
    }

    /// Returns the metadata and keys of the provider. They are read again when they are old, or if they are `outdated`
    /// and were not read in the last minute.
    async fn metadata(
        &self,
        outdated: Option<&Arc<CoreProviderMetadata>>,
    ) -> Result<Arc<CoreProviderMetadata>, ProviderError> {
        let http = self.http().await?;
        // The lock is kept during the read, so that concurrent requests read once.
        let mut cache = self.cache.lock().await;
        let age = self.clock.now_s().saturating_sub(cache.read_at);
        let max_age = match (&cache.metadata, outdated) {
            (None, _) => RETRY_S,
            (Some(cached), Some(outdated)) if Arc::ptr_eq(cached, outdated) => MIN_AGE_S,
            (Some(_), _) => MAX_AGE_S,
        };
        if age < max_age {
            let metadata = cache.metadata.clone();
            return metadata.ok_or_else(|| {
                ProviderError::Unavailable("the provider did not answer just now".to_owned())
            });
        }
        // Written first, because the request may end at its deadline during the read.
        cache.read_at = self.clock.now_s();
        if max_age == MAX_AGE_S {
            cache.metadata = None;
        }
        let issuer = IssuerUrl::new(self.settings.issuer.clone()).map_err(Error::internal)?;
        let read = CoreProviderMetadata::discover_async(issuer, http).await;
        let metadata = Arc::new(read.map_err(|error| {
            ProviderError::Unavailable(format!("discovery: {}", describe(&error)))
        })?);
        cache.metadata = Some(Arc::clone(&metadata));
        Ok(metadata)
    }

    async fn limit<T>(
        &self,
        operation: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        // Boxed, because the operations are large.
        let limited = tokio::time::timeout(self.deadline, Box::pin(operation)).await;
        limited.unwrap_or_else(|_| Err(ProviderError::Unavailable("timed out".to_owned())))
    }
}

/// Returns the text of an error and of its causes.
fn describe(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

fn unavailable(error: HttpError) -> ProviderError {
    ProviderError::Unavailable(error.to_string())
}

fn token_error(
    error: RequestTokenError<HttpError, StandardErrorResponse<CoreErrorResponseType>>,
) -> ProviderError {
    match error {
        RequestTokenError::Request(error) => unavailable(error),
        // The description could have anything in it.
        RequestTokenError::ServerResponse(response) => {
            ProviderError::Refused(format!("token endpoint: {}", response.error()))
        }
        RequestTokenError::Parse(error, _) => {
            ProviderError::Refused(format!("token endpoint: {error}"))
        }
        RequestTokenError::Other(reason) => {
            ProviderError::Refused(format!("token endpoint: {reason}"))
        }
    }
}

fn user_info_error(error: UserInfoError<HttpError>) -> ProviderError {
    match error {
        UserInfoError::Request(error) => unavailable(error),
        error => ProviderError::Refused(format!("userinfo: {}", describe(&error))),
    }
}
